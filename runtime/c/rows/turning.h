/* Torsional and rolling friction: the moments of a point, about its normal and two tangents, are a block of rows of
 * their own. They are bounded by the normal force of their point and always visited right after it. */

#ifndef KINEGEN_ROWS_TURNING_H
#define KINEGEN_ROWS_TURNING_H

#include "../contact/points.h"

/* Moments as block i; `point` is the number of the block that they belong to. */
static void prepare_turning(const contact *moments, long i, long point, double dt, workspace *ws)
{
    double d[3][3];
    prepare_axes(moments, i, 1, d, ws);
    answer_block(i, d[0][0], ws);
    prepare_inverses(i, ws);
    const double *f = moments->force, normal = ws->at[point].impulse[0];
    const int surface = pair_at(moments->pair - FIRST_TURNING).surface;
    ws->at[i].torsion = SURFACE[surface].torsion;
    ws->at[i].friction = SURFACE[surface].rolling;
    ws->at[i].other = (int)point;
    ws->at[point].other = (int)i;
    const double most = ws->at[i].torsion * normal, limit = ws->at[i].friction * normal;
    const double t = dt * kg_dot3(f, d[1]), u = dt * kg_dot3(f, d[2]), size2 = t * t + u * u;
    const double scale = size2 > limit * limit ? limit / sqrt(size2) : 1.0;
    const double about = ws->at[i].iK > 0.0 ? kg_max(kg_min(dt * kg_dot3(f, d[0]), most), -most) : 0.0;
    const double impulse[3] = {about, scale * t, scale * u};
    memcpy(ws->at[i].impulse, impulse, sizeof impulse);
}

/* All of them; the points stand before them in the same order. */
static void prepare_all_turning(const contacts *c, long end, double dt, workspace *ws)
{
    long point = 0;
    for (long i = ws->turning; i < end; i++, point++) {
        while (!resists_turning(c->points[point].pair))
            point++;
        prepare_turning(c->points + i, i, point, dt, ws);
    }
}

/* The points are told their moments. */
static void tell_moments(long end, contacts *c, const workspace *ws)
{
    for (long i = ws->turning; i < end; i++)
        memcpy(c->points[ws->at[i].other].moment, c->points[i].force, sizeof c->points[i].force);
}

#endif
