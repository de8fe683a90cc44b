/* two_hulls: torque by cause.
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
void two_hulls_torque_terms(const double *q, const double *v, const double *a, double *terms);
void two_hulls_torque_terms_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *terms);

/* Axes, mass centres, inertias and accelerations of the velocities, world axes. 2 add. */
static void two_hulls_cause_parts(const double *restrict q, const double *restrict v, double *restrict axes,
    double *restrict rotors, double *restrict centers, double *restrict inertias, double *restrict masses,
    double *restrict drift)
{
    (void)v;
    for (int i = 0; i < 18; i++) axes[i] = 0.0;
    for (int i = 0; i < 18; i++) inertias[i] = 0.0;
    for (int i = 0; i < 12; i++) drift[i] = 0.0;
    axes[3] = 1.0;
    axes[12] = 1.0;
    rotors[0] = 0.0;
    rotors[1] = 0.0;
    centers[1] = 0.0;
    centers[2] = 0.0;
    centers[4] = 0.0;
    centers[5] = 0.0;
    masses[0] = 1.0;
    masses[1] = 1.0;

    /* left */
    const double neg_p_left_x = 0.3 - q[0];
    axes[6] = -neg_p_left_x;
    centers[0] = -neg_p_left_x;

    /* right */
    const double p_right_x = 0.3 + q[1];
    axes[15] = p_right_x;
    centers[3] = p_right_x;
}

/* Acceleration of gravity, world axes. No operations. */
static void two_hulls_gravity_vector(const double *restrict q, double *restrict g)
{
    (void)q;
    g[0] = 0.0;
    g[1] = 0.0;
    g[2] = -9.81;
}

/* Motion axis k moves dof axis_dof[k]. */
static const int axis_dof[] = {0, 1};
/* The next axis towards the root (-1: none): the paths of the tree. */
static const int axis_above[] = {-1, -1};
/* The motion axis at which the path of link i ends. */
static const int axis_last[] = {0, 1};
/* The link that each motion axis moves. */
static const int axis_link[] = {0, 1};
/* One past the last link of each link's subtree. */
static const int link_below[] = {1, 2};

#include "kinegen/tree/torque_terms.h"

/* Torque of every dof by link and cause: acceleration, centrifugal and Coriolis, gravity. */
void two_hulls_torque_terms(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict terms)
{
    torque_terms(0, q, v, a, terms);
}

void two_hulls_torque_terms_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *terms)
{
    for (long i = 0; i < n; i++)
        two_hulls_torque_terms(q + i*q_stride, v + i*v_stride, a + i*a_stride, terms + i*12);
}
