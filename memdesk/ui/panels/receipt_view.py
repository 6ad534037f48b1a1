"""One receipt, readable: what was sent and why, what was left out and why, and the exact messages."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QPushButton, QVBoxLayout, QWidget

from memdesk.chats.text import one_line
from memdesk.ui.bidi import isolated
from memdesk.ui.dialogs.pieces import Notice, line, plain_label, tool_button
from memdesk.ui.icons import icon
from memdesk.ui.reasons import (
    model_name,
    part_title,
    place_words,
    reason_text,
    score_sum,
    score_words,
    source_title,
)
from memdesk.ui.roleplay_text import visible_text
from memdesk.ui.sentences import headline
from memdesk.ui.theme import CONTEXT_SOURCES, current_theme
from memdesk.ui.widgets.context_bar import ContextBar
from memdesk.ui.widgets.flow_layout import FlowLayout
from memdesk.ui.widgets.fold_row import Batches, FoldRow, RowWords, TextBody
from memdesk.ui.widgets.pills import InfoPill

if TYPE_CHECKING:
    from memdesk.prompt.parts import Part
    from memdesk.prompt.receipt import Receipt

FIRST_ROWS = 12
"""Rows of a group that open at once."""

FIRST_LOSERS = 6

QUERY_SHOWN = 240

BEGINNING = 80
"""Characters of a memory that stand beside its number; a row holds fewer."""

CLOSED_AT_FIRST = frozenset({"history", "exact"})
"""Groups that may be long and are opened only when asked for."""


def spent(receipt: Receipt) -> dict[str, int]:
    """Return the tokens of every source, which add up to `receipt.used`, and "reply" for the reserve.

    What memories take is their whole block with the words around it, not the sum of its lines.
    """
    sums: dict[str, int] = dict(receipt.by_kind().items())
    if "memory" in sums:
        sums["memory"] = max(0, receipt.used - sum(n for kind, n in sums.items() if kind != "memory"))
    sums["reply"] = receipt.reserve
    return sums


class ReceiptBar(ContextBar):
    """The context bar of a prompt that may have been sent long ago."""

    def words(self) -> str:
        """Return the sources in words, without the sentence about the next prompt."""
        head, _, rest = super().words().partition("\n")
        return rest or head


class ReceiptView(QWidget):
    """The body of the Prompt tab for one receipt."""

    jumpRequested = Signal(int)
    chunkRequested = Signal(int)
    summaryRequested = Signal(int)

    def __init__(
        self, receipt: Receipt, title: str, opened: dict[str, bool], parent: QWidget | None = None
    ) -> None:
        """Lay out a receipt; `opened` remembers which groups stand open, from one receipt to the next."""
        super().__init__(parent)
        self._receipt = receipt
        self._opened = opened
        self._number = self.locale().toString
        self._column = QVBoxLayout(self)
        side = current_theme().space(3)
        self._column.setContentsMargins(side, 4, side, side)
        self._column.setSpacing(6)
        self._head(title)
        self._column.addWidget(line())
        self._groups()
        self._left_out()
        self._column.addWidget(line())
        self._messages()
        self._column.addStretch(1)

    # ── head ─────────────────────────────────────────────────────────────────────────────────────────

    def _head(self, title: str) -> None:
        receipt, number = self._receipt, self._number
        heading = plain_label(title, "strong", wrap=False)
        heading.setAccessibleName(title)
        self._column.addWidget(heading)
        sizes = self.tr("~{0} of {1} tokens").format(number(receipt.used), number(receipt.context))
        model = model_name(receipt.model)
        facts = plain_label(f"{model} · {sizes}" if model else sizes, "soft")
        facts.setToolTip(
            self.tr(
                "What the prompt takes of the model's context. Counted with the bundled tokenizer and scaled "
                "by what the server reported before; an estimate."
            )
        )
        self._column.addWidget(facts)
        if names := ", ".join(one_line(name, 60) for name in receipt.cards if name):
            whose = plain_label(self.tr("Card: {0}").format(isolated(names)), "soft")
            whose.setToolTip(self.tr("Whose card the prompt was made from."))
            self._column.addWidget(whose)
        tokens = spent(receipt)
        bar = ReceiptBar()
        bar.setParts(tokens, receipt.context)
        self._column.addWidget(bar)
        self._column.addWidget(self._legend(tokens))
        for warning in receipt.warnings:
            sentence, detail = headline(warning)
            notice = Notice("wait")
            notice.say(sentence, detail=detail)
            self._column.addWidget(notice)
        for query in receipt.queries.values():
            self._column.addWidget(self._query(query))
        if receipt.order:
            order = self.tr(", then ").join(self._gives_way(name) for name in receipt.order)
            text = self.tr("When there is no room, this gives way first: {0}.").format(order)
            self._column.addWidget(plain_label(text, "small"))

    def _gives_way(self, name: str) -> str:
        return {
            "history": self.tr("old messages"),
            "memory": self.tr("recalled memories"),
            "summary": self.tr("summaries"),
        }.get(name) or source_title(name)

    def _legend(self, tokens: Mapping[str, int]) -> QWidget:
        legend = QWidget()
        flow = FlowLayout(legend, across=4, down=4)
        why = {
            "memory": self.tr("Recalled memories, with the words around them."),
            "history": self.tr("Messages of the chat, sent as they are."),
            "reply": self.tr("Room the model has for its answer; set in the connection."),
        }
        for source in CONTEXT_SOURCES:
            if tokens.get(source, 0) > 0:
                pill = InfoPill(f"{source_title(source)} ~{self._number(tokens[source])}", source)
                if source == "reply":
                    pill.setText(f"{source_title(source)} {self._number(tokens[source])}")
                pill.setToolTip(why.get(source, self.tr("Tokens of this source in the prompt, estimated.")))
                flow.addWidget(pill)
        return legend

    def _query(self, query: str) -> QWidget:
        label = plain_label(self.tr("searched with: {0}").format(_plain(query, QUERY_SHOWN)), "small")
        label.setToolTip(self.tr("What memories were compared with: the newest messages."))
        return label

    # ── parts ────────────────────────────────────────────────────────────────────────────────────────

    def _groups(self) -> None:
        groups: dict[str, list[Part]] = {}
        for part in self._receipt.parts:
            if part.included:
                groups.setdefault(part.kind, []).append(part)
        tokens = spent(self._receipt)
        for kind, parts in groups.items():
            words = RowWords(
                source_title(kind),
                self.tr("{0} · ~{1} tokens").format(self._number(len(parts)), self._number(tokens[kind])),
                source=kind,
                strong=True,
                tip=self.tr("How many parts of this source were sent, and the tokens they take (estimated)."),
            )
            first = Batches.STEP if kind == "history" else FIRST_ROWS
            self._column.addWidget(self._group(kind, words, parts, first))

    def _left_out(self) -> None:
        losers = [part for part in self._receipt.parts if not part.included]
        if not losers:
            return
        words = RowWords(
            self.tr("Left out"),
            self._number(len(losers)),
            line=self._earlier(),
            strong=True,
            tip=self.tr("What was considered and not sent, each with its reason."),
        )
        self._column.addWidget(line())
        self._column.addWidget(self._group("left out", words, losers, FIRST_LOSERS))

    def _earlier(self) -> str:
        count = self._receipt.earlier
        if count <= 0:
            return ""
        return self.tr("{0} earlier messages do not fit; memories stand in for them").format(
            self._number(count)
        )

    def _group(self, name: str, words: RowWords, parts: list[Part], first: int) -> FoldRow:
        makers: list[Callable[[], QWidget]] = [functools.partial(self._row, part) for part in parts]
        return self._fold(name, words, lambda: Batches(makers, first=first))

    def _fold(
        self, name: str, words: RowWords, body: Callable[[], QWidget], *, beside: Sequence[QWidget] = ()
    ) -> FoldRow:
        opened = self._opened.setdefault(name, name not in CLOSED_AT_FIRST)
        row = FoldRow(words, body, opened=opened, indent=14, beside=beside)
        row.head.toggled.connect(lambda checked: self._opened.update({name: checked}))
        return row

    def _row(self, part: Part) -> FoldRow:
        tokens, reason = f"~{self._number(part.tokens)}", reason_text(part.reason)
        place = place_words(part.source)
        # What is sent without a contest says so in one line.
        plain = part.included and part.score is None
        words = RowWords(
            part_title(part.title),
            f"{reason} · {tokens}" if plain else tokens,
            line=place if plain else " · ".join(filter(None, (reason, place))),
            source="" if part.included else part.kind,
            begins=_plain(part.text, BEGINNING) if "chunk" in part.source else "",
            tone="text_soft" if part.included else "wait",
            part=part,
            scores=score_words(part.scores),
            tip=self._explain(part),
        )
        row = FoldRow(words, lambda: self._text(part), indent=18)
        row.head.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        row.head.customContextMenuRequested.connect(
            lambda place: self._menu(part, row.head.mapToGlobal(place))
        )
        return row

    def _explain(self, part: Part) -> str:
        if part.score is None:
            return self.tr("Tokens are estimated. Click to read the text.")
        # Nothing is only in the row: a narrow window cuts its lines.
        lines = [reason_text(part.reason), score_sum(part) or score_words(part.scores)]
        explained = self.tr(
            "The score (0 to 1) adds meaning (likeness to the query), words (shared with it), neighbour "
            "(credit from the messages beside it) and speaker (named in the query), each with its weight. "
            "Click to read the text."
        )
        return "\n".join(words for words in (*lines, explained) if words)

    def _text(self, part: Part) -> TextBody:
        return TextBody(part.text, part_title(part.title), actions=self._actions(part))

    def _actions(self, part: Part) -> list[tuple[str, Callable[[], None]]]:
        actions: list[tuple[str, Callable[[], None]]] = []
        messages, chunk = part.source.get("messages"), part.source.get("chunk")
        if messages:
            target = int(messages[0])
            actions.append((self.tr("Jump to message"), lambda: self.jumpRequested.emit(target)))
        if chunk is not None:
            wanted = int(chunk)
            actions.append((self.tr("Show memory"), lambda: self.chunkRequested.emit(wanted)))
        if (summary := part.source.get("summary")) is not None:
            entry = int(summary)
            actions.append((self.tr("Show summary"), lambda: self.summaryRequested.emit(entry)))
        return actions

    def _menu(self, part: Part, place: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for words, act in self._actions(part):
            menu.addAction(words, act)
        copy = QGuiApplication.clipboard().setText
        menu.addAction(icon("copy"), self.tr("Copy text"), lambda: copy(part.text))
        menu.popup(place)

    # ── what went over the wire ──────────────────────────────────────────────────────────────────────

    def _messages(self) -> None:
        messages = self._receipt.messages
        words = RowWords(
            self.tr("Exact messages"),
            self._number(len(messages)),
            line=self.tr("word for word, as the model gets them"),
            strong=True,
        )

        def body() -> QWidget:
            makers: list[Callable[[], QWidget]] = [
                functools.partial(self._message, number, message)
                for number, message in enumerate(messages, start=1)
            ]
            return Batches(makers, first=FIRST_ROWS)

        copy = QPushButton(self.tr("Copy all"))
        copy.setProperty("kind", "quiet")
        copy.setAccessibleName(self.tr("Copy all messages as JSON"))
        copy.setToolTip(self.tr("Copy all messages as JSON"))
        copy.clicked.connect(self._copy_all)
        self._column.addWidget(self._fold("exact", words, body, beside=[copy]))

    def _message(self, number: int, message: Mapping[str, str]) -> QWidget:
        role, content = message.get("role", ""), message.get("content", "")
        title = f"{self._number(number)}  {self._role(role)}"
        first = " ".join(content[:200].split())
        words = RowWords(
            title,
            self.tr("{0} characters").format(self._number(len(content))),
            line=first,
            tip=self.tr("Click to read the whole message."),
        )
        copy = tool_button("copy", self.tr("Copy message {0}").format(self._number(number)))
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(content))
        return FoldRow(words, lambda: TextBody(content, title, mono=True), indent=18, beside=[copy])

    def _role(self, role: str) -> str:
        return {
            "system": self.tr("system"),
            "user": self.tr("user"),
            "assistant": self.tr("assistant"),
        }.get(role, role)

    def _copy_all(self) -> None:
        text = json.dumps([dict(message) for message in self._receipt.messages], ensure_ascii=False, indent=2)
        QGuiApplication.clipboard().setText(text)


def _plain(text: str, most: int) -> str:
    """Return the beginning of a text on one line, without its marks of emphasis."""
    # Marks take room too; twice as much is read, so that enough is left of it.
    flat = " ".join(visible_text(text[: 2 * most]).split())
    return flat if len(flat) <= most and len(text) <= 2 * most else flat[:most].rstrip() + "…"
