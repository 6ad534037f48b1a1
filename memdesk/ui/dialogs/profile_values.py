"""A connection as texts in a form, and back; what is wrong comes as one sentence per field."""

from __future__ import annotations

import json
import re
from typing import Any, Final, NoReturn

from pydantic import ValidationError
from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QLocale

from memdesk.chats.text import clean
from memdesk.llm.profile import RESERVED_BODY_KEYS, ConnectionProfile, normalise_base_url

translate = QCoreApplication.translate

WHOLE: Final = ("context_tokens", "reply_tokens", "top_k", "seed")
DECIMAL: Final = (
    "temperature",
    "top_p",
    "min_p",
    "frequency_penalty",
    "presence_penalty",
    "repetition_penalty",
    "timeout_seconds",
)
REQUIRED: Final = ("context_tokens", "reply_tokens", "timeout_seconds")
TEXTS: Final = ("name", "base_url", "model", "embedder")
FIELDS: Final = (*TEXTS, *WHOLE, *DECIMAL, "stop", "extra_body")

_WHOLE_TEXT: Final = re.compile(r"[+-]?(\d{1,19}|\d{1,3}([,.'’\s]\d{3}){1,5})")
_DECIMAL_TEXT: Final = re.compile(r"[+-]?(\d{1,19}([.,]\d{0,19})?|[.,]\d{1,19})")
_GROUPING: Final = re.compile(r"[,.'’\s]")

MOST_NESTED: Final = 20
"""Deeper than any real option; what is nested thousands deep would break whoever reads it next."""

# The sentences of `normalise_base_url`, listed here so that translators see them.
ADDRESS_SENTENCES: Final = (
    QT_TRANSLATE_NOOP("Address", "The address must not contain spaces or line breaks."),
    QT_TRANSLATE_NOOP("Address", "The address has no host name."),
    QT_TRANSLATE_NOOP(
        "Address", "The address must not contain a user name or password; the key has its own field."
    ),
    QT_TRANSLATE_NOOP("Address", "The address must not contain ? or #."),
    QT_TRANSLATE_NOOP("Address", "The port in the address must be between 1 and 65535."),
)

Values = dict[str, str]


class FieldErrors(Exception):  # noqa: N818 - several of them
    """What is wrong in a form: a sentence for each field, by the field's name."""

    def __init__(self, fields: dict[str, str]) -> None:
        super().__init__("; ".join(fields.values()))
        self.fields = fields


def values_of(profile: ConnectionProfile) -> Values:
    """Return a profile as the texts of its fields; options that the server decides are ""."""
    values = {name: str(getattr(profile, name)) for name in TEXTS}
    for name in (*WHOLE, *DECIMAL):
        number = getattr(profile, name)
        values[name] = "" if number is None else number_text(number)
    values["stop"] = "\n".join(escaped(text) for text in profile.stop)
    body = profile.extra_body
    values["extra_body"] = json.dumps(body, ensure_ascii=False, indent=2) if body else ""
    return values


def profile_of(profile_id: str, values: Values) -> ConnectionProfile:
    """Return the profile that a form's texts describe; raises FieldErrors with every wrong field."""
    wrong: dict[str, str] = {}
    data: dict[str, Any] = {"id": profile_id, "kind": "openai"}
    data |= {name: clean(values.get(name, "")).strip() for name in TEXTS}
    if not data["name"]:
        wrong["name"] = translate("ProfileValues", "Give the connection a name.")
    try:
        normalise_base_url(data["base_url"])
    except ValueError as error:
        wrong["base_url"] = _address_words(str(error), data["base_url"])
    for name in (*WHOLE, *DECIMAL):
        try:
            data[name] = number_of(name, values.get(name, ""), required=True)
        except ValueError as error:
            wrong[name] = str(error)
    data["stop"] = [unescaped(text) for text in clean(values.get("stop", "")).split("\n") if text]
    try:
        data["extra_body"] = _body(clean(values.get("extra_body", "")))
    except ValueError as error:
        wrong["extra_body"] = str(error)
    context, reply = data.get("context_tokens"), data.get("reply_tokens")
    if isinstance(context, int) and isinstance(reply, int) and reply >= context:
        wrong["reply_tokens"] = translate(
            "ProfileValues", "The reply must be shorter than the context of {count} tokens."
        ).format(count=QLocale().toString(context))
    return _checked({name: value for name, value in data.items() if name not in wrong}, wrong)


def address_profile(base_url: str, model: str = "") -> ConnectionProfile:
    """Return a profile that is good enough to ask a server for its models; raises FieldErrors."""
    values = values_of(ConnectionProfile(name="-", base_url="http://localhost"))
    return profile_of(_NO_ID, values | {"base_url": base_url, "model": model})


