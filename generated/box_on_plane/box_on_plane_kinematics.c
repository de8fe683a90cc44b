/* box_on_plane: poses, Jacobians, energy and momentum.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * R, p: pose in the parent or, where poses are asked for, in the world
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * h: half of a turn, R S of R S R'; height along gravity
 * q2, qq, E: twice a quaternion's entries, their products, its rotation
 * st, mt: subtree: first moment, mass
 * RI, Iw: R I; inertia in world axes, or I w
 * vv, T, V: squares of speeds, kinetic and potential energy
 * P, Pp, L: momentum, or its rate: linear, p: in the parent's axes; angular (L also the factor of M = L'DL)
 */

#include "box_on_plane_model.h"
#include "kinegen/frames/xyz.h"
#include <math.h>
#include "kinegen/linear/real.h"

/* What is defined and called here, as box_on_plane.h declares it. */
void box_on_plane_link_poses(const double *q, double *poses);
void box_on_plane_cog_bias(const double *q, const double *v, double *dGv);
void box_on_plane_com(const double *q, double *com);
void box_on_plane_com_jacobian(const double *q, double *J_com);
void box_on_plane_energy(const double *q, const double *v, double *energy);
void box_on_plane_momentum(const double *q, const double *v, double *momentum);
void box_on_plane_centroidal_momentum_matrix(const double *q, double *A_G);
void box_on_plane_cog_jacobian(const double *q, double *G);
void box_on_plane_frame_jacobian(const double *q, const double *frame, double *J);
void box_on_plane_frame_pose(const double *q, const double *placed, double *pose);
void box_on_plane_frame_velocity(const double *q, const double *v, const double *frame, double *velocity);
void box_on_plane_frame_acceleration(const double *q, const double *v, const double *a, const double *frame,
    double *acceleration);
void box_on_plane_frame_motion(const double *q, const double *v, const double *a, const double *frame,
    double *motion);
void box_on_plane_link_poses_batch(long n, const double *q, long q_stride, double *poses);
void box_on_plane_cog_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *dGv);
void box_on_plane_com_batch(long n, const double *q, long q_stride, double *com);
void box_on_plane_com_jacobian_batch(long n, const double *q, long q_stride, double *J_com);
void box_on_plane_energy_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *energy);
void box_on_plane_momentum_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *momentum);
void box_on_plane_centroidal_momentum_matrix_batch(long n, const double *q, long q_stride, double *A_G);
void box_on_plane_cog_jacobian_batch(long n, const double *q, long q_stride, double *G);
void box_on_plane_frame_jacobian_batch(long n, const double *q, long q_stride, const double *frame,
    long frame_stride, double *J);
void box_on_plane_frame_pose_batch(long n, const double *q, long q_stride, const double *placed, long placed_stride,
    double *pose);
void box_on_plane_frame_velocity_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *frame, long frame_stride, double *velocity);
void box_on_plane_frame_acceleration_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *acceleration);
void box_on_plane_frame_motion_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *motion);

/* World poses of the link frames. 12 mul, 12 add. */
void box_on_plane_link_poses(const double *restrict q, double *restrict poses)
{
    poses[12] = 0.0;
    poses[13] = 0.0;
    poses[14] = 0.0;
    poses[15] = 1.0;
    poses[3] = q[0];
    poses[7] = q[1];
    poses[11] = q[2];

    /* box */
    const double q2_box = 2.0*q[3];
    const double q2_box_2 = 2.0*q[4];
    const double q2_box_3 = 2.0*q[5];
    const double qq_box = q[3]*q2_box;
    const double qq_box_2 = q[4]*q2_box_2;
    const double qq_box_3 = q[5]*q2_box_3;
    const double qq_box_4 = q[3]*q2_box_2;
    const double qq_box_5 = q[3]*q2_box_3;
    const double qq_box_6 = q[4]*q2_box_3;
    const double qq_box_7 = q[6]*q2_box;
    const double qq_box_8 = q[6]*q2_box_2;
    const double qq_box_9 = q[6]*q2_box_3;
    const double E_box_xx = 1.0 - qq_box_2 - qq_box_3;
    poses[0] = E_box_xx;
    const double E_box_xy = qq_box_4 - qq_box_9;
    poses[1] = E_box_xy;
    const double E_box_xz = qq_box_5 + qq_box_8;
    poses[2] = E_box_xz;
    const double E_box_yx = qq_box_4 + qq_box_9;
    poses[4] = E_box_yx;
    const double E_box_yy = 1.0 - qq_box - qq_box_3;
    poses[5] = E_box_yy;
    const double E_box_yz = qq_box_6 - qq_box_7;
    poses[6] = E_box_yz;
    const double E_box_zx = qq_box_5 - qq_box_8;
    poses[8] = E_box_zx;
    const double E_box_zy = qq_box_6 + qq_box_7;
    poses[9] = E_box_zy;
    const double E_box_zz = 1.0 - qq_box - qq_box_2;
    poses[10] = E_box_zz;
}

