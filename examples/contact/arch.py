"""An arch of nine stones stands by friction and thrust alone, if it is thick enough; where the thrust runs through it.

    python examples/contact/arch.py [FOLDER]          pictures go to FOLDER (examples/out)

Nothing but contact holds the wedges. Which thrust an arch has is not determined by statics; what is known are its least
and its greatest value, found by linear programming over all forces that the joints can carry. Needs scipy.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from matplotlib.figure import Figure
from numpy.typing import NDArray

import kinegen as kg
from kinegen.script import Folder, script

Array = NDArray[np.float64]
STONES = 9
INNER, OUTER, THIN, WIDTH = 1.0, 1.3, 1.1, 0.4
"""Radii of the arch, outer radius of one that falls, width along y [m]."""
DENSITY, FRICTION = 2400.0, 0.7


def stone(outer: float = OUTER) -> tuple[kg.Shape, float, tuple[float, float, float], Array]:
    """The wedge about the crown, its frame on the axis of the arch: shape, mass, mass centre, inertia about it."""
    half = np.pi / STONES / 2
    corners = [(r * np.sin(a), y, r * np.cos(a)) for r in (INNER, outer) for a in (-half, half) for y in _sides()]
    area, depth = 0.5 * (outer + INNER) * (outer - INNER) * np.sin(2 * half), WIDTH
    mass = DENSITY * area * depth
    low, high = INNER * np.cos(half), outer * np.cos(half)  # a trapezium: half widths z tan(half), z from low to high
    slope = np.tan(half)
    moments = [2 * slope * (high**n - low**n) / n for n in (2, 3, 4)]  # of area: zeroth, first, second along z
    center = moments[1] / moments[0]
    along_z = moments[2] / moments[0] - center**2
    along_x = slope**3 * (high**4 - low**4) / 6 / moments[0]
    along_y = depth**2 / 12
    inertia = mass * np.diag([along_y + along_z, along_x + along_z, along_x + along_y])
    return kg.convex(corners, friction=FRICTION), mass, (0.0, 0.0, center), inertia


def _sides() -> tuple[float, float]:
    return -WIDTH / 2, WIDTH / 2


def mechanism(outer: float = OUTER) -> kg.Mechanism:
    shape, mass, center, inertia = stone(outer)
    links = [kg.Link(f"stone{i}", mass, center, inertia.tolist(), shapes=[shape]) for i in range(STONES)]
    joints = [kg.Joint(f"flight{i}", "free", "world", link.name) for i, link in enumerate(links)]
    return kg.Mechanism("arch", links, joints, shapes=[kg.plane(friction=FRICTION)])


def start(model: kg.Model) -> Array:
    """Side by side from the left foot to the right one."""
    q = model.neutral().reshape(STONES, 7)
    for i in range(STONES):
        turn = np.pi * ((i + 0.5) / STONES - 0.5)
        q[i, 3:] = 0.0, np.sin(turn / 2), 0.0, np.cos(turn / 2)
    return q.ravel()


def thrust(contacts: kg.Contacts) -> tuple[float, Array]:
    """Horizontal force that the left foot gives the ground [N], and where the force between two neighbours acts
    (STONES + 1, 2) in the plane x, z; NaN where nothing presses.
    """
    names = ["world", *(f"stone{i}" for i in range(STONES)), "world"]
    left = {name: k for k, name in enumerate(names[:-1])}
    sums = np.zeros((STONES + 1, 3))
    push = 0.0
    for (a, b), point, force in zip(contacts.links, contacts.points, contacts.forces, strict=True):
        if "world" in (a, b):
            joint = 0 if "stone0" in (a, b) else STONES
            push += float(force[0] if b == "stone0" else -force[0] if a == "stone0" else 0.0)
        else:
            joint = max(left[a], left[b]) - 1
        size = float(np.linalg.norm(force))
        sums[joint] += size, size * point[0], size * point[2]
    with np.errstate(invalid="ignore"):
        return push, np.asarray(sums[:, 1:] / sums[:, :1])


def bounds(outer: float = OUTER) -> tuple[float, float] | None:
    """Least and greatest thrust [N] that keep every stone in balance without tension and within the cone of friction,
    None if none does.

    At each joint two normal forces, at its inner and its outer edge, and a shear.
    """
    from scipy.optimize import linprog

    _, mass, (_, _, center), _ = stone(outer)
    count = 3 * (STONES + 1)
    balance, load, limits = np.zeros((3 * STONES, count)), np.zeros(3 * STONES), np.zeros((2 * (STONES + 1), count))
    for joint in range(STONES + 1):
        a = np.pi * (joint / STONES - 0.5)
        along, radial = np.array([np.cos(a), -np.sin(a)]), np.array([np.sin(a), np.cos(a)])
        for k, (direction, radius) in enumerate(((along, INNER), (along, outer), (radial, INNER))):
            column = 3 * joint + k
            x, z = radius * radial
            row = np.array([*direction, z * direction[0] - x * direction[1]])
            if joint < STONES:
                balance[3 * joint : 3 * joint + 3, column] += row  # the joint on its left pushes the stone
            if joint > 0:
                balance[3 * joint - 3 : 3 * joint, column] -= row
        for k, sign in enumerate((1.0, -1.0)):
            limits[2 * joint + k, 3 * joint : 3 * joint + 3] = -FRICTION, -FRICTION, sign
    for i in range(STONES):
        a = np.pi * ((i + 0.5) / STONES - 0.5)
        load[3 * i : 3 * i + 3] = 0.0, 9.81 * mass, -9.81 * mass * center * np.sin(a)
    sides = [(0, None), (0, None), (None, None)] * (STONES + 1)
    push = np.zeros(count)
    push[2] = -1.0  # the left foot stands on z = 0: what the ground gives along x is its shear, radial is -x there
    found = [
        linprog(s * push, A_ub=limits, b_ub=np.zeros(len(limits)), A_eq=balance, b_eq=load, bounds=sides)
        for s in (1, -1)
    ]
    return (float(found[0].fun), float(-found[1].fun)) if found[0].success else None


def main(
    folder: Folder = Path(__file__).parents[1] / "out",
    duration: Annotated[float, typer.Option(min=0.2, help="Seconds.")] = 10.0,
) -> None:
    model = kg.compile(mechanism())
    q = start(model)
    simulator = kg.Simulator(model, q=q)
    trajectory = simulator.run(duration, every=100)
    contacts = trajectory.contacts
    assert contacts is not None
    allowed = bounds()
    assert allowed is not None
    push, line = thrust(contacts[-2])
    moved = np.abs(trajectory.q - q).max()
    weight = 9.81 * STONES * stone()[1]
    print(f"{duration:g} s: no stone moves by more than {1e3 * moved:.4f} mm; {len(contacts[-2])} points of contact")
    print(f"force on the ground {-contacts.force('world')[-2, 2]:.2f} N, weight {weight:.2f} N")
    print(f"thrust {push:.1f} N, by statics between {allowed[0]:.1f} and {allowed[1]:.1f} N")
    radii = np.linalg.norm(line, axis=1)
    print(
        f"it runs at radii of {radii.min():.3f} to {radii.max():.3f} m, the stones reach from {INNER:g} to {OUTER:g} m"
    )
    thin = kg.compile(mechanism(THIN))
    fallen = kg.Simulator(thin, q=start(thin)).run(2.0, every=10)
    crown = thin.com(fallen.q)[:, 2]
    print(f"{THIN - INNER:.2f} m thick: statics {'has' if bounds(THIN) else 'knows no'} balance,", end=" ")
    print(f"its mass centre sinks by {crown[0] - crown[-1]:.2f} m of {crown[0]:.2f} m")
    picture(model, trajectory.q[-1], line, folder / "arch.png")


def picture(model: kg.Model, q: Array, line: Array, path: Path) -> None:
    """The stones from the front, and where the thrust runs through the joints."""
    figure = Figure(figsize=(7.0, 4.2), layout="constrained")
    axes = figure.subplots()
    corners = np.array([c for c in stone()[0].vertices if c[1] > 0.0])[[0, 1, 3, 2]]
    for pose in model.link_poses(q):
        outline = corners @ pose[:3, :3].T + pose[:3, 3]
        axes.fill(outline[:, 0], outline[:, 2], facecolor="#d8cfc0", edgecolor="#6b5f4b")
    axes.plot(line[:, 0], line[:, 1], "o-", color="#b3261e", markersize=4, linewidth=1.2)
    axes.axhline(0.0, color="#1f2933", linewidth=1.0)
    axes.set_aspect("equal")
    axes.set_xlabel("x [m]")
    axes.set_ylabel("z [m]")
    axes.set_title("line of thrust")
    figure.savefig(path, dpi=90)


if __name__ == "__main__":
    script(main, __doc__)
