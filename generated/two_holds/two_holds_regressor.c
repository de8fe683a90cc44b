/* two_holds: torques and energies by inertial parameters.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 */

#include "two_holds_model.h"
#include "kinegen/linear/sincos.h"

/* What is defined and called here, as two_holds.h declares it. */
void two_holds_energy_regressor(const double *p, const double *q, const double *v, double *Y_energy);
void two_holds_inertial_parameters(const double *p, const double *q, double *pi);
void two_holds_rotor_inertias(const double *p, const double *q, double *armatures);
void two_holds_torque_regressor(const double *p, const double *q, const double *v, const double *a, double *Y);
void two_holds_energy_regressor_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, double *Y_energy);
void two_holds_inertial_parameters_batch(long n, const double *p, const double *q, long q_stride, double *pi);
void two_holds_rotor_inertias_batch(long n, const double *p, const double *q, long q_stride, double *armatures);
void two_holds_torque_regressor_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *Y);

/* Kinetic and potential energy by inertial parameters. 6 mul, 1 sincos. */
void two_holds_energy_regressor(const double *restrict p, const double *restrict q, const double *restrict v,
    double *restrict Y_energy)
{
    (void)p;
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    for (int i = 0; i < 40; i++) Y_energy[i] = 0.0;
    Y_energy[30] = -4.905;
    Y_energy[33] = 9.81;

    /* slider */
    const double Y_energy_6 = 0.5*v[0]*v[0];
    Y_energy[6] = Y_energy_6;
    const double Y_energy_10 = 0.5*v[1]*v[1];
    Y_energy[10] = Y_energy_10;
    const double neg_Y_energy_21 = 9.81*s[0];
    Y_energy[21] = -neg_Y_energy_21;
    const double Y_energy_23 = 9.81*c[0];
    Y_energy[23] = Y_energy_23;
}

void two_holds_energy_regressor_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, double *Y_energy)
{
    for (long i = 0; i < n; i++)
        two_holds_energy_regressor(p, q + i*q_stride, v + i*v_stride, Y_energy + i*40);
}

/* Inertial parameters pi of the links: m, m c, I about the origin. No operations. */
void two_holds_inertial_parameters(const double *restrict p, const double *restrict q, double *restrict pi)
{
    (void)p;
    (void)q;
    for (int i = 0; i < 20; i++) pi[i] = 0.0;
    pi[0] = 1.0;
    pi[3] = -0.25;
    pi[4] = 0.08333333333333333;
    pi[6] = 0.08333333333333333;
    pi[10] = 0.5;
    pi[14] = 0.0005000000000000001;
    pi[16] = 0.0005000000000000001;
    pi[19] = 0.0005000000000000001;
}

void two_holds_inertial_parameters_batch(long n, const double *p, const double *q, long q_stride, double *pi)
{
    for (long i = 0; i < n; i++)
        two_holds_inertial_parameters(p, q + i*q_stride, pi + i*20);
}

/* Armature of every joint. No operations. */
void two_holds_rotor_inertias(const double *restrict p, const double *restrict q, double *restrict armatures)
{
    (void)p;
    (void)q;
    armatures[0] = 0.0;
    armatures[1] = 0.0;
}

void two_holds_rotor_inertias_batch(long n, const double *p, const double *q, long q_stride, double *armatures)
{
    for (long i = 0; i < n; i++)
        two_holds_rotor_inertias(p, q + i*q_stride, armatures + i*2);
}

/* Motion axes, frames of the links, their motions. 2 mul, 1 sincos. */
static void two_holds_regressor_parts(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict a, double *restrict axes, double *restrict frames, double *restrict motions)
{
    (void)p;
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    for (int i = 0; i < 18; i++) axes[i] = 0.0;
    for (int i = 0; i < 24; i++) frames[i] = 0.0;
    for (int i = 0; i < 18; i++) motions[i] = 0.0;
    axes[1] = 1.0;
    axes[12] = 1.0;
    axes[17] = -0.5;
    frames[6] = 1.0;
    frames[13] = 1.0;
    frames[18] = 1.0;
    frames[20] = -0.5;
    frames[23] = 1.0;
    motions[17] = 9.81;
    axes[15] = q[1];
    frames[12] = q[1];
    frames[1] = c[0];
    frames[11] = c[0];
    frames[3] = s[0];
    frames[9] = -s[0];
    motions[1] = v[0];
    motions[4] = a[0];
    motions[15] = a[1];

    /* rod */
    const double a_rod_x = 9.81*c[0];
    motions[8] = a_rod_x;
    const double neg_a_rod_y = 9.81*s[0];
    motions[6] = -neg_a_rod_y;
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
void two_holds_torque_regressor(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict a, double *restrict Y)
{
    torque_regressor(p, q, v, a, Y);
}

void two_holds_torque_regressor_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *Y)
{
    for (long i = 0; i < n; i++)
        two_holds_torque_regressor(p, q + i*q_stride, v + i*v_stride, a + i*a_stride, Y + i*40);
}
