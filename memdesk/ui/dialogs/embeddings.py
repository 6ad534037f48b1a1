"""What turns text into vectors, and where these are searched: sources, the default, and the index."""

from __future__ import annotations

import uuid

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QListWidgetItem, QWidget

from memdesk.llm.embedder_profile import BUNDLED, EmbedderProfile
from memdesk.llm.keys import KeyStore
from memdesk.settings import Settings
from memdesk.ui.background import Background
from memdesk.ui.dialogs.embedder_choices import SourceBox
from memdesk.ui.dialogs.embedder_form import EmbedderForm
from memdesk.ui.dialogs.index_box import IndexBox
from memdesk.ui.dialogs.pieces import (
    Field,
    Notice,
    column,
    fit,
    line,
    plain_label,
    push_button,
    row,
    scrolled,
    tool_button,
)
from memdesk.ui.dialogs.rows import DATA, RowList, write_row
from memdesk.ui.dialogs.words import failure_words
from memdesk.workspace import Workspace

BUNDLED_NAME = "multilingual-e5-small"
LIST_HEIGHT = 120


class EmbeddingsDialog(QDialog):
    """Choose the embedder, set up servers for it, and look after the search index. Choices count at once."""

    settingsChanged = Signal()

    def __init__(self, workspace: Workspace, background: Background, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._background = background
        self._kept_keys: set[str] = set()
        self._left_keys: set[str] = set()
        self._new = ""
        self._deleted: tuple[EmbedderProfile, int, str] | None = None
        self.setWindowTitle(self.tr("Embeddings and search index"))
        self._build()
        fit(self, 620, 720)
        self._fill(BUNDLED)
        self._ask_about_keys()

    # ── layout ───────────────────────────────────────────────────────────────────────────────────────

    def _build(self) -> None:
        page = QWidget(self)
        self._index = IndexBox(self._workspace, self._background)
        layout = column(
            self._make_default(), line(), self._make_sources(), line(), self._index, parent=page, spacing=20
        )
        layout.setContentsMargins(20, 20, 20, 20)
        layout.addStretch(1)
        self._problem = Notice("bad")
        close = push_button(self.tr("Close"), "primary", self)
        close.clicked.connect(self.accept)
        close.setAutoDefault(False)
        buttons = row()
        buttons.addWidget(self._problem, 1, Qt.AlignmentFlag.AlignVCenter)
        buttons.addStretch(0)
        buttons.addWidget(close, 0, Qt.AlignmentFlag.AlignRight)
        buttons.setContentsMargins(16, 12, 16, 12)
        outer = column(scrolled(page, self.tr("Embeddings and search index")), line(), parent=self, spacing=0)
        outer.setStretch(0, 1)
        outer.addLayout(buttons)

    def _make_default(self) -> QWidget:
        settings = self._workspace.settings
        self._default = SourceBox(settings)
        self._default.set_value(settings.embedder)
        self._default.currentIndexChanged.connect(lambda _: self._take_default())
        self._changed = Notice("info")
        part = QWidget()
        column(
            plain_label(self.tr("Embeddings"), "strong", wrap=False),
            plain_label(
                self.tr(
                    "They let memories be found by what they mean. The bundled model needs no network and "
                    "knows many languages; a server may know yours better."
                ),
                "soft",
            ),
            Field(
                self.tr("Source where nothing else is chosen"),
                self._default,
                self.tr("Connections and chats may choose another one."),
            ),
            self._changed,
            parent=part,
        )
        return part

    def _make_sources(self) -> QWidget:
        self._list = RowList(self.tr("Embedding sources"), self)
        self._list.setFixedHeight(LIST_HEIGHT)
        self._list.currentItemChanged.connect(lambda item, _before: self._show_item(item))
        add = tool_button("plus", self.tr("Add an embedding server"), self)
        add.clicked.connect(self._add)
        self._delete = tool_button("trash", self.tr("Delete this source"), self)
        self._delete.clicked.connect(self._remove)
        self._undo_words = plain_label("", "small", self)
        self._undo = push_button(self.tr("Undo delete"), "quiet", self)
        self._undo.clicked.connect(self._undelete)
        self._undo.hide()
        tools = row(add, self._delete, spacing=4)
        tools.addWidget(self._undo_words, 1)
        tools.addWidget(self._undo)
        self._bundled = plain_label(
            self.tr("{model} comes with memdesk and runs on this computer. Nothing is sent.").format(
                model=BUNDLED_NAME
            )
        )
        self._form = EmbedderForm(self._workspace, self._background)
        self._form.saved.connect(self._saved)
        part = QWidget()
        layout = column(plain_label(self.tr("Sources"), "strong", wrap=False), self._list, parent=part)
        layout.addLayout(tools)
        layout.addWidget(self._bundled)
        layout.addWidget(self._form)
        return part

    # ── the list ─────────────────────────────────────────────────────────────────────────────────────

    def _fill(self, current: str) -> None:
        settings = self._workspace.settings
        self._list.blockSignals(True)
        self._list.clear()
        self._write(self._list.add("", "", BUNDLED), self.tr("Bundled model"), BUNDLED_NAME, settings)
        for profile in settings.embedders:
            under = " · ".join(part for part in (profile.host, profile.model) if part)
            self._write(self._list.add("", "", profile.id), profile.name, under, settings)
        if self._new:
            write_row(self._list.add("", "", self._new), self.tr("New server"), self.tr("not tested yet"))
        self._list.blockSignals(False)
        ids = [item.data(DATA) for item in self._list.all_items()]
        self._list.setCurrentRow(ids.index(current) if current in ids else 0)
        self._show_item(self._list.currentItem())
        self._default.fill(settings)
        self._default.blockSignals(True)
        self._default.set_value(settings.embedder)
        self._default.blockSignals(False)

    def _write(self, item: QListWidgetItem, name: str, under: str, settings: Settings) -> None:
        used = self.tr("used where nothing else is chosen") if item.data(DATA) == settings.embedder else ""
        write_row(item, name, under, used)

    def _show_item(self, item: QListWidgetItem | None) -> None:
        source = str(item.data(DATA)) if item is not None else BUNDLED
        bundled = source == BUNDLED
        self._bundled.setVisible(bundled)
        self._form.setVisible(not bundled)
        self._delete.setEnabled(not bundled)
        if bundled:
            self._form.stop()
            return
        profile = next((one for one in self._workspace.settings.embedders if one.id == source), None)
        self._form.show_source(profile, source, key_kept=source in self._kept_keys)

    def _add(self) -> None:
        self._new = self._new or uuid.uuid4().hex
        self._fill(self._new)
        self._form.focus_address()

    def _saved(self, source: str) -> None:
        if source == self._new:
            self._new = ""
        self._list.blockSignals(True)
        settings = self._workspace.settings
        for item in self._list.all_items():
            for profile in settings.embedders:
                if item.data(DATA) == profile.id:
                    under = " · ".join(part for part in (profile.host, profile.model) if part)
                    self._write(item, profile.name, under, settings)
        self._list.blockSignals(False)
        self._default.fill(settings)
        self._ask_about_keys()
        self.settingsChanged.emit()

    def _remove(self) -> None:
        item = self._list.currentItem()
        source = str(item.data(DATA)) if item is not None else BUNDLED
        self._form.stop()
        if source == self._new:
            self._new = ""
            self._fill(BUNDLED)
            return
        workspace = self._workspace
        kept = list(workspace.settings.embedders)
        place = next((n for n, profile in enumerate(kept) if profile.id == source), None)
        if place is None:
            return
        profile = kept.pop(place)
        default = workspace.settings.embedder
        self._deleted = (profile, place, default)
        self._left_keys.add(source)
        changes: dict[str, object] = {"embedders": kept}
        if default == source:
            changes["embedder"] = BUNDLED
        self._undo_words.setText(self.tr("“{name}” was deleted.").replace("{name}", profile.name[:60]))
        self._store(changes, BUNDLED)
        self._undo.show()
        self._undo.setFocus()

    def _undelete(self) -> None:
        if self._deleted is None:
            return
        profile, place, default = self._deleted
        self._deleted = None
        self._left_keys.discard(profile.id)
        kept = list(self._workspace.settings.embedders)
        kept.insert(place, profile)
        self._undo.hide()
        self._undo_words.setText("")
        self._store({"embedders": kept, "embedder": default}, profile.id)

    def _store(self, changes: dict[str, object], current: str) -> None:
        workspace = self._workspace

        def done(_: None) -> None:
            self._problem.say("")
            self._fill(current)
            self.settingsChanged.emit()

        self._background.write(
            lambda: workspace.change_settings(workspace.settings.model_copy(update=changes)),
            done,
            failed=lambda error: self._problem.say(failure_words(error), "bad"),
            owner=self,
        )

    # ── the default ──────────────────────────────────────────────────────────────────────────────────

    def _take_default(self) -> None:
        chosen = self._default.value()
        if chosen == self._workspace.settings.embedder:
            return
        self._changed.say(
            self.tr(
                "Memories get their new vectors in the background; until all of a chat's are there, it is "
                "recalled by the present ones. Changing back within 14 days costs nothing."
            ),
            "info",
        )
        item = self._list.currentItem()
        self._store({"embedder": chosen}, str(item.data(DATA)) if item is not None else BUNDLED)

    # ── keys ─────────────────────────────────────────────────────────────────────────────────────────

    def _ask_about_keys(self) -> None:
        keys, ids = self._workspace.keys, [profile.id for profile in self._workspace.settings.embedders]
        self._background.long(
            lambda: (keys.location, {source for source in ids if keys.get(source)}),
            self._show_keys,
            failed=lambda error: self._problem.say(failure_words(error), "bad"),
            owner=self,
        )

    def _show_keys(self, found: tuple[str, set[str]]) -> None:
        place, self._kept_keys = found
        self._form.key_field().set_place("keyring" if place == "keyring" else "file")
        item = self._list.currentItem()
        shown = str(item.data(DATA)) if item is not None else ""
        if shown not in ("", BUNDLED, self._new):
            self._form.key_field().set_key(self._form.key_field().change, kept=shown in self._kept_keys)

    def done(self, result: int) -> None:
        """Close; a test or rebuild that is under way ends."""
        self._form.stop()
        self._index.stop()
        keys, left = self._workspace.keys, sorted(self._left_keys)
        if left:
            # Until now the deletion could be taken back.
            self._background.write(lambda: _forget(keys, left))
        super().done(result)


def _forget(keys: KeyStore, sources: list[str]) -> None:
    for source in sources:
        keys.delete(source)
