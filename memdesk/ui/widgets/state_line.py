"""How a reply came to its end when it did not end well, with Retry; its technical side is folded away."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from memdesk.chats.model import SwipeState
from memdesk.ui.icons import icon
from memdesk.ui.sentences import headline
from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.once import OncePushButton

MOST = 500
"""Characters of a sentence that are shown; of its details, four times as many."""


class StateLine(QWidget):
    """What happened and what to do about it; below, when asked for, what the system or the server said."""

    retryRequested = Signal()
    heightChanged = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._label = self._words("bad")
        self._detail = self._words("soft")
        self._detail.hide()
        self._retry = OncePushButton(icon("regenerate", "accent"), self.tr("Retry"), self)
        self._retry.setProperty("kind", "quiet")
        self._retry.setAccessibleName(self.tr("Retry"))
        self._retry.clicked.connect(self.retryRequested)
        self._fold = QToolButton(self)
        self._fold.setText(self.tr("Details"))
        self._fold.setAccessibleName(self.tr("Details"))
        self._fold.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._fold.setFont(current_theme().font("small"))
        self._fold.setCheckable(True)
        self._fold.toggled.connect(self._unfold)
        # Only a person's click moves what is below; a new state is laid out with its message.
        self._fold.clicked.connect(self.heightChanged)
        self._fold.hide()
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._label, 0)
        row.addWidget(self._fold, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._retry, 0, Qt.AlignmentFlag.AlignTop)
        row.addStretch(1)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(4)
        box.addLayout(row)
        box.addWidget(self._detail)

    def _words(self, tone: str) -> QLabel:
        label = QLabel(self)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        label.setFont(current_theme().font("small"))
        label.setProperty("tone", tone)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        return label

    def setState(self, state: SwipeState, error: str) -> None:
        """Show a state other than DONE and STREAMING."""
        sentence, detail = headline(error) if state == SwipeState.FAILED else ("", "")
        words = {
            SwipeState.STOPPED: self.tr("Stopped here. What was written is kept."),
            SwipeState.INTERRUPTED: self.tr("memdesk was closed while this was being written."),
            SwipeState.FAILED: self.tr("The reply failed: {error}").format(
                error=sentence[:MOST] or self.tr("no reason was given")
            ),
        }[state]
        tone = "bad" if state == SwipeState.FAILED else "soft"
        if self._label.property("tone") != tone:
            self._label.setProperty("tone", tone)
            self._label.style().polish(self._label)
        self._label.setText(words)
        self._label.setAccessibleName(words)
        if detail[: MOST * 4] != self._detail.text():
            self._detail.setText(detail[: MOST * 4])
            self._fold.setChecked(False)
        self._fold.setVisible(bool(detail))
        self._unfold(self._fold.isChecked())

    def _unfold(self, shown: bool) -> None:
        self._fold.setIcon(icon("chevron-down" if shown else "right"))
        self._detail.setVisible(shown and bool(self._detail.text()))

    def height_for(self, width: int) -> int:
        """Return the height in a column of `width` pixels."""
        beside = [self._retry] if self._fold.isHidden() else [self._retry, self._fold]
        words = max(40, width - sum(button.sizeHint().width() + 8 for button in beside))
        one_line = self._label.fontMetrics().horizontalAdvance(self._label.text()) + 4
        self._label.setFixedWidth(min(words, one_line))
        height = max(28, self._label.heightForWidth(min(words, one_line)))
        if not self._detail.isHidden():
            self._detail.setFixedWidth(width)
            height += 4 + self._detail.heightForWidth(width)
        return height
