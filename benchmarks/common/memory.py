"""Memory of this process."""

from __future__ import annotations

import resource
from pathlib import Path


def resident() -> int:
    """Memory in use [kB]."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() // 1024
