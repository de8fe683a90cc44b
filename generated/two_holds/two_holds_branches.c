/* two_holds: factor of M for loops that come and go.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * f, fp, n: force and moment about the link's origin; p: in the parent's axes
 * Un, Uf, D, iD: articulated inertia along the joint's axis, D = its entry there, iD = 1/D (also of M = L'DL)
 * r, rr: arm, or right-hand side; products of its entries
 */

#include "kinegen/linear/sincos.h"

/* What is defined and called here, as two_holds.h declares it. */
void two_holds_branch_terms(const double *p, const double *q, const double *v, const double *tau, const double *d,
    double *M, double *iD, double *z);
void two_holds_open_terms(const double *p, const double *q, const double *v, const double *tau, const double *d,
    double *M, double *iD, double *z);

/* M = L'DL and forces as far as no loop is met. 2 mul, 3 add, 1 sincos. */
void two_holds_branch_terms(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict tau, const double *restrict d, double *restrict M, double *restrict iD,
    double *restrict z)
{
    (void)p;
    (void)v;
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    iD[0] = 1.0;
    iD[1] = 1.0;
    z[1] = tau[1];

    /* rod */
    const double neg_a_rod_y = 9.81*s[0];
    const double n_rod_z = 0.25*neg_a_rod_y;

    /* slider, back */
    const double r = tau[0] - n_rod_z;
    z[0] = r;
    const double M_0 = 0.08333333333333333 + d[0];
    M[0] = M_0;
    const double M_1 = 0.5 + d[1];
    M[1] = M_1;
}

/* All of M = L'DL. 2 mul, 3 add, 2 div, 1 sincos. */
void two_holds_open_terms(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict tau, const double *restrict d, double *restrict M, double *restrict iD,
    double *restrict z)
{
    (void)p;
    (void)v;
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    M[0] = 0.0;
    M[1] = 0.0;
    z[1] = tau[1];

    /* rod */
    const double neg_a_rod_y = 9.81*s[0];
    const double n_rod_z = 0.25*neg_a_rod_y;

    /* row 1 */
    const double D_1 = 0.5 + d[1];
    const double iD_1 = 1.0/D_1;
    iD[1] = iD_1;

    /* row 0 */
    const double D_0 = 0.08333333333333333 + d[0];
    const double iD_0 = 1.0/D_0;
    iD[0] = iD_0;
    const double r = tau[0] - n_rod_z;
    z[0] = r;
}

