/* Edges of a height field where it bends outwards, against the solid that lies over them: the axis among the normals
 * that the field has there along which the solid begins furthest out. Beyond a sharp ridge that axis leads out of the
 * ground again: unless `any` depth counts, what is told to be below has to be. */

#include "grid.h"

static const double SMALL = 1e-2; /* slope at which a face that lies along a ridge meets it at both its ends */
/* Angle between normals of a ridge, or of the border, from which on a side of what lies flat on the ground may have one
 * of them to rounding: along that it is as deep as it is wide. */
static const double WIDE = 1.5;

/* 1 if n is a normal of the ridge. */
static int within(const kg_ridge *r, const double *n)
{
    const double at = atan2(kg_dot3(n, r->out), kg_dot3(n, r->n));
    return at >= -1e-6 && at <= r->most + 1e-6 && n[2] > 0.0;
}

static int add_along(const kg_field_query *of, const kg_ridge *r, double at, const double *n, double gap,
    long long feature, kg_touch *t, int count)
{
    const double on[3] = {r->x[0] + at * r->u[0], r->x[1] + at * r->u[1], r->x[2] + at * r->u[2]};
    if (r->most > WIDE && gap < 0.0 && !of->any && kg_sooner_up(of->shape, on, r->u, gap))
        return count;
    return kg_add_once(of, feature, gap, n, on, t, count);
}

/* Where the line through `a` along w passes the ridge, and how far along w; 0 if it does not, or along it. */
static int passes(const kg_ridge *r, const double *a, const double *w, double *at, double *along)
{
    const double d[3] = {a[0] - r->x[0], a[1] - r->x[1], a[2] - r->x[2]};
    const double ww = kg_dot3(w, w), uw = kg_dot3(r->u, w), du = kg_dot3(d, r->u), dw = kg_dot3(d, w),
                 det = ww - uw * uw;
    if (!(det > 1e-6 * ww))
        return 0;
    *at = (du * ww - dw * uw) / det;
    *along = (*at * uw - dw) / ww;
    return kg_within_ends(r, *at);
}

/* The edge of a polyhedron that crosses the ridge. */
static int edge_across(const kg_field_query *of, const kg_ridge *r, long long feature, kg_touch *t, int count)
{
    const kg_placed *s = of->shape;
    const kg_polyhedron *h = s->hull;
    double best = -HUGE_VAL, normal[3] = {0.0}, u[3], where = 0.0;
    int found = 0;
    kg_turned_into(s, r->u, u);
    for (int k = 0; k < h->edges; k++) {
        const double *f = h->plane[h->edge[k][2]], *g = h->plane[h->edge[k][3]];
        const double p = kg_dot3(f, u), q = kg_dot3(g, u);
        double n[3], a[3], b[3], w[3], at, along;
        if (!(p * q < 0.0))
            continue; /* no plane across the ridge passes between the normals of the two faces */
        for (int i = 0; i < 3; i++)
            w[i] = -fabs(q) * f[i] - fabs(p) * g[i];
        kg_out_of(s, w, 0, n);
        const double length = sqrt(kg_dot3(n, n));
        for (int i = 0; i < 3; i++)
            n[i] /= length;
        if (!within(r, n))
            continue;
        kg_out_of(s, h->vertex[h->edge[k][0]], s->p, a);
        kg_out_of(s, h->vertex[h->edge[k][1]], s->p, b);
        const double gap = n[0] * (a[0] - r->x[0]) + n[1] * (a[1] - r->x[1]) + n[2] * (a[2] - r->x[2]);
        for (int i = 0; i < 3; i++)
            w[i] = b[i] - a[i];
        if (gap <= best || gap >= of->margin || !passes(r, a, w, &at, &along) || fabs(along - 0.5) > 0.5 + 1e-9)
            continue;
        if (!of->any && !kg_behind(of->field, r, at, n, gap) && !kg_over_line(r, a, w, 0.0, 1.0))
            continue;
        best = gap;
        where = at;
        found = k + 1;
        memcpy(normal, n, sizeof normal);
    }
    return found ? add_along(of, r, where, normal, best, feature + found - 1, t, count) : count;
}

