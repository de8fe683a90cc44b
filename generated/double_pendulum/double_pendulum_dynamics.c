/* double_pendulum: inverse dynamics and mass matrix.
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
 * f, fp, n: force and moment about the link's origin; p: in the parent's axes
 * m, s, S: mass, first moment and second moment of mass
 * sp, Sp, sq, RS: s, S in the parent's axes, s about its origin, R S
 * h: half of a turn, R S of R S R'; height along gravity
 */

#include "kinegen/linear/sincos.h"

/* What is defined and called here, as double_pendulum.h declares it. */
void double_pendulum_inverse_dynamics(const double *q, const double *v, const double *a, double *tau);
void double_pendulum_bias(const double *q, const double *v, double *h);
void double_pendulum_gravity(const double *q, double *g);
void double_pendulum_mass_matrix(const double *q, double *M);
void double_pendulum_inverse_dynamics_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *tau);
void double_pendulum_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride, double *h);
void double_pendulum_gravity_batch(long n, const double *q, long q_stride, double *g);
void double_pendulum_mass_matrix_batch(long n, const double *q, long q_stride, double *M);

/* Joint forces tau of the open chain, by recursion in link frames. 17 mul, 10 add, 2 sincos. */
void double_pendulum_inverse_dynamics(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict tau)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q, s, c);

    /* upper */
    const double a_upper_x = 9.81*c[0];
    const double neg_a_upper_y = 9.81*s[0];
    const double ww_upper = v[0]*v[0];
    const double n_upper_z = 0.3333333333333333*a[0] + 0.75*neg_a_upper_y;

    /* lower */
    const double w_lower_z = v[0] + v[1];
    const double dw_lower_z = a[0] + a[1];
    const double ap_lower_x = a_upper_x + 0.5*ww_upper;
    const double neg_ap_lower_y = neg_a_upper_y + 0.5*a[0];
    const double neg_a_lower_y = s[1]*ap_lower_x + c[1]*neg_ap_lower_y;
    const double ww_lower = w_lower_z*w_lower_z;
    const double f_lower_x = 0.25*ww_lower;
    const double neg_f_lower_y = 0.25*dw_lower_z;
    const double n_lower_z = 0.08333333333333333*dw_lower_z + 0.25*neg_a_lower_y;
    tau[1] = n_lower_z;

    /* lower, back */
    const double fp_lower_y = s[1]*f_lower_x - c[1]*neg_f_lower_y;
    const double n_upper_z_2 = n_upper_z + n_lower_z - 0.5*fp_lower_y;
    tau[0] = n_upper_z_2;
}

void double_pendulum_inverse_dynamics_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *tau)
{
    for (long i = 0; i < n; i++)
        double_pendulum_inverse_dynamics(q + i*q_stride, v + i*v_stride, a + i*a_stride, tau + i*2);
}

/* Bias h(q, v): tau at zero acceleration. 12 mul, 5 add, 2 sincos. */
void double_pendulum_bias(const double *restrict q, const double *restrict v, double *restrict h)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q, s, c);

    /* upper */
    const double a_upper_x = 9.81*c[0];
    const double neg_a_upper_y = 9.81*s[0];
    const double ww_upper = v[0]*v[0];
    const double n_upper_z = 0.75*neg_a_upper_y;

    /* lower */
    const double w_lower_z = v[0] + v[1];
    const double ap_lower_x = a_upper_x + 0.5*ww_upper;
    const double neg_a_lower_y = s[1]*ap_lower_x + c[1]*neg_a_upper_y;
    const double ww_lower = w_lower_z*w_lower_z;
    const double f_lower_x = 0.25*ww_lower;
    const double n_lower_z = 0.25*neg_a_lower_y;
    h[1] = n_lower_z;

    /* lower, back */
    const double fp_lower_y = s[1]*f_lower_x;
    const double n_upper_z_2 = n_upper_z + n_lower_z - 0.5*fp_lower_y;
    h[0] = n_upper_z_2;
}

void double_pendulum_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride, double *h)
{
    for (long i = 0; i < n; i++)
        double_pendulum_bias(q + i*q_stride, v + i*v_stride, h + i*2);
}

/* Gravity g(q): tau at rest. 6 mul, 2 add, 2 sincos. */
void double_pendulum_gravity(const double *restrict q, double *restrict g)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q, s, c);

    /* upper */
    const double a_upper_x = 9.81*c[0];
    const double neg_a_upper_y = 9.81*s[0];
    const double n_upper_z = 0.75*neg_a_upper_y;

    /* lower */
    const double neg_a_lower_y = s[1]*a_upper_x + c[1]*neg_a_upper_y;
    const double n_lower_z = 0.25*neg_a_lower_y;
    g[1] = n_lower_z;

    /* lower, back */
    const double n_upper_z_2 = n_upper_z + n_lower_z;
    g[0] = n_upper_z_2;
}

void double_pendulum_gravity_batch(long n, const double *q, long q_stride, double *g)
{
    for (long i = 0; i < n; i++)
        double_pendulum_gravity(q + i*q_stride, g + i*2);
}

/* Mass matrix M by composite inertias. 4 mul, 5 add, 1 sincos. */
void double_pendulum_mass_matrix(const double *restrict q, double *restrict M)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);
    M[3] = 0.08333333333333333;

    /* lower */
    const double neg_f_lower_y = 0.25*c[0];
    const double n_lower_z = 0.08333333333333333 + 0.5*neg_f_lower_y;
    M[1] = n_lower_z;
    M[2] = n_lower_z;
    const double h_Sp_lower = 0.08333333333333333*c[0];
    const double Sp_lower_xx = c[0]*h_Sp_lower;
    const double Sp_lower_yy = 0.08333333333333333 - Sp_lower_xx;
    const double S_upper_xx = 0.3333333333333333 + Sp_lower_xx + neg_f_lower_y;

    /* upper */
    const double n_upper_z = S_upper_xx + Sp_lower_yy;
    M[0] = n_upper_z;
}

void double_pendulum_mass_matrix_batch(long n, const double *q, long q_stride, double *M)
{
    for (long i = 0; i < n; i++)
        double_pendulum_mass_matrix(q + i*q_stride, M + i*4);
}

