/* Entries of the derivatives: rows of one axis by vectors of those on its path and of those below it. */

#ifndef KINEGEN_DERIVATIVES_PAIRS_H
#define KINEGEN_DERIVATIVES_PAIRS_H

#include <string.h>

#include "terms.h"

/* out += (B x, x x c) of Q = [B; c] and an angular velocity x. */
static inline void add_swept(const kg_lanes *Q, const kg_lanes *x, kg_lanes *out)
{
    for (int r = 0; r < 3; r++)
        out[r] += Q[3 * r] * x[0] + Q[3 * r + 1] * x[1] + Q[3 * r + 2] * x[2];
    kg_lanes_add_cross(x, Q + 9, out + 3);
}

/* ddS of axes k ... k + KG_LANES - 1. */
static inline void second_rates(tree_terms *t, int k, const kg_lanes *S, const kg_lanes *dS, kg_lanes *ddS)
{
    kg_lanes above[6], swept[6];
    take(6, t->A_above, k, above);
    kg_lanes_twist(above, S, ddS);
    take(6, t->V_above, k, above);
    kg_lanes_twist(above, dS, swept);
    for (int c = 0; c < 6; c++)
        ddS[c] += swept[c];
}

/* ddS, and what the subtree of each axis answers. */
static void answers(tree_terms *t)
{
    for (int k = 0; k < AXIS_ROOM; k += KG_LANES) {
        kg_lanes S[6], J[10], Q[12], x[6], ddS[6], F[6], by[6];
        take(6, t->S, k, S);
        take(10, t->total, k, J);
        take(12, t->Q, k, Q);
        take(6, t->D, k, x);
        kg_lanes_inertia(J, x, by);
        add_swept(Q, S, by);
        put(6, by, t->Fv, k);
        take(6, t->dS, k, x);
        second_rates(t, k, S, x, ddS);
        put(6, ddS, t->ddS, k);
        kg_lanes_inertia(J, ddS, by);
        add_swept(Q, x, by);
        take(6, t->F, k, F);
        kg_lanes_add_turned(S, F, by);
        put(6, by, t->Fc, k);
    }
}

/* Where an axis stands in v; without joints that follow others, axes and entries of v are the same. */
enum { ONE_BY_ONE = TREE_AXES == NV };

/* Whether one of the block may be on the path of axis r, or of its joint; whether one hangs below it. */
static inline int has_above(axis_block block, int r)
{
    return block.k <= axis_end[r] && r < block.end;
}

static inline int has_below(axis_block block, int r)
{
    return block.k + block.count > r + 1 && block.k < axis_below[r];
}

/* sum += over c < n: x[c][r] rows[c][k ...] */
static inline void add_along(int n, const axis_row *x, int r, const axis_row *rows, int k, kg_lanes *sum)
{
    for (int c = 0; c < n; c++)
        *sum += x[c][r] * *kg_lanes_at(rows[c] + k);
}

/* Row r of M by those of the block that are on its path, up to r. */
static inline kg_lanes mass_row(const tree_terms *t, int r, int k)
{
    const double row = r;
    kg_lanes found = {0.0};
    add_along(6, t->IS, r, t->S, k, &found);
    return kg_lanes_where((*kg_lanes_at(t->index + k) <= row) & (*kg_lanes_at(t->below + k) > row), found);
}

/* dtau_r by q and by v of those of the block on the path of r or of its joint, and M (n = 3; else n = 2) by those up to
 * r, added to found. */
static inline void add_above(const tree_terms *t, int n, int r, int k, kg_lanes *found)
{
    const double row = r;
    const kg_marks path = (*kg_lanes_at(t->first + k) <= row) & (*kg_lanes_at(t->below + k) > row);
    kg_lanes x[2] = {{0.0}};
    add_along(6, t->IS, r, t->ddS, k, x);
    add_along(3, t->b, r, t->dS, k, x);
    add_along(6, t->IS, r, t->D, k, x + 1);
    add_along(3, t->b, r, t->S, k, x + 1);
    for (int part = 0; part < 2; part++)
        found[part] += kg_lanes_where(path, x[part]);
    if (n > 2)
        found[2] += mass_row(t, r, k);
}

