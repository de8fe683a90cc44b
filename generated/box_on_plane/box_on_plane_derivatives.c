/* box_on_plane: derivatives of the dynamics.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, along the axes of the link where nothing else is said.
 * neg_..: the negative of what the name says; _2, _3: the same quantity, further on; an output's name and a number: an
 * entry of it.
 * q2, qq, E: twice a quaternion's entries, their products, its rotation
 * P, L: momentum: linear, angular (L also the factor of M = L'DL)
 * Wp, Up, zr, lr, Pr, Pt: of what the joint hangs on: w, u; rates of z, l and of momentum; momentum of the subtree
 * g, X, Jb: gravity, motion axes and inertia in the frame of the first link that moves
 */

#include "box_on_plane_model.h"
#include <math.h>

/* Derivative of the velocity of the centre of mass by q on the tangent space. 57 mul, 27 add. */
void box_on_plane_com_velocity_derivative(const double *restrict q, const double *restrict v,
    double *restrict dv_dq)
{
    for (int i = 0; i < 18; i++)
        dv_dq[i] = 0.0;

    /* box */
    const double q2_box = 2.0*q[3];
    const double q2_box_2 = 2.0*q[4];
    const double q2_box_3 = 2.0*q[5];
    const double qq_box = q[3]*q2_box;
    const double qq_box_2 = q[4]*q2_box_2;
    const double qq_box_3 = q[5]*q2_box_3;
    const double qq_box_4 = q[3]*q2_box_2;
    const double qq_box_5 = q[3]*q2_box_3;
    const double qq_box_6 = q[4]*q2_box_3;
    const double qq_box_7 = q[6]*q2_box;
    const double qq_box_8 = q[6]*q2_box_2;
    const double qq_box_9 = q[6]*q2_box_3;
    const double E_box_xx = 1.0 - qq_box_2 - qq_box_3;
    const double E_box_xy = qq_box_4 - qq_box_9;
    const double E_box_xz = qq_box_5 + qq_box_8;
    const double E_box_yx = qq_box_4 + qq_box_9;
    const double E_box_yy = 1.0 - qq_box - qq_box_3;
    const double E_box_yz = qq_box_6 - qq_box_7;
    const double E_box_zx = qq_box_5 - qq_box_8;
    const double E_box_zy = qq_box_6 + qq_box_7;
    const double E_box_zz = 1.0 - qq_box - qq_box_2;
    const double P_box_x = 2.0*E_box_xx*v[0] + 2.0*E_box_xy*v[1] + 2.0*E_box_xz*v[2];
    const double P_box_y = 2.0*E_box_yx*v[0] + 2.0*E_box_yy*v[1] + 2.0*E_box_yz*v[2];
    const double P_box_z = 2.0*E_box_zx*v[0] + 2.0*E_box_zy*v[1] + 2.0*E_box_zz*v[2];
    const double Pr_x = E_box_yx*P_box_z - E_box_zx*P_box_y;
    const double neg_Pr_y = E_box_xx*P_box_z - E_box_zx*P_box_x;
    const double Pr_z = E_box_xx*P_box_y - E_box_yx*P_box_x;
    const double Pr_x_2 = E_box_yy*P_box_z - E_box_zy*P_box_y;
    const double neg_Pr_y_2 = E_box_xy*P_box_z - E_box_zy*P_box_x;
    const double Pr_z_2 = E_box_xy*P_box_y - E_box_yy*P_box_x;
    const double Pr_x_3 = E_box_yz*P_box_z - E_box_zz*P_box_y;
    const double neg_Pr_y_3 = E_box_xz*P_box_z - E_box_zz*P_box_x;
    const double Pr_z_3 = E_box_xz*P_box_y - E_box_yz*P_box_x;
    const double dv_dq_3 = 0.5*Pr_x;
    dv_dq[3] = dv_dq_3;
    const double dv_dq_4 = 0.5*Pr_x_2;
    dv_dq[4] = dv_dq_4;
    const double dv_dq_5 = 0.5*Pr_x_3;
    dv_dq[5] = dv_dq_5;
    const double neg_dv_dq_9 = 0.5*neg_Pr_y;
    dv_dq[9] = -neg_dv_dq_9;
    const double neg_dv_dq_10 = 0.5*neg_Pr_y_2;
    dv_dq[10] = -neg_dv_dq_10;
    const double neg_dv_dq_11 = 0.5*neg_Pr_y_3;
    dv_dq[11] = -neg_dv_dq_11;
    const double dv_dq_15 = 0.5*Pr_z;
    dv_dq[15] = dv_dq_15;
    const double dv_dq_16 = 0.5*Pr_z_2;
    dv_dq[16] = dv_dq_16;
    const double dv_dq_17 = 0.5*Pr_z_3;
    dv_dq[17] = dv_dq_17;
}

