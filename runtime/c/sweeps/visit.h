/* The impulses of one row, or of a point with its moments, from the velocities that the others leave it. */

#ifndef KINEGEN_SWEEPS_VISIT_H
#define KINEGEN_SWEEPS_VISIT_H

#include "../contact/islands.h"
#if HAS_TURNING
#include "../rows/turning.h"
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

/* Before the high bound of a coordinate is visited: what it and the low one, the row before it if there is one, press
 * against each other moves nothing, and is taken away, or sweeps would do so by little each. */
static inline void release_bounds(long i, workspace *ws)
{
    if (!(ws->at[i].row[1][0][0] < 0.0) || i == 0 || ws->at[i - 1].a >= 0 || ws->at[i - 1].b != ws->at[i].b)
        return;
    double *low = ws->at[i - 1].impulse, *high = ws->at[i].impulse;
    const double both = kg_max(kg_min(low[0], high[0]), 0.0);
    low[0] -= both;
    high[0] -= both;
}

/* The same as visit for a bounded coordinate, which has no friction. */
static inline double visit_coordinate(long i, workspace *ws)
{
    const int slot = ws->at[i].b;
    double *f = ws->at[i].impulse;
    release_bounds(i, ws);
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

/* Velocities v along the rows of a point, less those that it is to be left with along a rim. */
static inline void point_velocity(long i, double *v, workspace *ws)
{
    velocity_of(ws, i, v);
#if HAS_RIMS
    for (int e = 0; e < 3; e++)
        v[e] -= ws->at[i].lead[e];
#endif
}

/* The same, and what it does to the velocities of all. */
static inline double visit(long i, workspace *ws)
{
    if (is_coordinate(ws, i))
        return visit_coordinate(i, ws);
    double v[4], d[4] = {0.0};
    point_velocity(i, v, ws);
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

/* The moments of a point or a limit that was visited with this change, if it has any; gives the larger change. */
static inline double visit_moments(long i, double change, workspace *ws)
{
    return ws->at[i].other < 0 ? change : kg_max(change, visit_turning(ws->at[i].other, ws));
}
#endif

#endif
