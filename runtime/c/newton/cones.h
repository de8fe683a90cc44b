/* What the rows of an island would take at given velocities v, if each gave way a little: with f0 there were before,
 *
 *     f = P(f0 - G v),   G = 1/(soft K), K: a row's own,
 *
 * P: onto the cone of a point, normal impulse first, friction within mu times that; moments within their parts of the
 * normal impulse of their point, dry friction within its bound, locks wherever they are. S = -df/dv, by columns of
 * four. K of two tangents is its larger eigenvalue, the same along both. */

#ifndef KINEGEN_NEWTON_CONES_H
#define KINEGEN_NEWTON_CONES_H

#include "parts.h"

#define LOCKED 1e5 /* G K of locks */

/* Impulses along both tangents within `limit`. 1 where they slide: w, the way they push. */
static inline int slide(
    double limit, double G, const double *before, const double *v, double *f, double (*S)[4], double *w)
{
    const double t = before[1] - G * v[1], u = before[2] - G * v[2], size2 = t * t + u * u;
    f[1] = f[2] = w[0] = w[1] = 0.0;
    if (!(limit > 0.0))
        return 0;
    if (size2 <= limit * limit) {
        f[1] = t;
        f[2] = u;
        if (S)
            S[1][1] = S[2][2] = G;
        return 0;
    }
    const double size = 1.0 / sqrt(size2), turn = G * limit * size;
    w[0] = size * t;
    w[1] = size * u;
    f[1] = limit * w[0];
    f[2] = limit * w[1];
    if (S) {
        S[1][1] = turn * w[1] * w[1];
        S[2][2] = turn * w[0] * w[0];
        S[2][1] = S[1][2] = -turn * w[0] * w[1];
    }
    return 1;
}

/* Normal impulse of point e, at the part `length` of a step. */
static inline double pressed(long e, double length, const newton *n, const workspace *ws)
{
    const double v = n->v[3 * e] + length * n->slip[3 * e];
    return kg_max(n->before[3 * e] - n->over * ws->at[row_of(n->g, e)].iK * v, 0.0);
}

/* A point, or a joint at its limit. */
static inline void give_way(long i, double normal, double over, const double *before, const double *v, double *f,
    double (*S)[4], const workspace *ws)
{
    const double G = over * ws->at[i].iK, friction = ws->at[i].friction;
    double w[2];
    f[0] = normal;
    if (slide(friction * normal, over * ws->at[i].reach, before, v, f, S, w) && S) {
        S[0][1] = friction * w[0] * G;
        S[0][2] = friction * w[1] * G;
    }
    if (S && normal > 0.0)
        S[0][0] = G;
}

/* A number within +-most; 1 if it is at a bound, with its sign in *way. */
static inline int confine(double x, double most, double *f, double *way)
{
    *f = kg_max(kg_min(x, most), -most);
    *way = x > 0.0 ? 1.0 : -1.0;
    return !(fabs(x) <= most);
}

#if HAS_TURNING
/* Moments of a point that presses with `normal`, G its own; lean = -df/dv for its velocity along the normal. */
static inline void give_way_turning(long i, double normal, double G, double over, const double *before, const double *v,
    double *f, double (*S)[4], double *lean, const workspace *ws)
{
    const double own = over * ws->at[i].iK, torsion = ws->at[i].torsion, friction = ws->at[i].friction;
    double w[2], way;
    const int sticks = !confine(before[0] - own * v[0], torsion * normal, f, &way);
    const int slides = slide(friction * normal, over * ws->at[i].reach, before, v, f, S, w);
    if (!S)
        return;
    const double follows = normal > 0.0 ? G : 0.0;
    S[0][0] = sticks ? own : 0.0;
    lean[0] = sticks ? 0.0 : way * torsion * follows;
    lean[1] = slides ? friction * w[0] * follows : 0.0;
    lean[2] = slides ? friction * w[1] * follows : 0.0;
}

/* The point whose moments row e holds, -1: it holds none. */
static inline long point_of(long e, const newton *n, const workspace *ws)
{
    const long i = row_of(n->g, e);
#if HAS_HELD_ROWS
    if (i >= ws->cones)
        return -1;
#endif
    return i >= ws->turning ? ws->entry[ws->at[i].other] : -1;
}
#endif

#if HAS_HELD_ROWS
/* A lock, which hardly gives way, or dry friction; nothing of rows that repeat others. */
static inline void give_way_held(
    long i, double over, const double *before, const double *v, double *f, double (*S)[4], const workspace *ws)
{
    const int locked = i < ws->cones + LOCKS;
    for (int k = 0; k < 3; k++) {
        const double G = (locked ? LOCKED : over) * ws->held_iK[i - ws->cones][k];
        double way;
        const int slides = confine(before[k] - G * v[k], locked ? HUGE_VAL : ws->at[i].friction, f + k, &way);
        if (S && !slides)
            S[k][k] = G;
    }
}
#endif

/* f (3) and, if asked for, S of row e at the part `length` of a step. */
static inline void respond(long e, double length, const newton *n, double *f, double (*S)[4], workspace *ws)
{
    const long i = row_of(n->g, e);
    const double *before = n->before + 3 * e, *x = n->slip + 3 * e, *at = n->v + 3 * e;
    const double v[3] = {at[0] + length * x[0], at[1] + length * x[1], at[2] + length * x[2]};
    if (S)
        memset(S, 0, 3 * sizeof *S);
#if HAS_HELD_ROWS
    if (i >= ws->cones) {
        give_way_held(i, n->over, before, v, f, S, ws);
        return;
    }
#endif
#if HAS_TURNING
    const long point = point_of(e, n, ws);
    if (point >= 0) {
        give_way_turning(i, pressed(point, length, n, ws), n->over * ws->at[ws->at[i].other].iK, n->over, before, v, f,
            S, ws->lean[e], ws);
        return;
    }
#endif
    give_way(i, pressed(e, length, n, ws), n->over, before, v, f, S, ws);
}

/* f of row e follows its velocity, or that of its point. */
static inline int follows(long e, const newton *n, const workspace *ws)
{
    const double (*S)[4] = (const double (*)[4])ws->slope[e];
#if HAS_TURNING
    if (point_of(e, n, ws) >= 0)
        return 1;
#endif
    (void)n;
    return S[0][0] > 0.0 || S[1][1] > 0.0 || S[2][2] > 0.0;
}

#endif
