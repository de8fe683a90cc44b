/* floating_arm: forward dynamics.
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
 * f, fp, n: force and moment about the link's origin; p: in the parent's axes
 * I, H, M: articulated inertia [I H; H' M]; M also entries of the mass matrix
 * Ip, Hp, Mp, Hs: I, H, M in the parent's axes, H about its origin
 * Un, Uf, D, iD: articulated inertia along the joint's axis, D = its entry there, iD = 1/D (also of M = L'DL)
 * Vn, Vf, uD, dv: Un/D, Uf/D, u/D, acceleration of the joint
 * pn, pf, qn, qf, rn, rf: articulated bias wrench; with the joint's velocity products; in the parent's axes
 * wxp, wwp, wxs: w x p, w x (w x p), w x s
 * zw, za: velocity products of the joint
 * h: half of a turn, R S of R S R'; height along gravity
 * q2, qq, E: twice a quaternion's entries, their products, its rotation
 * RI, Iw: R I; inertia in world axes, or I w
 */

#include "floating_arm_model.h"
#include "kinegen/linear/sincos.h"

/* What is defined and called here, as floating_arm.h declares it. */
void floating_arm_forward_dynamics(const double *q, const double *v, const double *tau, double *a);
void floating_arm_forward_dynamics_damped(const double *q, const double *v, const double *tau, const double *d,
    double *a);
void floating_arm_mass_matrix(const double *q, double *M);
void floating_arm_bias(const double *q, const double *v, double *h);
void floating_arm_forward_dynamics_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *a);
void floating_arm_forward_dynamics_damped_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, const double *d, long d_stride, double *a);

