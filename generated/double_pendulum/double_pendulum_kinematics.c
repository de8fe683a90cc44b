/* double_pendulum: poses, Jacobians, energy and momentum.
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
 * f, fp, n: force and moment about the link's origin; p: in the parent's axes
 * m, s, S: mass, first moment and second moment of mass
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
 * J: Jacobian
 */

#include "double_pendulum_model.h"
#include "kinegen/frames/xyz.h"
#include "kinegen/linear/sincos.h"

/* What is defined and called here, as double_pendulum.h declares it. */
void double_pendulum_link_poses(const double *q, double *poses);
void double_pendulum_cog_bias(const double *q, const double *v, double *dGv);
void double_pendulum_com(const double *q, double *com);
void double_pendulum_com_jacobian(const double *q, double *J_com);
void double_pendulum_energy(const double *q, const double *v, double *energy);
void double_pendulum_momentum(const double *q, const double *v, double *momentum);
void double_pendulum_centroidal_momentum_matrix(const double *q, double *A_G);
void double_pendulum_cog_jacobian(const double *q, double *G);
void double_pendulum_frame_jacobian(const double *q, const double *frame, double *J);
void double_pendulum_frame_pose(const double *q, const double *placed, double *pose);
void double_pendulum_frame_velocity(const double *q, const double *v, const double *frame, double *velocity);
void double_pendulum_frame_acceleration(const double *q, const double *v, const double *a, const double *frame,
    double *acceleration);
void double_pendulum_frame_motion(const double *q, const double *v, const double *a, const double *frame,
    double *motion);
void double_pendulum_link_poses_batch(long n, const double *q, long q_stride, double *poses);
void double_pendulum_cog_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *dGv);
void double_pendulum_com_batch(long n, const double *q, long q_stride, double *com);
void double_pendulum_com_jacobian_batch(long n, const double *q, long q_stride, double *J_com);
void double_pendulum_energy_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *energy);
void double_pendulum_momentum_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *momentum);
void double_pendulum_centroidal_momentum_matrix_batch(long n, const double *q, long q_stride, double *A_G);
void double_pendulum_cog_jacobian_batch(long n, const double *q, long q_stride, double *G);
void double_pendulum_frame_jacobian_batch(long n, const double *q, long q_stride, const double *frame,
    long frame_stride, double *J);
void double_pendulum_frame_pose_batch(long n, const double *q, long q_stride, const double *placed,
    long placed_stride, double *pose);
void double_pendulum_frame_velocity_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *frame, long frame_stride, double *velocity);
void double_pendulum_frame_acceleration_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *acceleration);
void double_pendulum_frame_motion_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *motion);

/* World poses of the link frames. 6 mul, 2 add, 2 sincos. */
void double_pendulum_link_poses(const double *restrict q, double *restrict poses)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q, s, c);
    for (int i = 0; i < 32; i++) poses[i] = 0.0;
    poses[5] = 1.0;
    poses[15] = 1.0;
    poses[21] = 1.0;
    poses[31] = 1.0;
    poses[0] = c[0];
    poses[10] = c[0];
    poses[2] = s[0];
    poses[8] = -s[0];

    /* lower */
    const double R_lower_xx = s[0]*c[1] + c[0]*s[1];
    poses[18] = R_lower_xx;
    poses[24] = -R_lower_xx;
    const double neg_R_lower_xy = s[0]*s[1] - c[0]*c[1];
    poses[16] = -neg_R_lower_xy;
    poses[26] = -neg_R_lower_xy;
    const double neg_p_lower_x = 0.5*s[0];
    poses[19] = -neg_p_lower_x;
    const double neg_p_lower_z = 0.5*c[0];
    poses[27] = -neg_p_lower_z;
}

void double_pendulum_link_poses_batch(long n, const double *q, long q_stride, double *poses)
{
    for (long i = 0; i < n; i++)
        double_pendulum_link_poses(q + i*q_stride, poses + i*32);
}

