"""A cart swings its pole up: iterative LQR, its linear models by exact derivatives and, beside them, by differences.

python examples/swing_up.py [FOLDER]          the picture goes to FOLDER (examples/out)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

import kinegen as kg
from kinegen.script import Folder, script

Array = NDArray[np.float64]
DT, STEPS, ROUNDS = 0.02, 150, 60
END, EFFORT = np.diag([200.0, 400.0, 40.0, 40.0]), 0.01
GOAL = np.zeros(4)
"""Upright at the middle, at rest; x = [cart, pole, and their velocities]."""


def mechanism() -> kg.Mechanism:
    """A cart on a rail along x and a pole about y, upright at q = 0."""
    return kg.Mechanism(
        "swing_up",
        [
            kg.Link("cart", mass=1.0),
            kg.Link("pole", mass=0.3, com=(0, 0, 0.5), inertia=(0.02, 0, 0, 0.02, 0, 0.001)),
        ],
        [
            kg.Joint("rail", "prismatic", "world", "cart", axis=(1, 0, 0)),
            kg.Joint("pivot", "revolute", "cart", "pole", axis=(0, 1, 0), actuated=False),
        ],
    )


def step(model: kg.Model, x: Array, u: Array) -> Array:
    """Semi-implicit Euler under the cart's force u (1)."""
    a = model.forward_dynamics(x[:2], x[2:], np.array([u[0], 0.0]))
    v = x[2:] + DT * a
    return np.concatenate([x[:2] + DT * v, v])


Slopes = Callable[[kg.Model, Array, Array], tuple[Array, Array]]
"""∂x⁺/∂x (4, 4) and ∂x⁺/∂u (4, 1) of `step`."""


def exact(model: kg.Model, x: Array, u: Array) -> tuple[Array, Array]:
    """v⁺ = v + Δt a, q⁺ = q + Δt v⁺."""
    da_dq, da_dv, da_dtau = model.forward_dynamics_derivatives(x[:2], x[2:], np.array([u[0], 0.0]))[:3]
    dv = np.hstack([DT * da_dq, np.eye(2) + DT * da_dv])
    du = DT * da_dtau[:, :1]
    return np.vstack([np.eye(2, 4) + DT * dv, dv]), np.vstack([DT * du, du])


def differences(model: kg.Model, x: Array, u: Array) -> tuple[Array, Array]:
    """The same by central differences."""
    h = 1e-5
    by_x = [(step(model, x + h * e, u) - step(model, x - h * e, u)) / (2 * h) for e in np.eye(4)]
    return np.array(by_x).T, ((step(model, x, u + h) - step(model, x, u - h)) / (2 * h))[:, None]


@dataclass(frozen=True)
class Plan:
    """States (STEPS + 1, 4), forces (STEPS, 1), and the cost after each round."""

    x: Array
    u: Array
    costs: list[float]


def cost(x: Array, u: Array) -> float:
    return float((x[-1] - GOAL) @ END @ (x[-1] - GOAL) + EFFORT * (u**2).sum()) / 2


def rolled(model: kg.Model, start: Array, u: Array, follow: Callable[[int, Array], Array]) -> tuple[Array, Array]:
    """States and forces from the start, each force u_k corrected by what `follow` says of the state."""
    x, used = [start], []
    for k in range(len(u)):
        used.append(u[k] + follow(k, x[-1]))
        x.append(step(model, x[-1], used[-1]))
    return np.array(x), np.array(used)


def backward(model: kg.Model, x: Array, u: Array, slopes: Slopes, damping: float) -> tuple[list[Array], list[Array]]:
    """Corrections k and gains K of the forces, from the last step to the first."""
    gradient, V = END @ (x[-1] - GOAL), END.copy()
    corrections, gains = [], []
    for k in reversed(range(len(u))):
        A, B = slopes(model, x[k], u[k])
        Q_u = EFFORT * u[k] + B.T @ gradient
        Q_uu = EFFORT * np.eye(1) + B.T @ V @ B + damping * B.T @ B
        Q_ux = B.T @ V @ A
        corrections.append(-np.linalg.solve(Q_uu, Q_u))
        gains.append(-np.linalg.solve(Q_uu, Q_ux))
        gradient = A.T @ gradient + Q_ux.T @ corrections[-1]
        V = A.T @ V @ A + Q_ux.T @ gains[-1]
        V = (V + V.T) / 2
    return corrections[::-1], gains[::-1]


def swing_up(model: kg.Model, slopes: Slopes = exact, rounds: int = ROUNDS) -> Plan:
    """From hanging at rest; a round that does not pay is tried with shorter corrections and more damping."""
    start = np.array([0.0, np.pi, 0.0, 0.0])
    u = 2.0 * np.sin(np.arange(STEPS) * DT * 4.0)[:, None]
    x, u = rolled(model, start, u, lambda k, at: np.zeros(1))
    costs, damping = [cost(x, u)], 1.0
    for _ in range(rounds):
        k_all, K_all = backward(model, x, u, slopes, damping)
        for part in 0.5 ** np.arange(8):
            base = x
            tried = rolled(model, start, u, lambda k, at: part * k_all[k] + K_all[k] @ (at - base[k]))  # noqa: B023
            if np.isfinite(tried[0]).all() and cost(*tried) < costs[-1]:
                x, u = tried
                damping = max(damping / 3, 1e-6)
                break
        else:
            damping *= 5
        costs.append(cost(x, u))
    return Plan(x, u, costs)


def picture(plans: dict[str, Plan], folder: Path) -> Path:
    """Angle of the pole, force, and cost by round, of each plan."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3), layout="constrained")
    angle, force, costs = figure.subplots(1, 3)
    for (name, plan), style in zip(plans.items(), ("-", "--"), strict=True):
        t = DT * np.arange(STEPS + 1)
        angle.plot(t, plan.x[:, 1], style, label=name)
        force.plot(t[:-1], plan.u[:, 0], style)
        costs.semilogy(plan.costs, style)
    for axes, title in ((angle, "pole [rad]"), (force, "force [N]"), (costs, "cost by round")):
        axes.set_title(title)
    angle.legend()
    figure.savefig(folder / "swing_up.png", dpi=90)
    return folder / "swing_up.png"


def main(
    folder: Folder = Path(__file__).parent / "out",
    rounds: Annotated[int, typer.Option(min=1, help="Of improvement.")] = ROUNDS,
) -> dict[str, Plan]:
    model = kg.compile(mechanism())
    plans = {"exact": swing_up(model, exact, rounds), "differences": swing_up(model, differences, rounds)}
    for name, plan in plans.items():
        print(f"{name}: cost {plan.costs[-1]:.3f}, {np.abs(plan.x[-1, :2]).max():.4f} m or rad off at the end")
    print(picture(plans, folder))
    return plans


if __name__ == "__main__":
    script(main, __doc__)