/* By those of the block that hang below it, M by those after it. */
static inline void add_below(const tree_terms *t, int n, int r, int k, kg_lanes *found)
{
    const double row = r, last = axis_end[r], end = axis_below[r];
    const kg_lanes index = *kg_lanes_at(t->index + k);
    kg_lanes x[3] = {{0.0}};
    add_along(6, t->S, r, t->Fc, k, x);
    add_along(6, t->S, r, t->Fv, k, x + 1);
    for (int part = 0; part < 2; part++)
        found[part] += kg_lanes_where((index > last) & (index < end), x[part]);
    if (n > 2) {
        add_along(6, t->S, r, t->IS, k, x + 2);
        found[2] += kg_lanes_where((index > row) & (index < end), x[2]);
    }
}

static inline void add_row(const tree_terms *t, int n, int r, axis_block block, kg_lanes *found)
{
    if (has_above(block, r))
        add_above(t, n, r, block.k, found);
    if (has_below(block, r))
        add_below(t, n, r, block.k, found);
}

/* Columns k ... k + KG_LANES - 1 of a row of NV numbers, those that there are. */
static inline void put_columns(const kg_lanes found, int k, double *row)
{
    if (k + KG_LANES <= NV)
        *kg_lanes_to(row + k) = found;
    else if (k < NV) {
        const kg_lanes last = found; /* or others would go through memory as well */
        memcpy(row + k, &last, (NV % KG_LANES) * sizeof *row);
    }
}

/* Entries of row r of a matrix (NV, NV) by the block. */
static inline void enter_row(const kg_lanes found, int r, int k, double *restrict x)
{
    if (ONE_BY_ONE)
        put_columns(found, k, x + r * NV);
    else {
        const kg_lanes kept = found;
        const double *entries = (const double *)(const void *)&kept;
        for (int i = k; i < k + KG_LANES && i < TREE_AXES; i++)
            x[axis_dof[r] * NV + axis_dof[i]] += entries[i - k];
    }
}

/* x (n, NV, NV): dtau/dq, dtau/dv and, for n = 3, M, whose sums are symmetric to the bit only ONE_BY_ONE. */
static inline void find_derivatives(const tree_terms *t, int n, double *restrict x)
{
    if (!ONE_BY_ONE)
        memset(x, 0, (size_t)(n * NV * NV) * sizeof *x);
    for (int k = 0; k < TREE_AXES; k += KG_LANES) {
        const axis_block block = block_at(k, KG_LANES);
        for (int r = 0; r < TREE_AXES; r++) {
            kg_lanes found[3] = {{0.0}};
            add_row(t, n, r, block, found);
            for (int part = 0; part < n; part++)
                enter_row(found[part], r, k, x + part * NV * NV);
        }
    }
}

static inline void add_armatures(const double *restrict armature, double *restrict M)
{
    for (int i = 0; i < NV; i++)
        M[(NV + 1) * i] += armature[i];
}

/* M (NV, NV): its lower triangle, and all of it where joints follow others. */
static inline void find_mass_matrix(const tree_terms *t, const double *restrict armature, double *restrict M)
{
    if (!ONE_BY_ONE)
        memset(M, 0, NV * NV * sizeof *M);
    for (int k = 0; k < TREE_AXES; k += KG_LANES) {
        const int end = block_at(k, KG_LANES).end;
        for (int r = k; r < TREE_AXES; r++) {
            const kg_lanes found = r < end ? mass_row(t, r, k) : (kg_lanes){0.0};
            const double *m = (const double *)(const void *)&found;
            if (ONE_BY_ONE)
                put_columns(found, k, M + r * NV);
            for (int i = k; !ONE_BY_ONE && i < k + KG_LANES && i <= r; i++) {
                M[axis_dof[r] * NV + axis_dof[i]] += m[i - k];
                if (i != r)
                    M[axis_dof[i] * NV + axis_dof[r]] += m[i - k];
            }
        }
    }
    add_armatures(armature, M);
}

#endif
