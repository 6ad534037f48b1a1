"""Times in macros: how they are written, and how long ago something was, in English words."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Final

_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

_TOKEN: Final = re.compile(
    r"\[([^\]]*)\]|YYYY|YY|MMMM|MMM|MM|M|DDDD|Do|DD|D|dddd|ddd|HH|H|hh|h|mm|m|ss|s|A|a|ZZ|Z|LTS|LT|LLLL|LLL|LL|L"
)
"""The tokens of moment.js that people use, the longest first; [text] stays as it is."""

_LOCAL: Final = {
    "LT": "h:mm A",
    "LTS": "h:mm:ss A",
    "L": "MM/DD/YYYY",
    "LL": "MMMM D, YYYY",
    "LLL": "MMMM D, YYYY h:mm A",
    "LLLL": "dddd, MMMM D, YYYY h:mm A",
}

_STEPS: Final = (
    # (up to so many, of so many seconds, one of them, several of them): moment.js's own thresholds.
    (45, 1, "a few seconds", "a few seconds"),
    (45, 60, "a minute", "{} minutes"),
    (22, 3600, "an hour", "{} hours"),
    (26, 86_400, "a day", "{} days"),
    (11, 2_629_746, "a month", "{} months"),
    (10**12, 31_556_952, "a year", "{} years"),
)


def write(moment: datetime, pattern: str) -> str:
    """Write a time by the tokens of moment.js: `YYYY-MM-DD`, `HH:mm`, `dddd`, …."""
    return _TOKEN.sub(lambda found: _token(moment, found), pattern)


def _token(moment: datetime, found: re.Match[str]) -> str:
    if found.group(1) is not None:
        return found.group(1)
    token = found.group()
    if token in _LOCAL:
        return write(moment, _LOCAL[token])
    hour = moment.hour % 12 or 12
    offset = moment.strftime("%z") or "+0000"
    return {
        "YYYY": f"{moment.year:04}",
        "YY": f"{moment.year % 100:02}",
        "MMMM": _MONTHS[moment.month - 1],
        "MMM": _MONTHS[moment.month - 1][:3],
        "MM": f"{moment.month:02}",
        "M": str(moment.month),
        "DDDD": f"{moment.timetuple().tm_yday:03}",
        "Do": f"{moment.day}{_ordinal(moment.day)}",
        "DD": f"{moment.day:02}",
        "D": str(moment.day),
        "dddd": _DAYS[moment.weekday()],
        "ddd": _DAYS[moment.weekday()][:3],
        "HH": f"{moment.hour:02}",
        "H": str(moment.hour),
        "hh": f"{hour:02}",
        "h": str(hour),
        "mm": f"{moment.minute:02}",
        "m": str(moment.minute),
        "ss": f"{moment.second:02}",
        "s": str(moment.second),
        "A": "AM" if moment.hour < 12 else "PM",
        "a": "am" if moment.hour < 12 else "pm",
        "ZZ": offset,
        "Z": f"{offset[:3]}:{offset[3:5]}",
    }[token]


def _ordinal(day: int) -> str:
    return "th" if day in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def duration(span: timedelta) -> str:
    """Return how long a time span is, roughly and in words: “5 minutes”, “a day”."""
    seconds = abs(span.total_seconds())
    for limit, unit, one, several in _STEPS:
        # Half up, as moment.js rounds.
        count = int(seconds / unit + 0.5)
        if count < limit or unit == _STEPS[-1][1]:
            return one if count <= 1 else several.format(count)
    raise AssertionError("the last step takes everything")


def difference(first: datetime, second: datetime) -> str:
    """Return where the first of two times lies, seen from the second: “in 2 hours”, “3 days ago”."""
    span = first - second
    return f"in {duration(span)}" if span > timedelta(0) else f"{duration(span)} ago"


def read(text: str) -> datetime | None:
    """Read a time as people write it (ISO 8601, also with a blank); None when it is none."""
    try:
        return datetime.fromisoformat(text.strip())
    except ValueError:
        return None
