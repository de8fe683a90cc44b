/* four_bar: torques and energies by inertial parameters.
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

#include "four_bar_model.h"
#include "kinegen/linear/sincos.h"

/* What is defined and called here, as four_bar.h declares it. */
void four_bar_energy_regressor(const double *q, const double *v, double *Y_energy);
void four_bar_inertial_parameters(const double *q, double *pi);
void four_bar_rotor_inertias(const double *q, double *armatures);
void four_bar_torque_regressor(const double *q, const double *v, const double *a, double *Y);
void four_bar_energy_regressor_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *Y_energy);
void four_bar_inertial_parameters_batch(long n, const double *q, long q_stride, double *pi);
void four_bar_rotor_inertias_batch(long n, const double *q, long q_stride, double *armatures);
void four_bar_torque_regressor_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *Y);

/* Kinetic and potential energy by inertial parameters. 48 mul, 13 add, 3 sincos. */
void four_bar_energy_regressor(const double *restrict q, const double *restrict v, double *restrict Y_energy)
{
    double s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_sincos(3, q, s, c);
    for (int i = 0; i < 60; i++) Y_energy[i] = 0.0;

    /* coupler */
    const double R_coupler_xx = s[0]*c[1] + c[0]*s[1];
    const double neg_R_coupler_xy = s[0]*s[1] - c[0]*c[1];
    const double neg_p_coupler_z = 0.2*s[0];

    /* rocker */
    const double neg_R_rocker_xx = s[2]*neg_R_coupler_xy - c[2]*R_coupler_xx;
    const double neg_R_rocker_xy = s[2]*R_coupler_xx + c[2]*neg_R_coupler_xy;
    const double neg_p_rocker_z = neg_p_coupler_z + 0.5*R_coupler_xx;
    const double w_coupler_z = v[1] + v[0];
    const double neg_u_coupler_x = 0.2*c[1]*v[0];
    const double u_coupler_y = 0.2*s[1]*v[0];
    const double w_rocker_z = v[2] + w_coupler_z;
    const double u_rocker_x = s[2]*u_coupler_y - c[2]*neg_u_coupler_x - 0.5*c[2]*w_coupler_z;
    const double u_rocker_y = s[2]*neg_u_coupler_x + 0.5*s[2]*w_coupler_z + c[2]*u_coupler_y;
    const double Y_energy_6 = 0.5*v[0]*v[0];
    Y_energy[6] = Y_energy_6;
    const double Y_energy_10 = 0.5*u_coupler_y*u_coupler_y + 0.5*neg_u_coupler_x*neg_u_coupler_x;
    Y_energy[10] = Y_energy_10;
    const double Y_energy_11 = w_coupler_z*neg_u_coupler_x;
    Y_energy[11] = Y_energy_11;
    const double Y_energy_13 = w_coupler_z*u_coupler_y;
    Y_energy[13] = Y_energy_13;
    const double Y_energy_16 = 0.5*w_coupler_z*w_coupler_z;
    Y_energy[16] = Y_energy_16;
    const double Y_energy_20 = 0.5*u_rocker_y*u_rocker_y + 0.5*u_rocker_x*u_rocker_x;
    Y_energy[20] = Y_energy_20;
    const double neg_Y_energy_21 = w_rocker_z*u_rocker_x;
    Y_energy[21] = -neg_Y_energy_21;
    const double Y_energy_23 = w_rocker_z*u_rocker_y;
    Y_energy[23] = Y_energy_23;
    const double Y_energy_26 = 0.5*w_rocker_z*w_rocker_z;
    Y_energy[26] = Y_energy_26;
    const double neg_Y_energy_31 = 9.81*s[0];
    Y_energy[31] = -neg_Y_energy_31;
    const double Y_energy_33 = 9.81*c[0];
    Y_energy[33] = Y_energy_33;
    const double neg_Y_energy_40 = 9.81*neg_p_coupler_z;
    Y_energy[40] = -neg_Y_energy_40;
    const double neg_Y_energy_41 = 9.81*R_coupler_xx;
    Y_energy[41] = -neg_Y_energy_41;
    const double neg_Y_energy_43 = 9.81*neg_R_coupler_xy;
    Y_energy[43] = -neg_Y_energy_43;
    const double neg_Y_energy_50 = 9.81*neg_p_rocker_z;
    Y_energy[50] = -neg_Y_energy_50;
    const double Y_energy_51 = 9.81*neg_R_rocker_xx;
    Y_energy[51] = Y_energy_51;
    const double neg_Y_energy_53 = 9.81*neg_R_rocker_xy;
    Y_energy[53] = -neg_Y_energy_53;
}

void four_bar_energy_regressor_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *Y_energy)
{
    for (long i = 0; i < n; i++)
        four_bar_energy_regressor(q + i*q_stride, v + i*v_stride, Y_energy + i*60);
}

/* Inertial parameters pi of the links: m, m c, I about the origin. No operations. */
void four_bar_inertial_parameters(const double *restrict q, double *restrict pi)
{
    (void)q;
    for (int i = 0; i < 30; i++) pi[i] = 0.0;
    pi[0] = 0.2;
    pi[1] = 0.020000000000000004;
    pi[6] = 0.0026666666666666674;
    pi[9] = 0.0026666666666666674;
    pi[10] = 0.5;
    pi[11] = 0.125;
    pi[16] = 0.041666666666666664;
    pi[19] = 0.041666666666666664;
    pi[20] = 0.4;
    pi[21] = 0.08000000000000002;
    pi[26] = 0.02133333333333334;
    pi[29] = 0.02133333333333334;
}

void four_bar_inertial_parameters_batch(long n, const double *q, long q_stride, double *pi)
{
    for (long i = 0; i < n; i++)
        four_bar_inertial_parameters(q + i*q_stride, pi + i*30);
}

