"""Functions of a model in JAX: host callbacks with analytic rules (`pip install 'kinegen[jax]'`)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..arguments import Array, as_floats
from ..errors import ModelError
from ..model.model import Model
from ..typed import typed
from .functions import Functions, require_size, thrice, twice
from .second import second_rates
from .smooth import Smooth

__all__ = ["functions"]


@typed
def functions(model: Model) -> Functions:
    """The model's functions for JAX, under `jit`, `vmap`, `jvp`, `grad`, `jacfwd`, `jacrev`: see `Functions`.

    They run on the host, by `jax.pure_callback`; batches of `vmap` are one call of C. Numbers are float64: without
    `jax.config.update("jax_enable_x64", True)` a `ModelError` says so. An error in the numbers of a compiled function
    (a NaN, a quaternion off unit norm) comes as JAX's own, which tells the ModelError. ModelError without JAX.
    """
    _jax()
    return Functions(model, _applied)


def _jax() -> Any:
    try:
        import jax
    except ImportError as error:
        raise ModelError("functions for JAX need the package: pip install 'kinegen[jax]'") from error
    return jax


def _applied(function: Smooth) -> Callable[..., Any]:
    """f with ḟ = (∂f/∂x) ẋ, whose matrix is found on the host beside f, and the same once more for that matrix."""
    jax = _jax()
    jnp, output = jax.numpy, function.output
    f = jax.custom_jvp(_on_host(function.value, output))
    slopes = jax.custom_jvp(_on_host(function.rates, (*output, function.width)))
    curves = jax.custom_jvp(_on_host(partial(second_rates, function), (*output, function.width, function.width)))
    ends = np.cumsum([size for _, size in function.inputs])[:-1].tolist()

    def _along(matrix: Any, rates: Any, axes: int) -> Any:
        parts = jnp.split(matrix, ends, axis=-1)
        spread = (..., *(None,) * axes, slice(None))
        return sum((part * rate[spread]).sum(axis=-1) for part, rate in zip(parts, rates, strict=True))

    def _rule(given: Any, rates: Any) -> Any:
        return f(*given), _along(slopes(*given), rates, len(output))

    def _second(given: Any, rates: Any) -> Any:
        if not function.twice:
            raise twice(function)
        return slopes(*given), _along(curves(*given), rates, len(output) + 1)

    def _refused(given: Any, rates: Any) -> Any:
        raise thrice(function)

    f.defjvp(_rule)
    slopes.defjvp(_second)
    curves.defjvp(_refused)

    def called(*arrays: Any) -> Any:
        given = [_array(name, x, size) for (name, size), x in zip(function.inputs, arrays, strict=True)]
        try:
            batch = jnp.broadcast_shapes(*(x.shape[:-1] for x in given))
        except ValueError as error:
            raise ModelError(f"{function.name}: batch axes do not broadcast: {error}") from None
        return f(*(jnp.broadcast_to(x, (*batch, x.shape[-1])) for x in given))

    return called


def _on_host(of: Callable[..., Array], output: tuple[int, ...]) -> Callable[..., Any]:
    jax = _jax()

    def host(*arrays: Any) -> Array:
        return np.asarray(of(*(np.asarray(x) for x in arrays)), dtype=np.float64)

    def called(*arrays: Any) -> Any:
        result = jax.ShapeDtypeStruct((*arrays[0].shape[:-1], *output), np.float64)
        return jax.pure_callback(host, result, *arrays, vmap_method="expand_dims")

    return called


def _array(name: str, value: Any, size: int) -> Any:
    """float64 in JAX. ModelError for another dtype or shape, and while JAX knows no float64."""
    jax = _jax()
    if jax.dtypes.canonicalize_dtype(np.float64) != np.float64:
        raise ModelError(
            "JAX is set to single precision, and models compute with float64: jax.config.update('jax_enable_x64', True)"
            " before anything else"
        )
    array = value if isinstance(value, jax.Array) else jax.numpy.asarray(as_floats(name, value))
    if array.dtype != np.float64:
        raise ModelError(f"{name}: expected float64, got {array.dtype}; write {name}.astype(jax.numpy.float64)")
    require_size(name, array.shape, size)
    return array
