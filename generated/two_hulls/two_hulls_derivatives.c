/* two_hulls: derivatives of the dynamics.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, along the axes of the link where nothing else is said.
 * neg_..: the negative of what the name says; _2, _3: the same quantity, further on; an output's name and a number: an
 * entry of it.
 * R, p: pose in the parent or, where poses are asked for, in the world
 */

#include "two_hulls_model.h"
#include <math.h>

/* Derivative of the velocity of the centre of mass by q on the tangent space. no operations. */
void two_hulls_com_velocity_derivative(const double *restrict q, const double *restrict v, double *restrict dv_dq)
{
    (void)q;
    (void)v;
    dv_dq[0] = 0.0;
    dv_dq[1] = 0.0;
    dv_dq[2] = 0.0;
    dv_dq[3] = 0.0;
    dv_dq[4] = 0.0;
    dv_dq[5] = 0.0;
}

void two_hulls_com_velocity_derivative_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *dv_dq)
{
    for (long i = 0; i < n; i++)
        two_hulls_com_velocity_derivative(q + i*q_stride, v + i*v_stride, dv_dq + i*6);
}

/* What dampers and friction add to M over dt, and its slope in v. no operations. */
void two_hulls_damping_terms(const double *restrict q, const double *restrict v, double *restrict D)
{
    (void)q;
    (void)v;
    D[0] = 0.0;
    D[1] = 0.0;
    D[2] = 0.0;
    D[3] = 0.0;
}

void two_hulls_damping_terms_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *D)
{
    for (long i = 0; i < n; i++)
        two_hulls_damping_terms(q + i*q_stride, v + i*v_stride, D + i*4);
}

/* Motion axes and inertias in the frame of the first link that moves. no operations. */
static void two_hulls_derivative_parts(const double *restrict q, double *restrict rows, double *restrict lift,
    double *restrict armatures)
{
    (void)q;
    for (int i = 0; i < 128; i++)
        rows[i] = 0.0;
    rows[40] = 1.0;
    rows[41] = 1.0;
    rows[48] = 1.0;
    rows[49] = 1.0;
    lift[0] = 0.0;
    lift[1] = 9.81;
    lift[2] = 0.0;
    lift[3] = 0.0;
    lift[4] = 9.81;
    lift[5] = 0.0;
    armatures[0] = 0.0;
    armatures[1] = 0.0;
}

/* Motion axes [z; l; p] and centres of mass, world axes. 2 add. */
static void two_hulls_motion_columns(const double *restrict q, double *restrict axes, double *restrict centers)
{
    for (int i = 0; i < 18; i++)
        axes[i] = 0.0;
    axes[3] = 1.0;
    axes[12] = 1.0;
    centers[1] = 0.0;
    centers[2] = 0.0;
    centers[4] = 0.0;
    centers[5] = 0.0;

    /* left */
    const double neg_p_left_x = 0.3 - q[0];
    axes[6] = -neg_p_left_x;
    centers[0] = -neg_p_left_x;

    /* right */
    const double p_right_x = 0.3 + q[1];
    axes[15] = p_right_x;
    centers[3] = p_right_x;
}

/* Motion axis k moves dof axis_dof[k]. */
static const int axis_dof[] = {0, 1};
/* The next axis towards the root (-1: none): the paths of the tree. */
static const int axis_above[] = {-1, -1};
/* The motion axis at which the path of link i ends. */
static const int axis_last[] = {0, 1};
/* The first axis of those that move one frame with it. */
static const int axis_first[] = {0, 1};
/* The last one. */
static const int axis_end[] = {0, 1};
/* One past the last axis of its subtree. */
static const int axis_below[] = {1, 2};
/* Where each row of L of M = L'DL begins. */
static const int factor_row[] = {0, 0, 0};
/* The columns in which its entries stand. */
static const int factor_column[] = {0};
/* Where the runs of columns begin that row k has to do with. */
static const int related_row[] = {0, 1, 2};
/* The first column of each run. */
static const int related_begin[] = {0, 1};
/* One past its last. */
static const int related_end[] = {1, 2};

#include "kinegen/derivatives/inverse_derivatives.h"
#include "kinegen/derivatives/forward_derivatives.h"
#include "kinegen/derivatives/frame_derivatives.h"

/* Derivatives of the joint forces: dtau/dq on the tangent space, dtau/dv, M. */
void two_hulls_inverse_derivatives(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict dtau)
{
    inverse_derivatives(0, q, v, a, dtau);
}

/* Derivatives of the acceleration: da/dq on the tangent space, da/dv, da/dtau. */
void two_hulls_forward_derivatives(const double *restrict q, const double *restrict v, const double *restrict tau,
    double *restrict da)
{
    forward_derivatives(0, q, v, tau, da);
}

/* Derivatives of frame_motion: velocity per q, acceleration per q, per v, per a. */
void two_hulls_frame_derivatives(const double *restrict q, const double *restrict v, const double *restrict a,
    const double *restrict frame, double *restrict parts)
{
    frame_derivatives(0, q, v, a, frame, parts);
}

void two_hulls_inverse_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *dtau)
{
    for (long i = 0; i < n; i++)
        two_hulls_inverse_derivatives(q + i*q_stride, v + i*v_stride, a + i*a_stride, dtau + i*12);
}

void two_hulls_forward_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *da)
{
    for (long i = 0; i < n; i++)
        two_hulls_forward_derivatives(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, da + i*12);
}

void two_hulls_frame_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *parts)
{
    for (long i = 0; i < n; i++)
        two_hulls_frame_derivatives(q + i*q_stride, v + i*v_stride, a + i*a_stride, frame + i*frame_stride,
            parts + i*48);
}
