/* double_pendulum: slower routes to compare with.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
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
 * RI, Iw: R I; inertia in world axes, or I w
 */

#include "double_pendulum_model.h"
#include "kinegen/linear/sincos.h"

/* What is defined and called here, as double_pendulum.h declares it. */
void double_pendulum_forward_dynamics_articulated(const double *q, const double *v, const double *tau, double *a);
void double_pendulum_mass_matrix_cog(const double *q, double *M);
void double_pendulum_mass_matrix_unit_vector(const double *q, double *M);
void double_pendulum_inverse_dynamics_cog(const double *q, const double *v, const double *a, double *tau);
void double_pendulum_forward_dynamics_unit_vector(const double *q, const double *v, const double *tau, double *a);
void double_pendulum_cog_bias(const double *q, const double *v, double *dGv);
void double_pendulum_bias(const double *q, const double *v, double *h);
void double_pendulum_forward_dynamics_articulated_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a);
void double_pendulum_mass_matrix_cog_batch(long n, const double *q, long q_stride, double *M);
void double_pendulum_mass_matrix_unit_vector_batch(long n, const double *q, long q_stride, double *M);
void double_pendulum_inverse_dynamics_cog_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *tau);
void double_pendulum_forward_dynamics_unit_vector_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a);

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

/* Moments of inertia about the centres of mass in world axes, masses. 14 mul, 2 add, 2 sincos. */
static void double_pendulum_world_inertias(const double *restrict q, double *restrict inertias, double *restrict masses)
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

/* Armature of every joint. No operations. */
static void double_pendulum_armatures(const double *restrict q, double *restrict armatures)
{
    (void)q;
    armatures[0] = 0.0;
    armatures[1] = 0.0;
}

/* Joint forces at rest without gravity. 8 mul, 4 add, 1 sincos. */
static void double_pendulum_unit_torque(const double *restrict q, const double *restrict a, double *restrict tau)
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

/* Acceleration of gravity, world axes. No operations. */
static void double_pendulum_gravity_vector(const double *restrict q, double *restrict g)
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
void double_pendulum_mass_matrix_cog(const double *restrict q, double *restrict M)
{
    mass_matrix_cog(0, q, M);
}

/* Mass matrix M by unit vectors. */
void double_pendulum_mass_matrix_unit_vector(const double *restrict q, double *restrict M)
{
    mass_matrix_unit_vector(0, q, M);
}

/* Joint forces by the COG Jacobian: tau = G'(M^ ddq_G + b^). */
void double_pendulum_inverse_dynamics_cog(const double *restrict q, const double *restrict v,
    const double *restrict a, double *restrict tau)
{
    inverse_dynamics_cog(0, q, v, a, tau);
}

/* Acceleration by unit vectors. */
void double_pendulum_forward_dynamics_unit_vector(const double *restrict q, const double *restrict v,
    const double *restrict tau, double *restrict a)
{
    forward_dynamics_unit_vector(0, q, v, tau, a);
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
