/* Forces at the joints of a mechanism with loops, but for those of rows. */

#ifndef KINEGEN_DRIVE_FORCES_CLOSED_H
#define KINEGEN_DRIVE_FORCES_CLOSED_H

/* Torques, springs, dampers, friction. */
KG_COLD static void own_forces(const simulation *s, const double *q, const double *v, const double *tau, double *f)
{
    cut_motion cut;
    closed_joint_forces(s->p, q, v, tau, s->memory->cut_q, &cut, f);
}

/* f -= what a step of dt from v with acceleration a takes from dampers and friction at v: they act at its end. */
KG_COLD static void late_damping(
    const simulation *s, double dt, const double *q, const double *v, const double *a, double *f)
{
    double d[NV];
    tree_damping(s->p, dt, v, d);
    for (int i = 0; i < NV; i++)
        f[i] -= d[i] * a[i];
#if HAS_CUT_DAMPING
    const double none[NV + CUT_V + 1] = {0.0};
    double through_cut[NV * NV] = {0.0}, now[NV], d_cut[CUT_V];
    cut_motion cut;
    closed_joint_forces(s->p, q, v, none, s->memory->cut_q, &cut, now);
    damping_of_cut(s->p, dt, &cut, d_cut);
    add_through_cut(&cut, d_cut, through_cut);
    for (int i = 0; i < NV; i++)
        for (int j = 0; j < NV; j++)
            f[i] -= through_cut[i * NV + j] * a[j];
#else
    (void)q;
#endif
}

/* The same and external wrenches. */
static void joint_forces(
    const simulation *s, const double *q, const double *v, const double *tau, cut_motion *cut, double *f)
{
    closed_joint_forces(s->p, q, v, tau, s->memory->cut_q, cut, f);
    if (s->external)
        add_wrenches(s, q, f);
}

#endif
