/* Restitution: targets of points that bounce, and its energy, island by island. */

#ifndef KINEGEN_CONTACT_BOUNCE_H
#define KINEGEN_CONTACT_BOUNCE_H

#include "solve.h"

#define STOP_TOLERANCE 1e-12 /* of the velocities of joints at their limits [m/s, rad/s] */
#define BOUNCE_TOLERANCE 4e-15 /* of the velocities of an island in which something bounces, over its fastest bounce */
#define ROUNDING 1e-14 /* work that rounding makes, over the sum of the sizes of its parts */
#define SEARCH 24 /* most solves in search of a factor of restitution */
#define TOUCH 1e-3 /* part of a step's way below which a gap is none */
#define NEARLY 0.9 /* part of the way to what was let go: from there on that is what is wanted */
#define LET_PASS 8.0 /* times the speed of the fastest impact: points that are not stopped before */

/* How many of `count` blocks are contacts, limits or moments; rows that always hold come after them. */
static long cones_of(long count, const workspace *ws)
{
#if HAS_HELD_ROWS
    (void)count;
    return ws->cones;
#else
    (void)ws;
    return count;
#endif
}

/* How many of them are contacts or limits, which may strike. */
static long strikers_of(long count, const workspace *ws)
{
#if HAS_TURNING
    (void)count;
    return ws->turning;
#else
    return cones_of(count, ws);
#endif
}

/* Limits alone are solved to rounding, which takes them few sweeps; with other rows, as the options say. */
static double tolerance_of(const options *o, const contacts *c, const island *g, const workspace *ws)
{
    int limits = 1;
    for (long e = 0; limits && e < g->count; e++)
        limits = row_of(g, e) < cones_of(c->count, ws) && c->points[row_of(g, e)].pair >= PAIRS;
    return limits ? kg_min(o->tolerance, STOP_TOLERANCE) : o->tolerance;
}

/* Velocity along the normal of a point before the step. */
static double approach(const contact *point, const workspace *ws)
{
    double speed = 0.0;
    for (int side = 0; side < 2; side++) {
        const int s = side ? second_slot(point->pair) : first_slot(point->pair);
        if (s < 0)
            continue;
        double u[3];
        velocity_at(s, ws->speed[s], point->point, u, ws);
        speed += (side ? 1.0 : -1.0) * kg_dot3(point->normal, u);
    }
    return speed;
}

/* Impulses of the rows of an island; another solver takes all rows there are. Tells of the solve that ended worst.
 * `most`: see sweep_until. */
static void solve_island(const options *o, double tolerance, double most, contacts *c, const island *g, workspace *ws)
{
    long sweeps = 0;
    const double residual = o->solve ? o->solve(c->count, ws) : solve(o, tolerance, most, g, &sweeps, ws);
    c->sweeps = sweeps > c->sweeps ? sweeps : c->sweeps;
    c->residual = residual <= c->residual ? c->residual : residual;
}

/* Velocity along the normal that a point must keep at least: 0, or less where the gap allows it. */
static double least_speed(double dt, const contact *point)
{
    return point->gap > 0.0 ? -point->gap / dt : 0.0;
}

#if HAS_ISLANDS
/* What a point that bounces leaves with, 0: it does not. */
static double rebound(double dt, const options *o, const contact *point, const workspace *ws)
{
    const double e = restitution_of(point->pair), speed = e > 0.0 ? approach(point, ws) : 0.0;
    return speed < -o->bounce && point->gap + dt * speed <= 0.0 ? -e * speed : 0.0;
}

/* ws->bounce: rebounds; ws->before_step: velocities of the rows then, three each. 1: something bounces. */
static int find_bounces(double dt, const options *o, const contacts *c, workspace *ws)
{
    int bouncing = 0;
    for (long i = 0; i < c->count; i++) {
        ws->bounce[i] = rebound(dt, o, c->points + i, ws);
        bouncing |= ws->bounce[i] > 0.0;
    }
    for (long i = 0; bouncing && i < c->count; i++)
        velocity_before(ws, i, ws->before_step + 3 * i);
    return bouncing;
}

