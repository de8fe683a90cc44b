/* two_hulls: torques and energies by inertial parameters.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * R, p: pose in the parent or, where poses are asked for, in the world
 */

#include "two_hulls_model.h"
#include <math.h>
#include "kinegen/linear/real.h"

/* What is defined and called here, as two_hulls.h declares it. */
void two_hulls_energy_regressor(const double *q, const double *v, double *Y_energy);
void two_hulls_inertial_parameters(const double *q, double *pi);
void two_hulls_rotor_inertias(const double *q, double *armatures);
void two_hulls_torque_regressor(const double *q, const double *v, const double *a, double *Y);
void two_hulls_energy_regressor_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *Y_energy);
void two_hulls_inertial_parameters_batch(long n, const double *q, long q_stride, double *pi);
void two_hulls_rotor_inertias_batch(long n, const double *q, long q_stride, double *armatures);
void two_hulls_torque_regressor_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *Y);

/* Kinetic and potential energy by inertial parameters. 4 mul. */
void two_hulls_energy_regressor(const double *restrict q, const double *restrict v, double *restrict Y_energy)
{
    (void)q;
    for (int i = 0; i < 40; i++) Y_energy[i] = 0.0;
    Y_energy[23] = 9.81;
    Y_energy[33] = 9.81;

    /* right */
    const double Y_energy_0 = 0.5*v[0]*v[0];
    Y_energy[0] = Y_energy_0;
    const double Y_energy_10 = 0.5*v[1]*v[1];
    Y_energy[10] = Y_energy_10;
}

void two_hulls_energy_regressor_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *Y_energy)
{
    for (long i = 0; i < n; i++)
        two_hulls_energy_regressor(q + i*q_stride, v + i*v_stride, Y_energy + i*40);
}

/* Inertial parameters pi of the links: m, m c, I about the origin. No operations. */
void two_hulls_inertial_parameters(const double *restrict q, double *restrict pi)
{
    (void)q;
    for (int i = 0; i < 20; i++) pi[i] = 0.0;
    pi[0] = 1.0;
    pi[10] = 1.0;
}

void two_hulls_inertial_parameters_batch(long n, const double *q, long q_stride, double *pi)
{
    for (long i = 0; i < n; i++)
        two_hulls_inertial_parameters(q + i*q_stride, pi + i*20);
}

/* Armature of every joint. No operations. */
void two_hulls_rotor_inertias(const double *restrict q, double *restrict armatures)
{
    (void)q;
    armatures[0] = 0.0;
    armatures[1] = 0.0;
}

void two_hulls_rotor_inertias_batch(long n, const double *q, long q_stride, double *armatures)
{
    for (long i = 0; i < n; i++)
        two_hulls_rotor_inertias(q + i*q_stride, armatures + i*2);
}

/* Motion axes, frames of the links, their motions. 2 add. */
static void two_hulls_regressor_parts(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict axes, double *restrict frames, double *restrict motions)
{
    (void)v;
    for (int i = 0; i < 18; i++) axes[i] = 0.0;
    for (int i = 0; i < 24; i++) frames[i] = 0.0;
    for (int i = 0; i < 18; i++) motions[i] = 0.0;
    axes[3] = 1.0;
    axes[12] = 1.0;
    frames[1] = 1.0;
    frames[6] = 1.0;
    frames[11] = 1.0;
    frames[13] = 1.0;
    frames[18] = 1.0;
    frames[23] = 1.0;
    motions[8] = 9.81;
    motions[17] = 9.81;
    motions[6] = a[0];
    motions[15] = a[1];

    /* left */
    const double neg_p_left_x = 0.3 - q[0];
    axes[6] = -neg_p_left_x;
    frames[0] = -neg_p_left_x;

    /* right */
    const double p_right_x = 0.3 + q[1];
    axes[15] = p_right_x;
    frames[12] = p_right_x;
}

/* Motion axis k moves dof axis_dof[k]. */
static const int axis_dof[] = {0, 1};
/* The next axis towards the root (-1: none): the paths of the tree. */
static const int axis_above[] = {-1, -1};
/* The motion axis at which the path of link i ends. */
static const int axis_last[] = {0, 1};
/* The link that each motion axis moves. */
static const int axis_link[] = {0, 1};
/* The first link on the path from world to each link. */
static const int link_root[] = {0, 1};
/* One past the last link of each link's subtree. */
static const int link_below[] = {1, 2};

#include "kinegen/tree/torque_regressor.h"

/* Regressor Y: tau = Y pi + armature a, by m, m c, I about the origin of each link. */
void two_hulls_torque_regressor(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict Y)
{
    torque_regressor(0, q, v, a, Y);
}

void two_hulls_torque_regressor_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *Y)
{
    for (long i = 0; i < n; i++)
        two_hulls_torque_regressor(q + i*q_stride, v + i*v_stride, a + i*a_stride, Y + i*40);
}
