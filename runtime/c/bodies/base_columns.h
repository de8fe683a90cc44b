/* Columns of the axes of the free joint by which a tree hangs on the world (mathematics, section 14). Accelerations X
 * of these axes take the torques M X, less what armatures do, as if all of the tree were accelerated by X:
 *     da/dq_j = -ddS_j + M^-1 armature ddS_j,    da/dv_j = -D_j + M^-1 (armature D_j - b w_Sj). */

#ifndef KINEGEN_BODIES_BASE_H
#define KINEGEN_BODIES_BASE_H

#include "../derivatives/pairs.h"
#include "path_rows.h"

/* D^-1 L'^-1 (armature ddS, armature D, unit matrix) in the base's rows. */
static inline void fill_base(
    const tree_terms *t, const articulated_bodies *of, const double *restrict armature, int column, column_row *rows)
{
    for (int m = 0; m < 6; m++) {
        kg_lanes x[2] = {{0.0}};
        for (int k = m; k < 6; k++) {
            const double share = rows[m].inverse[k] * armature[k];
            x[0] += share * *kg_lanes_at(t->ddS[base_entry(k)] + column);
            x[1] += share * *kg_lanes_at(t->D[base_entry(k)] + column);
        }
        rows[m].x[0] = of->iD[m] * x[0];
        rows[m].x[1] = of->iD[m] * x[1];
        rows[m].x[2] = (kg_lanes){0.0};
        if (m < column + KG_LANES)
            rows[m].x[2] = of->iD[m] * *kg_lanes_at(rows[m].inverse + column);
    }
}

/* Row i, which shares the first `count` rows of its path with the base; solved: M^-1 b. */
static inline void finish_base_row(
    int i, int count, const tree_terms *t, int column, const column_row *rows, axis_row *solved, double *restrict da)
{
    const int turned = count ? 3 : 0;
    kg_lanes sum[3] = {{0.0}};
    KG_UNROLLED
    for (int c = 0; c < turned; c++)
        sum[1] -= solved[c][i] * *kg_lanes_at(t->S[c] + column);
    if (i < 6) {
        sum[0] -= *kg_lanes_at(t->ddS[base_entry(i)] + column);
        sum[1] -= *kg_lanes_at(t->D[base_entry(i)] + column);
    }
    KG_UNROLLED
    for (int m = 0; m < count; m++)
        KG_UNROLLED
    for (int part = 0; part < 3; part++)
        sum[part] += rows[m].inverse[i] * rows[m].x[part];
    for (int part = 0; part < 3; part++)
        put_columns(sum[part], column, da + (part * NV + i) * NV);
}

/* A block of these columns to da (3, NV, NV); what follows them there is written afterwards. */
static inline void base_block(const tree_terms *t, const articulated_bodies *of, const double *restrict armature,
    int column, column_row *rows, axis_row *solved, double *restrict da)
{
    fill_base(t, of, armature, column, rows);
    KG_UNROLLED
    for (int i = 0; i < 6; i++)
        finish_base_row(i, i + 1, t, column, rows, solved, da);
    for (int i = 6; i < axis_below[0]; i++)
        finish_base_row(i, 6, t, column, rows, solved, da);
    for (int i = axis_below[0]; i < TREE_AXES; i++)
        finish_base_row(i, 0, t, column, rows, solved, da);
}

#endif
