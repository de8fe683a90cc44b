/* Rows that may act in a step: contacts, joints at their limits, rows that always hold. */

#ifndef KINEGEN_CONTACT_FIND_H
#define KINEGEN_CONTACT_FIND_H

#include "../joints/thresholds.h"
#include "note.h"
#if HAS_HELD_ROWS
#include "../rows/held_rows.h"
#endif

/* Velocity of the link's matter at its origin (see seen_by), angular velocity. */
void MODEL(contact_speeds)(const double *v, workspace *ws)
{
    for (int s = 0; s < LINKS; s++) {
        memset(ws->speed[s], 0, sizeof ws->speed[s]);
        for (int k = PATH[s]; k < PATH[s + 1]; k++)
            kg_add_scaled(ws->speed[s], v[PATH_DOF[k]], ws->axes[PATH_AXIS[k]]);
    }
}

/* Bounds that a coordinate may meet within the step, feature 0 the low one, 1 the high one: as far as it comes at its
 * speed, or at the one that it was seen to end the step with (see contact_misses). */
static void find_limits(double dt, const double *q, const double *v, long known, long *from, contacts *c, workspace *ws)
{
    static const double nowhere[3] = {0.0}, up[3] = {1.0, 0.0, 0.0}, down[3] = {-1.0, 0.0, 0.0};
    for (int k = 0; k < LIMITS; k++) {
        const double x = ws->bounded[k] = q[LIMIT[k].q];
        const double speed = ws->bounded_speed[k] = kg_max(ws->bounded_speed[k], fabs(v[LIMIT[k].v]));
        const double reach = WITHIN_REACH(dt, speed);
        if (is_idle(ws, PAIRS + k))
            continue;
        if (x - LIMIT[k].low < reach)
            note(PAIRS + k, 0, x - LIMIT[k].low, nowhere, up, known, from, c, ws);
        if (LIMIT[k].high - x < reach)
            note(PAIRS + k, 1, LIMIT[k].high - x, nowhere, down, known, from, c, ws);
    }
}

#if HAS_TURNING
/* Moments of the points that have torsional or rolling friction, in their order. */
static void find_turning(long known, long *from, contacts *c, workspace *ws)
{
    ws->turning = c->count;
    for (long i = 0; i < ws->turning && c->points[i].pair < PAIRS; i++) {
        const contact *point = c->points + i;
        if (resists_turning(point->pair))
            note(FIRST_TURNING + point->pair, point->feature, 0.0, point->point, point->normal, known, from, c, ws);
    }
}

#endif
/* Fills c->points: shapes that touch (shapes 1), joints at their limits (limits 1), rows that always hold. */
static void find(
    double dt, const options *o, int shapes, int limits, const double *q, const double *v, contacts *c, workspace *ws)
{
    const long known = c->count;
    long from = 0;
    ws->known = known;
    memcpy(ws->before, c->points, (size_t)known * sizeof(contact));
#if HAS_RIMS
    memcpy(ws->left_before, c->left, (size_t)known * sizeof *c->left);
#endif
    c->count = c->found = 0;
#if HAS_SHAPES
    if (shapes)
        find_pairs(dt, o, known, &from, c, ws);
#else
    (void)o, (void)shapes;
#endif
    if (limits)
        find_limits(dt, q, v, known, &from, c, ws);
#if HAS_TURNING
    find_turning(known, &from, c, ws);
#endif
#if HAS_HELD_ROWS
    find_rows(v, known, &from, c, ws);
#endif
}

#endif
