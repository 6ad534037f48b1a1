"""The Data Bank from the file to the prompt: acts, scopes, the trash, the layer and the command."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memdesk.formats.errors import FormatError
from memdesk.memory.databank.settings import DataBankSettings
from memdesk.prompt.parts import Part
from memdesk.store.attachments import Home
from memdesk.store.chunks import ChunkStatus
from memdesk.store.errors import StoreError
from memdesk.work.cancel import Cancelled, CancelToken
from memdesk.workspace import Workspace
from tests.support import documents
from tests.support.workspaces import Desk, WordEmbedder, talk, use_embedder


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> WordEmbedder:
    found = WordEmbedder()
    use_embedder(monkeypatch, lambda _folder: found)
    return found


@pytest.fixture
def desk(tmp_path: Path, embedder: WordEmbedder) -> Desk:  # noqa: ARG001 — it takes the real one's place
    return Desk(tmp_path / "data")


@pytest.fixture
def workspace(desk: Desk) -> Iterator[Workspace]:
    with desk.open() as opened:
        yield opened


def note(folder: Path, text: str, name: str = "lore.txt") -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def embed(workspace: Workspace) -> None:
    workspace.databank.sync.sync(lambda _done, _total: None, CancelToken())


def sent(workspace: Workspace, chat_id: int) -> list[Part]:
    """The parts of the Data Bank in the prompt of the next reply."""
    receipt = workspace.conversation.preview(chat_id)
    return [part for part in receipt.parts if part.kind == "databank"]


LAMP = "The lamp of the lighthouse burns whale oil from Nantucket."


def test_a_file_comes_into_the_next_prompt_with_its_name_and_place(
    workspace: Workspace, tmp_path: Path
) -> None:
    chat = talk(workspace, "What does the lamp of the lighthouse burn?")
    path = tmp_path / "tower.md"
    filler = "\n\n".join(f"Nothing of note happens in year {year} at sea." for year in range(300))
    path.write_text(f"# Tower\n\n{filler}\n\n## Lamp\n\n{LAMP}\n", "utf-8")
    file, _ = workspace.databank.add_file(path, Home())
    embed(workspace)
    parts = sent(workspace, chat.id)
    winners = [part for part in parts if part.included]
    assert winners
    best = max(winners, key=lambda part: part.score or 0)
    assert LAMP in best.text
    assert best.title == "tower.md: Tower › Lamp"
    assert best.source["attachment"] == file.id
    assert {"meaning", "words"} == best.scores.keys()
    assert all(str(part.reason) for part in parts)
    receipt = workspace.conversation.preview(chat.id)
    prompt = json.dumps(list(receipt.messages), ensure_ascii=False)
    assert "Related information:" in prompt
    assert prompt.count(LAMP) == 1
    assert "Tower › Lamp]" in prompt


def test_each_chat_reads_its_own_files_its_characters_and_the_global_ones(
    workspace: Workspace, tmp_path: Path
) -> None:
    mara = talk(workspace, "Where is the silver key?", title="One")
    other = talk(workspace, "Where is the silver key?", title="Two", name="Lin")
    homes = {
        "all.txt": Home(),
        "mara.txt": Home("character", None, (mara.character_ids[0],)),
        "two.txt": Home("chat", other.id),
    }
    for name, home in homes.items():
        path = note(tmp_path, f"The silver key lies in the drawer of {name}.", name)
        workspace.databank.add_file(path, home)
    embed(workspace)
    assert [part.title for part in sent(workspace, mara.id) if part.included] == ["mara.txt", "all.txt"]
    assert [part.title for part in sent(workspace, other.id) if part.included] == ["two.txt", "all.txt"]


def test_off_whole_and_search(workspace: Workspace, tmp_path: Path) -> None:
    chat = talk(workspace, "Tell me of the lamp.")
    unrelated, _ = workspace.databank.add_file(
        note(tmp_path, "Rules of the house: be kind.", "rules.txt"), Home()
    )
    lamp, _ = workspace.databank.add_file(note(tmp_path, LAMP), Home())
    embed(workspace)
    assert [part.title for part in sent(workspace, chat.id) if part.included] == ["lore.txt"]
    workspace.databank.set_mode([unrelated.id], "whole")
    undo = workspace.databank.enable([lamp.id], value=False)
    assert [part.title for part in sent(workspace, chat.id) if part.included] == ["rules.txt"]
    assert undo is not None
    undo.run()
    assert workspace.databank.store.get(lamp.id).enabled
    workspace.chats.set_settings(chat.id, {"databank": {"enabled": False}})
    assert sent(workspace, chat.id) == []


def test_two_copies_are_sent_once_and_refused_in_one_place(workspace: Workspace, tmp_path: Path) -> None:
    chat = talk(workspace, "Tell me of the lamp.")
    path = note(tmp_path, LAMP)
    workspace.databank.add_file(path, Home())
    with pytest.raises(StoreError) as caught:
        workspace.databank.add_file(path, Home())
    assert caught.value.code == "already_there"
    workspace.databank.add_file(path, Home("chat", chat.id))
    embed(workspace)
    assert len([part for part in sent(workspace, chat.id) if part.included]) == 1


def test_the_best_few_are_sent_and_the_rest_say_why_not(workspace: Workspace, tmp_path: Path) -> None:
    chat = talk(workspace, "lighthouse lamp oil")
    for number in range(9):
        path = note(tmp_path, f"lighthouse lamp oil barrel {number}", f"{number}.txt")
        workspace.databank.add_file(path, Home())
    embed(workspace)
    parts = sent(workspace, chat.id)
    assert sum(part.included for part in parts) == DataBankSettings().top_k
    assert {part.reason.code for part in parts if not part.included} == {"over_limit"}


def test_moving_copying_and_linking_embed_nothing_again(
    workspace: Workspace, embedder: WordEmbedder, tmp_path: Path
) -> None:
    chat = talk(workspace, "Hello.")
    lin = talk(workspace, "Hello.", title="Two", name="Lin")
    bank = workspace.databank
    file, _ = bank.add_file(note(tmp_path, LAMP), Home())
    embed(workspace)
    bank.enable([file.id], value=False)
    before = len(embedder.passages)
    both = Home("character", None, (*chat.character_ids, *lin.character_ids))
    undo = bank.move([file.id], both)
    moved = bank.store.get(file.id)
    assert (moved.home, moved.enabled, moved.created_at) == (both, False, file.created_at)
    copied, _ = bank.copy(file.id, Home("chat", chat.id))
    assert bank.store.chunks(copied.id)[0].text == LAMP
    assert undo is not None
    undo.run()
    assert bank.store.get(file.id).home == Home()
    embed(workspace)
    assert len(embedder.passages) == before
    assert {status for status, _, _ in bank.sync.statuses().values()} == {ChunkStatus.VECTORIZED}


def test_an_edit_is_found_and_only_it_is_embedded(
    workspace: Workspace, embedder: WordEmbedder, tmp_path: Path
) -> None:
    bank = workspace.databank
    text = "\n\n".join(f"Paragraph {number} tells of the sea. " + "wave " * 60 for number in range(40))
    file, _ = bank.add_file(note(tmp_path, text), Home())
    embed(workspace)
    before = len(embedder.passages)
    chunks = len(bank.store.chunks(file.id))
    assert chunks > 3
    said = bank.text(file.id)
    undo = bank.edit_text(file.id, said.replace("Paragraph 39 tells", "Paragraph 39 sings"))
    embed(workspace)
    assert 0 < len(embedder.passages) - before <= 3
    assert "Paragraph 39 sings" in bank.text(file.id)
    assert bank.store.get(file.id).edited
    assert undo is not None
    undo.run()
    assert bank.text(file.id) == said
    assert not bank.store.get(file.id).edited
    assert bank.edit_text(file.id, said) is None
    with pytest.raises(StoreError):
        bank.edit_text(file.id, " \n")
    resized = bank.recut(file.id, 500, 10)
    assert len(bank.store.chunks(file.id)) > 2 * chunks
    assert resized is not None
    resized.run()
    assert len(bank.store.chunks(file.id)) == chunks


def test_the_trash_takes_files_along_and_gives_them_back(workspace: Workspace, tmp_path: Path) -> None:
    chat = talk(workspace, "Hello.")
    bank = workspace.databank
    own, _ = bank.add_file(note(tmp_path, LAMP), Home("chat", chat.id))
    hers, _ = bank.add_file(note(tmp_path, LAMP), Home("character", None, chat.character_ids))
    free, _ = bank.add_file(note(tmp_path, "Free.", "free.txt"), Home())
    for act in (
        lambda: workspace.library.delete_chat(chat.id),
        lambda: workspace.library.delete_character(chat.character_ids[0]),
        lambda: bank.delete([own.id, hers.id]),
    ):
        undo = act()
        assert undo is not None
        assert len(bank.store.all()) < 3
        undo.run()
        assert [file.id for file in bank.store.all()] == [own.id, hers.id, free.id]
    deleted = bank.delete([free.id])
    assert deleted is not None
    entry = workspace.trash.all()[0]
    assert (entry.kind, entry.label) == ("files", "free.txt")
    workspace.library.restore(entry.id)
    assert bank.store.get(free.id).name == "free.txt"


def test_what_is_gone_for_good_leaves_nothing_behind(
    workspace: Workspace, desk: Desk, tmp_path: Path
) -> None:
    chat = talk(workspace, "Hello.")
    bank = workspace.databank
    bank.add_file(note(tmp_path, "The xylograph of Quillon."), Home("character", None, chat.character_ids))
    bank.add_file(note(tmp_path, "Stays here.", "stay.txt"), Home())
    embed(workspace)
    workspace.library.delete_character(chat.character_ids[0])
    workspace.empty_trash()
    with workspace.database.read() as db:
        for table in ("attachments", "attachment_chunks", "attachment_pieces", "attachment_words"):
            assert db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] == 1
        vectors = db.execute(
            "SELECT count(*) FROM vectors WHERE text_hash IN (SELECT text_hash FROM attachment_pieces)"
        ).fetchone()[0]
    assert vectors == 1
    left = b"".join(
        path.read_bytes() for path in desk.folder.rglob("*") if path.is_file() and "files" in path.parts
    )
    assert b"xylograph" not in left
    assert b"Stays here." in left


def test_a_bad_file_leaves_nothing_and_the_others_go_in(desk: Desk, tmp_path: Path) -> None:
    good = note(tmp_path, LAMP)
    documents.pdf(tmp_path / "locked.pdf", password="lamp")
    (tmp_path / "empty.docx").write_bytes(b"")
    (tmp_path / "game.txt").write_bytes(bytes(range(256)) * 40)
    bad = [tmp_path / name for name in ("locked.pdf", "empty.docx", "game.txt", "gone.md")]
    outcome = desk.run("attach", *map(str, [*bad, good]), "--json")
    assert outcome.code == 1
    rows = outcome.json
    assert [row.get("error") for row in rows] == ["encrypted", "empty", "binary", "vanished", None]
    assert len([path for path in (desk.folder / "files").rglob("*") if path.is_file()]) == 1
    assert [row["name"] for row in desk.json("attachments")] == ["lore.txt"]
    assert desk.run("attach", str(bad[0]), "--password", "lamp").code == 0


def test_the_command_attaches_lists_and_searches(desk: Desk, tmp_path: Path) -> None:
    with desk.open() as opened:
        chat = talk(opened, "Hello.")
    rows = desk.json("attach", str(note(tmp_path, LAMP)), "--scope", "character:Mara")
    assert rows[0]["scope"] == "character:Mara"
    desk.json("attach", str(note(tmp_path, "Cats sleep.", "cats.txt")), "--scope", f"chat:{chat.id}")
    listed = desk.json("attachments")
    assert [row["status"] for row in listed] == ["Vectorized", "Vectorized"]
    assert [row["name"] for row in desk.json("attachments", "--scope", "character:Mara")] == ["lore.txt"]
    found = desk.json("databank", "search", "--chat", str(chat.id), "--query", "whale oil lamp")
    assert (found["found"][0]["name"], found["found"][0]["sent"]) == ("lore.txt", True)
    assert desk.json("attachments", "--show", str(rows[0]["id"]))["text"] == LAMP
    for wrong in ("nobody", "character:Nobody", "chat:99", "character:"):
        assert desk.run("attach", str(tmp_path / "cats.txt"), "--scope", wrong).code == 1


def test_names_of_every_script_and_length(workspace: Workspace, tmp_path: Path) -> None:
    bank = workspace.databank
    names = ["设定 集😀.txt", "ملف.txt", "a" * 250 + ".txt"]
    for number, name in enumerate(names):
        bank.add_file(note(tmp_path, f"Text {number}.", name), Home())
    assert [file.name for file in bank.store.all()] == names
    file, _ = bank.add_text("n" * 900, "What I know.", Home())
    assert len(file.name) == 300
    with pytest.raises(StoreError):
        bank.rename(file.id, "  ")
    renamed = bank.rename(file.id, "notes")
    assert renamed is not None
    renamed.run()
    assert bank.store.get(file.id).name == file.name
    order = [item.id for item in bank.store.all()][::-1]
    turned = bank.order(order)
    assert [item.id for item in bank.store.all()] == order
    assert turned is not None
    turned.run()
    assert [item.id for item in bank.store.all()] == order[::-1]


def test_a_cancelled_or_failed_import_leaves_nothing(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bank = workspace.databank
    cancel = CancelToken()
    documents.pdf(tmp_path / "a.pdf", pages=30)
    with pytest.raises(Cancelled):
        bank.add_file(tmp_path / "a.pdf", Home(), progress=lambda _d, _t: cancel.cancel(), cancel=cancel)

    def full(*_arguments: Any) -> int:
        raise StoreError("disk_full", "The disk is full.")

    monkeypatch.setattr(bank.store, "add", full)
    with pytest.raises(StoreError):
        bank.add_file(tmp_path / "a.pdf", Home())
    assert bank.store.all() == []
    assert list(workspace.files.root.rglob("*.pdf")) == []
    with pytest.raises(FormatError) as caught:
        bank.add_file(tmp_path, Home())
    assert caught.value.code == "unreadable"


def test_without_an_embedder_words_find_it(
    workspace: Workspace, embedder: WordEmbedder, tmp_path: Path
) -> None:
    chat = talk(workspace, "What does the lamp of the lighthouse burn?")
    embedder.broken = True
    file, _ = workspace.databank.add_file(note(tmp_path, LAMP), Home())
    assert workspace.databank.sync.statuses()[file.id][0] is ChunkStatus.UNAVAILABLE
    assert [part.title for part in sent(workspace, chat.id) if part.included] == ["lore.txt"]
    embedder.broken = False
    assert workspace.databank.sync.statuses()[file.id][0] is ChunkStatus.WAITING
    embed(workspace)
    assert workspace.databank.sync.statuses()[file.id][0] is ChunkStatus.VECTORIZED
