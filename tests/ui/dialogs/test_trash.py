from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListWidget, QPushButton

from memdesk.formats.cards import new_card
from memdesk.store.database import now, to_text
from memdesk.ui.dialogs.trash import TrashDialog
from tests.ui.dialogs.helpers import controls_are_named, find, names, texts

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from memdesk.ui.background import Background
    from memdesk.workspace import Workspace


def rows(dialog: TrashDialog) -> list[str]:
    items = find(dialog, "Deleted things", QListWidget)
    return [items.item(n).data(Qt.ItemDataRole.AccessibleTextRole) for n in range(items.count())]


def opened(workspace: Workspace, background: Background, show: Any, qtbot: QtBot, count: int) -> TrashDialog:
    dialog: TrashDialog = show(TrashDialog(workspace, background))
    if count:
        qtbot.waitUntil(lambda: len(rows(dialog)) == count)
    else:
        qtbot.waitUntil(lambda: "The trash is empty" in texts(dialog))
    return dialog


def test_an_empty_trash_teaches(
    workspace: Workspace, background: Background, show: Any, qtbot: QtBot
) -> None:
    dialog = opened(workspace, background, show, qtbot, 0)
    assert "wait here for 30 days" in texts(dialog)
    assert not find(dialog, "Restore", QPushButton).isEnabled()
    assert controls_are_named(dialog) == []


def test_what_was_deleted_is_listed_and_comes_back(
    workspace: Workspace, background: Background, show: Any, qtbot: QtBot
) -> None:
    library = workspace.library
    kept = library.add_character("Kept", new_card("Kept"))
    odd = library.add_character("<b>艾莉亚</b> 🦊", new_card("x"))
    chat = library.new_chat(kept.id, "The Lighthouse")
    library.delete_character(odd.id)
    library.delete_chat(chat.id)
    dialog = opened(workspace, background, show, qtbot, 2)
    assert rows(dialog)[0].startswith("Chat · The Lighthouse, deleted ")
    assert rows(dialog)[0].endswith("30 days left")
    assert rows(dialog)[1].startswith("Character · <b>艾莉亚</b> 🦊")
    with qtbot.waitSignal(dialog.restored, timeout=5000) as caught:
        qtbot.keyClick(find(dialog, "Deleted things"), Qt.Key.Key_Return)
    assert caught.args == [1]
    assert [item.id for item in workspace.chats.all()] == [chat.id]
    qtbot.waitUntil(lambda: len(rows(dialog)) == 1)
    assert "Restored." in texts(dialog)


def test_several_come_back_at_once(
    workspace: Workspace, background: Background, show: Any, qtbot: QtBot
) -> None:
    for name in ("a", "b", "c"):
        character = workspace.library.add_character(name, new_card(name))
        workspace.library.delete_character(character.id)
    dialog = opened(workspace, background, show, qtbot, 3)
    find(dialog, "Deleted things", QListWidget).selectAll()
    with qtbot.waitSignal(dialog.restored, timeout=5000) as caught:
        find(dialog, "Restore", QPushButton).click()
    assert caught.args == [3]
    qtbot.waitUntil(lambda: "The trash is empty" in texts(dialog))
    assert [item.name for item in workspace.characters.all()] == ["a", "b", "c"]


def test_what_is_gone_meanwhile_does_not_stop_the_others(
    workspace: Workspace, background: Background, show: Any, qtbot: QtBot
) -> None:
    undos = []
    for name in ("a", "b"):
        character = workspace.library.add_character(name, new_card(name))
        undos.append(workspace.library.delete_character(character.id))
    dialog = opened(workspace, background, show, qtbot, 2)
    undos[0].run()
    find(dialog, "Deleted things", QListWidget).selectAll()
    with qtbot.waitSignal(dialog.restored, timeout=5000):
        find(dialog, "Restore", QPushButton).click()
    assert "Some of it was not in the trash any more." in texts(dialog)
    assert len(workspace.characters.all()) == 2


def test_the_days_that_are_left_are_true(
    workspace: Workspace, background: Background, show: Any, qtbot: QtBot
) -> None:
    character = workspace.library.add_character("a", new_card("a"))
    workspace.library.delete_character(character.id)
    for days, words in ((29.5, "1 day left"), (10.2, "20 days left"), (31, "goes at the next start")):
        with workspace.database.write() as db:
            db.execute("UPDATE trash SET deleted_at = ?", (to_text(now() - timedelta(days=days)),))
        dialog = opened(workspace, background, show, qtbot, 1)
        assert rows(dialog)[0].endswith(words)
        assert "Restore" in names(dialog)


def test_days_are_written_as_people_write_them(
    workspace: Workspace, background: Background, show: Any, qtbot: QtBot
) -> None:
    library = workspace.library
    library.delete_character(library.add_character("Kept", new_card("Kept")).id)
    dialog = opened(workspace, background, show, qtbot, 1)
    assert ", deleted today, " in rows(dialog)[0]
    (entry,) = workspace.trash.all()
    earlier = replace(entry, deleted_at=datetime(2024, 5, 21, 12, 0, tzinfo=UTC))
    assert "deleted 21 May 2024, " in dialog._times(earlier)


def test_emptying_asks_once_and_then_leaves_nothing(
    workspace: Workspace, background: Background, show: Any, qtbot: QtBot
) -> None:
    library = workspace.library
    character = library.add_character("Kept", new_card("Kept"))
    library.delete_chat(library.new_chat(character.id, "Gone for good").id)
    dialog = opened(workspace, background, show, qtbot, 1)
    find(dialog, "Empty trash", QPushButton).click()
    assert "goes for good" in texts(dialog)
    assert len(workspace.trash.all()) == 1
    find(dialog, "Delete all for good", QPushButton).click()
    qtbot.waitUntil(lambda: "The trash is empty" in texts(dialog))
    assert workspace.trash.all() == []
    assert not find(dialog, "Empty trash", QPushButton).isEnabled()
