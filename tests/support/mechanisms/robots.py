"""Where example-robot-data keeps its robots."""

from __future__ import annotations

from pathlib import Path

import cmeel

FOLDER = Path(next(iter(cmeel.__path__))).parent / "cmeel.prefix/share/example-robot-data/robots"
