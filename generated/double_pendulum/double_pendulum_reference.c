/* double_pendulum: slower routes to compare with.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, along the axes of the link where nothing else is said.
 * neg_..: the negative of what the name says; _2, _3: the same quantity, further on; an output's name and a number: an
 * entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * R, p: pose in the parent or, where poses are asked for, in the world
 * w, wp: angular velocity; that of the parent in the link's axes
 * dw, dwp, dwq: rate of w; the parent's; with velocity products of the joint
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * u, up: velocity of the link's origin; as the parent carries it (articulated: u is the joint force left)
 * f, fp, n: force and moment about the link's origin; p: in the parent's axes
 * I, H, M: articulated inertia [I H; H' M]; M also entries of the mass matrix
 * Ip, Hp, Mp, Hs: I, H, M in the parent's axes, H about its origin
 * Un, Uf, D, iD: articulated inertia along the joint's axis, D = its entry there, iD = 1/D (also of M = L'DL)
 * Vn, Vf, uD, dv: Un/D, Uf/D, u/D, acceleration of the joint
 * pn, pf, qn, qf, rn, rf: articulated bias wrench; with the joint's velocity products; in the parent's axes
 * wxp, wwp, wxs: w x p, w x (w x p), w x s
 * h: half of a turn, R S of R S R'; height along gravity
 * pG, vG, aG, Gx, ddq: centre of mass: position, velocity, acceleration; its part by joint accelerations
 * RI, Iw, Ic: R I; inertia in world axes, or I w; about the centre of mass
 */

#include "double_pendulum.h"
#include "kinegen/linear/sincos.h"

/* Acceleration by articulated bodies. 27 mul, 15 add, 1 div, 2 sincos. */
void double_pendulum_forward_dynamics_articulated(const double *restrict q, const double *restrict v,
    const double *restrict tau, double *restrict a)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q, s, c);

    /* lower */
    const double neg_wxp_lower_y = 0.5*v[0];
    const double wwp_lower_x = v[0]*neg_wxp_lower_y;
    const double w_lower_z = v[0] + v[1];
    const double neg_wxs_lower_y = 0.25*w_lower_z;
    const double pf_lower_x = w_lower_z*neg_wxs_lower_y;

    /* lower, articulated */
    const double neg_pf_lower_y = 3.0*tau[1];
    const double uD_lower = 12.0*tau[1];
    const double h_Mp_lower = 0.75*s[1];
    const double neg_Mp_lower_xx = s[1]*h_Mp_lower;
    const double Mp_lower_xy = c[1]*h_Mp_lower;
    const double neg_Mp_lower_yy = 0.75 - neg_Mp_lower_xx;
    const double rf_lower_y = s[1]*pf_lower_x - c[1]*neg_pf_lower_y;
    const double fp_lower_y = rf_lower_y + wwp_lower_x*Mp_lower_xy;
    const double neg_Hs_lower_zx = 0.5*Mp_lower_xy;
    const double Hs_lower_zy = 0.5*neg_Mp_lower_yy;
    const double I_upper_zz = 0.3333333333333333 - 0.5*Hs_lower_zy;
    const double neg_H_upper_zy = 0.75 - Hs_lower_zy;
    const double pn_upper_z = tau[1] - 0.5*fp_lower_y;

    /* upper, articulated */
    const double iD_upper = 1.0/I_upper_zz;
    const double u_upper = tau[0] - pn_upper_z;
    const double neg_Vf_upper_x = neg_Hs_lower_zx*iD_upper;
    const double neg_Vf_upper_y = neg_H_upper_zy*iD_upper;
    const double uD_upper = iD_upper*u_upper;

    /* upper, acceleration */
    const double aq_upper_x = 9.81*c[0];
    const double neg_aq_upper_y = 9.81*s[0];
    const double dv_upper = uD_upper + neg_Vf_upper_x*aq_upper_x - neg_Vf_upper_y*neg_aq_upper_y;
    a[0] = dv_upper;

    /* lower, acceleration */
    const double ap_lower_x = aq_upper_x + wwp_lower_x;
    const double neg_ap_lower_y = neg_aq_upper_y + 0.5*dv_upper;
    const double neg_aq_lower_y = s[1]*ap_lower_x + c[1]*neg_ap_lower_y;
    const double dv_lower = uD_lower - dv_upper - 3.0*neg_aq_lower_y;
    a[1] = dv_lower;
}

void double_pendulum_forward_dynamics_articulated_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a)
{
    for (long i = 0; i < n; i++)
        double_pendulum_forward_dynamics_articulated(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, a + i*2);
}

/* Motion axes [z; l; p] and centres of mass, world axes. 10 mul, 4 add, 2 sincos. */
static void motion_columns(const double *restrict q, double *restrict axes, double *restrict centers)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q, s, c);
    for (int i = 0; i < 18; i++)
        axes[i] = 0.0;
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

