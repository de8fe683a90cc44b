/* floating_arm: derivatives of the dynamics.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * R, p: pose in the parent or, where poses are asked for, in the world
 * w, wp: angular velocity; that of the parent in the link's axes
 * u, up: velocity of the link's origin; as the parent carries it (articulated: u is the joint force left)
 * m, s, S: mass, first moment and second moment of mass
 * sp, Sp, sq, RS: s, S in the parent's axes, s about its origin, R S
 * q2, qq, E: twice a quaternion's entries, their products, its rotation
 * st, mt: subtree: first moment, mass
 * P, Pp, L: momentum, or its rate: linear, p: in the parent's axes; angular (L also the factor of M = L'DL)
 * uq, zr, lr, Pr: velocity up in the link's axes; rates of z, l and of momentum
 * k, inv, t: intermediate value
 * g, X, Jb: gravity, motion axes and inertia in the frame of the first link that moves
 */

#include "floating_arm_model.h"
#include "kinegen/frames/xyz.h"
#include "kinegen/linear/sincos.h"

/* What is defined and called here, as floating_arm.h declares it. */
void floating_arm_com_velocity_derivative(const double *q, const double *v, double *dv_dq);
void floating_arm_damping_terms(const double *q, const double *v, double *D);
void floating_arm_inverse_derivatives(const double *q, const double *v, const double *a, double *dtau);
void floating_arm_inverse_second_derivatives(const double *q, const double *v, const double *a, double *second);
void floating_arm_inverse_weighed_derivatives(const double *q, const double *v, const double *a,
    const double *weights, double *second);
void floating_arm_forward_derivatives(const double *q, const double *v, const double *tau, double *da);
void floating_arm_frame_derivatives(const double *q, const double *v, const double *a, const double *frame,
    double *parts);
void floating_arm_com_velocity_derivative_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, double *dv_dq);
void floating_arm_damping_terms_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *D);
void floating_arm_inverse_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *dtau);
void floating_arm_inverse_second_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *second);
void floating_arm_inverse_weighed_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *weights, long weights_stride, double *second);
void floating_arm_forward_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *da);
void floating_arm_frame_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *parts);

