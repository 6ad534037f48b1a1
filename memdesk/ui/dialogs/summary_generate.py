"""Which messages a model is to summarise: the newest, or one range or several."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QLabel, QLineEdit, QRadioButton, QWidget

from memdesk.ui.dialogs.number_edit import NumberEdit
from memdesk.ui.dialogs.pieces import (
    Field,
    Notice,
    column,
    fit,
    plain_label,
    push_button,
    row,
    scrolled,
    set_tone,
    tool_button,
)

LARGEST = 500
"""Most messages in one range (Marinara Engine's limit)."""

FEWEST, DEFAULT = 5, 50


def range_problem(first: str, last: str, count: int) -> str:
    """Return what is wrong with a range: `missing`, `invalid`, `outside`, `too_large`, or "" for nothing."""
    if not first.strip() or not last.strip():
        return "missing"
    try:
        low, high = sorted((int(first), int(last)))
    except ValueError:
        return "invalid"
    if low < 1 or low > count:
        return "outside"
    return "too_large" if min(high, count) - low + 1 > LARGEST else ""


@dataclass(slots=True)
class _Row:
    widget: QWidget
    first: QLineEdit
    last: QLineEdit
    note: QLabel


class GenerateDialog(QDialog):
    """Asks for the messages of one summary or several."""

    chosen = Signal(int, list)
    """How many of the newest, or 0 and a list of (first, last)"""

    def __init__(self, count: int, newest: int, after: int, parent: QWidget | None = None) -> None:
        """Ask in a chat of `count` messages; the first range begins behind the number `after`."""
        super().__init__(parent)
        self._count = count
        self._rows: list[_Row] = []
        self.setWindowTitle(self.tr("Generate a summary"))
        self._by_last = QRadioButton(self.tr("The newest messages"), self)
        self._by_range = QRadioButton(self.tr("Ranges of messages, a summary for each"), self)
        for button in (self._by_last, self._by_range):
            button.setAccessibleName(button.text())
            button.setMinimumHeight(28)
        self._newest = NumberEdit(LARGEST, self)
        self._newest.set_value(newest)
        self._newest.setMinimumHeight(28)
        self._newest_field = Field(
            self.tr("How many"),
            self._newest,
            self.tr("Hidden messages are not counted. What a summary has hidden is not read again."),
        )
        self._overlap = Notice("info")
        self._add = push_button(self.tr("Add a range"), "quiet", self)
        self._add.clicked.connect(self._add_next)
        holder = QWidget()
        self._column = column(spacing=4, parent=holder)
        self._column.addStretch(1)
        self._area = scrolled(holder, self.tr("Ranges"))
        words = plain_label(
            self.tr(
                "The model gets a request of its own, with these messages and the template, not the prompt "
                "of the chat. You can go on meanwhile."
            ),
            "soft",
        )
        cancel = push_button(self.tr("Cancel"), parent=self)
        cancel.clicked.connect(self.reject)
        self._go = push_button(self.tr("Generate"), "primary", self)
        self._go.setDefault(True)
        self._go.clicked.connect(self._accept)
        buttons = row()
        buttons.addStretch(1)
        buttons.addWidget(cancel)
        buttons.addWidget(self._go)
        layout = column(
            words,
            self._by_last,
            self._newest_field,
            self._by_range,
            self._area,
            self._overlap,
            parent=self,
            spacing=8,
        )
        layout.addWidget(self._add)
        layout.addStretch(1)
        layout.addLayout(buttons)
        layout.setContentsMargins(16, 16, 16, 16)
        first = after + 1 if after < count else max(1, count - DEFAULT + 1)
        self._add_row(first, min(count, first + DEFAULT - 1))
        self._by_last.toggled.connect(self._show)
        self._by_last.setChecked(True)
        self._show()
        fit(self, 440, 460)

    def _add_next(self) -> None:
        """Propose the next window of the same size, cut at the end of the chat."""
        size, last = DEFAULT, 0
        if self._rows and not self._problem(self._rows[-1]):
            first, last = self._range(self._rows[-1])
            size = last - first + 1
        first = last + 1 if last < self._count else max(1, self._count - size + 1)
        self._add_row(first, min(self._count, first + size - 1))
        self._rows[-1].first.setFocus()

    def _add_row(self, first: int, last: int) -> None:
        holder = QWidget()
        place = self.locale().toString(len(self._rows) + 1)
        begin, end = QLineEdit(str(first)), QLineEdit(str(last))
        begin.setAccessibleName(self.tr("First message of range {0}").format(place))
        end.setAccessibleName(self.tr("Last message of range {0}").format(place))
        note = plain_label("", "bad")
        made = _Row(holder, begin, end, note)
        drop = tool_button("close", self.tr("Remove range {0}").format(place))
        drop.clicked.connect(lambda: self._drop(made))
        fields = row(begin, plain_label("–", wrap=False), end, drop, spacing=6)
        for field in (begin, end):
            field.setMinimumHeight(28)
            field.setMaxLength(12)
            field.textChanged.connect(self._show)
        whole = column(spacing=2, parent=holder)
        whole.addLayout(fields)
        whole.addWidget(note)
        self._rows.append(made)
        self._column.insertWidget(self._column.count() - 1, holder)
        self._show()

    def _drop(self, gone: _Row) -> None:
        if len(self._rows) > 1:
            self._rows.remove(gone)
            self._column.removeWidget(gone.widget)
            gone.widget.hide()
            gone.widget.deleteLater()
            self._show()

    def _problem(self, item: _Row) -> str:
        return range_problem(item.first.text(), item.last.text(), self._count)

    def _range(self, item: _Row) -> tuple[int, int]:
        first, last = sorted((int(item.first.text()), int(item.last.text())))
        return first, min(last, self._count)

    def _show(self) -> None:
        ranges = self._by_range.isChecked()
        self._newest_field.setVisible(not ranges)
        self._area.setVisible(ranges)
        self._add.setVisible(ranges)
        number = self.locale().toString
        words = {
            "": "",
            "missing": self.tr("Both numbers are needed."),
            "invalid": self.tr("Messages are numbered from 1 on."),
            "outside": self.tr("This chat has the messages 1 to {0}.").format(number(self._count)),
            "too_large": self.tr("At most {0} messages at a time.").format(number(LARGEST)),
        }
        good = []
        for item in self._rows:
            problem = self._problem(item)
            item.note.setText(words[problem])
            item.note.setVisible(bool(problem))
            set_tone(item.note, "bad")
            item.first.setAccessibleDescription(words[problem])
            if not problem:
                good.append(self._range(item))
        good.sort()
        crossed = any(later[0] <= earlier[1] for earlier, later in itertools.pairwise(good))
        self._overlap.say(self.tr("Some ranges overlap. That is allowed.") if ranges and crossed else "")
        self._go.setEnabled(not ranges or len(good) == len(self._rows))

    def _accept(self) -> None:
        if self._by_range.isChecked():
            self.chosen.emit(0, [self._range(item) for item in self._rows])
        else:
            self.chosen.emit(max(FEWEST, self._newest.value()), [])
        self.accept()
