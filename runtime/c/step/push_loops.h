/* Pushes of loops, which are right to first order: none goes farther than that holds. The loops are closed again at
 * once, so that what closes them is no velocity, and have no more kinetic energy than before. Velocities that M or the
 * loops couple are a set; each set is pushed by itself, and what is not pushed stays to the last bit. */

#ifndef KINEGEN_STEP_PUSH_LOOPS_H
#define KINEGEN_STEP_PUSH_LOOPS_H

#include "../closure/closing.h"
#include "../closure/dynamics.h"
#include "../joints/thresholds.h"

#define NEAREST_WAY 1e-6 /* less than that is what stages of an integrator leave: no matter for the energy */

static void join_sets(int a, int b, int *set)
{
    const int from = set[a] < set[b] ? set[b] : set[a], to = set[a] < set[b] ? set[a] : set[b];
    for (int i = 0; from != to && i < NV; i++)
        set[i] = set[i] == from ? to : set[i];
}

/* The set of each velocity: the first of its members. */
static void find_sets(const partition *held, const double *M, int *set)
{
    const int m = held->rank, n = NV - m;
    for (int i = 0; i < NV; i++)
        set[i] = i;
    for (int i = 0; i < NV; i++)
        for (int j = 0; j < i; j++)
            if (M[i * NV + j] != 0.0)
                join_sets(i, j, set);
    for (int k = 0; k < m; k++)
        for (int j = 0; j < n; j++)
            if (held->H[k * n + j] != 0.0)
                join_sets(held->columns[k], held->columns[m + j], set);
}

/* The farthest way of a joint of a set, in units of the loops. */
static double farthest_of(int of, const int *set, const double *way)
{
    double most = 0.0;
    for (int i = 0; i < NV; i++)
        most = set[i] == of ? kg_max(most, fabs(way[i]) * per_unit[i]) : most;
    return most;
}

/* A push that would move a joint too far for its first order is made shorter. */
static void shorten_way(const simulation *s, const double *q, double *push)
{
    const double *p = s->p;
    double M[NV * NV];
    int set[NV];
    if (!(kg_largest_product(NV, push, per_unit) > FARTHEST_PUSH))
        return;
    KERNEL(mass_matrix, q, M);
    find_sets(&s->memory->partition, M, set);
    for (int of = 0; of < NV; of++) {
        const double part = FARTHEST_PUSH / kg_max(FARTHEST_PUSH, farthest_of(of, set, push));
        for (int i = 0; i < NV; i++)
            push[i] *= set[i] == of ? part : 1.0;
    }
}

/* x' M y of a set. */
static double weighed(int of, const int *set, const double *M, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < NV; i++)
        for (int j = 0; j < NV && set[i] == of; j++)
            sum += x[i] * M[i * NV + j] * y[j];
    return sum;
}

/* Velocities of a set made smaller, but for those that are given, until its kinetic energy is half of `most` again:
 * what leads turns other masses where the loops gear it otherwise, and a push is no work. */
static void slow_down(const memory *m, int of, const int *set, const double *M, double most, double *v)
{
    double own[NV], given[NV];
    for (int i = 0; i < NV; i++) {
        own[i] = m->ready[i] > 0.0 ? v[i] : 0.0;
        given[i] = m->ready[i] > 0.0 ? 0.0 : v[i];
    }
    const double a = weighed(of, set, M, own, own), b = weighed(of, set, M, own, given);
    const double c = weighed(of, set, M, given, given) - most, square = b * b - a * c;
    if (!(a + 2.0 * b + c > 0.0) || !(a > 0.0))
        return;
    const double factor = kg_min(1.0, kg_max(0.0, ((square > 0.0 ? sqrt(square) : 0.0) - b) / a));
    for (int i = 0; i < NV; i++)
        v[i] = set[i] == of ? given[i] + factor * own[i] : v[i];
}

/* push (nv) with what closes the loops again; none of a set whose loops undo most of it. */
static void close_way(const simulation *s, const double *q, const double *v, const int *set, double *push)
{
    const double *p = s->p;
    double q_new[NQ], v_new[NV], moved[NV];
    partition held = s->memory->partition;
    memcpy(q_new, q, sizeof q_new);
    memcpy(v_new, v, sizeof v_new);
    MODEL(displace)(push, q_new, v_new);
    const int closed = close_gap(p, q_new, s->memory->ready, &held) <= ALLOWED;
    KERNEL(difference, q, q_new, moved);
    for (int of = 0; of < NV; of++) {
        const double farthest = farthest_of(of, set, push);
        const int keeps = closed && farthest > 0.0 && farthest_of(of, set, moved) <= 2.0 * farthest;
        for (int i = 0; i < NV; i++)
            push[i] = set[i] == of ? (keeps ? moved[i] : 0.0) : push[i];
    }
}

/* q, v where push (nv) brings them: what leads goes on as it did, others follow, with no more kinetic energy than they
 * had. push becomes what q was moved by. */
static void push_loops(const simulation *s, double *push, double *q, double *v)
{
    const double *p = s->p;
    const memory *m = s->memory;
    double M[NV * NV], M_new[NV * NV], v_old[NV], v_new[NV];
    int set[NV];
    partition held = m->partition;
    KERNEL(mass_matrix, q, M);
    find_sets(&held, M, set);
    close_way(s, q, v, set, push);
    memcpy(v_old, v, sizeof v_old);
    MODEL(displace)(push, q, v);
    memcpy(v_new, v, sizeof v_new);
    MODEL(partition_closure)(p, q, m->ready, &held);
    follow(&held, v_new);
    KERNEL(mass_matrix, q, M_new);
    for (int of = 0; of < NV; of++) {
        if (!(farthest_of(of, set, push) > 0.0))
            continue;
        for (int i = 0; i < NV; i++)
            v[i] = set[i] == of ? v_new[i] : v[i];
        if (farthest_of(of, set, push) > NEAREST_WAY)
            slow_down(m, of, set, M_new, weighed(of, set, M, v_old, v_old), v);
    }
}

#endif
