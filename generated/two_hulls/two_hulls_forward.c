/* two_hulls: forward dynamics.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 */

#include "two_hulls_model.h"
#include <math.h>
#include "kinegen/linear/real.h"

/* What is defined and called here, as two_hulls.h declares it. */
void two_hulls_forward_dynamics(const double *q, const double *v, const double *tau, double *a);
void two_hulls_forward_dynamics_damped(const double *q, const double *v, const double *tau, const double *d,
    double *a);
void two_hulls_mass_matrix(const double *q, double *M);
void two_hulls_bias(const double *q, const double *v, double *h);
void two_hulls_forward_dynamics_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *a);
void two_hulls_forward_dynamics_damped_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, const double *d, long d_stride, double *a);

/* Acceleration by articulated bodies. No operations. */
void two_hulls_forward_dynamics(const double *restrict q, const double *restrict v, const double *restrict tau,
    double *restrict a)
{
    (void)q;
    (void)v;
    a[0] = tau[0];
    a[1] = tau[1];
}

void two_hulls_forward_dynamics_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *a)
{
    for (long i = 0; i < n; i++)
        two_hulls_forward_dynamics(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, a + i*2);
}

/* Where each row of L of M = L'DL begins. */
static const int factor_row[] = {0, 0, 0};
/* The columns in which its entries stand. */
static const int factor_column[] = {0};

#include "kinegen/tree/forward_dynamics_damped.h"

/* Acceleration a of (M + diag d) a = tau - h. */
void two_hulls_forward_dynamics_damped(const double *restrict q, const double *restrict v,
    const double *restrict tau, const double *restrict d, double *restrict a)
{
    forward_dynamics_damped(0, q, v, tau, d, a);
}

void two_hulls_forward_dynamics_damped_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, const double *d, long d_stride, double *a)
{
    for (long i = 0; i < n; i++)
        two_hulls_forward_dynamics_damped(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, d + i*d_stride, a + i*2);
}
