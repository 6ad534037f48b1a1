"""JSON from strangers: bounded, in any Unicode encoding, repaired where it has no plain meaning.

Rules, each told in a warning:
- a key that appears twice in an object: the last one counts, as in browsers;
- NaN, Infinity and numbers too large for a double become null, since JSON cannot hold them;
- integers of more than 1,000 digits become text;
- half a surrogate pair becomes U+FFFD, a pair written as two code points becomes its character.
Line breaks inside strings, a byte order mark and zero bytes after the end are accepted silently.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from typing import Any

from memdesk.formats.errors import FormatError

MAX_JSON = 32 * 1024 * 1024
"""Largest JSON text, in bytes."""
MAX_DEPTH = 100
"""Deepest nesting of objects and arrays. Character cards with lorebooks need fewer than 12."""
MAX_VALUES = 1_000_000
"""Most objects, lists and commas in one text: an empty object takes 64 bytes of memory for 3 of text."""
MAX_DIGITS = 1_000
# Possessive and never failing, so that it takes linear time; a string may be unterminated.
_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_BRACKET = re.compile(r"[\[\]{}]")


@dataclass(slots=True)
class _Repairs:
    duplicates: set[str] = field(default_factory=set)
    numbers: bool = False
    surrogates: bool = False

    def warnings(self) -> list[str]:
        """Return one sentence for each kind of repair."""
        said = []
        if self.duplicates:
            keys = ", ".join(repr(_mended(key)) for key in sorted(self.duplicates)[:5])
            said.append(f"Keys that appear twice in one object: {keys}. The last of each was kept.")
        if self.numbers:
            said.append("Numbers that JSON cannot hold were replaced.")
        if self.surrogates:
            said.append("Broken characters were replaced by \N{REPLACEMENT CHARACTER}.")
        return said

    def pairs(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """Make an object, noting keys that appear twice."""
        made = dict(pairs)
        if len(made) != len(pairs):
            seen: set[str] = set()
            for key, _ in pairs:
                if key in seen:
                    self.duplicates.add(key)
                seen.add(key)
        return made

    def integer(self, digits: str) -> int | str:
        """Make an integer, or keep the digits of one that nobody can mean."""
        if len(digits) <= MAX_DIGITS:
            return int(digits)
        self.numbers = True
        return digits

    def clean(self, value: Any, name: str, depth: int = 0) -> Any:  # noqa: ANN401
        """Return a copy that can be written as UTF-8 JSON."""
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, float) and not math.isfinite(value):
            self.numbers = True
            return None
        if isinstance(value, dict | list):
            if depth >= MAX_DEPTH:
                raise _too_deep(name)
            if isinstance(value, list):
                return [self.clean(item, name, depth + 1) for item in value]
            return {self._text(key): self.clean(item, name, depth + 1) for key, item in value.items()}
        return value

    def _text(self, text: str) -> str:
        if text.isascii():
            return text
        mended = _mended(text)
        self.surrogates = self.surrogates or mended is not text
        return mended


def load_json(raw: bytes, name: str) -> tuple[Any, list[str]]:
    """Return the value of a JSON text and the warnings about what was repaired in it.

    The encoding is UTF-8, UTF-16 or UTF-32, found as in RFC 4627 section 3. Raises FormatError, naming the
    file `name`: `too_large`, `json_broken`, `json_too_deep`.
    """
    if len(raw) > MAX_JSON:
        raise _too_large(name)
    try:
        text = raw.decode(json.detect_encoding(raw), "surrogatepass")
    except UnicodeDecodeError as error:
        reason = f"The text is not valid Unicode at byte {error.start}."
        raise FormatError(name, reason, code="json_broken") from error
    _check_shape(text, name)
    repairs = _Repairs()
    decoder = json.JSONDecoder(object_pairs_hook=repairs.pairs, parse_int=repairs.integer, strict=False)
    try:
        value = decoder.decode(text.lstrip("\ufeff").rstrip("\0"))
    except json.JSONDecodeError as error:
        reason = f"The JSON text is broken in line {error.lineno}, column {error.colno}: {error.msg}."
        raise FormatError(name, reason, code="json_broken") from error
    except MemoryError as error:
        raise FormatError(name, "There is not enough memory to read the file.", code="too_large") from error
    value = repairs.clean(value, name)
    return value, repairs.warnings()


def dump_json(value: Any, name: str, *, pretty: bool = False) -> bytes:  # noqa: ANN401
    """Return a value as UTF-8 JSON that `load_json` reads back; too large for indented, it comes compact.

    Raises FormatError, naming the thing `name`: `too_large`, `json_too_deep`.
    """
    cleaned = _Repairs().clean(value, name)
    text = json.dumps(cleaned, ensure_ascii=False, allow_nan=False, indent=2 if pretty else None).encode()
    if len(text) > MAX_JSON and pretty:
        text = json.dumps(cleaned, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    if len(text) > MAX_JSON:
        raise _too_large(name)
    return text


def check_depth(value: Any, name: str) -> None:  # noqa: ANN401
    """Raise FormatError `json_too_deep` if `dump_json` would."""
    _Repairs().clean(value, name)


def _check_shape(text: str, name: str) -> None:
    """Refuse what is nested too deep or holds too much, before a decoder recurses in C on a small stack."""
    outside = _STRING.sub("", text)
    if outside.count("[") + outside.count("{") + outside.count(",") > MAX_VALUES:
        reason = f"The JSON text holds more than {MAX_VALUES:,} values."
        raise FormatError(name, reason, code="too_large")
    depth = 0
    for bracket in _BRACKET.finditer(outside):
        depth += 1 if bracket[0] in "[{" else -1
        if depth > MAX_DEPTH:
            raise _too_deep(name)


def _mended(text: str) -> str:
    """Return the text itself if it can be encoded, else a copy without lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _too_deep(name: str) -> FormatError:
    reason = f"The JSON text is nested deeper than {MAX_DEPTH} levels."
    return FormatError(name, reason, code="json_too_deep")


def _too_large(name: str) -> FormatError:
    return FormatError(name, f"The JSON text is larger than {MAX_JSON // 1024**2} MiB.", code="too_large")
