/* The problem that the sweeps solve, as matrices, for another solver. */

#ifndef KINEGEN_CONTACT_PROBLEM_H
#define KINEGEN_CONTACT_PROBLEM_H

#include "bounce.h"
#if HAS_FEW_POINTS
#include "../rows/few_points.h"
#endif

/* K (3 count, 3 count): velocities along all rows by a unit impulse along each. */
static void respond_to_each(long count, workspace *ws, double *K)
{
    const long n = 3 * count;
    for (int e = 0; e < ws->links; e++) {
        memcpy(ws->past_twist[0][ws->list[e]], ws->twist[ws->list[e]], sizeof ws->twist[0]);
        memset(ws->twist[ws->list[e]], 0, sizeof ws->twist[0]);
    }
    for (long j = 0; j < n; j++) {
        double unit[3] = {0.0};
        unit[j % 3] = 1.0;
        apply(ws, j / 3, unit);
        for (long i = 0; i < count; i++) {
            double v[4];
            velocity_of(ws, i, v);
            for (int k = 0; k < 3; k++)
                K[(3 * i + k) * n + j] = v[k];
        }
        settle(ws);
        for (int e = 0; e < ws->links; e++)
            memset(ws->twist[ws->list[e]], 0, sizeof ws->twist[0]);
    }
    for (int e = 0; e < ws->links; e++)
        memcpy(ws->twist[ws->list[e]], ws->past_twist[0][ws->list[e]], sizeof ws->twist[0]);
}

/* Row k of block i: what it is, and the velocity that it is to have; see contact_problem. */
static int tell_row(long count, long i, int k, const workspace *ws, double *target)
{
    const int own = k == 0 ? 0 : k == 1 ? 3 : 5;
    *target = k == 0 ? ws->at[i].target : 0.0;
#if HAS_HELD_ROWS
    if (i >= ws->cones) {
        *target = ws->at[i].aim[k];
        return !(ws->at[i].inverse[own] > 0.0) ? NO_ROW : i - ws->cones < LOCKS ? HELD_ROW : BOUNDED_ROW;
    }
#endif
    const int live = ws->at[i].k[own] > 0.0;
    if (i >= strikers_of(count, ws)) {
        *target = 0.0;
        return !live ? NO_ROW : k == 0 ? ABOUT_ROW : ACROSS_ROW;
    }
#if HAS_RIMS
    *target += ws->at[i].lead[k];
#endif
    return !live ? NO_ROW : k == 0 ? NORMAL_ROW : TANGENT_ROW;
}

/* K, b of v = K f + b (three rows a block), the f there are, the velocities `target` where rows hold, `bound`, two a
 * block: coefficient of friction of a cone, or of a force |f| <= bound; of moments the coefficients across the normal
 * and about it. kind: NO_ROW, NORMAL_ROW of a cone, TANGENT_ROW, HELD_ROW, BOUNDED_ROW, of moments ABOUT_ROW the normal
 * and ACROSS_ROW it. other: of moments the block of their point, else -1. */
void MODEL(contact_problem)(
    long count, workspace *ws, double *K, double *b, double *f, double *target, double *bound, int *kind, int *other)
{
    const long n = 3 * count;
#if HAS_FEW_POINTS
    answer_few(count, ws);
#endif
    respond_to_each(count, ws, K);
    for (long i = 0; i < count; i++) {
        double v[4];
        velocity_of(ws, i, v);
        for (int k = 0; k < 3; k++) {
            f[3 * i + k] = ws->at[i].impulse[k];
            b[3 * i + k] = v[k];
            for (long j = 0; j < n; j++)
                b[3 * i + k] -= K[(3 * i + k) * n + j] * ws->at[j / 3].impulse[j % 3];
            kind[3 * i + k] = tell_row(count, i, k, ws, target + 3 * i + k);
        }
        bound[2 * i] = ws->at[i].friction;
        bound[2 * i + 1] = 0.0;
        other[i] = -1;
#if HAS_TURNING
        if (i >= ws->turning && i < cones_of(count, ws)) {
            bound[2 * i + 1] = ws->at[i].torsion;
            other[i] = ws->at[i].other;
        }
#endif
    }
}

/* Impulses f (3 count) in place of those there are. */
void MODEL(contact_solution)(long count, const double *f, workspace *ws)
{
    for (long i = 0; i < count; i++) {
        double d[3];
        for (int k = 0; k < 3; k++) {
            d[k] = f[3 * i + k] - ws->at[i].impulse[k];
            ws->at[i].impulse[k] = f[3 * i + k];
        }
        apply(ws, i, d);
    }
    settle(ws);
}

#endif
