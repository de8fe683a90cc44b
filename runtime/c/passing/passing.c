/* What passes by within a step. Of the axes that separate two solids at its beginning that one counts along which they
 * come least beyond each other by its end: where an edge is passed that is not the line between the nearest points. */

#include "passing.h"
#include "../geometry/faces.h"

#define SLIGHT 2e-2 /* of the least half width of two solids, by which they overlap at most at an edge that is passed */

/* A plane that the other solid is beyond: normal out of the solid `ref`, level of that; how far beyond at the beginning
 * of the step and at its end; the other's corner that is nearest to it at the end, where it is at the beginning. */
typedef struct {
    const kg_placed *ref;
    double n[3], level, now, then, corner[3];
} plane;

/* A step: solids at its beginning, ways that all points of the second go, seen from the first; the solids moved by
 * that, each seen from the other. Poses of these are no rotations: points go straight. */
typedef struct {
    const kg_placed *a, *b;
    kg_placed moved_a, moved_b;
    double p[2][3], R[2][9], radius, allowed;
} step;

static void way_of(const kg_way *way, const double *p, const double *x, double *d)
{
    const double arm[3] = {x[0] - p[0], x[1] - p[1], x[2] - p[2]};
    kg_cross3(way->w, arm, d);
    for (int i = 0; i < 3; i++)
        d[i] += way->u[i];
}

/* s moved by `sign` times the way of what moves about `about`; p, R: where it is then. */
static kg_placed moved(const kg_placed *s, const kg_way *way, const double *about, double sign, double *p, double *R)
{
    double d[3];
    way_of(way, about, s->p, d);
    for (int i = 0; i < 3; i++)
        p[i] = s->p[i] + sign * d[i];
    for (int k = 0; k < 3; k++) {
        double axis[3];
        kg_axis_of(s, k, axis);
        kg_cross3(way->w, axis, d);
        for (int i = 0; i < 3; i++)
            R[3 * i + k] = axis[i] + sign * d[i];
    }
    kg_placed end = *s;
    end.p = p;
    end.R = R;
    return end;
}

/* How far the step goes against a plane: a gap may close, and a depth may stay. */
static double left_by(double now, double then)
{
    return then - kg_min(now, 0.0);
}

/* n and level are of a plane of one solid: the better one of that and `best`. */
static void try_plane(const step *s, int second, const double *n, double level, plane *best)
{
    const kg_placed *other = second ? s->a : s->b, *end = second ? &s->moved_a : &s->moved_b;
    const double back[3] = {-n[0], -n[1], -n[2]}, under = level + s->radius;
    double x[3], y[3];
    kg_furthest(other, back, x);
    const double now = kg_dot3(n, x) - under;
    if (!(now >= -s->allowed))
        return;
    const int vertex = kg_furthest(end, back, y), known = best->ref != 0;
    const double then = kg_dot3(n, y) - under;
    if (known && !(left_by(now, then) > left_by(best->now, best->then)))
        return;
    best->ref = second ? s->b : s->a;
    memcpy(best->n, n, sizeof best->n);
    best->level = level;
    best->now = now;
    best->then = then;
    memcpy(best->corner, x, sizeof x);
    if (other->hull)
        kg_out_of(other, other->hull->vertex[vertex], other->p, best->corner);
}

/* Faces of either solid; x: a point where they are `gap` apart, which all planes leave on their outside. */
static void try_faces(const step *s, const double *x, double gap, plane *best)
{
    for (int second = 0; second < 2; second++) {
        const kg_placed *ref = second ? s->b : s->a;
        const int faces = ref->hull ? ref->hull->faces : ref->kind == KG_CYLINDER ? 2 : 0;
        double at[3], n[3];
        kg_into(ref, x, at);
        for (int k = 0; k < faces; k++) {
            const double flat[4] = {0.0, 0.0, k ? 1.0 : -1.0, ref->size[1]},
                         *face = ref->hull ? ref->hull->plane[k] : flat;
            if (kg_dot3(face, at) - face[3] + fabs(gap) < -s->allowed)
                continue;
            kg_out_of(ref, face, 0, n);
            try_plane(s, second, n, face[3] + kg_dot3(n, ref->p), best);
        }
    }
}

