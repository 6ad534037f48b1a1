"""Another title: a blank one is refused where it is typed."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QPushButton

from memdesk.ui.dialogs.pieces import Field
from memdesk.ui.dialogs.rename import RenameDialog


@pytest.mark.parametrize("blank", ["", "   ", "\u3000"])
def test_a_blank_title_stays_open_and_says_why(qtbot: Any, find: Any, blank: str) -> None:
    dialog = RenameDialog("Talk")
    qtbot.addWidget(dialog)
    heard: list[str] = []
    dialog.renamed.connect(heard.append)
    dialog.show()
    title = find(dialog, QLineEdit, "Title")
    assert title.selectedText() == "Talk"
    title.setText(blank)
    QTest.keyClick(title, Qt.Key.Key_Return)
    (field,) = dialog.findChildren(Field)
    assert dialog.isVisible()
    assert field.error() == "A chat needs a title."
    assert title.accessibleDescription() == field.error()
    assert heard == []
    QTest.keyClicks(title, "  Tea ")
    assert field.error() == ""
    QTest.mouseClick(find(dialog, QPushButton, "Rename"), Qt.MouseButton.LeftButton)
    assert heard == ["Tea"]
    assert not dialog.isVisible()


def test_escape_renames_nothing(qtbot: Any) -> None:
    dialog = RenameDialog("Talk")
    qtbot.addWidget(dialog)
    heard: list[str] = []
    dialog.renamed.connect(heard.append)
    dialog.show()
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert heard == []
    assert not dialog.isVisible()
