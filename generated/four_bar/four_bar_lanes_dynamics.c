/* four_bar: inverse dynamics and mass matrix, several states at a time.
 *
 * The straight-line code of four_bar_dynamics.c, where its names are told, with a state in each lane of a vector;
 * around it functions that fill the lanes from arrays of states and empty them again. */

#include "kinegen/lanes/blocks.h"
#include "kinegen/lanes/functions.h"
#include "kinegen/lanes/sincos.h"

/* What is defined and called here, as four_bar.h declares it. */
long four_bar_inverse_dynamics_lanes(long n, const double *q, long q_state, long q_entry, const double *v,
    long v_state, long v_entry, const double *a, long a_state, long a_entry, double *tau, long tau_state,
    long tau_entry);
long four_bar_bias_lanes(long n, const double *q, long q_state, long q_entry, const double *v, long v_state,
    long v_entry, double *h, long h_state, long h_entry);
long four_bar_gravity_lanes(long n, const double *q, long q_state, long q_entry, double *g, long g_state,
    long g_entry);
long four_bar_mass_matrix_lanes(long n, const double *q, long q_state, long q_entry, double *M, long M_state,
    long M_entry);

/* Joint forces tau of the open chain, by recursion in link frames. 33 mul, 23 add, 3 sincos. */
static void inverse_dynamics_wide(const kg_wide *restrict q, const kg_wide *restrict v, const kg_wide *restrict a,
    kg_wide *restrict tau)
{
    kg_wide s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_wide_sincos(3, q, s, c);

    /* crank */
    const kg_wide a_crank_x = 9.81*c[0];
    const kg_wide neg_a_crank_y = 9.81*s[0];
    const kg_wide ww_crank = v[0]*v[0];
    const kg_wide n_crank_z = 0.03866666666666667*a[0] - 0.2*a_crank_x;

    /* coupler */
    const kg_wide w_coupler_z = v[0] + v[1];
    const kg_wide dw_coupler_z = a[0] + a[1];
    const kg_wide neg_ap_coupler_x = 0.2*a[0] - a_crank_x;
    const kg_wide neg_ap_coupler_y = neg_a_crank_y + 0.2*ww_crank;
    const kg_wide neg_a_coupler_x = c[1]*neg_ap_coupler_x + s[1]*neg_ap_coupler_y;
    const kg_wide a_coupler_y = s[1]*neg_ap_coupler_x - c[1]*neg_ap_coupler_y;
    const kg_wide ww_coupler = w_coupler_z*w_coupler_z;
    const kg_wide neg_f_coupler_x = 0.325*dw_coupler_z;
    const kg_wide neg_f_coupler_y = 0.325*ww_coupler;
    const kg_wide n_coupler_z = 0.14166666666666666*dw_coupler_z + 0.325*neg_a_coupler_x;

    /* rocker */
    const kg_wide w_rocker_z = w_coupler_z + v[2];
    const kg_wide dw_rocker_z = dw_coupler_z + a[2];
    const kg_wide neg_ap_rocker_x = neg_a_coupler_x + 0.5*dw_coupler_z;
    const kg_wide ap_rocker_y = a_coupler_y - 0.5*ww_coupler;
    const kg_wide a_rocker_x = s[2]*ap_rocker_y - c[2]*neg_ap_rocker_x;
    const kg_wide ww_rocker = w_rocker_z*w_rocker_z;
    const kg_wide neg_f_rocker_x = 0.08000000000000002*dw_rocker_z;
    const kg_wide neg_f_rocker_y = 0.08000000000000002*ww_rocker;
    const kg_wide n_rocker_z = 0.02133333333333334*dw_rocker_z - 0.08000000000000002*a_rocker_x;
    tau[2] = n_rocker_z;

    /* rocker, back */
    const kg_wide fp_rocker_x = s[2]*neg_f_rocker_y - c[2]*neg_f_rocker_x;
    const kg_wide neg_fp_rocker_y = s[2]*neg_f_rocker_x + c[2]*neg_f_rocker_y;
    const kg_wide neg_f_coupler_x_2 = neg_f_coupler_x - fp_rocker_x;
    const kg_wide neg_f_coupler_y_2 = neg_f_coupler_y + neg_fp_rocker_y;
    const kg_wide n_coupler_z_2 = n_coupler_z + n_rocker_z - 0.5*fp_rocker_x;
    tau[1] = n_coupler_z_2;

    /* coupler, back */
    const kg_wide fp_coupler_x = s[1]*neg_f_coupler_y_2 - c[1]*neg_f_coupler_x_2;
    const kg_wide n_crank_z_2 = n_crank_z + n_coupler_z_2 - 0.2*fp_coupler_x;
    tau[0] = n_crank_z_2;
}

