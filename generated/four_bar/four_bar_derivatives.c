/* four_bar: derivatives of the dynamics.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * R, p: pose in the parent or, where poses are asked for, in the world
 * w, wp: angular velocity; that of the parent in the link's axes
 * u, up: velocity of the link's origin; as the parent carries it (articulated: u is the joint force left)
 * m, s, S: mass, first moment and second moment of mass
 * sp, Sp, sq, RS: s, S in the parent's axes, s about its origin, R S
 * P, Pp, L: momentum, or its rate: linear, p: in the parent's axes; angular (L also the factor of M = L'DL)
 * k, inv, t: intermediate value
 * g, X, Jb: gravity, motion axes and inertia in the frame of the first link that moves
 */

#include "four_bar_model.h"
#include "kinegen/frames/xyz.h"
#include "kinegen/linear/sincos.h"

/* What is defined and called here, as four_bar.h declares it. */
void four_bar_com_velocity_derivative(const double *q, const double *v, double *dv_dq);
void four_bar_damping_terms(const double *q, const double *v, double *D);
void four_bar_inverse_derivatives(const double *q, const double *v, const double *a, double *dtau);
void four_bar_inverse_second_derivatives(const double *q, const double *v, const double *a, double *second);
void four_bar_inverse_weighed_derivatives(const double *q, const double *v, const double *a, const double *weights,
    double *second);
void four_bar_forward_derivatives_open(const double *q, const double *v, const double *tau, double *da);
void four_bar_frame_derivatives(const double *q, const double *v, const double *a, const double *frame,
    double *parts);
void four_bar_com_velocity_derivative_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *dv_dq);
void four_bar_damping_terms_batch(long n, const double *q, long q_stride, const double *v, long v_stride, double *D);
void four_bar_inverse_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *dtau);
void four_bar_inverse_second_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *second);
void four_bar_inverse_weighed_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *weights, long weights_stride, double *second);
void four_bar_forward_derivatives_open_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *da);
void four_bar_frame_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *parts);

/* Derivative of the velocity of the centre of mass by q on the tangent space. 32 mul, 14 add, 3 sincos. */
void four_bar_com_velocity_derivative(const double *restrict q, const double *restrict v, double *restrict dv_dq)
{
    double s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_sincos(3, q, s, c);
    dv_dq[3] = 0.0;
    dv_dq[4] = 0.0;
    dv_dq[5] = 0.0;
    const double neg_up_coupler_x = 0.2*v[0];
    const double w_coupler_z = v[0] + v[1];
    const double w_rocker_z = w_coupler_z + v[2];
    const double neg_P_coupler_x = 0.325*w_coupler_z;
    const double neg_P_rocker_x = 0.08000000000000002*w_rocker_z;
    const double neg_P_coupler_x_2 = neg_P_coupler_x + c[2]*neg_P_rocker_x;
    const double neg_P_coupler_y = s[2]*neg_P_rocker_x;
    const double P_crank_x = s[1]*neg_P_coupler_y - neg_up_coupler_x - c[1]*neg_P_coupler_x_2;
    const double neg_P_crank_y = s[1]*neg_P_coupler_x_2 + c[1]*neg_P_coupler_y;

    /* coupler */
    const double R_coupler_xx = s[0]*c[1] + c[0]*s[1];
    const double neg_R_coupler_xy = s[0]*s[1] - c[0]*c[1];

    /* rocker */
    const double neg_R_rocker_xx = s[2]*neg_R_coupler_xy - c[2]*R_coupler_xx;
    const double neg_R_rocker_xy = s[2]*R_coupler_xx + c[2]*neg_R_coupler_xy;

    /* crank */
    const double t_crank_x = 0.9090909090909091*neg_P_crank_y;
    const double t_crank_y = 0.9090909090909091*P_crank_x;

    /* coupler */
    const double t_coupler_x = 0.9090909090909091*neg_P_coupler_y;
    const double neg_t_coupler_y = 0.9090909090909091*neg_P_coupler_x_2;

    /* rocker */
    const double neg_t_rocker_y = 0.9090909090909091*neg_P_rocker_x;
    const double dv_dq_0 = s[0]*t_crank_x + c[0]*t_crank_y;
    dv_dq[0] = dv_dq_0;
    const double dv_dq_1 = R_coupler_xx*t_coupler_x + neg_R_coupler_xy*neg_t_coupler_y;
    dv_dq[1] = dv_dq_1;
    const double dv_dq_2 = neg_R_rocker_xy*neg_t_rocker_y;
    dv_dq[2] = dv_dq_2;
    const double neg_dv_dq_6 = s[0]*t_crank_y - c[0]*t_crank_x;
    dv_dq[6] = -neg_dv_dq_6;
    const double dv_dq_7 = R_coupler_xx*neg_t_coupler_y - neg_R_coupler_xy*t_coupler_x;
    dv_dq[7] = dv_dq_7;
    const double neg_dv_dq_8 = neg_R_rocker_xx*neg_t_rocker_y;
    dv_dq[8] = -neg_dv_dq_8;
}

