"""The struct of inverse kinematics (§15)."""

from __future__ import annotations

from kinegen.runtime.structs import ENDED, Field, Struct, numbered

IK = Struct(
    "ik",
    "Inverse kinematics: searches for configurations, in place.",
    (
        Field("const double *", "p", "run-time parameters; null: there are none"),
        Field("long", "rows", "searches"),
        Field("long", "follow", "1: each starts where the one before ended"),
        Field("double *", "q", "(rows, nq): where each starts, and what it found"),
        Field("long", "count", "targets"),
        Field("const target *", "targets", "(count)"),
        Field("const double *", "goals", "(rows, count, 9): a point, a unit vector or a rotation of the link"),
        Field("const double *", "lower", "limit of every velocity's coordinate, then of those of cut joints"),
        Field("const double *", "upper", "the same, above"),
        Field("const int *", "entry", "place of each of these in q, or in the coordinates of cut joints"),
        Field("const int *", "turns", "1 for each that is an angle"),
        Field("const double *", "moves", "(nv): 0 holds a velocity"),
        Field("const double *", "ready", "(nv), of mechanisms with loops: as for partition_closure; else not read"),
        Field("double", "tolerance", "size of a target's residual that counts as reached [m, rad]"),
        Field("double", "slack", "by how much limits may be missed"),
        Field("double", "closed", "gap of loops that counts as closed"),
        Field("long", "passes", "at most so many"),
        Field("long", "centre", "1: a target needs the centre of mass"),
        Field("double *", "work", "room for 6 numbers a target"),
        Field("double *", "size", "(rows, count), found: size of each residual; NaN where something given is NaN"),
        Field("long *", "taken", "(rows), found: passes taken"),
        Field("long *", "ended", f"(rows), found: {numbered(ENDED.values())}; 1 where something given is NaN"),
    ),
)
