/* four_bar: poses, energy and momentum, several states at a time.
 *
 * The straight-line code of four_bar_kinematics.c, where its names are told, with a state in each lane of a vector;
 * around it functions that fill the lanes from arrays of states and empty them again. */

#include "kinegen/lanes/blocks.h"
#include "kinegen/lanes/functions.h"
#include "kinegen/lanes/sincos.h"

/* What is defined and called here, as four_bar.h declares it. */
long four_bar_link_poses_lanes(long n, const double *q, long q_state, long q_entry, double *poses, long poses_state,
    long poses_entry);
long four_bar_cog_bias_lanes(long n, const double *q, long q_state, long q_entry, const double *v, long v_state,
    long v_entry, double *dGv, long dGv_state, long dGv_entry);
long four_bar_com_lanes(long n, const double *q, long q_state, long q_entry, double *com, long com_state,
    long com_entry);
long four_bar_com_jacobian_lanes(long n, const double *q, long q_state, long q_entry, double *J_com,
    long J_com_state, long J_com_entry);
long four_bar_energy_lanes(long n, const double *q, long q_state, long q_entry, const double *v, long v_state,
    long v_entry, double *energy, long energy_state, long energy_entry);
long four_bar_momentum_lanes(long n, const double *q, long q_state, long q_entry, const double *v, long v_state,
    long v_entry, double *momentum, long momentum_state, long momentum_entry);
long four_bar_centroidal_momentum_matrix_lanes(long n, const double *q, long q_state, long q_entry, double *A_G,
    long A_G_state, long A_G_entry);

/* World poses of the link frames. 12 mul, 6 add, 3 sincos. */
static void link_poses_wide(const kg_wide *restrict q, kg_wide *restrict poses)
{
    kg_wide s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_wide_sincos(3, q, s, c);
    for (int i = 0; i < 48; i++) poses[i] = kg_splat(0.0);
    poses[5] = kg_splat(1.0);
    poses[15] = kg_splat(1.0);
    poses[21] = kg_splat(1.0);
    poses[31] = kg_splat(1.0);
    poses[37] = kg_splat(1.0);
    poses[47] = kg_splat(1.0);
    poses[0] = c[0];
    poses[10] = c[0];
    poses[2] = s[0];
    poses[8] = -s[0];

    /* coupler */
    const kg_wide R_coupler_xx = s[0]*c[1] + c[0]*s[1];
    poses[18] = R_coupler_xx;
    poses[24] = -R_coupler_xx;
    const kg_wide neg_R_coupler_xy = s[0]*s[1] - c[0]*c[1];
    poses[16] = -neg_R_coupler_xy;
    poses[26] = -neg_R_coupler_xy;
    const kg_wide p_coupler_x = 0.2*c[0];
    poses[19] = p_coupler_x;
    const kg_wide neg_p_coupler_z = 0.2*s[0];
    poses[27] = -neg_p_coupler_z;

    /* rocker */
    const kg_wide neg_R_rocker_xx = s[2]*neg_R_coupler_xy - c[2]*R_coupler_xx;
    poses[34] = -neg_R_rocker_xx;
    poses[40] = neg_R_rocker_xx;
    const kg_wide neg_R_rocker_xy = s[2]*R_coupler_xx + c[2]*neg_R_coupler_xy;
    poses[32] = -neg_R_rocker_xy;
    poses[42] = -neg_R_rocker_xy;
    const kg_wide neg_p_rocker_x = 0.5*neg_R_coupler_xy - p_coupler_x;
    poses[35] = -neg_p_rocker_x;
    const kg_wide neg_p_rocker_z = neg_p_coupler_z + 0.5*R_coupler_xx;
    poses[43] = -neg_p_rocker_z;
}

