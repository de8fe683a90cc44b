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

/* One more point at x of the field along n, both in its axes, unless it is there already. */
int kg_add_once(kg_touch *t, int count, const kg_placed *ground, long feature, double margin, double gap,
    const double *n, const double *x);

/* Edges and corners of the field that reach into `s`, which is seen from the field, or up to it. */
int kg_over_ridge(const kg_placed *ground, const kg_placed *s, const kg_ridge *r, long feature, double margin,
    kg_touch *t, int count);
int kg_over_corner(
    const kg_placed *ground, const kg_placed *s, int i, int j, long feature, double margin, kg_touch *t, int count);

#endif
