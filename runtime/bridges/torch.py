"""Functions of a model in PyTorch: `autograd.Function` with analytic derivatives (`pip install 'kinegen[torch]'`)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ..arguments import Array, as_floats
from ..errors import ModelError
from ..model.model import Model
from ..typed import typed
from .functions import Functions, require_size, twice
from .smooth import Smooth

__all__ = ["functions"]


@typed
def functions(model: Model) -> Functions:
    """The model's functions for PyTorch: see `Functions`. They take tensors of float64 on the CPU.

    For `backward`, `torch.autograd.forward_ad` and `torch.func` (`grad`, `jvp`, `vmap`). ModelError for a tensor of
    another dtype or on another device, and without PyTorch.
    """
    _torch()
    return Functions(model, _applied)


def _torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise ModelError("functions for PyTorch need the package: pip install 'kinegen[torch]'") from error
    return torch


def _applied(function: Smooth) -> Callable[..., Any]:
    torch = _torch()
    value, _ = _rules()

    def called(*tensors: Any) -> Any:
        given = [_tensor(name, x, size) for (name, size), x in zip(function.inputs, tensors, strict=True)]
        try:
            batch = torch.broadcast_shapes(*(x.shape[:-1] for x in given))
        except RuntimeError as error:
            raise ModelError(f"{function.name}: batch axes do not broadcast: {error}") from None
        return value.apply(function, *(x.expand(*batch, x.shape[-1]) for x in given))

    return called


@cache
def _rules() -> tuple[Any, Any]:
    """Two classes, of the value and of its rates (..., *output, width); PyTorch finds their rules in static methods."""
    torch = _torch()

    class Rates(torch.autograd.Function):  # type: ignore[misc,name-defined]  # imported when it is asked for
        @staticmethod
        def forward(function: Smooth, *given: Any) -> Any:
            return _on_host(function.rates, given)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.function = inputs[0]

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            raise twice(ctx.function)

        @staticmethod
        def jvp(ctx: Any, _: Any, *rates: Any) -> Any:
            raise twice(ctx.function)

        @staticmethod
        def vmap(info: Any, dims: Any, function: Smooth, *given: Any) -> Any:
            return Rates.apply(function, *_in_front(info.batch_size, dims[1:], given)), 0

    class Value(torch.autograd.Function):  # type: ignore[misc,name-defined]
        @staticmethod
        def forward(function: Smooth, *given: Any) -> Any:
            return _on_host(function.value, given)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.function, *given = inputs
            ctx.save_for_backward(*given)
            ctx.save_for_forward(*given)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            """x̄ = ȳ ∂y/∂x, summed over the result's axes."""
            function = ctx.function
            rates = Rates.apply(function, *ctx.saved_tensors)
            axes = tuple(range(-len(function.output) - 1, -1))
            found = (grad[..., None] * rates).sum(dim=axes)
            return None, *found.split([size for _, size in function.inputs], dim=-1)

        @staticmethod
        def jvp(ctx: Any, _: Any, *rates: Any) -> Any:
            function = ctx.function
            given = ctx.saved_tensors
            whole = torch.cat([torch.zeros_like(x) if r is None else r for x, r in zip(given, rates, strict=True)], -1)
            spread = (..., *(None,) * len(function.output), slice(None))
            return (Rates.apply(function, *given) * whole[spread]).sum(dim=-1)

        @staticmethod
        def vmap(info: Any, dims: Any, function: Smooth, *given: Any) -> Any:
            return Value.apply(function, *_in_front(info.batch_size, dims[1:], given)), 0

    return Value, Rates


def _in_front(count: int, dims: Any, given: Any) -> list[Any]:
    """Tensors with the axis that is mapped over in front, repeated where there is none."""
    return [
        x.unsqueeze(0).expand(count, *x.shape) if dim is None else x.movedim(dim, 0)
        for x, dim in zip(given, dims, strict=True)
    ]


def _on_host(of: Callable[..., Array], given: Any) -> Any:
    return _torch().from_numpy(np.array(of(*(x.detach().numpy() for x in given)), dtype=np.float64))


def _tensor(name: str, value: Any, size: int) -> Any:
    """float64 on the CPU. ModelError for another dtype, device or shape."""
    torch = _torch()
    tensor = value if isinstance(value, torch.Tensor) else torch.from_numpy(np.array(as_floats(name, value)))
    if tensor.dtype != torch.float64:
        raise ModelError(f"{name}: expected a tensor of torch.float64, got {tensor.dtype}; write {name}.double()")
    if tensor.device.type != "cpu":
        raise ModelError(f"{name}: expected a tensor on the CPU, got one on {tensor.device}; write {name}.cpu()")
    require_size(name, tensor.shape, size)
    return tensor
