/* four_bar: the packed mass matrix, several states at a time.
 *
 * The straight-line code of four_bar_packed.c, where its names are told, with a state in each lane of a vector; around
 * it functions that fill the lanes from arrays of states and empty them again. */

#include "kinegen/lanes/blocks.h"
#include "kinegen/lanes/functions.h"
#include "kinegen/lanes/sincos.h"

/* What is defined and called here, as four_bar.h declares it. */
long four_bar_mass_matrix_packed_lanes(long n, const double *q, long q_state, long q_entry, double *M, long M_state,
    long M_entry);
long four_bar_mass_matrix_product_lanes(long n, const double *M, long M_state, long M_entry, const double *x,
    long x_state, long x_entry, double *y, long y_state, long y_entry);
long four_bar_mass_matrix_solve_lanes(long n, const double *M, long M_state, long M_entry, const double *b,
    long b_state, long b_entry, double *x, long x_state, long x_entry);

/* Mass matrix M by unit vectors, packed. 20 mul, 17 add, 2 sincos. */
static void mass_matrix_packed_wide(const kg_wide *restrict q, kg_wide *restrict M)
{
    kg_wide s[KG_ROUND_UP(2)], c[KG_ROUND_UP(2)];
    kg_wide_sincos(2, q + 1, s, c);
    M[5] = kg_splat(0.02133333333333334);

    /* coupler */
    const kg_wide neg_a_coupler_x = 0.2*c[0];
    const kg_wide a_coupler_y = 0.2*s[0];
    const kg_wide n_coupler_z = 0.14166666666666666 + 0.325*neg_a_coupler_x;

    /* rocker */
    const kg_wide neg_ap_rocker_x = neg_a_coupler_x + 0.5;
    const kg_wide a_rocker_x = s[1]*a_coupler_y - c[1]*neg_ap_rocker_x;
    const kg_wide n_rocker_z = 0.02133333333333334 - 0.08000000000000002*a_rocker_x;

    /* rocker, back */
    const kg_wide neg_fp_rocker_x = 0.08000000000000002*c[1];
    const kg_wide neg_fp_rocker_y = 0.08000000000000002*s[1];
    const kg_wide neg_f_coupler_x = 0.325 + neg_fp_rocker_x;
    const kg_wide n_coupler_z_2 = n_coupler_z + n_rocker_z + 0.5*neg_fp_rocker_x;

    /* coupler, back */
    const kg_wide fp_coupler_x = s[0]*neg_fp_rocker_y - c[0]*neg_f_coupler_x;
    const kg_wide n_crank_z = 0.03866666666666667 + n_coupler_z_2 - 0.2*fp_coupler_x;
    M[0] = n_crank_z;

    /* rocker */
    const kg_wide neg_a_rocker_x = 0.5*c[1];
    const kg_wide n_rocker_z_2 = 0.02133333333333334 + 0.08000000000000002*neg_a_rocker_x;

    /* rocker, back */
    const kg_wide n_coupler_z_3 = 0.14166666666666666 + n_rocker_z_2 + 0.5*neg_fp_rocker_x;
    M[2] = n_coupler_z_3;

    /* coupler, back */
    const kg_wide neg_n_crank_z = 0.2*fp_coupler_x - n_coupler_z_3;
    M[1] = -neg_n_crank_z;

    /* rocker, back */
    const kg_wide n_coupler_z_4 = 0.02133333333333334 + 0.5*neg_fp_rocker_x;
    M[4] = n_coupler_z_4;

    /* coupler, back */
    const kg_wide fp_coupler_x_2 = s[0]*neg_fp_rocker_y - c[0]*neg_fp_rocker_x;
    const kg_wide n_crank_z_2 = n_coupler_z_4 - 0.2*fp_coupler_x_2;
    M[3] = n_crank_z_2;
}

