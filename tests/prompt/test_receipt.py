from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from memdesk.prompt.parts import REASONS, Part, Reason
from memdesk.prompt.receipt import Receipt, from_json

TEXT = st.text(max_size=20)
COUNT = st.integers(0, 10**6)
VALUES = st.fixed_dictionaries(
    {"score": st.floats(0, 1), "place": COUNT, "limit": COUNT, "threshold": st.floats(0, 1), "count": COUNT}
)
PARTS = st.builds(
    Part,
    kind=st.sampled_from(["instructions", "character", "memory", "history"]),
    title=TEXT,
    text=TEXT,
    tokens=COUNT,
    included=st.booleans(),
    reason=st.builds(Reason, st.sampled_from(sorted(REASONS)), VALUES),
    score=st.none() | st.floats(0, 1),
    scores=st.dictionaries(TEXT, st.floats(0, 1), max_size=3),
    source=st.fixed_dictionaries({"chunk": COUNT, "messages": st.lists(COUNT, max_size=3)}),
)
RECEIPTS = st.builds(
    Receipt,
    context=COUNT,
    reserve=COUNT,
    used=COUNT,
    parts=st.lists(PARTS, max_size=5).map(tuple),
    messages=st.lists(st.fixed_dictionaries({"role": TEXT, "content": TEXT}), max_size=3).map(tuple),
    queries=st.dictionaries(TEXT, TEXT, max_size=2),
    warnings=st.lists(TEXT, max_size=2).map(tuple),
    model=TEXT,
    earlier=COUNT,
    first_message=st.none() | COUNT,
    order=st.just(("history", "memory")),
)


@settings(deadline=None)
@given(RECEIPTS)
def test_a_receipt_survives_its_way_through_json(receipt: Receipt) -> None:
    assert from_json(json.loads(json.dumps(receipt.to_json()))) == receipt


@settings(deadline=None)
@given(RECEIPTS)
def test_json_tells_the_reason_in_words(receipt: Receipt) -> None:
    body = receipt.to_json()
    assert [part["reason"] for part in body["parts"]] == [str(part.reason) for part in receipt.parts]
    assert {"context", "reserve", "parts"} <= body.keys()


@settings(deadline=None)
@given(RECEIPTS)
def test_sums_are_those_of_what_was_sent(receipt: Receipt) -> None:
    assert sum(receipt.by_kind().values()) == sum(part.tokens for part in receipt.parts if part.included)
    for kind in receipt.by_kind():
        assert receipt.sent(kind) == sum(part.included and part.kind == kind for part in receipt.parts)
