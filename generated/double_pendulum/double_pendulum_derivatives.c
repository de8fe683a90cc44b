/* double_pendulum: derivatives of the dynamics.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * R, p: pose in the parent or, where poses are asked for, in the world
 * w, wp: angular velocity; that of the parent in the link's axes
 * m, s, S: mass, first moment and second moment of mass
 * sp, Sp, sq, RS: s, S in the parent's axes, s about its origin, R S
 * P, Pp, L: momentum, or its rate: linear, p: in the parent's axes; angular (L also the factor of M = L'DL)
 * k, inv, t: intermediate value
 * g, X, Jb: gravity, motion axes and inertia in the frame of the first link that moves
 */

#include "double_pendulum_model.h"
#include "kinegen/frames/xyz.h"
#include "kinegen/linear/sincos.h"

/* What is defined and called here, as double_pendulum.h declares it. */
void double_pendulum_com_velocity_derivative(const double *q, const double *v, double *dv_dq);
void double_pendulum_damping_terms(const double *q, const double *v, double *D);
void double_pendulum_inverse_derivatives(const double *q, const double *v, const double *a, double *dtau);
void double_pendulum_inverse_second_derivatives(const double *q, const double *v, const double *a, double *second);
void double_pendulum_inverse_weighed_derivatives(const double *q, const double *v, const double *a,
    const double *weights, double *second);
void double_pendulum_forward_derivatives(const double *q, const double *v, const double *tau, double *da);
void double_pendulum_frame_derivatives(const double *q, const double *v, const double *a, const double *frame,
    double *parts);
void double_pendulum_com_velocity_derivative_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, double *dv_dq);
void double_pendulum_damping_terms_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *D);
void double_pendulum_inverse_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *dtau);
void double_pendulum_inverse_second_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *second);
void double_pendulum_inverse_weighed_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *weights, long weights_stride, double *second);
void double_pendulum_forward_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *da);
void double_pendulum_frame_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *parts);

/* Derivative of the velocity of the centre of mass by q on the tangent space. 17 mul, 6 add, 2 sincos. */
void double_pendulum_com_velocity_derivative(const double *restrict q, const double *restrict v,
    double *restrict dv_dq)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q, s, c);
    dv_dq[2] = 0.0;
    dv_dq[3] = 0.0;
    const double w_lower_z = v[0] + v[1];
    const double neg_P_upper_y = 0.75*v[0];
    const double neg_P_lower_y = 0.25*w_lower_z;
    const double P_upper_x = s[1]*neg_P_lower_y;
    const double neg_P_upper_y_2 = neg_P_upper_y + c[1]*neg_P_lower_y;

    /* lower */
    const double R_lower_xx = s[0]*c[1] + c[0]*s[1];
    const double neg_R_lower_xy = s[0]*s[1] - c[0]*c[1];

    /* upper */
    const double t_upper_x = 0.5*neg_P_upper_y_2;
    const double t_upper_y = 0.5*P_upper_x;

    /* lower */
    const double t_lower_x = 0.5*neg_P_lower_y;
    const double dv_dq_0 = s[0]*t_upper_x + c[0]*t_upper_y;
    dv_dq[0] = dv_dq_0;
    const double dv_dq_1 = R_lower_xx*t_lower_x;
    dv_dq[1] = dv_dq_1;
    const double neg_dv_dq_4 = s[0]*t_upper_y - c[0]*t_upper_x;
    dv_dq[4] = -neg_dv_dq_4;
    const double neg_dv_dq_5 = neg_R_lower_xy*t_lower_x;
    dv_dq[5] = -neg_dv_dq_5;
}

void double_pendulum_com_velocity_derivative_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, double *dv_dq)
{
    for (long i = 0; i < n; i++)
        double_pendulum_com_velocity_derivative(q + i*q_stride, v + i*v_stride, dv_dq + i*6);
}

/* What dampers and friction add to M over dt, and its slope in v. No operations. */
void double_pendulum_damping_terms(const double *restrict q, const double *restrict v, double *restrict D)
{
    (void)q;
    (void)v;
    D[0] = 0.0;
    D[1] = 0.1;
    D[2] = 0.0;
    D[3] = 0.0;
}

void double_pendulum_damping_terms_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *D)
{
    for (long i = 0; i < n; i++)
        double_pendulum_damping_terms(q + i*q_stride, v + i*v_stride, D + i*4);
}

