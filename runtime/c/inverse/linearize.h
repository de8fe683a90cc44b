/* Where a search stands, and the linear problem of its targets there. */

#ifndef KINEGEN_INVERSE_LINEARIZE_H
#define KINEGEN_INVERSE_LINEARIZE_H

#include "../linear/extremes.h"
#include "bounded_step.h"
#include "targets.h"
#if HAS_LOOPS
typedef MODEL(partition) partition;
#endif

typedef MODEL(ik) ik;

/* Where a search stands: residuals (3 a target), their cost, how far coordinates are beyond their limits in all and at
 * most, coordinates of the cut joints. */
typedef struct {
    double q[NQ], cost, beyond, most, cut[CUT_Q + 1];
    double *residual;
} place;

/* The linear problem there: A and g in n velocities, and the rows of all others in them. */
typedef struct {
    int n, column[NV];
    double A[NV * NV], g[NV];
#if HAS_LOOPS
    partition held;
    double rows[COORDINATES * NV];
#endif
    bounds room;
} linear_problem;

/* 1 if coordinate i has limits. */
static int is_limited(const ik *s, int i)
{
    return s->lower[i] != -HUGE_VAL || s->upper[i] != HUGE_VAL;
}

/* A coordinate that has limits. */
static double coordinate_of(const ik *s, const place *at, int i)
{
    return i < NV ? at->q[s->entry[i]] : at->cut[s->entry[i]];
}

static void note_limits(const ik *s, place *at)
{
    at->beyond = at->most = 0.0;
    for (int i = 0; i < COORDINATES; i++) {
        if (!is_limited(s, i))
            continue;
        const double x = coordinate_of(s, at, i), out = kg_max(0.0, kg_max(s->lower[i] - x, x - s->upper[i]));
        at->beyond += out;
        at->most = kg_max(at->most, out);
    }
}

#if HAS_LOOPS
/* Coordinates of the cut joints; of angles, known up to whole turns, those next to where they were before (null: to
 * their limits). */
static void look_at_cut(const ik *s, const double *before, place *at)
{
    const double *p = s->p, whole = 6.283185307179586;
    KERNEL(loop_coordinates, at->q, at->cut);
    for (int i = NV; i < COORDINATES; i++) {
        double *x = at->cut + s->entry[i];
        if (is_limited(s, i) && s->turns[i])
            *x += whole
                * rint(((before ? before[s->entry[i]] : kg_min(kg_max(*x, s->lower[i]), s->upper[i])) - *x) / whole);
    }
}
#endif

static void look(const ik *s, const double *goals, const double *before, place *at)
{
    const double *p = s->p;
    double poses[16 * BODIES], com[3];
    KERNEL(link_poses, at->q, poses);
    if (s->centre)
        KERNEL(com, at->q, com);
    at->cost = 0.0;
    for (long k = 0; k < s->count; k++) {
        const target *t = s->targets + k;
        double *r = at->residual + 3 * k;
        residual_of(t, poses, com, goals + GOAL * k, r);
        for (int i = 0; i < 3; i++)
            at->cost += 0.5 * t->weight[i] * t->weight[i] * r[i] * r[i];
    }
#if HAS_LOOPS
    look_at_cut(s, before, at);
#else
    (void)before;
#endif
    note_limits(s, at);
}

/* Row of a target's residual in the n velocities of the problem, in place. */
static void reduce_row(const linear_problem *x, double *row)
{
#if HAS_LOOPS
    const int m = x->held.rank, n = x->n;
    double lead[NV];
    for (int i = 0; i < n; i++)
        lead[i] = row[x->held.columns[m + i]];
    for (int k = 0; k < m; k++)
        kg_axpy(n, row[x->held.columns[k]], x->held.H + k * n, lead);
    memcpy(row, lead, (size_t)n * sizeof *row);
#else
    (void)x, (void)row;
#endif
}

/* A += w^2 j'j, g += w^2 r j of one row j; lower triangle of A. */
static void add_row(linear_problem *x, double weight, double r, const double *j)
{
    const int n = x->n;
    const double w2 = weight * weight;
    for (int i = 0; i < n; i++)
        if (j[i] != 0.0)
            kg_axpy(i + 1, w2 * j[i], j, x->A + i * n);
    kg_axpy(n, w2 * r, j, x->g);
}

