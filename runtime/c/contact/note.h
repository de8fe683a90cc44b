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
    memset(noted->force, 0, sizeof noted->force);
    memset(noted->moment, 0, sizeof noted->moment);
#if HAS_RIMS
    ws->was[c->count - 1] = -1;
#endif
    while (*from < known && ws->before[*from].pair < pair)
        ++*from;
    for (long j = *from; j < known && ws->before[j].pair == pair; j++)
        if (ws->before[j].feature == feature) {
            memcpy(noted->force, ws->before[j].force, sizeof noted->force);
#if HAS_RIMS
            ws->was[c->count - 1] = j;
#endif
        }
}

#endif
