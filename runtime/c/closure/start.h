/* Where the motion of a mechanism with loops starts: on the closure, with a memory of its own. */

#ifndef KINEGEN_CLOSURE_START_H
#define KINEGEN_CLOSURE_START_H

#include "closing.h"
#include "cut_joints.h"
#include "judged.h"
#include "motion_memory.h"

#define NOTICED (NOTICED_GAP * UNIT_LENGTH) /* gap of a given q above which Python says a word */
#define BRIEF 1e-3 /* how far a motion goes [m, rad] that is to show whether it is more than momentary */

enum { PROBES = 4 }; /* directions that are tried */

/* A direction that K v = 0 allows, its largest entry 1; the same ones in every call. */
static void allowed_direction(const partition *held, unsigned long long *random, double *v)
{
    double largest = 1e-9;
    for (int j = 0; j < NV; j++)
        v[j] = next_random(random);
    follow(held, v);
    for (int j = 0; j < NV; j++)
        largest = kg_max(largest, fabs(v[j]));
    for (int j = 0; j < NV; j++)
        v[j] /= largest;
}

/* What closing takes back (nv) of a motion `far` along v; gives its largest entry. */
static double taken_back(const double *p, const double *q, const double *v, double far, double *back)
{
    double dx[NV], beside[NQ], closed[NQ], largest = 0.0;
    for (int j = 0; j < NV; j++)
        dx[j] = far * v[j];
    KERNEL(integrate, q, dx, beside);
    memcpy(closed, beside, sizeof closed);
    MODEL(assemble)(p, closed, 0);
    KERNEL(difference, closed, beside, back);
    for (int j = 0; j < NV; j++)
        largest = kg_max(largest, fabs(back[j]));
    return largest;
}

/* The entry of v that moves most in a motion that K v = 0 allows for an instant only; -1: there is none. Closing undoes
 * such a motion in proportion to how far it went; of a true one, in proportion to the square. Independent rows hold
 * what they hold beside q as well, so that all that they allow is true. */
static int brief_motion(const double *p, const double *q, const partition *held)
{
    int row[ROWS], most = 0;
    unsigned long long random = RANDOM_SEED;
    double v[NV], back[NV];
    if (MISFIT > 0.0 || held->rank == NV || (held->rank == active_rows(p, row) && held->ratio > SINGULAR))
        return -1;
    for (int probe = 0; probe < PROBES; probe++) {
        allowed_direction(held, &random, v);
        const double whole = taken_back(p, q, v, 4.0 * BRIEF, back), part = taken_back(p, q, v, BRIEF, back);
        if (!(part > 0.1 * BRIEF && whole < 8.0 * part))
            continue;
        for (int j = 1; j < NV; j++)
            most = fabs(back[j]) > fabs(back[most]) ? j : most;
        return most;
    }
    return -1;
}

/* The same at q (nq), closed; ready as for partition_closure. */
int MODEL(momentary)(const double *p, const double *q, const double *ready)
{
    partition held;
    held.rank = -1;
    MODEL(partition_closure)(p, q, ready, &held);
    return brief_motion(p, q, &held);
}

/* q, v put where a motion starts from them, in place, m its memory, by the readiness that stands there. 0 where there
 * is something to tell of it: q was open or cannot be closed, or the loops hold less there than on their branch. */
static int start_motion(const double *p, double *q, double *v, memory *m)
{
    const double still[NV] = {0.0};
    double r[6 * LOOPS], all[NV], ready[NV], a[NV];
    partition held;
    int loop;
    if (!(widest(p, q, UNIT_LENGTH, 0, &loop) <= kg_max(NOTICED, ALLOWED)))
        return 0;
    for (int j = 0; j < NV; j++)
        all[j] = 1.0;
    if (!(MODEL(assemble)(p, q, all) <= ALLOWED))
        return 0;
    memcpy(ready, m->ready, sizeof ready);
    KERNEL(closure_residual, q, r);
    const int closed = gap_of(r) <= CLOSED; /* as project leaves it */
    held.rank = -1;
    if (!closed)
        MODEL(project)(p, q, v, ready, &held);
    begin_memory(p, q, closed ? v : 0, ready, m);
    if (HAS_SWITCHES)
        return 1;
    if (RANK == 0 || m->partition.rank != RANK)
        return 0;
    dynamics(p, q, v, still, a);
    return kg_all_finite(NV, a) && brief_motion(p, q, &m->partition) < 0;
}

#endif
