/* What the time step asks of contact: rows that may act, their impulses, forces and pushes. */

#ifndef KINEGEN_CONTACT_CONTACT_H
#define KINEGEN_CONTACT_CONTACT_H

#include "problem.h"
#include "../rows/aside.h"
#include "../rows/resume.h"
#if !HAS_LOOPS
#include "../linear/branch_factor.h"
#endif

/* How the rows of s are solved. */
const MODEL(contact_options) * MODEL(contact_options_of)(const MODEL(simulation) * s)
{
    return s->options ? s->options : &MODEL(contact_usual);
}

/* The points and forces of the last step again, as they were before those of this one were found. */
void MODEL(contact_unfind)(contacts *c, const workspace *ws)
{
    c->count = ws->known;
    memcpy(c->points, ws->before, (size_t)ws->known * sizeof(contact));
#if HAS_RIMS
    memcpy(c->left, ws->left_before, (size_t)ws->known * sizeof *c->left);
#endif
}

/* Rows that may act within dt from q, v: points where shapes may touch, joints at their limits (as s tells); 0 if there
 * are more than the workspace takes, or a lock does not hold: c->open then tells which, and all else is as it was. With
 * bounded cut joints q and v go on with their coordinates and velocities, and C (cut dofs, nv) gives the latter per v;
 * it must last through the step. */
int MODEL(contact_find)(double dt, const MODEL(simulation) * s, const double *q, const double *v, const double *C)
{
    contacts *c = s->contacts;
    workspace *ws = s->workspace;
#if HAS_LOOPS && HAS_POSES
    const double *p = s->p;
    KERNEL(contact_places, q, ws->poses, ws->axes[0], ws->origins[0]);
#endif
    ws->axes[AXES][0] = 1.0; /* what a bounded coordinate moves along */
#if HAS_SHAPES
    place_shapes(ws);
#endif
    MODEL(contact_speeds)(v, ws);
#if HAS_RIMS
    ws->leading = s->integrator == SEMI_IMPLICIT;
#endif
#if HAS_SWITCHES
    look_at_pairs(s->p, ws);
#endif
#if HAS_OPEN_FRICTIONS
    look_at_frictions(s->p, ws->open_friction);
#endif
#if HAS_CUT_LIMITS
    memcpy(ws->C, C, sizeof ws->C);
#else
    (void)C;
#endif
    find(dt, MODEL(contact_options_of)(s), (int)s->shapes, (int)s->limits, q, v, c, ws);
#if HAS_LOCKS
    c->open = c->found <= CAPACITY ? went_off(dt, MODEL(contact_options_of)(s), ws->known, ws->before, c) : 0;
    if (c->open) {
        MODEL(contact_unfind)(c, ws);
        return 0;
    }
#endif
    c->sweeps = 0;
    c->residual = 0.0;
    return c->found <= CAPACITY;
}

/* Forces of all rows and their wrenches on the links; u: free velocity, as the dynamics give it. */
void MODEL(contact_solve)(double dt, const double *u, const options *o, contacts *c, workspace *ws)
{
    touch_links(dt, u, o, 0, c, ws);
}

/* Velocity of a bounded coordinate. */
static double limit_speed(int s, const double *v, const workspace *ws)
{
    const int dof = LIMIT[s - LINKS].v;
#if HAS_CUT_LIMITS
    if (dof >= NV) {
        double sum = 0.0;
        for (int j = 0; j < NV; j++)
            sum += ws->C[(dof - NV) * NV + j] * v[j];
        return sum;
    }
#else
    (void)ws;
#endif
    return v[dof];
}

/* A step begins: how fast coordinates will be in it is not known. */
void MODEL(contact_begin)(workspace *ws)
{
    memset(ws->bounded_speed, 0, sizeof ws->bounded_speed);
}

/* 1 if a coordinate for whose bound nothing looked passes it in a step of dt from where rows were found, at the speed v
 * that the step ends with: made again, it looks as far. */
