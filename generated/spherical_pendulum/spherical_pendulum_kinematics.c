/* spherical_pendulum: poses, Jacobians, energy and momentum.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * R, p: pose in the parent or, where poses are asked for, in the world
 * ww: products of entries of w
 * U: [dw]x + [w]x[w]x
 * f, fp, n: force and moment about the link's origin; p: in the parent's axes
 * h: half of a turn, R S of R S R'; height along gravity
 * q2, qq, E: twice a quaternion's entries, their products, its rotation
 * rC, rp: from the link's origin to the centre of mass of all; the same in the parent's axes
 * RI, Iw: R I; inertia in world axes, or I w
 * vv, T, V: squares of speeds, kinetic and potential energy
 * P, Pp, L: momentum, or its rate: linear, p: in the parent's axes; angular (L also the factor of M = L'DL)
 */

#include "spherical_pendulum_model.h"
#include "kinegen/frames/xyz.h"
#include <math.h>
#include "kinegen/linear/real.h"

/* What is defined and called here, as spherical_pendulum.h declares it. */
void spherical_pendulum_link_poses(const double *q, double *poses);
void spherical_pendulum_cog_bias(const double *q, const double *v, double *dGv);
void spherical_pendulum_com(const double *q, double *com);
void spherical_pendulum_com_jacobian(const double *q, double *J_com);
void spherical_pendulum_energy(const double *q, const double *v, double *energy);
void spherical_pendulum_momentum(const double *q, const double *v, double *momentum);
void spherical_pendulum_centroidal_momentum_matrix(const double *q, double *A_G);
void spherical_pendulum_cog_jacobian(const double *q, double *G);
void spherical_pendulum_frame_jacobian(const double *q, const double *frame, double *J);
void spherical_pendulum_frame_pose(const double *q, const double *placed, double *pose);
void spherical_pendulum_frame_velocity(const double *q, const double *v, const double *frame, double *velocity);
void spherical_pendulum_frame_acceleration(const double *q, const double *v, const double *a, const double *frame,
    double *acceleration);
void spherical_pendulum_frame_motion(const double *q, const double *v, const double *a, const double *frame,
    double *motion);
void spherical_pendulum_link_poses_batch(long n, const double *q, long q_stride, double *poses);
void spherical_pendulum_cog_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *dGv);
void spherical_pendulum_com_batch(long n, const double *q, long q_stride, double *com);
void spherical_pendulum_com_jacobian_batch(long n, const double *q, long q_stride, double *J_com);
void spherical_pendulum_energy_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *energy);
void spherical_pendulum_momentum_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *momentum);
void spherical_pendulum_centroidal_momentum_matrix_batch(long n, const double *q, long q_stride, double *A_G);
void spherical_pendulum_cog_jacobian_batch(long n, const double *q, long q_stride, double *G);
void spherical_pendulum_frame_jacobian_batch(long n, const double *q, long q_stride, const double *frame,
    long frame_stride, double *J);
void spherical_pendulum_frame_pose_batch(long n, const double *q, long q_stride, const double *placed,
    long placed_stride, double *pose);
void spherical_pendulum_frame_velocity_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *frame, long frame_stride, double *velocity);
void spherical_pendulum_frame_acceleration_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *frame, long frame_stride, double *acceleration);
void spherical_pendulum_frame_motion_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *motion);

/* World poses of the link frames. 12 mul, 12 add. */
void spherical_pendulum_link_poses(const double *restrict q, double *restrict poses)
{
    poses[3] = 0.0;
    poses[7] = 0.0;
    poses[11] = 0.0;
    poses[12] = 0.0;
    poses[13] = 0.0;
    poses[14] = 0.0;
    poses[15] = 1.0;

    /* ball */
    const double q2_ball = 2.0*q[0];
    const double q2_ball_2 = 2.0*q[1];
    const double q2_ball_3 = 2.0*q[2];
    const double qq_ball = q[0]*q2_ball;
    const double qq_ball_2 = q[1]*q2_ball_2;
    const double qq_ball_3 = q[2]*q2_ball_3;
    const double qq_ball_4 = q[0]*q2_ball_2;
    const double qq_ball_5 = q[0]*q2_ball_3;
    const double qq_ball_6 = q[1]*q2_ball_3;
    const double qq_ball_7 = q[3]*q2_ball;
    const double qq_ball_8 = q[3]*q2_ball_2;
    const double qq_ball_9 = q[3]*q2_ball_3;
    const double E_ball_xx = 1.0 - qq_ball_2 - qq_ball_3;
    poses[0] = E_ball_xx;
    const double E_ball_xy = qq_ball_4 - qq_ball_9;
    poses[1] = E_ball_xy;
    const double E_ball_xz = qq_ball_5 + qq_ball_8;
    poses[2] = E_ball_xz;
    const double E_ball_yx = qq_ball_4 + qq_ball_9;
    poses[4] = E_ball_yx;
    const double E_ball_yy = 1.0 - qq_ball - qq_ball_3;
    poses[5] = E_ball_yy;
    const double E_ball_yz = qq_ball_6 - qq_ball_7;
    poses[6] = E_ball_yz;
    const double E_ball_zx = qq_ball_5 - qq_ball_8;
    poses[8] = E_ball_zx;
    const double E_ball_zy = qq_ball_6 + qq_ball_7;
    poses[9] = E_ball_zy;
    const double E_ball_zz = 1.0 - qq_ball - qq_ball_2;
    poses[10] = E_ball_zz;
}

