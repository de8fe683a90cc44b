/* Dynamics of a tree some of whose joints have a given motion: accelerations of the others, torques of those. */

#ifndef KINEGEN_DRIVE_DRIVEN_TREE_H
#define KINEGEN_DRIVE_DRIVEN_TREE_H

#include "../linear/symmetric.h"
#include "driving.h"

/* M (with damping d dt; null: none) and r = f - bias, the rows of driven joints, if any, telling their acceleration. */
KG_COLD static void driven_system(
    const simulation *s, const double *q, const double *v, const double *f, const double *d, double *M, double *r)
{
    const double *p = s->p;
    KERNEL(mass_matrix, q, M);
    KERNEL(bias, q, v, r);
    for (int i = 0; i < NV; i++) {
        r[i] = f[i] - r[i];
        M[(NV + 1) * i] += d ? d[i] : 0.0;
    }
    for (long k = 0; s->driving && k < s->driving->count; k++)
        kg_give_entry(NV, M, r, s->driving->dof[k], s->driving->a[s->driving->dof[k]]);
}

/* x of M x = r, M given by its lower triangle; M is overwritten. */
KG_COLD static void solve_driven(double *M, const double *r, double *x)
{
    double inverse[NV], work[2 * NV];
    memcpy(x, r, NV * sizeof *x);
    kg_factor_ldl(NV, M, inverse, work);
    kg_solve_factored(NV, M, inverse, x);
}

/* Accelerations where forces are f, d as above. */
KG_COLD static void driven_acceleration(
    const simulation *s, const double *q, const double *v, const double *f, const double *d, double *a)
{
    double M[NV * NV], r[NV];
    driven_system(s, q, v, f, d, M, r);
    solve_driven(M, r, a);
}

/* Torques with which driven joints have acceleration a where all other forces are f; d as above. */
KG_COLD static void note_torques(
    const simulation *s, const double *q, const double *v, const double *f, const double *d, const double *a)
{
    const double *p = s->p;
    const driving *given = s->driving;
    double r[NV];
    KERNEL(inverse_dynamics, q, v, a, r);
    for (long k = 0; k < given->count; k++) {
        const int i = given->dof[k];
        given->out[k] = r[i] + (d ? d[i] * a[i] : 0.0) - f[i];
    }
}

#if HAS_TURNS
/* Torques of driven joints at q, v where no force acts, gravity neither. */
KG_COLD static void coast_torques(const simulation *s, const double *q, const double *v)
{
    const double *p = s->p;
    double f[NV], a[NV];
    KERNEL(gravity, q, f);
    driven_acceleration(s, q, v, f, 0, a);
    note_torques(s, q, v, f, 0, a);
}
#endif

#if HAS_ROWS
/* Driven joints answer no force: their 1/D is 0, and L has no entries for them. */
KG_COLD static void factor_driven(
    const simulation *s, const double *q, const double *v, const double *f, const double *d)
{
    double M[NV * NV], r[NV];
    driven_system(s, q, v, f, d, M, r);
    MODEL(contact_factor)(M, r, s->workspace);
    for (long k = 0; s->driving && k < s->driving->count; k++)
        s->workspace->iD[s->driving->dof[k]] = 0.0;
}

static void put_driven(const simulation *s, double *a)
{
    for (long k = 0; s->driving && k < s->driving->count; k++)
        a[s->driving->dof[k]] = s->driving->a[s->driving->dof[k]];
}
#endif

#endif
