/* External wrenches on links in each lane of vectors: see drive/external.h, of whose links each lane has the same. */

#ifndef KINEGEN_LANES_WRENCHES_H
#define KINEGEN_LANES_WRENCHES_H

#include "../tree/columns.h"

/* pose: [R p] (3, 4) of a link in world; the axes (TREE_AXES, 9) on its path are then there too. */
static void path_wide(const kg_wide *p, const kg_wide *q, int link, kg_wide *pose, kg_wide *axes)
{
    int path[BODIES], count = 0;
    for (int i = link; i >= 0; i = link_above[i])
        path[count++] = i;
    for (int i = 0; i < 12; i++)
        pose[i] = kg_splat(i % 5 == 0 ? 1.0 : 0.0);
    while (count-- > 0) { /* from the root to the link */
        kg_wide above[12];
        memcpy(above, pose, sizeof above);
        link_step_wide(p, path[count], q, above, pose, axes + 9 * link_axis[path[count]]);
    }
}

/* f += J' [force; moment] of wrench k of those that begin at `rows`, for the simulations `row`. */
static void add_wide_wrench(const lane_simulations *s, const double *rows, const int *row, long k, const kg_wide *p,
    const kg_wide *q, kg_wide *f)
{
    const double *at = s->place + 5 * k;
    const int link = (int)at[0];
    kg_wide w[6], pose[12], axes[9 * TREE_AXES], point[3], column[6];
    gather(6, row, rows + 6 * k, s->wrench_row, w);
    path_wide(p, q, link, pose, axes);
    for (int i = 0; i < 3; i++) {
        const kg_wide *R = pose + 4 * i;
        point[i] = R[0] * at[1] + R[1] * at[2] + R[2] * at[3] + R[3];
    }
    for (int i = 0; i < (at[4] != 0.0 ? 3 : 0); i++) { /* about the link's origin, where it acts */
        const int j = (i + 1) % 3, m = (i + 2) % 3;
        w[3 + i] -= pose[4 * j + 3] * w[m] - pose[4 * m + 3] * w[j];
    }
    for (int n = axis_last[link]; n >= 0; n = axis_above[n]) {
        axis_column(axes + 9 * n, point, column);
        for (int m = 0; m < 6; m++)
            f[axis_dof[n]] += column[m] * w[m];
    }
}

#endif
