/* four_bar: what a coast keeps.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * dw, dwp, dwq: rate of w; the parent's; with velocity products of the joint
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * f, fp, n: force and moment about the link's origin; p: in the parent's axes
 */

#include "kinegen/linear/sincos.h"

/* What is defined and called here, as four_bar.h declares it. */
void four_bar_momenta(const double *q, const double *v, double *h);

/* Momenta h = M v. 19 mul, 12 add, 2 sincos. */
void four_bar_momenta(const double *restrict q, const double *restrict v, double *restrict h)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q + 1, s, c);

    /* crank */
    const double neg_f_crank_x = 0.2*v[0];
    const double n_crank_z = 0.03866666666666667*v[0];

    /* coupler */
    const double dw_coupler_z = v[0] + v[1];
    const double neg_a_coupler_x = c[0]*neg_f_crank_x;
    const double a_coupler_y = s[0]*neg_f_crank_x;
    const double neg_f_coupler_x = 0.325*dw_coupler_z;
    const double n_coupler_z = 0.14166666666666666*dw_coupler_z + 0.325*neg_a_coupler_x;

    /* rocker */
    const double dw_rocker_z = dw_coupler_z + v[2];
    const double neg_ap_rocker_x = neg_a_coupler_x + 0.5*dw_coupler_z;
    const double a_rocker_x = s[1]*a_coupler_y - c[1]*neg_ap_rocker_x;
    const double neg_f_rocker_x = 0.08000000000000002*dw_rocker_z;
    const double n_rocker_z = 0.02133333333333334*dw_rocker_z - 0.08000000000000002*a_rocker_x;
    h[2] = n_rocker_z;

    /* rocker, back */
    const double neg_fp_rocker_x = c[1]*neg_f_rocker_x;
    const double neg_fp_rocker_y = s[1]*neg_f_rocker_x;
    const double neg_f_coupler_x_2 = neg_f_coupler_x + neg_fp_rocker_x;
    const double n_coupler_z_2 = n_coupler_z + n_rocker_z + 0.5*neg_fp_rocker_x;
    h[1] = n_coupler_z_2;

    /* coupler, back */
    const double fp_coupler_x = s[0]*neg_fp_rocker_y - c[0]*neg_f_coupler_x_2;
    const double n_crank_z_2 = n_crank_z + n_coupler_z_2 - 0.2*fp_coupler_x;
    h[0] = n_crank_z_2;
}

