"""Avatars by content hash: read once in the background, kept small in memory."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QImage

from memdesk.ui.background import Background
from memdesk.workspace import Workspace

EDGE = 144
"""Pixels of a kept avatar: 36 at 400 %."""


class Pictures(QObject):
    """Gives avatars at once when they are here, and says when they have come."""

    arrived = Signal()

    def __init__(self, workspace: Workspace, background: Background, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._background = background
        self._images: dict[str, QImage | None] = {}

    def get(self, name: str | None) -> QImage | None:
        """Return an avatar, or None while it is read or when there is none."""
        if name is None:
            return None
        if name not in self._images:
            self._images[name] = None
            self._background.read(lambda: self._read(name), lambda image: self._keep(name, image), owner=self)
        return self._images[name]

    def _read(self, name: str) -> QImage | None:
        path = self._workspace.files.path(name)
        if path is None:
            return None
        image = QImage(str(path))
        if image.isNull():
            return None
        ratio = Qt.AspectRatioMode.KeepAspectRatioByExpanding
        return image.scaled(EDGE, EDGE, ratio, Qt.TransformationMode.SmoothTransformation)

    def _keep(self, name: str, image: QImage | None) -> None:
        if image is not None:
            self._images[name] = image
            self.arrived.emit()