void box_on_plane_link_poses_batch(long n, const double *q, long q_stride, double *poses)
{
    for (long i = 0; i < n; i++)
        box_on_plane_link_poses(q + i*q_stride, poses + i*16);
}

/* COG accelerations dG/dt v at zero joint acceleration. 27 mul, 21 add. */
void box_on_plane_cog_bias(const double *restrict q, const double *restrict v, double *restrict dGv)
{
    dGv[3] = 0.0;
    dGv[4] = 0.0;
    dGv[5] = 0.0;

    /* box */
    const double q2_box = 2.0*q[3];
    const double q2_box_2 = 2.0*q[4];
    const double q2_box_3 = 2.0*q[5];
    const double qq_box = q[3]*q2_box;
    const double qq_box_2 = q[4]*q2_box_2;
    const double qq_box_3 = q[5]*q2_box_3;
    const double qq_box_4 = q[3]*q2_box_2;
    const double qq_box_5 = q[3]*q2_box_3;
    const double qq_box_6 = q[4]*q2_box_3;
    const double qq_box_7 = q[6]*q2_box;
    const double qq_box_8 = q[6]*q2_box_2;
    const double qq_box_9 = q[6]*q2_box_3;
    const double E_box_xx = 1.0 - qq_box_2 - qq_box_3;
    const double E_box_xy = qq_box_4 - qq_box_9;
    const double E_box_xz = qq_box_5 + qq_box_8;
    const double E_box_yx = qq_box_4 + qq_box_9;
    const double E_box_yy = 1.0 - qq_box - qq_box_3;
    const double E_box_yz = qq_box_6 - qq_box_7;
    const double E_box_zx = qq_box_5 - qq_box_8;
    const double E_box_zy = qq_box_6 + qq_box_7;
    const double E_box_zz = 1.0 - qq_box - qq_box_2;
    const double neg_a_box_x = v[1]*v[5] - v[2]*v[4];
    const double a_box_y = v[0]*v[5] - v[2]*v[3];
    const double neg_a_box_z = v[0]*v[4] - v[1]*v[3];
    const double neg_dGv_0 = E_box_xx*neg_a_box_x + E_box_xz*neg_a_box_z - E_box_xy*a_box_y;
    dGv[0] = -neg_dGv_0;
    const double neg_dGv_1 = E_box_yx*neg_a_box_x + E_box_yz*neg_a_box_z - E_box_yy*a_box_y;
    dGv[1] = -neg_dGv_1;
    const double neg_dGv_2 = E_box_zx*neg_a_box_x + E_box_zz*neg_a_box_z - E_box_zy*a_box_y;
    dGv[2] = -neg_dGv_2;
}

void box_on_plane_cog_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *dGv)
{
    for (long i = 0; i < n; i++)
        box_on_plane_cog_bias(q + i*q_stride, v + i*v_stride, dGv + i*6);
}

/* Centre of mass. 6 mul. */
void box_on_plane_com(const double *restrict q, double *restrict com)
{
    const double st_x = 2.0*q[0];
    const double st_y = 2.0*q[1];
    const double st_z = 2.0*q[2];
    const double com_x = 0.5*st_x;
    com[0] = com_x;
    const double com_y = 0.5*st_y;
    com[1] = com_y;
    const double com_z = 0.5*st_z;
    com[2] = com_z;
}

void box_on_plane_com_batch(long n, const double *q, long q_stride, double *com)
{
    for (long i = 0; i < n; i++)
        box_on_plane_com(q + i*q_stride, com + i*3);
}

