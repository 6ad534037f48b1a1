"""The strip under the head of a group chat: who is in it. A click on a face lets that member reply."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from memdesk.chats.groups import GroupSettings
from memdesk.chats.model import Member
from memdesk.chats.text import one_line
from memdesk.ui.icons import draw_icon, icon
from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.avatar import paint_avatar

HEIGHT, FACE, GAP = 44, 32, 4
_SIGN = 14


class MemberButton(QToolButton):
    """One member's face: dimmed when it does not reply by itself, ringed while it writes."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFixedSize(FACE + 4, FACE + 4)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.member = Member(0, "")
        self._image: QImage | None = None
        self._writing = False

    def show_member(self, member: Member, image: QImage | None, *, writing: bool) -> None:
        """Stand for a member."""
        self.member, self._image, self._writing = member, image, writing
        name = one_line(member.name, 60) or self.tr("No name")
        self.setAccessibleName(name)
        if member.gone:
            words = self.tr("In the trash: does not reply.")
        elif writing:
            words = self.tr("Writing…")
        elif member.muted:
            words = self.tr("Muted: replies only when you click here.")
        else:
            words = self.tr("Click to let this member reply.")
        self.setAccessibleDescription(words)
        # A tool tip that begins like HTML would be shown as HTML.
        self.setToolTip(f"{name}\n{words}".replace("<", "‹"))
        self.setEnabled(not member.gone)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        face = QRectF(self.rect()).adjusted(2, 2, -2, -2)
        if not self.member.active:
            painter.setOpacity(0.4)
        paint_avatar(painter, face, self.member.name, self._image, 8, theme.font("strong"))
        painter.setOpacity(1)
        if not self.member.active:
            sign = QRectF(self.width() - _SIGN - 1, self.height() - _SIGN - 1, _SIGN, _SIGN)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("surface"))
            painter.drawEllipse(sign.adjusted(-1, -1, 1, 1))
            name = "trash" if self.member.gone else "mute"
            draw_icon(painter, name, sign.adjusted(1, 1, -1, -1), theme.hex("text_soft"))
        ring: QColor | None = None
        if self._writing or self.hasFocus() or (self.underMouse() and self.isEnabled()):
            ring = theme.color("accent" if self._writing or self.hasFocus() else "line_strong")
        if ring is not None:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(ring, 2))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 9, 9)
        painter.end()


class GroupBar(QWidget):
    """Faces in the order of the group, as many as there is room for; the others behind “+3”."""

    replyRequested = Signal(int)
    """character id"""
    menuRequested = Signal(int, object)
    """character id, global position"""
    membersRequested = Signal()

    def __init__(self, image: Callable[[str | None], QImage | None], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._image = image
        self._members: Sequence[Member] = ()
        self._writing: int | None = None
        self._buttons: list[MemberButton] = []
        self.setFixedHeight(HEIGHT)
        self.setAccessibleName(self.tr("Members"))
        # It gives way to the page: a group of thirty must not widen the window.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._more = QToolButton(self)
        self._more.setAccessibleName(self.tr("All members"))
        self._more.setToolTip(self.tr("All members"))
        self._more.clicked.connect(self.membersRequested)
        self._hint = QLabel(self)
        self._hint.setTextFormat(Qt.TextFormat.PlainText)
        self._hint.setProperty("tone", "small")
        self._hint.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._hint.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._edit = QToolButton(self)
        self._edit.setIcon(icon("group"))
        self._edit.setIconSize(QSize(16, 16))
        self._edit.setMinimumSize(28, 28)
        self._edit.setAccessibleName(self.tr("Members and reply order"))
        self._edit.setToolTip(self.tr("Members and reply order"))
        self._edit.clicked.connect(self.membersRequested)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(16, 2, 12, 4)
        self._row.setSpacing(GAP)
        self._row.addWidget(self._more)
        self._row.addWidget(self._hint, 1)
        self._row.addWidget(self._edit)

    def show_group(self, members: Sequence[Member], settings: GroupSettings, writing: int | None) -> None:
        """Show who is in the group, who writes, and how replies come about."""
        self._members, self._writing = members, writing
        if not any(member.active for member in members):
            words = self.tr("Nobody replies by themselves here.")
        elif settings.order == "manual":
            words = self.tr("You choose who replies: click a face.")
        elif settings.replies == "merged":
            words = self.tr("One reply for all.")
        elif settings.order == "list":
            words = self.tr("Everyone replies in turn.")
        else:
            words = self.tr("Who is mentioned replies, else whoever likes to talk.")
        self._hint.setText(words)
        self._hint.setToolTip(words)
        self._fill()

    def _fill(self) -> None:
        room = max(0, self.width() - 16 - 12 - 28 - 2 * GAP)
        fit = room // (FACE + 4 + GAP)
        count = len(self._members) if len(self._members) <= fit else max(0, fit - 1)
        while len(self._buttons) < count:
            self._buttons.append(self._button())
            self._row.insertWidget(len(self._buttons) - 1, self._buttons[-1])
        for button, member in zip(self._buttons, self._members, strict=False):
            writing = member.id == self._writing
            button.show_member(member, self._image(member.avatar), writing=writing)
        for place, button in enumerate(self._buttons):
            button.setVisible(place < count)
        hidden = len(self._members) - count
        self._more.setText(f"+{hidden}")
        self._more.setVisible(hidden > 0)

    def _button(self) -> MemberButton:
        button = MemberButton(self)
        button.clicked.connect(lambda: self.replyRequested.emit(button.member.id))
        button.customContextMenuRequested.connect(
            lambda place: self.menuRequested.emit(button.member.id, button.mapToGlobal(place))
        )
        return button

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fill()
