"""Files of every format from which mutants are made, and what reads them."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import kinegen as kg
from kinegen.codegen.mechanism.canonical import canonical
from kinegen.runtime.contact.contacts import RECORD
from kinegen.scenes.scene import read_scene
from kinegen.scenes.simulated import simulator_of
from support.files.c3d_bytes import C3dText
from support.files.mjcf_texts import EQUALITIES, LOOP, MJCF, SERVED, random_text
from support.files.sdf_texts import GEARBOX, SDF
from support.files.toml_texts import EVERYTHING, ROLLING, TOML

EXAMPLES = Path(__file__).parents[3] / "examples"


def mechanism(file: Path) -> None:
    """Read, merged or not, and told as text."""
    for merge in (True, False):
        canonical(kg.load(file, merge=merge, unphysical="allow"))


def mjcf(file: Path) -> None:
    """Read as any mechanism, and what its actuators are as servos."""
    kg.read_servos(file)
    mechanism(file)


def scene(file: Path) -> None:
    """Read, with all that may be connected and cut; begun and stepped if its model is that of `DRIVEN`."""
    read = read_scene(file)
    made = canonical(read.topologies().mechanism)
    text, model = driven()
    if made == text and not read.structure.changes:
        simulator = simulator_of(read, model)
        with suppress(kg.SimulationError):  # of numbers too large for its steps
            simulator.step(3)


DRIVEN = f"""
model = "{EXAMPLES / "double_pendulum.urdf"}"
duration = 0.2
dt = 0.002
integrator = "semi_implicit"
every = 10

[initial.q]
elbow = 0.4
[initial.v]
elbow = 1.0

[torque]
elbow = 5.0

[wrench]
lower = [0, 0, -10.0, 0, 0.5, 0]

[driven]
shoulder = {{ at = 0.2, rate = 6.28, amplitude = 0.1, frequency = 2, phase = 0 }}

[servo.elbow]
kp = 300.0
kd = 20.0
limit = 80.0
at = 0.6
amplitude = 0.1
frequency = 2

[output]
html = "motion.html"
"""
"""A scene with everything that drives joints."""


@cache
def driven() -> tuple[str, kg.Model]:
    """The mechanism of DRIVEN as canonical text, and its model."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "driven.toml"
        file.write_text(DRIVEN)
        made = read_scene(file).topologies().mechanism
    return canonical(made), kg.compile(made, progress=False)


def trajectory(file: Path) -> None:
    found = kg.Trajectory.load(file)
    if found.contacts is not None:
        found.contacts.force("world")
    _ = found[1:]


def table(file: Path) -> None:
    _ = kg.read_table(file).rate


READERS: dict[str, Callable[[Path], object]] = {
    "urdf": mechanism,
    "sdf": mechanism,
    "xml": mjcf,
    "toml": mechanism,
    "scene.toml": scene,
    "mot": table,
    "trc": kg.read_trc,
    "npz": trajectory,
    "c3d": kg.read_c3d,
}
"""By suffix; what is read may be anything, and may raise a KinegenError."""


@cache
def texts(kind: str) -> tuple[str, ...]:
    """Good files of a format that is text."""
    scenes = [*EXAMPLES.glob("*.toml"), *EXAMPLES.glob("structure/*.toml"), *EXAMPLES.glob("contact/*.toml")]
    loops = [LOOP.format(text) for text in EQUALITIES.values()]
    numbers = "\n".join(f"{k / 60:.3f}\t{k}.5\t{-k}" for k in range(9))
    named = "\n".join(f"{k + 1}\t{k / 60:.3f}\t{k}\t2\t3\t4\t5\t6" for k in range(9))
    found = {
        "urdf": [path.read_text() for path in EXAMPLES.glob("*.urdf")],
        "sdf": [SDF, SDF.replace("</model>", GEARBOX)],
        "xml": [MJCF, SERVED, *(random_text(i) for i in range(3)), *loops],
        "toml": [TOML, EVERYTHING, ROLLING],
        "scene.toml": [DRIVEN, *(_scene(path) for path in sorted(scenes) if "duration" in path.read_text())],
        "mot": [f"a\nnRows=9\nnColumns=3\ninDegrees=yes\nendheader\ntime\ta\tb\n{numbers}\n"],
        "trc": [
            f"PathFileType\t4\nDataRate\tNumFrames\tNumMarkers\tUnits\n60\t9\t2\tmm\nF\tTime\ta\t\t\tb\n\t\tX1\n{named}\n"
        ],
    }
    return tuple(found[kind])


def _scene(path: Path) -> str:
    """With the place of its model in full: the mutants lie elsewhere."""
    text = path.read_text()
    return text if 'model = "human' in text else text.replace('model = "', f'model = "{path.parent}/', 1)


@dataclass(frozen=True)
class Parts:
    """A binary file in parts that have names: what it is made of is mutated before its bytes are."""

    values: dict[Any, Any]
    write: Callable[[dict[Any, Any], Path], None]


def npz() -> Parts:
    """A recorded motion of one joint, with contacts."""
    joint = kg.compile(kg.load(EXAMPLES / "double_pendulum.urdf"), progress=False).manifest.joints[0]
    about = {"format": "kinegen trajectory 1", "name": "m", "joints": [asdict(joint)], "events": [[0.0, "cut", "a"]]}
    records = np.zeros(6, RECORD)
    values = {
        "about": np.array(json.dumps(about)),
        "t": np.arange(5.0),
        **{name: np.zeros((5, 1)) for name in ("q", "v", "tau")},
        "energy": np.zeros((5, 2)),
        "structures": np.zeros((2, 3)),
        "structure_of": np.array([0, 0, 1, 1, 1]),
        "contact_starts": np.array([0, 2, 4, 6, 6, 6]),
        "contact_records": records,
        "contact_pairs": np.array([["a", "world"]]),
    }

    def write(parts: dict[Any, Any], file: Path) -> None:
        with file.open("wb") as opened:
            np.savez_compressed(opened, **parts)

    return Parts(values, write)


def c3d() -> Parts:
    """Three markers and a force plate."""
    plates = {
        "USED": np.array([1]),
        "TYPE": np.array([2]),
        "CHANNEL": np.arange(1, 7)[:, None],
        "CORNERS": np.array([[6.0, 0.0, 0.0, 6.0], [4.0, 4.0, 0.0, 0.0], [0.0] * 4])[:, :, None],
        "ORIGIN": np.array([[0.0], [0.0], [-4.0]]),
    }
    values = {("POINT", "LABELS"): ["a", "b"], **{("FORCE_PLATFORM", name): x for name, x in plates.items()}}
    values |= {("POINT", "UNITS"): ["mm"], ("POINT", "RATE"): np.array([100.0]), ("ANALOG", "SCALE"): np.ones(6)}

    def write(parts: dict[Any, Any], file: Path) -> None:
        file.write_bytes(C3dText(np.ones((5, 3, 3)), np.ones((10, 6)), parameters=parts).bytes())

    return Parts(values, write)


PARTS: dict[str, Callable[[], Parts]] = {"npz": cache(npz), "c3d": cache(c3d)}
