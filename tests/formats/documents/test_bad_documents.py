"""Files that no document is: each is told by its code, soon, and nothing of it is taken."""

from __future__ import annotations

import sys
import threading
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import tests.support.documents as making
from memdesk.formats.documents.extract import extract
from memdesk.formats.documents.failures import SENTENCES, Unreadable
from memdesk.formats.documents.reader import read_document
from memdesk.formats.errors import FormatError
from memdesk.work.cancel import Cancelled, CancelToken


def code_of(path: Path, name: str = "", password: str = "") -> str:
    with pytest.raises(Unreadable) as caught:
        list(read_document(path, name or path.name, password, lambda _done, _total: None)[1])
    assert str(caught.value) == SENTENCES[caught.value.code]
    return caught.value.code


def bomb(path: Path) -> None:
    making.word(path)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/extra.xml", b" " * (100 << 20))


def many_members(path: Path) -> None:
    making.packed(path, {f"word/{number}": b"" for number in range(5001)} | {"[Content_Types].xml": b""})


def cut(path: Path) -> None:
    making.word(path)
    path.write_bytes(path.read_bytes()[:-3000])


def spoilt(path: Path) -> None:
    making.word(path)
    data = bytearray(path.read_bytes())
    data[200:4000] = b"\xff" * 3800
    path.write_bytes(bytes(data))


def entity(path: Path) -> None:
    making.odf(path, kind="text", doctype='<!DOCTYPE x [<!ENTITY a "b">]>')


def no_word(path: Path) -> None:
    making.packed(path, {"[Content_Types].xml": b"<Types/>", "word/document.xml": b"<x/>"})


def wide_doctype(path: Path) -> None:
    making.packed(
        path, {"[Content_Types].xml": b"<T/>", "word/document.xml": "<!DOCTYPE x><x/>".encode("utf-16")}
    )


BAD: dict[str, tuple[Callable[[Path], object], str]] = {
    "empty": (lambda path: path.write_bytes(b""), "empty"),
    "blank": (lambda path: path.write_bytes(b" \n\n"), "empty"),
    "vanished": (lambda path: path.unlink(missing_ok=True), "vanished"),
    "binary": (lambda path: path.write_bytes(bytes(range(256)) * 50), "binary"),
    "machine code": (lambda path: path.write_bytes(Path(sys.executable).read_bytes()[:100_000]), "binary"),
    "picture": (lambda path: path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(200)) * 9), "binary"),
    "scan": (making.scan, "scanned"),
    "password": (lambda path: making.pdf(path, password="lamp"), "encrypted"),
    "no pdf": (lambda path: path.write_bytes(b"%PDF-1.7\nnothing"), "corrupt"),
    "old office": (
        lambda path: path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600),
        "old_office",
    ),
    "archive": (lambda path: making.packed(path, {"a.txt": b"x"}), "unknown_format"),
    "no word": (no_word, "corrupt"),
    "cut": (cut, "corrupt"),
    "spoilt": (spoilt, "corrupt"),
    "bomb": (bomb, "bomb"),
    "members": (many_members, "bomb"),
    "doctype": (entity, "doctype"),
    "wide doctype": (wide_doctype, "doctype"),
}


@pytest.mark.parametrize("what", BAD)
def test_each_is_told_by_its_code(what: str, tmp_path: Path) -> None:
    path = tmp_path / "story.txt"
    make, code = BAD[what]
    make(path)
    started = time.monotonic()
    assert code_of(path) == code
    assert time.monotonic() - started < 5


def test_a_password_opens_it(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    expected = making.pdf(path, password="lamp")
    assert code_of(path, password="dark") == "wrong_password"
    found = extract(path, password="lamp")
    assert found.kind == "pdf"
    assert {block.text for block in found.blocks} == set(expected)


def test_too_much_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with path.open("wb") as file:
        file.truncate(100_000_000)
    assert code_of(path) == "too_large"
    path.write_text("word " * 4_200_000, "utf-8")
    assert code_of(path) == "too_large"


def test_reading_happens_apart_and_tells_how_far_it_is(tmp_path: Path) -> None:
    path = tmp_path / f"{'长' * 60}.pdf"
    making.pdf(path)
    told: list[tuple[int, int]] = []
    found = extract(path, progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert len(found.blocks) == 40
    making.packed(path, {"a.txt": b"x"})
    with pytest.raises(FormatError) as caught:
        extract(path, name="the name they know")
    assert (caught.value.code, caught.value.name) == ("unknown_format", "the name they know")


def test_it_can_be_cancelled_and_takes_only_its_time_and_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,b,c\n" * 2_000_000, "utf-8")
    cancel = CancelToken()
    stop = threading.Timer(0.6, cancel.cancel)
    stop.start()
    started = time.monotonic()
    with pytest.raises(Cancelled):
        extract(path, cancel=cancel)
    assert time.monotonic() - started < 3
    stop.join()
    with pytest.raises(FormatError) as caught:
        extract(path, seconds=1)
    assert caught.value.code == "too_slow"
    if sys.platform != "win32":
        path.write_text("text " * 3_000_000, "utf-8")
        with pytest.raises(FormatError) as caught:
            extract(path, memory=60_000_000)
        assert caught.value.code in {"too_much_memory", "corrupt"}
