/* Dynamics of a mechanism with loops for the time step: unconstrained stages on the closure's accelerations, then back
 * on the closure. The other provider of the same functions is tree.h. */

#ifndef KINEGEN_STEP_CLOSED_H
#define KINEGEN_STEP_CLOSED_H

#include "../closure/closing.h"
#include "../closure/cut_joints.h"
#include "../closure/motion_memory.h"

typedef MODEL(simulation) simulation;

/* What a step begins with: joint torques f with springs, dampers and friction, what dampers and friction add to M when
 * they act at the end of the step, and where rows act, A, the partition it is made for, and the free acceleration. */
typedef struct {
    double f[NV], extra[NV * NV], a[NV];
    int implicit;
    reduced_factor factor;
    partition held;
} step_terms;

/* dt 0: dampers and friction act at v, else at the velocity that the step ends with. */
static void begin_terms(
    const simulation *s, double dt, const double *q, const double *v, const double *tau, step_terms *t)
{
    cut_motion cut;
    closed_joint_forces(s->p, q, v, tau, s->memory->cut_q, &cut, t->f);
    t->implicit = (HAS_DAMPING || HAS_CUT_DAMPING) && dt > 0.0;
    if (t->implicit)
        damping_matrix(s->p, dt, v, &cut, t->extra);
}

/* Acceleration under joint torques f: straight-line code where its partition serves. */
static void closed_acceleration(const simulation *s, const double *q, const double *v, const double *f, double *a)
{
    const double *p = s->p;
#if HAS_SPECIALISED
    double quality; /* smallest pivot over largest */
    KERNEL(forward_dynamics_specialised, q, v, f, a, &quality);
    if (quality > TRUSTED)
        return;
#endif
    memory *m = s->memory;
    m->pivotings += reduced_dynamics(p, q, v, f, 0, m->ready, SOFT, &m->partition, a);
}

/* Acceleration of the step where no row acts. */
static void free_acceleration(
    const simulation *s, const double *q, const double *v, const double *tau, step_terms *t, double *a)
{
    memory *m = s->memory;
    (void)tau;
    if (t->implicit)
        m->pivotings += reduced_dynamics(s->p, q, v, t->f, t->extra, m->ready, SOFT, &m->partition, a);
    else
        closed_acceleration(s, q, v, t->f, a);
}

#if HAS_TURNS
/* Acceleration by the forces alone, as if nothing moved; dampers and friction at the end of a step of dt. */
static void kick_acceleration(
    const simulation *s, double dt, const double *q, const double *v, const double *tau, double *a)
{
    const double still[NV] = {0.0};
    step_terms t;
    begin_terms(s, dt, q, v, tau, &t);
    free_acceleration(s, q, still, tau, &t, a);
}
#endif

#if HAS_ROWS
/* A of the step, how it answers forces, and the free acceleration. */
static void factor_terms(const simulation *s, const double *q, const double *v, step_terms *t)
{
    memory *m = s->memory;
    const double *extra = t->implicit ? t->extra : 0;
    m->pivotings += factored_dynamics(s->p, q, v, t->f, extra, m->ready, SOFT, &m->partition, &t->factor, t->a);
    t->held = m->partition; /* later stages may need another one */
    MODEL(contact_factor)(NV - t->held.rank, t->held.columns, t->held.H, t->factor.A, t->factor.inverse, s->workspace);
}

/* 1 and *found, the rows there may be in this step; 0 if there are more than the workspace takes. */
static int find_rows(const simulation *s, double dt, const double *q, const double *v, step_terms *t, int *found)
{
#if HAS_CUT_LIMITS
    cut_motion cut;
    double q_all[NQ + CUT_Q], v_all[NV + CUT_V];
    memcpy(q_all, q, NQ * sizeof *q);
    memcpy(v_all, v, NV * sizeof *v);
    read_cut(s->p, q, v, s->memory->cut_q, q_all + NQ, &cut);
    memcpy(v_all + NV, cut.v, CUT_V * sizeof *cut.v);
    if (!MODEL(contact_find)(dt, s, q_all, v_all, cut.C))
        return 0;
#else
    if (!MODEL(contact_find)(dt, s, q, v, 0))
        return 0;
#endif
    *found = s->contacts->count > 0;
    if (*found)
        factor_terms(s, q, v, t);
    return 1;
}

/* Velocity at the end of a step of dt without rows, along axes that rest. */
static void free_velocity(double dt, const double *v, const step_terms *t, double *u)
{
    for (int i = 0; i < NV; i++)
        u[i] = v[i] + dt * t->a[i];
    MODEL(turning)(dt, v, u);
}

/* The forces of the rows as joint torques stay known: constraint forces are asked for later. */
static void keep_load(const simulation *s, const double *g)
{
    memcpy(s->memory->load, g, sizeof s->memory->load);
    s->memory->loaded = 1;
}

/* x (nv) = scale W A^-1 W' J' times the wrenches of the rows. */
static void row_displacement(const simulation *s, const double *q, double scale, step_terms *t, double *x)
{
    double g[NV] = {0.0};
    (void)q;
    MODEL(contact_pull_back)(g, 0, s->workspace);
    respond(&t->held, &t->factor, g, x);
    for (int i = 0; i < NV; i++)
        x[i] *= scale;
}

/* Before momentum_of and momentum_response: M at q. */
static void momentum_terms(const simulation *s, const double *q)
{
    const double *p = s->p;
    KERNEL(mass_matrix, q, s->workspace->M);
}

