"""Numbers made into run-time parameters: named by patterns, as they were unless set, and whatever they are set to."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy

import kinegen as kg
from kinegen.cli.failures import run
from kinegen.codegen.mechanism.canonical import canonical
from kinegen.codegen.mechanism.elements.parameter import Parameter
from kinegen.codegen.mechanism.mechanism import Mechanism
from kinegen.codegen.program.evaluate import numeric
from kinegen.codegen.symbolic.functions import derive
from kinegen.scenes.scene import read_scene
from kinegen.scenes.simulated import run_scene
from support.c.lane_steps import steps_by_lanes
from support.oracles.mechanisms import random_state
from support.oracles.random_cases import SMALL, random_case

PENDULUM = Path(__file__).parents[2] / "examples" / "double_pendulum.urdf"
FOURBAR = Path(__file__).parents[2] / "examples" / "fourbar.toml"
ALL = ("mass, com, inertia of *", "damping, armature, origin, child_origin of *", "gravity")


def torques(mechanism: Mechanism, motion: tuple[np.ndarray, ...], values: dict[str, float] | None = None) -> np.ndarray:
    """Inverse dynamics by Python, parameters being `values`, else what they are by default."""
    numbers = [(values or {}).get(p.name, getattr(p, "value", None)) for p in mechanism.parameters]
    q, v, a = (x.tolist() for x in motion)
    return numeric(derive(mechanism, "inverse_dynamics"))({"q": q, "v": v, "a": a, "p": numbers})["tau"]


@pytest.mark.parametrize("name", SMALL)
def test_what_is_parametrised_is_what_it_was(name: str) -> None:
    mechanism = random_case(name)
    made = kg.parametrise(mechanism, *(ALL if name != "two_free" else ALL[:1]))
    motion = random_state(mechanism, np.random.default_rng(1))[:3]
    wanted = torques(mechanism, motion)
    assert np.allclose(torques(made, motion), wanted, rtol=0.0, atol=1e-12 * max(1.0, np.abs(wanted).max()))
    heavy = [link for link in mechanism.links if not link.massless]
    assert sum(p.name.startswith(("mass_", "com_", "inertia_")) for p in made.parameters) == 10 * len(heavy)


def test_what_is_set_is_what_would_have_been_described() -> None:
    """Every parameter at another value: the same as the description with these numbers in it."""
    made = kg.parametrise(random_case("mimics"), *ALL, "multiplier, offset, pitch of *")
    rng = np.random.default_rng(2)
    values = {p.name: p.value * rng.uniform(0.8, 1.2) + rng.uniform(0.0, 0.01) for p in made.parameters}
    other = kg.parametrise(made, *ALL)
    text = {p: sympy.Float(values[p.name], 17) for p in made.parameters}

    def number(x: object) -> object:
        return float(x.subs(text)) if isinstance(x, sympy.Expr) else x

    def told(x: object) -> object:
        return tuple(map(told, x)) if isinstance(x, tuple) else number(x)

    links = [kg.Link(x.name, *(told(y) for y in (x.mass, x.com, x.inertia))) for x in other.links]
    joints = [
        kg.Joint(
            j.name, j.kind, j.parent, j.child,
            kg.Pose(told(j.origin.xyz), rotation=j.origin.rotation),
            kg.Pose(told(j.child_origin.xyz), rotation=j.child_origin.rotation),
            axis=j.axis if "axis" in kg_options(j) else None,
            axis2=j.axis2 if "axis2" in kg_options(j) else None,
            axes=j.axes or None, pitch=told(j.pitch), armature=told(j.armature),
            mimic=j.mimic and kg.Mimic(j.mimic.joint, told(j.mimic.multiplier), told(j.mimic.offset)),
        )
        for j in other.joints
    ]  # fmt: skip
    plain = Mechanism("plain", links, joints, told(other.gravity), unphysical="allow")
    assert not plain.parameters
    motion = random_state(plain, rng)[:3]
    wanted = torques(plain, motion)
    assert np.allclose(torques(made, motion, values), wanted, rtol=0.0, atol=1e-11 * np.abs(wanted).max())


def kg_options(joint: kg.Joint) -> tuple[str, ...]:
    from kinegen.runtime.kinds import KINDS

    return KINDS[joint.kind].options


def test_a_compiled_model_has_them_by_default_and_takes_others() -> None:
    """Dampers, friction, springs and rotors act from the values that are set."""
    mechanism = kg.load(PENDULUM)
    made = kg.parametrise(mechanism, "mass of lower", "damping, friction, stiffness, rest, armature of *")
    plain, model = kg.compile(mechanism), kg.compile(made)
    assert model.parameters["mass_lower"] == 1.0 and model.parameters["damping_elbow"] == 0.0
    q, v, tau = np.random.default_rng(0).normal(size=(3, 7, 2))
    assert np.allclose(model.forward_dynamics(q, v, tau), plain.forward_dynamics(q, v, tau), rtol=1e-13)
    assert not model.passive_forces(q, v).any()
    other = model.with_parameters(damping_elbow=0.5, friction_elbow=0.2, stiffness_elbow=3.0, rest_elbow=0.1)
    slip = v[:, 1] / np.sqrt(v[:, 1] ** 2 + 1e-6)
    wanted = -0.5 * v[:, 1] - 3.0 * (q[:, 1] - 0.1) - 0.2 * slip
    assert np.allclose(other.passive_forces(q, v)[:, 1], wanted, rtol=1e-13)
    heavy = other.with_parameters(mass_lower=2.0, armature_elbow=0.3)
    assert np.allclose(heavy.mass_matrix(q)[:, 1, 1], plain.mass_matrix(q)[:, 1, 1] + 0.25 + 0.3)
    assert "DOUBLE_PENDULUM_P_MASS_LOWER = 6, /* usually 1.0 */" in model.source
    with pytest.raises(kg.ModelError, match="parameter mass_lower: expected a number that is positive, got 0"):
        model.with_parameters(mass_lower=0.0)  # the link has moments of inertia
    with pytest.raises(kg.ModelError, match="row 1: parameter mass_lower: expected a number that is positive, got 0"):
        kg.rollout(model, model.q0, steps=1, parameters={"mass_lower": [1.0, 0.0]})


def test_names_wildcards_and_what_is_symbolic_already() -> None:
    mechanism = kg.Mechanism(
        "m",
        [kg.Link("arm-1", 1.0, inertia=[1.0] * 3 + [2.0, 0.0, 2.0]), kg.Link("arm_2", sympy.Symbol("m2"))],
        [kg.Joint("ball", "spherical", "world", "arm-1"), kg.Joint("root", "free", "world", "arm_2")],
        unphysical="allow",
    )
    made = kg.parametrise(mechanism, "mass of arm*", "damping of *", "mass of arm-1")
    assert [p.name for p in made.parameters] == [
        "damping_ball_wx",
        "damping_ball_wy",
        "damping_ball_wz",
        "m2",
        "mass_arm_1",
    ]
    assert kg.parametrise(made, "mass of arm*") == made  # again: nothing left to do
    assert len(kg.parametrise(mechanism, "damping of root").parameters) == 7  # a free joint that is named
    with pytest.raises(kg.ModelError, match="a wildcard takes links with mass and joints that move but do not float"):
        kg.parametrise(mechanism, "damping of r*")
    alike = kg.Mechanism("m", [kg.Link("a-b", 1.0), kg.Link("a_b", 1.0)], mechanism.joints[:0] + tuple(
        kg.Joint(f"j{i}", "revolute", "world", n) for i, n in enumerate(("a-b", "a_b"))))  # fmt: skip
    with pytest.raises(kg.ModelError, match="mass of 'a_b' would be called mass_a_b, as mass of 'a-b' is"):
        kg.parametrise(alike, "mass of *")


def test_names_of_any_letters_make_parameters_that_files_take(tmp_path: Path) -> None:
    """Composed letters and decomposed ones alike; what accents tell apart in Japanese stays apart."""
    called = {"θ": "theta", "φ_1": "phi_1", "臂": "u81c2", "か": "u304b", "が": "u304c", "e\u0301": "e", "🤖": "u1f916"}
    links = [kg.Link(name, 1.0, inertia=kg.inertia.sphere(1.0, 0.1)) for name in called]
    joints = [kg.Joint(name, "revolute", "world", name) for name in called]
    made = kg.parametrise(kg.Mechanism("m", links, joints), "mass of *")
    assert {link.name: str(link.mass) for link in made.links} == {x: f"mass_{y}" for x, y in called.items()}
    kg.save(made, tmp_path / "made.toml")
    assert kg.load(tmp_path / "made.toml", merge=False) == made


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("mas of *", "unknown quantity 'mas'; did you mean 'mass'"),
        ("mass of uper", "there is no such link; did you mean 'upper'"),
        ("damping of elbo", "there is no such joint; did you mean 'elbow'"),
        ("mass", r"""does not read as "WHAT of NAME": of which one\? 'mass of \*' are all"""),
        ("friction of upper", "'upper': it has no shapes"),
        ("friction of uper", "there is no such joint"),
        ("limits of elbow", "cannot be a run-time parameter: stops of joints"),
        ("rpy of elbow", "cannot be a run-time parameter: rotations decide"),
        ("mass of base_*", "there is no such link"),
        ("pitch of *", "'shoulder': only a helical joint has one"),
        ("multiplier of elbow", "'elbow': it follows no joint"),
    ],
)
def test_refused_by_name(pattern: str, said: str) -> None:
    with pytest.raises(kg.ModelError, match=said):
        kg.parametrise(kg.load(PENDULUM), pattern)


def gripper(kind: str = "revolute", **second: object) -> kg.Mechanism:
    """A finger that another one follows, twice as far."""
    rods = [kg.Link(name, 1.0, (0, 0, -0.1), kg.inertia.box(1.0, (0.1, 0.1, 0.2))) for name in ("a", "b")]
    bounds = (-1.0, 1.0) if kind == "revolute" else None
    lead = kg.Joint("lead", kind, "world", "a", axis=(0, 1, 0), limits=bounds)
    follow = kg.Joint("follow", "revolute", "a", "b", axis=(0, 1, 0), mimic=kg.Mimic("lead", 2.0), **second)
    return kg.Mechanism("gripper", rods, [lead, follow])


@pytest.mark.parametrize("pattern", ["multiplier of follow", "offset of *"])
def test_limits_of_a_follower_are_not_lost(pattern: str) -> None:
    """They bound the joint that it follows by numbers of the compiled module."""
    assert gripper(limits=(-0.2, 0.2)).tree.bodies[0].joint.limits == ((-0.1, 0.1),)
    with pytest.raises(kg.ModelError, match=r"'follow' follows 'lead' by numbers that are run-time.*limits=None"):
        kg.compile(kg.parametrise(gripper(limits=(-0.2, 0.2)), pattern))
    with pytest.raises(
        kg.ModelError, match=r"give 'follow' none \(limits=None\) and bound 'lead' instead, made revolute"
    ):
        kg.compile(kg.parametrise(gripper("continuous", limits=(-0.2, 0.2)), pattern))
    assert kg.parametrise(gripper(), pattern).tree.bodies[0].joint.limits == ((-1.0, 1.0),)


def test_springs_of_leader_and_follower_may_all_be_slack() -> None:
    model = kg.compile(kg.parametrise(gripper(), "stiffness of *"))
    assert model.passive_forces([0.3], [0.1]) == 0.0
    assert model.with_parameters(stiffness_follow=2.0).passive_forces([0.3], [0.0]) == pytest.approx(-4 * 2.0 * 0.3)
    both = model.with_parameters(stiffness_lead=1e-9, stiffness_follow=0.0)
    assert both.passive_forces([0.3], [0.0]) == pytest.approx(-0.3e-9)


def test_a_parameter_is_a_value_that_travels() -> None:
    one, same, other = Parameter("m", 1.0), Parameter("m", 1.0), Parameter("m", 2.0)
    assert one == same and hash(one) == hash(same) and one != other and one != sympy.Symbol("m", real=True)
    assert pickle.loads(pickle.dumps(2 * one)) == 2 * one
    assert canonical(one) != canonical(other)  # so that the cache keeps models apart
    with pytest.raises(kg.ModelError, match="two different symbols are called"):
        kg.Mechanism("m", [kg.Link("a", one), kg.Link("b", other)], [
            kg.Joint("j", "revolute", "world", "a"), kg.Joint("k", "revolute", "a", "b")])  # fmt: skip
    with pytest.raises(kg.ModelError, match="parameter 'm' must be finite"):
        kg.parameter("m", float("nan"))


def test_values_by_default_are_held_to_what_bodies_can_have(tmp_path: Path) -> None:
    less = kg.parameter("less", -2.0)
    with pytest.raises(kg.ModelError, match=r"'a': mass must not be negative, got less, which is -2.0 by default$"):
        kg.Link("a", less)
    for option in ("damping", "armature", "stiffness", "friction"):
        with pytest.raises(kg.ModelError, match=rf"joint 'j': {option} must not be negative, got less, which is -2.0"):
            kg.Joint("j", "revolute", "world", "a", **{option: less})
    assert kg.Link("a", 2 * less).mass == 2 * less  # expressions are not judged
    with pytest.raises(kg.ModelError, match=r"link 'a' cannot exist: it has inertia but no mass"):
        kg.Mechanism("m", [kg.Link("a", kg.parameter("m", 0.0), inertia=(1, 0, 0, 1, 0, 1))], [
            kg.Joint("j", "revolute", "world", "a")])  # fmt: skip
    kg.save(kg.parametrise(kg.load(FOURBAR), "mass of *"), tmp_path / "open.toml")
    text = (tmp_path / "open.toml").read_text()
    (tmp_path / "open.toml").write_text(text.replace("mass_crank = 0.3", "mass_crank = -0.3"))
    with pytest.raises(kg.ModelError, match=r"open.toml:\d+: link 'crank': mass must not be negative"):
        kg.load(tmp_path / "open.toml")


def test_files_keep_the_values(tmp_path: Path) -> None:
    made = kg.parametrise(kg.load(FOURBAR), "mass of *")
    kg.save(made, tmp_path / "open.toml")
    again = kg.load(tmp_path / "open.toml", merge=False)
    assert again == made and [p.value for p in again.parameters] == [0.9, 0.3, 0.7]
    text = (tmp_path / "open.toml").read_text().replace("mass_crank = 0.3", "mass_crank = 0.3, mass_cranc = 1")
    (tmp_path / "wrong.toml").write_text(text)
    with pytest.raises(kg.ModelError, match=r"wrong.toml:2: parameters: no number .* 'mass_cranc'; did you mean"):
        kg.load(tmp_path / "wrong.toml")


def test_scenes_and_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A pendulum with a heavier lower arm, told by the scene, swings as one that was built so."""
    (tmp_path / "scene.toml").write_text(
        f'model = "{PENDULUM}"\nduration = 0.1\nparametrise = ["mass, inertia of lower"]\n'
        "[initial.q]\nelbow = 1.0\n[parameters]\nmass_lower = 2.0\n"
    )
    scene = read_scene(tmp_path / "scene.toml")
    model = kg.compile(scene.mechanism())
    found = run_scene(scene, model)
    sim = kg.Simulator(model.with_parameters(mass_lower=2.0), q=[0.0, 1.0])
    assert np.array_equal(found.q, sim.run(0.1).q) and abs(found.q[-1, 1] - 1.0) > 1e-3
    assert run(["inspect", str(PENDULUM), "--parameter", "mass of *"]) == 0
    assert "mass_lower, mass_upper" in capsys.readouterr().out
    assert run(["generate", str(PENDULUM), "-o", str(tmp_path / "c"), "--parameter", "mass of uper"]) == 2
    assert "did you mean 'upper'" in capsys.readouterr().err


