/* Nearest points of two convex shapes (Gilbert, Johnson and Keerthi 1988; weights as in Ericson 2005). */

#include "placed.h"

/* A point w = a - b of the difference of two shapes, and its weight in the point nearest to the origin. */
typedef struct {
    double w[3], a[3], b[3], weight;
} difference;

static void on_segment(difference *s)
{
    double d[3];
    for (int i = 0; i < 3; i++)
        d[i] = s[1].w[i] - s[0].w[i];
    const double d2 = kg_dot3(d, d), at = d2 > 0.0 ? kg_clamp(-kg_dot3(s[0].w, d) / d2, 0.0, 1.0) : 0.0;
    s[0].weight = 1.0 - at;
    s[1].weight = at;
}

/* Weights of the corners a, b, c of a triangle in its point nearest to the origin. */
static void on_triangle(const double *a, const double *b, const double *c, double *weight)
{
    double ab[3], ac[3];
    for (int i = 0; i < 3; i++) {
        ab[i] = b[i] - a[i];
        ac[i] = c[i] - a[i];
    }
    const double a1 = -kg_dot3(ab, a), a2 = -kg_dot3(ac, a), b1 = -kg_dot3(ab, b), b2 = -kg_dot3(ac, b),
                 c1 = -kg_dot3(ab, c), c2 = -kg_dot3(ac, c);
    const double va = b1 * c2 - c1 * b2, vb = c1 * a2 - a1 * c2, vc = a1 * b2 - b1 * a2, sum = va + vb + vc;
    double u = 0.0, w = 0.0; /* of b, of c */
    if (a1 <= 0.0 && a2 <= 0.0)
        ;
    else if (b1 >= 0.0 && b2 <= b1)
        u = 1.0;
    else if (c2 >= 0.0 && c1 <= c2)
        w = 1.0;
    else if (vc <= 0.0 && a1 >= 0.0 && b1 <= 0.0)
        u = a1 / (a1 - b1);
    else if (vb <= 0.0 && a2 >= 0.0 && c2 <= 0.0)
        w = a2 / (a2 - c2);
    else if ((va <= 0.0 && b2 >= b1 && c1 >= c2) || !(sum > 0.0)) {
        w = kg_clamp((b2 - b1) / (b2 - b1 + c1 - c2), 0.0, 1.0);
        u = 1.0 - w;
    } else {
        u = vb / sum;
        w = vc / sum;
    }
    weight[0] = 1.0 - u - w;
    weight[1] = u;
    weight[2] = w;
}

/* Weights of the corners of a tetrahedron; all positive where the origin lies in it. */
static void on_tetrahedron(difference *s)
{
    static const int FACE[4][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}};
    double best = HUGE_VAL, volume[4];
    for (int k = 0; k < 4; k++) {
        const double *a = s[FACE[k][0]].w, *b = s[FACE[k][1]].w, *c = s[FACE[k][2]].w, *d = s[FACE[k][3]].w;
        double ab[3], ac[3], ad[3], n[3], weight[3], x[3];
        for (int i = 0; i < 3; i++) {
            ab[i] = b[i] - a[i];
            ac[i] = c[i] - a[i];
            ad[i] = d[i] - a[i];
        }
        kg_cross3(ab, ac, n);
        const double across = kg_dot3(n, ad), origin = -kg_dot3(n, a);
        const int flat = across * across <= 1e-20 * kg_dot3(n, n) * kg_dot3(ad, ad);
        volume[FACE[k][3]] = flat ? 0.0 : origin / across;
        if (!flat && origin * across > 0.0)
            continue;
        on_triangle(a, b, c, weight);
        for (int i = 0; i < 3; i++)
            x[i] = weight[0] * a[i] + weight[1] * b[i] + weight[2] * c[i];
        if (kg_dot3(x, x) < best) {
            best = kg_dot3(x, x);
            for (int i = 0; i < 3; i++)
                s[FACE[k][i]].weight = weight[i];
            s[FACE[k][3]].weight = 0.0;
        }
    }
    if (best == HUGE_VAL)
        for (int k = 0; k < 4; k++)
            s[k].weight = volume[k];
}

/* Weights of the point of the difference that is nearest to the origin. */
static void weigh(difference *s, int count)
{
    double weight[3];
    s[0].weight = 1.0;
    if (count == 2)
        on_segment(s);
    if (count == 3) {
        on_triangle(s[0].w, s[1].w, s[2].w, weight);
        for (int k = 0; k < 3; k++)
            s[k].weight = weight[k];
    }
    if (count == 4)
        on_tetrahedron(s);
}

int kg_nearest(const kg_placed *a, const kg_placed *b, double far, double *x, double *y)
{
    return kg_nearest_to_sweep(a, b, 0, far, x, y);
}

int kg_nearest_to_sweep(const kg_placed *a, const kg_placed *b, const kg_placed *end, double far, double *x, double *y)
{
    difference s[4];
    int count = 0;
    double v[3], least = HUGE_VAL, scale = 0.0;
    for (int i = 0; i < 3; i++)
        v[i] = a->p[i] - b->p[i];
    for (int turn = 0; turn < 64; turn++) {
        difference *next = s + count;
        const double back[3] = {-v[0], -v[1], -v[2]}, v2 = kg_dot3(v, v);
        kg_furthest(a, back, next->a);
        kg_furthest(b, v, next->b);
        if (end) {
            double later[3];
            kg_furthest(end, v, later);
            if (kg_dot3(v, later) > kg_dot3(v, next->b))
                memcpy(next->b, later, sizeof later);
        }
        for (int i = 0; i < 3; i++)
            next->w[i] = next->a[i] - next->b[i];
        const double along = kg_dot3(v, next->w);
        if (along > 0.0 && along * along > far * far * v2)
            return -1;
        scale = kg_max(scale, kg_dot3(next->w, next->w));
        if (count > 0 && v2 - along <= 1e-12 * v2 + 1e-15 * scale) /* what rounding leaves of v */
            break;
        int kept = 0;
        double u[3] = {0.0}, on_a[3] = {0.0}, on_b[3] = {0.0};
        weigh(s, ++count);
        for (int k = 0; k < count; k++)
            if (s[k].weight > 0.0) {
                for (int i = 0; i < 3; i++) {
                    u[i] += s[k].weight * s[k].w[i];
                    on_a[i] += s[k].weight * s[k].a[i];
                    on_b[i] += s[k].weight * s[k].b[i];
                }
                s[kept++] = s[k];
            }
        count = kept;
        const double u2 = kg_dot3(u, u);
        if (!(u2 < least))
            break;
        least = u2;
        memcpy(v, u, sizeof v);
        memcpy(x, on_a, sizeof on_a);
        memcpy(y, on_b, sizeof on_b);
        if (count == 4 || u2 <= 1e-24 * scale)
            return 0;
    }
    return 1;
}
