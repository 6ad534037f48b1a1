"""How a memory looks in the list: measured and painted, without a widget of its own.

painter = CardPainter(model)
painter.height(card, width)          exact, remembered
painter.guess(units, breaks, width)  for many cards at once, without laying out their text
painter.paint(qpainter, rect, card, selected=…, hovered=…, focused=…)
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QPainter,
    QPainterPath,
    QPen,
    QPixmap,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)

from memdesk.chats.text import with_whole_marks
from memdesk.ui.models.memories import LOOKED_AT, Card, MemoryModel
from memdesk.ui.reasons import WEIGHTS
from memdesk.ui.roleplay_text import Run, Style, spans
from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.filter_pill import PILL_HEIGHT, paint_pill, pill_width

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memdesk.prompt.parts import Part

LINES = 6
"""Lines of text that a card shows at most."""

PAD_X, PAD_Y, GAP = 12, 10, 8
"""Inside a card, and below it before the next."""

KEPT_TEXTS = 300
KEPT_HEIGHTS = 5_000
KEPT_PICTURES = 40
"""Some 300 kB each at 100 %."""

LONG_WORD = 12
"""Characters; a longer word is cut before the ellipsis instead of left out."""

PILL_GAP = 6
TITLE_MIN = 96
"""Pixels the title keeps before badges lose their words."""

SCORE_COLORS = {"meaning": "memory", "words": "lore", "neighbour": "summary", "speaker": "databank"}

STATUS_TONES = {"Vectorized": "ok", "Waiting for vector": "wait", "Embedding unavailable": "bad"}


def utf16(text: str) -> int:
    """Return the length of a text as Qt counts it."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def score_shares(part: Part) -> list[tuple[str, float]]:
    """Return (part of the score, its share of the whole bar); the shares add up to the score."""
    raw = [(name, max(0.0, value) * WEIGHTS.get(name, 1.0)) for name, value in part.scores.items()]
    total = sum(value for _, value in raw)
    score = min(1.0, max(0.0, part.score or 0.0))
    return [(name, value / total * score) for name, value in raw] if total else []


@dataclass(frozen=True, slots=True)
class _Text:
    """The laid-out text of a card."""

    layout: QTextLayout
    height: float


@dataclass(frozen=True, slots=True)
class _Picture:
    """A painted card; it holds what it shows, so that no other can get the same identity meanwhile."""

    pixmap: QPixmap
    card: Card
    part: Part | None


