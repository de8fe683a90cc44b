/* spherical_pendulum: derivatives of the dynamics.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * R, p: pose in the parent or, where poses are asked for, in the world
 * q2, qq, E: twice a quaternion's entries, their products, its rotation
 * P, Pp, L: momentum, or its rate: linear, p: in the parent's axes; angular (L also the factor of M = L'DL)
 * k, inv, t: intermediate value
 * g, X, Jb: gravity, motion axes and inertia in the frame of the first link that moves
 */

#include "spherical_pendulum_model.h"
#include "kinegen/frames/xyz.h"
#include <math.h>
#include "kinegen/linear/real.h"

/* What is defined and called here, as spherical_pendulum.h declares it. */
void spherical_pendulum_com_velocity_derivative(const double *q, const double *v, double *dv_dq);
void spherical_pendulum_damping_terms(const double *q, const double *v, double *D);
void spherical_pendulum_inverse_derivatives(const double *q, const double *v, const double *a, double *dtau);
void spherical_pendulum_inverse_second_derivatives(const double *q, const double *v, const double *a,
    double *second);
void spherical_pendulum_inverse_weighed_derivatives(const double *q, const double *v, const double *a,
    const double *weights, double *second);
void spherical_pendulum_forward_derivatives(const double *q, const double *v, const double *tau, double *da);
void spherical_pendulum_frame_derivatives(const double *q, const double *v, const double *a, const double *frame,
    double *parts);
void spherical_pendulum_com_velocity_derivative_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, double *dv_dq);
void spherical_pendulum_damping_terms_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *D);
void spherical_pendulum_inverse_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *dtau);
void spherical_pendulum_inverse_second_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *second);
void spherical_pendulum_inverse_weighed_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *weights, long weights_stride, double *second);
void spherical_pendulum_forward_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *da);
void spherical_pendulum_frame_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *frame, long frame_stride, double *parts);

/* Derivative of the velocity of the centre of mass by q on the tangent space. 28 mul, 15 add. */
void spherical_pendulum_com_velocity_derivative(const double *restrict q, const double *restrict v,
    double *restrict dv_dq)
{

    /* ball */
    const double q2_ball = 2.0*q[0];
    const double q2_ball_2 = 2.0*q[1];
    const double q2_ball_3 = 2.0*q[2];
    const double qq_ball = q[0]*q2_ball;
    const double qq_ball_2 = q[1]*q2_ball_2;
    const double qq_ball_3 = q[2]*q2_ball_3;
    const double qq_ball_4 = q[0]*q2_ball_2;
    const double qq_ball_5 = q[0]*q2_ball_3;
    const double qq_ball_6 = q[1]*q2_ball_3;
    const double qq_ball_7 = q[3]*q2_ball;
    const double qq_ball_8 = q[3]*q2_ball_2;
    const double qq_ball_9 = q[3]*q2_ball_3;
    const double E_ball_xx = 1.0 - qq_ball_2 - qq_ball_3;
    const double E_ball_xy = qq_ball_4 - qq_ball_9;
    const double E_ball_xz = qq_ball_5 + qq_ball_8;
    const double E_ball_yx = qq_ball_4 + qq_ball_9;
    const double E_ball_yy = 1.0 - qq_ball - qq_ball_3;
    const double E_ball_yz = qq_ball_6 - qq_ball_7;
    const double E_ball_zx = qq_ball_5 - qq_ball_8;
    const double E_ball_zy = qq_ball_6 + qq_ball_7;
    const double E_ball_zz = 1.0 - qq_ball - qq_ball_2;
    const double neg_P_ball_x = 0.5*v[1];
    const double P_ball_y = 0.5*v[0];

    /* ball */
    const double t_ball_z = 2.0*P_ball_y;
    const double t_ball_z_2 = 2.0*neg_P_ball_x;
    const double dv_dq_0 = E_ball_xz*t_ball_z;
    dv_dq[0] = dv_dq_0;
    const double dv_dq_1 = E_ball_xz*t_ball_z_2;
    dv_dq[1] = dv_dq_1;
    const double neg_dv_dq_2 = E_ball_xx*t_ball_z + E_ball_xy*t_ball_z_2;
    dv_dq[2] = -neg_dv_dq_2;
    const double dv_dq_3 = E_ball_yz*t_ball_z;
    dv_dq[3] = dv_dq_3;
    const double dv_dq_4 = E_ball_yz*t_ball_z_2;
    dv_dq[4] = dv_dq_4;
    const double neg_dv_dq_5 = E_ball_yx*t_ball_z + E_ball_yy*t_ball_z_2;
    dv_dq[5] = -neg_dv_dq_5;
    const double dv_dq_6 = E_ball_zz*t_ball_z;
    dv_dq[6] = dv_dq_6;
    const double dv_dq_7 = E_ball_zz*t_ball_z_2;
    dv_dq[7] = dv_dq_7;
    const double neg_dv_dq_8 = E_ball_zx*t_ball_z + E_ball_zy*t_ball_z_2;
    dv_dq[8] = -neg_dv_dq_8;
}

