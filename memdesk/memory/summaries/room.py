"""Everything that has to do with summaries in an open data folder, wired together."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass

from memdesk.chats.changes import Change, ChangeBus, ChangeKind
from memdesk.chats.model import Chat
from memdesk.llm.client import ChatClient
from memdesk.llm.profile import ConnectionProfile
from memdesk.memory.summaries.acts import SummaryActs
from memdesk.memory.summaries.automatic import Choices, Summarising
from memdesk.memory.summaries.hiding import SummaryHiding
from memdesk.memory.summaries.layer import SummaryLayer
from memdesk.memory.summaries.settings import SummarySettings
from memdesk.memory.summaries.templates import Templates
from memdesk.memory.summaries.watcher import SummaryWatcher
from memdesk.memory.summaries.writer import Cast, SummaryWriter
from memdesk.store.chats import ChatStore
from memdesk.store.database import Database
from memdesk.store.messages import MessageStore
from memdesk.store.summaries import SummaryStore
from memdesk.store.summary_hiding import SummaryHidingStore
from memdesk.store.trash import TrashStore


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What summaries are told by the app: who writes, who is in a chat, how tokens are counted."""

    count: Callable[[str], int]
    client: Callable[[ConnectionProfile], ChatClient]
    profile: Callable[[Chat, SummarySettings], ConnectionProfile]
    cast: Callable[[Chat], Cast]


class SummaryRoom:
    """The parts by name: `store`, `layer`, `acts`, `summarising`, `watcher`, `templates`."""

    def __init__(
        self,
        *,
        database: Database,
        chats: ChatStore,
        messages: MessageStore,
        trash: TrashStore,
        bus: ChangeBus,
        templates: Templates,
        around: Surroundings,
        closing: ExitStack,
    ) -> None:
        """Wire them; `closing` gets what has to end before the database is closed."""
        notify, count = bus.publish, around.count
        self.templates = templates
        self.store = SummaryStore(database)
        hidden = SummaryHidingStore(database)
        self.layer = SummaryLayer(entries=self.store, messages=messages, count=count)
        self.acts = SummaryActs(
            chats=chats,
            messages=messages,
            entries=self.store,
            hidden=hidden,
            trash=trash,
            count=count,
            notify=notify,
        )
        hiding = SummaryHiding(chats=chats, entries=self.store, store=hidden, notify=notify)
        # Without background work, too: what is hidden belongs to what is stored, whoever changes it.
        closing.callback(bus.subscribe(hiding.observe))
        self.summarising = Summarising(
            chats=chats,
            messages=messages,
            entries=self.store,
            writer=SummaryWriter(
                entries=self.store, messages=messages, count=count, client=around.client, notify=notify
            ),
            choices=Choices(profile=around.profile, template=templates.chosen, cast=around.cast),
            notify=notify,
        )
        self.watcher = SummaryWatcher(
            self.summarising, lambda chat_id: notify(Change(ChangeKind.SUMMARIES_CHANGED, chat_id))
        )
        closing.callback(self.watcher.close)
