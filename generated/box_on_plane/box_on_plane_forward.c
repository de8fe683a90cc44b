/* box_on_plane: forward dynamics.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * ww: products of entries of w
 * f, fp, n: force and moment about the link's origin; p: in the parent's axes
 * q2, qq, E: twice a quaternion's entries, their products, its rotation
 * r, rr: arm, or right-hand side; products of its entries
 * y, x: M x = r half solved, solved
 */

#include "box_on_plane_model.h"
#include <math.h>
#include "kinegen/linear/real.h"

/* What is defined and called here, as box_on_plane.h declares it. */
void box_on_plane_forward_dynamics(const double *q, const double *v, const double *tau, double *a);
void box_on_plane_forward_dynamics_damped(const double *q, const double *v, const double *tau, const double *d,
    double *a);
void box_on_plane_mass_matrix(const double *q, double *M);
void box_on_plane_bias(const double *q, const double *v, double *h);
void box_on_plane_forward_dynamics_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *a);
void box_on_plane_forward_dynamics_damped_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, const double *d, long d_stride, double *a);

/* Acceleration by M = L'DL. 33 mul, 16 add. */
void box_on_plane_forward_dynamics(const double *restrict q, const double *restrict v, const double *restrict tau,
    double *restrict a)
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
    const double f_box_y = 2.0*a_box_y_2;
    const double neg_f_box_z = 2.0*neg_a_box_z;
    const double n_box_x = 0.008333333333333325*ww_box_3;
    const double neg_n_box_y = 0.019999999999999997*ww_box_2;
    const double n_box_z = 0.011666666666666672*ww_box;

    /* box, back */
    const double r = tau[0] + neg_f_box_x;
    const double r_2 = tau[1] - f_box_y;
    const double r_3 = tau[2] + neg_f_box_z;
    const double r_4 = tau[3] - n_box_x;
    const double r_5 = tau[4] + neg_n_box_y;
    const double r_6 = tau[5] - n_box_z;

    /* row 0 */
    const double x_0 = 0.5*r;
    a[0] = x_0;
    const double x_1 = 0.5*r_2;
    a[1] = x_1;
    const double x_2 = 0.5*r_3;
    a[2] = x_2;
    const double x_3 = 46.15384615384614*r_4;
    a[3] = x_3;
    const double x_4 = 29.99999999999999*r_5;
    a[4] = x_4;
    const double x_5 = 23.999999999999996*r_6;
    a[5] = x_5;
}

void box_on_plane_forward_dynamics_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *a)
{
    for (long i = 0; i < n; i++)
        box_on_plane_forward_dynamics(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, a + i*6);
}

/* Where each row of L of M = L'DL begins. */
static const int factor_row[] = {0, 0, 1, 3, 6, 10, 15};
/* The columns in which its entries stand. */
static const int factor_column[] = {0, 0, 1, 0, 1, 2, 0, 1, 2, 3, 0, 1, 2, 3, 4};

#include "kinegen/tree/forward_dynamics_damped.h"

/* Acceleration a of (M + diag d) a = tau - h. */
void box_on_plane_forward_dynamics_damped(const double *restrict q, const double *restrict v,
    const double *restrict tau, const double *restrict d, double *restrict a)
{
    forward_dynamics_damped(0, q, v, tau, d, a);
}

void box_on_plane_forward_dynamics_damped_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, const double *d, long d_stride, double *a)
{
    for (long i = 0; i < n; i++)
        box_on_plane_forward_dynamics_damped(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, d + i*d_stride,
            a + i*6);
}
