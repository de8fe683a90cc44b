/* two_holds: forward dynamics.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * Vn, Vf, uD, dv: Un/D, Uf/D, u/D, acceleration of the joint
 */

#include "two_holds_model.h"
#include "kinegen/linear/sincos.h"

/* What is defined and called here, as two_holds.h declares it. */
void two_holds_forward_dynamics_open(const double *p, const double *q, const double *v, const double *tau,
    double *a);
void two_holds_forward_dynamics_open_damped(const double *p, const double *q, const double *v, const double *tau,
    const double *d, double *a);
void two_holds_mass_matrix(const double *p, const double *q, double *M);
void two_holds_bias(const double *p, const double *q, const double *v, double *h);
void two_holds_forward_dynamics_open_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a);
void two_holds_forward_dynamics_open_damped_batch(long n, const double *p, const double *q, long q_stride,
    const double *v, long v_stride, const double *tau, long tau_stride, const double *d, long d_stride, double *a);

/* Acceleration by articulated bodies. 4 mul, 1 add, 1 sincos. */
void two_holds_forward_dynamics_open(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict tau, double *restrict a)
{
    (void)p;
    (void)v;
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);

    /* rod, articulated */
    const double uD_rod = 12.0*tau[0];

    /* slider, articulated */
    const double uD_slider = 2.0*tau[1];
    a[1] = uD_slider;

    /* rod, acceleration */
    const double neg_aq_rod_y = 9.81*s[0];
    const double dv_rod = uD_rod - 3.0*neg_aq_rod_y;
    a[0] = dv_rod;
}

void two_holds_forward_dynamics_open_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a)
{
    for (long i = 0; i < n; i++)
        two_holds_forward_dynamics_open(p, q + i*q_stride, v + i*v_stride, tau + i*tau_stride, a + i*2);
}

/* Where each row of L of M = L'DL begins. */
static const int factor_row[] = {0, 0, 0};
/* The columns in which its entries stand. */
static const int factor_column[] = {0};

#include "kinegen/tree/forward_dynamics_damped.h"

/* Acceleration a of (M + diag d) a = tau - h. */
void two_holds_forward_dynamics_open_damped(const double *restrict p, const double *restrict q,
    const double *restrict v, const double *restrict tau, const double *restrict d, double *restrict a)
{
    forward_dynamics_damped(p, q, v, tau, d, a);
}

void two_holds_forward_dynamics_open_damped_batch(long n, const double *p, const double *q, long q_stride,
    const double *v, long v_stride, const double *tau, long tau_stride, const double *d, long d_stride, double *a)
{
    for (long i = 0; i < n; i++)
        two_holds_forward_dynamics_open_damped(p, q + i*q_stride, v + i*v_stride, tau + i*tau_stride, d + i*d_stride,
            a + i*2);
}
