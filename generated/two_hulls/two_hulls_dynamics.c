/* two_hulls: inverse dynamics and mass matrix.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 */

#include <math.h>
#include "kinegen/linear/real.h"

/* What is defined and called here, as two_hulls.h declares it. */
void two_hulls_inverse_dynamics(const double *q, const double *v, const double *a, double *tau);
void two_hulls_bias(const double *q, const double *v, double *h);
void two_hulls_gravity(const double *q, double *g);
void two_hulls_mass_matrix(const double *q, double *M);
void two_hulls_inverse_dynamics_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *tau);
void two_hulls_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride, double *h);
void two_hulls_gravity_batch(long n, const double *q, long q_stride, double *g);
void two_hulls_mass_matrix_batch(long n, const double *q, long q_stride, double *M);

/* Joint forces tau of the open chain, by recursion in link frames. No operations. */
void two_hulls_inverse_dynamics(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict tau)
{
    (void)q;
    (void)v;
    tau[0] = a[0];
    tau[1] = a[1];
}

void two_hulls_inverse_dynamics_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *tau)
{
    for (long i = 0; i < n; i++)
        two_hulls_inverse_dynamics(q + i*q_stride, v + i*v_stride, a + i*a_stride, tau + i*2);
}

/* Bias h(q, v): tau at zero acceleration. No operations. */
void two_hulls_bias(const double *restrict q, const double *restrict v, double *restrict h)
{
    (void)q;
    (void)v;
    h[0] = 0.0;
    h[1] = 0.0;
}

void two_hulls_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride, double *h)
{
    for (long i = 0; i < n; i++)
        two_hulls_bias(q + i*q_stride, v + i*v_stride, h + i*2);
}

/* Gravity g(q): tau at rest. No operations. */
void two_hulls_gravity(const double *restrict q, double *restrict g)
{
    (void)q;
    g[0] = 0.0;
    g[1] = 0.0;
}

void two_hulls_gravity_batch(long n, const double *q, long q_stride, double *g)
{
    for (long i = 0; i < n; i++)
        two_hulls_gravity(q + i*q_stride, g + i*2);
}

/* Mass matrix M by composite inertias. No operations. */
void two_hulls_mass_matrix(const double *restrict q, double *restrict M)
{
    (void)q;
    M[0] = 1.0;
    M[1] = 0.0;
    M[2] = 0.0;
    M[3] = 1.0;
}

void two_hulls_mass_matrix_batch(long n, const double *q, long q_stride, double *M)
{
    for (long i = 0; i < n; i++)
        two_hulls_mass_matrix(q + i*q_stride, M + i*4);
}

