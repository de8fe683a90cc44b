/* floating_arm: inverse dynamics and mass matrix.
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
 * f, fp, n: force and moment about the link's origin; p: in the parent's axes
 * m, s, S: mass, first moment and second moment of mass
 * sp, Sp, sq, RS: s, S in the parent's axes, s about its origin, R S
 * h: half of a turn, R S of R S R'; height along gravity
 * q2, qq, E: twice a quaternion's entries, their products, its rotation
 */

#include "kinegen/linear/sincos.h"

/* What is defined and called here, as floating_arm.h declares it. */
void floating_arm_inverse_dynamics(const double *q, const double *v, const double *a, double *tau);
void floating_arm_bias(const double *q, const double *v, double *h);
void floating_arm_gravity(const double *q, double *g);
void floating_arm_mass_matrix(const double *q, double *M);
void floating_arm_inverse_dynamics_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *tau);
void floating_arm_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride, double *h);
void floating_arm_gravity_batch(long n, const double *q, long q_stride, double *g);
void floating_arm_mass_matrix_batch(long n, const double *q, long q_stride, double *M);

/* Joint forces tau of the open chain, by recursion in link frames. 116 mul, 91 add, 2 sincos. */
void floating_arm_inverse_dynamics(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict tau)
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
    const double a_base_x = 9.81*E_base_zx;
    const double a_base_y = 9.81*E_base_zy;
    const double a_base_z = 9.81*E_base_zz;
    const double neg_a_base_x = v[1]*v[5] - a_base_x - a[0] - v[2]*v[4];
    const double a_base_y_2 = a_base_y + a[1] + v[0]*v[5] - v[2]*v[3];
    const double neg_a_base_z = v[0]*v[4] - a_base_z - a[2] - v[1]*v[3];
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
    const double neg_f_base_x = 6.0*neg_a_base_x + 0.2*neg_U_base_xx;
    const double f_base_y = 6.0*a_base_y_2 + 0.2*U_base_yx;
    const double neg_f_base_z = 6.0*neg_a_base_z + 0.2*neg_U_base_zx;
    const double n_base_x = 0.03749999999999999*U_base_zy + 0.016666666666666677*neg_U_base_yz;
    const double n_base_y = 0.016666666666666677*U_base_xz + 0.10666666666666669*neg_U_base_zx + 0.2*neg_a_base_z;
    const double n_base_z = 0.10666666666666669*U_base_yx + 0.03749999999999999*neg_U_base_xy + 0.2*a_base_y_2;

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
    const double neg_ww_arm_mid = wp_arm_mid_x*neg_wp_arm_mid_y;
    const double neg_ww_arm_mid_2 = neg_wp_arm_mid_y*w_arm_mid_z;
    const double neg_U_arm_mid_xy = neg_ww_arm_mid + dw_arm_mid_z;
    const double neg_U_arm_mid_zy = neg_ww_arm_mid_2 + neg_dw_arm_mid_x;
    const double neg_n_arm_mid_x = 0.00012500000000000006*neg_U_arm_mid_zy;
    const double n_arm_mid_z = 0.00012500000000000006*neg_U_arm_mid_xy;

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
    const double neg_f_arm_x = 0.25*neg_U_arm_xy;
    const double neg_f_arm_y = 0.25*neg_U_arm_yy;
    const double neg_f_arm_z = 0.25*neg_U_arm_zy;
    const double n_arm_x = 0.25*a_arm_mid_y - 0.08345833333333333*neg_U_arm_zy;
    const double neg_n_arm_y = 0.00012500000000000006*U_arm_zx;
    const double neg_n_arm_z = 0.25*a_arm_x - 0.00012500000000000006*U_arm_yx - 0.08345833333333333*neg_U_arm_xy;

    /* hand */
    const double neg_ap_hand_x = p_hand_y*neg_U_arm_xy - a_arm_x;
    const double neg_ap_hand_y = p_hand_y*neg_U_arm_yy - a_arm_y;
    const double neg_ap_hand_z = p_hand_y*neg_U_arm_zy - a_arm_mid_y;
    const double w2_hand_x = 2.0*w_arm_z;
    const double a_hand_x = v[8]*w2_arm_x - neg_ap_hand_z;
    const double neg_a_hand_y = neg_ap_hand_x + v[8]*w2_hand_x;
    const double a_hand_z = a[8] - neg_ap_hand_y;
    const double f_hand_x = 0.25*a_hand_x;
    const double neg_f_hand_y = 0.25*neg_a_hand_y;
    const double f_hand_z = 0.25*a_hand_z;
    tau[8] = f_hand_z;

    /* hand, back */
    const double neg_f_arm_x_2 = neg_f_arm_x + neg_f_hand_y;
    const double neg_f_arm_y_2 = neg_f_arm_y - f_hand_z;
    const double neg_f_arm_z_2 = neg_f_arm_z - f_hand_x;
    const double n_arm_x_2 = n_arm_x + p_hand_y*f_hand_x;
    const double n_arm_z = p_hand_y*neg_f_hand_y - neg_n_arm_z;
    tau[7] = n_arm_z;

    /* arm, back */
    const double neg_fp_arm_x = s[1]*neg_f_arm_x_2 + c[1]*neg_f_arm_y_2;
    const double fp_arm_z = s[1]*neg_f_arm_y_2 - c[1]*neg_f_arm_x_2;
    const double n_arm_mid_x = s[1]*n_arm_x_2 - neg_n_arm_mid_x - c[1]*neg_n_arm_y;
    const double n_arm_mid_z_2 = n_arm_mid_z + c[1]*n_arm_x_2 + s[1]*neg_n_arm_y;
    tau[6] = n_arm_mid_z_2;

    /* arm_mid, back */
    const double fp_arm_mid_x = s[0]*neg_f_arm_z_2 - c[0]*neg_fp_arm_x;
    const double neg_fp_arm_mid_y = s[0]*neg_fp_arm_x + c[0]*neg_f_arm_z_2;
    const double neg_f_base_x_2 = neg_f_base_x - fp_arm_mid_x;
    tau[0] = -neg_f_base_x_2;
    const double f_base_y_2 = f_base_y - neg_fp_arm_mid_y;
    tau[1] = f_base_y_2;
    const double neg_f_base_z_2 = neg_f_base_z - fp_arm_z;
    tau[2] = -neg_f_base_z_2;
    const double neg_n_base_x = s[0]*n_arm_z - n_base_x - c[0]*n_arm_mid_x;
    tau[3] = -neg_n_base_x;
    const double n_base_y_2 = n_base_y + s[0]*n_arm_mid_x + c[0]*n_arm_z - 0.2*fp_arm_z;
    tau[4] = n_base_y_2;
    const double n_base_z_2 = n_base_z + n_arm_mid_z_2 - 0.2*neg_fp_arm_mid_y;
    tau[5] = n_base_z_2;
}

