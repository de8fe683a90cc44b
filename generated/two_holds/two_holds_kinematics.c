/* two_holds: poses, Jacobians, energy and momentum.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * R, p: pose in the parent or, where poses are asked for, in the world
 * ww: products of entries of w
 * f, fp, n: force and moment about the link's origin; p: in the parent's axes
 * h: half of a turn, R S of R S R'; height along gravity
 * pG, vG, aG, Gx, ddq: centre of mass: position, velocity, acceleration; its part by joint accelerations
 * st, mt: subtree: first moment, mass
 * rC, rp: from the link's origin to the centre of mass of all; the same in the parent's axes
 * RI, Iw: R I; inertia in world axes, or I w
 * vv, T, V: squares of speeds, kinetic and potential energy
 * com, F, N: centre of mass; force, moment that move a link
 * P, Pp, L: momentum, or its rate: linear, p: in the parent's axes; angular (L also the factor of M = L'DL)
 */

#include "two_holds_model.h"
#include "kinegen/frames/xyz.h"
#include "kinegen/linear/sincos.h"

/* What is defined and called here, as two_holds.h declares it. */
void two_holds_link_poses(const double *p, const double *q, double *poses);
void two_holds_cog_bias(const double *p, const double *q, const double *v, double *dGv);
void two_holds_com(const double *p, const double *q, double *com);
void two_holds_com_jacobian(const double *p, const double *q, double *J_com);
void two_holds_energy(const double *p, const double *q, const double *v, double *energy);
void two_holds_momentum(const double *p, const double *q, const double *v, double *momentum);
void two_holds_centroidal_momentum_matrix(const double *p, const double *q, double *A_G);
void two_holds_cog_jacobian(const double *p, const double *q, double *G);
void two_holds_frame_jacobian(const double *p, const double *q, const double *frame, double *J);
void two_holds_frame_pose(const double *p, const double *q, const double *placed, double *pose);
void two_holds_frame_velocity(const double *p, const double *q, const double *v, const double *frame,
    double *velocity);
void two_holds_frame_acceleration(const double *p, const double *q, const double *v, const double *a,
    const double *frame, double *acceleration);
void two_holds_frame_motion(const double *p, const double *q, const double *v, const double *a, const double *frame,
    double *motion);
void two_holds_link_poses_batch(long n, const double *p, const double *q, long q_stride, double *poses);
void two_holds_cog_bias_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, double *dGv);
void two_holds_com_batch(long n, const double *p, const double *q, long q_stride, double *com);
void two_holds_com_jacobian_batch(long n, const double *p, const double *q, long q_stride, double *J_com);
void two_holds_energy_batch(long n, const double *p, const double *q, long q_stride, const double *v, long v_stride,
    double *energy);
void two_holds_momentum_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, double *momentum);
void two_holds_centroidal_momentum_matrix_batch(long n, const double *p, const double *q, long q_stride,
    double *A_G);
void two_holds_cog_jacobian_batch(long n, const double *p, const double *q, long q_stride, double *G);
void two_holds_frame_jacobian_batch(long n, const double *p, const double *q, long q_stride, const double *frame,
    long frame_stride, double *J);
void two_holds_frame_pose_batch(long n, const double *p, const double *q, long q_stride, const double *placed,
    long placed_stride, double *pose);
void two_holds_frame_velocity_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *frame, long frame_stride, double *velocity);
void two_holds_frame_acceleration_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *frame, long frame_stride, double *acceleration);
void two_holds_frame_motion_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *frame, long frame_stride, double *motion);

/* World poses of the link frames. 1 sincos. */
void two_holds_link_poses(const double *restrict p, const double *restrict q, double *restrict poses)
{
    (void)p;
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    for (int i = 0; i < 32; i++) poses[i] = 0.0;
    poses[5] = 1.0;
    poses[15] = 1.0;
    poses[16] = 1.0;
    poses[21] = 1.0;
    poses[26] = 1.0;
    poses[27] = -0.5;
    poses[31] = 1.0;
    poses[0] = c[0];
    poses[10] = c[0];
    poses[2] = s[0];
    poses[8] = -s[0];
    poses[19] = q[1];
}