/* M x of a packed mass matrix. 9 mul, 6 add. */
static void mass_matrix_product_wide(const kg_wide *restrict M, const kg_wide *restrict x, kg_wide *restrict y)
{

    /* row 2 */
    const kg_wide y_2 = M[3]*x[0] + M[4]*x[1] + M[5]*x[2];
    y[2] = y_2;
    const kg_wide y_0 = M[3]*x[2];
    const kg_wide y_1 = M[4]*x[2];

    /* row 1 */
    const kg_wide y_1_2 = y_1 + M[1]*x[0] + M[2]*x[1];
    y[1] = y_1_2;
    const kg_wide y_0_2 = y_0 + M[1]*x[1];

    /* row 0 */
    const kg_wide y_0_3 = y_0_2 + M[0]*x[0];
    y[0] = y_0_3;
}

/* x of M x = b of a packed mass matrix. 16 mul, 10 add, 3 div. */
static void mass_matrix_solve_wide(const kg_wide *restrict M, const kg_wide *restrict b, kg_wide *restrict x)
{

    /* row 2 */
    const kg_wide iD_2 = 1.0/M[5];
    const kg_wide L_2_0 = M[3]*iD_2;
    const kg_wide L_2_1 = M[4]*iD_2;
    const kg_wide M_0_0 = M[0] - M[3]*L_2_0;
    const kg_wide M_1_0 = M[1] - M[3]*L_2_1;
    const kg_wide M_1_1 = M[2] - M[4]*L_2_1;

    /* row 1 */
    const kg_wide iD_1 = 1.0/M_1_1;
    const kg_wide L_1_0 = M_1_0*iD_1;
    const kg_wide M_0_0_2 = M_0_0 - M_1_0*L_1_0;

    /* row 0 */
    const kg_wide iD_0 = 1.0/M_0_0_2;
    const kg_wide y_1 = b[1] - b[2]*L_2_1;
    const kg_wide y_0 = b[0] - b[2]*L_2_0 - L_1_0*y_1;
    const kg_wide x_0 = iD_0*y_0;
    x[0] = x_0;
    const kg_wide x_1 = iD_1*y_1 - L_1_0*x_0;
    x[1] = x_1;
    const kg_wide x_2 = b[2]*iD_2 - L_2_0*x_0 - L_2_1*x_1;
    x[2] = x_2;
}

long four_bar_mass_matrix_packed_lanes(long n, const double *q, long q_state, long q_entry, double *M, long M_state,
    long M_entry)
{
    enum { TOGETHER = KG_TOGETHER(9, 1) };
    kg_wide many_q[TOGETHER*3];
    kg_wide many_M[TOGETHER*6];
    const int most = M_state == 1 ? TOGETHER : 1;
    long first = -1;
    const long lead = kg_lead(n, M, M_state, M_entry);
    const int past = kg_past_cache(n, 6, M_state, M_entry);
    for (long i = 0, states; i < n; i += states) {
        states = kg_least_of(n - i, i < lead ? lead : most * KG_WIDTH);
        const int blocks = kg_blocks(states, most);
        kg_fill_blocks(3, states, q + i*q_state, q_state, q_entry, many_q);
        for (int block = 0; block < blocks; block++)
            mass_matrix_packed_wide(many_q + block*3, many_M + block*6);
        for (int block = 0; block < blocks; block++) {
            const int count = kg_states(states, block * KG_WIDTH);
            kg_wide seen[4] = {kg_splat(0.0), kg_splat(0.0), kg_splat(0.0), kg_splat(0.0)};
            kg_wide *const wide_q = many_q + block*3;
            kg_look_small(3, wide_q, seen);
            const int bad = first < 0 ? kg_seen(count, seen) : -1;
            if (bad >= 0)
                first = i + block * KG_WIDTH + bad;
        }
        kg_empty_blocks(6, states, 0, many_M, 6, M + i*M_state, M_state, M_entry, past);
    }
    kg_end_past(past);
    return first;
}

