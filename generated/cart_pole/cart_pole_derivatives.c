/* cart_pole: derivatives of the dynamics.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * R, p: pose in the parent or, where poses are asked for, in the world
 * sp, Sp, sq, RS: s, S in the parent's axes, s about its origin, R S
 * vv, T, V: squares of speeds, kinetic and potential energy
 * P, Pp, L: momentum, or its rate: linear, p: in the parent's axes; angular (L also the factor of M = L'DL)
 * k, inv, t: intermediate value
 */

#include "cart_pole_model.h"
#include "kinegen/frames/xyz.h"
#include "kinegen/linear/sincos.h"

/* What is defined and called here, as cart_pole.h declares it. */
void cart_pole_com_velocity_derivative(const double *q, const double *v, double *dv_dq);
void cart_pole_damping_terms(const double *q, const double *v, double *D);
void cart_pole_inverse_derivatives(const double *q, const double *v, const double *a, double *dtau);
void cart_pole_inverse_second_derivatives(const double *q, const double *v, const double *a, double *second);
void cart_pole_inverse_weighed_derivatives(const double *q, const double *v, const double *a, const double *weights,
    double *second);
void cart_pole_forward_derivatives(const double *q, const double *v, const double *tau, double *da);
void cart_pole_frame_derivatives(const double *q, const double *v, const double *a, const double *frame,
    double *parts);
void cart_pole_com_velocity_derivative_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *dv_dq);
void cart_pole_damping_terms_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *D);
void cart_pole_inverse_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *dtau);
void cart_pole_inverse_second_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *second);
void cart_pole_inverse_weighed_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *weights, long weights_stride, double *second);
void cart_pole_forward_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *da);
void cart_pole_frame_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *parts);

/* Derivative of the velocity of the centre of mass by q on the tangent space. 4 mul, 1 sincos. */
void cart_pole_com_velocity_derivative(const double *restrict q, const double *restrict v, double *restrict dv_dq)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);
    dv_dq[0] = 0.0;
    dv_dq[2] = 0.0;
    dv_dq[3] = 0.0;
    dv_dq[4] = 0.0;
    const double P_pole_y = 0.05*v[1];

    /* pole */
    const double neg_t_pole_x = 0.9090909090909091*P_pole_y;
    const double neg_dv_dq_1 = s[0]*neg_t_pole_x;
    dv_dq[1] = -neg_dv_dq_1;
    const double neg_dv_dq_5 = c[0]*neg_t_pole_x;
    dv_dq[5] = -neg_dv_dq_5;
}

void cart_pole_com_velocity_derivative_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *dv_dq)
{
    for (long i = 0; i < n; i++)
        cart_pole_com_velocity_derivative(q + i*q_stride, v + i*v_stride, dv_dq + i*6);
}

/* What dampers and friction add to M over dt, and its slope in v. 6 mul, 1 add, 1 div, 1 call. */
void cart_pole_damping_terms(const double *restrict q, const double *restrict v, double *restrict D)
{
    (void)q;
    D[1] = 0.0;
    D[3] = 0.0;
    const double vv = v[0]*v[0] + 1e-06;
    const double k = sqrt(vv);
    const double k_2 = 1.0/k;
    const double k_3 = 0.2*k_2;
    D[0] = k_3;
    const double k_4 = k_2*k_2;
    const double k_5 = 0.2*v[0];
    const double k_6 = k_2*k_4;
    const double neg_D_2 = k_5*k_6;
    D[2] = -neg_D_2;
}

void cart_pole_damping_terms_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *D)
{
    for (long i = 0; i < n; i++)
        cart_pole_damping_terms(q + i*q_stride, v + i*v_stride, D + i*4);
}

/* Motion axes and inertias in the frame of the first link that moves. 7 mul, 1 sincos. */
static void cart_pole_derivative_parts(const double *restrict q, double *restrict rows, double *restrict lift,
    double *restrict armatures)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);
    for (int i = 0; i < 128; i++) rows[i] = 0.0;
    rows[1] = 1.0;
    rows[40] = 1.0;
    rows[48] = 1.1;
    lift[0] = 0.0;
    lift[1] = 9.81;
    lift[2] = 0.0;
    armatures[0] = 0.0;
    armatures[1] = 0.0;

    /* pole */
    const double sp_pole_y = 0.05*c[0];
    rows[65] = sp_pole_y;
    const double sp_pole_z = 0.05*s[0];
    rows[73] = sp_pole_z;
    const double RS_pole_yx = 0.03333333333333333*c[0];
    const double RS_pole_zx = 0.03333333333333333*s[0];
    const double Sp_pole_yy = c[0]*RS_pole_yx;
    rows[105] = Sp_pole_yy;
    const double Sp_pole_yz = s[0]*RS_pole_yx;
    rows[113] = Sp_pole_yz;
    const double Sp_pole_zz = s[0]*RS_pole_zx;
    rows[121] = Sp_pole_zz;
}

