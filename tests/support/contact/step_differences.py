"""Differences of order eight of the exactly solved step of a simulator, by state, torques, targets and parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

import kinegen as kg
from kinegen.runtime.derivatives.steps.step import StepDerivatives
from support.oracles.numeric import Array, error

DT = 1e-3
INTEGRATORS = ("semi_implicit", "rk4")
FIRST = pytest.mark.parametrize("integrator", ["semi_implicit", pytest.param("rk4", marks=pytest.mark.sweep)])
"""Of what has many coordinates: Runge-Kutta's step is left to the sweep, smaller ones are held against both."""
WEIGHTS = (4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0)
DIRECTIONS = 2
"""Of each part (positions, velocities, torques, ...): a wrong entry shows along any that is taken at random."""


def directions(size: int) -> Array:
    """(size, at most DIRECTIONS): orthonormal columns at random, the same every time."""
    found: Array = np.linalg.qr(np.random.default_rng(size).normal(size=(size, min(size, DIRECTIONS))))[0]
    return found


@dataclass(frozen=True)
class Case:
    """A state, and what each point does there; v: of a closed mechanism its independent velocities; `h`: steps of
    differences by q, so that they stay on one side; `integrator`: by name; `tolerance`: velocity up to which nothing
    strikes, by Runge-Kutta: differences stay on one side of it too."""

    q: Array
    v: Array
    modes: tuple[str, ...]
    tau: Array | None = None
    servos: Mapping[str, kg.Servo] = field(default_factory=dict)
    parameters: Sequence[str] = ()
    h: float = 5e-6
    depth: float = 1e-4
    integrator: str = "semi_implicit"
    tolerance: float = 3e-3

    @property
    def contacts(self) -> kg.ContactOptions:
        return kg.ContactOptions(depth=self.depth, tolerance=self.tolerance)

    def stepped(self, at: kg.Model, moved: Sequence[Array]) -> Array:
        """(nq + nv) after the step with y, ẏ, tau, targets and parameters moved by these."""
        by = dict(zip(self.parameters, moved[4], strict=True))
        model = at.with_parameters({n: (x or 0.0) + by.get(n, 0.0) for n, x in at.parameters.items()}) if by else at
        q, v = _beside(model, self.q, moved[0]), self.v + moved[1]
        if at.manifest.closed:
            v = model.W(q) @ v
        width = len(moved[3]) // 2
        servos = {
            name: replace(one, position=one.position + moved[3][i], velocity=one.velocity + moved[3][width + i])
            for i, (name, one) in enumerate(self.servos.items())
        }
        contacts = replace(self.contacts, solver="exact")
        tau = (np.zeros(at.nv) if self.tau is None else self.tau) + moved[2]
        sim = kg.Simulator(
            model, dt=DT, q=q, v=v, tau=tau, servos=servos, contacts=contacts, integrator=self.integrator
        )
        sim.step()
        return np.concatenate([sim.q, sim.v])


def _beside(at: kg.Model, q: Array, moved: Array) -> Array:
    if not at.manifest.closed:
        return at.integrate(q, moved)
    way = np.zeros(at.nv)
    way[list(at.loops.leaders)] = moved
    return at.assemble(at.integrate(q, way), hold=at.independent)


def differences(at: kg.Model, case: Case, targets: bool = False) -> Array:
    """(2 nv, columns): along `directions` of y, ẏ, tau, targets of servos if asked for, and parameters."""
    width = 2 * len(case.servos)
    sizes = (at.nf, at.nf, at.nv, width, len(case.parameters))
    still = [np.zeros(size) for size in sizes]
    end, columns = case.stepped(at, still), []
    steps = (case.h, 50 * case.h, 1000 * case.h, 1e-3, 1e-3 if not at.manifest.closed else case.h)
    for part, (size, h) in enumerate(zip(sizes, steps, strict=True)):
        for way in directions(size if part != 3 or targets else 0).T:
            total = np.zeros(2 * at.nv)
            for k, weight in enumerate(WEIGHTS, 1):
                for s in (k * h, -k * h):
                    x = case.stepped(at, [*still[:part], s * way, *still[part + 1 :]])
                    change = at.difference(end[: at.nq], x[: at.nq])
                    total += np.sign(s) * weight / h * np.concatenate([change, x[at.nq :]])
            columns.append(total)
    return np.array(columns).T


def assert_agree(
    at: kg.Model,
    case: Case,
    bound: float = 2e-9,
    targets: bool = False,
    integrators: Sequence[str] = INTEGRATORS,
) -> StepDerivatives:
    """By these integrators; gives those of the first."""
    found = [_assert_agree(at, replace(case, integrator=name), bound, targets) for name in integrators]
    return found[0]


def _assert_agree(at: kg.Model, case: Case, bound: float, targets: bool) -> StepDerivatives:
    """By independent coordinates and velocities; those of the tree follow as `tree` says."""
    v = at.W(case.q) @ case.v if at.manifest.closed else case.v
    found = kg.step_derivatives(
        at,
        case.q,
        v,
        case.tau,
        dt=DT,
        servos=dict(case.servos),
        parameters=tuple(case.parameters),
        contacts=case.contacts,
        integrator=case.integrator,
    )
    assert tuple(point.mode for point in found.points) == case.modes
    expected = differences(at, case, targets)
    asked = found.targets if targets else found.targets[:, :0]
    parts = (found.A[:, : at.nf], found.A[:, at.nf :], found.B, asked, found.by_parameter)
    got = [part @ directions(part.shape[1]) for part in parts]
    rows = [*found.independent, *(at.nv + i for i in found.independent)]
    blocks = np.cumsum([part.shape[1] for part in got])
    for a, b in zip(got, np.split(expected[rows], blocks[:-1], axis=1), strict=True):
        assert not a.size or error(a, b) < bound
    assert error(found.tree @ np.hstack(got[:3]), expected[:, : blocks[2]]) < bound
    return found
