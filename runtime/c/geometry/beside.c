/* What else comes down on a solid while an edge or a corner carries the other: a rod that lies across one edge of a
 * sheet may meet the next edge, or the sheet with its end, within the step. Whatever of the one lies over a face of the
 * other has the normal of the two features that meet there: a corner and the face, or two edges. */

#include "faces.h"

/* The contact that is known: unit normal out of `ref`, where its surface meets it, its gap; radius: of `other`. */
typedef struct {
    const kg_placed *ref, *other;
    double sign, n[3], x[3], gap, size, radius, margin;
} known;

static const double LOOKS = 0.5; /* cosine of the normal to that of a face which the other may come down on */

/* One more point x of the other solid (its surface is `radius` further down) unless it is there, or the plane of the
 * contact that is known holds it as well. */
static int add_over(const known *c, long long feature, double gap, double radius, const double *n, const double *x,
    kg_touch *all, int found)
{
    kg_touch next;
    double normal[3], on[3], aside2 = 0.0;
    for (int i = 0; i < 3; i++) {
        normal[i] = c->sign * n[i];
        on[i] = x[i] - (c->sign > 0.0 ? gap + radius : radius) * n[i];
        aside2 += (x[i] - c->x[i]) * (x[i] - c->x[i]);
    }
    if (gap <= c->gap + 1e-9 * c->size + 1e-6 * sqrt(aside2) || !kg_add(&next, feature, c->margin, gap, normal, on))
        return found;
    for (int k = 0; k < found; k++) {
        const double *y = all[k].point, d[3] = {y[0] - next.point[0], y[1] - next.point[1], y[2] - next.point[2]};
        if (kg_dot3(d, d) < 1e-12 * c->size * c->size && kg_dot3(all[k].normal, normal) > 1.0 - 1e-6)
            return found;
    }
    found = kg_with_room(all, found, c->ref);
    all[found] = next;
    return found + 1;
}

/* Corners of a polyhedron over the face. */
static int corners_over(const known *c, const kg_face *face, long long code, kg_touch *all, int found)
{
    const kg_placed *s = c->other;
    const double height = kg_dot3(face->n, s->p) - face->level;
    double x[3], up[3];
    kg_turned_into(s, face->n, up);
    for (int i = 0; i < s->hull->vertices; i++) {
        const double gap = height + kg_dot3(up, s->hull->vertex[i]);
        int over = gap < c->margin;
        if (over)
            kg_out_of(s, s->hull->vertex[i], s->p, x);
        for (int side = 0; over && side < face->sides; side++)
            over = kg_dot3(face->side[side], x) <= face->side[side][3];
        if (over)
            found = add_over(c, kg_corner_feature(code, i), gap, 0.0, face->n, x, all, found);
    }
    return found;
}

/* Where the line through x along w passes a side of the face: along the normal across both. */
static int edge_over(const known *c, const kg_face *face, const double *m, const double *w, double *x, double radius,
    long long feature, kg_touch *all, int found)
{
    double u[3], n[3], y[3];
    kg_cross3(face->n, m, u);
    kg_cross3(u, w, n);
    const double sine2 = kg_dot3(n, n) / kg_dot3(w, w);
    if (sine2 < 1e-6)
        return found;
    const double scale = (kg_dot3(n, face->n) < 0.0 ? -1.0 : 1.0) / sqrt(kg_dot3(n, n));
    for (int i = 0; i < 3; i++) {
        n[i] *= scale;
        y[i] = face->level * face->n[i] + m[3] * m[i];
    }
    const double d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
    return add_over(c, feature, kg_dot3(n, d) - radius, radius, n, x, all, found);
}

/* As a corner of the polygon or line that is clipped by the face has it. */
static long long feature_of(long long code, int edge, int end, int cut, int line)
{
    const int side = KG_SIDES + cut;
    return kg_feature(code, line ? KG_EDGES * end + side : end ? KG_EDGES * edge + side : KG_EDGES * side + edge);
}

