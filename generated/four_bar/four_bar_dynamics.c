/* four_bar: inverse dynamics and mass matrix.
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
 */

#include "kinegen/linear/sincos.h"

/* What is defined and called here, as four_bar.h declares it. */
void four_bar_inverse_dynamics(const double *q, const double *v, const double *a, double *tau);
void four_bar_bias(const double *q, const double *v, double *h);
void four_bar_gravity(const double *q, double *g);
void four_bar_mass_matrix(const double *q, double *M);
void four_bar_inverse_dynamics_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *tau);
void four_bar_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride, double *h);
void four_bar_gravity_batch(long n, const double *q, long q_stride, double *g);
void four_bar_mass_matrix_batch(long n, const double *q, long q_stride, double *M);

/* Joint forces tau of the open chain, by recursion in link frames. 33 mul, 23 add, 3 sincos. */
void four_bar_inverse_dynamics(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict tau)
{
    double s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_sincos(3, q, s, c);

    /* crank */
    const double a_crank_x = 9.81*c[0];
    const double neg_a_crank_y = 9.81*s[0];
    const double ww_crank = v[0]*v[0];
    const double n_crank_z = 0.03866666666666667*a[0] - 0.2*a_crank_x;

    /* coupler */
    const double w_coupler_z = v[0] + v[1];
    const double dw_coupler_z = a[0] + a[1];
    const double neg_ap_coupler_x = 0.2*a[0] - a_crank_x;
    const double neg_ap_coupler_y = neg_a_crank_y + 0.2*ww_crank;
    const double neg_a_coupler_x = c[1]*neg_ap_coupler_x + s[1]*neg_ap_coupler_y;
    const double a_coupler_y = s[1]*neg_ap_coupler_x - c[1]*neg_ap_coupler_y;
    const double ww_coupler = w_coupler_z*w_coupler_z;
    const double neg_f_coupler_x = 0.325*dw_coupler_z;
    const double neg_f_coupler_y = 0.325*ww_coupler;
    const double n_coupler_z = 0.14166666666666666*dw_coupler_z + 0.325*neg_a_coupler_x;

    /* rocker */
    const double w_rocker_z = w_coupler_z + v[2];
    const double dw_rocker_z = dw_coupler_z + a[2];
    const double neg_ap_rocker_x = neg_a_coupler_x + 0.5*dw_coupler_z;
    const double ap_rocker_y = a_coupler_y - 0.5*ww_coupler;
    const double a_rocker_x = s[2]*ap_rocker_y - c[2]*neg_ap_rocker_x;
    const double ww_rocker = w_rocker_z*w_rocker_z;
    const double neg_f_rocker_x = 0.08000000000000002*dw_rocker_z;
    const double neg_f_rocker_y = 0.08000000000000002*ww_rocker;
    const double n_rocker_z = 0.02133333333333334*dw_rocker_z - 0.08000000000000002*a_rocker_x;
    tau[2] = n_rocker_z;

    /* rocker, back */
    const double fp_rocker_x = s[2]*neg_f_rocker_y - c[2]*neg_f_rocker_x;
    const double neg_fp_rocker_y = s[2]*neg_f_rocker_x + c[2]*neg_f_rocker_y;
    const double neg_f_coupler_x_2 = neg_f_coupler_x - fp_rocker_x;
    const double neg_f_coupler_y_2 = neg_f_coupler_y + neg_fp_rocker_y;
    const double n_coupler_z_2 = n_coupler_z + n_rocker_z - 0.5*fp_rocker_x;
    tau[1] = n_coupler_z_2;

    /* coupler, back */
    const double fp_coupler_x = s[1]*neg_f_coupler_y_2 - c[1]*neg_f_coupler_x_2;
    const double n_crank_z_2 = n_crank_z + n_coupler_z_2 - 0.2*fp_coupler_x;
    tau[0] = n_crank_z_2;
}

void four_bar_inverse_dynamics_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *tau)
{
    for (long i = 0; i < n; i++)
        four_bar_inverse_dynamics(q + i*q_stride, v + i*v_stride, a + i*a_stride, tau + i*3);
}

/* Bias h(q, v): tau at zero acceleration. 24 mul, 13 add, 3 sincos. */
void four_bar_bias(const double *restrict q, const double *restrict v, double *restrict h)
{
    double s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_sincos(3, q, s, c);

    /* crank */
    const double a_crank_x = 9.81*c[0];
    const double neg_a_crank_y = 9.81*s[0];
    const double ww_crank = v[0]*v[0];
    const double neg_n_crank_z = 0.2*a_crank_x;

    /* coupler */
    const double w_coupler_z = v[0] + v[1];
    const double neg_ap_coupler_y = neg_a_crank_y + 0.2*ww_crank;
    const double neg_a_coupler_x = s[1]*neg_ap_coupler_y - c[1]*a_crank_x;
    const double neg_a_coupler_y = s[1]*a_crank_x + c[1]*neg_ap_coupler_y;
    const double ww_coupler = w_coupler_z*w_coupler_z;
    const double neg_f_coupler_y = 0.325*ww_coupler;
    const double n_coupler_z = 0.325*neg_a_coupler_x;

    /* rocker */
    const double w_rocker_z = w_coupler_z + v[2];
    const double neg_ap_rocker_y = neg_a_coupler_y + 0.5*ww_coupler;
    const double neg_a_rocker_x = c[2]*neg_a_coupler_x + s[2]*neg_ap_rocker_y;
    const double ww_rocker = w_rocker_z*w_rocker_z;
    const double neg_f_rocker_y = 0.08000000000000002*ww_rocker;
    const double n_rocker_z = 0.08000000000000002*neg_a_rocker_x;
    h[2] = n_rocker_z;

    /* rocker, back */
    const double fp_rocker_x = s[2]*neg_f_rocker_y;
    const double neg_fp_rocker_y = c[2]*neg_f_rocker_y;
    const double neg_f_coupler_y_2 = neg_f_coupler_y + neg_fp_rocker_y;
    const double n_coupler_z_2 = n_coupler_z + n_rocker_z - 0.5*fp_rocker_x;
    h[1] = n_coupler_z_2;

    /* coupler, back */
    const double fp_coupler_x = c[1]*fp_rocker_x + s[1]*neg_f_coupler_y_2;
    const double neg_n_crank_z_2 = neg_n_crank_z + 0.2*fp_coupler_x - n_coupler_z_2;
    h[0] = -neg_n_crank_z_2;
}

