"""Loops over the paths of a tree (runtime/c/tree) with made-up numbers, against dense formulas in NumPy.

The kernels that the loops call are made here: they hand on what stands in p. The tree: axes 0 and 1 move link 0, on
which link 1 hangs by axis 2 and link 2 by axis 3, which moves with dof 2 as well, as that of a mimic joint does.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import cffi
import numpy as np
import pytest

from support.c.c_library import COMPILERS, ROOT, STRICT

NV, LINKS, AXES = 3, 3, 4
DOF, LAST, LINK = (0, 1, 2, 2), (1, 2, 3), (0, 0, 1, 2)
PATHS = ((1, 0), (2, 1, 0), (3, 1, 0))
TABLES = {"axis_dof": DOF, "axis_above": (-1, 0, 1, 1), "axis_last": LAST, "axis_link": LINK}
TABLES |= {"link_above": (-1, 0, 0), "link_axis": (0, 2, 3), "link_below": (3, 2, 3)}
TABLES |= {"factor_row": (0, 0, 1, 3), "factor_column": (0, 0, 1)}
GIVEN = {  # what stands in p
    "axes": (AXES, 9),
    "centers": (LINKS, 3),
    "inertias": (LINKS, 3, 3),
    "masses": (LINKS,),
    "armatures": (NV,),
    "bias": (NV,),
    "drift": (LINKS, 6),
    "g": (3,),
    "poses": (LINKS, 4, 4),
    "rows": (AXES, 12),
    "M": (NV, NV),
    "rotors": (AXES,),
}
KERNELS = {  # what they take and give
    "motion_columns": ("q", "axes centers"),
    "world_inertias": ("q", "inertias masses"),
    "armatures": ("q", "armatures"),
    "bias": ("q v", "bias"),
    "cog_bias": ("q v", "drift"),
    "gravity_vector": ("q", "g"),
    "composite_columns": ("q", "rows"),
    "mass_matrix": ("q", "M"),
    "cause_parts": ("q v", "axes rotors centers inertias masses drift"),
}
LOOPS = {  # what they take, the shape of what they give
    "mass_matrix_unit_vector": ("q", (NV, NV)),
    "mass_matrix": ("q", (NV, NV)),
    "mass_matrix_cog": ("q", (NV, NV)),
    "cog_jacobian": ("q", (LINKS, 6, NV)),
    "frame_jacobian": ("q frame", (6, NV)),
    "frame_pose": ("q placed", (4, 4)),
    "frame_velocity": ("q v frame", (6,)),
    "inverse_dynamics_cog": ("q v a", (NV,)),
    "forward_dynamics_ltdl": ("q v tau", (NV,)),
    "forward_dynamics_unit_vector": ("q v tau", (NV,)),
    "forward_dynamics_damped": ("q v tau d", (NV,)),
    "torque_terms": ("q v a", (NV, LINKS, 3)),
}
MODEL = f"""
#include <string.h>
#define MODEL(name) made_##name
#define KERNEL(name, ...) made_##name(p, __VA_ARGS__)
enum {{ NV = {NV}, BODIES = {LINKS}, TREE_AXES = {AXES} }};
"""
STEP = """
enum {{ PATH_ANGLES = {links} }};
static int made_link_step_angles(const double *p, int link, const double *q, double *angle)
{{
    (void)p;
    angle[0] = q[link];
    return 1;
}}
static void made_link_step(const double *p, int link, const double *s, const double *c, const double *q,
    const double *above, double *own, double *axes)
{{
    (void)s, (void)c, (void)q, (void)above;
    for (int x = 0; x < 3; x++) {{ /* vectors are columns, with room for four numbers */
        for (int i = 0; i < 4; i++)
            own[4*i + x] = p[{poses} + 16*link + 4*x + i];
        for (int i = 0; i < (link ? 3 : 6); i++)
            axes[4*i + x] = p[{axes} + 9*link_axis[link] + 3*i + x];
    }}
}}
"""
BY_UNIT_VECTORS = """
static void made_unit_torque(const double *p, const double *q, const double *a, double *tau)
{
    double M[NV*NV];
    made_mass_matrix(p, q, M);
    for (int i = 0; i < NV; i++)
        tau[i] = M[NV*i]*a[0] + M[NV*i + 1]*a[1] + M[NV*i + 2]*a[2];
}
#include "tree/mass_matrix_unit_vector.h"
static void made_mass_matrix_unit_vector(const double *p, const double *q, double *M)
{
    mass_matrix_unit_vector(p, q, M);
}
"""


def head(name: str, inputs: str) -> str:
    return f"void {name}({', '.join(f'const double *{x}' for x in ('p', *inputs.split()))}, "


def source() -> str:
    starts = np.cumsum([0, *(int(np.prod(shape)) for shape in GIVEN.values())])
    start = dict(zip(GIVEN, starts, strict=False))
    text = MODEL
    for name, values in TABLES.items():
        text += f"static const int {name}[] = {{{', '.join(map(str, values))}}};\n"
    for name, (inputs, outputs) in KERNELS.items():
        given = outputs.split()
        text += f"static {head(f'made_{name}', inputs)}{', '.join(f'double *{x}' for x in given)})\n{{\n"
        text += f"    {', '.join(f'(void){x}' for x in inputs.split())};\n"
        text += "".join(f"    memcpy({x}, p + {start[x]}, {np.prod(GIVEN[x])}*sizeof *{x});\n" for x in given) + "}\n"
    text += STEP.format(links=LINKS, poses=start["poses"], axes=start["axes"]) + BY_UNIT_VECTORS
    text += "".join(f'#include "{"frames" if name.startswith("frame") else "tree"}/{name}.h"\n' for name in LOOPS)
    for name, (inputs, _) in LOOPS.items():
        text += f"{head(f'call_{name}', inputs)}double *out);\n{head(f'call_{name}', inputs)}double *out)\n"
        text += f"{{\n    {name}(p, {', '.join(inputs.split())}, out);\n}}\n"
    return text


class Loops:
    """The functions with the numbers that their kernels give."""

    def __init__(self, folder: Path, compiler: str) -> None:
        (folder / "tree.c").write_text(source())
        command = [*COMPILERS[compiler], *STRICT, "-O2", "-fPIC", "-shared", "-I", str(ROOT), "tree.c", "-o", "tree.so"]
        subprocess.run(command, cwd=folder, check=True)
        self.ffi = cffi.FFI()
        for name, (inputs, _) in LOOPS.items():
            self.ffi.cdef(f"{head(f'call_{name}', inputs)}double *out);")
        self.lib = self.ffi.dlopen(str(folder / "tree.so"))
        rng = np.random.default_rng(3)
        self.given = {name: rng.normal(size=shape) for name, shape in GIVEN.items()}
        B = rng.normal(size=(NV, NV))
        self.given["M"] = B @ B.T + np.eye(NV)
        self.p = np.concatenate([x.ravel() for x in self.given.values()])
        self.q, self.v, self.a, self.tau = rng.normal(size=(4, NV))
        self.d = rng.uniform(0.1, 1.0, NV)
        self.frame = np.array([2.0, 0.3, -0.2, 0.1])
        self.placed = np.r_[self.frame, rng.normal(size=9)]

    def call(self, name: str) -> Any:
        inputs, shape = LOOPS[name]
        out = np.full(shape, np.nan)
        arrays = (self.p, *(getattr(self, x) for x in inputs.split()), out)
        getattr(self.lib, f"call_{name}")(*(self.ffi.cast("double *", x.ctypes.data) for x in arrays))
        return out

    def jacobian(self, link: int, point: np.ndarray) -> np.ndarray:
        """(6, NV) of a point on the path of a link."""
        J = np.zeros((6, NV))
        for k in PATHS[link]:
            z, linear, o = self.given["axes"][k].reshape(3, 3)
            J[:, DOF[k]] += [*(np.cross(z, point - o) + linear), *z]
        return J

    @property
    def G(self) -> np.ndarray:
        return np.array([self.jacobian(i, self.given["centers"][i]) for i in range(LINKS)])

    @property
    def inertias(self) -> list[np.ndarray]:
        """M^ of each link."""
        parts = zip(self.given["masses"], self.given["inertias"], strict=True)
        return [np.block([[m * np.eye(3), np.zeros((3, 3))], [np.zeros((3, 3)), turning]]) for m, turning in parts]


@pytest.fixture(scope="module", params=COMPILERS)
def loops(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Loops:
    return Loops(tmp_path_factory.mktemp("tree"), request.param)


def assert_near(found: np.ndarray, wanted: np.ndarray) -> None:
    np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-12)


def test_jacobians(loops: Loops) -> None:
    assert_near(loops.call("cog_jacobian"), loops.G)
    pose = loops.given["poses"][2]
    J = loops.jacobian(2, pose[:3, :3] @ loops.frame[1:] + pose[:3, 3])
    assert_near(loops.call("frame_jacobian"), J)
    assert_near(loops.call("frame_velocity"), J @ loops.v)
    offset = np.block([[loops.placed[4:].reshape(3, 3), loops.frame[1:, None]], [np.zeros(3), 1.0]])
    assert_near(loops.call("frame_pose"), np.r_[pose[:3], [[0.0, 0.0, 0.0, 1.0]]] @ offset)


def test_mass_matrices(loops: Loops) -> None:
    armature = np.diag(loops.given["armatures"])
    wanted = sum(G.T @ inertia @ G for G, inertia in zip(loops.G, loops.inertias, strict=True))
    assert_near(loops.call("mass_matrix_cog"), wanted + armature)
    assert_near(loops.call("mass_matrix_unit_vector"), loops.given["M"])
    columns = np.zeros((NV, NV))
    for i in range(AXES):
        for j in PATHS[LINK[i]]:
            if j <= i:
                entry = loops.given["rows"][j, :6] @ loops.given["rows"][i, 6:]
                columns[DOF[i], DOF[j]] += entry
                columns[DOF[j], DOF[i]] += entry if i != j else 0.0
    assert_near(loops.call("mass_matrix"), columns + armature)


@pytest.mark.parametrize("name", ["forward_dynamics_ltdl", "forward_dynamics_unit_vector", "forward_dynamics_damped"])
def test_accelerations(loops: Loops, name: str) -> None:
    damping = np.diag(loops.d) if "damped" in name else np.zeros((NV, NV))
    assert_near(loops.call(name), np.linalg.solve(loops.given["M"] + damping, loops.tau - loops.given["bias"]))


def test_torques_and_their_causes(loops: Loops) -> None:
    terms = np.zeros((NV, LINKS, 3))
    for i, (G, inertia) in enumerate(zip(loops.G, loops.inertias, strict=True)):
        w = G[3:] @ loops.v
        turning = np.r_[np.zeros(3), np.cross(w, inertia[3:, 3:] @ w)]
        weight = np.r_[-loops.given["masses"][i] * loops.given["g"], np.zeros(3)]
        wrenches = inertia @ (G @ loops.a), inertia @ loops.given["drift"][i] + turning, weight
        terms[:, i] = G.T @ np.transpose(wrenches)
    wanted = terms.sum(axis=(1, 2)) + loops.given["armatures"] * loops.a
    assert_near(loops.call("inverse_dynamics_cog"), wanted)
    for k in range(AXES):
        terms[DOF[k], LINK[k], 0] += loops.given["rotors"][k] * loops.a[DOF[k]]
    assert_near(loops.call("torque_terms"), terms)
