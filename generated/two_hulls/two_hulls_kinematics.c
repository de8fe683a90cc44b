/* two_hulls: poses, Jacobians, energy and momentum.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * R, p: pose in the parent or, where poses are asked for, in the world
 * st, mt: subtree: first moment, mass
 * vv, T, V: squares of speeds, kinetic and potential energy
 * P, Pp, L: momentum, or its rate: linear, p: in the parent's axes; angular (L also the factor of M = L'DL)
 */

#include "two_hulls_model.h"
#include "kinegen/frames/xyz.h"
#include <math.h>
#include "kinegen/linear/real.h"

/* What is defined and called here, as two_hulls.h declares it. */
void two_hulls_link_poses(const double *q, double *poses);
void two_hulls_cog_bias(const double *q, const double *v, double *dGv);
void two_hulls_com(const double *q, double *com);
void two_hulls_com_jacobian(const double *q, double *J_com);
void two_hulls_energy(const double *q, const double *v, double *energy);
void two_hulls_momentum(const double *q, const double *v, double *momentum);
void two_hulls_centroidal_momentum_matrix(const double *q, double *A_G);
void two_hulls_cog_jacobian(const double *q, double *G);
void two_hulls_frame_jacobian(const double *q, const double *frame, double *J);
void two_hulls_frame_pose(const double *q, const double *placed, double *pose);
void two_hulls_frame_velocity(const double *q, const double *v, const double *frame, double *velocity);
void two_hulls_frame_acceleration(const double *q, const double *v, const double *a, const double *frame,
    double *acceleration);
void two_hulls_frame_motion(const double *q, const double *v, const double *a, const double *frame, double *motion);
void two_hulls_link_poses_batch(long n, const double *q, long q_stride, double *poses);
void two_hulls_cog_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride, double *dGv);
void two_hulls_com_batch(long n, const double *q, long q_stride, double *com);
void two_hulls_com_jacobian_batch(long n, const double *q, long q_stride, double *J_com);
void two_hulls_energy_batch(long n, const double *q, long q_stride, const double *v, long v_stride, double *energy);
void two_hulls_momentum_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *momentum);
void two_hulls_centroidal_momentum_matrix_batch(long n, const double *q, long q_stride, double *A_G);
void two_hulls_cog_jacobian_batch(long n, const double *q, long q_stride, double *G);
void two_hulls_frame_jacobian_batch(long n, const double *q, long q_stride, const double *frame, long frame_stride,
    double *J);
void two_hulls_frame_pose_batch(long n, const double *q, long q_stride, const double *placed, long placed_stride,
    double *pose);
void two_hulls_frame_velocity_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *frame, long frame_stride, double *velocity);
void two_hulls_frame_acceleration_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *acceleration);
void two_hulls_frame_motion_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *motion);

/* World poses of the link frames. 2 add. */
void two_hulls_link_poses(const double *restrict q, double *restrict poses)
{
    for (int i = 0; i < 32; i++) poses[i] = 0.0;
    poses[0] = 1.0;
    poses[5] = 1.0;
    poses[10] = 1.0;
    poses[15] = 1.0;
    poses[16] = 1.0;
    poses[21] = 1.0;
    poses[26] = 1.0;
    poses[31] = 1.0;

    /* left */
    const double neg_p_left_x = 0.3 - q[0];
    poses[3] = -neg_p_left_x;

    /* right */
    const double p_right_x = 0.3 + q[1];
    poses[19] = p_right_x;
}

void two_hulls_link_poses_batch(long n, const double *q, long q_stride, double *poses)
{
    for (long i = 0; i < n; i++)
        two_hulls_link_poses(q + i*q_stride, poses + i*32);
}

/* COG accelerations dG/dt v at zero joint acceleration. No operations. */
void two_hulls_cog_bias(const double *restrict q, const double *restrict v, double *restrict dGv)
{
    (void)q;
    (void)v;
    for (int i = 0; i < 12; i++) dGv[i] = 0.0;
}

void two_hulls_cog_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride, double *dGv)
{
    for (long i = 0; i < n; i++)
        two_hulls_cog_bias(q + i*q_stride, v + i*v_stride, dGv + i*12);
}

/* Centre of mass. 1 mul, 3 add. */
void two_hulls_com(const double *restrict q, double *restrict com)
{
    com[1] = 0.0;
    com[2] = 0.0;

    /* left */
    const double neg_p_left_x = 0.3 - q[0];

    /* right */
    const double p_right_x = 0.3 + q[1];
    const double neg_st_x = neg_p_left_x - p_right_x;
    const double neg_com_x = 0.5*neg_st_x;
    com[0] = -neg_com_x;
}

