/* Impulses to begin with: what acts is presumed to act as in the step before, points that stick to stick and those that
 * slide to slide the same way. Changes d of the impulses of a point are linear in the velocities v that they leave,
 *
 *     d = -G (v - target)
 *
 * with a diagonal G, large, where it sticks: K d = target - v, but redundant rows share what they change. What 1/G adds
 * to K is called its yield. Sweeps then find out whether it is so. */

#ifndef KINEGEN_ROWS_PRESUME_H
#define KINEGEN_ROWS_PRESUME_H

#include "../contact/points.h"
#include "triples.h"

#define AT_CONE (1.0 - 1e-9) /* of the square of the largest friction: from there on a point slides */
#define YIELD 1e-4 /* 1/G over the row's own part of K */

/* 1 if no row is between two links, or a limit. */
static int are_on_world(const contacts *c, const workspace *ws)
{
    for (long i = 0; i < c->count; i++)
        if (c->points[i].pair >= PAIRS || ws->at[i].a >= 0 || ws->at[i].b < 0)
            return 0;
    return 1;
}

/* G', rows of four, the yield of each row, velocities with the impulses that there are, and whether it slides. */
typedef struct {
    double G[3][4], yield[3], v[3];
    int slides;
} presumed;

/* Along the slip w friction follows the normal impulse, d = mu d_n w; across it, it turns as the slip does. */
static void presume_slip(long i, presumed *of, const workspace *ws)
{
    const double *f = ws->at[i].impulse, over = 1.0 / sqrt(f[1] * f[1] + f[2] * f[2]);
    const double w[2] = {over * f[1], over * f[2]}, x[2] = {-w[1], w[0]}, slip = -(w[0] * of->v[1] + w[1] * of->v[2]);
    const double across = 1.0 / (of->yield[1] + over * slip);
    for (int r = 0; r < 2; r++) {
        of->G[0][1 + r] = of->G[0][0] * ws->at[i].friction * w[r];
        for (int c = 0; c < 2; c++)
            of->G[1 + c][1 + r] = across * x[r] * x[c];
    }
    of->yield[2] = of->yield[1];
    of->slides = 1;
}

/* Of block i, from its velocities of->v: gives how far they are from what they are to be. Idle rows stay out, and
 * those that do not act, but for the normals of what approaches where nothing acts yet: `fresh`. */
static double presume_point(long i, int fresh, presumed *of, const workspace *ws)
{
    const double *f = ws->at[i].impulse, *K = ws->at[i].k, *v = of->v;
    const double limit = ws->at[i].friction * f[0], size2 = f[1] * f[1] + f[2] * f[2];
    for (int r = 0; r < 3; r++)
        of->yield[r] = YIELD * K[r == 0 ? 0 : 2 * r + 1];
    of->v[0] -= ws->at[i].target;
    of->slides = 0;
    memset(of->G, 0, sizeof of->G);
    if (!(ws->at[i].iK > 0.0 && (f[0] > 0.0 || (fresh && v[0] < 0.0))))
        return -v[0];
    of->G[0][0] = 1.0 / of->yield[0];
    if (!(limit > 0.0))
        return fabs(v[0]);
    if (size2 >= AT_CONE * limit * limit && f[1] * v[1] + f[2] * v[2] < 0.0) {
        presume_slip(i, of, ws);
        return kg_max(fabs(v[0]), fabs(f[1] * v[2] - f[2] * v[1]) / sqrt(size2));
    }
    of->G[1][1] = K[3] > 0.0 ? 1.0 / of->yield[1] : 0.0;
    of->G[2][2] = K[5] > 0.0 ? 1.0 / of->yield[2] : 0.0;
    return kg_max(fabs(v[0]), kg_max(fabs(v[1]), fabs(v[2])));
}

/* d (3) = -G v */
static inline void presume_change(const presumed *of, const double *v, double *d)
{
    for (int r = 0; r < 3; r++)
        d[r] = -(of->G[0][r] * v[0] + of->G[1][r] * v[1] + of->G[2][r] * v[2]);
}

/* d (3): the change that undoes the velocities by which rows yield to impulses f. */
static inline void presume_yield(const presumed *of, const double *f, double *d)
{
    const double v[3] = {of->yield[0] * f[0], of->yield[1] * f[1], of->yield[2] * f[2]};
    presume_change(of, v, d);
}

/* The impulse of block i changes by d, as far as its cone allows: d in place. */
static void take_presumed(long i, const presumed *of, double *d, workspace *ws)
{
    double *f = ws->at[i].impulse;
    const double normal = kg_max(f[0] + d[0], 0.0), t = f[1] + d[1], u = f[2] + d[2];
    const double limit = ws->at[i].friction * normal, size2 = t * t + u * u;
    const double scale = of->slides || size2 > limit * limit ? limit / sqrt(size2 + 1e-300) : 1.0;
    const double next[3] = {normal, scale * t, scale * u};
    for (int r = 0; r < 3; r++) {
        d[r] = next[r] - f[r];
        f[r] = next[r];
    }
}

#endif
