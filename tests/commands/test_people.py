"""Characters and personas from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.workspaces import Desk, WordEmbedder, use_embedder


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    use_embedder(monkeypatch, lambda _folder: WordEmbedder())
    return Desk(tmp_path / "data")


def card(folder: Path, name: str) -> str:
    path = folder / f"{name}.json"
    body = {"spec": "chara_card_v3", "data": {"name": "Mara", "first_mes": "Hi.", "tags": ["sea"], "x": 1}}
    path.write_text(json.dumps(body), "utf-8")
    return str(path)


def test_characters_are_listed_and_exported(desk: Desk, tmp_path: Path) -> None:
    assert desk.run("characters").out == "No characters yet.\n"
    first, second = desk.json("import", card(tmp_path, "1"), card(tmp_path, "2"))
    assert first["character"] != second["character"]
    rows = desk.json("characters")
    assert [(row["name"], row["tags"]) for row in rows] == [("Mara", ["sea"])] * 2
    out = tmp_path / "out.png"
    refused = desk.run("export", "--character", "Mara", str(out))
    assert refused.code == 1
    assert f"ids {first['character']}, {second['character']}" in refused.err
    assert not out.exists()
    row = desk.json("export", "--character", str(first["character"]), "--out", str(out))
    assert row == {"file": str(out), "character": first["character"], "name": "Mara"}
    before = out.read_bytes()
    again = desk.run("export", "--character", str(first["character"]), str(out))
    assert (again.code, again.out, out.read_bytes()) == (1, "", before)
    assert again.err == f"memdesk: {out} is there already: name another file, or add --force.\n"
    assert desk.json("export", "--character", str(first["character"]), str(out), "--force") == row
    (third,) = desk.json("import", str(out))
    assert third["name"] == "Mara"
    with desk.open() as workspace:
        cards = [item.card for item in workspace.characters.all()]
    assert cards[0] == cards[1] == cards[2]


def test_personas_come_and_go(desk: Desk, tmp_path: Path) -> None:
    assert desk.run("personas").out == "No personas yet.\n"
    path = tmp_path / "personas.json"
    path.write_text(json.dumps({"personas": {"a.png": "Noor"}, "persona_descriptions": {}}), "utf-8")
    assert desk.json("import", "--dry-run", str(path))[0]["add"] == 1
    assert desk.json("personas") == []
    assert len(desk.json("import", str(path))[0]["personas"]) == 1
    assert desk.json("import", "--dry-run", str(path))[0]["skip"] == 1
    assert desk.json("import", str(path))[0]["skipped"] == 1
    (row,) = desk.json("personas")
    assert (row["name"], row["place"]) == ("Noor", "prompt")
    out = tmp_path / "out.json"
    assert desk.json("export", "--personas", str(out)) == {"file": str(out), "personas": 1}
    assert json.loads(out.read_bytes())["personas"] == {"a.png": "Noor"}
    assert desk.run("personas").out.splitlines()[1].split()[-1] == "Noor"


def test_a_very_long_name_is_told_as_what_it_is(desk: Desk, tmp_path: Path) -> None:
    path = tmp_path / "long.json"
    path.write_text(json.dumps({"data": {"name": "M" * 3000, "first_mes": "Hi."}}), "utf-8")
    (row,) = desk.json("import", str(path))
    assert row["warnings"] == ["The name has 3000 characters and was shortened to 256; the original is kept."]


@pytest.mark.parametrize(
    "line",
    [
        ["export"],
        ["export", "Talk"],
        ["export", "--character", "Mara"],
        ["export", "--character", "Mara", "a.png", "b.png"],
        ["export", "--personas", "--character", "Mara", "a.png"],
    ],
)
def test_wrong_use(desk: Desk, line: list[str]) -> None:
    outcome = desk.run(*line)
    assert outcome.code == 2
    assert outcome.err
