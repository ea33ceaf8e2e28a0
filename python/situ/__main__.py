"""``python -m situ``: list the devices, or run one of the commands that ``--help`` names."""

from __future__ import annotations

import sys

from ._cli.parser import main

if __name__ == "__main__":
    sys.exit(main())
