/* four_bar: slower routes to compare with.
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
 * m, s, S: mass, first moment and second moment of mass
 * sp, Sp, sq, RS: s, S in the parent's axes, s about its origin, R S
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

#include "four_bar_model.h"
#include "kinegen/linear/sincos.h"

/* What is defined and called here, as four_bar.h declares it. */
void four_bar_forward_dynamics_open_articulated(const double *q, const double *v, const double *tau, double *a);
void four_bar_mass_matrix_composite(const double *q, double *M);
void four_bar_mass_matrix_cog(const double *q, double *M);
void four_bar_mass_matrix_unit_vector(const double *q, double *M);
void four_bar_inverse_dynamics_cog(const double *q, const double *v, const double *a, double *tau);
void four_bar_forward_dynamics_open_unit_vector(const double *q, const double *v, const double *tau, double *a);
void four_bar_cog_bias(const double *q, const double *v, double *dGv);
void four_bar_bias(const double *q, const double *v, double *h);
void four_bar_forward_dynamics_open_articulated_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a);
void four_bar_mass_matrix_composite_batch(long n, const double *q, long q_stride, double *M);
void four_bar_mass_matrix_cog_batch(long n, const double *q, long q_stride, double *M);
void four_bar_mass_matrix_unit_vector_batch(long n, const double *q, long q_stride, double *M);
void four_bar_inverse_dynamics_cog_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *tau);
void four_bar_forward_dynamics_open_unit_vector_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a);

