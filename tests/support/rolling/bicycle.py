"""The benchmark bicycle of `examples/bicycle.py`."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import kinegen as kg

EXAMPLE: dict[str, Any] = runpy.run_path(str(Path(__file__).parents[3] / "examples" / "bicycle.py"))


def bicycle() -> kg.Mechanism:
    """Upright at rest, its rear wheel at the origin."""
    made: kg.Mechanism = EXAMPLE["mechanism"]()
    return made