void spherical_pendulum_link_poses_batch(long n, const double *q, long q_stride, double *poses)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_link_poses(q + i*q_stride, poses + i*16);
}

/* COG accelerations dG/dt v at zero joint acceleration. 25 mul, 19 add. */
void spherical_pendulum_cog_bias(const double *restrict q, const double *restrict v, double *restrict dGv)
{
    dGv[3] = 0.0;
    dGv[4] = 0.0;
    dGv[5] = 0.0;

    /* ball */
    const double q2_ball = 2.0*q[0];
    const double q2_ball_2 = 2.0*q[1];
    const double q2_ball_3 = 2.0*q[2];
    const double qq_ball = q[0]*q2_ball;
    const double qq_ball_2 = q[1]*q2_ball_2;
    const double qq_ball_3 = q[2]*q2_ball_3;
    const double qq_ball_4 = q[0]*q2_ball_2;
    const double qq_ball_5 = q[0]*q2_ball_3;
    const double qq_ball_6 = q[1]*q2_ball_3;
    const double qq_ball_7 = q[3]*q2_ball;
    const double qq_ball_8 = q[3]*q2_ball_2;
    const double qq_ball_9 = q[3]*q2_ball_3;
    const double E_ball_xx = 1.0 - qq_ball_2 - qq_ball_3;
    const double E_ball_xy = qq_ball_4 - qq_ball_9;
    const double E_ball_xz = qq_ball_5 + qq_ball_8;
    const double E_ball_yx = qq_ball_4 + qq_ball_9;
    const double E_ball_yy = 1.0 - qq_ball - qq_ball_3;
    const double E_ball_yz = qq_ball_6 - qq_ball_7;
    const double E_ball_zx = qq_ball_5 - qq_ball_8;
    const double E_ball_zy = qq_ball_6 + qq_ball_7;
    const double E_ball_zz = 1.0 - qq_ball - qq_ball_2;
    const double ww_ball = v[0]*v[0];
    const double ww_ball_2 = v[1]*v[1];
    const double ww_ball_3 = v[0]*v[2];
    const double ww_ball_4 = v[1]*v[2];
    const double neg_U_ball_zz = ww_ball + ww_ball_2;
    const double neg_dGv_0 = E_ball_xx*ww_ball_3 + E_ball_xy*ww_ball_4 - E_ball_xz*neg_U_ball_zz;
    dGv[0] = -neg_dGv_0;
    const double neg_dGv_1 = E_ball_yx*ww_ball_3 + E_ball_yy*ww_ball_4 - E_ball_yz*neg_U_ball_zz;
    dGv[1] = -neg_dGv_1;
    const double neg_dGv_2 = E_ball_zx*ww_ball_3 + E_ball_zy*ww_ball_4 - E_ball_zz*neg_U_ball_zz;
    dGv[2] = -neg_dGv_2;
}

void spherical_pendulum_cog_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *dGv)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_cog_bias(q + i*q_stride, v + i*v_stride, dGv + i*6);
}

