/* crane: slower routes to compare with.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, along the axes of the link where nothing else is said.
 * neg_..: the negative of what the name says; _2, _3: the same quantity, further on; an output's name and a number: an
 * entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * u, up: velocity of the link's origin; as the parent carries it (articulated: u is the joint force left)
 * f, fp, n: force and moment about the link's origin; p: in the parent's axes
 * m, s, S: mass, first moment and second moment of mass
 * I, H, M: articulated inertia [I H; H' M]; M also entries of the mass matrix
 * Ip, Hp, Mp, Hs: I, H, M in the parent's axes, H about its origin
 * Un, Uf, D, iD: articulated inertia along the joint's axis, D = its entry there, iD = 1/D (also of M = L'DL)
 * Vn, Vf, uD, dv: Un/D, Uf/D, u/D, acceleration of the joint
 * pn, pf, qn, qf, rn, rf: articulated bias wrench; with the joint's velocity products; in the parent's axes
 * wxp, wwp, wxs: w x p, w x (w x p), w x s
 * h: half of a turn, R S of R S R'; height along gravity
 * pG, vG, aG, Gx, ddq: centre of mass: position, velocity, acceleration; its part by joint accelerations
 */

#include "crane.h"
#include "kinegen/linear/sincos.h"

/* Acceleration by articulated bodies. 20 mul, 8 add, 2 div, 1 sincos. */
void crane_forward_dynamics_articulated(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict tau, double *restrict a)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);

    /* load */
    const double neg_s_load_x = p[1]*p[2];
    const double S_load_xx = p[1]*p[1]*p[2];
    const double m_trolley = p[3] + p[2];
    const double neg_wxs_load_y = v[1]*neg_s_load_x;
    const double pf_load_x = v[1]*neg_wxs_load_y;

    /* load, articulated */
    const double iD_load = 1.0/S_load_xx;
    const double neg_Vf_load_y = neg_s_load_x*iD_load;
    const double neg_M_load_yy = neg_s_load_x*neg_Vf_load_y;
    const double neg_pf_load_y = tau[1]*neg_Vf_load_y;
    const double uD_load = tau[1]*iD_load;
    const double h_Mp_load = s[0]*neg_M_load_yy;
    const double neg_Mp_load_xx = s[0]*h_Mp_load;
    const double Mp_load_xy = c[0]*h_Mp_load;
    const double neg_Mp_load_yy = neg_M_load_yy - neg_Mp_load_xx;
    const double rf_load_z = s[0]*pf_load_x - c[0]*neg_pf_load_y;
    const double M_trolley_zz = m_trolley - neg_Mp_load_yy;

    /* trolley, articulated */
    const double iD_trolley = 1.0/M_trolley_zz;
    const double u_trolley = tau[0] - rf_load_z;
    const double Vf_trolley_y = Mp_load_xy*iD_trolley;
    const double uD_trolley = iD_trolley*u_trolley;

    /* trolley, acceleration */
    const double neg_dv_trolley = p[0]*Vf_trolley_y - uD_trolley;
    a[0] = -neg_dv_trolley;

    /* load, acceleration */
    const double neg_aq_load_y = p[0]*s[0] + c[0]*neg_dv_trolley;
    const double neg_dv_load = neg_Vf_load_y*neg_aq_load_y - uD_load;
    a[1] = -neg_dv_load;
}

void crane_forward_dynamics_articulated_batch(long n, const double *p, const double *q, long q_stride,
    const double *v, long v_stride, const double *tau, long tau_stride, double *a)
{
    for (long i = 0; i < n; i++)
        crane_forward_dynamics_articulated(p, q + i*q_stride, v + i*v_stride, tau + i*tau_stride, a + i*2);
}

/* Motion axes [z; l; p] and centres of mass, world axes. 2 mul, 1 add, 1 sincos. */
static void motion_columns(const double *restrict p, const double *restrict q, double *restrict axes,
    double *restrict centers)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);
    for (int i = 0; i < 18; i++)
        axes[i] = 0.0;
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

/* Moments of inertia about the centres of mass in world axes, masses. no operations. */
static void world_inertias(const double *restrict p, const double *restrict q, double *restrict inertias,
    double *restrict masses)
{
    (void)q;
    for (int i = 0; i < 18; i++)
        inertias[i] = 0.0;
    masses[0] = p[3];
    masses[1] = p[2];
}

