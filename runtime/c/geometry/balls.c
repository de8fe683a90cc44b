/* Balls and capsules against each other; balls against boxes and cylinders. */

#include "lines.h"
#include "pairs.h"

#define MEET 1e-9 /* part of the radii within which centres meet: the line between them is rounding there */

/* A direction of least depth where points of the axes u and w (null: a ball has none) meet: across both. */
static void across_both(const double *u, const double *w, double *n)
{
    if (u && w) {
        kg_cross3(u, w, n);
        const double sine = sqrt(kg_dot3(n, n));
        for (int i = 0; i < 3 && sine > 1e-3; i++)
            n[i] /= sine;
        if (sine > 1e-3)
            return;
    }
    if (u || w) {
        kg_across(u ? u : w, n);
        return;
    }
    n[0] = n[1] = 0.0;
    n[2] = 1.0;
}

/* Two balls at a and b, on axes as above. */
static int balls(const double *a, double radius_a, const double *u, const double *b, double radius_b, const double *w,
    long long feature, double margin, kg_touch *t)
{
    double n[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, on[3];
    const double d = sqrt(kg_dot3(n, n));
    if (d > MEET * (radius_a + radius_b))
        for (int i = 0; i < 3; i++)
            n[i] /= d;
    else
        across_both(u, w, n);
    for (int i = 0; i < 3; i++)
        on[i] = a[i] + radius_a * n[i];
    return kg_add(t, feature, margin, d - radius_a - radius_b, n, on);
}

int kg_sphere_sphere(const kg_placed *a, const kg_placed *b, double margin, kg_touch *t)
{
    return balls(a->p, a->size[0], 0, b->p, b->size[0], 0, 0, margin, t);
}

/* Distance of x from a box, negative inside, and its gradient in the box's axes. */
static double box_distance(const double *half, const double *x, double *n)
{
    double d2 = 0.0;
    for (int i = 0; i < 3; i++) {
        n[i] = x[i] - kg_clamp(x[i], -half[i], half[i]);
        d2 += n[i] * n[i];
    }
    if (d2 > 0.0) {
        const double d = sqrt(d2);
        for (int i = 0; i < 3; i++)
            n[i] /= d;
        return d;
    }
    int k = 0;
    for (int i = 1; i < 3; i++)
        if (half[i] - fabs(x[i]) < half[k] - fabs(x[k]))
            k = i;
    n[k] = x[k] < 0.0 ? -1.0 : 1.0;
    return fabs(x[k]) - half[k];
}

/* Distance of x from a cylinder about z, negative inside, and its gradient. */
static double cylinder_distance(const double *size, const double *x, double *n)
{
    const double r = sqrt(x[0] * x[0] + x[1] * x[1]), side = r - size[0], end = fabs(x[2]) - size[1];
    const double out[2] = {r > 0.0 ? x[0] / r : 1.0, r > 0.0 ? x[1] / r : 0.0}, up = x[2] < 0.0 ? -1.0 : 1.0;
    double a = side > end, b = side <= end, d = side > end ? side : end;
    if (side > 0.0 && end > 0.0) {
        d = sqrt(side * side + end * end);
        a = side / d;
        b = end / d;
    }
    n[0] = a * out[0];
    n[1] = a * out[1];
    n[2] = b * up;
    return d;
}

/* A ball at c against a box or a cylinder. */
int kg_ball_solid(const double *c, double radius, const kg_placed *solid, long long feature, double margin, kg_touch *t)
{
    double x[3], n[3], normal[3], on[3];
    kg_into(solid, c, x);
    const double d = (solid->kind == KG_BOX ? box_distance : cylinder_distance)(solid->size, x, n);
    kg_out_of(solid, n, 0, normal);
    for (int i = 0; i < 3; i++) {
        normal[i] = -normal[i];
        on[i] = c[i] + radius * normal[i];
    }
    return kg_add(t, feature, margin, d - radius, normal, on);
}

int kg_sphere_capsule(const kg_placed *a, const kg_placed *b, double margin, kg_touch *t)
{
    double axis[3], x[3];
    kg_axis_of(b, 2, axis);
    kg_into(b, a->p, x);
    const double at = kg_clamp(x[2], -b->size[1], b->size[1]);
    for (int i = 0; i < 3; i++)
        x[i] = b->p[i] + at * axis[i];
    return balls(a->p, a->size[0], 0, x, b->size[0], axis, 0, margin, t);
}

/* The nearest points of the two axes; where these are nearly parallel, both ends of what they have in common. */
int kg_capsule_capsule(const kg_placed *a, const kg_placed *b, double margin, kg_touch *t)
{
    double u[3], w[3], x[3], y[3];
    kg_axis_of(a, 2, u);
    kg_axis_of(b, 2, w);
    const double d[3] = {b->p[0] - a->p[0], b->p[1] - a->p[1], b->p[2] - a->p[2]};
    const double c = kg_dot3(u, w), du = kg_dot3(d, u), dw = kg_dot3(d, w), sine2 = 1.0 - c * c, la = a->size[1],
                 lb = b->size[1];
    double along[2];
    int ways = 1;
    if (sine2 > 1e-6)
        along[0] = kg_clamp((du - c * dw) / sine2, -la, la);
    else {
        along[0] = kg_max(-la, du - lb);
        along[1] = kg_min(la, du + lb);
        ways = along[1] - along[0] > 1e-9 * (la + lb) ? 2 : 1;
        along[0] = kg_clamp(along[0], -la, la);
    }
    int count = 0;
    for (int k = 0; k < ways; k++) {
        const double f = kg_clamp(c * along[k] - dw, -lb, lb), e = ways == 2 ? along[k] : kg_clamp(du + c * f, -la, la);
        for (int i = 0; i < 3; i++) {
            x[i] = a->p[i] + e * u[i];
            y[i] = b->p[i] + f * w[i];
        }
        count += balls(x, a->size[0], u, y, b->size[0], w, k, margin, t + count);
    }
    return count ? kg_ends(a, b, 0, margin, t, count) : 0;
}
