/* A = L' D L of a symmetric matrix (n, n), row by row from the last. Whoever calls gives the room to work in. */

#ifndef KG_LINEAR_SYMMETRIC_H
#define KG_LINEAR_SYMMETRIC_H

#include <math.h>

#include "lanes.h"

/* A = L' D L in place, lower triangle given, L unit lower triangular; inverse (n) = 1/D, 0 along a direction without
 * inertia; work (n). Row by row from the last, so that nothing is summed across lanes, and what is zero along a tree
 * whose joints stand in their order stays zero and is left out. */
static inline void kg_factor_ldl(int n, double *restrict A, double *restrict inverse, double *restrict work)
{
    for (int k = 0; k < n; k++)
        work[k] = fabs(A[k * n + k]);
    for (int k = n - 1; k >= 0; k--) {
        double *restrict row = A + k * n;
        const double d = row[k], reciprocal = d > 1e-14 * work[k] ? 1.0 / d : 0.0;
        inverse[k] = reciprocal;
        for (int i = k - 1; i >= 0; i--) { /* row[j], j <= i: not yet divided by d */
            const double l = row[i] * reciprocal;
            if (row[i] != 0.0)
                kg_axpy(i + 1, -l, row, A + i * n);
            row[i] = l;
        }
    }
}

/* b = A^-1 b for a factored A; a direction without inertia does not accelerate. */
static inline void kg_solve_factored(
    int n, const double *restrict A, const double *restrict inverse, double *restrict b)
{
    for (int i = n - 1; i > 0; i--)
        kg_axpy(i, -b[i], A + i * n, b);
    for (int i = 0; i < n; i++)
        b[i] *= inverse[i];
    for (int i = 1; i < n; i++)
        b[i] -= kg_dot(i, A + i * n, b);
}

/* Row k of A x = b (lower triangle of A given) replaced by x_k = x: the other rows are told what x_k does in them. */
static inline void kg_give_entry(int n, double *restrict A, double *restrict b, int k, double x)
{
    for (int i = 0; i < n; i++) {
        double *entry = i < k ? A + k * n + i : A + i * n + k;
        b[i] = i == k ? x : b[i] - *entry * x;
        *entry = i == k ? 1.0 : 0.0;
    }
}

#endif
