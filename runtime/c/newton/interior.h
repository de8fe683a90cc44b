/* An interior point method for islands of points and limits. Both g and u (see within.h) are kept within the cone, and
 * g o u goes to zero by steps of Newton's method,
 *
 *     du = (1 + E)(T dv + r),   dg = c - W^2 du,   r = T v + |u_t| e - u,   W u = W^-1 g
 *
 * so that d = d0 - S dv with S = T W^2 (1 + E) T and d0 = T (c - W^2 (1 + E) r), as in steps.h. Each is found twice
 * with one factor, first for g o u = 0, which tells how far that goes, and how g o u and |u_t| bend [Mehrotra92]. Where
 * steps come to the edge of the cones E is left out: every one is that of a convex problem, whose slips follow. */

#ifndef KINEGEN_NEWTON_INTERIOR_H
#define KINEGEN_NEWTON_INTERIOR_H

#include "steps.h"
#include "within.h"

typedef char kg_rows_as_told[IN_BEND + 1 == WITHIN_ROWS ? 1 : -1];

#define INSIDE 0.1 /* of the mean impulse: how far inside the cones it begins */
#define BEFORE_EDGE 0.95 /* of the way to the edge of the cones is made, */
#define SHORT 0.1 /* after steps that are shorter slips follow later */
#define OF_LEFT 0.1 /* g'u is at least that much of what the step leaves of r by itself */

enum { INTERIOR_FROM = 12, INTERIOR_STEPS = 16 }; /* sweeps before it; steps at most */

static inline long count_of_eights(const newton *n)
{
    return (n->g->count + 7) / 8;
}

/* How many points there are among eight from entry e on. */
static inline int alive_of(long e, const newton *n)
{
    return n->g->count - e < 8 ? (int)(n->g->count - e) : 8;
}

/* Point i of entry e begins within its cone by the impulse `margin`, and the velocity that this is; f as wanted. */
static void begin_point(long e, double margin, newton *n, workspace *ws)
{
    const long i = row_of(n->g, e);
    const double mu = ws->at[i].friction, over = mu > 0.0 ? 1.0 / mu : 0.0, *v = n->v + 3 * e, *f = n->f + 3 * e;
    double (*p)[8] = ws->within[e / 8];
    const int l = (int)(e % 8);
    p[IN_FRICTION][l] = mu;
    p[IN_OVER][l] = over;
    p[IN_OWN][l] = ws->at[i].iK;
    p[IN_OWN + 1][l] = mu > 0.0 ? ws->at[i].reach : 0.0;
    p[IN_G][l] = kg_max(f[0], over * length_of_two(f[1], f[2]) + margin);
    p[IN_U][l] = mu * length_of_two(v[1], v[2]) + kg_max(v[0], margin * ws->at[i].k[0]);
    for (int k = 1; k < 3; k++) {
        p[IN_G + k][l] = over * f[k];
        p[IN_U + k][l] = mu * v[k];
    }
    n->wanted[3 * e] = p[IN_G][l];
    n->wanted[3 * e + 1] = f[1];
    n->wanted[3 * e + 2] = f[2];
}

/* T v = the velocities with what the beginning has changed; from here on f is 0 and what is wanted are its changes. */
static void begin_within(newton *n, workspace *ws)
{
    const long count = n->g->count, eights = count_of_eights(n);
    double margin = 1e-300;
    for (long e = 0; e < count; e++)
        margin += INSIDE * fabs(n->f[3 * e]) / (double)count;
    for (long e = 0; e < eights; e++) /* what is behind the last point stays where it is, within */
        for (int k = 0; k < WITHIN_ROWS; k++)
            for (int l = 0; l < 8; l++)
                ws->within[e][k][l] = k == IN_OWN || k == IN_G ? 1.0 : 0.0;
    for (long e = 0; e < count; e++)
        begin_point(e, margin, n, ws);
    memset(ws->slope, 0, (size_t)count * sizeof ws->slope[0]);
    weigh(n, ws);
    find_changes(n, ws);
    for (long e = 0; e < count; e++) {
        double (*p)[8] = ws->within[e / 8];
        for (int k = 0; k < 3; k++)
            p[IN_V + k][e % 8] = (k ? p[IN_FRICTION][e % 8] : 1.0) * (n->v[3 * e + k] + n->slip[3 * e + k]);
    }
    memset(n->f, 0, 3 * (size_t)count * sizeof *n->f);
}

/* d0 of eight points from entry e on, for g o u = 0 with S, or for g o u = target. */
static void want_points(long e, double target, newton *n, workspace *ws)
{
    double (*p)[8] = ws->within[e / 8], S[9][8], more[3][8] = {{0.0}};
    const int alive = alive_of(e, n);
    if (target > 0.0) {
        aim_points(target, p, more);
    } else {
        scale_points(p);
        memset(p[IN_BEND], 0, sizeof p[0]);
        slope_points(n->lags, p, S);
        for (int l = 0; l < alive; l++)
            for (int j = 0; j < 3; j++)
                for (int k = 0; k < 3; k++)
                    ws->slope[e + l][j][k] = S[3 * j + k][l];
    }
    for (int l = 0; l < alive; l++)
        for (int k = 0; k < 3; k++)
            n->wanted[3 * (e + l) + k] = (k ? p[IN_FRICTION][l] : 1.0) * (p[IN_LEFT + k][l] + more[k][l]);
}

