/* Derivatives of forward dynamics: da/dx = -M^-1 dtau/dx at the acceleration a that tau gives, da/dtau = M^-1. The
 * tables factor_row, factor_column and related_row, related_begin, related_end of the model stand before it. */

#ifndef KINEGEN_DERIVATIVES_FORWARD_H
#define KINEGEN_DERIVATIVES_FORWARD_H

#include "../linear/branch_factor.h"
#include "pairs.h"

enum { ROW_ROOM = KG_ROOM(NV) };

typedef double wide_rows[NV][ROW_ROOM];

/* h (NV): tau of the wrenches F. */
static void add_torques(tree_terms *t, double *restrict h)
{
    for (int i = 0; i < TREE_AXES; i++)
        for (int c = 0; c < 6; c++)
            h[axis_dof[i]] += t->S[c][i] * t->F[c][i];
}

/* The row before k if both are taken together, else k: along the links of a chain row k of L has the entries of row
 * k - 1 and then one for that row, so that both have to do with the same rows above. */
static inline int partner(int k)
{
    const int one_more = k > 0 && factor_row[k + 1] - factor_row[k] == factor_row[k] - factor_row[k - 1] + 1;
    return one_more && factor_column[factor_row[k + 1] - 1] == k - 1 ? k - 1 : k;
}

/* The pivot of row k of M and the entries of L. */
static inline void divide_row(int k, wide_rows M, double *restrict iD, double *restrict L)
{
    iD[k] = 1.0 / M[k][k];
    for (int e = factor_row[k]; e < factor_row[k + 1]; e++)
        L[e] = M[k][factor_column[e]] * iD[k];
}

/* M = L'DL by whole vectors, last row to first: what stands right of the diagonal counts for nothing. */
static void factor_rows(wide_rows M, double *restrict iD, double *restrict L)
{
    for (int k = NV - 1, low; k >= 0; k = low - 1) {
        low = partner(k);
        divide_row(k, M, iD, L);
        if (low < k) {
            for (int c = 0; c <= low; c += KG_LANES)
                *kg_lanes_to(M[low] + c) -= L[factor_row[k + 1] - 1] * *kg_lanes_at(M[k] + c);
            divide_row(low, M, iD, L);
        }
        for (int m = 0; m < factor_row[low + 1] - factor_row[low]; m++) {
            const double first = low < k ? L[factor_row[k] + m] : 0.0, second = L[factor_row[low] + m];
            const int i = factor_column[factor_row[low] + m];
            for (int c = 0; c <= i; c += KG_LANES)
                *kg_lanes_to(M[i] + c) = *kg_lanes_at(M[i] + c) - first * *kg_lanes_at(M[k] + c)
                    - second * *kg_lanes_at(M[low] + c);
        }
    }
}

/* Rows low and k, one or two that are partners, of x = L'^-1 x, taken from those above them: a vector from column c on
 * of each of the first `parts`. */
static inline void take_rows(int parts, int k, int low, int c, const double *restrict L, wide_rows *restrict x)
{
    kg_lanes first[3], second[3];
    for (int part = 0; part < parts; part++) {
        first[part] = *kg_lanes_at(x[part][k] + c);
        second[part] = *kg_lanes_at(x[part][low] + c);
        if (low < k)
            *kg_lanes_to(x[part][low] + c) = second[part] -= L[factor_row[k + 1] - 1] * first[part];
    }
    for (int m = 0; m < factor_row[low + 1] - factor_row[low]; m++) {
        const int i = factor_column[factor_row[low] + m];
        const double of_first = low < k ? L[factor_row[k] + m] : 0.0, of_second = L[factor_row[low] + m];
        for (int part = 0; part < parts; part++)
            *kg_lanes_to(x[part][i] + c) = *kg_lanes_at(x[part][i] + c) - of_first * first[part]
                - of_second * second[part];
    }
}

/* x = L'^-1 x of dq, dv and the unit matrix, last row to first: row k has entries in the runs of columns of
 * related_begin and related_end alone, of the unit matrix none before column k. */
static void solve_upper(const double *restrict L, wide_rows *restrict x)
{
    for (int k = NV - 1, low; k >= 0; k = low - 1) {
        low = partner(k);
        for (int run = related_row[low], c = 0; run < related_row[low + 1]; run++) {
            const int begin = related_begin[run] / KG_LANES * KG_LANES, end = related_end[run];
            for (c = c > begin ? c : begin; c < end && c + KG_LANES <= low; c += KG_LANES)
                take_rows(2, k, low, c, L, x);
            for (; c < end; c += KG_LANES)
                take_rows(3, k, low, c, L, x);
        }
    }
}

