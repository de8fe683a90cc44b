/* cart_pole: torques and energies by inertial parameters.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * u, up: velocity of the link's origin; as the parent carries it (articulated: u is the joint force left)
 */

#include "cart_pole_model.h"
#include "kinegen/linear/sincos.h"

/* What is defined and called here, as cart_pole.h declares it. */
void cart_pole_energy_regressor(const double *q, const double *v, double *Y_energy);
void cart_pole_inertial_parameters(const double *q, double *pi);
void cart_pole_rotor_inertias(const double *q, double *armatures);
void cart_pole_torque_regressor(const double *q, const double *v, const double *a, double *Y);
void cart_pole_energy_regressor_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *Y_energy);
void cart_pole_inertial_parameters_batch(long n, const double *q, long q_stride, double *pi);
void cart_pole_rotor_inertias_batch(long n, const double *q, long q_stride, double *armatures);
void cart_pole_torque_regressor_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *Y);

/* Kinetic and potential energy by inertial parameters. 14 mul, 1 add, 1 sincos. */
void cart_pole_energy_regressor(const double *restrict q, const double *restrict v, double *restrict Y_energy)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);
    for (int i = 0; i < 40; i++) Y_energy[i] = 0.0;
    Y_energy[23] = 9.81;

    /* pole */
    const double u_pole_x = s[0]*v[0];
    const double u_pole_y = c[0]*v[0];
    const double Y_energy_0 = 0.5*v[0]*v[0];
    Y_energy[0] = Y_energy_0;
    const double Y_energy_10 = 0.5*u_pole_y*u_pole_y + 0.5*u_pole_x*u_pole_x;
    Y_energy[10] = Y_energy_10;
    const double neg_Y_energy_11 = v[1]*u_pole_x;
    Y_energy[11] = -neg_Y_energy_11;
    const double Y_energy_13 = v[1]*u_pole_y;
    Y_energy[13] = Y_energy_13;
    const double Y_energy_16 = 0.5*v[1]*v[1];
    Y_energy[16] = Y_energy_16;
    const double neg_Y_energy_31 = 9.81*s[0];
    Y_energy[31] = -neg_Y_energy_31;
    const double Y_energy_33 = 9.81*c[0];
    Y_energy[33] = Y_energy_33;
}

void cart_pole_energy_regressor_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *Y_energy)
{
    for (long i = 0; i < n; i++)
        cart_pole_energy_regressor(q + i*q_stride, v + i*v_stride, Y_energy + i*40);
}

/* Inertial parameters pi of the links: m, m c, I about the origin. No operations. */
void cart_pole_inertial_parameters(const double *restrict q, double *restrict pi)
{
    (void)q;
    for (int i = 0; i < 20; i++) pi[i] = 0.0;
    pi[0] = 1.0;
    pi[4] = 0.001666666666666667;
    pi[6] = 0.0041666666666666675;
    pi[9] = 0.0041666666666666675;
    pi[10] = 0.1;
    pi[13] = 0.05;
    pi[14] = 0.03333333333333333;
    pi[16] = 0.03333333333333333;
}

void cart_pole_inertial_parameters_batch(long n, const double *q, long q_stride, double *pi)
{
    for (long i = 0; i < n; i++)
        cart_pole_inertial_parameters(q + i*q_stride, pi + i*20);
}

/* Armature of every joint. No operations. */
void cart_pole_rotor_inertias(const double *restrict q, double *restrict armatures)
{
    (void)q;
    armatures[0] = 0.0;
    armatures[1] = 0.0;
}

void cart_pole_rotor_inertias_batch(long n, const double *q, long q_stride, double *armatures)
{
    for (long i = 0; i < n; i++)
        cart_pole_rotor_inertias(q + i*q_stride, armatures + i*2);
}

/* Motion axes, frames of the links, their motions. 4 mul, 2 add, 1 sincos. */
static void cart_pole_regressor_parts(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict axes, double *restrict frames, double *restrict motions)
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
    motions[8] = 9.81;
    axes[6] = q[0];
    axes[15] = q[0];
    frames[0] = q[0];
    frames[12] = q[0];
    frames[13] = c[0];
    frames[23] = c[0];
    frames[15] = s[0];
    frames[21] = -s[0];
    motions[6] = a[0];
    motions[10] = v[1];
    motions[13] = a[1];

    /* pole */
    const double a_pole_x = 9.81*c[0] + s[0]*a[0];
    motions[17] = a_pole_x;
    const double neg_a_pole_y = 9.81*s[0] - c[0]*a[0];
    motions[15] = -neg_a_pole_y;
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
void cart_pole_torque_regressor(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict Y)
{
    torque_regressor(0, q, v, a, Y);
}

void cart_pole_torque_regressor_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *Y)
{
    for (long i = 0; i < n; i++)
        cart_pole_torque_regressor(q + i*q_stride, v + i*v_stride, a + i*a_stride, Y + i*40);
}
