/* Second derivatives of weights' tau(q, v, a). */

#ifndef KINEGEN_DERIVATIVES_INVERSE_WEIGHED_H
#define KINEGEN_DERIVATIVES_INVERSE_WEIGHED_H

#include "second_terms.h"

/* x of all axes by their weights, summed over what hangs below; all of a joint's axes count for each of them. */
static inline void gather_weighed(int n, const axis_row *x, const double *weight, axis_row *sum)
{
    for (int c = 0; c < n; c++) {
        for (int k = 0; k < AXIS_ROOM; k += KG_LANES)
            *kg_lanes_to(sum[c] + k) = *kg_lanes_at(weight + k) * *kg_lanes_at(x[c] + k);
    }
    gather_up(n, sum);
    for (int c = 0; c < n; c++)
        for (int i = 0; i < TREE_AXES; i++)
            sum[c][i] = sum[c][axis_first[i]];
}

static inline void weigh(const tree_terms *t, const sways *own, const double *restrict weights, weighed_terms *of)
{
    KG_ALIGNED axis_row weight = {0.0}, share[6];
    for (int i = 0; i < TREE_AXES; i++)
        weight[i] = weights[axis_dof[i]];
    gather_weighed(6, t->IS, weight, of->IS);
    gather_weighed(3, t->b, weight, of->b);
    gather_weighed(9, own->N, weight, of->N);
    for (int c = 0; c < 6; c++)
        for (int k = 0; k < AXIS_ROOM; k += KG_LANES)
            *kg_lanes_to(share[c] + k) = *kg_lanes_at(weight + k) * *kg_lanes_at(t->S[c] + k);
    carry_down(of->s, share, 0);
    of->from = 0;
    of->end = TREE_AXES;
}

/* second (4, NV, NV): by q and q, by q and v, by v and v, by a and q; the second one along columns. */
static void inverse_weighed_derivatives(const double *p, const double *restrict q, const double *restrict v,
    const double *restrict a, const double *restrict weights, double *restrict second)
{
    KG_ALIGNED tree_terms t;
    KG_ALIGNED weighed_terms of;
    KG_ALIGNED sways own;
    begin_second(p, q, v, a, &t, &own);
    weigh(&t, &own, weights, &of);
    for (int k = 0; k < AXIS_ROOM; k += KG_LANES)
        weigh_axes(&t, &of, k);
    if (!ONE_BY_ONE)
        memset(second, 0, SECOND_PARTS * NV * NV * sizeof *second);
    for (int k = 0; k < TREE_AXES; k += KG_LANES) {
        const axis_block block = block_at(k, KG_LANES);
        for (int r = 0; r < TREE_AXES; r++)
            enter_second(&t, &of, block, r, NV * NV, second);
    }
}

#endif
