/* Faces of solids, sides of round ones, and which of many points of contact stay. */

#ifndef KG_GEOMETRY_FACES_H
#define KG_GEOMETRY_FACES_H

#include "clip.h"
#include "placed.h"

enum { KG_MANY = 96, KG_RIM = 17 }; /* points found before some are dropped; corners of a round side, at most */

/* The least half width of a polyhedron, cylinder, capsule or ball. */
static inline double kg_least_half(const kg_placed *s)
{
    return s->hull ? s->hull->size : s->kind == KG_CYLINDER ? kg_min(s->size[0], s->size[1]) : s->size[0];
}

/* How far the point x lies beyond each face. */
void kg_heights(const kg_placed *s, const double *x, double *above);

/* The face at the vertex of a solid furthest against n that looks most against it. */
int kg_facing(const kg_placed *s, const double *n);

/* Corners of the part of a solid that looks along n most: a face counterclockwise about it, or the two ends of a line,
 * or a point. A flat is an octagon in its rim with the corner furthest along n added; as a `border` it has sixteen
 * sides. */
int kg_outline(const kg_placed *s, const double *n, int border, kg_corner *c);

/* A face and its border: outward unit normal n, n·x = level on it, m·x <= limit within each side [m, limit]. */
typedef struct {
    double n[3], level, side[KG_MOST_CORNERS][4];
    int sides;
} kg_face;

/* Face k of a polyhedron, or the flat of a cylinder at the low (0) or high (1) end of its axis. */
void kg_face_of(const kg_placed *s, int k, kg_face *face);

/* What of the outline of `other` that looks at the face lies over it: its number of corners, 2 * KG_MOST_CORNERS at
 * most. */
int kg_over(const kg_face *face, const kg_placed *other, kg_corner *c);

/* Where an edge or corner of either solid meets the other, in the `count` points t with one normal: those, and what
 * else lies over the faces there, nearer than margin. radius: of the first, if it is a capsule. */
int kg_beside(const kg_placed *a, const kg_placed *b, double radius, double margin, kg_touch *t, int count);

/* An axis from the first solid to the second, and the point that they meet in: of the first or of the second. */
typedef struct {
    double n[3], x[3];
    int of_second;
} kg_meeting;

enum { KG_MEETINGS = 16 };

/* What may separate curved solids whose nearest points are about x and y, no further than `near` from the edges, rims
 * and corners that meet: corners and rims on the side of a cylinder, rims on edges and rims. */
int kg_meetings(const kg_placed *a, const kg_placed *b, const double *x, const double *y, double near, kg_meeting *m);

/* At most eight of many points with one normal: those that come lowest as the solid tips a little towards eight sides
 * that turn with s (of a face that lies flat its outermost corners), the deepest to 1e-5 of how far they spread, and
 * where there is room those that come lowest as it tips further. What stays is the same from step to step. */
int kg_reduce(kg_touch *t, int count, const kg_placed *s);

/* A corner of a polyhedron over the face `code`, whichever of its own faces looks at that. */
static inline long long kg_corner_feature(long long code, int vertex)
{
    return -2 - kg_feature(code, vertex);
}

/* Room for one more among KG_MANY points. */
static inline int kg_with_room(kg_touch *all, int count, const kg_placed *s)
{
    return count < KG_MANY ? count : kg_reduce(all, count, s);
}

/* The points that stay, in t. */
static inline int kg_keep(kg_touch *all, int count, const kg_placed *s, kg_touch *t)
{
    count = kg_reduce(all, count, s);
    memcpy(t, all, (size_t)count * sizeof *t);
    return count;
}

#endif
