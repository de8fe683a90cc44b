/* box_on_plane: what a step with rows shares.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * ww: products of entries of w
 * f, fp, n: force and moment about the link's origin; p: in the parent's axes
 * Un, Uf, D, iD: articulated inertia along the joint's axis, D = its entry there, iD = 1/D (also of M = L'DL)
 * q2, qq, E: twice a quaternion's entries, their products, its rotation
 * r, rr: arm, or right-hand side; products of its entries
 * P, Pp, L: momentum, or its rate: linear, p: in the parent's axes; angular (L also the factor of M = L'DL)
 */

#include <math.h>
#include "kinegen/linear/real.h"

/* What is defined and called here, as box_on_plane.h declares it. */
void box_on_plane_contact_terms(const double *q, const double *v, const double *tau, const double *d, double *z,
    double *iD, double *L, double *poses, double *axes, double *origins);
void box_on_plane_contact_finish(const double *q, const double *L, const double *z, double *a);
void box_on_plane_root_terms(const double *q, const double *v, double *h, double *M);

/* What the links that may touch share in a step. 30 mul, 30 add, 6 div. */
void box_on_plane_contact_terms(const double *restrict q, const double *restrict v, const double *restrict tau,
    const double *restrict d, double *restrict z, double *restrict iD, double *restrict L, double *restrict poses,
    double *restrict axes, double *restrict origins)
{
    for (int i = 0; i < 48; i++) axes[i] = 0.0;
    L[0] = 0.0;
    poses[3] = q[0];
    origins[0] = q[0];
    poses[7] = q[1];
    origins[1] = q[1];
    poses[11] = q[2];
    origins[2] = q[2];

    /* box */
    const double q2_box = 2.0*q[3];
    const double q2_box_2 = 2.0*q[4];
    const double q2_box_3 = 2.0*q[5];
    const double qq_box = q[3]*q2_box;
    const double qq_box_2 = q[4]*q2_box_2;
    const double qq_box_3 = q[5]*q2_box_3;
    const double qq_box_4 = q[3]*q2_box_2;
    const double qq_box_5 = q[3]*q2_box_3;
    const double qq_box_6 = q[4]*q2_box_3;
    const double qq_box_7 = q[6]*q2_box;
    const double qq_box_8 = q[6]*q2_box_2;
    const double qq_box_9 = q[6]*q2_box_3;
    const double E_box_xx = 1.0 - qq_box_2 - qq_box_3;
    poses[0] = E_box_xx;
    axes[0] = E_box_xx;
    axes[27] = E_box_xx;
    const double E_box_xy = qq_box_4 - qq_box_9;
    poses[1] = E_box_xy;
    axes[8] = E_box_xy;
    axes[35] = E_box_xy;
    const double E_box_xz = qq_box_5 + qq_box_8;
    poses[2] = E_box_xz;
    axes[16] = E_box_xz;
    axes[43] = E_box_xz;
    const double E_box_yx = qq_box_4 + qq_box_9;
    poses[4] = E_box_yx;
    axes[1] = E_box_yx;
    axes[28] = E_box_yx;
    const double E_box_yy = 1.0 - qq_box - qq_box_3;
    poses[5] = E_box_yy;
    axes[9] = E_box_yy;
    axes[36] = E_box_yy;
    const double E_box_yz = qq_box_6 - qq_box_7;
    poses[6] = E_box_yz;
    axes[17] = E_box_yz;
    axes[44] = E_box_yz;
    const double E_box_zx = qq_box_5 - qq_box_8;
    poses[8] = E_box_zx;
    axes[2] = E_box_zx;
    axes[29] = E_box_zx;
    const double E_box_zy = qq_box_6 + qq_box_7;
    poses[9] = E_box_zy;
    axes[10] = E_box_zy;
    axes[37] = E_box_zy;
    const double E_box_zz = 1.0 - qq_box - qq_box_2;
    poses[10] = E_box_zz;
    axes[18] = E_box_zz;
    axes[45] = E_box_zz;
    const double a_box_x = 9.81*E_box_zx;
    const double a_box_y = 9.81*E_box_zy;
    const double a_box_z = 9.81*E_box_zz;
    const double neg_a_box_x = v[1]*v[5] - a_box_x - v[2]*v[4];
    const double a_box_y_2 = a_box_y + v[0]*v[5] - v[2]*v[3];
    const double neg_a_box_z = v[0]*v[4] - a_box_z - v[1]*v[3];
    const double ww_box = v[3]*v[4];
    const double ww_box_2 = v[3]*v[5];
    const double ww_box_3 = v[4]*v[5];
    const double neg_f_box_x = 2.0*neg_a_box_x;
    const double f_box_y = 2.0*a_box_y_2;
    const double neg_f_box_z = 2.0*neg_a_box_z;
    const double n_box_x = 0.008333333333333325*ww_box_3;
    const double neg_n_box_y = 0.019999999999999997*ww_box_2;
    const double n_box_z = 0.011666666666666672*ww_box;

    /* row 5 */
    const double D_5 = 0.04166666666666667 + d[5];
    const double iD_5 = 1.0/D_5;
    iD[5] = iD_5;

    /* row 4 */
    const double D_4 = 0.03333333333333335 + d[4];
    const double iD_4 = 1.0/D_4;
    iD[4] = iD_4;

    /* row 3 */
    const double D_3 = 0.021666666666666674 + d[3];
    const double iD_3 = 1.0/D_3;
    iD[3] = iD_3;

    /* row 2 */
    const double D_2 = 2.0 + d[2];
    const double iD_2 = 1.0/D_2;
    iD[2] = iD_2;

    /* row 1 */
    const double D_1 = 2.0 + d[1];
    const double iD_1 = 1.0/D_1;
    iD[1] = iD_1;

    /* row 0 */
    const double D_0 = 2.0 + d[0];
    const double iD_0 = 1.0/D_0;
    iD[0] = iD_0;
    const double r = tau[0] + neg_f_box_x;
    z[0] = r;
    const double r_2 = tau[1] - f_box_y;
    z[1] = r_2;
    const double r_3 = tau[2] + neg_f_box_z;
    z[2] = r_3;
    const double r_4 = tau[3] - n_box_x;
    z[3] = r_4;
    const double r_5 = tau[4] + neg_n_box_y;
    z[4] = r_5;
    const double r_6 = tau[5] - n_box_z;
    z[5] = r_6;
}

