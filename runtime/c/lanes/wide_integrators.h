/* A time step in each lane of vectors: in each lane what the integrators of step/ compute where no row acts. */

#ifndef KINEGEN_LANES_WIDE_INTEGRATORS_H
#define KINEGEN_LANES_WIDE_INTEGRATORS_H

#include "servos.h"
#include "wrenches.h"

/* Torques, springs, dampers, wrenches. */
static void forces_wide(
    const wide_drive *drive, const kg_wide *p, const kg_wide *q, const kg_wide *v, const kg_wide *tau, kg_wide *f)
{
#if HAS_PASSIVE
    passive_wide(p, q, v, f);
    for (int i = 0; i < NV; i++)
        f[i] += tau[i];
#else
    (void)p, (void)q, (void)v;
    memcpy(f, tau, NV * sizeof *f);
#endif
    for (long k = 0; k < drive->s->acting; k++)
        add_wide_wrench(drive->s, drive->wrenches, drive->row, k, p, q, f);
}

/* At velocity v under forces f; dampers at the end of a step of dt, from the velocity damped, with what else is on the
 * diagonal d. */
static void end_acceleration(
    double dt, const wide_place *at, const kg_wide *v, const kg_wide *f, const kg_wide *damped, kg_wide *d, kg_wide *a)
{
#if HAS_DAMPING
    damping_wide(dt, at->p, damped, d);
#else
    (void)dt, (void)damped;
#endif
    forward_dynamics_damped_at(at, v, f, d, a);
}

/* The same without servos. */
static void free_acceleration(
    double dt, const wide_place *at, const kg_wide *v, const kg_wide *f, const kg_wide *damped, kg_wide *a)
{
#if HAS_DAMPING
    kg_wide d[NV];
    for (int i = 0; i < NV; i++)
        d[i] = (kg_wide){0};
    end_acceleration(dt, at, v, f, damped, d, a);
#else
    (void)dt, (void)damped;
    forward_dynamics_at(at, v, f, a);
#endif
}

/* Acceleration at velocity v of a step with servos and dampers at `served`, found again while servos go to their limits
 * or come off them. */
static void served_acceleration(double dt, const wide_place *at, const kg_wide *v, const kg_wide *f,
    const kg_wide *served, wide_drive *drive, kg_wide *a)
{
    kg_wide g[NV], d[NV];
    int pass = 0;
    do {
        memcpy(g, f, sizeof g);
        for (int i = 0; i < NV; i++)
            d[i] = (kg_wide){0};
        add_late_servos(drive, dt, at->q, served, g, d);
        end_acceleration(dt, at, v, g, served, d, a);
    } while (wide_servos_change(drive, dt, at->q, served, a, pass++));
}

/* Semi-implicit Euler; at: the place of q. */
static void euler_wide(double dt, const wide_place *at, const kg_wide *tau, wide_drive *drive, kg_wide *q, kg_wide *v)
{
    kg_wide f[NV], a[NV];
    forces_wide(drive, at->p, q, v, tau, f);
#if HAS_SPIN
    spin_wide(dt, at->p, v, f);
#endif
    if (drive->s->servos) {
        begin_wide_servos(drive, dt, q, v);
        served_acceleration(dt, at, v, f, v, drive, a);
    } else {
        free_acceleration(dt, at, v, f, v, a);
    }
#if HAS_SPIN
    centre_wide(dt, at->p, v, a);
#endif
    advance_wide(dt, a, q, v);
}

/* At a stage of the method below; tau null: no force acts, and gravity neither. */
static void stage_wide(const wide_place *at, const kg_wide *v, const kg_wide *tau, wide_drive *drive, kg_wide *a)
{
    kg_wide f[NV];
#if HAS_TURNS
    if (!tau)
        gravity_at(at, f);
    else
#endif
    {
        forces_wide(drive, at->p, at->q, v, tau, f);
        add_wide_servos(drive, at->q, v, f);
    }
    forward_dynamics_at(at, v, f, a);
}

/* Runge-Kutta 4, of a step of its own in each lane, in lanes that are gentle its first two stages only, the midpoint
 * rule; begin: the place of q; a: acceleration there, overwritten. */
static void runge_kutta_wide(kg_wide dt, kg_wide_mask gentle, const wide_place *begin, const kg_wide *tau,
    wide_drive *drive, kg_wide *q, kg_wide *v, kg_wide *a)
{
    kg_wide k[NV], k_sum[NV], a_sum[NV], u[NV], moved[NQ], speed[NV], k_middle[NV], a_middle[NV];
    wide_place at;
    for (int i = 0; i < NV; i++) {
        k[i] = v[i];
        k_sum[i] = v[i];
        a_sum[i] = a[i];
    }
    for (int n = 1; n < 4; n++) {
        const double weight = n < 3 ? 2.0 : 1.0;
        const kg_wide step = (n < 3 ? 0.5 : 1.0) * dt;
        for (int i = 0; i < NV; i++) {
            u[i] = step * k[i];
            speed[i] = v[i] + step * a[i];
        }
        move_wide(q, u, moved);
        find_wide_place(begin->p, moved, &at);
        stage_wide(&at, speed, tau, drive, a);
        rate_wide(u, speed, k);
        for (int i = 0; i < NV; i++) {
            k_sum[i] += weight * k[i];
            a_sum[i] += weight * a[i];
        }
        if (n > 1)
            continue;
        memcpy(k_middle, k, sizeof k);
        memcpy(a_middle, a, sizeof a_middle);
        if (!any_lane(~gentle))
            break;
    }
    for (int i = 0; i < NV; i++) {
        k[i] = kg_wide_select(gentle, dt * k_middle[i], dt / 6.0 * k_sum[i]);
        v[i] = kg_wide_select(gentle, v[i] + dt * a_middle[i], v[i] + dt / 6.0 * a_sum[i]);
    }
    move_wide(q, k, q);
}

#if HAS_TURNS
#include "wide_coast.h"
#endif

/* Step number `step` of the lanes that are going, in place. */
static void step_wide(
    kg_wide_mask going, const kg_wide *p, const kg_wide *tau, long step, wide_drive *drive, kg_wide *q, kg_wide *v)
{
    const lane_simulations *s = drive->s;
    wide_place at;
    (void)going;
    take_wide_drive(step, drive);
    find_wide_place(p, q, &at);
    if (s->integrator == RK4) {
        kg_wide a[NV];
        stage_wide(&at, v, tau, drive, a);
        runge_kutta_wide(kg_splat(s->dt), (kg_wide_mask){0}, &at, tau, drive, q, v, a);
        return;
    }
#if HAS_TURNS
    const kg_wide_mask brisk = going & (kg_wide_mask)(s->dt * turn_wide(p, 0, v) > BRISK);
    if (any_lane(brisk)) {
        kg_wide q_brisk[NQ], v_brisk[NV];
        memcpy(q_brisk, q, sizeof q_brisk);
        memcpy(v_brisk, v, sizeof v_brisk);
        kick_and_coast_wide(s->dt, brisk, &at, tau, drive, q_brisk, v_brisk);
        free_wide_servos(drive);
        if (any_lane(going & ~brisk))
            euler_wide(s->dt, &at, tau, drive, q, v);
        for (int i = 0; i < NQ; i++)
            q[i] = kg_wide_select(brisk, q_brisk[i], q[i]);
        for (int i = 0; i < NV; i++)
            v[i] = kg_wide_select(brisk, v_brisk[i], v[i]);
        return;
    }
#endif
    euler_wide(s->dt, &at, tau, drive, q, v);
}

#endif
