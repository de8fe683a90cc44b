/* four_bar: what depends from the velocities that lead, several states at a time.
 *
 * The straight-line code of four_bar_dependence.h, where its names are told, with a state in each lane of a vector;
 * around it functions that fill the lanes from arrays of states and empty them again. */

#include "four_bar_dependence.h"
#include "kinegen/lanes/blocks.h"

#define HAS_FORCES
/* Forces of the open chain in blocks. */
static void inverse_dynamics_of(kg_wide *p, kg_wide *q, kg_wide *v, kg_wide *a, kg_wide *force)
{
    (void)p;
    four_bar_inverse_dynamics_lanes(KG_WIDTH, kg_lanes_of(q), 1, KG_WIDTH,
        kg_lanes_of(v), 1, KG_WIDTH, kg_lanes_of(a), 1, KG_WIDTH, kg_lanes_of(force), 1, KG_WIDTH);
}

#include "kinegen/lanes/dependent.h"

long four_bar_W_lanes(long n, const double *q, long q_state, long q_entry, double *W, long W_state, long W_entry)
{
    kg_wide wide_q[3];
    kg_wide wide_quality[1];
    kg_wide wide_W[3];
    long first = -1;
    for (long i = 0; i < n; i += KG_WIDTH) {
        const int count = n - i < KG_WIDTH ? (int)(n - i) : KG_WIDTH;
        kg_wide seen[4] = {kg_splat(0.0), kg_splat(0.0), kg_splat(0.0), kg_splat(0.0)};
        kg_fill(3, count, q + i*q_state, q_state, q_entry, wide_q);
        W_at(0, wide_q, wide_W, wide_quality);
        for (int l = 0; l < count; l++) /* lanes that the fixed partition does not serve, one by one */
            if (!(kg_lanes_of(wide_quality)[l] > TRUSTED)) {
                double q_l[3], W_l[3];
                kg_take_lane(3, l, wide_q, q_l);
                four_bar_W(q_l, W_l);
                kg_put_lane(3, l, W_l, wide_W);
            }
        kg_look_finite(3, wide_q, seen);
        kg_look_finite(3, wide_W, seen);
        kg_empty(3, count, 0, wide_W, W + i*W_state, W_state, W_entry);
        const int bad = first < 0 ? kg_seen(count, seen) : -1;
        if (bad >= 0)
            first = i + bad;
    }
    return first;
}

long four_bar_H_lanes(long n, const double *q, long q_state, long q_entry, double *H, long H_state, long H_entry)
{
    kg_wide wide_q[3];
    kg_wide wide_quality[1];
    kg_wide wide_H[3];
    long first = -1;
    for (long i = 0; i < n; i += KG_WIDTH) {
        const int count = n - i < KG_WIDTH ? (int)(n - i) : KG_WIDTH;
        kg_wide seen[4] = {kg_splat(0.0), kg_splat(0.0), kg_splat(0.0), kg_splat(0.0)};
        kg_fill(3, count, q + i*q_state, q_state, q_entry, wide_q);
        H_at(0, wide_q, wide_H, wide_quality);
        for (int l = 0; l < count; l++) /* lanes that the fixed partition does not serve, one by one */
            if (!(kg_lanes_of(wide_quality)[l] > TRUSTED)) {
                double q_l[3], H_l[3];
                kg_take_lane(3, l, wide_q, q_l);
                four_bar_H(q_l, H_l);
                kg_put_lane(3, l, H_l, wide_H);
            }
        kg_look_finite(3, wide_q, seen);
        kg_look_finite(3, wide_H, seen);
        kg_empty(3, count, 0, wide_H, H + i*H_state, H_state, H_entry);
        const int bad = first < 0 ? kg_seen(count, seen) : -1;
        if (bad >= 0)
            first = i + bad;
    }
    return first;
}

