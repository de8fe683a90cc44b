/* box_on_plane: slower routes to compare with.
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
 * zw, za: velocity products of the joint
 * q2, qq, E: twice a quaternion's entries, their products, its rotation
 * RI, Iw: R I; inertia in world axes, or I w
 */

#include "box_on_plane_model.h"
#include <math.h>
#include "kinegen/linear/real.h"

/* What is defined and called here, as box_on_plane.h declares it. */
void box_on_plane_forward_dynamics_articulated(const double *q, const double *v, const double *tau, double *a);
void box_on_plane_mass_matrix_cog(const double *q, double *M);
void box_on_plane_mass_matrix_unit_vector(const double *q, double *M);
void box_on_plane_inverse_dynamics_cog(const double *q, const double *v, const double *a, double *tau);
void box_on_plane_forward_dynamics_unit_vector(const double *q, const double *v, const double *tau, double *a);
void box_on_plane_cog_bias(const double *q, const double *v, double *dGv);
void box_on_plane_bias(const double *q, const double *v, double *h);
void box_on_plane_forward_dynamics_articulated_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a);
void box_on_plane_mass_matrix_cog_batch(long n, const double *q, long q_stride, double *M);
void box_on_plane_mass_matrix_unit_vector_batch(long n, const double *q, long q_stride, double *M);
void box_on_plane_inverse_dynamics_cog_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *tau);
void box_on_plane_forward_dynamics_unit_vector_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a);

/* Acceleration by articulated bodies. 33 mul, 19 add. */
void box_on_plane_forward_dynamics_articulated(const double *restrict q, const double *restrict v,
    const double *restrict tau, double *restrict a)
{

    /* box */
    const double q2_box = 2.0*q[3];
    const double q2_box_2 = 2.0*q[4];
    const double q2_box_3 = 2.0*q[5];
    const double qq_box = q[3]*q2_box;
    const double qq_box_2 = q[4]*q2_box_2;
    const double qq_box_3 = q[3]*q2_box_3;
    const double qq_box_4 = q[4]*q2_box_3;
    const double qq_box_5 = q[6]*q2_box;
    const double qq_box_6 = q[6]*q2_box_2;
    const double E_box_zx = qq_box_3 - qq_box_6;
    const double E_box_zy = qq_box_4 + qq_box_5;
    const double E_box_zz = 1.0 - qq_box - qq_box_2;
    const double neg_za_box_x = v[1]*v[5] - v[2]*v[4];
    const double za_box_y = v[0]*v[5] - v[2]*v[3];
    const double neg_za_box_z = v[0]*v[4] - v[1]*v[3];
    const double Iw_box_x = 0.021666666666666674*v[3];
    const double Iw_box_y = 0.03333333333333335*v[4];
    const double Iw_box_z = 0.04166666666666667*v[5];
    const double pn_box_x = v[4]*Iw_box_z - v[5]*Iw_box_y;
    const double neg_pn_box_y = v[3]*Iw_box_z - v[5]*Iw_box_x;
    const double pn_box_z = v[3]*Iw_box_y - v[4]*Iw_box_x;

    /* box, articulated */
    const double u_box = tau[5] - pn_box_z;
    const double uD_box = 23.999999999999996*u_box;
    a[5] = uD_box;
    const double u_box_2 = tau[4] + neg_pn_box_y;
    const double uD_box_2 = 29.99999999999999*u_box_2;
    a[4] = uD_box_2;
    const double u_box_3 = tau[3] - pn_box_x;
    const double uD_box_3 = 46.15384615384614*u_box_3;
    a[3] = uD_box_3;
    const double uD_box_4 = 0.5*tau[2];
    const double uD_box_5 = 0.5*tau[1];
    const double uD_box_6 = 0.5*tau[0];

    /* box, acceleration */
    const double aq_box_x = 9.81*E_box_zx;
    const double aq_box_y = 9.81*E_box_zy;
    const double aq_box_z = 9.81*E_box_zz;
    const double neg_aq_box_x = neg_za_box_x - aq_box_x;
    const double aq_box_y_2 = aq_box_y + za_box_y;
    const double neg_aq_box_z = neg_za_box_z - aq_box_z;
    const double dv_box = uD_box_6 + neg_aq_box_x;
    a[0] = dv_box;
    const double dv_box_2 = uD_box_5 - aq_box_y_2;
    a[1] = dv_box_2;
    const double dv_box_3 = uD_box_4 + neg_aq_box_z;
    a[2] = dv_box_3;
}

void box_on_plane_forward_dynamics_articulated_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a)
{
    for (long i = 0; i < n; i++)
        box_on_plane_forward_dynamics_articulated(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, a + i*6);
}

