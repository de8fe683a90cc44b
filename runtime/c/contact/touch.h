/* Contacts of a step: what they ask for, what they give. */

#ifndef KINEGEN_CONTACT_TOUCH_H
#define KINEGEN_CONTACT_TOUCH_H

#include "bounce.h"
#include "../rows/row_wrenches.h"
#if HAS_FEW_POINTS
#include "../rows/few_points.h"
#endif

/* How far a joint may be beyond its limit: what is solved along with contacts may be by what ten steps leave. */
#define STOP_ALLOWED 1e-12
#define STEPS_LEFT 10.0

static void set_targets(double dt, const contacts *c, workspace *ws)
{
    for (long i = 0; i < c->count; i++)
        ws->at[i].target = least_speed(dt, c->points + i);
}

#if HAS_ISLANDS
/* Which rows strike is told for all (null: no matter): islands in which none does are left alone. */
static int strikes(const island *g, const int *struck)
{
    for (long e = 0; struck && e < g->count; e++)
        if (struck[row_of(g, e)])
            return 1;
    return !struck;
}

static int bounces(const island *g, const workspace *ws)
{
    for (long e = 0; e < g->count; e++)
        if (ws->bounce[row_of(g, e)] > 0.0)
            return 1;
    return 0;
}
#endif

/* Impulses of all rows. */
static void solve_rows(double dt, const options *o, int bouncing, const int *struck, contacts *c, workspace *ws)
{
    const island whole = all_rows(c->count, ws);
    c->sweeps = 0;
    c->residual = 0.0;
#if HAS_ISLANDS
    if (o->solve)
        solve_island(o, 0.0, HUGE_VAL, c, &whole, ws);
    for (int k = 0; k < ws->islands; k++) {
        const island g = island_at(k, ws);
        if (!strikes(&g, struck))
            continue;
        if (bouncing && bounces(&g, ws))
            solve_bouncing(dt, o, c, &g, ws);
        else if (!o->solve)
            solve_island(o, tolerance_of(o, c, &g, ws), HUGE_VAL, c, &g, ws);
    }
#else
    (void)dt, (void)bouncing, (void)struck;
    solve_island(o, tolerance_of(o, c, &whole, ws), HUGE_VAL, c, &whole, ws);
#endif
}

#if HAS_RIMS
/* Velocities that the points are left with. */
static void tell_left(contacts *c, workspace *ws)
{
    for (long i = 0; i < strikers_of(c->count, ws); i++) {
        double v[3], t[3], u[3];
        velocity_of(ws, i, v);
        across(c->points[i].normal, t, u);
        for (int k = 0; k < 3; k++)
            c->left[i][k] = v[0] * c->points[i].normal[k] + v[1] * t[k] + v[2] * u[k];
        c->left[i][3] = (double)ws->at[i].steady;
    }
}

#endif
/* The block holds moments. */
static inline int is_turning(long i, const workspace *ws)
{
#if HAS_TURNING
    return i >= ws->turning;
#else
    (void)i, (void)ws;
    return 0;
#endif
}

static void store_forces(double dt, contacts *c, workspace *ws)
{
    const double rate = 1.0 / dt;
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
        const int second = ws->at[i].b >= 0, turns = is_turning(i, ws);
        const double (*row)[4] = (const double (*)[4])ws->at[i].row[second] + 3 * turns;
        for (int k = 0; k < 3; k++)
            point->force[k] = (second ? rate : -rate) * kg_dot3(row[k], ws->at[i].impulse);
    }
#if HAS_TURNING
    tell_moments(cones_of(c->count, ws), c, ws);
#endif
#if HAS_RIMS
    tell_left(c, ws);
#endif
}

/* A row of the island lies deeper than allowed. */
static int is_deep(double dt, const options *o, const contacts *c, const island *g, const workspace *ws)
{
    const double beyond = kg_max(STOP_ALLOWED, STEPS_LEFT * dt * tolerance_of(o, c, g, ws));
    for (long e = 0; e < g->count; e++) {
        const long i = row_of(g, e);
        const int point = i < cones_of(c->count, ws) && c->points[i].pair < PAIRS,
                  limit = !point && i < cones_of(c->count, ws);
        if (-c->points[i].gap > (point ? o->depth : limit ? beyond : STOP_ALLOWED))
            return 1;
    }
    return 0;
}

/* The problem of the pushes of an island, without impulses yet. */
static void aim_out(double dt, const options *o, const contacts *c, const island *g, workspace *ws)
{
    for (long e = 0; e < g->count; e++) {
        const long i = row_of(g, e);
        const double gap = c->points[i].gap, depth = -gap - (c->points[i].pair < PAIRS ? o->depth : 0.0);
        ws->at[i].target = gap > 0.0 ? -gap / dt
            : depth > 0.0            ? kg_min(o->recovery * depth / dt, o->recovery_speed)
                                     : 0.0;
        ws->at[i].friction = 0.0;
#if HAS_RIMS
        lead_nothing(i, ws);
#endif
#if HAS_TURNING
        ws->at[i].torsion = 0.0;
#endif
#if HAS_HELD_ROWS
        if (i >= ws->cones && i - ws->cones < LOCKS)
            aim_back((int)(i - ws->cones), i, dt, o, ws);
#endif
    }
}