/* Acceleration by articulated bodies. 67 mul, 43 add, 2 div, 3 sincos. */
void four_bar_forward_dynamics_open_articulated(const double *restrict q, const double *restrict v,
    const double *restrict tau, double *restrict a)
{
    double s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_sincos(3, q, s, c);

    /* crank */
    const double neg_wxs_crank_x = 0.2*v[0];
    const double neg_pf_crank_y = v[0]*neg_wxs_crank_x;

    /* coupler */
    const double w_coupler_z = v[0] + v[1];
    const double neg_wxs_coupler_x = 0.325*w_coupler_z;
    const double neg_pf_coupler_y = w_coupler_z*neg_wxs_coupler_x;

    /* rocker */
    const double neg_wxp_rocker_x = 0.5*w_coupler_z;
    const double neg_wwp_rocker_y = w_coupler_z*neg_wxp_rocker_x;
    const double w_rocker_z = w_coupler_z + v[2];
    const double neg_wxs_rocker_x = 0.08000000000000002*w_rocker_z;
    const double neg_pf_rocker_y = w_rocker_z*neg_wxs_rocker_x;

    /* rocker, articulated */
    const double neg_pf_rocker_x = 3.7499999999999996*tau[2];
    const double uD_rocker = 46.874999999999986*tau[2];
    const double neg_h_Mp_rocker = 0.30000000000000004*c[2];
    const double neg_Mp_rocker_xx = c[2]*neg_h_Mp_rocker;
    const double neg_Mp_rocker_xy = s[2]*neg_h_Mp_rocker;
    const double neg_Mp_rocker_yy = 0.30000000000000004 - neg_Mp_rocker_xx;
    const double rf_rocker_x = s[2]*neg_pf_rocker_y - c[2]*neg_pf_rocker_x;
    const double neg_rf_rocker_y = s[2]*neg_pf_rocker_x + c[2]*neg_pf_rocker_y;
    const double fp_rocker_x = rf_rocker_x + neg_wwp_rocker_y*neg_Mp_rocker_xy;
    const double fp_rocker_y = neg_wwp_rocker_y*neg_Mp_rocker_yy - neg_rf_rocker_y;
    const double Hs_rocker_zx = 0.5*neg_Mp_rocker_xx;
    const double Hs_rocker_zy = 0.5*neg_Mp_rocker_xy;
    const double I_coupler_zz = 0.14166666666666666 - 0.5*Hs_rocker_zx;
    const double neg_H_coupler_zx = 0.325 - Hs_rocker_zx;
    const double pn_coupler_z = tau[2] - 0.5*fp_rocker_x;
    const double neg_pf_coupler_y_2 = neg_pf_coupler_y - fp_rocker_y;

    /* coupler, articulated */
    const double iD_coupler = 1.0/I_coupler_zz;
    const double u_coupler = tau[1] - pn_coupler_z;
    const double Vn_coupler_z = I_coupler_zz*iD_coupler;
    const double neg_Vf_coupler_x = neg_H_coupler_zx*iD_coupler;
    const double Vf_coupler_y = Hs_rocker_zy*iD_coupler;
    const double neg_M_coupler_xx = neg_Mp_rocker_xx + neg_H_coupler_zx*neg_Vf_coupler_x;
    const double neg_M_coupler_xy = neg_Mp_rocker_xy - neg_H_coupler_zx*Vf_coupler_y;
    const double neg_M_coupler_yy = neg_Mp_rocker_yy + Hs_rocker_zy*Vf_coupler_y;
    const double pn_coupler_z_2 = pn_coupler_z + u_coupler*Vn_coupler_z;
    const double pf_coupler_x = fp_rocker_x - u_coupler*neg_Vf_coupler_x;
    const double neg_pf_coupler_y_3 = neg_pf_coupler_y_2 - u_coupler*Vf_coupler_y;
    const double uD_coupler = iD_coupler*u_coupler;
    const double h_Mp_coupler = s[1]*neg_M_coupler_xy - c[1]*neg_M_coupler_xx;
    const double h_Mp_coupler_2 = s[1]*neg_M_coupler_yy - c[1]*neg_M_coupler_xy;
    const double neg_Mp_coupler_xx = s[1]*h_Mp_coupler_2 - c[1]*h_Mp_coupler;
    const double Mp_coupler_xy = s[1]*h_Mp_coupler + c[1]*h_Mp_coupler_2;
    const double rf_coupler_x = c[1]*pf_coupler_x + s[1]*neg_pf_coupler_y_3;
    const double neg_fp_coupler_x = neg_pf_crank_y*Mp_coupler_xy - rf_coupler_x;
    const double Hs_coupler_zx = 0.2*neg_Mp_coupler_xx;
    const double neg_Hs_coupler_zy = 0.2*Mp_coupler_xy;
    const double I_crank_zz = 0.03866666666666667 - 0.2*Hs_coupler_zx;
    const double neg_H_crank_zx = 0.2 - Hs_coupler_zx;
    const double pn_crank_z = pn_coupler_z_2 + 0.2*neg_fp_coupler_x;

    /* crank, articulated */
    const double iD_crank = 1.0/I_crank_zz;
    const double u_crank = tau[0] - pn_crank_z;
    const double neg_Vf_crank_x = neg_H_crank_zx*iD_crank;
    const double neg_Vf_crank_y = neg_Hs_coupler_zy*iD_crank;
    const double uD_crank = iD_crank*u_crank;

    /* crank, acceleration */
    const double aq_crank_x = 9.81*c[0];
    const double neg_aq_crank_y = 9.81*s[0];
    const double dv_crank = uD_crank + neg_Vf_crank_x*aq_crank_x - neg_Vf_crank_y*neg_aq_crank_y;
    a[0] = dv_crank;

    /* coupler, acceleration */
    const double ap_coupler_x = aq_crank_x - 0.2*dv_crank;
    const double neg_ap_coupler_y = neg_aq_crank_y + neg_pf_crank_y;
    const double neg_aq_coupler_x = s[1]*neg_ap_coupler_y - c[1]*ap_coupler_x;
    const double neg_aq_coupler_y = s[1]*ap_coupler_x + c[1]*neg_ap_coupler_y;
    const double neg_dv_coupler = Vn_coupler_z*dv_crank + neg_Vf_coupler_x*neg_aq_coupler_x - uD_coupler
        - Vf_coupler_y*neg_aq_coupler_y;
    a[1] = -neg_dv_coupler;
    const double dw_coupler_z = dv_crank - neg_dv_coupler;

    /* rocker, acceleration */
    const double neg_ap_rocker_x = neg_aq_coupler_x + 0.5*dw_coupler_z;
    const double neg_ap_rocker_y = neg_aq_coupler_y + neg_wwp_rocker_y;
    const double neg_aq_rocker_x = c[2]*neg_ap_rocker_x + s[2]*neg_ap_rocker_y;
    const double dv_rocker = uD_rocker - dw_coupler_z - 3.7499999999999996*neg_aq_rocker_x;
    a[2] = dv_rocker;
}

void four_bar_forward_dynamics_open_articulated_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a)
{
    for (long i = 0; i < n; i++)
        four_bar_forward_dynamics_open_articulated(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, a + i*3);
}

