/* What lies below a height field, which is solid straight down, and what of a shape a ridge passes straight over. */

#include "grid.h"

/* How far a point is above the field, which goes on level beyond its border; at: where it is, counted in cells. */
static double above(const kg_terrain *f, const double *at, double z)
{
    int cell[2];
    double part[2];
    for (int k = 0; k < 2; k++) {
        const double x = kg_clamp(at[k], 0.0, f->count[k] - 1);
        cell[k] = x < f->count[k] - 2 ? (int)x : f->count[k] - 2;
        part[k] = x - cell[k];
    }
    const double *w = f->z + (long)cell[0] * f->count[1] + cell[1], *next = w + f->count[1];
    const double low = kg_min(part[0], part[1]);
    return z - w[0] - low * (next[1] - w[0]) - (part[0] - low) * (next[0] - w[0]) - (part[1] - low) * (w[1] - w[0]);
}

/* Along the way the height above the field bends only where it crosses a line of the grid or a diagonal. */
int kg_way_below(const kg_terrain *f, const double *x, const double *y)
{
    const double rounding = 1e-9 * kg_least_step(f);
    double a[3], b[3];
    for (int k = 0; k < 2; k++) {
        a[k] = x[k] / f->step[k] + 0.5 * (f->count[k] - 1);
        b[k] = y[k] / f->step[k] + 0.5 * (f->count[k] - 1);
    }
    a[2] = a[0] - a[1];
    b[2] = b[0] - b[1];
    if (above(f, a, x[2]) > rounding || above(f, b, y[2]) > rounding)
        return 0;
    for (int k = 0; k < 3; k++) {
        const double first = k < 2 ? 0.0 : 1.0 - f->count[1], last = f->count[k == 1] - 1.0;
        const double end = kg_min(floor(kg_max(a[k], b[k])), last);
        for (double line = kg_max(ceil(kg_min(a[k], b[k])), first); line <= end && a[k] != b[k]; line += 1.0) {
            const double part = (line - a[k]) / (b[k] - a[k]),
                         at[2] = {a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])};
            if (above(f, at, x[2] + part * (y[2] - x[2])) > rounding)
                return 0;
        }
    }
    return 1;
}

int kg_behind(const kg_terrain *f, const kg_ridge *r, double at, const double *n, double gap)
{
    const double on[3] = {r->x[0] + at * r->u[0], r->x[1] + at * r->u[1], r->x[2] + at * r->u[2]},
                 x[3] = {on[0] + gap * n[0], on[1] + gap * n[1], on[2] + gap * n[2]};
    return gap >= 0.0 || kg_way_below(f, x, on);
}

/* 1 if a face of a solid is less of a way below the point y than -gap. One that hardly leans along the edge lifts off
 * all of it; where it leans, an edge across may take up to 1/0.9 of its way. */
static int ends_sooner(const double *f, double level, const double *y, const double *up, const double *u, double gap)
{
    const double down = -kg_dot3(f, up);
    return down > 0.1 && level - kg_dot3(f, y) < -0.9 * gap * down && fabs(kg_dot3(f, u)) < 0.3;
}

int kg_sooner_up(const kg_placed *s, const double *x, const double *along, double gap)
{
    const kg_polyhedron *h = s->hull;
    const double *up = s->R + 6;
    double y[3], u[3];
    kg_into(s, x, y);
    kg_turned_into(s, along, u);
    for (int k = 0; h && k < h->faces; k++)
        if (ends_sooner(h->plane[k], h->plane[k][3], y, up, u, gap))
            return 1;
    for (int side = -1; s->kind == KG_CYLINDER && side < 2; side += 2) {
        const double flat[3] = {0.0, 0.0, side};
        if (ends_sooner(flat, s->size[1], y, up, u, gap))
            return 1;
    }
    return 0;
}

int kg_over_line(const kg_ridge *r, const double *a, const double *w, double low, double high)
{
    const double d[2] = {r->x[0] - a[0], r->x[1] - a[1]}, turn = w[0] * r->u[1] - w[1] * r->u[0],
                 along = (d[0] * r->u[1] - d[1] * r->u[0]) / turn, at = (d[0] * w[1] - d[1] * w[0]) / turn,
                 rounding = 1e-9 * (high - low);
    return along >= low - rounding && along <= high + rounding && kg_within_ends(r, at)
        && a[2] + along * w[2] <= r->x[2] + at * r->u[2];
}

int kg_over_face(const kg_ridge *r, double at, const kg_placed *s, int k)
{
    const kg_polyhedron *h = s->hull;
    const double *f = h->plane[k], *up = s->R + 6;
    const double on[3] = {r->x[0] + at * r->u[0], r->x[1] + at * r->u[1], r->x[2] + at * r->u[2]};
    double x[3], edge[3], side[3];
    kg_into(s, on, x);
    const double down = (kg_dot3(f, x) - f[3]) / kg_dot3(f, up);
    for (int i = h->start[k]; i < h->start[k + 1]; i++) {
        const double *a = h->vertex[h->corner[i]],
                     *b = h->vertex[h->corner[i + 1 < h->start[k + 1] ? i + 1 : h->start[k]]];
        for (int e = 0; e < 3; e++)
            edge[e] = b[e] - a[e];
        kg_cross3(edge, f, side);
        if (!(kg_dot3(side, x) - down * kg_dot3(side, up) <= kg_dot3(side, a)))
            return 0;
    }
    return 1;
}

int kg_over_rim(const kg_ridge *r, const kg_placed *s, const double *y)
{
    double c[3], x[3], w[3];
    kg_axis_of(s, 2, w);
    kg_into(s, y, x);
    for (int i = 0; i < 3; i++)
        c[i] = s->p[i] + (x[2] < 0.0 ? -s->size[1] : s->size[1]) * w[i];
    /* of the centre, and most, across the vertical plane of the ridge */
    const double m[3] = {r->u[1], -r->u[0], 0.0}, d[3] = {r->x[0] - c[0], r->x[1] - c[1], 0.0},
                 level = kg_dot3(m, d) / s->size[0];
    kg_turned_into(s, m, x);
    const double most2 = x[0] * x[0] + x[1] * x[1], rest2 = most2 - level * level;
    for (int side = -1; side < 2 && rest2 >= 0.0; side += 2) {
        const double aside = side * sqrt(rest2), k = s->size[0] / most2,
                     at[3] = {k * (x[0] * level - x[1] * aside), k * (x[1] * level + x[0] * aside), 0.0};
        kg_out_of(s, at, c, w);
        const double along = ((w[0] - r->x[0]) * r->u[0] + (w[1] - r->x[1]) * r->u[1])
            / (r->u[0] * r->u[0] + r->u[1] * r->u[1]);
        if (kg_within_ends(r, along) && w[2] <= r->x[2] + along * r->u[2])
            return 1;
    }
    return 0;
}
