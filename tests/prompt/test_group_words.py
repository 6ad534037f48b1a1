"""The words of a group's prompt are in the language of the preset, not always in English."""

from __future__ import annotations

from typing import Any

import pytest

from memdesk.chats.model import Character
from memdesk.prompt.assembly import Assembler, Cast
from memdesk.prompt.budget import Budget
from memdesk.prompt.presets import CHINESE, ENGLISH, Preset
from tests.support.workspaces import BEGIN


def card(number: int, name: str) -> Character:
    return Character(number, name, {"data": {"name": name}}, None, BEGIN, BEGIN)


def sent(preset: Preset, *, merged: bool) -> list[str]:
    members = (card(1, "小红"), card(2, "阿明"))
    cast = Cast(members[0], None, "旅人", members, merged)
    assembler = Assembler(cast, Budget(4000, 100), len, preset=preset)
    receipt: Any = assembler.assemble(assembler.fit([], 0), [], 1, "m")
    return [message["content"] for message in receipt.messages]


@pytest.mark.parametrize("merged", [False, True])
def test_a_chinese_preset_speaks_chinese_to_a_group(merged: bool) -> None:
    words = "\n".join(sent(CHINESE, merged=merged))
    assert "角色扮演：小红, 阿明" in words
    assert "不要替旅人" in words
    assert not any(sign.isascii() and sign.isalpha() for sign in words), words


@pytest.mark.parametrize("merged", [False, True])
def test_an_english_one_speaks_english(merged: bool) -> None:
    words = "\n".join(sent(ENGLISH, merged=merged))
    assert "these characters: 小红, 阿明" in words
    assert "。" not in words


def test_a_main_prompt_of_ones_own_stands_in_a_group_too() -> None:
    own = CHINESE.model_copy(update={"main_prompt": "请演好{{char}}。"})
    words = sent(own, merged=False)
    assert "请演好小红。" in words[0]
    assert "现在轮到小红" in "\n".join(words)
