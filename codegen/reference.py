"""Reference output: the C and the manifest of a handful of small mechanisms, committed in generated/.

    python -m kinegen.codegen.reference [FOLDER]     rewrites generated/ (or FOLDER); review the diff, then commit it

A test compares every byte in both directions, so that no change of the generated code goes unseen.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import sympy

from .mechanism import Joint, Link, Mechanism, Pose
from .mechanism.elements import inertia
from .pipeline import generate

FOLDER = "generated"


def double_pendulum() -> Mechanism:
    """Two rods with relative angles about y, hanging along −z."""
    rod = inertia.rod(1.0, 0.5, axis=(0, 0, 1))
    return Mechanism(
        "double_pendulum",
        links=[Link(name, mass=1.0, com=(0, 0, -0.25), inertia=rod) for name in ("upper", "lower")],
        joints=[
            Joint("shoulder", "revolute", "world", "upper", axis=(0, 1, 0)),
            Joint("elbow", "revolute", "upper", "lower", origin=Pose((0, 0, -0.5)), axis=(0, 1, 0), damping=0.1),
        ],
    )


def cart_pole() -> Mechanism:
    """A cart on a rail along x; a pole about y that stands up at zero."""
    return Mechanism(
        "cart_pole",
        links=[
            Link("cart", mass=1.0, inertia=inertia.box(1.0, (0.2, 0.1, 0.1))),
            Link("pole", mass=0.1, com=(0, 0, 0.5), inertia=inertia.rod(0.1, 1.0, axis=(0, 0, 1))),
        ],
        joints=[
            Joint("rail", "prismatic", "world", "cart", axis=(1, 0, 0), limits=(-2.0, 2.0), friction=0.2),
            Joint("pivot", "continuous", "cart", "pole", axis=(0, 1, 0), actuated=False),
        ],
    )


def spherical_pendulum() -> Mechanism:
    """A ball on a massless rod and a spherical joint."""
    ball = inertia.sphere(0.5, 0.1)
    return Mechanism(
        "spherical_pendulum",
        links=[Link("ball", mass=0.5, com=(0, 0, -1), inertia=ball)],
        joints=[Joint("pivot", "spherical", "world", "ball")],
    )


def floating_arm() -> Mechanism:
    """A free body that carries an arm of two links: a universal shoulder, a sliding hand."""
    return Mechanism(
        "floating_arm",
        links=[
            Link("base", mass=5.0, inertia=inertia.box(5.0, (0.4, 0.3, 0.2))),
            Link("arm", mass=1.0, com=(0.25, 0, 0), inertia=inertia.rod(1.0, 0.5)),
            Link("hand", mass=0.25, inertia=inertia.sphere(0.25, 0.05)),
        ],
        joints=[
            Joint("float", "free", "world", "base"),
            Joint("shoulder", "universal", "base", "arm", origin=Pose((0.2, 0, 0)), axis=(0, 0, 1), axis2=(0, 1, 0)),
            Joint("slide", "prismatic", "arm", "hand", origin=Pose((0.5, 0, 0)), axis=(1, 0, 0), stiffness=10.0),
        ],
    )


def crane() -> Mechanism:
    """A trolley with a hanging load; masses, length and gravity are run-time parameters."""
    trolley, load, length, g = sympy.symbols("trolley load length g", positive=True)
    return Mechanism(
        "crane",
        links=[Link("trolley", mass=trolley), Link("load", mass=load, com=(0, 0, -length))],
        joints=[
            Joint("rail", "prismatic", "world", "trolley", axis=(1, 0, 0)),
            Joint("rope", "revolute", "trolley", "load", axis=(0, 1, 0)),
        ],
        gravity=(0, 0, -g),
    )


MECHANISMS: Mapping[str, Callable[[], Mechanism]] = {
    make.__name__: make for make in (double_pendulum, cart_pole, spherical_pendulum, floating_arm, crane)
}


def reference_files() -> dict[str, str]:
    """Path below generated/ → text."""
    files = {}
    for name, make in MECHANISMS.items():
        sources = generate(make())
        files[f"{name}/manifest.json"] = sources.manifest.to_json()
        files |= {f"{name}/{file}": text for file, text in sources.files.items()}
    return files


def rewrite(folder: Path) -> int:
    """Replaces what stands in the folder; returns the number of files."""
    files = reference_files()
    for manifest in folder.glob("*/manifest.json"):
        shutil.rmtree(manifest.parent)
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="\n")
    return len(files)


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else FOLDER)
    print(f"{rewrite(folder)} files in {folder}")


if __name__ == "__main__":
    main()
