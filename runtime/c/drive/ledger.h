/* The ledger: work [J] that each source does on each velocity, summed along a step with the weights of its integrator,
 * where somebody asks for it. All of it together is the energy that the mechanism gains: by Runge-Kutta to the order of
 * the stages, by semi-implicit Euler, whose forces act through a step on the mean of the velocities before and after,
 * to first order. */

#ifndef KINEGEN_DRIVE_LEDGER_H
#define KINEGEN_DRIVE_LEDGER_H

/* sums += dt f v of every velocity. */
static void enter_work(double dt, const double *f, const double *v, double *sums)
{
    for (int i = 0; i < NV; i++)
        sums[i] += dt * f[i] * v[i];
}

static void enter_all(double dt, double f[SOURCES][NV], const double *v, double *sums)
{
    for (int k = 0; k < SOURCES; k++)
        enter_work(dt, f[k], v, sums + k * NV);
}

/* Forces (nv) at q, v of torques, springs, dampers with friction, and wrenches; the others are 0. */
static void sort_forces(const simulation *s, const double *q, const double *v, const double *tau, double f[SOURCES][NV])
{
    const double none[NV + CUT_V + 1] = {0.0};
    memset(f, 0, SOURCES * sizeof *f);
    own_forces(s, q, v, tau, f[BY_TORQUES]);
    own_forces(s, q, v, none, f[BY_DAMPERS]);
    own_forces(s, q, none, none, f[BY_SPRINGS]);
    if (s->external)
        add_wrenches(s, q, f[BY_WRENCHES]);
    for (int i = 0; i < NV; i++) {
        f[BY_TORQUES][i] -= f[BY_DAMPERS][i];
        f[BY_DAMPERS][i] -= f[BY_SPRINGS][i];
    }
}

static void begin_ledger(const simulation *s)
{
    if (s->ledger)
        memset(s->ledger->step, 0, sizeof s->ledger->step);
}

static void begin_stages(const simulation *s)
{
    if (s->ledger)
        memset(s->ledger->stages, 0, sizeof s->ledger->stages);
}

/* A stage at q, v, which has acceleration a under torques tau, with the forces of rows `held`, lasts for `weight`
 * [s]. */
KG_COLD static void enter_stage(const simulation *s, double weight, const double *q, const double *v, const double *tau,
    const double *held, const double *a)
{
    double f[SOURCES][NV], whole[NV];
    sort_forces(s, q, v, tau, f);
    add_servos(s, q, v, f[BY_SERVOS]);
    if (held != tau) {
        own_forces(s, q, v, tau, f[BY_ROWS]);
        own_forces(s, q, v, held, whole);
        for (int i = 0; i < NV; i++)
            f[BY_ROWS][i] = whole[i] - f[BY_ROWS][i];
    }
    if (s->driving) {
        driving *d = s->driving;
        double *told = d->out;
        d->out = whole;
        stage_torques(s, q, v, held, a);
        d->out = told;
        for (long k = 0; k < d->count; k++)
            f[BY_MOTIONS][d->dof[k]] = whole[k];
    }
    enter_all(weight, f, v, s->ledger->stages);
}

/* The stages are those of the step. */
static void accept_stages(const simulation *s)
{
    for (int i = 0; s->ledger && i < SOURCES * NV; i++)
        s->ledger->step[i] += s->ledger->stages[i];
}

/* A step of semi-implicit Euler from q, v under torques tau and the forces `rows` (null: none), by which v changes by
 * dt a: dampers and servos act as they are at its end. After note_servos and step_torques. */
KG_COLD static void enter_step(const simulation *s, double dt, const double *q, const double *v, const double *tau,
    const double *rows, const double *a)
{
    double f[SOURCES][NV], mean[NV];
    sort_forces(s, q, v, tau, f);
    late_damping(s, dt, q, v, a, f[BY_DAMPERS]);
    add_served(s, q, f[BY_SERVOS]);
    for (long k = 0; s->driving && k < s->driving->count; k++)
        f[BY_MOTIONS][s->driving->dof[k]] = s->driving->out[k];
    if (rows)
        memcpy(f[BY_ROWS], rows, sizeof f[BY_ROWS]);
    for (int i = 0; i < NV; i++)
        mean[i] = v[i] + dt * a[i];
    MODEL(turning)(dt, v, mean);
    for (int i = 0; i < NV; i++)
        mean[i] = 0.5 * (v[i] + mean[i]);
    enter_all(dt, f, mean, s->ledger->step);
}

#if HAS_ROWS
/* The forces of the rows over dt change v by x. */
KG_COLD static void enter_impulse(const simulation *s, double dt, const double *v, const double *x)
{
    double g[NV] = {0.0}, mean[NV];
    MODEL(contact_pull_back)(g, 0, s->workspace);
    for (int i = 0; i < NV; i++)
        mean[i] = v[i] + 0.5 * x[i];
    enter_work(dt, g, mean, s->ledger->step + BY_ROWS * NV);
}

/* Rows move q by `way`, which is no velocity: against gravity. */
KG_COLD static void enter_way(const simulation *s, const double *q, const double *way)
{
    const double *p = s->p;
    double g[NV];
    KERNEL(gravity, q, g);
    enter_work(1.0, g, way, s->ledger->step + BY_ROWS * NV);
}
#endif

/* The step is made. */
static void enter_total(const simulation *s)
{
    for (int i = 0; s->ledger && i < SOURCES * NV; i++)
        s->ledger->total[i] += s->ledger->step[i];
}

#endif
