/* four_bar: rate of the momentum, mass and gravity.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, along the axes of the link where nothing else is said.
 * neg_..: the negative of what the name says; _2, _3: the same quantity, further on; an output's name and a number: an
 * entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * R, p: pose in the parent or, where poses are asked for, in the world
 * w, wp: angular velocity; that of the parent in the link's axes
 * dw, dwp, dwq: rate of w; the parent's; with velocity products of the joint
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * ww: products of entries of w
 * pG, vG, aG, Gx, ddq: centre of mass: position, velocity, acceleration; its part by joint accelerations
 * r, rr: arm, or right-hand side; products of its entries
 * st, mt, sr, sG, It: subtree: first moment, mass, first moment about the joint, about the centre of mass, inertia
 * com, F, N, dP, dL: centre of mass; force, moment that move a link; rates of the momentum
 */

#include "four_bar.h"
#include "kinegen/linear/sincos.h"

/* Rate of the momentum: linear, angular about the centre of mass. 80 mul, 52 add, 3 sincos. */
void four_bar_momentum_rate(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict momentum_rate)
{
    double s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_sincos(3, q, s, c);
    momentum_rate[1] = 0.0;
    momentum_rate[3] = 0.0;
    momentum_rate[5] = 0.0;

    /* coupler */
    const double R_coupler_xx = s[0]*c[1] + c[0]*s[1];
    const double neg_R_coupler_xy = s[0]*s[1] - c[0]*c[1];
    const double p_coupler_x = 0.2*c[0];
    const double neg_p_coupler_z = 0.2*s[0];

    /* rocker */
    const double neg_R_rocker_xx = s[2]*neg_R_coupler_xy - c[2]*R_coupler_xx;
    const double neg_R_rocker_xy = s[2]*R_coupler_xx + c[2]*neg_R_coupler_xy;
    const double neg_p_rocker_x = 0.5*neg_R_coupler_xy - p_coupler_x;
    const double neg_p_rocker_z = neg_p_coupler_z + 0.5*R_coupler_xx;
    const double pG_crank_x = 0.1*c[0];
    const double neg_pG_crank_z = 0.1*s[0];
    const double neg_pG_coupler_x = 0.25*neg_R_coupler_xy - p_coupler_x;
    const double neg_pG_coupler_z = neg_p_coupler_z + 0.25*R_coupler_xx;
    const double neg_pG_rocker_x = neg_p_rocker_x + 0.2*neg_R_rocker_xy;
    const double pG_rocker_z = 0.2*neg_R_rocker_xx - neg_p_rocker_z;
    const double neg_st_rocker_x = 0.4*neg_pG_rocker_x;
    const double st_rocker_z = 0.4*pG_rocker_z;
    const double neg_st_coupler_x = 0.5*neg_pG_coupler_x + neg_st_rocker_x;
    const double neg_st_coupler_z = 0.5*neg_pG_coupler_z - st_rocker_z;
    const double st_crank_x = 0.2*pG_crank_x - neg_st_coupler_x;
    const double neg_st_crank_z = 0.2*neg_pG_crank_z + neg_st_coupler_z;
    const double com_x = 0.9090909090909091*st_crank_x;
    const double neg_com_z = 0.9090909090909091*neg_st_crank_z;

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
    const double a_rocker_y = s[2]*neg_ap_rocker_x + c[2]*ap_rocker_y;
    const double ww_rocker = w_rocker_z*w_rocker_z;
    const double neg_aG_crank_x = 0.1*a[0];
    const double neg_aG_crank_y = 0.1*ww_crank;
    const double neg_F_crank_x = 0.2*s[0]*neg_aG_crank_x + 0.2*c[0]*neg_aG_crank_y;
    const double F_crank_z = 0.2*s[0]*neg_aG_crank_y - 0.2*c[0]*neg_aG_crank_x;
    const double N_crank_z = 0.0006666666666666669*a[0];
    const double r_crank_x = pG_crank_x - com_x;
    const double neg_r_crank_z = neg_pG_crank_z - neg_com_z;
    const double dL_y = N_crank_z + neg_F_crank_x*neg_r_crank_z - F_crank_z*r_crank_x;
    const double neg_aG_coupler_x = neg_a_coupler_x + 0.25*dw_coupler_z;
    const double aG_coupler_y = a_coupler_y - 0.25*ww_coupler;
    const double neg_F_coupler_x = 0.5*R_coupler_xx*neg_aG_coupler_x + 0.5*neg_R_coupler_xy*aG_coupler_y;
    const double neg_F_coupler_z = 0.5*R_coupler_xx*aG_coupler_y - 0.5*neg_R_coupler_xy*neg_aG_coupler_x;
    const double N_coupler_z = 0.010416666666666666*dw_coupler_z;
    const double neg_r_coupler_x = neg_pG_coupler_x + com_x;
    const double neg_r_coupler_z = neg_pG_coupler_z - neg_com_z;
    const double neg_dP_x = neg_F_crank_x + neg_F_coupler_x;
    const double dP_z = F_crank_z - neg_F_coupler_z;
    const double dL_y_2 = dL_y + N_coupler_z + neg_F_coupler_x*neg_r_coupler_z - neg_F_coupler_z*neg_r_coupler_x;
    const double neg_aG_rocker_x = 0.2*dw_rocker_z - a_rocker_x;
    const double aG_rocker_y = a_rocker_y - 0.2*ww_rocker;
    const double F_rocker_x = 0.4*neg_R_rocker_xx*neg_aG_rocker_x - 0.4*neg_R_rocker_xy*aG_rocker_y;
    const double F_rocker_z = 0.4*neg_R_rocker_xy*neg_aG_rocker_x + 0.4*neg_R_rocker_xx*aG_rocker_y;
    const double N_rocker_z = 0.005333333333333335*dw_rocker_z;
    const double neg_r_rocker_x = neg_pG_rocker_x + com_x;
    const double r_rocker_z = pG_rocker_z + neg_com_z;
    const double neg_dP_x_2 = neg_dP_x - F_rocker_x;
    momentum_rate[0] = -neg_dP_x_2;
    const double dP_z_2 = dP_z + F_rocker_z;
    momentum_rate[2] = dP_z_2;
    const double dL_y_3 = dL_y_2 + N_rocker_z + F_rocker_x*r_rocker_z + F_rocker_z*neg_r_rocker_x;
    momentum_rate[4] = dL_y_3;
}

void four_bar_momentum_rate_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *momentum_rate)
{
    for (long i = 0; i < n; i++)
        four_bar_momentum_rate(q + i*q_stride, v + i*v_stride, a + i*a_stride, momentum_rate + i*6);
}

/* Mass of all links. no operations. */
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

/* Acceleration of gravity, world axes. no operations. */
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

