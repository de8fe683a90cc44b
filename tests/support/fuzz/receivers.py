"""How to make a good object of every public class, good files, and what is left out."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from functools import cache
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import kinegen as kg
import kinegen.runtime
from kinegen.cli import main

from .seeds import EXAMPLES, PARTS, texts

T = np.arange(30) / 100
CLUSTER = {"a": (0, 0, 0), "b": (1, 0, 0), "c": (0, 1, 0)}
INNER = "the inside of what is public, which calls it with what it has checked"
ERRORS = "an exception or a warning: Python's own constructor"
LEFT_OUT = {
    **dict.fromkeys(("BuildError", "InternalError", "KinegenError", "ModelError", "SimulationError"), ERRORS),
    "IKError": ERRORS,
    **dict.fromkeys(("Viewer", "Viewer.close", "Viewer.wait", "view"), "serves until it is closed: see tests/viewer"),
    **dict.fromkeys(("ClosureWarning", "ContactWarning", "ExcitationWarning", "FileWarning", "FitWarning"), ERRORS),
    **dict.fromkeys(("StepWarning", "TopologyWarning"), ERRORS),
    **dict.fromkeys(("Closure", "Split", "Module", "Manifest"), INNER),
    **dict.fromkeys(("runtime.Library", "runtime.Library.extended"), INNER),
    **dict.fromkeys(
        ("Condition.row", "Parameter.class_key", "Kernel.general", "Kernel.quick", "runtime.Library.pose_now"), INNER
    ),
    **dict.fromkeys(("runtime.Library.load", "runtime.Library.unforeseen"), INNER),
    "SingleModel.__getattr__": "names of Model, each refused: see tests/batches/test_single.py",
    "Functions": "arrays of another package, whose own errors come first; tests/bridges give it wrong ones",
    "torch.functions": "PyTorch is too large for the extra of the tests",
    "LoopEquations": "the part of Equations that does what is called there",
}
"""Public, or reached by what is, but not called with strange arguments, and why; of a class, all that it does."""


@cache
def pendulum() -> kg.Mechanism:
    return kg.load(EXAMPLES / "double_pendulum.urdf")


@cache
def model() -> kg.Model:
    return kg.compile(pendulum(), progress=False)


@cache
def bars() -> kg.Model:
    return kg.compile(bars_mechanism(), progress=False)


@cache
def bars_mechanism() -> kg.Mechanism:
    return kg.load(EXAMPLES / "fourbar.toml")


def ball() -> kg.Mechanism:
    link = kg.Link("lower", 1.0, (0, 0, 0), kg.inertia.sphere(1.0, 0.1), shapes=[kg.sphere(0.1)])
    free = kg.Joint("elbow", "free", "world", "lower")
    return kg.Mechanism("fuzzed_ball", [link], [free], shapes=[kg.plane()])


@cache
def trajectory() -> kg.Trajectory:
    """A ball that rolls: with contacts."""
    return kg.Simulator(kg.compile(ball(), progress=False), q=[0, 0, 0.1, 0, 0, 0, 1], work=True).run(0.03)


def work() -> kg.Work:
    found = trajectory().work
    assert found is not None
    return found


@cache
def library() -> kg.TopologyLibrary:
    """The double pendulum, whose lower arm may be held by world and may be cut off."""
    hold = kg.Connection("hold", "lower", "world", kg.revolute(axis=(0, 1, 0)))
    return kg.TopologyLibrary(pendulum(), [hold], cuts=["elbow"])


def swing() -> kg.Simulator:
    """As a library, so that all methods mean something."""
    return kg.Simulator(library(), q=library().state({"elbow": 0.3})[0])


def plate() -> kg.PlateRecord:
    n = np.ones((30, 3))
    return kg.PlateRecord("lab", "p", T, n, n, n)


def markers() -> kg.Markers:
    places = np.random.default_rng(0).normal(size=(1, 3, 3)) + T[:, None, None]
    return kg.Markers("lab", T, ("a", "b", "c"), places)


def segments() -> tuple[kg.BodySegment, ...]:
    return kg.body_segments(pendulum())


def poses() -> dict[str, np.ndarray]:
    found = np.moveaxis(model().link_poses(np.sin(3 * T)[:, None] * np.ones(2)), 1, 0)
    return dict(zip(model().link_names, found, strict=True))


@cache
def motion() -> kg.Motion:
    return kg.Motion.from_poses(T, poses(), segments())


@cache
def equations() -> kg.Equations:
    return kg.derive(bars_mechanism())


@cache
def loads() -> kg.JointLoads:
    return kg.inverse_dynamics_from_motion(segments(), motion(), unmeasured=["world"])


@cache
def packed() -> kg.Model:
    """With what lanes bring."""
    return kg.compile(pendulum(), lanes=True, progress=False)


@cache
def single() -> kg.SingleModel:
    return kg.compile(pendulum(), dtype="float32", lanes=True, progress=False)


@cache
def linear() -> kg.Linearization:
    return kg.linearize(model(), np.zeros(2))


def torques() -> kg.TorqueRecord:
    q, v, a = np.random.default_rng(0).normal(size=(3, 20, 2))
    return kg.TorqueRecord(q, v, a, model().inverse_dynamics(q, v, a))


@cache
def found() -> kg.Identification:
    return kg.identify(model(), torques())


@cache
def rollouts() -> kg.Rollouts:
    return kg.rollout(model(), np.zeros((2, 2)), steps=3)


def history() -> kg.ContactHistory:
    found = trajectory().contacts
    assert found is not None
    return found


def contacts() -> kg.Contacts:
    simulator = kg.Simulator(kg.compile(ball(), progress=False), q=[0, 0, 0.1, 0, 0, 0, 1])
    simulator.step(20)
    return simulator.contacts


@cache
def reached() -> kg.IKSolution:
    return kg.solve_ik(model(), [kg.FrameTarget("lower", (0.2, 0.0, -0.9), position_weight=(1, 0, 0))], check=False)


@cache
def biped() -> kg.Mechanism:
    return kg.load(EXAMPLES / "walking" / "biped.toml")


@cache
def walker() -> kg.Model:
    return kg.compile(biped(), progress=False)


@cache
def walk() -> kg.WalkingPattern:
    steps = kg.footsteps(2, length=0.05, width=0.2)
    return kg.walking_pattern(walker(), biped(), ["foot_l", "foot_r"], steps, dt=0.02)


RECEIVERS: dict[str, Callable[[], Any]] = {
    "Servo": lambda: kg.Servo(1.0, 1.0),
    "Condition": lambda: kg.distance("upper", "lower") < 1,
    "Factored": lambda: equations().program("bias"),
    "ImmutableDenseMatrix": lambda: equations().H,
    "Kernel": lambda: model().kernel("bias"),
    "PackedPattern": lambda: packed().mass_matrix_pattern,
    "Parameter": lambda: kg.parameter("m", 1.0),
    "Pointers": lambda: pendulum().pointers(),
    "Quantity": lambda: kg.distance("upper", "lower"),
    "Sources": lambda: kg.generate(pendulum()),
    "Table": lambda: kg.read_table(file_of("mot")),
    "TorqueTable": lambda: equations().torque_terms("knee"),
    "runtime.Library": lambda: library().library,
    "runtime.Simulator": lambda: kinegen.runtime.Simulator(model()),
    "ComTarget": lambda: kg.ComTarget((0.1, 0.0, -0.9)),
    "DirectionTarget": lambda: kg.DirectionTarget("lower", (0, 0, 1)),
    "FrameTarget": lambda: kg.FrameTarget("lower", (0.1, 0.0, -0.9)),
    "IKSolution": reached,
    "LookAtTarget": lambda: kg.LookAtTarget("lower", (1, 0, 0)),
    "BaseParameters": lambda: found().base,
    "BodySegment": lambda: segments()[0],
    "Connection": lambda: kg.Connection("c", "upper", "world", kg.revolute(axis=(0, 1, 0))),
    "ContactHistory": history,
    "ContactOptions": kg.ContactOptions,
    "ContactRules": kg.ContactRules,
    "ContactWrenchCone": lambda: kg.ContactWrenchCone.of_rectangle(0.1, 0.05, 0.6),
    "Contacts": contacts,
    "Equations": equations,
    "Footstep": lambda: kg.Footstep(0, 0.0, 0.1),
    "Frame": lambda: kg.Frame("f", "lower"),
    "Identification": found,
    "Joint": lambda: pendulum().joints[0],
    "JointLoads": loads,
    "JointTemplate": lambda: kg.revolute(axis=(0, 1, 0)),
    "Linearization": linear,
    "Link": lambda: pendulum().links[0],
    "Markers": markers,
    "Mechanism": pendulum,
    "Mimic": lambda: kg.Mimic("elbow"),
    "Model": model,
    "Motion": motion,
    "PlannedEvent": lambda: swing().at(1.0, "cut", "elbow"),
    "PlateRecord": plate,
    "PointMode": lambda: kg.PointMode("the points of lower and world", "sticks", 0.0, np.zeros(3), False),
    "Pose": lambda: kg.Pose((0, 0, 1), (0.1, 0, 0)),
    "Rollouts": rollouts,
    "RowForce": lambda: kg.RowForce("a", "upper", "lower", "axes", 0, np.zeros(3), np.zeros(3), 0.0),
    "RowRules": kg.RowRules,
    "Rows": lambda: kg.Rows("rows", "world", "lower"),
    "SegmentMotion": lambda: motion().segments["lower"],
    "Shape": lambda: kg.sphere(0.1),
    "Simulator": swing,
    "SingleModel": single,
    "Smoothing": kg.Smoothing,
    "StepTiming": kg.StepTiming,
    "SupportPolygon": lambda: kg.support_polygon([(0, 0, 0), (1, 0, 0), (0, 1, 0)]),
    "Surface": kg.Surface,
    "TopologyLibrary": library,
    "TorqueRecord": torques,
    "TorqueTerms": lambda: loads().terms,
    "Trajectory": trajectory,
    "Visual": lambda: kg.Visual("lower", kg.sphere(0.1)),
    "WalkingPattern": walk,
    "Work": work,
    "Wrench": lambda: plate().on("lower", T),
}
"""A good object of every public class; a constructor is called with the fields of one."""


@cache
def folder() -> Path:
    """Of good files; gone when the process ends."""
    return Path(_folder().name)


@cache
def _folder() -> TemporaryDirectory[str]:
    return TemporaryDirectory()


@cache
def folder_of_a_model(dtype: str = "float64") -> Path:
    """A compiled model."""
    path = folder() / f"good_{dtype}"
    with suppress(SystemExit), redirect_stdout(StringIO()):
        main(["generate", str(EXAMPLES / "double_pendulum.urdf"), "-o", str(path), "--compile", "--dtype", dtype])
    return path


@cache
def forces() -> Path:
    """A plate of OpenSim."""
    path = folder() / "forces.mot"
    names = [f"ground_{x}{y}" for x in ("force_v", "force_p", "torque_") for y in "xyz"]
    rows = [["time", *names], *([str(t), *"123456789"] for t in T)]
    path.write_text("a\nendheader\n" + "\n".join("\t".join(row) for row in rows) + "\n")
    return path


@cache
def file_of(kind: str) -> Path:
    """A good file of a format."""
    path = folder() / f"good.{kind}"
    if kind in PARTS:
        parts = PARTS[kind]()
        parts.write(parts.values, path)
    else:
        path.write_text(texts(kind)[0])
    return path