/* Mass matrix M by composite inertias. 20 mul, 19 add, 2 sincos. */
void four_bar_mass_matrix_composite(const double *restrict q, double *restrict M)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q + 1, s, c);
    M[8] = 0.02133333333333334;

    /* rocker */
    const double neg_f_rocker_x = 0.08000000000000002*c[1];
    const double neg_f_rocker_y = 0.08000000000000002*s[1];
    const double n_rocker_z = 0.02133333333333334 + 0.5*neg_f_rocker_x;
    M[5] = n_rocker_z;
    M[7] = n_rocker_z;
    const double f_coupler_x = s[0]*neg_f_rocker_y - c[0]*neg_f_rocker_x;
    const double n_coupler_z = n_rocker_z - 0.2*f_coupler_x;
    M[2] = n_coupler_z;
    M[6] = n_coupler_z;
    const double neg_h_Sp_rocker = 0.02133333333333334*s[1];
    const double Sp_rocker_xx = s[1]*neg_h_Sp_rocker;
    const double neg_Sp_rocker_xy = c[1]*neg_h_Sp_rocker;
    const double Sp_rocker_yy = 0.02133333333333334 - Sp_rocker_xx;
    const double s_coupler_y = 0.325 + neg_f_rocker_x;
    const double neg_S_coupler_xy = neg_Sp_rocker_xy + 0.5*neg_f_rocker_y;
    const double S_coupler_yy = 0.14166666666666666 + Sp_rocker_yy + neg_f_rocker_x;

    /* coupler */
    const double n_coupler_z_2 = Sp_rocker_xx + S_coupler_yy;
    M[4] = n_coupler_z_2;
    const double f_coupler_x_2 = s[0]*neg_f_rocker_y - c[0]*s_coupler_y;
    const double n_coupler_z_3 = n_coupler_z_2 - 0.2*f_coupler_x_2;
    M[1] = n_coupler_z_3;
    M[3] = n_coupler_z_3;
    const double h_Sp_coupler = c[0]*Sp_rocker_xx + s[0]*neg_S_coupler_xy;
    const double neg_h_Sp_coupler = c[0]*neg_S_coupler_xy + s[0]*S_coupler_yy;
    const double Sp_coupler_xx = c[0]*h_Sp_coupler + s[0]*neg_h_Sp_coupler;
    const double Sp_coupler_yy = Sp_rocker_xx + S_coupler_yy - Sp_coupler_xx;
    const double S_crank_yy = 0.03866666666666667 + Sp_coupler_yy - 0.4*f_coupler_x_2;

    /* crank */
    const double n_crank_z = Sp_coupler_xx + S_crank_yy;
    M[0] = n_crank_z;
}

void four_bar_mass_matrix_composite_batch(long n, const double *q, long q_stride, double *M)
{
    for (long i = 0; i < n; i++)
        four_bar_mass_matrix_composite(q + i*q_stride, M + i*9);
}

/* Motion axes [z; l; p] and centres of mass, world axes. 18 mul, 10 add, 3 sincos. */
static void four_bar_motion_columns(const double *restrict q, double *restrict axes, double *restrict centers)
{
    double s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_sincos(3, q, s, c);
    for (int i = 0; i < 27; i++) axes[i] = 0.0;
    axes[1] = 1.0;
    axes[10] = 1.0;
    axes[19] = 1.0;
    centers[1] = 0.0;
    centers[4] = 0.0;
    centers[7] = 0.0;

    /* coupler */
    const double R_coupler_xx = s[0]*c[1] + c[0]*s[1];
    const double neg_R_coupler_xy = s[0]*s[1] - c[0]*c[1];
    const double p_coupler_x = 0.2*c[0];
    axes[15] = p_coupler_x;
    const double neg_p_coupler_z = 0.2*s[0];
    axes[17] = -neg_p_coupler_z;

    /* rocker */
    const double neg_R_rocker_xx = s[2]*neg_R_coupler_xy - c[2]*R_coupler_xx;
    const double neg_R_rocker_xy = s[2]*R_coupler_xx + c[2]*neg_R_coupler_xy;
    const double neg_p_rocker_x = 0.5*neg_R_coupler_xy - p_coupler_x;
    axes[24] = -neg_p_rocker_x;
    const double neg_p_rocker_z = neg_p_coupler_z + 0.5*R_coupler_xx;
    axes[26] = -neg_p_rocker_z;
    const double pG_crank_x = 0.1*c[0];
    centers[0] = pG_crank_x;
    const double neg_pG_crank_z = 0.1*s[0];
    centers[2] = -neg_pG_crank_z;
    const double neg_pG_coupler_x = 0.25*neg_R_coupler_xy - p_coupler_x;
    centers[3] = -neg_pG_coupler_x;
    const double neg_pG_coupler_z = neg_p_coupler_z + 0.25*R_coupler_xx;
    centers[5] = -neg_pG_coupler_z;
    const double neg_pG_rocker_x = neg_p_rocker_x + 0.2*neg_R_rocker_xy;
    centers[6] = -neg_pG_rocker_x;
    const double pG_rocker_z = 0.2*neg_R_rocker_xx - neg_p_rocker_z;
    centers[8] = pG_rocker_z;
}

