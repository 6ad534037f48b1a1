from __future__ import annotations

import json
import threading
import time
from typing import TYPE_CHECKING

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer as Reference

from memdesk.assets import asset
from memdesk.embedding.base import EmbeddingError
from memdesk.embedding.tokenizer import tokenizer_file, without_surrogates
from memdesk.embedding.tokens import TokenCounter, estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FAMILY = "👨‍👩‍👧‍👦"


@pytest.fixture(scope="module")
def counter() -> TokenCounter:
    found = TokenCounter(asset("model"))
    assert found.load()
    return found


def test_shares_its_tokenizer(counter: TokenCounter) -> None:
    assert counter.exact
    assert tokenizer_file(asset("model")) is counter._file
    assert TokenCounter(asset("model")).exact


def test_counts_tokens(counter: TokenCounter) -> None:
    # The model's own tokenizer, read by another library: what ours must agree with.
    reference = Reference.from_file(str(asset("model", "tokenizer.json")))
    for text in (
        "Hello, world!",
        "守塔人发现了一把钥匙。",
        ("The keeper found a key. " * 40).strip(),
        "one  two\n\nthree",
    ):
        assert counter.count(text) == len(reference.encode(text, add_special_tokens=False).ids)
    assert counter.count("") == 0
    assert counter.count_many(["Hello", ""]) == [counter.count("Hello"), 0]


def test_the_samples_have_the_ids_of_the_models_own_tokenizer() -> None:
    reference = Reference.from_file(str(asset("model", "tokenizer.json")))
    tokenizer = tokenizer_file(asset("model")).get()
    for name in ("mira", "elia"):
        sample = json.loads(asset("sample", f"{name}.json").read_text("utf-8"))
        for message in sample["chat"]["messages"]:
            text = "passage: " + message["text"].strip()
            assert tokenizer.ids(text) == reference.encode(text).ids


def test_special_words_in_a_text_are_only_text() -> None:
    """“</s>” typed by a person must not end what the model reads."""
    tokenizer = tokenizer_file(asset("model")).get()
    ids = tokenizer.ids("one</s>two<mask>")
    assert (ids[0], ids[-1]) == (0, 2)
    assert not {0, 1, 2, 250_001} & set(ids[1:-1])


def test_long_texts_are_counted_in_pieces(counter: TokenCounter) -> None:
    text = "The keeper of the lighthouse found a brass key. " * 400
    whole = tokenizer_file(asset("model")).get().count(text)
    assert counter.count(text) == pytest.approx(whole, rel=0.01)
    assert counter.count(text) == counter.count(text)


@pytest.mark.parametrize(
    "text",
    ["The keeper found a key. " * 42_000, "守塔人发现了钥匙" * 125_000, "a" * 1_000_000, " " * 1_000_000,
     FAMILY * 143_000, "e\u0301\u0323" * 333_000, "\ud800" * 1_000_000],
    ids=range(7),
)  # fmt: skip
@pytest.mark.timeout(30)
def test_a_megabyte_takes_a_moment(counter: TokenCounter, text: str) -> None:
    begun = time.process_time()
    counter.count(text)
    cut = counter.cut(text, 350)
    assert time.process_time() - begun < 5
    assert text.startswith(cut)
    assert counter.count(cut) <= 350


def test_extrapolates_well(counter: TokenCounter) -> None:
    line = "The keeper of the lighthouse found a brass key under the third step. "
    one = counter.count(line * 100)
    assert counter.count(line * 10_000) == pytest.approx(one * 100, rel=0.03)


@settings(deadline=None)
@given(st.text(max_size=120), st.integers(min_value=0, max_value=40))
def test_cutting_keeps_whole_graphemes(counter: TokenCounter, text: str, tokens: int) -> None:
    cut = counter.cut(text, tokens)
    assert text.startswith(cut)
    assert counter.count(cut) <= tokens
    ends = [0]
    for grapheme in regex.findall(r"\X", text):
        ends.append(ends[-1] + len(grapheme))
    assert len(cut) in ends


def test_cutting_uses_the_room(counter: TokenCounter) -> None:
    text = "The keeper of the lighthouse found a brass key under the third step. " * 300
    assert 345 <= counter.count(counter.cut(text, 350)) <= 350
    assert 2_900 <= counter.count(counter.cut(text, 3_000)) <= 3_000
    assert counter.cut("short", 50) == "short"


def test_without_a_tokenizer_it_estimates(tmp_path: Path) -> None:
    counter = TokenCounter(tmp_path)
    assert not counter.load()
    assert not counter.exact
    assert counter.count("abcdefgh") == estimate_tokens("abcdefgh") == 2
    assert counter.count("魔王の城") == 4
    assert counter.count("") == 0
    cut = counter.cut("守塔人发现了钥匙" * 50, 100)
    assert len(cut) == 100
    assert len(counter.cut("word " * 100, 10)) == 40
    assert counter.cut(FAMILY * 4, 0) == ""


def test_counts_become_exact_when_the_file_appears(tmp_path: Path, put_model: Callable[..., Path]) -> None:
    counter = TokenCounter(tmp_path)
    assert not counter.load()
    put_model("tokenizer.model")
    assert counter.load()
    assert counter.count("extraordinarily") == TokenCounter(asset("model")).count("extraordinarily")


def test_many_threads_load_one_tokenizer(put_model: Callable[..., Path]) -> None:
    file = tokenizer_file(put_model("tokenizer.model"))
    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(id(file.get()))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert len(set(found)) == 1


def test_a_missing_tokenizer_has_its_code(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingError) as caught:
        tokenizer_file(tmp_path).get()
    assert caught.value.code == "model_missing"
    assert str(tmp_path) in caught.value.message


def test_surrogates_are_replaced_one_for_one() -> None:
    assert without_surrogates("a\ud800b\udfff") == "a\ufffdb\ufffd"
    assert without_surrogates("🙂") == "🙂"
