"""Summaries: the outline of what happened, written by a person or by a model."""
