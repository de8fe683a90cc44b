/* two_holds: closure of loop 0, grip.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * R, p: pose in the parent or, where poses are asked for, in the world
 * ww: products of entries of w
 * r, rr: arm, or right-hand side; products of its entries
 * J: Jacobian
 * ue, ae, us, du, ddu, dW, ddW, dz: sides of a loop: velocity, acceleration of the end; of one against the other,
 *     rates
 * e, b: locked rows of a loop: gap, rate
 */

#include "kinegen/linear/sincos.h"

/* What is defined and called here, as two_holds.h declares it. */
void two_holds_loop0_gap(const double *p, const double *q, double *gap);
void two_holds_loop0_rows(const double *p, const double *q, double *K);
void two_holds_loop0_turning(const double *p, const double *q, const double *v, double *dKv);
void two_holds_loop0_pose(const double *p, const double *q, double *pose);
void two_holds_loop0_twist(const double *p, const double *q, double *twist);
void two_holds_loop0_jacobian(const double *p, const double *q, double *J);
void two_holds_loop0_bias(const double *p, const double *q, const double *v, double *dJv);
void two_holds_loop0_wrench(const double *p, const double *q, double *N);
void two_holds_loop0_effort(const double *p, const double *q, double *A);

/* Gap of loop 0. 8 mul, 5 add, 1 sincos. */
void two_holds_loop0_gap(const double *restrict p, const double *restrict q, double *restrict gap)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    gap[5] = 0.0;
    gap[2] = p[7];

    /* loop grip */
    const double R_grip_xz = p[1]*s[0] + p[9]*c[0];
    gap[4] = R_grip_xz;
    const double R_grip_yz = p[1]*c[0] - p[9]*s[0];
    gap[3] = -R_grip_yz;
    const double p_grip_x = 0.5 + p[3]*s[0] + p[11]*c[0];
    gap[0] = p_grip_x;
    const double p_grip_y = p[3]*c[0] - p[11]*s[0];
    gap[1] = p_grip_y;
}

/* Rows of K of loop 0. 4 mul, 4 add, 1 sincos. */
void two_holds_loop0_rows(const double *restrict p, const double *restrict q, double *restrict K)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    for (int i = 0; i < 12; i++) K[i] = 0.0;

    /* loop grip */
    const double p_grip_x = 0.5 + p[3]*s[0] + p[11]*c[0];
    const double p_grip_y = p[3]*c[0] - p[11]*s[0];
    K[0] = p_grip_y;
    const double neg_r_rod_x = 0.5 - p_grip_x;
    K[2] = neg_r_rod_x;
}

/* Rate dK/dt v of the rows of loop 0. 12 mul, 6 add, 1 sincos. */
void two_holds_loop0_turning(const double *restrict p, const double *restrict q, const double *restrict v,
    double *restrict dKv)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    dKv[2] = 0.0;
    dKv[3] = 0.0;
    dKv[4] = 0.0;
    dKv[5] = 0.0;

    /* loop grip */
    const double p_grip_x = 0.5 + p[3]*s[0] + p[11]*c[0];
    const double p_grip_y = p[3]*c[0] - p[11]*s[0];

    /* loop grip, drift */
    const double ww_rod = v[0]*v[0];
    const double neg_ue_y = 0.5*v[0];
    const double ae_x = 0.5*ww_rod;
    const double us_x = p_grip_y*v[0];
    const double neg_us_y = p_grip_x*v[0] - neg_ue_y;
    const double ddu_x = v[0]*neg_ue_y - ae_x - v[0]*neg_us_y;
    dKv[0] = ddu_x;
    const double neg_ddu_y = v[0]*us_x;
    dKv[1] = -neg_ddu_y;
}

/* Pose [R | p] of the joint's frame on the child in its frame on the parent of loop 0. 16 mul, 9 add, 1 sincos. */
void two_holds_loop0_pose(const double *restrict p, const double *restrict q, double *restrict pose)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    pose[4] = p[4];
    pose[5] = p[5];
    pose[6] = p[6];
    pose[7] = p[7];

    /* loop grip */
    const double R_grip_xx = p[2]*s[0] + p[10]*c[0];
    pose[10] = R_grip_xx;
    const double R_grip_xy = p[0]*s[0] + p[8]*c[0];
    pose[8] = R_grip_xy;
    const double R_grip_xz = p[1]*s[0] + p[9]*c[0];
    pose[9] = R_grip_xz;
    const double R_grip_yx = p[2]*c[0] - p[10]*s[0];
    pose[2] = R_grip_yx;
    const double R_grip_yy = p[0]*c[0] - p[8]*s[0];
    pose[0] = R_grip_yy;
    const double R_grip_yz = p[1]*c[0] - p[9]*s[0];
    pose[1] = R_grip_yz;
    const double p_grip_x = 0.5 + p[3]*s[0] + p[11]*c[0];
    pose[11] = p_grip_x;
    const double p_grip_y = p[3]*c[0] - p[11]*s[0];
    pose[3] = p_grip_y;
}

