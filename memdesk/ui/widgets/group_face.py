"""The faces of several people in one square, for a group chat."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QImage, QPainter

from memdesk.ui.widgets.avatar import paint_avatar

MOST = 4
"""Faces that a square has room for."""

_GAP = 6


def group_face(faces: Sequence[tuple[str, QImage | None]], edge: int) -> QImage:
    """Return a picture of `edge` pixels with the first four faces, given as (name, picture or None)."""
    image = QImage(edge, edge, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    shown = list(faces[:MOST])
    painter = QPainter(image)
    half = (edge - _GAP) / 2
    far = half + _GAP
    font = QFont()
    for place, (name, picture) in enumerate(shown):
        if len(shown) == 1:
            rect = QRectF(0, 0, edge, edge)
        elif len(shown) == 2:
            # Two stand across the square, so that each is as large as it can be.
            rect = QRectF(place * edge * 0.4, place * edge * 0.4, edge * 0.6, edge * 0.6)
        elif len(shown) == 3 and place == 2:
            rect = QRectF((edge - half) / 2, far, half, half)
        else:
            rect = QRectF(place % 2 * far, place // 2 * far, half, half)
        paint_avatar(painter, rect, name, picture, rect.width() / 4, font)
    painter.end()
    return image
