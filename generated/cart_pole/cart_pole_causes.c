/* cart_pole: torque by cause.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * ww: products of entries of w
 * pG, vG, aG, Gx, ddq: centre of mass: position, velocity, acceleration; its part by joint accelerations
 * RI, Iw: R I; inertia in world axes, or I w
 */

#include "cart_pole_model.h"
#include "kinegen/linear/sincos.h"

/* What is defined and called here, as cart_pole.h declares it. */
void cart_pole_torque_terms(const double *q, const double *v, const double *a, double *terms);
void cart_pole_torque_terms_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *terms);

/* Axes, mass centres, inertias and accelerations of the velocities, world axes. 11 mul, 1 add, 1 sincos. */
static void cart_pole_cause_parts(const double *restrict q, const double *restrict v, double *restrict axes,
    double *restrict rotors, double *restrict centers, double *restrict inertias, double *restrict masses,
    double *restrict drift)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);
    for (int i = 0; i < 18; i++) axes[i] = 0.0;
    for (int i = 0; i < 18; i++) inertias[i] = 0.0;
    for (int i = 0; i < 12; i++) drift[i] = 0.0;
    axes[3] = 1.0;
    axes[10] = 1.0;
    rotors[0] = 0.0;
    rotors[1] = 0.0;
    centers[1] = 0.0;
    centers[2] = 0.0;
    centers[4] = 0.0;
    inertias[0] = 0.001666666666666667;
    inertias[4] = 0.0041666666666666675;
    inertias[8] = 0.0041666666666666675;
    inertias[13] = 0.008333333333333333;
    masses[0] = 1.0;
    masses[1] = 0.1;
    axes[6] = q[0];
    axes[15] = q[0];
    centers[0] = q[0];

    /* pole */
    const double pG_pole_x = q[0] + 0.5*s[0];
    centers[3] = pG_pole_x;
    const double pG_pole_z = 0.5*c[0];
    centers[5] = pG_pole_z;
    const double RI_pole_xy = 0.008333333333333333*c[0];
    const double neg_RI_pole_zy = 0.008333333333333333*s[0];
    const double Iw_pole_xx = c[0]*RI_pole_xy;
    inertias[9] = Iw_pole_xx;
    const double neg_Iw_pole_xz = s[0]*RI_pole_xy;
    inertias[11] = -neg_Iw_pole_xz;
    inertias[15] = -neg_Iw_pole_xz;
    const double Iw_pole_zz = s[0]*neg_RI_pole_zy;
    inertias[17] = Iw_pole_zz;
    const double ww_pole = v[1]*v[1];
    const double neg_aG_x = 0.5*ww_pole;
    const double neg_drift_6 = s[0]*neg_aG_x;
    drift[6] = -neg_drift_6;
    const double neg_drift_8 = c[0]*neg_aG_x;
    drift[8] = -neg_drift_8;
}

/* Acceleration of gravity, world axes. No operations. */
static void cart_pole_gravity_vector(const double *restrict q, double *restrict g)
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
void cart_pole_torque_terms(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict terms)
{
    torque_terms(0, q, v, a, terms);
}

void cart_pole_torque_terms_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *terms)
{
    for (long i = 0; i < n; i++)
        cart_pole_torque_terms(q + i*q_stride, v + i*v_stride, a + i*a_stride, terms + i*12);
}
