/* Back on the closure after a step, by straight-line code where its partition serves. Tables of the model: own_rows,
 * own_columns. */

#ifndef KINEGEN_CLOSURE_STRAIGHT_CLOSING_H
#define KINEGEN_CLOSURE_STRAIGHT_CLOSING_H

#include "closing.h"
#include "led_motion.h"

typedef MODEL(memory) memory;

/* How a step is put back on the closure: what its dependent coordinates, in the order of the partition, are moved by at
 * once, if that is known, and what they were moved by in all, with what the last look still asked for. */
typedef struct {
    int looks_ahead;
    double ahead[RANK_ROOM], moved[RANK_ROOM], left[RANK_ROOM];
} closing_way;

#if HAS_CLOSING
/* 1 if the partition has the dependent columns that the straight-line code is made for, in any order. */
static int is_own(const partition *held)
{
    if (held->rank != RANK)
        return 0;
    if (memcmp(held->columns, own_columns, RANK * sizeof *own_columns) == 0)
        return 1;
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

/* A look at q. */
static void take_at(const double *p, const double *q, memory *m, closure_look *look)
{
#if HAS_GOING_ON
    KERNEL(closing, q, look->r, look->x, look->H, look->quality, m->seen);
#else
    (void)m;
    KERNEL(closing, q, look->r, look->x, look->H, look->quality);
#endif
}

/* The last look was at q; 0: at none that counts. */
static void closed_at(const double *q, memory *m)
{
#if HAS_GOING_ON
    m->looked = q != 0;
    if (q)
        memcpy(m->looked_q, q, sizeof m->looked_q);
#else
    (void)q;
    (void)m;
#endif
}

#if HAS_GOING_ON
/* What forward dynamics goes on from at q, of the last look at the loops where that was at the same q. */
static const double *seen_at(const double *p, const double *q, memory *m)
{
    closure_look look;
    if (!m->looked || memcmp(m->looked_q, q, sizeof m->looked_q) != 0) {
        take_at(p, q, m, &look);
        closed_at(q, m);
    }
    return m->seen;
}
#endif

/* The same. 0: the code does not serve here, or another partition should be looked for. */
static int look(const double *p, const double *q, memory *m, closure_look *seen)
{
    const partition *held = &m->partition;
    take_at(p, q, m, seen);
    return seen->quality[0] > KEEP && seen->quality[0] >= FALLEN * held->chosen && seen->quality[1] <= REMAINDER;
}

/* H of the partition from the entries that can differ from zero. */
static void take_entries(const double *entries, partition *held)
{
    if (own_is_dense()) {
        kg_copy(DENSE, entries, held->H);
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
    held->known = held->inverted = held->laid = 0;
    held->ratio = seen->quality[0];
    held->chosen = kg_max(held->chosen, seen->quality[0]);
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
    own.laid = 0;
    if (!MODEL(partition_closure)(p, q, ready, &own) && ALIKE * gearing(&own) <= gearing(held))
        *held = own;
}

/* q moved by x (RANK) along the dependent velocities of the straight-line code, in place. */
static void move_own(const double *p, const double *x, double *q)
{
    double q_new[NQ], dx[NV] = {0.0};
    if (OWN_RATES) {
        KG_UNROLLED
        for (int k = 0; k < RANK; k++)
            q[own_coordinate[k]] += x[k];
        return;
    }
    for (int k = 0; k < RANK; k++)
        dx[own_columns[k]] = x[k];
    KERNEL(integrate, q, dx, q_new);
    memcpy(q, q_new, sizeof q_new);
}

/* Looks at q, in place, as often as it takes to close it; seen, gap: what the last one found. 0: the code does not
 * serve. */
static int look_until_closed(const double *p, memory *m, closing_way *way, double *q, closure_look *seen, double *gap)
{
    kg_copy(RANK, way->ahead, way->moved);
    if (way->looks_ahead)
        move_own(p, way->ahead, q);
    *gap = HUGE_VAL;
    for (int pass = 0;; pass++) {
        const double before = *gap;
        if (!look(p, q, m, seen))
            return 0;
        *gap = gap_of(seen->r);
        kg_axpy(RANK, 1.0, seen->x, way->moved);
        if (*gap <= CLOSED) {
            kg_copy(RANK, seen->x, way->left);
            return 1;
        }
        if (pass == 8 || !(*gap < before))
            return 0;
        move_own(p, seen->x, q);
    }
}

/* Newton's method by the straight-line code, q in place; gap: what is left. 0: it does not serve, and q stays. */
static int close_straight(const double *p, memory *m, closing_way *way, double *q, double *gap)
{
    closure_look seen;
    double q_free[NQ];
    if (!serves(m->ready, &m->partition))
        return 0;
    closed_at(0, m);
    memcpy(q_free, q, sizeof q_free);
    if (!look_until_closed(p, m, way, q, &seen, gap)) {
        memcpy(q, q_free, sizeof q_free);
        return 0;
    }
    if (memcmp(m->partition.columns, own_columns, sizeof own_columns) != 0)
        m->lag_dt = 0.0; /* they were told in another order */
    take_look(&seen, &m->partition);
    closed_at(q, m);
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
static int close_near(const double *p, memory *m, closing_way *way, double *q, double *left)
{
    partition *held = &m->partition;
    double r[6 * LOOPS], x[RANK_ROOM], q_new[NQ], sum[RANK_ROOM], dx[NV] = {0.0};
    if (!held->inverted || MISFIT > 0.0)
        return 0;
    memcpy(sum, way->ahead, sizeof sum);
    for (int k = 0; k < held->rank; k++)
        dx[held->columns[k]] = sum[k];
    KERNEL(integrate, q, dx, q_new);
    KERNEL(closure_residual, q_new, r);
    double gap = gap_of(r);
    while (gap > CLOSED) {
        const double before = gap;
        solve_by_inverse(held, r, x);
        if (!move_dependent(p, held, x, q_new, r, &gap) || !(gap < 0.1 * before || gap <= CLOSED))
            return 0;
        for (int k = 0; k < held->rank; k++)
            sum[k] += x[k];
    }
    const int anew = MODEL(partition_closure)(p, q_new, m->ready, held);
    m->pivotings += anew;
    if (!(gap <= CLOSED) || held->ratio < SINGULAR)
        return 0;
    *left = gap;
    memcpy(way->moved, sum, sizeof sum);
    memcpy(q, q_new, sizeof q_new);
    return 1;
}

/* Back on the closure after a step where that is done quickly, q in place, with the partition there. 0: it is not, and
 * q stays. */
static int close_quickly(const double *p, memory *m, closing_way *way, double *q, double *gap)
{
#if HAS_CLOSING
    if (close_straight(p, m, way, q, gap))
        return 1;
#endif
    return close_near(p, m, way, q, gap);
}

#endif
