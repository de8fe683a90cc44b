/* crane: poses, Jacobians, energy and momentum.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * R, p: pose in the parent or, where poses are asked for, in the world
 * ww: products of entries of w
 * f, fp, n: force and moment about the link's origin; p: in the parent's axes
 * m, s, S: mass, first moment and second moment of mass
 * sp, Sp, sq, RS: s, S in the parent's axes, s about its origin, R S
 * h: half of a turn, R S of R S R'; height along gravity
 * pG, vG, aG, Gx, ddq: centre of mass: position, velocity, acceleration; its part by joint accelerations
 * st, mt: subtree: first moment, mass
 * rC, rp: from the link's origin to the centre of mass of all; the same in the parent's axes
 * mJ, imass, mass: mass times Jacobian, 1/mass, mass
 * vv, T, V: squares of speeds, kinetic and potential energy
 * com, F, N: centre of mass; force, moment that move a link
 * P, Pp, L: momentum, or its rate: linear, p: in the parent's axes; angular (L also the factor of M = L'DL)
 * uq, zr, lr, Pr: velocity up in the link's axes; rates of z, l and of momentum
 * J: Jacobian
 */

#include "crane_model.h"
#include "kinegen/frames/xyz.h"
#include "kinegen/linear/sincos.h"

/* What is defined and called here, as crane.h declares it. */
void crane_link_poses(const double *p, const double *q, double *poses);
void crane_cog_bias(const double *p, const double *q, const double *v, double *dGv);
void crane_com(const double *p, const double *q, double *com);
void crane_com_jacobian(const double *p, const double *q, double *J_com);
void crane_energy(const double *p, const double *q, const double *v, double *energy);
void crane_momentum(const double *p, const double *q, const double *v, double *momentum);
void crane_centroidal_momentum_matrix(const double *p, const double *q, double *A_G);
void crane_cog_jacobian(const double *p, const double *q, double *G);
void crane_frame_jacobian(const double *p, const double *q, const double *frame, double *J);
void crane_frame_pose(const double *p, const double *q, const double *placed, double *pose);
void crane_frame_velocity(const double *p, const double *q, const double *v, const double *frame, double *velocity);
void crane_frame_acceleration(const double *p, const double *q, const double *v, const double *a,
    const double *frame, double *acceleration);
void crane_frame_motion(const double *p, const double *q, const double *v, const double *a, const double *frame,
    double *motion);
void crane_link_poses_batch(long n, const double *p, const double *q, long q_stride, double *poses);
void crane_cog_bias_batch(long n, const double *p, const double *q, long q_stride, const double *v, long v_stride,
    double *dGv);
void crane_com_batch(long n, const double *p, const double *q, long q_stride, double *com);
void crane_com_jacobian_batch(long n, const double *p, const double *q, long q_stride, double *J_com);
void crane_energy_batch(long n, const double *p, const double *q, long q_stride, const double *v, long v_stride,
    double *energy);
void crane_momentum_batch(long n, const double *p, const double *q, long q_stride, const double *v, long v_stride,
    double *momentum);
void crane_centroidal_momentum_matrix_batch(long n, const double *p, const double *q, long q_stride, double *A_G);
void crane_cog_jacobian_batch(long n, const double *p, const double *q, long q_stride, double *G);
void crane_frame_jacobian_batch(long n, const double *p, const double *q, long q_stride, const double *frame,
    long frame_stride, double *J);
void crane_frame_pose_batch(long n, const double *p, const double *q, long q_stride, const double *placed,
    long placed_stride, double *pose);
void crane_frame_velocity_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *frame, long frame_stride, double *velocity);
void crane_frame_acceleration_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *frame, long frame_stride, double *acceleration);
void crane_frame_motion_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *frame, long frame_stride, double *motion);

/* World poses of the link frames. 1 sincos. */
void crane_link_poses(const double *restrict p, const double *restrict q, double *restrict poses)
{
    (void)p;
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

void crane_link_poses_batch(long n, const double *p, const double *q, long q_stride, double *poses)
{
    for (long i = 0; i < n; i++)
        crane_link_poses(p, q + i*q_stride, poses + i*32);
}

/* COG accelerations dG/dt v at zero joint acceleration. 4 mul, 1 sincos. */
void crane_cog_bias(const double *restrict p, const double *restrict q, const double *restrict v,
    double *restrict dGv)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);
    for (int i = 0; i < 12; i++) dGv[i] = 0.0;

    /* load */
    const double ww_load = v[1]*v[1];
    const double aG_x = p[1]*ww_load;
    const double dGv_6 = s[0]*aG_x;
    dGv[6] = dGv_6;
    const double dGv_8 = c[0]*aG_x;
    dGv[8] = dGv_8;
}

