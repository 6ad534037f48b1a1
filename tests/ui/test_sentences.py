"""What the library says reaches a Chinese reader in Chinese, with its values, however it came to be said."""

from __future__ import annotations

import ast
import base64
import errno
import io
import json
import re
import socket
import ssl
import zlib
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from devtools.environment import ROOT
from PIL import Image
from PySide6.QtCore import QTranslator
from PySide6.QtWidgets import QApplication

from memdesk.conversation import Busy
from memdesk.embedding.base import EmbeddingError
from memdesk.embedding.onnx import open_session
from memdesk.formats import cards, images
from memdesk.formats.errors import FormatError
from memdesk.llm import failures
from memdesk.llm.check import check
from memdesk.llm.errors import ERROR_CODES, LLMError
from memdesk.llm.keys import KeyFileError, KeyStore
from memdesk.llm.profile import DEMO_PROFILE
from memdesk.prompt.budget import PromptTooLarge
from memdesk.settings import load_settings
from memdesk.store.errors import StoreError, damaged, store_error
from memdesk.store.files import FileStore
from memdesk.ui.app import translate
from memdesk.ui.dialogs.words import failure_words
from memdesk.ui.errors import explain
from memdesk.ui.sentences import LONGEST, TEMPLATES, _pattern, headline, said
from memdesk.workspace import Workspace
from tests.support.fake_llm import FakeLLM, Fault
from tests.support.workspaces import talk

HAN = re.compile(r"[\u4e00-\u9fff]")
ENGLISH = re.compile(r"\b(the|is|are|was|not|and|of|cannot|file)\b", re.IGNORECASE)
PLACE = failures.Place("http://127.0.0.1:9/v1", "127.0.0.1", "little-model", 30.0, None)

ERRORS = {
    *("LLMError", "FormatError", "EmbeddingError", "KeyFileError", "StoreError", "FileStoreError"),
    "IndexUnavailable",
}
ELSEWHERE = {
    # Said by their code.
    *("7 is closed.", "7 is not a memdesk database.", "The disk is too full for a backup of 7."),
    (
        "7 was written by a newer memdesk (format 7, this one reads up to 7). Please update memdesk. "
        "Nothing was changed."
    ),
    (
        "The data folder 7 is in use by another memdesk. Close it first, or choose another folder with "
        "--data-dir."
    ),
    # Put together of pieces; the templates hold them whole.
    "No secure connection to 7 could be made. 7",
    "The server at 7 does not have 7. Choose one from its list, or load it there first.",
    "This is 7; character cards are PNG or JSON files.",
    "7: 7",
    # Only the command meets them.
    "Several chats are titled “7” (ids 7): name one by its id.",
    "Several characters are called “7” (ids 7): name one by its id.",
    *("The reference vectors 7 are missing.", "7 cannot be read: 7", "7 holds vectors of the wrong shape."),
}
"""Sentences that are put together of pieces, said by their code, or never shown in the window."""


@pytest.fixture
def chinese(qapp: QApplication) -> Iterator[None]:
    translate(qapp, "zh_CN")
    yield
    for translator in qapp.findChildren(QTranslator):
        qapp.removeTranslator(translator)
        translator.setParent(None)


def assert_chinese(text: str) -> None:
    assert HAN.search(text), text
    # The name of a test's folder may hold any word.
    assert not ENGLISH.search(re.sub(r"/\S+", "", text)), text


def every_failure() -> list[LLMError]:
    """Return the errors of every way in which a connection can fail."""
    answers = [(status, {}) for status in (302, 400, 401, 402, 403, 404, 405, 408, 409, 429, 500, 503)]
    errors = [failures.status_error(status, {}, None, "", PLACE) for status, _ in answers]
    errors += [
        failures.status_error(429, {"retry-after": "7"}, None, "", PLACE),
        failures.status_error(301, {"location": "http://127.0.0.1:8/v1"}, None, "", PLACE),
        failures.status_error(400, {}, {"error": {"message": "maximum context length is 9"}}, "", PLACE),
        failures.status_error(404, {}, {"error": {"message": "model 'x' not found"}}, "", PLACE),
        failures.timeout_error(PLACE),
        failures.cut_error(),
        failures.malformed_error(PLACE, "{"),
        failures.not_openai_error(PLACE, "<html>"),
        failures.no_reply_error(PLACE),
        failures.unusable_error(ValueError("x"), PLACE),
        failures.reported_error({"message": "out of memory"}, PLACE),
    ]
    errors += [
        failures.connection_error(error, PLACE)
        for error in (
            socket.gaierror(-2, "no name"),
            ConnectionRefusedError(errno.ECONNREFUSED, "refused"),
            OSError(errno.EHOSTUNREACH, "no route"),
            TimeoutError("slow"),
            ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER]"),
            ssl.SSLError(1, "certificate verify failed"),
            httpx2.RemoteProtocolError("Server disconnected without sending a response."),
            httpx2.RemoteProtocolError("peer closed connection"),
            httpx2.RemoteProtocolError("illegal status line"),
            httpx2.InvalidURL("no"),
        )
    ]
    return errors


