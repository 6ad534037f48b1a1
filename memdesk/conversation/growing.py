"""Words that go on from words: a reply that is continued, and the person's own turn written by the model."""

from __future__ import annotations

import json
import logging

from memdesk.chat_acts import ChatActs
from memdesk.chats.changes import Change, ChangeBus, ChangeKind
from memdesk.chats.groups import group_settings
from memdesk.chats.model import Chat, Message, SwipeState
from memdesk.chats.text import clean
from memdesk.conversation.events import Event, Listener, ReplyEnded, ReplyGrew, ReplyStarted
from memdesk.conversation.groups import Voices
from memdesk.conversation.prompts import Prompts, model_name
from memdesk.conversation.stores import Stores
from memdesk.conversation.writing import Draft, ReplyWriter, end_state
from memdesk.llm.errors import LLMError
from memdesk.llm.keys import KeyFileError
from memdesk.llm.thoughts import APART
from memdesk.prompt.budget import PromptTooLarge
from memdesk.prompt.receipt import Receipt
from memdesk.store.errors import StoreError
from memdesk.store.swipe_rows import WholeSwipe
from memdesk.work.cancel import CancelToken
from memdesk.work.undo import Undo

log = logging.getLogger(__name__)

CONTINUE = (
    "Go on with {{char}}'s last message from exactly where it breaks off, in the same voice and language. "
    "Write only what comes next; repeat nothing of it."
)
TURN = (
    "Now write {{user}}'s next turn instead of {{char}}'s: only what {{user}} says and does, in {{user}}'s "
    "own voice and in the language of the chat. Do not write for {{char}}."
)
BEGUN = "It begins with these words; go on from there and repeat nothing of them:\n"

CONTINUING = "continue"
"""What stands under `failed` in the generation data of a reply whose continuation failed."""


class Growing:
    """Continues replies, and writes turns for the person. Blocks; for worker threads."""

    def __init__(
        self,
        *,
        stores: Stores,
        acts: ChatActs,
        bus: ChangeBus,
        prompts: Prompts,
        voices: Voices,
        writer: ReplyWriter,
    ) -> None:
        self._stores = stores
        self._acts = acts
        self._bus = bus
        self._prompts = prompts
        self._voices = voices
        self._writer = writer

    def go_on(self, chat: Chat, message: Message, listen: Listener, cancel: CancelToken) -> Message | None:
        """Let the last reply of a chat grow; returns it. When nothing comes it stays as it was."""
        self._refuse_odd(message)
        choices = self._prompts.choices(chat)
        profile = choices.profile
        voice, user = self._voices.again(chat, message), self._prompts.user_name(chat)
        swipe_id, model = message.swipe.id, model_name(profile)
        before = self._acts.edits.begin_continuing(swipe_id)
        draft = Draft(message.id, swipe_id, asked=model, model=model, base=before.text)
        draft.marks = voice.generation()
        draft.guard = voice.guard(user, group_settings(chat.settings))
        draft.earlier = json.loads(before.row["generation"])
        if before.row["reasoning"]:
            draft.reasoning = [before.row["reasoning"], APART]
        error, receipt = "", None
        try:
            receipt = self._prompts.prepare(chat, voice, None, "", choices, closing=CONTINUE)
            self._stores.receipts.put(swipe_id, receipt.to_json())
            self._stores.memories.note_recalls(swipe_id, receipt.recalled())
            listen(ReplyStarted(self._stores.messages.get(message.id), receipt))
            self._writer.stream(profile, receipt, voice.name, user, draft, listen, cancel)
        except (LLMError, KeyFileError, PromptTooLarge) as failure:
            log.warning("continuation failed: %s", getattr(failure, "code", failure))
            error = clean(str(failure))
            if receipt is None:
                listen(ReplyStarted(self._stores.messages.get(message.id), None))
        except BaseException:
            self._end(draft, before, SwipeState.INTERRUPTED, "", receipt)
            raise
        if draft.cut and not error and not draft.grown:
            error = f"The model wrote for {draft.cut} instead of {voice.name}, so nothing was kept."
        changed = self._end(draft, before, end_state(draft, error), error, receipt)
        found = self._stores.messages.get_many([message.id])
        now = self._stores.messages.get(message.id) if found else None
        self._bus.publish(Change(ChangeKind.TEXT_CHANGED, chat.id, (message.id,)))
        undo = Undo(f"#{message.number}", lambda: self._acts.put_back(before, chat.id)) if changed else None
        listen(ReplyEnded(message.id, now, undo))
        return now

    def _refuse_odd(self, message: Message) -> None:
        if message.role != "assistant":
            raise StoreError("not_a_reply", "Only a character's message can be continued.")
        if message.number != self._stores.messages.count(message.chat_id):
            raise StoreError("not_last", "Only the last message can be continued.")
        if message.hidden:
            raise StoreError("hidden", "This message is hidden from the model. Show it again first.")
        if not message.text.strip():
            raise StoreError("nothing_to_continue", "There is nothing to continue yet: write the reply anew.")

    def _end(
        self, draft: Draft, before: WholeSwipe, state: SwipeState, error: str, receipt: Receipt | None
    ) -> bool:
        """Store how a continuation ended; returns whether the reply is another one now."""
        if draft.grown:
            self._writer.store_end(draft, state, error, receipt, failed=CONTINUING if error else "")
            return True
        self._acts.edits.put_back(before)
        if error:
            row = before.row
            self._stores.messages.finish(
                before.id,
                before.text,
                SwipeState.FAILED,
                reasoning=row["reasoning"],
                error=error,
                tokens=row["tokens"],
                generation={**draft.earlier, "failed": CONTINUING},
            )
        return bool(error)

    def turn(self, chat: Chat, begun: str, listen: Listener, cancel: CancelToken) -> str:
        """Write the person's next turn, going on from what is `begun`; nothing is stored.

        Tells `ReplyGrew` with message id 0. Returns what was written. Raises `LLMError`, `KeyFileError` and
        `PromptTooLarge`.
        """
        choices = self._prompts.choices(chat)
        profile = choices.profile
        voice, user = self._voices.likely(chat, self._prompts.last(chat)), self._prompts.user_name(chat)
        begun = clean(begun)
        closing = f"{TURN} {BEGUN}{begun}" if begun.strip() else TURN
        receipt = self._prompts.prepare(chat, voice, None, "", choices, closing=closing)
        draft = Draft(0, 0, asked=model_name(profile), model="", base=begun)

        def hear(event: Event) -> None:
            if isinstance(event, ReplyGrew) and not event.reasoning:
                listen(event)

        self._writer.stream(profile, receipt, user, voice.name, draft, hear, cancel)
        return draft.new
