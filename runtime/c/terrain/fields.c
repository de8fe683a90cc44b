/* Height fields: every triangle below a shape; corners of the shape over it, ridges and corners of the field that reach
 * into the shape, and the nearest points, with normals that the field has there (at edges of flat triangles: none). */

#include "../geometry/faces.h"
#include "../geometry/pairs.h"
#include "grid.h"

typedef kg_corner kg_outlines[2][KG_MOST_CORNERS + 3];

/* The normal m of a side of a shape, upwards, of its outline; of fewer than three corners that of the triangle. */
static void normal_of_side(const kg_triangle *tri, const kg_corner *outline, int corners, double *m)
{
    double u[3], w[3];
    memcpy(m, tri->n, 3 * sizeof *m);
    if (corners <= 2)
        return;
    for (int k = 0; k < 3; k++) {
        u[k] = outline[1].x[k] - outline[0].x[k];
        w[k] = outline[corners - 1].x[k] - outline[0].x[k];
    }
    kg_cross3(w, u, m);
    const double length = sqrt(kg_dot3(m, m));
    for (int k = 0; k < 3; k++)
        m[k] /= length;
}

/* What of polygon[0] is over the triangle, as seen along `over`: in polygon[*from]. The number of its corners. */
static int clip_over(
    const kg_triangle *tri, const double *over, double rounding, int corners, kg_outlines polygon, int *from)
{
    const int line = corners <= 2;
    *from = 0;
    for (int side = 0; side < 3 && corners > 0; side++) {
        const double *x = tri->x[side], *y = tri->x[(side + 1) % 3];
        const double edge[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]};
        double out[3];
        kg_cross3(edge, over, out);
        const double length = sqrt(kg_dot3(out, out));
        for (int k = 0; k < 3; k++)
            out[k] /= length;
        if (line) {
            corners = kg_clip_line(polygon[*from], corners, out, kg_dot3(out, x) + rounding, side);
            continue;
        }
        corners = kg_clip(polygon[*from], corners, out, kg_dot3(out, x) + rounding, side, polygon[!*from]);
        *from = !*from;
    }
    return corners;
}

/* `s` as seen from the field. Corners of its lower side over the triangle meet it along the triangle's normal; where
 * that side lies on it and is cut by an edge at which the field is flat as well; a corner of the triangle that is under
 * it meets it along the normal of the side. A line lies over what is below it along the normal, so that what it meets
 * belongs to the triangle; one that met it already, straight down. Unless `any` depth counts, what is told to be below
 * has to be in the ground all the way to the triangle: a normal of a steep slope may come out beyond the ridge. */
static int over_triangle(const kg_field_query *of, const kg_triangle *tri, int met, kg_touch *t, int count)
{
    const kg_placed *s = of->shape;
    kg_outlines polygon;
    const double back[3] = {-tri->n[0], -tri->n[1], -tri->n[2]};
    const long long code = 2LL * (tri->i * of->field->count[1] + tri->j) + tri->half;
    int corners = kg_outline(s, back, 0, polygon[0]), from;
    const int line = corners <= 2;
    const double rounding = 1e-11 * kg_least_step(of->field);
    const double straight[3] = {0.0, 0.0, 1.0}, *over = line && !met ? tri->n : straight;
    double m[3];
    normal_of_side(tri, polygon[0], corners, m);
    corners = clip_over(tri, over, rounding, corners, polygon, &from);
    for (int k = 0; k < corners; k++) {
        const kg_corner *c = polygon[from] + k;
        const double d[3] = {c->x[0] - tri->x[0][0], c->x[1] - tri->x[0][1], c->x[2] - tri->x[0][2]},
                     height = kg_dot3(tri->n, d);
        const long long feature = kg_feature_of_corner(code + 1, c);
        const double on[3] = {c->x[0] - height * tri->n[0], c->x[1] - height * tri->n[1], c->x[2] - height * tri->n[2]};
        const int cut = (c->in > c->out ? c->in : c->out) - KG_SIDES; /* by this side of the triangle */
        const int peak = c->in >= KG_SIDES && c->out >= KG_SIDES;
        const int lies = cut >= 0 && !peak && kg_dot3(m, tri->n) > 1.0 - 1e-12;
        if (line && !of->any && height < of->radius && met == (height >= 0.0)
            && !kg_way_below(of->field, met ? on : c->x, on))
            continue; /* beyond another slope */
        if (cut < 0 || (lies && kg_flat_edge(of->field, tri, cut))) {
            count = kg_add_once(of, feature, height - of->radius, tri->n, on, t, count);
            continue;
        }
        if (!peak)
            continue; /* a ridge, or nothing */
        const double up = height / tri->n[2], gap = up * m[2];
        const double under[3] = {c->x[0], c->x[1], c->x[2] - up};
        double n[3] = {m[0], m[1], m[2]};
        if (m[2] > 0.1 && kg_normal_at(of->field, tri, under, n))
            count = kg_add_once(of, feature, gap - of->radius, n, under, t, count);
    }
    return count;
}