@pytest.mark.usefixtures("chinese")
@pytest.mark.parametrize("error", every_failure(), ids=lambda error: f"{error.code} {error.status}")
def test_a_failing_connection(error: LLMError) -> None:
    assert_chinese(said(error.message))
    # As it stands at a reply that failed, with the server's own words behind it.
    whole = explain(LLMError(error.code, error.message, detail="CUDA out of memory"))
    assert whole.startswith(said(error.message))
    assert whole.endswith("（CUDA out of memory）")
    assert "服务器的说法：no" in failure_words(LLMError(error.code, error.message, detail="no", status=400))


def test_the_failures_above_cover_the_codes() -> None:
    # The limit of a reply's length is in the table, but takes a reply of that length to reach.
    assert {error.code for error in every_failure()} >= ERROR_CODES - {"too_long"}


@pytest.mark.usefixtures("chinese")
def test_values_are_kept() -> None:
    assert said("Nothing listens at http://127.0.0.1:9/v1. Start the server, or correct the port.") == (
        "http://127.0.0.1:9/v1 上没有程序在监听。请启动服务器，或改正端口。"
    )
    tricky = "The server at {host} (a) and %1 wants a valid API key. Enter the key of this connection again."
    assert said(tricky) == "{host} (a) and %1 上的服务器需要有效的 API 密钥。请重新输入这个连接的密钥。"
    assert said("Nobody wrote this sentence.") == "Nobody wrote this sentence."
    assert said("") == ""


def test_english_readers_get_the_words_of_the_library() -> None:
    for error in every_failure():
        assert said(str(error)) == str(error)
        assert explain(error) == str(error)
    assert explain(FormatError("a.png", "The file is empty.", code="empty")) == "a.png: The file is empty."


def _written(node: ast.AST) -> str:
    """Return a text of the sources with "7" in the place of every value, "" for what is no text."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(_written(value) if isinstance(value, ast.Constant) else "7" for value in node.values)
    return ""


def _raised(path: Path) -> Iterator[str]:
    """Yield the sentences that a module of the library hands to its errors, or keeps as their reason."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ERRORS:
            yield from filter(None, (_written(argument) for argument in node.args))
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "reason":
            yield from filter(None, [_written(node.value)])


def test_no_sentence_of_the_library_is_forgotten() -> None:
    modules = [
        path
        for folder in ("conversation", "formats", "embedding", "llm", "store")
        for path in (ROOT / "memdesk" / folder).glob("*.py")
    ]
    found = {
        text
        for path in (*modules, ROOT / "memdesk" / "library.py", ROOT / "memdesk" / "chat_acts.py")
        for text in _raised(path)
        if " " in text
    }
    assert len(found) > 60
    patterns = [_pattern(template) for template in TEMPLATES]
    lost = {text for text in found if not any(pattern.fullmatch(text) for pattern in patterns)}
    assert lost == ELSEWHERE


@pytest.mark.usefixtures("chinese")
def test_a_long_sentence_takes_no_time() -> None:
    for template in TEMPLATES:
        head = template.partition("{")[0]
        for piece in ("a. (", template + " ", ". ", "“”. It has: and more."):
            assert said(head + piece * 50_000)
            assert said((head + piece * 4_000)[:LONGEST])


def _png(text: str | None = None, *, cut: int | None = None) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (4, 4), "red").save(file, "PNG")
    data = file.getvalue()
    if text is not None:
        body = b"tEXtchara\0" + text.encode()
        chunk = len(body[4:]).to_bytes(4) + body + zlib.crc32(body).to_bytes(4)
        data = data[:33] + chunk + data[33:]
    return data[:cut]


def _damaged() -> bytes:
    data = bytearray(_png(base64.b64encode(b'{"name": "A"}').decode()))
    data[33 + 12] ^= 1
    return bytes(data)


