"""Programs evaluated by the generator itself: Python is one more dialect."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .dialect import Dialect
from .operations import CALLS
from .types import Function

Array = npt.NDArray[np.float64]

PYTHON = Dialect(scalar="float", functions={name: name for name in CALLS})
_SCOPE = {name: call.value for name, call in CALLS.items()}


def numeric(function: Function) -> Callable[[Mapping[str, Sequence[float]]], dict[str, Array]]:
    """`call({"q": ..., "v": ...}) -> {output: array}` of a function."""
    run = _compiled(function, _SCOPE)
    places = {output.name: np.array(output.places, dtype=int) for output in function.outputs}

    def call(arrays: Mapping[str, Sequence[float]]) -> dict[str, Array]:
        found, results = run(arrays), {}
        for output in function.outputs:
            results[output.name] = np.zeros(output.shape)
            results[output.name].flat[places[output.name]] = found[output.name]
        return results

    return call


def evaluated(
    function: Function, scope: Mapping[str, object]
) -> Callable[[Mapping[str, Sequence[Any]]], dict[str, list[Any]]]:
    """The same with numbers of any type, and lists of them; `scope`: the functions of CALLS for it."""
    run = _compiled(function, scope)

    def call(arrays: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        found, results = run(arrays), {}
        for output in function.outputs:
            results[output.name] = [0.0] * len(output.entries)
            for i, value in zip(output.places, found[output.name], strict=True):
                results[output.name][i] = value
        return results

    return call


def _compiled(
    function: Function, scope: Mapping[str, object]
) -> Callable[[Mapping[str, Sequence[Any]]], dict[str, list[Any]]]:
    """Of each output the entries at its `places`."""
    names = {s: text for given in function.inputs for s, text in PYTHON.loads(given.name, given.symbols).items()}
    lines = []
    for angle in function.angles:
        argument = PYTHON.expression(angle.argument, names)
        lines += [f"{angle.sin.name} = sin({argument})", f"{angle.cos.name} = cos({argument})"]
    for assignment in function.assignments:
        value = PYTHON.expression(assignment.expr, names)
        lines.append(PYTHON.assign.format(name=assignment.symbol.name, value=value))
    for output in function.outputs:
        kept = [output.entries[i] for i in output.places]
        lines.append(f"out_{output.name} = [{', '.join(PYTHON.expression(e, names) for e in kept)}]")
    program = compile("\n".join(lines), f"<{function.name}>", "exec")

    def call(arrays: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        values: dict[str, Any] = {**scope, **arrays}
        exec(program, values)  # our own printed statements; names are identifiers of ours
        return {output.name: values[f"out_{output.name}"] for output in function.outputs}

    return call
