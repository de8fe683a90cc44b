"""Optimal motions of panda by CasADi and IPOPT: kinegen's functions beside Pinocchio's, in the same problem.

    python benchmarks/bridges/optimal.py [--rounds N] [--knots N]

The problem of examples/optimal_reach.py, from rest to rest in the least time, and with the least effort in 1.5 times as
long, by IPOPT with the same options from the same guess. Inverse dynamics is each time another function of CasADi: the
bridge's C (`kg.casadi.external`); expressions (SX), kinegen's or Pinocchio's, which CasADi differentiates and evaluates
by its virtual machine; the same and their derivatives printed as C by CasADi and compiled with kinegen's flags, -O3.
Pinocchio's expressions come from its own C++ on CasADi's scalars, since its wheels have no module for CasADi.

Times are the best of N rounds, by turns. Ends with an error if costs or motions differ by more than `SAME`. Needs
Eigen's headers (Debian: libeigen3-dev) and the `test` extra; builds once, some minutes, into benchmarks/out/.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich import box
from rich.console import Console
from rich.table import Table

import kinegen as kg
from kinegen.runtime.arguments import Array

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
import optimal_reach
from common import casadi_peer, peer

START = np.array([0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8, 0.02, 0.02])
GOAL = np.array([1.0, 0.5, 0.3, -1.2, 0.4, 2.0, 0.2, 0.02, 0.02])
LONGER = 1.5
STATES = 200
"""Evaluated in one call."""
OWN = "kinegen's C"
EXACT, APPROXIMATE = "exact", "limited-memory"
SAME = {EXACT: (1e-8, 1e-6), APPROXIMATE: (1e-3, 0.2)}
"""Of costs, relative, and of q at the knots [rad]. An approximate Hessian leads IPOPT other ways, to an end that is
only nearly as good; and the least time leaves the joints that do not limit it nearly free."""


@dataclass(frozen=True)
class Side:
    """Inverse dynamics (q, v, a) → τ, and which Hessian IPOPT gets."""

    torque: Any
    hessian: str = EXACT


@dataclass(frozen=True)
class Solved:
    """Seconds in all and in functions of the problem."""

    plan: optimal_reach.Plan
    cost: float
    iterations: int
    seconds: float
    evaluating: float


def sides(mechanism: kg.Mechanism) -> dict[str, Side]:
    """By their names in the tables."""
    own, theirs = kg.derive(mechanism).program("inverse_dynamics").casadi(), casadi_peer.pinocchio_function(peer.PANDA)
    c_of_theirs = casadi_peer.printed(theirs, "panda_pinocchio")
    return {
        OWN: Side(kg.casadi.external(mechanism, "inverse_dynamics", name="panda_twice", hessian=True)),
        "kinegen's SX": Side(own),
        "kinegen's SX, CasADi's C": Side(casadi_peer.printed(own, "panda_kinegen")),
        "Pinocchio's SX": Side(theirs),
        "Pinocchio's SX, CasADi's C": Side(c_of_theirs),
        "kinegen's C, first order": Side(kg.casadi.external(mechanism, "inverse_dynamics"), APPROXIMATE),
        "Pinocchio's, C, first order": Side(c_of_theirs, APPROXIMATE),
    }


def exact(mechanism: kg.Mechanism) -> dict[str, Side]:
    """Those of which IPOPT gets the Hessian."""
    return {name: side for name, side in sides(mechanism).items() if side.hessian == EXACT}


def solver(side: Side, model: kg.Model, duration: float | None, knots: int) -> Callable[[], Solved]:
    """The problem, ready to be solved again and again."""
    problem = optimal_reach.transcribed(side.torque, model, START, GOAL, duration, knots)
    options = {"ipopt.hessian_approximation": side.hessian}
    problem.opti.solver("ipopt", {**optimal_reach.OPTIONS, **options})

    def solve() -> Solved:
        start = time.perf_counter()
        plan = problem.solved()
        seconds = time.perf_counter() - start
        stats = problem.opti.stats()
        evaluating = sum(spent for name, spent in stats.items() if name.startswith("t_wall_nlp_"))
        return Solved(plan, float(problem.opti.value(problem.opti.f)), stats["iter_count"], seconds, evaluating)

    return solve


def compared(solvers: Mapping[str, Callable[[], Solved]], rounds: int) -> dict[str, Solved]:
    """The fastest of each, by turns; the first solution is not timed."""
    for solve in solvers.values():
        solve()
    found = [{name: solve() for name, solve in solvers.items()} for _ in range(rounds)]
    return {name: min((each[name] for each in found), key=lambda solved: solved.seconds) for name in solvers}


class Evaluation:
    """A function at many states, in one call that copies no array."""

    def __init__(self, function: Any, rng: np.random.Generator) -> None:
        self.many = function.map(STATES)
        self.buffer, self.call = self.many.buffer()
        self.given = [rng.uniform(-1, 1, self.many.nnz_in(i)) for i in range(self.many.n_in())]
        self.found = [np.empty(self.many.nnz_out(i)) for i in range(self.many.n_out())]
        for arrays, put in ((self.given, self.buffer.set_arg), (self.found, self.buffer.set_res)):
            for i, array in enumerate(arrays):
                if array.size:
                    put(i, memoryview(array))

    def measure(self) -> float:
        """Microseconds of a state."""
        start = time.perf_counter()
        self.call()
        return (time.perf_counter() - start) / STATES * 1e6


def evaluations(chosen: Mapping[str, Side], rounds: int) -> Table:
    """Inverse dynamics, its Jacobian, and the second derivatives of its product with weights."""
    rng = np.random.default_rng(0)
    calls = {
        name: [Evaluation(f, rng) for f in (side.torque, side.torque.jacobian(), side.torque.reverse(1).jacobian())]
        for name, side in chosen.items()
        if side.hessian == EXACT
    }
    times = [{name: [each.measure() for each in row] for name, row in calls.items()} for _ in range(10 * rounds)]
    shown = tabular("one evaluation, µs", ("τ", "∂τ", "∂²(λᵀτ)"))
    for name in calls:
        best = np.min([each[name] for each in times], axis=0)
        shown.add_row(name, *(f"{x:.2f}" for x in best))
    return shown


def solutions(title: str, chosen: Mapping[str, Side], found: Mapping[str, Solved]) -> tuple[Table, list[str]]:
    """The table, and what differs by more than it may."""
    columns = ("Hessian", "iterations", "solved, ms", "in functions", "cost", "Δcost", "Δq, rad")
    shown, wrong = tabular(title, columns), list[str]()
    base = next(iter(found.values()))
    for name, solved in found.items():
        by_cost, by_q = abs(solved.cost / base.cost - 1.0), distance(solved.plan.q, base.plan.q)
        allowed = SAME[chosen[name].hessian]
        if by_cost > allowed[0] or by_q > allowed[1]:
            wrong.append(f"{title}: {name}: cost off by {by_cost:.1e}, q by {by_q:.1e}")
        times = f"{solved.seconds * 1e3:.1f}", f"{solved.evaluating * 1e3:.1f}"
        differences = f"{solved.cost:.8f}", f"{by_cost:.0e}", f"{by_q:.0e}"
        shown.add_row(name, chosen[name].hessian, f"{solved.iterations}", *times, *differences)
    return shown, wrong


def distance(x: Array, y: Array) -> float:
    return float(np.abs(x - y).max())


def tabular(title: str, columns: Sequence[str]) -> Table:
    shown = Table(title=title, box=box.SIMPLE, pad_edge=False)
    for column in ("", *columns):
        shown.add_column(column, justify="right" if column else "left", no_wrap=True)
    return shown


def main(
    rounds: Annotated[int, typer.Option(min=1, help="solutions of each side that are timed")] = 5,
    knots: Annotated[int, typer.Option(min=2, help="intervals of a motion")] = 25,
) -> None:
    """Prints three tables."""
    console = Console(width=None if sys.stdout.isatty() else 120)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", kg.FileWarning)
        mechanism = kg.load(peer.PANDA, root="fixed", mimic="independent")
    model, chosen = kg.compile(mechanism, contacts=False), sides(mechanism)
    console.print(evaluations(chosen, rounds))
    wrong, duration = list[str](), None
    for title in ("least time", "least effort"):
        found = compared({name: solver(side, model, duration, knots) for name, side in chosen.items()}, rounds)
        shown, off = solutions(title, chosen, found)
        console.print(shown)
        wrong += off
        duration = LONGER * float(found[OWN].plan.t[-1])
    if wrong:
        raise SystemExit("\n".join(wrong))


if __name__ == "__main__":
    typer.run(main)