/* Bias h(q, v): tau at zero acceleration. 24 mul, 13 add, 3 sincos. */
static void bias_wide(const kg_wide *restrict q, const kg_wide *restrict v, kg_wide *restrict h)
{
    kg_wide s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_wide_sincos(3, q, s, c);

    /* crank */
    const kg_wide a_crank_x = 9.81*c[0];
    const kg_wide neg_a_crank_y = 9.81*s[0];
    const kg_wide ww_crank = v[0]*v[0];
    const kg_wide neg_n_crank_z = 0.2*a_crank_x;

    /* coupler */
    const kg_wide w_coupler_z = v[0] + v[1];
    const kg_wide neg_ap_coupler_y = neg_a_crank_y + 0.2*ww_crank;
    const kg_wide neg_a_coupler_x = s[1]*neg_ap_coupler_y - c[1]*a_crank_x;
    const kg_wide neg_a_coupler_y = s[1]*a_crank_x + c[1]*neg_ap_coupler_y;
    const kg_wide ww_coupler = w_coupler_z*w_coupler_z;
    const kg_wide neg_f_coupler_y = 0.325*ww_coupler;
    const kg_wide n_coupler_z = 0.325*neg_a_coupler_x;

    /* rocker */
    const kg_wide w_rocker_z = w_coupler_z + v[2];
    const kg_wide neg_ap_rocker_y = neg_a_coupler_y + 0.5*ww_coupler;
    const kg_wide neg_a_rocker_x = c[2]*neg_a_coupler_x + s[2]*neg_ap_rocker_y;
    const kg_wide ww_rocker = w_rocker_z*w_rocker_z;
    const kg_wide neg_f_rocker_y = 0.08000000000000002*ww_rocker;
    const kg_wide n_rocker_z = 0.08000000000000002*neg_a_rocker_x;
    h[2] = n_rocker_z;

    /* rocker, back */
    const kg_wide fp_rocker_x = s[2]*neg_f_rocker_y;
    const kg_wide neg_fp_rocker_y = c[2]*neg_f_rocker_y;
    const kg_wide neg_f_coupler_y_2 = neg_f_coupler_y + neg_fp_rocker_y;
    const kg_wide n_coupler_z_2 = n_coupler_z + n_rocker_z - 0.5*fp_rocker_x;
    h[1] = n_coupler_z_2;

    /* coupler, back */
    const kg_wide fp_coupler_x = c[1]*fp_rocker_x + s[1]*neg_f_coupler_y_2;
    const kg_wide neg_n_crank_z_2 = neg_n_crank_z + 0.2*fp_coupler_x - n_coupler_z_2;
    h[0] = -neg_n_crank_z_2;
}

/* Gravity g(q): tau at rest. 11 mul, 5 add, 3 sincos. */
static void gravity_wide(const kg_wide *restrict q, kg_wide *restrict g)
{
    kg_wide s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_wide_sincos(3, q, s, c);

    /* crank */
    const kg_wide a_crank_x = 9.81*c[0];
    const kg_wide neg_a_crank_y = 9.81*s[0];
    const kg_wide neg_n_crank_z = 0.2*a_crank_x;

    /* coupler */
    const kg_wide neg_a_coupler_x = s[1]*neg_a_crank_y - c[1]*a_crank_x;
    const kg_wide neg_a_coupler_y = s[1]*a_crank_x + c[1]*neg_a_crank_y;
    const kg_wide n_coupler_z = 0.325*neg_a_coupler_x;

    /* rocker */
    const kg_wide neg_a_rocker_x = c[2]*neg_a_coupler_x + s[2]*neg_a_coupler_y;
    const kg_wide n_rocker_z = 0.08000000000000002*neg_a_rocker_x;
    g[2] = n_rocker_z;

    /* rocker, back */
    const kg_wide n_coupler_z_2 = n_coupler_z + n_rocker_z;
    g[1] = n_coupler_z_2;

    /* coupler, back */
    const kg_wide neg_n_crank_z_2 = neg_n_crank_z - n_coupler_z_2;
    g[0] = -neg_n_crank_z_2;
}

