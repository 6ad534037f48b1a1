"""What is kept: SQLite is the truth, Chroma a disposable index."""
