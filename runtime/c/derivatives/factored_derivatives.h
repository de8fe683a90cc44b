/* Derivatives of forward dynamics by the entries of dtau and of M, and the factor of M: of few axes, and where joints
 * follow others, so that an entry of v moves several axes. The tables factor_row and factor_column of the model stand
 * before it. */

#ifndef KINEGEN_DERIVATIVES_FACTORED_H
#define KINEGEN_DERIVATIVES_FACTORED_H

#include "../linear/branch_factor.h"
#include "pairs.h"

/* h (NV): tau of the wrenches F. */
static void add_torques(tree_terms *t, double *restrict h)
{
    for (int i = 0; i < TREE_AXES; i++)
        for (int c = 0; c < 6; c++)
            h[axis_dof[i]] += t->S[c][i] * t->F[c][i];
}

/* partner (NV): the row before k if both are taken together, since they have to do with the same rows above; else k. */
static inline void find_partners(int *partner)
{
    for (int k = 0; k < NV; k++)
        partner[k] = kg_next_of_chain(factor_row, factor_column, k);
}

/* Vectors of each part that are solved for together: two of short ones, which are fewer numbers than can wait. */
enum { WIDTH = KG_LANES < 8 ? 2 : 1, COLUMNS = WIDTH * KG_LANES };

/* As many columns of dq, dv and the unit matrix. */
typedef struct {
    kg_lanes x[NV][3 * WIDTH];
} panel;

/* Rows low and high, one or two that are partners, of the first n vectors of x = L'^-1 x, taken from those above. */
static inline void take_rows(int n, int low, int high, const double *restrict L, panel *restrict of)
{
    kg_lanes first[3 * WIDTH], second[3 * WIDTH];
    for (int i = 0; i < n; i++) {
        first[i] = of->x[low][i];
        second[i] = of->x[high][i];
        if (low < high)
            of->x[low][i] = first[i] -= L[factor_row[high + 1] - 1] * second[i];
    }
    for (int m = 0; m < factor_row[low + 1] - factor_row[low]; m++) {
        kg_lanes *above = of->x[factor_column[factor_row[low] + m]];
        const double of_low = L[factor_row[low] + m], of_high = low < high ? L[factor_row[high] + m] : 0.0;
        for (int i = 0; i < n; i++)
            above[i] = above[i] - of_low * first[i] - of_high * second[i];
    }
}

/* x = L'^-1 x, last row to first, of those that have entries; of the unit matrix none has them below the block. */
static inline void solve_upper(axis_block block, const int *partner, const double *restrict L, panel *restrict of)
{
    for (int high = NV - 1, low; high >= 0; high = low - 1) {
        low = partner[high];
        if (ONE_BY_ONE && !has_above(block, low) && !has_below(block, low))
            continue;
        if (low < block.k + block.count)
            take_rows(3 * WIDTH, low, high, L, of);
        else
            take_rows(2 * WIDTH, low, high, L, of);
    }
}

/* Rows low and high, one or two that are partners, of x = -(D L)^-1 x. */
static inline void finish_rows(
    int low, int high, const double *restrict L, const double *restrict iD, panel *restrict of)
{
    kg_lanes first[3 * WIDTH], second[3 * WIDTH];
    for (int i = 0; i < 3 * WIDTH; i++) {
        first[i] = -iD[low] * of->x[low][i];
        second[i] = -iD[high] * of->x[high][i];
    }
    for (int m = 0; m < factor_row[low + 1] - factor_row[low]; m++) {
        const kg_lanes *above = of->x[factor_column[factor_row[low] + m]];
        const double of_low = L[factor_row[low] + m], of_high = L[factor_row[high] + m];
        for (int i = 0; i < 3 * WIDTH; i++) {
            first[i] -= of_low * above[i];
            second[i] -= of_high * above[i];
        }
    }
    for (int i = 0; i < 3 * WIDTH; i++) {
        of->x[low][i] = first[i];
        if (low < high)
            of->x[high][i] = second[i] - L[factor_row[high + 1] - 1] * first[i];
    }
}