/* Derivative of the velocity of the centre of mass by q on the tangent space. 138 mul, 82 add, 2 sincos. */
void floating_arm_com_velocity_derivative(const double *restrict q, const double *restrict v,
    double *restrict dv_dq)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q + 7, s, c);
    kg_zeros(3, dv_dq); kg_zeros(3, dv_dq + 9); kg_zeros(3, dv_dq + 18);

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
    const double st_arm_y = 0.25 + 0.25*p_hand_y;
    const double st_arm_mid_x = c[1]*st_arm_y;
    const double neg_st_arm_mid_z = s[1]*st_arm_y;
    const double P_base_x = 6.0*v[0];
    const double P_base_y = 6.0*v[1] + 0.2*v[5];
    const double P_base_z = 6.0*v[2] - 0.2*v[4];
    const double neg_P_arm_x = 0.25*w_arm_z;
    const double P_arm_z = 0.25*wp_arm_x;
    const double P_hand_x = 0.25*up_hand_z;
    const double neg_P_hand_y = 0.25*neg_up_hand_x;
    const double P_hand_z = 0.25*u_hand_z;
    const double neg_P_arm_x_2 = neg_P_arm_x + neg_P_hand_y;
    const double P_arm_z_2 = P_arm_z + P_hand_x;
    const double neg_P_arm_mid_x = s[1]*neg_P_arm_x_2 - c[1]*P_hand_z;
    const double neg_P_arm_mid_z = c[1]*neg_P_arm_x_2 + s[1]*P_hand_z;
    const double neg_P_base_x = c[0]*neg_P_arm_mid_x + s[0]*P_arm_z_2 - P_base_x;
    const double neg_P_base_y = s[0]*neg_P_arm_mid_x - P_base_y - c[0]*P_arm_z_2;
    const double P_base_z_2 = P_base_z - neg_P_arm_mid_z;

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
    const double neg_t_base_y = 0.16*P_base_z_2;
    const double neg_t_base_z = 0.16*neg_P_base_y;
    const double t_base_z = 0.16*neg_P_base_x;

    /* arm_mid */
    const double Pr_x = wp_arm_mid_x*neg_st_arm_mid_z - P_arm_z_2 - 0.25*neg_uq_arm_mid_y;
    const double neg_Pr_y = neg_P_arm_mid_x + 0.25*uq_arm_mid_x + neg_wp_arm_mid_y*neg_st_arm_mid_z;
    const double Pr_z = wp_arm_mid_x*st_arm_mid_x;
    const double t_arm_mid_x = 0.16*Pr_x;
    const double neg_t_arm_mid_y = 0.16*neg_Pr_y;
    const double t_arm_mid_z = 0.16*Pr_z;

    /* arm */
    const double neg_Pr_x = P_hand_z + 0.25*neg_uq_arm_y;
    const double neg_Pr_y_2 = neg_P_arm_x_2 + 0.25*uq_arm_x;
    const double neg_Pr_z = neg_wp_arm_y*st_arm_y;
    const double neg_t_arm_x = 0.16*neg_Pr_x;
    const double neg_t_arm_y = 0.16*neg_Pr_y_2;
    const double neg_t_arm_z = 0.16*neg_Pr_z;

    /* hand */
    const double t_hand_x = 0.16*P_arm_z;
    const double neg_t_hand_y = 0.16*neg_P_arm_x;
    const double neg_dv_dq_3 = E_base_xy*neg_t_base_y + E_base_xz*neg_t_base_z;
    dv_dq[3] = -neg_dv_dq_3;
    const double dv_dq_4 = E_base_xx*neg_t_base_y + E_base_xz*t_base_z;
    dv_dq[4] = dv_dq_4;
    const double dv_dq_5 = E_base_xx*neg_t_base_z - E_base_xy*t_base_z;
    dv_dq[5] = dv_dq_5;
    const double dv_dq_6 = R_arm_mid_xx*t_arm_mid_x + neg_R_arm_mid_xy*neg_t_arm_mid_y + E_base_xz*t_arm_mid_z;
    dv_dq[6] = dv_dq_6;
    const double dv_dq_7 = neg_R_arm_xy*neg_t_arm_y + neg_R_arm_mid_xy*neg_t_arm_z - R_arm_xx*neg_t_arm_x;
    dv_dq[7] = dv_dq_7;
    const double neg_dv_dq_8 = neg_R_arm_mid_xy*t_hand_x + R_arm_xx*neg_t_hand_y;
    dv_dq[8] = -neg_dv_dq_8;
    const double neg_dv_dq_12 = E_base_yy*neg_t_base_y + E_base_yz*neg_t_base_z;
    dv_dq[12] = -neg_dv_dq_12;
    const double dv_dq_13 = E_base_yx*neg_t_base_y + E_base_yz*t_base_z;
    dv_dq[13] = dv_dq_13;
    const double dv_dq_14 = E_base_yx*neg_t_base_z - E_base_yy*t_base_z;
    dv_dq[14] = dv_dq_14;
    const double dv_dq_15 = R_arm_mid_yx*t_arm_mid_x + neg_R_arm_mid_yy*neg_t_arm_mid_y + E_base_yz*t_arm_mid_z;
    dv_dq[15] = dv_dq_15;
    const double dv_dq_16 = neg_R_arm_yy*neg_t_arm_y + neg_R_arm_mid_yy*neg_t_arm_z - R_arm_yx*neg_t_arm_x;
    dv_dq[16] = dv_dq_16;
    const double neg_dv_dq_17 = neg_R_arm_mid_yy*t_hand_x + R_arm_yx*neg_t_hand_y;
    dv_dq[17] = -neg_dv_dq_17;
    const double neg_dv_dq_21 = E_base_zy*neg_t_base_y + E_base_zz*neg_t_base_z;
    dv_dq[21] = -neg_dv_dq_21;
    const double dv_dq_22 = E_base_zx*neg_t_base_y + E_base_zz*t_base_z;
    dv_dq[22] = dv_dq_22;
    const double dv_dq_23 = E_base_zx*neg_t_base_z - E_base_zy*t_base_z;
    dv_dq[23] = dv_dq_23;
    const double dv_dq_24 = R_arm_mid_zx*t_arm_mid_x + neg_R_arm_mid_zy*neg_t_arm_mid_y + E_base_zz*t_arm_mid_z;
    dv_dq[24] = dv_dq_24;
    const double dv_dq_25 = neg_R_arm_zy*neg_t_arm_y + neg_R_arm_mid_zy*neg_t_arm_z - R_arm_zx*neg_t_arm_x;
    dv_dq[25] = dv_dq_25;
    const double neg_dv_dq_26 = neg_R_arm_mid_zy*t_hand_x + R_arm_zx*neg_t_hand_y;
    dv_dq[26] = -neg_dv_dq_26;
}

void floating_arm_com_velocity_derivative_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, double *dv_dq)
{
    for (long i = 0; i < n; i++)
        floating_arm_com_velocity_derivative(q + i*q_stride, v + i*v_stride, dv_dq + i*27);
}

/* What dampers and friction add to M over dt, and its slope in v. No operations. */
void floating_arm_damping_terms(const double *restrict q, const double *restrict v, double *restrict D)
{
    (void)q;
    (void)v;
    for (int i = 0; i < 18; i++) D[i] = 0.0;
}

