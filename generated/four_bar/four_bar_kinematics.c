/* four_bar: poses, Jacobians, energy and momentum.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * R, p: pose in the parent or, where poses are asked for, in the world
 * w, wp: angular velocity; that of the parent in the link's axes
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * u, up: velocity of the link's origin; as the parent carries it (articulated: u is the joint force left)
 * ww: products of entries of w
 * f, fp, n: force and moment about the link's origin; p: in the parent's axes
 * m, s, S: mass, first moment and second moment of mass
 * sp, Sp, sq, RS: s, S in the parent's axes, s about its origin, R S
 * h: half of a turn, R S of R S R'; height along gravity
 * pG, vG, aG, Gx, ddq: centre of mass: position, velocity, acceleration; its part by joint accelerations
 * st, mt: subtree: first moment, mass
 * rC, rp: from the link's origin to the centre of mass of all; the same in the parent's axes
 * RI, Iw: R I; inertia in world axes, or I w
 * vv, T, V: squares of speeds, kinetic and potential energy
 * com, F, N: centre of mass; force, moment that move a link
 * P, Pp, L: momentum, or its rate: linear, p: in the parent's axes; angular (L also the factor of M = L'DL)
 * uq, zr, lr, Pr: velocity up in the link's axes; rates of z, l and of momentum
 * J: Jacobian
 */

#include "four_bar_model.h"
#include "kinegen/frames/xyz.h"
#include "kinegen/linear/sincos.h"

/* What is defined and called here, as four_bar.h declares it. */
void four_bar_link_poses(const double *q, double *poses);
void four_bar_cog_bias(const double *q, const double *v, double *dGv);
void four_bar_com(const double *q, double *com);
void four_bar_com_jacobian(const double *q, double *J_com);
void four_bar_energy(const double *q, const double *v, double *energy);
void four_bar_momentum(const double *q, const double *v, double *momentum);
void four_bar_centroidal_momentum_matrix(const double *q, double *A_G);
void four_bar_cog_jacobian(const double *q, double *G);
void four_bar_frame_jacobian(const double *q, const double *frame, double *J);
void four_bar_frame_pose(const double *q, const double *placed, double *pose);
void four_bar_frame_velocity(const double *q, const double *v, const double *frame, double *velocity);
void four_bar_frame_acceleration(const double *q, const double *v, const double *a, const double *frame,
    double *acceleration);
void four_bar_frame_motion(const double *q, const double *v, const double *a, const double *frame, double *motion);
void four_bar_link_poses_batch(long n, const double *q, long q_stride, double *poses);
void four_bar_cog_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride, double *dGv);
void four_bar_com_batch(long n, const double *q, long q_stride, double *com);
void four_bar_com_jacobian_batch(long n, const double *q, long q_stride, double *J_com);
void four_bar_energy_batch(long n, const double *q, long q_stride, const double *v, long v_stride, double *energy);
void four_bar_momentum_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *momentum);
void four_bar_centroidal_momentum_matrix_batch(long n, const double *q, long q_stride, double *A_G);
void four_bar_cog_jacobian_batch(long n, const double *q, long q_stride, double *G);
void four_bar_frame_jacobian_batch(long n, const double *q, long q_stride, const double *frame, long frame_stride,
    double *J);
void four_bar_frame_pose_batch(long n, const double *q, long q_stride, const double *placed, long placed_stride,
    double *pose);
void four_bar_frame_velocity_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *frame, long frame_stride, double *velocity);
void four_bar_frame_acceleration_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *acceleration);
void four_bar_frame_motion_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *motion);

/* World poses of the link frames. 12 mul, 6 add, 3 sincos. */
void four_bar_link_poses(const double *restrict q, double *restrict poses)
{
    double s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_sincos(3, q, s, c);
    for (int i = 0; i < 48; i++) poses[i] = 0.0;
    poses[5] = 1.0;
    poses[15] = 1.0;
    poses[21] = 1.0;
    poses[31] = 1.0;
    poses[37] = 1.0;
    poses[47] = 1.0;
    poses[0] = c[0];
    poses[10] = c[0];
    poses[2] = s[0];
    poses[8] = -s[0];

    /* coupler */
    const double R_coupler_xx = s[0]*c[1] + c[0]*s[1];
    poses[18] = R_coupler_xx;
    poses[24] = -R_coupler_xx;
    const double neg_R_coupler_xy = s[0]*s[1] - c[0]*c[1];
    poses[16] = -neg_R_coupler_xy;
    poses[26] = -neg_R_coupler_xy;
    const double p_coupler_x = 0.2*c[0];
    poses[19] = p_coupler_x;
    const double neg_p_coupler_z = 0.2*s[0];
    poses[27] = -neg_p_coupler_z;

    /* rocker */
    const double neg_R_rocker_xx = s[2]*neg_R_coupler_xy - c[2]*R_coupler_xx;
    poses[34] = -neg_R_rocker_xx;
    poses[40] = neg_R_rocker_xx;
    const double neg_R_rocker_xy = s[2]*R_coupler_xx + c[2]*neg_R_coupler_xy;
    poses[32] = -neg_R_rocker_xy;
    poses[42] = -neg_R_rocker_xy;
    const double neg_p_rocker_x = 0.5*neg_R_coupler_xy - p_coupler_x;
    poses[35] = -neg_p_rocker_x;
    const double neg_p_rocker_z = neg_p_coupler_z + 0.5*R_coupler_xx;
    poses[43] = -neg_p_rocker_z;
}

