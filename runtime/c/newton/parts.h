/* What Newton's method knows of an island: which dofs move its rows, in groups of six, and how each moves them. With
 * M = L'DL, y = L'^-1 J' of a link (see response_tree.h, or response_closed.h) and the rows r of a block, Y = y r and
 * K = Y' D^-1 Y. */

#ifndef KINEGEN_NEWTON_PARTS_H
#define KINEGEN_NEWTON_PARTS_H

#include "blocks.h"

/* An island, and three numbers for each of its rows in blocks of three: the impulses that left the least, then, in the
 * room of what is kept of sweeps, f0, f, v, P, d, Y'x. */
typedef struct {
    const island *g; /* null before it is prepared */
    int rested, entered; /* rest (rest.h), the interior point method has had its turn */
    int lags; /* in that, slips follow a step later */
    int steps, ended; /* steps made; no round follows */
    double least, residual; /* that sweeps have left, and what they left before the last round */
    double harder, over; /* how much harder than at first rows are; G K */
    double *best, *before, *f, *v, *wanted, *change, *slip;
    block_equations of;
} newton;

/* Seats of the dofs that move slots of the island: eight for a group, six of them taken. 0: they are too many. */
static int seat_dofs(const island *g, block_equations *of, workspace *ws)
{
    for (int e = 0; e < g->links; e++)
        for (int k = first_mover(g->link[e], ws); k < end_of_movers(g->link[e], ws); k++)
            ws->dof_seat[mover(k)] = -1;
    of->groups = 0;
    for (int e = 0, taken = 6; e < g->links; e++) {
        const int s = g->link[e];
        if (e && are_apart(g->link[e - 1], s, ws))
            taken = 6;
        for (int k = first_mover(s, ws); k < end_of_movers(s, ws); k++) {
            int *seat = ws->dof_seat + mover(k);
            if (*seat >= 0)
                continue;
            if (taken == 6) {
                if (of->groups == NEWTON_GROUPS)
                    return 0;
                of->linked[of->groups++] = 0;
                taken = 0;
            }
            *seat = 8 * (of->groups - 1) + taken++;
        }
    }
    return 1;
}

/* The part of a group among those from `first` on, a new one if it has none; -1: there is no room. */
static int part_of(int group, int first, int *count, workspace *ws)
{
    for (int w = first; w < *count; w++)
        if (ws->part_group[w] == group)
            return w;
    if (*count == NEWTON_PARTS)
        return -1;
    ws->part_group[*count] = group;
    memset(ws->columns[*count], 0, sizeof ws->columns[0]);
    memset(ws->weighed[*count], 0, sizeof ws->weighed[0]);
    return (*count)++;
}

/* Y of row i, a part for each group that moves it: by rows of four, and D^-1 Y by rows of eight. 0: no room. */
static int find_parts(long i, int *count, workspace *ws)
{
    const int first = *count;
    for (int side = 0; side < 2; side++) {
        const int s = slot_of(ws, i, side);
        for (int k = s < 0 ? 0 : first_mover(s, ws); s >= 0 && k < end_of_movers(s, ws); k++) {
            const int dof = mover(k), seat = ws->dof_seat[dof], w = part_of(seat / 8, first, count, ws);
            if (w < 0)
                return 0;
            double *y = ws->columns[w][seat % 8];
            if (s < LINKS)
                kg_add_short_rows(y, 6, (const double (*)[4])ws->at[i].row[side], ws->y[s][dof]);
            else
                y[0] += ws->at[i].row[side][0][0] * column_of_coordinate(s, ws)[dof];
            for (int r = 0; r < 3; r++)
                ws->weighed[w][r][seat % 8] = ws->iD[dof] * y[r];
        }
    }
    return 1;
}

/* The impulses that there are left less than all before. */
static void keep_best(double residual, newton *n, workspace *ws)
{
    n->least = residual;
    for (long e = 0; e < n->g->count; e++)
        memcpy(n->best + 3 * e, ws->at[row_of(n->g, e)].impulse, sizeof ws->at[0].impulse);
}

#if HAS_HELD_ROWS
/* 1/K of rows that always hold, each by itself; 0 of those that repeat others. */
static void invert_held(const island *g, workspace *ws)
{
    static const int own[3] = {0, 3, 5};
    for (long e = 0; e < g->count; e++) {
        const long i = row_of(g, e), k = i - ws->cones;
        for (int row = 0; k >= 0 && row < 3; row++)
            ws->held_iK[k][row] = k < LOCKS ? 0.0 : ws->at[i].inverse[own[row]];
    }
#if HAS_LOCKS
    for (int n = 0; n < g->rank; n++) {
        const long i = row_of(g, g->first_lock + g->order[n] / 3);
        const int row = g->order[n] % 3;
        ws->held_iK[i - ws->cones][row] = 1.0 / ws->at[i].k[own[row]];
    }
#endif
}
#endif

/* 0: rows are too many. */
static int prepare_newton(double residual, const island *g, newton *n, workspace *ws)
{
    block_equations *of = &n->of;
    int count = 0;
    if (!seat_dofs(g, of, ws))
        return 0;
    n->g = g;
    for (long e = 0; e < g->count; e++) {
        unsigned met = 0;
        ws->first_part[e] = count;
#if HAS_TURNING
        ws->entry[row_of(g, e)] = e;
#endif
        if (!find_parts(row_of(g, e), &count, ws))
            return 0;
        for (int w = ws->first_part[e]; w < count; w++)
            met |= 1u << ws->part_group[w];
        for (int w = ws->first_part[e]; w < count; w++)
            of->linked[ws->part_group[w]] |= met & ~(1u << ws->part_group[w]);
    }
#if HAS_HELD_ROWS
    invert_held(g, ws);
#endif
    ws->first_part[g->count] = count;
    n->best = ws->best;
    n->before = ws->past[4]; /* of past and change number 0 is that of the pair between two rounds */
    n->f = ws->past[1];
    n->v = ws->past[2];
    n->wanted = ws->past[3];
    n->change = ws->change[1];
    n->slip = ws->change[2];
    n->harder = 1.0;
    n->residual = residual;
    keep_best(residual, n, ws);
    return arrange_blocks(of);
}

#endif
