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
    kg_wide wide_q[3];
    kg_wide wide_v_dt[3];
    kg_wide wide_q_out[3];
    long first = -1;
    for (long i = 0; i < n; i += KG_WIDTH) {
        const int count = n - i < KG_WIDTH ? (int)(n - i) : KG_WIDTH;
        kg_wide seen[4] = {kg_splat(0.0), kg_splat(0.0), kg_splat(0.0), kg_splat(0.0)};
        kg_fill(3, count, q + i*q_state, q_state, q_entry, wide_q);
        kg_fill(3, count, v_dt + i*v_dt_state, v_dt_state, v_dt_entry, wide_v_dt);
        integrate_wide(wide_q, wide_v_dt, wide_q_out);
        kg_look_finite(3, wide_q_out, seen);
        kg_empty(3, count, 0, wide_q_out, q_out + i*q_out_state, q_out_state, q_out_entry);
        const int bad = first < 0 ? kg_seen(count, seen) : -1;
        if (bad >= 0)
            first = i + bad;
    }
    return first;
}

long four_bar_difference_lanes(long n, const double *q0, long q0_state, long q0_entry, const double *q1,
    long q1_state, long q1_entry, double *v_dt, long v_dt_state, long v_dt_entry)
{
    kg_wide wide_q0[3];
    kg_wide wide_q1[3];
    kg_wide wide_v_dt[3];
    long first = -1;
    for (long i = 0; i < n; i += KG_WIDTH) {
        const int count = n - i < KG_WIDTH ? (int)(n - i) : KG_WIDTH;
        kg_wide seen[4] = {kg_splat(0.0), kg_splat(0.0), kg_splat(0.0), kg_splat(0.0)};
        kg_fill(3, count, q0 + i*q0_state, q0_state, q0_entry, wide_q0);
        kg_fill(3, count, q1 + i*q1_state, q1_state, q1_entry, wide_q1);
        difference_wide(wide_q0, wide_q1, wide_v_dt);
        kg_look_finite(3, wide_v_dt, seen);
        kg_empty(3, count, 0, wide_v_dt, v_dt + i*v_dt_state, v_dt_state, v_dt_entry);
        const int bad = first < 0 ? kg_seen(count, seen) : -1;
        if (bad >= 0)
            first = i + bad;
    }
    return first;
}