void four_bar_link_poses_batch(long n, const double *q, long q_stride, double *poses)
{
    for (long i = 0; i < n; i++)
        four_bar_link_poses(q + i*q_stride, poses + i*48);
}

/* COG accelerations dG/dt v at zero joint acceleration. 32 mul, 15 add, 3 sincos. */
void four_bar_cog_bias(const double *restrict q, const double *restrict v, double *restrict dGv)
{
    double s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_sincos(3, q, s, c);
    for (int i = 0; i < 18; i++) dGv[i] = 0.0;

    /* coupler */
    const double R_coupler_xx = s[0]*c[1] + c[0]*s[1];
    const double neg_R_coupler_xy = s[0]*s[1] - c[0]*c[1];

    /* rocker */
    const double neg_R_rocker_xx = s[2]*neg_R_coupler_xy - c[2]*R_coupler_xx;
    const double neg_R_rocker_xy = s[2]*R_coupler_xx + c[2]*neg_R_coupler_xy;

    /* crank */
    const double ww_crank = v[0]*v[0];

    /* coupler */
    const double w_coupler_z = v[0] + v[1];
    const double neg_ap_coupler_y = 0.2*ww_crank;
    const double neg_a_coupler_x = s[1]*neg_ap_coupler_y;
    const double neg_a_coupler_y = c[1]*neg_ap_coupler_y;
    const double ww_coupler = w_coupler_z*w_coupler_z;

    /* rocker */
    const double w_rocker_z = w_coupler_z + v[2];
    const double neg_ap_rocker_y = neg_a_coupler_y + 0.5*ww_coupler;
    const double neg_a_rocker_x = c[2]*neg_a_coupler_x + s[2]*neg_ap_rocker_y;
    const double a_rocker_y = s[2]*neg_a_coupler_x - c[2]*neg_ap_rocker_y;
    const double ww_rocker = w_rocker_z*w_rocker_z;
    const double neg_aG_y = 0.1*ww_crank;
    const double neg_aG_y_2 = neg_a_coupler_y + 0.25*ww_coupler;
    const double aG_y = a_rocker_y - 0.2*ww_rocker;
    const double neg_dGv_0 = c[0]*neg_aG_y;
    dGv[0] = -neg_dGv_0;
    const double dGv_2 = s[0]*neg_aG_y;
    dGv[2] = dGv_2;
    const double neg_dGv_6 = R_coupler_xx*neg_a_coupler_x - neg_R_coupler_xy*neg_aG_y_2;
    dGv[6] = -neg_dGv_6;
    const double dGv_8 = neg_R_coupler_xy*neg_a_coupler_x + R_coupler_xx*neg_aG_y_2;
    dGv[8] = dGv_8;
    const double dGv_12 = neg_R_rocker_xx*neg_a_rocker_x - neg_R_rocker_xy*aG_y;
    dGv[12] = dGv_12;
    const double dGv_14 = neg_R_rocker_xy*neg_a_rocker_x + neg_R_rocker_xx*aG_y;
    dGv[14] = dGv_14;
}

void four_bar_cog_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride, double *dGv)
{
    for (long i = 0; i < n; i++)
        four_bar_cog_bias(q + i*q_stride, v + i*v_stride, dGv + i*18);
}

/* Centre of mass. 14 mul, 6 add, 3 sincos. */
void four_bar_com(const double *restrict q, double *restrict com)
{
    double s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_sincos(3, q, s, c);
    com[1] = 0.0;
    const double neg_st_coupler_x = 0.08000000000000002*s[2];
    const double st_coupler_y = 0.325 + 0.08000000000000002*c[2];
    const double neg_st_crank_x = c[1]*neg_st_coupler_x + s[1]*st_coupler_y;
    const double st_crank_y = 0.2 + c[1]*st_coupler_y - s[1]*neg_st_coupler_x;
    const double neg_com_x = 0.9090909090909091*s[0]*neg_st_crank_x - 0.9090909090909091*c[0]*st_crank_y;
    com[0] = -neg_com_x;
    const double neg_com_z = 0.9090909090909091*c[0]*neg_st_crank_x + 0.9090909090909091*s[0]*st_crank_y;
    com[2] = -neg_com_z;
}

