/* A = L D L' of a symmetric matrix (n, n), row by row. Whoever calls gives the room to work in. */

#ifndef KG_LINEAR_SYMMETRIC_H
#define KG_LINEAR_SYMMETRIC_H

#include <math.h>

/* A = L D L' in place, lower triangle given; inverse (n) = 1/D, 0 along a direction without inertia; work (2 n).
 * `blocks`: zeros at the beginning of a row are looked for and stay zeros, so that parts that nothing connects are
 * factored apart. Give a constant. */
static inline void kg_factor_ldl(int n, double *restrict A, double *restrict inverse, double *restrict work, int blocks)
{
    double *restrict d = work, *restrict row = work + n;
    for (int k = 0; k < n; k++) {
        int from = 0;
        if (blocks)
            while (A[k * n + from] == 0.0 && from < k)
                from++;
        d[k] = A[k * n + k];
        for (int j = from; j < k; j++) {
            row[j] = A[k * n + j] * d[j];
            d[k] -= A[k * n + j] * row[j];
        }
        if (!(d[k] > 1e-14 * fabs(A[k * n + k])))
            d[k] = 0.0;
        inverse[k] = d[k] > 0.0 ? 1.0 / d[k] : 0.0;
        for (int i = k + 1; i < n; i++) {
            for (int j = from; j < k; j++)
                A[i * n + k] -= A[i * n + j] * row[j];
            A[i * n + k] *= inverse[k];
        }
    }
}

/* A as a whole. */
static inline void kg_factor_symmetric(int n, double *restrict A, double *restrict inverse, double *restrict work)
{
    kg_factor_ldl(n, A, inverse, work, 0);
}

/* A of parts that may be apart. */
static inline void kg_factor_blocks(int n, double *restrict A, double *restrict inverse, double *restrict work)
{
    kg_factor_ldl(n, A, inverse, work, 1);
}

/* b = A^-1 b for a factored A; a direction without inertia does not accelerate. */
static inline void kg_solve_factored(
    int n, const double *restrict A, const double *restrict inverse, double *restrict b)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            b[i] -= A[i * n + j] * b[j];
    for (int i = 0; i < n; i++)
        b[i] *= inverse[i];
    for (int i = n - 1; i >= 0; i--)
        for (int j = i + 1; j < n; j++)
            b[i] -= A[j * n + i] * b[j];
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
