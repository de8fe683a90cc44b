"""Wall time of a whole process that only loads a compiled model and runs it once: no SymPy, no compiler.

    python benchmarks/load.py [ROBOT]

Prints the best and the median of 15 processes, beside a bare Python and one that imports numpy and cffi.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from run import ROBOTS, mechanism_of

import kinegen as kg

_RUN = """
import sys
import numpy as np
from kinegen.runtime import load
model = load(sys.argv[1])
zero = np.zeros(model.nv)
assert np.isfinite(model.forward_dynamics(model.q0, zero, zero)).all()
assert "sympy" not in sys.modules
"""
_PROCESSES = {
    "python, nothing imported": "pass",
    "python, numpy and cffi imported": "import numpy, cffi",
    "load the model, one forward dynamics": _RUN,
}
_REPETITIONS = 15


def seconds(code: str, argument: str) -> list[float]:
    """Wall seconds of each process, after one that warms the file cache."""
    spent = []
    for _ in range(_REPETITIONS + 1):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code, argument], check=True)
        spent.append(time.perf_counter() - start)
    return spent[1:]


def main(robot: Annotated[str, typer.Argument(help="any of: " + ", ".join(ROBOTS))] = "talos_reduced") -> None:
    """Prints one table."""
    model = kg.compile(mechanism_of(robot))
    table = Table("process", "best [s]", "median [s]", title=f"{robot}, nv = {model.nv}")
    for name, code in _PROCESSES.items():
        spent = seconds(code, str(model.module.folder))
        table.add_row(name, f"{min(spent):.3f}", f"{statistics.median(spent):.3f}")
    Console().print(table)


if __name__ == "__main__":
    typer.run(main)
