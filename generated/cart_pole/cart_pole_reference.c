/* cart_pole: slower routes to compare with.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
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
 * RI, Iw: R I; inertia in world axes, or I w
 */

#include "cart_pole_model.h"
#include "kinegen/linear/sincos.h"

/* What is defined and called here, as cart_pole.h declares it. */
void cart_pole_forward_dynamics_articulated(const double *q, const double *v, const double *tau, double *a);
void cart_pole_mass_matrix_cog(const double *q, double *M);
void cart_pole_mass_matrix_unit_vector(const double *q, double *M);
void cart_pole_inverse_dynamics_cog(const double *q, const double *v, const double *a, double *tau);
void cart_pole_forward_dynamics_unit_vector(const double *q, const double *v, const double *tau, double *a);
void cart_pole_cog_bias(const double *q, const double *v, double *dGv);
void cart_pole_bias(const double *q, const double *v, double *h);
void cart_pole_forward_dynamics_articulated_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a);
void cart_pole_mass_matrix_cog_batch(long n, const double *q, long q_stride, double *M);
void cart_pole_mass_matrix_unit_vector_batch(long n, const double *q, long q_stride, double *M);
void cart_pole_inverse_dynamics_cog_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *tau);
void cart_pole_forward_dynamics_unit_vector_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a);

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
static void cart_pole_motion_columns(const double *restrict q, double *restrict axes, double *restrict centers)
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

    /* pole */
    const double pG_pole_x = q[0] + 0.5*s[0];
    centers[3] = pG_pole_x;
    const double pG_pole_z = 0.5*c[0];
    centers[5] = pG_pole_z;
}

/* Moments of inertia about the centres of mass in world axes, masses. 5 mul, 1 sincos. */
static void cart_pole_world_inertias(const double *restrict q, double *restrict inertias, double *restrict masses)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);
    for (int i = 0; i < 18; i++) inertias[i] = 0.0;
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

/* Armature of every joint. No operations. */
static void cart_pole_armatures(const double *restrict q, double *restrict armatures)
{
    (void)q;
    armatures[0] = 0.0;
    armatures[1] = 0.0;
}

/* Joint forces at rest without gravity. 6 mul, 2 add, 1 sincos. */
static void cart_pole_unit_torque(const double *restrict q, const double *restrict a, double *restrict tau)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);

    /* cart */
    const double f_cart_z = 1.1*a[0];

    /* pole */
    const double a_pole_y = c[0]*a[0];
    const double f_pole_y = 0.05*a[1];
    const double n_pole_z = 0.03333333333333333*a[1] + 0.05*a_pole_y;
    tau[1] = n_pole_z;

    /* pole, back */
    const double fp_pole_z = c[0]*f_pole_y;
    const double f_cart_z_2 = f_cart_z + fp_pole_z;
    tau[0] = f_cart_z_2;
}

/* Acceleration of gravity, world axes. No operations. */
static void cart_pole_gravity_vector(const double *restrict q, double *restrict g)
{
    (void)q;
    g[0] = 0.0;
    g[1] = 0.0;
    g[2] = -9.81;
}

/* Motion axis k moves dof axis_dof[k]. */
static const int axis_dof[] = {0, 1};
/* The next axis towards the root (-1: none): the paths of the tree. */
static const int axis_above[] = {-1, 0};
/* The motion axis at which the path of link i ends. */
static const int axis_last[] = {0, 1};
/* Where each row of L of M = L'DL begins. */
static const int factor_row[] = {0, 0, 1};
/* The columns in which its entries stand. */
static const int factor_column[] = {0};

#include "kinegen/tree/mass_matrix_cog.h"
#include "kinegen/tree/mass_matrix_unit_vector.h"
#include "kinegen/tree/inverse_dynamics_cog.h"
#include "kinegen/tree/forward_dynamics_unit_vector.h"

/* Mass matrix M = G' M^ G. */
void cart_pole_mass_matrix_cog(const double *restrict q, double *restrict M)
{
    mass_matrix_cog(0, q, M);
}

/* Mass matrix M by unit vectors. */
void cart_pole_mass_matrix_unit_vector(const double *restrict q, double *restrict M)
{
    mass_matrix_unit_vector(0, q, M);
}

/* Joint forces by the COG Jacobian: tau = G'(M^ ddq_G + b^). */
void cart_pole_inverse_dynamics_cog(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict tau)
{
    inverse_dynamics_cog(0, q, v, a, tau);
}

/* Acceleration by unit vectors. */
void cart_pole_forward_dynamics_unit_vector(const double *restrict q, const double *restrict v,
    const double *restrict tau, double *restrict a)
{
    forward_dynamics_unit_vector(0, q, v, tau, a);
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