int MODEL(contact_misses)(double dt, const double *v, workspace *ws)
{
    int missed = 0;
    for (int k = 0; k < LIMITS; k++) {
        if (is_idle(ws, PAIRS + k))
            continue;
        const double x = ws->bounded[k], speed = limit_speed(LINKS + k, v, ws), end = x + dt * speed;
        const double low = LIMIT[k].low, high = LIMIT[k].high, reach = WITHIN_REACH(dt, ws->bounded_speed[k]);
        if ((end < low && !(x - low < reach)) || (end > high && !(high - x < reach))) {
            ws->bounded_speed[k] = fabs(speed);
            missed = 1;
        }
    }
    return missed;
}

/* Velocity into a row [m/s, rad/s] from which on it strikes: what a joint that its stop has held has left of the step
 * before, in which its force was that of the beginning, is the force's to take, as of a contact. */
static double least_impact(const contact *point, const options *o)
{
    const int stop = point->pair >= PAIRS, held = point->force[0] * point->normal[0] > 0.0;
    return stop && !held ? STOP_TOLERANCE : o->tolerance;
}

/* 1 and the wrenches of impacts at velocity v, where rows would come nearer in a step of dt than their gaps allow;
 * their forces, impulse/dt, stand in ws->impact, the points keep those of the last step. 0: nothing strikes. */
int MODEL(contact_strike)(double dt, const double *v, const options *o, contacts *c, workspace *ws)
{
    int struck = 0;
    for (long i = 0; i < strikers_of(c->count, ws); i++) {
        const contact *point = c->points + i;
        const double least = least_speed(dt, point);
        const double speed = point->pair < PAIRS ? approach(point, ws)
                                                 : point->normal[0] * limit_speed(second_slot(point->pair), v, ws);
        const int strikes_now = speed < least - least_impact(point, o);
        struck |= strikes_now;
#if HAS_ISLANDS
        ws->struck[i] = strikes_now;
#endif
    }
    for (long i = 0; i < c->count; i++) {
        memcpy(ws->impact[i], c->points[i].force, sizeof ws->impact[i]);
        memset(c->points[i].force, 0, sizeof c->points[i].force);
    }
    if (struck) {
        free_velocity_is(ws);
#if HAS_ISLANDS
        for (long i = strikers_of(c->count, ws); i < c->count; i++)
            ws->struck[i] = 0;
        touch_links(dt, v, o, ws->struck, c, ws);
#else
        touch_links(dt, v, o, 0, c, ws);
#endif
    }
    for (long i = 0; i < c->count; i++)
        for (int k = 0; k < 3; k++) {
            const double before = ws->impact[i][k];
            ws->impact[i][k] = c->points[i].force[k];
            c->points[i].force[k] = before;
        }
    return struck;
}

/* The forces told of a step are those of its impacts and those that act through it. */
void MODEL(contact_add_impacts)(contacts *c, const workspace *ws)
{
    for (long i = 0; i < c->count; i++)
        for (int k = 0; k < 3; k++)
            c->points[i].force[k] += ws->impact[i][k];
#if HAS_TURNING
    tell_moments(cones_of(c->count, ws), c, ws);
#endif
}

/* 1 and the wrenches of pushes where rows lie deeper than allowed (see push_out); after contact_solve. */
int MODEL(contact_push)(double dt, const options *o, contacts *c, workspace *ws)
{
    return push_out(dt, o, c, ws);
}

/* g (nv) += J' wrench of every touching link. apart 1: the torques of cut joints at their limits are not carried to the
 * tree's joints but stand after them. */
void MODEL(contact_pull_back)(double *g, int apart, const workspace *ws)
{
    for (int e = 0; e < ws->links; e++) {
        const int s = ws->list[e];
        const double *w = ws->wrench[s];
        for (int k = PATH[s]; k < PATH[s + 1]; k++) {
            const double *axis = ws->axes[PATH_AXIS[k]];
            g[PATH_DOF[k]] += axis[0] * w[0] + axis[1] * w[1] + axis[2] * w[2] + axis[3] * w[3] + axis[4] * w[4]
                + axis[5] * w[5];
        }
#if HAS_CUT_LIMITS
        const int dof = cut_dof_of(s);
        if (dof >= NV && apart)
            g[dof] += w[0];
        for (int j = 0; dof >= NV && !apart && j < NV; j++)
            g[j] += ws->C[(dof - NV) * NV + j] * w[0];
#else
        (void)apart;
#endif
    }
}

