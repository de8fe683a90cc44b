/* Lines along lines: the side of a round solid along an edge or another side, edges along edges. Where both are nearly
 * parallel, what is nearest runs from one end to the other as they tip by a hair: with both ends told they can rest. */

#include "lines.h"

static const double PASSING = 1e-6; /* of its length a line may pass beyond the end of another and still be met */
static const double PARALLEL = 1e-6; /* the square of the sine below which lines count as parallel */
static const double NEARLY = 1e-2; /* the square of the sine below which a line is nearly parallel to an axis */
static const double THERE = 0.1; /* of the least half width: no end is added as near as that to a point that is known */

/* An edge in world: where it begins, its direction, the normals of its faces, its number. */
typedef struct {
    double x[3], u[3], f[3], g[3];
    int number;
} edge;

/* The axis along n, if it looks at the edge from between its two faces. */
static void try_between(const kg_placed *a, const kg_placed *b, const edge *e, const double *n, kg_separation *line)
{
    double across[3], m[3];
    kg_cross3(e->u, n, across);
    if (!(kg_dot3(e->f, across) * kg_dot3(e->g, across) < 0.0))
        return;
    const double scale = (kg_dot3(n, e->f) + kg_dot3(n, e->g) > 0.0 ? -1.0 : 1.0) / sqrt(kg_dot3(n, n));
    for (int i = 0; i < 3; i++)
        m[i] = scale * n[i];
    kg_try_axis(a, b, m, KG_LINES, e->number, 0.0, line);
}

/* d: from the axis to the edge where what they have in common ends, at the nearer of both ends. */
static void nearer_end(const kg_placed *a, const edge *e, const double *axis, double *d)
{
    const double h = a->size[1], uu = kg_dot3(e->u, e->u);
    double least = HUGE_VAL;
    for (int end = 0; end < 2; end++) {
        double y[3], v[3];
        for (int i = 0; i < 3; i++)
            y[i] = a->p[i] + (end ? h : -h) * axis[i] - e->x[i];
        const double on_edge = kg_clamp(kg_dot3(y, e->u) / uu, 0.0, 1.0);
        for (int i = 0; i < 3; i++)
            v[i] = e->x[i] + on_edge * e->u[i] - a->p[i];
        const double on_axis = kg_clamp(kg_dot3(v, axis), -h, h);
        for (int i = 0; i < 3; i++)
            v[i] -= on_axis * axis[i];
        if (kg_dot3(v, v) < least) {
            least = kg_dot3(v, v);
            memcpy(d, v, sizeof v);
        }
    }
}

static edge edge_of(const kg_placed *b, int k)
{
    const short *at = b->hull->edge[k];
    edge e = {.number = k};
    double y[3];
    kg_out_of(b, b->hull->vertex[at[0]], b->p, e.x);
    kg_out_of(b, b->hull->vertex[at[1]], b->p, y);
    kg_out_of(b, b->hull->plane[at[2]], 0, e.f);
    kg_out_of(b, b->hull->plane[at[3]], 0, e.g);
    for (int i = 0; i < 3; i++)
        e.u[i] = y[i] - e.x[i];
    return e;
}

void kg_try_edge(const kg_placed *a, const kg_placed *b, int k, kg_separation *line)
{
    const edge e = edge_of(b, k);
    double axis[3], n[3], d[3] = {0.0}, m[3];
    kg_axis_of(a, 2, axis);
    kg_cross3(e.u, axis, n);
    try_between(a, b, &e, n, line);
    const double uu = kg_dot3(e.u, e.u);
    if (kg_dot3(n, n) > NEARLY * uu)
        return;
    nearer_end(a, &e, axis, d);
    const double du = kg_dot3(d, e.u) / uu, da = kg_dot3(d, axis);
    for (int i = 0; i < 3; i++) {
        n[i] = d[i] - du * e.u[i]; /* where the axis ends over the edge */
        m[i] = d[i] - da * axis[i]; /* where the edge ends under the side */
    }
    try_between(a, b, &e, n, line);
    try_between(a, b, &e, m, line);
}

