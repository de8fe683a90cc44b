/* Height fields: every triangle below a shape; corners of the shape over it, its own corners and edges under faces of
 * the shape, and the nearest points, with a normal that the field has there (none at an edge of flat triangles). */

#include "faces.h"
#include "nearest.h"
#include "pairs.h"

/* Corner (i, j) of a field in its own axes, inside its border or on it. */
static void field_corner(const kg_terrain *f, int i, int j, double *x)
{
    x[0] = f->step[0] * i - 0.5 * f->step[0] * (f->count[0] - 1);
    x[1] = f->step[1] * j - 0.5 * f->step[1] * (f->count[1] - 1);
    x[2] = f->z[i * f->count[1] + j];
}

/* 1 if no corner (i, j) of the field that there is rises over the plane through x across n. */
static int below(const kg_terrain *f, int i, int j, const double *x, const double *n)
{
    double w[3];
    if (i < 0 || j < 0 || i >= f->count[0] || j >= f->count[1])
        return 1;
    field_corner(f, i, j, w);
    for (int k = 0; k < 3; k++)
        w[k] -= x[k];
    return kg_dot3(w, n) <= 1e-6 * sqrt(kg_dot3(w, w));
}

/* Corners of triangle `half` of cell (i, j), counterclockwise from above; offsets in the grid. */
static const int CORNERS[2][3][2] = {{{0, 0}, {1, 0}, {1, 1}}, {{0, 0}, {1, 1}, {0, 1}}};
/* The corner across each edge, that from corner k on. */
static const int ACROSS[2][3][2] = {{{0, -1}, {2, 1}, {0, 1}}, {{1, 0}, {1, 2}, {-1, 0}}};
static const int RING[6][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}, {0, -1}};

typedef struct {
    int i, j, half;
    double x[3][3], n[3];
} triangle;

static void triangle_of(const kg_terrain *f, int i, int j, int half, triangle *t)
{
    double u[3], w[3];
    t->i = i;
    t->j = j;
    t->half = half;
    for (int k = 0; k < 3; k++)
        field_corner(f, i + CORNERS[half][k][0], j + CORNERS[half][k][1], t->x[k]);
    for (int k = 0; k < 3; k++) {
        u[k] = t->x[1][k] - t->x[0][k];
        w[k] = t->x[2][k] - t->x[0][k];
    }
    kg_cross3(u, w, t->n);
    const double length = sqrt(kg_dot3(t->n, t->n));
    for (int k = 0; k < 3; k++)
        t->n[k] /= length;
}

/* 1 if n is a normal of the field at its point x in the triangle: that of the triangle inside, on an edge or corner
 * what lies between the normals around it. */
static int has_normal(const kg_terrain *f, const triangle *t, const double *x, const double *n)
{
    int on[3], count = 0, last = 0;
    if (kg_dot3(n, t->n) > 1.0 - 1e-12)
        return 1;
    for (int k = 0; k < 3; k++) { /* height over the edge across from corner k */
        const double *a = t->x[(k + 1) % 3], *b = t->x[(k + 2) % 3];
        const double whole = (b[0] - a[0]) * (t->x[k][1] - a[1]) - (b[1] - a[1]) * (t->x[k][0] - a[0]);
        on[k] = ((b[0] - a[0]) * (x[1] - a[1]) - (b[1] - a[1]) * (x[0] - a[0])) / whole > 1e-6;
        count += on[k];
        last = on[k] ? k : last;
    }
    if (count == 3)
        return 0;
    if (count == 2)
        for (int k = 0; k < 3; k++)
            if (on[k] && on[(k + 1) % 3])
                return below(f, t->i + ACROSS[t->half][k][0], t->j + ACROSS[t->half][k][1], x, n)
                    && below(f, t->i + CORNERS[t->half][(k + 2) % 3][0], t->j + CORNERS[t->half][(k + 2) % 3][1], x, n);
    for (int k = 0; k < 6; k++)
        if (!below(
                f, t->i + CORNERS[t->half][last][0] + RING[k][0], t->j + CORNERS[t->half][last][1] + RING[k][1], x, n))
            return 0;
    return 1;
}

