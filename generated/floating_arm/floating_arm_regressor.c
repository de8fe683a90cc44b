/* floating_arm: torques and energies by inertial parameters.
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
 * q2, qq, E: twice a quaternion's entries, their products, its rotation
 */

#include "floating_arm_model.h"
#include "kinegen/linear/sincos.h"

/* What is defined and called here, as floating_arm.h declares it. */
void floating_arm_energy_regressor(const double *q, const double *v, double *Y_energy);
void floating_arm_inertial_parameters(const double *q, double *pi);
void floating_arm_rotor_inertias(const double *q, double *armatures);
void floating_arm_torque_regressor(const double *q, const double *v, const double *a, double *Y);
void floating_arm_energy_regressor_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *Y_energy);
void floating_arm_inertial_parameters_batch(long n, const double *q, long q_stride, double *pi);
void floating_arm_rotor_inertias_batch(long n, const double *q, long q_stride, double *armatures);
void floating_arm_torque_regressor_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *Y);

/* Kinetic and potential energy by inertial parameters. 105 mul, 42 add, 2 sincos. */
void floating_arm_energy_regressor(const double *restrict q, const double *restrict v, double *restrict Y_energy)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q + 7, s, c);
    kg_zeros(6, Y_energy + 34); kg_zeros(6, Y_energy + 44); kg_zeros(6, Y_energy + 54);

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
    const double neg_R_arm_mid_zy = E_base_zx*s[0] - E_base_zy*c[0];
    const double p_arm_mid_z = q[2] + 0.2*E_base_zx;

    /* arm */
    const double R_arm_zx = s[1]*R_arm_mid_zx + E_base_zz*c[1];
    const double neg_R_arm_zy = E_base_zz*s[1] - c[1]*R_arm_mid_zx;

    /* hand */
    const double neg_p_hand_z = p_hand_y*neg_R_arm_zy - p_arm_mid_z;
    const double w_arm_mid_x = c[0]*v[3] + s[0]*v[4];
    const double neg_w_arm_mid_y = s[0]*v[3] - c[0]*v[4];
    const double w_arm_mid_z = v[6] + v[5];
    const double u_arm_mid_x = c[0]*v[0] + s[0]*v[1] + 0.2*s[0]*v[5];
    const double neg_u_arm_mid_y = s[0]*v[0] - c[0]*v[1] - 0.2*c[0]*v[5];
    const double u_arm_mid_z = v[2] - 0.2*v[4];
    const double w_arm_x = s[1]*w_arm_mid_x + c[1]*w_arm_mid_z;
    const double neg_w_arm_y = s[1]*w_arm_mid_z - c[1]*w_arm_mid_x;
    const double w_arm_z = v[7] - neg_w_arm_mid_y;
    const double u_arm_x = s[1]*u_arm_mid_x + c[1]*u_arm_mid_z;
    const double neg_u_arm_y = s[1]*u_arm_mid_z - c[1]*u_arm_mid_x;
    const double u_hand_x = p_hand_y*w_arm_x - neg_u_arm_mid_y;
    const double neg_u_hand_y = p_hand_y*w_arm_z - u_arm_x;
    const double u_hand_z = v[8] - neg_u_arm_y;
    const double Y_energy_0 = 0.5*v[0]*v[0] + 0.5*v[1]*v[1] + 0.5*v[2]*v[2];
    Y_energy[0] = Y_energy_0;
    const double Y_energy_1 = v[1]*v[5] - v[2]*v[4];
    Y_energy[1] = Y_energy_1;
    const double neg_Y_energy_2 = v[0]*v[5] - v[2]*v[3];
    Y_energy[2] = -neg_Y_energy_2;
    const double Y_energy_3 = v[0]*v[4] - v[1]*v[3];
    Y_energy[3] = Y_energy_3;
    const double Y_energy_4 = 0.5*v[3]*v[3];
    Y_energy[4] = Y_energy_4;
    const double Y_energy_5 = v[3]*v[4];
    Y_energy[5] = Y_energy_5;
    const double Y_energy_6 = 0.5*v[4]*v[4];
    Y_energy[6] = Y_energy_6;
    const double Y_energy_7 = v[3]*v[5];
    Y_energy[7] = Y_energy_7;
    const double Y_energy_8 = v[4]*v[5];
    Y_energy[8] = Y_energy_8;
    const double Y_energy_9 = 0.5*v[5]*v[5];
    Y_energy[9] = Y_energy_9;
    const double Y_energy_10 = 0.5*neg_u_arm_y*neg_u_arm_y + 0.5*neg_u_arm_mid_y*neg_u_arm_mid_y + 0.5*u_arm_x*u_arm_x;
    Y_energy[10] = Y_energy_10;
    const double neg_Y_energy_11 = neg_u_arm_mid_y*w_arm_x + w_arm_z*u_arm_x;
    Y_energy[11] = -neg_Y_energy_11;
    const double Y_energy_12 = w_arm_x*neg_u_arm_y - neg_w_arm_y*u_arm_x;
    Y_energy[12] = Y_energy_12;
    const double neg_Y_energy_13 = w_arm_z*neg_u_arm_y + neg_u_arm_mid_y*neg_w_arm_y;
    Y_energy[13] = -neg_Y_energy_13;
    const double Y_energy_14 = 0.5*neg_w_arm_y*neg_w_arm_y;
    Y_energy[14] = Y_energy_14;
    Y_energy[24] = Y_energy_14;
    const double neg_Y_energy_15 = neg_w_arm_y*w_arm_z;
    Y_energy[15] = -neg_Y_energy_15;
    Y_energy[25] = -neg_Y_energy_15;
    const double Y_energy_16 = 0.5*w_arm_z*w_arm_z;
    Y_energy[16] = Y_energy_16;
    Y_energy[26] = Y_energy_16;
    const double neg_Y_energy_17 = w_arm_x*neg_w_arm_y;
    Y_energy[17] = -neg_Y_energy_17;
    Y_energy[27] = -neg_Y_energy_17;
    const double Y_energy_18 = w_arm_x*w_arm_z;
    Y_energy[18] = Y_energy_18;
    Y_energy[28] = Y_energy_18;
    const double Y_energy_19 = 0.5*w_arm_x*w_arm_x;
    Y_energy[19] = Y_energy_19;
    Y_energy[29] = Y_energy_19;
    const double Y_energy_20 = 0.5*u_hand_z*u_hand_z + 0.5*u_hand_x*u_hand_x + 0.5*neg_u_hand_y*neg_u_hand_y;
    Y_energy[20] = Y_energy_20;
    const double Y_energy_21 = w_arm_x*u_hand_x + w_arm_z*neg_u_hand_y;
    Y_energy[21] = Y_energy_21;
    const double neg_Y_energy_22 = w_arm_x*u_hand_z - neg_w_arm_y*neg_u_hand_y;
    Y_energy[22] = -neg_Y_energy_22;
    const double Y_energy_23 = w_arm_z*u_hand_z + neg_w_arm_y*u_hand_x;
    Y_energy[23] = Y_energy_23;
    const double Y_energy_30 = 9.81*q[2];
    Y_energy[30] = Y_energy_30;
    const double Y_energy_31 = 9.81*E_base_zx;
    Y_energy[31] = Y_energy_31;
    const double Y_energy_32 = 9.81*E_base_zy;
    Y_energy[32] = Y_energy_32;
    const double Y_energy_33 = 9.81*E_base_zz;
    Y_energy[33] = Y_energy_33;
    const double Y_energy_40 = 9.81*p_arm_mid_z;
    Y_energy[40] = Y_energy_40;
    const double neg_Y_energy_41 = 9.81*neg_R_arm_zy;
    Y_energy[41] = -neg_Y_energy_41;
    Y_energy[51] = -neg_Y_energy_41;
    const double neg_Y_energy_42 = 9.81*neg_R_arm_mid_zy;
    Y_energy[42] = -neg_Y_energy_42;
    Y_energy[52] = -neg_Y_energy_42;
    const double Y_energy_43 = 9.81*R_arm_zx;
    Y_energy[43] = Y_energy_43;
    Y_energy[53] = Y_energy_43;
    const double neg_Y_energy_50 = 9.81*neg_p_hand_z;
    Y_energy[50] = -neg_Y_energy_50;
}

