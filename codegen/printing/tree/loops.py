"""Kernels of the tree that are loops over its paths: tables and calls here, the loops themselves in runtime/c/tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from kinegen.runtime.abi import KernelSpec

from ...analysis.motion.axes import deepest_first, motion_axes, subtree_ends
from ...analysis.sparsity import factor_pattern
from ...mechanism.structure.tree import SpanningTree
from ..text.environment import render, starts


@dataclass(frozen=True)
class Loop:
    """A function of runtime/c, which stands in the header of its name: kernels it calls, tables it reads.

    `divides`: by the pivots of M, which are zero where M is singular.
    """

    name: str
    calls: tuple[str, ...]
    tables: tuple[str, ...] = ()
    folder: str = "tree"
    divides: bool = False

    @property
    def header(self) -> str:
        return f"kinegen/{self.folder}/{self.name}.h"


_PATHS = ("axis_dof", "axis_above", "axis_last")
_SUBLINKS = ("axis_link", "link_below")
_ONE_PATH = ("link_above", "link_axis", *_PATHS)
_FACTOR = ("factor_row", "factor_column")
_SUBTREES = ("axis_dof", "axis_above", "axis_first", "axis_end", "axis_below")
_BY_DEFINITION = ("motion_columns", "world_inertias", "armatures")

LOOPS = {
    loop.name: loop
    for loop in (
        Loop("mass_matrix", ("composite_columns", "armatures"), ("axis_dof", "axis_above")),
        Loop("mass_matrix_cog", _BY_DEFINITION, _PATHS),
        Loop("mass_matrix_unit_vector", ("unit_torque",)),
        Loop("cog_jacobian", ("motion_columns",), _PATHS),
        Loop("frame_jacobian", ("link_step",), _ONE_PATH, "frames"),
        Loop("frame_pose", ("link_step",), ("link_above", "link_axis"), "frames"),
        Loop("frame_velocity", ("link_step",), _ONE_PATH, "frames"),
        Loop("frame_acceleration", ("link_step",), (*_ONE_PATH, "axis_first"), "derivatives"),
        Loop("frame_motion", ("link_step",), (*_ONE_PATH, "axis_first"), "derivatives"),
        Loop("frame_derivatives", ("link_step",), (*_ONE_PATH, "axis_first"), "derivatives"),
        Loop("inverse_dynamics_cog", (*_BY_DEFINITION, "cog_bias", "gravity_vector"), _PATHS),
        Loop("forward_dynamics_damped", ("mass_matrix", "bias"), _FACTOR, divides=True),
        Loop("forward_dynamics_ltdl", ("mass_matrix", "bias"), _FACTOR, divides=True),
        Loop("forward_dynamics_unit_vector", ("mass_matrix_unit_vector", "bias"), _FACTOR, divides=True),
        Loop("inverse_derivatives", ("derivative_parts",), _SUBTREES, "derivatives"),
        Loop("inverse_second_derivatives", ("derivative_parts",), _SUBTREES, "derivatives"),
        Loop("inverse_weighed_derivatives", ("derivative_parts",), _SUBTREES, "derivatives"),
        Loop(
            "forward_derivatives",
            ("derivative_parts",),
            (*_SUBTREES, "axis_inward", *_FACTOR),
            "derivatives",
            divides=True,
        ),
        Loop("torque_regressor", ("regressor_parts",), (*_PATHS, *_SUBLINKS, "link_root")),
        Loop("torque_terms", ("cause_parts", "gravity_vector"), (*_PATHS, *_SUBLINKS)),
    )
}


@dataclass(frozen=True)
class Table:
    """A table of the mechanism."""

    name: str
    about: str
    values: tuple[int, ...]


@dataclass(frozen=True)
class LoopKernel:
    """A kernel that calls the function `loop` of runtime/c/tree."""

    spec: KernelSpec
    title: str
    loop: str

    @property
    def header(self) -> str:
        return LOOPS[self.loop].header


@dataclass(frozen=True)
class Choice:
    """A function that calls one of `cases`, by the number of a link; all take what `spec` says, and the sines and
    cosines of their `angles`. `firsts`: of each link the one whose case it takes, q `ahead` numbers further on."""

    spec: KernelSpec
    title: str
    cases: Mapping[int, str]
    angles: Mapping[int, tuple[str, ...]]
    firsts: tuple[int, ...]
    ahead: tuple[int, ...]

    @property
    def room(self) -> int:
        """The most angles on a path, or more."""
        return sum(len(self.angles[first]) for first in self.firsts)

    @property
    def shared(self) -> bool:
        """Some links take the case of another."""
        return len(self.cases) < len(self.firsts)


@dataclass(frozen=True)
class TreeLoops:
    """What `loops.c.j2` shows."""

    parametric: bool
    choices: tuple[Choice, ...]
    tables: tuple[Table, ...]
    kernels: tuple[LoopKernel, ...]


def loops_text(
    tree: SpanningTree, parametric: bool, kernels: Sequence[LoopKernel], choices: Sequence[Choice] = ()
) -> str:
    """The tables that these kernels read, what they choose from, the loops and the kernels; "" if there are none."""
    if not kernels:
        return ""
    read = {name for kernel in kernels for name in LOOPS[kernel.loop].tables}
    tables = tuple(table for table in _tables(tree) if table.name in read)
    return render("tree/loops.c.j2", loops=TreeLoops(parametric, tuple(choices), tables, tuple(kernels)))


def path_tables(tree: SpanningTree) -> tuple[Table, ...]:
    """What leads along the path from one link to the root."""
    return tuple(table for table in _tables(tree) if table.name in _ONE_PATH)


def _tables(tree: SpanningTree) -> tuple[Table, ...]:
    axes, pattern = motion_axes(tree), factor_pattern(tree)
    columns = tuple(column for row in pattern for column in row)
    return (
        Table("axis_dof", "Motion axis k moves dof axis_dof[k].", axes.dofs),
        Table("axis_above", "The next axis towards the root (-1: none): the paths of the tree.", axes.above),
        Table("axis_last", "The motion axis at which the path of link i ends.", axes.last),
        Table("axis_link", "The link that each motion axis moves.", axes.links),
        Table("link_above", "The link that each link hangs on, -1 for world.", tuple(b.parent for b in tree.bodies)),
        Table("link_root", "The first link on the path from world to each link.", _roots(tree)),
        Table("link_axis", "The first motion axis of each link, or where it would stand.", _firsts(tree)),
        Table(
            "link_below",
            "One past the last link of each link's subtree.",
            tuple(subtree_ends([b.parent for b in tree.bodies])),
        ),
        Table("axis_first", "The first axis of those that move one frame with it.", axes.first),
        Table("axis_end", "The last one.", axes.end),
        Table("axis_below", "One past the last axis of its subtree.", axes.below),
        Table("axis_inward", "All axes, the deepest first: branches take turns.", deepest_first(axes.above)),
        Table("factor_row", "Where each row of L of M = L'DL begins.", tuple(starts(pattern))),
        Table("factor_column", "The columns in which its entries stand.", columns or (0,)),
    )


def _firsts(tree: SpanningTree) -> tuple[int, ...]:
    counts = [body.nv or (1 if body.joint.mimic else 0) for body in tree.bodies]
    return (0, *accumulate(counts))[:-1]


def _roots(tree: SpanningTree) -> tuple[int, ...]:
    found: list[int] = []
    for body in tree.bodies:
        found.append(found[body.parent] if body.parent >= 0 else body.index)
    return tuple(found)
