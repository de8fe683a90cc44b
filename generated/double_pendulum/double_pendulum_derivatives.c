/* double_pendulum: derivatives of the dynamics.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, along the axes of the link where nothing else is said.
 * neg_..: the negative of what the name says; _2, _3: the same quantity, further on; an output's name and a number: an
 * entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * m, s, S: mass, first moment and second moment of mass
 * sp, Sp, sq, RS: s, S in the parent's axes, s about its origin, R S
 * g, X, Jb: gravity, motion axes and inertia in the frame of the first link that moves
 */

#include "double_pendulum_model.h"
#include "kinegen/linear/sincos.h"

/* Motion axes and inertias in the frame of the first link that moves. 10 mul, 2 add, 2 sincos. */
static void double_pendulum_derivative_parts(const double *restrict q, double *restrict rows, double *restrict lift,
    double *restrict armatures)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q, s, c);
    for (int i = 0; i < 128; i++)
        rows[i] = 0.0;
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

/* Motion axis k moves dof axis_dof[k]. */
static const int axis_dof[] = {0, 1};
/* The next axis towards the root (-1: none): the paths of the tree. */
static const int axis_above[] = {-1, 0};
/* The first axis of those that move one frame with it. */
static const int axis_first[] = {0, 1};
/* The last one. */
static const int axis_end[] = {0, 1};
/* One past the last axis of its subtree. */
static const int axis_below[] = {2, 2};
/* Where each row of L of M = L'DL begins. */
static const int factor_row[] = {0, 0, 1};
/* The columns in which its entries stand. */
static const int factor_column[] = {0};
/* One past the last row that row k has to do with. */
static const int factor_reach[] = {2, 2};

#include "kinegen/derivatives/inverse_derivatives.h"
#include "kinegen/derivatives/forward_derivatives.h"

/* Derivatives of the joint forces: dtau/dq on the tangent space, dtau/dv, M. */
void double_pendulum_inverse_derivatives(const double *restrict q, const double *restrict v,
    const double *restrict a, double *restrict dtau)
{
    inverse_derivatives(0, q, v, a, dtau);
}

/* Derivatives of the acceleration: da/dq on the tangent space, da/dv, da/dtau. */
void double_pendulum_forward_derivatives(const double *restrict q, const double *restrict v,
    const double *restrict tau, double *restrict da)
{
    forward_derivatives(0, q, v, tau, da);
}

void double_pendulum_inverse_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *dtau)
{
    for (long i = 0; i < n; i++)
        double_pendulum_inverse_derivatives(q + i*q_stride, v + i*v_stride, a + i*a_stride, dtau + i*12);
}

void double_pendulum_forward_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *da)
{
    for (long i = 0; i < n; i++)
        double_pendulum_forward_derivatives(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, da + i*12);
}
