/* Rows that no velocities can meet together, as where a driven joint presses a body against what does not give way.
 * Impulses grow from sweep to sweep there, and means and Newton's method make them as large as rounding lets them. */

#ifndef KINEGEN_SWEEPS_UNMET_H
#define KINEGEN_SWEEPS_UNMET_H

#include "acceleration.h"

#define UNMET 0.1 /* of what rows ask for without impulses: more left than this part of it is much */
#define AS_WELL 2.0 /* plain sweeps leave as much if they leave at most so many times what the others do */
#define BEYOND 100.0 /* times the impulses of plain sweeps: larger ones are far beyond */
#define HIDDEN 1e14 /* times the tolerance: impulses that give rows such velocities hide by rounding what they leave */
#define BLURRED 1e12 /* times the tolerance: velocities that have changed by so much are found anew */
#define PRESSED 10.0 /* times what rows ask for: from such impulses on the speeds of a push are looked at, */
#define SEED 100.0 /* and from these on it is that of plain sweeps */

enum { FROM_NONE = 30, PATIENT = 24 }; /* plain sweeps; sweeps after which a push that grows so is given up */

/* The largest velocity that a row's first impulse gives the row by itself. */
static double largest_effect(const island *g, const workspace *ws)
{
    double largest = 0.0;
    for (long e = 0; e < g->count; e++) {
        const double effect = fabs(ws->at[row_of(g, e)].impulse[0]) * ws->at[row_of(g, e)].k[0];
        largest = effect <= largest ? largest : effect;
    }
    return largest;
}

/* The fastest that points and limits move without impulses: nearer than they may, or across. */
static double asked_of(const island *g, const workspace *ws)
{
    double asked = 0.0;
    for (long e = 0; e < g->count; e++) {
        const long i = row_of(g, e);
        double v[4] = {0.0};
#if HAS_HELD_ROWS
        if (i >= ws->cones)
            continue;
#endif
#if HAS_TURNING
        if (i >= ws->turning)
            continue;
#endif
        for (int side = 0; side < 2; side++) {
            const int s = slot_of(ws, i, side);
            if (s >= 0)
                kg_add_short_rows(v, 6, (const double (*)[4])ws->at[i].row[side], ws->free_twist[s]);
        }
        asked = kg_max(asked, kg_max(ws->at[i].target - v[0], ws->at[i].friction > 0.0 ? hypot(v[1], v[2]) : 0.0));
    }
    return asked;
}

/* Impulses and velocities as number n of those that are kept. */
static void keep_as(int n, const island *g, workspace *ws)
{
    settle(ws);
    for (long e = 0; e < g->count; e++)
        memcpy(ws->past[n] + 3 * e, ws->at[row_of(g, e)].impulse, sizeof ws->at[0].impulse);
    for (int e = 0; e < g->links; e++)
        memcpy(ws->past_twist[n][g->link[e]], ws->twist[g->link[e]], sizeof ws->twist[0]);
}

/* Velocities without impulses, as they were found. */
static void take_free(const island *g, workspace *ws)
{
    settle(ws);
    for (int e = 0; e < g->links; e++)
        memcpy(ws->twist[g->link[e]], ws->free_twist[g->link[e]], sizeof ws->twist[0]);
}

static void begin_from_none(const island *g, workspace *ws)
{
    take_free(g, ws);
    for (long e = 0; e < g->count; e++)
        memset(ws->at[row_of(g, e)].impulse, 0, sizeof ws->at[0].impulse);
}

/* Velocities with the impulses that there are, without what larger ones have left in them by rounding. */
static void find_anew(const island *g, workspace *ws)
{
    take_free(g, ws);
    for (long e = 0; e < g->count; e++)
        apply(ws, row_of(g, e), ws->at[row_of(g, e)].impulse);
    settle(ws);
}

/* What stands in ws->twist is without impulses. */
static void keep_free(workspace *ws)
{
    for (int e = 0; e < ws->links; e++)
        memcpy(ws->free_twist[ws->list[e]], ws->twist[ws->list[e]], sizeof ws->twist[0]);
}

#endif