/* Jacobian of the centre of mass. 12 mul, 12 add. */
void box_on_plane_com_jacobian(const double *restrict q, double *restrict J_com)
{
    for (int i = 0; i < 18; i++) J_com[i] = 0.0;

    /* box */
    const double q2_box = 2.0*q[3];
    const double q2_box_2 = 2.0*q[4];
    const double q2_box_3 = 2.0*q[5];
    const double qq_box = q[3]*q2_box;
    const double qq_box_2 = q[4]*q2_box_2;
    const double qq_box_3 = q[5]*q2_box_3;
    const double qq_box_4 = q[3]*q2_box_2;
    const double qq_box_5 = q[3]*q2_box_3;
    const double qq_box_6 = q[4]*q2_box_3;
    const double qq_box_7 = q[6]*q2_box;
    const double qq_box_8 = q[6]*q2_box_2;
    const double qq_box_9 = q[6]*q2_box_3;
    const double E_box_xx = 1.0 - qq_box_2 - qq_box_3;
    J_com[0] = E_box_xx;
    const double E_box_xy = qq_box_4 - qq_box_9;
    J_com[1] = E_box_xy;
    const double E_box_xz = qq_box_5 + qq_box_8;
    J_com[2] = E_box_xz;
    const double E_box_yx = qq_box_4 + qq_box_9;
    J_com[6] = E_box_yx;
    const double E_box_yy = 1.0 - qq_box - qq_box_3;
    J_com[7] = E_box_yy;
    const double E_box_yz = qq_box_6 - qq_box_7;
    J_com[8] = E_box_yz;
    const double E_box_zx = qq_box_5 - qq_box_8;
    J_com[12] = E_box_zx;
    const double E_box_zy = qq_box_6 + qq_box_7;
    J_com[13] = E_box_zy;
    const double E_box_zz = 1.0 - qq_box - qq_box_2;
    J_com[14] = E_box_zz;
}

void box_on_plane_com_jacobian_batch(long n, const double *q, long q_stride, double *J_com)
{
    for (long i = 0; i < n; i++)
        box_on_plane_com_jacobian(q + i*q_stride, J_com + i*18);
}

/* Kinetic and potential energy. 13 mul, 5 add. */
void box_on_plane_energy(const double *restrict q, const double *restrict v, double *restrict energy)
{

    /* box */
    const double Iw_box_x = 0.021666666666666667*v[3];
    const double Iw_box_y = 0.03333333333333334*v[4];
    const double Iw_box_z = 0.041666666666666664*v[5];
    const double vv = v[0]*v[0] + v[1]*v[1] + v[2]*v[2];
    const double neg_h = 9.81*q[2];
    const double T = 2.0*vv + v[3]*Iw_box_x + v[4]*Iw_box_y + v[5]*Iw_box_z;
    const double V = 2.0*neg_h;
    energy[1] = V;
    const double energy_0 = 0.5*T;
    energy[0] = energy_0;
}

void box_on_plane_energy_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *energy)
{
    for (long i = 0; i < n; i++)
        box_on_plane_energy(q + i*q_stride, v + i*v_stride, energy + i*2);
}

