"""A real Chroma server on loopback, started by hand as a person would."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen


class ChromaServer:
    """`chroma run` in a folder; `stop` and `start` again keep its port."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = Path(sys.executable).with_name("chroma")
        line = [str(command), "run", "--path", str(self.folder), "--host", "127.0.0.1"]
        self._process = subprocess.Popen(
            [*line, "--port", str(self.port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        end = time.monotonic() + 60
        while time.monotonic() < end:
            with contextlib.suppress(URLError, OSError), urlopen(self.url, timeout=2):
                return
            assert self._process.poll() is None, "the Chroma server ended"
            time.sleep(0.05)
        raise AssertionError("the Chroma server did not start")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/api/v2/heartbeat"

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(30)
            self._process = None


@contextlib.contextmanager
def chroma_server(folder: Path) -> Iterator[ChromaServer]:
    server = ChromaServer(folder)
    server.start()
    try:
        yield server
    finally:
        server.stop()
