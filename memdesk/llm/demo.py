"""The demo voice: answers from templates and from the memories it was given. It is no language model."""

from __future__ import annotations

import hashlib
import json
import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal

from memdesk.assets import asset
from memdesk.llm.events import Finished, TextDelta
from memdesk.llm.profile import DEMO_PROFILE
from memdesk.work.cancel import CancelToken

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memdesk.llm.events import ChatRequest, Event

Language = Literal["en", "zh-Hans", "zh-Hant"]

MEMORY_CHARS: Final = 120
"""The longest piece of a memory that is quoted."""

ENOUGH_CHARS: Final = 30
"""A quoted sentence shorter than this takes the next one along."""

SAID_CHARS: Final = 24
"""How much of what the person wrote is quoted back."""

DELTA_SECONDS: Final = 0.02
"""The pause between two pieces: about 50 English words or Chinese characters a second."""

_HAN: Final = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_LATIN: Final = re.compile(r"[A-Za-z\u00c0-\u024f]")
_SENTENCE: Final = re.compile(r"[^.!?。！？…\n]+[.!?。！？…]*")
_SPEAKER: Final = re.compile(r"^\s*[^\s:：][^:：\n]{0,40}[:：]\s*")
_ACTION: Final = re.compile(r"\*[^*\n]{1,500}\*")
_MARKS: Final = re.compile(r"[*_“”„\"「」『』‘’]")
_PIECE: Final = re.compile(r"[\u3000-\u9fff\uf900-\uffef]|\s*[^\s\u3000-\u9fff\uf900-\uffef]+|\s+")
_STOPS: Final = " .。!！?？…,，;；"


class DemoClient:
    """Replies without any server; the same request always gets the same reply.

    `delay` is the pause between two pieces, in seconds.
    """

    def __init__(self, delay: float = DELTA_SECONDS) -> None:
        self._delay = delay
        self._closed = CancelToken()

    def stream(self, request: ChatRequest, cancel: CancelToken) -> Iterator[Event]:
        """Yield the reply word by word (Chinese: character by character); see `ChatClient.stream`."""
        stop = CancelToken()
        removers = (cancel.on_cancel(stop.cancel), self._closed.on_cancel(stop.cancel))
        try:
            for piece in _PIECE.findall(compose(request)):
                if stop.wait(self._delay):
                    yield Finished("stopped", None, DEMO_PROFILE.model)
                    return
                yield TextDelta(piece)
            yield Finished("stop", None, DEMO_PROFILE.model)
        finally:
            for remove in removers:
                remove()

    def close(self) -> None:
        """End all replies that are being written."""
        self._closed.cancel()


def compose(request: ChatRequest) -> str:
    """Return the whole reply: 2 to 4 sentences in the language of the last thing the person wrote."""
    said = request.last_user_text or _last_user_text(request.messages)
    language = _language_of(said, request)
    phrases = _templates()[language]
    seed = json.dumps([request.messages, request.character, said, request.recalled], ensure_ascii=True)
    fields = {
        "character": _name(request.character, "memdesk"),
        "user": _name(request.user, phrases["you"]),
        "said": _shorten(_clean(said), SAID_CHARS) or "…",
    }

    def pick(slot: str, **more: str) -> str:
        digest = hashlib.sha256(f"{slot}\n{seed}".encode()).digest()
        options = phrases[slot]
        return str(options[int.from_bytes(digest[:8]) % len(options)]).format_map(fields | more)

    parts = [pick("openings")]
    memories = fitting_pieces(request.recalled, said)
    if memories:
        parts.append(pick("first", memory=memories[0]))
        parts.extend(pick("second", memory=memory) for memory in memories[1:2])
    else:
        parts.append(pick("nothing"))
    parts.append(pick("closings"))
    return (" " if language == "en" else "").join(parts)


def fitting_pieces(recalled: Sequence[str], said: str) -> list[str]:
    """Return at most two sentences of the memories, those that share most words with `said` first.

    Each comes from another memory; among equals the order of `recalled` decides.
    """
    wanted = _terms(said)
    best: list[tuple[int, int, str]] = []
    for number, text in enumerate(recalled):
        # What somebody said makes a better quotation than how they smiled; if all is action, keep it.
        spoken = _ACTION.sub("\n", text)
        shown = spoken if _MARKS.sub("", _SPEAKER.sub("", spoken)).strip() else text
        lines = [_SPEAKER.sub("", line) for line in shown.splitlines()]
        pieces = [_clean(piece) for line in lines for piece in _SENTENCE.findall(line)]
        found_at = [at for at, piece in enumerate(pieces) if piece]
        scored = [(len(wanted & _terms(pieces[at])), len(pieces[at]) >= 4, -at) for at in found_at]
        if scored:
            score, _, before = max(scored)
            best.append((-score, number, _shorten(_with_next(pieces[-before:]), MEMORY_CHARS)))
    found: list[str] = []
    for _, _, piece in sorted(best):
        if piece not in found:
            found.append(piece)
    return found[:2]


def _with_next(pieces: Sequence[str]) -> str:
    """Return the first sentence, and those after it while that is short: “My birthday.” needs its answer."""
    quote = pieces[0]
    for piece in pieces[1:]:
        # A Chinese character says about as much as four Latin letters.
        if len(quote) + 3 * len(_HAN.findall(quote)) >= ENOUGH_CHARS:
            break
        if not piece:
            continue
        quote = f"{quote}。{piece}" if _HAN.search(quote) else f"{quote}. {piece}"
    return quote


def language_of(text: str) -> Language | None:
    """Return the language of a text as far as the demo voice speaks it, None when it has no letters."""
    han, latin = len(_HAN.findall(text)), len(_LATIN.findall(text))
    if han == 0:
        return "en" if latin else None
    # A Chinese character says about as much as four Latin letters.
    if han * 4 < latin:
        return "en"
    templates = _templates()
    traditional, simplified = set(templates["traditional"]), set(templates["simplified"])
    lead = sum((ch in traditional) - (ch in simplified) for ch in text)
    return "zh-Hant" if lead > 0 else "zh-Hans"


def _language_of(said: str, request: ChatRequest) -> Language:
    """Look further back when the last line has no words, and when it is too short to tell the script."""
    earlier = [m.get("content", "") for m in reversed(request.messages) if m.get("role") == "user"]
    for text in (said, *earlier, *request.recalled):
        language = language_of(text)
        if language is not None:
            break
    else:
        return "en"
    if language == "zh-Hans" and language_of(" ".join((said, *earlier))) == "zh-Hant":
        return "zh-Hant"
    return language


def _last_user_text(messages: list[dict[str, str]]) -> str:
    return next((m.get("content", "") for m in reversed(messages) if m.get("role") == "user"), "")


def _terms(text: str) -> set[str]:
    """Return Latin words of three letters and more, and pairs of neighbouring Chinese characters."""
    words = {word for word in re.findall(r"[^\W\d_]+", text.casefold()) if len(word) > 2 and word.isalpha()}
    han = re.findall(r"[\u3400-\u9fff]+", text)
    return {word for word in words if not _HAN.search(word)} | {
        run[i : i + 2] for run in han for i in range(len(run) - 1)
    }


def _clean(text: str) -> str:
    return " ".join(_MARKS.sub("", text).split()).strip(_STOPS)


def _shorten(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _name(name: str, fallback: str) -> str:
    return _shorten(" ".join(name.split()), 60) or fallback


@cache
def _templates() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(asset("prompts", "demo.json").read_text(encoding="utf-8"))
    return loaded
