"""Names and values that users give, found in the manifest or refused with the nearest names."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, TypeVar

import numpy as np

from ..abi import SIGNS, Manifest, ParameterSpec, Precision
from ..arguments import Array, as_array, as_number
from ..errors import ModelError, like, shown

T = TypeVar("T")


def looked_up(name: Any, known: Mapping[str, T], missing: str) -> T:
    """What has that name. ModelError, `missing` and the names like it, for one that is not there or that is no text."""
    if not isinstance(name, str) or name not in known:
        raise ModelError(f"{missing} {shown(name)}{near(name, known)}")
    return known[name]


def values_by_name(what: str, values: Mapping[str, T] | None, named: Mapping[str, T]) -> dict[str, T]:
    """Values of parameters by mapping or keyword. ModelError, after `what`, for anything but a mapping of names."""
    if not isinstance(values, Mapping | None) or not all(isinstance(name, str) for name in values or ()):
        raise ModelError(f"{what}: expected values by name, such as {{'mass': 2.0}}, got {shown(values)}")
    return {**(values or {}), **named}


def parameter_values(manifest: Manifest, given: Mapping[str, float]) -> Array:
    """(number of parameters) values in the manifest's order, NaN for those without one."""
    specs = {spec.name: spec for spec in manifest.parameters}
    for name in given:
        if name not in specs:
            raise ModelError(f"model '{manifest.name}' has no parameter {shown(name)}{near(name, specs)}")
    defaults = {spec.name: spec.default for spec in manifest.parameters if spec.default is not None}
    values = {**defaults, **{name: _value(specs[name], value, manifest.precision) for name, value in given.items()}}
    return np.array([values.get(name, np.nan) for name in specs])


def named_values(manifest: Manifest, values: Array) -> dict[str, float]:
    """Name -> value, out of `values` of all parameters (P)."""
    return dict(zip((spec.name for spec in manifest.parameters), values.tolist(), strict=True))


def own_parameters(manifest: Manifest) -> dict[str, int]:
    """Name -> place among all of the parameters of the description: those that tell what is connected are left out."""
    connecting = {place for switch in manifest.switches for place in (switch.flag, *switch.pose)}
    return {spec.name: place for place, spec in enumerate(manifest.parameters) if place not in connecting}


def own_values(manifest: Manifest, values: Array) -> dict[str, float]:
    """Name -> value of these alone, out of `values` of all parameters (P)."""
    return {name: float(values[place]) for name, place in own_parameters(manifest).items()}


def parameter_rows(manifest: Manifest, known: Mapping[str, float], given: Mapping[str, Array]) -> Array:
    """(rows, number of parameters) likewise, with `given` numbers (rows) by name. ModelError names the row of a wrong
    one."""
    rows = np.tile(parameter_values(manifest, known), (max(map(len, given.values())), 1))
    places = {spec.name: i for i, spec in enumerate(manifest.parameters)}
    for name, column in given.items():
        if name not in places:
            parameter_values(manifest, {name: 0.0})  # which says so
        spec, precision = manifest.parameters[places[name]], manifest.precision
        fits = (np.abs(column) <= precision.large) & SIGNS[spec.sign](column.astype(precision.dtype))
        if not fits.all():
            row = int(np.argmin(fits))
            try:
                _value(spec, float(column[row]), precision)
            except ModelError as error:
                raise ModelError(f"row {row}: {error}") from error
        rows[:, places[name]] = column
    return rows


def _value(spec: ParameterSpec, given: float, precision: Precision) -> float:
    """ModelError for what the description rules out, such as a mass below zero, and the numbers of the model."""
    value = as_number(f"parameter {spec.name}", given)
    fits = abs(value) <= precision.large
    if not fits or not SIGNS[spec.sign](float(np.dtype(precision.dtype).type(value))):
        bound = spec.sign if fits else f"at most {precision.large:.6g} in size"
        raise ModelError(f"parameter {spec.name}: expected a number that is {bound}, got {shown(value)}")
    return value


def frames(manifest: Manifest) -> dict[str, tuple[Array, Array]]:
    """Name -> (4) [link, offset], the kernels' frame argument, and (4, 4) pose of the frame in the link."""
    found = {name: (np.array([float(i), 0.0, 0.0, 0.0]), np.eye(4)) for i, name in enumerate(manifest.links)}
    for spec in manifest.frames:
        offset = np.eye(4)
        offset[:3, :3] = as_array("rotation", spec.rotation, (9,), batch=False).reshape(3, 3)
        offset[:3, 3] = spec.xyz
        found[spec.name] = (np.array([float(spec.link), *spec.xyz]), offset)
    return found


def require_placed(manifest: Manifest, name: object, what: str = "") -> None:
    """ModelError, after `what`, for a frame at a place given by parameters: kernels of its own know it alone."""
    if isinstance(name, str) and name in manifest.unplaced:
        own = any(kernel.frame == name for kernel in manifest.kernels)
        asked = "" if own else f", of models compiled with frames=[{name!r}]"
        raise ModelError(
            f"{what}frame '{name}' of model '{manifest.name}' stands at a place given by parameters, which is known to "
            f"the pose, Jacobian, velocity, acceleration and bias of frames alone{asked}; give its place numbers"
        )


def near_joint(manifest: Manifest, name: object, known: Collection[str]) -> str:
    """What ends a message that there is no such joint: the one that it follows, else names like it."""
    leader = manifest.followers.get(name) if isinstance(name, str) else None
    return f": it follows '{leader}', which stands for both" if leader else near(name, known)


def near(name: object, known: Collection[str]) -> str:
    """Names like this one, to end a message with."""
    names = list(known)
    close = like(name, names, 3) or names[:8]
    if not close:
        return "; it has none"
    return f"; it has: {', '.join(close)}{', ...' if len(names) > len(close) else ''}"
