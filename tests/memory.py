"""Memory of generated C in states that no machine is in: Valgrind, sanitizers, and another processor.

    python tests/memory.py valgrind      memcheck; about ten minutes, most of them for Python under Valgrind
    python tests/memory.py sanitizers    AddressSanitizer and UndefinedBehaviorSanitizer of the compiler
    python tests/memory.py aarch64       the same numbers under emulation (gcc-aarch64-linux-gnu, qemu-user)
    python tests/memory.py run           the models and states alone; plant: an error that must be seen
    python tests/memory.py valgrind rolling clusters     these models alone

Models: trees of every kind of joints, loops, rows of loops, wheels, servos, contact, rows, libraries, by both
integrators where things touch. States: huge, tiny, resting, next to the limits
of doubles; a refusal is right, and so is a simulation that says where it stopped being finite. Exits with 1 if there is
a finding.
"""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from pathlib import Path

import cffi
import numpy as np

import kinegen as kg
from support import determinism
from support.c import c_driver, c_scenes, generated_samples
from support.contact.catching import catcher
from support.contact.dropped import drop
from support.contact.standing import START, stander
from support.contact.touching_samples import heap, held, rough, ties
from support.mechanisms.closed_mechanisms import five_bar
from support.mechanisms.linkages import leaning, parallelograms
from support.oracles.mechanisms import double_pendulum
from support.oracles.numeric import error
from support.rolling.mechanisms import raft

SCALES = (0.0, 1e-310, 1e-8, 1.0, 1e4, 1e100, 1e200, 1e307)
MANY = 11
"""States of a batch: no multiple of a number of lanes."""
CLOSE = 1e-9
"""Of numbers on two processors, whose sines may differ in the last bit; a hundred steps make that larger."""
MEMCHECK = "-O0 -g -march=x86-64-v3"
"""Valgrind does not know every newer instruction."""
SANITIZED = "-O0 -g -fsanitize=address,undefined -fno-sanitize-recover=all"


def simulators() -> Iterator[tuple[str, kg.Simulator]]:
    """Models of each kind; libraries with connections, with joints that are cut, with contact."""
    for name, make in generated_samples.MECHANISMS.items():
        yield name, kg.Simulator(kg.compile(make(), progress=False))
    lanes = kg.compile(generated_samples.MECHANISMS["floating"](), lanes=True, progress=False)
    yield "lanes", kg.Simulator(lanes)
    pair = kg.compile(double_pendulum(), progress=False)
    yield "driven", kg.Simulator(pair, driven={pair.joint_names[0]: lambda t: 0.3 * np.sin(5.0 * t)})
    bars = kg.compile(five_bar(), progress=False)
    motors = {name: kg.Servo(400.0, 9.0, position=1.5, limit=18.0) for name in ("left_motor", "right_motor")}
    yield "servos", kg.Simulator(bars, q=bars.assemble([2.3, -1.6, 0.9, 1.6]), servos=motors)
    several = parallelograms(4)
    yield "clusters", kg.Simulator(kg.compile(several, progress=False), q=leaning(several, np.full(4, 0.3)))
    yield "rolling", kg.Simulator(kg.compile(raft(), progress=False))
    hip = {"hip": kg.Servo(5000.0, 100.0, position=(0.3, 0.1, 0.0))}
    yield "standing", kg.Simulator(stander(), q=START, servos=hip, integrator="rk4")
    yield "contact", kg.Simulator(kg.compile(rough(heap()), progress=False).with_parameters(m=1.0))
    yield "rows", kg.Simulator(kg.compile(held(True), rows=ties(), progress=False))
    yield "boxes", kg.Simulator(kg.compile(determinism.boxes(), progress=False))
    yield "swing", kg.Simulator(determinism.swing())
    yield "dropped", kg.Simulator(drop())
    yield "library with contact", kg.Simulator(catcher())
    yield "boxes by stages", kg.Simulator(kg.compile(determinism.boxes(), progress=False), integrator="rk4")
    yield "library by stages", kg.Simulator(catcher(), integrator="rk4")


