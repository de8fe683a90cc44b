/* double_pendulum: what a coast keeps.
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

/* What is defined and called here, as double_pendulum.h declares it. */
void double_pendulum_momenta(const double *q, const double *v, double *h);

/* Momenta h = M v. 8 mul, 4 add, 1 sincos. */
void double_pendulum_momenta(const double *restrict q, const double *restrict v, double *restrict h)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);

    /* upper */
    const double n_upper_z = 0.3333333333333333*v[0];

    /* lower */
    const double dw_lower_z = v[0] + v[1];
    const double neg_ap_lower_y = 0.5*v[0];
    const double neg_a_lower_y = c[0]*neg_ap_lower_y;
    const double neg_f_lower_y = 0.25*dw_lower_z;
    const double n_lower_z = 0.08333333333333333*dw_lower_z + 0.25*neg_a_lower_y;
    h[1] = n_lower_z;

    /* lower, back */
    const double neg_fp_lower_y = c[0]*neg_f_lower_y;
    const double n_upper_z_2 = n_upper_z + n_lower_z + 0.5*neg_fp_lower_y;
    h[0] = n_upper_z_2;
}

