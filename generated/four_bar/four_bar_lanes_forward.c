/* four_bar: forward dynamics, several states at a time.
 *
 * The straight-line code of four_bar_forward.c, where its names are told, with a state in each lane of a vector;
 * around it functions that fill the lanes from arrays of states and empty them again. */

#include "kinegen/lanes/blocks.h"
#include "kinegen/lanes/functions.h"
#include "kinegen/lanes/sincos.h"

/* What is defined and called here, as four_bar.h declares it. */
long four_bar_forward_dynamics_open_lanes(long n, const double *q, long q_state, long q_entry, const double *v,
    long v_state, long v_entry, const double *tau, long tau_state, long tau_entry, double *a, long a_state,
    long a_entry);

/* Acceleration by M = L'DL. 60 mul, 45 add, 2 div, 3 sincos. */
static void forward_dynamics_open_wide(const kg_wide *restrict q, const kg_wide *restrict v,
    const kg_wide *restrict tau,
    kg_wide *restrict a)
{
    kg_wide s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_wide_sincos(3, q, s, c);

    /* rocker */
    const kg_wide neg_f_rocker_x = 0.08000000000000002*c[2];
    const kg_wide neg_f_rocker_y = 0.08000000000000002*s[2];
    const kg_wide n_rocker_z = 0.02133333333333334 + 0.5*neg_f_rocker_x;
    const kg_wide f_coupler_x = s[1]*neg_f_rocker_y - c[1]*neg_f_rocker_x;
    const kg_wide n_coupler_z = n_rocker_z - 0.2*f_coupler_x;
    const kg_wide neg_h_Sp_rocker = 0.02133333333333334*s[2];
    const kg_wide Sp_rocker_xx = s[2]*neg_h_Sp_rocker;
    const kg_wide neg_Sp_rocker_xy = c[2]*neg_h_Sp_rocker;
    const kg_wide Sp_rocker_yy = 0.02133333333333334 - Sp_rocker_xx;
    const kg_wide s_coupler_y = 0.325 + neg_f_rocker_x;
    const kg_wide neg_S_coupler_xy = neg_Sp_rocker_xy + 0.5*neg_f_rocker_y;
    const kg_wide S_coupler_yy = 0.14166666666666666 + Sp_rocker_yy + neg_f_rocker_x;

    /* coupler */
    const kg_wide n_coupler_z_2 = Sp_rocker_xx + S_coupler_yy;
    const kg_wide f_coupler_x_2 = s[1]*neg_f_rocker_y - c[1]*s_coupler_y;
    const kg_wide n_coupler_z_3 = n_coupler_z_2 - 0.2*f_coupler_x_2;
    const kg_wide h_Sp_coupler = c[1]*Sp_rocker_xx + s[1]*neg_S_coupler_xy;
    const kg_wide neg_h_Sp_coupler = c[1]*neg_S_coupler_xy + s[1]*S_coupler_yy;
    const kg_wide Sp_coupler_xx = c[1]*h_Sp_coupler + s[1]*neg_h_Sp_coupler;
    const kg_wide Sp_coupler_yy = Sp_rocker_xx + S_coupler_yy - Sp_coupler_xx;
    const kg_wide S_crank_yy = 0.03866666666666667 + Sp_coupler_yy - 0.4*f_coupler_x_2;

    /* crank */
    const kg_wide n_crank_z = Sp_coupler_xx + S_crank_yy;
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
    const kg_wide n_coupler_z_4 = 0.325*neg_a_coupler_x;

    /* rocker */
    const kg_wide w_rocker_z = w_coupler_z + v[2];
    const kg_wide neg_ap_rocker_y = neg_a_coupler_y + 0.5*ww_coupler;
    const kg_wide neg_a_rocker_x = c[2]*neg_a_coupler_x + s[2]*neg_ap_rocker_y;
    const kg_wide ww_rocker = w_rocker_z*w_rocker_z;
    const kg_wide neg_f_rocker_y_2 = 0.08000000000000002*ww_rocker;
    const kg_wide n_rocker_z_2 = 0.08000000000000002*neg_a_rocker_x;

    /* rocker, back */
    const kg_wide fp_rocker_x = s[2]*neg_f_rocker_y_2;
    const kg_wide neg_fp_rocker_y = c[2]*neg_f_rocker_y_2;
    const kg_wide neg_f_coupler_y_2 = neg_f_coupler_y + neg_fp_rocker_y;
    const kg_wide n_coupler_z_5 = n_coupler_z_4 + n_rocker_z_2 - 0.5*fp_rocker_x;

    /* coupler, back */
    const kg_wide fp_coupler_x = c[1]*fp_rocker_x + s[1]*neg_f_coupler_y_2;
    const kg_wide neg_n_crank_z_2 = neg_n_crank_z + 0.2*fp_coupler_x - n_coupler_z_5;

    /* crank, back */
    const kg_wide r = tau[0] + neg_n_crank_z_2;
    const kg_wide r_2 = tau[1] - n_coupler_z_5;
    const kg_wide r_3 = tau[2] - n_rocker_z_2;

    /* row 2 */
    const kg_wide L_2_0 = 46.874999999999986*n_coupler_z;
    const kg_wide L_2_1 = 46.874999999999986*n_rocker_z;
    const kg_wide neg_M_0_0 = n_coupler_z*L_2_0 - n_crank_z;
    const kg_wide neg_M_1_0 = n_coupler_z*L_2_1 - n_coupler_z_3;
    const kg_wide neg_M_1_1 = n_rocker_z*L_2_1 - n_coupler_z_2;

    /* row 1 */
    const kg_wide iD_1 = 1.0/(-neg_M_1_1);
    const kg_wide neg_L_1_0 = neg_M_1_0*iD_1;
    const kg_wide neg_M_0_0_2 = neg_M_0_0 + neg_M_1_0*neg_L_1_0;

    /* row 0 */
    const kg_wide iD_0 = 1.0/(-neg_M_0_0_2);
    const kg_wide y_1 = r_2 - r_3*L_2_1;
    const kg_wide y_0 = r + neg_L_1_0*y_1 - r_3*L_2_0;
    const kg_wide x_0 = iD_0*y_0;
    a[0] = x_0;
    const kg_wide x_1 = iD_1*y_1 + neg_L_1_0*x_0;
    a[1] = x_1;
    const kg_wide x_2 = 46.874999999999986*r_3 - L_2_0*x_0 - L_2_1*x_1;
    a[2] = x_2;
}

