"""<equality> of MJCF: loops and couplings."""

from __future__ import annotations

from dataclasses import replace

from ... import checks
from ...elements.joint import Joint
from ...elements.joint_options import Mimic
from ...pose import Pose, from_quaternion
from ...types import WORLD, ZERO
from ..xml_input import Node
from .body import Bodies
from .input import choice
from .tendon import Tendon

SOLVER = ("solref", "solimp", "class", "name", "active")


def close(node: Node, bodies: Bodies) -> Joint:
    """<connect> or <weld> as a spherical or fixed joint that closes a loop.

    connect: `anchor` in body1, its fellow where it falls in body2 as the file places them, or two sites. weld: `anchor`
    in body2, with its axes, at `relpose` in body1 (as the file places them if its quaternion is zero), or two sites
    that coincide.
    """
    weld = node.tag == "weld"
    more = ("anchor", "relpose", "torquescale") if weld else ("anchor",)
    node.only_attributes("body1", "body2", "site1", "site2", *more, *SOLVER)
    if node.number("torquescale", 1.0) == 0.0:
        raise node.error("torquescale='0' is not supported; use <connect>, which leaves turning free")
    if node.element.get("site1") is not None:
        (one, first), (two, second) = (_site(node, key, bodies) for key in ("site1", "site2"))
        if not weld:  # a ball has no axes: those of the file's placement give q = identity there
            turn = (bodies.at[one] * Pose(first.xyz)).inverse() * bodies.at[two]
            first, second = Pose(first.xyz, rotation=turn.rotation), Pose(second.xyz)
    else:
        one, two = _body(node, "body1", bodies), _body(node, "body2", bodies)
        first, second = _welded(node, one, two, bodies) if weld else _connected(node, one, two, bodies)
    kind = "fixed" if weld else "spherical"
    name = bodies.free_name(node.text("name", "") or f"{two}_{node.tag}")
    if two == WORLD:
        one, first, two, second = two, second, one, first
    if two == WORLD or one == two:
        raise node.error(f"joins '{one}' to itself; give two bodies")
    return Joint(name, kind, one, two, origin=first, child_origin=second, actuated=False, cut=True)


def couple(node: Node, bodies: Bodies, joints: dict[str, Joint]) -> Joint:
    """<joint joint1 joint2 polycoef>: q1 - ref1 = c0 + c1 (q2 - ref2), as a mimic of joint1."""
    node.only_attributes("joint1", "joint2", "polycoef", *SOLVER)
    c0, c1 = _line(node)
    return _following(node, _joint(node, "joint1", bodies), _joint(node, "joint2", bodies), c0, c1, bodies, joints)


def tie(node: Node, bodies: Bodies, joints: dict[str, Joint], tendons: dict[str, Tendon]) -> Joint:
    """<tendon tendon1 polycoef> of a fixed tendon over two joints: a1 (q1 - ref1) + a2 (q2 - ref2) = c0."""
    node.only_attributes("tendon1", "tendon2", "polycoef", *SOLVER)
    tendon = tendons.get(node.text("tendon1"), [])
    if node.element.get("tendon2") is not None or len(tendon) != 2 or not tendon[0][1] * tendon[1][1]:
        raise node.error("only one fixed tendon over two joints can be held; couple joints by <joint joint1 joint2>")
    (first, a1), (second, a2) = tendon
    for name in (first, second):
        if name not in bodies.ref:
            raise node.error(f"joint '{name}' is no hinge or slide")
    return _following(node, first, second, _line(node)[0] / a1, -a2 / a1, bodies, joints)


def _line(node: Node) -> tuple[float, float]:
    """c0 and c1 of polycoef; everything higher must be 0."""
    given = node.numbers("polycoef", range(1, 12)) or []
    c0, c1, *higher = (*given, *(0.0, 1.0)[len(given) :])
    if any(higher):
        raise node.error(f"polycoef {given}: only c0 + c1 q is supported, set the higher ones to 0")
    return c0, c1


def _following(
    node: Node, follower: str, leader: str, c0: float, c1: float, bodies: Bodies, joints: dict[str, Joint]
) -> Joint:
    """The follower with q - ref = c0 + c1 (q_leader - ref_leader)."""
    if joints[follower].mimic:
        raise node.error(f"joint '{follower}' follows two others; keep one of them")
    offset = c0 + bodies.ref[follower] - c1 * bodies.ref[leader]
    with node.located():
        return replace(joints[follower], mimic=Mimic(leader, c1, offset), actuated=False)


def _connected(node: Node, one: str, two: str, bodies: Bodies) -> tuple[Pose, Pose]:
    node.text("anchor")
    anchor = Pose(node.vector("anchor", ZERO))
    second = Pose((bodies.at[two].inverse() * bodies.at[one] * anchor).xyz)
    return bodies.at[one].inverse() * bodies.at[two] * second, second


def _welded(node: Node, one: str, two: str, bodies: Bodies) -> tuple[Pose, Pose]:
    given, anchor = node.numbers("relpose", (7,)) or [0.0] * 7, Pose(node.vector("anchor", ZERO))
    if not any(given[3:]):
        return bodies.at[one].inverse() * bodies.at[two] * anchor, anchor
    x, y, z, qw, qx, qy, qz = given
    return Pose((x, y, z), rotation=from_quaternion(qx, qy, qz, qw)), anchor


def _body(node: Node, key: str, bodies: Bodies) -> str:
    name = node.text(key, WORLD if key == "body2" else None)
    if name not in bodies.at:
        raise node.error(f"there is no body {name!r}{checks.nearest(name, [*bodies.at])}")
    return name


def _site(node: Node, key: str, bodies: Bodies) -> tuple[str, Pose]:
    name = node.text(key)
    if name not in bodies.sites:
        raise node.error(f"there is no site {name!r}{checks.nearest(name, [*bodies.sites])}")
    return bodies.sites[name]


def _joint(node: Node, key: str, bodies: Bodies) -> str:
    if key == "joint2" and node.element.get(key) is None:
        raise node.error("holds a joint where it is, which is not supported; make the joint's body fixed")
    name = node.text(key)
    if name not in bodies.ref:
        raise node.error(f"there is no hinge or slide {name!r}{checks.nearest(name, [*bodies.ref])}")
    return name


def is_active(node: Node) -> bool:
    return choice(node, "active", "true", "true", "false") == "true"
