"""What a person does to characters and personas; every act is stored, announced and can be undone."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from memdesk.chats.changes import Change, ChangeBus, ChangeKind
from memdesk.chats.model import Character, Persona
from memdesk.chats.text import clean, one_line
from memdesk.formats.card_extras import DepthPrompt, with_depth_prompt, with_talkativeness
from memdesk.formats.card_fields import one_line_name
from memdesk.formats.cards import with_fields, write_card_json, write_card_png
from memdesk.formats.errors import FormatError
from memdesk.formats.images import MAX_FILE, decode_avatar, placeholder
from memdesk.formats.memory_io import read_file, write_file
from memdesk.formats.personas import FilePersona, read_personas, write_personas
from memdesk.store.chats import ChatStore
from memdesk.store.errors import StoreError
from memdesk.store.files import FileStore
from memdesk.store.people import CharacterStore, PersonaStore
from memdesk.store.trash import TrashStore
from memdesk.work.undo import Undo

_NOT_IN_NAMES = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*\u202a-\u202e\u2066-\u2069]+')
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
LONGEST_FILE_NAME = 80


@dataclass(frozen=True, slots=True)
class CardEdit:
    """What changes in a character. `fields` are texts and lists of its card's `data`; None leaves as it is.

    `avatar` is the content of a new picture file; `remove_avatar` takes the present one away.
    """

    fields: Mapping[str, Any]
    depth_prompt: DepthPrompt | None = None
    talkativeness: float | None = None
    avatar: bytes | None = None
    remove_avatar: bool = False

    def applied(self, card: dict[str, Any]) -> dict[str, Any]:
        """Return the card with the changes; raises ValueError for a blank name."""
        card = with_fields(card, **{key: _cleaned(value) for key, value in self.fields.items()})
        if self.depth_prompt is not None:
            prompt = self.depth_prompt
            card = with_depth_prompt(card, replace(prompt, text=clean(prompt.text)))
        if self.talkativeness is not None:
            card = with_talkativeness(card, self.talkativeness)
        return card


@dataclass(frozen=True, slots=True)
class PersonaImport:
    """What came of a file of personas."""

    added: tuple[Persona, ...]
    skipped: int
    """those that are here already"""
    warnings: tuple[str, ...]


class People:
    """The acts on characters and personas. Every method blocks: call it on a worker."""

    def __init__(
        self,
        *,
        characters: CharacterStore,
        personas: PersonaStore,
        chats: ChatStore,
        trash: TrashStore,
        files: FileStore,
        bus: ChangeBus,
        restore: Callable[[int], object],
    ) -> None:
        self._characters = characters
        self._personas = personas
        self._chats = chats
        self._trash = trash
        self._files = files
        self._bus = bus
        self._restore = restore

    def _changed(self) -> None:
        self._bus.publish(Change(ChangeKind.CHARACTER_CHANGED))

    # ── characters ───────────────────────────────────────────────────────────────────────────────────

    def edit(self, character_id: int, edit: CardEdit) -> tuple[Character, Undo | None]:
        """Change a character; unknown fields of its card are kept. No undo when nothing changed.

        Raises `StoreError`, `FormatError` for a picture that cannot be used, ValueError for a blank name.
        """
        old = self._characters.get(character_id)
        card = edit.applied(old.card)
        avatar = None if edit.remove_avatar else old.avatar
        if edit.avatar is not None:
            avatar = self._files.put(decode_avatar(edit.avatar, old.name), ".png")
        name = str(card["data"]["name"]) if "name" in edit.fields else old.name
        if card == old.card and avatar == old.avatar and name == old.name:
            return old, None
        character = self._characters.update(character_id, name=name, card=card, avatar=avatar)
        self._changed()

        def take_back() -> None:
            self._characters.update(
                character_id, name=old.name, card=old.card, avatar=old.avatar, picture=old.picture
            )
            self._changed()

        return character, Undo(old.name, take_back)

    def duplicate(self, character_id: int) -> tuple[Character, Undo]:
        """Make a second character of the same card and picture; its name is the same, too."""
        old = self._characters.get(character_id)
        character = self._characters.add(
            old.name, copy.deepcopy(old.card), old.avatar, picture=old.picture, favourite=old.favourite
        )
        self._changed()
        return character, Undo(character.name, lambda: self._delete("character", character.id, old.name))

    def set_favourite(self, ids: Sequence[int], *, favourite: bool) -> Undo | None:
        """Mark characters as favourites, or no longer; None when they are so already."""
        changed = self._characters.set_favourite(ids, favourite)
        if not changed:
            return None
        name = self._characters.get(changed[0]).name
        self._changed()

        def take_back() -> None:
            self._characters.set_favourite(changed, not favourite)
            self._changed()

        return Undo(name, take_back)

    def export_card(self, character_id: int, path: Path) -> Path:
        """Write a character into a .png or .json file that every program reads, whole or not at all.

        A PNG is the one that the character came in, every other chunk of it kept, while it has that picture.
        Raises `FormatError`: `unknown_format` for another suffix, `too_large`, `unreadable`.
        """
        character = self._characters.get(character_id)
        suffix = path.suffix.lower()
        if suffix == ".json":
            data = write_card_json(character.card)
        elif suffix == ".png":
            data = write_card_png(character.card, self._picture(character))
        else:
            reason = "Characters are written as PNG or JSON files."
            raise FormatError(path.name, reason, code="unknown_format", path=path)
        write_file(path, data)
        return path

    def _picture(self, character: Character) -> bytes:
        """Return the best picture there is: as it came, as it is shown, or one that stands for none."""
        for kept in (character.picture, character.avatar):
            if kept is not None:
                try:
                    return self._files.read(kept)
                except StoreError:
                    # A file that is lost or damaged on the disk costs the picture, not the export.
                    continue
        return placeholder(character.name)

    # ── personas ─────────────────────────────────────────────────────────────────────────────────────

    def add_persona(self, name: str, description: str = "") -> tuple[Persona, Undo]:
        """Make a persona; the first one is the one that new chats start with."""
        first = self._personas.default() is None
        persona = self._personas.add(_name(name), clean(description), default=first)
        self._changed()
        return persona, Undo(persona.name, lambda: self._delete("persona", persona.id, persona.name))

    def save_persona(self, persona: Persona, avatar: bytes | None = None) -> tuple[Persona, Undo | None]:
        """Change a persona; `avatar` is a new picture file's content. Messages keep the name they had."""
        old = self._personas.get(persona.id)
        kept = old.avatar if persona.avatar is not None else None
        if avatar is not None:
            kept = self._files.put(decode_avatar(avatar, old.name), ".png")
        wanted = replace(
            persona,
            name=_name(persona.name),
            description=clean(persona.description),
            avatar=kept,
            default=old.default,
            key=old.key,
            extra=old.extra,
        )
        if wanted == old:
            return old, None
        saved = self._personas.save(wanted)
        self._changed()

        def take_back() -> None:
            self._personas.save(old)
            self._changed()

        return saved, Undo(old.name, take_back)

    def duplicate_persona(self, persona_id: int) -> tuple[Persona, Undo]:
        """Make a second persona like another one; it has no place in other programs' files yet."""
        old = self._personas.get(persona_id)
        persona = self._personas.add(
            old.name,
            old.description,
            avatar=old.avatar,
            place=old.place,
            depth=old.depth,
            role=old.role,
            extra=copy.deepcopy(old.extra),
        )
        self._changed()
        return persona, Undo(persona.name, lambda: self._delete("persona", persona.id, persona.name))

    def delete_persona(self, persona_id: int) -> Undo:
        """Put a persona into the trash; chats that had it go on with the default one."""
        persona = self._personas.present(persona_id)
        if persona is None:
            raise StoreError("not_found", f"There is no persona {persona_id}.")
        trash_id = self._delete("persona", persona_id, persona.name)
        return Undo(persona.name, lambda: self._restore(trash_id))

    def _delete(self, kind: str, item_id: int, name: str) -> int:
        trash_id = self._trash.put(kind, [item_id], one_line(name, 120))
        self._changed()
        return trash_id

    def make_default(self, persona_id: int) -> Undo | None:
        """Let new chats start with a persona; None when they do already."""
        before = self._personas.default()
        persona = self._personas.get(persona_id)
        if before is not None and before.id == persona_id:
            return None

        def choose(wanted: int | None) -> None:
            self._personas.set_default(wanted)
            self._changed()

        choose(persona_id)
        return Undo(persona.name, lambda: choose(before.id if before else None))

    def choose_persona(self, chat_id: int, persona_id: int | None) -> Undo | None:
        """Say who the person plays in a chat from now on; None stands for the default one.

        What was said stays as it was said. Returns None when nothing changed.
        """
        chat = self._chats.get(chat_id)
        if persona_id is not None and self._personas.present(persona_id) is None:
            raise StoreError("not_found", f"There is no persona {persona_id}.")
        if chat.persona_id == persona_id:
            return None

        def choose(wanted: int | None) -> None:
            self._chats.set_persona(chat_id, wanted)
            # No message changed: the lists and the composer are to look again, memory is not.
            self._changed()

        choose(persona_id)
        return Undo(chat.title, lambda: choose(chat.persona_id))

    def import_personas(self, path: Path) -> tuple[PersonaImport, Undo | None]:
        """Add the personas of a file to those that are here; one that is here already stays as it is.

        A picture that lies beside the file, or in the folder “User Avatars” beside it, comes along. Raises
        `FormatError` as `read_personas`.
        """
        found, warnings = read_personas(path)
        present = {persona.key for persona in self._personas.all()}
        had_default = self._personas.default() is not None
        added: list[Persona] = []
        for item in found:
            if item.key in present:
                continue
            present.add(item.key)
            persona = self._personas.add(
                item.name,
                item.description,
                default=item.default and not had_default,
                avatar=self._picture_beside(path, item, warnings),
                place=item.place,
                depth=item.depth,
                role=item.role,
                key=item.key,
                extra=item.extra,
            )
            added.append(persona)
        result = PersonaImport(tuple(added), len(found) - len(added), tuple(warnings))
        if not added:
            return result, None
        self._changed()
        ids = [persona.id for persona in added]

        def take_back() -> None:
            self._trash.put("persona", ids, one_line(path.name, 120))
            self._changed()

        return result, Undo(path.name, take_back)

    def _picture_beside(self, path: Path, item: FilePersona, warnings: list[str]) -> str | None:
        """Return the kept picture of a persona from where SillyTavern has them, None where there is none."""
        plain = item.key not in {"", ".", ".."} and item.key == PureWindowsPath(item.key).name
        # A name with a way in it could read any file of the disk.
        if not plain or item.key != PurePosixPath(item.key).name or "\0" in item.key:
            return None
        for folder in (path.parent, path.parent / "User Avatars"):
            file = folder / item.key
            try:
                if file.is_file():
                    return self._files.put(decode_avatar(read_file(file, MAX_FILE), item.key), ".png")
            except FormatError as error:
                warnings.append(f"The picture could not be used: {error.reason}")
            except OSError:
                # A name that this disk cannot have is the name of no picture.
                continue
        return None

    def export_personas(self, path: Path) -> int:
        """Write all personas into a file that SillyTavern and memdesk read; returns how many.

        Raises `FormatError`: `empty` when there is none, `too_large`, `unreadable`.
        """
        personas = self._personas.all()
        if not personas:
            raise FormatError(path.name, "There are no personas to export.", code="empty", path=path)
        write_file(path, write_personas(personas))
        return len(personas)


def file_name(name: str, suffix: str) -> str:
    """Return a file name for a character that every system takes, with the suffix (".png")."""
    # Bytes, because file systems count those: a name in Chinese has three to a character.
    stem = _NOT_IN_NAMES.sub(" ", one_line(name, LONGEST_FILE_NAME)).encode()[: 2 * LONGEST_FILE_NAME]
    words = " ".join(stem.decode(errors="ignore").split()).strip(". ")
    if not words or _RESERVED.fullmatch(words):
        words = f"character {words}".strip()
    return words + suffix


def _name(name: str) -> str:
    """Return a persona's name as one line; raises `StoreError` for a blank one."""
    settled = one_line_name(clean(name))
    if not settled:
        raise StoreError("blank_name", "A persona needs a name.")
    return settled


def _cleaned(value: Any) -> Any:  # noqa: ANN401 — a text or a list of texts
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    return clean(value) if isinstance(value, str) else value
