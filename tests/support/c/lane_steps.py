"""How far the lanes of rollouts come."""

from __future__ import annotations

from typing import Any

import pytest

from kinegen.runtime.rollouts import lanes


def steps_by_lanes(monkeypatch: pytest.MonkeyPatch, least: int = 0) -> list[int]:
    """Steps that lanes have made of each simulation, as they are made; rollouts of `least` steps in all go by lanes."""
    made: list[int] = []

    def go(self: Any, rows: range, stopped: Any, go: Any = lanes.Lanes.go) -> None:
        go(self, rows, stopped)
        made.extend(self._states.made[rows.start : rows.stop])

    monkeypatch.setattr(lanes, "LEAST", least)
    monkeypatch.setattr(lanes.Lanes, "go", go)
    return made
