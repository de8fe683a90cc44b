"""Every public function of a model, called from Python and in C, beside Pinocchio's function for the same.

    python benchmarks/calls.py [ROBOT] [--rounds N]

Microseconds a call. From Python: arguments checked, results as new arrays; best of N rounds of blocks of calls, both
sides by turns. In C: the kernels of the module in a loop over 256 states, before and after Pinocchio's C++ over as
many, which is compiled for this processor once, some ten minutes, into benchmarks/out/ (needs Eigen's headers). "-":
there is no such function. "alone": by the kernel that the frame has of its own. Below: what closed mechanisms are asked
for, one call, and a state of a batch of 1,000 where there are batches.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import numpy as np
import pinocchio as pin
import typer
from common import c_clock, examples_in_motion, peer
from rich import box
from rich.console import Console
from rich.progress import track
from rich.table import Table
from run import ROBOTS, mechanism_of

import kinegen as kg

Call = Callable[[], object]
Calls = Mapping[str, Call]

TREE: dict[str, str] = {
    "q": "mass_matrix gravity link_poses com com_jacobian cog_jacobian centroidal_momentum_matrix",
    "q v": "bias energy energy_regressor momentum passive_forces cog_bias com_velocity_derivatives integrate",
    "q v a": "inverse_dynamics forward_dynamics momentum_rate torque_regressor torque_terms "
    "inverse_dynamics_derivatives forward_dynamics_derivatives "
    "inverse_dynamics_second_derivatives forward_dynamics_second_derivatives",
    "q frame": "frame_pose frame_jacobian",
    "q v frame": "frame_velocity frame_bias frame_velocity_derivatives",
    "q v a frame": "frame_acceleration frame_acceleration_derivatives",
    "q beside": "difference",
    "packed v": "mass_matrix_product mass_matrix_solve",
    "": "neutral random total_mass",
}
"""Methods by the arguments that they take."""
OF_FRAMES = {"q frame": TREE["q frame"], "q v frame": "frame_velocity frame_bias", "q v a frame": "frame_acceleration"}
"""Those that have kernels for chosen frames."""
ALONE = " alone"
CLOSED: dict[str, str] = {
    "q": "H W S closure_residual closure_jacobian assemble",
    "q v": "closure_bias project",
    "q v a": "dependent_motion forward_dynamics actuator_torques",
}
ONCE = (
    "aba aba_derivatives crba rnea rnea_derivatives gravity_acceleration inertial_parameters rotor_inertias kernel "
    "load loop_joint parameter_values partition prescribed_motion q_slice v_slice with_independent with_parameters"
)
"""Other names of the same, and what is asked once."""
BATCH = 1000
BLOCK_SECONDS = 2e-3


def calls(model: kg.Model, table: Mapping[str, str], arguments: Mapping[str, Any]) -> Calls:
    """One call of each method of a table."""

    def call(method: str, names: Sequence[str]) -> Call:
        function, given = getattr(model, method), [arguments[name] for name in names]
        return lambda: function(*given)

    return {method: call(method, names.split()) for names, methods in table.items() for method in methods.split()}


def pinocchio_calls(robot: str, link: str, q: Any, v: Any, a: Any, beside: Any) -> Calls:
    """The same quantities; arguments in Pinocchio's layout, which is ours."""
    path = str(peer.ROBOTS / ROBOTS[robot].file)
    m = pin.buildModelFromUrdf(path, *([pin.JointModelFreeFlyer()] if ROBOTS[robot].root == "free" else []))
    d, frame, axes = m.createData(), m.getFrameId(link), pin.LOCAL_WORLD_ALIGNED
    still = np.zeros(m.nv)
    pin.crba(m, d, q)

    def moved(*motion: Any) -> None:
        pin.forwardKinematics(m, d, q, *motion)
        pin.updateFramePlacement(m, d, frame)

    def rates() -> Any:
        pin.computeForwardKinematicsDerivatives(m, d, q, v, a)
        return pin.getFrameVelocityDerivatives(m, d, frame, axes)

    def acceleration_rates() -> Any:
        pin.computeForwardKinematicsDerivatives(m, d, q, v, a)
        return pin.getFrameAccelerationDerivatives(m, d, frame, axes)

    def com_rates() -> Any:
        pin.computeAllTerms(m, d, q, v)
        return pin.getCenterOfMassVelocityDerivatives(m, d)

    return {
        "mass_matrix": lambda: pin.crba(m, d, q),
        "mass_matrix_solve": lambda: (pin.cholesky.decompose(m, d), pin.cholesky.solve(m, d, v)),
        "gravity": lambda: pin.computeGeneralizedGravity(m, d, q),
        "link_poses": lambda: pin.framesForwardKinematics(m, d, q),
        "com": lambda: pin.centerOfMass(m, d, q),
        "com_jacobian": lambda: pin.jacobianCenterOfMass(m, d, q),
        "centroidal_momentum_matrix": lambda: pin.computeCentroidalMap(m, d, q),
        "bias": lambda: pin.nonLinearEffects(m, d, q, v),
        "energy": lambda: (pin.computeKineticEnergy(m, d, q, v), pin.computePotentialEnergy(m, d, q)),
        "energy_regressor": lambda: (
            pin.computeKineticEnergyRegressor(m, d, q, v),
            pin.computePotentialEnergyRegressor(m, d, q),
        ),
        "momentum": lambda: pin.computeCentroidalMomentum(m, d, q, v),
        "com_velocity_derivatives": com_rates,
        "integrate": lambda: pin.integrate(m, q, v),
        "inverse_dynamics": lambda: pin.rnea(m, d, q, v, a),
        "forward_dynamics": lambda: pin.aba(m, d, q, v, a),
        "momentum_rate": lambda: pin.computeCentroidalMomentumTimeVariation(m, d, q, v, a),
        "torque_regressor": lambda: pin.computeJointTorqueRegressor(m, d, q, v, a),
        "inverse_dynamics_derivatives": lambda: pin.computeRNEADerivatives(m, d, q, v, a),
        "forward_dynamics_derivatives": lambda: pin.computeABADerivatives(m, d, q, v, a),
        "frame_pose": lambda: (moved(), d.oMf[frame]),
        "frame_jacobian": lambda: pin.computeFrameJacobian(m, d, q, frame, axes),
        "frame_velocity": lambda: (moved(v), pin.getFrameVelocity(m, d, frame, axes)),
        "frame_bias": lambda: (moved(v, still), pin.getFrameClassicalAcceleration(m, d, frame, axes)),
        "frame_velocity_derivatives": rates,
        "frame_acceleration": lambda: (moved(v, a), pin.getFrameClassicalAcceleration(m, d, frame, axes)),
        "frame_acceleration_derivatives": acceleration_rates,
        "difference": lambda: pin.difference(m, q, beside),
        "neutral": lambda: pin.neutral(m),
        "random": lambda: pin.randomConfiguration(m),
        "total_mass": lambda: pin.computeTotalMass(m),
    }