void crane_cog_bias_batch(long n, const double *p, const double *q, long q_stride, const double *v, long v_stride,
    double *dGv)
{
    for (long i = 0; i < n; i++)
        crane_cog_bias(p, q + i*q_stride, v + i*v_stride, dGv + i*12);
}

/* Centre of mass. 7 mul, 2 add, 1 div, 1 sincos. */
void crane_com(const double *restrict p, const double *restrict q, double *restrict com)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);
    com[1] = 0.0;

    /* load */
    const double neg_s_load_x = p[1]*p[2];
    const double mt_trolley = p[3] + p[2];
    const double neg_st_trolley_y = c[0]*neg_s_load_x;
    const double neg_st_trolley_z = s[0]*neg_s_load_x;
    const double st_x = q[0]*mt_trolley;
    const double imass = 1.0/mt_trolley;
    const double neg_com_x = neg_st_trolley_z*imass - st_x*imass;
    com[0] = -neg_com_x;
    const double neg_com_z = neg_st_trolley_y*imass;
    com[2] = -neg_com_z;
}

void crane_com_batch(long n, const double *p, const double *q, long q_stride, double *com)
{
    for (long i = 0; i < n; i++)
        crane_com(p, q + i*q_stride, com + i*3);
}

/* Jacobian of the centre of mass. 5 mul, 1 add, 1 div, 1 sincos. */
void crane_com_jacobian(const double *restrict p, const double *restrict q, double *restrict J_com)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);
    J_com[2] = 0.0;
    J_com[3] = 0.0;
    J_com[4] = 0.0;

    /* load */
    const double neg_s_load_x = p[1]*p[2];
    const double m_trolley = p[3] + p[2];
    const double imass = 1.0/m_trolley;

    /* trolley */
    const double J_trolley_z = m_trolley*imass;
    J_com[0] = J_trolley_z;

    /* load */
    const double neg_J_load_y = neg_s_load_x*imass;
    const double neg_J_com_1 = c[0]*neg_J_load_y;
    J_com[1] = -neg_J_com_1;
    const double J_com_5 = s[0]*neg_J_load_y;
    J_com[5] = J_com_5;
}

void crane_com_jacobian_batch(long n, const double *p, const double *q, long q_stride, double *J_com)
{
    for (long i = 0; i < n; i++)
        crane_com_jacobian(p, q + i*q_stride, J_com + i*6);
}

/* Kinetic and potential energy. 12 mul, 3 add, 1 sincos. */
void crane_energy(const double *restrict p, const double *restrict q, const double *restrict v,
    double *restrict energy)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);

    /* load */
    const double uq_load_x = s[0]*v[0];
    const double uq_load_y = c[0]*v[0];
    const double vv = v[0]*v[0];
    const double T = p[3]*vv;
    const double neg_vG_load_y = p[1]*v[1] - uq_load_y;
    const double vv_2 = uq_load_x*uq_load_x + neg_vG_load_y*neg_vG_load_y;
    const double neg_pG_load_z = p[1]*c[0];
    const double h = p[0]*neg_pG_load_z;
    const double T_2 = T + p[2]*vv_2;
    const double neg_V = p[2]*h;
    energy[1] = -neg_V;
    const double energy_0 = 0.5*T_2;
    energy[0] = energy_0;
}

void crane_energy_batch(long n, const double *p, const double *q, long q_stride, const double *v, long v_stride,
    double *energy)
{
    for (long i = 0; i < n; i++)
        crane_energy(p, q + i*q_stride, v + i*v_stride, energy + i*2);
}

