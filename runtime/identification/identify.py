"""Inertial parameters, dampers, friction and rotors from motions and torques that were measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..abi import PER_LINK
from ..analysis.smoothing import Smoothing
from ..analysis.values import by_value
from ..arguments import Array, as_array, as_number
from ..derivatives.passive import Passive
from ..errors import ModelError
from ..kinds import KINDS
from ..model.model import Model
from ..names.latin import parameter_names
from ..thresholds import SLIP_SPEED
from ..typed import typed
from .base import BaseParameters, base_parameters, full_regressor, velocity_labels
from .bodies import SOLVED, about_com, nearest_body, pseudo_inertia
from .excitation import excitation
from .records import Records, Samples, samples_of
from .scale import left_of, noise_of, undriven

ROUNDING = float(np.finfo(float).eps)

NOTHING = 1e-9
"""Part of the largest inertial parameter (SI units) below which a negative number is what rounding left of 0."""


@by_value
@dataclass(frozen=True)
class Identification:
    """What was found: `parameters` (10N) π of `links`, as `inertial_parameters`; `rotors`, `damping`, `friction` (nv),
    as described where they were not looked for, those of joints that follow others with their leaders'. `sought`: names
    of those of joints that were looked for, as in `values`.

    `base`: what torques of the mechanism can tell, and `condition`: how well these motions told it (of the scaled
    columns: 1 is best, 100 is good). `deviations` (n): standard deviations of the base parameters' values, whatever the
    weights were: √diag(P diag(s²) Pᵀ), P the pseudo-inverse of the p weighted columns of all N equations of all samples
    and s² the mean square that is left of the equation in all samples, times N/(N − p); infinite where no torque
    tells of them. `residual` (rows) [N m, N]: root mean square of what is left of each equation, one for each entry of
    v, of a closed mechanism of its independent ones.
    """

    links: tuple[str, ...]
    dofs: tuple[str, ...]
    parameters: Array
    rotors: Array
    damping: Array
    friction: Array
    base: BaseParameters
    condition: float
    deviations: Array
    residual: Array
    sought: tuple[str, ...]

    @typed
    def link(self, name: str) -> tuple[float, Array, Array]:
        """Mass [kg], (3) mass centre in the link's frame [m], (3, 3) moments of inertia about it [kg m²]."""
        if name not in self.links:
            raise ModelError(f"no link {name!r}; there is: {', '.join(self.links)}")
        k = PER_LINK * self.links.index(name)
        return about_com(self.parameters[k : k + PER_LINK])

    @property
    def possible(self) -> bool:
        """Whether every link is one that some body could be, to rounding."""
        return bool(_possible(self.parameters).all())

    @property
    def values(self) -> Mapping[str, float]:
        """What was found by the names of `kg.parametrise`: mass_LINK, com_LINK_x, ..., damping_JOINT, ... of a leader
        with what its followers have."""
        found: dict[str, float] = {}
        called = (parameter_names(what, self.links) for what in ("mass", "com", "inertia"))
        for k, (mass, com, inertia) in enumerate(zip(*called, strict=True)):
            m, c, I = about_com(self.parameters[PER_LINK * k : PER_LINK * k + PER_LINK])  # noqa: E741
            found |= {mass: m, **{f"{com}_{x}": float(y) for x, y in zip("xyz", c, strict=True)}}
            six = {"xx": (0, 0), "xy": (0, 1), "xz": (0, 2), "yy": (1, 1), "yz": (1, 2), "zz": (2, 2)}
            found |= {f"{inertia}_{x}": float(I[at]) for x, at in six.items()}
        joints = np.concatenate([self.rotors, self.damping, self.friction]).tolist()
        named = dict(zip(_names(self.dofs), joints, strict=True))
        return MappingProxyType(found | {name: named[name] for name in self.sought})

    @typed
    def of(self, model: Model) -> Model:
        """A model with these values for the run-time parameters that it has of them: followers keep theirs, and their
        leaders have the rest. What rounding alone makes negative is 0. ModelError where followers have more than was
        found of all, and for what `physical=False` found negative."""
        values = {name: x for name, x in self.values.items() if name in model.parameters}
        followers = dict(
            zip(_names(velocity_labels(model)), _of_followers(model, self.sought).ravel().tolist(), strict=True)
        )
        rest = {name: x - followers.get(name, 0.0) for name, x in values.items()}
        rounding = NOTHING * float(np.abs(self.parameters).max())
        for name in (p.name for p in model.manifest.parameters if p.sign == "not negative" and p.name in rest):
            if rest[name] < -rounding:
                taken = f" less the followers' {followers[name]:.3g}" if followers.get(name) else ""
                raise ModelError(
                    f"parameter {name}: {values[name]:.3g} was found{taken}, but it cannot be negative: "
                    "identify with physical=True finds what can be"
                )
            rest[name] = max(rest[name], 0.0)
        return model.with_parameters(rest)


