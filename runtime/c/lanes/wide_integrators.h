/* A time step in each lane of vectors: in each lane what the integrators of step/ compute where no row acts. */

#ifndef KINEGEN_LANES_WIDE_INTEGRATORS_H
#define KINEGEN_LANES_WIDE_INTEGRATORS_H

#include "servos.h"

/* q_out = q + u. */
APART void move_wide(const kg_wide *q, const kg_wide *u, kg_wide *q_out)
{
    for (int i = 0; i < NV; i++)
        q_out[i] = q[i] + u[i];
}

/* Torques, springs, dampers. */
static void forces_wide(const kg_wide *p, const kg_wide *q, const kg_wide *v, const kg_wide *tau, kg_wide *f)
{
#if HAS_PASSIVE
    passive_wide(p, q, v, f);
    for (int i = 0; i < NV; i++)
        f[i] += tau[i];
#else
    (void)p, (void)q, (void)v;
    memcpy(f, tau, NV * sizeof *f);
#endif
}

/* At velocity v under forces f; dampers at the end of a step of dt, from the velocity damped, with what else is on the
 * diagonal d. */
static void end_acceleration(double dt, const kg_wide *p, const kg_wide *q, const kg_wide *v, const kg_wide *f,
    const kg_wide *damped, kg_wide *d, kg_wide *a)
{
#if HAS_DAMPING
    damping_wide(dt, p, damped, d);
#else
    (void)dt, (void)damped;
#endif
    WIDE(forward_dynamics_damped, q, v, f, d, a);
}

/* The same without servos. */
static void free_acceleration(double dt, const kg_wide *p, const kg_wide *q, const kg_wide *v, const kg_wide *f,
    const kg_wide *damped, kg_wide *a)
{
#if HAS_DAMPING
    kg_wide d[NV];
    for (int i = 0; i < NV; i++)
        d[i] = (kg_wide){0};
    end_acceleration(dt, p, q, v, f, damped, d, a);
#else
    (void)dt, (void)damped;
    WIDE(forward_dynamics, q, v, f, a);
#endif
}

/* Acceleration of a step with servos, found again while they go to their limits or come off them. */
static void served_acceleration(
    double dt, const kg_wide *p, const kg_wide *q, const kg_wide *v, const kg_wide *f, wide_servos *servos, kg_wide *a)
{
    kg_wide g[NV], d[NV];
    int pass = 0;
    do {
        memcpy(g, f, sizeof g);
        for (int i = 0; i < NV; i++)
            d[i] = (kg_wide){0};
        add_late_servos(servos, dt, q, v, g, d);
        end_acceleration(dt, p, q, v, g, v, d, a);
    } while (wide_servos_change(servos, dt, q, v, a, pass++));
}

/* Semi-implicit Euler. */
static void euler_wide(double dt, const kg_wide *p, const kg_wide *tau, wide_servos *servos, kg_wide *q, kg_wide *v)
{
    kg_wide f[NV], a[NV];
    forces_wide(p, q, v, tau, f);
    if (servos->s->servos)
        served_acceleration(dt, p, q, v, f, servos, a);
    else
        free_acceleration(dt, p, q, v, f, v, a);
    for (int i = 0; i < NV; i++) {
        v[i] += dt * a[i];
        q[i] += dt * v[i];
    }
}

/* At a stage of the method below; tau null: no force acts, and gravity neither. */
static void stage_wide(
    const kg_wide *p, const kg_wide *q, const kg_wide *v, const kg_wide *tau, const wide_servos *servos, kg_wide *a)
{
    kg_wide f[NV];
#if HAS_TURNS
    if (!tau)
        WIDE(gravity, q, f);
    else
#endif
    {
        forces_wide(p, q, v, tau, f);
        add_wide_servos(servos, q, v, f);
    }
    WIDE(forward_dynamics, q, v, f, a);
}

/* Runge-Kutta 4. */
static void runge_kutta_wide(
    double dt, const kg_wide *p, const kg_wide *tau, const wide_servos *servos, kg_wide *q, kg_wide *v)
{
    kg_wide k[NV], a[NV], k_sum[NV], a_sum[NV], u[NV], at[NV], speed[NV];
    stage_wide(p, q, v, tau, servos, a);
    for (int i = 0; i < NV; i++) {
        k[i] = v[i];
        k_sum[i] = v[i];
        a_sum[i] = a[i];
    }
    for (int n = 1; n < 4; n++) {
        const double weight = n < 3 ? 2.0 : 1.0, step = n < 3 ? 0.5 * dt : dt;
        for (int i = 0; i < NV; i++) {
            u[i] = step * k[i];
            speed[i] = v[i] + step * a[i];
        }
        move_wide(q, u, at);
        stage_wide(p, at, speed, tau, servos, a);
        for (int i = 0; i < NV; i++) {
            k[i] = speed[i];
            k_sum[i] += weight * k[i];
            a_sum[i] += weight * a[i];
        }
    }
    for (int i = 0; i < NV; i++) {
        k[i] = dt / 6.0 * k_sum[i];
        v[i] += dt / 6.0 * a_sum[i];
    }
    move_wide(q, k, q);
}

