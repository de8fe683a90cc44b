/* four_bar: the packed mass matrix.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * f, fp, n: force and moment about the link's origin; p: in the parent's axes
 * I, H, M: articulated inertia [I H; H' M]; M also entries of the mass matrix
 * Un, Uf, D, iD: articulated inertia along the joint's axis, D = its entry there, iD = 1/D (also of M = L'DL)
 * P, Pp, L: momentum, or its rate: linear, p: in the parent's axes; angular (L also the factor of M = L'DL)
 * y, x: M x = r half solved, solved
 */

#include "kinegen/linear/sincos.h"

/* What is defined and called here, as four_bar.h declares it. */
void four_bar_mass_matrix_packed(const double *q, double *M);
void four_bar_mass_matrix_product(const double *M, const double *x, double *y);
void four_bar_mass_matrix_solve(const double *M, const double *b, double *x);
void four_bar_mass_matrix_packed_batch(long n, const double *q, long q_stride, double *M);
void four_bar_mass_matrix_product_batch(long n, const double *M, long M_stride, const double *x, long x_stride,
    double *y);
void four_bar_mass_matrix_solve_batch(long n, const double *M, long M_stride, const double *b, long b_stride,
    double *x);

/* Mass matrix M by unit vectors, packed. 20 mul, 17 add, 2 sincos. */
void four_bar_mass_matrix_packed(const double *restrict q, double *restrict M)
{
    double s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_sincos(2, q + 1, s, c);
    M[5] = 0.02133333333333334;

    /* coupler */
    const double neg_a_coupler_x = 0.2*c[0];
    const double a_coupler_y = 0.2*s[0];
    const double n_coupler_z = 0.14166666666666666 + 0.325*neg_a_coupler_x;

    /* rocker */
    const double neg_ap_rocker_x = neg_a_coupler_x + 0.5;
    const double a_rocker_x = s[1]*a_coupler_y - c[1]*neg_ap_rocker_x;
    const double n_rocker_z = 0.02133333333333334 - 0.08000000000000002*a_rocker_x;

    /* rocker, back */
    const double neg_fp_rocker_x = 0.08000000000000002*c[1];
    const double neg_fp_rocker_y = 0.08000000000000002*s[1];
    const double neg_f_coupler_x = 0.325 + neg_fp_rocker_x;
    const double n_coupler_z_2 = n_coupler_z + n_rocker_z + 0.5*neg_fp_rocker_x;

    /* coupler, back */
    const double fp_coupler_x = s[0]*neg_fp_rocker_y - c[0]*neg_f_coupler_x;
    const double n_crank_z = 0.03866666666666667 + n_coupler_z_2 - 0.2*fp_coupler_x;
    M[0] = n_crank_z;

    /* rocker */
    const double neg_a_rocker_x = 0.5*c[1];
    const double n_rocker_z_2 = 0.02133333333333334 + 0.08000000000000002*neg_a_rocker_x;

    /* rocker, back */
    const double n_coupler_z_3 = 0.14166666666666666 + n_rocker_z_2 + 0.5*neg_fp_rocker_x;
    M[2] = n_coupler_z_3;

    /* coupler, back */
    const double neg_n_crank_z = 0.2*fp_coupler_x - n_coupler_z_3;
    M[1] = -neg_n_crank_z;

    /* rocker, back */
    const double n_coupler_z_4 = 0.02133333333333334 + 0.5*neg_fp_rocker_x;
    M[4] = n_coupler_z_4;

    /* coupler, back */
    const double fp_coupler_x_2 = s[0]*neg_fp_rocker_y - c[0]*neg_fp_rocker_x;
    const double n_crank_z_2 = n_coupler_z_4 - 0.2*fp_coupler_x_2;
    M[3] = n_crank_z_2;
}

void four_bar_mass_matrix_packed_batch(long n, const double *q, long q_stride, double *M)
{
    for (long i = 0; i < n; i++)
        four_bar_mass_matrix_packed(q + i*q_stride, M + i*6);
}

/* M x of a packed mass matrix. 9 mul, 6 add. */
void four_bar_mass_matrix_product(const double *restrict M, const double *restrict x, double *restrict y)
{

    /* row 2 */
    const double y_2 = M[3]*x[0] + M[4]*x[1] + M[5]*x[2];
    y[2] = y_2;
    const double y_0 = M[3]*x[2];
    const double y_1 = M[4]*x[2];

    /* row 1 */
    const double y_1_2 = y_1 + M[1]*x[0] + M[2]*x[1];
    y[1] = y_1_2;
    const double y_0_2 = y_0 + M[1]*x[1];

    /* row 0 */
    const double y_0_3 = y_0_2 + M[0]*x[0];
    y[0] = y_0_3;
}

void four_bar_mass_matrix_product_batch(long n, const double *M, long M_stride, const double *x, long x_stride,
    double *y)
{
    for (long i = 0; i < n; i++)
        four_bar_mass_matrix_product(M + i*M_stride, x + i*x_stride, y + i*3);
}

/* x of M x = b of a packed mass matrix. 16 mul, 10 add, 3 div. */
void four_bar_mass_matrix_solve(const double *restrict M, const double *restrict b, double *restrict x)
{

    /* row 2 */
    const double iD_2 = 1.0/M[5];
    const double L_2_0 = M[3]*iD_2;
    const double L_2_1 = M[4]*iD_2;
    const double M_0_0 = M[0] - M[3]*L_2_0;
    const double M_1_0 = M[1] - M[3]*L_2_1;
    const double M_1_1 = M[2] - M[4]*L_2_1;

    /* row 1 */
    const double iD_1 = 1.0/M_1_1;
    const double L_1_0 = M_1_0*iD_1;
    const double M_0_0_2 = M_0_0 - M_1_0*L_1_0;

    /* row 0 */
    const double iD_0 = 1.0/M_0_0_2;
    const double y_1 = b[1] - b[2]*L_2_1;
    const double y_0 = b[0] - b[2]*L_2_0 - L_1_0*y_1;
    const double x_0 = iD_0*y_0;
    x[0] = x_0;
    const double x_1 = iD_1*y_1 - L_1_0*x_0;
    x[1] = x_1;
    const double x_2 = b[2]*iD_2 - L_2_0*x_0 - L_2_1*x_1;
    x[2] = x_2;
}

void four_bar_mass_matrix_solve_batch(long n, const double *M, long M_stride, const double *b, long b_stride,
    double *x)
{
    for (long i = 0; i < n; i++)
        four_bar_mass_matrix_solve(M + i*M_stride, b + i*b_stride, x + i*3);
}

