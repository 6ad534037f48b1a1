"""One embedding server as a form: it is tested before it is kept, so that nothing useless is chosen."""

from __future__ import annotations

from typing import Final

from pydantic import ValidationError
from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QLineEdit, QWidget

from memdesk.chats.text import clean
from memdesk.embedding.prefixes import PROFILES, prefixes_for
from memdesk.llm.discovery import ModelInfo, list_models
from memdesk.llm.embedder_profile import AUTO, CUSTOM, EmbedderProfile
from memdesk.memory.embedders import SelfTest
from memdesk.ui.background import Background
from memdesk.ui.dialogs.key_field import KeyField
from memdesk.ui.dialogs.pieces import (
    CalmComboBox,
    Field,
    Fold,
    Notice,
    column,
    push_button,
    read_text,
    write_text,
)
from memdesk.ui.dialogs.profile_values import FieldErrors, address_profile
from memdesk.ui.dialogs.words import failure_words, place_words
from memdesk.ui.sentences import said
from memdesk.work.cancel import Cancelled, CancelToken
from memdesk.workspace import Workspace

WHOLE: Final = {"max_tokens": (16, 1_000_000), "batch": (1, 2048)}
"""Fields that are whole numbers, with their limits."""


class EmbedderForm(QWidget):
    """The fields of one source. "Test and save" tries it, tells what it found, and keeps it if it is good."""

    saved = Signal(str)
    """A source was kept; carries its id."""

    def __init__(self, workspace: Workspace, background: Background, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._background = background
        self._profile: EmbedderProfile | None = None
        self._id = ""
        self._running: CancelToken | None = None
        self._build()

    # ── what is in it ────────────────────────────────────────────────────────────────────────────────

    def show_source(self, profile: EmbedderProfile | None, source_id: str, *, key_kept: bool) -> None:
        """Show a source, or with None an empty form for a new one."""
        self.stop()
        self._id, self._profile = source_id, profile
        write_text(self._name.control, profile.name if profile else self.tr("My embedding server"))
        write_text(self._address.control, profile.base_url if profile else "")
        self._model.clear()
        write_text(self._model, profile.model if profile else "")
        self._prefixes.setCurrentIndex(max(0, self._prefixes.findData(profile.prefixes if profile else AUTO)))
        write_text(self._query.control, profile.query_prefix if profile else "")
        write_text(self._passage.control, profile.passage_prefix if profile else "")
        write_text(self._tokens.control, str(profile.max_tokens if profile else 512))
        write_text(self._batch.control, str(profile.batch if profile else 32))
        self._key.set_key(None, kept=key_kept)
        for field in self._fields():
            field.set_error("")
        self._clear_found()
        if profile is not None and profile.dimension:
            numbers = self.tr("Tested: {count} dimensions.").format(
                count=QLocale().toString(profile.dimension)
            )
            self._result.say(numbers, "ok")
            self._weakness(profile.weak)
        self._show_place()
        self._show_prefixes()

    def key_field(self) -> KeyField:
        """Return the field of the API key."""
        return self._key

    def focus_address(self) -> None:
        """Go to the address."""
        self._address.control.setFocus()

    def stop(self) -> None:
        """End the test or the question that is under way."""
        if self._running is not None:
            self._running.cancel()
            self._running = None
        self._set_running(False)

    # ── layout ───────────────────────────────────────────────────────────────────────────────────────

    def _build(self) -> None:
        entry = QLineEdit()
        entry.setPlaceholderText("http://127.0.0.1:11434/v1")
        entry.textChanged.connect(lambda _: self._show_place())
        self._name = Field(self.tr("Name"), QLineEdit())
        self._address = Field(self.tr("Server address"), entry)
        self._place = Notice("info")
        self._place.keep_line()
        self._key = KeyField(self)
        self._model = CalmComboBox(self)
        self._model.setEditable(True)
        self._model.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self._model.currentTextChanged.connect(lambda _: self._show_prefixes())
        self._load = push_button(self.tr("Load models"))
        self._load.clicked.connect(self._load_models)
        self._model_field = Field(
            self.tr("Embedding model"),
            self._model,
            self.tr("One made for embeddings, not the one that chats: {name}, for example.").format(
                name="bge-m3"
            ),
            self._load,
        )
        self._test = push_button(self.tr("Test and save"), "primary", self)
        self._test.clicked.connect(self._start)
        self._result, self._english, self._chinese = Notice("info"), Notice("info"), Notice("info")
        layout = column(self._name, parent=self)
        layout.addLayout(column(self._address, self._place, spacing=6))
        layout.addWidget(self._key)
        layout.addWidget(self._model_field)
        layout.addWidget(Fold(self.tr("More: prefixes and limits"), self._make_more(), self))
        layout.addWidget(self._test, 0, Qt.AlignmentFlag.AlignLeft)
        for notice in (self._result, self._english, self._chinese):
            layout.addWidget(notice)

    def _make_more(self) -> QWidget:
        self._prefixes = CalmComboBox()
        self._prefixes.addItem("", AUTO)
        for name, prefixes in PROFILES.items():
            self._prefixes.addItem(_prefix_words(prefixes.query, prefixes.passage), name)
        self._prefixes.addItem(self.tr("Own prefixes"), CUSTOM)
        self._prefixes.currentIndexChanged.connect(lambda _: self._show_prefixes())
        before = Field(
            self.tr("What stands before texts"),
            self._prefixes,
            self.tr("Many models were trained to tell questions from passages by it."),
        )
        self._query = Field(self.tr("Before a question"), QLineEdit())
        self._passage = Field(self.tr("Before a memory"), QLineEdit())
        self._tokens = Field(
            self.tr("Longest text (tokens)"), QLineEdit(), self.tr("What is longer is cut off.")
        )
        self._batch = Field(
            self.tr("Texts in a request"),
            QLineEdit(),
            self.tr("Fewer are sent when the server refuses so many."),
        )
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(12)
        pairs = ((self._query, self._passage), (self._tokens, self._batch))
        for line, pair in enumerate(pairs):
            for place, field in enumerate(pair):
                grid.addWidget(field, line, place, Qt.AlignmentFlag.AlignTop)
                grid.setColumnStretch(place, 1)
        more = QWidget()
        layout = column(before, parent=more)
        layout.addLayout(grid)
        return more

    def _fields(self) -> tuple[Field, ...]:
        return (
            self._name, self._address, self._model_field, self._query, self._passage, self._tokens,
            self._batch,
        )  # fmt: skip

    def _show_place(self) -> None:
        words, kind = place_words(read_text(self._address.control))
        self._place.say(words, kind)

    def _show_prefixes(self) -> None:
        found = prefixes_for(read_text(self._model))
        words = self.tr("By the name of the model: {prefixes}")
        self._prefixes.setItemText(
            0, words.format(prefixes=_prefix_words(found.query, found.passage).replace("{", "{{"))
        )
        own = self._prefixes.currentData() == CUSTOM
        self._query.setVisible(own)
        self._passage.setVisible(own)

    # ── models ───────────────────────────────────────────────────────────────────────────────────────

    def _load_models(self) -> None:
        if self._running is not None:
            self.stop()
            return
        try:
            profile = address_profile(read_text(self._address.control))
        except FieldErrors as error:
            self._address.set_error(error.fields.get("base_url", ""))
            return
        token = self._begin()
        key = self._key.source(self._stored_key)
        self._background.long(
            lambda: list_models(profile, key(), token),
            lambda models: self._show_models(token, models),
            failed=lambda error: self._failed(token, error),
            owner=self,
        )

    def _show_models(self, token: CancelToken, models: list[ModelInfo]) -> None:
        if token is not self._running:
            return
        self._end()
        present = read_text(self._model)
        self._model.clear()
        self._model.addItems([model.id for model in models])
        write_text(self._model, present or (models[0].id if models else ""))
        self._model.setFocus()

    def _stored_key(self) -> str | None:
        return self._workspace.keys.get(self._id)

    # ── test and save ────────────────────────────────────────────────────────────────────────────────

    def _start(self) -> None:
        if self._running is not None:
            self.stop()
            self._result.say(self.tr("The test was stopped. Nothing was saved."), "info")
            return
        profile = self._read()
        if profile is None:
            return
        token = self._begin()
        self._clear_found()
        self._result.say(self.tr("Asking for vectors of 48 sentences…"), "info")
        embedders, change = self._workspace.embedders, self._key.change
        self._background.long(
            lambda: embedders.try_out(profile, change, token),
            lambda found: self._tested(token, found),
            failed=lambda error: self._failed(token, error),
            owner=self,
        )

    def _read(self) -> EmbedderProfile | None:
        """Return what the fields say; shows what is wrong and returns None when something is."""
        for field in self._fields():
            field.set_error("")
        values: dict[str, object] = {"id": self._id, "timeout_seconds": 60.0}
        if self._profile is not None:
            values["timeout_seconds"] = self._profile.timeout_seconds
        values["name"] = clean(read_text(self._name.control)).strip()
        values["model"] = clean(read_text(self._model)).strip()
        values["prefixes"] = str(self._prefixes.currentData())
        values["query_prefix"] = clean(read_text(self._query.control))
        values["passage_prefix"] = clean(read_text(self._passage.control))
        wrong: list[Field] = []
        for name, field in (("max_tokens", self._tokens), ("batch", self._batch)):
            low, high = WHOLE[name]
            text = "".join(read_text(field.control).split()).replace(",", "")
            if text.isascii() and text.isdigit() and len(text) < 10 and low <= int(text) <= high:
                values[name] = int(text)
                continue
            words = self.tr("Enter a whole number from {low} to {high}.")
            field.set_error(words.format(low=low, high=QLocale().toString(high)))
            wrong.append(field)
        try:
            address = address_profile(clean(read_text(self._address.control)))
            values["base_url"] = address.base_url
        except FieldErrors as error:
            self._address.set_error(error.fields.get("base_url", ""))
            wrong.insert(0, self._address)
        if not values["name"]:
            self._name.set_error(self.tr("Give it a name."))
            wrong.insert(0, self._name)
        if not wrong:
            try:
                return EmbedderProfile.model_validate(values)
            except ValidationError:
                self._result.say(self.tr("A name or prefix is too long."), "bad")
                return None
        wrong[0].control.setFocus()
        return None

    def _tested(self, token: CancelToken, found: SelfTest) -> None:
        if token is not self._running:
            return
        self._end()
        locale = QLocale()
        numbers = self.tr("{count} dimensions, about {speed} short texts a second.").format(
            count=locale.toString(found.dimension),
            speed=locale.toString(found.texts_per_second, "f", 1 if found.texts_per_second < 10 else 0),
        )
        for check in found.checks:
            self._show_check(check.language, check.above, ok=check.ok)
        if not found.ok:
            self._result.say(said(found.problem) + " " + self.tr("It was not saved."), "bad", numbers)
            return
        self._keep(found.profile, numbers)

    def _show_check(self, language: str, above: float, *, ok: bool) -> None:
        notice, name = {
            "en": (self._english, self.tr("English")),
            "zh": (self._chinese, self.tr("Chinese")),
        }[language]
        share = QLocale().toString(above * 100, "f", 0)
        if ok:
            words = self.tr("{language}: what belongs together scores above {share} % of the rest.")
            notice.say(words.format(language=name, share=share), "ok")
        else:
            words = self.tr(
                "{language}: this model hardly tells sentences apart ({share} %; chance is 50 %). Memories "
                "in this language are found by words."
            )
            notice.say(words.format(language=name, share=share), "wait")

    def _weakness(self, weak: list[str]) -> None:
        for language in weak:
            if language in ("en", "zh"):
                self._show_check(language, 0.5, ok=False)

    def _keep(self, profile: EmbedderProfile, numbers: str) -> None:
        workspace, change = self._workspace, self._key.change

        def keep() -> None:
            if change is not None:
                workspace.keys.set(profile.id, change)
            kept = list(workspace.settings.embedders)
            places = [place for place, item in enumerate(kept) if item.id == profile.id]
            if places:
                kept[places[0]] = profile
            else:
                kept.append(profile)
            workspace.change_settings(workspace.settings.model_copy(update={"embedders": kept}))

        def done(_: None) -> None:
            self._profile = profile
            self._result.say(self.tr("It works and was saved."), "ok", numbers)
            self.saved.emit(profile.id)

        self._background.write(
            keep, done, failed=lambda error: self._result.say(failure_words(error), "bad"), owner=self
        )

    def _failed(self, token: CancelToken, error: Exception) -> None:
        if token is not self._running or isinstance(error, Cancelled):
            return
        self._end()
        self._result.say(failure_words(error), "bad")

    def _begin(self) -> CancelToken:
        self._running = CancelToken()
        self._set_running(True)
        return self._running

    def _end(self) -> None:
        self._running = None
        self._set_running(False)

    def _set_running(self, running: bool) -> None:
        words = self.tr("Stop") if running else self.tr("Test and save")
        self._test.setText(words)
        self._test.setAccessibleName(words)
        self._load.setEnabled(not running)

    def _clear_found(self) -> None:
        for notice in (self._result, self._english, self._chinese):
            notice.say("")


def _prefix_words(query: str, passage: str) -> str:
    """Return what stands before a question and before a memory, shortened to be read."""
    if not query and not passage:
        return "—"
    return " / ".join(f"“{' '.join(text.split())[:40]}”" if text else "—" for text in (query, passage))
