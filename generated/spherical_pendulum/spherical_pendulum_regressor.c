/* spherical_pendulum: torques and energies by inertial parameters.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * q2, qq, E: twice a quaternion's entries, their products, its rotation
 */

#include "spherical_pendulum_model.h"
#include <math.h>
#include "kinegen/linear/real.h"

/* What is defined and called here, as spherical_pendulum.h declares it. */
void spherical_pendulum_energy_regressor(const double *q, const double *v, double *Y_energy);
void spherical_pendulum_inertial_parameters(const double *q, double *pi);
void spherical_pendulum_rotor_inertias(const double *q, double *armatures);
void spherical_pendulum_torque_regressor(const double *q, const double *v, const double *a, double *Y);
void spherical_pendulum_energy_regressor_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, double *Y_energy);
void spherical_pendulum_inertial_parameters_batch(long n, const double *q, long q_stride, double *pi);
void spherical_pendulum_rotor_inertias_batch(long n, const double *q, long q_stride, double *armatures);
void spherical_pendulum_torque_regressor_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *Y);

/* Kinetic and potential energy by inertial parameters. 21 mul, 4 add. */
void spherical_pendulum_energy_regressor(const double *restrict q, const double *restrict v,
    double *restrict Y_energy)
{
    for (int i = 0; i < 20; i++) Y_energy[i] = 0.0;

    /* ball */
    const double q2_ball = 2.0*q[0];
    const double q2_ball_2 = 2.0*q[1];
    const double q2_ball_3 = 2.0*q[2];
    const double qq_ball = q[0]*q2_ball;
    const double qq_ball_2 = q[1]*q2_ball_2;
    const double qq_ball_3 = q[0]*q2_ball_3;
    const double qq_ball_4 = q[1]*q2_ball_3;
    const double qq_ball_5 = q[3]*q2_ball;
    const double qq_ball_6 = q[3]*q2_ball_2;
    const double E_ball_zx = qq_ball_3 - qq_ball_6;
    const double E_ball_zy = qq_ball_4 + qq_ball_5;
    const double E_ball_zz = 1.0 - qq_ball - qq_ball_2;
    const double Y_energy_4 = 0.5*v[0]*v[0];
    Y_energy[4] = Y_energy_4;
    const double Y_energy_5 = v[0]*v[1];
    Y_energy[5] = Y_energy_5;
    const double Y_energy_6 = 0.5*v[1]*v[1];
    Y_energy[6] = Y_energy_6;
    const double Y_energy_7 = v[0]*v[2];
    Y_energy[7] = Y_energy_7;
    const double Y_energy_8 = v[1]*v[2];
    Y_energy[8] = Y_energy_8;
    const double Y_energy_9 = 0.5*v[2]*v[2];
    Y_energy[9] = Y_energy_9;
    const double Y_energy_11 = 9.81*E_ball_zx;
    Y_energy[11] = Y_energy_11;
    const double Y_energy_12 = 9.81*E_ball_zy;
    Y_energy[12] = Y_energy_12;
    const double Y_energy_13 = 9.81*E_ball_zz;
    Y_energy[13] = Y_energy_13;
}

void spherical_pendulum_energy_regressor_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, double *Y_energy)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_energy_regressor(q + i*q_stride, v + i*v_stride, Y_energy + i*20);
}

/* Inertial parameters pi of the links: m, m c, I about the origin. No operations. */
void spherical_pendulum_inertial_parameters(const double *restrict q, double *restrict pi)
{
    (void)q;
    pi[0] = 0.5;
    pi[1] = 0.0;
    pi[2] = 0.0;
    pi[3] = -0.5;
    pi[4] = 0.502;
    pi[5] = 0.0;
    pi[6] = 0.502;
    pi[7] = 0.0;
    pi[8] = 0.0;
    pi[9] = 0.0020000000000000005;
}

void spherical_pendulum_inertial_parameters_batch(long n, const double *q, long q_stride, double *pi)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_inertial_parameters(q + i*q_stride, pi + i*10);
}

/* Armature of every joint. No operations. */
void spherical_pendulum_rotor_inertias(const double *restrict q, double *restrict armatures)
{
    (void)q;
    armatures[0] = 0.0;
    armatures[1] = 0.0;
    armatures[2] = 0.0;
}