/* Motion axes and inertias in the frame of the first link that moves. 10 mul, 2 add, 2 sincos. */
static void double_pendulum_derivative_parts(const double *restrict q, double *restrict rows, double *restrict lift,
    double *restrict armatures)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q, s, c);
    for (int i = 0; i < 128; i++) rows[i] = 0.0;
    rows[16] = 1.0;
    rows[17] = 1.0;
    rows[33] = 0.5;
    rows[56] = -0.75;
    rows[80] = 0.3333333333333333;
    lift[2] = 0.0;
    armatures[0] = 0.0;
    armatures[1] = 0.0;

    /* upper */
    const double neg_g_upper_x = 9.81*c[0];
    lift[0] = neg_g_upper_x;
    const double g_upper_y = 9.81*s[0];
    lift[1] = -g_upper_y;

    /* lower */
    const double neg_sp_lower_x = 0.25*c[1];
    rows[57] = -neg_sp_lower_x;
    const double neg_sp_lower_y = 0.25*s[1];
    rows[65] = -neg_sp_lower_y;
    const double RS_lower_xx = 0.08333333333333333*c[1];
    const double RS_lower_yx = 0.08333333333333333*s[1];
    const double Sp_lower_xx = c[1]*RS_lower_xx;
    const double Sp_lower_xy = s[1]*RS_lower_xx;
    const double Sp_lower_yy = s[1]*RS_lower_yx;
    rows[105] = Sp_lower_yy;
    const double S_lower_xx = Sp_lower_xx + neg_sp_lower_x;
    rows[81] = S_lower_xx;
    const double S_lower_xy = Sp_lower_xy + 0.5*neg_sp_lower_y;
    rows[89] = S_lower_xy;
}

/* Pose and motion axes of link 0. 12 mul, 6 add, 1 sincos. */
static void double_pendulum_step_0(const double *restrict s, const double *restrict c, const double *restrict q,
    const double *restrict above, double *restrict own, double *restrict axes)
{
    (void)s, (void)c, (void)q;

    /* upper */
    for (int e = 0; e < 3; e += AT_ONCE) { /* entries along x, y, z of the world, which are alike */
        const kg_xyz above_0 = *kg_xyz_at(above + 0*XYZ + e);
        const kg_xyz above_1 = *kg_xyz_at(above + 1*XYZ + e);
        const kg_xyz above_2 = *kg_xyz_at(above + 2*XYZ + e);
        const kg_xyz above_3 = *kg_xyz_at(above + 3*XYZ + e);
        *kg_xyz_to(axes + 1*XYZ + e) = (kg_xyz){0.0};
        *kg_xyz_to(own + 1*XYZ + e) = above_1;
        *kg_xyz_to(axes + 0*XYZ + e) = above_1;
        *kg_xyz_to(own + 3*XYZ + e) = above_3;
        *kg_xyz_to(axes + 2*XYZ + e) = above_3;
        const kg_xyz R_upper_xx = s[0]*above_0 + c[0]*above_2;
        *kg_xyz_to(own + 2*XYZ + e) = R_upper_xx;
        const kg_xyz neg_R_upper_xy = s[0]*above_2 - c[0]*above_0;
        *kg_xyz_to(own + 0*XYZ + e) = -neg_R_upper_xy;
    }
}

/* Pose and motion axes of link 1. 15 mul, 9 add, 1 sincos. */
static void double_pendulum_step_1(const double *restrict s, const double *restrict c, const double *restrict q,
    const double *restrict above, double *restrict own, double *restrict axes)
{
    (void)s, (void)c, (void)q;

    /* lower */
    for (int e = 0; e < 3; e += AT_ONCE) { /* entries along x, y, z of the world, which are alike */
        const kg_xyz above_0 = *kg_xyz_at(above + 0*XYZ + e);
        const kg_xyz above_1 = *kg_xyz_at(above + 1*XYZ + e);
        const kg_xyz above_2 = *kg_xyz_at(above + 2*XYZ + e);
        const kg_xyz above_3 = *kg_xyz_at(above + 3*XYZ + e);
        *kg_xyz_to(axes + 1*XYZ + e) = (kg_xyz){0.0};
        *kg_xyz_to(own + 1*XYZ + e) = above_1;
        *kg_xyz_to(axes + 0*XYZ + e) = above_1;
        const kg_xyz R_lower_xx = s[0]*above_0 + c[0]*above_2;
        *kg_xyz_to(own + 2*XYZ + e) = R_lower_xx;
        const kg_xyz neg_R_lower_xy = s[0]*above_2 - c[0]*above_0;
        *kg_xyz_to(own + 0*XYZ + e) = -neg_R_lower_xy;
        const kg_xyz neg_p_lower_x = 0.5*above_2 - above_3;
        *kg_xyz_to(own + 3*XYZ + e) = -neg_p_lower_x;
        *kg_xyz_to(axes + 2*XYZ + e) = -neg_p_lower_x;
    }
}

