/* Rest, where points that were at rest begin to slip.
 *
 * Coulomb's law may allow more than one motion of what friction holds: nearly all of the force between two fingers on
 * one corner, about which the body turns, or shared among all, at rest. Sweeps go on from the shares that the step
 * before has left, which a body that is lifted has from the ground. The solution of
 *
 *     f = P(-G v),   v = v0 + K (f - f0)                                                           (see cones.h)
 *
 * has the smallest forces: points give way a little, those that bear little slip a little, and the others bear more.
 * If all velocities that are left are within the tolerance it is as good as what the sweeps found, and it is taken. */

#ifndef KINEGEN_NEWTON_REST_H
#define KINEGEN_NEWTON_REST_H

#include "newton.h"

#define RESTING 100.0 /* times the tolerance: speeds before the step of points at rest */
#define SLIPS 2.0 /* times the tolerance: speed of one that slips */
#define AT_EDGE (1.0 - 1e-9) /* of the square of the largest friction */
#define GIVES 1e-4 /* 1/(G K) */

enum { REST_STEPS = 16 };

/* All rows are points, and hardly moved before the step. */
static int are_at_rest(double speed, const island *g, const workspace *ws)
{
    for (long e = 0; e < g->count; e++) {
        double v[4];
        const long i = row_of(g, e);
        if (!is_point(i, ws))
            return 0;
        velocity_before(ws, i, v);
        if (!(fabs(v[0]) < speed && fabs(v[1]) < speed && fabs(v[2]) < speed))
            return 0;
    }
    return 1;
}

/* One of the points slips, and all were at rest. */
static int begins_to_slip(double tolerance, const island *g, workspace *ws)
{
    for (long e = 0; e < g->count; e++) {
        const long i = row_of(g, e);
        const double *f = ws->at[i].impulse, limit = ws->at[i].friction * f[0];
        double v[4];
        if (!(f[0] > 0.0 && f[1] * f[1] + f[2] * f[2] > AT_EDGE * limit * limit))
            continue;
        point_velocity(i, v, ws);
        if (v[1] * v[1] + v[2] * v[2] > SLIPS * SLIPS * tolerance * tolerance)
            return are_at_rest(RESTING * tolerance, g, ws);
    }
    return 0;
}

/* No point comes nearer, and none that presses moves. */
static int is_still(double tolerance, const newton *n)
{
    for (long e = 0; e < n->g->count; e++) {
        const double *f = n->f + 3 * e, *v = n->v + 3 * e;
        if (!(v[0] > -tolerance))
            return 0;
        if (f[0] > 0.0 && !(v[1] * v[1] + v[2] * v[2] < tolerance * tolerance))
            return 0;
    }
    return 1;
}

/* Impulses of rest in place of those there are, if all may stay so; 1 if it is. Once a step. */
static int stays_at_rest(double tolerance, double residual, const island *g, newton *n, workspace *ws)
{
    if (n->rested || !begins_to_slip(tolerance, g, ws))
        return 0;
    n->rested = 1;
    n->ended = !prepare_newton(residual, g, n, ws);
    if (n->ended)
        return 0;
    begin_newton(residual, n, ws);
    memset(n->before, 0, 3 * (size_t)g->count * sizeof *n->before);
    n->over = 1.0 / GIVES;
    const int found = make_steps(REST_STEPS, 0.3 * tolerance, n, ws) && is_still(tolerance, n);
    n->steps = 0;
    if (found)
        take_impulses(n->wanted, n, ws);
    return found;
}

#endif