/* Changes of g and u with those of f and v; gives how much of them can be made. */
static double take_changes(long e, const newton *n, workspace *ws)
{
    double (*p)[8] = ws->within[e / 8], dv[3][8] = {{0.0}};
    for (int l = 0; l < alive_of(e, n); l++)
        for (int k = 0; k < 3; k++) {
            dv[k][l] = (k ? p[IN_FRICTION][l] : 1.0) * n->slip[3 * (e + l) + k];
            p[IN_DG + k][l] = (k ? p[IN_OVER][l] : 1.0) * n->change[3 * (e + l) + k];
        }
    follow_points(n->lags, p, (const double (*)[8])dv, p + IN_DU);
    return reach_of_points(p);
}

/* A step to g o u = target, with the factors that there are unless it is 0; gives how much of it can be made. */
static double find_interior_step(double target, newton *n, workspace *ws)
{
    double reach = 1.0;
    for (long e = 0; e < n->g->count; e += 8)
        want_points(e, target, n, ws);
    if (!(target > 0.0) && !factor_step(n, ws))
        return 0.0;
    weigh(n, ws);
    solve_blocks(&n->of, ws);
    find_changes(n, ws);
    for (long e = 0; e < n->g->count; e += 8)
        reach = kg_min(reach, take_changes(e, n, ws));
    return reach;
}

/* Mean of g'u after the part `length` of the step. */
static double gap_at(double length, const newton *n, workspace *ws)
{
    double sum = 0.0;
    for (long e = 0; e < count_of_eights(n); e++)
        sum += product_of_points(length, ws->within[e]);
    return sum / (double)n->g->count;
}

static double interior_residual(const newton *n, workspace *ws)
{
    double largest = 0.0;
    for (long e = 0; e < count_of_eights(n); e++)
        largest = kg_max(largest, residual_of_points(ws->within[e]));
    return largest;
}

/* What g'u is to be on the mean after the first step, of which the part `made` can be made. */
static double target_after(double made, double gap, const newton *n, workspace *ws)
{
    const double part = gap_at(made, n, ws) / gap;
    double left = 0.0;
    for (long e = 0; e < count_of_eights(n); e++)
        left += bend_points(n->lags, made, ws->within[e]);
    return kg_max(OF_LEFT * left / (double)n->g->count, kg_max(1e-12, part * part * part) * gap);
}

/* A step of both; gives how much of it was made. */
static double interior_step(newton *n, workspace *ws)
{
    const double gap = gap_at(0.0, n, ws), first = find_interior_step(0.0, n, ws);
    if (!(first > 0.0) || !(gap > 0.0))
        return 0.0;
    const double reach = BEFORE_EDGE * find_interior_step(target_after(first, gap, n, ws), n, ws);
    for (long e = 0; e < n->g->count; e += 8) {
        double (*p)[8] = ws->within[e / 8];
        for (int k = 0; k < 6; k++)
            for (int l = 0; l < 8; l++)
                p[IN_G + k][l] += reach * p[IN_DG + k][l];
        for (int l = 0; l < alive_of(e, n); l++)
            for (int k = 0; k < 3; k++)
                p[IN_V + k][l] += reach * (k ? p[IN_FRICTION][l] : 1.0) * n->slip[3 * (e + l) + k];
    }
    return reach;
}

/* Impulses from what is within the cones. */
static void leave_within(newton *n, workspace *ws)
{
    for (long e = 0; e < n->g->count; e++)
        for (int k = 0; k < 3; k++)
            n->f[3 * e + k] = (k ? ws->within[e / 8][IN_FRICTION][e % 8] : 1.0) * ws->within[e / 8][IN_G + k][e % 8];
}

/* Steps until no row asks for `tolerance`; 0: they have led nowhere. */
static int interior_round(double tolerance, double residual, newton *n, workspace *ws)
{
    double left = residual;
    n->lags = 0;
    begin_within(n, ws);
    for (int step = 0; step < INTERIOR_STEPS; step++) {
        n->steps++;
        const double reach = interior_step(n, ws);
        left = interior_residual(n, ws);
        if (left < tolerance || !(left < HUGE_VAL) || (n->lags && !(reach > SHORT)))
            break;
        n->lags = n->lags || !(reach > SHORT);
    }
    leave_within(n, ws);
    return left < residual;
}

/* The island has points and limits alone. */
static int has_cones_alone(const island *g, const workspace *ws)
{
    for (long e = 0; e < g->count; e++) {
#if HAS_HELD_ROWS
        if (row_of(g, e) >= ws->cones)
            return 0;
#endif
#if HAS_TURNING
        if (row_of(g, e) >= ws->turning)
            return 0;
#endif
    }
    (void)g, (void)ws;
    return 1;
}

#endif
