/* Joint servos (mathematics, section 13): tau = kp e + kd (v* - v) within +-limit, e = q* - q, targets held through a
 * step. Where coordinates do not add, e is the place of q* along the child's axes and the turn to it. At the end of a
 * step of dt, where v' = u + dt a along axes that rest, u: v along these, e - dt v' of e is left, and so
 *
 *     tau = kp (e - dt u) + kd (v* - u) - dt (kd + dt kp) a
 *
 * so that servos add to the forces and to the diagonal of M as dampers do, and take energy at any gain. One whose force
 * would pass its limit gives the limit: the step is made again. Entries stand in q and v of the tree's joints, and from
 * NQ and NV on in those of the joints that close loops; served_tree.h and served_closed.h make torques of them. */

#ifndef KINEGEN_DRIVE_SERVOS_H
#define KINEGEN_DRIVE_SERVOS_H

#include "../joints/thresholds.h"

typedef MODEL(servos) servos;

#define ALL_ADD (NQ == NV && CUT_Q == CUT_V) /* coordinates of all joints add */

/* The targets of step number `step`; all servos are within their limits until it turns out otherwise. */
static void take_servos(const simulation *s, long step)
{
    servos *a = s->servos;
    if (!a)
        return;
    a->row = a->rows + step * a->stride;
    a->out = a->torque + step * a->count;
}

/* Before the others, where the mechanism stands: e and u of the tree's joints whose coordinates do not add. turn [s]:
 * for how long axes turn under what dt a is added to, 0: they rest. */
static void begin_servos(const simulation *s, double turn, const double *q, const double *v)
{
    const servos *a = s->servos;
    if (ALL_ADD || !a || !a->off)
        return;
    MODEL(offset)(q, a->row + 2 * a->count, a->off);
    memcpy(a->off + NV + CUT_V, v, NV * sizeof *v);
    MODEL(turning)(turn, v, a->off + NV + CUT_V);
}

/* Force of servo k without its limit at q, v and, dt later, under acceleration rate of its joint. */
static inline double servo_law(const servos *a, long k, double dt, const double *q, const double *v, double rate)
{
    const int i = a->dof[k], adds = ALL_ADD || a->place[k] >= 0;
    const double e = adds ? a->row[k] - q[a->place[k]] : a->off[i];
    const double speed = (adds ? v[i] : a->off[NV + CUT_V + i]) + dt * rate;
    return a->kp[k] * (e - dt * speed) + a->kd[k] * (a->row[a->count + k] - speed);
}

/* f += forces of the entries at q, v (dt 0), or what of them at the end of a step does not depend on the acceleration;
 * d += what does, as of dampers. */
static void add_entries(const servos *a, double dt, const double *q, const double *v, double *f, double *d)
{
    for (long k = 0; k < a->count; k++) {
        const int i = a->dof[k];
        const double limit = a->limit[k], law = servo_law(a, k, dt, q, v, 0.0);
        if (dt > 0.0 && a->mode[k]) {
            f[i] += a->mode[k] * limit;
        } else if (dt > 0.0) {
            f[i] += law;
            d[i] += dt * (a->kd[k] + dt * a->kp[k]);
        } else {
            f[i] += kg_min(kg_max(law, -limit), limit);
        }
    }
}

/* The accelerations that a step of dt found (null: they act at q, v alone): what each entry asks for and gives. */
static void note_entries(servos *a, double dt, const double *q, const double *v, const double *acceleration)
{
    for (long k = 0; k < a->count; k++) {
        const double rate = acceleration ? acceleration[a->dof[k]] : 0.0, limit = a->limit[k];
        a->asked[k] = servo_law(a, k, dt, q, v, rate);
        a->out[k] = kg_min(kg_max(a->asked[k], -limit), limit);
        if (dt > 0.0 && a->mode[k])
            a->out[k] = a->mode[k] * limit;
    }
}

/* 1 if servos go to their limits, or come off them: the step is to be made again. pass: how often it was made. */
KG_NOINLINE static int servos_change(const simulation *s, int pass)
{
    servos *a = s->servos;
    int changed = 0;
    for (long k = 0; k < a->count; k++) {
        const double limit = AT_LIMIT(a->limit[k]);
        const int mode = a->asked[k] > limit ? 1 : a->asked[k] < -limit ? -1 : 0;
        if (mode == a->mode[k] || (pass >= AGAIN && a->mode[k]))
            continue;
        a->mode[k] = mode;
        changed = 1;
    }
    return changed;
}

static void free_servos(const simulation *s)
{
    for (long k = 0; s->servos && k < s->servos->count; k++)
        s->servos->mode[k] = 0;
}

#endif
