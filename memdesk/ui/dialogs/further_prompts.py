"""The further prompts of a preset: a list to switch on and off, and one of them to edit."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLineEdit, QListWidget, QListWidgetItem, QWidget

from memdesk.chats.text import clean, one_line
from memdesk.prompt.parts import Placement
from memdesk.prompt.presets import MAX_PROMPTS, FurtherPrompt
from memdesk.ui.dialogs.pieces import Field, TextBox, column, row, tool_button, write_text
from memdesk.ui.dialogs.placement_row import PlacementRow

DATA = Qt.ItemDataRole.UserRole


class FurtherPrompts(QWidget):
    """Edits a list of prompts; their order counts where they stand at one place."""

    edited = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._list = QListWidget(self)
        self._list.setAccessibleName(self.tr("Further prompts"))
        self._list.setMinimumHeight(120)
        self._add = tool_button("plus", self.tr("Add prompt"), self)
        self._up = tool_button("chevron-up", self.tr("Move prompt up"), self)
        self._down = tool_button("chevron-down", self.tr("Move prompt down"), self)
        self._remove = tool_button("trash", self.tr("Remove prompt"), self)
        self._add.clicked.connect(self._new)
        self._up.clicked.connect(lambda: self._move(-1))
        self._down.clicked.connect(lambda: self._move(1))
        self._remove.clicked.connect(self._drop)
        self._name = QLineEdit()
        self._name.setMaxLength(200)
        self._text = TextBox(5)
        self._place = PlacementRow(self)
        self._page = QWidget(self)
        page = column(
            Field(self.tr("Name of the prompt"), self._name),
            Field(self.tr("Text of the prompt"), self._text),
            self._place,
            parent=self._page,
        )
        page.setContentsMargins(0, 0, 0, 0)
        tools = row(self._add, self._up, self._down, self._remove, spacing=4)
        tools.addStretch(1)
        layout = column(self._list, parent=self, spacing=8)
        layout.addLayout(tools)
        layout.addWidget(self._page)
        self._showing = False
        self._list.currentItemChanged.connect(lambda *_: self._show())
        self._list.itemChanged.connect(lambda _: self._tell())
        self._name.textEdited.connect(lambda _: self._take())
        self._text.textChanged.connect(self._take)
        self._place.edited.connect(self._take)
        self._show()

    def show_prompts(self, prompts: Sequence[FurtherPrompt]) -> None:
        """Show prompts in their order."""
        self._showing = True
        self._list.clear()
        for prompt in prompts:
            self._insert(prompt, self._list.count())
        self._list.setCurrentRow(0 if prompts else -1)
        self._showing = False
        self._show()

    def prompts(self) -> list[FurtherPrompt]:
        """Return the prompts as they stand."""
        items = [self._list.item(place) for place in range(self._list.count())]
        return [
            item.data(DATA).model_copy(update={"enabled": item.checkState() is Qt.CheckState.Checked})
            for item in items
        ]

    def _insert(self, prompt: FurtherPrompt, place: int) -> QListWidgetItem:
        item = QListWidgetItem()
        item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
        item.setCheckState(Qt.CheckState.Checked if prompt.enabled else Qt.CheckState.Unchecked)
        self._write(item, prompt)
        self._list.insertItem(place, item)
        return item

    def _write(self, item: QListWidgetItem, prompt: FurtherPrompt) -> None:
        item.setData(DATA, prompt)
        item.setText(one_line(prompt.name or prompt.text, 60) or self.tr("(no name)"))

    def _show(self) -> None:
        item, place = self._list.currentItem(), self._list.currentRow()
        if self._showing:
            return
        self._page.setVisible(place >= 0)
        self._remove.setEnabled(place >= 0)
        self._up.setEnabled(place > 0)
        self._down.setEnabled(0 <= place < self._list.count() - 1)
        self._add.setEnabled(self._list.count() < MAX_PROMPTS)
        if place < 0:
            return
        prompt = item.data(DATA)
        self._showing = True
        write_text(self._name, prompt.name)
        write_text(self._text, prompt.text)
        self._place.show_placement(Placement(prompt.where, prompt.depth, prompt.role))
        self._showing = False

    def _take(self) -> None:
        item = self._list.currentItem()
        if self._showing or self._list.currentRow() < 0:
            return
        place = self._place.placement()
        self._showing = True
        self._write(
            item,
            FurtherPrompt(
                name=clean(self._name.text()),
                text=clean(self._text.text()),
                where=place.where,
                depth=place.depth,
                role=place.role,
            ),
        )
        self._showing = False
        self._tell()

    def _tell(self) -> None:
        if not self._showing:
            self.edited.emit()

    def _new(self) -> None:
        self._insert(FurtherPrompt(name=self.tr("New prompt")), self._list.count())
        self._list.setCurrentRow(self._list.count() - 1)
        self._name.setFocus()
        self._name.selectAll()
        self._tell()

    def _move(self, by: int) -> None:
        place = self._list.currentRow()
        self._showing = True
        item = self._list.takeItem(place)
        self._list.insertItem(place + by, item)
        self._showing = False
        self._list.setCurrentRow(place + by)
        self._show()
        self._tell()

    def _drop(self) -> None:
        self._list.takeItem(self._list.currentRow())
        self._show()
        self._tell()
