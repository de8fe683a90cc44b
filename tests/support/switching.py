"""Libraries of connections for tests, and the same mechanism built from scratch in a given structure."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

import kinegen as kg
from kinegen.codegen.mechanism.elements import joint_templates as templates
from kinegen.runtime.model.model import Model
from support.mechanisms.closed_mechanisms import closed_by
from support.oracles.kkt import Multipliers
from support.oracles.mechanisms import EVERY_KIND, random_mechanism, random_options, random_state, rotation, unit
from support.oracles.numeric import Array, Reference

TREE = ("revolute", "prismatic", "spherical", "universal", "revolute")


def connections(mechanism, rng, count, kinds=EVERY_KIND):
    """`count` connections between random links or world, kind after kind; the last two repeat earlier ones exactly."""
    names = [link.name for link in mechanism.links if link.mass]
    made = []
    for i in range(count - 2):
        kind = kinds[i % len(kinds)]
        options = random_options(kind, rng)
        a, b = rng.choice(len(names) + 1, size=2, replace=False)
        a, b = (a, b) if a < len(names) else (b, a)
        pose = kg.Pose(tuple(rng.uniform(-0.3, 0.3, 3)), rotation=rotation(unit(rng.normal(size=3)), 1.0).tolist())
        ends = names[a], names[b] if b < len(names) else "world"
        made.append(kg.Connection(f"{kind}{i}", *ends, getattr(templates, kind)(**options), pose=pose))
    return [*made, replace(made[0], name="again0"), replace(made[1], name="again1")]


@cache
def library(name):
    """Two floating chains ("float"); chains on world with joints to cut ("ground"); a permanent loop ("loop")."""
    rng = np.random.default_rng(len(name))
    if name == "float":
        parts = [floating(f"{side}_", 3 + k, k) for k, side in enumerate(("left", "right"))]
        mechanism = kg.Mechanism("float", [x for m in parts for x in m.links], [x for m in parts for x in m.joints])
        return kg.TopologyLibrary(mechanism, connections(mechanism, rng, len(EVERY_KIND) + 2))
    if name == "ground":
        mechanism = random_mechanism(5, bodies=7, kinds=TREE, massless=0, mimic=0, armature=0, root="revolute")
        mechanism = replace(mechanism, name="ground")
        return kg.TopologyLibrary(mechanism, connections(mechanism, rng, 10), ["joint3", "joint5"])
    chain = floating("a_", 5, 9)
    made = closed_by(chain, random_state(chain, rng)[0], rng, ["spherical"], name="loop")
    return kg.TopologyLibrary(made.mechanism, connections(made.mechanism, rng, 8))


def floating(prefix, bodies, seed):
    """A chain on a free joint, all names with a prefix."""
    made = random_mechanism(
        seed, bodies=bodies, kinds=TREE, massless=0, mimic=0, armature=0, root="free", branching=0.3
    )
    links = [replace(link, name=prefix + link.name) for link in made.links]
    joints = [
        replace(
            joint,
            name=prefix + joint.name,
            parent=joint.parent if joint.parent == "world" else prefix + joint.parent,
            child=prefix + joint.child,
        )
        for joint in made.joints
    ]
    return kg.Mechanism(prefix + "part", links, joints)


def start(name, rng, active=None):
    """A simulator of the library at a random state, moving at random on the closure."""
    lib = library(name)
    q, v, _, _ = random_state(lib.topologies.mechanism, rng)
    if name == "ground":
        known = {joint.name: joint for joint in lib.mechanism.joints}
        at, speed = placed(lib.mechanism, *random_state(lib.mechanism, rng)[:2])
        assert set(at) <= set(known)
        q, v = lib.state(at, speed)
    if name == "loop":
        q = lib.model.random(rng)
    return kg.Simulator(lib, q=q, v=v, active=active)


def placed(mechanism, q, v):
    """q and v of a tree by joint."""
    bodies = [body for body in mechanism.tree.bodies if body.nv]
    return (
        {b.joint.name: q[b.q_start : b.q_start + b.nq] for b in bodies},
        {b.joint.name: v[b.v_start : b.v_start + b.nv] for b in bodies},
    )


def structure(mechanism, model: Model, active, switches) -> kg.Mechanism:
    values = dict(model.parameters)
    joints = []
    for joint in mechanism.joints:
        if joint.name in switches and joint.name not in active:
            continue
        poses = {side: numbers(getattr(joint, side), values) for side in ("origin", "child_origin")}
        joints.append(replace(joint, **poses))
    return kg.Mechanism(mechanism.name, mechanism.links, joints, mechanism.gravity)


def numbers(pose, values):
    """The pose with its symbols replaced."""
    if pose.numeric:
        return pose
    put = lambda x: float(values[str(x)]) if hasattr(x, "free_symbols") else x  # noqa: E731
    return kg.Pose([put(x) for x in pose.xyz], rotation=[[put(x) for x in row] for row in pose.rotation])


def oracle(sim, lib) -> Multipliers:
    """Independent numbers for the simulator's structure and state."""
    names = {switch.name for switch in lib.topologies.switches}
    scratch = structure(lib.topologies.mechanism, sim.model, sim.active, names)
    model = sim.model
    cut = [model.loop_joint(virtual.joint.name, sim.q)[0] for virtual in scratch.virtual_links]
    return Multipliers(scratch, sim.q, sim.v, cut)


def locked_rows(kkt: Multipliers) -> list[Array]:
    """(6, nv) of every loop: relative twist per v with the joint's free directions projected out, world axes."""
    return [(np.eye(6) - t.S @ np.linalg.pinv(t.S)) @ t.J if t.S.size else t.J for t in kkt.loops()]


def nearest_velocity(kkt: Multipliers, v: Array) -> Array:
    """(nv) the velocity on the closure nearest to v in the metric of M: argmin (v+ − v)ᵀM(v+ − v), K v+ = 0."""
    rows = locked_rows(kkt)
    M = Reference(kkt.mechanism, kkt.q, v).mass_matrix()
    if not rows:
        return v
    L = np.linalg.cholesky(M)
    K = np.linalg.solve(L, np.vstack(rows).T).T  # K L⁻ᵀ, in which the metric is the identity
    _, s, Vt = np.linalg.svd(K)
    held = Vt[: int((s > 1e-8 * max(s[0], 1e-3)).sum())]
    w = L.T @ v
    return np.linalg.solve(L.T, w - held.T @ (held @ w))
