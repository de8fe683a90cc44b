"""Digests of generated C and of motions, one a line: the same on every run, with every Python, in every locale.

    PYTHONPATH=tests python -m support.determinism [--text] [--sums]

--text: of the C alone, where nothing can be compiled; --sums: with a `sum` that rounds as that of Python 3.12 does.

Needs nothing but kinegen, so that Pythons without what tests need can be compared too.
"""

from __future__ import annotations

import builtins
import hashlib
import math
import sys
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import kinegen as kg

STEPS = 400


def four_bar() -> kg.Mechanism:
    """One loop, with a damper."""
    lengths = {"crank": 0.3, "coupler": 0.9, "rocker": 0.7}
    links = [kg.Link(name, x, (x / 2, 0, 0), kg.inertia.rod(x, x)) for name, x in lengths.items()]
    joints = [
        kg.Joint("drive", "revolute", "world", "crank", damping=0.1),
        kg.Joint("knee", "revolute", "crank", "coupler", kg.Pose((0.3, 0, 0))),
        kg.Joint("pivot", "revolute", "world", "rocker", kg.Pose((0.8, 0, 0))),
        kg.Joint("close", "revolute", "coupler", "rocker", kg.Pose((0.9, 0, 0)), kg.Pose((0.7, 0, 0))),
    ]
    return kg.Mechanism("four_bar", links, joints, gravity=(0, -9.81, 0))


def boxes() -> kg.Mechanism:
    """Two boxes that fall on the ground, with names that sort differently in other languages."""
    shape = kg.box((0.2, 0.3, 0.4), restitution=0.3)
    links = [kg.Link(name, 1.0, (0, 0, 0), kg.inertia.box(1.0, (0.2, 0.3, 0.4)), [shape]) for name in ("äpfel", "Zug")]
    joints = [kg.Joint(f"flight_{link.name}", "free", "world", link.name) for link in links]
    return kg.Mechanism("boxes", links, joints, shapes=[kg.plane()])


def marbles() -> kg.Mechanism:
    """Three, whose masses add up to one number term by term and to another when rounded once."""
    sizes = {"small": 0.1, "middle": 0.2, "large": 0.3}
    links = [kg.Link(name, x, (0, 0, 0), kg.inertia.sphere(x, x), [kg.sphere(x)]) for name, x in sizes.items()]
    joints = [kg.Joint(f"flight_{name}", "free", "world", name) for name in sizes]
    return kg.Mechanism("marbles", links, joints, shapes=[kg.plane()])


def swing() -> kg.TopologyLibrary:
    """Two links of a chain; the second may be held and let go."""
    links = [kg.Link(name, 1.0, (0, 0, -0.5), kg.inertia.box(1.0, (0.1, 0.2, 1.0))) for name in ("upper", "lower")]
    joints = [
        kg.Joint("shoulder", "spherical", "world", "upper"),
        kg.Joint("elbow", "revolute", "upper", "lower", kg.Pose((0, 0, -1)), axis=(0, 1, 0)),
    ]
    grip = kg.Connection("grip", "lower", "world", kg.spherical(), kg.Pose((0, 0, -1)))
    return kg.TopologyLibrary(kg.Mechanism("swing", links, joints), [grip], cuts=["elbow"])


def texts() -> dict[str, Mapping[str, str]]:
    """Files of C, header and manifest of each, and a figure whose lengths are sums of a person's."""
    made = {mechanism.name: kg.generate(mechanism) for mechanism in (four_bar(), boxes(), marbles())}
    library = swing().topologies
    made["swing"] = kg.generate(library.mechanism, switches=library.switches)
    found = {name: {**sources.files, "manifest": sources.manifest.to_json()} for name, sources in made.items()}
    with TemporaryDirectory() as folder:
        kg.save(kg.simple_figure(), Path(folder) / "figure.toml")
        return {**found, "figure": {"figure.toml": (Path(folder) / "figure.toml").read_text(encoding="utf-8")}}


def motions() -> dict[str, np.ndarray]:
    """q and v at the end, of each in a thread of its own; the ball twice."""
    bars, pair, library = kg.compile(four_bar(), progress=False), kg.compile(boxes(), progress=False), swing()
    place = [0, 0, 0.6, 0.2, 0, 0, np.sqrt(0.96), 0.05, 0, 1.1, 0, 0.3, 0, np.sqrt(0.91)]
    q, v = library.state(v={"shoulder": [0.5, 1.0, 0.2], "elbow": 2.0})
    hanging = kg.Simulator(library, q=q, v=v, tau={"elbow": 0.3})
    hanging.at(0.1, "connect", "grip")
    hanging.at(0.25, "cut", "grip")
    simulators = {
        "four_bar": kg.Simulator(bars, tau={"drive": 2.0}),
        "four_bar rk4": kg.Simulator(bars, tau={"drive": 2.0}, integrator="rk4"),
        "boxes": kg.Simulator(pair, q=place),
        "boxes again": kg.Simulator(pair, q=place),
        "swing": hanging,
    }
    with ThreadPoolExecutor(len(simulators)) as pool:
        list(pool.map(lambda simulator: simulator.step(STEPS), simulators.values()))
    return {name: np.concatenate([simulator.q, simulator.v]) for name, simulator in simulators.items()}


def exact_sum(terms: Iterable[Any], start: Any = 0, *, plain: Any = sum) -> Any:
    """From Python 3.12 on, sums of floats are rounded once, at their end; before, after each term."""
    found = [start, *terms] if start or isinstance(start, float) else list(terms)
    whole = all(isinstance(x, (int, float)) for x in found) and any(isinstance(x, float) for x in found)
    return math.fsum(found) if whole else plain(found[1:], found[0]) if found else start


def main() -> None:
    if "--sums" in sys.argv:
        builtins.sum = exact_sum
    for name, files in texts().items():
        for file, text in sorted(files.items()):
            print(f"{name} {file} {hashlib.sha256(text.encode()).hexdigest()}")
    if "--text" not in sys.argv:
        for name, state in motions().items():
            print(f"motion of {name} {hashlib.sha256(state.tobytes()).hexdigest()}")


if __name__ == "__main__":
    main()