/* COG accelerations dG/dt v at zero joint acceleration. 32 mul, 15 add, 3 sincos. */
static void cog_bias_wide(const kg_wide *restrict q, const kg_wide *restrict v, kg_wide *restrict dGv)
{
    kg_wide s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_wide_sincos(3, q, s, c);
    for (int i = 0; i < 18; i++) dGv[i] = kg_splat(0.0);

    /* coupler */
    const kg_wide R_coupler_xx = s[0]*c[1] + c[0]*s[1];
    const kg_wide neg_R_coupler_xy = s[0]*s[1] - c[0]*c[1];

    /* rocker */
    const kg_wide neg_R_rocker_xx = s[2]*neg_R_coupler_xy - c[2]*R_coupler_xx;
    const kg_wide neg_R_rocker_xy = s[2]*R_coupler_xx + c[2]*neg_R_coupler_xy;

    /* crank */
    const kg_wide ww_crank = v[0]*v[0];

    /* coupler */
    const kg_wide w_coupler_z = v[0] + v[1];
    const kg_wide neg_ap_coupler_y = 0.2*ww_crank;
    const kg_wide neg_a_coupler_x = s[1]*neg_ap_coupler_y;
    const kg_wide neg_a_coupler_y = c[1]*neg_ap_coupler_y;
    const kg_wide ww_coupler = w_coupler_z*w_coupler_z;

    /* rocker */
    const kg_wide w_rocker_z = w_coupler_z + v[2];
    const kg_wide neg_ap_rocker_y = neg_a_coupler_y + 0.5*ww_coupler;
    const kg_wide neg_a_rocker_x = c[2]*neg_a_coupler_x + s[2]*neg_ap_rocker_y;
    const kg_wide a_rocker_y = s[2]*neg_a_coupler_x - c[2]*neg_ap_rocker_y;
    const kg_wide ww_rocker = w_rocker_z*w_rocker_z;
    const kg_wide neg_aG_y = 0.1*ww_crank;
    const kg_wide neg_aG_y_2 = neg_a_coupler_y + 0.25*ww_coupler;
    const kg_wide aG_y = a_rocker_y - 0.2*ww_rocker;
    const kg_wide neg_dGv_0 = c[0]*neg_aG_y;
    dGv[0] = -neg_dGv_0;
    const kg_wide dGv_2 = s[0]*neg_aG_y;
    dGv[2] = dGv_2;
    const kg_wide neg_dGv_6 = R_coupler_xx*neg_a_coupler_x - neg_R_coupler_xy*neg_aG_y_2;
    dGv[6] = -neg_dGv_6;
    const kg_wide dGv_8 = neg_R_coupler_xy*neg_a_coupler_x + R_coupler_xx*neg_aG_y_2;
    dGv[8] = dGv_8;
    const kg_wide dGv_12 = neg_R_rocker_xx*neg_a_rocker_x - neg_R_rocker_xy*aG_y;
    dGv[12] = dGv_12;
    const kg_wide dGv_14 = neg_R_rocker_xy*neg_a_rocker_x + neg_R_rocker_xx*aG_y;
    dGv[14] = dGv_14;
}

/* Centre of mass. 14 mul, 6 add, 3 sincos. */
static void com_wide(const kg_wide *restrict q, kg_wide *restrict com)
{
    kg_wide s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_wide_sincos(3, q, s, c);
    com[1] = kg_splat(0.0);
    const kg_wide neg_st_coupler_x = 0.08000000000000002*s[2];
    const kg_wide st_coupler_y = 0.325 + 0.08000000000000002*c[2];
    const kg_wide neg_st_crank_x = c[1]*neg_st_coupler_x + s[1]*st_coupler_y;
    const kg_wide st_crank_y = 0.2 + c[1]*st_coupler_y - s[1]*neg_st_coupler_x;
    const kg_wide neg_com_x = 0.9090909090909091*s[0]*neg_st_crank_x - 0.9090909090909091*c[0]*st_crank_y;
    com[0] = -neg_com_x;
    const kg_wide neg_com_z = 0.9090909090909091*c[0]*neg_st_crank_x + 0.9090909090909091*s[0]*st_crank_y;
    com[2] = -neg_com_z;
}

