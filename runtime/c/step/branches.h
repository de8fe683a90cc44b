/* Runge-Kutta steps of mechanisms with loops: plain where the pivots hardly change through the step, on the closure at
 * every stage where they do, and past the points where branches of the motion cross, which stages must not hit. */

#ifndef KINEGEN_STEP_BRANCHES_H
#define KINEGEN_STEP_BRANCHES_H

#define STEADY 0.85 /* least over greatest pivot ratio of the stages of a plain step */
#define INFERIOR 0.3 /* part of the partition's ratio below which the straight-line code is left, unless it rests */
#define RESTS 0.98 /* least over greatest pivot ratio where nothing changes */
#define SHORTER 0.382 /* part of a step that is tried when a stage met a crossing: its stages lie elsewhere */
#define TRIES 6
#define PAST 2e-4 /* how far [units of the loops] a step goes straight on from a crossing */

/* 1 if the pivots hardly change from stage to stage, and the straight-line code is not about to lose one that another
 * choice of columns has not: the closer it comes, the larger its error. */
static int is_steady(const simulation *s, const stage_record *seen)
{
    const double kept = s->memory->partition.ratio;
    if (seen->way == STRAIGHT_LINE && seen->least < INFERIOR * kept && seen->least < RESTS * seen->most)
        return 0;
    return seen->least > TRUSTED && seen->least > STEADY * seen->most;
}

/* The acceleration that a step begins with, where it was found by the formulas of this way; else null. */
static const double *begun(const simulation *s, const first_stage *first, stage_record *seen)
{
    if (!first || first->quality < 0.0 || seen->way == ON_CLOSURE
        || (first->quality > 0.0) != (seen->way == STRAIGHT_LINE))
        return 0;
    note_ratio(seen, first->quality > 0.0 ? first->quality : s->memory->partition.ratio);
    return first->a;
}

/* A step by one way, in place; 0 if what it found is not to be used: q and v then stay. */
static int attempt(const simulation *s, stage_way way, double dt, double *q, double *v, const double *tau,
    const double *held, const first_stage *first)
{
    stage_record seen = {way, HUGE_VAL, 0.0, 0};
    double q_new[NQ], v_new[NV];
    const double *a = begun(s, first, &seen);
    memcpy(q_new, q, sizeof q_new);
    memcpy(v_new, v, sizeof v_new);
    runge_kutta_stages(s, &seen, dt, q_new, v_new, tau, held, a);
    if (seen.lost || (way != ON_CLOSURE && !is_steady(s, &seen)))
        return 0;
    memcpy(q, q_new, sizeof q_new);
    memcpy(v, v_new, sizeof v_new);
    return 1;
}

/* A step by the constraints that hold without doubt, in place: the weakest of a full partition is left out, so that the
 * mechanism goes straight on; settling takes the branch next to it. */
static void go_straight_on(const simulation *s, double dt, double *q, double *v, const double *tau, const double *held)
{
    stage_record seen = {ONE_PARTITION, HUGE_VAL, 0.0, 0};
    partition *kept = &s->memory->partition;
    if (kept->rank == s->memory->full_rank)
        kept->rank--;
    kept->known = kept->inverted = kept->laid = 0;
    runge_kutta_stages(s, &seen, dt, q, v, tau, held, 0);
    accept_stages(s);
}

/* The partition of a careful step: by size alone, whatever should rather lead. */
static void best_partition(const simulation *s, const double *q)
{
    double even[NV];
    for (int j = 0; j < NV; j++)
        even[j] = s->memory->ready[j] > 0.0;
    s->memory->partition.rank = -1;
    s->memory->pivotings += MODEL(partition_closure)(s->p, q, even, &s->memory->partition);
}

/* Straight on for a short way, in place; returns the time it took. */
static double pass(const simulation *s, double dt, double *q, double *v, const double *tau, const double *held)
{
    const double way = dt * largest_of(v);
    const double part = held || way <= PAST ? dt : dt * kg_max(PAST / way, 0.05);
    go_straight_on(s, part, q, v, tau, held);
    return part;
}

/* A step, or the first part of it, in place; returns the time it took. */
static double careful_part(const simulation *s, double dt, double *q, double *v, const double *tau, const double *held)
{
    const memory *m = s->memory;
    double part = dt;
    best_partition(s, q);
    if (m->partition.rank < m->full_rank || m->partition.ratio < UNDECIDED)
        return pass(s, dt, q, v, tau, held);
    if (m->partition.ratio < SINGULAR) {
        polish(s->p, q, &s->memory->partition);
        shed(s->p, q, m->ready, &m->partition, v);
    }
    for (int i = 0; i < (held ? 1 : TRIES); i++) {
        if (attempt(s, ON_CLOSURE, part, q, v, tau, held, 0)) {
            accept_stages(s);
            return part;
        }
        part *= SHORTER;
    }
    best_partition(s, q);
    return pass(s, dt, q, v, tau, held);
}

/* The same in as many parts as it takes; between them the state is settled. */
static void careful_step(const simulation *s, double dt, double *q, double *v, const double *tau, const double *held)
{
    const double none[NV] = {0.0};
    for (double left = dt; left > 1e-9 * dt;) {
        double q0[NQ], v0[NV];
        memcpy(q0, q, sizeof q0);
        memcpy(v0, v, sizeof v0);
        const double part = careful_part(s, left, q, v, tau, held);
        left -= part;
        if (left > 1e-9 * dt) {
            pass_time(s, part, q, v);
            close_step(s, part, q0, v0, q, v, none);
        }
    }
}

/* A step on a branch along which fewer rows are independent than elsewhere, in place; 0 if the branch is left. */
static int lower_rank_step(const simulation *s, double dt, double *q, double *v, const double *tau, const double *held)
{
    double q_new[NQ], v_new[NV], closed[NQ];
    memcpy(q_new, q, sizeof q_new);
    memcpy(v_new, v, sizeof v_new);
    if (!attempt(s, ONE_PARTITION, dt, q_new, v_new, tau, held, 0))
        return 0;
    memcpy(closed, q_new, sizeof closed);
    if (!(close_dependent(s->p, closed, &s->memory->partition, CLOSED) <= ALLOWED))
        return 0;
    memcpy(q, q_new, sizeof q_new);
    memcpy(v, v_new, sizeof v_new);
    accept_stages(s);
    return 1;
}

/* One step from q, v in place; held: forces that last through it, as for the stages; first: what it begins with, null
 * where that is not known. */
static void runge_kutta(const simulation *s, double dt, double *q, double *v, const double *tau, const double *held,
    const first_stage *first)
{
    const memory *m = s->memory;
    if (m->partition.rank < m->full_rank) {
        if (!lower_rank_step(s, dt, q, v, tau, held))
            careful_step(s, dt, q, v, tau, held);
        return;
    }
#if HAS_SPECIALISED
    if (!s->driving && attempt(s, STRAIGHT_LINE, dt, q, v, tau, held, first)) {
        accept_stages(s);
        return;
    }
#endif
    if (attempt(s, ONE_PARTITION, dt, q, v, tau, held, first))
        accept_stages(s);
    else
        careful_step(s, dt, q, v, tau, held);
}

#endif
