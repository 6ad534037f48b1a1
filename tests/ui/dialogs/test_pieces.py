from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QVBoxLayout, QWidget

from memdesk.formats.errors import FormatError
from memdesk.llm.errors import LLMError
from memdesk.llm.keys import KeyFileError
from memdesk.store.errors import StoreError
from memdesk.ui.dialogs.pieces import CalmComboBox, Field, Notice, TextBox, plain_label
from memdesk.ui.dialogs.words import failure_words, step_title

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


def test_labels_are_plain_text(qtbot: QtBot) -> None:
    label = plain_label("<img src='file:///etc/passwd'>")
    qtbot.addWidget(label)
    assert label.textFormat() == Qt.TextFormat.PlainText
    notice = Notice("bad", "<b>x</b>")
    qtbot.addWidget(notice)
    assert all(
        item.textFormat() == Qt.TextFormat.PlainText for item in notice.findChildren(QLabel) if item.text()
    )


def test_a_field_gives_its_name_and_error_to_the_control(qtbot: QtBot) -> None:
    entry = QLineEdit()
    field = Field("Name", entry, "a hint")
    qtbot.addWidget(field)
    assert entry.accessibleName() == "Name"
    field.set_error("wrong")
    assert entry.accessibleDescription() == field.error() == "wrong"
    shown = [label.text() for label in field.findChildren(QLabel) if label.isVisibleTo(field)]
    assert "wrong" in shown
    assert "a hint" not in shown
    field.set_error("")
    shown = [label.text() for label in field.findChildren(QLabel) if label.isVisibleTo(field)]
    assert "a hint" in shown


def test_the_wheel_does_not_change_a_combo_box_without_focus(qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    combo, other = CalmComboBox(), QLineEdit()
    combo.addItems(["a", "b", "c"])
    layout = QVBoxLayout(page)
    layout.addWidget(combo)
    layout.addWidget(other)
    page.show()
    other.setFocus()
    middle = QPointF(combo.rect().center())
    event = QWheelEvent(
        middle,
        combo.mapToGlobal(middle),
        QPoint(0, -120),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    combo.wheelEvent(event)
    assert combo.currentIndex() == 0
    assert not event.isAccepted()


@pytest.mark.timeout(20)
def test_a_pasted_word_of_a_megabyte_does_not_hang(qtbot: QtBot) -> None:
    box = TextBox(3)
    qtbot.addWidget(box)
    box.show()
    data = QMimeData()
    data.setText("x" * 1_000_000)
    box.insertFromMimeData(data)
    box.grab()
    assert len(box.text()) == 1_000_000


def test_failures_are_one_sentence_in_plain_words() -> None:
    assert failure_words(FormatError("a.png", "The file is empty.", code="empty")) == "The file is empty."
    assert failure_words(KeyFileError("The file is damaged.")) == "The file is damaged."
    assert failure_words(StoreError("blank_title", "A chat needs a title.")) == "A chat needs a title."
    refused = LLMError("unauthorized", "The key is refused.", detail="bad key", status=401)
    assert failure_words(refused) == "The key is refused. The server says: bad key"
    assert "no such thing" in failure_words(OSError(2, "no such thing"))
    assert "ZeroDivisionError" in failure_words(ZeroDivisionError("division"))


def test_a_step_is_titled_by_what_happened() -> None:
    assert step_title("key", "unauthorized") == "Key: refused"
    assert step_title("context", "") == "Context"
    assert step_title("server", "something new") == "Server"