/* Centre of mass. 9 mul, 4 add. */
void spherical_pendulum_com(const double *restrict q, double *restrict com)
{

    /* ball */
    const double q2_ball = 2.0*q[0];
    const double q2_ball_2 = 2.0*q[1];
    const double q2_ball_3 = 2.0*q[2];
    const double qq_ball = q[0]*q2_ball;
    const double qq_ball_2 = q[1]*q2_ball_2;
    const double qq_ball_3 = q[0]*q2_ball_3;
    const double qq_ball_4 = q[1]*q2_ball_3;
    const double qq_ball_5 = q[3]*q2_ball;
    const double qq_ball_6 = q[3]*q2_ball_2;
    const double E_ball_xz = qq_ball_3 + qq_ball_6;
    com[0] = -E_ball_xz;
    const double E_ball_yz = qq_ball_4 - qq_ball_5;
    com[1] = -E_ball_yz;
    const double E_ball_zz = 1.0 - qq_ball - qq_ball_2;
    com[2] = -E_ball_zz;
}

void spherical_pendulum_com_batch(long n, const double *q, long q_stride, double *com)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_com(q + i*q_stride, com + i*3);
}

/* Jacobian of the centre of mass. 12 mul, 8 add. */
void spherical_pendulum_com_jacobian(const double *restrict q, double *restrict J_com)
{
    J_com[2] = 0.0;
    J_com[5] = 0.0;
    J_com[8] = 0.0;

    /* ball */
    const double q2_ball = 2.0*q[0];
    const double q2_ball_2 = 2.0*q[1];
    const double q2_ball_3 = 2.0*q[2];
    const double qq_ball = q[0]*q2_ball;
    const double qq_ball_2 = q[1]*q2_ball_2;
    const double qq_ball_3 = q[2]*q2_ball_3;
    const double qq_ball_4 = q[0]*q2_ball_2;
    const double qq_ball_5 = q[0]*q2_ball_3;
    const double qq_ball_6 = q[1]*q2_ball_3;
    const double qq_ball_7 = q[3]*q2_ball;
    const double qq_ball_8 = q[3]*q2_ball_2;
    const double qq_ball_9 = q[3]*q2_ball_3;
    const double E_ball_xx = 1.0 - qq_ball_2 - qq_ball_3;
    J_com[1] = -E_ball_xx;
    const double E_ball_xy = qq_ball_4 - qq_ball_9;
    J_com[0] = E_ball_xy;
    const double E_ball_yx = qq_ball_4 + qq_ball_9;
    J_com[4] = -E_ball_yx;
    const double E_ball_yy = 1.0 - qq_ball - qq_ball_3;
    J_com[3] = E_ball_yy;
    const double E_ball_zx = qq_ball_5 - qq_ball_8;
    J_com[7] = -E_ball_zx;
    const double E_ball_zy = qq_ball_6 + qq_ball_7;
    J_com[6] = E_ball_zy;
}

void spherical_pendulum_com_jacobian_batch(long n, const double *q, long q_stride, double *J_com)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_com_jacobian(q + i*q_stride, J_com + i*9);
}

/* Kinetic and potential energy. 16 mul, 6 add. */
void spherical_pendulum_energy(const double *restrict q, const double *restrict v, double *restrict energy)
{

    /* ball */
    const double q2_ball = 2.0*q[0];
    const double q2_ball_2 = 2.0*q[1];
    const double qq_ball = q[0]*q2_ball;
    const double qq_ball_2 = q[1]*q2_ball_2;
    const double E_ball_zz = 1.0 - qq_ball - qq_ball_2;
    const double Iw_ball_x = 0.0020000000000000005*v[0];
    const double Iw_ball_y = 0.0020000000000000005*v[1];
    const double Iw_ball_z = 0.0020000000000000005*v[2];
    const double vv = v[1]*v[1] + v[0]*v[0];
    const double h = 9.81*E_ball_zz;
    const double T = 0.5*vv + v[0]*Iw_ball_x + v[1]*Iw_ball_y + v[2]*Iw_ball_z;
    const double neg_V = 0.5*h;
    energy[1] = -neg_V;
    const double energy_0 = 0.5*T;
    energy[0] = energy_0;
}

void spherical_pendulum_energy_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *energy)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_energy(q + i*q_stride, v + i*v_stride, energy + i*2);
}

