/* Columns of da/dq, da/dv and M^-1 = L^-1 D^-1 L'^-1 (mathematics, section 14), where axes and entries of v are the
 * same: first what L'^-1 makes of them, which stands in the rows of the path to a column's axis and of its subtree
 * alone, then products with rows of L^-1. */

#ifndef KINEGEN_DERIVATIVES_COLUMNS_H
#define KINEGEN_DERIVATIVES_COLUMNS_H

#include "articulated.h"
#include "pairs.h"

enum { TILE = 4 };

/* Rows first ... first + count - 1, each hanging on the one before, after `depth` rows of their path; the tile of what
 * the first hangs on, from 1 on (0: none). */
typedef struct {
    int first, count, depth, above;
} row_tile;

/* Row k of L'^-1, at the axes that k is above of and at itself; and of D^-1 L'^-1 (-dtau/dq, -dtau/dv, unit matrix) at
 * a block of columns. */
typedef struct {
    double inverse[AXIS_ROOM];
    kg_lanes x[3];
} column_row;

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
 * that L'^-1 makes of S_i'(I ddS + 2 B dS) what U_i and row b make of ddS and dS. */
static inline void take_below(
    const tree_terms *t, const articulated_bodies *of, axis_block block, kg_lanes (*F)[6], column_row *to)
{
    const kg_lanes first = *kg_lanes_at(t->first + block.k), below = *kg_lanes_at(t->below + block.k);
    for (int i = axis_first[block.k]; i < block.end; i++) {
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

/* A path goes through the axes of a block from the last on, then through what they hang on; how many. */
static inline int last_of_block(int column)
{
    return column + KG_LANES < TREE_AXES ? column + KG_LANES - 1 : TREE_AXES - 1;
}

static inline int rows_of_path(int column)
{
    return last_of_block(column) - column + 1 + factor_row[column + 1] - factor_row[column];
}

static inline int next_of_path(int column, int k)
{
    return k > column ? k - 1 : axis_above[k];
}

/* Row k of L'^-1 at the block. */
static inline void put_inverse(int k, int column, kg_lanes y, column_row *to)
{
    static const double unit[2 * KG_LANES] = {[KG_LANES] = 1.0};
    if (k >= column)
        y += *kg_lanes_at(unit + KG_LANES - (k - column));
    *kg_lanes_to(to[k].inverse + column) = y;
}

/* L'^-1 at the block: from F = U_j/D_j on. */
static inline void invert_block(const tree_terms *t, const articulated_bodies *of, int column, column_row *to)
{
    kg_lanes F[1][6], y[1], next[1];
    int k = last_of_block(column);
    KG_UNROLLED
    for (int c = 0; c < 6; c++)
        F[0][c] = *kg_lanes_at(of->over[c] + column);
    if (rows_of_path(column) % 2) {
        take_one(1, t, of, k, column, F, y);
        put_inverse(k, column, y[0], to);
        k = next_of_path(column, k);
    }
    while (k >= 0) {
        const int m = next_of_path(column, k);
        take_two(1, t, of, k, m, column, F, y, next);
        put_inverse(k, column, y[0], to);
        put_inverse(m, column, next[0], to);
        k = next_of_path(column, m);
    }
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
    const tree_terms *t, const articulated_bodies *of, int column, kg_lanes (*F)[6], column_row *to)
{
    kg_lanes y[2], next[2];
    int k = last_of_block(column);
    if (rows_of_path(column) % 2) {
        take_one(2, t, of, k, column, F, y);
        put_path(of, k, column, y, to);
        k = next_of_path(column, k);
    }
    while (k >= 0) {
        const int m = next_of_path(column, k);
        take_two(2, t, of, k, m, column, F, y, next);
        put_path(of, k, column, y, to);
        put_path(of, m, column, next, to);
        k = next_of_path(column, m);
    }
}

static inline void take_block(const tree_terms *t, const articulated_bodies *of, int column, column_row *to)
{
    kg_lanes F[2][6];
    KG_UNROLLED
    for (int c = 0; c < 6; c++) {
        F[0][c] = *kg_lanes_at(t->Fc[c] + column);
        F[1][c] = *kg_lanes_at(t->Fv[c] + column);
    }
    take_below(t, of, block_at(column, KG_LANES), F, to);
    take_path(t, of, column, F, to);
}

/* n rows of a tile of x = L^-1 x, of which `own` are the block's, and `path` rows of what they hang on. */
static inline void finish_tile(int n, int i, int path, int own, const column_row *of, int column, double *restrict da)
{
    const int *above = factor_column + factor_row[i];
    kg_lanes sum[TILE * 3] = {{0.0}};
    for (int m = 0; m < path; m++) {
        const column_row *row = of + above[m];
        KG_UNROLLED
        for (int e = 0; e < 3 * n; e++)
            sum[e] += row->inverse[i + e / 3] * row->x[e % 3];
    }
    KG_UNROLLED
    for (int s = 0; s < n; s++)
        if (s < own) {
            const column_row *row = of + i + s;
            KG_UNROLLED
            for (int e = 3 * s; e < 3 * n; e++)
                sum[e] += (e < 3 * s + 3 ? 1.0 : row->inverse[i + e / 3]) * row->x[e % 3];
        }
    KG_UNROLLED
    for (int e = 0; e < 3 * n; e++)
        put_columns(sum[e], column, da + (e % 3 * NV + i + e / 3) * NV);
}

/* All rows in tiles from 1 on, as many as there are. */
static inline int find_tiles(row_tile *tiles)
{
    int count = 0, tile_of[1 + TREE_AXES] = {0};
    for (int i = 0, n; i < TREE_AXES; i += n) {
        for (n = 1; n < TILE && i + n < TREE_AXES && axis_above[i + n] == i + n - 1;)
            n++;
        tiles[++count] = (row_tile){i, n, factor_row[i + 1] - factor_row[i], tile_of[1 + axis_above[i]]};
        for (int r = 0; r < n; r++)
            tile_of[1 + i + r] = count;
    }
    return count;
}

/* How many rows of the tile, the first ones, are above axes of the block, of their joints or below them. */
static inline int rows_of_block(axis_block block, int first, row_tile tile)
{
    int own = 0;
    while (own < tile.count && tile.first + own < block.end
        && (tile.first + own >= first || axis_below[tile.first + own] > block.k))
        own++;
    return own;
}

/* x = L^-1 x of a block to columns of da (3, NV, NV). */
static inline void finish_block(int column, const row_tile *tiles, int count, const column_row *of, double *restrict da)
{
    const axis_block block = block_at(column, KG_LANES);
    int shared[1 + TREE_AXES] = {0}; /* rows of the path to the last of a tile that are the block's */
    for (int e = 1; e <= count; e++) {
        const row_tile tile = tiles[e];
        const int i = tile.first, own = rows_of_block(block, axis_first[column], tile);
        const int path = shared[tile.above] < tile.depth ? shared[tile.above] : tile.depth;
        shared[e] = path + own;
        if (tile.count == 4)
            finish_tile(4, i, path, own, of, column, da);
        else if (tile.count == 3)
            finish_tile(3, i, path, own, of, column, da);
        else if (tile.count == 2)
            finish_tile(2, i, path, own, of, column, da);
        else
            finish_tile(1, i, path, own, of, column, da);
    }
}

/* da (3, NV, NV) of the answers t and the bodies. */
static void find_columns(const tree_terms *t, const articulated_bodies *of, double *restrict da)
{
    KG_ALIGNED column_row rows[TREE_AXES];
    row_tile tiles[1 + TREE_AXES];
    const int count = find_tiles(tiles);
    for (int k = 0; k < TREE_AXES; k += KG_LANES)
        invert_block(t, of, k, rows);
    for (int k = 0; k < TREE_AXES; k += KG_LANES) {
        take_block(t, of, k, rows);
        finish_block(k, tiles, count, rows, da);
    }
}

#endif