/* Jacobian of the centre of mass. 28 mul, 12 add, 3 sincos. */
static void com_jacobian_wide(const kg_wide *restrict q, kg_wide *restrict J_com)
{
    kg_wide s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_wide_sincos(3, q, s, c);
    J_com[3] = kg_splat(0.0);
    J_com[4] = kg_splat(0.0);
    J_com[5] = kg_splat(0.0);
    const kg_wide neg_st_coupler_x = 0.08000000000000002*s[2];
    const kg_wide st_coupler_y = 0.325 + 0.08000000000000002*c[2];
    const kg_wide neg_st_crank_x = c[1]*neg_st_coupler_x + s[1]*st_coupler_y;
    const kg_wide st_crank_y = 0.2 + c[1]*st_coupler_y - s[1]*neg_st_coupler_x;

    /* coupler */
    const kg_wide R_coupler_xx = s[0]*c[1] + c[0]*s[1];
    const kg_wide neg_R_coupler_xy = s[0]*s[1] - c[0]*c[1];

    /* rocker */
    const kg_wide neg_R_rocker_xx = s[2]*neg_R_coupler_xy - c[2]*R_coupler_xx;
    const kg_wide neg_R_rocker_xy = s[2]*R_coupler_xx + c[2]*neg_R_coupler_xy;

    /* crank */
    const kg_wide neg_J_crank_x = 0.9090909090909091*st_crank_y;
    const kg_wide neg_J_crank_y = 0.9090909090909091*neg_st_crank_x;

    /* coupler */
    const kg_wide neg_J_coupler_x = 0.9090909090909091*st_coupler_y;
    const kg_wide neg_J_coupler_y = 0.9090909090909091*neg_st_coupler_x;

    /* rocker */
    const kg_wide neg_J_com_0 = s[0]*neg_J_crank_x + c[0]*neg_J_crank_y;
    J_com[0] = -neg_J_com_0;
    const kg_wide neg_J_com_1 = R_coupler_xx*neg_J_coupler_x - neg_R_coupler_xy*neg_J_coupler_y;
    J_com[1] = -neg_J_com_1;
    const kg_wide J_com_2 = 0.07272727272727274*neg_R_rocker_xx;
    J_com[2] = J_com_2;
    const kg_wide J_com_6 = s[0]*neg_J_crank_y - c[0]*neg_J_crank_x;
    J_com[6] = J_com_6;
    const kg_wide J_com_7 = neg_R_coupler_xy*neg_J_coupler_x + R_coupler_xx*neg_J_coupler_y;
    J_com[7] = J_com_7;
    const kg_wide J_com_8 = 0.07272727272727274*neg_R_rocker_xy;
    J_com[8] = J_com_8;
}

/* Kinetic and potential energy. 43 mul, 22 add, 3 sincos. */
static void energy_wide(const kg_wide *restrict q, const kg_wide *restrict v, kg_wide *restrict energy)
{
    kg_wide s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_wide_sincos(3, q, s, c);

    /* coupler */
    const kg_wide R_coupler_xx = s[0]*c[1] + c[0]*s[1];
    const kg_wide neg_R_coupler_xy = s[0]*s[1] - c[0]*c[1];
    const kg_wide neg_p_coupler_z = 0.2*s[0];

    /* rocker */
    const kg_wide neg_R_rocker_xx = s[2]*neg_R_coupler_xy - c[2]*R_coupler_xx;
    const kg_wide neg_p_rocker_z = neg_p_coupler_z + 0.5*R_coupler_xx;
    const kg_wide neg_up_coupler_x = 0.2*v[0];
    const kg_wide neg_uq_coupler_x = c[1]*neg_up_coupler_x;
    const kg_wide uq_coupler_y = s[1]*neg_up_coupler_x;
    const kg_wide w_coupler_z = v[0] + v[1];
    const kg_wide neg_up_rocker_x = neg_uq_coupler_x + 0.5*w_coupler_z;
    const kg_wide uq_rocker_x = s[2]*uq_coupler_y - c[2]*neg_up_rocker_x;
    const kg_wide uq_rocker_y = s[2]*neg_up_rocker_x + c[2]*uq_coupler_y;
    const kg_wide w_rocker_z = w_coupler_z + v[2];
    const kg_wide neg_vG_crank_x = 0.1*v[0];
    const kg_wide Iw_crank_z = 0.0006666666666666669*v[0];
    const kg_wide vv = neg_vG_crank_x*neg_vG_crank_x;
    const kg_wide neg_pG_crank_z = 0.1*s[0];
    const kg_wide h = 9.81*neg_pG_crank_z;
    const kg_wide T = 0.2*vv + v[0]*Iw_crank_z;
    const kg_wide neg_V = 0.2*h;
    const kg_wide neg_vG_coupler_x = neg_uq_coupler_x + 0.25*w_coupler_z;
    const kg_wide Iw_coupler_z = 0.010416666666666666*w_coupler_z;
    const kg_wide vv_2 = neg_vG_coupler_x*neg_vG_coupler_x + uq_coupler_y*uq_coupler_y;
    const kg_wide neg_pG_coupler_z = neg_p_coupler_z + 0.25*R_coupler_xx;
    const kg_wide h_2 = 9.81*neg_pG_coupler_z;
    const kg_wide T_2 = T + 0.5*vv_2 + w_coupler_z*Iw_coupler_z;
    const kg_wide neg_V_2 = neg_V + 0.5*h_2;
    const kg_wide vG_rocker_x = uq_rocker_x - 0.2*w_rocker_z;
    const kg_wide Iw_rocker_z = 0.005333333333333335*w_rocker_z;
    const kg_wide vv_3 = vG_rocker_x*vG_rocker_x + uq_rocker_y*uq_rocker_y;
    const kg_wide pG_rocker_z = 0.2*neg_R_rocker_xx - neg_p_rocker_z;
    const kg_wide neg_h = 9.81*pG_rocker_z;
    const kg_wide T_3 = T_2 + 0.4*vv_3 + w_rocker_z*Iw_rocker_z;
    const kg_wide neg_V_3 = neg_V_2 - 0.4*neg_h;
    energy[1] = -neg_V_3;
    const kg_wide energy_0 = 0.5*T_3;
    energy[0] = energy_0;
}

