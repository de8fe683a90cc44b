"""Every quantity of a tree as a function on its own tape: name → derivation.

`derive(mechanism, name)` gives the factored form from which C is printed and which inspection shows.
"""

from __future__ import annotations

from kinegen.runtime.errors import ModelError

from ..mechanism.mechanism import Mechanism
from ..program.types import Function
from .derivations.closure import CLOSURE
from .derivations.dynamics import DYNAMICS
from .derivations.kinematics import KINEMATICS
from .derivations.regressor import REGRESSOR
from .workbench import Derivation, written

DERIVATIONS: dict[str, Derivation] = {**KINEMATICS, **DYNAMICS, **CLOSURE, **REGRESSOR}


def derive(mechanism: Mechanism, name: str) -> Function:
    """One quantity of the tree in factored form.

    Raises ModelError for an unknown name.
    """
    if name not in DERIVATIONS:
        raise ModelError(f"no derivation '{name}'; there are: {', '.join(sorted(DERIVATIONS))}")
    title, build = DERIVATIONS[name]
    return written(mechanism, name, title, build)