void four_bar_com_velocity_derivative_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *dv_dq)
{
    for (long i = 0; i < n; i++)
        four_bar_com_velocity_derivative(q + i*q_stride, v + i*v_stride, dv_dq + i*9);
}

/* What dampers and friction add to M over dt, and its slope in v. No operations. */
void four_bar_damping_terms(const double *restrict q, const double *restrict v, double *restrict D)
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

void four_bar_damping_terms_batch(long n, const double *q, long q_stride, const double *v, long v_stride, double *D)
{
    for (long i = 0; i < n; i++)
        four_bar_damping_terms(q + i*q_stride, v + i*v_stride, D + i*6);
}

/* Motion axes and inertias in the frame of the first link that moves. 30 mul, 9 add, 3 sincos. */
static void four_bar_derivative_parts(const double *restrict q, double *restrict rows, double *restrict lift,
    double *restrict armatures)
{
    double s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_sincos(3, q, s, c);
    for (int i = 0; i < 128; i++) rows[i] = 0.0;
    rows[16] = 1.0;
    rows[17] = 1.0;
    rows[18] = 1.0;
    rows[25] = 0.2;
    rows[64] = 0.2;
    rows[104] = 0.03866666666666667;
    lift[2] = 0.0;
    armatures[0] = 0.0;
    armatures[1] = 0.0;
    armatures[2] = 0.0;

    /* crank */
    const double neg_g_crank_x = 9.81*c[0];
    lift[0] = neg_g_crank_x;
    const double g_crank_y = 9.81*s[0];
    lift[1] = -g_crank_y;

    /* rocker */
    const double neg_R_rocker_xx = s[1]*s[2] - c[1]*c[2];
    const double neg_R_rocker_xy = c[1]*s[2] + s[1]*c[2];
    const double neg_p_rocker_x = 0.5*s[1];
    rows[34] = neg_p_rocker_x;
    const double p_rocker_y = 0.2 + 0.5*c[1];
    rows[26] = p_rocker_y;

    /* coupler */
    const double neg_sp_coupler_x = 0.325*s[1];
    rows[57] = -neg_sp_coupler_x;
    const double sp_coupler_y = 0.325*c[1];
    rows[65] = sp_coupler_y;
    const double neg_RS_coupler_xy = 0.14166666666666666*s[1];
    const double RS_coupler_yy = 0.14166666666666666*c[1];
    const double Sp_coupler_xx = s[1]*neg_RS_coupler_xy;
    rows[81] = Sp_coupler_xx;
    const double neg_Sp_coupler_xy = c[1]*neg_RS_coupler_xy;
    const double Sp_coupler_yy = c[1]*RS_coupler_yy;
    const double neg_S_coupler_xy = neg_Sp_coupler_xy + 0.2*neg_sp_coupler_x;
    rows[89] = -neg_S_coupler_xy;
    const double S_coupler_yy = Sp_coupler_yy + 0.4*sp_coupler_y;
    rows[105] = S_coupler_yy;

    /* rocker */
    const double neg_sp_rocker_x = 0.08000000000000002*neg_R_rocker_xy;
    rows[58] = -neg_sp_rocker_x;
    const double neg_sp_rocker_y = 0.08000000000000002*neg_R_rocker_xx;
    rows[66] = -neg_sp_rocker_y;
    const double neg_RS_rocker_xy = 0.02133333333333334*neg_R_rocker_xy;
    const double neg_RS_rocker_yy = 0.02133333333333334*neg_R_rocker_xx;
    const double Sp_rocker_xx = neg_R_rocker_xy*neg_RS_rocker_xy;
    const double Sp_rocker_xy = neg_R_rocker_xx*neg_RS_rocker_xy;
    const double Sp_rocker_yy = neg_R_rocker_xx*neg_RS_rocker_yy;
    const double S_rocker_xx = Sp_rocker_xx + 2.0*neg_p_rocker_x*neg_sp_rocker_x;
    rows[82] = S_rocker_xx;
    const double S_rocker_xy = Sp_rocker_xy + neg_p_rocker_x*neg_sp_rocker_y - p_rocker_y*neg_sp_rocker_x;
    rows[90] = S_rocker_xy;
    const double neg_S_rocker_yy = 2.0*p_rocker_y*neg_sp_rocker_y - Sp_rocker_yy;
    rows[106] = -neg_S_rocker_yy;
}