void four_bar_com_batch(long n, const double *q, long q_stride, double *com)
{
    for (long i = 0; i < n; i++)
        four_bar_com(q + i*q_stride, com + i*3);
}

/* Jacobian of the centre of mass. 28 mul, 12 add, 3 sincos. */
void four_bar_com_jacobian(const double *restrict q, double *restrict J_com)
{
    double s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_sincos(3, q, s, c);
    J_com[3] = 0.0;
    J_com[4] = 0.0;
    J_com[5] = 0.0;
    const double neg_st_coupler_x = 0.08000000000000002*s[2];
    const double st_coupler_y = 0.325 + 0.08000000000000002*c[2];
    const double neg_st_crank_x = c[1]*neg_st_coupler_x + s[1]*st_coupler_y;
    const double st_crank_y = 0.2 + c[1]*st_coupler_y - s[1]*neg_st_coupler_x;

    /* coupler */
    const double R_coupler_xx = s[0]*c[1] + c[0]*s[1];
    const double neg_R_coupler_xy = s[0]*s[1] - c[0]*c[1];

    /* rocker */
    const double neg_R_rocker_xx = s[2]*neg_R_coupler_xy - c[2]*R_coupler_xx;
    const double neg_R_rocker_xy = s[2]*R_coupler_xx + c[2]*neg_R_coupler_xy;

    /* crank */
    const double neg_J_crank_x = 0.9090909090909091*st_crank_y;
    const double neg_J_crank_y = 0.9090909090909091*neg_st_crank_x;

    /* coupler */
    const double neg_J_coupler_x = 0.9090909090909091*st_coupler_y;
    const double neg_J_coupler_y = 0.9090909090909091*neg_st_coupler_x;

    /* rocker */
    const double neg_J_com_0 = s[0]*neg_J_crank_x + c[0]*neg_J_crank_y;
    J_com[0] = -neg_J_com_0;
    const double neg_J_com_1 = R_coupler_xx*neg_J_coupler_x - neg_R_coupler_xy*neg_J_coupler_y;
    J_com[1] = -neg_J_com_1;
    const double J_com_2 = 0.07272727272727274*neg_R_rocker_xx;
    J_com[2] = J_com_2;
    const double J_com_6 = s[0]*neg_J_crank_y - c[0]*neg_J_crank_x;
    J_com[6] = J_com_6;
    const double J_com_7 = neg_R_coupler_xy*neg_J_coupler_x + R_coupler_xx*neg_J_coupler_y;
    J_com[7] = J_com_7;
    const double J_com_8 = 0.07272727272727274*neg_R_rocker_xy;
    J_com[8] = J_com_8;
}

void four_bar_com_jacobian_batch(long n, const double *q, long q_stride, double *J_com)
{
    for (long i = 0; i < n; i++)
        four_bar_com_jacobian(q + i*q_stride, J_com + i*9);
}

