/* A mechanism that coasts: it moves as it does when no force acts on it, gravity neither, and keeps its kinetic energy;
 * what floats also keeps its momentum. Tables of the model: group_of, floating. */

#ifndef KINEGEN_STEP_COAST_H
#define KINEGEN_STEP_COAST_H

#include "../linear/symmetric.h"

#define PART 0.1 /* rad by which a link turns at most in a part of a coast */
#define PARTS 64 /* that a coast has at most */
#define UNSURE 1e-3 /* part of the energy that a coast may have lost by its own error: more was lost by an impact */

/* What every group keeps: kinetic energy, and momentum [linear; angular about its first floating link] in world axes. */
typedef struct {
    double energy[GROUPS], momentum[GROUPS][6];
} account;

/* y = M x at q, where gravity loads the joints by g. */
static void inertia_times(const simulation *s, const double *q, const double *g, const double *x, double *y)
{
    const double *p = s->p, still[NV] = {0.0};
    KERNEL(inverse_dynamics, q, still, x, y);
    for (int i = 0; i < NV; i++)
        y[i] -= g[i];
}

/* x (nv): what a unit velocity along (k < 3) or about (k >= 3) an axis of world makes of v, in all groups that float:
 * each moves as one body, about the place of its first floating link. */
static void rigid_motion(const double *q, int k, double *x)
{
    memset(x, 0, NV * sizeof *x);
    for (int i = 0; i < FLOATING; i++) {
        const double *place = q + floating[i].q, *first = q + floating[i].first;
        double axis[3] = {0.0}, arm[3], *linear = x + floating[i].v;
        axis[k % 3] = 1.0;
        if (k < 3) {
            kg_turn(place + 3, -1.0, axis, linear);
            continue;
        }
        for (int j = 0; j < 3; j++)
            arm[j] = place[j] - first[j];
        kg_cross3(axis, arm, linear);
        kg_turn(place + 3, -1.0, linear, linear);
        kg_turn(place + 3, -1.0, axis, linear + 3);
    }
}

/* sums[g * stride] = x'y over the velocities of group g. */
static void sum_groups(const double *x, const double *y, int stride, double *sums)
{
    for (int g = 0; g < GROUPS; g++)
        sums[g * stride] = 0.0;
    for (int i = 0; i < NV; i++)
        sums[group_of[i] * stride] += x[i] * y[i];
}

static account account_of(const simulation *s, const double *q, const double *g, const double *v)
{
    account found;
    double h[NV], x[NV];
    inertia_times(s, q, g, v, h);
    sum_groups(v, h, 1, found.energy);
    for (int i = 0; i < GROUPS; i++)
        found.energy[i] *= 0.5;
    for (int k = 0; k < 6; k++) {
        rigid_motion(q, k, x);
        sum_groups(x, h, 6, &found.momentum[0][k]);
    }
    return found;
}

/* Momentum about where the first floating links have gone from q0 to q. */
static void move_account(const double *q0, const double *q, account *a)
{
    for (int i = 0; i < FLOATING; i++) {
        if (floating[i].q != floating[i].first)
            continue;
        const double *from = q0 + floating[i].q, *to = q + floating[i].q;
        const double way[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
        double *momentum = a->momentum[floating[i].group], turned[3];
        kg_cross3(way, momentum, turned);
        for (int k = 0; k < 3; k++)
            momentum[3 + k] -= turned[k];
    }
}

/* Of each group, the velocity as one body that has this momentum, and the energy that it has: C twist = momentum. */
static void as_one(double C[][36], double inverse[][6], const account *a, double twist[][6], double *energy)
{
    for (int g = 0; g < GROUPS; g++) {
        memcpy(twist[g], a->momentum[g], sizeof twist[g]);
        kg_solve_factored(6, C[g], inverse[g], twist[g]);
        energy[g] = 0.0;
        for (int k = 0; k < 6; k++)
            energy[g] += 0.5 * twist[g][k] * a->momentum[g][k];
    }
}

/* v changed, in place, so that every group has the momentum and at most the energy that it must have: what floats by a
 * motion as one body, then the motion of its links against each other by a factor. Energy that was lost by more than
 * UNSURE stays lost; where the motion as one body alone has more than there was, the links come to rest against each
 * other. */
static void restore(const simulation *s, const double *q, const account *wanted, double *v)
{
    const double *p = s->p;
    double g[NV], axes[6][NV], y[NV], C[GROUPS][36], inverse[GROUPS][6], work[12];
    double has[GROUPS][6], gets[GROUPS][6], held[GROUPS], kept[GROUPS], part[GROUPS];
    KERNEL(gravity, q, g);
    const account found = account_of(s, q, g, v);
    for (int k = 0; k < 6; k++)
        rigid_motion(q, k, axes[k]);
    memset(C, 0, sizeof C);
    for (int k = 0; k < 6 && FLOATING; k++) {
        inertia_times(s, q, g, axes[k], y);
        for (int i = k; i < 6; i++)
            sum_groups(axes[i], y, 36, &C[0][6 * i + k]);
    }
    for (int i = 0; i < GROUPS; i++)
        kg_factor_symmetric(6, C[i], inverse[i], work);
    as_one(C, inverse, &found, has, held);
    as_one(C, inverse, wanted, gets, kept);
    for (int i = 0; i < GROUPS; i++) {
        const double inner = found.energy[i] - held[i], left = fmax(0.0, wanted->energy[i] - kept[i]);
        const int moves = inner > 1e-12 * found.energy[i], lost = inner < left - UNSURE * wanted->energy[i];
        part[i] = moves && !lost ? sqrt(left / inner) : 1.0;
    }
    for (int i = 0; i < NV; i++) {
        const int j = group_of[i];
        v[i] *= part[j];
        for (int k = 0; k < 6; k++)
            v[i] += axes[k][i] * (gets[j][k] - part[j] * has[j][k]);
    }
}

/* A part of a coast, in place. */
static void coast_part(const simulation *s, double dt, double *q, double *v)
{
#if HAS_LOOPS
    const double none[NV] = {0.0};
    double q0[NQ], v0[NV];
    memcpy(q0, q, sizeof q0);
    memcpy(v0, v, sizeof v0);
    runge_kutta(s, dt, q, v, 0, 0);
    close_step(s, dt, q0, v0, q, v, none);
#else
    runge_kutta(s, dt, q, v, 0, 0);
#endif
}

/* q and v moved on by dt, in place, in as many parts as the turns of the links ask for. */
static void coast(const simulation *s, double dt, double *q, double *v)
{
    double left = dt;
    for (int done = 0; left > 0.0; done++) {
        const double parts = ceil(left * MODEL(turn)(1, v) / PART);
        const double part = left / fmax(1.0, fmin(parts, (double)(PARTS - done)));
        coast_part(s, part, q, v);
        left = left > part ? left - part : 0.0;
    }
}

#endif
