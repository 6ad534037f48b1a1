"""Colours, fonts, icons and the style sheet."""

from __future__ import annotations

from memdesk.ui.theme.theme import Theme, current_theme
from memdesk.ui.theme.tokens import CONTEXT_SOURCES, Tokens, contrast, load_tokens

__all__ = ["CONTEXT_SOURCES", "Theme", "Tokens", "contrast", "current_theme", "load_tokens"]
