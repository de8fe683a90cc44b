/* Dynamics of a mechanism with loops for the time step: unconstrained stages on the closure's accelerations, then back
 * on the closure. The other provider of the same functions is tree.h. */

#ifndef KINEGEN_STEP_CLOSED_H
#define KINEGEN_STEP_CLOSED_H

#include "../closure/closing.h"
#include "../closure/cut_joints.h"
#include "../closure/motion_memory.h"
#include "../closure/straight_closing.h"

typedef MODEL(simulation) simulation;

#include "../drive/external.h"
#include "../drive/driven_closed.h"
#include "../drive/servos.h"
#include "../drive/forces_closed.h"

/* What a step begins with: joint torques f with springs, dampers and friction, what dampers and friction add to M when
 * they act at the end of the step (on its diagonal, and through the cut joints), and where rows act, A, the partition
 * it is made for, the free acceleration, and the quality of the straight-line code that found it, if its formulas are
 * those of the stages: 0 if none did, -1 if that is not known. */
typedef struct {
    double f[NV], d[NV], a[NV];
#if HAS_CUT_DAMPING
    double through_cut[NV * NV];
#endif
    int implicit;
    reduced_factor factor;
    partition held;
    double quality;
} step_terms;

/* dt 0: dampers and friction act at v, else at the velocity that the step ends with. */
static void begin_terms(
    const simulation *s, double dt, const double *q, const double *v, const double *tau, step_terms *t)
{
    cut_motion cut;
    joint_forces(s, q, v, tau, &cut, t->f);
    t->implicit = (HAS_DAMPING || HAS_CUT_DAMPING || s->servos) && dt > 0.0;
    if (t->implicit)
        tree_damping(s->p, dt, v, t->d);
    add_servos(s, dt, q, v, t->f, t->d);
#if HAS_CUT_DAMPING
    if (t->implicit)
        damping_through_cut(s->p, dt, &cut, t->through_cut);
#endif
}

/* What is added to M. */
static added_inertia added_by(const step_terms *t)
{
    added_inertia added = {t->implicit ? t->d : 0, 0};
#if HAS_CUT_DAMPING
    if (t->implicit)
        added.full = t->through_cut;
#endif
    return added;
}

/* Acceleration under joint torques f: straight-line code where its partition serves. */
static void closed_acceleration(const simulation *s, const double *q, const double *v, const double *f, double *a)
{
    const double *p = s->p;
#if HAS_SPECIALISED
    if (!s->driving && straight_dynamics(p, q, v, f, 0, a) > TRUSTED)
        return;
#endif
    memory *m = s->memory;
    const added_inertia nothing = {0, 0};
    m->pivotings += reduced_dynamics(p, q, v, f, nothing, m->ready, given_of(s), SOFT, &m->partition, a);
}

