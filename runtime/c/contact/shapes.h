/* Shapes that touch: where they are, broad phase, narrow phase of each collision pair. */

#ifndef KINEGEN_CONTACT_SHAPES_H
#define KINEGEN_CONTACT_SHAPES_H

#include "../joints/thresholds.h"
#include "../passing/passing.h"
#include "note.h"
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
        const double *T = ws->poses + 12 * SHAPE[i].slot;
        for (int row = 0; row < 3; row++) {
            for (int k = 0; k < 3; k++)
                ws->shape_R[i][3 * row + k] = T[4 * row] * SHAPE[i].R[k] + T[4 * row + 1] * SHAPE[i].R[3 + k]
                    + T[4 * row + 2] * SHAPE[i].R[6 + k];
            ws->shape_p[i][row] = kg_dot3(T + 4 * row, SHAPE[i].p) + T[4 * row + 3];
        }
    }
}

/* How the points of the second shape go within the step, seen from the first, at the velocities before it. */
static kg_way way_between(int first, int second, double dt, const workspace *ws)
{
    kg_way way = {{0.0}, {0.0}};
    for (int side = 0; side < 2; side++) {
        const int s = SHAPE[side ? second : first].slot;
        double own[3];
        if (s < 0)
            continue;
        velocity_at(s, ws->speed[s], ws->shape_p[second], own, ws);
        for (int k = 0; k < 3; k++) {
            way.u[k] += dt * (side ? own[k] : -own[k]);
            way.w[k] += dt * (side ? ws->speed[s][3 + k] : -ws->speed[s][3 + k]);
        }
    }
    return way;
}

static int apart(int first, int second, double margin, const workspace *ws)
{
    const double *a = ws->shape_p[first], *b = ws->shape_p[second], *R = ws->shape_R[first];
    const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, near = SHAPE[second].reach + margin;
    if (SHAPE[first].kind == KG_PLANE)
        return R[2] * d[0] + R[5] * d[1] + R[8] * d[2] > near;
    return kg_dot3(d, d) > (near + SHAPE[first].reach) * (near + SHAPE[first].reach);
}

/* A collision pair, narrow phase. */
static void find_pair(int i, double dt, const options *o, long known, long *from, contacts *c, workspace *ws)
{
    const shape_pair shapes = pair_at(i);
    const int first = shapes.first, second = shapes.second;
    const kg_way way = way_between(first, second, dt, ws);
    const double far = sqrt(kg_dot3(way.u, way.u)) + sqrt(kg_dot3(way.w, way.w)) * SHAPE[second].reach;
    const double margin = WITHIN_REACH(1.0, far);
    if (is_idle(ws, i) || apart(first, second, margin, ws))
        return;
    const kg_placed a = {SHAPE[first].kind, SHAPE[first].size, ws->shape_R[first], ws->shape_p[first],
        SHAPE[first].hull, SHAPE[first].ground};
    const kg_placed b = {SHAPE[second].kind, SHAPE[second].size, ws->shape_R[second], ws->shape_p[second],
        SHAPE[second].hull, SHAPE[second].ground};
    kg_touch t[8];
    const int count = kg_pass(&a, &b, &way, o->depth, dt * o->tolerance, t, kg_meet(&a, &b, margin, t));
    const long noted = c->count;
    int strays = 0;
    for (int k = 0; k < count; k++)
        strays += note(i, t[k].feature, t[k].gap, t[k].point, t[k].normal, known, from, c, ws);
    if (strays)
        hand_on(noted, known, *from, c, ws);
}

/* All collision pairs. */
static void find_pairs(double dt, const options *o, long known, long *from, contacts *c, workspace *ws)
{
#if HAS_BROAD_PHASE
    sweep_shapes(dt, ws);
#endif
    for (int i = 0; i < PAIRS; i++) {
#if HAS_BROAD_PHASE
        if (!(ws->near[i / 64] >> (i % 64) & 1)) {
            i += ws->near[i / 64] >> (i % 64) ? 0 : 63 - i % 64;
            continue;
        }
#endif
        find_pair(i, dt, o, known, from, c, ws);
    }
}

#endif
