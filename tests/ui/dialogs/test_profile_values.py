from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdesk.llm.profile import ConnectionProfile
from memdesk.settings import Settings, load_settings, save_settings
from memdesk.ui.dialogs.profile_values import FIELDS, FieldErrors, Values, profile_of, values_of

FULL = ConnectionProfile(
    name="艾莉亚 🦊",
    base_url="http://127.0.0.1:1234/v1",
    model="a/b:c",
    context_tokens=32768,
    reply_tokens=700,
    temperature=0.0,
    top_p=0.95,
    min_p=0.05,
    top_k=-1,
    frequency_penalty=-0.5,
    presence_penalty=0.25,
    repetition_penalty=1.1,
    seed=2**62,
    stop=["\nUser:", "a\\nb", "tab\t", " lead"],
    timeout_seconds=12.5,
    extra_body={"dry": {"allowed": [1, 2.5, True]}, "名": "值"},
)


def test_every_field_of_a_profile_survives_the_form() -> None:
    assert profile_of(FULL.id, values_of(FULL)) == FULL
    assert set(values_of(FULL)) == set(FIELDS)
    assert set(FIELDS) | {"id", "kind"} == set(ConnectionProfile.model_fields)


def test_empty_options_are_left_to_the_server() -> None:
    profile = profile_of(FULL.id, values_of(ConnectionProfile(name="x", base_url="http://localhost")))
    assert profile.temperature is profile.top_k is profile.seed is None
    assert profile.stop == []
    assert profile.extra_body == {}


@pytest.mark.parametrize(
    ("field", "text", "words"),
    [
        ("name", "   ", "Give the connection a name."),
        ("name", "x" * 201, "At most 200 characters."),
        ("base_url", "", "Enter the server's address, for example http://127.0.0.1:11434/v1"),
        ("base_url", "ftp://x", "The address must begin with http:// or https://, not ftp://"),
        ("base_url", "http://user:pw@host", "user name or password"),
        ("base_url", "http://host:99999", "cannot be read"),
        ("base_url", "http://[::1", "cannot be read"),
        ("model", "m" * 501, "At most 500 characters."),
        ("context_tokens", "", "Enter a number."),
        ("context_tokens", "8k", "Enter a whole number."),
        ("context_tokens", "9" * 5000, "Enter a whole number."),
        ("context_tokens", "100", "The reply must be shorter than the context of 100 tokens."),
        ("context_tokens", "99999999", "Must be 10,000,000 or less."),
        ("reply_tokens", "0", "Must be 1 or more."),
        ("reply_tokens", "32768", "The reply must be shorter than the context of 32,768 tokens."),
        ("temperature", "hot", "Enter a number."),
        ("temperature", "nan", "Enter a number."),
        ("temperature", "6", "Must be 5 or less."),
        ("top_p", "1,5", "Must be 1 or less."),
        ("repetition_penalty", "0", "Must be more than 0."),
        ("top_k", "1.5", "Enter a whole number."),
        ("timeout_seconds", "0", "Must be more than 0."),
        ("stop", "\n".join("abc"[n % 3] for n in range(65)), "At most 64 stop texts."),
        ("extra_body", "{", "This is not valid JSON: see line 1, column 2."),
        ("extra_body", "[1]", "This must be a JSON object"),
        ("extra_body", '{"a": NaN}', "This is not valid JSON."),
        ("extra_body", '{"messages": []}', "These fields are memdesk's own"),
        ("extra_body", '{"a": [null]}', "Leave out fields that are null"),
        ("extra_body", '{"a": ' + "[" * 30 + "]" * 30 + "}", "do not nest deeply"),
        ("extra_body", "[" * 100_000, "This is not valid JSON."),
        ("extra_body", '{"a": "\\ud800"}', "half a character"),
    ],
)
def test_what_is_wrong_is_one_sentence_at_its_field(field: str, text: str, words: str) -> None:
    with pytest.raises(FieldErrors) as caught:
        profile_of(FULL.id, values_of(FULL) | {field: text})
    # A context that is too small is told where the reply does not fit into it.
    place = "reply_tokens" if text == "100" else field
    assert words in caught.value.fields[place]
    assert "\n" not in caught.value.fields[place]


def test_all_wrong_fields_are_told_at_once() -> None:
    wrong = {"name": "", "base_url": "http://", "temperature": "x", "top_p": "7", "extra_body": "{"}
    with pytest.raises(FieldErrors) as caught:
        profile_of(FULL.id, values_of(FULL) | wrong)
    assert set(caught.value.fields) == set(wrong)


@pytest.mark.parametrize("text", ["8,192", "8 192", "8.192", "8'192", "8192", " 8192 ", "8\u202f192"])
def test_grouped_numbers_are_understood(text: str) -> None:
    assert profile_of(FULL.id, values_of(FULL) | {"context_tokens": text}).context_tokens == 8192


@given(st.dictionaries(st.sampled_from(FIELDS), st.text(max_size=60)))
def test_any_text_is_a_profile_that_can_be_stored_or_an_error_at_a_field(
    tmp_path_factory: pytest.TempPathFactory, changes: dict[str, str]
) -> None:
    profile, wrong = tried(values_of(FULL) | changes)
    if profile is None:
        assert wrong
        assert wrong <= {*FIELDS}
        return
    path = tmp_path_factory.getbasetemp() / "settings.toml"
    save_settings(path, Settings(connections=[profile]))
    assert load_settings(path)[0].connections == [profile]


def tried(values: Values) -> tuple[ConnectionProfile | None, set[str]]:
    try:
        return profile_of(FULL.id, values), set()
    except FieldErrors as error:
        return None, set(error.fields)
