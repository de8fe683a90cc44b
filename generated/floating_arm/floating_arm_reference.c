/* floating_arm: slower routes to compare with.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * R, p: pose in the parent or, where poses are asked for, in the world
 * dw, dwp, dwq: rate of w; the parent's; with velocity products of the joint
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * f, fp, n: force and moment about the link's origin; p: in the parent's axes
 * q2, qq, E: twice a quaternion's entries, their products, its rotation
 * pG, vG, aG, Gx, ddq: centre of mass: position, velocity, acceleration; its part by joint accelerations
 * RI, Iw: R I; inertia in world axes, or I w
 */

#include "floating_arm_model.h"
#include "kinegen/linear/sincos.h"

/* What is defined and called here, as floating_arm.h declares it. */
void floating_arm_mass_matrix_cog(const double *q, double *M);
void floating_arm_mass_matrix_unit_vector(const double *q, double *M);
void floating_arm_inverse_dynamics_cog(const double *q, const double *v, const double *a, double *tau);
void floating_arm_forward_dynamics_unit_vector(const double *q, const double *v, const double *tau, double *a);
void floating_arm_forward_dynamics_ltdl(const double *q, const double *v, const double *tau, double *a);
void floating_arm_cog_bias(const double *q, const double *v, double *dGv);
void floating_arm_bias(const double *q, const double *v, double *h);
void floating_arm_mass_matrix(const double *q, double *M);
void floating_arm_mass_matrix_cog_batch(long n, const double *q, long q_stride, double *M);
void floating_arm_mass_matrix_unit_vector_batch(long n, const double *q, long q_stride, double *M);
void floating_arm_inverse_dynamics_cog_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *tau);
void floating_arm_forward_dynamics_unit_vector_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a);
void floating_arm_forward_dynamics_ltdl_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *a);

