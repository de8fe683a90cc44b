/* Points of contact: rows, responses, their own blocks of K. */

#ifndef KINEGEN_CONTACT_POINTS_H
#define KINEGEN_CONTACT_POINTS_H

#if HAS_LOOPS
#include "response_closed.h"
#else
#include "response_tree.h"
#endif
#if HAS_RIMS
#include "../rows/rims.h"
#endif

/* Two unit vectors across n (Duff et al. 2017, Building an Orthonormal Basis, Revisited). */
static void across(const double *n, double *t, double *u)
{
    const double sign = copysign(1.0, n[2]), a = -1.0 / (sign + n[2]), b = n[0] * n[1] * a;
    t[0] = 1.0 + sign * n[0] * n[0] * a;
    t[1] = sign * b;
    t[2] = -sign * n[0];
    u[0] = b;
    u[1] = sign + n[1] * n[1] * a;
    u[2] = -n[1];
}

/* The row pushes one bounded coordinate, which moves along one axis: the first numbers tell all. */
static inline int is_coordinate(const workspace *ws, long i)
{
    return SLOTS > LINKS && ws->at[i].a < 0 && ws->at[i].b >= LINKS;
}

/* The slots that answer each of those that touch, itself left out. After prepare_links. */
static void find_neighbours(workspace *ws)
{
    int count = 0;
    for (int e = 0, first = 0; e < ws->links; e++) {
        const int s = ws->list[e];
        first = same_tree(ws->list[first], s) ? first : e;
        ws->first_neighbour[s] = count;
        for (int f = first; f < ws->links && same_tree(ws->list[f], s); f++)
            if (f != e && block_of(ws, ws->list[f], s) >= 0)
                ws->neighbour[count++] = ws->list[f];
        ws->neighbours[s] = count - ws->first_neighbour[s];
    }
    ws->present[0] = ws->present[1] = -1;
}

/* The wrench that waits on slot s is added to `wrench`, and waits no more. */
static inline void take_waiting(int s, double *wrench, workspace *ws)
{
    if (s >= LINKS) {
        wrench[0] += ws->waiting[s][0][0];
        ws->waiting[s][0][0] = 0.0;
        return;
    }
    for (int e = 0; e < 6; e++)
        wrench[e] += (ws->waiting[s][e][0] + ws->waiting[s][e][2]) + ws->waiting[s][e][1];
    memset(ws->waiting[s], 0, sizeof ws->waiting[s]);
}

/* Wrenches that wait go to the slots that answer them. The slots they are on, those of the rows visited last, have had
 * them. */
static inline void settle(workspace *ws)
{
    for (int side = 0; side < 2; side++) {
        const int s = ws->present[side];
        if (s < 0 || !ws->neighbours[s])
            continue;
        double wrench[6] = {0.0};
        take_waiting(s, wrench, ws);
        for (int k = 0; k < ws->neighbours[s] && (s < LINKS || wrench[0] != 0.0); k++) {
            const int t = ws->neighbour[ws->first_neighbour[s] + k];
            if (t != ws->present[1 - side])
                kg_add_rows(ws->twist[t], width_of(s), (const double (*)[8])ws->mobility[known_block(t, s)], wrench);
        }
    }
    ws->present[0] = ws->present[1] = -1;
}

/* Before the velocities of block i are read or changed. An impulse changes the twists of the slots that it pushes at
 * once, those of the slots that answer only when a block with other slots comes: mostly many in turn push the same. */
static inline void attend(long i, workspace *ws)
{
    if (ws->at[i].a == ws->present[0] && ws->at[i].b == ws->present[1])
        return;
    settle(ws);
    ws->present[0] = ws->at[i].a;
    ws->present[1] = ws->at[i].b;
}

/* Velocities v (3) along the rows of block i, where no wrench waits. */
static inline void present_velocity(const workspace *ws, long i, double *v)
{
    const int a = ws->at[i].a, b = ws->at[i].b;
    if (a < 0 || b < 0) {
        const int side = a < 0;
        kg_along_rows(6, (const double (*)[4])ws->at[i].row[side], ws->twist[side ? b : a], v);
        return;
    }
    double u[3];
    kg_along_rows(6, (const double (*)[4])ws->at[i].row[0], ws->twist[a], u);
    kg_along_rows(6, (const double (*)[4])ws->at[i].row[1], ws->twist[b], v);
    for (int k = 0; k < 3; k++)
        v[k] += u[k];
}

