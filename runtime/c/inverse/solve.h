/* Inverse kinematics: damped least squares on the residuals of targets, within the limits of the coordinates
 * (mathematics, section 15). A closed mechanism moves in its independent coordinates and is closed again. */

#ifndef KINEGEN_INVERSE_SOLVE_H
#define KINEGEN_INVERSE_SOLVE_H

#include <math.h>
#include <string.h>

#include "linearize.h"

#define LEAST_ADDED 1e-10 /* part of the largest diagonal entry of A */
#define DAMPINGS 16
#define WORTH 1e-10 /* part of the cost that a pass must take off for more to be had, */
#define WAY 1e-12 /* and the step [m, rad] that it must make */

/* q moved by dx of the problem's velocities, into the limits of a tree, on the closure; 0: it cannot be closed. */
static int moved(const ik *s, linear_problem *x, const double *dx, const double *q, double *q_new)
{
    const double *p = s->p;
    double v[NV];
    for (int i = 0; i < x->n; i++)
        v[x->column[i]] = dx[i];
#if HAS_LOOPS
    double still[NV] = {0.0};
    for (int k = 0; k < x->held.rank; k++)
        v[x->held.columns[k]] = kg_dot(x->n, x->held.H + k * x->n, dx);
    KERNEL(integrate, q, v, q_new);
    partition held = x->held;
    return MODEL(project)(p, q_new, still, s->ready, &held) <= s->closed;
#else
    KERNEL(integrate, q, v, q_new);
    for (int i = 0; i < NV; i++)
        if (is_limited(s, i))
            q_new[s->entry[i]] = kg_min(kg_max(q_new[s->entry[i]], s->lower[i]), s->upper[i]);
    return 1;
#endif
}

/* Sizes of the residuals; 1 if all are within their tolerance and the limits are kept. */
static int is_reached(const ik *s, const place *at, double *size)
{
    int all = at->most <= s->slack;
    for (long k = 0; k < s->count; k++) {
        size[k] = size_of(s->targets + k, at->residual + 3 * k);
        all &= size[k] <= s->tolerance;
    }
    return all;
}

/* A step that lowers the cost and what is beyond the limits, by more and more damping; 0: there is none. */
static int improve(const ik *s, const double *goals, linear_problem *x, double *damping, place *at, place *next)
{
    const int n = x->n;
    double L[NV * NV], reciprocal[NV], work[NV], dx[NV], greatest = 0.0;
    for (int i = 0; i < n; i++)
        greatest = kg_max(greatest, x->A[i * n + i]);
    for (int attempt = 0; attempt < DAMPINGS; attempt++) {
        double fall = 0.0, way = 0.0;
        memcpy(L, x->A, (size_t)(n * n) * sizeof *L);
        for (int i = 0; i < n; i++) {
            const double size = s->turns[x->column[i]] ? kg_max(1.0, 2.0 * at->cost) : 1.0;
            L[i * n + i] += *damping * size * kg_min(at->cost, 1.0) + LEAST_ADDED * greatest;
        }
        kg_factor_ldl(n, L, reciprocal, work);
        const double force = 2.0 * bounded_step(&x->room, n, L, reciprocal, x->g, dx) + 1.0;
        for (int i = 0; i < n; i++) {
            fall -= x->g[i] * dx[i];
            way = kg_max(way, fabs(dx[i]));
        }
        if (at->most <= s->slack && (fall <= WORTH * at->cost || way <= WAY))
            return 0;
        if (moved(s, x, dx, at->q, next->q)) {
            look(s, goals, at->cut, next);
            if (next->cost + force * next->beyond < at->cost + force * at->beyond) {
                *damping = kg_max(0.2 * *damping, 1e-6);
                return 1;
            }
        }
        *damping = 8.0 * *damping;
    }
    return 0;
}

/* Where no step is better: one that turns axes which are opposite aside, any way; 0: there is none. */
static int improve_aside(const ik *s, const double *goals, linear_problem *x, double *damping, place *at, place *next)
{
    int opposite = 0, better = 0;
    for (long k = 0; k < s->count; k++)
        opposite |= is_opposite(s->targets + k, at->residual + 3 * k);
    for (int way = 1; opposite && !better && way <= 4; way++) {
        linearize(s, goals, at, way, x);
        *damping = 1.0;
        better = improve(s, goals, x, damping, at, next);
    }
    return better;
}

/* One search from q (NQ), in place; size (count) of the residuals left. Returns how it ended, *passes it took. */
static long search(const ik *s, const double *goals, double *q, double *size, long *passes)
{
    place here, there, *at = &here, *next = &there;
    linear_problem x;
    double damping = 1.0;
    memcpy(at->q, q, sizeof at->q);
    at->residual = s->work;
    next->residual = s->work + 3 * s->count;
#if HAS_LOOPS
    x.held.rank = -1;
#endif
    look(s, goals, 0, at);
    int reached = is_reached(s, at, size), better = 1;
    for (*passes = 0; *passes < s->passes && !reached && better; ++*passes) {
        linearize(s, goals, at, 0, &x);
        better = improve(s, goals, &x, &damping, at, next) || improve_aside(s, goals, &x, &damping, at, next);
        if (better) {
            place *other = at;
            at = next;
            next = other;
            reached = is_reached(s, at, size);
        }
    }
    memcpy(q, at->q, sizeof at->q);
    if (reached)
        return REACHED;
    return at->most > s->slack ? OUT_OF_BOUNDS : better ? OUT_OF_PASSES : STATIONARY;
}

/* s->rows searches from the rows of s->q, in place, each for its row of goals; with s->follow each starts where the one
 * before ended. */
void MODEL(solve_ik)(const ik *s)
{
    for (long i = 0; i < s->rows; i++) {
        double *q = s->q + i * NQ;
        if (s->follow && i)
            memcpy(q, q - NQ, NQ * sizeof *q);
        s->ended[i] = search(s, s->goals + i * GOAL * s->count, q, s->size + i * s->count, s->taken + i);
    }
}

#endif
