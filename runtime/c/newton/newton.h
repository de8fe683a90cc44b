/* Newton's method on an island whose sweeps stall. The impulses that solve
 *
 *     f = P(f0 - G v),   v = v0 + K (f - f0)                                       (see cones.h)
 *
 * are nearer than f0 to those that are sought, where f = P(f - G v) for any G. With K = Y' D^-1 Y (see parts.h) a step
 * changes the impulses by d and the velocities by Y'x (see steps.h); it is shortened where it goes beyond the place at
 * which (Y'x)' (f - P) changes its sign. An interior point method goes before, where there are points and limits alone
 * (see interior.h). */

#ifndef KINEGEN_NEWTON_NEWTON_H
#define KINEGEN_NEWTON_NEWTON_H

#include "interior.h"

#define SOFTNESS 3.0 /* 1/(G K) over the residual as a part of the mean K f of the rows that push, */
#define SOFTEST 0.05 /* at most */
#define HARDEST 3e-4 /* and at least */
#define HARDER 2.0 /* rows get harder by this after a round */
#define ENOUGH 0.5 /* that leaves more than this part of the residual, and softer again after others; */
#define ASTRAY 100.0 /* one is taken back that leaves so many times the least, */
#define SOFTER 0.125 /* and rows get softer by this */
#define LEAST_LEFT 1e-11 /* a part of K f that is not worth a round */
#define FULL_ENOUGH 0.3 /* of (Y'x)' (f - P) may be left along a step */

enum {
    NEWTON_FROM = 32, /* sweeps before the first round */
    NEWTON_ROUND = 8, /* steps of a round, */
    NEWTON_STEPS = 64, /* and of all rounds, */
    NEWTON_SEARCH = 8 /* and lengths that are tried of a step */
};

/* What is left, as a part of the mean K f of the rows that push; locks are no measure. */
static double part_left(double residual, const island *g, const workspace *ws)
{
    double sum = 1e-300, count = 0.0;
    for (long e = 0; e < g->count; e++) {
        const long i = row_of(g, e);
#if HAS_LOCKS
        if (is_lock(i, ws))
            continue;
#endif
        sum += fabs(ws->at[i].impulse[0]) * ws->at[i].k[0];
        count += ws->at[i].impulse[0] != 0.0;
    }
    return residual * count / sum;
}

/* Velocities v (3) of row i, less those that it aims at. */
static inline void velocity_off(long i, double *v, workspace *ws)
{
    present_velocity(ws, i, v);
#if HAS_HELD_ROWS
    for (int k = 0; i >= ws->cones && k < 3; k++)
        v[k] -= ws->at[i].aim[k];
    if (i >= ws->cones)
        return;
#endif
#if HAS_TURNING
    if (i >= ws->turning)
        return;
#endif
    v[0] -= ws->at[i].target;
#if HAS_RIMS
    for (int k = 0; k < 3; k++)
        v[k] -= ws->at[i].lead[k];
#endif
}

/* f0 and velocities, from where the sweeps are; G from the residual, and from what points press. */
static void begin_newton(double residual, newton *n, workspace *ws)
{
    for (long e = 0; e < n->g->count; e++) {
        const long i = row_of(n->g, e);
        memcpy(n->before + 3 * e, ws->at[i].impulse, sizeof ws->at[i].impulse);
        memcpy(n->f + 3 * e, ws->at[i].impulse, sizeof ws->at[i].impulse);
        velocity_off(i, n->v + 3 * e, ws);
    }
    memset(n->slip, 0, 3 * (size_t)n->g->count * sizeof *n->slip);
    n->over = n->harder / kg_max(HARDEST, kg_min(SOFTEST, SOFTNESS * part_left(residual, n->g, ws)));
}

/* P and S; gives the largest change of velocity that P - f is to a row by itself. */
static double want(newton *n, workspace *ws)
{
    double largest = 0.0;
    for (long e = 0; e < n->g->count; e++) {
        const double *f = n->f + 3 * e, *k = ws->at[row_of(n->g, e)].k;
        double *to = n->wanted + 3 * e;
        respond(e, 0.0, n, to, ws->slope[e], ws);
        largest = kg_max(
            largest, kg_max(k[0] * fabs(to[0] - f[0]), kg_max(k[3] * fabs(to[1] - f[1]), k[5] * fabs(to[2] - f[2]))));
    }
    return largest;
}

/* (Y'x)' (f - P) at the part `length` of the step. */
static double slope_at(double length, const newton *n, workspace *ws)
{
    double slope = 0.0;
    for (long e = 0; e < n->g->count; e++) {
        const double *f = n->f + 3 * e, *d = n->change + 3 * e, *x = n->slip + 3 * e;
        double to[3];
        respond(e, length, n, to, 0, ws);
        for (int k = 0; k < 3; k++)
            slope += x[k] * (f[k] + length * d[k] - to[k]);
    }
    return slope;
}

