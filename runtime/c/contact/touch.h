/* Contacts of a step: what they ask for, what they give. */

#ifndef KINEGEN_CONTACT_TOUCH_H
#define KINEGEN_CONTACT_TOUCH_H

#include "solve.h"

#define STOP_ALLOWED 1e-12 /* how far a joint may be beyond its limit: unlike contacts, limits do not come and go */
#define STOP_TOLERANCE 1e-12 /* of the velocities of joints at their limits [m/s, rad/s] */

/* How many of the points are contacts or limits; rows that always hold come after them. */
static long cones_of(const contacts *c, const workspace *ws)
{
#if HAS_HELD_ROWS
    (void)c;
    return ws->cones;
#else
    (void)ws;
    return c->count;
#endif
}

/* Limits alone are solved to rounding, which takes them few sweeps; with other rows, as the options say. */
static double tolerance_of(const options *o, const contacts *c, const workspace *ws)
{
    int limits = cones_of(c, ws) == c->count;
    for (long i = 0; limits && i < c->count; i++)
        limits = c->points[i].pair >= PAIRS;
    return limits ? fmin(o->tolerance, STOP_TOLERANCE) : o->tolerance;
}

/* Velocity along the normal of a point before the step. */
static double approach(const contact *point, const workspace *ws)
{
    double speed = 0.0;
    for (int side = 0; side < 2; side++) {
        const int s = side ? second_slot(point->pair) : first_slot(point->pair);
        if (s < 0)
            continue;
        const double *w = ws->speed[s], *x = point->point, *n = point->normal;
        for (int k = 0; k < 3; k++)
            speed += (side ? 1.0 : -1.0) * n[k]
                * (w[k] + w[3 + (k + 1) % 3] * x[(k + 2) % 3] - w[3 + (k + 2) % 3] * x[(k + 1) % 3]);
    }
    return speed;
}

/* Velocity along the normal that a point must keep at least: 0, or less where the gap allows it, or the bounce. */
static int set_targets(double dt, const options *o, const contacts *c, workspace *ws)
{
    int bouncing = 0;
    for (long i = 0; i < c->count; i++) {
        const contact *point = c->points + i;
        ws->at[i].target = point->gap > 0.0 ? -point->gap / dt : 0.0;
        const double e = restitution_of(point->pair);
        if (e <= 0.0)
            continue;
        const double speed = approach(point, ws);
        if (speed < -o->bounce && point->gap + dt * speed <= 0.0) {
            ws->at[i].target = -e * speed;
            bouncing = 1;
        }
    }
    return bouncing;
}

/* Bounces at several points of one body may add up to more energy than came in: then there is none. ws->unforced holds
 * the velocities of the points before the impulses, three each. */
static void solve_bouncing(double dt, const options *o, contacts *c, workspace *ws)
{
    double work = 0.0, v[4];
    c->residual = solve(o, tolerance_of(o, c, ws), c->count, &c->sweeps, ws);
    for (long i = 0; i < c->count; i++) {
        velocity_of(ws, i, v);
        for (int k = 0; k < 3; k++)
            work += 0.5 * ws->at[i].impulse[k] * (ws->unforced[3 * i + k] + v[k]);
    }
    if (work <= 0.0)
        return;
    for (long i = 0; i < c->count; i++)
        ws->at[i].target = c->points[i].gap > 0.0 ? -c->points[i].gap / dt : 0.0;
    c->residual = solve(o, tolerance_of(o, c, ws), c->count, &c->sweeps, ws);
}

static void store_forces(double dt, contacts *c, const workspace *ws)
{
    for (long i = 0; i < c->count; i++) {
        contact *point = c->points + i;
#if HAS_HELD_ROWS
        if (i >= ws->cones) {
            const double (*way)[3] = (const double (*)[3])ws->way[i - ws->cones], *f = ws->at[i].impulse;
            for (int k = 0; k < 3; k++)
                point->force[k] = (f[0] * way[0][k] + f[1] * way[1][k] + f[2] * way[2][k]) / dt;
            continue;
        }
#endif
        double t[3], u[3];
        across(point->normal, t, u);
        for (int k = 0; k < 3; k++)
            point->force[k] = (ws->at[i].impulse[0] * point->normal[k] + ws->at[i].impulse[1] * t[k]
                                  + ws->at[i].impulse[2] * u[k])
                / dt;
    }
}

