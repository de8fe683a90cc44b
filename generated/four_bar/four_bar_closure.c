/* four_bar: closure of the loops.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * R, p: pose in the parent or, where poses are asked for, in the world
 * w, wp: angular velocity; that of the parent in the link's axes
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * u, up: velocity of the link's origin; as the parent carries it (articulated: u is the joint force left)
 * ww: products of entries of w
 * r, rr: arm, or right-hand side; products of its entries
 * J: Jacobian
 * ue, ae, us, du, ddu, dW, ddW, dz: sides of a loop: velocity, acceleration of the end; of one against the other,
 *     rates
 * e, b: locked rows of a loop: gap, rate
 */

#include "kinegen/linear/sincos.h"

/* What is defined and called here, as four_bar.h declares it. */
void four_bar_closure_residual(const double *q, double *gap);
void four_bar_closure_rows(const double *q, double *K);
void four_bar_closure_rows_bias(const double *q, const double *v, double *dKv);
void four_bar_cut_poses(const double *q, double *poses);
void four_bar_cut_twists(const double *q, double *twists);
void four_bar_closure_jacobian(const double *q, double *J_C);
void four_bar_closure_bias(const double *q, const double *v, double *dJv);
void four_bar_closure_residual_batch(long n, const double *q, long q_stride, double *gap);
void four_bar_closure_rows_batch(long n, const double *q, long q_stride, double *K);
void four_bar_closure_rows_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *dKv);
void four_bar_cut_poses_batch(long n, const double *q, long q_stride, double *poses);
void four_bar_cut_twists_batch(long n, const double *q, long q_stride, double *twists);
void four_bar_closure_jacobian_batch(long n, const double *q, long q_stride, double *J_C);
void four_bar_closure_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *dJv);

/* Gap of each loop: linear, angular, in the cut joint's frame. 14 mul, 9 add, 3 sincos. */
void four_bar_closure_residual(const double *restrict q, double *restrict gap)
{
    double s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_sincos(3, q, s, c);
    gap[2] = 0.0;
    gap[3] = 0.0;
    gap[4] = 0.0;
    gap[5] = 0.0;

    /* loop pin */
    const double neg_R_coupler_xx = s[0]*s[1] - c[0]*c[1];
    const double neg_R_coupler_xy = c[0]*s[1] + s[0]*c[1];
    const double neg_p_coupler_x = 0.2*s[0];
    const double neg_p_coupler_y = 0.5 - 0.2*c[0];
    const double neg_R_rocker_xx = c[2]*neg_R_coupler_xx + s[2]*neg_R_coupler_xy;
    const double R_rocker_xy = s[2]*neg_R_coupler_xx - c[2]*neg_R_coupler_xy;
    const double neg_p_rocker_x = neg_p_coupler_x + 0.5*neg_R_coupler_xy;
    const double neg_p_rocker_y = neg_p_coupler_y + 0.5*neg_R_coupler_xx;
    const double p_pin_x = 0.4*R_rocker_xy - neg_p_rocker_x;
    gap[0] = p_pin_x;
    const double neg_p_pin_y = neg_p_rocker_y + 0.4*neg_R_rocker_xx;
    gap[1] = -neg_p_pin_y;
}

void four_bar_closure_residual_batch(long n, const double *q, long q_stride, double *gap)
{
    for (long i = 0; i < n; i++)
        four_bar_closure_residual(q + i*q_stride, gap + i*6);
}

/* Rows K of K v = 0: locked twist of each loop in the cut joint's frame. 14 mul, 14 add, 3 sincos. */
void four_bar_closure_rows(const double *restrict q, double *restrict K)
{
    double s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_sincos(3, q, s, c);
    kg_zeros(12, K + 6);

    /* loop pin */
    const double neg_R_coupler_xx = s[0]*s[1] - c[0]*c[1];
    const double neg_R_coupler_xy = c[0]*s[1] + s[0]*c[1];
    const double neg_p_coupler_x = 0.2*s[0];
    const double neg_p_coupler_y = 0.5 - 0.2*c[0];
    const double neg_R_rocker_xx = c[2]*neg_R_coupler_xx + s[2]*neg_R_coupler_xy;
    const double R_rocker_xy = s[2]*neg_R_coupler_xx - c[2]*neg_R_coupler_xy;
    const double neg_p_rocker_x = neg_p_coupler_x + 0.5*neg_R_coupler_xy;
    const double neg_p_rocker_y = neg_p_coupler_y + 0.5*neg_R_coupler_xx;
    const double p_pin_x = 0.4*R_rocker_xy - neg_p_rocker_x;
    K[3] = p_pin_x;
    const double neg_p_pin_y = neg_p_rocker_y + 0.4*neg_R_rocker_xx;
    const double r_crank_y = 0.5 - neg_p_pin_y;
    K[0] = -r_crank_y;
    const double r_coupler_x = p_pin_x + neg_p_coupler_x;
    K[4] = r_coupler_x;
    const double r_coupler_y = neg_p_coupler_y - neg_p_pin_y;
    K[1] = -r_coupler_y;
    const double r_rocker_x = p_pin_x + neg_p_rocker_x;
    K[5] = r_rocker_x;
    const double r_rocker_y = neg_p_rocker_y - neg_p_pin_y;
    K[2] = -r_rocker_y;
}

