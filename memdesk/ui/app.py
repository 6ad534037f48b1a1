"""Opening the window: one per data folder, on the screen before anything slow is loaded."""

from __future__ import annotations

import faulthandler
import hashlib
import logging
import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QObject, QTimer, QTranslator, Signal
from PySide6.QtGui import QIcon
from PySide6.QtNetwork import QLocalServer, QLocalSocket
from PySide6.QtWidgets import QApplication, QMessageBox

from memdesk import __version__
from memdesk.assets import asset
from memdesk.store.errors import StoreError
from memdesk.ui.background import Background
from memdesk.ui.errors import explain
from memdesk.ui.main_window import MainWindow
from memdesk.ui.session import Session
from memdesk.ui.theme import current_theme
from memdesk.workspace import Workspace, default_data_dir

log = logging.getLogger(__name__)

WAKE_MS = 500
"""How long a second start waits for the first window to hear it."""

SETTLE_MS = 1000
"""Work that the last run left begins so long after the window is shown. Loading the tokenizer holds Python's
lock for about a second and chunking takes a core: at once, both doubled the time to the first window."""


def open_window(data_dir: Path | None, *, samples: bool = True) -> int:
    """Open the main window on a data folder; returns the exit code.

    A second start on the same folder brings the first window forward instead.
    """
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)  # noqa: S101 — nothing else makes one before us
    app.setApplicationName("memdesk")
    app.setApplicationVersion(__version__)
    app.setDesktopFileName("memdesk")
    app.setWindowIcon(QIcon(str(asset("icons", "memdesk.svg"))))
    folder = (data_dir or default_data_dir()).expanduser().absolute()
    try:
        workspace = Workspace(folder, samples=samples, begin=False)
    except StoreError as error:
        if error.code == "in_use" and _wake(_name(folder)):
            return 0
        translate(app, "system")
        return _refuse(error)
    translate(app, workspace.settings.language)
    running = Running(workspace, _name(folder))
    _watch_for_bugs(workspace, running)
    try:
        running.window.show()
        QTimer.singleShot(SETTLE_MS, running, workspace.begin_work)
        return app.exec()
    finally:
        running.close()


class Running(QObject):
    """Everything that lives as long as the window: workspace, background, session, server."""

    bug = Signal(str)

    def __init__(self, workspace: Workspace, name: str) -> None:
        super().__init__()
        current_theme().setMode(workspace.settings.theme)
        current_theme().apply()
        self.workspace = workspace
        self.background = Background(self)
        self.session = Session(workspace, self.background, self)
        self.window = MainWindow(self.session)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._come_forward)
        # A name left by a crash is free: the lock of the data folder says that nobody else is here.
        QLocalServer.removeServer(name)
        if not self._server.listen(name):
            log.warning("a second start will not find this window: %s", self._server.errorString())
        self.bug.connect(lambda text: self.window.toast.say(text, error=True))

    def _come_forward(self) -> None:
        socket = self._server.nextPendingConnection()
        if socket is not None:
            socket.disconnected.connect(socket.deleteLater)
        self.window.showNormal()
        self.window.raise_()
        self.window.activateWindow()

    def close(self) -> None:
        """Stop replies, finish writes, close the data folder."""
        self._server.close()
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


def _wake(name: str) -> bool:
    socket = QLocalSocket()
    socket.connectToServer(name)
    heard = socket.waitForConnected(WAKE_MS)
    socket.abort()
    return heard


def _refuse(error: StoreError) -> int:
    """Say why the data folder cannot be opened."""
    print(f"memdesk: {error}", file=sys.stderr)  # noqa: T201 — for those who started it from a shell
    current_theme().apply()
    box = QMessageBox()
    box.setIcon(QMessageBox.Icon.Critical)
    box.setWindowTitle("memdesk")
    box.setText(QCoreApplication.translate("App", "The data folder cannot be opened."))
    box.setInformativeText(explain(error))
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
