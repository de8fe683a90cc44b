/* A = L D L' of a symmetric matrix (n, n), row by row. Whoever calls gives the room to work in. */

#ifndef KG_LINEAR_SYMMETRIC_H
#define KG_LINEAR_SYMMETRIC_H

#include <math.h>

#include "lanes.h"

/* A = L D L' in place, lower triangle given; inverse (n) = 1/D, 0 along a direction without inertia; work (2 n). Column
 * by column, so that nothing is summed across lanes; rows without an entry in the column are left alone, so that parts
 * that nothing connects are factored apart. */
static inline void kg_factor_ldl(int n, double *restrict A, double *restrict inverse, double *restrict work)
{
    double *restrict size = work, *restrict column = work + n;
    for (int k = 0; k < n; k++)
        size[k] = fabs(A[k * n + k]);
    for (int k = 0; k < n; k++) {
        const double d = A[k * n + k];
        inverse[k] = d > 1e-14 * size[k] ? 1.0 / d : 0.0;
        for (int i = k + 1; i < n; i++) {
            double *restrict row = A + i * n;
            column[i] = row[k];
            row[k] *= inverse[k];
            if (row[k] != 0.0)
                kg_axpy(i - k, -row[k], column + k + 1, row + k + 1);
        }
    }
}

/* b = A^-1 b for a factored A; a direction without inertia does not accelerate. */
static inline void kg_solve_factored(
    int n, const double *restrict A, const double *restrict inverse, double *restrict b)
{
    for (int i = 1; i < n; i++)
        b[i] -= kg_dot(i, A + i * n, b);
    for (int i = 0; i < n; i++)
        b[i] *= inverse[i];
    for (int i = n - 1; i > 0; i--)
        kg_axpy(i, -b[i], A + i * n, b);
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

/* A x = b for symmetric A, lower triangle given; A and b are overwritten, x is returned in b; work (3 n). */
static inline void kg_solve_symmetric(int n, double *restrict A, double *restrict b, double *restrict work)
{
    kg_factor_ldl(n, A, work, work + n);
    kg_solve_factored(n, A, work, b);
}

#endif
