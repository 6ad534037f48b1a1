"""Avatars by content hash: read in the background when they are looked at, kept small in memory."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QImage

from memdesk.chats.model import Chat
from memdesk.ui.background import Background
from memdesk.ui.widgets.group_face import MOST, group_face
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
REST_MS: Final = 40
"""Reading begins when nothing new was asked for that long: a frame of scrolling must not share its core."""
PATIENCE: Final = 0.25
"""Seconds after which something is read all the same, while one goes on scrolling."""
KEPT_GROUPS: Final = 256
"""Pictures of groups that are kept; each has 80 kB."""


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
        self._groups: dict[tuple[tuple[str, int], ...], QImage] = {}
        self._news = QTimer(self)
        self._news.setSingleShot(True)
        self._news.setInterval(GATHER_MS)
        self._news.timeout.connect(self.arrived)
        self._read_at = 0.0
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST_MS)
        self._rest.timeout.connect(self._read_next)

    @property
    def waiting(self) -> int:
        """How many avatars that were asked for are not here yet."""
        return len(self._wanted) + len(self._reading)

    def get(self, name: str | None) -> QImage | None:
        """Return an avatar, or None while it is read or when there is none."""
        if name is None:
            return None
        if name in self._images:
            self._images.move_to_end(name)
            return self._images[name]
        if name not in self._reading:
            new = name not in self._wanted
            self._wanted[name] = None
            self._wanted.move_to_end(name)
            if len(self._wanted) > MOST_WANTED:
                self._wanted.popitem(last=False)
            if new:
                self._wait_a_moment()
        return None

    def _wait_a_moment(self) -> None:
        if not self._rest.isActive() and not self._reading:
            self._read_at = time.monotonic()
        self._rest.start()
        if time.monotonic() - self._read_at > PATIENCE:
            self._read_next()

    def _read_next(self) -> None:
        while self._wanted and len(self._reading) < READING:
            name, _ = self._wanted.popitem()
            self._read_at = time.monotonic()
            self._reading.add(name)
            self._start(name)

    def _start(self, name: str) -> None:
        self._background.read(
            lambda: self._read(name),
            lambda image: self._keep(name, image),
            failed=lambda _error: self._keep(name, None),
            owner=self,
        )

    def of_chat(self, chat: Chat) -> QImage | None:
        """Return the picture that stands for a chat: its character's, or the faces of a group."""
        if chat.kind != "group":
            return self.get(chat.avatar)
        return self.of_group([(member.name, member.avatar) for member in chat.members])

    def of_group(self, faces: Sequence[tuple[str, str | None]]) -> QImage | None:
        """Return the faces of several people, by name and avatar, in one picture; None for nobody."""
        shown = [(name, self.get(avatar)) for name, avatar in faces[:MOST]]
        if not shown:
            return None
        key = tuple((name, 0 if image is None else image.cacheKey()) for name, image in shown)
        if key not in self._groups:
            if len(self._groups) >= KEPT_GROUPS:
                self._groups.clear()
            self._groups[key] = group_face(shown, EDGE)
        return self._groups[key]

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
        if not self._rest.isActive():
            self._read_next()
