"""The other ways in which a character may begin a chat: add, write, move, remove."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from memdesk.ui.dialogs.pieces import Field, TextBox, column, push_button, row, tool_button


class GreetingsEditor(QWidget):
    """A column of texts in an order that matters: they become the swipes of a chat's first message.

    With `group`, they are those that only a chat of several characters begins with.
    """

    edited = Signal()

    def __init__(self, parent: QWidget | None = None, *, group: bool = False) -> None:
        super().__init__(parent)
        self._group = group
        self._rows: list[_Greeting] = []
        self._column = column(spacing=12)
        add = self.tr("Add group greeting") if group else self.tr("Add alternate greeting")
        self._add_button = push_button(add, parent=self)
        self._add_button.clicked.connect(self._add_empty)
        layout = column(parent=self, spacing=8)
        layout.addLayout(self._column)
        layout.addWidget(self._add_button, 0, Qt.AlignmentFlag.AlignLeft)

    def texts(self) -> list[str]:
        """Return the greetings in their order, blank ones left out."""
        return [item.box.text() for item in self._rows if item.box.text().strip()]

    def set_texts(self, texts: Sequence[str]) -> None:
        """Show these greetings."""
        for item in list(self._rows):
            self._drop(item)
        for text in texts:
            self._append(text)

    def fields(self) -> list[Field]:
        """Return the fields in their order."""
        return [item.field for item in self._rows]

    def _add_empty(self) -> None:
        self._append("").box.setFocus()
        self.edited.emit()

    def _append(self, text: str) -> _Greeting:
        item = _Greeting(text, self, group=self._group)
        item.box.textChanged.connect(self.edited)
        item.up.clicked.connect(lambda: self._move(item, -1))
        item.down.clicked.connect(lambda: self._move(item, 1))
        item.remove.clicked.connect(lambda: self._remove(item))
        self._rows.append(item)
        self._column.addWidget(item)
        item.show()
        self._number()
        return item

    def _move(self, item: _Greeting, step: int) -> None:
        place = self._rows.index(item) + step
        if not 0 <= place < len(self._rows):
            return
        self._rows.remove(item)
        self._rows.insert(place, item)
        self._column.removeWidget(item)
        self._column.insertWidget(place, item)
        self._number()
        button = item.up if step < 0 else item.down
        (button if button.isEnabled() else item.box).setFocus()
        self.edited.emit()

    def _remove(self, item: _Greeting) -> None:
        place = self._rows.index(item)
        self._drop(item)
        self._number()
        if self._rows:
            self._rows[min(place, len(self._rows) - 1)].box.setFocus()
        else:
            self._add_button.setFocus()
        self.edited.emit()

    def _drop(self, item: _Greeting) -> None:
        self._rows.remove(item)
        self._column.removeWidget(item)
        item.hide()
        item.deleteLater()

    def _number(self) -> None:
        for place, item in enumerate(self._rows):
            item.number(place + 1, len(self._rows))


class _Greeting(QWidget):
    def __init__(self, text: str, parent: QWidget, *, group: bool) -> None:
        super().__init__(parent)
        self._group = group
        self.box = TextBox(4)
        self.box.setPlainText(text)
        self.up = tool_button("chevron-up", "")
        self.down = tool_button("chevron-down", "")
        self.remove = tool_button("trash", "")
        buttons = QWidget()
        side = column(self.up, self.down, self.remove, parent=buttons, spacing=0)
        side.addStretch(1)
        self.field = Field("", self.box, "", buttons)
        self.setLayout(row(self.field))

    def number(self, place: int, count: int) -> None:
        """Name everything by its place in the order."""
        if self._group:
            title = self.tr("Group greeting {number}")
            words = (
                self.tr("Move group greeting {number} up"),
                self.tr("Move group greeting {number} down"),
                self.tr("Remove group greeting {number}"),
            )
        else:
            title = self.tr("Alternate greeting {number}")
            words = (
                self.tr("Move greeting {number} up"),
                self.tr("Move greeting {number} down"),
                self.tr("Remove greeting {number}"),
            )
        self.field.set_title(title.format(number=place))
        for button, name in zip((self.up, self.down, self.remove), words, strict=True):
            button.setToolTip(name.format(number=place))
            button.setAccessibleName(name.format(number=place))
        self.up.setEnabled(place > 1)
        self.down.setEnabled(place < count)
