/* Half spaces against all that is bounded. */

#include "faces.h"
#include "pairs.h"

static int plane_point(const double *n, const kg_placed *plane, const double *x, double radius, long long feature,
    double margin, kg_touch *t)
{
    const double d[3] = {x[0] - plane->p[0], x[1] - plane->p[1], x[2] - plane->p[2]};
    const double height = kg_dot3(n, d);
    const double on[3] = {x[0] - height * n[0], x[1] - height * n[1], x[2] - height * n[2]};
    return kg_add(t, feature, margin, height - radius, n, on);
}

static void end_of(const kg_placed *s, double side, double *end)
{
    for (int i = 0; i < 3; i++)
        end[i] = s->p[i] + side * s->size[1] * s->R[3 * i + 2];
}

/* The corners of a box: their heights first, since most are too high. */
static int plane_box(const double *n, const kg_placed *plane, const kg_placed *s, double margin, kg_touch *t)
{
    const double d[3] = {s->p[0] - plane->p[0], s->p[1] - plane->p[1], s->p[2] - plane->p[2]}, middle = kg_dot3(n, d);
    double edge[3][3], rise[3];
    int count = 0;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++)
            edge[k][i] = s->size[k] * s->R[3 * i + k];
        rise[k] = kg_dot3(n, edge[k]);
    }
    for (int k = 0; k < 8; k++) {
        static const double ways[2] = {-1.0, 1.0};
        const double x = ways[k & 1], y = ways[k >> 1 & 1], z = ways[k >> 2];
        const double height = middle + x * rise[0] + y * rise[1] + z * rise[2];
        if (!(height < margin))
            continue;
        kg_touch *corner = t + count++;
        corner->feature = k;
        corner->gap = height;
        for (int i = 0; i < 3; i++) {
            corner->normal[i] = n[i];
            corner->point[i] = s->p[i] + x * edge[0][i] + y * edge[1][i] + z * edge[2][i] - 0.5 * height * n[i];
        }
    }
    return count;
}

/* A half space against a ball, the ends of a capsule, four points of either rim of a cylinder, the corners of a box. */
int kg_plane_shape(const kg_placed *plane, const kg_placed *s, double margin, kg_touch *t)
{
    double n[3], x[3];
    int count = 0;
    kg_axis_of(plane, 2, n);
    if (s->kind == KG_SPHERE)
        return plane_point(n, plane, s->p, s->size[0], 0, margin, t);
    if (s->kind == KG_BOX)
        return plane_box(n, plane, s, margin, t);
    double down[2] = {0.0, 0.0};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++)
            down[k] -= n[i] * s->R[3 * i + k];
    const double length = sqrt(down[0] * down[0] + down[1] * down[1]);
    const double c = length > 1e-9 ? down[0] / length : 1.0, sine = length > 1e-9 ? down[1] / length : 0.0;
    for (int k = 0; k < 2; k++) {
        const double side = k ? 1.0 : -1.0;
        if (s->kind == KG_CAPSULE) {
            end_of(s, side, x);
            count += plane_point(n, plane, x, s->size[0], k, margin, t + count);
            continue;
        }
        for (int j = 0; j < 4; j++) {
            const double u = j == 0 ? c
                : j == 1            ? -sine
                : j == 2            ? -c
                                    : sine,
                         w = j == 0 ? sine
                : j == 1            ? c
                : j == 2            ? -sine
                                    : -c;
            const double rim[3] = {s->size[0] * u, s->size[0] * w, side * s->size[1]};
            kg_out_of(s, rim, s->p, x);
            count += plane_point(n, plane, x, 0.0, 4 * k + j, margin, t + count);
        }
    }
    return count;
}

int kg_plane_hull(const kg_placed *plane, const kg_placed *s, double margin, kg_touch *t)
{
    kg_touch all[KG_MANY];
    double n[3], up[3], x[3];
    int count = 0;
    kg_axis_of(plane, 2, n);
    kg_turned_into(s, n, up);
    const double d[3] = {s->p[0] - plane->p[0], s->p[1] - plane->p[1], s->p[2] - plane->p[2]}, height = kg_dot3(n, d);
    for (int i = 0; i < s->hull->vertices; i++) {
        if (height + kg_dot3(up, s->hull->vertex[i]) >= margin)
            continue;
        kg_out_of(s, s->hull->vertex[i], s->p, x);
        count = kg_with_room(all, count, s);
        count += plane_point(n, plane, x, 0.0, i, margin, all + count);
    }
    return kg_keep(all, count, s, t);
}
