/* floating_arm: poses, Jacobians, energy and momentum.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * R, p: pose in the parent or, where poses are asked for, in the world
 * w, wp: angular velocity; that of the parent in the link's axes
 * dw, dwp, dwq: rate of w; the parent's; with velocity products of the joint
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * u, up: velocity of the link's origin; as the parent carries it (articulated: u is the joint force left)
 * w2: 2 wp + velocity of the joint, for Coriolis
 * ww: products of entries of w
 * U: [dw]x + [w]x[w]x
 * f, fp, n: force and moment about the link's origin; p: in the parent's axes
 * m, s, S: mass, first moment and second moment of mass
 * sp, Sp, sq, RS: s, S in the parent's axes, s about its origin, R S
 * h: half of a turn, R S of R S R'; height along gravity
 * q2, qq, E: twice a quaternion's entries, their products, its rotation
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

#include "floating_arm_model.h"
#include "kinegen/frames/xyz.h"
#include "kinegen/linear/sincos.h"

/* What is defined and called here, as floating_arm.h declares it. */
void floating_arm_link_poses(const double *q, double *poses);
void floating_arm_cog_bias(const double *q, const double *v, double *dGv);
void floating_arm_com(const double *q, double *com);
void floating_arm_com_jacobian(const double *q, double *J_com);
void floating_arm_energy(const double *q, const double *v, double *energy);
void floating_arm_momentum(const double *q, const double *v, double *momentum);
void floating_arm_centroidal_momentum_matrix(const double *q, double *A_G);
void floating_arm_cog_jacobian(const double *q, double *G);
void floating_arm_frame_jacobian(const double *q, const double *frame, double *J);
void floating_arm_frame_pose(const double *q, const double *placed, double *pose);
void floating_arm_frame_velocity(const double *q, const double *v, const double *frame, double *velocity);
void floating_arm_frame_acceleration(const double *q, const double *v, const double *a, const double *frame,
    double *acceleration);
void floating_arm_frame_motion(const double *q, const double *v, const double *a, const double *frame,
    double *motion);
void floating_arm_link_poses_batch(long n, const double *q, long q_stride, double *poses);
void floating_arm_cog_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *dGv);
void floating_arm_com_batch(long n, const double *q, long q_stride, double *com);
void floating_arm_com_jacobian_batch(long n, const double *q, long q_stride, double *J_com);
void floating_arm_energy_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *energy);
void floating_arm_momentum_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *momentum);
void floating_arm_centroidal_momentum_matrix_batch(long n, const double *q, long q_stride, double *A_G);
void floating_arm_cog_jacobian_batch(long n, const double *q, long q_stride, double *G);
void floating_arm_frame_jacobian_batch(long n, const double *q, long q_stride, const double *frame,
    long frame_stride, double *J);
void floating_arm_frame_pose_batch(long n, const double *q, long q_stride, const double *placed, long placed_stride,
    double *pose);
void floating_arm_frame_velocity_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *frame, long frame_stride, double *velocity);
void floating_arm_frame_acceleration_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *acceleration);
void floating_arm_frame_motion_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *motion);

/* World poses of the link frames. 42 mul, 31 add, 2 sincos. */
void floating_arm_link_poses(const double *restrict q, double *restrict poses)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q + 7, s, c);
    kg_zeros(3, poses + 12); kg_zeros(3, poses + 28); kg_zeros(3, poses + 44);
    poses[15] = 1.0;
    poses[31] = 1.0;
    poses[47] = 1.0;
    poses[3] = q[0];
    poses[7] = q[1];
    poses[11] = q[2];

    /* base */
    const double q2_base = 2.0*q[3];
    const double q2_base_2 = 2.0*q[4];
    const double q2_base_3 = 2.0*q[5];
    const double qq_base = q[3]*q2_base;
    const double qq_base_2 = q[4]*q2_base_2;
    const double qq_base_3 = q[5]*q2_base_3;
    const double qq_base_4 = q[3]*q2_base_2;
    const double qq_base_5 = q[3]*q2_base_3;
    const double qq_base_6 = q[4]*q2_base_3;
    const double qq_base_7 = q[6]*q2_base;
    const double qq_base_8 = q[6]*q2_base_2;
    const double qq_base_9 = q[6]*q2_base_3;
    const double E_base_xx = 1.0 - qq_base_2 - qq_base_3;
    poses[0] = E_base_xx;
    const double E_base_xy = qq_base_4 - qq_base_9;
    poses[1] = E_base_xy;
    const double E_base_xz = qq_base_5 + qq_base_8;
    poses[2] = E_base_xz;
    const double E_base_yx = qq_base_4 + qq_base_9;
    poses[4] = E_base_yx;
    const double E_base_yy = 1.0 - qq_base - qq_base_3;
    poses[5] = E_base_yy;
    const double E_base_yz = qq_base_6 - qq_base_7;
    poses[6] = E_base_yz;
    const double E_base_zx = qq_base_5 - qq_base_8;
    poses[8] = E_base_zx;
    const double E_base_zy = qq_base_6 + qq_base_7;
    poses[9] = E_base_zy;
    const double E_base_zz = 1.0 - qq_base - qq_base_2;
    poses[10] = E_base_zz;

    /* hand */
    const double p_hand_y = 0.5 + q[9];

    /* arm_mid */
    const double R_arm_mid_xx = E_base_xx*c[0] + E_base_xy*s[0];
    const double neg_R_arm_mid_xy = E_base_xx*s[0] - E_base_xy*c[0];
    poses[17] = -neg_R_arm_mid_xy;
    poses[33] = -neg_R_arm_mid_xy;
    const double R_arm_mid_yx = E_base_yx*c[0] + E_base_yy*s[0];
    const double neg_R_arm_mid_yy = E_base_yx*s[0] - E_base_yy*c[0];
    poses[21] = -neg_R_arm_mid_yy;
    poses[37] = -neg_R_arm_mid_yy;
    const double R_arm_mid_zx = E_base_zx*c[0] + E_base_zy*s[0];
    const double neg_R_arm_mid_zy = E_base_zx*s[0] - E_base_zy*c[0];
    poses[25] = -neg_R_arm_mid_zy;
    poses[41] = -neg_R_arm_mid_zy;
    const double p_arm_mid_x = q[0] + 0.2*E_base_xx;
    poses[19] = p_arm_mid_x;
    const double p_arm_mid_y = q[1] + 0.2*E_base_yx;
    poses[23] = p_arm_mid_y;
    const double p_arm_mid_z = q[2] + 0.2*E_base_zx;
    poses[27] = p_arm_mid_z;

    /* arm */
    const double R_arm_xx = s[1]*R_arm_mid_xx + E_base_xz*c[1];
    poses[18] = R_arm_xx;
    poses[34] = R_arm_xx;
    const double neg_R_arm_xy = E_base_xz*s[1] - c[1]*R_arm_mid_xx;
    poses[16] = -neg_R_arm_xy;
    poses[32] = -neg_R_arm_xy;
    const double R_arm_yx = s[1]*R_arm_mid_yx + E_base_yz*c[1];
    poses[22] = R_arm_yx;
    poses[38] = R_arm_yx;
    const double neg_R_arm_yy = E_base_yz*s[1] - c[1]*R_arm_mid_yx;
    poses[20] = -neg_R_arm_yy;
    poses[36] = -neg_R_arm_yy;
    const double R_arm_zx = s[1]*R_arm_mid_zx + E_base_zz*c[1];
    poses[26] = R_arm_zx;
    poses[42] = R_arm_zx;
    const double neg_R_arm_zy = E_base_zz*s[1] - c[1]*R_arm_mid_zx;
    poses[24] = -neg_R_arm_zy;
    poses[40] = -neg_R_arm_zy;

    /* hand */
    const double neg_p_hand_x = p_hand_y*neg_R_arm_xy - p_arm_mid_x;
    poses[35] = -neg_p_hand_x;
    const double neg_p_hand_y = p_hand_y*neg_R_arm_yy - p_arm_mid_y;
    poses[39] = -neg_p_hand_y;
    const double neg_p_hand_z = p_hand_y*neg_R_arm_zy - p_arm_mid_z;
    poses[43] = -neg_p_hand_z;
}

void floating_arm_link_poses_batch(long n, const double *q, long q_stride, double *poses)
{
    for (long i = 0; i < n; i++)
        floating_arm_link_poses(q + i*q_stride, poses + i*48);
}

