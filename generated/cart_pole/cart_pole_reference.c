/* cart_pole: slower routes to compare with.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, along the axes of the link where nothing else is said.
 * neg_..: the negative of what the name says; _2, _3: the same quantity, further on; an output's name and a number: an
 * entry of it.
 * c[], s[]: cosine and sine of the joint angles
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

#include "cart_pole.h"
#include "kinegen/linear/sincos.h"

/* Acceleration by articulated bodies. 15 mul, 7 add, 1 div, 1 sincos. */
void cart_pole_forward_dynamics_articulated(const double *restrict q, const double *restrict v,
    const double *restrict tau, double *restrict a)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);

    /* pole */
    const double wxs_pole_y = 0.05*v[1];
    const double neg_pf_pole_x = v[1]*wxs_pole_y;

    /* pole, articulated */
    const double pf_pole_y = 1.5*tau[1];
    const double uD_pole = 30.0*tau[1];
    const double h_Mp_pole = 0.07500000000000001*s[0];
    const double neg_Mp_pole_xx = s[0]*h_Mp_pole;
    const double Mp_pole_xy = c[0]*h_Mp_pole;
    const double neg_Mp_pole_yy = 0.07500000000000001 - neg_Mp_pole_xx;
    const double neg_rf_pole_z = s[0]*neg_pf_pole_x - c[0]*pf_pole_y;
    const double M_cart_zz = 1.1 - neg_Mp_pole_yy;

    /* cart, articulated */
    const double iD_cart = 1.0/M_cart_zz;
    const double u_cart = tau[0] + neg_rf_pole_z;
    const double Vf_cart_y = Mp_pole_xy*iD_cart;
    const double uD_cart = iD_cart*u_cart;

    /* cart, acceleration */
    const double neg_dv_cart = 9.81*Vf_cart_y - uD_cart;
    a[0] = -neg_dv_cart;

    /* pole, acceleration */
    const double neg_aq_pole_y = 9.81*s[0] + c[0]*neg_dv_cart;
    const double dv_pole = uD_pole + 1.5*neg_aq_pole_y;
    a[1] = dv_pole;
}

void cart_pole_forward_dynamics_articulated_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a)
{
    for (long i = 0; i < n; i++)
        cart_pole_forward_dynamics_articulated(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, a + i*2);
}

/* Motion axes [z; l; p] and centres of mass, world axes. 2 mul, 1 add, 1 sincos. */
static void motion_columns(const double *restrict q, double *restrict axes, double *restrict centers)
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

    /* pole */
    const double pG_pole_x = q[0] + 0.5*s[0];
    centers[3] = pG_pole_x;
    const double pG_pole_z = 0.5*c[0];
    centers[5] = pG_pole_z;
}

/* Moments of inertia about the centres of mass in world axes, masses. 5 mul, 1 sincos. */
static void world_inertias(const double *restrict q, double *restrict inertias, double *restrict masses)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);
    for (int i = 0; i < 18; i++)
        inertias[i] = 0.0;
    inertias[0] = 0.001666666666666667;
    inertias[4] = 0.0041666666666666675;
    inertias[8] = 0.0041666666666666675;
    inertias[13] = 0.008333333333333333;
    masses[0] = 1.0;
    masses[1] = 0.1;

    /* pole */
    const double RI_pole_xy = 0.008333333333333333*c[0];
    const double neg_RI_pole_zy = 0.008333333333333333*s[0];
    const double Iw_pole_xx = c[0]*RI_pole_xy;
    inertias[9] = Iw_pole_xx;
    const double neg_Iw_pole_xz = s[0]*RI_pole_xy;
    inertias[11] = -neg_Iw_pole_xz;
    inertias[15] = -neg_Iw_pole_xz;
    const double Iw_pole_zz = s[0]*neg_RI_pole_zy;
    inertias[17] = Iw_pole_zz;
}

/* Armature of every joint. no operations. */
static void armatures(const double *restrict q, double *restrict armatures)
{
    (void)q;
    armatures[0] = 0.0;
    armatures[1] = 0.0;
}

/* Joint forces at rest without gravity. 6 mul, 2 add, 1 sincos. */
static void unit_torque(const double *restrict q, const double *restrict a, double *restrict tau)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);

    /* cart */
    const double f_cart_z = 1.1*a[0];

    /* pole */
    const double a_pole_y = a[0]*c[0];
    const double f_pole_y = 0.05*a[1];
    const double n_pole_z = 0.03333333333333333*a[1] + 0.05*a_pole_y;
    tau[1] = n_pole_z;

    /* pole, back */
    const double fp_pole_z = c[0]*f_pole_y;
    const double f_cart_z_2 = f_cart_z + fp_pole_z;
    tau[0] = f_cart_z_2;
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
void cart_pole_mass_matrix_cog(const double *restrict q, double *restrict M)
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
void cart_pole_mass_matrix_unit_vector(const double *restrict q, double *restrict M)
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
void cart_pole_inverse_dynamics_cog(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict tau)
{
    const double gravity[3] = {0.0, 0.0, (-9.81)};
    double axes[9*AXES], centers[3*LINKS], inertias[9*LINKS], masses[LINKS], J[AXES][6], f[6], bias[6*LINKS];
    int dof[AXES];
    motion_columns(q, axes, centers);
    world_inertias(q, inertias, masses);
    cart_pole_cog_bias(q, v, bias);
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
void cart_pole_forward_dynamics_unit_vector(const double *restrict q, const double *restrict v,
    const double *restrict tau,
    double *restrict a)
{
    double M[NV*NV];
    cart_pole_mass_matrix_unit_vector(q, M);
    cart_pole_bias(q, v, a);
    for (int i = 0; i < NV; i++)
        a[i] = tau[i] - a[i];
    ltdl_solve(M, a);
}


void cart_pole_mass_matrix_cog_batch(long n, const double *q, long q_stride, double *M)
{
    for (long i = 0; i < n; i++)
        cart_pole_mass_matrix_cog(q + i*q_stride, M + i*4);
}

void cart_pole_mass_matrix_unit_vector_batch(long n, const double *q, long q_stride, double *M)
{
    for (long i = 0; i < n; i++)
        cart_pole_mass_matrix_unit_vector(q + i*q_stride, M + i*4);
}

void cart_pole_inverse_dynamics_cog_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *tau)
{
    for (long i = 0; i < n; i++)
        cart_pole_inverse_dynamics_cog(q + i*q_stride, v + i*v_stride, a + i*a_stride, tau + i*2);
}

void cart_pole_forward_dynamics_unit_vector_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a)
{
    for (long i = 0; i < n; i++)
        cart_pole_forward_dynamics_unit_vector(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, a + i*2);
}
