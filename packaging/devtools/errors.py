"""The one error a person sees when the set-up cannot go on."""

from __future__ import annotations


class SetupError(Exception):
    """Something outside the project stops the set-up; the text says what and how to go on."""