/* Kinetic and potential energy. 43 mul, 22 add, 3 sincos. */
void four_bar_energy(const double *restrict q, const double *restrict v, double *restrict energy)
{
    double s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_sincos(3, q, s, c);

    /* coupler */
    const double R_coupler_xx = s[0]*c[1] + c[0]*s[1];
    const double neg_R_coupler_xy = s[0]*s[1] - c[0]*c[1];
    const double neg_p_coupler_z = 0.2*s[0];

    /* rocker */
    const double neg_R_rocker_xx = s[2]*neg_R_coupler_xy - c[2]*R_coupler_xx;
    const double neg_p_rocker_z = neg_p_coupler_z + 0.5*R_coupler_xx;
    const double neg_up_coupler_x = 0.2*v[0];
    const double neg_uq_coupler_x = c[1]*neg_up_coupler_x;
    const double uq_coupler_y = s[1]*neg_up_coupler_x;
    const double w_coupler_z = v[0] + v[1];
    const double neg_up_rocker_x = neg_uq_coupler_x + 0.5*w_coupler_z;
    const double uq_rocker_x = s[2]*uq_coupler_y - c[2]*neg_up_rocker_x;
    const double uq_rocker_y = s[2]*neg_up_rocker_x + c[2]*uq_coupler_y;
    const double w_rocker_z = w_coupler_z + v[2];
    const double neg_vG_crank_x = 0.1*v[0];
    const double Iw_crank_z = 0.0006666666666666669*v[0];
    const double vv = neg_vG_crank_x*neg_vG_crank_x;
    const double neg_pG_crank_z = 0.1*s[0];
    const double h = 9.81*neg_pG_crank_z;
    const double T = 0.2*vv + v[0]*Iw_crank_z;
    const double neg_V = 0.2*h;
    const double neg_vG_coupler_x = neg_uq_coupler_x + 0.25*w_coupler_z;
    const double Iw_coupler_z = 0.010416666666666666*w_coupler_z;
    const double vv_2 = neg_vG_coupler_x*neg_vG_coupler_x + uq_coupler_y*uq_coupler_y;
    const double neg_pG_coupler_z = neg_p_coupler_z + 0.25*R_coupler_xx;
    const double h_2 = 9.81*neg_pG_coupler_z;
    const double T_2 = T + 0.5*vv_2 + w_coupler_z*Iw_coupler_z;
    const double neg_V_2 = neg_V + 0.5*h_2;
    const double vG_rocker_x = uq_rocker_x - 0.2*w_rocker_z;
    const double Iw_rocker_z = 0.005333333333333335*w_rocker_z;
    const double vv_3 = vG_rocker_x*vG_rocker_x + uq_rocker_y*uq_rocker_y;
    const double pG_rocker_z = 0.2*neg_R_rocker_xx - neg_p_rocker_z;
    const double neg_h = 9.81*pG_rocker_z;
    const double T_3 = T_2 + 0.4*vv_3 + w_rocker_z*Iw_rocker_z;
    const double neg_V_3 = neg_V_2 - 0.4*neg_h;
    energy[1] = -neg_V_3;
    const double energy_0 = 0.5*T_3;
    energy[0] = energy_0;
}

void four_bar_energy_batch(long n, const double *q, long q_stride, const double *v, long v_stride, double *energy)
{
    for (long i = 0; i < n; i++)
        four_bar_energy(q + i*q_stride, v + i*v_stride, energy + i*2);
}

/* Linear momentum, angular momentum about the centre of mass. 35 mul, 22 add, 3 sincos. */
void four_bar_momentum(const double *restrict q, const double *restrict v, double *restrict momentum)
{
    double s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_sincos(3, q, s, c);
    momentum[1] = 0.0;
    momentum[3] = 0.0;
    momentum[5] = 0.0;
    const double neg_up_coupler_x = 0.2*v[0];
    const double neg_uq_coupler_x = c[1]*neg_up_coupler_x;
    const double uq_coupler_y = s[1]*neg_up_coupler_x;
    const double w_coupler_z = v[0] + v[1];
    const double neg_up_rocker_x = neg_uq_coupler_x + 0.5*w_coupler_z;
    const double uq_rocker_x = s[2]*uq_coupler_y - c[2]*neg_up_rocker_x;
    const double w_rocker_z = w_coupler_z + v[2];
    const double L_crank_z = 0.03866666666666667*v[0];
    const double neg_P_coupler_x = 0.325*w_coupler_z;
    const double L_coupler_z = 0.14166666666666666*w_coupler_z + 0.325*neg_uq_coupler_x;
    const double neg_P_rocker_x = 0.08000000000000002*w_rocker_z;
    const double neg_L_rocker_z = 0.08000000000000002*uq_rocker_x - 0.02133333333333334*w_rocker_z;
    const double neg_Pp_rocker_x = c[2]*neg_P_rocker_x;
    const double neg_Pp_rocker_y = s[2]*neg_P_rocker_x;
    const double neg_P_coupler_x_2 = neg_P_coupler_x + neg_Pp_rocker_x;
    const double L_coupler_z_2 = L_coupler_z + 0.5*neg_Pp_rocker_x - neg_L_rocker_z;
    const double Pp_coupler_x = s[1]*neg_Pp_rocker_y - c[1]*neg_P_coupler_x_2;
    const double neg_Pp_coupler_y = s[1]*neg_P_coupler_x_2 + c[1]*neg_Pp_rocker_y;
    const double neg_P_crank_x = neg_up_coupler_x - Pp_coupler_x;
    const double L_crank_z_2 = L_crank_z + L_coupler_z_2 - 0.2*Pp_coupler_x;
    const double neg_st_coupler_x = 0.08000000000000002*s[2];
    const double st_coupler_y = 0.325 + 0.08000000000000002*c[2];
    const double neg_st_crank_x = c[1]*neg_st_coupler_x + s[1]*st_coupler_y;
    const double st_crank_y = 0.2 + c[1]*st_coupler_y - s[1]*neg_st_coupler_x;
    const double neg_com_x = 0.9090909090909091*neg_st_crank_x;
    const double com_y = 0.9090909090909091*st_crank_y;
    const double neg_L_z = neg_Pp_coupler_y*neg_com_x + neg_P_crank_x*com_y - L_crank_z_2;
    momentum[4] = -neg_L_z;
    const double neg_momentum_0 = s[0]*neg_P_crank_x + c[0]*neg_Pp_coupler_y;
    momentum[0] = -neg_momentum_0;
    const double momentum_2 = s[0]*neg_Pp_coupler_y - c[0]*neg_P_crank_x;
    momentum[2] = momentum_2;
}

