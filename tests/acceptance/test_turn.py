"""One message all the way: stored, recalled for, sent, streamed, stored with its receipt."""

from __future__ import annotations

import json
import sys
import threading

from memdesk.conversation import ReplyGrew
from memdesk.prompt.receipt import from_json
from memdesk.work.cancel import CancelToken
from tests.support.fake_llm import Deltas, FakeLLM, Fault, Request
from tests.support.workspaces import Desk, talk, wait_until

FACTS = (
    "My lighthouse burned down in the winter of 1987.",
    "*She nods.* That must have been terrible.",
    "The harbour master kept the brass key in a biscuit tin.",
    "A strange place for a key.",
    "I like my porridge with salt.",
    "So do I.",
    "The weather turns.",
    "It always does.",
    "Shall we walk on?",
    "Lead the way.",
    "The path is steep.",
    "Mind the stones.",
)


def test_the_message_is_on_disk_before_the_request_goes_out(desk: Desk, server: FakeLLM) -> None:
    chat = desk.talk("Hello.", "Good day.")
    desk.connect(server.profile())
    seen: list[list[tuple[object, ...]]] = []

    def reply(request: Request) -> str:
        seen.append(
            desk.query(
                "SELECT m.role, s.text, s.state FROM messages m JOIN swipes s ON s.message_id = m.id"
                " ORDER BY m.position"
            )
        )
        assert request.last_user_text == "Do you remember me?"
        return "Of course I do."

    server.reply = reply
    outcome = desk.run("send", str(chat), "Do you remember me?")

    assert (outcome.code, outcome.out) == (0, "Of course I do.\n")
    assert seen == [
        [
            ("user", "Hello.", "done"),
            ("assistant", "Good day.", "done"),
            ("user", "Do you remember me?", "done"),
            ("assistant", "", "streaming"),
        ]
    ]
    assert desk.query("SELECT s.text, s.state, s.model FROM swipes s ORDER BY id DESC LIMIT 1") == [
        ("Of course I do.", "done", "fake-model")
    ]


def test_the_reply_streams_to_stdout_while_it_is_written(desk: Desk, server: FakeLLM) -> None:
    chat = desk.talk()
    desk.connect(server.profile())
    server.reply = Deltas(["First ", "half. ", "Second ", "half."])
    gate = threading.Event()
    server.fault = Fault(stall_after=2)
    with desk.start("send", str(chat), "Go.") as process:
        assert process.stdout is not None
        read = b""
        while len(read) < len(b"First half. "):
            read += process.stdout.read1(64)  # type: ignore[attr-defined]
        assert read == b"First half. "
        assert process.poll() is None
        gate.set()
        # What has come is saved as it grows, long before the end.
        wait_until(lambda: process.poll() is None and server.deltas_sent == 2)
        process.terminate()
        process.communicate(timeout=30)


def test_send_prints_one_json_object_and_nothing_else(desk: Desk, server: FakeLLM) -> None:
    chat = desk.talk("Hello.")
    desk.connect(server.profile())
    server.reply = "“Gut,” sagte sie. 好的 🙂"
    row = desk.json("send", str(chat), "Wie geht es?")
    assert row["text"] == "“Gut,” sagte sie. 好的 🙂"
    assert (row["chat"], row["name"], row["state"], row["error"]) == (chat, "Mara", "done", "")
    assert row["receipt"]["messages"] == server.requests[-1].messages