/* Where the lines c and e pass each other along n, see kg_line_on_line. */
static int meet_along(const double (*c)[3], const double (*e)[3], const double *n, double radius, long long feature,
    double margin, kg_touch *t)
{
    double u[3], w[3], d[3];
    for (int i = 0; i < 3; i++) {
        u[i] = c[1][i] - c[0][i];
        w[i] = e[1][i] - e[0][i];
        d[i] = e[0][i] - c[0][i];
    }
    const double un = kg_dot3(u, n), wn = kg_dot3(w, n), dn = kg_dot3(d, n); /* the rest is as seen along n */
    const double uu = kg_dot3(u, u) - un * un, ww = kg_dot3(w, w) - wn * wn, uw = kg_dot3(u, w) - un * wn,
                 du = kg_dot3(d, u) - dn * un, dw = kg_dot3(d, w) - dn * wn, det = uu * ww - uw * uw;
    if (!(uu > 0.0 && ww > 0.0))
        return 0; /* a capsule or cylinder without length: a point passes no line */
    double at[2];
    int count = 0;
    const int crossing = det > PARALLEL * uu * ww;
    if (crossing)
        at[0] = at[1] = (du * ww - dw * uw) / det;
    else {
        at[0] = kg_min(du, du + uw) / uu;
        at[1] = kg_max(du, du + uw) / uu;
    }
    const double on_b = (at[0] * uw - dw) / ww;
    if (at[1] < -PASSING || at[0] > 1.0 + PASSING || (crossing && fabs(on_b - 0.5) > 0.5 + PASSING))
        return 0;
    double gap[2];
    for (int k = 0; k < 2; k++) {
        at[k] = kg_clamp(at[k], 0.0, 1.0);
        gap[k] = dn + kg_clamp((at[k] * uw - dw) / ww, 0.0, 1.0) * wn - at[k] * un - radius;
    }
    const int ways = at[1] - at[0] > 1e-9 ? 2 : 1, first = ways == 2 && gap[1] < gap[0];
    for (int i = 0; i < ways; i++) {
        const int k = i ^ first;
        double on[3];
        for (int x = 0; x < 3; x++)
            on[x] = c[0][x] + at[k] * u[x] + radius * n[x];
        count += kg_add(t + count, feature + k, margin, gap[k], n, on);
    }
    return count;
}

int kg_line_on_line(
    const kg_placed *a, const kg_placed *b, const kg_separation *best, double radius, double margin, kg_touch *t)
{
    const double back[3] = {-best->n[0], -best->n[1], -best->n[2]};
    kg_corner outline[KG_RIM];
    double c[2][3], e[2][3];
    kg_outline(a, best->n, 0, outline);
    for (int k = 0; k < 2; k++)
        memcpy(c[k], outline[k].x, sizeof c[k]);
    if (!b->hull)
        kg_outline(b, back, 0, outline);
    for (int k = 0; k < 2; k++)
        if (b->hull)
            kg_out_of(b, b->hull->vertex[b->hull->edge[best->face][k]], b->p, e[k]);
        else
            memcpy(e[k], outline[k].x, sizeof e[k]);
    const long long feature = kg_feature(4096, 2 * best->face);
    return meet_along((const double (*)[3])c, (const double (*)[3])e, best->n, radius, feature, margin, t);
}

/* The next edge from number k on that passes the point x and lies across n, with its ends; -1: none. */
static int next_across(const kg_placed *s, int k, const double *x, const double *n, double (*e)[3])
{
    for (; k < s->hull->edges; k++) {
        double m[3];
        for (int end = 0; end < 2; end++)
            kg_out_of(s, s->hull->vertex[s->hull->edge[k][end]], s->p, e[end]);
        const double u[3] = {e[1][0] - e[0][0], e[1][1] - e[0][1], e[1][2] - e[0][2]},
                     d[3] = {x[0] - e[0][0], x[1] - e[0][1], x[2] - e[0][2]}, un = kg_dot3(u, n), uu = kg_dot3(u, u),
                     near = 1e-6 * s->hull->size;
        kg_cross3(u, d, m);
        if (un * un < PARALLEL * uu && kg_dot3(m, m) < near * near * uu)
            return k;
    }
    return -1;
}

