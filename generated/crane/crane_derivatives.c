/* crane: derivatives of the dynamics.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * R, p: pose in the parent or, where poses are asked for, in the world
 * m, s, S: mass, first moment and second moment of mass
 * sp, Sp, sq, RS: s, S in the parent's axes, s about its origin, R S
 * mJ, imass, mass: mass times Jacobian, 1/mass, mass
 * P, Pp, L: momentum, or its rate: linear, p: in the parent's axes; angular (L also the factor of M = L'DL)
 * k, inv, t: intermediate value
 */

#include "crane_model.h"
#include "kinegen/frames/xyz.h"
#include "kinegen/linear/sincos.h"

/* What is defined and called here, as crane.h declares it. */
void crane_com_velocity_derivative(const double *p, const double *q, const double *v, double *dv_dq);
void crane_damping_terms(const double *p, const double *q, const double *v, double *D);
void crane_inverse_derivatives(const double *p, const double *q, const double *v, const double *a, double *dtau);
void crane_inverse_second_derivatives(const double *p, const double *q, const double *v, const double *a,
    double *second);
void crane_inverse_weighed_derivatives(const double *p, const double *q, const double *v, const double *a,
    const double *weights, double *second);
void crane_forward_derivatives(const double *p, const double *q, const double *v, const double *tau, double *da);
void crane_frame_derivatives(const double *p, const double *q, const double *v, const double *a, const double *frame,
    double *parts);
void crane_com_velocity_derivative_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, double *dv_dq);
void crane_damping_terms_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, double *D);
void crane_inverse_derivatives_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *dtau);
void crane_inverse_second_derivatives_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *second);
void crane_inverse_weighed_derivatives_batch(long n, const double *p, const double *q, long q_stride,
    const double *v, long v_stride, const double *a, long a_stride, const double *weights, long weights_stride,
    double *second);
void crane_forward_derivatives_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *da);
void crane_frame_derivatives_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *frame, long frame_stride, double *parts);

/* Derivative of the velocity of the centre of mass by q on the tangent space. 5 mul, 1 add, 1 div, 1 sincos. */
void crane_com_velocity_derivative(const double *restrict p, const double *restrict q, const double *restrict v,
    double *restrict dv_dq)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);
    dv_dq[0] = 0.0;
    dv_dq[2] = 0.0;
    dv_dq[3] = 0.0;
    dv_dq[4] = 0.0;

    /* load */
    const double neg_s_load_x = p[1]*p[2];
    const double m_trolley = p[3] + p[2];
    const double imass = 1.0/m_trolley;
    const double neg_P_load_y = neg_s_load_x*v[1];

    /* load */
    const double t_load_x = imass*neg_P_load_y;
    const double dv_dq_1 = s[0]*t_load_x;
    dv_dq[1] = dv_dq_1;
    const double dv_dq_5 = c[0]*t_load_x;
    dv_dq[5] = dv_dq_5;
}

void crane_com_velocity_derivative_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, double *dv_dq)
{
    for (long i = 0; i < n; i++)
        crane_com_velocity_derivative(p, q + i*q_stride, v + i*v_stride, dv_dq + i*6);
}

/* What dampers and friction add to M over dt, and its slope in v. No operations. */
void crane_damping_terms(const double *restrict p, const double *restrict q, const double *restrict v,
    double *restrict D)
{
    (void)p;
    (void)q;
    (void)v;
    D[0] = 0.0;
    D[1] = 0.0;
    D[2] = 0.0;
    D[3] = 0.0;
}

void crane_damping_terms_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, double *D)
{
    for (long i = 0; i < n; i++)
        crane_damping_terms(p, q + i*q_stride, v + i*v_stride, D + i*4);
}

/* Motion axes and inertias in the frame of the first link that moves. 10 mul, 1 add, 1 sincos. */
static void crane_derivative_parts(const double *restrict p, const double *restrict q, double *restrict rows,
    double *restrict lift, double *restrict armatures)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);
    for (int i = 0; i < 128; i++) rows[i] = 0.0;
    rows[1] = 1.0;
    rows[40] = 1.0;
    lift[0] = 0.0;
    lift[2] = 0.0;
    armatures[0] = 0.0;
    armatures[1] = 0.0;
    lift[1] = p[0];

    /* load */
    const double neg_s_load_x = p[1]*p[2];
    const double S_load_xx = p[1]*p[1]*p[2];
    const double m_trolley = p[3] + p[2];
    rows[48] = m_trolley;

    /* load */
    const double neg_sp_load_y = c[0]*neg_s_load_x;
    rows[65] = -neg_sp_load_y;
    const double neg_sp_load_z = s[0]*neg_s_load_x;
    rows[73] = -neg_sp_load_z;
    const double RS_load_yx = c[0]*S_load_xx;
    const double RS_load_zx = s[0]*S_load_xx;
    const double Sp_load_yy = c[0]*RS_load_yx;
    rows[105] = Sp_load_yy;
    const double Sp_load_yz = s[0]*RS_load_yx;
    rows[113] = Sp_load_yz;
    const double Sp_load_zz = s[0]*RS_load_zx;
    rows[121] = Sp_load_zz;
}

