/* Dynamics of a tree for the time step. The other provider of the same functions is closed.h. */

#ifndef KINEGEN_STEP_TREE_H
#define KINEGEN_STEP_TREE_H

#include <string.h>

typedef MODEL(simulation) simulation;

#include "../drive/external.h"
#include "../drive/driven_tree.h"
#include "../drive/served_tree.h"
#include "../drive/forces_tree.h"
#include "../rows/spin.h"

/* What a step begins with: joint torques; what dampers, friction and servos at the end of the step add to M. */
typedef struct {
    double f[NV], d[NV];
    int factored;
} step_terms;

#if HAS_BESIDE
#include "../lanes/begun.h"
#endif

/* dt 0: dampers, friction and spin act at v; else dampers and friction at the end of the step, spin in its middle. What
 * servos would do until there is left out: their forces at its beginning are far from those at its end. */
static void begin_terms(
    const simulation *s, double dt, const double *q, const double *v, const double *tau, step_terms *t)
{
    const double *p = s->p;
    t->factored = 0;
#if HAS_BESIDE
    if (dt > 0.0 && take_terms(s, t))
        return;
#endif
    memset(t->d, 0, sizeof t->d);
    given_forces(s, q, v, tau, t->f);
#if HAS_SPIN
    spin_forces(s, dt, q, v, t->f);
#endif
    serve(s, dt, q, v, t->f, t->d);
    (void)p;
#if HAS_DAMPING
    if (dt > 0.0)
        KERNEL(damping, dt, v, t->d);
#endif
}

typedef int stage_record; /* there is one way only: nothing to tell */

/* Of the step, with the forces of the rows if some act. */
KG_COLD static void step_torques(
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
    note_torques(s, q, v, f, t->d, a);
}

/* At a stage, under torques tau. */
KG_COLD static void stage_torques(
    const simulation *s, const double *q, const double *v, const double *tau, const double *a)
{
    double f[NV];
    joint_forces(s, 0.0, q, v, tau, f, 0);
    note_torques(s, q, v, f, 0, a);
}

/* Acceleration at a stage: all forces act at v; tau null: none does, and gravity neither. */
static void stage_acceleration(
    const simulation *s, stage_record *seen, const double *q, const double *v, const double *tau, double *a)
{
    const double *p = s->p;
    (void)seen;
    double f[NV];
#if HAS_TURNS
    if (!tau)
        KERNEL(gravity, q, f);
    else
#endif
        joint_forces(s, 0.0, q, v, tau, f, 0);
    if (s->driving) {
        driven_acceleration(s, q, v, f, 0, a);
        return;
    }
    KERNEL(forward_dynamics, q, v, f, a);
}

#if HAS_TURNS
/* Forces of a kick; dampers and friction at the end of a step of dt. */
static void begin_kick(
    const simulation *s, double dt, const double *q, const double *v, const double *tau, step_terms *t)
{
    const double *p = s->p;
    (void)p;
    memset(t->d, 0, sizeof t->d);
    joint_forces(s, dt, q, v, tau, t->f, t->d);
#if HAS_DAMPING
    KERNEL(damping, dt, v, t->d);
#endif
}

/* Acceleration by these alone, as if nothing moved. */
static void kick_acceleration(const simulation *s, const double *q, const step_terms *t, double *a)
{
    const double *p = s->p, still[NV] = {0.0};
    if (s->driving)
        driven_acceleration(s, q, still, t->f, t->d, a);
    else if (HAS_DAMPING || s->servos)
        KERNEL(forward_dynamics_damped, q, still, t->f, t->d, a);
    else
        KERNEL(forward_dynamics, q, still, t->f, a);
}
#endif

#if HAS_ROWS
/* L'^-1 (forces - bias), 1/D and L of M = L'DL; where links are pushed also where they are and how they move. */
static void factor_all(const simulation *s, const double *q, const double *v, const step_terms *t)
{
    const double *p = s->p;
    MODEL(contact_workspace) *w = s->workspace;
#if HAS_BESIDE
    if (take_factors(t, w))
        return;
#endif
#if HAS_POSES
    KERNEL(contact_terms, q, v, t->f, t->d, w->z, w->iD, w->L, w->poses, w->axes[0], w->origins[0]);
#elif HAS_TERMS
    KERNEL(contact_terms, q, v, t->f, t->d, w->z, w->iD, w->L);
#else
    double M[NV * NV], r[NV];
    KERNEL(mass_matrix, q, M);
    KERNEL(bias, q, v, r);
    for (int i = 0; i < NV; i++) {
        r[i] = t->f[i] - r[i];
        M[(NV + 1) * i] += t->d[i];
    }
    MODEL(contact_factor)(M, r, w);
#endif
}

