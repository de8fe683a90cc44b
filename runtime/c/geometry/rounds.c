/* Balls, capsules and cylinders against cylinders, boxes and polyhedra: the axis that separates most among normals of
 * flats, axes across two lines, and the line between the nearest points; then the part of one that looks at the other
 * is clipped by it. A ball is its centre, a capsule its axis, their radius comes last. */

#include "lines.h"
#include "pairs.h"

/* `above`: how far a point of a lies beyond the faces of b. */
static void try_polyhedron(
    const kg_placed *a, const kg_placed *b, const double *above, double size, kg_separation *best, kg_separation *line)
{
    double axis[3], n[3];
    for (int k = 0; k < b->hull->faces; k++) {
        if (above[k] <= best->s)
            continue;
        kg_out_of(b, b->hull->plane[k], 0, n);
        for (int i = 0; i < 3; i++)
            n[i] = -n[i];
        kg_try_axis(a, b, n, KG_FACE, k, 0.0, best);
    }
    if (a->kind == KG_SPHERE)
        return;
    kg_axis_of(a, 2, axis);
    if (a->kind == KG_CYLINDER)
        kg_try_both(a, b, axis, KG_FLAT_OF_FIRST, 1e-3 * size, best);
    for (int k = 0; k < b->hull->edges; k++) {
        const short *e = b->hull->edge[k];
        if (kg_max(above[e[2]], above[e[3]]) <= kg_min(kg_max(best->s, line->s), 0.0))
            continue;
        kg_try_edge(a, b, k, line);
    }
}

static void try_cylinder(const kg_placed *a, const kg_placed *b, double size, kg_separation *best, kg_separation *line)
{
    double u[3], w[3], n[3];
    const double d[3] = {b->p[0] - a->p[0], b->p[1] - a->p[1], b->p[2] - a->p[2]};
    kg_axis_of(a, 2, u);
    kg_axis_of(b, 2, w);
    kg_try_both(a, b, w, KG_FACE, 0.0, best);
    if (a->kind == KG_CYLINDER)
        kg_try_both(a, b, u, KG_FLAT_OF_FIRST, 1e-3 * size, best);
    kg_cross3(u, w, n);
    if (kg_dot3(n, n) > 1e-6) {
        kg_try_both(a, b, n, KG_LINES, 0.0, line);
        return;
    }
    for (int i = 0; i < 3; i++)
        n[i] = d[i] - kg_dot3(d, w) * w[i];
    if (!kg_has_direction(n, size))
        kg_across(w, n); /* one axis lies on the other */
    kg_try_both(a, b, n, KG_LINES, 0.0, line);
}

/* Better axes near the best: b is moved out along it until it is free, and the nearest points are found. */
static kg_separation refined(const kg_placed *a, const kg_placed *b, double size, kg_separation next)
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
        kg_try_axis(a, b, n, KG_POINTS, 0, 0.0, &next);
        memcpy(next.point, x, sizeof x);
        if (!(next.s > before + 1e-12 * size))
            break;
    }
    next.kind = KG_POINTS;
    return next;
}

/* The best of what lies near the best axes and the line of centres, which deep overlaps may need. */
static kg_separation refined_from_all(
    const kg_placed *a, const kg_placed *b, double size, const kg_separation *face, const kg_separation *line)
{
    const double d[3] = {b->p[0] - a->p[0], b->p[1] - a->p[1], b->p[2] - a->p[2]};
    kg_separation start[5] = {*face, *line}, best = refined(a, b, size, face->s > line->s ? *face : *line);
    if (best.s > -2e-2 * size)
        return best;
    for (int k = 2; k < 5; k++) { /* along the line of centres, and across either axis */
        double axis[3], n[3];
        start[k].s = -HUGE_VAL;
        kg_axis_of(k == 3 ? a : b, 2, axis);
        for (int i = 0; i < 3; i++)
            n[i] = d[i] - (k == 2 ? 0.0 : kg_dot3(d, axis) * axis[i]);
        if (kg_has_direction(n, size))
            kg_try_both(a, b, n, KG_POINTS, 0.0, start + k);
    }
    for (int k = 0; k < 5; k++) {
        const kg_separation next = start[k].s > -HUGE_VAL ? refined(a, b, size, start[k]) : best;
        if (next.s > best.s)
            best = next;
    }
    return best;
}

