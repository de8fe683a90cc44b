/* two_holds: closure of loop 0, grip.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, along the axes of the link where nothing else is said.
 * neg_..: the negative of what the name says; _2, _3: the same quantity, further on; an output's name and a number: an
 * entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * R, p: pose in the parent or, where poses are asked for, in the world
 * w, wp: angular velocity; that of the parent in the link's axes
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * u, up: velocity of the link's origin; as the parent carries it (articulated: u is the joint force left)
 * ww: products of entries of w
 * l, z: linear and angular velocity per velocity of the joint
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

/* Gap of loop 0. 18 mul, 12 add, 1 sincos. */
void two_holds_loop0_gap(const double *restrict p, const double *restrict q, double *restrict gap)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    gap[5] = 0.0;
    gap[3] = -p[4];
    gap[4] = -p[6];

    /* loop grip */
    const double neg_p_end_x = p[2]*p[3] + p[6]*p[7] + p[10]*p[11];
    const double p_end_y = p[0]*p[3] + p[4]*p[7] + p[8]*p[11];
    const double p_end_z = p[1]*p[3] + p[5]*p[7] + p[9]*p[11];
    const double R_rod_xx = p[2]*s[0] + p[10]*c[0];
    const double neg_R_rod_yx = p[0]*s[0] + p[8]*c[0];
    const double neg_R_rod_zx = p[1]*s[0] + p[9]*c[0];
    const double neg_p_grip_x = neg_p_end_x + 0.5*R_rod_xx;
    gap[0] = -neg_p_grip_x;
    const double p_grip_y = p_end_y + 0.5*neg_R_rod_yx;
    gap[1] = p_grip_y;
    const double p_grip_z = p_end_z + 0.5*neg_R_rod_zx;
    gap[2] = p_grip_z;
}

/* Rows of K of loop 0. 24 mul, 18 add, 1 sincos. */
void two_holds_loop0_rows(const double *restrict p, const double *restrict q, double *restrict K)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    K[1] = 0.0;
    K[3] = 0.0;
    K[5] = 0.0;
    K[7] = 0.0;
    K[9] = 0.0;
    K[10] = 0.0;
    K[11] = 0.0;
    K[6] = p[6];
    K[8] = -p[4];

    /* loop grip */
    const double neg_p_end_x = p[2]*p[3] + p[6]*p[7] + p[10]*p[11];
    const double p_end_y = p[0]*p[3] + p[4]*p[7] + p[8]*p[11];
    const double p_end_z = p[1]*p[3] + p[5]*p[7] + p[9]*p[11];
    const double R_rod_xx = p[2]*s[0] + p[10]*c[0];
    const double neg_R_rod_yx = p[0]*s[0] + p[8]*c[0];
    const double neg_R_rod_zx = p[1]*s[0] + p[9]*c[0];
    const double neg_p_grip_x = neg_p_end_x + 0.5*R_rod_xx;
    const double p_grip_y = p_end_y + 0.5*neg_R_rod_yx;
    const double p_grip_z = p_end_z + 0.5*neg_R_rod_zx;
    const double r_rod_x = neg_p_end_x - neg_p_grip_x;
    const double neg_r_rod_y = p_end_y - p_grip_y;
    const double neg_r_rod_z = p_end_z - p_grip_z;
    const double l_rod_x = p[4]*neg_r_rod_z - p[5]*neg_r_rod_y;
    K[0] = l_rod_x;
    const double neg_l_rod_y = p[5]*r_rod_x - p[6]*neg_r_rod_z;
    K[2] = -neg_l_rod_y;
    const double l_rod_z = p[4]*r_rod_x - p[6]*neg_r_rod_y;
    K[4] = l_rod_z;
}