long four_bar_dependent_motion_lanes(long n, const double *q, long q_state, long q_entry, const double *v,
    long v_state, long v_entry, const double *a, long a_state, long a_entry, double *motion, long motion_state,
    long motion_entry)
{
    kg_wide wide_q[3];
    kg_wide wide_v[3];
    kg_wide wide_a[3];
    kg_wide wide_quality[1];
    kg_wide wide_motion[6];
    long first = -1;
    for (long i = 0; i < n; i += KG_WIDTH) {
        const int count = n - i < KG_WIDTH ? (int)(n - i) : KG_WIDTH;
        kg_wide seen[4] = {kg_splat(0.0), kg_splat(0.0), kg_splat(0.0), kg_splat(0.0)};
        kg_fill(3, count, q + i*q_state, q_state, q_entry, wide_q);
        kg_fill(3, count, v + i*v_state, v_state, v_entry, wide_v);
        kg_fill(3, count, a + i*a_state, a_state, a_entry, wide_a);
        motion_at(0, wide_q, wide_v, wide_a, wide_motion, wide_quality);
        for (int l = 0; l < count; l++) /* lanes that the fixed partition does not serve, one by one */
            if (!(kg_lanes_of(wide_quality)[l] > TRUSTED)) {
                double q_l[3], v_l[3], a_l[3], motion_l[6];
                kg_take_lane(3, l, wide_q, q_l);
                kg_take_lane(3, l, wide_v, v_l);
                kg_take_lane(3, l, wide_a, a_l);
                four_bar_dependent_motion(q_l, v_l, a_l, motion_l);
                kg_put_lane(6, l, motion_l, wide_motion);
            }
        kg_look_finite(3, wide_q, seen);
        kg_look_finite(3, wide_v, seen);
        kg_look_finite(3, wide_a, seen);
        kg_look_finite(6, wide_motion, seen);
        kg_empty(6, count, 0, wide_motion, motion + i*motion_state, motion_state, motion_entry);
        const int bad = first < 0 ? kg_seen(count, seen) : -1;
        if (bad >= 0)
            first = i + bad;
    }
    return first;
}

long four_bar_S_lanes(long n, const double *q, long q_state, long q_entry, double *S, long S_state, long S_entry)
{
    kg_wide wide_q[3];
    kg_wide wide_quality[1];
    kg_wide wide_S[1];
    long first = -1;
    for (long i = 0; i < n; i += KG_WIDTH) {
        const int count = n - i < KG_WIDTH ? (int)(n - i) : KG_WIDTH;
        kg_wide seen[4] = {kg_splat(0.0), kg_splat(0.0), kg_splat(0.0), kg_splat(0.0)};
        kg_fill(3, count, q + i*q_state, q_state, q_entry, wide_q);
        S_at(0, wide_q, wide_S, wide_quality);
        for (int l = 0; l < count; l++) /* lanes that the fixed partition does not serve, one by one */
            if (!(kg_lanes_of(wide_quality)[l] > TRUSTED)) {
                double q_l[3], S_l[1];
                kg_take_lane(3, l, wide_q, q_l);
                four_bar_S(q_l, S_l);
                kg_put_lane(1, l, S_l, wide_S);
            }
        kg_look_finite(3, wide_q, seen);
        kg_look_finite(1, wide_S, seen);
        kg_empty(1, count, 0, wide_S, S + i*S_state, S_state, S_entry);
        const int bad = first < 0 ? kg_seen(count, seen) : -1;
        if (bad >= 0)
            first = i + bad;
    }
    return first;
}

long four_bar_actuator_torques_lanes(long n, const double *q, long q_state, long q_entry, const double *v,
    long v_state, long v_entry, const double *a, long a_state, long a_entry, double *tau, long tau_state,
    long tau_entry)
{
    kg_wide wide_q[3];
    kg_wide wide_v[3];
    kg_wide wide_a[3];
    kg_wide wide_quality[1];
    kg_wide wide_tau[1];
    long first = -1;
    for (long i = 0; i < n; i += KG_WIDTH) {
        const int count = n - i < KG_WIDTH ? (int)(n - i) : KG_WIDTH;
        kg_wide seen[4] = {kg_splat(0.0), kg_splat(0.0), kg_splat(0.0), kg_splat(0.0)};
        kg_fill(3, count, q + i*q_state, q_state, q_entry, wide_q);
        kg_fill(3, count, v + i*v_state, v_state, v_entry, wide_v);
        kg_fill(3, count, a + i*a_state, a_state, a_entry, wide_a);
        torques_at(0, wide_q, wide_v, wide_a, wide_tau, wide_quality);
        for (int l = 0; l < count; l++) /* lanes that the fixed partition does not serve, one by one */
            if (!(kg_lanes_of(wide_quality)[l] > TRUSTED)) {
                double q_l[3], v_l[3], a_l[3], tau_l[1];
                kg_take_lane(3, l, wide_q, q_l);
                kg_take_lane(3, l, wide_v, v_l);
                kg_take_lane(3, l, wide_a, a_l);
                four_bar_actuator_torques(q_l, v_l, a_l, tau_l);
                kg_put_lane(1, l, tau_l, wide_tau);
            }
        kg_look_finite(3, wide_q, seen);
        kg_look_finite(3, wide_v, seen);
        kg_look_finite(3, wide_a, seen);
        kg_look_finite(1, wide_tau, seen);
        kg_empty(1, count, 0, wide_tau, tau + i*tau_state, tau_state, tau_entry);
        const int bad = first < 0 ? kg_seen(count, seen) : -1;
        if (bad >= 0)
            first = i + bad;
    }
    return first;
}

