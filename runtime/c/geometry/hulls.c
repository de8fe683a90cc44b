/* Two solids: the axis that separates them most, then a face clipped by a face, or an edge against an edge. */

#include "lines.h"
#include "pairs.h"

/* The face of a beyond which b begins furthest out, and how far; -1 if none is better than `best`. A face that has a
 * point of b at the height `above` cannot do better than that. */
static int best_face(const kg_placed *a, const kg_placed *b, const double *above, double *best)
{
    int found = -1;
    for (int k = 0; k < a->hull->faces; k++) {
        double n[3], x[3];
        if (above[k] <= *best)
            continue;
        kg_out_of(a, a->hull->plane[k], 0, n);
        const double back[3] = {-n[0], -n[1], -n[2]};
        kg_furthest(b, back, x);
        for (int i = 0; i < 3; i++)
            x[i] -= a->p[i];
        const double height = kg_dot3(n, x) - a->hull->plane[k][3];
        if (height > *best) {
            *best = height;
            found = k;
        }
    }
    return found;
}

enum { EDGES = 128 }; /* of either solid that are looked at together */

/* An edge in world: where it begins, its direction, the normals of its two faces. */
typedef struct {
    double x[3], u[3], n[2][3];
    int number;
} edge;

/* EDGES at most of those that may do better than `least`, as a face next to them does; *from: where to begin, where to
 * go on. */
static int edges_of(const kg_placed *s, const double *above, double least, int *from, edge *e)
{
    int count = 0;
    for (; *from < s->hull->edges && count < EDGES; ++*from) {
        const short *at = s->hull->edge[*from];
        double y[3];
        if (kg_max(above[at[2]], above[at[3]]) <= least)
            continue;
        kg_out_of(s, s->hull->vertex[at[0]], s->p, e[count].x);
        kg_out_of(s, s->hull->vertex[at[1]], s->p, y);
        kg_out_of(s, s->hull->plane[at[2]], 0, e[count].n[0]);
        kg_out_of(s, s->hull->plane[at[3]], 0, e[count].n[1]);
        for (int i = 0; i < 3; i++)
            e[count].u[i] = y[i] - e[count].x[i];
        e[count++].number = *from;
    }
    return count;
}

/* Points of a, then of b, that an axis across two edges leaves on the outside of their difference: the arcs between
 * the normals of their faces cross (Gregorius 2013). */
static int supporting(const edge *a, const edge *b)
{
    const double p = kg_dot3(b->n[0], a->u), q = kg_dot3(b->n[1], a->u), r = kg_dot3(a->n[0], b->u),
                 s = kg_dot3(a->n[1], b->u);
    return p * q < 0.0 && r * s < 0.0 && p * s < 0.0;
}

/* The edges that separate most along the axis n across both, copied to `pair`, if better than `best`. */
static int try_edges(const edge *a, int count_a, const edge *b, int count_b, double *best, double *n, edge *pair)
{
    int found = 0;
    for (int i = 0; i < count_a; i++)
        for (int j = 0; j < count_b; j++) {
            double axis[3];
            if (!supporting(a + i, b + j))
                continue;
            kg_cross3(a[i].u, b[j].u, axis);
            const double size2 = kg_dot3(axis, axis);
            if (size2 < 1e-10 * kg_dot3(a[i].u, a[i].u) * kg_dot3(b[j].u, b[j].u))
                continue;
            const double scale = (kg_dot3(axis, a[i].n[0]) + kg_dot3(axis, a[i].n[1]) < 0.0 ? -1.0 : 1.0) / sqrt(size2);
            const double d[3] = {b[j].x[0] - a[i].x[0], b[j].x[1] - a[i].x[1], b[j].x[2] - a[i].x[2]};
            if (scale * kg_dot3(axis, d) <= *best)
                continue;
            *best = scale * kg_dot3(axis, d);
            for (int k = 0; k < 3; k++)
                n[k] = scale * axis[k];
            pair[0] = a[i];
            pair[1] = b[j];
            found = 1;
        }
    return found;
}

