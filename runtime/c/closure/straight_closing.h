/* Back on the closure after a step, by straight-line code where its partition serves. Tables of the model: own_rows,
 * own_columns. */

#ifndef KINEGEN_CLOSURE_STRAIGHT_CLOSING_H
#define KINEGEN_CLOSURE_STRAIGHT_CLOSING_H

#include "closing.h"

#if HAS_CLOSING
/* 1 if the partition has the dependent columns that the straight-line code is made for, in any order. */
static int is_own(const partition *held)
{
    if (held->rank != RANK)
        return 0;
    for (int k = 0; k < RANK; k++) {
        int j = k;
        for (int i = 0; held->columns[j] != own_columns[k] && i < RANK; i++)
            j = i;
        if (held->columns[j] != own_columns[k])
            return 0;
    }
    return 1;
}

/* 1 if the straight-line code may serve a partition and these preferences. */
static int serves(const double *ready, const partition *held)
{
    return is_own(held) && memcmp(ready, readiness, sizeof readiness) == 0;
}

/* What the straight-line code tells of the closure at q: the gap r, what x closes it by, H of the partition, its pivot
 * ratio and what is left of the rows that it leaves out. Of H the entries that can differ from zero. */
typedef struct {
    double r[6 * LOOPS], x[RANK], H[sizeof own_place / sizeof *own_place], quality[2];
} closure_look;

/* A look at q. 0: the code does not serve here, or another partition should be looked for. */
static int look(const double *p, const double *q, const partition *held, closure_look *seen)
{
    KERNEL(closing, q, seen->r, seen->x, seen->H, seen->quality);
    return seen->quality[0] > KEEP && seen->quality[0] >= FALLEN * held->chosen && seen->quality[1] <= REMAINDER;
}

/* H of the partition from the entries that can differ from zero. */
static void take_entries(const double *entries, partition *held)
{
    if (own_is_dense()) {
        memcpy(held->H, entries, DENSE * sizeof *held->H);
        return;
    }
    if (!held->sparse)
        memset(held->H, 0, DENSE * sizeof *held->H);
    for (int e = 0; e < own_first[RANK]; e++)
        held->H[own_place[e]] = entries[e];
    held->sparse = 1;
}

/* The partition where a look served. */
static void take_look(const closure_look *seen, partition *held)
{
    memcpy(held->columns, own_columns, sizeof own_columns);
    memcpy(held->rows, own_rows, sizeof own_rows);
    take_entries(seen->H, held);
    held->known = held->inverted = 0;
    held->ratio = seen->quality[0];
    held->chosen = kg_max(held->chosen, seen->quality[0]);
}

/* How much faster than those that lead other coordinates move at most. */
static double gearing(const partition *held)
{
    double most = 0.0;
    for (int k = 0; k < held->rank * (NV - held->rank); k++)
        most = kg_max(most, fabs(held->H[k]));
    return most;
}

/* The partition of the straight-line code in place of one that was chosen by pivots alone, where it is nearly as good:
 * where pivots are much alike, several are. Errors of a step grow with what moves faster than the leading ones. */
static void take_own(const double *p, const double *q, const double *ready, partition *held)
{
    if (held->rank != RANK || is_own(held) || memcmp(ready, readiness, sizeof readiness) != 0)
        return;
    partition own = *held;
    memcpy(own.columns, own_columns, sizeof own_columns);
    memcpy(own.rows, own_rows, sizeof own_rows);
    if (!MODEL(partition_closure)(p, q, ready, &own) && ALIKE * gearing(&own) <= gearing(held))
        *held = own;
}

/* Newton's method by the straight-line code, q in place, from where the dependent coordinates are moved by `ahead` (nv;
 * null: nothing); gap: what is left. 0: it does not serve, and q stays. */
static int close_straight(
    const double *p, const double *ready, const double *ahead, double *q, partition *held, double *gap)
{
    closure_look seen;
    double q_new[NQ], q_next[NQ];
    if (!serves(ready, held))
        return 0;
    if (ahead)
        KERNEL(integrate, q, ahead, q_new);
    else
        memcpy(q_new, q, sizeof q_new);
    if (!look(p, q_new, held, &seen))
        return 0;
    *gap = gap_of(seen.r);
    for (int pass = 0; pass < 8 && *gap > CLOSED; pass++) {
        const double before = *gap;
        double dx[NV] = {0.0};
        for (int k = 0; k < RANK; k++)
            dx[own_columns[k]] = seen.x[k];
        KERNEL(integrate, q_new, dx, q_next);
        memcpy(q_new, q_next, sizeof q_new);
        if (!look(p, q_new, held, &seen))
            return 0;
        *gap = gap_of(seen.r);
        if (!(*gap < before))
            return 0;
    }
    if (!(*gap <= CLOSED))
        return 0;
    take_look(&seen, held);
    memcpy(q, q_new, sizeof q_new);
    return 1;
}
#else
static void take_own(const double *p, const double *q, const double *ready, partition *held)
{
    (void)p, (void)q, (void)ready, (void)held;
}
#endif

/* Newton's method with the inverse from where the closure was last, q in place, and the partition there. 0: it does not
 * serve, and q stays. */
static int close_near(const double *p, const double *ready, double *q, partition *held, long *pivotings, double *left)
{
    double r[6 * LOOPS], x[RANK_ROOM], q_new[NQ];
    if (!held->inverted || MISFIT > 0.0)
        return 0;
    memcpy(q_new, q, sizeof q_new);
    KERNEL(closure_residual, q, r);
    double gap = gap_of(r);
    while (gap > CLOSED) {
        const double before = gap;
        solve_by_inverse(held, r, x);
        if (!move_dependent(p, held, x, q_new, r, &gap) || !(gap < 0.1 * before || gap <= CLOSED))
            return 0;
    }
    const int anew = MODEL(partition_closure)(p, q_new, ready, held);
    *pivotings += anew;
    if (!(gap <= CLOSED) || held->ratio < SINGULAR)
        return 0;
    *left = gap;
    memcpy(q, q_new, sizeof q_new);
    return 1;
}

/* Back on the closure after a step, q in place, with the partition there; ready as for partition_closure, ahead as for
 * close_straight. Counts new partitions. Returns the gap. */
static double close_again(
    const double *p, const double *ready, const double *ahead, double *q, partition *held, long *pivotings)
{
#if HAS_CLOSING
    double gap;
    if (close_straight(p, ready, ahead, q, held, &gap))
        return gap;
#else
    (void)ahead;
#endif
    double reached;
    if (close_near(p, ready, q, held, pivotings, &reached))
        return reached;
    const double left = close_gap(p, q, ready, held);
    *pivotings += MODEL(partition_closure)(p, q, ready, held);
    return left;
}

#endif
