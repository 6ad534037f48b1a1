"""The presets: a list, and one of them as a form. What is written is kept at once and can be undone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFileDialog, QListWidgetItem, QWidget

from memdesk.formats.sillytavern_preset import FoundPreset
from memdesk.presets import NamedPreset
from memdesk.ui.dialogs.pieces import Notice, column, fit, line, push_button, row, scrolled, tool_button
from memdesk.ui.dialogs.preset_form import PresetForm
from memdesk.ui.dialogs.preset_import import PresetImportDialog
from memdesk.ui.dialogs.profile_values import FieldErrors
from memdesk.ui.dialogs.rows import DATA, RowList, write_row
from memdesk.ui.errors import explain
from memdesk.ui.session import Session
from memdesk.work.undo import Undo

LIST_WIDTH = 240


class PresetsDialog(QDialog):
    """Add, change, reset, delete, carry and choose presets."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._workspace = session.workspace
        self._presets: dict[str, NamedPreset] = {}
        self._shown = ""
        self._dirty = False
        self.setWindowTitle(self.tr("Presets"))
        self._build()
        fit(self, 900, 680)
        self._reload(self._workspace.preset_key())
        session.undone.connect(lambda _label: self._reload(self._shown))

    # -- layout ---------------------------------------------------------------------------------------------

    def _build(self) -> None:
        self._form = PresetForm(self)
        self._form.edited.connect(self._edited)
        self._form.setEnabled(False)
        self._problem = Notice("bad")
        self._reset = push_button(self.tr("Reset"), parent=self)
        self._reset.setToolTip(self.tr("Back to the built-in prompts, without any sampling of its own."))
        self._reset.clicked.connect(self._put_back)
        close = push_button(self.tr("Close"), parent=self)
        close.clicked.connect(self.accept)
        self._use = push_button(self.tr("Use in all chats"), "primary", self)
        self._use.setToolTip(self.tr("Chats with a preset of their own keep it."))
        self._use.clicked.connect(self._choose)
        for button in (self._reset, close, self._use):
            button.setAutoDefault(False)
        buttons = row(self._reset)
        buttons.addWidget(self._problem, 1, Qt.AlignmentFlag.AlignVCenter)
        buttons.addStretch(0)
        buttons.addWidget(close)
        buttons.addWidget(self._use)
        buttons.setContentsMargins(16, 12, 16, 12)
        body = row(self._left(), scrolled(self._form, self.tr("The chosen preset")), spacing=0)
        body.setStretch(1, 1)
        layout = column(parent=self, spacing=0)
        layout.addLayout(body, 1)
        layout.addWidget(line())
        layout.addLayout(buttons)

    def _left(self) -> QWidget:
        self._list = RowList(self.tr("Presets"), self)
        self._list.currentItemChanged.connect(lambda item, _before: self._go(item))
        add = tool_button("plus", self.tr("New preset"), self)
        copy = tool_button("copy", self.tr("Duplicate preset"), self)
        fetch = tool_button("import", self.tr("Import preset…"), self)
        give = tool_button("export", self.tr("Export preset…"), self)
        self._delete = tool_button("trash", self.tr("Delete preset"), self)
        add.clicked.connect(self._new)
        copy.clicked.connect(self._duplicate)
        fetch.clicked.connect(self._import)
        give.clicked.connect(self._export)
        self._delete.clicked.connect(self._remove)
        tools = row(add, copy, fetch, give, self._delete, spacing=4)
        tools.addStretch(1)
        left = QWidget(self)
        left.setFixedWidth(LIST_WIDTH)
        layout = column(self._list, parent=left, spacing=8)
        layout.addLayout(tools)
        layout.setContentsMargins(12, 12, 12, 12)
        return left

    # -- the list -------------------------------------------------------------------------------------------

    def _reload(self, wanted: str, *, name: bool = False) -> None:
        """Read the presets anew and go to one of them."""

        def show(found: list[NamedPreset]) -> None:
            self._presets = {item.key: item for item in found}
            self._list.blockSignals(True)
            self._list.clear()
            for item in found:
                self._write(self._list.add("", "", item.key))
            self._list.blockSignals(False)
            keys = [item.key for item in found]
            self._shown, self._dirty = "", False
            self._list.setCurrentRow(keys.index(wanted) if wanted in keys else 0)
            self._show(self._list.currentItem())
            if name:
                self._form.focus_name()

        self._session.background.read(self._workspace.presets.all, show, failed=self._fail, owner=self)

    def _write(self, item: QListWidgetItem) -> None:
        preset = self._presets[str(item.data(DATA))]
        under = self.tr("your own")
        if preset.built_in:
            under = self.tr("built in, changed") if preset.changed else self.tr("built in")
        in_use = self.tr("in use") if preset.key == self._workspace.preset_key() else ""
        write_row(item, preset.preset.name, under, in_use)

    def _go(self, item: QListWidgetItem | None) -> None:
        """Show another preset, when what was written in this one can be kept."""
        if item is None or item.data(DATA) == self._shown:
            return
        if not self._keep():
            before = next(row for row in self._list.all_items() if row.data(DATA) == self._shown)
            self._list.blockSignals(True)
            self._list.setCurrentItem(before)
            self._list.blockSignals(False)
            return
        self._show(item)

    def _show(self, item: QListWidgetItem | None) -> None:
        if item is None:
            return
        preset = self._presets[str(item.data(DATA))]
        self._shown, self._dirty = preset.key, False
        self._form.show_preset(preset.preset, built_in=preset.built_in)
        self._form.setEnabled(True)
        self._delete.setEnabled(not preset.built_in)
        self._problem.say("")

    def _edited(self) -> None:
        self._dirty = True
        self._problem.say("")

    # -- keeping --------------------------------------------------------------------------------------------

    def _keep(self, done: Callable[[], None] | None = None) -> bool:
        """Keep what was written; returns False, and says why, when it cannot be kept."""
        if not self._dirty or self._shown not in self._presets:
            if done is not None:
                done()
            return True
        try:
            preset = self._form.preset()
        except FieldErrors:
            self._problem.say(self.tr("Please correct what is marked."))
            return False
        key, acts, session = self._shown, self._workspace.presets, self._session
        named = self._presets[key]
        self._presets[key] = NamedPreset(key, preset, named.built_in, changed=named.built_in)
        self._dirty = False
        for item in self._list.all_items():
            if item.data(DATA) == key:
                self._write(item)
        session.act(lambda: acts.save(key, preset), lambda _: session.settingsChanged.emit())
        if done is not None:
            done()
        return True

    def _choose(self) -> None:
        if self._keep():
            preset = self._presets[self._shown].preset
            self._session.change_for_all(preset.name, preset=self._shown)
            self.accept()

    def done(self, result: int) -> None:
        """Close, when what was written can be kept."""
        if self._keep():
            super().done(result)

    # -- acts -----------------------------------------------------------------------------------------------

    def _make(self, act: Callable[[], tuple[NamedPreset, Undo]], *, name: bool = True) -> None:
        """Store a new preset and go to it."""
        made: list[str] = []

        def work() -> Undo:
            named, undo = act()
            made.append(named.key)
            return undo

        if self._keep():
            self._session.act(work, lambda _: self._reload(made[0], name=name))

    def _new(self) -> None:
        name, language = self.tr("New preset"), self._workspace.settings.language
        self._make(lambda: self._workspace.presets.new(name, language))

    def _duplicate(self) -> None:
        key = self._shown
        self._make(lambda: self._workspace.presets.duplicate(key))

    def _remove(self) -> None:
        key, self._dirty = self._shown, False
        session = self._session

        def gone(_undo: Undo) -> None:
            session.settingsChanged.emit()
            self._reload("")

        session.act(lambda: self._workspace.presets.delete(key), gone, removes=True)

    def _put_back(self) -> None:
        key, language, self._dirty = self._shown, self._workspace.settings.language, False
        session = self._session

        def back(_undo: Undo) -> None:
            session.settingsChanged.emit()
            self._reload(key)

        session.act(lambda: self._workspace.presets.reset(key, language), back)

    def _import(self) -> None:
        dialog = QFileDialog(self, self.tr("Import preset"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilter(self.tr("Presets") + " (*.json)")
        dialog.fileSelected.connect(lambda name: self.read_file(Path(name)))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def read_file(self, path: Path) -> None:
        """Read a preset from a file, show what does not map, and keep it when the person says so."""

        def show(found: FoundPreset) -> None:
            dialog = PresetImportDialog(found, path.name, self)
            dialog.wanted.connect(
                lambda: self._make(lambda: self._workspace.presets.add(found.preset), name=False)
            )
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            dialog.open()

        acts = self._workspace.presets
        self._session.background.long(lambda: acts.read_file(path), show, failed=self._fail, owner=self)

    def _export(self) -> None:
        if not self._keep():
            return
        dialog = QFileDialog(self, self.tr("Export preset"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("json")
        name = self._presets[self._shown].preset.name
        dialog.selectFile("".join(sign if sign.isalnum() or sign in " -_" else "_" for sign in name))
        dialog.fileSelected.connect(lambda chosen: self.write_file(Path(chosen)))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def write_file(self, path: Path) -> None:
        """Write the shown preset into a file."""
        key, acts = self._shown, self._workspace.presets
        self._session.background.write(lambda: acts.export(key, path), failed=self._fail, owner=self)

    def _fail(self, error: Exception) -> None:
        self._problem.say(explain(error), "bad")
