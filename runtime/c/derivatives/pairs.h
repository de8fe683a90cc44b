/* Entries of the derivatives: every axis with the axes on its path. */

#ifndef KINEGEN_DERIVATIVES_PAIRS_H
#define KINEGEN_DERIVATIVES_PAIRS_H

#include "terms.h"

/* out += (B x, x x c) of Q = [B; c] and an angular velocity x. */
static inline void add_swept(const kg_lanes *Q, const kg_lanes *x, kg_lanes *out)
{
    for (int r = 0; r < 3; r++)
        out[r] += Q[3 * r] * x[0] + Q[3 * r + 1] * x[1] + Q[3 * r + 2] * x[2];
    kg_lanes_add_cross(x, Q + 9, out + 3);
}

/* b = B' w + c x u */
static inline void answer_of(const kg_lanes *Q, const kg_lanes *S, kg_lanes *b)
{
    kg_lanes_cross(Q + 9, S + 3, b);
    for (int c = 0; c < 3; c++)
        b[c] += Q[c] * S[0] + Q[3 + c] * S[1] + Q[6 + c] * S[2];
}

/* What the subtree of each axis answers. */
static void answers(tree_terms *t)
{
    for (int k = 0; k < AXIS_ROOM; k += KG_LANES) {
        kg_lanes S[6], J[10], Q[12], x[6], F[6], by[6], b[3];
        take(6, t->S, k, S);
        take(10, t->total, k, J);
        take(12, t->Q, k, Q);
        take(6, t->D, k, x);
        kg_lanes_inertia(J, x, by);
        add_swept(Q, S, by);
        put(6, by, t->Fv, k);
        take(6, t->ddS, k, x);
        kg_lanes_inertia(J, x, by);
        take(6, t->dS, k, x);
        add_swept(Q, x, by);
        take(6, t->F, k, F); /* S x* F = (w x n + u x f, w x f) */
        kg_lanes_add_cross(S, F, by);
        kg_lanes_add_cross(S + 3, F + 3, by);
        kg_lanes_add_cross(S, F + 3, by + 3);
        put(6, by, t->Fc, k);
        answer_of(Q, S, b);
        put(3, b, t->b, k);
    }
}

/* sum += over c < n: x[c][j] rows[c] */
static inline void add_along(int n, axis_row *x, int j, const kg_lanes *rows, kg_lanes *sum)
{
    for (int c = 0; c < n; c++)
        *sum += x[c][j] * rows[c];
}

/* Where the axis stands in v; without joints that follow others, axes and entries of v are the same. */
static inline int dof_of(int axis)
{
    return TREE_AXES == NV ? axis : axis_dof[axis];
}

static inline void enter(double *entry, double x)
{
    *entry = TREE_AXES == NV ? x : *entry + x;
}

/* Matrices (NV, NV) in the making, rows of `stride` numbers: dtau/dq, dtau/dv, M (null: not wanted). */
typedef struct {
    int stride;
    double *dq, *dv, *M;
} wanted;

/* A block of axes k ... k + KG_LANES - 1 that all hang below axis j: whole vectors into row j. */
static inline void enter_below(const wanted *to, int k, int j, const kg_lanes *found)
{
    const double *x = (const double *)(const void *)found;
    const int row = j * to->stride + k;
    double *dq = to->dq + k * to->stride + j, *dv = to->dv + k * to->stride + j;
    *kg_lanes_to(to->dq + row) = found[2];
    *kg_lanes_to(to->dv + row) = found[3];
    for (int i = 0; i < KG_LANES; i++) {
        dq[i * to->stride] = x[i];
        dv[i * to->stride] = x[KG_LANES + i];
    }
    if (!to->M)
        return;
    *kg_lanes_to(to->M + row) = found[4];
    for (int i = 0; i < KG_LANES; i++)
        to->M[(k + i) * to->stride + j] = x[4 * KG_LANES + i];
}

/* Those of the block that do, and axes of the joint of j with j itself. Axes of one joint meet in the first two
 * matrices alone, each of them as j once. */