@typed
def identify(
    model: Model,
    records: Records,
    *,
    rotors: bool = False,
    damping: bool = True,
    friction: bool = True,
    physical: bool = True,
    prior: float = 100.0,
    weights: ArrayLike | None = None,
    smoothing: Smoothing | None = None,
) -> Identification:
    """Parameters from torques by weighted least squares: τ = Y π + rotors a + damping v + friction sign(v) + springs.

    `records`: `TorqueRecord(q, v, a, tau)` or `Trajectory` (its accelerations are derivatives of its v by `smoothing`),
    one or several. `rotors`, `damping`, `friction`: whether they are looked for, dampers and friction not of free
    joints nor of those that close loops. What is not looked for counts as it is described (`rotor_inertias`,
    `passive_forces`), and so do springs. `physical`: every link must be one that some body could be, its pseudo-inertia
    positive semidefinite [Wensing18], and what joints have not negative, nor less than what their followers have as
    described, where `of` can set the rest; needs Clarabel.
    `prior`: what torques do not tell stays near the description: a standard deviation in units of each number's size.
    `weights` (rows): 1 over the noise of each torque; by default what a first estimate leaves of each.
    ModelError for too few samples, and for a Trajectory that by its own model (if it has one) its joints alone do not
    make, or that has other loops there: wrenches, contacts and limits go into `TorqueRecord`; an ExcitationWarning
    names what the motions do not tell. Where no torque acts, or none beyond noise, on links that hang together, bodies
    and rotors are those of the description.
    """
    if not (model.nf if model.manifest.closed else model.nv):
        raise ModelError(f"identify: model '{model.name}': nothing moves, so that torques tell nothing")
    samples = samples_of(model, records, smoothing)
    spread = as_number("prior", prior, positive=True)
    base = base_parameters(model, rotors=rotors)
    unknown = _Unknown(model, rotors, damping, friction)
    Y, right = unknown.equations(samples)
    n, rows, columns = Y.shape
    others = columns - unknown.rigid
    if n * rows <= len(base) + others:
        sought = f"{len(base)} base parameters" + (f" and {others} of rotors, damping and friction" if others else "")
        raise ModelError(
            f"identify: {n} samples of {rows} torques do not tell {sought}: record {(len(base) + others) // rows + 1} "
            "or more"
        )
    required = _solver() if physical else None
    left = left_of(Y, right)
    if (still := undriven(Y, right, left)).any():
        Y, right = unknown.held(Y, right, still)
        left = left_of(Y, right)
    noise = noise_of(left, right) if weights is None else 1.0 / _weights(weights, rows)
    x = unknown.solved(Y / noise[:, None], right / noise, spread, required)
    left = np.asarray(right - Y @ x)
    condition, deviations = excitation(Y / noise[:, None], left / noise, base, unknown.rigid)
    residual = np.sqrt((left**2).mean(axis=0))
    return unknown.found(x, base, condition, deviations, residual)


