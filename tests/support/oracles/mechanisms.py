"""Mechanisms made from a few numbers, in the manner of spatial_v2's autoTree, and small named ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from kinegen.codegen.mechanism import KINDS, Frame, Joint, Link, Mechanism, Mimic, Pose

Array = NDArray[np.float64]
Vector = tuple[float, float, float]
EVERY_KIND = tuple(KINDS)
AXIAL = tuple(name for name, kind in KINDS.items() if "axis" in kind.options)
ONE_DOF = tuple(name for name, kind in KINDS.items() if kind.one_dof)


def random_options(kind: str, rng: np.random.Generator) -> dict[str, Any]:
    """Axes and pitch of a joint of the kind, drawn at random; three axes within half a radian of square."""
    options = KINDS[kind].options
    drawn: dict[str, Any] = {}
    if "axis" in options:
        drawn["axis"] = tuple(unit(rng.normal(size=3)).tolist())
    if "axis2" in options:
        across = np.cross(drawn["axis"], rng.normal(size=3)) + 0.2 * np.array(drawn["axis"])
        drawn["axis2"] = tuple(unit(across).tolist())
    if "axes" in options:
        square = rotation(unit(rng.normal(size=3)), rng.uniform(-3, 3))
        drawn["axes"] = [tuple(unit(row + rng.uniform(-0.2, 0.2, 3)).tolist()) for row in square]
    if "pitch" in options:
        drawn["pitch"] = float(rng.uniform(0.1, 0.3))
    return drawn


def rotation(axis: Array, angle: float) -> Array:
    """(3, 3) rotation by angle [rad] about a unit axis (Rodrigues)."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross)


def unit(vector: Array) -> Array:
    return np.asarray(vector / np.linalg.norm(vector))


def random_mechanism(
    seed: int,
    *,
    bodies: int = 8,
    branching: float = 0.4,
    kinds: Sequence[str] = EVERY_KIND,
    skew: float = 0.5,
    massless: float = 0.1,
    armature: float = 0.3,
    mimic: float = 0.2,
    root: str | None = None,
    shuffle: bool = True,
) -> Mechanism:
    """A tree of `bodies` links, the same for the same numbers.

    branching: chance that a link hangs on any earlier link instead of the last one; skew: chance that an axis or a
    pose is arbitrary instead of axis-aligned; massless: chance that a link with something below it weighs nothing;
    armature, mimic: chance that a joint has one / follows an earlier one-dof joint. Joints are listed out of order.
    What is welded to the world weighs nothing. `root`: kind of the first joint.
    """
    rng = np.random.default_rng([seed, bodies])
    parents = [-1] + [i - 1 if rng.random() >= branching else int(rng.integers(-1, i)) for i in range(1, bodies)]
    chosen = [str(rng.choice(kinds)) for _ in range(bodies)]
    chosen[0] = root or chosen[0]
    weightless, welded = set[int](), set[int]()
    links, joints = list[Link](), list[Joint]()
    for i, (parent, kind) in enumerate(zip(parents, chosen, strict=True)):
        weld = kind == "fixed" and (parent < 0 or parent in welded)
        if _may_be_massless(i, parents, chosen, weightless) and (weld or rng.random() < massless):
            weightless.add(i)
        elif weld:
            kind, weld = "revolute", False
        if weld:
            welded.add(i)
        links.append(Link(f"link{i}") if i in weightless else _random_link(rng, f"link{i}"))
        leaders = [j for j in joints if j.kind in ONE_DOF and j.mimic is None]
        follows = kind in ONE_DOF and leaders and rng.random() < mimic
        leader = leaders[int(rng.integers(len(leaders)))] if follows else None
        joints.append(_random_joint(rng, i, kind, parent, skew, armature, leader))
    order = rng.permutation(bodies) if shuffle else range(bodies)
    frames = [
        Frame(f"frame{k}", f"link{int(rng.integers(bodies))}", _random_pose(rng, skew, 0.3))
        for k in range(min(3, bodies))
    ]
    return Mechanism(f"random{seed}_{bodies}", links=links, joints=[joints[i] for i in order], frames=frames)


def _may_be_massless(i: int, parents: list[int], kinds: list[str], weightless: set[int]) -> bool:
    """Only a link on a joint of few dof that carries another such link, so that the mass matrix stays regular."""
    light = ("fixed", *ONE_DOF)
    below = [k for k, p in enumerate(parents) if p == i]
    return kinds[i] in light and parents[i] not in weightless and any(kinds[k] in ONE_DOF for k in below)


def _random_link(rng: np.random.Generator, name: str) -> Link:
    """Eight point masses in a box: physical by construction."""
    points, masses = rng.uniform(-0.25, 0.25, (8, 3)) + rng.uniform(-0.2, 0.2, 3), rng.uniform(0.05, 0.5, 8)
    com = masses @ points / masses.sum()
    r = points - com
    inertia = sum(m * (x @ x * np.eye(3) - np.outer(x, x)) for m, x in zip(masses, r, strict=True))
    return Link(name, mass=float(masses.sum()), com=tuple(com.tolist()), inertia=np.asarray(inertia).tolist())


def _random_joint(
    rng: np.random.Generator, i: int, kind: str, parent: int, skew: float, armature: float, leader: Joint | None
) -> Joint:
    axis = _random_axis(rng, skew)
    axis2 = unit(np.cross(axis, _random_axis(rng, 1.0))) if rng.random() < skew else np.roll(axis, 1)
    nv = KINDS[kind].nv
    return Joint(
        f"joint{i}",
        kind,
        parent="world" if parent < 0 else f"link{parent}",
        child=f"link{i}",
        origin=_random_pose(rng, skew, 0.3),
        child_origin=_random_pose(rng, skew, 0.2) if rng.random() < 0.3 else Pose(),
        axis=tuple(axis.tolist()) if kind in AXIAL else None,
        axis2=tuple(axis2.tolist()) if kind == "universal" else None,
        axes=random_options(kind, rng)["axes"] if "axes" in KINDS[kind].options else None,
        pitch=float(rng.uniform(-0.3, 0.3)) if kind == "helical" else 0.0,
        armature=tuple(rng.uniform(0.01, 0.1, nv).tolist()) if rng.random() < armature else 0.0,
        mimic=Mimic(leader.name, float(rng.uniform(-2, 2)), float(rng.uniform(-0.5, 0.5))) if leader else None,
    )


