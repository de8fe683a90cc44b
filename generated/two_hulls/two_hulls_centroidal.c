/* two_hulls: rate of the momentum, mass and gravity.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * P, Pp, L: momentum, or its rate: linear, p: in the parent's axes; angular (L also the factor of M = L'DL)
 */

#include <math.h>
#include "kinegen/linear/real.h"

/* What is defined and called here, as two_hulls.h declares it. */
void two_hulls_momentum_rate(const double *q, const double *v, const double *a, double *momentum_rate);
void two_hulls_total_mass(const double *q, double *mass);
void two_hulls_gravity_acceleration(const double *q, double *g);
void two_hulls_momentum_rate_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *momentum_rate);
void two_hulls_total_mass_batch(long n, const double *q, long q_stride, double *mass);
void two_hulls_gravity_acceleration_batch(long n, const double *q, long q_stride, double *g);

/* Rate of the momentum: linear, angular about the centre of mass. 1 add. */
void two_hulls_momentum_rate(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict momentum_rate)
{
    (void)q;
    (void)v;
    momentum_rate[1] = 0.0;
    momentum_rate[2] = 0.0;
    momentum_rate[3] = 0.0;
    momentum_rate[4] = 0.0;
    momentum_rate[5] = 0.0;

    /* right */
    const double P_x = a[1] + a[0];
    momentum_rate[0] = P_x;
}

void two_hulls_momentum_rate_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *momentum_rate)
{
    for (long i = 0; i < n; i++)
        two_hulls_momentum_rate(q + i*q_stride, v + i*v_stride, a + i*a_stride, momentum_rate + i*6);
}

/* Mass of all links. No operations. */
void two_hulls_total_mass(const double *restrict q, double *restrict mass)
{
    (void)q;
    mass[0] = 2.0;
}

void two_hulls_total_mass_batch(long n, const double *q, long q_stride, double *mass)
{
    for (long i = 0; i < n; i++)
        two_hulls_total_mass(q + i*q_stride, mass + i*1);
}

/* Acceleration of gravity, world axes. No operations. */
void two_hulls_gravity_acceleration(const double *restrict q, double *restrict g)
{
    (void)q;
    g[0] = 0.0;
    g[1] = 0.0;
    g[2] = -9.81;
}

void two_hulls_gravity_acceleration_batch(long n, const double *q, long q_stride, double *g)
{
    for (long i = 0; i < n; i++)
        two_hulls_gravity_acceleration(q + i*q_stride, g + i*3);
}