void four_bar_closure_rows_batch(long n, const double *q, long q_stride, double *K)
{
    for (long i = 0; i < n; i++)
        four_bar_closure_rows(q + i*q_stride, K + i*18);
}

/* Rate dK/dt v of the rows. 24 mul, 12 add, 3 sincos. */
void four_bar_closure_rows_bias(const double *restrict q, const double *restrict v, double *restrict dKv)
{
    double s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_sincos(3, q, s, c);
    dKv[2] = 0.0;
    dKv[3] = 0.0;
    dKv[4] = 0.0;
    dKv[5] = 0.0;

    /* loop pin */
    const double neg_R_coupler_xx = s[0]*s[1] - c[0]*c[1];
    const double neg_R_coupler_xy = c[0]*s[1] + s[0]*c[1];
    const double neg_R_rocker_xx = c[2]*neg_R_coupler_xx + s[2]*neg_R_coupler_xy;
    const double R_rocker_xy = s[2]*neg_R_coupler_xx - c[2]*neg_R_coupler_xy;

    /* loop pin, drift */
    const double ww_crank = v[0]*v[0];
    const double w_coupler_z = v[0] + v[1];
    const double neg_ap_coupler_y = 0.2*ww_crank;
    const double neg_a_coupler_x = s[1]*neg_ap_coupler_y;
    const double neg_a_coupler_y = c[1]*neg_ap_coupler_y;
    const double ww_coupler = w_coupler_z*w_coupler_z;
    const double w_rocker_z = w_coupler_z + v[2];
    const double neg_ap_rocker_y = neg_a_coupler_y + 0.5*ww_coupler;
    const double neg_a_rocker_x = c[2]*neg_a_coupler_x + s[2]*neg_ap_rocker_y;
    const double a_rocker_y = s[2]*neg_a_coupler_x - c[2]*neg_ap_rocker_y;
    const double ww_rocker = w_rocker_z*w_rocker_z;
    const double ae_y = a_rocker_y - 0.4*ww_rocker;
    const double a_pin_x = neg_R_rocker_xx*neg_a_rocker_x + R_rocker_xy*ae_y;
    dKv[0] = a_pin_x;
    const double neg_a_pin_y = neg_R_rocker_xx*ae_y - R_rocker_xy*neg_a_rocker_x;
    dKv[1] = -neg_a_pin_y;
}

void four_bar_closure_rows_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *dKv)
{
    for (long i = 0; i < n; i++)
        four_bar_closure_rows_bias(q + i*q_stride, v + i*v_stride, dKv + i*6);
}

/* Pose [R | p] of each cut joint's frame on the child in its frame on the parent. 14 mul, 9 add, 3 sincos. */
void four_bar_cut_poses(const double *restrict q, double *restrict poses)
{
    double s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_sincos(3, q, s, c);
    poses[1] = 0.0;
    poses[4] = 0.0;
    poses[5] = 1.0;
    poses[6] = 0.0;
    poses[7] = 0.0;
    poses[9] = 0.0;

    /* loop pin */
    const double neg_R_coupler_xx = s[0]*s[1] - c[0]*c[1];
    const double neg_R_coupler_xy = c[0]*s[1] + s[0]*c[1];
    const double neg_p_coupler_x = 0.2*s[0];
    const double neg_p_coupler_y = 0.5 - 0.2*c[0];
    const double neg_R_rocker_xx = c[2]*neg_R_coupler_xx + s[2]*neg_R_coupler_xy;
    poses[0] = -neg_R_rocker_xx;
    poses[10] = -neg_R_rocker_xx;
    const double R_rocker_xy = s[2]*neg_R_coupler_xx - c[2]*neg_R_coupler_xy;
    poses[2] = -R_rocker_xy;
    poses[8] = R_rocker_xy;
    const double neg_p_rocker_x = neg_p_coupler_x + 0.5*neg_R_coupler_xy;
    const double neg_p_rocker_y = neg_p_coupler_y + 0.5*neg_R_coupler_xx;
    const double p_pin_x = 0.4*R_rocker_xy - neg_p_rocker_x;
    poses[11] = p_pin_x;
    const double neg_p_pin_y = neg_p_rocker_y + 0.4*neg_R_rocker_xx;
    poses[3] = -neg_p_pin_y;
}

