/* crane: torques and energies by inertial parameters.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * u, up: velocity of the link's origin; as the parent carries it (articulated: u is the joint force left)
 * m, s, S: mass, first moment and second moment of mass
 */

#include "crane_model.h"
#include "kinegen/linear/sincos.h"

/* What is defined and called here, as crane.h declares it. */
void crane_energy_regressor(const double *p, const double *q, const double *v, double *Y_energy);
void crane_inertial_parameters(const double *p, const double *q, double *pi);
void crane_rotor_inertias(const double *p, const double *q, double *armatures);
void crane_torque_regressor(const double *p, const double *q, const double *v, const double *a, double *Y);
void crane_energy_regressor_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, double *Y_energy);
void crane_inertial_parameters_batch(long n, const double *p, const double *q, long q_stride, double *pi);
void crane_rotor_inertias_batch(long n, const double *p, const double *q, long q_stride, double *armatures);
void crane_torque_regressor_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *Y);

/* Kinetic and potential energy by inertial parameters. 14 mul, 1 add, 1 sincos. */
void crane_energy_regressor(const double *restrict p, const double *restrict q, const double *restrict v,
    double *restrict Y_energy)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);
    for (int i = 0; i < 40; i++) Y_energy[i] = 0.0;
    Y_energy[23] = p[0];

    /* load */
    const double u_load_x = s[0]*v[0];
    const double u_load_y = c[0]*v[0];
    const double Y_energy_0 = 0.5*v[0]*v[0];
    Y_energy[0] = Y_energy_0;
    const double Y_energy_10 = 0.5*u_load_y*u_load_y + 0.5*u_load_x*u_load_x;
    Y_energy[10] = Y_energy_10;
    const double neg_Y_energy_11 = v[1]*u_load_x;
    Y_energy[11] = -neg_Y_energy_11;
    const double Y_energy_13 = v[1]*u_load_y;
    Y_energy[13] = Y_energy_13;
    const double Y_energy_16 = 0.5*v[1]*v[1];
    Y_energy[16] = Y_energy_16;
    const double neg_Y_energy_31 = p[0]*s[0];
    Y_energy[31] = -neg_Y_energy_31;
    const double Y_energy_33 = p[0]*c[0];
    Y_energy[33] = Y_energy_33;
}

void crane_energy_regressor_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, double *Y_energy)
{
    for (long i = 0; i < n; i++)
        crane_energy_regressor(p, q + i*q_stride, v + i*v_stride, Y_energy + i*40);
}

/* Inertial parameters pi of the links: m, m c, I about the origin. 3 mul. */
void crane_inertial_parameters(const double *restrict p, const double *restrict q, double *restrict pi)
{
    (void)q;
    for (int i = 0; i < 20; i++) pi[i] = 0.0;
    pi[0] = p[3];
    pi[10] = p[2];

    /* load */
    const double neg_s_load_x = p[1]*p[2];
    pi[13] = -neg_s_load_x;
    const double S_load_xx = p[1]*p[1]*p[2];
    pi[14] = S_load_xx;
    pi[16] = S_load_xx;
}

void crane_inertial_parameters_batch(long n, const double *p, const double *q, long q_stride, double *pi)
{
    for (long i = 0; i < n; i++)
        crane_inertial_parameters(p, q + i*q_stride, pi + i*20);
}

/* Armature of every joint. No operations. */
void crane_rotor_inertias(const double *restrict p, const double *restrict q, double *restrict armatures)
{
    (void)p;
    (void)q;
    armatures[0] = 0.0;
    armatures[1] = 0.0;
}

void crane_rotor_inertias_batch(long n, const double *p, const double *q, long q_stride, double *armatures)
{
    for (long i = 0; i < n; i++)
        crane_rotor_inertias(p, q + i*q_stride, armatures + i*2);
}

/* Motion axes, frames of the links, their motions. 4 mul, 2 add, 1 sincos. */
static void crane_regressor_parts(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict a, double *restrict axes, double *restrict frames, double *restrict motions)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);
    for (int i = 0; i < 18; i++) axes[i] = 0.0;
    for (int i = 0; i < 24; i++) frames[i] = 0.0;
    for (int i = 0; i < 18; i++) motions[i] = 0.0;
    axes[3] = 1.0;
    axes[10] = 1.0;
    frames[1] = 1.0;
    frames[6] = 1.0;
    frames[11] = 1.0;
    frames[18] = 1.0;
    axes[6] = q[0];
    axes[15] = q[0];
    frames[0] = q[0];
    frames[12] = q[0];
    frames[13] = c[0];
    frames[23] = c[0];
    frames[15] = s[0];
    frames[21] = -s[0];
    motions[6] = a[0];
    motions[8] = p[0];
    motions[10] = v[1];
    motions[13] = a[1];

    /* load */
    const double a_load_x = p[0]*c[0] + s[0]*a[0];
    motions[17] = a_load_x;
    const double neg_a_load_y = p[0]*s[0] - c[0]*a[0];
    motions[15] = -neg_a_load_y;
}

/* Motion axis k moves dof axis_dof[k]. */
static const int axis_dof[] = {0, 1};
/* The next axis towards the root (-1: none): the paths of the tree. */
static const int axis_above[] = {-1, 0};
/* The motion axis at which the path of link i ends. */
static const int axis_last[] = {0, 1};
/* The link that each motion axis moves. */
static const int axis_link[] = {0, 1};
/* The first link on the path from world to each link. */
static const int link_root[] = {0, 0};
/* One past the last link of each link's subtree. */
static const int link_below[] = {2, 2};

#include "kinegen/tree/torque_regressor.h"

/* Regressor Y: tau = Y pi + armature a, by m, m c, I about the origin of each link. */
void crane_torque_regressor(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict a, double *restrict Y)
{
    torque_regressor(p, q, v, a, Y);
}

void crane_torque_regressor_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *Y)
{
    for (long i = 0; i < n; i++)
        crane_torque_regressor(p, q + i*q_stride, v + i*v_stride, a + i*a_stride, Y + i*40);
}
