from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdesk.prompt.budget import MEMORY_MAX, MEMORY_MIN, Budget, PromptTooLarge


@given(st.integers(512, 10**7), st.integers(1, 10**6), st.floats(0.5, 3))
def test_the_room_is_what_context_and_reserve_leave(context: int, reserve: int, scale: float) -> None:
    budget = Budget(context, reserve, scale)
    assert 0 <= budget.room <= max(0, context - reserve)
    assert MEMORY_MIN <= budget.memory <= MEMORY_MAX


@pytest.mark.parametrize(
    ("context", "memory"), [(512, 384), (2560, 384), (4096, 614), (8192, 1228), (32768, 1536)]
)
def test_memorys_share(context: int, memory: int) -> None:
    assert Budget(context, 100).memory == memory


@given(st.integers(0, 10**6), st.floats(0.5, 3))
def test_scaling_never_rounds_down(counted: int, scale: float) -> None:
    scaled = Budget(8192, 512, scale).scaled(counted)
    assert counted * scale <= scaled < counted * scale + 1


def test_the_refusal_names_what_to_shorten() -> None:
    error = PromptTooLarge(900, 500, [("Description", 700), ("message #3", 100)])
    assert error.code == "prompt_too_large"
    for piece in ("900", "500", "Description (~700)", "message #3 (~100)"):
        assert piece in str(error)
