"""Putting a prompt together: fixed parts, what memory adds, and as much of the chat as fits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from memdesk.chats.groups import called
from memdesk.chats.model import Character, Message, Persona
from memdesk.prompt.budget import GIVES_WAY, MESSAGE_OVERHEAD, Budget, PromptTooLarge
from memdesk.prompt.group import group_names, group_prompt, merged_cards, nudge
from memdesk.prompt.injections import Injection, weave
from memdesk.prompt.macros import expander
from memdesk.prompt.names import Names, content_prefix, name_field
from memdesk.prompt.parts import Contribution, Kind, Part, Placement, Reason, Where
from memdesk.prompt.receipt import Receipt

MAIN_PROMPT = (
    "Write {{char}}'s next reply in an ongoing roleplay between {{char}} and {{user}}. Stay in character, "
    "keep to what has happened, and never write or decide for {{user}}. Put actions in *asterisks* and "
    "speech in quotation marks. Answer in the language the chat is in."
)
"""Used when the card brings no system prompt of its own."""

SHOWN_CUTS = 3
"""Messages just before the context window that a receipt names one by one; the others are counted."""

_EARLY: dict[Where | None, bool] = {"before_prompt": True, "after_chat": False}
"""Which places a receipt lists before everything else, and which at the end; all others are between."""


@dataclass(frozen=True, slots=True)
class Cast:
    """Who speaks: the replying character and the person.

    `group` holds all characters who are there in a group chat; with `merged`, the reply is for all of them.
    """

    character: Character
    persona: Persona | None
    user: str
    group: tuple[Character, ...] = ()
    merged: bool = False

    def expand(self, text: str) -> str:
        """Expand {{user}}, {{char}}, {{persona}} and what names the others."""
        description = self.persona.description if self.persona else ""
        names = group_names(self.character, self.group, self.user, merged=self.merged)
        return expander(self.user, persona=description, **names)(text)


@dataclass(slots=True)
class History:
    """Which messages of the chat fit. `sent` is in order; `cut` are the nearest of those that do not fit."""

    sent: list[Message] = field(default_factory=list)
    tokens: dict[int, int] = field(default_factory=dict)
    cut: list[Message] = field(default_factory=list)
    hidden: list[Message] = field(default_factory=list)
    complete: bool = True
    """Whether everything before the first sent message was looked at and fits."""

    @property
    def total(self) -> int:
        """Tokens of what is sent."""
        return sum(self.tokens.values())

    @property
    def ids(self) -> frozenset[int]:
        """Ids of what is sent."""
        return frozenset(message.id for message in self.sent)


@dataclass(frozen=True, slots=True)
class _Fixed:
    kind: Kind
    title: str
    text: str
    tokens: int
    placement: Placement | None = None
    reason: Reason = field(default_factory=lambda: Reason("always"))
    included: bool = True
    source: dict[str, Any] = field(default_factory=dict)


class Assembler:
    """Builds one prompt. `count` estimates the tokens of a text.

    `injections` are texts with a place of their own; they are counted before the history, like everything
    that must be sent. `names` says how the model is told who speaks. `closing` is what is asked for at the
    very end, when it is not the next reply.
    """

    def __init__(
        self,
        cast: Cast,
        budget: Budget,
        count: Callable[[str], int],
        *,
        injections: Sequence[Injection] = (),
        names: Names = "none",
        closing: str = "",
    ) -> None:
        self._cast = cast
        self._budget = budget
        self._raw_count = count
        self._names = names
        self._prefix_tokens: dict[str, int] = {}
        self._head = [self._fixed(*item) for item in self._card_parts() if item[2].strip()]
        after = self._cast.expand("" if cast.merged else cast.character.text("post_history_instructions"))
        self._tail = [self._fixed("instructions", "After the chat", after)] if after.strip() else []
        if cast.group:
            self._tail.append(self._fixed("instructions", "Who replies", nudge(merged=cast.merged)))
        if closing:
            self._tail.append(self._fixed("instructions", "What is asked for", closing))
        placed = [self._placed(item) for item in injections]
        self._placed_parts = [item for item in placed if item.text]

    def _fixed(self, kind: Kind, title: str, text: str) -> _Fixed:
        text = self._cast.expand(text).strip()
        return _Fixed(kind, title, text, self._count(text) + MESSAGE_OVERHEAD)

    def _placed(self, item: Injection) -> _Fixed:
        fixed = self._fixed(item.kind, item.title, item.text)
        return replace(
            fixed,
            placement=item.placement,
            reason=item.reason,
            included=item.included,
            source=item.marks,
        )

    def _at(self, where: Where) -> list[str]:
        """Return the texts that stand somewhere."""
        return [
            item.text
            for item in self._placed_parts
            if item.included and item.placement is not None and item.placement.where == where
        ]

    def _card_parts(self) -> Iterator[tuple[Kind, str, str]]:
        card, main = self._cast.character, MAIN_PROMPT
        if self._cast.group:
            main = group_prompt(merged=self._cast.merged)
        if self._cast.merged:
            yield "instructions", "Main prompt", main
            yield from merged_cards(self._cast.group, self._cast.user)
            yield from self._persona_part()
            return
        own = card.text("system_prompt").strip()
        # {{original}} is how a card asks for the app's prompt inside its own.
        yield "instructions", "Main prompt", own.replace("{{original}}", main) or main
        yield "character", "Description", card.text("description")
        if card.text("personality").strip():
            yield "character", "Personality", "{{char}}'s personality: " + card.text("personality")
        if card.text("scenario").strip():
            yield "character", "Scenario", "Scenario: " + card.text("scenario")
        yield from self._persona_part()
        if card.text("mes_example").strip():
            yield (
                "character",
                "Example messages",
                "Examples of how {{char}} writes:\n" + card.text("mes_example"),
            )

    def _persona_part(self) -> Iterator[tuple[Kind, str, str]]:
        persona = self._cast.persona
        if persona and persona.place == "prompt" and persona.description.strip():
            yield "character", "Persona", "{{user}}: " + persona.description

    def _count(self, text: str) -> int:
        return self._budget.scaled(self._raw_count(text))

    def _cards(self) -> tuple[Character, ...]:
        return self._cast.group if self._cast.merged else (self._cast.character,)

    @property
    def fixed(self) -> int:
        """Tokens of what is always sent."""
        return sum(part.tokens for part in self._always_sent())

    def _always_sent(self) -> list[_Fixed]:
        return [*self._head, *(item for item in self._placed_parts if item.included), *self._tail]

    def fit(self, newest_first: Iterable[Message], reserve: int) -> History:
        """Choose messages from the newest back until the room, less `reserve`, is full.

        Raises `PromptTooLarge` when even the newest message does not fit beside the fixed parts.
        """
        room = self._budget.room - self.fixed
        history = History()
        for message in newest_first:
            if history.cut:
                if len(history.cut) >= SHOWN_CUTS:
                    break
                history.cut.append(message)
                continue
            if message.hidden or not message.text.strip():
                history.hidden.append(message)
                continue
            tokens = self._tokens(message) + MESSAGE_OVERHEAD
            # The newest message must go; what is kept free for memories must not push it out.
            limit = room if not history.sent else room - reserve
            if history.total + tokens > limit:
                if not history.sent:
                    self._refuse(message, tokens)
                history.complete = False
                history.cut.append(message)
                continue
            history.sent.insert(0, message)
            history.tokens[message.id] = tokens
        if self.fixed > self._budget.room:
            self._refuse(None, 0)
        return history

    def _refuse(self, message: Message | None, tokens: int) -> None:
        sizes = [(part.title, part.tokens) for part in self._always_sent()]
        if message is not None:
            sizes.append((f"message #{message.number}", tokens))
        sizes.sort(key=lambda size: -size[1])
        raise PromptTooLarge(self.fixed + tokens, self._budget.room, sizes[:3])

    def assemble(
        self, history: History, contributions: Sequence[Contribution], first_number: int, model: str = ""
    ) -> Receipt:
        """Build the messages to send and the receipt. `first_number` is the number after the last message."""
        messages = self._messages(history, contributions)
        placed: dict[bool | None, list[_Fixed]] = {True: [], None: [], False: []}
        for fixed in self._placed_parts:
            placed[_EARLY.get(_where(fixed))].append(fixed)
        parts = [self._part(item) for item in (*placed[True], *self._head, *placed[None])]
        for item in contributions:
            parts.extend(_with_shares(item))
        parts += [self._cut(message) for message in reversed(history.cut)]
        parts += [self._sent(message, history.tokens[message.id]) for message in history.sent]
        parts += [self._left_out(message) for message in history.hidden]
        parts += [self._part(item) for item in (*placed[False], *self._tail)]
        first = history.sent[0] if history.sent else None
        return Receipt(
            context=self._budget.context,
            reserve=self._budget.reserve,
            used=sum(part.tokens for part in parts if part.included),
            parts=tuple(parts),
            messages=tuple(messages),
            queries={item.layer: item.query for item in contributions if item.query},
            warnings=tuple(item.warning for item in contributions if item.warning),
            model=model,
            earlier=(first.number if first else first_number) - 1,
            first_message=first.id if first else None,
            order=GIVES_WAY,
            cards=tuple(called(card) for card in self._cards()),
        )

    def _messages(self, history: History, contributions: Sequence[Contribution]) -> list[dict[str, str]]:
        """Return what goes over the wire: the system's block, the chat with what stands in it, the end."""
        layers = [(item.placement or Placement(), item.text) for item in contributions if item.text]

        def at(where: Where) -> list[str]:
            return [*self._at(where), *(text for placement, text in layers if placement.where == where)]

        blocks = [*at("before_prompt"), *(part.text for part in self._head), *at("after_prompt")]
        own = [(item.placement, item.text) for item in self._placed_parts if item.included and item.placement]
        chat = weave([self._as_sent(message) for message in history.sent], [*own, *layers])
        ends = [*at("after_chat"), *(part.text for part in self._tail)]
        return [
            {"role": "system", "content": "\n\n".join(blocks)},
            *chat,
            *({"role": "system", "content": text} for text in ends),
        ]

    def _as_sent(self, message: Message) -> dict[str, str]:
        if self._names == "content":
            return {"role": message.role, "content": content_prefix(message) + message.text}
        if self._names == "field" and (name := name_field(message)):
            return {"role": message.role, "name": name, "content": message.text}
        return {"role": message.role, "content": message.text}

    @staticmethod
    def _part(part: _Fixed) -> Part:
        return Part(
            part.kind,
            part.title,
            part.text,
            part.tokens,
            included=part.included,
            reason=part.reason,
            source=part.source,
        )

    def _tokens(self, message: Message) -> int:
        known = message.swipe.tokens
        own = self._count(message.text) if known is None else self._budget.scaled(known)
        return own + self._name_tokens(message)

    def _name_tokens(self, message: Message) -> int:
        """Return what naming the speaker costs; a chat has few speakers, so each is counted once."""
        if self._names == "none":
            return 0
        prefix = content_prefix(message)
        if prefix not in self._prefix_tokens:
            self._prefix_tokens[prefix] = self._count(prefix) if prefix else 0
        return self._prefix_tokens[prefix]

    def _sent(self, message: Message, tokens: int) -> Part:
        return self._history(message, tokens, Reason("in_window"), included=True)

    def _cut(self, message: Message) -> Part:
        return self._history(message, self._tokens(message), Reason("older"), included=False)

    def _left_out(self, message: Message) -> Part:
        reason = Reason("hidden" if message.hidden else "empty")
        return self._history(message, self._tokens(message), reason, included=False)

    @staticmethod
    def _history(message: Message, tokens: int, reason: Reason, *, included: bool) -> Part:
        return Part(
            kind="history",
            title=f"#{message.number} {message.name}",
            text=message.text,
            tokens=tokens,
            included=included,
            reason=reason,
            source={"messages": [message.id]},
        )


def block_tokens(item: Contribution) -> int:
    """Return what a layer's text takes: a message of its own has its role and ends, too."""
    alone = item.placement is not None and item.placement.where in {"in_chat", "after_chat"}
    return item.tokens + MESSAGE_OVERHEAD if alone and item.text else item.tokens


def _where(item: _Fixed) -> Where | None:
    return item.placement.where if item.placement else None


def _with_shares(item: Contribution) -> Iterator[Part]:
    """Share out what a layer's block takes among the parts that are in it, in proportion to their sizes.

    The block has words around its parts, and its size is counted as a whole: only so do the parts of a
    receipt add up to its sum.
    """
    whole, left = sum(part.tokens for part in item.parts if part.included), block_tokens(item)
    marks = {"placement": asdict(item.placement)} if item.placement else {}
    count = sum(part.included for part in item.parts)
    for part in item.parts:
        if not part.included:
            yield part
            continue
        # Of what is left: the last one takes the rest, so that rounding loses nothing.
        share = round(left * part.tokens / whole) if whole else left // count
        yield replace(part, tokens=share, source={**part.source, **marks})
        left, whole, count = left - share, whole - part.tokens, count - 1
