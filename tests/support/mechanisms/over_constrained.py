"""Closed mechanisms with more closure rows than their motion needs: families with known freedoms, and random ones.

Each comes with a configuration at which it is closed, found from its geometry and not by kinegen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kinegen.codegen.mechanism import Joint, Link, Mechanism, Pose, inertia
from support.oracles.mechanisms import rotation, unit
from support.oracles.numeric import Array

GRAVITY = 9.81
FREE = {"actuated": False}


@dataclass(frozen=True)
class Placed:
    """A mechanism, coordinates of its joints (nq of each; of cut joints too) that close it, and its freedoms there."""

    mechanism: Mechanism
    at: Mapping[str, Sequence[float]]
    freedoms: int

    def start(self) -> dict[str, Sequence[float]]:
        """Coordinates of the tree's joints by name, as `compile(at=)` takes them."""
        return {body.joint.name: self.at[body.joint.name] for body in self.mechanism.tree.bodies if body.nv}

    def q(self) -> Array:
        """(nq) of the tree."""
        return np.concatenate([np.asarray(values, dtype=float) for values in self.start().values()])


def bar(name: str, length: float, mass: float) -> Link:
    return Link(name, mass, (length / 2, 0, 0), inertia.box(mass, (length, length / 50, length / 50)))


# ---- Scissor lifts


def scissor(stages: int, length: float, angle: float, load: float = 5.0) -> Placed:
    """Crossed bars p and r on a ground pivot and a slide, `stages` of them, a platform on top; one freedom."""
    small = inertia.box(0.1, (0.1, 0.1, 0.1))
    links = [bar(f"{side}{k}", length, 0.5) for k in range(stages) for side in "pr"]
    links += [Link("slide", 0.1, (0, 0, 0), small), Link("runner", 0.1, (0, 0, 0), small)]
    links.append(Link("top", load, (0.3, 0, 0), inertia.box(load, (1, 0.1, 0.1))))
    end, last = Pose((length, 0, 0)), stages - 1
    joints = [
        Joint("base", "revolute", "world", "p0", **FREE),
        Joint("act", "prismatic", "world", "slide", axis=(1, 0, 0)),
        Joint("foot", "revolute", "slide", "r0", **FREE),
    ]
    middle = Pose((length / 2, 0, 0))
    for k in range(stages):
        joints.append(Joint(f"middle{k}", "revolute", f"p{k}", f"r{k}", middle, middle, cut=k == 0, **FREE))
        if k < last:
            joints.append(Joint(f"left{k}", "revolute", f"r{k}", f"p{k + 1}", end, **FREE))
            joints.append(Joint(f"right{k}", "revolute", f"p{k}", f"r{k + 1}", end, **FREE))
    joints += [
        Joint("hinge", "revolute", f"r{last}", "top", end, **FREE),
        Joint("run", "prismatic", "top", "runner", axis=(1, 0, 0), **FREE),
        Joint("tip", "revolute", f"p{last}", "runner", end, **FREE),
    ]
    mechanism = Mechanism(f"scissor_of_{stages}", links, joints, gravity=(0.0, -GRAVITY, 0.0))
    turns = {link.name: {"p": angle, "r": np.pi - angle}.get(link.name[0], 0.0) for link in links}
    turns |= {"world": 0.0, "runner": 0.0}
    at = {joint.name: [turns[joint.child] - turns[joint.parent]] for joint in joints}
    at["act"] = at["run"] = [length * np.cos(angle)]
    return Placed(mechanism, at, 1)


def scissor_acceleration(stages: int, length: float, angle: float, load: float = 5.0) -> float:
    """Acceleration of the slide at rest by Lagrange's equation in the angle: x = L cos φ, height of stage k (k + ½) L
    sin φ."""
    s, c, about = np.sin(angle), np.cos(angle), 0.5 * length**2 * (1 + 0.02**2) / 12
    inertia_ = load * (stages * length * c) ** 2 + 0.1 * (length * s) ** 2
    inertia_ += 0.1 * ((length * s) ** 2 + (stages * length * c) ** 2)
    slope = (load + 0.1) * stages * length * c
    for k in range(stages):
        inertia_ += 2 * (0.5 * ((length / 2 * s) ** 2 + ((k + 0.5) * length * c) ** 2) + about)
        slope += (k + 0.5) * length * c
    return float(length * s * GRAVITY * slope / inertia_)


