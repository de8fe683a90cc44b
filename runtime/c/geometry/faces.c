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
    kg_turned_into(s, back, m);
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

/* Ways in which a solid may have tipped by the end of a step: by the first slope towards eight sides, not at all, by
 * the other slopes. What would sink in after that weighs by 1/slope²: corners of a face that lies flat come before all
 * else, and on round solids, which rise by x²/2r, each slope counts as much as another. */
enum { NOT_TIPPED = 8, LITTLE_TIPPED = 9, WAYS = 33 };
#define AS_DEEP 1e-5 /* over the spread: depths of what rests differ by less, and its points are not to take turns */
static const double SLOPE[5] = {0.02, 3e-3, 0.1, 0.4, 1.5}; /* the second is the weight of what does not tip */

static int slope_of(int way)
{
    return way < NOT_TIPPED ? 0 : way < LITTLE_TIPPED ? 1 : 2 + (way - LITTLE_TIPPED) / 8;
}

/* Gap of a point after that; x: gap now, and where the point is along four axes at 45° to each other. */
static double tipped(const double *x, int way)
{
    const int side = way < LITTLE_TIPPED ? way : way - 1;
    return way == NOT_TIPPED ? x[0] : x[0] - (side & 4 ? -1.0 : 1.0) * SLOPE[slope_of(way)] * x[1 + (side & 3)];
}

/* The x of all points: axes across the normal that turn with s, from the first point on. Gives how far the points
 * spread; *ways: how many are worth a look, as steep ones find the same points if all gaps are alike. */
static double spread_of(const kg_touch *t, int count, const kg_placed *s, double (*x)[5], int *ways)
{
    static const double c = 0.99500416527802577, sine = 0.099833416646828152, half = 0.70710678118654752;
    const double *n = t[0].normal;
    double u[3], w[3], low = t[0].gap, high = low, far2 = 0.0;
    kg_axis_of(s, 0, u);
    if (fabs(kg_dot3(u, n)) > 0.8)
        kg_axis_of(s, 1, u);
    kg_cross3(n, u, w);
    kg_cross3(w, n, u);
    for (int i = 0; i < count; i++) {
        double d[3];
        for (int k = 0; k < 3; k++)
            d[k] = t[i].point[k] - t[0].point[k];
        const double along = kg_dot3(d, u), aside = kg_dot3(d, w);
        x[i][0] = t[i].gap;
        x[i][1] = c * along + sine * aside; /* 0.1 rad from u, about which many solids are symmetric */
        x[i][3] = c * aside - sine * along;
        x[i][2] = half * (x[i][1] + x[i][3]);
        x[i][4] = half * (x[i][3] - x[i][1]);
        low = kg_min(low, t[i].gap);
        high = kg_max(high, t[i].gap);
        far2 = kg_max(far2, along * along + aside * aside);
    }
    *ways = high - low < 0.25 * SLOPE[0] * sqrt(far2) ? LITTLE_TIPPED : WAYS;
    return sqrt(far2);
}

/* Next after those that leave the gaps `held`, tipped in each way: the point that sinks in most; -1: none. */
static int next_of(const double (*x)[5], const int *lowest, const double *held, int ways, double slack)
{
    double most = 0.0;
    int next = -1;
    for (int k = 0; k < ways; k++) {
        const double depth = held[k] - tipped(x[lowest[k]], k), slope = SLOPE[slope_of(k)];
        if (depth > slack && depth > most * (slope * slope)) {
            most = depth / (slope * slope);
            next = lowest[k];
        }
    }
    return next;
}

int kg_reduce(kg_touch *t, int count, const kg_placed *s)
{
    if (count <= KG_MOST_POINTS)
        return count;
    double x[KG_MANY][5], held[WAYS];
    int lowest[WAYS] = {0}, stays[KG_MANY] = {0}, ways, kept = 0;
    const double spread = spread_of(t, count, s, x, &ways), slack = 1e-9 * spread;
    for (int k = 0; k < ways; k++) {
        held[k] = HUGE_VAL;
        for (int i = 1; i < count; i++)
            if (tipped(x[i], k) < tipped(x[lowest[k]], k) - slack)
                lowest[k] = i;
    }
    for (int turn = 0; turn < KG_MOST_POINTS; turn++) {
        const int deepest = lowest[NOT_TIPPED], last = turn == KG_MOST_POINTS - 1;
        const int next = last && held[NOT_TIPPED] - x[deepest][0] > AS_DEEP * spread
            ? deepest
            : next_of((const double (*)[5])x, lowest, held, ways, slack);
        if (next < 0)
            break;
        stays[next] = 1;
        for (int k = 0; k < ways; k++)
            held[k] = kg_min(held[k], tipped(x[next], k));
    }
    for (int i = 0; i < count; i++)
        if (stays[i])
            t[kept++] = t[i];
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

void kg_face_of(const kg_placed *s, int k, kg_face *face)
{
    kg_corner corner[KG_MOST_CORNERS];
    if (s->hull)
        kg_out_of(s, s->hull->plane[k], 0, face->n);
    else
        kg_axis_of(s, 2, face->n);
    for (int i = 0; i < 3 && !s->hull && !k; i++)
        face->n[i] = -face->n[i];
    const int first = s->hull ? s->hull->start[k] : 0;
    face->sides = s->hull ? s->hull->start[k + 1] - first : kg_outline(s, face->n, 1, corner);
    face->level = kg_dot3(face->n, s->p) + (s->hull ? s->hull->plane[k][3] : s->size[1]);
    for (int i = 0; s->hull && i < face->sides; i++)
        kg_out_of(s, s->hull->vertex[s->hull->corner[first + i]], s->p, corner[i].x);
    for (int i = 0; i < face->sides; i++) {
        const double *x = corner[i].x, *y = corner[(i + 1) % face->sides].x,
                     u[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]};
        double *m = face->side[i];
        kg_cross3(u, face->n, m);
        const double length = sqrt(kg_dot3(m, m));
        for (int e = 0; e < 3; e++)
            m[e] /= length;
        m[3] = kg_dot3(m, x);
    }
}

int kg_over(const kg_face *face, const kg_placed *other, kg_corner *c)
{
    kg_corner more[2 * KG_MOST_CORNERS], *from = c, *to = more;
    const double back[3] = {-face->n[0], -face->n[1], -face->n[2]};
    int count = kg_outline(other, back, 0, c);
    for (int side = 0; side < face->sides && count > 0; side++) {
        const double *m = face->side[side];
        if (count <= 2) {
            count = kg_clip_line(from, count, m, m[3], side);
            continue;
        }
        count = kg_clip(from, count, m, m[3], side, to);
        kg_corner *const other_way = from;
        from = to;
        to = other_way;
    }
    if (from != c)
        memcpy(c, from, (size_t)count * sizeof *c);
    return count;
}
