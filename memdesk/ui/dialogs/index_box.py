"""Where the search index is, how it is, and the buttons that mend it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QLocale, Qt
from PySide6.QtWidgets import QCheckBox, QLineEdit, QWidget

from memdesk.settings import IndexPlace
from memdesk.store.index import IndexHealth
from memdesk.ui.background import Background
from memdesk.ui.dialogs.key_field import KeyField
from memdesk.ui.dialogs.pieces import (
    CalmComboBox,
    Field,
    Notice,
    column,
    plain_label,
    push_button,
    read_text,
    row,
)
from memdesk.ui.dialogs.words import failure_words
from memdesk.ui.sentences import said
from memdesk.work.cancel import Cancelled, CancelToken
from memdesk.workspace import INDEX_KEY, Workspace

MEGABYTE: Final = 1_000_000


@dataclass(frozen=True)
class _Found:
    health: IndexHealth
    key_kept: bool


class IndexBox(QWidget):
    """The search index: in memdesk or on a Chroma server; its health; compacting and rebuilding."""

    def __init__(self, workspace: Workspace, background: Background, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._background = background
        self._running: CancelToken | None = None
        self._build()
        self._look()

    def _build(self) -> None:
        place = self._workspace.settings.index
        self._kind = CalmComboBox()
        self._kind.addItem(self.tr("In memdesk, in the data folder"), "embedded")
        self._kind.addItem(self.tr("On a Chroma server"), "server")
        self._kind.setCurrentIndex(self._kind.findData(place.kind))
        self._kind.currentIndexChanged.connect(lambda _: self._show_kind())
        self._host = Field(self.tr("Chroma host"), QLineEdit(place.host))
        self._port = Field(self.tr("Chroma port"), QLineEdit(str(place.port)))
        self._tls = QCheckBox(self.tr("Encrypted (https)"))
        self._tls.setAccessibleName(self._tls.text())
        self._tls.setChecked(place.tls)
        self._key = KeyField(self)
        self._key.field.set_title(self.tr("Access token"))
        address = row(self._host, self._port, spacing=12)
        address.setStretch(0, 3)
        address.setStretch(1, 1)
        for field in (self._host, self._port):
            address.setAlignment(field, Qt.AlignmentFlag.AlignTop)
        self._server = QWidget()
        layout = column(parent=self._server)
        layout.addLayout(address)
        layout.addWidget(self._tls)
        layout.addWidget(self._key)
        layout.addWidget(
            plain_label(
                self.tr(
                    "Only numbers go there, no text. Several computers can share one server: each sees "
                    "only its own."
                ),
                "small",
            )
        )
        self._apply = push_button(self.tr("Use this place"))
        self._apply.clicked.connect(self._move)
        self._health = Notice("info")
        self._compact = push_button(self.tr("Rebuild and compact"))
        self._compact.clicked.connect(self._rebuild)
        buttons = row(self._compact)
        buttons.addStretch(1)
        layout = column(
            plain_label(self.tr("Search index"), "strong", wrap=False),
            plain_label(
                self.tr(
                    "It makes searching long chats quick. It can be lost without loss: it is made again from "
                    "what is in the database, and until then every memory is compared."
                ),
                "soft",
            ),
            Field(self.tr("Place of the index"), self._kind),
            self._server,
            parent=self,
        )
        layout.addWidget(self._apply, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addWidget(self._health)
        layout.addLayout(buttons)
        self._show_kind()

    def stop(self) -> None:
        """End a rebuild that is under way; the present index stays."""
        if self._running is not None:
            self._running.cancel()

    def _show_kind(self) -> None:
        server = self._kind.currentData() == "server"
        self._server.setVisible(server)
        self._apply.setVisible(server or self._workspace.settings.index.kind == "server")

    # ── health ───────────────────────────────────────────────────────────────────────────────────────

    def _look(self) -> None:
        workspace = self._workspace
        self._health.say(self.tr("Looking at the index…"), "info")
        self._background.long(
            lambda: _Found(workspace.index.health(), bool(workspace.keys.get(INDEX_KEY))),
            self._show_health,
            failed=lambda error: self._health.say(failure_words(error), "bad"),
            owner=self,
        )

    def _show_health(self, found: _Found) -> None:
        self._key.set_key(self._key.change, kept=found.key_kept)
        health = found.health
        if not health.ok:
            words = self.tr("The index cannot be used now; every memory is compared instead.")
            self._health.say(words, "bad", said(health.message))
            return
        words = self.tr("The index works: %n vector(s)", "", health.vectors)
        # Qt writes the number of a plural without separators.
        words = words.replace(str(health.vectors), QLocale().toString(health.vectors))
        if self._workspace.settings.index.kind == "embedded":
            size = QLocale().toString(health.size_bytes / MEGABYTE, "f", 1)
            words = self.tr("{words}, {size} MB").format(words=words, size=size)
        self._health.say(words, "ok")

    # ── moving ───────────────────────────────────────────────────────────────────────────────────────

    def _read(self) -> IndexPlace | None:
        self._host.set_error("")
        self._port.set_error("")
        kind = "server" if self._kind.currentData() == "server" else "embedded"
        before = self._workspace.settings.index
        if kind == "embedded":
            return before.model_copy(update={"kind": "embedded"})
        host, port = read_text(self._host.control).strip().strip("[]"), read_text(self._port.control).strip()
        whole = port.isascii() and port.isdigit() and 1 <= int(port[:6]) <= 65_535
        try:
            place = IndexPlace(
                kind="server", host=host, port=int(port) if whole else 1, tls=self._tls.isChecked()
            )
        except ValueError:
            self._host.set_error(self.tr("Enter a host name or an address, without http://"))
            self._host.control.setFocus()
            return None
        if not whole:
            self._port.set_error(self.tr("Enter a port from 1 to 65,535."))
            self._port.control.setFocus()
            return None
        return place

    def _move(self) -> None:
        place = self._read()
        if place is None:
            return
        workspace, change = self._workspace, self._key.change
        self._apply.setEnabled(False)
        self._health.say(self.tr("One moment…"), "info")

        def run() -> None:
            if change is not None:
                workspace.keys.set(INDEX_KEY, change)
            if place != workspace.settings.index:
                workspace.change_settings(workspace.settings.model_copy(update={"index": place}))
            else:
                workspace.move_index()

        self._background.write(run, lambda _: self._moved(), failed=self._failed, owner=self)

    def _moved(self) -> None:
        self._apply.setEnabled(True)
        self._key.set_key(None, kept=False)
        self._show_kind()
        self._look()

    def _failed(self, error: Exception) -> None:
        self._apply.setEnabled(True)
        self._set_running(None)
        self._health.say(failure_words(error), "bad")

    # ── rebuilding ───────────────────────────────────────────────────────────────────────────────────

    def _rebuild(self) -> None:
        if self._running is not None:
            self._running.cancel()
            return
        token = CancelToken()
        self._set_running(token)
        workspace = self._workspace
        self._health.say(self.tr("The index is made anew…"), "info")
        self._background.long(
            lambda: workspace.sync.indexing.compact(self._tell, token),
            lambda _: self._rebuilt(),
            failed=self._not_rebuilt,
            owner=self,
        )

    def _tell(self, done: int, total: int) -> None:
        self._background.post(lambda: self._show_progress(done, total))

    def _show_progress(self, done: int, total: int) -> None:
        if self._running is not None:
            locale = QLocale()
            words = self.tr("{done} of {total} vectors are in the new index.")
            self._health.say(words.format(done=locale.toString(done), total=locale.toString(total)), "info")

    def _rebuilt(self) -> None:
        self._set_running(None)
        self._look()

    def _not_rebuilt(self, error: Exception) -> None:
        if isinstance(error, Cancelled):
            self._set_running(None)
            self._health.say(self.tr("Stopped; the index is as it was."), "info")
        else:
            self._failed(error)

    def _set_running(self, token: CancelToken | None) -> None:
        self._running = token
        words = self.tr("Rebuild and compact") if token is None else self.tr("Stop rebuilding")
        self._compact.setText(words)
        self._compact.setAccessibleName(words)
