"""Strips of poses and curves: all of it inside, meshes and hills drawn, marks where the world holds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Ellipse, Polygon

import kinegen as kg
from kinegen.drawing.pictures import stick_figures
from kinegen.runtime.abi import JointSpec
from kinegen.runtime.contact.plot import plot_contacts
from kinegen.runtime.plotting.plot import plot_motion, styles

SOLID = "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n"


def corners(figure: Figure, kind: type) -> np.ndarray:
    """(n, 2) of all patches of a kind, in the units of the picture."""
    axes = figure.axes[0]
    found = [patch for patch in axes.patches if type(patch) is kind]
    paths = [patch.get_patch_transform().transform_path(patch.get_path()).vertices for patch in found]
    return np.concatenate(paths) if paths else np.zeros((0, 2))


def falling(**options: object) -> tuple[kg.Mechanism, kg.Trajectory]:
    ball = kg.Link("ball", 1.0, inertia=kg.inertia.sphere(1.0, 0.1), **options)  # type: ignore[arg-type]
    joint = kg.Joint("free", "free", "world", "ball")
    mechanism = kg.Mechanism("m", [ball], [joint], shapes=[kg.height_field(np.zeros((3, 4)), (2.0, 3.0))])
    return mechanism, kg.Simulator(mechanism, dt=5e-3, q=[0, 0, 0.3, 0, 0, 0, 1]).run(0.3)


def test_a_root_that_runs_away_stays_in_the_picture() -> None:
    box = kg.inertia.box(1.0, (0.4, 0.2, 0.2))
    cart = kg.Mechanism(
        "cart", [kg.Link("cart", 1.0, inertia=box)], [kg.Joint("rail", "prismatic", "world", "cart", axis=(1, 0, 0))]
    )
    figure = stick_figures(cart, kg.Simulator(cart, v=[30.0]).run(1.0), poses=4)
    axes = figure.axes[0]
    seen, (low, high) = corners(figure, Ellipse), np.array([axes.get_xlim(), axes.get_ylim()]).T
    assert (seen >= low).all() and (seen <= high).all()
    marks = [line.get_xydata()[0] for line in axes.lines if line.get_marker() == "o"]
    middles = np.array([patch.center for patch in axes.patches if isinstance(patch, Ellipse)])
    away = np.linalg.norm(middles - np.array(marks), axis=1)
    assert len(marks) == 4 and away[0] < 1e-9 and np.diff(away) == pytest.approx(np.full(3, away[1]), rel=0.01)


def test_hills_and_meshes_are_drawn(tmp_path: Path) -> None:
    (tmp_path / "m.off").write_text(SOLID)
    mechanism, motion = falling(shapes=[kg.sphere(0.1)])

    def drawn(shape: kg.Shape) -> list[type]:
        with_it = replace(mechanism, links=[replace(mechanism.links[0], shapes=(shape,))])
        return [type(patch) for patch in stick_figures(with_it, motion, poses=1).axes[0].patches]

    hills = 2 * 3
    assert drawn(kg.sphere(0.1)).count(Polygon) == hills + 1 and Ellipse not in drawn(kg.sphere(0.1))
    mesh = drawn(kg.mesh(tmp_path / "m.off", scale=0.2))
    assert hills + 1 <= mesh.count(Polygon) <= hills + 3 and Ellipse not in mesh
    assert Ellipse in drawn(kg.mesh(tmp_path / "gone.stl"))  # what cannot be read is not left out


def test_no_colour_twice() -> None:
    for count in (1, 10, 11, 27, 80):
        assert len({style["color"] for style in styles(count)}) == count
    joint = JointSpec("j", "revolute", "a", "b", 0, 1, 0, 1, True, (0.0,), (0.0,), (0.0,), (0.0,))
    joints = [replace(joint, name=f"j{i}", q_start=i, v_start=i) for i in range(27)]
    t, values = np.linspace(0, 1, 5), np.tile(np.arange(27.0), (5, 1))
    curves = plot_motion("m", t, values, values, 0 * values, joints).axes[0].lines
    assert len({line.get_color() for line in curves if isinstance(line, Line2D)}) == 27


def test_forces_side_by_side() -> None:
    """A row for each link, with the same scale in all of them."""
    _, motion = falling(shapes=[kg.sphere(0.1)])
    figure = plot_contacts("m", motion.t, motion.contacts, ["ball", "world"])
    assert len(figure.axes) == 4
    force = figure.axes[0].lines[2].get_ydata()
    assert (
        np.array_equal(force, motion.contacts.force("ball")[:-1, 2])
        and figure.axes[0].get_ylim() == figure.axes[2].get_ylim()
    )
