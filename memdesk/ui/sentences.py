"""What the library says in English, in the language of the window.

Errors, warnings and the steps of a check reach the window as English sentences, some of them long after they
were written: they stand in receipts, at replies that failed, at memories. Each is listed here as a template;
a sentence that fits one is said by its translation, with the same values. Where there is no translation,
in English above all, the library's own words stay.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Final

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from memdesk.ui.document_sentences import DOCUMENTS
from memdesk.ui.reasons import part_title

translate = QCoreApplication.translate

_PLACE = re.compile(r"\{(\w+)\}")
_LARGEST = re.compile(r"([^,()]+) \(~([\d,]+)\)")
_MESSAGE = re.compile(r"message #(\d+)")
_DETAIL: Final = r"(?: \((?P<_detail>.*)\)| The server says: (?P<_says>.*))?"
"""What may stand behind a sentence: the words of the system or of the server."""

_LISTED: Final = (
    # Embedding servers and the search index.
    QT_TRANSLATE_NOOP(
        "Library",
        "There is no embedding service at {address} ({status}). Check the path; most servers end in /v1, and "
        "some must be started with embeddings switched on.",
    ),
    QT_TRANSLATE_NOOP(
        "Library",
        "The server's answer to a request for vectors cannot be used. Nothing of it was kept.",
    ),
    QT_TRANSLATE_NOOP(
        "Library",
        "The embedding server makes vectors of {count} numbers now, not of {before}. Test it again in the "
        "preferences.",
    ),
    QT_TRANSLATE_NOOP("Library", "The embedding server sent a vector without any direction."),
    QT_TRANSLATE_NOOP(
        "Library", "The embedding source that is chosen is not there any more. Choose another one."
    ),
    QT_TRANSLATE_NOOP("Library", "The embedding source of the present vectors is not there any more."),
    QT_TRANSLATE_NOOP("Library", "This model does not tell sentences that belong together from others."),
    QT_TRANSLATE_NOOP("Library", "The Chroma server at {address} does not do its work ({reason})."),
    QT_TRANSLATE_NOOP("Library", "The search index is being rebuilt."),
    # A connection and what answers there.
    QT_TRANSLATE_NOOP("Library", "No machine called “{host}” was found. Check the address and your network."),
    QT_TRANSLATE_NOOP("Library", "Nothing listens at {address}. Start the server, or correct the port."),
    QT_TRANSLATE_NOOP(
        "Library",
        "The machine at {address} cannot be reached. Check that it is on and in the same network.",
    ),
    QT_TRANSLATE_NOOP("Library", "The address {address} is not one that can be asked."),
    QT_TRANSLATE_NOOP(
        "Library",
        "The server at {address} sent nothing for {seconds} seconds. It may still be loading the model or "
        "reading a long prompt: try again, or raise the time limit of this connection.",
    ),
    QT_TRANSLATE_NOOP(
        "Library",
        "The connection broke before the reply was complete. What arrived is kept; try again to get a whole "
        "reply.",
    ),
    QT_TRANSLATE_NOOP(
        "Library",
        "The server sent something that is not a readable reply. What arrived before is kept; if it happens "
        "again, update the server or look at its log.",
    ),
    QT_TRANSLATE_NOOP(
        "Library",
        "What answers at {address} is not an OpenAI-compatible server. Check the address; most servers end "
        "in /v1.",
    ),
    QT_TRANSLATE_NOOP(
        "Library", "The server at {host} answered with nothing. Try again, or look at its log."
    ),
    QT_TRANSLATE_NOOP(
        "Library",
        "The request could not be sent. Check the address, the key and the extra fields of this connection.",
    ),
    QT_TRANSLATE_NOOP(
        "Library", "The server reported an error while it wrote the reply. What arrived is kept."
    ),
    QT_TRANSLATE_NOOP(
        "Library",
        "The server at {host} takes no more requests for now (429). Wait {seconds} s and try again.",
    ),
    QT_TRANSLATE_NOOP(
        "Library",
        "The server at {host} takes no more requests for now (429). Wait a moment and try again.",
    ),
    QT_TRANSLATE_NOOP(
        "Library",
        "The server at {address} sends requests on to another address ({target}). Put that address into the "
        "connection.",
    ),
    QT_TRANSLATE_NOOP(
        "Library",
        "The server at {address} sends requests on to another address. Put that address into the connection.",
    ),
    QT_TRANSLATE_NOOP(
        "Library",
        "The server at {address} failed ({status}). It may be loading the model, or out of memory: try again "
        "in a moment, or look at its log.",
    ),
    QT_TRANSLATE_NOOP("Library", "The server did not accept the request ({status})."),
    QT_TRANSLATE_NOOP(
        "Library", "The server at {host} wants a valid API key. Enter the key of this connection again."
    ),
    QT_TRANSLATE_NOOP("Library", "The account at {host} has no credit left ({status})."),
    QT_TRANSLATE_NOOP(
        "Library", "The server at {host} refuses this request ({status}). The key may lack the permission."
    ),
    QT_TRANSLATE_NOOP(
        "Library",
        "There is no chat service at {address} ({status}). Check the path; most servers end in /v1.",
    ),
    QT_TRANSLATE_NOOP("Library", "The server at {host} gave up waiting ({status}). Try again."),
    QT_TRANSLATE_NOOP(
        "Library",
        "The prompt is longer than the model’s context. Lower the context size of this connection to what "
        "the server has, or start the server with a larger context.",
    ),
    QT_TRANSLATE_NOOP(
        "Library",
        "The server at {host} does not have the model “{model}”. Choose one from its list, or load it there "
        "first.",
    ),
    QT_TRANSLATE_NOOP(
        "Library",
        "The server at {host} does not have the model asked for. Choose one from its list, or load it there "
        "first.",
    ),
    QT_TRANSLATE_NOOP(
        "Library",
        "No secure connection to {address} could be made. It probably speaks plain http: change https:// to "
        "http:// in the address.",
    ),
    QT_TRANSLATE_NOOP(
        "Library",
        "No secure connection to {address} could be made. Its certificate is not one that this machine "
        "trusts, or it is out of date.",
    ),
    QT_TRANSLATE_NOOP(
        "Library",
        "The server at {address} closed the connection without an answer. It may have stopped, or be another "
        "kind of server: look at its log.",
    ),
    QT_TRANSLATE_NOOP(
        "Library",
        "What answers at {address} does not speak http. If the server uses TLS, begin the address with "
        "https://.",
    ),
    QT_TRANSLATE_NOOP(
        "Library",
        "The reply grew beyond {count} characters and was ended. Lower the reply length, or add a stop text: "
        "the model does not find an end by itself.",
    ),
    QT_TRANSLATE_NOOP(
        "Library",
        "The prompt does not fit: about {needed} tokens must be sent and there is room for {room}. Shorten "
        "one of these, or choose a larger context or a shorter reply: {largest}.",
    ),
    QT_TRANSLATE_NOOP("Library", "The API key contains characters that keys do not have."),
    # The steps of a check.
    QT_TRANSLATE_NOOP("Library", "The demo voice is built in and needs no server. It is no language model."),
    QT_TRANSLATE_NOOP("Library", "The path of the address is wrong. This one works: {address}"),
    QT_TRANSLATE_NOOP("Library", "A server answers at {address}, but does not list its models."),
    QT_TRANSLATE_NOOP("Library", "A server answers at {address} and lists {count} model."),
    QT_TRANSLATE_NOOP("Library", "A server answers at {address} and lists {count} models."),
    QT_TRANSLATE_NOOP("Library", "A server answers at {address}."),
    QT_TRANSLATE_NOOP("Library", "The server accepts the key."),
    QT_TRANSLATE_NOOP("Library", "The server asks for no key."),
    QT_TRANSLATE_NOOP("Library", "The server accepted a request, but its reply was empty."),
    QT_TRANSLATE_NOOP("Library", "A trial reply began after {first} s and took {whole} s."),
    QT_TRANSLATE_NOOP(
        "Library", "A trial reply (so far only thoughts) began after {first} s and took {whole} s."
    ),
    QT_TRANSLATE_NOOP(
        "Library", "The server does not have the model “{model}”. Load or download one there first."
    ),
    QT_TRANSLATE_NOOP(
        "Library", "The server does not have the model “{model}”. It has: {names} and {count} more."
    ),
    QT_TRANSLATE_NOOP("Library", "The server does not have the model “{model}”. It has: {names}."),
    QT_TRANSLATE_NOOP("Library", "No model is chosen. Load or download one there first."),
    QT_TRANSLATE_NOOP("Library", "No model is chosen. It has: {names} and {count} more."),
    QT_TRANSLATE_NOOP("Library", "No model is chosen. It has: {names}."),
    QT_TRANSLATE_NOOP(
        "Library",
        "“{model}” is not in the server's list, but a request for it works; the server answers as "
        "“{answered}”.",
    ),
    QT_TRANSLATE_NOOP("Library", "“{model}” is not in the server's list, but a request for it works."),
    QT_TRANSLATE_NOOP(
        "Library", "No model is chosen, but a request for it works; the server answers as “{answered}”."
    ),
    QT_TRANSLATE_NOOP("Library", "No model is chosen, but a request for it works."),
    QT_TRANSLATE_NOOP("Library", "The model “{model}” is there."),
    QT_TRANSLATE_NOOP("Library", "The server does not say how large its context is."),
    QT_TRANSLATE_NOOP(
        "Library",
        "This connection uses a context of {wanted} tokens, but the server has {size}. Set it to {size}, or "
        "start the server with more; otherwise it forgets or refuses long prompts.",
    ),
    QT_TRANSLATE_NOOP("Library", "The server's context of {size} tokens is large enough for {wanted}."),
    QT_TRANSLATE_NOOP("Library", "OpenAI-compatible server"),
    # Keys.
    QT_TRANSLATE_NOOP("Library", "The file with the API keys cannot be read: {path}"),
    QT_TRANSLATE_NOOP(
        "Library", "The file with the API keys is damaged: {path}. Delete it and enter the keys again."
    ),
    QT_TRANSLATE_NOOP("Library", "The file with the API keys cannot be written: {path}"),
    # Vectors and recall.
    QT_TRANSLATE_NOOP("Library", "The tokenizer file {path} is missing."),
    QT_TRANSLATE_NOOP("Library", "The tokenizer cannot be loaded: {reason}"),
    QT_TRANSLATE_NOOP("Library", "The tokenizer file {path} cannot be read: {reason}"),
    QT_TRANSLATE_NOOP("Library", "The model file {path} is missing."),
    QT_TRANSLATE_NOOP("Library", "The model file {path} cannot be read: {reason}"),
    QT_TRANSLATE_NOOP("Library", "{path} is another kind of model: it takes {inputs}."),
    QT_TRANSLATE_NOOP("Library", "{path} does not work: {reason}"),
    QT_TRANSLATE_NOOP("Library", "{path} makes vectors of shape {shape}, not of {count} numbers."),
    QT_TRANSLATE_NOOP("Library", "ONNX Runtime cannot be loaded: {reason}"),
    QT_TRANSLATE_NOOP("Library", "The embedding model failed: {reason}"),
    QT_TRANSLATE_NOOP("Library", "The model returned numbers that are not finite."),
    QT_TRANSLATE_NOOP("Library", "Recall failed and was left out: {reason}"),
    QT_TRANSLATE_NOOP("Library", "Recall works by words only."),
    QT_TRANSLATE_NOOP("Library", "Recall works by words only: {reason}"),
    QT_TRANSLATE_NOOP("Library", "The vector index cannot be used; every vector was compared instead."),
    QT_TRANSLATE_NOOP("Library", "Chroma cannot be loaded: {reason}"),
    QT_TRANSLATE_NOOP("Library", "No space is left for the search index {path} ({reason})."),
    QT_TRANSLATE_NOOP("Library", "The search index {path} cannot be written ({reason})."),
    QT_TRANSLATE_NOOP("Library", "The search index {path} does not work ({reason})."),
    QT_TRANSLATE_NOOP("Library", "Vectors of another length are in the search index ({reason})."),
    QT_TRANSLATE_NOOP("Library", "The search index did not answer within {seconds} seconds."),
    QT_TRANSLATE_NOOP("Library", "The search index is closed."),
    # Files that are imported.
    QT_TRANSLATE_NOOP("Library", "This is not a file."),
    QT_TRANSLATE_NOOP("Library", "The file is empty."),
    QT_TRANSLATE_NOOP("Library", "The file cannot be read: {reason}."),
    QT_TRANSLATE_NOOP("Library", "The file is larger than {size} MiB."),
    QT_TRANSLATE_NOOP("Library", "There is not enough memory to read the file."),
    QT_TRANSLATE_NOOP(
        "Library", "This is a JPEG image, which carries no card; character cards are PNG or JSON files."
    ),
    QT_TRANSLATE_NOOP(
        "Library", "This is a GIF image, which carries no card; character cards are PNG or JSON files."
    ),
    QT_TRANSLATE_NOOP(
        "Library", "This is a WebP image, which carries no card; character cards are PNG or JSON files."
    ),
    QT_TRANSLATE_NOOP("Library", "This is a ZIP archive; character cards are PNG or JSON files."),
    QT_TRANSLATE_NOOP("Library", "This is a PDF document; character cards are PNG or JSON files."),
    QT_TRANSLATE_NOOP("Library", "This is neither a PNG nor a JSON file."),
    QT_TRANSLATE_NOOP("Library", "The PNG image carries no character card."),
    QT_TRANSLATE_NOOP("Library", 'The card data "{key}" is not base64.'),
    QT_TRANSLATE_NOOP("Library", "The character card is empty."),
    QT_TRANSLATE_NOOP("Library", "The JSON text is not a character card."),
    QT_TRANSLATE_NOOP("Library", "The text is not valid Unicode at byte {place}."),
    QT_TRANSLATE_NOOP("Library", "The JSON text is broken in line {line}, column {column}: {reason}."),
    QT_TRANSLATE_NOOP("Library", "The JSON text holds more than {count} values."),
    QT_TRANSLATE_NOOP("Library", "The JSON text is nested deeper than {count} levels."),
    QT_TRANSLATE_NOOP("Library", "The JSON text is larger than {size} MiB."),
    QT_TRANSLATE_NOOP("Library", 'The PNG text "{key}" is malformed.'),
    QT_TRANSLATE_NOOP("Library", 'The compressed PNG text "{key}" is damaged.'),
    QT_TRANSLATE_NOOP("Library", 'The compressed PNG text "{key}" is cut off.'),
    QT_TRANSLATE_NOOP("Library", 'The PNG text "{key}" is larger than {size} MiB.'),
    QT_TRANSLATE_NOOP("Library", "The PNG file is damaged at byte {place}."),
    QT_TRANSLATE_NOOP("Library", "The PNG file is cut off in the chunk {chunk} at byte {place}."),
    QT_TRANSLATE_NOOP("Library", "The PNG file has more than {count} chunks."),
    QT_TRANSLATE_NOOP("Library", "The PNG file is cut off: its end is missing."),
    QT_TRANSLATE_NOOP("Library", "The PNG file would be larger than {size} MiB; export it as JSON."),
    QT_TRANSLATE_NOOP("Library", 'The text "{key}" is larger than {size} MiB; export it as JSON.'),
    QT_TRANSLATE_NOOP("Library", "The PNG file does not begin with its header."),
    QT_TRANSLATE_NOOP("Library", "This is not a PNG file."),
    QT_TRANSLATE_NOOP("Library", "The PNG file is damaged: wrong checksum in its chunk {chunk}."),
    QT_TRANSLATE_NOOP("Library", "This is no picture that can be shown; use PNG, JPEG, WebP or GIF."),
    QT_TRANSLATE_NOOP("Library", "The picture is damaged and cannot be shown."),
    QT_TRANSLATE_NOOP("Library", "The picture has {width} × {height} pixels; at most {most} are read."),
    QT_TRANSLATE_NOOP("Library", "The picture has too many pixels; at most {most} are read."),
    QT_TRANSLATE_NOOP("Library", "The picture could not be used: {reason}"),
    QT_TRANSLATE_NOOP("Library", 'The card data "{key}" is broken and was passed over: {reason}'),
    QT_TRANSLATE_NOOP("Library", "Unknown card version {version}: read as V3."),
    QT_TRANSLATE_NOOP(
        "Library", "Fields of an unexpected type were repaired; their originals are kept: {fields}."
    ),
    QT_TRANSLATE_NOOP(
        "Library", "The name has {count} characters and was shortened to {most}; the original is kept."
    ),
    QT_TRANSLATE_NOOP(
        "Library",
        "The name was cleaned of line breaks, double blanks or invisible characters; the original is kept.",
    ),
    QT_TRANSLATE_NOOP("Library", "The card has no name; it is called {name} after its file."),
    QT_TRANSLATE_NOOP("Library", "Keys that appear twice in one object: {keys}. The last of each was kept."),
    QT_TRANSLATE_NOOP("Library", "Numbers that JSON cannot hold were replaced."),
    QT_TRANSLATE_NOOP("Library", "Broken characters were replaced by {sign}."),
    # Files of memories.
    QT_TRANSLATE_NOOP("Library", "Choose a Memory Recall export file."),
    QT_TRANSLATE_NOOP("Library", "Invalid Memory Recall export file"),
    QT_TRANSLATE_NOOP("Library", "No usable memory chunks found in this export file"),
    QT_TRANSLATE_NOOP("Library", "This is not a file of memories from memdesk."),
    QT_TRANSLATE_NOOP("Library", "The file was written by a newer memdesk. Please update memdesk."),
    QT_TRANSLATE_NOOP("Library", "The file would be larger than {size} MiB."),
    QT_TRANSLATE_NOOP("Library", "This chat has no memories to export."),
    # Characters and personas.
    QT_TRANSLATE_NOOP("Library", "Characters are written as PNG or JSON files."),
    QT_TRANSLATE_NOOP("Library", "A persona needs a name."),
    QT_TRANSLATE_NOOP("Library", "There are no personas to export."),
    QT_TRANSLATE_NOOP("Library", "This file holds no personas."),
    QT_TRANSLATE_NOOP("Library", "Only the first {count} personas were read."),
    # Memories.
    QT_TRANSLATE_NOOP("Library", "A memory needs text. Forget it instead, or turn it off."),
    QT_TRANSLATE_NOOP("Library", "There is nothing to split here: both parts need text."),
    QT_TRANSLATE_NOOP("Library", "No memory follows this one."),
    QT_TRANSLATE_NOOP(
        "Library", "Memory Recall is off in this chat; this is what would be recalled if it were on."
    ),
    QT_TRANSLATE_NOOP("Library", "Only memories of one chat can be merged."),
    QT_TRANSLATE_NOOP("Library", "A note needs text."),
    # The data folder.
    QT_TRANSLATE_NOOP("Library", "{path} could not be used: {reason}"),
    QT_TRANSLATE_NOOP("Library", "The file cannot be written: {reason}."),
    QT_TRANSLATE_NOOP("Library", "The file is missing."),
    QT_TRANSLATE_NOOP("Library", "The file was changed or damaged on the disk."),
    QT_TRANSLATE_NOOP("Library", "The disk is full; free some space and try again."),
    QT_TRANSLATE_NOOP("Library", "The data folder cannot be written to."),
    QT_TRANSLATE_NOOP("Library", "The settings could not be read ({reason}). They were moved to {path}."),
    QT_TRANSLATE_NOOP("Library", "Some settings could not be used ({names}). They were kept in {path}."),
    QT_TRANSLATE_NOOP(
        "Library",
        "{path} is damaged ({reason}). The newest backup is {backup}. Close memdesk, put a copy of the "
        "backup in the place of {name}, and delete {name}-wal if it is there.",
    ),
    QT_TRANSLATE_NOOP("Library", "{path} is damaged ({reason}). There is no backup of it."),
    QT_TRANSLATE_NOOP("Library", "There is nothing to send: the message is blank."),
    QT_TRANSLATE_NOOP("Library", "Nobody is in this group: add a member, then somebody can reply."),
    QT_TRANSLATE_NOOP(
        "Library", "Nobody in this group replies by themselves: unmute a member, or choose who replies."
    ),
    QT_TRANSLATE_NOOP("Library", "That character is not in this chat any more."),
    QT_TRANSLATE_NOOP("Library", "A group chat needs at least one character."),
    QT_TRANSLATE_NOOP("Library", "The model wrote for {other} instead of {name}, so nothing was kept."),
    QT_TRANSLATE_NOOP("Library", "This file holds no preset."),
    QT_TRANSLATE_NOOP("Library", "This preset was written by a newer memdesk. Please update memdesk."),
    QT_TRANSLATE_NOOP("Library", "That preset is not there any more."),
    QT_TRANSLATE_NOOP("Library", "Summary {id} is not there any more."),
    QT_TRANSLATE_NOOP("Library", "A frozen summary is changed by nobody but you."),
    QT_TRANSLATE_NOOP("Library", "There is no chat {id}."),
    QT_TRANSLATE_NOOP("Library", "There is no character {id}."),
    QT_TRANSLATE_NOOP("Library", "There is no persona {id}."),
    QT_TRANSLATE_NOOP("Library", "Message {id} is not there any more."),
    QT_TRANSLATE_NOOP("Library", "Message {id} has no version {number}."),
    QT_TRANSLATE_NOOP("Library", "That version of the message is not there any more."),
    QT_TRANSLATE_NOOP("Library", "This is being written just now. Stop it first, or wait for its end."),
    QT_TRANSLATE_NOOP("Library", "This is the only version. Delete the message instead."),
    QT_TRANSLATE_NOOP("Library", "Only a character's message can be continued."),
    QT_TRANSLATE_NOOP("Library", "Only the last message can be continued."),
    QT_TRANSLATE_NOOP("Library", "This message is hidden from the model. Show it again first."),
    QT_TRANSLATE_NOOP("Library", "There is nothing to continue yet: write the reply anew."),
    QT_TRANSLATE_NOOP("Library", "There are no messages {first} to {last}: this chat has {count}."),
    QT_TRANSLATE_NOOP("Library", "A checkpoint needs a name."),
    QT_TRANSLATE_NOOP("Library", "That checkpoint is not there any more."),
    QT_TRANSLATE_NOOP("Library", "Memory {id} is not there any more."),
    QT_TRANSLATE_NOOP("Library", "That is not in the trash any more."),
    QT_TRANSLATE_NOOP("Library", "A chat needs a title."),
    QT_TRANSLATE_NOOP("Library", "Only a character's message can be written anew."),
    QT_TRANSLATE_NOOP("Library", "This chat has no character who could reply."),
)

_BUNDLED: Final = frozenset(
    {
        "The tokenizer file {path} is missing.",
        "The tokenizer cannot be loaded: {reason}",
        "The tokenizer file {path} cannot be read: {reason}",
        "The model file {path} is missing.",
        "The model file {path} cannot be read: {reason}",
        "{path} is another kind of model: it takes {inputs}.",
        "{path} does not work: {reason}",
        "{path} makes vectors of shape {shape}, not of {count} numbers.",
        "ONNX Runtime cannot be loaded: {reason}",
    }
)
"""What is wrong with something that came with memdesk: nobody can mend it, only get it anew."""

_BY_WORDS: Final = "Recall works by words only: {reason}"

LONGEST: Final = 4_000
"""A longer text is no sentence of the library; patterns would look at it for very long."""

TEMPLATES: Final[tuple[str, ...]] = tuple(str(template) for template in (*_LISTED, *DOCUMENTS))


def said(text: str) -> str:
    """Return a sentence of the library in the language of the window, or as it is if that has no words."""
    if len(text) > LONGEST:
        return text
    for template in TEMPLATES:
        words = translate("Library", template)
        # Cheap to ask before the pattern is: is every fixed piece of the sentence there?
        if words == template or not all(piece in text for piece in _PLACE.split(template)[::2]):
            continue
        found = _pattern(template).fullmatch(text)
        if found is not None:
            return _fill(words, found.groupdict())
    return text


def headline(text: str) -> tuple[str, str]:
    """Return (what happened and what to do, its details), both in the language of the window.

    Details are the words of the system or of a server, and files of memdesk's own: worth a second, softer
    line. They are "" where a sentence has none, and for what is no sentence of the library.
    """
    found = next(_matches(text), None) if len(text) <= LONGEST else None
    if found is None:
        return text, ""
    template, values = found
    if template in _BUNDLED:
        plain = translate(
            "Errors",
            "The memory model that ships with memdesk is missing or damaged; reinstall memdesk to get it "
            "back.",
        )
        return plain, said(text)
    if template == _BY_WORDS:
        cause, detail = headline(values["reason"] or "")
        return f"{translate('Library', 'Recall works by words only.')} {cause}", detail
    details = [said(values[name] or "") for name in ("_detail", "_says")]
    bare = _fill(translate("Library", template), values | {"_detail": None, "_says": None})
    return bare, "\n".join(words for words in details if words)


def _matches(text: str) -> Iterator[tuple[str, dict[str, str | None]]]:
    """Find the templates that a sentence fits, each with its values."""
    for template in TEMPLATES:
        # Cheap to ask before the pattern is: is every fixed piece of the sentence there?
        if all(piece in text for piece in _PLACE.split(template)[::2]):
            found = _pattern(template).fullmatch(text)
            if found is not None:
                yield template, found.groupdict()


@functools.cache
def _pattern(template: str) -> re.Pattern[str]:
    """Return what a sentence made from a template looks like."""
    seen: set[str] = set()
    pieces = []
    for number, piece in enumerate(_PLACE.split(template)):
        if number % 2 == 0:
            pieces.append(re.escape(piece))
        elif piece in seen:
            pieces.append(f"(?P={piece})")
        else:
            seen.add(piece)
            pieces.append(f"(?P<{piece}>.+?)")
    return re.compile("".join(pieces) + _DETAIL, re.DOTALL)


def _fill(words: str, values: dict[str, str | None]) -> str:
    detail, says = values.pop("_detail"), values.pop("_says")

    def value(place: re.Match[str]) -> str:
        found = values.get(place[1]) or ""
        if place[1] == "reason":
            return said(found)
        return largest_parts(found) if place[1] == "largest" else found

    text = _PLACE.sub(value, words)
    if detail:
        text = translate("Errors", "%1 (%2)").replace("%1", text).replace("%2", said(detail))
    if says:
        text += " " + translate("Failure", "The server says: {words}").replace("{words}", says)
    return text


def largest_parts(listed: str) -> str:
    """Return "Main prompt (~900), message #3 (~70)" with the names of the parts translated."""
    return _LARGEST.sub(lambda part: part[0].replace(part[1].strip(), _part_name(part[1].strip()), 1), listed)


def _part_name(title: str) -> str:
    message = _MESSAGE.fullmatch(title)
    if message is not None:
        return translate("Parts", "message #{0}").replace("{0}", message[1])
    return part_title(title)