/* COG accelerations dG/dt v at zero joint acceleration. 121 mul, 79 add, 2 sincos. */
void floating_arm_cog_bias(const double *restrict q, const double *restrict v, double *restrict dGv)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q + 7, s, c);
    dGv[3] = 0.0;
    dGv[4] = 0.0;
    dGv[5] = 0.0;

    /* base */
    const double q2_base = 2.0*q[3];
    const double q2_base_2 = 2.0*q[4];
    const double q2_base_3 = 2.0*q[5];
    const double qq_base = q[3]*q2_base;
    const double qq_base_2 = q[4]*q2_base_2;
    const double qq_base_3 = q[5]*q2_base_3;
    const double qq_base_4 = q[3]*q2_base_2;
    const double qq_base_5 = q[3]*q2_base_3;
    const double qq_base_6 = q[4]*q2_base_3;
    const double qq_base_7 = q[6]*q2_base;
    const double qq_base_8 = q[6]*q2_base_2;
    const double qq_base_9 = q[6]*q2_base_3;
    const double E_base_xx = 1.0 - qq_base_2 - qq_base_3;
    const double E_base_xy = qq_base_4 - qq_base_9;
    const double E_base_xz = qq_base_5 + qq_base_8;
    const double E_base_yx = qq_base_4 + qq_base_9;
    const double E_base_yy = 1.0 - qq_base - qq_base_3;
    const double E_base_yz = qq_base_6 - qq_base_7;
    const double E_base_zx = qq_base_5 - qq_base_8;
    const double E_base_zy = qq_base_6 + qq_base_7;
    const double E_base_zz = 1.0 - qq_base - qq_base_2;

    /* hand */
    const double p_hand_y = 0.5 + q[9];

    /* arm_mid */
    const double R_arm_mid_xx = E_base_xx*c[0] + E_base_xy*s[0];
    const double neg_R_arm_mid_xy = E_base_xx*s[0] - E_base_xy*c[0];
    const double R_arm_mid_yx = E_base_yx*c[0] + E_base_yy*s[0];
    const double neg_R_arm_mid_yy = E_base_yx*s[0] - E_base_yy*c[0];
    const double R_arm_mid_zx = E_base_zx*c[0] + E_base_zy*s[0];
    const double neg_R_arm_mid_zy = E_base_zx*s[0] - E_base_zy*c[0];

    /* arm */
    const double R_arm_xx = s[1]*R_arm_mid_xx + E_base_xz*c[1];
    const double neg_R_arm_xy = E_base_xz*s[1] - c[1]*R_arm_mid_xx;
    const double R_arm_yx = s[1]*R_arm_mid_yx + E_base_yz*c[1];
    const double neg_R_arm_yy = E_base_yz*s[1] - c[1]*R_arm_mid_yx;
    const double R_arm_zx = s[1]*R_arm_mid_zx + E_base_zz*c[1];
    const double neg_R_arm_zy = E_base_zz*s[1] - c[1]*R_arm_mid_zx;

    /* base */
    const double neg_a_base_x = v[1]*v[5] - v[2]*v[4];
    const double a_base_y = v[0]*v[5] - v[2]*v[3];
    const double neg_a_base_z = v[0]*v[4] - v[1]*v[3];
    const double ww_base = v[4]*v[4];
    const double ww_base_2 = v[5]*v[5];
    const double ww_base_3 = v[3]*v[4];
    const double ww_base_4 = v[3]*v[5];
    const double neg_U_base_xx = ww_base + ww_base_2;

    /* arm_mid */
    const double wp_arm_mid_x = c[0]*v[3] + s[0]*v[4];
    const double neg_wp_arm_mid_y = s[0]*v[3] - c[0]*v[4];
    const double w_arm_mid_z = v[5] + v[6];
    const double neg_dw_arm_mid_x = v[6]*neg_wp_arm_mid_y;
    const double neg_dw_arm_mid_y = v[6]*wp_arm_mid_x;
    const double neg_ap_arm_mid_x = neg_a_base_x + 0.2*neg_U_base_xx;
    const double ap_arm_mid_y = a_base_y + 0.2*ww_base_3;
    const double neg_ap_arm_mid_z = neg_a_base_z - 0.2*ww_base_4;
    const double a_arm_mid_x = s[0]*ap_arm_mid_y - c[0]*neg_ap_arm_mid_x;
    const double a_arm_mid_y = s[0]*neg_ap_arm_mid_x + c[0]*ap_arm_mid_y;

    /* arm */
    const double wp_arm_x = s[1]*wp_arm_mid_x + c[1]*w_arm_mid_z;
    const double neg_wp_arm_y = s[1]*w_arm_mid_z - c[1]*wp_arm_mid_x;
    const double w_arm_z = v[7] - neg_wp_arm_mid_y;
    const double neg_dwp_arm_x = s[1]*neg_dw_arm_mid_x;
    const double neg_dwp_arm_y = c[1]*neg_dw_arm_mid_x;
    const double neg_dw_arm_x = neg_dwp_arm_x + v[7]*neg_wp_arm_y;
    const double neg_dw_arm_y = neg_dwp_arm_y + v[7]*wp_arm_x;
    const double w2_arm_x = 2.0*wp_arm_x;
    const double a_arm_x = s[1]*a_arm_mid_x - c[1]*neg_ap_arm_mid_z;
    const double a_arm_y = c[1]*a_arm_mid_x + s[1]*neg_ap_arm_mid_z;
    const double ww_arm = wp_arm_x*wp_arm_x;
    const double ww_arm_2 = w_arm_z*w_arm_z;
    const double neg_ww_arm = wp_arm_x*neg_wp_arm_y;
    const double neg_ww_arm_2 = neg_wp_arm_y*w_arm_z;
    const double U_arm_xy = neg_dw_arm_mid_y - neg_ww_arm;
    const double neg_U_arm_yy = ww_arm + ww_arm_2;
    const double neg_U_arm_zy = neg_ww_arm_2 + neg_dw_arm_x;

    /* hand */
    const double ap_hand_x = a_arm_x + p_hand_y*U_arm_xy;
    const double neg_ap_hand_y = p_hand_y*neg_U_arm_yy - a_arm_y;
    const double neg_ap_hand_z = p_hand_y*neg_U_arm_zy - a_arm_mid_y;
    const double w2_hand_x = 2.0*w_arm_z;
    const double a_hand_x = v[8]*w2_arm_x - neg_ap_hand_z;
    const double neg_a_hand_y = v[8]*w2_hand_x - ap_hand_x;
    const double aG_x = a_arm_x + 0.25*U_arm_xy;
    const double aG_y = a_arm_y - 0.25*neg_U_arm_yy;
    const double aG_z = a_arm_mid_y - 0.25*neg_U_arm_zy;
    const double neg_dGv_0 = E_base_xx*neg_a_base_x + E_base_xz*neg_a_base_z - E_base_xy*a_base_y;
    dGv[0] = -neg_dGv_0;
    const double neg_dGv_1 = E_base_yx*neg_a_base_x + E_base_yz*neg_a_base_z - E_base_yy*a_base_y;
    dGv[1] = -neg_dGv_1;
    const double neg_dGv_2 = E_base_zx*neg_a_base_x + E_base_zz*neg_a_base_z - E_base_zy*a_base_y;
    dGv[2] = -neg_dGv_2;
    const double neg_dGv_6 = neg_R_arm_xy*aG_y + neg_R_arm_mid_xy*aG_z - R_arm_xx*aG_x;
    dGv[6] = -neg_dGv_6;
    const double neg_dGv_7 = neg_R_arm_yy*aG_y + neg_R_arm_mid_yy*aG_z - R_arm_yx*aG_x;
    dGv[7] = -neg_dGv_7;
    const double neg_dGv_8 = neg_R_arm_zy*aG_y + neg_R_arm_mid_zy*aG_z - R_arm_zx*aG_x;
    dGv[8] = -neg_dGv_8;
    const double dGv_9 = neg_R_arm_xy*neg_dw_arm_y + neg_R_arm_mid_xy*neg_dw_arm_mid_y - R_arm_xx*neg_dw_arm_x;
    dGv[9] = dGv_9;
    dGv[15] = dGv_9;
    const double dGv_10 = neg_R_arm_yy*neg_dw_arm_y + neg_R_arm_mid_yy*neg_dw_arm_mid_y - R_arm_yx*neg_dw_arm_x;
    dGv[10] = dGv_10;
    dGv[16] = dGv_10;
    const double dGv_11 = neg_R_arm_zy*neg_dw_arm_y + neg_R_arm_mid_zy*neg_dw_arm_mid_y - R_arm_zx*neg_dw_arm_x;
    dGv[11] = dGv_11;
    dGv[17] = dGv_11;
    const double neg_dGv_12 = neg_R_arm_mid_xy*a_hand_x + R_arm_xx*neg_a_hand_y - neg_R_arm_xy*neg_ap_hand_y;
    dGv[12] = -neg_dGv_12;
    const double neg_dGv_13 = neg_R_arm_mid_yy*a_hand_x + R_arm_yx*neg_a_hand_y - neg_R_arm_yy*neg_ap_hand_y;
    dGv[13] = -neg_dGv_13;
    const double neg_dGv_14 = neg_R_arm_mid_zy*a_hand_x + R_arm_zx*neg_a_hand_y - neg_R_arm_zy*neg_ap_hand_y;
    dGv[14] = -neg_dGv_14;
}

void floating_arm_cog_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *dGv)
{
    for (long i = 0; i < n; i++)
        floating_arm_cog_bias(q + i*q_stride, v + i*v_stride, dGv + i*18);
}

