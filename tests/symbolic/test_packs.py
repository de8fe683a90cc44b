"""Limbs that are alike stand side by side in vectors: found, worth it, and the same numbers as one after the other."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy

import kinegen as kg
from kinegen.codegen.analysis.loops.closure import scales_of
from kinegen.codegen.analysis.loops.partition import choose_partition
from kinegen.codegen.mechanism import Joint, Link, Mechanism
from kinegen.codegen.pipeline import compile_mechanism
from kinegen.codegen.printing.kernels import Context, Piece, printed
from kinegen.codegen.printing.selection import Selection
from kinegen.codegen.printing.text import packed
from kinegen.codegen.printing.text.packed_stores import pack_stores
from kinegen.codegen.program.evaluate import numeric
from kinegen.codegen.program.packs.packs import packing
from kinegen.codegen.symbolic.contact.terms import contact_terms
from kinegen.codegen.symbolic.functions import derive
from kinegen.codegen.symbolic.limbs import limbs_of
from kinegen.codegen.symbolic.loops.closed_functions import derive_closed
from support.mechanisms.closed_mechanisms import stewart
from support.oracles.mechanisms import random_state
from support.oracles.numeric import error

KERNELS = ("inverse_dynamics", "bias", "gravity", "mass_matrix", "forward_dynamics", "momentum", "link_poses")
KINDS = ("revolute", "prismatic", "spherical", "universal", "revolute")


def limb(name: str, side: float, rng: np.random.Generator, odd: float = 0.0) -> tuple[list[Link], list[Joint]]:
    """Five links, mirrored at the plane of x and z where `side` is negative; `odd`: by what it differs from others."""
    links, joints, above = [], [], "trunk"
    for i, kind in enumerate(KINDS):
        link, turn = f"{name}_{i}", rng.normal(size=3)
        x, y, z = rng.uniform(0.1, 0.3, size=3)
        inertia = kg.inertia.box(1.0 + i, (x, y, z))
        links.append(Link(link, 1.0 + i, (x, side * y, -z), inertia))
        axes = {0: (0.0, 1.0, 0.0), 1: tuple(turn / np.linalg.norm(turn)), 4: (0.0, 0.0, 1.0)}
        origin = kg.Pose((x, side * y, z), rpy=(odd if i == 3 else 0.0, 0.0, 0.0))
        joints.append(Joint(f"{link}_joint", kind, above, link, origin=origin, axis=axes.get(i)))
        above = link
    return links, joints


def walker(limbs: int, odd: float = 0.0, seed: int = 1) -> Mechanism:
    """A trunk that floats, with limbs of the same joints, of which the last differs by `odd`, and a tail."""
    trunk = Link("trunk", 8.0, (0.01, 0.02, 0.03), kg.inertia.box(8.0, (0.6, 0.3, 0.2)))
    tail = Link("tail", 0.5, (-0.1, 0, 0), kg.inertia.box(0.5, (0.2, 0.05, 0.05)))
    links = [trunk, tail]
    joints = [Joint("root", "free", "world", "trunk"), Joint("tail_joint", "gimbal", "trunk", "tail")]
    for i in range(limbs):
        own = limb(f"limb{i}", 1.0 - 2.0 * (i % 2), np.random.default_rng(seed), odd if i == limbs - 1 else 0.0)
        links, joints = links + own[0], joints + own[1]
    return Mechanism("walker", links, joints)


def aside(mechanism: Mechanism) -> Mechanism:
    """A mass centre of the first limb, a principal axis and a place of the second stand on axes."""
    upright = {"limb0_1": {"com": (0.0, 0.1, 0.0)}, "limb1_2": {"inertia": (0.3, 0.0, 0.0, 0.3, 0.0, 0.4)}}
    links = [replace(link, **upright.get(link.name, {})) for link in mechanism.links]
    joints = [
        replace(joint, origin=kg.Pose((0.0, 0.0, 0.1))) if joint.name == "limb1_4_joint" else joint
        for joint in mechanism.joints
    ]
    return replace(mechanism, links=links, joints=joints)


def hand() -> Mechanism:
    """Two fingers on a palm that stands still, the second turned about the vertical: where that turn is, gravity does
    not tell."""
    palm, (first, joints), (second, more) = Link("trunk", 1.0), *(finger(f"limb{i}") for i in range(2))
    turned = replace(more[0], axis=(0.0, 0.0, 1.0), origin=kg.Pose((0.1, 0.0, 0.0)))
    tilted = replace(joints[0], axis=(0.0, 0.0, 1.0), origin=kg.Pose((-0.1, 0.0, 0.0), rpy=(0.2, 0.0, 0.0)))
    held = Joint("root", "fixed", "world", "trunk")
    return Mechanism("hand", [palm, *first, *second], [held, tilted, *joints[1:], turned, *more[1:]])


def finger(name: str) -> tuple[list[Link], list[Joint]]:
    return limb(name, 1.0, np.random.default_rng(3))


def piece(mechanism: Mechanism, name: str) -> Piece:
    return printed(Context(mechanism, "m", lambda kernel: None), name, derive(mechanism, name))


def test_families_are_limbs_of_the_same_joints() -> None:
    assert limbs_of(walker(2).tree).widths == (2,)
    assert limbs_of(walker(5).tree).widths == (4,)
    assert limbs_of(walker(6).tree).widths == (4, 2)
    assert limbs_of(kg.human_figure().tree).widths == (2, 2)
    other = walker(2)
    turned = tuple(replace(j, kind="continuous") if j.name == "limb1_4_joint" else j for j in other.joints)
    assert limbs_of(replace(other, joints=turned).tree).widths == ()


def test_limbs_may_be_thousands_of_links_long() -> None:
    """Deeper than calls may be nested: nothing of a limb is found by calls within calls."""
    links, joints = [Link("trunk", 1.0)], [Joint("root", "free", "world", "trunk")]
    for side, k in itertools.product(range(2), range(1100)):
        links.append(Link(f"{side}_{k}", 1.0, inertia=kg.inertia.sphere(1.0, 0.1)))
        above = f"{side}_{k - 1}" if k else "trunk"
        joints.append(Joint(f"{side}_{k}_joint", "revolute", above, f"{side}_{k}", axis=(0.0, 1.0, 0.0)))
    limbs = limbs_of(Mechanism("long", links, joints).tree)
    assert limbs.widths == (2,) and len(limbs.places) == 2 * 2 * 1100


def test_corresponding_entries_have_one_place() -> None:
    tree = walker(4).tree
    limbs, bodies = limbs_of(tree), {body.link.name: body for body in tree.bodies}
    for i in range(5):
        own = [bodies[f"limb{k}_{i}"] for k in range(4)]
        for vector, starts, count in (
            ("q", [b.q_start for b in own], own[0].nq),
            ("v", [b.v_start for b in own], own[0].nv),
        ):
            for entry in range(count):
                found = [limbs.places[vector, start + entry] for start in starts]
                assert {lane for lane, _ in found} == {(0, k) for k in range(4)}
                assert len({place for _, place in found}) == 1
    assert ("q", 0) not in limbs.places  # the trunk is nobody's limb


@pytest.mark.parametrize("limbs, most", [(2, 0.75), (4, 0.5)])
def test_what_limbs_compute_is_stated_once(limbs: int, most: float) -> None:
    for name in ("inverse_dynamics", "forward_dynamics_articulated"):
        packed = piece(walker(limbs), name).packed
        assert packed and packed.width == limbs and packed.share < most


def test_legs_that_close_loops_share_vectors() -> None:
    """The Stewart platform: what their ends do, and their parts of WᵀMW."""
    platform = stewart()
    closed = derive_closed(platform, choose_partition(platform), "independent", scales_of(platform))
    packed = printed(Context(platform, "m", lambda kernel: None), "forward_dynamics_specialised", closed).packed
    assert packed and packed.width == 4 and packed.share < 0.7


def test_a_limb_that_differs_a_little_shares_what_is_left_alike() -> None:
    packed = piece(walker(2, odd=0.3), "inverse_dynamics").packed
    assert packed and packed.share < 0.85
    lines = [line for _, block in packed.blocks for line in block]
    assert any("pack_1" in line for line in lines)


def test_a_long_function_is_packed_where_less_is_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "WORTH", 0.5)
    assert piece(walker(2), "inverse_dynamics").packed is None
    monkeypatch.setattr(packed, "LONG", 0)
    assert piece(walker(2), "inverse_dynamics").packed


ROUNDED = 3e-12
"""What is left of an angle written with eleven digits: more than is taken for zero."""


@pytest.mark.parametrize("name", ["inverse_dynamics", "mass_matrix_composite", "forward_dynamics_articulated"])
def test_what_is_zero_in_one_limb_only_parts_them_no_more(name: str) -> None:
    exact, rounded = (piece(walker(2, odd=odd), name).packed for odd in (0.0, ROUNDED))
    assert exact and rounded and rounded.share < exact.share + 0.06
    text = " ".join(line for _, block in rounded.blocks for line in block)
    assert "e-8" not in text and "e-9" not in text  # what stands for zeros is printed as zero


def test_limbs_one_after_the_other_have_no_zeros() -> None:
    own = piece(walker(2, odd=ROUNDED), "inverse_dynamics")
    exact = piece(walker(2), "inverse_dynamics")
    for assignment in own.program.assignments:
        assert not any(abs(float(number)) < 1e-40 for number in assignment.expr.atoms(sympy.Number)), assignment
    assert sum(own.spec.operations.values()) < 1.1 * sum(exact.spec.operations.values())


def test_what_is_small_or_has_no_limbs_stays_as_it_was() -> None:
    pendulum = kg.load("examples/double_pendulum.urdf")
    assert piece(pendulum, "inverse_dynamics").packed is None
    assert piece(walker(1), "inverse_dynamics").packed is None


@pytest.mark.parametrize("mechanism", [walker(2, odd=0.3), hand()], ids=["walker", "hand"])
def test_every_statement_stands_after_what_it_reads(mechanism: Mechanism) -> None:
    packed = piece(mechanism, "inverse_dynamics").packed
    assert packed
    known: set[str] = set()
    text = " ".join(line for _, block in packed.blocks for line in block)
    for statement in text.split(";")[:-1]:
        left, _, right = statement.partition(" = ")
        read = right.replace("[", " ").replace("(", " ").replace("*", " ").replace(")", " ").split()
        words = {word.strip("-{},/") for word in read}
        assert not {word for word in words if word.startswith(("each_", "pack_"))} - known
        known.add(left.split()[-1])


def sliders(count: int) -> Mechanism:
    """Two carriages, with so many bodies in the air: torques of a step are entries of what it shares as they are."""
    links = [Link(f"l{i}", 0.3) for i in range(2)] + [Link(f"c{i}", 0.5, inertia=np.eye(3)) for i in range(count)]
    joints = [Joint(f"jl{i}", "prismatic", "world", f"l{i}", axis=(1, 0, 0)) for i in range(2)]
    return Mechanism("row", links, [*joints, *(Joint(f"j{i}", "free", "world", f"c{i}") for i in range(count))])


def test_what_is_read_at_once_and_goes_out_at_once_is_written() -> None:
    mechanism = sliders(4)
    terms = contact_terms(mechanism, range(2, 6)).terms
    made = printed(Context(mechanism, "m", lambda kernel: None), "contact_terms", terms).packed
    assert made
    stored: set[tuple[str, int]] = set()
    for line in (line for _, block in made.blocks for line in block):
        if several := re.match(r"kg_write_(\d)\(\w+, (\w+)(?: \+ (\d+))?\);", line):
            stored |= {(several[2], int(several[3] or 0) + i) for i in range(int(several[1]))}
        elif line.startswith("kg_across"):
            places = re.findall(r", (\w+)(?: \+ (\d+))?(?=[,)])", line)
            stored |= {(name, int(first or 0) + i) for name, first in places for i in range(2)}
        elif one := re.match(r"(\w+)\[(\d+)\] = ", line):
            stored.add((one[1], int(one[2])))
    assert {(output.name, i) for output in terms.outputs for i in output.places} <= stored


@pytest.mark.parametrize("limbs", [2, 4])
@pytest.mark.parametrize("odd", [0.0, 0.3])
def test_neighbours_of_two_packs_are_stored_together(limbs: int, odd: float) -> None:
    packed = packing(derive(walker(limbs, odd=odd), "mass_matrix_composite"), limbs_of(walker(limbs, odd=odd).tree))
    assert packed
    (M,) = packed.function.outputs
    stores = [store for store in pack_stores(packed) if len(store.packs) == 2]
    for store in stores:
        for lane, place in enumerate(store.places):
            for side, (pack, signs) in enumerate(zip(store.packs, store.signs, strict=True)):
                assert M.entries[place + side] == int(signs[lane]) * pack[lane]
    entries = [entry for store in pack_stores(packed) for entry in store.entries]
    assert len(entries) == len(set(entries)) > 0.6 * sum(entry.atoms(sympy.Symbol) != set() for entry in M.entries)
    assert {len(set(signs)) for store in stores for signs in store.signs} == {1, 2}


def compiled(mechanism: Mechanism, monkeypatch: pytest.MonkeyPatch, flags: str, **options: Any) -> kg.Model:
    """These kernels, unless others are asked for."""
    monkeypatch.setenv("KINEGEN_CFLAGS", flags)
    chosen = Selection(**{"kernels": (*KERNELS, "integrate"), **options})
    return kg.Model.load(compile_mechanism(mechanism, contacts=False, selection=chosen))


CASES: dict[str, Callable[[], Mechanism]] = {
    "two": lambda: walker(2),
    "four, one of them odd": lambda: walker(4, odd=0.3),
    "two, one rounded": lambda: walker(2, odd=ROUNDED),
    "six, one rounded": lambda: walker(6, odd=ROUNDED),
    "one aside": lambda: aside(walker(2)),
    "one turned about the vertical": hand,
}


@pytest.mark.sweep  # three models are compiled of each
@pytest.mark.parametrize("name", CASES)
def test_numbers_are_those_of_limbs_one_after_the_other(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the last bit where nothing is fused; limbs side by side are fused otherwise, which is rounding."""
    mechanism = CASES[name]()
    plain, packed = (compiled(mechanism, monkeypatch, f"-O0{flag}") for flag in (" -DKG_PACK=1", ""))
    fused = compiled(mechanism, monkeypatch, "-O1")
    assert any("#if KG_PACK" in text for text in packed.sources.values())
    rng = np.random.default_rng(7)
    for _ in range(5):
        q, v, a, _tau = random_state(mechanism, rng)
        for kernel in KERNELS:
            given = {"q": q, "v": v, "a": a, "tau": a}
            spec = next(spec for spec in plain.manifest.kernels if spec.name == kernel)
            taken = [given[array.name] for array in spec.inputs]
            expected = plain.kernel(kernel)(*taken)
            assert np.array_equal(packed.kernel(kernel)(*taken), expected), kernel
            assert error(fused.kernel(kernel)(*taken), expected) < 1e-12, kernel


