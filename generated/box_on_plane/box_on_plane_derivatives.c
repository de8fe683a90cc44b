/* box_on_plane: derivatives of the dynamics.
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

#include "box_on_plane_model.h"
#include "kinegen/frames/xyz.h"
#include <math.h>
#include "kinegen/linear/real.h"

/* What is defined and called here, as box_on_plane.h declares it. */
void box_on_plane_com_velocity_derivative(const double *q, const double *v, double *dv_dq);
void box_on_plane_damping_terms(const double *q, const double *v, double *D);
void box_on_plane_inverse_derivatives(const double *q, const double *v, const double *a, double *dtau);
void box_on_plane_inverse_second_derivatives(const double *q, const double *v, const double *a, double *second);
void box_on_plane_inverse_weighed_derivatives(const double *q, const double *v, const double *a,
    const double *weights, double *second);
void box_on_plane_forward_derivatives(const double *q, const double *v, const double *tau, double *da);
void box_on_plane_frame_derivatives(const double *q, const double *v, const double *a, const double *frame,
    double *parts);
void box_on_plane_com_velocity_derivative_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, double *dv_dq);
void box_on_plane_damping_terms_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *D);
void box_on_plane_inverse_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *dtau);
void box_on_plane_inverse_second_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *second);
void box_on_plane_inverse_weighed_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *weights, long weights_stride, double *second);
void box_on_plane_forward_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *da);
void box_on_plane_frame_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *parts);

/* Derivative of the velocity of the centre of mass by q on the tangent space. 36 mul, 21 add. */
void box_on_plane_com_velocity_derivative(const double *restrict q, const double *restrict v,
    double *restrict dv_dq)
{
    for (int i = 0; i < 18; i++) dv_dq[i] = 0.0;

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
    const double P_box_x = 2.0*v[0];
    const double P_box_y = 2.0*v[1];
    const double P_box_z = 2.0*v[2];

    /* box */
    const double neg_t_box_y = 0.5*P_box_z;
    const double t_box_z = 0.5*P_box_y;
    const double neg_t_box_z = 0.5*P_box_x;
    const double neg_dv_dq_3 = E_box_xy*neg_t_box_y - E_box_xz*t_box_z;
    dv_dq[3] = -neg_dv_dq_3;
    const double dv_dq_4 = E_box_xx*neg_t_box_y - E_box_xz*neg_t_box_z;
    dv_dq[4] = dv_dq_4;
    const double neg_dv_dq_5 = E_box_xx*t_box_z - E_box_xy*neg_t_box_z;
    dv_dq[5] = -neg_dv_dq_5;
    const double neg_dv_dq_9 = E_box_yy*neg_t_box_y - E_box_yz*t_box_z;
    dv_dq[9] = -neg_dv_dq_9;
    const double dv_dq_10 = E_box_yx*neg_t_box_y - E_box_yz*neg_t_box_z;
    dv_dq[10] = dv_dq_10;
    const double neg_dv_dq_11 = E_box_yx*t_box_z - E_box_yy*neg_t_box_z;
    dv_dq[11] = -neg_dv_dq_11;
    const double neg_dv_dq_15 = E_box_zy*neg_t_box_y - E_box_zz*t_box_z;
    dv_dq[15] = -neg_dv_dq_15;
    const double dv_dq_16 = E_box_zx*neg_t_box_y - E_box_zz*neg_t_box_z;
    dv_dq[16] = dv_dq_16;
    const double neg_dv_dq_17 = E_box_zx*t_box_z - E_box_zy*neg_t_box_z;
    dv_dq[17] = -neg_dv_dq_17;
}

void box_on_plane_com_velocity_derivative_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, double *dv_dq)
{
    for (long i = 0; i < n; i++)
        box_on_plane_com_velocity_derivative(q + i*q_stride, v + i*v_stride, dv_dq + i*18);
}

