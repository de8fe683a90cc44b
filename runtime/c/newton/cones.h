/* What the points of an island would take at given velocities v, if each gave way a little: with f0 there were before,
 *
 *     f = P(f0 - G v),   G = 1/(soft K), K: a point's own,
 *
 * P: onto the cone, normal impulse first, friction within mu times that. */

#ifndef KINEGEN_NEWTON_CONES_H
#define KINEGEN_NEWTON_CONES_H

#include "../contact/islands.h"

/* f (3), and S = -df/dv by columns of four, if that is asked for. K of the tangents is its larger eigenvalue, the same
 * along both. */
static inline void give_way(
    long i, double over, const double *before, const double *v, double *f, double (*S)[4], const workspace *ws)
{
    const double G = over * ws->at[i].iK, Gt = over * ws->at[i].reach, friction = ws->at[i].friction;
    const double normal = before[0] - G * v[0], t = before[1] - Gt * v[1], u = before[2] - Gt * v[2];
    const double limit = friction * normal, size2 = t * t + u * u;
    if (S)
        memset(S, 0, 3 * sizeof *S);
    f[0] = normal > 0.0 ? normal : 0.0;
    f[1] = f[2] = 0.0;
    if (!(normal > 0.0))
        return;
    if (S)
        S[0][0] = G;
    if (!(limit > 0.0))
        return;
    if (size2 <= limit * limit) {
        f[1] = t;
        f[2] = u;
        if (S)
            S[1][1] = S[2][2] = Gt;
        return;
    }
    const double size = 1.0 / sqrt(size2), w[2] = {size * t, size * u}, turn = Gt * limit * size;
    f[1] = limit * w[0];
    f[2] = limit * w[1];
    if (!S)
        return;
    S[0][1] = friction * w[0] * G;
    S[0][2] = friction * w[1] * G;
    S[1][1] = turn * w[1] * w[1];
    S[2][2] = turn * w[0] * w[0];
    S[2][1] = S[1][2] = -turn * w[0] * w[1];
}

#endif