void floating_arm_damping_terms_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *D)
{
    for (long i = 0; i < n; i++)
        floating_arm_damping_terms(q + i*q_stride, v + i*v_stride, D + i*18);
}

/* Motion axes and inertias in the frame of the first link that moves. 58 mul, 15 add, 2 sincos. */
static void floating_arm_derivative_parts(const double *restrict q, double *restrict rows, double *restrict lift,
    double *restrict armatures)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q + 7, s, c);
    for (int i = 0; i < 256; i++) rows[i] = 0.0;
    for (int i = 0; i < 9; i++) armatures[i] = 0.0;
    rows[3] = 1.0;
    rows[20] = 1.0;
    rows[37] = 1.0;
    rows[38] = 1.0;
    rows[48] = 1.0;
    rows[65] = 1.0;
    rows[70] = -0.2;
    rows[82] = 1.0;
    rows[101] = 6.0;
    rows[104] = 0.25;
    rows[117] = 0.2;
    rows[165] = 0.10666666666666669;
    rows[213] = 0.03749999999999999;
    rows[245] = 0.016666666666666677;
    rows[7] = -s[0];
    rows[23] = c[0];
    rows[88] = -s[1];

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

    /* base */
    const double neg_g_base_x = 9.81*E_base_zx;
    lift[0] = neg_g_base_x;
    const double neg_g_base_y = 9.81*E_base_zy;
    lift[1] = neg_g_base_y;
    const double neg_g_base_z = 9.81*E_base_zz;
    lift[2] = neg_g_base_z;

    /* arm */
    const double R_arm_xx = c[0]*s[1];
    const double R_arm_xy = c[0]*c[1];
    rows[56] = R_arm_xy;
    const double R_arm_yx = s[0]*s[1];
    const double R_arm_yy = s[0]*c[1];
    rows[72] = R_arm_yy;

    /* hand */
    const double p_hand_x = 0.2 + p_hand_y*R_arm_xy;
    const double p_hand_y_2 = p_hand_y*R_arm_yy;
    const double neg_p_hand_z = s[1]*p_hand_y;

    /* arm_mid */
    const double neg_RS_arm_mid_xy = 0.00012500000000000006*s[0];
    const double RS_arm_mid_yy = 0.00012500000000000006*c[0];
    const double Sp_arm_mid_xx = s[0]*neg_RS_arm_mid_xy;
    rows[166] = Sp_arm_mid_xx;
    const double neg_Sp_arm_mid_xy = c[0]*neg_RS_arm_mid_xy;
    rows[182] = -neg_Sp_arm_mid_xy;
    const double Sp_arm_mid_yy = c[0]*RS_arm_mid_yy;
    rows[214] = Sp_arm_mid_yy;

    /* arm */
    const double X_arm_b_z = 0.2*c[0];
    rows[87] = X_arm_b_z;
    const double sp_arm_x = 0.25*R_arm_xy;
    rows[119] = sp_arm_x;
    const double sp_arm_y = 0.25*R_arm_yy;
    rows[135] = sp_arm_y;
    const double neg_sp_arm_z = 0.25*s[1];
    rows[151] = -neg_sp_arm_z;
    const double RS_arm_xx = 0.00012500000000000006*R_arm_xx;
    const double RS_arm_xy = 0.08345833333333333*R_arm_xy;
    const double RS_arm_yx = 0.00012500000000000006*R_arm_yx;
    const double RS_arm_yy = 0.08345833333333333*R_arm_yy;
    const double RS_arm_zx = 0.00012500000000000006*c[1];
    const double neg_RS_arm_zy = 0.08345833333333333*s[1];
    const double Sp_arm_xx = R_arm_xx*RS_arm_xx + R_arm_xy*RS_arm_xy;
    const double Sp_arm_xy = R_arm_yx*RS_arm_xx + R_arm_yy*RS_arm_xy;
    const double neg_Sp_arm_xz = s[1]*RS_arm_xy - c[1]*RS_arm_xx;
    const double Sp_arm_yy = R_arm_yx*RS_arm_yx + R_arm_yy*RS_arm_yy;
    rows[215] = Sp_arm_yy;
    const double neg_Sp_arm_yz = s[1]*RS_arm_yy - c[1]*RS_arm_yx;
    rows[231] = -neg_Sp_arm_yz;
    const double Sp_arm_zz = c[1]*RS_arm_zx + s[1]*neg_RS_arm_zy;
    rows[247] = Sp_arm_zz;
    const double S_arm_xx = Sp_arm_xx + 0.4*sp_arm_x;
    rows[167] = S_arm_xx;
    const double S_arm_xy = Sp_arm_xy + 0.2*sp_arm_y;
    rows[183] = S_arm_xy;
    const double neg_S_arm_xz = neg_Sp_arm_xz + 0.2*neg_sp_arm_z;
    rows[199] = -neg_S_arm_xz;

    /* hand */
    const double sq_hand_x = 0.25*p_hand_x;
    rows[120] = sq_hand_x;
    const double sq_hand_y = 0.25*p_hand_y_2;
    rows[136] = sq_hand_y;
    const double neg_sq_hand_z = 0.25*neg_p_hand_z;
    rows[152] = -neg_sq_hand_z;
    const double S_hand_xx = p_hand_x*sq_hand_x;
    rows[168] = S_hand_xx;
    const double S_hand_xy = p_hand_y_2*sq_hand_x;
    rows[184] = S_hand_xy;
    const double neg_S_hand_xz = neg_p_hand_z*sq_hand_x;
    rows[200] = -neg_S_hand_xz;
    const double S_hand_yy = p_hand_y_2*sq_hand_y;
    rows[216] = S_hand_yy;
    const double neg_S_hand_yz = neg_p_hand_z*sq_hand_y;
    rows[232] = -neg_S_hand_yz;
    const double S_hand_zz = neg_p_hand_z*neg_sq_hand_z;
    rows[248] = S_hand_zz;
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
/* The last one. */
static const int axis_end[] = {5, 5, 5, 5, 5, 5, 6, 7, 8};
/* One past the last axis of its subtree. */
static const int axis_below[] = {9, 9, 9, 9, 9, 9, 9, 9, 9};
/* All axes, the deepest first: branches take turns. */
static const int axis_inward[] = {8, 7, 6, 5, 4, 3, 2, 1, 0};
/* Where each row of L of M = L'DL begins. */
static const int factor_row[] = {0, 0, 1, 3, 6, 10, 15, 21, 28, 36};
/* The columns in which its entries stand. */
static const int factor_column[] = {0, 0, 1, 0, 1, 2, 0, 1, 2, 3, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 6,
    0, 1, 2, 3, 4, 5, 6, 7};

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

