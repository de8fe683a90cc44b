/* Balls, capsules and cylinders against cylinders, boxes and polyhedra: the axis that separates most among normals of
 * flats, axes across two lines, and the line between the nearest points; then the part of one that looks at the other
 * is clipped by it. A ball is its centre, a capsule its axis, their radius comes last. */

#include "faces.h"
#include "pairs.h"

enum { FACE, FLAT_OF_FIRST, LINES, POINTS };
static const double PASSING = 1e-6; /* of its length a line may pass beyond the end of another and still be met */

/* Unit axis n from the first solid to the second, how far it separates them, what has it; for POINTS the point of the
 * first. */
typedef struct {
    double s, n[3];
    int kind, face;
    double point[3];
} separation;

static void try_axis(
    const kg_placed *a, const kg_placed *b, const double *n, int kind, int face, double ahead, separation *best)
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
static void try_both(const kg_placed *a, const kg_placed *b, const double *n, int kind, double ahead, separation *best)
{
    const double size2 = kg_dot3(n, n);
    for (int side = 0; side < 2; side++) {
        const double scale = (side ? -1.0 : 1.0) / sqrt(size2), m[3] = {scale * n[0], scale * n[1], scale * n[2]};
        try_axis(a, b, m, kind, side, ahead, best);
    }
}

/* `above`: how far a point of a lies beyond the faces of b. */
static void try_polyhedron(
    const kg_placed *a, const kg_placed *b, const double *above, double size, separation *best, separation *line)
{
    double axis[3], u[3], n[3];
    for (int k = 0; k < b->hull->faces; k++) {
        if (above[k] <= best->s)
            continue;
        kg_out_of(b, b->hull->plane[k], 0, n);
        for (int i = 0; i < 3; i++)
            n[i] = -n[i];
        try_axis(a, b, n, FACE, k, 0.0, best);
    }
    if (a->kind == KG_SPHERE)
        return;
    kg_axis_of(a, 2, axis);
    if (a->kind == KG_CYLINDER)
        try_both(a, b, axis, FLAT_OF_FIRST, 1e-3 * size, best);
    for (int k = 0; k < b->hull->edges; k++) {
        const short *e = b->hull->edge[k];
        if (kg_max(above[e[2]], above[e[3]]) <= kg_min(kg_max(best->s, line->s), 0.0))
            continue;
        const double *x = b->hull->vertex[e[0]], *y = b->hull->vertex[e[1]],
                     d[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]};
        double f[3], g[3];
        kg_out_of(b, d, 0, u);
        kg_out_of(b, b->hull->plane[e[2]], 0, f);
        kg_out_of(b, b->hull->plane[e[3]], 0, g);
        if (kg_dot3(f, axis) * kg_dot3(g, axis) >= 0.0)
            continue; /* the plane across the axis does not pass between the two faces */
        kg_cross3(u, axis, n);
        const double length = sqrt(kg_dot3(n, n)), sign = kg_dot3(n, f) + kg_dot3(n, g) > 0.0 ? -1.0 : 1.0;
        for (int i = 0; i < 3; i++)
            n[i] *= sign / length;
        try_axis(a, b, n, LINES, k, 0.0, line);
    }
}

static void try_cylinder(const kg_placed *a, const kg_placed *b, double size, separation *best, separation *line)
{
    double u[3], w[3], n[3];
    const double d[3] = {b->p[0] - a->p[0], b->p[1] - a->p[1], b->p[2] - a->p[2]};
    kg_axis_of(a, 2, u);
    kg_axis_of(b, 2, w);
    try_both(a, b, w, FACE, 0.0, best);
    if (a->kind == KG_CYLINDER)
        try_both(a, b, u, FLAT_OF_FIRST, 1e-3 * size, best);
    kg_cross3(u, w, n);
    if (kg_dot3(n, n) > 1e-6) {
        try_both(a, b, n, LINES, 0.0, line);
        return;
    }
    for (int i = 0; i < 3; i++)
        n[i] = d[i] - kg_dot3(d, w) * w[i];
    if (!kg_has_direction(n, size))
        kg_across(w, n); /* one axis lies on the other */
    try_both(a, b, n, LINES, 0.0, line);
}

/* Better axes near the best: b is moved out along it until it is free, and the nearest points are found. */
static separation refined(const kg_placed *a, const kg_placed *b, double size, separation next)
{
    for (int turn = 0; turn < 12; turn++) {
        double p[3], x[3], y[3], n[3];
        for (int i = 0; i < 3; i++)
            p[i] = b->p[i] + (1e-3 * size - next.s) * next.n[i];
        kg_placed moved = *b;
        moved.p = p;
        if (kg_nearest(a, &moved, HUGE_VAL, x, y) != 1)
            break;
        const double d[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]}, length = sqrt(kg_dot3(d, d)), before = next.s;
        for (int i = 0; i < 3; i++)
            n[i] = d[i] / length;
        try_axis(a, b, n, POINTS, 0, 0.0, &next);
        memcpy(next.point, x, sizeof x);
        if (!(next.s > before + 1e-12 * size))
            break;
    }
    next.kind = POINTS;
    return next;
}