void floating_arm_inverse_dynamics_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *tau)
{
    for (long i = 0; i < n; i++)
        floating_arm_inverse_dynamics(q + i*q_stride, v + i*v_stride, a + i*a_stride, tau + i*9);
}

/* Bias h(q, v): tau at zero acceleration. 107 mul, 69 add, 2 sincos. */
void floating_arm_bias(const double *restrict q, const double *restrict v, double *restrict h)
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
    const double a_base_x = 9.81*E_base_zx;
    const double a_base_y = 9.81*E_base_zy;
    const double a_base_z = 9.81*E_base_zz;
    const double neg_a_base_x = v[1]*v[5] - a_base_x - v[2]*v[4];
    const double a_base_y_2 = a_base_y + v[0]*v[5] - v[2]*v[3];
    const double neg_a_base_z = v[0]*v[4] - a_base_z - v[1]*v[3];
    const double ww_base = v[4]*v[4];
    const double ww_base_2 = v[5]*v[5];
    const double ww_base_3 = v[3]*v[4];
    const double ww_base_4 = v[3]*v[5];
    const double ww_base_5 = v[4]*v[5];
    const double neg_U_base_xx = ww_base + ww_base_2;
    const double neg_f_base_x = 6.0*neg_a_base_x + 0.2*neg_U_base_xx;
    const double f_base_y = 6.0*a_base_y_2 + 0.2*ww_base_3;
    const double neg_f_base_z = 6.0*neg_a_base_z - 0.2*ww_base_4;
    const double n_base_x = 0.020833333333333315*ww_base_5;
    const double n_base_y = 0.2*neg_a_base_z - 0.09000000000000001*ww_base_4;
    const double n_base_z = 0.0691666666666667*ww_base_3 + 0.2*a_base_y_2;

    /* arm_mid */
    const double wp_arm_mid_x = c[0]*v[3] + s[0]*v[4];
    const double neg_wp_arm_mid_y = s[0]*v[3] - c[0]*v[4];
    const double w_arm_mid_z = v[5] + v[6];
    const double neg_dw_arm_mid_x = v[6]*neg_wp_arm_mid_y;
    const double neg_dw_arm_mid_y = v[6]*wp_arm_mid_x;
    const double neg_ap_arm_mid_x = neg_a_base_x + 0.2*neg_U_base_xx;
    const double ap_arm_mid_y = a_base_y_2 + 0.2*ww_base_3;
    const double neg_ap_arm_mid_z = neg_a_base_z - 0.2*ww_base_4;
    const double a_arm_mid_x = s[0]*ap_arm_mid_y - c[0]*neg_ap_arm_mid_x;
    const double a_arm_mid_y = s[0]*neg_ap_arm_mid_x + c[0]*ap_arm_mid_y;
    const double neg_ww_arm_mid = wp_arm_mid_x*neg_wp_arm_mid_y;
    const double neg_ww_arm_mid_2 = neg_wp_arm_mid_y*w_arm_mid_z;
    const double neg_U_arm_mid_zy = neg_ww_arm_mid_2 + neg_dw_arm_mid_x;
    const double neg_n_arm_mid_x = 0.00012500000000000006*neg_U_arm_mid_zy;
    const double n_arm_mid_z = 0.00012500000000000006*neg_ww_arm_mid;

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
    const double ww_arm_3 = wp_arm_x*w_arm_z;
    const double neg_ww_arm_2 = neg_wp_arm_y*w_arm_z;
    const double U_arm_xy = neg_dw_arm_mid_y - neg_ww_arm;
    const double neg_U_arm_yx = neg_ww_arm + neg_dw_arm_mid_y;
    const double neg_U_arm_yy = ww_arm + ww_arm_2;
    const double U_arm_zx = ww_arm_3 + neg_dw_arm_y;
    const double neg_U_arm_zy = neg_ww_arm_2 + neg_dw_arm_x;
    const double f_arm_x = 0.25*U_arm_xy;
    const double neg_f_arm_y = 0.25*neg_U_arm_yy;
    const double neg_f_arm_z = 0.25*neg_U_arm_zy;
    const double n_arm_x = 0.25*a_arm_mid_y - 0.08345833333333333*neg_U_arm_zy;
    const double neg_n_arm_y = 0.00012500000000000006*U_arm_zx;
    const double neg_n_arm_z = 0.00012500000000000006*neg_U_arm_yx + 0.08345833333333333*U_arm_xy + 0.25*a_arm_x;

    /* hand */
    const double ap_hand_x = a_arm_x + p_hand_y*U_arm_xy;
    const double neg_ap_hand_y = p_hand_y*neg_U_arm_yy - a_arm_y;
    const double neg_ap_hand_z = p_hand_y*neg_U_arm_zy - a_arm_mid_y;
    const double w2_hand_x = 2.0*w_arm_z;
    const double a_hand_x = v[8]*w2_arm_x - neg_ap_hand_z;
    const double neg_a_hand_y = v[8]*w2_hand_x - ap_hand_x;
    const double f_hand_x = 0.25*a_hand_x;
    const double neg_f_hand_y = 0.25*neg_a_hand_y;
    const double neg_f_hand_z = 0.25*neg_ap_hand_y;
    h[8] = -neg_f_hand_z;

    /* hand, back */
    const double f_arm_x_2 = f_arm_x - neg_f_hand_y;
    const double neg_f_arm_y_2 = neg_f_arm_y + neg_f_hand_z;
    const double neg_f_arm_z_2 = neg_f_arm_z - f_hand_x;
    const double n_arm_x_2 = n_arm_x + p_hand_y*f_hand_x;
    const double n_arm_z = p_hand_y*neg_f_hand_y - neg_n_arm_z;
    h[7] = n_arm_z;

    /* arm, back */
    const double fp_arm_x = s[1]*f_arm_x_2 - c[1]*neg_f_arm_y_2;
    const double fp_arm_z = c[1]*f_arm_x_2 + s[1]*neg_f_arm_y_2;
    const double n_arm_mid_x = s[1]*n_arm_x_2 - neg_n_arm_mid_x - c[1]*neg_n_arm_y;
    const double n_arm_mid_z_2 = n_arm_mid_z + c[1]*n_arm_x_2 + s[1]*neg_n_arm_y;
    h[6] = n_arm_mid_z_2;

    /* arm_mid, back */
    const double fp_arm_mid_x = c[0]*fp_arm_x + s[0]*neg_f_arm_z_2;
    const double fp_arm_mid_y = s[0]*fp_arm_x - c[0]*neg_f_arm_z_2;
    const double neg_f_base_x_2 = neg_f_base_x - fp_arm_mid_x;
    h[0] = -neg_f_base_x_2;
    const double f_base_y_2 = f_base_y + fp_arm_mid_y;
    h[1] = f_base_y_2;
    const double neg_f_base_z_2 = neg_f_base_z - fp_arm_z;
    h[2] = -neg_f_base_z_2;
    const double neg_n_base_x = s[0]*n_arm_z - n_base_x - c[0]*n_arm_mid_x;
    h[3] = -neg_n_base_x;
    const double n_base_y_2 = n_base_y + s[0]*n_arm_mid_x + c[0]*n_arm_z - 0.2*fp_arm_z;
    h[4] = n_base_y_2;
    const double n_base_z_2 = n_base_z + n_arm_mid_z_2 + 0.2*fp_arm_mid_y;
    h[5] = n_base_z_2;
}