def _weights(weights: ArrayLike, rows: int) -> Array:
    given = as_array("weights", weights, (rows,), batch=False)
    if not (given > 0.0).all():
        k = int(np.argmin(given))
        raise ModelError(f"weights: expected positive numbers, got {given[k]:g} for torque {k}")
    return given


def _solver() -> tuple[Any, Any]:
    try:
        import clarabel
        from scipy import sparse
    except ImportError:
        raise ModelError(
            "identify: physical=True needs the packages 'clarabel' and 'scipy': pip install 'kinegen[exact]'"
        ) from None
    return clarabel, sparse


class _Unknown:
    """The unknowns: [π | rotors (nv) | damping (nv) | friction (nv)], those that are asked for."""

    def __init__(self, model: Model, rotors: bool, damping: bool, friction: bool) -> None:
        self.model, self.rotors = model, rotors
        self.links = len(model.link_names)
        joints = [joint for joint in model.manifest.joints if not KINDS[joint.kind].free]
        self.dofs = np.array([k for j in joints for k in range(j.v_start, j.v_start + j.nv)], dtype=int)
        self.parts = [name for name, on in (("damping", damping), ("friction", friction)) if on]
        self.rigid = PER_LINK * self.links + (model.nv if rotors else 0)
        self.columns = self.rigid + len(self.parts) * len(self.dofs)
        self.described = _described(model)
        self.asked = np.zeros(self.described.shape, dtype=bool)
        self.asked[0] = rotors
        self.asked[1:, self.dofs] = [[damping], [friction]]
        self.first = np.concatenate([model.inertial_parameters(), self.described[self.asked]])
        self.sought = tuple(np.array(_names(velocity_labels(model)))[self.asked.ravel()].tolist())

    def equations(self, samples: Samples) -> tuple[Array, Array]:
        """(n, rows, columns) and (n, rows): of a closed mechanism in its independent coordinates."""
        model, unit = self.model, np.eye(self.model.nv)[:, self.dofs]
        Y = full_regressor(model, samples.q, samples.v, samples.a, self.rotors)
        kinds = {"damping": samples.v, "friction": samples.v / np.sqrt(samples.v**2 + SLIP_SPEED**2)}
        Y = np.concatenate([Y, *(kinds[name][..., None] * unit for name in self.parts)], axis=-1)
        known = model.rotor_inertias() * samples.a - model.passive_forces(samples.q, samples.v)
        for asked, rate in zip(self.asked * self.described, (samples.a, *kinds.values()), strict=True):
            known -= asked * rate
        if not model.manifest.closed:
            return Y, samples.tau - known
        W = model.W(samples.q)
        return np.einsum("nvf,nvp->nfp", W, Y), samples.tau - np.einsum("nvf,nv->nf", W, known)

    def held(self, Y: Array, right: Array, still: Array) -> tuple[Array, Array]:
        """The equations, in those that are `still` with bodies and rotors as described, by which the rest is found."""
        known = np.logical_and(still[:, None], np.arange(self.columns) < self.rigid)
        return np.where(known, 0.0, Y), right - np.where(known, Y, 0.0) @ self.first

    def solved(self, Y: Array, right: Array, prior: float, required: tuple[Any, Any] | None) -> Array:
        """Least squares with the prior, and with bodies that can be if a solver is given.

        Of x = first + D z, D the sizes, |F D z − r|² + |z / prior|² with F D = U diag(s) Vᵀ is least at
        z = V diag(s / c²) Uᵀ r, c² = s² + 1 / prior², and grows by |diag(c) w|² along V w from there.
        """
        flat, size = Y.reshape(-1, Y.shape[-1]), self._sizes()
        first = self.first
        R = np.asarray(np.linalg.qr(np.column_stack([flat * size, right.reshape(-1) - flat @ first]), mode="r"))
        states, told, ways = np.linalg.svd(R[:, :-1])
        told = told[told > ROUNDING * len(flat) * told.max(initial=0.0)]
        s = np.concatenate([told, np.zeros(self.columns - len(told))])
        c = np.hypot(s, 1.0 / prior)
        along = told / c[: len(told)] ** 2 * (states.T @ R[:, -1])[: len(told)]
        x = first + size * (ways[: len(told)].T @ along)
        if required is None:
            return np.asarray(x)
        least = _of_followers(self.model, self.sought)[self.asked]
        x, status = nearest_body(x, ways, c, size, least, required)
        if status not in SOLVED:
            raise ModelError(f"identify: Clarabel answers {status}; take physical=False, or another prior")
        return np.asarray(np.where(self._untold(flat), first, x))

    def _untold(self, Y: Array) -> Array:
        """(columns) whether no equation has an unknown, nor what else its link is, if bodies can be as described: there
        the solver's tolerance alone moves them."""
        untold, end = np.abs(Y).max(axis=0) == 0.0, PER_LINK * self.links
        links = untold[:end].reshape(-1, PER_LINK).all(axis=1) & _possible(self.first[:end])
        return np.concatenate([np.repeat(links, PER_LINK), untold[end:]])

    def _sizes(self) -> Array:
        """(columns) of what size each unknown is: of a link by its mass and how far its mass reaches."""
        pi = self.model.inertial_parameters().reshape(-1, PER_LINK)
        mass = np.where(pi[:, 0] > 0.0, pi[:, 0], pi[:, 0].max(initial=0.0) or 1.0)
        trace = pi[:, 4] + pi[:, 6] + pi[:, 9]
        reach = np.sqrt(np.maximum(trace, 0.0) / mass)
        reach = np.where(reach > 0.0, reach, reach.max(initial=0.0) or 1.0)
        each = np.stack([mass, *[mass * reach] * 3, *[mass * reach**2] * 6], axis=1).reshape(-1)
        largest = float(each[4::PER_LINK].max(initial=0.0)) or 1.0
        return np.concatenate([each, np.full(self.columns - PER_LINK * self.links, largest)])

    def found(
        self, x: Array, base: BaseParameters, condition: float, deviations: Array, residual: Array
    ) -> Identification:
        rigid, joints = PER_LINK * self.links, self.described.copy()
        joints[self.asked] = x[rigid:]
        armature, damping, friction = joints
        return Identification(
            self.model.link_names, velocity_labels(self.model), x[:rigid], armature, damping, friction,
            base, condition, deviations, residual, self.sought,
        )  # fmt: skip