/* Linear momentum, angular momentum about the centre of mass. 16 mul, 5 add, 1 div, 1 sincos. */
void crane_momentum(const double *restrict p, const double *restrict q, const double *restrict v,
    double *restrict momentum)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);
    momentum[1] = 0.0;
    momentum[3] = 0.0;
    momentum[5] = 0.0;

    /* load */
    const double neg_s_load_x = p[1]*p[2];
    const double S_load_xx = p[1]*p[1]*p[2];
    const double m_trolley = p[3] + p[2];
    const double uq_load_y = c[0]*v[0];
    const double P_trolley_z = m_trolley*v[0];
    const double neg_P_load_y = neg_s_load_x*v[1];
    const double neg_L_load_z = neg_s_load_x*uq_load_y - S_load_xx*v[1];
    const double Pp_load_y = s[0]*neg_P_load_y;
    momentum[2] = Pp_load_y;
    const double neg_Pp_load_z = c[0]*neg_P_load_y;
    const double P_trolley_z_2 = P_trolley_z - neg_Pp_load_z;
    momentum[0] = P_trolley_z_2;
    const double neg_st_trolley_y = c[0]*neg_s_load_x;
    const double neg_st_trolley_z = s[0]*neg_s_load_x;
    const double imass = 1.0/m_trolley;
    const double neg_com_y = neg_st_trolley_y*imass;
    const double neg_com_z = neg_st_trolley_z*imass;
    const double neg_L_x = neg_L_load_z + Pp_load_y*neg_com_z - P_trolley_z_2*neg_com_y;
    momentum[4] = -neg_L_x;
}

void crane_momentum_batch(long n, const double *p, const double *q, long q_stride, const double *v, long v_stride,
    double *momentum)
{
    for (long i = 0; i < n; i++)
        crane_momentum(p, q + i*q_stride, v + i*v_stride, momentum + i*6);
}

/* Centroidal momentum matrix. 13 mul, 6 add, 1 div, 1 sincos. */
void crane_centroidal_momentum_matrix(const double *restrict p, const double *restrict q, double *restrict A_G)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);
    A_G[2] = 0.0;
    A_G[3] = 0.0;
    A_G[4] = 0.0;
    A_G[6] = 0.0;
    A_G[7] = 0.0;
    A_G[10] = 0.0;
    A_G[11] = 0.0;

    /* load */
    const double neg_s_load_x = p[1]*p[2];
    const double S_load_xx = p[1]*p[1]*p[2];
    const double m_trolley = p[3] + p[2];
    A_G[0] = m_trolley;

    /* load */
    const double neg_sp_load_y = c[0]*neg_s_load_x;
    A_G[1] = -neg_sp_load_y;
    const double neg_sp_load_z = s[0]*neg_s_load_x;
    A_G[5] = neg_sp_load_z;

    /* trolley */
    const double st_x = q[0]*m_trolley;
    const double imass = 1.0/m_trolley;
    const double neg_com_x = neg_sp_load_z*imass - st_x*imass;
    const double neg_com_z = neg_sp_load_y*imass;
    const double neg_rp_trolley_x = neg_com_x + q[0];
    const double neg_rC_load_x = c[0]*neg_com_z + s[0]*neg_rp_trolley_x;
    const double n_trolley_x = m_trolley*neg_com_z - neg_sp_load_y;
    A_G[8] = n_trolley_x;

    /* load */
    const double neg_n_load_z = neg_s_load_x*neg_rC_load_x - S_load_xx;
    A_G[9] = -neg_n_load_z;
}

void crane_centroidal_momentum_matrix_batch(long n, const double *p, const double *q, long q_stride, double *A_G)
{
    for (long i = 0; i < n; i++)
        crane_centroidal_momentum_matrix(p, q + i*q_stride, A_G + i*12);
}

/* Motion axes [z; l; p] and centres of mass, world axes. 2 mul, 1 add, 1 sincos. */
static void crane_motion_columns(const double *restrict p, const double *restrict q, double *restrict axes,
    double *restrict centers)
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

    /* load */
    const double neg_pG_load_x = p[1]*s[0] - q[0];
    centers[3] = -neg_pG_load_x;
    const double neg_pG_load_z = p[1]*c[0];
    centers[5] = -neg_pG_load_z;
}

/* Pose and motion axes of link 0. 3 mul, 3 add. */
static void crane_step_0(const double *restrict s, const double *restrict c, const double *restrict p,
    const double *restrict q, const double *restrict above, double *restrict own, double *restrict axes)
{
    (void)p;
    (void)s, (void)c, (void)p, (void)q;

    /* trolley */
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
        const kg_xyz p_trolley_x = above_3 + q[0]*above_0;
        *kg_xyz_to(own + 3*XYZ + e) = p_trolley_x;
        *kg_xyz_to(axes + 2*XYZ + e) = p_trolley_x;
    }
}

