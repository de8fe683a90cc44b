/* crane: inverse dynamics and mass matrix.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * ww: products of entries of w
 * f, fp, n: force and moment about the link's origin; p: in the parent's axes
 * m, s, S: mass, first moment and second moment of mass
 */

#include "kinegen/linear/sincos.h"

/* What is defined and called here, as crane.h declares it. */
void crane_inverse_dynamics(const double *p, const double *q, const double *v, const double *a, double *tau);
void crane_bias(const double *p, const double *q, const double *v, double *h);
void crane_gravity(const double *p, const double *q, double *g);
void crane_mass_matrix(const double *p, const double *q, double *M);
void crane_inverse_dynamics_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *tau);
void crane_bias_batch(long n, const double *p, const double *q, long q_stride, const double *v, long v_stride,
    double *h);
void crane_gravity_batch(long n, const double *p, const double *q, long q_stride, double *g);
void crane_mass_matrix_batch(long n, const double *p, const double *q, long q_stride, double *M);

/* Joint forces tau of the open chain, by recursion in link frames. 13 mul, 5 add, 1 sincos. */
void crane_inverse_dynamics(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict a, double *restrict tau)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);

    /* load */
    const double neg_s_load_x = p[1]*p[2];
    const double S_load_xx = p[1]*p[1]*p[2];
    const double m_trolley = p[3] + p[2];

    /* trolley */
    const double f_trolley_z = a[0]*m_trolley;

    /* load */
    const double neg_a_load_y = p[0]*s[0] - c[0]*a[0];
    const double ww_load = v[1]*v[1];
    const double f_load_x = neg_s_load_x*ww_load;
    const double neg_f_load_y = neg_s_load_x*a[1];
    const double n_load_z = S_load_xx*a[1] + neg_s_load_x*neg_a_load_y;
    tau[1] = n_load_z;

    /* load, back */
    const double fp_load_z = s[0]*f_load_x - c[0]*neg_f_load_y;
    const double f_trolley_z_2 = f_trolley_z + fp_load_z;
    tau[0] = f_trolley_z_2;
}

void crane_inverse_dynamics_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *tau)
{
    for (long i = 0; i < n; i++)
        crane_inverse_dynamics(p, q + i*q_stride, v + i*v_stride, a + i*a_stride, tau + i*2);
}

/* Bias h(q, v): tau at zero acceleration. 6 mul, 1 sincos. */
void crane_bias(const double *restrict p, const double *restrict q, const double *restrict v, double *restrict h)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);

    /* load */
    const double neg_s_load_x = p[1]*p[2];
    const double neg_a_load_y = p[0]*s[0];
    const double ww_load = v[1]*v[1];
    const double f_load_x = neg_s_load_x*ww_load;
    const double n_load_z = neg_s_load_x*neg_a_load_y;
    h[1] = n_load_z;

    /* load, back */
    const double fp_load_z = s[0]*f_load_x;
    h[0] = fp_load_z;
}

void crane_bias_batch(long n, const double *p, const double *q, long q_stride, const double *v, long v_stride,
    double *h)
{
    for (long i = 0; i < n; i++)
        crane_bias(p, q + i*q_stride, v + i*v_stride, h + i*2);
}

/* Gravity g(q): tau at rest. 3 mul, 1 sincos. */
void crane_gravity(const double *restrict p, const double *restrict q, double *restrict g)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);
    g[0] = 0.0;

    /* load */
    const double neg_s_load_x = p[1]*p[2];
    const double neg_a_load_y = p[0]*s[0];
    const double n_load_z = neg_s_load_x*neg_a_load_y;
    g[1] = n_load_z;
}

void crane_gravity_batch(long n, const double *p, const double *q, long q_stride, double *g)
{
    for (long i = 0; i < n; i++)
        crane_gravity(p, q + i*q_stride, g + i*2);
}

/* Mass matrix M by composite inertias. 4 mul, 1 add, 1 sincos. */
void crane_mass_matrix(const double *restrict p, const double *restrict q, double *restrict M)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);

    /* load */
    const double neg_s_load_x = p[1]*p[2];
    const double S_load_xx = p[1]*p[1]*p[2];
    M[3] = S_load_xx;
    const double m_trolley = p[3] + p[2];
    M[0] = m_trolley;

    /* load */
    const double neg_f_load_z = c[0]*neg_s_load_x;
    M[1] = -neg_f_load_z;
    M[2] = -neg_f_load_z;
}

void crane_mass_matrix_batch(long n, const double *p, const double *q, long q_stride, double *M)
{
    for (long i = 0; i < n; i++)
        crane_mass_matrix(p, q + i*q_stride, M + i*4);
}

