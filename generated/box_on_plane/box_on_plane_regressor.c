/* box_on_plane: torques and energies by inertial parameters.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * q2, qq, E: twice a quaternion's entries, their products, its rotation
 */

#include "box_on_plane_model.h"
#include <math.h>
#include "kinegen/linear/real.h"

/* What is defined and called here, as box_on_plane.h declares it. */
void box_on_plane_energy_regressor(const double *q, const double *v, double *Y_energy);
void box_on_plane_inertial_parameters(const double *q, double *pi);
void box_on_plane_rotor_inertias(const double *q, double *armatures);
void box_on_plane_torque_regressor(const double *q, const double *v, const double *a, double *Y);
void box_on_plane_energy_regressor_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *Y_energy);
void box_on_plane_inertial_parameters_batch(long n, const double *q, long q_stride, double *pi);
void box_on_plane_rotor_inertias_batch(long n, const double *q, long q_stride, double *armatures);
void box_on_plane_torque_regressor_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *Y);

/* Kinetic and potential energy by inertial parameters. 34 mul, 9 add. */
void box_on_plane_energy_regressor(const double *restrict q, const double *restrict v, double *restrict Y_energy)
{
    Y_energy[14] = 0.0;
    Y_energy[15] = 0.0;
    Y_energy[16] = 0.0;
    Y_energy[17] = 0.0;
    Y_energy[18] = 0.0;
    Y_energy[19] = 0.0;

    /* box */
    const double q2_box = 2.0*q[3];
    const double q2_box_2 = 2.0*q[4];
    const double q2_box_3 = 2.0*q[5];
    const double qq_box = q[3]*q2_box;
    const double qq_box_2 = q[4]*q2_box_2;
    const double qq_box_3 = q[3]*q2_box_3;
    const double qq_box_4 = q[4]*q2_box_3;
    const double qq_box_5 = q[6]*q2_box;
    const double qq_box_6 = q[6]*q2_box_2;
    const double E_box_zx = qq_box_3 - qq_box_6;
    const double E_box_zy = qq_box_4 + qq_box_5;
    const double E_box_zz = 1.0 - qq_box - qq_box_2;
    const double Y_energy_0 = 0.5*v[0]*v[0] + 0.5*v[1]*v[1] + 0.5*v[2]*v[2];
    Y_energy[0] = Y_energy_0;
    const double Y_energy_1 = v[1]*v[5] - v[2]*v[4];
    Y_energy[1] = Y_energy_1;
    const double neg_Y_energy_2 = v[0]*v[5] - v[2]*v[3];
    Y_energy[2] = -neg_Y_energy_2;
    const double Y_energy_3 = v[0]*v[4] - v[1]*v[3];
    Y_energy[3] = Y_energy_3;
    const double Y_energy_4 = 0.5*v[3]*v[3];
    Y_energy[4] = Y_energy_4;
    const double Y_energy_5 = v[3]*v[4];
    Y_energy[5] = Y_energy_5;
    const double Y_energy_6 = 0.5*v[4]*v[4];
    Y_energy[6] = Y_energy_6;
    const double Y_energy_7 = v[3]*v[5];
    Y_energy[7] = Y_energy_7;
    const double Y_energy_8 = v[4]*v[5];
    Y_energy[8] = Y_energy_8;
    const double Y_energy_9 = 0.5*v[5]*v[5];
    Y_energy[9] = Y_energy_9;
    const double Y_energy_10 = 9.81*q[2];
    Y_energy[10] = Y_energy_10;
    const double Y_energy_11 = 9.81*E_box_zx;
    Y_energy[11] = Y_energy_11;
    const double Y_energy_12 = 9.81*E_box_zy;
    Y_energy[12] = Y_energy_12;
    const double Y_energy_13 = 9.81*E_box_zz;
    Y_energy[13] = Y_energy_13;
}

void box_on_plane_energy_regressor_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *Y_energy)
{
    for (long i = 0; i < n; i++)
        box_on_plane_energy_regressor(q + i*q_stride, v + i*v_stride, Y_energy + i*20);
}

/* Inertial parameters pi of the links: m, m c, I about the origin. No operations. */
void box_on_plane_inertial_parameters(const double *restrict q, double *restrict pi)
{
    (void)q;
    pi[0] = 2.0;
    pi[1] = 0.0;
    pi[2] = 0.0;
    pi[3] = 0.0;
    pi[4] = 0.021666666666666667;
    pi[5] = 0.0;
    pi[6] = 0.03333333333333334;
    pi[7] = 0.0;
    pi[8] = 0.0;
    pi[9] = 0.041666666666666664;
}

void box_on_plane_inertial_parameters_batch(long n, const double *q, long q_stride, double *pi)
{
    for (long i = 0; i < n; i++)
        box_on_plane_inertial_parameters(q + i*q_stride, pi + i*10);
}

