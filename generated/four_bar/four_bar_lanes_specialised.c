/* four_bar: forward dynamics of closed loops, several states at a time.
 *
 * The straight-line code of four_bar_specialised.c, where its names are told, with a state in each lane of a vector;
 * around it functions that fill the lanes from arrays of states and empty them again. */

#include "kinegen/lanes/blocks.h"
#include "kinegen/lanes/functions.h"
#include "kinegen/lanes/sincos.h"
#include "kinegen/closure/trusted.h"

/* What is defined and called here, as four_bar.h declares it. */
void four_bar_forward_dynamics(const double *q, const double *v, const double *tau, double *a);
long four_bar_forward_dynamics_lanes(long n, const double *q, long q_state, long q_entry, const double *v,
    long v_state, long v_entry, const double *tau, long tau_state, long tau_entry, double *a, long a_state,
    long a_entry);

/* Acceleration under closed loops, by A = W'MW. 101 mul, 81 add, 4 div, 4 call, 3 sincos. */
static void forward_dynamics_wide(const kg_wide *restrict q, const kg_wide *restrict v, const kg_wide *restrict tau,
    const kg_wide *restrict d, kg_wide *restrict a, kg_wide *restrict quality)
{
    kg_wide s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_wide_sincos(3, q, s, c);

    /* crank */
    const kg_wide a_crank_x = 9.81*c[0];
    const kg_wide neg_a_crank_y = 9.81*s[0];
    const kg_wide ww_crank = v[0]*v[0];
    const kg_wide neg_f_crank_y = 0.2*ww_crank;
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

    /* rocker, back */
    const kg_wide fp_rocker_x = s[2]*neg_f_rocker_y;
    const kg_wide neg_fp_rocker_y = c[2]*neg_f_rocker_y;
    const kg_wide neg_f_coupler_y_2 = neg_f_coupler_y + neg_fp_rocker_y;
    const kg_wide n_coupler_z_2 = n_coupler_z + n_rocker_z - 0.5*fp_rocker_x;

    /* coupler, back */
    const kg_wide fp_coupler_x = c[1]*fp_rocker_x + s[1]*neg_f_coupler_y_2;
    const kg_wide neg_n_crank_z_2 = neg_n_crank_z + 0.2*fp_coupler_x - n_coupler_z_2;

    /* crank, back */
    const kg_wide f = tau[0] + neg_n_crank_z_2;
    const kg_wide f_2 = tau[1] - n_coupler_z_2;
    const kg_wide f_3 = tau[2] - n_rocker_z;

    /* rocker */
    const kg_wide neg_f_rocker_x = 0.08000000000000002*c[2];
    const kg_wide neg_f_rocker_y_2 = 0.08000000000000002*s[2];
    const kg_wide n_rocker_z_2 = 0.02133333333333334 + 0.5*neg_f_rocker_x;
    const kg_wide f_coupler_x = s[1]*neg_f_rocker_y_2 - c[1]*neg_f_rocker_x;
    const kg_wide n_coupler_z_3 = n_rocker_z_2 - 0.2*f_coupler_x;
    const kg_wide neg_h_Sp_rocker = 0.02133333333333334*s[2];
    const kg_wide Sp_rocker_xx = s[2]*neg_h_Sp_rocker;
    const kg_wide neg_Sp_rocker_xy = c[2]*neg_h_Sp_rocker;
    const kg_wide Sp_rocker_yy = 0.02133333333333334 - Sp_rocker_xx;
    const kg_wide s_coupler_y = 0.325 + neg_f_rocker_x;
    const kg_wide neg_S_coupler_xy = neg_Sp_rocker_xy + 0.5*neg_f_rocker_y_2;
    const kg_wide S_coupler_yy = 0.14166666666666666 + Sp_rocker_yy + neg_f_rocker_x;

    /* coupler */
    const kg_wide n_coupler_z_4 = Sp_rocker_xx + S_coupler_yy;
    const kg_wide f_coupler_x_2 = s[1]*neg_f_rocker_y_2 - c[1]*s_coupler_y;
    const kg_wide n_coupler_z_5 = n_coupler_z_4 - 0.2*f_coupler_x_2;
    const kg_wide h_Sp_coupler = c[1]*Sp_rocker_xx + s[1]*neg_S_coupler_xy;
    const kg_wide neg_h_Sp_coupler = c[1]*neg_S_coupler_xy + s[1]*S_coupler_yy;
    const kg_wide Sp_coupler_xx = c[1]*h_Sp_coupler + s[1]*neg_h_Sp_coupler;
    const kg_wide Sp_coupler_yy = Sp_rocker_xx + S_coupler_yy - Sp_coupler_xx;
    const kg_wide S_crank_yy = 0.03866666666666667 + Sp_coupler_yy - 0.4*f_coupler_x_2;

    /* crank */
    const kg_wide n_crank_z = Sp_coupler_xx + S_crank_yy;
    const kg_wide M = n_crank_z + d[0];
    const kg_wide M_2 = n_coupler_z_4 + d[1];
    const kg_wide M_3 = 0.02133333333333334 + d[2];

    /* loop pin */
    const kg_wide neg_R_coupler_xx = s[0]*s[1] - c[0]*c[1];
    const kg_wide neg_R_coupler_xy = c[0]*s[1] + s[0]*c[1];
    const kg_wide neg_p_coupler_x = 0.2*s[0];
    const kg_wide neg_p_coupler_y = 0.5 - 0.2*c[0];
    const kg_wide neg_R_rocker_xx = c[2]*neg_R_coupler_xx + s[2]*neg_R_coupler_xy;
    const kg_wide R_rocker_xy = s[2]*neg_R_coupler_xx - c[2]*neg_R_coupler_xy;
    const kg_wide neg_p_rocker_x = neg_p_coupler_x + 0.5*neg_R_coupler_xy;
    const kg_wide neg_p_rocker_y = neg_p_coupler_y + 0.5*neg_R_coupler_xx;
    const kg_wide p_pin_x = 0.4*R_rocker_xy - neg_p_rocker_x;
    const kg_wide neg_p_pin_y = neg_p_rocker_y + 0.4*neg_R_rocker_xx;
    const kg_wide r_crank_y = 0.5 - neg_p_pin_y;
    const kg_wide r_coupler_x = p_pin_x + neg_p_coupler_x;
    const kg_wide r_coupler_y = neg_p_coupler_y - neg_p_pin_y;
    const kg_wide r_rocker_x = p_pin_x + neg_p_rocker_x;
    const kg_wide r_rocker_y = neg_p_rocker_y - neg_p_pin_y;

    /* loop pin, drift */
    const kg_wide neg_a_coupler_x_2 = s[1]*neg_f_crank_y;
    const kg_wide neg_a_coupler_y_2 = c[1]*neg_f_crank_y;
    const kg_wide neg_ap_rocker_y_2 = neg_a_coupler_y_2 + 0.5*ww_coupler;
    const kg_wide neg_a_rocker_x_2 = c[2]*neg_a_coupler_x_2 + s[2]*neg_ap_rocker_y_2;
    const kg_wide a_rocker_y = s[2]*neg_a_coupler_x_2 - c[2]*neg_ap_rocker_y_2;
    const kg_wide neg_ae_y = 0.4*ww_rocker - a_rocker_y;
    const kg_wide a_pin_x = neg_R_rocker_xx*neg_a_rocker_x_2 - R_rocker_xy*neg_ae_y;
    const kg_wide a_pin_y = R_rocker_xy*neg_a_rocker_x_2 + neg_R_rocker_xx*neg_ae_y;

    /* elimination */
    const kg_wide ip_0 = 1.0/(-r_coupler_y);
    const kg_wide neg_k = r_crank_y*ip_0;
    const kg_wide neg_k_2 = r_rocker_y*ip_0;
    const kg_wide k = a_pin_x*ip_0;
    const kg_wide k_2 = p_pin_x + r_coupler_x*neg_k;
    const kg_wide k_3 = r_rocker_x + r_coupler_x*neg_k_2;
    const kg_wide neg_k_3 = r_coupler_x*k - a_pin_y;
    const kg_wide ip_1 = 1.0/k_3;
    const kg_wide k_4 = k_2*ip_1;
    const kg_wide neg_k_4 = neg_k_3*ip_1;
    const kg_wide neg_k_5 = neg_k - neg_k_2*k_4;
    const kg_wide neg_k_6 = neg_k_2*neg_k_4 - k;
    const kg_wide size = kg_wide_fabs(-r_coupler_y);
    const kg_wide size_2 = kg_wide_fabs(k_3);
    const kg_wide least = kg_wide_min(size, size_2);
    const kg_wide most = kg_wide_max(size, size_2);
    const kg_wide k_5 = 1.0/most;

    /* reduced mass matrix */
    const kg_wide neg_MW = n_coupler_z_3*k_4 - M - n_coupler_z_5*neg_k_5;
    const kg_wide neg_MW_2 = n_rocker_z_2*k_4 - n_coupler_z_5 - M_2*neg_k_5;
    const kg_wide MW = n_coupler_z_3 + n_rocker_z_2*neg_k_5 - M_3*k_4;
    const kg_wide f_4 = f - n_coupler_z_5*neg_k_6 - n_coupler_z_3*neg_k_4;
    const kg_wide f_5 = f_2 - M_2*neg_k_6 - n_rocker_z_2*neg_k_4;
    const kg_wide f_6 = f_3 - n_rocker_z_2*neg_k_6 - M_3*neg_k_4;
    const kg_wide neg_A_0_0 = neg_MW + neg_k_5*neg_MW_2 + k_4*MW;
    const kg_wide neg_b_0 = k_4*f_6 - f_4 - neg_k_5*f_5;

    /* row 0 */
    const kg_wide iD_0 = 1.0/(-neg_A_0_0);
    const kg_wide neg_x_0 = neg_b_0*iD_0;
    a[0] = -neg_x_0;

    /* accelerations */
    const kg_wide neg_a = neg_k_5*neg_x_0 - neg_k_6;
    a[1] = -neg_a;
    const kg_wide a_2 = k_4*neg_x_0 + neg_k_4;
    a[2] = a_2;
    const kg_wide quality_2 = least*k_5;
    quality[0] = quality_2;
}

