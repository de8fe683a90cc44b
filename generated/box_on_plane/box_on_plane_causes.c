/* box_on_plane: torque by cause.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * q2, qq, E: twice a quaternion's entries, their products, its rotation
 * RI, Iw: R I; inertia in world axes, or I w
 */

#include "box_on_plane_model.h"
#include <math.h>
#include "kinegen/linear/real.h"

/* What is defined and called here, as box_on_plane.h declares it. */
void box_on_plane_torque_terms(const double *q, const double *v, const double *a, double *terms);
void box_on_plane_torque_terms_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *terms);

/* Axes, mass centres, inertias and accelerations of the velocities, world axes. 54 mul, 33 add. */
static void box_on_plane_cause_parts(const double *restrict q, const double *restrict v, double *restrict axes,
    double *restrict rotors, double *restrict centers, double *restrict inertias, double *restrict masses,
    double *restrict drift)
{
    kg_zeros(3, axes); kg_zeros(3, axes + 9); kg_zeros(3, axes + 18); kg_zeros(3, axes + 30);
    kg_zeros(3, axes + 39); kg_zeros(3, axes + 48);
    rotors[0] = 0.0;
    rotors[1] = 0.0;
    rotors[2] = 0.0;
    rotors[3] = 0.0;
    rotors[4] = 0.0;
    rotors[5] = 0.0;
    masses[0] = 2.0;
    drift[3] = 0.0;
    drift[4] = 0.0;
    drift[5] = 0.0;
    axes[6] = q[0];
    axes[15] = q[0];
    axes[24] = q[0];
    axes[33] = q[0];
    axes[42] = q[0];
    axes[51] = q[0];
    centers[0] = q[0];
    axes[7] = q[1];
    axes[16] = q[1];
    axes[25] = q[1];
    axes[34] = q[1];
    axes[43] = q[1];
    axes[52] = q[1];
    centers[1] = q[1];
    axes[8] = q[2];
    axes[17] = q[2];
    axes[26] = q[2];
    axes[35] = q[2];
    axes[44] = q[2];
    axes[53] = q[2];
    centers[2] = q[2];

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
    axes[3] = E_box_xx;
    axes[27] = E_box_xx;
    const double E_box_xy = qq_box_4 - qq_box_9;
    axes[12] = E_box_xy;
    axes[36] = E_box_xy;
    const double E_box_xz = qq_box_5 + qq_box_8;
    axes[21] = E_box_xz;
    axes[45] = E_box_xz;
    const double E_box_yx = qq_box_4 + qq_box_9;
    axes[4] = E_box_yx;
    axes[28] = E_box_yx;
    const double E_box_yy = 1.0 - qq_box - qq_box_3;
    axes[13] = E_box_yy;
    axes[37] = E_box_yy;
    const double E_box_yz = qq_box_6 - qq_box_7;
    axes[22] = E_box_yz;
    axes[46] = E_box_yz;
    const double E_box_zx = qq_box_5 - qq_box_8;
    axes[5] = E_box_zx;
    axes[29] = E_box_zx;
    const double E_box_zy = qq_box_6 + qq_box_7;
    axes[14] = E_box_zy;
    axes[38] = E_box_zy;
    const double E_box_zz = 1.0 - qq_box - qq_box_2;
    axes[23] = E_box_zz;
    axes[47] = E_box_zz;
    const double RI_box_xx = 0.021666666666666667*E_box_xx;
    const double RI_box_xy = 0.03333333333333334*E_box_xy;
    const double RI_box_xz = 0.041666666666666664*E_box_xz;
    const double RI_box_yx = 0.021666666666666667*E_box_yx;
    const double RI_box_yy = 0.03333333333333334*E_box_yy;
    const double RI_box_yz = 0.041666666666666664*E_box_yz;
    const double RI_box_zx = 0.021666666666666667*E_box_zx;
    const double RI_box_zy = 0.03333333333333334*E_box_zy;
    const double RI_box_zz = 0.041666666666666664*E_box_zz;
    const double Iw_box_xx = E_box_xx*RI_box_xx + E_box_xy*RI_box_xy + E_box_xz*RI_box_xz;
    inertias[0] = Iw_box_xx;
    const double Iw_box_xy = E_box_yx*RI_box_xx + E_box_yy*RI_box_xy + E_box_yz*RI_box_xz;
    inertias[1] = Iw_box_xy;
    inertias[3] = Iw_box_xy;
    const double Iw_box_xz = E_box_zx*RI_box_xx + E_box_zy*RI_box_xy + E_box_zz*RI_box_xz;
    inertias[2] = Iw_box_xz;
    inertias[6] = Iw_box_xz;
    const double Iw_box_yy = E_box_yx*RI_box_yx + E_box_yy*RI_box_yy + E_box_yz*RI_box_yz;
    inertias[4] = Iw_box_yy;
    const double Iw_box_yz = E_box_zx*RI_box_yx + E_box_zy*RI_box_yy + E_box_zz*RI_box_yz;
    inertias[5] = Iw_box_yz;
    inertias[7] = Iw_box_yz;
    const double Iw_box_zz = E_box_zx*RI_box_zx + E_box_zy*RI_box_zy + E_box_zz*RI_box_zz;
    inertias[8] = Iw_box_zz;
    const double neg_a_box_x = v[1]*v[5] - v[2]*v[4];
    const double a_box_y = v[0]*v[5] - v[2]*v[3];
    const double neg_a_box_z = v[0]*v[4] - v[1]*v[3];
    const double neg_drift_0 = E_box_xx*neg_a_box_x + E_box_xz*neg_a_box_z - E_box_xy*a_box_y;
    drift[0] = -neg_drift_0;
    const double neg_drift_1 = E_box_yx*neg_a_box_x + E_box_yz*neg_a_box_z - E_box_yy*a_box_y;
    drift[1] = -neg_drift_1;
    const double neg_drift_2 = E_box_zx*neg_a_box_x + E_box_zz*neg_a_box_z - E_box_zy*a_box_y;
    drift[2] = -neg_drift_2;
}

/* Acceleration of gravity, world axes. No operations. */
static void box_on_plane_gravity_vector(const double *restrict q, double *restrict g)
{
    (void)q;
    g[0] = 0.0;
    g[1] = 0.0;
    g[2] = -9.81;
}

/* Motion axis k moves dof axis_dof[k]. */
static const int axis_dof[] = {0, 1, 2, 3, 4, 5};
/* The next axis towards the root (-1: none): the paths of the tree. */
static const int axis_above[] = {-1, 0, 1, 2, 3, 4};
/* The motion axis at which the path of link i ends. */
static const int axis_last[] = {5};
/* The link that each motion axis moves. */
static const int axis_link[] = {0, 0, 0, 0, 0, 0};
/* One past the last link of each link's subtree. */
static const int link_below[] = {1};

#include "kinegen/tree/torque_terms.h"

/* Torque of every dof by link and cause: acceleration, centrifugal and Coriolis, gravity. */
void box_on_plane_torque_terms(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict terms)
{
    torque_terms(0, q, v, a, terms);
}

void box_on_plane_torque_terms_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *terms)
{
    for (long i = 0; i < n; i++)
        box_on_plane_torque_terms(q + i*q_stride, v + i*v_stride, a + i*a_stride, terms + i*18);
}
