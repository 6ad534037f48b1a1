from __future__ import annotations

from pathlib import Path

from memdesk.formats.errors import FormatError, printable


def test_the_message_names_the_file_and_the_reason() -> None:
    error = FormatError("Mira.png", "The file is empty.", code="empty")
    assert str(error) == "Mira.png: The file is empty."
    assert (error.name, error.reason, error.code, error.path) == (
        "Mira.png",
        "The file is empty.",
        "empty",
        None,
    )


def test_at_adds_the_path(tmp_path: Path) -> None:
    path = tmp_path / "Mira.png"
    error = FormatError("Mira.png", "The file is empty.", code="empty").at(path)
    assert error.path == path
    assert "Mira.png: The file is empty." in str(error)
    assert error.code == "empty"


def test_names_from_strangers_stay_one_printable_line() -> None:
    assert printable("a\nb\x1b[31m\u202egnp.exe\udcff") == "a\ufffdb\ufffd[31m\ufffdgnp.exe\ufffd"
    assert printable("   ") == "(no name)"
    long = printable("x" * 500 + ".png")
    assert len(long) == 120
    assert long.endswith("x.png")
    str(FormatError("\udcff", "…", code="empty")).encode()
