"""What a motion may begin with: a model of one structure, a configuration, a velocity. ModelError for all else."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ..arguments import Array, as_array
from ..errors import ModelError, about, shown, wrong_model
from ..model.model import Model
from ..module.kernel import require_unit
from ..typed import is_empty


def of_one_structure(model: object, active: Collection[str] | None) -> Model:
    """A compiled model, of which nothing can be active."""
    if not isinstance(model, Model):
        raise wrong_model(model, "a compiled Model")
    _require_none(model, active)
    return model


@about("active")
def _require_none(model: Model, active: Collection[str] | None) -> None:
    if active is not None and not is_empty(active):
        raise ModelError(f"active: model '{model.name}' has no connections, got {shown(active)}; leave active=None")


def configuration(model: Model, value: Any) -> Array:
    """(nq), a copy; its rotations are of unit norm."""
    q = as_array("q", value, (model.nq,), batch=False).copy()
    require_unit(model.module, "q", q)
    return q


def velocity(model: Model, value: Any) -> Array:
    """(nv), a copy."""
    return as_array("v", value, (model.nv,), batch=False).copy()
