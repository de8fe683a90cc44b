"""Compliant bushings: springs and dampers below a joint, such as the rubber under a robot's ankle [P Fig. 5]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from kinegen.runtime.errors import ModelError, shown
from kinegen.runtime.kinds import FIXED, PRISMATIC, REVOLUTE
from kinegen.runtime.typed import is_series

from .. import checks
from ..mechanism import Mechanism, require_mechanism
from ..pose import COINCIDENT, Pose
from ..types import Number, Vector
from .joint import Joint
from .link import Link

_AXES: dict[str, tuple[str, Vector]] = {
    "x": (PRISMATIC.name, (1.0, 0.0, 0.0)),
    "y": (PRISMATIC.name, (0.0, 1.0, 0.0)),
    "z": (PRISMATIC.name, (0.0, 0.0, 1.0)),
    "roll": (REVOLUTE.name, (1.0, 0.0, 0.0)),
    "pitch": (REVOLUTE.name, (0.0, 1.0, 0.0)),
    "yaw": (REVOLUTE.name, (0.0, 0.0, 1.0)),
}


def bushing(
    mechanism: Mechanism,
    link: str,
    *,
    stiffness: Number | Sequence[Number],
    damping: Number | Sequence[Number],
    axes: Sequence[str] = ("z", "pitch", "roll"),
    pose: Pose | None = None,
    above: float = 0.25,
) -> Mechanism:
    """The mechanism with passive joints between `link` and the joint that carries it, one for each of `axes`.

    `link`: a link, or the joint that carries it. `axes`: of "x", "y", "z" (slide), "roll", "pitch", "yaw" (turn about
    x, y, z), in this order from above; their joints are called LINK_AXIS. `stiffness` [N/m, N m/rad] and `damping`
    [N s/m, N m s/rad]: one number or one per axis, SymPy expressions are run-time parameters. `pose`: of the bushing in
    the link, by default where the carrying joint is. `above`: the part of the link's mass and inertia that stays above
    the bushing, as "LINK_mount"; where the carrying joint is fixed the bushing takes its place and nothing is parted.
    The links between have no mass. Total mass, mass centre and inertia are what they were; the link keeps its name,
    its frame and its shapes. A spring is explicit in a time step dt: it wants stiffness < 4 (mass it moves)/dt².
    ModelError for unknown names, a link that closes a loop, a part outside (0, 1), axes given twice.
    """
    carrying = _carrying(require_mechanism(mechanism, "bushing"), link)
    foot = mechanism.link(carrying.child)
    what = f"bushing of link '{foot.name}'"
    place = carrying.child_origin if pose is None else pose
    if not isinstance(place, Pose):
        raise ModelError(f"{what}: pose must be a Pose, got {shown(place)}")
    if carrying.kind == FIXED.name:
        upper, links = carrying.parent, [*mechanism.links]
        at = carrying.origin * carrying.child_origin.inverse() * place
        joints = [joint for joint in mechanism.joints if joint.name != carrying.name]
    else:
        mount, below = _parted(foot, above, what)
        upper, at = mount.name, place
        links = [*(below if piece.name == foot.name else piece for piece in mechanism.links), mount]
        joints = [replace(j, child=upper) if j.name == carrying.name else j for j in mechanism.joints]
    names = _axes(axes, what)
    _require_first(mechanism, carrying, names, what)
    springs, dampers = (
        _each(given, len(names), f"{what}: {label}")
        for given, label in ((stiffness, "stiffness"), (damping, "damping"))
    )
    between = [Link(f"{foot.name}_{name}_below") for name in names[:-1]]
    chain = [upper, *(piece.name for piece in between), foot.name]
    above_poses, below_poses = [at, *(COINCIDENT for _ in between)], [*(COINCIDENT for _ in between), place]
    for i, name in enumerate(names):
        kind, axis = _AXES[name]
        ends = chain[i], chain[i + 1], above_poses[i], below_poses[i], axis
        joint = Joint(f"{foot.name}_{name}", kind, *ends, stiffness=springs[i], damping=dampers[i], actuated=False)
        joints.append(joint)
    return replace(mechanism, links=(*links, *between), joints=tuple(joints))


def _axes(axes: Any, what: str) -> tuple[str, ...]:
    names = () if isinstance(axes, str) or not is_series(axes) else tuple(axes)
    if not names or any(not isinstance(name, str) or name not in _AXES or names.count(name) > 1 for name in names):
        raise ModelError(f"{what}: axes must be some of {', '.join(_AXES)}, each once, got {shown(axes)}")
    return names


def _require_first(mechanism: Mechanism, carrying: Joint, names: Sequence[str], what: str) -> None:
    """ModelError where a name that the bushing gives is taken, as by another one of the link."""
    mounts = {f"{carrying.child}_mount"} if carrying.kind != FIXED.name else set()
    taken = {link.name for link in mechanism.links} & mounts
    taken |= {joint.name for joint in mechanism.joints} & {f"{carrying.child}_{name}" for name in names}
    if taken:
        raise ModelError(
            f"{what}: there is '{min(taken)}' already; if that is of another bushing of this link, give all axes at "
            "once, as axes=('z', 'x'), else give it another name"
        )


def _carrying(mechanism: Mechanism, name: str) -> Joint:
    """The joint of the tree that carries the link, or the joint itself. ModelError if there is none."""
    loops = {virtual.joint.name for virtual in mechanism.virtual_links}
    tree = [joint for joint in mechanism.joints if joint.name not in loops]
    carrying = {**{joint.name: joint for joint in tree}, **{joint.child: joint for joint in tree}}
    if isinstance(name, str) and name in carrying:
        return carrying[name]
    if isinstance(name, str) and name in loops:
        raise ModelError(f"bushing: joint '{name}' closes a loop; name the link that the bushing carries")
    known = [*(link.name for link in mechanism.links), *(joint.name for joint in tree)]
    raise ModelError(f"bushing: there is no link or joint {shown(name)}{checks.nearest(name, known)}")


def _parted(foot: Link, above: float, what: str) -> tuple[Link, Link]:
    """The link as two with the same mass centre, inertia in the ratio of the masses."""
    part = checks.constant(above, f"{what}: above")
    if not 0.0 < part < 1.0:
        raise ModelError(f"{what}: above must lie between 0 and 1, got {part}")
    if foot.massless:
        raise ModelError(f"{what}: it has no mass, so that nothing can be parted; give it mass and inertia")
    mount = Link(f"{foot.name}_mount", part * foot.mass, foot.com, _scaled(foot, part))
    return mount, Link(foot.name, (1.0 - part) * foot.mass, foot.com, _scaled(foot, 1.0 - part), foot.shapes)


def _scaled(link: Link, factor: float) -> list[list[Any]]:
    return [[factor * x for x in row] for row in link.inertia]


def _each(value: Number | Sequence[Number], count: int, what: str) -> list[Number]:
    """(count) numbers from one or as many, none negative."""
    given = value if is_series(value) else (value,) * count
    return [checks.not_negative(x, f"{what}[{i}]") for i, x in enumerate(checks.items(given, count, what))]
