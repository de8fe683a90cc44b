/* crane: rate of the momentum, mass and gravity.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, along the axes of the link where nothing else is said.
 * neg_..: the negative of what the name says; _2, _3: the same quantity, further on; an output's name and a number: an
 * entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * ww: products of entries of w
 * pG, vG, aG, Gx, ddq: centre of mass: position, velocity, acceleration; its part by joint accelerations
 * r, rr: arm, or right-hand side; products of its entries
 * st, mt, sr, sG, It: subtree: first moment, mass, first moment about the joint, about the centre of mass, inertia
 * mJ, imass, mass: mass times Jacobian, 1/mass, mass
 * com, F, N, dP, dL: centre of mass; force, moment that move a link; rates of the momentum
 */

#include "crane.h"
#include "kinegen/linear/sincos.h"

/* Rate of the momentum: linear, angular about the centre of mass. 24 mul, 12 add, 1 div, 1 sincos. */
void crane_momentum_rate(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict a, double *restrict momentum_rate)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);
    momentum_rate[1] = 0.0;
    momentum_rate[3] = 0.0;
    momentum_rate[5] = 0.0;

    /* load */
    const double neg_pG_load_x = p[1]*s[0] - q[0];
    const double neg_pG_load_z = p[1]*c[0];
    const double neg_st_load_x = p[2]*neg_pG_load_x;
    const double neg_st_load_z = p[2]*neg_pG_load_z;
    const double mt_trolley = p[3] + p[2];
    const double st_trolley_x = p[3]*q[0] - neg_st_load_x;
    const double imass = 1.0/mt_trolley;
    const double com_x = st_trolley_x*imass;
    const double neg_com_z = neg_st_load_z*imass;
    const double a_load_x = s[0]*a[0];
    const double a_load_y = c[0]*a[0];
    const double ww_load = v[1]*v[1];
    const double F_trolley_x = p[3]*a[0];
    const double dL_y = neg_com_z*F_trolley_x;
    const double aG_load_x = a_load_x + p[1]*ww_load;
    const double neg_aG_load_y = p[1]*a[1] - a_load_y;
    const double F_load_x = p[2]*s[0]*aG_load_x - p[2]*c[0]*neg_aG_load_y;
    const double F_load_z = p[2]*c[0]*aG_load_x + p[2]*s[0]*neg_aG_load_y;
    momentum_rate[2] = F_load_z;
    const double neg_r_load_x = neg_pG_load_x + com_x;
    const double neg_r_load_z = neg_pG_load_z - neg_com_z;
    const double dP_x = F_trolley_x + F_load_x;
    momentum_rate[0] = dP_x;
    const double dL_y_2 = dL_y + F_load_z*neg_r_load_x - F_load_x*neg_r_load_z;
    momentum_rate[4] = dL_y_2;
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

    /* load */
    const double mt_trolley = p[3] + p[2];
    mass[0] = mt_trolley;
}

void crane_total_mass_batch(long n, const double *p, const double *q, long q_stride, double *mass)
{
    for (long i = 0; i < n; i++)
        crane_total_mass(p, q + i*q_stride, mass + i*1);
}

/* Acceleration of gravity, world axes. no operations. */
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

