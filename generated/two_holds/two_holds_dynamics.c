/* two_holds: inverse dynamics and mass matrix.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * f, fp, n: force and moment about the link's origin; p: in the parent's axes
 */

#include "kinegen/linear/sincos.h"

/* What is defined and called here, as two_holds.h declares it. */
void two_holds_inverse_dynamics(const double *p, const double *q, const double *v, const double *a, double *tau);
void two_holds_bias(const double *p, const double *q, const double *v, double *h);
void two_holds_gravity(const double *p, const double *q, double *g);
void two_holds_mass_matrix(const double *p, const double *q, double *M);
void two_holds_inverse_dynamics_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *tau);
void two_holds_bias_batch(long n, const double *p, const double *q, long q_stride, const double *v, long v_stride,
    double *h);
void two_holds_gravity_batch(long n, const double *p, const double *q, long q_stride, double *g);
void two_holds_mass_matrix_batch(long n, const double *p, const double *q, long q_stride, double *M);

/* Joint forces tau of the open chain, by recursion in link frames. 4 mul, 1 add, 1 sincos. */
void two_holds_inverse_dynamics(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict a, double *restrict tau)
{
    (void)p;
    (void)v;
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);

    /* rod */
    const double neg_a_rod_y = 9.81*s[0];
    const double n_rod_z = 0.08333333333333333*a[0] + 0.25*neg_a_rod_y;
    tau[0] = n_rod_z;

    /* slider */
    const double f_slider_z = 0.5*a[1];
    tau[1] = f_slider_z;
}

void two_holds_inverse_dynamics_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *tau)
{
    for (long i = 0; i < n; i++)
        two_holds_inverse_dynamics(p, q + i*q_stride, v + i*v_stride, a + i*a_stride, tau + i*2);
}

/* Bias h(q, v): tau at zero acceleration. 2 mul, 1 sincos. */
void two_holds_bias(const double *restrict p, const double *restrict q, const double *restrict v,
    double *restrict h)
{
    (void)p;
    (void)v;
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    h[1] = 0.0;

    /* rod */
    const double neg_a_rod_y = 9.81*s[0];
    const double n_rod_z = 0.25*neg_a_rod_y;
    h[0] = n_rod_z;
}

void two_holds_bias_batch(long n, const double *p, const double *q, long q_stride, const double *v, long v_stride,
    double *h)
{
    for (long i = 0; i < n; i++)
        two_holds_bias(p, q + i*q_stride, v + i*v_stride, h + i*2);
}

/* Gravity g(q): tau at rest. 2 mul, 1 sincos. */
void two_holds_gravity(const double *restrict p, const double *restrict q, double *restrict g)
{
    (void)p;
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    g[1] = 0.0;

    /* rod */
    const double neg_a_rod_y = 9.81*s[0];
    const double n_rod_z = 0.25*neg_a_rod_y;
    g[0] = n_rod_z;
}

void two_holds_gravity_batch(long n, const double *p, const double *q, long q_stride, double *g)
{
    for (long i = 0; i < n; i++)
        two_holds_gravity(p, q + i*q_stride, g + i*2);
}

/* Mass matrix M by composite inertias. No operations. */
void two_holds_mass_matrix(const double *restrict p, const double *restrict q, double *restrict M)
{
    (void)p;
    (void)q;
    M[0] = 0.08333333333333333;
    M[1] = 0.0;
    M[2] = 0.0;
    M[3] = 0.5;
}

void two_holds_mass_matrix_batch(long n, const double *p, const double *q, long q_stride, double *M)
{
    for (long i = 0; i < n; i++)
        two_holds_mass_matrix(p, q + i*q_stride, M + i*4);
}

