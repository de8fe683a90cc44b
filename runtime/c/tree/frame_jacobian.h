/* Jacobian (6, NV) of a frame: rows [linear; angular], world axes. */

#ifndef KINEGEN_TREE_FRAME_JACOBIAN_H
#define KINEGEN_TREE_FRAME_JACOBIAN_H

#include "columns.h"

/* frame = [link index, offset x, y, z in link axes]. */
static void frame_jacobian(const double *p, const double *restrict q, const double *restrict frame, double *restrict J)
{
    double axes[9 * TREE_AXES], centers[3 * BODIES], poses[16 * BODIES], point[3];
    const int link = (int)frame[0];
    KERNEL(motion_columns, q, axes, centers);
    KERNEL(link_poses, q, poses);
    for (int i = 0; i < 3; i++) {
        const double *row = poses + 16 * link + 4 * i;
        point[i] = row[0] * frame[1] + row[1] * frame[2] + row[2] * frame[3] + row[3];
    }
    point_jacobian(axes, axis_last[link], point, J);
}

#endif
