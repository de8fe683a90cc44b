/* Velocity of a frame. */

#ifndef KINEGEN_FRAMES_FRAME_VELOCITY_H
#define KINEGEN_FRAMES_FRAME_VELOCITY_H

#include "frame_point.h"

/* V = [linear; angular] of the frame's origin, world axes; frame = [link index, offset x, y, z in link axes]. */
static void frame_velocity(const double *p, const double *restrict q, const double *restrict v,
    const double *restrict frame, double *restrict V)
{
    path_room room;
    double point[XYZ], column[2][XYZ], sum[2][3] = {{0.0}};
    const int link = frame_point(p, q, frame, &room, point);
    for (int k = axis_last[link]; k >= 0; k = axis_above[k]) {
        path_column(&room, k, point, column);
        KG_UNROLLED
        for (int i = 0; i < 3; i++) {
            sum[0][i] += v[axis_dof[k]] * column[0][i];
            sum[1][i] += v[axis_dof[k]] * column[1][i];
        }
    }
    memcpy(V, sum, sizeof sum);
}

#endif
