from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QFileDialog,
    QLineEdit,
    QMessageBox,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QToolButton,
)

from memdesk.formats.card_extras import DepthPrompt, depth_prompt_of
from memdesk.formats.cards import new_card, with_fields
from memdesk.ui.dialogs.avatar_field import AvatarField
from memdesk.ui.dialogs.character_editor import CharacterEditorDialog
from tests.ui.dialogs.helpers import controls_are_named, find, names, texts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from memdesk.chats.model import Character
    from memdesk.ui.background import Background
    from memdesk.workspace import Workspace

MORE = "Examples and prompts"
GROUPS = "In groups"
CARD = "About the card: tags, notes, creator"


@pytest.fixture
def editor(workspace: Workspace, background: Background, show: Any) -> Callable[..., CharacterEditorDialog]:
    return lambda character=None: show(CharacterEditorDialog(workspace, background, character=character))


@pytest.fixture
def mira(workspace: Workspace) -> Character:
    card = new_card("Mira 🏮", description="Keeper of the light.", first_mes="Come in.", personality="dry")
    data = card["data"]
    data["alternate_greetings"] = ["One.", "Two.", "Three."]
    data["tags"] = ["sea", "slow burn"]
    data["extensions"] = {"depth_prompt": {"depth": 4}, "fav": True}
    data["creator_notes_multilingual"] = {"de": "Hallo"}
    card["unknown"] = [1, 2]
    return workspace.library.add_character("Mira 🏮", card)


def box(editor: CharacterEditorDialog, name: str) -> QPlainTextEdit:
    return find(editor, name, QPlainTextEdit)


def save(editor: CharacterEditorDialog, qtbot: QtBot) -> int:
    with qtbot.waitSignal(editor.saved, timeout=10_000) as caught:
        find(editor, "Save", QPushButton).click()
    assert editor.isHidden()
    return int(caught.args[0])


def png(width: int = 80, height: int = 120, color: str = "red") -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (width, height), color).save(out, "PNG")
    return out.getvalue()