/* x = -(D L)^-1 x, first row to last, to columns k ... of da (3, NV, NV). */
static inline void solve_lower(int k, const int *partner, const double *restrict L, const double *restrict iD,
    panel *restrict of, double *restrict da)
{
    for (int low = 0, high; low < NV; low = high + 1) {
        high = low + 1 < NV && partner[low + 1] == low ? low + 1 : low;
        finish_rows(low, high, L, iD, of);
        for (int row = low; row <= high; row++)
            for (int i = 0; i < 3 * WIDTH; i++)
                put_columns(of->x[row][i], k + i % WIDTH * KG_LANES, da + (i / WIDTH * NV + row) * NV);
    }
}

/* Of dq, dv and the negative unit matrix; dtau (2, NV, NV): the first two, where joints follow others. */
static inline void take_panel(const tree_terms *t, int k, const double *restrict dtau, panel *restrict of)
{
    static const double unit[2 * KG_LANES] = {[KG_LANES] = -1.0};
    double *x = (double *)(void *)of->x;
    for (int i = 0; ONE_BY_ONE && i < WIDTH; i++) {
        const axis_block block = block_at(k + i * KG_LANES, KG_LANES);
        for (int r = 0; r < NV; r++) {
            kg_lanes found[2] = {{0.0}};
            add_row(t, 2, r, block, found);
            of->x[r][i] = found[0];
            of->x[r][WIDTH + i] = found[1];
        }
    }
    for (int r = 0; r < NV; r++) {
        for (int i = 0; i < WIDTH; i++)
            of->x[r][2 * WIDTH + i] = (kg_lanes){0.0};
        for (int i = 0; !ONE_BY_ONE && i < 2 * COLUMNS; i++)
            x[3 * r * COLUMNS + i] = k + i % COLUMNS < NV ? dtau[(i / COLUMNS * NV + r) * NV + k + i % COLUMNS] : 0.0;
    }
    for (int i = 0; i < COLUMNS && k + i < NV; i++) /* whole vectors: those who read them would wait for a number */
        of->x[k + i][2 * WIDTH + i / KG_LANES] = *kg_lanes_at(unit + KG_LANES - i % KG_LANES);
}

/* M, its factor and the accelerations a (NV) under tau; the terms without them. */
static void accelerate(tree_terms *t, const double *restrict armature, const double *restrict tau, double *restrict iD,
    double *restrict L, double *restrict a)
{
    double M[NV * NV], h[NV] = {0.0};
    find_mass_matrix(t, armature, M);
    add_torques(t, h);
    for (int i = 0; i < NV; i++)
        a[i] = tau[i] - h[i];
    kg_factor_branches(NV, factor_row, factor_column, M, iD, L, a);
    for (int i = 0; i < NV; i++)
        a[i] *= iD[i];
    kg_finish_branches(NV, factor_row, factor_column, L, a, a);
}

/* da (3, NV, NV), of the terms under no accelerations. */
static void factored_derivatives(
    tree_terms *t, const double *restrict tau, const double *restrict armature, double *restrict da)
{
    double iD[NV], L[sizeof factor_column / sizeof *factor_column], a[NV], dtau[ONE_BY_ONE ? 1 : 2 * NV * NV];
    KG_ALIGNED panel of;
    int partner[NV];
    find_partners(partner);
    accelerate(t, armature, tau, iD, L, a);
    join_accelerations(t, a);
    answers(t);
    if (!ONE_BY_ONE)
        find_derivatives(t, 2, dtau);
    for (int k = 0; k < NV; k += COLUMNS) {
        take_panel(t, k, dtau, &of);
        solve_upper(block_at(k, COLUMNS), partner, L, &of);
        solve_lower(k, partner, L, iD, &of, da);
    }
}

#endif