void two_holds_link_poses_batch(long n, const double *p, const double *q, long q_stride, double *poses)
{
    for (long i = 0; i < n; i++)
        two_holds_link_poses(p, q + i*q_stride, poses + i*32);
}

/* COG accelerations dG/dt v at zero joint acceleration. 4 mul, 1 sincos. */
void two_holds_cog_bias(const double *restrict p, const double *restrict q, const double *restrict v,
    double *restrict dGv)
{
    (void)p;
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    for (int i = 0; i < 12; i++) dGv[i] = 0.0;

    /* rod */
    const double ww_rod = v[0]*v[0];

    /* slider */
    const double aG_x = 0.25*ww_rod;
    const double dGv_0 = s[0]*aG_x;
    dGv[0] = dGv_0;
    const double dGv_2 = c[0]*aG_x;
    dGv[2] = dGv_2;
}

void two_holds_cog_bias_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, double *dGv)
{
    for (long i = 0; i < n; i++)
        two_holds_cog_bias(p, q + i*q_stride, v + i*v_stride, dGv + i*12);
}

/* Centre of mass. 4 mul, 2 add, 1 sincos. */
void two_holds_com(const double *restrict p, const double *restrict q, double *restrict com)
{
    (void)p;
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    com[1] = 0.0;
    const double st_x = 0.5*q[1];
    const double neg_com_x = 0.16666666666666666*s[0] - 0.6666666666666666*st_x;
    com[0] = -neg_com_x;
    const double neg_com_z = 0.16666666666666666 + 0.16666666666666666*c[0];
    com[2] = -neg_com_z;
}

void two_holds_com_batch(long n, const double *p, const double *q, long q_stride, double *com)
{
    for (long i = 0; i < n; i++)
        two_holds_com(p, q + i*q_stride, com + i*3);
}

/* Jacobian of the centre of mass. 2 mul, 1 sincos. */
void two_holds_com_jacobian(const double *restrict p, const double *restrict q, double *restrict J_com)
{
    (void)p;
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    J_com[1] = 0.3333333333333333;
    J_com[2] = 0.0;
    J_com[3] = 0.0;
    J_com[5] = 0.0;

    /* slider */
    const double neg_J_com_0 = 0.16666666666666666*c[0];
    J_com[0] = -neg_J_com_0;
    const double J_com_4 = 0.16666666666666666*s[0];
    J_com[4] = J_com_4;
}

void two_holds_com_jacobian_batch(long n, const double *p, const double *q, long q_stride, double *J_com)
{
    for (long i = 0; i < n; i++)
        two_holds_com_jacobian(p, q + i*q_stride, J_com + i*6);
}

/* Kinetic and potential energy. 9 mul, 3 add, 1 sincos. */
void two_holds_energy(const double *restrict p, const double *restrict q, const double *restrict v,
    double *restrict energy)
{
    (void)p;
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);

    /* slider */
    const double neg_vG_rod_y = 0.25*v[0];
    const double Iw_rod_z = 0.020833333333333332*v[0];
    const double vv = neg_vG_rod_y*neg_vG_rod_y;
    const double neg_pG_rod_z = 0.25*c[0];
    const double h = 9.81*neg_pG_rod_z;
    const double T = vv + v[0]*Iw_rod_z;
    const double vv_2 = v[1]*v[1];
    const double T_2 = T + 0.5*vv_2;
    const double neg_V = h + 2.4525;
    energy[1] = -neg_V;
    const double energy_0 = 0.5*T_2;
    energy[0] = energy_0;
}

void two_holds_energy_batch(long n, const double *p, const double *q, long q_stride, const double *v, long v_stride,
    double *energy)
{
    for (long i = 0; i < n; i++)
        two_holds_energy(p, q + i*q_stride, v + i*v_stride, energy + i*2);
}

