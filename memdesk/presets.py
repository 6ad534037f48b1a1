"""What a person does to presets; every act is stored, announced and can be undone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memdesk.chats.changes import Change, ChangeBus, ChangeKind
from memdesk.chats.text import clean, one_line
from memdesk.formats.memory_io import write_file
from memdesk.formats.sillytavern_preset import FoundPreset, read_preset_file, write_preset
from memdesk.prompt.presets import BUILT_IN, Preset, built_in_for, read_preset
from memdesk.store.chats import ChatStore
from memdesk.store.errors import StoreError
from memdesk.store.presets import PresetStore
from memdesk.store.trash import TrashStore
from memdesk.work.undo import Undo


@dataclass(frozen=True, slots=True)
class NamedPreset:
    """A preset with its key; `changed` tells of a built-in one whether it is as it was shipped."""

    key: str
    preset: Preset
    built_in: bool = False
    changed: bool = False


class Presets:
    """The acts behind the presets dialog. Every method blocks: call it on a worker."""

    def __init__(
        self,
        store: PresetStore,
        chats: ChatStore,
        trash: TrashStore,
        bus: ChangeBus,
        restore: Callable[[int], Any],
    ) -> None:
        self._store = store
        self._chats = chats
        self._trash = trash
        self._bus = bus
        self._restore = restore

    def all(self) -> list[NamedPreset]:
        """Return every preset: the built-in ones first, then a person's own by name."""
        stored = {item.key: item for item in self._store.all()}
        found = [self._named(key, stored.get(key)) for key in BUILT_IN]
        return found + [self._named(key, item) for key, item in stored.items() if key not in BUILT_IN]

    @staticmethod
    def _named(key: str, stored: Any) -> NamedPreset:  # noqa: ANN401 — a StoredPreset or None
        built_in = key in BUILT_IN
        if stored is None:
            return NamedPreset(key, BUILT_IN[key], built_in)
        preset = read_preset({**stored.body, "name": stored.name})
        return NamedPreset(key, preset, built_in, changed=built_in and preset != BUILT_IN[key])

    def get(self, key: str) -> NamedPreset:
        """Return one preset; raises `StoreError` with code `not_found`."""
        stored = self._store.find(key)
        if stored is None and key not in BUILT_IN:
            raise StoreError("not_found", "That preset is not there any more.")
        return self._named(key, stored)

    def add(self, preset: Preset) -> tuple[NamedPreset, Undo]:
        """Store a new preset; a name that is taken gets a number."""
        preset = preset.model_copy(update={"name": self._free_name(preset.name)})
        stored = self._store.add(preset.name, _body(preset))
        self._announce()
        return NamedPreset(stored.key, preset), Undo(preset.name, lambda: self.delete(stored.key))

    def new(self, name: str, language: str = "") -> tuple[NamedPreset, Undo]:
        """Begin a preset with the built-in prompts of a language."""
        return self.add(BUILT_IN[built_in_for(language)].model_copy(update={"name": _name(name)}))

    def duplicate(self, key: str) -> tuple[NamedPreset, Undo]:
        """Store a copy of a preset."""
        return self.add(self.get(key).preset)

    def save(self, key: str, preset: Preset) -> Undo | None:
        """Change a preset; returns None when nothing changed. A built-in one keeps its name."""
        before = self.get(key)
        name = before.preset.name if before.built_in else _name(preset.name)
        preset = preset.model_copy(update={"name": name})
        if preset == before.preset:
            return None
        self._put(key, preset)
        return Undo(name, lambda: self._put(key, before.preset))

    def rename(self, key: str, name: str) -> Undo | None:
        """Give a preset another name; a built-in one has its own for ever."""
        present = self.get(key)
        if present.built_in:
            raise StoreError("built_in", "A built-in preset keeps its name. Duplicate it to have your own.")
        return self.save(key, present.preset.model_copy(update={"name": _name(name)}))

    def reset(self, key: str, language: str = "") -> Undo | None:
        """Put back what a built-in preset was shipped with; one of a person's own gets its language's."""
        wanted = BUILT_IN.get(key) or BUILT_IN[built_in_for(language)]
        return self.save(key, wanted.model_copy(update={"name": self.get(key).preset.name}))

    def delete(self, key: str) -> Undo:
        """Put a preset into the trash; chats that used it have the app's from now on."""
        present = self.get(key)
        if present.built_in:
            raise StoreError("built_in", "A built-in preset cannot be deleted.")
        trash_id = self._trash.put("preset", [self._store.row_id(key)], present.preset.name)
        self._announce()
        return Undo(present.preset.name, lambda: self._restore(trash_id))

    def choose(self, chat_id: int, changes: dict[str, Any]) -> Undo | None:
        """Change what a chat has of its own; None gives a choice back to the app.

        The keys are `preset`, `connection`, `scenario`, `note`, `recall`, `pictures`. Returns None when
        nothing changed.
        """
        chat = self._chats.get(chat_id)
        before = chat.settings
        after = {**before, **changes}
        after = {key: value for key, value in after.items() if value is not None or key not in changes}
        if after == before:
            return None
        taken = {key: before.get(key) for key in changes}
        self._set(chat_id, after)
        return Undo(chat.title, lambda: self.choose(chat_id, taken))

    def _set(self, chat_id: int, settings: dict[str, Any]) -> None:
        self._chats.set_settings(chat_id, settings)
        # No message and no memory is another one for it.
        self._announce()

    def read_file(self, path: Path) -> FoundPreset:
        """Read a preset from a file, to be looked at before it is kept; raises `FormatError`."""
        return read_preset_file(path)

    def export(self, key: str, path: Path) -> None:
        """Write a preset into a file; raises `FormatError`."""
        write_file(path, write_preset(self.get(key).preset))

    def _put(self, key: str, preset: Preset) -> None:
        if BUILT_IN.get(key) == preset:
            self._store.drop(key)
        else:
            self._store.put(key, preset.name, _body(preset))
        self._announce()

    def _free_name(self, name: str) -> str:
        taken = {item.preset.name for item in self.all()}
        number, free = 1, name
        while free in taken:
            number += 1
            free = f"{name[:190]} {number}"
        return free

    def _announce(self) -> None:
        self._bus.publish(Change(ChangeKind.CHARACTER_CHANGED))


def _body(preset: Preset) -> dict[str, Any]:
    return preset.model_dump(mode="json", exclude={"name"}, exclude_none=True)


def _name(name: str) -> str:
    name = one_line(clean(name).strip(), 200)
    if not name:
        raise StoreError("blank_name", "A preset needs a name.")
    return name