void four_bar_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride, double *h)
{
    for (long i = 0; i < n; i++)
        four_bar_bias(q + i*q_stride, v + i*v_stride, h + i*3);
}

/* Gravity g(q): tau at rest. 11 mul, 5 add, 3 sincos. */
void four_bar_gravity(const double *restrict q, double *restrict g)
{
    double s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_sincos(3, q, s, c);

    /* crank */
    const double a_crank_x = 9.81*c[0];
    const double neg_a_crank_y = 9.81*s[0];
    const double neg_n_crank_z = 0.2*a_crank_x;

    /* coupler */
    const double neg_a_coupler_x = s[1]*neg_a_crank_y - c[1]*a_crank_x;
    const double neg_a_coupler_y = s[1]*a_crank_x + c[1]*neg_a_crank_y;
    const double n_coupler_z = 0.325*neg_a_coupler_x;

    /* rocker */
    const double neg_a_rocker_x = c[2]*neg_a_coupler_x + s[2]*neg_a_coupler_y;
    const double n_rocker_z = 0.08000000000000002*neg_a_rocker_x;
    g[2] = n_rocker_z;

    /* rocker, back */
    const double n_coupler_z_2 = n_coupler_z + n_rocker_z;
    g[1] = n_coupler_z_2;

    /* coupler, back */
    const double neg_n_crank_z_2 = neg_n_crank_z - n_coupler_z_2;
    g[0] = -neg_n_crank_z_2;
}

void four_bar_gravity_batch(long n, const double *q, long q_stride, double *g)
{
    for (long i = 0; i < n; i++)
        four_bar_gravity(q + i*q_stride, g + i*3);
}

/* Mass matrix M by unit vectors. 20 mul, 17 add, 2 sincos. */
void four_bar_mass_matrix(const double *restrict q, double *restrict M)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q + 1, s, c);
    M[8] = 0.02133333333333334;

    /* coupler */
    const double neg_a_coupler_x = 0.2*c[0];
    const double a_coupler_y = 0.2*s[0];
    const double n_coupler_z = 0.14166666666666666 + 0.325*neg_a_coupler_x;

    /* rocker */
    const double neg_ap_rocker_x = neg_a_coupler_x + 0.5;
    const double a_rocker_x = s[1]*a_coupler_y - c[1]*neg_ap_rocker_x;
    const double n_rocker_z = 0.02133333333333334 - 0.08000000000000002*a_rocker_x;

    /* rocker, back */
    const double neg_fp_rocker_x = 0.08000000000000002*c[1];
    const double neg_fp_rocker_y = 0.08000000000000002*s[1];
    const double neg_f_coupler_x = 0.325 + neg_fp_rocker_x;
    const double n_coupler_z_2 = n_coupler_z + n_rocker_z + 0.5*neg_fp_rocker_x;

    /* coupler, back */
    const double fp_coupler_x = s[0]*neg_fp_rocker_y - c[0]*neg_f_coupler_x;
    const double n_crank_z = 0.03866666666666667 + n_coupler_z_2 - 0.2*fp_coupler_x;
    M[0] = n_crank_z;

    /* rocker */
    const double neg_a_rocker_x = 0.5*c[1];
    const double n_rocker_z_2 = 0.02133333333333334 + 0.08000000000000002*neg_a_rocker_x;

    /* rocker, back */
    const double n_coupler_z_3 = 0.14166666666666666 + n_rocker_z_2 + 0.5*neg_fp_rocker_x;
    M[4] = n_coupler_z_3;

    /* coupler, back */
    const double neg_n_crank_z = 0.2*fp_coupler_x - n_coupler_z_3;
    M[1] = -neg_n_crank_z;
    M[3] = -neg_n_crank_z;

    /* rocker, back */
    const double n_coupler_z_4 = 0.02133333333333334 + 0.5*neg_fp_rocker_x;
    M[5] = n_coupler_z_4;
    M[7] = n_coupler_z_4;

    /* coupler, back */
    const double fp_coupler_x_2 = s[0]*neg_fp_rocker_y - c[0]*neg_fp_rocker_x;
    const double n_crank_z_2 = n_coupler_z_4 - 0.2*fp_coupler_x_2;
    M[2] = n_crank_z_2;
    M[6] = n_crank_z_2;
}

void four_bar_mass_matrix_batch(long n, const double *q, long q_stride, double *M)
{
    for (long i = 0; i < n; i++)
        four_bar_mass_matrix(q + i*q_stride, M + i*9);
}

