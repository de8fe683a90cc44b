/* cart_pole: forward dynamics.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * ww: products of entries of w
 * f, fp, n: force and moment about the link's origin; p: in the parent's axes
 * I, H, M: articulated inertia [I H; H' M]; M also entries of the mass matrix
 * Un, Uf, D, iD: articulated inertia along the joint's axis, D = its entry there, iD = 1/D (also of M = L'DL)
 * r, rr: arm, or right-hand side; products of its entries
 * P, Pp, L: momentum, or its rate: linear, p: in the parent's axes; angular (L also the factor of M = L'DL)
 * y, x: M x = r half solved, solved
 */

#include "kinegen/linear/sincos.h"

/* What is defined and called here, as cart_pole.h declares it. */
void cart_pole_forward_dynamics(const double *q, const double *v, const double *tau, double *a);
void cart_pole_forward_dynamics_damped(const double *q, const double *v, const double *tau, const double *d,
    double *a);
void cart_pole_forward_dynamics_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *a);
void cart_pole_forward_dynamics_damped_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, const double *d, long d_stride, double *a);

/* Acceleration by M = L'DL. 12 mul, 5 add, 1 div, 1 sincos. */
void cart_pole_forward_dynamics(const double *restrict q, const double *restrict v, const double *restrict tau,
    double *restrict a)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);

    /* pole */
    const double f_pole_z = 0.05*c[0];
    const double neg_a_pole_y = 9.81*s[0];
    const double ww_pole = v[1]*v[1];
    const double neg_f_pole_x = 0.05*ww_pole;
    const double neg_n_pole_z = 0.05*neg_a_pole_y;

    /* pole, back */
    const double neg_fp_pole_z = s[0]*neg_f_pole_x;

    /* cart, back */
    const double r = tau[0] + neg_fp_pole_z;
    const double r_2 = tau[1] + neg_n_pole_z;

    /* row 1 */
    const double L_1_0 = 30.0*f_pole_z;
    const double M_0_0 = 1.1 - f_pole_z*L_1_0;

    /* row 0 */
    const double iD_0 = 1.0/M_0_0;
    const double y_0 = r - r_2*L_1_0;
    const double x_0 = iD_0*y_0;
    a[0] = x_0;
    const double x_1 = 30.0*r_2 - L_1_0*x_0;
    a[1] = x_1;
}

void cart_pole_forward_dynamics_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *a)
{
    for (long i = 0; i < n; i++)
        cart_pole_forward_dynamics(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, a + i*2);
}

/* Acceleration a of (M + diag d) a = tau - h, by L'DL. 12 mul, 7 add, 2 div, 1 sincos. */
void cart_pole_forward_dynamics_damped(const double *restrict q, const double *restrict v,
    const double *restrict tau, const double *restrict d, double *restrict a)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);

    /* pole */
    const double f_pole_z = 0.05*c[0];
    const double neg_a_pole_y = 9.81*s[0];
    const double ww_pole = v[1]*v[1];
    const double neg_f_pole_x = 0.05*ww_pole;
    const double neg_n_pole_z = 0.05*neg_a_pole_y;

    /* pole, back */
    const double neg_fp_pole_z = s[0]*neg_f_pole_x;

    /* cart, back */
    const double r = tau[0] + neg_fp_pole_z;
    const double r_2 = tau[1] + neg_n_pole_z;

    /* row 1 */
    const double D_1 = 0.03333333333333333 + d[1];
    const double iD_1 = 1.0/D_1;
    const double L_1_0 = f_pole_z*iD_1;
    const double M_0_0 = 1.1 + d[0] - f_pole_z*L_1_0;

    /* row 0 */
    const double iD_0 = 1.0/M_0_0;
    const double y_0 = r - r_2*L_1_0;
    const double x_0 = iD_0*y_0;
    a[0] = x_0;
    const double x_1 = r_2*iD_1 - L_1_0*x_0;
    a[1] = x_1;
}

void cart_pole_forward_dynamics_damped_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, const double *d, long d_stride, double *a)
{
    for (long i = 0; i < n; i++)
        cart_pole_forward_dynamics_damped(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, d + i*d_stride, a + i*2);
}

