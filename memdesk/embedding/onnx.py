"""The bundled embedder: multilingual-e5-small on ONNX Runtime, on the CPU, without any network."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

import numpy as np

from memdesk.embedding.base import EmbeddingError, EmbeddingSpace
from memdesk.embedding.tokenizer import END, Failure, file_stamp, tokenizer_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from onnxruntime import InferenceSession

SPACE = EmbeddingSpace(
    id="e5-small-q4i8-384-e5",
    model="intfloat/multilingual-e5-small",
    dimension=384,
    prefix_profile="e5",
)
WINDOW = 512
"""Tokens the model was trained to read at once (its position table ends there)."""
BATCH_TEXTS = 8
BATCH_TOKENS = 2048
"""Padded tokens per batch; keeps the working memory of a batch near 60 MB."""
LONGEST_CHARS = 20_000
"""Characters of a text that are tokenised at all; far more than fit in the window."""
CACHED_QUERIES = 64
QUERY_PATIENCE = 2.0
"""Seconds a background batch waits for queries to finish, so that endless queries cannot starve it."""

BACKGROUND = 0.765
"""Median cosine of a question with texts that do not answer it, measured on English dialogue (0.77) and
on own English pairs (0.775). Own Chinese pairs have 0.84, so pass the measured `background` if you can."""
BACKGROUND_RANGE = (0.70, 0.88)
CERTAIN = 0.91
"""Cosine that counts as similarity 1. With these numbers 0.25 is a cosine of 0.80: 84 of 100 unrelated
lines of the dialogue, and all but 1 in 10 unrelated own pairs, lie below, and 60 of 100 answers above."""

PASSAGE = "passage: "
QUERY = "query: "
PADDING = 1


class OnnxEmbedder:
    """Embeds with `model.onnx` and `tokenizer.model` of a folder, loaded at the first text (1 to 2 s).

    Every method may be called from any thread. Background batches run one at a time; a query runs beside
    them on its own thread, and no new batch starts while a query is under way.
    """

    def __init__(self, folder: Path, threads: int = 1) -> None:
        """Prepare an embedder for a model folder; `threads` ≥ 1 compute one batch together."""
        if threads < 1:
            raise ValueError(f"threads must be at least 1, not {threads}")
        self.folder = folder
        self.threads = threads
        self._model_path = folder / "model.onnx"
        self._tokenizer = tokenizer_file(folder)
        self._load_lock = threading.Lock()
        self._session: InferenceSession | None = None
        self._failure = Failure()
        self._batch_lock = threading.Lock()
        self._queries_changed = threading.Condition()
        self._queries_running = 0
        self._queries: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._queries_lock = threading.Lock()

    @property
    def space(self) -> EmbeddingSpace:
        """The space of the bundled model."""
        return SPACE

    @property
    def max_tokens(self) -> int:
        """512 tokens; prefix and special tokens take 4 to 5 of them."""
        return WINDOW

    @property
    def loaded(self) -> bool:
        """Whether the model is in memory."""
        return self._session is not None

    def available(self) -> bool:
        """Say whether the files are there and did not fail to load as they are."""
        if self._session is not None:
            return self._tokenizer.available()
        stamp = file_stamp(self._model_path)
        return stamp is not None and self._failure.still((stamp,)) is None and self._tokenizer.available()

    def calibrate(self, cosines: NDArray[np.float32], background: float | None = None) -> NDArray[np.float32]:
        """Map cosines to 0..1: (cosine - background) / (CERTAIN - background), clipped.

        `background` is the query's median cosine with a sample of texts not picked for it (32 or more);
        it depends on language and length. Without one BACKGROUND is used.
        """
        low, high = BACKGROUND_RANGE
        base = BACKGROUND if background is None else min(max(background, low), high)
        scaled = (np.asarray(cosines, np.float32) - base) / (CERTAIN - base)
        similarities: NDArray[np.float32] = np.clip(scaled, 0.0, 1.0).astype(np.float32)
        return similarities

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors [texts, 384]; texts beyond the window are cut. Raise EmbeddingError."""
        vectors = np.zeros((len(texts), SPACE.dimension), np.float32)
        if not texts:
            return vectors
        self._load()
        tokens = [self._encode(PASSAGE, text) for text in texts]
        for batch in _batches([len(ids) for ids in tokens]):
            self._let_queries_pass()
            with self._batch_lock:
                vectors[batch] = self._run([tokens[index] for index in batch])
        return vectors

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the unit vector [384] of a query, read-only, from memory if asked lately.

        Raise EmbeddingError.
        """
        with self._queries_lock:
            known = self._queries.get(text)
            if known is not None:
                self._queries.move_to_end(text)
                return known
        self._load()
        with self._queries_changed:
            self._queries_running += 1
        try:
            vector: NDArray[np.float32] = self._run([self._encode(QUERY, text)])[0].copy()
        finally:
            with self._queries_changed:
                self._queries_running -= 1
                self._queries_changed.notify_all()
        vector.setflags(write=False)
        with self._queries_lock:
            if len(text) <= LONGEST_CHARS:
                self._queries[text] = vector
            while len(self._queries) > CACHED_QUERIES:
                self._queries.popitem(last=False)
        return vector

    def self_test(self) -> float:
        """Return the lowest cosine with the reference vectors; 0.99 or more is healthy.

        The reference holds 12 texts in 7 languages and takes about 0.2 s. Raise EmbeddingError.
        """
        path = self.folder / "reference.json"
        try:
            entries = json.loads(path.read_text(encoding="utf-8"))
            expected = np.array([entry["vector"] for entry in entries], np.float32)
            texts = [str(entry["text"]) for entry in entries]
        except FileNotFoundError as error:
            raise EmbeddingError("model_missing", f"The reference vectors {path} are missing.") from error
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise EmbeddingError("model_broken", f"{path} cannot be read: {error}") from error
        if expected.shape != (len(texts), SPACE.dimension) or not texts:
            raise EmbeddingError("model_broken", f"{path} holds vectors of the wrong shape.")
        self._load()
        found = np.vstack([self._run([self._encode("", text)]) for text in texts])
        return float(np.min(np.sum(found * expected, axis=1)))

    def _encode(self, prefix: str, text: str) -> list[int]:
        # One text at a time: encode_batch would start a thread for every core.
        ids = self._tokenizer.get().ids(prefix + text[:LONGEST_CHARS])
        return ids if len(ids) <= WINDOW else [*ids[: WINDOW - 1], END]

    def _let_queries_pass(self) -> None:
        with self._queries_changed:
            self._queries_changed.wait_for(lambda: self._queries_running == 0, QUERY_PATIENCE)

    def _load(self) -> InferenceSession:
        if self._session is not None:
            return self._session
        with self._load_lock:
            if self._session is None:
                self._tokenizer.get()
                stamp = file_stamp(self._model_path)
                known = self._failure.still((stamp,))
                if known is not None:
                    raise known
                try:
                    session = open_session(self._model_path, self.threads)
                    self._check(session)
                except EmbeddingError as error:
                    self._failure.remember(error, (stamp,))
                    raise
                self._session = session
            return self._session

    def _check(self, session: InferenceSession) -> None:
        """Refuse a model with other inputs or outputs than ours."""
        inputs = {node.name for node in session.get_inputs()}
        outputs = [node.name for node in session.get_outputs()]
        if inputs != {"input_ids", "attention_mask"} or "embedding" not in outputs:
            raise EmbeddingError(
                "model_broken", f"{self._model_path} is another kind of model: it takes {sorted(inputs)}."
            )
        try:
            shape = _infer(session, [[0, END]]).shape
        except EmbeddingError as error:
            raise EmbeddingError(
                "model_broken", f"{self._model_path} does not work: {error.message}"
            ) from error
        if shape != (1, SPACE.dimension):
            raise EmbeddingError(
                "model_broken",
                f"{self._model_path} makes vectors of shape {shape}, not of {SPACE.dimension} numbers.",
            )

    def _run(self, tokens: list[list[int]]) -> NDArray[np.float32]:
        vectors = _infer(self._load(), tokens)
        if not np.isfinite(vectors).all():
            raise EmbeddingError("embedding_failed", "The model returned numbers that are not finite.")
        return vectors


def open_session(path: Path, threads: int) -> InferenceSession:
    """Open a model on the CPU with settings for a program that idles most of the time."""
    if not path.is_file():
        raise EmbeddingError("model_missing", f"The model file {path} is missing.")
    try:
        import onnxruntime  # noqa: PLC0415 - takes long and the first window needs none
    except ImportError as error:
        raise EmbeddingError("runtime_missing", f"ONNX Runtime cannot be loaded: {error}") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4  # failures are raised; nothing is printed
    # Memory plans are kept per input shape, and ours are hardly ever equal.
    options.enable_mem_pattern = False
    # Waiting threads sleep instead of spinning, else an idle window would use a core.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(
            str(path), sess_options=options, providers=["CPUExecutionProvider"]
        )
    except _runtime_errors() as error:
        raise EmbeddingError("model_broken", f"The model file {path} cannot be read: {error}") from error


def _runtime_errors() -> tuple[type[Exception], ...]:
    """Return what ONNX Runtime raises: its own errors share no base class."""
    from onnxruntime.capi import onnxruntime_pybind11_state as state  # noqa: PLC0415 - as above

    names = (
        "EPFail",
        "EngineError",
        "Fail",
        "InvalidArgument",
        "InvalidGraph",
        "InvalidProtobuf",
        "ModelLoaded",
        "NoModel",
        "NoSuchFile",
        "NotImplemented",
        "RuntimeException",
    )
    own: list[type[Exception]] = [getattr(state, name) for name in names if hasattr(state, name)]
    return (*own, OSError, RuntimeError, ValueError, MemoryError)


def _infer(session: InferenceSession, tokens: list[list[int]]) -> NDArray[np.float32]:
    import onnxruntime  # noqa: PLC0415 - loaded already with the session

    longest = max(len(ids) for ids in tokens)
    input_ids = np.full((len(tokens), longest), PADDING, np.int64)
    mask = np.zeros_like(input_ids)
    for row, ids in enumerate(tokens):
        input_ids[row, : len(ids)] = ids
        mask[row, : len(ids)] = 1
    options = onnxruntime.RunOptions()
    # Gives the working memory of a long batch back at once (35 MB less after 400-character texts).
    options.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
    feeds: dict[str, Any] = {"input_ids": input_ids, "attention_mask": mask}
    try:
        (vectors,) = session.run(["embedding"], feeds, options)
    except _runtime_errors() as error:
        raise EmbeddingError("embedding_failed", f"The embedding model failed: {error}") from error
    return np.asarray(vectors, np.float32)


def _batches(lengths: list[int]) -> Iterator[list[int]]:
    """Group positions of similar length: at most BATCH_TEXTS texts and BATCH_TOKENS padded tokens."""
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) == BATCH_TEXTS or lengths[index] * (len(batch) + 1) > BATCH_TOKENS):
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch
