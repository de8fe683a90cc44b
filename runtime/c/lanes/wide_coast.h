/* Semi-implicit Euler where links turn fast, in each lane of vectors: what step/integrators.h and step/coast.h compute
 * where no row acts. */

#ifndef KINEGEN_LANES_WIDE_COAST_H
#define KINEGEN_LANES_WIDE_COAST_H

#include "../tree/floating.h"
#include "least.h"

/* Kinetic energy and momentum of every group: see step/coast.h. */
typedef struct {
    kg_wide energy[GROUPS], momentum[GROUPS][6];
} wide_invariants;

/* Of momenta h = M v. */
static void find_wide_invariants(const kg_wide *q, const kg_wide *v, const kg_wide *h, wide_invariants *found)
{
    for (int i = 0; i < GROUPS; i++)
        found->energy[i] = (kg_wide){0};
    for (int i = 0; i < NV; i++)
        found->energy[group_of[i]] += v[i] * h[i];
    for (int i = 0; i < GROUPS; i++)
        found->energy[i] *= 0.5;
    add_up_momentum(q, h, found->momentum);
}

/* How every group that floats answers a momentum as one body. */
typedef struct {
    kg_wide C[GROUPS][36], inverse[GROUPS][6];
} wide_whole;

static void factor_wide_wholes(const wide_place *at, wide_whole *w)
{
    for (int k = 0; k < (FLOATING ? 6 : 0); k++) {
        kg_wide twist[GROUPS][6], column[GROUPS][6], x[NV], h[NV];
        memset(twist, 0, sizeof twist);
        memset(x, 0, sizeof x);
        for (int i = 0; i < GROUPS; i++)
            twist[i][k] = kg_splat(1.0);
        add_motion(at->q, twist, x);
        momenta_at(at, x, h);
        add_up_momentum(at->q, h, column);
        for (int i = 0; i < GROUPS; i++)
            for (int j = k; j < 6; j++)
                w->C[i][6 * j + k] = column[i][j];
    }
    for (int i = 0; i < FLOATING; i++)
        if (floating[i].q == floating[i].first)
            kg_wide_factor(6, w->C[floating[i].group], w->inverse[floating[i].group]);
}

/* The twist of every group as one body with this momentum, and the energy that it has; nothing of those that are tied
 * to the world. */
static void as_one_wide(const wide_whole *w, kg_wide momentum[][6], kg_wide twist[][6], kg_wide *energy)
{
    memset(twist, 0, GROUPS * sizeof *twist);
    memset(energy, 0, GROUPS * sizeof *energy);
    for (int i = 0; i < FLOATING; i++) {
        const int group = floating[i].group;
        if (floating[i].q != floating[i].first)
            continue;
        memcpy(twist[group], momentum[group], sizeof twist[group]);
        kg_wide_solve(6, w->C[group], w->inverse[group], twist[group]);
        for (int k = 0; k < 6; k++)
            energy[group] += 0.5 * twist[group][k] * momentum[group][k];
    }
}

/* v changed, in place, so that every group has the momentum and at most the energy that it must have. */
static void restore_wide(const kg_wide *p, const kg_wide *q, wide_invariants *wanted, kg_wide *v)
{
    const kg_wide none = {0}, one = kg_splat(1.0);
    wide_whole whole;
    wide_invariants found;
    kg_wide h[NV], has[GROUPS][6], gets[GROUPS][6], held[GROUPS], kept[GROUPS], part[GROUPS];
    wide_place at;
    find_wide_place(p, q, &at);
    momenta_at(&at, v, h);
    find_wide_invariants(q, v, h, &found);
    factor_wide_wholes(&at, &whole);
    as_one_wide(&whole, found.momentum, has, held);
    as_one_wide(&whole, wanted->momentum, gets, kept);
    for (int i = 0; i < GROUPS; i++) {
        const kg_wide inner = found.energy[i] - held[i], left = kg_wide_max(none, wanted->energy[i] - kept[i]);
        const kg_wide_mask moves = (kg_wide_mask)(inner > LITTLE * found.energy[i]);
        part[i] = kg_wide_select(moves, kg_wide_sqrt(left / kg_wide_select(moves, inner, one)), one);
        for (int k = 0; k < 6; k++)
            gets[i][k] -= part[i] * has[i][k];
    }
    for (int i = 0; i < NV; i++)
        v[i] *= part[group_of[i]];
    add_motion(q, gets, v);
}

