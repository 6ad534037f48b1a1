"""Reading documents of many kinds: their text in blocks, each with its place."""
