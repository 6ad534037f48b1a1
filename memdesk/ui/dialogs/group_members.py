"""The members of a group chat: order, mute, how talkative each is, and how replies come about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QCheckBox, QDialog, QSlider, QWidget

from memdesk.chats.groups import ORDERS, REPLIES, GroupSettings, card_talkativeness, group_settings
from memdesk.chats.model import Chat, Member
from memdesk.chats.text import one_line
from memdesk.store.errors import StoreError
from memdesk.ui.dialogs.pieces import (
    CalmComboBox,
    Field,
    column,
    fit,
    plain_label,
    push_button,
    row,
    scrolled,
    tool_button,
)
from memdesk.ui.pictures import Pictures
from memdesk.ui.session import Session
from memdesk.ui.widgets.avatar import Avatar
from memdesk.ui.widgets.elided_label import ElidedLabel

SETTLE_MS = 400
"""A slider at rest for this long has its value stored."""


class GroupMembersDialog(QDialog):
    """Shows a group as it is and changes it at once; every change can be undone."""

    addRequested = Signal(int)
    """chat id"""

    def __init__(
        self, session: Session, pictures: Pictures, chat: Chat, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._pictures = pictures
        self._chat = chat
        self._cards: dict[int, float] = {}
        self._rows: dict[int, _MemberRow] = {}
        self._filling = False
        self.setWindowTitle(self.tr("Members"))
        self._lay_out()
        session.charactersChanged.connect(self._read)
        session.chatsChanged.connect(self._read)
        pictures.arrived.connect(self._show_rows)
        self._show()
        self._read()

    def _lay_out(self) -> None:
        self._order = self._choice(
            ORDERS,
            (
                self.tr("Natural: who is mentioned, else by talkativeness"),
                self.tr("In turn: everyone, in this order"),
                self.tr("You choose: nobody replies by themselves"),
            ),
        )
        self._replies = self._choice(
            REPLIES, (self.tr("Each from their own card"), self.tr("One reply for all"))
        )
        self._again = QCheckBox(self.tr("Who spoke last may reply again at once"), self)
        self._cut = QCheckBox(self.tr("End a reply where the model speaks for somebody else"), self)
        for box in (self._again, self._cut):
            box.setAccessibleName(box.text())
            box.toggled.connect(self._configure)
        holder = QWidget()
        self._column = column(parent=holder, spacing=2)
        self._empty = plain_label(self.tr("Nobody is in this group. Add a member to get replies."), "soft")
        self._column.addWidget(self._empty)
        self._column.addStretch(1)
        add = push_button(self.tr("Add members…"), parent=self)
        add.setAutoDefault(False)
        add.clicked.connect(lambda: self.addRequested.emit(self._chat.id))
        close = push_button(self.tr("Close"), "primary", self)
        close.clicked.connect(self.accept)
        buttons = row(add)
        buttons.addStretch(1)
        buttons.addWidget(close)
        layout = column(
            Field(self.tr("Who replies"), self._order), Field(self.tr("Replies"), self._replies), parent=self
        )
        layout.addWidget(self._again)
        layout.addWidget(self._cut)
        layout.addWidget(scrolled(holder, self.tr("Members")), 1)
        layout.addLayout(buttons)
        layout.setContentsMargins(16, 16, 16, 16)
        fit(self, 520, 560)

    def _choice(self, keys: Sequence[str], words: Sequence[str]) -> CalmComboBox:
        box = CalmComboBox(self)
        for key, text in zip(keys, words, strict=True):
            box.addItem(text, key)
        box.currentIndexChanged.connect(self._configure)
        return box

    def _read(self) -> None:
        workspace, chat_id = self._session.workspace, self._chat.id

        def read() -> tuple[Chat, dict[int, float]]:
            chat = workspace.chats.get(chat_id)
            cards = {who: card_talkativeness(workspace.characters.get(who)) for who in chat.character_ids}
            return chat, cards

        def show(found: tuple[Chat, dict[int, float]]) -> None:
            self._chat, self._cards = found
            self._show()

        def failed(error: Exception) -> None:
            # The chat is gone, and with it what could be changed here.
            if isinstance(error, StoreError) and error.code == "not_found":
                self.reject()
            else:
                self._session.report(error)

        self._session.background.read(read, show, failed=failed, owner=self)

    def _show(self) -> None:
        settings = group_settings(self._chat.settings)
        self._filling = True
        self._order.setCurrentIndex(ORDERS.index(settings.order))
        self._replies.setCurrentIndex(REPLIES.index(settings.replies))
        self._again.setChecked(settings.again)
        self._cut.setChecked(settings.cut_names)
        self._filling = False
        self._enable()
        self._show_rows()

    def _enable(self) -> None:
        natural = self._order.currentData() == "natural"
        single = self._replies.currentData() == "individual"
        self._again.setEnabled(natural and single)

    def _show_rows(self) -> None:
        members = self._chat.members
        for who in [who for who in self._rows if who not in self._chat.character_ids]:
            gone = self._rows.pop(who)
            self._column.removeWidget(gone)
            gone.hide()
            gone.deleteLater()
        for place, member in enumerate(members):
            if member.id not in self._rows:
                self._rows[member.id] = _MemberRow(self, member.id)
                self._rows[member.id].acted.connect(self._act)
            wanted = self._rows[member.id]
            if self._column.indexOf(wanted) != place:
                focus = QApplication.focusWidget()
                self._column.removeWidget(wanted)
                self._column.insertWidget(place, wanted)
                if focus is not None and wanted.isAncestorOf(focus):
                    focus.setFocus()
            card = self._cards.get(member.id, 0.5)
            image = self._pictures.get(member.avatar)
            wanted.show_member(member, card, image, place, len(members))
        self._empty.setVisible(not members)

    def _configure(self) -> None:
        if self._filling:
            return
        self._enable()
        wanted = replace(
            GroupSettings(),
            order=self._order.currentData(),
            replies=self._replies.currentData(),
            again=self._again.isChecked(),
            cut_names=self._cut.isChecked(),
        )
        groups, chat_id = self._session.workspace.groups, self._chat.id
        self._session.act(lambda: groups.configure(chat_id, wanted))

    def _act(self, what: str, who: int, value: object) -> None:
        groups, chat_id = self._session.workspace.groups, self._chat.id
        place = self._chat.character_ids.index(who) if who in self._chat.character_ids else 0
        if what == "mute":
            self._session.act(lambda: groups.mute(chat_id, who, muted=bool(value)))
        elif what == "move":
            self._session.act(lambda: groups.move_member(chat_id, who, place + int(str(value))))
        elif what == "remove":
            self._session.act(lambda: groups.remove_member(chat_id, who))
        else:
            number = value if isinstance(value, float) else None
            self._session.act(lambda: groups.set_talkativeness(chat_id, who, number))


class _MemberRow(QWidget):
    """One member: face, name, how talkative, mute, move, remove."""

    acted = Signal(str, int, object)
    """`mute`, `move`, `remove` or `talk`; character id; value"""

    def __init__(self, parent: QWidget, who: int) -> None:
        super().__init__(parent)
        self._who = who
        self._shown: float | None = None
        self._face = Avatar("?", size=28, parent=self)
        self._name = ElidedLabel(self)
        self._talk = QSlider(Qt.Orientation.Horizontal, self)
        self._talk.setRange(0, 100)
        self._talk.setPageStep(10)
        self._talk.setFixedWidth(96)
        self._percent = plain_label("", "small", self, wrap=False)
        self._percent.setFixedWidth(48)
        self._mute = tool_button("mute", "", self)
        self._mute.setCheckable(True)
        self._up = tool_button("chevron-up", "", self)
        self._down = tool_button("chevron-down", "", self)
        self._remove = tool_button("close", "", self)
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(SETTLE_MS)
        self._settle.timeout.connect(self._store)
        self._talk.valueChanged.connect(self._moved)
        self._mute.clicked.connect(lambda checked: self.acted.emit("mute", who, checked))
        self._up.clicked.connect(lambda: self.acted.emit("move", who, -1))
        self._down.clicked.connect(lambda: self.acted.emit("move", who, 1))
        self._remove.clicked.connect(lambda: self.acted.emit("remove", who, None))
        parts = row(self._face, self._name, self._talk, self._percent, self._mute, self._up, self._down)
        parts.addWidget(self._remove)
        parts.setStretch(1, 1)
        self.setLayout(parts)

    def show_member(self, member: Member, card: float, image: QImage | None, place: int, count: int) -> None:
        """Show a member as it is set to now."""
        name = one_line(member.name, 60) or self.tr("No name")
        self._face.setPerson(member.name, image)
        state = self.tr("in the trash") if member.gone else self.tr("muted") if member.muted else ""
        self._name.setText(f"{name} · {state}" if state else name)
        value = member.talkativeness if member.talkativeness is not None else card
        if not self._settle.isActive():
            self._shown = value
            self._talk.blockSignals(True)
            self._talk.setValue(round(value * 100))
            self._talk.blockSignals(False)
            self._say(own=member.talkativeness is not None)
        self._mute.setChecked(member.muted)
        for button, words in (
            (self._talk, self.tr("Talkativeness of %1")),
            (self._mute, self.tr("Unmute %1") if member.muted else self.tr("Mute %1")),
            (self._up, self.tr("Move %1 up")),
            (self._down, self.tr("Move %1 down")),
            (self._remove, self.tr("Remove %1 from the group")),
        ):
            button.setAccessibleName(words.replace("%1", name))
            button.setToolTip(words.replace("%1", name).replace("<", "‹"))
        self._up.setEnabled(place > 0)
        self._down.setEnabled(place < count - 1)

    def _moved(self) -> None:
        self._say(own=True)
        self._settle.start()

    def _say(self, *, own: bool) -> None:
        self._percent.setText(f"{self._talk.value()} %")
        words = self.tr("Set for this group.") if own else self.tr("As the card says.")
        self._percent.setToolTip(words)
        self._talk.setAccessibleDescription(words)

    def _store(self) -> None:
        value = self._talk.value() / 100
        if value != self._shown:
            self.acted.emit("talk", self._who, value)
