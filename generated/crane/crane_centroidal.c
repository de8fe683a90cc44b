/* crane: rate of the momentum, mass and gravity.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * ww: products of entries of w
 * m, s, S: mass, first moment and second moment of mass
 * st, mt: subtree: first moment, mass
 * mJ, imass, mass: mass times Jacobian, 1/mass, mass
 * com, F, N: centre of mass; force, moment that move a link
 * P, Pp, L: momentum, or its rate: linear, p: in the parent's axes; angular (L also the factor of M = L'DL)
 */

#include "kinegen/linear/sincos.h"

/* What is defined and called here, as crane.h declares it. */
void crane_momentum_rate(const double *p, const double *q, const double *v, const double *a, double *momentum_rate);
void crane_total_mass(const double *p, const double *q, double *mass);
void crane_gravity_acceleration(const double *p, const double *q, double *g);
void crane_momentum_rate_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *momentum_rate);
void crane_total_mass_batch(long n, const double *p, const double *q, long q_stride, double *mass);
void crane_gravity_acceleration_batch(long n, const double *p, const double *q, long q_stride, double *g);

/* Rate of the momentum: linear, angular about the centre of mass. 20 mul, 7 add, 1 div, 1 sincos. */
void crane_momentum_rate(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict a, double *restrict momentum_rate)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);
    momentum_rate[1] = 0.0;
    momentum_rate[3] = 0.0;
    momentum_rate[5] = 0.0;

    /* load */
    const double neg_s_load_x = p[1]*p[2];
    const double S_load_xx = p[1]*p[1]*p[2];
    const double m_trolley = p[3] + p[2];

    /* load */
    const double a_load_y = c[0]*a[0];
    const double ww_load = v[1]*v[1];
    const double F_trolley_z = m_trolley*a[0];
    const double F_load_x = neg_s_load_x*ww_load;
    const double neg_F_load_y = neg_s_load_x*a[1];
    const double neg_N_load_z = neg_s_load_x*a_load_y - S_load_xx*a[1];
    const double Pp_load_y = c[0]*F_load_x + s[0]*neg_F_load_y;
    momentum_rate[2] = Pp_load_y;
    const double Pp_load_z = s[0]*F_load_x - c[0]*neg_F_load_y;
    const double P_trolley_z = F_trolley_z + Pp_load_z;
    momentum_rate[0] = P_trolley_z;
    const double neg_st_trolley_y = c[0]*neg_s_load_x;
    const double neg_st_trolley_z = s[0]*neg_s_load_x;
    const double imass = 1.0/m_trolley;
    const double neg_com_y = neg_st_trolley_y*imass;
    const double neg_com_z = neg_st_trolley_z*imass;
    const double neg_L_x = neg_N_load_z + Pp_load_y*neg_com_z - P_trolley_z*neg_com_y;
    momentum_rate[4] = -neg_L_x;
}

void crane_momentum_rate_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *momentum_rate)
{
    for (long i = 0; i < n; i++)
        crane_momentum_rate(p, q + i*q_stride, v + i*v_stride, a + i*a_stride, momentum_rate + i*6);
}

/* Mass of all links. 1 add. */
void crane_total_mass(const double *restrict p, const double *restrict q, double *restrict mass)
{
    (void)q;
    const double mass_2 = p[3] + p[2];
    mass[0] = mass_2;
}

void crane_total_mass_batch(long n, const double *p, const double *q, long q_stride, double *mass)
{
    for (long i = 0; i < n; i++)
        crane_total_mass(p, q + i*q_stride, mass + i*1);
}

/* Acceleration of gravity, world axes. No operations. */
void crane_gravity_acceleration(const double *restrict p, const double *restrict q, double *restrict g)
{
    (void)q;
    g[0] = 0.0;
    g[1] = 0.0;
    g[2] = -p[0];
}

void crane_gravity_acceleration_batch(long n, const double *p, const double *q, long q_stride, double *g)
{
    for (long i = 0; i < n; i++)
        crane_gravity_acceleration(p, q + i*q_stride, g + i*3);
}