/* Motion axes [z; l; p] and centres of mass, world axes. 39 mul, 31 add, 2 sincos. */
static void floating_arm_motion_columns(const double *restrict q, double *restrict axes, double *restrict centers)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q + 7, s, c);
    kg_zeros(3, axes); kg_zeros(3, axes + 9); kg_zeros(3, axes + 18); kg_zeros(3, axes + 30);
    kg_zeros(3, axes + 39); kg_zeros(3, axes + 48); kg_zeros(3, axes + 57); kg_zeros(3, axes + 66);
    kg_zeros(3, axes + 72);
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

    /* base */
    const double q2_base = 2.0*q[3];
    const double q2_base_2 = 2.0*q[4];
    const double q2_base_3 = 2.0*q[5];
    const double qq_base = q[3]*q2_base;
    const double qq_base_2 = q[4]*q2_base_2;
    const double qq_base_3 = q[5]*q2_base_3;
    const double qq_base_4 = q[3]*q2_base_2;
    const double qq_base_5 = q[3]*q2_base_3;
    const double qq_base_6 = q[4]*q2_base_3;
    const double qq_base_7 = q[6]*q2_base;
    const double qq_base_8 = q[6]*q2_base_2;
    const double qq_base_9 = q[6]*q2_base_3;
    const double E_base_xx = 1.0 - qq_base_2 - qq_base_3;
    axes[3] = E_base_xx;
    axes[27] = E_base_xx;
    const double E_base_xy = qq_base_4 - qq_base_9;
    axes[12] = E_base_xy;
    axes[36] = E_base_xy;
    const double E_base_xz = qq_base_5 + qq_base_8;
    axes[21] = E_base_xz;
    axes[45] = E_base_xz;
    axes[54] = E_base_xz;
    const double E_base_yx = qq_base_4 + qq_base_9;
    axes[4] = E_base_yx;
    axes[28] = E_base_yx;
    const double E_base_yy = 1.0 - qq_base - qq_base_3;
    axes[13] = E_base_yy;
    axes[37] = E_base_yy;
    const double E_base_yz = qq_base_6 - qq_base_7;
    axes[22] = E_base_yz;
    axes[46] = E_base_yz;
    axes[55] = E_base_yz;
    const double E_base_zx = qq_base_5 - qq_base_8;
    axes[5] = E_base_zx;
    axes[29] = E_base_zx;
    const double E_base_zy = qq_base_6 + qq_base_7;
    axes[14] = E_base_zy;
    axes[38] = E_base_zy;
    const double E_base_zz = 1.0 - qq_base - qq_base_2;
    axes[23] = E_base_zz;
    axes[47] = E_base_zz;
    axes[56] = E_base_zz;

    /* hand */
    const double p_hand_y = 0.5 + q[9];

    /* arm_mid */
    const double R_arm_mid_xx = E_base_xx*c[0] + E_base_xy*s[0];
    const double neg_R_arm_mid_xy = E_base_xx*s[0] - E_base_xy*c[0];
    axes[63] = -neg_R_arm_mid_xy;
    const double R_arm_mid_yx = E_base_yx*c[0] + E_base_yy*s[0];
    const double neg_R_arm_mid_yy = E_base_yx*s[0] - E_base_yy*c[0];
    axes[64] = -neg_R_arm_mid_yy;
    const double R_arm_mid_zx = E_base_zx*c[0] + E_base_zy*s[0];
    const double neg_R_arm_mid_zy = E_base_zx*s[0] - E_base_zy*c[0];
    axes[65] = -neg_R_arm_mid_zy;
    const double p_arm_mid_x = q[0] + 0.2*E_base_xx;
    axes[60] = p_arm_mid_x;
    axes[69] = p_arm_mid_x;
    const double p_arm_mid_y = q[1] + 0.2*E_base_yx;
    axes[61] = p_arm_mid_y;
    axes[70] = p_arm_mid_y;
    const double p_arm_mid_z = q[2] + 0.2*E_base_zx;
    axes[62] = p_arm_mid_z;
    axes[71] = p_arm_mid_z;

    /* arm */
    const double neg_R_arm_xy = E_base_xz*s[1] - c[1]*R_arm_mid_xx;
    axes[75] = -neg_R_arm_xy;
    const double neg_R_arm_yy = E_base_yz*s[1] - c[1]*R_arm_mid_yx;
    axes[76] = -neg_R_arm_yy;
    const double neg_R_arm_zy = E_base_zz*s[1] - c[1]*R_arm_mid_zx;
    axes[77] = -neg_R_arm_zy;

    /* hand */
    const double neg_p_hand_x = p_hand_y*neg_R_arm_xy - p_arm_mid_x;
    axes[78] = -neg_p_hand_x;
    centers[6] = -neg_p_hand_x;
    const double neg_p_hand_y = p_hand_y*neg_R_arm_yy - p_arm_mid_y;
    axes[79] = -neg_p_hand_y;
    centers[7] = -neg_p_hand_y;
    const double neg_p_hand_z = p_hand_y*neg_R_arm_zy - p_arm_mid_z;
    axes[80] = -neg_p_hand_z;
    centers[8] = -neg_p_hand_z;
    const double pG_arm_x = p_arm_mid_x - 0.25*neg_R_arm_xy;
    centers[3] = pG_arm_x;
    const double pG_arm_y = p_arm_mid_y - 0.25*neg_R_arm_yy;
    centers[4] = pG_arm_y;
    const double pG_arm_z = p_arm_mid_z - 0.25*neg_R_arm_zy;
    centers[5] = pG_arm_z;
}