/* Armature of every joint. No operations. */
void four_bar_rotor_inertias(const double *restrict q, double *restrict armatures)
{
    (void)q;
    armatures[0] = 0.0;
    armatures[1] = 0.0;
    armatures[2] = 0.0;
}

void four_bar_rotor_inertias_batch(long n, const double *q, long q_stride, double *armatures)
{
    for (long i = 0; i < n; i++)
        four_bar_rotor_inertias(q + i*q_stride, armatures + i*3);
}

/* Motion axes, frames of the links, their motions. 28 mul, 18 add, 3 sincos. */
static void four_bar_regressor_parts(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict axes, double *restrict frames, double *restrict motions)
{
    double s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_sincos(3, q, s, c);
    for (int i = 0; i < 27; i++) axes[i] = 0.0;
    for (int i = 0; i < 36; i++) frames[i] = 0.0;
    for (int i = 0; i < 27; i++) motions[i] = 0.0;
    axes[1] = 1.0;
    axes[10] = 1.0;
    axes[19] = 1.0;
    frames[6] = 1.0;
    frames[18] = 1.0;
    frames[30] = 1.0;
    frames[1] = c[0];
    frames[11] = c[0];
    frames[3] = s[0];
    frames[9] = -s[0];
    motions[1] = v[0];
    motions[4] = a[0];

    /* coupler */
    const double R_coupler_xx = s[0]*c[1] + c[0]*s[1];
    frames[15] = R_coupler_xx;
    frames[21] = -R_coupler_xx;
    const double neg_R_coupler_xy = s[0]*s[1] - c[0]*c[1];
    frames[13] = -neg_R_coupler_xy;
    frames[23] = -neg_R_coupler_xy;
    const double p_coupler_x = 0.2*c[0];
    axes[15] = p_coupler_x;
    frames[12] = p_coupler_x;
    const double neg_p_coupler_z = 0.2*s[0];
    axes[17] = -neg_p_coupler_z;
    frames[20] = -neg_p_coupler_z;

    /* rocker */
    const double neg_R_rocker_xx = s[2]*neg_R_coupler_xy - c[2]*R_coupler_xx;
    frames[27] = -neg_R_rocker_xx;
    frames[33] = neg_R_rocker_xx;
    const double neg_R_rocker_xy = s[2]*R_coupler_xx + c[2]*neg_R_coupler_xy;
    frames[25] = -neg_R_rocker_xy;
    frames[35] = -neg_R_rocker_xy;
    const double neg_p_rocker_x = 0.5*neg_R_coupler_xy - p_coupler_x;
    axes[24] = -neg_p_rocker_x;
    frames[24] = -neg_p_rocker_x;
    const double neg_p_rocker_z = neg_p_coupler_z + 0.5*R_coupler_xx;
    axes[26] = -neg_p_rocker_z;
    frames[32] = -neg_p_rocker_z;

    /* crank */
    const double a_crank_x = 9.81*c[0];
    motions[8] = a_crank_x;
    const double neg_a_crank_y = 9.81*s[0];
    motions[6] = -neg_a_crank_y;
    const double ww_crank = v[0]*v[0];

    /* coupler */
    const double w_coupler_z = v[0] + v[1];
    motions[10] = w_coupler_z;
    const double dw_coupler_z = a[0] + a[1];
    motions[13] = dw_coupler_z;
    const double neg_ap_coupler_x = 0.2*a[0] - a_crank_x;
    const double neg_ap_coupler_y = neg_a_crank_y + 0.2*ww_crank;
    const double neg_a_coupler_x = c[1]*neg_ap_coupler_x + s[1]*neg_ap_coupler_y;
    motions[17] = -neg_a_coupler_x;
    const double a_coupler_y = s[1]*neg_ap_coupler_x - c[1]*neg_ap_coupler_y;
    motions[15] = a_coupler_y;
    const double ww_coupler = w_coupler_z*w_coupler_z;

    /* rocker */
    const double w_rocker_z = w_coupler_z + v[2];
    motions[19] = w_rocker_z;
    const double dw_rocker_z = dw_coupler_z + a[2];
    motions[22] = dw_rocker_z;
    const double neg_ap_rocker_x = neg_a_coupler_x + 0.5*dw_coupler_z;
    const double ap_rocker_y = a_coupler_y - 0.5*ww_coupler;
    const double a_rocker_x = s[2]*ap_rocker_y - c[2]*neg_ap_rocker_x;
    motions[26] = a_rocker_x;
    const double a_rocker_y = s[2]*neg_ap_rocker_x + c[2]*ap_rocker_y;
    motions[24] = a_rocker_y;
}

/* Motion axis k moves dof axis_dof[k]. */
static const int axis_dof[] = {0, 1, 2};
/* The next axis towards the root (-1: none): the paths of the tree. */
static const int axis_above[] = {-1, 0, 1};
/* The motion axis at which the path of link i ends. */
static const int axis_last[] = {0, 1, 2};
/* The link that each motion axis moves. */
static const int axis_link[] = {0, 1, 2};
/* The first link on the path from world to each link. */
static const int link_root[] = {0, 0, 0};
/* One past the last link of each link's subtree. */
static const int link_below[] = {3, 3, 3};

#include "kinegen/tree/torque_regressor.h"

/* Regressor Y: tau = Y pi + armature a, by m, m c, I about the origin of each link. */
void four_bar_torque_regressor(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict Y)
{
    torque_regressor(0, q, v, a, Y);
}

void four_bar_torque_regressor_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *Y)
{
    for (long i = 0; i < n; i++)
        four_bar_torque_regressor(q + i*q_stride, v + i*v_stride, a + i*a_stride, Y + i*90);
}
