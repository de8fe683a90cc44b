"""Pinocchio's own C++, built for this processor, timed on the same robots."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import cmeel
import numpy as np
import pinocchio as pin

BENCHMARKS = Path(__file__).parents[1]
OUT = BENCHMARKS / "out"
ROBOTS = Path(next(iter(cmeel.__path__))).parent / "cmeel.prefix/share/example-robot-data/robots"
PANDA = ROBOTS / "panda_description/urdf/panda.urdf"


def build(name: str = "pinocchio_bench", options: Sequence[str] = ()) -> Path:
    """Compiles NAME.cpp, with more `options`, into the ignored folder out/ (some minutes, once).

    Exits with what to install where Eigen's headers or a C++ compiler are missing.
    """
    source, binary = BENCHMARKS / "pinocchio" / f"{name}.cpp", OUT / name
    newest = max(path.stat().st_mtime for path in (source, source.parent / "pinocchio_model.hpp"))
    if binary.exists() and binary.stat().st_mtime > newest:
        return binary
    prefix = ROBOTS.parents[2]
    compiler, eigen = needed()
    limits = ["BOOST_MPL_LIMIT_LIST_SIZE=30", "BOOST_MPL_LIMIT_VECTOR_SIZE=30", "BOOST_FUSION_INVOKE_MAX_ARITY=12"]
    defines = [f"-D{name}" for name in [*limits, "BOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", "NDEBUG"]]
    OUT.mkdir(exist_ok=True)
    print(f"{name}.cpp is compiled, which takes some minutes, once", file=sys.stderr)
    command = [compiler, "-O3", "-march=native", "-std=c++17", "-w", *defines]
    command += [f"-I{prefix}/include", f"-I{eigen}", str(source), "-o", str(binary)]
    command += [f"-L{prefix}/lib", "-lboost_serialization", f"-Wl,-rpath,{prefix}/lib", *options]
    subprocess.run(command, check=True)
    return binary


def needed() -> tuple[str, Path]:
    """The C++ compiler and the folder of Eigen's headers; exits with what to install where one is missing."""
    compiler, eigen = os.environ.get("CXX", "g++"), Path(os.environ.get("EIGEN_INCLUDE", "/usr/include/eigen3"))
    if shutil.which(compiler) is None:
        raise SystemExit(f"Pinocchio's side needs a C++ compiler: no '{compiler}'. Debian: apt install g++, or set CXX")
    if not (eigen / "Eigen" / "Core").is_file():
        raise SystemExit(
            f"Pinocchio's side needs Eigen's headers: none in '{eigen}'. Debian: apt install libeigen3-dev, or set "
            "EIGEN_INCLUDE to the folder that holds Eigen/"
        )
    return compiler, eigen


def dump(urdf: Path, floating: bool) -> Path:
    """Writes the URDF as the flat text that pinocchio_bench reads."""
    model = pin.buildModelFromUrdf(str(urdf), *([pin.JointModelFreeFlyer()] if floating else []))
    data, lines = model.createData(), [str(model.njoints - 1)]
    for i in range(1, model.njoints):
        joint, inertia, placement = model.joints[i], model.inertias[i], model.jointPlacements[i]
        v = np.zeros(model.nv)
        v[joint.idx_v] = 1
        pin.forwardKinematics(model, data, pin.neutral(model), v)
        kind = joint.shortname()
        if "FreeFlyer" in kind:
            letter, axis = "F", np.zeros(3)
        elif "JointModelR" in kind and "Unbounded" not in kind:
            letter, axis = "R", data.v[i].angular
        elif "JointModelP" in kind:
            letter, axis = "P", data.v[i].linear
        else:
            raise SystemExit(f"{urdf}: joint kind {kind} is not dumped")
        row = [model.parents[i], letter, *axis, *placement.rotation.ravel(), *placement.translation]
        lines.append(" ".join(map(str, [*row, inertia.mass, *inertia.lever, *inertia.inertia.ravel()])))
    path = OUT / f"{urdf.stem}.txt"
    path.write_text("\n".join(lines) + "\n")
    return path


def measure(binary: Path, model: Path) -> tuple[float, ...]:
    """Microseconds per call of inverse dynamics, mass matrix (the better convention), forward dynamics, and of the
    derivatives of inverse and of forward dynamics."""
    done = subprocess.run([str(binary), str(model)], check=True, capture_output=True, text=True)
    return tuple(map(float, done.stdout.split()))


def measure_locked(binary: Path, model: Path, states: Path, joints: Sequence[int]) -> tuple[float, np.ndarray]:
    """Microseconds per call of forward dynamics with these joints' links locked (indices from 0), and the
    accelerations of all states as one flat array."""
    out = OUT / "accelerations.bin"
    command = [str(binary), str(model), str(states), str(out), *map(str, joints)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(done.stdout), np.fromfile(out)
