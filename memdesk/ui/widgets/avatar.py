"""Pictures of characters and people, or their initial on a colour of their own.

Avatar(name, image=None, size=36)      widget; setPerson(name, image)
paint_avatar(painter, rect, name, image, radius, font)
avatar_color(name) -> "#rrggbb"        the same for the same name, always
initial(name) -> str
"""

from __future__ import annotations

import unicodedata
import zlib

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QPainterPath, QPaintEvent, QPixmap, QPixmapCache
from PySide6.QtWidgets import QSizePolicy, QWidget

from memdesk.ui.theme import current_theme

AVATAR_COLORS = (
    "#7A5C8E",
    "#3F7F74",
    "#9A5B3C",
    "#4C6794",
    "#5B6472",
    "#8A5068",
    "#5F7340",
    "#8A6A2C",
    "#47708A",
)
"""White stands on each of them with a contrast of at least 4.5:1."""


def avatar_color(name: str) -> str:
    """Return the colour that belongs to a name."""
    sign = zlib.crc32(unicodedata.normalize("NFC", name).encode(errors="replace"))
    return AVATAR_COLORS[sign % len(AVATAR_COLORS)]


def initial(name: str) -> str:
    """Return the first letter or sign of a name with its marks, upper case; "?" when there is none."""
    for at, char in enumerate(name):
        if unicodedata.category(char)[0] in "LNS":
            end = at + 1
            while end < len(name) and unicodedata.category(name[end])[0] == "M":
                end += 1
            return unicodedata.normalize("NFC", name[at:end]).upper()[:2]
    return "?"


def paint_avatar(
    painter: QPainter, rect: QRectF, name: str, image: QImage | None, radius: float, font: QFont
) -> None:
    """Paint an avatar into a square."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    path = QPainterPath()
    path.addRoundedRect(rect, radius, radius)
    if image is not None and not image.isNull():
        face = _face(image, rect.width(), radius, painter.device().devicePixelRatioF())
        # Between pixels it would be scaled once more, and blurred.
        painter.drawPixmap(rect.topLeft().toPoint(), face)
    else:
        painter.fillPath(path, QColor(avatar_color(name)))
        font = QFont(font)
        font.setPixelSize(max(9, round(rect.height() * 0.4)))
        font.setWeight(QFont.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(Qt.GlobalColor.white)
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, initial(name))
    painter.restore()


def _face(image: QImage, side: float, radius: float, scale: float) -> QPixmap:
    """Return a picture as it is painted; scaling and rounding it takes a millisecond, so it is kept."""
    edge = max(1, round(side * scale))
    key = f"face:{image.cacheKey()}:{edge}:{radius}:{scale}"
    pixmap = QPixmap()
    if QPixmapCache.find(key, pixmap):
        return pixmap
    pixmap = QPixmap(edge, edge)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    path = QPainterPath()
    path.addRoundedRect(QRectF(0, 0, edge, edge), radius * scale, radius * scale)
    painter.setClipPath(path)
    part = min(image.width(), image.height())
    # Faces sit in the upper part of tall card pictures.
    source = QRectF((image.width() - part) / 2, 0, part, part)
    painter.drawImage(QRectF(0, 0, edge, edge), image, source)
    painter.end()
    pixmap.setDevicePixelRatio(scale)
    QPixmapCache.insert(key, pixmap)
    return pixmap


class Avatar(QWidget):
    """A square with rounded corners that stands for someone."""

    def __init__(
        self, name: str = "", image: QImage | None = None, size: int = 36, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._name = name
        self._image = image
        self._size = size
        self.setFixedSize(size, size)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(name)

    def setPerson(self, name: str, image: QImage | None = None) -> None:
        """Show someone else."""
        self._name, self._image = name, image
        self.setAccessibleName(name)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self._size, self._size)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        radius = current_theme().radius("card") * self._size / 36
        paint_avatar(painter, QRectF(self.rect()), self._name, self._image, radius, self.font())
        painter.end()