/* Twist of the child's side per unit of v, its axes of loop 0. 22 mul, 13 add, 1 sincos. */
void two_holds_loop0_twist(const double *restrict p, const double *restrict q, double *restrict twist)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    twist[1] = 0.0;
    twist[3] = 0.0;
    twist[5] = 0.0;
    twist[7] = 0.0;
    twist[9] = 0.0;
    twist[11] = 0.0;
    twist[6] = -p[4];
    twist[8] = -p[5];
    twist[10] = -p[6];

    /* loop grip */
    const double R_grip_xx = p[2]*s[0] + p[10]*c[0];
    const double R_grip_xy = p[0]*s[0] + p[8]*c[0];
    const double R_grip_xz = p[1]*s[0] + p[9]*c[0];
    const double R_grip_yx = p[2]*c[0] - p[10]*s[0];
    const double R_grip_yy = p[0]*c[0] - p[8]*s[0];
    const double R_grip_yz = p[1]*c[0] - p[9]*s[0];
    const double p_grip_x = 0.5 + p[3]*s[0] + p[11]*c[0];
    const double p_grip_y = p[3]*c[0] - p[11]*s[0];
    const double neg_r_rod_x = 0.5 - p_grip_x;
    const double J = R_grip_xy*p_grip_y + R_grip_yy*neg_r_rod_x;
    twist[0] = J;
    const double J_2 = R_grip_xz*p_grip_y + R_grip_yz*neg_r_rod_x;
    twist[2] = J_2;
    const double J_3 = R_grip_xx*p_grip_y + R_grip_yx*neg_r_rod_x;
    twist[4] = J_3;
}

/* Rows of J_C, columns of the tree and of the joint of loop 0. 8 mul, 6 add, 1 sincos. */
void two_holds_loop0_jacobian(const double *restrict p, const double *restrict q, double *restrict J)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    for (int i = 0; i < 18; i++) J[i] = 0.0;
    J[12] = 1.0;
    J[14] = 1.0;

    /* loop grip */
    const double p_grip_x = 0.5 + p[3]*s[0] + p[11]*c[0];
    const double p_grip_y = p[3]*c[0] - p[11]*s[0];
    const double neg_r_rod_x = 0.5 - p_grip_x;
    const double neg_J = s[0]*p_grip_y + c[0]*neg_r_rod_x;
    J[0] = -neg_J;
    const double J_2 = s[0]*neg_r_rod_x - c[0]*p_grip_y;
    J[6] = J_2;
}

/* Rate dJ_C/dt dtheta_J of loop 0. 18 mul, 10 add, 1 sincos. */
void two_holds_loop0_bias(const double *restrict p, const double *restrict q, const double *restrict v,
    double *restrict dJv)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    dJv[1] = 0.0;
    dJv[3] = 0.0;
    dJv[4] = 0.0;
    dJv[5] = 0.0;

    /* loop grip */
    const double p_grip_x = 0.5 + p[3]*s[0] + p[11]*c[0];
    const double p_grip_y = p[3]*c[0] - p[11]*s[0];

    /* loop grip, drift */
    const double ww_rod = v[0]*v[0];
    const double neg_ue_y = 0.5*v[0];
    const double ae_x = 0.5*ww_rod;
    const double us_x = p_grip_y*v[0];
    const double neg_us_y = p_grip_x*v[0] - neg_ue_y;
    const double ddu_x = v[0]*neg_ue_y - ae_x - v[0]*neg_us_y;
    const double neg_ddu_y = v[0]*us_x;
    const double neg_e_x = v[0]*neg_us_y + ddu_x;
    const double neg_e_y = v[0]*us_x - neg_ddu_y;
    const double neg_dJv_0 = s[0]*neg_e_x + c[0]*neg_e_y;
    dJv[0] = -neg_dJv_0;
    const double dJv_2 = s[0]*neg_e_y - c[0]*neg_e_x;
    dJv[2] = dJv_2;
}

/* Wrench on the child's side in world axes per unit force along the rows of loop 0. 1 sincos. */
void two_holds_loop0_wrench(const double *restrict p, const double *restrict q, double *restrict N)
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

/* Wrench on the child's side in world axes per unit along the joint's velocities of loop 0. No operations. */
void two_holds_loop0_effort(const double *restrict p, const double *restrict q, double *restrict A)
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

