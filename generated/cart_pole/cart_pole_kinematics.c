/* cart_pole: poses, Jacobians, energy and momentum.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * R, p: pose in the parent or, where poses are asked for, in the world
 * ww: products of entries of w
 * f, fp, n: force and moment about the link's origin; p: in the parent's axes
 * sp, Sp, sq, RS: s, S in the parent's axes, s about its origin, R S
 * h: half of a turn, R S of R S R'; height along gravity
 * pG, vG, aG, Gx, ddq: centre of mass: position, velocity, acceleration; its part by joint accelerations
 * st, mt: subtree: first moment, mass
 * rC, rp: from the link's origin to the centre of mass of all; the same in the parent's axes
 * RI, Iw: R I; inertia in world axes, or I w
 * vv, T, V: squares of speeds, kinetic and potential energy
 * com, F, N: centre of mass; force, moment that move a link
 * P, Pp, L: momentum, or its rate: linear, p: in the parent's axes; angular (L also the factor of M = L'DL)
 * uq, zr, lr, Pr: velocity up in the link's axes; rates of z, l and of momentum
 */

#include "cart_pole_model.h"
#include "kinegen/frames/xyz.h"
#include "kinegen/linear/sincos.h"

/* What is defined and called here, as cart_pole.h declares it. */
void cart_pole_link_poses(const double *q, double *poses);
void cart_pole_cog_bias(const double *q, const double *v, double *dGv);
void cart_pole_com(const double *q, double *com);
void cart_pole_com_jacobian(const double *q, double *J_com);
void cart_pole_energy(const double *q, const double *v, double *energy);
void cart_pole_momentum(const double *q, const double *v, double *momentum);
void cart_pole_centroidal_momentum_matrix(const double *q, double *A_G);
void cart_pole_cog_jacobian(const double *q, double *G);
void cart_pole_frame_jacobian(const double *q, const double *frame, double *J);
void cart_pole_frame_pose(const double *q, const double *placed, double *pose);
void cart_pole_frame_velocity(const double *q, const double *v, const double *frame, double *velocity);
void cart_pole_frame_acceleration(const double *q, const double *v, const double *a, const double *frame,
    double *acceleration);
void cart_pole_frame_motion(const double *q, const double *v, const double *a, const double *frame, double *motion);
void cart_pole_link_poses_batch(long n, const double *q, long q_stride, double *poses);
void cart_pole_cog_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride, double *dGv);
void cart_pole_com_batch(long n, const double *q, long q_stride, double *com);
void cart_pole_com_jacobian_batch(long n, const double *q, long q_stride, double *J_com);
void cart_pole_energy_batch(long n, const double *q, long q_stride, const double *v, long v_stride, double *energy);
void cart_pole_momentum_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *momentum);
void cart_pole_centroidal_momentum_matrix_batch(long n, const double *q, long q_stride, double *A_G);
void cart_pole_cog_jacobian_batch(long n, const double *q, long q_stride, double *G);
void cart_pole_frame_jacobian_batch(long n, const double *q, long q_stride, const double *frame, long frame_stride,
    double *J);
void cart_pole_frame_pose_batch(long n, const double *q, long q_stride, const double *placed, long placed_stride,
    double *pose);
void cart_pole_frame_velocity_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *frame, long frame_stride, double *velocity);
void cart_pole_frame_acceleration_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *acceleration);
void cart_pole_frame_motion_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *motion);

/* World poses of the link frames. 1 sincos. */
void cart_pole_link_poses(const double *restrict q, double *restrict poses)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);
    for (int i = 0; i < 32; i++) poses[i] = 0.0;
    poses[0] = 1.0;
    poses[5] = 1.0;
    poses[10] = 1.0;
    poses[15] = 1.0;
    poses[21] = 1.0;
    poses[31] = 1.0;
    poses[3] = q[0];
    poses[19] = q[0];
    poses[16] = c[0];
    poses[26] = c[0];
    poses[18] = s[0];
    poses[24] = -s[0];
}

void cart_pole_link_poses_batch(long n, const double *q, long q_stride, double *poses)
{
    for (long i = 0; i < n; i++)
        cart_pole_link_poses(q + i*q_stride, poses + i*32);
}

/* COG accelerations dG/dt v at zero joint acceleration. 4 mul, 1 sincos. */
void cart_pole_cog_bias(const double *restrict q, const double *restrict v, double *restrict dGv)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);
    for (int i = 0; i < 12; i++) dGv[i] = 0.0;

    /* pole */
    const double ww_pole = v[1]*v[1];
    const double neg_aG_x = 0.5*ww_pole;
    const double neg_dGv_6 = s[0]*neg_aG_x;
    dGv[6] = -neg_dGv_6;
    const double neg_dGv_8 = c[0]*neg_aG_x;
    dGv[8] = -neg_dGv_8;
}

