/* box_on_plane: derivatives of the dynamics.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, along the axes of the link where nothing else is said.
 * neg_..: the negative of what the name says; _2, _3: the same quantity, further on; an output's name and a number: an
 * entry of it.
 * q2, qq, E: twice a quaternion's entries, their products, its rotation
 * g, X, Jb: gravity, motion axes and inertia in the frame of the first link that moves
 */

#include "box_on_plane_model.h"
#include <math.h>

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

/* Motion axis k moves dof axis_dof[k]. */
static const int axis_dof[] = {0, 1, 2, 3, 4, 5};
/* The next axis towards the root (-1: none): the paths of the tree. */
static const int axis_above[] = {-1, 0, 1, 2, 3, 4};
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
/* One past the last row that row k has to do with. */
static const int factor_reach[] = {6, 6, 6, 6, 6, 6};

#include "kinegen/derivatives/inverse_derivatives.h"
#include "kinegen/derivatives/forward_derivatives.h"

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