void box_on_plane_com_velocity_derivative_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, double *dv_dq)
{
    for (long i = 0; i < n; i++)
        box_on_plane_com_velocity_derivative(q + i*q_stride, v + i*v_stride, dv_dq + i*18);
}

/* What dampers and friction add to M over dt, and its slope in v. no operations. */
void box_on_plane_damping_terms(const double *restrict q, const double *restrict v, double *restrict D)
{
    (void)q;
    (void)v;
    for (int i = 0; i < 12; i++)
        D[i] = 0.0;
}

void box_on_plane_damping_terms_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *D)
{
    for (long i = 0; i < n; i++)
        box_on_plane_damping_terms(q + i*q_stride, v + i*v_stride, D + i*12);
}

/* Motion axes and inertias in the frame of the first link that moves. 12 mul, 4 add. */
static void box_on_plane_derivative_parts(const double *restrict q, double *restrict rows, double *restrict lift,
    double *restrict armatures)
{
    for (int i = 0; i < 128; i++)
        rows[i] = 0.0;
    rows[3] = 1.0;
    rows[12] = 1.0;
    rows[21] = 1.0;
    rows[24] = 1.0;
    rows[33] = 1.0;
    rows[42] = 1.0;
    rows[53] = 2.0;
    rows[85] = 0.026666666666666672;
    rows[109] = 0.015;
    rows[125] = 0.006666666666666675;
    armatures[0] = 0.0;
    armatures[1] = 0.0;
    armatures[2] = 0.0;
    armatures[3] = 0.0;
    armatures[4] = 0.0;
    armatures[5] = 0.0;

    /* box */
    const double q2_box = 2.0*q[3];
    const double q2_box_2 = 2.0*q[4];
    const double q2_box_3 = 2.0*q[5];
    const double qq_box = q[3]*q2_box;
    const double qq_box_2 = q[4]*q2_box_2;
    const double qq_box_3 = q[3]*q2_box_3;
    const double qq_box_4 = q[4]*q2_box_3;
    const double qq_box_5 = q[6]*q2_box;
    const double qq_box_6 = q[6]*q2_box_2;
    const double E_box_zx = qq_box_3 - qq_box_6;
    const double E_box_zy = qq_box_4 + qq_box_5;
    const double E_box_zz = 1.0 - qq_box - qq_box_2;
    const double neg_g_box_x = 9.81*E_box_zx;
    lift[0] = neg_g_box_x;
    const double neg_g_box_y = 9.81*E_box_zy;
    lift[1] = neg_g_box_y;
    const double neg_g_box_z = 9.81*E_box_zz;
    lift[2] = neg_g_box_z;
}

