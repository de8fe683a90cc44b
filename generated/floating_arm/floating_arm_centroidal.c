/* floating_arm: rate of the momentum, mass and gravity.
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
 * w2: 2 wp + velocity of the joint, for Coriolis
 * ww: products of entries of w
 * U: [dw]x + [w]x[w]x
 * q2, qq, E: twice a quaternion's entries, their products, its rotation
 * st, mt: subtree: first moment, mass
 * com, F, N: centre of mass; force, moment that move a link
 * P, Pp, L: momentum, or its rate: linear, p: in the parent's axes; angular (L also the factor of M = L'DL)
 */

#include "kinegen/linear/sincos.h"

/* What is defined and called here, as floating_arm.h declares it. */
void floating_arm_momentum_rate(const double *q, const double *v, const double *a, double *momentum_rate);
void floating_arm_total_mass(const double *q, double *mass);
void floating_arm_gravity_acceleration(const double *q, double *g);
void floating_arm_momentum_rate_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *momentum_rate);
void floating_arm_total_mass_batch(long n, const double *q, long q_stride, double *mass);
void floating_arm_gravity_acceleration_batch(long n, const double *q, long q_stride, double *g);

/* Rate of the momentum: linear, angular about the centre of mass. 148 mul, 116 add, 2 sincos. */
void floating_arm_momentum_rate(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict momentum_rate)
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

    /* base */
    const double neg_a_base_x = v[1]*v[5] - a[0] - v[2]*v[4];
    const double a_base_y = a[1] + v[0]*v[5] - v[2]*v[3];
    const double neg_a_base_z = v[0]*v[4] - a[2] - v[1]*v[3];
    const double ww_base = v[4]*v[4];
    const double ww_base_2 = v[5]*v[5];
    const double ww_base_3 = v[3]*v[4];
    const double ww_base_4 = v[3]*v[5];
    const double ww_base_5 = v[4]*v[5];
    const double neg_U_base_xx = ww_base + ww_base_2;
    const double neg_U_base_xy = a[5] - ww_base_3;
    const double U_base_xz = ww_base_4 + a[4];
    const double U_base_yx = ww_base_3 + a[5];
    const double neg_U_base_yz = a[3] - ww_base_5;
    const double neg_U_base_zx = a[4] - ww_base_4;
    const double U_base_zy = ww_base_5 + a[3];

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
    const double ap_arm_mid_y = a_base_y + 0.2*U_base_yx;
    const double neg_ap_arm_mid_z = neg_a_base_z + 0.2*neg_U_base_zx;
    const double a_arm_mid_x = s[0]*ap_arm_mid_y - c[0]*neg_ap_arm_mid_x;
    const double a_arm_mid_y = s[0]*neg_ap_arm_mid_x + c[0]*ap_arm_mid_y;
    const double neg_ww_arm_mid = wp_arm_mid_x*neg_wp_arm_mid_y;
    const double neg_ww_arm_mid_2 = neg_wp_arm_mid_y*w_arm_mid_z;
    const double neg_U_arm_mid_xy = neg_ww_arm_mid + dw_arm_mid_z;
    const double neg_U_arm_mid_zy = neg_ww_arm_mid_2 + neg_dw_arm_mid_x;

    /* arm */
    const double wp_arm_x = s[1]*wp_arm_mid_x + c[1]*w_arm_mid_z;
    const double neg_wp_arm_y = s[1]*w_arm_mid_z - c[1]*wp_arm_mid_x;
    const double w_arm_z = v[7] - neg_wp_arm_mid_y;
    const double neg_dwp_arm_x = s[1]*neg_dw_arm_mid_x - c[1]*dw_arm_mid_z;
    const double neg_dwp_arm_y = c[1]*neg_dw_arm_mid_x + s[1]*dw_arm_mid_z;
    const double neg_dw_arm_x = neg_dwp_arm_x + v[7]*neg_wp_arm_y;
    const double neg_dw_arm_y = neg_dwp_arm_y + v[7]*wp_arm_x;
    const double dw_arm_z = a[7] - neg_dw_arm_mid_y;
    const double w2_arm_x = 2.0*wp_arm_x;
    const double a_arm_x = s[1]*a_arm_mid_x - c[1]*neg_ap_arm_mid_z;
    const double a_arm_y = c[1]*a_arm_mid_x + s[1]*neg_ap_arm_mid_z;
    const double ww_arm = wp_arm_x*wp_arm_x;
    const double ww_arm_2 = w_arm_z*w_arm_z;
    const double neg_ww_arm = wp_arm_x*neg_wp_arm_y;
    const double ww_arm_3 = wp_arm_x*w_arm_z;
    const double neg_ww_arm_2 = neg_wp_arm_y*w_arm_z;
    const double neg_U_arm_xy = neg_ww_arm + dw_arm_z;
    const double U_arm_yx = dw_arm_z - neg_ww_arm;
    const double neg_U_arm_yy = ww_arm + ww_arm_2;
    const double U_arm_zx = ww_arm_3 + neg_dw_arm_y;
    const double neg_U_arm_zy = neg_ww_arm_2 + neg_dw_arm_x;

    /* hand */
    const double neg_ap_hand_x = p_hand_y*neg_U_arm_xy - a_arm_x;
    const double neg_ap_hand_y = p_hand_y*neg_U_arm_yy - a_arm_y;
    const double neg_ap_hand_z = p_hand_y*neg_U_arm_zy - a_arm_mid_y;
    const double w2_hand_x = 2.0*w_arm_z;
    const double a_hand_x = v[8]*w2_arm_x - neg_ap_hand_z;
    const double neg_a_hand_y = neg_ap_hand_x + v[8]*w2_hand_x;
    const double a_hand_z = a[8] - neg_ap_hand_y;
    const double neg_F_base_x = 6.0*neg_a_base_x + 0.2*neg_U_base_xx;
    const double F_base_y = 6.0*a_base_y + 0.2*U_base_yx;
    const double neg_F_base_z = 6.0*neg_a_base_z + 0.2*neg_U_base_zx;
    const double neg_F_arm_x = 0.25*neg_U_arm_xy;
    const double neg_F_arm_y = 0.25*neg_U_arm_yy;
    const double neg_F_arm_z = 0.25*neg_U_arm_zy;
    const double F_hand_x = 0.25*a_hand_x;
    const double neg_F_hand_y = 0.25*neg_a_hand_y;
    const double F_hand_z = 0.25*a_hand_z;
    const double N_base_x = 0.03749999999999999*U_base_zy + 0.016666666666666677*neg_U_base_yz;
    const double N_base_y = 0.016666666666666677*U_base_xz + 0.10666666666666669*neg_U_base_zx + 0.2*neg_a_base_z;
    const double N_base_z = 0.10666666666666669*U_base_yx + 0.03749999999999999*neg_U_base_xy + 0.2*a_base_y;
    const double neg_N_arm_mid_x = 0.00012500000000000006*neg_U_arm_mid_zy;
    const double N_arm_mid_z = 0.00012500000000000006*neg_U_arm_mid_xy;
    const double N_arm_x = 0.25*a_arm_mid_y - 0.08345833333333333*neg_U_arm_zy;
    const double neg_N_arm_y = 0.00012500000000000006*U_arm_zx;
    const double neg_N_arm_z = 0.25*a_arm_x - 0.00012500000000000006*U_arm_yx - 0.08345833333333333*neg_U_arm_xy;
    const double neg_P_arm_x = neg_F_arm_x + neg_F_hand_y;
    const double neg_P_arm_y = neg_F_arm_y - F_hand_z;
    const double neg_P_arm_z = neg_F_arm_z - F_hand_x;
    const double L_arm_x = N_arm_x + p_hand_y*F_hand_x;
    const double L_arm_z = p_hand_y*neg_F_hand_y - neg_N_arm_z;
    const double neg_Pp_arm_x = s[1]*neg_P_arm_x + c[1]*neg_P_arm_y;
    const double Pp_arm_z = s[1]*neg_P_arm_y - c[1]*neg_P_arm_x;
    const double L_arm_mid_x = s[1]*L_arm_x - neg_N_arm_mid_x - c[1]*neg_N_arm_y;
    const double L_arm_mid_z = N_arm_mid_z + c[1]*L_arm_x + s[1]*neg_N_arm_y;
    const double Pp_arm_mid_x = s[0]*neg_P_arm_z - c[0]*neg_Pp_arm_x;
    const double neg_Pp_arm_mid_y = s[0]*neg_Pp_arm_x + c[0]*neg_P_arm_z;
    const double neg_P_base_x = neg_F_base_x - Pp_arm_mid_x;
    const double P_base_y = F_base_y - neg_Pp_arm_mid_y;
    const double neg_P_base_z = neg_F_base_z - Pp_arm_z;
    const double neg_L_base_x = s[0]*L_arm_z - N_base_x - c[0]*L_arm_mid_x;
    const double L_base_y = N_base_y + s[0]*L_arm_mid_x + c[0]*L_arm_z - 0.2*Pp_arm_z;
    const double L_base_z = N_base_z + L_arm_mid_z - 0.2*neg_Pp_arm_mid_y;
    const double st_arm_y = 0.25 + 0.25*p_hand_y;
    const double st_arm_mid_x = c[1]*st_arm_y;
    const double neg_st_arm_mid_z = s[1]*st_arm_y;
    const double st_base_x = 0.25 + c[0]*st_arm_mid_x;
    const double st_base_y = s[0]*st_arm_mid_x;
    const double com_x = 0.16*st_base_x;
    const double com_y = 0.16*st_base_y;
    const double neg_com_z = 0.16*neg_st_arm_mid_z;
    const double neg_L_x = neg_L_base_x + P_base_y*neg_com_z - neg_P_base_z*com_y;
    const double neg_L_y = neg_P_base_x*neg_com_z + neg_P_base_z*com_x - L_base_y;
    const double neg_L_z = P_base_y*com_x + neg_P_base_x*com_y - L_base_z;
    const double neg_momentum_rate_0 = E_base_xx*neg_P_base_x + E_base_xz*neg_P_base_z - E_base_xy*P_base_y;
    momentum_rate[0] = -neg_momentum_rate_0;
    const double neg_momentum_rate_1 = E_base_yx*neg_P_base_x + E_base_yz*neg_P_base_z - E_base_yy*P_base_y;
    momentum_rate[1] = -neg_momentum_rate_1;
    const double neg_momentum_rate_2 = E_base_zx*neg_P_base_x + E_base_zz*neg_P_base_z - E_base_zy*P_base_y;
    momentum_rate[2] = -neg_momentum_rate_2;
    const double neg_momentum_rate_3 = E_base_xx*neg_L_x + E_base_xy*neg_L_y + E_base_xz*neg_L_z;
    momentum_rate[3] = -neg_momentum_rate_3;
    const double neg_momentum_rate_4 = E_base_yx*neg_L_x + E_base_yy*neg_L_y + E_base_yz*neg_L_z;
    momentum_rate[4] = -neg_momentum_rate_4;
    const double neg_momentum_rate_5 = E_base_zx*neg_L_x + E_base_zy*neg_L_y + E_base_zz*neg_L_z;
    momentum_rate[5] = -neg_momentum_rate_5;
}

void floating_arm_momentum_rate_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *momentum_rate)
{
    for (long i = 0; i < n; i++)
        floating_arm_momentum_rate(q + i*q_stride, v + i*v_stride, a + i*a_stride, momentum_rate + i*6);
}

/* Mass of all links. No operations. */
void floating_arm_total_mass(const double *restrict q, double *restrict mass)
{
    (void)q;
    mass[0] = 6.25;
}

void floating_arm_total_mass_batch(long n, const double *q, long q_stride, double *mass)
{
    for (long i = 0; i < n; i++)
        floating_arm_total_mass(q + i*q_stride, mass + i*1);
}

/* Acceleration of gravity, world axes. No operations. */
void floating_arm_gravity_acceleration(const double *restrict q, double *restrict g)
{
    (void)q;
    g[0] = 0.0;
    g[1] = 0.0;
    g[2] = -9.81;
}

void floating_arm_gravity_acceleration_batch(long n, const double *q, long q_stride, double *g)
{
    for (long i = 0; i < n; i++)
        floating_arm_gravity_acceleration(q + i*q_stride, g + i*3);
}

