from __future__ import annotations

import time

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from memdesk.memory.split import split_message

FAMILY = "👨‍👩‍👧‍👦"
ALPHABET = st.one_of(
    st.characters(),
    st.sampled_from([*"ab .!?,;:\"'*_~`()\r\n\t。！？…，、；：」』”“—\u0301\u200d👩🇫🇷가"]),
)
TEXTS = st.text(ALPHABET, max_size=200)


def bare(text: str) -> str:
    return "".join(text.split())


def graphemes(text: str) -> list[str]:
    return regex.findall(r"\X", text)


@given(TEXTS, st.integers(min_value=1, max_value=60))
@example("a \u0301b", 1)
@example("e\u0301" * 50, 1)
@example("a\r\nb", 1)
@example("\ud83d\ude00" * 3, 3)
def test_nothing_is_lost_invented_or_moved(text: str, limit: int) -> None:
    pieces = split_message(text, limit)
    assert bare("".join(pieces)) == bare(text)
    ends = [0]
    for grapheme in graphemes(text):
        ends.append(ends[-1] + len(grapheme))
    place = 0
    for piece in pieces:
        assert piece.strip()
        assert len(piece) <= limit or len(graphemes(piece)) == 1
        place = text.index(piece, place)
        assert place in ends or text[place - 1].isspace()
        place += len(piece)
        assert place in ends or text[place : place + 1].isspace()


@given(TEXTS, st.integers(min_value=0, max_value=60), st.integers(min_value=1, max_value=20))
def test_no_piece_has_too_many_tokens(text: str, limit: int, tokens: int) -> None:
    pieces = split_message(text, limit, hard_tokens=tokens, count=len)
    assert bare("".join(pieces)) == bare(text)
    assert all(len(piece) <= tokens or len(graphemes(piece)) == 1 for piece in pieces)


@given(TEXTS)
def test_a_boundary_always_separates(text: str) -> None:
    middle = text.replace("-", "")
    pieces = split_message(f"start---{middle}---end", 0, "---")
    assert bare("|".join(pieces)).startswith("start")
    assert bare("".join(pieces)).replace("-", "") == bare(f"start{middle}end")
    assert pieces[-1] == "end"


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("", 400, []),
        (" \r\n\t ", 400, []),
        ("abcdef", 6, ["abcdef"]),
        ("One two.", 400, ["One two."]),
        ("aaaa bbbb\n\ncc\ndd", 6, ["aaaa", "bbbb", "cc\ndd"]),
        ("First paragraph.\r\n\r\nSecond one.", 20, ["First paragraph.", "Second one."]),
        ("Line one\r\nLine two", 10, ["Line one", "Line two"]),
        ("He came. He saw. He won.", 17, ["He came. He saw.", "He won."]),
        ("“Go away!” she said. *He leaves.* Silence.", 34, ["“Go away!” she said. *He leaves.*", "Silence."]),
        ("“Go away!” she said. He stays.", 12, ["“Go away!”", "she said.", "He stays."]),
        ("Dr. Ames has the key. He is late.", 22, ["Dr. Ames has the key.", "He is late."]),
        ("Pi is 3.14159 or so. Yes.", 20, ["Pi is 3.14159 or so.", "Yes."]),
        ("今天天气很好。我们去公园吧！好不好？", 8, ["今天天气很好。", "我们去公园吧！", "好不好？"]),
        ("“你来了。”他笑了。", 6, ["“你来了。”", "他笑了。"]),
        ('他说。"你好。"她走了。', 5, ["他说。", '"你好。"', "她走了。"]),
        ("「待って。」彼は言った。", 7, ["「待って。」", "彼は言った。"]),
        ("先去北门，再去找老周；快点", 6, ["先去北门，", "再去找老周；", "快点"]),
        ("नमस्ते। आप कैसे हैं।", 13, ["नमस्ते।", "आप कैसे हैं।"]),
        ("كيف حالك؟ أنا بخير.", 10, ["كيف حالك؟", "أنا بخير."]),
        ("one, two three, four five", 11, ["one,", "two three,", "four five"]),
        ("unbreakable", 4, ["unbr", "eaka", "ble"]),
        ("Hello, world!", 1, list("Hello,world!")),
        ("😀😀😀", 3, ["😀😀😀"]),
        ("x😀😀😀", 2, ["x😀", "😀😀"]),
        (FAMILY * 2, 8, [FAMILY, FAMILY]),
        (FAMILY * 2, 1, [FAMILY, FAMILY]),
        ("🇫🇷🇩🇪", 3, ["🇫🇷", "🇩🇪"]),
    ],
)
def test_where_it_cuts(text: str, limit: int, expected: list[str]) -> None:
    assert split_message(text, limit) == expected


def test_a_custom_boundary_is_not_merged_back() -> None:
    assert split_message("A---B---C", 400, "---") == ["A", "B", "C"]
    assert split_message("A\r\n\r\nB", 400, "\n\n") == ["A", "B"]
    assert split_message("A(+)B", 400, "(+)") == ["A", "B"]


def test_no_limit_keeps_the_message_whole() -> None:
    text = "A sentence that goes on. " * 100
    assert split_message(text, 0) == [text.strip()]
    assert split_message(text, -5) == [text.strip()]


def test_pieces_come_near_the_limit() -> None:
    pieces = split_message("Nobody knew where the key was. " * 200, 400)
    assert all(350 < len(piece) <= 400 for piece in pieces[:-1])


def test_ten_thousand_characters_without_spaces() -> None:
    text = "守塔人在台阶下面发现了一把钥匙" * 667
    pieces = split_message(text, 400)
    assert "".join(pieces) == text
    assert [len(piece) for piece in pieces[:-1]] == [400] * (len(pieces) - 1)


@pytest.mark.parametrize(
    "text",
    [
        "He found a key under the step, and nobody knew. " * 21_000,
        "守塔人在台阶下面发现了一把钥匙。" * 62_500,
        "." * 1_000_000 + "x",
        ",;" * 500_000 + "x",
        "。" + '"*' * 500_000,
        " " * 1_000_000 + "\u0301",
        "a\n" * 500_000,
        "\n" + " " * 1_000_000 + "x",
        "x" * 1_000_000,
        FAMILY * 143_000,
        "e" + "\u0301" * 1_000_000,
    ],
    ids=range(11),
)
@pytest.mark.timeout(30)
def test_a_megabyte_takes_linear_time(text: str) -> None:
    begun = time.process_time()
    pieces = split_message(text)
    # 2 s on a quiet machine; quadratic time would be hours.
    assert time.process_time() - begun < 8
    assert bare("".join(pieces)) == bare(text)


def test_a_counter_that_never_agrees_ends() -> None:
    assert split_message("abc def", 400, count=lambda _: 10_000) == list("abcdef")
