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
    enum { TOGETHER = KG_TOGETHER(7, 1) };
    kg_wide many_q[TOGETHER*3];
    kg_wide many_W[TOGETHER*3];
    kg_wide many_quality[TOGETHER*1];
    const int most = W_state == 1 ? TOGETHER : 1;
    long first = -1;
    const long lead = kg_lead(n, W, W_state, W_entry);
    const int past = kg_past_cache(n, 3, W_state, W_entry);
    for (long i = 0, states; i < n; i += states) {
        states = kg_least_of(n - i, i < lead ? lead : most * KG_WIDTH);
        const int blocks = kg_blocks(states, most);
        kg_fill_blocks(3, states, q + i*q_state, q_state, q_entry, many_q);
        for (int block = 0; block < blocks; block++)
            W_at(0, many_q + block*3, many_W + block*3, many_quality + block*1);
        for (int block = 0; block < blocks; block++) {
            const int count = kg_states(states, block * KG_WIDTH);
            kg_wide seen[4] = {kg_splat(0.0), kg_splat(0.0), kg_splat(0.0), kg_splat(0.0)};
            kg_wide *const wide_q = many_q + block*3;
            kg_wide *const wide_quality = many_quality + block*1;
            kg_wide *const wide_W = many_W + block*3;
            for (int l = 0; l < count; l++) /* lanes that the fixed partition does not serve, one by one */
                if (!(kg_lanes_of(wide_quality)[l] > TRUSTED)) {
                    double q_l[3], W_l[3];
                    kg_take_lane(3, l, wide_q, q_l);
                    four_bar_W(q_l, W_l);
                    kg_put_lane(3, l, W_l, wide_W);
                }
            kg_look_finite(3, wide_q, seen);
            kg_look_finite(3, wide_W, seen);
            const int bad = first < 0 ? kg_seen(count, seen) : -1;
            if (bad >= 0)
                first = i + block * KG_WIDTH + bad;
        }
        kg_empty_blocks(3, states, 0, many_W, 3, W + i*W_state, W_state, W_entry, past);
    }
    kg_end_past(past);
    return first;
}

long four_bar_H_lanes(long n, const double *q, long q_state, long q_entry, double *H, long H_state, long H_entry)
{
    enum { TOGETHER = KG_TOGETHER(7, 1) };
    kg_wide many_q[TOGETHER*3];
    kg_wide many_H[TOGETHER*3];
    kg_wide many_quality[TOGETHER*1];
    const int most = H_state == 1 ? TOGETHER : 1;
    long first = -1;
    const long lead = kg_lead(n, H, H_state, H_entry);
    const int past = kg_past_cache(n, 3, H_state, H_entry);
    for (long i = 0, states; i < n; i += states) {
        states = kg_least_of(n - i, i < lead ? lead : most * KG_WIDTH);
        const int blocks = kg_blocks(states, most);
        kg_fill_blocks(3, states, q + i*q_state, q_state, q_entry, many_q);
        for (int block = 0; block < blocks; block++)
            H_at(0, many_q + block*3, many_H + block*3, many_quality + block*1);
        for (int block = 0; block < blocks; block++) {
            const int count = kg_states(states, block * KG_WIDTH);
            kg_wide seen[4] = {kg_splat(0.0), kg_splat(0.0), kg_splat(0.0), kg_splat(0.0)};
            kg_wide *const wide_q = many_q + block*3;
            kg_wide *const wide_quality = many_quality + block*1;
            kg_wide *const wide_H = many_H + block*3;
            for (int l = 0; l < count; l++) /* lanes that the fixed partition does not serve, one by one */
                if (!(kg_lanes_of(wide_quality)[l] > TRUSTED)) {
                    double q_l[3], H_l[3];
                    kg_take_lane(3, l, wide_q, q_l);
                    four_bar_H(q_l, H_l);
                    kg_put_lane(3, l, H_l, wide_H);
                }
            kg_look_finite(3, wide_q, seen);
            kg_look_finite(3, wide_H, seen);
            const int bad = first < 0 ? kg_seen(count, seen) : -1;
            if (bad >= 0)
                first = i + block * KG_WIDTH + bad;
        }
        kg_empty_blocks(3, states, 0, many_H, 3, H + i*H_state, H_state, H_entry, past);
    }
    kg_end_past(past);
    return first;
}

long four_bar_dependent_motion_lanes(long n, const double *q, long q_state, long q_entry, const double *v,
    long v_state, long v_entry, const double *a, long a_state, long a_entry, double *motion, long motion_state,
    long motion_entry)
{
    enum { TOGETHER = KG_TOGETHER(16, 1) };
    kg_wide many_q[TOGETHER*3];
    kg_wide many_v[TOGETHER*3];
    kg_wide many_a[TOGETHER*3];
    kg_wide many_motion[TOGETHER*6];
    kg_wide many_quality[TOGETHER*1];
    const int most = motion_state == 1 ? TOGETHER : 1;
    long first = -1;
    const long lead = kg_lead(n, motion, motion_state, motion_entry);
    const int past = kg_past_cache(n, 6, motion_state, motion_entry);
    for (long i = 0, states; i < n; i += states) {
        states = kg_least_of(n - i, i < lead ? lead : most * KG_WIDTH);
        const int blocks = kg_blocks(states, most);
        kg_fill_blocks(3, states, q + i*q_state, q_state, q_entry, many_q);
        kg_fill_blocks(3, states, v + i*v_state, v_state, v_entry, many_v);
        kg_fill_blocks(3, states, a + i*a_state, a_state, a_entry, many_a);
        for (int block = 0; block < blocks; block++)
            motion_at(0, many_q + block*3, many_v + block*3, many_a + block*3, many_motion + block*6,
                many_quality + block*1);
        for (int block = 0; block < blocks; block++) {
            const int count = kg_states(states, block * KG_WIDTH);
            kg_wide seen[4] = {kg_splat(0.0), kg_splat(0.0), kg_splat(0.0), kg_splat(0.0)};
            kg_wide *const wide_q = many_q + block*3;
            kg_wide *const wide_v = many_v + block*3;
            kg_wide *const wide_a = many_a + block*3;
            kg_wide *const wide_quality = many_quality + block*1;
            kg_wide *const wide_motion = many_motion + block*6;
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
            const int bad = first < 0 ? kg_seen(count, seen) : -1;
            if (bad >= 0)
                first = i + block * KG_WIDTH + bad;
        }
        kg_empty_blocks(6, states, 0, many_motion, 6, motion + i*motion_state, motion_state, motion_entry, past);
    }
    kg_end_past(past);
    return first;
}

