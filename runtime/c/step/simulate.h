/* The one loop of n steps; conditions are watched and contacts and states written down on the way. */

#ifndef KINEGEN_STEP_SIMULATE_H
#define KINEGEN_STEP_SIMULATE_H

#if HAS_LOOPS
#include "../closure/start.h"
#endif

/* 1 if a step of dt that ends with v is to be made again: joints pass limits that they were not seen to meet, or servos
 * go to theirs or come off them. pass: how often servos were asked. */
static int asks_again(const simulation *s, double dt, const double *v, int *pass)
{
#if HAS_ROWS
    if (s->workspace && s->limits && MODEL(contact_misses)(dt, v, s->workspace))
        return 1;
#else
    (void)dt, (void)v;
#endif
    return s->servos && s->integrator == SEMI_IMPLICIT && servos_change(s, (*pass)++);
}

/* What the integrator makes of q, v in a step of dt, again as long as it asks for that; 0 if it cannot. */
static int integrate_step(const simulation *s, double dt, const double *q, const double *v, const double *tau,
    double *q_new, double *v_new, displacement *push)
{
    int pass = 0, made = 0;
    free_servos(s);
#if HAS_ROWS
    if (s->workspace)
        MODEL(contact_begin)(s->workspace);
#endif
    do {
        kg_copy(NQ, q, q_new);
        kg_copy(NV, v, v_new);
        memset(push, 0, sizeof *push);
        begin_step(s, made);
#if HAS_ROWS
        if (made++ > 0 && s->workspace)
            MODEL(contact_unfind)(s->contacts, s->workspace);
#endif
        begin_ledger(s);
        if (s->driving)
            begin_motion(s, dt, v);
        if (!INTEGRATORS[s->integrator](s, dt, q_new, v_new, tau, push))
            return 0;
    } while (asks_again(s, dt, v_new, &pass));
    return 1;
}

/* One step of dt from q, v, in place; 0 if it cannot be made, q and v then stay. number: for the account. */
static int try_step(const simulation *s, double dt, double *q, double *v, const double *tau, long number)
{
    double q_new[NQ], v_new[NV];
    displacement push;
#if HAS_SWITCHES
    s->memory->share = share_of(s, dt);
#endif
    if (!integrate_step(s, dt, q, v, tau, q_new, v_new, &push))
        return 0;
    if (s->driving)
        impose(s, dt, q_new, v_new);
    if (!settle(s, dt, q, v, q_new, v_new, push.way, number))
        return 0;
#if HAS_ROWS
    keep_momentum(s, &push, q_new, v_new);
#endif
    kg_copy(NQ, q_new, q);
    kg_copy(NV, v_new, v);
    enter_total(s);
    return 1;
}

/* The same; of one that cannot be made no contacts stay either. */
static int make_step(const simulation *s, double dt, double *q, double *v, const double *tau, long number)
{
    if (try_step(s, dt, q, v, tau, number))
        return 1;
#if HAS_ROWS
    if (s->workspace)
        MODEL(contact_unfind)(s->contacts, s->workspace);
#endif
    return 0;
}

#if HAS_SWITCHES
#include "../watch/watch.h"
#endif

/* What drives step number `step`. */
static void take_drives(const simulation *s, long step)
{
    take_motion(s, step);
    take_wrenches(s, step);
    take_servos(s, step);
}

/* The state after step number `step`, where it is one of those that are kept. */
static void keep_state(const simulation *s, long step, double **q_log, double **v_log)
{
    if (s->every <= 0 || (step + 1) % s->every != 0)
        return;
    memcpy(*q_log, s->q, NQ * sizeof **q_log);
    memcpy(*v_log, s->v, NV * sizeof **v_log);
    *q_log += NQ;
    *v_log += NV;
    if (s->ledger && s->ledger->log)
        memcpy(s->ledger->log + (step / s->every) * SOURCES * NV, s->ledger->total, sizeof s->ledger->total);
}

/* Steps number `first` to s->steps - 1: see simulate, of which this is a part where first > 0. */
static long make_steps(simulation *s, long first)
{
    double *q_log = s->q_log, *v_log = s->v_log;
#if HAS_LOOPS
    s->memory->open = 0;
#endif
#if HAS_GOING_ON
    s->memory->looked = 0; /* parameters may be others */
#endif
#if HAS_ROWS
    MODEL(contact) *contact_log = s->contact_log;
    long *contact_count = s->contact_count;
#endif
#if HAS_SWITCHES
    s->part = -1.0;
    take_drives(s, 0);
    if (s->watches > 0 && !begin_watch(s)) {
        s->part = 0.0;
        return 0;
    }
    begin_part(s);
#endif
    for (long done = first; done < s->steps; done++) {
        const double *tau = s->tau + done * s->tau_stride;
        take_drives(s, done);
#if HAS_SWITCHES
        if (!(s->watches > 0 ? watched_step(s, tau, done) : make_step(s, s->dt, s->q, s->v, tau, done)))
            return done;
#else
        if (!make_step(s, s->dt, s->q, s->v, tau, done))
            return done;
#endif
#if HAS_ROWS
        if (s->workspace && s->log_every > 0 && done % s->log_every == 0) {
            memcpy(contact_log, s->contacts->points, (size_t)s->contacts->count * sizeof *contact_log);
            contact_log += s->contacts->count;
            *contact_count++ = s->contacts->count;
        }
#endif
#if HAS_SWITCHES
        if (s->part >= 0.0)
            return done;
#endif
        keep_state(s, done, &q_log, &v_log);
    }
    return s->steps > first ? s->steps : first;
}