static inline void velocity_of(workspace *ws, long i, double *v)
{
    attend(i, ws);
    present_velocity(ws, i, v);
}

/* Velocities of row i before the step; of bounded coordinates, at its end without rows. Before any impulse. */
static inline void velocity_before(const workspace *ws, long i, double *v)
{
    double sum[4] = {0.0};
    for (int side = 0; side < 2; side++) {
        const int s = slot_of(ws, i, side);
        if (s >= 0)
            kg_add_short_rows(
                sum, 6, (const double (*)[4])ws->at[i].row[side], s < LINKS ? ws->speed[s] : ws->twist[s]);
    }
    memcpy(v, sum, 3 * sizeof *v);
}

/* Impulses d (four numbers, the last 0) along the rows of block i, which is attended to and pushes links. */
static inline void push_links(workspace *ws, long i, const double *d)
{
    for (int side = 0; side < 2; side++) {
        const int s = slot_of(ws, i, side);
        if (s < 0)
            continue;
        kg_add_three_rows(ws->twist[s], (const double (*)[8])ws->at[i].response[side], d);
        if (ws->neighbours[s])
            kg_add_products(6, (const double (*)[4])ws->at[i].row[side], d, ws->waiting[s]);
    }
}

/* The same for a coordinate. */
static inline void push_coordinate(workspace *ws, long i, double impulse)
{
    const int s = ws->at[i].b;
    kg_add_scaled(ws->twist[s], impulse, ws->at[i].response[1][0]);
    ws->waiting[s][0][0] += ws->neighbours[s] ? ws->at[i].row[1][0][0] * impulse : 0.0;
}

static inline void apply(workspace *ws, long i, const double *impulse)
{
    const double d[4] = {impulse[0], impulse[1], impulse[2], 0.0};
    attend(i, ws);
    if (is_coordinate(ws, i))
        push_coordinate(ws, i, d[0]);
    else
        push_links(ws, i, d);
}

/* Forces along d (3, 3) act at x, or turn if `turns`: entry e of the wrench of each, about the link's origin. */
static inline void set_rows(long i, const double (*d)[3], const double *x, int turns, workspace *ws)
{
    for (int side = 0; side < 2; side++) {
        const double sign = side ? 1.0 : -1.0;
        double (*row)[4] = ws->at[i].row[side];
        const int s = slot_of(ws, i, side);
        if (s < 0)
            continue;
        if (!turns) {
            double arm[3];
            seen_by(s, x, arm, ws);
            kg_set_short_rows(sign, d, arm, row);
            continue;
        }
        for (int e = 0; e < 3; e++)
            for (int k = 0; k < 4; k++) {
                row[e][k] = 0.0;
                row[3 + e][k] = k < 3 ? sign * d[k][e] : 0.0;
            }
    }
}

/* The velocities that unit impulses along the rows of block i give slot s; 0: none, and velocity is not set. */
static inline int answer_at(long i, int s, double (*velocity)[8], const workspace *ws)
{
    int answers = 0;
    for (int side = 0; side < 2; side++) {
        const int from = slot_of(ws, i, side), block = from < 0 ? -1 : block_of(ws, s, from);
        if (block < 0)
            continue;
        kg_add_product(width_of(from), (const double (*)[4])ws->at[i].row[side],
            (const double (*)[8])ws->mobility[block], answers, velocity);
        answers = 1;
    }
    return answers;
}

/* What the rows' own slots answer, and their own block of K. */
static inline void prepare_responses(long i, workspace *ws)
{
    double k[3][4] = {{0.0}}, *K = ws->at[i].k;
    for (int side = 0; side < 2; side++) {
        const int s = slot_of(ws, i, side);
        double (*velocity)[8] = ws->at[i].response[side];
        if (s < 0 || !answer_at(i, s, velocity, ws))
            continue;
        for (int row = 0; row < 3; row++)
            kg_add_short_rows(k[row], 6, (const double (*)[4])ws->at[i].row[side], velocity[row]);
    }
    for (int row = 0; row < 3; row++) /* nn, nt, nu, tt, tu, uu */
        for (int e = row; e < 3; e++)
            *K++ = k[row][e];
}

