/* two_holds: rate of the momentum, mass and gravity.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * ww: products of entries of w
 * st, mt: subtree: first moment, mass
 * com, F, N: centre of mass; force, moment that move a link
 * P, Pp, L: momentum, or its rate: linear, p: in the parent's axes; angular (L also the factor of M = L'DL)
 */

#include "kinegen/linear/sincos.h"

/* What is defined and called here, as two_holds.h declares it. */
void two_holds_momentum_rate(const double *p, const double *q, const double *v, const double *a,
    double *momentum_rate);
void two_holds_total_mass(const double *p, const double *q, double *mass);
void two_holds_gravity_acceleration(const double *p, const double *q, double *g);
void two_holds_momentum_rate_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *momentum_rate);
void two_holds_total_mass_batch(long n, const double *p, const double *q, long q_stride, double *mass);
void two_holds_gravity_acceleration_batch(long n, const double *p, const double *q, long q_stride, double *g);

/* Rate of the momentum: linear, angular about the centre of mass. 16 mul, 8 add, 1 sincos. */
void two_holds_momentum_rate(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict a, double *restrict momentum_rate)
{
    (void)p;
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    momentum_rate[1] = 0.0;
    momentum_rate[3] = 0.0;
    momentum_rate[5] = 0.0;

    /* rod */
    const double ww_rod = v[0]*v[0];

    /* slider */
    const double F_rod_x = 0.25*ww_rod;
    const double neg_F_rod_y = 0.25*a[0];
    const double F_slider_z = 0.5*a[1];
    const double N_rod_z = 0.08333333333333333*a[0];
    const double Pp_rod_x = s[0]*F_rod_x - c[0]*neg_F_rod_y;
    const double Pp_rod_z = c[0]*F_rod_x + s[0]*neg_F_rod_y;
    momentum_rate[2] = Pp_rod_z;
    const double st_x = 0.5*q[1];
    const double neg_com_x = 0.16666666666666666*s[0] - 0.6666666666666666*st_x;
    const double neg_com_z = 0.16666666666666666 + 0.16666666666666666*c[0];
    const double P_x = F_slider_z + Pp_rod_x;
    momentum_rate[0] = P_x;
    const double neg_L_y = 0.5*F_slider_z + Pp_rod_z*neg_com_x - N_rod_z - neg_com_z*P_x;
    momentum_rate[4] = -neg_L_y;
}

void two_holds_momentum_rate_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *momentum_rate)
{
    for (long i = 0; i < n; i++)
        two_holds_momentum_rate(p, q + i*q_stride, v + i*v_stride, a + i*a_stride, momentum_rate + i*6);
}

/* Mass of all links. No operations. */
void two_holds_total_mass(const double *restrict p, const double *restrict q, double *restrict mass)
{
    (void)p;
    (void)q;
    mass[0] = 1.5;
}

void two_holds_total_mass_batch(long n, const double *p, const double *q, long q_stride, double *mass)
{
    for (long i = 0; i < n; i++)
        two_holds_total_mass(p, q + i*q_stride, mass + i*1);
}

/* Acceleration of gravity, world axes. No operations. */
void two_holds_gravity_acceleration(const double *restrict p, const double *restrict q, double *restrict g)
{
    (void)p;
    (void)q;
    g[0] = 0.0;
    g[1] = 0.0;
    g[2] = -9.81;
}

void two_holds_gravity_acceleration_batch(long n, const double *p, const double *q, long q_stride, double *g)
{
    for (long i = 0; i < n; i++)
        two_holds_gravity_acceleration(p, q + i*q_stride, g + i*3);
}