/* The same over all edges of the two that may do better than `least`; `above`: how far the other is beyond faces. */
static int best_edges(const kg_placed *a, const kg_placed *b, const double *above_a, const double *above_b,
    double least, double *best, double *n, edge *pair)
{
    edge of_a[EDGES], of_b[EDGES];
    int found = 0;
    for (int from_a = 0; from_a < a->hull->edges;) {
        const int count_a = edges_of(a, above_a, least, &from_a, of_a);
        for (int from_b = 0; count_a > 0 && from_b < b->hull->edges;) {
            const int count_b = edges_of(b, above_b, least, &from_b, of_b);
            found |= try_edges(of_a, count_a, of_b, count_b, best, n, pair);
        }
    }
    return found;
}

/* The point x of the other solid; sign: -1 where that is the first one. */
static int on_face(const kg_face *face, const double *x, double sign, long long feature, double margin, kg_touch *t)
{
    const double gap = kg_dot3(face->n, x) - face->level;
    double normal[3], on[3];
    for (int e = 0; e < 3; e++) {
        normal[e] = sign * face->n[e];
        on[e] = x[e] - (sign > 0.0 ? gap : 0.0) * face->n[e];
    }
    return kg_add(t, feature, margin, gap, normal, on);
}

/* Corners of `other` above the face that its face `facing` does not have; they may come down on it within the step. */
static int corners_above(const kg_placed *ref, const kg_placed *other, const kg_face *face, int facing, double sign,
    long long code, double margin, kg_touch *all, int found)
{
    const kg_polyhedron *o = other->hull;
    const double height = kg_dot3(face->n, other->p) - face->level;
    double x[3], up[3];
    kg_turned_into(other, face->n, up);
    for (int i = 0; i < o->vertices; i++) {
        int above = height + kg_dot3(up, o->vertex[i]) < margin;
        if (above)
            kg_out_of(other, o->vertex[i], other->p, x);
        for (int side = 0; above && side < face->sides; side++)
            above = kg_dot3(face->side[side], x) <= face->side[side][3];
        for (int j = o->start[facing]; above && j < o->start[facing + 1]; j++)
            above = o->corner[j] != i;
        if (above) {
            found = kg_with_room(all, found, ref);
            found += on_face(face, x, sign, kg_corner_feature(code, i), margin, all + found);
        }
    }
    return found;
}

/* Face k of `ref` against the face of `other` that looks at it, and against other corners above it. */
static int face_on_face(
    const kg_placed *ref, const kg_placed *other, int k, double sign, long long code, double margin, kg_touch *t)
{
    const kg_polyhedron *o = other->hull;
    kg_face face;
    kg_corner corner[2 * KG_MOST_CORNERS];
    kg_touch all[KG_MANY];
    int found = 0;
    kg_face_of(ref, k, &face);
    const int facing = kg_facing(other, face.n), first = o->start[facing], count = kg_over(&face, other, corner);
    for (int i = 0; i < count; i++) {
        const kg_corner *c = corner + i;
        const long long feature = c->in == c->out ? kg_corner_feature(code, o->corner[first + c->in])
                                                  : kg_feature_of_corner(code, c);
        found = kg_with_room(all, found, ref);
        found += on_face(&face, c->x, sign, feature, margin, all + found);
    }
    found = corners_above(ref, other, &face, facing, sign, code, margin, all, found);
    return kg_keep(all, found, ref, t);
}

/* The point of edge a that is nearest to the line of edge b; 0 where one passes the other's end by more than `beyond`
 * of its length, as edges of faces may that are flush but for a hair. */
