/* four_bar: motion of the coordinates, several states at a time.
 *
 * The formulas of four_bar_motion.c, where they are told, with a state in each lane of a vector; around them
 * functions that fill the lanes from arrays of states and empty them again. */

#include "kinegen/lanes/blocks.h"
#include "kinegen/lanes/groups.h"

/* What is defined and called here, as four_bar.h declares it. */
long four_bar_integrate_lanes(long n, const double *q, long q_state, long q_entry, const double *v_dt,
    long v_dt_state, long v_dt_entry, double *q_out, long q_out_state, long q_out_entry);
long four_bar_difference_lanes(long n, const double *q0, long q0_state, long q0_entry, const double *q1,
    long q1_state, long q1_entry, double *v_dt, long v_dt_state, long v_dt_entry);

/* q_out = q moved by v_dt for unit time; q_out may be q. */
KG_SEPARATE void integrate_wide(const kg_wide *q, const kg_wide *v_dt, kg_wide *q_out)
{
    /* motor (revolute) */
    q_out[0] = q[0] + v_dt[0];
    /* wrist (revolute) */
    q_out[1] = q[1] + v_dt[1];
    /* knee (revolute) */
    q_out[2] = q[2] + v_dt[2];
}

/* v_dt = the shortest motion that takes q0 to q1 in unit time: integrate(q0, v_dt) = q1. */
KG_SEPARATE void difference_wide(const kg_wide *q0, const kg_wide *q1, kg_wide *v_dt)
{
    /* motor (revolute) */
    v_dt[0] = q1[0] - q0[0];
    /* wrist (revolute) */
    v_dt[1] = q1[1] - q0[1];
    /* knee (revolute) */
    v_dt[2] = q1[2] - q0[2];
}

long four_bar_integrate_lanes(long n, const double *q, long q_state, long q_entry, const double *v_dt,
    long v_dt_state, long v_dt_entry, double *q_out, long q_out_state, long q_out_entry)
{
    enum { TOGETHER = KG_TOGETHER(9, 1) };
    kg_wide many_q[TOGETHER*3];
    kg_wide many_v_dt[TOGETHER*3];
    kg_wide many_q_out[TOGETHER*3];
    const int most = q_out_state == 1 ? TOGETHER : 1;
    long first = -1;
    const long lead = kg_lead(n, q_out, q_out_state, q_out_entry);
    const int past = kg_past_cache(n, 3, q_out_state, q_out_entry);
    for (long i = 0, states; i < n; i += states) {
        states = kg_least_of(n - i, i < lead ? lead : most * KG_WIDTH);
        const int blocks = kg_blocks(states, most);
        kg_fill_blocks(3, states, q + i*q_state, q_state, q_entry, many_q);
        kg_fill_blocks(3, states, v_dt + i*v_dt_state, v_dt_state, v_dt_entry, many_v_dt);
        for (int block = 0; block < blocks; block++)
            integrate_wide(many_q + block*3, many_v_dt + block*3, many_q_out + block*3);
        for (int block = 0; block < blocks; block++) {
            const int count = kg_states(states, block * KG_WIDTH);
            kg_wide seen[4] = {kg_splat(0.0), kg_splat(0.0), kg_splat(0.0), kg_splat(0.0)};
            kg_wide *const wide_q_out = many_q_out + block*3;
            kg_look_finite(3, wide_q_out, seen);
            const int bad = first < 0 ? kg_seen(count, seen) : -1;
            if (bad >= 0)
                first = i + block * KG_WIDTH + bad;
        }
        kg_empty_blocks(3, states, 0, many_q_out, 3, q_out + i*q_out_state, q_out_state, q_out_entry, past);
    }
    kg_end_past(past);
    return first;
}

long four_bar_difference_lanes(long n, const double *q0, long q0_state, long q0_entry, const double *q1,
    long q1_state, long q1_entry, double *v_dt, long v_dt_state, long v_dt_entry)
{
    enum { TOGETHER = KG_TOGETHER(9, 1) };
    kg_wide many_q0[TOGETHER*3];
    kg_wide many_q1[TOGETHER*3];
    kg_wide many_v_dt[TOGETHER*3];
    const int most = v_dt_state == 1 ? TOGETHER : 1;
    long first = -1;
    const long lead = kg_lead(n, v_dt, v_dt_state, v_dt_entry);
    const int past = kg_past_cache(n, 3, v_dt_state, v_dt_entry);
    for (long i = 0, states; i < n; i += states) {
        states = kg_least_of(n - i, i < lead ? lead : most * KG_WIDTH);
        const int blocks = kg_blocks(states, most);
        kg_fill_blocks(3, states, q0 + i*q0_state, q0_state, q0_entry, many_q0);
        kg_fill_blocks(3, states, q1 + i*q1_state, q1_state, q1_entry, many_q1);
        for (int block = 0; block < blocks; block++)
            difference_wide(many_q0 + block*3, many_q1 + block*3, many_v_dt + block*3);
        for (int block = 0; block < blocks; block++) {
            const int count = kg_states(states, block * KG_WIDTH);
            kg_wide seen[4] = {kg_splat(0.0), kg_splat(0.0), kg_splat(0.0), kg_splat(0.0)};
            kg_wide *const wide_v_dt = many_v_dt + block*3;
            kg_look_finite(3, wide_v_dt, seen);
            const int bad = first < 0 ? kg_seen(count, seen) : -1;
            if (bad >= 0)
                first = i + block * KG_WIDTH + bad;
        }
        kg_empty_blocks(3, states, 0, many_v_dt, 3, v_dt + i*v_dt_state, v_dt_state, v_dt_entry, past);
    }
    kg_end_past(past);
    return first;
}

