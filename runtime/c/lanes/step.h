/* Steps of several simulations of a tree, one in each lane: in each lane what the scalar step of step/ computes where
 * no row acts. A lane that a limit may meet within the step, or that is not finite afterwards, leaves before the step,
 * for the scalar one. Before it stand kernels by lanes, statements of joints and tables. */

#ifndef KINEGEN_LANES_STEP_H
#define KINEGEN_LANES_STEP_H

#include <string.h>

#if KG_WIDTH > 1
typedef MODEL(lane_simulations) lane_simulations;

#define TOGETHER 16 /* steps after which lanes are given out anew */

static int any_lane(kg_wide_mask mask)
{
    long long any = 0;
    for (int l = 0; l < KG_WIDTH; l++)
        any |= mask[l];
    return any != 0;
}

/* block (size): of lane l what stands at x + row[l]*stride; stride 0: the same in all. */
static void gather(int size, const int *row, const double *x, long stride, kg_wide *block)
{
    for (int k = 0; k < size; k++)
        if (stride == 0)
            block[k] = kg_splat(x[k]);
        else
            for (int l = 0; l < KG_WIDTH; l++)
                kg_lanes_of(block + k)[l] = x[row[l] * stride + k];
}

#include "wide_integrators.h"

/* Lanes in which a coordinate may meet a bound within a step from q, v to v_new: see contact/find.h. */
static kg_wide_mask near_bounds(double dt, const kg_wide *q, const kg_wide *v, const kg_wide *v_new)
{
    kg_wide_mask near = {0};
    for (int k = 0; k < BOUNDS; k++) {
        const int dof = bound[k].v;
        const kg_wide x = q[bound[k].q], speed = kg_wide_max(kg_wide_fabs(v[dof]), kg_wide_fabs(v_new[dof]));
        const kg_wide reach = WITHIN_REACH(dt, speed);
        near |= (kg_wide_mask)(x - bound[k].low < reach) | (kg_wide_mask)(bound[k].high - x < reach);
    }
    return near;
}

static kg_wide_mask are_finite(const kg_wide *q, const kg_wide *v)
{
    kg_wide even = {0}, odd = {0}; /* two sums, each of which waits for itself */
    for (int i = 0; i < NV; i++) {
        even += q[i] * 0.0;
        odd += v[i] * 0.0;
    }
    for (int i = NV; i < NQ; i++)
        even += q[i] * 0.0;
    return (kg_wide_mask)(even + odd == 0.0);
}

/* What `gather` takes back, of lanes that the mask tells. */
static void scatter(int size, const int *row, kg_wide_mask lanes, kg_wide *block, double *x, long stride)
{
    for (int l = 0; l < KG_WIDTH; l++)
        if (lanes[l])
            kg_take_lane(size, l, block, x + row[l] * stride);
}

/* Those of the lanes that are going whose step, from q, v to q_new, v_new, is finite and meets no limit; the others
 * keep the state before it, and `done` tells so. */
static kg_wide_mask leave_lanes(const lane_simulations *s, const int *row, int count, long step, kg_wide_mask going,
    const kg_wide *q, const kg_wide *v, kg_wide *q_new, kg_wide *v_new)
{
    kg_wide_mask stay = are_finite(q_new, v_new);
    if (s->limits)
        stay &= ~near_bounds(s->dt, q, v, v_new);
    if (!any_lane(~(going & stay)))
        return going;
    for (int l = 0; l < count; l++)
        if (going[l] && !stay[l])
            s->done[row[l]] = step;
    going &= stay;
    for (int i = 0; i < NQ; i++)
        q_new[i] = kg_wide_select(going, q_new[i], q[i]);
    for (int i = 0; i < NV; i++)
        v_new[i] = kg_wide_select(going, v_new[i], v[i]);
    return going;
}

