/* How much faster than the velocities that lead a partition others move, and a choice by which that is less. What a
 * step misses the closure by is put back along those that follow, and moves the mechanism by as much more: near the dead
 * point of what leads, by more than the step did. */

#ifndef KINEGEN_CLOSURE_GEARING_H
#define KINEGEN_CLOSURE_GEARING_H

#include "partition.h"

#define GEARED 4.0 /* from which on others are looked for */

/* The largest entry of H, in units of the loops. */
static double gearing(const partition *held)
{
    const int m = held->rank, free = NV - m;
    double most = 0.0, size[NV];
    for (int j = 0; j < free; j++)
        size[j] = unit[held->columns[m + j]];
    for (int k = 0; k < m; k++)
        most = kg_max(most, per_unit[held->columns[k]] * kg_largest_product(free, held->H + k * free, size));
    return most;
}

/* The partition of the largest pivots at q in place of one whose gearing it halves; 0: it does not, and that stays. */
static int lead_better(const double *p, const double *q, const double *ready, double geared, partition *held)
{
    double K[6 * LOOPS * NV];
    partition found = *held;
    elimination e;
    KERNEL(closure_rows, q, K);
    eliminate_anew(p, K, 0, ready, 0.0, &e, &found);
    take_dependence(&found, &e, 0);
    if (found.rank != held->rank || !(gearing(&found) <= 0.5 * geared))
        return 0;
    *held = found;
    held->known = held->inverted = 0;
    return 1;
}

#endif
