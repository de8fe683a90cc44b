"""Base parameters: the combinations of inertial parameters that torques can tell (§16) [Gautier90, Gautier91]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..abi import INERTIAL, PER_LINK, SCANNED
from ..analysis.values import by_value
from ..arguments import Array, as_array, as_count
from ..errors import ModelError
from ..kinds import KINDS
from ..model.closed.closure import lengths
from ..model.model import Model
from ..typed import typed
from .walks import Place, walked

SIZE = 1.5
"""Coordinates drawn, and lengths of walks along loops [rad, or lengths of the mechanism]; velocities and accelerations
are such that inertia and gravity count alike, whatever the units."""

RANK, RANK_CLOSED = 1e-8, 1e-5
"""A column of which less than this part of its length is new depends on those before it; the second one is of closed
mechanisms, whose axes and lengths fit each other to the digits that are given (or a hundred times what loops miss)."""

UNFELT = 0.1
"""Times the same part: a column shorter than that of the longest one counts as zero."""

MORE = (1, 4)
"""Times as many states are drawn as suffice for most mechanisms, the later ones where the former do not tell."""

ROUNDING = 1e-9
"""Coefficients below this are none."""


@by_value
@dataclass(frozen=True)
class BaseParameters:
    """π_b = B π with τ = Y_b π_b, Y_b the columns `independent` of Y.

    `labels` (p) of π, with "rotor_DOF" behind those of the links if rotors count; `matrix` (n, p) B; `independent` (n):
    places in π of what each base parameter is grouped about; `condition`: of the scaled columns over the states drawn.
    """

    labels: tuple[str, ...]
    independent: tuple[int, ...]
    matrix: Array
    condition: float

    def __len__(self) -> int:
        return len(self.independent)

    @property
    def names(self) -> tuple[str, ...]:
        """What each base parameter is grouped about."""
        return tuple(self.labels[k] for k in self.independent)

    @property
    def unfelt(self) -> tuple[str, ...]:
        """Parameters that no torque tells anything of, not even together with others."""
        felt = np.abs(self.matrix).max(axis=0, initial=0.0) > 0.0
        return tuple(label for label, told in zip(self.labels, felt, strict=True) if not told)

    def values(self, pi: ArrayLike) -> Array:
        """(..., n) B π."""
        return as_array("pi", pi, (len(self.labels),)) @ self.matrix.T

    def groups(self) -> tuple[str, ...]:
        """Each base parameter written out: "Izz_upper + 0.25 m_lower"."""
        return tuple(_sum(row, self.labels, k) for row, k in zip(self.matrix, self.independent, strict=True))

    def __str__(self) -> str:
        return "\n".join(self.groups())


def _sum(row: Array, labels: Sequence[str], first: int) -> str:
    text = labels[first]
    for k in map(int, np.flatnonzero(row)):
        if k != first:
            size = f"{abs(row[k]):.6g} ".removeprefix("1 ") if abs(row[k]) != 1.0 else ""
            text += f" {'-' if row[k] < 0 else '+'} {size}{labels[k]}"
    return text


@typed
def base_parameters(model: Model, *, rotors: bool = False, seed: int = 0) -> BaseParameters:
    """What the torques of a mechanism tell of its inertial parameters, over states drawn at random.

    A closed mechanism is looked at in its independent coordinates, Wᵀ Y, on the branch that it was compiled for,
    whatever leads; limits are not looked at. `rotors`: armatures of joints count as parameters too.
    ModelError if it cannot be told from rounding whether columns depend on each other.
    """
    labels, first_seed = labels_of(model, rotors), as_count("seed", seed, least=0)
    left = 0.0
    for more in MORE:
        states = more * _states(model, len(labels))
        first, second = (_stacked(model, states, rotors, first_seed + k) for k in range(2))
        found, left = _told(model, labels, first, second)
        if found is not None:
            return found
    raise ModelError(
        f"model '{model.name}': it cannot be told from rounding which parameters depend on each other (left of the "
        f"regressor: {left:.1e}); lengths may differ too much, or another seed may help"
    )


def _told(model: Model, labels: tuple[str, ...], first: Array, second: Array) -> tuple[BaseParameters | None, float]:
    """What the regressors of the first states tell, None if rounding may have told it, and the part of those of the
    second ones that it leaves."""
    rank = _rank(model)
    first = np.asarray(np.linalg.qr(first, mode="r"))  # columns as long, and at the same angles
    kept = _independent(first, scan_order(labels), rank)
    matrix, units = _regrouped(first, kept), _units(model, labels)
    left = _largest(second - second[:, kept] @ matrix) / (_largest(second) or 1.0)
    sizes = np.linalg.svd(_scaled(first[:, kept]), compute_uv=False)
    if left > max(1e-7, rank) or (len(kept) and sizes[-1] < rank * sizes[0]):
        return None, left
    condition = float(sizes[0] / sizes[-1]) if len(kept) else 1.0
    return BaseParameters(labels, tuple(kept), units[kept, None] * matrix / units, condition), left


def labels_of(model: Model, rotors: bool) -> tuple[str, ...]:
    """Names of what regressors are linear in."""
    return (
        (*model.inertial_labels, *(f"rotor_{name}" for name in velocity_labels(model)))
        if rotors
        else model.inertial_labels
    )


def velocity_labels(model: Model) -> tuple[str, ...]:
    """Name of every entry of v: of its joint, with its own behind where there are several."""
    found = []
    for joint in model.manifest.joints:
        names = KINDS[joint.kind].entries(1) if joint.nv > 1 else [""]
        found += ["_".join(filter(None, (joint.name, name))) for name in names[: joint.nv]]
    return tuple(found)


def scan_order(labels: Sequence[str]) -> list[int]:
    """Rotors first, then links as they stand, root to leaves; in a link what its joint feels before what it may not."""
    inside = [INERTIAL.index(what) for what in SCANNED]
    links = sum(not label.startswith("rotor_") for label in labels) // PER_LINK
    rotors = range(links * PER_LINK, len(labels))
    return [*(PER_LINK * i + k for i in range(links) for k in inside), *rotors]


def full_regressor(model: Model, q: Array, v: Array, a: Array, rotors: bool) -> Array:
    """(n, nv, p) Y of a tree's torques, columns of rotors behind."""
    Y = model.torque_regressor(q, v, a)
    return np.concatenate([Y, a[..., None] * np.eye(model.nv)], axis=-1) if rotors else Y


