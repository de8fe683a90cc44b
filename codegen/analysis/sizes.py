"""Sizes and features of a model: what runtime/c is compiled for, so that its constants fold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kinegen.runtime.structs import GOAL, LANE_RUNS, MOST_CONDITIONS

from ..mechanism.mechanism import Mechanism
from ..mechanism.structure.topology import Switch
from .loops.closure import Closure
from .loops.cut import cut_angles, cut_limits, winding_bounds
from .loops.straight import NOTHING_STRAIGHT, StraightLine
from .motion.axes import motion_axes
from .passive import is_damped, is_passive

NEWTON_GROUPS = 32  # a bit of an unsigned int for each
NEWTON_BLOCKS = 12  # for each group
NEWTON_PARTS = 256, 24  # in all, and as many more for each group
WITHIN_ROWS = 26  # of eight numbers, for eight points that an interior point method keeps within their cones
KEPT = 5  # pairs of sweeps whose mean starts the next
LAGS = 4  # differences of what steps lacked that tell what the next one lacks


@dataclass(frozen=True)
class LoopSizes:
    """Of a mechanism with loops: see `Closure`. `rank`: of the closure where nothing is singular, 0 if not known;
    `specialised`: forward dynamics is straight-line where its partition serves.

    `block_room`: columns of the blocks that K_S may be made of, each filled up to eights.

    `massless`: joints of the tree move nothing with inertia; only the closed mechanism has one (A, not M).
    """

    loops: int
    rows: int
    cut_q: int
    cut_v: int
    cut_angles: int
    cut_bounds: int
    rank: int
    block_room: int
    switched: bool
    specialised: bool
    cut_forces: bool
    cut_damping: bool
    cut_limits: bool
    rolling: bool = False
    massless: bool = False


@dataclass(frozen=True)
class RowSizes:
    """Of a model whose steps solve constraint rows: contacts, joint limits, locks between links, dry friction.

    `capacity`: rows that a step has room for; `links`: those that rows push, `slots`: they, then bounded coordinates;
    `axes`: motion axes of the links; `blocks`: answers of slots to each other; `entries`: of L in a tree;
    `bounded`: shapes that the broad phase sorts, 0: there is none; `runs`: of pairs, which it looks for them by;
    `listed`: pairs have a table of their own beside; `bouncing`: a pair has restitution; `turning`:
    points with torsional or rolling friction; `rims`: bodies that may roll on one; `open_frictions`: those
    of pairs that depend on run-time parameters; `trees`: sets of slots that never answer each other; `apart`: slots of
    closed mechanisms may not either; `coupled`: a link is moved by a dof in two ways, or answers where none moves it;
    `terms`: M of a tree is factored by straight-line code; `roots`: velocities of each joint that leaves a tree free,
    or free to turn; `sixes`: groups of up to six dofs that move slots, tree by tree.
    """

    capacity: int
    links: int
    slots: int
    axes: int
    shapes: int
    pairs: int
    limits: int
    locks: int
    stictions: int
    blocks: int
    entries: int
    bounded: int
    runs: int = 0
    listed: bool = True
    pieces: int = 1
    cuts: int = 0
    sides: int = 0
    bouncing: bool = False
    trees: int = 1
    apart: bool = False
    coupled: bool = False
    turning: int = 0
    rims: int = 0
    open_frictions: int = 0
    terms: bool = False
    roots: tuple[int, ...] = ()
    sixes: int = 0

    @property
    def islands(self) -> bool:
        """Rows are solved island by island."""
        return self.bouncing or self.locks > 0 or self.trees > 1 or self.apart

    @property
    def newton_groups(self) -> int:
        """Islands of at most so many groups of six dofs are solved by Newton's method where sweeps stall; 0: none."""
        return min(self.sixes, NEWTON_GROUPS) if self.shapes > 0 or self.locks + self.stictions > 0 else 0

    @property
    def newton_blocks(self) -> int:
        """At most so many blocks of its equations are not zero."""
        return min(self.newton_groups**2, NEWTON_BLOCKS * self.newton_groups)

    @property
    def newton_parts(self) -> int:
        """At most so many pairs there are of a point and a group that moves it."""
        some, more = NEWTON_PARTS
        return min(self.capacity * self.newton_groups, some + more * self.newton_groups)

    @property
    def few_points(self) -> bool:
        """Where few points touch, they are solved by themselves, as a matrix."""
        others = self.islands or self.stictions > 0 or self.turning > 0 or self.rims > 0
        return self.shapes > 0 and not others


