/* Points between the same two links are pushed alike before each by itself, where they are far from what they take.
 *
 * Points of a face have more forces than the motion of the links can tell apart: two fingers that can only close share
 * their force among the corners in any way. Visited one by one, the first takes most of it, and what is left for the
 * others bears no moment of friction: what both fingers hold turns about one corner. Coulomb's law allows that, as it
 * allows rest. All points of a patch as one, at the mean of their places, take the same each; what they differ by is
 * left to them. */

#ifndef KINEGEN_SWEEPS_PATCH_H
#define KINEGEN_SWEEPS_PATCH_H

#include "visit.h"

enum { MEAN = CAPACITY }; /* the row of a patch as one, behind all others */

static inline int is_point(long i, const workspace *ws)
{
#if HAS_TURNING
    if (i >= ws->turning)
        return 0;
#endif
#if HAS_HELD_ROWS
    if (i >= ws->cones)
        return 0;
#endif
    return !is_coordinate(ws, i);
}

static inline int are_beside(long i, long j, const workspace *ws)
{
    return is_point(j, ws) && ws->at[i].a == ws->at[j].a && ws->at[i].b == ws->at[j].b;
}

/* Entry e of the island is the first of several points between its links. */
static inline int begins_patch(const island *g, long e, const workspace *ws)
{
    const long i = row_of(g, e);
    return e + 1 < g->count && is_point(i, ws) && are_beside(i, row_of(g, e + 1), ws)
        && (e == 0 || !are_beside(i, row_of(g, e - 1), ws));
}

/* The point presses, or is about to. */
static inline int bears(long i, workspace *ws)
{
    double v[4];
    point_velocity(i, v, ws);
    return ws->at[i].impulse[0] > 0.0 || v[0] < ws->at[i].target;
}

/* Row MEAN becomes the mean of those from entry e to `end` that bear; their number. */
static int take_mean_row(const island *g, long e, long end, workspace *ws)
{
    int count = 0;
    double *mean = ws->at[MEAN].row[0][0];
    memset(ws->at + MEAN, 0, sizeof ws->at[0]);
    ws->at[MEAN].a = ws->at[row_of(g, e)].a;
    ws->at[MEAN].b = ws->at[row_of(g, e)].b;
    for (long f = e; f < end; f++) {
        const long i = row_of(g, f);
        if (!(ws->bears[f] = bears(i, ws)))
            continue;
        kg_axpy(48, 1.0, ws->at[i].row[0][0], mean);
        ws->at[MEAN].target += ws->at[i].target;
        ws->at[MEAN].friction += ws->at[i].friction;
        for (int k = 0; k < 3; k++)
            ws->at[MEAN].impulse[k] += ws->at[i].impulse[k];
#if HAS_RIMS
        for (int k = 0; k < 3; k++)
            ws->at[MEAN].lead[k] += ws->at[i].lead[k];
#endif
        count++;
    }
    const double part = count ? 1.0 / count : 0.0;
    for (int k = 0; k < 48; k++)
        mean[k] *= part;
    ws->at[MEAN].target *= part;
    ws->at[MEAN].friction *= part;
#if HAS_RIMS
    for (int k = 0; k < 3; k++)
        ws->at[MEAN].lead[k] *= part;
#endif
    return count;
}

/* All points of a patch that begins at entry e take the same more. */
static void push_patch(const island *g, long e, workspace *ws)
{
    long end = e + 1;
    while (end < g->count && are_beside(row_of(g, e), row_of(g, end), ws))
        end++;
    const int count = take_mean_row(g, e, end, ws);
    if (count < 2)
        return;
    double before[3];
    memcpy(before, ws->at[MEAN].impulse, sizeof before);
    prepare_responses(MEAN, ws);
    prepare_inverses(MEAN, ws);
    visit(MEAN, ws);
    for (long f = e; f < end; f++)
        for (int k = 0; ws->bears[f] && k < 3; k++)
            ws->at[row_of(g, f)].impulse[k] += (ws->at[MEAN].impulse[k] - before[k]) / count;
}

/* The first point of a patch; where it is off by more than `far`, after the patch as one. */
static double visit_first(const island *g, long e, double far, workspace *ws)
{
    const long i = row_of(g, e);
    double f[3], v[4], d[4] = {0.0};
    memcpy(f, ws->at[i].impulse, sizeof f);
    point_velocity(i, v, ws);
    const double change = act(i, v, d, ws);
    if (!(change > far)) {
        push_links(ws, i, d);
        return change;
    }
    memcpy(ws->at[i].impulse, f, sizeof f);
    push_patch(g, e, ws);
    visit(i, ws);
    return change;
}

#endif
