"""Scenes: a TOML file that says which model moves, from where, driven by what, for how long, and what is kept of it.

model = "robot.urdf"          # beside the scene; or "human_figure"
root = "free"                 # or "fixed"
duration = 2.0                # s, rounded to whole steps
dt = 0.001
integrator = "semi_implicit"  # or "rk4"
every = 10                    # steps between recorded states
gravity = [0, 0, -9.81]       # instead of the model's
parametrise = ["mass of load"]  # numbers of the model that are run-time parameters, as for kg.parametrise

[parameters]                  # values of run-time parameters
mass_load = 2.5

[initial.q]                   # by joint; the rest as in model.q0. Quaternions x y z w, made unit if rounded
root_joint = [0, 0, 1, 0, 0, 0, 1]
knee = 0.4
[initial.v]
knee = 1.0

[torque]                      # constant, N m or N
hip = 5.0

[wrench]                      # constant, on a link or frame at its origin: force [N] and moment [N m], world axes
hand = [0, 0, -10.0, 0, 0, 0]

[driven]                      # motion that is given, instead of what the model says: held at a number, or
crank = { at = 0.2, rate = 6.28, amplitude = 0.1, frequency = 2, phase = 0 }  # + rate t + amplitude sin(2π f t + phase)

[servo.knee]                  # motor: kp (motion − q) + kd (its rate − v), at most `limit`; motions as in [driven]
kp = 300.0                    # or a list: one for each entry of its v
kd = 20.0
limit = 80.0
at = 0.6                      # a spherical, planar or free joint is held where its q is `at`, quaternions x y z w

[hold.knee]                   # spring and damper of a motor: stiffness (target − q) − damping v, without a limit
stiffness = 50.0
damping = 2.0
target = 0.6                  # where it starts, if left out

[contacts]                    # how contact is solved, as kg.ContactOptions; the rest by default
sweeps = 60

[output]                      # beside the scene
trajectory = "out.npz"
plot = "out.png"
pictures = "figures.png"
html = "motion.html"

Connections, cuts and events: see structure.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from kinegen.codegen.mechanism import Mechanism
from kinegen.codegen.mechanism.elements.parametrise import parametrise
from kinegen.codegen.mechanism.formats.load import READERS
from kinegen.codegen.mechanism.structure.topology import Topologies, topologies
from kinegen.runtime.abi import INTEGRATORS, SEMI_IMPLICIT
from kinegen.runtime.contact.contacts import SOLVERS, ContactOptions
from kinegen.runtime.errors import ModelError
from kinegen.runtime.stepping.clock import steps_in

from ..compiling import led
from ..models import FIGURE, Root, read_model
from .given import Given, read_given
from .held import Hold, held_joint, read_holds
from .served import Served, read_servos
from .structure import Structure, read_structure, resolved
from .toml_table import Table, read_toml

MODELS = READERS.keys() - {".toml"}
OUTPUTS = ("trajectory", "plot", "pictures", "html")

Values = dict[str, tuple[float, ...]]
"""Numbers by joint."""


@dataclass(frozen=True)
class Scene:
    """A scene as it is written; joints are not looked up yet. `outputs`: what (one of OUTPUTS) to which file."""

    file: Path
    model: str
    root: Root
    duration: float
    dt: float
    integrator: str
    every: int
    gravity: tuple[float, ...] | None
    q: Values
    v: Values
    torque: Values
    wrench: Values
    driven: dict[str, Given]
    servo: dict[str, Served]
    hold: dict[str, Hold]
    outputs: dict[str, Path]
    structure: Structure = field(default_factory=Structure)
    contacts: ContactOptions | None = None
    parametrise: tuple[str, ...] = ()
    parameters: dict[str, float] = field(default_factory=dict)

    def topologies(self) -> Topologies:
        """The model with everything that may be connected and cut. ModelError names the file."""
        mechanism = self.mechanism()
        if not self.structure.changes:
            return Topologies(mechanism, ())
        try:
            made = [resolved(connection, mechanism) for connection in self.structure.connections]
            return topologies(mechanism, made, self.structure.cuts)
        except ModelError as error:
            raise ModelError(f"{self.file}: {error}") from error

    def mechanism(self) -> Mechanism:
        """The model with the scene's gravity, and with springs and dampers in the joints that are held.

        Their numbers are run-time parameters, so that the compiled model serves all scenes that hold the same joints;
        as passive forces they are part of the time step in C, the dampers implicitly. Loops are cut beside what is
        driven. ModelError names the file.
        """
        model = self.model if self.model == FIGURE else self.file.parent / self.model
        try:
            mechanism = read_model(model, self.root)
        except ModelError as error:
            raise ModelError(f"{self.file}: model: {error}") from error
        if self.gravity is not None:
            x, y, z = self.gravity
            mechanism = replace(mechanism, gravity=(x, y, z))
        try:
            mechanism = parametrise(mechanism, *self.parametrise) if self.parametrise else mechanism
        except ModelError as error:
            raise ModelError(f"{self.file}: {error}") from error
        try:
            held = {name: held_joint(mechanism.joint(name), k) for k, name in enumerate(self.hold)}
        except ModelError as error:
            raise ModelError(f"{self.file}: hold: {error}") from error
        mechanism = replace(mechanism, joints=tuple(held.get(joint.name, joint) for joint in mechanism.joints))
        try:
            return led(mechanism, self.driven)
        except ModelError as error:
            raise ModelError(f"{self.file}: driven: {error}") from error


def read_scene(path: str | Path) -> Scene:
    """The scene in a file. ModelError names file, table and key of what is wrong."""
    file = Path(path)
    if str(file) == FIGURE or (file.suffix.lower() in MODELS and file.is_file()):
        raise _is_model(file)
    top = read_toml(file)
    if {"link", "joint"} & {*top.unread()} and "model" not in top.unread():
        raise _is_model(file)
    initial, output, numbers = (top.table(name) for name in ("initial", "output", "parameters"))
    model = top.text("model")
    usual = "free" if model == FIGURE else "fixed"
    scene = Scene(
        file=file,
        model=model,
        root="free" if top.text("root", usual, among=("fixed", "free")) == "free" else "fixed",
        duration=top.number("duration", above=0.0),
        dt=top.number("dt", 1e-3, above=0.0),
        integrator=top.text("integrator", SEMI_IMPLICIT, among=tuple(INTEGRATORS)),
        every=top.count("every", 1),
        gravity=top.optional_numbers("gravity", 3),
        q=_values(initial.table("q")),
        v=_values(initial.table("v")),
        torque=_values(top.table("torque")),
        wrench=_values(top.table("wrench"), 6),
        driven=read_given(top.table("driven")),
        servo=read_servos(top.table("servo")),
        hold=read_holds(top.table("hold")),
        outputs={what: file.parent / name for what in OUTPUTS if (name := output.optional_text(what))},
        structure=read_structure(top),
        contacts=_contacts(top.table("contacts")),
        parametrise=top.texts("parametrise"),
        parameters={name: numbers.number(name) for name in numbers.unread()},
    )
    for table in (initial, output, numbers, top):
        table.done()
    _check_steps(scene)
    _check_driven(scene)
    return scene


def _is_model(file: Path) -> ModelError:
    scene = f'a scene that says model = "{file.name}" and duration = 1.0'
    return ModelError(f"{file}: is a model, no scene; simulate {scene}, or see kinegen demo, play or view {file}")


def _check_steps(scene: Scene) -> None:
    """ModelError unless there are steps, so many that they can be counted."""
    try:
        steps = steps_in(scene.duration, scene.dt)
    except ModelError as error:
        raise ModelError(f"{scene.file}: {error}") from error
    if not steps:
        told = f"{scene.duration:g} s are less than a step of {scene.dt:g} s: shorten dt, or simulate for longer"
        raise ModelError(f"{scene.file}: duration: {told}")


def _check_driven(scene: Scene) -> None:
    """ModelError where a joint whose motion is given also begins elsewhere."""
    for key, values in (("q", scene.q), ("v", scene.v)):
        for joint in values:
            if joint in scene.driven:
                told = f"[driven] says where joint '{joint}' is and how it moves, from the beginning; leave one out"
                raise ModelError(f"{scene.file}: [initial.{key}] {joint}: {told}")


def _values(table: Table, size: int | None = None) -> Values:
    """Numbers by name, `size` of each if one is given."""
    return {name: table.numbers(name, size) for name in table.unread()}


def _contacts(table: Table) -> ContactOptions | None:
    """Options of contact; None where the scene says nothing of it."""
    if not table.unread():
        return None
    plain = ContactOptions()
    names = [option.name for option in fields(plain) if option.type == "float"]
    numbers = {name: table.number(name, getattr(plain, name), least=0.0) for name in names}
    sweeps, solver = table.count("sweeps", plain.sweeps), table.text("solver", plain.solver, among=SOLVERS)
    table.done()
    try:
        return ContactOptions(sweeps=sweeps, solver=solver, **numbers)
    except ModelError as error:
        raise ModelError(f"{table.file}: [contacts] {error}") from error