/* The best of what lies near the best axes and the line of centres, which deep overlaps may need. */
static separation refined_from_all(
    const kg_placed *a, const kg_placed *b, double size, const separation *face, const separation *line)
{
    const double d[3] = {b->p[0] - a->p[0], b->p[1] - a->p[1], b->p[2] - a->p[2]};
    separation start[5] = {*face, *line}, best = refined(a, b, size, face->s > line->s ? *face : *line);
    if (best.s > -2e-2 * size)
        return best;
    for (int k = 2; k < 5; k++) { /* along the line of centres, and across either axis */
        double axis[3], n[3];
        start[k].s = -HUGE_VAL;
        kg_axis_of(k == 3 ? a : b, 2, axis);
        for (int i = 0; i < 3; i++)
            n[i] = d[i] - (k == 2 ? 0.0 : kg_dot3(d, axis) * axis[i]);
        if (kg_has_direction(n, size))
            try_both(a, b, n, POINTS, 0.0, start + k);
    }
    for (int k = 0; k < 5; k++) {
        const separation next = start[k].s > -HUGE_VAL ? refined(a, b, size, start[k]) : best;
        if (next.s > best.s)
            best = next;
    }
    return best;
}

/* The best axis across which curves meet about the point that is known, if it separates by `least`. */
static int try_meetings(const kg_placed *a, const kg_placed *b, double near, double least, separation *best)
{
    kg_meeting meeting[KG_MEETINGS];
    const double *x = best->point,
                 y[3] = {x[0] + best->s * best->n[0], x[1] + best->s * best->n[1], x[2] + best->s * best->n[2]};
    const int count = kg_meetings(a, b, x, y, near, meeting);
    separation next = {-HUGE_VAL, {0.0, 0.0, 1.0}, POINTS, 0, {0.0}};
    for (int k = 0; k < count; k++) {
        const double before = next.s;
        try_axis(a, b, meeting[k].n, POINTS, 0, 0.0, &next);
        for (int i = 0; i < 3 && next.s > before; i++)
            next.point[i] = meeting[k].x[i] - (meeting[k].of_second ? next.s * next.n[i] : 0.0);
    }
    if (next.s >= least)
        *best = next;
    return next.s >= least;
}

/* What of `other` lies over face k of `ref`; sign: -1 where that is the second solid. */
static int over(const kg_placed *ref, const kg_placed *other, int k, double sign, double radius, long code,
    double margin, kg_touch *t)
{
    kg_face face;
    kg_corner corner[2 * KG_MOST_CORNERS];
    kg_touch all[KG_MANY];
    kg_face_of(ref, k, &face);
    const int count = kg_over(&face, other, corner);
    int found = 0;
    for (int i = 0; i < count; i++) {
        const kg_corner *c = corner + i;
        const double height = kg_dot3(face.n, c->x) - face.level;
        double normal[3], on[3]; /* on the surface of the first solid */
        for (int e = 0; e < 3; e++) {
            normal[e] = sign * face.n[e];
            on[e] = c->x[e] - (sign > 0.0 ? height : radius) * face.n[e];
        }
        found = kg_with_room(all, found, ref);
        found += kg_add(all + found, 16384 * code + 128 * c->in + c->out, margin, height - radius, normal, on);
    }
    return kg_keep(all, found, ref, t);
}

/* Where a line of one passes a line of the other along n: a point, or both ends of what they have in common; none where
 * they pass beyond an end. */
