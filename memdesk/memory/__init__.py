"""What is remembered: one room per layer, all behind memory/layer.py."""
