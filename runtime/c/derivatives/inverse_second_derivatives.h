/* Second derivatives of all of tau(q, v, a). */

#ifndef KINEGEN_DERIVATIVES_INVERSE_SECOND_H
#define KINEGEN_DERIVATIVES_INVERSE_SECOND_H

#include "second_terms.h"

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
static inline void weigh_met(tree_terms *t, const sways *own, int i, weighed_terms *of)
{
    for (int k = 0; k < TREE_AXES; k += KG_LANES)
        if (concerns(block_at(k, KG_LANES), i)) {
            weigh_one(t, own, i, of, k);
            weigh_axes(t, of, k);
        }
}

/* second (4, NV, NV, NV): by q and q, by q and v, by v and v, by a and q; the second one stands last. Axes that do not
 * meet have none. */
static void inverse_second_derivatives(const double *p, const double *restrict q, const double *restrict v,
    const double *restrict a, double *restrict second)
{
    KG_ALIGNED tree_terms t;
    KG_ALIGNED weighed_terms of;
    KG_ALIGNED sways own;
    begin_second(p, q, v, a, &t, &own);
    memset(second, 0, SECOND_PARTS * (size_t)(NV * NV * NV) * sizeof *second);
    for (int i = 0; i < TREE_AXES; i++) {
        of.from = axis_end[i] + 1;
        of.end = axis_below[i];
        weigh_met(&t, &own, i, &of);
        for (int k = 0; k < TREE_AXES; k += KG_LANES)
            if (concerns(block_at(k, KG_LANES), i))
                for (int r = 0; r < TREE_AXES; r++)
                    if (meets(r, i))
                        enter_second(&t, &of, block_at(k, KG_LANES), r, NV * NV * NV, second + axis_dof[i] * NV * NV);
    }
}

#endif