# ---- Hoberman rings


def hoberman(pairs: int, arm: float, opening: float, root: str = "free") -> Placed:
    """A ring of angulated scissor pairs, which opens with one freedom; `root`: free, or revolute about a fixed hub of
    its first link."""
    step = 2 * np.pi / pairs
    kink = np.pi - step

    def end(second: bool) -> Array:
        turn = np.pi + (kink if second else -kink) / 2
        return arm * np.array([np.cos(turn), np.sin(turn), 0.0])

    first, second = Pose(tuple(end(False).tolist())), Pose(tuple(end(True).tolist()))
    links = [Link(f"{s}{k}", 0.2, (0, 0, 0), inertia.box(0.2, (arm, arm, 0.01))) for k in range(pairs) for s in "AB"]
    joints = [Joint("base", root, "world", "A0")]
    for k in range(pairs):
        joints.append(Joint(f"middle{k}", "revolute", f"A{k}", f"B{k}", actuated=k == 0))
        joints.append(Joint(f"p{k}", "revolute", f"B{k}", f"A{(k + 1) % pairs}", first, second, **FREE))
        joints.append(Joint(f"r{k}", "revolute", f"A{k}", f"B{(k + 1) % pairs}", first, second, **FREE))
    mechanism = Mechanism(f"ring_of_{pairs}", links, joints, gravity=(0.0, 0.0, 0.0))
    turns = {f"A{k}": k * step + opening for k in range(pairs)} | {f"B{k}": k * step - opening for k in range(pairs)}
    at = {j.name: [turns[j.child] - turns[j.parent]] for j in joints[1:]}
    at["base"] = [opening]
    if root == "free":
        at["base"] = [0.1, -0.2, 0.3, 0.0, 0.0, np.sin(opening / 2), np.cos(opening / 2)]
    return Placed(mechanism, at, 7 if root == "free" else 2)


# ---- Deltas


def delta(place: Sequence[float], arms: Sequence[float] = (0.3, 0.08, 0.25, 0.5, 0.08), linear: bool = False) -> Placed:
    """Three arms with parallelograms carry a platform to `place`; three freedoms. `arms`: radius of the base and of the
    platform, length of arm and rod, width of the parallelogram. `linear`: vertical slides in place of turning arms."""
    base, plate, arm, rod, width = arms
    end_shape = inertia.box(0.05, (0.03, width, 0.03))
    links = [Link("plate", 0.5, (0, 0, 0), inertia.cylinder(0.5, 0.1, 0.02))]
    joints: list[Joint] = []
    at: dict[str, list[float]] = {}
    y, z, x_z = {"axis": (0, 1, 0)}, {"axis": (0, 0, 1)}, Pose((0, 0, 0))
    for i in range(3):
        turn = Pose((0, 0, 0), (0, 0, 2 * np.pi * i / 3))
        links += [bar(f"arm{i}", arm, 0.3), Link(f"el{i}", 0.05, (0, 0, 0), end_shape)]
        links += [bar(f"ra{i}", rod, 0.1), bar(f"rb{i}", rod, 0.1), Link(f"en{i}", 0.05, (0, 0, 0), end_shape)]
        origin = turn * Pose((base, 0, 0))
        kind, moved = ("prismatic", z) if linear else ("revolute", y)
        elbow = x_z if linear else Pose((arm, 0, 0))
        up, down = Pose((0, width / 2, 0)), Pose((0, -width / 2, 0))
        joints += [
            Joint(f"m{i}", kind, "world", f"arm{i}", origin, **moved),
            Joint(f"e{i}", "revolute", f"arm{i}", f"el{i}", elbow, **y, **FREE),
            Joint(f"pa{i}", "revolute", f"el{i}", f"ra{i}", up, **z, **FREE),
            Joint(f"pb{i}", "revolute", f"el{i}", f"rb{i}", down, **z, **FREE),
            Joint(f"pc{i}", "revolute", f"ra{i}", f"en{i}", Pose((rod, 0, 0)), up, **z, **FREE),
            Joint(f"pd{i}", "revolute", f"rb{i}", f"en{i}", Pose((rod, 0, 0)), down, **z, **FREE),
            Joint(f"x{i}", "revolute", f"en{i}", "plate", x_z, turn * Pose((plate, 0, 0)), **y, **FREE),
        ]
        at |= _delta_arm(i, np.asarray(place), arms, linear)
    return Placed(Mechanism("linear_delta" if linear else "delta_of_parallelograms", links, joints), at, 3)