def _rank(model: Model) -> float:
    manifest = model.manifest
    return max(RANK_CLOSED, 100.0 * manifest.misfit / manifest.unit_length) if manifest.closed else RANK


def _states(model: Model, columns: int) -> int:
    """How many states tell so many columns: places on closed branches are close to each other, so that they are as many
    as columns at least."""
    if not model.manifest.closed:
        return -(-3 * columns // max(1, model.nv)) + 20
    return max(-(-3 * columns // max(1, model.nf)) + 20, columns)


def _stacked(model: Model, n: int, rotors: bool, seed: int) -> Array:
    """(n · rows, p) regressors of states drawn at random, of a closed mechanism in its independent coordinates.

    In units in which the length of the mechanism is 1, as its rate where there is gravity.
    """
    rng, length = np.random.default_rng(seed), _length(model)
    pull = float(np.linalg.norm(model.gravity_acceleration()))
    reach = np.where(lengths(model.manifest), length, 1.0)
    rate = np.sqrt(pull / length) if pull else 1.0
    v, a = rng.normal(0.0, 1.0, (2, n, model.nv)) * reach * np.reshape([rate, rate**2], (2, 1, 1))
    units = _units(model, labels_of(model, rotors)) / (length * rate) ** 2
    if not model.manifest.closed:
        q = model.integrate(model.neutral(), reach * rng.normal(0.0, SIZE, (n, model.nv)))
        Y = full_regressor(model, q, v, a, rotors) * reach[:, None]
        return Y.reshape(n * model.nv, Y.shape[-1]) * units
    places = walked(model, n, reach, SIZE, rng)
    rows = [_rows(model, place, v[k], a[k], rotors, reach) * units for k, place in enumerate(places)]
    return np.concatenate([row / (np.abs(row).max(initial=0.0) or 1.0) for row in rows])


def _rows(model: Model, place: Place, v: Array, a: Array, rotors: bool, reach: Array) -> Array:
    """(nf, p) regressor of a place along its ways, with the motion there that is next to v and a."""
    v, a = (reach * (place.ways @ (place.ways.T @ (x / reach))) for x in (v, a))
    model.loops.closure.follow(place.q, v, a, place.leaders)
    return np.asarray((reach[:, None] * place.ways).T @ full_regressor(model, place.q, v, a, rotors))


def _length(model: Model) -> float:
    """The longest lever of a centre of mass about a joint, as a power of two; 1 m if there is none."""
    J = model.cog_jacobian(model.neutral())
    levers = J.reshape(len(J) // 6, 2, 3, model.nv)[:, 0][..., ~lengths(model.manifest)]
    longest = float(np.linalg.norm(levers, axis=1).max(initial=0.0))
    return float(2.0 ** np.round(np.log2(longest))) if longest > 0.0 else 1.0


def _units(model: Model, labels: Sequence[str]) -> Array:
    """(p) of masses, first moments, and moments of inertia, in which the mechanism's length is 1."""
    length = _length(model)
    powers = [{"m": 0, "mx": 1, "my": 1, "mz": 1}.get(label.partition("_")[0], 2) for label in labels]
    return np.asarray(length ** np.array(powers, dtype=float))


def _largest(Y: Array) -> float:
    """Length of the longest column."""
    return float(np.linalg.norm(Y, axis=0).max(initial=0.0))


def _scaled(Y: Array) -> Array:
    size = np.linalg.norm(Y, axis=0)
    return np.asarray(Y / np.where(size > 0.0, size, 1.0))


def _independent(Y: Array, order: Sequence[int], rank: float) -> list[int]:
    """Columns that are new when they come in this order, ascending: Gram-Schmidt, twice."""
    scaled, largest = _scaled(Y), _largest(Y)
    kept: list[int] = []
    basis = np.zeros((len(Y), 0))
    for k in order:
        new = scaled[:, k].copy()
        for _ in range(2):
            new -= basis @ (basis.T @ new)
        size = float(np.linalg.norm(new))
        if size > rank and np.linalg.norm(Y[:, k]) > UNFELT * rank * largest:
            basis, kept = np.column_stack([basis, new / size]), [*kept, k]
    return sorted(kept)


def _regrouped(Y: Array, kept: Sequence[int]) -> Array:
    """(n, p) B with Y = Y_b B."""
    if not kept:
        return np.zeros((0, Y.shape[1]))
    size = np.linalg.norm(Y[:, kept], axis=0)
    B = np.linalg.lstsq(Y[:, kept] / size, Y, rcond=None)[0] / size[:, None]
    B[:, kept] = np.eye(len(kept))
    return np.asarray(np.where(np.abs(B) > ROUNDING, B, 0.0))
