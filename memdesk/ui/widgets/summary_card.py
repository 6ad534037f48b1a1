"""One summary in the list: read it, open it, edit it in place."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QEnterEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QCheckBox, QFrame, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from memdesk.memory.summaries.acts import TITLE
from memdesk.ui.dates import short_moment
from memdesk.ui.dialogs.pieces import plain_label, push_button, row, tool_button
from memdesk.ui.icons import icon
from memdesk.ui.keymap import current_keymap
from memdesk.ui.models.summaries import Entry
from memdesk.ui.summary_words import marks, origin_words, range_words, shown_title
from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.elided_label import ElidedLabel
from memdesk.ui.widgets.flow_layout import FlowLayout
from memdesk.ui.widgets.message_head import local_time
from memdesk.ui.widgets.pills import Badge
from memdesk.ui.widgets.plain_text import PlainTextEdit

BEGINNING = 180
"""Characters of the text that a closed card shows; half as many of scripts with wide letters."""

FEWEST_LINES, MOST_LINES = 2, 24

_KEYED = ("edit", "freeze", "switch", "forget")


class _Tick(QCheckBox):
    """A tick box that knows whether Shift was held."""

    clickedWith = Signal(bool, bool)
    """Whether it is ticked now, whether Shift was held"""

    def __init__(self) -> None:
        super().__init__()
        self._shift = False
        self.clicked.connect(lambda checked: self.clickedWith.emit(checked, self._shift))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        super().mouseReleaseEvent(event)
        self._shift = False

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        self._shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        super().keyReleaseEvent(event)
        self._shift = False


class _Text(PlainTextEdit):
    """The text of an open card, as high as its text; Ctrl+Enter and Esc are for the card."""

    done = Signal(bool)
    """Whether what was written is to be kept"""

    def __init__(self) -> None:
        super().__init__()
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.textChanged.connect(self._fit)

    def _fit(self) -> None:
        if self.width() < 60:
            return
        lines = int(self.document().size().height())
        height = self.fontMetrics().lineSpacing() * min(MOST_LINES, max(FEWEST_LINES, lines))
        whole = height + 2 * int(self.document().documentMargin()) + 14
        bar = (
            Qt.ScrollBarPolicy.ScrollBarAsNeeded
            if lines > MOST_LINES
            else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        )
        self.setVerticalScrollBarPolicy(bar)
        if whole != self.height():
            self.setFixedHeight(whole)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        QTimer.singleShot(0, self, self._fit)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not _ends(event, self.done):
            super().keyPressEvent(event)


class _Title(QLineEdit):
    done = Signal(bool)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not _ends(event, self.done):
            super().keyPressEvent(event)


def _ends(event: QKeyEvent, done: object) -> bool:
    """Say whether a key ends editing, and how."""
    enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
    if enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
        done.emit(True)  # type: ignore[attr-defined]
    elif event.key() == Qt.Key.Key_Escape:
        done.emit(False)  # type: ignore[attr-defined]
    else:
        return False
    return True


class SummaryCard(QFrame):
    """Shows an entry; the panel does what it asks for."""

    deedRequested = Signal(str, int)
    """A deed of `SummaryDeeds` and the entry"""
    ticked = Signal(int, bool, bool)
    """The entry, whether it is ticked, whether Shift was held"""
    saved = Signal(int, str, str)
    """The entry, title and text as they were edited"""
    menuRequested = Signal(int, QPoint)
    stepped = Signal(int, int)
    """The entry that has the focus, and how many cards the focus goes on"""

    def __init__(self, entry: Entry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._entry = entry
        self._open = False
        self._editing = False
        self._selected = False
        self.setProperty("panel", "card")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._build()
        self.show_entry(entry)

    def _build(self) -> None:
        self._tick = _Tick()
        self._tick.clickedWith.connect(lambda on, shift: self.ticked.emit(self._entry.id, on, shift))
        self._fold = tool_button("right", self.tr("Show the whole summary"))
        self._fold.clicked.connect(lambda: self.set_open(not self._open))
        self._title = ElidedLabel()
        self._title.setProperty("tone", "strong")
        self._name = _Title()
        self._name.setMaxLength(TITLE)
        self._name.setAccessibleName(self.tr("Title"))
        self._name.done.connect(self._end)
        self._range = push_button("", "quiet")
        self._range.setIcon(icon("jump"))
        self._range.clicked.connect(lambda: self.deedRequested.emit("jump", self._entry.id))
        head = QHBoxLayout()
        head.setSpacing(2)
        for widget in (self._tick, self._fold):
            head.addWidget(widget)
        head.addWidget(self._title, 1)
        head.addWidget(self._name, 1)
        head.addWidget(self._range)
        self._badges = QWidget()
        self._flow = FlowLayout(self._badges, across=4, down=4)
        self._beginning = plain_label("")
        self._text = _Text()
        self._text.done.connect(self._end)
        self._facts = ElidedLabel()
        self._facts.setProperty("tone", "small")
        self._strip = QWidget()
        strip = row(spacing=0)
        self._strip.setLayout(strip)
        self._buttons = {}
        for deed, icon_name in (
            ("up", "chevron-up"),
            ("down", "chevron-down"),
            ("edit", "edit"),
            ("freeze", "snow"),
            ("switch", "eye-off"),
            ("more", "more"),
        ):
            button = tool_button(icon_name, "")
            button.clicked.connect(lambda _checked, deed=deed: self._press(deed))
            strip.addWidget(button)
            self._buttons[deed] = button
        # The line is as high without the buttons: nothing below moves when they come.
        self._facts.setMinimumHeight(28)
        foot = QHBoxLayout()
        foot.setSpacing(4)
        foot.addWidget(self._facts, 1)
        foot.addWidget(self._strip)
        self._ask = self._review_row()
        self._save_row = self._editing_row()
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 6, 8, 6)
        column.setSpacing(4)
        column.addLayout(head)
        for part in (self._badges, self._beginning, self._text, self._save_row, self._ask):
            column.addWidget(part)
        column.addLayout(foot)
        self._show_strip()

    def _review_row(self) -> QWidget:
        holder = QWidget()
        layout = row(spacing=6)
        holder.setLayout(layout)
        for deed, words, kind in (
            ("approve", self.tr("Approve"), "primary"),
            ("review", self.tr("Compare and edit…"), ""),
            ("reject", self.tr("Reject"), "quiet"),
        ):
            button = push_button(words, kind)
            button.clicked.connect(lambda _checked, deed=deed: self._press(deed))
            layout.addWidget(button)
        layout.addStretch(1)
        return holder

    def _editing_row(self) -> QWidget:
        holder = QWidget()
        layout = row(spacing=6)
        holder.setLayout(layout)
        layout.addStretch(1)
        cancel = push_button(self.tr("Cancel"))
        cancel.setToolTip(self.tr("Leave it as it was (Esc)"))
        cancel.clicked.connect(lambda: self._end(False))
        self._save = push_button(self.tr("Save"), "primary")
        self._save.setToolTip(self.tr("Keep what you wrote (Ctrl+Enter); what it said before is kept, too"))
        self._save.clicked.connect(lambda: self._end(True))
        self._text.textChanged.connect(
            lambda: self._save.setEnabled(not self._editing or bool(self._text.text().strip()))
        )
        layout.addWidget(cancel)
        layout.addWidget(self._save)
        return holder

    # ── what it shows ────────────────────────────────────────────────────────────────────────────────

    def entry(self) -> Entry:
        """Return what it shows."""
        return self._entry

    def is_editing(self) -> bool:
        """Return whether it is being edited."""
        return self._editing

    def show_entry(self, entry: Entry) -> None:
        """Show an entry as it is now; what is being written stays."""
        self._entry = entry
        summary, number = entry.summary, self.locale().toString
        title, where = shown_title(summary.title), range_words(entry)
        self._title.setText(title)
        self._tick.setAccessibleName(self.tr("Select “{0}”").format(title))
        self._range.setText(where)
        self._range.setAccessibleName(self.tr("Go to message {0}").format(where))
        self._range.setToolTip(
            self.tr("It covers {0} messages. Click to go to the first.").format(number(entry.place.messages))
        )
        self._range.setVisible(entry.place.first is not None)
        badges = marks(entry)
        while (item := self._flow.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        for words, icon_name, why in badges:
            badge = Badge(words, icon_name)
            badge.setToolTip(why)
            self._flow.addWidget(badge)
        self._badges.setVisible(bool(badges))
        tokens = self.tr("~{0} tokens").format(number(summary.tokens))
        when = short_moment(local_time(summary.updated_at))
        self._facts.setText(" · ".join((tokens, when, origin_words(entry))))
        self._facts.setToolTip(self._facts.text())
        flat = " ".join(summary.text[: 2 * BEGINNING].split())
        most = BEGINNING if flat.isascii() else BEGINNING // 2
        self._beginning.setText(flat if len(flat) <= most else flat[:most].rstrip() + "…")
        self._ask.setVisible(summary.proposed and not self._editing)
        if not self._editing:
            self._show_body()
        self._name_buttons()
        spoken = [title, where, *(words for words, _icon, _why in badges), tokens]
        self.setAccessibleName(", ".join(part for part in spoken if part))
        self.setAccessibleDescription(self._beginning.text())

    def _name_buttons(self) -> None:
        summary = self._entry.summary
        title = shown_title(summary.title)
        for deed, icon_name, words, key in (
            ("up", "chevron-up", self.tr("Move up"), "Alt+↑"),
            ("down", "chevron-down", self.tr("Move down"), "Alt+↓"),
            ("edit", "edit", self.tr("Edit summary"), "F2"),
            (
                "freeze",
                "sun" if summary.frozen else "snow",
                self.tr("Unfreeze summary") if summary.frozen else self.tr("Freeze summary"),
                "F",
            ),
            (
                "switch",
                "eye-off" if summary.enabled else "eye",
                self.tr("Turn summary off") if summary.enabled else self.tr("Turn summary on"),
                "O",
            ),
            ("more", "more", self.tr("More for this summary"), ""),
        ):
            button = self._buttons[deed]
            button.setIcon(icon(icon_name))
            button.setAccessibleName(words)
            button.setAccessibleDescription(title)
            button.setToolTip(f"{words} ({key})" if key else words)

    def _show_body(self) -> None:
        # A closed card does not lay out what nobody sees.
        if self._open and not self._editing and self._text.text() != self._entry.summary.text:
            self._text.setPlainText(self._entry.summary.text)
        self._beginning.setVisible(not self._open and not self._editing)
        self._text.setVisible(self._open or self._editing)
        self._text.setReadOnly(not self._editing)
        name = self.tr("Text of the summary")
        self._text.setAccessibleName(name if self._editing else self._title.text())
        self._name.setVisible(self._editing)
        self._save_row.setVisible(self._editing)
        self._title.setVisible(not self._editing)
        self._fold.setVisible(not self._editing)
        words = self.tr("Show less of the summary") if self._open else self.tr("Show the whole summary")
        self._fold.setIcon(icon("chevron-down" if self._open else "right"))
        self._fold.setAccessibleName(words)
        self._fold.setToolTip(words)

    def set_open(self, opened: bool) -> None:
        """Show the whole text, or its beginning."""
        self._open = opened
        self._show_body()

    def is_open(self) -> bool:
        """Return whether the whole text shows."""
        return self._open

    def set_ticked(self, on: bool) -> None:
        """Tick it, or not."""
        self._tick.setChecked(on)
        if on != self._selected:
            self._selected = on
            self.setProperty("selected", on)
            self.style().unpolish(self)
            self.style().polish(self)

    # ── editing ──────────────────────────────────────────────────────────────────────────────────────

    def edit(self) -> None:
        """Let title and text be edited where they stand."""
        if not self._editing:
            self._editing = True
            self._name.setText(shown_title(self._entry.summary.title))
            self._text.setPlainText(self._entry.summary.text)
            self._ask.hide()
            self._show_body()
        self._text.setFocus(Qt.FocusReason.OtherFocusReason)

    def _end(self, keep: bool) -> None:
        if not self._editing:
            return
        title, text = self._name.text(), self._text.text().strip()
        if keep and not text:
            return
        self._editing = False
        summary = self._entry.summary
        if title.strip() == shown_title(summary.title):
            title = summary.title
        if keep:
            self.saved.emit(summary.id, title, text)
        self.show_entry(self._entry)
        if keep and self._open:
            # What was written stays in sight while it is being stored.
            self._text.setPlainText(text)
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    # ── events ───────────────────────────────────────────────────────────────────────────────────────

    def _press(self, deed: str) -> None:
        if deed == "more":
            button = self._buttons["more"]
            self.menuRequested.emit(self._entry.id, button.mapToGlobal(button.rect().bottomLeft()))
        elif deed == "edit":
            self.edit()
        else:
            self.deedRequested.emit(deed, self._entry.id)

    def _show_strip(self) -> None:
        inside = self.isAncestorOf(focused) if (focused := self.window().focusWidget()) else False
        active = self.hasFocus() or (inside and self.isActiveWindow())
        self._strip.setVisible(self.underMouse() or active)

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self._show_strip()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._show_strip()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._show_strip()
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        QTimer.singleShot(0, self, self._show_strip)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.hasFocus():
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(current_theme().color("accent"), 1.4))
            radius = current_theme().radius("card")
            painter.drawRoundedRect(self.rect().adjusted(1, 1, -1, -1), radius, radius)
            painter.end()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and not self._editing:
            self.set_open(not self._open)
        super().mouseReleaseEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menuRequested.emit(self._entry.id, event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = current_keymap()
        deed = next((deed for deed in _KEYED if keys.matches(event, f"memories.{deed}")), None)
        alt = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()), 0)
        if not self.hasFocus():
            super().keyPressEvent(event)
        elif deed is not None:
            self._press("delete" if deed == "forget" else deed)
        elif step and alt:
            self._press("up" if step < 0 else "down")
        elif step:
            self.stepped.emit(self._entry.id, step)
        elif event.key() == Qt.Key.Key_Space:
            shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.ticked.emit(self._entry.id, not self._selected, shift)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.set_open(not self._open)
        else:
            super().keyPressEvent(event)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, super().minimumSizeHint().height())
