/* a (NV) of M a = tau - h, M by composite inertias. */

#ifndef KINEGEN_TREE_FORWARD_DYNAMICS_LTDL_H
#define KINEGEN_TREE_FORWARD_DYNAMICS_LTDL_H

#include "solved.h"

static void forward_dynamics_ltdl(
    const double *p, const double *restrict q, const double *restrict v, const double *restrict tau, double *restrict a)
{
    double M[NV * NV];
    KERNEL(mass_matrix, q, M);
    solved(p, q, v, tau, M, a);
}

#endif