/* Rate dK/dt v of the rows of loop 0. 11 mul, 3 add, 1 sincos. */
void two_holds_loop0_turning(const double *restrict p, const double *restrict q, const double *restrict v,
    double *restrict dKv)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    dKv[3] = 0.0;
    dKv[4] = 0.0;
    dKv[5] = 0.0;

    /* loop grip */
    const double R_rod_xx = p[2]*s[0] + p[10]*c[0];
    const double neg_R_rod_yx = p[0]*s[0] + p[8]*c[0];
    const double neg_R_rod_zx = p[1]*s[0] + p[9]*c[0];

    /* loop grip, drift */
    const double ww_rod = v[0]*v[0];
    const double ae_x = 0.5*ww_rod;
    const double a_grip_x = R_rod_xx*ae_x;
    dKv[0] = a_grip_x;
    const double neg_a_grip_y = neg_R_rod_yx*ae_x;
    dKv[1] = -neg_a_grip_y;
    const double neg_a_grip_z = neg_R_rod_zx*ae_x;
    dKv[2] = -neg_a_grip_z;
}

/* Pose [R | p] of the joint's frame on the child in its frame on the parent of loop 0. 24 mul, 15 add, 1 sincos. */
void two_holds_loop0_pose(const double *restrict p, const double *restrict q, double *restrict pose)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    pose[1] = p[4];
    pose[5] = p[5];
    pose[9] = p[6];

    /* loop grip */
    const double neg_p_end_x = p[2]*p[3] + p[6]*p[7] + p[10]*p[11];
    const double p_end_y = p[0]*p[3] + p[4]*p[7] + p[8]*p[11];
    const double p_end_z = p[1]*p[3] + p[5]*p[7] + p[9]*p[11];
    const double R_rod_xx = p[2]*s[0] + p[10]*c[0];
    pose[10] = R_rod_xx;
    const double R_rod_xy = p[2]*c[0] - p[10]*s[0];
    pose[8] = R_rod_xy;
    const double neg_R_rod_yx = p[0]*s[0] + p[8]*c[0];
    pose[2] = neg_R_rod_yx;
    const double neg_R_rod_yy = p[0]*c[0] - p[8]*s[0];
    pose[0] = neg_R_rod_yy;
    const double neg_R_rod_zx = p[1]*s[0] + p[9]*c[0];
    pose[6] = neg_R_rod_zx;
    const double neg_R_rod_zy = p[1]*c[0] - p[9]*s[0];
    pose[4] = neg_R_rod_zy;
    const double neg_p_grip_x = neg_p_end_x + 0.5*R_rod_xx;
    pose[11] = -neg_p_grip_x;
    const double p_grip_y = p_end_y + 0.5*neg_R_rod_yx;
    pose[3] = -p_grip_y;
    const double p_grip_z = p_end_z + 0.5*neg_R_rod_zx;
    pose[7] = -p_grip_z;
}

