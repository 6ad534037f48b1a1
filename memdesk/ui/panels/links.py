"""Links in a message: nothing is opened without a question."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMessageBox, QWidget

from memdesk.chats.text import one_line

translate = QCoreApplication.translate


def ask_link(address: str, parent: QWidget) -> None:
    """Ask whether an address is to be opened in the browser."""
    box = QMessageBox(parent)
    box.setIcon(QMessageBox.Icon.Question)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setWindowTitle(translate("ChatPanel", "Open a link"))
    box.setText(translate("ChatPanel", "Open this address in your browser?"))
    box.setInformativeText(one_line(address, 300))
    box.setStandardButtons(QMessageBox.StandardButton.Open | QMessageBox.StandardButton.Cancel)
    box.setDefaultButton(QMessageBox.StandardButton.Cancel)
    box.accepted.connect(lambda: QDesktopServices.openUrl(QUrl(address)))
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.open()