/* A plane that separates the first from all that the second sweeps over. */
static void try_sweep(const step *s, double hair, plane *best)
{
    double x[3], y[3], n[3];
    if (kg_nearest_to_sweep(s->a, s->b, &s->moved_b, HUGE_VAL, x, y) != 1)
        return;
    const double d[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]}, apart = sqrt(kg_dot3(d, d));
    if (!(apart - s->radius > hair))
        return;
    for (int i = 0; i < 3; i++)
        n[i] = d[i] / apart;
    kg_furthest(s->a, n, x);
    try_plane(s, 0, n, kg_dot3(n, x), best);
}

/* Point t along the normal of the plane. */
static void put_on(const step *s, const plane *best, kg_touch *t)
{
    const int second = best->ref == s->b;
    double x[3];
    for (int i = 0; i < 3; i++) {
        const double normal = second ? -best->n[i] : best->n[i], half = 0.5 * t->gap * t->normal[i];
        x[i] = second ? t->point[i] - half - s->radius * (t->normal[i] - normal) : t->point[i] + half;
        t->normal[i] = normal;
    }
    t->gap = kg_dot3(best->n, x) - best->level - (second ? 0.0 : s->radius);
    for (int i = 0; i < 3; i++)
        t->point[i] = x[i] - 0.5 * t->gap * best->n[i];
}

/* How far the step goes against point t: 0 or more where it does not. */
static double left_at(const step *s, const kg_way *way, const kg_touch *t)
{
    double d[3];
    way_of(way, s->b->p, t->point, d);
    return left_by(t->gap, t->gap + kg_dot3(t->normal, d));
}

/* The corner that comes beyond the plane most, if no point tells it. */
static int with_corner(const step *s, const plane *best, double hair, kg_touch *t, int count, int put)
{
    const int second = best->ref == s->b;
    const double gap = kg_dot3(best->n, best->corner) - best->level - s->radius;
    for (int k = 0; k < count; k++)
        if (t[k].gap <= gap + hair && kg_dot3(t[k].normal, best->n) * (second ? -1.0 : 1.0) > 1.0 - 1e-9)
            return count;
    kg_touch *at = t + (count < KG_MOST_POINTS ? count : put);
    at->feature = -1; /* of no other point */
    at->gap = gap;
    for (int i = 0; i < 3; i++) {
        at->normal[i] = second ? -best->n[i] : best->n[i];
        at->point[i] = best->corner[i] - ((second ? s->radius : 0.0) + 0.5 * gap) * best->n[i];
    }
    return count < KG_MOST_POINTS ? count + 1 : count;
}

int kg_pass(
    const kg_placed *a, const kg_placed *b, const kg_way *way, double allowed, double hair, kg_touch *t, int count)
{
    step s = {.a = a, .b = b, .radius = a->kind == KG_CAPSULE ? a->size[0] : 0.0};
    double left[KG_MOST_POINTS];
    plane best = {.ref = 0};
    int worst = -1, put = -1;
    if (a->kind < KG_CAPSULE || b->kind < KG_CYLINDER)
        return count;
    s.allowed = kg_min(allowed, SLIGHT * kg_min(kg_least_half(a), kg_least_half(b)));
    for (int k = 0; k < count; k++) {
        left[k] = t[k].gap < -s.allowed ? 0.0 : left_at(&s, way, t + k);
        if (left[k] < -hair && (worst < 0 || left[k] < left[worst]))
            worst = k;
    }
    if (worst < 0)
        return count;
    s.moved_a = moved(a, way, b->p, -1.0, s.p[0], s.R[0]);
    s.moved_b = moved(b, way, b->p, 1.0, s.p[1], s.R[1]);
    try_faces(&s, t[worst].point, t[worst].gap, &best);
    if (!best.ref || left_by(best.now, best.then) < -hair)
        try_sweep(&s, hair, &best);
    if (!best.ref)
        return count;
    const double least = left_by(best.now, best.then);
    for (int k = 0; k < count; k++)
        if (left[k] < kg_min(-hair, least - hair)) {
            put_on(&s, &best, t + k);
            put = k;
        }
    return put >= 0 && least < -hair ? with_corner(&s, &best, hair, t, count, put) : count;
}