/* What links answer, and the points' own rows. */
static void answer_points(const contacts *c, workspace *ws)
{
    prepare_answers(ws);
    find_neighbours(ws);
    for (long i = 0; i < strikers_of(c->count, ws); i++)
        answer_block(i, c->points[i].normal[0], ws);
    for (long i = 0; i < strikers_of(c->count, ws); i++)
        prepare_inverses(i, ws);
#if HAS_FEW_POINTS
    ws->answered = 1;
#endif
}

/* 1 and the wrenches of pushes where rows lie deeper than allowed: a velocity that moves q in this step and is
 * forgotten, so that leaving a depth gives no momentum. Islands in which none does are left alone. Comes after
 * touch_links. */
static int push_out(double dt, const options *o, contacts *c, workspace *ws)
{
    const island whole = all_rows(c->count, ws);
    const long sweeps = c->sweeps;
    const double residual = c->residual;
    if (!is_deep(dt, o, c, &whole, ws))
        return 0;
#if HAS_FEW_POINTS
    if (!ws->answered)
        answer_points(c, ws);
#endif
    for (long i = 0; i < c->count; i++)
        memset(ws->at[i].impulse, 0, sizeof ws->at[i].impulse);
    for (int e = 0; e < ws->links; e++)
        memset(ws->twist[ws->list[e]], 0, sizeof ws->twist[0]);
    keep_free(ws);
#if HAS_ISLANDS
    for (int k = 0; k < ws->islands && !o->solve; k++) {
        const island g = island_at(k, ws);
        if (!is_deep(dt, o, c, &g, ws))
            continue;
        aim_out(dt, o, c, &g, ws);
        solve_island(o, tolerance_of(o, c, &g, ws), most_of_push(&g, ws), c, &g, ws);
        hold_push(o, tolerance_of(o, c, &g, ws), &g, ws);
        shorten_push(dt, &g, ws);
    }
    if (o->solve)
#endif
    {
        aim_out(dt, o, c, &whole, ws);
        solve_island(o, tolerance_of(o, c, &whole, ws), most_of_push(&whole, ws), c, &whole, ws);
        if (!o->solve)
            hold_push(o, tolerance_of(o, c, &whole, ws), &whole, ws);
        shorten_push(dt, &whole, ws);
    }
    c->sweeps = sweeps;
    c->residual = residual;
    sum_wrenches(1.0, c->count, ws);
    return 1;
}

/* The slots that rows push, tree by tree. */
static void list_touched(const contacts *c, workspace *ws)
{
    memset(ws->touching, 0, sizeof ws->touching);
    for (long i = 0, pair = -1; i < cones_of(c->count, ws); pair = c->points[i++].pair)
        for (int side = 0; side < 2 && c->points[i].pair != pair; side++) {
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
    for (int k = 0; k < SLOTS; k++)
        if (ws->touching[slot_by_tree(k)])
            ws->list[ws->links++] = slot_by_tree(k);
}

/* Forces at all points, and their wrenches; v_flat as in prepare_links, struck as in strikes. */
static void touch_links(
    double dt, const double *v_flat, const options *o, const int *struck, contacts *c, workspace *ws)
{
    list_touched(c, ws);
    prepare_links(dt, v_flat, ws);
    for (long i = 0; i < strikers_of(c->count, ws); i++)
        prepare_point(c->points + i, i, dt, ws);
#if HAS_FEW_POINTS
    set_targets(dt, c, ws);
    ws->answered = 0;
    if (solve_few(o, c, ws)) {
        store_forces(dt, c, ws);
        sum_wrenches(1.0 / dt, c->count, ws);
        return;
    }
    const long made = c->sweeps;
#else
    const long made = 0;
#endif
    answer_points(c, ws);
#if HAS_TURNING
    prepare_all_turning(c, cones_of(c->count, ws), dt, ws);
#endif
#if HAS_HELD_ROWS
    for (long i = ws->cones; i < c->count; i++)
        prepare_row((int)(i - ws->cones), c->points + i, i, dt, v_flat, ws);
#endif
    set_targets(dt, c, ws);
#if HAS_ISLANDS
    const int bouncing = find_bounces(dt, o, c, ws);
    find_islands(c->count, ws);
#if HAS_LOCKS
    prepare_locks(ws);
#endif
#else
    const int bouncing = 0;
#endif
    keep_free(ws);
    apply_all(c->count, ws);
    options left = *o;
    left.sweeps -= made;
    solve_rows(dt, &left, bouncing, struck, c, ws);
    c->sweeps += made;
#if HAS_LOCKS
    c->open = goes_off(c, ws);
#endif
    store_forces(dt, c, ws);
    sum_wrenches(1.0 / dt, c->count, ws);
}

#endif
