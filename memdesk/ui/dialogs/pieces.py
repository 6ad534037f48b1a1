"""What every dialog is made of: plain labels, fields with their errors beside them, notices, folds.

plain_label(text, tone)                     text that is never read as markup, wrapped at the edge
Field(title, control, hint="")              a control with its title above and its error below
Notice(kind)                                an icon and a sentence; hidden while empty
Fold(title, content)                        what is rarely needed, behind one button
scrolled(widget)                            a column that scrolls
CalmComboBox()                              does not change when the wheel passes over it
"""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from memdesk.ui.icons import draw_icon, icon
from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.once import OncePushButton, OnceToolButton
from memdesk.ui.widgets.plain_text import PlainTextEdit

Tone = Literal["", "soft", "small", "title", "strong", "bad", "wait"]
NoticeKind = Literal["info", "ok", "wait", "bad"]

_NOTICE_ICONS: dict[str, tuple[str, str]] = {
    "info": ("info", "text_soft"),
    "ok": ("check", "ok"),
    "wait": ("warning", "wait"),
    "bad": ("warning", "bad"),
}
ICON = 16
# Qt looks for a place to break a word in quadratic time: 4 minutes for a word of a megabyte.
MOST_SHOWN = 2_000
"""A sentence longer than this many characters is cut: servers and files can hold anything."""


def fit(dialog: QDialog, width: int, height: int) -> None:
    """Give a dialog its size, smaller where the screen or the window it belongs to is."""
    screen = dialog.screen().availableGeometry()
    width, height = min(width, screen.width() - 40), min(height, screen.height() - 60)
    window = dialog.parentWidget()
    while window is not None and window.parentWidget() is not None:
        window = window.parentWidget()
    if window is not None and window.isVisible():
        width, height = min(width, window.width() - 20), min(height, window.height() - 20)
    dialog.resize(width, height)


def plain_label(text: str, tone: Tone = "", parent: QWidget | None = None, *, wrap: bool = True) -> QLabel:
    """Return a label that shows its text as it is, whatever is in it."""
    label = QLabel(parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(wrap)
    if tone:
        label.setProperty("tone", tone)
    if wrap:
        # A long word or path must not widen the dialog.
        label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    label.setText(text)
    return label


def set_tone(label: QLabel, tone: Tone) -> None:
    """Give a label another tone of the style sheet."""
    if label.property("tone") != tone:
        label.setProperty("tone", tone)
        label.style().unpolish(label)
        label.style().polish(label)


def push_button(text: str, kind: str = "", parent: QWidget | None = None) -> QPushButton:
    """Return a push button named by its text."""
    button = OncePushButton(text, parent)
    button.setAccessibleName(text)
    if kind:
        button.setProperty("kind", kind)
    return button


def tool_button(icon_name: str, name: str, parent: QWidget | None = None) -> QToolButton:
    """Return an icon button of 28 pixels, with its name as tool tip and for screen readers.

    One that moves something up or down may be clicked as fast as one likes.
    """
    button = QToolButton(parent) if icon_name.startswith("chevron") else OnceToolButton(parent)
    button.setIcon(icon(icon_name))
    button.setIconSize(QSize(ICON, ICON))
    button.setToolTip(name)
    button.setAccessibleName(name)
    button.setMinimumSize(28, 28)
    return button


def row(*parts: QWidget, spacing: int = 8) -> QHBoxLayout:
    """Return the widgets side by side."""
    layout = QHBoxLayout()
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(spacing)
    for part in parts:
        layout.addWidget(part)
    return layout


def column(*parts: QWidget, spacing: int = 12, parent: QWidget | None = None) -> QVBoxLayout:
    """Return the widgets below each other, without margins."""
    layout = QVBoxLayout(parent) if parent is not None else QVBoxLayout()
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(spacing)
    for part in parts:
        layout.addWidget(part)
    return layout


def scrolled(content: QWidget, name: str) -> QScrollArea:
    """Return a vertically scrolling area around `content`."""
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setAccessibleName(name)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    content.setProperty("panel", "none")
    area.setWidget(content)
    return area


def reveal(widget: QWidget) -> None:
    """Scroll the area around `widget` so that it shows, once it has its place."""

    def scroll() -> None:
        parent = widget.parentWidget()
        while parent is not None and not isinstance(parent, QScrollArea):
            parent = parent.parentWidget()
        if parent is not None:
            parent.ensureWidgetVisible(widget)

    QTimer.singleShot(0, widget, scroll)


class _Line(QFrame):
    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), current_theme().color("line"))
        painter.end()


