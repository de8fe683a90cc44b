/* A mechanism that coasts: it moves as it does when no force acts on it, gravity neither, and keeps its kinetic
 * energy; what floats also keeps its momentum. Tables of the model: group_of, floating. */

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

/* v changed, in place, so that every group has the momentum and at most the energy that it must have: what floats by a
 * motion as one body, then the motion of its links against each other by a factor. Where loops close, energy that was
 * lost by more than UNSURE stays lost. Where the motion as one body alone has more than there was, the links come to
 * rest against each other. */
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
        const int moves = inner > LITTLE * found.energy[i];
        const int lost = HAS_LOOPS && inner < left - UNSURE * wanted->energy[i];
        part[i] = moves && !lost ? sqrt(left / inner) : 1.0;
        for (int k = 0; k < 6; k++)
            gets[i][k] -= part[i] * has[i][k];
    }
    for (int i = 0; i < NV; i++)
        v[i] *= part[group_of[i]];
    add_motion(q, gets, v);
}

/* A part of a coast in which links turn by so much [rad], in place. */
static void coast_part(const simulation *s, double dt, double turn, double *q, double *v)
{
#if HAS_LOOPS
    const double none[NV] = {0.0};
    double q0[NQ], v0[NV];
    memcpy(q0, q, sizeof q0);
    memcpy(v0, v, sizeof v0);
    (void)turn;
    runge_kutta(s, dt, q, v, 0, 0, 0);
    close_step(s, dt, q0, v0, q, v, none);
#else
    if (FLOATING == 0 && turn < GENTLE)
        midpoint(s, dt, q, v);
    else
        runge_kutta(s, dt, q, v, 0, 0, 0);
#endif
}

/* q and v moved on by dt, in place, in as many parts as the turns of the links ask for. */
static void coast(const simulation *s, double dt, double *q, double *v)
{
    const double *p = s->p;
    double left = dt;
    for (int done = 0; left > 0.0; done++) {
        const double speed = KERNEL(turn, 1, v), parts = ceil(left * speed / PART);
        const double part = left / kg_max(1.0, kg_min(parts, (double)(PARTS - done)));
        coast_part(s, part, part * speed, q, v);
        left = left > part ? left - part : 0.0;
    }
}

#endif