long four_bar_S_lanes(long n, const double *q, long q_state, long q_entry, double *S, long S_state, long S_entry)
{
    enum { TOGETHER = KG_TOGETHER(5, 1) };
    kg_wide many_q[TOGETHER*3];
    kg_wide many_S[TOGETHER*1];
    kg_wide many_quality[TOGETHER*1];
    const int most = S_state == 1 ? TOGETHER : 1;
    long first = -1;
    const long lead = kg_lead(n, S, S_state, S_entry);
    const int past = kg_past_cache(n, 1, S_state, S_entry);
    for (long i = 0, states; i < n; i += states) {
        states = kg_least_of(n - i, i < lead ? lead : most * KG_WIDTH);
        const int blocks = kg_blocks(states, most);
        kg_fill_blocks(3, states, q + i*q_state, q_state, q_entry, many_q);
        for (int block = 0; block < blocks; block++)
            S_at(0, many_q + block*3, many_S + block*1, many_quality + block*1);
        for (int block = 0; block < blocks; block++) {
            const int count = kg_states(states, block * KG_WIDTH);
            kg_wide seen[4] = {kg_splat(0.0), kg_splat(0.0), kg_splat(0.0), kg_splat(0.0)};
            kg_wide *const wide_q = many_q + block*3;
            kg_wide *const wide_quality = many_quality + block*1;
            kg_wide *const wide_S = many_S + block*1;
            for (int l = 0; l < count; l++) /* lanes that the fixed partition does not serve, one by one */
                if (!(kg_lanes_of(wide_quality)[l] > TRUSTED)) {
                    double q_l[3], S_l[1];
                    kg_take_lane(3, l, wide_q, q_l);
                    four_bar_S(q_l, S_l);
                    kg_put_lane(1, l, S_l, wide_S);
                }
            kg_look_finite(3, wide_q, seen);
            kg_look_finite(1, wide_S, seen);
            const int bad = first < 0 ? kg_seen(count, seen) : -1;
            if (bad >= 0)
                first = i + block * KG_WIDTH + bad;
        }
        kg_empty_blocks(1, states, 0, many_S, 1, S + i*S_state, S_state, S_entry, past);
    }
    kg_end_past(past);
    return first;
}

long four_bar_actuator_torques_lanes(long n, const double *q, long q_state, long q_entry, const double *v,
    long v_state, long v_entry, const double *a, long a_state, long a_entry, double *tau, long tau_state,
    long tau_entry)
{
    enum { TOGETHER = KG_TOGETHER(11, 1) };
    kg_wide many_q[TOGETHER*3];
    kg_wide many_v[TOGETHER*3];
    kg_wide many_a[TOGETHER*3];
    kg_wide many_tau[TOGETHER*1];
    kg_wide many_quality[TOGETHER*1];
    const int most = tau_state == 1 ? TOGETHER : 1;
    long first = -1;
    const long lead = kg_lead(n, tau, tau_state, tau_entry);
    const int past = kg_past_cache(n, 1, tau_state, tau_entry);
    for (long i = 0, states; i < n; i += states) {
        states = kg_least_of(n - i, i < lead ? lead : most * KG_WIDTH);
        const int blocks = kg_blocks(states, most);
        kg_fill_blocks(3, states, q + i*q_state, q_state, q_entry, many_q);
        kg_fill_blocks(3, states, v + i*v_state, v_state, v_entry, many_v);
        kg_fill_blocks(3, states, a + i*a_state, a_state, a_entry, many_a);
        for (int block = 0; block < blocks; block++)
            torques_at(0, many_q + block*3, many_v + block*3, many_a + block*3, many_tau + block*1,
                many_quality + block*1);
        for (int block = 0; block < blocks; block++) {
            const int count = kg_states(states, block * KG_WIDTH);
            kg_wide seen[4] = {kg_splat(0.0), kg_splat(0.0), kg_splat(0.0), kg_splat(0.0)};
            kg_wide *const wide_q = many_q + block*3;
            kg_wide *const wide_v = many_v + block*3;
            kg_wide *const wide_a = many_a + block*3;
            kg_wide *const wide_quality = many_quality + block*1;
            kg_wide *const wide_tau = many_tau + block*1;
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
            const int bad = first < 0 ? kg_seen(count, seen) : -1;
            if (bad >= 0)
                first = i + block * KG_WIDTH + bad;
        }
        kg_empty_blocks(1, states, 0, many_tau, 1, tau + i*tau_state, tau_state, tau_entry, past);
    }
    kg_end_past(past);
    return first;
}

