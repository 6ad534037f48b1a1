"""The window in Chinese and in English: complete, exact, up to date, and chosen as people choose it."""

from __future__ import annotations

import ast
import re
import shutil
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from devtools import commands, translations
from devtools.environment import ROOT, Environment
from devtools.errors import SetupError
from PySide6.QtCore import QCoreApplication, QDate, QDateTime, QLocale, QTime, QTranslator
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QLineEdit, QListView, QMenu

from memdesk.chats.model import SwipeState
from memdesk.ui.app import translate
from memdesk.ui.dates import short_day, short_moment
from memdesk.ui.models.memories import MemoryModel
from memdesk.ui.panels.receipt_view import ReceiptView
from memdesk.ui.widgets.composer import Composer
from memdesk.ui.widgets.state_line import StateLine
from tests.support.fake_llm import FakeLLM, Fault
from tests.ui.windows import Desk, OpenDesk, desk_fixture, server_fixture

__all__ = ["desk_fixture", "server_fixture"]

SOURCES = sorted((ROOT / translations.SOURCES).rglob("*.py"))
PLACE = re.compile(r"%n|%\d|\{\{?\w*(?::[^}]*)?\}\}?")
HAN = re.compile(r"[\u4e00-\u9fff]")
WORD = re.compile(r"[A-Za-z][A-Za-z0-9.]*[A-Za-z0-9]")

LATIN = {
    *("Alt", "Del"),
    # Kinds of files, and what stands in them.
    *("Office", "DOCX", "XLSX", "PPTX", "DOCTYPE"),
    *(
        "memdesk",
        "token",
        "API",
        "Alt",
        "JSON",
        "summary",
        "title",
        "PNG",
        "json",
        "png",
        "JPEG",
        "WebP",
        "GIF",
        "ZIP",
        "PDF",
        "MiB",
        "base64",
    ),
    *(
        "Unicode",
        "ONNX",
        "Runtime",
        "OpenAI",
        "TLS",
        "http",
        "https",
        "GNU",
        "AGPL",
        "null",
        "START",
        "Chroma",
    ),
    *("Enter", "Shift", "Ctrl", "Esc", "Min", "Top", "keys.json", "backups", "mirostat", "V3", "v1"),
    *("Marinara", "Engine", "wal", "MB", "Del", "multilingual", "e5", "small"),
}
"""Words that Chinese readers know by these letters: names, keys, formats."""

ALIKE = {"d MMM", "d MMM yyyy"}
"""Patterns of dates, whose letters are no words."""

UNTRANSLATED = {
    "English": "a language is named in itself",
    "memdesk": "a name",
    "http://127.0.0.1:11434/v1": "an address",
}

SHOWERS = {
    *("setText", "setToolTip", "setWindowTitle", "setPlaceholderText", "setAccessibleName"),
    *("setAccessibleDescription", "setInformativeText", "setLabelText", "setTitle", "setStatusTip"),
    *("setWhatsThis", "addAction", "addItem", "addTab", "say", "plain_label", "push_button", "QLabel"),
    *("QPushButton", "QAction", "QCheckBox", "QRadioButton", "QGroupBox", "Field", "Notice", "set_hint"),
    *("set_error", "refuse", "setEmptyText", "setText", "drawText"),
}
"""Calls whose text a person sees or hears."""


class _Entry:
    def __init__(self, context: str, message: ET.Element) -> None:
        self.context = context
        self.source = message.findtext("source") or ""
        found = message.find("translation")
        assert found is not None
        self.finished = found.get("type") is None
        self.plural = message.get("numerus") == "yes"
        self.forms = [form.text or "" for form in found.iter("numerusform")] or [found.text or ""]

    def __repr__(self) -> str:
        return f"{self.context}: {self.source!r} → {self.forms}"


def _entries(locale: str) -> list[_Entry]:
    root = ET.parse(ROOT / translations.FOLDER / f"memdesk_{locale}.ts").getroot()
    return [
        _Entry(context.findtext("name") or "", message)
        for context in root.iter("context")
        for message in context.iter("message")
    ]


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> Environment:
    """The project, with the Python that runs the tests."""
    monkeypatch.setattr(Environment, "python", property(lambda _self: Path(sys.executable)))
    return Environment(ROOT)


