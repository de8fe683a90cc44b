"""τ = Y(q, v, a) π + armature a, and energies: linear in the links' inertial parameters π (§16) [Atkeson86].

π of a link, in its own axes and about its own origin, in Pinocchio's order: m, m c (x y z), I (xx xy yy xz yz zz).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kinegen.runtime.abi import MOMENTS, PER_LINK

from ...program.tape import Scalar
from ..tree.kinematics import Place, links, path, places
from ..tree.rnea import forward
from ..tree.segments import Column, Segment
from ..vector import Mat, Vec, let_vec


@dataclass(frozen=True)
class LinkMotion:
    """ω, ω̇ and the acceleration a − g of the origin of a link's own frame, in its axes."""

    w: Vec
    dw: Vec
    a: Vec


def link_motions(chain: Sequence[Segment], v: Sequence[Scalar], a: Sequence[Scalar], gravity: Vec) -> list[LinkMotion]:
    """Of every link, in body order."""
    motions = forward(chain, v, a, gravity)
    found = []
    for i in links(chain):
        segment, motion, name = chain[i], motions[i], chain[i].name
        back = segment.link_R.T
        at_link = motion.a + motion.U.apply(segment.link_p)
        w, dw = let_vec(back.apply(motion.w), f"wl_{name}"), let_vec(back.apply(motion.dw), f"dwl_{name}")
        found.append(LinkMotion(w, dw, let_vec(back.apply(at_link), f"al_{name}")))
    return found


def link_frame(segment: Segment, place: Place) -> Place:
    """World pose of the link's own frame."""
    return Place(place.R @ segment.link_R, place.p + place.R.apply(segment.link_p))


def along(motion: LinkMotion, z: Vec, u: Vec) -> list[Scalar]:
    """(10) power of the link's wrench along the twist (z, u), by parameter:

    m: u·a,   m c: u × ω̇ + ω (ω·u) − u (ω·ω) + a × z,   I: sym(z ω̇ᵀ + (z × ω) ωᵀ).
    """
    w, dw, a = motion.w, motion.dw, motion.a
    first = u.cross(dw) + w * w.dot(u) - u * w.dot(w) + a.cross(z)
    turned = let_vec(z.cross(w), "h")
    second = [
        z[i] * dw[j] + turned[i] * w[j] + (z[j] * dw[i] + turned[j] * w[i] if i != j else z.x.tape.zero)
        for i, j in MOMENTS
    ]
    return [u.dot(a), *first, *second]


def torque_regressor(
    chain: Sequence[Segment], v: Sequence[Scalar], a: Sequence[Scalar], gravity: Vec
) -> list[list[Scalar]]:
    """Y (nv, 10N): links in body order."""
    tape, carried = gravity.x.tape, links(chain)
    motions = link_motions(chain, v, a, gravity)
    rows = [[tape.zero] * (PER_LINK * len(carried)) for _ in v]
    for k, i in enumerate(carried):
        tape.section(f"{chain[i].name}, parameters")
        for column, z, u in axes_in_link(chain, i):
            for n, entry in enumerate(along(motions[k], z, u)):
                rows[column.index][PER_LINK * k + n] += tape.let(entry, "Y")
    return rows


def axes_in_link(chain: Sequence[Segment], i: int) -> list[tuple[Column, Vec, Vec]]:
    """Axes of the joints from segment i to the root: twist (z, u) per unit of v, at its link's frame in its axes."""
    R, p = chain[i].link_R, chain[i].link_p  # the link's frame in segment j
    found = []
    for j in reversed(path(chain, i)):
        name = chain[j].name
        for column in chain[j].columns:
            z = let_vec(R.T.apply(column.angular), f"z_{name}")
            u = let_vec(R.T.apply(column.linear + column.angular.cross(p)), f"u_{name}")
            found.append((column, z * column.factor, u * column.factor))
        p = let_vec(chain[j].p + chain[j].R.apply(p), f"pl_{name}")
        R = _named(chain[j].R @ R, f"Rl_{name}")
    return found


def _named(m: Mat, hint: str) -> Mat:
    return Mat(tuple(let_vec(row, hint) for row in m.rows))  # type: ignore[arg-type]  # three rows


def energy_regressor(chain: Sequence[Segment], v: Sequence[Scalar], gravity: Vec) -> list[list[Scalar]]:
    """(2, 10N) kinetic and potential energy: ½ m u·u + m c·(u × ω) + ½ ω·I ω,   −g·(m p + R m c)."""
    tape, at = gravity.x.tape, places(chain)
    twists = _twists(chain, v)
    kinetic: list[Scalar] = []
    potential: list[Scalar] = []
    for i in links(chain):
        segment, (w_s, u_s) = chain[i], twists[i]
        back = segment.link_R.T
        w = let_vec(back.apply(w_s), f"wl_{segment.name}")
        u = let_vec(back.apply(u_s + w_s.cross(segment.link_p)), f"ul_{segment.name}")
        kinetic += [u.dot(u) * 0.5, *u.cross(w)]
        kinetic += [w[j] * w[k] * (1.0 if j != k else 0.5) for j, k in MOMENTS]
        frame = link_frame(segment, at[i])
        potential += [-gravity.dot(frame.p), *(-frame.R.T.apply(gravity)), *[tape.zero] * len(MOMENTS)]
    return [kinetic, potential]


def _twists(chain: Sequence[Segment], v: Sequence[Scalar]) -> list[tuple[Vec, Vec]]:
    """(ω, velocity of the origin) of every segment in its axes."""
    found: list[tuple[Vec, Vec]] = []
    for segment in chain:
        w_J, v_J = segment.speed(v)
        if segment.parent >= 0:
            w, u = found[segment.parent]
            w_J = w_J + segment.R.T.apply(w)
            v_J = v_J + segment.R.T.apply(u + w.cross(segment.p))
        found.append((let_vec(w_J, f"w_{segment.name}"), let_vec(v_J, f"u_{segment.name}")))
    return found


def inertial_parameters(chain: Sequence[Segment]) -> list[Scalar]:
    """π (10N) of the description."""
    found: list[Scalar] = []
    for i in links(chain):
        segment, R = chain[i], chain[i].link_R.T
        m = segment.inertia.m
        c = R.apply(segment.com - segment.link_p)
        about_com = R @ segment.I_com @ R.T
        moments = [about_com[j, k] + m * (c.dot(c) * float(j == k) - c[j] * c[k]) for j, k in MOMENTS]
        found += [m, *(c * m), *moments]
    return found