/* Centre of mass. 41 mul, 24 add, 2 sincos. */
void floating_arm_com(const double *restrict q, double *restrict com)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q + 7, s, c);

    /* base */
    const double q2_base = 2.0*q[3];
    const double q2_base_2 = 2.0*q[4];
    const double q2_base_3 = 2.0*q[5];
    const double qq_base = q[3]*q2_base;
    const double qq_base_2 = q[4]*q2_base_2;
    const double qq_base_3 = q[5]*q2_base_3;
    const double qq_base_4 = q[3]*q2_base_2;
    const double qq_base_5 = q[3]*q2_base_3;
    const double qq_base_6 = q[4]*q2_base_3;
    const double qq_base_7 = q[6]*q2_base;
    const double qq_base_8 = q[6]*q2_base_2;
    const double qq_base_9 = q[6]*q2_base_3;
    const double E_base_xx = 1.0 - qq_base_2 - qq_base_3;
    const double E_base_xy = qq_base_4 - qq_base_9;
    const double E_base_xz = qq_base_5 + qq_base_8;
    const double E_base_yx = qq_base_4 + qq_base_9;
    const double E_base_yy = 1.0 - qq_base - qq_base_3;
    const double E_base_yz = qq_base_6 - qq_base_7;
    const double E_base_zx = qq_base_5 - qq_base_8;
    const double E_base_zy = qq_base_6 + qq_base_7;
    const double E_base_zz = 1.0 - qq_base - qq_base_2;

    /* hand */
    const double p_hand_y = 0.5 + q[9];
    const double st_arm_y = 0.25 + 0.25*p_hand_y;
    const double st_arm_mid_x = c[1]*st_arm_y;
    const double neg_st_arm_mid_z = s[1]*st_arm_y;
    const double st_base_x = 0.25 + c[0]*st_arm_mid_x;
    const double st_base_y = s[0]*st_arm_mid_x;
    const double st_x = 6.25*q[0];
    const double st_y = 6.25*q[1];
    const double st_z = 6.25*q[2];
    const double com_x = 0.16*st_x + 0.16*E_base_xx*st_base_x + 0.16*E_base_xy*st_base_y
        - 0.16*E_base_xz*neg_st_arm_mid_z;
    com[0] = com_x;
    const double com_y = 0.16*st_y + 0.16*E_base_yx*st_base_x + 0.16*E_base_yy*st_base_y
        - 0.16*E_base_yz*neg_st_arm_mid_z;
    com[1] = com_y;
    const double com_z = 0.16*st_z + 0.16*E_base_zx*st_base_x + 0.16*E_base_zy*st_base_y
        - 0.16*E_base_zz*neg_st_arm_mid_z;
    com[2] = com_z;
}

void floating_arm_com_batch(long n, const double *q, long q_stride, double *com)
{
    for (long i = 0; i < n; i++)
        floating_arm_com(q + i*q_stride, com + i*3);
}

/* Jacobian of the centre of mass. 73 mul, 36 add, 2 sincos. */
void floating_arm_com_jacobian(const double *restrict q, double *restrict J_com)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q + 7, s, c);

    /* base */
    const double q2_base = 2.0*q[3];
    const double q2_base_2 = 2.0*q[4];
    const double q2_base_3 = 2.0*q[5];
    const double qq_base = q[3]*q2_base;
    const double qq_base_2 = q[4]*q2_base_2;
    const double qq_base_3 = q[5]*q2_base_3;
    const double qq_base_4 = q[3]*q2_base_2;
    const double qq_base_5 = q[3]*q2_base_3;
    const double qq_base_6 = q[4]*q2_base_3;
    const double qq_base_7 = q[6]*q2_base;
    const double qq_base_8 = q[6]*q2_base_2;
    const double qq_base_9 = q[6]*q2_base_3;
    const double E_base_xx = 1.0 - qq_base_2 - qq_base_3;
    J_com[0] = E_base_xx;
    const double E_base_xy = qq_base_4 - qq_base_9;
    J_com[1] = E_base_xy;
    const double E_base_xz = qq_base_5 + qq_base_8;
    J_com[2] = E_base_xz;
    const double E_base_yx = qq_base_4 + qq_base_9;
    J_com[9] = E_base_yx;
    const double E_base_yy = 1.0 - qq_base - qq_base_3;
    J_com[10] = E_base_yy;
    const double E_base_yz = qq_base_6 - qq_base_7;
    J_com[11] = E_base_yz;
    const double E_base_zx = qq_base_5 - qq_base_8;
    J_com[18] = E_base_zx;
    const double E_base_zy = qq_base_6 + qq_base_7;
    J_com[19] = E_base_zy;
    const double E_base_zz = 1.0 - qq_base - qq_base_2;
    J_com[20] = E_base_zz;

    /* hand */
    const double p_hand_y = 0.5 + q[9];
    const double st_arm_y = 0.25 + 0.25*p_hand_y;
    const double st_arm_mid_x = c[1]*st_arm_y;
    const double neg_st_arm_mid_z = s[1]*st_arm_y;
    const double st_base_x = 0.25 + c[0]*st_arm_mid_x;
    const double st_base_y = s[0]*st_arm_mid_x;

    /* arm_mid */
    const double R_arm_mid_xx = E_base_xx*c[0] + E_base_xy*s[0];
    const double neg_R_arm_mid_xy = E_base_xx*s[0] - E_base_xy*c[0];
    const double R_arm_mid_yx = E_base_yx*c[0] + E_base_yy*s[0];
    const double neg_R_arm_mid_yy = E_base_yx*s[0] - E_base_yy*c[0];
    const double R_arm_mid_zx = E_base_zx*c[0] + E_base_zy*s[0];
    const double neg_R_arm_mid_zy = E_base_zx*s[0] - E_base_zy*c[0];

    /* arm */
    const double R_arm_xx = s[1]*R_arm_mid_xx + E_base_xz*c[1];
    const double neg_R_arm_xy = E_base_xz*s[1] - c[1]*R_arm_mid_xx;
    const double R_arm_yx = s[1]*R_arm_mid_yx + E_base_yz*c[1];
    const double neg_R_arm_yy = E_base_yz*s[1] - c[1]*R_arm_mid_yx;
    const double R_arm_zx = s[1]*R_arm_mid_zx + E_base_zz*c[1];
    const double neg_R_arm_zy = E_base_zz*s[1] - c[1]*R_arm_mid_zx;

    /* base */
    const double J_base_y = 0.16*neg_st_arm_mid_z;
    const double J_base_z = 0.16*st_base_y;
    const double neg_J_base_z = 0.16*st_base_x;

    /* arm_mid */
    const double J_arm_mid_y = 0.16*st_arm_mid_x;

    /* arm */
    const double neg_J_arm_x = 0.16*st_arm_y;

    /* hand */
    const double J_com_3 = E_base_xy*J_base_y + E_base_xz*J_base_z;
    J_com[3] = J_com_3;
    const double neg_J_com_4 = E_base_xx*J_base_y + E_base_xz*neg_J_base_z;
    J_com[4] = -neg_J_com_4;
    const double neg_J_com_5 = E_base_xx*J_base_z - E_base_xy*neg_J_base_z;
    J_com[5] = -neg_J_com_5;
    const double neg_J_com_6 = neg_R_arm_mid_xy*J_arm_mid_y;
    J_com[6] = -neg_J_com_6;
    const double neg_J_com_7 = R_arm_xx*neg_J_arm_x;
    J_com[7] = -neg_J_com_7;
    const double neg_J_com_8 = 0.04*neg_R_arm_xy;
    J_com[8] = -neg_J_com_8;
    const double J_com_12 = E_base_yy*J_base_y + E_base_yz*J_base_z;
    J_com[12] = J_com_12;
    const double neg_J_com_13 = E_base_yx*J_base_y + E_base_yz*neg_J_base_z;
    J_com[13] = -neg_J_com_13;
    const double neg_J_com_14 = E_base_yx*J_base_z - E_base_yy*neg_J_base_z;
    J_com[14] = -neg_J_com_14;
    const double neg_J_com_15 = neg_R_arm_mid_yy*J_arm_mid_y;
    J_com[15] = -neg_J_com_15;
    const double neg_J_com_16 = R_arm_yx*neg_J_arm_x;
    J_com[16] = -neg_J_com_16;
    const double neg_J_com_17 = 0.04*neg_R_arm_yy;
    J_com[17] = -neg_J_com_17;
    const double J_com_21 = E_base_zy*J_base_y + E_base_zz*J_base_z;
    J_com[21] = J_com_21;
    const double neg_J_com_22 = E_base_zx*J_base_y + E_base_zz*neg_J_base_z;
    J_com[22] = -neg_J_com_22;
    const double neg_J_com_23 = E_base_zx*J_base_z - E_base_zy*neg_J_base_z;
    J_com[23] = -neg_J_com_23;
    const double neg_J_com_24 = neg_R_arm_mid_zy*J_arm_mid_y;
    J_com[24] = -neg_J_com_24;
    const double neg_J_com_25 = R_arm_zx*neg_J_arm_x;
    J_com[25] = -neg_J_com_25;
    const double neg_J_com_26 = 0.04*neg_R_arm_zy;
    J_com[26] = -neg_J_com_26;
}

void floating_arm_com_jacobian_batch(long n, const double *q, long q_stride, double *J_com)
{
    for (long i = 0; i < n; i++)
        floating_arm_com_jacobian(q + i*q_stride, J_com + i*27);
}