/* Twice the work of the impulses of an island, f (v + v') with the velocities before and after the step; size: the sum
 * of the sizes of its parts. Kinetic energy is what it was, and this, and the work of all other forces. */
static double work_of(const island *g, double *size, workspace *ws)
{
    double work = 0.0, v[4];
    *size = 1e-300;
    for (long e = 0; e < g->count; e++) {
        const long i = row_of(g, e);
        velocity_of(ws, i, v);
        for (int k = 0; k < 3; k++) {
            const double f = ws->at[i].impulse[k], before = ws->before_step[3 * i + k];
            work += f * (before + v[k]);
            *size += fabs(f) * (fabs(before) + fabs(v[k]));
        }
    }
    return work;
}

/* It, over that size. */
static double gain_of(const island *g, workspace *ws)
{
    double size;
    const double work = work_of(g, &size, ws);
    return work / size;
}

/* Targets of the rows of an island, with its restitution times `factor`. */
static void aim(double factor, double dt, const contacts *c, const island *g, workspace *ws)
{
    for (long e = 0; e < g->count; e++) {
        const long i = row_of(g, e);
        ws->at[i].target = ws->bounce[i] > 0.0 ? factor * ws->bounce[i] : least_speed(dt, c->points + i);
    }
}

/* Points that spring back and did not approach before the step, but that impacts elsewhere may close within it: they
 * would be stopped at their gap without restitution. Those that all but touch take part as if they did, others are let
 * go. 1: there are such. */
static int let_pass(double dt, double fastest, const contacts *c, const island *g, workspace *ws)
{
    int some = 0;
    for (long k = 0; k < g->count; k++) {
        const long i = row_of(g, k);
        double *target = &ws->at[i].target;
        if (i >= strikers_of(c->count, ws) || ws->bounce[i] > 0.0 || !(*target < 0.0)
            || !(restitution_of(c->points[i].pair) > 0.0))
            continue;
        const int apart = c->points[i].gap > TOUCH * dt * fastest;
        *target = apart ? *target - LET_PASS * fastest : 0.0;
        some |= apart;
    }
    return some;
}

/* Of those that were let go, and go through their gap, slow ones are stopped at it after all. Others bounce in the next
 * step; where they would overlap by much until then, or for longer, they take part as if they touched. 1: something is
 * to be solved again. further: 1 where one is not stopped at its gap. */
static int stop_again(double dt, const options *o, const contacts *c, const island *g, workspace *ws, int *further)
{
    int more = 0;
    for (long k = 0; k < g->count; k++) {
        const long i = row_of(g, k);
        const contact *point = c->points + i;
        double v[4];
        if (i >= strikers_of(c->count, ws) || !(ws->at[i].target < least_speed(dt, point)))
            continue;
        velocity_of(ws, i, v);
        const double way = -dt * v[0], e = restitution_of(point->pair);
        if (way <= point->gap)
            continue;
        const int slow = -v[0] <= o->bounce, brief = point->gap >= (1.0 + TOUCH - e) * way;
        *further |= !slow;
        if (!slow && brief && way - point->gap <= CLOSE)
            continue;
        ws->at[i].target = slow ? least_speed(dt, point) : 0.0;
        more = 1;
    }
    return more;
}

/* Solves the island with its restitution times `factor`; gives gain_of. */
static double bounce_by(
    double factor, double dt, const options *o, double tolerance, contacts *c, const island *g, workspace *ws)
{
    aim(factor, dt, c, g, ws);
    solve_island(o, tolerance, HUGE_VAL, c, g, ws);
    return gain_of(g, ws);
}

/* Impulses so far on the way from `from` to `to` (three a row); gives work_of. */
static double mix(double part, const double *from, const double *to, const island *g, workspace *ws)
{
    double size;
    for (long e = 0; e < g->count; e++)
        for (int k = 0; k < 3; k++)
            ws->at[row_of(g, e)].impulse[k] = from[3 * e + k] + part * (to[3 * e + k] - from[3 * e + k]);
    find_anew(g, ws);
    return work_of(g, &size, ws);
}