def line() -> QFrame:
    """Return a hairline across."""
    rule = _Line()
    rule.setFixedHeight(1)
    return rule


class CalmComboBox(QComboBox):
    """A combo box that lets the wheel scroll the page until it has the focus."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)
        # The style's own arrow is drawn for a box of another kind.
        self.setStyleSheet(
            "QComboBox { padding-right: 26px; }"
            "QComboBox::drop-down { border: none; background: transparent; width: 26px; }"
            "QComboBox::down-arrow { image: none; }"
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        role = "text_soft" if self.isEnabled() else "line_strong"
        middle = (self.height() - ICON) / 2
        place = QRectF(self.width() - ICON - 8, middle, ICON, ICON)
        draw_icon(painter, "chevron-down", place, current_theme().hex(role))
        painter.end()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class ChoiceBox(CalmComboBox):
    """A combo box whose lines have names for the program; `read_text` and `write_text` work on these."""

    def value(self) -> str:
        """Return the name of the chosen line, "" for none."""
        return str(self.currentData() or "")

    def set_value(self, name: str) -> None:
        """Choose a line by its name; the first when there is no such line."""
        self.setCurrentIndex(max(0, self.findData(name)))


class TextBox(PlainTextEdit):
    """Several lines of plain text; Tab moves on. `lines` is how many show at once."""

    def __init__(self, lines: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTabChangesFocus(True)
        height = self.fontMetrics().lineSpacing() * lines + 2 * int(self.document().documentMargin()) + 12
        self.setFixedHeight(height)


def read_text(control: QWidget) -> str:
    """Return what is written in a TextBox, line edit or combo box."""
    if isinstance(control, ChoiceBox):
        return control.value()
    if isinstance(control, QComboBox):
        return control.currentText()
    return control.text() if isinstance(control, TextBox | QLineEdit) else ""


def write_text(control: QWidget, text: str) -> None:
    """Write into a TextBox, line edit or combo box; its beginning shows."""
    if isinstance(control, TextBox):
        control.setPlainText(text)
    elif isinstance(control, ChoiceBox):
        control.set_value(text)
    elif isinstance(control, QComboBox):
        control.setEditText(text)
        entry = control.lineEdit()
        if entry is not None:
            entry.setCursorPosition(0)
    elif isinstance(control, QLineEdit):
        control.setText(text)
        control.setCursorPosition(0)


class Notice(QWidget):
    """An icon and a sentence, under a title if it has one. The words say everything: colour only helps.

    Details stand in a softer line below.
    """

    def __init__(self, kind: NoticeKind = "info", text: str = "", title: str = "") -> None:
        super().__init__()
        self._icon = QLabel(self)
        self._icon.setFixedSize(ICON, ICON)
        self._title = plain_label(title, "strong", self)
        self._title.setVisible(bool(title))
        self._label = plain_label("", parent=self)
        layout = row(self._icon)
        layout.setAlignment(self._icon, Qt.AlignmentFlag.AlignTop)
        self._detail = plain_label("", "small", self)
        layout.addLayout(column(self._title, self._label, self._detail, spacing=2), 1)
        self.setLayout(layout)
        self._kind: NoticeKind = kind
        current_theme().changed.connect(self._paint_icon)
        self.say(text, kind)

    def keep_line(self) -> None:
        """Keep the room of one line while nothing is said, so that nothing below moves when something is."""
        policy = self.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.setSizePolicy(policy)
        self.setMinimumHeight(max(ICON, self._label.fontMetrics().lineSpacing()))

    def text(self) -> str:
        """Return the sentence, "" when none is shown."""
        return self._label.text()

    def kind(self) -> NoticeKind:
        """Return what kind of sentence it is."""
        return self._kind

    def detail(self) -> str:
        """Return the details below the sentence."""
        return self._detail.text()

    def say(self, text: str, kind: NoticeKind | None = None, detail: str = "") -> None:
        """Show a sentence and its details; an empty sentence hides the notice."""
        self._kind = kind or self._kind
        shown, below = (
            words if len(words) <= MOST_SHOWN else words[:MOST_SHOWN] + "…" for words in (text, detail)
        )
        self._label.setText(shown)
        self._detail.setText(below)
        self._detail.setVisible(bool(below))
        self.setAccessibleDescription(below)
        tone: dict[str, Tone] = {"info": "soft", "ok": "", "wait": "wait", "bad": "bad"}
        set_tone(self._label, tone[self._kind])
        self.setAccessibleName(": ".join(part for part in (self._title.text(), shown) if part))
        self._paint_icon()
        self.setVisible(bool(text))

    def _paint_icon(self) -> None:
        name, role = _NOTICE_ICONS[self._kind]
        self._icon.setPixmap(icon(name, role).pixmap(QSize(ICON, ICON), self.devicePixelRatioF()))


class Field(QWidget):
    """A control with its title above it, and below it a hint or, in its place, what is wrong.

    The control is named by the title; an error is also its accessible description.
    """

    def __init__(self, title: str, control: QWidget, hint: str = "", *beside: QWidget) -> None:
        """Lay out `control`, with the widgets `beside` it in the same line."""
        super().__init__()
        self.control = control
        control.setAccessibleName(title)
        self._hint = hint
        self._title = plain_label(title, wrap=False)
        self._title.setBuddy(control)
        self._aside = plain_label("", "small", wrap=False)
        self._note = plain_label("", "small")
        self._note.setVisible(False)
        head = row(self._title)
        head.addStretch(1)
        head.addWidget(self._aside)
        body = row(control, *beside)
        body.setStretch(0, 1)
        layout = column(parent=self, spacing=4)
        layout.addLayout(head)
        layout.addLayout(body)
        layout.addWidget(self._note)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._error = ""
        self._show()

    def set_title(self, title: str) -> None:
        """Give the field and its control another name."""
        self._title.setText(title)
        self.control.setAccessibleName(title)

    def error(self) -> str:
        """Return what is wrong, "" when nothing is."""
        return self._error

    def set_error(self, text: str) -> None:
        """Say what is wrong, or with "" that nothing is."""
        self._error = text
        self.control.setAccessibleDescription(text)
        self._show()

    def set_hint(self, text: str) -> None:
        """Show another hint."""
        self._hint = text
        self._show()

    def hint(self) -> str:
        """Return the hint."""
        return self._hint

    def set_aside(self, text: str, why: str = "") -> None:
        """Show a fact at the right end of the title line; `why` explains it on hover."""
        self._aside.setText(text)
        self._aside.setToolTip(why)

    def aside(self) -> str:
        """Return the fact at the right end of the title line."""
        return self._aside.text()

    def _show(self) -> None:
        text = self._error or self._hint
        self._note.setText(text)
        self._note.setAccessibleName(text)
        set_tone(self._note, "bad" if self._error else "small")
        self._note.setVisible(bool(text))


class Fold(QWidget):
    """A button that shows and hides what is below it."""

    toggled = Signal(bool)

    def __init__(self, title: str, content: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._button = QToolButton(self)
        self._button.setText(title)
        self._button.setAccessibleName(title)
        self._button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._button.setIconSize(QSize(ICON, ICON))
        self._button.setCheckable(True)
        self._button.setMinimumHeight(28)
        self._button.toggled.connect(self._toggle)
        self._content = content
        layout = column(parent=self, spacing=8)
        layout.addWidget(self._button, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addWidget(content)
        self._toggle(False)

    def open(self) -> None:
        """Show the content."""
        self._button.setChecked(True)

    def _toggle(self, shown: bool) -> None:
        self._button.setIcon(icon("chevron-down" if shown else "right"))
        self._content.setVisible(shown)
        self.toggled.emit(shown)
