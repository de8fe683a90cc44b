/* Faces of solids, sides of round ones, and which of many points of contact stay. */

#ifndef KG_GEOMETRY_FACES_H
#define KG_GEOMETRY_FACES_H

#include "clip.h"
#include "placed.h"

enum { KG_MANY = 96, KG_RIM = 17 }; /* points found before some are dropped; corners of a round side, at most */

/* How far the point x lies beyond each face. */
void kg_heights(const kg_placed *s, const double *x, double *above);

/* The face at the vertex of a solid furthest against n that looks most against it. */
int kg_facing(const kg_placed *s, const double *n);

/* Corners of the part of a solid that looks along n most: a face counterclockwise about it, or the two ends of a line,
 * or a point. A flat is an octagon in its rim with the corner furthest along n added; as a `border` it has sixteen
 * sides. */
int kg_outline(const kg_placed *s, const double *n, int border, kg_corner *c);

/* At most eight of many points with one normal: those that come lowest as the solid tips a little towards eight sides
 * that turn with s (of a face that lies flat its outermost corners), the deepest if it is much deeper, and where there
 * is room those that come lowest as it tips further. What stays is the same from step to step. */
int kg_reduce(kg_touch *t, int count, const kg_placed *s);

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
