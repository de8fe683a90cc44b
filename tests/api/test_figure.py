"""The human figure is that of [N98 Fig. 13] with the table's masses, and its flight keeps what must be kept."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import sympy

import kinegen as kg
from kinegen.cli.demonstration import fly
from kinegen.codegen.program.evaluate import numeric
from kinegen.codegen.symbolic.functions import derive
from kinegen.de_leva import MAN, WOMAN
from support.oracles.mechanisms import random_state


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
    head_and_neck = MAN.head_and_neck.length * height / MAN.stature
    legs = -up["knee_l"] - up["ankle_l"] + 0.068 * height / MAN.stature
    assert trunk + head_and_neck + legs == pytest.approx(height, rel=1e-12)


def test_the_tables_shares_make_a_whole_and_her_segments_her_stature() -> None:
    for person in (MAN, WOMAN):
        one = (person.lower_trunk, person.middle_trunk, person.upper_trunk, person.head_and_neck)
        two = (person.upper_arm, person.forearm, person.hand, person.thigh, person.shank, person.foot)
        assert sum(s.share for s in one) + 2 * sum(s.share for s in two) == pytest.approx(1.0, abs=2e-4)
    assert WOMAN.stature == pytest.approx(1.735, abs=0.01)


@pytest.mark.parametrize("sex", ["male", "female"])
def test_it_has_the_mass_that_is_asked_for(sex: str) -> None:
    assert sum(link.mass for link in kg.human_figure(60.0, sex=sex).links) == pytest.approx(60.0, abs=1e-9)


def test_mass_and_height_as_parameters_are_those_figures() -> None:
    """Torques of a figure whose mass and height are set are those of one that was made so, women's too."""
    symbols = kg.parameter("mass", 70.0), kg.parameter("height", 1.75)
    for make, sex in ((kg.human_figure, "male"), (kg.simple_figure, "female")):
        told = make(*symbols, sex=sex)
        assert [p.name for p in told.parameters] == ["height", "mass"]
        torques = numeric(derive(told, "inverse_dynamics"))
        for mass, height in ((70.0, 1.75), (12.5, 0.9)):
            figure = make(mass, height, sex=sex)
            q, v, a, _ = (x.tolist() for x in random_state(figure, np.random.default_rng(4)))
            wanted = numeric(derive(figure, "inverse_dynamics"))({"q": q, "v": v, "a": a})["tau"]
            found = torques({"q": q, "v": v, "a": a, "p": [height, mass]})["tau"]
            assert np.allclose(found, wanted, rtol=0.0, atol=1e-12 * np.abs(wanted).max())
    with pytest.raises(kg.ModelError, match="sex must be one of 'male', 'female'"):
        kg.human_figure(sex="femal")


def test_neck_and_head_together_are_the_tables_segment() -> None:
    """Upright: mass, mass centre and moments of inertia of both equal the one row of the table."""
    figure = kg.human_figure(mass=MAN.mass, height=MAN.stature)
    neck, head = figure.link("neck"), figure.link("head")
    shift = np.array([0.0, 0.0, figure.joint("head").origin.xyz[2]])
    coms = np.array(neck.com), np.array(head.com) + shift
    mass = neck.mass + head.mass
    com = (neck.mass * coms[0] + head.mass * coms[1]) / mass
    inertia = np.zeros((3, 3))
    for link, at in zip((neck, head), coms, strict=True):
        r = at - com
        inertia += np.array(link.inertia) + link.mass * (r @ r * np.eye(3) - np.outer(r, r))
    assert mass == pytest.approx(MAN.mass * MAN.head_and_neck.share)
    assert com[2] == pytest.approx(MAN.head_and_neck.centre * MAN.head_and_neck.length)
    wanted = [mass * (radius * MAN.head_and_neck.length) ** 2 for radius in MAN.head_and_neck.radii]
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


@pytest.mark.parametrize("bad", [{"mass": 0}, {"mass": -1.0}, {"mass": True}, {"height": np.nan}, {"height": "tall"}])
def test_bad_sizes_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(kg.ModelError, match=f"human_figure: {next(iter(bad))} must be"):
        kg.human_figure(**bad)


def test_sizes_by_default_are_those_of_people() -> None:
    with pytest.raises(kg.ModelError, match=r"mass must be a positive number, got m, which is -70 by default$"):
        kg.human_figure(mass=kg.parameter("m", -70.0))
    with pytest.raises(kg.ModelError, match=r"got h, which is 175 by default; 175 cm are 1\.75 m$"):
        kg.simple_figure(height=kg.parameter("h", 175.0))
    assert len(kg.human_figure(kg.parameter("m", 70.0), kg.parameter("h", 1.75)).parameters) == 2


def test_heights_are_those_of_people_in_metres() -> None:
    with pytest.raises(kg.ModelError, match=r"height must be 0\.3 to 3 m, got 175; 175 cm are 1\.75 m"):
        kg.human_figure(height=175)
    with pytest.raises(kg.ModelError, match=r"height must be 0\.3 to 3 m, got 0\.01$"):
        kg.simple_figure(height=0.01)


def test_sizes_are_numbers_of_any_kind() -> None:
    for mass in (np.int64(70), np.float32(70.0), np.array(70.0), sympy.Integer(70)):
        assert kg.human_figure(mass) == kg.human_figure(70.0)


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
