"""Carrying vectors and inertias from a segment to its parent, with as few products as its rotation allows."""

from __future__ import annotations

from ...program.tape import Scalar
from ..vector import Mat, Vec, let_mat, let_sym, let_vec
from .segments import Segment


def up(segment: Segment, v: Vec, hint: str) -> Vec:
    """R v: segment axes → parent axes."""
    return let_vec(segment.R.apply(v), hint)


def down(segment: Segment, v: Vec, hint: str) -> Vec:
    """Rᵀ v: parent axes → segment axes."""
    return let_vec(segment.R.T.apply(v), hint)


def up_symmetric(segment: Segment, S: Mat, hint: str) -> Mat:
    """R S Rᵀ of a symmetric S."""
    if segment.turn is None:
        half = let_mat(segment.R @ S, f"h_{hint}")
        return let_sym(half @ segment.R.T, hint)
    turned = let_sym(_turned_symmetric(S, *segment.turn, hint), hint)
    return let_sym(segment.fixed_R @ turned @ segment.fixed_R.T, hint)


def _turned_symmetric(S: Mat, sin: Scalar, cos: Scalar, hint: str) -> Mat:
    """Rz S Rzᵀ in 10 products; the trace of the upper 2x2 block is kept."""
    tape = sin.tape
    a = tape.let(cos * S[0, 0] - sin * S[0, 1], f"h_{hint}")
    b = tape.let(cos * S[0, 1] - sin * S[1, 1], f"h_{hint}")
    xx = tape.let(cos * a - sin * b, f"{hint}_xx")
    xy = tape.let(sin * a + cos * b, f"{hint}_xy")
    yy = tape.let(S[0, 0] + S[1, 1] - xx, f"{hint}_yy")
    xz = tape.let(cos * S[0, 2] - sin * S[1, 2], f"{hint}_xz")
    yz = tape.let(sin * S[0, 2] + cos * S[1, 2], f"{hint}_yz")
    return Mat((Vec(xx, xy, xz), Vec(xy, yy, yz), Vec(xz, yz, S[2, 2])))


def up_matrix(segment: Segment, H: Mat, hint: str) -> Mat:
    """R H Rᵀ of any H."""
    half = let_mat(segment.R @ H, f"h_{hint}")
    return let_mat(half @ segment.R.T, hint)