void spherical_pendulum_rotor_inertias_batch(long n, const double *q, long q_stride, double *armatures)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_rotor_inertias(q + i*q_stride, armatures + i*3);
}

/* Motion axes, frames of the links, their motions. 15 mul, 12 add. */
static void spherical_pendulum_regressor_parts(const double *restrict q, const double *restrict v,
    const double *restrict a,
    double *restrict axes, double *restrict frames, double *restrict motions)
{
    for (int i = 0; i < 27; i++) axes[i] = 0.0;
    frames[0] = 0.0;
    frames[4] = 0.0;
    frames[8] = 0.0;
    motions[0] = v[0];
    motions[1] = v[1];
    motions[2] = v[2];
    motions[3] = a[0];
    motions[4] = a[1];
    motions[5] = a[2];

    /* ball */
    const double q2_ball = 2.0*q[0];
    const double q2_ball_2 = 2.0*q[1];
    const double q2_ball_3 = 2.0*q[2];
    const double qq_ball = q[0]*q2_ball;
    const double qq_ball_2 = q[1]*q2_ball_2;
    const double qq_ball_3 = q[2]*q2_ball_3;
    const double qq_ball_4 = q[0]*q2_ball_2;
    const double qq_ball_5 = q[0]*q2_ball_3;
    const double qq_ball_6 = q[1]*q2_ball_3;
    const double qq_ball_7 = q[3]*q2_ball;
    const double qq_ball_8 = q[3]*q2_ball_2;
    const double qq_ball_9 = q[3]*q2_ball_3;
    const double E_ball_xx = 1.0 - qq_ball_2 - qq_ball_3;
    axes[0] = E_ball_xx;
    frames[1] = E_ball_xx;
    const double E_ball_xy = qq_ball_4 - qq_ball_9;
    axes[9] = E_ball_xy;
    frames[2] = E_ball_xy;
    const double E_ball_xz = qq_ball_5 + qq_ball_8;
    axes[18] = E_ball_xz;
    frames[3] = E_ball_xz;
    const double E_ball_yx = qq_ball_4 + qq_ball_9;
    axes[1] = E_ball_yx;
    frames[5] = E_ball_yx;
    const double E_ball_yy = 1.0 - qq_ball - qq_ball_3;
    axes[10] = E_ball_yy;
    frames[6] = E_ball_yy;
    const double E_ball_yz = qq_ball_6 - qq_ball_7;
    axes[19] = E_ball_yz;
    frames[7] = E_ball_yz;
    const double E_ball_zx = qq_ball_5 - qq_ball_8;
    axes[2] = E_ball_zx;
    frames[9] = E_ball_zx;
    const double E_ball_zy = qq_ball_6 + qq_ball_7;
    axes[11] = E_ball_zy;
    frames[10] = E_ball_zy;
    const double E_ball_zz = 1.0 - qq_ball - qq_ball_2;
    axes[20] = E_ball_zz;
    frames[11] = E_ball_zz;
    const double a_ball_x = 9.81*E_ball_zx;
    motions[6] = a_ball_x;
    const double a_ball_y = 9.81*E_ball_zy;
    motions[7] = a_ball_y;
    const double a_ball_z = 9.81*E_ball_zz;
    motions[8] = a_ball_z;
}

/* Motion axis k moves dof axis_dof[k]. */
static const int axis_dof[] = {0, 1, 2};
/* The next axis towards the root (-1: none): the paths of the tree. */
static const int axis_above[] = {-1, 0, 1};
/* The motion axis at which the path of link i ends. */
static const int axis_last[] = {2};
/* The link that each motion axis moves. */
static const int axis_link[] = {0, 0, 0};
/* The first link on the path from world to each link. */
static const int link_root[] = {0};
/* One past the last link of each link's subtree. */
static const int link_below[] = {1};

#include "kinegen/tree/torque_regressor.h"

/* Regressor Y: tau = Y pi + armature a, by m, m c, I about the origin of each link. */
void spherical_pendulum_torque_regressor(const double *restrict q, const double *restrict v,
    const double *restrict a, double *restrict Y)
{
    torque_regressor(0, q, v, a, Y);
}

void spherical_pendulum_torque_regressor_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *Y)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_torque_regressor(q + i*q_stride, v + i*v_stride, a + i*a_stride, Y + i*30);
}
