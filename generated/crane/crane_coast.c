/* crane: what a coast keeps.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * f, fp, n: force and moment about the link's origin; p: in the parent's axes
 * m, s, S: mass, first moment and second moment of mass
 */

#include "kinegen/linear/sincos.h"

/* What is defined and called here, as crane.h declares it. */
void crane_momenta(const double *p, const double *q, const double *v, double *h);

/* Momenta h = M v. 9 mul, 3 add, 1 sincos. */
void crane_momenta(const double *restrict p, const double *restrict q, const double *restrict v, double *restrict h)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);

    /* load */
    const double neg_s_load_x = p[1]*p[2];
    const double S_load_xx = p[1]*p[1]*p[2];
    const double m_trolley = p[3] + p[2];

    /* trolley */
    const double f_trolley_z = v[0]*m_trolley;

    /* load */
    const double a_load_y = c[0]*v[0];
    const double neg_f_load_y = neg_s_load_x*v[1];
    const double neg_n_load_z = neg_s_load_x*a_load_y - S_load_xx*v[1];
    h[1] = -neg_n_load_z;

    /* load, back */
    const double neg_fp_load_z = c[0]*neg_f_load_y;
    const double f_trolley_z_2 = f_trolley_z - neg_fp_load_z;
    h[0] = f_trolley_z_2;
}