/* The faces of a polyhedron that lie along the ridge, at both ends of what they have of it, across the ridge. */
static int faces_along(const kg_field_query *of, const kg_ridge *r, long long feature, kg_touch *t, int count)
{
    const kg_placed *s = of->shape;
    const kg_polyhedron *h = s->hull;
    double x[3], u[3], n[3], edge[3], side[3];
    kg_into(s, r->x, x);
    kg_turned_into(s, r->u, u);
    for (int k = 0; k < h->faces; k++) {
        const double *f = h->plane[k], slope = kg_dot3(f, u), start = kg_dot3(f, x) - f[3];
        double range[2] = {0.0, r->length};
        if (fabs(slope) > SMALL || kg_min(start, start + slope * r->length) >= of->margin)
            continue;
        const double across = sqrt(1.0 - slope * slope); /* of f, which is hardly less than all of it */
        kg_out_of(s, f, 0, n);
        for (int i = 0; i < 3; i++)
            n[i] = (slope * r->u[i] - n[i]) / across;
        if (!within(r, n))
            continue;
        for (int i = h->start[k]; i < h->start[k + 1] && range[0] <= range[1]; i++) {
            const double *a = h->vertex[h->corner[i]],
                         *b = h->vertex[h->corner[i + 1 < h->start[k + 1] ? i + 1 : h->start[k]]];
            for (int e = 0; e < 3; e++)
                edge[e] = b[e] - a[e];
            kg_cross3(edge, f, side);
            const double turn = kg_dot3(side, u),
                         out = side[0] * (x[0] - a[0]) + side[1] * (x[1] - a[1]) + side[2] * (x[2] - a[2]);
            if (turn > 0.0)
                range[1] = kg_min(range[1], -out / turn);
            else if (turn < 0.0)
                range[0] = kg_max(range[0], -out / turn);
            else if (out > 0.0)
                range[1] = -1.0;
        }
        const double middle = 0.5 * (range[0] + range[1]), gap = (start + slope * middle) / across;
        if (range[0] > range[1]
            || (!of->any && !kg_behind(of->field, r, middle, n, gap) && !kg_over_face(r, middle, s, k)))
            continue;
        for (int end = 0; end < 2; end++)
            count = add_along(
                of, r, range[end], n, (start + slope * range[end]) / across, feature + (2 * k + end) % 512, t, count);
    }
    return count;
}

/* A cylinder or capsule whose axis crosses the ridge, or lies along it. */
static int side_across(const kg_field_query *of, const kg_ridge *r, long long feature, kg_touch *t, int count)
{
    const kg_placed *s = of->shape;
    double a[3], n[3], p[3], at, along;
    kg_axis_of(s, 2, a);
    const double d[3] = {s->p[0] - r->x[0], s->p[1] - r->x[1], s->p[2] - r->x[2]}, du = kg_dot3(d, r->u);
    kg_cross3(r->u, a, n);
    const double sine = sqrt(kg_dot3(n, n)), back = n[2] < 0.0 ? -1.0 : 1.0;
    if (sine > SMALL) {
        for (int i = 0; i < 3; i++) {
            n[i] *= back / sine;
            p[i] = s->p[i] - s->size[0] * n[i];
        }
        const double gap = kg_dot3(n, d); /* of the axis */
        if (within(r, n) && passes(r, p, a, &at, &along) && fabs(along) <= (1.0 + 1e-9) * s->size[1]
            && (of->any || kg_behind(of->field, r, at, n, gap) || kg_over_line(r, s->p, a, -s->size[1], s->size[1])))
            count = add_along(of, r, at, n, gap - s->size[0], feature, t, count);
        return count;
    }
    const double sign = kg_dot3(a, r->u) < 0.0 ? -1.0 : 1.0;
    const double low = kg_max(0.0, du - s->size[1]), high = kg_min(r->length, du + s->size[1]);
    for (int i = 0; i < 3; i++)
        n[i] = d[i] - du * r->u[i];
    const double far = sqrt(kg_dot3(n, n));
    for (int i = 0; i < 3; i++)
        n[i] /= far;
    if (!(far > 0.0) || low > high || !within(r, n))
        return count;
    for (int end = 0; end < 2; end++) {
        at = end ? high : low;
        const double gap = far + sign * (at - du) * kg_dot3(n, a) - s->size[0];
        count = add_along(of, r, at, n, gap, feature + end, t, count);
    }
    return count;
}