void floating_arm_energy_regressor_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *Y_energy)
{
    for (long i = 0; i < n; i++)
        floating_arm_energy_regressor(q + i*q_stride, v + i*v_stride, Y_energy + i*60);
}

/* Inertial parameters pi of the links: m, m c, I about the origin. No operations. */
void floating_arm_inertial_parameters(const double *restrict q, double *restrict pi)
{
    (void)q;
    for (int i = 0; i < 30; i++) pi[i] = 0.0;
    pi[0] = 5.0;
    pi[4] = 0.05416666666666667;
    pi[6] = 0.08333333333333336;
    pi[9] = 0.10416666666666667;
    pi[10] = 1.0;
    pi[11] = 0.25;
    pi[16] = 0.08333333333333333;
    pi[19] = 0.08333333333333333;
    pi[20] = 0.25;
    pi[24] = 0.00025000000000000006;
    pi[26] = 0.00025000000000000006;
    pi[29] = 0.00025000000000000006;
}

void floating_arm_inertial_parameters_batch(long n, const double *q, long q_stride, double *pi)
{
    for (long i = 0; i < n; i++)
        floating_arm_inertial_parameters(q + i*q_stride, pi + i*30);
}

/* Armature of every joint. No operations. */
void floating_arm_rotor_inertias(const double *restrict q, double *restrict armatures)
{
    (void)q;
    for (int i = 0; i < 9; i++) armatures[i] = 0.0;
}

