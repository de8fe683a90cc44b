"""A short soak: scenes that change again and again, with an account of every step. The day of it is a command."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[3]


def soak() -> ModuleType:
    """benchmarks/common/soak.py."""
    spec = importlib.util.spec_from_file_location("soak", ROOT / "benchmarks" / "common" / "soak.py")
    assert spec and spec.loader
    found = importlib.util.module_from_spec(spec)
    sys.modules["soak"] = found
    spec.loader.exec_module(found)
    return found


@pytest.mark.parametrize(("scene", "missing"), [("Swing", 1e-6), ("Bounce", 1e-11)])
def test_the_account_of_a_changing_scene_is_closed(scene: str, missing: float) -> None:
    """Twelve blocks: work in and losses by other routes than the energy that they explain."""
    running = getattr(soak(), scene)()
    for _ in range(12):
        running.block()
    account = running.account
    assert account.finite
    assert account.gap <= 1e-10
    assert account.work != 0.0 and account.loss > 0.0
    assert account.misfit <= missing