@pytest.fixture
def app(qapp: QApplication) -> Iterator[QApplication]:
    """The application, without a language afterwards."""
    yield qapp
    for translator in qapp.findChildren(QTranslator):
        qapp.removeTranslator(translator)
        translator.setParent(None)


# ── the files ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("locale", sorted(translations.LANGUAGES))
def test_the_files_are_those_that_the_sources_make(
    locale: str, environment: Environment, tmp_path: Path
) -> None:
    kept = ROOT / translations.FOLDER / f"memdesk_{locale}.ts"
    ts = tmp_path / kept.name
    shutil.copy(kept, ts)
    translations.collect(environment, locale, ts)
    assert ts.read_bytes() == kept.read_bytes(), "run `python3 packaging/dev.py translations`"
    translations.compile_file(environment, ts, ts.with_suffix(".qm"))
    assert ts.with_suffix(".qm").read_bytes() == kept.with_suffix(".qm").read_bytes()


@pytest.mark.usefixtures("environment")
def test_the_command_keeps_what_is_translated_and_drops_what_is_gone(tmp_path: Path) -> None:
    source = tmp_path / translations.SOURCES / "window.py"
    source.parent.mkdir(parents=True)
    body = "class Window(Base):\n    def show(self, n):\n        return {}\n"
    source.write_text(body.format('self.tr("Open"), self.tr("%n cat(s)", "", n)'), encoding="utf-8")
    assert translations.update(Environment(tmp_path)) == 0
    folder = tmp_path / translations.FOLDER
    chinese, english = folder / "memdesk_zh_CN.ts", folder / "memdesk_en.ts"
    assert "%n cat(s)" in english.read_text(encoding="utf-8")
    assert "Open" not in english.read_text(encoding="utf-8")
    blank = '<source>Open</source>\n        <translation type="unfinished"></translation>'
    done = "<source>Open</source>\n        <translation>打开</translation>"
    text = chinese.read_text(encoding="utf-8")
    assert blank in text
    assert str(tmp_path) not in text
    chinese.write_text(text.replace(blank, done), encoding="utf-8")

    source.write_text(body.format('self.tr("Close"), self.tr("Open")'), encoding="utf-8")
    translations.update(Environment(tmp_path))
    made = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert done.encode() in made["memdesk_zh_CN.ts"]
    assert b"cat(s)" not in made["memdesk_zh_CN.ts"]
    translator = QTranslator()
    assert translator.load(str(folder / "memdesk_zh_CN.qm"))
    assert translator.translate("Window", "Open") == "打开"
    assert not translator.translate("Window", "Close")
    translations.update(Environment(tmp_path))
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == made


def test_the_command_takes_no_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.main(["translations", "zh_CN"]) == 2
    assert "dev.py translations" in capsys.readouterr().err


@pytest.mark.usefixtures("environment")
def test_a_source_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SetupError):
        translations.compile_file(Environment(ROOT), tmp_path / "none.ts", tmp_path / "none.qm")


def test_nothing_of_the_machine_is_in_the_files() -> None:
    for ts in (ROOT / translations.FOLDER).glob("*.ts"):
        assert "<location" not in ts.read_text(encoding="utf-8")


def test_everything_is_said_in_chinese() -> None:
    missing = [entry for entry in _entries("zh_CN") if not entry.finished or not all(entry.forms)]
    assert not missing


def test_placeholders_are_kept() -> None:
    wrong = [
        entry
        for entry in _entries("zh_CN")
        for form in entry.forms
        # A value that is named twice may be said once, but none may be missing or new.
        if set(PLACE.findall(form)) != set(PLACE.findall(entry.source))
    ]
    assert not wrong


def test_no_english_is_left() -> None:
    wrong = []
    for entry in _entries("zh_CN"):
        if entry.source in ALIKE:
            continue
        for form in entry.forms:
            bare = re.sub(r"https?://\S*?(?=[\s\u3000-\uffef]|$)|\\n", " ", PLACE.sub(" ", form))
            left = {word for word in WORD.findall(bare) if word not in LATIN}
            if left:
                wrong.append((entry, left))
    assert not wrong