int kg_edge_on_edge_along(const kg_placed *a, const kg_placed *b, const double *x, const double *y, const double *n,
    long long feature, double margin, kg_touch *t)
{
    double c[2][3], e[2][3], m[3];
    for (int i = next_across(a, 0, x, n, c); i >= 0; i = next_across(a, i + 1, x, n, c))
        for (int j = next_across(b, 0, y, n, e); j >= 0; j = next_across(b, j + 1, y, n, e)) {
            const double u[3] = {c[1][0] - c[0][0], c[1][1] - c[0][1], c[1][2] - c[0][2]},
                         w[3] = {e[1][0] - e[0][0], e[1][1] - e[0][1], e[1][2] - e[0][2]};
            kg_cross3(u, w, m);
            if (kg_dot3(m, m) < PARALLEL * kg_dot3(u, u) * kg_dot3(w, w))
                return meet_along((const double (*)[3])c, (const double (*)[3])e, n, 0.0, feature, margin, t);
        }
    return 0;
}

/* The axis of a capsule or cylinder from end to end, as an edge without faces. */
static edge axis_as_edge(const kg_placed *b)
{
    edge e = {.number = 0};
    double axis[3];
    kg_axis_of(b, 2, axis);
    for (int i = 0; i < 3; i++) {
        e.x[i] = b->p[i] - b->size[1] * axis[i];
        e.u[i] = 2.0 * b->size[1] * axis[i];
    }
    return e;
}

/* Where along the edge, from 0 to 1, what it has in common with the axis ends; 0 if that is nothing. */
static int in_common(const kg_placed *a, const edge *e, const double *axis, double *at)
{
    const double h = a->size[1], uu = kg_dot3(e->u, e->u);
    for (int end = 0; end < 2; end++) {
        double y[3];
        for (int i = 0; i < 3; i++)
            y[i] = a->p[i] + (end ? h : -h) * axis[i] - e->x[i];
        at[end] = kg_clamp(kg_dot3(y, e->u) / uu, 0.0, 1.0);
    }
    return fabs(at[1] - at[0]) > 1e-9;
}

/* The unit normal n looks at the edge from between its two faces. */
static int looks_between(const edge *e, const double *n)
{
    double across[3];
    kg_cross3(e->u, n, across);
    return kg_dot3(e->f, across) * kg_dot3(e->g, across) <= 0.0 && kg_dot3(e->f, n) + kg_dot3(e->g, n) < 0.0;
}

/* What separates two solids along the normal of a known point: nothing that they have is nearer. */
static double apart_along(const kg_placed *a, const kg_placed *b, const double *n)
{
    kg_separation known = {-HUGE_VAL, {0.0}, KG_POINTS, 0, {0.0}};
    kg_try_axis(a, b, n, KG_POINTS, 0, 0.0, &known);
    return known.s - (a->kind == KG_CAPSULE ? a->size[0] : 0.0) - (b->kind == KG_CAPSULE ? b->size[0] : 0.0);
}

int kg_ends(const kg_placed *a, const kg_placed *b, int number, double margin, kg_touch *t, int count)
{
    const double h = a->size[1], thick = b->hull ? 0.0 : b->size[0],
                 near = THERE * kg_min(kg_least_half(a), kg_least_half(b));
    const edge e = b->hull ? edge_of(b, number) : axis_as_edge(b);
    double axis[3], n[3], on[3], at[2];
    kg_axis_of(a, 2, axis);
    kg_cross3(e.u, axis, n);
    if (!(kg_dot3(n, n) < NEARLY * kg_dot3(e.u, e.u)) || !in_common(a, &e, axis, at))
        return count;
    for (int end = 0; end < 2; end++) {
        for (int i = 0; i < 3; i++)
            n[i] = e.x[i] + at[end] * e.u[i] - a->p[i];
        const double along = kg_clamp(kg_dot3(n, axis), -h, h);
        for (int i = 0; i < 3; i++)
            n[i] -= along * axis[i];
        const double length = sqrt(kg_dot3(n, n)), gap = length - a->size[0] - thick;
        if (!(length > 1e-3 * a->size[0]))
            continue; /* on the axis: no direction */
        for (int i = 0; i < 3; i++) {
            n[i] /= length;
            on[i] = a->p[i] + along * axis[i] + a->size[0] * n[i];
        }
        int is_new = !b->hull || looks_between(&e, n);
        for (int k = 0; k < count && is_new; k++)
            is_new = kg_apart(on, t[k].point) > near + fabs(gap);
        const double least = is_new && gap < t[0].gap ? apart_along(a, b, t[0].normal) : gap;
        if (is_new && gap >= least - 1e-5 * near) /* else sides that lean over each other's flats, and share nothing */
            count += kg_add(t + count, kg_feature(4101, 2 * e.number + end), margin, gap, n, on);
    }
    return count;
}
