from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from memdesk.llm.profile import DEMO_PROFILE, ConnectionProfile, is_loopback, is_private, normalise_base_url


@pytest.mark.parametrize(
    ("given_url", "wanted"),
    [
        ("http://127.0.0.1:11434", "http://127.0.0.1:11434/v1"),
        ("http://127.0.0.1:11434/", "http://127.0.0.1:11434/v1"),
        ("  http://localhost:1234/v1/ ", "http://localhost:1234/v1"),
        ("localhost:1234", "http://localhost:1234/v1"),
        ("192.168.1.20:8080", "http://192.168.1.20:8080/v1"),
        ("homeserver:5001/v1", "http://homeserver:5001/v1"),
        ("llm.example.org", "https://llm.example.org/v1"),
        ("HTTPS://Example.ORG/api/v1/chat/completions", "https://example.org/api/v1"),
        ("https://example.org/v1beta/openai/", "https://example.org/v1beta/openai"),
        ("http://127.0.0.1:5000/v1/models", "http://127.0.0.1:5000/v1"),
        ("http://0.0.0.0:5000", "http://127.0.0.1:5000/v1"),
        ("http://[::1]:8000", "http://[::1]:8000/v1"),
        ("[::1]:8000", "http://[::1]:8000/v1"),
        ("http://例え.jp:80/v1", "http://例え.jp:80/v1"),
    ],
)
def test_addresses_are_normalised_once_and_for_all(given_url: str, wanted: str) -> None:
    assert normalise_base_url(given_url) == wanted
    assert normalise_base_url(wanted) == wanted


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("ftp://host/v1", "http:// or https://"),
        ("file:///etc/passwd", "http:// or https://"),
        ("javascript://x", "http:// or https://"),
        ("http://", "no host"),
        ("http://host:99999/v1", "cannot be read"),
        ("http://host:0/v1", "between 1 and 65535"),
        ("http://host:abc/v1", "cannot be read"),
        ("http://[::1/v1", "cannot be read"),
        ("http://user:pw@host/v1", "user name or password"),
        ("http://host/v1?key=1", "must not contain ?"),
        ("http://host/v1#x", "must not contain ?"),
        ("http://ho st/v1", "spaces"),
        ("http://host/v1\r\nX-Evil: 1", "spaces"),
    ],
)
def test_bad_addresses_say_why(address: str, words: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        normalise_base_url(address)
    assert words in str(caught.value)
    with pytest.raises(ValidationError):
        ConnectionProfile(name="x", base_url=address)


@given(st.text(max_size=60))
def test_any_text_is_refused_or_becomes_an_address(text: str) -> None:
    try:
        url = normalise_base_url(text)
    except ValueError:
        return
    assert url.startswith(("http://", "https://"))
    assert not url.endswith("/")
    assert normalise_base_url(url) == url


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST.", "a.localhost", "127.0.0.1", "127.9.9.9", "::1", "[::1]"]
)
def test_loopback_hosts(host: str) -> None:
    assert is_loopback(host)
    assert is_private(host)


@pytest.mark.parametrize(
    "host", ["localhost.example.org", "192.168.1.1", "example.org", "128.0.0.1", "", "2001:db8::2"]
)
def test_other_hosts(host: str) -> None:
    assert not is_loopback(host)


def test_private_hosts() -> None:
    assert all(is_private(host) for host in ("192.168.0.9", "10.0.0.1", "fd00::1", "nas", "nas.local"))
    assert not any(is_private(host) for host in ("example.org", "8.8.8.8"))
    assert ConnectionProfile(name="x", base_url="nas:8080").is_private
    assert not ConnectionProfile(name="x", base_url="nas:8080").is_local
    assert ConnectionProfile(name="x", base_url="127.0.0.1:8080").is_local
    assert not ConnectionProfile(name="x", base_url="https://127.0.0.1.example.org").is_local


def test_a_profile_survives_json() -> None:
    profile = ConnectionProfile(
        name=" 我的 server ", base_url="localhost:1234", model="m", stop=["\n"], top_k=40
    )
    again = ConnectionProfile.model_validate_json(profile.model_dump_json())
    assert again == profile
    assert again.name == "我的 server"
    assert again.base_url == "http://localhost:1234/v1"
    assert len(again.id) == 32
    assert ConnectionProfile(name="x", base_url="localhost:1").id != profile.id


@pytest.mark.parametrize(
    "change",
    [
        {"name": ""}, {"name": "  "}, {"name": "a\nb"}, {"kind": "other"}, {"context_tokens": 511},
        {"context_tokens": 10_000_001}, {"context_tokens": 512}, {"reply_tokens": 0}, {"temperature": -1},
        {"temperature": float("nan")}, {"top_p": 1.1}, {"repetition_penalty": 0}, {"stop": [""]},
        {"timeout_seconds": 0}, {"extra_body": {"messages": []}}, {"extra_body": {"stream": False}},
        {"id": "../../x"}, {"api_key": "sk"},
    ],
)  # fmt: skip
def test_bad_values_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ConnectionProfile(**({"name": "x", "base_url": "localhost:1"} | change))


def test_the_demo_voice_is_a_profile() -> None:
    assert DEMO_PROFILE.name == "Demo voice (no language model)"
    assert DEMO_PROFILE.is_local
    assert ConnectionProfile.model_validate(DEMO_PROFILE.model_dump()) == DEMO_PROFILE
