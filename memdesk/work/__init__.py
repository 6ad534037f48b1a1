"""Tasks: one serial writer, parallel readers, progress, cancel."""
