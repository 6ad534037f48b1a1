from __future__ import annotations

import random
import time
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdesk.prompt.macros import Surroundings, Variables, expand, expander
from memdesk.prompt.macros.engine import FUNCTIONS, MAX_INSERTED
from memdesk.prompt.macros.moments import difference, duration, write
from memdesk.prompt.macros.syntax import MAX_DEPTH
from memdesk.prompt.macros.variables import MAX_CHARS, MAX_COUNT

FILL = expander("Alex", "Mara", persona="Tall.")
NOON = datetime(2026, 3, 9, 16, 5, 7, tzinfo=timezone(timedelta(hours=2)))


def around(**more: Any) -> Surroundings:
    return Surroundings(**{"now": NOON, "seed": "chat", "rng": random.Random(1), **more})


def filled(text: str, texts: dict[str, str] | None = None, place: str = "", **more: Any) -> str:
    names = {"user": "Alex", "char": "Mara", "group": "Mara, Noor", "charifnotgroup": "Mara"}
    return expand(text, names, texts=texts, around=around(**more), place=place)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{user}} and {{char}}", "Alex and Mara"),
        ("{{ User }} {{CHAR}} {{persona}}", "Alex Mara Tall."),
        ("<USER> <bot> <char> <BOT>", "Alex Mara Mara Mara"),
        ("{{bot}}", "Mara"),
        ("{{unknown}} {{roll:d6}} {user} <i>", "{{unknown}} {{roll:d6}} {user} <i>"),
        ("{{{user}}}", "{Alex}"),
        ("{{us\ner}}", "{{us\ner}}"),
        ("", ""),
    ],
)
def test_names_are_replaced_and_others_stay(text: str, expected: str) -> None:
    assert FILL(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{group}} {{charIfNotGroup}} <GROUP>", "Mara, Noor Mara Mara, Noor"),
        ("a{{newline}}b{{noop}}c", "a\nbc"),
        ("a\n\n{{trim}}\nb", "ab"),
        ("a{{// a note\nof two lines}}b {{//}}c", "ab c"),
        ('{{banned "word"}}x{{bias "y"}}', "x"),
        ("{{time}} {{date}} {{weekday}}", "4:05 PM March 9, 2026 Monday"),
        ("{{isotime}} {{isodate}}", "16:05 2026-03-09"),
        ("{{datetimeformat DD.MM.YYYY [at] HH:mm:ss}}", "09.03.2026 at 16:05:07"),
        ("{{datetimeformat::dddd}}", "Monday"),
        ("{{time_UTC+9}} {{time_utc-3:30}} {{time_UTC}}", "11:05 PM 10:35 AM {{time_UTC}}"),
        ("{{timeDiff::2026-03-09 12:00::2026-03-09 10:00}}", "in 2 hours"),
        ("{{timeDiff::2026-03-01::2026-03-09}} {{timeDiff::x::y}}", "8 days ago {{timeDiff::x::y}}"),
        ("{{random::one}} {{random:one}} {{pick::one}}", "one one one"),
        ("{{random:a\\,b}}", "a,b"),
        ("{{random}} {{random::}}", "{{random}} "),
        ("{{roll:1d1}} {{roll 3d1+2}} {{roll::1d1-1}} {{roll:1}}", "1 5 0 1"),
        ("{{roll:0d6}} {{roll:1d0}} {{roll:2000d6}} {{roll:x}}",
         "{{roll:0d6}} {{roll:1d0}} {{roll:2000d6}} {{roll:x}}"),
        ("{{user::x}} {{time of day}}", "{{user::x}} {{time of day}}"),
        ("{{unknown::{{user}}}}", "{{unknown::Alex}}"),
        ("{{user", "{{user"),
        ("{{ {{user}} and {{char}}", "{{ Alex and Mara"),
        ("}}{{user}}}}", "}}Alex}}"),
        ('{"a": {"b": "{{user}}"}}', '{"a": {"b": "Alex"}}'),
    ],
)  # fmt: skip
def test_every_kind(text: str, expected: str) -> None:
    assert filled(text) == expected


