"""How far a long piece of work is: what it is, a bar, the time it will still take, and Stop."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QProgressBar, QWidget

from memdesk.ui.dialogs.pieces import column, plain_label, row, tool_button

FEWEST = 1
"""Steps that must be done before the rest can be guessed."""


class WorkBar(QWidget):
    """Hidden while nothing runs."""

    stopRequested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = plain_label("", "soft")
        self._bar = QProgressBar(self)
        self._bar.setTextVisible(False)
        self._bar.setFixedHeight(6)
        self._stop = tool_button("stop", self.tr("Stop"))
        self._stop.clicked.connect(self.stopRequested)
        head = row(self._words, self._stop, spacing=4)
        head.setStretch(0, 1)
        layout = column(parent=self, spacing=2)
        layout.addLayout(head)
        layout.addWidget(self._bar)
        self.hide()

    def show_work(self, title: str, done: int, total: int, seconds: float, *, stopping: bool = False) -> None:
        """Show how far it is; `seconds` is how long it has run. With a total below 2 nobody knows."""
        words = [title]
        if total > 1:
            number = self.locale().toString
            words.append(self.tr("{0} of {1} done").format(number(done), number(total)))
            if FEWEST <= done < total:
                words.append(self._left(seconds / done * (total - done)))
        if stopping:
            words = [title, self.tr("stopping…")]
        self._words.setText(" · ".join(words))
        self._bar.setAccessibleName(title)
        self._bar.setRange(0, total if total > 1 else 0)
        self._bar.setValue(done)
        self._stop.setEnabled(not stopping)
        self.show()

    def _left(self, seconds: float) -> str:
        if seconds < 90:
            return self.tr("about {0} s left").format(self.locale().toString(max(1, round(seconds))))
        return self.tr("about {0} min left").format(self.locale().toString(round(seconds / 60)))
