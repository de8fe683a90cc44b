/* Contacts of a state: broad phase, narrow phase, joints at their limits. */

#ifndef KINEGEN_CONTACT_FIND_H
#define KINEGEN_CONTACT_FIND_H

#include "../geometry/geometry.h"
#include "tables.h"
#if HAS_HELD_ROWS
#include "held_rows.h"
#endif
#if HAS_BROAD_PHASE
#include "broad_phase.h"
#endif

/* Where the shapes are, from the poses of their links. */
static void place_shapes(workspace *ws)
{
    for (int i = 0; i < SHAPES; i++) {
        if (SHAPE[i].slot < 0) {
            memcpy(ws->shape_R[i], SHAPE[i].R, sizeof SHAPE[i].R);
            memcpy(ws->shape_p[i], SHAPE[i].p, sizeof SHAPE[i].p);
            continue;
        }
        const double *T = ws->poses + 12*SHAPE[i].slot;
        for (int row = 0; row < 3; row++) {
            for (int k = 0; k < 3; k++)
                ws->shape_R[i][3*row + k] = T[4*row]*SHAPE[i].R[k] + T[4*row + 1]*SHAPE[i].R[3 + k] + T[4*row + 2]*SHAPE[i].R[6 + k];
            ws->shape_p[i][row] = kg_dot3(T + 4*row, SHAPE[i].p) + T[4*row + 3];
        }
    }
}

/* Velocity of the link's matter at the world's origin, angular velocity. */
void MODEL(contact_speeds)(const double *v, workspace *ws)
{
    for (int s = 0; s < LINKS; s++) {
        memset(ws->speed[s], 0, sizeof ws->speed[s]);
        for (int k = PATH[s]; k < PATH[s + 1]; k++)
            kg_add_scaled(ws->speed[s], v[PATH_DOF[k]], ws->axes[PATH_AXIS[k]]);
    }
}

/* How far two shapes may be apart and still meet within the step: all points of the second move, seen from the first,
 * at most so fast. */
static double margin_of(int first, int second, double dt, const workspace *ws)
{
    double w[6] = {0.0}, n2 = 0.0;
    for (int side = 0; side < 2; side++) {
        const int slot = SHAPE[side ? second : first].slot;
        for (int i = 0; slot >= 0 && i < 6; i++)
            w[i] += side ? ws->speed[slot][i] : -ws->speed[slot][i];
    }
    const double *p = ws->shape_p[second];
    for (int i = 0; i < 3; i++) {
        const double u = w[i] + w[3 + (i + 1) % 3]*p[(i + 2) % 3] - w[3 + (i + 2) % 3]*p[(i + 1) % 3];
        n2 += u*u;
    }
    return 5e-4 + 1.5*dt*(sqrt(n2) + sqrt(kg_dot3(w + 3, w + 3))*SHAPE[second].reach);
}

static int apart(int first, int second, double margin, const workspace *ws)
{
    const double *a = ws->shape_p[first], *b = ws->shape_p[second], *R = ws->shape_R[first];
    const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, near = SHAPE[second].reach + margin;
    if (SHAPE[first].kind == PLANE)
        return R[2]*d[0] + R[5]*d[1] + R[8]*d[2] > near;
    return kg_dot3(d, d) > (near + SHAPE[first].reach)*(near + SHAPE[first].reach);
}

/* One more point, with the force of the same pair and feature in the last step, else none. `from`: where the points of
 * the last step's pairs before this one end. */
static void note(long pair, const kg_touch *t, long known, long *from, contacts *c, workspace *ws)
{
    c->found++;
    if (c->count == CAPACITY)
        return;
    contact *point = c->points + c->count++;
    point->pair = pair;
    point->feature = t->feature;
    point->gap = t->gap;
    memcpy(point->point, t->point, sizeof t->point);
    memcpy(point->normal, t->normal, sizeof t->normal);
    memset(point->force, 0, sizeof point->force);
    while (*from < known && ws->before[*from].pair < pair)
        ++*from;
    for (long j = *from; j < known && ws->before[j].pair == pair; j++)
        if (ws->before[j].feature == t->feature)
            memcpy(point->force, ws->before[j].force, sizeof point->force);
}

/* Bounds that a coordinate may meet within the step. */
static void find_limits(double dt, const double *q, const double *v, long known, long *from, contacts *c, workspace *ws)
{
    for (int k = 0; k < LIMITS; k++)
        for (int side = 0; !is_idle(ws, PAIRS + k) && side < 2; side++) {
            kg_touch t = {side, side ? LIMIT[k].high - q[LIMIT[k].q] : q[LIMIT[k].q] - LIMIT[k].low, {0.0}, {side ? -1.0 : 1.0, 0.0, 0.0}};
            if (t.gap < 5e-4 + 1.5*dt*fabs(v[LIMIT[k].v]))
                note(PAIRS + k, &t, known, from, c, ws);
        }
}

/* A collision pair, narrow phase. */
static void find_pair(int i, double dt, long known, long *from, contacts *c, workspace *ws)
{
    const int first = PAIR[i].first, second = PAIR[i].second;
    const double margin = margin_of(first, second, dt, ws);
    if (is_idle(ws, i) || apart(first, second, margin, ws))
        return;
    const kg_placed a = {SHAPE[first].kind, SHAPE[first].size, ws->shape_R[first], ws->shape_p[first], SHAPE[first].hull, SHAPE[first].ground};
    const kg_placed b = {SHAPE[second].kind, SHAPE[second].size, ws->shape_R[second], ws->shape_p[second], SHAPE[second].hull, SHAPE[second].ground};
    kg_touch t[8];
    const int count = kg_meet(&a, &b, margin, t);
    for (int k = 0; k < count; k++)
        note(i, t + k, known, from, c, ws);
}

/* Fills c->points: shapes that touch (shapes 1), joints at their limits (limits 1), rows that always hold. */
static void find(double dt, int shapes, int limits, const double *q, const double *v, contacts *c, workspace *ws)
{
    const long known = c->count;
    long from = 0;
    memcpy(ws->before, c->points, (size_t)known*sizeof(contact));
    c->count = c->found = 0;
#if HAS_BROAD_PHASE
    if (shapes)
        sweep_shapes(dt, ws);
#endif
    for (int i = 0; shapes && i < PAIRS; i++) {
#if HAS_BROAD_PHASE
        if (!(ws->near[i/64] >> (i % 64) & 1)) {
            i += ws->near[i/64] >> (i % 64) ? 0 : 63 - i % 64;
            continue;
        }
#endif
        find_pair(i, dt, known, &from, c, ws);
    }
    if (limits)
        find_limits(dt, q, v, known, &from, c, ws);
#if HAS_HELD_ROWS
    find_rows(v, known, &from, c, ws);
#endif
}

#endif
