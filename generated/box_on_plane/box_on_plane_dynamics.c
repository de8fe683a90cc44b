/* box_on_plane: inverse dynamics and mass matrix.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * ww: products of entries of w
 * U: [dw]x + [w]x[w]x
 * f, fp, n: force and moment about the link's origin; p: in the parent's axes
 * q2, qq, E: twice a quaternion's entries, their products, its rotation
 */

#include <math.h>
#include "kinegen/linear/real.h"

/* What is defined and called here, as box_on_plane.h declares it. */
void box_on_plane_inverse_dynamics(const double *q, const double *v, const double *a, double *tau);
void box_on_plane_bias(const double *q, const double *v, double *h);
void box_on_plane_gravity(const double *q, double *g);
void box_on_plane_mass_matrix(const double *q, double *M);
void box_on_plane_inverse_dynamics_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *tau);
void box_on_plane_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride, double *h);
void box_on_plane_gravity_batch(long n, const double *q, long q_stride, double *g);
void box_on_plane_mass_matrix_batch(long n, const double *q, long q_stride, double *M);

/* Joint forces tau of the open chain, by recursion in link frames. 30 mul, 22 add. */
void box_on_plane_inverse_dynamics(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict tau)
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
    const double a_box_x = 9.81*E_box_zx;
    const double a_box_y = 9.81*E_box_zy;
    const double a_box_z = 9.81*E_box_zz;
    const double neg_a_box_x = v[1]*v[5] - a_box_x - a[0] - v[2]*v[4];
    const double a_box_y_2 = a_box_y + a[1] + v[0]*v[5] - v[2]*v[3];
    const double neg_a_box_z = v[0]*v[4] - a_box_z - a[2] - v[1]*v[3];
    const double ww_box = v[3]*v[4];
    const double ww_box_2 = v[3]*v[5];
    const double ww_box_3 = v[4]*v[5];
    const double neg_U_box_xy = a[5] - ww_box;
    const double U_box_xz = ww_box_2 + a[4];
    const double U_box_yx = ww_box + a[5];
    const double neg_U_box_yz = a[3] - ww_box_3;
    const double neg_U_box_zx = a[4] - ww_box_2;
    const double U_box_zy = ww_box_3 + a[3];
    const double neg_f_box_x = 2.0*neg_a_box_x;
    tau[0] = -neg_f_box_x;
    const double f_box_y = 2.0*a_box_y_2;
    tau[1] = f_box_y;
    const double neg_f_box_z = 2.0*neg_a_box_z;
    tau[2] = -neg_f_box_z;
    const double n_box_x = 0.015*U_box_zy + 0.006666666666666675*neg_U_box_yz;
    tau[3] = n_box_x;
    const double n_box_y = 0.006666666666666675*U_box_xz + 0.026666666666666672*neg_U_box_zx;
    tau[4] = n_box_y;
    const double n_box_z = 0.026666666666666672*U_box_yx + 0.015*neg_U_box_xy;
    tau[5] = n_box_z;
}

void box_on_plane_inverse_dynamics_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *tau)
{
    for (long i = 0; i < n; i++)
        box_on_plane_inverse_dynamics(q + i*q_stride, v + i*v_stride, a + i*a_stride, tau + i*6);
}

/* Bias h(q, v): tau at zero acceleration. 27 mul, 10 add. */
void box_on_plane_bias(const double *restrict q, const double *restrict v, double *restrict h)
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
    const double a_box_x = 9.81*E_box_zx;
    const double a_box_y = 9.81*E_box_zy;
    const double a_box_z = 9.81*E_box_zz;
    const double neg_a_box_x = v[1]*v[5] - a_box_x - v[2]*v[4];
    const double a_box_y_2 = a_box_y + v[0]*v[5] - v[2]*v[3];
    const double neg_a_box_z = v[0]*v[4] - a_box_z - v[1]*v[3];
    const double ww_box = v[3]*v[4];
    const double ww_box_2 = v[3]*v[5];
    const double ww_box_3 = v[4]*v[5];
    const double neg_f_box_x = 2.0*neg_a_box_x;
    h[0] = -neg_f_box_x;
    const double f_box_y = 2.0*a_box_y_2;
    h[1] = f_box_y;
    const double neg_f_box_z = 2.0*neg_a_box_z;
    h[2] = -neg_f_box_z;
    const double n_box_x = 0.008333333333333325*ww_box_3;
    h[3] = n_box_x;
    const double neg_n_box_y = 0.019999999999999997*ww_box_2;
    h[4] = -neg_n_box_y;
    const double n_box_z = 0.011666666666666672*ww_box;
    h[5] = n_box_z;
}

void box_on_plane_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride, double *h)
{
    for (long i = 0; i < n; i++)
        box_on_plane_bias(q + i*q_stride, v + i*v_stride, h + i*6);
}

/* Gravity g(q): tau at rest. 15 mul, 4 add. */
void box_on_plane_gravity(const double *restrict q, double *restrict g)
{
    g[3] = 0.0;
    g[4] = 0.0;
    g[5] = 0.0;

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
    const double a_box_x = 9.81*E_box_zx;
    const double a_box_y = 9.81*E_box_zy;
    const double a_box_z = 9.81*E_box_zz;
    const double f_box_x = 2.0*a_box_x;
    g[0] = f_box_x;
    const double f_box_y = 2.0*a_box_y;
    g[1] = f_box_y;
    const double f_box_z = 2.0*a_box_z;
    g[2] = f_box_z;
}

void box_on_plane_gravity_batch(long n, const double *q, long q_stride, double *g)
{
    for (long i = 0; i < n; i++)
        box_on_plane_gravity(q + i*q_stride, g + i*6);
}

/* Mass matrix M by composite inertias. No operations. */
void box_on_plane_mass_matrix(const double *restrict q, double *restrict M)
{
    (void)q;
    for (int i = 0; i < 36; i++) M[i] = 0.0;
    M[0] = 2.0;
    M[7] = 2.0;
    M[14] = 2.0;
    M[21] = 0.021666666666666674;
    M[28] = 0.03333333333333335;
    M[35] = 0.04166666666666667;
}

void box_on_plane_mass_matrix_batch(long n, const double *q, long q_stride, double *M)
{
    for (long i = 0; i < n; i++)
        box_on_plane_mass_matrix(q + i*q_stride, M + i*36);
}

