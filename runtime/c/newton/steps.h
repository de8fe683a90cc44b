/* A step of Newton's method on an island: with S = -dP/dv,
 *
 *     (1 + D^-1 Y S Y') x = D^-1 Y (P - f),   d = P - f - S Y'x
 *
 * Moments follow the velocity of their point along its normal as well (`lean`), since what presses bounds them. x has a
 * number for each dof, those of a tree in groups of six: limbs meet in the dofs of what carries them alone. */

#ifndef KINEGEN_NEWTON_STEPS_H
#define KINEGEN_NEWTON_STEPS_H

#include "cones.h"

/* What row e with slope S adds to 1 + D^-1 Y S Y'; column j of a block is what number j of x does. */
static void add_row(long e, const double (*S)[4], newton *n, workspace *ws)
{
    for (int to = ws->first_part[e]; to < ws->first_part[e + 1]; to++) {
        double d[6][4] = {{0.0}};
        for (int j = 0; j < 6; j++)
            kg_add_short_rows(d[j], 3, S, ws->columns[to][j]);
#if HAS_TURNING
        const long point = point_of(e, n, ws);
        for (int j = 0; point >= 0 && j < 6; j++) /* the same links: the same parts */
            for (int k = 0; k < 3; k++)
                d[j][k] += ws->lean[e][k] * ws->columns[ws->first_part[point] + to - ws->first_part[e]][j][0];
#endif
        for (int from = ws->first_part[e]; from < ws->first_part[e + 1]; from++) {
            double (*block)[8] = block_at(&n->of, ws->part_group[from], ws->part_group[to], ws);
            for (int j = 0; j < 6; j++)
                kg_add_three_rows(block[j], (const double (*)[8])ws->weighed[from], d[j]);
        }
    }
}

/* The factors of 1 + D^-1 Y S Y'; 0: there are none. */
static int factor_step(newton *n, workspace *ws)
{
    block_equations *of = &n->of;
    memset(ws->block, 0, (size_t)of->blocks * sizeof ws->block[0]);
    for (int k = 0; k < of->groups; k++)
        for (int j = 0; j < 6; j++)
            block_at(of, k, k, ws)[j][j] = 1.0;
    for (long e = 0; e < n->g->count; e++)
        if (follows(e, n, ws))
            add_row(e, (const double (*)[4])ws->slope[e], n, ws);
    return factor_blocks(of, ws);
}

/* x = D^-1 Y (P - f) */
static void weigh(newton *n, workspace *ws)
{
    block_equations *of = &n->of;
    memset(of->x, 0, (size_t)of->groups * sizeof of->x[0]);
    for (long e = 0; e < n->g->count; e++) {
        const double *f = n->f + 3 * e, *to = n->wanted + 3 * e, d[3] = {to[0] - f[0], to[1] - f[1], to[2] - f[2]};
        for (int w = ws->first_part[e]; w < ws->first_part[e + 1]; w++)
            kg_add_three_rows(of->x[ws->part_group[w]], (const double (*)[8])ws->weighed[w], d);
    }
}

/* Y'x and d of all rows; gives (Y'x)' (f - P). */
static double find_changes(newton *n, workspace *ws)
{
    double slope = 0.0;
    for (long e = 0; e < n->g->count; e++) {
        const double *f = n->f + 3 * e, *to = n->wanted + 3 * e;
        double v[4] = {0.0}, less[4] = {0.0}, *d = n->change + 3 * e;
        for (int w = ws->first_part[e]; w < ws->first_part[e + 1]; w++)
            kg_add_short_rows(v, 6, (const double (*)[4])ws->columns[w], n->of.x[ws->part_group[w]]);
        kg_add_short_rows(less, 3, (const double (*)[4])ws->slope[e], v);
#if HAS_TURNING
        const long point = point_of(e, n, ws);
        for (int k = 0; point >= 0 && k < 3; k++)
            less[k] += ws->lean[e][k] * n->slip[3 * point];
#endif
        for (int k = 0; k < 3; k++) {
            d[k] = to[k] - f[k] - less[k];
            n->slip[3 * e + k] = v[k];
            slope += v[k] * (f[k] - to[k]);
        }
    }
    return slope;
}

/* The part `length` of the step is made. */
static void take_step(double length, newton *n)
{
    for (long j = 0; j < 3 * n->g->count; j++) {
        n->f[j] += length * n->change[j];
        n->v[j] += length * n->slip[j];
    }
}

#endif