/* Linear momentum, angular momentum about the centre of mass. 36 mul, 24 add. */
void box_on_plane_momentum(const double *restrict q, const double *restrict v, double *restrict momentum)
{

    /* box */
    const double q2_box = 2.0*q[3];
    const double q2_box_2 = 2.0*q[4];
    const double q2_box_3 = 2.0*q[5];
    const double qq_box = q[3]*q2_box;
    const double qq_box_2 = q[4]*q2_box_2;
    const double qq_box_3 = q[5]*q2_box_3;
    const double qq_box_4 = q[3]*q2_box_2;
    const double qq_box_5 = q[3]*q2_box_3;
    const double qq_box_6 = q[4]*q2_box_3;
    const double qq_box_7 = q[6]*q2_box;
    const double qq_box_8 = q[6]*q2_box_2;
    const double qq_box_9 = q[6]*q2_box_3;
    const double E_box_xx = 1.0 - qq_box_2 - qq_box_3;
    const double E_box_xy = qq_box_4 - qq_box_9;
    const double E_box_xz = qq_box_5 + qq_box_8;
    const double E_box_yx = qq_box_4 + qq_box_9;
    const double E_box_yy = 1.0 - qq_box - qq_box_3;
    const double E_box_yz = qq_box_6 - qq_box_7;
    const double E_box_zx = qq_box_5 - qq_box_8;
    const double E_box_zy = qq_box_6 + qq_box_7;
    const double E_box_zz = 1.0 - qq_box - qq_box_2;
    const double P_box_x = 2.0*v[0];
    const double P_box_y = 2.0*v[1];
    const double P_box_z = 2.0*v[2];
    const double L_box_x = 0.021666666666666674*v[3];
    const double L_box_y = 0.03333333333333335*v[4];
    const double L_box_z = 0.04166666666666667*v[5];
    const double momentum_0 = E_box_xx*P_box_x + E_box_xy*P_box_y + E_box_xz*P_box_z;
    momentum[0] = momentum_0;
    const double momentum_1 = E_box_yx*P_box_x + E_box_yy*P_box_y + E_box_yz*P_box_z;
    momentum[1] = momentum_1;
    const double momentum_2 = E_box_zx*P_box_x + E_box_zy*P_box_y + E_box_zz*P_box_z;
    momentum[2] = momentum_2;
    const double momentum_3 = E_box_xx*L_box_x + E_box_xy*L_box_y + E_box_xz*L_box_z;
    momentum[3] = momentum_3;
    const double momentum_4 = E_box_yx*L_box_x + E_box_yy*L_box_y + E_box_yz*L_box_z;
    momentum[4] = momentum_4;
    const double momentum_5 = E_box_zx*L_box_x + E_box_zy*L_box_y + E_box_zz*L_box_z;
    momentum[5] = momentum_5;
}

void box_on_plane_momentum_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *momentum)
{
    for (long i = 0; i < n; i++)
        box_on_plane_momentum(q + i*q_stride, v + i*v_stride, momentum + i*6);
}

/* Centroidal momentum matrix. 30 mul, 12 add. */
void box_on_plane_centroidal_momentum_matrix(const double *restrict q, double *restrict A_G)
{
    for (int i = 0; i < 36; i++) A_G[i] = 0.0;

    /* box */
    const double q2_box = 2.0*q[3];
    const double q2_box_2 = 2.0*q[4];
    const double q2_box_3 = 2.0*q[5];
    const double qq_box = q[3]*q2_box;
    const double qq_box_2 = q[4]*q2_box_2;
    const double qq_box_3 = q[5]*q2_box_3;
    const double qq_box_4 = q[3]*q2_box_2;
    const double qq_box_5 = q[3]*q2_box_3;
    const double qq_box_6 = q[4]*q2_box_3;
    const double qq_box_7 = q[6]*q2_box;
    const double qq_box_8 = q[6]*q2_box_2;
    const double qq_box_9 = q[6]*q2_box_3;
    const double E_box_xx = 1.0 - qq_box_2 - qq_box_3;
    const double E_box_xy = qq_box_4 - qq_box_9;
    const double E_box_xz = qq_box_5 + qq_box_8;
    const double E_box_yx = qq_box_4 + qq_box_9;
    const double E_box_yy = 1.0 - qq_box - qq_box_3;
    const double E_box_yz = qq_box_6 - qq_box_7;
    const double E_box_zx = qq_box_5 - qq_box_8;
    const double E_box_zy = qq_box_6 + qq_box_7;
    const double E_box_zz = 1.0 - qq_box - qq_box_2;
    const double A_G_0 = 2.0*E_box_xx;
    A_G[0] = A_G_0;
    const double A_G_1 = 2.0*E_box_xy;
    A_G[1] = A_G_1;
    const double A_G_2 = 2.0*E_box_xz;
    A_G[2] = A_G_2;
    const double A_G_6 = 2.0*E_box_yx;
    A_G[6] = A_G_6;
    const double A_G_7 = 2.0*E_box_yy;
    A_G[7] = A_G_7;
    const double A_G_8 = 2.0*E_box_yz;
    A_G[8] = A_G_8;
    const double A_G_12 = 2.0*E_box_zx;
    A_G[12] = A_G_12;
    const double A_G_13 = 2.0*E_box_zy;
    A_G[13] = A_G_13;
    const double A_G_14 = 2.0*E_box_zz;
    A_G[14] = A_G_14;
    const double A_G_21 = 0.021666666666666674*E_box_xx;
    A_G[21] = A_G_21;
    const double A_G_22 = 0.03333333333333335*E_box_xy;
    A_G[22] = A_G_22;
    const double A_G_23 = 0.04166666666666667*E_box_xz;
    A_G[23] = A_G_23;
    const double A_G_27 = 0.021666666666666674*E_box_yx;
    A_G[27] = A_G_27;
    const double A_G_28 = 0.03333333333333335*E_box_yy;
    A_G[28] = A_G_28;
    const double A_G_29 = 0.04166666666666667*E_box_yz;
    A_G[29] = A_G_29;
    const double A_G_33 = 0.021666666666666674*E_box_zx;
    A_G[33] = A_G_33;
    const double A_G_34 = 0.03333333333333335*E_box_zy;
    A_G[34] = A_G_34;
    const double A_G_35 = 0.04166666666666667*E_box_zz;
    A_G[35] = A_G_35;
}