/* What dampers and friction add to M over dt, and its slope in v. No operations. */
void box_on_plane_damping_terms(const double *restrict q, const double *restrict v, double *restrict D)
{
    (void)q;
    (void)v;
    for (int i = 0; i < 12; i++) D[i] = 0.0;
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
    for (int i = 0; i < 128; i++) rows[i] = 0.0;
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

/* Pose and motion axes of link 0. 48 mul, 39 add. */
static void box_on_plane_step_0(const double *restrict s, const double *restrict c, const double *restrict q,
    const double *restrict above, double *restrict own, double *restrict axes)
{
    (void)s, (void)c, (void)q;

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
    for (int e = 0; e < 3; e += AT_ONCE) { /* entries along x, y, z of the world, which are alike */
        const kg_xyz above_0 = *kg_xyz_at(above + 0*XYZ + e);
        const kg_xyz above_1 = *kg_xyz_at(above + 1*XYZ + e);
        const kg_xyz above_2 = *kg_xyz_at(above + 2*XYZ + e);
        const kg_xyz above_3 = *kg_xyz_at(above + 3*XYZ + e);
        *kg_xyz_to(axes + 0*XYZ + e) = (kg_xyz){0.0};
        *kg_xyz_to(axes + 3*XYZ + e) = (kg_xyz){0.0};
        *kg_xyz_to(axes + 6*XYZ + e) = (kg_xyz){0.0};
        *kg_xyz_to(axes + 10*XYZ + e) = (kg_xyz){0.0};
        *kg_xyz_to(axes + 13*XYZ + e) = (kg_xyz){0.0};
        *kg_xyz_to(axes + 16*XYZ + e) = (kg_xyz){0.0};
        const kg_xyz R_box_xx = E_box_xx*above_0 + E_box_yx*above_1 + E_box_zx*above_2;
        *kg_xyz_to(own + 0*XYZ + e) = R_box_xx;
        *kg_xyz_to(axes + 1*XYZ + e) = R_box_xx;
        *kg_xyz_to(axes + 9*XYZ + e) = R_box_xx;
        const kg_xyz R_box_xy = E_box_xy*above_0 + E_box_yy*above_1 + E_box_zy*above_2;
        *kg_xyz_to(own + 1*XYZ + e) = R_box_xy;
        *kg_xyz_to(axes + 4*XYZ + e) = R_box_xy;
        *kg_xyz_to(axes + 12*XYZ + e) = R_box_xy;
        const kg_xyz R_box_xz = E_box_xz*above_0 + E_box_yz*above_1 + E_box_zz*above_2;
        *kg_xyz_to(own + 2*XYZ + e) = R_box_xz;
        *kg_xyz_to(axes + 7*XYZ + e) = R_box_xz;
        *kg_xyz_to(axes + 15*XYZ + e) = R_box_xz;
        const kg_xyz p_box_x = above_3 + q[0]*above_0 + q[1]*above_1 + q[2]*above_2;
        *kg_xyz_to(own + 3*XYZ + e) = p_box_x;
        *kg_xyz_to(axes + 2*XYZ + e) = p_box_x;
        *kg_xyz_to(axes + 5*XYZ + e) = p_box_x;
        *kg_xyz_to(axes + 8*XYZ + e) = p_box_x;
        *kg_xyz_to(axes + 11*XYZ + e) = p_box_x;
        *kg_xyz_to(axes + 14*XYZ + e) = p_box_x;
        *kg_xyz_to(axes + 17*XYZ + e) = p_box_x;
    }
}

/* Motion axis k moves dof axis_dof[k]. */
static const int axis_dof[] = {0, 1, 2, 3, 4, 5};
/* The next axis towards the root (-1: none): the paths of the tree. */
static const int axis_above[] = {-1, 0, 1, 2, 3, 4};
/* The motion axis at which the path of link i ends. */
static const int axis_last[] = {5};
/* The link that each link hangs on, -1 for world. */
static const int link_above[] = {-1};
/* The first motion axis of each link, or where it would stand. */
static const int link_axis[] = {0};
/* The first axis of those that move one frame with it. */
static const int axis_first[] = {0, 0, 0, 0, 0, 0};
/* The last one. */
static const int axis_end[] = {5, 5, 5, 5, 5, 5};
/* One past the last axis of its subtree. */
static const int axis_below[] = {6, 6, 6, 6, 6, 6};
/* All axes, the deepest first: branches take turns. */
static const int axis_inward[] = {5, 4, 3, 2, 1, 0};
/* Where each row of L of M = L'DL begins. */
static const int factor_row[] = {0, 0, 1, 3, 6, 10, 15};
/* The columns in which its entries stand. */
static const int factor_column[] = {0, 0, 1, 0, 1, 2, 0, 1, 2, 3, 0, 1, 2, 3, 4};

/* Angles of which the next function is handed sines and cosines; gives how many. */
enum { PATH_ANGLES = 0 };
static int box_on_plane_link_step_angles(int link, const double *q, double *angle)
{
    (void)q, (void)angle;
    switch (link) {
    default:
        return 0;
    }
}

/* Pose [R p] of a link and its motion axes [z; l; p], of the pose of what it hangs on. */
static void box_on_plane_link_step(int link, const double *s, const double *c, const double *q, const double *above,
    double *own, double *axes)
{
    switch (link) {
    case 0:
        box_on_plane_step_0(s, c, q, above, own, axes);
        break;
    }
}

#include "kinegen/derivatives/inverse_derivatives.h"
#include "kinegen/derivatives/inverse_second_derivatives.h"
#include "kinegen/derivatives/inverse_weighed_derivatives.h"
#include "kinegen/derivatives/forward_derivatives.h"
#include "kinegen/derivatives/frame_derivatives.h"

/* Derivatives of the joint forces: dtau/dq on the tangent space, dtau/dv, M. */
void box_on_plane_inverse_derivatives(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict dtau)
{
    inverse_derivatives(0, q, v, a, dtau);
}

/* Second derivatives of tau, its entries first: by q and q, by q and v, by v and v, by a and q. */
void box_on_plane_inverse_second_derivatives(const double *restrict q, const double *restrict v,
    const double *restrict a, double *restrict second)
{
    inverse_second_derivatives(0, q, v, a, second);
}

/* Second derivatives of weights'tau, the same ones. */
void box_on_plane_inverse_weighed_derivatives(const double *restrict q, const double *restrict v,
    const double *restrict a, const double *restrict weights, double *restrict second)
{
    inverse_weighed_derivatives(0, q, v, a, weights, second);
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

void box_on_plane_inverse_second_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *second)
{
    for (long i = 0; i < n; i++)
        box_on_plane_inverse_second_derivatives(q + i*q_stride, v + i*v_stride, a + i*a_stride, second + i*864);
}

void box_on_plane_inverse_weighed_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *weights, long weights_stride, double *second)
{
    for (long i = 0; i < n; i++)
        box_on_plane_inverse_weighed_derivatives(q + i*q_stride, v + i*v_stride, a + i*a_stride,
            weights + i*weights_stride, second + i*144);
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
