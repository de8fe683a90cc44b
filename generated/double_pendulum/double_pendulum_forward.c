/* double_pendulum: forward dynamics.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * w, wp: angular velocity; that of the parent in the link's axes
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * ww: products of entries of w
 * f, fp, n: force and moment about the link's origin; p: in the parent's axes
 * m, s, S: mass, first moment and second moment of mass
 * sp, Sp, sq, RS: s, S in the parent's axes, s about its origin, R S
 * I, H, M: articulated inertia [I H; H' M]; M also entries of the mass matrix
 * Un, Uf, D, iD: articulated inertia along the joint's axis, D = its entry there, iD = 1/D (also of M = L'DL)
 * h: half of a turn, R S of R S R'; height along gravity
 * r, rr: arm, or right-hand side; products of its entries
 * P, Pp, L: momentum, or its rate: linear, p: in the parent's axes; angular (L also the factor of M = L'DL)
 * y, x: M x = r half solved, solved
 */

#include "kinegen/linear/sincos.h"

/* What is defined and called here, as double_pendulum.h declares it. */
void double_pendulum_forward_dynamics(const double *q, const double *v, const double *tau, double *a);
void double_pendulum_forward_dynamics_damped(const double *q, const double *v, const double *tau, const double *d,
    double *a);
void double_pendulum_forward_dynamics_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *a);
void double_pendulum_forward_dynamics_damped_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, const double *d, long d_stride, double *a);

/* Acceleration by M = L'DL. 22 mul, 15 add, 1 div, 2 sincos. */
void double_pendulum_forward_dynamics(const double *restrict q, const double *restrict v, const double *restrict tau,
    double *restrict a)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q, s, c);

    /* lower */
    const double neg_f_lower_y = 0.25*c[1];
    const double n_lower_z = 0.08333333333333333 + 0.5*neg_f_lower_y;
    const double h_Sp_lower = 0.08333333333333333*c[1];
    const double Sp_lower_xx = c[1]*h_Sp_lower;
    const double Sp_lower_yy = 0.08333333333333333 - Sp_lower_xx;
    const double S_upper_xx = 0.3333333333333333 + Sp_lower_xx + neg_f_lower_y;

    /* upper */
    const double n_upper_z = S_upper_xx + Sp_lower_yy;
    const double a_upper_x = 9.81*c[0];
    const double neg_a_upper_y = 9.81*s[0];
    const double ww_upper = v[0]*v[0];
    const double n_upper_z_2 = 0.75*neg_a_upper_y;

    /* lower */
    const double w_lower_z = v[0] + v[1];
    const double ap_lower_x = a_upper_x + 0.5*ww_upper;
    const double neg_a_lower_y = s[1]*ap_lower_x + c[1]*neg_a_upper_y;
    const double ww_lower = w_lower_z*w_lower_z;
    const double f_lower_x = 0.25*ww_lower;
    const double n_lower_z_2 = 0.25*neg_a_lower_y;

    /* lower, back */
    const double fp_lower_y = s[1]*f_lower_x;
    const double n_upper_z_3 = n_upper_z_2 + n_lower_z_2 - 0.5*fp_lower_y;

    /* upper, back */
    const double r = tau[0] - n_upper_z_3;
    const double r_2 = tau[1] - n_lower_z_2;

    /* row 1 */
    const double L_1_0 = 12.0*n_lower_z;
    const double neg_M_0_0 = n_lower_z*L_1_0 - n_upper_z;

    /* row 0 */
    const double iD_0 = 1.0/(-neg_M_0_0);
    const double y_0 = r - r_2*L_1_0;
    const double x_0 = iD_0*y_0;
    a[0] = x_0;
    const double x_1 = 12.0*r_2 - L_1_0*x_0;
    a[1] = x_1;
}

void double_pendulum_forward_dynamics_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *a)
{
    for (long i = 0; i < n; i++)
        double_pendulum_forward_dynamics(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, a + i*2);
}

/* Acceleration a of (M + diag d) a = tau - h, by L'DL. 22 mul, 17 add, 2 div, 2 sincos. */
void double_pendulum_forward_dynamics_damped(const double *restrict q, const double *restrict v,
    const double *restrict tau, const double *restrict d, double *restrict a)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q, s, c);

    /* lower */
    const double neg_f_lower_y = 0.25*c[1];
    const double n_lower_z = 0.08333333333333333 + 0.5*neg_f_lower_y;
    const double h_Sp_lower = 0.08333333333333333*c[1];
    const double Sp_lower_xx = c[1]*h_Sp_lower;
    const double Sp_lower_yy = 0.08333333333333333 - Sp_lower_xx;
    const double S_upper_xx = 0.3333333333333333 + Sp_lower_xx + neg_f_lower_y;

    /* upper */
    const double n_upper_z = S_upper_xx + Sp_lower_yy;
    const double a_upper_x = 9.81*c[0];
    const double neg_a_upper_y = 9.81*s[0];
    const double ww_upper = v[0]*v[0];
    const double n_upper_z_2 = 0.75*neg_a_upper_y;

    /* lower */
    const double w_lower_z = v[0] + v[1];
    const double ap_lower_x = a_upper_x + 0.5*ww_upper;
    const double neg_a_lower_y = s[1]*ap_lower_x + c[1]*neg_a_upper_y;
    const double ww_lower = w_lower_z*w_lower_z;
    const double f_lower_x = 0.25*ww_lower;
    const double n_lower_z_2 = 0.25*neg_a_lower_y;

    /* lower, back */
    const double fp_lower_y = s[1]*f_lower_x;
    const double n_upper_z_3 = n_upper_z_2 + n_lower_z_2 - 0.5*fp_lower_y;

    /* upper, back */
    const double r = tau[0] - n_upper_z_3;
    const double r_2 = tau[1] - n_lower_z_2;

    /* row 1 */
    const double D_1 = 0.08333333333333333 + d[1];
    const double iD_1 = 1.0/D_1;
    const double L_1_0 = n_lower_z*iD_1;
    const double M_0_0 = n_upper_z + d[0] - n_lower_z*L_1_0;

    /* row 0 */
    const double iD_0 = 1.0/M_0_0;
    const double y_0 = r - r_2*L_1_0;
    const double x_0 = iD_0*y_0;
    a[0] = x_0;
    const double x_1 = r_2*iD_1 - L_1_0*x_0;
    a[1] = x_1;
}

void double_pendulum_forward_dynamics_damped_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, const double *d, long d_stride, double *a)
{
    for (long i = 0; i < n; i++)
        double_pendulum_forward_dynamics_damped(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, d + i*d_stride,
            a + i*2);
}