/* Steps number `first` to end - 1 of `count` <= KG_WIDTH simulations; speed: how fast each then turns. */
static void make_lanes(const lane_simulations *s, const int *rows, int count, long first, long end, double *speed)
{
    kg_wide p[PARAMETERS], tau[NV], q_of[2][NQ], v_of[2][NV], *q = q_of[0], *v = v_of[0];
    kg_wide_mask going = {0};
    wide_drive drive;
    int row[KG_WIDTH];
    for (int l = 0; l < KG_WIDTH; l++) {
        row[l] = rows[l < count ? l : count - 1]; /* lanes beyond are not looked at */
        going[l] = l < count ? -1 : 0;
    }
    const kg_wide_mask begun = going;
    if (s->p)
        gather(PARAMETERS, row, s->p, s->p_row, p);
    gather(NQ, row, s->q, NQ, q);
    gather(NV, row, s->v, NV, v);
    begin_wide_drive(s, row, &drive);
    for (long step = first; step < end && any_lane(going); step++) {
        kg_wide *const q_new = q_of[q == q_of[0]], *const v_new = v_of[v == v_of[0]];
        if (step == first || s->tau_stride)
            gather(NV, row, s->tau + step * s->tau_stride, s->tau_row, tau);
        memcpy(q_new, q, sizeof *q_of);
        memcpy(v_new, v, sizeof *v_of);
        step_wide(going, p, tau, step, &drive, q_new, v_new);
        going = leave_lanes(s, row, count, step, going, q, v, q_new, v_new);
        q = q_new;
        v = v_new;
        if (s->every > 0 && (step + 1) % s->every == 0) {
            const long log = (step + 1) / s->every - 1;
            scatter(NQ, row, going, q, s->q_log + log * NQ, s->logs * NQ);
            scatter(NV, row, going, v, s->v_log + log * NV, s->logs * NV);
        }
    }
    scatter(NQ, row, begun, q, s->q, NQ);
    scatter(NV, row, begun, v, s->v, NV);
#if HAS_TURNS
    kg_wide turn = turn_wide(p, 1, v);
#else
    kg_wide turn = {0};
#endif
    for (int l = 0; l < count; l++) {
        speed[row[l]] = kg_lanes_of(&turn)[l];
        if (going[l])
            s->done[row[l]] = end;
    }
}

/* Rows in the order of their speeds: those that turn fast, whose steps cost more, share vectors. */
static void sort_rows(int count, int *rows, const double *speed)
{
    for (int i = 1; i < count; i++) {
        const int row = rows[i];
        int k = i;
        for (; k > 0 && speed[rows[k - 1]] > speed[row]; k--)
            rows[k] = rows[k - 1];
        rows[k] = row;
    }
}

/* All steps of at most LANE_RUNS simulations; those that have left give their lanes to others. */
static void make_block(const lane_simulations *s)
{
    int rows[LANE_RUNS], count = 0;
    double speed[LANE_RUNS] = {0.0};
    for (int i = 0; i < (int)s->count; i++)
        if (s->done[i] == s->first)
            rows[count++] = i;
    for (long first = s->first; first < s->steps && count > 0;) {
        const long end = first + TOGETHER < s->steps ? first + TOGETHER : s->steps;
        int left = 0;
        sort_rows(count, rows, speed);
        for (int i = 0; i < count; i += KG_WIDTH)
            make_lanes(s, rows + i, count - i < KG_WIDTH ? count - i : KG_WIDTH, first, end, speed);
        for (int i = 0; i < count; i++)
            if (s->done[rows[i]] == end)
                rows[left++] = rows[i];
        count = left;
        first = end;
    }
}
#endif

/* At most LANE_RUNS simulations. */
void MODEL(simulate_lanes)(const MODEL(lane_simulations) * s)
{
#if KG_WIDTH > 1
    if (s->integrator == SEMI_IMPLICIT || s->integrator == RK4)
        make_block(s);
#else
    (void)s; /* the scalar code makes all steps, as of other integrators */
#endif
}

#endif