@dataclass(frozen=True)
class Sizes:
    """All of a model. `bodies`, `axes`: links and motion axes of the tree; `parameters`: numbers in p; `spinning`:
    single links fly by themselves; `turning`: others turn; `closing`: straight-line code puts a state back on
    the closure and hands `seen` numbers over, `going_on`: from which forward dynamics goes on, `pulled`: with what the
    end of a step adds to M through cut joints; `factored`: it gives what answers forces of rows, `alike`: by
    the formulas of the other; `core`: loops that come and go are solved along the branches of the tree."""

    nq: int
    nv: int
    bodies: int
    axes: int
    parameters: int
    parametric: bool
    passive: bool
    damping: bool
    loops: LoopSizes | None = None
    rows: RowSizes | None = None
    spinning: bool = False
    closing: bool = False
    seen: int = 0
    going_on: bool = False
    factored: bool = False
    alike: bool = False
    pulled: bool = False
    turning: bool = False
    core: bool = False

    @property
    def side(self) -> int:
        """Longest vector of the closure's linear algebra."""
        return max(self.nv, self.loops.rows if self.loops else 0) + 1

    @property
    def rank_room(self) -> int:
        """Dependent velocities that there can be."""
        return max(1, min(self.nv, self.loops.rows if self.loops else 0))

    @property
    def switched(self) -> bool:
        """Loops come and go."""
        return self.loops is not None and self.loops.switched

    @property
    def many(self) -> bool:
        """One call makes several simulations."""
        return self.nv > 0

    @property
    def beside(self) -> bool:
        """Several simulations can go side by side: what their steps begin with is straight-line code of one tree, and
        most of the work."""
        rows = self.rows
        tree = self.many and self.loops is None
        return tree and rows is not None and rows.terms and rows.links > 0 and rows.trees == 1

    @property
    def cut_limits(self) -> bool:
        """A cut joint has bounds."""
        return self.loops is not None and self.loops.cut_limits

    def constants(self) -> dict[str, int]:
        """Constants of the C by name."""
        loops, rows = self.loops, self.rows
        found = {"NQ": self.nq, "NV": self.nv, "BODIES": self.bodies, "TREE_AXES": self.axes}
        found |= {"PARAMETERS": max(1, self.parameters), "GOAL": GOAL, "LANE_RUNS": LANE_RUNS}
        found |= {"CUT_Q": loops.cut_q if loops else 0, "CUT_V": loops.cut_v if loops else 0}
        if loops:
            found |= {"LOOPS": loops.loops, "ROWS": loops.rows, "SIDE": self.side, "RANK": loops.rank}
            found |= {"CUT_ANGLES": loops.cut_angles, "CUT_BOUNDS": loops.cut_bounds, "LAGS": LAGS}
        if self.switched:
            found |= {"MOST_CONDITIONS": MOST_CONDITIONS}
        if rows:
            found |= {"CAPACITY": rows.capacity, "LINKS": rows.links, "SLOTS": rows.slots, "AXES": rows.axes}
            found |= {"SHAPES": rows.shapes, "PAIRS": rows.pairs, "LIMITS": rows.limits, "LOCKS": rows.locks}
            found |= {
                "STICTIONS": rows.stictions,
                "KEPT": KEPT,
                "FIRST_ROW": rows.pairs * (1 + (rows.turning > 0)) + rows.limits,
            }
            found |= {"FIRST_STICTION": rows.links + rows.limits, "BOUNDED": rows.bounded, "RUNS": rows.runs}
            found |= {"PIECES": rows.pieces, "CUTS": rows.cuts, "SIDES": rows.sides}
        if rows and rows.newton_groups:
            found |= {"NEWTON_GROUPS": rows.newton_groups, "NEWTON_BLOCKS": rows.newton_blocks}
            found |= {"NEWTON_PARTS": rows.newton_parts, "WITHIN_ROWS": WITHIN_ROWS}
        if rows and rows.turning:
            found |= {"FIRST_TURNING": rows.pairs + rows.limits}
        if rows and rows.rims:
            found |= {"RIMS": rows.rims}
        if rows and rows.roots:
            found |= {"ROOT_V": sum(rows.roots), "ROOT_M": sum(n * n for n in rows.roots)}
        if rows and rows.open_frictions:
            found |= {"OPEN_FRICTIONS": rows.open_frictions}
        return found

    def features(self) -> dict[str, bool]:
        """What the preprocessor is told, HAS_...: 0 or 1."""
        loops, rows = self.loops, self.rows
        return {
            "LOOPS": loops is not None,
            "SWITCHES": self.switched,
            "SPECIALISED": loops is not None and loops.specialised,
            "CLOSING": self.closing,
            "GOING_ON": self.going_on,
            "FACTORED": self.factored,
            "FACTORED_ALIKE": self.factored and self.alike,
            "PULLED": self.pulled,
            "CORE": self.core,
            "MASSLESS": loops is not None and loops.massless,
            "PASSIVE": self.passive,
            "DAMPING": self.damping,
            "SPIN": self.spinning,
            "TURNS": self.turning,
            "CUT_FORCES": loops is not None and loops.cut_forces,
            "CUT_DAMPING": loops is not None and loops.cut_damping,
            "CUT_LIMITS": self.cut_limits and rows is not None,
            "ROLLING": loops is not None and loops.rolling,
            "ROWS": rows is not None,
            "SHAPES": rows is not None and rows.shapes > 0,
            "POSES": rows is not None and rows.links > 0,
            "TERMS": rows is not None and rows.terms,
            "BROAD_PHASE": rows is not None and rows.bounded > 0,
            "LISTED_PAIRS": rows is not None and rows.listed,
            "HELD_ROWS": rows is not None and rows.locks + rows.stictions > 0,
            "LOCKS": rows is not None and rows.locks > 0,
            "TREES": rows is not None and rows.trees > 1,
            "COUPLED_PATHS": rows is not None and rows.coupled,
            "ISLANDS": rows is not None and rows.islands,
            "TURNING": rows is not None and rows.turning > 0,
            "NEWTON": rows is not None and rows.newton_groups > 0,
            "RIMS": rows is not None and rows.rims > 0,
            "FEW_POINTS": rows is not None and rows.few_points and loops is None,
            "OPEN_FRICTIONS": rows is not None and rows.open_frictions > 0,
            "ROOTS": rows is not None and bool(rows.roots),
            "BESIDE": self.beside,
            "PARAMETERS": self.parametric,
        }