/* Moments of inertia about the centres of mass in world axes, masses. 23 mul, 4 add, 3 sincos. */
static void four_bar_world_inertias(const double *restrict q, double *restrict inertias, double *restrict masses)
{
    double s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_sincos(3, q, s, c);
    for (int i = 0; i < 27; i++) inertias[i] = 0.0;
    inertias[4] = 0.0006666666666666669;
    inertias[13] = 0.010416666666666666;
    inertias[22] = 0.005333333333333335;
    masses[0] = 0.2;
    masses[1] = 0.5;
    masses[2] = 0.4;

    /* coupler */
    const double R_coupler_xx = s[0]*c[1] + c[0]*s[1];
    const double neg_R_coupler_xy = s[0]*s[1] - c[0]*c[1];

    /* rocker */
    const double neg_R_rocker_xx = s[2]*neg_R_coupler_xy - c[2]*R_coupler_xx;
    const double neg_R_rocker_xy = s[2]*R_coupler_xx + c[2]*neg_R_coupler_xy;
    const double RI_crank_xx = 0.0006666666666666669*s[0];
    const double RI_crank_zx = 0.0006666666666666669*c[0];
    const double Iw_crank_xx = s[0]*RI_crank_xx;
    inertias[0] = Iw_crank_xx;
    const double Iw_crank_xz = c[0]*RI_crank_xx;
    inertias[2] = Iw_crank_xz;
    inertias[6] = Iw_crank_xz;
    const double Iw_crank_zz = c[0]*RI_crank_zx;
    inertias[8] = Iw_crank_zz;
    const double RI_coupler_xx = 0.010416666666666666*R_coupler_xx;
    const double neg_RI_coupler_zx = 0.010416666666666666*neg_R_coupler_xy;
    const double Iw_coupler_xx = R_coupler_xx*RI_coupler_xx;
    inertias[9] = Iw_coupler_xx;
    const double neg_Iw_coupler_xz = neg_R_coupler_xy*RI_coupler_xx;
    inertias[11] = -neg_Iw_coupler_xz;
    inertias[15] = -neg_Iw_coupler_xz;
    const double Iw_coupler_zz = neg_R_coupler_xy*neg_RI_coupler_zx;
    inertias[17] = Iw_coupler_zz;
    const double neg_RI_rocker_xx = 0.005333333333333335*neg_R_rocker_xx;
    const double neg_RI_rocker_zx = 0.005333333333333335*neg_R_rocker_xy;
    const double Iw_rocker_xx = neg_R_rocker_xx*neg_RI_rocker_xx;
    inertias[18] = Iw_rocker_xx;
    const double Iw_rocker_xz = neg_R_rocker_xy*neg_RI_rocker_xx;
    inertias[20] = Iw_rocker_xz;
    inertias[24] = Iw_rocker_xz;
    const double Iw_rocker_zz = neg_R_rocker_xy*neg_RI_rocker_zx;
    inertias[26] = Iw_rocker_zz;
}

/* Armature of every joint. No operations. */
static void four_bar_armatures(const double *restrict q, double *restrict armatures)
{
    (void)q;
    armatures[0] = 0.0;
    armatures[1] = 0.0;
    armatures[2] = 0.0;
}