/* How far out along the normal of the ridge at an angle the solid begins, and where. */
static double begins(const kg_placed *s, const kg_ridge *r, double angle, double *n, double *y)
{
    const double c = cos(angle), sine = sin(angle);
    for (int i = 0; i < 3; i++)
        n[i] = c * r->n[i] + sine * r->out[i];
    const double back[3] = {-n[0], -n[1], -n[2]};
    kg_furthest(s, back, y);
    return n[0] * (y[0] - r->x[0]) + n[1] * (y[1] - r->x[1]) + n[2] * (y[2] - r->x[2]);
}

/* A rim of a cylinder that crosses the ridge. */
static int rim_across(const kg_field_query *of, const kg_ridge *r, long long feature, kg_touch *t, int count)
{
    const kg_placed *s = of->shape;
    static const int PARTS = 8, TURNS = 36;
    static const double GOLDEN = 0.61803398874989485;
    double n[3], y[3], best = -HUGE_VAL, ends[2] = {0.0};
    int part = 0;
    for (int k = 0; k <= PARTS; k++) {
        const double gap = begins(s, r, r->most * k / PARTS, n, y);
        if (k == 0 || k == PARTS)
            ends[k > 0] = gap;
        if (gap > best) {
            best = gap;
            part = k;
        }
    }
    double low = r->most * (part > 0 ? part - 1 : 0) / PARTS,
           high = r->most * (part < PARTS ? part + 1 : PARTS) / PARTS;
    for (int turn = 0; turn < TURNS; turn++) {
        const double step = GOLDEN * (high - low), left = high - step, right = low + step;
        if (begins(s, r, left, n, y) < begins(s, r, right, n, y))
            low = left;
        else
            high = right;
    }
    const double gap = begins(s, r, 0.5 * (low + high), n, y);
    const double at = r->u[0] * (y[0] - r->x[0]) + r->u[1] * (y[1] - r->x[1]) + r->u[2] * (y[2] - r->x[2]);
    if (gap <= kg_max(ends[0], ends[1]) + 1e-9 * s->size[0] || !(n[2] > 0.0) || !kg_within_ends(r, at))
        return count; /* the slopes tell it */
    const double on[3] = {r->x[0] + at * r->u[0], r->x[1] + at * r->u[1], r->x[2] + at * r->u[2]},
                 far[3] = {y[0] - on[0], y[1] - on[1], y[2] - on[2]};
    if (gap > 0.0 && kg_dot3(far, far) > 1.02 * gap * gap)
        return count; /* of a side that crosses it elsewhere, if at all */
    if (gap < 0.0 && !of->any && !kg_way_below(of->field, y, on) && !kg_over_rim(r, s, y))
        return count;
    return add_along(of, r, at, n, gap, feature, t, count);
}

int kg_over_ridge(const kg_field_query *of, const kg_ridge *r, long long feature, kg_touch *t, int count)
{
    const kg_placed *s = of->shape;
    if (s->hull) {
        count = faces_along(of, r, feature + 1536, t, count);
        return edge_across(of, r, feature, t, count);
    }
    if (s->kind != KG_CYLINDER && s->kind != KG_CAPSULE)
        return count;
    const int before = count;
    count = side_across(of, r, feature, t, count);
    return count > before || s->kind == KG_CAPSULE ? count : rim_across(of, r, feature + 2, t, count);
}
