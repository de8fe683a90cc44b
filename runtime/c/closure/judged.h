/* Forward dynamics that tells where it is not that of the closed mechanism: straight-line code proves itself, and what
 * pivoting finds is held against all rows. */

#ifndef KINEGEN_CLOSURE_JUDGED_H
#define KINEGEN_CLOSURE_JUDGED_H

#include "dynamics.h"

/* The largest part of the size of its terms by which an acceleration misses a row K a + K'v = 0, in pure numbers. */
static double missed_part(const double *p, const double *q, const double *v, const double *a)
{
    double K[6 * LOOPS * NV], turning[6 * LOOPS], missed = 0.0, speed = 0.0, size = AT_WORK * AT_WORK;
    int row[ROWS];
    const int rows = active_rows(p, row);
    KERNEL(closure_rows, q, K);
    KERNEL(closure_rows_bias, q, v, turning);
    for (int i = 0; i < rows; i++) {
        double sum = turning[row_of[row[i]]];
        for (int j = 0; j < NV; j++)
            sum += K[row_of[row[i]] * NV + j] * a[j];
        missed = kg_max(missed, fabs(row_scale[row[i]] * sum));
    }
    for (int j = 0; j < NV; j++) {
        if (in_loop[j] == 0.0)
            continue;
        size += a[j] * a[j] / (unit[j] * unit[j]);
        speed += v[j] * v[j] / (unit[j] * unit[j]);
    }
    size += speed * speed;
    return size == 0.0 ? missed : missed / sqrt(size); /* 0: at rest, where nothing pulls */
}

/* Whether an acceleration by pivoting is that of the closed mechanism: no direction is lost that its branch holds, and
 * the rows that were dropped are met. Rounded dimensions count for more where pivots are small. */
static int is_proven(const double *p, const double *q, const double *v, const double *a, const partition *held)
{
    const double allowed = MISFIT > 0.0 ? MISSED * kg_max(1.0, 0.1 / held->ratio) : MISSED;
    return (HAS_SWITCHES || held->rank >= RANK) && missed_part(p, q, v, a) <= allowed;
}

/* Acceleration of every tree joint: straight-line code where its partition serves, else pivoting; all are not numbers
 * where that is not the acceleration of the closed mechanism, as at and within rounding of singular configurations. */
static void dynamics(const double *p, const double *q, const double *v, const double *tau, double *a)
{
    const added_inertia nothing = {0, 0};
    partition held;
#if HAS_SPECIALISED
    if (straight_dynamics(p, q, v, tau, 0, a) > TRUSTED)
        return;
#endif
    held.rank = -1;
    reduced_dynamics(p, q, v, tau, nothing, readiness, 0, 0.0, &held, a);
    if (!is_proven(p, q, v, a, &held))
        for (int i = 0; i < NV; i++)
            a[i] = (double)NAN;
}

#endif
