"""Compiled kernels in CasADi, called natively (`pip install 'kinegen[casadi]'`)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from kinegen.codegen.build.cache import open_cache
from kinegen.codegen.build.kept import kept_entry, kept_files
from kinegen.codegen.build.objects import call_compiler, compile_objects, object_commands, object_of
from kinegen.codegen.build.toolchain import Toolchain, find_toolchain
from kinegen.codegen.inspection.casadi_second import second_text
from kinegen.codegen.inspection.sources import program_of
from kinegen.codegen.mechanism.formats.load import load
from kinegen.codegen.mechanism.mechanism import Mechanism
from kinegen.codegen.pipeline import generate
from kinegen.codegen.printing.external import has_loops, kernels_of, require_external, rotations_of, with_external
from kinegen.codegen.printing.selection import Selection
from kinegen.codegen.printing.sources import Sources
from kinegen.runtime.errors import ModelError
from kinegen.runtime.names.lookup import parameter_values
from kinegen.runtime.record import digest
from kinegen.runtime.typed import typed

__all__ = ["external"]


@typed
def external(
    mechanism: Mechanism | str | Path,
    function: str,
    *,
    name: str | None = None,
    parameters: Mapping[str, float] | None = None,
    hessian: bool = False,
    target: str = "native",
    cache: str | Path | None = None,
) -> Any:
    """A `casadi.Function` that calls compiled C, with sparse Jacobians by the model's analytic derivatives.

    `function`: "inverse_dynamics" (q, v, a → tau; of the tree) or "forward_dynamics" (q, v, tau → a), vectors of nq and
    nv. Loops are held by the rows of K that compiling chooses: these give accelerations, with exact Jacobians, at q and
    v off the closure too, where an optimiser goes; a call fails where they depend on each other, and on the closure
    where the rows that were left out are missed. `name`: its own in CasADi, by default `function`. `parameters`: values
    of run-time parameters, by name, which are compiled in; defaults are taken for those that are not given. `target`,
    `cache`: as for `kg.compile`.

    Jacobians by q are per number of q; quaternions and pairs [cos sin] are brought to unit norm first, which is
    differentiated too. `hessian=True`: second derivatives as well, exact; for forward dynamics with loops CasADi makes
    them of the program and prints them, tens of thousands of operations that take seconds to compile. Without any let
    IPOPT take `hessian_approximation="limited-memory"`. The C is one shared library in the cache that needs only libm.

    ModelError without CasADi, for another function, an open parameter, a name that is none of CasADi's; BuildError as
    `kg.compile`.
    """
    casadi = _casadi()
    described = load(mechanism) if isinstance(mechanism, (str, Path)) else mechanism
    require_external(function)
    own = function if name is None else name
    if not casadi.Function.check_name(own):
        raise ModelError(f"external: {own!r} is no name of a function in CasADi: letters, digits and single _")
    of_tree = hessian and not has_loops(described, function)
    kernels = kernels_of(described, function, second=of_tree)
    sources = generate(described, contacts=False, selection=Selection(kernels=kernels))
    values = parameter_values(sources.manifest, parameters or {})
    if np.isnan(values).any():
        missing = sources.manifest.parameters[int(np.argmax(np.isnan(values)))].name
        raise ModelError(f"external: no value for parameter {missing}: parameters={{{missing!r}: 1.0}}")
    whole = with_external(sources, described, function, own, values.tolist(), second=of_tree)
    if hessian and not of_tree:
        whole = _with_second(whole, described, function, own, values.tolist())
    directory = open_cache(Path(cache) if cache else None)
    library = _library(whole, find_toolchain(target, directory), directory, own)
    return casadi.external(own, str(library))


def _with_second(
    sources: Sources, mechanism: Mechanism, function: str, name: str, parameters: Sequence[float]
) -> Sources:
    """The sources with NAME_second.c, which holds second derivatives of forward dynamics with loops."""
    program = program_of(mechanism, f"{function}_closed")
    text = second_text(program, name, rotations_of(sources.manifest), {"p": parameters} if parameters else {})
    file = f"{name}_second.c"
    once = {file: ("-O1",)}  # straight-line code: a quarter of the time that -O2 takes, and a seventh slower
    return replace(sources, files={**sources.files, file: text}, flags={**sources.flags, **once})


def _library(sources: Sources, toolchain: Toolchain, directory: Path, name: str) -> Path:
    """The shared library of the sources, from the cache if it is there."""
    commands = object_commands(replace(sources, evaluations=()), toolchain)
    made = f"{name}.so"
    parts = [dict(sources.files), commands, toolchain.name, toolchain.identity]
    key = digest(json.dumps(parts, sort_keys=True).encode())

    def make(work: Path) -> None:
        sources.write(work)
        compile_objects(commands, toolchain, work, name, False)
        objects = [object_of(each) for each in commands]
        call_compiler(toolchain.command, ["-shared", *objects, "-lm"], made, work)

    kept_files(directory, key, [made], make)
    return kept_entry(directory, key) / made


def _casadi() -> Any:
    try:
        import casadi
    except ImportError as error:
        raise ModelError("external functions of CasADi need the package: pip install 'kinegen[casadi]'") from error
    return casadi