void floating_arm_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride, double *h)
{
    for (long i = 0; i < n; i++)
        floating_arm_bias(q + i*q_stride, v + i*v_stride, h + i*9);
}

/* Gravity g(q): tau at rest. 46 mul, 24 add, 2 sincos. */
void floating_arm_gravity(const double *restrict q, double *restrict g)
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
    const double a_base_x = 9.81*E_base_zx;
    const double a_base_y = 9.81*E_base_zy;
    const double a_base_z = 9.81*E_base_zz;
    const double f_base_x = 6.0*a_base_x;
    const double f_base_y = 6.0*a_base_y;
    const double f_base_z = 6.0*a_base_z;
    const double neg_n_base_y = 0.2*a_base_z;
    const double n_base_z = 0.2*a_base_y;

    /* arm_mid */
    const double a_arm_mid_x = c[0]*a_base_x + s[0]*a_base_y;
    const double neg_a_arm_mid_y = s[0]*a_base_x - c[0]*a_base_y;

    /* arm */
    const double a_arm_x = s[1]*a_arm_mid_x + c[1]*a_base_z;
    const double neg_a_arm_y = s[1]*a_base_z - c[1]*a_arm_mid_x;
    const double neg_n_arm_x = 0.25*neg_a_arm_mid_y;
    const double neg_n_arm_z = 0.25*a_arm_x;

    /* hand */
    const double neg_f_hand_z = 0.25*neg_a_arm_y;
    g[8] = -neg_f_hand_z;

    /* hand, back */
    const double neg_n_arm_x_2 = neg_n_arm_x + p_hand_y*neg_n_arm_x;
    const double neg_n_arm_z_2 = neg_n_arm_z + p_hand_y*neg_n_arm_z;
    g[7] = -neg_n_arm_z_2;

    /* arm, back */
    const double fp_arm_x = s[1]*neg_n_arm_z - c[1]*neg_f_hand_z;
    const double fp_arm_z = c[1]*neg_n_arm_z + s[1]*neg_f_hand_z;
    const double neg_n_arm_mid_x = s[1]*neg_n_arm_x_2;
    const double neg_n_arm_mid_z = c[1]*neg_n_arm_x_2;
    g[6] = -neg_n_arm_mid_z;

    /* arm_mid, back */
    const double fp_arm_mid_x = c[0]*fp_arm_x + s[0]*neg_n_arm_x;
    const double fp_arm_mid_y = s[0]*fp_arm_x - c[0]*neg_n_arm_x;
    const double f_base_x_2 = f_base_x + fp_arm_mid_x;
    g[0] = f_base_x_2;
    const double f_base_y_2 = f_base_y + fp_arm_mid_y;
    g[1] = f_base_y_2;
    const double f_base_z_2 = f_base_z + fp_arm_z;
    g[2] = f_base_z_2;
    const double n_base_x = s[0]*neg_n_arm_z_2 - c[0]*neg_n_arm_mid_x;
    g[3] = n_base_x;
    const double neg_n_base_y_2 = neg_n_base_y + s[0]*neg_n_arm_mid_x + c[0]*neg_n_arm_z_2 + 0.2*fp_arm_z;
    g[4] = -neg_n_base_y_2;
    const double n_base_z_2 = n_base_z + 0.2*fp_arm_mid_y - neg_n_arm_mid_z;
    g[5] = n_base_z_2;
}