/* The best axis across which curves meet about the point that is known, if it separates by `least`. */
static int try_meetings(const kg_placed *a, const kg_placed *b, double near, double least, kg_separation *best)
{
    kg_meeting meeting[KG_MEETINGS];
    const double *x = best->point,
                 y[3] = {x[0] + best->s * best->n[0], x[1] + best->s * best->n[1], x[2] + best->s * best->n[2]};
    const int count = kg_meetings(a, b, x, y, near, meeting);
    kg_separation next = {-HUGE_VAL, {0.0, 0.0, 1.0}, KG_POINTS, 0, {0.0}};
    for (int k = 0; k < count; k++) {
        const double before = next.s;
        kg_try_axis(a, b, meeting[k].n, KG_POINTS, 0, 0.0, &next);
        for (int i = 0; i < 3 && next.s > before; i++)
            next.point[i] = meeting[k].x[i] - (meeting[k].of_second ? next.s * next.n[i] : 0.0);
    }
    if (next.s >= least)
        *best = next;
    return next.s >= least;
}

/* What of `other` lies over face k of `ref`; sign: -1 where that is the second solid. */
static int over(const kg_placed *ref, const kg_placed *other, int k, double sign, double radius, long long code,
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
        found += kg_add(all + found, kg_feature_of_corner(code, c), margin, height - radius, normal, on);
    }
    return kg_keep(all, found, ref, t);
}

/* A better `point` than nearest points tell, which are exact to a part of how far they reach; `proved`: other axes. */
static void find_point(
    const kg_placed *a, const kg_placed *b, double size, kg_separation proved, double gap, kg_separation *point)
{
    const double reach = kg_apart(point->point, a->p) + kg_apart(point->point, b->p), near = 1e-2 * size + 1e-4 * reach;
    const int known = point->kind == KG_POINTS && gap > 1e-5 * reach;
    if (point->kind == KG_POINTS)
        kg_try_axis(a, b, point->n, KG_POINTS, 0, 0.0, &proved);
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
    kg_separation face = {-HUGE_VAL, {0.0, 0.0, 1.0}, KG_POINTS, 0, {x[0], x[1], x[2]}}, line = face;
    if (b->hull) {
        kg_heights(b, x, above);
        for (int k = 0; k < b->hull->faces; k++)
            above[k] += 1e-9 * size;
        try_polyhedron(a, b, above, size, &face, &line);
    } else
        try_cylinder(a, b, size, &face, &line);
    const int far = apart && gap > 1e-9 * size;
    kg_separation point = kg_max(face.s, line.s) == line.s ? line : face;
    if (far)
        for (int i = 0; i < 3; i++) {
            point.s = gap;
            point.kind = KG_POINTS;
            point.n[i] = d[i] / gap;
        }
    else if (point.s < -1e-3 * size) /* else no other axis is much better */
        point = refined_from_all(a, b, size, &face, &line);
    int count = 0;
    if (face.s >= kg_max(line.s, far ? 0.0 : point.s) - 1e-3 * size) {
        count = face.kind == KG_FACE ? over(b, a, face.face, -1.0, radius, face.face, margin, t)
                                     : over(a, b, !face.face, 1.0, 0.0, 4098 + !face.face, margin, t);
    }
    for (int k = 0; k < count; k++)
        if (t[k].gap <= (far ? gap : face.s + 1e-3 * size) - radius + 1e-6 * size)
            return count;
    if (line.kind == KG_LINES && line.s >= (far ? face.s : point.s - 1e-3 * size)) {
        count = kg_line_on_line(a, b, &line, radius, margin, t);
        /* nearest points may be told too far, but where lines meet as far off as they separate nothing is nearer */
        if (count && (!far || line.s >= kg_min(gap, t[0].gap + radius) - 1e-6 * size))
            return kg_beside(a, b, radius, margin, t, kg_ends(a, b, line.face, margin, t, count));
    }
    find_point(a, b, size, face.s > line.s ? face : line, far ? gap : HUGE_VAL, &point);
    for (int i = 0; i < 3; i++)
        on[i] = point.point[i] + radius * point.n[i];
    count = kg_add(t, kg_feature(4100, 0), margin, point.s - radius, point.n, on);
    if (count && line.kind == KG_LINES)
        count = kg_ends(a, b, line.face, margin, t, count);
    return a->kind == KG_SPHERE ? count : kg_beside(a, b, radius, margin, t, count);
}
