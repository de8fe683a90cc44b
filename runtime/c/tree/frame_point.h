/* Where a frame is: the motion axes of the tree, and a point that is fixed to a link. */

#ifndef KINEGEN_TREE_FRAME_POINT_H
#define KINEGEN_TREE_FRAME_POINT_H

#include "columns.h"

/* frame = [link index, offset x, y, z in link axes]: axes (TREE_AXES, 9), the offset's point in world; its link. */
static inline int frame_point(const double *p, const double *restrict q, const double *restrict frame,
    double *restrict axes, double *restrict point)
{
    double centers[3 * BODIES], poses[16 * BODIES];
    const int link = (int)frame[0];
    KERNEL(motion_columns, q, axes, centers);
    KERNEL(link_poses, q, poses);
    for (int i = 0; i < 3; i++) {
        const double *row = poses + 16 * link + 4 * i;
        point[i] = row[0] * frame[1] + row[1] * frame[2] + row[2] * frame[3] + row[3];
    }
    return link;
}

#endif
