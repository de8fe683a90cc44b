/* two_holds: derivatives of the dynamics.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, along the axes of the link where nothing else is said.
 * neg_..: the negative of what the name says; _2, _3: the same quantity, further on; an output's name and a number: an
 * entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * g, X, Jb: gravity, motion axes and inertia in the frame of the first link that moves
 */

#include "two_holds_model.h"
#include "kinegen/linear/sincos.h"

/* Motion axes and inertias in the frame of the first link that moves. 2 mul, 1 sincos. */
static void two_holds_derivative_parts(const double *restrict p, const double *restrict q, double *restrict rows,
    double *restrict lift, double *restrict armatures)
{
    (void)p;
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    for (int i = 0; i < 128; i++)
        rows[i] = 0.0;
    rows[16] = 1.0;
    rows[41] = 1.0;
    rows[49] = 0.5;
    rows[56] = -0.25;
    rows[80] = 0.08333333333333333;
    lift[2] = 0.0;
    lift[3] = 0.0;
    lift[4] = 9.81;
    lift[5] = 0.0;
    armatures[0] = 0.0;
    armatures[1] = 0.0;

    /* rod */
    const double neg_g_rod_x = 9.81*c[0];
    lift[0] = neg_g_rod_x;
    const double g_rod_y = 9.81*s[0];
    lift[1] = -g_rod_y;
}

/* Motion axis k moves dof axis_dof[k]. */
static const int axis_dof[] = {0, 1};
/* The next axis towards the root (-1: none): the paths of the tree. */
static const int axis_above[] = {-1, -1};
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
/* One past the last row that row k has to do with. */
static const int factor_reach[] = {1, 2};

#include "kinegen/derivatives/inverse_derivatives.h"
#include "kinegen/derivatives/forward_derivatives.h"

/* Derivatives of the joint forces: dtau/dq on the tangent space, dtau/dv, M. */
void two_holds_inverse_derivatives(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict a, double *restrict dtau)
{
    inverse_derivatives(p, q, v, a, dtau);
}

/* Derivatives of the acceleration: da/dq on the tangent space, da/dv, da/dtau. */
void two_holds_forward_derivatives_open(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict tau, double *restrict da)
{
    forward_derivatives(p, q, v, tau, da);
}

void two_holds_inverse_derivatives_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *dtau)
{
    for (long i = 0; i < n; i++)
        two_holds_inverse_derivatives(p, q + i*q_stride, v + i*v_stride, a + i*a_stride, dtau + i*12);
}

void two_holds_forward_derivatives_open_batch(long n, const double *p, const double *q, long q_stride,
    const double *v, long v_stride, const double *tau, long tau_stride, double *da)
{
    for (long i = 0; i < n; i++)
        two_holds_forward_derivatives_open(p, q + i*q_stride, v + i*v_stride, tau + i*tau_stride, da + i*12);
}
