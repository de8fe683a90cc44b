/* a (NV) of (M + diag d) a = tau - h. */

#ifndef KINEGEN_TREE_FORWARD_DYNAMICS_DAMPED_H
#define KINEGEN_TREE_FORWARD_DYNAMICS_DAMPED_H

#include "solved.h"

static void forward_dynamics_damped(const double *p, const double *restrict q, const double *restrict v,
    const double *restrict tau, const double *restrict d, double *restrict a)
{
    double M[NV * NV];
    KERNEL(mass_matrix, q, M);
    for (int i = 0; i < NV; i++)
        M[(NV + 1) * i] += d[i];
    solved(p, q, v, tau, M, a);
}

#endif
