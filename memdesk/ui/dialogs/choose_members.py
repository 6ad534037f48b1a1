"""Whom a group chat begins with, or who joins one: a list of characters to tick."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QIcon, QMouseEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QDialog, QLineEdit, QListWidget, QListWidgetItem, QWidget

from memdesk.chats.groups import GREETINGS
from memdesk.chats.model import CharacterHead
from memdesk.chats.text import one_line
from memdesk.ui.dialogs.pieces import CalmComboBox, Field, Notice, column, fit, plain_label, push_button, row
from memdesk.ui.pictures import Pictures
from memdesk.ui.widgets.group_face import group_face

_ID = Qt.ItemDataRole.UserRole
FACE = 28


def turn(item: QListWidgetItem) -> None:
    """Tick what is not ticked, and the other way round."""
    ticked = item.checkState() == Qt.CheckState.Checked
    item.setCheckState(Qt.CheckState.Unchecked if ticked else Qt.CheckState.Checked)


class _TickList(QListWidget):
    """A list in which a click anywhere on a row ticks it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._pressed: tuple[QListWidgetItem, Qt.CheckState] | None = None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        item = self.itemAt(event.position().toPoint())
        left = event.button() == Qt.MouseButton.LeftButton
        self._pressed = (item, item.checkState()) if item is not None and left else None
        super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Take it for two clicks: each of them counts."""
        self.mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        pressed, self._pressed = self._pressed, None
        item = self.itemAt(event.position().toPoint())
        # A click on the box itself has turned it already.
        if pressed is not None and item is pressed[0] and item.checkState() == pressed[1]:
            turn(item)


class ChooseMembersDialog(QDialog):
    """Asks for characters; with `begin`, also for what a new group is called and who greets."""

    chosen = Signal(list, str, str)
    """character ids in the order they were ticked, title, greetings (`all`, `first`, `none`)"""

    def __init__(
        self,
        characters: Sequence[CharacterHead],
        pictures: Pictures,
        parent: QWidget | None = None,
        *,
        begin: bool = True,
        ticked: Sequence[int] = (),
    ) -> None:
        super().__init__(parent)
        self._pictures = pictures
        self._least = 2 if begin else 1
        self._order = list(ticked)
        self._names = {item.id: one_line(item.name, 60) or self.tr("No name") for item in characters}
        self._faces = {item.id: item for item in characters}
        self.setWindowTitle(self.tr("New group chat") if begin else self.tr("Add members"))
        self._search = QLineEdit(self)
        self._search.setPlaceholderText(self.tr("Search"))
        self._search.setAccessibleName(self.tr("Search characters"))
        self._search.setClearButtonEnabled(True)
        self._search.textChanged.connect(self._filter)
        self._list = _TickList(self)
        self._list.setAccessibleName(self.tr("Characters"))
        self._list.setIconSize(QSize(FACE, FACE))
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self._fill(characters)
        self._list.itemChanged.connect(self._ticked)
        self._list.itemActivated.connect(turn)
        self._who = plain_label("", "small")
        self._title = QLineEdit(self)
        self._title.setPlaceholderText(self.tr("The names of the members"))
        self._greetings = CalmComboBox(self)
        for key, words in zip(
            GREETINGS,
            (self.tr("Everyone greets"), self.tr("Only the first greets"), self.tr("Nobody greets")),
            strict=True,
        ):
            self._greetings.addItem(words, key)
        self._notice = Notice("bad")
        self._title_field = Field(self.tr("Title"), self._title)
        self._greetings_field = Field(
            self.tr("Greetings"),
            self._greetings,
            self.tr("Greetings that a card has only for groups come first."),
        )
        self._title_field.setVisible(begin)
        self._greetings_field.setVisible(begin)
        cancel = push_button(self.tr("Cancel"), parent=self)
        cancel.setAutoDefault(False)
        cancel.clicked.connect(self.reject)
        self._save = push_button(self.tr("Begin chat") if begin else self.tr("Add"), "primary", self)
        self._save.setDefault(True)
        self._save.clicked.connect(self._accept)
        buttons = row()
        buttons.addStretch(1)
        buttons.addWidget(cancel)
        buttons.addWidget(self._save)
        empty = plain_label(self.tr("There is nobody to choose. Create or import a character first."), "soft")
        empty.setVisible(not characters)
        layout = column(self._search, empty, parent=self)
        layout.addWidget(self._list, 1)
        for part in (self._who, self._title_field, self._greetings_field, self._notice):
            layout.addWidget(part)
        layout.addLayout(buttons)
        layout.setContentsMargins(16, 16, 16, 16)
        pictures.arrived.connect(self._show_faces)
        self._say_who()
        fit(self, 420, 560)
        self._search.setFocus()

    def _fill(self, characters: Sequence[CharacterHead]) -> None:
        for character in characters:
            item = QListWidgetItem(self._names[character.id])
            item.setData(_ID, character.id)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            ticked = character.id in self._order
            item.setCheckState(Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
            item.setSizeHint(QSize(120, FACE + 8))
            self._list.addItem(item)
        self._list.verticalScrollBar().valueChanged.connect(self._show_faces)

    def _show_faces(self) -> None:
        """Give faces to the rows in sight: of a thousand characters few are."""
        scale = self.devicePixelRatioF()
        edge = round(FACE * scale)
        inside = self._list.viewport().rect()
        self._list.blockSignals(True)
        at = max(0, self._list.indexAt(inside.topLeft()).row())
        while at < self._list.count():
            item = self._list.item(at)
            at += 1
            if item.isHidden():
                continue
            if self._list.visualItemRect(item).top() > inside.bottom():
                break
            character = self._faces[item.data(_ID)]
            face = group_face([(character.name, self._pictures.get(character.avatar))], edge)
            pixmap = QPixmap.fromImage(face)
            pixmap.setDevicePixelRatio(scale)
            item.setIcon(QIcon(pixmap))
        self._list.blockSignals(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give faces to what has come in sight."""
        super().resizeEvent(event)
        QTimer.singleShot(0, self, self._show_faces)

    def _filter(self, needle: str) -> None:
        needle = needle.strip().casefold()
        for place in range(self._list.count()):
            item = self._list.item(place)
            item.setHidden(needle not in item.text().casefold())
        QTimer.singleShot(0, self, self._show_faces)

    def _ticked(self, item: QListWidgetItem) -> None:
        who, ticked = int(item.data(_ID)), item.checkState() == Qt.CheckState.Checked
        if ticked and who not in self._order:
            self._order.append(who)
        elif not ticked and who in self._order:
            self._order.remove(who)
        self._say_who()

    def _say_who(self) -> None:
        names = ", ".join(self._names[who] for who in self._order if who in self._names)
        self._who.setText(one_line(names, 300) if names else self.tr("Nobody is chosen yet."))
        self._notice.say("")

    def _accept(self) -> None:
        if len(self._order) < self._least:
            words = (
                self.tr("A group needs at least two characters: tick one more.")
                if self._least > 1
                else self.tr("Tick who shall join.")
            )
            self._notice.say(words)
            self._list.setFocus()
            return
        self.chosen.emit(list(self._order), self._title.text().strip(), self._greetings.currentData())
        self.accept()
