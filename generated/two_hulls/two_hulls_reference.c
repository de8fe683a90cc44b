/* two_hulls: slower routes to compare with.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * R, p: pose in the parent or, where poses are asked for, in the world
 */

#include "two_hulls_model.h"
#include <math.h>
#include "kinegen/linear/real.h"

/* What is defined and called here, as two_hulls.h declares it. */
void two_hulls_mass_matrix_cog(const double *q, double *M);
void two_hulls_mass_matrix_unit_vector(const double *q, double *M);
void two_hulls_inverse_dynamics_cog(const double *q, const double *v, const double *a, double *tau);
void two_hulls_forward_dynamics_unit_vector(const double *q, const double *v, const double *tau, double *a);
void two_hulls_forward_dynamics_ltdl(const double *q, const double *v, const double *tau, double *a);
void two_hulls_cog_bias(const double *q, const double *v, double *dGv);
void two_hulls_bias(const double *q, const double *v, double *h);
void two_hulls_mass_matrix(const double *q, double *M);
void two_hulls_mass_matrix_cog_batch(long n, const double *q, long q_stride, double *M);
void two_hulls_mass_matrix_unit_vector_batch(long n, const double *q, long q_stride, double *M);
void two_hulls_inverse_dynamics_cog_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *tau);
void two_hulls_forward_dynamics_unit_vector_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a);
void two_hulls_forward_dynamics_ltdl_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *a);

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

/* Moments of inertia about the centres of mass in world axes, masses. No operations. */
static void two_hulls_world_inertias(const double *restrict q, double *restrict inertias, double *restrict masses)
{
    (void)q;
    for (int i = 0; i < 18; i++) inertias[i] = 0.0;
    masses[0] = 1.0;
    masses[1] = 1.0;
}

/* Armature of every joint. No operations. */
static void two_hulls_armatures(const double *restrict q, double *restrict armatures)
{
    (void)q;
    armatures[0] = 0.0;
    armatures[1] = 0.0;
}

/* Joint forces at rest without gravity. No operations. */
static void two_hulls_unit_torque(const double *restrict q, const double *restrict a, double *restrict tau)
{
    (void)q;
    tau[0] = a[0];
    tau[1] = a[1];
}

/* Acceleration of gravity, world axes. No operations. */
static void two_hulls_gravity_vector(const double *restrict q, double *restrict g)
{
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
void two_hulls_mass_matrix_cog(const double *restrict q, double *restrict M)
{
    mass_matrix_cog(0, q, M);
}

/* Mass matrix M by unit vectors. */
void two_hulls_mass_matrix_unit_vector(const double *restrict q, double *restrict M)
{
    mass_matrix_unit_vector(0, q, M);
}

/* Joint forces by the COG Jacobian: tau = G'(M^ ddq_G + b^). */
void two_hulls_inverse_dynamics_cog(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict tau)
{
    inverse_dynamics_cog(0, q, v, a, tau);
}

/* Acceleration by unit vectors. */
void two_hulls_forward_dynamics_unit_vector(const double *restrict q, const double *restrict v,
    const double *restrict tau, double *restrict a)
{
    forward_dynamics_unit_vector(0, q, v, tau, a);
}

/* Acceleration by M = L'DL. */
void two_hulls_forward_dynamics_ltdl(const double *restrict q, const double *restrict v, const double *restrict tau,
    double *restrict a)
{
    forward_dynamics_ltdl(0, q, v, tau, a);
}

void two_hulls_mass_matrix_cog_batch(long n, const double *q, long q_stride, double *M)
{
    for (long i = 0; i < n; i++)
        two_hulls_mass_matrix_cog(q + i*q_stride, M + i*4);
}

void two_hulls_mass_matrix_unit_vector_batch(long n, const double *q, long q_stride, double *M)
{
    for (long i = 0; i < n; i++)
        two_hulls_mass_matrix_unit_vector(q + i*q_stride, M + i*4);
}

void two_hulls_inverse_dynamics_cog_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *tau)
{
    for (long i = 0; i < n; i++)
        two_hulls_inverse_dynamics_cog(q + i*q_stride, v + i*v_stride, a + i*a_stride, tau + i*2);
}

void two_hulls_forward_dynamics_unit_vector_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a)
{
    for (long i = 0; i < n; i++)
        two_hulls_forward_dynamics_unit_vector(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, a + i*2);
}

void two_hulls_forward_dynamics_ltdl_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *a)
{
    for (long i = 0; i < n; i++)
        two_hulls_forward_dynamics_ltdl(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, a + i*2);
}
