/* Velocities that lead well, and the motion that chosen ones lead, for states one after the other (mathematics,
 * section 8). Tables of the model: lead_ready. */

#ifndef KINEGEN_CLOSURE_LED_MOTION_H
#define KINEGEN_CLOSURE_LED_MOTION_H

#include "partition.h"

#define GEARED 4.0 /* gearing from which on other leading velocities are looked for */

/* See gearing; of m rows and free columns, constants where they are known. */
static inline double gearing_of(int m, int free, const partition *held)
{
    double most = 0.0, size[NV];
    for (int j = 0; j < free; j++)
        size[j] = unit[held->columns[m + j]];
    for (int k = 0; k < m; k++) {
        const double *row = held->H + k * free;
        double own = 0.0;
        for (int j = 0; j < free; j++)
            own = kg_max(own, fabs(row[j]) * size[j]);
        most = kg_max(most, own * per_unit[held->columns[k]]);
    }
    return most;
}

/* How much faster than velocities that lead others move: the largest entry of H, in units of the loops. */
static double gearing(const partition *held)
{
    if (RANK > 0 && held->rank == RANK)
        return gearing_of(RANK, NV - RANK, held);
    return gearing_of(held->rank, NV - held->rank, held);
}

/* 0: it is at most `most`. */
static int may_be_geared(const partition *held, double most)
{
    const int entries = held->rank * (NV - held->rank), whole = entries / 8 * 8;
    int beyond = kg_any_beyond(whole, held->H, most / UNIT_SPREAD);
    for (int e = whole; e < entries; e++)
        beyond |= fabs(held->H[e]) > most / UNIT_SPREAD;
    return beyond;
}

/* The partition of the largest pivots at q in place of one whose gearing it halves; 0: it does not, and that stays.
 * What a step misses the closure by is put back along those that follow, and moves the mechanism by as much more: near
 * the dead point of what leads, by more than the step did. */
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

/* The partition at q, with K there; 1 if the velocities that should lead are the independent ones. */
static int partition_led(const double *p, const double *q, const double *ready, double *K, partition *held)
{
    held->rank = -1;
    KERNEL(closure_rows, q, K);
    partition_rows(p, K, 0, ready, 0.0, held, 0);
    int led = 1, count = 0;
    for (int i = 0; i < NV; i++)
        count += ready[i] < PINNED;
    for (int j = held->rank; j < NV; j++)
        led = led && ready[held->columns[j]] < PINNED;
    return led && count == NV - held->rank;
}

/* v, in place, at q: what depends from the velocities that give all others in H and W; from those of the partition held
 * where these cannot lead, or others were asked to. ready: as for partition_closure. */
static void follow_leading(const double *p, const double *q, const double *ready, const partition *held, double *v)
{
    double K[6 * LOOPS * NV];
    partition led;
    const int usual = held->rank == RANK && memcmp(ready, readiness, sizeof readiness) == 0;
    follow(usual && partition_led(p, q, lead_ready, K, &led) && led.ratio > KEEP ? &led : held, v);
}

/* W (n, NV, free) at q (n, NQ): all velocities per independent one, those in the order of the tree. ready (NV): below
 * PINNED for those that lead. Gives n, or the first state at which they do not. */
long MODEL(led_coefficients)(long n, const double *p, const double *q, const double *ready, double *W)
{
    double K[6 * LOOPS * NV];
    partition held;
    for (long s = 0; s < n; s++) {
        if (!partition_led(p, q + s * NQ, ready, K, &held))
            return s;
        const int m = held.rank, free = NV - m;
        double *rows = W + s * NV * free;
        for (int j = 0; j < free; j++)
            for (int i = 0; i < free; i++)
                rows[held.columns[m + j] * free + i] = i == j;
        for (int k = 0; k < m; k++)
            memcpy(rows + held.columns[k] * free, held.H + k * free, (size_t)free * sizeof *rows);
    }
    return n;
}

/* v, a (n, NV), in place: v_S = H v_G, a_S = H a_G + dH/dt v_G. The rest as for led_coefficients. */
long MODEL(led_motion)(long n, const double *p, const double *q, const double *ready, double *v, double *a)
{
    double K[6 * LOOPS * NV], turning[6 * LOOPS], c[NV];
    partition held;
    for (long s = 0; s < n; s++, q += NQ, v += NV, a += NV) {
        if (!partition_led(p, q, ready, K, &held))
            return s;
        follow(&held, v);
        follow(&held, a);
        KERNEL(closure_rows_bias, q, v, turning);
        held.rank = -1; /* the same pivots: also where a partition serves badly */
        partition_rows(p, K, turning, ready, 0.0, &held, c);
        for (int k = 0; k < held.rank; k++)
            a[held.columns[k]] += c[k];
    }
    return n;
}

#endif