/* Motion axes [z; l; p] and centres of mass, world axes. 12 mul, 12 add. */
static void box_on_plane_motion_columns(const double *restrict q, double *restrict axes, double *restrict centers)
{
    for (int i = 0; i < 54; i++)
        axes[i] = 0.0;
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

    /* box */
    const double q2_box = 2.0*q[3];
    const double q2_box_2 = 2.0*q[4];
    const double q2_box_3 = 2.0*q[5];
    const double qq_box = q[3]*q2_box;
    const double qq_box_2 = q[4]*q2_box_2;
    const double qq_box_3 = q[5]*q2_box_3;
    const double qq_box_4 = q[3]*q2_box_2;
    const double qq_box_5 = q[3]*q2_box_3;
    const double qq_box_6 = q[4]*q2_box_3;
    const double qq_box_7 = q[6]*q2_box;
    const double qq_box_8 = q[6]*q2_box_2;
    const double qq_box_9 = q[6]*q2_box_3;
    const double E_box_xx = 1.0 - qq_box_2 - qq_box_3;
    axes[3] = E_box_xx;
    axes[27] = E_box_xx;
    const double E_box_xy = qq_box_4 - qq_box_9;
    axes[12] = E_box_xy;
    axes[36] = E_box_xy;
    const double E_box_xz = qq_box_5 + qq_box_8;
    axes[21] = E_box_xz;
    axes[45] = E_box_xz;
    const double E_box_yx = qq_box_4 + qq_box_9;
    axes[4] = E_box_yx;
    axes[28] = E_box_yx;
    const double E_box_yy = 1.0 - qq_box - qq_box_3;
    axes[13] = E_box_yy;
    axes[37] = E_box_yy;
    const double E_box_yz = qq_box_6 - qq_box_7;
    axes[22] = E_box_yz;
    axes[46] = E_box_yz;
    const double E_box_zx = qq_box_5 - qq_box_8;
    axes[5] = E_box_zx;
    axes[29] = E_box_zx;
    const double E_box_zy = qq_box_6 + qq_box_7;
    axes[14] = E_box_zy;
    axes[38] = E_box_zy;
    const double E_box_zz = 1.0 - qq_box - qq_box_2;
    axes[23] = E_box_zz;
    axes[47] = E_box_zz;
}

/* Motion axis k moves dof axis_dof[k]. */
static const int axis_dof[] = {0, 1, 2, 3, 4, 5};
/* The next axis towards the root (-1: none): the paths of the tree. */
static const int axis_above[] = {-1, 0, 1, 2, 3, 4};
/* The motion axis at which the path of link i ends. */
static const int axis_last[] = {5};
/* The first axis of those that move one frame with it. */
static const int axis_first[] = {0, 0, 0, 0, 0, 0};
/* The last one. */
static const int axis_end[] = {5, 5, 5, 5, 5, 5};
/* One past the last axis of its subtree. */
static const int axis_below[] = {6, 6, 6, 6, 6, 6};
/* Where each row of L of M = L'DL begins. */
static const int factor_row[] = {0, 0, 1, 3, 6, 10, 15};
/* The columns in which its entries stand. */
static const int factor_column[] = {0, 0, 1, 0, 1, 2, 0, 1, 2, 3, 0, 1, 2, 3, 4};
/* Where the runs of columns begin that row k has to do with. */
static const int related_row[] = {0, 1, 2, 3, 4, 5, 6};
/* The first column of each run. */
static const int related_begin[] = {0, 0, 0, 0, 0, 0};
/* One past its last. */
static const int related_end[] = {6, 6, 6, 6, 6, 6};

#include "kinegen/derivatives/inverse_derivatives.h"
#include "kinegen/derivatives/forward_derivatives.h"
#include "kinegen/derivatives/frame_derivatives.h"

/* Derivatives of the joint forces: dtau/dq on the tangent space, dtau/dv, M. */
void box_on_plane_inverse_derivatives(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict dtau)
{
    inverse_derivatives(0, q, v, a, dtau);
}

/* Derivatives of the acceleration: da/dq on the tangent space, da/dv, da/dtau. */
void box_on_plane_forward_derivatives(const double *restrict q, const double *restrict v, const double *restrict tau,
    double *restrict da)
{
    forward_derivatives(0, q, v, tau, da);
}

/* Derivatives of frame_motion: velocity per q, acceleration per q, per v, per a. */
void box_on_plane_frame_derivatives(const double *restrict q, const double *restrict v, const double *restrict a,
    const double *restrict frame, double *restrict parts)
{
    frame_derivatives(0, q, v, a, frame, parts);
}

void box_on_plane_inverse_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *dtau)
{
    for (long i = 0; i < n; i++)
        box_on_plane_inverse_derivatives(q + i*q_stride, v + i*v_stride, a + i*a_stride, dtau + i*108);
}

void box_on_plane_forward_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *da)
{
    for (long i = 0; i < n; i++)
        box_on_plane_forward_derivatives(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, da + i*108);
}

void box_on_plane_frame_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *parts)
{
    for (long i = 0; i < n; i++)
        box_on_plane_frame_derivatives(q + i*q_stride, v + i*v_stride, a + i*a_stride, frame + i*frame_stride,
            parts + i*144);
}
