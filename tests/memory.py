"""Memory of generated C in states that no machine is in: Valgrind, sanitizers, and another processor.

    python tests/memory.py valgrind      memcheck; about ten minutes, most of them for Python under Valgrind
    python tests/memory.py sanitizers    AddressSanitizer and UndefinedBehaviorSanitizer of the compiler
    python tests/memory.py aarch64       the same numbers under emulation (gcc-aarch64-linux-gnu, qemu-user)
    python tests/memory.py run           the models and states alone

Models: trees of every kind of joints, loops, contact, rows, libraries. States: huge, tiny, resting, next to the limits
of doubles; a refusal is right, and so is a simulation that says where it stopped being finite. Exits with 1 if there is
a finding.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import kinegen as kg
from support import determinism
from support.c import c_driver, generated_samples
from support.contact.catching import catcher
from support.contact.dropped import drop
from support.contact.touching_samples import heap, held, rough, ties
from support.oracles.numeric import error

SCALES = (0.0, 1e-310, 1e-8, 1.0, 1e4, 1e100, 1e200, 1e307)
CLOSE = 1e-9
"""Of numbers on two processors, whose sines may differ in the last bit; a hundred steps make that larger."""
LIBRARY = Path(__file__).parents[1] / "runtime" / "c"
OURS = re.compile(rf"at 0x[^\n]*\((?:{'|'.join(sorted(path.name for path in LIBRARY.rglob('*.[ch]')))}):\d+\)")
"""Where an error is: in the C that is the same for all models."""


def compiled() -> Iterator[tuple[str, kg.Model]]:
    """A model of each kind."""
    for name, make in generated_samples.MECHANISMS.items():
        yield name, kg.compile(make(), progress=False)
    yield "contact", kg.compile(rough(heap()), progress=False).with_parameters(m=1.0)
    yield "rows", kg.compile(held(True), rows=ties(), progress=False)
    yield "boxes", kg.compile(determinism.boxes(), progress=False)


def changing() -> Iterator[tuple[str, kg.TopologyLibrary]]:
    """Libraries: with connections, with limits, with contact."""
    yield "swing", determinism.swing()
    yield "dropped", drop()
    yield "library with contact", catcher()


def run() -> int:
    """Every kernel and a few steps of everything, in every state."""
    tried = refused = 0
    movers = [(name, kg.Simulator(model)) for name, model in compiled()]
    movers += [(name, kg.Simulator(library)) for name, library in changing()]
    for name, simulator in movers:
        rng, start = np.random.default_rng(0), simulator.save()
        for scale in SCALES:
            simulator.restore(start)
            for act in acts(simulator, rng, scale):
                tried += 1
                try:
                    with np.errstate(all="ignore"):
                        act()
                except kg.KinegenError:
                    refused += 1
        print(f"{name}: {tried} calls, {refused} refused", flush=True)
    return 0


def acts(simulator: kg.Simulator, rng: np.random.Generator, scale: float) -> Iterator[Callable[[], object]]:
    """Calls at one random configuration, with speeds and forces of this size."""
    model = simulator.model
    q = model.random(rng)
    v, a, tau = scale * rng.normal(size=(3, model.nv))
    q = q if scale != 1e4 else model.integrate(q, 1e4 * rng.normal(size=model.nv))
    for name, arguments in {
        **dict.fromkeys(("inverse_dynamics", "forward_dynamics"), (q, v, a)),
        **dict.fromkeys(("bias", "energy", "momentum", "passive_forces", "closure_bias", "project"), (q, v)),
        **dict.fromkeys(("mass_matrix", "link_poses", "com", "closure_residual", "assemble", "W", "S"), (q,)),
        "integrate": (q, v),
        "difference": (model.q0, q),
        "dependent_motion": (q, v, a),
    }.items():
        yield lambda name=name, arguments=arguments: getattr(model, name)(*arguments)

    def step() -> None:
        simulator.q, simulator.v, simulator.tau = q, v, tau
        simulator.step(20)

    def change() -> None:
        for name in simulator.library.names:
            (simulator.cut if name in simulator.active else simulator.connect)(name)
            simulator.step(5)

    yield step
    if model.manifest.switches:
        yield change


def again(flags: str, *before: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """`run` in a process of its own, compiled with these flags, after whatever stands before it."""
    told = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]),
        "KINEGEN_CFLAGS": flags,
        **environment,
    }
    command = [*before, sys.executable, __file__, "run"]
    return subprocess.run(command, env=told, capture_output=True, text=True, errors="replace")


def valgrind() -> int:
    flags = "-O1 -g -march=x86-64-v3"  # Valgrind does not know every newer instruction
    assert again(flags).returncode == 0  # compiled without Valgrind
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        done = again(flags, "valgrind", f"--log-file={log}", "--leak-check=no", PYTHONMALLOC="malloc")
        blocks = re.split(r"==\d+== \n", log.read_text(errors="replace"))
    found = [block for block in blocks if OURS.search(block) and re.search(r"Invalid|uninitialised|overlap", block)]
    own = [block for block in found if not re.search(r"\((?:Python|numpy)", block)]
    print(done.stdout, *own[:5], f"memcheck: {len(own)} findings in generated C, exit {done.returncode}", sep="\n")
    return int(bool(own) or done.returncode != 0)


def sanitizers() -> int:
    compiler = os.environ.get("CC", "cc")
    found = [
        subprocess.run([compiler, f"-print-file-name={name}.so"], capture_output=True, text=True).stdout.strip()
        for name in ("libasan", "libubsan")
    ]
    options = {"ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=1"}
    flags = "-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all"
    done = again(flags, "env", f"LD_PRELOAD={' '.join(found)}", **options)
    print(done.stdout, done.stderr[-4000:], f"sanitizers: exit {done.returncode}", sep="\n")
    return int(done.returncode != 0)


def aarch64() -> int:
    """Driver programs of trees and loops, native and for the other processor: their largest difference."""
    worst = 0.0
    native, other = ["cc"], ["aarch64-linux-gnu-gcc", "-static"]
    for name, make in generated_samples.MECHANISMS.items():
        mechanism, made = make(), generated_samples.sources(name)
        with tempfile.TemporaryDirectory() as folder:
            made.write(Path(folder))
            text = c_driver.driver(mechanism, made.manifest, f"{made.manifest.prefix}.h", np.zeros(0)).text
            Path(folder, "main.c").write_text(text)
            files = sorted(path.name for path in Path(folder).glob("*.c"))
            printed = []
            for compiler, before in ((native, []), (other, ["qemu-aarch64"])):
                flags = ["-std=c99", "-O2", "-ffp-contract=off", *files, "-lm", "-o", "main"]
                subprocess.run([*compiler, *flags], cwd=folder, check=True)
                done = subprocess.run([*before, "./main"], cwd=folder, capture_output=True, text=True, check=True)
                printed.append(c_driver.results(done.stdout))
        off = {key: error(printed[1][key], value) for key, value in printed[0].items()}
        print(f"{name}: {len(off)} results, largest difference {max(off.values()):.1e}", flush=True)
        worst = max(worst, *off.values())
    return int(not worst < CLOSE)


if __name__ == "__main__":
    known = {"run": run, "valgrind": valgrind, "sanitizers": sanitizers, "aarch64": aarch64}
    if len(sys.argv) != 2 or sys.argv[1] not in known:
        sys.exit(f"usage: python {sys.argv[0]} {'|'.join(known)}")
    sys.exit(known[sys.argv[1]]())
