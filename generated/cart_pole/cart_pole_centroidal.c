/* cart_pole: rate of the momentum, mass and gravity.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * ww: products of entries of w
 * st, mt: subtree: first moment, mass
 * com, F, N: centre of mass; force, moment that move a link
 * P, Pp, L: momentum, or its rate: linear, p: in the parent's axes; angular (L also the factor of M = L'DL)
 */

#include "kinegen/linear/sincos.h"

/* What is defined and called here, as cart_pole.h declares it. */
void cart_pole_momentum_rate(const double *q, const double *v, const double *a, double *momentum_rate);
void cart_pole_total_mass(const double *q, double *mass);
void cart_pole_gravity_acceleration(const double *q, double *g);
void cart_pole_momentum_rate_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *momentum_rate);
void cart_pole_total_mass_batch(long n, const double *q, long q_stride, double *mass);
void cart_pole_gravity_acceleration_batch(long n, const double *q, long q_stride, double *g);

/* Rate of the momentum: linear, angular about the centre of mass. 17 mul, 6 add, 1 sincos. */
void cart_pole_momentum_rate(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict momentum_rate)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);
    momentum_rate[1] = 0.0;
    momentum_rate[3] = 0.0;
    momentum_rate[5] = 0.0;

    /* pole */
    const double a_pole_y = c[0]*a[0];
    const double ww_pole = v[1]*v[1];
    const double F_cart_z = 1.1*a[0];
    const double neg_F_pole_x = 0.05*ww_pole;
    const double F_pole_y = 0.05*a[1];
    const double N_pole_z = 0.03333333333333333*a[1] + 0.05*a_pole_y;
    const double neg_Pp_pole_y = c[0]*neg_F_pole_x + s[0]*F_pole_y;
    momentum_rate[2] = -neg_Pp_pole_y;
    const double neg_Pp_pole_z = s[0]*neg_F_pole_x - c[0]*F_pole_y;
    const double P_cart_z = F_cart_z - neg_Pp_pole_z;
    momentum_rate[0] = P_cart_z;
    const double st_cart_y = 0.05*c[0];
    const double st_cart_z = 0.05*s[0];
    const double com_y = 0.9090909090909091*st_cart_y;
    const double com_z = 0.9090909090909091*st_cart_z;
    const double L_x = N_pole_z - P_cart_z*com_y - neg_Pp_pole_y*com_z;
    momentum_rate[4] = L_x;
}

void cart_pole_momentum_rate_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *momentum_rate)
{
    for (long i = 0; i < n; i++)
        cart_pole_momentum_rate(q + i*q_stride, v + i*v_stride, a + i*a_stride, momentum_rate + i*6);
}

/* Mass of all links. No operations. */
void cart_pole_total_mass(const double *restrict q, double *restrict mass)
{
    (void)q;
    mass[0] = 1.1;
}

void cart_pole_total_mass_batch(long n, const double *q, long q_stride, double *mass)
{
    for (long i = 0; i < n; i++)
        cart_pole_total_mass(q + i*q_stride, mass + i*1);
}

/* Acceleration of gravity, world axes. No operations. */
void cart_pole_gravity_acceleration(const double *restrict q, double *restrict g)
{
    (void)q;
    g[0] = 0.0;
    g[1] = 0.0;
    g[2] = -9.81;
}

void cart_pole_gravity_acceleration_batch(long n, const double *q, long q_stride, double *g)
{
    for (long i = 0; i < n; i++)
        cart_pole_gravity_acceleration(q + i*q_stride, g + i*3);
}

