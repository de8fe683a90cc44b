"""Where a name of the mechanism stands in the arrays of its C: sizes and enumerations of PREFIX.h."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count, repeat

from kinegen.runtime.abi import JointSpec, Manifest
from kinegen.runtime.kinds import KINDS

from ..symbolic.names import comment, identifier, identifiers

TORQUES = "numbers of tau of a step: those of v, then of cut joints"
LOOPS = "Loops by number, from parent to child: six rows of the closure each; forces told are those on the child."


@dataclass(frozen=True)
class Place:
    """An enumerator, its value and what is said of it."""

    name: str
    value: int
    about: str


@dataclass(frozen=True)
class Enumeration:
    title: str
    places: tuple[Place, ...]


def sizes(manifest: Manifest) -> tuple[Place, ...]:
    """PREFIX_NQ and the like."""
    torques = manifest.nv + sum(joint.nv for joint in manifest.loops)
    driven = sum(joint.nv for joint in (*manifest.joints, *manifest.loops) if joint.actuated)
    prefix = manifest.prefix.upper()
    moved = (Place(f"{prefix}_NTAU", torques, TORQUES),) if manifest.integrators else ()
    closed = (Place(f"{prefix}_NLOOPS", len(manifest.loops), "loops"),) if manifest.loops else ()
    return (
        Place(f"{prefix}_NQ", manifest.nq, "coordinates q"),
        Place(f"{prefix}_NV", manifest.nv, "velocities v, accelerations a, joint forces tau of kernels"),
        *moved,
        Place(f"{prefix}_NU", driven, "entries of tau with an actuator"),
        Place(f"{prefix}_NP", len(manifest.parameters), "run-time parameters p"),
        Place(f"{prefix}_NLINKS", len(manifest.links), "links"),
        *closed,
    )


def enumerations(manifest: Manifest) -> tuple[Enumeration, ...]:
    """Places in q, v and p, numbers of links and loops; those of which there are any."""
    prefix = manifest.prefix.upper()

    def by_joint(
        stem: str, joints: Sequence[JointSpec], start: Callable[[JointSpec], int], side: int
    ) -> tuple[Place, ...]:
        names, told = [joint.name for joint in joints], [_joint(joint, side) for joint in joints]
        return _places(f"{prefix}_{stem}", names, map(start, joints), told)

    parameters = [parameter.name for parameter in manifest.parameters]
    loops = [loop.name for loop in manifest.loops]
    tree, cut = manifest.joints, tuple(joint for joint in manifest.loops if joint.nv)
    found = (
        Enumeration("First entry of each joint in q.", by_joint("Q", tree, lambda joint: joint.q_start, 0)),
        Enumeration("First entry of each joint in v, a and tau.", by_joint("V", tree, lambda joint: joint.v_start, 1)),
        Enumeration("First coordinate of each cut joint.", by_joint("CUT_Q", cut, lambda joint: joint.q_start, 0)),
        Enumeration(
            "First velocity of each cut joint; tau has them behind the NV of the tree.",
            by_joint("CUT_V", cut, lambda joint: joint.v_start, 1),
        ),
        Enumeration("Parameters in p.", _places(f"{prefix}_P", parameters, count(), _defaults(manifest))),
        Enumeration("Links, as in poses and frames.", _places(f"{prefix}_LINK", manifest.links, count(), repeat(""))),
        Enumeration(LOOPS, _places(f"{prefix}_LOOP", loops, count(), _ends(manifest))),
    )
    return tuple(each for each in found if each.places)


def _places(stem: str, names: Sequence[str], values: Iterable[int], told: Iterable[str]) -> tuple[Place, ...]:
    """Upper-case identifiers, unique, with what is said of each, and its name where that is another."""
    unique = identifiers([identifier(name).upper() for name in names])
    own = [said if said != found.lower() else "" for said, found in zip(map(comment, names), unique, strict=True)]
    about = [", ".join(filter(None, parts)) for parts in zip(own, told, strict=False)]
    return tuple(map(Place, (f"{stem}_{found}" for found in unique), values, about))


def _defaults(manifest: Manifest) -> list[str]:
    """The values that parameters have in Python unless they are set."""
    return ["" if spec.default is None else f"usually {spec.default!r}" for spec in manifest.parameters]


def _ends(manifest: Manifest) -> list[str]:
    """What closes each loop, between which links."""
    return [f"{loop.kind}, from {loop.parent} to {loop.child}" for loop in manifest.loops]


def _joint(joint: JointSpec, side: int) -> str:
    """Kind of the joint, its entries where there are several, and whether nothing drives it."""
    labels = KINDS[joint.kind].labelled(side)
    entries = f": {' '.join(labels)}" if len(labels) > 1 else ""
    return f"{joint.kind}{entries}{', not actuated' if side == 1 and not joint.actuated else ''}"
