/* four_bar: forward dynamics.
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

#include "four_bar_model.h"
#include "kinegen/linear/sincos.h"

/* What is defined and called here, as four_bar.h declares it. */
void four_bar_forward_dynamics_open(const double *q, const double *v, const double *tau, double *a);
void four_bar_forward_dynamics_open_damped(const double *q, const double *v, const double *tau, const double *d,
    double *a);
void four_bar_mass_matrix(const double *q, double *M);
void four_bar_bias(const double *q, const double *v, double *h);
void four_bar_forward_dynamics_open_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *a);
void four_bar_forward_dynamics_open_damped_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, const double *d, long d_stride, double *a);

/* Acceleration by M = L'DL. 60 mul, 45 add, 2 div, 3 sincos. */
void four_bar_forward_dynamics_open(const double *restrict q, const double *restrict v, const double *restrict tau,
    double *restrict a)
{
    double s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_sincos(3, q, s, c);

    /* rocker */
    const double neg_f_rocker_x = 0.08000000000000002*c[2];
    const double neg_f_rocker_y = 0.08000000000000002*s[2];
    const double n_rocker_z = 0.02133333333333334 + 0.5*neg_f_rocker_x;
    const double f_coupler_x = s[1]*neg_f_rocker_y - c[1]*neg_f_rocker_x;
    const double n_coupler_z = n_rocker_z - 0.2*f_coupler_x;
    const double neg_h_Sp_rocker = 0.02133333333333334*s[2];
    const double Sp_rocker_xx = s[2]*neg_h_Sp_rocker;
    const double neg_Sp_rocker_xy = c[2]*neg_h_Sp_rocker;
    const double Sp_rocker_yy = 0.02133333333333334 - Sp_rocker_xx;
    const double s_coupler_y = 0.325 + neg_f_rocker_x;
    const double neg_S_coupler_xy = neg_Sp_rocker_xy + 0.5*neg_f_rocker_y;
    const double S_coupler_yy = 0.14166666666666666 + Sp_rocker_yy + neg_f_rocker_x;

    /* coupler */
    const double n_coupler_z_2 = Sp_rocker_xx + S_coupler_yy;
    const double f_coupler_x_2 = s[1]*neg_f_rocker_y - c[1]*s_coupler_y;
    const double n_coupler_z_3 = n_coupler_z_2 - 0.2*f_coupler_x_2;
    const double h_Sp_coupler = c[1]*Sp_rocker_xx + s[1]*neg_S_coupler_xy;
    const double neg_h_Sp_coupler = c[1]*neg_S_coupler_xy + s[1]*S_coupler_yy;
    const double Sp_coupler_xx = c[1]*h_Sp_coupler + s[1]*neg_h_Sp_coupler;
    const double Sp_coupler_yy = Sp_rocker_xx + S_coupler_yy - Sp_coupler_xx;
    const double S_crank_yy = 0.03866666666666667 + Sp_coupler_yy - 0.4*f_coupler_x_2;

    /* crank */
    const double n_crank_z = Sp_coupler_xx + S_crank_yy;
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
    const double n_coupler_z_4 = 0.325*neg_a_coupler_x;

    /* rocker */
    const double w_rocker_z = w_coupler_z + v[2];
    const double neg_ap_rocker_y = neg_a_coupler_y + 0.5*ww_coupler;
    const double neg_a_rocker_x = c[2]*neg_a_coupler_x + s[2]*neg_ap_rocker_y;
    const double ww_rocker = w_rocker_z*w_rocker_z;
    const double neg_f_rocker_y_2 = 0.08000000000000002*ww_rocker;
    const double n_rocker_z_2 = 0.08000000000000002*neg_a_rocker_x;

    /* rocker, back */
    const double fp_rocker_x = s[2]*neg_f_rocker_y_2;
    const double neg_fp_rocker_y = c[2]*neg_f_rocker_y_2;
    const double neg_f_coupler_y_2 = neg_f_coupler_y + neg_fp_rocker_y;
    const double n_coupler_z_5 = n_coupler_z_4 + n_rocker_z_2 - 0.5*fp_rocker_x;

    /* coupler, back */
    const double fp_coupler_x = c[1]*fp_rocker_x + s[1]*neg_f_coupler_y_2;
    const double neg_n_crank_z_2 = neg_n_crank_z + 0.2*fp_coupler_x - n_coupler_z_5;

    /* crank, back */
    const double r = tau[0] + neg_n_crank_z_2;
    const double r_2 = tau[1] - n_coupler_z_5;
    const double r_3 = tau[2] - n_rocker_z_2;

    /* row 2 */
    const double L_2_0 = 46.874999999999986*n_coupler_z;
    const double L_2_1 = 46.874999999999986*n_rocker_z;
    const double neg_M_0_0 = n_coupler_z*L_2_0 - n_crank_z;
    const double neg_M_1_0 = n_coupler_z*L_2_1 - n_coupler_z_3;
    const double neg_M_1_1 = n_rocker_z*L_2_1 - n_coupler_z_2;

    /* row 1 */
    const double iD_1 = 1.0/(-neg_M_1_1);
    const double neg_L_1_0 = neg_M_1_0*iD_1;
    const double neg_M_0_0_2 = neg_M_0_0 + neg_M_1_0*neg_L_1_0;

    /* row 0 */
    const double iD_0 = 1.0/(-neg_M_0_0_2);
    const double y_1 = r_2 - r_3*L_2_1;
    const double y_0 = r + neg_L_1_0*y_1 - r_3*L_2_0;
    const double x_0 = iD_0*y_0;
    a[0] = x_0;
    const double x_1 = iD_1*y_1 + neg_L_1_0*x_0;
    a[1] = x_1;
    const double x_2 = 46.874999999999986*r_3 - L_2_0*x_0 - L_2_1*x_1;
    a[2] = x_2;
}

void four_bar_forward_dynamics_open_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *a)
{
    for (long i = 0; i < n; i++)
        four_bar_forward_dynamics_open(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, a + i*3);
}

/* Where each row of L of M = L'DL begins. */
static const int factor_row[] = {0, 0, 1, 3};
/* The columns in which its entries stand. */
static const int factor_column[] = {0, 0, 1};

#include "kinegen/tree/forward_dynamics_damped.h"

/* Acceleration a of (M + diag d) a = tau - h. */
void four_bar_forward_dynamics_open_damped(const double *restrict q, const double *restrict v,
    const double *restrict tau, const double *restrict d, double *restrict a)
{
    forward_dynamics_damped(0, q, v, tau, d, a);
}

void four_bar_forward_dynamics_open_damped_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, const double *d, long d_stride, double *a)
{
    for (long i = 0; i < n; i++)
        four_bar_forward_dynamics_open_damped(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, d + i*d_stride,
            a + i*3);
}
