"""What the `memdesk` command takes."""

from __future__ import annotations

import argparse
from pathlib import Path

from memdesk import __version__
from memdesk.chats.groups import GREETINGS, ORDERS
from memdesk.evaluation import TOPS
from memdesk.memory.recall.settings import DEFAULT_GRAIN, GRAINS

SCOPES = "who may read in it: global, character:NAME or chat:ID"
NO_SAMPLES = "do not add the sample chats to a new folder, now or later"


def parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command."""
    main = argparse.ArgumentParser(
        prog="memdesk",
        description="Roleplay chat on your own machine, with long-term memory you can see, edit, freeze, "
        "explain and carry away. Without a command, the window opens.",
    )
    main.add_argument("--version", action="version", version=f"memdesk {__version__}")
    main.add_argument(
        "--data-dir", type=_folder, metavar="DIR", help="the data folder (default: the system's)"
    )
    main.add_argument("--no-samples", action="store_true", help=NO_SAMPLES)
    jobs = main.add_subparsers(dest="command", metavar="COMMAND")

    def job(name: str, about: str) -> argparse.ArgumentParser:
        sub = jobs.add_parser(name, help=about, description=about[0].upper() + about[1:] + ".")
        # SUPPRESS keeps a value given before the command from being overwritten by a default.
        sub.add_argument(
            "--data-dir", type=_folder, metavar="DIR", default=argparse.SUPPRESS, help="the data folder"
        )
        sub.add_argument("--no-samples", action="store_true", default=argparse.SUPPRESS, help=NO_SAMPLES)
        sub.add_argument("--json", action="store_true", help="print JSON")
        return sub

    add = job(
        "import", "import character cards, and begin a chat with each, personas, or memories into a chat"
    )
    add.add_argument("files", nargs="+", type=Path, metavar="FILE")
    add.add_argument("--chat", metavar="CHAT", help="the chat that files of memories go into")
    add.add_argument("--dry-run", action="store_true", help="say what would be imported; change nothing")
    out = job("export", "write the memories of a chat, a character or all personas into a file")
    out.add_argument("chat", nargs="?", metavar="CHAT", help="id or unique title")
    out.add_argument("file", nargs="?", type=Path, metavar="FILE")
    out.add_argument("--out", type=Path, metavar="FILE", help="the file, named apart")
    what = out.add_mutually_exclusive_group()
    what.add_argument("--character", metavar="NAME", help="id or unique name: a .png or .json card")
    what.add_argument("--personas", action="store_true", help="all personas (JSON)")
    out.add_argument("--format", choices=("memdesk", "marinara"), default="memdesk")
    out.add_argument("--force", action="store_true", help="replace the file if it is there")
    out.add_argument("--no-vectors", action="store_true", help="leave the vectors out")
    job("chats", "list the chats")
    job("characters", "list the characters")
    job("personas", "list the personas, who you play")
    for name, about in {
        "memories": "list the memories of a chat, newest first",
        "recall": "show what a chat would recall for a query, with scores and reasons",
        "prompt": "show the prompt of the next reply and its receipt; nothing is sent",
        "send": "send a message and print the reply as it comes",
        "continue": "let the last reply go on, and print what comes",
    }.items():
        sub = job(name, about)
        sub.add_argument("chat", metavar="CHAT", help="id or unique title")
        if name == "recall":
            sub.add_argument("--query", required=True, metavar="TEXT")
            sub.add_argument("--top", type=_positive, metavar="K", help="print only the best K")
        elif name == "memories":
            sub.add_argument(
                "--at", type=_positive, metavar="N", help="as a reply standing at message N would know them"
            )
        elif name == "prompt":
            sub.add_argument("--message", default="", metavar="TEXT", help="as if this had been sent")
        elif name == "send":
            sub.add_argument("text", nargs="?", metavar="TEXT", help="without it, somebody just replies")
            sub.add_argument(
                "--as", dest="speaker", metavar="NAME", help="in a group: who replies, muted or not"
            )
    group = job("group", "begin a chat with several characters")
    group.add_argument("characters", nargs="+", metavar="NAME", help="id or unique name of a character")
    group.add_argument("--title", metavar="TITLE", help="default: the names")
    group.add_argument("--greetings", choices=GREETINGS, default="all", help="who greets (default: all)")
    group.add_argument(
        "--order", choices=ORDERS, default="natural", help="who replies to a message (default: natural)"
    )
    group.add_argument("--merged", action="store_true", help="one reply for all members")
    search = job("search", "find messages by their words, or by what they mean, in all chats or in one")
    search.add_argument("text", metavar="TEXT", help='words; "in quotation marks" as they stand')
    search.add_argument("--chat", metavar="CHAT", help="only in this chat (id or unique title)")
    search.add_argument("--meaning", action="store_true", help="by meaning, nearest first")
    search.add_argument(
        "--top", type=_positive, default=20, metavar="K", help="at most K messages of each chat (default 20)"
    )
    fork = job("branch", "make a chat that shares everything up to a message, memories included")
    fork.add_argument("chat", metavar="CHAT", help="id or unique title")
    fork.add_argument("--at", type=_positive, metavar="N", help="up to message N (default: the last one)")
    fork.add_argument("--title", default="", metavar="TEXT", help="what the new chat is called")
    veil = job("hide", "hide messages from the model, or show them again; they stay in the chat")
    veil.add_argument("chat", metavar="CHAT", help="id or unique title")
    veil.add_argument("range", type=_range, metavar="N[-M]", help="message N, or messages N to M")
    veil.add_argument("--show", action="store_true", help="let them be sent again")
    marks = job("checkpoints", "list the named places of a chat, add one or take one away")
    marks.add_argument("chat", metavar="CHAT", help="id or unique title")
    change = marks.add_mutually_exclusive_group()
    change.add_argument("--add", metavar="NAME", help="name the message that --at says")
    change.add_argument("--remove", metavar="NAME", help="id or name of the checkpoint that goes")
    marks.add_argument("--at", type=_positive, metavar="N", help="message N (default: the last one)")
    outline = job("summaries", "list the summaries of a chat, or let a model write some")
    outline.add_argument("chat", metavar="CHAT", help="id or unique title")
    deed = outline.add_mutually_exclusive_group()
    deed.add_argument(
        "--generate",
        nargs="?",
        const=(),
        type=message_range,
        metavar="A-B",
        help="summarise the messages A to B, without them the newest",
    )
    deed.add_argument("--backfill", action="store_true", help="summarise all that no summary covers")
    deed.add_argument("--export", type=Path, metavar="FILE", help="write the summaries into a file (JSON)")
    deed.add_argument("--import", type=Path, metavar="FILE", dest="take", help="add those of such a file")
    outline.add_argument("--force", action="store_true", help="let --export replace a file")
    into = job("attach", "take files into the Data Bank")
    into.add_argument("files", nargs="+", type=Path, metavar="FILE")
    into.add_argument("--scope", default="global", metavar="SCOPE", help=SCOPES)
    into.add_argument("--password", default="", metavar="TEXT", help="opens files that are protected by it")
    bank = job("attachments", "list the files of the Data Bank")
    bank.add_argument("--scope", metavar="SCOPE", help=SCOPES)
    bank.add_argument("--show", type=_positive, metavar="ID", help="what one file says, and its chunks")
    look = job("databank", "show what the Data Bank would bring into a chat, with scores and reasons")
    look.add_argument("deed", choices=["search"])
    look.add_argument("--chat", required=True, metavar="CHAT", help="id or unique title")
    look.add_argument("--query", required=True, metavar="TEXT")
    sync = job("sync", "make and embed all memories now")
    which = sync.add_mutually_exclusive_group(required=True)
    which.add_argument("chat", nargs="?", metavar="CHAT", help="id or unique title")
    which.add_argument("--all", action="store_true", help="all chats")
    again = job("rebuild", "make the memories anew from the messages; what you keep stays")
    some = again.add_mutually_exclusive_group(required=True)
    some.add_argument("chat", nargs="?", metavar="CHAT", help="id or unique title")
    some.add_argument("--all", action="store_true", help="all chats")
    empty = job("clear", "put all memories of a chat into the trash; its messages stay")
    empty.add_argument("chat", metavar="CHAT", help="id or unique title")
    measure = job("evaluate", "measure how well a memory layer finds the known answers to questions")
    measure.add_argument("files", nargs="+", type=Path, metavar="FILE", help="sets of questions (JSON)")
    measure.add_argument(
        "--top", type=_places, default=TOPS, metavar="K,…", help="places counted (default 1,5,10,25)"
    )
    measure.add_argument("--layer", default="recall", metavar="NAME", help="the memory layer")
    measure.add_argument("--split", metavar="NAME", help="only questions of this split (dev or report)")
    measure.add_argument(
        "--grain", choices=GRAINS, default=DEFAULT_GRAIN, help=f"what a memory is (default {DEFAULT_GRAIN})"
    )
    job("doctor", "check versions, paths, the embedder, and the index against the database")
    return main


def export_paths(options: argparse.Namespace) -> tuple[str, Path] | None:
    """Return the chat ("" for a character or personas) and the file of an export; None for wrong use."""
    named = [item for item in (options.chat, options.file, options.out) if item is not None]
    if options.character is not None or options.personas:
        return ("", Path(named[0])) if len(named) == 1 else None
    return (options.chat, Path(named[1])) if len(named) == 2 and options.chat is not None else None


def _folder(text: str) -> Path:
    if not text.strip():
        raise argparse.ArgumentTypeError("must name a folder")
    return Path(text)


def _positive(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError("must be a whole number, 1 or more")
    return number


def _range(text: str) -> tuple[int, int]:
    first, dash, last = text.partition("-")
    one = _positive(first)
    other = _positive(last) if dash else one
    if other < one:
        raise argparse.ArgumentTypeError("must begin with the smaller number")
    return one, other


def _places(text: str) -> list[int]:
    return [_positive(part) for part in text.split(",")]


def message_range(text: str) -> tuple[int, int]:
    """Read “3-7” or “3”: the numbers of the first and the last message."""
    first, dash, last = text.partition("-")
    numbers = (_positive(first), _positive(last if dash else first))
    return min(numbers), max(numbers)