/* Joint forces at rest without gravity. 19 mul, 12 add, 2 sincos. */
static void four_bar_unit_torque(const double *restrict q, const double *restrict a, double *restrict tau)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q + 1, s, c);

    /* crank */
    const double neg_f_crank_x = 0.2*a[0];
    const double n_crank_z = 0.03866666666666667*a[0];

    /* coupler */
    const double dw_coupler_z = a[0] + a[1];
    const double neg_a_coupler_x = c[0]*neg_f_crank_x;
    const double a_coupler_y = s[0]*neg_f_crank_x;
    const double neg_f_coupler_x = 0.325*dw_coupler_z;
    const double n_coupler_z = 0.14166666666666666*dw_coupler_z + 0.325*neg_a_coupler_x;

    /* rocker */
    const double dw_rocker_z = dw_coupler_z + a[2];
    const double neg_ap_rocker_x = neg_a_coupler_x + 0.5*dw_coupler_z;
    const double a_rocker_x = s[1]*a_coupler_y - c[1]*neg_ap_rocker_x;
    const double neg_f_rocker_x = 0.08000000000000002*dw_rocker_z;
    const double n_rocker_z = 0.02133333333333334*dw_rocker_z - 0.08000000000000002*a_rocker_x;
    tau[2] = n_rocker_z;

    /* rocker, back */
    const double neg_fp_rocker_x = c[1]*neg_f_rocker_x;
    const double neg_fp_rocker_y = s[1]*neg_f_rocker_x;
    const double neg_f_coupler_x_2 = neg_f_coupler_x + neg_fp_rocker_x;
    const double n_coupler_z_2 = n_coupler_z + n_rocker_z + 0.5*neg_fp_rocker_x;
    tau[1] = n_coupler_z_2;

    /* coupler, back */
    const double fp_coupler_x = s[0]*neg_fp_rocker_y - c[0]*neg_f_coupler_x_2;
    const double n_crank_z_2 = n_crank_z + n_coupler_z_2 - 0.2*fp_coupler_x;
    tau[0] = n_crank_z_2;
}

/* Acceleration of gravity, world axes. No operations. */
static void four_bar_gravity_vector(const double *restrict q, double *restrict g)
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
static const int axis_last[] = {0, 1, 2};
/* Where each row of L of M = L'DL begins. */
static const int factor_row[] = {0, 0, 1, 3};
/* The columns in which its entries stand. */
static const int factor_column[] = {0, 0, 1};

#include "kinegen/tree/mass_matrix_cog.h"
#include "kinegen/tree/mass_matrix_unit_vector.h"
#include "kinegen/tree/inverse_dynamics_cog.h"
#include "kinegen/tree/forward_dynamics_unit_vector.h"

/* Mass matrix M = G' M^ G. */
void four_bar_mass_matrix_cog(const double *restrict q, double *restrict M)
{
    mass_matrix_cog(0, q, M);
}

/* Mass matrix M by unit vectors. */
void four_bar_mass_matrix_unit_vector(const double *restrict q, double *restrict M)
{
    mass_matrix_unit_vector(0, q, M);
}

/* Joint forces by the COG Jacobian: tau = G'(M^ ddq_G + b^). */
void four_bar_inverse_dynamics_cog(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict tau)
{
    inverse_dynamics_cog(0, q, v, a, tau);
}

/* Acceleration by unit vectors. */
void four_bar_forward_dynamics_open_unit_vector(const double *restrict q, const double *restrict v,
    const double *restrict tau, double *restrict a)
{
    forward_dynamics_unit_vector(0, q, v, tau, a);
}

void four_bar_mass_matrix_cog_batch(long n, const double *q, long q_stride, double *M)
{
    for (long i = 0; i < n; i++)
        four_bar_mass_matrix_cog(q + i*q_stride, M + i*9);
}

void four_bar_mass_matrix_unit_vector_batch(long n, const double *q, long q_stride, double *M)
{
    for (long i = 0; i < n; i++)
        four_bar_mass_matrix_unit_vector(q + i*q_stride, M + i*9);
}

void four_bar_inverse_dynamics_cog_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *tau)
{
    for (long i = 0; i < n; i++)
        four_bar_inverse_dynamics_cog(q + i*q_stride, v + i*v_stride, a + i*a_stride, tau + i*3);
}

void four_bar_forward_dynamics_open_unit_vector_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a)
{
    for (long i = 0; i < n; i++)
        four_bar_forward_dynamics_open_unit_vector(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, a + i*3);
}
