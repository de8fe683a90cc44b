"""Links without mass in loops: the closed mechanism has inertia where its tree has none, or is refused by name."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import kinegen as kg
from kinegen import Joint, Link, Mechanism, ModelError, Pose
from support.mechanisms.closed_mechanisms import four_bar, rod, slider_crank
from support.oracles.kkt import Multipliers
from support.oracles.numeric import error

GRAVITY = 9.81


def without_mass(mechanism: Mechanism, *names: str) -> Mechanism:
    links = [Link(link.name) if link.name in names else link for link in mechanism.links]
    return replace(mechanism, name=f"{mechanism.name}_without", links=tuple(links))


def spatial(coupler: str = "universal") -> Mechanism:
    """Crank about z and rocker about x, joined by a coupler without mass; only the crank has inertia."""
    passive = {"actuated": False}
    joints = [
        Joint("motor", "revolute", "world", "crank"),
        Joint("hook", coupler, "crank", "coupler", Pose((0.1, 0, 0)), **passive),  # type: ignore[arg-type]
        Joint("hinge", "revolute", "world", "rocker", Pose((0.8, 0.3, 0.1)), axis=(1, 0, 0), **passive),  # type: ignore[arg-type]
        Joint("ball", "spherical", "rocker", "coupler", Pose((0, 0.5, 0)), Pose((1.0, 0, 0)), **passive),  # type: ignore[arg-type]
    ]
    return Mechanism("spatial", [rod("crank", 0.1), Link("coupler"), Link("rocker")], joints, gravity=(0, -GRAVITY, 0))


CASES = {
    "coupler and rocker": lambda: without_mass(four_bar(0.25, 0.8, 0.6, 0.7), "coupler", "rocker"),
    "coupler": lambda: without_mass(four_bar(0.25, 0.8, 0.6, 0.7), "coupler"),
    "crank and coupler": lambda: without_mass(four_bar(0.35, 0.9, 0.6, 0.7), "crank", "coupler"),
    "rod of a slider": lambda: without_mass(slider_crank(0.2, 0.7), "rod"),
    "rod and slider": lambda: without_mass(slider_crank(0.2, 0.7), "rod", "slider"),
    "spatial": spatial,
}


@cache
def compiled(name: str) -> kg.Model:
    return kg.compile(CASES[name]())


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.sweep if n == "rod of a slider" else ()) for n in CASES]
)
def test_dynamics_against_multipliers(name: str) -> None:
    mechanism, model = CASES[name](), compiled(name)
    rng = np.random.default_rng(len(name))
    for q in model.random(rng, size=4):
        W = model.closure.split(q).W()
        v, tau = W @ rng.normal(size=W.shape[1]), rng.normal(size=model.nv)
        cut = [model.loop_joint(loop.joint.name, q)[0] for loop in mechanism.virtual_links]
        expected = Multipliers(mechanism, q, v, cut).forward_dynamics(tau)
        for method in (None, "reduced", "unit_vector"):
            assert error(model.forward_dynamics(q, v, tau, method=method), expected) < 1e-8, method


@pytest.mark.parametrize("name", ["coupler and rocker", "rod and slider"])
def test_what_only_a_crank_moves_with_is_a_pendulum(name: str) -> None:
    model = compiled(name)
    length = CASES[name]().link("crank").com[0] * 2
    q = model.q0
    v, _ = model.dependent_motion(q, np.full(model.nv, 0.7))
    crank = model.forward_dynamics(q, v, np.zeros(model.nv))[0]
    assert crank == pytest.approx(-GRAVITY * (length / 2) * np.cos(q[0]) / (length**2 / 3), abs=1e-9)


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
@pytest.mark.parametrize("name", ["coupler", "spatial"])
def test_steps_keep_energy_and_closure(name: str, integrator: str) -> None:
    model = compiled(name)
    run = kg.Simulator(model, dt=1e-4, integrator=integrator, q=model.q0).run(0.5, every=100)
    energy = run.energy.sum(axis=1)
    scale = np.ptp(run.energy[:, 0])
    assert scale > 0.01
    assert np.abs(energy - energy[0]).max() < (1e-8 if integrator == "rk4" else 1e-2) * scale
    assert np.abs(model.closure_residual(run.q)).max() < 1e-10


def test_as_little_mass_as_one_likes() -> None:
    """A coupler of 1e-9 kg, which every kernel of the tree can take, moves as one without mass."""
    light = four_bar(0.25, 0.8, 0.6, 0.7)
    links = [replace(link, mass=1e-9, inertia=(1e-10, 0, 0, 1e-10, 0, 1e-10)) for link in light.links[1:2]]
    model = kg.compile(replace(light, name="light", links=(light.links[0], *links, light.links[2])))
    none = compiled("coupler")
    q, tau = none.q0, np.array([0.3, 0.1, -0.2])
    v, _ = none.dependent_motion(q, np.full(3, 2.0))
    assert error(none.forward_dynamics(q, v, tau), model.forward_dynamics(q, v, tau)) < 1e-6


def test_kernels_that_need_the_inverse_of_m_are_not_there() -> None:
    names = set(compiled("coupler").manifest.routes)
    assert not [name for name in names if name.startswith("forward_dynamics_open")]
    assert {"forward_dynamics", "mass_matrix", "inverse_dynamics"} <= names


def test_the_packed_mass_matrix_has_a_product_and_no_solution() -> None:
    """M of the tree is singular, and says so."""
    model = kg.compile(CASES["coupler and rocker"](), lanes=True)
    packed, x = model.mass_matrix(model.q0, packed=True), np.array([1.0, -2.0, 0.5])
    assert error(model.mass_matrix_product(packed, x), model.mass_matrix(model.q0) @ x) < 1e-14
    with pytest.raises(ModelError, match=r"its mass matrix is singular, as some of its joints move no mass.* armature"):
        model.mass_matrix_solve(packed, x)


def test_refused_by_name() -> None:
    with pytest.raises(ModelError, match=r"'pivot', 'knee', 'base'.*'crank', 'coupler', 'rocker'.*armature"):
        kg.compile(without_mass(four_bar(0.25, 0.8, 0.6, 0.7), "crank", "coupler", "rocker"))
    with pytest.raises(ModelError, match=r"joints 'hook' can move.*'coupler' mass"):  # it spins about its own axis
        kg.compile(spatial("spherical"))
    moving = without_mass(four_bar(0.25, 0.8, 0.6, 0.7), "coupler")
    hanging = replace(
        moving,
        links=(*moving.links, Link("flag")),
        joints=(*moving.joints, Joint("vane", "revolute", "coupler", "flag")),
    )
    with pytest.raises(ModelError, match=r"joints 'vane' can move.*'flag' mass"):
        kg.compile(hanging)


def test_trees_and_what_can_open_need_mass() -> None:
    tree = Mechanism(
        "tree", [rod("a", 1.0), Link("b")], [Joint("i", "revolute", "world", "a"), Joint("j", "revolute", "a", "b")]
    )
    with pytest.raises(ModelError, match="'j'"):
        kg.compile(tree)
    with pytest.raises(ModelError, match="'j'"):
        kg.TopologyLibrary(tree, [kg.Connection("hold", "b", "world", kg.revolute())]).precompile()
