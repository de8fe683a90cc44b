"""Cassie from its SDF: hung up by the pelvis, motors holding a posture while both legs swing; leaf springs give way.

    python examples/closed/cassie.py [FOLDER]          pictures go to FOLDER (examples/out)

Two loops a leg: thigh, knee and heel spring closed by the achilles rod; tarsus, crank and foot by the plantar rod, each
with a ball at one end. The file gives their other ends hinges, whose axes are parallel to five digits only: taken at
its word, the loops cannot move. Universal joints take their place, as the robot has balls at both ends; ten motors and
four leaf springs are then its degrees of freedom. Needs the package example-robot-data for the file.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from sketch import Array, Curves, oblique, picture

import kinegen as kg
from kinegen.script import Folder, script

FILE = "share/example-robot-data/robots/cassie_description/robots/cassie_v2.sdf"
POSTURE = {"roll": 0.0, "yaw": 0.0, "pitch": 0.3, "knee": -0.6, "foot": -1.5}
"""Angles of the motors [rad]."""
RODS = ("crank-rod-joint", "achilles-spring-joint")
SPRINGS = ("knee-shin-joint", "tarsus-spring-joint")
GAINS = {"roll": 400.0, "yaw": 200.0, "pitch": 300.0, "knee": 300.0, "foot": 40.0}
"""N m/rad; the motors' dampers are a twentieth of them [N m s/rad]."""
ARMATURE = {"roll": 0.038, "yaw": 0.038, "pitch": 0.093, "knee": 0.093, "foot": 0.012}
"""Inertia of the motors behind their gears [kg m²], which the file leaves out."""
SIDES = ("left", "right")


def mechanism() -> kg.Mechanism:
    """Cassie with the pelvis at rest and only its ten motors actuated."""
    spec = find_spec("cmeel")
    if spec is None or spec.origin is None:
        raise kg.ModelError("cassie.py needs Cassie's SDF: pip install example-robot-data")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", kg.FileWarning)  # what the file says of plug-ins and shapes is not used
        robot = kg.load(Path(spec.origin).parents[1] / "cmeel.prefix" / FILE, root="fixed", unphysical="allow")
    links = [replace(link, shapes=()) for link in robot.links]
    return kg.Mechanism("cassie", links, [_jointed(joint) for joint in robot.joints], gravity=robot.gravity)


def _jointed(joint: kg.Joint) -> kg.Joint:
    if joint.name.endswith(RODS):
        ends = (joint.parent, joint.child, joint.origin, joint.child_origin)
        return kg.Joint(joint.name, "universal", *ends, axis=joint.axis, axis2=(0, 1, 0), actuated=False)
    if not joint.name.endswith("-op"):
        return replace(joint, actuated=False)
    motor = joint.name.split("-")[1]
    return replace(joint, actuated=True, damping=GAINS[motor] / 20, armature=ARMATURE[motor])


def motor_names() -> list[str]:
    return [f"{side}-{motor}-op" for side in SIDES for motor in GAINS]


def posture(t: float, rest: Array) -> Array:
    """(10) angles of the motors: hips and knees swing, left against right, growing from rest within a second."""
    swing = min(t, 1.0) * np.sin(2 * np.pi * t)
    legs = [np.array([0.0, 0.0, 0.35, -0.35, 0.0]), np.array([0.0, 0.0, -0.35, 0.35, 0.0])]
    return rest + swing * np.concatenate(legs)


def start(model: kg.Model) -> Array:
    """(nq) closed, motors as in POSTURE, springs slack, crank and foot parallel."""
    q = model.neutral()
    for side in SIDES:
        for motor, value in POSTURE.items():
            q[model.q_slice(f"{side}-{motor}-op")] = value
        q[model.q_slice(f"{side}-shin-tarsus-joint")] = -POSTURE["knee"]
        q[model.q_slice(f"{side}-tarsus-crank-joint")] = POSTURE["foot"]
        q[model.q_slice(f"{side}-crank-rod-joint").start] = -POSTURE["foot"]
    return model.assemble(q, hold=[*motor_names(), *(f"{side}-{spring}" for side in SIDES for spring in SPRINGS)])


def main(folder: Folder = Path(__file__).parents[1] / "out") -> None:
    made = mechanism()
    model = kg.compile(made)
    q = start(model)
    at = [model.q_slice(name).start for name in motor_names()]
    entries = [model.v_slice(name).start for name in motor_names()]
    gains, rest = np.array([GAINS[name.split("-")[1]] for name in motor_names()]), q[at]

    def drive(t: float, q: Array, v: Array) -> Array:
        tau = np.zeros(model.nv)
        tau[entries] = gains * (posture(t, rest) - q[at])
        return tau

    trajectory = kg.Simulator(model, dt=1e-3, q=q, tau=drive).run(3.0, every=5)
    springs = [model.q_slice(f"{side}-{name}").start for side in SIDES for name in SPRINGS]
    bent = np.abs(trajectory.q[:, springs]).max(axis=0)
    torque = np.abs(trajectory.tau[:, entries]).max(axis=0)
    feet = [model.link_names.index(f"{side}-foot") for side in SIDES]
    toes = model.link_poses(trajectory.q)[:, feet, 0, 3]
    print(f"tree {model.nv}, loops {len(model.manifest.loops)}, motors {len(model.actuators)}, free {model.nf}")
    print(f"largest gap {trajectory.closure_gap.max():.1g} m or rad in {len(trajectory)} states")
    print(f"feet swing over {np.ptp(toes, axis=0).max():.3f} m, strongest motor {torque.max():.1f} N m")
    shin, heel = 1e3 * np.maximum(bent[:2], bent[2:])
    print(f"leaf springs bend by up to {shin:.2f} (shin) and {heel:.2f} mrad (heel)")
    knees = [model.q_slice(f"{side}-knee-op").start for side in SIDES]
    names = [f"{side} {spring}" for side in SIDES for spring in ("shin", "heel")]
    curves = [
        Curves("knee [rad]", trajectory.t, trajectory.q[:, knees], ["left", "right"]),
        Curves("spring [mrad]", trajectory.t, 1e3 * trajectory.q[:, springs], names),
    ]
    last = trajectory[len(trajectory) * 2 // 3 :]
    picture(folder / "cassie.png", made, model, last.t, last.q, curves, view=oblique(10.0, 5.0), poses=6)


if __name__ == "__main__":
    script(main, __doc__)