/* Linear momentum, angular momentum about the centre of mass. 32 mul, 23 add. */
void spherical_pendulum_momentum(const double *restrict q, const double *restrict v, double *restrict momentum)
{

    /* ball */
    const double q2_ball = 2.0*q[0];
    const double q2_ball_2 = 2.0*q[1];
    const double q2_ball_3 = 2.0*q[2];
    const double qq_ball = q[0]*q2_ball;
    const double qq_ball_2 = q[1]*q2_ball_2;
    const double qq_ball_3 = q[2]*q2_ball_3;
    const double qq_ball_4 = q[0]*q2_ball_2;
    const double qq_ball_5 = q[0]*q2_ball_3;
    const double qq_ball_6 = q[1]*q2_ball_3;
    const double qq_ball_7 = q[3]*q2_ball;
    const double qq_ball_8 = q[3]*q2_ball_2;
    const double qq_ball_9 = q[3]*q2_ball_3;
    const double E_ball_xx = 1.0 - qq_ball_2 - qq_ball_3;
    const double E_ball_xy = qq_ball_4 - qq_ball_9;
    const double E_ball_xz = qq_ball_5 + qq_ball_8;
    const double E_ball_yx = qq_ball_4 + qq_ball_9;
    const double E_ball_yy = 1.0 - qq_ball - qq_ball_3;
    const double E_ball_yz = qq_ball_6 - qq_ball_7;
    const double E_ball_zx = qq_ball_5 - qq_ball_8;
    const double E_ball_zy = qq_ball_6 + qq_ball_7;
    const double E_ball_zz = 1.0 - qq_ball - qq_ball_2;
    const double neg_P_ball_x = 0.5*v[1];
    const double P_ball_y = 0.5*v[0];
    const double L_ball_x = 0.502*v[0];
    const double L_ball_y = 0.502*v[1];
    const double L_ball_z = 0.0020000000000000018*v[2];
    const double neg_L_x = P_ball_y - L_ball_x;
    const double neg_L_y = neg_P_ball_x - L_ball_y;
    const double neg_momentum_0 = E_ball_xx*neg_P_ball_x - E_ball_xy*P_ball_y;
    momentum[0] = -neg_momentum_0;
    const double neg_momentum_1 = E_ball_yx*neg_P_ball_x - E_ball_yy*P_ball_y;
    momentum[1] = -neg_momentum_1;
    const double neg_momentum_2 = E_ball_zx*neg_P_ball_x - E_ball_zy*P_ball_y;
    momentum[2] = -neg_momentum_2;
    const double neg_momentum_3 = E_ball_xx*neg_L_x + E_ball_xy*neg_L_y - E_ball_xz*L_ball_z;
    momentum[3] = -neg_momentum_3;
    const double neg_momentum_4 = E_ball_yx*neg_L_x + E_ball_yy*neg_L_y - E_ball_yz*L_ball_z;
    momentum[4] = -neg_momentum_4;
    const double neg_momentum_5 = E_ball_zx*neg_L_x + E_ball_zy*neg_L_y - E_ball_zz*L_ball_z;
    momentum[5] = -neg_momentum_5;
}

void spherical_pendulum_momentum_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *momentum)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_momentum(q + i*q_stride, v + i*v_stride, momentum + i*6);
}