/* Acceleration by articulated bodies. 288 mul, 205 add, 8 div, 2 sincos. */
void floating_arm_forward_dynamics(const double *restrict q, const double *restrict v, const double *restrict tau,
    double *restrict a)
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

    /* base */
    const double neg_za_base_x = v[1]*v[5] - v[2]*v[4];
    const double za_base_y = v[0]*v[5] - v[2]*v[3];
    const double neg_za_base_z = v[0]*v[4] - v[1]*v[3];
    const double Iw_base_x = 0.05416666666666664*v[3];
    const double Iw_base_y = 0.12333333333333334*v[4];
    const double Iw_base_z = 0.14416666666666667*v[5];
    const double wxs_base_y = 0.2*v[5];
    const double neg_wxs_base_z = 0.2*v[4];
    const double pn_base_x = v[4]*Iw_base_z - v[5]*Iw_base_y;
    const double neg_pn_base_y = v[3]*Iw_base_z - v[5]*Iw_base_x;
    const double pn_base_z = v[3]*Iw_base_y - v[4]*Iw_base_x;
    const double neg_pf_base_x = v[4]*neg_wxs_base_z + v[5]*wxs_base_y;
    const double pf_base_y = v[3]*neg_wxs_base_z;
    const double pf_base_z = v[3]*wxs_base_y;

    /* arm_mid */
    const double wp_arm_mid_x = c[0]*v[3] + s[0]*v[4];
    const double neg_wp_arm_mid_y = s[0]*v[3] - c[0]*v[4];
    const double neg_zw_arm_mid_x = v[6]*neg_wp_arm_mid_y;
    const double neg_zw_arm_mid_y = v[6]*wp_arm_mid_x;
    const double w_arm_mid_z = v[5] + v[6];
    const double Iw_arm_mid_x = 0.00012500000000000006*wp_arm_mid_x;
    const double Iw_arm_mid_z = 0.00012500000000000006*w_arm_mid_z;
    const double neg_pn_arm_mid_x = neg_wp_arm_mid_y*Iw_arm_mid_z;
    const double neg_pn_arm_mid_y = wp_arm_mid_x*Iw_arm_mid_z - w_arm_mid_z*Iw_arm_mid_x;
    const double pn_arm_mid_z = neg_wp_arm_mid_y*Iw_arm_mid_x;

    /* arm */
    const double wp_arm_x = s[1]*wp_arm_mid_x + c[1]*w_arm_mid_z;
    const double neg_wp_arm_y = s[1]*w_arm_mid_z - c[1]*wp_arm_mid_x;
    const double neg_zw_arm_x = v[7]*neg_wp_arm_y;
    const double neg_zw_arm_y = v[7]*wp_arm_x;
    const double w2_arm_x = 2.0*wp_arm_x;
    const double w_arm_z = v[7] - neg_wp_arm_mid_y;
    const double Iw_arm_x = 0.08345833333333333*wp_arm_x;
    const double neg_Iw_arm_y = 0.0001250000000000001*neg_wp_arm_y;
    const double Iw_arm_z = 0.08358333333333333*w_arm_z;
    const double neg_wxs_arm_x = 0.25*w_arm_z;
    const double wxs_arm_z = 0.25*wp_arm_x;
    const double neg_pn_arm_x = neg_wp_arm_y*Iw_arm_z - w_arm_z*neg_Iw_arm_y;
    const double neg_pn_arm_y = wp_arm_x*Iw_arm_z - w_arm_z*Iw_arm_x;
    const double neg_pn_arm_z = wp_arm_x*neg_Iw_arm_y - neg_wp_arm_y*Iw_arm_x;
    const double neg_pf_arm_x = neg_wp_arm_y*wxs_arm_z;
    const double neg_pf_arm_y = w_arm_z*neg_wxs_arm_x + wp_arm_x*wxs_arm_z;
    const double neg_pf_arm_z = neg_wp_arm_y*neg_wxs_arm_x;

    /* hand */
    const double neg_wxp_hand_x = p_hand_y*w_arm_z;
    const double wxp_hand_z = p_hand_y*wp_arm_x;
    const double neg_wwp_hand_x = neg_wp_arm_y*wxp_hand_z;
    const double neg_wwp_hand_y = w_arm_z*neg_wxp_hand_x + wp_arm_x*wxp_hand_z;
    const double neg_wwp_hand_z = neg_wp_arm_y*neg_wxp_hand_x;
    const double w2_hand_x = 2.0*w_arm_z;
    const double za_hand_x = v[8]*w2_arm_x;
    const double neg_za_hand_y = v[8]*w2_hand_x;

    /* hand, articulated */
    const double uD_hand = 4.0*tau[8];
    const double qf_hand_x = 0.25*za_hand_x;
    const double neg_qf_hand_y = 0.25*neg_za_hand_y;
    const double neg_fp_hand_x = neg_qf_hand_y + 0.25*neg_wwp_hand_x;
    const double neg_fp_hand_z = 0.25*neg_wwp_hand_z - qf_hand_x;
    const double Hs_hand_xz = 0.25*p_hand_y;
    const double I_arm_xx = 0.08345833333333333 + p_hand_y*Hs_hand_xz;
    const double I_arm_zz = 0.08358333333333333 + p_hand_y*Hs_hand_xz;
    const double H_arm_xz = 0.25 + Hs_hand_xz;
    const double neg_pn_arm_x_2 = neg_pn_arm_x + p_hand_y*neg_fp_hand_z;
    const double pn_arm_z = p_hand_y*neg_fp_hand_x - neg_pn_arm_z;
    const double neg_pf_arm_x_2 = neg_pf_arm_x + neg_fp_hand_x;
    const double pf_arm_y = tau[8] - neg_pf_arm_y;
    const double neg_pf_arm_z_2 = neg_pf_arm_z + neg_fp_hand_z;

    /* arm, articulated */
    const double iD_arm = 1.0/I_arm_zz;
    const double u_arm = tau[7] - pn_arm_z;
    const double Vn_arm_z = I_arm_zz*iD_arm;
    const double neg_Vf_arm_x = H_arm_xz*iD_arm;
    const double M_arm_xx = 0.25 - H_arm_xz*neg_Vf_arm_x;
    const double pn_arm_z_2 = pn_arm_z + u_arm*Vn_arm_z;
    const double neg_pf_arm_x_3 = neg_pf_arm_x_2 + u_arm*neg_Vf_arm_x;
    const double uD_arm = iD_arm*u_arm;
    const double neg_qn_arm_x = neg_pn_arm_x_2 + neg_zw_arm_x*I_arm_xx;
    const double neg_qn_arm_y = neg_pn_arm_y + 0.0001250000000000001*neg_zw_arm_y;
    const double neg_qf_arm_z = neg_pf_arm_z_2 + neg_zw_arm_x*H_arm_xz;
    const double h_Ip_arm = c[1]*I_arm_xx;
    const double neg_h_Ip_arm = 0.0001250000000000001*s[1];
    const double Ip_arm_xx = c[1]*h_Ip_arm + s[1]*neg_h_Ip_arm;
    const double Ip_arm_xy = s[1]*h_Ip_arm - c[1]*neg_h_Ip_arm;
    const double Ip_arm_yy = I_arm_xx + 0.0001250000000000001 - Ip_arm_xx;
    const double h_Hp_arm_xz = s[1]*H_arm_xz;
    const double h_Hp_arm_zz = c[1]*H_arm_xz;
    const double h_Mp_arm = c[1]*M_arm_xx;
    const double Mp_arm_xx = c[1]*h_Mp_arm;
    const double Mp_arm_xy = s[1]*h_Mp_arm;
    const double Mp_arm_yy = M_arm_xx - Mp_arm_xx;
    const double neg_rf_arm_x = s[1]*neg_pf_arm_x_3 - c[1]*pf_arm_y;
    const double neg_rf_arm_z = c[1]*neg_pf_arm_x_3 + s[1]*pf_arm_y;
    const double neg_rn_arm_x = s[1]*neg_qn_arm_x + c[1]*neg_qn_arm_y;
    const double rn_arm_z = s[1]*neg_qn_arm_y - c[1]*neg_qn_arm_x;
    const double I_arm_mid_xx = 0.00012500000000000006 + Ip_arm_yy;
    const double I_arm_mid_zz = 0.00012500000000000006 + Ip_arm_xx;
    const double neg_pn_arm_mid_x_2 = neg_pn_arm_mid_x + neg_rn_arm_x;
    const double neg_pn_arm_mid_y_2 = neg_pn_arm_mid_y - pn_arm_z_2;
    const double pn_arm_mid_z_2 = pn_arm_mid_z + rn_arm_z;

    /* arm_mid, articulated */
    const double iD_arm_mid = 1.0/I_arm_mid_zz;
    const double u_arm_mid = tau[6] - pn_arm_mid_z_2;
    const double Vn_arm_mid_x = Ip_arm_xy*iD_arm_mid;
    const double Vn_arm_mid_z = I_arm_mid_zz*iD_arm_mid;
    const double Vf_arm_mid_y = h_Hp_arm_zz*iD_arm_mid;
    const double neg_I_arm_mid_xx = Ip_arm_xy*Vn_arm_mid_x - I_arm_mid_xx;
    const double neg_H_arm_mid_xy = Ip_arm_xy*Vf_arm_mid_y - h_Hp_arm_xz;
    const double M_arm_mid_yy = 0.25 - h_Hp_arm_zz*Vf_arm_mid_y;
    const double neg_pn_arm_mid_x_3 = neg_pn_arm_mid_x_2 - u_arm_mid*Vn_arm_mid_x;
    const double pn_arm_mid_z_3 = pn_arm_mid_z_2 + u_arm_mid*Vn_arm_mid_z;
    const double neg_pf_arm_mid_y = neg_qf_arm_z - u_arm_mid*Vf_arm_mid_y;
    const double uD_arm_mid = iD_arm_mid*u_arm_mid;
    const double qn_arm_mid_x = neg_zw_arm_mid_x*neg_I_arm_mid_xx - neg_pn_arm_mid_x_3;
    const double qf_arm_mid_y = neg_zw_arm_mid_x*neg_H_arm_mid_xy - neg_pf_arm_mid_y;
    const double neg_h_Ip_arm_mid = c[0]*neg_I_arm_mid_xx;
    const double neg_Ip_arm_mid_xx = c[0]*neg_h_Ip_arm_mid;
    const double neg_Ip_arm_mid_xy = s[0]*neg_h_Ip_arm_mid;
    const double neg_Ip_arm_mid_yy = neg_I_arm_mid_xx - neg_Ip_arm_mid_xx;
    const double neg_h_Hp_arm_mid_xy = c[0]*neg_H_arm_mid_xy;
    const double neg_h_Hp_arm_mid_yy = s[0]*neg_H_arm_mid_xy;
    const double Hp_arm_mid_xx = s[0]*neg_h_Hp_arm_mid_xy;
    const double neg_Hp_arm_mid_xy = c[0]*neg_h_Hp_arm_mid_xy;
    const double Hp_arm_mid_yx = s[0]*neg_h_Hp_arm_mid_yy;
    const double neg_Hp_arm_mid_yy = c[0]*neg_h_Hp_arm_mid_yy;
    const double h_Mp_arm_mid = c[0]*Mp_arm_yy;
    const double neg_h_Mp_arm_mid = s[0]*M_arm_mid_yy;
    const double Mp_arm_mid_xx = c[0]*h_Mp_arm_mid + s[0]*neg_h_Mp_arm_mid;
    const double Mp_arm_mid_xy = s[0]*h_Mp_arm_mid - c[0]*neg_h_Mp_arm_mid;
    const double Mp_arm_mid_yy = Mp_arm_yy + M_arm_mid_yy - Mp_arm_mid_xx;
    const double Mp_arm_mid_xz = c[0]*Mp_arm_xy;
    const double Mp_arm_mid_yz = s[0]*Mp_arm_xy;
    const double neg_rf_arm_mid_x = c[0]*neg_rf_arm_x + s[0]*qf_arm_mid_y;
    const double neg_rf_arm_mid_y = s[0]*neg_rf_arm_x - c[0]*qf_arm_mid_y;
    const double neg_fp_arm_mid_x = neg_rf_arm_mid_x + neg_pf_base_x*Mp_arm_mid_xx - pf_base_y*Mp_arm_mid_xy
        - pf_base_z*Mp_arm_mid_xz;
    const double neg_fp_arm_mid_y = neg_rf_arm_mid_y + neg_pf_base_x*Mp_arm_mid_xy - pf_base_y*Mp_arm_mid_yy
        - pf_base_z*Mp_arm_mid_yz;
    const double neg_fp_arm_mid_z = neg_rf_arm_z + neg_pf_base_x*Mp_arm_mid_xz - pf_base_y*Mp_arm_mid_yz
        - pf_base_z*Mp_arm_xx;
    const double rn_arm_mid_x = c[0]*qn_arm_mid_x + s[0]*neg_pn_arm_mid_y_2;
    const double rn_arm_mid_y = s[0]*qn_arm_mid_x - c[0]*neg_pn_arm_mid_y_2;
    const double Hs_arm_mid_yx = Hp_arm_mid_yx - 0.2*Mp_arm_mid_xz;
    const double neg_Hs_arm_mid_yy = neg_Hp_arm_mid_yy + 0.2*Mp_arm_mid_yz;
    const double neg_Hs_arm_mid_yz = 0.2*Mp_arm_xx;
    const double Hs_arm_mid_zx = 0.2*Mp_arm_mid_xy;
    const double Hs_arm_mid_zy = 0.2*Mp_arm_mid_yy;
    const double Hs_arm_mid_zz = 0.2*Mp_arm_mid_yz;
    const double I_base_xx = 0.05416666666666664 - neg_Ip_arm_mid_xx;
    const double neg_I_base_xz = 0.2*neg_Hp_arm_mid_xy;
    const double I_base_yy = 0.12333333333333334 + 0.2*neg_Hs_arm_mid_yz - neg_Ip_arm_mid_yy;
    const double neg_I_base_yz = 0.2*neg_Hp_arm_mid_yy + 0.2*Hs_arm_mid_zz;
    const double I_base_zz = 0.14416666666666667 + 0.2*Hs_arm_mid_zy;
    const double neg_H_base_yz = 0.2 + neg_Hs_arm_mid_yz;
    const double H_base_zy = 0.2 + Hs_arm_mid_zy;
    const double M_base_xx = 6.0 + Mp_arm_mid_xx;
    const double M_base_yy = 6.0 + Mp_arm_mid_yy;
    const double M_base_zz = 6.0 + Mp_arm_xx;
    const double pn_base_x_2 = pn_base_x + rn_arm_mid_x - neg_pf_base_x*Hp_arm_mid_xx - pf_base_y*neg_Hp_arm_mid_xy;
    const double neg_pn_base_y_2 = neg_pn_base_y + neg_pf_base_x*Hp_arm_mid_yx + pf_base_y*neg_Hp_arm_mid_yy
        - rn_arm_mid_y - 0.2*neg_fp_arm_mid_z;
    const double pn_base_z_2 = pn_base_z + pn_arm_mid_z_3 - 0.2*neg_fp_arm_mid_y;
    const double neg_pf_base_x_2 = neg_pf_base_x + neg_fp_arm_mid_x;
    const double pf_base_y_2 = pf_base_y - neg_fp_arm_mid_y;
    const double pf_base_z_2 = pf_base_z - neg_fp_arm_mid_z;

    /* base, articulated */
    const double iD_base = 1.0/I_base_zz;
    const double u_base = tau[5] - pn_base_z_2;
    const double neg_Vn_base_x = neg_I_base_xz*iD_base;
    const double neg_Vn_base_y = neg_I_base_yz*iD_base;
    const double Vf_base_x = Hs_arm_mid_zx*iD_base;
    const double Vf_base_y = H_base_zy*iD_base;
    const double Vf_base_z = Hs_arm_mid_zz*iD_base;
    const double I_base_xx_2 = I_base_xx - neg_I_base_xz*neg_Vn_base_x;
    const double neg_I_base_xy = neg_Ip_arm_mid_xy + neg_I_base_xz*neg_Vn_base_y;
    const double I_base_yy_2 = I_base_yy - neg_I_base_yz*neg_Vn_base_y;
    const double H_base_xx = Hp_arm_mid_xx + neg_I_base_xz*Vf_base_x;
    const double neg_H_base_xy = neg_Hp_arm_mid_xy - neg_I_base_xz*Vf_base_y;
    const double H_base_xz = neg_I_base_xz*Vf_base_z;
    const double H_base_yx = Hs_arm_mid_yx + neg_I_base_yz*Vf_base_x;
    const double neg_H_base_yy = neg_Hs_arm_mid_yy - neg_I_base_yz*Vf_base_y;
    const double H_base_yz = neg_I_base_yz*Vf_base_z - neg_H_base_yz;
    const double neg_M_base_xx = Hs_arm_mid_zx*Vf_base_x - M_base_xx;
    const double M_base_xy = Mp_arm_mid_xy - Hs_arm_mid_zx*Vf_base_y;
    const double M_base_xz = Mp_arm_mid_xz - Hs_arm_mid_zx*Vf_base_z;
    const double neg_M_base_yy = H_base_zy*Vf_base_y - M_base_yy;
    const double M_base_yz = Mp_arm_mid_yz - H_base_zy*Vf_base_z;
    const double neg_M_base_zz = Hs_arm_mid_zz*Vf_base_z - M_base_zz;
    const double pn_base_x_3 = pn_base_x_2 - u_base*neg_Vn_base_x;
    const double neg_pn_base_y_3 = neg_pn_base_y_2 + u_base*neg_Vn_base_y;
    const double neg_pf_base_x_3 = neg_pf_base_x_2 - u_base*Vf_base_x;
    const double pf_base_y_3 = pf_base_y_2 + u_base*Vf_base_y;
    const double pf_base_z_3 = pf_base_z_2 + u_base*Vf_base_z;
    const double uD_base = iD_base*u_base;
    const double iD_base_2 = 1.0/I_base_yy_2;
    const double u_base_2 = tau[4] + neg_pn_base_y_3;
    const double neg_Vn_base_x_2 = neg_I_base_xy*iD_base_2;
    const double Vf_base_x_2 = H_base_yx*iD_base_2;
    const double neg_Vf_base_y = neg_H_base_yy*iD_base_2;
    const double Vf_base_z_2 = H_base_yz*iD_base_2;
    const double I_base_xx_3 = I_base_xx_2 - neg_I_base_xy*neg_Vn_base_x_2;
    const double H_base_xx_2 = H_base_xx + neg_I_base_xy*Vf_base_x_2;
    const double neg_H_base_xy_2 = neg_H_base_xy + neg_I_base_xy*neg_Vf_base_y;
    const double H_base_xz_2 = H_base_xz + neg_I_base_xy*Vf_base_z_2;
    const double neg_M_base_xx_2 = neg_M_base_xx + H_base_yx*Vf_base_x_2;
    const double M_base_xy_2 = M_base_xy + H_base_yx*neg_Vf_base_y;
    const double neg_M_base_xz = H_base_yx*Vf_base_z_2 - M_base_xz;
    const double neg_M_base_yy_2 = neg_M_base_yy + neg_H_base_yy*neg_Vf_base_y;
    const double M_base_yz_2 = M_base_yz + neg_H_base_yy*Vf_base_z_2;
    const double neg_M_base_zz_2 = neg_M_base_zz + H_base_yz*Vf_base_z_2;
    const double pn_base_x_4 = pn_base_x_3 - u_base_2*neg_Vn_base_x_2;
    const double neg_pf_base_x_4 = neg_pf_base_x_3 - u_base_2*Vf_base_x_2;
    const double pf_base_y_4 = pf_base_y_3 - u_base_2*neg_Vf_base_y;
    const double pf_base_z_4 = pf_base_z_3 + u_base_2*Vf_base_z_2;
    const double uD_base_2 = iD_base_2*u_base_2;
    const double iD_base_3 = 1.0/I_base_xx_3;
    const double u_base_3 = tau[3] - pn_base_x_4;
    const double Vf_base_x_3 = H_base_xx_2*iD_base_3;
    const double neg_Vf_base_y_2 = neg_H_base_xy_2*iD_base_3;
    const double Vf_base_z_3 = H_base_xz_2*iD_base_3;
    const double neg_M_base_xx_3 = neg_M_base_xx_2 + H_base_xx_2*Vf_base_x_3;
    const double M_base_xy_3 = M_base_xy_2 + H_base_xx_2*neg_Vf_base_y_2;
    const double neg_M_base_xz_2 = neg_M_base_xz + H_base_xx_2*Vf_base_z_3;
    const double neg_M_base_yy_3 = neg_M_base_yy_2 + neg_H_base_xy_2*neg_Vf_base_y_2;
    const double M_base_yz_3 = M_base_yz_2 + neg_H_base_xy_2*Vf_base_z_3;
    const double neg_M_base_zz_3 = neg_M_base_zz_2 + H_base_xz_2*Vf_base_z_3;
    const double neg_pf_base_x_5 = neg_pf_base_x_4 - u_base_3*Vf_base_x_3;
    const double pf_base_y_5 = pf_base_y_4 - u_base_3*neg_Vf_base_y_2;
    const double pf_base_z_5 = pf_base_z_4 + u_base_3*Vf_base_z_3;
    const double uD_base_3 = iD_base_3*u_base_3;
    const double iD_base_4 = 1.0/(-neg_M_base_zz_3);
    const double u_base_4 = tau[2] - pf_base_z_5;
    const double neg_Vf_base_x = neg_M_base_xz_2*iD_base_4;
    const double Vf_base_y_2 = M_base_yz_3*iD_base_4;
    const double neg_Vf_base_z = neg_M_base_zz_3*iD_base_4;
    const double neg_M_base_xx_4 = neg_M_base_xx_3 + neg_M_base_xz_2*neg_Vf_base_x;
    const double M_base_xy_4 = M_base_xy_3 + neg_M_base_xz_2*Vf_base_y_2;
    const double neg_M_base_yy_4 = neg_M_base_yy_3 + M_base_yz_3*Vf_base_y_2;
    const double neg_pf_base_x_6 = neg_pf_base_x_5 + u_base_4*neg_Vf_base_x;
    const double pf_base_y_6 = pf_base_y_5 + u_base_4*Vf_base_y_2;
    const double uD_base_4 = iD_base_4*u_base_4;
    const double iD_base_5 = 1.0/(-neg_M_base_yy_4);
    const double u_base_5 = tau[1] - pf_base_y_6;
    const double Vf_base_x_4 = M_base_xy_4*iD_base_5;
    const double neg_Vf_base_y_3 = neg_M_base_yy_4*iD_base_5;
    const double neg_M_base_xx_5 = neg_M_base_xx_4 + M_base_xy_4*Vf_base_x_4;
    const double neg_pf_base_x_7 = neg_pf_base_x_6 - u_base_5*Vf_base_x_4;
    const double uD_base_5 = iD_base_5*u_base_5;
    const double iD_base_6 = 1.0/(-neg_M_base_xx_5);
    const double u_base_6 = tau[0] + neg_pf_base_x_7;
    const double neg_Vf_base_x_2 = neg_M_base_xx_5*iD_base_6;
    const double uD_base_6 = iD_base_6*u_base_6;

    /* base, acceleration */
    const double aq_base_x = 9.81*E_base_zx;
    const double aq_base_y = 9.81*E_base_zy;
    const double aq_base_z = 9.81*E_base_zz;
    const double neg_aq_base_x = neg_za_base_x - aq_base_x;
    const double aq_base_y_2 = aq_base_y + za_base_y;
    const double neg_aq_base_z = neg_za_base_z - aq_base_z;
    const double neg_dv_base = neg_Vf_base_x_2*neg_aq_base_x - uD_base_6;
    a[0] = -neg_dv_base;
    const double neg_a_base_x = neg_aq_base_x + neg_dv_base;
    const double dv_base = uD_base_5 + Vf_base_x_4*neg_a_base_x + neg_Vf_base_y_3*aq_base_y_2;
    a[1] = dv_base;
    const double a_base_y = aq_base_y_2 + dv_base;
    const double neg_dv_base_2 = neg_Vf_base_x*neg_a_base_x + Vf_base_y_2*a_base_y + neg_Vf_base_z*neg_aq_base_z
        - uD_base_4;
    a[2] = -neg_dv_base_2;
    const double neg_a_base_z = neg_aq_base_z + neg_dv_base_2;
    const double dv_base_2 = uD_base_3 + Vf_base_x_3*neg_a_base_x + neg_Vf_base_y_2*a_base_y + Vf_base_z_3*neg_a_base_z;
    a[3] = dv_base_2;
    const double dv_base_3 = uD_base_2 + neg_Vn_base_x_2*dv_base_2 + Vf_base_x_2*neg_a_base_x
        + neg_Vf_base_y*a_base_y + Vf_base_z_2*neg_a_base_z;
    a[4] = dv_base_3;
    const double dv_base_4 = uD_base + neg_Vn_base_x*dv_base_2 + neg_Vn_base_y*dv_base_3 + Vf_base_x*neg_a_base_x
        + Vf_base_z*neg_a_base_z - Vf_base_y*a_base_y;
    a[5] = dv_base_4;

    /* arm_mid, acceleration */
    const double neg_ap_arm_mid_x = neg_a_base_x + neg_pf_base_x;
    const double ap_arm_mid_y = a_base_y + 0.2*dv_base_4 + pf_base_y;
    const double ap_arm_mid_z = pf_base_z - neg_a_base_z - 0.2*dv_base_3;
    const double dwp_arm_mid_x = c[0]*dv_base_2 + s[0]*dv_base_3;
    const double neg_dwp_arm_mid_y = s[0]*dv_base_2 - c[0]*dv_base_3;
    const double neg_dwq_arm_mid_x = neg_zw_arm_mid_x - dwp_arm_mid_x;
    const double neg_dwq_arm_mid_y = neg_dwp_arm_mid_y + neg_zw_arm_mid_y;
    const double aq_arm_mid_x = s[0]*ap_arm_mid_y - c[0]*neg_ap_arm_mid_x;
    const double aq_arm_mid_y = s[0]*neg_ap_arm_mid_x + c[0]*ap_arm_mid_y;
    const double dv_arm_mid = uD_arm_mid + Vn_arm_mid_x*neg_dwq_arm_mid_x - Vn_arm_mid_z*dv_base_4
        - Vf_arm_mid_y*aq_arm_mid_y;
    a[6] = dv_arm_mid;

    /* arm, acceleration */
    const double aq_arm_x = s[1]*aq_arm_mid_x + c[1]*ap_arm_mid_z;
    const double neg_aq_arm_y = s[1]*ap_arm_mid_z - c[1]*aq_arm_mid_x;
    const double dv_arm = uD_arm + Vn_arm_z*neg_dwq_arm_mid_y + neg_Vf_arm_x*aq_arm_x;
    a[7] = dv_arm;

    /* hand, acceleration */
    const double neg_ap_hand_y = neg_aq_arm_y + neg_wwp_hand_y;
    const double dv_hand = uD_hand + neg_ap_hand_y;
    a[8] = dv_hand;
}

void floating_arm_forward_dynamics_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *a)
{
    for (long i = 0; i < n; i++)
        floating_arm_forward_dynamics(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, a + i*9);
}

/* Where each row of L of M = L'DL begins. */
static const int factor_row[] = {0, 0, 1, 3, 6, 10, 15, 21, 28, 36};
/* The columns in which its entries stand. */
static const int factor_column[] = {0, 0, 1, 0, 1, 2, 0, 1, 2, 3, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 6,
    0, 1, 2, 3, 4, 5, 6, 7};

#include "kinegen/tree/forward_dynamics_damped.h"

/* Acceleration a of (M + diag d) a = tau - h. */
void floating_arm_forward_dynamics_damped(const double *restrict q, const double *restrict v,
    const double *restrict tau, const double *restrict d, double *restrict a)
{
    forward_dynamics_damped(0, q, v, tau, d, a);
}

void floating_arm_forward_dynamics_damped_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, const double *d, long d_stride, double *a)
{
    for (long i = 0; i < n; i++)
        floating_arm_forward_dynamics_damped(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, d + i*d_stride,
            a + i*9);
}