void two_hulls_com_batch(long n, const double *q, long q_stride, double *com)
{
    for (long i = 0; i < n; i++)
        two_hulls_com(q + i*q_stride, com + i*3);
}

/* Jacobian of the centre of mass. No operations. */
void two_hulls_com_jacobian(const double *restrict q, double *restrict J_com)
{
    (void)q;
    J_com[0] = 0.5;
    J_com[1] = 0.5;
    J_com[2] = 0.0;
    J_com[3] = 0.0;
    J_com[4] = 0.0;
    J_com[5] = 0.0;
}

void two_hulls_com_jacobian_batch(long n, const double *q, long q_stride, double *J_com)
{
    for (long i = 0; i < n; i++)
        two_hulls_com_jacobian(q + i*q_stride, J_com + i*6);
}

/* Kinetic and potential energy. 3 mul, 1 add. */
void two_hulls_energy(const double *restrict q, const double *restrict v, double *restrict energy)
{
    (void)q;
    energy[1] = 0.0;

    /* right */
    const double vv = v[0]*v[0];
    const double vv_2 = v[1]*v[1];
    const double T = vv + vv_2;
    const double energy_0 = 0.5*T;
    energy[0] = energy_0;
}

void two_hulls_energy_batch(long n, const double *q, long q_stride, const double *v, long v_stride, double *energy)
{
    for (long i = 0; i < n; i++)
        two_hulls_energy(q + i*q_stride, v + i*v_stride, energy + i*2);
}

/* Linear momentum, angular momentum about the centre of mass. 1 add. */
void two_hulls_momentum(const double *restrict q, const double *restrict v, double *restrict momentum)
{
    (void)q;
    momentum[1] = 0.0;
    momentum[2] = 0.0;
    momentum[3] = 0.0;
    momentum[4] = 0.0;
    momentum[5] = 0.0;
    const double P_x = v[1] + v[0];
    momentum[0] = P_x;
}

void two_hulls_momentum_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *momentum)
{
    for (long i = 0; i < n; i++)
        two_hulls_momentum(q + i*q_stride, v + i*v_stride, momentum + i*6);
}

/* Centroidal momentum matrix. No operations. */
void two_hulls_centroidal_momentum_matrix(const double *restrict q, double *restrict A_G)
{
    (void)q;
    for (int i = 0; i < 12; i++) A_G[i] = 0.0;
    A_G[0] = 1.0;
    A_G[1] = 1.0;
}

void two_hulls_centroidal_momentum_matrix_batch(long n, const double *q, long q_stride, double *A_G)
{
    for (long i = 0; i < n; i++)
        two_hulls_centroidal_momentum_matrix(q + i*q_stride, A_G + i*12);
}

/* Motion axes [z; l; p] and centres of mass, world axes. 2 add. */
static void two_hulls_motion_columns(const double *restrict q, double *restrict axes, double *restrict centers)
{
    for (int i = 0; i < 18; i++) axes[i] = 0.0;
    axes[3] = 1.0;
    axes[12] = 1.0;
    centers[1] = 0.0;
    centers[2] = 0.0;
    centers[4] = 0.0;
    centers[5] = 0.0;

    /* left */
    const double neg_p_left_x = 0.3 - q[0];
    axes[6] = -neg_p_left_x;
    centers[0] = -neg_p_left_x;

    /* right */
    const double p_right_x = 0.3 + q[1];
    axes[15] = p_right_x;
    centers[3] = p_right_x;
}

/* Pose and motion axes of link 0. 3 mul, 4 add. */
static void two_hulls_step_0(const double *restrict s, const double *restrict c, const double *restrict q,
    const double *restrict above, double *restrict own, double *restrict axes)
{
    (void)s, (void)c, (void)q;

    /* left */
    const double neg_p_left_x = 0.3 - q[0];
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
        const kg_xyz neg_p_left_x_2 = neg_p_left_x*above_0 - above_3;
        *kg_xyz_to(own + 3*XYZ + e) = -neg_p_left_x_2;
        *kg_xyz_to(axes + 2*XYZ + e) = -neg_p_left_x_2;
    }
}

/* Pose and motion axes of link 1. 3 mul, 4 add. */
static void two_hulls_step_1(const double *restrict s, const double *restrict c, const double *restrict q,
    const double *restrict above, double *restrict own, double *restrict axes)
{
    (void)s, (void)c, (void)q;

    /* right */
    const double p_right_x = 0.3 + q[1];
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
        const kg_xyz p_right_x_2 = above_3 + p_right_x*above_0;
        *kg_xyz_to(own + 3*XYZ + e) = p_right_x_2;
        *kg_xyz_to(axes + 2*XYZ + e) = p_right_x_2;
    }
}

