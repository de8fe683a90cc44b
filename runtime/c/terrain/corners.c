/* Corners of a height field where it bends outwards, against the solid that they reach into or up to. */

#include "grid.h"

/* The face of a polyhedron that a point w inside of it, or just before it, is nearest to of those whose normals the
 * corner has; it and how far out it is. */
static int face_over(const kg_field_query *of, const double *w, int i, int j, double *best, double *normal)
{
    const kg_placed *s = of->shape;
    const kg_polyhedron *h = s->hull;
    double y[3], n[3];
    int found = 0, out = 0;
    kg_into(s, w, y);
    for (int k = 0; k < h->faces; k++) {
        const double above = kg_dot3(h->plane[k], y) - h->plane[k][3];
        if (above >= of->margin || (out += above > 0.0) > 1)
            return 0;
    }
    for (int k = 0; k < h->faces; k++) {
        const double above = kg_dot3(h->plane[k], y) - h->plane[k][3];
        if (above <= *best)
            continue;
        kg_out_of(s, h->plane[k], 0, n);
        for (int e = 0; e < 3; e++)
            n[e] = -n[e];
        if (!kg_normal_at_corner(of->field, i, j, n))
            continue;
        *best = above;
        found = k + 1;
        memcpy(normal, n, sizeof n);
    }
    return found && (!out || *best > 0.0) ? found : 0;
}

/* The same of a cylinder: 1 for its side. */
static int side_over(const kg_field_query *of, const double *w, int i, int j, double *best, double *n)
{
    const kg_placed *s = of->shape;
    double a[3];
    kg_axis_of(s, 2, a);
    const double d[3] = {s->p[0] - w[0], s->p[1] - w[1], s->p[2] - w[2]}, along = kg_dot3(d, a);
    for (int e = 0; e < 3; e++)
        n[e] = d[e] - along * a[e];
    const double far = sqrt(kg_dot3(n, n));
    for (int e = 0; e < 3; e++)
        n[e] /= far;
    *best = far - s->size[0];
    return fabs(along) <= s->size[1] && far > 0.0 && kg_normal_at_corner(of->field, i, j, n);
}

/* 1 if the field bends outwards at its corner (i, j) along a line of the grid, and inwards along none. */
static int bends(const kg_terrain *f, int i, int j)
{
    static const int LINE[3][2] = {{1, 0}, {0, 1}, {1, 1}};
    const double least = 1e-6 * kg_least_step(f);
    const double *z = f->z + (long)i * f->count[1] + j;
    int out = 0;
    for (int k = 0; k < 3; k++) {
        const int a = LINE[k][0], b = LINE[k][1], next = a * f->count[1] + b;
        const int within_x = a == 0 || (i > 0 && i < f->count[0] - 1),
                  within_y = b == 0 || (j > 0 && j < f->count[1] - 1);
        const double over = within_x && within_y ? 2 * z[0] - z[next] - z[-next] : 2 * least;
        if (over < -least)
            return 0;
        out |= over > least;
    }
    return out;
}

int kg_over_corner(const kg_field_query *of, int i, int j, long long feature, kg_touch *t, int count)
{
    const kg_terrain *f = of->field;
    double w[3], n[3], best = -HUGE_VAL;
    if (!bends(f, i, j))
        return count;
    kg_field_corner(f, i, j, w);
    int found = 0;
    if (of->shape->hull)
        found = face_over(of, w, i, j, &best, n);
    else if (of->shape->kind == KG_CYLINDER)
        found = side_over(of, w, i, j, &best, n);
    const int ends = i == 0 || j == 0 || i == f->count[0] - 1 || j == f->count[1] - 1;
    static const double NONE[3];
    if (!found || (ends && best < 0.0 && kg_sooner_up(of->shape, w, NONE, best)))
        return count;
    return kg_add_once(of, feature + found - 1, best, n, w, t, count);
}