/* Motion axes [z; l; p] and centres of mass, world axes. 12 mul, 12 add. */
static void box_on_plane_motion_columns(const double *restrict q, double *restrict axes, double *restrict centers)
{
    kg_zeros(3, axes); kg_zeros(3, axes + 9); kg_zeros(3, axes + 18); kg_zeros(3, axes + 30);
    kg_zeros(3, axes + 39); kg_zeros(3, axes + 48);
    axes[6] = q[0];
    axes[15] = q[0];
    axes[24] = q[0];
    axes[33] = q[0];
    axes[42] = q[0];
    axes[51] = q[0];
    centers[0] = q[0];
    axes[7] = q[1];
    axes[16] = q[1];
    axes[25] = q[1];
    axes[34] = q[1];
    axes[43] = q[1];
    axes[52] = q[1];
    centers[1] = q[1];
    axes[8] = q[2];
    axes[17] = q[2];
    axes[26] = q[2];
    axes[35] = q[2];
    axes[44] = q[2];
    axes[53] = q[2];
    centers[2] = q[2];

    /* box */
    const double q2_box = 2.0*q[3];
    const double q2_box_2 = 2.0*q[4];
    const double q2_box_3 = 2.0*q[5];
    const double qq_box = q[3]*q2_box;
    const double qq_box_2 = q[4]*q2_box_2;
    const double qq_box_3 = q[5]*q2_box_3;
    const double qq_box_4 = q[3]*q2_box_2;
    const double qq_box_5 = q[3]*q2_box_3;
    const double qq_box_6 = q[4]*q2_box_3;
    const double qq_box_7 = q[6]*q2_box;
    const double qq_box_8 = q[6]*q2_box_2;
    const double qq_box_9 = q[6]*q2_box_3;
    const double E_box_xx = 1.0 - qq_box_2 - qq_box_3;
    axes[3] = E_box_xx;
    axes[27] = E_box_xx;
    const double E_box_xy = qq_box_4 - qq_box_9;
    axes[12] = E_box_xy;
    axes[36] = E_box_xy;
    const double E_box_xz = qq_box_5 + qq_box_8;
    axes[21] = E_box_xz;
    axes[45] = E_box_xz;
    const double E_box_yx = qq_box_4 + qq_box_9;
    axes[4] = E_box_yx;
    axes[28] = E_box_yx;
    const double E_box_yy = 1.0 - qq_box - qq_box_3;
    axes[13] = E_box_yy;
    axes[37] = E_box_yy;
    const double E_box_yz = qq_box_6 - qq_box_7;
    axes[22] = E_box_yz;
    axes[46] = E_box_yz;
    const double E_box_zx = qq_box_5 - qq_box_8;
    axes[5] = E_box_zx;
    axes[29] = E_box_zx;
    const double E_box_zy = qq_box_6 + qq_box_7;
    axes[14] = E_box_zy;
    axes[38] = E_box_zy;
    const double E_box_zz = 1.0 - qq_box - qq_box_2;
    axes[23] = E_box_zz;
    axes[47] = E_box_zz;
}

/* Moments of inertia about the centres of mass in world axes, masses. 39 mul, 24 add. */
static void box_on_plane_world_inertias(const double *restrict q, double *restrict inertias, double *restrict masses)
{
    masses[0] = 2.0;

    /* box */
    const double q2_box = 2.0*q[3];
    const double q2_box_2 = 2.0*q[4];
    const double q2_box_3 = 2.0*q[5];
    const double qq_box = q[3]*q2_box;
    const double qq_box_2 = q[4]*q2_box_2;
    const double qq_box_3 = q[5]*q2_box_3;
    const double qq_box_4 = q[3]*q2_box_2;
    const double qq_box_5 = q[3]*q2_box_3;
    const double qq_box_6 = q[4]*q2_box_3;
    const double qq_box_7 = q[6]*q2_box;
    const double qq_box_8 = q[6]*q2_box_2;
    const double qq_box_9 = q[6]*q2_box_3;
    const double E_box_xx = 1.0 - qq_box_2 - qq_box_3;
    const double E_box_xy = qq_box_4 - qq_box_9;
    const double E_box_xz = qq_box_5 + qq_box_8;
    const double E_box_yx = qq_box_4 + qq_box_9;
    const double E_box_yy = 1.0 - qq_box - qq_box_3;
    const double E_box_yz = qq_box_6 - qq_box_7;
    const double E_box_zx = qq_box_5 - qq_box_8;
    const double E_box_zy = qq_box_6 + qq_box_7;
    const double E_box_zz = 1.0 - qq_box - qq_box_2;
    const double RI_box_xx = 0.021666666666666667*E_box_xx;
    const double RI_box_xy = 0.03333333333333334*E_box_xy;
    const double RI_box_xz = 0.041666666666666664*E_box_xz;
    const double RI_box_yx = 0.021666666666666667*E_box_yx;
    const double RI_box_yy = 0.03333333333333334*E_box_yy;
    const double RI_box_yz = 0.041666666666666664*E_box_yz;
    const double RI_box_zx = 0.021666666666666667*E_box_zx;
    const double RI_box_zy = 0.03333333333333334*E_box_zy;
    const double RI_box_zz = 0.041666666666666664*E_box_zz;
    const double Iw_box_xx = E_box_xx*RI_box_xx + E_box_xy*RI_box_xy + E_box_xz*RI_box_xz;
    inertias[0] = Iw_box_xx;
    const double Iw_box_xy = E_box_yx*RI_box_xx + E_box_yy*RI_box_xy + E_box_yz*RI_box_xz;
    inertias[1] = Iw_box_xy;
    inertias[3] = Iw_box_xy;
    const double Iw_box_xz = E_box_zx*RI_box_xx + E_box_zy*RI_box_xy + E_box_zz*RI_box_xz;
    inertias[2] = Iw_box_xz;
    inertias[6] = Iw_box_xz;
    const double Iw_box_yy = E_box_yx*RI_box_yx + E_box_yy*RI_box_yy + E_box_yz*RI_box_yz;
    inertias[4] = Iw_box_yy;
    const double Iw_box_yz = E_box_zx*RI_box_yx + E_box_zy*RI_box_yy + E_box_zz*RI_box_yz;
    inertias[5] = Iw_box_yz;
    inertias[7] = Iw_box_yz;
    const double Iw_box_zz = E_box_zx*RI_box_zx + E_box_zy*RI_box_zy + E_box_zz*RI_box_zz;
    inertias[8] = Iw_box_zz;
}

