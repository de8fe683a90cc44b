/* two_holds: closure of loop 1, hook.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * R, p: pose in the parent or, where poses are asked for, in the world
 * u, up: velocity of the link's origin; as the parent carries it (articulated: u is the joint force left)
 * ww: products of entries of w
 * r, rr: arm, or right-hand side; products of its entries
 * J: Jacobian
 * ue, ae, us, du, ddu, dW, ddW, dz: sides of a loop: velocity, acceleration of the end; of one against the other,
 *     rates
 * e, b: locked rows of a loop: gap, rate
 */

#include "kinegen/linear/sincos.h"

/* What is defined and called here, as two_holds.h declares it. */
void two_holds_loop1_gap(const double *p, const double *q, double *gap);
void two_holds_loop1_rows(const double *p, const double *q, double *K);
void two_holds_loop1_turning(const double *p, const double *q, const double *v, double *dKv);
void two_holds_loop1_pose(const double *p, const double *q, double *pose);
void two_holds_loop1_twist(const double *p, const double *q, double *twist);
void two_holds_loop1_jacobian(const double *p, const double *q, double *J);
void two_holds_loop1_bias(const double *p, const double *q, const double *v, double *dJv);
void two_holds_loop1_wrench(const double *p, const double *q, double *N);
void two_holds_loop1_effort(const double *p, const double *q, double *A);

/* Gap of loop 1. 12 mul, 9 add, 1 sincos. */
void two_holds_loop1_gap(const double *restrict p, const double *restrict q, double *restrict gap)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    gap[5] = 0.0;
    gap[2] = p[19];

    /* loop hook */
    const double p_slider_x = 0.5 + q[1]*s[0] - 0.5*c[0];
    const double p_slider_y = q[1]*c[0] + 0.5*s[0];
    const double R_hook_xz = p[21]*c[0] + p[13]*s[0];
    gap[4] = R_hook_xz;
    const double R_hook_yz = p[13]*c[0] - p[21]*s[0];
    gap[3] = -R_hook_yz;
    const double p_hook_x = p_slider_x + p[23]*c[0] + p[15]*s[0];
    gap[0] = p_hook_x;
    const double p_hook_y = p_slider_y + p[15]*c[0] - p[23]*s[0];
    gap[1] = p_hook_y;
}

/* Rows of K of loop 1. 8 mul, 8 add, 1 sincos. */
void two_holds_loop1_rows(const double *restrict p, const double *restrict q, double *restrict K)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    K[4] = 0.0;
    K[5] = 0.0;
    K[6] = 0.0;
    K[7] = 0.0;
    K[8] = 0.0;
    K[9] = 0.0;
    K[10] = 0.0;
    K[11] = 0.0;
    K[1] = s[0];
    K[3] = c[0];

    /* loop hook */
    const double p_slider_x = 0.5 + q[1]*s[0] - 0.5*c[0];
    const double p_slider_y = q[1]*c[0] + 0.5*s[0];
    const double p_hook_x = p_slider_x + p[23]*c[0] + p[15]*s[0];
    const double p_hook_y = p_slider_y + p[15]*c[0] - p[23]*s[0];
    K[0] = p_hook_y;
    const double neg_r_rod_x = 0.5 - p_hook_x;
    K[2] = neg_r_rod_x;
}

/* Rate dK/dt v of the rows of loop 1. 19 mul, 13 add, 1 sincos. */
void two_holds_loop1_turning(const double *restrict p, const double *restrict q, const double *restrict v,
    double *restrict dKv)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    dKv[2] = 0.0;
    dKv[3] = 0.0;
    dKv[4] = 0.0;
    dKv[5] = 0.0;

    /* loop hook */
    const double p_slider_x = 0.5 + q[1]*s[0] - 0.5*c[0];
    const double p_slider_y = q[1]*c[0] + 0.5*s[0];
    const double p_hook_x = p_slider_x + p[23]*c[0] + p[15]*s[0];
    const double p_hook_y = p_slider_y + p[15]*c[0] - p[23]*s[0];

    /* loop hook, drift */
    const double ww_rod = v[0]*v[0];
    const double neg_ue_y = 0.5*v[0];
    const double ae_x = 0.5*ww_rod;
    const double u_hook_x = s[0]*v[1];
    const double u_hook_y = c[0]*v[1];
    const double du_y = u_hook_y + neg_ue_y;
    const double us_x = u_hook_x + p_hook_y*v[0];
    const double neg_us_y = p_hook_x*v[0] - du_y;
    const double ddu_x = v[0]*du_y - ae_x - v[0]*neg_us_y;
    dKv[0] = ddu_x;
    const double neg_ddu_y = v[0]*u_hook_x + v[0]*us_x;
    dKv[1] = -neg_ddu_y;
}

