"""Reference output: the C and the manifest of a handful of small mechanisms, committed in generated/.

    python -m kinegen.codegen.reference [FOLDER]     rewrites generated/ (or FOLDER); review the diff, then commit it

A test compares every byte in both directions, so that no change of the generated code goes unseen. What models share
stands in runtime/c and is left out.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import MappingProxyType

import sympy

from .mechanism import Joint, Link, Mechanism, Pose
from .mechanism.elements import inertia
from .mechanism.elements.joint_templates import JointTemplate
from .mechanism.geometry import shapes
from .mechanism.structure.topology import Connection, Topologies, topologies
from .pipeline import generate
from .printing.library import FOLDER as LIBRARY
from .printing.selection import ALL, Selection
from .printing.sources import Sources

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


def four_bar() -> Mechanism:
    """Crank, coupler and rocker about y, the loop closed by a pin between rocker and world."""
    lengths = {"crank": 0.2, "coupler": 0.5, "rocker": 0.4}
    links = [
        Link(name, mass=length, com=(length / 2, 0, 0), inertia=inertia.rod(length, length))
        for name, length in lengths.items()
    ]
    joints = [
        Joint("motor", "revolute", "world", "crank", axis=(0, 1, 0)),
        Joint("wrist", "revolute", "crank", "coupler", origin=Pose((0.2, 0, 0)), axis=(0, 1, 0), actuated=False),
        Joint("knee", "revolute", "coupler", "rocker", origin=Pose((0.5, 0, 0)), axis=(0, 1, 0), actuated=False),
        Joint(
            "pin",
            "revolute",
            "world",
            "rocker",
            origin=Pose((0.5, 0, 0)),
            child_origin=Pose((0.4, 0, 0)),
            axis=(0, 1, 0),
            actuated=False,
            cut=True,
        ),
    ]
    return Mechanism("four_bar", links, joints)


def box_on_plane() -> Mechanism:
    """A box that falls on the ground."""
    size = (0.4, 0.3, 0.2)
    return Mechanism(
        "box_on_plane",
        links=[Link("box", mass=2.0, inertia=inertia.box(2.0, size), shapes=[shapes.box(size)])],
        joints=[Joint("float", "free", "world", "box")],
        shapes=[shapes.plane()],
    )


def two_hulls() -> Mechanism:
    """Two tetrahedra that slide towards each other along x."""
    points = ((0.1, 0, 0), (-0.1, 0.1, 0), (-0.1, -0.1, 0), (-0.1, 0, 0.1))
    names = ("left", "right")
    return Mechanism(
        "two_hulls",
        links=[Link(name, mass=1.0, shapes=[shapes.convex(points)]) for name in names],
        joints=[
            Joint(f"slide_{name}", "prismatic", "world", name, origin=Pose((x, 0, 0)), axis=(1, 0, 0))
            for name, x in zip(names, (-0.3, 0.3), strict=True)
        ],
    )


def two_holds() -> Topologies:
    """A swinging rod whose tip can be held by the world, and hung on a slider."""
    mechanism = Mechanism(
        "two_holds",
        links=[
            Link("rod", mass=1.0, com=(0, 0, -0.25), inertia=inertia.rod(1.0, 0.5, axis=(0, 0, 1))),
            Link("slider", mass=0.5, inertia=inertia.sphere(0.5, 0.05)),
        ],
        joints=[
            Joint("swing", "revolute", "world", "rod", axis=(0, 1, 0)),
            Joint("rail", "prismatic", "world", "slider", origin=Pose((0, 0, -0.5)), axis=(1, 0, 0)),
        ],
    )
    hold = JointTemplate("revolute", (("axis", (0, 1, 0)),))
    tip = Pose((0, 0, -0.5))
    return topologies(
        mechanism,
        [Connection("grip", "rod", "world", hold, tip), Connection("hook", "rod", "slider", hold, tip)],
    )


MECHANISMS: Mapping[str, Callable[[], Mechanism | Topologies]] = {
    make.__name__: make
    for make in (
        double_pendulum,
        cart_pole,
        spherical_pendulum,
        floating_arm,
        crane,
        four_bar,
        box_on_plane,
        two_hulls,
        two_holds,
    )
}


LANES = frozenset({"four_bar"})
"""Those that are printed with lanes as well."""


@cache
def reference_files() -> Mapping[str, str]:
    """Path below generated/ → text."""
    files: dict[str, str] = {}
    for name, make in MECHANISMS.items():
        sources = _sources(make(), replace(ALL, lanes=name in LANES))
        files[f"{name}/manifest.json"] = sources.manifest.to_json()
        own = {file: text for file, text in sources.files.items() if not file.startswith(f"{LIBRARY}/")}
        files |= {f"{name}/{file}": text for file, text in own.items()}
    return MappingProxyType(files)


def _sources(made: Mechanism | Topologies, selection: Selection) -> Sources:
    if isinstance(made, Mechanism):
        return generate(made, selection=selection)
    return generate(made.mechanism, switches=made.switches, selection=selection)


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
