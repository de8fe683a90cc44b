/* floating_arm: rate of the momentum, mass and gravity.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, along the axes of the link where nothing else is said.
 * neg_..: the negative of what the name says; _2, _3: the same quantity, further on; an output's name and a number: an
 * entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * R, p: pose in the parent or, where poses are asked for, in the world
 * w, wp: angular velocity; that of the parent in the link's axes
 * dw, dwp, dwq: rate of w; the parent's; with velocity products of the joint
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * w2: 2 wp + velocity of the joint, for Coriolis
 * ww: products of entries of w
 * U: [dw]x + [w]x[w]x
 * q2, qq, E: twice a quaternion's entries, their products, its rotation
 * pG, vG, aG, Gx, ddq: centre of mass: position, velocity, acceleration; its part by joint accelerations
 * r, rr: arm, or right-hand side; products of its entries
 * st, mt, sr, sG, It: subtree: first moment, mass, first moment about the joint, about the centre of mass, inertia
 * RI, Iw, Ic: R I; inertia in world axes, or I w; about the centre of mass
 * com, F, N, dP, dL: centre of mass; force, moment that move a link; rates of the momentum
 */

#include "floating_arm.h"
#include "kinegen/linear/sincos.h"

/* Rate of the momentum: linear, angular about the centre of mass. 231 mul, 174 add, 2 sincos. */
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

    /* arm_mid */
    const double R_arm_mid_xx = E_base_xx*c[0] + E_base_xy*s[0];
    const double neg_R_arm_mid_xy = E_base_xx*s[0] - E_base_xy*c[0];
    const double R_arm_mid_yx = E_base_yx*c[0] + E_base_yy*s[0];
    const double neg_R_arm_mid_yy = E_base_yx*s[0] - E_base_yy*c[0];
    const double R_arm_mid_zx = E_base_zx*c[0] + E_base_zy*s[0];
    const double neg_R_arm_mid_zy = E_base_zx*s[0] - E_base_zy*c[0];
    const double p_arm_mid_x = q[0] + 0.2*E_base_xx;
    const double p_arm_mid_y = q[1] + 0.2*E_base_yx;
    const double p_arm_mid_z = q[2] + 0.2*E_base_zx;

    /* arm */
    const double R_arm_xx = s[1]*R_arm_mid_xx + E_base_xz*c[1];
    const double neg_R_arm_xy = E_base_xz*s[1] - c[1]*R_arm_mid_xx;
    const double R_arm_yx = s[1]*R_arm_mid_yx + E_base_yz*c[1];
    const double neg_R_arm_yy = E_base_yz*s[1] - c[1]*R_arm_mid_yx;
    const double R_arm_zx = s[1]*R_arm_mid_zx + E_base_zz*c[1];
    const double neg_R_arm_zy = E_base_zz*s[1] - c[1]*R_arm_mid_zx;

    /* hand */
    const double neg_p_hand_x = p_hand_y*neg_R_arm_xy - p_arm_mid_x;
    const double neg_p_hand_y = p_hand_y*neg_R_arm_yy - p_arm_mid_y;
    const double neg_p_hand_z = p_hand_y*neg_R_arm_zy - p_arm_mid_z;
    const double pG_arm_x = p_arm_mid_x - 0.25*neg_R_arm_xy;
    const double pG_arm_y = p_arm_mid_y - 0.25*neg_R_arm_yy;
    const double pG_arm_z = p_arm_mid_z - 0.25*neg_R_arm_zy;
    const double neg_st_hand_x = 0.25*neg_p_hand_x;
    const double neg_st_hand_y = 0.25*neg_p_hand_y;
    const double neg_st_hand_z = 0.25*neg_p_hand_z;
    const double st_arm_x = pG_arm_x - neg_st_hand_x;
    const double st_arm_y = pG_arm_y - neg_st_hand_y;
    const double st_arm_z = pG_arm_z - neg_st_hand_z;
    const double st_base_x = 5.0*q[0] + st_arm_x;
    const double st_base_y = 5.0*q[1] + st_arm_y;
    const double st_base_z = 5.0*q[2] + st_arm_z;
    const double com_x = 0.16*st_base_x;
    const double com_y = 0.16*st_base_y;
    const double com_z = 0.16*st_base_z;

    /* base */
    const double neg_a_base_x = v[1]*v[5] - a[0] - v[2]*v[4];
    const double a_base_y = a[1] + v[0]*v[5] - v[2]*v[3];
    const double neg_a_base_z = v[0]*v[4] - a[2] - v[1]*v[3];
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
    const double ap_arm_mid_y = a_base_y + 0.2*U_base_yx;
    const double neg_ap_arm_mid_z = neg_a_base_z + 0.2*neg_U_base_zx;
    const double a_arm_mid_x = s[0]*ap_arm_mid_y - c[0]*neg_ap_arm_mid_x;
    const double a_arm_mid_y = s[0]*neg_ap_arm_mid_x + c[0]*ap_arm_mid_y;

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
    const double neg_a_hand_y = neg_ap_hand_x + v[8]*w2_hand_x;
    const double a_hand_z = a[8] - neg_ap_hand_y;
    const double neg_F_base_x = 5.0*E_base_xx*neg_a_base_x + 5.0*E_base_xz*neg_a_base_z - 5.0*E_base_xy*a_base_y;
    const double neg_F_base_y = 5.0*E_base_yx*neg_a_base_x + 5.0*E_base_yz*neg_a_base_z - 5.0*E_base_yy*a_base_y;
    const double neg_F_base_z = 5.0*E_base_zx*neg_a_base_x + 5.0*E_base_zz*neg_a_base_z - 5.0*E_base_zy*a_base_y;
    const double Iw_base_x = 0.05416666666666667*v[3];
    const double Iw_base_y = 0.08333333333333336*v[4];
    const double Iw_base_z = 0.10416666666666667*v[5];
    const double N_base_x = 0.05416666666666667*a[3] + v[4]*Iw_base_z - v[5]*Iw_base_y;
    const double neg_N_base_y = v[3]*Iw_base_z - 0.08333333333333336*a[4] - v[5]*Iw_base_x;
    const double N_base_z = 0.10416666666666667*a[5] + v[3]*Iw_base_y - v[4]*Iw_base_x;
    const double r_base_x = q[0] - com_x;
    const double r_base_y = q[1] - com_y;
    const double r_base_z = q[2] - com_z;
    const double dL_x = E_base_xx*N_base_x + E_base_xz*N_base_z + neg_F_base_y*r_base_z - E_base_xy*neg_N_base_y
        - neg_F_base_z*r_base_y;
    const double dL_y = E_base_yx*N_base_x + E_base_yz*N_base_z + neg_F_base_z*r_base_x - E_base_yy*neg_N_base_y
        - neg_F_base_x*r_base_z;
    const double dL_z = E_base_zx*N_base_x + E_base_zz*N_base_z + neg_F_base_x*r_base_y - E_base_zy*neg_N_base_y
        - neg_F_base_y*r_base_x;
    const double aG_arm_x = a_arm_x - 0.25*neg_U_arm_xy;
    const double aG_arm_y = a_arm_y - 0.25*neg_U_arm_yy;
    const double aG_arm_z = a_arm_mid_y - 0.25*neg_U_arm_zy;
    const double neg_F_arm_x = neg_R_arm_xy*aG_arm_y + neg_R_arm_mid_xy*aG_arm_z - R_arm_xx*aG_arm_x;
    const double neg_F_arm_y = neg_R_arm_yy*aG_arm_y + neg_R_arm_mid_yy*aG_arm_z - R_arm_yx*aG_arm_x;
    const double neg_F_arm_z = neg_R_arm_zy*aG_arm_y + neg_R_arm_mid_zy*aG_arm_z - R_arm_zx*aG_arm_x;
    const double Iw_arm_x = 0.020833333333333332*wp_arm_x;
    const double Iw_arm_z = 0.020833333333333332*w_arm_z;
    const double neg_N_arm_x = 0.020833333333333332*neg_dw_arm_x + neg_wp_arm_y*Iw_arm_z;
    const double neg_N_arm_y = wp_arm_x*Iw_arm_z - w_arm_z*Iw_arm_x;
    const double N_arm_z = 0.020833333333333332*dw_arm_z + neg_wp_arm_y*Iw_arm_x;
    const double r_arm_x = pG_arm_x - com_x;
    const double r_arm_y = pG_arm_y - com_y;
    const double r_arm_z = pG_arm_z - com_z;
    const double neg_dP_x = neg_F_base_x + neg_F_arm_x;
    const double neg_dP_y = neg_F_base_y + neg_F_arm_y;
    const double neg_dP_z = neg_F_base_z + neg_F_arm_z;
    const double neg_dL_x = R_arm_xx*neg_N_arm_x + neg_R_arm_mid_xy*N_arm_z + neg_F_arm_z*r_arm_y - dL_x
        - neg_R_arm_xy*neg_N_arm_y - neg_F_arm_y*r_arm_z;
    const double neg_dL_y = R_arm_yx*neg_N_arm_x + neg_R_arm_mid_yy*N_arm_z + neg_F_arm_x*r_arm_z - dL_y
        - neg_R_arm_yy*neg_N_arm_y - neg_F_arm_z*r_arm_x;
    const double neg_dL_z = R_arm_zx*neg_N_arm_x + neg_R_arm_mid_zy*N_arm_z + neg_F_arm_y*r_arm_x - dL_z
        - neg_R_arm_zy*neg_N_arm_y - neg_F_arm_x*r_arm_y;
    const double neg_F_hand_x = 0.25*neg_R_arm_mid_xy*a_hand_x + 0.25*R_arm_xx*neg_a_hand_y
        + 0.25*neg_R_arm_xy*a_hand_z;
    const double neg_F_hand_y = 0.25*neg_R_arm_mid_yy*a_hand_x + 0.25*R_arm_yx*neg_a_hand_y
        + 0.25*neg_R_arm_yy*a_hand_z;
    const double neg_F_hand_z = 0.25*neg_R_arm_mid_zy*a_hand_x + 0.25*R_arm_zx*neg_a_hand_y
        + 0.25*neg_R_arm_zy*a_hand_z;
    const double Iw_hand_x = 0.00025000000000000006*w_arm_z;
    const double Iw_hand_y = 0.00025000000000000006*wp_arm_x;
    const double neg_Iw_hand_z = 0.00025000000000000006*neg_wp_arm_y;
    const double neg_N_hand_x = wp_arm_x*neg_Iw_hand_z - 0.00025000000000000006*dw_arm_z - neg_wp_arm_y*Iw_hand_y;
    const double neg_N_hand_y = 0.00025000000000000006*neg_dw_arm_x + neg_wp_arm_y*Iw_hand_x - w_arm_z*neg_Iw_hand_z;
    const double neg_N_hand_z = 0.00025000000000000006*neg_dw_arm_y + wp_arm_x*Iw_hand_x - w_arm_z*Iw_hand_y;
    const double neg_r_hand_x = neg_p_hand_x + com_x;
    const double neg_r_hand_y = neg_p_hand_y + com_y;
    const double neg_r_hand_z = neg_p_hand_z + com_z;
    const double neg_dP_x_2 = neg_dP_x + neg_F_hand_x;
    momentum_rate[0] = -neg_dP_x_2;
    const double neg_dP_y_2 = neg_dP_y + neg_F_hand_y;
    momentum_rate[1] = -neg_dP_y_2;
    const double neg_dP_z_2 = neg_dP_z + neg_F_hand_z;
    momentum_rate[2] = -neg_dP_z_2;
    const double dL_x_2 = neg_R_arm_mid_xy*neg_N_hand_x + neg_R_arm_xy*neg_N_hand_z + neg_F_hand_z*neg_r_hand_y
        - neg_dL_x - R_arm_xx*neg_N_hand_y - neg_F_hand_y*neg_r_hand_z;
    momentum_rate[3] = dL_x_2;
    const double dL_y_2 = neg_R_arm_mid_yy*neg_N_hand_x + neg_R_arm_yy*neg_N_hand_z + neg_F_hand_x*neg_r_hand_z
        - neg_dL_y - R_arm_yx*neg_N_hand_y - neg_F_hand_z*neg_r_hand_x;
    momentum_rate[4] = dL_y_2;
    const double dL_z_2 = neg_R_arm_mid_zy*neg_N_hand_x + neg_R_arm_zy*neg_N_hand_z + neg_F_hand_y*neg_r_hand_x
        - neg_dL_z - R_arm_zx*neg_N_hand_y - neg_F_hand_x*neg_r_hand_y;
    momentum_rate[5] = dL_z_2;
}

void floating_arm_momentum_rate_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *momentum_rate)
{
    for (long i = 0; i < n; i++)
        floating_arm_momentum_rate(q + i*q_stride, v + i*v_stride, a + i*a_stride, momentum_rate + i*6);
}

/* Mass of all links. no operations. */
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

/* Acceleration of gravity, world axes. no operations. */
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

