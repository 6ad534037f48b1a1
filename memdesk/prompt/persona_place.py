"""Where a persona's description goes when it does not stand with the character."""

from __future__ import annotations

from memdesk.chats.model import Persona
from memdesk.prompt.injections import Injection
from memdesk.prompt.parts import Placement

NOTE_PLACE = Placement("in_chat", 4, "system")
"""Where an author's note stands that nobody has placed, and so a persona beside a note that is not there."""


def around_note(
    persona: Persona | None,
    note: Injection | None,
    place: Placement = NOTE_PLACE,
    framed: str = "{{user}}: {{persona}}",
) -> list[Injection]:
    """Return the author's note with a persona's description above or below it, or in a place of its own.

    Both are parts of their own; at one place and in this order they become one message. The description goes
    every time, also when the note does not (`included`) or there is none: `place` is where it would
    stand. `framed` introduces the description.
    """
    notes = [note] if note is not None else []
    if persona is None or not persona.description.strip() or persona.place in {"prompt", "none"}:
        return notes
    place = note.placement if note is not None else place
    if persona.place == "depth":
        place = Placement("in_chat", persona.depth, persona.role)
    described = Injection("character", "Persona", framed, place, source={"persona": persona.id})
    return [*notes, described] if persona.place == "note_bottom" else [described, *notes]