static int edge_on_edge(const edge *a, const edge *b, const double *n, double gap, double beyond, long long feature,
    double margin, kg_touch *t)
{
    const double d[3] = {b->x[0] - a->x[0], b->x[1] - a->x[1], b->x[2] - a->x[2]};
    const double uu = kg_dot3(a->u, a->u), ww = kg_dot3(b->u, b->u), uw = kg_dot3(a->u, b->u);
    const double du = kg_dot3(d, a->u), dw = kg_dot3(d, b->u), at = (du * ww - dw * uw) / (uu * ww - uw * uw),
                 s = kg_clamp(at, 0.0, 1.0), r = (at * uw - dw) / ww;
    if (!(fabs(at - 0.5) <= 0.5 + beyond && fabs(r - 0.5) <= 0.5 + beyond))
        return 0;
    const double on[3] = {a->x[0] + s * a->u[0], a->x[1] + s * a->u[1], a->x[2] + s * a->u[2]};
    return kg_add(t, feature, margin, gap, n, on);
}

/* No pair of features separates more than the distance of two points that both solids have: that leaves few to try. */
int kg_hull_hull(const kg_placed *a, const kg_placed *b, double margin, kg_touch *t)
{
    double x[3], y[3], n[3], above_a[KG_MOST_FACES], above_b[KG_MOST_FACES];
    edge pair[2] = {0};
    const int nearest = kg_nearest(a, b, margin, x, y);
    if (nearest < 0)
        return 0;
    const double size = kg_min(a->hull->size, b->hull->size), slack = 1e-9 * size;
    const double d[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]}, gap = sqrt(kg_dot3(d, d));
    const int apart = nearest && gap > slack + 1e-13 * sqrt(kg_dot3(x, x)); /* more than what rounding leaves */
    kg_heights(a, y, above_a);
    kg_heights(b, x, above_b);
    double first = -HUGE_VAL, face, best;
    for (int k = 0; k < a->hull->faces; k++)
        above_a[k] += slack;
    for (int k = 0; k < b->hull->faces; k++)
        above_b[k] += slack;
    const int face_a = best_face(a, b, above_a, &first);
    if (face_a < 0)
        return 0; /* a pose that is none */
    face = first + 1e-3 * size; /* two faces that do alike do not take turns */
    const int face_b = best_face(b, a, above_b, &face);
    best = face_b < 0 ? first : face;
    double edge_gap = best;
    const int crossed = best_edges(a, b, above_a, above_b, kg_min(best, 0.0), &edge_gap, n, pair);
    const long long code = a->hull->faces + b->hull->faces;
    const int better = edge_gap > best + 1e-3 * size;
    if (!better) { /* faces carry more points, and near parallel edges say little */
        const int count = face_b < 0 ? face_on_face(a, b, face_a, 1.0, face_a, margin, t)
                                     : face_on_face(b, a, face_b, -1.0, a->hull->faces + face_b, margin, t);
        for (int k = 0; k < count; k++)
            if (t[k].gap <= (apart ? gap : kg_max(best, 0.0)) + 1e-6 * size)
                return count;
    }
    if (crossed && (!apart || gap <= edge_gap + 1e-6 * size)) {
        const long long number = (long long)pair[0].number * b->hull->edges + pair[1].number;
        const double beyond = better && !apart ? HUGE_VAL : 1e-6; /* overlapping, no other axis does as well */
        const int count = edge_on_edge(pair, pair + 1, n, edge_gap, beyond, kg_feature(code, number), margin, t);
        if (count)
            return kg_beside(a, b, 0.0, margin, t, count);
    }
    kg_out_of(face_b < 0 ? a : b, (face_b < 0 ? a->hull->plane[face_a] : b->hull->plane[face_b]), 0, n);
    for (int i = 0; i < 3; i++)
        n[i] = apart ? d[i] / gap : face_b < 0 ? n[i] : -n[i];
    const int ends = kg_edge_on_edge_along(a, b, x, y, n, kg_feature(code, -2), margin, t);
    if (ends)
        return kg_beside(a, b, 0.0, margin, t, ends);
    return kg_beside(a, b, 0.0, margin, t, kg_add(t, kg_feature(code, -1), margin, apart ? gap : best, n, x));
}
