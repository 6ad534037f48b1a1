"""The look at run time: light or dark, colours, fonts, spacing, motion.

Use
    theme = current_theme()                  the application's theme, made at first use
    theme.apply()                            Fusion, palette, font and style sheet for the QApplication
    theme.setMode("system" | "light" | "dark")
    theme.color("text_soft") -> QColor       theme.hex("text_soft") -> "#rrggbb"
    theme.context_color("memory") -> QColor
    theme.font("ui" | "strong" | "small" | "message" | "mono") -> QFont
    theme.space(3) -> 12     theme.size("avatar") -> 36     theme.radius("card") -> 8
    theme.duration("fast_ms") -> 120, or 0 when motion is reduced
    theme.changed                            signal: repaint, render texts again
Labels take a tone from the style sheet with `label.setProperty("tone", "soft" | "small" | "title" | …)`.
"""

from __future__ import annotations

from typing import Literal, cast

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from memdesk.ui.theme.stylesheet import style_sheet
from memdesk.ui.theme.tokens import Tokens, load_tokens

Mode = Literal["system", "light", "dark"]
FontRole = Literal["ui", "strong", "small", "message", "mono"]

CJK_FAMILIES = (
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "Source Han Sans SC",
    "PingFang SC",
    "Microsoft YaHei UI",
    "Microsoft YaHei",
    "WenQuanYi Micro Hei",
    "Noto Sans CJK TC",
    "PingFang TC",
    "Microsoft JhengHei UI",
    "Noto Sans CJK JP",
    "Hiragino Sans",
    "Yu Gothic UI",
    "Noto Sans CJK KR",
    "Malgun Gothic",
)
"""Tried in this order after the system's own font, so that Han characters get simplified Chinese shapes."""


