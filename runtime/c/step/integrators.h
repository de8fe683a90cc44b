/* The integrators: forces -> free velocity -> rows -> solve -> advance. Each makes one step from q, v in place, driven
 * by tau; push: what q is moved by besides, to leave a depth, which is no velocity. Where links turn fast,
 * kick_and_coast is what semi_implicit_euler does. They return 0 if there are more points of contact than the workspace
 * takes, or a lock does not hold. */

#ifndef KINEGEN_STEP_INTEGRATORS_H
#define KINEGEN_STEP_INTEGRATORS_H

#include "../drive/ledger.h"
#include "push.h"
#include "runge_kutta.h"
#if HAS_ROWS
#include "../rows/meet_rows.h"
#endif
#if HAS_LOOPS
#include "branches.h"
#endif
#if HAS_TURNS
#include "coast.h"
#endif

typedef int integrator(const simulation *s, double dt, double *q, double *v, const double *tau, displacement *push);

#if HAS_ROWS
/* The rows that were found, solved for a step of dt from q, v; 0: they cannot be. */
static int solve_found(const simulation *s, double dt, const double *q, const double *v, step_terms *t)
{
    double u[NV];
    complete_factor(s, q, v, t);
    free_velocity(s, dt, v, t, u);
    MODEL(contact_solve)(dt, u, MODEL(contact_options_of)(s), s->contacts, s->workspace);
    return !s->contacts->open;
}

/* The same, and the acceleration a (nv) with the forces of the rows. */
static int accelerate_found(const simulation *s, double dt, const double *q, const double *v, step_terms *t, double *a)
{
    if (!solve_found(s, dt, q, v, t))
        return 0;
    row_acceleration(s, q, t, a);
    return 1;
}

/* The same; stops that did not push before are set aside, and all are solved if that was not right. Where none is left,
 * none acts. */
static int solve_stops(const simulation *s, double dt, const double *q, const double *v, step_terms *t, double *a)
{
    static const double none[NV] = {0.0};
    const long all = s->driving ? 0 : MODEL(contact_set_aside)(MODEL(contact_options_of)(s), s->contacts, s->workspace);
    if (!all)
        return accelerate_found(s, dt, q, v, t, a);
    if (s->contacts->count == 0) {
        free_acceleration(s, q, v, t, a);
        keep_load(s, none);
    } else if (!accelerate_found(s, dt, q, v, t, a)) {
        return 0;
    }
    if (MODEL(contact_bring_back)(dt, v, a, all, s->contacts, s->workspace))
        return 1;
    use_up(t);
    return accelerate_found(s, dt, q, v, t, a);
}

/* What a Runge-Kutta step begins with, from what its rows were solved by. */
static void first_acceleration(const simulation *s, const double *q, step_terms *t, first_stage *first)
{
    row_acceleration(s, q, t, first->a);
#if HAS_LOOPS
    first->quality = t->quality;
#else
    first->quality = 0.0;
#endif
}

/* q moved by push, along what the mechanism allows, where rows lie deeper than they may. After contact_solve. */
static void leave_depth(const simulation *s, double dt, const double *q0, step_terms *t, displacement *push)
{
    if (!MODEL(contact_push)(dt, MODEL(contact_options_of)(s), s->contacts, s->workspace))
        return;
    row_displacement(s, q0, dt, t, push->way);
#if HAS_LOOPS
    shorten_way(s, q0, push->way);
#endif
    if (s->ledger)
        enter_way(s, q0, push->way);
}
#endif

#if HAS_TURNS
/* Energy of the groups less what the rows, with the forces load, took while the mechanism coasted from q0 to q and
 * changed its velocity from v0 to v: their impulse acted before, against a velocity that was not yet there. */
static void take_row_work(double dt, const double *load, const double *q0, const double *q, const double *v0,
    const double *v, invariants *kept)
{
    double turned[NV] = {0.0}, before[GROUPS], after[GROUPS];
    MODEL(held_forces)(q0, q, load, turned);
    sum_groups(load, v0, before);
    sum_groups(turned, v, after);
    for (int i = 0; i < GROUPS; i++)
        kept->energy[i] = kg_max(0.0, kept->energy[i] + kg_min(0.0, 0.5 * dt * (after[i] - before[i])));
}

/* Torques of driven joints where these forces and those of rows, load, give the acceleration a, as if nothing moved. */
KG_COLD static void kick_torques(
    const simulation *s, const double *q, const double *load, step_terms *forces, const double *a)
{
    const double still[NV] = {0.0};
    for (int i = 0; i < NV; i++)
        forces->f[i] += load[i];
    step_torques(s, q, still, forces, 0, a);
}

/* v changed by all forces where the mechanism stands, M (v' - v) = dt forces; load (nv): the forces of the rows, which
 * are solved with the centrifugal forces at v. 0: they cannot be solved. */
static int kick(
    const simulation *s, double dt, const double *q, double *v, const double *tau, double *load, displacement *push)
{
    double a[NV], whole[NV], x[NV] = {0.0};
    step_terms forces;
    begin_servos(s, 0.0, q, v);
#if HAS_ROWS
    step_terms t;
    int found = 0;
    begin_terms(s, dt, q, v, tau, &t);
    if (s->workspace && !find_rows(s, dt, q, v, &t, &found))
        return 0;
    if (found) {
        if (!solve_found(s, dt, q, v, &t))
            return 0;
        MODEL(contact_pull_back)(load, 0, s->workspace);
        keep_load(s, load);
        row_displacement(s, q, dt, &t, x);
        leave_depth(s, dt, q, &t, push);
    }
#else
    (void)load, (void)push;
#endif
    begin_kick(s, dt, q, v, tau, &forces);
    if (s->driving)
        rest_motion(s);
    kick_acceleration(s, q, &forces, a);
    for (int i = 0; i < NV; i++)
        whole[i] = a[i] + x[i] / dt;
    if (s->driving)
        kick_torques(s, q, load, &forces, whole);
    if (s->servos)
        note_servos(s, dt, q, v, whole);
    if (s->ledger)
        enter_step(s, dt, q, v, tau, load, whole);
    for (int i = 0; i < NV; i++)
        v[i] += dt * a[i] + x[i];
    return 1;
}

