/* Jacobian (6, NV) of a frame: rows [linear; angular], world axes. */

#ifndef KINEGEN_FRAMES_FRAME_JACOBIAN_H
#define KINEGEN_FRAMES_FRAME_JACOBIAN_H

#include "frame_point.h"

/* frame = [link index, offset x, y, z in link axes]. */
static void frame_jacobian(const double *p, const double *restrict q, const double *restrict frame, double *restrict J)
{
    path_room room;
    double point[XYZ], column[2][XYZ];
    const int link = frame_point(p, q, frame, &room, point);
    kg_clear(6 * NV, J); /* not before: as much as that waits to be stored */
    for (int k = axis_last[link]; k >= 0; k = axis_above[k]) {
        double *to = J + axis_dof[k];
        path_column(&room, k, point, column);
        KG_UNROLLED
        for (int i = 0; i < 3; i++) {
            to[NV * i] = TREE_AXES == NV ? column[0][i] : to[NV * i] + column[0][i];
            to[NV * (3 + i)] = TREE_AXES == NV ? column[1][i] : to[NV * (3 + i)] + column[1][i];
        }
    }
}

#endif
