/* spherical_pendulum: forward dynamics.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * ww: products of entries of w
 * f, fp, n: force and moment about the link's origin; p: in the parent's axes
 * q2, qq, E: twice a quaternion's entries, their products, its rotation
 * r, rr: arm, or right-hand side; products of its entries
 * y, x: M x = r half solved, solved
 */

#include "spherical_pendulum_model.h"
#include <math.h>
#include "kinegen/linear/real.h"

/* What is defined and called here, as spherical_pendulum.h declares it. */
void spherical_pendulum_forward_dynamics(const double *q, const double *v, const double *tau, double *a);
void spherical_pendulum_forward_dynamics_damped(const double *q, const double *v, const double *tau, const double *d,
    double *a);
void spherical_pendulum_mass_matrix(const double *q, double *M);
void spherical_pendulum_bias(const double *q, const double *v, double *h);
void spherical_pendulum_forward_dynamics_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a);
void spherical_pendulum_forward_dynamics_damped_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, const double *d, long d_stride, double *a);

/* Acceleration by M = L'DL. 18 mul, 6 add. */
void spherical_pendulum_forward_dynamics(const double *restrict q, const double *restrict v,
    const double *restrict tau, double *restrict a)
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
    const double ww_ball = v[0]*v[2];
    const double ww_ball_2 = v[1]*v[2];
    const double n_ball_x = 0.5*a_ball_y - 0.5*ww_ball_2;
    const double neg_n_ball_y = 0.5*a_ball_x - 0.5*ww_ball;

    /* ball, back */
    const double r = tau[0] - n_ball_x;
    const double r_2 = tau[1] + neg_n_ball_y;

    /* row 0 */
    const double x_0 = 1.9920318725099602*r;
    a[0] = x_0;
    const double x_1 = 1.9920318725099602*r_2;
    a[1] = x_1;
    const double x_2 = 499.99999999999955*tau[2];
    a[2] = x_2;
}

void spherical_pendulum_forward_dynamics_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_forward_dynamics(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, a + i*3);
}

/* Where each row of L of M = L'DL begins. */
static const int factor_row[] = {0, 0, 1, 3};
/* The columns in which its entries stand. */
static const int factor_column[] = {0, 0, 1};

#include "kinegen/tree/forward_dynamics_damped.h"

/* Acceleration a of (M + diag d) a = tau - h. */
void spherical_pendulum_forward_dynamics_damped(const double *restrict q, const double *restrict v,
    const double *restrict tau, const double *restrict d, double *restrict a)
{
    forward_dynamics_damped(0, q, v, tau, d, a);
}

void spherical_pendulum_forward_dynamics_damped_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, const double *d, long d_stride, double *a)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_forward_dynamics_damped(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, d + i*d_stride,
            a + i*3);
}