void box_on_plane_centroidal_momentum_matrix_batch(long n, const double *q, long q_stride, double *A_G)
{
    for (long i = 0; i < n; i++)
        box_on_plane_centroidal_momentum_matrix(q + i*q_stride, A_G + i*36);
}

/* Motion axes [z; l; p] and centres of mass, world axes. 12 mul, 12 add. */
static void box_on_plane_motion_columns(const double *restrict q, double *restrict axes, double *restrict centers)
{
    kg_zeros(3, axes); kg_zeros(3, axes + 9); kg_zeros(3, axes + 18); kg_zeros(3, axes + 30);
    kg_zeros(3, axes + 39); kg_zeros(3, axes + 48);
    axes[6] = q[0];
    axes[15] = q[0];
    axes[24] = q[0];
    axes[33] = q[0];
    axes[42] = q[0];
    axes[51] = q[0];
    centers[0] = q[0];
    axes[7] = q[1];
    axes[16] = q[1];
    axes[25] = q[1];
    axes[34] = q[1];
    axes[43] = q[1];
    axes[52] = q[1];
    centers[1] = q[1];
    axes[8] = q[2];
    axes[17] = q[2];
    axes[26] = q[2];
    axes[35] = q[2];
    axes[44] = q[2];
    axes[53] = q[2];
    centers[2] = q[2];

    /* box */
    const double q2_box = 2.0*q[3];
    const double q2_box_2 = 2.0*q[4];
    const double q2_box_3 = 2.0*q[5];
    const double qq_box = q[3]*q2_box;
    const double qq_box_2 = q[4]*q2_box_2;
    const double qq_box_3 = q[5]*q2_box_3;
    const double qq_box_4 = q[3]*q2_box_2;
    const double qq_box_5 = q[3]*q2_box_3;
    const double qq_box_6 = q[4]*q2_box_3;
    const double qq_box_7 = q[6]*q2_box;
    const double qq_box_8 = q[6]*q2_box_2;
    const double qq_box_9 = q[6]*q2_box_3;
    const double E_box_xx = 1.0 - qq_box_2 - qq_box_3;
    axes[3] = E_box_xx;
    axes[27] = E_box_xx;
    const double E_box_xy = qq_box_4 - qq_box_9;
    axes[12] = E_box_xy;
    axes[36] = E_box_xy;
    const double E_box_xz = qq_box_5 + qq_box_8;
    axes[21] = E_box_xz;
    axes[45] = E_box_xz;
    const double E_box_yx = qq_box_4 + qq_box_9;
    axes[4] = E_box_yx;
    axes[28] = E_box_yx;
    const double E_box_yy = 1.0 - qq_box - qq_box_3;
    axes[13] = E_box_yy;
    axes[37] = E_box_yy;
    const double E_box_yz = qq_box_6 - qq_box_7;
    axes[22] = E_box_yz;
    axes[46] = E_box_yz;
    const double E_box_zx = qq_box_5 - qq_box_8;
    axes[5] = E_box_zx;
    axes[29] = E_box_zx;
    const double E_box_zy = qq_box_6 + qq_box_7;
    axes[14] = E_box_zy;
    axes[38] = E_box_zy;
    const double E_box_zz = 1.0 - qq_box - qq_box_2;
    axes[23] = E_box_zz;
    axes[47] = E_box_zz;
}