/* Pose and motion axes of link 0. 12 mul, 6 add, 1 sincos. */
static void four_bar_step_0(const double *restrict s, const double *restrict c, const double *restrict q,
    const double *restrict above, double *restrict own, double *restrict axes)
{
    (void)s, (void)c, (void)q;

    /* crank */
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
        const kg_xyz R_crank_xx = s[0]*above_0 + c[0]*above_2;
        *kg_xyz_to(own + 2*XYZ + e) = R_crank_xx;
        const kg_xyz neg_R_crank_xy = s[0]*above_2 - c[0]*above_0;
        *kg_xyz_to(own + 0*XYZ + e) = -neg_R_crank_xy;
    }
}

/* Pose and motion axes of link 1. 15 mul, 9 add, 1 sincos. */
static void four_bar_step_1(const double *restrict s, const double *restrict c, const double *restrict q,
    const double *restrict above, double *restrict own, double *restrict axes)
{
    (void)s, (void)c, (void)q;

    /* coupler */
    for (int e = 0; e < 3; e += AT_ONCE) { /* entries along x, y, z of the world, which are alike */
        const kg_xyz above_0 = *kg_xyz_at(above + 0*XYZ + e);
        const kg_xyz above_1 = *kg_xyz_at(above + 1*XYZ + e);
        const kg_xyz above_2 = *kg_xyz_at(above + 2*XYZ + e);
        const kg_xyz above_3 = *kg_xyz_at(above + 3*XYZ + e);
        *kg_xyz_to(axes + 1*XYZ + e) = (kg_xyz){0.0};
        *kg_xyz_to(own + 1*XYZ + e) = above_1;
        *kg_xyz_to(axes + 0*XYZ + e) = above_1;
        const kg_xyz R_coupler_xx = s[0]*above_0 + c[0]*above_2;
        *kg_xyz_to(own + 2*XYZ + e) = R_coupler_xx;
        const kg_xyz neg_R_coupler_xy = s[0]*above_2 - c[0]*above_0;
        *kg_xyz_to(own + 0*XYZ + e) = -neg_R_coupler_xy;
        const kg_xyz p_coupler_x = above_3 + 0.2*above_0;
        *kg_xyz_to(own + 3*XYZ + e) = p_coupler_x;
        *kg_xyz_to(axes + 2*XYZ + e) = p_coupler_x;
    }
}

/* Pose and motion axes of link 2. 15 mul, 9 add, 1 sincos. */
static void four_bar_step_2(const double *restrict s, const double *restrict c, const double *restrict q,
    const double *restrict above, double *restrict own, double *restrict axes)
{
    (void)s, (void)c, (void)q;

    /* rocker */
    for (int e = 0; e < 3; e += AT_ONCE) { /* entries along x, y, z of the world, which are alike */
        const kg_xyz above_0 = *kg_xyz_at(above + 0*XYZ + e);
        const kg_xyz above_1 = *kg_xyz_at(above + 1*XYZ + e);
        const kg_xyz above_2 = *kg_xyz_at(above + 2*XYZ + e);
        const kg_xyz above_3 = *kg_xyz_at(above + 3*XYZ + e);
        *kg_xyz_to(axes + 1*XYZ + e) = (kg_xyz){0.0};
        *kg_xyz_to(own + 1*XYZ + e) = above_1;
        *kg_xyz_to(axes + 0*XYZ + e) = above_1;
        const kg_xyz R_rocker_xx = s[0]*above_0 + c[0]*above_2;
        *kg_xyz_to(own + 2*XYZ + e) = R_rocker_xx;
        const kg_xyz neg_R_rocker_xy = s[0]*above_2 - c[0]*above_0;
        *kg_xyz_to(own + 0*XYZ + e) = -neg_R_rocker_xy;
        const kg_xyz p_rocker_x = above_3 + 0.5*above_0;
        *kg_xyz_to(own + 3*XYZ + e) = p_rocker_x;
        *kg_xyz_to(axes + 2*XYZ + e) = p_rocker_x;
    }
}

