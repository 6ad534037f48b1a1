"""What holds for one chat: its own choices, and the app's where it has none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from memdesk.chats.model import Chat
from memdesk.llm.profile import ConnectionProfile
from memdesk.prompt.names import Names, names_in
from memdesk.prompt.note import AuthorsNote, read_note
from memdesk.prompt.presets import BUILT_IN, ENGLISH, Preset, read_preset
from memdesk.store.presets import PresetStore


@dataclass(frozen=True, slots=True)
class Choices:
    """What a prompt of one chat is made with; `profile` has the preset's values in place of its own."""

    preset: Preset
    profile: ConnectionProfile
    note: AuthorsNote
    scenario: str | None
    names: Names


@dataclass(frozen=True, slots=True)
class AppChoices:
    """What the app has chosen for every chat: preset, note, a connection by its id ("" for its own)."""

    preset: Callable[[], str]
    note: Callable[[], AuthorsNote]
    profile: Callable[[str], ConnectionProfile]


class Chooser:
    """Reads the choices of chats; what was chosen and is gone counts as not chosen."""

    def __init__(self, presets: PresetStore, app: AppChoices) -> None:
        self._presets = presets
        self._app = app

    def of(self, chat: Chat) -> Choices:
        """Return what holds for a chat (`settings`: `preset`, `connection`, `note`, `scenario`)."""
        preset = self.preset(_text(chat.settings.get("preset")))
        profile = self._app.profile(_text(chat.settings.get("connection")))
        scenario = chat.settings.get("scenario")
        return Choices(
            preset=preset,
            profile=preset.applied(profile),
            note=read_note(chat.settings.get("note"), self._app.note()),
            scenario=scenario if isinstance(scenario, str) else None,
            names=names_in(preset.names, chat),
        )

    def preset(self, key: str) -> Preset:
        """Return a preset by its key; the app's where there is none, the built-in one where that is gone."""
        return self._read(key) or self._read(self._app.preset()) or ENGLISH

    def _read(self, key: str) -> Preset | None:
        if not key:
            return None
        stored = self._presets.find(key)
        if stored is None:
            return BUILT_IN.get(key)
        return read_preset({**stored.body, "name": stored.name})


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
