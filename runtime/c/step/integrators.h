/* The integrators: forces -> free velocity -> rows -> solve -> advance. Each makes one step from q, v in place, driven
 * by tau; push (2 nv): what q is moved by besides, to leave a depth, which is no velocity, and what that must keep.
 * They return 0 if there are more points of contact than the workspace takes, or a lock does not hold. */

#ifndef KINEGEN_STEP_INTEGRATORS_H
#define KINEGEN_STEP_INTEGRATORS_H

#include "push.h"
#include "runge_kutta.h"
#if HAS_LOOPS
#include "branches.h"
#endif

typedef int integrator(const simulation *s, double dt, double *q, double *v, const double *tau, double *push);

#if HAS_ROWS
/* q moved by push, along what the mechanism allows, where rows lie deeper than they may. After contact_solve. */
static void leave_depth(const simulation *s, double dt, const double *q0, step_terms *t, double *push)
{
    if (MODEL(contact_push)(dt, s->options, s->contacts, s->workspace))
        row_displacement(s, q0, dt, t, push);
}
#endif

/* Semi-implicit Euler: v' = v + dt a, q' = q moved by dt v'. Where an origin moves with turning axes (free and planar
 * joints), the velocity that is advanced is the one along resting axes: a body that flies free flies straight.
 * Dampers and friction act at v': with D = damping + friction/sqrt(v^2 + slip^2), (M + dt D) a = tau + f(q, v) - bias,
 * so that they take energy at any dt. Springs act at q: their energy neither grows nor decays. */
static int semi_implicit_euler(const simulation *s, double dt, double *q, double *v, const double *tau, double *push)
{
    step_terms t;
    double a[NV];
    begin_terms(s, dt, q, v, tau, &t);
#if HAS_ROWS
    int found = 0;
    if (s->workspace && !find_rows(s, dt, q, v, &t, &found))
        return 0;
    if (found) {
        double u[NV];
        free_velocity(s, dt, v, &t, u);
        MODEL(contact_solve)(dt, u, s->options, s->contacts, s->workspace);
        if (s->contacts->open)
            return 0;
        row_acceleration(s, q, &t, a);
        if (s->driving)
            step_torques(s, q, v, &t, 1, a);
        leave_depth(s, dt, q, &t, push);
        MODEL(advance)(dt, a, q, v);
        move(s, push, q, v);
        return 1;
    }
#else
    (void)push;
#endif
    free_acceleration(s, q, v, tau, &t, a);
    if (s->driving)
        step_torques(s, q, v, &t, 0, a);
    MODEL(advance)(dt, a, q, v);
    return 1;
}

/* Runge-Kutta 4: impacts before the step, forces of the rows through it [P 4]. */
static int runge_kutta_4(const simulation *s, double dt, double *q, double *v, const double *tau, double *push)
{
#if HAS_ROWS
    step_terms t;
    int found = 0;
    if (s->workspace) {
        begin_terms(s, 0.0, q, v, tau, &t);
        if (!find_rows(s, dt, q, v, &t, &found))
            return 0;
    }
    if (found) {
        double u[NV], load[NV] = {0.0}, g[NV + CUT_V + 1] = {0.0};
        if (MODEL(contact_strike)(dt, v, s->options, s->contacts, s->workspace)) {
            row_displacement(s, q, dt, &t, u);
            struck_torques(s, dt, q, u);
            for (int i = 0; i < NV; i++)
                v[i] += u[i];
            terms_after_impact(s, q, v, tau, &t);
            MODEL(contact_speeds)(v, s->workspace);
        }
        free_velocity(s, dt, v, &t, u);
        MODEL(contact_solve)(dt, u, s->options, s->contacts, s->workspace);
        if (s->contacts->open)
            return 0;
        MODEL(contact_pull_back)(g, 1, s->workspace);
        MODEL(contact_pull_back)(load, 0, s->workspace);
        keep_load(s, load);
        MODEL(contact_add_impacts)(s->contacts, s->workspace);
        leave_depth(s, dt, q, &t, push);
        runge_kutta(s, dt, q, v, tau, g);
        move(s, push, q, v);
        return 1;
    }
#else
    (void)push;
#endif
    runge_kutta(s, dt, q, v, tau, 0);
    return 1;
}

static integrator *const INTEGRATORS[] = {semi_implicit_euler, runge_kutta_4}; /* in the order of the manifest */

#endif
