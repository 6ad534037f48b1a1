"""How the window stood: kept while it changes, so that a crash loses a second of it and nothing else.

    state = WindowState(folder, background)
    state.get("chat", 0)     state.set("chat", 3)             any value that JSON has
    state.keep("geometry", window.packed_geometry)            asked for whenever something is written
    state.touch()                                             something that is kept has changed
The file `window.json` is written off the window thread, whole or not at all, about half a second after a
change. A file that cannot be read is put aside, never overwritten.
"""

from __future__ import annotations

import copy
import json
import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import QByteArray, QObject, QSettings, QTimer

from memdesk.store.whole import write_whole
from memdesk.ui.background import Background

log = logging.getLogger(__name__)

PAUSE_MS: Final = 500
"""Changes are gathered this long; what goes on changing is written every time it has passed."""

FILE: Final = "window.json"
MOST_BYTES: Final = 64 * 1024 * 1024


class WindowState(QObject):
    """Values by name, read at once and written in the background."""

    def __init__(self, folder: Path, background: Background, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path = folder / FILE
        self._background = background
        self._kept: dict[str, Callable[[], Any]] = {}
        self._lock = threading.Lock()
        self._turn = self._written = 0
        self._text = ""
        self._values = self._read()
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self._write)

    # ── values ───────────────────────────────────────────────────────────────────────────────────────

    def get(self, key: str, default: Any) -> Any:  # noqa: ANN401 — a value that JSON has
        """Return a value of the default's own type; the default where there is none."""
        value = self._values.get(key, default)
        fits = isinstance(value, type(default)) and isinstance(value, bool) == isinstance(default, bool)
        return copy.deepcopy(value) if fits or default is None else default

    def set(self, key: str, value: Any) -> None:  # noqa: ANN401 — a value that JSON has
        """Keep a value from now on."""
        if self._values.get(key) != value:
            self._values[key] = copy.deepcopy(value)
            self.touch()

    def keep(self, key: str, read: Callable[[], Any]) -> None:
        """Ask `read` for a value whenever something is written."""
        self._kept[key] = read

    def touch(self) -> None:
        """Write soon: something that is kept has changed."""
        # A running timer is not started anew: while one goes on typing there is no pause that long.
        if not self._pause.isActive():
            self._pause.start()

    def flush(self) -> None:
        """Write what has changed before the background ends."""
        self._pause.stop()
        self._background.write(self._job(), failed=_complain, owner=self)

    def _write(self) -> None:
        # Beside the writer, which may be busy with a long import.
        self._background.read(self._job(), failed=_complain, owner=self)

    def _job(self) -> Callable[[], None]:
        for key, read in self._kept.items():
            self._values[key] = read()
        self._turn += 1
        turn, values = self._turn, copy.deepcopy(self._values)

        def write() -> None:
            text = json.dumps(values, ensure_ascii=False, sort_keys=True, indent=1)
            with self._lock:
                if turn > self._written and text != self._text:
                    # A lone surrogate cannot be written; a mark in its place can.
                    write_whole(self._path, text.encode("utf-8", "replace"), durable=False)
                    self._text = text
                self._written = max(turn, self._written)

        return write

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────

    def _read(self) -> dict[str, Any]:
        try:
            if self._path.stat().st_size > MOST_BYTES:
                raise ValueError("the file is too large")  # noqa: TRY301 — put aside like any other broken one
            values = json.loads(self._path.read_bytes())
            if not isinstance(values, dict):
                raise ValueError("not an object")  # noqa: TRY301, TRY004 — as above
        except FileNotFoundError:
            return _before(self._path.with_name("window.ini"))
        except OSError as error:
            log.warning("how the window stood cannot be read: %s", error)
            return {}
        except (ValueError, RecursionError) as error:
            aside = self._path.with_name(f"{FILE}.broken")
            log.warning("how the window stood cannot be read (%s); it was moved to %s", error, aside)
            try:
                self._path.replace(aside)
            except OSError as trouble:
                log.warning("it cannot be moved: %s", trouble)
            return {}
        return values


def _complain(error: Exception) -> None:
    # Invisible when it works, and nothing a person could mend here when it does not.
    log.warning("how the window stands cannot be written: %s", error)


def _before(path: Path) -> dict[str, Any]:
    """Return the drafts and the last chat from the file that was used before."""
    if not path.is_file():
        return {}
    old = QSettings(str(path), QSettings.Format.IniFormat)
    drafts = {
        key.removeprefix("drafts/"): value
        for key in old.allKeys()
        if key.startswith("drafts/") and isinstance(value := old.value(key, ""), str) and value
    }
    chat = str(old.value("chat", ""))
    return {"drafts": drafts, "chat": int(chat) if chat.isascii() and chat.isdigit() else 0}


def packed(data: QByteArray) -> str:
    """Return what Qt saved of a window or a splitter as text."""
    return bytes(data.toBase64().data()).decode("ascii")


def unpacked(text: str) -> QByteArray:
    """Return what `packed` was made from; nothing for what is no such text."""
    return QByteArray.fromBase64(text.encode("ascii", "ignore"))
