"""Every reason of a receipt has its sentence in the window, with the same numbers in it."""

from __future__ import annotations

import string
from dataclasses import asdict, replace
from typing import Any, get_args

import pytest
from PySide6.QtCore import QCoreApplication, QTranslator
from PySide6.QtWidgets import QApplication

from memdesk.memory.recall.ranking import Scored, fuse
from memdesk.prompt.parts import REASONS, ROLES, Part, Placement, Reason, Where
from memdesk.ui.reasons import (
    WEIGHTS,
    part_title,
    place_words,
    reason_text,
    score_sum,
    score_words,
    source_title,
)
from memdesk.ui.theme import CONTEXT_SOURCES

VALUES: dict[str, Any] = {"score": 0.8349, "place": 4, "limit": 3, "threshold": 0.25, "count": 5}


def values_of(code: str) -> dict[str, Any]:
    names = {field for _, field, _, _ in string.Formatter().parse(REASONS[code]) if field}
    return {name: VALUES[name] for name in names}


@pytest.mark.parametrize("code", sorted(REASONS))
def test_every_code_has_the_library_s_sentence_as_its_source(code: str) -> None:
    reason = Reason(code, values_of(code))
    assert reason_text(reason) == str(reason)
    assert "{" not in reason_text(reason)


def test_numbers_stand_in_the_sentence() -> None:
    assert reason_text(Reason("over_limit", {"place": 4, "limit": 3})) == "place 4: only the best 3 are sent"
    assert reason_text(Reason("below_threshold", {"threshold": 0.25})) == "below threshold 0.25"


def test_an_unknown_code_is_not_silently_made_up() -> None:
    with pytest.raises(KeyError):
        reason_text(Reason("because"))


def test_the_place_of_a_part_in_words() -> None:
    for where in get_args(Where):
        for role in ROLES:
            assert place_words({"placement": asdict(Placement(where, 3, role))})
    assert place_words({"placement": asdict(Placement("in_chat", 2, "user"))}) == (
        "in the chat at depth 2, as the user"
    )
    assert place_words({"chunk": 1}) == ""


def test_a_translation_reaches_the_sentence(qapp: QApplication) -> None:
    class Backwards(QTranslator):
        def translate(self, context: str, text: str, disambiguation: str | None = None, n: int = -1) -> str:
            del disambiguation, n
            return f"<{text}>" if context in {"Reasons", "Parts"} else ""

        def isEmpty(self) -> bool:  # noqa: N802
            return False

    translator = Backwards()
    qapp.installTranslator(translator)
    try:
        assert reason_text(Reason("no_room", {"limit": 1536})) == "<no room: 1536-token limit>"
        assert source_title("memory") == "<Memories>"
        assert part_title("Scenario") == "<Scenario>"
        assert score_words({"meaning": 0.5}) == "<meaning> 0.50"
    finally:
        QCoreApplication.removeTranslator(translator)
    assert reason_text(Reason("empty")) == "empty"


def test_names_of_things_stay_as_they_are_in_one_line() -> None:
    assert part_title("#12 Ann\n<b>\"'👻") == "#12 Ann <b>\"'👻"
    assert [source_title(source) for source in CONTEXT_SOURCES]
    with pytest.raises(KeyError):
        source_title("horoscope")


def test_scores_leave_out_credits_of_nothing() -> None:
    scores = {"meaning": 0.0, "words": 0.52, "neighbour": 0.0, "speaker": 0.1}
    assert score_words(scores) == "meaning 0.00 · words 0.52 · speaker 0.10"
    assert score_words({}) == ""


def test_a_score_says_how_it_was_made() -> None:
    beside, item = Scored(1, turn=1, dense=0.4), Scored(2, turn=2, dense=0.56, words=0.75)
    fuse([beside, item], "where")
    ranked = Part(
        "memory", "#2", "x", 5, included=True, reason=Reason("always"), score=item.score, scores=item.parts
    )
    first, second = score_sum(ranked).splitlines()
    assert f"meaning 0.56 × {WEIGHTS['meaning']:g} + words 0.75 × {WEIGHTS['words']:g} + neighbour" in first
    assert second.startswith(f"{item.score:.2f} comes from {first.split(' = ')[0]}")


def test_a_score_of_other_weights_says_nothing_wrong() -> None:
    old = Part(
        "memory", "#2", "x", 5, included=True, reason=Reason("always"), score=0.9, scores={"meaning": 0.1}
    )
    assert score_sum(old) == ""
    assert score_sum(replace(old, score=None, scores={})) == ""