def test_punctuation_is_chinese() -> None:
    narrow = re.compile(r"[\u4e00-\u9fff\u201d\uff09][,;:!?()](?!\d)|[\u4e00-\u9fff]\.(?!\w)|\.\.\.")
    ends = {".": "。", "?": "？", ":": "：", "…": "…"}
    wrong = []
    for entry in _entries("zh_CN"):
        for form in entry.forms:
            wanted = ends.get(entry.source[-1:])
            if narrow.search(PLACE.sub("", form)) or (wanted and not form.endswith(wanted)):
                wrong.append(entry)
    assert not wrong


def test_one_english_word_has_one_chinese_name() -> None:
    names: dict[str, set[str]] = {}
    for entry in _entries("zh_CN"):
        names.setdefault(entry.source, set()).update(entry.forms)
    several = {source: found for source, found in names.items() if len(found) > 1}
    # A character has a name as people have, a connection as files have; a message is one, or a notice; a
    # first message greets, or begins a range; what describes a character is longer than what does a persona.
    assert set(several) <= {"Name", "Message", "First message", "Description"}


def test_english_has_its_plurals() -> None:
    entries = _entries("en")
    assert entries
    assert all(entry.plural and entry.finished and len(entry.forms) == 2 for entry in entries)
    assert all("(s)" not in form for entry in entries for form in entry.forms)


# ── the sources ──────────────────────────────────────────────────────────────────────────────────────────


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _calls(path: Path) -> Iterator[tuple[ast.Call, str]]:
    """Yield every call of a file with the name of the class it stands in."""

    def walk(node: ast.AST, inside: str) -> Iterator[tuple[ast.Call, str]]:
        if isinstance(node, ast.ClassDef):
            inside = node.name
        if isinstance(node, ast.Call):
            yield node, inside
        for child in ast.iter_child_nodes(node):
            yield from walk(child, inside)

    yield from walk(ast.parse(path.read_text(encoding="utf-8")), "")


def test_every_sentence_of_the_sources_is_found() -> None:
    """lupdate reads tokens, not Python: what it overlooked would stay English for ever."""
    said: set[tuple[str, str]] = set()
    for path in SOURCES:
        for call, inside in _calls(path):
            arguments = [item.value if isinstance(item, ast.Constant) else None for item in call.args]
            name = _name(call)
            if name == "tr":
                assert isinstance(arguments[0], str), f"{path.name}:{call.lineno} is not a plain text"
                said.add((inside, arguments[0]))
            elif name in ("translate", "QT_TRANSLATE_NOOP") and all(
                isinstance(item, str) for item in arguments[:2]
            ):
                said.add((str(arguments[0]), str(arguments[1])))
    found = {(entry.context, entry.source) for entry in _entries("zh_CN")}
    assert said == found
    assert len(said) > 500


def _texts(node: ast.AST) -> Iterator[str]:
    """Yield the texts of an expression that are not handed to a call."""
    if isinstance(node, ast.Call):
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    for child in ast.iter_child_nodes(node):
        if not isinstance(node, ast.Subscript | ast.Compare):
            yield from _texts(child)


def test_no_visible_text_is_written_in_english_alone() -> None:
    wrong = []
    for path in SOURCES:
        for call, _ in _calls(path):
            if _name(call) not in SHOWERS:
                continue
            for argument in call.args:
                for text in _texts(argument):
                    looks_written = re.search(r"[A-Z][a-z]+|[a-z]+ [a-z]+|^[a-z]+:", text)
                    known = text.strip(" —") in UNTRANSLATED or text == "Vectorized"
                    if looks_written and not known:
                        wrong.append(f"{path.name}:{call.lineno} {text!r}")
    assert not wrong


# ── the application ──────────────────────────────────────────────────────────────────────────────────────


def _hello(app: QApplication, language: str) -> tuple[str, str]:
    translate(app, language)
    return (
        QCoreApplication.translate("MainWindow", "Memories"),
        QCoreApplication.translate("ChatPanel", "%n message(s)", "", 2),
    )


