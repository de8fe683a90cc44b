/* Triangles, edges and corners of a height field, in its axes; points of contact with it. */

#ifndef KG_TERRAIN_GRID_H
#define KG_TERRAIN_GRID_H

#include "../geometry/placed.h"

/* Triangle `half` of cell (i, j), counterclockwise from above, and its normal. */
typedef struct {
    int i, j, half;
    double x[3][3], n[3];
} kg_triangle;

/* An edge from x along the unit vector u where the field bends outwards. Its normals lie between n, that of one side,
 * and what is turned by `most` towards `out`, across both n and u. */
typedef struct {
    double x[3], u[3], length, n[3], out[3], most;
} kg_ridge;

/* A shape against the field of the ground, in whose axes it and the box about it stand. Unless `any` depth counts, what
 * is told to be below has to be in the ground. */
typedef struct {
    const kg_placed *ground, *shape;
    const kg_terrain *field;
    double low[3], high[3], radius, margin;
    int any;
} kg_field_query;

static inline double kg_least_step(const kg_terrain *f)
{
    return kg_min(f->step[0], f->step[1]);
}

/* 1 if `at` is between the ends of the ridge or, by rounding, beyond one: the next ridge may have it beyond its own. */
static inline int kg_within_ends(const kg_ridge *r, double at)
{
    const double rounding = 1e-9 * r->length;
    return at >= -rounding && at <= r->length + rounding;
}

/* Corner (i, j), inside the border or on it. */
void kg_field_corner(const kg_terrain *f, int i, int j, double *x);

void kg_field_triangle(const kg_terrain *f, int i, int j, int half, kg_triangle *t);

/* 1 if n is a normal of the field at its corner (i, j). */
int kg_normal_at_corner(const kg_terrain *f, int i, int j, const double *n);

/* 1 if n is a normal of the field at its point x in the triangle: that of the triangle inside, on an edge or corner
 * what lies between the normals around it; on an edge what n has along it, by rounding, is taken off. */
int kg_normal_at(const kg_terrain *f, const kg_triangle *t, const double *x, double *n);

/* 1 if the field goes on straight across the edge of the triangle from corner k on. */
int kg_flat_edge(const kg_terrain *f, const kg_triangle *t, int k);

/* The edge of the triangle from corner k on, if it is a ridge and this triangle, of the two there, tells it. */
int kg_ridge_of(const kg_terrain *f, const kg_triangle *t, int k, kg_ridge *r);

/* 1 if no point of the straight way from x to y is above the field. */
int kg_way_below(const kg_terrain *f, const double *x, const double *y);

/* 1 if what begins `gap` along n from the ridge at `at` is not below the field, or in the ground all the way. */
int kg_behind(const kg_terrain *f, const kg_ridge *r, double at, const double *n, double gap);

/* 1 if a solid, `gap` < 0 out along a normal of the field at x, is off x by less of a way straight up. along: the unit
 * vector of the edge there, or 0 at a corner. */
int kg_sooner_up(const kg_placed *s, const double *x, const double *along, double gap);

/* 1 if the ridge passes straight over the line a + along w, for `along` from low to high. */
int kg_over_line(const kg_ridge *r, const double *a, const double *w, double low, double high);

/* 1 if the ridge at `at` is straight over, or below, face k of a polyhedron. */
int kg_over_face(const kg_ridge *r, double at, const kg_placed *s, int k);

/* 1 if the ridge passes straight over the rim of a cylinder that the point y is on. */
int kg_over_rim(const kg_ridge *r, const kg_placed *s, const double *y);

/* One more point at x of the field along n, both in its axes, unless it is there already. */
int kg_add_once(
    const kg_field_query *of, long long feature, double gap, const double *n, const double *x, kg_touch *t, int count);

/* Edges and corners of the field that reach into the shape, or up to it. */
int kg_over_ridge(const kg_field_query *of, const kg_ridge *r, long long feature, kg_touch *t, int count);
int kg_over_corner(const kg_field_query *of, int i, int j, long long feature, kg_touch *t, int count);

#endif
