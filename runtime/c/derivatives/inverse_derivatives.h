/* Derivatives of inverse dynamics: dtau/dq on the tangent space, dtau/dv, M. */

#ifndef KINEGEN_DERIVATIVES_INVERSE_H
#define KINEGEN_DERIVATIVES_INVERSE_H

#include "pairs.h"

/* dtau (3, NV, NV). */
static void inverse_derivatives(const double *p, const double *restrict q, const double *restrict v,
    const double *restrict a, double *restrict dtau)
{
    KG_ALIGNED tree_terms t;
    double lift[3 * TREE_AXES], armature[NV];
    KERNEL(derivative_parts, q, t.S[0], lift, armature);
    moving_terms(&t, v);
    forced_terms(&t, v, a, lift);
    answers(&t);
    find_derivatives(&t, ONE_BY_ONE ? 3 : 2, dtau);
    if (ONE_BY_ONE)
        add_armatures(armature, dtau + 2 * NV * NV);
    else
        find_mass_matrix(&t, armature, dtau + 2 * NV * NV);
}

#endif
