"""Rows of the inspector: a painted line that opens what it stands for, made only when it is opened.

FoldRow(RowWords("Description", "~310"), body=lambda: TextBody(text))
TextBody(text, mono=True, actions=[…])         a text to read, with what can be done with it
Batches(makers, first=100)                     many rows, some at a time
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QGuiApplication, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from memdesk.prompt.parts import Part
from memdesk.ui.dialogs.pieces import plain_label
from memdesk.ui.icons import draw_icon
from memdesk.ui.roleplay_text import clean
from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.memory_card import paint_score_bar
from memdesk.ui.widgets.plain_text import PlainTextEdit

SHOWN_CHARACTERS = 20_000
"""Of a longer text the beginning is shown; copying takes all of it."""

SHOWN_LINES = 14

_PAD, _CHEVRON, _DOT = 8, 14, 8


@dataclass(frozen=True, slots=True)
class RowWords:
    """What a row says: a title, a number at its right, a soft line below, and for what was ranked a score."""

    title: str
    aside: str = ""
    line: str = ""
    source: str = ""
    """A prompt source whose dot stands before the title"""
    begins: str = ""
    """The first words of the text, soft behind the title"""
    strong: bool = False
    tone: str = "text_soft"
    """The colour of the soft line"""
    part: Part | None = None
    scores: str = ""
    tip: str = ""

    def spoken(self) -> str:
        """Return the row for a screen reader."""
        return ", ".join(
            words for words in (self.title, self.begins, self.aside, self.line, self.scores) if words
        )


class RowHead(QAbstractButton):
    """The painted line of a row; pressed in while its body is open."""

    def __init__(self, words: RowWords, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self.setCheckable(True)
        self.setText(words.title)
        self.setAccessibleName(words.spoken())
        self.setToolTip(words.tip)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def words(self) -> RowWords:
        """Return what the row says."""
        return self._words

    def _ranked(self) -> bool:
        return self._words.part is not None and self._words.part.score is not None

    def sizeHint(self) -> QSize:
        small = QFontMetrics(current_theme().font("small")).height() + 2
        lines = bool(self._words.line) + (1 + len(self._score_lines()) if self._ranked() else 0)
        return QSize(200, 28 + lines * small + (6 if lines else 0))

    def _score_lines(self) -> list[str]:
        """Return the parts of the score on as many lines as they need at this width."""
        metrics = QFontMetrics(current_theme().font("small"))
        room = self.width() - 2 * _PAD - _CHEVRON - 4
        lines: list[str] = []
        for part in self._words.scores.split(" · "):
            longer = f"{lines[-1]} · {part}" if lines else part
            if lines and metrics.horizontalAdvance(longer) <= room:
                lines[-1] = longer
            else:
                lines.append(part)
        return lines

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._ranked():
            self.updateGeometry()

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, words = current_theme(), self._words
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        frame = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        if self.underMouse() or self.hasFocus():
            painter.setPen(QPen(theme.color("accent"), 1) if self.hasFocus() else Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("accent_soft") if self.underMouse() else Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(frame, theme.radius("control"), theme.radius("control"))
        left, right = float(_PAD), self.width() - float(_PAD)
        name = "chevron-down" if self.isChecked() else "right"
        draw_icon(painter, name, QRectF(left, 8, 12, 12), theme.hex("text_soft"))
        left += _CHEVRON + 4
        indent = left
        if words.source:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.context_color(words.source))
            painter.drawEllipse(QRectF(left, 14 - _DOT / 2, _DOT, _DOT))
            left += _DOT + 7
        painter.setFont(theme.font("small"))
        aside = painter.fontMetrics().horizontalAdvance(words.aside)
        self._line(painter, QRectF(right - aside, 0, aside + 1, 28), words.aside, "text_soft")
        painter.setFont(theme.font("strong" if words.strong else "ui"))
        room = right - aside - 10 - left
        self._line(painter, QRectF(left, 0, room, 28), words.title, "text")
        if words.begins:
            title = painter.fontMetrics().horizontalAdvance(words.title) + 8
            self._line(painter, QRectF(left + title, 0, room - title, 28), words.begins, "text_soft")
        painter.setFont(theme.font("small"))
        self._paint_below(painter, indent, right)
        painter.end()

    def _paint_below(self, painter: QPainter, left: float, right: float) -> None:
        words, part = self._words, self._words.part
        step, top = painter.fontMetrics().height() + 2, 25.0
        if words.line:
            self._line(painter, QRectF(left, top, right - left, step), words.line, words.tone)
            top += step
        if part is not None and part.score is not None:
            value = f"{part.score:.2f}"
            width = painter.fontMetrics().horizontalAdvance(value)
            bar = QRectF(left, top + step / 2 - 2, right - left - width - 8, 5)
            paint_score_bar(painter, bar, part)
            self._line(painter, QRectF(right - width, top, width + 1, step), value, "text")
            for scores in self._score_lines():
                top += step
                self._line(painter, QRectF(left, top, right - left, step), scores, "text_soft")

    @staticmethod
    def _line(painter: QPainter, place: QRectF, text: str, role: str) -> None:
        painter.setPen(current_theme().color(role))
        if place.width() <= 0:
            return
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(place.width()) + 1)
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, shown)


class FoldRow(QWidget):
    """A row and, below it while it is open, its body; `beside` are small buttons at its right."""

    def __init__(
        self,
        words: RowWords,
        body: Callable[[], QWidget],
        *,
        opened: bool = False,
        indent: int = 0,
        beside: Sequence[QWidget] = (),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._make = body
        self._body: QWidget | None = None
        self._indent = indent
        self.head = RowHead(words)
        line = QHBoxLayout()
        line.setSpacing(2)
        line.addWidget(self.head, 1)
        for widget in beside:
            line.addWidget(widget, 0, Qt.AlignmentFlag.AlignTop)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(2)
        self._column.addLayout(line)
        self.head.toggled.connect(self._toggle)
        self.head.setChecked(opened)

    def body(self) -> QWidget | None:
        """Return the body, None while it was never opened."""
        return self._body

    def _toggle(self, opened: bool) -> None:
        if self._body is None and opened:
            self._body = self._make()
            held = QHBoxLayout()
            held.setContentsMargins(self._indent, 0, 0, 6)
            held.addWidget(self._body)
            self._column.addLayout(held)
        if self._body is not None:
            self._body.setVisible(opened)


class _Reader(PlainTextEdit):
    """Plain text as high as it needs, up to some lines; then it scrolls."""

    def __init__(self, text: str, *, mono: bool) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setFont(current_theme().font("mono" if mono else "ui"))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMinimumWidth(60)
        self.setPlainText(text)
        self._fit()

    def _fit(self) -> None:
        # A plain text document counts its height in lines.
        lines = min(SHOWN_LINES, max(1, round(self.document().size().height())))
        frame = 2 * self.document().documentMargin() + 12
        height = round(lines * self.fontMetrics().lineSpacing() + frame)
        if height != self.height() or self.minimumHeight() != height:
            self.setFixedHeight(height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()


class TextBody(QWidget):
    """A text to read and copy, with further actions beside: (words, act)."""

    def __init__(
        self,
        text: str,
        name: str,
        *,
        mono: bool = False,
        actions: Sequence[tuple[str, Callable[[], None]]] = (),
    ) -> None:
        super().__init__()
        self._text = text
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(2)
        self.reader = _Reader(clean(text[:SHOWN_CHARACTERS]), mono=mono)
        self.reader.setAccessibleName(name)
        self._column.addWidget(self.reader)
        if len(text) > SHOWN_CHARACTERS:
            number = self.locale().toString
            words = self.tr("The first {0} of {1} characters are shown; Copy takes all of them.")
            cut = words.format(number(SHOWN_CHARACTERS), number(len(text)))
            self._column.addWidget(plain_label(cut, "small"))
        self._add_actions([(self.tr("Copy"), self.copy), *actions])

    def _add_actions(self, actions: Sequence[tuple[str, Callable[[], None]]]) -> None:
        line = QHBoxLayout()
        line.setSpacing(4)
        for words, act in actions:
            button = QPushButton(words)
            button.setProperty("kind", "quiet")
            button.setAccessibleName(words)
            button.clicked.connect(lambda _checked, act=act: act())
            line.addWidget(button)
        line.addStretch(1)
        self._column.addLayout(line)

    def copy(self) -> None:
        """Copy the whole text."""
        QGuiApplication.clipboard().setText(self._text)


class Batches(QWidget):
    """Rows that are made some at a time; a button makes the next ones."""

    STEP = 100

    def __init__(self, makers: Sequence[Callable[[], QWidget]], *, first: int = STEP) -> None:
        super().__init__()
        self._makers = makers
        self._made = 0
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(2)
        self._more = QPushButton()
        self._more.setProperty("kind", "quiet")
        self._more.clicked.connect(lambda: self._add(self.STEP))
        self._column.addWidget(self._more, 0, Qt.AlignmentFlag.AlignLeft)
        self._add(first)

    def _add(self, count: int) -> None:
        for make in self._makers[self._made : self._made + count]:
            self._column.insertWidget(self._column.count() - 1, make())
        self._made = min(len(self._makers), self._made + count)
        left = len(self._makers) - self._made
        words = self.tr("Show {0} more").format(self.locale().toString(min(left, self.STEP)))
        self._more.setText(words)
        self._more.setAccessibleName(words)
        self._more.setVisible(left > 0)