def run(*chosen: str) -> int:
    """Every kernel and a few steps of everything, or of the models of these names, in every state."""
    tried = refused = 0
    for name, simulator in simulators():
        if chosen and name not in chosen:
            continue
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
    link = model.link_names[-1]
    for name, arguments in {
        **dict.fromkeys(("inverse_dynamics", "forward_dynamics"), (q, v, a)),
        **dict.fromkeys(("inverse_dynamics_derivatives", "forward_dynamics_derivatives"), (q, v, a)),
        **dict.fromkeys(("inverse_dynamics_second_derivatives", "forward_dynamics_second_derivatives"), (q, v, a)),
        **dict.fromkeys(("bias", "energy", "momentum", "passive_forces", "closure_bias", "project"), (q, v)),
        **dict.fromkeys(("mass_matrix", "link_poses", "com", "closure_residual", "assemble", "W", "S"), (q,)),
        **dict.fromkeys(("torque_regressor", "momentum_rate", "torque_terms"), (q, v, a)),
        **dict.fromkeys(("frame_pose", "frame_jacobian"), (q, link)),
        **dict.fromkeys(("frame_velocity", "frame_bias", "frame_velocity_derivatives"), (q, v, link)),
        **dict.fromkeys(("frame_acceleration", "frame_acceleration_derivatives"), (q, v, a, link)),
        "centroidal_momentum_matrix": (q,),
        "integrate": (q, v),
        "difference": (model.q0, q),
        "dependent_motion": (q, v, a),
    }.items():
        yield lambda name=name, arguments=arguments: getattr(model, name)(*arguments)
        many = tuple(x if isinstance(x, str) else np.tile(x, (MANY, 1)) for x in arguments)
        yield lambda name=name, many=many: getattr(model, name)(*many)

    def reach() -> None:
        place, way = a[:3] if model.nv > 2 else np.full(3, scale), rng.normal(size=3)
        targets = [kg.FrameTarget(link, position=place), kg.DirectionTarget(link, way), kg.ComTarget(place)]
        kg.solve_ik(model, targets, q, iterations=20, check=False)

    def go_on() -> None:
        simulator.v, simulator.tau = v, tau
        simulator.step(20)

    def step() -> None:
        simulator.q, simulator.v, simulator.tau = q, v, tau
        simulator.step(20)

    def change() -> None:
        for name in simulator.library.names:
            (simulator.cut if name in simulator.active else simulator.connect)(name)
            simulator.step(5)

    yield reach
    yield go_on
    yield step
    if model.manifest.switches:
        yield change


PLANTED = """
#include <stdlib.h>
double planted(int n);
double planted(int n)
{
    volatile double *x = malloc(sizeof *x * (size_t)n);
    const double beyond = x[n];
    free((void *)x);
    return beyond;
}
"""


def plant() -> int:
    """A read beyond an array, in C compiled and called like that of models: what looks at memory must see it."""
    with tempfile.TemporaryDirectory(prefix="planted") as folder:
        builder = cffi.FFI()
        builder.cdef("double planted(int);")
        flags = os.environ["KINEGEN_CFLAGS"].split()
        builder.set_source("_planted", PLANTED, extra_compile_args=flags, extra_link_args=flags)
        with redirect_stdout(sys.stderr):
            builder.compile(tmpdir=folder)
        sys.path.insert(0, folder)
        return int(importlib.import_module("_planted").lib.planted(3) == 1.0)


def again(what: Sequence[str], flags: str, *before: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """`run` or `plant` in a process of its own, compiled with these flags, after whatever stands before it."""
    told = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]),
        "PYTHONWARNINGS": "ignore",
        "KINEGEN_CFLAGS": flags,
        **environment,
    }
    command = [*before, sys.executable, __file__, *what]
    return subprocess.run(command, env=told, stderr=subprocess.PIPE, text=True, errors="replace")


