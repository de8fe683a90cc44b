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
#include "../drive/served_closed.h"
#include "../drive/forces_closed.h"
#include "../rows/spin.h"

/* What a step begins with: joint torques f with springs, dampers, friction and servos, what those add to M when they
 * act at the end of the step (on its diagonal, and, if `pulls`, through the cut joints: the dampers of these d_cut,
 * with all of it as a matrix once `summed`), and where rows act, A, the partition it is made for, the free
 * acceleration, and the quality of the straight-line code that found it, if its formulas are those of the stages: 0 if
 * none did, -1 if that is not known. */
typedef struct {
    double f[NV], d[NV], a[NV], d_cut[CUT_V + 1], through_cut[NV * NV];
    cut_motion cut;
    int implicit, pulls, summed, factored;
    reduced_factor factor;
    partition held;
    double quality;
} step_terms;

/* The dampers of cut joints as what is added to M. */
static void sum_through_cut(step_terms *t)
{
    memset(t->through_cut, 0, sizeof t->through_cut);
#if HAS_CUT_DAMPING
    if (t->implicit)
        add_through_cut(&t->cut, t->d_cut, t->through_cut);
#endif
    t->summed = 1;
}

/* dt 0: dampers, friction and servos act at v, else at the velocity that the step ends with. */
static void begin_terms(
    const simulation *s, double dt, const double *q, const double *v, const double *tau, step_terms *t)
{
    joint_forces(s, q, v, tau, &t->cut, t->f);
    t->implicit = (HAS_DAMPING || HAS_CUT_DAMPING || s->servos) && dt > 0.0;
    t->pulls = t->implicit && (HAS_CUT_DAMPING || serves_cut(s));
    t->summed = t->factored = 0;
    if (t->implicit)
        tree_damping(s->p, dt, v, t->d);
#if HAS_CUT_DAMPING
    if (t->implicit)
        damping_of_cut(s->p, dt, &t->cut, t->d_cut);
#endif
    if (serves_cut(s))
        sum_through_cut(t);
    serve(s, dt, q, v, t->f, t->d, t->through_cut);
}

/* What is added to M. */
static added_inertia added_by(step_terms *t)
{
    if (t->pulls && !t->summed)
        sum_through_cut(t);
    const added_inertia added = {t->implicit ? t->d : 0, t->pulls ? t->through_cut : 0};
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

#if HAS_GOING_ON
/* Acceleration of the step by straight-line code that goes on from a look at the loops. Returns the pivot quality; 0
 * where dampers or servos act through cut joints by more than it takes. */
static double seen_dynamics(const simulation *s, const double *q, const double *v, const step_terms *t, double *a)
{
    static const double none[NV] = {0.0};
    const double *p = s->p, *d = t->implicit ? t->d : none;
    double quality;
    if (t->pulls && (!HAS_PULLED || t->summed))
        return 0.0;
#if HAS_PULLED
    static const double nothing[CUT_V + 1] = {0.0};
    const double *d_cut = t->pulls ? t->d_cut : nothing;
    KERNEL(forward_dynamics_seen, q, v, t->f, d, d_cut, seen_at(p, q, s->memory), a, &quality);
#else
    KERNEL(forward_dynamics_seen, q, v, t->f, d, seen_at(p, q, s->memory), a, &quality);
#endif
    return quality;
}
#endif

/* Acceleration of the step where no row acts. */
static void free_acceleration(const simulation *s, const double *q, const double *v, step_terms *t, double *a)
{
    memory *m = s->memory;
#if HAS_GOING_ON
    if (!s->driving && seen_dynamics(s, q, v, t, a) > TRUSTED)
        return;
#elif HAS_SPECIALISED
    if (!s->driving && !t->pulls && straight_dynamics(s->p, q, v, t->f, t->implicit ? t->d : 0, a) > TRUSTED)
        return;
#endif
    m->pivotings += reduced_dynamics(s->p, q, v, t->f, added_by(t), m->ready, given_of(s), SOFT, &m->partition, a);
}

#if HAS_TURNS
/* Forces of a kick; dampers and friction at the end of a step of dt. */
static void begin_kick(
    const simulation *s, double dt, const double *q, const double *v, const double *tau, step_terms *t)
{
    begin_terms(s, dt, q, v, tau, t);
}

/* Acceleration by these alone, as if nothing moved. */
static void kick_acceleration(const simulation *s, const double *q, step_terms *t, double *a)
{
    const double still[NV] = {0.0};
    free_acceleration(s, q, still, t, a);
}

/* Torques of driven joints at q, v where no force acts, gravity neither. */
KG_COLD static void coast_torques(const simulation *s, const double *q, const double *v)
{
    const double *p = s->p;
    const added_inertia nothing = {0, 0};
    double f[NV], a[NV];
    KERNEL(gravity, q, f);
    closed_acceleration(s, q, v, f, a);
    note_torques(s, q, v, f, nothing, a);
}
#endif

#if HAS_ROWS
#include "../rows/closed_rows.h"
#endif

/* Torques of driven joints in the step, with the forces of the rows if some act. */
KG_COLD static void step_torques(
    const simulation *s, const double *q, const double *v, step_terms *t, int rows, const double *a)
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
KG_COLD static void stage_torques(
    const simulation *s, const double *q, const double *v, const double *tau, const double *a)
{
    const added_inertia nothing = {0, 0};
    cut_motion cut;
    double f[NV];
    joint_forces(s, q, v, tau, &cut, f);
    add_servos(s, q, v, f);
    note_torques(s, q, v, f, nothing, a);
}

static void begin_step(const simulation *s, int pass)
{
    (void)pass;
    memset(s->memory->load, 0, sizeof s->memory->load);
    s->memory->loaded = UNLOADED;
}

#endif
