/* spherical_pendulum: motion of the coordinates q (nq = 4) at velocities v (nv = 3), forces of springs, dampers and
 * dry friction in the joints, and the time step. SI units, radians, quaternions [x y z w]. */

#include <math.h>
#include "spherical_pendulum.h"
#include "kinegen/joints/groups.h"

enum { NQ = 4, NV = 3 };

/* ---- Coordinates ------------------------------------------------------------------------------------------------ */

/* q_out = q moved by v_dt for unit time; q_out may be q. */
void spherical_pendulum_integrate(const double *q, const double *v_dt, double *q_out)
{
    /* pivot (spherical) */
    kg_so3_integrate(q + 0, v_dt + 0, q_out + 0);
}

/* v_dt = the shortest motion that takes q0 to q1 in unit time: integrate(q0, v_dt) = q1. */
void spherical_pendulum_difference(const double *q0, const double *q1, double *v_dt)
{
    /* pivot (spherical) */
    kg_so3_difference(q0 + 0, q1 + 0, v_dt + 0);
}

/* ---- Checks ----------------------------------------------------------------------------------------------------- */

/* Index of the first of n numbers that is not finite, -1 if there is none. */
long spherical_pendulum_first_non_finite(long n, const double *x)
{
    for (long i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return i;
    return -1;
}

/* Among n states q: index (in q) of the first quaternion or cosine-sine pair whose norm is off 1 by more than
 * tolerance, -1 if there is none. */
long spherical_pendulum_first_off_unit(long n, double tolerance, const double *q)
{
    const double low = (1.0 - tolerance)*(1.0 - tolerance), high = (1.0 + tolerance)*(1.0 + tolerance);
    for (long i = 0; i < n; i++, q += NQ) {
        double s;
        s = q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3]; /* pivot (spherical) */
        if (!(s >= low && s <= high))
            return i*NQ + 0;
    }
    return -1;
}

/* 1 if all numbers of q (nq), v (nv), x (nv) are finite and the rotations in q have unit norm within tolerance,
 * else 0; null for v or x: not there. */
long spherical_pendulum_admissible(double tolerance, const double *q, const double *v, const double *x)
{
    return spherical_pendulum_first_non_finite(NQ, q) < 0 && spherical_pendulum_first_off_unit(1, tolerance, q) < 0
        && (!v || spherical_pendulum_first_non_finite(NV, v) < 0) && (!x || spherical_pendulum_first_non_finite(NV, x) < 0);
}

/* ---- Springs, dampers, dry friction ----------------------------------------------------------------------------- */

/* f = - damping v - stiffness difference(rest, q) - friction v/sqrt(v^2 + 0.001^2); the last term is dry friction,
 * smooth around rest: it reaches its full value a little above 0.001 rad/s or m/s. */
void spherical_pendulum_passive_forces(const double *q, const double *v, double *f)
{
    (void)q, (void)v;
    for (int i = 0; i < NV; i++)
        f[i] = 0.0;
}

/* ---- Time steps ------------------------------------------------------------------------------------------------- */

/* Acceleration under joint torques tau. */
static void acceleration(const double *q, const double *v, const double *tau, double *a)
{
    spherical_pendulum_forward_dynamics(q, v, tau, a);
}

/* Semi-implicit Euler: v' = v + dt a, q' = q moved by dt v'. Where an origin moves with turning axes (free and planar
 * joints), the velocity that is advanced is the one along resting axes: a body that flies free flies straight.
 */
static void semi_implicit_step(double dt, double *q, double *v, const double *tau)
{
    double a[NV];
    acceleration(q, v, tau, a);
    /* pivot (spherical) */
    kg_so3_advance(dt, a + 0, q + 0, v + 0);
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
    spherical_pendulum_integrate(q0, u, q);
    acceleration(q, v, tau, a_out);
    for (int i = 0; i < NV; i++)
        k_out[i] = v[i];
    kg_so3_rate(u + 0, v + 0, k_out + 0);
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
    spherical_pendulum_integrate(q, k, q);
}

/* n steps of dt from q, v, in place; integrator 0 = semi-implicit Euler, 1 = Runge-Kutta 4. Step i is driven by
 * tau + i*tau_stride. With every > 0 each every-th state goes to the dense arrays q_log, v_log. Returns the steps done:
 * fewer than n if a state was not finite; q, v then hold the last finite one. */
long spherical_pendulum_simulate(long integrator, long n, double dt, double *q, double *v, const double *tau,
    long tau_stride, long every, double *q_log, double *v_log)
{
    for (long done = 0; done < n; done++) {
        double q_new[NQ], v_new[NV];
        for (int i = 0; i < NQ; i++)
            q_new[i] = q[i];
        for (int i = 0; i < NV; i++)
            v_new[i] = v[i];
        const double *torque = tau + done*tau_stride;
        if (integrator == 0)
            semi_implicit_step(dt, q_new, v_new, torque);
        else
            rk4_step(dt, q_new, v_new, torque);
        if (spherical_pendulum_first_non_finite(NQ, q_new) >= 0 || spherical_pendulum_first_non_finite(NV, v_new) >= 0)
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

void spherical_pendulum_integrate_batch(long n, const double *q, long q_stride, const double *v_dt, long v_dt_stride,
    double *q_out)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_integrate(q + i*q_stride, v_dt + i*v_dt_stride, q_out + i*4);
}

void spherical_pendulum_difference_batch(long n, const double *q0, long q0_stride, const double *q1, long q1_stride,
    double *v_dt)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_difference(q0 + i*q0_stride, q1 + i*q1_stride, v_dt + i*3);
}

void spherical_pendulum_passive_forces_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *f)
{
    for (long i = 0; i < n; i++)
        spherical_pendulum_passive_forces(q + i*q_stride, v + i*v_stride, f + i*3);
}
