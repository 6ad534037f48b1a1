"""Closing a form: nobody loses what was typed into it without being asked."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QDialog, QMessageBox


def ask_unsaved(parent: QDialog, question: str, save: Callable[[], None], drop: Callable[[], None]) -> None:
    """Ask whether to save, to discard, or to go on editing; Esc goes on."""
    words = {
        "title": QCoreApplication.translate("Unsaved", "Unsaved changes"),
        "save": QCoreApplication.translate("Unsaved", "Save changes"),
        "drop": QCoreApplication.translate("Unsaved", "Discard changes"),
        "stay": QCoreApplication.translate("Unsaved", "Go on editing"),
    }
    box = QMessageBox(parent)
    box.setAccessibleName(words["title"])
    box.setWindowTitle(words["title"])
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(question)
    keep = box.addButton(words["save"], QMessageBox.ButtonRole.AcceptRole)
    discard = box.addButton(words["drop"], QMessageBox.ButtonRole.DestructiveRole)
    stay = box.addButton(words["stay"], QMessageBox.ButtonRole.RejectRole)
    for button in (keep, discard, stay):
        button.setAccessibleName(button.text())
    box.setDefaultButton(keep)
    box.setEscapeButton(stay)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

    def answer() -> None:
        if box.clickedButton() is keep:
            save()
        elif box.clickedButton() is discard:
            drop()

    box.finished.connect(answer)
    box.open()


class AskingDialog(QDialog):
    """A form that asks before it throws away what was typed."""

    def form_state(self) -> object:
        """Return what is in the form, to be compared with what it opened with."""
        raise NotImplementedError

    def save_form(self) -> None:
        """Save, as the button does."""
        raise NotImplementedError

    def opened(self) -> None:
        """Take what is in the form now for what need not be saved."""
        self._opened_with = self.form_state()

    def reject(self) -> None:
        """Close; asks first when something would be lost."""
        if self.form_state() == self._opened_with:
            super().reject()
            return
        question = QCoreApplication.translate("Unsaved", "Save what you changed here?")
        ask_unsaved(self, question, self.save_form, self.discard)

    def discard(self) -> None:
        """Close, whatever was typed."""
        super().reject()

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.isVisible() and self.form_state() != self._opened_with:
            event.ignore()
            self.reject()
        else:
            super().closeEvent(event)
