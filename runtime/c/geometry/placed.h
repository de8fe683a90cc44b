/* Placed shapes: axes, poses, support points, nearest points, points of contact. */

#ifndef KG_GEOMETRY_PLACED_H
#define KG_GEOMETRY_PLACED_H

#include <math.h>
#include <string.h>
#include "../linear/extremes.h"
#include "../linear/vectors.h"
#include "geometry.h"

static inline void kg_axis_of(const kg_placed *s, int k, double *axis)
{
    for (int i = 0; i < 3; i++)
        axis[i] = s->R[3 * i + k];
}

/* u = Rᵀd, a direction */
static inline void kg_turned_into(const kg_placed *s, const double *d, double *u)
{
    for (int k = 0; k < 3; k++)
        u[k] = s->R[k] * d[0] + s->R[3 + k] * d[1] + s->R[6 + k] * d[2];
}

/* x_out = Rᵀ(x - p) */
static inline void kg_into(const kg_placed *s, const double *x, double *x_out)
{
    const double d[3] = {x[0] - s->p[0], x[1] - s->p[1], x[2] - s->p[2]};
    kg_turned_into(s, d, x_out);
}

/* x_out = p + R x, or R x for p = 0 */
static inline void kg_out_of(const kg_placed *s, const double *x, const double *p, double *x_out)
{
    for (int i = 0; i < 3; i++)
        x_out[i] = (p ? p[i] : 0.0) + kg_dot3(s->R + 3 * i, x);
}

/* n: a unit vector across the unit vector u. */
static inline void kg_across(const double *u, double *n)
{
    int k = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(u[i]) < fabs(u[k]))
            k = i;
    const double scale = 1.0 / sqrt(1.0 - u[k] * u[k]);
    n[k] = 0.0;
    n[(k + 1) % 3] = scale * u[(k + 2) % 3];
    n[(k + 2) % 3] = -scale * u[(k + 1) % 3];
}

/* d is more than what rounding leaves between shapes of that size. */
static inline int kg_has_direction(const double *d, double size)
{
    return kg_dot3(d, d) > 1e-18 * size * size;
}

static inline double kg_apart(const double *x, const double *y)
{
    const double d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
    return sqrt(kg_dot3(d, d));
}

static inline double kg_clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* A point on the first surface (`on` first + gap/2 along the normal) if it is near enough. */
static inline int kg_add(
    kg_touch *t, long long feature, double margin, double gap, const double *normal, const double *on)
{
    if (!(gap < margin))
        return 0;
    t->feature = feature;
    t->gap = gap;
    for (int i = 0; i < 3; i++) {
        t->normal[i] = normal[i];
        t->point[i] = on[i] + 0.5 * gap * normal[i];
    }
    return 1;
}

/* The point x of a solid that lies furthest along d, by number if it is a vertex. Of balls and capsules only the centre
 * or axis counts. */
static inline int kg_furthest(const kg_placed *s, const double *d, double *x)
{
    double u[3];
    if (s->kind == KG_SPHERE) {
        memcpy(x, s->p, sizeof u);
        return 0;
    }
    kg_turned_into(s, d, u);
    if (!s->hull) {
        const double across = s->kind == KG_CYLINDER ? sqrt(u[0] * u[0] + u[1] * u[1]) : 0.0,
                     out = across > 0.0 ? s->size[0] / across : 0.0;
        const double on[3] = {out * u[0], out * u[1], u[2] < 0.0 ? -s->size[1] : s->size[1]};
        kg_out_of(s, on, s->p, x);
        return 0;
    }
    int best = 0;
    double most = kg_dot3(s->hull->vertex[0], u);
    for (int i = 1; i < s->hull->vertices; i++) {
        const double along = kg_dot3(s->hull->vertex[i], u);
        if (along > most) {
            most = along;
            best = i;
        }
    }
    kg_out_of(s, s->hull->vertex[best], s->p, x);
    return best;
}

/* 1: apart, with the nearest points x of a and y of b; 0: they meet, in x = y; -1: further apart than `far`. */
int kg_nearest(const kg_placed *a, const kg_placed *b, double far, double *x, double *y);

/* The same of a and all that lies between b and where it is at the `end`, if that is given. */
int kg_nearest_to_sweep(const kg_placed *a, const kg_placed *b, const kg_placed *end, double far, double *x, double *y);

#endif
