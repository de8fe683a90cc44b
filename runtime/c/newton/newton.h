/* Newton's method on an island of bodies whose sweeps stall. The impulses that solve
 *
 *     f = P(f0 - G v),   v = v0 + K (f - f0)                                       (see cones.h)
 *
 * are nearer than f0 to those that are sought, where f = P(f - G v) for any G. With S = -dP/dv the change of velocities
 * is that of bodies with twists x, W what a body answers a wrench, J rows:
 *
 *     (1 + W J' S J) x = W J' (P - f),   d = P - f - S J x
 *
 * A step of d is shortened where it goes beyond the place at which (J x)' (f - P) changes its sign. */

#ifndef KINEGEN_NEWTON_NEWTON_H
#define KINEGEN_NEWTON_NEWTON_H

#include "blocks.h"
#include "cones.h"

#define SOFTNESS 2.0 /* 1/(G K) over the residual as a part of the mean K f of the points that press, */
#define SOFTEST 0.1 /* at most */
#define HARDEST 3e-4 /* and at least */
#define FULL_ENOUGH 0.3 /* of (J x)' (f - P) may be left along a step */

enum {
    NEWTON_FROM = 32, /* sweeps before the first round */
    NEWTON_ROUND = 8, /* steps of a round, */
    NEWTON_STEPS = 64, /* and of all rounds, */
    NEWTON_SEARCH = 8 /* and lengths that are tried of a step */
};

/* An island, and three numbers for each of its points, in the room of what is kept of sweeps: f0, f, v, P, d, J x. */
typedef struct {
    const island *g;
    int steps; /* that were made */
    double over, *before, *f, *v, *wanted, *change, *slip;
    body_equations of;
} newton;

/* Number of a slot among those of the island. */
static inline int seat_of(const workspace *ws, int s)
{
    return ws->newton_seat[s];
}

/* Neither a moment nor a row that always holds. */
static inline int is_point(long i, const workspace *ws)
{
#if HAS_TURNING
    return i < ws->turning;
#elif HAS_HELD_ROWS
    return i < ws->cones;
#else
    (void)i, (void)ws;
    return 1;
#endif
}

/* All rows are points of bodies that answer nothing but themselves, and not too many. */
static int prepare_newton(const island *g, newton *n, workspace *ws)
{
    body_equations *of = &n->of;
    if (g->links > NEWTON_BODIES || g->locks)
        return 0;
    n->g = g;
    of->bodies = g->links;
    for (int k = 0; k < g->links; k++) {
        if (g->link[k] >= LINKS || ws->neighbours[g->link[k]])
            return 0;
        ws->newton_seat[g->link[k]] = k;
        of->linked[k] = 0;
    }
    for (long e = 0; e < g->count; e++) {
        const long i = row_of(g, e);
        const int a = ws->at[i].a, b = ws->at[i].b;
        if (!is_point(i, ws))
            return 0;
        if (a >= 0 && b >= 0 && a != b) {
            of->linked[seat_of(ws, a)] |= 1u << seat_of(ws, b);
            of->linked[seat_of(ws, b)] |= 1u << seat_of(ws, a);
        }
    }
    n->before = ws->past[0];
    n->f = ws->past[1];
    n->v = ws->past[2];
    n->wanted = ws->past[3];
    n->change = ws->past[4];
    n->slip = ws->change[0];
    return arrange_blocks(of);
}

/* f0 and velocities, from where the sweeps are; G from the residual, and from what points press. */
static void begin_newton(double residual, newton *n, workspace *ws)
{
    double pressed = 1e-300, count = 0.0;
    for (long e = 0; e < n->g->count; e++) {
        const long i = row_of(n->g, e);
        double *v = n->v + 3 * e;
        memcpy(n->before + 3 * e, ws->at[i].impulse, sizeof ws->at[i].impulse);
        memcpy(n->f + 3 * e, ws->at[i].impulse, sizeof ws->at[i].impulse);
        present_velocity(ws, i, v);
        v[0] -= ws->at[i].target;
#if HAS_RIMS
        for (int k = 0; k < 3; k++)
            v[k] -= ws->at[i].lead[k];
#endif
        pressed += ws->at[i].impulse[0] * ws->at[i].k[0];
        count += ws->at[i].impulse[0] > 0.0;
    }
    n->over = 1.0 / kg_max(HARDEST, kg_min(SOFTEST, SOFTNESS * residual * count / pressed));
}

/* P and S; gives the largest change of velocity that P - f is to a point by itself. */
static double want(newton *n, workspace *ws)
{
    double largest = 0.0;
    for (long e = 0; e < n->g->count; e++) {
        const long i = row_of(n->g, e);
        const double *f = n->f + 3 * e, *k = ws->at[i].k;
        double *to = n->wanted + 3 * e;
        give_way(i, n->over, n->before + 3 * e, n->v + 3 * e, to, ws->slope[e], ws);
        largest = kg_max(
            largest, kg_max(k[0] * fabs(to[0] - f[0]), kg_max(k[3] * fabs(to[1] - f[1]), k[5] * fabs(to[2] - f[2]))));
    }
    return largest;
}

