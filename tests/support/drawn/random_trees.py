"""Random trees by number: every route of every quantity against a dense reference and maximal coordinates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinegen.codegen.build import build_with
from kinegen.codegen.mechanism import Mechanism
from kinegen.codegen.pipeline import generate
from kinegen.codegen.program.evaluate import numeric
from kinegen.codegen.symbolic.functions import derive
from kinegen.runtime import Model
from kinegen.runtime.errors import KinegenError
from support.maximal.equations import Frames, Placement
from support.maximal.solving import acceleration, free_in_doubles
from support.maximal.tree import assembly_of, velocity
from support.oracles.mechanisms import EVERY_KIND, ONE_DOF, random_mechanism, random_state
from support.oracles.numeric import Reference, error

from .verdict import Verdict, kind_of, toolchain

Array = NDArray[np.float64]

AGREED = 1e-10
"""Relative error of what no system of equations is solved for."""

SOLVED = 1e-13
"""Relative error of accelerations per unit of the condition of M, beside AGREED."""

COMPILED, LARGE = 10, 100
"""Of every so many trees one is compiled as well, and of these one has 25 links."""

ROUTES: Mapping[str, tuple[str, ...]] = {
    "M": ("mass_matrix_composite", "mass_matrix_unit_vector", "mass_matrix_cog"),
    "tau": ("inverse_dynamics", "inverse_dynamics_cog"),
    "a": ("forward_dynamics_articulated", "forward_dynamics_ltdl", "forward_dynamics_unit_vector"),
    "damped": ("forward_dynamics_damped_articulated", "forward_dynamics_damped_ltdl"),
    "h": ("bias",),
    "g": ("gravity",),
    "G": ("cog_jacobian",),
    "Gv": ("cog_bias",),
    "com": ("com",),
    "J": ("com_jacobian",),
    "E": ("energy",),
    "p": ("momentum",),
    "A": ("centroidal_momentum_matrix",),
}
"""Programs by the quantity that they give; those of accelerations by articulated bodies know no joints that follow."""


def drawn_tree(seed: int, number: int, most: int = 7) -> tuple[str, Mechanism]:
    """(family, tree) of at most so many links, 25 if it is a large one."""
    rng = np.random.default_rng([seed, number, 1])
    large = number % LARGE == LARGE - 1
    family = "large" if large else str(rng.choice(["mixed", "one-dof", "aligned", "floating", "bush"]))
    options: dict[str, dict[str, Any]] = {
        "mixed": {"mimic": 0.1},
        "one-dof": {"kinds": ["fixed", *ONE_DOF], "mimic": 0.4, "massless": 0.4},
        "aligned": {"skew": 0.0},
        "floating": {"root": "free"},
        "bush": {"branching": 1.0, "armature": 0.6},
        "large": {"kinds": [*EVERY_KIND, *ONE_DOF, *ONE_DOF], "massless": 0.0},
    }
    bodies = 25 if large else int(rng.integers(1, most + 1))
    return family, random_mechanism(int(rng.integers(2**31)), bodies=bodies, **options[family])


def tree_verdict(seed: int, number: int, folder: Path) -> tuple[str, Verdict]:
    """(family, verdict) with models compiled in a folder."""
    family, mechanism = drawn_tree(seed, number)
    compiled = number % COMPILED == COMPILED - 1
    return family, agreeing(mechanism, np.random.default_rng([seed, number, 2]), folder if compiled else None)


def agreeing(mechanism: Mechanism, rng: np.random.Generator, folder: Path | None) -> Verdict:
    """Whether all routes agree at a random state, with a folder also those that are compiled."""
    if not mechanism.tree.nv:
        return Verdict("agreed", ("nothing moves",))
    try:
        wrong = list(_compared(mechanism, rng, folder))
    except KinegenError as refusal:
        return Verdict("refused", (kind_of(str(refusal)),))
    return Verdict("silent" if wrong else "agreed", tuple(wrong))


def _compared(mechanism: Mechanism, rng: np.random.Generator, folder: Path | None) -> Iterator[str]:
    mechanism.check_dynamics()
    q, v, a, tau = random_state(mechanism, rng)
    damping = rng.uniform(0.0, 2.0, v.size)
    reference = Reference(mechanism, q, v)
    expected = _expected(reference, a, tau, damping)
    M = expected["M"]
    scale = np.sqrt(np.diag(M))
    allowed = {"a": AGREED + SOLVED * float(np.linalg.cond(M / np.outer(scale, scale)))}
    allowed["damped"] = allowed["a"]
    free = _free(reference, tau)
    if not error(free, expected["a"]) <= allowed["a"]:
        yield f"accelerations: maximal coordinates and reference differ by {error(free, expected['a']):.1e}"
    given = {"q": q, "v": v, "a": a, "tau": tau, "d": damping}
    calls = {**_programs(mechanism), **(_kernels(mechanism, folder) if folder else {})}
    for (quantity, route), call in calls.items():
        wrong = error(call(given).reshape(expected[quantity].shape), expected[quantity])
        if not wrong <= allowed.get(quantity, AGREED):
            yield f"{route} off by {wrong:.1e}"


def _expected(reference: Reference, a: Array, tau: Array, damping: Array) -> dict[str, Array]:
    M, h = reference.mass_matrix(), reference.bias()
    return {
        "M": M,
        "h": h,
        "tau": M @ a + h,
        "a": np.linalg.solve(M, tau - h),
        "damped": np.linalg.solve(M + np.diag(damping), tau - h),
        "g": reference.gravity(),
        "G": reference.cog_jacobian(),
        "Gv": reference.cog_bias(),
        "com": reference.com(),
        "J": reference.com_jacobian(),
        "E": reference.energy(),
        "p": reference.momentum(),
        "A": reference.centroidal_momentum_matrix(),
    }


def _free(reference: Reference, tau: Array) -> Array:
    """(nv) accelerations of the same links as free bodies."""
    mechanism = reference.mechanism
    assembly = assembly_of(mechanism, reference.q)
    frames = Frames.of(assembly, False)
    start = Placement.start(frames)
    N, P, _ = free_in_doubles(start.C)
    bodies = [body for body in mechanism.tree.bodies if body.nv]
    torques = {b.joint.name: tau[b.v_start : b.v_start + b.nv] for b in bodies}
    w = velocity(start, N, {b.joint.name: reference.v[b.v_start : b.v_start + b.nv] for b in bodies})
    a, _ = acceleration(start, w, torques, N, P)
    return np.concatenate([a[frames.part(b.joint.name)] for b in bodies])


Call = Callable[[Mapping[str, Array]], Array]


def _programs(mechanism: Mechanism) -> dict[tuple[str, str], Call]:
    """(quantity, route) -> the program of the route, run in Python."""
    follows = any(body.joint.mimic for body in mechanism.tree.bodies)
    found: dict[tuple[str, str], Call] = {}
    for quantity, names in ROUTES.items():
        for name in names:
            if not (follows and name.endswith("articulated")):
                found[quantity, name] = _run(mechanism, name)
    return found


def _run(mechanism: Mechanism, name: str) -> Call:
    run = numeric(derive(mechanism, name))

    def call(given: Mapping[str, Array]) -> Array:
        (value,) = run({key: values.tolist() for key, values in given.items()}).values()
        return value

    return call


def _kernels(mechanism: Mechanism, folder: Path) -> dict[tuple[str, str], Call]:
    """(quantity, kernel) -> the compiled kernel."""
    model = Model.load(build_with(generate(mechanism, contacts=False), toolchain(), cache=folder))
    quantities = {name: quantity for quantity, names in ROUTES.items() for name in names}
    quantities |= {"mass_matrix": "M", "forward_dynamics": "a", "forward_dynamics_damped": "damped"}
    inputs = {"tau": "qva", "h": "qv", "Gv": "qv", "E": "qv", "p": "qv", "a": "qvt", "damped": "qvtd"}
    named = {"q": "q", "v": "v", "a": "a", "t": "tau", "d": "d"}
    found: dict[tuple[str, str], Call] = {}
    for kernel in model.manifest.kernels:
        if quantity := quantities.get(kernel.name):
            keys = [named[letter] for letter in inputs.get(quantity, "q")]
            found[quantity, f"compiled {kernel.name}"] = _kernel(model, kernel.name, keys)
    return found


def _kernel(model: Model, name: str, keys: list[str]) -> Call:
    return lambda given: model.kernel(name)(*(given[key] for key in keys))
