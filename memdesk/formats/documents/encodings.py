"""Text in any encoding: which one it is, told from the bytes."""

from __future__ import annotations

import codecs
import re

from memdesk.formats.documents.failures import Unreadable

SAMPLE = 1 << 18
"""Bytes that the encoding is told from."""

GOOD = 0.85
"""Share of common characters from which on an East Asian encoding is believed."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SINGLE = ["cp1252", "cp1251", "koi8_r", "cp1250", "cp1253", "cp1254", "cp1255", "cp1256", "cp874"]
_CENTRAL = frozenset("ąćęłńśźżčďěňřšťůžőűĄĆĘŁŃŚŹŻČĎĚŇŘŠŤŮŽŐŰ")
"""Letters of the languages of Central Europe that Western ones have not."""
_COMMON = {"gb18030": (0xB0, 0xD7), "big5": (0xA4, 0xC6)}
"""Lead bytes of the characters that most texts are made of: the first level of GB 2312 and of Big5."""
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]")
_NOISE = 0.003
"""Share of control characters beyond which data is no text."""


def decode(data: bytes) -> str:
    """Return the text of a file, with plain line breaks; raises `Unreadable` with `binary` or `empty`."""
    if not data.strip(b"\0 \t\r\n"):
        raise Unreadable("empty")
    text = _decoded(data)
    if len(_CONTROL.findall(text[:SAMPLE])) > _NOISE * min(len(text), SAMPLE):
        raise Unreadable("binary")
    text = _CONTROL.sub("", text).replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    if not text.strip():
        raise Unreadable("empty")
    return text


def _decoded(data: bytes) -> str:
    for mark, name in _BOMS:
        if data.startswith(mark):
            return data.decode(name, "replace")
    if wide := _wide(data[:SAMPLE]):
        return data.decode(wide, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        # A few broken bytes in what is UTF-8 otherwise.
        text = data.decode("utf-8", "replace")
        if error.start > 0 and text.count("\N{REPLACEMENT CHARACTER}") * 200 < _foreign(text):
            return text
    name = _east_asian(data[:SAMPLE]) or _single_byte(data[:SAMPLE])
    if not name:
        raise Unreadable("binary")
    return data.decode(name, "replace")


def _foreign(text: str) -> int:
    return sum(not char.isascii() for char in text)


def _wide(sample: bytes) -> str:
    """Return the name of UTF-16 without a mark, "" for anything else."""
    if len(sample) < 4:
        return ""
    even, odd = sample[::2], sample[1::2]
    for name, high, low in (("utf-16-le", odd, even), ("utf-16-be", even, odd)):
        # Latin letters have a zero high byte; Chinese has few different high bytes, and breaks and spaces.
        if high.count(0) > 0.05 * len(high) and low.count(0) < 0.3 * high.count(0) + 1:
            text = sample[: len(sample) // 2 * 2].decode(name, "replace")
            bad = text.count("\N{REPLACEMENT CHARACTER}") + len(_CONTROL.findall(text))
            if bad <= 0.01 * len(text):
                return name
    cjk = {"utf-16-le": sum(0x4E <= byte <= 0x9F for byte in odd) / len(odd)}
    cjk["utf-16-be"] = sum(0x4E <= byte <= 0x9F for byte in even) / len(even)
    name = max(cjk, key=lambda key: cjk[key])
    text = sample[: len(sample) // 2 * 2].decode(name, "replace")
    han = sum("\u3000" <= char <= "\u9fff" or "\uff00" <= char <= "\uffef" for char in text)
    if b"\0" in sample and han > 0.8 * len(text):
        return name
    return ""


def _east_asian(sample: bytes) -> str:
    scores = {}
    for name in ("cp932", "euc_jp", "cp949", "big5", "gb18030"):
        text = _strict(sample, name)
        foreign = [char for char in text if not char.isascii()]
        if len(foreign) >= 4:
            scores[name] = _score(name, foreign)
    best = max(scores, key=lambda name: scores[name], default="")
    return best if best and scores[best] >= GOOD else ""


def _strict(sample: bytes, name: str) -> str:
    decoder = codecs.getincrementaldecoder(name)("strict")
    try:
        return decoder.decode(sample)
    except UnicodeDecodeError:
        return ""


def _score(name: str, foreign: list[str]) -> float:
    """Return how common the characters are that an encoding makes of the bytes, 0–1."""
    total = len(foreign)
    signs = sum("\u3000" <= char <= "\u303f" or "\uff00" <= char <= "\uff60" for char in foreign)
    if name in {"cp932", "euc_jp"}:
        kana = sum("\u3041" <= char <= "\u30ff" for char in foreign)
        half = sum("\uff61" <= char <= "\uff9f" for char in foreign)
        han = sum("\u4e00" <= char <= "\u9fff" for char in foreign)
        return (kana + signs + han) / total - half / total if kana >= 0.2 * total else 0.0
    if name == "cp949":
        common = sum("\uac00" <= char <= "\ud7a3" and len(_bytes(char, "euc_kr")) == 2 for char in foreign)
        return (common + signs) / total
    first, last = _COMMON[name]
    common = sum(first <= (_bytes(char, name) or b"\0")[0] <= last for char in foreign)
    general = sum("\u2010" <= char <= "\u2026" or char == "·" for char in foreign)
    return (common + signs + general) / total


def _bytes(char: str, name: str) -> bytes:
    return char.encode(name, "ignore")


def _single_byte(sample: bytes) -> str:
    from charset_normalizer import from_bytes  # noqa: PLC0415 — only texts of old programs need it

    best = from_bytes(sample, cp_isolation=_SINGLE).best()
    if best is not None and best.encoding == "cp1250" and len(_CENTRAL.intersection(str(best))) < 3:
        return "cp1252"
    return best.encoding if best is not None else ""
