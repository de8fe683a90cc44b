/* Velocity and acceleration of a frame. */

#ifndef KINEGEN_DERIVATIVES_FRAME_MOTION_H
#define KINEGEN_DERIVATIVES_FRAME_MOTION_H

#include "path_motion.h"

/* motion (2, 6): [linear; angular] velocity of the frame's origin, world axes, and its rate. */
static void frame_motion(const double *p, const double *restrict q, const double *restrict v, const double *restrict a,
    const double *restrict frame, double *restrict motion)
{
    path_axis path[TREE_AXES];
    double V[6], A[6];
    path_motion(p, q, v, a, frame, path, V, A);
    add_turned(V + 3, V, A); /* the origin's own: A + w x u */
    copy_twist(V, motion);
    copy_twist(A, motion + 6);
}

#endif
