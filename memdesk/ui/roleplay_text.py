"""Roleplay Markdown to safe rich text for Qt.

    render(text, theme, streaming=False) -> str   HTML that Qt shows as `visible_text(text)`
    spans(text, streaming=False) -> list[Block]   the same before colours, for tests and exports
    settled(text, start=0) -> int         how much of a growing text will not change its look any more
    clean(text) -> str                    characters a text document cannot hold, made harmless
    RICH_LIMIT = 20_000                   characters; longer texts are shown plain (`render_plain`)

What is markup: `*action*` and `_action_` (italic, action colour), `**strong**`, `` `code` ``, ``` fences,
`[text](http(s)://…)`, a backslash before punctuation, and a line of only `***`, `---` or `___`
(a scene break).
Everything else stands as it was typed: line breaks, spaces, `#`, `-`, `1.`, `>`, tables, HTML. In the place
of a picture (`![name](address)`, `<img>`) stands which one was not loaded.

Speech in "…", “…”, „…“, «…», »…«, ‹…›, 「…」 and 『…』 gets the speech colour. Styles are laid
over the characters, so speech and emphasis may cross or nest in any way.

Unclosed markup: speech without its closing mark reaches to the end of its paragraph (as in print, where a
speech of several paragraphs opens each of them). An unclosed `*`, `_` or backtick stays a literal character;
while the text still streams in, it styles the last paragraph to its end, because its closing mark is likely
still to come. So nothing changes its look when the mark arrives.

The bare inline grammar is markdown-it-py's; the emphasis rule follows the CJK-friendly amendment
(https://github.com/tats-u/markdown-cjk-friendly): a CJK neighbour counts like a space or punctuation, so that
`**“你好”**他` is strong.
"""

from __future__ import annotations

import enum
import functools
import html
import itertools
import re
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from markdown_it import MarkdownIt
from markdown_it.common.utils import isMdAsciiPunct, isPunctChar, isWhiteSpace
from markdown_it.rules_inline.state_inline import Delimiter, StateInline

from memdesk.ui.blocked_pictures import picture_rule

if TYPE_CHECKING:
    from markdown_it.token import Token

RICH_LIMIT = 20_000
"""Longest text in characters that gets styles: prose takes some 60 ms, the most hostile text found 300 ms."""

PARAGRAPH_GAP = 7
"""Pixels between paragraphs."""

MARKUP_START = frozenset('*_`[\\"“”„«»‹›「」『』\n-')
"""Characters that can change the look of what follows or went before."""


class Style(enum.Flag):
    """What a run of characters looks like."""

    PLAIN = 0
    ACTION = enum.auto()
    STRONG = enum.auto()
    SPEECH = enum.auto()
    CODE = enum.auto()
    PICTURE = enum.auto()
    """Words in the place of a picture"""