class CardPainter:
    """Measures and paints the cards of a model in the colours and fonts of the moment."""

    def __init__(self, model: MemoryModel) -> None:
        self._model = model
        self._texts: OrderedDict[tuple[int, bytes, int], _Text] = OrderedDict()
        self._heights: dict[tuple[int, bytes, int, int], int] = {}
        self._pictures: OrderedDict[tuple[object, ...], _Picture] = OrderedDict()
        self.restyle()

    def restyle(self) -> None:
        """Take fonts and colours of the theme anew and forget what was laid out in the old ones."""
        theme = current_theme()
        self._strong, self._small, self._body = theme.font("strong"), theme.font("small"), theme.font("ui")
        self._small_line = QFontMetrics(self._small).height() + 1
        self._body_line = round(QFontMetrics(self._body).height() * 1.22)
        self._half_em = QFontMetrics(self._body).horizontalAdvance("n" * 20) / 20 * 0.93
        self._texts.clear()
        self._heights.clear()
        self._pictures.clear()

    # ── measure ──────────────────────────────────────────────────────────────────────────────────────

    def reply_height(self, card: Card) -> int:
        """Return how many pixels the lines about the selected reply take."""
        part = self._model.part(card.id)
        if part is None:
            return 0
        lines = (2 if part.score is not None else 0) + (0 if part.included and part.score is not None else 1)
        return 8 + lines * (self._small_line + 3)

    def measured(self) -> set[int]:
        """Return the ids of the cards that were ever measured in the present fonts."""
        return {key[0] for key in self._heights}

    def known_height(self, card: Card, width: int) -> int | None:
        """Return the height of a card that was measured already, with the gap below it."""
        return self._heights.get((card.id, card.chunk.text_hash, width, self.reply_height(card)))

    def height(self, card: Card, width: int) -> int:
        """Return the height of a card of a width, with the gap below it."""
        key = (card.id, card.chunk.text_hash, width, self.reply_height(card))
        found = self._heights.get(key)
        if found is None:
            text = self._text(card, width - 2 * PAD_X)
            found = round(self._frame() + text.height + key[3])
            if len(self._heights) >= KEPT_HEIGHTS:
                self._heights.clear()
            self._heights[key] = found
        return found

    def guess(
        self, units: NDArray[np.int64], breaks: NDArray[np.int64], extras: NDArray[np.int64], width: int
    ) -> NDArray[np.int64]:
        """Return likely heights of many cards, from how long their texts are."""
        per_line = max(1.0, (width - 2 * PAD_X) / self._half_em)
        lines = np.clip(np.ceil(units / per_line) + breaks, 1, LINES)
        return (self._frame() + lines * self._body_line + extras).astype(np.int64)

    def _frame(self) -> int:
        return 2 * PAD_Y + PILL_HEIGHT + self._small_line + 7 + GAP

    def _text(self, card: Card, width: int) -> _Text:
        key = (card.id, card.chunk.text_hash, width)
        found = self._texts.get(key)
        if found is None:
            found = self._lay_out(card.chunk.text, width)
            self._texts[key] = found
            if len(self._texts) > KEPT_TEXTS:
                self._texts.popitem(last=False)
        else:
            self._texts.move_to_end(key)
        return found

    def _lay_out(self, text: str, width: int) -> _Text:
        runs: list[Run] = []
        for block in spans(with_whole_marks(text[:LOOKED_AT])):
            if runs:
                runs.append(Run("\n"))
            runs.extend(block.runs)
        layout, shown = self._lines(runs, width)
        whole = sum(utf16(run.text) for run in runs)
        if shown < whole or len(text) > LOOKED_AT:
            layout = self._cut(runs, layout, width)
        return _Text(layout, layout.lineCount() * self._body_line)

    def _cut(self, runs: list[Run], layout: QTextLayout, width: int) -> QTextLayout:
        """Lay the runs out again, so that the last line ends with an ellipsis."""
        last = layout.lineAt(layout.lineCount() - 1)
        start, end = last.textStart(), last.textStart() + last.textLength()
        units = layout.text().encode("utf-16-le", "surrogatepass")
        line = units[2 * start : 2 * end].decode("utf-16-le", "ignore").rstrip("\u2028 \n")
        metrics = QFontMetrics(self._body)
        # Italics of actions run a little wider than the metrics of the upright font say.
        while line and metrics.horizontalAdvance(line + "…") > width - 6:
            line = line[:-1]
        # Rather a whole word less than half a word, where words are short.
        space = line.rfind(" ")
        if space > 0 and len(line) - space <= LONG_WORD and len(line) < last.textLength():
            line = line[:space]
        keep = len(units[: 2 * start].decode("utf-16-le", "ignore")) + len(line.rstrip())
        cut: list[Run] = []
        for run in runs:
            if keep <= 0:
                break
            cut.append(Run(run.text[:keep], run.style))
            keep -= len(run.text)
        cut.append(Run("…"))
        return self._lines(cut, width)[0]

    def _lines(self, runs: list[Run], width: int) -> tuple[QTextLayout, int]:
        """Return the first lines of the runs, and how much of their text stands in them."""
        text = "".join(run.text for run in runs).replace("\n", "\u2028")
        layout = QTextLayout(text, self._body)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.setFormats(self._formats(runs))
        layout.beginLayout()
        shown = 0
        for at in range(LINES):
            line = layout.createLine()
            if not line.isValid():
                break
            line.setLineWidth(max(1, width))
            line.setPosition(QPointF(0, at * self._body_line + (self._body_line - line.height()) / 2))
            shown = line.textStart() + line.textLength()
        layout.endLayout()
        return layout, shown

    @staticmethod
    def _formats(runs: list[Run]) -> list[QTextLayout.FormatRange]:
        theme = current_theme()
        formats, at = [], 0
        for run in runs:
            length = utf16(run.text)
            if run.style is not Style.PLAIN:
                look = QTextCharFormat()
                if Style.SPEECH in run.style:
                    look.setForeground(theme.color("speech"))
                elif Style.ACTION in run.style:
                    look.setForeground(theme.color("action"))
                if Style.ACTION in run.style:
                    look.setFontItalic(True)
                if Style.STRONG in run.style:
                    look.setFontWeight(QFont.Weight.DemiBold)
                span = QTextLayout.FormatRange()
                span.start, span.length, span.format = at, length, look
                formats.append(span)
            at += length
        return formats

    # ── paint ────────────────────────────────────────────────────────────────────────────────────────

    def paint(
        self, painter: QPainter, rect: QRectF, card: Card, *, selected: bool, hovered: bool, focused: bool
    ) -> None:
        """Paint a card into `rect`, whose height is `height` less the gap below.

        Scrolling paints the same cards again and again, so each is kept as a picture of its present state.
        """
        part = self._model.part(card.id)
        scale = painter.device().devicePixelRatioF()
        size = (round(rect.width()), round(rect.height()))
        state = (
            selected,
            hovered,
            focused and selected,
            scale,
            self._model.reply_words(),
            self._model.threshold(),
        )
        key = (id(card), id(part), *size, *state)
        found = self._pictures.get(key)
        if found is None:
            pixmap = QPixmap(round(size[0] * scale), round(size[1] * scale))
            pixmap.setDevicePixelRatio(scale)
            pixmap.fill(Qt.GlobalColor.transparent)
            inside = QPainter(pixmap)
            self._paint_card(
                inside, QRectF(0, 0, *size), card, selected=selected, hovered=hovered, focused=focused
            )
            inside.end()
            found = self._pictures[key] = _Picture(pixmap, card, part)
            if len(self._pictures) > KEPT_PICTURES:
                self._pictures.popitem(last=False)
        else:
            self._pictures.move_to_end(key)
        painter.drawPixmap(rect.topLeft(), found.pixmap)

    def _paint_card(
        self, painter: QPainter, rect: QRectF, card: Card, *, selected: bool, hovered: bool, focused: bool
    ) -> None:
        theme = current_theme()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        edge = "accent" if selected else "line_strong" if hovered else "line"
        pen = QPen(theme.color(edge), 2 if selected and focused else 1.4 if selected else 1)
        inset = pen.widthF() / 2
        painter.setPen(pen)
        painter.setBrush(theme.color("raised"))
        radius = theme.radius("card")
        painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), radius, radius)
        inner = rect.adjusted(PAD_X, PAD_Y, -PAD_X, -PAD_Y)
        dim = not card.chunk.enabled
        self._paint_title(painter, inner, card, dim=dim)
        top = inner.top() + PILL_HEIGHT
        painter.setFont(self._small)
        painter.setPen(theme.color("text_soft"))
        facts = self._model.facts(card)
        metrics = painter.fontMetrics()
        painter.drawText(
            QRectF(inner.left(), top, inner.width(), self._small_line),
            Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine,
            metrics.elidedText(facts, Qt.TextElideMode.ElideRight, int(inner.width())),
        )
        top += self._small_line + 7
        text = self._text(card, round(inner.width()))
        painter.setPen(theme.color("text_soft" if dim else "text"))
        text.layout.draw(painter, QPointF(inner.left(), top))
        part = self._model.part(card.id)
        if part is not None:
            self._paint_score(painter, QRectF(inner.left(), top + text.height + 8, inner.width(), 0), part)

    def _paint_title(self, painter: QPainter, inner: QRectF, card: Card, *, dim: bool) -> None:
        theme = current_theme()
        metrics = QFontMetrics(self._small)
        status = self._model.status_words(card.status)
        badges = self._model.badges(card)
        room = inner.width() - TITLE_MIN
        wide = sum(pill_width(metrics, words, icon=True) + PILL_GAP for words, _ in badges)
        if wide + pill_width(metrics, status, dot=True) > room:
            # The icon stays; its word is in the tool tip and in what a screen reader says.
            badges = [("", icon) for _, icon in badges]
        painter.setFont(self._small)
        right = inner.right()
        tone = STATUS_TONES[card.status]
        ground, ink = theme.color(f"{tone}_soft"), theme.color(tone)
        width = pill_width(metrics, status, dot=True)
        pill = QRectF(right - width, inner.top() - 1, width, PILL_HEIGHT)
        paint_pill(painter, pill, status, ground, ink, dot=ink, icon="")
        right = pill.left() - PILL_GAP
        for words, icon in reversed(badges):
            width = pill_width(metrics, words, icon=True)
            pill = QRectF(right - width, inner.top() - 1, width, PILL_HEIGHT)
            paint_pill(
                painter, pill, words, theme.color("frozen_soft"), theme.color("frozen"), dot=None, icon=icon
            )
            right = pill.left() - PILL_GAP
        painter.setFont(self._strong)
        painter.setPen(theme.color("text_soft" if dim else "text"))
        title = painter.fontMetrics().elidedText(
            self._model.title(card), Qt.TextElideMode.ElideRight, int(max(0, right - inner.left()))
        )
        line = QRectF(inner.left(), inner.top() - 1, right - inner.left(), PILL_HEIGHT)
        painter.drawText(line, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, title)

    def _paint_score(self, painter: QPainter, place: QRectF, part: Part) -> None:
        theme = current_theme()
        painter.setFont(self._small)
        soft = theme.color("text_soft")
        left, top, width, step = place.left(), place.top(), place.width(), self._small_line + 3
        if part.score is not None:
            self._paint_bar(painter, QRectF(left, top, width, self._small_line), part)
            top += step
            self._line(painter, left, top, width, self._model.scores(part), soft)
            top += step
        if not part.included:
            # Above the score stands already for what it was considered.
            words = self._model.verdict(part) if part.score is None else self._model.loss(part)
            self._line(painter, left, top, width, words, theme.color("wait"))
        elif part.score is None:
            self._line(painter, left, top, width, self._model.verdict(part), soft)

    def _paint_bar(self, painter: QPainter, line: QRectF, part: Part) -> None:
        theme = current_theme()
        metrics = painter.fontMetrics()
        words, value = self._model.reply_words(part), f"{part.score or 0.0:.2f}"
        before = metrics.horizontalAdvance(words) + 8
        after = metrics.horizontalAdvance(value) + 8
        bar = QRectF(line.left() + before, line.center().y() - 2, max(20.0, line.width() - before - after), 5)
        self._line(painter, line.left(), line.top(), before, words, theme.color("text_soft"))
        self._line(painter, bar.right() + 8, line.top(), after, value, theme.color("text"))
        paint_score_bar(painter, bar, part)
        threshold = self._model.threshold()
        if threshold is not None:
            at = bar.left() + bar.width() * threshold
            painter.fillRect(QRectF(at - 0.75, bar.top() - 3, 1.5, bar.height() + 6), theme.color("text"))

    def _line(
        self, painter: QPainter, left: float, top: float, width: float, text: str, color: QColor
    ) -> None:
        painter.setPen(color)
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(width + 1))
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        painter.drawText(QRectF(left, top, width + 1, self._small_line), flags, shown)


def paint_score_bar(painter: QPainter, bar: QRectF, part: Part) -> None:
    """Paint a score of 0 to 1 as a bar, in the colours of its parts."""
    theme = current_theme()
    painter.save()
    path = QPainterPath()
    path.addRoundedRect(bar, bar.height() / 2, bar.height() / 2)
    painter.setClipPath(path, Qt.ClipOperation.IntersectClip)
    painter.fillRect(bar, theme.color("sunken"))
    left = bar.left()
    for name, share in score_shares(part):
        width = bar.width() * share
        color = theme.context_color(SCORE_COLORS.get(name, "memory"))
        painter.fillRect(QRectF(left, bar.top(), width, bar.height()), color)
        left += width
    painter.restore()
