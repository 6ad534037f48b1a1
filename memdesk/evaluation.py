"""Measuring a memory layer: questions whose answers are known, asked through the real layer."""

from __future__ import annotations

import json
import math
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memdesk.chats.model import Chat
from memdesk.chats.text import clean
from memdesk.formats.errors import printable
from memdesk.memory.layer import ContributionRequest, MemoryLayer
from memdesk.prompt.budget import Budget
from memdesk.prompt.parts import Part
from memdesk.store.messages import NewMessage
from memdesk.work.cancel import CancelToken
from memdesk.workspace import Workspace

TOPS = (1, 5, 10, 25)
"""Places up to which recall is reported when nothing else is asked for."""

BEGIN = datetime(2000, 1, 1, tzinfo=UTC)
"""Time of a first message without one; the next ones without a time follow a minute apart."""

ROOM = 1_000_000
"""Tokens that a layer may fill: more than any chat, so that nothing is left out for want of room."""

WHOLE = {"grain": "messages", "chunk_chars": 0, "threshold": 0, "top_k": 0}
"""Recall settings that make each message a memory of its own and leave the whole ranking in order."""

Text = Annotated[str, Field(min_length=1)]


class EvaluationError(Exception):
    """A file or a choice cannot be evaluated; the message names it and the reason."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class _Record(BaseModel):
    """A record of the format; further fields are somebody else's and are let through."""

    model_config = ConfigDict(extra="ignore", strict=True)


class EvaluationMessage(_Record):
    """A message; `time` may be missing. Whether it is hidden changes nothing: it is remembered."""

    id: Text
    name: Text
    role: Literal["user", "assistant"]
    text: str
    time: datetime | None = Field(None, strict=False)


class EvaluationQuestion(_Record):
    """A question and the ids of the messages that answer it."""

    id: Text
    text: Text
    kind: str = "plain"
    evidence: list[str] = Field(min_length=1)
    split: str | None = None


class EvaluationChat(_Record):
    """A chat and what is asked about it."""

    id: Text
    messages: list[EvaluationMessage] = Field(min_length=1)
    questions: list[EvaluationQuestion]


class EvaluationSet(_Record):
    """A file of the evaluation format."""

    name: Text
    language: str = ""
    chats: list[EvaluationChat] = Field(min_length=1)


def read_set(path: Path) -> EvaluationSet:
    """Read a file of the evaluation format; raises `EvaluationError` naming the file and what is wrong.

    {"name", "language", "chats": [{"id", "messages": [{"id", "name", "role", "text", "time"}],
    "questions": [{"id", "text", "kind", "evidence": [message id, …], "split"}]}]}, where `time` is ISO 8601
    or null and `split` may be missing.
    """
    try:
        content = json.loads(path.read_bytes().decode("utf-8-sig"))
        found = EvaluationSet.model_validate(content)
    except OSError as error:
        raise _broken(path, "unreadable", f"cannot be read ({error.strerror or error}).") from error
    except UnicodeDecodeError as error:
        raise _broken(path, "not_json", "is not JSON: it is not UTF-8 text.") from error
    except ValidationError as error:
        raise _broken(path, "not_a_set", f"is no evaluation set: {_first(error)}.") from error
    except ValueError as error:
        raise _broken(path, "not_json", f"is not JSON: {error}.") from error
    except RecursionError as error:
        raise _broken(path, "not_json", "is not JSON that can be read: it is nested too deeply.") from error
    _check(path, found)
    return found


def _broken(path: Path, code: str, reason: str) -> EvaluationError:
    return EvaluationError(code, f"{printable(str(path))} {reason}")


def _first(error: ValidationError) -> str:
    """Return where the first failure is and what it is: chats[0].questions[3].evidence: Field required."""
    detail = error.errors(include_url=False, include_input=False)[0]
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in detail["loc"])
    return f"{place.lstrip('.') or 'the file'}: {detail['msg']}"


def _check(path: Path, found: EvaluationSet) -> None:
    """Refuse ids that are not unique, and evidence that is not there."""
    _refuse_twins(path, "two chats", (chat.id for chat in found.chats))
    for chat in found.chats:
        name = printable(chat.id)
        _refuse_twins(path, f"chat {name}: two messages", (message.id for message in chat.messages))
        _refuse_twins(path, f"chat {name}: two questions", (question.id for question in chat.questions))
        known = {message.id for message in chat.messages}
        for question in chat.questions:
            for evidence in question.evidence:
                if evidence not in known:
                    reason = (
                        f"is no evaluation set: chat {name}, question {printable(question.id)}: its evidence"
                        f" {printable(evidence)} is no message of the chat."
                    )
                    raise _broken(path, "no_evidence", reason)


def _refuse_twins(path: Path, what: str, ids: Iterable[str]) -> None:
    seen: set[str] = set()
    for item in ids:
        if item in seen:
            raise _broken(path, "same_id", f"is no evaluation set: {what} have the id {printable(item)}.")
        seen.add(item)


@dataclass(slots=True)
class _Answers:
    """What the questions found: for each its kind, its set and recall at every place, 0–1."""

    tops: Sequence[int]
    rows: list[tuple[str, str, list[float]]] = field(default_factory=list)
    milliseconds: list[float] = field(default_factory=list)

    def add(self, kind: str, name: str, evidence: set[str], ranked: Sequence[str]) -> None:
        found = [len(evidence.intersection(ranked[:top])) / len(evidence) for top in self.tops]
        self.rows.append((kind, name, found))

    def table(self, column: int) -> dict[str, Any]:
        """Return the means by kind (column 0) or by set (1)."""
        names = sorted({str(row[column]) for row in self.rows})
        return {name: self._means([row[2] for row in self.rows if row[column] == name]) for name in names}

    def overall(self) -> dict[str, float]:
        figures = self._means([row[2] for row in self.rows])
        figures.pop("questions")
        return figures

    def _means(self, rows: Sequence[Sequence[float]]) -> dict[str, Any]:
        means = (sum(column) / len(rows) for column in zip(*rows, strict=True))
        figures: dict[str, Any] = dict(zip(map(str, self.tops), means, strict=True))
        return {**figures, "questions": len(rows)}


