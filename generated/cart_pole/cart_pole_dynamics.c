/* cart_pole: inverse dynamics and mass matrix.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * ww: products of entries of w
 * f, fp, n: force and moment about the link's origin; p: in the parent's axes
 */

#include "kinegen/linear/sincos.h"

/* What is defined and called here, as cart_pole.h declares it. */
void cart_pole_inverse_dynamics(const double *q, const double *v, const double *a, double *tau);
void cart_pole_bias(const double *q, const double *v, double *h);
void cart_pole_gravity(const double *q, double *g);
void cart_pole_mass_matrix(const double *q, double *M);
void cart_pole_inverse_dynamics_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *tau);
void cart_pole_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride, double *h);
void cart_pole_gravity_batch(long n, const double *q, long q_stride, double *g);
void cart_pole_mass_matrix_batch(long n, const double *q, long q_stride, double *M);

/* Joint forces tau of the open chain, by recursion in link frames. 10 mul, 4 add, 1 sincos. */
void cart_pole_inverse_dynamics(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict tau)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);

    /* cart */
    const double f_cart_z = 1.1*a[0];

    /* pole */
    const double neg_a_pole_y = 9.81*s[0] - c[0]*a[0];
    const double ww_pole = v[1]*v[1];
    const double neg_f_pole_x = 0.05*ww_pole;
    const double f_pole_y = 0.05*a[1];
    const double n_pole_z = 0.03333333333333333*a[1] - 0.05*neg_a_pole_y;
    tau[1] = n_pole_z;

    /* pole, back */
    const double neg_fp_pole_z = s[0]*neg_f_pole_x - c[0]*f_pole_y;
    const double f_cart_z_2 = f_cart_z - neg_fp_pole_z;
    tau[0] = f_cart_z_2;
}

void cart_pole_inverse_dynamics_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *tau)
{
    for (long i = 0; i < n; i++)
        cart_pole_inverse_dynamics(q + i*q_stride, v + i*v_stride, a + i*a_stride, tau + i*2);
}

/* Bias h(q, v): tau at zero acceleration. 5 mul, 1 sincos. */
void cart_pole_bias(const double *restrict q, const double *restrict v, double *restrict h)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);

    /* pole */
    const double neg_a_pole_y = 9.81*s[0];
    const double ww_pole = v[1]*v[1];
    const double neg_f_pole_x = 0.05*ww_pole;
    const double neg_n_pole_z = 0.05*neg_a_pole_y;
    h[1] = -neg_n_pole_z;

    /* pole, back */
    const double neg_fp_pole_z = s[0]*neg_f_pole_x;
    h[0] = -neg_fp_pole_z;
}

void cart_pole_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride, double *h)
{
    for (long i = 0; i < n; i++)
        cart_pole_bias(q + i*q_stride, v + i*v_stride, h + i*2);
}

/* Gravity g(q): tau at rest. 2 mul, 1 sincos. */
void cart_pole_gravity(const double *restrict q, double *restrict g)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);
    g[0] = 0.0;

    /* pole */
    const double neg_a_pole_y = 9.81*s[0];
    const double neg_n_pole_z = 0.05*neg_a_pole_y;
    g[1] = -neg_n_pole_z;
}

void cart_pole_gravity_batch(long n, const double *q, long q_stride, double *g)
{
    for (long i = 0; i < n; i++)
        cart_pole_gravity(q + i*q_stride, g + i*2);
}

/* Mass matrix M by composite inertias. 1 mul, 1 sincos. */
void cart_pole_mass_matrix(const double *restrict q, double *restrict M)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);
    M[0] = 1.1;
    M[3] = 0.03333333333333333;

    /* pole */
    const double f_pole_z = 0.05*c[0];
    M[1] = f_pole_z;
    M[2] = f_pole_z;
}

void cart_pole_mass_matrix_batch(long n, const double *q, long q_stride, double *M)
{
    for (long i = 0; i < n; i++)
        cart_pole_mass_matrix(q + i*q_stride, M + i*4);
}

