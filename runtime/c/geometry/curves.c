/* Axes across which a corner or a rim meets the side of a cylinder, and a rim an edge or a rim. Of solids that nearly
 * touch the line between their nearest points tells little of these, the curves that meet there tell them whole. */

#include "faces.h"

/* An edge or axis o + t u, or a rim o + r (cos t e + sin t f); `most`: half the length of a line about o. */
typedef struct {
    double o[3], u[3], e[3], f[3], radius, t, most;
} curve;

/* Point of a curve and its first two derivatives by t. */
static void follow(const curve *c, double *x, double *d, double *dd)
{
    const double cosine = c->radius * cos(c->t), sine = c->radius * sin(c->t);
    for (int i = 0; i < 3; i++) {
        dd[i] = c->radius > 0.0 ? -cosine * c->e[i] - sine * c->f[i] : 0.0;
        d[i] = c->radius > 0.0 ? cosine * c->f[i] - sine * c->e[i] : c->u[i];
        x[i] = c->o[i] + (c->radius > 0.0 ? -dd[i] : c->t * c->u[i]);
    }
}

/* The rim (1) or axis (0) of a cylinder, if the point x of its surface is on it, or over it. */
static int round_at(const kg_placed *s, const double *x, int rim, double near, curve *c)
{
    double local[3];
    kg_into(s, x, local);
    const double r = s->size[0], h = s->size[1], out = sqrt(local[0] * local[0] + local[1] * local[1]);
    if (s->hull || s->kind != KG_CYLINDER || out < r - near || (rim && fabs(local[2]) < h - near))
        return 0;
    memset(c, 0, sizeof *c);
    kg_axis_of(s, 0, c->e);
    kg_axis_of(s, 1, c->f);
    kg_axis_of(s, 2, c->u);
    for (int i = 0; i < 3; i++)
        c->o[i] = s->p[i] + (rim ? (local[2] < 0.0 ? -h : h) * c->u[i] : 0.0);
    c->radius = rim ? r : 0.0;
    c->t = rim ? atan2(local[1], local[0]) : local[2];
    c->most = h;
    return 1;
}

/* Edge k of a polyhedron, if it passes the point x. */
static int edge_at(const kg_placed *s, int k, const double *x, double near, curve *c)
{
    const double *v = s->hull->vertex[s->hull->edge[k][0]], *w = s->hull->vertex[s->hull->edge[k][1]];
    double local[3], u[3], middle[3], aside2 = 0.0;
    kg_into(s, x, local);
    for (int i = 0; i < 3; i++) {
        u[i] = w[i] - v[i];
        middle[i] = 0.5 * (v[i] + w[i]);
    }
    const double length = sqrt(kg_dot3(u, u));
    for (int i = 0; i < 3; i++) {
        u[i] /= length;
        local[i] -= middle[i];
    }
    memset(c, 0, sizeof *c);
    c->most = 0.5 * length;
    c->t = kg_clamp(kg_dot3(local, u), -c->most, c->most);
    for (int i = 0; i < 3; i++)
        aside2 += (local[i] - c->t * u[i]) * (local[i] - c->t * u[i]);
    if (aside2 > near * near)
        return 0;
    kg_out_of(s, middle, s->p, c->o);
    kg_out_of(s, u, 0, c->u);
    return 1;
}

/* Where two curves are nearest to each other, by Newton's method on the square of q = x - y from where they are near;
 * 0: nowhere about there. */
