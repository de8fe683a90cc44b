/* Symmetric matrices B >= 0 whose rows may depend on each other. */

#ifndef KG_LINEAR_SEMIDEFINITE_H
#define KG_LINEAR_SEMIDEFINITE_H

#include <string.h>

/* B x = b for symmetric B >= 0 (n, n), which is overwritten; x is returned in b, zero along rows that depend on others.
 * Cholesky with diagonal pivoting; a row depends on others if no more than `dependent` of its diagonal is left.
 * work (2 n), order (n). Returns the rank. */
static inline int kg_solve_semidefinite(
    int n, double *restrict B, double *restrict b, double dependent, double *restrict work, int *restrict order)
{
    double *restrict scale = work, *restrict x = work + n;
    int rank = 0;
    for (int i = 0; i < n; i++) {
        scale[i] = B[i * n + i];
        order[i] = i;
    }
    for (; rank < n; rank++) {
        const int k = rank;
        int at = k;
        double best = 0.0;
        for (int i = k; i < n; i++) {
            const int o = order[i];
            const double left = scale[o] > 0.0 ? B[o * n + o] / scale[o] : 0.0;
            if (left > best) {
                best = left;
                at = i;
            }
        }
        if (!(best > dependent))
            break;
        const int o = order[at];
        order[at] = order[k];
        order[k] = o;
        const double inverse = 1.0 / B[o * n + o];
        for (int i = k + 1; i < n; i++) {
            const int r = order[i];
            const double factor = B[r * n + o] * inverse;
            for (int j = k + 1; j < n; j++)
                B[r * n + order[j]] -= factor * B[o * n + order[j]];
            B[r * n + o] = factor;
            b[r] -= factor * b[o];
        }
    }
    for (int i = 0; i < n; i++)
        x[i] = 0.0;
    for (int k = rank - 1; k >= 0; k--) {
        const int o = order[k];
        double sum = b[o];
        for (int j = k + 1; j < rank; j++)
            sum -= B[o * n + order[j]] * x[order[j]];
        x[o] = sum / B[o * n + o];
    }
    memcpy(b, x, (size_t)n * sizeof *b);
    return rank;
}

#endif