/* Mass matrix M by unit vectors. 20 mul, 17 add, 2 sincos. */
static void mass_matrix_wide(const kg_wide *restrict q, kg_wide *restrict M)
{
    kg_wide s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_wide_sincos(2, q + 1, s, c);
    M[5] = kg_splat(0.02133333333333334);

    /* coupler */
    const kg_wide neg_a_coupler_x = 0.2*c[0];
    const kg_wide a_coupler_y = 0.2*s[0];
    const kg_wide n_coupler_z = 0.14166666666666666 + 0.325*neg_a_coupler_x;

    /* rocker */
    const kg_wide neg_ap_rocker_x = neg_a_coupler_x + 0.5;
    const kg_wide a_rocker_x = s[1]*a_coupler_y - c[1]*neg_ap_rocker_x;
    const kg_wide n_rocker_z = 0.02133333333333334 - 0.08000000000000002*a_rocker_x;

    /* rocker, back */
    const kg_wide neg_fp_rocker_x = 0.08000000000000002*c[1];
    const kg_wide neg_fp_rocker_y = 0.08000000000000002*s[1];
    const kg_wide neg_f_coupler_x = 0.325 + neg_fp_rocker_x;
    const kg_wide n_coupler_z_2 = n_coupler_z + n_rocker_z + 0.5*neg_fp_rocker_x;

    /* coupler, back */
    const kg_wide fp_coupler_x = s[0]*neg_fp_rocker_y - c[0]*neg_f_coupler_x;
    const kg_wide n_crank_z = 0.03866666666666667 + n_coupler_z_2 - 0.2*fp_coupler_x;
    M[0] = n_crank_z;

    /* rocker */
    const kg_wide neg_a_rocker_x = 0.5*c[1];
    const kg_wide n_rocker_z_2 = 0.02133333333333334 + 0.08000000000000002*neg_a_rocker_x;

    /* rocker, back */
    const kg_wide n_coupler_z_3 = 0.14166666666666666 + n_rocker_z_2 + 0.5*neg_fp_rocker_x;
    M[2] = n_coupler_z_3;

    /* coupler, back */
    const kg_wide neg_n_crank_z = 0.2*fp_coupler_x - n_coupler_z_3;
    M[1] = -neg_n_crank_z;

    /* rocker, back */
    const kg_wide n_coupler_z_4 = 0.02133333333333334 + 0.5*neg_fp_rocker_x;
    M[4] = n_coupler_z_4;

    /* coupler, back */
    const kg_wide fp_coupler_x_2 = s[0]*neg_fp_rocker_y - c[0]*neg_fp_rocker_x;
    const kg_wide n_crank_z_2 = n_coupler_z_4 - 0.2*fp_coupler_x_2;
    M[3] = n_crank_z_2;
}

long four_bar_inverse_dynamics_lanes(long n, const double *q, long q_state, long q_entry, const double *v,
    long v_state, long v_entry, const double *a, long a_state, long a_entry, double *tau, long tau_state,
    long tau_entry)
{
    enum { TOGETHER = KG_TOGETHER(12, 1) };
    kg_wide many_q[TOGETHER*3];
    kg_wide many_v[TOGETHER*3];
    kg_wide many_a[TOGETHER*3];
    kg_wide many_tau[TOGETHER*3];
    const int most = tau_state == 1 ? TOGETHER : 1;
    long first = -1;
    const long lead = kg_lead(n, tau, tau_state, tau_entry);
    const int past = kg_past_cache(n, 3, tau_state, tau_entry);
    for (long i = 0, states; i < n; i += states) {
        states = kg_least_of(n - i, i < lead ? lead : most * KG_WIDTH);
        const int blocks = kg_blocks(states, most);
        kg_fill_blocks(3, states, q + i*q_state, q_state, q_entry, many_q);
        kg_fill_blocks(3, states, v + i*v_state, v_state, v_entry, many_v);
        kg_fill_blocks(3, states, a + i*a_state, a_state, a_entry, many_a);
        for (int block = 0; block < blocks; block++)
            inverse_dynamics_wide(many_q + block*3, many_v + block*3, many_a + block*3, many_tau + block*3);
        for (int block = 0; block < blocks; block++) {
            const int count = kg_states(states, block * KG_WIDTH);
            kg_wide seen[4] = {kg_splat(0.0), kg_splat(0.0), kg_splat(0.0), kg_splat(0.0)};
            kg_wide *const wide_tau = many_tau + block*3;
            kg_look_finite(3, wide_tau, seen);
            const int bad = first < 0 ? kg_seen(count, seen) : -1;
            if (bad >= 0)
                first = i + block * KG_WIDTH + bad;
        }
        kg_empty_blocks(3, states, 0, many_tau, 3, tau + i*tau_state, tau_state, tau_entry, past);
    }
    kg_end_past(past);
    return first;
}

