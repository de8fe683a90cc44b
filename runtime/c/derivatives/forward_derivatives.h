/* Derivatives of forward dynamics: da/dx = -M^-1 dtau/dx at the acceleration a that tau gives, da/dtau = M^-1. */

#ifndef KINEGEN_DERIVATIVES_FORWARD_H
#define KINEGEN_DERIVATIVES_FORWARD_H

#include "../bodies/columns.h"
#include "factored_derivatives.h"

/* From so many axes on articulated bodies are faster; below, where each step waits for the one before, entries are. */
#ifndef KG_BODIES_FROM
#define KG_BODIES_FROM 24
#endif

enum { BY_BODIES = ONE_BY_ONE && TREE_AXES >= KG_BODIES_FROM };

/* da (3, NV, NV), of the terms under no accelerations. */
static void derivatives_by_bodies(
    tree_terms *t, const double *restrict tau, const double *restrict armature, double *restrict da)
{
    KG_ALIGNED articulated_bodies bodies;
    fill_rows(t, tau, &bodies);
    articulate(t, armature, &bodies);
    find_columns(t, &bodies, armature, da);
}

/* da (3, NV, NV): da/dq on the tangent space, da/dv, da/dtau. */
static void forward_derivatives(const double *p, const double *restrict q, const double *restrict v,
    const double *restrict tau, double *restrict da)
{
    KG_ALIGNED tree_terms t;
    double lift[3 * TREE_AXES], armature[NV];
    KERNEL(derivative_parts, q, t.S[0], lift, armature);
    moving_terms(&t, v);
    forced_terms(&t, v, 0, lift);
    if (BY_BODIES)
        derivatives_by_bodies(&t, tau, armature, da);
    else
        factored_derivatives(&t, tau, armature, da);
}

#endif