/* Motion axis k moves dof axis_dof[k]. */
static const int axis_dof[] = {0, 1};
/* The next axis towards the root (-1: none): the paths of the tree. */
static const int axis_above[] = {-1, -1};
/* The motion axis at which the path of link i ends. */
static const int axis_last[] = {0, 1};
/* The link that each link hangs on, -1 for world. */
static const int link_above[] = {-1, -1};
/* The first motion axis of each link, or where it would stand. */
static const int link_axis[] = {0, 1};
/* The first axis of those that move one frame with it. */
static const int axis_first[] = {0, 1};

/* Angles of which the next function is handed sines and cosines; gives how many. */
enum { PATH_ANGLES = 0 };
static int two_hulls_link_step_angles(int link, const double *q, double *angle)
{
    (void)q, (void)angle;
    switch (link) {
    default:
        return 0;
    }
}

/* Pose [R p] of a link and its motion axes [z; l; p], of the pose of what it hangs on. */
static void two_hulls_link_step(int link, const double *s, const double *c, const double *q, const double *above,
    double *own, double *axes)
{
    switch (link) {
    case 0:
        two_hulls_step_0(s, c, q, above, own, axes);
        break;
    case 1:
        two_hulls_step_1(s, c, q, above, own, axes);
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
void two_hulls_cog_jacobian(const double *restrict q, double *restrict G)
{
    cog_jacobian(0, q, G);
}

/* Jacobian [linear; angular] of a frame, world axes; frame = [link, offset x y z]. */
void two_hulls_frame_jacobian(const double *restrict q, const double *restrict frame, double *restrict J)
{
    frame_jacobian(0, q, frame, J);
}

/* Pose of a frame in world; placed = [link, offset x y z, rotation row by row]. */
void two_hulls_frame_pose(const double *restrict q, const double *restrict placed, double *restrict pose)
{
    frame_pose(0, q, placed, pose);
}

/* Velocity [linear; angular] of a frame at its origin, world axes; frame as above. */
void two_hulls_frame_velocity(const double *restrict q, const double *restrict v, const double *restrict frame,
    double *restrict velocity)
{
    frame_velocity(0, q, v, frame, velocity);
}

/* Rate of that velocity; frame as above. */
void two_hulls_frame_acceleration(const double *restrict q, const double *restrict v, const double *restrict a,
    const double *restrict frame, double *restrict acceleration)
{
    frame_acceleration(0, q, v, a, frame, acceleration);
}

/* Velocity [linear; angular] of a frame at its origin, world axes, and its rate; frame as above. */
void two_hulls_frame_motion(const double *restrict q, const double *restrict v, const double *restrict a,
    const double *restrict frame, double *restrict motion)
{
    frame_motion(0, q, v, a, frame, motion);
}

void two_hulls_cog_jacobian_batch(long n, const double *q, long q_stride, double *G)
{
    for (long i = 0; i < n; i++)
        two_hulls_cog_jacobian(q + i*q_stride, G + i*24);
}

void two_hulls_frame_jacobian_batch(long n, const double *q, long q_stride, const double *frame, long frame_stride,
    double *J)
{
    for (long i = 0; i < n; i++)
        two_hulls_frame_jacobian(q + i*q_stride, frame + i*frame_stride, J + i*12);
}

void two_hulls_frame_pose_batch(long n, const double *q, long q_stride, const double *placed, long placed_stride,
    double *pose)
{
    for (long i = 0; i < n; i++)
        two_hulls_frame_pose(q + i*q_stride, placed + i*placed_stride, pose + i*16);
}

void two_hulls_frame_velocity_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *frame, long frame_stride, double *velocity)
{
    for (long i = 0; i < n; i++)
        two_hulls_frame_velocity(q + i*q_stride, v + i*v_stride, frame + i*frame_stride, velocity + i*6);
}

void two_hulls_frame_acceleration_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *acceleration)
{
    for (long i = 0; i < n; i++)
        two_hulls_frame_acceleration(q + i*q_stride, v + i*v_stride, a + i*a_stride, frame + i*frame_stride,
            acceleration + i*6);
}

void two_hulls_frame_motion_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *motion)
{
    for (long i = 0; i < n; i++)
        two_hulls_frame_motion(q + i*q_stride, v + i*v_stride, a + i*a_stride, frame + i*frame_stride, motion + i*12);
}