BAD_CARDS = {
    "empty": b"",
    "jpeg": b"\xff\xd8\xff\xe0",
    "gif": b"GIF89a",
    "webp": b"RIFF0000WEBP",
    "zip": b"PK\x03\x04",
    "pdf": b"%PDF-1.7",
    "other": b"\x7fELF\x00\x01",
    "broken": b'{"name": ',
    "no card": b'{"cats": 3}',
    "unicode": b'{"name": "\xff\xfe"}',
    "deep": b"[" * 5_000,
    "many": b"[" + b"1," * 3_000_000 + b"1]",
    "empty card": b'{"spec": "chara_card_v2", "data": {}}',
    "png without": _png(),
    "png cut": _png(base64.b64encode(b'{"name": "A"}').decode(), cut=40),
    "png cut later": _png(base64.b64encode(b'{"name": "A"}').decode(), cut=-3),
    "png damaged": _damaged(),
    "png no base64": _png("!!!"),
    "large": b" " * (64 * 1024**2 + 1) + b"{",
}


@pytest.mark.usefixtures("chinese")
@pytest.mark.parametrize("kind", BAD_CARDS)
def test_a_file_that_is_no_card(kind: str) -> None:
    with pytest.raises(FormatError) as caught:
        cards.read_card_bytes(BAD_CARDS[kind], "card.png")
    assert_chinese(said(caught.value.reason))
    assert explain(caught.value).startswith("card.png：")
    assert failure_words(caught.value) == said(caught.value.reason)


@pytest.mark.usefixtures("chinese")
def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FormatError) as caught:
        cards.read_card(tmp_path / "gone.png")
    assert HAN.search(said(caught.value.reason))
    with pytest.raises(FormatError) as caught:
        cards.read_card(tmp_path)
    assert_chinese(said(caught.value.reason))


@pytest.mark.usefixtures("chinese")
def test_what_was_repaired_in_a_card() -> None:
    twice = '{"name": 5, "name": ["a"], "spec": "chara_card_v9", "description": "\\ud800", "x": NaN}'
    card = cards.read_card_bytes(twice.encode(), "Wolf.json")
    assert len(card.warnings) >= 4
    nameless = cards.read_card_bytes(json.dumps({"name": "", "description": "d"}).encode(), "Wolf.json")
    renamed = [
        cards.read_card_bytes(json.dumps({"name": name, "description": "d"}).encode(), "Wolf.json")
        for name in ("W" * 3000, "Wo\nlf")
    ]
    assert all(item.warnings for item in renamed)
    for warning in (*card.warnings, *nameless.warnings, *(w for item in renamed for w in item.warnings)):
        assert_chinese(said(warning))


@pytest.mark.usefixtures("chinese")
@pytest.mark.parametrize("data", [b"", b"text", _png(cut=60), b"GIF89a\xff\xff\xff\xff\0\0\0"])
def test_a_picture_that_cannot_be_shown(data: bytes) -> None:
    with pytest.raises(FormatError) as caught:
        images.decode_avatar(data, "face")
    assert_chinese(said(caught.value.reason))
    assert_chinese(said(f"The picture could not be used: {caught.value.reason}"))


@pytest.mark.usefixtures("chinese")
def test_the_steps_of_a_check() -> None:
    with FakeLLM() as server:
        results = [check(server.profile(), None), check(server.profile(), "key")]
        results.append(check(server.profile(model="other"), None))
        results.append(check(server.profile(context_tokens=1_000_000), None))
        server.faults.append(Fault(status=404, everywhere=True))
        results.append(check(server.profile(), None))
        server.faults.append(Fault(status=401, everywhere=True))
        results.append(check(server.profile(), "wrong"))
    results.append(check(DEMO_PROFILE, None))
    results.append(
        check(DEMO_PROFILE.model_copy(update={"kind": "openai", "base_url": PLACE.base_url}), None)
    )
    steps = [step for result in results for step in result.steps]
    assert len(steps) > 12
    for step in steps:
        assert HAN.search(said(step.message)), step.message
        assert said(step.message) != step.message


@pytest.mark.usefixtures("chinese")
def test_an_embedder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingError) as caught:
        open_session(tmp_path / "model.onnx", 1)
    assert_chinese(explain(caught.value))
    (tmp_path / "model.onnx").write_bytes(b"no model")
    with pytest.raises(EmbeddingError) as caught:
        open_session(tmp_path / "model.onnx", 1)
    assert explain(caught.value).startswith("无法读取模型文件")
    assert said(f"Recall works by words only: {caught.value}").startswith(
        "召回只按词语进行：无法读取模型文件"
    )
    assert_chinese(said("The vector index cannot be used; every vector was compared instead."))
    assert said("Recall failed and was left out: boom") == "召回失败，本次未使用：boom"


