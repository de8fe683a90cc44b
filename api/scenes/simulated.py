"""The simulator of a scene: its model from where it starts, driven, loaded and held as the scene says."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import numpy as np

from kinegen.runtime.abi import JointSpec
from kinegen.runtime.arguments import Array
from kinegen.runtime.errors import FileWarning, ModelError, SimulationError, warn
from kinegen.runtime.kinds import KINDS
from kinegen.runtime.model.model import Model
from kinegen.runtime.simulation.trajectory import Trajectory
from kinegen.runtime.stepping.clock import steps_in
from kinegen.runtime.stepping.given.drive import torque_entries
from kinegen.runtime.stepping.given.driven import Course
from kinegen.runtime.stepping.given.servos import Servo, joints_by_name
from kinegen.runtime.thresholds import INSTANT
from kinegen.runtime.topology.library import Library

from ..compiling import Simulator
from .given import coordinates, courses, expect
from .held import gains_of, rest_of
from .scene import Scene, Values
from .served import retargeted, servos
from .structure import planned, start


def run_scene(scene: Scene, model: Model, progress: bool | Callable[[float], None] = False) -> Trajectory:
    """The motion of the model that was compiled from `scene.topologies()`. ModelError names file and what is wrong;
    SimulationError, where it stops, has the motion until then."""
    simulator = simulator_of(scene, model)
    _tell_late(scene)
    try:
        return simulator.run(scene.duration, progress=progress, every=scene.every)
    except SimulationError as error:
        stopped = SimulationError(f"{scene.file}: {error}")
        stopped.trajectory = error.trajectory
        raise stopped from error
    except ModelError as error:
        raise ModelError(f"{scene.file}: {error}") from error


def _tell_late(scene: Scene) -> None:
    """Warns of events that are to come after the end."""
    end = (steps_in(scene.duration, scene.dt) + INSTANT) * scene.dt
    late = [f"{name} (at {event.at:g} s)" for name, event in scene.structure.named_events() if (event.at or 0.0) > end]
    if late:
        warn(
            f"{scene.file}: {', '.join(late)}: after the end, {scene.duration:g} s, so that it will not happen",
            FileWarning,
        )


def simulator_of(scene: Scene, model: Model) -> Simulator:
    """The simulator at the start, of a scene whose structure changes with its events. ModelError names the file."""
    try:
        return _of_library(scene, model) if scene.structure.changes else _of_model(scene, model)
    except ModelError as error:
        raise ModelError(f"{scene.file}: {error}") from error


def _of_model(scene: Scene, model: Model) -> Simulator:
    model = model.with_parameters(scene.parameters)
    held = model.with_parameters(_holding(scene, joints_by_name(model.manifest)))
    q = placed(held, scene.q)
    v = _by_velocity(model, scene.v, "initial.v")
    return _held_at_the_start(scene, _made(scene, model, held, q, v))


def _of_library(scene: Scene, model: Model) -> Simulator:
    """The simulator of a scene whose structure changes, with its events. ModelError names what is wrong."""
    model = model.with_parameters(scene.parameters)
    known = joints_by_name(model.manifest)
    library = Library(model.with_parameters(_holding(scene, known)))
    q, v = start(library, scene.q, scene.v)
    simulator = _made(scene, model, library, q, v, library.initial | set(scene.structure.active))
    _held_at_the_start(scene, simulator)

    def aimed(joint: str, target: tuple[float, ...]) -> Servo | dict[str, float]:
        if joint in scene.servo:
            return retargeted(scene.servo, joint, target, known[joint])
        return rest_of(scene.hold, joint, coordinates(known[joint], target) if joint in scene.hold else target)

    planned(simulator, scene.structure, aimed)
    return simulator


def _holding(scene: Scene, known: Mapping[str, JointSpec]) -> dict[str, float]:
    """Gains and targets of the joints that are held, neutral where the scene tells no target."""
    found: dict[str, float] = {}
    for joint, hold in scene.hold.items():
        target = KINDS[known[joint].kind].neutral if hold.target is None else hold.target
        found |= gains_of(scene.hold, joint) | rest_of(scene.hold, joint, coordinates(known[joint], target))
    return found


def _held_at_the_start(scene: Scene, simulator: Simulator) -> Simulator:
    """With joints without a target held where they start: where driven joints are and loops are closed."""
    model, q = simulator.model, simulator.q
    rests: dict[str, float] = {}
    loops = {joint.name for joint in model.manifest.loops}
    for joint in (joint for joint, hold in scene.hold.items() if hold.target is None):
        begin = model.loop_joint(joint, q, near=scene.q.get(joint))[0] if joint in loops else q[model.q_slice(joint)]
        rests |= rest_of(scene.hold, joint, begin)
    if rests:
        simulator.set_parameters(rests)
    return simulator


def _made(
    scene: Scene, model: Model, moved: Model | Library, q: Array, v: Array, active: Collection[str] | None = None
) -> Simulator:
    """From q and v; `model` names what the scene drives and loads, `moved` is the same with the scene's values."""
    return Simulator(
        moved,
        dt=scene.dt,
        integrator=scene.integrator,
        q=q,
        v=v,
        tau=_torques(model, scene.torque),
        wrenches=scene.wrench,
        driven=_driven(scene, model),
        servos=servos(scene.servo, joints_by_name(model.manifest)),
        contacts=scene.contacts,
        active=active,
    )


def _driven(scene: Scene, model: Model) -> dict[str, Course] | None:
    return courses(scene.driven, {joint.name: joint.nv for joint in model.manifest.joints})


def placed(model: Model, values: Values, base: Array | None = None) -> Array:
    """(nq) q0 (or `base`) with these joints elsewhere; rotations that were rounded are made unit again."""
    q = model.q0 if base is None else base.copy()
    joints = {joint.name: joint for joint in model.manifest.joints}
    for joint, numbers in values.items():
        part = model.q_slice(joint)
        q[part] = coordinates(joints[joint], numbers)
    return q


def _by_velocity(model: Model, values: Values, what: str) -> Array:
    """(nv) zeros but for these joints."""
    v = np.zeros(model.nv)
    for joint, numbers in values.items():
        part = model.v_slice(joint)
        expect(joint, numbers, part.stop - part.start, what)
        v[part] = numbers
    return v


def _torques(model: Model, values: Values) -> Values:
    """Torques by joint, cut ones included, of the right sizes."""
    entries = torque_entries(model.manifest)
    for joint, numbers in values.items():
        part = entries.get(joint) or model.v_slice(joint)
        expect(joint, numbers, part.stop - part.start, "torque")
    return values
