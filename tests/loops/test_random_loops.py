"""Closed mechanisms drawn by number, against maximal coordinates with 60 digits.

Thousands of them, and larger ones: tests/random_mechanisms.py.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from support.drawn.families import FAMILIES
from support.drawn.spots import GROUND, Manner, Spot, made, manner
from support.drawn.truth import Truth, truth
from support.drawn.verdict import Verdict, compiled, judged, straight_line
from support.maximal.assembly import Assembly
from support.maximal.exact import exact

NUMBERS = range(100)
ENOUGH = 3 * len(FAMILIES)
"""The rest of them in the sweep."""
PLAIN = Manner(True, 0.0, 0.0, 0.0, 0.0, 0.0, "", 0)


@cache
def drawn(number: int) -> tuple[Assembly, Truth]:
    """Families by turns, small ones: every third may have five joints, the others have four if they can."""
    name = list(FAMILIES)[number % len(FAMILIES)]
    rng, joints = np.random.default_rng([1, number]), 5 if number % 3 == 0 or name == "folded" else 4
    while len(spots := FAMILIES[name][0](rng)) > joints:
        pass
    assembly = made(rng, f"drawn{number}", spots, replace(manner(rng), base="", branches=0))
    return assembly, truth(assembly, rng)


@cache
def decided(number: int, at: bool) -> Verdict:
    return straight_line(drawn(number)[1], at)


@pytest.mark.parametrize("number", [pytest.param(n, marks=pytest.mark.sweep if n >= ENOUGH else ()) for n in NUMBERS])
def test_freedoms_and_straight_line_accelerations(number: int) -> None:
    verdict = decided(number, number % 2 == 0)
    assert verdict.outcome != "silent", verdict


def test_most_agree() -> None:
    assert sum(decided(number, number % 2 == 0).outcome == "agreed" for number in range(11, 22)) >= 9


QUICK = {list(FAMILIES).index(name) for name in ("spherical", "Bennett", "mirrored")}
MOVED = [pytest.param(number, marks=() if number in QUICK else pytest.mark.sweep) for number in NUMBERS]


@pytest.mark.parametrize("number", MOVED)
def test_compiled_and_moved(number: int, tmp_path: Path) -> None:
    """By all methods in C, and 0.1 s of motion."""
    verdict = judged(*drawn(number), number % 2 == 0, tmp_path)
    assert verdict.outcome != "silent", verdict


@pytest.mark.parametrize("heavier", ["mass", "motion"])
def test_what_is_wrong_is_seen(heavier: str) -> None:
    """The same mechanism with one link heavier, or with the truth of another velocity."""
    assembly, facts = drawn(11)
    if heavier == "mass":
        bodies = (replace(assembly.bodies[0], mass=1.001 * assembly.bodies[0].mass), *assembly.bodies[1:])
        wrong = replace(facts, assembly=replace(assembly, bodies=bodies))
    else:
        wrong = replace(facts, w=1.001 * facts.w)
    assert straight_line(facts, True).outcome == "agreed"
    assert straight_line(wrong, True).outcome == "silent"


# ---- What was found by them


def test_loops_of_rounding_only(tmp_path: Path) -> None:
    """Ball, hinge, ball about one centre: no row of the loop holds anything, whatever rounding leaves of it."""
    centre, rng = exact([0.1, 0.2, 0.3]), np.random.default_rng(5)
    spots = [Spot("spherical", GROUND, 0, centre), Spot("revolute", 0, 1, centre), Spot("spherical", 1, GROUND, centre)]
    assembly = made(rng, "about_one_centre", spots, replace(PLAIN, neutral=False))
    facts = truth(assembly, rng)
    model = compiled(assembly, False, tmp_path)
    assert facts.freedoms == facts.branch == 4 == model.nf == model.nv - model.partition(assembly.q).rank
    names = model.joint_names
    found = model.forward_dynamics(assembly.q, facts.of(facts.w, names), facts.torques(names))
    assert facts.misses(found, names) < 1e-11


def test_rotors_of_joints_that_close_loops_are_refused() -> None:
    assembly, _ = drawn(1)
    (cut, *_) = assembly.mechanism.virtual_links
    holds = (replace(h, armature=(0.1,) * h.nv) if h.name == cut.joint.name else h for h in assembly.holds)
    with pytest.raises(
        kg.ModelError, match=f"joint '{cut.joint.name}' closes a loop.*armature.*cut the loop at another"
    ):
        kg.generate(replace(assembly, holds=tuple(holds)).mechanism)


def test_a_start_in_line_is_told(tmp_path: Path) -> None:
    """Joints in line to 1e-9: a step later the loop has its rank, and nothing else would tell."""
    rng, z = np.random.default_rng(3), exact([0.0, 0.0, 1.0])
    places = [exact([x, y, 0.0]) for x, y in ((-0.5, 0.0), (0.3, 1e-9), (-0.1, -1e-9), (0.8, 1e-9))]
    ends = [(GROUND, 0), (0, 1), (1, 2), (2, GROUND)]
    spots = [Spot("revolute", *pair, place, (z,)) for pair, place in zip(ends, places, strict=True)]
    assembly = made(rng, "in_line", spots, PLAIN)
    facts = truth(assembly, rng)
    model = compiled(assembly, False, tmp_path)
    assert (facts.freedoms, model.nf, model.partition(assembly.q).rank) == (1, 1, 1)
    with pytest.warns(kg.ClosureWarning, match="starts at a singular configuration: loop '.+' loses its hold on joint"):
        kg.Simulator(model, q=assembly.q, v=facts.of(facts.w, model.joint_names))
