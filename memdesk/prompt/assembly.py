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
from memdesk.prompt.macros import Surroundings, expand
from memdesk.prompt.names import Names, content_prefix, name_field
from memdesk.prompt.parts import Contribution, Kind, Part, Placement, Reason, Where
from memdesk.prompt.presets import ENGLISH, MAIN_PROMPT, Preset
from memdesk.prompt.receipt import Receipt

__all__ = ["MAIN_PROMPT", "SHOWN_CUTS", "Assembler", "Cast", "History", "block_tokens"]

SHOWN_CUTS = 3
"""Messages just before the context window that a receipt names one by one; the others are counted."""

_EARLY: dict[Where | None, bool] = {"before_prompt": True, "after_chat": False}
"""Which places a receipt lists before everything else, and which at the end; all others are between."""


@dataclass(frozen=True, slots=True)
class Cast:
    """Who speaks: the replying character and the person; what macros know of them.

    `group` holds all characters who are there in a group chat; with `merged`, the reply is for all of them.
    `scenario` stands in for the card's own where it is not None. `around` is what macros can tell beside
    names and the card; without it, only those two are replaced. `summary` is what {{summary}} stands for.
    """

    character: Character
    persona: Persona | None
    user: str
    group: tuple[Character, ...] = ()
    merged: bool = False
    scenario: str | None = None
    around: Surroundings | None = None
    summary: str = ""

    def expand(self, text: str, place: str = "", **texts: str) -> str:
        """Replace macros. `place` names where the text stands; `texts` are known in it, too."""
        return expand(text, self.names(), texts=self.texts() | texts, around=self.around, place=place)

    def names(self) -> dict[str, str]:
        """Return what is put in as it is, by the lower-case name of its macro."""
        names = group_names(self.character, self.group, self.user, merged=self.merged)
        version = self.character.text("character_version")
        return {**names, "user": self.user, "char_version": version, "summary": self.summary}

    def texts(self) -> dict[str, str]:
        """Return what is put in with its own macros replaced, by the lower-case name of its macro."""
        card = self.character
        return {
            "persona": self.persona.description if self.persona else "",
            "description": card.text("description"),
            "personality": card.text("personality"),
            "scenario": card.text("scenario") if self.scenario is None else self.scenario,
            "mesexamples": card.text("mes_example"),
            "original": "",
        }

    def as_card(self, card: Character) -> Cast:
        """Return the cast in which one member of the group speaks."""
        return replace(self, character=card, merged=False)


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

    def without(self, moved: frozenset[int]) -> tuple[History, list[Message]]:
        """Return the history less the messages that are sent elsewhere, and these."""
        gone = [message for message in self.sent if message.id in moved]
        if not gone:
            return self, []
        stay = [message for message in self.sent if message.id not in moved]
        tokens = {message.id: self.tokens[message.id] for message in stay}
        return replace(self, sent=stay, tokens=tokens), gone

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
    that must be sent. `names` says how the model is told who speaks, `preset` has the prompts around a card.
    `closing` is what is asked for at the very end, when it is not the next reply.
    """

    def __init__(
        self,
        cast: Cast,
        budget: Budget,
        count: Callable[[str], int],
        *,
        injections: Sequence[Injection] = (),
        names: Names = "none",
        preset: Preset = ENGLISH,
        closing: str = "",
    ) -> None:
        self._cast = cast
        self._preset = preset
        self._budget = budget
        self._raw_count = count
        self._names = names
        self._prefix_tokens: dict[str, int] = {}
        # In the order of the prompt: a variable that is set further up is known further down.
        early = [self._placed(item) for item in injections if item.placement.where == "before_prompt"]
        self._head = [part for part in self._card_parts() if part.text]
        later = [self._placed(item) for item in injections if item.placement.where != "before_prompt"]
        self._placed_parts = [item for item in (*early, *later) if item.text]
        self._tail = [part for part in self._after_chat(closing) if part.text]

    def _fixed(self, kind: Kind, title: str, text: str, original: str = "") -> _Fixed:
        return self._ready(kind, title, self._cast.expand(text, title, original=original))

    def _ready(self, kind: Kind, title: str, text: str) -> _Fixed:
        """Return a part whose macros are replaced already."""
        text = text.strip()
        return _Fixed(kind, title, text, self._count(text) + MESSAGE_OVERHEAD)

    def _placed(self, item: Injection) -> _Fixed:
        if item.included:
            fixed = self._fixed(item.kind, item.title, item.text)
        else:
            # What is not sent sets no variables.
            fixed = _Fixed(item.kind, item.title, item.text.strip(), self._count(item.text))
        return replace(
            fixed,
            placement=item.placement,
            reason=item.reason,
            included=item.included,
            source=item.marks,
        )

    def _card_parts(self) -> Iterator[_Fixed]:
        """Yield what stands above the chat."""
        cast, preset = self._cast, self._preset
        group = group_prompt(merged=cast.merged, chinese=preset.chinese) if cast.group else ""
        main = preset.main_for(group)
        # {{original}} is how a card asks for the preset's prompt inside its own.
        own = "" if cast.merged else cast.character.text("system_prompt")
        yield self._fixed("instructions", "Main prompt", own if own.strip() else main, main)
        texts = cast.texts()
        if cast.merged:
            for kind, title, text in merged_cards(cast.group, self._of_card, cast.scenario):
                yield self._ready(kind, title, text)
            texts = {"persona": texts["persona"]}
        if texts.get("description"):
            yield self._fixed("character", "Description", texts["description"])
        for title, name, framed in (
            ("Personality", "personality", preset.personality_format),
            ("Scenario", "scenario", preset.scenario_format),
            ("Persona", "persona", preset.persona_format if self._persona_here() else ""),
            ("Example messages", "mesexamples", preset.examples_format),
        ):
            if texts.get(name, "").strip():
                yield self._fixed("character", title, framed)

    def _after_chat(self, closing: str) -> Iterator[_Fixed]:
        """Yield what stands below the chat."""
        cast, preset = self._cast, self._preset
        own = "" if cast.merged else cast.character.text("post_history_instructions")
        after = own if own.strip() else preset.post_history
        yield self._fixed("instructions", "After the chat", after, preset.post_history)
        if cast.group:
            yield self._fixed(
                "instructions", "Who replies", nudge(merged=cast.merged, chinese=preset.chinese)
            )
        yield self._fixed("instructions", "What is asked for", closing)

    def _of_card(self, card: Character, text: str) -> str:
        """Replace macros in what the card of one member says."""
        return self._cast.as_card(card).expand(text, f"card {card.id}")

    def _persona_here(self) -> bool:
        """Return whether the persona stands with the character, not at a place of its own."""
        return self._cast.persona is None or self._cast.persona.place == "prompt"

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

    def fit(self, newest_first: Iterable[Message], reserve: int, protect: int = 1) -> History:
        """Choose messages from the newest back until the room, less `reserve`, is full.

        The newest `protect` messages may use the reserve too: nothing pushes them out but the room itself.
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
            # What is kept free for memories must not push out the newest messages.
            limit = room if len(history.sent) < protect else room - reserve
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
        moved = frozenset().union(*(item.moved for item in contributions))
        history, elsewhere = history.without(moved)
        messages = self._messages(history, contributions)
        placed: dict[bool | None, list[_Fixed]] = {True: [], None: [], False: []}
        for fixed in self._placed_parts:
            placed[_EARLY.get(_where(fixed))].append(fixed)
        parts = [self._part(item) for item in (*placed[True], *self._head, *placed[None])]
        for item in contributions:
            parts.extend(_with_shares(item))
        parts += [self._cut(message) for message in reversed(history.cut)]
        parts += [self._moved(message) for message in elsewhere]
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
            variables=self._cast.around.variables.changes if self._cast.around else {},
        )

    def _messages(self, history: History, contributions: Sequence[Contribution]) -> list[dict[str, str]]:
        """Return what goes over the wire: the system's block, the chat with what stands in it, the end."""
        layers = [(item.placement or Placement(), item.text) for item in contributions if item.text]

        own = [(item.placement, item.text) for item in self._placed_parts if item.included and item.placement]
        placed = [*own, *layers]

        def at(where: Where) -> list[str]:
            return [text for place, text in placed if place.where == where]

        blocks = [*at("before_prompt"), *(part.text for part in self._head), *at("after_prompt")]
        chat = weave([self._as_sent(message) for message in history.sent], placed)
        ends = [(place.role, text) for place, text in placed if place.where == "after_chat"]
        ends += [("system", part.text) for part in self._tail]
        return [
            *([{"role": "system", "content": "\n\n".join(blocks)}] if blocks else []),
            *chat,
            *({"role": role, "content": text} for role, text in ends),
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

    def _moved(self, message: Message) -> Part:
        return self._history(message, self._tokens(message), Reason("moved"), included=False)

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