long four_bar_forward_dynamics_open_lanes(long n, const double *q, long q_state, long q_entry, const double *v,
    long v_state, long v_entry, const double *tau, long tau_state, long tau_entry, double *a, long a_state,
    long a_entry)
{
    enum { TOGETHER = KG_TOGETHER(12, 1) };
    kg_wide many_q[TOGETHER*3];
    kg_wide many_v[TOGETHER*3];
    kg_wide many_tau[TOGETHER*3];
    kg_wide many_a[TOGETHER*3];
    const int most = a_state == 1 ? TOGETHER : 1;
    long first = -1;
    const long lead = kg_lead(n, a, a_state, a_entry);
    const int past = kg_past_cache(n, 3, a_state, a_entry);
    for (long i = 0, states; i < n; i += states) {
        states = kg_least_of(n - i, i < lead ? lead : most * KG_WIDTH);
        const int blocks = kg_blocks(states, most);
        kg_fill_blocks(3, states, q + i*q_state, q_state, q_entry, many_q);
        kg_fill_blocks(3, states, v + i*v_state, v_state, v_entry, many_v);
        kg_fill_blocks(3, states, tau + i*tau_state, tau_state, tau_entry, many_tau);
        for (int block = 0; block < blocks; block++)
            forward_dynamics_open_wide(many_q + block*3, many_v + block*3, many_tau + block*3, many_a + block*3);
        for (int block = 0; block < blocks; block++) {
            const int count = kg_states(states, block * KG_WIDTH);
            kg_wide seen[4] = {kg_splat(0.0), kg_splat(0.0), kg_splat(0.0), kg_splat(0.0)};
            kg_wide *const wide_a = many_a + block*3;
            kg_look_finite(3, wide_a, seen);
            const int bad = first < 0 ? kg_seen(count, seen) : -1;
            if (bad >= 0)
                first = i + block * KG_WIDTH + bad;
        }
        kg_empty_blocks(3, states, 0, many_a, 3, a + i*a_state, a_state, a_entry, past);
    }
    kg_end_past(past);
    return first;
}

