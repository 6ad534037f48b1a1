"""Avatars by content hash: read in the background when they are looked at, kept small in memory."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QImage

from memdesk.ui.background import Background
from memdesk.workspace import Workspace

EDGE: Final = 144
"""Pixels of a kept avatar: 36 at 400 %, 72 at 200 %."""
MOST_KEPT: Final = 600
"""Avatars in memory, 80 KiB each; the one longest not looked at goes first."""
MOST_WANTED: Final = 120
"""Avatars that wait to be read: more than a screen shows. Whoever scrolls fast has no use for the others."""
READING: Final = 2
"""Read at a time; other reads of the window have room beside them."""
GATHER_MS: Final = 30


class Pictures(QObject):
    """Gives avatars at once when they are here, and says when some have come.

    What was asked for last is read first.
    """

    arrived = Signal()

    def __init__(self, workspace: Workspace, background: Background, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._background = background
        self._images: OrderedDict[str, QImage | None] = OrderedDict()
        self._wanted: OrderedDict[str, None] = OrderedDict()
        self._reading: set[str] = set()
        self._news = QTimer(self)
        self._news.setSingleShot(True)
        self._news.setInterval(GATHER_MS)
        self._news.timeout.connect(self.arrived)

    def get(self, name: str | None) -> QImage | None:
        """Return an avatar, or None while it is read or when there is none."""
        if name is None:
            return None
        if name in self._images:
            self._images.move_to_end(name)
            return self._images[name]
        if name not in self._reading:
            self._wanted[name] = None
            self._wanted.move_to_end(name)
            if len(self._wanted) > MOST_WANTED:
                self._wanted.popitem(last=False)
            self._read_next()
        return None

    def _read_next(self) -> None:
        while self._wanted and len(self._reading) < READING:
            name, _ = self._wanted.popitem()
            self._reading.add(name)
            self._start(name)

    def _start(self, name: str) -> None:
        self._background.read(
            lambda: self._read(name),
            lambda image: self._keep(name, image),
            failed=lambda _error: self._keep(name, None),
            owner=self,
        )

    def _read(self, name: str) -> QImage | None:
        path = self._workspace.files.path(name)
        if path is None:
            return None
        image = QImage(str(path))
        if image.isNull():
            return None
        ratio = Qt.AspectRatioMode.KeepAspectRatioByExpanding
        small = image.scaled(EDGE, EDGE, ratio, Qt.TransformationMode.SmoothTransformation)
        # What a painter takes without converting it at every stroke.
        return small.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)

    def _keep(self, name: str, image: QImage | None) -> None:
        self._reading.discard(name)
        self._images[name] = image
        if len(self._images) > MOST_KEPT:
            self._images.popitem(last=False)
        if image is not None and not self._news.isActive():
            self._news.start()
        self._read_next()
