/* spherical_pendulum: torque by cause.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * ww: products of entries of w
 * U: [dw]x + [w]x[w]x
 * q2, qq, E: twice a quaternion's entries, their products, its rotation
 * RI, Iw: R I; inertia in world axes, or I w
 */

#include "spherical_pendulum_model.h"
#include <math.h>
#include "kinegen/linear/real.h"

/* What is defined and called here, as spherical_pendulum.h declares it. */
void spherical_pendulum_torque_terms(const double *q, const double *v, const double *a, double *terms);
void spherical_pendulum_torque_terms_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *terms);

/* Axes, mass centres, inertias and accelerations of the velocities, world axes. 52 mul, 31 add. */
static void spherical_pendulum_cause_parts(const double *restrict q, const double *restrict v, double *restrict axes,
    double *restrict rotors, double *restrict centers, double *restrict inertias, double *restrict masses,
    double *restrict drift)
{
    for (int i = 0; i < 27; i++) axes[i] = 0.0;
    rotors[0] = 0.0;
    rotors[1] = 0.0;
    rotors[2] = 0.0;
    masses[0] = 0.5;
    drift[3] = 0.0;
    drift[4] = 0.0;
    drift[5] = 0.0;

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
    const double E_ball_xy = qq_ball_4 - qq_ball_9;
    axes[9] = E_ball_xy;
    const double E_ball_xz = qq_ball_5 + qq_ball_8;
    axes[18] = E_ball_xz;
    centers[0] = -E_ball_xz;
    const double E_ball_yx = qq_ball_4 + qq_ball_9;
    axes[1] = E_ball_yx;
    const double E_ball_yy = 1.0 - qq_ball - qq_ball_3;
    axes[10] = E_ball_yy;
    const double E_ball_yz = qq_ball_6 - qq_ball_7;
    axes[19] = E_ball_yz;
    centers[1] = -E_ball_yz;
    const double E_ball_zx = qq_ball_5 - qq_ball_8;
    axes[2] = E_ball_zx;
    const double E_ball_zy = qq_ball_6 + qq_ball_7;
    axes[11] = E_ball_zy;
    const double E_ball_zz = 1.0 - qq_ball - qq_ball_2;
    axes[20] = E_ball_zz;
    centers[2] = -E_ball_zz;
    const double RI_ball_xx = 0.0020000000000000005*E_ball_xx;
    const double RI_ball_xy = 0.0020000000000000005*E_ball_xy;
    const double RI_ball_xz = 0.0020000000000000005*E_ball_xz;
    const double RI_ball_yx = 0.0020000000000000005*E_ball_yx;
    const double RI_ball_yy = 0.0020000000000000005*E_ball_yy;
    const double RI_ball_yz = 0.0020000000000000005*E_ball_yz;
    const double RI_ball_zx = 0.0020000000000000005*E_ball_zx;
    const double RI_ball_zy = 0.0020000000000000005*E_ball_zy;
    const double RI_ball_zz = 0.0020000000000000005*E_ball_zz;
    const double Iw_ball_xx = E_ball_xx*RI_ball_xx + E_ball_xy*RI_ball_xy + E_ball_xz*RI_ball_xz;
    inertias[0] = Iw_ball_xx;
    const double Iw_ball_xy = E_ball_yx*RI_ball_xx + E_ball_yy*RI_ball_xy + E_ball_yz*RI_ball_xz;
    inertias[1] = Iw_ball_xy;
    inertias[3] = Iw_ball_xy;
    const double Iw_ball_xz = E_ball_zx*RI_ball_xx + E_ball_zy*RI_ball_xy + E_ball_zz*RI_ball_xz;
    inertias[2] = Iw_ball_xz;
    inertias[6] = Iw_ball_xz;
    const double Iw_ball_yy = E_ball_yx*RI_ball_yx + E_ball_yy*RI_ball_yy + E_ball_yz*RI_ball_yz;
    inertias[4] = Iw_ball_yy;
    const double Iw_ball_yz = E_ball_zx*RI_ball_yx + E_ball_zy*RI_ball_yy + E_ball_zz*RI_ball_yz;
    inertias[5] = Iw_ball_yz;
    inertias[7] = Iw_ball_yz;
    const double Iw_ball_zz = E_ball_zx*RI_ball_zx + E_ball_zy*RI_ball_zy + E_ball_zz*RI_ball_zz;
    inertias[8] = Iw_ball_zz;
    const double ww_ball = v[0]*v[0];
    const double ww_ball_2 = v[1]*v[1];
    const double ww_ball_3 = v[0]*v[2];
    const double ww_ball_4 = v[1]*v[2];
    const double neg_U_ball_zz = ww_ball + ww_ball_2;
    const double neg_drift_0 = E_ball_xx*ww_ball_3 + E_ball_xy*ww_ball_4 - E_ball_xz*neg_U_ball_zz;
    drift[0] = -neg_drift_0;
    const double neg_drift_1 = E_ball_yx*ww_ball_3 + E_ball_yy*ww_ball_4 - E_ball_yz*neg_U_ball_zz;
    drift[1] = -neg_drift_1;
    const double neg_drift_2 = E_ball_zx*ww_ball_3 + E_ball_zy*ww_ball_4 - E_ball_zz*neg_U_ball_zz;
    drift[2] = -neg_drift_2;
}

/* Acceleration of gravity, world axes. No operations. */
static void spherical_pendulum_gravity_vector(const double *restrict q, double *restrict g)
{
    (void)q;
    g[0] = 0.0;
    g[1] = 0.0;
    g[2] = -9.81;
}

/* Motion axis k moves dof axis_dof[k]. */
static const int axis_dof[] = {0, 1, 2};
/* The next axis towards the root (-1: none): the paths of the tree. */
static const int axis_above[] = {-1, 0, 1};
/* The motion axis at which the path of link i ends. */
static const int axis_last[] = {2};
/* The link that each motion axis moves. */
static const int axis_link[] = {0, 0, 0};
/* One past the last link of each link's subtree. */
static const int link_below[] = {1};

#include "kinegen/tree/torque_terms.h"

/* Torque of every dof by link and cause: acceleration, centrifugal and Coriolis, gravity. */
void spherical_pendulum_torque_terms(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict terms)
{
    torque_terms(0, q, v, a, terms);
}

void spherical_pendulum_torque_terms_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *terms)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_torque_terms(q + i*q_stride, v + i*v_stride, a + i*a_stride, terms + i*9);
}
