from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import numpy as np
import pytest

from memdesk.assets import asset
from memdesk.embedding.base import Embedder, EmbeddingError
from memdesk.embedding.onnx import BATCH_TEXTS, BATCH_TOKENS, OnnxEmbedder, _batches

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PAIRS = [
    ("Where did you hide the key?", "I put the brass key under the third step of the lighthouse."),
    (
        "What is your sister's name?",
        "My little sister Maren turned nine last week; she wants to be a sailor.",
    ),
    ("What do I like to drink?", '"Black tea with two spoons of honey, please," he says. "Always."'),
    ("What happened to your horse?", "My old mare broke her leg at the river crossing; I had to let her go."),
    ("Who betrayed the village?", "It was Oskar, the miller, who opened the gate to the raiders that night."),
]
CHINESE = [
    ("你把钥匙藏在哪里了？", "我把那把黄铜钥匙放在灯塔第三级台阶下面，没有人会去那里找。"),
    ("你妹妹叫什么名字？", "我的小妹妹叫小满，上周刚满九岁，她想当水手。"),
    ("你还记得我喜欢喝什么吗？", "“红茶，加两勺蜂蜜，谢谢。”他笑着说，“老样子。”"),
    ("你的马怎么了？", "我那匹老马过河的时候摔断了腿，我只好让它走了。"),
    ("是谁出卖了村子？", "那天夜里打开大门放强盗进来的，是磨坊主老周。"),
]


def cosines(embedder: OnnxEmbedder, pairs: list[tuple[str, str]]) -> np.ndarray:
    queries = np.vstack([embedder.embed_query(query) for query, _ in pairs])
    return queries @ embedder.embed_passages([passage for _, passage in pairs]).T


def test_is_an_embedder(embedder: OnnxEmbedder) -> None:
    assert isinstance(embedder, Embedder)
    assert embedder.space.dimension == 384
    assert embedder.space.id.isascii()
    assert embedder.max_tokens == 512


def test_agrees_with_the_reference(embedder: OnnxEmbedder) -> None:
    assert 0.99 < embedder.self_test() <= 1.0001


def test_passages_are_unit_vectors_in_the_order_given(embedder: OnnxEmbedder) -> None:
    texts = [
        "short",
        "A longer text about a lighthouse and its keeper. " * 8,
        "",
        "魔王",
        "short",
        "\ud800\x00🙂",
    ] * 4
    vectors = embedder.embed_passages(texts)
    assert vectors.shape == (24, 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-4)
    alone = np.vstack([embedder.embed_passages([text])[0] for text in texts[:6]])
    # Activations are rounded per batch, so neighbours in a batch change a vector a little.
    assert np.sum(alone * vectors[:6], axis=1).min() > 0.99


def test_no_texts(embedder: OnnxEmbedder) -> None:
    assert embedder.embed_passages([]).shape == (0, 384)


def test_long_texts_are_cut_at_the_window(embedder: OnnxEmbedder) -> None:
    long = "The keeper of the lighthouse counts the ships. " * 20_000
    first, second = embedder.embed_passages([long, long[:200_000]])
    assert float(first @ second) > 0.99


def test_queries_are_remembered(embedder: OnnxEmbedder) -> None:
    first = embedder.embed_query("remember this")
    assert embedder.embed_query("remember this") is first
    with pytest.raises(ValueError, match="read-only"):
        first[0] = 1.0


@pytest.mark.parametrize("pairs", [PAIRS, CHINESE], ids=["en", "zh"])
def test_a_quarter_separates_answers_from_the_rest(
    embedder: OnnxEmbedder, pairs: list[tuple[str, str]]
) -> None:
    found = cosines(embedder, pairs)
    others = ~np.eye(len(pairs), dtype=bool)
    similar = embedder.calibrate(found, background=float(np.median(found[others])))
    assert (np.diag(similar) >= 0.25).mean() >= 0.8
    assert (similar[others] < 0.25).mean() >= 0.8


def test_calibration_without_background(embedder: OnnxEmbedder) -> None:
    values = embedder.calibrate(np.array([-1.0, 0.70, 0.76, 0.79, 0.83, 0.95, 1.0], np.float32))
    assert values[:3].tolist() == [0.0, 0.0, 0.0]
    assert 0 < values[3] < 0.25 < values[4] < 1
    assert values[5:].tolist() == [1.0, 1.0]
    extreme = embedder.calibrate(np.array([0.5, 0.9], np.float32), background=5.0)
    assert extreme.tolist() == pytest.approx([0.0, 2 / 3], abs=1e-3)


