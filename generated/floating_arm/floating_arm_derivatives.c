/* floating_arm: derivatives of the dynamics.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, along the axes of the link where nothing else is said.
 * neg_..: the negative of what the name says; _2, _3: the same quantity, further on; an output's name and a number: an
 * entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * R, p: pose in the parent or, where poses are asked for, in the world
 * m, s, S: mass, first moment and second moment of mass
 * sp, Sp, sq, RS: s, S in the parent's axes, s about its origin, R S
 * q2, qq, E: twice a quaternion's entries, their products, its rotation
 * g, X, Jb: gravity, motion axes and inertia in the frame of the first link that moves
 */

#include "floating_arm_model.h"
#include "kinegen/linear/sincos.h"

/* Motion axes and inertias in the frame of the first link that moves. 58 mul, 15 add, 2 sincos. */
static void floating_arm_derivative_parts(const double *restrict q, double *restrict rows, double *restrict lift,
    double *restrict armatures)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q + 7, s, c);
    for (int i = 0; i < 256; i++)
        rows[i] = 0.0;
    for (int i = 0; i < 9; i++)
        armatures[i] = 0.0;
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

/* Motion axis k moves dof axis_dof[k]. */
static const int axis_dof[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
/* The next axis towards the root (-1: none): the paths of the tree. */
static const int axis_above[] = {-1, 0, 1, 2, 3, 4, 5, 6, 7};
/* The first axis of those that move one frame with it. */
static const int axis_first[] = {0, 0, 0, 0, 0, 0, 6, 7, 8};
/* The last one. */
static const int axis_end[] = {5, 5, 5, 5, 5, 5, 6, 7, 8};
/* One past the last axis of its subtree. */
static const int axis_below[] = {9, 9, 9, 9, 9, 9, 9, 9, 9};
/* Where each row of L of M = L'DL begins. */
static const int factor_row[] = {0, 0, 1, 3, 6, 10, 15, 21, 28, 36};
/* The columns in which its entries stand. */
static const int factor_column[] = {0, 0, 1, 0, 1, 2, 0, 1, 2, 3, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 6,
    0, 1, 2, 3, 4, 5, 6, 7};
/* One past the last row that row k has to do with. */
static const int factor_reach[] = {9, 9, 9, 9, 9, 9, 9, 9, 9};

#include "kinegen/derivatives/inverse_derivatives.h"
#include "kinegen/derivatives/forward_derivatives.h"

/* Derivatives of the joint forces: dtau/dq on the tangent space, dtau/dv, M. */
void floating_arm_inverse_derivatives(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict dtau)
{
    inverse_derivatives(0, q, v, a, dtau);
}

/* Derivatives of the acceleration: da/dq on the tangent space, da/dv, da/dtau. */
void floating_arm_forward_derivatives(const double *restrict q, const double *restrict v, const double *restrict tau,
    double *restrict da)
{
    forward_derivatives(0, q, v, tau, da);
}

void floating_arm_inverse_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *dtau)
{
    for (long i = 0; i < n; i++)
        floating_arm_inverse_derivatives(q + i*q_stride, v + i*v_stride, a + i*a_stride, dtau + i*243);
}

void floating_arm_forward_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *da)
{
    for (long i = 0; i < n; i++)
        floating_arm_forward_derivatives(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, da + i*243);
}
