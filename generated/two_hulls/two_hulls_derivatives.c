/* two_hulls: derivatives of the dynamics.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * R, p: pose in the parent or, where poses are asked for, in the world
 */

#include "two_hulls_model.h"
#include "kinegen/frames/xyz.h"
#include <math.h>
#include "kinegen/linear/real.h"

/* What is defined and called here, as two_hulls.h declares it. */
void two_hulls_com_velocity_derivative(const double *q, const double *v, double *dv_dq);
void two_hulls_damping_terms(const double *q, const double *v, double *D);
void two_hulls_inverse_derivatives(const double *q, const double *v, const double *a, double *dtau);
void two_hulls_inverse_second_derivatives(const double *q, const double *v, const double *a, double *second);
void two_hulls_inverse_weighed_derivatives(const double *q, const double *v, const double *a, const double *weights,
    double *second);
void two_hulls_forward_derivatives(const double *q, const double *v, const double *tau, double *da);
void two_hulls_frame_derivatives(const double *q, const double *v, const double *a, const double *frame,
    double *parts);
void two_hulls_com_velocity_derivative_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *dv_dq);
void two_hulls_damping_terms_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *D);
void two_hulls_inverse_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *dtau);
void two_hulls_inverse_second_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *second);
void two_hulls_inverse_weighed_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *weights, long weights_stride, double *second);
void two_hulls_forward_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *da);
void two_hulls_frame_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *parts);

/* Derivative of the velocity of the centre of mass by q on the tangent space. No operations. */
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

/* What dampers and friction add to M over dt, and its slope in v. No operations. */
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

/* Motion axes and inertias in the frame of the first link that moves. No operations. */
static void two_hulls_derivative_parts(const double *restrict q, double *restrict rows, double *restrict lift,
    double *restrict armatures)
{
    (void)q;
    for (int i = 0; i < 128; i++) rows[i] = 0.0;
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

/* Pose and motion axes of link 0. 3 mul, 4 add. */
static void two_hulls_step_0(const double *restrict s, const double *restrict c, const double *restrict q,
    const double *restrict above, double *restrict own, double *restrict axes)
{
    (void)s, (void)c, (void)q;

    /* left */
    const double neg_p_left_x = 0.3 - q[0];
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
        const kg_xyz neg_p_left_x_2 = neg_p_left_x*above_0 - above_3;
        *kg_xyz_to(own + 3*XYZ + e) = -neg_p_left_x_2;
        *kg_xyz_to(axes + 2*XYZ + e) = -neg_p_left_x_2;
    }
}

/* Pose and motion axes of link 1. 3 mul, 4 add. */
static void two_hulls_step_1(const double *restrict s, const double *restrict c, const double *restrict q,
    const double *restrict above, double *restrict own, double *restrict axes)
{
    (void)s, (void)c, (void)q;

    /* right */
    const double p_right_x = 0.3 + q[1];
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
        const kg_xyz p_right_x_2 = above_3 + p_right_x*above_0;
        *kg_xyz_to(own + 3*XYZ + e) = p_right_x_2;
        *kg_xyz_to(axes + 2*XYZ + e) = p_right_x_2;
    }
}

/* Motion axis k moves dof axis_dof[k]. */
static const int axis_dof[] = {0, 1};
/* The next axis towards the root (-1: none): the paths of the tree. */
static const int axis_above[] = {-1, -1};
/* The motion axis at which the path of link i ends. */
static const int axis_last[] = {0, 1};
/* The link that each link hangs on, -1 for world. */
static const int link_above[] = {-1, -1};
/* The first motion axis of each link, or where it would stand. */
static const int link_axis[] = {0, 1};
/* The first axis of those that move one frame with it. */
static const int axis_first[] = {0, 1};
/* The last one. */
static const int axis_end[] = {0, 1};
/* One past the last axis of its subtree. */
static const int axis_below[] = {1, 2};
/* All axes, the deepest first: branches take turns. */
static const int axis_inward[] = {1, 0};
/* Where each row of L of M = L'DL begins. */
static const int factor_row[] = {0, 0, 0};
/* The columns in which its entries stand. */
static const int factor_column[] = {0};

/* Angles of which the next function is handed sines and cosines; gives how many. */
enum { PATH_ANGLES = 0 };
static int two_hulls_link_step_angles(int link, const double *q, double *angle)
{
    (void)q, (void)angle;
    switch (link) {
    default:
        return 0;
    }
}

/* Pose [R p] of a link and its motion axes [z; l; p], of the pose of what it hangs on. */
static void two_hulls_link_step(int link, const double *s, const double *c, const double *q, const double *above,
    double *own, double *axes)
{
    switch (link) {
    case 0:
        two_hulls_step_0(s, c, q, above, own, axes);
        break;
    case 1:
        two_hulls_step_1(s, c, q, above, own, axes);
        break;
    }
}

#include "kinegen/derivatives/inverse_derivatives.h"
#include "kinegen/derivatives/inverse_second_derivatives.h"
#include "kinegen/derivatives/inverse_weighed_derivatives.h"
#include "kinegen/derivatives/forward_derivatives.h"
#include "kinegen/derivatives/frame_derivatives.h"

/* Derivatives of the joint forces: dtau/dq on the tangent space, dtau/dv, M. */
void two_hulls_inverse_derivatives(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict dtau)
{
    inverse_derivatives(0, q, v, a, dtau);
}

/* Second derivatives of tau, its entries first: by q and q, by q and v, by v and v, by a and q. */
void two_hulls_inverse_second_derivatives(const double *restrict q, const double *restrict v,
    const double *restrict a, double *restrict second)
{
    inverse_second_derivatives(0, q, v, a, second);
}

/* Second derivatives of weights'tau, the same ones. */
void two_hulls_inverse_weighed_derivatives(const double *restrict q, const double *restrict v,
    const double *restrict a, const double *restrict weights, double *restrict second)
{
    inverse_weighed_derivatives(0, q, v, a, weights, second);
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

void two_hulls_inverse_second_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *second)
{
    for (long i = 0; i < n; i++)
        two_hulls_inverse_second_derivatives(q + i*q_stride, v + i*v_stride, a + i*a_stride, second + i*32);
}

void two_hulls_inverse_weighed_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *weights, long weights_stride, double *second)
{
    for (long i = 0; i < n; i++)
        two_hulls_inverse_weighed_derivatives(q + i*q_stride, v + i*v_stride, a + i*a_stride,
            weights + i*weights_stride, second + i*16);
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