/* Kinetic and potential energy. 71 mul, 45 add, 2 sincos. */
void floating_arm_energy(const double *restrict q, const double *restrict v, double *restrict energy)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q + 7, s, c);

    /* base */
    const double q2_base = 2.0*q[3];
    const double q2_base_2 = 2.0*q[4];
    const double q2_base_3 = 2.0*q[5];
    const double qq_base = q[3]*q2_base;
    const double qq_base_2 = q[4]*q2_base_2;
    const double qq_base_3 = q[3]*q2_base_3;
    const double qq_base_4 = q[4]*q2_base_3;
    const double qq_base_5 = q[6]*q2_base;
    const double qq_base_6 = q[6]*q2_base_2;
    const double E_base_zx = qq_base_3 - qq_base_6;
    const double E_base_zy = qq_base_4 + qq_base_5;
    const double E_base_zz = 1.0 - qq_base - qq_base_2;

    /* hand */
    const double p_hand_y = 0.5 + q[9];

    /* arm_mid */
    const double R_arm_mid_zx = E_base_zx*c[0] + E_base_zy*s[0];
    const double p_arm_mid_z = q[2] + 0.2*E_base_zx;

    /* arm */
    const double neg_R_arm_zy = E_base_zz*s[1] - c[1]*R_arm_mid_zx;

    /* hand */
    const double neg_p_hand_z = p_hand_y*neg_R_arm_zy - p_arm_mid_z;
    const double up_arm_mid_y = v[1] + 0.2*v[5];
    const double up_arm_mid_z = v[2] - 0.2*v[4];
    const double wp_arm_mid_x = c[0]*v[3] + s[0]*v[4];
    const double neg_wp_arm_mid_y = s[0]*v[3] - c[0]*v[4];
    const double uq_arm_mid_x = c[0]*v[0] + s[0]*up_arm_mid_y;
    const double neg_uq_arm_mid_y = s[0]*v[0] - c[0]*up_arm_mid_y;
    const double w_arm_mid_z = v[5] + v[6];
    const double wp_arm_x = s[1]*wp_arm_mid_x + c[1]*w_arm_mid_z;
    const double neg_wp_arm_y = s[1]*w_arm_mid_z - c[1]*wp_arm_mid_x;
    const double uq_arm_x = s[1]*uq_arm_mid_x + c[1]*up_arm_mid_z;
    const double neg_uq_arm_y = s[1]*up_arm_mid_z - c[1]*uq_arm_mid_x;
    const double w_arm_z = v[7] - neg_wp_arm_mid_y;
    const double neg_up_hand_x = p_hand_y*w_arm_z - uq_arm_x;
    const double up_hand_z = p_hand_y*wp_arm_x - neg_uq_arm_mid_y;
    const double u_hand_z = v[8] - neg_uq_arm_y;
    const double Iw_base_x = 0.05416666666666667*v[3];
    const double Iw_base_y = 0.08333333333333336*v[4];
    const double Iw_base_z = 0.10416666666666667*v[5];
    const double vv = v[0]*v[0] + v[1]*v[1] + v[2]*v[2];
    const double neg_h = 9.81*q[2];
    const double T = 5.0*vv + v[3]*Iw_base_x + v[4]*Iw_base_y + v[5]*Iw_base_z;
    const double V = 5.0*neg_h;
    const double vG_arm_x = uq_arm_x - 0.25*w_arm_z;
    const double neg_vG_arm_z = neg_uq_arm_mid_y - 0.25*wp_arm_x;
    const double Iw_arm_x = 0.020833333333333332*wp_arm_x;
    const double Iw_arm_z = 0.020833333333333332*w_arm_z;
    const double vv_2 = vG_arm_x*vG_arm_x + neg_uq_arm_y*neg_uq_arm_y + neg_vG_arm_z*neg_vG_arm_z;
    const double pG_arm_z = p_arm_mid_z - 0.25*neg_R_arm_zy;
    const double neg_h_2 = 9.81*pG_arm_z;
    const double T_2 = T + vv_2 + wp_arm_x*Iw_arm_x + w_arm_z*Iw_arm_z;
    const double V_2 = V + neg_h_2;
    const double Iw_hand_x = 0.00025000000000000006*w_arm_z;
    const double Iw_hand_y = 0.00025000000000000006*wp_arm_x;
    const double neg_Iw_hand_z = 0.00025000000000000006*neg_wp_arm_y;
    const double vv_3 = up_hand_z*up_hand_z + neg_up_hand_x*neg_up_hand_x + u_hand_z*u_hand_z;
    const double h = 9.81*neg_p_hand_z;
    const double T_3 = T_2 + 0.25*vv_3 + w_arm_z*Iw_hand_x + wp_arm_x*Iw_hand_y + neg_wp_arm_y*neg_Iw_hand_z;
    const double V_3 = V_2 - 0.25*h;
    energy[1] = V_3;
    const double energy_0 = 0.5*T_3;
    energy[0] = energy_0;
}

void floating_arm_energy_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *energy)
{
    for (long i = 0; i < n; i++)
        floating_arm_energy(q + i*q_stride, v + i*v_stride, energy + i*2);
}

/* Linear momentum, angular momentum about the centre of mass. 106 mul, 76 add, 2 sincos. */
void floating_arm_momentum(const double *restrict q, const double *restrict v, double *restrict momentum)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q + 7, s, c);

    /* base */
    const double q2_base = 2.0*q[3];
    const double q2_base_2 = 2.0*q[4];
    const double q2_base_3 = 2.0*q[5];
    const double qq_base = q[3]*q2_base;
    const double qq_base_2 = q[4]*q2_base_2;
    const double qq_base_3 = q[5]*q2_base_3;
    const double qq_base_4 = q[3]*q2_base_2;
    const double qq_base_5 = q[3]*q2_base_3;
    const double qq_base_6 = q[4]*q2_base_3;
    const double qq_base_7 = q[6]*q2_base;
    const double qq_base_8 = q[6]*q2_base_2;
    const double qq_base_9 = q[6]*q2_base_3;
    const double E_base_xx = 1.0 - qq_base_2 - qq_base_3;
    const double E_base_xy = qq_base_4 - qq_base_9;
    const double E_base_xz = qq_base_5 + qq_base_8;
    const double E_base_yx = qq_base_4 + qq_base_9;
    const double E_base_yy = 1.0 - qq_base - qq_base_3;
    const double E_base_yz = qq_base_6 - qq_base_7;
    const double E_base_zx = qq_base_5 - qq_base_8;
    const double E_base_zy = qq_base_6 + qq_base_7;
    const double E_base_zz = 1.0 - qq_base - qq_base_2;

    /* hand */
    const double p_hand_y = 0.5 + q[9];
    const double up_arm_mid_y = v[1] + 0.2*v[5];
    const double up_arm_mid_z = v[2] - 0.2*v[4];
    const double wp_arm_mid_x = c[0]*v[3] + s[0]*v[4];
    const double neg_wp_arm_mid_y = s[0]*v[3] - c[0]*v[4];
    const double uq_arm_mid_x = c[0]*v[0] + s[0]*up_arm_mid_y;
    const double neg_uq_arm_mid_y = s[0]*v[0] - c[0]*up_arm_mid_y;
    const double w_arm_mid_z = v[5] + v[6];
    const double wp_arm_x = s[1]*wp_arm_mid_x + c[1]*w_arm_mid_z;
    const double neg_wp_arm_y = s[1]*w_arm_mid_z - c[1]*wp_arm_mid_x;
    const double uq_arm_x = s[1]*uq_arm_mid_x + c[1]*up_arm_mid_z;
    const double neg_uq_arm_y = s[1]*up_arm_mid_z - c[1]*uq_arm_mid_x;
    const double w_arm_z = v[7] - neg_wp_arm_mid_y;
    const double neg_up_hand_x = p_hand_y*w_arm_z - uq_arm_x;
    const double up_hand_z = p_hand_y*wp_arm_x - neg_uq_arm_mid_y;
    const double u_hand_z = v[8] - neg_uq_arm_y;
    const double P_base_x = 6.0*v[0];
    const double P_base_y = 6.0*v[1] + 0.2*v[5];
    const double P_base_z = 6.0*v[2] - 0.2*v[4];
    const double L_base_x = 0.05416666666666664*v[3];
    const double neg_L_base_y = 0.2*v[2] - 0.12333333333333334*v[4];
    const double L_base_z = 0.14416666666666667*v[5] + 0.2*v[1];
    const double L_arm_mid_x = 0.00012500000000000006*wp_arm_mid_x;
    const double L_arm_mid_z = 0.00012500000000000006*w_arm_mid_z;
    const double neg_P_arm_x = 0.25*w_arm_z;
    const double P_arm_z = 0.25*wp_arm_x;
    const double neg_L_arm_x = 0.25*neg_uq_arm_mid_y - 0.08345833333333333*wp_arm_x;
    const double neg_L_arm_y = 0.0001250000000000001*neg_wp_arm_y;
    const double neg_L_arm_z = 0.25*uq_arm_x - 0.08358333333333333*w_arm_z;
    const double P_hand_x = 0.25*up_hand_z;
    const double neg_P_hand_y = 0.25*neg_up_hand_x;
    const double P_hand_z = 0.25*u_hand_z;
    const double neg_P_arm_x_2 = neg_P_arm_x + neg_P_hand_y;
    const double P_arm_z_2 = P_arm_z + P_hand_x;
    const double L_arm_x = p_hand_y*P_hand_x - neg_L_arm_x;
    const double L_arm_z = p_hand_y*neg_P_hand_y - neg_L_arm_z;
    const double neg_Pp_arm_x = s[1]*neg_P_arm_x_2 - c[1]*P_hand_z;
    const double neg_Pp_arm_z = c[1]*neg_P_arm_x_2 + s[1]*P_hand_z;
    const double L_arm_mid_x_2 = L_arm_mid_x + s[1]*L_arm_x - c[1]*neg_L_arm_y;
    const double L_arm_mid_z_2 = L_arm_mid_z + c[1]*L_arm_x + s[1]*neg_L_arm_y;
    const double neg_Pp_arm_mid_x = c[0]*neg_Pp_arm_x + s[0]*P_arm_z_2;
    const double neg_Pp_arm_mid_y = s[0]*neg_Pp_arm_x - c[0]*P_arm_z_2;
    const double P_base_x_2 = P_base_x - neg_Pp_arm_mid_x;
    const double P_base_y_2 = P_base_y - neg_Pp_arm_mid_y;
    const double P_base_z_2 = P_base_z - neg_Pp_arm_z;
    const double neg_L_base_x = s[0]*L_arm_z - L_base_x - c[0]*L_arm_mid_x_2;
    const double L_base_y = s[0]*L_arm_mid_x_2 + c[0]*L_arm_z + 0.2*neg_Pp_arm_z - neg_L_base_y;
    const double L_base_z_2 = L_base_z + L_arm_mid_z_2 - 0.2*neg_Pp_arm_mid_y;
    const double st_arm_y = 0.25 + 0.25*p_hand_y;
    const double st_arm_mid_x = c[1]*st_arm_y;
    const double neg_st_arm_mid_z = s[1]*st_arm_y;
    const double st_base_x = 0.25 + c[0]*st_arm_mid_x;
    const double st_base_y = s[0]*st_arm_mid_x;
    const double com_x = 0.16*st_base_x;
    const double com_y = 0.16*st_base_y;
    const double neg_com_z = 0.16*neg_st_arm_mid_z;
    const double neg_L_x = neg_L_base_x + P_base_z_2*com_y + P_base_y_2*neg_com_z;
    const double L_y = L_base_y + P_base_x_2*neg_com_z + P_base_z_2*com_x;
    const double L_z = L_base_z_2 + P_base_x_2*com_y - P_base_y_2*com_x;
    const double momentum_0 = E_base_xx*P_base_x_2 + E_base_xy*P_base_y_2 + E_base_xz*P_base_z_2;
    momentum[0] = momentum_0;
    const double momentum_1 = E_base_yx*P_base_x_2 + E_base_yy*P_base_y_2 + E_base_yz*P_base_z_2;
    momentum[1] = momentum_1;
    const double momentum_2 = E_base_zx*P_base_x_2 + E_base_zy*P_base_y_2 + E_base_zz*P_base_z_2;
    momentum[2] = momentum_2;
    const double neg_momentum_3 = E_base_xx*neg_L_x - E_base_xy*L_y - E_base_xz*L_z;
    momentum[3] = -neg_momentum_3;
    const double neg_momentum_4 = E_base_yx*neg_L_x - E_base_yy*L_y - E_base_yz*L_z;
    momentum[4] = -neg_momentum_4;
    const double neg_momentum_5 = E_base_zx*neg_L_x - E_base_zy*L_y - E_base_zz*L_z;
    momentum[5] = -neg_momentum_5;
}

