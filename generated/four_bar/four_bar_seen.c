/* four_bar: a look at the closed loops, and forward dynamics from there.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * R, p: pose in the parent or, where poses are asked for, in the world
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
 * y, x: M x = r half solved, solved
 * ue, ae, us, du, ddu, dW, ddW, dz: sides of a loop: velocity, acceleration of the end; of one against the other,
 *     rates
 * e, b: locked rows of a loop: gap, rate
 * MW, WMW, CW, dCW, A, G, rhs: reduced equations of motion
 * ip, size, least, most: pivots, their sizes, the least and the most
 * k, inv, t: intermediate value
 */

#include "kinegen/linear/extremes.h"
#include "kinegen/linear/sincos.h"

/* What is defined and called here, as four_bar.h declares it. */
void four_bar_closing(const double *q, double *gap, double *x, double *H, double *quality, double *seen);
void four_bar_forward_dynamics_seen(const double *q, const double *v, const double *tau, const double *d,
    const double *seen, double *a, double *quality);

/* Gap of the loops, what closes it, v_S = H v_G there, and what is seen on the way. 27 mul, 19 add, 3 div, 4 call, 3
 * sincos. */
void four_bar_closing(const double *restrict q, double *restrict gap, double *restrict x, double *restrict H,
    double *restrict quality, double *restrict seen)
{
    double s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_sincos(3, q, s, c);
    gap[2] = 0.0;
    gap[3] = 0.0;
    gap[4] = 0.0;
    gap[5] = 0.0;
    quality[1] = 0.0;
    seen[0] = s[0];
    seen[1] = c[0];
    seen[2] = s[1];
    seen[3] = c[1];
    seen[4] = s[2];
    seen[5] = c[2];

    /* loop pin */
    const double neg_R_coupler_xx = s[0]*s[1] - c[0]*c[1];
    const double neg_R_coupler_xy = c[0]*s[1] + s[0]*c[1];
    const double neg_p_coupler_x = 0.2*s[0];
    const double neg_p_coupler_y = 0.5 - 0.2*c[0];
    const double neg_R_rocker_xx = c[2]*neg_R_coupler_xx + s[2]*neg_R_coupler_xy;
    seen[6] = neg_R_rocker_xx;
    const double R_rocker_xy = s[2]*neg_R_coupler_xx - c[2]*neg_R_coupler_xy;
    seen[7] = R_rocker_xy;
    const double neg_p_rocker_x = neg_p_coupler_x + 0.5*neg_R_coupler_xy;
    const double neg_p_rocker_y = neg_p_coupler_y + 0.5*neg_R_coupler_xx;
    const double p_pin_x = 0.4*R_rocker_xy - neg_p_rocker_x;
    gap[0] = p_pin_x;
    const double neg_p_pin_y = neg_p_rocker_y + 0.4*neg_R_rocker_xx;
    gap[1] = -neg_p_pin_y;
    const double r_crank_y = 0.5 - neg_p_pin_y;
    const double r_coupler_x = p_pin_x + neg_p_coupler_x;
    seen[8] = r_coupler_x;
    const double r_coupler_y = neg_p_coupler_y - neg_p_pin_y;
    seen[9] = r_coupler_y;
    const double r_rocker_x = p_pin_x + neg_p_rocker_x;
    const double r_rocker_y = neg_p_rocker_y - neg_p_pin_y;

    /* elimination */
    const double ip_0 = 1.0/(-r_coupler_y);
    seen[10] = ip_0;
    const double neg_k = r_crank_y*ip_0;
    const double neg_k_2 = r_rocker_y*ip_0;
    seen[11] = neg_k_2;
    const double k = p_pin_x*ip_0;
    const double k_2 = p_pin_x + r_coupler_x*neg_k;
    const double k_3 = r_rocker_x + r_coupler_x*neg_k_2;
    seen[12] = k_3;
    const double neg_k_3 = neg_p_pin_y + r_coupler_x*k;
    const double ip_1 = 1.0/k_3;
    seen[13] = ip_1;
    const double k_4 = k_2*ip_1;
    H[1] = -k_4;
    seen[14] = k_4;
    const double neg_k_4 = neg_k_3*ip_1;
    x[1] = neg_k_4;
    const double neg_k_5 = neg_k - neg_k_2*k_4;
    H[0] = neg_k_5;
    seen[15] = neg_k_5;
    const double neg_k_6 = neg_k_2*neg_k_4 - k;
    x[0] = neg_k_6;
    const double neg_size = 2.0*r_coupler_y;
    const double size = fabs(-neg_size);
    const double size_2 = 2.0*k_3;
    const double size_3 = fabs(size_2);
    const double least = kg_min(size, size_3);
    const double most = kg_max(size, size_3);
    const double k_5 = 1.0/most;
    const double quality_0 = least*k_5;
    quality[0] = quality_0;
}

