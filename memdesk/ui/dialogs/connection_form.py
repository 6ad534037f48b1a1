"""One connection as a form: where the model is, how much it takes in, how it is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QLineEdit, QWidget

from memdesk.llm.discovery import CheckResult, ModelInfo, list_models
from memdesk.llm.profile import ConnectionProfile, normalise_base_url
from memdesk.ui.background import Background
from memdesk.ui.dialogs.check_panel import CheckPanel
from memdesk.ui.dialogs.embedder_choices import SourceBox
from memdesk.ui.dialogs.key_field import KeyField
from memdesk.ui.dialogs.pieces import (
    CalmComboBox,
    Field,
    Fold,
    Notice,
    TextBox,
    column,
    push_button,
    read_text,
    row,
    write_text,
)
from memdesk.ui.dialogs.profile_values import FIELDS, FieldErrors, Values, address_profile, profile_of
from memdesk.ui.dialogs.words import failure_words, place_words
from memdesk.work.cancel import Cancelled, CancelToken
from memdesk.workspace import Workspace

MAIN_FIELDS: Final = ("name", "base_url", "model", "context_tokens", "reply_tokens")
"""What shows without opening "More"."""


class ConnectionForm(QWidget):
    """The fields of one connection. It changes nothing by itself: read `values()` and `key_change()`."""

    edited = Signal()

    def __init__(self, workspace: Workspace, background: Background, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._background = background
        self._id = ""
        self._listing: CancelToken | None = None
        self._sizes: dict[str, int | None] = {}
        self._fields: dict[str, Field] = {}
        self._main = self._make_main()
        self._check = CheckPanel(background, self._to_test, self)
        self._check.checked.connect(self._take_result)
        self._more = Fold(
            self.tr("More: sampling, stop texts, time limit, embeddings"), self._make_more(), self
        )
        layout = column(self._main, self._check, self._more, parent=self, spacing=16)
        layout.setContentsMargins(20, 16, 20, 20)
        layout.addStretch(1)
        for field in self._fields.values():
            self._listen(field)
        self._key.edited.connect(self._check.clear)
        self._key.edited.connect(self.edited)

    # -- what is in it --------------------------------------------------------------------------------------

    def show_values(self, profile_id: str, values: Values, key_change: str | None, *, kept: bool) -> None:
        """Show a connection; what was being tested or asked for is dropped."""
        self.stop()
        self._id = ""
        self._sizes = {}
        self._model.clear()
        for name, field in self._fields.items():
            write_text(field.control, values.get(name, ""))
            field.set_error("")
        self._key.set_key(key_change, kept=kept)
        self._id = profile_id
        self._show_place()
        self._show_size()

    def values(self) -> Values:
        """Return the texts of all fields as they are."""
        return {name: read_text(field.control) for name, field in self._fields.items()}

    def key_change(self) -> str | None:
        """Return what saving does to the key: None nothing, "" remove it, else keep this one."""
        return self._key.change

    def key_field(self) -> KeyField:
        """Return the field of the API key."""
        return self._key

    def show_errors(self, errors: dict[str, str]) -> None:
        """Show what is wrong beside the fields and go to the first of them."""
        for name, field in self._fields.items():
            field.set_error(errors.get(name, ""))
        wrong = [name for name in FIELDS if name in errors]
        if not wrong:
            return
        if wrong[0] not in MAIN_FIELDS:
            self._more.open()
        self._fields[wrong[0]].control.setFocus()

    def focus_name(self) -> None:
        """Go to the name, all of it selected."""
        entry = self._fields["name"].control
        entry.setFocus()
        if isinstance(entry, QLineEdit):
            entry.selectAll()

    def stop(self) -> None:
        """End what runs in the background for this form."""
        self._check.clear()
        if self._listing is not None:
            self._listing.cancel()
            self._listing = None
        self._set_listing(False)

    # -- layout ---------------------------------------------------------------------------------------------

    def _make_main(self) -> QWidget:
        self._model = CalmComboBox(self)
        self._model.setEditable(True)
        self._model.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self._load = push_button(self.tr("Load models"))
        self._load.clicked.connect(self._load_models)
        self._place = Notice("info")
        self._place.keep_line()
        self._size = Notice("info")
        self._take = push_button(self.tr("Use this context size"), "quiet")
        self._take.clicked.connect(self._take_size)
        self._key = KeyField(self)
        entry = QLineEdit()
        entry.setPlaceholderText("http://127.0.0.1:11434/v1")
        entry.editingFinished.connect(lambda: _settle_address(entry))
        address = self._add("base_url", self.tr("Server address"), entry)
        tokens = QGridLayout()
        tokens.setHorizontalSpacing(12)
        context = self._add("context_tokens", self.tr("Context (tokens)"), QLineEdit())
        context.set_hint(self.tr("Prompt and reply together, at most what the server takes."))
        reply = self._add("reply_tokens", self.tr("Reply length (tokens)"), QLineEdit())
        reply.set_hint(self.tr("Kept free for the reply."))
        for place, field in enumerate((context, reply)):
            tokens.addWidget(field, 0, place, Qt.AlignmentFlag.AlignTop)
            tokens.setColumnStretch(place, 1)
        main = QWidget()
        layout = column(self._add("name", self.tr("Name"), QLineEdit()), parent=main)
        layout.addLayout(column(address, self._place, spacing=6))
        layout.addWidget(self._key)
        model = self._add("model", self.tr("Model"), self._model, self._load)
        model.set_hint(self.tr("May be empty when the server has just one."))
        size = row(self._size, self._take)
        size.setStretch(0, 1)
        layout.addLayout(column(model, spacing=6))
        layout.addLayout(size)
        layout.addLayout(tokens)
        return main

    def _make_more(self) -> QWidget:
        titles = {
            "temperature": self.tr("Temperature"),
            "top_p": self.tr("Top P"),
            "min_p": self.tr("Min P"),
            "top_k": self.tr("Top K"),
            "repetition_penalty": self.tr("Repetition penalty"),
            "frequency_penalty": self.tr("Frequency penalty"),
            "presence_penalty": self.tr("Presence penalty"),
            "seed": self.tr("Seed"),
        }
        top = Qt.AlignmentFlag.AlignTop
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(12)
        for place, (name, title) in enumerate(titles.items()):
            entry = QLineEdit()
            entry.setPlaceholderText(self.tr("server decides"))
            grid.addWidget(self._add(name, title, entry), place // 3, place % 3, top)
        timeout = self._add("timeout_seconds", self.tr("Time limit (seconds)"), QLineEdit())
        grid.addWidget(timeout, 2, 2, top)
        for place in range(3):
            grid.setColumnStretch(place, 1)
        more = QWidget()
        layout = column(parent=more)
        layout.addLayout(grid)
        stop = self._add("stop", self.tr("Stop texts"), TextBox(3))
        stop.set_hint(self.tr("One per line; the reply ends before them. Write \\n for a line break."))
        extra = self._add("extra_body", self.tr("Extra fields of the request (JSON)"), TextBox(4))
        extra.set_hint(self.tr("For options that only your server knows."))
        timeout.control.setToolTip(
            self.tr("The longest silence before the first piece of a reply and between two pieces.")
        )
        layout.addWidget(stop)
        layout.addWidget(extra)
        unset = self.tr("As set in the preferences")
        source = self._add("embedder", self.tr("Embeddings"), SourceBox(self._workspace.settings, unset))
        source.set_hint(self.tr("Where the vectors of chats come from while this connection is in use."))
        layout.addWidget(source)
        return more

    def _add(self, name: str, title: str, control: QWidget, *beside: QWidget) -> Field:
        field = self._fields[name] = Field(title, control, "", *beside)
        return field

    def _listen(self, field: Field) -> None:
        control = field.control
        changed = (
            control.currentTextChanged if isinstance(control, QComboBox) else control.textChanged  # type: ignore[attr-defined]
        )
        changed.connect(lambda *_: self._edited(field))

    def _edited(self, field: Field) -> None:
        if not self._id:
            return
        field.set_error("")
        if field is not self._fields["name"]:
            # What a test said holds for what was tested.
            self._check.clear()
        if field is self._fields["base_url"]:
            self._show_place()
            self._sizes = {}
        if field in (self._fields["base_url"], self._fields["model"], self._fields["context_tokens"]):
            self._show_size()
        self.edited.emit()

    # -- where chats go -------------------------------------------------------------------------------------

    def _show_place(self) -> None:
        self._place.say(*place_words(read_text(self._fields["base_url"].control)))

    # -- models ---------------------------------------------------------------------------------------------

    def _load_models(self) -> None:
        if self._listing is not None:
            self._listing.cancel()
            self._listing = None
            self._set_listing(False)
            return
        try:
            profile = address_profile(**{name: self.values()[name] for name in ("base_url", "model")})
        except FieldErrors as error:
            self.show_errors(error.fields)
            return
        token = self._listing = CancelToken()
        key = self._key.source(self._stored_key())
        self._set_listing(True)
        self._background.long(
            lambda: list_models(profile, key(), token),
            lambda models: self._show_models(token, models),
            failed=lambda error: self._listing_failed(token, error),
            owner=self,
        )

    def _set_listing(self, running: bool) -> None:
        words = self.tr("Cancel loading") if running else self.tr("Load models")
        self._load.setText(words)
        self._load.setAccessibleName(words)

    def _show_models(self, token: CancelToken, models: list[ModelInfo]) -> None:
        if token is not self._listing:
            return
        self._listing = None
        self._set_listing(False)
        self._fill(models)
        field = self._fields["model"]
        if not models:
            field.set_error(self.tr("The server lists no models. Load or download one there first."))
            return
        if not self._model.currentText():
            self._model.setCurrentIndex(0)
        field.set_error("")
        self._model.setFocus()

    def _fill(self, models: list[ModelInfo] | tuple[ModelInfo, ...]) -> None:
        present = self._model.currentText()
        self._sizes = {model.id: model.context_tokens for model in models}
        self._model.blockSignals(True)
        self._model.clear()
        self._model.addItems([model.id for model in models])
        self._model.setCurrentIndex(self._model.findText(present))
        self._model.setEditText(present)
        self._model.blockSignals(False)
        self._show_size()

    def _listing_failed(self, token: CancelToken, error: Exception) -> None:
        if token is not self._listing or isinstance(error, Cancelled):
            return
        self._listing = None
        self._set_listing(False)
        self._fields["model"].set_error(failure_words(error))

    def _known_size(self) -> int | None:
        return self._sizes.get(self._model.currentText())

    def _show_size(self) -> None:
        size = self._known_size()
        if size is None:
            self._size.say("")
            self._take.hide()
            return
        shown = QLocale().toString(size)
        present = "".join(read_text(self._fields["context_tokens"].control).split()).replace(",", "")
        same = present == str(size)
        larger = present.isdecimal() and len(present) < 15 and int(present) > size
        self._size.say(
            self.tr("The server takes {count} tokens with this model.").format(count=shown),
            "ok" if same else "wait" if larger else "info",
        )
        self._take.setVisible(not same)

    def _take_size(self) -> None:
        size = self._known_size()
        if size is not None:
            write_text(self._fields["context_tokens"].control, str(size))
            self._fields["context_tokens"].control.setFocus()

    # -- test -----------------------------------------------------------------------------------------------

    def _to_test(self) -> tuple[ConnectionProfile, Callable[[], str | None]] | None:
        try:
            profile = profile_of(self._id, self.values())
        except FieldErrors as error:
            self.show_errors(error.fields)
            return None
        self.show_errors({})
        return profile, self._key.source(self._stored_key())

    def _stored_key(self) -> Callable[[], str | None]:
        profile_id, keys = self._id, self._workspace.keys
        return lambda: keys.get(profile_id)

    def _take_result(self, result: CheckResult) -> None:
        models = list(result.models)
        if result.context_tokens is not None:
            chosen = self._model.currentText()
            models = [model for model in models if model.id != chosen]
            models.insert(0, ModelInfo(chosen, result.context_tokens))
        if models:
            self._fill(models)


def _settle_address(entry: QLineEdit) -> None:
    """Show an address the way it will be used, as soon as it can be read."""
    try:
        settled = normalise_base_url(entry.text())
    except ValueError:
        return
    if settled != entry.text():
        entry.setText(settled)
