"""Which messages the model shall not see, or see again."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QSpinBox, QWidget

from memdesk.ui.dialogs.pieces import Field, column, fit, plain_label, push_button, row


class HideRangeDialog(QDialog):
    """Asks for the first and the last message."""

    chosen = Signal(int, int, bool)
    """first and last number, and whether they are hidden from now on"""

    def __init__(self, count: int, last: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Hide messages from the model"))
        self._first = self._number(count, 1)
        self._last = self._number(count, last)
        # The two never cross: a range has an order.
        self._first.valueChanged.connect(self._last.setMinimum)
        self._last.valueChanged.connect(self._first.setMaximum)
        self._first.setMaximum(last)
        fields = row()
        fields.addWidget(Field(self.tr("First message"), self._first))
        fields.addWidget(Field(self.tr("Last message"), self._last))
        words = plain_label(
            self.tr("Hidden messages stay in the chat and are not sent. Their memories are kept."), "soft"
        )
        words.setWordWrap(True)
        cancel = push_button(self.tr("Cancel"), parent=self)
        cancel.setAutoDefault(False)
        cancel.clicked.connect(self.reject)
        show = push_button(self.tr("Show again"), parent=self)
        show.setAutoDefault(False)
        show.clicked.connect(lambda: self._choose(hidden=False))
        hide = push_button(self.tr("Hide"), "primary", self)
        hide.setDefault(True)
        hide.clicked.connect(lambda: self._choose(hidden=True))
        buttons = row()
        buttons.addStretch(1)
        for button in (cancel, show, hide):
            buttons.addWidget(button)
        layout = column(words, parent=self)
        layout.addLayout(fields)
        layout.addStretch(1)
        layout.addLayout(buttons)
        layout.setContentsMargins(16, 16, 16, 16)
        fit(self, 420, 200)
        self._first.setFocus()
        self._first.selectAll()

    def _number(self, count: int, value: int) -> QSpinBox:
        box = QSpinBox(self)
        box.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
        box.setRange(1, count)
        box.setValue(value)
        return box

    def _choose(self, *, hidden: bool) -> None:
        self.chosen.emit(self._first.value(), self._last.value(), hidden)
        self.accept()
