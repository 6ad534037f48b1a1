"""Thin adapters between the library and the views."""
