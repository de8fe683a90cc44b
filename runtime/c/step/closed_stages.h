/* Accelerations at the stages of a Runge-Kutta step of a mechanism with loops. */

#ifndef KINEGEN_STEP_CLOSED_STAGES_H
#define KINEGEN_STEP_CLOSED_STAGES_H

#include "settle.h"

#define UNDECIDED 3e-5 /* pivot ratio below which two branches of a motion can hardly be told apart */
#define MOST_TURN 0.3 /* part of the velocity by which a stage may turn it */

/* How the accelerations of a Runge-Kutta step are found, by the same formulas at all of its stages: what they give off
 * the closure is then smooth, and the order stays. */
typedef enum {
    STRAIGHT_LINE, /* by the straight-line code */
    ONE_PARTITION, /* by the partition that the step begins with */
    ON_CLOSURE /* the same, after the stage was put back on the closure */
} stage_way;

/* What the stages of a step tell: least and greatest pivot ratio, 1 if one of them cannot be judged. */
typedef struct {
    stage_way way;
    double least, most;
    int lost;
} stage_record;

static void note_ratio(stage_record *seen, double ratio)
{
    if (!(ratio >= seen->least)) /* a NaN is the least */
        seen->least = ratio;
    seen->most = kg_max(seen->most, ratio);
}

/* A stage put back on the closure, q by its dependent coordinates and v by H, in place. 0 if it cannot be told where
 * the branch goes on: near a singularity, or when v has turned more than a step can turn it. */
static int bring_back(const simulation *s, double *q, double *v)
{
    const double *p = s->p;
    partition *held = &s->memory->partition;
    double K[6 * LOOPS * NV], turned[NV];
    if (!(close_dependent(p, q, held, 0.0) <= ALLOWED))
        return 0;
    KERNEL(closure_rows, q, K);
    if (!partition_fixed(K, 0, held, 0) || held->ratio < UNDECIDED)
        return 0;
    memcpy(turned, v, sizeof turned);
    follow(held, v);
    for (int i = 0; i < NV; i++)
        turned[i] -= v[i];
    return largest_of(turned) <= MOST_TURN * largest_of(v);
}

/* Acceleration at a stage by the partition as it is. */
static void fixed_acceleration(
    const simulation *s, const double *q, const double *v, const double *f, stage_record *seen, double *a)
{
    const double *p = s->p;
    partition *held = &s->memory->partition;
    const added_inertia nothing = {0, 0};
    double K[6 * LOOPS * NV], turning[6 * LOOPS], c[SIDE];
    KERNEL(closure_rows_bias, q, v, turning);
    const int known = is_known(held, q);
    if (known)
        solve_by_inverse(held, turning, c);
    else
        KERNEL(closure_rows, q, K);
    if (!known && !partition_fixed(K, turning, held, c)) {
        seen->lost = 1;
        memset(a, 0, NV * sizeof *a);
        return;
    }
    note_ratio(seen, held->ratio);
    solve_dynamics(p, q, v, f, nothing, s->memory->ready, given_of(s), held, c, 0, a);
}

static void stage_forces(const simulation *s, const double *q, const double *v, const double *tau, double *f)
{
    cut_motion cut;
#if HAS_TURNS
    const double *p = s->p;
    if (!tau) {
        KERNEL(gravity, q, f);
        return;
    }
#endif
    joint_forces(s, q, v, tau, &cut, f);
    add_servos(s, q, v, f);
}

/* Acceleration at a stage: all forces act at v; tau null: none does, and gravity neither. q and v are those on the
 * closure, if that is the way. */
static void stage_acceleration(
    const simulation *s, stage_record *seen, double *q, double *v, const double *tau, double *a)
{
    double f[NV];
    if (seen->way == ON_CLOSURE && !bring_back(s, q, v))
        seen->lost = 1;
    stage_forces(s, q, v, tau, f);
#if HAS_SPECIALISED
    if (seen->way == STRAIGHT_LINE) {
        note_ratio(seen, straight_dynamics(s->p, q, v, f, 0, a));
        return;
    }
#endif
    if (s->memory->partition.rank > 0)
        fixed_acceleration(s, q, v, f, seen, a);
    else
        closed_acceleration(s, q, v, f, a);
}

#endif
