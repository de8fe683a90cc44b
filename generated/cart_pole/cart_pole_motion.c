/* cart_pole: motion of the coordinates q (nq = 2) at velocities v (nv = 2), forces of springs, dampers and
 * dry friction in the joints, and the time step. SI units, radians, quaternions [x y z w]. */

#include <math.h>
#include "cart_pole.h"

enum { NQ = 2, NV = 2 };

/* ---- Coordinates ------------------------------------------------------------------------------------------------ */

/* q_out = q moved by v_dt for unit time; q_out may be q. */
void cart_pole_integrate(const double *q, const double *v_dt, double *q_out)
{
    /* rail (prismatic) */
    q_out[0] = q[0] + v_dt[0];
    /* pivot (continuous) */
    q_out[1] = q[1] + v_dt[1];
}

/* v_dt = the shortest motion that takes q0 to q1 in unit time: integrate(q0, v_dt) = q1. */
void cart_pole_difference(const double *q0, const double *q1, double *v_dt)
{
    /* rail (prismatic) */
    v_dt[0] = q1[0] - q0[0];
    /* pivot (continuous) */
    v_dt[1] = q1[1] - q0[1];
}

/* ---- Checks ----------------------------------------------------------------------------------------------------- */

/* Index of the first of n numbers that is not finite, -1 if there is none. */
long cart_pole_first_non_finite(long n, const double *x)
{
    for (long i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return i;
    return -1;
}

/* Among n states q: index (in q) of the first quaternion or cosine-sine pair whose norm is off 1 by more than
 * tolerance, -1 if there is none. */
long cart_pole_first_off_unit(long n, double tolerance, const double *q)
{
    (void)n, (void)tolerance, (void)q;
    return -1;
}

/* 1 if all numbers of q (nq), v (nv), x (nv) are finite and the rotations in q have unit norm within tolerance,
 * else 0; null for v or x: not there. */
long cart_pole_admissible(double tolerance, const double *q, const double *v, const double *x)
{
    return cart_pole_first_non_finite(NQ, q) < 0 && cart_pole_first_off_unit(1, tolerance, q) < 0
        && (!v || cart_pole_first_non_finite(NV, v) < 0) && (!x || cart_pole_first_non_finite(NV, x) < 0);
}

/* ---- Springs, dampers, dry friction ----------------------------------------------------------------------------- */

/* f = - damping v - stiffness difference(rest, q) - friction v/sqrt(v^2 + 0.001^2); the last term is dry friction,
 * smooth around rest: it reaches its full value a little above 0.001 rad/s or m/s. */
void cart_pole_passive_forces(const double *q, const double *v, double *f)
{
    (void)q;
    for (int i = 0; i < NV; i++)
        f[i] = 0.0;
    /* rail (prismatic) */
    f[0] -= 0.2*v[0]/sqrt(v[0]*v[0] + 1e-06);
}

/* ---- Time steps ------------------------------------------------------------------------------------------------- */

/* Acceleration under joint torques tau, springs, dampers and friction. */
static void acceleration(const double *q, const double *v, const double *tau, double *a)
{
    double f[NV];
    cart_pole_passive_forces(q, v, f);
    for (int i = 0; i < NV; i++)
        f[i] += tau[i];
    cart_pole_forward_dynamics(q, v, f, a);
}

/* ---- Joint limits: v' >= what keeps the coordinate from passing its bound in the step, force >= 0 [P (6)-(8)] ------ */

enum { LIMITS = 1 };

static const int limit_q[] = {0};
static const int limit_v[] = {0};
static const double limit_low[] = {-2.0};
static const double limit_high[] = {2.0};

#define RECOVERY 0.2       /* part of what a coordinate is beyond its bound that a step takes back */
#define RECOVERY_SPEED 1.0 /* rad/s or m/s at which it does so at most */
#define SWEEPS 120

/* Least speed away from the bound (side 1: low, -1: high) that a step of dt may end with. */
static double least_speed(int k, double side, double dt, const double *q)
{
    const double x = q[limit_q[k]];
    const double gap = side > 0.0 ? x - limit_low[k] : limit_high[k] - x;
    return gap >= 0.0 ? -gap/dt : fmin(-RECOVERY*gap/dt, RECOVERY_SPEED);
}

/* Forces g (nv) at the limits and the accelerations c (nv) that they add, so that no speed of u + dt c passes a bound;
 * forces f act besides.
 * Response to a unit force at each bound that is met [P 2.2], then projected Gauss-Seidel on these rows alone; rows
 * are added while others come to their bounds. Returns how many bounds are met. */
static int hold_limits(double dt, const double *q, const double *v, const double *f, const double *d, const double *u, double *g, double *c)
{
    double Y[2*LIMITS*NV], force[NV], answer[NV], start[NV], side[2*LIMITS], least[2*LIMITS], load[2*LIMITS];
    int at[2*LIMITS], met[2*LIMITS] = {0}, rows = 0, last = -1;
    for (int j = 0; j < NV; j++)
        g[j] = c[j] = 0.0;
    while (rows != last) {
        last = rows;
        for (int i = 0; i < 2*LIMITS; i++) {
            const int k = i/2;
            const double s = i % 2 ? -1.0 : 1.0, bound = least_speed(k, s, dt, q);
            if (met[i] || !(s*(u[limit_v[k]] + dt*c[limit_v[k]]) < bound - 1e-12))
                continue;
            for (int j = 0; rows == 0 && j < NV; j++)
                force[j] = f[j];
            if (rows == 0) {
                cart_pole_forward_dynamics_damped(q, v, force, d, answer);
                for (int j = 0; j < NV; j++)
                    start[j] = answer[j];
            }
            for (int j = 0; j < NV; j++)
                force[j] = f[j] + (j == limit_v[k] ? s : 0.0);
            cart_pole_forward_dynamics_damped(q, v, force, d, answer);
            for (int j = 0; j < NV; j++)
                Y[rows*NV + j] = answer[j] - start[j];
            met[i] = 1;
            at[rows] = k;
            side[rows] = s;
            least[rows] = bound;
            load[rows++] = 0.0;
        }
        double change = 1.0;
        for (int sweep = 0; sweep < SWEEPS && rows && change > 1e-12; sweep++) {
            change = 0.0;
            for (int i = 0; i < rows; i++) {
                const double own = side[i]*(Y + i*NV)[limit_v[at[i]]]*dt;
                if (!(own > 1e-12*dt))
                    continue;
                const double wanted = load[i] - (side[i]*(u[limit_v[at[i]]] + dt*c[limit_v[at[i]]]) - least[i])/own;
                const double step = fmax(wanted, 0.0) - load[i];
                load[i] += step;
                change = fmax(change, fabs(own*step));
                for (int j = 0; j < NV; j++)
                    c[j] += step*Y[i*NV + j];
            }
        }
    }
    for (int i = 0; i < rows; i++)
        g[limit_v[at[i]]] += side[i]*load[i];
    return rows;
}

/* As above, from the acceleration a without limits. */
static void limit_forces(double dt, const double *q, const double *v, const double *tau, const double *a, double *g,
    double *c)
{
    double u[NV], f[NV], d[NV] = {0.0};
    cart_pole_passive_forces(q, v, f);
    for (int i = 0; i < NV; i++) {
        f[i] += tau[i];
        u[i] = v[i] + dt*a[i];
    }
    /* rail (prismatic) */
    d[0] += dt*0.2/sqrt(v[0]*v[0] + 1e-06);
    hold_limits(dt, q, v, f, d, u, g, c);
}

/* Semi-implicit Euler: v' = v + dt a, q' = q moved by dt v'. Where an origin moves with turning axes (free and planar
 * joints), the velocity that is advanced is the one along resting axes: a body that flies free flies straight.
 * Dampers and friction act at v': with D = damping + friction/sqrt(v^2 + 0.001^2), (M + dt D) a = tau + f(q, v) - bias,
 * so that they take energy at any dt. Springs act at q: their energy neither grows nor decays.
 */
static void semi_implicit_step(double dt, int hold, double *q, double *v, const double *tau)
{
    double a[NV], f[NV], d[NV] = {0.0};
    cart_pole_passive_forces(q, v, f);
    for (int i = 0; i < NV; i++)
        f[i] += tau[i];
    /* rail (prismatic) */
    d[0] += dt*0.2/sqrt(v[0]*v[0] + 1e-06);
    cart_pole_forward_dynamics_damped(q, v, f, d, a);
    if (hold) {
        double g[NV], c[NV];
        limit_forces(dt, q, v, tau, a, g, c);
        for (int i = 0; i < NV; i++)
            a[i] += c[i];
    }
    /* rail (prismatic) */
    v[0] += dt*a[0];
    q[0] += dt*v[0];
    /* pivot (continuous) */
    v[1] += dt*a[1];
    q[1] += dt*v[1];
}

/* Stage of the method below, at q0 moved by u = step k and velocity v = v0 + step a: the rate k_out of u and the
 * acceleration a_out. k_out may be k, a_out may be a. */
static void stage(double step, const double *q0, const double *v0, const double *tau,
    const double *k, const double *a, double *k_out, double *a_out)
{
    double u[NV], v[NV], q[NQ];
    for (int i = 0; i < NV; i++) {
        u[i] = step*k[i];
        v[i] = v0[i] + step*a[i];
    }
    cart_pole_integrate(q0, u, q);
    acceleration(q, v, tau, a_out);
    for (int i = 0; i < NV; i++)
        k_out[i] = v[i];
}

/* Classical Runge-Kutta of order 4 in the coordinates of the motion from q (Munthe-Kaas, BIT 38, 1998). */
static void rk4_step(double dt, double *q, double *v, const double *tau)
{
    double k[NV], a[NV], k_sum[NV], a_sum[NV];
    acceleration(q, v, tau, a);
    for (int i = 0; i < NV; i++) {
        k[i] = v[i];
        k_sum[i] = v[i];
        a_sum[i] = a[i];
    }
    for (int s = 1; s < 4; s++) {
        const double weight = s < 3 ? 2.0 : 1.0;
        stage(s < 3 ? 0.5*dt : dt, q, v, tau, k, a, k, a);
        for (int i = 0; i < NV; i++) {
            k_sum[i] += weight*k[i];
            a_sum[i] += weight*a[i];
        }
    }
    for (int i = 0; i < NV; i++) {
        k[i] = dt/6.0*k_sum[i];
        v[i] += dt/6.0*a_sum[i];
    }
    cart_pole_integrate(q, k, q);
}

/* n steps of dt from q, v, in place; integrator 0 = semi-implicit Euler, 1 = Runge-Kutta 4; + 2: joints stop at their
 * limits. Step i is driven by
 * tau + i*tau_stride. With every > 0 each every-th state goes to the dense arrays q_log, v_log. Returns the steps done:
 * fewer than n if a state was not finite; q, v then hold the last finite one. */
long cart_pole_simulate(long integrator, long n, double dt, double *q, double *v, const double *tau,
    long tau_stride, long every, double *q_log, double *v_log)
{
    const int hold = integrator >= 2;
    integrator %= 2;
    for (long done = 0; done < n; done++) {
        double q_new[NQ], v_new[NV];
        for (int i = 0; i < NQ; i++)
            q_new[i] = q[i];
        for (int i = 0; i < NV; i++)
            v_new[i] = v[i];
        const double *torque = tau + done*tau_stride;
        double held[NV];
        if (hold && integrator == 1) { /* impacts before the step, forces at the limits through it */
            const double none[NV] = {0.0};
            double a[NV], c[NV];
            hold_limits(dt, q, v, torque, none, v, held, c);
            for (int i = 0; i < NV; i++)
                v_new[i] += dt*c[i];
            acceleration(q, v_new, torque, a);
            limit_forces(dt, q, v_new, torque, a, held, c);
            for (int i = 0; i < NV; i++)
                held[i] += torque[i];
            torque = held;
        }
        if (integrator == 0)
            semi_implicit_step(dt, hold, q_new, v_new, torque);
        else
            rk4_step(dt, q_new, v_new, torque);
        if (cart_pole_first_non_finite(NQ, q_new) >= 0 || cart_pole_first_non_finite(NV, v_new) >= 0)
            return done;
        for (int i = 0; i < NQ; i++)
            q[i] = q_new[i];
        for (int i = 0; i < NV; i++)
            v[i] = v_new[i];
        if (every > 0 && (done + 1) % every == 0) {
            for (int i = 0; i < NQ; i++)
                *q_log++ = q[i];
            for (int i = 0; i < NV; i++)
                *v_log++ = v[i];
        }
    }
    return n;
}

/* ---- Batches: stride = distance in doubles between two states, 0 repeats one state; outputs are dense ----------- */

void cart_pole_integrate_batch(long n, const double *q, long q_stride, const double *v_dt, long v_dt_stride,
    double *q_out)
{
    for (long i = 0; i < n; i++)
        cart_pole_integrate(q + i*q_stride, v_dt + i*v_dt_stride, q_out + i*2);
}

void cart_pole_difference_batch(long n, const double *q0, long q0_stride, const double *q1, long q1_stride,
    double *v_dt)
{
    for (long i = 0; i < n; i++)
        cart_pole_difference(q0 + i*q0_stride, q1 + i*q1_stride, v_dt + i*2);
}

void cart_pole_passive_forces_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *f)
{
    for (long i = 0; i < n; i++)
        cart_pole_passive_forces(q + i*q_stride, v + i*v_stride, f + i*2);
}
