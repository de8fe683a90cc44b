"""kinegen bench: time per call of every kernel from Python, and of other libraries from Python beside it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from rich.markup import escape
from rich.table import Table

from kinegen.runtime.abi import KernelSpec
from kinegen.runtime.errors import ModelError
from kinegen.runtime.model.model import Model

from ..models import Root, read_model
from .demonstration import build_timed, generate_timed
from .peers import PEERS, STATES, Result, peer_calls
from .terminal import activity, fraction_bar, show, table

ROUNDS = 7
ENOUGH = 0.02
"""Seconds that a round should last."""


def run(model: str, root: Root | None, against: tuple[str, ...]) -> None:
    """A table of µs per state, and the ratios of the others' time per call to ours of both kinds."""
    if unknown := [name for name in against if name not in PEERS]:
        raise ModelError(f"--against: unknown '{unknown[0]}'; known: {', '.join(PEERS)}")
    mechanism = read_model(model, root)
    calls = {name: peer_calls(name, model, root) for name in against}
    mechanism.check_dynamics()
    with activity("deriving") as advance:
        sources, deriving = generate_timed(mechanism, advance)
    built = build_timed(sources, deriving)
    kernels = [kernel for kernel in built.model.manifest.kernels if not kernel.name.startswith("frame_")]
    with fraction_bar("measuring") as report:
        rows = []
        for k, kernel in enumerate(kernels):
            rows.append((kernel.name, *_measure(built.model, kernel)))
            report((k + 1) / len(kernels))
        peers = {name: timings.measure(best_of) for name, timings in calls.items()}
    show(
        _table(built.model, rows, peers),
        f"best of {ROUNDS} rounds, {STATES} random states, one thread; all called from Python, others once a state as",
        "they have no batches there. What the C costs beside C++ without Python in between: benchmarks/run.py",
    )


def best_of(call: Callable[[], Any]) -> float:
    """Seconds per call: the best round, each long enough for the clock."""
    call()
    count, spent = 1, 0.0
    while spent < ENOUGH:
        start = time.perf_counter()
        for _ in range(count):
            call()
        spent = time.perf_counter() - start
        if spent < ENOUGH:
            count = max(2 * count, int(1.2 * count * ENOUGH / max(spent, 1e-9)))
    best = spent
    for _ in range(ROUNDS - 1):
        start = time.perf_counter()
        for _ in range(count):
            call()
        best = min(best, time.perf_counter() - start)
    return best / count


def _measure(model: Model, kernel: KernelSpec) -> tuple[float, float]:
    """µs of one call with one state, and per state of a call with all of them."""
    rng = np.random.default_rng(0)
    states = {"q": model.random(rng, size=STATES), "q0": model.random(rng, size=STATES)}
    states["q1"] = states["q0"]
    batch = [
        states[array.name] if array.name in states else rng.uniform(-1.0, 1.0, (STATES, *array.shape))
        for array in kernel.inputs
    ]
    call, single = model.kernel(kernel.name).call, [array[0].copy() for array in batch]
    return best_of(lambda: call(*single)) * 1e6, best_of(lambda: call(*batch)) / STATES * 1e6


def _table(model: Model, rows: list[tuple[str, float, float]], peers: Mapping[str, Result]) -> Table:
    others = [column for name in peers for column in (name, "/ one call", "/ batch")]
    columns = ("kernel", "one call", "batch", *others)
    shown = table(f"{escape(model.name)}, nv = {model.nv}: µs per state", *columns, right=columns[1:])
    for name, one, many in rows:
        cells = []
        for result in peers.values():
            other = result.get(name)
            times = (other * 1e6, other * 1e6 / one, other * 1e6 / many) if other is not None else ()
            cells += [f"{times[0]:.2f}", _ratio(times[1]), _ratio(times[2])] if times else ["", "", ""]
        shown.add_row(name, f"{one:.2f}", f"{many:.2f}", *cells)
    return shown


def _ratio(times: float) -> str:
    """One decimal, or two digits of what is below one: a call that was interrupted is not shown as 0.0 times."""
    return f"{times:.1f}" if times >= 1.0 else f"{times:.2g}"