/* Twist of the child's side per unit of v, its axes of loop 0. 48 mul, 33 add, 1 sincos. */
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

    /* loop grip */
    const double neg_p_end_x = p[2]*p[3] + p[6]*p[7] + p[10]*p[11];
    const double p_end_y = p[0]*p[3] + p[4]*p[7] + p[8]*p[11];
    const double p_end_z = p[1]*p[3] + p[5]*p[7] + p[9]*p[11];
    const double R_rod_xx = p[2]*s[0] + p[10]*c[0];
    const double R_rod_xy = p[2]*c[0] - p[10]*s[0];
    const double neg_R_rod_yx = p[0]*s[0] + p[8]*c[0];
    const double neg_R_rod_yy = p[0]*c[0] - p[8]*s[0];
    const double neg_R_rod_zx = p[1]*s[0] + p[9]*c[0];
    const double neg_R_rod_zy = p[1]*c[0] - p[9]*s[0];
    const double neg_p_grip_x = neg_p_end_x + 0.5*R_rod_xx;
    const double p_grip_y = p_end_y + 0.5*neg_R_rod_yx;
    const double p_grip_z = p_end_z + 0.5*neg_R_rod_zx;
    const double r_rod_x = neg_p_end_x - neg_p_grip_x;
    const double neg_r_rod_y = p_end_y - p_grip_y;
    const double neg_r_rod_z = p_end_z - p_grip_z;
    const double l_rod_x = p[4]*neg_r_rod_z - p[5]*neg_r_rod_y;
    const double neg_l_rod_y = p[5]*r_rod_x - p[6]*neg_r_rod_z;
    const double l_rod_z = p[4]*r_rod_x - p[6]*neg_r_rod_y;
    const double J = R_rod_xy*l_rod_x + neg_R_rod_yy*neg_l_rod_y - neg_R_rod_zy*l_rod_z;
    twist[0] = J;
    const double J_2 = p[6]*l_rod_x + p[4]*neg_l_rod_y - p[5]*l_rod_z;
    twist[2] = J_2;
    const double J_3 = R_rod_xx*l_rod_x + neg_R_rod_yx*neg_l_rod_y - neg_R_rod_zx*l_rod_z;
    twist[4] = J_3;
    const double J_4 = p[6]*R_rod_xy + p[4]*neg_R_rod_yy + p[5]*neg_R_rod_zy;
    twist[6] = J_4;
    const double J_5 = p[6]*p[6] + p[4]*p[4] + p[5]*p[5];
    twist[8] = J_5;
    const double J_6 = p[6]*R_rod_xx + p[4]*neg_R_rod_yx + p[5]*neg_R_rod_zx;
    twist[10] = J_6;
}

/* Rows of J_C, columns of the tree and of the joint of loop 0. 42 mul, 30 add, 1 sincos. */
void two_holds_loop0_jacobian(const double *restrict p, const double *restrict q, double *restrict J)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    for (int i = 0; i < 18; i++)
        J[i] = 0.0;
    J[11] = -p[1];
    J[14] = -p[5];
    J[17] = -p[9];

    /* loop grip */
    const double neg_p_end_x = p[2]*p[3] + p[6]*p[7] + p[10]*p[11];
    const double p_end_y = p[0]*p[3] + p[4]*p[7] + p[8]*p[11];
    const double p_end_z = p[1]*p[3] + p[5]*p[7] + p[9]*p[11];
    const double R_rod_xx = p[2]*s[0] + p[10]*c[0];
    const double neg_R_rod_yx = p[0]*s[0] + p[8]*c[0];
    const double neg_R_rod_zx = p[1]*s[0] + p[9]*c[0];
    const double neg_p_grip_x = neg_p_end_x + 0.5*R_rod_xx;
    const double p_grip_y = p_end_y + 0.5*neg_R_rod_yx;
    const double p_grip_z = p_end_z + 0.5*neg_R_rod_zx;
    const double r_rod_x = neg_p_end_x - neg_p_grip_x;
    const double neg_r_rod_y = p_end_y - p_grip_y;
    const double neg_r_rod_z = p_end_z - p_grip_z;
    const double l_rod_x = p[4]*neg_r_rod_z - p[5]*neg_r_rod_y;
    const double neg_l_rod_y = p[5]*r_rod_x - p[6]*neg_r_rod_z;
    const double l_rod_z = p[4]*r_rod_x - p[6]*neg_r_rod_y;
    const double neg_J = p[2]*l_rod_x + p[0]*neg_l_rod_y - p[1]*l_rod_z;
    J[0] = -neg_J;
    const double neg_J_2 = p[6]*l_rod_x + p[4]*neg_l_rod_y - p[5]*l_rod_z;
    J[3] = -neg_J_2;
    const double neg_J_3 = p[10]*l_rod_x + p[8]*neg_l_rod_y - p[9]*l_rod_z;
    J[6] = -neg_J_3;
    const double neg_J_4 = p[2]*p[6] + p[0]*p[4] + p[1]*p[5];
    J[9] = -neg_J_4;
    const double neg_J_5 = p[6]*p[6] + p[4]*p[4] + p[5]*p[5];
    J[12] = -neg_J_5;
    const double neg_J_6 = p[6]*p[10] + p[4]*p[8] + p[5]*p[9];
    J[15] = -neg_J_6;
}

