"""How a model's token counts compare with ours, learned from the usage that servers report."""

from __future__ import annotations

from memdesk.store.database import Database

SMALLEST_PROMPT = 200
"""Shorter prompts say little: the fixed cost of a chat template outweighs their text."""

WEIGHT = 0.3
"""Share of the newest report in the running mean: a few turns are enough, one odd report is not."""

LOWEST, HIGHEST = 0.5, 3.0
"""A ratio beyond these bounds is a server that does not count the prompt, not a tokenizer."""


class TokenScale:
    """Keeps one factor per model name; 1.0 until a server has reported."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def of(self, model: str) -> float:
        """Return the factor from our estimate to the model's own count."""
        with self._db.read() as db:
            row = db.execute("SELECT value FROM meta WHERE key = ?", (_key(model),)).fetchone()
        return float(row[0]) if row else 1.0

    def learn(self, model: str, estimated: int, reported: int) -> None:
        """Note that a prompt estimated (with the present factor) at `estimated` tokens had `reported`."""
        if estimated < SMALLEST_PROMPT or reported < SMALLEST_PROMPT:
            return
        present = self.of(model)
        measured = min(max(present * reported / estimated, LOWEST), HIGHEST)
        value = present + WEIGHT * (measured - present)
        with self._db.write() as db:
            db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_key(model), f"{value:.4f}"))


def _key(model: str) -> str:
    return f"token_scale:{model}"
