"""PREFIX_lane_steps.c: time steps of several simulations, with one in each lane of a vector."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

import sympy

from kinegen.runtime.abi import INTEGRATORS
from kinegen.runtime.errors import InternalError
from kinegen.runtime.structs import Field, Struct, numbered

from ...analysis.limits import Limit, joint_limits
from ...analysis.motion.turning import Turning
from ...analysis.plan import Plan
from ...program.types import Function
from ...symbolic.derivations.coast import kick_velocities, momenta
from ...symbolic.functions import derive
from ...symbolic.motion import moved
from ...symbolic.symbols import symbols_of
from ...symbolic.tree.frames import link_step
from ..kernels import CFile, Context, Piece, printed
from ..motion import passive, statements
from ..motion.statements import Statements, listed, parameter_printer
from ..step.coast import MOMENTA
from ..structs.declared import declaration
from ..text.environment import render
from ..text.printer import Lines
from ..tree.loops import Table, path_tables
from .files import piece_by_lanes
from .kernel import LARGEST

KICK = "kick_velocities"
KICK_LIMIT = 5000
"""Operations above which compiling it takes longer than it saves in many millions of steps."""

LANE_SIMULATIONS = Struct(
    "lane_simulations",
    "Simulations of a tree where no row acts, whose states stand one after the other.",
    (
        Field("long", "count", "how many"),
        Field("long", "integrator", numbered(INTEGRATORS.values())),
        Field("long", "first", "steps that were made before, by those of which `done` tells that many"),
        Field("long", "steps", "steps number `first` to steps - 1 are made"),
        Field("long", "limits", "1: joints stop at their limits"),
        Field("long", "every", "with every > 0 the states after every, 2 every, ... steps go to q_log, v_log"),
        Field("long", "logs", "states of each that these have room for"),
        Field("double", "dt", "length of a step [s]"),
        Field("const double *", "p", "run-time parameters of the first"),
        Field("const double *", "tau", "torques of step i of the first at tau + i*tau_stride"),
        Field("long", "p_row", "numbers from the parameters of one to those of the next; 0: the same"),
        Field("long", "tau_row", "likewise of torques"),
        Field("long", "tau_stride", "numbers from step to step; 0: the same in all"),
        Field("double *", "q", "(count, nq) where they start, then where they end"),
        Field("double *", "v", "(count, nv) velocities there"),
        Field("double *", "q_log", "(count, logs, nq)"),
        Field("double *", "v_log", "(count, logs, nv)"),
        Field("long *", "done", "(count) steps that each has made, read and written"),
        Field("long", "servos", "joint servos that act"),
        Field("long", "servos_turn", "1: there are some on joints whose coordinates do not add"),
        Field("long", "gain_row", "numbers from kp, kd, limit of one to those of the next; 0: the same"),
        Field("long", "target_row", "likewise of targets"),
        Field("long", "target_stride", "numbers from step to step; 0: the same in all"),
        Field("const int *", "servo_dof", "of each servo in v"),
        Field("const int *", "servo_place", "of each in q; -1: of a joint whose coordinates do not add"),
        Field("const double *", "kp", "stiffness of each"),
        Field("const double *", "kd", "damping of each"),
        Field("const double *", "limit", "largest force of each"),
        Field(
            "const double *",
            "target",
            "where they go: positions, then velocities and, where servos_turn, a configuration; for step i at target + "
            "i*target_stride",
        ),
        Field("long", "acting", "wrenches that act on links"),
        Field("long", "wrench_row", "numbers from those of one to those of the next; 0: the same"),
        Field("long", "wrench_stride", "numbers from step to step; 0: the same in all"),
        Field("const double *", "place", "of each wrench, 5 numbers: see struct external"),
        Field("const double *", "wrenches", "6 numbers of each, for step i at wrenches + i*wrench_stride"),
    ),
)

DECLARED = """\
/* Steps of s, in place; done: those that each has made then, fewer where a limit may be met in the next step, or
 * where it is not finite: the scalar step goes on from there. */