void floating_arm_gravity_batch(long n, const double *q, long q_stride, double *g)
{
    for (long i = 0; i < n; i++)
        floating_arm_gravity(q + i*q_stride, g + i*9);
}

/* Mass matrix M by composite inertias. 37 mul, 27 add, 2 sincos. */
void floating_arm_mass_matrix(const double *restrict q, double *restrict M)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q + 7, s, c);
    for (int i = 0; i < 81; i++) M[i] = 0.0;
    M[0] = 6.25;
    M[10] = 6.25;
    M[20] = 6.25;
    M[80] = 0.25;

    /* hand */
    const double p_hand_y = 0.5 + q[9];
    const double f_arm_x = 0.25*c[1];
    const double neg_f_arm_z = 0.25*s[1];
    M[26] = -neg_f_arm_z;
    M[74] = -neg_f_arm_z;
    const double f_arm_mid_x = c[0]*f_arm_x;
    M[8] = f_arm_mid_x;
    M[72] = f_arm_mid_x;
    const double f_arm_mid_y = s[0]*f_arm_x;
    M[17] = f_arm_mid_y;
    M[73] = f_arm_mid_y;
    const double n_arm_mid_y = 0.2*neg_f_arm_z;
    M[44] = n_arm_mid_y;
    M[76] = n_arm_mid_y;
    const double n_arm_mid_z = 0.2*f_arm_mid_y;
    M[53] = n_arm_mid_z;
    M[77] = n_arm_mid_z;
    const double sq_hand_y = 0.25*p_hand_y;
    const double s_arm_y = 0.25 + sq_hand_y;
    const double S_arm_yy = 0.08345833333333333 + p_hand_y*sq_hand_y;

    /* arm */
    const double n_arm_z = 0.00012500000000000006 + S_arm_yy;
    M[70] = n_arm_z;
    const double neg_f_arm_x = s[1]*s_arm_y;
    M[4] = -neg_f_arm_x;
    M[12] = neg_f_arm_x;
    M[28] = neg_f_arm_x;
    M[36] = -neg_f_arm_x;
    const double neg_f_arm_z_2 = c[1]*s_arm_y;
    M[25] = -neg_f_arm_z_2;
    M[65] = -neg_f_arm_z_2;
    const double neg_f_arm_mid_x = c[0]*neg_f_arm_x;
    M[7] = -neg_f_arm_mid_x;
    M[63] = -neg_f_arm_mid_x;
    const double neg_f_arm_mid_y = s[0]*neg_f_arm_x;
    M[16] = -neg_f_arm_mid_y;
    M[64] = -neg_f_arm_mid_y;
    const double neg_n_arm_mid_x = s[0]*n_arm_z;
    M[34] = -neg_n_arm_mid_x;
    M[66] = -neg_n_arm_mid_x;
    const double n_arm_mid_y_2 = c[0]*n_arm_z + 0.2*neg_f_arm_z_2;
    M[43] = n_arm_mid_y_2;
    M[67] = n_arm_mid_y_2;
    const double neg_n_arm_mid_z = 0.2*neg_f_arm_mid_y;
    M[52] = -neg_n_arm_mid_z;
    M[68] = -neg_n_arm_mid_z;
    const double h_Sp_arm = 0.00012500000000000006*c[1];
    const double neg_h_Sp_arm = s[1]*S_arm_yy;
    const double Sp_arm_xx = c[1]*h_Sp_arm + s[1]*neg_h_Sp_arm;
    const double Sp_arm_xy = s[1]*h_Sp_arm - c[1]*neg_h_Sp_arm;
    const double Sp_arm_yy = 0.00012500000000000006 + S_arm_yy - Sp_arm_xx;

    /* arm_mid */
    const double n_arm_mid_z_2 = Sp_arm_yy + 0.00012500000000000006;
    M[60] = n_arm_mid_z_2;
    const double neg_f_arm_mid_x_2 = s[0]*neg_f_arm_z_2;
    M[5] = -neg_f_arm_mid_x_2;
    M[6] = -neg_f_arm_mid_x_2;
    M[21] = neg_f_arm_mid_x_2;
    M[29] = neg_f_arm_mid_x_2;
    M[45] = -neg_f_arm_mid_x_2;
    M[54] = -neg_f_arm_mid_x_2;
    const double f_arm_mid_y_2 = c[0]*neg_f_arm_z_2;
    M[15] = f_arm_mid_y_2;
    M[55] = f_arm_mid_y_2;
    const double neg_n_arm_mid_x_2 = c[0]*Sp_arm_xy;
    M[33] = -neg_n_arm_mid_x_2;
    M[57] = -neg_n_arm_mid_x_2;
    const double neg_n_arm_mid_y = s[0]*Sp_arm_xy;
    M[41] = -neg_n_arm_mid_y;
    M[42] = -neg_n_arm_mid_y;
    M[49] = -neg_n_arm_mid_y;
    M[58] = -neg_n_arm_mid_y;
    const double n_arm_mid_z_3 = n_arm_mid_z_2 + 0.2*f_arm_mid_y_2;
    M[51] = n_arm_mid_z_3;
    M[59] = n_arm_mid_z_3;
    const double h_Sp_arm_mid = c[0]*Sp_arm_yy;
    const double neg_h_Sp_arm_mid = 0.00012500000000000006*s[0];
    const double Sp_arm_mid_xx = c[0]*h_Sp_arm_mid + s[0]*neg_h_Sp_arm_mid;
    const double Sp_arm_mid_xy = s[0]*h_Sp_arm_mid - c[0]*neg_h_Sp_arm_mid;
    const double Sp_arm_mid_yy = Sp_arm_yy + 0.00012500000000000006 - Sp_arm_mid_xx;
    const double sq_arm_mid_x = f_arm_mid_y_2 + 0.05;
    const double s_base_x = 0.2 + sq_arm_mid_x;
    M[14] = s_base_x;
    M[22] = -s_base_x;
    M[38] = -s_base_x;
    M[46] = s_base_x;
    const double S_base_xx = 0.10666666666666669 + Sp_arm_mid_xx + 0.2*f_arm_mid_y_2 + 0.2*sq_arm_mid_x;
    const double S_base_xy = Sp_arm_mid_xy + 0.2*neg_f_arm_mid_x_2;
    M[31] = -S_base_xy;
    M[39] = -S_base_xy;
    const double neg_S_base_xz = 0.2*neg_f_arm_x - neg_n_arm_mid_x_2;
    M[32] = neg_S_base_xz;
    M[48] = neg_S_base_xz;
    const double S_base_yy = 0.03749999999999999 + Sp_arm_mid_yy;
    const double S_base_zz = 0.016666666666666677 + Sp_arm_xx;

    /* base */
    const double n_base_x = S_base_yy + S_base_zz;
    M[30] = n_base_x;
    const double n_base_y = S_base_xx + S_base_zz;
    M[40] = n_base_y;
    const double n_base_z = S_base_xx + S_base_yy;
    M[50] = n_base_z;
}

void floating_arm_mass_matrix_batch(long n, const double *q, long q_stride, double *M)
{
    for (long i = 0; i < n; i++)
        floating_arm_mass_matrix(q + i*q_stride, M + i*81);
}