def test_send_works_as_a_real_process_with_the_bundled_model(desk: Desk, server: FakeLLM) -> None:
    """The whole path once, from outside: chat, remember, recall, see why."""
    chat = desk.talk(*FACTS)
    desk.connect(server.profile())
    done = desk.process("sync", str(chat), "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)[0]["memories"] == {"vectorized": 12, "waiting": 0, "unavailable": 0}
    found = desk.json("recall", str(chat), "--query", "Where was the key?")
    assert any("biscuit tin" in row["text"] for row in found["results"][:3])
    sent = desk.process("send", str(chat), "Where did he keep that key?")
    assert (sent.code, sent.out) == (0, "You said: Where did he keep that key?\n"), sent.err


def test_recalled_lines_are_in_the_request_word_for_word(desk: Desk, server: FakeLLM) -> None:
    filler = [
        f"Filler line number {number} about nothing at all, {'so it goes ' * 20}" for number in range(24)
    ]
    chat = desk.talk(*FACTS[:4], *filler)
    desk.connect(server.profile(context_tokens=1600, reply_tokens=200))
    desk.json("sync", str(chat))
    row = desk.json("send", str(chat), "Where did the harbour master keep the brass key?")
    receipt = from_json(row["receipt"])
    memories = [part for part in receipt.parts if part.kind == "memory" and part.included]
    assert any("biscuit tin" in part.text for part in memories)
    sent = server.requests[-1].messages
    assert sent == [dict(message) for message in receipt.messages]
    for part in memories:
        assert part.text in sent[0]["content"]


def test_the_same_turn_works_with_the_demo_voice(desk: Desk) -> None:
    chat = desk.talk("Hello.")
    row = desk.json("send", str(chat), "How are you?")
    assert row["state"] == "done"
    assert row["text"]
    assert "no language model" in row["receipt"]["model"]


def test_a_reply_that_fails_is_told_on_stderr_and_ends_with_1(desk: Desk, server: FakeLLM) -> None:
    chat = desk.talk("Hello.")
    desk.connect(server.profile())
    server.fault = Fault(status=401)
    outcome = desk.run("send", str(chat), "Are you there?")
    assert outcome.code == 1
    assert outcome.out.strip() == ""
    assert outcome.err.startswith("memdesk: ")
    # The person's words are kept, and the next try takes the failed reply's place.
    server.fault = None
    desk.json("send", str(chat), "And now?")
    assert [row[0] for row in desk.query("SELECT text FROM swipes ORDER BY id")] == [
        "Hello.",
        "Are you there?",
        "And now?",
        "You said: And now?",
    ]


def test_nothing_heavy_is_loaded_to_list_chats(desk: Desk) -> None:
    desk.talk("Hello.")
    # With a memory that waits, the command tries the embedder, to say truly whether it works.
    desk.json("sync", "--all")
    program = (
        "import sys; from memdesk.__main__ import main; code = main(sys.argv[1:]);"
        "print([m for m in ('chromadb', 'onnxruntime', 'openai', 'PySide6', 'PIL') if m in sys.modules],"
        " file=sys.stderr); sys.exit(code)"
    )
    import subprocess

    done = subprocess.run(
        [sys.executable, "-c", program, "--data-dir", str(desk.folder), "--no-samples", "chats"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stderr.strip() == "[]"


def test_partial_replies_are_saved_as_they_grow(desk: Desk, server: FakeLLM) -> None:
    chat = desk.talk()
    desk.connect(server.profile())
    server.reply = Deltas(["one ", "two ", "three ", "four "] * 6)
    server.fault = Fault(delta_delay=0.08)
    saved: list[str] = []
    with desk.open() as workspace:

        def listen(event: object) -> None:
            if isinstance(event, ReplyGrew):
                saved.append(desk.query("SELECT text FROM swipes ORDER BY id DESC LIMIT 1")[0][0])

        workspace.conversation.send(chat, "Count.", listen, CancelToken())
    lengths = sorted({len(text) for text in saved})
    assert len(lengths) >= 3, "the text on disk grows during the reply"


def test_stop_keeps_what_has_come(desk: Desk, server: FakeLLM) -> None:
    desk.connect(server.profile())
    server.reply = Deltas(["one ", "two ", "three "])
    server.fault = Fault(stall_after=2)
    cancel = CancelToken()
    with desk.open() as workspace:
        chat = talk(workspace)

        def listen(event: object) -> None:
            if isinstance(event, ReplyGrew) and event.text == "two ":
                cancel.cancel()

        message = workspace.conversation.send(chat.id, "Count.", listen, cancel)
        assert message is not None
        assert (message.text, str(message.swipe.state)) == ("one two", "stopped")
        assert workspace.receipts.get(message.swipe.id) is not None


def test_stop_before_the_first_word_leaves_no_empty_reply(desk: Desk, server: FakeLLM) -> None:
    desk.connect(server.profile())
    server.fault = Fault(silent=True)
    cancel = CancelToken()
    with desk.open() as workspace:
        chat = talk(workspace)
        timer = threading.Timer(0.3, cancel.cancel)
        timer.start()
        assert workspace.conversation.send(chat.id, "Hello?", lambda _event: None, cancel) is None
        timer.join()
        assert [message.text for message in workspace.messages.page(chat.id, 1, 10)] == ["Hello?"]
