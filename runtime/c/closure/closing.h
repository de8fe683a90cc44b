/* Positions and velocities put back on the closure; assembly from far away. Tables of the model: in_loop,
 * gap_scale. */

#ifndef KINEGEN_CLOSURE_CLOSING_H
#define KINEGEN_CLOSURE_CLOSING_H

#include "dynamics.h"
#include "led_motion.h"

/* Gaps are in metres, angles of them times UNIT_LENGTH. */
#define CLOSED (1e-12 * UNIT_LENGTH) /* gap at which closing stops */
#define ALLOWED (CLOSED_GAP * UNIT_LENGTH + MARGIN * MISFIT) /* gap that counts as closed, rounding allows no better */
/* Gap at which descending stops, and its least damping: loops that miss have no better, and must not slide to it. */
#define NEAR_ENOUGH (MISFIT > 0.0 ? ALLOWED : CLOSED)
#define LEAST_DAMPING (MISFIT > 0.0 ? kg_max(1e-13, 1e4 * (MISFIT / UNIT_LENGTH) * (MISFIT / UNIT_LENGTH)) : 1e-13)

/* Residual whose angular rows keep growing beyond a quarter turn: a loop closed upside down is open. */
static void far_residual(const double *p, const double *q, double *r)
{
    double cosine[LOOPS];
    KERNEL(closure_residual, q, r);
    closure_cosines(p, q, cosine);
    for (int l = 0; l < LOOPS; l++) {
        if (!(cosine[l] < 0.0) || !is_active(p, l))
            continue;
        double *turn = r + 6 * l + 3;
        const double size = sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]);
        for (int i = 0; i < 3; i++)
            turn[i] = size > 1e-6 ? turn[i] * (2.0 - size) / size : i == 0 ? 2.0 : 0.0;
    }
}

/* The largest gap of a residual, no number if an entry is none. */
static double gap_of(const double *r)
{
    if (ROWS > 8)
        return kg_all_finite(6 * LOOPS, r) ? kg_largest_product(6 * LOOPS, r, gap_scale) : (double)NAN;
    double gap = 0.0, lost = 0.0;
    KG_UNROLLED
    for (int i = 0; i < ROWS; i++) {
        const double entry = gap_scale[row_of[i]] * r[row_of[i]];
        gap = kg_max(gap, fabs(entry));
        lost += entry - entry;
    }
    return gap + lost;
}

static double squares(const double *r)
{
    double sum = 0.0;
    for (int i = 0; i < ROWS; i++)
        sum += row_scale[i] * row_scale[i] * r[row_of[i]] * r[row_of[i]];
    return sum;
}

/* What coordinates weigh, as pure numbers and by factors. */
typedef struct {
    double factor[NV * NV], inverse[SIDE];
} mass_weights;

/* Z (rows, nv) = w M^-1 w B' of the scaled rows B = K unit; no M: 1. */
static void weighed_rows(const elimination *e, const double *w, const mass_weights *M, double *Z)
{
    memset(Z, 0, (size_t)e->rows * NV * sizeof *Z);
    for (int i = 0; i < e->rows; i++, Z += NV) {
        for (int c = 0; c < e->columns; c++)
            Z[e->column[c]] = w[e->column[c]] * e->B[i][c];
        if (M)
            kg_solve_factored(NV, M->factor, M->inverse, Z);
        for (int j = 0; j < NV; j++)
            Z[j] *= w[j];
    }
}

/* dx (nv) = -Z'(B Z' + mu)^-1 r; for mu = 0 the step of least dx' M dx, at most half a unit long. */
static void damped_step(const elimination *e, const double *Z, double mu, double *dx)
{
    const int rows = e->rows;
    double N[ROWS * ROWS], inverse[SIDE], y[SIDE];
    double longest = 0.0;
    for (int i = 0; i < rows; i++) {
        for (int k = 0; k <= i; k++) {
            double sum = i == k ? mu : 0.0;
            for (int c = 0; c < e->columns; c++)
                sum += Z[i * NV + e->column[c]] * e->B[k][c];
            N[i * rows + k] = sum;
        }
        y[i] = -e->B[i][e->columns];
    }
    factor_reduced(rows, N, inverse);
    kg_solve_factored(rows, N, inverse, y);
    memset(dx, 0, NV * sizeof *dx);
    for (int j = 0; j < NV; j++) {
        for (int i = 0; i < rows; i++)
            dx[j] += Z[i * NV + j] * y[i];
        longest = kg_max(longest, fabs(dx[j]));
    }
    const double shrink = longest > 0.5 ? 0.5 / longest : 1.0;
    for (int j = 0; j < NV; j++)
        dx[j] *= shrink * unit[j];
}

