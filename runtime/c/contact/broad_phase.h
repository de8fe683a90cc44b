/* Broad phase: balls about the shapes, swept along the axis over which they are spread most. */

#ifndef KINEGEN_CONTACT_BROAD_PHASE_H
#define KINEGEN_CONTACT_BROAD_PHASE_H

#include "../joints/thresholds.h"
#include "note.h"

/* Number of the pair of two shapes, -1 for none: it is in the last run of the earlier shape that begins before it. */
static int pair_of(int i, int j)
{
    const int earlier = i < j ? i : j, later = i < j ? j : i;
    int low = FIRST_RUN[earlier], high = FIRST_RUN[earlier + 1];
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (RUN[middle].later <= later)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == FIRST_RUN[earlier])
        return -1;
    const int pair = RUN[low - 1].start + later - RUN[low - 1].later;
    return pair < RUN[low].start ? pair : -1;
}

/* Pairs whose first shape has no bounds are always tried. */
static void try_unbounded(workspace *ws)
{
    memset(ws->near, 0, sizeof ws->near);
    for (int k = 0; k < RUNS; k++)
        if (SHAPE[RUN[k].turned ? RUN[k].later : RUN[k].shape].kind <= KG_HEIGHT_FIELD)
            for (int pair = RUN[k].start; pair < RUN[k + 1].start; pair++)
                ws->near[pair / 64] |= 1ULL << (pair % 64);
}

/* How far a shape may be from another and be found, with what the other's size and distance add to its way (see
 * find_pair): such are within four times the widest reach. Half of CLOSE for each of the two. */
static double reach_of(int shape, double dt, const workspace *ws)
{
    const int s = SHAPE[shape].slot;
    double u[3];
    if (s < 0)
        return SHAPE[shape].reach + 0.5 * CLOSE;
    const double *w = ws->speed[s];
    velocity_at(s, w, ws->shape_p[shape], u, ws);
    return SHAPE[shape].reach - 0.5 * CLOSE
        + WITHIN_REACH(dt, sqrt(kg_dot3(u, u)) + sqrt(kg_dot3(w + 3, w + 3)) * 4.0 * WIDEST);
}

/* The axis of the largest spread; another one only if it is much larger, as the order along it then starts anew. */
static int widest_axis(const workspace *ws)
{
    double sum[3] = {0.0}, sum2[3] = {0.0}, spread[3];
    int best = ws->sweep_axis;
    for (int k = 0; k < BOUNDED; k++)
        for (int i = 0; i < 3; i++) {
            const double x = ws->shape_p[ws->order[k]][i];
            sum[i] += x;
            sum2[i] += x * x;
        }
    for (int i = 0; i < 3; i++)
        spread[i] = sum2[i] - sum[i] * sum[i] / (double)BOUNDED;
    for (int i = 0; i < 3; i++)
        if (spread[i] > 2.0 * spread[best])
            best = i;
    return best;
}

/* Sets a bit of ws->near for every pair that may meet; what is kept from the last step saves time and changes
 * nothing. */
static void sweep_shapes(double dt, workspace *ws)
{
    double low[SHAPES], reach[SHAPES];
    try_unbounded(ws);
    if (ws->order[0] == ws->order[1])
        for (int k = 0, i = 0; i < SHAPES; i++)
            if (SHAPE[i].kind > KG_HEIGHT_FIELD)
                ws->order[k++] = i;
    const int axis = ws->sweep_axis = widest_axis(ws);
    for (int k = 0; k < BOUNDED; k++) {
        const int i = ws->order[k];
        reach[i] = reach_of(i, dt, ws);
        low[i] = ws->shape_p[i][axis] - reach[i];
        int at = k;
        for (; at > 0 && low[ws->order[at - 1]] > low[i]; at--)
            ws->order[at] = ws->order[at - 1];
        ws->order[at] = i;
    }
    for (int k = 0; k < BOUNDED; k++) {
        const int i = ws->order[k];
        const double *p = ws->shape_p[i], high = low[i] + 2.0 * reach[i];
        for (int e = k + 1; e < BOUNDED && low[ws->order[e]] <= high; e++) {
            const int j = ws->order[e];
            const double d[3] = {ws->shape_p[j][0] - p[0], ws->shape_p[j][1] - p[1], ws->shape_p[j][2] - p[2]};
            if (kg_dot3(d, d) > (reach[i] + reach[j]) * (reach[i] + reach[j]))
                continue;
            const int pair = pair_of(i, j);
            if (pair >= 0)
                ws->near[pair / 64] |= 1ULL << (pair % 64);
        }
    }
}

#endif
