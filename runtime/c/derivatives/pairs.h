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
        put(6, by, t->Fq, k);
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

/* Where a matrix keeps entry (i, j): rows apart by `row`, and within them KG_LANES numbers after the other, such blocks
 * apart by `block`. */
typedef struct {
    int row, block;
} entries_at;

static inline int entry_at(entries_at at, int i, int j)
{
    return i * at.row + j / KG_LANES * at.block + j % KG_LANES;
}

/* Axes k ... k + KG_LANES - 1 with all axes on their paths. Axes of one joint meet in the first two alone, each of
 * them as j once. */
static inline void add_block(tree_terms *t, int k, entries_at at, double *restrict dq, double *restrict dv)
{
    kg_lanes IS[6], b[3], Fc[6], Fv[6];
    take(6, t->IS, k, IS);
    take(3, t->b, k, b);
    take(6, t->Fc, k, Fc);
    take(6, t->Fv, k, Fv);
    for (int j = 0; j < TREE_AXES && axis_first[j] < k + KG_LANES; j++) {
        const int end = k + KG_LANES < axis_below[j] ? k + KG_LANES : axis_below[j], row = dof_of(j);
        if (end <= k)
            continue;
        kg_lanes found[4] = {{0.0}};
        add_along(6, t->ddS, j, IS, found);
        add_along(3, t->dS, j, b, found);
        add_along(6, t->D, j, IS, found + 1);
        add_along(3, t->S, j, b, found + 1);
        add_along(6, t->S, j, Fc, found + 2);
        add_along(6, t->S, j, Fv, found + 3);
        const double *x = (const double *)(const void *)found;
        for (int i = k > axis_first[j] ? k : axis_first[j]; i < end; i++) {
            enter(&dq[entry_at(at, dof_of(i), row)], x[i - k]);
            enter(&dv[entry_at(at, dof_of(i), row)], x[KG_LANES + i - k]);
        }
        for (int i = k > axis_end[j] ? k : axis_end[j] + 1; i < end; i++) {
            enter(&dq[entry_at(at, row, dof_of(i))], x[2 * KG_LANES + i - k]);
            enter(&dv[entry_at(at, row, dof_of(i))], x[3 * KG_LANES + i - k]);
        }
    }
}

/* dtau/dq on the tangent space and dtau/dv, added to zeros. */
static inline void add_derivatives(tree_terms *t, entries_at at, double *restrict dq, double *restrict dv)
{
    answers(t);
    for (int k = 0; k < TREE_AXES; k += KG_LANES)
        add_block(t, k, at, dq, dv);
}

/* M, rows of `stride` numbers, added to zeros. */
static inline void add_mass_matrix(tree_terms *t, const double *restrict armature, int stride, double *restrict M)
{
    for (int k = 0; k < TREE_AXES; k += KG_LANES) {
        kg_lanes IS[6];
        take(6, t->IS, k, IS);
        for (int j = 0; j < k + KG_LANES && j < TREE_AXES; j++) {
            const int end = k + KG_LANES < axis_below[j] ? k + KG_LANES : axis_below[j];
            kg_lanes found[1] = {{0.0}};
            add_along(6, t->S, j, IS, found);
            const double *m = (const double *)(const void *)found;
            for (int i = k > j ? k : j; i < end; i++) {
                enter(&M[dof_of(i) * stride + dof_of(j)], m[i - k]);
                if (TREE_AXES == NV || i != j)
                    enter(&M[dof_of(j) * stride + dof_of(i)], m[i - k]);
            }
        }
    }
    for (int i = 0; i < NV; i++)
        M[(stride + 1) * i] += armature[i];
}

#endif