/* Pose and motion axes of link 0. 48 mul, 39 add. */
static void box_on_plane_step_0(const double *restrict s, const double *restrict c, const double *restrict q,
    const double *restrict above, double *restrict own, double *restrict axes)
{
    (void)s, (void)c, (void)q;

    /* box */
    const double q2_box = 2.0*q[3];
    const double q2_box_2 = 2.0*q[4];
    const double q2_box_3 = 2.0*q[5];
    const double qq_box = q[3]*q2_box;
    const double qq_box_2 = q[4]*q2_box_2;
    const double qq_box_3 = q[5]*q2_box_3;
    const double qq_box_4 = q[3]*q2_box_2;
    const double qq_box_5 = q[3]*q2_box_3;
    const double qq_box_6 = q[4]*q2_box_3;
    const double qq_box_7 = q[6]*q2_box;
    const double qq_box_8 = q[6]*q2_box_2;
    const double qq_box_9 = q[6]*q2_box_3;
    const double E_box_xx = 1.0 - qq_box_2 - qq_box_3;
    const double E_box_xy = qq_box_4 - qq_box_9;
    const double E_box_xz = qq_box_5 + qq_box_8;
    const double E_box_yx = qq_box_4 + qq_box_9;
    const double E_box_yy = 1.0 - qq_box - qq_box_3;
    const double E_box_yz = qq_box_6 - qq_box_7;
    const double E_box_zx = qq_box_5 - qq_box_8;
    const double E_box_zy = qq_box_6 + qq_box_7;
    const double E_box_zz = 1.0 - qq_box - qq_box_2;
    for (int e = 0; e < 3; e += AT_ONCE) { /* entries along x, y, z of the world, which are alike */
        const kg_xyz above_0 = *kg_xyz_at(above + 0*XYZ + e);
        const kg_xyz above_1 = *kg_xyz_at(above + 1*XYZ + e);
        const kg_xyz above_2 = *kg_xyz_at(above + 2*XYZ + e);
        const kg_xyz above_3 = *kg_xyz_at(above + 3*XYZ + e);
        *kg_xyz_to(axes + 0*XYZ + e) = (kg_xyz){0.0};
        *kg_xyz_to(axes + 3*XYZ + e) = (kg_xyz){0.0};
        *kg_xyz_to(axes + 6*XYZ + e) = (kg_xyz){0.0};
        *kg_xyz_to(axes + 10*XYZ + e) = (kg_xyz){0.0};
        *kg_xyz_to(axes + 13*XYZ + e) = (kg_xyz){0.0};
        *kg_xyz_to(axes + 16*XYZ + e) = (kg_xyz){0.0};
        const kg_xyz R_box_xx = E_box_xx*above_0 + E_box_yx*above_1 + E_box_zx*above_2;
        *kg_xyz_to(own + 0*XYZ + e) = R_box_xx;
        *kg_xyz_to(axes + 1*XYZ + e) = R_box_xx;
        *kg_xyz_to(axes + 9*XYZ + e) = R_box_xx;
        const kg_xyz R_box_xy = E_box_xy*above_0 + E_box_yy*above_1 + E_box_zy*above_2;
        *kg_xyz_to(own + 1*XYZ + e) = R_box_xy;
        *kg_xyz_to(axes + 4*XYZ + e) = R_box_xy;
        *kg_xyz_to(axes + 12*XYZ + e) = R_box_xy;
        const kg_xyz R_box_xz = E_box_xz*above_0 + E_box_yz*above_1 + E_box_zz*above_2;
        *kg_xyz_to(own + 2*XYZ + e) = R_box_xz;
        *kg_xyz_to(axes + 7*XYZ + e) = R_box_xz;
        *kg_xyz_to(axes + 15*XYZ + e) = R_box_xz;
        const kg_xyz p_box_x = above_3 + q[0]*above_0 + q[1]*above_1 + q[2]*above_2;
        *kg_xyz_to(own + 3*XYZ + e) = p_box_x;
        *kg_xyz_to(axes + 2*XYZ + e) = p_box_x;
        *kg_xyz_to(axes + 5*XYZ + e) = p_box_x;
        *kg_xyz_to(axes + 8*XYZ + e) = p_box_x;
        *kg_xyz_to(axes + 11*XYZ + e) = p_box_x;
        *kg_xyz_to(axes + 14*XYZ + e) = p_box_x;
        *kg_xyz_to(axes + 17*XYZ + e) = p_box_x;
    }
}

