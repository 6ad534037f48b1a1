"""Dialogs: rare, and only for what must be chosen."""