static void copy_impulses(const island *g, const workspace *ws, double *f)
{
    for (long e = 0; e < g->count; e++)
        memcpy(f + 3 * e, ws->at[row_of(g, e)].impulse, 3 * sizeof *f);
}

/* What was let go gained a little energy, and what is stopped loses some: work is quadratic from one to the other.
 * Where it is 0, if that is nearly what was let go; else what is stopped. Gives gain_of. */
static double stop_a_little(
    double margin, double dt, const options *o, double tolerance, contacts *c, const island *g, workspace *ws)
{
    double passed[3 * CAPACITY], stopped[3 * CAPACITY], size;
    const double most = work_of(g, &size, ws);
    copy_impulses(g, ws, passed);
    const double lost = bounce_by(1.0, dt, o, tolerance, c, g, ws), least = work_of(g, &size, ws);
    copy_impulses(g, ws, stopped);
    if (!(lost < -margin))
        return lost;
    const double half = mix(0.5, stopped, passed, g, ws), a = 2.0 * (least + most - 2.0 * half);
    const double b = 4.0 * half - 3.0 * least - most;
    const double part = -2.0 * least / (b + sqrt(kg_max(b * b - 4.0 * a * least, 0.0))) - 1e-12;
    mix(part > NEARLY && part < 1.0 ? part : 0.0, stopped, passed, g, ws);
    if (gain_of(g, ws) > margin)
        mix(0.0, stopped, passed, g, ws);
    return gain_of(g, ws);
}

/* Solves the island with its whole restitution, first with what may follow let go; if that gains energy, without. */
static double bounce_all(
    double margin, double dt, const options *o, double tolerance, contacts *c, const island *g, workspace *ws)
{
    double fastest = 0.0;
    int further = 0;
    for (long e = 0; e < g->count; e++) {
        const double bounce = ws->bounce[row_of(g, e)];
        if (bounce > 0.0)
            fastest = kg_max(fastest, bounce / restitution_of(c->points[row_of(g, e)].pair));
    }
    aim(1.0, dt, c, g, ws);
    const int passing = let_pass(dt, fastest, c, g, ws);
    do
        solve_island(o, tolerance, HUGE_VAL, c, g, ws);
    while (passing && stop_again(dt, o, c, g, ws, &further));
    const double gained = gain_of(g, ws);
    return further && gained > margin ? stop_a_little(margin, dt, o, tolerance, c, g, ws) : gained;
}

/* An island with rebounds: where they would add up to more energy than came in, all of them are weakened by the factor
 * (by regula falsi, Illinois) at which none is gained. */
static void solve_bouncing(double dt, const options *o, contacts *c, const island *g, workspace *ws)
{
    double fastest = 0.0, low = 0.0, high = 1.0;
    for (long e = 0; e < g->count; e++)
        fastest = kg_max(fastest, ws->bounce[row_of(g, e)]);
#if HAS_RIMS
    for (long e = 0; e < g->count; e++)
        lead_nothing(row_of(g, e), ws);
#endif
    const double margin = o->solve ? 1e-9 : ROUNDING;
    const double tolerance = kg_min(tolerance_of(o, c, g, ws), BOUNCE_TOLERANCE * fastest);
    double gained = bounce_all(margin, dt, o, tolerance, c, g, ws);
    if (!(gained > margin))
        return;
    double lost = bounce_by(0.0, dt, o, tolerance, c, g, ws), now = lost;
    int side = 0;
    for (int n = 0; n < SEARCH && lost < -margin && fabs(now) > margin && high - low > 1e-15; n++) {
        const double factor = low + (high - low) * lost / (lost - gained);
        now = bounce_by(factor, dt, o, tolerance, c, g, ws);
        if (now > 0.0) {
            high = factor;
            gained = now;
            lost *= side == 1 ? 0.5 : 1.0;
            side = 1;
        } else {
            low = factor;
            lost = now;
            gained *= side == -1 ? 0.5 : 1.0;
            side = -1;
        }
    }
    if (now > margin)
        bounce_by(low, dt, o, tolerance, c, g, ws);
}
#endif

#endif
