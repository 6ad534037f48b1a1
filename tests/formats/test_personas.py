"""Files of personas: SillyTavern's, our own, and those that nobody can have meant."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memdesk.chats.model import Persona
from memdesk.formats.errors import FormatError
from memdesk.formats.personas import FilePersona, is_personas_file, read_personas, write_personas

FILE = {
    "personas": {"1700.png": "Jonas", "noor.png": "Noor 🦊", "old.png": "Old", "odd.png": "  "},
    "persona_descriptions": {
        "1700.png": {"description": "A painter.", "position": 4, "depth": 1, "role": 1, "lorebook": "Isle"},
        "noor.png": {"description": "Small.\r\nQuick.", "position": 3},
        "old.png": "A text alone.",
        "gone.png": {"description": "without a name"},
    },
    "default_persona": "noor.png",
}


def written(folder: Path, body: Any) -> Path:
    path = folder / "personas_20261130.json"
    path.write_text(body if isinstance(body, str) else json.dumps(body), "utf-8")
    return path


def test_what_sillytavern_writes(tmp_path: Path) -> None:
    path = written(tmp_path, FILE)
    assert is_personas_file(path)
    found, warnings = read_personas(path)
    assert found == [
        FilePersona("1700.png", "Jonas", "A painter.", "depth", 1, "user", extra={"lorebook": "Isle"}),
        FilePersona("noor.png", "Noor 🦊", "Small.\nQuick.", "note_bottom", default=True),
        FilePersona("old.png", "Old", "A text alone."),
        FilePersona("odd.png", "odd"),
    ]
    assert warnings == []


def test_what_we_write_is_read_back(tmp_path: Path) -> None:
    personas = [
        Persona(1, "Jonas", "A painter.", None, True, "depth", 7, "assistant", "a.png", {"lorebook": "Isle"}),
        Persona(2, "Noor", "", None, False, "none", 2, "system", "b.png"),
    ]
    path = tmp_path / "personas.json"
    path.write_bytes(write_personas(personas))
    found, _ = read_personas(path)
    assert found == [
        FilePersona("a.png", "Jonas", "A painter.", "depth", 7, "assistant", True, {"lorebook": "Isle"}),
        FilePersona("b.png", "Noor", "", "none"),
    ]


@pytest.mark.parametrize(
    "body",
    [
        {"personas": {"a.png": None}, "persona_descriptions": []},
        {"personas": {"a.png": 5}, "persona_descriptions": {"a.png": {"description": [], "position": "x"}}},
        {"personas": {"a.png": "\0\n"}, "persona_descriptions": {"a.png": {"depth": {}, "role": 1e99}}},
        {"personas": {"a.png": {}}, "persona_descriptions": {"a.png": {"position": True, "depth": -3}}},
    ],
)
def test_what_nobody_can_have_meant_has_its_default(body: Any, tmp_path: Path) -> None:
    (found,), _ = read_personas(written(tmp_path, body))
    assert (found.name, found.description, found.place, found.depth) == ("a", "", "prompt", 2)


@pytest.mark.parametrize("body", ["{", "[]", '{"personas": []}', '{"spec": "x", "personas": {}}', " ", '"x"'])
def test_other_files_are_refused(body: str, tmp_path: Path) -> None:
    path = written(tmp_path, body)
    assert not is_personas_file(path)
    with pytest.raises(FormatError):
        read_personas(path)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert not is_personas_file(tmp_path / "no.json")
    assert not is_personas_file(tmp_path)
