"""The command `kinegen`, and what its tests run it with."""

from __future__ import annotations

import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"
COMMAND = [sys.executable, "-c", "from kinegen.cli import main; main()"]
PENDULUM = "double_pendulum.urdf"


def text(file: str) -> str:
    return Path(file).read_text(encoding="utf-8")
