"""Motion of frames and its derivatives: Pinocchio, fifty digits, differences of assembled states, refusals."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, get_args

import mpmath
import numpy as np
import pinocchio as pin
import pytest

import kinegen as kg
from kinegen.codegen.mechanism import Mechanism
from kinegen.codegen.pipeline import compile_mechanism
from kinegen.codegen.printing.selection import Selection
from kinegen.codegen.symbolic.functions import derive
from kinegen.codegen.symbolic.tree.frames import derive_frame_jacobian
from kinegen.runtime import Model
from kinegen.runtime.model.reference import Reference
from support.mechanisms.closed_models import model, motion
from support.mechanisms.robots import FOLDER
from support.oracles.digits import DIGITS, STEP, differences, many_digits, tangent, unit_rotations
from support.oracles.mechanisms import random_state
from support.oracles.numeric import Array, error
from support.oracles.pinocchio_oracle import to_pinocchio
from support.oracles.random_cases import SMALL, random_case

REFERENCES: dict[Reference, Any] = {
    "local_world_aligned": pin.LOCAL_WORLD_ALIGNED,
    "local": pin.LOCAL,
    "world": pin.WORLD,
}
EXACT = [name for name in SMALL if name not in ("mixed9", "mixed12", "two_gimbal", "skewed")]
MORE = ("aligned", "aligned_chain", "bush", "rotors", "floating", "mixed1", "mixed3", "mixed6")
"""Of kinds that the others have."""
CHOSEN = [pytest.param(name, marks=pytest.mark.sweep if name in MORE else ()) for name in EXACT]


@pytest.mark.parametrize(
    ("file", "root"),
    [
        ("panda_description/urdf/panda.urdf", "fixed"),
        ("solo_description/robots/solo.urdf", "free"),
        pytest.param("talos_data/robots/talos_reduced.urdf", "free", marks=pytest.mark.sweep),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_pinocchio(file: str, root: str) -> None:
    """Motion in all reference frames; derivatives in the two where Pinocchio's are those of its own numbers."""
    robot = kg.load(FOLDER / file, root=root, mimic="independent")  # type: ignore[arg-type]  # one of its literals
    at, oracle = kg.compile(robot, contacts=False), to_pinocchio(robot)
    q, v, a, _ = random_state(robot, np.random.default_rng(1))
    pin.computeForwardKinematicsDerivatives(oracle.model, oracle.data, oracle.q(q), v, a)
    pin.centerOfMass(oracle.model, oracle.data, oracle.q(q), v, a, True)
    dv_com = pin.getCenterOfMassVelocityDerivatives(oracle.model, oracle.data)
    assert error(at.com_velocity_derivatives(q, v).dv_dq, dv_com) < 1e-12
    for link in (len(at.link_names) // 2, -1):
        name, placed = at.link_names[link], oracle.links[link]
        offset = pin.SE3(placed.pose[:3, :3], placed.pose[:3, 3])
        pinned = pin.Frame(f"{name} again", placed.joint, 0, offset, pin.FrameType.OP_FRAME)
        frame = oracle.model.addFrame(pinned, False)
        data = oracle.model.createData()
        pin.computeForwardKinematicsDerivatives(oracle.model, data, oracle.q(q), v, a)
        for told, theirs in REFERENCES.items():
            velocity = pin.getFrameVelocity(oracle.model, data, frame, theirs).vector
            assert error(at.frame_velocity(q, v, name, reference=told), velocity) < 1e-12
            classical = told == "local_world_aligned"
            accelerated = pin.getFrameClassicalAcceleration if classical else pin.getFrameAcceleration
            acceleration = accelerated(oracle.model, data, frame, theirs).vector
            assert error(at.frame_acceleration(q, v, a, name, reference=told), acceleration) < 1e-11
            if not classical:
                expected = pin.getFrameAccelerationDerivatives(oracle.model, data, frame, theirs)
                found = at.frame_acceleration_derivatives(q, v, a, name, reference=told)
                for x, y in zip(found, expected, strict=True):
                    assert error(x, y) < 1e-11
                both = pin.getFrameVelocityDerivatives(oracle.model, data, frame, theirs)
                for x, y in zip(at.frame_velocity_derivatives(q, v, name, reference=told), both, strict=True):
                    assert error(x, y) < 1e-11


def moved(tree: Mechanism, q: Sequence[Any], rates: Sequence[Any], step: Any) -> list[Any]:
    """q + step q̇ of velocities `rates`."""
    total = [mpmath.mpf(0)] * len(q)
    for j, rate in enumerate(rates):
        total = [x + rate * y for x, y in zip(total, tangent(tree, q, j), strict=True)]
    return [x + step * y for x, y in zip(q, total, strict=True)]


KERNELS = (
    "frame_derivatives",
    "frame_jacobian",
    "frame_pose",
    "frame_velocity",
    "frame_acceleration",
    "frame_motion",
    "integrate",
)


def small(mechanism: Mechanism) -> Model:
    """The model with these kernels."""
    return Model.load(compile_mechanism(mechanism, contacts=False, selection=Selection(KERNELS)))


@pytest.mark.parametrize("name", CHOSEN)
def test_fifty_digits(name: str) -> None:
    """Velocity J v and acceleration J a + J̇ v of the last link from the straight-line Jacobian, and their rates."""
    tree = random_case(name)
    at = small(tree)
    with mpmath.workdps(DIGITS):
        h = mpmath.mpf(10) ** STEP
        given, v, a, _ = random_state(tree, np.random.default_rng(3))
        link, nv = at.link_names[-1], at.nv
        run = many_digits(derive_frame_jacobian(tree, link))
        start = unit_rotations(tree, given)
        of = {"p": [mpmath.mpf(x) for x in at.parameter_values()]} if at.parameters else {}

        def velocity(q: Sequence[Any], v: Sequence[Any]) -> list[Any]:
            J = run({**of, "q": q})["J"]
            return [sum(J[r * nv + j] * v[j] for j in range(nv)) for r in range(6)]

        def acceleration(q: Sequence[Any], v: Sequence[Any], a: Sequence[Any]) -> list[Any]:
            ends = [velocity(moved(tree, q, v, s * h), v) for s in (1, -1)]
            bias = [(x - y) / (2 * h) for x, y in zip(*ends, strict=True)]
            return [x + y for x, y in zip(velocity(q, a), bias, strict=True)]

        def rate(ends: list[list[Any]]) -> Array:
            return np.array([(x - y) / (2 * h) for x, y in zip(*ends, strict=True)], dtype=float)

        v_, a_ = [list(map(mpmath.mpf, x)) for x in (v, a)]
        found = at.frame_acceleration_derivatives(given, v, a, link)
        exact = np.array(acceleration(start, v_, a_), dtype=float)
        scale = max(1.0, *(float(np.abs(part).max()) for part in found))
        assert error(at.frame_velocity(given, v, link), np.array(velocity(start, v_), dtype=float)) < 1e-12
        assert np.abs(at.frame_acceleration(given, v, a, link) - exact).max() < 1e-12 * scale
        for j in range(nv):
            one = [mpmath.mpf(int(k == j)) for k in range(nv)]
            beside = [moved(tree, start, one, s * h) for s in (1, -1)]
            faster = [[x + s * h * y for x, y in zip(v_, one, strict=True)] for s in (1, -1)]
            columns = (
                rate([velocity(q, v_) for q in beside]),
                rate([acceleration(q, v_, a_) for q in beside]),
                rate([acceleration(start, v, a_) for v in faster]),
                np.array(velocity(start, one), dtype=float),
            )
            for part, column in zip(found, columns, strict=True):
                assert np.abs(part[:, j] - column).max() < 1e-12 * scale


@pytest.mark.parametrize("name", CHOSEN)
def test_centre_of_mass(name: str) -> None:
    """The straight-line program against differences of the Jacobian times v, at fifty digits."""
    tree = random_case(name)
    with mpmath.workdps(DIGITS):
        q, v, _, _ = random_state(tree, np.random.default_rng(2))
        given = {"q": unit_rotations(tree, q), "v": list(map(mpmath.mpf, v))}
        found = np.array(many_digits(derive(tree, "com_velocity_derivative"))(given)["dv_dq"], dtype=float)
        jacobian = derive(tree, "com_jacobian")
        for j in range(v.size):
            change = differences(jacobian, {"q": given["q"]}, {"q": tangent(tree, given["q"], j)})
            column = np.array(change, dtype=float).reshape(3, v.size) @ v
            assert np.abs(found.reshape(3, v.size)[:, j] - column).max() < 1e-13 * max(1.0, np.abs(found).max())


def along_closure(at: Model, name: str, reference: Reference, q: Array, ends: Sequence[Array]) -> Array:
    """(18) velocity and acceleration of a frame and velocity of the centre of mass, at y, ẏ, ÿ beside those of q."""
    y, rate, second = ends
    beside = at.assemble(at.integrate(q, at.W(q) @ y), hold=at.independent)
    v, bias = at.dependent_motion(beside, at.W(beside) @ rate, np.zeros(at.nv))
    leaders = list(at.loops.leaders)
    a = bias + at.W(beside) @ (second - bias[leaders])
    frame = at.frame_acceleration(beside, v, a, name, reference=reference)
    return np.concatenate([at.frame_velocity(beside, v, name, reference=reference), frame, at.com_jacobian(beside) @ v])


@pytest.mark.parametrize("reference", get_args(Reference))
@pytest.mark.parametrize("name", ["four-bar", "stewart"])
def test_closed(name: str, reference: Reference) -> None:
    """Extrapolated differences of motion that keeps the loops closed."""
    at, link = model(name), model(name).link_names[-1]
    q, v, a = motion(name, 1)
    leaders, nf = list(at.loops.leaders), at.nf
    start = (np.zeros(nf), v[leaders], a[leaders])
    found = at.frame_acceleration_derivatives(q, v, a, link, reference=reference)
    plain = at.frame_velocity_derivatives(q, v, link, reference=reference)
    com = at.com_velocity_derivatives(q, v)
    assert np.array_equal(found.dv_dq, plain.dv_dq) and np.array_equal(found.da_da, plain.dv_dv)
    zero, h = np.zeros((6, nf)), 1e-3
    expected = (
        np.vstack([found.dv_dq, found.da_dq, com.dv_dq]),
        np.vstack([plain.dv_dv, found.da_dv, com.dv_dv]),
        np.vstack([zero, found.da_da, zero[:3]]),
    )
    for part, columns in enumerate(expected):
        for j in range(nf):
            e = [np.eye(nf)[j] * (k == part) for k in range(3)]
            central = [
                (along_closure(at, link, reference, q, [x + s * y for x, y in zip(start, e, strict=True)])
                 - along_closure(at, link, reference, q, [x - s * y for x, y in zip(start, e, strict=True)])) / (2 * s)
                for s in (h, h / 2, h / 4)
            ]  # fmt: skip
            once = [(4 * fine - coarse) / 3 for coarse, fine in pairwise(central)]
            assert error(columns[:, j], (16 * once[1] - once[0]) / 15) < 3e-9


def test_references_and_batches() -> None:
    """Each reference from the pose: a body point at the world's origin, the frame's own axes; axes of a batch."""
    tree = random_case("mixed6")
    at = small(tree)
    states = [random_state(tree, np.random.default_rng(seed)) for seed in range(6)]
    q, v, a, _ = (np.array(x).reshape(2, 3, -1) for x in zip(*states, strict=True))
    link = at.link_names[-1]
    for told in REFERENCES:
        J = at.frame_jacobian(q, link, reference=told)
        assert error((J @ v[..., None])[..., 0], at.frame_velocity(q, v, link, reference=told)) < 1e-13
        found = at.frame_acceleration_derivatives(q, v, a, link, reference=told)
        assert found.da_dq.shape == (2, 3, 6, at.nv) and error(found.da_da, J) < 1e-13
        one = at.frame_acceleration_derivatives(q[1, 2], v[1, 2], a[1, 2], link, reference=told)
        assert all(np.array_equal(x, y[1, 2]) for x, y in zip(one, found, strict=True))
        total = (J @ a[..., None])[..., 0] + at.frame_bias(q, v, link, reference=told)
        assert error(total, at.frame_acceleration(q, v, a, link, reference=told)) < 1e-13
        h = 1e-5  # over a short time, all move on
        later, speed = [at.integrate(q, s * v + s * s / 2 * a) for s in (h, -h)], [v + s * a for s in (h, -h)]
        ends = [at.frame_velocity(x, y, link, reference=told) for x, y in zip(later, speed, strict=True)]
        assert error((ends[0] - ends[1]) / (2 * h), at.frame_acceleration(q, v, a, link, reference=told)) < 1e-6


def test_world_and_refusals() -> None:
    at = model("four-bar")
    q, v, a = motion("four-bar", 2)
    with pytest.raises(kg.ModelError, match="reference: expected one of local_world_aligned, local, world, got 'body'"):
        at.frame_velocity(q, v, at.link_names[0], reference="body")  # type: ignore[arg-type]  # what is refused
    with pytest.raises(kg.ModelError, match="has no link or frame 'foot'"):
        at.frame_acceleration_derivatives(q, v, a, "foot")
    with pytest.raises(kg.ModelError, match="accelerations miss the closure"):
        at.frame_acceleration_derivatives(q, v, a + 1.0, at.link_names[0])
    with pytest.raises(kg.ModelError, match="velocities v miss the closure"):
        at.frame_velocity_derivatives(q, v + np.arange(at.nv), at.link_names[0])
