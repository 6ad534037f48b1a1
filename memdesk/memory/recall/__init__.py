"""Chunks of messages found again by meaning and by words."""
