/* two_holds: slower routes to compare with.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * f, fp, n: force and moment about the link's origin; p: in the parent's axes
 * pG, vG, aG, Gx, ddq: centre of mass: position, velocity, acceleration; its part by joint accelerations
 * RI, Iw: R I; inertia in world axes, or I w
 */

#include "two_holds_model.h"
#include "kinegen/linear/sincos.h"

/* What is defined and called here, as two_holds.h declares it. */
void two_holds_mass_matrix_cog(const double *p, const double *q, double *M);
void two_holds_mass_matrix_unit_vector(const double *p, const double *q, double *M);
void two_holds_inverse_dynamics_cog(const double *p, const double *q, const double *v, const double *a, double *tau);
void two_holds_forward_dynamics_open_unit_vector(const double *p, const double *q, const double *v,
    const double *tau, double *a);
void two_holds_forward_dynamics_open_ltdl(const double *p, const double *q, const double *v, const double *tau,
    double *a);
void two_holds_cog_bias(const double *p, const double *q, const double *v, double *dGv);
void two_holds_bias(const double *p, const double *q, const double *v, double *h);
void two_holds_mass_matrix(const double *p, const double *q, double *M);
void two_holds_mass_matrix_cog_batch(long n, const double *p, const double *q, long q_stride, double *M);
void two_holds_mass_matrix_unit_vector_batch(long n, const double *p, const double *q, long q_stride, double *M);
void two_holds_inverse_dynamics_cog_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *tau);
void two_holds_forward_dynamics_open_unit_vector_batch(long n, const double *p, const double *q, long q_stride,
    const double *v, long v_stride, const double *tau, long tau_stride, double *a);
void two_holds_forward_dynamics_open_ltdl_batch(long n, const double *p, const double *q, long q_stride,
    const double *v, long v_stride, const double *tau, long tau_stride, double *a);

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

/* Moments of inertia about the centres of mass in world axes, masses. 5 mul, 1 sincos. */
static void two_holds_world_inertias(const double *restrict p, const double *restrict q, double *restrict inertias,
    double *restrict masses)
{
    (void)p;
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    for (int i = 0; i < 18; i++) inertias[i] = 0.0;
    inertias[4] = 0.020833333333333332;
    inertias[9] = 0.0005000000000000001;
    inertias[13] = 0.0005000000000000001;
    inertias[17] = 0.0005000000000000001;
    masses[0] = 1.0;
    masses[1] = 0.5;

    /* slider */
    const double RI_rod_xy = 0.020833333333333332*c[0];
    const double neg_RI_rod_zy = 0.020833333333333332*s[0];
    const double Iw_rod_xx = c[0]*RI_rod_xy;
    inertias[0] = Iw_rod_xx;
    const double neg_Iw_rod_xz = s[0]*RI_rod_xy;
    inertias[2] = -neg_Iw_rod_xz;
    inertias[6] = -neg_Iw_rod_xz;
    const double Iw_rod_zz = s[0]*neg_RI_rod_zy;
    inertias[8] = Iw_rod_zz;
}

/* Armature of every joint. No operations. */
static void two_holds_armatures(const double *restrict p, const double *restrict q, double *restrict armatures)
{
    (void)p;
    (void)q;
    armatures[0] = 0.0;
    armatures[1] = 0.0;
}

/* Joint forces at rest without gravity. 2 mul. */
static void two_holds_unit_torque(const double *restrict p, const double *restrict q, const double *restrict a,
    double *restrict tau)
{
    (void)p;
    (void)q;

    /* rod */
    const double n_rod_z = 0.08333333333333333*a[0];
    tau[0] = n_rod_z;

    /* slider */
    const double f_slider_z = 0.5*a[1];
    tau[1] = f_slider_z;
}

/* Acceleration of gravity, world axes. No operations. */
static void two_holds_gravity_vector(const double *restrict p, const double *restrict q, double *restrict g)
{
    (void)p;
    (void)q;
    g[0] = 0.0;
    g[1] = 0.0;
    g[2] = -9.81;
}

/* Motion axis k moves dof axis_dof[k]. */
static const int axis_dof[] = {0, 1};
/* The next axis towards the root (-1: none): the paths of the tree. */
static const int axis_above[] = {-1, -1};
/* The motion axis at which the path of link i ends. */
static const int axis_last[] = {0, 1};
/* Where each row of L of M = L'DL begins. */
static const int factor_row[] = {0, 0, 0};
/* The columns in which its entries stand. */
static const int factor_column[] = {0};

#include "kinegen/tree/mass_matrix_cog.h"
#include "kinegen/tree/mass_matrix_unit_vector.h"
#include "kinegen/tree/inverse_dynamics_cog.h"
#include "kinegen/tree/forward_dynamics_unit_vector.h"
#include "kinegen/tree/forward_dynamics_ltdl.h"

/* Mass matrix M = G' M^ G. */
void two_holds_mass_matrix_cog(const double *restrict p, const double *restrict q, double *restrict M)
{
    mass_matrix_cog(p, q, M);
}

/* Mass matrix M by unit vectors. */
void two_holds_mass_matrix_unit_vector(const double *restrict p, const double *restrict q, double *restrict M)
{
    mass_matrix_unit_vector(p, q, M);
}

/* Joint forces by the COG Jacobian: tau = G'(M^ ddq_G + b^). */
void two_holds_inverse_dynamics_cog(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict a, double *restrict tau)
{
    inverse_dynamics_cog(p, q, v, a, tau);
}

/* Acceleration by unit vectors. */
void two_holds_forward_dynamics_open_unit_vector(const double *restrict p, const double *restrict q,
    const double *restrict v, const double *restrict tau, double *restrict a)
{
    forward_dynamics_unit_vector(p, q, v, tau, a);
}

/* Acceleration by M = L'DL. */
void two_holds_forward_dynamics_open_ltdl(const double *restrict p, const double *restrict q,
    const double *restrict v, const double *restrict tau, double *restrict a)
{
    forward_dynamics_ltdl(p, q, v, tau, a);
}

void two_holds_mass_matrix_cog_batch(long n, const double *p, const double *q, long q_stride, double *M)
{
    for (long i = 0; i < n; i++)
        two_holds_mass_matrix_cog(p, q + i*q_stride, M + i*4);
}

void two_holds_mass_matrix_unit_vector_batch(long n, const double *p, const double *q, long q_stride, double *M)
{
    for (long i = 0; i < n; i++)
        two_holds_mass_matrix_unit_vector(p, q + i*q_stride, M + i*4);
}

void two_holds_inverse_dynamics_cog_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *tau)
{
    for (long i = 0; i < n; i++)
        two_holds_inverse_dynamics_cog(p, q + i*q_stride, v + i*v_stride, a + i*a_stride, tau + i*2);
}

void two_holds_forward_dynamics_open_unit_vector_batch(long n, const double *p, const double *q, long q_stride,
    const double *v, long v_stride, const double *tau, long tau_stride, double *a)
{
    for (long i = 0; i < n; i++)
        two_holds_forward_dynamics_open_unit_vector(p, q + i*q_stride, v + i*v_stride, tau + i*tau_stride, a + i*2);
}

void two_holds_forward_dynamics_open_ltdl_batch(long n, const double *p, const double *q, long q_stride,
    const double *v, long v_stride, const double *tau, long tau_stride, double *a)
{
    for (long i = 0; i < n; i++)
        two_holds_forward_dynamics_open_ltdl(p, q + i*q_stride, v + i*v_stride, tau + i*tau_stride, a + i*2);
}