SELDOM = [pytest.param("six, one rounded", marks=pytest.mark.sweep)]


@pytest.mark.parametrize("name", ["two, one rounded", "one aside", *SELDOM])
@pytest.mark.parametrize("kernel", ["inverse_dynamics", "mass_matrix_composite", "forward_dynamics_articulated"])
def test_limbs_with_other_zeros_compute_what_was_derived(name: str, kernel: str) -> None:
    """What is printed was derived with small numbers for zeros; the derivation without them gives the same results."""
    mechanism = CASES[name]()
    derived, made = derive(mechanism, kernel), piece(mechanism, kernel)
    assert derived.evened and made.packed and made.program != derived
    rng = np.random.default_rng(11)
    for _ in range(3):
        q, v, a, tau = random_state(mechanism, rng)
        given = {"q": q, "v": v, "a": a, "tau": tau}
        found, wanted = (numeric(function)(given) for function in (made.program, derived))
        for output, expected in wanted.items():
            assert error(found[output], expected) < 1e-12, output


@pytest.mark.sweep
def test_narrow_vectors_leave_four_limbs_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = walker(4)
    narrow, plain = (compiled(mechanism, monkeypatch, f"-O0 -DKG_PACK={width}") for width in (2, 1))
    q, v, a, _ = random_state(mechanism, np.random.default_rng(2))
    assert np.array_equal(narrow.inverse_dynamics(q, v, a), plain.inverse_dynamics(q, v, a))


def test_lanes_compute_what_one_state_does(monkeypatch: pytest.MonkeyPatch) -> None:
    model = compiled(
        walker(2), monkeypatch, "-O0", kernels=("inverse_dynamics", "forward_dynamics", "integrate"), lanes=True
    )
    q = model.random(np.random.default_rng(4), size=9)
    v, a = np.random.default_rng(5).normal(size=(2, 9, model.nv))
    assert np.array_equal(
        model.inverse_dynamics(q, v, a), [model.inverse_dynamics(*x) for x in zip(q, v, a, strict=True)]
    )
    assert np.array_equal(
        model.forward_dynamics(q, v, a), [model.forward_dynamics(*x) for x in zip(q, v, a, strict=True)]
    )