@dataclass(frozen=True, slots=True)
class Run:
    """Characters of one look; `href` is an http or https address or ""."""

    text: str
    style: Style = Style.PLAIN
    href: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a code block or a scene break."""

    kind: Literal["paragraph", "code", "break"]
    runs: list[Run] = field(default_factory=list)


class Colors(Protocol):
    """The part of a theme that is needed here."""

    @property
    def message_line_height(self) -> int:
        """Pixels."""

    def hex(self, role: str) -> str:
        """Return `#rrggbb`."""


# -- characters -------------------------------------------------------------------------------------------

# Qt marks frames inside a document with U+FDD0 and U+FDD1, objects with U+FFFC, and breaks lines at the two
# separators; lone surrogates cannot be encoded at all.
_BAD = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufdd0-\ufdef\ufffc\ufffe\uffff\ud800-\udfff]")
_NEWLINE = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")


def clean(text: str) -> str:
    """Return the text with one kind of line end and unusable characters as U+FFFD, one for one."""
    return _BAD.sub("\ufffd", _NEWLINE.sub("\n", text))


# -- inline grammar ---------------------------------------------------------------------------------------

_CJK = re.compile(
    "[\u1100-\u11ff\u2e80-\u303f\u3040-\u30ff\u3100-\u312f\u3130-\u318f\u31a0-\u31ff\u3200-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U0001b000-\U0001b16f\U00020000-\U0003ffff]"
)
_LINK = re.compile(r"\[([^\[\]\n]{1,300})\]\((https?://[^\s()<>\"'`\\]{1,2000})\)")
_BACKTICKS = re.compile("`+")


def _is_punctuation(char: str) -> bool:
    return isMdAsciiPunct(ord(char)) or isPunctChar(char)


def _flanks(before: str, after: str) -> tuple[bool, bool, bool, bool]:
    """Return left-flanking, right-flanking, punctuation before, punctuation after."""
    space_before, space_after = isWhiteSpace(ord(before)), isWhiteSpace(ord(after))
    punct_before, punct_after = _is_punctuation(before), _is_punctuation(after)
    cjk = bool(_CJK.match(before) or _CJK.match(after))
    left = not space_after and (not punct_after or space_before or punct_before or cjk)
    right = not space_before and (not punct_before or space_after or punct_after or cjk)
    return left, right, punct_before, punct_after


def _emphasis(state: StateInline, silent: bool) -> bool:
    marker = state.src[state.pos]
    if silent or marker not in "*_":
        return False
    start = end = state.pos
    while end < state.posMax and state.src[end] == marker:
        end += 1
    before = state.src[start - 1] if start else " "
    after = state.src[end] if end < state.posMax else " "
    left, right, punct_before, punct_after = _flanks(before, after)
    if marker == "_":
        left, right = left and (not right or punct_before), right and (not left or punct_after)
    for _ in range(end - start):
        token = state.push("text", "", 0)
        token.content = marker
        delimiter = Delimiter(ord(marker), end - start, len(state.tokens) - 1, -1, left, right)
        state.delimiters.append(delimiter)
        if left and (not right or not before.isalnum() or _CJK.match(before)):
            state.env["openers"].add(delimiter.token)
    state.pos = end
    return True


def _open_end(state: StateInline) -> None:
    """Let emphasis that is still open reach to the end, when more text is on its way."""
    if not state.env.get("open_end"):
        return
    covered = -1
    waiting: list[Delimiter] = []
    for index, delimiter in enumerate(state.delimiters):
        covered = max(covered, delimiter.end)
        token = state.tokens[delimiter.token]
        if index > covered and token.type == "text" and delimiter.token in state.env["openers"]:
            waiting.append(delimiter)
    at = 0
    while at < len(waiting):
        first = waiting[at]
        token = state.tokens[first.token]
        pair = at + 1 < len(waiting) and waiting[at + 1].token == first.token + 1
        token.type, token.content = ("strong_open" if pair else "em_open"), ""
        if pair:
            state.tokens[waiting[at + 1].token].content = ""
        at += 2 if pair else 1


def _code(state: StateInline, silent: bool) -> bool:
    found = _BACKTICKS.match(state.src, state.pos)
    if silent or found is None:
        return False
    ends: dict[str, deque[int]] | None = state.env.get("backticks")
    if ends is None:
        ends = state.env["backticks"] = {}
        for run in _BACKTICKS.finditer(state.src):
            ends.setdefault(run.group(), deque()).append(run.start())
    positions = ends[found.group()]
    positions.popleft()
    if positions:
        stop, after = positions[0], positions[0] + len(found.group())
        positions.popleft()
    elif state.env.get("open_end"):
        stop = after = state.posMax
    else:
        state.append_pending(found.group())
        state.pos = found.end()
        return True
    state.push("code_inline", "code", 0).content = state.src[found.end() : stop]
    # Runs of other lengths inside the code are gone.
    for places in ends.values():
        while places and places[0] < after:
            places.popleft()
    state.pos = after
    return True


def _link(state: StateInline, silent: bool) -> bool:
    if silent or state.src[state.pos] != "[":
        return False
    found = _LINK.match(state.src, state.pos)
    if found is None:
        return False
    token = state.push("web_link", "a", 0)
    token.content = found.group(1)
    token.meta = {"href": found.group(2)}
    state.pos = found.end()
    return True


@functools.cache
def _grammar() -> MarkdownIt:
    md = MarkdownIt("zero", {"html": False, "linkify": False, "maxNesting": 20})
    md.enable(["text", "escape", "balance_pairs", "emphasis"])
    md.inline.ruler.at("emphasis", _emphasis)
    md.inline.ruler.before("emphasis", "roleplay_code", _code)
    md.inline.ruler.after("emphasis", "web_link", _link)
    md.inline.ruler.after("emphasis", "picture", picture_rule)
    md.inline.ruler2.after("emphasis", "open_end", _open_end)
    return md


def _inline(text: str, open_end: bool) -> list[Run]:
    tokens: list[Token] = []
    md = _grammar()
    md.inline.parse(text, md, {"open_end": open_end, "openers": set()}, tokens)
    runs: list[Run] = []
    action = strong = 0
    for token in tokens:
        match token.type:
            case "em_open":
                action += 1
            case "em_close":
                action -= 1
            case "strong_open":
                strong += 1
            case "strong_close":
                strong -= 1
            case "hardbreak":
                runs.append(Run("\\\n" if token.markup == "" else "\n"))
            case _ if token.content:
                style = {"code_inline": Style.CODE, "picture": Style.PICTURE}.get(token.type, Style.PLAIN)
                style |= Style.ACTION if action else Style.PLAIN
                style |= Style.STRONG if strong else Style.PLAIN
                runs.append(Run(token.content, style, token.meta.get("href", "")))
    alike = itertools.groupby(runs, key=lambda run: (run.style, run.href))
    return [Run("".join(run.text for run in group), style, href) for (style, href), group in alike]


# -- speech -----------------------------------------------------------------------------------------------

_CLOSERS = {
    '"': '"',
    "“": "”",
    "„": "“”",
    "«": "»",
    "»": "«",
    "‹": "›",
    "「": "」",
    "『": "』",
}
_QUOTE = re.compile('["“”„«»‹›「」『』]')


def _may_open(before: str, after: str) -> bool:
    """Tell whether a mark that looks the same at both ends opens: `5" wide` and `he said. "` do not."""
    if after and isWhiteSpace(ord(after)):
        return False
    return not before or not before.isalnum() or bool(_CJK.match(before))


def _speech_ranges(text: str, code: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return where outermost speech begins and ends, marks included; unclosed speech reaches to the end."""
    ranges: list[tuple[int, int]] = []
    stack: list[tuple[str, int]] = []
    code_at = 0
    for found in _QUOTE.finditer(text):
        at, mark = found.start(), found.group()
        while code_at < len(code) and code[code_at][1] <= at:
            code_at += 1
        if code_at < len(code) and code[code_at][0] <= at:
            continue
        depth = next((d for d in range(len(stack) - 1, -1, -1) if mark in _CLOSERS[stack[d][0]]), None)
        if depth is not None:
            start = stack[depth][1]
            del stack[depth:]
            if not stack:
                ranges.append((start, at + 1))
        elif len(stack) < 8 and _opens(mark, text, at):
            stack.append((mark, at))
    if stack:
        ranges.append((stack[0][1], len(text)))
    return ranges


