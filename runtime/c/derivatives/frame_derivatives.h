/* Derivatives of the motion of a frame (mathematics, section 14). */

#ifndef KINEGEN_DERIVATIVES_FRAME_DERIVATIVES_H
#define KINEGEN_DERIVATIVES_FRAME_DERIVATIVES_H

#include "path_motion.h"

/* The origin's own acceleration A + w x u, as V = [u; w] and A change by dV and dA. */
static inline void origin_rate(const double *restrict V, const double *restrict dV, double *restrict dA)
{
    add_turned(dV + 3, V, dA);
    add_turned(V + 3, dV, dA);
}

/* parts (4, 6, NV): of the motion of frame_motion, the velocity per q, the acceleration per q, per v, and per a, which
 * is the velocity per v. */
static void frame_derivatives(const double *p, const double *restrict q, const double *restrict v,
    const double *restrict a, const double *restrict frame, double *restrict parts)
{
    path_axis path[TREE_AXES];
    double V[6], A[6], origin[6];
    const int count = path_motion(p, q, v, a, frame, path, V, A);
    copy_twist(A, origin);
    add_turned(V + 3, V, origin);
    for (int i = 0; i < 4 * 6 * NV; i++)
        parts[i] = 0.0;
    for (int i = 0; i < count; i++) {
        const double *S = path[i].S, *z = S + 3;
        double dV[6] = {0.0}, by_q[6] = {0.0}, by_v[6] = {0.0}, beyond[6], outside[6];
        for (int c = 0; c < 6; c++) {
            beyond[c] = V[c] - path[i].V_above[c];
            outside[c] = V[c] - path[i].V[c];
        }
        add_twist_cross(path[i].V_above, S, dV); /* seen from the frame: what carries it moves by -S */
        add_twist_cross(path[i].A_above, S, by_q);
        add_twist_cross(dV, beyond, by_q);
        copy_twist(dV, by_v);
        add_twist_cross(S, outside, by_v);
        origin_rate(V, dV, by_q);
        origin_rate(V, S, by_v);
        for (int half = 0; half < 6; half += 3) { /* and its axes turn with S */
            add_turned(z, V + half, dV + half);
            add_turned(z, origin + half, by_q + half);
        }
        const double *columns[4] = {dV, by_q, by_v, S};
        for (int part = 0; part < 4; part++)
            for (int c = 0; c < 6; c++)
                parts[(part * 6 + c) * NV + axis_dof[path[i].axis]] += columns[part][c];
    }
}

#endif