class Theme(QObject):
    """Colours, fonts and measures of the current mode."""

    changed = Signal()

    def __init__(
        self, tokens: Tokens | None = None, mode: Mode = "system", parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.tokens = tokens or load_tokens()
        self._mode: Mode = mode
        self._reduced_motion: bool | None = None
        self._message_size = float(self.tokens.font["message_size"])
        self._fonts: dict[str, QFont] = {}
        self._colors: dict[str, QColor] = {}
        self._applied = False
        self._dark = self._wants_dark()
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._follow_system)

    # -- mode ---------------------------------------------------------------------------------------------

    @property
    def mode(self) -> Mode:
        """What the person chose."""
        return self._mode

    @property
    def dark(self) -> bool:
        """Whether the colours in use are the dark ones."""
        return self._dark

    def setMode(self, mode: Mode) -> None:
        """Choose light, dark or the system's scheme."""
        self._mode = mode
        self._refresh()

    def _wants_dark(self) -> bool:
        if self._mode == "system":
            return QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
        return self._mode == "dark"

    def _follow_system(self) -> None:
        if self._mode == "system":
            self._refresh()

    def _refresh(self) -> None:
        dark = self._wants_dark()
        if dark == self._dark:
            return
        self._dark = dark
        self._restyle()

    def _restyle(self) -> None:
        self._colors.clear()
        self._fonts.clear()
        if self._applied:
            self.apply()
        self.changed.emit()

    # -- values -------------------------------------------------------------------------------------------

    def hex(self, role: str) -> str:
        """Return a colour of tokens.json (`color`) as `#rrggbb`; KeyError for an unknown role."""
        return self.tokens.color[role][self._dark]

    def color(self, role: str) -> QColor:
        """Return a colour of tokens.json (`color`); KeyError for an unknown role."""
        found = self._colors.get(role)
        if found is None:
            found = self._colors[role] = QColor(self.hex(role))
        return found

    def context_hex(self, source: str) -> str:
        """Return the colour of a prompt source as `#rrggbb`; KeyError for an unknown source."""
        return self.tokens.context[source][self._dark]

    def context_color(self, source: str) -> QColor:
        """Return the colour of a prompt source, see `tokens.CONTEXT_SOURCES`."""
        return QColor(self.context_hex(source))

    def space(self, step: int) -> int:
        """Return a step (0 to 6) of the spacing scale, in pixels."""
        return self.tokens.space[step]

    def radius(self, name: str) -> int:
        """Return a corner radius: control, card or bubble."""
        return self.tokens.radius[name]

    def size(self, name: str) -> int:
        """Return a named size of tokens.json."""
        return self.tokens.size[name]

    # -- fonts --------------------------------------------------------------------------------------------

    @property
    def message_size(self) -> float:
        """The size of message text, in pixels."""
        return self._message_size

    def setMessageSize(self, pixels: float) -> None:
        """Set the size of message text, 10 to 40 pixels."""
        pixels = min(40.0, max(10.0, pixels))
        if pixels != self._message_size:
            self._message_size = pixels
            self._restyle()

    @property
    def message_line_height(self) -> int:
        """The height of a line of message text, in whole pixels."""
        return round(self._message_size * float(self.tokens.font["message_line_height"]))

    def font(self, role: FontRole) -> QFont:
        """Return a font: ui, strong, small, message or mono."""
        found = self._fonts.get(role)
        if found is None:
            found = self._fonts[role] = self._make_font(role)
        return QFont(found)

    def _make_font(self, role: FontRole) -> QFont:
        kind = QFontDatabase.SystemFont.FixedFont if role == "mono" else QFontDatabase.SystemFont.GeneralFont
        font = QFontDatabase.systemFont(kind)
        # A generic name such as "Sans Serif" is no family to Qt: with a list of families it would be skipped.
        font.setFamilies([QFontInfo(font).family(), *CJK_FAMILIES])
        small = float(self.tokens.font["small"])
        pixels = {"message": self._message_size, "small": small, "mono": self._message_size - 1.5}.get(
            role, float(self.tokens.font["ui_size"])
        )
        # Whole pixels: fractional pixel sizes exist only through points, whose size depends on the screen.
        font.setPixelSize(int(pixels + 0.5))
        if role == "strong":
            font.setWeight(QFont.Weight.DemiBold)
        return font

    # -- motion -------------------------------------------------------------------------------------------

    @property
    def reduced_motion(self) -> bool:
        """Whether things move at once: the person's choice, else whether the system shows effects."""
        if self._reduced_motion is not None:
            return self._reduced_motion
        return not QApplication.isEffectEnabled(Qt.UIEffect.UI_General)

    def setReducedMotion(self, reduced: bool | None) -> None:
        """Switch motion off or on; None follows the system."""
        self._reduced_motion = reduced

    def duration(self, name: str) -> int:
        """Return how long a motion lasts in milliseconds: fast_ms or normal_ms; 0 when motion is reduced."""
        return self.tokens.motion["reduced"] if self.reduced_motion else self.tokens.motion[name]

    # -- the application ----------------------------------------------------------------------------------

    def palette(self) -> QPalette:
        """Return the palette of the current mode."""
        palette = QPalette()
        role = QPalette.ColorRole
        for target, source in {
            role.Window: "window",
            role.WindowText: "text",
            role.Base: "surface",
            role.AlternateBase: "window",
            role.Text: "text",
            role.Button: "raised",
            role.ButtonText: "text",
            role.BrightText: "on_accent",
            role.ToolTipBase: "raised",
            role.ToolTipText: "text",
            role.PlaceholderText: "text_soft",
            role.Highlight: "accent",
            role.HighlightedText: "on_accent",
            role.Accent: "accent",
            role.Link: "accent",
            role.LinkVisited: "accent",
            role.Light: "line",
            role.Midlight: "line",
            role.Mid: "line_strong",
            role.Dark: "line_strong",
            role.Shadow: "sunken",
        }.items():
            palette.setColor(target, self.color(source))
        disabled = QPalette.ColorGroup.Disabled
        for target in (role.WindowText, role.Text, role.ButtonText):
            palette.setColor(disabled, target, self.color("text_soft"))
        palette.setColor(disabled, role.Highlight, self.color("line_strong"))
        return palette

    def apply(self) -> None:
        """Dress the QApplication: Fusion, palette, font, style sheet. Later changes are applied at once."""
        app = cast("QApplication", QApplication.instance())
        if not self._applied:
            app.setStyle("Fusion")
        self._applied = True
        app.setFont(self.font("ui"))
        app.setPalette(self.palette())
        app.setStyleSheet(style_sheet(self))


def current_theme() -> Theme:
    """Return the application's theme; made at first use, it lives as long as the QApplication."""
    app = QApplication.instance()
    if app is None:
        raise RuntimeError("The theme needs a QApplication.")
    found = app.findChild(Theme, "memdesk-theme", Qt.FindChildOption.FindDirectChildrenOnly)
    if found is None:
        found = Theme(parent=app)
        found.setObjectName("memdesk-theme")
    return found