static inline void enter_some(const wanted *to, int k, int j, int end, const kg_lanes *found)
{
    const double *x = (const double *)(const void *)found;
    const int row = dof_of(j);
    for (int i = k > axis_first[j] ? k : axis_first[j]; i < end; i++) {
        enter(&to->dq[dof_of(i) * to->stride + row], x[i - k]);
        enter(&to->dv[dof_of(i) * to->stride + row], x[KG_LANES + i - k]);
    }
    for (int i = k > axis_end[j] ? k : axis_end[j] + 1; i < end; i++) {
        enter(&to->dq[row * to->stride + dof_of(i)], x[2 * KG_LANES + i - k]);
        enter(&to->dv[row * to->stride + dof_of(i)], x[3 * KG_LANES + i - k]);
    }
    for (int i = k > j ? k : j; to->M && i < end; i++) {
        enter(&to->M[dof_of(i) * to->stride + row], x[4 * KG_LANES + i - k]);
        if (TREE_AXES == NV || i != j)
            enter(&to->M[row * to->stride + dof_of(i)], x[4 * KG_LANES + i - k]);
    }
}

/* One past the last of axes k ... k + KG_LANES - 1 that hang below axis j, or are of its joint. */
static inline int end_below(int k, int j)
{
    return k + KG_LANES < axis_below[j] ? k + KG_LANES : axis_below[j];
}

static inline void enter_found(const wanted *to, int k, int j, const kg_lanes *found)
{
    const int end = end_below(k, j);
    if (TREE_AXES == NV && end == k + KG_LANES && axis_end[j] < k)
        enter_below(to, k, j, found);
    else
        enter_some(to, k, j, end, found);
}

/* Axes k ... k + KG_LANES - 1 with all axes on their paths. */
static inline void add_block(tree_terms *t, int k, const wanted *to)
{
    kg_lanes IS[6], b[3], Fc[6], Fv[6];
    take(6, t->IS, k, IS);
    take(3, t->b, k, b);
    take(6, t->Fc, k, Fc);
    take(6, t->Fv, k, Fv);
    for (int j = 0; j < TREE_AXES && axis_first[j] < k + KG_LANES; j++) {
        if (end_below(k, j) <= k)
            continue;
        kg_lanes found[5] = {{0.0}};
        add_along(6, t->ddS, j, IS, found);
        add_along(3, t->dS, j, b, found);
        add_along(6, t->D, j, IS, found + 1);
        add_along(3, t->S, j, b, found + 1);
        add_along(6, t->S, j, Fc, found + 2);
        add_along(6, t->S, j, Fv, found + 3);
        if (to->M)
            add_along(6, t->S, j, IS, found + 4);
        enter_found(to, k, j, found);
    }
}

/* Added to zeros. */
static inline void add_derivatives(tree_terms *t, const wanted to)
{
    answers(t);
    for (int k = 0; k < TREE_AXES; k += KG_LANES)
        add_block(t, k, &to);
}

static inline void add_armatures(const double *restrict armature, int stride, double *restrict M)
{
    for (int i = 0; i < NV; i++)
        M[(stride + 1) * i] += armature[i];
}

/* The lower triangle of M, rows of `stride` numbers, added to zeros. */
static inline void add_mass_matrix(tree_terms *t, const double *restrict armature, int stride, double *restrict M)
{
    for (int k = 0; k < TREE_AXES; k += KG_LANES) {
        kg_lanes IS[6];
        take(6, t->IS, k, IS);
        for (int j = 0; j < k + KG_LANES && j < TREE_AXES; j++) {
            const int end = end_below(k, j);
            if (end <= k)
                continue;
            kg_lanes found[1] = {{0.0}};
            add_along(6, t->S, j, IS, found);
            const double *m = (const double *)(const void *)found;
            for (int i = k > j ? k : j; i < end; i++) {
                const int row = dof_of(i), column = dof_of(j);
                enter(&M[row * stride + column], m[i - k]);
                if (TREE_AXES != NV && i != j)
                    enter(&M[column * stride + row], m[i - k]);
            }
        }
    }
    add_armatures(armature, stride, M);
}

#endif