/* Moments of inertia about the centres of mass in world axes, masses. 108 mul, 54 add, 2 sincos. */
static void floating_arm_world_inertias(const double *restrict q, double *restrict inertias, double *restrict masses)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q + 7, s, c);
    masses[0] = 5.0;
    masses[1] = 1.0;
    masses[2] = 0.25;

    /* base */
    const double q2_base = 2.0*q[3];
    const double q2_base_2 = 2.0*q[4];
    const double q2_base_3 = 2.0*q[5];
    const double qq_base = q[3]*q2_base;
    const double qq_base_2 = q[4]*q2_base_2;
    const double qq_base_3 = q[5]*q2_base_3;
    const double qq_base_4 = q[3]*q2_base_2;
    const double qq_base_5 = q[3]*q2_base_3;
    const double qq_base_6 = q[4]*q2_base_3;
    const double qq_base_7 = q[6]*q2_base;
    const double qq_base_8 = q[6]*q2_base_2;
    const double qq_base_9 = q[6]*q2_base_3;
    const double E_base_xx = 1.0 - qq_base_2 - qq_base_3;
    const double E_base_xy = qq_base_4 - qq_base_9;
    const double E_base_xz = qq_base_5 + qq_base_8;
    const double E_base_yx = qq_base_4 + qq_base_9;
    const double E_base_yy = 1.0 - qq_base - qq_base_3;
    const double E_base_yz = qq_base_6 - qq_base_7;
    const double E_base_zx = qq_base_5 - qq_base_8;
    const double E_base_zy = qq_base_6 + qq_base_7;
    const double E_base_zz = 1.0 - qq_base - qq_base_2;

    /* arm_mid */
    const double R_arm_mid_xx = E_base_xx*c[0] + E_base_xy*s[0];
    const double neg_R_arm_mid_xy = E_base_xx*s[0] - E_base_xy*c[0];
    const double R_arm_mid_yx = E_base_yx*c[0] + E_base_yy*s[0];
    const double neg_R_arm_mid_yy = E_base_yx*s[0] - E_base_yy*c[0];
    const double R_arm_mid_zx = E_base_zx*c[0] + E_base_zy*s[0];
    const double neg_R_arm_mid_zy = E_base_zx*s[0] - E_base_zy*c[0];

    /* arm */
    const double R_arm_xx = s[1]*R_arm_mid_xx + E_base_xz*c[1];
    const double neg_R_arm_xy = E_base_xz*s[1] - c[1]*R_arm_mid_xx;
    const double R_arm_yx = s[1]*R_arm_mid_yx + E_base_yz*c[1];
    const double neg_R_arm_yy = E_base_yz*s[1] - c[1]*R_arm_mid_yx;
    const double R_arm_zx = s[1]*R_arm_mid_zx + E_base_zz*c[1];
    const double neg_R_arm_zy = E_base_zz*s[1] - c[1]*R_arm_mid_zx;

    /* hand */
    const double RI_base_xx = 0.05416666666666667*E_base_xx;
    const double RI_base_xy = 0.08333333333333336*E_base_xy;
    const double RI_base_xz = 0.10416666666666667*E_base_xz;
    const double RI_base_yx = 0.05416666666666667*E_base_yx;
    const double RI_base_yy = 0.08333333333333336*E_base_yy;
    const double RI_base_yz = 0.10416666666666667*E_base_yz;
    const double RI_base_zx = 0.05416666666666667*E_base_zx;
    const double RI_base_zy = 0.08333333333333336*E_base_zy;
    const double RI_base_zz = 0.10416666666666667*E_base_zz;
    const double Iw_base_xx = E_base_xx*RI_base_xx + E_base_xy*RI_base_xy + E_base_xz*RI_base_xz;
    inertias[0] = Iw_base_xx;
    const double Iw_base_xy = E_base_yx*RI_base_xx + E_base_yy*RI_base_xy + E_base_yz*RI_base_xz;
    inertias[1] = Iw_base_xy;
    inertias[3] = Iw_base_xy;
    const double Iw_base_xz = E_base_zx*RI_base_xx + E_base_zy*RI_base_xy + E_base_zz*RI_base_xz;
    inertias[2] = Iw_base_xz;
    inertias[6] = Iw_base_xz;
    const double Iw_base_yy = E_base_yx*RI_base_yx + E_base_yy*RI_base_yy + E_base_yz*RI_base_yz;
    inertias[4] = Iw_base_yy;
    const double Iw_base_yz = E_base_zx*RI_base_yx + E_base_zy*RI_base_yy + E_base_zz*RI_base_yz;
    inertias[5] = Iw_base_yz;
    inertias[7] = Iw_base_yz;
    const double Iw_base_zz = E_base_zx*RI_base_zx + E_base_zy*RI_base_zy + E_base_zz*RI_base_zz;
    inertias[8] = Iw_base_zz;
    const double RI_arm_xx = 0.020833333333333332*R_arm_xx;
    const double neg_RI_arm_xz = 0.020833333333333332*neg_R_arm_mid_xy;
    const double RI_arm_yx = 0.020833333333333332*R_arm_yx;
    const double neg_RI_arm_yz = 0.020833333333333332*neg_R_arm_mid_yy;
    const double RI_arm_zx = 0.020833333333333332*R_arm_zx;
    const double neg_RI_arm_zz = 0.020833333333333332*neg_R_arm_mid_zy;
    const double Iw_arm_xx = R_arm_xx*RI_arm_xx + neg_R_arm_mid_xy*neg_RI_arm_xz;
    inertias[9] = Iw_arm_xx;
    const double Iw_arm_xy = R_arm_yx*RI_arm_xx + neg_R_arm_mid_yy*neg_RI_arm_xz;
    inertias[10] = Iw_arm_xy;
    inertias[12] = Iw_arm_xy;
    const double Iw_arm_xz = R_arm_zx*RI_arm_xx + neg_R_arm_mid_zy*neg_RI_arm_xz;
    inertias[11] = Iw_arm_xz;
    inertias[15] = Iw_arm_xz;
    const double Iw_arm_yy = R_arm_yx*RI_arm_yx + neg_R_arm_mid_yy*neg_RI_arm_yz;
    inertias[13] = Iw_arm_yy;
    const double Iw_arm_yz = R_arm_zx*RI_arm_yx + neg_R_arm_mid_zy*neg_RI_arm_yz;
    inertias[14] = Iw_arm_yz;
    inertias[16] = Iw_arm_yz;
    const double Iw_arm_zz = R_arm_zx*RI_arm_zx + neg_R_arm_mid_zy*neg_RI_arm_zz;
    inertias[17] = Iw_arm_zz;
    const double neg_RI_hand_xx = 0.00025000000000000006*neg_R_arm_mid_xy;
    const double RI_hand_xy = 0.00025000000000000006*R_arm_xx;
    const double neg_RI_hand_xz = 0.00025000000000000006*neg_R_arm_xy;
    const double neg_RI_hand_yx = 0.00025000000000000006*neg_R_arm_mid_yy;
    const double RI_hand_yy = 0.00025000000000000006*R_arm_yx;
    const double neg_RI_hand_yz = 0.00025000000000000006*neg_R_arm_yy;
    const double neg_RI_hand_zx = 0.00025000000000000006*neg_R_arm_mid_zy;
    const double RI_hand_zy = 0.00025000000000000006*R_arm_zx;
    const double neg_RI_hand_zz = 0.00025000000000000006*neg_R_arm_zy;
    const double Iw_hand_xx = neg_R_arm_mid_xy*neg_RI_hand_xx + R_arm_xx*RI_hand_xy + neg_R_arm_xy*neg_RI_hand_xz;
    inertias[18] = Iw_hand_xx;
    const double Iw_hand_xy = neg_R_arm_mid_yy*neg_RI_hand_xx + R_arm_yx*RI_hand_xy + neg_R_arm_yy*neg_RI_hand_xz;
    inertias[19] = Iw_hand_xy;
    inertias[21] = Iw_hand_xy;
    const double Iw_hand_xz = neg_R_arm_mid_zy*neg_RI_hand_xx + R_arm_zx*RI_hand_xy + neg_R_arm_zy*neg_RI_hand_xz;
    inertias[20] = Iw_hand_xz;
    inertias[24] = Iw_hand_xz;
    const double Iw_hand_yy = neg_R_arm_mid_yy*neg_RI_hand_yx + R_arm_yx*RI_hand_yy + neg_R_arm_yy*neg_RI_hand_yz;
    inertias[22] = Iw_hand_yy;
    const double Iw_hand_yz = neg_R_arm_mid_zy*neg_RI_hand_yx + R_arm_zx*RI_hand_yy + neg_R_arm_zy*neg_RI_hand_yz;
    inertias[23] = Iw_hand_yz;
    inertias[25] = Iw_hand_yz;
    const double Iw_hand_zz = neg_R_arm_mid_zy*neg_RI_hand_zx + R_arm_zx*RI_hand_zy + neg_R_arm_zy*neg_RI_hand_zz;
    inertias[26] = Iw_hand_zz;
}