/* Motion axis k moves dof axis_dof[k]. */
static const int axis_dof[] = {0, 1};
/* The next axis towards the root (-1: none): the paths of the tree. */
static const int axis_above[] = {-1, 0};
/* The motion axis at which the path of link i ends. */
static const int axis_last[] = {0, 1};
/* The link that each link hangs on, -1 for world. */
static const int link_above[] = {-1, 0};
/* The first motion axis of each link, or where it would stand. */
static const int link_axis[] = {0, 1};
/* The first axis of those that move one frame with it. */
static const int axis_first[] = {0, 1};
/* The last one. */
static const int axis_end[] = {0, 1};
/* One past the last axis of its subtree. */
static const int axis_below[] = {2, 2};
/* All axes, the deepest first: branches take turns. */
static const int axis_inward[] = {1, 0};
/* Where each row of L of M = L'DL begins. */
static const int factor_row[] = {0, 0, 1};
/* The columns in which its entries stand. */
static const int factor_column[] = {0};

/* Angles of which the next function is handed sines and cosines; gives how many. */
enum { PATH_ANGLES = 2 };
static int double_pendulum_link_step_angles(int link, const double *q, double *angle)
{
    (void)q, (void)angle;
    switch (link) {
    case 0:
        angle[0] = q[0];
        return 1;
    case 1:
        angle[0] = q[1];
        return 1;
    default:
        return 0;
    }
}

/* Pose [R p] of a link and its motion axes [z; l; p], of the pose of what it hangs on. */
static void double_pendulum_link_step(int link, const double *s, const double *c, const double *q,
    const double *above, double *own, double *axes)
{
    switch (link) {
    case 0:
        double_pendulum_step_0(s, c, q, above, own, axes);
        break;
    case 1:
        double_pendulum_step_1(s, c, q, above, own, axes);
        break;
    }
}

#include "kinegen/derivatives/inverse_derivatives.h"
#include "kinegen/derivatives/inverse_second_derivatives.h"
#include "kinegen/derivatives/inverse_weighed_derivatives.h"
#include "kinegen/derivatives/forward_derivatives.h"
#include "kinegen/derivatives/frame_derivatives.h"

/* Derivatives of the joint forces: dtau/dq on the tangent space, dtau/dv, M. */
void double_pendulum_inverse_derivatives(const double *restrict q, const double *restrict v,
    const double *restrict a, double *restrict dtau)
{
    inverse_derivatives(0, q, v, a, dtau);
}

/* Second derivatives of tau, its entries first: by q and q, by q and v, by v and v, by a and q. */
void double_pendulum_inverse_second_derivatives(const double *restrict q, const double *restrict v,
    const double *restrict a, double *restrict second)
{
    inverse_second_derivatives(0, q, v, a, second);
}

/* Second derivatives of weights'tau, the same ones. */
void double_pendulum_inverse_weighed_derivatives(const double *restrict q, const double *restrict v,
    const double *restrict a, const double *restrict weights, double *restrict second)
{
    inverse_weighed_derivatives(0, q, v, a, weights, second);
}

/* Derivatives of the acceleration: da/dq on the tangent space, da/dv, da/dtau. */
void double_pendulum_forward_derivatives(const double *restrict q, const double *restrict v,
    const double *restrict tau, double *restrict da)
{
    forward_derivatives(0, q, v, tau, da);
}

/* Derivatives of frame_motion: velocity per q, acceleration per q, per v, per a. */
void double_pendulum_frame_derivatives(const double *restrict q, const double *restrict v, const double *restrict a,
    const double *restrict frame, double *restrict parts)
{
    frame_derivatives(0, q, v, a, frame, parts);
}

void double_pendulum_inverse_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *dtau)
{
    for (long i = 0; i < n; i++)
        double_pendulum_inverse_derivatives(q + i*q_stride, v + i*v_stride, a + i*a_stride, dtau + i*12);
}

void double_pendulum_inverse_second_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *second)
{
    for (long i = 0; i < n; i++)
        double_pendulum_inverse_second_derivatives(q + i*q_stride, v + i*v_stride, a + i*a_stride, second + i*32);
}

void double_pendulum_inverse_weighed_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *weights, long weights_stride, double *second)
{
    for (long i = 0; i < n; i++)
        double_pendulum_inverse_weighed_derivatives(q + i*q_stride, v + i*v_stride, a + i*a_stride,
            weights + i*weights_stride, second + i*16);
}

void double_pendulum_forward_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *da)
{
    for (long i = 0; i < n; i++)
        double_pendulum_forward_derivatives(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, da + i*12);
}

void double_pendulum_frame_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *parts)
{
    for (long i = 0; i < n; i++)
        double_pendulum_frame_derivatives(q + i*q_stride, v + i*v_stride, a + i*a_stride, frame + i*frame_stride,
            parts + i*48);
}