def _opens(mark: str, text: str, at: int) -> bool:
    if mark not in _CLOSERS:
        return False
    before, after = text[at - 1 : at] if at else "", text[at + 1 : at + 2]
    return mark not in '"»' or _may_open(before, after)


def _lay_speech(runs: list[Run]) -> list[Run]:
    text = "".join(run.text for run in runs)
    if not _QUOTE.search(text):
        return runs
    code: list[tuple[int, int]] = []
    at = 0
    for run in runs:
        if Style.CODE in run.style:
            code.append((at, at + len(run.text)))
        at += len(run.text)
    ranges = _speech_ranges(text, code)
    result: list[Run] = []
    at = index = 0
    for run in runs:
        position, end = at, at + len(run.text)
        while position < end:
            while index < len(ranges) and ranges[index][1] <= position:
                index += 1
            start, stop = ranges[index] if index < len(ranges) else (end, end)
            inside = start <= position
            until = min(end, stop if inside else start)
            style = run.style | Style.SPEECH if inside else run.style
            result.append(Run(run.text[position - at : until - at], style, run.href))
            position = until
        at = end
    return result


# -- blocks -----------------------------------------------------------------------------------------------

_FENCE = re.compile(r" {0,3}(`{3,})[^`]*$")
_BREAK = re.compile(r" {0,3}([*_-])\1{2,}[ \t]*$")


def _split(text: str, streaming: bool) -> list[tuple[str, str]]:
    """Return (kind, source) of the blocks; blank lines only separate."""
    blocks: list[tuple[str, str]] = []
    lines: list[str] = []
    fence = ""

    def flush(kind: str) -> None:
        if lines or kind == "code":
            blocks.append((kind, "\n".join(lines)))
        lines.clear()

    source = text.split("\n")
    for number, line in enumerate(source):
        if fence:
            closing = line.strip(" ")
            if closing.startswith(fence) and not closing.strip("`"):
                flush("code")
                fence = ""
            elif not (streaming and number == len(source) - 1 and closing and not closing.strip("`")):
                lines.append(line)
        elif opened := _FENCE.match(line):
            flush("paragraph")
            fence = opened.group(1)
        elif not line.strip():
            flush("paragraph")
        elif _BREAK.match(line) and not (streaming and number == len(source) - 1):
            flush("paragraph")
            blocks.append(("break", line.strip()))
        else:
            lines.append(line)
    flush("code" if fence else "paragraph")
    return blocks


