/* two_hulls: what a step with rows shares.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * R, p: pose in the parent or, where poses are asked for, in the world
 * Un, Uf, D, iD: articulated inertia along the joint's axis, D = its entry there, iD = 1/D (also of M = L'DL)
 */

#include <math.h>
#include "kinegen/linear/real.h"

/* What is defined and called here, as two_hulls.h declares it. */
void two_hulls_contact_terms(const double *q, const double *v, const double *tau, const double *d, double *z,
    double *iD, double *L, double *poses, double *axes, double *origins);
void two_hulls_contact_finish(const double *q, const double *L, const double *z, double *a);

/* What the links that may touch share in a step. 4 add, 2 div. */
void two_hulls_contact_terms(const double *restrict q, const double *restrict v, const double *restrict tau,
    const double *restrict d, double *restrict z, double *restrict iD, double *restrict L, double *restrict poses,
    double *restrict axes, double *restrict origins)
{
    (void)v;
    for (int i = 0; i < 24; i++) poses[i] = 0.0;
    for (int i = 0; i < 16; i++) axes[i] = 0.0;
    L[0] = 0.0;
    poses[0] = 1.0;
    poses[5] = 1.0;
    poses[10] = 1.0;
    poses[12] = 1.0;
    poses[17] = 1.0;
    poses[22] = 1.0;
    axes[0] = 1.0;
    axes[8] = 1.0;
    origins[1] = 0.0;
    origins[2] = 0.0;
    origins[4] = 0.0;
    origins[5] = 0.0;
    z[0] = tau[0];
    z[1] = tau[1];

    /* left */
    const double neg_p_left_x = 0.3 - q[0];
    poses[3] = -neg_p_left_x;
    origins[0] = -neg_p_left_x;

    /* right */
    const double p_right_x = 0.3 + q[1];
    poses[15] = p_right_x;
    origins[3] = p_right_x;

    /* row 1 */
    const double D_1 = 1.0 + d[1];
    const double iD_1 = 1.0/D_1;
    iD[1] = iD_1;

    /* row 0 */
    const double D_0 = 1.0 + d[0];
    const double iD_0 = 1.0/D_0;
    iD[0] = iD_0;
}

/* Acceleration from z = 1/D (L'^-1 (tau - h) + y f). No operations. */
void two_hulls_contact_finish(const double *restrict q, const double *restrict L, const double *restrict z,
    double *restrict a)
{
    (void)q;
    (void)L;
    a[0] = z[0];
    a[1] = z[1];
}

