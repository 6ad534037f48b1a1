from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdesk.chats.model import Character, Message, Persona, Swipe, SwipeState
from memdesk.prompt.assembly import MAIN_PROMPT, SHOWN_CUTS, Assembler, Cast
from memdesk.prompt.budget import Budget, PromptTooLarge
from memdesk.prompt.parts import Contribution, Part, Reason
from tests.support.workspaces import BEGIN


def character(**data: Any) -> Character:
    return Character(1, "Mara", {"data": {"name": "Mara", **data}}, None, BEGIN, BEGIN)


def cast(persona: str = "", **data: Any) -> Cast:
    return Cast(character(**data), Persona(1, "Alex", persona, None), "Alex")


def message(number: int, text: str, *, hidden: bool = False, tokens: int | None = None) -> Message:
    swipe = Swipe(number, number, text, SwipeState.DONE, BEGIN, tokens=tokens)
    mine = number % 2 == 1
    return Message(
        number, 1, number, "user" if mine else "assistant", "Alex" if mine else "Mara", None, BEGIN,
        hidden=hidden, swipe=swipe, swipe_number=1, swipe_count=1,
    )  # fmt: skip


def chat(*texts: str) -> list[Message]:
    return [message(number, text) for number, text in enumerate(texts, start=1)]


def words(text: str) -> int:
    return len(text.split())


def built(people: Cast, messages: list[Message], context: int = 4000) -> Any:
    assembler = Assembler(people, Budget(context, 100), words)
    return assembler.assemble(assembler.fit(reversed(messages), 0), [], len(messages) + 1, "m")


def test_the_order_of_a_prompt() -> None:
    people = cast(
        "{{user}} is tall.",
        description="{{char}} keeps a light.",
        personality="dry",
        scenario="A storm.",
        mes_example="<START>\n{{user}}: Hi",
        post_history_instructions="Be brief, {{char}}.",
    )
    receipt = built(people, chat("Hello.", "Good day.", "Well?"))
    assert [m["role"] for m in receipt.messages] == ["system", "user", "assistant", "user", "system"]
    assert receipt.messages[-1]["content"] == "Be brief, Mara."
    blocks = receipt.messages[0]["content"].split("\n\n")
    assert blocks[0] == MAIN_PROMPT.replace("{{char}}", "Mara").replace("{{user}}", "Alex")
    assert blocks[1:] == [
        "Mara keeps a light.",
        "Mara's personality: dry",
        "Scenario: A storm.",
        "Alex: Alex is tall.",
        "Examples of how Mara writes:\n<START>\nAlex: Hi",
    ]
    titles = [part.title for part in receipt.parts]
    assert titles == [
        "Main prompt", "Description", "Personality", "Scenario", "Persona", "Example messages",
        "#1 Alex", "#2 Mara", "#3 Alex", "After the chat",
    ]  # fmt: skip
    assert all(part.included for part in receipt.parts)


def test_blank_fields_leave_nothing_behind() -> None:
    receipt = built(cast(description=" \n ", personality="", scenario=None, mes_example=[1]), chat("Hi."))
    assert [part.title for part in receipt.parts] == ["Main prompt", "#1 Alex"]


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        ("Only this.", "Only this."),
        ("Before. {{original}} After.", f"Before. {MAIN_PROMPT} After."),
        ("  ", MAIN_PROMPT),
    ],
)
def test_a_cards_own_system_prompt(own: str, expected: str) -> None:
    text = built(cast(system_prompt=own), chat("Hi.")).messages[0]["content"]
    assert text == expected.replace("{{char}}", "Mara").replace("{{user}}", "Alex")


def test_a_nickname_stands_in_for_the_name() -> None:
    assert (
        built(cast(nickname="Mars", system_prompt="{{char}}!"), chat("Hi.")).messages[0]["content"] == "Mars!"
    )


def test_messages_are_sent_as_they_are() -> None:
    receipt = built(cast(), chat("{{user}} said <user>\n\n  x  "))
    assert receipt.messages[-1]["content"] == "{{user}} said <user>\n\n  x  "


def test_hidden_and_blank_messages_stay_out_with_a_reason() -> None:
    messages = [message(1, "one"), message(2, "two", hidden=True), message(3, "  "), message(4, "four")]
    receipt = built(cast(), messages)
    assert [m["content"] for m in receipt.messages[1:]] == ["one", "four"]
    reasons = {part.title: part.reason.code for part in receipt.parts if not part.included}
    assert reasons == {"#2 Mara": "hidden", "#3 Alex": "empty"}


def test_what_does_not_fit_is_cut_from_the_oldest_on() -> None:
    people = cast(system_prompt="x")
    messages = chat(*("word " * 20 for _ in range(40)))
    assembler = Assembler(people, Budget(512, 100), words)
    history = assembler.fit(reversed(messages), 0)
    assert not history.complete
    receipt = assembler.assemble(history, [], 41, "m")
    first = history.sent[0].number
    assert [m.number for m in history.sent] == list(range(first, 41))
    assert receipt.earlier == first - 1
    assert receipt.first_message == first
    cut = [part for part in receipt.parts if part.reason.code == "older"]
    assert [part.title for part in cut] == [
        f"#{n} {'Alex' if n % 2 else 'Mara'}" for n in range(first - SHOWN_CUTS, first)
    ]