/* What point i with slope S adds to 1 + W J' S J; column j of a block is what velocity j of a body does. */
static void add_point(long i, const double (*S)[4], newton *n, workspace *ws)
{
    for (int to = 0; to < 2; to++) {
        const int b = to ? ws->at[i].b : ws->at[i].a;
        double d[6][4] = {{0.0}};
        for (int j = 0; b >= 0 && j < 6; j++)
            kg_add_short_rows(d[j], 3, S, ws->at[i].row[to][j]);
        for (int from = 0; b >= 0 && from < 2; from++) {
            const int a = from ? ws->at[i].b : ws->at[i].a;
            const double (*response)[8] = (const double (*)[8])ws->at[i].response[from];
            if (a < 0)
                continue;
            double (*block)[8] = block_at(&n->of, seat_of(ws, a), seat_of(ws, b), ws);
            for (int j = 0; j < 6; j++)
                kg_add_rows(block[j], 3, response, d[j]);
        }
    }
}

/* x; 0: there is none. */
static int find_twists(newton *n, workspace *ws)
{
    body_equations *of = &n->of;
    memset(ws->block, 0, (size_t)of->blocks * sizeof ws->block[0]);
    memset(of->x, 0, (size_t)of->bodies * sizeof of->x[0]);
    for (int k = 0; k < of->bodies; k++)
        for (int j = 0; j < 6; j++)
            block_at(of, k, k, ws)[j][j] = 1.0;
    for (long e = 0; e < n->g->count; e++) {
        const long i = row_of(n->g, e);
        const double *f = n->f + 3 * e, *to = n->wanted + 3 * e, d[3] = {to[0] - f[0], to[1] - f[1], to[2] - f[2]};
        if (ws->slope[e][0][0] > 0.0)
            add_point(i, (const double (*)[4])ws->slope[e], n, ws);
        for (int side = 0; side < 2; side++) {
            const int s = side ? ws->at[i].b : ws->at[i].a;
            if (s >= 0)
                kg_add_rows(of->x[seat_of(ws, s)], 3, (const double (*)[8])ws->at[i].response[side], d);
        }
    }
    return solve_blocks(of, ws);
}

/* J x and d of all points; gives (J x)' (f - P). */
static double find_changes(newton *n, workspace *ws)
{
    double slope = 0.0;
    for (long e = 0; e < n->g->count; e++) {
        const long i = row_of(n->g, e);
        const double *f = n->f + 3 * e, *to = n->wanted + 3 * e;
        double v[4] = {0.0}, less[4] = {0.0}, *d = n->change + 3 * e;
        for (int side = 0; side < 2; side++) {
            const int s = side ? ws->at[i].b : ws->at[i].a;
            if (s >= 0)
                kg_add_short_rows(v, 6, (const double (*)[4])ws->at[i].row[side], n->of.x[seat_of(ws, s)]);
        }
        kg_add_short_rows(less, 3, (const double (*)[4])ws->slope[e], v);
        for (int k = 0; k < 3; k++) {
            d[k] = to[k] - f[k] - less[k];
            n->slip[3 * e + k] = v[k];
            slope += v[k] * (f[k] - to[k]);
        }
    }
    return slope;
}

/* (J x)' (f - P) at the part `length` of the step. */
static double slope_at(double length, const newton *n, const workspace *ws)
{
    double slope = 0.0;
    for (long e = 0; e < n->g->count; e++) {
        const double *f = n->f + 3 * e, *d = n->change + 3 * e, *x = n->slip + 3 * e, *v = n->v + 3 * e;
        const double there[3] = {v[0] + length * x[0], v[1] + length * x[1], v[2] + length * x[2]};
        double to[3];
        give_way(row_of(n->g, e), n->over, n->before + 3 * e, there, to, 0, ws);
        for (int k = 0; k < 3; k++)
            slope += x[k] * (f[k] + length * d[k] - to[k]);
    }
    return slope;
}

/* How much of the step is made: all of it unless it goes too far, then where the slope is small (regula falsi). */
static double length_of(double start, const newton *n, const workspace *ws)
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

/* Impulses P in place of those there are; not where they are no numbers. */
static void take_wanted(newton *n, workspace *ws)
{
    for (long e = 0; e < n->g->count; e++) {
        const double *to = n->wanted + 3 * e;
        if (!(fabs(to[0]) + fabs(to[1]) + fabs(to[2]) < 1e200))
            return;
    }
    for (long e = 0; e < n->g->count; e++) {
        const long i = row_of(n->g, e);
        double d[3];
        for (int k = 0; k < 3; k++) {
            d[k] = n->wanted[3 * e + k] - ws->at[i].impulse[k];
            ws->at[i].impulse[k] = n->wanted[3 * e + k];
        }
        apply(ws, i, d);
    }
    settle(ws);
}

/* A round of steps, until one is to change no velocity by `tolerance`. */
static void newton_round(double tolerance, double residual, newton *n, workspace *ws)
{
    begin_newton(residual, n, ws);
    for (int step = 0; want(n, ws) >= tolerance && step < NEWTON_ROUND; step++) {
        n->steps++;
        if (!find_twists(n, ws))
            break;
        const double length = length_of(find_changes(n, ws), n, ws);
        for (long j = 0; j < 3 * n->g->count; j++) {
            n->f[j] += length * n->change[j];
            n->v[j] += length * n->slip[j];
        }
    }
    take_wanted(n, ws);
}

/* 1 and impulses to go on from, where sweeps that left `residual` have stalled; n->steps is 0 before the first of an
 * island's rounds. */
static int go_by_newton(long sweeps, double tolerance, double residual, const island *g, newton *n, workspace *ws)
{
    if (sweeps < NEWTON_FROM || n->steps >= NEWTON_STEPS)
        return 0;
    if (!n->steps && !prepare_newton(g, n, ws)) {
        n->steps = NEWTON_STEPS;
        return 0;
    }
    newton_round(kg_max(0.3 * tolerance, residual), residual, n, ws);
    return 1;
}

#endif
