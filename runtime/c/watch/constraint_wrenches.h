/* What active loops carry. */

#ifndef KINEGEN_WATCH_CONSTRAINT_WRENCHES_H
#define KINEGEN_WATCH_CONSTRAINT_WRENCHES_H

#include "../closure/switching.h"

/* wrench (6 a loop) += what acts along the velocities of active loops' joints, load (cut dofs). */
static void add_efforts(const double *p, const double *q, const double *load, double *wrench)
{
    double A[36] = {0.0};
    int first = 0;
    for (int i = 0; i < CUT_V; i++) {
        const int l = cut_loop[i];
        if (!is_active(p, l))
            continue;
        if (i == 0 || cut_loop[i - 1] != l) {
            first = i;
            loop_effort(l, p, q, A);
        }
        kg_axpy(6, load[i], A + 6 * (i - first), wrench + 6 * l);
    }
}

#if HAS_ROWS
/* The same, times scale, of rows that act just now, without impacts: in joints that rest on their limits, and with
 * shapes 1 between shapes that touch. */
static void load_now(const simulation *s, long shapes, double scale, const double *q, const double *v,
    const double *tau, double *g, double *load)
{
    simulation still = *s;
    MODEL(contacts) *c = still.contacts = &s->workspace->now;
    const double dt = kg_max(s->dt, s->whole);
    step_terms t;
    double u[NV], x[NV], now[NV] = {0.0};
    int found = 0;
    still.integrator = RK4; /* which tells impacts from the other forces */
    still.shapes = shapes;
    MODEL(contact_copy)(s->contacts, c);
    begin_terms(&still, 0.0, q, v, tau, &t);
    if (!find_rows(&still, dt, q, v, &t, &found) || !found)
        return;
    memcpy(u, v, sizeof u);
    complete_factor(&still, q, v, &t);
    if (MODEL(contact_strike)(dt, u, MODEL(contact_options_of)(s), c, s->workspace)) {
        row_displacement(&still, q, dt, &t, x);
        for (int i = 0; i < NV; i++)
            u[i] += x[i];
        terms_after_impact(&still, q, u, tau, &t);
        MODEL(contact_speeds)(u, s->workspace);
    }
    free_velocity(&still, dt, u, &t, x);
    MODEL(contact_solve)(dt, x, MODEL(contact_options_of)(s), c, s->workspace);
    if (c->open)
        return;
    MODEL(contact_pull_back)(now, 0, s->workspace);
    kg_axpy(NV, scale, now, g);
    MODEL(contact_stops)(c, scale, load);
}
#endif

/* Forces of rows as joint torques g (nv), load (cut dofs) += those of stops of cut joints: means over the step,
 * impulses over its length included. What is not told of the step, or where none acted in it, counts as what acts just
 * now. */
static void row_load(const simulation *s, const double *q, const double *v, const double *tau, double *g, double *load)
{
    const memory *m = s->memory;
    memcpy(g, m->passed, NV * sizeof *g);
    kg_axpy(NV, m->share, m->load, g);
    kg_axpy(CUT_V, 1.0, m->passed + NV, load);
#if HAS_ROWS
    const double rest = untold(m);
    if (!s->workspace)
        return;
    if (m->loaded == LOADED)
        MODEL(contact_stops)(s->contacts, m->share, load);
    if (rest > 0.0)
        load_now(s, s->shapes, rest, q, v, tau, g, load);
    else if (m->loaded == UNLOADED && s->limits)
        load_now(s, 0, m->share, q, v, tau, g, load);
#else
    (void)q, (void)v, (void)tau;
#endif
}

/* f (nv) = M a + h - tau, without what driven joints take; own: load along the velocities of loops' joints. */
static void unbalanced_forces(
    const simulation *s, const double *q, const double *v, const double *tau, double *f, double *own)
{
    const double *p = s->p;
    const added_inertia nothing = {0, 0};
    memory *m = s->memory;
    double M[NV * NV], h[NV], a[NV];
    cut_motion cut;
    joint_forces(s, q, v, tau, &cut, f);
    add_servos(s, q, v, f);
    cut_load(p, q, v, tau, m->cut_q, &cut, own);
    add_cut_served(s, q, v, own);
    row_load(s, q, v, tau, a, own);
    for (int i = 0; i < NV; i++)
        f[i] += a[i];
    reduced_dynamics(p, q, v, f, nothing, m->ready, given_of(s), SOFT, &m->partition, a);
    MODEL(mass_matrix)(p, q, M);
    MODEL(bias)(p, q, v, h);
    for (int i = 0; i < NV; i++) {
        f[i] = h[i] - f[i];
        for (int j = 0; j < NV; j++)
            f[i] += M[i * NV + j] * a[j];
    }
    take_driving_torques(s, f);
}

/* [force; moment] on the child of each active loop at its joint's frame, world axes (6 a loop): K' f = M a + h - tau
 * (tau: those of driven joints too), the smallest f where loops share a load, and what acts along the joint's own
 * velocities. Rows press as row_load tells. With K = C R, R of independent rows, C' f is what stands where R has its
 * pivots, however near to a singular configuration. */
void MODEL(constraint_wrenches)(
    const simulation *s, const double *q, const double *v, const double *tau, double *wrench)
{
    const double *p = s->p;
    double f[NV], own[CUT_V + 1], every[NV], J[ROWS * NV], phi[RANK_ROOM];
    int joins[LOOPS], row[ROWS], place[NV];
    elimination e;
    partition none;
    memset(wrench, 0, 6 * LOOPS * sizeof *wrench);
    unbalanced_forces(s, q, v, tau, f, own);
    memset(&none, 0, sizeof none);
    for (int i = 0; i < NV; i++) {
        none.columns[i] = place[i] = i;
        every[i] = 1.0;
    }
    for (int l = 0; l < LOOPS; l++)
        joins[l] = is_active(p, l);
    const int rank = joining_rows(p, joins, q, every, &none, J, row, &e);
    for (int k = 0; k < rank; k++)
        phi[k] = -f[e.column[k]] * unit[e.column[k]];
    share_impulse(rank, &e, row, place, J, phi, wrench);
    for (int l = 0; l < LOOPS; l++)
        if (joins[l])
            to_world(l, p, q, wrench + 6 * l);
    add_efforts(p, q, own, wrench);
}

#endif
