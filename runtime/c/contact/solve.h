/* Projected Gauss-Seidel [P §3]: accumulate, project, apply. */

#ifndef KINEGEN_CONTACT_SOLVE_H
#define KINEGEN_CONTACT_SOLVE_H

#include "islands.h"
#if HAS_TURNING
#include "../rows/turning.h"
#endif
#if HAS_HELD_ROWS
#include "../rows/held_solve.h"
#endif
#if HAS_LOCKS
#include "../rows/lock_solve.h"
#endif
#if HAS_NEWTON
#include "../newton/newton.h"
#endif

/* Change of the normal impulse of a point with velocities v. Where it slips, friction follows the normal impulse: what
 * that adds to the velocity along the normal counts, or sweeps go to and fro between too much and none. Where it takes
 * away (nearly) all that the normal gives, only a point that sticks is lifted (Painleve): get there fast. */
static inline double press(long i, const double *v, const workspace *ws)
{
    const double *k = ws->at[i].k, *f = ws->at[i].impulse, friction = ws->at[i].friction, iK = ws->at[i].iK;
    const double wanted = ws->at[i].target - v[0], change = wanted * iK, normal = f[0] + change;
    if (!(normal > 0.0))
        return -f[0];
    const double t = f[1] - v[1] * ws->at[i].reach, u = f[2] - v[2] * ws->at[i].reach, size2 = t * t + u * u;
    const double limit = friction * normal;
    if (size2 <= limit * limit)
        return change;
    const double size = sqrt(size2), own = k[0] * size, more = friction * (k[1] * t + k[2] * u);
    return kg_max(more > 0.0 ? wanted * size / (own + more) : more > -0.8 * own ? change : 5.0 * change, -f[0]);
}

/* Changes d[1], d[2] of the impulses along both tangents, within |f| <= limit, from the velocities v before the change
 * d[0] along the normal: solved together; beyond the limit they take a step against the slip, the same along both, and
 * are scaled jointly: at rest in the sweep, friction points exactly against the slip. */
static inline void rub(long i, double limit, const double *v, double *d, workspace *ws)
{
    const double *k = ws->at[i].k, *rest = ws->at[i].rest, *follow = ws->at[i].follow;
    double *f = ws->at[i].impulse;
    d[1] = -(rest[0] * v[1] + rest[1] * v[2]) - follow[0] * d[0];
    d[2] = -(rest[1] * v[1] + rest[2] * v[2]) - follow[1] * d[0];
    double t = f[1] + d[1], u = f[2] + d[2];
    if (!(t * t + u * u <= limit * limit) || rest[0] <= 0.0) {
        t = f[1] - (v[1] + k[1] * d[0]) * ws->at[i].reach;
        u = f[2] - (v[2] + k[2] * d[0]) * ws->at[i].reach;
        const double size2 = t * t + u * u;
        const double scale = size2 > limit * limit ? limit / sqrt(size2) : 1.0;
        t *= scale;
        u *= scale;
        d[1] = t - f[1];
        d[2] = u - f[2];
    }
    f[1] = t;
    f[2] = u;
}

/* The same as visit for a bounded coordinate, which has no friction. */
static inline double visit_coordinate(long i, workspace *ws)
{
    const int slot = ws->at[i].b;
    double *f = ws->at[i].impulse;
    attend(i, ws);
    const double speed = ws->at[i].row[1][0][0] * ws->twist[slot][0];
    const double normal = kg_max(f[0] + (ws->at[i].target - speed) * ws->at[i].iK, 0.0);
    const double change = normal - f[0];
    f[0] = normal;
    push_coordinate(ws, i, change);
    return fabs(change) * ws->at[i].k[0];
}

/* Impulse and its change d of point i, from the velocities v that the others leave it. Gives the change of velocity at
 * its own rows [m/s]. */
static inline double act(long i, const double *v, double *d, workspace *ws)
{
    const double *k = ws->at[i].k;
    double *f = ws->at[i].impulse;
    d[0] = press(i, v, ws);
    f[0] += d[0];
    rub(i, ws->at[i].friction * f[0], v, d, ws);
    return kg_max(fabs(d[0]) * k[0], kg_max(fabs(d[1]) * k[3], fabs(d[2]) * k[5]));
}

