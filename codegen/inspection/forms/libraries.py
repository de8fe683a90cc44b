"""All that programs call, by the names that they call it, in the packages that evaluate them."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import mpmath

from kinegen.runtime.errors import ModelError, shown

from ...program.operations import CALLS

LIBRARIES = {"numpy": "numpy", "math": "math", "mpmath": "mpmath", "jax": "jax.numpy", "torch": "torch"}
PRINTED = {"torch": "math"}  # plain Python; SymPy's own printer for PyTorch writes only few functions
NUMERIC: dict[str, Any] = {"Abs": abs, "pow": pow, "reciprocal": lambda x: 1 / x}
MISSING: dict[str, dict[str, Any]] = {  # functions that these libraries have not
    "math": {"rint": round, "fmin": min, "fmax": max},
    "mpmath": {
        "copysign": lambda size, sign: abs(size) if sign >= 0 else -abs(size),
        "rint": mpmath.nint,
        "fmin": min,
        "fmax": max,
    },
}


def functions_of(modules: str) -> dict[str, Any]:
    """SymPy alone writes some of it by names that the function then lacks, as mpmath.exp.

    ModelError for modules that are not in LIBRARIES, and for those that are not installed.
    """
    *others, last = map(repr, LIBRARIES)
    refused, known = f"lambdify: modules: {shown(modules)} cannot be used", f"{', '.join(others)} or {last}"
    if modules not in LIBRARIES:
        raise ModelError(f"{refused} (programs are not written for it); take {known}")
    try:
        library = import_module(LIBRARIES[modules])
    except ImportError as error:
        raise ModelError(f"{refused} ({error}); pip install 'kinegen[{modules}]', or take {known}") from error
    if modules == "torch":
        return {name: _of_tensors(library, name) for name in CALLS} | NUMERIC
    own = {name: getattr(library, name) for name in CALLS if hasattr(library, name)}
    return own | NUMERIC | MISSING.get(modules, {})


def _of_tensors(torch: Any, name: str) -> Callable[..., Any]:
    """PyTorch's own functions take no plain numbers, which may stand beside tensors or alone."""
    function = getattr(torch, {"Abs": "abs", "rint": "round"}.get(name, name))

    def called(*given: Any) -> Any:
        like = next((x for x in given if isinstance(x, torch.Tensor)), None)
        if like is None:
            return CALLS[name].value(*given)
        return function(*(torch.as_tensor(x, dtype=torch.result_type(like, x), device=like.device) for x in given))

    return called
