/* spherical_pendulum: slower routes to compare with.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * u, up: velocity of the link's origin; as the parent carries it (articulated: u is the joint force left)
 * f, fp, n: force and moment about the link's origin; p: in the parent's axes
 * Vn, Vf, uD, dv: Un/D, Uf/D, u/D, acceleration of the joint
 * pn, pf, qn, qf, rn, rf: articulated bias wrench; with the joint's velocity products; in the parent's axes
 * q2, qq, E: twice a quaternion's entries, their products, its rotation
 * RI, Iw: R I; inertia in world axes, or I w
 */

#include "spherical_pendulum_model.h"
#include <math.h>
#include "kinegen/linear/real.h"

/* What is defined and called here, as spherical_pendulum.h declares it. */
void spherical_pendulum_forward_dynamics_articulated(const double *q, const double *v, const double *tau, double *a);
void spherical_pendulum_mass_matrix_cog(const double *q, double *M);
void spherical_pendulum_mass_matrix_unit_vector(const double *q, double *M);
void spherical_pendulum_inverse_dynamics_cog(const double *q, const double *v, const double *a, double *tau);
void spherical_pendulum_forward_dynamics_unit_vector(const double *q, const double *v, const double *tau, double *a);
void spherical_pendulum_cog_bias(const double *q, const double *v, double *dGv);
void spherical_pendulum_bias(const double *q, const double *v, double *h);
void spherical_pendulum_forward_dynamics_articulated_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a);
void spherical_pendulum_mass_matrix_cog_batch(long n, const double *q, long q_stride, double *M);
void spherical_pendulum_mass_matrix_unit_vector_batch(long n, const double *q, long q_stride, double *M);
void spherical_pendulum_inverse_dynamics_cog_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *tau);
void spherical_pendulum_forward_dynamics_unit_vector_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a);

/* Acceleration by articulated bodies. 23 mul, 10 add. */
void spherical_pendulum_forward_dynamics_articulated(const double *restrict q, const double *restrict v,
    const double *restrict tau, double *restrict a)
{

    /* ball */
    const double q2_ball = 2.0*q[0];
    const double q2_ball_2 = 2.0*q[1];
    const double q2_ball_3 = 2.0*q[2];
    const double qq_ball = q[0]*q2_ball_3;
    const double qq_ball_2 = q[1]*q2_ball_3;
    const double qq_ball_3 = q[3]*q2_ball;
    const double qq_ball_4 = q[3]*q2_ball_2;
    const double E_ball_zx = qq_ball - qq_ball_4;
    const double E_ball_zy = qq_ball_2 + qq_ball_3;
    const double Iw_ball_x = 0.502*v[0];
    const double Iw_ball_y = 0.502*v[1];
    const double Iw_ball_z = 0.0020000000000000018*v[2];
    const double pn_ball_x = v[1]*Iw_ball_z - v[2]*Iw_ball_y;
    const double neg_pn_ball_y = v[0]*Iw_ball_z - v[2]*Iw_ball_x;
    const double pn_ball_z = v[0]*Iw_ball_y - v[1]*Iw_ball_x;

    /* ball, articulated */
    const double u_ball = tau[2] - pn_ball_z;
    const double uD_ball = 499.99999999999955*u_ball;
    a[2] = uD_ball;
    const double u_ball_2 = tau[1] + neg_pn_ball_y;
    const double uD_ball_2 = 1.9920318725099602*u_ball_2;
    const double u_ball_3 = tau[0] - pn_ball_x;
    const double uD_ball_3 = 1.9920318725099602*u_ball_3;

    /* ball, acceleration */
    const double aq_ball_x = 9.81*E_ball_zx;
    const double aq_ball_y = 9.81*E_ball_zy;
    const double dv_ball = uD_ball_3 - 0.9960159362549801*aq_ball_y;
    a[0] = dv_ball;
    const double dv_ball_2 = uD_ball_2 + 0.9960159362549801*aq_ball_x;
    a[1] = dv_ball_2;
}

void spherical_pendulum_forward_dynamics_articulated_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_forward_dynamics_articulated(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, a + i*3);
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

