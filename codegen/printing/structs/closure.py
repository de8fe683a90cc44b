"""Structs of loops: the partition of the velocities, and what a motion carries from step to step (§4, §8)."""

from __future__ import annotations

from kinegen.runtime.structs import Field, Struct

from ...analysis.sizes import LAGS, LoopSizes, Sizes


def partition(sizes: Sizes, loops: LoopSizes) -> Struct:
    return Struct(
        "partition",
        "Partition of the tree's velocities on the closure K v = 0 into m dependent and nv - m independent ones.",
        (
            Field("int", "rank", "m, that of K"),
            Field("int", "weak_row", "of K, at the smallest pivot"),
            Field("int", "weak_column", "its velocity"),
            Field("int", "inverted", "1: `inverse` is that at a q nearby"),
            Field("int", "known", "1: `inverse` and H are those at q"),
            Field(
                "int",
                "sparse",
                "1: H is zero where that of the straight-line code is, in whose order the velocities are",
            ),
            Field("int", "first", "columns of H from this one"),
            Field("int", "until", "to the one before this are not all zero"),
            Field("int", "rows", "pivot rows of K (m)", (sizes.rank_room,)),
            Field("int", "columns", "entries of v: dependent ones (m), then independent ones (nv - m)", (sizes.nv,)),
            Field("int", "laid", "1: H and `inverse` are zero outside of the blocks that the next members tell"),
            Field("int", "blocks", "how many"),
            Field("int", "block_rows", "rows of each block", (loops.loops,)),
            Field("int", "block_columns", "columns of each block, filled up to eights", (loops.loops,)),
            Field("int", "block_pivot", "pivots of all blocks, one after the other", (sizes.rank_room,)),
            Field("int", "block_column", "independent velocities of their columns", (loops.block_room,)),
            Field("int", "block_place", "places of their columns in H", (loops.block_room,)),
            Field("double", "ratio", "smallest pivot over the largest"),
            Field("double", "chosen", "the same when the partition was chosen, or the best since"),
            Field("double", "H", "v_dependent = H v_independent: (m, nv - m)", (sizes.rank_room * sizes.nv,)),
            Field("double", "inverse", "of the pivot rows and columns of K: (m, m)", (sizes.rank_room**2,)),
            Field("double", "q", "that of the last partition_closure", (sizes.nq,)),
        ),
    )


def memory(sizes: Sizes, loops: LoopSizes) -> Struct:
    return Struct(
        "memory",
        "What the motion of a closed mechanism carries from step to step, and what it has to tell of the closure. A "
        "step is put back on the closure; what that took in the last steps foretells what it will take (`lag`).",
        (
            Field("partition", "partition", "in use"),
            Field(
                "double", "ready", "how well each velocity may be a dependent one: see partition_closure", (sizes.nv,)
            ),
            Field("double", "cut_q", "coordinates of the cut joints with all their turns", (loops.cut_q + 1,)),
            Field("double", "load", "forces of contact and limits in the last step, as joint torques", (sizes.nv,)),
            Field("long", "pivotings", "told: new partitions"),
            Field("long", "singular_steps", "told: steps near a singularity"),
            Field("long", "worst_step", "told: the one with the worst ratio of pivots"),
            Field("long", "lag_pivotings", "new partitions there had been when `lag` was told"),
            Field("double", "lag", "by what steps were put back, and its differences", (LAGS * sizes.rank_room,)),
            Field("double", "left", "what the last step left of it", (sizes.rank_room,)),
            Field("double", "lag_dt", "length of the steps that `lag` tells of [s]; 0: it tells nothing"),
            Field("double", "geared", "gearing of dependent velocities beyond which another partition is looked for"),
            Field("double", "worst", "told: the worst ratio of pivots"),
            Field("double", "gap", "told: the largest gap that a step left [m, rad]"),
            Field("double", "missed", "told: gap of loops that could not be closed"),
            Field("int", "weak_row", "told: row of K where the ratio was worst"),
            Field("int", "weak_column", "told: velocity where it was worst"),
            Field("int", "last_row", "weak_row of the last step at full rank"),
            Field("int", "last_column", "weak_column of that step"),
            Field("int", "lags", "entries of `lag` that are known"),
            Field("int", "full_rank", "rank of K but for singularities"),
            Field("int", "blocked", "1: the closure undid most of the last step"),
            Field("int", "open", "told, 1: loops could not be closed"),
            Field(
                "int",
                "loaded",
                "0: no step was made in this structure yet; 1: neither contact nor limits acted in the last one; 2: "
                "they did, see `load`",
            ),
            *_seen(sizes),
            *_parts(sizes, loops),
        ),
    )


def _seen(sizes: Sizes) -> tuple[Field, ...]:
    if not sizes.going_on:
        return ()
    return (
        Field("int", "looked", "1: `seen` is filled"),
        Field("double", "looked_q", "configuration that it belongs to", (sizes.nq,)),
        Field("double", "seen", "what closing a step hands over to forward dynamics", (sizes.seen,)),
    )


def _parts(sizes: Sizes, loops: LoopSizes) -> tuple[Field, ...]:
    """Of a step that events divide."""
    if not sizes.switched:
        return ()
    return (
        Field(
            "double",
            "passed",
            "what earlier parts of a step that events divide add to the mean of `load`, then to that of the forces of "
            "stops of cut joints",
            (sizes.nv + loops.cut_v,),
        ),
        Field("double", "earlier", "share of these parts in the step"),
        Field("double", "share", "share of its last part"),
    )
