/* Projected Gauss-Seidel [P §3]: accumulate, project, apply. */

#ifndef KINEGEN_CONTACT_SOLVE_H
#define KINEGEN_CONTACT_SOLVE_H

#include "../joints/thresholds.h"
#include "../linear/lane_vectors.h"
#include "../sweeps/patch.h"
#include "../sweeps/unmet.h"
#if HAS_HELD_ROWS
#include "../rows/held_solve.h"
#endif
#if HAS_LOCKS
#include "../rows/lock_solve.h"
#endif
#if HAS_NEWTON
#include "../newton/rest.h"
#endif

/* The row at entry e of the island; nothing for moments, which go with their point. `far`: see visit_first. */
static inline double visit_entry(const island *g, long e, double far, workspace *ws)
{
    const long i = row_of(g, e);
#if HAS_HELD_ROWS
    if (i >= ws->cones)
        return visit_bounded(i, ws);
#endif
#if HAS_TURNING
    if (i >= ws->turning)
        return 0.0;
#endif
    const double change = far < HUGE_VAL && begins_patch(g, e, ws) ? visit_first(g, e, far, ws) : visit(i, ws);
#if HAS_TURNING
    return visit_moments(i, change, ws);
#else
    return change;
#endif
}

/* All rows once, from first to last or back; gives the largest change of velocity. */
static KG_INLINE double sweep(const island *g, int back, double far, workspace *ws)
{
    double largest = 0.0;
    for (long n = 0; n < g->count; n++) {
        const long e = back ? g->count - 1 - n : n;
        if (n + 1 < g->count)
            kg_fetch(ws->at + row_of(g, back ? e - 1 : e + 1), (int)sizeof ws->at[0]);
#if HAS_LOCKS
        if (is_lock(row_of(g, e), ws)) {
            if (e == g->first_lock)
                largest = kg_max(largest, visit_locks(g, ws));
            continue;
        }
#endif
        largest = kg_max(largest, visit_entry(g, e, far, ws));
    }
    return largest;
}

/* Sweeps down and up until one changes no velocity by `tolerance`; the last follow no mean. Gives its change. What no
 * velocities can meet is given up once impulses are `most` (see largest_effect). */