#include "kinegen/derivatives/inverse_derivatives.h"
#include "kinegen/derivatives/inverse_second_derivatives.h"
#include "kinegen/derivatives/inverse_weighed_derivatives.h"
#include "kinegen/derivatives/forward_derivatives.h"
#include "kinegen/derivatives/frame_derivatives.h"

/* Derivatives of the joint forces: dtau/dq on the tangent space, dtau/dv, M. */
void floating_arm_inverse_derivatives(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict dtau)
{
    inverse_derivatives(0, q, v, a, dtau);
}

/* Second derivatives of tau, its entries first: by q and q, by q and v, by v and v, by a and q. */
void floating_arm_inverse_second_derivatives(const double *restrict q, const double *restrict v,
    const double *restrict a, double *restrict second)
{
    inverse_second_derivatives(0, q, v, a, second);
}

/* Second derivatives of weights'tau, the same ones. */
void floating_arm_inverse_weighed_derivatives(const double *restrict q, const double *restrict v,
    const double *restrict a, const double *restrict weights, double *restrict second)
{
    inverse_weighed_derivatives(0, q, v, a, weights, second);
}

/* Derivatives of the acceleration: da/dq on the tangent space, da/dv, da/dtau. */
void floating_arm_forward_derivatives(const double *restrict q, const double *restrict v, const double *restrict tau,
    double *restrict da)
{
    forward_derivatives(0, q, v, tau, da);
}

/* Derivatives of frame_motion: velocity per q, acceleration per q, per v, per a. */
void floating_arm_frame_derivatives(const double *restrict q, const double *restrict v, const double *restrict a,
    const double *restrict frame, double *restrict parts)
{
    frame_derivatives(0, q, v, a, frame, parts);
}

void floating_arm_inverse_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *dtau)
{
    for (long i = 0; i < n; i++)
        floating_arm_inverse_derivatives(q + i*q_stride, v + i*v_stride, a + i*a_stride, dtau + i*243);
}

void floating_arm_inverse_second_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *second)
{
    for (long i = 0; i < n; i++)
        floating_arm_inverse_second_derivatives(q + i*q_stride, v + i*v_stride, a + i*a_stride, second + i*2916);
}

void floating_arm_inverse_weighed_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *weights, long weights_stride, double *second)
{
    for (long i = 0; i < n; i++)
        floating_arm_inverse_weighed_derivatives(q + i*q_stride, v + i*v_stride, a + i*a_stride,
            weights + i*weights_stride, second + i*324);
}

void floating_arm_forward_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *da)
{
    for (long i = 0; i < n; i++)
        floating_arm_forward_derivatives(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, da + i*243);
}

void floating_arm_frame_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *parts)
{
    for (long i = 0; i < n; i++)
        floating_arm_frame_derivatives(q + i*q_stride, v + i*v_stride, a + i*a_stride, frame + i*frame_stride,
            parts + i*216);
}
