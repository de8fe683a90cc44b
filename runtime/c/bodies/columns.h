/* Derivatives of forward dynamics by articulated bodies: columns of da/dq, da/dv and M^-1 = L^-1 D^-1 L'^-1, in blocks
 * (mathematics, section 14), where axes and entries of v are the same. */

#ifndef KINEGEN_BODIES_COLUMNS_H
#define KINEGEN_BODIES_COLUMNS_H

#include "base_columns.h"
#include "tiles.h"

enum { BLOCKS = AXIS_ROOM / KG_LANES + 1 };

/* All blocks, those of the base first, none of which goes on beyond it; the last ends where the axes do. */
static inline int find_blocks(axis_block *blocks)
{
    const int before = TREE_AXES - KG_LANES, last = before > 0 ? before : 0;
    int count = 0;
    for (int k = 0; k < base_axes(); k += KG_LANES)
        blocks[count++] = block_at(k, base_axes() - k < KG_LANES ? base_axes() - k : KG_LANES);
    for (int k = base_axes(); k < TREE_AXES; k += KG_LANES)
        blocks[count++] = block_at(k < last ? k : last, KG_LANES);
    return count;
}

/* da (3, NV, NV) of the bodies and of the terms under no accelerations, which those that are found join. */
static void find_columns(
    tree_terms *t, const articulated_bodies *of, const double *restrict armature, double *restrict da)
{
    KG_ALIGNED column_row rows[TREE_AXES];
    KG_ALIGNED axis_row solved[4];
    row_tile tiles[1 + TREE_AXES];
    axis_block blocks[BLOCKS];
    const int tile_count = find_tiles(tiles), count = find_blocks(blocks);
    for (int b = 0; b < count; b++)
        invert_block(t, of, blocks[b], rows, solved);
    join_accelerations(t, solved[3]);
    answers(t);
    for (int b = 0; b < count; b++)
        if (b * KG_LANES < base_axes()) {
            base_block(t, of, armature, blocks[b].k, rows, solved, da);
        } else {
            take_block(t, of, blocks[b], rows, da);
            finish_block(blocks[b], tiles, tile_count, rows, da);
        }
}

#endif
