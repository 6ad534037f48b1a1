#!/usr/bin/env python3
"""Set memdesk up and run it or its tests: `python3 packaging/dev.py run` or `... test`.

Standard library only. This file must parse on any Python 3 so that an old one gets a clear message;
hence no `from __future__ import annotations` here and no import of ours before the version check.
"""

import sys


def main() -> int:
    """Check the Python version, then hand over; return the exit code."""
    if sys.version_info < (3, 11):  # noqa: UP036 - the reason for this file
        found = ".".join(str(part) for part in sys.version_info[:3])
        sys.stderr.write(
            "memdesk needs Python 3.11 or newer; this is Python %s (%s).\n"  # noqa: UP031
            "Install a newer one and start this again with it, for example:\n"
            "    python3.11 packaging/dev.py run\n" % (found, sys.executable)
        )
        return 1
    from devtools.commands import main as commands  # noqa: PLC0415 - only after the check

    return commands(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
