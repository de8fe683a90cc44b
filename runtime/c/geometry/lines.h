/* Axes that may separate a round solid from another, and lines of solids along each other. */

#ifndef KG_GEOMETRY_LINES_H
#define KG_GEOMETRY_LINES_H

#include "faces.h"

enum { KG_FACE, KG_FLAT_OF_FIRST, KG_LINES, KG_POINTS };

/* Unit axis n from the first solid to the second, how far it separates them, what has it; for KG_POINTS the point of
 * the first. */
typedef struct {
    double s, n[3];
    int kind, face;
    double point[3];
} kg_separation;

static inline void kg_try_axis(
    const kg_placed *a, const kg_placed *b, const double *n, int kind, int face, double ahead, kg_separation *best)
{
    const double back[3] = {-n[0], -n[1], -n[2]};
    double x[3], y[3];
    kg_furthest(a, n, x);
    kg_furthest(b, back, y);
    const double s = kg_dot3(n, y) - kg_dot3(n, x);
    if (!(s > best->s + ahead))
        return;
    best->s = s;
    best->kind = kind;
    best->face = face;
    memcpy(best->n, n, sizeof best->n);
}

/* Both ways along n, of any length but none. */
static inline void kg_try_both(
    const kg_placed *a, const kg_placed *b, const double *n, int kind, double ahead, kg_separation *best)
{
    const double size2 = kg_dot3(n, n);
    for (int side = 0; side < 2; side++) {
        const double scale = (side ? -1.0 : 1.0) / sqrt(size2), m[3] = {scale * n[0], scale * n[1], scale * n[2]};
        kg_try_axis(a, b, m, kind, side, ahead, best);
    }
}

/* Axes across the axis of a capsule or cylinder and edge k of a polyhedron; where the two are nearly parallel also
 * those from the one to the other where they come nearest. */
void kg_try_edge(const kg_placed *a, const kg_placed *b, int k, kg_separation *line);

/* Where a line of one passes a line of the other along n: a point, or both ends of what they have in common, the nearer
 * one first, each with its gap; none where they pass beyond an end, or where one has no length. */
int kg_line_on_line(
    const kg_placed *a, const kg_placed *b, const kg_separation *best, double radius, double margin, kg_touch *t);

/* Both ends of what two nearly parallel edges of polyhedra have in common, along n; x, y: their nearest points. */
int kg_edge_on_edge_along(const kg_placed *a, const kg_placed *b, const double *x, const double *y, const double *n,
    long long feature, double margin, kg_touch *t);

/* Adds to the `count` points t both ends of what the side of a capsule or cylinder has in common with edge `number` of
 * a polyhedron, or with the side of another, where these are nearly parallel and no point is there yet; no end that
 * would be nearer than the solids are. */
int kg_ends(const kg_placed *a, const kg_placed *b, int number, double margin, kg_touch *t, int count);

#endif
