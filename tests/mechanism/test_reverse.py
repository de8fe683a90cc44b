"""Joints described from their other side: of two links that fly, the power of dampers and springs is the same."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kinegen as kg
from kinegen.codegen.mechanism.structure.reverse import reverse

TURNED = tuple(Rotation.from_rotvec((0.5, 0.3, -0.4)).as_quat().tolist())


def flying(joint: kg.Joint) -> kg.Model:
    links = [kg.Link("a", 1.0, inertia=(0.1, 0, 0, 0.2, 0, 0.3)), kg.Link("b", 2.0, inertia=(0.2, 0, 0, 0.3, 0, 0.4))]
    return kg.compile(kg.Mechanism("flying", links, [kg.Joint("root", "free", "world", joint.parent), joint]))


def power(model: kg.Model, poses: dict[str, np.ndarray], twists: np.ndarray) -> float:
    """Of passive forces where the links are so and move so; the joint is a ball."""
    top, low = (joint.child for joint in model.manifest.joints)
    rotations = [Rotation.from_matrix(poses[link][:3, :3]) for link in (top, low)]
    q = np.concatenate([poses[top][:3, 3], rotations[0].as_quat(), (rotations[0].inv() * rotations[1]).as_quat()])
    for link in (top, low):
        np.testing.assert_allclose(model.frame_pose(q, link), poses[link], atol=1e-12)
    J = np.vstack([model.frame_jacobian(q, link) for link in ("a", "b")])
    v = np.linalg.lstsq(J, twists, rcond=None)[0]
    np.testing.assert_allclose(J @ v, twists, atol=1e-12)
    return float(model.passive_forces(q, v) @ v)


@pytest.mark.parametrize(
    "options",
    [
        {"damping": 2.0, "armature": 0.3},
        {"stiffness": 2.0, "rest": TURNED},
    ],
)
def test_a_ball_turned_round_has_the_same_forces(options: dict[str, object]) -> None:
    joint = kg.Joint("ball", "spherical", "a", "b", **options)  # type: ignore[arg-type]
    model, rng = flying(joint), np.random.default_rng(1)
    q = np.asarray(model.integrate(model.neutral(), rng.normal(0, 0.6, model.nv)))
    v = rng.normal(size=model.nv)
    poses = {link: np.asarray(model.frame_pose(q, link)) for link in ("a", "b")}
    twists = np.concatenate([model.frame_jacobian(q, link) @ v for link in ("a", "b")])
    found = power(flying(reverse(joint)), poses, twists)
    assert found == pytest.approx(model.passive_forces(q, v) @ v, rel=1e-12) and abs(found) > 0.1


def test_rest_and_start_of_a_ball_turned_round_are_the_inverse_rotation() -> None:
    back = reverse(kg.Joint("ball", "spherical", "a", "b", start=TURNED, rest=TURNED))
    for given in (back.start, back.rest):
        found = Rotation.from_quat([float(x) for x in given]) * Rotation.from_quat(TURNED)
        assert found.magnitude() < 1e-12 and Rotation.from_quat(TURNED).magnitude() > 0.5


@pytest.mark.parametrize(
    ("kind", "options", "why"),
    [
        ("spherical", {"damping": (1, 2, 3)}, "its damping differs from axis to axis"),
        ("spherical", {"armature": (1, 1, 2)}, "its armature differs from axis to axis"),
        ("spherical", {"stiffness": (1, 2, 3)}, "its stiffness differs from axis to axis"),
        ("planar", {"damping": 1.0}, "has damping and cannot be turned round"),
        ("free", {"friction": 1.0, "stiffness": 2.0}, "has stiffness and friction and cannot be turned round"),
    ],
)
def test_forces_along_other_axes_than_before_are_refused(kind: str, options: dict[str, object], why: str) -> None:
    with pytest.raises(kg.ModelError, match=f"joint 'j' .*{why}"):
        reverse(kg.Joint("j", kind, "a", "b", **options))  # type: ignore[arg-type]