/* v changed by all forces where the mechanism stands: M (v' - v) = dt forces; h: M v', a: acceleration of the coast
 * that begins there. */
static void kick_wide(
    double dt, const wide_place *at, const kg_wide *tau, wide_drive *drive, kg_wide *v, kg_wide *h, kg_wide *a)
{
    const kg_wide none = {0};
    kg_wide f[NV], still[NV];
    forces_wide(drive, at->p, at->q, v, tau, f);
#if HAS_KICK
    if (!drive->s->servos) {
        const kg_wide span = kg_splat(dt);
        kg_wide u[NV];
#if HAS_DAMPING
        kg_wide d[NV];
        for (int i = 0; i < NV; i++)
            d[i] = none;
        damping_wide(dt, at->p, v, d);
        kick_velocities_at(at, v, f, d, &span, u, a, h);
#else
        kick_velocities_at(at, v, f, &span, u, a, h);
#endif
        memcpy(v, u, sizeof u);
        return;
    }
#endif
    for (int i = 0; i < NV; i++)
        still[i] = none;
    if (drive->s->servos) {
        begin_wide_servos(drive, 0.0, at->q, v);
        served_acceleration(dt, at, still, f, v, drive, a);
    } else {
        free_acceleration(dt, at, still, f, v, a);
    }
    for (int i = 0; i < NV; i++)
        v[i] += dt * a[i] + none;
    momenta_at(at, v, h);
    stage_wide(at, v, 0, drive, a);
}

/* q and v of these lanes moved on by dt, in place, each in as many parts as the turns of its links ask for; begin: the
 * place of q, with numbers of its own; a: acceleration there, overwritten. */
static void coast_wide(
    double dt, kg_wide_mask lanes, const wide_place *begin, wide_drive *drive, kg_wide *q, kg_wide *v, kg_wide *a)
{
    const kg_wide none = {0}, one = kg_splat(1.0), *p = begin->p;
    kg_wide left = kg_wide_select(lanes, kg_splat(dt), none);
    for (int done = 0; done < PARTS && any_lane(lanes); done++) {
        kg_wide q_new[NQ], v_new[NV];
        wide_place at;
        const kg_wide speed = turn_wide(p, 1, v), parts = kg_wide_ceil(left * speed / PART);
        const kg_wide part = left / kg_wide_max(one, kg_wide_min(parts, kg_splat((double)(PARTS - done))));
        const kg_wide_mask gentle = (kg_wide_mask)(part * speed < (FLOATING ? 0.0 : GENTLE));
        memcpy(q_new, q, sizeof q_new);
        memcpy(v_new, v, sizeof v_new);
        if (done > 0) {
            find_wide_place(p, q, &at);
            stage_wide(&at, v, 0, drive, a);
        }
        runge_kutta_wide(part, gentle | ~lanes, done > 0 ? &at : begin, 0, drive, q_new, v_new, a);
        for (int i = 0; i < NQ; i++)
            q[i] = kg_wide_select(lanes, q_new[i], q[i]);
        for (int i = 0; i < NV; i++)
            v[i] = kg_wide_select(lanes, v_new[i], v[i]);
        lanes &= (kg_wide_mask)(left > part);
        left = kg_wide_select(lanes, left - part, none);
    }
}

/* The forces change v, then the mechanism coasts for dt, in these lanes; begin: the place of q, with numbers of its
 * own. */
static void kick_and_coast_wide(double dt, kg_wide_mask lanes, const wide_place *begin, const kg_wide *tau,
    wide_drive *drive, kg_wide *q, kg_wide *v)
{
    wide_invariants kept;
    kg_wide h[NV], a[NV];
    kick_wide(dt, begin, tau, drive, v, h, a);
    find_wide_invariants(begin->q, v, h, &kept);
    coast_wide(dt, lanes, begin, drive, q, v, a);
    move_momentum(begin->q, q, kept.momentum);
    for (int i = 0; i < GROUPS; i++)
        kept.energy[i] = kg_wide_max((kg_wide){0}, kept.energy[i]);
    restore_wide(begin->p, q, &kept, v);
}

#endif
