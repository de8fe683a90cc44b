/* The end of a step of a mechanism with loops: back on the closure. */

#ifndef KINEGEN_STEP_SETTLE_H
#define KINEGEN_STEP_SETTLE_H

#include "../linear/lane_vectors.h"
#include "closed.h"

static double largest_of(const double *x)
{
    return kg_largest_product(NV, x, per_unit);
}

/* The same of the dependent velocities in the order of the partition. */
static double largest_dependent(const double *x, const partition *held)
{
    double most = 0.0;
    if (held->rank == RANK) {
        KG_UNROLLED
        for (int k = 0; k < RANK; k++)
            most = kg_max(most, fabs(x[k]) * per_unit[held->columns[k]]);
        return most;
    }
    for (int k = 0; k < held->rank; k++)
        most = kg_max(most, fabs(x[k]) * per_unit[held->columns[k]]);
    return most;
}

/* How fast the step from q0, v0 to q, v was: the largest velocity of its ends times dt, in units of the loops. Where a
 * motion is given, coordinates move as it says, what follows them by dt times the velocity at the end: the loops undo
 * the difference as they gear it. */
static double fastest_of(
    const simulation *s, double dt, const double *q0, const double *v0, const double *q, const double *v)
{
    const double *p = s->p;
    const double most = dt * kg_max(largest_of(v0), largest_of(v));
    double moved[NV], off = 0.0;
    if (!s->driving)
        return most;
    KERNEL(difference, q0, q, moved);
    for (long k = 0; k < s->driving->count; k++) {
        const long i = s->driving->dof[k];
        off = kg_max(off, fabs(moved[i] - dt * v[i]) * per_unit[i]);
    }
    return kg_max(most, 4.0 * off * kg_max(1.0, gearing(&s->memory->partition)));
}

/* A gap of g hides g/ratio of q, and turns H by g/ratio^2: near a singularity q is closed to rounding, in place, and H
 * follows. */
static void polish(const double *p, double *q, partition *held)
{
    double K[6 * LOOPS * NV];
    close_dependent(p, q, held, 0.0);
    KERNEL(closure_rows, q, K);
    partition_fixed(K, 0, held, 0);
}

/* How many of the last steps tell what one of dt lacks: they were as long, and by the same partition. */
static int known_lags(double dt, long pivotings, const memory *m)
{
    return m->lag_dt == dt && m->lag_pivotings == pivotings ? m->lags : 0;
}

/* Of a step of semi-implicit Euler, q' = q moved by dt v': what its dependent coordinates lack. By v' and q alone, so
 * that it is smooth whatever the forces: with the rows K and H of the beginning, K v' = -dt K'v to second order, so
 * that H v'_G - v'_S = dt K_S^-1 K'v, while K'v/2 dt^2 more was asked for: half of dt (H v'_G - v'_S). ahead: that, or
 * where the last steps of the same dt tell, what they lacked as the polynomial through them goes on, and what the step
 * before left. */
static void look_ahead(double dt, const memory *restrict m, const double *restrict v, double *restrict ahead)
{
    const partition *held = &m->partition;
    if (known_lags(dt, m->pivotings, m) < 2) {
        double moved[NV];
        kg_copy(NV, v, moved);
        follow(held, moved);
        for (int k = 0; k < held->rank; k++)
            ahead[k] = 0.5 * dt * (moved[held->columns[k]] - v[held->columns[k]]);
        return;
    }
    for (int k = 0; k < RANK_ROOM; k++) {
        double lag = m->left[k];
        KG_UNROLLED
        for (int d = 0; d < LAGS; d++)
            lag += m->lag[d * RANK_ROOM + k];
        ahead[k] = lag;
    }
}

/* What a step of dt was put back by beyond what was left before, and its differences; pivotings: how many there were
 * before the step was put back. */
static void keep_lag(double dt, const closing_way *restrict way, long pivotings, memory *restrict m)
{
    const int known = known_lags(dt, pivotings, m);
    if (!known)
        memset(m->left, 0, sizeof m->left);
    for (int k = 0; k < RANK_ROOM; k++) {
        double change = way->moved[k] - m->left[k];
        KG_UNROLLED
        for (int d = 0; d < LAGS; d++) {
            const double before = m->lag[d * RANK_ROOM + k];
            m->lag[d * RANK_ROOM + k] = change;
            change -= before;
        }
        m->left[k] = way->left[k];
    }
    for (int d = known + 1; d < LAGS; d++)
        memset(m->lag + d * RANK_ROOM, 0, RANK_ROOM * sizeof *m->lag);
    m->lags = known + (known < LAGS);
    m->lag_dt = dt;
    m->lag_pivotings = pivotings;
}