def memcheck(what: Sequence[str]) -> tuple[list[str], int]:
    """What Valgrind found in compiled C or in what that called, and how the process ended."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        options = (f"--log-file={log}", "--leak-check=no", "--fullpath-after=", "--error-limit=no")
        done = again(what, MEMCHECK, "valgrind", *options, PYTHONMALLOC="malloc")
        blocks = re.split(r"==\d+== \n", log.read_text(errors="replace"))
    return [block for block in blocks if in_our_c(block)], done.returncode


def in_our_c(block: str) -> bool:
    """Whether the innermost frames of an error, up to the call from Python, are of what was compiled through cffi."""
    frames = re.findall(r"(?:at|by) 0x[0-9A-F]+: (.*)", block.partition("Address")[0])
    entry = next((i for i, frame in enumerate(frames) if frame.startswith("_cffi_f_")), 0)
    return entry > 0 and not any(re.search(r"/(Python|Objects|Modules|numpy)/", frame) for frame in frames[:entry])


def valgrind(*chosen: str) -> int:
    assert again(["run", *chosen], MEMCHECK).returncode == 0  # compiled without Valgrind
    planted, _ = memcheck(["plant"])
    found, code = memcheck(["run", *chosen])
    print(*found[:5], f"memcheck: {len(planted)} planted, {len(found)} found in generated C, exit {code}", sep="\n")
    return int(not planted or bool(found) or code != 0)


def sanitizers(*chosen: str) -> int:
    compiler = os.environ.get("CC", "cc")
    libraries = [
        subprocess.run([compiler, f"-print-file-name={name}.so"], capture_output=True, text=True).stdout.strip()
        for name in ("libasan", "libubsan")
    ]
    options = {"ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=1"}
    before = ("env", f"LD_PRELOAD={' '.join(libraries)}")
    planted = again(["plant"], SANITIZED, *before, **options)
    seen = "heap-buffer-overflow" in planted.stderr
    done = again(["run", *chosen], SANITIZED, *before, **options)
    print(done.stderr[-4000:], f"sanitizers: planted {'seen' if seen else 'MISSED'}, exit {done.returncode}", sep="\n")
    return int(not seen or done.returncode != 0)


def aarch64() -> int:
    """Programs of trees, loops, contact and libraries, native and for the other processor: their largest difference."""
    worst = 0.0
    for name, make in generated_samples.MECHANISMS.items():
        mechanism, made = make(), generated_samples.sources(name)
        with tempfile.TemporaryDirectory() as folder:
            text = c_driver.driver(mechanism, made.manifest, f"{made.manifest.prefix}.h", np.zeros(0)).text
            program = c_scenes.written(made, text, Path(folder))
            off = differences(*map(c_driver.results, on_both(program, folder)))
        worst = max(worst, told(name, off))
    for name, write in c_scenes.PROGRAMS.items():
        with tempfile.TemporaryDirectory() as folder:
            printed = [np.array(text.split(), dtype=float) for text in on_both(write(Path(folder)), folder)]
        worst = max(worst, told(name, differences(*({"motion": numbers} for numbers in printed))))
    return int(not worst < CLOSE)


def on_both(program: c_scenes.Program, folder: str) -> list[str]:
    """What a program prints here and there."""
    printed = []
    for compiler, before in ((["cc"], []), (["aarch64-linux-gnu-gcc", "-static"], ["qemu-aarch64"])):
        flags = ["-std=c99", "-O2", "-ffp-contract=off", *program.files, "-lm", "-o", "main"]
        subprocess.run([*compiler, *flags], cwd=folder, check=True)
        command = [*before, "./main"]
        done = subprocess.run(command, cwd=folder, input=program.given, capture_output=True, text=True, check=True)
        printed.append(done.stdout)
    return printed


def differences(here: dict[str, np.ndarray], there: dict[str, np.ndarray]) -> dict[str, float]:
    assert here.keys() == there.keys() and here
    return {key: error(there[key], value) for key, value in here.items()}


def told(name: str, off: dict[str, float]) -> float:
    print(f"{name}: {len(off)} results, largest difference {max(off.values()):.1e}", flush=True)
    return max(off.values())


if __name__ == "__main__":
    known = {"run": run, "plant": plant, "valgrind": valgrind, "sanitizers": sanitizers, "aarch64": aarch64}
    if len(sys.argv) < 2 or sys.argv[1] not in known:
        sys.exit(f"usage: python {sys.argv[0]} {'|'.join(known)} [MODEL ...]")
    sys.exit(known[sys.argv[1]](*sys.argv[2:]))
