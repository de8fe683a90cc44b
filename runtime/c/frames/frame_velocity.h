/* Velocity of a frame. */

#ifndef KINEGEN_FRAMES_FRAME_VELOCITY_H
#define KINEGEN_FRAMES_FRAME_VELOCITY_H

#include "frame_point.h"

/* V = [linear; angular] of the frame's origin, world axes; frame = [link index, offset x, y, z in link axes]. */
static void frame_velocity(const double *p, const double *restrict q, const double *restrict v,
    const double *restrict frame, double *restrict V)
{
    path_room room;
    double point[3], x[6] = {0.0};
    const int link = frame_point(p, q, frame, &room, point);
    for (int k = axis_last[link]; k >= 0; k = axis_above[k])
        add_column(room.axes + 9 * k, point, v[axis_dof[k]], 1, x);
    for (int m = 0; m < 6; m++)
        V[m] = x[m];
}

#endif
