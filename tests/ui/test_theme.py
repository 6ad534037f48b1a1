"""Tokens, contrast, light and dark, icons."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontInfo, QIcon, QPalette
from PySide6.QtWidgets import QApplication, QCheckBox, QSpinBox, QToolButton
from pytestqt.qtbot import QtBot

from memdesk.ui.icons import icon, icon_names
from memdesk.ui.theme import CONTEXT_SOURCES, Theme, contrast, current_theme, load_tokens
from memdesk.ui.widgets.avatar import AVATAR_COLORS, avatar_color, initial

TEXT_ON = {
    "text": ["window", "surface", "raised", "sunken", "accent_soft"],
    "text_soft": ["window", "surface", "raised", "sunken"],
    "accent": ["window", "surface", "raised"],
    "on_accent": ["accent"],
    "speech": ["surface", "raised", "window"],
    "action": ["surface", "raised", "window"],
    "ok": ["ok_soft", "window", "surface"],
    "wait": ["wait_soft", "window", "surface"],
    "bad": ["bad_soft", "window", "surface", "raised"],
    "frozen": ["frozen_soft"],
}


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("text", list(TEXT_ON))
def test_every_text_can_be_read(text: str, dark: bool) -> None:
    colors = load_tokens().color
    for ground in TEXT_ON[text]:
        ratio = contrast(colors[text][dark], colors[ground][dark])
        assert ratio >= 4.5, f"{text} on {ground}: {ratio:.2f}"


def test_contrast_of_black_and_white_is_21() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)


def test_initials_can_be_read_on_every_avatar() -> None:
    assert all(contrast(color, "#FFFFFF") >= 4.5 for color in AVATAR_COLORS)


def test_avatars_are_stable_and_take_any_name() -> None:
    assert avatar_color("Mira") == avatar_color("Mira")
    for name in ["", "  ", "\n", "🙂", "艾莉亚", "é", "\ud800", "“Mira”"]:
        assert avatar_color(name) in AVATAR_COLORS
        assert initial(name)
    assert [initial(name) for name in ("mira", "艾莉亚", "“quoted”", "", "e\u0301va")] == [
        "M",
        "艾",
        "Q",
        "?",
        "É",
    ]


def test_every_prompt_source_has_a_colour() -> None:
    assert set(load_tokens().context) == set(CONTEXT_SOURCES)


def test_mode_changes_palette_sheet_and_tells(qtbot: QtBot) -> None:
    theme = current_theme()
    with qtbot.waitSignal(theme.changed):
        theme.setMode("dark")
    app = QApplication.instance()
    assert app.palette().color(QPalette.ColorRole.Window) == QColor(theme.tokens.color["window"][1])
    assert theme.tokens.color["line_strong"][1] in app.styleSheet()
    theme.setMode("light")
    assert app.palette().color(QPalette.ColorRole.Window) == QColor(theme.tokens.color["window"][0])


class _Hints(QObject):
    """Stands for the system: the offscreen platform has no colour scheme of its own."""

    colorSchemeChanged = Signal(Qt.ColorScheme)  # noqa: N815
    scheme = Qt.ColorScheme.Light

    def colorScheme(self) -> Qt.ColorScheme:  # noqa: N802
        return self.scheme

    def change(self, scheme: Qt.ColorScheme) -> None:
        self.scheme = scheme
        self.colorSchemeChanged.emit(scheme)


def test_system_mode_follows_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    hints = _Hints()
    monkeypatch.setattr("memdesk.ui.theme.theme.QGuiApplication.styleHints", lambda: hints)
    theme = Theme()
    changes = []
    theme.changed.connect(lambda: changes.append(theme.dark))
    hints.change(Qt.ColorScheme.Dark)
    hints.change(Qt.ColorScheme.Dark)
    hints.change(Qt.ColorScheme.Unknown)
    assert changes == [True, False]
    theme.setMode("dark")
    hints.change(Qt.ColorScheme.Light)
    assert theme.dark
    theme.setMode("system")
    assert not theme.dark


def test_reduced_motion() -> None:
    theme = Theme()
    theme.setReducedMotion(True)
    assert theme.duration("fast_ms") == 0
    theme.setReducedMotion(False)
    assert theme.duration("fast_ms") == 120


def test_fonts_have_real_families_and_chinese_fallbacks() -> None:
    theme = current_theme()
    font = theme.font("message")
    assert font.pixelSize() == 15
    assert QFontInfo(font).family() == font.families()[0]
    assert "Noto Sans CJK SC" in font.families()
    theme.setMessageSize(20)
    assert theme.font("message").pixelSize() == 20
    assert theme.message_line_height == 31
    theme.setMessageSize(15)


@pytest.mark.parametrize("name", sorted(icon_names()))
def test_every_icon_draws_something(name: str) -> None:
    image = icon(name).pixmap(QSize(16, 16), 2.0).toImage()
    assert image.size() == QSize(32, 32)
    assert any(image.pixelColor(x, y).alpha() > 128 for x in range(32) for y in range(32))


@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0])
def test_icons_are_crisp_at_every_scale(scale: float) -> None:
    pixmap = icon("search").pixmap(QSize(16, 16), scale)
    assert pixmap.width() == round(16 * scale)
    assert pixmap.devicePixelRatio() == scale


def _ink(button: QToolButton) -> QColor:
    image = button.icon().pixmap(QSize(32, 32)).toImage()
    return max(
        (image.pixelColor(x, y) for x in range(32) for y in range(32)), key=lambda color: color.alpha()
    )


def test_icons_take_the_colour_of_the_moment(qtbot: QtBot) -> None:
    theme = current_theme()
    button = QToolButton()
    qtbot.addWidget(button)
    button.setIcon(icon("plus", "accent"))
    assert _ink(button) == theme.color("accent")
    theme.setMode("dark")
    assert _ink(button) == theme.color("accent")
    assert theme.hex("accent") == theme.tokens.color["accent"][1]


def test_unknown_icons_are_an_error() -> None:
    with pytest.raises(KeyError):
        icon("../../etc/passwd")


def test_icon_copies_outlive_their_origin() -> None:
    copies = [QIcon(icon("send", "on_accent")) for _ in range(300)]
    assert all(not copy.pixmap(QSize(16, 16)).isNull() for copy in copies)


def test_a_disabled_icon_does_not_look_like_one_at_rest(qapp: QApplication) -> None:  # noqa: ARG001
    size = QSize(16, 16)
    at_rest = icon("trash").pixmap(size, QIcon.Mode.Normal).toImage()
    assert icon("trash").pixmap(size, QIcon.Mode.Disabled).toImage() != at_rest


@pytest.mark.parametrize("dark", [False, True])
def test_an_unticked_box_can_be_seen(qtbot: QtBot, dark: bool) -> None:
    colors = load_tokens().color
    assert contrast(colors["text_soft"][dark], colors["surface"][dark]) >= 3
    theme = current_theme()
    theme.apply()
    theme.setMode("dark" if dark else "light")
    box, number = QCheckBox("Recall"), QSpinBox()
    for widget in (box, number):
        qtbot.addWidget(widget)
        widget.resize(200, 30)
        widget.show()
    picture = box.grab().toImage()
    seen = {picture.pixelColor(x, picture.height() // 2).name() for x in range(20)}
    assert theme.color("text_soft").name() in seen
    assert number.lineEdit().x() >= 6
