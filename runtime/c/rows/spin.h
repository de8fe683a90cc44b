/* Gyroscopic forces of bodies that fly by themselves, in the middle of a step. */

#ifndef KINEGEN_ROWS_SPIN_H
#define KINEGEN_ROWS_SPIN_H

#if HAS_SPIN
/* f: the forces of the step, in place; bodies that roll on a rim are also turned by what pressed on it in the last
 * one. dt 0: as they are. */
static void spin_forces(const simulation *s, double dt, const double *q, const double *v, double *f)
{
    const double *p = s->p;
    if (!(dt > 0.0))
        return;
#if HAS_RIMS
    double load[NV] = {0.0};
    if (s->workspace)
        MODEL(contact_load)(s->contacts, q, load);
    for (int i = 0; i < NV; i++)
        f[i] += load[i];
    KERNEL(spin, dt, v, f);
    for (int i = 0; i < NV; i++)
        f[i] -= load[i];
#else
    (void)p, (void)q;
    KERNEL(spin, dt, v, f);
#endif
}
#endif

/* a: acceleration of the step, in place: mass centres of bodies that fly by themselves move as they were given. */
static void move_centres(const simulation *s, double dt, const double *v, double *a)
{
#if HAS_SPIN
    const double *p = s->p;
    (void)p;
    KERNEL(centre, dt, v, a);
#else
    (void)s, (void)dt, (void)v, (void)a;
#endif
}

#endif