/* COG accelerations dG/dt v at zero joint acceleration. 17 mul, 6 add, 2 sincos. */
void double_pendulum_cog_bias(const double *restrict q, const double *restrict v, double *restrict dGv)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q, s, c);
    dGv[1] = 0.0;
    dGv[3] = 0.0;
    dGv[4] = 0.0;
    dGv[5] = 0.0;
    dGv[7] = 0.0;
    dGv[9] = 0.0;
    dGv[10] = 0.0;
    dGv[11] = 0.0;

    /* lower */
    const double R_lower_xx = s[0]*c[1] + c[0]*s[1];
    const double neg_R_lower_xy = s[0]*s[1] - c[0]*c[1];

    /* upper */
    const double ww_upper = v[0]*v[0];

    /* lower */
    const double w_lower_z = v[0] + v[1];
    const double ap_lower_x = 0.5*ww_upper;
    const double a_lower_x = c[1]*ap_lower_x;
    const double neg_a_lower_y = s[1]*ap_lower_x;
    const double ww_lower = w_lower_z*w_lower_z;
    const double aG_x = 0.25*ww_upper;
    const double aG_x_2 = a_lower_x + 0.25*ww_lower;
    const double dGv_0 = s[0]*aG_x;
    dGv[0] = dGv_0;
    const double dGv_2 = c[0]*aG_x;
    dGv[2] = dGv_2;
    const double dGv_6 = R_lower_xx*aG_x_2 + neg_R_lower_xy*neg_a_lower_y;
    dGv[6] = dGv_6;
    const double dGv_8 = R_lower_xx*neg_a_lower_y - neg_R_lower_xy*aG_x_2;
    dGv[8] = dGv_8;
}

void double_pendulum_cog_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *dGv)
{
    for (long i = 0; i < n; i++)
        double_pendulum_cog_bias(q + i*q_stride, v + i*v_stride, dGv + i*12);
}

/* Centre of mass. 10 mul, 3 add, 2 sincos. */
void double_pendulum_com(const double *restrict q, double *restrict com)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q, s, c);
    com[1] = 0.0;
    const double neg_st_upper_x = 0.75 + 0.25*c[1];
    const double neg_st_upper_y = 0.25*s[1];
    const double neg_com_x = 0.5*s[0]*neg_st_upper_x + 0.5*c[0]*neg_st_upper_y;
    com[0] = -neg_com_x;
    const double com_z = 0.5*s[0]*neg_st_upper_y - 0.5*c[0]*neg_st_upper_x;
    com[2] = com_z;
}

void double_pendulum_com_batch(long n, const double *q, long q_stride, double *com)
{
    for (long i = 0; i < n; i++)
        double_pendulum_com(q + i*q_stride, com + i*3);
}

/* Jacobian of the centre of mass. 14 mul, 5 add, 2 sincos. */
void double_pendulum_com_jacobian(const double *restrict q, double *restrict J_com)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q, s, c);
    J_com[2] = 0.0;
    J_com[3] = 0.0;
    const double neg_st_upper_x = 0.75 + 0.25*c[1];
    const double neg_st_upper_y = 0.25*s[1];

    /* lower */
    const double R_lower_xx = s[0]*c[1] + c[0]*s[1];
    const double neg_R_lower_xy = s[0]*s[1] - c[0]*c[1];

    /* upper */
    const double J_upper_x = 0.5*neg_st_upper_y;
    const double neg_J_upper_y = 0.5*neg_st_upper_x;

    /* lower */
    const double J_com_0 = s[0]*J_upper_x - c[0]*neg_J_upper_y;
    J_com[0] = J_com_0;
    const double J_com_1 = 0.125*neg_R_lower_xy;
    J_com[1] = J_com_1;
    const double J_com_4 = c[0]*J_upper_x + s[0]*neg_J_upper_y;
    J_com[4] = J_com_4;
    const double J_com_5 = 0.125*R_lower_xx;
    J_com[5] = J_com_5;
}

void double_pendulum_com_jacobian_batch(long n, const double *q, long q_stride, double *J_com)
{
    for (long i = 0; i < n; i++)
        double_pendulum_com_jacobian(q + i*q_stride, J_com + i*6);
}

/* Kinetic and potential energy. 20 mul, 9 add, 2 sincos. */
void double_pendulum_energy(const double *restrict q, const double *restrict v, double *restrict energy)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q, s, c);

    /* lower */
    const double neg_R_lower_xy = s[0]*s[1] - c[0]*c[1];
    const double neg_p_lower_z = 0.5*c[0];
    const double neg_up_lower_y = 0.5*v[0];
    const double neg_uq_lower_x = s[1]*neg_up_lower_y;
    const double neg_uq_lower_y = c[1]*neg_up_lower_y;
    const double w_lower_z = v[0] + v[1];
    const double neg_vG_upper_y = 0.25*v[0];
    const double Iw_upper_z = 0.020833333333333332*v[0];
    const double vv = neg_vG_upper_y*neg_vG_upper_y;
    const double neg_pG_upper_z = 0.25*c[0];
    const double h = 9.81*neg_pG_upper_z;
    const double T = vv + v[0]*Iw_upper_z;
    const double neg_vG_lower_y = neg_uq_lower_y + 0.25*w_lower_z;
    const double Iw_lower_z = 0.020833333333333332*w_lower_z;
    const double vv_2 = neg_uq_lower_x*neg_uq_lower_x + neg_vG_lower_y*neg_vG_lower_y;
    const double pG_lower_z = 0.25*neg_R_lower_xy - neg_p_lower_z;
    const double neg_h = 9.81*pG_lower_z;
    const double T_2 = T + vv_2 + w_lower_z*Iw_lower_z;
    const double neg_V = h - neg_h;
    energy[1] = -neg_V;
    const double energy_0 = 0.5*T_2;
    energy[0] = energy_0;
}