/* Linear momentum, angular momentum about the centre of mass. 35 mul, 22 add, 3 sincos. */
static void momentum_wide(const kg_wide *restrict q, const kg_wide *restrict v, kg_wide *restrict momentum)
{
    kg_wide s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_wide_sincos(3, q, s, c);
    momentum[1] = kg_splat(0.0);
    momentum[3] = kg_splat(0.0);
    momentum[5] = kg_splat(0.0);
    const kg_wide neg_up_coupler_x = 0.2*v[0];
    const kg_wide neg_uq_coupler_x = c[1]*neg_up_coupler_x;
    const kg_wide uq_coupler_y = s[1]*neg_up_coupler_x;
    const kg_wide w_coupler_z = v[0] + v[1];
    const kg_wide neg_up_rocker_x = neg_uq_coupler_x + 0.5*w_coupler_z;
    const kg_wide uq_rocker_x = s[2]*uq_coupler_y - c[2]*neg_up_rocker_x;
    const kg_wide w_rocker_z = w_coupler_z + v[2];
    const kg_wide L_crank_z = 0.03866666666666667*v[0];
    const kg_wide neg_P_coupler_x = 0.325*w_coupler_z;
    const kg_wide L_coupler_z = 0.14166666666666666*w_coupler_z + 0.325*neg_uq_coupler_x;
    const kg_wide neg_P_rocker_x = 0.08000000000000002*w_rocker_z;
    const kg_wide neg_L_rocker_z = 0.08000000000000002*uq_rocker_x - 0.02133333333333334*w_rocker_z;
    const kg_wide neg_Pp_rocker_x = c[2]*neg_P_rocker_x;
    const kg_wide neg_Pp_rocker_y = s[2]*neg_P_rocker_x;
    const kg_wide neg_P_coupler_x_2 = neg_P_coupler_x + neg_Pp_rocker_x;
    const kg_wide L_coupler_z_2 = L_coupler_z + 0.5*neg_Pp_rocker_x - neg_L_rocker_z;
    const kg_wide Pp_coupler_x = s[1]*neg_Pp_rocker_y - c[1]*neg_P_coupler_x_2;
    const kg_wide neg_Pp_coupler_y = s[1]*neg_P_coupler_x_2 + c[1]*neg_Pp_rocker_y;
    const kg_wide neg_P_crank_x = neg_up_coupler_x - Pp_coupler_x;
    const kg_wide L_crank_z_2 = L_crank_z + L_coupler_z_2 - 0.2*Pp_coupler_x;
    const kg_wide neg_st_coupler_x = 0.08000000000000002*s[2];
    const kg_wide st_coupler_y = 0.325 + 0.08000000000000002*c[2];
    const kg_wide neg_st_crank_x = c[1]*neg_st_coupler_x + s[1]*st_coupler_y;
    const kg_wide st_crank_y = 0.2 + c[1]*st_coupler_y - s[1]*neg_st_coupler_x;
    const kg_wide neg_com_x = 0.9090909090909091*neg_st_crank_x;
    const kg_wide com_y = 0.9090909090909091*st_crank_y;
    const kg_wide neg_L_z = neg_Pp_coupler_y*neg_com_x + neg_P_crank_x*com_y - L_crank_z_2;
    momentum[4] = -neg_L_z;
    const kg_wide neg_momentum_0 = s[0]*neg_P_crank_x + c[0]*neg_Pp_coupler_y;
    momentum[0] = -neg_momentum_0;
    const kg_wide momentum_2 = s[0]*neg_Pp_coupler_y - c[0]*neg_P_crank_x;
    momentum[2] = momentum_2;
}