void cart_pole_cog_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride, double *dGv)
{
    for (long i = 0; i < n; i++)
        cart_pole_cog_bias(q + i*q_stride, v + i*v_stride, dGv + i*12);
}

/* Centre of mass. 6 mul, 1 add, 1 sincos. */
void cart_pole_com(const double *restrict q, double *restrict com)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);
    com[1] = 0.0;
    const double st_cart_y = 0.05*c[0];
    const double st_cart_z = 0.05*s[0];
    const double st_x = 1.1*q[0];
    const double com_x = 0.9090909090909091*st_x + 0.9090909090909091*st_cart_z;
    com[0] = com_x;
    const double com_z = 0.9090909090909091*st_cart_y;
    com[2] = com_z;
}

void cart_pole_com_batch(long n, const double *q, long q_stride, double *com)
{
    for (long i = 0; i < n; i++)
        cart_pole_com(q + i*q_stride, com + i*3);
}

/* Jacobian of the centre of mass. 2 mul, 1 sincos. */
void cart_pole_com_jacobian(const double *restrict q, double *restrict J_com)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);
    J_com[0] = 1.0;
    J_com[2] = 0.0;
    J_com[3] = 0.0;
    J_com[4] = 0.0;

    /* pole */
    const double J_com_1 = 0.045454545454545456*c[0];
    J_com[1] = J_com_1;
    const double neg_J_com_5 = 0.045454545454545456*s[0];
    J_com[5] = -neg_J_com_5;
}

void cart_pole_com_jacobian_batch(long n, const double *q, long q_stride, double *J_com)
{
    for (long i = 0; i < n; i++)
        cart_pole_com_jacobian(q + i*q_stride, J_com + i*6);
}

/* Kinetic and potential energy. 13 mul, 4 add, 1 sincos. */
void cart_pole_energy(const double *restrict q, const double *restrict v, double *restrict energy)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);

    /* pole */
    const double uq_pole_x = s[0]*v[0];
    const double uq_pole_y = c[0]*v[0];
    const double vv = v[0]*v[0];
    const double vG_pole_y = uq_pole_y + 0.5*v[1];
    const double Iw_pole_z = 0.008333333333333333*v[1];
    const double vv_2 = uq_pole_x*uq_pole_x + vG_pole_y*vG_pole_y;
    const double pG_pole_z = 0.5*c[0];
    const double neg_h = 9.81*pG_pole_z;
    const double T = vv + 0.1*vv_2 + v[1]*Iw_pole_z;
    const double V = 0.1*neg_h;
    energy[1] = V;
    const double energy_0 = 0.5*T;
    energy[0] = energy_0;
}

void cart_pole_energy_batch(long n, const double *q, long q_stride, const double *v, long v_stride, double *energy)
{
    for (long i = 0; i < n; i++)
        cart_pole_energy(q + i*q_stride, v + i*v_stride, energy + i*2);
}

/* Linear momentum, angular momentum about the centre of mass. 13 mul, 4 add, 1 sincos. */
void cart_pole_momentum(const double *restrict q, const double *restrict v, double *restrict momentum)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);
    momentum[1] = 0.0;
    momentum[3] = 0.0;
    momentum[5] = 0.0;
    const double uq_pole_y = c[0]*v[0];
    const double P_cart_z = 1.1*v[0];
    const double P_pole_y = 0.05*v[1];
    const double L_pole_z = 0.03333333333333333*v[1] + 0.05*uq_pole_y;
    const double neg_Pp_pole_y = s[0]*P_pole_y;
    momentum[2] = -neg_Pp_pole_y;
    const double Pp_pole_z = c[0]*P_pole_y;
    const double P_cart_z_2 = P_cart_z + Pp_pole_z;
    momentum[0] = P_cart_z_2;
    const double st_cart_y = 0.05*c[0];
    const double st_cart_z = 0.05*s[0];
    const double com_y = 0.9090909090909091*st_cart_y;
    const double com_z = 0.9090909090909091*st_cart_z;
    const double L_x = L_pole_z - P_cart_z_2*com_y - neg_Pp_pole_y*com_z;
    momentum[4] = L_x;
}

void cart_pole_momentum_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *momentum)
{
    for (long i = 0; i < n; i++)
        cart_pole_momentum(q + i*q_stride, v + i*v_stride, momentum + i*6);
}