def test_tokens_that_are_known_are_not_counted_again() -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return words(text)

    assembler = Assembler(cast(), Budget(4000, 100, scale=2.0), count)
    history = assembler.fit([message(2, "known", tokens=7), message(1, "unknown")], 0)
    assert "known" not in counted
    assert history.tokens == {2: 7 * 2 + 4, 1: 1 * 2 + 4}


def test_a_memory_stands_between_the_character_and_the_chat() -> None:
    assembler = Assembler(cast(system_prompt="x"), Budget(4000, 100), words)
    part = Part("memory", "#1", "Alex: key", 2, included=True, reason=Reason("pinned"))
    memory = Contribution("recall", "memory", "Past events:\nAlex: key", 4, (part,), "key?", "No index.")
    silent = Contribution("other", "memory")
    receipt = assembler.assemble(assembler.fit(chat("Hi."), 0), [memory, silent], 2, "m")
    assert receipt.messages[0]["content"] == "x\n\nPast events:\nAlex: key"
    assert receipt.queries == {"recall": "key?"}
    assert receipt.warnings == ("No index.",)
    assert receipt.used == assembler.fixed + 4 + (1 + 4)


@pytest.mark.parametrize("where", ["description", "post_history_instructions", "system_prompt"])
def test_instructions_are_never_cut_silently(where: str) -> None:
    assembler = Assembler(cast(**{where: "word " * 600}), Budget(600, 100), words)
    titles = {
        "description": "Description",
        "post_history_instructions": "After the chat",
        "system_prompt": "Main prompt",
    }
    for messages in (chat("Hi."), []):
        with pytest.raises(PromptTooLarge) as caught:
            assembler.fit(messages, 0)
        assert caught.value.largest[0] == (titles[where], 604)


@settings(max_examples=150, deadline=None)
@given(
    sizes=st.lists(st.integers(0, 120), max_size=40),
    context=st.integers(512, 3000),
    reserve=st.integers(1, 500),
    kept=st.integers(0, 600),
    card=st.integers(0, 500),
    scale=st.floats(0.5, 3),
)
def test_history_fits_whatever_it_is(
    sizes: list[int], context: int, reserve: int, kept: int, card: int, scale: float
) -> None:
    messages = chat(*("w " * size for size in sizes))
    budget = Budget(context, reserve, scale)
    assembler = Assembler(cast(description="d " * card), budget, words)
    standing = [m for m in messages if m.text.strip()]
    try:
        history = assembler.fit(reversed(messages), kept)
    except PromptTooLarge:
        newest = budget.scaled(words(standing[-1].text)) + 4 if standing else 0
        assert assembler.fixed + newest > budget.room
        return
    assert assembler.fixed + history.total <= budget.room
    assert history.sent == standing[len(standing) - len(history.sent) :]
    assert bool(history.sent) == bool(standing)
    if history.complete:
        assert history.sent == standing
    receipt = assembler.assemble(history, [], len(messages) + 1, "m")
    assert receipt.used <= budget.context - budget.reserve
    assert [m["content"] for m in receipt.messages[1:]] == [m.text for m in history.sent]


@settings(max_examples=200, deadline=None)
@given(
    layers=st.lists(
        st.tuples(
            st.integers(0, 900),
            st.lists(st.tuples(st.integers(0, 300), st.booleans()), max_size=12),
        ),
        max_size=3,
    ),
    sizes=st.lists(st.integers(0, 60), max_size=8),
)
def test_what_is_used_is_the_sum_of_the_parts(
    layers: list[tuple[int, list[tuple[int, bool]]]], sizes: list[int]
) -> None:
    contributions = []
    for number, (block, parts) in enumerate(layers):
        candidates = tuple(
            Part("memory", f"#{at}", "x", tokens, included=included, reason=Reason("pinned"))
            for at, (tokens, included) in enumerate(parts)
        )
        sent = any(part.included for part in candidates)
        contributions.append(
            Contribution(
                f"layer {number}", "memory", "text" if sent else "", block if sent else 0, candidates
            )
        )
    messages = chat(*("w " * size for size in sizes))
    assembler = Assembler(cast(description="d"), Budget(4000, 100), words)
    history = assembler.fit(reversed(messages), 0)
    receipt = assembler.assemble(history, contributions, len(messages) + 1)
    assert receipt.used == sum(part.tokens for part in receipt.parts if part.included)
    assert receipt.used == sum(receipt.by_kind().values())
    blocks = sum(item.tokens for item in contributions)
    assert receipt.used == assembler.fixed + history.total + blocks
    assert all(part.tokens >= 0 for part in receipt.parts)
    losers = [part for item in contributions for part in item.parts if not part.included]
    assert [part for part in receipt.parts if part.kind == "memory" and not part.included] == losers