void floating_arm_momentum_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *momentum)
{
    for (long i = 0; i < n; i++)
        floating_arm_momentum(q + i*q_stride, v + i*v_stride, momentum + i*6);
}

/* Centroidal momentum matrix. 191 mul, 117 add, 2 sincos. */
void floating_arm_centroidal_momentum_matrix(const double *restrict q, double *restrict A_G)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q + 7, s, c);

    /* base */
    const double q2_base = 2.0*q[3];
    const double q2_base_2 = 2.0*q[4];
    const double q2_base_3 = 2.0*q[5];
    const double qq_base = q[3]*q2_base;
    const double qq_base_2 = q[4]*q2_base_2;
    const double qq_base_3 = q[5]*q2_base_3;
    const double qq_base_4 = q[3]*q2_base_2;
    const double qq_base_5 = q[3]*q2_base_3;
    const double qq_base_6 = q[4]*q2_base_3;
    const double qq_base_7 = q[6]*q2_base;
    const double qq_base_8 = q[6]*q2_base_2;
    const double qq_base_9 = q[6]*q2_base_3;
    const double E_base_xx = 1.0 - qq_base_2 - qq_base_3;
    const double E_base_xy = qq_base_4 - qq_base_9;
    const double E_base_xz = qq_base_5 + qq_base_8;
    const double E_base_yx = qq_base_4 + qq_base_9;
    const double E_base_yy = 1.0 - qq_base - qq_base_3;
    const double E_base_yz = qq_base_6 - qq_base_7;
    const double E_base_zx = qq_base_5 - qq_base_8;
    const double E_base_zy = qq_base_6 + qq_base_7;
    const double E_base_zz = 1.0 - qq_base - qq_base_2;

    /* hand */
    const double p_hand_y = 0.5 + q[9];
    const double sq_hand_y = 0.25*p_hand_y;

    /* arm */
    const double s_arm_y = 0.25 + sq_hand_y;
    const double S_arm_yy = 0.08345833333333333 + p_hand_y*sq_hand_y;
    const double sp_arm_x = c[1]*s_arm_y;
    const double neg_sp_arm_z = s[1]*s_arm_y;
    const double h_Sp_arm = 0.00012500000000000006*c[1];
    const double neg_h_Sp_arm = s[1]*S_arm_yy;
    const double Sp_arm_xx = c[1]*h_Sp_arm + s[1]*neg_h_Sp_arm;
    const double Sp_arm_xy = s[1]*h_Sp_arm - c[1]*neg_h_Sp_arm;
    const double Sp_arm_yy = 0.00012500000000000006 + S_arm_yy - Sp_arm_xx;

    /* arm_mid */
    const double sp_arm_mid_x = c[0]*sp_arm_x;
    const double sp_arm_mid_y = s[0]*sp_arm_x;
    const double h_Sp_arm_mid = c[0]*Sp_arm_yy;
    const double neg_h_Sp_arm_mid = 0.00012500000000000006*s[0];
    const double Sp_arm_mid_xx = c[0]*h_Sp_arm_mid + s[0]*neg_h_Sp_arm_mid;
    const double Sp_arm_mid_xy = s[0]*h_Sp_arm_mid - c[0]*neg_h_Sp_arm_mid;
    const double Sp_arm_mid_yy = Sp_arm_yy + 0.00012500000000000006 - Sp_arm_mid_xx;
    const double Sp_arm_mid_xz = c[0]*Sp_arm_xy;
    const double Sp_arm_mid_yz = s[0]*Sp_arm_xy;
    const double sq_arm_mid_x = sp_arm_mid_x + 0.05;

    /* base */
    const double s_base_x = 0.2 + sq_arm_mid_x;
    const double S_base_xx = 0.10666666666666669 + Sp_arm_mid_xx + 0.2*sp_arm_mid_x + 0.2*sq_arm_mid_x;
    const double S_base_xy = Sp_arm_mid_xy + 0.2*sp_arm_mid_y;
    const double neg_S_base_xz = 0.2*neg_sp_arm_z - Sp_arm_mid_xz;
    const double S_base_yy = 0.03749999999999999 + Sp_arm_mid_yy;
    const double S_base_zz = 0.016666666666666677 + Sp_arm_xx;
    const double com_x = 0.16*s_base_x;
    const double com_y = 0.16*sp_arm_mid_y;
    const double neg_com_z = 0.16*neg_sp_arm_z;
    const double neg_rp_arm_mid_x = 0.2 - com_x;
    const double rC_arm_mid_x = s[0]*com_y - c[0]*neg_rp_arm_mid_x;
    const double rC_arm_mid_y = s[0]*neg_rp_arm_mid_x + c[0]*com_y;
    const double rC_arm_x = s[1]*rC_arm_mid_x - c[1]*neg_com_z;
    const double rC_arm_y = c[1]*rC_arm_mid_x + s[1]*neg_com_z;

    /* arm_mid */
    const double R_arm_mid_xx = E_base_xx*c[0] + E_base_xy*s[0];
    const double neg_R_arm_mid_xy = E_base_xx*s[0] - E_base_xy*c[0];
    const double R_arm_mid_yx = E_base_yx*c[0] + E_base_yy*s[0];
    const double neg_R_arm_mid_yy = E_base_yx*s[0] - E_base_yy*c[0];
    const double R_arm_mid_zx = E_base_zx*c[0] + E_base_zy*s[0];
    const double neg_R_arm_mid_zy = E_base_zx*s[0] - E_base_zy*c[0];

    /* arm */
    const double R_arm_xx = s[1]*R_arm_mid_xx + E_base_xz*c[1];
    const double neg_R_arm_xy = E_base_xz*s[1] - c[1]*R_arm_mid_xx;
    const double R_arm_yx = s[1]*R_arm_mid_yx + E_base_yz*c[1];
    const double neg_R_arm_yy = E_base_yz*s[1] - c[1]*R_arm_mid_yx;
    const double R_arm_zx = s[1]*R_arm_mid_zx + E_base_zz*c[1];
    const double neg_R_arm_zy = E_base_zz*s[1] - c[1]*R_arm_mid_zx;

    /* base */
    const double neg_n_base_y = neg_sp_arm_z - 6.25*neg_com_z;
    const double neg_n_base_z = sp_arm_mid_y - 6.25*com_y;
    const double n_base_z = s_base_x - 6.25*com_x;
    const double neg_n_base_x = sp_arm_mid_y*com_y + neg_sp_arm_z*neg_com_z - S_base_yy - S_base_zz;
    const double n_base_y = sp_arm_mid_y*com_x - S_base_xy;
    const double neg_n_base_z_2 = neg_sp_arm_z*com_x - neg_S_base_xz;
    const double n_base_x = s_base_x*com_y - S_base_xy;
    const double neg_n_base_y_2 = neg_sp_arm_z*neg_com_z + s_base_x*com_x - S_base_xx - S_base_zz;
    const double neg_n_base_z_3 = Sp_arm_mid_yz + neg_sp_arm_z*com_y;
    const double neg_n_base_x_2 = s_base_x*neg_com_z - neg_S_base_xz;
    const double neg_n_base_y_3 = Sp_arm_mid_yz + sp_arm_mid_y*neg_com_z;
    const double neg_n_base_z_4 = s_base_x*com_x + sp_arm_mid_y*com_y - S_base_xx - S_base_yy;

    /* arm_mid */
    const double neg_n_arm_mid_x = Sp_arm_xy + sp_arm_x*neg_com_z;
    const double n_arm_mid_z = Sp_arm_yy + 0.00012500000000000006 - sp_arm_x*rC_arm_mid_x;

    /* arm */
    const double n_arm_y = s_arm_y*rC_arm_mid_y;
    const double n_arm_z = 0.00012500000000000006 + S_arm_yy - s_arm_y*rC_arm_y;

    /* hand */
    const double neg_n_hand_x = 0.25*rC_arm_x;
    const double n_hand_y = 0.25*rC_arm_mid_y;
    const double A_G_0 = 6.25*E_base_xx;
    A_G[0] = A_G_0;
    const double A_G_1 = 6.25*E_base_xy;
    A_G[1] = A_G_1;
    const double A_G_2 = 6.25*E_base_xz;
    A_G[2] = A_G_2;
    const double A_G_3 = E_base_xy*neg_sp_arm_z + E_base_xz*sp_arm_mid_y;
    A_G[3] = A_G_3;
    const double neg_A_G_4 = E_base_xx*neg_sp_arm_z + E_base_xz*s_base_x;
    A_G[4] = -neg_A_G_4;
    const double neg_A_G_5 = E_base_xx*sp_arm_mid_y - E_base_xy*s_base_x;
    A_G[5] = -neg_A_G_5;
    const double neg_A_G_6 = sp_arm_x*neg_R_arm_mid_xy;
    A_G[6] = -neg_A_G_6;
    const double neg_A_G_7 = s_arm_y*R_arm_xx;
    A_G[7] = -neg_A_G_7;
    const double neg_A_G_8 = 0.25*neg_R_arm_xy;
    A_G[8] = -neg_A_G_8;
    const double A_G_9 = 6.25*E_base_yx;
    A_G[9] = A_G_9;
    const double A_G_10 = 6.25*E_base_yy;
    A_G[10] = A_G_10;
    const double A_G_11 = 6.25*E_base_yz;
    A_G[11] = A_G_11;
    const double A_G_12 = E_base_yy*neg_sp_arm_z + E_base_yz*sp_arm_mid_y;
    A_G[12] = A_G_12;
    const double neg_A_G_13 = E_base_yx*neg_sp_arm_z + E_base_yz*s_base_x;
    A_G[13] = -neg_A_G_13;
    const double neg_A_G_14 = E_base_yx*sp_arm_mid_y - E_base_yy*s_base_x;
    A_G[14] = -neg_A_G_14;
    const double neg_A_G_15 = sp_arm_x*neg_R_arm_mid_yy;
    A_G[15] = -neg_A_G_15;
    const double neg_A_G_16 = s_arm_y*R_arm_yx;
    A_G[16] = -neg_A_G_16;
    const double neg_A_G_17 = 0.25*neg_R_arm_yy;
    A_G[17] = -neg_A_G_17;
    const double A_G_18 = 6.25*E_base_zx;
    A_G[18] = A_G_18;
    const double A_G_19 = 6.25*E_base_zy;
    A_G[19] = A_G_19;
    const double A_G_20 = 6.25*E_base_zz;
    A_G[20] = A_G_20;
    const double A_G_21 = E_base_zy*neg_sp_arm_z + E_base_zz*sp_arm_mid_y;
    A_G[21] = A_G_21;
    const double neg_A_G_22 = E_base_zx*neg_sp_arm_z + E_base_zz*s_base_x;
    A_G[22] = -neg_A_G_22;
    const double neg_A_G_23 = E_base_zx*sp_arm_mid_y - E_base_zy*s_base_x;
    A_G[23] = -neg_A_G_23;
    const double neg_A_G_24 = sp_arm_x*neg_R_arm_mid_zy;
    A_G[24] = -neg_A_G_24;
    const double neg_A_G_25 = s_arm_y*R_arm_zx;
    A_G[25] = -neg_A_G_25;
    const double neg_A_G_26 = 0.25*neg_R_arm_zy;
    A_G[26] = -neg_A_G_26;
    const double neg_A_G_27 = E_base_xy*neg_n_base_y + E_base_xz*neg_n_base_z;
    A_G[27] = -neg_A_G_27;
    const double A_G_28 = E_base_xx*neg_n_base_y + E_base_xz*n_base_z;
    A_G[28] = A_G_28;
    const double A_G_29 = E_base_xx*neg_n_base_z - E_base_xy*n_base_z;
    A_G[29] = A_G_29;
    const double neg_A_G_30 = E_base_xx*neg_n_base_x + E_base_xz*neg_n_base_z_2 - E_base_xy*n_base_y;
    A_G[30] = -neg_A_G_30;
    const double A_G_31 = E_base_xx*n_base_x - E_base_xy*neg_n_base_y_2 - E_base_xz*neg_n_base_z_3;
    A_G[31] = A_G_31;
    const double neg_A_G_32 = E_base_xx*neg_n_base_x_2 + E_base_xy*neg_n_base_y_3 + E_base_xz*neg_n_base_z_4;
    A_G[32] = -neg_A_G_32;
    const double A_G_33 = E_base_xz*n_arm_mid_z - R_arm_mid_xx*neg_n_arm_mid_x;
    A_G[33] = A_G_33;
    const double neg_A_G_34 = neg_R_arm_xy*n_arm_y + neg_R_arm_mid_xy*n_arm_z;
    A_G[34] = -neg_A_G_34;
    const double A_G_35 = neg_R_arm_mid_xy*neg_n_hand_x + R_arm_xx*n_hand_y;
    A_G[35] = A_G_35;
    const double neg_A_G_36 = E_base_yy*neg_n_base_y + E_base_yz*neg_n_base_z;
    A_G[36] = -neg_A_G_36;
    const double A_G_37 = E_base_yx*neg_n_base_y + E_base_yz*n_base_z;
    A_G[37] = A_G_37;
    const double A_G_38 = E_base_yx*neg_n_base_z - E_base_yy*n_base_z;
    A_G[38] = A_G_38;
    const double neg_A_G_39 = E_base_yx*neg_n_base_x + E_base_yz*neg_n_base_z_2 - E_base_yy*n_base_y;
    A_G[39] = -neg_A_G_39;
    const double A_G_40 = E_base_yx*n_base_x - E_base_yy*neg_n_base_y_2 - E_base_yz*neg_n_base_z_3;
    A_G[40] = A_G_40;
    const double neg_A_G_41 = E_base_yx*neg_n_base_x_2 + E_base_yy*neg_n_base_y_3 + E_base_yz*neg_n_base_z_4;
    A_G[41] = -neg_A_G_41;
    const double A_G_42 = E_base_yz*n_arm_mid_z - R_arm_mid_yx*neg_n_arm_mid_x;
    A_G[42] = A_G_42;
    const double neg_A_G_43 = neg_R_arm_yy*n_arm_y + neg_R_arm_mid_yy*n_arm_z;
    A_G[43] = -neg_A_G_43;
    const double A_G_44 = neg_R_arm_mid_yy*neg_n_hand_x + R_arm_yx*n_hand_y;
    A_G[44] = A_G_44;
    const double neg_A_G_45 = E_base_zy*neg_n_base_y + E_base_zz*neg_n_base_z;
    A_G[45] = -neg_A_G_45;
    const double A_G_46 = E_base_zx*neg_n_base_y + E_base_zz*n_base_z;
    A_G[46] = A_G_46;
    const double A_G_47 = E_base_zx*neg_n_base_z - E_base_zy*n_base_z;
    A_G[47] = A_G_47;
    const double neg_A_G_48 = E_base_zx*neg_n_base_x + E_base_zz*neg_n_base_z_2 - E_base_zy*n_base_y;
    A_G[48] = -neg_A_G_48;
    const double A_G_49 = E_base_zx*n_base_x - E_base_zy*neg_n_base_y_2 - E_base_zz*neg_n_base_z_3;
    A_G[49] = A_G_49;
    const double neg_A_G_50 = E_base_zx*neg_n_base_x_2 + E_base_zy*neg_n_base_y_3 + E_base_zz*neg_n_base_z_4;
    A_G[50] = -neg_A_G_50;
    const double A_G_51 = E_base_zz*n_arm_mid_z - R_arm_mid_zx*neg_n_arm_mid_x;
    A_G[51] = A_G_51;
    const double neg_A_G_52 = neg_R_arm_zy*n_arm_y + neg_R_arm_mid_zy*n_arm_z;
    A_G[52] = -neg_A_G_52;
    const double A_G_53 = neg_R_arm_mid_zy*neg_n_hand_x + R_arm_zx*n_hand_y;
    A_G[53] = A_G_53;
}