/* h = M v. */
static void momentum_of(const simulation *s, const double *v, double *h)
{
    for (int i = 0; i < NV; i++) {
        h[i] = 0.0;
        for (int j = 0; j < NV; j++)
            h[i] += s->workspace->M[i * NV + j] * v[j];
    }
}

/* x = W A^-1 W' g. */
static void momentum_response(const simulation *s, const double *q, const double *g, double *x)
{
    const partition *held = &s->memory->partition;
    double T[NV * NV];
    reduced_factor f;
    (void)q;
    reduce_inertia(held, s->workspace->M, T, f.A);
    factor_reduced(NV - held->rank, f.A, f.inverse);
    respond(held, &f, g, x);
}

/* Acceleration with the forces of the rows. */
static void row_acceleration(const simulation *s, const double *q, step_terms *t, double *a)
{
    double g[NV] = {0.0};
    (void)q;
    MODEL(contact_pull_back)(g, 0, s->workspace);
    keep_load(s, g);
    respond(&t->held, &t->factor, g, a);
    for (int i = 0; i < NV; i++)
        a[i] += t->a[i];
}

/* The free acceleration again after impacts that changed v. */
static void terms_after_impact(const simulation *s, const double *q, const double *v, const double *tau, step_terms *t)
{
    cut_motion cut;
    double f[NV];
    closed_joint_forces(s->p, q, v, tau, s->memory->cut_q, &cut, f);
    closed_acceleration(s, q, v, f, t->a);
}
#endif

static void begin_step(const simulation *s)
{
    memset(s->memory->load, 0, sizeof s->memory->load);
    s->memory->loaded = 0;
}

/* How fast the step was: the largest velocity of its ends times dt, and the push, in units of the loops. */
static double fastest_of(double dt, const double *v0, const double *v, const double *push)
{
    double fastest = 0.0;
    for (int i = 0; i < NV; i++) {
        fastest = fmax(fastest, fabs(push[i]) / unit[i]);
        fastest = fmax(fastest, dt * fmax(fabs(v0[i]), fabs(v[i])) / unit[i]);
    }
    return fastest;
}

static double largest_of(const double *x)
{
    double largest = 0.0;
    for (int i = 0; i < NV; i++)
        largest = fmax(largest, fabs(x[i]) / unit[i]);
    return largest;
}

/* A gap of g hides g/ratio of q, and turns H by g/ratio^2: near a singularity q is closed to rounding, in place, and H
 * follows. */
static void polish(const double *p, double *q, partition *held)
{
    double K[6 * LOOPS * NV];
    close_dependent(p, q, held, 0.0);
    KERNEL(closure_rows, q, K);
    partition_fixed(K, 0, held, 0);
}

/* Back on the closure after a step from q0, v0. Near a singularity, when constraints come back that were lost there,
 * and when the closure undoes most of the step (a motion that K allows and the loop does not: blocked), the velocity
 * is the one that the coordinates really had, then the next on the closure in the metric of M. push (nv): what q was
 * moved by besides, which is no velocity. Returns the gap left. */
static double close_step(
    const simulation *s, double dt, const double *q0, const double *v0, double *q, double *v, const double *push)
{
    const double *p = s->p;
    memory *m = s->memory;
    const int rank = m->partition.rank;
    double freely[NQ], lost[NV], moved[NV];
    memcpy(freely, q, sizeof freely);
    const double gap = close_gap(p, q, m->ready, &m->partition);
    m->pivotings += MODEL(partition_closure)(p, q, m->ready, &m->partition);
    if (m->partition.ratio < SINGULAR)
        polish(p, q, &m->partition);
    const int singular = m->partition.ratio < SINGULAR || m->partition.rank < m->full_rank;
    KERNEL(difference, freely, q, lost);
    const double most = fmax(0.0, largest_of(lost) - MARGIN * MISFIT), fastest = fastest_of(dt, v0, v, push);
    m->blocked = most > 0.5 * fastest && fastest > CLOSED;
    if (!singular && !m->blocked && m->partition.rank == rank) {
        follow(&m->partition, v);
        return gap;
    }
    if (most > 0.1 * fastest) {
        KERNEL(difference, q0, q, moved);
        for (int i = 0; i < NV; i++)
            moved[i] -= push[i];
        /* The closed configuration may be a turn away: no faster than the step was. */
        const double farthest = largest_of(moved);
        for (int i = 0; i < NV; i++)
            v[i] = moved[i] / dt * (farthest > fastest ? fastest / farthest : 1.0);
    }
    shed(p, q, &m->partition, v);
    return gap;
}

/* 0 if the step leaves a loop open or a state that is not finite. */
static int settle(const simulation *s, double dt, const double *q0, const double *v0, double *q, double *v,
    const double *push, long number)
{
    const double *p = s->p;
    memory *m = s->memory;
    const double gap = close_step(s, dt, q0, v0, q, v, push);
    if (MODEL(first_non_finite)(NQ, q) >= 0 || MODEL(first_non_finite)(NV, v) >= 0)
        return 0;
    if (!(gap <= ALLOWED)) {
        m->open = 1;
        m->gap = gap;
        return 0;
    }
    account(number, gap, m);
    if (HAS_CUT_FORCES || HAS_CUT_LIMITS) {
        double q_cut[CUT_Q + 1];
        KERNEL(loop_coordinates, q, q_cut);
        unwind(m->cut_q, q_cut);
        memcpy(m->cut_q, q_cut, CUT_Q * sizeof *q_cut);
    }
    return 1;
}

#endif
