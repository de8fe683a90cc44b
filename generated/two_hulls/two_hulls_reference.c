/* two_hulls: slower routes to compare with.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, along the axes of the link where nothing else is said.
 * neg_..: the negative of what the name says; _2, _3: the same quantity, further on; an output's name and a number: an
 * entry of it.
 * R, p: pose in the parent or, where poses are asked for, in the world
 */

#include "two_hulls.h"
#include <math.h>

/* Motion axes [z; l; p] and centres of mass, world axes. 2 add. */
static void motion_columns(const double *restrict q, double *restrict axes, double *restrict centers)
{
    for (int i = 0; i < 18; i++)
        axes[i] = 0.0;
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

/* Moments of inertia about the centres of mass in world axes, masses. no operations. */
static void world_inertias(const double *restrict q, double *restrict inertias, double *restrict masses)
{
    (void)q;
    for (int i = 0; i < 18; i++)
        inertias[i] = 0.0;
    masses[0] = 1.0;
    masses[1] = 1.0;
}

/* Armature of every joint. no operations. */
static void armatures(const double *restrict q, double *restrict armatures)
{
    (void)q;
    armatures[0] = 0.0;
    armatures[1] = 0.0;
}

/* Joint forces at rest without gravity. no operations. */
static void unit_torque(const double *restrict q, const double *restrict a, double *restrict tau)
{
    (void)q;
    tau[0] = a[0];
    tau[1] = a[1];
}

enum { NV = 2, LINKS = 2, AXES = 2 };

/* Motion axis k moves dof axis_dof[k]. */
static const int axis_dof[] = {0, 1};

/* The next axis towards the root (-1: none): the paths of the tree. */
static const int axis_above[] = {-1, -1};

/* The motion axis at which the path of link i ends. */
static const int axis_last[] = {0, 1};

/* Columns of G of link i, one per axis of its path: returns their number, fills dof[] and J[][6] = [dp_G; w]. */
static int path_columns(const double *axes, const double *centers, int i, int *dof, double (*J)[6])
{
    int count = 0;
    for (int k = axis_last[i]; k >= 0; k = axis_above[k], count++) {
        const double *z = axes + 9*k, *l = z + 3, *o = z + 6, *c = centers + 3*i;
        const double r[3] = {c[0] - o[0], c[1] - o[1], c[2] - o[2]};
        dof[count] = axis_dof[k];
        J[count][0] = z[1]*r[2] - z[2]*r[1] + l[0];
        J[count][1] = z[2]*r[0] - z[0]*r[2] + l[1];
        J[count][2] = z[0]*r[1] - z[1]*r[0] + l[2];
        for (int m = 0; m < 3; m++)
            J[count][3 + m] = z[m];
    }
    return count;
}

/* [m x; I y] of the twist or acceleration [x; y]. */
static void inertia_times(double m, const double *I, const double *x, double *f)
{
    for (int i = 0; i < 3; i++) {
        f[i] = m*x[i];
        f[3 + i] = I[3*i]*x[3] + I[3*i + 1]*x[4] + I[3*i + 2]*x[5];
    }
}

/* x of M x = x, M = L'DL, last row first; M is overwritten, entries outside its envelope stay zero. */
static void ltdl_solve(double *M, double *x)
{
    for (int k = NV - 1; k >= 0; k--)
        for (int i = k - 1; i >= 0; i--) {
            const double factor = M[NV*k + i]/M[(NV + 1)*k];
            if (factor == 0.0)
                continue;
            for (int j = 0; j <= i; j++)
                M[NV*i + j] -= factor*M[NV*k + j];
            x[i] -= factor*x[k];
        }
    for (int k = 0; k < NV; k++) {
        for (int j = 0; j < k; j++)
            x[k] -= M[NV*k + j]*x[j];
        x[k] /= M[(NV + 1)*k];
    }
}

/* M = G' M^ G. */
void two_hulls_mass_matrix_cog(const double *restrict q, double *restrict M)
{
    double axes[9*AXES], centers[3*LINKS], inertias[9*LINKS], masses[LINKS], armature[NV], J[AXES][6], f[6];
    int dof[AXES];
    motion_columns(q, axes, centers);
    world_inertias(q, inertias, masses);
    armatures(q, armature);
    for (int i = 0; i < NV*NV; i++)
        M[i] = 0.0;
    for (int i = 0; i < NV; i++)
        M[(NV + 1)*i] = armature[i];
    for (int i = 0; i < LINKS; i++) {
        const int count = path_columns(axes, centers, i, dof, J);
        for (int a = 0; a < count; a++) {
            inertia_times(masses[i], inertias + 9*i, J[a], f);
            for (int b = 0; b < count; b++)
                for (int m = 0; m < 6; m++)
                    M[NV*dof[b] + dof[a]] += J[b][m]*f[m];
        }
    }
}

/* Column i of M = tau of the unit acceleration e_i at rest without gravity. */
void two_hulls_mass_matrix_unit_vector(const double *restrict q, double *restrict M)
{
    double e[NV] = {0.0}, column[NV];
    for (int i = 0; i < NV; i++) {
        e[i] = 1.0;
        unit_torque(q, e, column);
        e[i] = 0.0;
        for (int j = 0; j < NV; j++)
            M[NV*j + i] = column[j];
    }
}

/* tau = G'(M^ ddq_G + b^), ddq_G = G a + dG/dt v, b^ = [-m g; w x I w]. */
void two_hulls_inverse_dynamics_cog(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict tau)
{
    const double gravity[3] = {0.0, 0.0, (-9.81)};
    double axes[9*AXES], centers[3*LINKS], inertias[9*LINKS], masses[LINKS], J[AXES][6], f[6], bias[6*LINKS];
    int dof[AXES];
    motion_columns(q, axes, centers);
    world_inertias(q, inertias, masses);
    two_hulls_cog_bias(q, v, bias);
    armatures(q, tau);
    for (int i = 0; i < NV; i++)
        tau[i] *= a[i];
    for (int i = 0; i < LINKS; i++) {
        const int count = path_columns(axes, centers, i, dof, J);
        double x[6], spin[6] = {0.0}, h[6];
        for (int m = 0; m < 6; m++)
            x[m] = bias[6*i + m] - (m < 3 ? gravity[m] : 0.0);
        for (int k = 0; k < count; k++)
            for (int m = 0; m < 6; m++) {
                x[m] += J[k][m]*a[dof[k]];
                spin[m] += J[k][m]*v[dof[k]];
            }
        inertia_times(masses[i], inertias + 9*i, x, f);
        inertia_times(masses[i], inertias + 9*i, spin, h);
        f[3] += spin[4]*h[5] - spin[5]*h[4];
        f[4] += spin[5]*h[3] - spin[3]*h[5];
        f[5] += spin[3]*h[4] - spin[4]*h[3];
        for (int k = 0; k < count; k++)
            for (int m = 0; m < 6; m++)
                tau[dof[k]] += J[k][m]*f[m];
    }
}

/* a of M a = tau - h, M by unit vectors. */
void two_hulls_forward_dynamics_unit_vector(const double *restrict q, const double *restrict v,
    const double *restrict tau,
    double *restrict a)
{
    double M[NV*NV];
    two_hulls_mass_matrix_unit_vector(q, M);
    two_hulls_bias(q, v, a);
    for (int i = 0; i < NV; i++)
        a[i] = tau[i] - a[i];
    ltdl_solve(M, a);
}

/* a of M a = tau - h, M by composite inertias. */
void two_hulls_forward_dynamics_ltdl(const double *restrict q, const double *restrict v, const double *restrict tau,
    double *restrict a)
{
    double M[NV*NV];
    two_hulls_mass_matrix(q, M);
    two_hulls_bias(q, v, a);
    for (int i = 0; i < NV; i++)
        a[i] = tau[i] - a[i];
    ltdl_solve(M, a);
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
