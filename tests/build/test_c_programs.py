"""examples/c: the C of a mechanism built with CMake, called from C and from C++, as one who takes it away would."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.codegen.pipeline import generate
from kinegen.codegen.printing.selection import LEAN
from support.mechanisms.closed_mechanisms import four_bar

ROOT = Path(__file__).parents[2]
REMEDY = 'there is no CMake: python -m pip install cmake, or pip install -e ".[test]"'


def cmake(*arguments: str | Path) -> None:
    """CMake of the package, which stands beside Python, else of the machine."""
    beside = Path(sys.executable).with_name("cmake")
    command = str(beside) if beside.is_file() else shutil.which("cmake")
    assert command, REMEDY
    done = subprocess.run([command, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]


def table(program: Path) -> np.ndarray:
    """The numbers that it prints, without its first line and words."""
    lines = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout.splitlines()
    return np.array([[float(x) for x in line.split()] for line in lines if line.split()[0][0].isdigit()])


def test_programs_print_what_the_model_does(tmp_path: Path) -> None:
    mechanism = kg.load(ROOT / "examples" / "double_pendulum.urdf")
    generate(mechanism).write(tmp_path / "model")
    cmake("-S", ROOT / "examples" / "c", "-B", tmp_path / "build", "-D", f"MODEL={tmp_path / 'model'}")
    cmake("--build", tmp_path / "build")
    swing, swing_cpp = (table(tmp_path / "build" / name) for name in ("swing", "swing_cpp"))
    model = kg.compile(mechanism)
    motion = kg.Simulator(model, q=[0.5, -0.3], dt=1e-3, integrator="rk4").run(2.0, every=100)
    lower = model.link_names.index("lower")
    assert len(swing) == len(swing_cpp) == len(motion.t) == 21
    np.testing.assert_allclose(swing[:, 1:3], motion.q, atol=1e-6)
    np.testing.assert_allclose(swing_cpp[:, 1:3], model.link_poses(motion.q)[:, lower][:, [0, 2], 3], atol=1e-6)
    for found in (swing, swing_cpp):
        np.testing.assert_allclose(found[:, 3], found[0, 3], atol=2e-6)


def test_any_folder_becomes_a_library(tmp_path: Path) -> None:
    generate(four_bar(1.0, 2.0, 2.5, 3.0), selection=LEAN).write(tmp_path / "model")
    given = (f"MODEL={tmp_path / 'model'}", "PROGRAMS=OFF", "CMAKE_BUILD_TYPE=Debug")
    cmake("-S", ROOT / "examples" / "c", "-B", tmp_path / "build", *(x for pair in given for x in ("-D", pair)))
    cmake("--build", tmp_path / "build")
    assert list((tmp_path / "build").glob("*model*"))


def test_a_folder_without_c_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="no C in"):
        cmake("-S", ROOT / "examples" / "c", "-B", tmp_path / "build", "-D", f"MODEL={tmp_path}")