@pytest.mark.parametrize("assumed", [{}, {"real": True}])
def test_parameters_may_have_the_names_of_what_programs_take(
    assumed: dict[str, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as masses M0 and M1 beside a packed M, or a gravity called dt."""
    box = np.diag((0.1, 0.1, 0.1))
    values = {"M0": 1.0, "M1": 2.0, "x0": 0.1, "above_0": 0.2, "dt": -9.0, "b0": 0.3}

    def arm(n: dict[str, Any]) -> Mechanism:
        links = [kg.Link("u", n["M0"], (0, n["x0"], -0.5), box), kg.Link("l", n["M1"], (0, n["above_0"], -0.4), box)]
        joints = [
            kg.Joint("hip", "revolute", "world", "u", axis=(0, 1, 0)),
            kg.Joint("knee", "revolute", "u", "l", kg.Pose((0, 0, n["b0"])), axis=(0, 1, 0.2)),
        ]
        return Mechanism("named", links, joints, gravity=(0, 0, n["dt"]))

    named = arm({name: sympy.Symbol(name, **assumed) for name in values})
    own, plain = kg.compile(named, lanes=True).with_parameters(values), kg.compile(arm(values), lanes=True)
    q, v = np.tile((0.3, 0.4), (16, 1)), np.tile((1.0, 60.0), (16, 1))
    packed = own.mass_matrix(q, packed=True)
    np.testing.assert_allclose(packed, plain.mass_matrix(q, packed=True), rtol=1e-13)
    np.testing.assert_allclose(own.mass_matrix_solve(packed, own.mass_matrix_product(packed, v)), v, rtol=1e-12)
    made = steps_by_lanes(monkeypatch)
    runs = [kg.rollout(model, q, v, steps=20, dt=1e-3) for model in (own, plain)]
    assert made == [20] * 32
    np.testing.assert_allclose(runs[0].q, runs[1].q, rtol=1e-12)
