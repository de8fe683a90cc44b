/* Joint servos in each lane of vectors, by the formulas of drive/servos.h. */

#ifndef KINEGEN_LANES_SERVOS_H
#define KINEGEN_LANES_SERVOS_H

#include "../joints/thresholds.h"

/* What drives a step of the simulations `row`: wrenches of the first simulation; servos with their gains and largest
 * force, limited: 0 without; targets, positions and velocities of as many as there are servos, and a configuration (NQ)
 * for joints whose coordinates do not add; off (2 NV): what is left to that, and velocities along axes that rest; mode:
 * 1, -1 at a limit in that lane. */
typedef struct {
    const lane_simulations *s;
    const int *row;
    const double *wrenches;
    int limited[NV];
    kg_wide kp[NV], kd[NV], limit[NV], target[2 * NV + NQ], off[2 * NV], mode[NV];
} wide_drive;

/* The targets of a step, which stand at `first` for the first simulation. */
static void gather_targets(const lane_simulations *s, const int *row, const double *first, kg_wide *target)
{
    gather(2 * (int)s->servos + (s->servos_turn ? NQ : 0), row, first, s->target_row, target);
}

/* Before all steps of these simulations. */
static void begin_wide_drive(const lane_simulations *s, const int *row, wide_drive *a)
{
    const int count = (int)s->servos;
    a->s = s;
    a->row = row;
    gather(count, row, s->kp, s->gain_row, a->kp);
    gather(count, row, s->kd, s->gain_row, a->kd);
    gather(count, row, s->limit, s->gain_row, a->limit);
    for (int k = 0; k < count; k++)
        a->limited[k] = any_lane((kg_wide_mask)(a->limit[k] < HUGE_VAL));
    gather_targets(s, row, s->target, a->target);
}

/* All servos are within their limits until it turns out otherwise. */
static void free_wide_servos(wide_drive *a)
{
    for (long k = 0; k < a->s->servos; k++)
        a->mode[k] = (kg_wide){0};
}

/* Before step number `step`. */
static void take_wide_drive(long step, wide_drive *a)
{
    const lane_simulations *s = a->s;
    a->wrenches = s->acting ? s->wrenches + step * s->wrench_stride : 0;
    if (s->target_stride)
        gather_targets(s, a->row, s->target + step * s->target_stride, a->target);
    free_wide_servos(a);
}

/* Before the others, where the mechanism stands: what concerns joints whose coordinates do not add. turn [s]: for how
 * long axes turn under what dt a is added to, 0: they rest. */
static void begin_wide_servos(wide_drive *a, double turn, const kg_wide *q, const kg_wide *v)
{
    if (NQ == NV || !a->s->servos_turn)
        return;
    offset_wide(q, a->target + 2 * a->s->servos, a->off);
    memcpy(a->off + NV, v, NV * sizeof *v);
    turning_wide(turn, v, a->off + NV);
}

/* Force of servo k without its limit at q, v and, dt later, under acceleration rate of its joint. */
static KG_INLINE kg_wide wide_servo_law(
    const wide_drive *a, long k, double dt, const kg_wide *q, const kg_wide *v, kg_wide rate)
{
    const lane_simulations *s = a->s;
    const int i = s->servo_dof[k], adds = NQ == NV || s->servo_place[k] >= 0;
    kg_wide e, speed;
    if (adds) {
        e = a->target[k] - q[s->servo_place[k]];
        speed = v[i] + dt * rate;
    } else {
        e = a->off[i];
        speed = a->off[NV + i] + dt * rate;
    }
    return a->kp[k] * (e - dt * speed) + a->kd[k] * (a->target[s->servos + k] - speed);
}

/* f += forces of servos at q, v: they act there. */
static void add_wide_servos(wide_drive *a, const kg_wide *q, const kg_wide *v, kg_wide *f)
{
    const lane_simulations *s = a->s;
    begin_wide_servos(a, 0.0, q, v);
    for (long k = 0; k < s->servos; k++) {
        const kg_wide limit = a->limit[k], law = wide_servo_law(a, k, 0.0, q, v, (kg_wide){0});
        f[s->servo_dof[k]] += kg_wide_min(kg_wide_max(law, -limit), limit);
    }
}

/* f += what of servos at the end of a step of dt does not depend on the acceleration; d += what does. After
 * begin_wide_servos. */
static void add_late_servos(const wide_drive *a, double dt, const kg_wide *q, const kg_wide *v, kg_wide *f, kg_wide *d)
{
    const lane_simulations *s = a->s;
    const kg_wide none = {0};
    for (long k = 0; k < s->servos; k++) {
        const int i = s->servo_dof[k];
        const kg_wide_mask within = (kg_wide_mask)(a->mode[k] == 0.0);
        f[i] += kg_wide_select(within, wide_servo_law(a, k, dt, q, v, none), a->mode[k] * a->limit[k]);
        d[i] += kg_wide_select(within, dt * (a->kd[k] + dt * a->kp[k]), none);
    }
}

/* 1 if a step of dt from q, v with acceleration a is to be made again: in some lane servos go to their limits, or come
 * off them. pass: how often it was made. A lane in which none does finds the same again. */
static int wide_servos_change(
    wide_drive *a, double dt, const kg_wide *q, const kg_wide *v, const kg_wide *acceleration, int pass)
{
    const lane_simulations *s = a->s;
    const kg_wide none = {0};
    kg_wide_mask again = {0};
    for (long k = 0; k < s->servos; k++) {
        if (!a->limited[k])
            continue;
        const kg_wide limit = AT_LIMIT(a->limit[k]);
        const kg_wide asked = wide_servo_law(a, k, dt, q, v, acceleration[s->servo_dof[k]]);
        const kg_wide above = kg_wide_select((kg_wide_mask)(asked > limit), kg_splat(1.0), none);
        const kg_wide mode = kg_wide_select((kg_wide_mask)(asked < -limit), kg_splat(-1.0), above);
        kg_wide_mask changed = (kg_wide_mask)(mode != a->mode[k]);
        if (pass >= AGAIN)
            changed &= (kg_wide_mask)(a->mode[k] == 0.0);
        a->mode[k] = kg_wide_select(changed, mode, a->mode[k]);
        again |= changed;
    }
    return any_lane(again);
}

#endif
