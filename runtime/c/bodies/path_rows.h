/* Rows of L'^-1 and of what it makes of columns of da/dq, da/dv and the unit matrix (mathematics, section 14), where
 * axes and entries of v are the same: they stand in the rows of the path to a column's axis and of its subtree. */

#ifndef KINEGEN_BODIES_ROWS_H
#define KINEGEN_BODIES_ROWS_H

#include "articulated.h"

/* Row k of L'^-1, at the axes that k is above of and at itself; and of D^-1 L'^-1 (-dtau/dq, -dtau/dv, unit matrix) at
 * a block of columns. */
typedef struct {
    double inverse[AXIS_ROOM];
    kg_lanes x[3];
} column_row;

/* A path goes through the axes of a block from the last on, then through what they hang on; how many. */
static inline int last_of(axis_block block)
{
    return block.k + block.count < TREE_AXES ? block.k + block.count - 1 : TREE_AXES - 1;
}

static inline int rows_of_path(axis_block block)
{
    return last_of(block) - block.k + 1 + factor_row[block.k + 1] - factor_row[block.k];
}

/* Six rows of NV numbers that are to be written soon. */
static inline void expect_rows(int first, const double *x)
{
    KG_UNROLLED
    for (int r = 0; r < 6; r++)
        KG_EXPECT(x + (first + r) * NV);
}

/* F += U x of a row, n parts. */
static inline void add_yielded(int n, const double *U, const kg_lanes *x, kg_lanes (*F)[6])
{
    KG_UNROLLED
    for (int c = 0; c < 6; c++)
        KG_UNROLLED
    for (int part = 0; part < n; part++)
        F[part][c] += U[c] * x[part];
}

/* Rows below the block's axes and of their joints: a subtree that moves with its axis feels uniform accelerations, so
 * that L'^-1 makes of S_i'(I ddS + 2 B dS) what U_i and row b make of ddS and dS. Meanwhile rows of da come near. */
static inline void take_below(const tree_terms *t, const articulated_bodies *of, axis_block block, kg_lanes (*F)[6],
    column_row *to, const double *da)
{
    const kg_lanes first = *kg_lanes_at(t->first + block.k), below = *kg_lanes_at(t->below + block.k);
    for (int i = axis_first[block.k]; i < block.end; i++) {
        if (i < axis_first[block.k] + NV / 2)
            expect_rows(6 * (i - axis_first[block.k]), da + last_of(block));
        const double *row = of->row[i], over = -of->iD[i], at = i;
        const kg_marks path = (first <= at) & (below > at);
        kg_lanes by[2] = {{0.0}};
        KG_UNROLLED
        for (int c = 0; c < 6; c++) {
            by[0] += row[c] * *kg_lanes_at(t->ddS[c] + block.k);
            by[1] += row[c] * *kg_lanes_at(t->D[c] + block.k);
        }
        KG_UNROLLED
        for (int c = 0; c < 3; c++) {
            by[0] += row[ROW_B + c] * *kg_lanes_at(t->dS[c] + block.k);
            by[1] += row[ROW_B + c] * *kg_lanes_at(t->S[c] + block.k);
        }
        by[0] = to[i].x[0] = kg_lanes_where(path, over * by[0]);
        by[1] = to[i].x[1] = kg_lanes_where(path, over * by[1]);
        to[i].x[2] = (kg_lanes){0.0};
        add_yielded(2, row, by, F);
    }
}

/* y = -S_k' F of the columns below k, n parts: one of the unit matrix, where an axis itself counts, or those of dtau,
 * where its joint does. */
static inline void answer_along(
    int n, const tree_terms *t, int k, int column, kg_lanes (*F)[6], kg_marks *path, kg_lanes *y)
{
    const double from = n == 1 ? k : axis_end[k], end = axis_below[k];
    const kg_lanes index = *kg_lanes_at(t->index + column);
    *path = (index > from) & (index < end);
    KG_UNROLLED
    for (int part = 0; part < n; part++) {
        kg_lanes half[2] = {{0.0}};
        KG_UNROLLED
        for (int c = 0; c < 6; c++)
            half[c / 3] -= t->S[c][k] * F[part][c];
        y[part] = half[0] + half[1];
    }
}

/* Row k of a path: F += U_k y / D_k. */
static inline void take_one(
    int n, const tree_terms *t, const articulated_bodies *of, int k, int column, kg_lanes (*F)[6], kg_lanes *y)
{
    kg_lanes x[2];
    kg_marks path;
    answer_along(n, t, k, column, F, &path, y);
    KG_UNROLLED
    for (int part = 0; part < n; part++) {
        y[part] = kg_lanes_where(path, y[part]);
        x[part] = of->iD[k] * y[part];
    }
    add_yielded(n, of->row[k], x, F);
}

/* Rows k and m, the next one, at once: y_m = -S_m'F - L_km y_k, without waiting for F. */
static inline void take_two(int n, const tree_terms *t, const articulated_bodies *of, int k, int m, int column,
    kg_lanes (*F)[6], kg_lanes *y, kg_lanes *next)
{
    kg_lanes x[2], x_next[2];
    kg_marks path, path_next;
    answer_along(n, t, k, column, F, &path, y);
    answer_along(n, t, m, column, F, &path_next, next);
    KG_UNROLLED
    for (int part = 0; part < n; part++) {
        y[part] = kg_lanes_where(path, y[part]);
        next[part] = kg_lanes_where(path_next, next[part] - of->L[k][m] * y[part]);
        x[part] = of->iD[k] * y[part];
        x_next[part] = of->iD[m] * next[part];
    }
    add_yielded(n, of->row[k], x, F);
    add_yielded(n, of->row[m], x_next, F);
}

