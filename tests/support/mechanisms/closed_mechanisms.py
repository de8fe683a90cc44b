"""Closed mechanisms for tests: random ones, closed by construction at a known configuration, and named ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinegen.codegen.mechanism import KINDS, Joint, Link, Mechanism, Pose, inertia
from support.oracles.mechanisms import EVERY_KIND, random_mechanism, random_options, random_state, rotation, unit
from support.oracles.numeric import Array, Reference, inverse, joint_motion, matrix

LOOP_KINDS = tuple(kind for kind in EVERY_KIND if kind != "free")


@dataclass(frozen=True)
class Closed:
    """A mechanism with loops and a configuration q (nq) at which it is closed."""

    mechanism: Mechanism
    q: Array


def closed_by(tree: Mechanism, q: Array, rng: np.random.Generator, kinds: Sequence[str], name: str = "") -> Closed:
    """The tree with a loop of each of these kinds between random links, closed at q."""
    reference = Reference(tree, q, np.zeros(tree.tree.nv))
    poses = dict(zip((b.link.name for b in tree.tree.bodies), reference.link_poses(), strict=True))
    poses["world"] = np.eye(4)
    loops = []
    for i, kind in enumerate(kinds):
        parent, child = _ends(tree, rng)
        loops.append(_loop_joint(f"loop{i}_{kind}", kind, parent, child, poses, rng))
    mechanism = Mechanism(name or tree.name, tree.links, (*tree.joints, *loops), gravity=tree.gravity)
    return Closed(mechanism, q)


def _ends(tree: Mechanism, rng: np.random.Generator) -> tuple[str, str]:
    """Two links with joints that move between them."""
    bodies = tree.tree.bodies
    for _ in range(200):
        child = bodies[int(rng.integers(len(bodies)))]
        parent = int(rng.integers(-1, len(bodies)))
        if parent == child.index:
            continue
        paths = [_path(bodies, parent), _path(bodies, child.index)]
        between = [bodies[i] for i in paths[0] ^ paths[1]]
        if sum(body.nv for body in between) >= 4:
            return ("world" if parent < 0 else bodies[parent].link.name), child.link.name
    child = bodies[-1]
    return "world", child.link.name


def _path(bodies: Sequence[object], i: int) -> set[int]:
    found = set()
    while i >= 0:
        found.add(i)
        i = bodies[i].parent  # type: ignore[attr-defined]
    return found


def _loop_joint(
    name: str, kind: str, parent: str, child: str, poses: dict[str, Array], rng: np.random.Generator
) -> Joint:
    """Cut joint whose two sides meet at a random coordinate of it."""
    options = random_options(kind, rng)
    origin = Pose(tuple(rng.uniform(-0.3, 0.3, 3).tolist()), rotation=_turn(rng).tolist())
    draft = Joint(name, kind, parent, child, origin, cut=True, **options)
    moved, _, _ = joint_motion(draft, coordinates_of(draft, rng), np.zeros(draft.nv))
    frame = poses[parent] @ matrix(origin) @ moved
    placed = inverse(poses[child]) @ frame
    child_origin = Pose(tuple(placed[:3, 3].tolist()), rotation=placed[:3, :3].tolist())
    return Joint(name, kind, parent, child, origin, child_origin, cut=True, **options)


def coordinates_of(joint: Joint, rng: np.random.Generator) -> Array:
    """Random coordinates of a joint, angles well within half a turn."""
    if joint.kind == "planar":
        angle = rng.uniform(-2, 2)
        return np.array([*rng.uniform(-0.5, 0.5, 2), np.cos(angle), np.sin(angle)])
    if joint.kind == "spherical":
        return unit(rng.normal(size=4))
    return np.asarray(rng.uniform(-1.2, 1.2, joint.nq))


def _turn(rng: np.random.Generator) -> Array:
    return rotation(unit(rng.normal(size=3)), float(rng.uniform(-3, 3)))


def random_closed(seed: int, kinds: Sequence[str], *, bodies: int = 6, root: str | None = None) -> Closed:
    """A random spatial tree with loops of these kinds."""
    rng = np.random.default_rng([7, seed])
    tree = random_mechanism(seed, bodies=bodies, branching=0.3, massless=0.0, mimic=0.1, root=root)
    q = random_state(tree, rng)[0]
    return closed_by(tree, q, rng, kinds, f"closed{seed}")


ONE_LOOP = {"revolute": 3, "prismatic": 19, "universal": 6, "planar": 8}
"""Seeds of mechanisms with one loop, of a kind for each way to lock turns."""
ONE_LOOP |= {name: 1 for name, kind in KINDS.items() if len(kind.axes) > 2}


def one_loop(kind: str) -> Closed:
    """A spatial mechanism of five links that a joint of this kind closes; it can move."""
    return random_closed(ONE_LOOP[kind], (kind,), bodies=5)


def planar_closed(seed: int, loops: int, sliding: float = 0.2) -> Closed:
    """Links in the xy plane on revolute and prismatic joints, closed by revolute joints: over-constrained in space.

    `sliding`: chance that a joint is prismatic.
    """
    rng = np.random.default_rng([11, seed])
    links, joints = [], []
    bodies = 3 * loops + 2
    for i in range(bodies):
        parent = int(rng.integers(max(-1, i - 3), i)) if i else -1
        slides = rng.random() < sliding
        com = (*rng.uniform(-0.3, 0.3, 2).tolist(), 0.0)
        links.append(
            Link(f"l{i}", float(rng.uniform(0.5, 2.0)), com, (0.06, 0, 0, 0.06, 0, float(rng.uniform(0.02, 0.1))))
        )
        origin = Pose((*rng.uniform(-0.7, 0.7, 2).tolist(), 0.0), (0.0, 0.0, float(rng.uniform(-3, 3))))
        options = {"axis": (1.0, 0.0, 0.0)} if slides else {}
        kind, above = "prismatic" if slides else "revolute", f"l{parent}" if parent >= 0 else "world"
        joints.append(Joint(f"j{i}", kind, above, f"l{i}", origin, actuated=bool(rng.random() < 0.5), **options))
    tree = Mechanism(f"planar{seed}", links, joints, gravity=(0.0, -9.81, 0.0))
    q = random_state(tree, rng)[0]
    poses = dict(
        zip((b.link.name for b in tree.tree.bodies), Reference(tree, q, np.zeros(bodies)).link_poses(), strict=True)
    )
    poses["world"] = np.eye(4)
    cuts = []
    for i in range(loops):
        parent, child = _ends(tree, rng)
        origin = Pose((*rng.uniform(-0.5, 0.5, 2).tolist(), 0.0))
        angle = float(rng.uniform(-2, 2))
        placed = inverse(poses[child]) @ poses[parent] @ matrix(origin) @ _about_z(angle)
        child_origin = Pose(tuple(placed[:3, 3].tolist()), rotation=placed[:3, :3].tolist())
        cuts.append(Joint(f"loop{i}", "revolute", parent, child, origin, child_origin, actuated=False, cut=True))
    return Closed(Mechanism(tree.name, links, (*joints, *cuts), gravity=tree.gravity), q)


def _about_z(angle: float) -> Array:
    result = np.eye(4)
    result[:3, :3] = rotation(np.array([0.0, 0.0, 1.0]), angle)
    return result


def rod(name: str, length: float, **options: object) -> Link:
    """A slender rod of one kilogram a metre along x from its origin."""
    return Link(name, length, (length / 2, 0, 0), inertia.rod(length, length))


def four_bar(a: float, b: float, c: float, d: float, name: str = "fourbar", **cut: object) -> Mechanism:
    """Crank a, coupler b, rocker c, ground d in the xy plane, cut between rocker and coupler; gravity along -y."""
    return Mechanism(
        name,
        [rod("crank", a), rod("coupler", b), rod("rocker", c)],
        [
            Joint("pivot", "revolute", "world", "crank"),
            Joint("knee", "revolute", "crank", "coupler", Pose((a, 0, 0)), actuated=False),
            Joint("base", "revolute", "world", "rocker", Pose((d, 0, 0)), actuated=False),
            Joint("tip", "revolute", "rocker", "coupler", Pose((c, 0, 0)), Pose((b, 0, 0)), actuated=False, **cut),  # type: ignore[arg-type]
        ],
        gravity=(0.0, -9.81, 0.0),
    )


def slider_crank(crank: float = 0.3, rod_length: float = 0.8) -> Mechanism:
    """Crank about z, connecting rod, slider along x, cut between rod and slider; gravity along -y."""
    return Mechanism(
        "slider_crank",
        [rod("crank", crank), rod("rod", rod_length), Link("slider", 0.5, inertia=(0.01, 0, 0, 0.01, 0, 0.01))],
        [
            Joint("motor", "revolute", "world", "crank"),
            Joint("pin", "revolute", "crank", "rod", Pose((crank, 0, 0)), actuated=False),
            Joint("slide", "prismatic", "world", "slider", axis=(1, 0, 0), actuated=False),
            Joint("wrist", "revolute", "slider", "rod", child_origin=Pose((rod_length, 0, 0)), actuated=False),
        ],
        gravity=(0.0, -9.81, 0.0),
    )


def five_bar(arm: float = 0.5, forearm: float = 0.7, width: float = 0.4) -> Mechanism:
    """Two actuated arms in the xy plane, their forearms joined at the tip."""
    links = [rod("left", arm), rod("left_forearm", forearm), rod("right", arm), rod("right_forearm", forearm)]
    joints = [
        Joint("left_motor", "revolute", "world", "left", effort_limit=30.0),
        Joint("left_elbow", "revolute", "left", "left_forearm", Pose((arm, 0, 0)), actuated=False),
        Joint("right_motor", "revolute", "world", "right", Pose((width, 0, 0)), effort_limit=30.0),
        Joint("right_elbow", "revolute", "right", "right_forearm", Pose((arm, 0, 0)), actuated=False),
        Joint(
            "tip",
            "revolute",
            "left_forearm",
            "right_forearm",
            Pose((forearm, 0, 0)),
            Pose((forearm, 0, 0)),
            actuated=False,
        ),
    ]
    return Mechanism("five_bar", links, joints, gravity=(0.0, -9.81, 0.0))


def stewart(spread: float = 0.35) -> Mechanism:
    """Platform on six legs: universal at the ground, prismatic and actuated, spherical at the platform.

    `spread`: half the angle [rad] between neighbouring leg ends, small at the ground and large above.
    """
    inertia_leg = (0.02, 0, 0, 0.02, 0, 0.002)
    links = [Link("platform", 3.0, inertia=(0.1, 0, 0, 0.1, 0, 0.2))]
    joints = [Joint("float", "free", "world", "platform")]
    for i in range(6):
        side = 1 if i % 2 else -1
        third = 2 * np.pi / 3 * (i // 2)
        foot = (float(np.cos(third + side * spread)), float(np.sin(third + side * spread)), 0.0)
        turn = third + side * (np.pi / 3 - spread)
        head = (0.6 * float(np.cos(turn)), 0.6 * float(np.sin(turn)), 0.0)
        links += [Link(f"lower{i}", 0.5, (0, 0, 0.2), inertia_leg), Link(f"upper{i}", 0.5, (0, 0, -0.2), inertia_leg)]
        joints += [
            Joint(f"foot{i}", "universal", "world", f"lower{i}", Pose(foot), actuated=False),
            Joint(f"leg{i}", "prismatic", f"lower{i}", f"upper{i}", Pose((0, 0, 0.9))),
            Joint(f"head{i}", "spherical", f"upper{i}", "platform", child_origin=Pose(head), actuated=False, cut=True),
        ]
    return Mechanism("stewart", links, joints)


def bar_in_two_hands() -> Mechanism:
    """A floating trunk whose two arms hold one bar: a loop through a floating base."""
    links = [
        Link("trunk", 5.0, inertia=(0.2, 0, 0, 0.2, 0, 0.1)),
        Link("bar", 1.0, inertia=(0.05, 0, 0, 0.01, 0, 0.05)),
    ]
    joints = [Joint("float", "free", "world", "trunk")]
    for side, y in (("left", 0.2), ("right", -0.2)):
        links += [
            Link(f"{side}_{part}", 0.8, (0, 0, -0.15), (0.01, 0, 0, 0.01, 0, 0.004)) for part in ("upper", "lower")
        ]
        joints += [
            Joint(f"{side}_shoulder", "spherical", "trunk", f"{side}_upper", Pose((0, y, 0.3))),
            Joint(f"{side}_elbow", "revolute", f"{side}_upper", f"{side}_lower", Pose((0, 0, -0.3)), axis=(0, 1, 0)),
        ]
    joints.append(Joint("left_hand", "universal", "left_lower", "bar", Pose((0, 0, -0.3)), Pose((0, 0.2, 0))))
    joints.append(Joint("right_hand", "universal", "right_lower", "bar", Pose((0, 0, -0.3)), Pose((0, -0.2, 0))))
    return Mechanism("bar_in_two_hands", links, joints, gravity=(0.0, 0.0, 0.0))
