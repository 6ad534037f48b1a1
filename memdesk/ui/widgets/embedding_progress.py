"""How far embedding the memories of a chat has come."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QWidget

from memdesk.ui.dialogs.pieces import plain_label, tool_button


class EmbeddingProgress(QWidget):
    """A thin bar with its words; hidden while nothing waits."""

    stopRequested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = plain_label("", "small", wrap=False)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setFixedHeight(4)
        self._bar.setAccessibleName(self.tr("Embedding"))
        self.setToolTip(
            self.tr("Memories of this chat that have their vector. The rest follow in the background.")
        )
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._words)
        layout.addWidget(self._bar, 1)
        self._stop = tool_button("close", self.tr("Stop making memories"), self)
        self._stop.setToolTip(self.tr("Stop; the memories are then what they were before."))
        self._stop.clicked.connect(self.stopRequested)
        self._stop.setVisible(False)
        layout.addWidget(self._stop)
        self.show_progress(0, 0, waiting=False)

    def show_making(self, done: int, total: int, *, can_stop: bool) -> None:
        """Say how many messages of how many have become memories."""
        self.setVisible(True)
        self._stop.setVisible(can_stop)
        number = self.locale().toString
        # An empty range moves: nothing is known yet.
        self._bar.setRange(0, total)
        self._bar.setValue(done)
        self._words.setText(
            self.tr("making memories: {0} of {1} messages").format(number(done), number(total))
            if total
            else self.tr("making memories")
        )

    def show_progress(self, done: int, total: int, *, waiting: bool, can_stop: bool = False) -> None:
        """Say how many memories of how many have their vector."""
        self.setVisible(waiting)
        self._stop.setVisible(can_stop)
        if waiting:
            number = self.locale().toString
            self._bar.setRange(0, total)
            self._bar.setValue(done)
            self._words.setText(self.tr("embedding {0} of {1}").format(number(done), number(total)))
