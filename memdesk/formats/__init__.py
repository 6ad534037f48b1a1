"""How it travels: one module per foreign format."""
