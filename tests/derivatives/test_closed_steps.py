"""Derivatives of a step on closed loops: extrapolated differences of the real step, fifty digits, refusals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy

import kinegen as kg
from kinegen.codegen.inspection.sources import program_of
from support.mechanisms.closed_mechanisms import five_bar, four_bar
from support.mechanisms.closed_models import model
from support.oracles.digits import DIGITS, STEP, many_digits
from support.oracles.numeric import Array, error

DT = 2e-3
LOOP = ("closure_rows", "closure_rows_bias", "closure_residual")
INTEGRATORS = ("semi_implicit", "rk4")
Step = Callable[[Array, Array, Array, Mapping[str, float]], Array]


def beside(at: kg.Model, q: Array, dy: Array) -> Array:
    """The closed configuration whose independent coordinates are those of q moved by dy (nf)."""
    step = np.zeros(at.nv)
    step[list(at.loops.leaders)] = dy
    return at.assemble(at.integrate(q, step), hold=at.independent)


def stepped(
    at: kg.Model,
    integrator: str,
    servos: Mapping[str, kg.Servo] | None,
    q: Array,
    rate: Array,
    tau: Array,
    more: Mapping[str, float],
) -> tuple[Array, Array]:
    moved = at.with_parameters({name: (at.parameters[name] or 0.0) + by for name, by in more.items()}) if more else at
    closed = beside(moved, q, np.zeros(at.nf)) if more else q
    v = moved.W(closed) @ rate
    sim = kg.Simulator(moved, dt=DT, integrator=integrator, q=closed, v=v, tau=tau, servos=servos, contacts=False)
    sim.step()
    return sim.q, sim.v


def differences(
    at: kg.Model, of: Callable[..., tuple[Array, Array]], q: Array, rate: Array, tau: Array, names: tuple[str, ...] = ()
) -> Array:
    """(2 nv, columns): of the tree's state after a step by y, ẏ, tau, parameters; extrapolated twice."""
    end_q, _ = of(q, rate, tau, {})
    sizes = (at.nf, at.nf, at.nv, len(names))

    def moved(part: int, j: int, s: float) -> Array:
        e = s * np.eye(max(sizes))[j]
        near = beside(at, q, e[: at.nf]) if part == 0 else q
        more = {names[j]: s} if part == 3 else {}
        x = of(near, rate + e[: at.nf] * (part == 1), tau + e[: at.nv] * (part == 2), more)
        return np.concatenate([at.difference(end_q, x[0]), x[1]])

    columns = []
    for part, size in enumerate(sizes):
        for j in range(size):
            c = [(moved(part, j, s) - moved(part, j, -s)) / (2 * s) for s in (2e-3, 1e-3, 5e-4)]
            once = (4 * c[1] - c[0]) / 3, (4 * c[2] - c[1]) / 3
            columns.append((16 * once[1] - once[0]) / 15)
    return np.array(columns).T


def compare(at: kg.Model, found: kg.StepDerivatives, wanted: Array, bound: float) -> None:
    """In independent coordinates, and of the whole tree."""
    got = np.hstack([found.A, found.B, found.by_parameter])
    rows = [*found.independent, *(at.nv + i for i in found.independent)]
    assert error(got, wanted[rows]) < bound
    of_state = np.hstack([found.A, found.B])
    assert error(found.tree @ of_state, wanted[:, : of_state.shape[1]]) < bound


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("name", ["five-bar", "bar in two hands"])
def test_real_steps(name: str, integrator: str) -> None:
    at, rng = model(name), np.random.default_rng(4)
    q = beside(at, at.q0, 0.1 * rng.normal(size=at.nf))
    rate, tau = 0.3 * rng.normal(size=at.nf), rng.normal(size=at.nv)
    found = kg.step_derivatives(at, q, at.W(q) @ rate, tau, dt=DT, integrator=integrator, contacts=False)
    compare(at, found, differences(at, partial(stepped, at, integrator, None), q, rate, tau), 1e-8)
    end = stepped(at, integrator, None, q, rate, tau, {})
    assert error(found.q, end[0]) < 1e-11 and error(found.v, end[1]) < 1e-10