/* Centroidal momentum matrix. 10 mul, 5 add, 1 sincos. */
void cart_pole_centroidal_momentum_matrix(const double *restrict q, double *restrict A_G)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);
    A_G[0] = 1.1;
    A_G[2] = 0.0;
    A_G[3] = 0.0;
    A_G[4] = 0.0;
    A_G[6] = 0.0;
    A_G[7] = 0.0;
    A_G[10] = 0.0;
    A_G[11] = 0.0;

    /* pole */
    const double sp_pole_y = 0.05*c[0];
    A_G[1] = sp_pole_y;
    const double sp_pole_z = 0.05*s[0];
    A_G[5] = -sp_pole_z;

    /* cart */
    const double st_x = 1.1*q[0];
    const double com_x = 0.9090909090909091*st_x + 0.9090909090909091*sp_pole_z;
    const double com_z = 0.9090909090909091*sp_pole_y;
    const double neg_rp_cart_x = q[0] - com_x;
    const double neg_rC_pole_x = s[0]*neg_rp_cart_x - c[0]*com_z;
    const double n_cart_x = sp_pole_y - 1.1*com_z;
    A_G[8] = n_cart_x;

    /* pole */
    const double n_pole_z = 0.03333333333333333 + 0.05*neg_rC_pole_x;
    A_G[9] = n_pole_z;
}

void cart_pole_centroidal_momentum_matrix_batch(long n, const double *q, long q_stride, double *A_G)
{
    for (long i = 0; i < n; i++)
        cart_pole_centroidal_momentum_matrix(q + i*q_stride, A_G + i*12);
}

/* Motion axes [z; l; p] and centres of mass, world axes. 2 mul, 1 add, 1 sincos. */
static void cart_pole_motion_columns(const double *restrict q, double *restrict axes, double *restrict centers)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);
    for (int i = 0; i < 18; i++) axes[i] = 0.0;
    axes[3] = 1.0;
    axes[10] = 1.0;
    centers[1] = 0.0;
    centers[2] = 0.0;
    centers[4] = 0.0;
    axes[6] = q[0];
    axes[15] = q[0];
    centers[0] = q[0];

    /* pole */
    const double pG_pole_x = q[0] + 0.5*s[0];
    centers[3] = pG_pole_x;
    const double pG_pole_z = 0.5*c[0];
    centers[5] = pG_pole_z;
}

/* Pose and motion axes of link 0. 3 mul, 3 add. */
static void cart_pole_step_0(const double *restrict s, const double *restrict c, const double *restrict q,
    const double *restrict above, double *restrict own, double *restrict axes)
{
    (void)s, (void)c, (void)q;

    /* cart */
    for (int e = 0; e < 3; e += AT_ONCE) { /* entries along x, y, z of the world, which are alike */
        const kg_xyz above_0 = *kg_xyz_at(above + 0*XYZ + e);
        const kg_xyz above_1 = *kg_xyz_at(above + 1*XYZ + e);
        const kg_xyz above_2 = *kg_xyz_at(above + 2*XYZ + e);
        const kg_xyz above_3 = *kg_xyz_at(above + 3*XYZ + e);
        *kg_xyz_to(axes + 0*XYZ + e) = (kg_xyz){0.0};
        *kg_xyz_to(own + 0*XYZ + e) = above_0;
        *kg_xyz_to(axes + 1*XYZ + e) = above_0;
        *kg_xyz_to(own + 1*XYZ + e) = above_1;
        *kg_xyz_to(own + 2*XYZ + e) = above_2;
        const kg_xyz p_cart_x = above_3 + q[0]*above_0;
        *kg_xyz_to(own + 3*XYZ + e) = p_cart_x;
        *kg_xyz_to(axes + 2*XYZ + e) = p_cart_x;
    }
}

/* Pose and motion axes of link 1. 12 mul, 6 add, 1 sincos. */
static void cart_pole_step_1(const double *restrict s, const double *restrict c, const double *restrict q,
    const double *restrict above, double *restrict own, double *restrict axes)
{
    (void)s, (void)c, (void)q;

    /* pole */
    for (int e = 0; e < 3; e += AT_ONCE) { /* entries along x, y, z of the world, which are alike */
        const kg_xyz above_0 = *kg_xyz_at(above + 0*XYZ + e);
        const kg_xyz above_1 = *kg_xyz_at(above + 1*XYZ + e);
        const kg_xyz above_2 = *kg_xyz_at(above + 2*XYZ + e);
        const kg_xyz above_3 = *kg_xyz_at(above + 3*XYZ + e);
        *kg_xyz_to(axes + 1*XYZ + e) = (kg_xyz){0.0};
        *kg_xyz_to(own + 1*XYZ + e) = above_1;
        *kg_xyz_to(axes + 0*XYZ + e) = above_1;
        *kg_xyz_to(own + 3*XYZ + e) = above_3;
        *kg_xyz_to(axes + 2*XYZ + e) = above_3;
        const kg_xyz R_pole_xx = s[0]*above_0 + c[0]*above_2;
        *kg_xyz_to(own + 2*XYZ + e) = R_pole_xx;
        const kg_xyz neg_R_pole_xy = s[0]*above_2 - c[0]*above_0;
        *kg_xyz_to(own + 0*XYZ + e) = -neg_R_pole_xy;
    }
}

