"""Programs evaluated by the generator itself: the printed statements are Python as well as C."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ..printing.printer import expression
from .types import Function

Array = npt.NDArray[np.float64]

_LIBRARY = {
    name: getattr(math, name) for name in ("sqrt", "copysign", "atan2", "fabs", "pow", "exp", "log", "sin", "cos")
}
_LIBRARY |= {"rint": round, "fmin": min, "fmax": max}


def numeric(function: Function) -> Callable[[Mapping[str, Sequence[float]]], dict[str, Array]]:
    """`call({"q": ..., "v": ...}) -> {output: array}` of a function."""
    names = {symbol: f"{given.name}[{i}]" for given in function.inputs for i, symbol in enumerate(given.symbols)}
    lines = []
    for angle in function.angles:
        argument = expression(angle.argument, names)
        lines += [f"{angle.sin.name} = sin({argument})", f"{angle.cos.name} = cos({argument})"]
    lines += [f"{a.symbol.name} = {expression(a.expr, names)}" for a in function.assignments]
    for output in function.outputs:
        lines.append(f"out_{output.name} = [{', '.join(expression(entry, names) for entry in output.entries)}]")
    program = compile("\n".join(lines), f"<{function.name}>", "exec")

    def call(arrays: Mapping[str, Sequence[float]]) -> dict[str, Array]:
        scope: dict[str, object] = {**_LIBRARY, **arrays}
        exec(program, scope)  # our own printed statements; names are identifiers of ours
        return {o.name: np.array(scope[f"out_{o.name}"], dtype=float).reshape(o.shape) for o in function.outputs}

    return call
