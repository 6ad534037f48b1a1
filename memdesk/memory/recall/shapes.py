"""The texts of memories that a person splits or merges: each line says who speaks, also afterwards."""

from __future__ import annotations

from collections.abc import Sequence

import regex  # type: ignore[import-untyped, unused-ignore]

from memdesk.store.chunk_rows import WholeChunk

_GRAPHEME = regex.compile(r"\X")

FIRST_UNSPACED = "\u2e80"
"""From here on lie the scripts that are written without spaces (the CJK radicals begin the block)."""


def speaker_of(line: str, speakers: Sequence[str]) -> str | None:
    """Return who says a line, None when it names nobody."""
    found = [name for name in speakers if line.startswith(f"{name}:")]
    return max(found, key=len, default=None)


def without_speakers(text: str, speakers: Sequence[str]) -> str:
    """Return a memory without the names before its lines; as words they would match half of the chat."""
    lines = []
    for line in text.split("\n"):
        name = speaker_of(line, speakers)
        lines.append(line[len(name) + 1 :].lstrip(" ") if name is not None else line)
    return "\n".join(lines)


def halves(text: str, place: int, speakers: Sequence[str]) -> tuple[str, str] | None:
    """Return the two parts of a text that is split at a place (characters from 0), None when one is blank.

    Nothing is cut inside a grapheme; the second part begins with whoever speaks there.
    """
    place = _boundary(text, place)
    lines, second = text[:place].rstrip().split("\n"), text[place:].lstrip()
    said = (speaker_of(line, speakers) for line in reversed(lines))
    name = next((name for name in said if name is not None), None)
    if len(lines) > 1 and name is not None and lines[-1].strip() == f"{name}:":
        # Cut right behind a name: it belongs to what follows.
        lines.pop()
    first = "\n".join(lines).rstrip()
    if not without_speakers(first, speakers).strip() or not without_speakers(second, speakers).strip():
        return None
    if name is not None and speaker_of(second, speakers) is None:
        second = f"{name}: {second}"
    return first, second


def _boundary(text: str, place: int) -> int:
    """Return the last place at or before `place` where a grapheme ends."""
    if place <= 0:
        return 0
    end = 0
    for match in _GRAPHEME.finditer(text):
        if match.end() > place:
            break
        end = match.end()
    return end


def joined(one: WholeChunk, other: WholeChunk) -> str:
    """Return the text of two memories as one; pieces of one message become one line again."""
    messages = {source[0] for source in (*one.sources, *other.sources)}
    name = speaker_of(other.text, other.speakers)
    if len(messages) == 1 and name is not None and one.speakers == other.speakers == (name,):
        rest = other.text[len(name) + 1 :].lstrip(" ")
        gap = "" if one.text[-1:] >= FIRST_UNSPACED else " "
        return f"{one.text}{gap}{rest}"
    return f"{one.text}\n{other.text}"
