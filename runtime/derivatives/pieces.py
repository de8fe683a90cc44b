"""Functions of a model's C that are no kernels: pieces of a step, of one state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arguments import Array
from ..model.model import Model


def has_piece(model: Model, name: str) -> bool:
    """Whether there is a function PREFIX_name; those that would do nothing are left out."""
    return hasattr(model.module.lib, f"{model.manifest.prefix}_{name}")


def fill(
    model: Model,
    name: str,
    given: Sequence[Array | float],
    found: Sequence[Array],
    values: Array | None = None,
    *,
    parametric: bool = True,
) -> None:
    """PREFIX_name([p,] *given, *found) writes into the arrays `found`, which stay as they are where there is none.

    `values`: of the parameters p, by default the model's; `parametric`: the function takes them where there are any.
    """
    if not has_piece(model, name):
        return
    ffi, call = model.module.ffi, getattr(model.module.lib, f"{model.manifest.prefix}_{name}")
    p = [model.parameter_values() if values is None else values]
    arguments: list[Any] = [*(p if parametric and model.manifest.parameters else []), *given, *found]
    call(*(x if isinstance(x, float) else ffi.from_buffer("double[]", np.ascontiguousarray(x)) for x in arguments))