long four_bar_forward_dynamics_lanes(long n, const double *q, long q_state, long q_entry, const double *v,
    long v_state, long v_entry, const double *tau, long tau_state, long tau_entry, double *a, long a_state,
    long a_entry)
{
    enum { TOGETHER = KG_TOGETHER(16, 1) };
    kg_wide many_q[TOGETHER*3];
    kg_wide many_v[TOGETHER*3];
    kg_wide many_tau[TOGETHER*3];
    kg_wide many_d[TOGETHER*3];
    kg_wide many_a[TOGETHER*3];
    kg_wide many_quality[TOGETHER*1];
    const int most = a_state == 1 ? TOGETHER : 1;
    long first = -1;
    /* Zero, not told to the compiler: what it folds is rounded otherwise than in the code of one state. */
    const volatile double none = 0;
    for (int k = 0; k < kg_blocks(n, most)*3; k++)
        many_d[k] = kg_splat(none);
    const long lead = kg_lead(n, a, a_state, a_entry);
    const int past = kg_past_cache(n, 3, a_state, a_entry);
    for (long i = 0, states; i < n; i += states) {
        states = kg_least_of(n - i, i < lead ? lead : most * KG_WIDTH);
        const int blocks = kg_blocks(states, most);
        kg_fill_blocks(3, states, q + i*q_state, q_state, q_entry, many_q);
        kg_fill_blocks(3, states, v + i*v_state, v_state, v_entry, many_v);
        kg_fill_blocks(3, states, tau + i*tau_state, tau_state, tau_entry, many_tau);
        for (int block = 0; block < blocks; block++)
            forward_dynamics_wide(many_q + block*3, many_v + block*3, many_tau + block*3, many_d + block*3,
                many_a + block*3, many_quality + block*1);
        for (int block = 0; block < blocks; block++) {
            const int count = kg_states(states, block * KG_WIDTH);
            kg_wide seen[4] = {kg_splat(0.0), kg_splat(0.0), kg_splat(0.0), kg_splat(0.0)};
            kg_wide *const wide_q = many_q + block*3;
            kg_wide *const wide_v = many_v + block*3;
            kg_wide *const wide_tau = many_tau + block*3;
            kg_wide *const wide_quality = many_quality + block*1;
            kg_wide *const wide_a = many_a + block*3;
            for (int l = 0; l < count; l++) /* lanes that the fixed partition does not serve, one by one */
                if (!(kg_lanes_of(wide_quality)[l] > TRUSTED)) {
                    double q_l[3], v_l[3], tau_l[3], a_l[3];
                    kg_take_lane(3, l, wide_q, q_l);
                    kg_take_lane(3, l, wide_v, v_l);
                    kg_take_lane(3, l, wide_tau, tau_l);
                    four_bar_forward_dynamics(q_l, v_l, tau_l, a_l);
                    kg_put_lane(3, l, a_l, wide_a);
                }
            kg_look_finite(3, wide_q, seen);
            kg_look_finite(3, wide_v, seen);
            kg_look_finite(3, wide_tau, seen);
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