/* Pose [R | p] of the joint's frame on the child in its frame on the parent of loop 1. 20 mul, 13 add, 1 sincos. */
void two_holds_loop1_pose(const double *restrict p, const double *restrict q, double *restrict pose)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    pose[4] = p[16];
    pose[5] = p[17];
    pose[6] = p[18];
    pose[7] = p[19];

    /* loop hook */
    const double p_slider_x = 0.5 + q[1]*s[0] - 0.5*c[0];
    const double p_slider_y = q[1]*c[0] + 0.5*s[0];
    const double R_hook_xx = p[22]*c[0] + p[14]*s[0];
    pose[10] = R_hook_xx;
    const double R_hook_xy = p[20]*c[0] + p[12]*s[0];
    pose[8] = R_hook_xy;
    const double R_hook_xz = p[21]*c[0] + p[13]*s[0];
    pose[9] = R_hook_xz;
    const double R_hook_yx = p[14]*c[0] - p[22]*s[0];
    pose[2] = R_hook_yx;
    const double R_hook_yy = p[12]*c[0] - p[20]*s[0];
    pose[0] = R_hook_yy;
    const double R_hook_yz = p[13]*c[0] - p[21]*s[0];
    pose[1] = R_hook_yz;
    const double p_hook_x = p_slider_x + p[23]*c[0] + p[15]*s[0];
    pose[11] = p_hook_x;
    const double p_hook_y = p_slider_y + p[15]*c[0] - p[23]*s[0];
    pose[3] = p_hook_y;
}

/* Twist of the child's side per unit of v, its axes of loop 1. 32 mul, 20 add, 1 sincos. */
void two_holds_loop1_twist(const double *restrict p, const double *restrict q, double *restrict twist)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    twist[7] = 0.0;
    twist[9] = 0.0;
    twist[11] = 0.0;
    twist[6] = -p[16];
    twist[8] = -p[17];
    twist[10] = -p[18];

    /* loop hook */
    const double p_slider_x = 0.5 + q[1]*s[0] - 0.5*c[0];
    const double p_slider_y = q[1]*c[0] + 0.5*s[0];
    const double R_hook_xx = p[22]*c[0] + p[14]*s[0];
    const double R_hook_xy = p[20]*c[0] + p[12]*s[0];
    const double R_hook_xz = p[21]*c[0] + p[13]*s[0];
    const double R_hook_yx = p[14]*c[0] - p[22]*s[0];
    const double R_hook_yy = p[12]*c[0] - p[20]*s[0];
    const double R_hook_yz = p[13]*c[0] - p[21]*s[0];
    const double p_hook_x = p_slider_x + p[23]*c[0] + p[15]*s[0];
    const double p_hook_y = p_slider_y + p[15]*c[0] - p[23]*s[0];
    const double neg_r_rod_x = 0.5 - p_hook_x;
    const double J = R_hook_xy*p_hook_y + R_hook_yy*neg_r_rod_x;
    twist[0] = J;
    const double J_2 = R_hook_xz*p_hook_y + R_hook_yz*neg_r_rod_x;
    twist[2] = J_2;
    const double J_3 = R_hook_xx*p_hook_y + R_hook_yx*neg_r_rod_x;
    twist[4] = J_3;
    const double J_4 = s[0]*R_hook_xy + c[0]*R_hook_yy;
    twist[1] = J_4;
    const double J_5 = s[0]*R_hook_xz + c[0]*R_hook_yz;
    twist[3] = J_5;
    const double J_6 = s[0]*R_hook_xx + c[0]*R_hook_yx;
    twist[5] = J_6;
}