@pytest.mark.parametrize("language", ["en", "de_DE", "fr", "ja_JP", "zh_TW", "zh_HK", "zh_Hant"])
def test_a_language_that_is_not_spoken_gets_whole_english(app: QApplication, language: str) -> None:
    assert _hello(app, language) == ("Memories", "2 messages")
    assert QCoreApplication.translate("ChatPanel", "%n message(s)", "", 1) == "1 message"
    assert QLocale().language() is QLocale.Language.English
    # Traditional Chinese buttons below English sentences would be half a language.
    assert QCoreApplication.translate("QPlatformTheme", "Cancel") == "Cancel"


@pytest.mark.parametrize("language", ["zh_CN", "zh", "zh_Hans", "zh_SG"])
def test_simplified_chinese_is_chinese_with_its_dates_and_buttons(app: QApplication, language: str) -> None:
    assert _hello(app, language) == ("记忆", "2 条消息")
    assert QLocale().language() is QLocale.Language.Chinese
    assert QCoreApplication.translate("QPlatformTheme", "Cancel") == "取消"


def test_languages_follow_each_other(app: QApplication) -> None:
    assert _hello(app, "zh_CN")[0] == "记忆"
    assert _hello(app, "en")[0] == "Memories"
    assert _hello(app, "zh_CN")[0] == "记忆"
    QCoreApplication.sendPostedEvents(None, 52)
    assert len(app.findChildren(QTranslator)) == 2


def test_the_country_keeps_its_clock(app: QApplication) -> None:
    noon = QTime(21, 41)
    translate(app, "de_DE")
    assert QLocale().toString(noon, QLocale.FormatType.ShortFormat) == "21:41"
    translate(app, "en_US")
    assert QLocale().toString(noon, QLocale.FormatType.ShortFormat).replace("\u202f", " ") == "9:41 PM"


@pytest.mark.parametrize(
    ("language", "moment", "day", "old"),
    [
        ("en_GB", "2 May, 21:41", "2 May", "2 May 2019"),
        ("zh_CN", "5月2日 21:41", "5月2日", "2019年5月2日"),
    ],
)
def test_days_are_written_as_people_write_them(
    app: QApplication, language: str, moment: str, day: str, old: str
) -> None:
    translate(app, language)
    today = QDate.currentDate()
    # 2 May, unless this is that day, which has its own name.
    if (today.month(), today.day()) != (5, 2):
        assert short_moment(QDateTime(QDate(today.year(), 5, 2), QTime(21, 41))) == moment
    assert short_day(QDate(today.year(), 5, 2)) == day
    assert short_day(QDate(2019, 5, 2)) == old
    now = short_moment(QDateTime(today, QTime(21, 41)))
    assert now == ("今天 21:41" if language == "zh_CN" else "today, 21:41")


# ── the window ───────────────────────────────────────────────────────────────────────────────────────────


def say(open_desk: OpenDesk, text: str) -> None:
    """Write, press Send and wait for the end of the reply."""
    open_desk.find(Composer, "输入区").setText(text)
    open_desk.press("发送")
    open_desk.wait_idle()


def _visible_words(root: object) -> Counter[str]:
    """Return every text that a window shows or tells a screen reader."""
    words: Counter[str] = Counter()
    for kind, read in ((QLabel, "text"), (QAbstractButton, "text"), (QLineEdit, "placeholderText")):
        for widget in root.findChildren(kind):  # type: ignore[attr-defined]
            if widget.isVisible():
                words.update(
                    filter(None, (getattr(widget, read)(), widget.toolTip(), widget.accessibleName()))
                )
    return words