/* Armature of every joint. No operations. */
static void floating_arm_armatures(const double *restrict q, double *restrict armatures)
{
    (void)q;
    for (int i = 0; i < 9; i++) armatures[i] = 0.0;
}

/* Joint forces at rest without gravity. 62 mul, 44 add, 2 sincos. */
static void floating_arm_unit_torque(const double *restrict q, const double *restrict a, double *restrict tau)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q + 7, s, c);

    /* hand */
    const double p_hand_y = 0.5 + q[9];

    /* base */
    const double f_base_x = 6.0*a[0];
    const double f_base_y = 6.0*a[1] + 0.2*a[5];
    const double f_base_z = 6.0*a[2] - 0.2*a[4];
    const double n_base_x = 0.05416666666666667*a[3];
    const double neg_n_base_y = 0.2*a[2] - 0.12333333333333336*a[4];
    const double n_base_z = 0.14416666666666667*a[5] + 0.2*a[1];

    /* arm_mid */
    const double dwp_arm_mid_x = c[0]*a[3] + s[0]*a[4];
    const double neg_dwp_arm_mid_y = s[0]*a[3] - c[0]*a[4];
    const double dw_arm_mid_z = a[5] + a[6];
    const double ap_arm_mid_y = a[1] + 0.2*a[5];
    const double ap_arm_mid_z = a[2] - 0.2*a[4];
    const double a_arm_mid_x = c[0]*a[0] + s[0]*ap_arm_mid_y;
    const double neg_a_arm_mid_y = s[0]*a[0] - c[0]*ap_arm_mid_y;
    const double n_arm_mid_x = 0.00012500000000000006*dwp_arm_mid_x;
    const double n_arm_mid_z = 0.00012500000000000006*dw_arm_mid_z;

    /* arm */
    const double dwp_arm_x = s[1]*dwp_arm_mid_x + c[1]*dw_arm_mid_z;
    const double neg_dwp_arm_y = s[1]*dw_arm_mid_z - c[1]*dwp_arm_mid_x;
    const double dw_arm_z = a[7] - neg_dwp_arm_mid_y;
    const double a_arm_x = s[1]*a_arm_mid_x + c[1]*ap_arm_mid_z;
    const double neg_a_arm_y = s[1]*ap_arm_mid_z - c[1]*a_arm_mid_x;
    const double neg_f_arm_x = 0.25*dw_arm_z;
    const double f_arm_z = 0.25*dwp_arm_x;
    const double neg_n_arm_x = 0.25*neg_a_arm_mid_y - 0.08345833333333333*dwp_arm_x;
    const double neg_n_arm_y = 0.00012500000000000006*neg_dwp_arm_y;
    const double n_arm_z = 0.08358333333333333*dw_arm_z - 0.25*a_arm_x;

    /* hand */
    const double neg_ap_hand_x = p_hand_y*dw_arm_z - a_arm_x;
    const double ap_hand_z = p_hand_y*dwp_arm_x - neg_a_arm_mid_y;
    const double a_hand_z = a[8] - neg_a_arm_y;
    const double f_hand_x = 0.25*ap_hand_z;
    const double neg_f_hand_y = 0.25*neg_ap_hand_x;
    const double f_hand_z = 0.25*a_hand_z;
    tau[8] = f_hand_z;

    /* hand, back */
    const double neg_f_arm_x_2 = neg_f_arm_x + neg_f_hand_y;
    const double f_arm_z_2 = f_arm_z + f_hand_x;
    const double n_arm_x = p_hand_y*f_hand_x - neg_n_arm_x;
    const double n_arm_z_2 = n_arm_z + p_hand_y*neg_f_hand_y;
    tau[7] = n_arm_z_2;

    /* arm, back */
    const double neg_fp_arm_x = s[1]*neg_f_arm_x_2 - c[1]*f_hand_z;
    const double neg_fp_arm_z = c[1]*neg_f_arm_x_2 + s[1]*f_hand_z;
    const double n_arm_mid_x_2 = n_arm_mid_x + s[1]*n_arm_x - c[1]*neg_n_arm_y;
    const double n_arm_mid_z_2 = n_arm_mid_z + c[1]*n_arm_x + s[1]*neg_n_arm_y;
    tau[6] = n_arm_mid_z_2;

    /* arm_mid, back */
    const double neg_fp_arm_mid_x = c[0]*neg_fp_arm_x + s[0]*f_arm_z_2;
    const double neg_fp_arm_mid_y = s[0]*neg_fp_arm_x - c[0]*f_arm_z_2;
    const double f_base_x_2 = f_base_x - neg_fp_arm_mid_x;
    tau[0] = f_base_x_2;
    const double f_base_y_2 = f_base_y - neg_fp_arm_mid_y;
    tau[1] = f_base_y_2;
    const double f_base_z_2 = f_base_z - neg_fp_arm_z;
    tau[2] = f_base_z_2;
    const double neg_n_base_x = s[0]*n_arm_z_2 - n_base_x - c[0]*n_arm_mid_x_2;
    tau[3] = -neg_n_base_x;
    const double n_base_y = s[0]*n_arm_mid_x_2 + c[0]*n_arm_z_2 + 0.2*neg_fp_arm_z - neg_n_base_y;
    tau[4] = n_base_y;
    const double n_base_z_2 = n_base_z + n_arm_mid_z_2 - 0.2*neg_fp_arm_mid_y;
    tau[5] = n_base_z_2;
}

