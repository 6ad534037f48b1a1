"""Finds a language model server on this computer, tries it, and makes a connection of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from urllib.parse import urlsplit

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QLineEdit,
    QListWidgetItem,
    QProgressBar,
    QStackedWidget,
    QWidget,
)

from memdesk.llm.discovery import CheckResult, FoundServer, ModelInfo, discover, list_models
from memdesk.llm.profile import ConnectionProfile
from memdesk.ui.background import Background
from memdesk.ui.dialogs.check_panel import CheckPanel
from memdesk.ui.dialogs.pieces import Field, Notice, column, fit, plain_label, push_button, row
from memdesk.ui.dialogs.profile_values import FieldErrors, address_profile
from memdesk.ui.dialogs.rows import DATA, RowList
from memdesk.ui.dialogs.words import failure_words, place_words
from memdesk.ui.sentences import said
from memdesk.work.cancel import Cancelled, CancelToken
from memdesk.workspace import Workspace

USUAL_CONTEXT = 8192
"""Taken when the server does not tell: what most local servers can do without more memory."""
PROGRAMS = (
    "Ollama",
    "LM Studio",
    "KoboldCpp",
    "llama.cpp",
    "text-generation-webui",
    "Jan",
    "vLLM",
    "TabbyAPI",
)
"""What is named to a person who runs none of them."""
LEAST_CONTEXT = 512
"""The smallest context that a connection can have."""


class FindModelDialog(QDialog):
    """Look, pick, test, use. The connection is made and put to use by the last button alone."""

    profileCreated = Signal(object)
    """The connection that was stored and is now in use."""

    def __init__(
        self,
        workspace: Workspace,
        background: Background,
        parent: QWidget | None = None,
        *,
        ports: Iterable[int] | None = None,
    ) -> None:
        """Begin to look at once, at `ports` instead of the usual ones when they are given."""
        super().__init__(parent)
        self._workspace = workspace
        self._background = background
        self._ports = None if ports is None else tuple(ports)
        self._looking: CancelToken | None = None
        self._profile: ConnectionProfile | None = None
        self._secret = ""
        self._servers: list[FoundServer] = []
        self._saving = False
        self.setWindowTitle(self.tr("Find a model on this computer"))
        self._build()
        fit(self, 600, 560)
        self.look()

    # -- layout ---------------------------------------------------------------------------------------------

    def _build(self) -> None:
        self._pages = QStackedWidget(self)
        for page in (self._look_page(), self._pick_page(), self._nothing_page(), self._test_page()):
            self._pages.addWidget(page)
        self._again = push_button(self.tr("Look again"), parent=self)
        self._again.clicked.connect(self.look)
        self._back = push_button(self.tr("Back"), parent=self)
        self._back.clicked.connect(self._go_back)
        self._close = push_button(self.tr("Cancel"), parent=self)
        self._close.clicked.connect(self.reject)
        self._next = push_button(self.tr("Test this model"), "primary", self)
        self._next.setDefault(True)
        self._next.clicked.connect(self._forward)
        buttons = row(self._again, self._back)
        buttons.addStretch(1)
        buttons.addWidget(self._close)
        buttons.addWidget(self._next)
        layout = column(self._pages, parent=self, spacing=16)
        layout.addLayout(buttons)
        layout.setStretch(0, 1)
        layout.setContentsMargins(20, 20, 20, 16)

    def _look_page(self) -> QWidget:
        page = QWidget(self)
        layout = column(
            plain_label(self.tr("Looking for language models"), "title", wrap=False),
            plain_label(
                self.tr(
                    "memdesk only looks at this computer, at the places where the usual programs wait for "
                    "questions; nothing is asked of any other machine."
                ),
                "soft",
            ),
            parent=page,
        )
        self._progress = QProgressBar(page)
        self._progress.setRange(0, 0)
        self._progress.setTextVisible(False)
        self._progress.setAccessibleName(self.tr("Looking for servers"))
        self._progress.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        layout.addWidget(self._progress)
        layout.addStretch(1)
        return page

    def _pick_page(self) -> QWidget:
        page = QWidget(self)
        self._found_words = plain_label("", "title", wrap=False)
        self._list = RowList(self.tr("Found models"), page)
        self._list.currentItemChanged.connect(lambda *_: self._show_choice())
        # Enter reaches the default button by itself.
        self._list.itemDoubleClicked.connect(lambda *_: self._forward())
        self._key = QLineEdit(page)
        self._key.setEchoMode(QLineEdit.EchoMode.Password)
        self._list_key = push_button(self.tr("Show its models"))
        self._list_key.clicked.connect(self._ask_with_key)
        self._key_field = Field(self.tr("API key for this server"), self._key, "", self._list_key)
        layout = column(self._found_words, self._list, self._key_field, parent=page)
        layout.setStretch(1, 1)
        return page

    def _nothing_page(self) -> QWidget:
        page = QWidget(self)
        programs = self.tr(", ").join(PROGRAMS)
        self._address = QLineEdit(page)
        self._address.setPlaceholderText("http://127.0.0.1:11434/v1")
        self._ask = push_button(self.tr("Ask this address"))
        self._ask.clicked.connect(self._ask_address)
        self._address_field = Field(
            self.tr("Server address"),
            self._address,
            self.tr("The one that the program shows when it starts, or that your provider names."),
            self._ask,
        )
        layout = column(
            plain_label(self.tr("No language model is running here"), "title", wrap=False),
            plain_label(
                self.tr(
                    "memdesk knows where these programs usually wait: {programs}. Start one of them with a "
                    "model loaded and its server switched on, then look again."
                ).format(programs=programs)
            ),
            plain_label(
                self.tr("Or give the address by hand, also of a server elsewhere:"),
            ),
            self._address_field,
            Notice(
                "info",
                self.tr(
                    "Until then the demo voice stays available: it is no language model, but shows how "
                    "memory works."
                ),
            ),
            parent=page,
        )
        layout.addStretch(1)
        return page

    def _test_page(self) -> QWidget:
        page = QWidget(self)
        self._chosen_words = plain_label("", "title")
        self._chosen_under = plain_label("", "soft")
        self._place = Notice("info")
        self._panel = CheckPanel(self._background, self._to_test, page)
        self._panel.checked.connect(self._take_result)
        self._panel.ended.connect(lambda: self._offer_use(tested=False))
        self._problem = Notice("bad")
        layout = column(
            self._chosen_words, self._chosen_under, self._place, self._panel, self._problem, parent=page
        )
        layout.addStretch(1)
        return page

    # -- looking --------------------------------------------------------------------------------------------

    def look(self) -> None:
        """Look at this computer's usual ports, in the background."""
        self.stop()
        token = self._looking = CancelToken()
        self._go_to(0)
        self._progress.setFocus()
        self._background.long(
            lambda: discover(token, ports=self._ports),
            lambda servers: self._found(token, servers),
            failed=lambda error: self._looking_failed(token, error),
            owner=self,
        )

    def stop(self) -> None:
        """End what runs in the background for this dialog."""
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None
        self._panel.clear()

    def _found(self, token: CancelToken, servers: list[FoundServer]) -> None:
        if token is not self._looking:
            return
        self._looking = None
        if servers:
            self._show_servers(servers)
        else:
            self._go_to(2)
            self._address.setFocus()

    def _looking_failed(self, token: CancelToken, error: Exception) -> None:
        if token is not self._looking or isinstance(error, Cancelled):
            return
        self._looking = None
        self._go_to(2)
        self._address_field.set_error(failure_words(error))

    def _show_servers(self, servers: list[FoundServer]) -> None:
        self._servers = servers
        self._list.clear()
        for server in servers:
            place = f"{said(server.kind)} · {urlsplit(server.base_url).netloc}"
            for model in server.models:
                self._list.add(model.id, f"{place} · {self._size_words(model)}", (server, model))
            if not server.models:
                locked = self.tr("asks for an API key") if server.needs_key else self.tr("has no model yet")
                self._list.add(place, locked, (server, None))
        self._found_words.setText(self.tr("Which one should reply?"))
        self._go_to(1)
        models = [item for item in self._list.all_items() if item.data(DATA)[1] is not None]
        self._list.setCurrentItem(models[0] if models else self._list.item(0))
        self._show_choice()
        (self._list if models or not servers[0].needs_key else self._key).setFocus()

    def _add_server(self, server: FoundServer) -> None:
        """Show a server that was asked by hand first, before the others that were found."""
        others = [item for item in self._servers if item.base_url != server.base_url]
        self._show_servers([server, *others])

    def _size_words(self, model: ModelInfo) -> str:
        if model.context_tokens is None:
            return self.tr("context size not told")
        return self.tr("{count} tokens of context").format(count=QLocale().toString(model.context_tokens))

    def _chosen(self) -> tuple[FoundServer | None, ModelInfo | None]:
        item: QListWidgetItem | None = self._list.currentItem()
        if item is None:
            return None, None
        server, model = item.data(DATA)
        return server, model

    def _show_choice(self) -> None:
        server, model = self._chosen()
        self._next.setEnabled(model is not None)
        locked = server is not None and server.needs_key
        self._key_field.setVisible(locked)
        self._list_key.setDefault(locked and model is None)
        self._next.setDefault(model is not None)

    # -- addresses and keys by hand -------------------------------------------------------------------------

    def _ask_address(self) -> None:
        self._ask_server(self.tr("Server"), self._address.text(), "", self._address_field, self._ask)

    def _ask_with_key(self) -> None:
        server, _ = self._chosen()
        if server is not None:
            key = self._key.text().strip()
            self._ask_server(server.kind, server.base_url, key, self._key_field, self._list_key)

    def _ask_server(self, kind: str, address: str, key: str, field: Field, button: QWidget) -> None:
        """Ask one address for its models; errors stand beside the field."""
        try:
            profile = address_profile(address)
        except FieldErrors as error:
            field.set_error(error.fields.get("base_url", ""))
            return
        self.stop()
        token = self._looking = CancelToken()
        field.set_error("")
        button.setEnabled(False)

        def done(models: list[ModelInfo]) -> None:
            button.setEnabled(True)
            if token is self._looking:
                self._looking = None
                if models:
                    self._add_server(FoundServer(kind, profile.base_url, tuple(models), bool(key)))
                else:
                    field.set_error(self.tr("The server lists no models. Load or download one there first."))

        def failed(error: Exception) -> None:
            button.setEnabled(True)
            if token is self._looking and not isinstance(error, Cancelled):
                self._looking = None
                self._address_failed(profile.base_url, error, field)

        self._background.long(lambda: list_models(profile, key, token), done, failed=failed, owner=self)

    def _address_failed(self, base_url: str, error: Exception, field: Field) -> None:
        if getattr(error, "code", "") in ("unauthorized", "forbidden") and field is self._address_field:
            self._add_server(FoundServer(self.tr("Server"), base_url, (), needs_key=True))
        else:
            field.set_error(failure_words(error))

    # -- test and use ---------------------------------------------------------------------------------------

    def _forward(self) -> None:
        if self._pages.currentIndex() == 1:
            self._begin_test()
        elif self._pages.currentIndex() == 2:
            self._ask_address()
        elif self._pages.currentIndex() == 3:
            self._store()

    def _begin_test(self) -> None:
        server, model = self._chosen()
        if server is None or model is None:
            return
        self._secret = self._key.text().strip() if server.needs_key else ""
        context = max(LEAST_CONTEXT, model.context_tokens or USUAL_CONTEXT)
        self._profile = ConnectionProfile(
            name=f"{said(server.kind)} · {model.id}".replace("\n", " ").strip()[:200],
            base_url=server.base_url,
            model=model.id.strip()[:500],
            context_tokens=min(context, 10_000_000),
            reply_tokens=min(512, context // 4),
        )
        self._show_profile()
        self._problem.say("")
        self._go_to(3)
        self._panel.start()

    def _show_profile(self) -> None:
        profile = self._profile
        if profile is not None:
            self._chosen_words.setText(profile.name)
            self._place.say(*place_words(profile.base_url))
            self._chosen_under.setText(
                self.tr("{address} · context {count} tokens").format(
                    address=profile.base_url, count=QLocale().toString(profile.context_tokens)
                )
            )

    def _to_test(self) -> tuple[ConnectionProfile, Callable[[], str | None]] | None:
        key = self._secret
        return None if self._profile is None else (self._profile, lambda: key or None)

    def _take_result(self, result: CheckResult) -> None:
        """Take over the context size that the server tells once its model is loaded."""
        size = result.context_tokens
        if size is not None and self._profile is not None and LEAST_CONTEXT <= size <= 10_000_000:
            changes = {"context_tokens": size, "reply_tokens": min(512, size // 4)}
            self._profile = self._profile.model_copy(update=changes)
            self._show_profile()
        self._offer_use(tested=result.ok)

    def _offer_use(self, *, tested: bool) -> None:
        words = self.tr("Use this model") if tested else self.tr("Use it all the same")
        self._next.setText(words)
        self._next.setAccessibleName(words)
        self._next.setEnabled(True)
        self._next.setFocus()

    def _store(self) -> None:
        asked = self._to_test()
        if asked is None or self._saving:
            return
        profile, key = asked
        workspace = self._workspace

        def keep() -> None:
            secret = key()
            if secret:
                workspace.keys.set(profile.id, secret)
            connections = [*workspace.settings.connections, profile]
            workspace.change_settings(
                workspace.settings.model_copy(update={"connections": connections, "connection": profile.id})
            )

        self._saving = True
        self._next.setEnabled(False)
        self._background.write(keep, lambda _: self._stored(profile), failed=self._not_stored, owner=self)

    def _stored(self, profile: ConnectionProfile) -> None:
        self._saving = False
        self.profileCreated.emit(profile)
        self.accept()

    def _not_stored(self, error: Exception) -> None:
        self._saving = False
        self._next.setEnabled(True)
        self._problem.say(failure_words(error), "bad")

    # -- moving ---------------------------------------------------------------------------------------------

    def _go_back(self) -> None:
        self._panel.clear()
        self._go_to(1)
        self._show_choice()
        self._list.setFocus()

    def _go_to(self, page: int) -> None:
        self._pages.setCurrentIndex(page)
        self._again.setVisible(page in (1, 2))
        self._back.setVisible(page == 3)
        self._next.setVisible(page in (1, 3))
        self._next.setEnabled(False)
        self._ask.setDefault(page == 2)
        self._next.setDefault(page != 2)
        words = self.tr("Use this model") if page == 3 else self.tr("Test this model")
        self._next.setText(words)
        self._next.setAccessibleName(words)

    def done(self, result: int) -> None:
        """Close; what runs in the background for this dialog ends."""
        self.stop()
        super().done(result)
