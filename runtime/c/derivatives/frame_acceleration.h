/* Acceleration of a frame. */

#ifndef KINEGEN_DERIVATIVES_FRAME_ACCELERATION_H
#define KINEGEN_DERIVATIVES_FRAME_ACCELERATION_H

#include "path_motion.h"

/* A: the rate of the [linear; angular] velocity of the frame's origin, world axes. */
static void frame_acceleration(const double *p, const double *restrict q, const double *restrict v,
    const double *restrict a, const double *restrict frame, double *restrict A)
{
    path_axis path[TREE_AXES];
    double V[6];
    path_motion(p, q, v, a, frame, path, V, A);
    add_turned(V + 3, V, A); /* the origin's own: A + w x u */
}

#endif
