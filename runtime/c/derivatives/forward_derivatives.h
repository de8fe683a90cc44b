/* Derivatives of forward dynamics: da/dx = -M^-1 dtau/dx at the acceleration a that tau gives, da/dtau = M^-1. The
 * tables factor_row, factor_column and factor_reach of the model stand before it. */

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

/* M = L'DL by whole vectors, last row to first: what stands right of the diagonal counts for nothing. */
static void factor_rows(wide_rows M, double *restrict iD, double *restrict L)
{
    for (int k = NV - 1; k >= 0; k--) {
        iD[k] = 1.0 / M[k][k];
        for (int e = factor_row[k]; e < factor_row[k + 1]; e++) {
            const int i = factor_column[e];
            L[e] = M[k][i] * iD[k];
            for (int c = 0; c <= i; c += KG_LANES)
                *kg_lanes_to(M[i] + c) -= L[e] * *kg_lanes_at(M[k] + c);
        }
    }
}

enum { PANELS = ROW_ROOM / KG_LANES };

/* A row of [dq | dv | unit matrix], KG_LANES columns of each side by side because each waits for itself. */
typedef kg_lanes wide_row[PANELS][3];

/* x = L'^-1 x, last row to first; row k has entries in columns below factor_reach[k] only, and those of the unit matrix
 * do not come before k. */
static void solve_upper(const double *restrict L, wide_row *restrict x)
{
    for (int k = NV - 1; k >= 0; k--)
        for (int c = 0; c * KG_LANES < factor_reach[k]; c++) {
            const kg_lanes first = x[k][c][0], second = x[k][c][1], third = x[k][c][2];
            const int begun = (c + 1) * KG_LANES > k;
            for (int e = factor_row[k]; e < factor_row[k + 1]; e++) {
                kg_lanes *above = x[factor_column[e]][c];
                above[0] -= L[e] * first;
                above[1] -= L[e] * second;
                if (begun)
                    above[2] -= L[e] * third;
            }
        }
}

/* x = -(D L)^-1 x, first row to last. */
static void solve_lower(const double *restrict L, const double *restrict iD, wide_row *restrict x)
{
    for (int k = 0; k < NV; k++)
        for (int c = 0; c * KG_LANES < NV; c++) {
            kg_lanes first = -iD[k] * x[k][c][0], second = -iD[k] * x[k][c][1], third = -iD[k] * x[k][c][2];
            for (int e = factor_row[k]; e < factor_row[k + 1]; e++) {
                kg_lanes *above = x[factor_column[e]][c];
                first -= L[e] * above[0];
                second -= L[e] * above[1];
                third -= L[e] * above[2];
            }
            x[k][c][0] = first;
            x[k][c][1] = second;
            x[k][c][2] = third;
        }
}

/* The three parts, (NV, NV) each. */
static void put_parts(wide_row *restrict x, double *restrict parts)
{
    for (int part = 0; part < 3; part++)
        for (int k = 0; k < NV; k++) {
            double *row = parts + (part * NV + k) * NV;
            for (int c = 0; c < NV / KG_LANES; c++)
                *kg_lanes_to(row + c * KG_LANES) = x[k][c][part];
            const double *last = (const double *)(const void *)&x[k][PANELS - 1][part];
            for (int i = 0; i < NV % KG_LANES; i++)
                row[NV - NV % KG_LANES + i] = last[i];
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
    KG_ALIGNED wide_row x[NV];
    double *entries = (double *)(void *)x;
    const entries_at at = {(int)(sizeof *x / sizeof *entries), 3 * KG_LANES};
    KERNEL(derivative_parts, q, t.S[0], lift, armature);
    moving_terms(&t, v);
    forced_terms(&t, v, 0, lift);
    accelerate(&t, armature, tau, iD, L, a);
    forced_terms(&t, v, a, lift);
    for (int i = 0; i < NV * at.row; i++)
        entries[i] = 0.0;
    add_derivatives(&t, at, entries, entries + KG_LANES);
    for (int i = 0; i < NV; i++)
        entries[2 * KG_LANES + entry_at(at, i, i)] = -1.0;
    solve_upper(L, x);
    solve_lower(L, iD, x);
    put_parts(x, da);
}

#endif