/* The same of the step: driven joints move as they do. */
static void factor_terms(const simulation *s, const double *q, const double *v, step_terms *t)
{
    factor_all(s, q, v, t);
    if (s->driving)
        factor_driven(s, q, v, t->f, t->d);
    t->factored = 1;
}

/* 1 and *found, the rows there may be in this step; 0 if there are more than the workspace takes. */
static int find_rows(const simulation *s, double dt, const double *q, const double *v, step_terms *t, int *found)
{
    if (HAS_POSES)
        factor_terms(s, q, v, t);
    if (!MODEL(contact_find)(dt, s, q, v, 0))
        return 0;
    *found = s->contacts->count > 0;
    return 1;
}

/* What rows that were found are solved by. */
static void complete_factor(const simulation *s, const double *q, const double *v, step_terms *t)
{
    if (!t->factored)
        factor_terms(s, q, v, t);
}

/* The half solve in the workspace is finished: of no further use. */
static void use_up(step_terms *t)
{
    t->factored = 0;
}

/* x = scale M^-1 L' z. */
static void finish(const simulation *s, const double *q, double scale, double *z, double *x)
{
    const double *p = s->p;
    const MODEL(contact_workspace) *w = s->workspace;
    for (int i = 0; i < NV; i++)
        z[i] *= scale * w->iD[i];
#if HAS_TERMS
    KERNEL(contact_finish, q, w->L, z, x);
#else
    (void)p, (void)q;
    MODEL(contact_finish)(w->L, z, x);
#endif
}

/* Velocity along axes that rest; the rest of the free velocity is in z (see response_tree.h). */
static void free_velocity(const simulation *s, double dt, const double *v, const step_terms *t, double *u)
{
    (void)t;
    memcpy(u, v, NV * sizeof *u);
    for (long k = 0; s->driving && k < s->driving->count; k++)
        u[s->driving->dof[k]] += dt * s->driving->a[s->driving->dof[k]];
    MODEL(turning)(dt, v, u);
}

/* Acceleration with the forces of the rows. */
static void row_acceleration(const simulation *s, const double *q, step_terms *t, double *a)
{
    (void)t;
    MODEL(contact_collect)(s->workspace->z, s->workspace);
    finish(s, q, 1.0, s->workspace->z, a);
    put_driven(s, a);
}

/* x (nv) = scale M^-1 J' times the wrenches of the rows. */
static void row_displacement(const simulation *s, const double *q, double scale, step_terms *t, double *x)
{
    double z[NV] = {0.0};
    (void)t;
    MODEL(contact_collect)(z, s->workspace);
    finish(s, q, scale, z, x);
}

/* The forces g of the rows at the beginning of a step are of no further use. */
static void keep_load(const simulation *s, const double *g)
{
    (void)s, (void)g;
}

/* The same again after impacts that changed v, which M and where links are do not depend on. */
static void terms_after_impact(const simulation *s, const double *q, const double *v, const double *tau, step_terms *t)
{
    const double *p = s->p;
    begin_terms(s, 0.0, q, v, tau, t);
    if (s->driving) {
        factor_terms(s, q, v, t);
        return;
    }
    double r[NV];
    KERNEL(bias, q, v, r);
    for (int i = 0; i < NV; i++)
        r[i] = t->f[i] - r[i];
    MODEL(contact_descend)(r, s->workspace->z, s->workspace);
    t->factored = 1;
}
#endif

/* Acceleration of the step where no row acts. */
static void free_acceleration(const simulation *s, const double *q, const double *v, step_terms *t, double *a)
{
    const double *p = s->p;
#if HAS_ROWS
    if (HAS_POSES && t->factored) {
        finish(s, q, 1.0, s->workspace->z, a);
        put_driven(s, a);
        return;
    }
#endif
    if (s->driving) {
        driven_acceleration(s, q, v, t->f, t->d, a);
        return;
    }
#if HAS_TERMS && !HAS_POSES && !HAS_DAMPING
    if (s->servos && s->workspace) { /* by straight-line code, as where rows act */
        factor_all(s, q, v, t);
        finish(s, q, 1.0, s->workspace->z, a);
        return;
    }
#endif
    if (HAS_DAMPING || s->servos)
        KERNEL(forward_dynamics_damped, q, v, t->f, t->d, a);
    else
        KERNEL(forward_dynamics, q, v, t->f, a);
}

/* pass: how often it was begun. */
static void begin_step(const simulation *s, int pass)
{
#if HAS_BESIDE
    if (pass > 0)
        begin_alone(s);
#else
    (void)s, (void)pass;
#endif
}

/* Nothing is to be put back in a tree. 0 if the state is not finite. */
static int settle(const simulation *s, double dt, const double *q0, const double *v0, double *q, double *v,
    const double *push, long number)
{
    (void)s, (void)dt, (void)q0, (void)v0, (void)push, (void)number;
    return kg_all_finite(NQ, q) && kg_all_finite(NV, v);
}

#endif