def test_batches_are_small_and_complete() -> None:
    lengths = [512, 3, 100, 512, 512, 512, 512, 7] + [40] * 20
    batches = list(_batches(lengths))
    assert sorted(place for batch in batches for place in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) <= BATCH_TEXTS
        assert len(batch) * max(lengths[place] for place in batch) <= BATCH_TOKENS


def test_queries_pass_background_work(embedder: OnnxEmbedder) -> None:
    embedder.embed_query("warm")
    background = threading.Thread(
        target=embedder.embed_passages, args=(["守塔人在台阶下面发现了一把黄铜钥匙。" * 18] * 48,)
    )
    background.start()
    time.sleep(0.1)
    waits = []
    for number in range(8):
        begun = time.perf_counter()
        embedder.embed_query(f"where is key number {number}?")
        waits.append(time.perf_counter() - begun)
    still_running = background.is_alive()
    background.join()
    assert still_running
    # A batch of 8 such passages takes 0.5 to 2 s here; a query must not wait for one.
    assert sorted(waits)[4] < 0.3


def test_threads_embed_together(embedder: OnnxEmbedder) -> None:
    expected = embedder.embed_passages(["one", "two", "three"])
    results: list[np.ndarray] = []
    threads = [
        threading.Thread(target=lambda: results.append(embedder.embed_passages(["one", "two", "three"])))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    assert all(np.allclose(result, expected, atol=1e-5) for result in results)


@pytest.mark.parametrize("missing", ["model.onnx", "tokenizer.model"])
def test_a_missing_file_is_named_and_found_when_it_appears(
    put_model: Callable[..., Path], missing: str
) -> None:
    present = {"model.onnx", "tokenizer.model"} - {missing}
    embedder = OnnxEmbedder(put_model(*present))
    assert not embedder.available()
    for _ in range(2):
        with pytest.raises(EmbeddingError, match=missing) as caught:
            embedder.embed_query("key")
        assert caught.value.code == "model_missing"
    put_model(missing)
    assert embedder.available()
    assert embedder.embed_query("key").shape == (384,)


@pytest.mark.parametrize("broken", ["model.onnx", "tokenizer.model"])
@pytest.mark.parametrize("content", [b"", b"garbage" * 100, None], ids=["empty", "garbage", "cut"])
def test_a_broken_file_is_named_and_read_again_when_mended(
    put_model: Callable[..., Path], broken: str, content: bytes | None
) -> None:
    other = ({"model.onnx", "tokenizer.model"} - {broken}).pop()
    folder = put_model(other)
    (folder / broken).write_bytes(
        asset("model", broken).read_bytes()[:1_000_000] if content is None else content
    )
    embedder = OnnxEmbedder(folder)
    assert embedder.available()
    with pytest.raises(EmbeddingError, match=broken) as caught:
        embedder.embed_passages(["key"])
    assert caught.value.code == "model_broken"
    assert not embedder.available()
    begun = time.perf_counter()
    with pytest.raises(EmbeddingError, match=broken):
        embedder.embed_passages(["key"])
    assert time.perf_counter() - begun < 0.1  # not read again
    if content == b"":
        (folder / broken).unlink()
        put_model(broken)
        assert embedder.available()
        assert embedder.embed_passages(["key"]).shape == (1, 384)


def test_broken_reference_vectors(put_model: Callable[..., Path]) -> None:
    folder = put_model("model.onnx", "tokenizer.model")
    embedder = OnnxEmbedder(folder)
    with pytest.raises(EmbeddingError) as caught:
        embedder.self_test()
    assert caught.value.code == "model_missing"
    for content in ("{", "[]", '[{"text": "a"}]', json.dumps([{"text": "a", "vector": [1.0, 2.0]}])):
        (folder / "reference.json").write_text(content)
        with pytest.raises(EmbeddingError, match=r"reference\.json") as caught:
            embedder.self_test()
        assert caught.value.code == "model_broken"


def test_threads_must_be_positive() -> None:
    with pytest.raises(ValueError, match="threads"):
        OnnxEmbedder(asset("model"), threads=0)


@pytest.mark.parametrize("module", ["onnxruntime", "sentencepiece"])
def test_a_missing_package_has_its_code(module: str) -> None:
    code = f"""
import sys
from memdesk.assets import asset
from memdesk.embedding.base import EmbeddingError
from memdesk.embedding.onnx import OnnxEmbedder
embedder = OnnxEmbedder(asset("model"))
print("onnxruntime" in sys.modules or "sentencepiece" in sys.modules)
sys.modules["{module}"] = None
try:
    embedder.embed_query("key")
except EmbeddingError as error:
    print(error.code)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.split() == ["False", "runtime_missing"]