/* The same, and what it does to the velocities of all. */
static inline double visit(long i, workspace *ws)
{
    if (is_coordinate(ws, i))
        return visit_coordinate(i, ws);
    double v[4], d[4] = {0.0};
    velocity_of(ws, i, v);
#if HAS_RIMS
    for (int e = 0; e < 3; e++)
        v[e] -= ws->at[i].lead[e];
#endif
    const double change = act(i, v, d, ws);
    push_links(ws, i, d);
    return change;
}

#if HAS_TURNING
/* The same for moments, bounded by the normal impulse of their point [rad/s]. */
static inline double visit_turning(long i, workspace *ws)
{
    double v[4], d[3], *f = ws->at[i].impulse;
    const double *k = ws->at[i].k, normal = ws->at[ws->at[i].other].impulse[0], most = ws->at[i].torsion * normal;
    velocity_of(ws, i, v);
    const double turn = kg_max(kg_min(f[0] - v[0] * ws->at[i].iK, most), -most);
    d[0] = turn - f[0];
    rub(i, ws->at[i].friction * normal, v, d, ws);
    f[0] = turn;
    apply(ws, i, d);
    return kg_max(fabs(d[0]) * k[0], kg_max(fabs(d[1]) * k[3], fabs(d[2]) * k[5]));
}

/* A point with its moments, a limit, or nothing for moments, which go with their point. */
static inline double visit_whole(long i, workspace *ws)
{
    if (i >= ws->turning)
        return 0.0;
    const double change = visit(i, ws);
    return ws->at[i].other < 0 ? change : kg_max(change, visit_turning(ws->at[i].other, ws));
}
#else
static inline double visit_whole(long i, workspace *ws)
{
    return visit(i, ws);
}
#endif

/* All rows once, from first to last or back; gives the largest change of velocity. */
static double sweep(const island *g, int back, workspace *ws)
{
    double largest = 0.0;
    for (long e = 0; e < g->count; e++) {
        const long at = back ? g->count - 1 - e : e, i = row_of(g, at);
        if (e + 1 < g->count)
            kg_fetch(ws->at + row_of(g, back ? at - 1 : at + 1), (int)sizeof ws->at[0]);
#if HAS_LOCKS
        if (is_lock(i, ws)) {
            if (at == g->first_lock)
                largest = kg_max(largest, visit_locks(g, ws));
            continue;
        }
#endif
#if HAS_HELD_ROWS
        largest = kg_max(largest, i < ws->cones ? visit_whole(i, ws) : visit_bounded(i, ws));
#else
        largest = kg_max(largest, visit_whole(i, ws));
#endif
    }
    return largest;
}

/* ---- Anderson acceleration of sweeps down and up: the mean of the last few whose changes cancel best --- */

static void begin_pair(const island *g, workspace *ws)
{
    for (long e = 0; e < g->count; e++)
        memcpy(ws->start + 3 * e, ws->at[row_of(g, e)].impulse, sizeof ws->at[0].impulse);
}

/* Impulses and velocities after the pair, and its change, as number `newest`; products of changes in the metric of K's
 * diagonal. */
static void keep_pair(const island *g, int newest, int kept, double products[KEPT][KEPT], workspace *ws)
{
    double *past = ws->past[newest], *change = ws->change[newest], *scaled = ws->start;
    settle(ws);
    for (long e = 0; e < g->count; e++) {
        const double *f = ws->at[row_of(g, e)].impulse, *k = ws->at[row_of(g, e)].k, metric[3] = {k[0], k[3], k[5]};
        for (int i = 0; i < 3; i++) {
            past[3 * e + i] = f[i];
            change[3 * e + i] = f[i] - scaled[3 * e + i];
            scaled[3 * e + i] = metric[i] * change[3 * e + i];
        }
    }
    for (int j = 0; j < kept; j++)
        products[newest][j] = products[j][newest] = kg_dot((int)(3 * g->count), scaled, ws->change[j]);
    for (int e = 0; e < g->links; e++)
        memcpy(ws->past_twist[newest][g->link[e]], ws->twist[g->link[e]], sizeof ws->twist[0]);
}