/* Linear momentum, angular momentum about the centre of mass. 12 mul, 6 add, 1 sincos. */
void two_holds_momentum(const double *restrict p, const double *restrict q, const double *restrict v,
    double *restrict momentum)
{
    (void)p;
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    momentum[1] = 0.0;
    momentum[3] = 0.0;
    momentum[5] = 0.0;
    const double neg_P_rod_y = 0.25*v[0];
    const double L_rod_z = 0.08333333333333333*v[0];
    const double P_slider_z = 0.5*v[1];
    const double neg_Pp_rod_x = c[0]*neg_P_rod_y;
    const double Pp_rod_z = s[0]*neg_P_rod_y;
    momentum[2] = Pp_rod_z;
    const double st_x = 0.5*q[1];
    const double neg_com_x = 0.16666666666666666*s[0] - 0.6666666666666666*st_x;
    const double neg_com_z = 0.16666666666666666 + 0.16666666666666666*c[0];
    const double P_x = P_slider_z - neg_Pp_rod_x;
    momentum[0] = P_x;
    const double L_y = L_rod_z + neg_com_z*P_x - 0.5*P_slider_z - Pp_rod_z*neg_com_x;
    momentum[4] = L_y;
}

void two_holds_momentum_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, double *momentum)
{
    for (long i = 0; i < n; i++)
        two_holds_momentum(p, q + i*q_stride, v + i*v_stride, momentum + i*6);
}

/* Centroidal momentum matrix. 10 mul, 5 add, 1 sincos. */
void two_holds_centroidal_momentum_matrix(const double *restrict p, const double *restrict q, double *restrict A_G)
{
    (void)p;
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    A_G[1] = 0.5;
    A_G[2] = 0.0;
    A_G[3] = 0.0;
    A_G[5] = 0.0;
    A_G[6] = 0.0;
    A_G[7] = 0.0;
    A_G[10] = 0.0;
    A_G[11] = 0.0;

    /* rod */
    const double st_x = 0.5*q[1];
    const double neg_com_x = 0.16666666666666666*s[0] - 0.6666666666666666*st_x;
    const double neg_com_z = 0.16666666666666666 + 0.16666666666666666*c[0];
    const double neg_rC_rod_x = s[0]*neg_com_x + c[0]*neg_com_z;
    const double rp_slider_z = 0.5 - neg_com_z;
    const double n_rod_z = 0.08333333333333333 - 0.25*neg_rC_rod_x;
    A_G[8] = n_rod_z;

    /* slider */
    const double neg_n_slider_x = 0.5*rp_slider_z;
    A_G[9] = -neg_n_slider_x;
    const double neg_A_G_0 = 0.25*c[0];
    A_G[0] = -neg_A_G_0;
    const double A_G_4 = 0.25*s[0];
    A_G[4] = A_G_4;
}

void two_holds_centroidal_momentum_matrix_batch(long n, const double *p, const double *q, long q_stride,
    double *A_G)
{
    for (long i = 0; i < n; i++)
        two_holds_centroidal_momentum_matrix(p, q + i*q_stride, A_G + i*12);
}

/* Motion axes [z; l; p] and centres of mass, world axes. 2 mul, 1 sincos. */
static void two_holds_motion_columns(const double *restrict p, const double *restrict q, double *restrict axes,
    double *restrict centers)
{
    (void)p;
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    for (int i = 0; i < 18; i++) axes[i] = 0.0;
    axes[1] = 1.0;
    axes[12] = 1.0;
    axes[17] = -0.5;
    centers[1] = 0.0;
    centers[4] = 0.0;
    centers[5] = -0.5;
    axes[15] = q[1];
    centers[3] = q[1];

    /* slider */
    const double neg_pG_rod_x = 0.25*s[0];
    centers[0] = -neg_pG_rod_x;
    const double neg_pG_rod_z = 0.25*c[0];
    centers[2] = -neg_pG_rod_z;
}

/* Pose and motion axes of link 0. 12 mul, 6 add, 1 sincos. */
static void two_holds_step_0(const double *restrict s, const double *restrict c, const double *restrict p,
    const double *restrict q, const double *restrict above, double *restrict own, double *restrict axes)
{
    (void)p;
    (void)s, (void)c, (void)p, (void)q;

    /* rod */
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
        const kg_xyz R_rod_xx = s[0]*above_0 + c[0]*above_2;
        *kg_xyz_to(own + 2*XYZ + e) = R_rod_xx;
        const kg_xyz neg_R_rod_xy = s[0]*above_2 - c[0]*above_0;
        *kg_xyz_to(own + 0*XYZ + e) = -neg_R_rod_xy;
    }
}

