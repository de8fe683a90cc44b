/* four_bar: rate of the momentum, mass and gravity.
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
 * st, mt: subtree: first moment, mass
 * com, F, N: centre of mass; force, moment that move a link
 * P, Pp, L: momentum, or its rate: linear, p: in the parent's axes; angular (L also the factor of M = L'DL)
 */

#include "kinegen/linear/sincos.h"

/* What is defined and called here, as four_bar.h declares it. */
void four_bar_momentum_rate(const double *q, const double *v, const double *a, double *momentum_rate);
void four_bar_total_mass(const double *q, double *mass);
void four_bar_gravity_acceleration(const double *q, double *g);
void four_bar_momentum_rate_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *momentum_rate);
void four_bar_total_mass_batch(long n, const double *q, long q_stride, double *mass);
void four_bar_gravity_acceleration_batch(long n, const double *q, long q_stride, double *g);

/* Rate of the momentum: linear, angular about the centre of mass. 46 mul, 31 add, 3 sincos. */
void four_bar_momentum_rate(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict momentum_rate)
{
    double s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_sincos(3, q, s, c);
    momentum_rate[1] = 0.0;
    momentum_rate[3] = 0.0;
    momentum_rate[5] = 0.0;

    /* crank */
    const double ww_crank = v[0]*v[0];

    /* coupler */
    const double w_coupler_z = v[0] + v[1];
    const double dw_coupler_z = a[0] + a[1];
    const double neg_ap_coupler_x = 0.2*a[0];
    const double neg_ap_coupler_y = 0.2*ww_crank;
    const double neg_a_coupler_x = c[1]*neg_ap_coupler_x + s[1]*neg_ap_coupler_y;
    const double a_coupler_y = s[1]*neg_ap_coupler_x - c[1]*neg_ap_coupler_y;
    const double ww_coupler = w_coupler_z*w_coupler_z;

    /* rocker */
    const double w_rocker_z = w_coupler_z + v[2];
    const double dw_rocker_z = dw_coupler_z + a[2];
    const double neg_ap_rocker_x = neg_a_coupler_x + 0.5*dw_coupler_z;
    const double ap_rocker_y = a_coupler_y - 0.5*ww_coupler;
    const double a_rocker_x = s[2]*ap_rocker_y - c[2]*neg_ap_rocker_x;
    const double ww_rocker = w_rocker_z*w_rocker_z;
    const double neg_F_coupler_x = 0.325*dw_coupler_z;
    const double neg_F_coupler_y = 0.325*ww_coupler;
    const double neg_F_rocker_x = 0.08000000000000002*dw_rocker_z;
    const double neg_F_rocker_y = 0.08000000000000002*ww_rocker;
    const double N_crank_z = 0.03866666666666667*a[0];
    const double N_coupler_z = 0.14166666666666666*dw_coupler_z + 0.325*neg_a_coupler_x;
    const double N_rocker_z = 0.02133333333333334*dw_rocker_z - 0.08000000000000002*a_rocker_x;
    const double Pp_rocker_x = s[2]*neg_F_rocker_y - c[2]*neg_F_rocker_x;
    const double neg_Pp_rocker_y = s[2]*neg_F_rocker_x + c[2]*neg_F_rocker_y;
    const double neg_P_coupler_x = neg_F_coupler_x - Pp_rocker_x;
    const double neg_P_coupler_y = neg_F_coupler_y + neg_Pp_rocker_y;
    const double L_coupler_z = N_coupler_z + N_rocker_z - 0.5*Pp_rocker_x;
    const double Pp_coupler_x = s[1]*neg_P_coupler_y - c[1]*neg_P_coupler_x;
    const double neg_Pp_coupler_y = s[1]*neg_P_coupler_x + c[1]*neg_P_coupler_y;
    const double neg_P_crank_x = neg_ap_coupler_x - Pp_coupler_x;
    const double neg_P_crank_y = neg_ap_coupler_y + neg_Pp_coupler_y;
    const double L_crank_z = N_crank_z + L_coupler_z - 0.2*Pp_coupler_x;
    const double neg_st_coupler_x = 0.08000000000000002*s[2];
    const double st_coupler_y = 0.325 + 0.08000000000000002*c[2];
    const double neg_st_crank_x = c[1]*neg_st_coupler_x + s[1]*st_coupler_y;
    const double st_crank_y = 0.2 + c[1]*st_coupler_y - s[1]*neg_st_coupler_x;
    const double neg_com_x = 0.9090909090909091*neg_st_crank_x;
    const double com_y = 0.9090909090909091*st_crank_y;
    const double neg_L_z = neg_P_crank_y*neg_com_x + neg_P_crank_x*com_y - L_crank_z;
    momentum_rate[4] = -neg_L_z;
    const double neg_momentum_rate_0 = s[0]*neg_P_crank_x + c[0]*neg_P_crank_y;
    momentum_rate[0] = -neg_momentum_rate_0;
    const double momentum_rate_2 = s[0]*neg_P_crank_y - c[0]*neg_P_crank_x;
    momentum_rate[2] = momentum_rate_2;
}

void four_bar_momentum_rate_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *momentum_rate)
{
    for (long i = 0; i < n; i++)
        four_bar_momentum_rate(q + i*q_stride, v + i*v_stride, a + i*a_stride, momentum_rate + i*6);
}

/* Mass of all links. No operations. */
void four_bar_total_mass(const double *restrict q, double *restrict mass)
{
    (void)q;
    mass[0] = 1.1;
}

void four_bar_total_mass_batch(long n, const double *q, long q_stride, double *mass)
{
    for (long i = 0; i < n; i++)
        four_bar_total_mass(q + i*q_stride, mass + i*1);
}

/* Acceleration of gravity, world axes. No operations. */
void four_bar_gravity_acceleration(const double *restrict q, double *restrict g)
{
    (void)q;
    g[0] = 0.0;
    g[1] = 0.0;
    g[2] = -9.81;
}

void four_bar_gravity_acceleration_batch(long n, const double *q, long q_stride, double *g)
{
    for (long i = 0; i < n; i++)
        four_bar_gravity_acceleration(q + i*q_stride, g + i*3);
}

