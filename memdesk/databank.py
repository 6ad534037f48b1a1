"""What a person does to the files of the Data Bank: add, edit, move, copy, order, switch off, delete.

Every act is stored, announced and returns how to take it back.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from memdesk.chats.changes import Change, ChangeKind
from memdesk.chats.text import clean, one_line
from memdesk.embedding.base import Embedder
from memdesk.formats.documents.extract import extract
from memdesk.formats.documents.failures import SENTENCES
from memdesk.formats.documents.reader import FILE_BYTES
from memdesk.formats.errors import FormatCode, FormatError
from memdesk.memory.databank.cutting import CHUNK_CHARS, OVERLAP, cut, edited_blocks
from memdesk.memory.databank.layer import DataBankLayer
from memdesk.memory.databank.search import DataBankSearch
from memdesk.memory.databank.sync import DataBankSync
from memdesk.store.attachments import Attachment, AttachmentStore, Home, Mode, NewAttachment
from memdesk.store.chats import ChatStore
from memdesk.store.database import Database
from memdesk.store.document import Block, full_text
from memdesk.store.errors import StoreError
from memdesk.store.files import FileStore, FileStoreError
from memdesk.store.people import CharacterStore
from memdesk.store.trash import TrashStore
from memdesk.store.vectors import VectorStore
from memdesk.work.cancel import CancelToken
from memdesk.work.jobs import Jobs
from memdesk.work.undo import Undo

NAME = 300
"""Longest name of a file, in characters."""

LABEL = 60
LEAST_CHUNK = 200
LARGEST_CHUNK = 20_000
MOST_OVERLAP = 50
"""Bounds of a chunk in characters, and of the overlap in percent."""


def _silent(_done: int, _total: int) -> None:
    """Tell nobody how far it is."""


class DataBank:
    """The acts on files. Every method blocks: call it on a worker. `get` and the like raise `StoreError`."""

    def __init__(
        self,
        database: Database,
        files: FileStore,
        embedder: Callable[[], Embedder],
        count: Callable[[str], int],
        jobs: Jobs,
        notify: Callable[[Change], None],
    ) -> None:
        vectors = VectorStore(database)
        self.store = AttachmentStore(database)
        self.sync = DataBankSync(
            store=self.store, vectors=vectors, embedder=embedder, jobs=jobs, notify=notify
        )
        search = DataBankSearch(self.store, vectors, embedder)
        self.layer = DataBankLayer(store=self.store, search=search, sync=self.sync, count=count)
        self._characters = CharacterStore(database)
        self._chats = ChatStore(database)
        self._files = files
        self._trash = TrashStore(database)
        self._count = count
        self._notify = notify

    # ── coming in ────────────────────────────────────────────────────────────────────────────────────

    def add_file(
        self,
        path: Path,
        home: Home,
        *,
        password: str = "",
        progress: Callable[[int, int], None] = _silent,
        cancel: CancelToken | None = None,
    ) -> tuple[Attachment, Undo]:
        """Take a file in, whole or not at all; `progress` is told (done, total) pages or the like.

        Raises `FormatError` for what cannot be read, `StoreError` (`already_there` for a second copy in the
        same place), `Cancelled`.
        """
        self._check(home)
        data = _read(path)
        known = hashlib.sha256(data).hexdigest()
        for other in self.store.all():
            if other.file == known and other.home == home:
                text = f"{path.name} is in the Data Bank already, as “{other.name}”."
                raise StoreError("already_there", text)
        new = self._files.path(known) is None
        suffix = path.suffix.lower()
        try:
            self._files.put(data, suffix if re.fullmatch(r"\.[a-z0-9]{1,10}", suffix) else "")
            del data
            kept = self._kept(known)
            name = one_line(clean(path.name), NAME)
            found = extract(kept, name=path.name, password=password, progress=progress, cancel=cancel)
            return self._add(name, found.kind, kept.stat().st_size, known, found.blocks, home)
        except BaseException as error:
            if new:
                self._files.delete(known)
            if isinstance(error, FormatError):
                raise error.at(path) from error
            raise

    def _kept(self, file: str) -> Path:
        path = self._files.path(file)
        if path is None:
            raise FileStoreError(self._files.root / file, "The file is missing.", code="missing")
        return path

    def add_text(self, name: str, text: str, home: Home) -> tuple[Attachment, Undo]:
        """Take in what a person wrote in the app, as a text file; raises `StoreError` with `blank_text`."""
        text = clean(text)
        if not text.strip():
            raise StoreError("blank_text", "There is no text in it.")
        self._check(home)
        data = text.encode()
        blocks = edited_blocks(text, ())
        return self._add(_name(name), "txt", len(data), self._files.put(data, ".txt"), blocks, home)

    def _add(
        self, name: str, kind: str, size: int, file: str, blocks: Sequence[Block], home: Home
    ) -> tuple[Attachment, Undo]:
        text = full_text(blocks)
        chunks = cut(blocks, self._count)
        tokens = sum(chunk.tokens for chunk in chunks)
        new = NewAttachment(name, kind, size, file, blocks, len(text), tokens, CHUNK_CHARS, OVERLAP)
        attachment_id = self.store.add(new, home, chunks)
        self._announce()
        return self.store.get(attachment_id), Undo(
            one_line(name, LABEL), lambda: self.delete([attachment_id])
        )

    def _check(self, home: Home) -> None:
        """Refuse a scope whose owner is not there."""
        if (home.scope == "chat") != (home.chat_id is not None):
            raise ValueError("A chat goes with the scope of a chat")
        if (home.scope == "character") != bool(home.character_ids):
            raise ValueError("Characters go with the scope of characters")
        if home.chat_id is not None:
            self._chats.get(home.chat_id)
        for character_id in home.character_ids:
            self._characters.get(character_id)

    # ── what it says ─────────────────────────────────────────────────────────────────────────────────

    def text(self, attachment_id: int) -> str:
        """Return the text of a file as it is used."""
        edited = self.store.edited_text(attachment_id)
        return full_text(self.store.blocks(attachment_id)) if edited is None else edited

    def edit_text(self, attachment_id: int, text: str | None) -> Undo | None:
        """Give a file another text, None for the one that was read; None when nothing changes.

        What was read is kept. Only chunks that change are embedded anew. Raises `StoreError` with
        `blank_text`.
        """
        file = self.store.get(attachment_id)
        before = self.store.edited_text(attachment_id)
        if text is not None:
            text = clean(text)
            if not text.strip():
                raise StoreError("blank_text", "There is no text in it.")
            if text == full_text(self.store.blocks(attachment_id)):
                text = None
        if text == before:
            return None
        self._rewrite(file, text)
        return Undo(one_line(file.name, LABEL), lambda: self._rewrite(file, before))

    def recut(self, attachment_id: int, chunk_chars: int, overlap: int) -> Undo | None:
        """Cut a file into chunks of another size; None when nothing changes. Raises `ValueError`."""
        if not LEAST_CHUNK <= chunk_chars <= LARGEST_CHUNK or not 0 <= overlap <= MOST_OVERLAP:
            raise ValueError("chunk_chars or overlap is out of range")
        file = self.store.get(attachment_id)
        before = file.chunk_chars, file.overlap
        if before == (chunk_chars, overlap):
            return None

        def apply(size: int, share: int) -> None:
            self.store.set(attachment_id, chunk_chars=size, overlap=share)
            self._rewrite(self.store.get(attachment_id), self.store.edited_text(attachment_id))

        apply(chunk_chars, overlap)
        return Undo(one_line(file.name, LABEL), lambda: apply(*before))

    def _rewrite(self, file: Attachment, edited: str | None) -> None:
        blocks = self.store.blocks(file.id)
        if edited is not None:
            blocks = edited_blocks(edited, blocks)
        present = self.store.get(file.id)
        chunks = cut(blocks, self._count, present.chunk_chars, present.overlap)
        chars = len(full_text(blocks)) if edited is None else len(edited)
        tokens = sum(chunk.tokens for chunk in chunks)
        self.store.rewrite(file.id, edited, (chars, tokens), chunks)
        self._announce()

    # ── what becomes of it ───────────────────────────────────────────────────────────────────────────

    def rename(self, attachment_id: int, name: str) -> Undo | None:
        """Give a file another name; None when it has it. Raises `StoreError` with `blank_name`."""
        return self._set([attachment_id], name=_name(name))

    def enable(self, ids: Iterable[int], *, value: bool) -> Undo | None:
        """Let files be read in, or not; None when nothing changes."""
        return self._set(ids, enabled=value)

    def set_mode(self, ids: Iterable[int], mode: Mode) -> Undo | None:
        """Say how files are read in; None when nothing changes."""
        return self._set(ids, mode=mode)

    def _set(self, ids: Iterable[int], **values: object) -> Undo | None:
        files = [self.store.get(attachment_id) for attachment_id in ids]
        changed = [file for file in files if any(getattr(file, key) != new for key, new in values.items())]
        if not changed:
            return None
        for file in changed:
            self.store.set(file.id, **values)
        self._announce()

        def undo() -> None:
            for file in changed:
                self.store.set(file.id, **{key: getattr(file, key) for key in values})
            self._announce()

        return Undo(_label(changed), undo)

    def move(self, ids: Iterable[int], home: Home) -> Undo | None:
        """Move files to another scope, or link them to other characters; ids, dates and vectors stay."""
        self._check(home)
        files = [self.store.get(attachment_id) for attachment_id in ids]
        moved = [file for file in files if file.home != home]
        if not moved:
            return None
        for file in moved:
            self.store.set_home(file.id, home)
        self._announce()

        def undo() -> None:
            for file in moved:
                self.store.set_home(file.id, file.home)
            self._announce()

        return Undo(_label(moved), undo)

    def copy(self, attachment_id: int, home: Home) -> tuple[Attachment, Undo]:
        """Put a copy of a file elsewhere; nothing is embedded again."""
        self._check(home)
        copied = self.store.copy(attachment_id, home)
        self._announce()
        file = self.store.get(copied)
        return file, Undo(one_line(file.name, LABEL), lambda: self.delete([copied]))

    def order(self, ids: Sequence[int]) -> Undo | None:
        """Put files of one scope into this order; None when they stand so already."""
        wanted = set(ids)
        before = [file.id for file in self.store.all() if file.id in wanted]
        if before == list(ids):
            return None
        first = self.store.get(ids[0])
        self._order(ids)
        return Undo(one_line(first.name, LABEL), lambda: self._order(before))

    def _order(self, ids: Sequence[int]) -> None:
        self.store.order(ids)
        self._announce()

    def delete(self, ids: Sequence[int]) -> Undo | None:
        """Put files into the trash; None for no files."""
        files = [self.store.get(attachment_id) for attachment_id in ids]
        if not files:
            return None
        label = _label(files)
        trash_id = self._trash.put("files", ids, label)
        self._announce()

        def undo() -> None:
            self._trash.restore(trash_id)
            self._announce()

        return Undo(label, undo)

    def drop_originals(self) -> None:
        """Delete the originals of files that are gone for good."""
        for file in self.store.take_dropped():
            self._files.delete(file)

    def _announce(self) -> None:
        self._notify(Change(ChangeKind.FILES_CHANGED))


def _read(path: Path) -> bytes:
    code: FormatCode
    try:
        if path.stat().st_size > FILE_BYTES:
            code = "too_large"
        else:
            data = path.read_bytes()
            if data:
                return data
            code = "empty"
    except FileNotFoundError:
        code = "vanished"
    except OSError:
        code = "unreadable"
    raise FormatError(path.name, SENTENCES[code], code=code, path=path)


def _name(name: str) -> str:
    found = one_line(clean(name), NAME)
    if not found:
        raise StoreError("blank_name", "It needs a name.")
    return found


def _label(files: Sequence[Attachment]) -> str:
    rest = f" (+{len(files) - 1})" if len(files) > 1 else ""
    return f"{one_line(files[0].name, LABEL)}{rest}"
