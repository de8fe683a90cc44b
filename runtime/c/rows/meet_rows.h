/* Impacts before a step of several stages with rows, and its end, as in RATTLE (Andersen, J. Comput. Phys. 52, 1983).
 *
 * Forces of the rows are found for the acceleration that the step begins with and last through it. The other forces
 * change from stage to stage, with them velocities of rows that are to hold: standing feet would creep. So the rows are
 * solved once more where the stages ended, twice: for the velocity there, by impulses that count as forces of the step;
 * and for the way they went, by displacements that are no velocity. That way is measured against the mean of the
 * velocities before and after the step, at which whatever comes to rest, or begins to move, goes. Where nothing but
 * stops of joints and the like act, nothing can creep, and the stages stand as they are. */

#ifndef KINEGEN_ROWS_MEET_ROWS_H
#define KINEGEN_ROWS_MEET_ROWS_H

/* torque (nv): what driven joints exert against impulses of the rows, over dt as torques f, that change v by u. */
KG_COLD static void torques_against(const simulation *s, double dt, const double *q, const step_terms *t,
    const double *u, const double *f, double *torque)
{
    const double *p = s->p;
    double M[NV * NV], r[NV];
    KERNEL(mass_matrix, q, M);
    for (int i = 0; i < NV; i++) {
        r[i] = -f[i];
        for (int j = 0; j < NV; j++)
            r[i] += M[i * NV + j] * u[j] / dt;
    }
    for (long k = 0; k < s->driving->count; k++) {
        const int dof = s->driving->dof[k];
#if HAS_LOOPS
        torque[dof] = led(&t->held, r, dof);
#else
        torque[dof] = r[dof];
        (void)t;
#endif
    }
}

/* The impulses of the rows over dt, at q, change v by x: driven joints exert something against them as well. */
KG_COLD static void drive_against(
    const simulation *s, double dt, const double *q, const step_terms *t, const double *v, const double *x)
{
    double g[NV] = {0.0}, torque[NV] = {0.0}, mean[NV];
    MODEL(contact_pull_back)(g, 0, s->workspace);
    torques_against(s, dt, q, t, x, g, torque);
    for (int i = 0; i < NV; i++)
        mean[i] = v[i] + 0.5 * x[i];
    for (long k = 0; k < s->driving->count; k++)
        s->driving->struck[s->driving->dof[k]] += torque[s->driving->dof[k]];
    if (s->ledger)
        enter_work(dt, torque, mean, s->ledger->step + BY_MOTIONS * NV);
}

/* v after the impacts of a step of dt, and the terms t with it, in place; load (nv) += their impulses over dt as joint
 * torques. */
static void strike(
    const simulation *s, double dt, const double *q, double *v, const double *tau, step_terms *t, double *load)
{
    double u[NV];
    if (!MODEL(contact_strike)(dt, v, MODEL(contact_options_of)(s), s->contacts, s->workspace))
        return;
    row_displacement(s, q, dt, t, u);
    MODEL(contact_pull_back)(load, 0, s->workspace);
    if (s->driving)
        drive_against(s, dt, q, t, v, u);
    if (s->ledger)
        enter_impulse(s, dt, v, u);
    for (int i = 0; i < NV; i++)
        v[i] += u[i];
    terms_after_impact(s, q, v, tau, t);
    MODEL(contact_speeds)(v, s->workspace);
}

/* q, v at the end of a step of dt from q0, v0, in place; load (nv): the forces of the rows as joint torques. */
static void meet_rows(const simulation *s, double dt, const double *q0, const double *v0, step_terms *t, double *q,
    double *v, double *load)
{
    const double *p = s->p;
    double way[NV], back[NV], off[NV], x[NV];
    if (!MODEL(contact_presses)(s->contacts, s->workspace))
        return;
    KERNEL(difference, q0, q, way);
    for (int i = 0; i < NV; i++)
        back[i] = -way[i];
    MODEL(displace)(back, q, v); /* v along axes that rest */
    MODEL(contact_end)(dt, v, MODEL(contact_options_of)(s), s->contacts, s->workspace);
    row_displacement(s, q0, dt, t, x);
    if (HAS_LOOPS)
        MODEL(contact_pull_back)(load, 0, s->workspace);
    if (s->ledger)
        enter_impulse(s, dt, v, x);
    if (s->driving)
        drive_against(s, dt, q0, t, v, x);
    for (int i = 0; i < NV; i++)
        v[i] += x[i];
    memcpy(off, way, sizeof off);
    MODEL(turning)(0.5, way, off);
    for (int i = 0; i < NV; i++)
        off[i] = off[i] / dt - 0.5 * (v0[i] + v[i]);
    MODEL(contact_stay)(dt, off, MODEL(contact_options_of)(s), s->contacts, s->workspace);
    row_displacement(s, q0, dt, t, x);
    for (int i = 0; i < NV; i++) {
        x[i] *= dt;
        way[i] += x[i];
    }
    if (s->ledger)
        enter_way(s, q0, x);
    memcpy(q, q0, NQ * sizeof *q);
    MODEL(displace)(way, q, v);
}

#endif
