"""What `packaging/dev.py` is made of: system libraries, environment, checks, lock, test model."""