/* The base's six rows at once: S_k' F is an entry of F, and U_j' S_k / D_j one of L. */
static inline void take_base(
    int n, const tree_terms *t, const articulated_bodies *of, int column, kg_lanes (*F)[6], kg_lanes (*y)[2])
{
    const kg_lanes index = *kg_lanes_at(t->index + column);
    const double end = axis_below[0];
    KG_UNROLLED
    for (int k = 5; k >= 0; k--) {
        const double from = n == 1 ? k : 5;
        const kg_marks path = (index > from) & (index < end);
        KG_UNROLLED
        for (int part = 0; part < n; part++) {
            y[k][part] = kg_lanes_where(path, -F[part][base_entry(k)]);
            KG_UNROLLED
            for (int j = 5; j > k; j--)
                y[k][part] -= of->L[j][k] * y[j][part];
        }
    }
}

static inline int next_of_path(axis_block block, int k)
{
    return k > block.k ? k - 1 : axis_above[k];
}

/* The rest of a path is the base. */
static inline int at_base(int k)
{
    return base_axes() && k == base_axes() - 1;
}

/* Row k of L'^-1 at the block, and what it makes of b and of tau - h of that row. */
static inline void put_inverse(
    const articulated_bodies *of, int k, int column, kg_lanes y, column_row *to, kg_lanes *solved)
{
    static const double unit[2 * KG_LANES] = {[KG_LANES] = 1.0};
    if (k >= column)
        y += *kg_lanes_at(unit + KG_LANES - (k - column));
    *kg_lanes_to(to[k].inverse + column) = y;
    y *= of->iD[k];
    KG_UNROLLED
    for (int c = 0; c < 4; c++)
        solved[c] += of->row[k][ROW_B + c] * y;
}

/* L'^-1 at the block, from F = U_j/D_j on; solved: M^-1 of the torques b (3) and tau - h. */
static inline void invert_block(
    const tree_terms *t, const articulated_bodies *of, axis_block block, column_row *to, axis_row *solved)
{
    kg_lanes F[1][6], y[1], next[1], base[6][2], sum[4] = {{0.0}};
    int k = last_of(block);
    KG_UNROLLED
    for (int c = 0; c < 6; c++)
        F[0][c] = *kg_lanes_at(of->over[c] + block.k);
    if (rows_of_path(block) % 2) {
        take_one(1, t, of, k, block.k, F, y);
        put_inverse(of, k, block.k, y[0], to, sum);
        k = next_of_path(block, k);
    }
    while (k >= 0 && !at_base(k)) {
        const int m = next_of_path(block, k);
        take_two(1, t, of, k, m, block.k, F, y, next);
        put_inverse(of, k, block.k, y[0], to, sum);
        put_inverse(of, m, block.k, next[0], to, sum);
        k = next_of_path(block, m);
    }
    if (at_base(k)) {
        take_base(1, t, of, block.k, F, base);
        KG_UNROLLED
        for (k = 5; k >= 0; k--)
            put_inverse(of, k, block.k, base[k][0], to, sum);
    }
    put(4, sum, solved, block.k);
}

static inline void put_path(const articulated_bodies *of, int k, int column, const kg_lanes *y, column_row *to)
{
    const double over = of->iD[k];
    kg_lanes x[2] = {over * y[0], over * y[1]};
    if (k >= axis_first[column]) {
        x[0] += to[k].x[0];
        x[1] += to[k].x[1];
    }
    to[k].x[0] = x[0];
    to[k].x[1] = x[1];
    to[k].x[2] = over * *kg_lanes_at(to[k].inverse + column);
}

/* Rows of the path, where F is what the columns' subtrees, and the axes between, leave of the wrenches. */
static inline void take_path(
    const tree_terms *t, const articulated_bodies *of, axis_block block, kg_lanes (*F)[6], column_row *to)
{
    kg_lanes y[2], next[2], base[6][2];
    int k = last_of(block);
    if (rows_of_path(block) % 2) {
        take_one(2, t, of, k, block.k, F, y);
        put_path(of, k, block.k, y, to);
        k = next_of_path(block, k);
    }
    while (k >= 0 && !at_base(k)) {
        const int m = next_of_path(block, k);
        take_two(2, t, of, k, m, block.k, F, y, next);
        put_path(of, k, block.k, y, to);
        put_path(of, m, block.k, next, to);
        k = next_of_path(block, m);
    }
    if (at_base(k)) {
        take_base(2, t, of, block.k, F, base);
        KG_UNROLLED
        for (k = 5; k >= 0; k--)
            put_path(of, k, block.k, base[k], to);
    }
}

/* The block's rows of L'^-1 (-dtau/dq, -dtau/dv, unit matrix), and the first of those of da that follow from them. */
static inline void take_block(
    const tree_terms *t, const articulated_bodies *of, axis_block block, column_row *to, const double *da)
{
    kg_lanes F[2][6];
    KG_UNROLLED
    for (int c = 0; c < 6; c++) {
        F[0][c] = *kg_lanes_at(t->Fc[c] + block.k);
        F[1][c] = *kg_lanes_at(t->Fv[c] + block.k);
    }
    take_below(t, of, block, F, to, da);
    take_path(t, of, block, F, to);
}

#endif
