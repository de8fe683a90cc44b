"""What simulations start with: states, torques, wrenches, servos and parameters of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import Array, as_array
from ..errors import ModelError, wrong_model
from ..model.model import Model
from ..module.kernel import require_unit
from ..names.lookup import parameter_rows, values_by_name
from ..topology.library import Library
from .each import Each, EachServos, each_row, each_servos, each_torques, each_wrenches


@dataclass(frozen=True)
class Starts:
    """What each of `count` simulations has: q (count, nq), v (count, nv) at first, torques, wrenches, servos, `of`: its
    model, `p` (count, P): its parameters, None where all have those of `model`."""

    model: Model
    count: int
    q: Array
    v: Array
    tau: Each[Any]
    wrenches: Each[Any]
    servos: EachServos
    of: Callable[[int], Model]
    p: Array | None

    @property
    def own_models(self) -> bool:
        """Each has parameters of its own."""
        return self.p is not None


def starts_of(
    given: Model | Library,
    q0: ArrayLike,
    v0: ArrayLike | None,
    tau: Any,
    wrenches: Any,
    servos: Any,
    parameters: Mapping[str, ArrayLike] | None,
    steps: int,
) -> Starts:
    model = given.model if isinstance(given, Library) else given
    if not isinstance(model, Model):
        raise wrong_model(model, "a compiled Model or a Library")
    nq, nv = model.nq, model.nv
    q = each_row("q0", q0, (nq,))
    v = each_row("v0", np.zeros(nv) if v0 is None else v0, (nv,))
    asked = values_by_name("parameters", parameters, {})
    if asked and isinstance(given, Library):
        raise ModelError(
            "parameters: those of a library are its model's, the same for all: roll out library.with_parameters(...)"
        )
    values = {name: _parameter_of_each(name, value) for name, value in asked.items()}
    torques, loads, served = each_torques(tau, nv, steps), each_wrenches(wrenches, steps), each_servos(servos, steps)
    own_values = {name: len(value) for name, value in values.items()}
    sizes = {"q0": len(q), "v0": len(v), **torques.counts, **loads.counts, **served.counts, **own_values}
    count = max(sizes.values())
    if empty := [name for name, size in sizes.items() if size == 0]:
        raise ModelError(f"rollout: {', '.join(empty)}: there are no rows, and nothing to simulate")
    if wrong := [f"{name} has {size}" for name, size in sizes.items() if size not in (1, count)]:
        raise ModelError(f"rollout: {count} simulations, but {', '.join(wrong)} rows")
    require_unit(model.module, "q0", q)

    if values and set(map(len, values.values())) == {1}:
        model, values = model.with_parameters({name: float(value[0]) for name, value in values.items()}), {}
    values = {name: np.resize(value, count) for name, value in values.items()}
    known = {name: value for name, value in model.parameters.items() if value is not None}
    p = parameter_rows(model.manifest, known, values) if values else None

    def of(row: int) -> Model:
        own = {name: float(value[row]) for name, value in values.items()}
        return model.with_parameters(own) if own else model

    q, v = (x if len(x) == count else x.repeat(count, axis=0) for x in (q, v))
    return Starts(model, count, q, v, torques, loads, served, of, p)


def _parameter_of_each(name: str, value: ArrayLike) -> Array:
    """(B) values, or one for all."""
    values = as_array(name, value, ())
    if values.ndim > 1:
        raise ModelError(
            f"parameters: {name}: expected a number, or one for each simulation, shape (B,), got shape {values.shape}"
        )
    return values.reshape(-1)