def sprung() -> kg.Mechanism:
    """A five-bar with springs, dampers, a servo's motor, one mass and one length that are symbols."""
    m, far = sympy.symbols("m far")
    base = five_bar()
    links = [replace(base.links[0], mass=m), *base.links[1:]]
    extra = {
        "left_elbow": {"stiffness": 4.0, "damping": 0.3},
        "right_motor": {"damping": 0.2, "origin": kg.Pose((far, 0, 0))},
    }
    joints = [replace(joint, **extra.get(joint.name, {})) for joint in base.joints]
    return kg.Mechanism("sprung_five_bar", links, joints, gravity=base.gravity)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_springs_dampers_servos_and_parameters(integrator: str) -> None:
    """A length moves what follows from the beginning; a servo's target."""
    at, rng = kg.compile(sprung(), progress=False).with_parameters(m=0.8, far=0.4), np.random.default_rng(5)
    q = at.assemble(at.integrate(at.q0, 0.1 * rng.normal(size=at.nv)))
    rate, tau = 0.5 * rng.normal(size=at.nf), rng.normal(size=at.nv)
    servos = {"left_motor": kg.Servo(kp=300.0, kd=9.0, position=0.3, velocity=0.1)}
    names = ("m", "far")
    found = kg.step_derivatives(
        at, q, at.W(q) @ rate, tau, dt=DT, integrator=integrator, servos=servos, parameters=names
    )
    compare(at, found, differences(at, partial(stepped, at, integrator, servos), q, rate, tau, names), 1e-7)

    def aimed(s: float) -> Array:
        moved = {"left_motor": replace(servos["left_motor"], position=0.3 + s)}
        return np.concatenate(stepped(at, integrator, moved, q, rate, tau, {}))

    wanted = (aimed(1e-3) - aimed(-1e-3)) / 2e-3
    assert error(found.tree @ found.targets[:, 0], wanted) < 1e-7


