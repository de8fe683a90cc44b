/* Triangles, edges and corners of a height field, and its normals there. */

#include "grid.h"
#include "../geometry/faces.h"

void kg_field_corner(const kg_terrain *f, int i, int j, double *x)
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
    kg_field_corner(f, i, j, w);
    for (int k = 0; k < 3; k++)
        w[k] -= x[k];
    return kg_dot3(w, n) <= 1e-6 * sqrt(kg_dot3(w, w));
}

/* Corners of triangle `half` of cell (i, j), counterclockwise from above; offsets in the grid. */
static const int CORNERS[2][3][2] = {{{0, 0}, {1, 0}, {1, 1}}, {{0, 0}, {1, 1}, {0, 1}}};
/* The corner across each edge, that from corner k on. */
static const int ACROSS[2][3][2] = {{{0, -1}, {2, 1}, {0, 1}}, {{1, 0}, {1, 2}, {-1, 0}}};
static const int RING[6][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}, {0, -1}};

void kg_field_triangle(const kg_terrain *f, int i, int j, int half, kg_triangle *t)
{
    double u[3], w[3];
    t->i = i;
    t->j = j;
    t->half = half;
    for (int k = 0; k < 3; k++)
        kg_field_corner(f, i + CORNERS[half][k][0], j + CORNERS[half][k][1], t->x[k]);
    for (int k = 0; k < 3; k++) {
        u[k] = t->x[1][k] - t->x[0][k];
        w[k] = t->x[2][k] - t->x[0][k];
    }
    kg_cross3(u, w, t->n);
    const double length = sqrt(kg_dot3(t->n, t->n));
    for (int k = 0; k < 3; k++)
        t->n[k] /= length;
}

int kg_normal_at_corner(const kg_terrain *f, int i, int j, const double *n)
{
    double x[3];
    kg_field_corner(f, i, j, x);
    for (int k = 0; k < 6; k++)
        if (!below(f, i + RING[k][0], j + RING[k][1], x, n))
            return 0;
    return n[2] > 0.0;
}

/* 1 if n is across the edge from a to b; what rounding leaves along it is taken off. */
static int across(const double *a, const double *b, double *n)
{
    const double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, along = kg_dot3(n, u) / kg_dot3(u, u);
    for (int i = 0; i < 3; i++)
        n[i] -= along * u[i];
    const double left = sqrt(kg_dot3(n, n));
    for (int i = 0; i < 3; i++)
        n[i] /= left;
    return left > 0.999;
}

int kg_normal_at(const kg_terrain *f, const kg_triangle *t, const double *x, double *n)
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
                return across(t->x[k], t->x[(k + 1) % 3], n)
                    && below(f, t->i + ACROSS[t->half][k][0], t->j + ACROSS[t->half][k][1], x, n)
                    && below(f, t->i + CORNERS[t->half][(k + 2) % 3][0], t->j + CORNERS[t->half][(k + 2) % 3][1], x, n);
    for (int k = 0; k < 6; k++)
        if (!below(
                f, t->i + CORNERS[t->half][last][0] + RING[k][0], t->j + CORNERS[t->half][last][1] + RING[k][1], x, n))
            return 0;
    return 1;
}

int kg_flat_edge(const kg_terrain *f, const kg_triangle *t, int k)
{
    const int i = t->i + ACROSS[t->half][k][0], j = t->j + ACROSS[t->half][k][1];
    double w[3];
    if (i < 0 || j < 0 || i >= f->count[0] || j >= f->count[1])
        return 0;
    kg_field_corner(f, i, j, w);
    for (int e = 0; e < 3; e++)
        w[e] -= t->x[k][e];
    return fabs(kg_dot3(w, t->n)) <= 1e-6 * sqrt(kg_dot3(w, w));
}

int kg_ridge_of(const kg_terrain *f, const kg_triangle *t, int k, kg_ridge *r)
{
    const int i = t->i + ACROSS[t->half][k][0], j = t->j + ACROSS[t->half][k][1];
    const int ends = i < 0 || j < 0 || i >= f->count[0] || j >= f->count[1];
    const double *x = t->x[k], *y = t->x[(k + 1) % 3];
    double w[3], n[3];
    if (t->half && !ends)
        return 0;
    for (int e = 0; e < 3; e++)
        r->u[e] = y[e] - x[e];
    r->length = sqrt(kg_dot3(r->u, r->u));
    for (int e = 0; e < 3; e++)
        r->u[e] /= r->length;
    memcpy(r->x, x, sizeof r->x);
    memcpy(r->n, t->n, sizeof r->n);
    kg_cross3(r->u, r->n, r->out);
    if (ends) { /* as far as the normals point up */
        r->most = atan2(r->n[2], -r->out[2]);
        return 1;
    }
    kg_field_corner(f, i, j, w);
    for (int e = 0; e < 3; e++)
        w[e] -= x[e];
    if (kg_dot3(w, r->n) >= -1e-6 * sqrt(kg_dot3(w, w)))
        return 0;
    kg_cross3(w, r->u, n);
    r->most = atan2(kg_dot3(n, r->out), kg_dot3(n, r->n));
    return 1;
}

int kg_add_once(
    const kg_field_query *of, long long feature, double gap, const double *n, const double *x, kg_touch *t, int count)
{
    const double near = 1e-5 * kg_least_step(of->field);
    double on[3], normal[3];
    kg_touch next;
    kg_out_of(of->ground, x, of->ground->p, on);
    kg_out_of(of->ground, n, 0, normal);
    if (count >= KG_MANY || !kg_add(&next, feature, of->margin, gap, normal, on))
        return count;
    for (int k = 0; k < count; k++) {
        const double d[3] = {
            t[k].point[0] - next.point[0], t[k].point[1] - next.point[1], t[k].point[2] - next.point[2]};
        if (kg_dot3(d, d) < near * near && kg_dot3(t[k].normal, normal) > 1.0 - 1e-6)
            return count;
    }
    t[count] = next;
    return count + 1;
}