void floating_arm_centroidal_momentum_matrix_batch(long n, const double *q, long q_stride, double *A_G)
{
    for (long i = 0; i < n; i++)
        floating_arm_centroidal_momentum_matrix(q + i*q_stride, A_G + i*54);
}

/* Motion axes [z; l; p] and centres of mass, world axes. 39 mul, 31 add, 2 sincos. */
static void floating_arm_motion_columns(const double *restrict q, double *restrict axes, double *restrict centers)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q + 7, s, c);
    kg_zeros(3, axes); kg_zeros(3, axes + 9); kg_zeros(3, axes + 18); kg_zeros(3, axes + 30);
    kg_zeros(3, axes + 39); kg_zeros(3, axes + 48); kg_zeros(3, axes + 57); kg_zeros(3, axes + 66);
    kg_zeros(3, axes + 72);
    axes[6] = q[0];
    axes[15] = q[0];
    axes[24] = q[0];
    axes[33] = q[0];
    axes[42] = q[0];
    axes[51] = q[0];
    centers[0] = q[0];
    axes[7] = q[1];
    axes[16] = q[1];
    axes[25] = q[1];
    axes[34] = q[1];
    axes[43] = q[1];
    axes[52] = q[1];
    centers[1] = q[1];
    axes[8] = q[2];
    axes[17] = q[2];
    axes[26] = q[2];
    axes[35] = q[2];
    axes[44] = q[2];
    axes[53] = q[2];
    centers[2] = q[2];

    /* base */
    const double q2_base = 2.0*q[3];
    const double q2_base_2 = 2.0*q[4];
    const double q2_base_3 = 2.0*q[5];
    const double qq_base = q[3]*q2_base;
    const double qq_base_2 = q[4]*q2_base_2;
    const double qq_base_3 = q[5]*q2_base_3;
    const double qq_base_4 = q[3]*q2_base_2;
    const double qq_base_5 = q[3]*q2_base_3;
    const double qq_base_6 = q[4]*q2_base_3;
    const double qq_base_7 = q[6]*q2_base;
    const double qq_base_8 = q[6]*q2_base_2;
    const double qq_base_9 = q[6]*q2_base_3;
    const double E_base_xx = 1.0 - qq_base_2 - qq_base_3;
    axes[3] = E_base_xx;
    axes[27] = E_base_xx;
    const double E_base_xy = qq_base_4 - qq_base_9;
    axes[12] = E_base_xy;
    axes[36] = E_base_xy;
    const double E_base_xz = qq_base_5 + qq_base_8;
    axes[21] = E_base_xz;
    axes[45] = E_base_xz;
    axes[54] = E_base_xz;
    const double E_base_yx = qq_base_4 + qq_base_9;
    axes[4] = E_base_yx;
    axes[28] = E_base_yx;
    const double E_base_yy = 1.0 - qq_base - qq_base_3;
    axes[13] = E_base_yy;
    axes[37] = E_base_yy;
    const double E_base_yz = qq_base_6 - qq_base_7;
    axes[22] = E_base_yz;
    axes[46] = E_base_yz;
    axes[55] = E_base_yz;
    const double E_base_zx = qq_base_5 - qq_base_8;
    axes[5] = E_base_zx;
    axes[29] = E_base_zx;
    const double E_base_zy = qq_base_6 + qq_base_7;
    axes[14] = E_base_zy;
    axes[38] = E_base_zy;
    const double E_base_zz = 1.0 - qq_base - qq_base_2;
    axes[23] = E_base_zz;
    axes[47] = E_base_zz;
    axes[56] = E_base_zz;

    /* hand */
    const double p_hand_y = 0.5 + q[9];

    /* arm_mid */
    const double R_arm_mid_xx = E_base_xx*c[0] + E_base_xy*s[0];
    const double neg_R_arm_mid_xy = E_base_xx*s[0] - E_base_xy*c[0];
    axes[63] = -neg_R_arm_mid_xy;
    const double R_arm_mid_yx = E_base_yx*c[0] + E_base_yy*s[0];
    const double neg_R_arm_mid_yy = E_base_yx*s[0] - E_base_yy*c[0];
    axes[64] = -neg_R_arm_mid_yy;
    const double R_arm_mid_zx = E_base_zx*c[0] + E_base_zy*s[0];
    const double neg_R_arm_mid_zy = E_base_zx*s[0] - E_base_zy*c[0];
    axes[65] = -neg_R_arm_mid_zy;
    const double p_arm_mid_x = q[0] + 0.2*E_base_xx;
    axes[60] = p_arm_mid_x;
    axes[69] = p_arm_mid_x;
    const double p_arm_mid_y = q[1] + 0.2*E_base_yx;
    axes[61] = p_arm_mid_y;
    axes[70] = p_arm_mid_y;
    const double p_arm_mid_z = q[2] + 0.2*E_base_zx;
    axes[62] = p_arm_mid_z;
    axes[71] = p_arm_mid_z;

    /* arm */
    const double neg_R_arm_xy = E_base_xz*s[1] - c[1]*R_arm_mid_xx;
    axes[75] = -neg_R_arm_xy;
    const double neg_R_arm_yy = E_base_yz*s[1] - c[1]*R_arm_mid_yx;
    axes[76] = -neg_R_arm_yy;
    const double neg_R_arm_zy = E_base_zz*s[1] - c[1]*R_arm_mid_zx;
    axes[77] = -neg_R_arm_zy;

    /* hand */
    const double neg_p_hand_x = p_hand_y*neg_R_arm_xy - p_arm_mid_x;
    axes[78] = -neg_p_hand_x;
    centers[6] = -neg_p_hand_x;
    const double neg_p_hand_y = p_hand_y*neg_R_arm_yy - p_arm_mid_y;
    axes[79] = -neg_p_hand_y;
    centers[7] = -neg_p_hand_y;
    const double neg_p_hand_z = p_hand_y*neg_R_arm_zy - p_arm_mid_z;
    axes[80] = -neg_p_hand_z;
    centers[8] = -neg_p_hand_z;
    const double pG_arm_x = p_arm_mid_x - 0.25*neg_R_arm_xy;
    centers[3] = pG_arm_x;
    const double pG_arm_y = p_arm_mid_y - 0.25*neg_R_arm_yy;
    centers[4] = pG_arm_y;
    const double pG_arm_z = p_arm_mid_z - 0.25*neg_R_arm_zy;
    centers[5] = pG_arm_z;
}