/* Levenberg-Marquardt on the residual from q, in place; w (nv): 0 holds a coordinate, 1 moves it; M: what they weigh,
 * none: all alike. Returns the gap. */
static double descend(const double *p, double *q, const double *w, const mass_weights *M, int limit)
{
    double r[6 * LOOPS], K[6 * LOOPS * NV], Z[ROWS * NV], q_new[NQ], dx[NV];
    elimination e;
    order_rows(p, 0, &e);
    far_residual(p, q, r);
    double mu = kg_min(1e-4, gap_of(r) / UNIT_LENGTH); /* as small as the gap: quick even where K loses rank */
    for (int pass = 0; pass < limit && gap_of(r) > NEAR_ENOUGH; pass++) {
        const double cost = squares(r);
        int better = 0;
        KERNEL(closure_rows, q, K);
        take_rows(K, r, 0, 0, &e);
        weighed_rows(&e, w, M, Z);
        for (int attempt = 0; attempt < 20 && !better; attempt++) {
            double r_new[6 * LOOPS];
            damped_step(&e, Z, mu, dx);
            KERNEL(integrate, q, dx, q_new);
            far_residual(p, q_new, r_new);
            better = squares(r_new) < cost;
            mu = better ? kg_max(0.1 * mu, LEAST_DAMPING) : 4.0 * mu;
            if (better)
                memcpy(r, r_new, sizeof r);
        }
        if (!better)
            break;
        memcpy(q, q_new, sizeof q_new);
    }
    return gap_of(r);
}

/* What Newton's method brings down: the gap of all rows; where dimensions are rounded that of the rows that the
 * partition solves, for the others stay at the misfit. */
static double solved_gap(const partition *held, const double *r)
{
    double gap = 0.0;
    if (!(MISFIT > 0.0))
        return gap_of(r);
    for (int k = 0; k < held->rank; k++) {
        const double size = fabs(gap_scale[row_of[held->rows[k]]] * r[row_of[held->rows[k]]]);
        if (size > gap || size != size) /* a NaN is a gap, and stays */
            gap = size;
    }
    return gap;
}

/* The dependent coordinates of q moved by x, in place, where that brings `gap` down; r: the residual there. 0: it does
 * not, and q stays. */
static int move_dependent(const double *p, const partition *held, const double *x, double *q, double *r, double *gap)
{
    double dx[NV] = {0.0}, q_new[NQ];
    for (int k = 0; k < held->rank; k++)
        dx[held->columns[k]] = x[k];
    KERNEL(integrate, q, dx, q_new);
    KERNEL(closure_residual, q_new, r);
    const double reached = solved_gap(held, r);
    if (!(reached < *gap))
        return 0;
    *gap = reached;
    memcpy(q, q_new, sizeof q_new);
    return 1;
}

/* Newton's method on the dependent coordinates of this partition, in place, until the gap that it can bring down is at
 * most `enough` or stops falling; the independent ones stay. Returns the gap of all rows. */
static double close_dependent(const double *p, double *q, partition *held, double enough)
{
    double r[6 * LOOPS], K[6 * LOOPS * NV], x[SIDE];
    KERNEL(closure_residual, q, r);
    double gap = solved_gap(held, r), left = gap_of(r);
    for (int pass = 0; pass < 8 && gap > enough; pass++) {
        KERNEL(closure_rows, q, K);
        if (!partition_fixed(K, r, held, x))
            break;
        if (!move_dependent(p, held, x, q, r, &gap))
            break;
        left = gap_of(r);
    }
    return left;
}

/* The nearest closed configuration, in place: by the shortest damped steps, as M weighs them, of all coordinates but
 * those whose readiness is 0. Returns the gap. */
