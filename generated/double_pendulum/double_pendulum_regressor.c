/* double_pendulum: torques and energies by inertial parameters.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * R, p: pose in the parent or, where poses are asked for, in the world
 * w, wp: angular velocity; that of the parent in the link's axes
 * dw, dwp, dwq: rate of w; the parent's; with velocity products of the joint
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * u, up: velocity of the link's origin; as the parent carries it (articulated: u is the joint force left)
 * ww: products of entries of w
 */

#include "double_pendulum_model.h"
#include "kinegen/linear/sincos.h"

/* What is defined and called here, as double_pendulum.h declares it. */
void double_pendulum_energy_regressor(const double *q, const double *v, double *Y_energy);
void double_pendulum_inertial_parameters(const double *q, double *pi);
void double_pendulum_rotor_inertias(const double *q, double *armatures);
void double_pendulum_torque_regressor(const double *q, const double *v, const double *a, double *Y);
void double_pendulum_energy_regressor_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *Y_energy);
void double_pendulum_inertial_parameters_batch(long n, const double *q, long q_stride, double *pi);
void double_pendulum_rotor_inertias_batch(long n, const double *q, long q_stride, double *armatures);
void double_pendulum_torque_regressor_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *Y);

/* Kinetic and potential energy by inertial parameters. 24 mul, 4 add, 2 sincos. */
void double_pendulum_energy_regressor(const double *restrict q, const double *restrict v, double *restrict Y_energy)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q, s, c);
    for (int i = 0; i < 40; i++) Y_energy[i] = 0.0;

    /* lower */
    const double R_lower_xx = s[0]*c[1] + c[0]*s[1];
    const double neg_R_lower_xy = s[0]*s[1] - c[0]*c[1];
    const double neg_p_lower_z = 0.5*c[0];
    const double w_lower_z = v[1] + v[0];
    const double neg_u_lower_x = 0.5*s[1]*v[0];
    const double neg_u_lower_y = 0.5*c[1]*v[0];
    const double Y_energy_6 = 0.5*v[0]*v[0];
    Y_energy[6] = Y_energy_6;
    const double Y_energy_10 = 0.5*neg_u_lower_y*neg_u_lower_y + 0.5*neg_u_lower_x*neg_u_lower_x;
    Y_energy[10] = Y_energy_10;
    const double Y_energy_11 = w_lower_z*neg_u_lower_x;
    Y_energy[11] = Y_energy_11;
    const double neg_Y_energy_13 = w_lower_z*neg_u_lower_y;
    Y_energy[13] = -neg_Y_energy_13;
    const double Y_energy_16 = 0.5*w_lower_z*w_lower_z;
    Y_energy[16] = Y_energy_16;
    const double neg_Y_energy_21 = 9.81*s[0];
    Y_energy[21] = -neg_Y_energy_21;
    const double Y_energy_23 = 9.81*c[0];
    Y_energy[23] = Y_energy_23;
    const double neg_Y_energy_30 = 9.81*neg_p_lower_z;
    Y_energy[30] = -neg_Y_energy_30;
    const double neg_Y_energy_31 = 9.81*R_lower_xx;
    Y_energy[31] = -neg_Y_energy_31;
    const double neg_Y_energy_33 = 9.81*neg_R_lower_xy;
    Y_energy[33] = -neg_Y_energy_33;
}

void double_pendulum_energy_regressor_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *Y_energy)
{
    for (long i = 0; i < n; i++)
        double_pendulum_energy_regressor(q + i*q_stride, v + i*v_stride, Y_energy + i*40);
}

/* Inertial parameters pi of the links: m, m c, I about the origin. No operations. */
void double_pendulum_inertial_parameters(const double *restrict q, double *restrict pi)
{
    (void)q;
    for (int i = 0; i < 20; i++) pi[i] = 0.0;
    pi[0] = 1.0;
    pi[3] = -0.25;
    pi[4] = 0.08333333333333333;
    pi[6] = 0.08333333333333333;
    pi[10] = 1.0;
    pi[13] = -0.25;
    pi[14] = 0.08333333333333333;
    pi[16] = 0.08333333333333333;
}

void double_pendulum_inertial_parameters_batch(long n, const double *q, long q_stride, double *pi)
{
    for (long i = 0; i < n; i++)
        double_pendulum_inertial_parameters(q + i*q_stride, pi + i*20);
}

/* Armature of every joint. No operations. */
void double_pendulum_rotor_inertias(const double *restrict q, double *restrict armatures)
{
    (void)q;
    armatures[0] = 0.0;
    armatures[1] = 0.0;
}

void double_pendulum_rotor_inertias_batch(long n, const double *q, long q_stride, double *armatures)
{
    for (long i = 0; i < n; i++)
        double_pendulum_rotor_inertias(q + i*q_stride, armatures + i*2);
}

/* Motion axes, frames of the links, their motions. 15 mul, 8 add, 2 sincos. */
static void double_pendulum_regressor_parts(const double *restrict q, const double *restrict v,
    const double *restrict a,
    double *restrict axes, double *restrict frames, double *restrict motions)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q, s, c);
    for (int i = 0; i < 18; i++) axes[i] = 0.0;
    for (int i = 0; i < 24; i++) frames[i] = 0.0;
    for (int i = 0; i < 18; i++) motions[i] = 0.0;
    axes[1] = 1.0;
    axes[10] = 1.0;
    frames[6] = 1.0;
    frames[18] = 1.0;
    frames[1] = c[0];
    frames[11] = c[0];
    frames[3] = s[0];
    frames[9] = -s[0];
    motions[1] = v[0];
    motions[4] = a[0];

    /* lower */
    const double R_lower_xx = s[0]*c[1] + c[0]*s[1];
    frames[15] = R_lower_xx;
    frames[21] = -R_lower_xx;
    const double neg_R_lower_xy = s[0]*s[1] - c[0]*c[1];
    frames[13] = -neg_R_lower_xy;
    frames[23] = -neg_R_lower_xy;
    const double neg_p_lower_x = 0.5*s[0];
    axes[15] = -neg_p_lower_x;
    frames[12] = -neg_p_lower_x;
    const double neg_p_lower_z = 0.5*c[0];
    axes[17] = -neg_p_lower_z;
    frames[20] = -neg_p_lower_z;

    /* upper */
    const double a_upper_x = 9.81*c[0];
    motions[8] = a_upper_x;
    const double neg_a_upper_y = 9.81*s[0];
    motions[6] = -neg_a_upper_y;
    const double ww_upper = v[0]*v[0];

    /* lower */
    const double w_lower_z = v[0] + v[1];
    motions[10] = w_lower_z;
    const double dw_lower_z = a[0] + a[1];
    motions[13] = dw_lower_z;
    const double ap_lower_x = a_upper_x + 0.5*ww_upper;
    const double neg_ap_lower_y = neg_a_upper_y + 0.5*a[0];
    const double neg_a_lower_x = s[1]*neg_ap_lower_y - c[1]*ap_lower_x;
    motions[17] = -neg_a_lower_x;
    const double neg_a_lower_y = s[1]*ap_lower_x + c[1]*neg_ap_lower_y;
    motions[15] = -neg_a_lower_y;
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
void double_pendulum_torque_regressor(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict Y)
{
    torque_regressor(0, q, v, a, Y);
}

void double_pendulum_torque_regressor_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *Y)
{
    for (long i = 0; i < n; i++)
        double_pendulum_torque_regressor(q + i*q_stride, v + i*v_stride, a + i*a_stride, Y + i*40);
}
