from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memdesk.store.vectors import text_hash
from memdesk.workspace import Workspace


def test_vectors_come_back_bit_by_bit(workspace: Workspace) -> None:
    space = workspace.vectors.space_id("s", 4)
    random = np.random.default_rng(1)
    made = {text_hash(str(n)): random.standard_normal(4).astype(np.float32) for n in range(1200)}
    workspace.vectors.put(space, made.items())
    found = workspace.vectors.get(space, [*made, text_hash("unknown")])
    assert found.keys() == made.keys()
    assert all(np.array_equal(found[key], made[key]) for key in made)
    assert workspace.vectors.get(space, []) == {}


def test_spaces_do_not_meet(workspace: Workspace) -> None:
    one, two = workspace.vectors.space_id("one", 2), workspace.vectors.space_id("two", 2)
    assert one != two
    assert workspace.vectors.space_id("one", 2) == one
    key = text_hash("a")
    workspace.vectors.put(one, [(key, np.array([1, 0], np.float32))])
    assert workspace.vectors.get(two, [key]) == {}
    workspace.vectors.put(one, [(key, np.array([0, 1], np.float32))])
    assert workspace.vectors.get(one, [key])[key].tolist() == [0, 1]


@given(st.text(), st.text())
def test_hashes_tell_texts_apart(one: str, two: str) -> None:
    assert (text_hash(one) == text_hash(two)) == (one == two)
    assert len(text_hash(one)) == 16


def test_hashes_take_half_characters() -> None:
    assert text_hash("\ud800") != text_hash("\udc00")
