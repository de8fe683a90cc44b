/* cart_pole: what a step with rows shares.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * ww: products of entries of w
 * f, fp, n: force and moment about the link's origin; p: in the parent's axes
 * I, H, M: articulated inertia [I H; H' M]; M also entries of the mass matrix
 * Un, Uf, D, iD: articulated inertia along the joint's axis, D = its entry there, iD = 1/D (also of M = L'DL)
 * r, rr: arm, or right-hand side; products of its entries
 * y, x: M x = r half solved, solved
 */

#include "kinegen/linear/sincos.h"

/* What is defined and called here, as cart_pole.h declares it. */
void cart_pole_contact_terms(const double *q, const double *v, const double *tau, const double *d, double *z,
    double *iD, double *L);
void cart_pole_contact_finish(const double *q, const double *L, const double *z, double *a);

/* What the rows of a step share. 9 mul, 6 add, 2 div, 1 sincos. */
void cart_pole_contact_terms(const double *restrict q, const double *restrict v, const double *restrict tau,
    const double *restrict d, double *restrict z, double *restrict iD, double *restrict L)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);

    /* pole */
    const double f_pole_z = 0.05*c[0];
    const double neg_a_pole_y = 9.81*s[0];
    const double ww_pole = v[1]*v[1];
    const double neg_f_pole_x = 0.05*ww_pole;
    const double neg_n_pole_z = 0.05*neg_a_pole_y;

    /* pole, back */
    const double neg_fp_pole_z = s[0]*neg_f_pole_x;

    /* row 1 */
    const double D_1 = 0.03333333333333333 + d[1];
    const double iD_1 = 1.0/D_1;
    iD[1] = iD_1;
    const double L_1_0 = f_pole_z*iD_1;
    L[0] = L_1_0;
    const double M_0_0 = 1.1 + d[0] - f_pole_z*L_1_0;

    /* row 0 */
    const double iD_0 = 1.0/M_0_0;
    iD[0] = iD_0;
    const double r = tau[0] + neg_fp_pole_z;
    const double r_2 = tau[1] + neg_n_pole_z;
    z[1] = r_2;
    const double neg_y_0 = L_1_0*r_2 - r;
    z[0] = -neg_y_0;
}

/* Acceleration from z = 1/D (L'^-1 (tau - h) + y f). 1 mul, 1 add. */
void cart_pole_contact_finish(const double *restrict q, const double *restrict L, const double *restrict z,
    double *restrict a)
{
    (void)q;
    a[0] = z[0];
    const double neg_x_1 = L[0]*z[0] - z[1];
    a[1] = -neg_x_1;
}