def drop(editor: CharacterEditorDialog, data: QMimeData) -> None:
    (field,) = editor.findChildren(AvatarField)
    event = QDropEvent(
        QPointF(5, 5),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    field.dropEvent(event)


def answer(editor: CharacterEditorDialog, words: str) -> None:
    (question,) = [item for item in editor.findChildren(QMessageBox) if item.isVisible()]
    assert question.textFormat() == Qt.TextFormat.PlainText
    find(question, words, QPushButton).click()


def test_every_control_is_named_and_large_enough(
    editor: Callable[..., CharacterEditorDialog], mira: Character
) -> None:
    shown = editor(mira)
    for fold in (MORE, GROUPS, CARD):
        find(shown, fold, QToolButton).click()
    assert controls_are_named(shown) == []


def test_a_new_character_is_a_whole_card(
    editor: Callable[..., CharacterEditorDialog], workspace: Workspace, qtbot: QtBot
) -> None:
    shown = editor()
    find(shown, "Name", QLineEdit).setText("  艾莉亚 🦊  ")
    box(shown, "Description").setPlainText("守灯人\nsecond line")
    box(shown, "First message").setPlainText("“Hello.”")
    find(shown, "Add alternate greeting", QPushButton).click()
    box(shown, "Alternate greeting 1").setPlainText("Again you.")
    for fold in (MORE, CARD):
        find(shown, fold, QToolButton).click()
    find(shown, "Tags", QLineEdit).setText(" sea, , 灯 ,")
    box(shown, "System prompt").setPlainText("Be brief.")
    character = workspace.characters.get(save(shown, qtbot))
    assert character.name == "艾莉亚 🦊"
    assert character.card["spec"] == "chara_card_v3"
    assert character.text("description") == "守灯人\nsecond line"
    assert character.greetings == ["“Hello.”", "Again you."]
    assert character.data["tags"] == ["sea", "灯"]
    assert character.text("system_prompt") == "Be brief."
    assert character.avatar is None


def test_unknown_fields_and_untouched_ones_are_kept(
    editor: Callable[..., CharacterEditorDialog], mira: Character, workspace: Workspace, qtbot: QtBot
) -> None:
    shown = editor(mira)
    box(shown, "Personality").setPlainText("kind")
    after = workspace.characters.get(save(shown, qtbot))
    assert after.id == mira.id
    assert after.text("personality") == "kind"
    expected = {**mira.card, "data": {**mira.data, "personality": "kind"}}
    assert after.card == expected


def test_no_break_spaces_survive_an_edit(
    editor: Callable[..., CharacterEditorDialog], mira: Character, workspace: Workspace, qtbot: QtBot
) -> None:
    shown = editor(mira)
    box(shown, "Personality").setPlainText("« vive »\n\nfin")
    assert workspace.characters.get(save(shown, qtbot)).text("personality") == "« vive »\n\nfin"


@pytest.mark.parametrize("name", ["", "   ", "\u202e"])
def test_a_name_is_needed(
    editor: Callable[..., CharacterEditorDialog], workspace: Workspace, name: str
) -> None:
    shown = editor()
    find(shown, "Name", QLineEdit).setText(name)
    find(shown, "Save", QPushButton).click()
    assert find(shown, "Name").accessibleDescription() == "A character needs a name."
    assert shown.isVisible()
    assert workspace.characters.all() == []


def test_a_megabyte_of_description_is_kept_whole(
    editor: Callable[..., CharacterEditorDialog], workspace: Workspace, qtbot: QtBot
) -> None:
    shown = editor()
    find(shown, "Name", QLineEdit).setText("Long")
    long = "x" * 500_000 + "字" * 250_000
    box(shown, "Description").setPlainText(long)
    character = workspace.characters.get(save(shown, qtbot))
    assert character.text("description") == long
    again = editor(character)
    assert not again.is_changed()


def test_greetings_are_moved_and_removed(
    editor: Callable[..., CharacterEditorDialog], mira: Character, workspace: Workspace, qtbot: QtBot
) -> None:
    shown = editor(mira)
    assert not find(shown, "Move greeting 1 up", QToolButton).isEnabled()
    assert not find(shown, "Move greeting 3 down", QToolButton).isEnabled()
    find(shown, "Move greeting 3 up", QToolButton).click()
    assert [box(shown, f"Alternate greeting {n}").toPlainText() for n in (1, 2, 3)] == [
        "One.",
        "Three.",
        "Two.",
    ]
    find(shown, "Remove greeting 1", QToolButton).click()
    assert "Alternate greeting 3" not in names(shown)
    assert workspace.characters.get(save(shown, qtbot)).greetings == ["Come in.", "Three.", "Two."]


def test_tokens_are_counted_after_typing(
    editor: Callable[..., CharacterEditorDialog], mira: Character, workspace: Workspace, qtbot: QtBot
) -> None:
    shown = editor(mira)
    qtbot.waitUntil(lambda: " tokens" in texts(shown), timeout=20_000)
    assert workspace.tokens.exact
    text = "word " * 500
    words = f"~ {workspace.tokens.count(text):,} tokens"
    box(shown, "Scenario").setPlainText(text)
    assert words not in texts(shown)
    qtbot.waitUntil(lambda: words in texts(shown), timeout=10_000)
    box(shown, "Scenario").setPlainText("")
    qtbot.waitUntil(lambda: words not in texts(shown), timeout=10_000)


# -- pictures ------------------------------------------------------------------------------------------------


def test_a_picture_is_chosen_and_kept_as_a_small_square(
    editor: Callable[..., CharacterEditorDialog], workspace: Workspace, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "艾 picture.png"
    path.write_bytes(png())
    shown = editor()
    find(shown, "Name", QLineEdit).setText("Pictured")
    (field,) = shown.findChildren(AvatarField)
    find(shown, "Choose picture…", QPushButton).click()
    (chooser,) = shown.findChildren(QFileDialog)
    with qtbot.waitSignal(field.changed, timeout=10_000):
        chooser.fileSelected.emit(str(path))
    chooser.close()
    character = workspace.characters.get(save(shown, qtbot))
    assert character.avatar is not None
    with Image.open(io.BytesIO(workspace.files.read(character.avatar))) as image:
        assert image.size == (80, 80)


def test_a_dropped_picture_replaces_the_one_there(
    editor: Callable[..., CharacterEditorDialog],
    mira: Character,
    workspace: Workspace,
    tmp_path: Path,
    qtbot: QtBot,
) -> None:
    workspace.library.edit_character(mira.id, {}, png(color="blue"))
    before = workspace.characters.get(mira.id)
    path = tmp_path / "new.png"
    path.write_bytes(png(color="green"))
    shown = editor(before)
    (field,) = shown.findChildren(AvatarField)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    with qtbot.waitSignal(field.changed, timeout=10_000):
        drop(shown, data)
    assert shown.is_changed()
    after = workspace.characters.get(save(shown, qtbot))
    assert after.avatar not in (None, before.avatar)
    assert after.card == before.card


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"", "empty"), (b"GIF89a" + b"\0" * 40, "damaged"), (b"<svg/>", "no picture"), (None, "not there")],
)
def test_a_bad_picture_is_refused_in_words(
    editor: Callable[..., CharacterEditorDialog],
    tmp_path: Path,
    content: bytes | None,
    words: str,
    qtbot: QtBot,
) -> None:
    path = tmp_path / "bad.png"
    if content is not None:
        path.write_bytes(content)
    shown = editor()
    (field,) = shown.findChildren(AvatarField)
    field.take_file(path)
    qtbot.waitUntil(lambda: words in texts(shown), timeout=10_000)
    assert field.picture is None
    assert not shown.is_changed()