/* Motion axis k moves dof axis_dof[k]. */
static const int axis_dof[] = {0, 1, 2, 3, 4, 5};
/* The next axis towards the root (-1: none): the paths of the tree. */
static const int axis_above[] = {-1, 0, 1, 2, 3, 4};
/* The motion axis at which the path of link i ends. */
static const int axis_last[] = {5};
/* The link that each link hangs on, -1 for world. */
static const int link_above[] = {-1};
/* The first motion axis of each link, or where it would stand. */
static const int link_axis[] = {0};
/* The first axis of those that move one frame with it. */
static const int axis_first[] = {0, 0, 0, 0, 0, 0};

/* Angles of which the next function is handed sines and cosines; gives how many. */
enum { PATH_ANGLES = 0 };
static int box_on_plane_link_step_angles(int link, const double *q, double *angle)
{
    (void)q, (void)angle;
    switch (link) {
    default:
        return 0;
    }
}

/* Pose [R p] of a link and its motion axes [z; l; p], of the pose of what it hangs on. */
static void box_on_plane_link_step(int link, const double *s, const double *c, const double *q, const double *above,
    double *own, double *axes)
{
    switch (link) {
    case 0:
        box_on_plane_step_0(s, c, q, above, own, axes);
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
void box_on_plane_cog_jacobian(const double *restrict q, double *restrict G)
{
    cog_jacobian(0, q, G);
}

/* Jacobian [linear; angular] of a frame, world axes; frame = [link, offset x y z]. */
void box_on_plane_frame_jacobian(const double *restrict q, const double *restrict frame, double *restrict J)
{
    frame_jacobian(0, q, frame, J);
}

/* Pose of a frame in world; placed = [link, offset x y z, rotation row by row]. */
void box_on_plane_frame_pose(const double *restrict q, const double *restrict placed, double *restrict pose)
{
    frame_pose(0, q, placed, pose);
}

/* Velocity [linear; angular] of a frame at its origin, world axes; frame as above. */
void box_on_plane_frame_velocity(const double *restrict q, const double *restrict v, const double *restrict frame,
    double *restrict velocity)
{
    frame_velocity(0, q, v, frame, velocity);
}

/* Rate of that velocity; frame as above. */
void box_on_plane_frame_acceleration(const double *restrict q, const double *restrict v, const double *restrict a,
    const double *restrict frame, double *restrict acceleration)
{
    frame_acceleration(0, q, v, a, frame, acceleration);
}

/* Velocity [linear; angular] of a frame at its origin, world axes, and its rate; frame as above. */
void box_on_plane_frame_motion(const double *restrict q, const double *restrict v, const double *restrict a,
    const double *restrict frame, double *restrict motion)
{
    frame_motion(0, q, v, a, frame, motion);
}

void box_on_plane_cog_jacobian_batch(long n, const double *q, long q_stride, double *G)
{
    for (long i = 0; i < n; i++)
        box_on_plane_cog_jacobian(q + i*q_stride, G + i*36);
}

void box_on_plane_frame_jacobian_batch(long n, const double *q, long q_stride, const double *frame,
    long frame_stride, double *J)
{
    for (long i = 0; i < n; i++)
        box_on_plane_frame_jacobian(q + i*q_stride, frame + i*frame_stride, J + i*36);
}

void box_on_plane_frame_pose_batch(long n, const double *q, long q_stride, const double *placed, long placed_stride,
    double *pose)
{
    for (long i = 0; i < n; i++)
        box_on_plane_frame_pose(q + i*q_stride, placed + i*placed_stride, pose + i*16);
}

void box_on_plane_frame_velocity_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *frame, long frame_stride, double *velocity)
{
    for (long i = 0; i < n; i++)
        box_on_plane_frame_velocity(q + i*q_stride, v + i*v_stride, frame + i*frame_stride, velocity + i*6);
}

void box_on_plane_frame_acceleration_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *acceleration)
{
    for (long i = 0; i < n; i++)
        box_on_plane_frame_acceleration(q + i*q_stride, v + i*v_stride, a + i*a_stride, frame + i*frame_stride,
            acceleration + i*6);
}

void box_on_plane_frame_motion_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *motion)
{
    for (long i = 0; i < n; i++)
        box_on_plane_frame_motion(q + i*q_stride, v + i*v_stride, a + i*a_stride, frame + i*frame_stride,
            motion + i*12);
}