/* Centroidal momentum matrix. 63 mul, 43 add, 3 sincos. */
static void centroidal_momentum_matrix_wide(const kg_wide *restrict q, kg_wide *restrict A_G)
{
    kg_wide s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_wide_sincos(3, q, s, c);
    A_G[3] = kg_splat(0.0);
    A_G[4] = kg_splat(0.0);
    A_G[5] = kg_splat(0.0);
    A_G[9] = kg_splat(0.0);
    A_G[10] = kg_splat(0.0);
    A_G[11] = kg_splat(0.0);
    A_G[15] = kg_splat(0.0);
    A_G[16] = kg_splat(0.0);
    A_G[17] = kg_splat(0.0);

    /* rocker */
    const kg_wide neg_sp_rocker_x = 0.08000000000000002*s[2];
    const kg_wide sp_rocker_y = 0.08000000000000002*c[2];
    const kg_wide neg_h_Sp_rocker = 0.02133333333333334*s[2];
    const kg_wide Sp_rocker_xx = s[2]*neg_h_Sp_rocker;
    const kg_wide neg_Sp_rocker_xy = c[2]*neg_h_Sp_rocker;
    const kg_wide Sp_rocker_yy = 0.02133333333333334 - Sp_rocker_xx;

    /* coupler */
    const kg_wide s_coupler_y = 0.325 + sp_rocker_y;
    const kg_wide neg_S_coupler_xy = neg_Sp_rocker_xy + 0.5*neg_sp_rocker_x;
    const kg_wide S_coupler_yy = 0.14166666666666666 + Sp_rocker_yy + sp_rocker_y;
    const kg_wide neg_sp_coupler_x = c[1]*neg_sp_rocker_x + s[1]*s_coupler_y;
    const kg_wide neg_sp_coupler_y = s[1]*neg_sp_rocker_x - c[1]*s_coupler_y;
    const kg_wide h_Sp_coupler = c[1]*Sp_rocker_xx + s[1]*neg_S_coupler_xy;
    const kg_wide neg_h_Sp_coupler = c[1]*neg_S_coupler_xy + s[1]*S_coupler_yy;
    const kg_wide Sp_coupler_xx = c[1]*h_Sp_coupler + s[1]*neg_h_Sp_coupler;
    const kg_wide Sp_coupler_yy = Sp_rocker_xx + S_coupler_yy - Sp_coupler_xx;

    /* crank */
    const kg_wide s_crank_y = 0.2 - neg_sp_coupler_y;
    const kg_wide S_crank_yy = 0.03866666666666667 + Sp_coupler_yy - 0.4*neg_sp_coupler_y;
    const kg_wide st_coupler_y = 0.325 + 0.08000000000000002*c[2];
    const kg_wide neg_st_crank_x = c[1]*neg_sp_rocker_x + s[1]*st_coupler_y;
    const kg_wide st_crank_y = 0.2 + c[1]*st_coupler_y - s[1]*neg_sp_rocker_x;
    const kg_wide neg_com_x = 0.9090909090909091*s[0]*neg_st_crank_x - 0.9090909090909091*c[0]*st_crank_y;
    const kg_wide neg_com_z = 0.9090909090909091*c[0]*neg_st_crank_x + 0.9090909090909091*s[0]*st_crank_y;
    const kg_wide neg_rC_crank_x = s[0]*neg_com_x + c[0]*neg_com_z;
    const kg_wide rC_crank_y = s[0]*neg_com_z - c[0]*neg_com_x;
    const kg_wide neg_rp_coupler_y = 0.2 - rC_crank_y;
    const kg_wide neg_rC_coupler_x = c[1]*neg_rC_crank_x + s[1]*neg_rp_coupler_y;
    const kg_wide rC_coupler_y = s[1]*neg_rC_crank_x - c[1]*neg_rp_coupler_y;
    const kg_wide neg_rp_rocker_y = 0.5 - rC_coupler_y;
    const kg_wide rC_rocker_y = s[2]*neg_rC_coupler_x - c[2]*neg_rp_rocker_y;

    /* coupler */
    const kg_wide R_coupler_xx = s[0]*c[1] + c[0]*s[1];
    const kg_wide neg_R_coupler_xy = s[0]*s[1] - c[0]*c[1];

    /* rocker */
    const kg_wide neg_R_rocker_xx = s[2]*neg_R_coupler_xy - c[2]*R_coupler_xx;
    const kg_wide neg_R_rocker_xy = s[2]*R_coupler_xx + c[2]*neg_R_coupler_xy;

    /* crank */
    const kg_wide neg_n_crank_z = neg_sp_coupler_x*neg_rC_crank_x + s_crank_y*rC_crank_y - Sp_coupler_xx - S_crank_yy;
    A_G[12] = -neg_n_crank_z;

    /* coupler */
    const kg_wide neg_n_coupler_z = neg_sp_rocker_x*neg_rC_coupler_x + s_coupler_y*rC_coupler_y - Sp_rocker_xx
        - S_coupler_yy;
    A_G[13] = -neg_n_coupler_z;

    /* rocker */
    const kg_wide n_rocker_z = 0.02133333333333334 - 0.08000000000000002*rC_rocker_y;
    A_G[14] = n_rocker_z;
    const kg_wide neg_A_G_0 = s[0]*s_crank_y + c[0]*neg_sp_coupler_x;
    A_G[0] = -neg_A_G_0;
    const kg_wide A_G_1 = neg_sp_rocker_x*neg_R_coupler_xy - s_coupler_y*R_coupler_xx;
    A_G[1] = A_G_1;
    const kg_wide A_G_2 = 0.08000000000000002*neg_R_rocker_xx;
    A_G[2] = A_G_2;
    const kg_wide A_G_6 = s[0]*neg_sp_coupler_x - c[0]*s_crank_y;
    A_G[6] = A_G_6;
    const kg_wide A_G_7 = s_coupler_y*neg_R_coupler_xy + neg_sp_rocker_x*R_coupler_xx;
    A_G[7] = A_G_7;
    const kg_wide A_G_8 = 0.08000000000000002*neg_R_rocker_xy;
    A_G[8] = A_G_8;
}