static double sweep_until(const options *o, double tolerance, double most, const island *g, long *sweeps, workspace *ws)
{
    double residual = 0.0, w[KEPT];
    sweep_pairs made = {0, 0, {{0.0}}, 0.0};
#if HAS_NEWTON
    newton n;
    n.g = 0;
    n.rested = n.entered = n.steps = n.ended = 0;
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
        residual = sweep(g, back, back || late ? HUGE_VAL : tolerance, ws);
        ++*sweeps;
        if (!(residual <= BLURRED * o->tolerance) && tolerance > 0.0)
            find_anew(g, ws);
#if HAS_NEWTON
        if (n.steps && residual < n.least)
            keep_best(residual, &n, ws);
        awaited = awaits_round(*sweeps, tolerance, &n);
#endif
#if HAS_NEWTON
        if ((residual < tolerance || *sweeps == PLAIN) && *sweeps + PLAIN <= o->sweeps
            && stays_at_rest(tolerance, residual, g, &n, ws)) {
            forget_pairs(&made);
            if (late && !back)
                begin_pair(g, ws);
            continue;
        }
#endif
        if (residual < tolerance || (*sweeps == PATIENT && most < HUGE_VAL && largest_effect(g, ws) > most))
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

/* A sweep by itself. */
static KG_NOINLINE double plain_sweep(const island *g, int back, workspace *ws)
{
    return sweep(g, back, HUGE_VAL, ws);
}

/* The mean of the last two of plain sweeps from none, in place of impulses so large that rounding hides what they
 * leave, or far beyond those of the sweeps where both leave much of what rows ask for. Gives what is left. */
static KG_NOINLINE double restrain(double residual, int hidden, const island *g, workspace *ws)
{
    static const double halves[KEPT] = {0.5, 0.5}, as_they_were[KEPT] = {0.0, 0.0, 1.0};
    const double effect = largest_effect(g, ws), much = UNMET * asked_of(g, ws);
    if (residual <= much && !hidden)
        return residual;
    double left = 0.0;
    find_anew(g, ws);
    residual = kg_max(residual, plain_sweep(g, 0, ws));
    keep_as(2, g, ws);
    begin_from_none(g, ws);
    for (int n = 0; n < FROM_NONE; n++) {
        left = plain_sweep(g, n % 2, ws);
        keep_as(n % 2, g, ws);
    }
    const int beyond = left > much && left <= AS_WELL * residual && effect > BEYOND * largest_effect(g, ws);
    take_mean(g, 3, hidden || beyond ? halves : as_they_were, ws);
    return hidden || beyond ? left : residual;
}

/* Impulses of the rows of an island; gives the largest change of velocity that is left. */
static double solve(const options *o, double tolerance, double most, const island *g, long *sweeps, workspace *ws)
{
    const double residual = sweep_until(o, tolerance, most, g, sweeps, ws);
    const int hidden = *sweeps > 1 && !(largest_effect(g, ws) <= HIDDEN * o->tolerance);
    if ((residual < tolerance && !hidden) || !(tolerance > 0.0) || g->locks)
        return residual;
    return restrain(residual, hidden, g, ws);
}

/* What an island of a push is made of. */
enum { POINTS_ALONE, WITH_LIMITS, WITH_OTHERS };

static int made_of(const island *g, const workspace *ws)
{
    int limits = 0;
    for (long e = 0; e < g->count; e++) {
        const int limit = is_coordinate(ws, row_of(g, e));
        if (!limit && !is_point(row_of(g, e), ws))
            return WITH_OTHERS;
        limits |= limit;
    }
    return limits ? WITH_LIMITS : POINTS_ALONE;
}

/* The fastest that a row is to be pushed. */
static double fastest_push(const island *g, const workspace *ws)
{
    double fastest = 0.0;
    for (long e = 0; e < g->count; e++)
        fastest = kg_max(fastest, ws->at[row_of(g, e)].target);
    return fastest;
}

/* Impulses, by their effect, from which on a push cannot be had. */
static double most_of_push(const island *g, const workspace *ws)
{
    return made_of(g, ws) == WITH_OTHERS ? HUGE_VAL : SEED * fastest_push(g, ws);
}

/* A limit is pushed back more slowly than it is to be. */
static int misses_limits(double tolerance, const island *g, workspace *ws)
{
    for (long e = 0; e < g->count; e++) {
        double v[4];
        if (!is_coordinate(ws, row_of(g, e)))
            continue;
        velocity_of(ws, row_of(g, e), v);
        if (!(v[0] >= ws->at[row_of(g, e)].target - tolerance))
            return 1;
    }
    return 0;
}

/* Limits alone, from none. */
static void meet_limits(const options *o, double tolerance, const island *g, workspace *ws)
{
    double change = HUGE_VAL;
    begin_from_none(g, ws);
    for (long n = 0; n < o->sweeps && change > tolerance; n++) {
        change = 0.0;
        for (long e = 0; e < g->count; e++)
            if (is_coordinate(ws, row_of(g, e)))
                change = kg_max(change, visit_coordinate(row_of(g, e), ws));
    }
    settle(ws);
}

/* The fastest that a point of the island moves. */
static double fastest_point(const island *g, workspace *ws)
{
    double fastest = 0.0, v[4];
    for (long e = 0; e < g->count; e++) {
        if (!is_point(row_of(g, e), ws))
            continue;
        velocity_of(ws, row_of(g, e), v);
        fastest = kg_max(fastest, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    }
    return fastest;
}

/* What is pressed from two sides is not pushed out across, as a seed between fingers: no impulses so far beyond what
 * rows ask for, and, where they are beyond it, no point faster than twice what is allowed. What would be left of a
 * joint's limit would stay, and grow: where both cannot be had, limits are met, and what is too deep stays so. Moments
 * and rows that always hold are left as they are. */
static void hold_push(const options *o, double tolerance, const island *g, workspace *ws)
{
    const int rows = made_of(g, ws);
    const double asked = fastest_push(g, ws), effect = largest_effect(g, ws), most = 2.0 * o->recovery_speed;
    if (rows == WITH_OTHERS)
        return;
    if (rows == WITH_LIMITS) {
        if (misses_limits(2.0 * tolerance, g, ws) || (effect > PRESSED * asked && fastest_point(g, ws) > most))
            meet_limits(o, tolerance, g, ws);
        return;
    }
    if (effect <= PRESSED * asked)
        return;
    if (!(effect <= SEED * asked))
        restrain(0.0, 1, g, ws);
    const double fastest = fastest_point(g, ws);
    for (long e = 0; !(fastest <= most) && e < g->count; e++)
        for (int k = 0; k < 3; k++)
            ws->at[row_of(g, e)].impulse[k] *= most / fastest;
}

/* A push that would turn a link too far for its first order is made shorter. */
static void shorten_push(double dt, const island *g, workspace *ws)
{
    double turn = 0.0;
    for (int e = 0; e < g->links; e++) {
        const double *w = ws->twist[g->link[e]] + 3;
        if (g->link[e] < LINKS)
            turn = kg_max(turn, dt * sqrt(kg_dot3(w, w)));
    }
    for (long e = 0; turn > FARTHEST_PUSH && e < g->count; e++)
        for (int k = 0; k < 3; k++)
            ws->at[row_of(g, e)].impulse[k] *= FARTHEST_PUSH / turn;
}

#endif
