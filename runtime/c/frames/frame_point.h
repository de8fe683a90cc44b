/* Where a frame is: the pose of its link and the motion axes on the path to it, of which no other link is looked at. */

#ifndef KINEGEN_FRAMES_FRAME_POINT_H
#define KINEGEN_FRAMES_FRAME_POINT_H

#include "../tree/columns.h"

/* What carries the poses along a path. */
typedef struct {
    double poses[2][12], axes[9 * TREE_AXES];
} path_room;

/* [R p] (3, 4) of a link in world, in `room`, where the axes (TREE_AXES, 9) on its path are then. */
static inline const double *path_pose(const double *p, const double *restrict q, int link, path_room *room)
{
    static const double world[12] = {1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0};
    const double *above = world;
    int path[BODIES], count = 0;
    for (int i = link; i >= 0; i = link_above[i])
        path[count++] = i;
    while (count-- > 0) { /* from the root to the link */
        double *own = room->poses[count & 1];
        KERNEL(link_step, path[count], q, above, own, room->axes + 9 * link_axis[path[count]]);
        above = own;
    }
    return above;
}

/* frame = [link index, offset x, y, z in link axes]: the offset's point in world; its link. Axes as above. */
static inline int frame_point(
    const double *p, const double *restrict q, const double *restrict frame, path_room *room, double *restrict point)
{
    const int link = (int)frame[0];
    const double *pose = path_pose(p, q, link, room);
    const double x = frame[1], y = frame[2], z = frame[3];
    point[0] = pose[0] * x + pose[1] * y + pose[2] * z + pose[3];
    point[1] = pose[4] * x + pose[5] * y + pose[6] * z + pose[7];
    point[2] = pose[8] * x + pose[9] * y + pose[10] * z + pose[11];
    return link;
}

#endif