void double_pendulum_energy_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *energy)
{
    for (long i = 0; i < n; i++)
        double_pendulum_energy(q + i*q_stride, v + i*v_stride, energy + i*2);
}

/* Linear momentum, angular momentum about the centre of mass. 20 mul, 10 add, 2 sincos. */
void double_pendulum_momentum(const double *restrict q, const double *restrict v, double *restrict momentum)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q, s, c);
    momentum[1] = 0.0;
    momentum[3] = 0.0;
    momentum[5] = 0.0;
    const double neg_up_lower_y = 0.5*v[0];
    const double neg_uq_lower_y = c[1]*neg_up_lower_y;
    const double w_lower_z = v[0] + v[1];
    const double neg_P_upper_y = 0.75*v[0];
    const double L_upper_z = 0.3333333333333333*v[0];
    const double neg_P_lower_y = 0.25*w_lower_z;
    const double L_lower_z = 0.08333333333333333*w_lower_z + 0.25*neg_uq_lower_y;
    const double Pp_lower_x = s[1]*neg_P_lower_y;
    const double neg_Pp_lower_y = c[1]*neg_P_lower_y;
    const double neg_P_upper_y_2 = neg_P_upper_y + neg_Pp_lower_y;
    const double L_upper_z_2 = L_upper_z + L_lower_z + 0.5*neg_Pp_lower_y;
    const double neg_st_upper_x = 0.75 + 0.25*c[1];
    const double neg_st_upper_y = 0.25*s[1];
    const double neg_com_x = 0.5*neg_st_upper_x;
    const double neg_com_y = 0.5*neg_st_upper_y;
    const double neg_L_z = neg_P_upper_y_2*neg_com_x + Pp_lower_x*neg_com_y - L_upper_z_2;
    momentum[4] = -neg_L_z;
    const double momentum_0 = s[0]*Pp_lower_x - c[0]*neg_P_upper_y_2;
    momentum[0] = momentum_0;
    const double momentum_2 = c[0]*Pp_lower_x + s[0]*neg_P_upper_y_2;
    momentum[2] = momentum_2;
}

void double_pendulum_momentum_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *momentum)
{
    for (long i = 0; i < n; i++)
        double_pendulum_momentum(q + i*q_stride, v + i*v_stride, momentum + i*6);
}

/* Centroidal momentum matrix. 32 mul, 19 add, 2 sincos. */
void double_pendulum_centroidal_momentum_matrix(const double *restrict q, double *restrict A_G)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q, s, c);
    A_G[2] = 0.0;
    A_G[3] = 0.0;
    A_G[6] = 0.0;
    A_G[7] = 0.0;
    A_G[10] = 0.0;
    A_G[11] = 0.0;

    /* lower */
    const double neg_sp_lower_x = 0.25*c[1];
    const double neg_sp_lower_y = 0.25*s[1];
    const double h_Sp_lower = 0.08333333333333333*c[1];
    const double Sp_lower_xx = c[1]*h_Sp_lower;
    const double Sp_lower_yy = 0.08333333333333333 - Sp_lower_xx;

    /* upper */
    const double neg_s_upper_x = 0.75 + neg_sp_lower_x;
    const double S_upper_xx = 0.3333333333333333 + Sp_lower_xx + neg_sp_lower_x;
    const double neg_st_upper_x = 0.75 + 0.25*c[1];
    const double neg_com_x = 0.5*s[0]*neg_st_upper_x + 0.5*c[0]*neg_sp_lower_y;
    const double com_z = 0.5*s[0]*neg_sp_lower_y - 0.5*c[0]*neg_st_upper_x;
    const double neg_rC_upper_x = s[0]*neg_com_x - c[0]*com_z;
    const double neg_rC_upper_y = c[0]*neg_com_x + s[0]*com_z;
    const double rp_lower_x = 0.5 - neg_rC_upper_x;
    const double neg_rC_lower_x = s[1]*neg_rC_upper_y - c[1]*rp_lower_x;

    /* lower */
    const double R_lower_xx = s[0]*c[1] + c[0]*s[1];
    const double neg_R_lower_xy = s[0]*s[1] - c[0]*c[1];

    /* upper */
    const double neg_n_upper_z = neg_s_upper_x*neg_rC_upper_x + neg_sp_lower_y*neg_rC_upper_y - S_upper_xx
        - Sp_lower_yy;
    A_G[8] = -neg_n_upper_z;

    /* lower */
    const double n_lower_z = 0.08333333333333333 - 0.25*neg_rC_lower_x;
    A_G[9] = n_lower_z;
    const double A_G_0 = s[0]*neg_sp_lower_y - c[0]*neg_s_upper_x;
    A_G[0] = A_G_0;
    const double A_G_1 = 0.25*neg_R_lower_xy;
    A_G[1] = A_G_1;
    const double A_G_4 = c[0]*neg_sp_lower_y + s[0]*neg_s_upper_x;
    A_G[4] = A_G_4;
    const double A_G_5 = 0.25*R_lower_xx;
    A_G[5] = A_G_5;
}