long four_bar_mass_matrix_product_lanes(long n, const double *M, long M_state, long M_entry, const double *x,
    long x_state, long x_entry, double *y, long y_state, long y_entry)
{
    enum { TOGETHER = KG_TOGETHER(12, 1) };
    kg_wide many_M[TOGETHER*6];
    kg_wide many_x[TOGETHER*3];
    kg_wide many_y[TOGETHER*3];
    const int most = y_state == 1 ? TOGETHER : 1;
    long first = -1;
    const long lead = kg_lead(n, y, y_state, y_entry);
    const int past = kg_past_cache(n, 3, y_state, y_entry);
    for (long i = 0, states; i < n; i += states) {
        states = kg_least_of(n - i, i < lead ? lead : most * KG_WIDTH);
        const int blocks = kg_blocks(states, most);
        kg_fill_blocks(6, states, M + i*M_state, M_state, M_entry, many_M);
        kg_fill_blocks(3, states, x + i*x_state, x_state, x_entry, many_x);
        for (int block = 0; block < blocks; block++)
            mass_matrix_product_wide(many_M + block*6, many_x + block*3, many_y + block*3);
        for (int block = 0; block < blocks; block++) {
            const int count = kg_states(states, block * KG_WIDTH);
            kg_wide seen[4] = {kg_splat(0.0), kg_splat(0.0), kg_splat(0.0), kg_splat(0.0)};
            kg_wide *const wide_y = many_y + block*3;
            kg_look_finite(3, wide_y, seen);
            const int bad = first < 0 ? kg_seen(count, seen) : -1;
            if (bad >= 0)
                first = i + block * KG_WIDTH + bad;
        }
        kg_empty_blocks(3, states, 0, many_y, 3, y + i*y_state, y_state, y_entry, past);
    }
    kg_end_past(past);
    return first;
}

long four_bar_mass_matrix_solve_lanes(long n, const double *M, long M_state, long M_entry, const double *b,
    long b_state, long b_entry, double *x, long x_state, long x_entry)
{
    enum { TOGETHER = KG_TOGETHER(12, 1) };
    kg_wide many_M[TOGETHER*6];
    kg_wide many_b[TOGETHER*3];
    kg_wide many_x[TOGETHER*3];
    const int most = x_state == 1 ? TOGETHER : 1;
    long first = -1;
    const long lead = kg_lead(n, x, x_state, x_entry);
    const int past = kg_past_cache(n, 3, x_state, x_entry);
    for (long i = 0, states; i < n; i += states) {
        states = kg_least_of(n - i, i < lead ? lead : most * KG_WIDTH);
        const int blocks = kg_blocks(states, most);
        kg_fill_blocks(6, states, M + i*M_state, M_state, M_entry, many_M);
        kg_fill_blocks(3, states, b + i*b_state, b_state, b_entry, many_b);
        for (int block = 0; block < blocks; block++)
            mass_matrix_solve_wide(many_M + block*6, many_b + block*3, many_x + block*3);
        for (int block = 0; block < blocks; block++) {
            const int count = kg_states(states, block * KG_WIDTH);
            kg_wide seen[4] = {kg_splat(0.0), kg_splat(0.0), kg_splat(0.0), kg_splat(0.0)};
            kg_wide *const wide_M = many_M + block*6;
            kg_wide *const wide_x = many_x + block*3;
            kg_look_finite(1, wide_M, seen);
            kg_look_finite(1, wide_M + 2, seen);
            kg_look_finite(1, wide_M + 5, seen);
            kg_look_finite(3, wide_x, seen);
            const int bad = first < 0 ? kg_seen(count, seen) : -1;
            if (bad >= 0)
                first = i + block * KG_WIDTH + bad;
        }
        kg_empty_blocks(3, states, 0, many_x, 3, x + i*x_state, x_state, x_entry, past);
    }
    kg_end_past(past);
    return first;
}

