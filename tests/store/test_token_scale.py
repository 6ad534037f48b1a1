from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from memdesk.store.token_scale import HIGHEST, LOWEST, TokenScale
from memdesk.workspace import Workspace


def test_it_starts_at_one_and_learns_the_true_factor(workspace: Workspace) -> None:
    scale = TokenScale(workspace.database)
    assert scale.of("m") == 1.0
    for _ in range(25):
        scale.learn("m", round(1000 * scale.of("m")), 1400)
    assert abs(scale.of("m") - 1.4) < 0.01
    assert scale.of("other") == 1.0


def test_short_prompts_say_nothing(workspace: Workspace) -> None:
    scale = TokenScale(workspace.database)
    scale.learn("m", 199, 1000)
    scale.learn("m", 1000, 5)
    scale.learn("m", 0, 0)
    assert scale.of("m") == 1.0


def test_no_report_leads_out_of_bounds(workspace: Workspace) -> None:
    scale = TokenScale(workspace.database)

    @settings(max_examples=50, deadline=None)
    @given(st.integers(200, 10**6), st.integers(-(10**9), 10**12))
    def learn(estimated: int, reported: int) -> None:
        scale.learn("m", estimated, reported)
        assert LOWEST <= scale.of("m") <= HIGHEST

    learn()