long four_bar_bias_lanes(long n, const double *q, long q_state, long q_entry, const double *v, long v_state,
    long v_entry, double *h, long h_state, long h_entry)
{
    enum { TOGETHER = KG_TOGETHER(9, 1) };
    kg_wide many_q[TOGETHER*3];
    kg_wide many_v[TOGETHER*3];
    kg_wide many_h[TOGETHER*3];
    const int most = h_state == 1 ? TOGETHER : 1;
    long first = -1;
    const long lead = kg_lead(n, h, h_state, h_entry);
    const int past = kg_past_cache(n, 3, h_state, h_entry);
    for (long i = 0, states; i < n; i += states) {
        states = kg_least_of(n - i, i < lead ? lead : most * KG_WIDTH);
        const int blocks = kg_blocks(states, most);
        kg_fill_blocks(3, states, q + i*q_state, q_state, q_entry, many_q);
        kg_fill_blocks(3, states, v + i*v_state, v_state, v_entry, many_v);
        for (int block = 0; block < blocks; block++)
            bias_wide(many_q + block*3, many_v + block*3, many_h + block*3);
        for (int block = 0; block < blocks; block++) {
            const int count = kg_states(states, block * KG_WIDTH);
            kg_wide seen[4] = {kg_splat(0.0), kg_splat(0.0), kg_splat(0.0), kg_splat(0.0)};
            kg_wide *const wide_h = many_h + block*3;
            kg_look_finite(3, wide_h, seen);
            const int bad = first < 0 ? kg_seen(count, seen) : -1;
            if (bad >= 0)
                first = i + block * KG_WIDTH + bad;
        }
        kg_empty_blocks(3, states, 0, many_h, 3, h + i*h_state, h_state, h_entry, past);
    }
    kg_end_past(past);
    return first;
}

long four_bar_gravity_lanes(long n, const double *q, long q_state, long q_entry, double *g, long g_state,
    long g_entry)
{
    enum { TOGETHER = KG_TOGETHER(6, 1) };
    kg_wide many_q[TOGETHER*3];
    kg_wide many_g[TOGETHER*3];
    const int most = g_state == 1 ? TOGETHER : 1;
    long first = -1;
    const long lead = kg_lead(n, g, g_state, g_entry);
    const int past = kg_past_cache(n, 3, g_state, g_entry);
    for (long i = 0, states; i < n; i += states) {
        states = kg_least_of(n - i, i < lead ? lead : most * KG_WIDTH);
        const int blocks = kg_blocks(states, most);
        kg_fill_blocks(3, states, q + i*q_state, q_state, q_entry, many_q);
        for (int block = 0; block < blocks; block++)
            gravity_wide(many_q + block*3, many_g + block*3);
        for (int block = 0; block < blocks; block++) {
            const int count = kg_states(states, block * KG_WIDTH);
            kg_wide seen[4] = {kg_splat(0.0), kg_splat(0.0), kg_splat(0.0), kg_splat(0.0)};
            kg_wide *const wide_g = many_g + block*3;
            kg_look_finite(3, wide_g, seen);
            const int bad = first < 0 ? kg_seen(count, seen) : -1;
            if (bad >= 0)
                first = i + block * KG_WIDTH + bad;
        }
        kg_empty_blocks(3, states, 0, many_g, 3, g + i*g_state, g_state, g_entry, past);
    }
    kg_end_past(past);
    return first;
}

/* Where each entry of M stands in the packed one; the last place is a zero. */
static const int mass_matrix_entry[] = {0, 1, 3, 1, 2, 4, 3, 4, 5};

long four_bar_mass_matrix_lanes(long n, const double *q, long q_state, long q_entry, double *M, long M_state,
    long M_entry)
{
    enum { TOGETHER = KG_TOGETHER(10, 1) };
    kg_wide many_q[TOGETHER*3];
    kg_wide many_M[TOGETHER*7];
    const int most = M_state == 1 ? TOGETHER : 1;
    long first = -1;
    for (int block = 0; block < kg_blocks(n, most); block++)
        many_M[block*7 + 6] = kg_splat(0.0);
    const long lead = kg_lead(n, M, M_state, M_entry);
    const int past = kg_past_cache(n, 9, M_state, M_entry);
    for (long i = 0, states; i < n; i += states) {
        states = kg_least_of(n - i, i < lead ? lead : most * KG_WIDTH);
        const int blocks = kg_blocks(states, most);
        kg_fill_blocks(3, states, q + i*q_state, q_state, q_entry, many_q);
        for (int block = 0; block < blocks; block++)
            mass_matrix_wide(many_q + block*3, many_M + block*7);
        for (int block = 0; block < blocks; block++) {
            const int count = kg_states(states, block * KG_WIDTH);
            kg_wide seen[4] = {kg_splat(0.0), kg_splat(0.0), kg_splat(0.0), kg_splat(0.0)};
            kg_wide *const wide_q = many_q + block*3;
            kg_look_small(3, wide_q, seen);
            const int bad = first < 0 ? kg_seen(count, seen) : -1;
            if (bad >= 0)
                first = i + block * KG_WIDTH + bad;
        }
        kg_empty_blocks(9, states, mass_matrix_entry, many_M, 7, M + i*M_state, M_state, M_entry, past);
    }
    kg_end_past(past);
    return first;
}

