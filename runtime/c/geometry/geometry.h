/* Narrow phase: where two placed shapes touch. C99, needs libm, allocates nothing, keeps no state. */

#ifndef KG_GEOMETRY_H
#define KG_GEOMETRY_H

#include "../terrain/terrain.h"

/* What the arrays on the stack have room for. Solids of more faces, or faces of more corners, must not be given.
 * Two solids take about 70 kB of stack at most, other pairs less than half of it. */
#define KG_MOST_FACES 1024 /* of a solid: a hull of 514 vertices whose faces are triangles has so many */
#define KG_MOST_CORNERS 128 /* of a face */
#define KG_MOST_POINTS 8 /* that kg_meet gives */

typedef enum { KG_PLANE, KG_HEIGHT_FIELD, KG_SPHERE, KG_CAPSULE, KG_CYLINDER, KG_BOX, KG_CONVEX } kg_shape_kind;

/* A convex solid about the origin: vertices; faces [outward unit normal, offset] whose corners, counterclockwise from
 * outside, begin at start[k]; edges [vertex, vertex, face along it, face back]; how far the nearest face is. */
typedef struct {
    int vertices, faces, edges;
    const double (*vertex)[3], (*plane)[4];
    const short *start, *corner, (*edge)[4];
    double size;
} kg_polyhedron;

/* A shape of a kg_shape_kind. size: radius, half length (sphere, capsule, cylinder; along z) or half edges (box); R, p:
 * pose in world, R row by row. hull: of convex shapes, and of boxes that meet others than balls and half spaces.
 * ground: of height fields. Half spaces and height fields have their normal along z and are solid below, at any depth;
 * fields end at their border, without flanks. */
typedef struct {
    int kind;
    const double *size, *R, *p;
    const kg_polyhedron *hull;
    const kg_terrain *ground;
} kg_placed;

/* A point of contact, half way between the surfaces: unit normal from the first shape to the second, gap between them
 * [m] (negative: depth). feature: what touches what; the same from step to step. It has 64 bits
 * also where a long has 32: fields have more triangles. */
typedef struct {
    long long feature;
    double gap, point[3], normal[3];
} kg_touch;

/* The points where shape b is nearer to a than `margin`, KG_MOST_POINTS of them at most; gives their number. The kind
 * of a must not come after that of b, and two of planes and height fields do not meet. */
int kg_meet(const kg_placed *a, const kg_placed *b, double margin, kg_touch *t);

#endif