/* Armature of every joint. No operations. */
static void box_on_plane_armatures(const double *restrict q, double *restrict armatures)
{
    (void)q;
    armatures[0] = 0.0;
    armatures[1] = 0.0;
    armatures[2] = 0.0;
    armatures[3] = 0.0;
    armatures[4] = 0.0;
    armatures[5] = 0.0;
}

/* Joint forces at rest without gravity. 6 mul. */
static void box_on_plane_unit_torque(const double *restrict q, const double *restrict a, double *restrict tau)
{
    (void)q;

    /* box */
    const double f_box_x = 2.0*a[0];
    tau[0] = f_box_x;
    const double f_box_y = 2.0*a[1];
    tau[1] = f_box_y;
    const double f_box_z = 2.0*a[2];
    tau[2] = f_box_z;
    const double n_box_x = 0.021666666666666674*a[3];
    tau[3] = n_box_x;
    const double n_box_y = 0.03333333333333335*a[4];
    tau[4] = n_box_y;
    const double n_box_z = 0.04166666666666667*a[5];
    tau[5] = n_box_z;
}

/* Acceleration of gravity, world axes. No operations. */
static void box_on_plane_gravity_vector(const double *restrict q, double *restrict g)
{
    (void)q;
    g[0] = 0.0;
    g[1] = 0.0;
    g[2] = -9.81;
}

/* Motion axis k moves dof axis_dof[k]. */
static const int axis_dof[] = {0, 1, 2, 3, 4, 5};
/* The next axis towards the root (-1: none): the paths of the tree. */
static const int axis_above[] = {-1, 0, 1, 2, 3, 4};
/* The motion axis at which the path of link i ends. */
static const int axis_last[] = {5};
/* Where each row of L of M = L'DL begins. */
static const int factor_row[] = {0, 0, 1, 3, 6, 10, 15};
/* The columns in which its entries stand. */
static const int factor_column[] = {0, 0, 1, 0, 1, 2, 0, 1, 2, 3, 0, 1, 2, 3, 4};

#include "kinegen/tree/mass_matrix_cog.h"
#include "kinegen/tree/mass_matrix_unit_vector.h"
#include "kinegen/tree/inverse_dynamics_cog.h"
#include "kinegen/tree/forward_dynamics_unit_vector.h"

/* Mass matrix M = G' M^ G. */
void box_on_plane_mass_matrix_cog(const double *restrict q, double *restrict M)
{
    mass_matrix_cog(0, q, M);
}

/* Mass matrix M by unit vectors. */
void box_on_plane_mass_matrix_unit_vector(const double *restrict q, double *restrict M)
{
    mass_matrix_unit_vector(0, q, M);
}

/* Joint forces by the COG Jacobian: tau = G'(M^ ddq_G + b^). */
void box_on_plane_inverse_dynamics_cog(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict tau)
{
    inverse_dynamics_cog(0, q, v, a, tau);
}

/* Acceleration by unit vectors. */
void box_on_plane_forward_dynamics_unit_vector(const double *restrict q, const double *restrict v,
    const double *restrict tau, double *restrict a)
{
    forward_dynamics_unit_vector(0, q, v, tau, a);
}

void box_on_plane_mass_matrix_cog_batch(long n, const double *q, long q_stride, double *M)
{
    for (long i = 0; i < n; i++)
        box_on_plane_mass_matrix_cog(q + i*q_stride, M + i*36);
}

void box_on_plane_mass_matrix_unit_vector_batch(long n, const double *q, long q_stride, double *M)
{
    for (long i = 0; i < n; i++)
        box_on_plane_mass_matrix_unit_vector(q + i*q_stride, M + i*36);
}

void box_on_plane_inverse_dynamics_cog_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *tau)
{
    for (long i = 0; i < n; i++)
        box_on_plane_inverse_dynamics_cog(q + i*q_stride, v + i*v_stride, a + i*a_stride, tau + i*6);
}

void box_on_plane_forward_dynamics_unit_vector_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a)
{
    for (long i = 0; i < n; i++)
        box_on_plane_forward_dynamics_unit_vector(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, a + i*6);
}
