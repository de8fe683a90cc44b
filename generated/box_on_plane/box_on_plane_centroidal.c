/* box_on_plane: rate of the momentum, mass and gravity.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * ww: products of entries of w
 * U: [dw]x + [w]x[w]x
 * q2, qq, E: twice a quaternion's entries, their products, its rotation
 * com, F, N: centre of mass; force, moment that move a link
 */

#include <math.h>
#include "kinegen/linear/real.h"

/* What is defined and called here, as box_on_plane.h declares it. */
void box_on_plane_momentum_rate(const double *q, const double *v, const double *a, double *momentum_rate);
void box_on_plane_total_mass(const double *q, double *mass);
void box_on_plane_gravity_acceleration(const double *q, double *g);
void box_on_plane_momentum_rate_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *momentum_rate);
void box_on_plane_total_mass_batch(long n, const double *q, long q_stride, double *mass);
void box_on_plane_gravity_acceleration_batch(long n, const double *q, long q_stride, double *g);

/* Rate of the momentum: linear, angular about the centre of mass. 48 mul, 39 add. */
void box_on_plane_momentum_rate(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict momentum_rate)
{

    /* box */
    const double q2_box = 2.0*q[3];
    const double q2_box_2 = 2.0*q[4];
    const double q2_box_3 = 2.0*q[5];
    const double qq_box = q[3]*q2_box;
    const double qq_box_2 = q[4]*q2_box_2;
    const double qq_box_3 = q[5]*q2_box_3;
    const double qq_box_4 = q[3]*q2_box_2;
    const double qq_box_5 = q[3]*q2_box_3;
    const double qq_box_6 = q[4]*q2_box_3;
    const double qq_box_7 = q[6]*q2_box;
    const double qq_box_8 = q[6]*q2_box_2;
    const double qq_box_9 = q[6]*q2_box_3;
    const double E_box_xx = 1.0 - qq_box_2 - qq_box_3;
    const double E_box_xy = qq_box_4 - qq_box_9;
    const double E_box_xz = qq_box_5 + qq_box_8;
    const double E_box_yx = qq_box_4 + qq_box_9;
    const double E_box_yy = 1.0 - qq_box - qq_box_3;
    const double E_box_yz = qq_box_6 - qq_box_7;
    const double E_box_zx = qq_box_5 - qq_box_8;
    const double E_box_zy = qq_box_6 + qq_box_7;
    const double E_box_zz = 1.0 - qq_box - qq_box_2;
    const double neg_a_box_x = v[1]*v[5] - a[0] - v[2]*v[4];
    const double a_box_y = a[1] + v[0]*v[5] - v[2]*v[3];
    const double neg_a_box_z = v[0]*v[4] - a[2] - v[1]*v[3];
    const double ww_box = v[3]*v[4];
    const double ww_box_2 = v[3]*v[5];
    const double ww_box_3 = v[4]*v[5];
    const double neg_U_box_xy = a[5] - ww_box;
    const double U_box_xz = ww_box_2 + a[4];
    const double U_box_yx = ww_box + a[5];
    const double neg_U_box_yz = a[3] - ww_box_3;
    const double neg_U_box_zx = a[4] - ww_box_2;
    const double U_box_zy = ww_box_3 + a[3];
    const double neg_F_box_x = 2.0*neg_a_box_x;
    const double F_box_y = 2.0*a_box_y;
    const double neg_F_box_z = 2.0*neg_a_box_z;
    const double N_box_x = 0.015*U_box_zy + 0.006666666666666675*neg_U_box_yz;
    const double N_box_y = 0.006666666666666675*U_box_xz + 0.026666666666666672*neg_U_box_zx;
    const double N_box_z = 0.026666666666666672*U_box_yx + 0.015*neg_U_box_xy;
    const double neg_momentum_rate_0 = E_box_xx*neg_F_box_x + E_box_xz*neg_F_box_z - E_box_xy*F_box_y;
    momentum_rate[0] = -neg_momentum_rate_0;
    const double neg_momentum_rate_1 = E_box_yx*neg_F_box_x + E_box_yz*neg_F_box_z - E_box_yy*F_box_y;
    momentum_rate[1] = -neg_momentum_rate_1;
    const double neg_momentum_rate_2 = E_box_zx*neg_F_box_x + E_box_zz*neg_F_box_z - E_box_zy*F_box_y;
    momentum_rate[2] = -neg_momentum_rate_2;
    const double momentum_rate_3 = E_box_xx*N_box_x + E_box_xy*N_box_y + E_box_xz*N_box_z;
    momentum_rate[3] = momentum_rate_3;
    const double momentum_rate_4 = E_box_yx*N_box_x + E_box_yy*N_box_y + E_box_yz*N_box_z;
    momentum_rate[4] = momentum_rate_4;
    const double momentum_rate_5 = E_box_zx*N_box_x + E_box_zy*N_box_y + E_box_zz*N_box_z;
    momentum_rate[5] = momentum_rate_5;
}

void box_on_plane_momentum_rate_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *momentum_rate)
{
    for (long i = 0; i < n; i++)
        box_on_plane_momentum_rate(q + i*q_stride, v + i*v_stride, a + i*a_stride, momentum_rate + i*6);
}

/* Mass of all links. No operations. */
void box_on_plane_total_mass(const double *restrict q, double *restrict mass)
{
    (void)q;
    mass[0] = 2.0;
}

void box_on_plane_total_mass_batch(long n, const double *q, long q_stride, double *mass)
{
    for (long i = 0; i < n; i++)
        box_on_plane_total_mass(q + i*q_stride, mass + i*1);
}

/* Acceleration of gravity, world axes. No operations. */
void box_on_plane_gravity_acceleration(const double *restrict q, double *restrict g)
{
    (void)q;
    g[0] = 0.0;
    g[1] = 0.0;
    g[2] = -9.81;
}

void box_on_plane_gravity_acceleration_batch(long n, const double *q, long q_stride, double *g)
{
    for (long i = 0; i < n; i++)
        box_on_plane_gravity_acceleration(q + i*q_stride, g + i*3);
}

