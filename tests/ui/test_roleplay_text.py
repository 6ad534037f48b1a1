"""Roleplay Markdown: what is styled, what stays as typed, and that nothing gets through."""

from __future__ import annotations

import re
import time
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QImage, QPainter, QTextDocument

from memdesk.ui.roleplay_text import (
    RICH_LIMIT,
    Style,
    clean,
    render,
    render_plain,
    settled,
    spans,
    visible_text,
)
from memdesk.ui.theme import current_theme


class Colors:
    message_line_height = 23

    def hex(self, role: str) -> str:
        return {"speech": "#111111", "action": "#222222"}.get(role, "#333333")


THEME = Colors()


def styled(text: str, *, streaming: bool = False) -> list[tuple[str, Style]]:
    """Every visible character with its style."""
    return [
        (char, run.style)
        for block in spans(text, streaming=streaming)
        for run in block.runs
        for char in run.text
    ]


def part(text: str, style: Style) -> str:
    return "".join(char for char, has in styled(text) if style in has)


class _Reader(HTMLParser):
    """Collects the text and the tags of HTML by the rules of a browser's parser."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text = ""
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "br":
            self.text += "\n"

    handle_startendtag = handle_starttag

    def handle_data(self, data: str) -> None:
        self.text += data


def read(markup: str) -> _Reader:
    reader = _Reader()
    reader.feed(markup)
    reader.close()
    return reader


@pytest.mark.parametrize(
    "quoted",
    [
        '"Hi there"',
        "“Hi there”",
        "«Hi there»",
        "»Hi there«",
        "„Hi there“",
        "„Hi there”",
        "「你好」",
        "『你好』",
        "‹Hi›",
    ],
)
def test_speech_in_every_quote_style(quoted: str) -> None:
    assert part(f"She said {quoted} and left.", Style.SPEECH) == quoted


def test_emphasis_and_speech_cross_and_nest() -> None:
    assert part('*She says "come *here* now" softly.*', Style.SPEECH) == '"come here now"'
    text = '"Wait *for me" she* said'
    assert part(text, Style.SPEECH) == '"Wait for me"'
    assert part(text, Style.ACTION) == 'for me" she'
    assert part("「他说『你好』了」好", Style.SPEECH) == "「他说『你好』了」"


@pytest.mark.parametrize(
    ("text", "strong"),
    [
        ("**“你好”**他", "“你好”"),
        ("他说**「好」**了", "「好」"),
        ("这是**重点。**后面", "重点。"),
        ("a **b** c", "b"),
    ],
)
def test_strong_beside_cjk(text: str, strong: str) -> None:
    assert part(text, Style.STRONG) == strong
    assert "*" not in visible_text(text)


def test_action_beside_cjk() -> None:
    assert part("*他笑了。*「好」", Style.ACTION) == "他笑了。"
    assert part("「好。」*他笑了。*然后", Style.ACTION) == "他笑了。"


@pytest.mark.parametrize(
    "text",
    [
        "# not a heading",
        "line\n# 2",
        "- no list\n- at all",
        "1. no\n2. list",
        "    four spaces are not code",
        "\tnor is a tab",
        "> no quote",
        "| a | b |\n|---|---|",
        "5 * 3 * 2 and 2*3",
        "snake_case_name",
        "~~not struck~~",
        "<b>bold</b> & <imgs src=x> &amp; &lt;",
        "![no address]() ![] (x) <img",
        "[x](file:///etc/passwd) [x](javascript:alert(1)) [x](//host/share)",
        "<https://example.org>",
        "* a star with a space",
        "an unclosed *star",
        "an unclosed ` tick",
        "　　全角缩进",
        "a  b   c",
    ],
)
def test_stays_as_typed(text: str) -> None:
    document = QTextDocument()
    document.setHtml(render(text, THEME))
    shown = document.toRawText().replace("\u2028", "\n").replace("\u2029", "\n").replace("\u00a0", " ")
    assert shown == text
    assert visible_text(text) == text


def test_setext_underline_is_no_heading() -> None:
    blocks = spans("She left\n---\nand came back")
    assert [block.kind for block in blocks] == ["paragraph", "break", "paragraph"]
    assert visible_text("She left\n---\nand came back") == "She left\n---\nand came back"


def test_line_breaks_are_kept() -> None:
    document = QTextDocument()
    document.setHtml(render("one\ntwo\n\nthree", THEME))
    assert document.toPlainText() == "one\ntwo\nthree"
    assert document.blockCount() == 2


def test_code_keeps_everything() -> None:
    text = 'before\n```python\nif x < 3:\n    print("*no*")\n```\nafter'
    kinds = [(block.kind, block.runs[0].text) for block in spans(text)]
    assert kinds == [
        ("paragraph", "before"),
        ("code", 'if x < 3:\n    print("*no*")'),
        ("paragraph", "after"),
    ]
    assert part('see `*x* "y"` ok', Style.CODE) == '*x* "y"'
    assert part('see `*x* "y"` ok', Style.SPEECH) == ""


def test_only_web_links_and_only_as_data() -> None:
    tags = read(render("[go](https://example.org/a?b=1&c=2) [no](ftp://x)", THEME)).tags
    assert [attrs["href"] for tag, attrs in tags if tag == "a"] == ["https://example.org/a?b=1&c=2"]


def test_apostrophes_and_inches_are_no_speech() -> None:
    assert part("It's 5\" wide, isn't it", Style.SPEECH) == ""


def test_speech_over_paragraphs_reaches_to_the_end_of_each() -> None:
    text = '"First part.\n\n"Second part." Done.'
    assert part(text, Style.SPEECH) == '"First part."Second part."'


def _no_flicker(text: str) -> None:
    """Every beginning of a text that streams in looks like the beginning of the finished text."""
    final = styled(text)
    for end in range(len(text) + 1):
        now = styled(text[:end], streaming=True)
        # The very last character may still change sides: a quote mark shows its side by what follows.
        assert now[:-1] == final[: max(0, len(now) - 1)], text[:end]


@pytest.mark.parametrize(
    "text",
    [
        "*She turns slowly.* “I never **meant** it,” *she says*, and stops.",
        '*He looks up.* "Now *that* was close."\n\n*Silence.*\n\nThen `ping` and more.',
        "*她笑了。*「你好，**世界**。」她说。\n\n『好』",
        "***both*** and **strong *inner* strong** end",
    ],
)
def test_nothing_flickers_while_streaming(text: str) -> None:
    _no_flicker(text)


_word = st.text("abcdé你好", min_size=1, max_size=5)
_phrase = st.one_of(
    _word,
    _word.map(lambda w: f"*{w} {w}*"),
    _word.map(lambda w: f"**{w}**"),
    _word.map(lambda w: f"“{w} {w}”"),
    _word.map(lambda w: f"“{w} *{w}* {w}”"),
    _word.map(lambda w: f"*{w} “{w}” {w}*"),
    _word.map(lambda w: f"`{w}`"),
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(_phrase, min_size=1, max_size=4).map(" ".join), min_size=1, max_size=3).map("\n\n".join)
)
def test_well_formed_text_never_flickers(text: str) -> None:
    _no_flicker(text)


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from(list('a*“”`\n "')), max_size=60))
def test_what_is_settled_does_not_change(text: str) -> None:
    end = settled(text)
    assert spans(text[:end]) == spans(text)[: len(spans(text[:end]))]
    assert [*spans(text[:end]), *spans(text[end:])] == spans(text)


def test_unclosed_marks_style_to_the_end_while_streaming_only() -> None:
    assert styled("so *she", streaming=True)[-1] == ("e", Style.ACTION)
    assert part("so *she", Style.ACTION) == ""
    assert visible_text("so *she") == "so *she"


_nasty = st.text(
    st.one_of(
        st.sampled_from(list('*_`"“”„«»‹›「」『』[]()\\<>&#-~!|\n\r\t \u2028\x00\ufdd0\ufffc')),
        st.characters(),
    ),
    max_size=80,
)
_MARKUP = re.compile(r"[*_`\\\s]")


@settings(max_examples=400, deadline=None)
@given(_nasty, st.booleans())
def test_any_text_comes_out_safe_and_whole(text: str, streaming: bool) -> None:
    markup = render(text, THEME, streaming=streaming)
    reader = read(markup)
    assert {tag for tag, _ in reader.tags} <= {"p", "span", "br", "a"}
    for tag, attributes in reader.tags:
        assert set(attributes) <= {"style", "align"} | ({"href"} if tag == "a" else set())
        assert not attributes.get("href") or re.match("https?://", attributes["href"] or "")
    if not streaming:
        shown = "".join(run.text for block in spans(text) for run in block.runs)
        assert re.sub(r"\s", "", reader.text.replace("\u00a0", "")) == re.sub(
            r"\s", "", shown.replace("\u00a0", "")
        )


@settings(max_examples=400, deadline=None)
@given(_nasty.filter(lambda text: "```" not in text and "](" not in text))
def test_visible_text_is_the_source_without_markup(text: str) -> None:
    assert _MARKUP.sub("", visible_text(text)) == _MARKUP.sub("", clean(text))


@settings(max_examples=200, deadline=None)
@given(_nasty)
def test_qt_shows_what_we_say(text: str) -> None:
    document = QTextDocument()
    document.setHtml(render(text, THEME))
    shown = document.toPlainText()
    assert re.sub(r"\s", "", shown) == re.sub(r"\s", "", visible_text(text))


@pytest.mark.parametrize(
    "hostile",
    [
        "*",
        "* ",
        "*a ",
        "a* ",
        "*_",
        "**a",
        "*a**",
        "`",
        "[",
        "[a](",
        '"',
        "“",
        "“„«‹",
        "\\",
        "<",
        "&",
        "a`",
        "\n",
        "_a",
    ],
)
def test_hostile_texts_take_linear_time(hostile: str) -> None:
    text = (hostile * RICH_LIMIT)[:RICH_LIMIT]
    # What this thread computes; other programs may be using the processor as well.
    started = time.thread_time()
    render(text, THEME)
    render(text, THEME, streaming=True)
    assert time.thread_time() - started < 4


def test_a_huge_text_is_shown_plain() -> None:
    text = "*x* " * RICH_LIMIT
    started = time.thread_time()
    markup = render(text, THEME)
    assert time.thread_time() - started < 1
    assert markup == render_plain(text, THEME)
    assert "*x*" in markup


def test_an_action_in_arabic_shows_letters_and_no_boxes(qapp: Any) -> None:  # noqa: ARG001
    def painted(words: str) -> QImage:
        document = QTextDocument()
        document.setDefaultFont(current_theme().font("message"))
        document.setHtml(render(words, current_theme()))
        picture = QImage(300, 60, QImage.Format.Format_RGB32)
        picture.fill(0xFFFFFFFF)
        painter = QPainter(picture)
        document.drawContents(painter)
        painter.end()
        return picture

    # Boxes look the same whatever they stand for.
    assert painted("*\u062f\u0631\u0632*") != painted("*\u0627\u0648\u0630*")
    assert "font-style:normal" in render("*she \u0644\u064a\u0644\u0649 <b>*", current_theme())
    assert "font-style:normal" not in render("*she <b> \u7b11*", current_theme())