void four_bar_cut_poses_batch(long n, const double *q, long q_stride, double *poses)
{
    for (long i = 0; i < n; i++)
        four_bar_cut_poses(q + i*q_stride, poses + i*12);
}

/* Twist of each cut joint, child axes, per unit of v. 26 mul, 20 add, 3 sincos. */
void four_bar_cut_twists(const double *restrict q, double *restrict twists)
{
    double s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_sincos(3, q, s, c);
    for (int i = 0; i < 18; i++) twists[i] = 0.0;
    twists[12] = 1.0;
    twists[13] = 1.0;
    twists[14] = 1.0;

    /* loop pin */
    const double neg_R_coupler_xx = s[0]*s[1] - c[0]*c[1];
    const double neg_R_coupler_xy = c[0]*s[1] + s[0]*c[1];
    const double neg_p_coupler_x = 0.2*s[0];
    const double neg_p_coupler_y = 0.5 - 0.2*c[0];
    const double neg_R_rocker_xx = c[2]*neg_R_coupler_xx + s[2]*neg_R_coupler_xy;
    const double R_rocker_xy = s[2]*neg_R_coupler_xx - c[2]*neg_R_coupler_xy;
    const double neg_p_rocker_x = neg_p_coupler_x + 0.5*neg_R_coupler_xy;
    const double neg_p_rocker_y = neg_p_coupler_y + 0.5*neg_R_coupler_xx;
    const double p_pin_x = 0.4*R_rocker_xy - neg_p_rocker_x;
    const double neg_p_pin_y = neg_p_rocker_y + 0.4*neg_R_rocker_xx;
    const double r_crank_y = 0.5 - neg_p_pin_y;
    const double r_coupler_x = p_pin_x + neg_p_coupler_x;
    const double r_coupler_y = neg_p_coupler_y - neg_p_pin_y;
    const double r_rocker_x = p_pin_x + neg_p_rocker_x;
    const double r_rocker_y = neg_p_rocker_y - neg_p_pin_y;
    const double neg_J = R_rocker_xy*r_crank_y + neg_R_rocker_xx*p_pin_x;
    twists[0] = -neg_J;
    const double J = neg_R_rocker_xx*r_crank_y - R_rocker_xy*p_pin_x;
    twists[6] = J;
    const double neg_J_2 = R_rocker_xy*r_coupler_y + neg_R_rocker_xx*r_coupler_x;
    twists[1] = -neg_J_2;
    const double J_2 = neg_R_rocker_xx*r_coupler_y - R_rocker_xy*r_coupler_x;
    twists[7] = J_2;
    const double neg_J_3 = R_rocker_xy*r_rocker_y + neg_R_rocker_xx*r_rocker_x;
    twists[2] = -neg_J_3;
    const double J_3 = neg_R_rocker_xx*r_rocker_y - R_rocker_xy*r_rocker_x;
    twists[8] = J_3;
}

void four_bar_cut_twists_batch(long n, const double *q, long q_stride, double *twists)
{
    for (long i = 0; i < n; i++)
        four_bar_cut_twists(q + i*q_stride, twists + i*18);
}

/* Jacobian J_C: twist of virtual minus real link, world axes; tree, then cut joints. 14 mul, 14 add, 3 sincos. */
void four_bar_closure_jacobian(const double *restrict q, double *restrict J_C)
{
    double s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_sincos(3, q, s, c);
    for (int i = 0; i < 24; i++) J_C[i] = 0.0;
    J_C[16] = -1.0;
    J_C[17] = -1.0;
    J_C[18] = -1.0;
    J_C[19] = 1.0;

    /* loop pin */
    const double neg_R_coupler_xx = s[0]*s[1] - c[0]*c[1];
    const double neg_R_coupler_xy = c[0]*s[1] + s[0]*c[1];
    const double neg_p_coupler_x = 0.2*s[0];
    const double neg_p_coupler_y = 0.5 - 0.2*c[0];
    const double neg_R_rocker_xx = c[2]*neg_R_coupler_xx + s[2]*neg_R_coupler_xy;
    const double R_rocker_xy = s[2]*neg_R_coupler_xx - c[2]*neg_R_coupler_xy;
    const double neg_p_rocker_x = neg_p_coupler_x + 0.5*neg_R_coupler_xy;
    const double neg_p_rocker_y = neg_p_coupler_y + 0.5*neg_R_coupler_xx;
    const double p_pin_x = 0.4*R_rocker_xy - neg_p_rocker_x;
    J_C[0] = -p_pin_x;
    const double neg_p_pin_y = neg_p_rocker_y + 0.4*neg_R_rocker_xx;
    const double r_crank_y = 0.5 - neg_p_pin_y;
    J_C[8] = r_crank_y;
    const double r_coupler_x = p_pin_x + neg_p_coupler_x;
    J_C[1] = -r_coupler_x;
    const double r_coupler_y = neg_p_coupler_y - neg_p_pin_y;
    J_C[9] = r_coupler_y;
    const double r_rocker_x = p_pin_x + neg_p_rocker_x;
    J_C[2] = -r_rocker_x;
    const double r_rocker_y = neg_p_rocker_y - neg_p_pin_y;
    J_C[10] = r_rocker_y;
}

