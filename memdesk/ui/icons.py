"""Icons in one stroke style, coloured by the theme when they are painted.

`icon(name, color_role="text_soft") -> QIcon`; names are the files of resources/icons, roles the colours of
tokens.json. Icons are drawn from the SVG at the size and the scale asked for and in the colour of the moment:
after a change of theme a repaint is enough (new style sheets bring one). Unknown names raise KeyError.
"""

from __future__ import annotations

import functools

from PySide6.QtCore import QByteArray, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from memdesk.assets import asset
from memdesk.ui.theme import current_theme

_PIXMAPS: dict[tuple[str, str, int, int], QPixmap] = {}
_MOST_PIXMAPS = 512


@functools.cache
def icon_names() -> frozenset[str]:
    """Return the names of all shipped icons."""
    return frozenset(path.stem for path in asset("icons").glob("*.svg"))


@functools.cache
def _source(name: str) -> str:
    if name not in icon_names():
        raise KeyError(name)
    return asset("icons", f"{name}.svg").read_text(encoding="utf-8")


@functools.lru_cache(maxsize=256)
def _renderer(name: str, color: str) -> QSvgRenderer:
    return QSvgRenderer(QByteArray(_source(name).replace("currentColor", color).encode()))


def draw_icon(painter: QPainter, name: str, rect: QRectF, color: str) -> None:
    """Draw an icon into `rect` in the colour `#rrggbb`."""
    _renderer(name, color).render(painter, rect)


def icon_pixmap(name: str, color: str, size: QSize, scale: float = 1.0) -> QPixmap:
    """Return an icon as a pixmap of `size` device-independent pixels at a device pixel ratio of `scale`."""
    width, height = max(1, round(size.width() * scale)), max(1, round(size.height() * scale))
    key = (name, color, width, height)
    pixmap = _PIXMAPS.get(key)
    if pixmap is None:
        pixmap = QPixmap(width, height)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        side = min(width, height)
        draw_icon(painter, name, QRectF((width - side) / 2, (height - side) / 2, side, side), color)
        painter.end()
        if len(_PIXMAPS) >= _MOST_PIXMAPS:
            _PIXMAPS.clear()
        _PIXMAPS[key] = pixmap
    result = QPixmap(pixmap)
    result.setDevicePixelRatio(scale)
    return result


class _Engine(QIconEngine):
    def __init__(self, name: str, role: str) -> None:
        super().__init__()
        self._name = name
        self._role = role

    def _color(self, mode: QIcon.Mode) -> str:
        theme = current_theme()
        if mode == QIcon.Mode.Disabled:
            # Fainter than at rest: what cannot be pressed must not look as if it could.
            return theme.hex("line_strong" if self._role == "text_soft" else "text_soft")
        if mode == QIcon.Mode.Active and self._role == "text_soft":
            return theme.hex("text")
        return theme.hex(self._role)

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, _state: QIcon.State) -> None:
        scale = painter.device().devicePixelRatioF()
        painter.drawPixmap(rect, icon_pixmap(self._name, self._color(mode), rect.size(), scale))

    def pixmap(self, size: QSize, mode: QIcon.Mode, _state: QIcon.State) -> QPixmap:
        return icon_pixmap(self._name, self._color(mode), size)

    def scaledPixmap(self, size: QSize, mode: QIcon.Mode, _state: QIcon.State, scale: float) -> QPixmap:
        return icon_pixmap(self._name, self._color(mode), size, scale)

    def actualSize(self, size: QSize, _mode: QIcon.Mode, _state: QIcon.State) -> QSize:
        return QSize(size)

    def clone(self) -> QIconEngine:
        return _Engine(self._name, self._role)

    def key(self) -> str:
        return "memdesk"

    def isNull(self) -> bool:
        return False


def icon(name: str, color_role: str = "text_soft") -> QIcon:
    """Return the icon `name` in the colour of `color_role`; KeyError for a name that is not shipped."""
    _source(name)
    return QIcon(_Engine(name, color_role))