/* How much of the step is made: all of it unless it goes too far, then where the slope is small (regula falsi). */
static double length_of(double start, const newton *n, workspace *ws)
{
    double low = 0.0, high = 1.0, at_low = start, at_high = 0.0, length = 1.0;
    for (int e = 0; e < NEWTON_SEARCH; e++) {
        const double slope = slope_at(length, n, ws);
        if (fabs(slope) <= FULL_ENOUGH * fabs(start) || (e == 0 && slope * start > 0.0))
            break;
        if (slope * start < 0.0) {
            high = length;
            at_high = slope;
        } else {
            low = length;
            at_low = slope;
        }
        const double between = at_low / (at_low - at_high);
        length = low + (high - low) * kg_max(0.1, kg_min(0.9, between));
    }
    return length;
}

/* Impulses `to` in place of those there are; not where they are no numbers. */
static void take_impulses(const double *to, const newton *n, workspace *ws)
{
    for (long j = 0; j < 3 * n->g->count; j++)
        if (!(fabs(to[j]) < 1e200))
            return;
    for (long e = 0; e < n->g->count; e++) {
        const long i = row_of(n->g, e);
        double d[3];
        for (int k = 0; k < 3; k++) {
            d[k] = to[3 * e + k] - ws->at[i].impulse[k];
            ws->at[i].impulse[k] = to[3 * e + k];
        }
        apply(ws, i, d);
    }
    settle(ws);
}

/* At most so many steps, until one is to change no velocity by `tolerance`; 1 if it came to that. */
static int make_steps(int most, double tolerance, newton *n, workspace *ws)
{
    for (int step = 0; want(n, ws) >= tolerance; step++) {
        if (step == most)
            return 0;
        n->steps++;
        if (!factor_step(n, ws))
            return 0;
        weigh(n, ws);
        solve_blocks(&n->of, ws);
        take_step(length_of(find_changes(n, ws), n, ws), n);
    }
    return 1;
}

/* A round of steps. */
static void newton_round(double tolerance, double residual, newton *n, workspace *ws)
{
    begin_newton(residual, n, ws);
    make_steps(NEWTON_ROUND, tolerance, n, ws);
    take_impulses(n->wanted, n, ws);
}

/* The impulses that left the least come back; gives what they left. */
static double take_best(const newton *n, workspace *ws)
{
    take_impulses(n->best, n, ws);
    return n->least;
}

/* After a round, and sweeps that left `residual`. Where that is hardly less than before, rows get harder; where it is
 * far more than the least, or more and no round follows, the impulses of that come back and rows get softer, since the
 * same round would end in the same place; else they come back from either by HARDER. Gives what is left now. */
static double judge_round(double residual, newton *n, workspace *ws)
{
    const int astray = residual > (n->ended ? 1.0 : ASTRAY) * n->least;
    const int slow = !astray && residual >= ENOUGH * n->residual && residual <= n->residual;
    const double back = n->harder > 1.0 ? kg_max(1.0, n->harder / HARDER) : kg_min(1.0, HARDER * n->harder);
    n->harder = slow ? HARDER * n->harder : astray ? SOFTER * n->harder : back;
    return n->residual = astray ? take_best(n, ws) : residual;
}

/* A round follows so many sweeps, if all is as it has to be; a tolerance of 0 asks for sweeps alone. */
static inline int awaits_round(long sweeps, double tolerance, const newton *n)
{
    return sweeps >= (n->entered ? NEWTON_FROM : INTERIOR_FROM) && !n->ended && tolerance > 0.0;
}

/* The first round, from within the cones; 1: what was kept of sweeps is lost. */
static int enter_by_interior(double tolerance, double residual, const island *g, newton *n, workspace *ws)
{
    n->entered = 1;
    if (!has_cones_alone(g, ws))
        return 0;
    n->ended = !prepare_newton(residual, g, n, ws);
    if (n->ended)
        return 0;
    begin_newton(residual, n, ws);
    if (interior_round(tolerance, residual, n, ws))
        take_impulses(n->f, n, ws);
    return 1;
}

/* Impulses to go on from, where sweeps that left `residual` have stalled; 1: what was kept of them is lost. */
static int go_by_newton(double tolerance, double residual, const island *g, newton *n, workspace *ws)
{
    if (!n->entered)
        return enter_by_interior(tolerance, residual, g, n, ws);
    n->ended = part_left(residual, g, ws) < LEAST_LEFT || n->steps >= NEWTON_STEPS
        || (!n->g && !prepare_newton(residual, g, n, ws));
    if (n->steps)
        residual = judge_round(residual, n, ws);
    if (n->ended)
        return n->steps > 0;
    newton_round(kg_max(0.3 * tolerance, residual), residual, n, ws);
    return 1;
}

#endif
