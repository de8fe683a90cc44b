/* External wrenches on links, as torques of the tree. */

#ifndef KINEGEN_DRIVE_EXTERNAL_H
#define KINEGEN_DRIVE_EXTERNAL_H

#include "../compiler/inlining.h"

typedef MODEL(external) external;

/* The row of step number `step`. */
static void take_wrenches(const simulation *s, long step)
{
    if (s->external)
        s->external->row = s->external->rows + step * s->external->stride;
}

/* f (nv) += J' [force; moment] of every wrench, world axes. A place is [link, x, y, z, rests]: rests 0: the point goes
 * with the link, at x, y, z in its axes; 1: the moment is that about the origin of the world. */
KG_COLD static void add_wrenches(const simulation *s, const double *q, double *f)
{
    const double *p = s->p;
    const external *e = s->external;
    for (long k = 0; e && k < e->count; k++) {
        const double *at = e->place + 5 * k, *w = e->row + 6 * k;
        double J[6 * NV], wrench[6];
        memcpy(wrench, w, sizeof wrench);
        if (at[4] != 0.0) {
            double poses[16 * BODIES];
            KERNEL(link_poses, q, poses);
            const double *T = poses + 16 * (int)at[0], x[3] = {T[3], T[7], T[11]};
            for (int i = 0; i < 3; i++) /* about the link's origin, where it acts */
                wrench[3 + i] -= x[(i + 1) % 3] * w[(i + 2) % 3] - x[(i + 2) % 3] * w[(i + 1) % 3];
        }
        KERNEL(frame_jacobian, q, at, J);
        for (int m = 0; m < 6; m++)
            for (int i = 0; i < NV; i++)
                f[i] += J[m * NV + i] * wrench[m];
    }
}

#endif
