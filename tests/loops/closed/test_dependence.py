"""What depends from the velocities that lead, by straight-line code: against pivoting and numpy, one state and many."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import kinegen as kg
from kinegen.codegen.mechanism import Joint, Mechanism, Pose
from kinegen.runtime import Model
from kinegen.runtime.errors import ModelError
from support.mechanisms.closed_mechanisms import four_bar, rod
from support.mechanisms.closed_models import model
from support.oracles.numeric import Array, error

NAMES = ("two motors", "five-bar", "stewart", "bar in two hands")


@cache
def mechanism(kind: str) -> Model:
    """A four-bar on a table that turns, all joints with motors, the cut one too; one with lengths as parameters."""
    if kind == "parameters":
        a, b, c, d = (kg.parameter(name, value) for name, value in zip("abcd", (1.0, 2.0, 2.5, 3.0), strict=True))
        return kg.compile(four_bar(a, b, c, d, "of_parameters"), lanes=True)
    crank = Joint("turn", "revolute", "world", "table", axis=(0, 1, 0))
    base = four_bar(1.0, 2.0, 2.5, 3.0, "on_a_table")
    joints = [
        Joint(j.name, j.kind, "table" if j.parent == "world" else j.parent, j.child, j.origin, j.child_origin)
        for j in base.joints
    ]
    table = rod("table", 1.0)
    return kg.compile(Mechanism("on_a_table", [table, *base.links], [crank, *joints], base.gravity), lanes=True)


def states(own: Model, count: int, seed: int = 0) -> tuple[Array, Array, Array]:
    """Closed configurations, and rates of which those that follow are arbitrary."""
    rng = np.random.default_rng(seed)
    return (np.array([own.random(rng) for _ in range(count)]), *rng.normal(size=(2, count, own.nv)))


def by_numpy(own: Model, q: Array, v: Array, a: Array) -> tuple[Array, Array, Array]:
    """H, and v, a with what follows, from the equations of the paper, J_C θ̇ = 0, whose rows follow from each other."""
    J, lead = own.closure_jacobian(q), list(own.loops.leaders)
    follow = [i for i in range(J.shape[1]) if i not in lead]
    tree = [i for i in follow if i < own.nv]
    H = np.linalg.lstsq(J[:, follow], -J[:, lead], rcond=1e-9)[0]
    v, a = v.copy(), a.copy()
    v[tree] = (H @ v[lead])[: len(tree)]
    drift = J[:, lead] @ a[lead] + own.closure_bias(q, v)
    a[tree] = np.linalg.lstsq(J[:, follow], -drift, rcond=1e-9)[0][: len(tree)]
    return H, v, a


@pytest.mark.parametrize("name", NAMES)
def test_one_state(name: str) -> None:
    own = model(name)
    kernels = {kernel.name: kernel.route for kernel in own.manifest.kernels}
    assert {kernels[k] for k in ("W", "H", "dependent_motion")} == {"specialised"}
    for q, v, a in zip(*states(own, 3), strict=True):
        H, v_all, a_all = by_numpy(own, q, v, a)
        assert error(own.W(q), own.loops.closure.coefficients(q, own.loops.leaders)) < 1e-12
        assert error(own.H(q), H) < 1e-9
        found_v, found_a = own.dependent_motion(q, v, a)
        assert error(found_v, v_all) < 1e-9 and error(found_a, a_all) < 1e-9
        followed_v, followed_a = v.copy(), a.copy()
        own.loops.closure.follow(q, followed_v, followed_a, own.loops.leaders)
        assert error(found_v, followed_v) < 1e-12 and error(found_a, followed_a) < 1e-11
        assert error(own.dependent_motion(q, v)[1], own.dependent_motion(q, v, np.zeros(own.nv))[1]) == 0.0


@pytest.mark.parametrize("kind", ["five motors", "parameters"])
def test_many_states(kind: str) -> None:
    """In lanes, in every layout of axes, and with one state for all."""
    own = mechanism(kind)
    own = own.with_parameters({"a": 1.1, "b": 2.2, "c": 2.4, "d": 3.0}) if own.manifest.parameters else own
    lanes = {kernel.name for kernel in own.manifest.kernels if kernel.lanes}
    assert {"W", "H", "dependent_motion"} <= lanes and (("S" in lanes) == (kind == "parameters"))
    q, v, a = states(own, 21)
    v, a = own.dependent_motion(q, v, a)
    for call, given in ((own.W, (q,)), (own.H, (q,)), (own.S, (q,)), (own.actuator_torques, (q, v, a))):
        found = call(*given)
        each = np.array([call(*state) for state in zip(*given, strict=True)])
        assert error(found, each) < 1e-13, call
        assert np.array_equal(call(*(x.reshape(3, 7, -1) for x in given)).reshape(found.shape), found)
        assert np.array_equal(call(*(x[:0] for x in given)), found[:0])
    each_v, each_a = (np.array(x) for x in zip(*map(own.dependent_motion, q, v, a), strict=True))
    assert error(v, each_v) < 1e-13 and error(a, each_a) < 1e-12
    one_v, one_a = own.dependent_motion(q[0], v, a[0])
    assert error(one_v[0], v[0]) < 1e-13 and one_a.shape == a.shape
    left = own.W(q).swapaxes(1, 2) @ own.inverse_dynamics(q, v, a)[..., None]
    left -= own.S(q).swapaxes(1, 2) @ own.actuator_torques(q, v, a)[..., None]
    assert np.abs(left).max() < 1e-9


def test_torques_are_the_least_also_with_a_motor_at_the_cut() -> None:
    own = mechanism("five motors")
    assert len(own.actuators) > own.nf + 1 and own.manifest.loops[0].actuated
    q, v, a = (x[0] for x in states(own, 1))
    v, a = own.dependent_motion(q, v, a)
    expected = np.linalg.pinv(own.S(q).T) @ own.W(q).T @ own.inverse_dynamics(q, v, a)
    assert error(own.actuator_torques(q, v, a), expected) < 1e-12
    assert error(own.actuator_torques(q, v, a, weights=np.ones(len(expected))), expected) < 1e-12


@pytest.mark.parametrize("angle", [0.3, 1e-2, 1e-4, 1e-6])
def test_near_a_change_point_pivoting_decides(angle: float) -> None:
    """A parallelogram that is nearly flat: where its rank counts as lost, what leads is refused as pivoting does."""
    own = flat()
    q = own.assemble([angle, -angle, angle], hold=["pivot"])
    rates = np.random.default_rng(0).normal(size=(2, 3))
    try:
        wanted = own.loops.closure.coefficients(q, own.loops.leaders)
    except ModelError as refusal:
        for call in (own.W, own.H, own.S, lambda q: own.dependent_motion(q, *rates)):
            with pytest.raises(ModelError, match="cannot lead at this q"):
                call(q)
        assert "cannot lead" in str(refusal) and angle < 1e-3
        return
    assert error(own.W(q), wanted) < 1e-12 / angle
    assert np.isfinite(own.dependent_motion(q, *rates)[1]).all()


@cache
def flat() -> Model:
    return kg.compile(four_bar(1, 2, 1, 2, "parallelogram"), lanes=True)


def test_what_cannot_be_led_or_closed_is_told_by_its_row() -> None:
    own = flat()
    q = np.array([own.assemble([x, -x, x], hold=["pivot"]) for x in (0.4, 0.6, 0.8, 1.0, 1.2, 0.5)])
    q[4] = 0.0
    still = np.zeros(3)
    for ask, rates in ((own.W, 0), (own.H, 0), (own.S, 0), (own.dependent_motion, 1), (own.actuator_torques, 2)):
        with pytest.raises(ModelError, match=r"^row 4: model 'parallelogram': .+ cannot lead at this q: "):
            ask(q, *[still] * rates)
        with pytest.raises(ModelError, match=r"^row \(1, 1\): model 'parallelogram': .+ cannot lead at this q: "):
            ask(q.reshape(2, 3, 3), *[still] * rates)
        with pytest.raises(ModelError, match=r"^model 'parallelogram': .+ cannot lead at this q: "):
            ask(q[4], *[still] * rates)
    q[4] = [0.4, 1.0, 1.0]
    with pytest.raises(ModelError, match=r"^row 4: model 'parallelogram': loop '.+' cannot be closed from here"):
        own.assemble(q, hold=own.joint_names)
    apart = mechanism("parameters").with_parameters(d=100.0)
    with pytest.raises(ModelError, match=r"^row 0: model 'of_parameters': loop '.+' cannot be closed from here"):
        apart.project(q, still)


def test_a_row_near_a_change_point_harms_no_other() -> None:
    own = flat()
    angles = np.linspace(0.2, 1.2, 19)
    angles[11] = 1e-3
    q = np.array([own.assemble([x, -x, x], hold=["pivot"]) for x in angles])
    v, a = np.random.default_rng(1).normal(size=(2, 19, 3))
    found = own.W(q)
    assert error(found, np.array([own.W(x) for x in q])) < 1e-13
    assert error(found[11], own.loops.closure.coefficients(q[11], own.loops.leaders)) < 1e-9
    v, a = own.dependent_motion(q, v, a)
    assert error(v[11], own.dependent_motion(q[11], v[11], a[11])[0]) < 1e-9
    q[11] = 0.0
    with pytest.raises(ModelError, match="cannot lead at this q"):
        own.W(q)
    q[11, 1] = np.nan
    for call in (own.W, own.H, own.S, lambda q: own.dependent_motion(q, v), lambda q: own.actuator_torques(q, v, a)):
        with pytest.raises(ModelError, match=r"q: entry \(11, 1\) is nan"):
            call(q)


def test_an_open_loop_is_not_led_by_what_leads_a_closed_one() -> None:
    """Rows that followed from the others do not there: the straight-line code sees it, and pivoting tells."""
    own = model("bar in two hands")
    q = own.random(np.random.default_rng(3))
    off = own.integrate(q, 0.05 * np.ones(own.nv))
    pivoted: list[Array | str] = []
    for call in (lambda: own.W(off), lambda: own.loops.closure.coefficients(off, own.loops.leaders)):
        try:
            pivoted.append(call())
        except ModelError as refusal:
            pivoted.append(str(refusal))
    assert isinstance(pivoted[0], str) == isinstance(pivoted[1], str)
    assert pivoted[0] == pivoted[1] if isinstance(pivoted[0], str) else error(pivoted[0], pivoted[1]) < 1e-10


def folded_far() -> Model:
    """A four-bar of which pivots alone choose another leader than `independent` where it is folded far."""
    links = [
        kg.Link(n, 1.0, (x, 0, 0), kg.inertia.rod(1.0, 2 * x)) for n, x in zip("abc", (0.25, 0.4, 0.3), strict=True)
    ]
    joints = [
        Joint("drive", "revolute", "world", "a"),
        Joint("knee", "revolute", "a", "b", Pose((0.9, 0, 0))),
        Joint("pivot", "revolute", "world", "c", Pose((0.8, 0, 0))),
        Joint("close", "revolute", "b", "c", Pose((0.5, 0, 0)), Pose((0.4, 0, 0))),
    ]
    return kg.compile(Mechanism("folded_far", links, joints))


def test_project_keeps_the_independent_entries_of_q_as_well_as_of_v() -> None:
    own = folded_far()
    q = own.assemble([-0.09798057, 3.10128015, -3.09378659])
    lead = list(own.loops.leaders)
    assert own.partition(q).independent != own.independent
    off = q + np.where(np.isin(range(own.nv), lead), 0.0, 1e-3)
    rate = np.random.default_rng(0).normal(size=own.nv)
    closed, v = own.project(off, rate)
    assert np.array_equal(closed[lead], off[lead]) and np.array_equal(v[lead], rate[lead])
    assert np.abs(own.closure_residual(closed)).max() < 1e-11
    assert np.array_equal(own.with_independent(own.independent).project(off, rate)[0], closed)


def test_project_keeps_them_all_where_one_of_two_was_asked_for() -> None:
    own = model("five-bar").with_independent(["right_motor"])
    lead, both, rng = list(own.loops.leaders), own.with_independent(own.independent), np.random.default_rng(0)
    looked_at = 0
    for _ in range(60):
        q, rate = own.random(rng), rng.normal(size=own.nv)
        if own.partition(q).independent == own.independent or both.partition(q).condition > 50:
            continue
        looked_at += 1
        off = own.integrate(q, 1e-3 * rng.normal(size=own.nv))
        closed, v = own.project(off, rate)
        assert np.array_equal(closed[lead], off[lead]) and np.array_equal(v[lead], rate[lead])
        np.testing.assert_allclose(v, own.dependent_motion(closed, rate)[0], atol=1e-9 * np.abs(v).max())
    assert looked_at > 2


def test_others_that_lead_are_led_by_pivoting() -> None:
    own = model("two motors").with_independent(["knee"])
    assert own.loops.leaders != own.manifest.independent
    q, v, a = (x[0] for x in states(own, 1))
    H, v_all, _ = by_numpy(own, q, v, a)
    assert error(own.H(q), H) < 1e-9 and error(own.dependent_motion(q, v, a)[0], v_all) < 1e-9
    assert own.W(q)[1, 0] == 1.0


def test_too_few_actuators_are_told() -> None:
    """A loop with one motor, and a pendulum without."""
    base = four_bar(1.0, 2.0, 2.5, 3.0, "with_a_pendulum")
    swing = Joint("swing", "revolute", "rocker", "bob", Pose((0.3, 0.0, 0.0)), actuated=False)
    own = kg.compile(Mechanism(base.name, [*base.links, rod("bob", 0.5)], [*base.joints, swing], base.gravity))
    assert "actuator_torques" not in {kernel.name for kernel in own.manifest.kernels}
    q, v, a = (x[0] for x in states(own, 1))
    with pytest.raises(ModelError, match="under-actuated for this motion: 1 actuators"):
        own.actuator_torques(q, *own.dependent_motion(q, v, a))


def test_trees_have_no_drift_of_loops_but_look_at_their_rates() -> None:
    """Of every state nothing, and wrong arguments are refused as elsewhere."""
    tree = model("tree")
    assert tree.closure_bias([0.0, 0.0], np.zeros((3, 2))).shape == (3, 0)
    for wrong, told in (
        ("abc", "expected float64 numbers"),
        (np.zeros(3), r"expected shape \(..., 2\)"),
        ([0, np.nan], "nan"),
    ):
        with pytest.raises(ModelError, match=rf"^v: .*{told}"):
            tree.closure_bias([0.0, 0.0], wrong)
    with pytest.raises(ModelError, match=r"q \(2, 2\), v \(3, 2\)"):
        tree.closure_bias(np.zeros((2, 2)), np.zeros((3, 2)))