#if HAS_TURNS
/* Kinetic energy of every group. */
static void energies_wide(const kg_wide *p, const kg_wide *q, const kg_wide *v, kg_wide *energy)
{
    kg_wide still[NV], g[NV], h[NV];
    for (int i = 0; i < NV; i++)
        still[i] = (kg_wide){0};
    WIDE(gravity, q, g);
    WIDE(inverse_dynamics, q, still, v, h);
    for (int i = 0; i < GROUPS; i++)
        energy[i] = (kg_wide){0};
    for (int i = 0; i < NV; i++)
        h[i] -= g[i];
    for (int i = 0; i < NV; i++)
        energy[group_of[i]] += v[i] * h[i];
    for (int i = 0; i < GROUPS; i++)
        energy[i] *= 0.5;
}

/* Semi-implicit Euler where links turn fast: see step/integrators.h and step/coast.h, of which this is what is left
 * where nothing floats, no servo acts and a coast has one part. Gives the lanes in which it has. */
static kg_wide_mask kick_and_coast_wide(double dt, const kg_wide *p, const kg_wide *tau, kg_wide *q, kg_wide *v)
{
    const kg_wide none = {0};
    kg_wide f[NV], a[NV], still[NV], wanted[GROUPS], found[GROUPS], part[GROUPS];
    for (int i = 0; i < NV; i++)
        still[i] = none;
    forces_wide(p, q, v, tau, f);
    free_acceleration(dt, p, q, still, f, v, a);
    for (int i = 0; i < NV; i++)
        v[i] += dt * a[i] + none;
    energies_wide(p, q, v, wanted);
    const kg_wide_mask served = (kg_wide_mask)(dt * turn_wide(p, v) / PART <= 1.0);
    runge_kutta_wide(dt, p, 0, 0, q, v);
    energies_wide(p, q, v, found);
    for (int i = 0; i < GROUPS; i++) {
        const kg_wide left = kg_wide_max(none, wanted[i]);
        const kg_wide_mask lost = (kg_wide_mask)(found[i] < left - UNSURE * wanted[i]);
        const kg_wide_mask moves = (kg_wide_mask)(found[i] > 0.0);
        part[i] = kg_wide_select(moves & ~lost, kg_wide_sqrt(left / found[i]), kg_splat(1.0));
    }
    for (int i = 0; i < NV; i++)
        v[i] *= part[group_of[i]];
    return served;
}
#endif

/* Step number `step` in place; gives the lanes that it is right in. */
static kg_wide_mask step_wide(
    const lane_simulations *s, const kg_wide *p, const kg_wide *tau, long step, kg_wide *q, kg_wide *v)
{
    const kg_wide_mask all = ~(kg_wide_mask){0};
    wide_servos servos;
    take_wide_servos(s, step, &servos);
    if (s->integrator == 1) {
        runge_kutta_wide(s->dt, p, tau, &servos, q, v);
        return all;
    }
#if HAS_TURNS
    const kg_wide_mask brisk = (kg_wide_mask)(s->dt * turn_wide(p, v) > BRISK);
    if (any_lane(brisk) && !s->servos) {
        kg_wide q_brisk[NV], v_brisk[NV];
        memcpy(q_brisk, q, sizeof q_brisk);
        memcpy(v_brisk, v, sizeof v_brisk);
        const kg_wide_mask served = kick_and_coast_wide(s->dt, p, tau, q_brisk, v_brisk);
        if (any_lane(~brisk))
            euler_wide(s->dt, p, tau, &servos, q, v);
        for (int i = 0; i < NV; i++) {
            q[i] = kg_wide_select(brisk, q_brisk[i], q[i]);
            v[i] = kg_wide_select(brisk, v_brisk[i], v[i]);
        }
        return served | ~brisk;
    }
    euler_wide(s->dt, p, tau, &servos, q, v);
    return ~brisk;
#else
    euler_wide(s->dt, p, tau, &servos, q, v);
    return all;
#endif
}

#endif
