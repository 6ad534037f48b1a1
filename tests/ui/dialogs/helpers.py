"""Finding controls by what a screen reader calls them."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)

W = TypeVar("W", bound=QWidget)


def find(parent: QWidget, name: str, kind: type[W] = QWidget) -> W:  # type: ignore[assignment]
    """Return the one control with this accessible name that is not hidden away."""
    found = [
        item
        for item in parent.findChildren(kind)
        if item.accessibleName() == name and item.isVisibleTo(parent)
    ]
    assert len(found) == 1, (name, found)
    return found[0]


def names(parent: QWidget) -> set[str]:
    """Return the accessible names of everything that shows."""
    return {item.accessibleName() for item in parent.findChildren(QWidget) if item.isVisibleTo(parent)}


def texts(parent: QWidget) -> str:
    """Return all words that show; a password field shows dots."""
    shown = [item for item in parent.findChildren(QWidget) if item.isVisibleTo(parent)]
    return "\n".join(
        item.displayText() if isinstance(item, QLineEdit) else str(item.property("text") or "")
        for item in shown
    )


def controls_are_named(dialog: QWidget) -> list[str]:
    """Return controls that a person can reach without a name, or too small to hit."""
    wrong = []
    for kind in (QAbstractButton, QLineEdit, QPlainTextEdit, QComboBox, QAbstractItemView):
        for item in dialog.findChildren(kind):
            inside_combo = isinstance(item.parent(), QComboBox) or item.window() is not dialog.window()
            if inside_combo or not item.isVisibleTo(dialog) or item.focusPolicy() == Qt.FocusPolicy.NoFocus:
                continue
            if not item.accessibleName():
                wrong.append(f"{item!r} has no name")
            if item.height() < 28:
                wrong.append(f"{item.accessibleName()} is {item.height()} high")
    return wrong