void double_pendulum_centroidal_momentum_matrix_batch(long n, const double *q, long q_stride, double *A_G)
{
    for (long i = 0; i < n; i++)
        double_pendulum_centroidal_momentum_matrix(q + i*q_stride, A_G + i*12);
}

/* Motion axes [z; l; p] and centres of mass, world axes. 10 mul, 4 add, 2 sincos. */
static void double_pendulum_motion_columns(const double *restrict q, double *restrict axes, double *restrict centers)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q, s, c);
    for (int i = 0; i < 18; i++) axes[i] = 0.0;
    axes[1] = 1.0;
    axes[10] = 1.0;
    centers[1] = 0.0;
    centers[4] = 0.0;

    /* lower */
    const double R_lower_xx = s[0]*c[1] + c[0]*s[1];
    const double neg_R_lower_xy = s[0]*s[1] - c[0]*c[1];
    const double neg_p_lower_x = 0.5*s[0];
    axes[15] = -neg_p_lower_x;
    const double neg_p_lower_z = 0.5*c[0];
    axes[17] = -neg_p_lower_z;
    const double neg_pG_upper_x = 0.25*s[0];
    centers[0] = -neg_pG_upper_x;
    const double neg_pG_upper_z = 0.25*c[0];
    centers[2] = -neg_pG_upper_z;
    const double neg_pG_lower_x = neg_p_lower_x + 0.25*R_lower_xx;
    centers[3] = -neg_pG_lower_x;
    const double pG_lower_z = 0.25*neg_R_lower_xy - neg_p_lower_z;
    centers[5] = pG_lower_z;
}

/* Pose and motion axes of link 0. 12 mul, 6 add, 1 sincos. */
static void double_pendulum_step_0(const double *restrict s, const double *restrict c, const double *restrict q,
    const double *restrict above, double *restrict own, double *restrict axes)
{
    (void)s, (void)c, (void)q;

    /* upper */
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
        const kg_xyz R_upper_xx = s[0]*above_0 + c[0]*above_2;
        *kg_xyz_to(own + 2*XYZ + e) = R_upper_xx;
        const kg_xyz neg_R_upper_xy = s[0]*above_2 - c[0]*above_0;
        *kg_xyz_to(own + 0*XYZ + e) = -neg_R_upper_xy;
    }
}

