"""The characters of the left side: pictures or rows, sorted, filtered, and what can be done with one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLabel,
    QMenu,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from memdesk.ui.icons import icon
from memdesk.ui.models.gallery import ORDERS, GalleryModel, GalleryRow, Order
from memdesk.ui.models.people import Role
from memdesk.ui.pictures import Pictures
from memdesk.ui.widgets.flow_layout import FlowLayout
from memdesk.ui.widgets.gallery_view import GalleryView
from memdesk.ui.widgets.once import OncePushButton
from memdesk.ui.widgets.tag_picker import TagPicker
from memdesk.ui.window_state import WindowState

MOST_CHIPS: Final = 12
"""Tags shown above the list one by one; the others are counted."""
LONGEST_CHIP: Final = 24


class CharactersPage(QWidget):
    """The gallery. How it is arranged is kept in the window's state."""

    newChatRequested = Signal(int)
    editRequested = Signal(int)
    deleteRequested = Signal(int)
    duplicateRequested = Signal(int)
    exportRequested = Signal(int)
    favouriteRequested = Signal(int, bool)

    def __init__(self, pictures: Pictures, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state: WindowState | None = None
        self._counts: list[tuple[str, int]] = []
        self._loaded = False
        self.model = GalleryModel(pictures, self)
        self.view = GalleryView(self.model, pictures, self.tr("Characters"), self)
        self._picker: TagPicker | None = None
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(0)
        box.addLayout(self._tools())
        box.addWidget(self._chip_row())
        self._hint = self._label(
            self.tr("No characters yet. Create one, or drop a character card (PNG or JSON) here.")
        )
        self._nothing = self._label(self.tr("No character fits."))
        box.addWidget(self._hint)
        box.addWidget(self._nothing)
        box.addWidget(self.view, 1)
        box.addWidget(self._actions_row())
        self.view.chosen.connect(self.newChatRequested)
        self.view.deleteRequested.connect(self.deleteRequested)
        self.view.menuRequested.connect(self._menu)
        self.view.marked.connect(self._mark)
        self.model.modelReset.connect(self._show_counts)

    # ── layout ───────────────────────────────────────────────────────────────────────────────────────

    def _label(self, text: str) -> QLabel:
        label = QLabel(text, self)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        label.setProperty("tone", "soft")
        label.setContentsMargins(18, 12, 18, 12)
        label.setVisible(False)
        return label

    def _tools(self) -> QHBoxLayout:
        self._sort = self._tool("sort", self.tr("Sort"))
        self._sort.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._sort.setMenu(self._sort_menu())
        self._tags = self._tool("tag", self.tr("Filter by tag"))
        self._tags.clicked.connect(self.choose_tags)
        self._stars = self._tool("star", self.tr("Only favourites"))
        self._stars.setCheckable(True)
        self._stars.toggled.connect(lambda on: self._arrange(favourites_only=on))
        self._grid = self._tool("grid", self.tr("Pictures side by side"))
        self._grid.setCheckable(True)
        self._grid.toggled.connect(self._set_grid)
        self._count = QLabel(self)
        self._count.setTextFormat(Qt.TextFormat.PlainText)
        self._count.setProperty("tone", "small")
        row = QHBoxLayout()
        row.setContentsMargins(12, 0, 12, 4)
        row.setSpacing(2)
        for part in (self._sort, self._tags, self._stars):
            row.addWidget(part)
        row.addStretch(1)
        row.addWidget(self._count)
        row.addWidget(self._grid)
        return row

    def _tool(self, picture: str, name: str) -> QToolButton:
        button = QToolButton(self)
        button.setIcon(icon(picture))
        button.setIconSize(QSize(16, 16))
        button.setMinimumSize(28, 28)
        button.setAccessibleName(name)
        button.setToolTip(name)
        return button

    def _sort_menu(self) -> QMenu:
        menu = QMenu(self._sort)
        group = QActionGroup(menu)
        words = {
            "name": self.tr("By name"),
            "newest": self.tr("Newest first"),
            "last_chat": self.tr("Last chat first"),
        }
        self._orders: dict[Order, QAction] = {}
        for order in ORDERS:
            action = QAction(words[order], menu)
            action.setCheckable(True)
            action.triggered.connect(partial(self._take_order, order))
            group.addAction(action)
            menu.addAction(action)
            self._orders[order] = action
        menu.addSeparator()
        self._first = QAction(self.tr("Favourites before all others"), menu)
        self._first.setCheckable(True)
        self._first.triggered.connect(lambda on: self._arrange(favourites_first=on))
        menu.addAction(self._first)
        return menu

    def _chip_row(self) -> QWidget:
        self._chips = QWidget(self)
        self._chip_flow = FlowLayout(across=4, down=2)
        box = QHBoxLayout(self._chips)
        box.setContentsMargins(12, 0, 12, 4)
        box.addLayout(self._chip_flow, 1)
        self._chips.hide()
        return self._chips

    def _actions_row(self) -> QWidget:
        """Return what can be done with the character that is marked."""
        self._actions = QWidget(self)
        row = QHBoxLayout(self._actions)
        row.setContentsMargins(12, 4, 12, 8)
        row.setSpacing(8)
        for text, kind, signal in (
            (self.tr("New chat"), "primary", self.newChatRequested),
            (self.tr("Edit…"), "", self.editRequested),
        ):
            button = OncePushButton(text, self._actions)
            button.setAccessibleName(text)
            button.setProperty("kind", kind)
            button.clicked.connect(lambda _=False, signal=signal: signal.emit(self.view.current_id() or 0))
            row.addWidget(button, 1)
        self._more = self._tool("more", self.tr("More about this character"))
        self._more.clicked.connect(
            lambda: self._menu(
                self.view.current_id() or 0, self._more.mapToGlobal(self._more.rect().topLeft())
            )
        )
        row.addWidget(self._more)
        self._actions.setVisible(False)
        return self._actions

    # ── data ─────────────────────────────────────────────────────────────────────────────────────────

    def open(self, state: WindowState) -> None:
        """Arrange everything as it was when the window was closed."""
        kept = state.get("gallery.order", "name")
        order: Order = next((one for one in ORDERS if one == kept), "name")
        tags = [tag for tag in state.get("gallery.tags", []) if isinstance(tag, str)]
        first, only = state.get("gallery.favourites_first", True), state.get("gallery.favourites_only", False)
        self.model.arrange(order=order, favourites_first=first, favourites_only=only, tags=tags)
        self._orders[order].setChecked(True)
        self._first.setChecked(first)
        self._stars.setChecked(only)
        self._grid.setChecked(state.get("gallery.grid", True))
        self._show_chips()
        self._state = state

    def set_rows(self, rows: Sequence[GalleryRow], counts: Sequence[tuple[str, int]]) -> None:
        """Show other characters."""
        self._loaded = True
        self._counts = list(counts)
        self.model.set_rows(rows)
        self._show_counts()

    def _arrange(
        self,
        *,
        order: Order | None = None,
        favourites_first: bool | None = None,
        favourites_only: bool | None = None,
        tags: list[str] | None = None,
    ) -> None:
        self.model.arrange(
            order=order, favourites_first=favourites_first, favourites_only=favourites_only, tags=tags
        )
        self._keep()

    def _take_order(self, order: Order) -> None:
        self._arrange(order=order)

    def _set_grid(self, grid: bool) -> None:
        self.view.set_grid(grid)
        self._keep()

    def _keep(self) -> None:
        if self._state is not None:
            model = self.model
            self._state.set("gallery.order", model.order)
            self._state.set("gallery.favourites_first", model.favourites_first)
            self._state.set("gallery.favourites_only", model.favourites_only)
            self._state.set("gallery.tags", list(model.tags))
            self._state.set("gallery.grid", self.view.grid)

    def _show_counts(self) -> None:
        shown, total = self.model.rowCount(), self.model.total
        self._hint.setVisible(self._loaded and not total)
        self._nothing.setVisible(bool(total) and not shown)
        number = self.locale().toString
        words = self.tr("{shown} of {total}").format(shown=number(shown), total=number(total))
        self._count.setText((words if self.model.narrowed else number(total)) if total else "")
        self._count.setAccessibleName(words)

    # ── tags ─────────────────────────────────────────────────────────────────────────────────────────

    def choose_tags(self) -> None:
        """Let tags be ticked; a character must have every one."""
        if self._picker is None:
            self._picker = TagPicker(self)
            self._picker.chosen.connect(self._take_tags)
        place = self._tags.mapToGlobal(self._tags.rect().bottomLeft())
        self._picker.open(self._counts, self.model.tags, place)

    def _take_tags(self, tags: list[str]) -> None:
        self._arrange(tags=tags)
        self._show_chips()

    def _show_chips(self) -> None:
        while (item := self._chip_flow.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        tags = self.model.tags
        for tag in tags[:MOST_CHIPS]:
            self._chip(tag if len(tag) <= LONGEST_CHIP else tag[:LONGEST_CHIP] + "…", tag)
        if len(tags) > MOST_CHIPS:
            self._chip(self.tr("and %n more", "", len(tags) - MOST_CHIPS), "")
        self._chips.setVisible(bool(tags))
        self._tags.setIcon(icon("tag", "accent" if tags else "text_soft"))

    def _chip(self, text: str, tag: str) -> None:
        chip = QToolButton(self._chips)
        # An ampersand alone would underline the letter after it.
        chip.setText(text.replace("\n", " ").replace("&", "&&"))
        chip.setIcon(icon("close"))
        chip.setIconSize(QSize(12, 12))
        chip.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        chip.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        chip.setProperty("kind", "bordered")
        chip.setAccessibleName(self.tr("Take the tag {tag} off").format(tag=text))
        left = (
            [other for other in self.model.tags if other != tag]
            if tag
            else list(self.model.tags[:MOST_CHIPS])
        )
        chip.clicked.connect(lambda: self._drop_chip(left))
        self._chip_flow.addWidget(chip)
        chip.show()

    def _drop_chip(self, left: list[str]) -> None:
        self._take_tags(left)
        self._tags.setFocus()

    # ── one character ────────────────────────────────────────────────────────────────────────────────

    def marked(self) -> int | None:
        """Return the id of the character that is marked and in sight."""
        return self.view.current_id() if self.view.isVisible() and self._actions.isVisible() else None

    def is_favourite(self, character_id: int) -> bool:
        """Return whether a character that is shown is a favourite."""
        row = self.model.row_of(character_id)
        return row >= 0 and bool(self.model.index(row).data(Role.FAVOURITE))

    def _mark(self, character_id: int) -> None:
        focus = QApplication.focusWidget()
        if not character_id and focus is not None and self._actions.isAncestorOf(focus):
            self.view.setFocus()
        self._actions.setVisible(bool(character_id))

    def _menu(self, character_id: int, place: QPoint) -> None:
        if not character_id:
            return
        favourite = self.is_favourite(character_id)
        star = self.tr("No longer a favourite") if favourite else self.tr("Make a favourite")
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for text, run in (
            (self.tr("New chat"), partial(self.newChatRequested.emit, character_id)),
            (self.tr("Edit…"), partial(self.editRequested.emit, character_id)),
            (star, partial(self.favouriteRequested.emit, character_id, not favourite)),
            (self.tr("Duplicate"), partial(self.duplicateRequested.emit, character_id)),
            (self.tr("Export…"), partial(self.exportRequested.emit, character_id)),
            ("", None),
            (self.tr("Delete"), partial(self.deleteRequested.emit, character_id)),
        ):
            if run is None:
                menu.addSeparator()
            else:
                menu.addAction(text).triggered.connect(lambda _=False, run=run: run())
        menu.popup(place)