/* Rate dJ_C/dt dtheta_J of loop 0. 39 mul, 18 add, 1 sincos. */
void two_holds_loop0_bias(const double *restrict p, const double *restrict q, const double *restrict v,
    double *restrict dJv)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    dJv[3] = 0.0;
    dJv[4] = 0.0;
    dJv[5] = 0.0;

    /* loop grip */
    const double R_rod_xx = p[2]*s[0] + p[10]*c[0];
    const double R_rod_xy = p[2]*c[0] - p[10]*s[0];
    const double neg_R_rod_yx = p[0]*s[0] + p[8]*c[0];
    const double neg_R_rod_yy = p[0]*c[0] - p[8]*s[0];
    const double neg_R_rod_zx = p[1]*s[0] + p[9]*c[0];
    const double neg_R_rod_zy = p[1]*c[0] - p[9]*s[0];

    /* loop grip, drift */
    const double ww_rod = v[0]*v[0];
    const double neg_ue_y = 0.5*v[0];
    const double ae_x = 0.5*ww_rod;
    const double neg_u_grip_x = R_rod_xy*neg_ue_y;
    const double u_grip_y = neg_R_rod_yy*neg_ue_y;
    const double u_grip_z = neg_R_rod_zy*neg_ue_y;
    const double a_grip_x = R_rod_xx*ae_x;
    const double neg_a_grip_y = neg_R_rod_yx*ae_x;
    const double neg_a_grip_z = neg_R_rod_zx*ae_x;
    const double w_grip_x = p[6]*v[0];
    const double neg_w_grip_y = p[4]*v[0];
    const double neg_w_grip_z = p[5]*v[0];
    const double e_x = u_grip_y*neg_w_grip_z - u_grip_z*neg_w_grip_y - a_grip_x;
    const double e_y = neg_u_grip_x*neg_w_grip_z + neg_a_grip_y - u_grip_z*w_grip_x;
    const double neg_e_z = neg_u_grip_x*neg_w_grip_y - u_grip_y*w_grip_x - neg_a_grip_z;
    const double neg_dJv_0 = p[0]*e_y - p[2]*e_x - p[1]*neg_e_z;
    dJv[0] = -neg_dJv_0;
    const double neg_dJv_1 = p[4]*e_y - p[6]*e_x - p[5]*neg_e_z;
    dJv[1] = -neg_dJv_1;
    const double neg_dJv_2 = p[8]*e_y - p[10]*e_x - p[9]*neg_e_z;
    dJv[2] = -neg_dJv_2;
}

/* Wrench on the child's side in world axes per unit force along the rows of loop 0. No operations. */
void two_holds_loop0_wrench(const double *restrict p, const double *restrict q, double *restrict N)
{
    (void)q;
    for (int i = 0; i < 36; i++)
        N[i] = 0.0;
    N[0] = p[2];
    N[21] = p[2];
    N[1] = -p[0];
    N[22] = -p[0];
    N[2] = -p[1];
    N[6] = p[6];
    N[27] = p[6];
    N[7] = -p[4];
    N[28] = -p[4];
    N[8] = -p[5];
    N[12] = p[10];
    N[33] = p[10];
    N[13] = -p[8];
    N[34] = -p[8];
    N[14] = -p[9];
}

/* Wrench on the child's side in world axes per unit along the joint's velocities of loop 0. No operations. */
void two_holds_loop0_effort(const double *restrict p, const double *restrict q, double *restrict A)
{
    (void)q;
    A[0] = 0.0;
    A[1] = 0.0;
    A[2] = 0.0;
    A[3] = -p[1];
    A[4] = -p[5];
    A[5] = -p[9];
}

