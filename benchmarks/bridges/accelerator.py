"""Programs as functions of JAX on the device that it finds, beside the C on this machine's processors.

    python benchmarks/bridges/accelerator.py [ROBOT ...] [--states N]

`eq.program(name).lambdify("jax")` under `jit`, arrays (n, states) that stay on the device, doubles and floats: seconds
until the first result (XLA compiles), then states a second, best of ten. Errors are against the C in a thousand of the
same random states, of the largest number there is. The C has lanes, arrays (states, n), and as many threads as there
are processors.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import jax
import jax.numpy as jnp
import numpy as np
import typer
from rich import box
from rich.console import Console
from rich.table import Table

import kinegen as kg

sys.path.insert(0, str(Path(__file__).parents[1]))
from run import ROBOTS, mechanism_of

NAMES = ("inverse_dynamics", "forward_dynamics")
CHECKED, ROUNDS = 1000, 10


def best(call: Callable[[], object]) -> float:
    """Least seconds of several calls."""
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def row(name: str, program: Any, states: list[Any], wanted: Any) -> list[str]:
    """Of one function and one kind of numbers; `states`: arrays (n, states) on the device, `wanted` (CHECKED, nv)."""
    made = jax.jit(lambda *given: jnp.stack(jnp.broadcast_arrays(*program(*given))))
    start = time.perf_counter()
    found = made(*states).block_until_ready()
    first = time.perf_counter() - start
    seconds = best(lambda: made(*states).block_until_ready())
    error = np.abs(np.asarray(found[:, :CHECKED], dtype=float).T - wanted).max() / np.abs(wanted).max()
    return [name, states[0].dtype.name, f"{first:.1f}", f"{states[0].shape[1] / seconds:.2e}", f"{error:.0e}"]


def table(robot: str, states: int) -> Table:
    mechanism = mechanism_of(robot)
    model, eq = kg.compile(mechanism, lanes=True, contacts=False), kg.derive(mechanism)
    rng, out = np.random.default_rng(0), np.empty((states, model.nv))
    given = [model.random(rng, size=states), *rng.normal(size=(2, states, model.nv))]
    title = f"{robot}, {jax.devices()[0].device_kind}"
    shown = Table("", "numbers", "first [s]", "states a second", "error", title=title, box=box.SIMPLE)
    for name in NAMES:
        kernel, program = getattr(model, name), eq.program(name).lambdify("jax")
        wanted = kernel(*(x[:CHECKED] for x in given))
        for dtype in (jnp.float64, jnp.float32):
            shown.add_row(*row(name, program, [jnp.asarray(x.T, dtype) for x in given], wanted))
        seconds = best(partial(kernel, *given, out=out))
        shown.add_row(f"{name}, C", "float64", "", f"{states / seconds:.2e}", "")
    return shown


def main(
    robots: Annotated[list[str] | None, typer.Argument(help=f"of {', '.join(ROBOTS)}")] = None,
    states: Annotated[int, typer.Option(min=CHECKED)] = 1 << 20,
) -> None:
    """Prints one table for each robot."""
    jax.config.update("jax_enable_x64", True)
    for robot in robots or ["panda"]:
        Console(width=100).print(table(robot, states))


if __name__ == "__main__":
    typer.run(main)
