/* spherical_pendulum: derivatives of the dynamics.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, along the axes of the link where nothing else is said.
 * neg_..: the negative of what the name says; _2, _3: the same quantity, further on; an output's name and a number: an
 * entry of it.
 * q2, qq, E: twice a quaternion's entries, their products, its rotation
 * g, X, Jb: gravity, motion axes and inertia in the frame of the first link that moves
 */

#include "spherical_pendulum_model.h"
#include <math.h>

/* Motion axes and inertias in the frame of the first link that moves. 12 mul, 4 add. */
static void spherical_pendulum_derivative_parts(const double *restrict q, double *restrict rows, double *restrict lift,
    double *restrict armatures)
{
    for (int i = 0; i < 128; i++)
        rows[i] = 0.0;
    rows[0] = 1.0;
    rows[9] = 1.0;
    rows[18] = 1.0;
    rows[74] = -0.5;
    rows[82] = 0.0010000000000000005;
    rows[106] = 0.0010000000000000005;
    rows[122] = 0.501;
    armatures[0] = 0.0;
    armatures[1] = 0.0;
    armatures[2] = 0.0;

    /* ball */
    const double q2_ball = 2.0*q[0];
    const double q2_ball_2 = 2.0*q[1];
    const double q2_ball_3 = 2.0*q[2];
    const double qq_ball = q[0]*q2_ball;
    const double qq_ball_2 = q[1]*q2_ball_2;
    const double qq_ball_3 = q[0]*q2_ball_3;
    const double qq_ball_4 = q[1]*q2_ball_3;
    const double qq_ball_5 = q[3]*q2_ball;
    const double qq_ball_6 = q[3]*q2_ball_2;
    const double E_ball_zx = qq_ball_3 - qq_ball_6;
    const double E_ball_zy = qq_ball_4 + qq_ball_5;
    const double E_ball_zz = 1.0 - qq_ball - qq_ball_2;
    const double neg_g_ball_x = 9.81*E_ball_zx;
    lift[0] = neg_g_ball_x;
    const double neg_g_ball_y = 9.81*E_ball_zy;
    lift[1] = neg_g_ball_y;
    const double neg_g_ball_z = 9.81*E_ball_zz;
    lift[2] = neg_g_ball_z;
}

/* Motion axis k moves dof axis_dof[k]. */
static const int axis_dof[] = {0, 1, 2};
/* The next axis towards the root (-1: none): the paths of the tree. */
static const int axis_above[] = {-1, 0, 1};
/* The first axis of those that move one frame with it. */
static const int axis_first[] = {0, 0, 0};
/* The last one. */
static const int axis_end[] = {2, 2, 2};
/* One past the last axis of its subtree. */
static const int axis_below[] = {3, 3, 3};
/* Where each row of L of M = L'DL begins. */
static const int factor_row[] = {0, 0, 1, 3};
/* The columns in which its entries stand. */
static const int factor_column[] = {0, 0, 1};
/* One past the last row that row k has to do with. */
static const int factor_reach[] = {3, 3, 3};

#include "kinegen/derivatives/inverse_derivatives.h"
#include "kinegen/derivatives/forward_derivatives.h"

/* Derivatives of the joint forces: dtau/dq on the tangent space, dtau/dv, M. */
void spherical_pendulum_inverse_derivatives(const double *restrict q, const double *restrict v,
    const double *restrict a, double *restrict dtau)
{
    inverse_derivatives(0, q, v, a, dtau);
}

/* Derivatives of the acceleration: da/dq on the tangent space, da/dv, da/dtau. */
void spherical_pendulum_forward_derivatives(const double *restrict q, const double *restrict v,
    const double *restrict tau, double *restrict da)
{
    forward_derivatives(0, q, v, tau, da);
}

void spherical_pendulum_inverse_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *dtau)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_inverse_derivatives(q + i*q_stride, v + i*v_stride, a + i*a_stride, dtau + i*27);
}

void spherical_pendulum_forward_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *da)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_forward_derivatives(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, da + i*27);
}
