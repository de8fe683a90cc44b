/* four_bar: poses, energy and momentum, several states at a time.
 *
 * The straight-line code of four_bar_kinematics.c, where its names are told, with a state in each lane of a vector;
 * around it
 * functions that fill the lanes from arrays of states and empty them again. */

#include "four_bar.h"
#include "kinegen/lanes/blocks.h"
#include "kinegen/lanes/functions.h"
#include "kinegen/lanes/sincos.h"

/* World poses of the link frames. 12 mul, 6 add, 3 sincos. */
static void link_poses_wide(const kg_wide *restrict q, kg_wide *restrict poses)
{
    kg_wide s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_wide_sincos(3, q, s, c);
    for (int i = 0; i < 48; i++)
        poses[i] = kg_splat(0.0);
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
    for (int i = 0; i < 18; i++)
        dGv[i] = kg_splat(0.0);

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

/* Centre of mass. 26 mul, 14 add, 3 sincos. */
static void com_wide(const kg_wide *restrict q, kg_wide *restrict com)
{
    kg_wide s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_wide_sincos(3, q, s, c);
    com[1] = kg_splat(0.0);

    /* coupler */
    const kg_wide R_coupler_xx = s[0]*c[1] + c[0]*s[1];
    const kg_wide neg_R_coupler_xy = s[0]*s[1] - c[0]*c[1];
    const kg_wide p_coupler_x = 0.2*c[0];
    const kg_wide neg_p_coupler_z = 0.2*s[0];

    /* rocker */
    const kg_wide neg_R_rocker_xx = s[2]*neg_R_coupler_xy - c[2]*R_coupler_xx;
    const kg_wide neg_R_rocker_xy = s[2]*R_coupler_xx + c[2]*neg_R_coupler_xy;
    const kg_wide neg_p_rocker_x = 0.5*neg_R_coupler_xy - p_coupler_x;
    const kg_wide neg_p_rocker_z = neg_p_coupler_z + 0.5*R_coupler_xx;
    const kg_wide pG_crank_x = 0.1*c[0];
    const kg_wide neg_pG_crank_z = 0.1*s[0];
    const kg_wide neg_pG_coupler_x = 0.25*neg_R_coupler_xy - p_coupler_x;
    const kg_wide neg_pG_coupler_z = neg_p_coupler_z + 0.25*R_coupler_xx;
    const kg_wide neg_pG_rocker_x = neg_p_rocker_x + 0.2*neg_R_rocker_xy;
    const kg_wide pG_rocker_z = 0.2*neg_R_rocker_xx - neg_p_rocker_z;
    const kg_wide neg_st_rocker_x = 0.4*neg_pG_rocker_x;
    const kg_wide st_rocker_z = 0.4*pG_rocker_z;
    const kg_wide neg_st_coupler_x = 0.5*neg_pG_coupler_x + neg_st_rocker_x;
    const kg_wide neg_st_coupler_z = 0.5*neg_pG_coupler_z - st_rocker_z;
    const kg_wide st_crank_x = 0.2*pG_crank_x - neg_st_coupler_x;
    const kg_wide neg_st_crank_z = 0.2*neg_pG_crank_z + neg_st_coupler_z;
    const kg_wide com_x = 0.9090909090909091*st_crank_x;
    com[0] = com_x;
    const kg_wide neg_com_z = 0.9090909090909091*neg_st_crank_z;
    com[2] = -neg_com_z;
}

/* Jacobian of the centre of mass. 34 mul, 18 add, 3 sincos. */
static void com_jacobian_wide(const kg_wide *restrict q, kg_wide *restrict J_com)
{
    kg_wide s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_wide_sincos(3, q, s, c);
    J_com[3] = kg_splat(0.0);
    J_com[4] = kg_splat(0.0);
    J_com[5] = kg_splat(0.0);

    /* coupler */
    const kg_wide R_coupler_xx = s[0]*c[1] + c[0]*s[1];
    const kg_wide neg_R_coupler_xy = s[0]*s[1] - c[0]*c[1];
    const kg_wide p_coupler_x = 0.2*c[0];
    const kg_wide neg_p_coupler_z = 0.2*s[0];

    /* rocker */
    const kg_wide neg_R_rocker_xx = s[2]*neg_R_coupler_xy - c[2]*R_coupler_xx;
    const kg_wide neg_R_rocker_xy = s[2]*R_coupler_xx + c[2]*neg_R_coupler_xy;
    const kg_wide neg_p_rocker_x = 0.5*neg_R_coupler_xy - p_coupler_x;
    const kg_wide neg_p_rocker_z = neg_p_coupler_z + 0.5*R_coupler_xx;
    const kg_wide pG_crank_x = 0.1*c[0];
    const kg_wide neg_pG_crank_z = 0.1*s[0];
    const kg_wide neg_pG_coupler_x = 0.25*neg_R_coupler_xy - p_coupler_x;
    const kg_wide neg_pG_coupler_z = neg_p_coupler_z + 0.25*R_coupler_xx;
    const kg_wide neg_pG_rocker_x = neg_p_rocker_x + 0.2*neg_R_rocker_xy;
    const kg_wide pG_rocker_z = 0.2*neg_R_rocker_xx - neg_p_rocker_z;
    const kg_wide neg_st_rocker_x = 0.4*neg_pG_rocker_x;
    const kg_wide st_rocker_z = 0.4*pG_rocker_z;
    const kg_wide neg_st_coupler_x = 0.5*neg_pG_coupler_x + neg_st_rocker_x;
    const kg_wide neg_st_coupler_z = 0.5*neg_pG_coupler_z - st_rocker_z;
    const kg_wide st_crank_x = 0.2*pG_crank_x - neg_st_coupler_x;
    const kg_wide neg_st_crank_z = 0.2*neg_pG_crank_z + neg_st_coupler_z;
    const kg_wide com_x = 0.9090909090909091*st_crank_x;
    J_com[6] = -com_x;
    const kg_wide neg_com_z = 0.9090909090909091*neg_st_crank_z;
    J_com[0] = -neg_com_z;
    const kg_wide neg_sr_coupler_x = neg_st_coupler_x + 0.9*p_coupler_x;
    const kg_wide sr_coupler_z = 0.9*neg_p_coupler_z - neg_st_coupler_z;
    const kg_wide sr_rocker_x = 0.4*neg_p_rocker_x - neg_st_rocker_x;
    const kg_wide sr_rocker_z = st_rocker_z + 0.4*neg_p_rocker_z;
    const kg_wide J_com_1 = 0.9090909090909091*sr_coupler_z;
    J_com[1] = J_com_1;
    const kg_wide J_com_2 = 0.9090909090909091*sr_rocker_z;
    J_com[2] = J_com_2;
    const kg_wide J_com_7 = 0.9090909090909091*neg_sr_coupler_x;
    J_com[7] = J_com_7;
    const kg_wide neg_J_com_8 = 0.9090909090909091*sr_rocker_x;
    J_com[8] = -neg_J_com_8;
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
    const kg_wide w_coupler_z = v[0] + v[1];
    const kg_wide neg_up_coupler_x = 0.2*v[0];
    const kg_wide neg_u_coupler_x = c[1]*neg_up_coupler_x;
    const kg_wide u_coupler_y = s[1]*neg_up_coupler_x;
    const kg_wide w_rocker_z = w_coupler_z + v[2];
    const kg_wide neg_up_rocker_x = neg_u_coupler_x + 0.5*w_coupler_z;
    const kg_wide u_rocker_x = s[2]*u_coupler_y - c[2]*neg_up_rocker_x;
    const kg_wide u_rocker_y = s[2]*neg_up_rocker_x + c[2]*u_coupler_y;
    const kg_wide neg_vG_crank_x = 0.1*v[0];
    const kg_wide Iw_crank_z = 0.0006666666666666669*v[0];
    const kg_wide vv = neg_vG_crank_x*neg_vG_crank_x;
    const kg_wide neg_pG_crank_z = 0.1*s[0];
    const kg_wide h = 9.81*neg_pG_crank_z;
    const kg_wide T = 0.2*vv + v[0]*Iw_crank_z;
    const kg_wide neg_V = 0.2*h;
    const kg_wide neg_vG_coupler_x = neg_u_coupler_x + 0.25*w_coupler_z;
    const kg_wide Iw_coupler_z = 0.010416666666666666*w_coupler_z;
    const kg_wide vv_2 = neg_vG_coupler_x*neg_vG_coupler_x + u_coupler_y*u_coupler_y;
    const kg_wide neg_pG_coupler_z = neg_p_coupler_z + 0.25*R_coupler_xx;
    const kg_wide h_2 = 9.81*neg_pG_coupler_z;
    const kg_wide T_2 = T + 0.5*vv_2 + w_coupler_z*Iw_coupler_z;
    const kg_wide neg_V_2 = neg_V + 0.5*h_2;
    const kg_wide neg_vG_rocker_x = 0.2*w_rocker_z - u_rocker_x;
    const kg_wide Iw_rocker_z = 0.005333333333333335*w_rocker_z;
    const kg_wide vv_3 = neg_vG_rocker_x*neg_vG_rocker_x + u_rocker_y*u_rocker_y;
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
    const kg_wide w_coupler_z = v[0] + v[1];
    const kg_wide neg_up_coupler_x = 0.2*v[0];
    const kg_wide neg_u_coupler_x = c[1]*neg_up_coupler_x;
    const kg_wide u_coupler_y = s[1]*neg_up_coupler_x;
    const kg_wide w_rocker_z = w_coupler_z + v[2];
    const kg_wide neg_up_rocker_x = neg_u_coupler_x + 0.5*w_coupler_z;
    const kg_wide u_rocker_x = s[2]*u_coupler_y - c[2]*neg_up_rocker_x;
    const kg_wide L_crank_z = 0.03866666666666667*v[0];
    const kg_wide neg_P_coupler_x = 0.325*w_coupler_z;
    const kg_wide L_coupler_z = 0.14166666666666666*w_coupler_z + 0.325*neg_u_coupler_x;
    const kg_wide neg_P_rocker_x = 0.08000000000000002*w_rocker_z;
    const kg_wide L_rocker_z = 0.02133333333333334*w_rocker_z - 0.08000000000000002*u_rocker_x;
    const kg_wide neg_Pp_rocker_x = c[2]*neg_P_rocker_x;
    const kg_wide neg_Pp_rocker_y = s[2]*neg_P_rocker_x;
    const kg_wide neg_P_coupler_x_2 = neg_P_coupler_x + neg_Pp_rocker_x;
    const kg_wide L_coupler_z_2 = L_coupler_z + L_rocker_z + 0.5*neg_Pp_rocker_x;
    const kg_wide neg_st_coupler_x = 0.08000000000000002*s[2];
    const kg_wide st_coupler_y = 0.325 + 0.08000000000000002*c[2];
    const kg_wide Pp_coupler_x = s[1]*neg_Pp_rocker_y - c[1]*neg_P_coupler_x_2;
    const kg_wide neg_Pp_coupler_y = s[1]*neg_P_coupler_x_2 + c[1]*neg_Pp_rocker_y;
    const kg_wide neg_P_crank_x = neg_up_coupler_x - Pp_coupler_x;
    const kg_wide L_crank_z_2 = L_crank_z + L_coupler_z_2 - 0.2*Pp_coupler_x;
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

/* Centroidal momentum matrix. 56 mul, 50 add, 3 sincos. */
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

    /* coupler */
    const kg_wide R_coupler_xx = s[0]*c[1] + c[0]*s[1];
    const kg_wide neg_R_coupler_xy = s[0]*s[1] - c[0]*c[1];
    const kg_wide p_coupler_x = 0.2*c[0];
    const kg_wide neg_p_coupler_z = 0.2*s[0];

    /* rocker */
    const kg_wide neg_R_rocker_xx = s[2]*neg_R_coupler_xy - c[2]*R_coupler_xx;
    const kg_wide neg_R_rocker_xy = s[2]*R_coupler_xx + c[2]*neg_R_coupler_xy;
    const kg_wide neg_p_rocker_x = 0.5*neg_R_coupler_xy - p_coupler_x;
    const kg_wide neg_p_rocker_z = neg_p_coupler_z + 0.5*R_coupler_xx;
    const kg_wide pG_crank_x = 0.1*c[0];
    const kg_wide neg_pG_crank_z = 0.1*s[0];
    const kg_wide neg_pG_coupler_x = 0.25*neg_R_coupler_xy - p_coupler_x;
    const kg_wide neg_pG_coupler_z = neg_p_coupler_z + 0.25*R_coupler_xx;
    const kg_wide neg_pG_rocker_x = neg_p_rocker_x + 0.2*neg_R_rocker_xy;
    const kg_wide pG_rocker_z = 0.2*neg_R_rocker_xx - neg_p_rocker_z;
    const kg_wide neg_st_rocker_x = 0.4*neg_pG_rocker_x;
    const kg_wide st_rocker_z = 0.4*pG_rocker_z;
    const kg_wide neg_st_coupler_x = 0.5*neg_pG_coupler_x + neg_st_rocker_x;
    const kg_wide neg_st_coupler_z = 0.5*neg_pG_coupler_z - st_rocker_z;
    const kg_wide st_crank_x = 0.2*pG_crank_x - neg_st_coupler_x;
    const kg_wide neg_st_crank_z = 0.2*neg_pG_crank_z + neg_st_coupler_z;
    const kg_wide com_x = 0.9090909090909091*st_crank_x;
    const kg_wide neg_com_z = 0.9090909090909091*neg_st_crank_z;
    const kg_wide r_crank_x = pG_crank_x - com_x;
    const kg_wide neg_r_crank_z = neg_pG_crank_z - neg_com_z;
    const kg_wide rr = r_crank_x*r_crank_x;
    const kg_wide rr_2 = neg_r_crank_z*neg_r_crank_z;
    const kg_wide Ic_crank_yy = 0.0006666666666666669 + 0.2*rr + 0.2*rr_2;
    const kg_wide neg_r_coupler_x = neg_pG_coupler_x + com_x;
    const kg_wide neg_r_coupler_z = neg_pG_coupler_z - neg_com_z;
    const kg_wide rr_3 = neg_r_coupler_x*neg_r_coupler_x;
    const kg_wide rr_4 = neg_r_coupler_z*neg_r_coupler_z;
    const kg_wide Ic_coupler_yy = 0.010416666666666666 + 0.5*rr_3 + 0.5*rr_4;
    const kg_wide neg_r_rocker_x = neg_pG_rocker_x + com_x;
    const kg_wide r_rocker_z = pG_rocker_z + neg_com_z;
    const kg_wide rr_5 = neg_r_rocker_x*neg_r_rocker_x;
    const kg_wide rr_6 = r_rocker_z*r_rocker_z;
    const kg_wide Ic_rocker_yy = 0.005333333333333335 + 0.4*rr_5 + 0.4*rr_6;
    const kg_wide It_coupler_yy = Ic_coupler_yy + Ic_rocker_yy;
    const kg_wide It_crank_yy = Ic_crank_yy + It_coupler_yy;
    const kg_wide sG_crank_x = st_crank_x - 1.1*com_x;
    const kg_wide neg_sG_crank_z = neg_st_crank_z - 1.1*neg_com_z;
    const kg_wide neg_P_x = 1.1*neg_com_z + neg_sG_crank_z;
    A_G[0] = -neg_P_x;
    const kg_wide neg_P_z = 1.1*com_x + sG_crank_x;
    A_G[6] = -neg_P_z;
    const kg_wide neg_sG_coupler_x = neg_st_coupler_x + 0.9*com_x;
    const kg_wide neg_sG_coupler_z = neg_st_coupler_z - 0.9*neg_com_z;
    const kg_wide neg_r_x = p_coupler_x - com_x;
    const kg_wide r_z = neg_p_coupler_z - neg_com_z;
    const kg_wide neg_P_x_2 = neg_sG_coupler_z - 0.9*r_z;
    A_G[1] = -neg_P_x_2;
    const kg_wide P_z = 0.9*neg_r_x + neg_sG_coupler_x;
    A_G[7] = P_z;
    const kg_wide neg_sG_rocker_x = neg_st_rocker_x + 0.4*com_x;
    const kg_wide sG_rocker_z = st_rocker_z + 0.4*neg_com_z;
    const kg_wide r_x = com_x + neg_p_rocker_x;
    const kg_wide r_z_2 = neg_p_rocker_z - neg_com_z;
    const kg_wide P_x = 0.4*r_z_2 + sG_rocker_z;
    A_G[2] = P_x;
    const kg_wide P_z_2 = neg_sG_rocker_x - 0.4*r_x;
    A_G[8] = P_z_2;
    const kg_wide A_G_12 = It_crank_yy + neg_com_z*neg_sG_crank_z + com_x*sG_crank_x;
    A_G[12] = A_G_12;
    const kg_wide A_G_13 = It_coupler_yy + neg_sG_coupler_x*neg_r_x - neg_sG_coupler_z*r_z;
    A_G[13] = A_G_13;
    const kg_wide A_G_14 = Ic_rocker_yy + sG_rocker_z*r_z_2 - neg_sG_rocker_x*r_x;
    A_G[14] = A_G_14;
}

long four_bar_link_poses_lanes(long n, const double *q, long q_state, long q_entry, double *poses, long poses_state,
    long poses_entry)
{
    kg_wide wide_q[3];
    kg_wide wide_poses[48];
    long first = -1;
    for (long i = 0; i < n; i += KG_WIDTH) {
        const int count = n - i < KG_WIDTH ? (int)(n - i) : KG_WIDTH;
        kg_wide seen[4] = {kg_splat(0.0), kg_splat(0.0), kg_splat(0.0), kg_splat(0.0)};
        kg_fill(3, count, q + i*q_state, q_state, q_entry, wide_q);
        kg_look_small(3, wide_q, seen);
        link_poses_wide(wide_q, wide_poses);
        kg_empty(48, count, 0, wide_poses, poses + i*poses_state, poses_state, poses_entry);
        const int bad = first < 0 ? kg_seen(count, seen) : -1;
        if (bad >= 0)
            first = i + bad;
    }
    return first;
}

long four_bar_cog_bias_lanes(long n, const double *q, long q_state, long q_entry, const double *v, long v_state,
    long v_entry, double *dGv, long dGv_state, long dGv_entry)
{
    kg_wide wide_q[3];
    kg_wide wide_v[3];
    kg_wide wide_dGv[18];
    long first = -1;
    for (long i = 0; i < n; i += KG_WIDTH) {
        const int count = n - i < KG_WIDTH ? (int)(n - i) : KG_WIDTH;
        kg_wide seen[4] = {kg_splat(0.0), kg_splat(0.0), kg_splat(0.0), kg_splat(0.0)};
        kg_fill(3, count, q + i*q_state, q_state, q_entry, wide_q);
        kg_look_small(3, wide_q, seen);
        kg_fill(3, count, v + i*v_state, v_state, v_entry, wide_v);
        kg_look_small(3, wide_v, seen);
        cog_bias_wide(wide_q, wide_v, wide_dGv);
        kg_empty(18, count, 0, wide_dGv, dGv + i*dGv_state, dGv_state, dGv_entry);
        const int bad = first < 0 ? kg_seen(count, seen) : -1;
        if (bad >= 0)
            first = i + bad;
    }
    return first;
}

long four_bar_com_lanes(long n, const double *q, long q_state, long q_entry, double *com, long com_state,
    long com_entry)
{
    kg_wide wide_q[3];
    kg_wide wide_com[3];
    long first = -1;
    for (long i = 0; i < n; i += KG_WIDTH) {
        const int count = n - i < KG_WIDTH ? (int)(n - i) : KG_WIDTH;
        kg_wide seen[4] = {kg_splat(0.0), kg_splat(0.0), kg_splat(0.0), kg_splat(0.0)};
        kg_fill(3, count, q + i*q_state, q_state, q_entry, wide_q);
        com_wide(wide_q, wide_com);
        kg_look_finite(3, wide_com, seen);
        kg_empty(3, count, 0, wide_com, com + i*com_state, com_state, com_entry);
        const int bad = first < 0 ? kg_seen(count, seen) : -1;
        if (bad >= 0)
            first = i + bad;
    }
    return first;
}

long four_bar_com_jacobian_lanes(long n, const double *q, long q_state, long q_entry, double *J_com,
    long J_com_state, long J_com_entry)
{
    kg_wide wide_q[3];
    kg_wide wide_J_com[9];
    long first = -1;
    for (long i = 0; i < n; i += KG_WIDTH) {
        const int count = n - i < KG_WIDTH ? (int)(n - i) : KG_WIDTH;
        kg_wide seen[4] = {kg_splat(0.0), kg_splat(0.0), kg_splat(0.0), kg_splat(0.0)};
        kg_fill(3, count, q + i*q_state, q_state, q_entry, wide_q);
        kg_look_small(3, wide_q, seen);
        com_jacobian_wide(wide_q, wide_J_com);
        kg_empty(9, count, 0, wide_J_com, J_com + i*J_com_state, J_com_state, J_com_entry);
        const int bad = first < 0 ? kg_seen(count, seen) : -1;
        if (bad >= 0)
            first = i + bad;
    }
    return first;
}

long four_bar_energy_lanes(long n, const double *q, long q_state, long q_entry, const double *v, long v_state,
    long v_entry, double *energy, long energy_state, long energy_entry)
{
    kg_wide wide_q[3];
    kg_wide wide_v[3];
    kg_wide wide_energy[2];
    long first = -1;
    for (long i = 0; i < n; i += KG_WIDTH) {
        const int count = n - i < KG_WIDTH ? (int)(n - i) : KG_WIDTH;
        kg_wide seen[4] = {kg_splat(0.0), kg_splat(0.0), kg_splat(0.0), kg_splat(0.0)};
        kg_fill(3, count, q + i*q_state, q_state, q_entry, wide_q);
        kg_fill(3, count, v + i*v_state, v_state, v_entry, wide_v);
        energy_wide(wide_q, wide_v, wide_energy);
        kg_look_finite(2, wide_energy, seen);
        kg_empty(2, count, 0, wide_energy, energy + i*energy_state, energy_state, energy_entry);
        const int bad = first < 0 ? kg_seen(count, seen) : -1;
        if (bad >= 0)
            first = i + bad;
    }
    return first;
}

long four_bar_momentum_lanes(long n, const double *q, long q_state, long q_entry, const double *v, long v_state,
    long v_entry, double *momentum, long momentum_state, long momentum_entry)
{
    kg_wide wide_q[3];
    kg_wide wide_v[3];
    kg_wide wide_momentum[6];
    long first = -1;
    for (long i = 0; i < n; i += KG_WIDTH) {
        const int count = n - i < KG_WIDTH ? (int)(n - i) : KG_WIDTH;
        kg_wide seen[4] = {kg_splat(0.0), kg_splat(0.0), kg_splat(0.0), kg_splat(0.0)};
        kg_fill(3, count, q + i*q_state, q_state, q_entry, wide_q);
        kg_fill(3, count, v + i*v_state, v_state, v_entry, wide_v);
        momentum_wide(wide_q, wide_v, wide_momentum);
        kg_look_finite(6, wide_momentum, seen);
        kg_empty(6, count, 0, wide_momentum, momentum + i*momentum_state, momentum_state, momentum_entry);
        const int bad = first < 0 ? kg_seen(count, seen) : -1;
        if (bad >= 0)
            first = i + bad;
    }
    return first;
}

long four_bar_centroidal_momentum_matrix_lanes(long n, const double *q, long q_state, long q_entry, double *A_G,
    long A_G_state, long A_G_entry)
{
    kg_wide wide_q[3];
    kg_wide wide_A_G[18];
    long first = -1;
    for (long i = 0; i < n; i += KG_WIDTH) {
        const int count = n - i < KG_WIDTH ? (int)(n - i) : KG_WIDTH;
        kg_wide seen[4] = {kg_splat(0.0), kg_splat(0.0), kg_splat(0.0), kg_splat(0.0)};
        kg_fill(3, count, q + i*q_state, q_state, q_entry, wide_q);
        kg_look_small(3, wide_q, seen);
        centroidal_momentum_matrix_wide(wide_q, wide_A_G);
        kg_empty(18, count, 0, wide_A_G, A_G + i*A_G_state, A_G_state, A_G_entry);
        const int bad = first < 0 ? kg_seen(count, seen) : -1;
        if (bad >= 0)
            first = i + bad;
    }
    return first;
}