void four_bar_momentum_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *momentum)
{
    for (long i = 0; i < n; i++)
        four_bar_momentum(q + i*q_stride, v + i*v_stride, momentum + i*6);
}

/* Centroidal momentum matrix. 63 mul, 43 add, 3 sincos. */
void four_bar_centroidal_momentum_matrix(const double *restrict q, double *restrict A_G)
{
    double s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_sincos(3, q, s, c);
    for (int i = 0; i < 18; i++) A_G[i] = 0.0;

    /* rocker */
    const double neg_sp_rocker_x = 0.08000000000000002*s[2];
    const double sp_rocker_y = 0.08000000000000002*c[2];
    const double neg_h_Sp_rocker = 0.02133333333333334*s[2];
    const double Sp_rocker_xx = s[2]*neg_h_Sp_rocker;
    const double neg_Sp_rocker_xy = c[2]*neg_h_Sp_rocker;
    const double Sp_rocker_yy = 0.02133333333333334 - Sp_rocker_xx;

    /* coupler */
    const double s_coupler_y = 0.325 + sp_rocker_y;
    const double neg_S_coupler_xy = neg_Sp_rocker_xy + 0.5*neg_sp_rocker_x;
    const double S_coupler_yy = 0.14166666666666666 + Sp_rocker_yy + sp_rocker_y;
    const double neg_sp_coupler_x = c[1]*neg_sp_rocker_x + s[1]*s_coupler_y;
    const double neg_sp_coupler_y = s[1]*neg_sp_rocker_x - c[1]*s_coupler_y;
    const double h_Sp_coupler = c[1]*Sp_rocker_xx + s[1]*neg_S_coupler_xy;
    const double neg_h_Sp_coupler = c[1]*neg_S_coupler_xy + s[1]*S_coupler_yy;
    const double Sp_coupler_xx = c[1]*h_Sp_coupler + s[1]*neg_h_Sp_coupler;
    const double Sp_coupler_yy = Sp_rocker_xx + S_coupler_yy - Sp_coupler_xx;

    /* crank */
    const double s_crank_y = 0.2 - neg_sp_coupler_y;
    const double S_crank_yy = 0.03866666666666667 + Sp_coupler_yy - 0.4*neg_sp_coupler_y;
    const double st_coupler_y = 0.325 + 0.08000000000000002*c[2];
    const double neg_st_crank_x = c[1]*neg_sp_rocker_x + s[1]*st_coupler_y;
    const double st_crank_y = 0.2 + c[1]*st_coupler_y - s[1]*neg_sp_rocker_x;
    const double neg_com_x = 0.9090909090909091*s[0]*neg_st_crank_x - 0.9090909090909091*c[0]*st_crank_y;
    const double neg_com_z = 0.9090909090909091*c[0]*neg_st_crank_x + 0.9090909090909091*s[0]*st_crank_y;
    const double neg_rC_crank_x = s[0]*neg_com_x + c[0]*neg_com_z;
    const double rC_crank_y = s[0]*neg_com_z - c[0]*neg_com_x;
    const double neg_rp_coupler_y = 0.2 - rC_crank_y;
    const double neg_rC_coupler_x = c[1]*neg_rC_crank_x + s[1]*neg_rp_coupler_y;
    const double rC_coupler_y = s[1]*neg_rC_crank_x - c[1]*neg_rp_coupler_y;
    const double neg_rp_rocker_y = 0.5 - rC_coupler_y;
    const double rC_rocker_y = s[2]*neg_rC_coupler_x - c[2]*neg_rp_rocker_y;

    /* coupler */
    const double R_coupler_xx = s[0]*c[1] + c[0]*s[1];
    const double neg_R_coupler_xy = s[0]*s[1] - c[0]*c[1];

    /* rocker */
    const double neg_R_rocker_xx = s[2]*neg_R_coupler_xy - c[2]*R_coupler_xx;
    const double neg_R_rocker_xy = s[2]*R_coupler_xx + c[2]*neg_R_coupler_xy;

    /* crank */
    const double neg_n_crank_z = neg_sp_coupler_x*neg_rC_crank_x + s_crank_y*rC_crank_y - Sp_coupler_xx - S_crank_yy;
    A_G[12] = -neg_n_crank_z;

    /* coupler */
    const double neg_n_coupler_z = neg_sp_rocker_x*neg_rC_coupler_x + s_coupler_y*rC_coupler_y - Sp_rocker_xx
        - S_coupler_yy;
    A_G[13] = -neg_n_coupler_z;

    /* rocker */
    const double n_rocker_z = 0.02133333333333334 - 0.08000000000000002*rC_rocker_y;
    A_G[14] = n_rocker_z;
    const double neg_A_G_0 = s[0]*s_crank_y + c[0]*neg_sp_coupler_x;
    A_G[0] = -neg_A_G_0;
    const double A_G_1 = neg_sp_rocker_x*neg_R_coupler_xy - s_coupler_y*R_coupler_xx;
    A_G[1] = A_G_1;
    const double A_G_2 = 0.08000000000000002*neg_R_rocker_xx;
    A_G[2] = A_G_2;
    const double A_G_6 = s[0]*neg_sp_coupler_x - c[0]*s_crank_y;
    A_G[6] = A_G_6;
    const double A_G_7 = s_coupler_y*neg_R_coupler_xy + neg_sp_rocker_x*R_coupler_xx;
    A_G[7] = A_G_7;
    const double A_G_8 = 0.08000000000000002*neg_R_rocker_xy;
    A_G[8] = A_G_8;
}

