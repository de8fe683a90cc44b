/* Pose (4, 4) of a frame in world. */

#ifndef KINEGEN_FRAMES_FRAME_POSE_H
#define KINEGEN_FRAMES_FRAME_POSE_H

#include "frame_point.h"

/* placed = [link index, offset x, y, z, rotation (9, row by row) in link axes]. */
static void frame_pose(const double *p, const double *restrict q, const double *restrict placed, double *restrict pose)
{
    path_room room;
    double columns[4][XYZ];
    const double *offset = placed + 1, *turned = placed + 4, *link = path_pose(p, q, (int)placed[0], &room);
    for (int j = 0; j < 3; j++)
        pose_times(link, (const double[3]){turned[j], turned[3 + j], turned[6 + j]}, 0, columns[j]);
    pose_times(link, offset, 1, columns[3]);
    for (int j = 0; j < 4; j++) {
        for (int i = 0; i < 3; i++)
            pose[4 * i + j] = columns[j][i];
        pose[12 + j] = j == 3;
    }
}

#endif
