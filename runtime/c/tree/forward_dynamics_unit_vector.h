/* a (NV) of M a = tau - h, M by unit vectors. */

#ifndef KINEGEN_TREE_FORWARD_DYNAMICS_UNIT_VECTOR_H
#define KINEGEN_TREE_FORWARD_DYNAMICS_UNIT_VECTOR_H

#include "solved.h"

static void forward_dynamics_unit_vector(
    const double *p, const double *restrict q, const double *restrict v, const double *restrict tau, double *restrict a)
{
    double M[NV * NV];
    KERNEL(mass_matrix_unit_vector, q, M);
    solved(p, q, v, tau, M, a);
}

#endif
