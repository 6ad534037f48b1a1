"""Since when each memory of a chat is known: the same rule by which recall leaves out what is too new."""

from __future__ import annotations

from memdesk.memory.timeline import Known
from memdesk.store.chunk_upkeep import ChunkUpkeep
from memdesk.store.messages import MessageStore


class RecallTimeline:
    """The `Timeline` of recall: a memory is known to the reply after its last source message."""

    def __init__(self, upkeep: ChunkUpkeep, messages: MessageStore) -> None:
        self._upkeep = upkeep
        self._messages = messages

    def known(self, chat_id: int) -> list[Known]:
        """Return every chunk of a chat with the reply that it is known since.

        Of messages that are gone only the time tells what came first; notes and memories that come from
        elsewhere are known from the beginning.
        """
        turns = {message_id: number for number, message_id in enumerate(self._messages.ids(chat_id), start=1)}
        found = []
        for span in self._upkeep.spans(chat_id):
            numbers = [turns[source] for source in span.sources if source in turns]
            if numbers:
                since = max(numbers) + 1
            elif span.sources:
                since = self._upkeep.said_before(chat_id, span.last_time) + 2
            else:
                since = 1
            found.append(Known("recall", "memory", span.chunk_id, since, span.enabled))
        return found
