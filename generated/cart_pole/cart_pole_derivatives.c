/* cart_pole: derivatives of the dynamics.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, along the axes of the link where nothing else is said.
 * neg_..: the negative of what the name says; _2, _3: the same quantity, further on; an output's name and a number: an
 * entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * sp, Sp, sq, RS: s, S in the parent's axes, s about its origin, R S
 */

#include "cart_pole_model.h"
#include "kinegen/linear/sincos.h"

/* Motion axes and inertias in the frame of the first link that moves. 7 mul, 1 sincos. */
static void cart_pole_derivative_parts(const double *restrict q, double *restrict rows, double *restrict lift,
    double *restrict armatures)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);
    for (int i = 0; i < 128; i++)
        rows[i] = 0.0;
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
void cart_pole_inverse_derivatives(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict dtau)
{
    inverse_derivatives(0, q, v, a, dtau);
}

/* Derivatives of the acceleration: da/dq on the tangent space, da/dv, da/dtau. */
void cart_pole_forward_derivatives(const double *restrict q, const double *restrict v, const double *restrict tau,
    double *restrict da)
{
    forward_derivatives(0, q, v, tau, da);
}

void cart_pole_inverse_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *dtau)
{
    for (long i = 0; i < n; i++)
        cart_pole_inverse_derivatives(q + i*q_stride, v + i*v_stride, a + i*a_stride, dtau + i*12);
}

void cart_pole_forward_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *da)
{
    for (long i = 0; i < n; i++)
        cart_pole_forward_derivatives(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, da + i*12);
}
