"""The right side: a tab for each panel; any of them can be a window of its own."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent, QMoveEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QTabBar, QToolButton, QVBoxLayout, QWidget

from memdesk.ui.icons import icon
from memdesk.ui.theme import current_theme
from memdesk.ui.window_state import packed, unpacked


class _Window(QWidget):
    """A panel outside the main window; closing it puts the panel back into its tab."""

    closed = Signal()
    changed = Signal()

    def moveEvent(self, event: QMoveEvent) -> None:
        super().moveEvent(event)
        self.changed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.changed.emit()

    def closeEvent(self, event: QCloseEvent) -> None:
        self.closed.emit()
        super().closeEvent(event)


class SidePanel(QWidget):
    """Holds the panels. Adding one is one call of `add`."""

    changed = Signal()
    """Another panel is in front, or one has gone out, moved, or come back"""
    opened = Signal(object)
    """The window of a panel that has gone out"""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("side-panel")
        self.setMinimumWidth(300)
        self._panels: list[tuple[str, QWidget]] = []
        self._titles: dict[str, str] = {}
        self._windows: dict[str, _Window] = {}
        self._bar = QTabBar(self)
        self._bar.setDrawBase(False)
        self._bar.setExpanding(False)
        self._bar.setUsesScrollButtons(True)
        self._bar.setElideMode(Qt.TextElideMode.ElideNone)
        self._bar.setAccessibleName(self.tr("Panels"))
        self._bar.currentChanged.connect(self._show_page)
        self._out = QToolButton(self)
        self._out.setIcon(icon("jump"))
        self._out.setAccessibleName(self.tr("Open panel in its own window"))
        self._out.setToolTip(self.tr("Open this panel in its own window"))
        self._out.clicked.connect(lambda: self.pop_out(self.current()))
        self._stack = QStackedWidget(self)
        row = QHBoxLayout()
        row.setContentsMargins(12, 8, 8, 0)
        row.addWidget(self._bar, 1)
        row.addWidget(self._out)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(0)
        box.addLayout(row)
        box.addWidget(self._stack, 1)

    def add(self, key: str, title: str, panel: QWidget) -> None:
        """Add a panel under a title; `key` names it in settings."""
        self._panels.append((key, panel))
        self._titles[key] = title
        self._stack.addWidget(panel)
        self._bar.addTab(title)

    def keys(self) -> list[str]:
        """Return the keys of all panels, in their order."""
        return [key for key, _panel in self._panels]

    def title(self, key: str) -> str:
        """Return the title of a panel."""
        return self._titles[key]

    def current(self) -> str:
        """Return the key of the panel that is shown, "" when all are out."""
        place = self._bar.currentIndex()
        return str(self._docked()[place][0]) if 0 <= place < len(self._docked()) else ""

    def show_panel(self, key: str) -> None:
        """Bring a panel to the front, wherever it is."""
        if key in self._windows:
            self._windows[key].show()
            self._windows[key].raise_()
            self._windows[key].activateWindow()
            return
        for place, (name, _panel) in enumerate(self._docked()):
            if name == key:
                self._bar.setCurrentIndex(place)

    def pop_out(self, key: str, where: str = "") -> None:
        """Make a panel a window of its own, at the place where it was once."""
        docked = self._docked()
        place = next((at for at, (name, _) in enumerate(docked) if name == key), -1)
        if place < 0:
            return
        panel = docked[place][1]
        title = self._bar.tabText(place)
        window = _Window(self.window(), Qt.WindowType.Window)
        window.setWindowTitle(f"{title} — memdesk")
        window.resize(current_theme().size("right") + 60, 700)
        if where:
            window.restoreGeometry(unpacked(where))
        box = QVBoxLayout(window)
        box.setContentsMargins(0, 8, 0, 0)
        self._stack.removeWidget(panel)
        self._windows[key] = window
        self._bar.removeTab(place)
        box.addWidget(panel)
        panel.show()
        window.closed.connect(lambda: self._put_back(key, title, panel))
        window.changed.connect(self.changed)
        self.opened.emit(window)
        window.show()
        self._out.setEnabled(bool(self._docked()))
        self.changed.emit()

    def _put_back(self, key: str, title: str, panel: QWidget) -> None:
        window = self._windows.pop(key)
        place = [name for name, _ in self._docked()].index(key)
        self._stack.insertWidget(place, panel)
        self._bar.insertTab(place, title)
        self._bar.setCurrentIndex(place)
        self._show_page(place)
        self._out.setEnabled(True)
        window.deleteLater()
        self.changed.emit()

    def _docked(self) -> list[tuple[str, QWidget]]:
        return [(key, panel) for key, panel in self._panels if key not in self._windows]

    def _show_page(self, place: int) -> None:
        docked = self._docked()
        if 0 <= place < len(docked):
            self._stack.setCurrentWidget(docked[place][1])
            self.changed.emit()

    def standing(self) -> dict[str, object]:
        """Return which panel is in front, and which are out and where, for `restore`."""
        out = {key: packed(window.saveGeometry()) for key, window in self._windows.items()}
        return {"front": self.current(), "out": out}

    def restore(self, standing: Mapping[str, object]) -> None:
        """Show what was shown when the window was closed; what is no such thing is passed over."""
        out = standing.get("out")
        for key, where in out.items() if isinstance(out, dict) else ():
            self.pop_out(str(key), str(where))
        self.show_panel(str(standing.get("front", "")))

    def close_windows(self) -> None:
        """Close panels that are windows of their own, without putting them back."""
        for window in list(self._windows.values()):
            window.blockSignals(True)
            window.close()