def spans(text: str, *, streaming: bool = False) -> list[Block]:
    """Return the blocks of a text with their styles.

    With `streaming`, a run of marks at the very end is held back until what follows tells what it means.
    """
    text = clean(text)
    if streaming:
        text = text.rstrip("*_`\\")
    pieces = _split(text, streaming)
    blocks: list[Block] = []
    for number, (kind, source) in enumerate(pieces):
        if kind == "paragraph":
            last = streaming and number == len(pieces) - 1 and not text.endswith("\n\n")
            blocks.append(Block("paragraph", _lay_speech(_inline(source, last))))
        elif kind == "code":
            blocks.append(Block("code", [Run(source, Style.CODE)]))
        else:
            blocks.append(Block("break", [Run(source)]))
    return blocks


def settled(text: str, start: int = 0) -> int:
    """Return the offset behind the last blank line from `start` on that is outside a code block.

    What stands before it looks the same whatever follows. `start` is 0 or an earlier result.
    """
    fence = ""
    at = result = start
    for line in text[start:].split("\n")[:-1]:
        at += len(line) + 1
        bare = line.strip(" \r")
        if fence:
            fence = "" if bare.startswith(fence) and not bare.strip("`") else fence
        elif opened := _FENCE.match(line):
            fence = opened.group(1)
        elif not line.strip():
            result = at
    return result


def visible_text(text: str) -> str:
    """Return what a reader sees of a text: markup gone, paragraphs separated by a line end."""
    return "\n".join("".join(run.text for run in block.runs) for block in spans(text))


# -- HTML -------------------------------------------------------------------------------------------------


_SLANTLESS = "[\u0600-\u08ff\ufb50-\ufdff\ufe70-\ufeff]+"
_UPRIGHT = re.compile(f"{_SLANTLESS}(?: +{_SLANTLESS})*")
"""Arabic and its neighbours have no slanted letters: fonts lack them, boxes would stand in their place."""


def _escape(text: str) -> str:
    return html.escape(text).replace("\n", "<br/>")


def _run_html(run: Run, theme: Colors) -> str:
    css = ""
    if Style.SPEECH in run.style:
        css = f"color:{theme.hex('speech')};"
    elif Style.ACTION in run.style:
        css = f"color:{theme.hex('action')};"
    if Style.ACTION in run.style:
        css += "font-style:italic;"
    if Style.STRONG in run.style:
        css += "font-weight:600;"
    if Style.PICTURE in run.style:
        css += f"color:{theme.hex('text_soft')};background-color:{theme.hex('sunken')};"
    if Style.CODE in run.style:
        css += f"font-family:monospace;background-color:{theme.hex('sunken')};"
    body = _escape(run.text)
    if Style.ACTION in run.style:
        body = _UPRIGHT.sub(r'<span style="font-style:normal;">\g<0></span>', body)
    if run.href:
        body = f'<a href="{html.escape(run.href)}" style="color:{theme.hex("accent")};">{body}</a>'
    return f'<span style="{css}">{body}</span>' if css else body


def _block_html(block: Block, theme: Colors, margin: int) -> str:
    line = f"line-height:{theme.message_line_height}px;-qt-line-height-type:minimum;"
    base = f"margin-top:{margin}px;margin-bottom:0;white-space:pre-wrap;"
    body = "".join(_run_html(run, theme) for run in block.runs)
    if block.kind == "break":
        return f'<p align="center" style="{base}{line}color:{theme.hex("text_soft")};">{body}</p>'
    if block.kind == "code":
        ground = f"background-color:{theme.hex('sunken')};font-family:monospace;"
        return f'<p style="{base}{ground}">{_escape(block.runs[0].text) or "&nbsp;"}</p>'
    return f'<p style="{base}{line}">{body}</p>'


def render(text: str, theme: Colors, *, streaming: bool = False, continued: bool = False) -> str:
    """Return rich text for Qt; every character of the user's is escaped.

    `continued`: it goes on below other text, its first paragraph keeps its distance. Texts above `RICH_LIMIT`
    characters come out as `render_plain` writes them.
    """
    if len(text) > RICH_LIMIT:
        return render_plain(text, theme)
    blocks = spans(text, streaming=streaming)
    return "".join(
        _block_html(block, theme, PARAGRAPH_GAP if at or continued else 0) for at, block in enumerate(blocks)
    )


def render_plain(text: str, theme: Colors) -> str:
    """Return rich text that shows the text as it is, one paragraph a line."""
    lines = clean(text).split("\n")
    return "".join(_block_html(Block("paragraph", [Run(line or " ")]), theme, 0) for line in lines)