/* Motion axis k moves dof axis_dof[k]. */
static const int axis_dof[] = {0, 1};
/* The next axis towards the root (-1: none): the paths of the tree. */
static const int axis_above[] = {-1, 0};
/* The motion axis at which the path of link i ends. */
static const int axis_last[] = {0, 1};
/* The link that each link hangs on, -1 for world. */
static const int link_above[] = {-1, 0};
/* The first motion axis of each link, or where it would stand. */
static const int link_axis[] = {0, 1};
/* The first axis of those that move one frame with it. */
static const int axis_first[] = {0, 1};

/* Angles of which the next function is handed sines and cosines; gives how many. */
enum { PATH_ANGLES = 1 };
static int cart_pole_link_step_angles(int link, const double *q, double *angle)
{
    (void)q, (void)angle;
    switch (link) {
    case 1:
        angle[0] = q[1];
        return 1;
    default:
        return 0;
    }
}

/* Pose [R p] of a link and its motion axes [z; l; p], of the pose of what it hangs on. */
static void cart_pole_link_step(int link, const double *s, const double *c, const double *q, const double *above,
    double *own, double *axes)
{
    switch (link) {
    case 0:
        cart_pole_step_0(s, c, q, above, own, axes);
        break;
    case 1:
        cart_pole_step_1(s, c, q, above, own, axes);
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
void cart_pole_cog_jacobian(const double *restrict q, double *restrict G)
{
    cog_jacobian(0, q, G);
}

/* Jacobian [linear; angular] of a frame, world axes; frame = [link, offset x y z]. */
void cart_pole_frame_jacobian(const double *restrict q, const double *restrict frame, double *restrict J)
{
    frame_jacobian(0, q, frame, J);
}

/* Pose of a frame in world; placed = [link, offset x y z, rotation row by row]. */
void cart_pole_frame_pose(const double *restrict q, const double *restrict placed, double *restrict pose)
{
    frame_pose(0, q, placed, pose);
}

/* Velocity [linear; angular] of a frame at its origin, world axes; frame as above. */
void cart_pole_frame_velocity(const double *restrict q, const double *restrict v, const double *restrict frame,
    double *restrict velocity)
{
    frame_velocity(0, q, v, frame, velocity);
}

/* Rate of that velocity; frame as above. */
void cart_pole_frame_acceleration(const double *restrict q, const double *restrict v, const double *restrict a,
    const double *restrict frame, double *restrict acceleration)
{
    frame_acceleration(0, q, v, a, frame, acceleration);
}

/* Velocity [linear; angular] of a frame at its origin, world axes, and its rate; frame as above. */
void cart_pole_frame_motion(const double *restrict q, const double *restrict v, const double *restrict a,
    const double *restrict frame, double *restrict motion)
{
    frame_motion(0, q, v, a, frame, motion);
}

void cart_pole_cog_jacobian_batch(long n, const double *q, long q_stride, double *G)
{
    for (long i = 0; i < n; i++)
        cart_pole_cog_jacobian(q + i*q_stride, G + i*24);
}

void cart_pole_frame_jacobian_batch(long n, const double *q, long q_stride, const double *frame, long frame_stride,
    double *J)
{
    for (long i = 0; i < n; i++)
        cart_pole_frame_jacobian(q + i*q_stride, frame + i*frame_stride, J + i*12);
}

void cart_pole_frame_pose_batch(long n, const double *q, long q_stride, const double *placed, long placed_stride,
    double *pose)
{
    for (long i = 0; i < n; i++)
        cart_pole_frame_pose(q + i*q_stride, placed + i*placed_stride, pose + i*16);
}

void cart_pole_frame_velocity_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *frame, long frame_stride, double *velocity)
{
    for (long i = 0; i < n; i++)
        cart_pole_frame_velocity(q + i*q_stride, v + i*v_stride, frame + i*frame_stride, velocity + i*6);
}

void cart_pole_frame_acceleration_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *acceleration)
{
    for (long i = 0; i < n; i++)
        cart_pole_frame_acceleration(q + i*q_stride, v + i*v_stride, a + i*a_stride, frame + i*frame_stride,
            acceleration + i*6);
}

void cart_pole_frame_motion_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *motion)
{
    for (long i = 0; i < n; i++)
        cart_pole_frame_motion(q + i*q_stride, v + i*v_stride, a + i*a_stride, frame + i*frame_stride, motion + i*12);
}
