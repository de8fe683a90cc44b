"""Dolls in a pit: a trunk with four limbs, whose hips and shoulders are balls, knees and elbows hinges with stops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import kinegen as kg
from kinegen.runtime import Model

ROOTS = ((0.13, 0.12), (-0.13, 0.12), (0.07, -0.2), (-0.07, -0.2))
"""Of the limbs, x and z in the trunk [m]."""
HEELS = kg.Pose((-0.07, 0.0, -0.12)), kg.Pose((0.07, 0.0, -0.12))
"""Where the feet of limbs 2 and 3 meet, in either."""


def doll(k: int, rolling: float = 0.0, hips: str = "spherical") -> tuple[list[kg.Link], list[kg.Joint]]:
    """Doll number k, which is free; its limbs may roll badly, and turn about parallel axes alone."""
    trunk, size = f"trunk{k}", (0.2, 0.12, 0.3)
    links = [kg.Link(trunk, 4.0, inertia=kg.inertia.box(4.0, size), shapes=[kg.box(size, friction=0.6)])]
    joints = [kg.Joint(f"root{k}", "free", "world", trunk)]
    bone = kg.capsule(0.03, 0.1, pose=kg.Pose((0, 0, -0.08)), friction=0.6, rolling=rolling, torsion=rolling)
    for n, (x, z) in enumerate(ROOTS):
        upper, lower = f"upper{k}_{n}", f"lower{k}_{n}"
        links += [
            kg.Link(name, 0.5, (0, 0, -0.08), kg.inertia.cylinder(0.5, 0.03, 0.16), shapes=[bone])
            for name in (upper, lower)
        ]
        axis = {} if hips == "spherical" else {"axis": (1, 0, 0)}
        joints.append(kg.Joint(f"ball{k}_{n}", hips, trunk, upper, origin=kg.Pose((x, 0, z)), damping=0.02, **axis))
        joints.append(
            kg.Joint(
                f"hinge{k}_{n}",
                "revolute",
                upper,
                lower,
                origin=kg.Pose((0, 0, -0.18)),
                axis=(1, 0, 0),
                limits=(-0.2, 2.0),
                damping=0.02,
            )
        )
    return links, joints


def pit(count: int, rolling: float = 0.0, hips: str = "spherical") -> kg.Mechanism:
    """So many between four walls."""
    links, joints = list[kg.Link](), list[kg.Joint]()
    for k in range(count):
        own = doll(k, rolling, hips)
        links += own[0]
        joints += own[1]
    walls = [kg.box((1, 1, 1), pose=kg.Pose((x, y, 0.3))) for x, y in ((0.75, 0), (-0.75, 0), (0, 0.75), (0, -0.75))]
    floor = kg.plane(friction=0.6, rolling=rolling, torsion=rolling)
    return kg.Mechanism(f"dolls{count}", links, joints, shapes=[floor, *walls])


def above(model: Model) -> np.ndarray:
    """Where they are above the floor, one over the other."""
    q = model.neutral()
    roots = [name for name in model.joint_names if name.startswith("root")]
    for k, name in enumerate(roots):
        q[model.q_slice(name).start + 2] = 0.45 + 0.6 * k
    return q


def dolls(count: int) -> tuple[Model, np.ndarray]:
    """So many above the floor between four walls, one over the other."""
    model = kg.compile(pit(count))
    return model, above(model)


def thrown(model: Model, seed: int, speed: float) -> np.ndarray:
    """Velocities of dolls that fly as one piece each."""
    v, rng = np.zeros(model.nv), np.random.default_rng(seed)
    for name in model.joint_names:
        if name.startswith("root"):
            v[model.v_slice(name)] = speed * rng.normal(size=6)
    return v


def stiff_dolls(count: int) -> Model:
    """Dolls whose feet are tied to each other by rows, with dry friction in the hinges and limbs that roll badly."""
    loose = pit(count, rolling=0.005)
    joints = [replace(joint, friction=0.05) if joint.kind == "revolute" else joint for joint in loose.joints]
    ties = [
        kg.Rows(f"tie{k}", f"lower{k}_2", f"lower{k}_3", axes="xyz", origin=HEELS[0], child_origin=HEELS[1])
        for k in range(count)
    ]
    rows = kg.RowRules(between=ties, friction=True)
    return kg.compile(replace(loose, name=f"stiff{count}", joints=tuple(joints)), rows=rows)


def tied_dolls(count: int) -> Model:
    """Dolls whose feet are tied by joints that close loops."""
    mechanism = pit(count)
    for k in range(count):
        feet = f"lower{k}_2", f"lower{k}_3"
        mechanism = mechanism.connect(*feet, kg.spherical(), name=f"tie{k}", pose=HEELS[0], pose_b=HEELS[1])
    return kg.compile(replace(mechanism, name=f"tied{count}"))


def holding_dolls(count: int) -> kg.TopologyLibrary:
    """Dolls who may hold each other by a hand: hand0, hand1, ..."""
    hands = [
        kg.Connection(f"hand{k}", f"lower{k}_0", f"lower{k + 1}_1", kg.spherical(), pose=kg.Pose((0, 0, -0.1)))
        for k in range(count - 1)
    ]
    return kg.TopologyLibrary(pit(count), connections=hands)


def hanging_doll(aside: float) -> tuple[Model, np.ndarray]:
    """One whose elbow a pin holds, so far aside in the pit, and whose limbs turn about parallel axes: along these the
    other elbow, which comes to lie on the wall, is as far from the pin as ever."""
    pin = kg.Pose((ROOTS[0][0] + aside, 0.0, 0.45 + ROOTS[0][1] - 0.18))
    mechanism = pit(1, hips="revolute").connect("world", "lower0_0", kg.spherical(), name="pin", pose=pin)
    model = kg.compile(replace(mechanism, name="hanging"))
    q = above(model)
    q[model.q_slice("root0").start] = aside
    return model, model.assemble(q)
