"""The generated C by itself: clean under the sanitizers, the same bytes every time, harmless names."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.codegen.build import find_toolchain
from kinegen.codegen.mechanism import Frame, Joint, Link, Mechanism, Pose
from kinegen.codegen.pipeline import generate
from kinegen.codegen.printing.selection import CORE
from kinegen.codegen.printing.sources import Sources
from support.c import c_driver
from support.c.generated_samples import MECHANISMS, PARAMETERS, digest, parametric, sources
from support.oracles.mechanisms import Array, double_pendulum
from support.oracles.numeric import error

HOSTILE = (
    'a"; system("x"); //',
    "*/ int x;",
    "x /* y",
    "../../x",
    "<script>alert(1)</script>",
    "int",
    "x\\",
    "a??/",
    "%s%n",
    "${HOME} `id`",
    "{{ 7 * 7 }}",
    "膝 ひざ",
    "a b",
    "a-b",
    "a.b",
    "9lives",
    "n" * 300,
)
DANGEROUS = r"""["'\\\\*/<>?%$`{}]|[^ -~]"""


def hostile(*names: str) -> Mechanism:
    """Two links for each name, in which everything that can have a name has this one."""
    links, joints, frames = [], [], []
    for name in names:
        pair = (name, f"{name}2")
        links += [Link(link, mass=1.0, com=(0, 0, 0.1), inertia=(0.1, 0, 0, 0.1, 0, 0.1)) for link in pair]
        joints.append(Joint(name, "revolute", "world", name, axis=(1, 0, 0)))
        joints.append(Joint(f"{name}2", "spherical", name, f"{name}2", origin=Pose((0, 0, 0.3))))
        frames.append(Frame(f"{name}3", name, Pose((0.1, 0, 0))))
    return Mechanism(names[0], links, joints, frames=frames)


def write(made: Sources, folder: Path) -> list[str]:
    """Puts the files into the folder; gives the names of those to compile."""
    made.write(folder)
    return sorted(name for name in made.files if name.endswith(".c"))


def compiler(*arguments: str, folder: Path) -> None:
    done = subprocess.run([*find_toolchain().command, *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:4000]


def header(made: Sources) -> str:
    """The one that declares the kernels."""
    name = f"{made.manifest.prefix}.h"
    assert name in made.files
    return name


Run = Callable[[Path, list[str]], str]


def run_driver(
    mechanism: Mechanism, made: Sources, folder: Path, parameters: Array, run: Run = c_driver.sanitized
) -> dict[str, Array]:
    """What the driver prints, with the sanitizers and without the same; compared with the dense reference."""
    files = write(made, folder)
    driver = c_driver.driver(mechanism, made.manifest, header(made), parameters)
    (folder / "main.c").write_text(driver.text)
    found = c_driver.results(run(folder, [*files, "main.c"]))
    for name, expected in driver.expected.items():
        assert error(found[name], expected) < 1e-10
    for name, values in found.items():
        # of what floats and has no motor of its own no torques balance a motion at random
        unled = name.startswith("actuator_torques") and mechanism.name == "sprung_loops"
        assert np.isnan(values).all() if unled else np.isfinite(values).all(), name
        if name.endswith(".batch") and not unled:
            assert error(values, np.tile(found[name.removesuffix(".batch")], c_driver.BATCH)) < 1e-12
    return found


COVERED = ("pendulum", "every_kind", "sprung loops", "two loops", "floating", "mimics")
"""What the others have too, or tests/memory.py looks at."""


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.sweep if n in COVERED else ()) for n in MECHANISMS])
def test_clean_under_sanitizers(name: str, tmp_path: Path) -> None:
    found = run_driver(MECHANISMS[name](), sources(name), tmp_path, np.zeros(0))
    assert {"simulate.semi_implicit", "simulate.rk4"} <= {*found}


