"""The C library by itself: compiled with warnings as errors, called through cffi."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import cffi
import numpy as np

ROOT = Path(__file__).parents[3] / "runtime" / "c"
STRICT = [
    "-std=c99",
    *("-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wdouble-promotion", "-Werror"),
]
COMPILERS = {"gcc": ["gcc"], "clang": [sys.executable, "-m", "ziglang", "cc"]}
SANITIZE = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]

CDEF = """
typedef struct {
    int vertices, faces, edges;
    const double (*vertex)[3], (*plane)[4];
    const short *start, *corner, (*edge)[4];
    double size;
} kg_polyhedron;
typedef struct { int count[2]; double step[2], top; const double *z; } kg_terrain;
typedef struct {
    int kind; const double *size, *R, *p; const kg_polyhedron *hull; const kg_terrain *ground;
} kg_placed;
typedef struct { long long feature; double gap, point[3], normal[3]; } kg_touch;
int clip(const double *x, int count, const double *n, double limit, int side, int *ends);
int kg_meet(const kg_placed *a, const kg_placed *b, double margin, kg_touch *t);
void factor(int n, double *A, double *inverse, double *work);
void axpy(int n, double s, const double *x, double *y);
double dot(int n, const double *x, const double *y);
int all_finite(long n, const double *x);
void solve_factored(int n, const double *A, const double *inverse, double *b);
void solve_symmetric(int n, double *A, double *b, double *work);
int solve_saddle(int n, int m, double *M, double *K, double *f, double *g, double *work);
void solve_branches(int n, const int *row, const int *column, double *M, double *iD, double *L, double *x);
int invert_six(double (*A)[8]);
int invert_six_by_pivots(double (*A)[8]);
void add_rows(double *y, int n, const double (*x)[8], const double *w);
void add_short_rows(double *y, int n, const double (*x)[4], const double *w);
void add_products(int n, const double (*x)[4], const double *w, double (*Y)[4]);
void add_product(int n, const double (*x)[4], const double (*m)[8], int more, double (*Y)[8]);
void set_short_rows(double sign, const double (*d)[3], const double *arm, double (*row)[4]);
void along_rows(int n, const double (*x)[4], const double *w, double *v);
void add_scaled(double *y, double scale, const double *x);
void scale_within(double (*p)[8]);
void follow_within(int lags, double (*p)[8], const double (*d)[8], double (*du)[8]);
double bend_within(int lags, double made, double (*p)[8]);
void slope_within(int lags, double (*p)[8], double (*S)[8]);
void aim_within(double target, double (*p)[8], double (*more)[8]);
double reach_within(double (*p)[8]);
double product_within(double length, double (*p)[8]);
double residual_within(double (*p)[8]);
void sincos_of(int n, const double *x, double *s, double *c);
void sincos_apart(int n, const double *x, double *s, double *c);
void middle_spin(double dt, const double *S, const double *w, const double *n, double *y);
int slow_spin(double h, const double *S, const double *w, const double *n, double *y);
int slow_principal_spin(double h, const double *S, const double *w, const double *n, int more, double *y);
""" + "\n".join(
    f"""void {group}_integrate(const double *q, const double *v, double *q_out);
void {group}_difference(const double *q0, const double *q1, double *v);
void {group}_offset(const double *q0, const double *q1, double *x);
void {group}_advance(double dt, const double *a, double *q, double *v);
void {group}_rate(const double *u, const double *v, double *k);"""
    for group in ("so3", "se3", "se2")
)

_GROUP = """
void {g}_integrate(const double *q, const double *v, double *q_out) {{ kg_{g}_integrate(q, v, q_out); }}
void {g}_difference(const double *q0, const double *q1, double *v) {{ kg_{g}_difference(q0, q1, v); }}
void {g}_offset(const double *q0, const double *q1, double *x) {{ kg_{g}_offset(q0, q1, x); }}
void {g}_advance(double dt, const double *a, double *q, double *v) {{ kg_{g}_advance(dt, a, q, v); }}
void {g}_rate(const double *u, const double *v, double *k) {{ kg_{g}_rate(u, v, k); }}
"""

DOORS = """
#include "geometry/clip.h"
#include "joints/groups.h"
#include "linear/branch_factor.h"
#include "linear/short_rows.h"
#include "linear/saddle.h"
#include "linear/sincos.h"
#include "linear/six.h"
#include "linear/symmetric.h"
#include "newton/within.h"

