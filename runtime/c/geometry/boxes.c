/* Two boxes: the axis that separates them most, then a face clipped by a face, or an edge against an edge; where a
 * corner comes nearest, as two polyhedra. */

#include "faces.h"
#include "pairs.h"

/* Face k of box `ref`, outward normal n, against the face of `other` that looks at it most; up to eight points. */
static int face_face(const kg_placed *ref, const kg_placed *other, int k, const double *n, double sign, long long code,
    double margin, kg_touch *t)
{
    double axis[3], best = 0.0;
    kg_corner polygon[2][16];
    int facing = 0, count = 4, found = 0;
    for (int j = 0; j < 3; j++) {
        kg_axis_of(other, j, axis);
        if (fabs(kg_dot3(axis, n)) > fabs(best)) {
            best = kg_dot3(axis, n);
            facing = j;
        }
    }
    for (int i = 0; i < 4; i++) {
        double x[3];
        x[facing] = best > 0.0 ? -other->size[facing] : other->size[facing];
        x[(facing + 1) % 3] = (i == 1 || i == 2 ? 1.0 : -1.0) * other->size[(facing + 1) % 3];
        x[(facing + 2) % 3] = (i >= 2 ? 1.0 : -1.0) * other->size[(facing + 2) % 3];
        kg_out_of(other, x, other->p, polygon[0][i].x);
        polygon[0][i].in = polygon[0][i].out = i;
    }
    for (int side = 0; side < 4; side++) {
        const int j = (k + 1 + side / 2) % 3;
        kg_axis_of(ref, j, axis);
        for (int i = 0; i < 3; i++)
            axis[i] *= side & 1 ? -1.0 : 1.0;
        count = kg_clip(polygon[side & 1], count, axis, kg_dot3(axis, ref->p) + ref->size[j], side, polygon[~side & 1]);
    }
    const double face = kg_dot3(n, ref->p) + ref->size[k];
    for (int i = 0; i < count && found < 8; i++) {
        const double gap = kg_dot3(n, polygon[0][i].x) - face;
        double normal[3], on[3];
        for (int e = 0; e < 3; e++) {
            normal[e] = sign * n[e];
            on[e] = polygon[0][i].x[e] - (sign > 0.0 ? gap : 0.0) * n[e];
        }
        found += kg_add(t + found, kg_feature_of_corner(code, polygon[0] + i), margin, gap, normal, on);
    }
    return found;
}

/* The edges of direction i of a and j of b that are furthest along n; 0 where they pass beyond each other's ends. */
static int edge_edge(
    const kg_placed *a, const kg_placed *b, int i, int j, const double *n, double gap, double margin, kg_touch *t)
{
    double u[3], w[3], x[3], y[3], axis[3];
    kg_axis_of(a, i, u);
    kg_axis_of(b, j, w);
    for (int e = 0; e < 3; e++) {
        x[e] = a->p[e];
        y[e] = b->p[e];
    }
    for (int k = 1; k < 3; k++) {
        const int ka = (i + k) % 3, kb = (j + k) % 3;
        kg_axis_of(a, ka, axis);
        const double ha = kg_dot3(axis, n) > 0.0 ? a->size[ka] : -a->size[ka];
        for (int e = 0; e < 3; e++)
            x[e] += ha * axis[e];
        kg_axis_of(b, kb, axis);
        const double hb = kg_dot3(axis, n) > 0.0 ? -b->size[kb] : b->size[kb];
        for (int e = 0; e < 3; e++)
            y[e] += hb * axis[e];
    }
    const double d[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]}, c = kg_dot3(u, w);
    const double du = kg_dot3(d, u), dw = kg_dot3(d, w), s = (du - c * dw) / (1.0 - c * c), r = c * s - dw;
    if (gap > 0.0 && (fabs(s) > a->size[i] || fabs(r) > b->size[j]))
        return 0;
    for (int e = 0; e < 3; e++)
        x[e] += kg_clamp(s, -a->size[i], a->size[i]) * u[e];
    return kg_add(t, kg_feature(6 + 3 * i + j, 0), margin, gap, n, x);
}

