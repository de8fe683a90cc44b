"""Functions of a model in PyTorch: `autograd.Function` with analytic derivatives (`pip install 'kinegen[torch]'`)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
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
    rule = _rule()

    def called(*tensors: Any) -> Any:
        given = [_tensor(name, x, size) for (name, size), x in zip(function.inputs, tensors, strict=True)]
        try:
            batch = torch.broadcast_shapes(*(x.shape[:-1] for x in given))
        except RuntimeError as error:
            raise ModelError(f"{function.name}: batch axes do not broadcast: {error}") from None
        return rule.apply(function, 0, *(x.expand(*batch, x.shape[-1]) for x in given))

    return called


def _derived(function: Smooth, order: int) -> Callable[..., Array]:
    """The value (..., *output), and its rates of an order (..., *output, width, ...)."""
    if order > 1 and not function.twice:
        raise twice(function)
    if order > 2:
        raise thrice(function)
    return (function.value, function.rates, partial(second_rates, function))[order]


@cache
def _rule() -> Any:
    """A class of the value and, by `order`, of its rates; PyTorch finds their rules in static methods."""
    torch = _torch()

    class Rule(torch.autograd.Function):  # type: ignore[misc,name-defined]  # imported when it is asked for
        @staticmethod
        def forward(function: Smooth, order: int, *given: Any) -> Any:
            return _on_host(_derived(function, order), given)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.function, ctx.order, *given = inputs
            ctx.save_for_backward(*given)
            ctx.save_for_forward(*given)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            """x̄ = ȳ ∂y/∂x, summed over the result's axes."""
            function = ctx.function
            rates = Rule.apply(function, ctx.order + 1, *ctx.saved_tensors)
            axes = tuple(range(-len(function.output) - ctx.order - 1, -1))
            found = (grad[..., None] * rates).sum(dim=axes)
            return None, None, *found.split([size for _, size in function.inputs], dim=-1)

        @staticmethod
        def jvp(ctx: Any, _: Any, __: Any, *rates: Any) -> Any:
            function = ctx.function
            given = ctx.saved_tensors
            whole = torch.cat([torch.zeros_like(x) if r is None else r for x, r in zip(given, rates, strict=True)], -1)
            spread = (..., *(None,) * (len(function.output) + ctx.order), slice(None))
            return (Rule.apply(function, ctx.order + 1, *given) * whole[spread]).sum(dim=-1)

        @staticmethod
        def vmap(info: Any, dims: Any, function: Smooth, order: int, *given: Any) -> Any:
            return Rule.apply(function, order, *_in_front(info.batch_size, dims[2:], given)), 0

    return Rule


def _in_front(count: int, dims: Any, given: Any) -> list[Any]:
    """Tensors with the axis that is mapped over in front, repeated where there is none."""
    return [
        x.unsqueeze(0).expand(count, *x.shape) if dim is None else x.movedim(dim, 0)
        for x, dim in zip(given, dims, strict=True)
    ]


def _on_host(of: Callable[..., Array], given: Any) -> Any:
    return _torch().from_numpy(np.array(of(*(x.detach().resolve_neg().numpy() for x in given)), dtype=np.float64))


def _tensor(name: str, value: Any, size: int) -> Any:
    """float64 on the CPU. ModelError for another dtype, device, layout or shape."""
    torch = _torch()
    tensor = value if isinstance(value, torch.Tensor) else torch.from_numpy(np.array(as_floats(name, value)))
    if tensor.dtype != torch.float64:
        raise ModelError(f"{name}: expected a tensor of torch.float64, got {tensor.dtype}; write {name}.double()")
    if tensor.device.type != "cpu":
        raise ModelError(f"{name}: expected a tensor on the CPU, got one on {tensor.device}; write {name}.cpu()")
    if tensor.is_nested:
        raise ModelError(f"{name}: expected a dense tensor, got a nested one; write torch.stack({name}.unbind())")
    if tensor.layout != torch.strided:
        raise ModelError(f"{name}: expected a dense tensor, got {tensor.layout}; write {name}.to_dense()")
    require_size(name, tensor.shape, size)
    return tensor
