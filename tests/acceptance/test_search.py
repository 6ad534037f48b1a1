"""The command finds messages again, by words and by meaning."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.workspaces import Desk, WordEmbedder, use_embedder


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    use_embedder(monkeypatch, lambda _folder: WordEmbedder())
    desk = Desk(tmp_path / "data")
    desk.talk("The dragon sleeps.", "魔王来了。", title="Cave")
    desk.talk("A dragon flies.", title="Sky", name="Tom")
    return desk


def test_search_prints_what_it_found_with_its_place(desk: Desk) -> None:
    found = desk.json("search", "DRAGON")
    assert (found["total"], found["missing"]) == (2, 0)
    assert [group["title"] for group in found["chats"]] == ["Sky", "Cave"]
    hit = found["chats"][1]["hits"][0]
    assert (hit["number"], hit["name"], hit["role"], hit["hidden"]) == (1, "Alex", "user", False)
    assert [hit["snippet"][a:b] for a, b in hit["marks"]] == ["dragon"]
    assert hit["date"].startswith("2026-03-01T")
    outcome = desk.run("search", "魔王", "--chat", "Cave")
    assert outcome.code == 0
    assert "#2 2026-03-01 Mara: 魔王来了。" in outcome.out
    assert [group["title"] for group in desk.json("search", "dragon", "--chat", "sky")["chats"]] == ["Sky"]


def test_search_by_meaning_says_what_it_could_not_compare(desk: Desk) -> None:
    outcome = desk.run("search", "dragon sleeps", "--meaning", "--json")
    assert outcome.json["missing"] == 3
    assert "sync --all" in outcome.err
    assert desk.run("sync", "--all").code == 0
    found = desk.json("search", "the dragon sleeps.", "--meaning")
    assert found["chats"][0]["hits"][0]["snippet"] == "The dragon sleeps."
    assert found["chats"][0]["hits"][0]["score"] > 0.8


def test_search_is_calm_about_anything(desk: Desk) -> None:
    for query in ('"', "?!", "NEAR(", "*", "😀", "-x OR", "'; DROP TABLE messages"):
        assert desk.json("search", query)["total"] == 0
    assert "nothing to look for" in desk.run("search", "!!").err
    assert desk.run("search", "unicorn").out == "Nothing was found.\n"
    assert desk.run("search", "dragon", "--chat", "nowhere").code == 1
    assert desk.run("search").code == 2