void spherical_pendulum_com_velocity_derivative_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, double *dv_dq)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_com_velocity_derivative(q + i*q_stride, v + i*v_stride, dv_dq + i*9);
}

/* What dampers and friction add to M over dt, and its slope in v. No operations. */
void spherical_pendulum_damping_terms(const double *restrict q, const double *restrict v, double *restrict D)
{
    (void)q;
    (void)v;
    D[0] = 0.0;
    D[1] = 0.0;
    D[2] = 0.0;
    D[3] = 0.0;
    D[4] = 0.0;
    D[5] = 0.0;
}

void spherical_pendulum_damping_terms_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *D)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_damping_terms(q + i*q_stride, v + i*v_stride, D + i*6);
}

/* Motion axes and inertias in the frame of the first link that moves. 12 mul, 4 add. */
static void spherical_pendulum_derivative_parts(const double *restrict q, double *restrict rows, double *restrict lift,
    double *restrict armatures)
{
    for (int i = 0; i < 128; i++) rows[i] = 0.0;
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

/* Pose and motion axes of link 0. 39 mul, 30 add. */
static void spherical_pendulum_step_0(const double *restrict s, const double *restrict c, const double *restrict q,
    const double *restrict above, double *restrict own, double *restrict axes)
{
    (void)s, (void)c, (void)q;

    /* ball */
    const double q2_ball = 2.0*q[0];
    const double q2_ball_2 = 2.0*q[1];
    const double q2_ball_3 = 2.0*q[2];
    const double qq_ball = q[0]*q2_ball;
    const double qq_ball_2 = q[1]*q2_ball_2;
    const double qq_ball_3 = q[2]*q2_ball_3;
    const double qq_ball_4 = q[0]*q2_ball_2;
    const double qq_ball_5 = q[0]*q2_ball_3;
    const double qq_ball_6 = q[1]*q2_ball_3;
    const double qq_ball_7 = q[3]*q2_ball;
    const double qq_ball_8 = q[3]*q2_ball_2;
    const double qq_ball_9 = q[3]*q2_ball_3;
    const double E_ball_xx = 1.0 - qq_ball_2 - qq_ball_3;
    const double E_ball_xy = qq_ball_4 - qq_ball_9;
    const double E_ball_xz = qq_ball_5 + qq_ball_8;
    const double E_ball_yx = qq_ball_4 + qq_ball_9;
    const double E_ball_yy = 1.0 - qq_ball - qq_ball_3;
    const double E_ball_yz = qq_ball_6 - qq_ball_7;
    const double E_ball_zx = qq_ball_5 - qq_ball_8;
    const double E_ball_zy = qq_ball_6 + qq_ball_7;
    const double E_ball_zz = 1.0 - qq_ball - qq_ball_2;
    for (int e = 0; e < 3; e += AT_ONCE) { /* entries along x, y, z of the world, which are alike */
        const kg_xyz above_0 = *kg_xyz_at(above + 0*XYZ + e);
        const kg_xyz above_1 = *kg_xyz_at(above + 1*XYZ + e);
        const kg_xyz above_2 = *kg_xyz_at(above + 2*XYZ + e);
        const kg_xyz above_3 = *kg_xyz_at(above + 3*XYZ + e);
        *kg_xyz_to(axes + 1*XYZ + e) = (kg_xyz){0.0};
        *kg_xyz_to(axes + 4*XYZ + e) = (kg_xyz){0.0};
        *kg_xyz_to(axes + 7*XYZ + e) = (kg_xyz){0.0};
        *kg_xyz_to(own + 3*XYZ + e) = above_3;
        *kg_xyz_to(axes + 2*XYZ + e) = above_3;
        *kg_xyz_to(axes + 5*XYZ + e) = above_3;
        *kg_xyz_to(axes + 8*XYZ + e) = above_3;
        const kg_xyz R_ball_xx = E_ball_xx*above_0 + E_ball_yx*above_1 + E_ball_zx*above_2;
        *kg_xyz_to(own + 0*XYZ + e) = R_ball_xx;
        *kg_xyz_to(axes + 0*XYZ + e) = R_ball_xx;
        const kg_xyz R_ball_xy = E_ball_xy*above_0 + E_ball_yy*above_1 + E_ball_zy*above_2;
        *kg_xyz_to(own + 1*XYZ + e) = R_ball_xy;
        *kg_xyz_to(axes + 3*XYZ + e) = R_ball_xy;
        const kg_xyz R_ball_xz = E_ball_xz*above_0 + E_ball_yz*above_1 + E_ball_zz*above_2;
        *kg_xyz_to(own + 2*XYZ + e) = R_ball_xz;
        *kg_xyz_to(axes + 6*XYZ + e) = R_ball_xz;
    }
}

/* Motion axis k moves dof axis_dof[k]. */
static const int axis_dof[] = {0, 1, 2};
/* The next axis towards the root (-1: none): the paths of the tree. */
static const int axis_above[] = {-1, 0, 1};
/* The motion axis at which the path of link i ends. */
static const int axis_last[] = {2};
/* The link that each link hangs on, -1 for world. */
static const int link_above[] = {-1};
/* The first motion axis of each link, or where it would stand. */
static const int link_axis[] = {0};
/* The first axis of those that move one frame with it. */
static const int axis_first[] = {0, 0, 0};
/* The last one. */
static const int axis_end[] = {2, 2, 2};
/* One past the last axis of its subtree. */
static const int axis_below[] = {3, 3, 3};
/* All axes, the deepest first: branches take turns. */
static const int axis_inward[] = {2, 1, 0};
/* Where each row of L of M = L'DL begins. */
static const int factor_row[] = {0, 0, 1, 3};
/* The columns in which its entries stand. */
static const int factor_column[] = {0, 0, 1};

/* Angles of which the next function is handed sines and cosines; gives how many. */
enum { PATH_ANGLES = 0 };
static int spherical_pendulum_link_step_angles(int link, const double *q, double *angle)
{
    (void)q, (void)angle;
    switch (link) {
    default:
        return 0;
    }
}

/* Pose [R p] of a link and its motion axes [z; l; p], of the pose of what it hangs on. */
static void spherical_pendulum_link_step(int link, const double *s, const double *c, const double *q,
    const double *above, double *own, double *axes)
{
    switch (link) {
    case 0:
        spherical_pendulum_step_0(s, c, q, above, own, axes);
        break;
    }
}

#include "kinegen/derivatives/inverse_derivatives.h"
#include "kinegen/derivatives/inverse_second_derivatives.h"
#include "kinegen/derivatives/inverse_weighed_derivatives.h"
#include "kinegen/derivatives/forward_derivatives.h"
#include "kinegen/derivatives/frame_derivatives.h"

/* Derivatives of the joint forces: dtau/dq on the tangent space, dtau/dv, M. */
void spherical_pendulum_inverse_derivatives(const double *restrict q, const double *restrict v,
    const double *restrict a, double *restrict dtau)
{
    inverse_derivatives(0, q, v, a, dtau);
}

/* Second derivatives of tau, its entries first: by q and q, by q and v, by v and v, by a and q. */
void spherical_pendulum_inverse_second_derivatives(const double *restrict q, const double *restrict v,
    const double *restrict a, double *restrict second)
{
    inverse_second_derivatives(0, q, v, a, second);
}

/* Second derivatives of weights'tau, the same ones. */
void spherical_pendulum_inverse_weighed_derivatives(const double *restrict q, const double *restrict v,
    const double *restrict a, const double *restrict weights, double *restrict second)
{
    inverse_weighed_derivatives(0, q, v, a, weights, second);
}

/* Derivatives of the acceleration: da/dq on the tangent space, da/dv, da/dtau. */
void spherical_pendulum_forward_derivatives(const double *restrict q, const double *restrict v,
    const double *restrict tau, double *restrict da)
{
    forward_derivatives(0, q, v, tau, da);
}

/* Derivatives of frame_motion: velocity per q, acceleration per q, per v, per a. */
void spherical_pendulum_frame_derivatives(const double *restrict q, const double *restrict v,
    const double *restrict a, const double *restrict frame, double *restrict parts)
{
    frame_derivatives(0, q, v, a, frame, parts);
}

void spherical_pendulum_inverse_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *dtau)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_inverse_derivatives(q + i*q_stride, v + i*v_stride, a + i*a_stride, dtau + i*27);
}

void spherical_pendulum_inverse_second_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *second)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_inverse_second_derivatives(q + i*q_stride, v + i*v_stride, a + i*a_stride, second + i*108);
}

void spherical_pendulum_inverse_weighed_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *weights, long weights_stride, double *second)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_inverse_weighed_derivatives(q + i*q_stride, v + i*v_stride, a + i*a_stride,
            weights + i*weights_stride, second + i*36);
}

void spherical_pendulum_forward_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *da)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_forward_derivatives(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, da + i*27);
}

void spherical_pendulum_frame_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *frame, long frame_stride, double *parts)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_frame_derivatives(q + i*q_stride, v + i*v_stride, a + i*a_stride, frame + i*frame_stride,
            parts + i*72);
}
