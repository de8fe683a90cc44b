/* floating_arm: what a coast keeps.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * R, p: pose in the parent or, where poses are asked for, in the world
 * dw, dwp, dwq: rate of w; the parent's; with velocity products of the joint
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * f, fp, n: force and moment about the link's origin; p: in the parent's axes
 */

#include "kinegen/linear/sincos.h"

/* What is defined and called here, as floating_arm.h declares it. */
void floating_arm_momenta(const double *q, const double *v, double *h);

/* Momenta h = M v. 62 mul, 44 add, 2 sincos. */
void floating_arm_momenta(const double *restrict q, const double *restrict v, double *restrict h)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q + 7, s, c);

    /* hand */
    const double p_hand_y = 0.5 + q[9];

    /* base */
    const double f_base_x = 6.0*v[0];
    const double f_base_y = 6.0*v[1] + 0.2*v[5];
    const double f_base_z = 6.0*v[2] - 0.2*v[4];
    const double n_base_x = 0.05416666666666667*v[3];
    const double neg_n_base_y = 0.2*v[2] - 0.12333333333333336*v[4];
    const double n_base_z = 0.14416666666666667*v[5] + 0.2*v[1];

    /* arm_mid */
    const double dwp_arm_mid_x = c[0]*v[3] + s[0]*v[4];
    const double neg_dwp_arm_mid_y = s[0]*v[3] - c[0]*v[4];
    const double dw_arm_mid_z = v[5] + v[6];
    const double ap_arm_mid_y = v[1] + 0.2*v[5];
    const double ap_arm_mid_z = v[2] - 0.2*v[4];
    const double a_arm_mid_x = c[0]*v[0] + s[0]*ap_arm_mid_y;
    const double neg_a_arm_mid_y = s[0]*v[0] - c[0]*ap_arm_mid_y;
    const double n_arm_mid_x = 0.00012500000000000006*dwp_arm_mid_x;
    const double n_arm_mid_z = 0.00012500000000000006*dw_arm_mid_z;

    /* arm */
    const double dwp_arm_x = s[1]*dwp_arm_mid_x + c[1]*dw_arm_mid_z;
    const double neg_dwp_arm_y = s[1]*dw_arm_mid_z - c[1]*dwp_arm_mid_x;
    const double dw_arm_z = v[7] - neg_dwp_arm_mid_y;
    const double a_arm_x = s[1]*a_arm_mid_x + c[1]*ap_arm_mid_z;
    const double neg_a_arm_y = s[1]*ap_arm_mid_z - c[1]*a_arm_mid_x;
    const double neg_f_arm_x = 0.25*dw_arm_z;
    const double f_arm_z = 0.25*dwp_arm_x;
    const double neg_n_arm_x = 0.25*neg_a_arm_mid_y - 0.08345833333333333*dwp_arm_x;
    const double neg_n_arm_y = 0.00012500000000000006*neg_dwp_arm_y;
    const double n_arm_z = 0.08358333333333333*dw_arm_z - 0.25*a_arm_x;

    /* hand */
    const double neg_ap_hand_x = p_hand_y*dw_arm_z - a_arm_x;
    const double ap_hand_z = p_hand_y*dwp_arm_x - neg_a_arm_mid_y;
    const double a_hand_z = v[8] - neg_a_arm_y;
    const double f_hand_x = 0.25*ap_hand_z;
    const double neg_f_hand_y = 0.25*neg_ap_hand_x;
    const double f_hand_z = 0.25*a_hand_z;
    h[8] = f_hand_z;

    /* hand, back */
    const double neg_f_arm_x_2 = neg_f_arm_x + neg_f_hand_y;
    const double f_arm_z_2 = f_arm_z + f_hand_x;
    const double n_arm_x = p_hand_y*f_hand_x - neg_n_arm_x;
    const double n_arm_z_2 = n_arm_z + p_hand_y*neg_f_hand_y;
    h[7] = n_arm_z_2;

    /* arm, back */
    const double neg_fp_arm_x = s[1]*neg_f_arm_x_2 - c[1]*f_hand_z;
    const double neg_fp_arm_z = c[1]*neg_f_arm_x_2 + s[1]*f_hand_z;
    const double n_arm_mid_x_2 = n_arm_mid_x + s[1]*n_arm_x - c[1]*neg_n_arm_y;
    const double n_arm_mid_z_2 = n_arm_mid_z + c[1]*n_arm_x + s[1]*neg_n_arm_y;
    h[6] = n_arm_mid_z_2;

    /* arm_mid, back */
    const double neg_fp_arm_mid_x = c[0]*neg_fp_arm_x + s[0]*f_arm_z_2;
    const double neg_fp_arm_mid_y = s[0]*neg_fp_arm_x - c[0]*f_arm_z_2;
    const double f_base_x_2 = f_base_x - neg_fp_arm_mid_x;
    h[0] = f_base_x_2;
    const double f_base_y_2 = f_base_y - neg_fp_arm_mid_y;
    h[1] = f_base_y_2;
    const double f_base_z_2 = f_base_z - neg_fp_arm_z;
    h[2] = f_base_z_2;
    const double neg_n_base_x = s[0]*n_arm_z_2 - n_base_x - c[0]*n_arm_mid_x_2;
    h[3] = -neg_n_base_x;
    const double n_base_y = s[0]*n_arm_mid_x_2 + c[0]*n_arm_z_2 + 0.2*neg_fp_arm_z - neg_n_base_y;
    h[4] = n_base_y;
    const double n_base_z_2 = n_base_z + n_arm_mid_z_2 - 0.2*neg_fp_arm_mid_y;
    h[5] = n_base_z_2;
}