void four_bar_centroidal_momentum_matrix_batch(long n, const double *q, long q_stride, double *A_G)
{
    for (long i = 0; i < n; i++)
        four_bar_centroidal_momentum_matrix(q + i*q_stride, A_G + i*18);
}

/* Motion axes [z; l; p] and centres of mass, world axes. 18 mul, 10 add, 3 sincos. */
static void four_bar_motion_columns(const double *restrict q, double *restrict axes, double *restrict centers)
{
    double s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_sincos(3, q, s, c);
    for (int i = 0; i < 27; i++) axes[i] = 0.0;
    axes[1] = 1.0;
    axes[10] = 1.0;
    axes[19] = 1.0;
    centers[1] = 0.0;
    centers[4] = 0.0;
    centers[7] = 0.0;

    /* coupler */
    const double R_coupler_xx = s[0]*c[1] + c[0]*s[1];
    const double neg_R_coupler_xy = s[0]*s[1] - c[0]*c[1];
    const double p_coupler_x = 0.2*c[0];
    axes[15] = p_coupler_x;
    const double neg_p_coupler_z = 0.2*s[0];
    axes[17] = -neg_p_coupler_z;

    /* rocker */
    const double neg_R_rocker_xx = s[2]*neg_R_coupler_xy - c[2]*R_coupler_xx;
    const double neg_R_rocker_xy = s[2]*R_coupler_xx + c[2]*neg_R_coupler_xy;
    const double neg_p_rocker_x = 0.5*neg_R_coupler_xy - p_coupler_x;
    axes[24] = -neg_p_rocker_x;
    const double neg_p_rocker_z = neg_p_coupler_z + 0.5*R_coupler_xx;
    axes[26] = -neg_p_rocker_z;
    const double pG_crank_x = 0.1*c[0];
    centers[0] = pG_crank_x;
    const double neg_pG_crank_z = 0.1*s[0];
    centers[2] = -neg_pG_crank_z;
    const double neg_pG_coupler_x = 0.25*neg_R_coupler_xy - p_coupler_x;
    centers[3] = -neg_pG_coupler_x;
    const double neg_pG_coupler_z = neg_p_coupler_z + 0.25*R_coupler_xx;
    centers[5] = -neg_pG_coupler_z;
    const double neg_pG_rocker_x = neg_p_rocker_x + 0.2*neg_R_rocker_xy;
    centers[6] = -neg_pG_rocker_x;
    const double pG_rocker_z = 0.2*neg_R_rocker_xx - neg_p_rocker_z;
    centers[8] = pG_rocker_z;
}

