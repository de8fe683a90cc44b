"""Which route computes what: operations are counted and the cheapest route for the topology is taken (§7)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..mechanism.mechanism import Mechanism
from ..program.types import WEIGHTS, Function
from ..symbolic.contact.terms import carried
from ..symbolic.functions import derive
from ..symbolic.loops.branches import branch_terms
from ..symbolic.loops.closed import Partition
from ..symbolic.loops.closed_functions import (
    DENSE_ROUTES,
    derive_closed,
    derive_closing,
    derive_dependence,
    derive_factored,
)
from ..symbolic.loops.cut_joint import is_plain
from ..symbolic.loops.left_out import Scales
from ..symbolic.loops.seen import derive_seen
from .loops.closure import Closure, dofs_of_loops, joints_of_loops, scales_of
from .passive import is_damped
from .sparsity import factor_pattern
from .trees import kinds_of_trees

STRAIGHT_LIMIT = 12_000  # operations above which M is a loop over pairs of linear text instead of straight-line code
BODY = 300  # operations of articulated bodies per degree of freedom, about: beyond them LᵀDL is not worth a look
DEARER = 2  # times the operations of plain forward dynamics above which dampers of cut joints have no code of their own
SAVING = 0.9  # part of the operations of plain forward dynamics above which nothing is won by going on from a look
LONGEST = 60_000  # operations above which of a closed mechanism, and of M, only what is generic is printed

COUNTED = f" (a division counts {WEIGHTS['div']}, a sine and cosine {WEIGHTS['sincos']})"


@dataclass(frozen=True)
class Route:
    """The chosen derivation of a kernel, its straight-line function (None: loops), and the figures that decided."""

    name: str
    function: Function | None
    reason: str


@dataclass(frozen=True)
class Closing:
    """Straight-line code that puts a state back on the closure, and the partition that it is made for: `rows`, places
    in the table of rows that count; `columns` (nv): dependent velocities in their order, then independent ones;
    `places`: of the entries of H (m, nf) that it gives, row by row. All others are zero. `after`: forward dynamics that
    goes on from what it has seen; `pulled`: that takes dampers of cut joints; `goes_on`: steps take it, since it takes
    what the plain one does not or is much shorter."""

    function: Function
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    places: tuple[int, ...]
    after: Function
    pulled: bool = False
    goes_on: bool = True

    @property
    def seen(self) -> int:
        """How many numbers `after` is handed."""
        return len(self.after.inputs[-1].symbols)

    @property
    def firsts(self) -> tuple[int, ...]:
        """(m + 1) where the entries of each row of H begin among them."""
        width = len(self.columns) - len(self.rows)
        return tuple(bisect_left(self.places, k * width) for k in range(len(self.rows) + 1))

    @property
    def leads(self) -> tuple[int, ...]:
        """The independent velocity that each entry of H takes."""
        width = len(self.columns) - len(self.rows)
        return tuple(self.columns[len(self.rows) + place % width] for place in self.places)


@dataclass(frozen=True)
class Dependence:
    """Straight-line code of what depends from the velocities that lead: the `partition` that it is made for, and
    `places` of the entries of H (m, nf) that it gives, row by row. All others are zero."""

    function: Function
    partition: Partition
    places: tuple[int, ...]


@dataclass(frozen=True)
class Core:
    """What solves loops that come and go along the branches of the tree.

    `touched`: of each loop (nv) 1 for velocities that its rows may take, and for all that stand in rows of `pattern`
    with them; `branches`: M = LᵀDL by `pattern` and forces where no loop touches (see `branch_terms`), `open`: all of
    it, for when nothing is active.
    """

    branches: Function
    open: Function
    pattern: tuple[tuple[int, ...], ...]
    touched: tuple[tuple[int, ...], ...]

    @property
    def ever(self) -> tuple[int, ...]:
        """(nv) 1 for velocities that some loop touches."""
        return tuple(map(max, zip(*self.touched, strict=True)))


def core_of(mechanism: Mechanism, mass_matrix: Route) -> Core | None:
    """None where M is not straight-line, or velocities meet that are on no common path: by mimic joints."""
    pattern = factor_pattern(mechanism.tree)
    nested = all(pattern[j] == row[:place] for row in pattern for place, j in enumerate(row))
    if mass_matrix.function is None or not nested:
        return None
    above = [carried(dofs, pattern) for dofs in dofs_of_loops(mechanism)]
    nv = mechanism.tree.nv
    touched = tuple(tuple(int(dof in own) for dof in range(nv)) for own in above)
    alone = [dof for dof in range(nv) if not any(dof in own for own in above)]
    branches = branch_terms(mechanism, "branch_terms", pattern, alone)
    return Core(branches, branch_terms(mechanism, "open_terms", pattern, range(nv)), pattern, touched)


def mass_matrix_route(mechanism: Mechanism) -> Route:
    """Composite inertias, straight-line or as a loop; unit vectors where a small mechanism makes them cheaper."""
    nv, pairs = mechanism.tree.nv, _pairs(mechanism)
    if not is_written_out(mechanism):
        return Route(
            "composite_loop", None, f"{pairs} pairs of axes on common paths: straight-line text would be too long"
        )
    composite = derive(mechanism, "mass_matrix_composite")
    if nv > 4:
        return Route("composite", composite, f"{composite.operations.total} operations{COUNTED}")
    unit = derive(mechanism, "mass_matrix_unit_vector")
    counts = (
        f"composite inertias {composite.operations.total}, unit vectors {unit.operations.total} operations{COUNTED}"
    )
    if unit.operations.total < composite.operations.total:
        return Route("unit_vector", unit, counts)
    return Route("composite", composite, counts)


def written_out(mechanism: Mechanism, mass_matrix: Route) -> Route:
    """The route as straight-line code, for numbers of which there are no loops; as it is where that is far too long."""
    if mass_matrix.function is not None or _matrix_estimate(mechanism) > LONGEST:
        return mass_matrix
    composite = derive(mechanism, "mass_matrix_composite")
    return Route("composite", composite, f"{composite.operations.total} operations{COUNTED}")


def forward_dynamics_route(mechanism: Mechanism) -> Route:
    """Articulated bodies or M = LᵀDL, whichever has fewer operations; mimic joints leave only the latter."""
    if mechanism.tree.nv == 0:
        return Route("articulated", derive(mechanism, "forward_dynamics_articulated"), "no joint moves")
    mimics = any(body.joint.mimic is not None for body in mechanism.tree.bodies)
    if not mimics and (estimate := _factor_estimate(mechanism)) > BODY * mechanism.tree.nv:
        return Route(
            "articulated",
            derive(mechanism, "forward_dynamics_articulated"),
            f"L'DL would take about {estimate} operations",
        )
    if mimics:
        factor = derive(mechanism, "forward_dynamics_ltdl")
        return Route("ltdl", factor, "mimic joints couple branches: only M = L'DL serves")
    kinds = kinds_of_trees(mechanism)
    routes = {name: [derive(kind, f"forward_dynamics_{name}") for kind, _ in kinds] for name in ("articulated", "ltdl")}
    totals = {
        name: sum(count * function.operations.total for (_, count), function in zip(kinds, functions, strict=True))
        for name, functions in routes.items()
    }
    best = min(routes, key=lambda name: totals[name])
    function = routes[best][0] if kinds[0][0] is mechanism else derive(mechanism, f"forward_dynamics_{best}")
    counts = f"articulated bodies {totals['articulated']}, L'DL {totals['ltdl']} operations{COUNTED}"
    return Route(best, function, counts)


def closed_route(
    mechanism: Mechanism, partition: Partition, massless: bool, scales: Scales, added: Sequence[int] = ()
) -> Route:
    """Multipliers, independent coordinates, or clusters of loops, whichever takes fewer operations; independent
    coordinates where M is singular, and clusters alone where M would take more than they.

    `massless`: M is singular; `scales`: what its rows are measured by; `added`: places in v to which the end of a step
    may add on the diagonal of M.
    """

    def derived(name: str) -> Function:
        return derive_closed(mechanism, partition, name, scales, massless, added)

    functions = {"clusters": derived("clusters")} if _has_clusters(mechanism, massless) else {}
    if not functions or functions["clusters"].operations.total > _matrix_estimate(mechanism):
        functions |= {name: derived(name) for name in (("independent",) if massless else DENSE_ROUTES)}
    totals = {name: function.operations.total for name, function in functions.items()}
    best = min(functions, key=lambda name: totals[name])
    reason = ", ".join(f"{name} {total}" for name, total in totals.items()) + f" operations{COUNTED}"
    function: Function | None = functions[best] if totals[best] <= LONGEST else None
    return Route(best, function, reason)


def _has_clusters(mechanism: Mechanism, massless: bool) -> bool:
    """Whether forward dynamics can go along clusters of loops, and there is more than one to go along."""
    mimics = any(body.joint.mimic is not None for body in mechanism.tree.bodies)
    return not massless and not mimics and joints_of_loops(mechanism) > 1


def factored_of(
    mechanism: Mechanism, partition: Partition, massless: bool, scales: Scales, added: Sequence[int] = ()
) -> Function | None:
    """Straight-line forward dynamics that also gives what answers forces of rows; None where it would be too long."""
    if _matrix_estimate(mechanism) > LONGEST:
        return None
    function = derive_factored(mechanism, partition, scales, massless, added)
    return function if function.operations.total <= LONGEST else None


def damped_loops(mechanism: Mechanism) -> list[int]:
    """Loops whose cut joints have dampers, if the velocities of these are plain and M is not too long; else none."""
    cut = [virtual.joint for virtual in mechanism.virtual_links]
    damped = [number for number, joint in enumerate(cut) if is_damped(joint)]
    plain = all(is_plain(cut[number]) for number in damped)
    return damped if plain and _matrix_estimate(mechanism) <= LONGEST else []


def closing_of(
    mechanism: Mechanism,
    partition: Partition,
    closure: Closure,
    plain: Route,
    massless: bool,
    scales: Scales,
    added: Sequence[int] = (),
) -> Closing | None:
    """Straight-line code that puts a state back on the closure, and forward dynamics that goes on from it, with dampers
    of cut joints where they take not much more than `plain` does; None where it would be too long.
    """

    def derived(route: str, damped: Sequence[int]) -> tuple[Function, Function]:
        both = scales_of(mechanism), scales
        return derive_seen(mechanism, partition, route, both, massless, added, damped)

    function = plain.function
    damped = damped_loops(mechanism) if function else []
    look, after = derived("independent" if damped else plain.name, damped)
    if damped and function and _total(look, after) > DEARER * function.operations.total:
        damped = []
        look, after = derived(plain.name, damped)
    if _total(look, after) > LONGEST:
        return None
    rows = tuple(closure.rows.index(row) for row in partition.rows)
    count = len(partition.dependent) * len(partition.independent)
    columns = (*partition.dependent, *partition.independent)
    goes_on = bool(damped) or function is None or _total(after) <= SAVING * function.operations.total
    if not goes_on:
        look = derive_closing(mechanism, partition, scales_of(mechanism))
    return Closing(look, rows, columns, tuple(range(count)), after, bool(damped), goes_on)


def _total(*functions: Function) -> int:
    return sum(function.operations.total for function in functions)


def packed_closing(closing: Closing, factored: Function | None) -> Closing:
    """The same that gives only entries of H which it, or `factored`, does not write as zero; all where most are."""
    functions = (closing.function, *((factored,) if factored else ()))
    dependence = [output for function in functions for output in function.outputs if output.name == "H"]
    places = tuple(sorted({place for output in dependence for place in output.places}))
    if 2 * len(places) > len(closing.places):
        return closing
    return replace(closing, function=_with_entries(closing.function, places), places=places)


def dependence_of(mechanism: Mechanism, partition: Partition, scales: Scales) -> Dependence:
    """Straight-line code of what depends from the independent velocities of a partition."""
    function = derive_dependence(mechanism, partition, scales)
    (H,) = (output for output in function.outputs if output.name == "H")
    places = tuple(H.places)
    return Dependence(_with_entries(function, places), partition, places)


def _with_entries(function: Function, places: Sequence[int]) -> Function:
    """The function that gives these entries of H only."""
    outputs = []
    for output in function.outputs:
        if output.name == "H":
            output = replace(output, shape=(len(places),), entries=tuple(output.entries[place] for place in places))
        outputs.append(output)
    return replace(function, outputs=tuple(outputs))


def _depths(mechanism: Mechanism) -> list[int]:
    """Degrees of freedom on the path to each body, its own included."""
    depths: list[int] = []
    for body in mechanism.tree.bodies:
        depths.append((depths[body.parent] if body.parent >= 0 else 0) + body.nv)
    return depths


def _pairs(mechanism: Mechanism) -> int:
    return sum(body.nv * depth for body, depth in zip(mechanism.tree.bodies, _depths(mechanism), strict=True))


def is_written_out(mechanism: Mechanism) -> bool:
    """M of the tree is straight-line code."""
    return _matrix_estimate(mechanism) <= STRAIGHT_LIMIT


def _matrix_estimate(mechanism: Mechanism) -> int:
    """The entries of M take about 24 operations each."""
    return 24 * _pairs(mechanism)


def _factor_estimate(mechanism: Mechanism) -> int:
    """LᵀDL takes about depth² operations a row."""
    return sum(body.nv * depth**2 for body, depth in zip(mechanism.tree.bodies, _depths(mechanism), strict=True))
