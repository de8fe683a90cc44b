/* Forces at the joints of a tree, but for those of rows. */

#ifndef KINEGEN_DRIVE_FORCES_TREE_H
#define KINEGEN_DRIVE_FORCES_TREE_H

/* Torques, springs, dampers, friction. */
static void own_forces(const simulation *s, const double *q, const double *v, const double *tau, double *f)
{
    const double *p = s->p;
    if (HAS_PASSIVE) {
        KERNEL(passive_forces, q, v, f);
        for (int i = 0; i < NV; i++)
            f[i] += tau[i];
    } else {
        (void)p, (void)q, (void)v;
        memcpy(f, tau, NV * sizeof *f);
    }
}

/* f -= what a step of dt from v with acceleration a takes from dampers and friction at v: they act at its end. */
KG_COLD static void late_damping(
    const simulation *s, double dt, const double *q, const double *v, const double *a, double *f)
{
    const double *p = s->p;
    double d[NV] = {0.0};
    (void)p, (void)q, (void)dt, (void)v;
#if HAS_DAMPING
    KERNEL(damping, dt, v, d);
#endif
    for (int i = 0; i < NV; i++)
        f[i] -= d[i] * a[i];
}

/* The same and external wrenches. */
static void given_forces(const simulation *s, const double *q, const double *v, const double *tau, double *f)
{
    own_forces(s, q, v, tau, f);
    if (s->external)
        add_wrenches(s, q, f);
}

/* The same and servos: those at the end of a step of dt add to d. */
static void joint_forces(
    const simulation *s, double dt, const double *q, const double *v, const double *tau, double *f, double *d)
{
    given_forces(s, q, v, tau, f);
    serve(s, dt, q, v, f, d);
}

#endif