@dataclass(frozen=True)
class Exact:
    """A closed mechanism of one loop with numbers of many digits: `kept` rows of K hold its dependent velocities."""

    run: Mapping[str, Callable[[dict[str, Any]], Mapping[str, Any]]]
    lead: list[int]
    follow: list[int]
    kept: list[int]

    def matrix(self, name: str, columns: int, **given: Any) -> Any:
        (values,) = self.run[name](given).values()
        return mpmath.matrix([values[i * columns : (i + 1) * columns] for i in range(len(values) // columns)])

    @property
    def nv(self) -> int:
        return len(self.lead) + len(self.follow)

    def rows(self, x: list[Any]) -> Any:
        whole = self.matrix("closure_rows", self.nv, q=x)
        return mpmath.matrix([[whole[i, j] for j in range(self.nv)] for i in self.kept])

    def closed(self, x: list[Any]) -> list[Any]:
        """By Newton's steps, where the leaders stay."""
        for _ in range(8):
            gap = self.matrix("closure_residual", 1, q=x)
            move = mpmath.lu_solve(_columns(self.rows(x), self.follow), -mpmath.matrix([gap[i] for i in self.kept]))
            x = [e + (move[self.follow.index(i)] if i in self.follow else 0) for i, e in enumerate(x)]
        return x

    def led(self, x: list[Any], y: list[Any]) -> list[Any]:
        """All velocities that the leaders' y give."""
        K, follow, lead = self.rows(x), self.follow, self.lead
        found = mpmath.lu_solve(_columns(K, follow), -(_columns(K, lead) * mpmath.matrix(y)))
        return [found[follow.index(i)] if i in follow else y[lead.index(i)] for i in range(self.nv)]

    def acceleration(self, x: list[Any], v: list[Any], torque: list[Any]) -> list[Any]:
        """By multipliers: [M −Kᵀ; K 0] [a; λ] = [τ − h; −K̇v]."""
        n, m = self.nv, len(self.kept)
        M, K = self.matrix("mass_matrix", n, q=x), self.rows(x)
        h, drift = self.matrix("bias", 1, q=x, v=v), self.matrix("closure_rows_bias", 1, q=x, v=v)
        whole = mpmath.zeros(n + m)
        whole[:n, :n], whole[n:, :n], whole[:n, n:] = M, K, -K.T
        right = [*(torque[i] - h[i] for i in range(n)), *(-drift[i] for i in self.kept)]
        return [*mpmath.lu_solve(whole, mpmath.matrix(right))][:n]

    def step(self, x: list[Any], speed: Any, torque: list[Any]) -> list[Any]:
        """[q; v] after a semi-implicit step from near x."""
        x = self.closed(x)
        v = self.led(x, [speed])
        a = self.acceleration(x, v, torque)
        end = [e + mpmath.mpf(DT) * f for e, f in zip(v, a, strict=True)]
        moved = self.closed([e + mpmath.mpf(DT) * s for e, s in zip(x, end, strict=True)])
        return [*moved, *self.led(moved, [end[i] for i in self.lead])]


def _columns(whole: Any, columns: list[int]) -> Any:
    return mpmath.matrix([[whole[i, j] for j in columns] for i in range(whole.rows)])


def test_fifty_digits() -> None:
    """A semi-implicit step of a four-bar written once more, with numbers of fifty digits: closed, forces, closed."""
    mech, at = four_bar(1.0, 2.0, 2.5, 3.0), model("four-bar")
    lead, kept = list(at.loops.leaders), [0, 1]  # of a planar loop about z: the gap across it
    follow = [i for i in range(at.nv) if i not in lead]
    run = {name: many_digits(program_of(mech, name)) for name in ("mass_matrix", "bias", *LOOP)}
    exact = Exact(run, lead, follow, kept)
    q, rate, tau = beside(at, at.q0, np.array([0.2])), np.array([1.3]), np.array([2.0, -0.5, 0.3])
    K = at.kernel("closure_rows")(q)
    assert np.linalg.matrix_rank(K[kept]) == np.linalg.matrix_rank(K) == len(follow)

    def after(y: Any, speed: Any, *torque: Any) -> list[Any]:
        return exact.step([mpmath.mpf(float(e)) + (y if i in lead else 0) for i, e in enumerate(q)], speed, [*torque])

    with mpmath.workdps(DIGITS):
        start, small = [mpmath.mpf(0), mpmath.mpf(1.3), *map(mpmath.mpf, tau.tolist())], mpmath.mpf(10) ** STEP
        columns = []
        for j in range(len(start)):
            ends = [after(*(e + sign * small * (i == j) for i, e in enumerate(start))) for sign in (1, -1)]
            columns.append([float((b - c) / (2 * small)) for b, c in zip(*ends, strict=True)])
    found = kg.step_derivatives(at, q, at.W(q) @ rate, tau, dt=DT)
    compare(at, found, np.array(columns).T, 1e-12)


def test_refusals() -> None:
    at = model("five-bar")
    q = at.q0.copy()
    q[0] += 0.1
    with pytest.raises(kg.ModelError, match="cannot be closed from here"):
        kg.step_derivatives(at, q, np.zeros(at.nv))
    with pytest.raises(kg.ModelError, match="velocities v miss the closure"):
        kg.step_derivatives(at, at.q0, np.ones(at.nv))
    with pytest.raises(kg.ModelError, match=r"this step has no derivatives here: .* take a shorter dt, or rk4"):
        kg.step_derivatives(at, at.q0, at.W(at.q0) @ np.full(at.nf, 60.0), dt=1e-3)