@pytest.mark.usefixtures("chinese")
def test_a_prompt_that_does_not_fit() -> None:
    error = PromptTooLarge(9_000, 8_000, [("Main prompt", 5_000), ("message #12", 3_000), ("Note", 10)])
    assert explain(error) == (
        "提示词放不下：必须发送约 9,000 token，而只放得下 8,000。请缩短其中一项，或选择更大的上下文或更短的"
        "回复：主提示词 (~5,000), 消息 #12 (~3,000), 笔记 (~10)。"
    )
    assert said(str(error)) == explain(error)


@pytest.mark.usefixtures("chinese")
def test_keys_and_settings(tmp_path: Path) -> None:
    (tmp_path / "keys.json").write_text("{", encoding="utf-8")
    with pytest.raises(KeyFileError) as caught:
        KeyStore(tmp_path).get("a" * 32)
    assert_chinese(explain(caught.value))
    assert failure_words(caught.value) == explain(caught.value)
    (tmp_path / "settings.toml").write_text("theme = 5", encoding="utf-8")
    _, notice = load_settings(tmp_path / "settings.toml")
    assert said(notice).startswith("有些设置无法使用（theme）")
    (tmp_path / "settings.toml").write_text("theme = ", encoding="utf-8")
    _, notice = load_settings(tmp_path / "settings.toml")
    assert said(notice).startswith("无法读取设置（")


@pytest.mark.usefixtures("chinese")
def test_a_data_folder_that_fails(tmp_path: Path) -> None:
    for number in (errno.ENOSPC, errno.EROFS, errno.EACCES, errno.ENOTDIR, errno.EIO):
        text = explain(store_error(OSError(number, "xx"), tmp_path))
        assert HAN.search(text)
        assert str(tmp_path) in text
    broken = damaged(tmp_path / "memdesk.db", "x")
    assert_chinese(explain(broken))
    backup = tmp_path / "backups" / "memdesk-20260101-120000.db"
    backup.parent.mkdir()
    backup.touch()
    text = explain(damaged(tmp_path / "memdesk.db", "x"))
    assert_chinese(text)
    assert str(backup) in text
    assert "memdesk.db-wal" in text
    assert text != explain(broken)
    with pytest.raises(StoreError) as caught:
        FileStore(tmp_path).read("0" * 64)
    assert HAN.search(explain(caught.value))
    assert_chinese(explain(Busy()))
    assert_chinese(explain(RuntimeError("x")))


@pytest.mark.usefixtures("chinese")
def test_what_is_gone(tmp_path: Path) -> None:
    with Workspace(tmp_path / "data", samples=False, background=False) as workspace:
        chat = talk(workspace, "a", "b")
        (first, _) = workspace.messages.page(chat.id, 1, 2)
        asked = (
            lambda: workspace.chats.get(99),
            lambda: workspace.characters.get(99),
            lambda: workspace.personas.get(99),
            lambda: workspace.messages.get(99),
            lambda: workspace.library.restore(99),
            lambda: workspace.library.rename_chat(chat.id, " "),
            lambda: workspace.library.choose_swipe(first.id, 9),
            lambda: workspace.conversation.regenerate(first.id, print, None),  # type: ignore[arg-type]
        )
        for ask in asked:
            with pytest.raises(StoreError) as caught:
                ask()
            assert_chinese(explain(caught.value))


def test_details_stand_apart_from_the_sentence() -> None:
    refused = "Nothing listens at {0}. Start the server, or correct the port."
    address = "http://127.0.0.1:9/v1"
    assert headline(refused.format(address) + " ([Errno 111] Connection refused)") == (
        refused.format(address),
        "[Errno 111] Connection refused",
    )
    page = "<html><body>Bad gateway</body></html>"
    sentence, detail = headline(f"The server did not accept the request (502). The server says: {page}")
    assert (sentence, detail) == ("The server did not accept the request (502).", page)
    assert headline("Something of nobody's (x)") == ("Something of nobody's (x)", "")
    assert headline("") == ("", "")
    assert headline("x" * 1_000_000)[1] == ""


@pytest.mark.parametrize("before", ["", "Recall works by words only: "])
def test_a_missing_model_is_said_in_plain_words_first(before: str) -> None:
    cause = "The tokenizer file /usr/lib/memdesk/tokenizer.model is missing."
    sentence, detail = headline(before + cause)
    assert sentence.endswith(
        "The memory model that ships with memdesk is missing or damaged; reinstall memdesk to get it back."
    )
    assert sentence.startswith("Recall works by words only. The memory" if before else "The memory")
    assert detail == cause


@pytest.mark.usefixtures("chinese")
def test_a_headline_is_chinese_with_its_details() -> None:
    sentence, detail = headline("Recall works by words only: The model file /x/model.onnx is missing.")
    assert_chinese(sentence)
    assert HAN.search(detail)
    assert "/x/model.onnx" in detail
    assert "/x/model.onnx" not in sentence
