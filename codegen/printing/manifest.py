"""What the runtime must know of a model, taken from its description."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import sympy

from kinegen.runtime.abi import (
    INTEGRATORS,
    FrameSpec,
    JointSpec,
    KernelSpec,
    Manifest,
    ParameterSpec,
    RowSpec,
    SwitchSpec,
)
from kinegen.runtime.pairs import NO_PAIRS, Pairs

from ..analysis.constraint_rows import Held
from ..analysis.contact.collision_pairs import Touching
from ..analysis.contact.plan import capacity
from ..analysis.contact.runs import runs_of
from ..analysis.loops.closure import cut_bodies
from ..analysis.plan import Plan
from ..analysis.sparsity import factor_pattern
from ..mechanism.elements.parameter import default_of
from ..mechanism.mechanism import Mechanism
from ..mechanism.pose import Pose
from ..mechanism.structure.topology import Switch
from ..mechanism.structure.tree import Body
from ..mechanism.types import NEUTRAL, Number
from ..symbolic.motion import moved

REFERENCE_DIGITS = 9
"""Decimals of the reference configuration: the same on all machines, and near enough to be closed again at once."""


def manifest_of(
    plan: Plan,
    prefix: str,
    kernels: Sequence[KernelSpec],
    sources: tuple[str, ...],
    further: dict[str, str],
    stepping: bool = True,
    dtype: str = "float64",
) -> Manifest:
    """Layout, names, limits and kernels of a mechanism; `stepping`: its files of the time step are there."""
    mechanism, switches = plan.mechanism, plan.switches
    independent = plan.reference.partition.independent if plan.reference else ()
    touching = plan.touching if stepping else None
    tree = mechanism.tree
    links = [body.link.name for body in tree.bodies]
    counted, heavy = never_negative(mechanism), never_without_mass(mechanism)
    resting = {s: x for switch in switches for s, x in zip(switch.symbols, pose_rows(switch.given), strict=True)}
    return Manifest(
        name=mechanism.name,
        prefix=prefix,
        module=f"_{prefix}",
        nq=tree.nq,
        nv=tree.nv,
        links=tuple(links),
        joints=tuple(_joint(body) for body in tree.bodies if body.nv),
        frames=tuple(_frames(mechanism, links)),
        parameters=(
            *(
                ParameterSpec(s.name, resting.get(s, default_of(s)), parameter_sign(s, counted, heavy))
                for s in mechanism.parameters
            ),
            *(ParameterSpec(f"{switch.name}.active", float(switch.active)) for switch in switches),
        ),
        kernels=tuple(kernels),
        further=further,
        neutral=tuple(x for body in tree.bodies if body.nv for x in NEUTRAL[body.joint.kind]),
        start=plan.start,
        pattern=_pattern(mechanism, kernels),
        reference=tuple(round(x, REFERENCE_DIGITS) for x in plan.reference.q) if plan.reference else (),
        sources=sources,
        integrators=tuple(INTEGRATORS) if stepping else (),
        loops=tuple(_joint(body) for body in cut_bodies(mechanism)),
        independent=independent,
        rolling=tuple(loop.joint.name for loop in mechanism.virtual_links if loop.joint.wheel),
        switches=tuple(_switch(mechanism, switch, k) for k, switch in enumerate(switches)),
        touching=_touching(touching) if touching else NO_PAIRS,
        contact_capacity=capacity(touching, mechanism) if touching is not None else 0,
        rows=_rows(touching.held) if touching else (),
        misfit=plan.misfit,
        unit_length=plan.straight.scales.length if plan.straight.scales else 1.0,
        followers=tree.followers,
        unplaced=tuple(frame.name for frame in mechanism.frames if frame.pose.free_symbols),
        moved=tuple(body.joint.name for body in moved(mechanism)),
        dtype=dtype,
    )


def _pattern(mechanism: Mechanism, kernels: Sequence[KernelSpec]) -> tuple[tuple[int, ...], ...]:
    """Columns of each row of a packed M, the diagonal among them, where there is such a kernel."""
    if not any(kernel.name == "mass_matrix_packed" for kernel in kernels):
        return ()
    return tuple((*columns, k) for k, columns in enumerate(factor_pattern(mechanism.tree)))


def _touching(table: Touching) -> Pairs:
    runs = ((run.shape, run.later, run.count, int(run.turned)) for run in runs_of(table).runs)
    return Pairs(tuple(placed.link for placed in table.shapes), tuple(runs))


def _rows(held: Held) -> tuple[RowSpec, ...]:
    locks = [RowSpec(lock.name, lock.parent, lock.child, "turns" if lock.turns else "axes") for lock in held.locks]
    return (*locks, *(RowSpec(x.joint, "", "", "friction", x.dof) for x in held.stictions))


def chosen_routes(kernels: Sequence[KernelSpec]) -> tuple[KernelSpec, ...]:
    """The default mass matrix and forward dynamics once more, under the names of the routes that they take."""
    chosen = [kernel for kernel in kernels if kernel.name in ("mass_matrix", "forward_dynamics")]
    named = [replace(k, name=f"{k.name}_{k.route.removesuffix('_loop')}") for k in chosen]
    known = {kernel.name for kernel in kernels}
    return tuple(kernel for kernel in named if kernel.name not in known)


def _joint(body: Body) -> JointSpec:
    joint = body.joint
    return JointSpec(
        name=joint.name,
        kind=joint.kind,
        parent=joint.parent,
        child=joint.child,
        q_start=body.q_start,
        nq=body.nq,
        v_start=body.v_start,
        nv=body.nv,
        actuated=bool(joint.actuated),
        lower=_numbers(joint.lower, -float("inf")),
        upper=_numbers(joint.upper, float("inf")),
        velocity=_numbers(joint.velocity, float("inf")),
        effort=_numbers(joint.effort, float("inf")),
    )


def _switch(mechanism: Mechanism, switch: Switch, k: int) -> SwitchSpec:
    loops = [virtual.joint.name for virtual in mechanism.virtual_links]
    return SwitchSpec(
        name=switch.name,
        loop=loops.index(switch.name),
        flag=len(mechanism.parameters) + k,
        pose=tuple(mechanism.parameters.index(symbol) for symbol in switch.symbols),
        link_a=switch.link_a,
        link_b=switch.link_b,
        declared=pose_rows(switch.declared),
        given=pose_rows(switch.given) if switch.given else (),
        active=switch.active,
        base=switch.base,
        axes=tuple(x for axis in switch.joint.directions for x in _numbers(axis, 0.0)),
        pitch=_numbers((switch.joint.pitch,), 0.0)[0],
    )


ASSUMED = {
    "positive": "positive",
    "nonnegative": "not negative",
    "negative": "negative",
    "nonpositive": "not positive",
    "nonzero": "not zero",
}
"""Assumptions of SymPy, the strongest first, and what they are called in the manifest."""


def parameter_sign(symbol: sympy.Symbol, counted: Collection[sympy.Symbol], heavy: Collection[sympy.Symbol]) -> str:
    """What the value of a parameter must be: as its symbol was declared, `counted` ones not below zero, `heavy` ones
    above it."""
    declared = next((sign for assumed, sign in ASSUMED.items() if getattr(symbol, f"is_{assumed}")), "")
    if symbol in heavy and declared in ("", "not zero", "not negative"):
        return "positive"
    return "not negative" if symbol in counted and declared in ("", "not zero") else declared


def never_negative(mechanism: Mechanism) -> frozenset[sympy.Symbol]:
    """Symbols that stand alone for a mass, damping, stiffness, friction (of joints and shapes), armature or a wheel's
    radius."""
    joints = mechanism.joints
    values = [x for j in joints for x in (*j.damping, *j.stiffness, *j.friction, *j.armature)]
    values += [shape.friction for shape in mechanism.all_shapes]
    values += [x for j in joints if j.wheel for x in (j.wheel.radius, j.wheel.tyre)]
    return frozenset(x for x in (*values, *(link.mass for link in mechanism.links)) if isinstance(x, sympy.Symbol))


def never_without_mass(mechanism: Mechanism) -> frozenset[sympy.Symbol]:
    """Symbols that stand alone for the mass of a link with moments of inertia, which cannot exist without."""
    found = [
        link.mass
        for link in mechanism.links
        if any(isinstance(x, (int, float)) and x for row in link.inertia for x in row)
    ]
    return frozenset(mass for mass in found if isinstance(mass, sympy.Symbol))


def pose_rows(pose: Pose | None) -> tuple[float, ...]:
    """(12) rows of [R | p]; those of the identity for None."""
    pose = pose or Pose()
    return tuple(float(x) for i in range(3) for x in (*pose.rotation[i], pose.xyz[i]))


def _numbers(values: Sequence[Number], unbounded: float) -> tuple[float, ...]:
    """Limits that are symbols bound nothing at load time."""
    return tuple(float(value) if isinstance(value, (int, float)) else unbounded for value in values)


def _frames(mechanism: Mechanism, links: list[str]) -> list[FrameSpec]:
    found = []
    for frame in mechanism.frames:
        if frame.pose.free_symbols:
            continue
        rows = tuple(float(x) for row in frame.pose.rotation for x in row)
        x, y, z = (float(value) for value in frame.pose.xyz)
        found.append(FrameSpec(frame.name, links.index(frame.link) if frame.link in links else -1, (x, y, z), rows))
    return found