/* Armature of every joint. no operations. */
static void armatures(const double *restrict p, const double *restrict q, double *restrict armatures)
{
    (void)p;
    (void)q;
    armatures[0] = 0.0;
    armatures[1] = 0.0;
}

/* Joint forces at rest without gravity. 9 mul, 3 add, 1 sincos. */
static void unit_torque(const double *restrict p, const double *restrict q, const double *restrict a,
    double *restrict tau)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);

    /* load */
    const double neg_s_load_x = p[1]*p[2];
    const double S_load_xx = p[1]*p[1]*p[2];
    const double m_trolley = p[3] + p[2];

    /* trolley */
    const double f_trolley_z = a[0]*m_trolley;

    /* load */
    const double a_load_y = a[0]*c[0];
    const double neg_f_load_y = a[1]*neg_s_load_x;
    const double n_load_z = a[1]*S_load_xx - neg_s_load_x*a_load_y;
    tau[1] = n_load_z;

    /* load, back */
    const double neg_fp_load_z = c[0]*neg_f_load_y;
    const double f_trolley_z_2 = f_trolley_z - neg_fp_load_z;
    tau[0] = f_trolley_z_2;
}

enum { NV = 2, LINKS = 2, AXES = 2 };

/* Motion axis k moves dof axis_dof[k]. */
static const int axis_dof[] = {0, 1};

/* The next axis towards the root (-1: none): the paths of the tree. */
static const int axis_above[] = {-1, 0};

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
void crane_mass_matrix_cog(const double *restrict p, const double *restrict q, double *restrict M)
{
    double axes[9*AXES], centers[3*LINKS], inertias[9*LINKS], masses[LINKS], armature[NV], J[AXES][6], f[6];
    int dof[AXES];
    motion_columns(p, q, axes, centers);
    world_inertias(p, q, inertias, masses);
    armatures(p, q, armature);
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
void crane_mass_matrix_unit_vector(const double *restrict p, const double *restrict q, double *restrict M)
{
    double e[NV] = {0.0}, column[NV];
    for (int i = 0; i < NV; i++) {
        e[i] = 1.0;
        unit_torque(p, q, e, column);
        e[i] = 0.0;
        for (int j = 0; j < NV; j++)
            M[NV*j + i] = column[j];
    }
}

/* tau = G'(M^ ddq_G + b^), ddq_G = G a + dG/dt v, b^ = [-m g; w x I w]. */
void crane_inverse_dynamics_cog(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict a,
    double *restrict tau)
{
    const double gravity[3] = {0.0, 0.0, (-p[0])};
    double axes[9*AXES], centers[3*LINKS], inertias[9*LINKS], masses[LINKS], J[AXES][6], f[6], bias[6*LINKS];
    int dof[AXES];
    motion_columns(p, q, axes, centers);
    world_inertias(p, q, inertias, masses);
    crane_cog_bias(p, q, v, bias);
    armatures(p, q, tau);
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
void crane_forward_dynamics_unit_vector(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict tau,
    double *restrict a)
{
    double M[NV*NV];
    crane_mass_matrix_unit_vector(p, q, M);
    crane_bias(p, q, v, a);
    for (int i = 0; i < NV; i++)
        a[i] = tau[i] - a[i];
    ltdl_solve(M, a);
}


void crane_mass_matrix_cog_batch(long n, const double *p, const double *q, long q_stride, double *M)
{
    for (long i = 0; i < n; i++)
        crane_mass_matrix_cog(p, q + i*q_stride, M + i*4);
}

void crane_mass_matrix_unit_vector_batch(long n, const double *p, const double *q, long q_stride, double *M)
{
    for (long i = 0; i < n; i++)
        crane_mass_matrix_unit_vector(p, q + i*q_stride, M + i*4);
}

void crane_inverse_dynamics_cog_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *tau)
{
    for (long i = 0; i < n; i++)
        crane_inverse_dynamics_cog(p, q + i*q_stride, v + i*v_stride, a + i*a_stride, tau + i*2);
}

void crane_forward_dynamics_unit_vector_batch(long n, const double *p, const double *q, long q_stride,
    const double *v, long v_stride, const double *tau, long tau_stride, double *a)
{
    for (long i = 0; i < n; i++)
        crane_forward_dynamics_unit_vector(p, q + i*q_stride, v + i*v_stride, tau + i*tau_stride, a + i*2);
}
