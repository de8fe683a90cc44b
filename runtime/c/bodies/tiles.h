/* Columns of da/dq, da/dv and M^-1: products of rows of L^-1 with what L'^-1 and D^-1 have left, rows of a chain
 * together (mathematics, section 14). */

#ifndef KINEGEN_BODIES_TILES_H
#define KINEGEN_BODIES_TILES_H

#include "../derivatives/pairs.h"
#include "path_rows.h"

enum { TILE = 4 };

/* Rows first ... first + count - 1, each hanging on the one before, after `depth` rows of their path; the tile of what
 * the first hangs on, from 1 on (0: none). */
typedef struct {
    int first, count, depth, above;
} row_tile;

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
static inline void finish_block(
    axis_block block, const row_tile *tiles, int count, const column_row *of, double *restrict da)
{
    int shared[1 + TREE_AXES] = {0}; /* rows of the path to the last of a tile that are the block's */
    for (int e = 1; e <= count; e++) {
        const row_tile tile = tiles[e];
        const int i = tile.first, own = rows_of_block(block, axis_first[block.k], tile);
        const int path = shared[tile.above] < tile.depth ? shared[tile.above] : tile.depth;
        shared[e] = path + own;
        if (tile.count == 4)
            finish_tile(4, i, path, own, of, block.k, da);
        else if (tile.count == 3)
            finish_tile(3, i, path, own, of, block.k, da);
        else if (tile.count == 2)
            finish_tile(2, i, path, own, of, block.k, da);
        else
            finish_tile(1, i, path, own, of, block.k, da);
    }
}

#endif