long four_bar_link_poses_lanes(long n, const double *q, long q_state, long q_entry, double *poses, long poses_state,
    long poses_entry)
{
    enum { TOGETHER = KG_TOGETHER(51, 1) };
    kg_wide many_q[TOGETHER*3];
    kg_wide many_poses[TOGETHER*48];
    const int most = poses_state == 1 ? TOGETHER : 1;
    long first = -1;
    const long lead = kg_lead(n, poses, poses_state, poses_entry);
    const int past = kg_past_cache(n, 48, poses_state, poses_entry);
    for (long i = 0, states; i < n; i += states) {
        states = kg_least_of(n - i, i < lead ? lead : most * KG_WIDTH);
        const int blocks = kg_blocks(states, most);
        kg_fill_blocks(3, states, q + i*q_state, q_state, q_entry, many_q);
        for (int block = 0; block < blocks; block++)
            link_poses_wide(many_q + block*3, many_poses + block*48);
        for (int block = 0; block < blocks; block++) {
            const int count = kg_states(states, block * KG_WIDTH);
            kg_wide seen[4] = {kg_splat(0.0), kg_splat(0.0), kg_splat(0.0), kg_splat(0.0)};
            kg_wide *const wide_q = many_q + block*3;
            kg_look_small(3, wide_q, seen);
            const int bad = first < 0 ? kg_seen(count, seen) : -1;
            if (bad >= 0)
                first = i + block * KG_WIDTH + bad;
        }
        kg_empty_blocks(48, states, 0, many_poses, 48, poses + i*poses_state, poses_state, poses_entry, past);
    }
    kg_end_past(past);
    return first;
}

long four_bar_cog_bias_lanes(long n, const double *q, long q_state, long q_entry, const double *v, long v_state,
    long v_entry, double *dGv, long dGv_state, long dGv_entry)
{
    enum { TOGETHER = KG_TOGETHER(24, 1) };
    kg_wide many_q[TOGETHER*3];
    kg_wide many_v[TOGETHER*3];
    kg_wide many_dGv[TOGETHER*18];
    const int most = dGv_state == 1 ? TOGETHER : 1;
    long first = -1;
    const long lead = kg_lead(n, dGv, dGv_state, dGv_entry);
    const int past = kg_past_cache(n, 18, dGv_state, dGv_entry);
    for (long i = 0, states; i < n; i += states) {
        states = kg_least_of(n - i, i < lead ? lead : most * KG_WIDTH);
        const int blocks = kg_blocks(states, most);
        kg_fill_blocks(3, states, q + i*q_state, q_state, q_entry, many_q);
        kg_fill_blocks(3, states, v + i*v_state, v_state, v_entry, many_v);
        for (int block = 0; block < blocks; block++)
            cog_bias_wide(many_q + block*3, many_v + block*3, many_dGv + block*18);
        for (int block = 0; block < blocks; block++) {
            const int count = kg_states(states, block * KG_WIDTH);
            kg_wide seen[4] = {kg_splat(0.0), kg_splat(0.0), kg_splat(0.0), kg_splat(0.0)};
            kg_wide *const wide_q = many_q + block*3;
            kg_wide *const wide_v = many_v + block*3;
            kg_look_small(3, wide_q, seen);
            kg_look_small(3, wide_v, seen);
            const int bad = first < 0 ? kg_seen(count, seen) : -1;
            if (bad >= 0)
                first = i + block * KG_WIDTH + bad;
        }
        kg_empty_blocks(18, states, 0, many_dGv, 18, dGv + i*dGv_state, dGv_state, dGv_entry, past);
    }
    kg_end_past(past);
    return first;
}

