/* two_hulls: forward dynamics.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, along the axes of the link where nothing else is said.
 * neg_..: the negative of what the name says; _2, _3: the same quantity, further on; an output's name and a number: an
 * entry of it.
 */

#include "two_hulls.h"
#include <math.h>

/* Acceleration by articulated bodies. no operations. */
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

enum { NV = 2, LINKS = 2, AXES = 2 };

/* x of M x = x, M = L'DL, last row first; M is overwritten, entries outside its envelope stay zero. */
static void ltdl_solve(double *M, double *x)
{
    for (int k = NV - 1; k >= 0; k--)
        for (int i = k - 1; i >= 0; i--) {
            const double factor = M[NV*k + i]/M[(NV + 1)*k];
            if (factor == 0.0)
                continue;
            for (int j = 0; j <= i; j++)
                M[NV*i + j] -= factor*M[NV*k + j];
            x[i] -= factor*x[k];
        }
    for (int k = 0; k < NV; k++) {
        for (int j = 0; j < k; j++)
            x[k] -= M[NV*k + j]*x[j];
        x[k] /= M[(NV + 1)*k];
    }
}

/* a of (M + diag d) a = tau - h. */
void two_hulls_forward_dynamics_damped(const double *restrict q, const double *restrict v,
    const double *restrict tau, const double *restrict d, double *restrict a)
{
    double M[NV*NV];
    two_hulls_mass_matrix(q, M);
    two_hulls_bias(q, v, a);
    for (int i = 0; i < NV; i++) {
        a[i] = tau[i] - a[i];
        M[(NV + 1)*i] += d[i];
    }
    ltdl_solve(M, a);
}


void two_hulls_forward_dynamics_damped_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, const double *d, long d_stride, double *a)
{
    for (long i = 0; i < n; i++)
        two_hulls_forward_dynamics_damped(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, d + i*d_stride, a + i*2);
}