#if HAS_LOOPS
/* Rows of all coordinates in the independent velocities: unit rows, those of H, those of the cut joints. */
static void coordinate_rows(const ik *s, const double *q, linear_problem *x)
{
    const double *p = s->p;
    const int n = x->n, m = x->held.rank;
    double C[(CUT_V + 1) * NV];
    memset(x->rows, 0, sizeof x->rows);
    for (int i = 0; i < n; i++)
        x->rows[x->held.columns[m + i] * n + i] = 1.0;
    for (int k = 0; k < m; k++)
        memcpy(x->rows + x->held.columns[k] * n, x->held.H + k * n, (size_t)n * sizeof *x->rows);
    KERNEL(loop_jacobian, q, C);
    for (int i = 0; i < CUT_V; i++) {
        reduce_row(x, C + i * NV);
        memcpy(x->rows + (NV + i) * n, C + i * NV, (size_t)n * sizeof *x->rows);
    }
    x->room.rows = x->rows;
}
#endif

/* How far each coordinate may still move. */
static void find_room(const ik *s, const place *at, linear_problem *x)
{
    for (int i = 0; i < COORDINATES; i++) {
        const double now = is_limited(s, i) ? coordinate_of(s, at, i) : 0.0;
        x->room.down[i] = s->lower[i] - now;
        x->room.up[i] = s->upper[i] - now;
    }
}

/* Velocities that are held do not answer: in A x = -g they are 0, and limits of other coordinates do not move them. */
static void hold_velocities(const ik *s, linear_problem *x)
{
    for (int i = 0; i < x->n; i++) {
        if (s->moves[x->column[i]] > 0.0)
            continue;
        kg_give_entry(x->n, x->A, x->g, i, 0.0);
#if HAS_LOOPS
        for (int j = 0; j < COORDINATES; j++)
            x->rows[j * x->n + i] = 0.0;
#endif
    }
}

static void begin_problem(const ik *s, const place *at, linear_problem *x)
{
    x->n = NV;
#if HAS_LOOPS
    MODEL(partition_closure)(s->p, at->q, s->ready, &x->held);
    x->n = NV - x->held.rank;
    memcpy(x->column, x->held.columns + x->held.rank, (size_t)x->n * sizeof *x->column);
    coordinate_rows(s, at->q, x);
#else
    for (int i = 0; i < NV; i++)
        x->column[i] = i;
    x->room.rows = 0;
    (void)at, (void)s;
#endif
    memset(x->A, 0, sizeof x->A);
    memset(x->g, 0, sizeof x->g);
}

/* `aside`: 0, or by which way axes that are opposite turn: 1, 2 by turning alone, 3, 4 by shifting their points as well
 * to take d the same way as a: of opposite axes |a - d| falls with what both turn together. */
static void linearize(const ik *s, const double *goals, const place *at, int aside, linear_problem *x)
{
    const double *p = s->p, *before = 0;
    double poses[16 * BODIES], frame[6 * NV], J[3 * NV];
    begin_problem(s, at, x);
    KERNEL(link_poses, at->q, poses);
    for (long k = 0; k < s->count; k++) {
        const target *t = s->targets + k;
        double r[3];
        memcpy(r, at->residual + 3 * k, sizeof r);
        const int turns = aside && is_opposite(t, r);
        const double shift = !turns ? 1.0 : aside <= 2 ? 0.0 : -1.0;
        if (t->kind == CENTRE) {
            KERNEL(com_jacobian, at->q, J);
        } else {
            if (!before || memcmp(before, t->place, sizeof t->place) != 0)
                KERNEL(frame_jacobian, at->q, t->place, frame);
            before = t->place;
            rows_of(t, poses, goals + GOAL * k, r, frame, shift, J);
        }
        if (turns)
            turn_aside(aside % 2 == 0, r);
        for (int i = 0; i < 3; i++) {
            if (!(t->weight[i] > 0.0))
                continue;
            reduce_row(x, J + i * NV);
            add_row(x, t->weight[i], r[i], J + i * NV);
        }
    }
    hold_velocities(s, x);
    find_room(s, at, x);
}

#endif