static int closest(curve *c, curve *k, double near)
{
    double x[3], d[3], dd[3], y[3], g[3], gg[3], moved = 0.0;
    for (int turn = 0; turn < 12; turn++) {
        follow(c, x, d, dd);
        follow(k, y, g, gg);
        const double q[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]}, d2 = kg_dot3(d, d), g2 = kg_dot3(g, g),
                     dg = kg_dot3(d, g), cc = d2 + kg_dot3(q, dd), kk = g2 - kg_dot3(q, gg), det = cc * kk - dg * dg;
        if (!(det > 1e-6 * d2 * g2))
            return 0;
        const double a = kg_dot3(q, d), b = -kg_dot3(q, g), s = -(kk * a + dg * b) / det, t = -(dg * a + cc * b) / det,
                     step = fabs(s) * sqrt(d2) + fabs(t) * sqrt(g2);
        c->t += s;
        k->t += t;
        moved += step;
        if (moved > 4.0 * near)
            return 0;
        if (step < 1e-13 * (near + fabs(x[0]) + fabs(x[1]) + fabs(x[2])))
            break;
    }
    return (c->radius > 0.0 || fabs(c->t) <= c->most) && (k->radius > 0.0 || fabs(k->t) <= k->most);
}

/* n along v, away from `inside`, if v has a direction. */
static int along(const double *v, const double *x, const double *inside, double *n)
{
    const double length = sqrt(kg_dot3(v, v)), d[3] = {x[0] - inside[0], x[1] - inside[1], x[2] - inside[2]},
                 sign = kg_dot3(v, d) < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 3 && length > 0.0; i++)
        n[i] = sign * v[i] / length;
    return length > 0.0;
}

/* A rim of the first or second solid on an edge or rim of the other, or on a side, whose axis the other curve is. */
static int add_curves(const kg_placed *a, curve c, curve k, int side_of_first, int side, double near, kg_meeting *m)
{
    double x[3], d[3], dd[3], y[3], g[3], gg[3], v[3];
    if (!closest(&c, &k, near))
        return 0;
    follow(&c, x, d, dd);
    follow(&k, y, g, gg);
    kg_cross3(d, g, v);
    for (int i = 0; i < 3 && side; i++)
        v[i] = y[i] - x[i];
    m->of_second = side_of_first;
    memcpy(m->x, side_of_first ? y : x, sizeof x);
    return along(v, side ? y : x, side ? x : a->p, m->n);
}

/* A corner of the second solid over the side of the first. */
static int add_corner(const kg_placed *a, const curve *axis, const double *corner, kg_meeting *m)
{
    double v[3], on[3];
    const double d[3] = {corner[0] - a->p[0], corner[1] - a->p[1], corner[2] - a->p[2]}, at = kg_dot3(d, axis->u);
    for (int i = 0; i < 3; i++) {
        on[i] = a->p[i] + at * axis->u[i];
        v[i] = corner[i] - on[i];
    }
    m->of_second = 1;
    memcpy(m->x, corner, sizeof on);
    return fabs(at) <= axis->most && along(v, corner, on, m->n);
}

int kg_meetings(const kg_placed *a, const kg_placed *b, const double *x, const double *y, double near, kg_meeting *m)
{
    curve rim, side, other;
    int count = 0;
    const int rims = round_at(a, x, 1, near, &rim), sides = round_at(a, x, 0, near, &side);
    if (rims && round_at(b, y, 1, near, &other))
        count += add_curves(a, rim, other, 0, 0, near, m + count);
    if (rims && round_at(b, y, 0, near, &other))
        count += add_curves(a, rim, other, 0, 1, near, m + count);
    if (sides && round_at(b, y, 1, near, &other))
        count += add_curves(a, side, other, 1, 1, near, m + count);
    for (int k = 0; b->hull && (rims || sides) && k < b->hull->edges; k++) {
        if (count > KG_MEETINGS - 3 || !edge_at(b, k, y, near, &other))
            continue;
        if (rims)
            count += add_curves(a, rim, other, 0, 0, near, m + count);
        for (int end = 0; sides && end < 2; end++) {
            double corner[3], d2 = 0.0;
            for (int i = 0; i < 3; i++) {
                corner[i] = other.o[i] + (end ? other.most : -other.most) * other.u[i];
                d2 += (corner[i] - y[i]) * (corner[i] - y[i]);
            }
            if (d2 < near * near)
                count += add_corner(a, &side, corner, m + count);
        }
    }
    return count;
}
