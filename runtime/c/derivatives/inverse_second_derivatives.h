/* Second derivatives of all of tau(q, v, a). */

#ifndef KINEGEN_DERIVATIVES_INVERSE_SECOND_H
#define KINEGEN_DERIVATIVES_INVERSE_SECOND_H

#include "second_terms.h"

enum { AXIS_BLOCKS = AXIS_ROOM / KG_LANES };

/* x (n) of axis i to those lanes that are marked, 0 to the others. */
static inline void spread(int n, const axis_row *x, int i, kg_marks marks, axis_row *out, int k)
{
    for (int c = 0; c < n; c++)
        *kg_lanes_to(out[c] + k) = kg_lanes_where(marks, (kg_lanes){0.0} + x[c][i]);
}

/* Weight 1 for axis i alone: the sums of those on its path and of its joint, s of those below it. */
static inline void weigh_one(const tree_terms *t, const sways *own, int i, weighed_terms *of, int k)
{
    const double row = i, last = axis_end[i], end = axis_below[i];
    const kg_lanes index = *kg_lanes_at(t->index + k);
    const kg_marks path = (*kg_lanes_at(t->first + k) <= row) & (*kg_lanes_at(t->below + k) > row);
    spread(6, t->IS, i, path, of->IS, k);
    spread(3, t->b, i, path, of->b, k);
    spread(9, own->N, i, path, of->N, k);
    spread(6, t->S, i, (index > last) & (index < end), of->s, k);
}

/* Axis r is on the path of i or of its joint, or hangs below. */
static inline int meets(int r, int i)
{
    return (r <= axis_end[i] && axis_below[r] > i) || (r >= axis_first[i] && r < axis_below[i]);
}

/* One of the block meets axis i. */
static inline int concerns(axis_block block, int i)
{
    return has_above(block, i) || has_below(block, i);
}

/* The terms of all blocks that axis i meets, of its force alone. */
static inline void weigh_met(tree_terms *t, const sways *own, int i, const axis_block *blocks, weighed_terms *of)
{
    of->from = axis_end[i] + 1;
    of->end = axis_below[i];
    for (int n = 0; n < AXIS_BLOCKS; n++)
        if (concerns(blocks[n], i)) {
            weigh_one(t, own, i, of, blocks[n].k);
            weigh_axes(t, of, blocks[n].k);
        }
}

/* Row r of the force of axis i. */
static inline void enter_met(
    const tree_terms *t, const weighed_terms *of, int i, const axis_block *blocks, int r, double *restrict second)
{
    for (int n = 0; n < AXIS_BLOCKS; n++)
        if (concerns(blocks[n], i))
            enter_second(t, of, blocks[n], r, NV * NV * NV, second);
        else
            for (int part = 0; part < SECOND_PARTS; part++)
                enter_row((kg_lanes){0.0}, r, blocks[n].k, second + part * NV * NV * NV);
}

/* Rows r ... end - 1 of each part: zeros. */
static inline void clear_rows(int r, int end, double *restrict second)
{
    for (int part = 0; part < SECOND_PARTS && r < end; part++)
        kg_clear(NV * (end - r), second + NV * (part * NV * NV + r));
}

/* second (4, NV, NV, NV): by q and q, by q and v, by v and v, by a and q; the second one stands last. Axes that do not
 * meet have none. ONE_BY_ONE each number is written once, which alone takes half of the time of a large tree. */
static void inverse_second_derivatives(const double *p, const double *restrict q, const double *restrict v,
    const double *restrict a, double *restrict second)
{
    KG_ALIGNED tree_terms t;
    KG_ALIGNED weighed_terms of;
    KG_ALIGNED sways own;
    axis_block blocks[AXIS_BLOCKS];
    begin_second(p, q, v, a, &t, &own);
    for (int n = 0; n < AXIS_BLOCKS; n++)
        blocks[n] = block_at(n * KG_LANES, KG_LANES);
    if (!ONE_BY_ONE)
        clear_rows(0, NV * NV, second);
    for (int i = 0; i < TREE_AXES; i++) {
        double *of_i = second + axis_dof[i] * NV * NV;
        weigh_met(&t, &own, i, blocks, &of);
        for (int r = 0, end; r < TREE_AXES; r = end) {
            for (end = r; end < TREE_AXES && !meets(end, i); end++)
                ;
            if (ONE_BY_ONE)
                clear_rows(r, end, of_i);
            for (; end < TREE_AXES && meets(end, i); end++)
                enter_met(&t, &of, i, blocks, end, of_i);
        }
    }
}

#endif