def test_a_kept_picture_that_is_gone_costs_only_the_picture(
    editor: Callable[..., CharacterEditorDialog], mira: Character, workspace: Workspace, qtbot: QtBot
) -> None:
    changed = workspace.library.edit_character(mira.id, {}, png())
    assert changed.avatar is not None
    workspace.files.delete(changed.avatar)
    shown = editor(changed)
    box(shown, "Personality").setPlainText("kind")
    assert workspace.characters.get(save(shown, qtbot)).text("personality") == "kind"


# -- closing -------------------------------------------------------------------------------------------------


def test_without_changes_it_closes_at_once(
    editor: Callable[..., CharacterEditorDialog], mira: Character, qtbot: QtBot
) -> None:
    shown = editor(mira)
    qtbot.keyClick(shown, Qt.Key.Key_Escape)
    assert shown.isHidden()


@pytest.mark.parametrize("way", ["escape", "close"])
def test_with_changes_it_asks_first(
    editor: Callable[..., CharacterEditorDialog],
    mira: Character,
    workspace: Workspace,
    way: str,
    qtbot: QtBot,
) -> None:
    shown = editor(mira)

    def leave() -> None:
        if way == "escape":
            qtbot.keyClick(shown, Qt.Key.Key_Escape)
        else:
            shown.close()

    find(shown, "Name", QLineEdit).setText("<b>Other</b>")
    leave()
    assert shown.isVisible()
    answer(shown, "Go on editing")
    assert shown.isVisible()
    leave()
    answer(shown, "Discard changes")
    assert shown.isHidden()
    assert workspace.characters.get(mira.id).name == "Mira 🏮"


def test_the_question_can_save(
    editor: Callable[..., CharacterEditorDialog], mira: Character, workspace: Workspace, qtbot: QtBot
) -> None:
    shown = editor(mira)
    find(shown, "Name", QLineEdit).setText("Other")
    qtbot.keyClick(shown, Qt.Key.Key_Escape)
    with qtbot.waitSignal(shown.saved, timeout=10_000):
        answer(shown, "Save changes")
    assert workspace.characters.get(mira.id).name == "Other"
    assert shown.isHidden()


def test_a_failure_to_store_keeps_everything_in_the_editor(
    editor: Callable[..., CharacterEditorDialog], mira: Character, workspace: Workspace, qtbot: QtBot
) -> None:
    shown = editor(mira)
    box(shown, "Personality").setPlainText("kind")
    with workspace.database.write() as db:
        db.execute("DELETE FROM characters WHERE id = ?", (mira.id,))
    find(shown, "Save", QPushButton).click()
    qtbot.waitUntil(lambda: "There is no character" in texts(shown))
    assert shown.isVisible()
    assert box(shown, "Personality").toPlainText() == "kind"
    assert find(shown, "Save", QPushButton).isEnabled()
    qtbot.keyClick(shown, Qt.Key.Key_Escape)
    answer(shown, "Discard changes")


def test_a_field_below_the_edge_is_scrolled_to(
    editor: Callable[..., CharacterEditorDialog], qtbot: QtBot
) -> None:
    shown = editor()
    bar = shown.findChild(QScrollArea).verticalScrollBar()
    bar.setValue(bar.maximum())
    find(shown, "Save", QPushButton).click()
    qtbot.waitUntil(lambda: bar.value() < 200)


