"""Links in a message: nothing is opened without a question."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMessageBox, QWidget

from memdesk.chats.text import one_line
from memdesk.ui.addresses import host_of, shown_host

translate = QCoreApplication.translate


def ask_link(address: str, parent: QWidget) -> None:
    """Ask whether an address is to be opened in the browser, saying where it really leads.

    Only addresses of the web are asked about; anything else is not opened at all.
    """
    url = QUrl(address, QUrl.ParsingMode.StrictMode)
    host, disguised = host_of(address)
    if url.scheme() not in ("http", "https") or not host:
        return
    lines = [translate("ChatPanel", "It leads to: {0}").format(host)]
    if shown := shown_host(host):
        lines.append(
            translate("ChatPanel", "Its name has letters of another alphabet and looks like “{0}”.").format(
                shown
            )
        )
    if disguised:
        lines.append(translate("ChatPanel", "What stands before the @ is not the site."))
    if url.scheme() == "http":
        lines.append(translate("ChatPanel", "The connection would not be encrypted."))
    box = QMessageBox(parent)
    box.setIcon(QMessageBox.Icon.Question)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setWindowTitle(translate("ChatPanel", "Open a link"))
    box.setText(translate("ChatPanel", "Open this address in your browser?"))
    box.setInformativeText("\n".join([*lines, "", one_line(address, 300)]))
    box.setStandardButtons(QMessageBox.StandardButton.Open | QMessageBox.StandardButton.Cancel)
    box.setDefaultButton(QMessageBox.StandardButton.Cancel)
    box.accepted.connect(lambda: QDesktopServices.openUrl(url))
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.open()
