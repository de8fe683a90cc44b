/* Conditions: watched at every step, located within it. The layout of a condition is in the model's header. */

#ifndef KINEGEN_WATCH_WATCH_H
#define KINEGEN_WATCH_WATCH_H

#include "../linear/vectors.h"

/* World position of a point of a link (-1: world). */
static void place_of(const double *poses, long link, const double *offset, double *x)
{
    const double *T = poses + 16 * link;
    for (int i = 0; i < 3; i++)
        x[i] = link < 0 ? offset[i]
                        : T[4 * i] * offset[0] + T[4 * i + 1] * offset[1] + T[4 * i + 2] * offset[2] + T[4 * i + 3];
}

/* Entry (i, j) of a link's rotation. */
static double rotation_of(const double *poses, long link, int i, int j)
{
    return link < 0 ? (double)(i == j) : poses[16 * link + 4 * i + j];
}

static double norm_of(const double *x)
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

static double between(const double *poses, const condition *w)
{
    double a[3], b[3], d[3], D[9] = {0.0};
    place_of(poses, w->first, w->first_offset, a);
    place_of(poses, w->second, w->second_offset, b);
    for (int i = 0; i < 3; i++)
        d[i] = b[i] - a[i];
    if (w->kind == MODEL(DISTANCE))
        return norm_of(d);
    if (w->kind == MODEL(POSITION)) { /* in the axes of the first link */
        double along = 0.0;
        for (int i = 0; i < 3; i++)
            along += rotation_of(poses, w->first, i, (int)w->axis) * d[i];
        return along;
    }
    for (int i = 0; i < 9; i++)
        for (int k = 0; k < 3; k++)
            D[i] += rotation_of(poses, w->first, k, i / 3) * rotation_of(poses, w->second, k, i % 3);
    return kg_turned_by(D, d);
}

/* What the conditions of one state share, worked out when the first of them asks. */
typedef struct {
    double poses[16 * BODIES], wrench[6 * LOOPS], q_cut[CUT_Q + 1], C[(CUT_V + 1) * NV];
    int placed, loaded, read, moved;
} measured;

static double cut_coordinate(const simulation *s, const double *q, long entry, measured *m)
{
    const double *p = s->p;
    if (!m->read++) {
        KERNEL(loop_coordinates, q, m->q_cut);
        unwind(s->memory->cut_q, m->q_cut);
        if (!counts_turns(s)) /* else the step itself keeps them */
            memcpy(s->memory->cut_q, m->q_cut, CUT_Q * sizeof *m->q_cut);
    }
    return m->q_cut[entry];
}

static double cut_speed(const simulation *s, const double *q, const double *v, long entry, measured *m)
{
    const double *p = s->p;
    double speed = 0.0;
    if (!m->moved++)
        KERNEL(loop_jacobian, q, m->C);
    for (int j = 0; j < NV; j++)
        speed += m->C[entry * NV + j] * v[j];
    return speed;
}

static double load_of(
    const simulation *s, const double *q, const double *v, const double *tau, const condition *w, measured *m)
{
    if (!m->loaded++)
        MODEL(constraint_wrenches)(s, q, v, tau, m->wrench);
    const double *f = m->wrench + 6 * w->first + (w->kind == MODEL(MOMENT) ? 3 : 0);
    return norm_of(f);
}

/* Mean over the step so far, what is left of it with no force. */
static double touch_of(const simulation *s, const condition *w)
{
    double f[3] = {0.0};
#if HAS_ROWS
    if (s->workspace)
        MODEL(contact_force)(s->contacts, (int)w->first, (int)w->second, f);
#endif
    for (int k = 0; k < 3; k++)
        f[k] = w->passed[k] + s->memory->share * f[k];
    return norm_of(f);
}

static double quantity(
    const simulation *s, const double *q, const double *v, const double *tau, const condition *w, measured *m)
{
    const double *p = s->p;
    switch (w->kind) {
    case MODEL(DISTANCE):
    case MODEL(POSITION):
    case MODEL(TURN):
        if (!m->placed++)
            KERNEL(link_poses, q, m->poses);
        return between(m->poses, w);
    case MODEL(COORDINATE):
        return q[w->first];
    case MODEL(VELOCITY):
        return v[w->first];
    case MODEL(LOOP_COORDINATE):
        return cut_coordinate(s, q, w->first, m);
    case MODEL(LOOP_VELOCITY):
        return cut_speed(s, q, v, w->first, m);
    case MODEL(CONTACT_FORCE):
        return touch_of(s, w);
    default: /* force and moment of a connection */
        return load_of(s, q, v, tau, w, m);
    }
}

/* 1 if what the condition asks has a value: a connection that is not active has no coordinates. */
static int has_value(const simulation *s, const condition *w)
{
    const int of_loop = w->kind == MODEL(LOOP_COORDINATE) || w->kind == MODEL(LOOP_VELOCITY);
    return !of_loop || w->second < 0 || is_active(s->p, (int)w->second);
}

/* sign (value - threshold) of every condition; 0, which is not true, of what has no value. */
static void margins(const simulation *s, const double *q, const double *v, const double *tau, double *margin)
{
    measured m;
    m.placed = m.loaded = m.read = m.moved = 0;
    for (long i = 0; i < s->watches; i++) {
        const condition *w = s->watch + i;
        margin[i] = has_value(s, w) ? w->sign * (quantity(s, q, v, tau, w, &m) - w->threshold) : 0.0;
    }
}