/* Pose and motion axes of link 0. 3 mul, 3 add. */
static void cart_pole_step_0(const double *restrict s, const double *restrict c, const double *restrict q,
    const double *restrict above, double *restrict own, double *restrict axes)
{
    (void)s, (void)c, (void)q;

    /* cart */
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
        const kg_xyz p_cart_x = above_3 + q[0]*above_0;
        *kg_xyz_to(own + 3*XYZ + e) = p_cart_x;
        *kg_xyz_to(axes + 2*XYZ + e) = p_cart_x;
    }
}

/* Pose and motion axes of link 1. 12 mul, 6 add, 1 sincos. */
static void cart_pole_step_1(const double *restrict s, const double *restrict c, const double *restrict q,
    const double *restrict above, double *restrict own, double *restrict axes)
{
    (void)s, (void)c, (void)q;

    /* pole */
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
        const kg_xyz R_pole_xx = s[0]*above_0 + c[0]*above_2;
        *kg_xyz_to(own + 2*XYZ + e) = R_pole_xx;
        const kg_xyz neg_R_pole_xy = s[0]*above_2 - c[0]*above_0;
        *kg_xyz_to(own + 0*XYZ + e) = -neg_R_pole_xy;
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
enum { PATH_ANGLES = 1 };
static int cart_pole_link_step_angles(int link, const double *q, double *angle)
{
    (void)q, (void)angle;
    switch (link) {
    case 1:
        angle[0] = q[1];
        return 1;
    default:
        return 0;
    }
}

/* Pose [R p] of a link and its motion axes [z; l; p], of the pose of what it hangs on. */
static void cart_pole_link_step(int link, const double *s, const double *c, const double *q, const double *above,
    double *own, double *axes)
{
    switch (link) {
    case 0:
        cart_pole_step_0(s, c, q, above, own, axes);
        break;
    case 1:
        cart_pole_step_1(s, c, q, above, own, axes);
        break;
    }
}

#include "kinegen/derivatives/inverse_derivatives.h"
#include "kinegen/derivatives/inverse_second_derivatives.h"
#include "kinegen/derivatives/inverse_weighed_derivatives.h"
#include "kinegen/derivatives/forward_derivatives.h"
#include "kinegen/derivatives/frame_derivatives.h"

/* Derivatives of the joint forces: dtau/dq on the tangent space, dtau/dv, M. */
void cart_pole_inverse_derivatives(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict dtau)
{
    inverse_derivatives(0, q, v, a, dtau);
}

/* Second derivatives of tau, its entries first: by q and q, by q and v, by v and v, by a and q. */
void cart_pole_inverse_second_derivatives(const double *restrict q, const double *restrict v,
    const double *restrict a, double *restrict second)
{
    inverse_second_derivatives(0, q, v, a, second);
}

/* Second derivatives of weights'tau, the same ones. */
void cart_pole_inverse_weighed_derivatives(const double *restrict q, const double *restrict v,
    const double *restrict a, const double *restrict weights, double *restrict second)
{
    inverse_weighed_derivatives(0, q, v, a, weights, second);
}

/* Derivatives of the acceleration: da/dq on the tangent space, da/dv, da/dtau. */
void cart_pole_forward_derivatives(const double *restrict q, const double *restrict v, const double *restrict tau,
    double *restrict da)
{
    forward_derivatives(0, q, v, tau, da);
}

/* Derivatives of frame_motion: velocity per q, acceleration per q, per v, per a. */
void cart_pole_frame_derivatives(const double *restrict q, const double *restrict v, const double *restrict a,
    const double *restrict frame, double *restrict parts)
{
    frame_derivatives(0, q, v, a, frame, parts);
}

void cart_pole_inverse_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *dtau)
{
    for (long i = 0; i < n; i++)
        cart_pole_inverse_derivatives(q + i*q_stride, v + i*v_stride, a + i*a_stride, dtau + i*12);
}

void cart_pole_inverse_second_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *second)
{
    for (long i = 0; i < n; i++)
        cart_pole_inverse_second_derivatives(q + i*q_stride, v + i*v_stride, a + i*a_stride, second + i*32);
}

void cart_pole_inverse_weighed_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *weights, long weights_stride, double *second)
{
    for (long i = 0; i < n; i++)
        cart_pole_inverse_weighed_derivatives(q + i*q_stride, v + i*v_stride, a + i*a_stride,
            weights + i*weights_stride, second + i*16);
}

void cart_pole_forward_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *da)
{
    for (long i = 0; i < n; i++)
        cart_pole_forward_derivatives(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, da + i*12);
}

void cart_pole_frame_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *parts)
{
    for (long i = 0; i < n; i++)
        cart_pole_frame_derivatives(q + i*q_stride, v + i*v_stride, a + i*a_stride, frame + i*frame_stride,
            parts + i*48);
}
