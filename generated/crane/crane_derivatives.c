/* crane: derivatives of the dynamics.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, along the axes of the link where nothing else is said.
 * neg_..: the negative of what the name says; _2, _3: the same quantity, further on; an output's name and a number: an
 * entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * m, s, S: mass, first moment and second moment of mass
 * sp, Sp, sq, RS: s, S in the parent's axes, s about its origin, R S
 */

#include "crane_model.h"
#include "kinegen/linear/sincos.h"

/* Motion axes and inertias in the frame of the first link that moves. 10 mul, 1 add, 1 sincos. */
static void crane_derivative_parts(const double *restrict p, const double *restrict q, double *restrict rows,
    double *restrict lift, double *restrict armatures)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);
    for (int i = 0; i < 128; i++)
        rows[i] = 0.0;
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
void crane_inverse_derivatives(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict a, double *restrict dtau)
{
    inverse_derivatives(p, q, v, a, dtau);
}

/* Derivatives of the acceleration: da/dq on the tangent space, da/dv, da/dtau. */
void crane_forward_derivatives(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict tau, double *restrict da)
{
    forward_derivatives(p, q, v, tau, da);
}

void crane_inverse_derivatives_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *dtau)
{
    for (long i = 0; i < n; i++)
        crane_inverse_derivatives(p, q + i*q_stride, v + i*v_stride, a + i*a_stride, dtau + i*12);
}

void crane_forward_derivatives_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *da)
{
    for (long i = 0; i < n; i++)
        crane_forward_derivatives(p, q + i*q_stride, v + i*v_stride, tau + i*tau_stride, da + i*12);
}
