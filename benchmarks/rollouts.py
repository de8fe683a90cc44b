"""Many simulations at once beside mujoco.rollout, in one run and with as many threads.

    python benchmarks/rollouts.py [CASE ...] [--rows N] [--steps N] [--threads N]

Without contact: an arm that falls (panda, without limits), with a servo on each joint that brings it to zero, or with
targets that are drawn for each simulation and step; Talos who falls freely. With contact: Talos who stands on his soles
by servos, Go2 that trots by servos whose targets are a row a step, ten boxes that fall on a plane or on each other,
Talos who collapses, without servos. Connected: Talos on bent knees, by servos, whose feet are welded to the ground,
compiled so, and as a library that could let go of them. All from random velocities, 1 ms, semi-implicit on both sides
(with servos and contact MuJoCo's implicitfast, whose dampers are implicit as ours are); every 10th state of ours is
recorded, all of MuJoCo's, which cannot leave any out. Prints microseconds a step, the best call of three interleaved
rounds, in each of which either side calls for 0.3 s.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any

import contact
import mujoco
import mujoco.rollout
import numpy as np
import typer
from closed import KNEES
from common import peer
from common.mjcf import mjcf
from rich.console import Console
from rich.table import Table
from run import mechanism_of

import kinegen as kg
from kinegen.cli.peers import _without_meshes
from kinegen.runtime.arguments import Array

GO2 = peer.ROBOTS / "go2_description/urdf/go2.urdf"
ROUNDS = 3
ROUND = 0.3
"""Least time of either side in a round [s]: calls are made one after the other, as those who make many do."""
KP, KD = 100.0, 10.0
"""Gains of the arm's servos [N m/rad, N m s/rad]."""
TROT_KP, TROT_KD = 60.0, 2.0
"""Those of Go2's."""
HIP, THIGH, CALF = 0.0, 0.8, -1.6
"""Angles of Go2's legs as it stands [rad]."""
SHANK, FOOT = 0.213, 0.022
"""From its knee to the middle of the foot, and the foot's radius [m]."""
STRIDE, LIFT, PERIOD = 0.15, 0.35, 0.4
"""How far thighs swing and calves fold [rad], and the time of two steps [s]."""
EDGE = 0.1
"""Of a box [m]."""
Call = Callable[[], object]