def test_what_was_said() -> None:
    world: dict[str, Any] = {
        "last_message": "L", "last_user": "U {{char}}", "last_char": "C", "number": 12, "input": "typed",
    }  # fmt: skip
    text = "{{lastMessage}} {{lastUserMessage}} {{lastCharMessage}} {{lastMessageId}} {{input}}"
    assert filled(text, **world) == "L U {{char}} C 12 typed"
    assert filled(text) == "    "


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "a few seconds"), (44, "a few seconds"), (60, "a minute"), (300, "5 minutes"), (3600, "an hour"),
        (7200, "2 hours"), (86_400, "a day"), (3 * 86_400, "3 days"), (40 * 86_400, "a month"),
        (100 * 86_400, "3 months"), (400 * 86_400, "a year"), (1000 * 86_400, "3 years"),
    ],
)  # fmt: skip
def test_how_long(seconds: int, words: str) -> None:
    assert duration(timedelta(seconds=seconds)) == words
    assert filled("{{idle_duration}}", idle=timedelta(seconds=seconds)) == words


def test_who_never_wrote_was_never_away() -> None:
    assert filled("{{idle_duration}} {{idleDuration}}") == "just now just now"
    assert difference(NOON, NOON) == "a few seconds ago"


@given(st.datetimes(timezones=st.just(UTC)), st.text(max_size=30))
def test_any_format_is_written(moment: datetime, pattern: str) -> None:
    write(moment, pattern)


def test_texts_hold_macros_of_their_own() -> None:
    texts = {"description": "{{char}} is {{personality}}.", "personality": "{{user}}-like"}
    assert filled("{{description}}", texts) == "Mara is Alex-like."


def test_a_text_is_never_within_itself() -> None:
    texts = {"description": "a {{personality}}", "personality": "b {{description}}"}
    assert filled("{{description}}", texts) == "a b {{description}}"


def test_a_value_that_holds_a_macro_is_not_expanded_again() -> None:
    assert expander("{{char}}", "<user>")("{{user}} {{char}}") == "{{char}} <user>"
    assert filled("{{setvar::x::{{noop}}}}{{getvar::x}}") == ""
    stored = Variables({"x": "{{user}}"})
    assert filled("{{getvar::x}}", variables=stored) == "{{user}}"


def test_only_what_is_chosen_is_evaluated() -> None:
    variables = Variables()
    text = "{{random::{{setvar::a::1}}::{{setvar::b::1}}::{{setvar::c::1}}}}"
    assert filled(text, variables=variables) == ""
    assert len(variables.changes["chat"]) == 1


def test_a_value_does_not_split_a_list() -> None:
    found = {expand("{{random::{{user}}::x}}", {"user": "a::b"}, around=around(rng=random.Random(n)))
             for n in range(20)}  # fmt: skip
    assert found == {"a::b", "x"}


def test_a_pick_is_the_same_in_its_chat_and_at_its_place() -> None:
    text = "{{pick::a::b::c::d::e::f::g::h}}"
    first = filled(text)
    assert {filled(text, rng=random.Random(n)) for n in range(5)} == {first}
    assert filled("Something before. " + text).endswith(first)
    by_chat = {filled(text, seed=str(n)) for n in range(40)}
    by_place = {filled(text, place=str(n)) for n in range(40)}
    twice = {filled(text * 2, seed=str(n)) for n in range(40)}
    assert len(by_chat) > 3
    assert len(by_place) > 3
    assert any(one[0] != one[1] for one in twice)


def test_variables() -> None:
    variables = Variables({"mood": "calm", "n": "2"}, {"g": "1"})
    text = (
        "{{setvar::mood::angry at {{user}}}}{{getvar::mood}} {{addvar::n::3}}{{getvar::n}} {{incvar::n}} "
        "{{decvar::n}} {{addvar::mood::!}}{{getvar::mood}} {{getvar::none}}|{{incvar::new}}"
        "{{setglobalvar::h::x::y}}{{getglobalvar::h}} {{incglobalvar::g}} {{addglobalvar::g::0.5}}"
        "{{getglobalvar::g}} {{decglobalvar::g}} {{GETVAR::mood}}"
    )
    assert filled(text, variables=variables) == (
        "angry at Alex 5 6 5 angry at Alex! |1x::y 2 2.5 1.5 angry at Alex!"
    )
    assert variables.changes == {
        "chat": {"mood": "angry at Alex!", "n": "5", "new": "1"},
        "global": {"h": "x::y", "g": "1.5"},
    }
    assert filled("{{getvar}} {{setvar::x}} {{setvar}} {{incvar::}}") == (
        "{{getvar}} {{setvar::x}} {{setvar}} {{incvar::}}"
    )