void four_bar_closure_jacobian_batch(long n, const double *q, long q_stride, double *J_C)
{
    for (long i = 0; i < n; i++)
        four_bar_closure_jacobian(q + i*q_stride, J_C + i*24);
}

/* Rate dJ_C/dt dtheta_J, world axes. 39 mul, 20 add, 3 sincos. */
void four_bar_closure_bias(const double *restrict q, const double *restrict v, double *restrict dJv)
{
    double s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_sincos(3, q, s, c);
    dJv[1] = 0.0;
    dJv[3] = 0.0;
    dJv[4] = 0.0;
    dJv[5] = 0.0;

    /* coupler */
    const double R_coupler_xx = s[0]*c[1] + c[0]*s[1];
    const double neg_R_coupler_xy = s[0]*s[1] - c[0]*c[1];

    /* rocker */
    const double neg_R_rocker_xx = s[2]*neg_R_coupler_xy - c[2]*R_coupler_xx;
    const double neg_R_rocker_xy = s[2]*R_coupler_xx + c[2]*neg_R_coupler_xy;

    /* loop pin, drift */
    const double ww_crank = v[0]*v[0];
    const double neg_up_coupler_x = 0.2*v[0];
    const double neg_u_coupler_x = c[1]*neg_up_coupler_x;
    const double u_coupler_y = s[1]*neg_up_coupler_x;
    const double w_coupler_z = v[0] + v[1];
    const double neg_ap_coupler_y = 0.2*ww_crank;
    const double neg_a_coupler_x = s[1]*neg_ap_coupler_y;
    const double neg_a_coupler_y = c[1]*neg_ap_coupler_y;
    const double ww_coupler = w_coupler_z*w_coupler_z;
    const double neg_up_rocker_x = neg_u_coupler_x + 0.5*w_coupler_z;
    const double u_rocker_x = s[2]*u_coupler_y - c[2]*neg_up_rocker_x;
    const double u_rocker_y = s[2]*neg_up_rocker_x + c[2]*u_coupler_y;
    const double w_rocker_z = w_coupler_z + v[2];
    const double neg_ap_rocker_y = neg_a_coupler_y + 0.5*ww_coupler;
    const double neg_a_rocker_x = c[2]*neg_a_coupler_x + s[2]*neg_ap_rocker_y;
    const double a_rocker_y = s[2]*neg_a_coupler_x - c[2]*neg_ap_rocker_y;
    const double ww_rocker = w_rocker_z*w_rocker_z;
    const double ue_x = u_rocker_x - 0.4*w_rocker_z;
    const double ae_y = a_rocker_y - 0.4*ww_rocker;
    const double u_pin_x = neg_R_rocker_xx*u_rocker_y - neg_R_rocker_xy*ue_x;
    const double neg_u_pin_y = neg_R_rocker_xx*ue_x + neg_R_rocker_xy*u_rocker_y;
    const double a_pin_x = neg_R_rocker_xy*neg_a_rocker_x + neg_R_rocker_xx*ae_y;
    const double a_pin_y = neg_R_rocker_xx*neg_a_rocker_x - neg_R_rocker_xy*ae_y;
    const double e_x = w_rocker_z*neg_u_pin_y - a_pin_x;
    dJv[2] = e_x;
    const double e_y = w_rocker_z*u_pin_x - a_pin_y;
    dJv[0] = e_y;
}

void four_bar_closure_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *dJv)
{
    for (long i = 0; i < n; i++)
        four_bar_closure_bias(q + i*q_stride, v + i*v_stride, dJv + i*6);
}

