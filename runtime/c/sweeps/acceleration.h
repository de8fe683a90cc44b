/* Anderson acceleration of sweeps down and up: the mean of the last few whose changes cancel best. */

#ifndef KINEGEN_SWEEPS_ACCELERATION_H
#define KINEGEN_SWEEPS_ACCELERATION_H

#include "../contact/islands.h"

static void begin_pair(const island *g, workspace *ws)
{
    for (long e = 0; e < g->count; e++)
        memcpy(ws->start + 3 * e, ws->at[row_of(g, e)].impulse, sizeof ws->at[0].impulse);
}

/* Impulses and velocities after the pair, and its change, as number `newest`; products of changes in the metric of K's
 * diagonal. */
static void keep_pair(const island *g, int newest, int kept, double products[KEPT][KEPT], workspace *ws)
{
    double *past = ws->past[newest], *change = ws->change[newest], *scaled = ws->start;
    settle(ws);
    for (long e = 0; e < g->count; e++) {
        const double *f = ws->at[row_of(g, e)].impulse, *k = ws->at[row_of(g, e)].k, metric[3] = {k[0], k[3], k[5]};
        for (int i = 0; i < 3; i++) {
            past[3 * e + i] = f[i];
            change[3 * e + i] = f[i] - scaled[3 * e + i];
            scaled[3 * e + i] = metric[i] * change[3 * e + i];
        }
    }
    for (int j = 0; j < kept; j++)
        products[newest][j] = products[j][newest] = kg_dot((int)(3 * g->count), scaled, ws->change[j]);
    for (int e = 0; e < g->links; e++)
        memcpy(ws->past_twist[newest][g->link[e]], ws->twist[g->link[e]], sizeof ws->twist[0]);
}

/* Weights, sum 1, of the changes whose mean is the least; 0 if there are none. */
static int best_weights(int kept, double products[KEPT][KEPT], double *w)
{
    double A[KEPT][KEPT], sum = 0.0;
    memcpy(A, products, sizeof A);
    for (int i = 0; i < kept; i++) {
        A[i][i] *= 1.0 + 1e-10; /* changes may repeat each other */
        w[i] = 1.0;
        if (!(A[i][i] > 1e-200))
            return 0;
    }
    for (int k = 0; k < kept; k++)
        for (int i = k + 1; i < kept; i++) {
            const double factor = A[i][k] / A[k][k];
            for (int j = k; j < kept; j++)
                A[i][j] -= factor * A[k][j];
            w[i] -= factor * w[k];
        }
    for (int i = kept - 1; i >= 0; i--) {
        for (int j = i + 1; j < kept; j++)
            w[i] -= A[i][j] * w[j];
        w[i] /= A[i][i];
        sum += w[i];
    }
    for (int i = 0; i < kept; i++)
        w[i] /= sum;
    return sum > 0.0 && sum < 1e200;
}

/* The mean of what is kept; it may leave the cones, the next sweep returns. */
static void take_mean(const island *g, int kept, const double *w, workspace *ws)
{
    double *mean = ws->start;
    const int n = (int)(3 * g->count);
    memset(mean, 0, (size_t)n * sizeof *mean);
    for (int j = 0; j < kept; j++)
        kg_axpy(n, w[j], ws->past[j], mean);
    for (long e = 0; e < g->count; e++)
        memcpy(ws->at[row_of(g, e)].impulse, mean + 3 * e, 3 * sizeof *mean);
    for (int e = 0; e < g->links; e++) {
        double *twist = ws->twist[g->link[e]];
        memset(twist, 0, sizeof ws->twist[0]);
        for (int j = 0; j < kept; j++)
            kg_add_scaled(twist, w[j], ws->past_twist[j][g->link[e]]);
    }
}

/* Pairs of sweeps that are kept: how many, the newest, products of their changes, that of the last with itself. */
typedef struct {
    int kept, newest;
    double products[KEPT][KEPT], last;
} sweep_pairs;

static void forget_pairs(sweep_pairs *of)
{
    of->kept = of->newest = 0;
    of->last = 0.0;
}

/* Enters the pair just made; 1 if there is a mean to follow, with weights w. Where changes grow, all are forgotten. */
static int enter_pair(const island *g, sweep_pairs *of, double *w, workspace *ws)
{
    const int newest = of->newest;
    of->kept = of->kept < KEPT ? of->kept + 1 : KEPT;
    keep_pair(g, newest, of->kept, of->products, ws);
    if (of->products[newest][newest] > 4.0 * of->last && of->kept > 1) {
        forget_pairs(of);
        return 0;
    }
    of->last = of->products[newest][newest];
    of->newest = (newest + 1) % KEPT;
    return of->kept > 1 && best_weights(of->kept, of->products, w);
}

#endif
