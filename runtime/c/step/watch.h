/* Conditions: watched at every step, located within it. The layout of a condition is in the model's header. */

#ifndef KINEGEN_STEP_WATCH_H
#define KINEGEN_STEP_WATCH_H

#define MOST_WATCHES 64

typedef MODEL(condition) condition;

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

static double between(const double *poses, const condition *w)
{
    double a[3], b[3], d[3], trace = 0.0;
    place_of(poses, w->first, w->first_offset, a);
    place_of(poses, w->second, w->second_offset, b);
    for (int i = 0; i < 3; i++)
        d[i] = b[i] - a[i];
    if (w->kind == MODEL(DISTANCE))
        return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    if (w->kind == MODEL(POSITION)) { /* in the axes of the first link */
        double along = 0.0;
        for (int i = 0; i < 3; i++)
            along += rotation_of(poses, w->first, i, (int)w->axis) * d[i];
        return along;
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            trace += rotation_of(poses, w->first, i, k) * rotation_of(poses, w->second, i, k);
    return acos(kg_max(-1.0, kg_min(1.0, 0.5 * (trace - 1.0))));
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
    return sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
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
#if HAS_ROWS
        return s->workspace ? MODEL(contact_force)(s->contacts, (int)w->first, (int)w->second) : 0.0;
#else
        return 0.0;
#endif
    default: /* force and moment of a connection */
        return load_of(s, q, v, tau, w, m);
    }
}

/* sign (value - threshold) of every condition. */
static void margins(const simulation *s, const double *q, const double *v, const double *tau, double *margin)
{
    measured m;
    m.placed = m.loaded = m.read = m.moved = 0;
    for (long i = 0; i < s->watches; i++) {
        const condition *w = s->watch + i;
        margin[i] = w->sign * (quantity(s, q, v, tau, w, &m) - w->threshold);
    }
}

/* Which armed condition has come true, at the earliest part of the step by its margins before and after; -1: none. A
 * force of contact is that of the whole step, which ends before anything follows from it. */
static long crossing(const simulation *s, const double *margin, double *part)
{
    long first = -1;
    *part = 2.0;
    for (long i = 0; i < s->watches; i++) {
        const condition *w = s->watch + i;
        const double before = w->margin, after = margin[i];
        const double at = w->kind == MODEL(CONTACT_FORCE) ? 1.0 : before < 0.0 ? before / (before - after) : 0.0;
        if (w->armed && after > 0.0 && at < *part) {
            *part = at;
            first = i;
        }
    }
    return first;
}

/* Margins kept; conditions that do not hold are armed (again), those that do and are armed have fired. */
static void mark(const simulation *s, const double *margin)
{
    for (long i = 0; i < s->watches; i++) {
        condition *w = s->watch + i;
        w->margin = margin[i];
        w->fired = w->armed && margin[i] > 0.0;
        if (!(margin[i] > 0.0))
            w->armed = 1;
    }
}

/* Before the first step; 0 if a condition is true from the start. */
static int begin_watch(const simulation *s)
{
    double margin[MOST_WATCHES];
    margins(s, s->q, s->v, s->tau, margin);
    mark(s, margin);
    for (long i = 0; i < s->watches; i++)
        if (s->watch[i].fired)
            return 0;
    return 1;
}

/* The part of the step from q_last, v_last after which a condition comes true, given `at` where it may: by the secant
 * rule, from the side where the condition holds, to a thousandth of the step; s->q, s->v and margin there. */
static double locate(const simulation *s, const double *tau, long number, const double *q_last, const double *v_last,
    double at, double *margin)
{
    double low = 0.0, high = 1.0;
#if HAS_ROWS
    if (s->workspace)
        MODEL(contact_keep)(s->contacts, s->workspace);
#endif
    for (int pass = 0; pass < 12 && at < 1.0 && high - low > 1e-3; pass++) {
        const double inside = pass < 6 ? kg_min(kg_max(at + 2e-4, low + 0.1 * (high - low)), high - 1e-4)
                                       : 0.5 * (low + high);
        double q_new[NQ], v_new[NV], margin_new[MOST_WATCHES], next;
        memcpy(q_new, q_last, sizeof q_new);
        memcpy(v_new, v_last, sizeof v_new);
#if HAS_ROWS
        if (s->workspace)
            MODEL(contact_undo)(s->contacts, s->workspace);
#endif
        if (!make_step(s, inside * s->dt, q_new, v_new, tau, number))
            break;
        margins(s, q_new, v_new, tau, margin_new);
        if (crossing(s, margin_new, &next) < 0) {
            low = inside;
            at = kg_min(inside + 2e-4, high);
            continue;
        }
        high = inside;
        at = next * inside;
        memcpy(s->q, q_new, NQ * sizeof *q_new);
        memcpy(s->v, v_new, NV * sizeof *v_new);
        memcpy(margin, margin_new, (size_t)s->watches * sizeof *margin);
#if HAS_ROWS
        if (s->workspace)
            MODEL(contact_keep)(s->contacts, s->workspace);
#endif
    }
#if HAS_ROWS
    if (s->workspace)
        MODEL(contact_take)(s->contacts, s->workspace);
#endif
    return high;
}

/* A step of which s->part tells where in it a condition came true, with the state there; 0 if it cannot be made. */
static int watched_step(simulation *s, const double *tau, long number)
{
    double q_last[NQ], v_last[NV], margin[MOST_WATCHES], at;
    memcpy(q_last, s->q, sizeof q_last);
    memcpy(v_last, s->v, sizeof v_last);
    if (!make_step(s, s->dt, s->q, s->v, tau, number))
        return 0;
    margins(s, s->q, s->v, tau, margin);
    if (crossing(s, margin, &at) >= 0)
        s->part = locate(s, tau, number, q_last, v_last, at, margin);
    mark(s, margin);
    return 1;
}

#endif