/* Acceleration from z = 1/D (L'^-1 (tau - h) + y f). No operations. */
void box_on_plane_contact_finish(const double *restrict q, const double *restrict L, const double *restrict z,
    double *restrict a)
{
    (void)q;
    (void)L;
    a[0] = z[0];
    a[1] = z[1];
    a[2] = z[2];
    a[3] = z[3];
    a[4] = z[4];
    a[5] = z[5];
}

/* Momentum and inertia of each tree as one body, at its root. 6 mul. */
void box_on_plane_root_terms(const double *restrict q, const double *restrict v, double *restrict h,
    double *restrict M)
{
    (void)q;
    for (int i = 0; i < 36; i++) M[i] = 0.0;
    M[0] = 2.0;
    M[7] = 2.0;
    M[14] = 2.0;
    M[21] = 0.021666666666666674;
    M[28] = 0.03333333333333335;
    M[35] = 0.04166666666666667;
    const double P_box_x = 2.0*v[0];
    h[0] = P_box_x;
    const double P_box_y = 2.0*v[1];
    h[1] = P_box_y;
    const double P_box_z = 2.0*v[2];
    h[2] = P_box_z;
    const double L_box_x = 0.021666666666666674*v[3];
    h[3] = L_box_x;
    const double L_box_y = 0.03333333333333335*v[4];
    h[4] = L_box_y;
    const double L_box_z = 0.04166666666666667*v[5];
    h[5] = L_box_z;
}