def arm(rows: int, steps: int, threads: int, served: bool = False, sampled: bool = False) -> tuple[Call, Call]:
    """Both sides' calls for an arm that falls, that servos bring to zero, or to targets that are `sampled`."""
    model = kg.compile(mechanism_of("panda"), contacts=False)
    spec = mujoco.MjSpec.from_string(_without_meshes(peer.PANDA))
    for joint in spec.joints if served else ():
        servo = spec.add_actuator(target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        servo.set_to_position(kp=KP, kv=KD)
    peers = spec.compile()
    disabled = mujoco.mjtDisableBit
    peers.opt.disableflags |= disabled.mjDSBL_CONSTRAINT | disabled.mjDSBL_CONTACT
    v = np.random.default_rng(0).normal(size=(rows, model.nv))
    aims = np.random.default_rng(1).normal(0.0, 0.2, (rows, steps, model.nv)) if sampled else None
    servos = {
        joint.name: kg.Servo(KP, KD, None if aims is None else aims[..., i : i + 1])
        for i, joint in enumerate(joint for joint in model.manifest.joints if joint.nv and served)
    }
    own = {"steps": steps, "every": 10, "threads": threads, "limits": False, "servos": servos}
    states = _states(peers, model, model.q0, v)
    return lambda: kg.rollout(model, model.q0, v, **own), _theirs(peers, states, steps, threads, aims)


def falling(rows: int, steps: int, threads: int) -> tuple[Call, Call]:
    """Talos in the air."""
    mechanism = contact.robot(1)
    model = kg.compile(mechanism, contacts=False)
    peers = mujoco.MjModel.from_xml_string(mjcf(mechanism))
    peers.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_CONTACT
    q, v = contact.start(model), 0.1 * np.random.default_rng(0).normal(size=(rows, model.nv))
    own = {"steps": steps, "every": 10, "threads": threads}
    return lambda: kg.rollout(model, q, v, **own), _theirs(peers, _states(peers, model, q, v), steps, threads)


def talos(rows: int, steps: int, threads: int, served: bool) -> tuple[Call, Call]:
    """Talos on his soles, held by servos or not."""
    mechanism = contact.robot(1)
    model = kg.compile(mechanism, lanes=True)
    q = contact.start(model)
    return _touching(mechanism, model, q, held(model, q) if served else {}, (rows, steps, threads))


def welded(rows: int, steps: int, threads: int, library: bool) -> tuple[Call, Call]:
    """Talos with bent knees, both soles welded to the ground; MuJoCo's welds are springs."""
    mechanism = contact.robot(1)
    tree = kg.compile(mechanism, contacts=False)
    q = tree.neutral()
    for joint in tree.manifest.joints:
        if joint.name.startswith("leg"):
            q[joint.q_start] = KNEES.get(joint.name[-7:], 0.0)
    poses = dict(zip(tree.link_names, tree.link_poses(q), strict=True))
    model: kg.Model | kg.TopologyLibrary
    if library:
        welds = [kg.Connection(foot, foot, "world", kg.fixed()) for foot in contact.FEET]
        model = kg.TopologyLibrary(mechanism, connections=welds)
    else:
        for foot in contact.FEET:
            place = kg.Pose(tuple(poses[foot][:3, 3].tolist()), rotation=poses[foot][:3, :3].tolist())
            mechanism = mechanism.connect("world", foot, kg.fixed(), name=f"weld_{foot}", pose=place)
        model = kg.compile(mechanism, contacts=False)
    v = 0.1 * np.random.default_rng(0).normal(size=(rows, tree.nv))
    servos = held(tree, q)
    peers = _welded_peer(q, tree, servos)
    own: dict[str, Any] = {"steps": steps, "every": 10, "threads": threads, "contacts": False, "servos": servos}
    active = {"active": set(contact.FEET)} if library else {}
    control = np.array([servo.position for servo in servos.values()]) + np.zeros((rows, steps, 1))
    theirs = _theirs(peers, _states(peers, tree, q, v), steps, threads, control)
    return lambda: kg.rollout(model, q, v, **own, **active), theirs


def held(model: kg.Model, q: Array) -> dict[str, kg.Servo]:
    """A servo on each joint that keeps it where it is."""
    return {
        joint.name: kg.Servo(contact.STIFFNESS, contact.DAMPING, float(q[joint.q_start]))
        for joint in model.manifest.joints
        if joint.nv == 1
    }


def _welded_peer(q: Array, tree: kg.Model, servos: Mapping[str, kg.Servo]) -> Any:
    """MuJoCo's model, its feet welded where they stand at q (nq)."""
    welds = "".join(f'<weld body1="{foot}"/>' for foot in contact.FEET)
    gains = [(name, contact.STIFFNESS, contact.DAMPING) for name in servos]
    solver = contact.SOLVERS["Newton, pyramid"]
    text = mjcf(contact.robot(1), *solver, integrator="implicitfast", servos=gains)
    peers = mujoco.MjModel.from_xml_string(text.replace("</mujoco>", f"<equality>{welds}</equality></mujoco>"))
    peers.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    data = mujoco.MjData(peers)
    mujoco.mj_setState(
        peers, data, _states(peers, tree, q, np.zeros((1, tree.nv)))[0], mujoco.mjtState.mjSTATE_FULLPHYSICS
    )
    mujoco.mj_forward(peers, data)
    for i, foot in enumerate(contact.FEET):
        body, back, place = data.body(foot), np.zeros(4), np.zeros(3)
        mujoco.mju_negQuat(back, body.xquat)
        mujoco.mju_rotVecQuat(place, -body.xpos, back)
        peers.eq_data[i, :3], peers.eq_data[i, 3:6], peers.eq_data[i, 6:10] = 0.0, place, back
    return peers


def go2(rows: int, steps: int, threads: int) -> tuple[Call, Call]:
    """Go2 on balls for feet: thighs swing and calves fold, two legs across by turns."""
    mechanism = quadruped()
    model, q, servos = trotting(mechanism, steps)
    return _touching(mechanism, model, q, servos, (rows, steps, threads))


def trotting(mechanism: kg.Mechanism, steps: int) -> tuple[kg.Model, Array, dict[str, kg.Servo]]:
    """Its model, where it stands, and what it is told step by step."""
    model = kg.compile(mechanism, lanes=True)
    q, servos = model.neutral(), {}
    phase = 2.0 * np.pi * 1e-3 * np.arange(steps) / PERIOD
    for joint in model.manifest.joints:
        leg, _, part = joint.name.partition("_")
        if joint.nv != 1:
            continue
        turn = phase + np.pi * (leg in ("FR", "RL"))
        aims = {
            "hip_joint": np.full(steps, HIP),
            "thigh_joint": THIGH + STRIDE * np.cos(turn),
            "calf_joint": CALF - LIFT * np.maximum(np.sin(turn), 0.0),
        }
        q[joint.q_start] = aims[part][0]
        servos[joint.name] = kg.Servo(TROT_KP, TROT_KD, aims[part][:, None])
    calves = [k for k, name in enumerate(model.link_names) if name.endswith("_calf")]
    q[2] -= (model.link_poses(q)[calves] @ [0.0, 0.0, -SHANK, 1.0])[:, 2].min() - FOOT
    return model, q, servos


def quadruped() -> kg.Mechanism:
    """The robot without limits, dampers and shapes but balls for its feet, on a plane."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", kg.FileWarning)
        read = kg.load(GO2, root="free", mimic="independent")
    foot = [kg.sphere(FOOT, pose=kg.Pose((0.0, 0.0, -SHANK)), friction=contact.FRICTION)]
    links = [
        kg.Link(link.name, link.mass, link.com, link.inertia, shapes=foot if link.name.endswith("_calf") else [])
        for link in read.links
    ]
    joints = [contact.plain(joint) if joint.nv == 1 else joint for joint in read.joints]
    return kg.Mechanism("trotting", links, joints, shapes=[kg.plane(friction=contact.FRICTION)], unphysical="allow")


def boxes(rows: int, steps: int, threads: int, heaped: bool) -> tuple[Call, Call]:
    """Ten boxes a centimetre above what they fall on: each on the plane, or four across the gaps of six."""
    shape = kg.box((EDGE,) * 3, friction=contact.FRICTION)
    links = [kg.Link(f"b{i}", 1.0, inertia=kg.inertia.box(1.0, (EDGE,) * 3), shapes=[shape]) for i in range(10)]
    joints = [kg.Joint(f"{link.name}_flight", "free", "world", link.name) for link in links]
    mechanism = kg.Mechanism("ten_boxes", links, joints, shapes=[kg.plane(friction=contact.FRICTION)])
    model = kg.compile(mechanism)
    q, apart = model.neutral().reshape(10, 7), 1.1 * EDGE if heaped else 3.0 * EDGE
    q[:, :2] = [(apart * i, apart * j) for i in range(5) for j in range(2)]
    q[:, 2] = 0.6 * EDGE
    if heaped:
        q[6:, 0] -= 2.5 * apart
        q[6:, 2] = 1.7 * EDGE
    return _touching(mechanism, model, q.ravel(), {}, (rows, steps, threads))


def _touching(
    mechanism: kg.Mechanism, model: kg.Model, q: Array, servos: Mapping[str, kg.Servo], sizes: tuple[int, int, int]
) -> tuple[Call, Call]:
    """Both sides' calls from q (nq), links upright, with velocities of a tenth; `sizes`: rows, steps, threads."""
    rows, steps, threads = sizes
    v = 0.1 * np.random.default_rng(0).normal(size=(rows, model.nv))
    gains = [(name, float(np.max(servo.kp)), float(np.max(servo.kd))) for name, servo in servos.items()]
    integrator = "implicitfast" if servos else "Euler"
    peers = mujoco.MjModel.from_xml_string(
        mjcf(mechanism, *contact.SOLVERS["Newton, pyramid"], integrator=integrator, servos=gains)
    )
    aims = [np.broadcast_to(np.ravel(servo.position), steps) for servo in servos.values()]
    control = np.stack(aims, axis=1)[None].repeat(rows, axis=0) if servos else None
    own = {"steps": steps, "every": 10, "threads": threads, "servos": servos, "lanes": True}
    theirs = _theirs(peers, _states(peers, model, q, v), steps, threads, control)
    return lambda: kg.rollout(model, q, v, **own), theirs


def _states(peers: Any, model: kg.Model, q: Array, v: Array) -> Array:
    """MuJoCo's states for q (nq) and v (rows, nv); what floats does not turn yet, where axes of both are the same."""
    data = mujoco.MjData(peers)
    for joint in model.manifest.joints:
        if joint.nv:
            own = q[joint.q_start : joint.q_start + joint.nq]
            data.joint(joint.name).qpos[:] = own[[0, 1, 2, 6, 3, 4, 5]] if joint.kind == "free" else own
    kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
    states = np.empty((len(v), mujoco.mj_stateSize(peers, kind)))
    for row, velocity in enumerate(v):
        for joint in model.manifest.joints:
            if joint.nv:
                data.joint(joint.name).qvel[:] = velocity[joint.v_start : joint.v_start + joint.nv]
        mujoco.mj_getState(peers, data, states[row], kind)
    return states


def _theirs(model: Any, states: Array, steps: int, threads: int, control: Array | None = None) -> Call:
    """mujoco.rollout from these states; control (rows, steps, servos)."""
    model.opt.timestep = 1e-3
    pool = [mujoco.MjData(model) for _ in range(threads)]

    def call() -> object:
        with mujoco.rollout.Rollout(nthread=threads) as runner:
            return runner.rollout(model, pool, states, control, nstep=steps)

    return call


CASES: Mapping[str, Callable[[int, int, int], tuple[Call, Call]]] = {
    "arm": arm,
    "arm, servos": partial(arm, served=True),
    "arm, sampled": partial(arm, served=True, sampled=True),
    "talos falls": falling,
    "talos stands": partial(talos, served=True),
    "go2 trots": go2,
    "ten boxes": partial(boxes, heaped=False),
    "ten boxes, a heap": partial(boxes, heaped=True),
    "talos collapses": partial(talos, served=False),
    "talos welded": partial(welded, library=False),
    "talos welded, a library": partial(welded, library=True),
}


def main(
    cases: Annotated[list[str] | None, typer.Argument(help="any of: " + "; ".join(CASES))] = None,
    rows: Annotated[int, typer.Option(min=1, help="simulations")] = 64,
    steps: Annotated[int, typer.Option(min=1, help="steps of each")] = 500,
    threads: Annotated[int, typer.Option(min=1)] = len(os.sched_getaffinity(0)),
) -> None:
    """Prints one table."""
    if unknown := sorted(set(cases or ()) - set(CASES)):
        raise typer.BadParameter(f"unknown case {', '.join(unknown)}; known: {'; '.join(CASES)}")
    shown = Table(title=f"µs a step, {rows} simulations of {steps} steps, {threads} threads")
    for column in ("", "kinegen", "MuJoCo", "ratio"):
        shown.add_column(column, justify="left" if not column else "right")
    for name in cases or CASES:
        own, their = CASES[name](rows, steps, threads)
        times = np.min([[seconds(own), seconds(their)] for _ in range(ROUNDS)], axis=0) / (rows * steps) * 1e6
        shown.add_row(name, f"{times[0]:.3f}", f"{times[1]:.3f}", f"{times[1] / times[0]:.1f}")
    Console(width=100).print(shown)


def seconds(call: Call) -> float:
    """The least of as many calls, one after the other, as take ROUND; what was called before is no longer felt."""
    least, end = np.inf, time.perf_counter() + ROUND
    while True:
        start = time.perf_counter()
        call()
        now = time.perf_counter()
        least = min(least, now - start)
        if now >= end:
            return least


if __name__ == "__main__":
    typer.run(main)
