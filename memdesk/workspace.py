"""The composition root without Qt: opens a data folder and wires everything that works in it."""

from __future__ import annotations

import locale
import logging
import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import Self

from memdesk.assets import asset
from memdesk.chat_acts import ChatActs
from memdesk.chats.changes import Change, ChangeBus, ChangeKind
from memdesk.chats.model import Chat
from memdesk.conversation import Conversation, Stores
from memdesk.conversation.choices import AppChoices, Chooser
from memdesk.databank import DataBank
from memdesk.embedding.base import Embedder, EmbeddingSpace
from memdesk.embedding.onnx import OnnxEmbedder
from memdesk.embedding.tokens import TokenCounter
from memdesk.finder import Finder
from memdesk.group_acts import GroupActs
from memdesk.library import Library
from memdesk.llm.client import ChatClient, client_for
from memdesk.llm.keys import KeyStore
from memdesk.llm.profile import ConnectionProfile
from memdesk.memory.embedders import Embedders
from memdesk.memory.layer import MemoryLayer
from memdesk.memory.recall.acts import RecallActs
from memdesk.memory.recall.layer import RecallLayer
from memdesk.memory.recall.search import RecallSearch
from memdesk.memory.recall.spaces import ChatSpaces
from memdesk.memory.recall.sync import RecallSync
from memdesk.memory.recall.timeline import RecallTimeline
from memdesk.memory.recall.upkeep import RecallUpkeep
from memdesk.memory.summaries.room import SummaryRoom, Surroundings
from memdesk.memory.summaries.settings import SummarySettings
from memdesk.memory.summaries.templates import OwnTemplate, Templates
from memdesk.memory.summaries.writer import Cast as SummaryCast
from memdesk.memory.timeline import Timeline
from memdesk.memory_files import MemoryFiles
from memdesk.people import People
from memdesk.presets import Presets
from memdesk.prompt.counting import count_missing
from memdesk.prompt.presets import built_in_for
from memdesk.samples import install_samples, sample_for
from memdesk.settings import Settings, load_settings, save_settings
from memdesk.store.branches import BranchStore
from memdesk.store.chats import ChatStore
from memdesk.store.checkpoints import CheckpointStore
from memdesk.store.chunk_edits import ChunkEdits
from memdesk.store.chunk_records import ChunkRecords
from memdesk.store.chunk_upkeep import ChunkUpkeep
from memdesk.store.chunks import ChunkStore
from memdesk.store.data_folder import default_data_dir, lock_folder, make_writable, start_log
from memdesk.store.database import Database
from memdesk.store.errors import StoreError
from memdesk.store.files import FileStore
from memdesk.store.index import VectorIndex
from memdesk.store.index_server import IndexServer, installation_id
from memdesk.store.members import MemberStore
from memdesk.store.message_edits import MessageEdits
from memdesk.store.message_words import MessageWordStore
from memdesk.store.messages import MessageStore
from memdesk.store.people import CharacterStore, PersonaStore
from memdesk.store.presets import PresetStore
from memdesk.store.receipts import ReceiptStore
from memdesk.store.spaces import SpaceStore
from memdesk.store.sweep import Sweeper
from memdesk.store.token_scale import TokenScale
from memdesk.store.trash import KEEP_DAYS, TrashStore
from memdesk.store.variables import VariableStore
from memdesk.store.vectors import VectorStore
from memdesk.work.cancel import CancelToken
from memdesk.work.jobs import Jobs

log = logging.getLogger(__name__)

INDEX_KEY = "index-server"
"""The name under which the token of the Chroma server is kept."""

KEEP = timedelta(days=KEEP_DAYS)
SWEEP_AGAIN = 60.0
"""Seconds before a sweep that could not finish is tried again."""


def model_dir() -> Path:
    """Return the folder of the bundled embedder; MEMDESK_MODEL_DIR names another one."""
    chosen = os.environ.get("MEMDESK_MODEL_DIR")
    return Path(chosen) if chosen else asset("model")


