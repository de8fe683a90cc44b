/* Points of contact and other rows of a step, as they are found. */

#ifndef KINEGEN_CONTACT_NOTE_H
#define KINEGEN_CONTACT_NOTE_H

#include "tables.h"

/* One more point, with the force of the same pair and feature in the last step, else none. `from`: where the points of
 * the last step's pairs before this one end. */
static void note(long pair, long feature, double gap, const double *point, const double *normal, long known, long *from,
    contacts *c, workspace *ws)
{
    c->found++;
    if (c->count == CAPACITY)
        return;
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
}

#endif
