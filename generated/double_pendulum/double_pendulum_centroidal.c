/* double_pendulum: rate of the momentum, mass and gravity.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * w, wp: angular velocity; that of the parent in the link's axes
 * dw, dwp, dwq: rate of w; the parent's; with velocity products of the joint
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * ww: products of entries of w
 * st, mt: subtree: first moment, mass
 * com, F, N: centre of mass; force, moment that move a link
 * P, Pp, L: momentum, or its rate: linear, p: in the parent's axes; angular (L also the factor of M = L'DL)
 */

#include "kinegen/linear/sincos.h"

/* What is defined and called here, as double_pendulum.h declares it. */
void double_pendulum_momentum_rate(const double *q, const double *v, const double *a, double *momentum_rate);
void double_pendulum_total_mass(const double *q, double *mass);
void double_pendulum_gravity_acceleration(const double *q, double *g);
void double_pendulum_momentum_rate_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *momentum_rate);
void double_pendulum_total_mass_batch(long n, const double *q, long q_stride, double *mass);
void double_pendulum_gravity_acceleration_batch(long n, const double *q, long q_stride, double *g);

/* Rate of the momentum: linear, angular about the centre of mass. 28 mul, 15 add, 2 sincos. */
void double_pendulum_momentum_rate(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict momentum_rate)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q, s, c);
    momentum_rate[1] = 0.0;
    momentum_rate[3] = 0.0;
    momentum_rate[5] = 0.0;

    /* upper */
    const double ww_upper = v[0]*v[0];

    /* lower */
    const double w_lower_z = v[0] + v[1];
    const double dw_lower_z = a[0] + a[1];
    const double ap_lower_x = 0.5*ww_upper;
    const double neg_ap_lower_y = 0.5*a[0];
    const double neg_a_lower_y = s[1]*ap_lower_x + c[1]*neg_ap_lower_y;
    const double ww_lower = w_lower_z*w_lower_z;
    const double F_upper_x = 0.75*ww_upper;
    const double neg_F_upper_y = 0.75*a[0];
    const double F_lower_x = 0.25*ww_lower;
    const double neg_F_lower_y = 0.25*dw_lower_z;
    const double N_upper_z = 0.3333333333333333*a[0];
    const double N_lower_z = 0.08333333333333333*dw_lower_z + 0.25*neg_a_lower_y;
    const double Pp_lower_x = c[1]*F_lower_x + s[1]*neg_F_lower_y;
    const double Pp_lower_y = s[1]*F_lower_x - c[1]*neg_F_lower_y;
    const double P_upper_x = F_upper_x + Pp_lower_x;
    const double neg_P_upper_y = neg_F_upper_y - Pp_lower_y;
    const double L_upper_z = N_upper_z + N_lower_z - 0.5*Pp_lower_y;
    const double neg_st_upper_x = 0.75 + 0.25*c[1];
    const double neg_st_upper_y = 0.25*s[1];
    const double neg_com_x = 0.5*neg_st_upper_x;
    const double neg_com_y = 0.5*neg_st_upper_y;
    const double neg_L_z = neg_P_upper_y*neg_com_x + P_upper_x*neg_com_y - L_upper_z;
    momentum_rate[4] = -neg_L_z;
    const double momentum_rate_0 = s[0]*P_upper_x - c[0]*neg_P_upper_y;
    momentum_rate[0] = momentum_rate_0;
    const double momentum_rate_2 = c[0]*P_upper_x + s[0]*neg_P_upper_y;
    momentum_rate[2] = momentum_rate_2;
}

void double_pendulum_momentum_rate_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *momentum_rate)
{
    for (long i = 0; i < n; i++)
        double_pendulum_momentum_rate(q + i*q_stride, v + i*v_stride, a + i*a_stride, momentum_rate + i*6);
}

/* Mass of all links. No operations. */
void double_pendulum_total_mass(const double *restrict q, double *restrict mass)
{
    (void)q;
    mass[0] = 2.0;
}

void double_pendulum_total_mass_batch(long n, const double *q, long q_stride, double *mass)
{
    for (long i = 0; i < n; i++)
        double_pendulum_total_mass(q + i*q_stride, mass + i*1);
}

/* Acceleration of gravity, world axes. No operations. */
void double_pendulum_gravity_acceleration(const double *restrict q, double *restrict g)
{
    (void)q;
    g[0] = 0.0;
    g[1] = 0.0;
    g[2] = -9.81;
}

void double_pendulum_gravity_acceleration_batch(long n, const double *q, long q_stride, double *g)
{
    for (long i = 0; i < n; i++)
        double_pendulum_gravity_acceleration(q + i*q_stride, g + i*3);
}

