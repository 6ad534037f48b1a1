"""A chat whose character is gone says so, and offers somebody else who goes on with it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from memdesk.chats.model import CharacterHead, Chat
from memdesk.chats.text import one_line
from memdesk.ui.bidi import isolated
from memdesk.ui.dialogs.pieces import Notice, push_button
from memdesk.ui.openers import Openers
from memdesk.ui.panels.chat_panel import ChatPanel
from memdesk.ui.pictures import Pictures
from memdesk.ui.session import Session


class GoneBar(QObject):
    """A strip above the messages of a chat with one character that is in the trash or gone for good."""

    def __init__(
        self, session: Session, panel: ChatPanel, pictures: Pictures, openers: Openers, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._pictures = pictures
        self._openers = openers
        self._window = parent
        self._chat: Chat | None = None
        self.bar = QWidget(panel)
        self._notice = Notice("wait")
        self._choose = push_button(self.tr("Choose another character…"), parent=self.bar)
        self._choose.clicked.connect(self.choose)
        self._trash = push_button(self.tr("Trash…"), "quiet", self.bar)
        self._trash.clicked.connect(openers.open_trash)
        line = QHBoxLayout(self.bar)
        line.setContentsMargins(34, 8, 34, 8)
        line.addWidget(self._notice, 1)
        line.addWidget(self._trash)
        line.addWidget(self._choose)
        layout = panel.layout()
        assert isinstance(layout, QVBoxLayout)  # noqa: S101 — made by the panel
        layout.insertWidget(2, self.bar)
        self.bar.hide()

    def show(self, chat: Chat | None) -> None:
        """Stand for the chat that is shown, as it is now."""
        self._chat = chat
        if chat is None or chat.kind == "group" or not all(member.gone for member in chat.members):
            self.bar.hide()
            return
        self.bar.show()
        if chat.members:
            words = self.tr("{name} is in the trash. It still replies here until the trash is emptied.")
            self._notice.say(words.format(name=isolated(one_line(chat.members[0].name, 60))))
        else:
            self._notice.say(self.tr("The character of this chat is gone: nobody can reply."))
        self._trash.setVisible(bool(chat.members))

    def choose(self) -> None:
        """Choose who goes on with the chat; several make it a group."""
        chat = self._chat
        if chat is None:
            return
        characters, groups = self._session.workspace.characters, self._session.workspace.groups

        def go_on(ids: list[int], _title: str, _greetings: str) -> None:
            self._session.act(lambda: groups.replace_gone(chat.id, ids))

        def show(heads: list[CharacterHead]) -> None:
            self._ask(heads, go_on)

        self._session.background.read(characters.heads, show, owner=self)

    def _ask(self, heads: list[CharacterHead], then: Callable[[list[int], str, str], None]) -> None:
        from memdesk.ui.dialogs.choose_members import (  # noqa: PLC0415 — the first window does not wait
            ChooseMembersDialog,
        )

        dialog = ChooseMembersDialog(heads, self._pictures, self._window, begin=False)
        dialog.setWindowTitle(self.tr("Choose another character"))
        dialog.chosen.connect(then)
        self._openers.open(dialog)