/* Rows of J_C, columns of the tree and of the joint of loop 1. 14 mul, 11 add, 1 sincos. */
void two_holds_loop1_jacobian(const double *restrict p, const double *restrict q, double *restrict J)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    for (int i = 0; i < 18; i++) J[i] = 0.0;
    J[12] = 1.0;
    J[14] = 1.0;

    /* loop hook */
    const double p_slider_x = 0.5 + q[1]*s[0] - 0.5*c[0];
    const double p_slider_y = q[1]*c[0] + 0.5*s[0];
    const double p_hook_x = p_slider_x + p[23]*c[0] + p[15]*s[0];
    const double p_hook_y = p_slider_y + p[15]*c[0] - p[23]*s[0];
    const double neg_r_rod_x = 0.5 - p_hook_x;
    const double neg_J = s[0]*p_hook_y + c[0]*neg_r_rod_x;
    J[0] = -neg_J;
    const double J_2 = s[0]*neg_r_rod_x - c[0]*p_hook_y;
    J[6] = J_2;
    const double neg_J_2 = s[0]*s[0] + c[0]*c[0];
    J[1] = -neg_J_2;
}

/* Rate dJ_C/dt dtheta_J of loop 1. 25 mul, 17 add, 1 sincos. */
void two_holds_loop1_bias(const double *restrict p, const double *restrict q, const double *restrict v,
    double *restrict dJv)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    dJv[1] = 0.0;
    dJv[3] = 0.0;
    dJv[4] = 0.0;
    dJv[5] = 0.0;

    /* loop hook */
    const double p_slider_x = 0.5 + q[1]*s[0] - 0.5*c[0];
    const double p_slider_y = q[1]*c[0] + 0.5*s[0];
    const double p_hook_x = p_slider_x + p[23]*c[0] + p[15]*s[0];
    const double p_hook_y = p_slider_y + p[15]*c[0] - p[23]*s[0];

    /* loop hook, drift */
    const double ww_rod = v[0]*v[0];
    const double neg_ue_y = 0.5*v[0];
    const double ae_x = 0.5*ww_rod;
    const double u_hook_x = s[0]*v[1];
    const double u_hook_y = c[0]*v[1];
    const double du_y = u_hook_y + neg_ue_y;
    const double us_x = u_hook_x + p_hook_y*v[0];
    const double neg_us_y = p_hook_x*v[0] - du_y;
    const double ddu_x = v[0]*du_y - ae_x - v[0]*neg_us_y;
    const double neg_ddu_y = v[0]*u_hook_x + v[0]*us_x;
    const double neg_e_x = v[0]*neg_us_y + ddu_x;
    const double neg_e_y = v[0]*us_x - neg_ddu_y;
    const double neg_dJv_0 = s[0]*neg_e_x + c[0]*neg_e_y;
    dJv[0] = -neg_dJv_0;
    const double dJv_2 = s[0]*neg_e_y - c[0]*neg_e_x;
    dJv[2] = dJv_2;
}

/* Wrench on the child's side in world axes per unit force along the rows of loop 1. 1 sincos. */
void two_holds_loop1_wrench(const double *restrict p, const double *restrict q, double *restrict N)
{
    (void)p;
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    for (int i = 0; i < 36; i++) N[i] = 0.0;
    N[8] = 1.0;
    N[0] = s[0];
    N[13] = -s[0];
    N[21] = s[0];
    N[34] = -s[0];
    N[1] = c[0];
    N[12] = c[0];
    N[22] = c[0];
    N[33] = c[0];
}

/* Wrench on the child's side in world axes per unit along the joint's velocities of loop 1. No operations. */
void two_holds_loop1_effort(const double *restrict p, const double *restrict q, double *restrict A)
{
    (void)p;
    (void)q;
    A[0] = 0.0;
    A[1] = 0.0;
    A[2] = 0.0;
    A[3] = 0.0;
    A[4] = 1.0;
    A[5] = 0.0;
}

