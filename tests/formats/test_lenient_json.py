from __future__ import annotations

import json
import threading
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdesk.formats import lenient_json
from memdesk.formats.errors import FormatError
from memdesk.formats.lenient_json import MAX_DEPTH, check_depth, dump_json, load_json

plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@settings(max_examples=60, deadline=None)
@given(plain, st.booleans())
def test_sound_values_pass_unchanged_and_without_a_warning(value: Any, pretty: bool) -> None:
    assert load_json(dump_json(value, "x", pretty=pretty), "x") == (value, [])
    assert load_json(json.dumps(value).encode(), "x") == (value, [])


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"]
)
def test_every_unicode_encoding(encoding: str) -> None:
    raw = '{"name": "魔王 😀"}'.encode(encoding)
    assert load_json(raw, "x") == ({"name": "魔王 😀"}, [])


@pytest.mark.parametrize(
    ("raw", "value", "warning"),
    [
        (b'{"a": 1, "a": 2}', {"a": 2}, "appear twice in one object: 'a'"),
        (b'{"\\ud800": 1, "\\ud800": 2}', {"\ufffd": 2}, "'\ufffd'"),
        (b"[NaN, Infinity, -Infinity, 1e999]", [None] * 4, "Numbers that JSON cannot hold"),
        (b"[" + b"9" * 5000 + b"]", ["9" * 5000], "Numbers that JSON cannot hold"),
        (b'["a\\ud83d", "\\ude00b"]', ["a\ufffd", "\ufffdb"], "Broken characters"),
        ('["\ud83d\ude00"]'.encode("utf-8", "surrogatepass"), ["😀"], "Broken characters"),
    ],
)
def test_what_has_no_plain_meaning_is_repaired_and_told(raw: bytes, value: Any, warning: str) -> None:
    loaded, said = load_json(raw, "x")
    assert loaded == value
    assert warning in " ".join(said)


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (b'["two\nlines\tand a tab"]', ["two\nlines\tand a tab"]),
        (b'{"a": 1}\0\0\0', {"a": 1}),
        (b'\xef\xbb\xbf\xef\xbb\xbf{"a": 1}', {"a": 1}),
        (b'["\\ud83d\\ude00"]', ["😀"]),
        (b'["\\u0000"]', ["\0"]),
    ],
)
def test_small_sins_are_forgiven_silently(raw: bytes, value: Any) -> None:
    assert load_json(raw, "x") == (value, [])


@pytest.mark.parametrize(
    ("raw", "code", "reason"),
    [
        (b'{"a": ', "json_broken", "line 1, column 7"),
        (b'{"a": 1} trailing', "json_broken", "Extra data"),
        (b'{"a": "\xff"}', "json_broken", "not valid Unicode at byte 7"),
        (b"[" * 200_000, "json_too_deep", "deeper than 100"),
        (b'{"a":' * 101 + b"1" + b"}" * 101, "json_too_deep", "deeper than 100"),
        (b"[" + b"{}," * 1_000_000 + b"{}]", "too_large", "more than 1,000,000 values"),
        (b"[" + b"0," * 1_000_000 + b"0]", "too_large", "more than 1,000,000 values"),
        (b'"' + b'\\"' * 12_000_000, "json_broken", "Unterminated string"),
        (b'"a' * 10_000_000, "json_broken", "Extra data"),
        (b'"' + b"x" * 32 * 1024**2 + b'"', "too_large", "larger than 32 MiB"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_read_is_refused(raw: bytes, code: str, reason: str) -> None:
    with pytest.raises(FormatError, match=reason) as caught:
        load_json(raw, "x.json")
    assert caught.value.code == code
    assert str(caught.value).startswith("x.json: ")


def test_the_deepest_nesting_passes_both_ways() -> None:
    raw = b"[" * MAX_DEPTH + b"]" * MAX_DEPTH
    value, warnings = load_json(raw, "x")
    assert warnings == []
    assert dump_json(value, "x") == raw
    with pytest.raises(FormatError, match="deeper"):
        check_depth([value], "x")
    with pytest.raises(FormatError, match="deeper"):
        dump_json([value], "x")


def test_what_only_fits_compact_is_written_compact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lenient_json, "MAX_JSON", 1000)
    value = [0] * 499
    assert dump_json(value, "x", pretty=True) == json.dumps(value, separators=(",", ":")).encode()
    assert b"\n" in dump_json(value[:100], "x", pretty=True)
    with pytest.raises(FormatError, match="The JSON text is larger") as caught:
        dump_json([0] * 501, "x", pretty=True)
    assert caught.value.code == "too_large"


def test_depth_is_counted_outside_of_strings_and_before_decoding_on_a_small_stack() -> None:
    text = "[,{" * 500_000 + '"{' + "\\"
    assert load_json(json.dumps([text, {text: 1}]).encode(), "x") == ([text, {text: 1}], [])
    deep = b"[" * 900_000
    refused: list[str] = []

    def work() -> None:
        with pytest.raises(FormatError) as caught:
            load_json(deep, "x")
        refused.append(caught.value.code)

    old = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(old)
    assert refused == ["json_too_deep"]
