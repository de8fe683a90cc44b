"""The examples as modules, and the simulated motion whose torques are known, made once."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[3]


@cache
def script(folder: str, name: str) -> ModuleType:
    """FOLDER/NAME.py of the repository as a module."""
    spec = importlib.util.spec_from_file_location(f"{folder}_{name}", ROOT / folder / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@cache
def truth() -> Any:
    """`Truth` of examples/measured_motion.py."""
    return script("examples", "measured_motion").simulate()
