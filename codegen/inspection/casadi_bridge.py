"""Programs as functions of CasADi: symbolic (SX), sparse, differentiable there to any order."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinegen.runtime.errors import ModelError

from ..program.evaluate import evaluated
from ..program.operations import CALLS
from ..program.types import Function, Output


def casadi_function(function: Function, name: str = "") -> Any:
    """`casadi.Function` with inputs and outputs of the program, by their names; entries that are always zero have no
    place in the sparsity. An output (n, m) is a matrix, one of more axes has its matrices stacked.

    ModelError where CasADi is not installed, and for a name that is none of CasADi's (letters, digits, single _).
    """
    casadi = _casadi()
    wanted = name or function.name
    if not casadi.Function.check_name(wanted):
        raise ModelError(f"casadi: {wanted!r} is no name of a function there: letters, digits and single _; give name=")
    given = {each.name: casadi.SX.sym(each.name, len(each.symbols)) for each in function.inputs}
    entries = evaluated(function, _scope(casadi))({key: casadi.vertsplit(x) for key, x in given.items()})
    found = [_matrix(casadi, output, entries[output.name]) for output in function.outputs]
    return casadi.Function(wanted, [*given.values()], found, [*given], [output.name for output in function.outputs])


def _matrix(casadi: Any, output: Output, entries: list[Any]) -> Any:
    """Row by row, as arrays are."""
    columns = output.shape[-1] if len(output.shape) > 1 else 1
    rows = int(np.prod(output.shape)) // max(columns, 1)
    return casadi.sparsify(casadi.reshape(casadi.vertcat(*entries), columns, rows).T)


def _scope(casadi: Any) -> dict[str, Any]:
    """CasADi's names for what programs call."""
    other = {"Abs": casadi.fabs, "pow": casadi.power, "rint": lambda x: casadi.floor(x + 0.5)}
    return {name: other.get(name) or getattr(casadi, name) for name in CALLS}


def _casadi() -> Any:
    try:
        import casadi
    except ImportError as error:
        raise ModelError("programs as functions of CasADi need the package: pip install 'kinegen[casadi]'") from error
    return casadi