/* Acceleration of the step where no row acts. */
static void free_acceleration(
    const simulation *s, const double *q, const double *v, const double *tau, step_terms *t, double *a)
{
    memory *m = s->memory;
    (void)tau;
#if HAS_SPECIALISED && !HAS_CUT_DAMPING
    if (!s->driving && straight_dynamics(s->p, q, v, t->f, t->implicit ? t->d : 0, a) > TRUSTED)
        return;
#endif
    m->pivotings += reduced_dynamics(s->p, q, v, t->f, added_by(t), m->ready, given_of(s), SOFT, &m->partition, a);
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
#if HAS_FACTORED
/* H and A of the step and the free acceleration by straight-line code; 0 where it does not serve. */
static int factor_straight(const simulation *s, const double *q, const double *v, step_terms *t)
{
    const double *p = s->p;
    partition *held = &s->memory->partition;
    double quality;
    if (s->driving || !serves(s->memory->ready, held))
        return 0;
    held->known = held->inverted = 0;
    held->sparse = !own_is_dense();
#if HAS_DIAGONAL
    static const double none[NV] = {0.0};
    KERNEL(forward_dynamics_factored, q, v, t->f, t->implicit ? t->d : none, t->a, &quality, held->H, t->factor.A,
        t->factor.inverse);
#else
    KERNEL(forward_dynamics_factored, q, v, t->f, t->a, &quality, held->H, t->factor.A, t->factor.inverse);
#endif
    memcpy(held->columns, own_columns, sizeof own_columns);
    memcpy(held->rows, own_rows, sizeof own_rows);
    t->quality = HAS_FACTORED_ALIKE ? quality : -1.0;
    return quality > TRUSTED;
}
#endif

/* A of the step, how it answers forces, and the free acceleration. */
static void factor_terms(const simulation *s, const double *q, const double *v, step_terms *t)
{
    memory *m = s->memory;
#if HAS_FACTORED
    const int straight = factor_straight(s, q, v, t);
#else
    const int straight = 0;
#endif
    double c[SIDE];
    if (!straight)
        m->pivotings += partition_at(s->p, q, v, m->ready, SOFT, &m->partition, c);
    keep_partition(&m->partition, &t->held); /* later stages may need another one */
    if (!straight) {
        t->quality = 0.0;
        core_first(s->p, &t->held);
        solve_dynamics(s->p, q, v, t->f, added_by(t), m->ready, given_of(s), &t->held, c, &t->factor, t->a);
    }
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
static void free_velocity(const simulation *s, double dt, const double *v, const step_terms *t, double *u)
{
    (void)s;
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

/* x (nv) = W A^-1 W' J' times the wrenches of the rows. */
static void answer_rows(const simulation *s, const step_terms *t, double *x)
{
    double x_G[NV];
    MODEL(contact_answer)(x_G, s->workspace);
    spread(&t->held, x_G, 0, x);
}

/* The same times scale. */
static void row_displacement(const simulation *s, const double *q, double scale, step_terms *t, double *x)
{
    (void)q;
    answer_rows(s, t, x);
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
    reduced_factor f;
    (void)q;
    reduce_inertia(held, s->workspace->M, f.A);
    memset(x, 0, NV * sizeof *x);
    give(held, s->memory->ready, 0, f.A, x);
    factor_reduced(NV - held->rank, f.A, f.inverse);
    hold_given(held, s->memory->ready, f.inverse);
    respond(held, &f, g, x);
}

/* Acceleration with the forces of the rows. */
static void row_acceleration(const simulation *s, const double *q, step_terms *t, double *a)
{
    double g[NV] = {0.0};
    (void)q;
    MODEL(contact_pull_back)(g, 0, s->workspace);
    keep_load(s, g);
    answer_rows(s, t, a);
    for (int i = 0; i < NV; i++)
        a[i] += t->a[i];
}

/* The free acceleration again after impacts that changed v. */
static void terms_after_impact(const simulation *s, const double *q, const double *v, const double *tau, step_terms *t)
{
    cut_motion cut;
    double f[NV];
    joint_forces(s, q, v, tau, &cut, f);
    add_servos(s, 0.0, q, v, f, 0);
    closed_acceleration(s, q, v, f, t->a);
    t->quality = -1.0;
}

/* What impacts that change v by u ask of driven joints in a step of dt. */
static void struck_torques(const simulation *s, double dt, const double *q, const double *u)
{
    double f[NV] = {0.0};
    if (!s->driving)
        return;
    MODEL(contact_pull_back)(f, 0, s->workspace);
    note_impact(s, dt, q, u, f);
}
#endif

/* Torques of driven joints in the step, with the forces of the rows if some act. */
SELDOM static void step_torques(
    const simulation *s, const double *q, const double *v, const step_terms *t, int rows, const double *a)
{
    double f[NV];
    memcpy(f, t->f, sizeof f);
#if HAS_ROWS
    if (rows)
        MODEL(contact_pull_back)(f, 0, s->workspace);
#else
    (void)rows;
#endif
    note_torques(s, q, v, f, added_by(t), a);
}

/* The same at a stage, under torques tau. */
SELDOM static void stage_torques(
    const simulation *s, const double *q, const double *v, const double *tau, const double *a)
{
    const added_inertia nothing = {0, 0};
    cut_motion cut;
    double f[NV];
    joint_forces(s, q, v, tau, &cut, f);
    add_servos(s, 0.0, q, v, f, 0);
    note_torques(s, q, v, f, nothing, a);
}

static void begin_step(const simulation *s)
{
    memset(s->memory->load, 0, sizeof s->memory->load);
    s->memory->loaded = 0;
}

#endif
