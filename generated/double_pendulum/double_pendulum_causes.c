/* double_pendulum: torque by cause.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * R, p: pose in the parent or, where poses are asked for, in the world
 * w, wp: angular velocity; that of the parent in the link's axes
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * ww: products of entries of w
 * pG, vG, aG, Gx, ddq: centre of mass: position, velocity, acceleration; its part by joint accelerations
 * RI, Iw: R I; inertia in world axes, or I w
 */

#include "double_pendulum_model.h"
#include "kinegen/linear/sincos.h"

/* What is defined and called here, as double_pendulum.h declares it. */
void double_pendulum_torque_terms(const double *q, const double *v, const double *a, double *terms);
void double_pendulum_torque_terms_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *terms);

/* Axes, mass centres, inertias and accelerations of the velocities, world axes. 33 mul, 8 add, 2 sincos. */
static void double_pendulum_cause_parts(const double *restrict q, const double *restrict v, double *restrict axes,
    double *restrict rotors, double *restrict centers, double *restrict inertias, double *restrict masses,
    double *restrict drift)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q, s, c);
    for (int i = 0; i < 18; i++) axes[i] = 0.0;
    axes[1] = 1.0;
    axes[10] = 1.0;
    rotors[0] = 0.0;
    rotors[1] = 0.0;
    centers[1] = 0.0;
    centers[4] = 0.0;
    inertias[1] = 0.0;
    inertias[3] = 0.0;
    inertias[4] = 0.020833333333333332;
    inertias[5] = 0.0;
    inertias[7] = 0.0;
    inertias[10] = 0.0;
    inertias[12] = 0.0;
    inertias[13] = 0.020833333333333332;
    inertias[14] = 0.0;
    inertias[16] = 0.0;
    masses[0] = 1.0;
    masses[1] = 1.0;
    drift[1] = 0.0;
    drift[3] = 0.0;
    drift[4] = 0.0;
    drift[5] = 0.0;
    drift[7] = 0.0;
    drift[9] = 0.0;
    drift[10] = 0.0;
    drift[11] = 0.0;

    /* lower */
    const double R_lower_xx = s[0]*c[1] + c[0]*s[1];
    const double neg_R_lower_xy = s[0]*s[1] - c[0]*c[1];
    const double neg_p_lower_x = 0.5*s[0];
    axes[15] = -neg_p_lower_x;
    const double neg_p_lower_z = 0.5*c[0];
    axes[17] = -neg_p_lower_z;
    const double neg_pG_upper_x = 0.25*s[0];
    centers[0] = -neg_pG_upper_x;
    const double neg_pG_upper_z = 0.25*c[0];
    centers[2] = -neg_pG_upper_z;
    const double neg_pG_lower_x = neg_p_lower_x + 0.25*R_lower_xx;
    centers[3] = -neg_pG_lower_x;
    const double pG_lower_z = 0.25*neg_R_lower_xy - neg_p_lower_z;
    centers[5] = pG_lower_z;
    const double RI_upper_xy = 0.020833333333333332*c[0];
    const double neg_RI_upper_zy = 0.020833333333333332*s[0];
    const double Iw_upper_xx = c[0]*RI_upper_xy;
    inertias[0] = Iw_upper_xx;
    const double neg_Iw_upper_xz = s[0]*RI_upper_xy;
    inertias[2] = -neg_Iw_upper_xz;
    inertias[6] = -neg_Iw_upper_xz;
    const double Iw_upper_zz = s[0]*neg_RI_upper_zy;
    inertias[8] = Iw_upper_zz;
    const double neg_RI_lower_xy = 0.020833333333333332*neg_R_lower_xy;
    const double neg_RI_lower_zy = 0.020833333333333332*R_lower_xx;
    const double Iw_lower_xx = neg_R_lower_xy*neg_RI_lower_xy;
    inertias[9] = Iw_lower_xx;
    const double Iw_lower_xz = R_lower_xx*neg_RI_lower_xy;
    inertias[11] = Iw_lower_xz;
    inertias[15] = Iw_lower_xz;
    const double Iw_lower_zz = R_lower_xx*neg_RI_lower_zy;
    inertias[17] = Iw_lower_zz;

    /* upper */
    const double ww_upper = v[0]*v[0];

    /* lower */
    const double w_lower_z = v[0] + v[1];
    const double ap_lower_x = 0.5*ww_upper;
    const double a_lower_x = c[1]*ap_lower_x;
    const double neg_a_lower_y = s[1]*ap_lower_x;
    const double ww_lower = w_lower_z*w_lower_z;
    const double aG_x = 0.25*ww_upper;
    const double aG_x_2 = a_lower_x + 0.25*ww_lower;
    const double drift_0 = s[0]*aG_x;
    drift[0] = drift_0;
    const double drift_2 = c[0]*aG_x;
    drift[2] = drift_2;
    const double drift_6 = R_lower_xx*aG_x_2 + neg_R_lower_xy*neg_a_lower_y;
    drift[6] = drift_6;
    const double drift_8 = R_lower_xx*neg_a_lower_y - neg_R_lower_xy*aG_x_2;
    drift[8] = drift_8;
}

/* Acceleration of gravity, world axes. No operations. */
static void double_pendulum_gravity_vector(const double *restrict q, double *restrict g)
{
    (void)q;
    g[0] = 0.0;
    g[1] = 0.0;
    g[2] = -9.81;
}

/* Motion axis k moves dof axis_dof[k]. */
static const int axis_dof[] = {0, 1};
/* The next axis towards the root (-1: none): the paths of the tree. */
static const int axis_above[] = {-1, 0};
/* The motion axis at which the path of link i ends. */
static const int axis_last[] = {0, 1};
/* The link that each motion axis moves. */
static const int axis_link[] = {0, 1};
/* One past the last link of each link's subtree. */
static const int link_below[] = {2, 2};

#include "kinegen/tree/torque_terms.h"

/* Torque of every dof by link and cause: acceleration, centrifugal and Coriolis, gravity. */
void double_pendulum_torque_terms(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict terms)
{
    torque_terms(0, q, v, a, terms);
}

void double_pendulum_torque_terms_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *terms)
{
    for (long i = 0; i < n; i++)
        double_pendulum_torque_terms(q + i*q_stride, v + i*v_stride, a + i*a_stride, terms + i*12);
}
