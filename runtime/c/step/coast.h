/* A mechanism that coasts: it moves as it does when no force acts on it, gravity neither, and keeps its kinetic
 * energy, but for what joints whose motion is given do; what floats also keeps its momentum. Tables of the model:
 * group_of, floating. */

#ifndef KINEGEN_STEP_COAST_H
#define KINEGEN_STEP_COAST_H

#include "../joints/thresholds.h"
#include "../linear/symmetric.h"
#include "../tree/floating.h"

/* What every group keeps: kinetic energy, and momentum [linear; angular about its first floating link], world axes. */
typedef struct {
    double energy[GROUPS], momentum[GROUPS][6];
} invariants;

/* sums[g] = x'y over the velocities of group g. */
static void sum_groups(const double *x, const double *y, double *sums)
{
    memset(sums, 0, GROUPS * sizeof *sums);
    for (int i = 0; i < NV; i++)
        sums[group_of[i]] += x[i] * y[i];
}

static invariants invariants_of(const simulation *s, const double *q, const double *v)
{
    const double *p = s->p;
    invariants found;
    double h[NV];
    KERNEL(momenta, q, v, h);
    sum_groups(v, h, found.energy);
    for (int i = 0; i < GROUPS; i++)
        found.energy[i] *= 0.5;
    add_up_momentum(q, h, found.momentum);
    return found;
}

/* How every group that floats answers a momentum as one body. */
typedef struct {
    double C[GROUPS][36], inverse[GROUPS][6];
} whole_inertia;

static void factor_wholes(const simulation *s, const double *q, whole_inertia *w)
{
    const double *p = s->p;
    double work[12];
    memset(w, 0, sizeof *w);
    if (FLOATING == 0)
        return;
    for (int k = 0; k < 6; k++) {
        double twist[GROUPS][6] = {{0.0}}, column[GROUPS][6], x[NV] = {0.0}, h[NV];
        for (int i = 0; i < GROUPS; i++)
            twist[i][k] = 1.0;
        add_motion(q, twist, x);
        KERNEL(momenta, q, x, h);
        add_up_momentum(q, h, column);
        for (int i = 0; i < GROUPS; i++)
            for (int j = k; j < 6; j++)
                w->C[i][6 * j + k] = column[i][j];
    }
    for (int i = 0; i < GROUPS; i++)
        kg_factor_ldl(6, w->C[i], w->inverse[i], work);
}

/* The twist of every group as one body with this momentum, and the energy that it has. */
static void as_one(const whole_inertia *w, double momentum[][6], double twist[][6], double *energy)
{
    for (int i = 0; i < GROUPS; i++) {
        memcpy(twist[i], momentum[i], sizeof twist[i]);
        kg_solve_factored(6, w->C[i], w->inverse[i], twist[i]);
        energy[i] = 0.0;
        for (int k = 0; k < 6; k++)
            energy[i] += 0.5 * twist[i][k] * momentum[i][k];
    }
}

/* 1 if a joint of this group moves as it is told. */
static int is_led(const simulation *s, int group)
{
    for (long k = 0; s->driving && k < s->driving->count; k++)
        if (group_of[s->driving->dof[k]] == group && is_moving(s->driving, k))
            return 1;
    return 0;
}

/* v changed, in place, so that every group has the momentum and at most the energy that it must have: what floats by a
 * motion as one body, then the motion of its links against each other by a factor. Where loops close, energy that was
 * lost by more than UNSURE stays lost. Where the motion as one body alone has more than there was, the links come to
 * rest against each other. What is led by joints that move as they are told has the energy that it has. */
static void restore(const simulation *s, const double *q, invariants *wanted, double *v)
{
    whole_inertia whole;
    double has[GROUPS][6], gets[GROUPS][6], held[GROUPS], kept[GROUPS], part[GROUPS];
    invariants found = invariants_of(s, q, v);
    factor_wholes(s, q, &whole);
    as_one(&whole, found.momentum, has, held);
    as_one(&whole, wanted->momentum, gets, kept);
    for (int i = 0; i < GROUPS; i++) {
        const double inner = found.energy[i] - held[i], left = kg_max(0.0, wanted->energy[i] - kept[i]);
        const int moves = inner > LITTLE * found.energy[i] && !is_led(s, i);
        const int lost = HAS_LOOPS && inner < left - UNSURE * wanted->energy[i];
        part[i] = moves && !lost ? sqrt(left / inner) : 1.0;
        for (int k = 0; k < 6; k++)
            gets[i][k] -= part[i] * has[i][k];
    }
    for (int i = 0; i < NV; i++)
        v[i] *= part[group_of[i]];
    add_motion(q, gets, v);
}

/* A part of a coast is over: where the driven entries are dt after `since`. */
static void lead(const simulation *s, double since, double dt, double *q, double *v)
{
    if (!s->driving)
        return;
    s->driving->since = since;
    pass_time(s, dt, q, v);
}

/* A part of a coast in which links turn by so much [rad], in place. */
static void coast_part(const simulation *s, double dt, double turn, double *q, double *v)
{
    const double since = s->driving ? s->driving->since : 0.0;
#if HAS_LOOPS
    const double none[NV] = {0.0};
    double q0[NQ], v0[NV];
    memcpy(q0, q, sizeof q0);
    memcpy(v0, v, sizeof v0);
    (void)turn;
    runge_kutta(s, dt, q, v, 0, 0, 0);
    lead(s, since, dt, q, v);
    close_step(s, dt, q0, v0, q, v, none);
#else
    if (FLOATING == 0 && turn < GENTLE && !s->driving)
        midpoint(s, dt, q, v);
    else
        runge_kutta(s, dt, q, v, 0, 0, 0);
    lead(s, since, dt, q, v);
#endif
}

/* Adds torques of driven joints at q, v, which last for `span` of a step of dt, and their work. */
KG_COLD static void add_coast_torques(const simulation *s, double span, double dt, const double *q, const double *v)
{
    driving *d = s->driving;
    double told[NV], *out = d->out;
    d->out = told;
    coast_torques(s, q, v);
    d->out = out;
    for (long k = 0; k < d->count; k++) {
        out[k] += span / dt * told[k];
        if (s->ledger)
            s->ledger->step[BY_MOTIONS * NV + d->dof[k]] += span * told[k] * v[d->dof[k]];
    }
}

/* q and v moved on by dt, in place, in as many parts as the turns of the links ask for; torques of driven joints are
 * means of those at the ends of the parts. */
static void coast(const simulation *s, double dt, double *q, double *v)
{
    const double *p = s->p;
    double left = dt;
    if (s->driving)
        impose(s, 0.0, q, v);
    for (int done = 0; left > 0.0; done++) {
        const double speed = KERNEL(turn, 1, v), parts = ceil(left * speed / PART);
        const double part = left / kg_max(1.0, kg_min(parts, (double)(PARTS - done)));
        if (s->driving)
            add_coast_torques(s, 0.5 * part, dt, q, v);
        coast_part(s, part, part * speed, q, v);
        if (s->driving)
            add_coast_torques(s, 0.5 * part, dt, q, v);
        left = left > part ? left - part : 0.0;
    }
}

#endif
