/* Points of contact and other rows of a step, as they are found. */

#ifndef KINEGEN_CONTACT_NOTE_H
#define KINEGEN_CONTACT_NOTE_H

#include "tables.h"

/* One more point, with the force of the same pair and feature in the last step, else none. `from`: where the points of
 * the last step's pairs before this one end. 1: the pair touched, but not there. */
static int note(long pair, long long feature, double gap, const double *point, const double *normal, long known,
    long *from, contacts *c, workspace *ws)
{
    c->found++;
    if (c->count == CAPACITY)
        return 0;
    contact *noted = c->points + c->count++;
    noted->pair = pair;
    noted->feature = feature;
    noted->gap = gap;
    memcpy(noted->point, point, sizeof noted->point);
    memcpy(noted->normal, normal, sizeof noted->normal);
    while (*from < known && ws->before[*from].pair < pair)
        ++*from;
    long old = *from;
    while (old < known && ws->before[old].pair == pair && ws->before[old].feature != feature)
        old++;
    const int fresh = old >= known || ws->before[old].pair != pair;
    for (int k = 0; k < 3; k++) {
        noted->force[k] = fresh ? 0.0 : ws->before[old].force[k];
        noted->moment[k] = 0.0;
    }
#if HAS_RIMS
    ws->was[c->count - 1] = fresh ? -1 : old;
#endif
    return fresh && *from < known && ws->before[*from].pair == pair;
}

static inline int has_feature(long long feature, const contact *points, long count)
{
    for (long i = 0; i < count; i++)
        if (points[i].feature == feature)
            return 1;
    return 0;
}

/* Points of the pair that was noted last, from `first` on, some of which are new: each point of the last step that is
 * no more hands its force on to the nearest of them. Where edges lie on each other, rounding makes the same corner one
 * of either solid, or where both edges cross. */
static inline void hand_on(long first, long known, long from, contacts *c, const workspace *ws)
{
    const contact *before = ws->before + from, *points = c->points + first;
    const long count = c->count - first;
    long were = 0;
    while (from + were < known && before[were].pair == points->pair)
        were++;
    for (long old = 0; old < were; old++) {
        double least = HUGE_VAL;
        long nearest = -1;
        for (long i = 0; i < count && !has_feature(before[old].feature, points, count); i++) {
            const double *x = points[i].point, *y = before[old].point, d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
            if (kg_dot3(d, d) < least && !has_feature(points[i].feature, before, were)) {
                least = kg_dot3(d, d);
                nearest = first + i;
            }
        }
        for (int k = 0; nearest >= 0 && k < 3; k++)
            c->points[nearest].force[k] += before[old].force[k];
    }
}

#endif