/* ws->wrench = rate times the sum of the impulses of every touching link. */
static void sum_wrenches(double rate, long count, workspace *ws)
{
    for (int e = 0; e < ws->links; e++)
        memset(ws->wrench[ws->list[e]], 0, sizeof ws->wrench[0]);
    for (long i = 0; i < count; i++)
        for (int side = 0; side < 2; side++) {
            const int s = side ? ws->at[i].b : ws->at[i].a;
            for (int k = 0; s >= 0 && k < 3; k++)
                kg_add_scaled(ws->wrench[s], ws->at[i].impulse[k] * rate, ws->at[i].column[side][k]);
        }
}

/* 1 and the wrenches of pushes where points lie deeper than allowed: a velocity that moves q in this step and is
 * forgotten, so that leaving a depth gives no momentum. After touch_links. */
static int push_out(double dt, const options *o, const contacts *c, workspace *ws)
{
    int deep = 0;
    long sweeps;
    for (long i = 0; i < cones_of(c, ws); i++)
        deep |= -c->points[i].gap > (c->points[i].pair < PAIRS ? o->allowed : STOP_ALLOWED);
#if HAS_HELD_ROWS
    for (int k = 0; k < LOCKS; k++)
        deep |= -c->points[ws->cones + k].gap > 1e-12;
#endif
    if (!deep)
        return 0;
    for (long i = 0; i < c->count; i++) {
        const double gap = c->points[i].gap, depth = -gap - (c->points[i].pair < PAIRS ? o->allowed : 0.0);
        ws->at[i].target = gap > 0.0 ? -gap / dt
            : depth > 0.0            ? fmin(o->recovery * depth / dt, o->recovery_speed)
                                     : 0.0;
        ws->at[i].friction = 0.0;
        memset(ws->at[i].impulse, 0, sizeof ws->at[i].impulse);
#if HAS_HELD_ROWS
        if (i >= ws->cones && i - ws->cones < LOCKS)
            aim_back((int)(i - ws->cones), i, dt, o, ws);
#endif
    }
    for (int e = 0; e < ws->links; e++)
        memset(ws->twist[ws->list[e]], 0, sizeof ws->twist[0]);
    solve(o, tolerance_of(o, c, ws), c->count, &sweeps, ws);
    sum_wrenches(1.0, c->count, ws);
    return 1;
}

/* Forces at all points, and their wrenches; v_flat as in prepare_links. */
static void touch_links(double dt, const double *v_flat, const options *o, contacts *c, workspace *ws)
{
    int next = 0;
    memset(ws->touching, 0, sizeof ws->touching);
    for (long i = 0; i < cones_of(c, ws); i++)
        for (int side = 0; side < 2; side++) {
            const int s = side ? second_slot(c->points[i].pair) : first_slot(c->points[i].pair);
            if (s >= 0)
                ws->touching[s] = 1;
        }
#if HAS_HELD_ROWS
    for (int k = 0; k < LOCKS + STICTIONS; k++) {
        if (k >= LOCKS || LOCK[k].a >= 0)
            ws->touching[k < LOCKS ? LOCK[k].a : FIRST_STICTION + k - LOCKS] = 1;
        if (k < LOCKS && LOCK[k].b >= 0)
            ws->touching[LOCK[k].b] = 1;
    }
#endif
    ws->links = 0;
    for (int s = 0; s < SLOTS; s++)
        if (ws->touching[s])
            ws->list[ws->links++] = s;
    prepare_links(dt, v_flat, ws);
    for (long i = 0; i < c->count; i++)
#if HAS_HELD_ROWS
        next = i < ws->cones ? prepare_point(c->points + i, i, next, dt, ws)
                             : prepare_row((int)(i - ws->cones), c->points + i, i, next, dt, v_flat, ws);
#else
        next = prepare_point(c->points + i, i, next, dt, ws);
#endif
    const int bouncing = set_targets(dt, o, c, ws);
    for (long i = 0; bouncing && i < c->count; i++) {
        double v[4];
        velocity_of(ws, i, v);
        memcpy(ws->unforced + 3 * i, v, 3 * sizeof *v);
    }
    for (long i = 0; i < c->count; i++)
        apply(ws, i, ws->at[i].impulse);
    if (bouncing)
        solve_bouncing(dt, o, c, ws);
    else
        c->residual = solve(o, tolerance_of(o, c, ws), c->count, &c->sweeps, ws);
    store_forces(dt, c, ws);
    sum_wrenches(1.0 / dt, c->count, ws);
}

#endif