/* Semi-implicit Euler where links turn fast: the forces change v, then the mechanism coasts for dt. */
static int kick_and_coast(const simulation *s, double dt, double *q, double *v, const double *tau, displacement *push)
{
    double load[NV] = {0.0}, q0[NQ], v0[NV];
#if HAS_BESIDE
    begin_alone(s);
#endif
    if (!kick(s, dt, q, v, tau, load, push))
        return 0;
    memcpy(q0, q, sizeof q0);
    memcpy(v0, v, sizeof v0);
    invariants kept = invariants_of(s, q, v);
    coast(s, dt, q, v);
    move_momentum(q0, q, kept.momentum);
    take_row_work(dt, load, q0, q, v0, v, &kept);
    restore(s, q, &kept, v);
#if HAS_ROWS
    move(s, push, q, v);
#endif
    return 1;
}
#endif

/* Semi-implicit Euler: v' = v + dt a, q' = q moved by dt v'. Where an origin moves with turning axes (free and planar
 * joints), the velocity that is advanced is the one along resting axes: a body that flies free flies straight.
 * Dampers and friction act at v': with D = damping + friction/sqrt(v^2 + slip^2), (M + dt D) a = tau + f(q, v) - bias,
 * so that they take energy at any dt. Springs act at q: their energy neither grows nor decays. */
static int semi_implicit_euler(
    const simulation *s, double dt, double *q, double *v, const double *tau, displacement *push)
{
#if HAS_TURNS
    const double *p = s->p;
    if (dt * KERNEL(turn, 0, v) > BRISK)
        return kick_and_coast(s, dt, q, v, tau, push);
#endif
    step_terms t;
    double a[NV];
    begin_servos(s, dt, q, v);
    begin_terms(s, dt, q, v, tau, &t);
#if HAS_ROWS
    int found = 0;
    if (s->workspace && !find_rows(s, dt, q, v, &t, &found))
        return 0;
    if (found) {
        if (!solve_stops(s, dt, q, v, &t, a))
            return 0;
        if (s->driving)
            step_torques(s, q, v, &t, 1, a);
        if (s->servos)
            note_servos(s, dt, q, v, a);
        if (s->ledger) {
            double load[NV] = {0.0};
            MODEL(contact_pull_back)(load, 0, s->workspace);
            enter_step(s, dt, q, v, tau, load, a);
        }
        leave_depth(s, dt, q, &t, push);
#if HAS_RIMS
        double q0[NQ], v0[NV];
        memcpy(q0, q, sizeof q0);
        memcpy(v0, v, sizeof v0);
#endif
        move_centres(s, dt, v, a);
        MODEL(advance)(dt, a, q, v);
#if HAS_RIMS
        MODEL(contact_roll)(dt, s->contacts, q0, v0, v, q);
#endif
        move(s, push, q, v);
        return 1;
    }
#else
    (void)push;
#endif
    free_acceleration(s, q, v, &t, a);
    if (s->driving)
        step_torques(s, q, v, &t, 0, a);
    if (s->servos)
        note_servos(s, dt, q, v, a);
    if (s->ledger)
        enter_step(s, dt, q, v, tau, 0, a);
    move_centres(s, dt, v, a);
    MODEL(advance)(dt, a, q, v);
    return 1;
}

/* Runge-Kutta 4: impacts before the step, forces of the rows through it [P 4], what they still lack after it. */
static int runge_kutta_4(const simulation *s, double dt, double *q, double *v, const double *tau, displacement *push)
{
    if (s->servos) {
        begin_servos(s, 0.0, q, v);
        note_servos(s, 0.0, q, v, 0);
    }
#if HAS_ROWS
    step_terms t;
    int found = 0;
    if (s->workspace) {
        begin_terms(s, 0.0, q, v, tau, &t);
        if (!find_rows(s, dt, q, v, &t, &found))
            return 0;
    }
    if (found) {
        double load[NV] = {0.0}, g[NV + CUT_V + 1] = {0.0}, q0[NQ], v0[NV];
        first_stage first;
        complete_factor(s, q, v, &t);
        strike(s, dt, q, v, tau, &t, load);
        if (!solve_found(s, dt, q, v, &t))
            return 0;
        MODEL(contact_pull_back)(g, 1, s->workspace);
        MODEL(contact_pull_back)(load, 0, s->workspace);
        if (!s->driving)
            first_acceleration(s, q, &t, &first);
        memcpy(q0, q, sizeof q0);
        memcpy(v0, v, sizeof v0);
        runge_kutta(s, dt, q, v, tau, g, s->driving ? 0 : &first);
        meet_rows(s, dt, q0, v0, &t, q, v, load);
        tell_struck(s);
        keep_load(s, load);
        MODEL(contact_add_impacts)(s->contacts, s->workspace);
        leave_depth(s, dt, q0, &t, push);
        move(s, push, q, v);
        return 1;
    }
#else
    (void)push;
#endif
    runge_kutta(s, dt, q, v, tau, 0, 0);
    return 1;
}

static integrator *const INTEGRATORS[] = {[SEMI_IMPLICIT] = semi_implicit_euler, [RK4] = runge_kutta_4};

#endif
