"""The human figure is that of [N98 Fig. 13] with the table's masses, and its flight keeps what must be kept."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import kinegen as kg
from kinegen.cli.demonstration import fly
from kinegen.figure import HEAD_AND_NECK, MASS, STATURE


@pytest.fixture(scope="module")
def model() -> kg.Model:
    return kg.compile(kg.human_figure(), progress=False)


def test_links_and_joints() -> None:
    figure = kg.human_figure()
    kinds = Counter(joint.kind for joint in figure.joints)
    assert kinds == {"free": 1, "spherical": 12, "revolute": 4}
    assert len(figure.links) == 17
    assert (figure.tree.nq, figure.tree.nv) == (59, 46)
    assert {joint.name for joint in figure.joints if joint.kind == "revolute"} == {
        f"{name}_{side}" for name in ("knee", "elbow") for side in "lr"
    }
    assert figure.pointers()["pelvis"].parent == "world"


@pytest.mark.parametrize(("mass", "height"), [(70.0, 1.75), (12.5, 0.9), (110, 2)])
def test_mass_and_height(mass: float, height: float) -> None:
    figure = kg.human_figure(mass, height)
    assert sum(link.mass for link in figure.links) == pytest.approx(mass, rel=1e-12)
    up = {joint.name: joint.origin.xyz[2] for joint in figure.joints}
    trunk = up["waist"] + up["chest"] + up["neck"]
    head_and_neck = HEAD_AND_NECK.length * height / STATURE
    legs = -up["knee_l"] - up["ankle_l"] + 0.068 * height / STATURE
    assert trunk + head_and_neck + legs == pytest.approx(height, rel=1e-12)


def test_neck_and_head_together_are_the_tables_segment() -> None:
    """Upright: mass, mass centre and moments of inertia of both equal the one row of the table."""
    figure = kg.human_figure(mass=MASS, height=STATURE)
    neck, head = figure.link("neck"), figure.link("head")
    shift = np.array([0.0, 0.0, figure.joint("head").origin.xyz[2]])
    coms = np.array(neck.com), np.array(head.com) + shift
    mass = neck.mass + head.mass
    com = (neck.mass * coms[0] + head.mass * coms[1]) / mass
    inertia = np.zeros((3, 3))
    for link, at in zip((neck, head), coms, strict=True):
        r = at - com
        inertia += np.array(link.inertia) + link.mass * (r @ r * np.eye(3) - np.outer(r, r))
    assert mass == pytest.approx(MASS * HEAD_AND_NECK.share)
    assert com[2] == pytest.approx(HEAD_AND_NECK.centre * HEAD_AND_NECK.length)
    wanted = [mass * (radius * HEAD_AND_NECK.length) ** 2 for radius in HEAD_AND_NECK.radii]
    assert np.allclose(inertia, np.diag(wanted), rtol=1e-12, atol=1e-15)


def test_left_and_right_are_mirrored() -> None:
    figure = kg.human_figure()
    for joint in figure.joints:
        if joint.name.endswith("_l"):
            x, y, z = figure.joint(f"{joint.name[:-2]}_r").origin.xyz
            assert joint.origin.xyz == (x, -y, z)
            assert figure.link(joint.child).mass == figure.link(f"{joint.child[:-2]}_r").mass


def test_knees_bend_backwards_and_elbows_forwards(model: kg.Model) -> None:
    q = model.q0
    for joint in ("knee_l", "knee_r", "elbow_l", "elbow_r"):
        q[model.q_slice(joint)] = 1.0
    place = dict(zip(model.link_names, model.link_poses(q)[:, :3, 3], strict=True))
    for side in "lr":
        assert place[f"foot_{side}"][0] < -0.2
        assert place[f"hand_{side}"][0] > 0.15


@pytest.mark.parametrize("bad", [{"mass": 0}, {"mass": -1.0}, {"height": float("nan")}, {"height": "tall"}])
def test_bad_sizes_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(kg.ModelError, match=f"human_figure: {next(iter(bad))} must be a positive number"):
        kg.human_figure(**bad)


def test_its_flight_keeps_energy_and_momentum(model: kg.Model) -> None:
    figure = kg.human_figure()
    flight = fly(figure, model, 0.5, 2.5e-4, 0, None)
    assert flight.conservative and flight.floating and flight.integrator == "rk4"
    assert flight.energy_drift < 1e-10
    linear, angular = flight.momentum_drift(70.0, np.array([0.0, 0.0, -9.81]))
    assert linear < 1e-10 and angular < 1e-10


def test_it_comes_back_to_where_it_was_thrown(model: kg.Model) -> None:
    flight = fly(kg.human_figure(), model, 1.0, 1e-3, 3, None)
    start, end = model.com(flight.trajectory.q[[0, -1]])
    assert np.allclose(start, end, atol=1e-6)