/* Armature of every joint. No operations. */
void box_on_plane_rotor_inertias(const double *restrict q, double *restrict armatures)
{
    (void)q;
    armatures[0] = 0.0;
    armatures[1] = 0.0;
    armatures[2] = 0.0;
    armatures[3] = 0.0;
    armatures[4] = 0.0;
    armatures[5] = 0.0;
}

void box_on_plane_rotor_inertias_batch(long n, const double *q, long q_stride, double *armatures)
{
    for (long i = 0; i < n; i++)
        box_on_plane_rotor_inertias(q + i*q_stride, armatures + i*6);
}

/* Motion axes, frames of the links, their motions. 21 mul, 21 add. */
static void box_on_plane_regressor_parts(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict axes, double *restrict frames, double *restrict motions)
{
    kg_zeros(3, axes); kg_zeros(3, axes + 9); kg_zeros(3, axes + 18); kg_zeros(3, axes + 30);
    kg_zeros(3, axes + 39); kg_zeros(3, axes + 48);
    axes[6] = q[0];
    axes[15] = q[0];
    axes[24] = q[0];
    axes[33] = q[0];
    axes[42] = q[0];
    axes[51] = q[0];
    frames[0] = q[0];
    axes[7] = q[1];
    axes[16] = q[1];
    axes[25] = q[1];
    axes[34] = q[1];
    axes[43] = q[1];
    axes[52] = q[1];
    frames[4] = q[1];
    axes[8] = q[2];
    axes[17] = q[2];
    axes[26] = q[2];
    axes[35] = q[2];
    axes[44] = q[2];
    axes[53] = q[2];
    frames[8] = q[2];
    motions[0] = v[3];
    motions[1] = v[4];
    motions[2] = v[5];
    motions[3] = a[3];
    motions[4] = a[4];
    motions[5] = a[5];

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
    frames[1] = E_box_xx;
    const double E_box_xy = qq_box_4 - qq_box_9;
    axes[12] = E_box_xy;
    axes[36] = E_box_xy;
    frames[2] = E_box_xy;
    const double E_box_xz = qq_box_5 + qq_box_8;
    axes[21] = E_box_xz;
    axes[45] = E_box_xz;
    frames[3] = E_box_xz;
    const double E_box_yx = qq_box_4 + qq_box_9;
    axes[4] = E_box_yx;
    axes[28] = E_box_yx;
    frames[5] = E_box_yx;
    const double E_box_yy = 1.0 - qq_box - qq_box_3;
    axes[13] = E_box_yy;
    axes[37] = E_box_yy;
    frames[6] = E_box_yy;
    const double E_box_yz = qq_box_6 - qq_box_7;
    axes[22] = E_box_yz;
    axes[46] = E_box_yz;
    frames[7] = E_box_yz;
    const double E_box_zx = qq_box_5 - qq_box_8;
    axes[5] = E_box_zx;
    axes[29] = E_box_zx;
    frames[9] = E_box_zx;
    const double E_box_zy = qq_box_6 + qq_box_7;
    axes[14] = E_box_zy;
    axes[38] = E_box_zy;
    frames[10] = E_box_zy;
    const double E_box_zz = 1.0 - qq_box - qq_box_2;
    axes[23] = E_box_zz;
    axes[47] = E_box_zz;
    frames[11] = E_box_zz;
    const double a_box_x = 9.81*E_box_zx;
    const double a_box_y = 9.81*E_box_zy;
    const double a_box_z = 9.81*E_box_zz;
    const double neg_a_box_x = v[1]*v[5] - a_box_x - a[0] - v[2]*v[4];
    motions[6] = -neg_a_box_x;
    const double a_box_y_2 = a_box_y + a[1] + v[0]*v[5] - v[2]*v[3];
    motions[7] = a_box_y_2;
    const double neg_a_box_z = v[0]*v[4] - a_box_z - a[2] - v[1]*v[3];
    motions[8] = -neg_a_box_z;
}

/* Motion axis k moves dof axis_dof[k]. */
static const int axis_dof[] = {0, 1, 2, 3, 4, 5};
/* The next axis towards the root (-1: none): the paths of the tree. */
static const int axis_above[] = {-1, 0, 1, 2, 3, 4};
/* The motion axis at which the path of link i ends. */
static const int axis_last[] = {5};
/* The link that each motion axis moves. */
static const int axis_link[] = {0, 0, 0, 0, 0, 0};
/* The first link on the path from world to each link. */
static const int link_root[] = {0};
/* One past the last link of each link's subtree. */
static const int link_below[] = {1};

#include "kinegen/tree/torque_regressor.h"

/* Regressor Y: tau = Y pi + armature a, by m, m c, I about the origin of each link. */
void box_on_plane_torque_regressor(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict Y)
{
    torque_regressor(0, q, v, a, Y);
}

void box_on_plane_torque_regressor_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *Y)
{
    for (long i = 0; i < n; i++)
        box_on_plane_torque_regressor(q + i*q_stride, v + i*v_stride, a + i*a_stride, Y + i*60);
}
