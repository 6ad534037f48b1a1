"""Pictures of this computer that messages name: shown where the person says so, once or in a whole chat.

What was said for a chat stands in its settings, under `pictures`, and can be taken back. Files are read and
decoded beside the window, by decoders for PNG, JPEG, WebP and GIF alone.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from PySide6.QtCore import QCoreApplication, QObject
from PySide6.QtGui import QCursor, QImage
from PySide6.QtWidgets import QMenu

from memdesk.chats.model import Chat, Message
from memdesk.formats.errors import FormatError
from memdesk.formats.images import decode_picture
from memdesk.ui.local_pictures import asked_for, is_local, local_path, own_name, read_picture
from memdesk.ui.panels.chat_panel import ChatPanel
from memdesk.ui.panels.message_menu import Entry
from memdesk.ui.roleplay_text import RICH_LIMIT, Style, spans
from memdesk.ui.session import Session

translate = QCoreApplication.translate

EDGE: Final = 840
"""Pixels of a kept picture: as large as it is shown on a screen of threefold density."""
MOST_KEPT: Final = 32
MOST_IN_MESSAGE: Final = 20


class MessagePictures(QObject):
    """The `PictureSource` of the messages of a chat panel."""

    def __init__(self, session: Session, panel: ChatPanel) -> None:
        super().__init__(panel)
        self._session = session
        self._panel = panel
        self._images: OrderedDict[str, QImage | None] = OrderedDict()
        self._reading: set[str] = set()
        self._once: set[tuple[int, str]] = set()
        self._told: set[str] = set()
        self._read_anew: tuple[int, bool] | None = None
        """What was read last of a chat; the panel hears of it a little later."""
        model = panel.model
        for change in (model.reset, model.prepended, model.appended, model.changed, model.restored):
            change.connect(self._dress)
        session.chatsChanged.connect(self._check)
        panel.message_menu.add(60, self._entry)

    @property
    def in_chat(self) -> bool:
        """Whether the open chat shows every local picture that it names."""
        chat = self._panel.chat
        if chat is None:
            return False
        if self._read_anew is not None and self._read_anew[0] == chat.id:
            return self._read_anew[1]
        return chat.settings.get("pictures") == "local"

    def picture(self, address: str) -> QImage | None:
        """Return a picture that may be shown; one that is not read yet comes in a moment."""
        chat_id = self._panel.chat_id
        if chat_id is None or not (self.in_chat or (chat_id, address) in self._once):
            return None
        if address in self._images:
            self._images.move_to_end(address)
            return self._images[address]
        self._read(address)
        return None

    def ask(self, address: str) -> None:
        """Ask whether a picture is to be shown once, or all of this chat from now on."""
        menu = QMenu(self._panel)
        menu.setAccessibleName(translate("MessagePictures", "Show pictures"))
        once = menu.addAction(translate("MessagePictures", "Show this picture"))
        once.triggered.connect(lambda: self.show_once([address]))
        always = menu.addAction(
            translate("MessagePictures", "Show all pictures from this computer in this chat")
        )
        always.triggered.connect(lambda: self.set_in_chat(shown=True))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(QCursor.pos())

    def show_once(self, addresses: list[str]) -> None:
        """Show pictures of the open chat until the window closes."""
        chat_id = self._panel.chat_id
        if chat_id is None:
            return
        for address in addresses:
            self._once.add((chat_id, address))
            self._told.discard(address)
            if self._images.get(address, self) is None:
                # It may be there by now.
                del self._images[address]
        self._refresh()

    def toggle(self) -> None:
        """Show every local picture of the open chat, or none any more."""
        self.set_in_chat(shown=not self.in_chat)

    def set_in_chat(self, *, shown: bool) -> None:
        """Say for the open chat whether local pictures are shown; can be undone."""
        chat_id = self._panel.chat_id
        if chat_id is None:
            return
        self._once = {item for item in self._once if item[0] != chat_id or shown}
        presets = self._session.workspace.presets
        self._session.act(lambda: presets.choose(chat_id, {"pictures": "local" if shown else None}))

    # -- messages -------------------------------------------------------------------------------------------

    def _dress(self, *_news: object) -> None:
        for message in self._panel.model.messages:
            widget = self._panel.view.widget_for(message.id)
            if widget is not None:
                widget.body.pictures = self

    def _check(self) -> None:
        """Look at the messages again when the chat's setting has become another."""
        chat_id = self._panel.chat_id
        if chat_id is None:
            return

        def seen(chat: Chat) -> None:
            before = self.in_chat
            self._read_anew = (chat.id, chat.settings.get("pictures") == "local")
            if chat.id == self._panel.chat_id and self.in_chat != before:
                self._refresh()

        chats = self._session.workspace.chats
        self._session.background.read(
            lambda: chats.get(chat_id), seen, failed=lambda _error: None, owner=self
        )

    def _refresh(self) -> None:
        for message in self._panel.model.messages:
            widget = self._panel.view.widget_for(message.id)
            if widget is not None and ("![" in message.text or "<" in message.text):
                widget.body.showPictures()

    def _entry(self, message: Message) -> Entry | None:
        if self.in_chat:
            return None
        found = [item for item in addresses_in(message.text) if (message.chat_id, item) not in self._once]
        if not found:
            return None
        return Entry(
            translate("MessagePictures", "Show its pictures from this computer"),
            lambda: self.show_once(found),
            icon="eye",
        )

    # -- files ----------------------------------------------------------------------------------------------

    def _read(self, address: str) -> None:
        if address in self._reading:
            return
        self._reading.add(address)
        files = self._session.workspace.files

        def read() -> QImage:
            name = own_name(address)
            path = files.path(name) if name else local_path(address)
            if path is None:
                raise FileNotFoundError(address)
            image = QImage.fromData(decode_picture(read_picture(path), path.name, EDGE))
            if image.isNull():
                raise FormatError(path.name, "The picture is damaged.", code="image_broken")
            return image

        self._session.background.long(
            read, lambda image: self._keep(address, image), failed=lambda error: self._missed(address, error),
            owner=self,
        )  # fmt: skip

    def _keep(self, address: str, image: QImage | None) -> None:
        self._reading.discard(address)
        self._images[address] = image
        if len(self._images) > MOST_KEPT:
            self._images.popitem(last=False)
        if image is not None:
            self._refresh()

    def _missed(self, address: str, error: Exception) -> None:
        self._keep(address, None)
        # Asked for by hand, it deserves an answer; a chat full of lost pictures does not need twenty.
        if (self._panel.chat_id, address) in self._once and address not in self._told:
            self._told.add(address)
            if isinstance(error, OSError):
                name = address.replace("\\", "/").rsplit("/", 1)[-1]
                reason = f"The file cannot be read: {error.strerror or error}."
                error = FormatError(name, reason, code="unreadable")
            self._session.failed.emit(error)


def addresses_in(text: str) -> list[str]:
    """Return the local pictures that a text names, in their order, each once."""
    if len(text) > RICH_LIMIT or not ("![" in text or "<" in text):
        return []
    runs = [run for block in spans(text) for run in block.runs if Style.PICTURE in run.style]
    found = [address for run in runs if (address := asked_for(run.href)) is not None and is_local(address)]
    return list(dict.fromkeys(found))[:MOST_IN_MESSAGE]
