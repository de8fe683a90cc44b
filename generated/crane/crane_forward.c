/* crane: forward dynamics.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * ww: products of entries of w
 * f, fp, n: force and moment about the link's origin; p: in the parent's axes
 * m, s, S: mass, first moment and second moment of mass
 * I, H, M: articulated inertia [I H; H' M]; M also entries of the mass matrix
 * Un, Uf, D, iD: articulated inertia along the joint's axis, D = its entry there, iD = 1/D (also of M = L'DL)
 * r, rr: arm, or right-hand side; products of its entries
 * P, Pp, L: momentum, or its rate: linear, p: in the parent's axes; angular (L also the factor of M = L'DL)
 * y, x: M x = r half solved, solved
 */

#include "crane_model.h"
#include "kinegen/linear/sincos.h"

/* What is defined and called here, as crane.h declares it. */
void crane_forward_dynamics(const double *p, const double *q, const double *v, const double *tau, double *a);
void crane_forward_dynamics_damped(const double *p, const double *q, const double *v, const double *tau,
    const double *d, double *a);
void crane_mass_matrix(const double *p, const double *q, double *M);
void crane_bias(const double *p, const double *q, const double *v, double *h);
void crane_forward_dynamics_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a);
void crane_forward_dynamics_damped_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, const double *d, long d_stride, double *a);

/* Acceleration by M = L'DL. 15 mul, 6 add, 2 div, 1 sincos. */
void crane_forward_dynamics(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict tau, double *restrict a)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);

    /* load */
    const double neg_s_load_x = p[1]*p[2];
    const double S_load_xx = p[1]*p[1]*p[2];
    const double m_trolley = p[3] + p[2];

    /* load */
    const double neg_f_load_z = c[0]*neg_s_load_x;
    const double neg_a_load_y = p[0]*s[0];
    const double ww_load = v[1]*v[1];
    const double f_load_x = neg_s_load_x*ww_load;
    const double n_load_z = neg_s_load_x*neg_a_load_y;

    /* load, back */
    const double fp_load_z = s[0]*f_load_x;

    /* trolley, back */
    const double r = tau[0] - fp_load_z;
    const double r_2 = tau[1] - n_load_z;

    /* row 1 */
    const double iD_1 = 1.0/S_load_xx;
    const double neg_L_1_0 = neg_f_load_z*iD_1;
    const double M_0_0 = m_trolley - neg_f_load_z*neg_L_1_0;

    /* row 0 */
    const double iD_0 = 1.0/M_0_0;
    const double y_0 = r + r_2*neg_L_1_0;
    const double x_0 = iD_0*y_0;
    a[0] = x_0;
    const double x_1 = r_2*iD_1 + neg_L_1_0*x_0;
    a[1] = x_1;
}

void crane_forward_dynamics_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a)
{
    for (long i = 0; i < n; i++)
        crane_forward_dynamics(p, q + i*q_stride, v + i*v_stride, tau + i*tau_stride, a + i*2);
}

/* Where each row of L of M = L'DL begins. */
static const int factor_row[] = {0, 0, 1};
/* The columns in which its entries stand. */
static const int factor_column[] = {0};

#include "kinegen/tree/forward_dynamics_damped.h"

/* Acceleration a of (M + diag d) a = tau - h. */
void crane_forward_dynamics_damped(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict tau, const double *restrict d, double *restrict a)
{
    forward_dynamics_damped(p, q, v, tau, d, a);
}

void crane_forward_dynamics_damped_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, const double *d, long d_stride, double *a)
{
    for (long i = 0; i < n; i++)
        crane_forward_dynamics_damped(p, q + i*q_stride, v + i*v_stride, tau + i*tau_stride, d + i*d_stride, a + i*2);
}