/* Motion axis k moves dof axis_dof[k]. */
static const int axis_dof[] = {0, 1, 2};
/* The next axis towards the root (-1: none): the paths of the tree. */
static const int axis_above[] = {-1, 0, 1};
/* The motion axis at which the path of link i ends. */
static const int axis_last[] = {0, 1, 2};
/* The link that each link hangs on, -1 for world. */
static const int link_above[] = {-1, 0, 1};
/* The first motion axis of each link, or where it would stand. */
static const int link_axis[] = {0, 1, 2};
/* The first axis of those that move one frame with it. */
static const int axis_first[] = {0, 1, 2};
/* The last one. */
static const int axis_end[] = {0, 1, 2};
/* One past the last axis of its subtree. */
static const int axis_below[] = {3, 3, 3};
/* All axes, the deepest first: branches take turns. */
static const int axis_inward[] = {2, 1, 0};
/* Where each row of L of M = L'DL begins. */
static const int factor_row[] = {0, 0, 1, 3};
/* The columns in which its entries stand. */
static const int factor_column[] = {0, 0, 1};

/* Angles of which the next function is handed sines and cosines; gives how many. */
enum { PATH_ANGLES = 3 };
static int four_bar_link_step_angles(int link, const double *q, double *angle)
{
    (void)q, (void)angle;
    switch (link) {
    case 0:
        angle[0] = q[0];
        return 1;
    case 1:
        angle[0] = q[1];
        return 1;
    case 2:
        angle[0] = q[2];
        return 1;
    default:
        return 0;
    }
}

/* Pose [R p] of a link and its motion axes [z; l; p], of the pose of what it hangs on. */
static void four_bar_link_step(int link, const double *s, const double *c, const double *q, const double *above,
    double *own, double *axes)
{
    switch (link) {
    case 0:
        four_bar_step_0(s, c, q, above, own, axes);
        break;
    case 1:
        four_bar_step_1(s, c, q, above, own, axes);
        break;
    case 2:
        four_bar_step_2(s, c, q, above, own, axes);
        break;
    }
}

#include "kinegen/derivatives/inverse_derivatives.h"
#include "kinegen/derivatives/inverse_second_derivatives.h"
#include "kinegen/derivatives/inverse_weighed_derivatives.h"
#include "kinegen/derivatives/forward_derivatives.h"
#include "kinegen/derivatives/frame_derivatives.h"

/* Derivatives of the joint forces: dtau/dq on the tangent space, dtau/dv, M. */
void four_bar_inverse_derivatives(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict dtau)
{
    inverse_derivatives(0, q, v, a, dtau);
}

/* Second derivatives of tau, its entries first: by q and q, by q and v, by v and v, by a and q. */
void four_bar_inverse_second_derivatives(const double *restrict q, const double *restrict v,
    const double *restrict a, double *restrict second)
{
    inverse_second_derivatives(0, q, v, a, second);
}

/* Second derivatives of weights'tau, the same ones. */
void four_bar_inverse_weighed_derivatives(const double *restrict q, const double *restrict v,
    const double *restrict a, const double *restrict weights, double *restrict second)
{
    inverse_weighed_derivatives(0, q, v, a, weights, second);
}

/* Derivatives of the acceleration: da/dq on the tangent space, da/dv, da/dtau. */
void four_bar_forward_derivatives_open(const double *restrict q, const double *restrict v,
    const double *restrict tau, double *restrict da)
{
    forward_derivatives(0, q, v, tau, da);
}

/* Derivatives of frame_motion: velocity per q, acceleration per q, per v, per a. */
void four_bar_frame_derivatives(const double *restrict q, const double *restrict v, const double *restrict a,
    const double *restrict frame, double *restrict parts)
{
    frame_derivatives(0, q, v, a, frame, parts);
}

void four_bar_inverse_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *dtau)
{
    for (long i = 0; i < n; i++)
        four_bar_inverse_derivatives(q + i*q_stride, v + i*v_stride, a + i*a_stride, dtau + i*27);
}

void four_bar_inverse_second_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *second)
{
    for (long i = 0; i < n; i++)
        four_bar_inverse_second_derivatives(q + i*q_stride, v + i*v_stride, a + i*a_stride, second + i*108);
}

void four_bar_inverse_weighed_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *weights, long weights_stride, double *second)
{
    for (long i = 0; i < n; i++)
        four_bar_inverse_weighed_derivatives(q + i*q_stride, v + i*v_stride, a + i*a_stride,
            weights + i*weights_stride, second + i*36);
}

void four_bar_forward_derivatives_open_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *da)
{
    for (long i = 0; i < n; i++)
        four_bar_forward_derivatives_open(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, da + i*27);
}

void four_bar_frame_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *parts)
{
    for (long i = 0; i < n; i++)
        four_bar_frame_derivatives(q + i*q_stride, v + i*v_stride, a + i*a_stride, frame + i*frame_stride,
            parts + i*72);
}
