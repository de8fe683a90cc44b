"""How was a crate pushed, and how rough is the floor? Found from two markers by derivatives of steps with contact.

    python examples/contact/pushed_crate.py [FOLDER]          the picture goes to FOLDER (examples/out)

A crate on three feet slides, turns and stops. A camera sees two of its corners, within a millimetre. Its speed, its
turning and the friction follow by Gauss and Newton's method: the rates of every state by these four numbers come from
those of the state before by `kg.step_derivatives`, through slip and stop.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import sympy
import typer
from numpy.typing import NDArray

import kinegen as kg
from kinegen.script import Folder, script

Array = NDArray[np.float64]
DT, STEPS, ROUNDS = 0.025, 24, 6
PUSH = np.array([0.9, 0.35, 3.0, 0.25])
"""What is to be found: speed along x and y [m/s], turning [rad/s], coefficient of friction."""
GUESS = np.array([1.2, 0.0, 0.5, 0.35])
NOISE = 1e-3
"""Standard deviation of what the camera tells [m]."""
MARKERS = ("front", "back")
HEIGHT = 0.1 - 2e-5
"""Of the crate's centre [m]: its feet 0.02 mm deep in the floor."""


def mechanism() -> kg.Mechanism:
    """A crate on three balls, heavier at its front; friction of the floor is a parameter, of the feet 1."""
    places = ((0.15, 0, -0.08), (-0.15, 0.1, -0.08), (-0.15, -0.1, -0.08))
    feet = [kg.sphere(0.02, pose=kg.Pose(place), friction=1.0) for place in places]
    crate = kg.Link("crate", 4.0, (0.04, 0, -0.03), kg.inertia.box(4.0, (0.4, 0.3, 0.1)), shapes=feet)
    floor = kg.plane(friction=sympy.Symbol("mu"))
    corners = [kg.Frame(name, "crate", kg.Pose((x, 0.15, 0.05))) for name, x in zip(MARKERS, (0.2, -0.2), strict=True)]
    joint = kg.Joint("float", "free", "world", "crate")
    return kg.Mechanism("pushed_crate", [crate], [joint], shapes=[floor], frames=corners)


def compiled() -> kg.Model:
    return kg.compile(mechanism(), contacts=kg.ContactRules(combine="product"))


def start(model: kg.Model, push: Array) -> tuple[kg.Model, Array, Array]:
    """The model with that friction, q and v after the push."""
    q, v = model.neutral(), np.zeros(6)
    q[2], v[[0, 1, 5]] = HEIGHT, push[:3]
    return model.with_parameters(mu=float(push[3])), q, v


def seen(model: kg.Model, q: Array) -> Array:
    """(4) x and y of both markers."""
    return np.concatenate([model.frame_pose(q, name)[:2, 3] for name in MARKERS])


def film(model: kg.Model, push: Array, noise: float = NOISE) -> Array:
    """(STEPS, 4) what the camera tells."""
    moving, q, v = start(model, push)
    sim, rng = kg.Simulator(moving, dt=DT, q=q, v=v), np.random.default_rng(1)
    pictures = []
    for _ in range(STEPS):
        sim.step()
        pictures.append(seen(moving, sim.q) + noise * rng.normal(size=4))
    return np.array(pictures)


@dataclass(frozen=True)
class Slide:
    """What the markers do (STEPS, 4), its rates by the push (STEPS, 4, 4), and how many feet slip in each step."""

    places: Array
    rates: Array
    slipping: list[int]


def slide(model: kg.Model, push: Array) -> Slide:
    """δx' = A δx + b δμ, from step to step."""
    moving, q, v = start(model, push)
    state = np.zeros((12, 4))
    state[[6, 7, 11], [0, 1, 2]] = 1.0
    places, rates, slipping = [], [], []
    for _ in range(STEPS):
        step = kg.step_derivatives(moving, q, v, dt=DT, parameters=["mu"])
        state = step.A @ state
        state[:, 3] += step.by_parameter[:, 0]
        q, v = step.q, step.v
        J = np.vstack([moving.frame_jacobian(q, name)[:2] for name in MARKERS])
        places.append(seen(moving, q))
        rates.append(J @ state[:6])
        slipping.append(sum(point.mode == "slips" for point in step.points))
    return Slide(np.array(places), np.array(rates), slipping)


def identify(model: kg.Model, pictures: Array, rounds: int = ROUNDS) -> tuple[list[Array], list[Slide]]:
    """What was thought of the push in each round, and how the crate would slide; ends where nothing changes."""
    pushes, slides = [GUESS], list[Slide]()
    for _ in range(rounds):
        slides.append(slide(model, pushes[-1]))
        off, rates = (pictures - slides[-1].places).ravel(), slides[-1].rates.reshape(-1, 4)
        change = np.linalg.lstsq(rates, off, rcond=None)[0]
        pushes.append(pushes[-1] + change)
        pushes[-1][3] = max(pushes[-1][3], 0.02)
        if np.abs(change).max() < 1e-4:
            break
    return pushes, slides


def picture(pictures: Array, pushes: list[Array], slides: list[Slide], folder: Path) -> Path:
    """The way of the markers as seen, first guessed and found; what is found by round; how many feet slip."""
    from matplotlib.figure import Figure

    figure, first, last = Figure(figsize=(9, 3.2), layout="constrained"), slides[0], slides[-1]
    way, by_round, feet = figure.subplots(1, 3, width_ratios=(2, 1.5, 1))
    for k, name in ((0, "front"), (2, "back")):
        way.plot(*pictures[:, k : k + 2].T, ".", markersize=3, color="gray", label="seen" if k == 0 else None)
        way.plot(*first.places[:, k : k + 2].T, "--", color="C1", label="guessed" if k == 0 else None)
        way.plot(*last.places[:, k : k + 2].T, color="C0", label="found" if k == 0 else None)
        way.annotate(name, last.places[-1, k : k + 2], (3, 3), textcoords="offset points")
    way.set(title="markers [m]", aspect="equal", xlim=(-0.25, 0.45), ylim=(0.0, 0.5))
    way.legend(loc="upper left")
    wrong = np.abs(np.array(pushes) - PUSH)
    for k, name in enumerate(("vx [m/s]", "vy [m/s]", "turning [rad/s]", "friction")):
        by_round.semilogy(wrong[:, k], "o-", label=name)
    by_round.set(title="off by, by round")
    by_round.legend(fontsize="small")
    feet.step(DT * np.arange(STEPS), last.slipping)
    feet.set_yticks(range(4))
    feet.set(title="feet that slip", xlabel="t [s]")
    figure.savefig(folder / "pushed_crate.png", dpi=90)
    return folder / "pushed_crate.png"


def main(
    folder: Folder = Path(__file__).parents[1] / "out",
    rounds: Annotated[int, typer.Option(min=1, help="Of improvement.")] = ROUNDS,
) -> tuple[list[Array], list[Slide]]:
    model = compiled()
    pictures = film(model, PUSH)
    pushes, slides = identify(model, pictures, rounds)
    for number, push in enumerate(pushes):
        print(number, np.round(push, 5))
    print(picture(pictures, pushes, slides, folder))
    return pushes, slides


if __name__ == "__main__":
    script(main, __doc__)
