/* Faces of solids, sides of round ones, and which of many points of contact stay. */

#include "faces.h"

void kg_heights(const kg_placed *s, const double *x, double *above)
{
    double y[3];
    kg_into(s, x, y);
    for (int k = 0; k < s->hull->faces; k++)
        above[k] = kg_dot3(s->hull->plane[k], y) - s->hull->plane[k][3];
}

int kg_facing(const kg_placed *s, const double *n)
{
    const kg_polyhedron *h = s->hull;
    const double back[3] = {-n[0], -n[1], -n[2]};
    double m[3], x[3], most = -2.0;
    int best = 0;
    const int vertex = kg_furthest(s, back, x);
    for (int i = 0; i < 3; i++)
        m[i] = s->R[i] * back[0] + s->R[3 + i] * back[1] + s->R[6 + i] * back[2];
    for (int k = 0; k < h->faces; k++) {
        int there = 0;
        for (int i = h->start[k]; i < h->start[k + 1]; i++)
            there |= h->corner[i] == vertex;
        if (there && kg_dot3(h->plane[k], m) > most + 1e-9) {
            most = kg_dot3(h->plane[k], m);
            best = k;
        }
    }
    return best;
}

int kg_reduce(kg_touch *t, int count, const kg_placed *s)
{
    int keep[8], most = 0, kept = 0;
    if (count <= 8)
        return count;
    double u[3], w[3];
    const double *n = t[0].normal;
    kg_axis_of(s, 0, u);
    if (fabs(kg_dot3(u, n)) > 0.8)
        kg_axis_of(s, 1, u);
    kg_cross3(n, u, w);
    kg_cross3(w, n, u);
    for (int k = 0; k < 8; k++) {
        const double c = cos(0.1 + 0.78539816339744831 * k), sine = sin(0.1 + 0.78539816339744831 * k);
        const double d[3] = {c * u[0] + sine * w[0], c * u[1] + sine * w[1], c * u[2] + sine * w[2]};
        keep[k] = 0;
        for (int i = 1; i < count; i++)
            if (kg_dot3(d, t[i].point) > kg_dot3(d, t[keep[k]].point) + 1e-9)
                keep[k] = i;
    }
    int deepest = 0, last = keep[0];
    for (int i = 1; i < count; i++)
        if (t[i].gap < t[deepest].gap)
            deepest = i;
    for (int k = 1; k < 8; k++) {
        most = t[keep[k]].gap < t[keep[most]].gap ? k : most;
        last = t[keep[k]].gap > t[last].gap ? keep[k] : last;
    }
    const int instead = t[deepest].gap < t[keep[most]].gap - 2e-5;
    for (int i = 0; i < count; i++) {
        int stays = instead && i == deepest;
        for (int k = 0; k < 8; k++)
            stays |= keep[k] == i && !(instead && i == last);
        if (stays)
            t[kept++] = t[i];
    }
    return kept;
}

int kg_outline(const kg_placed *s, const double *n, int border, kg_corner *c)
{
    double axis[3], u[3], w[3];
    kg_axis_of(s, 2, axis);
    int count = 0;
    if (s->hull) {
        const double back[3] = {-n[0], -n[1], -n[2]};
        const int face = kg_facing(s, back);
        for (int i = s->hull->start[face]; i < s->hull->start[face + 1]; i++, count++)
            kg_out_of(s, s->hull->vertex[s->hull->corner[i]], s->p, c[count].x);
    } else if (s->kind == KG_CYLINDER && fabs(kg_dot3(n, axis)) > 0.7) {
        const int sides = border ? 16 : 8;
        const double up = kg_dot3(n, axis) > 0.0 ? 1.0 : -1.0, step = 6.283185307179586 / sides;
        kg_axis_of(s, 0, u);
        kg_axis_of(s, 1, w);
        double at = atan2(kg_dot3(n, w), kg_dot3(n, u));
        at += at < 0.0 ? 6.283185307179586 : 0.0;
        const double left = at - step * floor(at / step);
        const int tilted = !border && kg_dot3(n, u) * kg_dot3(n, u) + kg_dot3(n, w) * kg_dot3(n, w) > 1e-12
            && left > 1e-3 && left < step - 1e-3;
        for (int k = 0; k < sides; k++)
            for (int more = 0; more < 1 + (tilted && k == (int)floor(at / step)); more++, count++) {
                const double angle = more ? at : step * k,
                             e[3] = {s->size[0] * cos(angle), s->size[0] * sin(angle), up * s->size[1]};
                kg_out_of(s, e, s->p, c[count].x);
            }
        for (int k = 0; up < 0.0 && k < count / 2; k++) {
            const kg_corner other = c[k];
            c[k] = c[count - 1 - k];
            c[count - 1 - k] = other;
        }
    } else {
        double radial[3] = {0.0}, length = 1.0;
        if (s->kind == KG_CYLINDER) {
            for (int i = 0; i < 3; i++)
                radial[i] = n[i] - kg_dot3(n, axis) * axis[i];
            length = sqrt(kg_dot3(radial, radial)) / s->size[0];
        }
        for (count = 0; count < (s->kind == KG_SPHERE ? 1 : 2); count++)
            for (int i = 0; i < 3; i++)
                c[count].x[i] = s->p[i] + radial[i] / length
                    + (s->kind == KG_SPHERE ? 0.0 : (count ? 1.0 : -1.0) * s->size[1]) * axis[i];
    }
    for (int k = 0; k < count; k++)
        c[k].in = c[k].out = k;
    return count;
}
