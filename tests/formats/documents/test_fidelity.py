"""Everything that stands in a document comes out of it, whatever its name is."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

import tests.support.documents as making
from memdesk.formats.documents.reader import read_document
from memdesk.store.document import Block, full_text


def read(path: Path, name: str = "") -> tuple[str, list[Block]]:
    kind, blocks = read_document(path, name or path.name, "", lambda _done, _total: None)
    return kind, list(blocks)


MAKERS: dict[str, Callable[[Path], list[str]]] = {
    "pdf": making.pdf,
    "docx": making.word,
    "xlsx": making.sheets,
    "pptx": making.slides,
    "odt": partial(making.odf, kind="text"),
    "ods": partial(making.odf, kind="spreadsheet"),
    "odp": partial(making.odf, kind="presentation"),
    "epub": making.epub,
    "fb2": making.fb2,
    "html": making.html,
    "rtf": making.rtf,
}


@pytest.mark.parametrize("kind", MAKERS)
def test_everything_comes_out_whatever_the_name(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "文件.bin"
    expected = MAKERS[kind](path)
    found, blocks = read(path)
    text = full_text(blocks)
    assert found == kind
    assert [line for line in expected if line not in text] == []
    assert sum(text.count(line) for line in expected) >= len(expected)
    assert "never" not in text


def test_blocks_know_their_place(tmp_path: Path) -> None:
    making.pdf(tmp_path / "a.pdf")
    _, blocks = read(tmp_path / "a.pdf")
    assert {block.place.page for block in blocks} == {1, 2, 3, 4}
    assert blocks[-1].place.headings == ("The tower", "The lamp")
    making.sheets(tmp_path / "a.xlsx")
    _, blocks = read(tmp_path / "a.xlsx")
    row = next(block for block in blocks if block.text.startswith("Places 7/1"))
    assert (row.place.sheet, row.place.row, row.header) == (
        "Places",
        7,
        " | ".join(f"Places 1/{c}" for c in range(1, 5)),
    )
    making.slides(tmp_path / "a.pptx")
    _, blocks = read(tmp_path / "a.pptx")
    assert {block.place.slide for block in blocks} == {1, 2, 3, 4, 5}
    making.word(tmp_path / "a.docx")
    _, blocks = read(tmp_path / "a.docx")
    assert blocks[3].place.headings == ("The tower",)


@pytest.mark.parametrize(
    ("name", "content", "kind", "expected"),
    [
        (
            "a.md",
            "# One\n\n- x\n  - y\n\n```py\nif a:\n\n    b\n```\n",
            "md",
            ["- x\n  - y", "if a:\n\n    b"],
        ),
        (
            "a.py",
            "def f():\n    return 1\n\n\nclass A:\n    x = 1\n",
            "code",
            ["def f():\n    return 1", "    x = 1"],
        ),
        ("a.csv", 'name;age\n"Mira; the first";31\n', "csv", ["name | age", "Mira; the first | 31"]),
        ("a.tsv", "name\tage\nMira\t31\n", "tsv", ["Mira | 31"]),
        ("a.json", '{"name": "Mira", "tags": ["林"]}', "json", ['"name": "Mira"', '"林"']),
        ("a.yaml", "mira:\n  age: 31\n", "yaml", ["mira:\n  age: 31"]),
        ("x", "1\n00:00:01,500 --> 00:00:02,000\n<i>Hello</i>\nthere\n", "srt", ["[00:00:01] Hello there"]),
        ("x", "WEBVTT\n\n00:01.500 --> 00:02.000\nHello\n", "vtt", ["[00:01] Hello"]),
        ("a.txt", "One.\n\nTwo.", "txt", ["One.\n\nTwo."]),
    ],
)
def test_texts_stay_as_they_are(
    name: str, content: str, kind: str, expected: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_text(content, "utf-8")
    found, blocks = read(path, name)
    assert found == kind
    text = full_text(blocks)
    assert [line for line in expected if line not in text] == []


SAMPLES = {
    "gb18030": "第二天清晨，林晚独自走进了旧书店。老板把一本泛黄的日记递给她，说这是她祖母留下的。",
    "big5": "第二天清晨，林晚獨自走進了舊書店。老闆把一本泛黃的日記遞給她，說這是她祖母留下的。",
    "shift_jis": "翌朝、彼女は一人で古い書店に入った。店主は黄ばんだ日記を彼女に手渡した。",
    "euc_jp": "翌朝、彼女は一人で古い書店に入った。店主は黄ばんだ日記を彼女に手渡した。",
    "euc_kr": "다음 날 아침 그녀는 혼자 오래된 서점에 들어갔다.",
    "cp1251": "Наутро она одна вошла в старую книжную лавку.",
    "koi8_r": "Наутро она одна вошла в старую книжную лавку.",
    "cp1252": "Le garçon a mangé une pomme à l'école, déjà.",
    "cp1250": "Zażółć gęślą jaźń, powiedział żeglarz przy łodzi.",
    "utf-8-sig": "林晚 and Mira",
}


@pytest.mark.parametrize("encoding", [*SAMPLES, "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_encodings_are_told_from_the_bytes(encoding: str, tmp_path: Path) -> None:
    text = f"{SAMPLES.get(encoding, SAMPLES['gb18030'])}\nMira."
    path = tmp_path / "a.txt"
    path.write_bytes(text.encode(encoding))
    assert full_text(read(path)[1]) == text