def microseconds(call: Call) -> float:
    """Of one call, in a block that takes BLOCK_SECONDS."""
    call()
    start = time.perf_counter()
    call()
    count = max(3, int(BLOCK_SECONDS / (time.perf_counter() - start)))
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count * 1e6


def best(sides: Sequence[Call | None], rounds: int) -> list[float | None]:
    """The least of `rounds` blocks of each, taken by turns."""
    found = [[microseconds(call) if call else None for call in sides] for _ in range(rounds)]
    return [None if None in times else min(x for x in times if x is not None) for times in zip(*found, strict=True)]


def shown(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def compiled(make: Callable[[], kg.Mechanism], frames: Sequence[str] = ()) -> kg.Model:
    with warnings.catch_warnings():
        for category in (kg.FileWarning, kg.ContactWarning):
            warnings.simplefilter("ignore", category)
        return kg.compile(make(), lanes=True, frames=frames)


def tree_table(robot: str, rounds: int, console: Console) -> Table:
    """Every public method of a tree beside Pinocchio's; a method that is in no table is an error."""
    read = mechanism_of(robot)
    model = compiled(lambda: read)
    link = model.link_names[-1]
    alone = compiled(lambda: read, [link])
    rng = np.random.default_rng(0)
    q, (v, a) = model.random(rng), rng.uniform(-1, 1, (2, model.nv))
    beside = model.integrate(q, 0.1 * v)
    given = {"q": q, "v": v, "a": a, "beside": beside, "packed": model.mass_matrix(q, packed=True)}
    own = calls(model, TREE, given | {"frame": link})
    methods = {name for name in dir(kg.Model) if name[0] != "_" and callable(getattr(kg.Model, name))}
    known = {*own, *ONCE.split(), *" ".join(CLOSED.values()).split()}
    if missing := methods - known:
        raise SystemExit(f"not in benchmarks/calls.py: {', '.join(sorted(missing))}")
    own = {**own, **{f"{name}{ALONE}": call for name, call in calls(alone, OF_FRAMES, given | {"frame": link}).items()}}
    other = pinocchio_calls(robot, link, q, v, a, beside)
    in_c, in_cpp = c_columns(alone, robot, [*own])
    table = Table(title=f"{robot}: µs a call from Python, and in C", box=box.SIMPLE, pad_edge=False)
    for column in ("", "kinegen", "Pinocchio", "ratio", "C", "its C++", "ratio"):
        table.add_column(column, justify="left" if not column else "right", no_wrap=True)
    for name in track(own, f"calling {robot}", transient=True, console=console):
        ours, theirs = best([own[name], other.get(name.removesuffix(ALONE))], rounds)
        cells = [*compared(ours, theirs), *compared(in_c[name], in_cpp.get(name.removesuffix(ALONE)))]
        table.add_row(name, *cells)
    return table


def c_columns(model: kg.Model, robot: str, methods: Sequence[str]) -> tuple[dict[str, float | None], dict[str, float]]:
    """Microseconds in C: ours, the better of before and after, and Pinocchio's."""
    link, chosen = model.link_names[-1], ROBOTS[robot]
    before = c_clock.kernel_times(model, methods, link)
    theirs = c_clock.pinocchio_times(peer.ROBOTS / chosen.file, chosen.root == "free", link)
    after = c_clock.kernel_times(model, methods, link)
    return {name: min(x, after[name] or x) if x else None for name, x in before.items()}, theirs


def compared(ours: float | None, theirs: float | None) -> tuple[str, str, str]:
    """Both and their ratio."""
    return shown(ours, 3), shown(theirs), shown(theirs / ours if ours and theirs else None, 1)


def closed_table(rounds: int, console: Console) -> Table:
    """Four-bar and Stewart platform; batches where the method takes them."""
    table = Table(title="closed mechanisms: µs a call from Python, and a state of a batch", box=box.SIMPLE)
    for column in ("", "four-bar", "in a batch", "Stewart", "in a batch"):
        table.add_column(column, justify="left" if not column else "right", no_wrap=True)
    columns: list[dict[str, float | None]] = []
    for name in ("four-bar", "stewart"):
        example = examples_in_motion.EXAMPLES[name]
        model = compiled(example.mechanism)
        q = example.start(model)
        q, v = model.project(q, np.random.default_rng(0).uniform(-1, 1, model.nv))
        one = {"q": q, "v": v, "a": model.forward_dynamics(q, v, np.zeros(model.nv))}
        many = {key: np.ascontiguousarray(np.broadcast_to(x, (BATCH, x.size))) for key, x in one.items()}
        for arguments, share in ((one, 1), (many, BATCH)):
            done = calls(model, CLOSED, arguments)
            times = {
                k: best([done[k]], rounds)[0] for k in track(done, f"calling {name}", transient=True, console=console)
            }
            columns.append({k: None if x is None else x / share for k, x in times.items()})
    for method in columns[0]:
        table.add_row(method, *(shown(column[method]) for column in columns))
    return table


def main(
    robot: Annotated[str, typer.Argument(help="any of: " + ", ".join(ROBOTS))] = "talos_reduced",
    rounds: Annotated[int, typer.Option(min=1, help="blocks of calls of each side")] = 7,
) -> None:
    """Prints two tables."""
    if robot not in ROBOTS:
        raise typer.BadParameter(f"unknown robot {robot}; known: {', '.join(ROBOTS)}")
    peer.needed()
    console = Console(width=None if sys.stdout.isatty() else 100)
    console.print(tree_table(robot, rounds, console))
    console.print(closed_table(rounds, console))


if __name__ == "__main__":
    typer.run(main)
