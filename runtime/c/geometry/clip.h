/* Polygons and lines, cut by half spaces. */

#ifndef KG_GEOMETRY_CLIP_H
#define KG_GEOMETRY_CLIP_H

#include "../linear/vectors.h"
#include "geometry.h"

enum { KG_SIDES = KG_MOST_CORNERS, KG_EDGES = 2 * KG_MOST_CORNERS, KG_FEATURES = KG_EDGES * KG_EDGES };

/* A corner of a clipped polygon, known by the edges in and out: those of the polygon from 0, the clipping sides from
 * KG_SIDES on, all below KG_EDGES; a corner that was there before has its own number twice. */
typedef struct {
    double x[3];
    int in, out;
} kg_corner;

/* Number `which` < KG_FEATURES of the features of face `code`. */
static inline long long kg_feature(long long code, long long which)
{
    return KG_FEATURES * code + which;
}

static inline long long kg_feature_of_corner(long long code, const kg_corner *c)
{
    return kg_feature(code, KG_EDGES * c->in + c->out);
}

/* What lies on the inner side of n·x <= limit of a polygon of `count` corners. */
static inline int kg_clip(const kg_corner *in, int count, const double *n, double limit, int side, kg_corner *out)
{
    const double begin = count > 0 ? kg_dot3(n, in[0].x) - limit : 0.0; /* once: a corner is on one side, not two */
    double next = begin;
    int kept = 0;
    for (int i = 0; i < count; i++) {
        const kg_corner *a = in + i, *b = in + (i + 1) % count;
        const double da = next, db = i + 1 < count ? kg_dot3(n, b->x) - limit : begin;
        next = db;
        if (da <= 0.0)
            out[kept++] = *a;
        if ((da < 0.0 && db > 0.0) || (da > 0.0 && db < 0.0)) {
            const double s = da / (da - db);
            for (int k = 0; k < 3; k++)
                out[kept].x[k] = a->x[k] + s * (b->x[k] - a->x[k]);
            out[kept].in = da < 0.0 ? a->out : KG_SIDES + side;
            out[kept++].out = da < 0.0 ? KG_SIDES + side : a->out;
        }
    }
    return kept;
}

/* What lies within n·x <= limit of a line or a point; a cut end is known by the side that cut it. */
static inline int kg_clip_line(kg_corner *c, int count, const double *n, double limit, int side)
{
    const double first = kg_dot3(n, c[0].x) - limit, last = count > 1 ? kg_dot3(n, c[count - 1].x) - limit : first;
    if (first > 0.0 && last > 0.0)
        return 0;
    if (first <= 0.0 && last <= 0.0)
        return count;
    kg_corner *cut = c + (last > 0.0);
    const double at = first / (first - last);
    for (int i = 0; i < 3; i++)
        cut->x[i] = (1.0 - at) * c[0].x[i] + at * c[1].x[i];
    cut->out = KG_SIDES + side;
    return count;
}

#endif
