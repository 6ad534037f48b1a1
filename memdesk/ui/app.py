"""Opening the window: one per data folder, on the screen before anything slow is loaded."""

from __future__ import annotations

import faulthandler
import hashlib
import logging
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import (
    QCoreApplication,
    QLibraryInfo,
    QLocale,
    QObject,
    Qt,
    QTimer,
    QTranslator,
    Signal,
)
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication, QMessageBox

from memdesk import __version__
from memdesk.assets import asset
from memdesk.store.data_folder import default_data_dir
from memdesk.store.errors import StoreError
from memdesk.ui.background import Background
from memdesk.ui.display import missing_display
from memdesk.ui.doorbell import Doorbell, ring
from memdesk.ui.errors import explain
from memdesk.ui.interrupts import Interrupts
from memdesk.ui.main_window import MainWindow
from memdesk.ui.restart import start_again
from memdesk.ui.sentences import said
from memdesk.ui.session import Session
from memdesk.ui.theme import current_theme
from memdesk.workspace import Workspace

log = logging.getLogger(__name__)

KNOCK_SECONDS = 5.0
"""How long a second start tries to reach the first window, or to get the folder that a command has."""

KNOCK_PAUSE = 0.2

SETTLE_MS = 1000
"""Work that the last run left begins so long after the window is shown. Loading the tokenizer holds Python's
lock for about a second and chunking takes a core: at once, both doubled the time to the first window."""


def open_window(data_dir: Path | None, *, samples: bool = True) -> int:
    """Open the main window on a data folder; returns the exit code.

    A second start on the same folder brings the first window forward instead.
    """
    trouble = missing_display()
    if trouble:
        print(f"memdesk: {trouble}", file=sys.stderr)  # noqa: T201 — there is nowhere else to say it
        return 1
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)  # noqa: S101 — nothing else makes one before us
    app.setApplicationName("memdesk")
    app.setApplicationVersion(__version__)
    app.setDesktopFileName("memdesk")
    app.setWindowIcon(QIcon(str(asset("icons", "memdesk.svg"))))
    folder = (data_dir or default_data_dir()).expanduser().absolute()
    name = _name(folder)
    doorbell = Doorbell(name)
    interrupts = Interrupts(lambda: _leave(app))
    try:
        workspace = _enter(folder, name, doorbell, samples=samples)
        if workspace is None:
            return 0
        translate(app, workspace.settings.language)
        code, again = _run(app, workspace, doorbell)
    except StoreError as error:
        doorbell.close()
        translate(app, "system")
        return _refuse(error)
    finally:
        doorbell.close()
        interrupts.close()
    return start_again() if again else code


def _enter(folder: Path, name: str, doorbell: Doorbell, *, samples: bool) -> Workspace | None:
    """Open the data folder; returns None when a window has it and comes forward.

    Raises `StoreError`. A folder in use is asked for again and again: who has it may be about to open its
    window, or a command that is about to end.
    """
    deadline = time.monotonic() + KNOCK_SECONDS
    language = QLocale.system().name()
    while True:
        try:
            return Workspace(folder, samples=samples, begin=False, language=language, locked=doorbell.listen)
        except StoreError as error:
            if error.code != "in_use":
                raise
            if ring(name):
                return None
            if time.monotonic() > deadline:
                raise
        time.sleep(KNOCK_PAUSE)


def _run(app: QApplication, workspace: Workspace, doorbell: Doorbell) -> tuple[int, bool]:
    """Show the window until it is closed; returns the exit code, and whether it is to be started again."""
    running = Running(workspace, doorbell)
    _watch_for_bugs(workspace, running)
    asked: list[bool] = []

    def restart() -> None:
        asked.append(True)
        _leave(app)

    running.window.openers.restartRequested.connect(restart)
    try:
        running.window.show()
        QTimer.singleShot(SETTLE_MS, running, workspace.begin_work)
        code = app.exec()
    finally:
        running.close()
    return code, bool(asked)


def _leave(app: QApplication) -> None:
    """Close every window as its button does, and end, whatever dialog is open."""
    app.closeAllWindows()
    app.quit()