/* 1 if dt after where the call begins the condition is asked: a force of contact is that of a step, at its end. */
static int is_asked(const simulation *s, const condition *w, double dt)
{
    return w->kind != MODEL(CONTACT_FORCE) || (dt > 0.0 && is_between_steps(s, dt));
}

/* Which armed condition has come true in a step of dt, at the earliest part of it by its margins before and after; -1:
 * none. A step ends before anything follows from a force of contact. */
static long crossing(const simulation *s, double dt, const double *margin, double *part)
{
    long first = -1;
    *part = 2.0;
    for (long i = 0; i < s->watches; i++) {
        const condition *w = s->watch + i;
        const double before = w->margin, after = margin[i];
        const double at = w->kind == MODEL(CONTACT_FORCE) ? 1.0 : before < 0.0 ? before / (before - after) : 0.0;
        if (w->armed && is_asked(s, w, dt) && after > 0.0 && at < *part) {
            *part = at;
            first = i;
        }
    }
    return first;
}

/* Margins after dt kept; conditions that do not hold are armed (again), those that do and are armed have fired. */
static void mark(const simulation *s, double dt, const double *margin)
{
    for (long i = 0; i < s->watches; i++) {
        condition *w = s->watch + i;
        w->fired = 0;
        if (!is_asked(s, w, dt))
            continue;
        w->margin = margin[i];
        w->fired = w->armed && margin[i] > 0.0;
        if (!(margin[i] > 0.0))
            w->armed = 1;
    }
}

/* Before the first step; 0 if a condition is true from the start. */
static int begin_watch(const simulation *s)
{
    double margin[MOST_CONDITIONS];
    margins(s, s->q, s->v, s->tau, margin);
    mark(s, 0.0, margin);
    for (long i = 0; i < s->watches; i++)
        if (s->watch[i].fired)
            return 0;
    return 1;
}

/* Where the step may end: what its rows exert is kept. */
static void keep_rows(const simulation *s, double *load, int *loaded)
{
    memcpy(load, s->memory->load, NV * sizeof *load);
    *loaded = s->memory->loaded;
#if HAS_ROWS
    if (s->workspace)
        MODEL(contact_copy)(s->contacts, &s->workspace->kept);
#endif
}

/* The part of the step from q_last, v_last after which a condition comes true, given `at` where it may: by the secant
 * rule, from the side where the condition holds, to a thousandth of the step; s->q, s->v and margin there. */
static double locate(const simulation *s, const double *tau, long number, const double *q_last, const double *v_last,
    double at, double *margin)
{
    double low = 0.0, high = 1.0, load[NV];
    int loaded;
    keep_rows(s, load, &loaded);
    for (int pass = 0; pass < 16 && at < 1.0 && high - low > 1e-3; pass++) { /* 0.9^6 / 2^10 < 1e-3 */
        const double inside = pass < 6 ? kg_min(kg_max(at + 2e-4, low + 0.1 * (high - low)), high - 1e-4)
                                       : 0.5 * (low + high);
        double q_new[NQ], v_new[NV], margin_new[MOST_CONDITIONS], next;
        memcpy(q_new, q_last, sizeof q_new);
        memcpy(v_new, v_last, sizeof v_new);
#if HAS_ROWS
        if (s->workspace)
            MODEL(contact_copy)(&s->workspace->began, s->contacts);
#endif
        if (!make_step(s, inside * s->dt, q_new, v_new, tau, number))
            break;
        margins(s, q_new, v_new, tau, margin_new);
        if (crossing(s, inside * s->dt, margin_new, &next) < 0) {
            low = inside;
            at = kg_min(inside + 2e-4, high);
            continue;
        }
        high = inside;
        at = next * inside;
        memcpy(s->q, q_new, NQ * sizeof *q_new);
        memcpy(s->v, v_new, NV * sizeof *v_new);
        memcpy(margin, margin_new, (size_t)s->watches * sizeof *margin);
        keep_rows(s, load, &loaded);
    }
#if HAS_ROWS
    if (s->workspace)
        MODEL(contact_copy)(&s->workspace->kept, s->contacts);
#endif
    memcpy(s->memory->load, load, sizeof load);
    s->memory->loaded = loaded;
    s->memory->share = share_of(s, high * s->dt);
    return high;
}

/* A step of which s->part tells where in it a condition came true, with the state there; 0 if it cannot be made. */
static int watched_step(simulation *s, const double *tau, long number)
{
    double q_last[NQ], v_last[NV], margin[MOST_CONDITIONS], at;
    memcpy(q_last, s->q, sizeof q_last);
    memcpy(v_last, s->v, sizeof v_last);
#if HAS_ROWS
    if (s->workspace)
        MODEL(contact_copy)(s->contacts, &s->workspace->began);
#endif
    if (!make_step(s, s->dt, s->q, s->v, tau, number))
        return 0;
    margins(s, s->q, s->v, tau, margin);
    if (crossing(s, s->dt, margin, &at) >= 0)
        s->part = locate(s, tau, number, q_last, v_last, at, margin);
    mark(s, s->part >= 0.0 ? s->part * s->dt : s->dt, margin);
    return 1;
}

#endif
