"""What a prompt says in a group chat: who is there, whose turn it is, and all cards in one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from memdesk.chats.groups import called
from memdesk.chats.model import Character
from memdesk.prompt.parts import Kind

_STYLE = (
    "Keep to what has happened, and never write or decide for {{user}}. Put actions in *asterisks* and "
    "speech in quotation marks. Answer in the language the chat is in."
)

_INDIVIDUAL = (
    "Write {{char}}'s next reply in an ongoing roleplay between {{user}} and these characters: {{group}}. "
    "Stay in character as {{char}}; the others speak for themselves. " + _STYLE
)
_MERGED = (
    "Write the next part of an ongoing roleplay between {{user}} and these characters: {{group}}. Let those "
    "of them act and speak who have a reason to, each true to their own description, and make clear who "
    "speaks. " + _STYLE
)

_STYLE_ZH = (
    "遵循已经发生的情节，不要替{{user}}说话、行动或做决定。动作写在*星号*之间，对话用引号括起。"
    "使用聊天所用的语言回复。"
)
_INDIVIDUAL_ZH = (
    "这是{{user}}与以下角色正在进行的角色扮演：{{group}}。请写出{{char}}的下一条回复，"
    "保持{{char}}的性格与口吻，其他角色由他们自己发言。" + _STYLE_ZH
)
_MERGED_ZH = (
    "这是{{user}}与以下角色正在进行的角色扮演：{{group}}。请续写下一段，让有理由行动或开口的角色行动、说话，"
    "各自符合自己的设定，并写明是谁在说话。" + _STYLE_ZH
)

_TURN = "It is {{char}}'s turn: write only {{char}}'s reply, and nothing for {{notChar}}."
_TURN_OF_ALL = "Write the next reply for {{group}} together, and nothing for {{user}}."

_TURN_ZH = "现在轮到{{char}}：只写{{char}}的回复，不要替以下各位写任何内容：{{notChar}}。"
_TURN_OF_ALL_ZH = "请一并写出以下角色的下一条回复：{{group}}；不要替{{user}}写任何内容。"

_FIELDS = (
    ("Instructions", "system_prompt", ""),
    ("Description", "description", ""),
    ("Personality", "personality", "{{char}}'s personality: "),
    ("Scenario", "scenario", "Scenario: "),
    ("Example messages", "mes_example", "Examples of how {{char}} writes:\n"),
    ("After the chat", "post_history_instructions", ""),
)

_ORDERS = {"system_prompt", "post_history_instructions"}


def group_prompt(*, merged: bool, chinese: bool = False) -> str:
    """Return the main prompt of a group chat, for cards that bring none of their own."""
    if chinese:
        return _MERGED_ZH if merged else _INDIVIDUAL_ZH
    return _MERGED if merged else _INDIVIDUAL


def nudge(*, merged: bool, chinese: bool = False) -> str:
    """Return what stands after the chat, so that the model does not lose whose turn it is."""
    if chinese:
        return _TURN_OF_ALL_ZH if merged else _TURN_ZH
    return _TURN_OF_ALL if merged else _TURN


def group_names(
    speaker: Character, group: Sequence[Character], user: str, *, merged: bool = False
) -> dict[str, str]:
    """Return the values of {{char}}, {{group}}, {{charIfNotGroup}} and {{notChar}}, by lower-case names.

    In a chat with one character {{group}} is that character, as it is in SillyTavern.
    """
    names = listed(group) if group else called(speaker)
    others = [called(card) for card in group if card.id != speaker.id]
    return {
        "char": names if merged else called(speaker),
        "group": names,
        "charifnotgroup": names,
        "notchar": user if merged else ", ".join([*others, user]),
    }


def listed(group: Sequence[Character]) -> str:
    """Return the names of characters as a list in a sentence."""
    return ", ".join(name for card in group if (name := called(card)))


def merged_cards(
    group: Sequence[Character], expand: Callable[[Character, str], str], scenario: str | None = None
) -> Iterator[tuple[Kind, str, str]]:
    """Return what the cards of all members say as (kind, title, text), each under its character's name.

    `expand` replaces the macros of a card's text; `scenario` stands in for those of the cards. Equal texts,
    as a scenario that all share, stand once.
    """
    seen: set[str] = set()
    for card in group:
        for title, field, before in _FIELDS:
            text = card.text(field).strip()
            if field == "scenario" and scenario is not None:
                text = scenario.strip()
            if field == "system_prompt":
                # A card asks so for the app's own prompt, which stands above already.
                text = text.replace("{{original}}", "").strip()
            if not text:
                continue
            text = expand(card, before + text)
            if text in seen:
                continue
            seen.add(text)
            kind: Kind = "instructions" if field in _ORDERS else "character"
            yield kind, f"{title} · {called(card)}", f"[{called(card)}]\n{text}"
