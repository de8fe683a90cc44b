/* Simulations of a tree with rows side by side: what their steps begin with, which is L, D, half a solve, poses and
 * motion axes, is found by lanes for all of them at once; rows are found and solved one simulation after the other. */

#ifndef KINEGEN_LANES_BESIDE_H
#define KINEGEN_LANES_BESIDE_H

enum { BESIDE = 8 }; /* at most: in the lanes of the widest vector */

/* Forces and diagonal at the beginning of step number `step` of those that begin with `first`, and what lanes make of
 * them. */
static void begin_beside(MODEL(simulation) * s, const MODEL(simulation) * one, const double *wrenches,
    const MODEL(simulations) * all, long first, long count, long step)
{
    MODEL(begun) *begun = all->begun;
    const long between = (long)(sizeof *begun / sizeof(double));
    const double *q = one->q + first * NQ, *v = one->v + first * NV;
    s->workspace->begun = 0;
    for (long l = 0; l < count; l++) {
        step_terms t;
        take_one(s, one, wrenches, all, first + l, step);
        take_drives(s, step);
        free_servos(s);
        begin_servos(s, s->dt, s->q, s->v);
        begin_terms(s, s->dt, s->q, s->v, s->tau + step * s->tau_stride, &t);
        memcpy(begun[l].f, t.f, sizeof t.f);
        memcpy(begun[l].d, t.d, sizeof t.d);
    }
#if HAS_PARAMETERS
    all->terms(count, one->p, q, NQ, 1, v, NV, 1, begun->f, between, 1, begun->d, between, 1, begun->z, between, 1);
#else
    all->terms(count, q, NQ, 1, v, NV, 1, begun->f, between, 1, begun->d, between, 1, begun->z, between, 1);
#endif
}

/* Steps of `count` <= BESIDE simulations that have made as many; see simulate_all. */
static void simulate_beside(MODEL(simulation) * s, const MODEL(simulation) * one, const double *wrenches,
    const MODEL(simulations) * all, long first, long count)
{
    int ended[BESIDE] = {0};
    for (long l = 0; l < count && all->fresh; l++)
        memset(all->contacts + l, 0, sizeof *all->contacts);
    long step = all->done[first], going = count;
    for (long l = 0; l < count; l++) {
        ended[l] = step < 0 || step > one->steps || all->done[first + l] != step;
        going -= ended[l];
        all->done[first + l] = ended[l] ? -1 : step;
    }
    for (; step < one->steps && going > 0; step++) {
        begin_beside(s, one, wrenches, all, first, count, step);
        for (long l = 0; l < count; l++) {
            if (ended[l])
                continue;
            take_one(s, one, wrenches, all, first + l, step);
            take_drives(s, step);
            s->contacts = all->contacts + l;
            s->workspace->begun = all->begun + l;
            ended[l] = !make_step(s, s->dt, s->q, s->v, s->tau + step * s->tau_stride, step);
            all->done[first + l] = step + !ended[l];
            going -= ended[l];
            if (!ended[l])
                keep_state(s, step, &s->q_log, &s->v_log);
        }
    }
    s->workspace->begun = 0;
}

#endif