/* Vectors of a row, and how many of them are taken side by side, since each waits for itself. */
enum { PANELS = ROW_ROOM / KG_LANES, CHAINS = 5, LAST = (PANELS - 1) / CHAINS * CHAINS };

/* A vector from column c on, to a row of x and to one of NV numbers. */
static inline void put_vector(int c, const kg_lanes sum, double *restrict x, double *restrict result)
{
    *kg_lanes_to(x + c) = sum;
    if (c + KG_LANES <= NV)
        *kg_lanes_to(result + c) = sum;
    else
        for (int e = c; e < NV; e++)
            result[e] = x[e];
}

/* Rows low and high, one or two that are partners, of x = -(D L)^-1 x: n vectors from column c on, into both. */
static inline void finish_rows(int n, int low, int high, int c, const double *restrict L, const double *restrict iD,
    double (*restrict x)[ROW_ROOM], double *restrict result)
{
    kg_lanes first[CHAINS], second[CHAINS];
    for (int i = 0; i < n; i++) {
        first[i] = -iD[low] * *kg_lanes_at(x[low] + c + i * KG_LANES);
        second[i] = -iD[high] * *kg_lanes_at(x[high] + c + i * KG_LANES);
    }
    for (int m = 0; m < factor_row[low + 1] - factor_row[low]; m++) {
        const double *above = x[factor_column[factor_row[low] + m]] + c;
        const double of_first = L[factor_row[low] + m], of_second = L[factor_row[high] + m];
        for (int i = 0; i < n; i++) {
            const kg_lanes given = *kg_lanes_at(above + i * KG_LANES);
            first[i] -= of_first * given;
            second[i] -= of_second * given;
        }
    }
    for (int i = 0; i < n; i++) {
        const int at = c + i * KG_LANES;
        put_vector(at, first[i], x[low], result + low * NV);
        if (high > low)
            put_vector(at, second[i] - L[factor_row[high + 1] - 1] * first[i], x[high], result + high * NV);
    }
}

/* result (NV, NV) = -(D L)^-1 x, first row to last. */
static inline void solve_lower(
    const double *restrict L, const double *restrict iD, double (*restrict x)[ROW_ROOM], double *restrict result)
{
    for (int low = 0, high; low < NV; low = high + 1) {
        high = low + 1 < NV && partner(low + 1) == low ? low + 1 : low;
        for (int c = 0; c < LAST; c += CHAINS)
            finish_rows(CHAINS, low, high, c * KG_LANES, L, iD, x, result);
        finish_rows(PANELS - LAST, low, high, LAST * KG_LANES, L, iD, x, result);
    }
}

/* M, its factor and the accelerations a (NV) under tau; the terms without them. */
static void accelerate(tree_terms *t, const double *restrict armature, const double *restrict tau, double *restrict iD,
    double *restrict L, double *restrict a)
{
    KG_ALIGNED wide_rows M = {{0.0}};
    double h[NV] = {0.0};
    add_mass_matrix(t, armature, ROW_ROOM, M[0]);
    add_torques(t, h);
    factor_rows(M, iD, L);
    for (int i = 0; i < NV; i++)
        a[i] = tau[i] - h[i];
    for (int k = NV - 1; k >= 0; k--)
        for (int e = factor_row[k]; e < factor_row[k + 1]; e++)
            a[factor_column[e]] -= L[e] * a[k];
    for (int i = 0; i < NV; i++)
        a[i] *= iD[i];
    kg_finish_branches(NV, factor_row, factor_column, L, a, a);
}

/* da (3, NV, NV): da/dq on the tangent space, da/dv, da/dtau. */
static void forward_derivatives(const double *p, const double *restrict q, const double *restrict v,
    const double *restrict tau, double *restrict da)
{
    KG_ALIGNED tree_terms t;
    double lift[3 * TREE_AXES], armature[NV], iD[NV], L[sizeof factor_column / sizeof *factor_column], a[NV];
    KG_ALIGNED wide_rows x[3] = {{{0.0}}}; /* dq, dv, unit matrix */
    KERNEL(derivative_parts, q, t.S[0], lift, armature);
    moving_terms(&t, v);
    forced_terms(&t, v, 0, lift);
    accelerate(&t, armature, tau, iD, L, a);
    forced_terms(&t, v, a, lift);
    add_derivatives(&t, (wanted){ROW_ROOM, x[0][0], x[1][0], 0});
    for (int i = 0; i < NV; i++)
        x[2][i][i] = -1.0;
    solve_upper(L, x);
    for (int part = 0; part < 3; part++)
        solve_lower(L, iD, x[part], da + part * NV * NV);
}

#endif