/* Centroidal momentum matrix. 45 mul, 25 add. */
void spherical_pendulum_centroidal_momentum_matrix(const double *restrict q, double *restrict A_G)
{
    A_G[2] = 0.0;
    A_G[5] = 0.0;
    A_G[8] = 0.0;

    /* ball */
    const double q2_ball = 2.0*q[0];
    const double q2_ball_2 = 2.0*q[1];
    const double q2_ball_3 = 2.0*q[2];
    const double qq_ball = q[0]*q2_ball;
    const double qq_ball_2 = q[1]*q2_ball_2;
    const double qq_ball_3 = q[2]*q2_ball_3;
    const double qq_ball_4 = q[0]*q2_ball_2;
    const double qq_ball_5 = q[0]*q2_ball_3;
    const double qq_ball_6 = q[1]*q2_ball_3;
    const double qq_ball_7 = q[3]*q2_ball;
    const double qq_ball_8 = q[3]*q2_ball_2;
    const double qq_ball_9 = q[3]*q2_ball_3;
    const double E_ball_xx = 1.0 - qq_ball_2 - qq_ball_3;
    const double E_ball_xy = qq_ball_4 - qq_ball_9;
    const double E_ball_xz = qq_ball_5 + qq_ball_8;
    const double E_ball_yx = qq_ball_4 + qq_ball_9;
    const double E_ball_yy = 1.0 - qq_ball - qq_ball_3;
    const double E_ball_yz = qq_ball_6 - qq_ball_7;
    const double E_ball_zx = qq_ball_5 - qq_ball_8;
    const double E_ball_zy = qq_ball_6 + qq_ball_7;
    const double E_ball_zz = 1.0 - qq_ball - qq_ball_2;
    const double neg_rC_ball_x = E_ball_xx*E_ball_xz + E_ball_yx*E_ball_yz + E_ball_zx*E_ball_zz;
    const double neg_rC_ball_y = E_ball_xy*E_ball_xz + E_ball_yy*E_ball_yz + E_ball_zy*E_ball_zz;
    const double neg_rC_ball_z = E_ball_xz*E_ball_xz + E_ball_yz*E_ball_yz + E_ball_zz*E_ball_zz;
    const double n_ball_x = 0.502 - 0.5*neg_rC_ball_z;
    const double n_ball_z = 0.5*neg_rC_ball_x;
    const double n_ball_z_2 = 0.5*neg_rC_ball_y;
    const double A_G_0 = 0.5*E_ball_xy;
    A_G[0] = A_G_0;
    const double neg_A_G_1 = 0.5*E_ball_xx;
    A_G[1] = -neg_A_G_1;
    const double A_G_3 = 0.5*E_ball_yy;
    A_G[3] = A_G_3;
    const double neg_A_G_4 = 0.5*E_ball_yx;
    A_G[4] = -neg_A_G_4;
    const double A_G_6 = 0.5*E_ball_zy;
    A_G[6] = A_G_6;
    const double neg_A_G_7 = 0.5*E_ball_zx;
    A_G[7] = -neg_A_G_7;
    const double A_G_9 = E_ball_xx*n_ball_x + E_ball_xz*n_ball_z;
    A_G[9] = A_G_9;
    const double A_G_10 = E_ball_xy*n_ball_x + E_ball_xz*n_ball_z_2;
    A_G[10] = A_G_10;
    const double A_G_11 = 0.0020000000000000018*E_ball_xz;
    A_G[11] = A_G_11;
    const double A_G_12 = E_ball_yx*n_ball_x + E_ball_yz*n_ball_z;
    A_G[12] = A_G_12;
    const double A_G_13 = E_ball_yy*n_ball_x + E_ball_yz*n_ball_z_2;
    A_G[13] = A_G_13;
    const double A_G_14 = 0.0020000000000000018*E_ball_yz;
    A_G[14] = A_G_14;
    const double A_G_15 = E_ball_zx*n_ball_x + E_ball_zz*n_ball_z;
    A_G[15] = A_G_15;
    const double A_G_16 = E_ball_zy*n_ball_x + E_ball_zz*n_ball_z_2;
    A_G[16] = A_G_16;
    const double A_G_17 = 0.0020000000000000018*E_ball_zz;
    A_G[17] = A_G_17;
}

void spherical_pendulum_centroidal_momentum_matrix_batch(long n, const double *q, long q_stride, double *A_G)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_centroidal_momentum_matrix(q + i*q_stride, A_G + i*18);
}

/* Motion axes [z; l; p] and centres of mass, world axes. 12 mul, 12 add. */
static void spherical_pendulum_motion_columns(const double *restrict q, double *restrict axes, double *restrict centers)
{
    for (int i = 0; i < 27; i++) axes[i] = 0.0;

    /* ball */
    const double q2_ball = 2.0*q[0];
    const double q2_ball_2 = 2.0*q[1];
    const double q2_ball_3 = 2.0*q[2];
    const double qq_ball = q[0]*q2_ball;
    const double qq_ball_2 = q[1]*q2_ball_2;
    const double qq_ball_3 = q[2]*q2_ball_3;
    const double qq_ball_4 = q[0]*q2_ball_2;
    const double qq_ball_5 = q[0]*q2_ball_3;
    const double qq_ball_6 = q[1]*q2_ball_3;
    const double qq_ball_7 = q[3]*q2_ball;
    const double qq_ball_8 = q[3]*q2_ball_2;
    const double qq_ball_9 = q[3]*q2_ball_3;
    const double E_ball_xx = 1.0 - qq_ball_2 - qq_ball_3;
    axes[0] = E_ball_xx;
    const double E_ball_xy = qq_ball_4 - qq_ball_9;
    axes[9] = E_ball_xy;
    const double E_ball_xz = qq_ball_5 + qq_ball_8;
    axes[18] = E_ball_xz;
    centers[0] = -E_ball_xz;
    const double E_ball_yx = qq_ball_4 + qq_ball_9;
    axes[1] = E_ball_yx;
    const double E_ball_yy = 1.0 - qq_ball - qq_ball_3;
    axes[10] = E_ball_yy;
    const double E_ball_yz = qq_ball_6 - qq_ball_7;
    axes[19] = E_ball_yz;
    centers[1] = -E_ball_yz;
    const double E_ball_zx = qq_ball_5 - qq_ball_8;
    axes[2] = E_ball_zx;
    const double E_ball_zy = qq_ball_6 + qq_ball_7;
    axes[11] = E_ball_zy;
    const double E_ball_zz = 1.0 - qq_ball - qq_ball_2;
    axes[20] = E_ball_zz;
    centers[2] = -E_ball_zz;
}