def _possible(pi: Array) -> Array:
    """(N) whether some body could be each of the links of pi (10N), to rounding."""
    least = np.linalg.eigvalsh(pseudo_inertia(pi.reshape(-1, PER_LINK)))
    return np.asarray(least[:, 0] >= -1e-9 * np.maximum(least[:, -1], 1e-12))


def _described(model: Model) -> Array:
    """(3, nv) armatures, damping and friction, those of followers with their leaders'."""
    passive = Passive(model)
    return np.array([model.rotor_inertias(), passive.dampers()[: model.nv], passive.friction()[: model.nv]])


def _names(dofs: Sequence[str]) -> list[str]:
    """Of what `_described` gives, as run-time parameters."""
    return [name for what in ("armature", "damping", "friction") for name in parameter_names(what, dofs)]


def _of_followers(model: Model, names: Sequence[str]) -> Array:
    """(3, nv) what is left of `_described` where the run-time parameters of these names are 0, else 0; by twice their
    values, for not each may be 0."""
    own = {name: 2.0 * (model.parameters[name] or 0.0) for name in names if name in model.parameters}
    once, twice = (_described(each) for each in (model, model.with_parameters(own)))
    known = np.reshape([name in own for name in _names(velocity_labels(model))], once.shape)
    return np.where(known, 2.0 * once - twice, 0.0)