/* Pose and motion axes of link 1. 6 mul, 6 add. */
static void two_holds_step_1(const double *restrict s, const double *restrict c, const double *restrict p,
    const double *restrict q, const double *restrict above, double *restrict own, double *restrict axes)
{
    (void)p;
    (void)s, (void)c, (void)p, (void)q;

    /* slider */
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
        const kg_xyz p_slider_x = above_3 + q[1]*above_0 - 0.5*above_2;
        *kg_xyz_to(own + 3*XYZ + e) = p_slider_x;
        *kg_xyz_to(axes + 2*XYZ + e) = p_slider_x;
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
enum { PATH_ANGLES = 1 };
static int two_holds_link_step_angles(const double *p, int link, const double *q, double *angle)
{
    (void)p, (void)q, (void)angle;
    switch (link) {
    case 0:
        angle[0] = q[0];
        return 1;
    default:
        return 0;
    }
}

/* Pose [R p] of a link and its motion axes [z; l; p], of the pose of what it hangs on. */
static void two_holds_link_step(const double *p, int link, const double *s, const double *c, const double *q,
    const double *above, double *own, double *axes)
{
    switch (link) {
    case 0:
        two_holds_step_0(s, c, p, q, above, own, axes);
        break;
    case 1:
        two_holds_step_1(s, c, p, q, above, own, axes);
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
void two_holds_cog_jacobian(const double *restrict p, const double *restrict q, double *restrict G)
{
    cog_jacobian(p, q, G);
}

/* Jacobian [linear; angular] of a frame, world axes; frame = [link, offset x y z]. */
void two_holds_frame_jacobian(const double *restrict p, const double *restrict q, const double *restrict frame,
    double *restrict J)
{
    frame_jacobian(p, q, frame, J);
}

/* Pose of a frame in world; placed = [link, offset x y z, rotation row by row]. */
void two_holds_frame_pose(const double *restrict p, const double *restrict q, const double *restrict placed,
    double *restrict pose)
{
    frame_pose(p, q, placed, pose);
}

/* Velocity [linear; angular] of a frame at its origin, world axes; frame as above. */
void two_holds_frame_velocity(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict frame, double *restrict velocity)
{
    frame_velocity(p, q, v, frame, velocity);
}

/* Rate of that velocity; frame as above. */
void two_holds_frame_acceleration(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict a, const double *restrict frame, double *restrict acceleration)
{
    frame_acceleration(p, q, v, a, frame, acceleration);
}

/* Velocity [linear; angular] of a frame at its origin, world axes, and its rate; frame as above. */
void two_holds_frame_motion(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict a, const double *restrict frame, double *restrict motion)
{
    frame_motion(p, q, v, a, frame, motion);
}

void two_holds_cog_jacobian_batch(long n, const double *p, const double *q, long q_stride, double *G)
{
    for (long i = 0; i < n; i++)
        two_holds_cog_jacobian(p, q + i*q_stride, G + i*24);
}

void two_holds_frame_jacobian_batch(long n, const double *p, const double *q, long q_stride, const double *frame,
    long frame_stride, double *J)
{
    for (long i = 0; i < n; i++)
        two_holds_frame_jacobian(p, q + i*q_stride, frame + i*frame_stride, J + i*12);
}

void two_holds_frame_pose_batch(long n, const double *p, const double *q, long q_stride, const double *placed,
    long placed_stride, double *pose)
{
    for (long i = 0; i < n; i++)
        two_holds_frame_pose(p, q + i*q_stride, placed + i*placed_stride, pose + i*16);
}

void two_holds_frame_velocity_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *frame, long frame_stride, double *velocity)
{
    for (long i = 0; i < n; i++)
        two_holds_frame_velocity(p, q + i*q_stride, v + i*v_stride, frame + i*frame_stride, velocity + i*6);
}

void two_holds_frame_acceleration_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *frame, long frame_stride, double *acceleration)
{
    for (long i = 0; i < n; i++)
        two_holds_frame_acceleration(p, q + i*q_stride, v + i*v_stride, a + i*a_stride, frame + i*frame_stride,
            acceleration + i*6);
}

void two_holds_frame_motion_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *frame, long frame_stride, double *motion)
{
    for (long i = 0; i < n; i++)
        two_holds_frame_motion(p, q + i*q_stride, v + i*v_stride, a + i*a_stride, frame + i*frame_stride,
            motion + i*12);
}