long four_bar_com_lanes(long n, const double *q, long q_state, long q_entry, double *com, long com_state,
    long com_entry)
{
    enum { TOGETHER = KG_TOGETHER(6, 1) };
    kg_wide many_q[TOGETHER*3];
    kg_wide many_com[TOGETHER*3];
    const int most = com_state == 1 ? TOGETHER : 1;
    long first = -1;
    const long lead = kg_lead(n, com, com_state, com_entry);
    const int past = kg_past_cache(n, 3, com_state, com_entry);
    for (long i = 0, states; i < n; i += states) {
        states = kg_least_of(n - i, i < lead ? lead : most * KG_WIDTH);
        const int blocks = kg_blocks(states, most);
        kg_fill_blocks(3, states, q + i*q_state, q_state, q_entry, many_q);
        for (int block = 0; block < blocks; block++)
            com_wide(many_q + block*3, many_com + block*3);
        for (int block = 0; block < blocks; block++) {
            const int count = kg_states(states, block * KG_WIDTH);
            kg_wide seen[4] = {kg_splat(0.0), kg_splat(0.0), kg_splat(0.0), kg_splat(0.0)};
            kg_wide *const wide_com = many_com + block*3;
            kg_look_finite(3, wide_com, seen);
            const int bad = first < 0 ? kg_seen(count, seen) : -1;
            if (bad >= 0)
                first = i + block * KG_WIDTH + bad;
        }
        kg_empty_blocks(3, states, 0, many_com, 3, com + i*com_state, com_state, com_entry, past);
    }
    kg_end_past(past);
    return first;
}

long four_bar_com_jacobian_lanes(long n, const double *q, long q_state, long q_entry, double *J_com,
    long J_com_state, long J_com_entry)
{
    enum { TOGETHER = KG_TOGETHER(12, 1) };
    kg_wide many_q[TOGETHER*3];
    kg_wide many_J_com[TOGETHER*9];
    const int most = J_com_state == 1 ? TOGETHER : 1;
    long first = -1;
    const long lead = kg_lead(n, J_com, J_com_state, J_com_entry);
    const int past = kg_past_cache(n, 9, J_com_state, J_com_entry);
    for (long i = 0, states; i < n; i += states) {
        states = kg_least_of(n - i, i < lead ? lead : most * KG_WIDTH);
        const int blocks = kg_blocks(states, most);
        kg_fill_blocks(3, states, q + i*q_state, q_state, q_entry, many_q);
        for (int block = 0; block < blocks; block++)
            com_jacobian_wide(many_q + block*3, many_J_com + block*9);
        for (int block = 0; block < blocks; block++) {
            const int count = kg_states(states, block * KG_WIDTH);
            kg_wide seen[4] = {kg_splat(0.0), kg_splat(0.0), kg_splat(0.0), kg_splat(0.0)};
            kg_wide *const wide_q = many_q + block*3;
            kg_look_small(3, wide_q, seen);
            const int bad = first < 0 ? kg_seen(count, seen) : -1;
            if (bad >= 0)
                first = i + block * KG_WIDTH + bad;
        }
        kg_empty_blocks(9, states, 0, many_J_com, 9, J_com + i*J_com_state, J_com_state, J_com_entry, past);
    }
    kg_end_past(past);
    return first;
}