/* 1 if the field goes on straight across the edge of the triangle from corner k on. */
static int is_flat(const kg_terrain *f, const triangle *t, int k)
{
    const int i = t->i + ACROSS[t->half][k][0], j = t->j + ACROSS[t->half][k][1];
    double w[3];
    if (i < 0 || j < 0 || i >= f->count[0] || j >= f->count[1])
        return 0;
    field_corner(f, i, j, w);
    for (int e = 0; e < 3; e++)
        w[e] -= t->x[k][e];
    return fabs(kg_dot3(w, t->n)) <= 1e-6 * sqrt(kg_dot3(w, w));
}

/* One more point at x of the field along n, both in its axes, unless it is there already. */
static int add_once(kg_touch *t, int count, const kg_placed *ground, long feature, double margin, double gap,
    const double *n, const double *x)
{
    double on[3], normal[3];
    kg_touch next;
    kg_out_of(ground, x, ground->p, on);
    kg_out_of(ground, n, 0, normal);
    if (count >= KG_MANY || !kg_add(&next, feature, margin, gap, normal, on))
        return count;
    for (int k = 0; k < count; k++) {
        const double d[3] = {
            t[k].point[0] - next.point[0], t[k].point[1] - next.point[1], t[k].point[2] - next.point[2]};
        if (kg_dot3(d, d) < 1e-12 && kg_dot3(t[k].normal, normal) > 1.0 - 1e-6)
            return count;
    }
    t[count] = next;
    return count + 1;
}

/* `s` as seen from the field. Corners of its lower side over the triangle meet it along the triangle's normal; where
 * that side is cut by an edge of the triangle, along its own normal, if the field has that. */
static int over_triangle(const kg_placed *ground, const kg_placed *s, const triangle *tri, double radius, double margin,
    kg_touch *t, int count)
{
    kg_corner polygon[2][KG_MOST_CORNERS + 3];
    const double back[3] = {-tri->n[0], -tri->n[1], -tri->n[2]};
    const long code = 2L * (tri->i * ground->ground->count[1] + tri->j) + tri->half;
    int corners = kg_outline(s, back, 0, polygon[0]), from = 0;
    const int line = corners <= 2;
    double m[3], u[3], w[3];
    memcpy(m, tri->n, sizeof m);
    if (corners > 2) { /* the normal of the side, upwards */
        for (int k = 0; k < 3; k++) {
            u[k] = polygon[0][1].x[k] - polygon[0][0].x[k];
            w[k] = polygon[0][corners - 1].x[k] - polygon[0][0].x[k];
        }
        kg_cross3(w, u, m);
        const double length = sqrt(kg_dot3(m, m));
        for (int k = 0; k < 3; k++)
            m[k] /= length;
    }
    for (int side = 0; side < 3 && corners > 0; side++) {
        const double *x = tri->x[side], *y = tri->x[(side + 1) % 3], length = hypot(y[0] - x[0], y[1] - x[1]);
        const double out[3] = {(y[1] - x[1]) / length, (x[0] - y[0]) / length, 0.0};
        if (corners <= 2) {
            corners = kg_clip_line(polygon[from], corners, out, kg_dot3(out, x) + 1e-12, side);
            continue;
        }
        corners = kg_clip(polygon[from], corners, out, kg_dot3(out, x) + 1e-12, side, polygon[!from]);
        from = !from;
    }
    for (int k = 0; k < corners; k++) {
        const kg_corner *c = polygon[from] + k;
        const double d[3] = {c->x[0] - tri->x[0][0], c->x[1] - tri->x[0][1], c->x[2] - tri->x[0][2]},
                     height = kg_dot3(tri->n, d);
        const long feature = 16384 * (code + 1) + 128 * c->in + c->out;
        double on[3] = {c->x[0] - height * tri->n[0], c->x[1] - height * tri->n[1], c->x[2] - height * tri->n[2]};
        if (c->in < 64 && c->out < 64) {
            count = add_once(t, count, ground, feature, margin, height - radius, tri->n, on);
            continue;
        }
        if (line && !is_flat(ground->ground, tri, c->out - 64))
            continue;
        const double up = height / tri->n[2]; /* straight below, where the edge of the triangle is */
        const double under[3] = {c->x[0], c->x[1], c->x[2] - up};
        if (m[2] > 0.1 && has_normal(ground->ground, tri, under, m))
            count = add_once(t, count, ground, feature, margin, up * m[2] - radius, m, under);
    }
    return count;
}

