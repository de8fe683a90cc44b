/* The classical Runge-Kutta method of order 4, stage by stage, on what a provider of the dynamics gives at each. */

#ifndef KINEGEN_STEP_RUNGE_KUTTA_H
#define KINEGEN_STEP_RUNGE_KUTTA_H

/* Acceleration at the beginning of a step where its rows were solved; quality: of the straight-line code that found it,
 * 0 if none did, -1 if that is not known. */
typedef struct {
    double a[NV], quality;
} first_stage;

/* f (nv, then cut joints) = tau + held at q, on the way from q0. */
static void add_held(const double *q0, const double *q, const double *tau, const double *held, double *f)
{
    for (int i = 0; i < NV + CUT_V; i++)
        f[i] = tau[i] + (i < NV ? 0.0 : held[i]);
    MODEL(held_forces)(q0, q, held, f);
}

/* Stage of the method below, at q0 moved by u = step k and velocity v = v0 + step a: the rate k_out of u and the
 * acceleration a_out. k_out may be k, a_out may be a. weight [s]: of the stage in the step. */
static void stage(const simulation *s, stage_record *seen, double step, double weight, const double *q0,
    const double *v0, const double *tau, const double *held, const double *k, const double *a, double *k_out,
    double *a_out)
{
    const double *p = s->p, *forces = tau;
    double u[NV], v[NV], q[NQ], f[NV + CUT_V + 1];
    for (int i = 0; i < NV; i++) {
        u[i] = step * k[i];
        v[i] = v0[i] + step * a[i];
    }
    KERNEL(integrate, q0, u, q);
    if (s->driving)
        impose(s, s->driving->since + step, q, v);
    if (held) {
        add_held(q0, q, tau, held, f);
        forces = f;
    }
    stage_acceleration(s, seen, q, v, forces, a_out);
    if (s->ledger && tau)
        enter_stage(s, weight, q, v, tau, forces, a_out);
    MODEL(rate)(u, v, k_out);
}

/* Classical Runge-Kutta of order 4 in the coordinates of the motion from q (Munthe-Kaas, BIT 38, 1998); held (null:
 * none): forces that last through the step along resting axes; first (null: to be found): acceleration at q, v. */
static void runge_kutta_stages(const simulation *s, stage_record *seen, double dt, double *q, double *v,
    const double *tau, const double *held, const double *first)
{
    const double *p = s->p;
    double k[NV], a[NV], k_sum[NV], a_sum[NV], f[NV + CUT_V + 1];
    const double *forces = tau;
    begin_stages(s);
    if (s->driving)
        impose(s, s->driving->since, q, v);
    if (held && (!first || s->ledger)) {
        add_held(q, q, tau, held, f);
        forces = f;
    }
    if (first)
        memcpy(a, first, sizeof a);
    else
        stage_acceleration(s, seen, q, v, forces, a);
    if (s->driving && tau && !(s->driving->since > 0.0))
        stage_torques(s, q, v, forces, a);
    if (s->ledger && tau)
        enter_stage(s, dt / 6.0, q, v, tau, forces, a);
    for (int i = 0; i < NV; i++) {
        k[i] = v[i];
        k_sum[i] = v[i];
        a_sum[i] = a[i];
    }
    for (int n = 1; n < 4; n++) {
        const double weight = n < 3 ? 2.0 : 1.0;
        stage(s, seen, n < 3 ? 0.5 * dt : dt, dt / 6.0 * weight, q, v, tau, held, k, a, k, a);
        for (int i = 0; i < NV; i++) {
            k_sum[i] += weight * k[i];
            a_sum[i] += weight * a[i];
        }
    }
    for (int i = 0; i < NV; i++) {
        k[i] = dt / 6.0 * k_sum[i];
        v[i] += dt / 6.0 * a_sum[i];
    }
    KERNEL(integrate, q, k, q);
}

#if !HAS_LOOPS
#if HAS_TURNS
/* The motion that no force acts on, by the midpoint rule: the first two stages. */
static void midpoint(const simulation *s, double dt, double *q, double *v)
{
    const double *p = s->p;
    double k[NV], a[NV];
    stage_acceleration(s, 0, q, v, 0, a);
    stage(s, 0, 0.5 * dt, dt, q, v, 0, 0, v, a, k, a);
    for (int i = 0; i < NV; i++) {
        k[i] *= dt;
        v[i] += dt * a[i];
    }
    KERNEL(integrate, q, k, q);
}
#endif

/* One step from q, v in place; held and first as above. */
static void runge_kutta(const simulation *s, double dt, double *q, double *v, const double *tau, const double *held,
    const first_stage *first)
{
    runge_kutta_stages(s, 0, dt, q, v, tau, held, first ? first->a : 0);
    accept_stages(s);
}
#endif

#endif
