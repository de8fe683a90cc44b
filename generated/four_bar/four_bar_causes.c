/* four_bar: torque by cause.
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

#include "four_bar_model.h"
#include "kinegen/linear/sincos.h"

/* What is defined and called here, as four_bar.h declares it. */
void four_bar_torque_terms(const double *q, const double *v, const double *a, double *terms);
void four_bar_torque_terms_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *terms);

/* Axes, mass centres, inertias and accelerations of the velocities, world axes. 57 mul, 21 add, 3 sincos. */
static void four_bar_cause_parts(const double *restrict q, const double *restrict v, double *restrict axes,
    double *restrict rotors, double *restrict centers, double *restrict inertias, double *restrict masses,
    double *restrict drift)
{
    double s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_sincos(3, q, s, c);
    for (int i = 0; i < 27; i++) axes[i] = 0.0;
    for (int i = 0; i < 27; i++) inertias[i] = 0.0;
    for (int i = 0; i < 18; i++) drift[i] = 0.0;
    axes[1] = 1.0;
    axes[10] = 1.0;
    axes[19] = 1.0;
    rotors[0] = 0.0;
    rotors[1] = 0.0;
    rotors[2] = 0.0;
    centers[1] = 0.0;
    centers[4] = 0.0;
    centers[7] = 0.0;
    inertias[4] = 0.0006666666666666669;
    inertias[13] = 0.010416666666666666;
    inertias[22] = 0.005333333333333335;
    masses[0] = 0.2;
    masses[1] = 0.5;
    masses[2] = 0.4;

    /* coupler */
    const double R_coupler_xx = s[0]*c[1] + c[0]*s[1];
    const double neg_R_coupler_xy = s[0]*s[1] - c[0]*c[1];
    const double p_coupler_x = 0.2*c[0];
    axes[15] = p_coupler_x;
    const double neg_p_coupler_z = 0.2*s[0];
    axes[17] = -neg_p_coupler_z;

    /* rocker */
    const double neg_R_rocker_xx = s[2]*neg_R_coupler_xy - c[2]*R_coupler_xx;
    const double neg_R_rocker_xy = s[2]*R_coupler_xx + c[2]*neg_R_coupler_xy;
    const double neg_p_rocker_x = 0.5*neg_R_coupler_xy - p_coupler_x;
    axes[24] = -neg_p_rocker_x;
    const double neg_p_rocker_z = neg_p_coupler_z + 0.5*R_coupler_xx;
    axes[26] = -neg_p_rocker_z;
    const double pG_crank_x = 0.1*c[0];
    centers[0] = pG_crank_x;
    const double neg_pG_crank_z = 0.1*s[0];
    centers[2] = -neg_pG_crank_z;
    const double neg_pG_coupler_x = 0.25*neg_R_coupler_xy - p_coupler_x;
    centers[3] = -neg_pG_coupler_x;
    const double neg_pG_coupler_z = neg_p_coupler_z + 0.25*R_coupler_xx;
    centers[5] = -neg_pG_coupler_z;
    const double neg_pG_rocker_x = neg_p_rocker_x + 0.2*neg_R_rocker_xy;
    centers[6] = -neg_pG_rocker_x;
    const double pG_rocker_z = 0.2*neg_R_rocker_xx - neg_p_rocker_z;
    centers[8] = pG_rocker_z;
    const double RI_crank_xx = 0.0006666666666666669*s[0];
    const double RI_crank_zx = 0.0006666666666666669*c[0];
    const double Iw_crank_xx = s[0]*RI_crank_xx;
    inertias[0] = Iw_crank_xx;
    const double Iw_crank_xz = c[0]*RI_crank_xx;
    inertias[2] = Iw_crank_xz;
    inertias[6] = Iw_crank_xz;
    const double Iw_crank_zz = c[0]*RI_crank_zx;
    inertias[8] = Iw_crank_zz;
    const double RI_coupler_xx = 0.010416666666666666*R_coupler_xx;
    const double neg_RI_coupler_zx = 0.010416666666666666*neg_R_coupler_xy;
    const double Iw_coupler_xx = R_coupler_xx*RI_coupler_xx;
    inertias[9] = Iw_coupler_xx;
    const double neg_Iw_coupler_xz = neg_R_coupler_xy*RI_coupler_xx;
    inertias[11] = -neg_Iw_coupler_xz;
    inertias[15] = -neg_Iw_coupler_xz;
    const double Iw_coupler_zz = neg_R_coupler_xy*neg_RI_coupler_zx;
    inertias[17] = Iw_coupler_zz;
    const double neg_RI_rocker_xx = 0.005333333333333335*neg_R_rocker_xx;
    const double neg_RI_rocker_zx = 0.005333333333333335*neg_R_rocker_xy;
    const double Iw_rocker_xx = neg_R_rocker_xx*neg_RI_rocker_xx;
    inertias[18] = Iw_rocker_xx;
    const double Iw_rocker_xz = neg_R_rocker_xy*neg_RI_rocker_xx;
    inertias[20] = Iw_rocker_xz;
    inertias[24] = Iw_rocker_xz;
    const double Iw_rocker_zz = neg_R_rocker_xy*neg_RI_rocker_zx;
    inertias[26] = Iw_rocker_zz;

    /* crank */
    const double ww_crank = v[0]*v[0];

    /* coupler */
    const double w_coupler_z = v[0] + v[1];
    const double neg_ap_coupler_y = 0.2*ww_crank;
    const double neg_a_coupler_x = s[1]*neg_ap_coupler_y;
    const double neg_a_coupler_y = c[1]*neg_ap_coupler_y;
    const double ww_coupler = w_coupler_z*w_coupler_z;

    /* rocker */
    const double w_rocker_z = w_coupler_z + v[2];
    const double neg_ap_rocker_y = neg_a_coupler_y + 0.5*ww_coupler;
    const double neg_a_rocker_x = c[2]*neg_a_coupler_x + s[2]*neg_ap_rocker_y;
    const double a_rocker_y = s[2]*neg_a_coupler_x - c[2]*neg_ap_rocker_y;
    const double ww_rocker = w_rocker_z*w_rocker_z;
    const double neg_aG_y = 0.1*ww_crank;
    const double neg_aG_y_2 = neg_a_coupler_y + 0.25*ww_coupler;
    const double aG_y = a_rocker_y - 0.2*ww_rocker;
    const double neg_drift_0 = c[0]*neg_aG_y;
    drift[0] = -neg_drift_0;
    const double drift_2 = s[0]*neg_aG_y;
    drift[2] = drift_2;
    const double neg_drift_6 = R_coupler_xx*neg_a_coupler_x - neg_R_coupler_xy*neg_aG_y_2;
    drift[6] = -neg_drift_6;
    const double drift_8 = neg_R_coupler_xy*neg_a_coupler_x + R_coupler_xx*neg_aG_y_2;
    drift[8] = drift_8;
    const double drift_12 = neg_R_rocker_xx*neg_a_rocker_x - neg_R_rocker_xy*aG_y;
    drift[12] = drift_12;
    const double drift_14 = neg_R_rocker_xy*neg_a_rocker_x + neg_R_rocker_xx*aG_y;
    drift[14] = drift_14;
}

/* Acceleration of gravity, world axes. No operations. */
static void four_bar_gravity_vector(const double *restrict q, double *restrict g)
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
static const int axis_last[] = {0, 1, 2};
/* The link that each motion axis moves. */
static const int axis_link[] = {0, 1, 2};
/* One past the last link of each link's subtree. */
static const int link_below[] = {3, 3, 3};

#include "kinegen/tree/torque_terms.h"

/* Torque of every dof by link and cause: acceleration, centrifugal and Coriolis, gravity. */
void four_bar_torque_terms(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict terms)
{
    torque_terms(0, q, v, a, terms);
}

void four_bar_torque_terms_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *terms)
{
    for (long i = 0; i < n; i++)
        four_bar_torque_terms(q + i*q_stride, v + i*v_stride, a + i*a_stride, terms + i*27);
}