/* Pose and motion axes of link 0. 39 mul, 30 add. */
static void spherical_pendulum_step_0(const double *restrict s, const double *restrict c, const double *restrict q,
    const double *restrict above, double *restrict own, double *restrict axes)
{
    (void)s, (void)c, (void)q;

    /* ball */
    const double q2_ball = 2.0*q[0];
    const double q2_ball_2 = 2.0*q[1];
    const double q2_ball_3 = 2.0*q[2];
    const double qq_ball = q[0]*q2_ball;
    const double qq_ball_2 = q[1]*q2_ball_2;
    const double qq_ball_3 = q[2]*q2_ball_3;
    const double qq_ball_4 = q[0]*q2_ball_2;
    const double qq_ball_5 = q[0]*q2_ball_3;
    const double qq_ball_6 = q[1]*q2_ball_3;
    const double qq_ball_7 = q[3]*q2_ball;
    const double qq_ball_8 = q[3]*q2_ball_2;
    const double qq_ball_9 = q[3]*q2_ball_3;
    const double E_ball_xx = 1.0 - qq_ball_2 - qq_ball_3;
    const double E_ball_xy = qq_ball_4 - qq_ball_9;
    const double E_ball_xz = qq_ball_5 + qq_ball_8;
    const double E_ball_yx = qq_ball_4 + qq_ball_9;
    const double E_ball_yy = 1.0 - qq_ball - qq_ball_3;
    const double E_ball_yz = qq_ball_6 - qq_ball_7;
    const double E_ball_zx = qq_ball_5 - qq_ball_8;
    const double E_ball_zy = qq_ball_6 + qq_ball_7;
    const double E_ball_zz = 1.0 - qq_ball - qq_ball_2;
    for (int e = 0; e < 3; e += AT_ONCE) { /* entries along x, y, z of the world, which are alike */
        const kg_xyz above_0 = *kg_xyz_at(above + 0*XYZ + e);
        const kg_xyz above_1 = *kg_xyz_at(above + 1*XYZ + e);
        const kg_xyz above_2 = *kg_xyz_at(above + 2*XYZ + e);
        const kg_xyz above_3 = *kg_xyz_at(above + 3*XYZ + e);
        *kg_xyz_to(axes + 1*XYZ + e) = (kg_xyz){0.0};
        *kg_xyz_to(axes + 4*XYZ + e) = (kg_xyz){0.0};
        *kg_xyz_to(axes + 7*XYZ + e) = (kg_xyz){0.0};
        *kg_xyz_to(own + 3*XYZ + e) = above_3;
        *kg_xyz_to(axes + 2*XYZ + e) = above_3;
        *kg_xyz_to(axes + 5*XYZ + e) = above_3;
        *kg_xyz_to(axes + 8*XYZ + e) = above_3;
        const kg_xyz R_ball_xx = E_ball_xx*above_0 + E_ball_yx*above_1 + E_ball_zx*above_2;
        *kg_xyz_to(own + 0*XYZ + e) = R_ball_xx;
        *kg_xyz_to(axes + 0*XYZ + e) = R_ball_xx;
        const kg_xyz R_ball_xy = E_ball_xy*above_0 + E_ball_yy*above_1 + E_ball_zy*above_2;
        *kg_xyz_to(own + 1*XYZ + e) = R_ball_xy;
        *kg_xyz_to(axes + 3*XYZ + e) = R_ball_xy;
        const kg_xyz R_ball_xz = E_ball_xz*above_0 + E_ball_yz*above_1 + E_ball_zz*above_2;
        *kg_xyz_to(own + 2*XYZ + e) = R_ball_xz;
        *kg_xyz_to(axes + 6*XYZ + e) = R_ball_xz;
    }
}