/* The nearest points of a triangle and a shape, if these are apart; `met`: they are not. */
static int near_triangle(const kg_placed *ground, const kg_placed *s, const triangle *tri, double radius, double margin,
    kg_touch *t, int count, int *met)
{
    static const double EYE[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    const double middle[3] = {tri->x[0][0] / 3 + tri->x[1][0] / 3 + tri->x[2][0] / 3,
        tri->x[0][1] / 3 + tri->x[1][1] / 3 + tri->x[2][1] / 3, tri->x[0][2] / 3 + tri->x[1][2] / 3 + tri->x[2][2] / 3};
    double vertex[3][3], x[3], y[3], n[3];
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            vertex[k][i] = tri->x[k][i] - middle[i];
    const kg_polyhedron flat = {3, 0, 0, (const double (*)[3])(const void *)vertex, 0, 0, 0, 0, 0.0};
    const kg_placed patch = {KG_CONVEX, 0, EYE, middle, &flat, 0};
    const int apart = kg_nearest(&patch, s, margin + radius, x, y);
    *met = apart == 0;
    if (apart != 1)
        return count;
    for (int i = 0; i < 3; i++)
        n[i] = y[i] - x[i];
    const double gap = sqrt(kg_dot3(n, n));
    if (gap < 1e-7 || kg_dot3(n, tri->n) <= 0.0) { /* on it or below */
        *met = 1;
        return count;
    }
    for (int i = 0; i < 3; i++)
        n[i] /= gap;
    if (kg_dot3(n, tri->n) > 1.0 - 1e-10)
        memcpy(n, tri->n, sizeof n);
    if (n[2] <= 0.0 || !has_normal(ground->ground, tri, x, n))
        return count;
    const long code = 2L * (tri->i * ground->ground->count[1] + tri->j) + tri->half;
    return add_once(t, count, ground, 16384 * (code + 1) + 16383, margin, gap - radius, n, x);
}

static int clip_index(double x, int count)
{
    return !(x > 0.0) ? 0 : x >= count - 2 ? count - 2 : (int)x;
}

/* A height field (normal z, solid below) against any other shape. */
int kg_field_shape(const kg_placed *ground, const kg_placed *shape, double margin, kg_touch *t)
{
    const kg_terrain *f = ground->ground;
    const double radius = shape->kind == KG_SPHERE || shape->kind == KG_CAPSULE ? shape->size[0] : 0.0;
    double R[9], p[3], low[3], high[3];
    kg_touch all[KG_MANY];
    int count = 0;
    kg_into(ground, shape->p, p);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            R[3 * i + k] = ground->R[i] * shape->R[k] + ground->R[3 + i] * shape->R[3 + k]
                + ground->R[6 + i] * shape->R[6 + k];
    const kg_placed s = {shape->kind, shape->size, R, p, shape->hull, 0};
    for (int i = 0; i < 3; i++) {
        double x[3];
        const double d[3] = {i == 0, i == 1, i == 2}, back[3] = {-d[0], -d[1], -d[2]};
        kg_furthest(&s, d, x);
        high[i] = x[i] + radius + margin;
        kg_furthest(&s, back, x);
        low[i] = x[i] - radius - margin;
    }
    const double half[2] = {0.5 * f->step[0] * (f->count[0] - 1), 0.5 * f->step[1] * (f->count[1] - 1)};
    if (low[2] > f->top || low[0] > half[0] || low[1] > half[1] || high[0] < -half[0] || high[1] < -half[1])
        return 0;
    const int first[2] = {clip_index((low[0] + half[0]) / f->step[0], f->count[0]),
        clip_index((low[1] + half[1]) / f->step[1], f->count[1])};
    const int last[2] = {clip_index((high[0] + half[0]) / f->step[0], f->count[0]),
        clip_index((high[1] + half[1]) / f->step[1], f->count[1])};
    for (int i = first[0]; i <= last[0]; i++)
        for (int j = first[1]; j <= last[1]; j++)
            for (int side = 0; side < 2; side++) {
                triangle tri;
                triangle_of(f, i, j, side, &tri);
                if (kg_max(tri.x[0][2], kg_max(tri.x[1][2], tri.x[2][2])) < low[2])
                    continue;
                if (count > KG_MANY / 2)
                    count = kg_reduce(all, count, ground);
                int met;
                count = near_triangle(ground, &s, &tri, radius, margin, all, count, &met);
                if (s.kind != KG_SPHERE || met)
                    count = over_triangle(ground, &s, &tri, radius, margin, all, count);
            }
    return kg_keep(all, count, ground, t);
}
