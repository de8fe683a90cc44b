"""The command `kinegen`."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command with these arguments (those of the process by default) and exit.

    Exit codes: 0 done; 1 a bug of ours; 2 what was asked for cannot be done, said in one line; 130 interrupted.
    """
    from .failures import run

    sys.exit(run(sys.argv[1:] if arguments is None else list(arguments)))