void floating_arm_rotor_inertias_batch(long n, const double *q, long q_stride, double *armatures)
{
    for (long i = 0; i < n; i++)
        floating_arm_rotor_inertias(q + i*q_stride, armatures + i*9);
}

/* Motion axes, frames of the links, their motions. 97 mul, 75 add, 2 sincos. */
static void floating_arm_regressor_parts(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict axes, double *restrict frames, double *restrict motions)
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
    frames[0] = q[0];
    axes[7] = q[1];
    axes[16] = q[1];
    axes[25] = q[1];
    axes[34] = q[1];
    axes[43] = q[1];
    axes[52] = q[1];
    frames[4] = q[1];
    axes[8] = q[2];
    axes[17] = q[2];
    axes[26] = q[2];
    axes[35] = q[2];
    axes[44] = q[2];
    axes[53] = q[2];
    frames[8] = q[2];
    motions[0] = v[3];
    motions[1] = v[4];
    motions[2] = v[5];
    motions[3] = a[3];
    motions[4] = a[4];
    motions[5] = a[5];

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
    frames[1] = E_base_xx;
    const double E_base_xy = qq_base_4 - qq_base_9;
    axes[12] = E_base_xy;
    axes[36] = E_base_xy;
    frames[2] = E_base_xy;
    const double E_base_xz = qq_base_5 + qq_base_8;
    axes[21] = E_base_xz;
    axes[45] = E_base_xz;
    axes[54] = E_base_xz;
    frames[3] = E_base_xz;
    const double E_base_yx = qq_base_4 + qq_base_9;
    axes[4] = E_base_yx;
    axes[28] = E_base_yx;
    frames[5] = E_base_yx;
    const double E_base_yy = 1.0 - qq_base - qq_base_3;
    axes[13] = E_base_yy;
    axes[37] = E_base_yy;
    frames[6] = E_base_yy;
    const double E_base_yz = qq_base_6 - qq_base_7;
    axes[22] = E_base_yz;
    axes[46] = E_base_yz;
    axes[55] = E_base_yz;
    frames[7] = E_base_yz;
    const double E_base_zx = qq_base_5 - qq_base_8;
    axes[5] = E_base_zx;
    axes[29] = E_base_zx;
    frames[9] = E_base_zx;
    const double E_base_zy = qq_base_6 + qq_base_7;
    axes[14] = E_base_zy;
    axes[38] = E_base_zy;
    frames[10] = E_base_zy;
    const double E_base_zz = 1.0 - qq_base - qq_base_2;
    axes[23] = E_base_zz;
    axes[47] = E_base_zz;
    axes[56] = E_base_zz;
    frames[11] = E_base_zz;

    /* hand */
    const double p_hand_y = 0.5 + q[9];

    /* arm_mid */
    const double R_arm_mid_xx = E_base_xx*c[0] + E_base_xy*s[0];
    const double neg_R_arm_mid_xy = E_base_xx*s[0] - E_base_xy*c[0];
    axes[63] = -neg_R_arm_mid_xy;
    frames[14] = -neg_R_arm_mid_xy;
    frames[26] = -neg_R_arm_mid_xy;
    const double R_arm_mid_yx = E_base_yx*c[0] + E_base_yy*s[0];
    const double neg_R_arm_mid_yy = E_base_yx*s[0] - E_base_yy*c[0];
    axes[64] = -neg_R_arm_mid_yy;
    frames[18] = -neg_R_arm_mid_yy;
    frames[30] = -neg_R_arm_mid_yy;
    const double R_arm_mid_zx = E_base_zx*c[0] + E_base_zy*s[0];
    const double neg_R_arm_mid_zy = E_base_zx*s[0] - E_base_zy*c[0];
    axes[65] = -neg_R_arm_mid_zy;
    frames[22] = -neg_R_arm_mid_zy;
    frames[34] = -neg_R_arm_mid_zy;
    const double p_arm_mid_x = q[0] + 0.2*E_base_xx;
    axes[60] = p_arm_mid_x;
    axes[69] = p_arm_mid_x;
    frames[12] = p_arm_mid_x;
    const double p_arm_mid_y = q[1] + 0.2*E_base_yx;
    axes[61] = p_arm_mid_y;
    axes[70] = p_arm_mid_y;
    frames[16] = p_arm_mid_y;
    const double p_arm_mid_z = q[2] + 0.2*E_base_zx;
    axes[62] = p_arm_mid_z;
    axes[71] = p_arm_mid_z;
    frames[20] = p_arm_mid_z;

    /* arm */
    const double R_arm_xx = s[1]*R_arm_mid_xx + E_base_xz*c[1];
    frames[15] = R_arm_xx;
    frames[27] = R_arm_xx;
    const double neg_R_arm_xy = E_base_xz*s[1] - c[1]*R_arm_mid_xx;
    axes[75] = -neg_R_arm_xy;
    frames[13] = -neg_R_arm_xy;
    frames[25] = -neg_R_arm_xy;
    const double R_arm_yx = s[1]*R_arm_mid_yx + E_base_yz*c[1];
    frames[19] = R_arm_yx;
    frames[31] = R_arm_yx;
    const double neg_R_arm_yy = E_base_yz*s[1] - c[1]*R_arm_mid_yx;
    axes[76] = -neg_R_arm_yy;
    frames[17] = -neg_R_arm_yy;
    frames[29] = -neg_R_arm_yy;
    const double R_arm_zx = s[1]*R_arm_mid_zx + E_base_zz*c[1];
    frames[23] = R_arm_zx;
    frames[35] = R_arm_zx;
    const double neg_R_arm_zy = E_base_zz*s[1] - c[1]*R_arm_mid_zx;
    axes[77] = -neg_R_arm_zy;
    frames[21] = -neg_R_arm_zy;
    frames[33] = -neg_R_arm_zy;

    /* hand */
    const double neg_p_hand_x = p_hand_y*neg_R_arm_xy - p_arm_mid_x;
    axes[78] = -neg_p_hand_x;
    frames[24] = -neg_p_hand_x;
    const double neg_p_hand_y = p_hand_y*neg_R_arm_yy - p_arm_mid_y;
    axes[79] = -neg_p_hand_y;
    frames[28] = -neg_p_hand_y;
    const double neg_p_hand_z = p_hand_y*neg_R_arm_zy - p_arm_mid_z;
    axes[80] = -neg_p_hand_z;
    frames[32] = -neg_p_hand_z;

    /* base */
    const double a_base_x = 9.81*E_base_zx;
    const double a_base_y = 9.81*E_base_zy;
    const double a_base_z = 9.81*E_base_zz;
    const double neg_a_base_x = v[1]*v[5] - a_base_x - a[0] - v[2]*v[4];
    motions[6] = -neg_a_base_x;
    const double a_base_y_2 = a_base_y + a[1] + v[0]*v[5] - v[2]*v[3];
    motions[7] = a_base_y_2;
    const double neg_a_base_z = v[0]*v[4] - a_base_z - a[2] - v[1]*v[3];
    motions[8] = -neg_a_base_z;
    const double ww_base = v[4]*v[4];
    const double ww_base_2 = v[5]*v[5];
    const double ww_base_3 = v[3]*v[4];
    const double ww_base_4 = v[3]*v[5];
    const double neg_U_base_xx = ww_base + ww_base_2;
    const double U_base_yx = ww_base_3 + a[5];
    const double neg_U_base_zx = a[4] - ww_base_4;

    /* arm_mid */
    const double wp_arm_mid_x = c[0]*v[3] + s[0]*v[4];
    const double neg_wp_arm_mid_y = s[0]*v[3] - c[0]*v[4];
    const double w_arm_mid_z = v[5] + v[6];
    const double dwp_arm_mid_x = c[0]*a[3] + s[0]*a[4];
    const double neg_dwp_arm_mid_y = s[0]*a[3] - c[0]*a[4];
    const double neg_dw_arm_mid_x = v[6]*neg_wp_arm_mid_y - dwp_arm_mid_x;
    const double neg_dw_arm_mid_y = neg_dwp_arm_mid_y + v[6]*wp_arm_mid_x;
    const double dw_arm_mid_z = a[5] + a[6];
    const double neg_ap_arm_mid_x = neg_a_base_x + 0.2*neg_U_base_xx;
    const double ap_arm_mid_y = a_base_y_2 + 0.2*U_base_yx;
    const double neg_ap_arm_mid_z = neg_a_base_z + 0.2*neg_U_base_zx;
    const double a_arm_mid_x = s[0]*ap_arm_mid_y - c[0]*neg_ap_arm_mid_x;
    const double a_arm_mid_y = s[0]*neg_ap_arm_mid_x + c[0]*ap_arm_mid_y;
    motions[16] = a_arm_mid_y;

    /* arm */
    const double wp_arm_x = s[1]*wp_arm_mid_x + c[1]*w_arm_mid_z;
    motions[11] = wp_arm_x;
    motions[20] = wp_arm_x;
    const double neg_wp_arm_y = s[1]*w_arm_mid_z - c[1]*wp_arm_mid_x;
    motions[9] = -neg_wp_arm_y;
    motions[18] = -neg_wp_arm_y;
    const double w_arm_z = v[7] - neg_wp_arm_mid_y;
    motions[10] = w_arm_z;
    motions[19] = w_arm_z;
    const double neg_dwp_arm_x = s[1]*neg_dw_arm_mid_x - c[1]*dw_arm_mid_z;
    const double neg_dwp_arm_y = c[1]*neg_dw_arm_mid_x + s[1]*dw_arm_mid_z;
    const double neg_dw_arm_x = neg_dwp_arm_x + v[7]*neg_wp_arm_y;
    motions[14] = -neg_dw_arm_x;
    motions[23] = -neg_dw_arm_x;
    const double neg_dw_arm_y = neg_dwp_arm_y + v[7]*wp_arm_x;
    motions[12] = -neg_dw_arm_y;
    motions[21] = -neg_dw_arm_y;
    const double dw_arm_z = a[7] - neg_dw_arm_mid_y;
    motions[13] = dw_arm_z;
    motions[22] = dw_arm_z;
    const double w2_arm_x = 2.0*wp_arm_x;
    const double a_arm_x = s[1]*a_arm_mid_x - c[1]*neg_ap_arm_mid_z;
    motions[17] = a_arm_x;
    const double a_arm_y = c[1]*a_arm_mid_x + s[1]*neg_ap_arm_mid_z;
    motions[15] = a_arm_y;
    const double ww_arm = wp_arm_x*wp_arm_x;
    const double ww_arm_2 = w_arm_z*w_arm_z;
    const double neg_ww_arm = wp_arm_x*neg_wp_arm_y;
    const double neg_ww_arm_2 = neg_wp_arm_y*w_arm_z;
    const double neg_U_arm_xy = neg_ww_arm + dw_arm_z;
    const double neg_U_arm_yy = ww_arm + ww_arm_2;
    const double neg_U_arm_zy = neg_ww_arm_2 + neg_dw_arm_x;

    /* hand */
    const double neg_ap_hand_x = p_hand_y*neg_U_arm_xy - a_arm_x;
    const double neg_ap_hand_y = p_hand_y*neg_U_arm_yy - a_arm_y;
    const double neg_ap_hand_z = p_hand_y*neg_U_arm_zy - a_arm_mid_y;
    const double w2_hand_x = 2.0*w_arm_z;
    const double a_hand_x = v[8]*w2_arm_x - neg_ap_hand_z;
    motions[25] = a_hand_x;
    const double neg_a_hand_y = neg_ap_hand_x + v[8]*w2_hand_x;
    motions[26] = -neg_a_hand_y;
    const double a_hand_z = a[8] - neg_ap_hand_y;
    motions[24] = a_hand_z;
}

/* Motion axis k moves dof axis_dof[k]. */
static const int axis_dof[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
/* The next axis towards the root (-1: none): the paths of the tree. */
static const int axis_above[] = {-1, 0, 1, 2, 3, 4, 5, 6, 7};
/* The motion axis at which the path of link i ends. */
static const int axis_last[] = {5, 7, 8};
/* The link that each motion axis moves. */
static const int axis_link[] = {0, 0, 0, 0, 0, 0, 1, 1, 2};
/* The first link on the path from world to each link. */
static const int link_root[] = {0, 0, 0};
/* One past the last link of each link's subtree. */
static const int link_below[] = {3, 3, 3};

#include "kinegen/tree/torque_regressor.h"

/* Regressor Y: tau = Y pi + armature a, by m, m c, I about the origin of each link. */
void floating_arm_torque_regressor(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict Y)
{
    torque_regressor(0, q, v, a, Y);
}

void floating_arm_torque_regressor_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *Y)
{
    for (long i = 0; i < n; i++)
        floating_arm_torque_regressor(q + i*q_stride, v + i*v_stride, a + i*a_stride, Y + i*270);
}