/* Pose and motion axes of link 0. 12 mul, 6 add, 1 sincos. */
static void four_bar_step_0(const double *restrict s, const double *restrict c, const double *restrict q,
    const double *restrict above, double *restrict own, double *restrict axes)
{
    (void)s, (void)c, (void)q;

    /* crank */
    for (int e = 0; e < 3; e += AT_ONCE) { /* entries along x, y, z of the world, which are alike */
        const kg_xyz above_0 = *kg_xyz_at(above + 0*XYZ + e);
        const kg_xyz above_1 = *kg_xyz_at(above + 1*XYZ + e);
        const kg_xyz above_2 = *kg_xyz_at(above + 2*XYZ + e);
        const kg_xyz above_3 = *kg_xyz_at(above + 3*XYZ + e);
        *kg_xyz_to(axes + 1*XYZ + e) = (kg_xyz){0.0};
        *kg_xyz_to(own + 1*XYZ + e) = above_1;
        *kg_xyz_to(axes + 0*XYZ + e) = above_1;
        *kg_xyz_to(own + 3*XYZ + e) = above_3;
        *kg_xyz_to(axes + 2*XYZ + e) = above_3;
        const kg_xyz R_crank_xx = s[0]*above_0 + c[0]*above_2;
        *kg_xyz_to(own + 2*XYZ + e) = R_crank_xx;
        const kg_xyz neg_R_crank_xy = s[0]*above_2 - c[0]*above_0;
        *kg_xyz_to(own + 0*XYZ + e) = -neg_R_crank_xy;
    }
}

/* Pose and motion axes of link 1. 15 mul, 9 add, 1 sincos. */
static void four_bar_step_1(const double *restrict s, const double *restrict c, const double *restrict q,
    const double *restrict above, double *restrict own, double *restrict axes)
{
    (void)s, (void)c, (void)q;

    /* coupler */
    for (int e = 0; e < 3; e += AT_ONCE) { /* entries along x, y, z of the world, which are alike */
        const kg_xyz above_0 = *kg_xyz_at(above + 0*XYZ + e);
        const kg_xyz above_1 = *kg_xyz_at(above + 1*XYZ + e);
        const kg_xyz above_2 = *kg_xyz_at(above + 2*XYZ + e);
        const kg_xyz above_3 = *kg_xyz_at(above + 3*XYZ + e);
        *kg_xyz_to(axes + 1*XYZ + e) = (kg_xyz){0.0};
        *kg_xyz_to(own + 1*XYZ + e) = above_1;
        *kg_xyz_to(axes + 0*XYZ + e) = above_1;
        const kg_xyz R_coupler_xx = s[0]*above_0 + c[0]*above_2;
        *kg_xyz_to(own + 2*XYZ + e) = R_coupler_xx;
        const kg_xyz neg_R_coupler_xy = s[0]*above_2 - c[0]*above_0;
        *kg_xyz_to(own + 0*XYZ + e) = -neg_R_coupler_xy;
        const kg_xyz p_coupler_x = above_3 + 0.2*above_0;
        *kg_xyz_to(own + 3*XYZ + e) = p_coupler_x;
        *kg_xyz_to(axes + 2*XYZ + e) = p_coupler_x;
    }
}

/* Pose and motion axes of link 2. 15 mul, 9 add, 1 sincos. */
static void four_bar_step_2(const double *restrict s, const double *restrict c, const double *restrict q,
    const double *restrict above, double *restrict own, double *restrict axes)
{
    (void)s, (void)c, (void)q;

    /* rocker */
    for (int e = 0; e < 3; e += AT_ONCE) { /* entries along x, y, z of the world, which are alike */
        const kg_xyz above_0 = *kg_xyz_at(above + 0*XYZ + e);
        const kg_xyz above_1 = *kg_xyz_at(above + 1*XYZ + e);
        const kg_xyz above_2 = *kg_xyz_at(above + 2*XYZ + e);
        const kg_xyz above_3 = *kg_xyz_at(above + 3*XYZ + e);
        *kg_xyz_to(axes + 1*XYZ + e) = (kg_xyz){0.0};
        *kg_xyz_to(own + 1*XYZ + e) = above_1;
        *kg_xyz_to(axes + 0*XYZ + e) = above_1;
        const kg_xyz R_rocker_xx = s[0]*above_0 + c[0]*above_2;
        *kg_xyz_to(own + 2*XYZ + e) = R_rocker_xx;
        const kg_xyz neg_R_rocker_xy = s[0]*above_2 - c[0]*above_0;
        *kg_xyz_to(own + 0*XYZ + e) = -neg_R_rocker_xy;
        const kg_xyz p_rocker_x = above_3 + 0.5*above_0;
        *kg_xyz_to(own + 3*XYZ + e) = p_rocker_x;
        *kg_xyz_to(axes + 2*XYZ + e) = p_rocker_x;
    }
}

/* Motion axis k moves dof axis_dof[k]. */
static const int axis_dof[] = {0, 1, 2};
/* The next axis towards the root (-1: none): the paths of the tree. */
static const int axis_above[] = {-1, 0, 1};
/* The motion axis at which the path of link i ends. */
static const int axis_last[] = {0, 1, 2};
/* The link that each link hangs on, -1 for world. */
static const int link_above[] = {-1, 0, 1};
/* The first motion axis of each link, or where it would stand. */
static const int link_axis[] = {0, 1, 2};
/* The first axis of those that move one frame with it. */
static const int axis_first[] = {0, 1, 2};

