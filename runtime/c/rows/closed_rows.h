/* What rows take of a mechanism with loops: A = W' M W and its factor, and how the mechanism answers their forces. Part
 * of step/closed.h. */

#ifndef KINEGEN_ROWS_CLOSED_ROWS_H
#define KINEGEN_ROWS_CLOSED_ROWS_H

#if HAS_FACTORED
/* H and A of the step and the free acceleration by straight-line code; 0 where it does not serve. */
static int factor_straight(const simulation *s, const double *q, const double *v, step_terms *t)
{
    const double *p = s->p;
    partition *held = &s->memory->partition;
    double quality;
    if (s->driving || t->pulls || !serves(s->memory->ready, held))
        return 0;
    held->known = held->inverted = held->laid = 0;
    held->sparse = !own_is_dense();
    static const double none[NV] = {0.0};
    KERNEL(forward_dynamics_factored, q, v, t->f, t->implicit ? t->d : none, t->a, &quality, held->H, t->factor.A,
        t->factor.inverse);
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
    t->factored = 1;
}

/* 1 and *found, the rows there may be in this step; 0 if there are more than the workspace takes. */
static int find_rows(const simulation *s, double dt, const double *q, const double *v, step_terms *t, int *found)
{
    (void)t;
#if HAS_CUT_LIMITS
    whole_state x;
    read_whole(s->p, q, v, s->memory->cut_q, &x);
    if (!MODEL(contact_find)(dt, s, x.q, x.v, x.cut.C))
        return 0;
#else
    if (!MODEL(contact_find)(dt, s, q, v, 0))
        return 0;
#endif
    *found = s->contacts->count > 0;
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
    s->memory->loaded = LOADED;
}

/* What rows that were found are solved by: the factor, as much of it as their answers take. */
static void complete_factor(const simulation *s, const double *q, const double *v, step_terms *t)
{
    if (!t->factored)
        factor_terms(s, q, v, t);
#if HAS_CORE
    int dof[CAPACITY];
    const int count = t->factor.n ? MODEL(contact_dofs)(s->contacts, dof) : 0;
    for (int i = 0; i < count; i++)
        complete_rows(&t->factor, dof[i]);
    for (int i = 0; count < 0 && i < NV; i++)
        complete_rows(&t->factor, i);
#endif
}

/* The factor stays as it is. */
static void use_up(step_terms *t)
{
    (void)t;
}

/* x (nv) = W A^-1 W' J' times the wrenches of the rows. */
static void answer_rows(const simulation *s, const step_terms *t, double *x)
{
    const int n = NV - t->held.rank;
    double y[NV];
    MODEL(contact_weighted)(y, s->workspace);
#if HAS_CORE
    if (t->factor.n) {
        answer_from_core(&t->held, &t->factor, y, x);
        return;
    }
#endif
    for (int i = 1; i < n; i++)
        y[i] -= kg_dot(i, t->factor.A + i * n, y);
    spread(&t->held, y, 0, x);
}

/* The same times scale. */
static void row_displacement(const simulation *s, const double *q, double scale, step_terms *t, double *x)
{
    (void)q;
    answer_rows(s, t, x);
    for (int i = 0; i < NV; i++)
        x[i] *= scale;
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
    add_servos(s, q, v, f);
    closed_acceleration(s, q, v, f, t->a);
    t->quality = -1.0;
}

#endif