/* Moments of inertia about the centres of mass in world axes, masses. 39 mul, 24 add. */
static void spherical_pendulum_world_inertias(const double *restrict q, double *restrict inertias,
    double *restrict masses)
{
    masses[0] = 0.5;

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
    const double RI_ball_xx = 0.0020000000000000005*E_ball_xx;
    const double RI_ball_xy = 0.0020000000000000005*E_ball_xy;
    const double RI_ball_xz = 0.0020000000000000005*E_ball_xz;
    const double RI_ball_yx = 0.0020000000000000005*E_ball_yx;
    const double RI_ball_yy = 0.0020000000000000005*E_ball_yy;
    const double RI_ball_yz = 0.0020000000000000005*E_ball_yz;
    const double RI_ball_zx = 0.0020000000000000005*E_ball_zx;
    const double RI_ball_zy = 0.0020000000000000005*E_ball_zy;
    const double RI_ball_zz = 0.0020000000000000005*E_ball_zz;
    const double Iw_ball_xx = E_ball_xx*RI_ball_xx + E_ball_xy*RI_ball_xy + E_ball_xz*RI_ball_xz;
    inertias[0] = Iw_ball_xx;
    const double Iw_ball_xy = E_ball_yx*RI_ball_xx + E_ball_yy*RI_ball_xy + E_ball_yz*RI_ball_xz;
    inertias[1] = Iw_ball_xy;
    inertias[3] = Iw_ball_xy;
    const double Iw_ball_xz = E_ball_zx*RI_ball_xx + E_ball_zy*RI_ball_xy + E_ball_zz*RI_ball_xz;
    inertias[2] = Iw_ball_xz;
    inertias[6] = Iw_ball_xz;
    const double Iw_ball_yy = E_ball_yx*RI_ball_yx + E_ball_yy*RI_ball_yy + E_ball_yz*RI_ball_yz;
    inertias[4] = Iw_ball_yy;
    const double Iw_ball_yz = E_ball_zx*RI_ball_yx + E_ball_zy*RI_ball_yy + E_ball_zz*RI_ball_yz;
    inertias[5] = Iw_ball_yz;
    inertias[7] = Iw_ball_yz;
    const double Iw_ball_zz = E_ball_zx*RI_ball_zx + E_ball_zy*RI_ball_zy + E_ball_zz*RI_ball_zz;
    inertias[8] = Iw_ball_zz;
}

/* Armature of every joint. No operations. */
static void spherical_pendulum_armatures(const double *restrict q, double *restrict armatures)
{
    (void)q;
    armatures[0] = 0.0;
    armatures[1] = 0.0;
    armatures[2] = 0.0;
}

/* Joint forces at rest without gravity. 3 mul. */
static void spherical_pendulum_unit_torque(const double *restrict q, const double *restrict a, double *restrict tau)
{
    (void)q;

    /* ball */
    const double n_ball_x = 0.502*a[0];
    tau[0] = n_ball_x;
    const double n_ball_y = 0.502*a[1];
    tau[1] = n_ball_y;
    const double n_ball_z = 0.002000000000000001*a[2];
    tau[2] = n_ball_z;
}

/* Acceleration of gravity, world axes. No operations. */
static void spherical_pendulum_gravity_vector(const double *restrict q, double *restrict g)
{
    (void)q;
    g[0] = 0.0;
    g[1] = 0.0;
    g[2] = -9.81;
}

/* Motion axis k moves dof axis_dof[k]. */
static const int axis_dof[] = {0, 1, 2};
/* The next axis towards the root (-1: none): the paths of the tree. */
static const int axis_above[] = {-1, 0, 1};
/* The motion axis at which the path of link i ends. */
static const int axis_last[] = {2};
/* Where each row of L of M = L'DL begins. */
static const int factor_row[] = {0, 0, 1, 3};
/* The columns in which its entries stand. */
static const int factor_column[] = {0, 0, 1};

#include "kinegen/tree/mass_matrix_cog.h"
#include "kinegen/tree/mass_matrix_unit_vector.h"
#include "kinegen/tree/inverse_dynamics_cog.h"
#include "kinegen/tree/forward_dynamics_unit_vector.h"

/* Mass matrix M = G' M^ G. */
void spherical_pendulum_mass_matrix_cog(const double *restrict q, double *restrict M)
{
    mass_matrix_cog(0, q, M);
}

/* Mass matrix M by unit vectors. */
void spherical_pendulum_mass_matrix_unit_vector(const double *restrict q, double *restrict M)
{
    mass_matrix_unit_vector(0, q, M);
}

/* Joint forces by the COG Jacobian: tau = G'(M^ ddq_G + b^). */
void spherical_pendulum_inverse_dynamics_cog(const double *restrict q, const double *restrict v,
    const double *restrict a, double *restrict tau)
{
    inverse_dynamics_cog(0, q, v, a, tau);
}

/* Acceleration by unit vectors. */
void spherical_pendulum_forward_dynamics_unit_vector(const double *restrict q, const double *restrict v,
    const double *restrict tau, double *restrict a)
{
    forward_dynamics_unit_vector(0, q, v, tau, a);
}

void spherical_pendulum_mass_matrix_cog_batch(long n, const double *q, long q_stride, double *M)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_mass_matrix_cog(q + i*q_stride, M + i*9);
}

void spherical_pendulum_mass_matrix_unit_vector_batch(long n, const double *q, long q_stride, double *M)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_mass_matrix_unit_vector(q + i*q_stride, M + i*9);
}

void spherical_pendulum_inverse_dynamics_cog_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *tau)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_inverse_dynamics_cog(q + i*q_stride, v + i*v_stride, a + i*a_stride, tau + i*3);
}

void spherical_pendulum_forward_dynamics_unit_vector_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_forward_dynamics_unit_vector(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, a + i*3);
}