long four_bar_energy_lanes(long n, const double *q, long q_state, long q_entry, const double *v, long v_state,
    long v_entry, double *energy, long energy_state, long energy_entry)
{
    enum { TOGETHER = KG_TOGETHER(8, 1) };
    kg_wide many_q[TOGETHER*3];
    kg_wide many_v[TOGETHER*3];
    kg_wide many_energy[TOGETHER*2];
    const int most = energy_state == 1 ? TOGETHER : 1;
    long first = -1;
    const long lead = kg_lead(n, energy, energy_state, energy_entry);
    const int past = kg_past_cache(n, 2, energy_state, energy_entry);
    for (long i = 0, states; i < n; i += states) {
        states = kg_least_of(n - i, i < lead ? lead : most * KG_WIDTH);
        const int blocks = kg_blocks(states, most);
        kg_fill_blocks(3, states, q + i*q_state, q_state, q_entry, many_q);
        kg_fill_blocks(3, states, v + i*v_state, v_state, v_entry, many_v);
        for (int block = 0; block < blocks; block++)
            energy_wide(many_q + block*3, many_v + block*3, many_energy + block*2);
        for (int block = 0; block < blocks; block++) {
            const int count = kg_states(states, block * KG_WIDTH);
            kg_wide seen[4] = {kg_splat(0.0), kg_splat(0.0), kg_splat(0.0), kg_splat(0.0)};
            kg_wide *const wide_energy = many_energy + block*2;
            kg_look_finite(2, wide_energy, seen);
            const int bad = first < 0 ? kg_seen(count, seen) : -1;
            if (bad >= 0)
                first = i + block * KG_WIDTH + bad;
        }
        kg_empty_blocks(2, states, 0, many_energy, 2, energy + i*energy_state, energy_state, energy_entry, past);
    }
    kg_end_past(past);
    return first;
}

long four_bar_momentum_lanes(long n, const double *q, long q_state, long q_entry, const double *v, long v_state,
    long v_entry, double *momentum, long momentum_state, long momentum_entry)
{
    enum { TOGETHER = KG_TOGETHER(12, 1) };
    kg_wide many_q[TOGETHER*3];
    kg_wide many_v[TOGETHER*3];
    kg_wide many_momentum[TOGETHER*6];
    const int most = momentum_state == 1 ? TOGETHER : 1;
    long first = -1;
    const long lead = kg_lead(n, momentum, momentum_state, momentum_entry);
    const int past = kg_past_cache(n, 6, momentum_state, momentum_entry);
    for (long i = 0, states; i < n; i += states) {
        states = kg_least_of(n - i, i < lead ? lead : most * KG_WIDTH);
        const int blocks = kg_blocks(states, most);
        kg_fill_blocks(3, states, q + i*q_state, q_state, q_entry, many_q);
        kg_fill_blocks(3, states, v + i*v_state, v_state, v_entry, many_v);
        for (int block = 0; block < blocks; block++)
            momentum_wide(many_q + block*3, many_v + block*3, many_momentum + block*6);
        for (int block = 0; block < blocks; block++) {
            const int count = kg_states(states, block * KG_WIDTH);
            kg_wide seen[4] = {kg_splat(0.0), kg_splat(0.0), kg_splat(0.0), kg_splat(0.0)};
            kg_wide *const wide_momentum = many_momentum + block*6;
            kg_look_finite(6, wide_momentum, seen);
            const int bad = first < 0 ? kg_seen(count, seen) : -1;
            if (bad >= 0)
                first = i + block * KG_WIDTH + bad;
        }
        kg_empty_blocks(6, states, 0, many_momentum, 6, momentum + i*momentum_state, momentum_state, momentum_entry,
            past);
    }
    kg_end_past(past);
    return first;
}

long four_bar_centroidal_momentum_matrix_lanes(long n, const double *q, long q_state, long q_entry, double *A_G,
    long A_G_state, long A_G_entry)
{
    enum { TOGETHER = KG_TOGETHER(21, 1) };
    kg_wide many_q[TOGETHER*3];
    kg_wide many_A_G[TOGETHER*18];
    const int most = A_G_state == 1 ? TOGETHER : 1;
    long first = -1;
    const long lead = kg_lead(n, A_G, A_G_state, A_G_entry);
    const int past = kg_past_cache(n, 18, A_G_state, A_G_entry);
    for (long i = 0, states; i < n; i += states) {
        states = kg_least_of(n - i, i < lead ? lead : most * KG_WIDTH);
        const int blocks = kg_blocks(states, most);
        kg_fill_blocks(3, states, q + i*q_state, q_state, q_entry, many_q);
        for (int block = 0; block < blocks; block++)
            centroidal_momentum_matrix_wide(many_q + block*3, many_A_G + block*18);
        for (int block = 0; block < blocks; block++) {
            const int count = kg_states(states, block * KG_WIDTH);
            kg_wide seen[4] = {kg_splat(0.0), kg_splat(0.0), kg_splat(0.0), kg_splat(0.0)};
            kg_wide *const wide_q = many_q + block*3;
            kg_look_small(3, wide_q, seen);
            const int bad = first < 0 ? kg_seen(count, seen) : -1;
            if (bad >= 0)
                first = i + block * KG_WIDTH + bad;
        }
        kg_empty_blocks(18, states, 0, many_A_G, 18, A_G + i*A_G_state, A_G_state, A_G_entry, past);
    }
    kg_end_past(past);
    return first;
}

