"""Every quantity of a tree as a function on its own tape: name → derivation.

`derive(mechanism, name)` gives the factored form from which C is printed and which inspection shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from kinegen.runtime.errors import ModelError

from ..mechanism.mechanism import Mechanism
from ..program.tape import Scalar, Tape
from ..program.types import Function
from ..program.verify import verify
from .derivatives.recursion import inverse_dynamics_derivatives, parts
from .loops import closure, cut_joint
from .loops.closure import Loop, loops
from .regressor import regressor
from .symbols import Symbols, symbols_of
from .tree import articulated, kinematics, mass_matrix, rnea
from .tree.cog_route import inverse_dynamics_cog, mass_matrix_cog
from .tree.factor import factorise, solve
from .tree.segments import Segment, regrouped, segments
from .vector import Vec, vec, zero


@dataclass(frozen=True)
class Workbench:
    """A tape with the mechanism on it; inputs appear on the tape in the order in which they are first asked for."""

    mechanism: Mechanism
    symbols: Symbols
    tape: Tape

    @cached_property
    def q(self) -> list[Scalar]:
        return self.tape.input("q", self.symbols.q)

    @cached_property
    def v(self) -> list[Scalar]:
        return self.tape.input("v", self.symbols.v)

    @cached_property
    def a(self) -> list[Scalar]:
        return self.tape.input("a", self.symbols.a)

    @cached_property
    def tau(self) -> list[Scalar]:
        return self.tape.input("tau", self.symbols.tau)

    @cached_property
    def extra(self) -> list[Scalar]:
        return self.tape.input("d", self.symbols.extra)

    @cached_property
    def true(self) -> tuple[Segment, ...]:
        return segments(self.tape, self.mechanism, self.q)

    @cached_property
    def chain(self) -> tuple[Segment, ...]:
        return regrouped(self.true)

    @cached_property
    def gravity(self) -> Vec:
        return vec(self.tape, self.mechanism.gravity)

    @cached_property
    def loops(self) -> list[Loop]:
        return loops(self.mechanism, self.true)

    @property
    def nv(self) -> int:
        return self.mechanism.tree.nv

    @property
    def rest(self) -> list[Scalar]:
        return rnea.still(self.tape, self.nv)


Rows = Sequence[Sequence[Scalar]]


def _flat(rows: Rows) -> Iterable[Scalar]:
    return (entry for row in rows for entry in row)


def _inverse_dynamics(w: Workbench) -> None:
    _, v, a = w.q, w.v, w.a
    w.tape.output("tau", (w.nv,), rnea.inverse_dynamics(w.chain, v, a, w.gravity))


def _bias(w: Workbench) -> None:
    _, v = w.q, w.v
    w.tape.output("h", (w.nv,), rnea.inverse_dynamics(w.chain, v, w.rest, w.gravity))


def _gravity(w: Workbench) -> None:
    w.tape.output("g", (w.nv,), rnea.inverse_dynamics(w.chain, w.rest, w.rest, w.gravity))


def _mass_matrix_composite(w: Workbench) -> None:
    w.tape.output("M", (w.nv, w.nv), _flat(mass_matrix.by_composite_inertias(w.chain, w.nv)))


def _mass_matrix_unit_vector(w: Workbench) -> None:
    w.tape.output("M", (w.nv, w.nv), _flat(mass_matrix.by_unit_vectors(w.chain, w.nv)))


def _mass_matrix_cog(w: Workbench) -> None:
    w.tape.output("M", (w.nv, w.nv), _flat(mass_matrix_cog(w.true, w.nv)))


def _inverse_dynamics_cog(w: Workbench) -> None:
    _, v, a = w.q, w.v, w.a
    w.tape.output("tau", (w.nv,), inverse_dynamics_cog(w.true, v, a, w.gravity))


def _inverse_dynamics_derivatives(w: Workbench) -> None:
    _, v, a = w.q, w.v, w.a
    parts = inverse_dynamics_derivatives(w.chain, v, a, w.gravity)
    w.tape.output("dtau", (3, w.nv, w.nv), (entry for part in parts for entry in _flat(part)))


def _derivative_parts(w: Workbench) -> None:
    rows, lifts = parts(w.chain, w.gravity)
    w.tape.output("rows", (len(rows), len(rows[0])), _flat(rows))
    w.tape.output("lift", (len(lifts), 3), (entry for lift in lifts for entry in lift))
    _armatures(w)


def _forward_dynamics_articulated(w: Workbench) -> None:
    _, v, tau = w.q, w.v, w.tau
    w.tape.output("a", (w.nv,), articulated.forward_dynamics(w.chain, v, tau, w.gravity))


def _forward_dynamics_damped_articulated(w: Workbench) -> None:
    _, v, tau, extra = w.q, w.v, w.tau, w.extra
    w.tape.output("a", (w.nv,), articulated.forward_dynamics(w.chain, v, tau, w.gravity, extra))


def _by_factor(w: Workbench, M: list[list[Scalar]], extra: Sequence[Scalar] | None = None) -> None:
    _, v, tau = w.q, w.v, w.tau
    h = rnea.inverse_dynamics(w.chain, v, w.rest, w.gravity)
    if extra is not None:
        M = [[entry + extra[i] if i == j else entry for j, entry in enumerate(row)] for i, row in enumerate(M)]
    right = [w.tape.let(t - b, "r") for t, b in zip(tau, h, strict=True)]
    w.tape.output("a", (w.nv,), solve(factorise(M), right))


def _forward_dynamics_ltdl(w: Workbench) -> None:
    _, _, _ = w.q, w.v, w.tau
    _by_factor(w, mass_matrix.by_composite_inertias(w.chain, w.nv))


def _forward_dynamics_damped_ltdl(w: Workbench) -> None:
    _, _, _, extra = w.q, w.v, w.tau, w.extra
    _by_factor(w, mass_matrix.by_composite_inertias(w.chain, w.nv), extra)


def _forward_dynamics_unit_vector(w: Workbench) -> None:
    _, _, _ = w.q, w.v, w.tau
    _by_factor(w, mass_matrix.by_unit_vectors(w.chain, w.nv))


def _link_poses(w: Workbench) -> None:
    w.tape.output("poses", (len(w.mechanism.tree.bodies), 4, 4), kinematics.link_poses(w.true))


def _cog_jacobian(w: Workbench) -> None:
    w.tape.output("G", (6 * len(w.mechanism.tree.bodies), w.nv), _flat(kinematics.cog_jacobian(w.true, w.nv)))


def _cog_bias(w: Workbench) -> None:
    _, v = w.q, w.v
    w.tape.output("dGv", (6 * len(w.mechanism.tree.bodies),), kinematics.cog_bias(w.true, v))


def _com(w: Workbench) -> None:
    w.tape.output("com", (3,), kinematics.com(w.true))


def _com_jacobian(w: Workbench) -> None:
    w.tape.output("J_com", (3, w.nv), _flat(kinematics.com_jacobian(w.true, w.nv)))


def _energy(w: Workbench) -> None:
    _, v = w.q, w.v
    w.tape.output("energy", (2,), kinematics.energy(w.true, v, w.gravity))


def _momentum(w: Workbench) -> None:
    _, v = w.q, w.v
    w.tape.output("momentum", (6,), kinematics.momentum(w.true, v))


def _centroidal_momentum_matrix(w: Workbench) -> None:
    w.tape.output("A_G", (6, w.nv), _flat(kinematics.centroidal_momentum_matrix(w.true, w.nv)))


def _motion_columns(w: Workbench) -> None:
    """Rows [z; l; p] per motion axis (world axes), and the centres of mass: what loops over paths gather."""
    at = kinematics.places(w.true)
    rows = kinematics.axis_rows(w.true, at)
    w.tape.output("axes", (len(rows) // 9, 9), rows)
    centers = [entry for i in kinematics.links(w.true) for entry in kinematics.center(w.true[i], at[i])]
    w.tape.output("centers", (len(centers) // 3, 3), centers)


def _world_inertias(w: Workbench) -> None:
    at = kinematics.places(w.true)
    each = [kinematics.world_inertia(w.true[i], at[i]) for i in kinematics.links(w.true)]
    w.tape.output("inertias", (len(each), 3, 3), (entry for inertia in each for entry in inertia))
    w.tape.output("masses", (len(each),), (w.true[i].inertia.m for i in kinematics.links(w.true)))


def _armatures(w: Workbench) -> None:
    total = [w.tape.zero] * w.nv
    for segment in w.true:
        for column in segment.columns:
            total[column.index] = total[column.index] + column.armature * (column.factor * column.factor)
    w.tape.output("armatures", (w.nv,), total)


def _gravity_vector(w: Workbench) -> None:
    w.tape.output("g", (3,), w.gravity)


def _composite_columns(w: Workbench) -> None:
    rows = [e for _, *parts in mass_matrix.composite_columns(w.chain) for part in parts for e in part]
    w.tape.output("rows", (len(rows) // 12, 12), rows)


def _unit_torque(w: Workbench) -> None:
    _, a = w.q, w.a
    w.tape.output("tau", (w.nv,), rnea.inverse_dynamics(w.chain, w.rest, a, zero(w.tape)))


def _torque_regressor(w: Workbench) -> None:
    _, v, a = w.q, w.v, w.a
    Y = regressor.torque_regressor(w.true, v, a, w.gravity)
    w.tape.output("Y", (w.nv, len(Y[0])), _flat(Y))


def _energy_regressor(w: Workbench) -> None:
    _, v = w.q, w.v
    Y = regressor.energy_regressor(w.true, v, w.gravity)
    w.tape.output("Y_energy", (2, len(Y[0])), _flat(Y))


def _inertial_parameters(w: Workbench) -> None:
    pi = regressor.inertial_parameters(w.true)
    w.tape.output("pi", (len(pi),), pi)


def _regressor_parts(w: Workbench) -> None:
    """Axes [z; l; p] in world axes, and per link [R | p] of its frame and [ω; ω̇; a − g] in its axes."""
    _, v, a = w.q, w.v, w.a
    at, carried = kinematics.places(w.true), kinematics.links(w.true)
    rows = kinematics.axis_rows(w.true, at)
    w.tape.output("axes", (len(rows) // 9, 9), rows)
    frames = [regressor.link_frame(w.true[i], at[i]) for i in carried]
    w.tape.output("frames", (len(frames), 12), (e for x in frames for e in (*x.R, *x.p)))
    motions = regressor.link_motions(w.true, v, a, w.gravity)
    w.tape.output("motions", (len(motions), 9), (e for x in motions for e in (*x.w, *x.dw, *x.a)))


def _closure_residual(w: Workbench) -> None:
    w.tape.output("gap", (6 * len(w.loops),), (entry for loop in w.loops for entry in closure.residual(loop)))


def _closure_rows(w: Workbench) -> None:
    rows = [row for loop in w.loops for row in closure.jacobian(w.true, loop, w.nv)]
    w.tape.output("K", (6 * len(w.loops), w.nv), _flat(rows))


def _closure_rows_bias(w: Workbench) -> None:
    _, v = w.q, w.v
    w.tape.output("dKv", (6 * len(w.loops),), (e for loop in w.loops for e in closure.bias(w.true, loop, v)))


def _cut_poses(w: Workbench) -> None:
    w.tape.output("poses", (len(w.loops), 12), (e for loop in w.loops for e in cut_joint.relative_pose(loop)))


def _cut_twists(w: Workbench) -> None:
    rows = [row for loop in w.loops for row in cut_joint.cut_twist(w.true, loop, w.nv)]
    w.tape.output("twists", (6 * len(w.loops), w.nv), _flat(rows))


def _closure_jacobian(w: Workbench) -> None:
    rows = cut_joint.paper_jacobian(w.true, w.loops, kinematics.places(w.true), w.nv)
    w.tape.output("J_C", (len(rows), len(rows[0])), _flat(rows))


def _closure_bias(w: Workbench) -> None:
    _, v = w.q, w.v
    at = kinematics.places(w.true)
    entries = [e for loop in w.loops for e in cut_joint.paper_bias(w.true, loop, at, v)]
    w.tape.output("dJv", (len(entries),), entries)


DERIVATIONS: dict[str, tuple[str, Callable[[Workbench], None]]] = {
    "link_poses": ("world poses of the link frames", _link_poses),
    "cog_jacobian": ("COG Jacobian G: [dp_G; w] = G v, world axes", _cog_jacobian),
    "cog_bias": ("COG accelerations dG/dt v at zero joint acceleration", _cog_bias),
    "com": ("centre of mass", _com),
    "com_jacobian": ("Jacobian of the centre of mass", _com_jacobian),
    "inverse_dynamics": ("joint forces tau of the open chain, by recursion in link frames", _inverse_dynamics),
    "inverse_dynamics_cog": ("joint forces by the COG Jacobian: tau = G'(M^ ddq_G + b^)", _inverse_dynamics_cog),
    "inverse_derivatives": (
        "derivatives of the joint forces: dtau/dq on the tangent space, dtau/dv, M",
        _inverse_dynamics_derivatives,
    ),
    "derivative_parts": ("motion axes and inertias in the frame of the first link that moves", _derivative_parts),
    "bias": ("bias h(q, v): tau at zero acceleration", _bias),
    "gravity": ("gravity g(q): tau at rest", _gravity),
    "mass_matrix_composite": ("mass matrix M by composite inertias", _mass_matrix_composite),
    "mass_matrix_unit_vector": ("mass matrix M by unit vectors", _mass_matrix_unit_vector),
    "mass_matrix_cog": ("mass matrix M = G' M^ G", _mass_matrix_cog),
    "forward_dynamics_articulated": ("acceleration by articulated bodies", _forward_dynamics_articulated),
    "forward_dynamics_ltdl": ("acceleration by M = L'DL", _forward_dynamics_ltdl),
    "forward_dynamics_unit_vector": ("acceleration by unit vectors", _forward_dynamics_unit_vector),
    "forward_dynamics_damped_articulated": (
        "acceleration a of (M + diag d) a = tau - h, by articulated bodies",
        _forward_dynamics_damped_articulated,
    ),
    "forward_dynamics_damped_ltdl": (
        "acceleration a of (M + diag d) a = tau - h, by L'DL",
        _forward_dynamics_damped_ltdl,
    ),
    "motion_columns": ("motion axes [z; l; p] and centres of mass, world axes", _motion_columns),
    "world_inertias": ("moments of inertia about the centres of mass in world axes, masses", _world_inertias),
    "armatures": ("armature of every joint", _armatures),
    "gravity_vector": ("acceleration of gravity, world axes", _gravity_vector),
    "composite_columns": ("motion axes [z; l] and wrenches [n; f] of the subtrees in base axes", _composite_columns),
    "unit_torque": ("joint forces at rest without gravity", _unit_torque),
    "closure_residual": ("gap of each loop: linear, angular, in the cut joint's frame", _closure_residual),
    "closure_rows": ("rows K of K v = 0: locked twist of each loop in the cut joint's frame", _closure_rows),
    "closure_rows_bias": ("rate dK/dt v of the rows", _closure_rows_bias),
    "cut_poses": ("pose [R | p] of each cut joint's frame on the child in its frame on the parent", _cut_poses),
    "cut_twists": ("twist of each cut joint, child axes, per unit of v", _cut_twists),
    "closure_jacobian": (
        "Jacobian J_C: twist of virtual minus real link, world axes; tree, then cut joints",
        _closure_jacobian,
    ),
    "closure_bias": ("rate dJ_C/dt dtheta_J, world axes", _closure_bias),
    "torque_regressor": (
        "regressor Y: tau = Y pi + armature a, by m, m c, I about the origin of each link",
        _torque_regressor,
    ),
    "regressor_parts": ("motion axes, frames of the links, their motions", _regressor_parts),
    "energy_regressor": ("kinetic and potential energy by inertial parameters", _energy_regressor),
    "inertial_parameters": ("inertial parameters pi of the links: m, m c, I about the origin", _inertial_parameters),
    "energy": ("kinetic and potential energy", _energy),
    "momentum": ("linear momentum, angular momentum about the centre of mass", _momentum),
    "centroidal_momentum_matrix": ("centroidal momentum matrix", _centroidal_momentum_matrix),
}


def derive(mechanism: Mechanism, name: str) -> Function:
    """One quantity of the tree in factored form.

    Raises ModelError for an unknown name.
    """
    if name not in DERIVATIONS:
        raise ModelError(f"no derivation '{name}'; there are: {', '.join(sorted(DERIVATIONS))}")
    title, build = DERIVATIONS[name]
    return written(mechanism, name, title, build)


def written(mechanism: Mechanism, name: str, title: str, build: Callable[[Workbench], None]) -> Function:
    """What `build` puts on a fresh tape, verified."""
    tape = Tape(name, title)
    symbols = symbols_of(mechanism)
    if symbols.parameters:
        tape.input("p", symbols.parameters)
    bench = Workbench(mechanism, symbols, tape)
    _ = bench.q
    build(bench)
    return verify(tape.function())