def _random_axis(rng: np.random.Generator, skew: float) -> Array:
    if rng.random() < skew:
        return unit(rng.normal(size=3))
    return np.asarray(np.eye(3)[rng.integers(3)] * rng.choice([-1.0, 1.0]))


def _random_pose(rng: np.random.Generator, skew: float, size: float) -> Pose:
    xyz = tuple(rng.uniform(-size, size, 3).tolist())
    if rng.random() < skew:
        return Pose(xyz, rotation=rotation(unit(rng.normal(size=3)), rng.uniform(-3, 3)).tolist())
    return Pose(xyz, rpy=tuple((rng.integers(-1, 3, 3) * np.pi / 2).tolist()))


def random_state(mechanism: Mechanism, rng: np.random.Generator) -> tuple[Array, Array, Array, Array]:
    """q (nq), v, a, tau (nv each): angles within ±3 rad, unit quaternions (x y z w), everything else of order one."""
    tree = mechanism.tree
    q, v, a, tau = np.zeros(tree.nq), *(rng.uniform(-2, 2, tree.nv) for _ in range(3))
    for body in tree.bodies:
        part = slice(body.q_start, body.q_start + body.nq)
        if body.nq == 0:
            continue
        if body.joint.kind == "planar":
            angle = rng.uniform(-3, 3)
            q[part] = [*rng.uniform(-1, 1, 2), np.cos(angle), np.sin(angle)]
        elif body.joint.kind == "spherical":
            q[part] = unit(rng.normal(size=4))
        elif body.joint.kind == "free":
            q[part] = [*rng.uniform(-1, 1, 3), *unit(rng.normal(size=4))]
        elif body.joint.kind in ("revolute", "continuous", "universal"):
            q[part] = rng.uniform(-3, 3, body.nq)
        elif len(KINDS[body.joint.kind].turns) == 3:  # a quarter turn from where the first axis meets the last
            q[part] = [rng.uniform(-3, 3), rng.uniform(-1, 1), rng.uniform(-3, 3)]
        else:
            q[part] = rng.uniform(-1, 1, body.nq)
    return q, v, a, tau


def double_pendulum(
    m1: float | sympy.Expr = 1.3,
    m2: float | sympy.Expr = 0.7,
    l1: float | sympy.Expr = 0.8,
    l2: float | sympy.Expr = 1.1,
) -> Mechanism:
    """Two point masses on massless rods in the xz plane, hanging along −z at q = 0, both angles about y, relative."""
    return Mechanism(
        "double_pendulum",
        links=[Link("upper", mass=m1, com=(0, 0, -l1)), Link("lower", mass=m2, com=(0, 0, -l2))],
        joints=[
            Joint("shoulder", "revolute", parent="world", child="upper", axis=(0, 1, 0)),
            Joint("elbow", "revolute", parent="upper", child="lower", origin=Pose((0, 0, -l1)), axis=(0, 1, 0)),
        ],
    )


def cart_pole(cart: float = 2.0, mass: float = 0.5, length: float = 0.6, inertia: float = 0.03) -> Mechanism:
    """A cart on a rail along x and a pole about y whose COM stands `length` above the pivot at q = 0."""
    return Mechanism(
        "cart_pole",
        links=[
            Link("cart", mass=cart, inertia=(0.1, 0, 0, 0.1, 0, 0.1)),
            Link("pole", mass=mass, com=(0, 0, length), inertia=(inertia, 0, 0, inertia, 0, 0.001)),
        ],
        joints=[
            Joint("rail", "prismatic", parent="world", child="cart", axis=(1, 0, 0)),
            Joint("pivot", "revolute", parent="cart", child="pole", axis=(0, 1, 0)),
        ],
    )


def free_body(mass: float = 1.7, moments: Vector = (0.02, 0.05, 0.06), gravity: Vector = (0, 0, -9.81)) -> Mechanism:
    """One rigid body on a free joint, COM at its origin, principal axes along its frame."""
    inertia = (moments[0], 0, 0, moments[1], 0, moments[2])
    return Mechanism(
        "free_body",
        links=[Link("body", mass=mass, inertia=inertia)],
        joints=[Joint("root", "free", parent="world", child="body")],
        gravity=gravity,
    )


def spherical_pendulum(mass: float = 0.9, length: float = 0.75) -> Mechanism:
    """A point mass on a universal joint (about x, then y), hanging along −z at q = 0."""
    return Mechanism(
        "spherical_pendulum",
        links=[Link("bob", mass=mass, com=(0, 0, -length))],
        joints=[Joint("pivot", "universal", parent="world", child="bob", axis=(1, 0, 0), axis2=(0, 1, 0))],
    )


def full_of_functions() -> Mechanism:
    """A mass with all functions that expressions of parameters may call."""
    a, b = sympy.symbols("a b", positive=True)
    names = ("sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "Abs")
    mass = sum(getattr(sympy, name)(a) for name in names) + sympy.atan2(a, b) + a ** sympy.Rational(1, 3)
    return Mechanism(
        "functions", [Link("link", mass, (1, 0, 0))], [Joint("j", "revolute", "world", "link", axis=(0, 0, 1))]
    )