/* Acceleration under closed loops, from what a look at them has seen. 81 mul, 64 add, 2 div, 4 call. */
void four_bar_forward_dynamics_seen(const double *restrict q, const double *restrict v, const double *restrict tau,
    const double *restrict d, const double *restrict seen, double *restrict a, double *restrict quality)
{
    (void)q;

    /* crank */
    const double a_crank_x = 9.81*seen[1];
    const double neg_a_crank_y = 9.81*seen[0];
    const double ww_crank = v[0]*v[0];
    const double neg_f_crank_y = 0.2*ww_crank;
    const double neg_n_crank_z = 0.2*a_crank_x;

    /* coupler */
    const double w_coupler_z = v[0] + v[1];
    const double neg_ap_coupler_y = neg_a_crank_y + 0.2*ww_crank;
    const double neg_a_coupler_x = seen[2]*neg_ap_coupler_y - seen[3]*a_crank_x;
    const double neg_a_coupler_y = seen[2]*a_crank_x + seen[3]*neg_ap_coupler_y;
    const double ww_coupler = w_coupler_z*w_coupler_z;
    const double neg_f_coupler_y = 0.325*ww_coupler;
    const double n_coupler_z = 0.325*neg_a_coupler_x;

    /* rocker */
    const double w_rocker_z = w_coupler_z + v[2];
    const double neg_ap_rocker_y = neg_a_coupler_y + 0.5*ww_coupler;
    const double neg_a_rocker_x = seen[5]*neg_a_coupler_x + seen[4]*neg_ap_rocker_y;
    const double ww_rocker = w_rocker_z*w_rocker_z;
    const double neg_f_rocker_y = 0.08000000000000002*ww_rocker;
    const double n_rocker_z = 0.08000000000000002*neg_a_rocker_x;

    /* rocker, back */
    const double fp_rocker_x = seen[4]*neg_f_rocker_y;
    const double neg_fp_rocker_y = seen[5]*neg_f_rocker_y;
    const double neg_f_coupler_y_2 = neg_f_coupler_y + neg_fp_rocker_y;
    const double n_coupler_z_2 = n_coupler_z + n_rocker_z - 0.5*fp_rocker_x;

    /* coupler, back */
    const double fp_coupler_x = seen[3]*fp_rocker_x + seen[2]*neg_f_coupler_y_2;
    const double neg_n_crank_z_2 = neg_n_crank_z + 0.2*fp_coupler_x - n_coupler_z_2;

    /* crank, back */
    const double f = tau[0] + neg_n_crank_z_2;
    const double f_2 = tau[1] - n_coupler_z_2;
    const double f_3 = tau[2] - n_rocker_z;

    /* rocker */
    const double neg_f_rocker_x = 0.08000000000000002*seen[5];
    const double neg_f_rocker_y_2 = 0.08000000000000002*seen[4];
    const double n_rocker_z_2 = 0.02133333333333334 + 0.5*neg_f_rocker_x;
    const double f_coupler_x = seen[2]*neg_f_rocker_y_2 - seen[3]*neg_f_rocker_x;
    const double n_coupler_z_3 = n_rocker_z_2 - 0.2*f_coupler_x;
    const double neg_h_Sp_rocker = 0.02133333333333334*seen[4];
    const double Sp_rocker_xx = seen[4]*neg_h_Sp_rocker;
    const double neg_Sp_rocker_xy = seen[5]*neg_h_Sp_rocker;
    const double Sp_rocker_yy = 0.02133333333333334 - Sp_rocker_xx;
    const double s_coupler_y = 0.325 + neg_f_rocker_x;
    const double neg_S_coupler_xy = neg_Sp_rocker_xy + 0.5*neg_f_rocker_y_2;
    const double S_coupler_yy = 0.14166666666666666 + Sp_rocker_yy + neg_f_rocker_x;

    /* coupler */
    const double n_coupler_z_4 = Sp_rocker_xx + S_coupler_yy;
    const double f_coupler_x_2 = seen[2]*neg_f_rocker_y_2 - seen[3]*s_coupler_y;
    const double n_coupler_z_5 = n_coupler_z_4 - 0.2*f_coupler_x_2;
    const double h_Sp_coupler = seen[3]*Sp_rocker_xx + seen[2]*neg_S_coupler_xy;
    const double neg_h_Sp_coupler = seen[3]*neg_S_coupler_xy + seen[2]*S_coupler_yy;
    const double Sp_coupler_xx = seen[3]*h_Sp_coupler + seen[2]*neg_h_Sp_coupler;
    const double Sp_coupler_yy = Sp_rocker_xx + S_coupler_yy - Sp_coupler_xx;
    const double S_crank_yy = 0.03866666666666667 + Sp_coupler_yy - 0.4*f_coupler_x_2;

    /* crank */
    const double n_crank_z = Sp_coupler_xx + S_crank_yy;
    const double M = n_crank_z + d[0];
    const double M_2 = n_coupler_z_4 + d[1];
    const double M_3 = 0.02133333333333334 + d[2];

    /* loop pin, drift */
    const double neg_a_coupler_x_2 = seen[2]*neg_f_crank_y;
    const double neg_a_coupler_y_2 = seen[3]*neg_f_crank_y;
    const double neg_ap_rocker_y_2 = neg_a_coupler_y_2 + 0.5*ww_coupler;
    const double neg_a_rocker_x_2 = seen[5]*neg_a_coupler_x_2 + seen[4]*neg_ap_rocker_y_2;
    const double a_rocker_y = seen[4]*neg_a_coupler_x_2 - seen[5]*neg_ap_rocker_y_2;
    const double neg_ae_y = 0.4*ww_rocker - a_rocker_y;
    const double a_pin_x = seen[6]*neg_a_rocker_x_2 - seen[7]*neg_ae_y;
    const double a_pin_y = seen[7]*neg_a_rocker_x_2 + seen[6]*neg_ae_y;

    /* elimination */
    const double k_6 = seen[10]*a_pin_x;
    const double neg_k_7 = seen[8]*k_6 - a_pin_y;
    const double neg_k_8 = seen[13]*neg_k_7;
    const double neg_k_9 = seen[11]*neg_k_8 - k_6;
    const double size_4 = fabs(-seen[9]);
    const double size_5 = fabs(seen[12]);
    const double least_2 = kg_min(size_4, size_5);
    const double most_2 = kg_max(size_4, size_5);
    const double k_7 = 1.0/most_2;

    /* reduced mass matrix */
    const double neg_MW = seen[14]*n_coupler_z_3 - M - seen[15]*n_coupler_z_5;
    const double neg_MW_2 = seen[14]*n_rocker_z_2 - n_coupler_z_5 - seen[15]*M_2;
    const double neg_MW_3 = seen[14]*M_3 - n_coupler_z_3 - seen[15]*n_rocker_z_2;
    const double f_4 = f - n_coupler_z_5*neg_k_9 - n_coupler_z_3*neg_k_8;
    const double f_5 = f_2 - M_2*neg_k_9 - n_rocker_z_2*neg_k_8;
    const double f_6 = f_3 - n_rocker_z_2*neg_k_9 - M_3*neg_k_8;
    const double A_0_0 = seen[14]*neg_MW_3 - neg_MW - seen[15]*neg_MW_2;
    const double neg_b_0 = seen[14]*f_6 - f_4 - seen[15]*f_5;

    /* row 0 */
    const double iD_0 = 1.0/A_0_0;
    const double neg_x_0 = neg_b_0*iD_0;
    a[0] = -neg_x_0;

    /* accelerations */
    const double neg_a = seen[15]*neg_x_0 - neg_k_9;
    a[1] = -neg_a;
    const double a_2 = seen[14]*neg_x_0 + neg_k_8;
    a[2] = a_2;
    const double quality_2 = least_2*k_7;
    quality[0] = quality_2;
}