class Workspace:
    """An open data folder: `memdesk.db`, `index/`, `files/`, `backups/`, `logs/`, `settings.toml`, `lock`.

    One process at a time: a second one gets `StoreError` with code `in_use`. Every other failure to open is a
    `StoreError` too, and leaves the folder as it was. Close it when done, or use it as a context manager.
    """

    def __init__(
        self,
        data_dir: Path | None = None,
        *,
        models: Path | None = None,
        samples: bool = True,
        background: bool = True,
        begin: bool = True,
        language: str = "",
        locked: Callable[[], None] | None = None,
    ) -> None:
        """Open `data_dir`; without `background`, memories are only made when `sync` is asked to.

        Without `samples`, a new folder gets none, now or later. Without `begin`, what the last run left to
        be done waits until `begin_work` is called. `language` is the system's, as the name of a locale; it
        chooses the sample that is on top. `locked` is called when the folder is ours, before anything in it
        is opened.
        """
        self.data_dir = (data_dir or default_data_dir()).expanduser().absolute()
        self.notices: list[str] = []
        """Sentences the person should read once."""
        self.tell: Callable[[str], None] = self.notices.append
        """Takes such a sentence that comes up later, on any thread; the window puts its own in place."""
        self._background = background
        self._begin = begin
        self._language = language
        self._closing = ExitStack()
        try:
            make_writable(self.data_dir)
            lock_folder(self.data_dir, self._closing)
            if locked is not None:
                locked()
            self._open(models or model_dir(), samples=samples)
        except BaseException:
            self._closing.close()
            raise

    def _open(self, models: Path, *, samples: bool) -> None:
        start_log(self.data_dir, self._closing)
        self.settings, notice = load_settings(self.data_dir / "settings.toml")
        if notice:
            self.notices.append(notice)
        self.database = Database(self.data_dir / "memdesk.db")
        self._closing.callback(self.database.close)
        self.bus = ChangeBus()
        self.keys = KeyStore(self.data_dir)
        self.embedder = OnnxEmbedder(models)
        self.tokens = TokenCounter(models)
        self.index = VectorIndex(
            self.data_dir / "index", self._index_server, lambda: installation_id(self.data_dir)
        )
        self._closing.callback(self.index.close)
        self.jobs = Jobs()
        # Background work ends first: it uses everything else.
        self._closing.callback(self.jobs.close)
        self._wire()
        self._recover()
        self._settle_samples(wanted=samples)
        if self._background and self._begin:
            self.begin_work()

    def _wire(self) -> None:
        database = self.database
        self.characters = CharacterStore(database)
        self.personas = PersonaStore(database)
        self.chats = ChatStore(database)
        self.messages = MessageStore(database)
        self.chunks = ChunkStore(database)
        self.vectors = VectorStore(database)
        self.space_store = SpaceStore(database)
        self.embedders = Embedders(
            bundled=self.embedder,
            spaces=self.space_store,
            settings=lambda: self.settings,
            key=self.keys.get,
        )
        # Requests end before the jobs are waited for.
        self._closing.callback(self.embedders.close)
        self.receipts = ReceiptStore(database)
        self.trash = TrashStore(database)
        self.preset_store = PresetStore(database)
        self.variables = VariableStore(database)
        self.sweeper = Sweeper(database, self.receipts, self.trash)
        self.files = FileStore(self.data_dir / "files")
        self.spaces = ChatSpaces(
            embedders=self.embedders,
            store=self.space_store,
            vectors=self.vectors,
            chats=self.chats,
            chunks=self.chunks,
        )
        upkeep = ChunkUpkeep(database)
        self.sync = RecallSync(
            chats=self.chats,
            messages=self.messages,
            chunks=self.chunks,
            upkeep=upkeep,
            vectors=self.vectors,
            index=self.index,
            spaces=self.spaces,
            count=self.count,
            jobs=self.jobs,
            notify=self.bus.publish,
        )
        recall = RecallLayer(
            search=self._search_with(self.embedder),
            sync=self.sync,
            chunks=self.chunks,
            messages=self.messages,
            count=self.count,
            spaces=self.spaces,
            search_with=self._search_with,
        )
        self.databank = DataBank(
            database, self.files, self.embedders.chosen, self.count, self.jobs, self.bus.publish
        )
        self.summary_room = self._summary_room()
        self.summary_store = self.summary_room.store
        self.summaries = self.summary_room.acts
        self.summarising = self.summary_room.summarising
        # In the order in which they stand in the prompt, and take their share of its room.
        self.layers: list[MemoryLayer] = [self.summary_room.layer, self.databank.layer, recall]
        self.finder = Finder(
            words=MessageWordStore(database),
            messages=self.messages,
            chunks=self.chunks,
            vectors=self.vectors,
            embedder=lambda: self.embedder,
            jobs=self.jobs,
        )
        self.memories = RecallActs(
            chats=self.chats,
            messages=self.messages,
            edits=ChunkEdits(database),
            upkeep=upkeep,
            trash=self.trash,
            count=self.count,
            notify=self.bus.publish,
            changed=self._memories_edited,
        )
        self.timelines: list[Timeline] = [RecallTimeline(upkeep, self.messages)]
        self.upkeep = RecallUpkeep(
            chats=self.chats,
            chunks=self.chunks,
            upkeep=upkeep,
            sync=self.sync,
            acts=self.memories,
            notify=self.bus.publish,
            changed=self._memories_edited,
        )
        self.memory_files = MemoryFiles(
            chats=self.chats,
            messages=self.messages,
            records=ChunkRecords(database),
            vectors=self.vectors,
            database=database,
            space=self._space,
            count=self.count,
            bus=self.bus,
            changed=self._memories_edited,
        )
        self.acts = ChatActs(
            chats=self.chats,
            messages=self.messages,
            edits=MessageEdits(database),
            branches=BranchStore(database),
            checkpoints=CheckpointStore(database),
            trash=self.trash,
            bus=self.bus,
            count=self.count,
            branched=self._memories_edited,
        )
        self.library = Library(
            characters=self.characters,
            personas=self.personas,
            chats=self.chats,
            messages=self.messages,
            trash=self.trash,
            files=self.files,
            bus=self.bus,
            memories=self.memories,
            summaries=self.summaries,
            acts=self.acts,
        )
        self.presets = Presets(self.preset_store, self.chats, self.trash, self.bus, self.library.restore)
        self.people = People(
            characters=self.characters,
            personas=self.personas,
            chats=self.chats,
            trash=self.trash,
            files=self.files,
            bus=self.bus,
            restore=self.library.restore,
        )
        self.groups = GroupActs(
            characters=self.characters,
            personas=self.personas,
            chats=self.chats,
            members=MemberStore(database),
            messages=self.messages,
            bus=self.bus,
        )
        self.chooser = Chooser(
            self.preset_store,
            AppChoices(preset=self.preset_key, note=lambda: self.settings.note, profile=self.profile),
        )
        self.conversation = Conversation(
            stores=Stores(
                self.chats,
                self.messages,
                self.characters,
                self.personas,
                self.receipts,
                ChunkEdits(database),
                TokenScale(database),
                self.variables,
            ),
            acts=self.acts,
            layers=self.layers,
            bus=self.bus,
            count=self.count,
            chooser=self.chooser,
            client=self.client,
        )
        if self._background:
            for layer in self.layers:
                self._closing.callback(self.bus.subscribe(layer.observe))
            self._closing.callback(self.bus.subscribe(self.finder.observe))
            self._closing.callback(self.bus.subscribe(self.summary_room.watcher.observe))
            self.conversation.turning = self.summary_room.watcher.turn

    def _summary_room(self) -> SummaryRoom:
        return SummaryRoom(
            database=self.database,
            chats=self.chats,
            messages=self.messages,
            trash=self.trash,
            bus=self.bus,
            templates=Templates(
                lambda: self.settings.summary_templates,
                lambda: self.settings.summary_template,
                self._store_templates,
                self._spoken,
            ),
            around=Surroundings(self.count, self.client, self._summary_profile, self._summary_cast),
            closing=self._closing,
        )

    def _store_templates(self, own: Sequence[OwnTemplate], chosen: str) -> None:
        values = {"summary_templates": list(own), "summary_template": chosen}
        self.change_settings(self.settings.model_copy(update=values))

    def _summary_profile(self, chat: Chat, settings: SummarySettings) -> ConnectionProfile:
        return self.profile(settings.connection) if settings.connection else self.chooser.of(chat).profile

    def _summary_cast(self, chat: Chat) -> SummaryCast:
        persona = self.conversation.persona(chat)
        return SummaryCast(", ".join(chat.character_names), persona.name if persona else "You")

    def _search_with(self, embedder: Embedder) -> RecallSearch:
        return RecallSearch(self.messages, self.chunks, self.vectors, self.index, embedder)

    def _space(self, chat_id: int, *, now: bool) -> EmbeddingSpace:
        """Return the space that a chat is recalled by now, or shall be."""
        return (self.spaces.serving(chat_id) if now else self.spaces.target(chat_id)).space

    def _memories_edited(self, chat_id: int) -> None:
        self.sync.memories_edited(chat_id)
        if self._background:
            self.sync.queue()

    def _recover(self) -> None:
        """Mend what the last run left: cut replies, old trash."""
        self.messages.recover()
        if not self._background and self.sweeper.due():
            self.empty_trash(KEEP)

    def begin_work(self) -> None:
        """Do in the background what is still to be done."""
        self.jobs.submit("count tokens", self._count_tokens)
        self.sync.queue()
        self.databank.sync.queue()
        self.finder.queue()
        self.jobs.submit("empty trash", self._empty_trash, priority=2)
        self.jobs.submit("back up", self._back_up)

    def empty_trash(self, older_than: timedelta = timedelta(0), cancel: CancelToken | None = None) -> int:
        """Delete for good what has been in the trash for so long, and wipe what is left of it on the disk.

        Returns how many entries went; there is no way back. Raises `StoreError`, `Cancelled`.
        """
        token = cancel or CancelToken()
        # Memories follow the messages before and after: what they no longer hold is wiped, too.
        self.sync.chunk_stale(token)
        count = self.sweeper.empty(token, older_than)
        self.sync.chunk_stale(token)
        if not self.sweeper.tidy(token) and self._background:
            self.jobs.submit("sweep", self._sweep_later, priority=2, delay=SWEEP_AGAIN)
        self.databank.drop_originals()
        if count:
            self.sync.indexing.touch_all()
            self.bus.publish(Change(ChangeKind.MEMORIES_CHANGED))
            if self._background:
                self.sync.queue()
        return count

    def _empty_trash(self, cancel: CancelToken) -> None:
        if self.sweeper.due(KEEP):
            self.empty_trash(KEEP, cancel)

    def _sweep_later(self, cancel: CancelToken) -> None:
        if not self.sweeper.tidy(cancel):
            self.jobs.submit("sweep", self._sweep_later, priority=2, delay=SWEEP_AGAIN)

    def _back_up(self, cancel: CancelToken) -> None:
        try:
            self.database.back_up_now_and_then(cancel)
        except StoreError as error:
            log.warning("no backup was made: %s", error)
            if error.code == "corrupt":
                self.tell(str(error))

    def _count_tokens(self, cancel: CancelToken) -> None:
        if count_missing(self.messages, self.count, cancel):
            self.bus.publish(Change(ChangeKind.MEMORIES_CHANGED))

    def _settle_samples(self, *, wanted: bool) -> None:
        """Install the samples into a new folder, or note that it shall have none."""
        with self.database.read() as db:
            if db.execute("SELECT 1 FROM meta WHERE key = 'samples'").fetchone() is not None:
                return
        if wanted:
            install_samples(self.library, self.bus, sample_for(self._spoken()))
        # Noted last: a first start that is cut off goes on at the next one.
        with self.database.write() as db:
            db.execute("INSERT INTO meta VALUES ('samples', ?)", (str(int(wanted)),))

    def count(self, text: str) -> int:
        """Count the tokens of a text; loads the tokenizer at first, so call it on a worker."""
        self.tokens.load()
        return self.tokens.count(text)

    def profile(self, wanted: str = "") -> ConnectionProfile:
        """Return the connection with this id, or the one that replies come from where none is named."""
        return self.settings.profile(wanted)

    def preset_key(self) -> str:
        """Return the key of the preset that chats have unless they have another one."""
        return self.settings.preset or built_in_for(self._spoken())

    def _spoken(self) -> str:
        """Return the language of the app, as the name of a locale."""
        chosen: str = self.settings.language
        return chosen if chosen != "system" else self._language or locale.getlocale()[0] or ""

    def client(self, profile: ConnectionProfile) -> ChatClient:
        """Return a client for a connection."""
        return client_for(profile, self.keys)

    def change_settings(self, settings: Settings) -> None:
        """Store and use new settings; raises `StoreError` and keeps the old ones when that fails."""
        save_settings(self.data_dir / "settings.toml", settings)
        before, self.settings = self.settings, settings
        if _embedding_choice(before) != _embedding_choice(settings):
            self.sync.spaces_changed()
            if self._background:
                self.sync.queue()
            self.bus.publish(Change(ChangeKind.MEMORIES_CHANGED))
        if before.index != settings.index:
            self.move_index()

    def move_index(self) -> None:
        """Use the index at the place that the settings name, with the token that is kept for it."""
        self.index.move()
        self.sync.indexing.touch_all()
        if self._background:
            self.sync.queue()

    def _index_server(self) -> IndexServer | None:
        place = self.settings.index
        if place.kind == "embedded":
            return None
        return IndexServer(place.host, place.port, place.tls, self.keys.get(INDEX_KEY) or "")

    def close(self) -> None:
        """End background work and close everything; waits for what is being written."""
        self._closing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_details: object) -> None:
        self.close()


def _embedding_choice(settings: Settings) -> tuple[object, ...]:
    """Return what decides which embedder a chat has."""
    return settings.embedder, settings.embedders, settings.profile().embedder
