/* Pose (4, 4) of a frame in world. */

#ifndef KINEGEN_FRAMES_FRAME_POSE_H
#define KINEGEN_FRAMES_FRAME_POSE_H

#include "frame_point.h"

/* placed = [link index, offset x, y, z, rotation (9, row by row) in link axes]. */
static void frame_pose(const double *p, const double *restrict q, const double *restrict placed, double *restrict pose)
{
    path_room room;
    const double *offset = placed + 1, *turned = placed + 4, *link = path_pose(p, q, (int)placed[0], &room);
    for (int i = 0; i < 3; i++) {
        const double *row = link + 4 * i;
        for (int j = 0; j < 3; j++)
            pose[4 * i + j] = row[0] * turned[j] + row[1] * turned[3 + j] + row[2] * turned[6 + j];
        pose[4 * i + 3] = row[0] * offset[0] + row[1] * offset[1] + row[2] * offset[2] + row[3];
    }
    for (int j = 0; j < 4; j++)
        pose[12 + j] = j == 3;
}

#endif
