"""Where replies come from: the list of connections, and one of them as a form."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QListWidgetItem,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from memdesk.llm.profile import DEMO_PROFILE, ConnectionProfile
from memdesk.ui.background import Background
from memdesk.ui.dialogs.connection_form import ConnectionForm
from memdesk.ui.dialogs.pieces import (
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
from memdesk.ui.dialogs.profile_values import FieldErrors, Values, profile_of, values_of
from memdesk.ui.dialogs.rows import DATA, RowList, write_row
from memdesk.ui.dialogs.wizard import FindModelDialog
from memdesk.ui.dialogs.words import failure_words
from memdesk.workspace import Workspace

LIST_WIDTH = 272


@dataclass
class Draft:
    """A connection as it stands in the dialog, right or wrong; `key` is what saving does to its key."""

    id: str
    values: Values
    key: str | None = None
    key_kept: bool = False
    saved: ConnectionProfile | None = field(default=None)


class ConnectionsDialog(QDialog):
    """Add, change, test, delete and choose connections. Nothing is kept before "Save" or "Use"."""

    connectionChanged = Signal(str)
    """Connections were saved; carries the id of the one that replies come from now."""

    def __init__(self, workspace: Workspace, background: Background, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._background = background
        self._drafts = [
            Draft(profile.id, values_of(profile), saved=profile)
            for profile in workspace.settings.connections
            if profile.kind != "demo"
        ]
        self._chosen = workspace.profile().id
        self._deleted: list[tuple[int, Draft]] = []
        self._shown: str = ""
        self._saving = False
        self.setWindowTitle(self.tr("Connections"))
        self._build()
        fit(self, 900, 660)
        self._fill(self._chosen)
        self._ask_about_keys()
        self._list.setFocus()

    # -- layout ---------------------------------------------------------------------------------------------

    def _build(self) -> None:
        self._form = ConnectionForm(self._workspace, self._background, self)
        self._form.edited.connect(self._take_edit)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self._demo_page())
        self._pages.addWidget(scrolled(self._form, self.tr("The chosen connection")))
        self._problem = Notice("bad")
        self._save = push_button(self.tr("Save"), parent=self)
        self._save.clicked.connect(lambda: self._store(use=False))
        self._use = push_button(self.tr("Use this connection"), "primary", self)
        self._use.setDefault(True)
        self._use.clicked.connect(lambda: self._store(use=True))
        cancel = push_button(self.tr("Cancel"), parent=self)
        cancel.clicked.connect(self.reject)
        buttons = row()
        buttons.addWidget(self._problem, 1, Qt.AlignmentFlag.AlignVCenter)
        buttons.addStretch(0)
        for button in (cancel, self._save, self._use):
            buttons.addWidget(button)
        buttons.setContentsMargins(16, 12, 16, 12)
        body = row(self._left(), self._pages, spacing=0)
        body.setStretch(1, 1)
        layout = column(parent=self, spacing=0)
        layout.addLayout(body, 1)
        layout.addWidget(line())
        layout.addLayout(buttons)

    def _left(self) -> QWidget:
        self._list = RowList(self.tr("Connections"), self)
        self._list.currentItemChanged.connect(lambda item, _before: self._show_item(item))
        add = tool_button("plus", self.tr("Add connection"), self)
        add.clicked.connect(self._add)
        self._copy = tool_button("copy", self.tr("Duplicate connection"), self)
        self._copy.clicked.connect(self._duplicate)
        self._delete = tool_button("trash", self.tr("Delete connection"), self)
        self._delete.clicked.connect(self._remove)
        find = push_button(self.tr("Find a model on this computer…"), parent=self)
        find.clicked.connect(self._find)
        self._undo_words = plain_label("", "small", self)
        self._undo = push_button(self.tr("Undo delete"), "quiet", self)
        self._undo.clicked.connect(self._undelete)
        self._undo_row = QWidget(self)
        undo = row(self._undo_words, self._undo)
        undo.setStretch(0, 1)
        self._undo_row.setLayout(undo)
        self._undo_row.hide()
        tools = row(add, self._copy, self._delete, spacing=4)
        tools.addStretch(1)
        left = QWidget(self)
        left.setFixedWidth(LIST_WIDTH)
        layout = column(self._list, self._undo_row, parent=left, spacing=8)
        layout.addLayout(tools)
        layout.addWidget(find)
        layout.setContentsMargins(12, 12, 12, 12)
        return left

    def _demo_page(self) -> QWidget:
        page = QWidget(self)
        layout = QVBoxLayout(page)
        layout.setContentsMargins(20, 16, 20, 20)
        layout.setSpacing(12)
        layout.addWidget(plain_label(self.tr("Demo voice"), "title", wrap=False))
        layout.addWidget(
            plain_label(
                self.tr(
                    "This is no language model. It answers with ready-made sentences and the memories it is "
                    "given, so that chatting, recall and the panels can be tried at once. Nothing leaves "
                    "this computer."
                )
            )
        )
        layout.addWidget(
            plain_label(
                self.tr(
                    "For real replies, let memdesk look for a language model on this computer, or add a "
                    "connection with the address of any OpenAI-compatible server."
                ),
                "soft",
            )
        )
        layout.addStretch(1)
        return page

    # -- the list -------------------------------------------------------------------------------------------

    def _fill(self, current: str) -> None:
        """Write the list anew and go to a connection."""
        self._list.blockSignals(True)
        self._list.clear()
        for profile_id in (DEMO_PROFILE.id, *(draft.id for draft in self._drafts)):
            self._write_item(self._list.add("", "", profile_id))
        self._list.blockSignals(False)
        rows = [item.data(DATA) for item in self._list.all_items()]
        self._list.setCurrentRow(rows.index(current) if current in rows else 0)
        self._shown = ""
        self._show_item(self._list.currentItem())

    def _write_item(self, item: QListWidgetItem) -> None:
        profile_id = str(item.data(DATA))
        draft = self._draft(profile_id)
        name, under = self.tr("Demo voice"), self.tr("no language model")
        if draft is not None:
            name = draft.values["name"].strip() or self.tr("(no name)")
            under = " · ".join(part for part in (_host(draft.values), draft.values["model"].strip()) if part)
        write_row(item, name, under, self.tr("in use") if profile_id == self._chosen else "")

    def _draft(self, profile_id: str) -> Draft | None:
        return next((draft for draft in self._drafts if draft.id == profile_id), None)

    def _current(self) -> Draft | None:
        return self._draft(self._shown)

    def _show_item(self, item: QListWidgetItem | None) -> None:
        if item is None:
            return
        self._shown = str(item.data(DATA))
        draft = self._current()
        self._pages.setCurrentIndex(0 if draft is None else 1)
        tips = {
            self._copy: (self.tr("Duplicate connection"), self.tr("The demo voice cannot be duplicated.")),
            self._delete: (self.tr("Delete connection"), self.tr("The demo voice cannot be deleted.")),
        }
        for button, (can, cannot) in tips.items():
            button.setEnabled(draft is not None)
            button.setToolTip(cannot if draft is None else can)
        self._problem.say("")
        if draft is None:
            self._form.stop()
        else:
            self._form.show_values(draft.id, draft.values, draft.key, kept=draft.key_kept)

    def _take_edit(self) -> None:
        draft = self._current()
        if draft is not None:
            draft.values, draft.key = self._form.values(), self._form.key_change()
            self._write_item(self._list.currentItem())
            self._problem.say("")

    # -- add, duplicate, delete -----------------------------------------------------------------------------

    def _add(self) -> None:
        blank = ConnectionProfile(
            name=self._free_name(self.tr("New connection")), base_url="http://localhost"
        )
        self._insert(Draft(blank.id, values_of(blank) | {"base_url": ""}), len(self._drafts))
        self._form.show_errors({})
        self._form.focus_name()

    def _duplicate(self) -> None:
        draft = self._current()
        if draft is None:
            return
        name = self._free_name(self.tr("{name} (copy)").format(name=draft.values["name"].strip()))
        copy = Draft(uuid.uuid4().hex, draft.values | {"name": name[:200]}, key=draft.key or None)
        self._insert(copy, self._drafts.index(draft) + 1)
        self._form.focus_name()

    def _insert(self, draft: Draft, place: int) -> None:
        self._drafts.insert(place, draft)
        self._fill(draft.id)

    def _remove(self) -> None:
        draft = self._current()
        if draft is None:
            return
        place = self._drafts.index(draft)
        self._drafts.remove(draft)
        self._deleted.append((place, draft))
        self._show_undo()
        after = self._drafts[min(place, len(self._drafts) - 1)].id if self._drafts else DEMO_PROFILE.id
        self._fill(after)
        self._undo.setFocus()

    def _undelete(self) -> None:
        if self._deleted:
            place, draft = self._deleted.pop()
            self._show_undo()
            self._insert(draft, place)
            self._list.setFocus()

    def _show_undo(self) -> None:
        if self._deleted:
            name = self._deleted[-1][1].values["name"].strip() or self.tr("(no name)")
            self._undo_words.setText(self.tr("“{name}” goes when you save.").format(name=name[:60]))
        self._undo_row.setVisible(bool(self._deleted))

    def _free_name(self, wanted: str) -> str:
        taken = {draft.values["name"].strip() for draft in self._drafts}
        number, name = 1, wanted
        while name in taken:
            number += 1
            name = f"{wanted} {number}"
        return name

    def _find(self) -> None:
        wizard = FindModelDialog(self._workspace, self._background, self)
        wizard.profileCreated.connect(self._take_found)
        wizard.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        wizard.open()

    def _take_found(self, profile: ConnectionProfile) -> None:
        """Add what the wizard made; it is saved already, and in use."""
        self._chosen = profile.id
        self._insert(Draft(profile.id, values_of(profile), saved=profile), len(self._drafts))
        self._ask_about_keys()
        self.connectionChanged.emit(profile.id)

    # -- keys -----------------------------------------------------------------------------------------------

    def _ask_about_keys(self) -> None:
        """Learn where keys go and which connections have one; a keyring may take seconds."""
        keys, ids = self._workspace.keys, [draft.id for draft in self._drafts]
        self._background.long(
            lambda: (keys.location, {profile_id for profile_id in ids if keys.get(profile_id)}),
            self._show_keys,
            failed=lambda error: self._problem.say(failure_words(error), "bad"),
            owner=self,
        )

    def _show_keys(self, found: tuple[str, set[str]]) -> None:
        place, kept = found
        self._form.key_field().set_place("keyring" if place == "keyring" else "file")
        for draft in self._drafts:
            draft.key_kept = draft.id in kept
        shown = self._current()
        if shown is not None:
            self._form.key_field().set_key(shown.key, kept=shown.key_kept)

    # -- saving ---------------------------------------------------------------------------------------------

    def _store(self, *, use: bool) -> None:
        """Check everything, then keep it; stays open and says why when something is wrong."""
        if self._saving:
            return
        profiles: list[ConnectionProfile] = []
        for draft in self._drafts:
            try:
                profiles.append(profile_of(draft.id, draft.values))
            except FieldErrors as error:
                self._go_to(draft.id)
                self._form.show_errors(error.fields)
                self._problem.say(self.tr("Please correct what is marked, or delete this connection."))
                return
        present = {DEMO_PROFILE.id, *(profile.id for profile in profiles)}
        chosen = self._shown if use else self._chosen
        chosen = chosen if chosen in present else DEMO_PROFILE.id
        changes = {draft.id: draft.key for draft in self._drafts if draft.key is not None}
        gone = [draft.id for _, draft in self._deleted if draft.saved is not None]
        workspace = self._workspace

        def keep() -> None:
            for profile_id, key in changes.items():
                workspace.keys.set(profile_id, key)
            workspace.change_settings(
                workspace.settings.model_copy(update={"connections": profiles, "connection": chosen})
            )
            for profile_id in gone:
                workspace.keys.delete(profile_id)

        self._set_saving(True)
        self._background.write(keep, lambda _: self._stored(chosen), failed=self._not_stored, owner=self)

    def _stored(self, chosen: str) -> None:
        self._set_saving(False)
        self.connectionChanged.emit(chosen)
        self.accept()

    def _not_stored(self, error: Exception) -> None:
        self._set_saving(False)
        self._problem.say(failure_words(error), "bad")

    def _set_saving(self, saving: bool) -> None:
        self._saving = saving
        self._save.setEnabled(not saving)
        self._use.setEnabled(not saving)

    def _go_to(self, profile_id: str) -> None:
        for item in self._list.all_items():
            if item.data(DATA) == profile_id and item is not self._list.currentItem():
                self._list.setCurrentItem(item)

    def done(self, result: int) -> None:
        """Close; what runs in the background for this dialog ends."""
        self._form.stop()
        super().done(result)


def _host(values: Values) -> str:
    try:
        return urlsplit(values["base_url"].strip()).hostname or ""
    except ValueError:
        return ""