/* Pose and motion axes of link 0. 48 mul, 39 add. */
static void floating_arm_step_0(const double *restrict s, const double *restrict c, const double *restrict q,
    const double *restrict above, double *restrict own, double *restrict axes)
{
    (void)s, (void)c, (void)q;

    /* base */
    const double q2_base = 2.0*q[3];
    const double q2_base_2 = 2.0*q[4];
    const double q2_base_3 = 2.0*q[5];
    const double qq_base = q[3]*q2_base;
    const double qq_base_2 = q[4]*q2_base_2;
    const double qq_base_3 = q[5]*q2_base_3;
    const double qq_base_4 = q[3]*q2_base_2;
    const double qq_base_5 = q[3]*q2_base_3;
    const double qq_base_6 = q[4]*q2_base_3;
    const double qq_base_7 = q[6]*q2_base;
    const double qq_base_8 = q[6]*q2_base_2;
    const double qq_base_9 = q[6]*q2_base_3;
    const double E_base_xx = 1.0 - qq_base_2 - qq_base_3;
    const double E_base_xy = qq_base_4 - qq_base_9;
    const double E_base_xz = qq_base_5 + qq_base_8;
    const double E_base_yx = qq_base_4 + qq_base_9;
    const double E_base_yy = 1.0 - qq_base - qq_base_3;
    const double E_base_yz = qq_base_6 - qq_base_7;
    const double E_base_zx = qq_base_5 - qq_base_8;
    const double E_base_zy = qq_base_6 + qq_base_7;
    const double E_base_zz = 1.0 - qq_base - qq_base_2;
    for (int e = 0; e < 3; e += AT_ONCE) { /* entries along x, y, z of the world, which are alike */
        const kg_xyz above_0 = *kg_xyz_at(above + 0*XYZ + e);
        const kg_xyz above_1 = *kg_xyz_at(above + 1*XYZ + e);
        const kg_xyz above_2 = *kg_xyz_at(above + 2*XYZ + e);
        const kg_xyz above_3 = *kg_xyz_at(above + 3*XYZ + e);
        *kg_xyz_to(axes + 0*XYZ + e) = (kg_xyz){0.0};
        *kg_xyz_to(axes + 3*XYZ + e) = (kg_xyz){0.0};
        *kg_xyz_to(axes + 6*XYZ + e) = (kg_xyz){0.0};
        *kg_xyz_to(axes + 10*XYZ + e) = (kg_xyz){0.0};
        *kg_xyz_to(axes + 13*XYZ + e) = (kg_xyz){0.0};
        *kg_xyz_to(axes + 16*XYZ + e) = (kg_xyz){0.0};
        const kg_xyz R_base_xx = E_base_xx*above_0 + E_base_yx*above_1 + E_base_zx*above_2;
        *kg_xyz_to(own + 0*XYZ + e) = R_base_xx;
        *kg_xyz_to(axes + 1*XYZ + e) = R_base_xx;
        *kg_xyz_to(axes + 9*XYZ + e) = R_base_xx;
        const kg_xyz R_base_xy = E_base_xy*above_0 + E_base_yy*above_1 + E_base_zy*above_2;
        *kg_xyz_to(own + 1*XYZ + e) = R_base_xy;
        *kg_xyz_to(axes + 4*XYZ + e) = R_base_xy;
        *kg_xyz_to(axes + 12*XYZ + e) = R_base_xy;
        const kg_xyz R_base_xz = E_base_xz*above_0 + E_base_yz*above_1 + E_base_zz*above_2;
        *kg_xyz_to(own + 2*XYZ + e) = R_base_xz;
        *kg_xyz_to(axes + 7*XYZ + e) = R_base_xz;
        *kg_xyz_to(axes + 15*XYZ + e) = R_base_xz;
        const kg_xyz p_base_x = above_3 + q[0]*above_0 + q[1]*above_1 + q[2]*above_2;
        *kg_xyz_to(own + 3*XYZ + e) = p_base_x;
        *kg_xyz_to(axes + 2*XYZ + e) = p_base_x;
        *kg_xyz_to(axes + 5*XYZ + e) = p_base_x;
        *kg_xyz_to(axes + 8*XYZ + e) = p_base_x;
        *kg_xyz_to(axes + 11*XYZ + e) = p_base_x;
        *kg_xyz_to(axes + 14*XYZ + e) = p_base_x;
        *kg_xyz_to(axes + 17*XYZ + e) = p_base_x;
    }
}