/* Pose and motion axes of link 1. 15 mul, 9 add, 1 sincos. */
static void double_pendulum_step_1(const double *restrict s, const double *restrict c, const double *restrict q,
    const double *restrict above, double *restrict own, double *restrict axes)
{
    (void)s, (void)c, (void)q;

    /* lower */
    for (int e = 0; e < 3; e += AT_ONCE) { /* entries along x, y, z of the world, which are alike */
        const kg_xyz above_0 = *kg_xyz_at(above + 0*XYZ + e);
        const kg_xyz above_1 = *kg_xyz_at(above + 1*XYZ + e);
        const kg_xyz above_2 = *kg_xyz_at(above + 2*XYZ + e);
        const kg_xyz above_3 = *kg_xyz_at(above + 3*XYZ + e);
        *kg_xyz_to(axes + 1*XYZ + e) = (kg_xyz){0.0};
        *kg_xyz_to(own + 1*XYZ + e) = above_1;
        *kg_xyz_to(axes + 0*XYZ + e) = above_1;
        const kg_xyz R_lower_xx = s[0]*above_0 + c[0]*above_2;
        *kg_xyz_to(own + 2*XYZ + e) = R_lower_xx;
        const kg_xyz neg_R_lower_xy = s[0]*above_2 - c[0]*above_0;
        *kg_xyz_to(own + 0*XYZ + e) = -neg_R_lower_xy;
        const kg_xyz neg_p_lower_x = 0.5*above_2 - above_3;
        *kg_xyz_to(own + 3*XYZ + e) = -neg_p_lower_x;
        *kg_xyz_to(axes + 2*XYZ + e) = -neg_p_lower_x;
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
enum { PATH_ANGLES = 2 };
static int double_pendulum_link_step_angles(int link, const double *q, double *angle)
{
    (void)q, (void)angle;
    switch (link) {
    case 0:
        angle[0] = q[0];
        return 1;
    case 1:
        angle[0] = q[1];
        return 1;
    default:
        return 0;
    }
}

/* Pose [R p] of a link and its motion axes [z; l; p], of the pose of what it hangs on. */
static void double_pendulum_link_step(int link, const double *s, const double *c, const double *q,
    const double *above, double *own, double *axes)
{
    switch (link) {
    case 0:
        double_pendulum_step_0(s, c, q, above, own, axes);
        break;
    case 1:
        double_pendulum_step_1(s, c, q, above, own, axes);
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
void double_pendulum_cog_jacobian(const double *restrict q, double *restrict G)
{
    cog_jacobian(0, q, G);
}

/* Jacobian [linear; angular] of a frame, world axes; frame = [link, offset x y z]. */
void double_pendulum_frame_jacobian(const double *restrict q, const double *restrict frame, double *restrict J)
{
    frame_jacobian(0, q, frame, J);
}

/* Pose of a frame in world; placed = [link, offset x y z, rotation row by row]. */
void double_pendulum_frame_pose(const double *restrict q, const double *restrict placed, double *restrict pose)
{
    frame_pose(0, q, placed, pose);
}

/* Velocity [linear; angular] of a frame at its origin, world axes; frame as above. */
void double_pendulum_frame_velocity(const double *restrict q, const double *restrict v, const double *restrict frame,
    double *restrict velocity)
{
    frame_velocity(0, q, v, frame, velocity);
}

/* Rate of that velocity; frame as above. */
void double_pendulum_frame_acceleration(const double *restrict q, const double *restrict v, const double *restrict a,
    const double *restrict frame, double *restrict acceleration)
{
    frame_acceleration(0, q, v, a, frame, acceleration);
}

/* Velocity [linear; angular] of a frame at its origin, world axes, and its rate; frame as above. */
void double_pendulum_frame_motion(const double *restrict q, const double *restrict v, const double *restrict a,
    const double *restrict frame, double *restrict motion)
{
    frame_motion(0, q, v, a, frame, motion);
}

void double_pendulum_cog_jacobian_batch(long n, const double *q, long q_stride, double *G)
{
    for (long i = 0; i < n; i++)
        double_pendulum_cog_jacobian(q + i*q_stride, G + i*24);
}

void double_pendulum_frame_jacobian_batch(long n, const double *q, long q_stride, const double *frame,
    long frame_stride, double *J)
{
    for (long i = 0; i < n; i++)
        double_pendulum_frame_jacobian(q + i*q_stride, frame + i*frame_stride, J + i*12);
}

void double_pendulum_frame_pose_batch(long n, const double *q, long q_stride, const double *placed,
    long placed_stride, double *pose)
{
    for (long i = 0; i < n; i++)
        double_pendulum_frame_pose(q + i*q_stride, placed + i*placed_stride, pose + i*16);
}

void double_pendulum_frame_velocity_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *frame, long frame_stride, double *velocity)
{
    for (long i = 0; i < n; i++)
        double_pendulum_frame_velocity(q + i*q_stride, v + i*v_stride, frame + i*frame_stride, velocity + i*6);
}

void double_pendulum_frame_acceleration_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *acceleration)
{
    for (long i = 0; i < n; i++)
        double_pendulum_frame_acceleration(q + i*q_stride, v + i*v_stride, a + i*a_stride, frame + i*frame_stride,
            acceleration + i*6);
}

void double_pendulum_frame_motion_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *motion)
{
    for (long i = 0; i < n; i++)
        double_pendulum_frame_motion(q + i*q_stride, v + i*v_stride, a + i*a_stride, frame + i*frame_stride,
            motion + i*12);
}
