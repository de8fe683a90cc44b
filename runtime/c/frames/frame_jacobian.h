/* Jacobian (6, NV) of a frame: rows [linear; angular], world axes. */

#ifndef KINEGEN_FRAMES_FRAME_JACOBIAN_H
#define KINEGEN_FRAMES_FRAME_JACOBIAN_H

#include "frame_point.h"

/* frame = [link index, offset x, y, z in link axes]. */
static void frame_jacobian(const double *p, const double *restrict q, const double *restrict frame, double *restrict J)
{
    path_room room;
    double point[3];
    const int link = frame_point(p, q, frame, &room, point);
    point_jacobian(room.axes, axis_last[link], point, J);
}

#endif
