"""memdesk: roleplay chat with long-term memory that people can see, edit, freeze and explain."""

import os

__version__ = "0.1.0"

# NumPy's helper threads wait by spinning: after each product they would take the core that the window needs.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