#if !HAS_LOOPS
/* M = L'DL in place of M (nv, nv), L by rows as ROW and ENTRY tell; z = L'^-1 r. */
void MODEL(contact_factor)(double *M, const double *r, workspace *ws)
{
    memcpy(ws->z, r, sizeof ws->z);
    kg_factor_branches(NV, ROW, ENTRY, M, ws->iD, ws->L, ws->z);
}

#if !HAS_TERMS
/* x = L^-1 z. */
void MODEL(contact_finish)(const double *L, const double *z, double *x)
{
    kg_finish_branches(NV, ROW, ENTRY, L, z, x);
}
#endif

/* z = L'^-1 g, last dof to first. */
void MODEL(contact_descend)(const double *g, double *z, const workspace *ws)
{
    memcpy(z, g, NV * sizeof *z);
    for (int k = NV - 1; k >= 0; k--)
        for (int e = ROW[k]; e < ROW[k + 1]; e++)
            z[ENTRY[e]] -= ws->L[e] * z[k];
}

/* z += y' wrench of every touching link. */
void MODEL(contact_collect)(double *z, const workspace *ws)
{
    for (int e = 0; e < ws->links; e++) {
        const int s = ws->list[e];
        const double *column = ws->y[s][0]; /* of a coordinate */
        for (int k = SUPPORT[s]; s >= LINKS && k < SUPPORT[s + 1]; k++)
            z[SUPPORT_DOF[k]] += column[SUPPORT_DOF[k]] * ws->wrench[s][0];
        for (int k = SUPPORT[s]; s < LINKS && k < SUPPORT[s + 1]; k++) {
            const double *y = ws->y[s][SUPPORT_DOF[k]], *w = ws->wrench[s];
            z[SUPPORT_DOF[k]] += y[0] * w[0] + y[1] * w[1] + y[2] * w[2] + y[3] * w[3] + y[4] * w[4] + y[5] * w[5];
        }
    }
}
#endif

#if HAS_SWITCHES
/* f (3) += the total force [N] of contact on link `first` (-1: the world), from link `second` (-2: from all). */
void MODEL(contact_force)(const contacts *c, int first, int second, double *f)
{
#if HAS_SHAPES
    for (long i = 0; i < c->count; i++) {
        const contact *point = c->points + i;
        if (point->pair >= PAIRS)
            continue;
        const shape_pair shapes = pair_at(point->pair);
        const int a = CARRIER[shapes.first], b = CARRIER[shapes.second];
        const double sign = (b == first && (second == -2 || a == second))
            - (a == first && (second == -2 || b == second));
        for (int k = 0; k < 3; k++)
            f[k] += sign * point->force[k];
    }
#else
    (void)c, (void)first, (void)second, (void)f;
#endif
}

/* load (cut dofs) += scale times what stops of cut joints exerted in the last step. */
void MODEL(contact_stops)(const contacts *c, double scale, double *load)
{
#if HAS_CUT_LIMITS
    for (long i = 0; i < c->count; i++) {
        const long k = c->points[i].pair - PAIRS;
        if (k >= 0 && k < LIMITS && LIMIT[k].v >= NV)
            load[LIMIT[k].v - NV] += scale * c->points[i].force[0];
    }
#else
    (void)c, (void)scale, (void)load;
#endif
}

/* `to` becomes as `from`. */
void MODEL(contact_copy)(const contacts *from, contacts *to)
{
    to->count = from->count;
    to->found = from->found;
    to->sweeps = from->sweeps;
    to->open = from->open;
    to->residual = from->residual;
    memcpy(to->points, from->points, (size_t)from->count * sizeof(contact));
#if HAS_RIMS
    memcpy(to->left, from->left, (size_t)from->count * sizeof *from->left);
#endif
}
#endif

#endif