/* The axis along which two boxes are apart most, or least deep, of normals of faces (k < 3: of a, else of b) or of axes
 * across two edges (k = 3 i + j): gap, and unit normal from a to b. */
typedef struct {
    double gap, n[3];
    int k;
} separation;

/* Axis number k of fifteen; 0: across edges that are parallel. */
static int axis_across(const double (*A)[3], const double (*B)[3], int k, double *n)
{
    if (k < 6) {
        for (int e = 0; e < 3; e++)
            n[e] = k < 3 ? A[k][e] : B[k - 3][e];
        return 1;
    }
    const double *u = A[(k - 6) / 3], *w = B[(k - 6) % 3];
    for (int e = 0; e < 3; e++)
        n[e] = u[(e + 1) % 3] * w[(e + 2) % 3] - u[(e + 2) % 3] * w[(e + 1) % 3];
    const double length = sqrt(kg_dot3(n, n));
    if (length < 1e-3)
        return 0;
    for (int e = 0; e < 3; e++)
        n[e] /= length;
    return 1;
}

/* 0: they are further apart than margin. size: of the smallest half edge. */
static int separate(
    const kg_placed *a, const kg_placed *b, double size, double margin, separation *face, separation *edge)
{
    const double d[3] = {b->p[0] - a->p[0], b->p[1] - a->p[1], b->p[2] - a->p[2]};
    double A[3][3], B[3][3], n[3];
    for (int k = 0; k < 3; k++) {
        kg_axis_of(a, k, A[k]);
        kg_axis_of(b, k, B[k]);
    }
    for (int k = 0; k < 15; k++) {
        if (!axis_across((const double (*)[3])A, (const double (*)[3])B, k, n))
            continue;
        double gap = fabs(kg_dot3(n, d));
        for (int e = 0; e < 3; e++)
            gap -= a->size[e] * fabs(kg_dot3(A[e], n)) + b->size[e] * fabs(kg_dot3(B[e], n));
        if (gap > margin)
            return 0;
        separation *most = k < 6 ? face : edge;
        /* two faces that do alike do not take turns */
        if (!(gap > most->gap + (k > 2 && k < 6 ? 1e-3 : 1e-9) * size))
            continue;
        most->gap = gap;
        most->k = k < 6 ? k : k - 6;
        for (int e = 0; e < 3; e++)
            most->n[e] = kg_dot3(n, d) < 0.0 ? -n[e] : n[e];
    }
    return 1;
}

int kg_box_box(const kg_placed *a, const kg_placed *b, double margin, kg_touch *t)
{
    separation face = {-HUGE_VAL, {0.0}, 0}, edge = face;
    const double size = kg_min(
        kg_min(a->size[0], kg_min(a->size[1], a->size[2])), kg_min(b->size[0], kg_min(b->size[1], b->size[2])));
    if (!separate(a, b, size, margin, &face, &edge))
        return 0;
    const int apart = kg_max(face.gap, edge.gap) > 0.0;
    int count;
    /* a face is preferred: it carries more points, and near parallel edges say little */
    if (edge.gap > face.gap + 1e-2 * size) {
        count = edge_edge(a, b, edge.k / 3, edge.k % 3, edge.n, edge.gap, margin, t);
        if (count)
            return kg_beside(a, b, 0.0, margin, t, count);
    } else if (face.k < 3) {
        count = face_face(a, b, face.k, face.n, 1.0, face.k, margin, t);
    } else {
        const double back[3] = {-face.n[0], -face.n[1], -face.n[2]};
        count = face_face(b, a, face.k - 3, back, -1.0, face.k, margin, t);
    }
    for (int k = 0; k < count; k++)
        if (t[k].gap <= (apart ? face.gap : 0.0) + 1e-6 * size)
            return count;
    return kg_hull_hull(a, b, margin, t);
}
