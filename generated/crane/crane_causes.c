/* crane: torque by cause.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * ww: products of entries of w
 * pG, vG, aG, Gx, ddq: centre of mass: position, velocity, acceleration; its part by joint accelerations
 */

#include "crane_model.h"
#include "kinegen/linear/sincos.h"

/* What is defined and called here, as crane.h declares it. */
void crane_torque_terms(const double *p, const double *q, const double *v, const double *a, double *terms);
void crane_torque_terms_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *terms);

/* Axes, mass centres, inertias and accelerations of the velocities, world axes. 6 mul, 1 add, 1 sincos. */
static void crane_cause_parts(const double *restrict p, const double *restrict q, const double *restrict v,
    double *restrict axes, double *restrict rotors, double *restrict centers, double *restrict inertias,
    double *restrict masses, double *restrict drift)
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
    axes[6] = q[0];
    axes[15] = q[0];
    centers[0] = q[0];
    masses[0] = p[3];
    masses[1] = p[2];

    /* load */
    const double neg_pG_load_x = p[1]*s[0] - q[0];
    centers[3] = -neg_pG_load_x;
    const double neg_pG_load_z = p[1]*c[0];
    centers[5] = -neg_pG_load_z;
    const double ww_load = v[1]*v[1];
    const double aG_x = p[1]*ww_load;
    const double drift_6 = s[0]*aG_x;
    drift[6] = drift_6;
    const double drift_8 = c[0]*aG_x;
    drift[8] = drift_8;
}

/* Acceleration of gravity, world axes. No operations. */
static void crane_gravity_vector(const double *restrict p, const double *restrict q, double *restrict g)
{
    (void)q;
    g[0] = 0.0;
    g[1] = 0.0;
    g[2] = -p[0];
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
void crane_torque_terms(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict a, double *restrict terms)
{
    torque_terms(p, q, v, a, terms);
}

void crane_torque_terms_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *terms)
{
    for (long i = 0; i < n; i++)
        crane_torque_terms(p, q + i*q_stride, v + i*v_stride, a + i*a_stride, terms + i*12);
}