def _delta_arm(i: int, place: Array, arms: Sequence[float], linear: bool) -> dict[str, list[float]]:
    base, plate, arm, rod, _ = arms
    c, s = np.cos(2 * np.pi * i / 3), np.sin(2 * np.pi * i / 3)
    t = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]) @ place + [plate - base, 0, 0]
    reach = np.sqrt(rod**2 - t[1] ** 2)
    if linear:
        lead, turned = t[2] + np.sqrt(reach**2 - t[0] ** 2), 0.0
        e = t - [0, 0, lead]
    else:
        far = np.hypot(t[0], t[2])
        lead = turned = np.arctan2(-t[2], t[0]) - np.arccos((arm**2 + far**2 - reach**2) / (2 * arm * far))
        e = t - arm * np.array([np.cos(lead), 0, -np.sin(lead)])
    b, p = np.arctan2(-e[2], e[0]), np.arcsin(t[1] / rod)
    values = {"m": lead, "e": b - turned, "pa": p, "pb": p, "pc": -p, "pd": -p, "x": -b}
    return {f"{name}{i}": [float(x)] for name, x in values.items()}


# ---- Random ones


def spherical_four_bar(rng: np.random.Generator) -> Placed:
    """Four axes through one point in skewed frames: four rows of a loop say what three would; one freedom."""
    angles = np.cumsum(rng.uniform(0.5, 1.0, 4))
    axes = [rotation(np.array([0, 0, 1.0]), a) @ unit(np.array([1.0, 0, rng.uniform(-0.6, 0.6)])) for a in angles]
    return _ring(rng, axes, [np.zeros(3)] * 4, "spherical", 1)


def parallel_ring(rng: np.random.Generator, joints: int) -> Placed:
    """A planar ring of turning joints in a skewed frame; joints - 3 freedoms."""
    axis = np.array([0.0, 0.0, 1.0])
    angles = np.sort(rng.uniform(0.0, 2 * np.pi, joints)) + 0.1 * np.arange(joints)
    points = [rng.uniform(0.5, 1.0) * np.array([np.cos(a), np.sin(a), 0.0]) for a in angles]
    points = [p + np.array([0, 0, rng.uniform(-0.3, 0.3)]) for p in points]  # along the axis a link may be anywhere
    return _ring(rng, [axis] * joints, points, "planar", joints - 3)


def bennett(rng: np.random.Generator) -> Placed:
    """Bennett's four-bar: opposite links alike, lengths as the sines of the twists; one freedom, by its shape alone."""
    alpha, turn = rng.uniform(0.5, 1.2), rng.uniform(0.8, 2.2)
    beta = rng.uniform(1.4, 1.8)
    a = rng.uniform(0.5, 1.0)
    b = a * np.sin(beta) / np.sin(alpha)
    other = 2 * np.arctan(np.sin((alpha + beta) / 2) / np.sin((beta - alpha) / 2) / np.tan(turn / 2))
    frame, axes, points = np.eye(4), [], []
    for length, twist, theta in ((a, alpha, turn), (b, beta, other), (a, alpha, -turn), (b, beta, -other)):
        axes.append(frame[:3, 2].copy())
        points.append(frame[:3, 3].copy())
        frame = frame @ _denavit(theta, length, twist)
    assert np.abs(frame - np.eye(4)).max() < 1e-12
    return _ring(rng, axes, points, "bennett", 1)


