/* a (NV) of M a = tau - h for a mass matrix that is given. The tables factor_row and factor_column of the model, which
 * tell where L of M = L'DL is not zero, stand before it. */

#ifndef KINEGEN_TREE_SOLVED_H
#define KINEGEN_TREE_SOLVED_H

#include "../linear/branch_factor.h"

/* M (NV, NV) is overwritten. */
static inline void solved(const double *p, const double *restrict q, const double *restrict v,
    const double *restrict tau, double *restrict M, double *restrict a)
{
    double iD[NV], L[sizeof factor_column / sizeof *factor_column];
    KERNEL(bias, q, v, a);
    for (int i = 0; i < NV; i++)
        a[i] = tau[i] - a[i];
    kg_factor_branches(NV, factor_row, factor_column, M, iD, L, a);
    for (int i = 0; i < NV; i++)
        a[i] *= iD[i];
    kg_finish_branches(NV, factor_row, factor_column, L, a, a);
}

#endif