class Running(QObject):
    """Everything that lives as long as the window: workspace, background, session, doorbell."""

    bug = Signal(str)

    def __init__(self, workspace: Workspace, doorbell: Doorbell | str) -> None:
        """Make the window; a doorbell given by its name is hung up here."""
        super().__init__()
        current_theme().setMode(workspace.settings.theme)
        current_theme().apply()
        self.workspace = workspace
        self.background = Background(self)
        self.session = Session(workspace, self.background, self)
        self.window = MainWindow(self.session)
        if isinstance(doorbell, str):
            doorbell = Doorbell(doorbell)
            doorbell.listen()
        self._doorbell = doorbell
        self._doorbell.rung.connect(self._come_forward)
        self.bug.connect(lambda text: self.window.toast.say(text, error=True))
        workspace.tell = lambda text: self.bug.emit(said(text))

    def _come_forward(self) -> None:
        self.window.showNormal()
        self.window.raise_()
        self.window.activateWindow()

    def close(self) -> None:
        """Stop replies, finish writes, close the data folder."""
        self._doorbell.close()
        self.session.stop_all()
        self.session.close()
        self.background.close()
        self.workspace.close()
        self.window.deleteLater()
        QCoreApplication.sendPostedEvents(self.window)
        QCoreApplication.processEvents()


def translate(app: QApplication, language: str) -> None:
    """Install the translators of a language (`system`, `en`, `zh_CN`).

    A system language that memdesk does not speak gets English, Traditional Chinese too: readers of it choose
    Simplified Chinese themselves if they want it. Dates, numbers and the buttons of Qt follow the words.
    """
    for old in app.findChildren(QTranslator):
        app.removeTranslator(old)
        old.deleteLater()
    wanted = QLocale.system() if language == "system" else QLocale(language)
    own = QTranslator(app)
    if not own.load(wanted, "memdesk", "_", str(asset("i18n"))):
        # Singapore reads what China reads; only Traditional Chinese is another script.
        simplified = wanted.script() is QLocale.Script.SimplifiedHanScript
        own.load("memdesk_zh_CN" if simplified else "memdesk_en", str(asset("i18n")))
    locale = _spoken(wanted, QLocale(own.language()))
    QLocale.setDefault(locale)
    qt = QTranslator(app)
    if qt.load(
        QLocale(own.language()), "qtbase", "_", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    ):
        app.installTranslator(qt)
    app.installTranslator(own)


def _spoken(wanted: QLocale, words: QLocale) -> QLocale:
    """Return the locale for dates and numbers between words of a language: of the person's own country."""
    if (wanted.language(), wanted.script()) == (words.language(), words.script()):
        return wanted
    if words.language() == QLocale.Language.English:
        return QLocale(QLocale.Language.English, wanted.territory())
    return words


def _name(folder: Path) -> str:
    """Return the local socket's name of a data folder; short, as some systems allow about 100 bytes."""
    return (
        "memdesk-" + hashlib.sha256(str(folder.resolve()).encode("utf-8", "surrogatepass")).hexdigest()[:24]
    )


def _refuse(error: StoreError) -> int:
    """Say why the data folder cannot be opened."""
    print(f"memdesk: {error}", file=sys.stderr)  # noqa: T201 — for those who started it from a shell
    current_theme().apply()
    box = QMessageBox()
    box.setIcon(QMessageBox.Icon.Critical)
    box.setWindowTitle("memdesk")
    box.setText(QCoreApplication.translate("App", "The data folder cannot be opened."))
    box.setInformativeText(explain(error))
    # It is the only window, and may come long after it was asked for.
    box.setWindowFlag(Qt.WindowType.WindowStaysOnTopHint)
    QTimer.singleShot(0, box, box.raise_)
    QTimer.singleShot(0, box, box.activateWindow)
    box.exec()
    return 1


def _watch_for_bugs(workspace: Workspace, running: Running) -> None:
    """Log what nobody caught and tell the person, and keep a native crash's trace for the next look."""
    fault = (workspace.data_dir / "logs" / "fault.log").open("a", encoding="utf-8")
    faulthandler.enable(fault)
    before: Callable[[type[BaseException], BaseException, TracebackType | None], object] = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        log.critical("unexpected failure", exc_info=(kind, error, trace))
        running.bug.emit(explain(error))
        before(kind, error, trace)

    def restore() -> None:
        sys.excepthook = before
        faulthandler.disable()
        fault.close()

    sys.excepthook = hook
    running.destroyed.connect(restore)
