"""Starts memdesk as `python -m memdesk` does and prints when its window was first painted.

usage: first_window.py DATA_DIR     the real window
       first_window.py --empty      an empty window, to compare with

Prints a line of JSON for `painted` and, of the real window, for `filled` (a chat stands in it): `at`
(monotonic seconds) and `cpu` (seconds of processor time of all threads until then).
"""

from __future__ import annotations

import json
import sys
import time

EMPTY = "--empty"
PATIENCE_SECONDS = 30


def empty_window() -> None:
    """Show a window without anything in it, and end when it is painted."""
    from PySide6.QtCore import QEvent, QTimer
    from PySide6.QtWidgets import QApplication, QMainWindow

    class Window(QMainWindow):
        def event(self, event: QEvent) -> bool:
            done = super().event(event)
            if event.type() == QEvent.Type.Paint:
                QTimer.singleShot(0, end)
            return done

    def end() -> None:
        tell("painted")
        app.quit()

    app = QApplication(sys.argv[:1])
    window = Window()
    window.resize(1440, 900)
    window.show()
    app.exec()


def main_window(folder: str) -> None:
    """Open memdesk on a data folder, and end when a chat is shown."""
    from PySide6.QtCore import QEvent, QTimer

    from memdesk.__main__ import main
    from memdesk.ui import app as opening

    given_up = time.monotonic() + PATIENCE_SECONDS

    class Window(opening.MainWindow):
        painted = False

        def event(self, event: QEvent) -> bool:
            done = super().event(event)
            if event.type() == QEvent.Type.Paint and not self.painted:
                self.painted = True
                # Children are painted after their parent, all before the next turn of the event loop.
                QTimer.singleShot(0, self.first)
            return done

        def first(self) -> None:
            tell("painted")
            self.look()

        def look(self) -> None:
            if self.chat.model.messages and self.chat.view.isVisible():
                tell("filled")
                self.close()
            elif time.monotonic() > given_up:
                sys.exit("no chat was shown")
            else:
                QTimer.singleShot(5, self.look)

    opening.MainWindow = Window
    main(["--data-dir", folder, "--no-samples"])


def tell(what: str) -> None:
    """Print one line of the result."""
    print(json.dumps({"what": what, "at": time.monotonic(), "cpu": time.process_time()}), flush=True)


if __name__ == "__main__":
    if sys.argv[1] == EMPTY:
        empty_window()
    else:
        main_window(sys.argv[1])