/* Corners of a solid straight over the triangle, which may come down on it within the step, those of its lower side
 * among them. */
static int corners_over(const kg_field_query *of, const kg_triangle *tri, kg_touch *t, int count)
{
    const kg_placed *s = of->shape;
    const long long code = 2LL * (tri->i * of->field->count[1] + tri->j) + tri->half;
    const double level = kg_dot3(tri->n, tri->x[0]) - kg_dot3(tri->n, s->p);
    double up[3], c[3], on[3];
    kg_turned_into(s, tri->n, up);
    for (int i = 0; s->hull && i < s->hull->vertices; i++) {
        const double height = kg_dot3(up, s->hull->vertex[i]) - level;
        int over = height < of->margin;
        if (over)
            kg_out_of(s, s->hull->vertex[i], s->p, c);
        for (int side = 0; over && side < 3; side++) {
            const double *x = tri->x[side], *y = tri->x[(side + 1) % 3];
            over = (y[1] - x[1]) * (c[0] - x[0]) <= (y[0] - x[0]) * (c[1] - x[1]);
        }
        if (!over)
            continue;
        for (int k = 0; k < 3; k++)
            on[k] = c[k] - height * tri->n[k];
        count = kg_with_room(t, count, of->ground);
        count = kg_add_once(of, kg_corner_feature(code + 1, i), height, tri->n, on, t, count);
    }
    return count;
}

enum { CUT = 2 }; /* the shape has a point of the triangle in it */

/* The nearest points of a triangle and a shape, if these are apart; `met`: CUT, or 1 if the shape begins below. `least`
 * is no more than how far they are apart, 0 where they meet. */