def evaluate(
    sets: Sequence[EvaluationSet],
    *,
    tops: Sequence[int] = TOPS,
    layer: str = "recall",
    split: str | None = None,
    settings: Mapping[str, object] | None = None,
    cancel: CancelToken | None = None,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> dict[str, Any]:
    """Ask a layer every question (of one split, if given) in a temporary data folder.

    Each message is a memory of its own, each question the query, asked after its chat's last message; nothing
    is protected, no threshold and no budget cut anything off. Recall@k of a question is the share of its
    evidence among the first k messages recalled; a message in pieces counts where its best piece stands.
    `settings` are recall settings (`grain`, `neighbours`, …) that differ from this; an exchange brings all
    its messages at once, in order.

    Returns {"overall": {"k": mean 0–1}, "by_kind": {kind: {"k": …, "questions": n}}, "by_set": likewise,
    "questions": n, "query_ms": {"p50", "p95"}, "chunks_per_s": through chunking, embedding and index}.
    Raises `EvaluationError` for an unknown layer or when there are no questions, `EmbeddingError`,
    `StoreError` and `Cancelled`.
    """
    cancel = cancel or CancelToken()
    answers = _Answers(sorted(set(tops)))
    asked = [
        (item.name, chat, [question for question in chat.questions if split in {None, question.split}])
        for item in sets
        for chat in item.chats
    ]
    asked = [row for row in asked if row[2]]
    if not asked:
        which = f"There are no questions of the split “{split}”" if split else "There are no questions"
        raise EvaluationError("no_questions", f"{which} in the given files.")
    with (
        tempfile.TemporaryDirectory(prefix="memdesk-evaluation-", ignore_cleanup_errors=True) as folder,
        Workspace(Path(folder), samples=False, background=False) as workspace,
    ):
        chosen = _layer(workspace, layer)
        recall = {**WHOLE, **(settings or {})}
        chats = [_add(workspace, chat, recall) for _name, chat, _questions in asked]
        started = time.perf_counter()
        workspace.sync.sync([chat.id for chat, _ids in chats], progress, cancel)
        seconds = time.perf_counter() - started
        chunks = sum(counts[0] for counts in workspace.sync.counts().values())
        for (name, _source, questions), (chat, ids) in zip(asked, chats, strict=True):
            for question in questions:
                cancel.raise_if_cancelled()
                begun = time.perf_counter()
                parts = chosen.contribute(_request(chat, question.text)).parts
                answers.milliseconds.append((time.perf_counter() - begun) * 1000)
                answers.add(question.kind, name, set(question.evidence), _ranked(parts, ids))
    return {
        "overall": answers.overall(),
        "by_kind": answers.table(0),
        "by_set": answers.table(1),
        "questions": len(answers.rows),
        "query_ms": {
            "p50": _quantile(answers.milliseconds, 0.5),
            "p95": _quantile(answers.milliseconds, 0.95),
        },
        "chunks_per_s": chunks / seconds,
    }


def _layer(workspace: Workspace, name: str) -> MemoryLayer:
    layers = {layer.name: layer for layer in workspace.layers}
    if name not in layers:
        known = ", ".join(sorted(layers))
        raise EvaluationError("no_layer", f"There is no memory layer “{printable(name)}”; there is: {known}.")
    return layers[name]


def _add(
    workspace: Workspace, source: EvaluationChat, recall: Mapping[str, object]
) -> tuple[Chat, dict[int, str]]:
    """Store a chat of a set; returns it and the set's id of each message by its own."""
    names = list(dict.fromkeys(item.name for item in source.messages if item.role == "assistant"))
    characters = {
        name: workspace.library.add_character(
            name, {"spec": "chara_card_v3", "spec_version": "3.0", "data": {"name": clean(name)}}
        )
        for name in names or ["Character"]
    }
    chat = workspace.chats.add(clean(source.id), [item.id for item in characters.values()])
    workspace.chats.set_settings(chat.id, {"recall": dict(recall)})
    moment = BEGIN - timedelta(minutes=1)
    messages = []
    for item in source.messages:
        moment = item.time or moment + timedelta(minutes=1)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        character = characters.get(item.name) if item.role == "assistant" else None
        messages.append(
            NewMessage(
                item.role,
                clean(item.name),
                (clean(item.text),),
                character_id=character.id if character else None,
                created_at=moment,
            )
        )
    added = workspace.messages.add(chat.id, messages)
    ids = dict(zip(added, (item.id for item in source.messages), strict=True))
    return workspace.chats.get(chat.id), ids


def _request(chat: Chat, query: str) -> ContributionRequest:
    return ContributionRequest(
        chat=chat,
        history=(),
        in_prompt=frozenset(),
        protected=frozenset(),
        before_number=chat.messages + 1,
        budget=Budget(ROOM, 0),
        room=ROOM,
        query=clean(query),
        losers=ROOM,
    )


def _ranked(parts: Sequence[Part], ids: dict[int, str]) -> list[str]:
    """Return the messages recalled, best first, each once."""
    best = sorted(parts, key=lambda part: -(part.score or 0.0))
    sources = (source for part in best for source in part.source.get("messages", ()))
    return list(dict.fromkeys(ids[source] for source in sources if source in ids))


def _quantile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least this share of the values does not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]
