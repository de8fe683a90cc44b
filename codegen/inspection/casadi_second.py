"""Second derivatives of programs, by CasADi's own differentiation and in its C."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..program.types import Function
from .casadi_bridge import casadi_function

EXPORTED = '#define CASADI_SYMBOL_EXPORT __attribute__((visibility("default")))\n'


def second_text(
    program: Function, name: str, rotations: Sequence[tuple[int, int]], parameters: Mapping[str, Sequence[float]]
) -> str:
    """C of adj1_NAME and jac_adj1_NAME, which CasADi looks for beside an external function NAME.

    adj1: λᵀ ∂f by each argument, of the first output f of a program; jac_adj1: of these by every argument and by λ.
    `rotations`: where q has numbers that are brought to unit norm first, and how many; `parameters`: values of inputs
    that are no arguments.
    """
    import casadi

    f = casadi_function(program)
    given = {key: casadi.SX.sym(key, f.size1_in(key)) for key in f.name_in() if key not in parameters}
    result = f.name_out()[0]
    whole = {**given, **{key: casadi.DM(list(values)) for key, values in parameters.items()}}
    if "q" in given:
        whole["q"] = _unit(casadi, given["q"], rotations)
    value = casadi.densify(f(**whole)[result])
    weights = casadi.SX.sym(f"adj_{result}", *value.shape)
    code = casadi.CodeGenerator(f"{name}_second", {"main": False, "verbose": False})
    for way in _ways(casadi, name, given, (result, value, weights)):
        code.add(way)
    return EXPORTED + str(code.dump())


def _ways(casadi: Any, name: str, given: Mapping[str, Any], output: tuple[str, Any, Any]) -> list[Any]:
    """adj1_NAME and jac_adj1_NAME, with inputs, outputs and names as CasADi has them."""
    result, value, weights = output
    power = casadi.dot(weights, value)
    second, first = casadi.hessian(power, casadi.vertcat(*given.values()))
    slopes = casadi.jacobian(value, casadi.vertcat(*given.values())).T
    unread = casadi.Sparsity(value.shape[0], 1)
    sizes = [0, *(x.shape[0] for x in given.values())]
    starts = [sum(sizes[: k + 1]) for k in range(len(sizes))]
    rows = casadi.vertsplit(first, starts)
    inputs = {**given, f"out_{result}": casadi.SX.sym(f"out_{result}", unread), f"adj_{result}": weights}
    gradients = dict(zip((f"adj_{key}" for key in given), rows, strict=True))
    blocks = {}
    for i, key in enumerate(gradients):
        part = slice(starts[i], starts[i + 1])
        for j, other in enumerate(given):
            blocks[f"jac_{key}_{other}"] = second[part, starts[j] : starts[j + 1]]
        blocks[f"jac_{key}_out_{result}"] = casadi.SX(sizes[i + 1], value.shape[0])
        blocks[f"jac_{key}_adj_{result}"] = slopes[part, :]
    found = {f"out_{key}": casadi.SX.sym(f"out_{key}", casadi.Sparsity(*x.shape)) for key, x in gradients.items()}
    return [
        casadi.Function(title, [*taken.values()], [*gives.values()], [*taken], [*gives], {"cse": True})
        for title, taken, gives in (
            (f"adj1_{name}", inputs, gradients),
            (f"jac_adj1_{name}", {**inputs, **found}, blocks),
        )
    ]


def _unit(casadi: Any, q: Any, rotations: Sequence[tuple[int, int]]) -> Any:
    entries = casadi.vertsplit(q)
    for start, size in rotations:
        norm = casadi.norm_2(casadi.vertcat(*entries[start : start + size]))
        entries[start : start + size] = [x / norm for x in entries[start : start + size]]
    return casadi.vertcat(*entries)
