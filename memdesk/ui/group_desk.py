"""Group chats in the window: the strip of members, the dialogs, and the acts behind them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from memdesk.chats.groups import group_settings
from memdesk.chats.model import CharacterHead, Chat, Message
from memdesk.ui.actions import Actions
from memdesk.ui.errors import explain
from memdesk.ui.openers import Openers
from memdesk.ui.panels.chat_panel import ChatPanel
from memdesk.ui.pictures import Pictures
from memdesk.ui.session import Session
from memdesk.ui.widgets.group_bar import GroupBar
from memdesk.ui.widgets.toast import Toast


class GroupDesk(QObject):
    """Keeps the strip in step with the chat that is shown, and opens what belongs to groups."""

    begun = Signal(object)
    """`Chat` that was made and is to be opened"""

    def __init__(
        self,
        session: Session,
        chat: ChatPanel,
        pictures: Pictures,
        openers: Openers,
        toast: Toast,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._session = session
        self._panel = chat
        self._pictures = pictures
        self._openers = openers
        self._toast = toast
        self._window = window
        self._chat: Chat | None = None
        self._writing: dict[int, int | None] = {}
        self.bar = GroupBar(pictures.get, chat)
        layout = chat.layout()
        assert isinstance(layout, QVBoxLayout)  # noqa: S101 — made by the panel
        layout.insertWidget(1, self.bar)
        self.bar.hide()
        self.bar.replyRequested.connect(self.let_reply)
        self.bar.menuRequested.connect(self._menu)
        self.bar.membersRequested.connect(self.open_members)
        pictures.arrived.connect(self._show)
        session.replyStarted.connect(self._started)
        session.replyEnded.connect(lambda chat_id, *_: self._ended(chat_id))
        session.replyingChanged.connect(lambda chat_id, _replying: self._ended(chat_id))
        session.nobodyReplies.connect(self._nobody)

    def show(self, chat: Chat | None) -> None:
        """Stand for the chat that is shown, as it is now."""
        self._chat = chat
        self._show()

    @property
    def is_group(self) -> bool:
        """Whether the chat that is shown is a group."""
        return self._chat is not None and self._chat.kind == "group"

    def _show(self) -> None:
        chat = self._chat
        if chat is not None and chat.kind == "group":
            self.bar.show_group(chat.members, group_settings(chat.settings), self._writing.get(chat.id))
        self.bar.setVisible(self.is_group)

    def _started(self, message: Message, *_details: object) -> None:
        self._writing[message.chat_id] = message.character_id
        self._show()

    def _ended(self, chat_id: int) -> None:
        if self._writing.pop(chat_id, None) is not None:
            self._show()

    def _nobody(self, chat_id: int, reason: Exception | None) -> None:
        if reason is not None and self._chat is not None and chat_id == self._chat.id:
            self._toast.say(explain(reason), self.tr("Members…"), self.open_members)

    # ── replies ──────────────────────────────────────────────────────────────────────────────────────

    def let_reply(self, character_id: int) -> None:
        """Let one member reply to the chat as it stands."""
        if self._chat is not None and not self._session.reply(self._chat.id, character_id):
            self._toast.say(self.tr("A reply is being written. Stop it first, or wait for its end."))

    def _menu(self, character_id: int, place: QPoint) -> None:
        menu = self.member_menu(character_id)
        if menu is not None:
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.popup(place)

    def member_menu(self, character_id: int) -> QMenu | None:
        """Return a new menu of what can be done with a member; None for who has left just now."""
        chat = self._chat
        at = next((n for n, m in enumerate(chat.members) if m.id == character_id), None) if chat else None
        if chat is None or at is None:
            return None
        member, groups, chat_id = chat.members[at], self._session.workspace.groups, chat.id
        menu = QMenu(self._window)
        menu.setAccessibleName(self.tr("Member actions"))
        act, last = self._session.act, len(chat.members) - 1

        def add(text: str, run: Callable[[], object], *, possible: bool = True) -> None:
            action = menu.addAction(text)
            action.triggered.connect(lambda _checked=False: run())
            action.setEnabled(possible)

        add(self.tr("Let reply"), lambda: self.let_reply(character_id), possible=not member.gone)
        add(
            self.tr("Unmute") if member.muted else self.tr("Mute"),
            lambda: act(lambda: groups.mute(chat_id, character_id, muted=not member.muted)),
        )
        menu.addSeparator()
        add(
            self.tr("Move left"),
            lambda: act(lambda: groups.move_member(chat_id, character_id, at - 1)),
            possible=at > 0,
        )
        add(
            self.tr("Move right"),
            lambda: act(lambda: groups.move_member(chat_id, character_id, at + 1)),
            possible=at < last,
        )
        menu.addSeparator()
        add(
            self.tr("Edit character…"),
            lambda: self._openers.edit_character(character_id),
            possible=not member.gone,
        )
        add(
            self.tr("Remove from the group"),
            lambda: act(lambda: groups.remove_member(chat_id, character_id)),
        )
        return menu

    # ── dialogs ──────────────────────────────────────────────────────────────────────────────────────

    def new_group(self) -> None:
        """Choose the members of a new group chat."""
        groups = self._session.workspace.groups

        def begin(ids: list[int], title: str, greetings: str) -> None:
            self._session.background.write(
                lambda: groups.new_group(ids, title, greetings=greetings),  # type: ignore[arg-type]
                self.begun.emit,
                owner=self,
            )

        self._choose(begin, begin_chat=True)

    def add_members(self, chat_id: int | None = None) -> None:
        """Choose who joins a chat; one with a single character becomes a group by this."""
        wanted = chat_id if chat_id is not None else self._chat.id if self._chat else None
        groups = self._session.workspace.groups
        if wanted is None:
            return

        def join(ids: list[int], _title: str, _greetings: str) -> None:
            self._session.act(lambda: groups.add_members(wanted, ids))

        self._choose(join, chat_id=wanted)

    def _choose(
        self,
        then: Callable[[list[int], str, str], None],
        *,
        chat_id: int | None = None,
        begin_chat: bool = False,
    ) -> None:
        workspace = self._session.workspace

        def read() -> list[CharacterHead]:
            present = workspace.chats.get(chat_id).character_ids if chat_id is not None else ()
            return [head for head in workspace.characters.heads() if head.id not in present]

        def show(heads: list[CharacterHead]) -> None:
            from memdesk.ui.dialogs.choose_members import (  # noqa: PLC0415 — the first window does not wait
                ChooseMembersDialog,
            )

            dialog = ChooseMembersDialog(heads, self._pictures, self._window, begin=begin_chat)
            dialog.chosen.connect(then)
            self._openers.open(dialog)

        self._session.background.read(read, show, owner=self)

    def open_members(self) -> None:
        """Show the members of the group and how replies come about."""
        from memdesk.ui.dialogs.group_members import GroupMembersDialog  # noqa: PLC0415 — as above

        if self._chat is None or not self.is_group:
            return
        dialog = GroupMembersDialog(self._session, self._pictures, self._chat, self._window)
        dialog.addRequested.connect(self.add_members)
        self._openers.open(dialog)

    # ── actions ──────────────────────────────────────────────────────────────────────────────────────

    def add_actions(self, actions: Actions) -> None:
        """Name what can be done with groups."""
        actions.add(
            "group.new",
            self.tr("New group chat…"),
            self.new_group,
            category="chat",
            keys="Ctrl+Shift+G",
            icon="group",
            menus={"main": 12},
        )
        actions.add(
            "group.members",
            self.tr("Members and reply order…"),
            self.open_members,
            category="chat",
            when=lambda: self.is_group,
            menus={"chat": 14},
        )
        actions.add(
            "group.add",
            self.tr("Add members…"),
            self.add_members,
            category="chat",
            when=lambda: self._chat is not None,
            menus={"chat": 15},
        )
