"""The struct of inverse kinematics (§15)."""

from __future__ import annotations

from kinegen.runtime.structs import ENDED, Field, Struct, numbered

IK = Struct(
    "ik",
    "Inverse kinematics: `rows` searches in place from q, each for its row of goals (9 a target: a point, a unit "
    "vector or a rotation of the link), follow: 1 if each starts where the one before ended. Limits and places (in "
    "q, or in the cut coordinates) of every velocity, then of those of cut joints; turns: 1 for an angle; moves "
    "(nv): 0 holds a velocity; ready (nv), of mechanisms with loops: as for partition_closure, else not read. "
    "tolerance [m, rad] of each target, passes at most; what limits and loops may be missed by; centre: 1 if a "
    "target needs the centre of mass; work: 6 numbers a target. Of each row: size of each target's residual, passes "
    f"taken, how it ended: {numbered(ENDED.values())}; 1 with a size "
    "of NaN where something given is NaN.",
    (
        Field("const double *", "p"),
        Field("long", "rows"),
        Field("long", "follow"),
        Field("double *", "q"),
        Field("long", "count"),
        Field("const target *", "targets"),
        Field("const double *", "goals"),
        Field("const double *", "lower"),
        Field("const double *", "upper"),
        Field("const int *", "entry"),
        Field("const int *", "turns"),
        Field("const double *", "moves"),
        Field("const double *", "ready"),
        Field("double", "tolerance"),
        Field("double", "slack"),
        Field("double", "closed"),
        Field("long", "passes"),
        Field("long", "centre"),
        Field("double *", "work"),
        Field("double *", "size"),
        Field("long *", "taken"),
        Field("long *", "ended"),
    ),
)
