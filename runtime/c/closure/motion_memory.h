/* What the motion of a closed mechanism carries from step to step, and what it has to tell of the closure. */

#ifndef KINEGEN_CLOSURE_MOTION_MEMORY_H
#define KINEGEN_CLOSURE_MOTION_MEMORY_H

#include "cut_joints.h"
#include "led_motion.h"
#include "straight_closing.h"

/* What is known of the forces of rows: nothing before the first step in a structure; none acted in the last step; those
 * of the last step. */
enum { NOT_KNOWN, UNLOADED, LOADED };

/* The account of the closure begins with the partition that is there. */
static void start_account(memory *m)
{
    m->worst = m->partition.ratio;
    m->full_rank = !HAS_SWITCHES && RANK > 0 ? RANK : m->partition.rank;
    m->last_row = m->weak_row = m->partition.weak_row;
    m->last_column = m->weak_column = m->partition.weak_column;
}

/* A memory for a motion that starts at q, and v, in place, on the closure; null: it is there. */
static void begin_memory(const double *p, const double *q, double *v, const double *ready, memory *m)
{
    memset(m, 0, sizeof *m);
    for (int j = 0; j < NV; j++)
        m->ready[j] = ready ? ready[j] : readiness[j];
    m->partition.rank = -1;
    MODEL(partition_closure)(p, q, m->ready, &m->partition);
    if (v)
        follow_leading(p, q, m->ready, &m->partition, v);
    take_own(p, q, m->ready, &m->partition);
    m->geared = GEARED;
    start_account(m);
    first_coordinates(p, q, m->cut_q);
}

/* A memory for a motion that starts at q; ready as for partition_closure. */
void MODEL(begin)(const double *p, const double *q, const double *ready, memory *m)
{
    begin_memory(p, q, 0, ready, m);
}

/* What a step tells of the closure: the worst partition with its place, the largest gap, steps near a singularity. */
static void account(long step, double gap, memory *m)
{
    const partition *held = &m->partition;
    const int lost = held->rank < m->full_rank;
    const double ratio = lost || m->blocked ? 0.0 : held->ratio;
    if (held->rank > m->full_rank && held->ratio > SINGULAR)
        m->full_rank = held->rank;
    if (ratio < SINGULAR)
        m->singular_steps++;
    if (ratio < m->worst) {
        m->worst = ratio;
        m->worst_step = step;
        m->weak_row = lost ? m->last_row : held->weak_row;
        m->weak_column = lost ? m->last_column : held->weak_column;
    }
    if (held->rank > 0 && !lost) {
        m->last_row = held->weak_row;
        m->last_column = held->weak_column;
    }
    m->gap = kg_max(m->gap, gap);
}

#endif