def test_variables_have_limits() -> None:
    variables = Variables()
    filled("{{setvar::x::aa}}" + "{{setvar::x::{{getvar::x}}{{getvar::x}}}}" * 60, variables=variables)
    assert variables.get("chat", "x") == "a" * MAX_CHARS
    for number in range(MAX_COUNT + 50):
        variables.set("chat", f"v{number}", "1")
    assert len(variables.changes["chat"]) == MAX_COUNT
    variables.set("chat", "x", "still")
    assert variables.get("chat", "x") == "still"
    variables.set("global", "n" * 1000, "1")
    variables.set("global", "  ", "1")
    assert "global" not in variables.changes
    variables.set("chat", "v1", "9" * 5000)
    assert variables.add("chat", "v1", "1") == "9" * 5000 + "1"
    for odd in ("nan", "inf", "1e9", "٣"):
        variables.set("chat", "v2", odd)
        assert variables.add("chat", "v2", "1") == odd + "1"


# ── hostile ──────────────────────────────────────────────────────────────────────────────────────────────

NAMES = st.sampled_from([*FUNCTIONS, "user", "char", "description", "personality", "nothing"])
PIECES = st.recursive(
    st.sampled_from(["{{", "}}", "{", "}", "::", ":", ",", "x", "\n", "<user>", " ", "1d6", "9" * 30]),
    lambda inner: st.tuples(NAMES, st.lists(inner, max_size=3)).map(
        lambda made: "{{" + made[0] + "::" + "::".join(made[1]) + "}}"
    ),
    max_leaves=12,
)


@settings(max_examples=60, deadline=None)
@given(st.lists(PIECES, max_size=8).map("".join), st.lists(PIECES, max_size=4).map("".join))
def test_nothing_breaks_it_and_nothing_grows_without_end(text: str, other: str) -> None:
    variables = Variables({"x": other})
    out = filled(text, {"description": other + text, "personality": "{{description}}" + other},
                 variables=variables)  # fmt: skip
    # A macro left as it is written costs nothing; all others draw on one purse.
    assert len(out) <= 3 * (MAX_INSERTED + 2 * len(text) + 2 * len(other)) + 100


@given(st.text(alphabet="{}ab:<> \n", max_size=60))
def test_without_known_macros_a_text_is_kept(text: str) -> None:
    assert expand(text, {}, around=None) == text


@given(st.text(), st.text(), st.text())
def test_any_name_is_put_in_as_it_is(before: str, name: str, after: str) -> None:
    text = f"{before}{{{{user}}}}{after}"
    if text.count("{") == 2 and "<" not in text:
        assert expand(text, {"user": name}) == f"{before}{name}{after}"


@pytest.mark.parametrize(
    "text",
    [
        "{{" * 30_000,
        "{{user}}" * 15_000,
        "{{a" * 8_000 + "}}" * 8_000,
        "{{roll:1000d6}}" * 8_000,
        "{{random::" * 10_000 + "x" + "}}" * 10_000,
        "{{random::" + "a::" * 30_000 + "}}",
        "{{setvar::x::{{getvar::x}}{{getvar::x}}y}}" * 5_000,
        "{{description}}" * 8_000,
        "{{datetimeformat " + "[" * 15_000 + "}}",
        "<" * 60_000,
        "{{// " + "{{user}} " * 30_000 + "}}",
        "\n" * 30_000 + "{{trim}}" + "\n" * 30_000,
        "{{trim}}\n" * 8_000,
        "{{" + " " * 60_000 + "user}}",
        "{{user" + " " * 60_000 + "x}}",
    ],
    ids=range(15),
)
def test_hostile_texts_take_no_time_and_no_room(text: str) -> None:
    texts = {
        "description": "{{personality}}" * 50,
        "personality": "{{scenario}}" * 50,
        "scenario": "{{persona}}" * 50,
        "persona": "word " * 50,
    }
    began = time.thread_time()
    out = filled(text, texts)
    assert time.thread_time() - began < 5
    assert len(out) <= 2 * (MAX_INSERTED + len(text))


def test_depth_has_an_end() -> None:
    for depth, known in ((MAX_DEPTH - 1, True), (MAX_DEPTH, False), (MAX_DEPTH + 20, False)):
        text = "{{a " * depth + "{{user}}" + "}}" * depth
        assert filled(text + "{{user}}") == (text.replace("{{user}}", "Alex") if known else text) + "Alex"
    assert filled("{{random::" * 9 + "{{user}}" + "}}" * 9) == "Alex"