def parallel_copies(rng: np.random.Generator, copies: int) -> Placed:
    """A table on equal cranks with parallel axes in a skewed frame, one or more of them more than it needs."""
    axis, tilt = np.array([0.0, 0.0, 1.0]), rng.uniform(0.4, 2.6)
    crank = 0.6 * np.array([np.cos(tilt), np.sin(tilt), 0.0])
    feet = [rng.uniform(-1.0, 1.0, 3) for _ in range(copies)]
    skew = _skew(rng)
    links = [_lump(rng, f"c{i}") for i in range(copies)] + [_lump(rng, "table")]
    joints = []
    for i, foot in enumerate(feet):
        turned = tuple((skew @ axis).tolist())
        joints.append(Joint(f"a{i}", "revolute", "world", f"c{i}", _at(skew @ foot), axis=turned, **FREE))
        up, on = _at(skew @ crank), _at(skew @ (foot - feet[0]))
        joints.append(Joint(f"b{i}", "revolute", f"c{i}", "table", up, on, axis=turned, cut=i > 0, **FREE))
    mechanism = Mechanism("table", links, joints, gravity=tuple(rng.uniform(-6, 6, 3).tolist()))
    return Placed(mechanism, {joint.name: [0.0] for joint in joints}, 1)


def _ring(rng: np.random.Generator, axes: Sequence[Array], points: Sequence[Array], name: str, freedoms: int) -> Placed:
    """Links one after the other, turning about axes at points given where all coordinates are zero; the last closes."""
    skew, count = _skew(rng), len(axes)
    links = [_lump(rng, f"l{i}") for i in range(count - 1)]
    joints = []
    for i in range(count):
        before = points[i - 1] if i else np.zeros(3)
        axis = tuple((skew @ axes[i]).tolist())
        if i < count - 1:
            parent = f"l{i - 1}" if i else "world"
            joints.append(Joint(f"j{i}", "revolute", parent, f"l{i}", _at(skew @ (points[i] - before)), axis=axis))
    closing = tuple((skew @ axes[-1]).tolist())
    joints.append(
        Joint(
            "close", "revolute", "world", f"l{count - 2}", _at(skew @ points[-1]),
            _at(skew @ (points[-1] - points[-2])), axis=closing, cut=True, **FREE,
        )
    )  # fmt: skip
    mechanism = Mechanism(name, links, joints, gravity=tuple(rng.uniform(-6, 6, 3).tolist()))
    return Placed(mechanism, {joint.name: [0.0] for joint in joints}, freedoms)


def _denavit(theta: float, length: float, twist: float) -> Array:
    c, s, ct, st = np.cos(theta), np.sin(theta), np.cos(twist), np.sin(twist)
    return np.array(
        [[c, -s * ct, s * st, length * c], [s, c * ct, -c * st, length * s], [0, st, ct, 0], [0, 0, 0, 1.0]]
    )


def _skew(rng: np.random.Generator) -> Array:
    return rotation(unit(rng.normal(size=3)), float(rng.uniform(0.3, 2.8)))


def _at(xyz: Array) -> Pose:
    return Pose(tuple(float(x) for x in xyz))


def _lump(rng: np.random.Generator, name: str) -> Link:
    x, y, z = rng.uniform(0.02, 0.05, 3)
    com = tuple(rng.uniform(-0.2, 0.2, 3).tolist())
    return Link(name, float(rng.uniform(0.5, 2.0)), com, (x + y, 0, 0, y + z, 0, x + z))


def random_over_constrained(seed: int) -> Placed:
    """One of the random ones, by turns."""
    rng = np.random.default_rng([23, seed])
    made = seed % 4
    if made == 0:
        return parallel_ring(rng, int(rng.integers(4, 6)))
    if made == 1:
        return spherical_four_bar(rng)
    if made == 2:
        return bennett(rng)
    return parallel_copies(rng, int(rng.integers(3, 5)))