/* Acceleration of gravity, world axes. No operations. */
static void floating_arm_gravity_vector(const double *restrict q, double *restrict g)
{
    (void)q;
    g[0] = 0.0;
    g[1] = 0.0;
    g[2] = -9.81;
}

/* Motion axis k moves dof axis_dof[k]. */
static const int axis_dof[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
/* The next axis towards the root (-1: none): the paths of the tree. */
static const int axis_above[] = {-1, 0, 1, 2, 3, 4, 5, 6, 7};
/* The motion axis at which the path of link i ends. */
static const int axis_last[] = {5, 7, 8};
/* Where each row of L of M = L'DL begins. */
static const int factor_row[] = {0, 0, 1, 3, 6, 10, 15, 21, 28, 36};
/* The columns in which its entries stand. */
static const int factor_column[] = {0, 0, 1, 0, 1, 2, 0, 1, 2, 3, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 6,
    0, 1, 2, 3, 4, 5, 6, 7};

#include "kinegen/tree/mass_matrix_cog.h"
#include "kinegen/tree/mass_matrix_unit_vector.h"
#include "kinegen/tree/inverse_dynamics_cog.h"
#include "kinegen/tree/forward_dynamics_unit_vector.h"
#include "kinegen/tree/forward_dynamics_ltdl.h"

/* Mass matrix M = G' M^ G. */
void floating_arm_mass_matrix_cog(const double *restrict q, double *restrict M)
{
    mass_matrix_cog(0, q, M);
}

/* Mass matrix M by unit vectors. */
void floating_arm_mass_matrix_unit_vector(const double *restrict q, double *restrict M)
{
    mass_matrix_unit_vector(0, q, M);
}

/* Joint forces by the COG Jacobian: tau = G'(M^ ddq_G + b^). */
void floating_arm_inverse_dynamics_cog(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict tau)
{
    inverse_dynamics_cog(0, q, v, a, tau);
}

/* Acceleration by unit vectors. */
void floating_arm_forward_dynamics_unit_vector(const double *restrict q, const double *restrict v,
    const double *restrict tau, double *restrict a)
{
    forward_dynamics_unit_vector(0, q, v, tau, a);
}

/* Acceleration by M = L'DL. */
void floating_arm_forward_dynamics_ltdl(const double *restrict q, const double *restrict v,
    const double *restrict tau, double *restrict a)
{
    forward_dynamics_ltdl(0, q, v, tau, a);
}

void floating_arm_mass_matrix_cog_batch(long n, const double *q, long q_stride, double *M)
{
    for (long i = 0; i < n; i++)
        floating_arm_mass_matrix_cog(q + i*q_stride, M + i*81);
}

void floating_arm_mass_matrix_unit_vector_batch(long n, const double *q, long q_stride, double *M)
{
    for (long i = 0; i < n; i++)
        floating_arm_mass_matrix_unit_vector(q + i*q_stride, M + i*81);
}

void floating_arm_inverse_dynamics_cog_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *tau)
{
    for (long i = 0; i < n; i++)
        floating_arm_inverse_dynamics_cog(q + i*q_stride, v + i*v_stride, a + i*a_stride, tau + i*9);
}

void floating_arm_forward_dynamics_unit_vector_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a)
{
    for (long i = 0; i < n; i++)
        floating_arm_forward_dynamics_unit_vector(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, a + i*9);
}

void floating_arm_forward_dynamics_ltdl_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *a)
{
    for (long i = 0; i < n; i++)
        floating_arm_forward_dynamics_ltdl(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, a + i*9);
}
