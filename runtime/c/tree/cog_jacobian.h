/* COG Jacobian G (6 BODIES, NV): rows [dp_G; w] of each link, world axes. */

#ifndef KINEGEN_TREE_COG_JACOBIAN_H
#define KINEGEN_TREE_COG_JACOBIAN_H

#include "columns.h"

static void cog_jacobian(const double *p, const double *restrict q, double *restrict G)
{
    double axes[9 * TREE_AXES], centers[3 * BODIES];
    KERNEL(motion_columns, q, axes, centers);
    for (int i = 0; i < BODIES; i++)
        point_jacobian(axes, axis_last[i], centers + 3 * i, G + 6 * NV * i);
}

#endif
