"""A picture that can be chosen or dropped; it is decoded in the background and shown as it will be kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QImage
from PySide6.QtWidgets import QFileDialog, QWidget

from memdesk.formats.images import MAX_FILE, decode_avatar
from memdesk.ui.background import Background
from memdesk.ui.dialogs.pieces import Notice, column, plain_label, push_button, row
from memdesk.ui.dialogs.words import failure_words
from memdesk.ui.widgets.avatar import Avatar

SIZE = 96


class AvatarField(QWidget):
    """Shows someone's picture. `picture` is a new one as PNG bytes, None while nothing was chosen.

    `removed` says that the kept one is to go.
    """

    changed = Signal()

    def __init__(self, background: Background, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._background = background
        self._name = ""
        self._image: QImage | None = None
        self._turn = 0
        self.picture: bytes | None = None
        self.removed = False
        self.setAcceptDrops(True)
        self._avatar = Avatar("", None, SIZE, self)
        self._choose = choose = push_button(self.tr("Choose picture…"), parent=self)
        choose.clicked.connect(self.choose)
        self._remove = push_button(self.tr("Remove picture"), parent=self)
        self._remove.clicked.connect(self.remove)
        self._remove.hide()
        for button in (choose, self._remove):
            # Enter in a field of the dialog must not open a file dialog.
            button.setAutoDefault(False)
        self._notice = Notice("info")
        hint = plain_label(self.tr("PNG, JPEG, WebP or GIF. Drop one here."), "small", self)
        right = column(spacing=6)
        right.addStretch(1)
        buttons = row(choose, self._remove)
        buttons.addStretch(1)
        right.addLayout(buttons)
        right.addWidget(hint)
        right.addWidget(self._notice)
        right.addStretch(1)
        layout = row(self._avatar, spacing=16)
        layout.addLayout(right, 1)
        self.setLayout(layout)

    def set_name(self, name: str) -> None:
        """Show the initial of another name while there is no picture."""
        self._name = name
        self._avatar.setPerson(name, self._image)

    def start_over(self, name: str) -> None:
        """Show someone else, without a picture until `show_kept` brings one."""
        self._turn += 1
        self.picture, self.removed = None, False
        self._notice.say("")
        self._name = name
        self._show_image(None)

    def show_none(self) -> None:
        """Show that no picture is kept, unless a new one was chosen."""
        if self.picture is None:
            self._show_image(None)

    def settled(self) -> None:
        """Take what is shown for what is kept: it was stored."""
        self.picture, self.removed = None, False

    def show_kept(self, data: bytes) -> None:
        """Show the picture that is kept already."""
        image = QImage.fromData(data)
        if not image.isNull() and self.picture is None and not self.removed:
            self._show_image(image)

    def remove(self) -> None:
        """Take the picture away; the initial stands in for it."""
        self._turn += 1
        self._notice.say("")
        self.picture, self.removed = None, True
        self._show_image(None)
        self._choose.setFocus()
        self.changed.emit()

    def _show_image(self, image: QImage | None) -> None:
        self._image = image
        self._avatar.setPerson(self._name, image)
        self._remove.setVisible(image is not None)

    def choose(self) -> None:
        """Ask for a file."""
        dialog = QFileDialog(self, self.tr("Choose a picture"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilter(self.tr("Pictures") + " (*.png *.jpg *.jpeg *.webp *.gif)")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda name: self.take_file(Path(name)))
        dialog.open()

    def take_file(self, path: Path) -> None:
        """Read and decode a picture in the background; what is wrong with it is said here."""
        self._decode(lambda: decode_avatar(_read(path), path.name))

    def _take_image(self, image: QImage) -> None:
        self._decode(lambda: decode_avatar(_png(image), self.tr("picture")))

    def _decode(self, make: Callable[[], bytes]) -> None:
        self._turn += 1
        turn = self._turn
        self._notice.say(self.tr("Reading the picture…"), "info")
        self._background.read(
            make,
            lambda data: self._take(turn, data),
            failed=lambda error: self._refuse(turn, error),
            owner=self,
        )

    def _take(self, turn: int, data: bytes) -> None:
        if turn != self._turn:
            return
        self._notice.say("")
        self.picture, self.removed = data, False
        self._show_image(QImage.fromData(data))
        self.changed.emit()

    def _refuse(self, turn: int, error: Exception) -> None:
        if turn == self._turn:
            self._notice.say(failure_words(error), "bad")

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        data = event.mimeData()
        if data.hasImage() or any(url.isLocalFile() for url in data.urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        data = event.mimeData()
        files = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
        if files:
            self.take_file(files[0])
        elif data.hasImage():
            self._take_image(QImage(data.imageData()))
        event.acceptProposedAction()


def _read(path: Path) -> bytes:
    if not path.is_file():
        raise FileNotFoundError(2, "it is not there, or no file")
    with path.open("rb") as file:
        return file.read(MAX_FILE + 1)


def _png(image: QImage) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(buffer.data().data())
