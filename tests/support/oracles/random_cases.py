"""Random trees under names, which tests of several topics share, and with them their compiled models."""

from __future__ import annotations

from typing import Any

import pytest

from kinegen.codegen.mechanism import Mechanism

from .mechanisms import EVERY_KIND, ONE_DOF, random_mechanism

SMALL: dict[str, dict[str, Any]] = {
    **{f"two_{kind}": {"bodies": 2, "kinds": [kind], "mimic": 0} for kind in EVERY_KIND if kind != "fixed"},
    "aligned": {"bodies": 5, "skew": 0},
    "skewed": {"bodies": 5, "skew": 1},
    "aligned_chain": {"bodies": 7, "skew": 0, "branching": 0, "kinds": ["revolute"]},
    "bush": {"bodies": 7, "branching": 1},
    "mimics": {"bodies": 6, "kinds": ONE_DOF, "mimic": 0.7},
    "massless": {"bodies": 8, "kinds": ["fixed", *ONE_DOF], "massless": 1, "mimic": 0},
    "rotors": {"bodies": 4, "armature": 1},
    "floating": {"bodies": 8, "kinds": ["revolute", "prismatic", "fixed"], "root": "free", "massless": 0},
    "hanging_free": {"bodies": 3, "kinds": ["free", "spherical", "planar"]},
    **{f"mixed{n}": {"bodies": n} for n in (1, 3, 6, 9, 12)},
}
LARGE: dict[str, dict[str, Any]] = {
    "tree25": {"bodies": 25, "kinds": ["revolute", "prismatic", "spherical", "fixed"], "root": "free", "mimic": 0.1},
    "all40": {"bodies": 40, "branching": 0.5, "kinds": [*EVERY_KIND, *ONE_DOF], "massless": 0},
}
CASES = {**SMALL, **LARGE}

LONGER = (
    *(name for name in SMALL if name.startswith("two_")),
    *("aligned", "bush", "mixed3", "mixed6", "mixed9", "tree25", "all40"),
)
"""Left to the sweep where models are compiled: their kinds of joints and sizes are in others too."""


def marked(names: dict[str, Any]) -> list[Any]:
    """These names, for `parametrize`."""
    return [pytest.param(name, marks=pytest.mark.sweep if name in LONGER else ()) for name in names]


def random_case(name: str, **changes: float) -> Mechanism:
    """The tree of that name, with these numbers in place of its own."""
    return random_mechanism(list(CASES).index(name), **{**CASES[name], **changes})
