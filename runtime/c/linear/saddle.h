/* M a - K' y = f, K a = g: M symmetric (n, n), K (m, n) rows none of which follows from the others. Whoever calls gives
 * the room to work in. */

#ifndef KG_LINEAR_SADDLE_H
#define KG_LINEAR_SADDLE_H

#include <string.h>

#include "symmetric.h"

/* M (lower triangle) and K as they are given, M factored in place; Y = M^-1 K' by rows (m, n), S = K M^-1 K' factored
 * (m, m), 1/D of both. */
typedef struct {
    int n, m;
    double *M, *inverse, *K, *Y, *S, *inverse_S;
} kg_saddle;

/* 0 where M or K M^-1 K' is singular; work: as many as n and m have. */
static inline int kg_factor_saddle(const kg_saddle *x, double *work)
{
    const int n = x->n, m = x->m;
    kg_factor_ldl(n, x->M, x->inverse, work);
    for (int i = 0; i < m; i++) {
        double *row = x->Y + i * n;
        memcpy(row, x->K + i * n, (size_t)n * sizeof *row);
        kg_solve_factored(n, x->M, x->inverse, row);
        for (int j = 0; j <= i; j++)
            x->S[i * m + j] = kg_dot(n, x->K + j * n, row);
    }
    kg_factor_ldl(m, x->S, x->inverse_S, work);
    int regular = 1;
    for (int i = 0; i < n; i++)
        regular = regular && x->inverse[i] > 0.0;
    for (int i = 0; i < m; i++)
        regular = regular && x->inverse_S[i] > 0.0;
    return regular;
}

/* a in place of f (n), y in place of g (m): with x = M^-1 f, S y = g - K x, a = x + Y' y. */
static inline void kg_solve_saddle(const kg_saddle *x, double *f, double *g)
{
    kg_solve_factored(x->n, x->M, x->inverse, f);
    for (int i = 0; i < x->m; i++)
        g[i] -= kg_dot(x->n, x->K + i * x->n, f);
    kg_solve_factored(x->m, x->S, x->inverse_S, g);
    for (int i = 0; i < x->m; i++)
        kg_axpy(x->n, g[i], x->Y + i * x->n, f);
}

#endif
