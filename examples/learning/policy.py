"""A small network of PyTorch learns to balance a pole on a cart, by gradients through the motion of a compiled model.

python examples/learning/policy.py [FOLDER]          the picture goes to FOLDER (examples/out)

A batch of carts starts with the pole leaning; the loss is what the motion and its forces cost, and its gradient goes
back through every step by the model's analytic derivatives (`pip install 'kinegen[torch]'`).
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

import kinegen as kg
from kinegen.script import Folder, script

with suppress(ImportError):  # `kg.torch` tells what to install
    import torch

Array = NDArray[np.float64]
DT, STEPS, CARTS, ROUNDS = 0.02, 100, 16, 120
FORCE = 20.0
"""The most that the policy asks for [N]."""


def mechanism() -> kg.Mechanism:
    """A cart on a rail along x and a pole about y, upright at q = 0."""
    return kg.Mechanism(
        "balance",
        [
            kg.Link("cart", mass=1.0),
            kg.Link("pole", mass=0.3, com=(0, 0, 0.5), inertia=(0.02, 0, 0, 0.02, 0, 0.001)),
        ],
        [
            kg.Joint("rail", "prismatic", "world", "cart", axis=(1, 0, 0)),
            kg.Joint("pivot", "revolute", "cart", "pole", axis=(0, 1, 0), actuated=False),
        ],
    )


def network(seed: int = 0) -> Any:
    """State (4) to force (1), in doubles as the model."""
    torch.manual_seed(seed)
    layers = torch.nn.Linear(4, 24), torch.nn.Tanh(), torch.nn.Linear(24, 1), torch.nn.Tanh()
    return torch.nn.Sequential(*layers).double()


def starts(rng: np.random.Generator, count: int = CARTS) -> tuple[Any, Any]:
    """q and v (count, 2) with the pole up to 0.3 rad off."""
    q = rng.uniform(-1, 1, (count, 2)) * [0.5, 0.3]
    return torch.from_numpy(q), torch.from_numpy(rng.uniform(-0.3, 0.3, (count, 2)))


def rolled(functions: Any, policy: Any, q: Any, v: Any, steps: int = STEPS) -> tuple[Any, Any]:
    """States (steps + 1, carts, 4) and forces (steps, carts) of semi-implicit Euler."""
    states, forces = [torch.cat([q, v], -1)], []
    for _ in range(steps):
        force = FORCE * policy(states[-1])
        v = v + DT * functions.forward_dynamics(q, v, torch.cat([force, 0 * force], -1))
        q = q + DT * v
        states.append(torch.cat([q, v], -1))
        forces.append(force[:, 0])
    return torch.stack(states), torch.stack(forces)


def cost(states: Any, forces: Any) -> Any:
    """Mean over time and carts; the pole counts by 1 − cos, which is bounded where it falls."""
    x, angle, speed, turning = states.unbind(-1)
    pole = 10.0 * (1.0 - torch.cos(angle))
    return (x**2 + pole + 0.05 * speed**2 + 0.05 * turning**2).mean() + 1e-3 * (forces**2).mean()


@dataclass(frozen=True)
class Learnt:
    """The policy, and the cost of each round."""

    policy: Any
    costs: list[float]


def learn(model: kg.Model, rounds: int = ROUNDS) -> Learnt:
    """Adam, each round from new starts, over a longer time each."""
    functions, policy, rng = kg.torch.functions(model), network(), np.random.default_rng(0)
    torch.set_num_threads(1)  # these tensors are small
    steps = torch.optim.Adam(policy.parameters(), lr=0.02)
    costs = []
    for k in range(rounds):
        horizon = min(STEPS, 25 + k)  # a pole that falls for long tells little
        loss = cost(*rolled(functions, policy, *starts(rng), horizon))
        steps.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
        steps.step()
        costs.append(float(loss.detach()))
    return Learnt(policy, costs)


def tried(model: kg.Model, policy: Any, steps: int = 2 * STEPS) -> tuple[Array, Array]:
    """States and forces from starts that it never saw, twice as long as it learnt."""
    with torch.no_grad():
        states, forces = rolled(kg.torch.functions(model), policy, *starts(np.random.default_rng(99)), steps)
    return states.numpy(), forces.numpy()


def picture(costs: list[float], states: Array, forces: Array, folder: Path) -> Path:
    """Cost by round, poles and carts over time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3), layout="constrained")
    axes = figure.subplots(1, 3)
    t = DT * np.arange(len(states))
    axes[0].semilogy(costs)
    axes[1].plot(t, states[:, :, 1], "C0", alpha=0.4)
    axes[2].plot(t, states[:, :, 0], "C1", alpha=0.4)
    for axis, title in zip(axes, ("cost by round", "poles [rad]", "carts [m]"), strict=True):
        axis.set_title(title)
    figure.savefig(folder / "policy.png", dpi=90)
    return folder / "policy.png"


def main(
    folder: Folder = Path(__file__).parents[1] / "out",
    rounds: Annotated[int, typer.Option(min=1, help="Of improvement.")] = ROUNDS,
) -> tuple[Learnt, Array]:
    model = kg.compile(mechanism(), progress=False)
    learnt = learn(model, rounds)
    states, forces = tried(model, learnt.policy)
    off = np.abs(states[-1, :, 1])
    print(f"cost {learnt.costs[0]:.3f} -> {learnt.costs[-1]:.3f} in {rounds} rounds")
    print(f"after {DT * (len(states) - 1):.0f} s: poles at most {off.max():.3f} rad off, {len(off)} carts")
    print(picture(learnt.costs, states, forces, folder))
    return learnt, states


if __name__ == "__main__":
    script(main, __doc__)