/* Pose and motion axes of link 1. 27 mul, 15 add, 2 sincos. */
static void floating_arm_step_1(const double *restrict s, const double *restrict c, const double *restrict q,
    const double *restrict above, double *restrict own, double *restrict axes)
{
    (void)s, (void)c, (void)q;

    /* arm */
    for (int e = 0; e < 3; e += AT_ONCE) { /* entries along x, y, z of the world, which are alike */
        const kg_xyz above_0 = *kg_xyz_at(above + 0*XYZ + e);
        const kg_xyz above_1 = *kg_xyz_at(above + 1*XYZ + e);
        const kg_xyz above_2 = *kg_xyz_at(above + 2*XYZ + e);
        const kg_xyz above_3 = *kg_xyz_at(above + 3*XYZ + e);
        *kg_xyz_to(axes + 1*XYZ + e) = (kg_xyz){0.0};
        *kg_xyz_to(axes + 4*XYZ + e) = (kg_xyz){0.0};
        *kg_xyz_to(axes + 0*XYZ + e) = above_2;
        const kg_xyz R_arm_mid_xx = c[0]*above_0 + s[0]*above_1;
        const kg_xyz neg_R_arm_mid_xy = s[0]*above_0 - c[0]*above_1;
        *kg_xyz_to(own + 1*XYZ + e) = -neg_R_arm_mid_xy;
        *kg_xyz_to(axes + 3*XYZ + e) = -neg_R_arm_mid_xy;
        const kg_xyz p_arm_mid_x = above_3 + 0.2*above_0;
        *kg_xyz_to(own + 3*XYZ + e) = p_arm_mid_x;
        *kg_xyz_to(axes + 2*XYZ + e) = p_arm_mid_x;
        *kg_xyz_to(axes + 5*XYZ + e) = p_arm_mid_x;
        const kg_xyz R_arm_xx = s[1]*R_arm_mid_xx + c[1]*above_2;
        *kg_xyz_to(own + 2*XYZ + e) = R_arm_xx;
        const kg_xyz neg_R_arm_xy = s[1]*above_2 - c[1]*R_arm_mid_xx;
        *kg_xyz_to(own + 0*XYZ + e) = -neg_R_arm_xy;
    }
}

/* Pose and motion axes of link 2. 3 mul, 4 add. */
static void floating_arm_step_2(const double *restrict s, const double *restrict c, const double *restrict q,
    const double *restrict above, double *restrict own, double *restrict axes)
{
    (void)s, (void)c, (void)q;

    /* hand */
    const double p_hand_y = 0.5 + q[9];
    for (int e = 0; e < 3; e += AT_ONCE) { /* entries along x, y, z of the world, which are alike */
        const kg_xyz above_0 = *kg_xyz_at(above + 0*XYZ + e);
        const kg_xyz above_1 = *kg_xyz_at(above + 1*XYZ + e);
        const kg_xyz above_2 = *kg_xyz_at(above + 2*XYZ + e);
        const kg_xyz above_3 = *kg_xyz_at(above + 3*XYZ + e);
        *kg_xyz_to(axes + 0*XYZ + e) = (kg_xyz){0.0};
        *kg_xyz_to(own + 0*XYZ + e) = above_0;
        *kg_xyz_to(axes + 1*XYZ + e) = above_0;
        *kg_xyz_to(own + 1*XYZ + e) = above_1;
        *kg_xyz_to(own + 2*XYZ + e) = above_2;
        const kg_xyz p_hand_x = above_3 + p_hand_y*above_0;
        *kg_xyz_to(own + 3*XYZ + e) = p_hand_x;
        *kg_xyz_to(axes + 2*XYZ + e) = p_hand_x;
    }
}

/* Motion axis k moves dof axis_dof[k]. */
static const int axis_dof[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
/* The next axis towards the root (-1: none): the paths of the tree. */
static const int axis_above[] = {-1, 0, 1, 2, 3, 4, 5, 6, 7};
/* The motion axis at which the path of link i ends. */
static const int axis_last[] = {5, 7, 8};
/* The link that each link hangs on, -1 for world. */
static const int link_above[] = {-1, 0, 1};
/* The first motion axis of each link, or where it would stand. */
static const int link_axis[] = {0, 6, 8};
/* The first axis of those that move one frame with it. */
static const int axis_first[] = {0, 0, 0, 0, 0, 0, 6, 7, 8};

/* Angles of which the next function is handed sines and cosines; gives how many. */
enum { PATH_ANGLES = 2 };
static int floating_arm_link_step_angles(int link, const double *q, double *angle)
{
    (void)q, (void)angle;
    switch (link) {
    case 1:
        angle[0] = q[7];
        angle[1] = q[8];
        return 2;
    default:
        return 0;
    }
}

/* Pose [R p] of a link and its motion axes [z; l; p], of the pose of what it hangs on. */
static void floating_arm_link_step(int link, const double *s, const double *c, const double *q, const double *above,
    double *own, double *axes)
{
    switch (link) {
    case 0:
        floating_arm_step_0(s, c, q, above, own, axes);
        break;
    case 1:
        floating_arm_step_1(s, c, q, above, own, axes);
        break;
    case 2:
        floating_arm_step_2(s, c, q, above, own, axes);
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
void floating_arm_cog_jacobian(const double *restrict q, double *restrict G)
{
    cog_jacobian(0, q, G);
}

/* Jacobian [linear; angular] of a frame, world axes; frame = [link, offset x y z]. */
void floating_arm_frame_jacobian(const double *restrict q, const double *restrict frame, double *restrict J)
{
    frame_jacobian(0, q, frame, J);
}

/* Pose of a frame in world; placed = [link, offset x y z, rotation row by row]. */
void floating_arm_frame_pose(const double *restrict q, const double *restrict placed, double *restrict pose)
{
    frame_pose(0, q, placed, pose);
}

/* Velocity [linear; angular] of a frame at its origin, world axes; frame as above. */
void floating_arm_frame_velocity(const double *restrict q, const double *restrict v, const double *restrict frame,
    double *restrict velocity)
{
    frame_velocity(0, q, v, frame, velocity);
}

/* Rate of that velocity; frame as above. */
void floating_arm_frame_acceleration(const double *restrict q, const double *restrict v, const double *restrict a,
    const double *restrict frame, double *restrict acceleration)
{
    frame_acceleration(0, q, v, a, frame, acceleration);
}

/* Velocity [linear; angular] of a frame at its origin, world axes, and its rate; frame as above. */
void floating_arm_frame_motion(const double *restrict q, const double *restrict v, const double *restrict a,
    const double *restrict frame, double *restrict motion)
{
    frame_motion(0, q, v, a, frame, motion);
}

void floating_arm_cog_jacobian_batch(long n, const double *q, long q_stride, double *G)
{
    for (long i = 0; i < n; i++)
        floating_arm_cog_jacobian(q + i*q_stride, G + i*162);
}

void floating_arm_frame_jacobian_batch(long n, const double *q, long q_stride, const double *frame,
    long frame_stride, double *J)
{
    for (long i = 0; i < n; i++)
        floating_arm_frame_jacobian(q + i*q_stride, frame + i*frame_stride, J + i*54);
}

void floating_arm_frame_pose_batch(long n, const double *q, long q_stride, const double *placed, long placed_stride,
    double *pose)
{
    for (long i = 0; i < n; i++)
        floating_arm_frame_pose(q + i*q_stride, placed + i*placed_stride, pose + i*16);
}

void floating_arm_frame_velocity_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *frame, long frame_stride, double *velocity)
{
    for (long i = 0; i < n; i++)
        floating_arm_frame_velocity(q + i*q_stride, v + i*v_stride, frame + i*frame_stride, velocity + i*6);
}

void floating_arm_frame_acceleration_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *acceleration)
{
    for (long i = 0; i < n; i++)
        floating_arm_frame_acceleration(q + i*q_stride, v + i*v_stride, a + i*a_stride, frame + i*frame_stride,
            acceleration + i*6);
}

void floating_arm_frame_motion_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *motion)
{
    for (long i = 0; i < n; i++)
        floating_arm_frame_motion(q + i*q_stride, v + i*v_stride, a + i*a_stride, frame + i*frame_stride,
            motion + i*12);
}