static int line_on_line(
    const kg_placed *a, const kg_placed *b, const separation *best, double radius, double margin, kg_touch *t)
{
    const double back[3] = {-best->n[0], -best->n[1], -best->n[2]}, *n = best->n;
    kg_corner c[KG_RIM], e[KG_RIM];
    kg_outline(a, n, 0, c);
    if (b->hull) {
        kg_out_of(b, b->hull->vertex[b->hull->edge[best->face][0]], b->p, e[0].x);
        kg_out_of(b, b->hull->vertex[b->hull->edge[best->face][1]], b->p, e[1].x);
    } else
        kg_outline(b, back, 0, e);
    double u[3], w[3], d[3];
    for (int i = 0; i < 3; i++) {
        u[i] = c[1].x[i] - c[0].x[i];
        w[i] = e[1].x[i] - e[0].x[i];
        d[i] = e[0].x[i] - c[0].x[i];
    }
    const double uu = kg_dot3(u, u), ww = kg_dot3(w, w), uw = kg_dot3(u, w), du = kg_dot3(d, u), dw = kg_dot3(d, w),
                 det = uu * ww - uw * uw;
    double at[2], on_b = 0.5;
    int count = 0;
    if (det > 1e-6 * uu * ww) {
        at[0] = at[1] = (du * ww - dw * uw) / det;
        on_b = (du * uw - dw * uu) / det;
    } else if (!(uu > 0.0)) /* a capsule without length */
        at[0] = at[1] = 0.0;
    else {
        at[0] = kg_min(du, du + uw) / uu;
        at[1] = kg_max(du, du + uw) / uu;
    }
    if (at[1] < -PASSING || at[0] > 1.0 + PASSING || fabs(on_b - 0.5) > 0.5 + PASSING)
        return 0;
    for (int k = 0; k < 2; k++)
        at[k] = kg_clamp(at[k], 0.0, 1.0);
    const int ways = at[1] - at[0] > 1e-9 ? 2 : 1;
    for (int k = 0; k < ways; k++) {
        const double on[3] = {c[0].x[0] + at[k] * u[0] + radius * n[0], c[0].x[1] + at[k] * u[1] + radius * n[1],
            c[0].x[2] + at[k] * u[2] + radius * n[2]};
        count += kg_add(t + count, 16384 * 4096L + 2 * best->face + k, margin, best->s - radius, n, on);
    }
    return count;
}

/* A better `point` than nearest points tell, which are exact to a part of how far they reach; `proved`: other axes. */
static void find_point(
    const kg_placed *a, const kg_placed *b, double size, separation proved, double gap, separation *point)
{
    const double reach = kg_apart(point->point, a->p) + kg_apart(point->point, b->p), near = 1e-2 * size + 1e-4 * reach;
    const int known = point->kind == POINTS && gap > 1e-5 * reach;
    if (point->kind == POINTS)
        try_axis(a, b, point->n, POINTS, 0, 0.0, &proved);
    if (try_meetings(a, b, near, proved.s - 1e-12 * reach, point) || known)
        return;
    *point = refined(a, b, size, proved);
    try_meetings(a, b, near, point->s - 1e-12 * reach, point);
}

/* A ball, capsule or cylinder against a cylinder, box or polyhedron. */
int kg_round_solid(const kg_placed *a, const kg_placed *b, double margin, kg_touch *t)
{
    const double radius = a->kind == KG_CYLINDER ? 0.0 : a->size[0], size = kg_min(kg_least_half(a), kg_least_half(b));
    double x[3], y[3], on[3], above[KG_MOST_FACES];
    const int apart = kg_nearest(a, b, margin + radius, x, y);
    if (apart < 0)
        return 0;
    const double d[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]}, gap = sqrt(kg_dot3(d, d));
    separation face = {-HUGE_VAL, {0.0, 0.0, 1.0}, POINTS, 0, {x[0], x[1], x[2]}}, line = face;
    if (b->hull) {
        kg_heights(b, x, above);
        for (int k = 0; k < b->hull->faces; k++)
            above[k] += 1e-9 * size;
        try_polyhedron(a, b, above, size, &face, &line);
    } else
        try_cylinder(a, b, size, &face, &line);
    const int far = apart && gap > 1e-9 * size;
    separation point = kg_max(face.s, line.s) == line.s ? line : face;
    if (far)
        for (int i = 0; i < 3; i++) {
            point.s = gap;
            point.kind = POINTS;
            point.n[i] = d[i] / gap;
        }
    else if (point.s < -1e-3 * size) /* else no other axis is much better */
        point = refined_from_all(a, b, size, &face, &line);
    int count = 0;
    if (face.s >= kg_max(line.s, far ? 0.0 : point.s) - 1e-3 * size) {
        count = face.kind == FACE ? over(b, a, face.face, -1.0, radius, face.face, margin, t)
                                  : over(a, b, !face.face, 1.0, 0.0, 4098 + !face.face, margin, t);
    }
    for (int k = 0; k < count; k++)
        if (t[k].gap <= (far ? gap : face.s + 1e-3 * size) - radius + 1e-6 * size)
            return count;
    if (line.s >= point.s - (far ? 1e-6 * size : 1e-3 * size)) {
        count = line_on_line(a, b, &line, radius, margin, t);
        if (count)
            return kg_beside(a, b, radius, margin, t, count);
    }
    find_point(a, b, size, face.s > line.s ? face : line, far ? gap : HUGE_VAL, &point);
    for (int i = 0; i < 3; i++)
        on[i] = point.point[i] + radius * point.n[i];
    count = kg_add(t, 16384 * 4100L, margin, point.s - radius, point.n, on);
    return a->kind == KG_SPHERE ? count : kg_beside(a, b, radius, margin, t, count);
}