/* Weights, sum 1, of the changes whose mean is the least; 0 if there are none. */
static int best_weights(int kept, double products[KEPT][KEPT], double *w)
{
    double A[KEPT][KEPT], sum = 0.0;
    memcpy(A, products, sizeof A);
    for (int i = 0; i < kept; i++) {
        A[i][i] *= 1.0 + 1e-10; /* changes may repeat each other */
        w[i] = 1.0;
        if (!(A[i][i] > 1e-200))
            return 0;
    }
    for (int k = 0; k < kept; k++)
        for (int i = k + 1; i < kept; i++) {
            const double factor = A[i][k] / A[k][k];
            for (int j = k; j < kept; j++)
                A[i][j] -= factor * A[k][j];
            w[i] -= factor * w[k];
        }
    for (int i = kept - 1; i >= 0; i--) {
        for (int j = i + 1; j < kept; j++)
            w[i] -= A[i][j] * w[j];
        w[i] /= A[i][i];
        sum += w[i];
    }
    for (int i = 0; i < kept; i++)
        w[i] /= sum;
    return sum > 0.0 && sum < 1e200;
}

/* The mean of what is kept; it may leave the cones, the next sweep returns. */
static void take_mean(const island *g, int kept, const double *w, workspace *ws)
{
    double *mean = ws->start;
    const int n = (int)(3 * g->count);
    memset(mean, 0, (size_t)n * sizeof *mean);
    for (int j = 0; j < kept; j++)
        kg_axpy(n, w[j], ws->past[j], mean);
    for (long e = 0; e < g->count; e++)
        memcpy(ws->at[row_of(g, e)].impulse, mean + 3 * e, 3 * sizeof *mean);
    for (int e = 0; e < g->links; e++) {
        double *twist = ws->twist[g->link[e]];
        memset(twist, 0, sizeof ws->twist[0]);
        for (int j = 0; j < kept; j++)
            kg_add_scaled(twist, w[j], ws->past_twist[j][g->link[e]]);
    }
}

/* Pairs of sweeps that are kept: how many, the newest, products of their changes, that of the last with itself. */
typedef struct {
    int kept, newest;
    double products[KEPT][KEPT], last;
} sweep_pairs;

static void forget_pairs(sweep_pairs *of)
{
    of->kept = of->newest = 0;
    of->last = 0.0;
}

/* Enters the pair just made; 1 if there is a mean to follow, with weights w. Where changes grow, all are forgotten. */
static int enter_pair(const island *g, sweep_pairs *of, double *w, workspace *ws)
{
    const int newest = of->newest;
    of->kept = of->kept < KEPT ? of->kept + 1 : KEPT;
    keep_pair(g, newest, of->kept, of->products, ws);
    if (of->products[newest][newest] > 4.0 * of->last && of->kept > 1) {
        forget_pairs(of);
        return 0;
    }
    of->last = of->products[newest][newest];
    of->newest = (newest + 1) % KEPT;
    return of->kept > 1 && best_weights(of->kept, of->products, w);
}

/* Sweeps down and up until one changes no velocity by `tolerance`; the last follow no mean. Gives its change. */
static double solve(const options *o, double tolerance, const island *g, long *sweeps, workspace *ws)
{
    double residual = 0.0, w[KEPT];
    sweep_pairs made = {0, 0, {{0.0}}, 0.0};
#if HAS_NEWTON
    newton n;
    n.steps = n.ended = 0;
#endif
    *sweeps = 0;
    while (*sweeps < o->sweeps) {
        const int back = (int)(*sweeps % 2), late = *sweeps >= PLAIN;
        int awaited = 0; /* a round of Newton's method, which goes on from what a sweep left, within the cones */
#if HAS_NEWTON
        if (!back && *sweeps + PLAIN <= o->sweeps && awaits_round(*sweeps, tolerance, &n)
            && go_by_newton(tolerance, residual, g, &n, ws))
            forget_pairs(&made);
#endif
        if (late && !back)
            begin_pair(g, ws);
        residual = sweep(g, back, ws);
        ++*sweeps;
#if HAS_NEWTON
        if (n.steps && residual < n.least)
            keep_best(residual, &n, ws);
        awaited = awaits_round(*sweeps, tolerance, &n);
#endif
        if (residual < tolerance)
            break;
        if (late && back && *sweeps + PLAIN <= o->sweeps && enter_pair(g, &made, w, ws) && !awaited)
            take_mean(g, made.kept, w, ws);
    }
    settle(ws);
#if HAS_NEWTON
    if (n.steps && residual > n.least)
        residual = take_best(&n, ws);
#endif
    return residual;
}

#endif