/* Motion axis k moves dof axis_dof[k]. */
static const int axis_dof[] = {0, 1, 2};
/* The next axis towards the root (-1: none): the paths of the tree. */
static const int axis_above[] = {-1, 0, 1};
/* The motion axis at which the path of link i ends. */
static const int axis_last[] = {2};
/* The link that each link hangs on, -1 for world. */
static const int link_above[] = {-1};
/* The first motion axis of each link, or where it would stand. */
static const int link_axis[] = {0};
/* The first axis of those that move one frame with it. */
static const int axis_first[] = {0, 0, 0};

/* Angles of which the next function is handed sines and cosines; gives how many. */
enum { PATH_ANGLES = 0 };
static int spherical_pendulum_link_step_angles(int link, const double *q, double *angle)
{
    (void)q, (void)angle;
    switch (link) {
    default:
        return 0;
    }
}

/* Pose [R p] of a link and its motion axes [z; l; p], of the pose of what it hangs on. */
static void spherical_pendulum_link_step(int link, const double *s, const double *c, const double *q,
    const double *above, double *own, double *axes)
{
    switch (link) {
    case 0:
        spherical_pendulum_step_0(s, c, q, above, own, axes);
        break;
    }
}

#include "kinegen/tree/cog_jacobian.h"
#include "kinegen/frames/frame_jacobian.h"
#include "kinegen/frames/frame_pose.h"
#include "kinegen/frames/frame_velocity.h"
#include "kinegen/derivatives/frame_acceleration.h"
#include "kinegen/derivatives/frame_motion.h"

/* COG Jacobian G: [dp_G; w] = G v, world axes. */
void spherical_pendulum_cog_jacobian(const double *restrict q, double *restrict G)
{
    cog_jacobian(0, q, G);
}

/* Jacobian [linear; angular] of a frame, world axes; frame = [link, offset x y z]. */
void spherical_pendulum_frame_jacobian(const double *restrict q, const double *restrict frame, double *restrict J)
{
    frame_jacobian(0, q, frame, J);
}

/* Pose of a frame in world; placed = [link, offset x y z, rotation row by row]. */
void spherical_pendulum_frame_pose(const double *restrict q, const double *restrict placed, double *restrict pose)
{
    frame_pose(0, q, placed, pose);
}

/* Velocity [linear; angular] of a frame at its origin, world axes; frame as above. */
void spherical_pendulum_frame_velocity(const double *restrict q, const double *restrict v,
    const double *restrict frame, double *restrict velocity)
{
    frame_velocity(0, q, v, frame, velocity);
}

/* Rate of that velocity; frame as above. */
void spherical_pendulum_frame_acceleration(const double *restrict q, const double *restrict v,
    const double *restrict a, const double *restrict frame, double *restrict acceleration)
{
    frame_acceleration(0, q, v, a, frame, acceleration);
}

/* Velocity [linear; angular] of a frame at its origin, world axes, and its rate; frame as above. */
void spherical_pendulum_frame_motion(const double *restrict q, const double *restrict v, const double *restrict a,
    const double *restrict frame, double *restrict motion)
{
    frame_motion(0, q, v, a, frame, motion);
}

void spherical_pendulum_cog_jacobian_batch(long n, const double *q, long q_stride, double *G)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_cog_jacobian(q + i*q_stride, G + i*18);
}

void spherical_pendulum_frame_jacobian_batch(long n, const double *q, long q_stride, const double *frame,
    long frame_stride, double *J)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_frame_jacobian(q + i*q_stride, frame + i*frame_stride, J + i*18);
}

void spherical_pendulum_frame_pose_batch(long n, const double *q, long q_stride, const double *placed,
    long placed_stride, double *pose)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_frame_pose(q + i*q_stride, placed + i*placed_stride, pose + i*16);
}

void spherical_pendulum_frame_velocity_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *frame, long frame_stride, double *velocity)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_frame_velocity(q + i*q_stride, v + i*v_stride, frame + i*frame_stride, velocity + i*6);
}

void spherical_pendulum_frame_acceleration_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *frame, long frame_stride, double *acceleration)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_frame_acceleration(q + i*q_stride, v + i*v_stride, a + i*a_stride, frame + i*frame_stride,
            acceleration + i*6);
}

void spherical_pendulum_frame_motion_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *motion)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_frame_motion(q + i*q_stride, v + i*v_stride, a + i*a_stride, frame + i*frame_stride,
            motion + i*12);
}
