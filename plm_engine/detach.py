"""Start the supervisor as nobody's child: ``python -m plm_engine.detach RUN_DIR LOCK_FD [COMMAND ...]``.

The process forks and leaves at once, so the supervisor belongs to the system: it is not in the process tree of the web
server that started it, and never becomes that server's zombie.  Nothing heavy is imported before the fork, because the
launcher waits for it.
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Fork where the system can, leave, and go on as the supervisor."""
    if hasattr(os, "fork") and os.fork():
        os._exit(0)
    from plm_engine.supervise import main as supervise

    supervise(sys.argv[1:])


if __name__ == "__main__":
    main()