/* There is such an integrator, sweeps may be made where rows act, and there is room for the conditions. */
static int is_possible(const simulation *s)
{
    const long known = (long)(sizeof INTEGRATORS / sizeof *INTEGRATORS);
#if HAS_ROWS
    if (s->workspace && MODEL(contact_options_of)(s)->sweeps < 1)
        return 0;
#endif
#if HAS_SWITCHES
    if (s->watches > MOST_CONDITIONS)
        return 0;
#endif
    return s->integrator >= 0 && s->integrator < known;
}

/* s->steps steps of s->dt from s->q, s->v, in place. Step i is driven by tau + i*tau_stride: torques of the tree's
 * joints and, from NV on, of the cut ones. With every > 0 the states after every, 2 every, ... steps go to the dense
 * arrays q_log, v_log; each log_every-th step, the first included, appends its contacts to contact_log and their number
 * to contact_count (0: none). Returns the steps done: none if there is no such integrator, options allow no sweep or
 * there are more than MOST_CONDITIONS; fewer if a state was not finite, a loop could not be closed (memory->open),
 * there were more points of contact than the workspace takes (contacts->found), or a condition came true (part >= 0:
 * how much of the next step the state is into, 0 < part <= 1, or 0: true from the start); q, v then hold the last good
 * state. A closed mechanism must begin on the closure (see project); every state that is handed out is, within 1e-10 m
 * or rad. */
long MODEL(simulate)(MODEL(simulation) * s)
{
    return is_possible(s) ? make_steps(s, 0) : 0;
}

/* What is asked for would tell of one simulation alone: work, contacts of its steps, conditions. */
static int tells_of_one(const simulation *s)
{
#if HAS_ROWS
    if (s->workspace && s->log_every > 0)
        return 1;
#endif
#if HAS_SWITCHES
    if (s->watches > 0)
        return 1;
#endif
    return s->ledger != 0;
}

/* s becomes simulation i of all, of which `one` is the first; it has made so many steps. wrenches: of the first. */
static void take_one(
    simulation *s, const simulation *one, const double *wrenches, const MODEL(simulations) * all, long i, long made)
{
    const long log = i * all->logs + (one->every > 0 ? made / one->every : 0);
    if (one->p)
        s->p = one->p + i * all->p;
    s->q = one->q + i * NQ;
    s->v = one->v + i * NV;
    s->tau = one->tau + i * all->tau;
    if (one->q_log) {
        s->q_log = one->q_log + log * NQ;
        s->v_log = one->v_log + log * NV;
    }
    if (s->external)
        s->external->rows = wrenches + i * all->wrenches;
    if (s->servos && all->targets)
        s->servos->rows = all->target + i * all->targets;
    if (s->servos && all->gains) {
        s->servos->kp = all->gain + i * all->gains;
        s->servos->kd = s->servos->kp + s->servos->count;
        s->servos->limit = s->servos->kd + s->servos->count;
    }
}

#if HAS_BESIDE
#include "../lanes/beside.h"
#endif

/* s makes its steps, *made of which it has made; fresh: it starts anew, 2: where it starts, on the closure, is written
 * in front of its log; *made -1: it cannot without a word. Gives 1 if its memory tells something of its loops since
 * then. */
static int go_on(simulation *s, int fresh, long *made)
{
#if HAS_ROWS
    if (fresh && s->workspace)
        memset(s->contacts, 0, sizeof *s->contacts);
#endif
#if HAS_LOOPS
    const memory *m = s->memory;
    if (fresh && !start_motion(s->p, s->q, s->v, s->memory)) {
        *made = -1;
        return 0;
    }
    if (fresh > 1 && s->q_log) {
        memcpy(s->q_log - NQ, s->q, NQ * sizeof *s->q);
        memcpy(s->v_log - NV, s->v, NV * sizeof *s->v);
    }
    const long singular = m->singular_steps;
    const int rank = m->full_rank;
    *made = make_steps(s, *made);
    return m->singular_steps > singular || m->full_rank > rank;
#else
    (void)fresh;
    *made = make_steps(s, *made);
    return 0;
#endif
}

/* Simulations of their own, one after the other, each as simulate makes it: s is the first one, the others stand behind
 * it in its arrays. Simulation i has made all->done[i] steps before, and then as many as it could; -1, and no step, if
 * that was less than 0 or more than s->steps; those of mechanisms with loops start on the closure, and have made -1
 * where there is something to tell of that. With all->terms they go side by side, in eights that have made as many
 * before as the first of them; others have made -1. Gives how many there were: none if s cannot be made, or if it
 * asks of several for what tells of one; not all if the memory of the last one tells something of its loops. */
long MODEL(simulate_all)(MODEL(simulation) * s, const MODEL(simulations) * all)
{
    const simulation one = *s;
    const double *wrenches = s->external ? s->external->rows : 0;
    MODEL(servos) served = {0};
    long i = 0, told = 0;
    if (one.servos)
        served = *one.servos;
    if (!is_possible(s) || (all->count > 1 && tells_of_one(s)))
        return 0;
#if HAS_BESIDE
    for (; all->terms && !tells_of_one(s) && i < all->count; i += BESIDE)
        simulate_beside(s, &one, wrenches, all, i, all->count - i < BESIDE ? all->count - i : BESIDE);
#endif
    for (; i < all->count && !told; i++) {
        if (all->done[i] < 0 || all->done[i] > s->steps) {
            all->done[i] = -1;
            continue;
        }
        take_one(s, &one, wrenches, all, i, all->done[i]);
        told = go_on(s, (int)all->fresh, &all->done[i]);
    }
    *s = one;
    if (s->external)
        s->external->rows = wrenches;
    if (s->servos)
        *s->servos = served;
    return i < all->count ? i : all->count;
}

#endif