def sizes_of(
    mechanism: Mechanism,
    switches: Sequence[Switch] = (),
    closure: Closure | None = None,
    rows: RowSizes | None = None,
    straight: StraightLine = NOTHING_STRAIGHT,
    *,
    massless: bool = False,
    spinning: bool = False,
    turning: bool = False,
    core: bool = False,
) -> Sizes:
    """Sizes and features of a model; `massless`: M of the tree is singular; the others as in `Sizes`."""
    joints = [body.joint for body in mechanism.tree.bodies]
    return Sizes(
        nq=mechanism.tree.nq,
        nv=mechanism.tree.nv,
        bodies=len(mechanism.tree.bodies),
        axes=len(motion_axes(mechanism.tree).dofs),
        parameters=len(mechanism.parameters) + len(switches),
        parametric=bool(mechanism.parameters),
        passive=any(map(is_passive, joints)),
        damping=any(map(is_damped, joints)),
        loops=_loop_sizes(mechanism, closure, bool(switches), straight, massless) if closure else None,
        rows=rows,
        spinning=spinning,
        closing=straight.closing is not None,
        seen=straight.closing.seen if straight.closing else 0,
        going_on=straight.closing is not None and straight.closing.goes_on,
        factored=straight.factored is not None,
        alike=straight.alike,
        pulled=straight.closing is not None and straight.closing.pulled,
        turning=turning,
        core=core,
    )


def _loop_sizes(
    mechanism: Mechanism, closure: Closure, switched: bool, straight: StraightLine, massless: bool
) -> LoopSizes:
    cut = [body.joint for body in closure.cut]
    return LoopSizes(
        loops=len(closure.cut),
        rows=len(closure.rows),
        cut_q=closure.cut_nq,
        cut_v=closure.cut_nv,
        cut_angles=len(cut_angles(closure)),
        cut_bounds=len(winding_bounds(mechanism, closure)),
        rank=straight.dependent,
        block_room=sum(-(-len(dofs) // 8) * 8 for dofs in closure.dofs),
        switched=switched,
        specialised=straight.closed is not None,
        cut_forces=any(map(is_passive, cut)),
        cut_damping=any(map(is_damped, cut)),
        cut_limits=any(limit.q >= mechanism.tree.nq for limit in cut_limits(mechanism, closure)),
        rolling=any(joint.wheel for joint in cut),
        massless=massless,
    )