/* Corners and edges of the outline of the other solid over face k. */
static int over_face(const known *c, int k, long long code, kg_touch *all, int found)
{
    kg_face face;
    kg_corner corner[KG_MOST_CORNERS];
    double axis[3];
    kg_face_of(c->ref, k, &face);
    const double back[3] = {-face.n[0], -face.n[1], -face.n[2]};
    const int count = kg_outline(c->other, back, 0, corner), line = count == 2;
    const double thick = line ? c->other->size[0] : 0.0;
    kg_axis_of(c->other, 2, axis);
    if (c->other->hull)
        found = corners_over(c, &face, code, all, found);
    for (int i = 0; i < (line ? 1 : count); i++) {
        kg_corner end[2] = {corner[i], corner[(i + 1) % count]};
        const double w[3] = {end[1].x[0] - end[0].x[0], end[1].x[1] - end[0].x[1], end[1].x[2] - end[0].x[2]};
        int left = 2;
        for (int side = 0; side < face.sides && left; side++)
            left = kg_clip_line(end, 2, face.side[side], face.side[side][3], side);
        for (int e = 0; e < 2 && left; e++) {
            const int cut = end[e].in != end[e].out ? end[e].out - KG_SIDES : -1;
            double *x = end[e].x;
            if (cut < 0) {
                const double gap = kg_dot3(face.n, x) - face.level - c->radius;
                if (!c->other->hull && e <= line)
                    found = add_over(c, kg_feature_of_corner(code, end + e), gap, c->radius, face.n, x, all, found);
                continue;
            }
            const double *m = face.side[cut], *p = c->other->p, d[3] = {x[0] - p[0], x[1] - p[1], x[2] - p[2]};
            for (int j = 0; j < 3 && line; j++)
                x[j] = p[j] + kg_dot3(d, axis) * axis[j];
            if (c->ref->hull || kg_dot3(m, c->x) < m[3]) /* else the rim meets it there */
                found = edge_over(c, &face, m, w, x, thick, feature_of(code, i, e, cut, line), all, found);
        }
    }
    return found;
}

/* Face k of the solid meets the other at x and looks that way. */
static int is_there(const known *c, int k)
{
    double x[3], n[3];
    kg_into(c->ref, c->x, x);
    kg_turned_into(c->ref, c->n, n);
    if (c->ref->hull) {
        const double *plane = c->ref->hull->plane[k];
        return kg_dot3(plane, n) > LOOKS && kg_dot3(plane, x) - plane[3] > -1e-3 * c->size;
    }
    return (k ? n[2] : -n[2]) > LOOKS && (k ? x[2] : -x[2]) - c->ref->size[1] > -1e-3 * c->size;
}

int kg_beside(const kg_placed *a, const kg_placed *b, double radius, double margin, kg_touch *t, int count)
{
    kg_touch all[KG_MANY];
    int found = 0, worst = 0;
    for (int side = 0; side < 2 && count; side++) {
        known c = {
            side ? b : a, side ? a : b, side ? -1.0 : 1.0, {0.0}, {0.0}, t[0].gap, 0.0, side ? radius : 0.0, margin};
        for (int i = 0; i < 3; i++) {
            c.n[i] = c.sign * t[0].normal[i];
            c.x[i] = t[0].point[i] - 0.5 * t[0].gap * c.n[i];
        }
        c.size = kg_min(kg_least_half(a), kg_least_half(b));
        const int faces = c.ref->hull ? c.ref->hull->faces : c.ref->kind == KG_CYLINDER ? 2 : 0;
        const long long code = side ? (a->hull ? a->hull->faces : 0) : a->hull ? 0 : 4098;
        for (int k = 0; k < faces; k++)
            if (is_there(&c, k))
                found = over_face(&c, k, code + k, all, found);
    }
    found = kg_reduce(all, found, a);
    for (; found > KG_MOST_POINTS - count; all[worst] = all[--found])
        for (int k = worst = 0; k < found; k++)
            worst = all[k].gap > all[worst].gap ? k : worst;
    memcpy(t + count, all, (size_t)found * sizeof *t);
    return count + found;
}