/* Back on the closure, q in place. Returns the gap; lost: how far q was moved, in units of the loops. */
static double close_again(const simulation *s, double dt, const double *v, double *q, double *lost)
{
    const double *p = s->p;
    memory *m = s->memory;
    /* Rows of what rolls hold velocities alone: they undo no guess. */
    closing_way way = {!HAS_ROLLING && s->integrator == SEMI_IMPLICIT && m->partition.rank > 0, {0.0}, {0.0}, {0.0}};
    double freely[NQ], moved[NV], gap;
    const long pivotings = m->pivotings;
    if (way.looks_ahead)
        look_ahead(dt, m, v, way.ahead);
    if (close_quickly(p, m, &way, q, &gap)) {
        if (way.looks_ahead)
            keep_lag(dt, &way, pivotings, m);
        *lost = largest_dependent(way.moved, &m->partition);
        return gap;
    }
    m->lag_dt = 0.0;
    if (!kg_all_finite(NQ, q) || !kg_all_finite(NV, v))
        return (double)NAN;
    memcpy(freely, q, sizeof freely);
    gap = close_gap(p, q, m->ready, &m->partition);
    m->pivotings += MODEL(partition_closure)(p, q, m->ready, &m->partition);
    KERNEL(difference, freely, q, moved);
    *lost = largest_of(moved);
    return gap;
}

/* Velocities at q that lead better than by a gearing this large, also in place of those that were asked to lead. */
static KG_NOINLINE void look_for_leading(const double *p, const double *q, double geared, memory *m)
{
    double ready[NV];
    for (int j = 0; j < NV; j++)
        ready[j] = m->ready[j] > 0.0 && m->ready[j] < PINNED ? 1.0 : m->ready[j];
    const int anew = lead_better(p, q, ready, geared, &m->partition);
    m->pivotings += anew;
    m->geared = anew ? GEARED : 2.0 * geared;
}

/* Velocities that lead well at q: others are looked for where the gearing is large, and twice what it was when there
 * were none. */
static void lead_well(const double *p, const double *q, memory *m)
{
    if (!may_be_geared(&m->partition, GEARED)) {
        m->geared = GEARED;
        return;
    }
    const double geared = gearing(&m->partition);
    if (geared > m->geared)
        look_for_leading(p, q, geared, m);
    else
        m->geared = kg_max(GEARED, kg_min(m->geared, 2.0 * geared));
}

/* Back on the closure after a step from q0, v0. Near a singularity, when constraints come back that were lost there,
 * and when the closure undoes most of the step (a motion that K allows and the loop does not: blocked), the velocity
 * is the one that the coordinates really had, then the next on the closure in the metric of M. push (nv): what q was
 * moved by besides, along the closure, which is no velocity. Returns the gap left. */
static double close_step(
    const simulation *s, double dt, const double *q0, const double *v0, double *q, double *v, const double *push)
{
    const double *p = s->p;
    memory *m = s->memory;
    const int rank = m->partition.rank;
    double lost, moved[NV];
    lead_well(p, q0, m);
    const double gap = close_again(s, dt, v, q, &lost);
    if (gap != gap)
        return gap;
    if (m->partition.ratio < SINGULAR)
        polish(p, q, &m->partition);
    const int singular = m->partition.ratio < SINGULAR || m->partition.rank < m->full_rank;
    const double open = MARGIN * kg_max(MISFIT, CLOSED) / UNIT_LENGTH; /* what was open before is no motion */
    const double most = kg_max(0.0, lost - open);
    double fastest = dt * largest_of(v0); /* it is no slower */
    if (singular || most > 0.5 * fastest || m->partition.rank != rank)
        fastest = fastest_of(s, dt, q0, v0, q, v);
    m->blocked = most > 0.5 * fastest && fastest > CLOSED / UNIT_LENGTH;
    if (!singular && !m->blocked && m->partition.rank == rank) {
        follow(&m->partition, v);
        return gap;
    }
    m->lag_dt = 0.0;
    if (most > 0.1 * fastest) {
        KERNEL(difference, q0, q, moved);
        for (int i = 0; i < NV; i++)
            moved[i] -= push[i];
        /* The closed configuration may be a turn away: no faster than the step was. */
        const double farthest = largest_of(moved);
        for (int i = 0; i < NV; i++)
            if (m->ready[i] > 0.0)
                v[i] = moved[i] / dt * (farthest > fastest ? fastest / farthest : 1.0);
    }
    shed(p, q, m->ready, &m->partition, v);
    return gap;
}

/* 0 if the step leaves a loop open or a state that is not finite. */
static int settle(const simulation *s, double dt, const double *q0, const double *v0, double *q, double *v,
    const double *push, long number)
{
    const double *p = s->p;
    memory *m = s->memory;
    const double gap = close_step(s, dt, q0, v0, q, v, push);
    if (!kg_all_finite(NQ, q) || !kg_all_finite(NV, v))
        return 0;
    if (!(gap <= ALLOWED)) {
        m->open = 1;
        m->missed = gap;
        return 0;
    }
    if (s->driving && !follows(s, q, v))
        return 0;
    account(number, gap, m);
    if (counts_turns(s)) {
        double q_cut[CUT_Q + 1];
        KERNEL(loop_coordinates, q, q_cut);
        unwind(m->cut_q, q_cut);
        memcpy(m->cut_q, q_cut, CUT_Q * sizeof *q_cut);
    }
    return 1;
}

#endif
