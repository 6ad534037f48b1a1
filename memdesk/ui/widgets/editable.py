"""A message that is edited in place; what is typed is told at once, so that nothing is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from memdesk.ui.widgets.message_parts import MessageEditor
from memdesk.ui.widgets.thoughts import Thoughtful

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from memdesk.chats.model import Message
    from memdesk.ui.widgets.message_body import MessageBody
    from memdesk.ui.widgets.message_head import MessageSignals


class Editable(Thoughtful):
    """A widget whose message can be edited. `edited_swipe` is the version that the text is meant for."""

    signals: MessageSignals
    body: MessageBody
    _message: Message
    _streaming: bool

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._editor: MessageEditor | None = None
        self.edited_swipe, self._unedited = 0, ""

    @property
    def editing(self) -> bool:
        """Whether the text is being edited."""
        return self._editor is not None

    def startEditing(self) -> None:
        """Edit the text in place; not while it is being written."""
        if self.editing or self._streaming:
            return
        if not self.resumeEditing():
            self._edit(self._message.swipe.id, self.body.written, self.body.written)
        if self._editor is not None:
            self._editor.focusText()

    def resumeEditing(self) -> bool:
        """Open the editor with what was typed before and not saved; False when there is nothing."""
        if self.editing or self._streaming:
            return False
        unsaved = self.signals.unsaved(self._message)
        if unsaved is None:
            return False
        swipe_id, text = unsaved
        # What the text of another version was is not known here: that counts as changed.
        self._edit(swipe_id, text, self.body.written if swipe_id == self._message.swipe.id else "")
        return True

    def _edit(self, swipe_id: int, text: str, unedited: str) -> None:
        self.edited_swipe, self._unedited = swipe_id, unedited
        editor = MessageEditor(text, self)
        editor.saved.connect(self._save)
        editor.cancelled.connect(self._cancel)
        editor.changed.connect(self._tell)
        editor.heightChanged.connect(self._grown)
        self._editor = editor
        self.body.hide()
        editor.show()
        self._refresh_actions()
        self._relayout()

    def stopEditing(self) -> None:
        """Leave the editor without saving."""
        editor, self._editor = self._editor, None
        if editor is None:
            return
        editor.hide()
        editor.deleteLater()
        self.body.show()
        self._relayout()
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self._refresh_actions()

    def _tell(self, text: str) -> None:
        left = None if text == self._unedited else text
        self.signals.editChanged.emit(self._message, self.edited_swipe, left)

    def _cancel(self) -> None:
        self._tell(self._unedited)
        self.stopEditing()

    def _save(self, text: str) -> None:
        changed = text != self._unedited
        self._cancel()
        if changed:
            if self.edited_swipe == self._message.swipe.id and not self._streaming:
                self.body.setText(text)
            self.signals.editSaved.emit(self._message.id, text)

    def _refresh_actions(self) -> None:
        """Show the actions that are possible now."""
        raise NotImplementedError

    def _relayout(self) -> None:
        """Give every part its place."""
        raise NotImplementedError