void {prefix}_simulate_lanes(const {prefix}_lane_simulations *s);
"""


@dataclass(frozen=True)
class Moves:
    """Statements of what moves coordinates, joint by joint: see `runtime/c/joints/groups.h`."""

    integrate: Sequence[Statements]
    advance: Sequence[Statements]
    rate: Sequence[Statements]
    offset: Sequence[Statements]
    turning: Sequence[Statements]


@dataclass(frozen=True)
class LaneStepFile:
    """What `step.c.j2` shows: kernels by lanes, statements of joints, of turns, what turns, bounded coordinates.

    `link_pieces`: kernels of the pose of each link in that of the one that it hangs on; `tables`: paths of links.
    """

    title: str
    prefix: str
    parametric: bool
    pieces: Sequence[Piece]
    moves: Moves
    passive: Sequence[Statements]
    implicit: Sequence[Statements]
    turns: Sequence[str]
    turning: Turning | None
    bounds: Sequence[Limit]
    link_pieces: Sequence[Piece]
    tables: Sequence[Table]

    @property
    def kicks(self) -> bool:
        """A kick and the beginning of the coast after it are one kernel."""
        return any(piece.spec.name == KICK for piece in self.pieces)

    @property
    def angles(self) -> bool:
        return any(piece.body.angles for piece in (*self.pieces, *self.link_pieces))

    @property
    def turned(self) -> Lines | None:
        """The body of a kernel whose sines and cosines serve others too; None if it has none that stand together."""
        body = self.pieces[0].body
        return body if body.contiguous else None

    def turned_by(self, piece: Piece) -> bool:
        """It has the same angles, no more and no fewer: one that is far out changes how a state's others are made."""
        shared = self.turned
        return shared is not None and (piece.body.contiguous, piece.body.angles) == (shared.contiguous, shared.angles)


def has_lane_steps(plan: Plan) -> bool:
    """A tree that nothing but torques, wrenches, springs, dampers, dry friction that does not stick, servos and limits
    move, and whose forward dynamics is straight-line code."""
    mechanism, rows, route = plan.mechanism, plan.sizes.rows, plan.forward_dynamics
    joints = [body.joint for body in mechanism.tree.bodies]
    values = [x for joint in joints for x in (*joint.damping, *joint.friction, *joint.stiffness, *joint.rest)]
    return (
        plan.sizes.nv > 0
        and not (mechanism.virtual_links or plan.switches or moved(mechanism))
        and not any(isinstance(x, sympy.Expr) and x.free_symbols and not x.is_Symbol for x in values)
        and not (rows and (rows.locks or rows.stictions))
        and bool(route and route.function and all(array.symbols for array in route.function.inputs))
        and plan.sizes.nv <= LARGEST // 64
    )


def lane_step_file(context: Context, plan: Plan) -> CFile:
    """The C of a mechanism that has lane steps."""
    tree, number = context.mechanism.tree, parameter_printer(symbols_of(context.mechanism).parameters)
    turning, title, prefix = plan.turning, context.mechanism.name, context.prefix
    steps = [link_step(context.mechanism, body.index) for body in tree.bodies]

    def by_lanes(programs: Iterable[tuple[str, Function]]) -> list[Piece]:
        pieces = (printed(context, name, program) for name, program in programs)
        return [piece_by_lanes(context, piece.spec, piece.program) for piece in pieces]

    file = LaneStepFile(
        title,
        prefix,
        context.parametric,
        by_lanes(_programs(plan)),
        Moves(*(listed(tree, getattr(statements, move.name)) for move in fields(Moves))),
        listed(tree, lambda body: passive.passive(body, number, lanes=True)),
        listed(tree, lambda body: passive.implicit(body, number, lanes=True)),
        tuple(statements.turns(turning, number, lanes=True)) if turning else (),
        turning,
        joint_limits(tree),
        by_lanes((step.name, step) for step in steps),
        path_tables(tree),
    )
    declared = declaration(LANE_SIMULATIONS, prefix) + DECLARED.format(prefix=prefix)
    return CFile(f"{prefix}_lane_steps.c", render("lanes/step.c.j2", file=file), (), {}, (), declared)


def _programs(plan: Plan) -> list[tuple[str, Function]]:
    """What steps evaluate by lanes."""
    route, mechanism = plan.forward_dynamics, plan.mechanism
    if route is None or route.function is None:
        raise InternalError(f"{mechanism.name} has no lane steps")
    damped = derive(mechanism, f"forward_dynamics_damped_{route.name}")
    found = [("forward_dynamics", route.function), ("forward_dynamics_damped", damped)]
    if plan.sizes.turning:
        found += [("gravity", derive(mechanism, "gravity")), (MOMENTA, momenta(mechanism))]
        kick = kick_velocities(mechanism, route.name, plan.sizes.damping)
        found += [(KICK, kick)] if kick.operations.total <= KICK_LIMIT else []
    return found