/* Angles of which the next function is handed sines and cosines; gives how many. */
enum { PATH_ANGLES = 3 };
static int four_bar_link_step_angles(int link, const double *q, double *angle)
{
    (void)q, (void)angle;
    switch (link) {
    case 0:
        angle[0] = q[0];
        return 1;
    case 1:
        angle[0] = q[1];
        return 1;
    case 2:
        angle[0] = q[2];
        return 1;
    default:
        return 0;
    }
}

/* Pose [R p] of a link and its motion axes [z; l; p], of the pose of what it hangs on. */
static void four_bar_link_step(int link, const double *s, const double *c, const double *q, const double *above,
    double *own, double *axes)
{
    switch (link) {
    case 0:
        four_bar_step_0(s, c, q, above, own, axes);
        break;
    case 1:
        four_bar_step_1(s, c, q, above, own, axes);
        break;
    case 2:
        four_bar_step_2(s, c, q, above, own, axes);
        break;
    }
}

#include "kinegen/tree/cog_jacobian.h"
#include "kinegen/frames/frame_jacobian.h"
#include "kinegen/frames/frame_pose.h"
#include "kinegen/frames/frame_velocity.h"
#include "kinegen/derivatives/frame_acceleration.h"
#include "kinegen/derivatives/frame_motion.h"

/* COG Jacobian G: [dp_G; w] = G v, world axes. */
void four_bar_cog_jacobian(const double *restrict q, double *restrict G)
{
    cog_jacobian(0, q, G);
}

/* Jacobian [linear; angular] of a frame, world axes; frame = [link, offset x y z]. */
void four_bar_frame_jacobian(const double *restrict q, const double *restrict frame, double *restrict J)
{
    frame_jacobian(0, q, frame, J);
}

/* Pose of a frame in world; placed = [link, offset x y z, rotation row by row]. */
void four_bar_frame_pose(const double *restrict q, const double *restrict placed, double *restrict pose)
{
    frame_pose(0, q, placed, pose);
}

/* Velocity [linear; angular] of a frame at its origin, world axes; frame as above. */
void four_bar_frame_velocity(const double *restrict q, const double *restrict v, const double *restrict frame,
    double *restrict velocity)
{
    frame_velocity(0, q, v, frame, velocity);
}

/* Rate of that velocity; frame as above. */
void four_bar_frame_acceleration(const double *restrict q, const double *restrict v, const double *restrict a,
    const double *restrict frame, double *restrict acceleration)
{
    frame_acceleration(0, q, v, a, frame, acceleration);
}

/* Velocity [linear; angular] of a frame at its origin, world axes, and its rate; frame as above. */
void four_bar_frame_motion(const double *restrict q, const double *restrict v, const double *restrict a,
    const double *restrict frame, double *restrict motion)
{
    frame_motion(0, q, v, a, frame, motion);
}

void four_bar_cog_jacobian_batch(long n, const double *q, long q_stride, double *G)
{
    for (long i = 0; i < n; i++)
        four_bar_cog_jacobian(q + i*q_stride, G + i*54);
}

void four_bar_frame_jacobian_batch(long n, const double *q, long q_stride, const double *frame, long frame_stride,
    double *J)
{
    for (long i = 0; i < n; i++)
        four_bar_frame_jacobian(q + i*q_stride, frame + i*frame_stride, J + i*18);
}

void four_bar_frame_pose_batch(long n, const double *q, long q_stride, const double *placed, long placed_stride,
    double *pose)
{
    for (long i = 0; i < n; i++)
        four_bar_frame_pose(q + i*q_stride, placed + i*placed_stride, pose + i*16);
}

void four_bar_frame_velocity_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *frame, long frame_stride, double *velocity)
{
    for (long i = 0; i < n; i++)
        four_bar_frame_velocity(q + i*q_stride, v + i*v_stride, frame + i*frame_stride, velocity + i*6);
}

void four_bar_frame_acceleration_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *acceleration)
{
    for (long i = 0; i < n; i++)
        four_bar_frame_acceleration(q + i*q_stride, v + i*v_stride, a + i*a_stride, frame + i*frame_stride,
            acceleration + i*6);
}

void four_bar_frame_motion_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *motion)
{
    for (long i = 0; i < n; i++)
        four_bar_frame_motion(q + i*q_stride, v + i*v_stride, a + i*a_stride, frame + i*frame_stride, motion + i*12);
}