int clip(const double *x, int count, const double *n, double limit, int side, int *ends)
{
    kg_corner in[KG_MOST_CORNERS], out[KG_MOST_CORNERS + 1];
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++)
            in[i].x[k] = x[3 * i + k];
        in[i].in = in[i].out = i;
    }
    const int kept = kg_clip(in, count, n, limit, side, out);
    for (int i = 0; i < kept; i++) {
        ends[2 * i] = out[i].in;
        ends[2 * i + 1] = out[i].out;
    }
    return kept;
}
void factor(int n, double *A, double *inverse, double *work) { kg_factor_ldl(n, A, inverse, work); }
void axpy(int n, double s, const double *x, double *y) { kg_axpy(n, s, x, y); }
double dot(int n, const double *x, const double *y) { return kg_dot(n, x, y); }
int all_finite(long n, const double *x) { return kg_all_finite(n, x); }
void solve_factored(int n, const double *A, const double *inverse, double *b) { kg_solve_factored(n, A, inverse, b); }
void solve_symmetric(int n, double *A, double *b, double *work) {
  kg_factor_ldl(n, A, work, work + n);
  kg_solve_factored(n, A, work, b);
}
int solve_saddle(int n, int m, double *M, double *K, double *f, double *g, double *work)
{
    double *Y = work + n, *S = Y + m * n, *inverse_S = S + m * m;
    const kg_saddle x = {n, m, M, work, K, Y, S, inverse_S};
    const int regular = kg_factor_saddle(&x, inverse_S + m);
    if (regular)
        kg_solve_saddle(&x, f, g);
    return regular;
}
void solve_branches(int n, const int *row, const int *column, double *M, double *iD, double *L, double *x)
{
    kg_factor_branches(n, row, column, M, iD, L, x);
    for (int i = 0; i < n; i++)
        x[i] *= iD[i];
    kg_finish_branches(n, row, column, L, x, x);
}
int invert_six(double (*A)[8]) { return kg_invert_six(A); }
int invert_six_by_pivots(double (*A)[8]) { return kg_invert_six_by_pivots(A); }
void add_rows(double *y, int n, const double (*x)[8], const double *w) { kg_add_rows(y, n, x, w); }
void add_short_rows(double *y, int n, const double (*x)[4], const double *w) { kg_add_short_rows(y, n, x, w); }
void add_products(int n, const double (*x)[4], const double *w, double (*Y)[4]) { kg_add_products(n, x, w, Y); }
void add_product(int n, const double (*x)[4], const double (*m)[8], int more, double (*Y)[8])
{
    kg_add_product(n, x, m, more, Y);
}
void along_rows(int n, const double (*x)[4], const double *w, double *v) { kg_along_rows(n, x, w, v); }
void set_short_rows(double sign, const double (*d)[3], const double *arm, double (*row)[4])
{
    kg_set_short_rows(sign, d, arm, row);
}
void scale_within(double (*p)[8]) { scale_points(p); }
void follow_within(int lags, double (*p)[8], const double (*d)[8], double (*du)[8]) { follow_points(lags, p, d, du); }
double bend_within(int lags, double made, double (*p)[8]) { return bend_points(lags, made, p); }
void slope_within(int lags, double (*p)[8], double (*S)[8]) { slope_points(lags, p, S); }
void aim_within(double target, double (*p)[8], double (*more)[8]) { aim_points(target, p, more); }
double reach_within(double (*p)[8]) { return reach_of_points(p); }
double product_within(double length, double (*p)[8]) { return product_of_points(length, p); }
double residual_within(double (*p)[8]) { return residual_of_points(p); }
void sincos_of(int n, const double *x, double *s, double *c) { kg_sincos(n, x, s, c); }
void sincos_apart(int n, const double *x, double *s, double *c) { kg_sincos_apart(n, x, s, c); }
void add_scaled(double *y, double scale, const double *x) { kg_add_scaled(y, scale, x); }
void middle_spin(double dt, const double *S, const double *w, const double *n, double *y)
{
    kg_middle_spin(dt, S, w, n, y);
}
int slow_spin(double h, const double *S, const double *w, const double *n, double *y)
{
    return kg_slow_spin(h, S, w, n, y);
}
int slow_principal_spin(double h, const double *S, const double *w, const double *n, int more, double *y)
{
    return kg_slow_principal_spin(h, S, w, n, more, y);
}
""" + "".join(_GROUP.format(g=group) for group in ("so3", "se3", "se2"))


def c_files() -> list[Path]:
    """Those of geometry and of height fields, which compile by themselves."""
    return sorted(path for folder in ("geometry", "terrain") for path in (ROOT / folder).glob("*.c"))


def compiled(folder: Path, command: list[str], flags: list[str]) -> Path:
    """The shared library of all of it, headers behind functions of `DOORS`."""
    (folder / "doors.c").write_text(DOORS)
    strict = [*STRICT, *flags, "-fPIC", "-I", str(ROOT)]
    subprocess.run(
        [*command, *strict, "-shared", "doors.c", *map(str, c_files()), "-lm", "-o", "c.so"], cwd=folder, check=True
    )
    return folder / "c.so"


class Library:
    """The functions, on NumPy arrays."""

    def __init__(self, path: Path) -> None:
        self.ffi = cffi.FFI()
        self.ffi.cdef(CDEF)
        self.lib = self.ffi.dlopen(str(path))

    def doubles(self, x: np.ndarray, kind: str = "double *") -> Any:
        assert x.dtype == np.float64 and x.flags.c_contiguous
        return self.ffi.cast(kind, x.ctypes.data)

    def group(self, name: str, *arrays: np.ndarray | float, out: int) -> np.ndarray:
        """`name` of a group, with a new array of that size as its last argument."""
        result = np.zeros(out)
        given = [x if isinstance(x, float) else self.doubles(np.ascontiguousarray(x, dtype=float)) for x in arrays]
        getattr(self.lib, name)(*given, self.doubles(result))
        return result
