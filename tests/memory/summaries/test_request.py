from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdesk.memory.summaries.due import words_in
from memdesk.memory.summaries.request import BadSummary, read_answer
from memdesk.memory.summaries.templates import PROMPT_CHARS, built_in

CAST = {"Mara", "Alex", "艾莉亚"}


@pytest.mark.parametrize(
    "raw",
    [
        '{"title": "At the inn", "summary": "They met."}',
        '```json\n{"title": "At the inn", "summary": "They met."}\n```',
        'Here it is:\n{"name": "At the inn", "summary": "They met."}\nAnything else?',
        '<think>{"summary": "no"}</think>{"title": "At the inn", "summary": ["They met."]}',
    ],
)
def test_json_is_read_however_it_is_wrapped(raw: str) -> None:
    answer = read_answer(raw, "stop", CAST)
    assert (answer.title, answer.text) == ("At the inn", "They met.")


@pytest.mark.parametrize("raw", ["They met at the inn.", "{not json} They met.", '{"title": "only"}', "[]"])
def test_anything_else_is_the_summary_itself(raw: str) -> None:
    answer = read_answer(raw, "stop", CAST)
    assert (answer.title, answer.text) == ("", raw)


@pytest.mark.parametrize(
    ("raw", "finish", "code"),
    [
        ("", "stop", "empty"),
        ("  \n ", "stop", "empty"),
        ("<think>They met, and then", "stop", "empty"),
        ('{"title": "x", "summary": " "}', "stop", "empty"),
        ("They met at", "length", "cut_off"),
        ("*She turns away.* “Leave me.”", "stop", "continuation"),
        ("Mara: I will not go.\nAlex: You must.", "stop", "continuation"),
        ("**艾莉亚:** 你来了。", "stop", "continuation"),
    ],
)
def test_what_is_no_summary_is_refused(raw: str, finish: str, code: str) -> None:
    with pytest.raises(BadSummary) as failure:
        read_answer(raw, finish, CAST)
    assert failure.value.code == code


def test_a_name_inside_the_summary_is_no_speech() -> None:
    text = "Mara and Alex met.\nMara: now a knight.\nThe inn burnt down.\nAlex left."
    assert read_answer(text, "stop", CAST).text == text


@given(st.text(max_size=300))
def test_no_answer_breaks_it(raw: str) -> None:
    try:
        answer = read_answer(raw, "stop", CAST)
    except BadSummary:
        return
    assert answer.text.strip() == answer.text != ""


@given(st.text('abc \n"\\{}[]，。', min_size=1, max_size=200).filter(str.strip))
def test_what_is_put_into_json_comes_out(text: str) -> None:
    answer = read_answer(json.dumps({"title": "A", "summary": text}), "stop", ())
    assert (answer.title, answer.text) == ("A", text.strip())


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("They met.", 2),
        ("don't stop", 2),
        ("Élodie aime Ольга", 3),
        ("关云长温酒斩华雄", 8),
        ("佐藤あかり", 5),
        ("她说 hello 了", 4),
        ("…!? — ", 0),
        ("", 0),
    ],
)
def test_words_are_counted_in_every_script(text: str, count: int) -> None:
    assert words_in(text) == count


def test_the_templates_that_come_along_are_whole() -> None:
    assert {template.language for template in built_in().values()} == {"en", "zh"}
    for template in built_in().values():
        assert "{{words}}" in template.text
        assert '"summary"' in template.text
        assert len(template.text) < PROMPT_CHARS