/* The same for a force along sign on a coordinate. */
static inline void prepare_coordinate_row(long i, double sign, workspace *ws)
{
    const double *mobility = ws->mobility[block_of(ws, ws->at[i].b, ws->at[i].b)][0];
    memset(ws->at[i].row[1], 0, sizeof ws->at[i].row[1]);
    memset(ws->at[i].k, 0, sizeof ws->at[i].k);
    ws->at[i].row[1][0][0] = sign;
    for (int k = 0; k < 8; k++)
        ws->at[i].response[1][0][k] = sign * mobility[k];
    ws->at[i].k[0] = mobility[0];
}

/* What block i answers; `sign`: of a coordinate. After prepare_answers. */
static inline void answer_block(long i, double sign, workspace *ws)
{
    if (is_coordinate(ws, i))
        prepare_coordinate_row(i, sign, ws);
    else
        prepare_responses(i, ws);
}

/* Rows along d (3, 3) as for set_rows: what pushes along them, and what answers. */
static inline void prepare_block(long i, const double (*d)[3], const double *x, int turns, workspace *ws)
{
    if (!is_coordinate(ws, i))
        set_rows(i, d, x, turns, ws);
    answer_block(i, d[0][0], ws);
}

/* Rows along the normal and two tangents d, or about them if `turns`. */
static void prepare_axes(const contact *point, long i, int turns, double (*d)[3], workspace *ws)
{
    ws->at[i].a = first_slot(point->pair);
    ws->at[i].b = second_slot(point->pair);
    memcpy(d[0], point->normal, sizeof d[0]);
    across(d[0], d[1], d[2]);
    if (!is_coordinate(ws, i))
        set_rows(i, (const double (*)[3])d, point->point, turns, ws);
}

#define IDLE 1e-12 /* part of the answer across a normal, or of everything, below which that along it is rounding */

/* Inverses of parts of a block of K. Roots and quotients wait for it, and for each other: they come when the blocks of
 * all points are known. A normal along which nothing moves but for rounding (a plane beside what slides along it, a
 * point on the axis that it turns about, a link that loops hold fast) takes no force, nor keeps one. INVERSE_MASS: of
 * all links, a table of the model. */
static void prepare_inverses(long i, workspace *ws)
{
    const double *K = ws->at[i].k;
    ws->at[i].iK = K[0] > IDLE * (K[3] + K[5] + INVERSE_MASS) ? 1.0 / K[0] : 0.0;
    if (!(ws->at[i].iK > 0.0))
        memset(ws->at[i].impulse, 0, sizeof ws->at[i].impulse);
    const double det = K[3] * K[5] - K[4] * K[4], half = 0.5 * (K[3] - K[5]);
    const double over = det > 1e-12 * K[3] * K[5] ? 1.0 / det : 0.0; /* of the inverse of K_tt */
    double *rest = ws->at[i].rest;
    rest[0] = K[5] * over;
    rest[1] = -K[4] * over;
    rest[2] = K[3] * over;
    ws->at[i].follow[0] = rest[0] * K[1] + rest[1] * K[2];
    ws->at[i].follow[1] = rest[1] * K[1] + rest[2] * K[2];
    ws->at[i].reach = 1.0
        / (0.5 * (K[3] + K[5]) + sqrt(half * half + K[4] * K[4]) + 1e-300); /* of the larger eigenvalue */
}

/* A point of contact, or a joint at its limit. */
static void prepare_point(const contact *point, long i, double dt, workspace *ws)
{
    double d[3][3];
    prepare_axes(point, i, 0, d, ws);
    ws->at[i].friction = friction_of(ws, point->pair);
#if HAS_TURNING
    ws->at[i].other = -1;
#endif
    const double *f = point->force, normal = kg_max(dt * kg_dot3(f, d[0]), 0.0), t = dt * kg_dot3(f, d[1]),
                 u = dt * kg_dot3(f, d[2]);
    const double limit = ws->at[i].friction * normal,
                 scale = t * t + u * u > limit * limit ? limit / sqrt(t * t + u * u) : 1.0;
    ws->at[i].impulse[0] = normal;
    ws->at[i].impulse[1] = scale * t;
    ws->at[i].impulse[2] = scale * u;
#if HAS_RIMS
    lead_point(point, i, (const double (*)[3])d, ws);
#endif
}

#endif
