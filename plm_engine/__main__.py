"""``python -m plm_engine``: see :mod:`plm_engine.cli`."""

import sys

from plm_engine.cli import main

if __name__ == "__main__":
    sys.exit(main())
