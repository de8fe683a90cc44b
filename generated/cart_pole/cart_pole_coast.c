/* cart_pole: what a coast keeps.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * f, fp, n: force and moment about the link's origin; p: in the parent's axes
 */

#include "kinegen/linear/sincos.h"

/* What is defined and called here, as cart_pole.h declares it. */
void cart_pole_momenta(const double *q, const double *v, double *h);

/* Momenta h = M v. 6 mul, 2 add, 1 sincos. */
void cart_pole_momenta(const double *restrict q, const double *restrict v, double *restrict h)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);

    /* cart */
    const double f_cart_z = 1.1*v[0];

    /* pole */
    const double a_pole_y = c[0]*v[0];
    const double f_pole_y = 0.05*v[1];
    const double n_pole_z = 0.03333333333333333*v[1] + 0.05*a_pole_y;
    h[1] = n_pole_z;

    /* pole, back */
    const double fp_pole_z = c[0]*f_pole_y;
    const double f_cart_z_2 = f_cart_z + fp_pole_z;
    h[0] = f_cart_z_2;
}

