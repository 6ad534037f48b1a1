"""The instructions that models get for summaries: those that come along, and a person's own."""

from __future__ import annotations

import functools
import json
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from memdesk.assets import asset
from memdesk.chats.text import clean, one_line
from memdesk.store.errors import StoreError
from memdesk.work.undo import Undo

PROMPT_CHARS = 20_000
"""Longest instruction (Marinara Engine's limit)."""

NAME_CHARS = 100

DEFAULT = "plot-en"
DEFAULT_CHINESE = "plot-zh"


@dataclass(frozen=True, slots=True)
class Template:
    """An instruction for the model that writes summaries; `own` ones are a person's."""

    id: str
    name: str
    text: str
    language: str = ""
    own: bool = False


class OwnTemplate(BaseModel):
    """An instruction that a person wrote, as it stands in the settings."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str = Field(min_length=1, max_length=100)
    name: str = Field(min_length=1, max_length=NAME_CHARS)
    text: str = Field(min_length=1, max_length=PROMPT_CHARS)


@functools.cache
def built_in() -> dict[str, Template]:
    """Return the templates that come along, by id."""
    return {item.id: item for item in _shipped("templates")}


def combining(language: str) -> Template:
    """Return the instruction for combining, in the language of another template (`zh` or any other)."""
    found = _shipped("combining")
    return next((item for item in found if item.language == language), found[0])


@functools.cache
def _shipped(key: str) -> tuple[Template, ...]:
    body = json.loads(asset("prompts", "summaries.json").read_text("utf-8"))
    return tuple(Template(item["id"], item["name"], item["text"], item["language"]) for item in body[key])


class Templates:
    """All templates, and which one every summary is written by. The acts store and say how to go back."""

    def __init__(
        self,
        own: Callable[[], Sequence[OwnTemplate]],
        chosen: Callable[[], str],
        store: Callable[[Sequence[OwnTemplate], str], None],
        language: Callable[[], str],
    ) -> None:
        """Work on the `own` ones and the id `chosen`; `language` is that of the app, as a locale's name."""
        self._own = own
        self._chosen = chosen
        self._store = store
        self._language = language

    def all(self) -> list[Template]:
        """Return those that come along, then the person's own."""
        return [
            *built_in().values(),
            *(Template(item.id, item.name, item.text, own=True) for item in self._own()),
        ]

    def chosen(self) -> Template:
        """Return the one that summaries are written by; the default where the chosen one is gone."""
        default = DEFAULT_CHINESE if self._language().startswith("zh") else DEFAULT
        known = {item.id: item for item in self.all()}
        return known.get(self._chosen()) or known[default]

    def choose(self, template_id: str) -> Undo | None:
        """Write summaries by another template; None when it is this one already."""
        before = self._chosen()
        if self.chosen().id == template_id:
            return None
        wanted = self._find(template_id)
        self._store(self._own(), template_id)
        return Undo(wanted.name, lambda: self._store(self._own(), before))

    def add(self, name: str, text: str) -> tuple[str, Undo]:
        """Add an own template; returns its id. Raises `StoreError` (`blank_name`, `blank_template`)."""
        made = OwnTemplate(id=uuid.uuid4().hex, name=_name(name), text=_text(text))
        self._store([*self._own(), made], self._chosen())
        return made.id, Undo(made.name, lambda: self._drop(made.id))

    def edit(self, template_id: str, name: str, text: str) -> Undo | None:
        """Change an own template; None when nothing changed. Raises `StoreError`, see `add`; `built_in`."""
        before = self._find_own(template_id)
        after = OwnTemplate(id=template_id, name=_name(name), text=_text(text))
        if after == before:
            return None
        self._replace(after)
        return Undo(after.name, lambda: self._replace(before))

    def delete(self, template_id: str) -> Undo:
        """Delete an own template. Raises `StoreError` (`built_in`, `not_found`)."""
        before, chosen = self._find_own(template_id), self._chosen()
        self._drop(template_id)

        def undo() -> None:
            self._store([*self._own(), before], chosen)

        return Undo(before.name, undo)

    def _find(self, template_id: str) -> Template:
        for item in self.all():
            if item.id == template_id:
                return item
        raise StoreError("not_found", "That template is not there any more.")

    def _find_own(self, template_id: str) -> OwnTemplate:
        if template_id in built_in():
            raise StoreError("built_in", "A built-in template stays as it is. Duplicate it to change it.")
        for item in self._own():
            if item.id == template_id:
                return item
        raise StoreError("not_found", "That template is not there any more.")

    def _replace(self, template: OwnTemplate) -> None:
        own = [template if item.id == template.id else item for item in self._own()]
        self._store(own, self._chosen())

    def _drop(self, template_id: str) -> None:
        self._store([item for item in self._own() if item.id != template_id], self._chosen())


def _name(name: str) -> str:
    found = one_line(clean(name), NAME_CHARS).strip()
    if not found:
        raise StoreError("blank_name", "It needs a name.")
    return found


def _text(text: str) -> str:
    found = clean(text).strip()
    if not found:
        raise StoreError("blank_template", "A template needs text: it is what the model is asked to do.")
    if len(found) > PROMPT_CHARS:
        raise StoreError("long_template", f"A template has at most {PROMPT_CHARS:,} characters.")
    return found