def test_every_field_of_a_card_is_edited_and_the_rest_is_kept_and_named(
    editor: Callable[..., CharacterEditorDialog], workspace: Workspace, mira: Character, qtbot: QtBot
) -> None:
    card = with_fields(mira.card, nickname="M", group_only_greetings=["To all."], creator="A\u202eb")
    card["data"]["assets"] = [{"type": "icon", "name": "main", "uri": "ccdefault:"}]
    card["data"]["source"] = ["https://example.org/<b>"]
    card["data"]["character_book"] = {"entries": [{"keys": ["a"]}]}
    old = workspace.library.add_character("Mira", card)
    shown = editor(old)
    for fold in (MORE, GROUPS, CARD):
        find(shown, fold, QToolButton).click()
    words = next(text for text in names(shown) if "Also in this card" in text)
    for kept in ("icon · main · ccdefault:", "https://example.org/<b>", "de: Hallo", "Lorebook"):
        assert kept in words
    find(shown, "Nickname", QLineEdit).setText("Mimi")
    box(shown, "Depth prompt").setPlainText("Never leaves the light.")
    depth = find(shown, "Depth", QLineEdit)
    depth.setText("")
    QTest.keyClicks(depth, "2x")
    QTest.keyClick(depth, Qt.Key.Key_Up)
    find(shown, "Talkativeness", QLineEdit).setText("80")
    box(shown, "Group greeting 1").setPlainText("To everyone.")
    find(shown, "Add group greeting", QPushButton).click()
    box(shown, "Group greeting 2").setPlainText("Second.")
    find(shown, "Version", QLineEdit).setText("1.2")
    undos: list[Any] = []
    shown.changed.connect(undos.append)
    new = workspace.characters.get(save(shown, qtbot))
    assert (new.text("nickname"), new.text("character_version")) == ("Mimi", "1.2")
    assert new.data["group_only_greetings"] == ["To everyone.", "Second."]
    assert depth_prompt_of(new.card) == DepthPrompt("Never leaves the light.", 3, "system")
    assert new.data["extensions"] == {
        "fav": True,
        "talkativeness": 0.8,
        "depth_prompt": {"prompt": "Never leaves the light.", "depth": 3, "role": "system"},
    }
    assert new.card["unknown"] == [1, 2]
    assert new.data["assets"] == card["data"]["assets"]
    assert new.data["creator"] == card["data"]["creator"]
    undos[0].run()
    assert workspace.characters.get(old.id).card == old.card


def test_a_picture_is_taken_away_and_comes_back_with_undo(
    editor: Callable[..., CharacterEditorDialog], workspace: Workspace, mira: Character, qtbot: QtBot
) -> None:
    faced = workspace.library.edit_character(mira.id, {}, png())
    shown = editor(faced)
    qtbot.waitUntil(lambda: "Remove picture" in names(shown))
    find(shown, "Remove picture", QPushButton).click()
    assert shown.is_changed()
    undos: list[Any] = []
    shown.changed.connect(undos.append)
    assert workspace.characters.get(save(shown, qtbot)).avatar is None
    undos[0].run()
    assert workspace.characters.get(mira.id).avatar == faced.avatar


def test_ten_thousand_tags_are_kept_whole(
    editor: Callable[..., CharacterEditorDialog], workspace: Workspace, qtbot: QtBot
) -> None:
    tags = [f"tag number {number}" for number in range(10_000)]
    many = workspace.library.add_character("Many", with_fields(new_card("Many"), tags=tags))
    shown = editor(many)
    find(shown, CARD, QToolButton).click()
    line = find(shown, "Tags", QLineEdit)
    line.setText(line.text() + ", one more")
    assert workspace.characters.get(save(shown, qtbot)).data["tags"] == [*tags, "one more"]


def test_a_picture_that_is_too_large_is_refused_in_words(
    editor: Callable[..., CharacterEditorDialog], mira: Character, tmp_path: Path, qtbot: QtBot
) -> None:
    shown = editor(mira)
    (field,) = shown.findChildren(AvatarField)
    large = tmp_path / "large.png"
    with large.open("wb") as file:
        file.write(png())
        file.truncate(65 * 1024 * 1024)
    field.take_file(large)
    qtbot.waitUntil(lambda: "larger than" in texts(shown), timeout=10_000)
    # 50 MB of something after a sound picture is no reason to refuse it.
    with large.open("r+b") as file:
        file.truncate(50 * 1024 * 1024)
    field.take_file(large)
    qtbot.waitUntil(lambda: field.picture is not None, timeout=10_000)