/* Moments of inertia about the centres of mass in world axes, masses. 14 mul, 2 add, 2 sincos. */
static void world_inertias(const double *restrict q, double *restrict inertias, double *restrict masses)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q, s, c);
    inertias[1] = 0.0;
    inertias[3] = 0.0;
    inertias[4] = 0.020833333333333332;
    inertias[5] = 0.0;
    inertias[7] = 0.0;
    inertias[10] = 0.0;
    inertias[12] = 0.0;
    inertias[13] = 0.020833333333333332;
    inertias[14] = 0.0;
    inertias[16] = 0.0;
    masses[0] = 1.0;
    masses[1] = 1.0;

    /* lower */
    const double R_lower_xx = s[0]*c[1] + c[0]*s[1];
    const double neg_R_lower_xy = s[0]*s[1] - c[0]*c[1];
    const double RI_upper_xy = 0.020833333333333332*c[0];
    const double neg_RI_upper_zy = 0.020833333333333332*s[0];
    const double Iw_upper_xx = c[0]*RI_upper_xy;
    inertias[0] = Iw_upper_xx;
    const double neg_Iw_upper_xz = s[0]*RI_upper_xy;
    inertias[2] = -neg_Iw_upper_xz;
    inertias[6] = -neg_Iw_upper_xz;
    const double Iw_upper_zz = s[0]*neg_RI_upper_zy;
    inertias[8] = Iw_upper_zz;
    const double neg_RI_lower_xy = 0.020833333333333332*neg_R_lower_xy;
    const double neg_RI_lower_zy = 0.020833333333333332*R_lower_xx;
    const double Iw_lower_xx = neg_R_lower_xy*neg_RI_lower_xy;
    inertias[9] = Iw_lower_xx;
    const double Iw_lower_xz = R_lower_xx*neg_RI_lower_xy;
    inertias[11] = Iw_lower_xz;
    inertias[15] = Iw_lower_xz;
    const double Iw_lower_zz = R_lower_xx*neg_RI_lower_zy;
    inertias[17] = Iw_lower_zz;
}

/* Armature of every joint. no operations. */
static void armatures(const double *restrict q, double *restrict armatures)
{
    (void)q;
    armatures[0] = 0.0;
    armatures[1] = 0.0;
}

/* Joint forces at rest without gravity. 8 mul, 4 add, 1 sincos. */
static void unit_torque(const double *restrict q, const double *restrict a, double *restrict tau)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);

    /* upper */
    const double n_upper_z = 0.3333333333333333*a[0];

    /* lower */
    const double dw_lower_z = a[0] + a[1];
    const double neg_ap_lower_y = 0.5*a[0];
    const double neg_a_lower_y = c[0]*neg_ap_lower_y;
    const double neg_f_lower_y = 0.25*dw_lower_z;
    const double n_lower_z = 0.08333333333333333*dw_lower_z + 0.25*neg_a_lower_y;
    tau[1] = n_lower_z;

    /* lower, back */
    const double neg_fp_lower_y = c[0]*neg_f_lower_y;
    const double n_upper_z_2 = n_upper_z + n_lower_z + 0.5*neg_fp_lower_y;
    tau[0] = n_upper_z_2;
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
void double_pendulum_mass_matrix_cog(const double *restrict q, double *restrict M)
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
void double_pendulum_mass_matrix_unit_vector(const double *restrict q, double *restrict M)
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
void double_pendulum_inverse_dynamics_cog(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict tau)
{
    const double gravity[3] = {0.0, 0.0, (-9.81)};
    double axes[9*AXES], centers[3*LINKS], inertias[9*LINKS], masses[LINKS], J[AXES][6], f[6], bias[6*LINKS];
    int dof[AXES];
    motion_columns(q, axes, centers);
    world_inertias(q, inertias, masses);
    double_pendulum_cog_bias(q, v, bias);
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
void double_pendulum_forward_dynamics_unit_vector(const double *restrict q, const double *restrict v,
    const double *restrict tau,
    double *restrict a)
{
    double M[NV*NV];
    double_pendulum_mass_matrix_unit_vector(q, M);
    double_pendulum_bias(q, v, a);
    for (int i = 0; i < NV; i++)
        a[i] = tau[i] - a[i];
    ltdl_solve(M, a);
}


void double_pendulum_mass_matrix_cog_batch(long n, const double *q, long q_stride, double *M)
{
    for (long i = 0; i < n; i++)
        double_pendulum_mass_matrix_cog(q + i*q_stride, M + i*4);
}

void double_pendulum_mass_matrix_unit_vector_batch(long n, const double *q, long q_stride, double *M)
{
    for (long i = 0; i < n; i++)
        double_pendulum_mass_matrix_unit_vector(q + i*q_stride, M + i*4);
}

void double_pendulum_inverse_dynamics_cog_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *tau)
{
    for (long i = 0; i < n; i++)
        double_pendulum_inverse_dynamics_cog(q + i*q_stride, v + i*v_stride, a + i*a_stride, tau + i*2);
}

void double_pendulum_forward_dynamics_unit_vector_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a)
{
    for (long i = 0; i < n; i++)
        double_pendulum_forward_dynamics_unit_vector(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, a + i*2);
}
