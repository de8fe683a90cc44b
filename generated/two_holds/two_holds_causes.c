/* two_holds: torque by cause.
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

#include "two_holds_model.h"
#include "kinegen/linear/sincos.h"

/* What is defined and called here, as two_holds.h declares it. */
void two_holds_torque_terms(const double *p, const double *q, const double *v, const double *a, double *terms);
void two_holds_torque_terms_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *terms);

/* Axes, mass centres, inertias and accelerations of the velocities, world axes. 11 mul, 1 sincos. */
static void two_holds_cause_parts(const double *restrict p, const double *restrict q, const double *restrict v,
    double *restrict axes, double *restrict rotors, double *restrict centers, double *restrict inertias,
    double *restrict masses, double *restrict drift)
{
    (void)p;
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    for (int i = 0; i < 18; i++) axes[i] = 0.0;
    for (int i = 0; i < 18; i++) inertias[i] = 0.0;
    for (int i = 0; i < 12; i++) drift[i] = 0.0;
    axes[1] = 1.0;
    axes[12] = 1.0;
    axes[17] = -0.5;
    rotors[0] = 0.0;
    rotors[1] = 0.0;
    centers[1] = 0.0;
    centers[4] = 0.0;
    centers[5] = -0.5;
    inertias[4] = 0.020833333333333332;
    inertias[9] = 0.0005000000000000001;
    inertias[13] = 0.0005000000000000001;
    inertias[17] = 0.0005000000000000001;
    masses[0] = 1.0;
    masses[1] = 0.5;
    axes[15] = q[1];
    centers[3] = q[1];

    /* slider */
    const double neg_pG_rod_x = 0.25*s[0];
    centers[0] = -neg_pG_rod_x;
    const double neg_pG_rod_z = 0.25*c[0];
    centers[2] = -neg_pG_rod_z;
    const double RI_rod_xy = 0.020833333333333332*c[0];
    const double neg_RI_rod_zy = 0.020833333333333332*s[0];
    const double Iw_rod_xx = c[0]*RI_rod_xy;
    inertias[0] = Iw_rod_xx;
    const double neg_Iw_rod_xz = s[0]*RI_rod_xy;
    inertias[2] = -neg_Iw_rod_xz;
    inertias[6] = -neg_Iw_rod_xz;
    const double Iw_rod_zz = s[0]*neg_RI_rod_zy;
    inertias[8] = Iw_rod_zz;

    /* rod */
    const double ww_rod = v[0]*v[0];

    /* slider */
    const double aG_x = 0.25*ww_rod;
    const double drift_0 = s[0]*aG_x;
    drift[0] = drift_0;
    const double drift_2 = c[0]*aG_x;
    drift[2] = drift_2;
}

/* Acceleration of gravity, world axes. No operations. */
static void two_holds_gravity_vector(const double *restrict p, const double *restrict q, double *restrict g)
{
    (void)p;
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
void two_holds_torque_terms(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict a, double *restrict terms)
{
    torque_terms(p, q, v, a, terms);
}

void two_holds_torque_terms_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *terms)
{
    for (long i = 0; i < n; i++)
        two_holds_torque_terms(p, q + i*q_stride, v + i*v_stride, a + i*a_stride, terms + i*12);
}