/* Pose and motion axes of link 0. 3 mul, 3 add. */
static void crane_step_0(const double *restrict s, const double *restrict c, const double *restrict p,
    const double *restrict q, const double *restrict above, double *restrict own, double *restrict axes)
{
    (void)p;
    (void)s, (void)c, (void)p, (void)q;

    /* trolley */
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
        const kg_xyz p_trolley_x = above_3 + q[0]*above_0;
        *kg_xyz_to(own + 3*XYZ + e) = p_trolley_x;
        *kg_xyz_to(axes + 2*XYZ + e) = p_trolley_x;
    }
}

/* Pose and motion axes of link 1. 12 mul, 6 add, 1 sincos. */
static void crane_step_1(const double *restrict s, const double *restrict c, const double *restrict p,
    const double *restrict q, const double *restrict above, double *restrict own, double *restrict axes)
{
    (void)p;
    (void)s, (void)c, (void)p, (void)q;

    /* load */
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
        const kg_xyz R_load_xx = s[0]*above_0 + c[0]*above_2;
        *kg_xyz_to(own + 2*XYZ + e) = R_load_xx;
        const kg_xyz neg_R_load_xy = s[0]*above_2 - c[0]*above_0;
        *kg_xyz_to(own + 0*XYZ + e) = -neg_R_load_xy;
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
static int crane_link_step_angles(const double *p, int link, const double *q, double *angle)
{
    (void)p, (void)q, (void)angle;
    switch (link) {
    case 1:
        angle[0] = q[1];
        return 1;
    default:
        return 0;
    }
}

/* Pose [R p] of a link and its motion axes [z; l; p], of the pose of what it hangs on. */
static void crane_link_step(const double *p, int link, const double *s, const double *c, const double *q,
    const double *above, double *own, double *axes)
{
    switch (link) {
    case 0:
        crane_step_0(s, c, p, q, above, own, axes);
        break;
    case 1:
        crane_step_1(s, c, p, q, above, own, axes);
        break;
    }
}

#include "kinegen/derivatives/inverse_derivatives.h"
#include "kinegen/derivatives/inverse_second_derivatives.h"
#include "kinegen/derivatives/inverse_weighed_derivatives.h"
#include "kinegen/derivatives/forward_derivatives.h"
#include "kinegen/derivatives/frame_derivatives.h"

/* Derivatives of the joint forces: dtau/dq on the tangent space, dtau/dv, M. */
void crane_inverse_derivatives(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict a, double *restrict dtau)
{
    inverse_derivatives(p, q, v, a, dtau);
}

/* Second derivatives of tau, its entries first: by q and q, by q and v, by v and v, by a and q. */
void crane_inverse_second_derivatives(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict a, double *restrict second)
{
    inverse_second_derivatives(p, q, v, a, second);
}

/* Second derivatives of weights'tau, the same ones. */
void crane_inverse_weighed_derivatives(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict a, const double *restrict weights, double *restrict second)
{
    inverse_weighed_derivatives(p, q, v, a, weights, second);
}

/* Derivatives of the acceleration: da/dq on the tangent space, da/dv, da/dtau. */
void crane_forward_derivatives(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict tau, double *restrict da)
{
    forward_derivatives(p, q, v, tau, da);
}

/* Derivatives of frame_motion: velocity per q, acceleration per q, per v, per a. */
void crane_frame_derivatives(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict a, const double *restrict frame, double *restrict parts)
{
    frame_derivatives(p, q, v, a, frame, parts);
}

void crane_inverse_derivatives_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *dtau)
{
    for (long i = 0; i < n; i++)
        crane_inverse_derivatives(p, q + i*q_stride, v + i*v_stride, a + i*a_stride, dtau + i*12);
}

void crane_inverse_second_derivatives_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *second)
{
    for (long i = 0; i < n; i++)
        crane_inverse_second_derivatives(p, q + i*q_stride, v + i*v_stride, a + i*a_stride, second + i*32);
}

void crane_inverse_weighed_derivatives_batch(long n, const double *p, const double *q, long q_stride,
    const double *v, long v_stride, const double *a, long a_stride, const double *weights, long weights_stride,
    double *second)
{
    for (long i = 0; i < n; i++)
        crane_inverse_weighed_derivatives(p, q + i*q_stride, v + i*v_stride, a + i*a_stride,
            weights + i*weights_stride, second + i*16);
}

void crane_forward_derivatives_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *da)
{
    for (long i = 0; i < n; i++)
        crane_forward_derivatives(p, q + i*q_stride, v + i*v_stride, tau + i*tau_stride, da + i*12);
}

void crane_frame_derivatives_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *frame, long frame_stride, double *parts)
{
    for (long i = 0; i < n; i++)
        crane_frame_derivatives(p, q + i*q_stride, v + i*v_stride, a + i*a_stride, frame + i*frame_stride,
            parts + i*48);
}