_NO_ID: Final = "f" * 32


def _checked(data: dict[str, Any], wrong: dict[str, str]) -> ConnectionProfile:
    """Let the model check what was readable, with something harmless in the place of what was not."""
    harmless = {"name": "-", "base_url": "http://localhost"}
    try:
        profile = ConnectionProfile(**({name: harmless[name] for name in wrong if name in harmless} | data))
    except ValidationError as error:
        for item in error.errors():
            name = str(item["loc"][0]) if item["loc"] else "reply_tokens"
            wrong.setdefault(name, sentence(name, item["type"], item.get("ctx", {})))
        raise FieldErrors(wrong) from None
    if wrong:
        raise FieldErrors(wrong)
    return profile


def sentence(name: str, kind: str, limits: dict[str, Any]) -> str:
    """Return what is wrong with a field: the kind of failure is pydantic's."""
    locale = QLocale()
    bounds = {
        "greater_than_equal": ("ge", translate("ProfileValues", "Must be {limit} or more.")),
        "greater_than": ("gt", translate("ProfileValues", "Must be more than {limit}.")),
        "less_than_equal": ("le", translate("ProfileValues", "Must be {limit} or less.")),
        "less_than": ("lt", translate("ProfileValues", "Must be less than {limit}.")),
        "string_too_long": ("max_length", translate("ProfileValues", "At most {limit} characters.")),
        "too_long": ("max_length", translate("ProfileValues", "At most {limit} stop texts.")),
    }
    if kind in bounds:
        key, words = bounds[kind]
        limit = limits[key]
        shown = locale.toString(limit) if isinstance(limit, int) else f"{limit:g}"
        return words.format(limit=shown)
    if name in ("name", "model") and kind == "value_error":
        return translate("ProfileValues", "This must be one line.")
    if name == "extra_body":
        return _reserved_words()
    return translate("ProfileValues", "Please check this value.")


def number_of(name: str, text: str, *, required: bool = False) -> int | float | None:
    """Read a number of a field, None for a blank one; raises ValueError with a sentence for a person."""
    text = text.strip()
    if not text:
        if name in REQUIRED and required:
            raise ValueError(translate("ProfileValues", "Enter a number."))
        return None
    if name in WHOLE:
        if not _WHOLE_TEXT.fullmatch(text):
            raise ValueError(translate("ProfileValues", "Enter a whole number."))
        return int(_GROUPING.sub("", text))
    if not _DECIMAL_TEXT.fullmatch(text):
        raise ValueError(translate("ProfileValues", "Enter a number."))
    return float(text.replace(",", "."))


def _body(text: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise ValueError(
            translate("ProfileValues", "This is not valid JSON: see line {line}, column {column}.").format(
                line=error.lineno, column=error.colno
            )
        ) from None
    except (ValueError, RecursionError):
        raise ValueError(translate("ProfileValues", "This is not valid JSON.")) from None
    if not isinstance(value, dict):
        example = translate("ProfileValues", 'This must be a JSON object, for example {"mirostat": 2}.')
        raise ValueError(example)  # noqa: TRY004
    if not RESERVED_BODY_KEYS.isdisjoint(value):
        raise ValueError(_reserved_words())
    if not _storable(value, MOST_NESTED):
        raise ValueError(
            translate(
                "ProfileValues",
                "Leave out fields that are null, and do not nest deeply: this cannot be kept.",
            )
        )
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ValueError(translate("ProfileValues", "This text contains half a character.")) from None
    return value


def _no_constant(_name: str) -> NoReturn:
    raise ValueError


def _storable(value: object, levels: int) -> bool:
    """Tell whether a value can be kept in a settings file, which knows no null."""
    if levels == 0 or value is None:
        return False
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return all(_storable(item, levels - 1) for item in items)


def _reserved_words() -> str:
    return translate(
        "ProfileValues", "These fields are memdesk's own and cannot be set here: {names}."
    ).format(names=", ".join(sorted(RESERVED_BODY_KEYS)))


def _address_words(reason: str, address: str) -> str:
    if not address:
        return translate("ProfileValues", "Enter the server's address, for example http://127.0.0.1:11434/v1")
    return translate("Address", reason)


def number_text(number: float) -> str:
    """Write a number as a form shows it."""
    return str(number) if isinstance(number, int) else f"{number:.12g}"


def escaped(text: str) -> str:
    """Write a stop text on one line."""
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")


def unescaped(text: str) -> str:
    """Read a stop text that was written on one line."""
    signs = {"n": "\n", "t": "\t", "\\": "\\"}
    return re.sub(r"\\(.)", lambda match: signs.get(match[1], match[0]), text)
