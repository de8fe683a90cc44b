/* spherical_pendulum: inverse dynamics and mass matrix.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * ww: products of entries of w
 * U: [dw]x + [w]x[w]x
 * f, fp, n: force and moment about the link's origin; p: in the parent's axes
 * q2, qq, E: twice a quaternion's entries, their products, its rotation
 */

#include <math.h>
#include "kinegen/linear/real.h"

/* What is defined and called here, as spherical_pendulum.h declares it. */
void spherical_pendulum_inverse_dynamics(const double *q, const double *v, const double *a, double *tau);
void spherical_pendulum_bias(const double *q, const double *v, double *h);
void spherical_pendulum_gravity(const double *q, double *g);
void spherical_pendulum_mass_matrix(const double *q, double *M);
void spherical_pendulum_inverse_dynamics_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *tau);
void spherical_pendulum_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *h);
void spherical_pendulum_gravity_batch(long n, const double *q, long q_stride, double *g);
void spherical_pendulum_mass_matrix_batch(long n, const double *q, long q_stride, double *M);

/* Joint forces tau of the open chain, by recursion in link frames. 20 mul, 13 add. */
void spherical_pendulum_inverse_dynamics(const double *restrict q, const double *restrict v,
    const double *restrict a, double *restrict tau)
{

    /* ball */
    const double q2_ball = 2.0*q[0];
    const double q2_ball_2 = 2.0*q[1];
    const double q2_ball_3 = 2.0*q[2];
    const double qq_ball = q[0]*q2_ball_3;
    const double qq_ball_2 = q[1]*q2_ball_3;
    const double qq_ball_3 = q[3]*q2_ball;
    const double qq_ball_4 = q[3]*q2_ball_2;
    const double E_ball_zx = qq_ball - qq_ball_4;
    const double E_ball_zy = qq_ball_2 + qq_ball_3;
    const double a_ball_x = 9.81*E_ball_zx;
    const double a_ball_y = 9.81*E_ball_zy;
    const double ww_ball = v[0]*v[1];
    const double ww_ball_2 = v[0]*v[2];
    const double ww_ball_3 = v[1]*v[2];
    const double neg_U_ball_xy = a[2] - ww_ball;
    const double U_ball_xz = ww_ball_2 + a[1];
    const double U_ball_yx = ww_ball + a[2];
    const double neg_U_ball_yz = a[0] - ww_ball_3;
    const double neg_U_ball_zx = a[1] - ww_ball_2;
    const double U_ball_zy = ww_ball_3 + a[0];
    const double n_ball_x = 0.0010000000000000005*U_ball_zy + 0.501*neg_U_ball_yz + 0.5*a_ball_y;
    tau[0] = n_ball_x;
    const double neg_n_ball_y = 0.5*a_ball_x - 0.501*U_ball_xz - 0.0010000000000000005*neg_U_ball_zx;
    tau[1] = -neg_n_ball_y;
    const double n_ball_z = 0.0010000000000000005*U_ball_yx + 0.0010000000000000005*neg_U_ball_xy;
    tau[2] = n_ball_z;
}

void spherical_pendulum_inverse_dynamics_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *tau)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_inverse_dynamics(q + i*q_stride, v + i*v_stride, a + i*a_stride, tau + i*3);
}

/* Bias h(q, v): tau at zero acceleration. 15 mul, 4 add. */
void spherical_pendulum_bias(const double *restrict q, const double *restrict v, double *restrict h)
{
    h[2] = 0.0;

    /* ball */
    const double q2_ball = 2.0*q[0];
    const double q2_ball_2 = 2.0*q[1];
    const double q2_ball_3 = 2.0*q[2];
    const double qq_ball = q[0]*q2_ball_3;
    const double qq_ball_2 = q[1]*q2_ball_3;
    const double qq_ball_3 = q[3]*q2_ball;
    const double qq_ball_4 = q[3]*q2_ball_2;
    const double E_ball_zx = qq_ball - qq_ball_4;
    const double E_ball_zy = qq_ball_2 + qq_ball_3;
    const double a_ball_x = 9.81*E_ball_zx;
    const double a_ball_y = 9.81*E_ball_zy;
    const double ww_ball = v[0]*v[2];
    const double ww_ball_2 = v[1]*v[2];
    const double n_ball_x = 0.5*a_ball_y - 0.5*ww_ball_2;
    h[0] = n_ball_x;
    const double neg_n_ball_y = 0.5*a_ball_x - 0.5*ww_ball;
    h[1] = -neg_n_ball_y;
}

void spherical_pendulum_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *h)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_bias(q + i*q_stride, v + i*v_stride, h + i*3);
}

/* Gravity g(q): tau at rest. 11 mul, 2 add. */
void spherical_pendulum_gravity(const double *restrict q, double *restrict g)
{
    g[2] = 0.0;

    /* ball */
    const double q2_ball = 2.0*q[0];
    const double q2_ball_2 = 2.0*q[1];
    const double q2_ball_3 = 2.0*q[2];
    const double qq_ball = q[0]*q2_ball_3;
    const double qq_ball_2 = q[1]*q2_ball_3;
    const double qq_ball_3 = q[3]*q2_ball;
    const double qq_ball_4 = q[3]*q2_ball_2;
    const double E_ball_zx = qq_ball - qq_ball_4;
    const double E_ball_zy = qq_ball_2 + qq_ball_3;
    const double a_ball_x = 9.81*E_ball_zx;
    const double a_ball_y = 9.81*E_ball_zy;
    const double n_ball_x = 0.5*a_ball_y;
    g[0] = n_ball_x;
    const double neg_n_ball_y = 0.5*a_ball_x;
    g[1] = -neg_n_ball_y;
}

void spherical_pendulum_gravity_batch(long n, const double *q, long q_stride, double *g)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_gravity(q + i*q_stride, g + i*3);
}

/* Mass matrix M by composite inertias. No operations. */
void spherical_pendulum_mass_matrix(const double *restrict q, double *restrict M)
{
    (void)q;
    M[0] = 0.502;
    M[1] = 0.0;
    M[2] = 0.0;
    M[3] = 0.0;
    M[4] = 0.502;
    M[5] = 0.0;
    M[6] = 0.0;
    M[7] = 0.0;
    M[8] = 0.0020000000000000018;
}

void spherical_pendulum_mass_matrix_batch(long n, const double *q, long q_stride, double *M)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_mass_matrix(q + i*q_stride, M + i*9);
}

