/* Mechanisms with loops some of whose joints have a given motion: these lead (their readiness is 0), W' r = 0 for the
 * others, and what is left of W' r for them is their torque. */

#ifndef KINEGEN_DRIVE_DRIVEN_CLOSED_H
#define KINEGEN_DRIVE_DRIVEN_CLOSED_H

#include "driving.h"

/* Part of the velocity that a loop may be off by for all that it is driven. */
#define FOLLOWED (1e-8 + 1e3 * MISFIT / UNIT_LENGTH)

/* Accelerations (nv) of driven joints, null where there are none. */
static const double *given_of(const simulation *s)
{
    return s->driving ? s->driving->a : 0;
}

/* Entry of W' r at an independent velocity. */
static double led(const partition *held, const double *r, int dof)
{
    const int m = held->rank, n = NV - m;
    double sum = r[dof];
    for (int j = 0; j < n; j++)
        for (int k = 0; k < m && held->columns[m + j] == dof; k++)
            sum += held->H[k * n + j] * r[held->columns[k]];
    return sum;
}

/* Torques with which driven joints have acceleration a where all other forces are f, and this is added to M. */
KG_COLD static void note_torques(
    const simulation *s, const double *q, const double *v, const double *f, added_inertia added, const double *a)
{
    const double *p = s->p;
    double r[NV];
    KERNEL(inverse_dynamics, q, v, a, r);
    for (int i = 0; i < NV; i++) {
        r[i] += (added.diagonal ? added.diagonal[i] * a[i] : 0.0) - f[i];
        for (int j = 0; added.full && j < NV; j++)
            r[i] += added.full[i * NV + j] * a[j];
    }
    for (long k = 0; k < s->driving->count; k++)
        s->driving->out[k] = led(&s->memory->partition, r, s->driving->dof[k]);
}

/* r = M a + h - f less the torques of driven joints. */
static inline void take_driving_torques(const simulation *s, double *r)
{
    double torque[NV];
    for (long k = 0; s->driving && k < s->driving->count; k++)
        torque[k] = led(&s->memory->partition, r, s->driving->dof[k]);
    for (long k = 0; s->driving && k < s->driving->count; k++)
        r[s->driving->dof[k]] -= torque[k];
}

/* 1 if the loops let the velocities v be, all rows asked; else 0 and d->stuck is 1 + a driven entry in the way. */
KG_COLD static int follows(const simulation *s, const double *q, const double *v)
{
    const double *p = s->p;
    driving *d = s->driving;
    double K[6 * LOOPS * NV], fastest = 0.0, worst = 0.0;
    int row[ROWS], at = -1;
    const int rows = active_rows(p, row);
    KERNEL(closure_rows, q, K);
    for (int j = 0; j < NV; j++)
        fastest = kg_max(fastest, fabs(v[j]) / unit[j]);
    for (int i = 0; i < rows; i++) {
        double sum = 0.0;
        for (int j = 0; j < NV; j++)
            sum += row_scale[row[i]] * K[row_of[row[i]] * NV + j] * v[j];
        if (!(fabs(sum) <= worst)) {
            worst = fabs(sum);
            at = row_of[row[i]];
        }
    }
    if (worst <= FOLLOWED * fastest + 1e-12)
        return 1;
    worst = -1.0;
    for (long k = 0; k < d->count; k++)
        if (fabs(K[at * NV + d->dof[k]] * v[d->dof[k]]) > worst) {
            worst = fabs(K[at * NV + d->dof[k]] * v[d->dof[k]]);
            d->stuck = k + 1;
        }
    return 0;
}

#endif