static int near_triangle(
    const kg_field_query *of, const kg_triangle *tri, kg_touch *t, int count, int *met, double *least)
{
    const kg_placed *s = of->shape;
    static const double EYE[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    const double middle[3] = {tri->x[0][0] / 3 + tri->x[1][0] / 3 + tri->x[2][0] / 3,
        tri->x[0][1] / 3 + tri->x[1][1] / 3 + tri->x[2][1] / 3, tri->x[0][2] / 3 + tri->x[1][2] / 3 + tri->x[2][2] / 3};
    double vertex[3][3], x[3], y[3], n[3];
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            vertex[k][i] = tri->x[k][i] - middle[i];
    const kg_polyhedron flat = {3, 0, 0, (const double (*)[3])(const void *)vertex, 0, 0, 0, 0, 0.0};
    const kg_placed patch = {KG_CONVEX, 0, EYE, middle, &flat, 0};
    const int apart = kg_nearest(&patch, s, of->margin + of->radius, x, y);
    *met = apart == 0 ? CUT : apart < 0 && kg_dot3(tri->n, s->p) < kg_dot3(tri->n, middle);
    if (apart == 0)
        *least = 0.0;
    if (apart != 1)
        return count;
    for (int i = 0; i < 3; i++)
        n[i] = y[i] - x[i];
    const double gap = sqrt(kg_dot3(n, n));
    *least = kg_min(*least, gap - of->radius);
    if (gap < 1e-6 * kg_least_step(of->field)) { /* on it */
        *met = 1;
        return count;
    }
    for (int i = 0; i < 3; i++)
        n[i] /= gap;
    if (kg_dot3(n, tri->n) > 1.0 - 1e-10)
        memcpy(n, tri->n, sizeof n);
    const int normal = n[2] > 0.0 && kg_normal_at(of->field, tri, x, n);
    *met = !normal && kg_dot3(n, tri->n) <= 0.0; /* below, not beyond a ridge */
    if (!normal)
        return count;
    const long long code = 2LL * (tri->i * of->field->count[1] + tri->j) + tri->half;
    return kg_add_once(of, kg_feature(code + 1, KG_FEATURES - 1), gap - of->radius, n, x, t, count);
}

static int clip_index(double x, int count)
{
    return !(x > 0.0) ? 0 : x >= count - 2 ? count - 2 : (int)x;
}

enum { RIDGES = KG_EDGES * (KG_SIDES + 3), CORNERS = RIDGES + 3 * 2048 }; /* features after those of the triangle */

/* Ridges of the triangle that lie within the box about the shape. */
static int over_bends(const kg_field_query *of, const kg_triangle *tri, kg_touch *t, int count)
{
    const kg_terrain *f = of->field;
    const double *low = of->low, *high = of->high;
    const long long code = 2LL * (tri->i * f->count[1] + tri->j) + tri->half + 1;
    for (int k = 0; k < 3; k++) {
        const double *x = tri->x[k], *y = tri->x[(k + 1) % 3];
        kg_ridge r;
        if (kg_max(x[0], y[0]) < low[0] || kg_max(x[1], y[1]) < low[1] || kg_max(x[2], y[2]) < low[2]
            || kg_min(x[0], y[0]) > high[0] || kg_min(x[1], y[1]) > high[1])
            continue;
        if (kg_ridge_of(f, tri, k, &r))
            count = kg_over_ridge(of, &r, kg_feature(code, RIDGES + 2048 * k), t, count);
    }
    return count;
}

/* What the triangles of the cells from `first` to `last` and their ridges tell; `meets`: the shape cuts one of them;
 * `least`: how far it is from them all. */
static int over_triangles(
    const kg_field_query *of, const int *first, const int *last, kg_touch *t, int count, int *meets, double *least)
{
    for (int i = first[0]; i <= last[0]; i++)
        for (int j = first[1]; j <= last[1]; j++)
            for (int side = 0; side < 2; side++) {
                kg_triangle tri;
                kg_field_triangle(of->field, i, j, side, &tri);
                if (kg_max(tri.x[0][2], kg_max(tri.x[1][2], tri.x[2][2])) < of->low[2])
                    continue;
                if (count > KG_MANY / 2)
                    count = kg_reduce(t, count, of->ground);
                count = over_bends(of, &tri, t, count);
                int met;
                count = near_triangle(of, &tri, t, count, &met, least);
                *meets |= met == CUT;
                if (of->shape->kind != KG_SPHERE || met)
                    count = over_triangle(of, &tri, met > 0, t, count);
                count = corners_over(of, &tri, t, count);
            }
    return count;
}

/* 1 if a point is no further away than `far`. */
static int told(const kg_touch *t, int count, double far)
{
    int some = 0;
    for (int k = 0; k < count; k++)
        some |= t[k].gap <= far;
    return some;
}

/* A plane may go on where its triangle, or the side of the shape, has ended: nothing is nearer than `least`. */
static int no_nearer(kg_touch *t, int count, double least, double margin)
{
    int kept = 0;
    for (int k = 0; k < count; k++) {
        if (t[k].gap > 0.0 && least >= margin)
            continue;
        t[kept] = t[k];
        t[kept].gap = t[k].gap > 0.0 ? kg_max(t[k].gap, least) : t[k].gap;
        kept++;
    }
    return kept;
}

/* The box about the shape. */
static void put_about(kg_field_query *of)
{
    for (int i = 0; i < 3; i++) {
        double x[3];
        const double d[3] = {i == 0, i == 1, i == 2}, back[3] = {-d[0], -d[1], -d[2]};
        kg_furthest(of->shape, d, x);
        of->high[i] = x[i] + of->radius + of->margin;
        kg_furthest(of->shape, back, x);
        of->low[i] = x[i] - of->radius - of->margin;
    }
}

/* A height field (normal z, solid below) against any other shape. */
int kg_field_shape(const kg_placed *ground, const kg_placed *shape, double margin, kg_touch *t)
{
    const kg_terrain *f = ground->ground;
    double R[9], p[3];
    kg_touch all[KG_MANY];
    int first[2], last[2], count = 0, meets = 0;
    double least = margin;
    kg_into(ground, shape->p, p);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            R[3 * i + k] = ground->R[i] * shape->R[k] + ground->R[3 + i] * shape->R[3 + k]
                + ground->R[6 + i] * shape->R[6 + k];
    const kg_placed s = {shape->kind, shape->size, R, p, shape->hull, 0};
    kg_field_query of = {ground, &s, f, {0.0}, {0.0}, 0.0, margin, 0};
    if (s.kind == KG_SPHERE || s.kind == KG_CAPSULE)
        of.radius = s.size[0];
    put_about(&of);
    for (int k = 0; k < 2; k++) {
        const double half = 0.5 * f->step[k] * (f->count[k] - 1);
        if (of.low[2] > f->top || of.low[k] > half || of.high[k] < -half)
            return 0;
        first[k] = clip_index((of.low[k] + half) / f->step[k], f->count[k]);
        last[k] = clip_index((of.high[k] + half) / f->step[k], f->count[k]);
    }
    for (int i = first[0]; i <= last[0] + 1; i++)
        for (int j = first[1]; j <= last[1] + 1; j++)
            if (f->z[i * f->count[1] + j] >= of.low[2])
                count = kg_over_corner(&of, i, j, kg_feature(2LL * (i * f->count[1] + j) + 1, CORNERS), all,
                    kg_with_room(all, count, ground));
    count = over_triangles(&of, first, last, all, count, &meets, &least);
    if (meets && !told(all, count, 1e-6 * kg_least_half(&s))) {
        of.any = 1; /* any way out is better than none */
        count = over_triangles(&of, first, last, all, count, &meets, &least);
    }
    return kg_keep(all, no_nearer(all, count, least, margin), ground, t);
}
