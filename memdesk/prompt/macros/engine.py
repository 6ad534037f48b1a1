"""Putting values in place of macros, never without end: every text has a limit of what may be put in."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from typing import Final

from memdesk.prompt.macros import moments
from memdesk.prompt.macros.syntax import Call, Macro, Piece, call_of, parse
from memdesk.prompt.macros.variables import Scope, Variables

MAX_INSERTED: Final = 400_000
"""Characters that macros may add to one text; further ones stay as they are written."""

MAX_DICE: Final = 1_000
MAX_SIDES: Final = 1_000_000_000
MAX_PATTERN: Final = 500

OLD_NAMES: Final = {"bot": "char"}
"""How older cards write {{char}}."""

_OLD_STYLE: Final = re.compile(r"<(user|bot|char|group|charifnotgroup)>", re.IGNORECASE)
_TRIM: Final = "\0trim\0"
_AROUND_TRIM: Final = re.compile(rf"(?:\r?\n)*{_TRIM}(?:\r?\n)*")
_DICE: Final = re.compile(r"\s*(\d{0,6})d?(\d{1,10})\s*(?:([+-])\s*(\d{1,10}))?\s*", re.IGNORECASE)
_OFFSET: Final = re.compile(r"\s*([+-])(\d{1,2})(?::?(\d{2}))?\s*")

Function = Callable[["_Run", Call], str | None]
"""Returns what stands in place of a macro, None to leave it as it is."""


@dataclass(slots=True)
class Surroundings:
    """What macros can tell beside names and texts: the time, the newest messages, the chat's variables.

    `now` is a time with its zone. `seed` tells one chat from another, for {{pick}}. `last_*` are texts of the
    newest messages; `number` is the number of the last one, 0 where there is none. `idle` is the time since
    the person last wrote.
    """

    now: datetime = field(default_factory=lambda: datetime.now(UTC).astimezone())
    seed: str = ""
    input: str = ""
    last_message: str = ""
    last_user: str = ""
    last_char: str = ""
    number: int = 0
    idle: timedelta | None = None
    variables: Variables = field(default_factory=Variables)
    rng: random.Random = field(default_factory=random.SystemRandom)


def expand(
    text: str,
    values: Mapping[str, str],
    *,
    texts: Mapping[str, str] | None = None,
    around: Surroundings | None = None,
    place: str = "",
) -> str:
    """Replace macros, whatever their case; unknown ones stay as they are.

    `values` (by lower-case name) are put in as they are, macros in them are not looked at. `texts` are put in
    with their own macros replaced, but never a text within itself. Without `around`, only these two are
    known. `place` names where the text stands, so that {{pick}} may choose anew there.
    """
    if "{{" not in text and "<" not in text:
        return text
    return _Run(values, texts or {}, around, place, len(text)).text(text)


class _Run:
    """One text being expanded."""

    def __init__(
        self,
        values: Mapping[str, str],
        texts: Mapping[str, str],
        around: Surroundings | None,
        place: str,
        length: int,
    ) -> None:
        self.values = values
        self.texts = texts
        self.around = around
        self.place = place
        self._left = MAX_INSERTED + length
        self._open: set[str] = set()
        self._known: dict[str, str] = {}
        self._picks: dict[str, int] = {}

    def text(self, text: str) -> str:
        expanded = self.join(parse(text))
        return _AROUND_TRIM.sub("", expanded) if _TRIM in expanded else expanded

    def join(self, pieces: Sequence[Piece]) -> str:
        return "".join(self._piece(piece) for piece in pieces)

    def _piece(self, piece: Piece) -> str:
        if isinstance(piece, str):
            return _OLD_STYLE.sub(self._old_style, piece) if "<" in piece else piece
        value = self._value(piece)
        if value is None:
            return "{{" + self.join(piece.pieces) + "}}"
        self._left -= len(value)
        return value

    def _old_style(self, found: re.Match[str]) -> str:
        name = found.group(1).lower()
        value = self._fitting(self.values.get(OLD_NAMES.get(name, name)))
        if value is None:
            return found.group()
        self._left -= len(value)
        return value

    def _fitting(self, value: str | None) -> str | None:
        if value is not None and len(value) > self._left:
            # From here on everything stays as it is written, or smaller values would still come and go.
            self._left = 0
            return None
        return value

    def _value(self, macro: Macro) -> str | None:
        if self._left <= 0 or (call := call_of(macro)) is None:
            return None
        name = OLD_NAMES.get(call.name, call.name)
        if not call.rest and not call.separator:
            if name in self.values:
                return self._fitting(self.values[name])
            if name in self.texts:
                return self._fitting(self._text(name))
        function = FUNCTIONS.get(name)
        if function is None or self.around is None:
            return None
        return self._fitting(function(self, call))

    def _text(self, name: str) -> str | None:
        """Return a text with its own macros replaced; None within itself."""
        if name in self._open:
            return None
        if name not in self._known:
            self._open.add(name)
            self._known[name] = self.join(parse(self.texts[name]))
            self._open.discard(name)
        return self._known[name]

    def spend(self, steps: int) -> bool:
        """Count the work of an expensive macro as if it were put in; returns whether it may be done."""
        self._left -= steps
        return self._left > 0

    def argument(self, pieces: Sequence[Piece]) -> str:
        """Return an argument that is kept or compared, not put into the text."""
        return self.join(pieces).replace(_TRIM, "")

    def world(self) -> Surroundings:
        """Return the surroundings; functions are only called where there are some."""
        if self.around is None:
            raise AssertionError("no function without surroundings")
        return self.around

    def options(self, call: Call) -> list[tuple[Piece, ...]]:
        """Return what {{random}} and {{pick}} choose from: set off by “::”, or by commas after “:”."""
        return call.split("::" if call.separator == "::" else ",")

    def seed(self, call: Call) -> str:
        """Return what stays the same for a {{pick}} in its chat and at its place."""
        body = repr(call.rest)
        count = self._picks[body] = self._picks.get(body, 0) + 1
        return f"{self.world().seed}\n{self.place}\n{count}\n{body}"


# ── the functions ────────────────────────────────────────────────────────────────────────────────────────


def _constant(value: str) -> Function:
    return lambda _run, call: None if call.rest else value


def _about(tell: Callable[[Surroundings], str]) -> Function:
    return lambda run, call: None if call.rest else tell(run.world())


def _comment(_run: _Run, _call: Call) -> str:
    return ""


def _random(run: _Run, call: Call) -> str | None:
    if not call.rest:
        return None
    # Only what is chosen is evaluated: the others set no variables.
    return run.join(run.world().rng.choice(run.options(call))).strip()


def _pick(run: _Run, call: Call) -> str | None:
    if not call.rest:
        return None
    options = run.options(call)
    digest = hashlib.sha256(run.seed(call).encode("utf-8", "surrogatepass")).digest()
    return run.join(options[int.from_bytes(digest[:8]) % len(options)]).strip()


def _roll(run: _Run, call: Call) -> str | None:
    found = _DICE.fullmatch(run.join(call.rest))
    if found is None:
        return None
    formula, count = found.group(), found.group(1)
    if "d" not in formula.lower():
        # {{roll:20}} is one die of twenty sides.
        count, sides = "1", int(found.group(1) + found.group(2))
    else:
        sides = int(found.group(2))
    dice = int(count or "1")
    if not 1 <= dice <= MAX_DICE or not 1 <= sides <= MAX_SIDES or not run.spend(dice):
        return None
    more = int((found.group(3) or "+") + (found.group(4) or "0"))
    return str(sum(run.world().rng.randint(1, sides) for _ in range(dice)) + more)


def _formatted(run: _Run, call: Call) -> str | None:
    pattern = run.join(call.rest).strip()
    return moments.write(run.world().now, pattern) if 0 < len(pattern) <= MAX_PATTERN else None


def _utc(run: _Run, call: Call) -> str | None:
    found = _OFFSET.fullmatch(run.join(call.rest))
    if found is None:
        return None
    minutes = int(found.group(2)) * 60 + int(found.group(3) or 0)
    if minutes >= 24 * 60:
        return None
    zone = timezone(timedelta(minutes=-minutes if found.group(1) == "-" else minutes))
    return moments.write(run.world().now.astimezone(zone), "LT")


def _difference(run: _Run, call: Call) -> str | None:
    times = [moments.read(run.join(part)) for part in call.split()]
    if len(times) != 2 or times[0] is None or times[1] is None:
        return None
    zone = run.world().now.tzinfo
    first, second = (time if time.tzinfo else time.replace(tzinfo=zone) for time in times if time)
    return moments.difference(first, second)


def _get(scope: Scope) -> Function:
    def get(run: _Run, call: Call) -> str | None:
        name = run.argument(call.rest).strip()
        return run.world().variables.get(scope, name) if name else None

    return get


def _set(scope: Scope) -> Function:
    def put(run: _Run, call: Call) -> str | None:
        name, *rest = call.split()
        if not rest:
            return None
        value = "::".join(run.argument(part) for part in rest)
        key = run.argument(name)
        if not run.spend(1):
            return None
        run.world().variables.set(scope, key, value)
        return ""

    return put


def _add(scope: Scope) -> Function:
    def add(run: _Run, call: Call) -> str | None:
        name, *rest = call.split()
        if not rest:
            return None
        value = "::".join(run.argument(part) for part in rest)
        key = run.argument(name)
        if not run.spend(1):
            return None
        run.world().variables.add(scope, key, value)
        return ""

    return add


def _step(scope: Scope, by: str) -> Function:
    def step(run: _Run, call: Call) -> str | None:
        name = run.argument(call.rest).strip()
        return run.world().variables.add(scope, name, by) if name else None

    return step


def _idle(around: Surroundings) -> str:
    return "just now" if around.idle is None else moments.duration(around.idle)


FUNCTIONS: Final[dict[str, Function]] = {
    "//": _comment,
    "comment": _comment,
    "noop": _constant(""),
    "newline": _constant("\n"),
    "trim": _constant(_TRIM),
    "banned": _comment,
    "bias": _comment,
    "random": _random,
    "pick": _pick,
    "roll": _roll,
    "time": _about(lambda around: moments.write(around.now, "LT")),
    "date": _about(lambda around: moments.write(around.now, "LL")),
    "weekday": _about(lambda around: moments.write(around.now, "dddd")),
    "isotime": _about(lambda around: moments.write(around.now, "HH:mm")),
    "isodate": _about(lambda around: moments.write(around.now, "YYYY-MM-DD")),
    "datetimeformat": _formatted,
    "time_utc": _utc,
    "timediff": _difference,
    "idle_duration": _about(_idle),
    "idleduration": _about(_idle),
    "input": _about(lambda around: around.input),
    "lastmessage": _about(lambda around: around.last_message),
    "lastusermessage": _about(lambda around: around.last_user),
    "lastcharmessage": _about(lambda around: around.last_char),
    "lastmessageid": _about(lambda around: str(around.number) if around.number else ""),
    "getvar": _get("chat"),
    "setvar": _set("chat"),
    "addvar": _add("chat"),
    "incvar": _step("chat", "1"),
    "decvar": _step("chat", "-1"),
    "getglobalvar": _get("global"),
    "setglobalvar": _set("global"),
    "addglobalvar": _add("global"),
    "incglobalvar": _step("global", "1"),
    "decglobalvar": _step("global", "-1"),
}
"""Macros that are more than a name or a text, by lower-case name."""
