/* Stops that are near but did not push in the last step are set aside while the others are solved, which mostly leaves
 * them alone: whether it does is told by the velocity that the step ends with. Else all are solved together. */

#ifndef KINEGEN_ROWS_ASIDE_H
#define KINEGEN_ROWS_ASIDE_H

#include "../contact/touch.h"

#define ONLY_STOPS (!HAS_CUT_LIMITS && !HAS_HELD_ROWS && !HAS_TURNING && !HAS_RIMS)

static inline int has_pushed(const contact *point)
{
    return point->force[0] != 0.0;
}

/* Where only stops are near and none is deep, those that did not push leave c->points; ws->aside holds all that there
 * are. Returns how many these are; 0: none is set aside. */
long MODEL(contact_set_aside)(const options *o, contacts *c, workspace *ws)
{
    const long all = c->count;
    long pushing = 0;
    for (long i = 0; i < all; i++) {
        if (!ONLY_STOPS || o->solve || c->points[i].pair < PAIRS || c->points[i].gap < -STOP_ALLOWED)
            return 0;
        pushing += has_pushed(c->points + i);
    }
    if (pushing == all)
        return 0;
    memcpy(ws->aside, c->points, (size_t)all * sizeof *ws->aside);
    c->count = 0;
    for (long i = 0; i < all; i++)
        if (has_pushed(ws->aside + i))
            c->points[c->count++] = ws->aside[i];
    ws->links = 0; /* where none is left, nothing touches */
    return all;
}

/* All rows again, after some were solved. 1: a step of dt from v with the acceleration a leaves those that were set
 * aside alone; in the problem that was solved they are no rows. 0: one of them stops it, and all are as they were. */
int MODEL(contact_bring_back)(double dt, const double *v, const double *a, long all, contacts *c, workspace *ws)
{
    long solved = c->count;
    c->count = all;
    for (long i = 0; i < all; i++) {
        const contact *point = ws->aside + i;
        const int dof = LIMIT[point->pair - PAIRS].v;
        const double speed = point->normal[0] * (v[dof] + dt * a[dof]);
        if (!has_pushed(point) && !(speed >= least_speed(dt, point) - STOP_TOLERANCE)) {
            memcpy(c->points, ws->aside, (size_t)all * sizeof *ws->aside);
            return 0;
        }
    }
    for (long i = all - 1; i >= 0; i--)
        if (has_pushed(ws->aside + i)) {
            c->points[i] = c->points[--solved];
            ws->at[i] = ws->at[solved];
        } else {
            c->points[i] = ws->aside[i];
            memset(ws->at + i, 0, sizeof ws->at[i]);
            ws->at[i].a = -1;
            ws->at[i].b = second_slot(ws->aside[i].pair);
        }
    return 1;
}

#endif