def test_run_time_parameters_in_plain_c(tmp_path: Path) -> None:
    """The pendulum with these numbers handed in is that with these numbers in it."""
    made = generate(parametric())
    values = np.array([PARAMETERS[spec.name] for spec in made.manifest.parameters])
    sizes = [PARAMETERS[name] for name in ("m1", "m2", "l1", "l2")]
    found = run_driver(double_pendulum(*sizes), made, tmp_path, values)
    inside = generate(double_pendulum(*sizes))
    assert len(made.manifest.parameters) == 4 and not inside.manifest.parameters
    (tmp_path / "inside").mkdir()
    expected = run_driver(double_pendulum(*sizes), inside, tmp_path / "inside", np.zeros(0), c_driver.printed)
    assert found.keys() == expected.keys()
    assert max(error(found[name], expected[name]) for name in expected) < 1e-10


@pytest.mark.parametrize("name", MECHANISMS)
def test_no_allocation_no_globals_no_dependency(name: str) -> None:
    """What is generated can be taken to a microcontroller: no heap, no input or output, nothing but libm."""
    for file, text in sources(name).files.items():
        assert not re.search(r"\b(malloc|calloc|realloc|free|printf|exit|abort|time)\s*\(", text), file
        included = re.findall(r'#\s*include\s*([<"][^>"]+[>"])', text)
        assert all(i.startswith('"') or i in ("<math.h>", "<stddef.h>", "<string.h>", "<stdint.h>") for i in included)
        assert not re.search(r"^(static\s+)?double\s+\w+(\[[^\]]*\])?\s*(=|;)", text, re.MULTILINE), file


_DIGEST = """
import hashlib, sys
sys.path[:0] = sys.argv[1:]
from support.c.generated_samples import MECHANISMS, digest
from kinegen.codegen.pipeline import generate
print(digest(generate(MECHANISMS["mimics"]())))
"""


def test_same_bytes_for_every_hash_seed() -> None:
    """In a process with another hash seed, and in this one, whatever was generated before."""
    environment = {**os.environ, "PYTHONHASHSEED": "4242"}
    command = [sys.executable, "-c", _DIGEST, str(Path(__file__).parents[1])]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == digest(sources("mimics"))


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_harm_nothing(name: str) -> None:
    made = generate(hostile(name), selection=CORE)  # all kernels: together, below
    for file, text in made.files.items():
        assert re.fullmatch(r"(kinegen/[a-z]+/)?[A-Za-z0-9_]+\.[ch]", file)
        assert text.isascii()
        assert not (re.search(DANGEROUS, name) and name in text)
    assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", made.manifest.prefix)
    assert made.manifest.links == (name, f"{name}2")


def test_all_hostile_names_together_are_strict_c(tmp_path: Path) -> None:
    made = generate(hostile(*HOSTILE))
    for text in made.files.values():
        assert text.isascii() and not any(re.search(DANGEROUS, name) and name in text for name in HOSTILE)
    compiler(*c_driver.STRICT, "-fsyntax-only", *write(made, tmp_path), folder=tmp_path)
    assert {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()} == {*made.files}


def test_names_that_become_the_same_stay_apart() -> None:
    """Links and joints that differ only in what cannot stand in C: all are there, and each answers for itself."""
    names = ["knee joint", "knee-joint", "knee.joint", "knee_joint", "膝", "肘", "knee_joint_2"]
    links = [Link(name, mass=1.0 + k, com=(0, 0, 0.1)) for k, name in enumerate(names)]
    joints = [Joint(name, "prismatic", "world", name) for name in names]
    model = kg.compile(Mechanism("apart", links, joints))
    assert model.joint_names == tuple(names)
    order = [model.v_slice(name).start for name in names]
    assert error(np.diag(model.mass_matrix(model.q0))[order], 1.0 + np.arange(len(names))) < 1e-14


def test_a_hostile_model_runs() -> None:
    mechanism = hostile(HOSTILE[0])
    model = kg.compile(mechanism)
    assert model.name == HOSTILE[0]
    assert model.forward_dynamics(model.q0, np.zeros(4), np.zeros(4)).shape == (4,)