static double close_nearest(const double *p, double *q, const double *ready, const mass_weights *M)
{
    double all[NV];
    for (int j = 0; j < NV; j++)
        all[j] = ready[j] > 0.0;
    return descend(p, q, all, M, 200);
}

/* Back on the closure, in place: by the dependent coordinates of a partition that holds on the closure, then of those
 * found on the way; near a singularity by the shortest steps of all coordinates. Returns the gap. */
static double close_gap(const double *p, double *q, const double *ready, partition *held)
{
    double r[6 * LOOPS], K[6 * LOOPS * NV], x[SIDE], q_new[NQ];
    if (held->rank > 0) {
        memcpy(q_new, q, sizeof q_new);
        const double reached = close_dependent(p, q_new, held, CLOSED);
        if (reached <= ALLOWED && held->ratio >= SINGULAR) {
            memcpy(q, q_new, sizeof q_new);
            return reached;
        }
    }
    KERNEL(closure_residual, q, r);
    double gap = gap_of(r), left = gap;
    for (int pass = 0; pass < 8 && gap > CLOSED; pass++) {
        KERNEL(closure_rows, q, K);
        partition_rows(p, K, r, ready, 0.0, held, x);
        gap = solved_gap(held, r);
        if (held->ratio < SINGULAR || gap <= CLOSED)
            break;
        if (!move_dependent(p, held, x, q, r, &gap))
            break;
        left = gap_of(r);
    }
    return left <= ALLOWED ? left : close_nearest(p, q, ready, 0);
}

/* Puts q, v back on the closure, in place: dependent coordinates by Newton's method, dependent velocities by H. Which
 * they are is found where the closure is, at the closed configuration nearest to q: off it the rank may be too high.
 * ready: as for partition_closure. Returns the gap left [m, rad]. */
double MODEL(project)(const double *p, double *q, double *v, const double *ready, partition *held)
{
    const double *preferred = ready ? ready : readiness;
    double nearest[NQ], r[6 * LOOPS];
    far_residual(p, q, r);
    if (gap_of(r) > NEAR_ENOUGH) {
        memcpy(nearest, q, sizeof nearest);
        if (close_nearest(p, nearest, preferred, 0) <= ALLOWED) {
            held->rank = -1;
            MODEL(partition_closure)(p, nearest, preferred, held);
        }
    }
    close_gap(p, q, preferred, held);
    MODEL(partition_closure)(p, q, preferred, held);
    follow_leading(p, q, preferred, held, v);
    far_residual(p, q, r);
    return gap_of(r);
}

#define RANDOM_SEED 88172645463325252ULL /* the same numbers in every call */

/* The next of random numbers between -1 and 1 (xorshift). */
static double next_random(unsigned long long *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return (double)(*random >> 11) / 4503599627370496.0 - 1.0;
}

/* A closed configuration near q, in place; move (nv): 0 holds a coordinate (null: all move). From a dead point, small
 * and then larger displacements of the loops' joints are tried, the same in every call. Returns the gap left. */
double MODEL(assemble)(const double *p, double *q, const double *move)
{
    double w[NV], best[NQ], start[NQ], least = HUGE_VAL;
    unsigned long long random = RANDOM_SEED;
    for (int j = 0; j < NV; j++)
        w[j] = move && !(move[j] != 0.0) ? 0.0 : in_loop[j];
    memcpy(start, q, sizeof start);
    memcpy(best, q, sizeof best);
    for (int attempt = 0; attempt < 60; attempt++) {
        double dx[NV], q_new[NQ];
        for (int j = 0; j < NV; j++) {
            const double signed_unit = next_random(&random);
            dx[j] = attempt == 0 ? 0.0 : w[j] * unit[j] * signed_unit * kg_min(0.02 * attempt * attempt, 3.0);
        }
        KERNEL(integrate, start, dx, q_new);
        const double gap = descend(p, q_new, w, 0, 200);
        if (gap < least) {
            least = gap;
            memcpy(best, q_new, sizeof best);
        }
        if (least <= ALLOWED)
            break;
    }
    memcpy(q, best, sizeof best);
    if (MISFIT > 0.0 && !move && least <= ALLOWED) { /* the rows that are solved are closed to rounding */
        partition held;
        held.rank = -1;
        return close_gap(p, q, readiness, &held);
    }
    return least;
}

#endif