def test_the_window_is_chinese(app: QApplication, desk: Desk) -> None:
    translate(app, "zh_CN")
    desk.prepare("灯塔的钥匙在哪里？", "*她笑了。*“在你的口袋里。”")
    open_desk = desk.open()
    open_desk.wait_page()
    assert open_desk.find(QListView, "聊天")
    assert open_desk.find(Composer, "输入区")
    assert open_desk.has(QAbstractButton, "显示或隐藏面板")
    assert "2 条消息 · 记忆召回已开启" in {label.text() for label in open_desk.all(QLabel)}
    say(open_desk, "真的吗？")
    open_desk.wait(lambda: any("提示词 ≈" in pill.text() for pill in _pills(open_desk.window)))
    menu = open_desk.window.library.more_button.menu()
    assert isinstance(menu, QMenu)
    assert [action.text() for action in menu.actions() if action.text()][:3] == [
        "查找命令…",
        "新建角色…",
        "导入文件…",
    ]
    names = set(desk_names(open_desk))
    left = {
        text
        for text in _visible_words(open_desk.window)
        if WORD.search(text) and not HAN.search(text) and text not in names
    }
    assert not {text for text in left if set(WORD.findall(text)) - LATIN - names}


def _pills(window: object) -> list[object]:
    from memdesk.ui.widgets.pills import InfoPill

    return list(window.findChildren(InfoPill))  # type: ignore[attr-defined]


def desk_names(open_desk: object) -> list[str]:
    """Return the names that come from the data, not from the window."""
    workspace = open_desk.workspace  # type: ignore[attr-defined]
    people = [item.name for item in workspace.characters.all()]
    people += [message.name for message in open_desk.stored()]  # type: ignore[attr-defined]
    return [*people, *(chat.title for chat in workspace.chats.all())]


def test_a_receipt_is_chinese_to_the_last_role(app: QApplication, desk: Desk) -> None:
    translate(app, "zh_CN")
    desk.prepare("你好。", "你好呀。")
    open_desk = desk.open()
    open_desk.wait_page()
    say(open_desk, "钥匙呢？")
    open_desk.window.show_side("prompt")
    open_desk.wait(lambda: open_desk.all(ReceiptView))
    (view,) = open_desk.all(ReceiptView)
    words = " ".join(_visible_words(view))
    assert "演示之声（无语言模型）" in words
    assert "始终发送" in words or "在上下文窗口中" in words
    assert "always" not in words
    assert view._role("system") == "系统"


def test_a_failed_reply_says_why_in_chinese(app: QApplication, desk: Desk, server: FakeLLM) -> None:
    translate(app, "zh_CN")
    server.faults.append(Fault(status=500))
    desk.connect(server.profile())
    desk.prepare("你好。", "你好呀。")
    open_desk = desk.open()
    open_desk.wait_page()
    say(open_desk, "在吗？")
    open_desk.wait(lambda: open_desk.all(StateLine))
    (line,) = open_desk.all(StateLine)
    text = line._label.text()
    assert text.startswith(f"回复失败：{server.base_url} 上的服务器出错（500）。")
    assert open_desk.stored()[-1].swipe.state is SwipeState.FAILED


def test_a_memory_card_is_chinese(app: QApplication, desk: Desk) -> None:
    translate(app, "zh_CN")
    desk.prepare("灯塔的钥匙在哪里？", "在你的口袋里。")
    open_desk = desk.open()
    open_desk.wait_page()
    open_desk.wait(open_desk.window.memories.cards)
    card = open_desk.window.memories.cards()[0]
    model = MemoryModel()
    assert model.title(card) == f"消息 {card.first}"
    assert re.fullmatch(r"(今天|\d+月\d+日) \d\d:\d\d · .+ · ~\d+ token", model.facts(card))
    assert model.status_words(card.status) in {"已向量化", "等待向量化"}


def test_the_language_is_chosen_in_the_settings(app: QApplication, desk: Desk) -> None:
    translate(app, "en")
    desk.prepare("Hello.", "Good day.")
    first = desk.open()
    first.wait_page()
    first.window.openers.open_preferences()
    first.wait(lambda: first.has(QComboBox, "Language"))
    box = first.find(QComboBox, "Language")
    assert [box.itemText(place) for place in range(box.count())] == ["As the system", "English", "简体中文"]
    box.setCurrentIndex(2)
    first.wait(lambda: first.workspace.settings.language == "zh_CN")
    first.press("Close")
    desk.close_all()

    second = desk.open()
    translate(app, second.workspace.settings.language)
    desk.close_all()
    third = desk.open()
    assert third.find(Composer, "输入区")
