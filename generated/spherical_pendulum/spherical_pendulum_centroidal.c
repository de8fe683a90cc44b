/* spherical_pendulum: rate of the momentum, mass and gravity.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * ww: products of entries of w
 * U: [dw]x + [w]x[w]x
 * q2, qq, E: twice a quaternion's entries, their products, its rotation
 * com, F, N: centre of mass; force, moment that move a link
 * P, Pp, L: momentum, or its rate: linear, p: in the parent's axes; angular (L also the factor of M = L'DL)
 */

#include <math.h>
#include "kinegen/linear/real.h"

/* What is defined and called here, as spherical_pendulum.h declares it. */
void spherical_pendulum_momentum_rate(const double *q, const double *v, const double *a, double *momentum_rate);
void spherical_pendulum_total_mass(const double *q, double *mass);
void spherical_pendulum_gravity_acceleration(const double *q, double *g);
void spherical_pendulum_momentum_rate_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *momentum_rate);
void spherical_pendulum_total_mass_batch(long n, const double *q, long q_stride, double *mass);
void spherical_pendulum_gravity_acceleration_batch(long n, const double *q, long q_stride, double *g);

/* Rate of the momentum: linear, angular about the centre of mass. 44 mul, 36 add. */
void spherical_pendulum_momentum_rate(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict momentum_rate)
{

    /* ball */
    const double q2_ball = 2.0*q[0];
    const double q2_ball_2 = 2.0*q[1];
    const double q2_ball_3 = 2.0*q[2];
    const double qq_ball = q[0]*q2_ball;
    const double qq_ball_2 = q[1]*q2_ball_2;
    const double qq_ball_3 = q[2]*q2_ball_3;
    const double qq_ball_4 = q[0]*q2_ball_2;
    const double qq_ball_5 = q[0]*q2_ball_3;
    const double qq_ball_6 = q[1]*q2_ball_3;
    const double qq_ball_7 = q[3]*q2_ball;
    const double qq_ball_8 = q[3]*q2_ball_2;
    const double qq_ball_9 = q[3]*q2_ball_3;
    const double E_ball_xx = 1.0 - qq_ball_2 - qq_ball_3;
    const double E_ball_xy = qq_ball_4 - qq_ball_9;
    const double E_ball_xz = qq_ball_5 + qq_ball_8;
    const double E_ball_yx = qq_ball_4 + qq_ball_9;
    const double E_ball_yy = 1.0 - qq_ball - qq_ball_3;
    const double E_ball_yz = qq_ball_6 - qq_ball_7;
    const double E_ball_zx = qq_ball_5 - qq_ball_8;
    const double E_ball_zy = qq_ball_6 + qq_ball_7;
    const double E_ball_zz = 1.0 - qq_ball - qq_ball_2;
    const double ww_ball = v[0]*v[0];
    const double ww_ball_2 = v[1]*v[1];
    const double ww_ball_3 = v[0]*v[1];
    const double ww_ball_4 = v[0]*v[2];
    const double ww_ball_5 = v[1]*v[2];
    const double neg_U_ball_xy = a[2] - ww_ball_3;
    const double U_ball_xz = ww_ball_4 + a[1];
    const double U_ball_yx = ww_ball_3 + a[2];
    const double neg_U_ball_yz = a[0] - ww_ball_5;
    const double neg_U_ball_zx = a[1] - ww_ball_4;
    const double U_ball_zy = ww_ball_5 + a[0];
    const double neg_U_ball_zz = ww_ball + ww_ball_2;
    const double neg_F_ball_x = 0.5*U_ball_xz;
    const double F_ball_y = 0.5*neg_U_ball_yz;
    const double F_ball_z = 0.5*neg_U_ball_zz;
    const double N_ball_x = 0.0010000000000000005*U_ball_zy + 0.501*neg_U_ball_yz;
    const double N_ball_y = 0.501*U_ball_xz + 0.0010000000000000005*neg_U_ball_zx;
    const double N_ball_z = 0.0010000000000000005*U_ball_yx + 0.0010000000000000005*neg_U_ball_xy;
    const double neg_L_x = F_ball_y - N_ball_x;
    const double neg_L_y = neg_F_ball_x - N_ball_y;
    const double neg_momentum_rate_0 = E_ball_xx*neg_F_ball_x - E_ball_xy*F_ball_y - E_ball_xz*F_ball_z;
    momentum_rate[0] = -neg_momentum_rate_0;
    const double neg_momentum_rate_1 = E_ball_yx*neg_F_ball_x - E_ball_yy*F_ball_y - E_ball_yz*F_ball_z;
    momentum_rate[1] = -neg_momentum_rate_1;
    const double neg_momentum_rate_2 = E_ball_zx*neg_F_ball_x - E_ball_zy*F_ball_y - E_ball_zz*F_ball_z;
    momentum_rate[2] = -neg_momentum_rate_2;
    const double neg_momentum_rate_3 = E_ball_xx*neg_L_x + E_ball_xy*neg_L_y - E_ball_xz*N_ball_z;
    momentum_rate[3] = -neg_momentum_rate_3;
    const double neg_momentum_rate_4 = E_ball_yx*neg_L_x + E_ball_yy*neg_L_y - E_ball_yz*N_ball_z;
    momentum_rate[4] = -neg_momentum_rate_4;
    const double neg_momentum_rate_5 = E_ball_zx*neg_L_x + E_ball_zy*neg_L_y - E_ball_zz*N_ball_z;
    momentum_rate[5] = -neg_momentum_rate_5;
}

void spherical_pendulum_momentum_rate_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *momentum_rate)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_momentum_rate(q + i*q_stride, v + i*v_stride, a + i*a_stride, momentum_rate + i*6);
}

/* Mass of all links. No operations. */
void spherical_pendulum_total_mass(const double *restrict q, double *restrict mass)
{
    (void)q;
    mass[0] = 0.5;
}

void spherical_pendulum_total_mass_batch(long n, const double *q, long q_stride, double *mass)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_total_mass(q + i*q_stride, mass + i*1);
}

/* Acceleration of gravity, world axes. No operations. */
void spherical_pendulum_gravity_acceleration(const double *restrict q, double *restrict g)
{
    (void)q;
    g[0] = 0.0;
    g[1] = 0.0;
    g[2] = -9.81;
}

void spherical_pendulum_gravity_acceleration_batch(long n, const double *q, long q_stride, double *g)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_gravity_acceleration(q + i*q_stride, g + i*3);
}

