from __future__ import annotations

from typing import Any

import pytest

from memdesk.chats.model import Character
from tests.support.workspaces import BEGIN


def made(card: Any) -> Character:
    return Character(1, "Mara", card, None, BEGIN, BEGIN)


@pytest.mark.parametrize("card", [{}, {"data": None}, {"data": [1]}, {"data": "x"}])
def test_a_card_without_data_is_empty(card: Any) -> None:
    assert made(card).data == {}
    assert made(card).text("description") == ""
    assert made(card).greetings == []


def test_fields_of_a_wrong_type_are_as_if_missing() -> None:
    character = made({"data": {"description": 5, "first_mes": None, "alternate_greetings": "text"}})
    assert character.text("description") == ""
    assert character.greetings == []


def test_greetings_are_the_first_message_and_the_others_without_blanks() -> None:
    data = {"first_mes": "Hi.", "alternate_greetings": ["", "Oh.", None, 3, " \n", "Ah."]}
    assert made({"data": data}).greetings == ["Hi.", "Oh.", "Ah."]
    assert made({"data": data | {"first_mes": " "}}).greetings == ["Oh.", "Ah."]