/* Pose and motion axes of link 1. 12 mul, 6 add, 1 sincos. */
static void crane_step_1(const double *restrict s, const double *restrict c, const double *restrict p,
    const double *restrict q, const double *restrict above, double *restrict own, double *restrict axes)
{
    (void)p;
    (void)s, (void)c, (void)p, (void)q;

    /* load */
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
        const kg_xyz R_load_xx = s[0]*above_0 + c[0]*above_2;
        *kg_xyz_to(own + 2*XYZ + e) = R_load_xx;
        const kg_xyz neg_R_load_xy = s[0]*above_2 - c[0]*above_0;
        *kg_xyz_to(own + 0*XYZ + e) = -neg_R_load_xy;
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
static int crane_link_step_angles(const double *p, int link, const double *q, double *angle)
{
    (void)p, (void)q, (void)angle;
    switch (link) {
    case 1:
        angle[0] = q[1];
        return 1;
    default:
        return 0;
    }
}

/* Pose [R p] of a link and its motion axes [z; l; p], of the pose of what it hangs on. */
static void crane_link_step(const double *p, int link, const double *s, const double *c, const double *q,
    const double *above, double *own, double *axes)
{
    switch (link) {
    case 0:
        crane_step_0(s, c, p, q, above, own, axes);
        break;
    case 1:
        crane_step_1(s, c, p, q, above, own, axes);
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
void crane_cog_jacobian(const double *restrict p, const double *restrict q, double *restrict G)
{
    cog_jacobian(p, q, G);
}

/* Jacobian [linear; angular] of a frame, world axes; frame = [link, offset x y z]. */
void crane_frame_jacobian(const double *restrict p, const double *restrict q, const double *restrict frame,
    double *restrict J)
{
    frame_jacobian(p, q, frame, J);
}

/* Pose of a frame in world; placed = [link, offset x y z, rotation row by row]. */
void crane_frame_pose(const double *restrict p, const double *restrict q, const double *restrict placed,
    double *restrict pose)
{
    frame_pose(p, q, placed, pose);
}

/* Velocity [linear; angular] of a frame at its origin, world axes; frame as above. */
void crane_frame_velocity(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict frame, double *restrict velocity)
{
    frame_velocity(p, q, v, frame, velocity);
}

/* Rate of that velocity; frame as above. */
void crane_frame_acceleration(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict a, const double *restrict frame, double *restrict acceleration)
{
    frame_acceleration(p, q, v, a, frame, acceleration);
}

/* Velocity [linear; angular] of a frame at its origin, world axes, and its rate; frame as above. */
void crane_frame_motion(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict a, const double *restrict frame, double *restrict motion)
{
    frame_motion(p, q, v, a, frame, motion);
}

void crane_cog_jacobian_batch(long n, const double *p, const double *q, long q_stride, double *G)
{
    for (long i = 0; i < n; i++)
        crane_cog_jacobian(p, q + i*q_stride, G + i*24);
}

void crane_frame_jacobian_batch(long n, const double *p, const double *q, long q_stride, const double *frame,
    long frame_stride, double *J)
{
    for (long i = 0; i < n; i++)
        crane_frame_jacobian(p, q + i*q_stride, frame + i*frame_stride, J + i*12);
}

void crane_frame_pose_batch(long n, const double *p, const double *q, long q_stride, const double *placed,
    long placed_stride, double *pose)
{
    for (long i = 0; i < n; i++)
        crane_frame_pose(p, q + i*q_stride, placed + i*placed_stride, pose + i*16);
}

void crane_frame_velocity_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *frame, long frame_stride, double *velocity)
{
    for (long i = 0; i < n; i++)
        crane_frame_velocity(p, q + i*q_stride, v + i*v_stride, frame + i*frame_stride, velocity + i*6);
}

void crane_frame_acceleration_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *frame, long frame_stride, double *acceleration)
{
    for (long i = 0; i < n; i++)
        crane_frame_acceleration(p, q + i*q_stride, v + i*v_stride, a + i*a_stride, frame + i*frame_stride,
            acceleration + i*6);
}

void crane_frame_motion_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *frame, long frame_stride, double *motion)
{
    for (long i = 0; i < n; i++)
        crane_frame_motion(p, q + i*q_stride, v + i*v_stride, a + i*a_stride, frame + i*frame_stride, motion + i*12);
}
