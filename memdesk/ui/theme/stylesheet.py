"""The one application style sheet, written from the tokens.

Dynamic properties it knows, set with `widget.setProperty(name, value)`:
    QLabel        tone = soft | small | title | strong | bad | wait
    QFrame        panel = window | surface | raised | rule | card      (card also: selected = true)
    QPushButton   kind = primary | quiet | danger               (plain push buttons need no property)
    QToolButton   kind = bordered | primary | pill              (plain tool buttons are flat)
"""

from __future__ import annotations

from string import Template
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memdesk.ui.theme.theme import Theme

_SHEET = Template("""
QToolTip { background: $raised; color: $text; border: 1px solid $line_strong; padding: 5px 7px; }
QMainWindow, QDialog { background: $window; }
QLabel[tone="soft"] { color: $text_soft; }
QLabel[tone="small"] { color: $text_soft; font-size: ${small}px; }
QLabel[tone="strong"] { font-weight: 600; }
QLabel[tone="title"] { font-size: 17px; font-weight: 600; }
QLabel[tone="bad"] { color: $bad; }
QLabel[tone="wait"] { color: $wait; }
QFrame[panel="window"] { background: $window; }
QFrame[panel="surface"] { background: $surface; }
QFrame[panel="rule"] { background: $line; border: none; max-height: 1px; min-height: 1px; }
QFrame[panel="raised"] { background: $raised; }
QFrame[panel="card"] { background: $raised; border: 1px solid $line; border-radius: ${card}px; }
QFrame[panel="card"][selected="true"] { border: 2px solid $accent; }

QPushButton {
  background: $raised; color: $text; border: 1px solid $line_strong; border-radius: ${control}px;
  min-height: 18px; padding: 4px 12px;
}
QPushButton:hover { background: $accent_soft; }
QPushButton:pressed { background: $sunken; }
QPushButton:focus { border-color: $accent; }
QPushButton:disabled { color: $text_soft; background: $window; border-color: $line; }
QPushButton[kind="primary"], QPushButton:default {
  background: $accent; color: $on_accent; border-color: $accent;
}
QPushButton[kind="primary"]:focus, QPushButton:default:focus { border-color: $text; }
QPushButton[kind="primary"]:disabled { background: $line; color: $text_soft; border-color: $line; }
QPushButton[kind="danger"] { color: $bad; border-color: $bad; background: $surface; }
QPushButton[kind="quiet"] {
  background: transparent; border-color: transparent; color: $accent; padding: 4px 8px;
}
QPushButton[kind="quiet"]:hover { background: $accent_soft; }
QPushButton[kind="quiet"]:focus { border-color: $accent; }

QToolButton {
  background: transparent; color: $text_soft; border: 1px solid transparent; border-radius: ${control}px;
  padding: 4px; min-width: 18px; min-height: 18px;
}
QToolButton:hover { background: $accent_soft; color: $text; }
QToolButton:pressed, QToolButton:checked { background: $accent_soft; color: $text; }
QToolButton:focus { border-color: $accent; }
QToolButton::menu-indicator { image: none; width: 0; }
QLineEdit > QToolButton { min-width: 0; min-height: 0; padding: 0; border: none; }
QToolButton[kind="bordered"] { border-color: $line; background: $surface; }
QToolButton[kind="bordered"]:focus { border-color: $accent; }
QToolButton[kind="primary"] {
  background: $accent; color: $on_accent; border: 2px solid $accent; padding: 3px;
}
QToolButton[kind="primary"]:hover { background: $accent; border-color: $accent_soft; }
QToolButton[kind="primary"]:focus { border-color: $text; }
QToolButton[kind="primary"]:disabled { background: $line; border-color: $line; }
QToolButton[kind="pill"] {
  background: $raised; color: $text; border: 1px solid $line_strong; border-radius: 14px; padding: 4px 12px;
}
QToolButton[kind="pill"]:focus { border-color: $accent; }

QLineEdit, QPlainTextEdit, QTextEdit, QSpinBox, QDoubleSpinBox, QComboBox {
  background: $surface; color: $text; border: 1px solid $line; border-radius: ${control}px;
  padding: 4px 8px; selection-background-color: $accent; selection-color: $on_accent;
  placeholder-text-color: $text_soft;
}
QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox { min-height: 20px; }
QSpinBox QLineEdit, QDoubleSpinBox QLineEdit {
  background: transparent; border: none; padding: 0 6px; min-height: 0; border-radius: 0;
}
QSpinBox::up-button, QSpinBox::down-button, QDoubleSpinBox::up-button, QDoubleSpinBox::down-button {
  width: 9px; height: 0; border: none; subcontrol-origin: border; subcontrol-position: center left;
}
QCheckBox::indicator:unchecked, QRadioButton::indicator:unchecked, QListView::indicator:unchecked,
QTreeView::indicator:unchecked {
  width: 12px; height: 12px; border: 1px solid $text_soft; border-radius: 3px; background: $surface;
}
QRadioButton::indicator:unchecked { border-radius: 7px; }
QCheckBox::indicator:unchecked:disabled, QRadioButton::indicator:unchecked:disabled {
  border-color: $line_strong; background: $window;
}
QCheckBox::indicator:unchecked:hover { border-color: $accent; }
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus,
QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus {
  border-color: $accent;
}
QComboBox QAbstractItemView { background: $raised; border: 1px solid $line_strong; }
QPlainTextEdit[bare="true"], QTextBrowser[bare="true"] {
  background: transparent; border: none; padding: 0; border-radius: 0;
}

QTabWidget::pane { border: none; border-top: 1px solid $line; }
QTabBar { background: $window; }
QTabBar::tab {
  background: transparent; color: $text_soft; padding: 8px 9px 9px; border: none;
  border-bottom: 2px solid transparent;
}
QTabBar::tab:selected { color: $text; border-bottom-color: $accent; }
QTabBar::tab:hover { color: $text; }
QTabBar::tab:focus { color: $accent; }

QListView, QTreeView, QTableView { background: $window; border: none; outline: none; }
QListView::item, QTreeView::item { min-height: 32px; border-radius: ${card}px; color: $text; }
QListView::item:selected, QTreeView::item:selected { background: $accent_soft; color: $text; }
QHeaderView::section {
  background: $window; color: $text_soft; border: none; border-bottom: 1px solid $line; padding: 4px 8px;
}

QMenu { background: $raised; border: 1px solid $line_strong; padding: 4px; }
QMenu::item { padding: 6px 22px 6px 10px; border-radius: 4px; color: $text; }
QMenu::item:selected { background: $accent_soft; }
QMenu::item:disabled { color: $text_soft; }
QMenu::icon { padding-left: 6px; }
QMenu::separator { height: 1px; background: $line; margin: 4px 6px; }
QMenuBar { background: $window; }
QMenuBar::item { padding: 4px 8px; border-radius: 4px; }
QMenuBar::item:selected { background: $accent_soft; }

QScrollArea, QScrollArea > QWidget > QWidget[panel="none"] { background: transparent; border: none; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: $line; border-radius: 4px; margin: 1px; }
QScrollBar::handle:vertical { min-height: 36px; }
QScrollBar::handle:horizontal { min-width: 36px; }
QScrollBar::handle:hover, QScrollBar::handle:pressed { background: $line_strong; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

QSplitter::handle { background: $line; }
QSplitter::handle:horizontal { width: 1px; }
QSplitter::handle:vertical { height: 1px; }
QStatusBar { background: $window; border-top: 1px solid $line; color: $text_soft; }
QStatusBar::item { border: none; }
QProgressBar { background: $sunken; border: none; border-radius: 4px; max-height: 8px; text-align: center; }
QProgressBar::chunk { background: $accent; border-radius: 4px; }
QDockWidget { color: $text; }
QDockWidget::title { background: $window; padding: 6px 10px; }
""")


def style_sheet(theme: Theme) -> str:
    """Return the style sheet for the theme's current mode."""
    values: dict[str, object] = {role: theme.hex(role) for role in theme.tokens.color}
    values |= {name: theme.radius(name) for name in theme.tokens.radius}
    values["small"] = int(float(theme.tokens.font["small"]) + 0.5)
    return _SHEET.substitute(values)
