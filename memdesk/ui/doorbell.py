"""How a second start reaches the window that has the data folder."""

from __future__ import annotations

import logging

from PySide6.QtCore import QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

log = logging.getLogger(__name__)

WAKE_MS = 500
"""How long one attempt waits for the first window to hear it."""


class Doorbell(QObject):
    """Hears later starts on the same data folder, from the moment the folder is ours.

    Those that ring before the window is there, or while it is busy, are heard when events are next handled.
    """

    rung = Signal()

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._answer)

    def listen(self) -> None:
        """Begin to hear; call it when the data folder is locked, and not before."""
        # A name left by a crash is free: the lock of the data folder says that nobody else is here.
        QLocalServer.removeServer(self._name)
        if not self._server.listen(self._name):
            log.warning("a second start will not find this window: %s", self._server.errorString())

    def _answer(self) -> None:
        while self._server.hasPendingConnections():
            socket = self._server.nextPendingConnection()
            socket.disconnected.connect(socket.deleteLater)
        self.rung.emit()

    def close(self) -> None:
        """Hear nothing more."""
        self._server.close()


def ring(name: str) -> bool:
    """Call the window that listens under a name; returns whether there is one."""
    socket = QLocalSocket()
    socket.connectToServer(name)
    heard = socket.waitForConnected(WAKE_MS)
    socket.abort()
    return heard
