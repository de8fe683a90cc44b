/* floating_arm: motion of the coordinates q (nq = 10) at velocities v (nv = 9), forces of springs, dampers and
 * dry friction in the joints, and the time step. SI units, radians, quaternions [x y z w]. */

#include <math.h>
#include "floating_arm.h"

enum { NQ = 10, NV = 9 };

/* ---- Rotation vectors: w, t = |w| ---------------------------------------------------------------------------- */

/* s = sin(t/2)/t and c = cos(t/2) from t^2; a series below one radian, exact to rounding and without a pole at 0. */
static void half_angle(double t2, double *s, double *c)
{
    if (t2 < 1.0) {
        const double x = 0.25*t2;
        *s = 0.5*(1.0 - x*(1.0/6.0)*(1.0 - x*(1.0/20.0)*(1.0 - x*(1.0/42.0)*(1.0 - x*(1.0/72.0)
             *(1.0 - x*(1.0/110.0)*(1.0 - x*(1.0/156.0)))))));
        *c = 1.0 - x*(1.0/2.0)*(1.0 - x*(1.0/12.0)*(1.0 - x*(1.0/30.0)*(1.0 - x*(1.0/56.0)
             *(1.0 - x*(1.0/90.0)*(1.0 - x*(1.0/132.0)*(1.0 - x*(1.0/182.0)))))));
    } else {
        const double t = sqrt(t2);
        *s = sin(0.5*t)/t;
        *c = cos(0.5*t);
    }
}

/* (1 - (t/2) cot(t/2))/t^2, the second factor of a logarithm's translation; 1/12 at 0. */
static double log_factor(double t2)
{
    if (t2 < 0.01)
        return 1.0/12.0 + t2*(1.0/720.0 + t2*(1.0/30240.0 + t2*(1.0/1209600.0 + t2*(1.0/47900160.0))));
    const double h = 0.5*sqrt(t2);
    return (1.0 - h*cos(h)/sin(h))/t2;
}

static void cross(const double *a, const double *b, double *c)
{
    c[0] = a[1]*b[2] - a[2]*b[1];
    c[1] = a[2]*b[0] - a[0]*b[2];
    c[2] = a[0]*b[1] - a[1]*b[0];
}
/* ---- SO(3): q = [x y z w], v in the child frame ----------------------------------------------------------------- */

/* q_out = q * (s w, c), divided by its norm; q_out may be q. */
static void rotate(const double *q, const double *w, double s, double c, double *q_out)
{
    const double ex = s*w[0], ey = s*w[1], ez = s*w[2];
    const double x = q[3]*ex + q[0]*c + q[1]*ez - q[2]*ey;
    const double y = q[3]*ey + q[1]*c + q[2]*ex - q[0]*ez;
    const double z = q[3]*ez + q[2]*c + q[0]*ey - q[1]*ex;
    const double r = q[3]*c - q[0]*ex - q[1]*ey - q[2]*ez;
    const double scale = 1.0/sqrt(x*x + y*y + z*z + r*r);
    q_out[0] = scale*x;
    q_out[1] = scale*y;
    q_out[2] = scale*z;
    q_out[3] = scale*r;
}
/* w = log(q0^-1 q1), |w| <= pi; 2 atan2(|e|, r)/|e| is accurate up to pi, its series serves where |e| vanishes. */
static void so3_difference(const double *q0, const double *q1, double *w)
{
    double x = q0[3]*q1[0] - q0[0]*q1[3] - q0[1]*q1[2] + q0[2]*q1[1];
    double y = q0[3]*q1[1] - q0[1]*q1[3] - q0[2]*q1[0] + q0[0]*q1[2];
    double z = q0[3]*q1[2] - q0[2]*q1[3] - q0[0]*q1[1] + q0[1]*q1[0];
    double r = q0[3]*q1[3] + q0[0]*q1[0] + q0[1]*q1[1] + q0[2]*q1[2];
    if (r < 0.0) {
        x = -x;
        y = -y;
        z = -z;
        r = -r;
    }
    const double e2 = x*x + y*y + z*z;
    const double e = sqrt(e2);
    const double scale = e2 < 1e-8*r*r ? 2.0/r*(1.0 - e2/(3.0*r*r)) : 2.0*atan2(e, r)/e;
    w[0] = scale*x;
    w[1] = scale*y;
    w[2] = scale*z;
}

/* ---- SE(3): q = [x y z | qx qy qz qw], v = [linear | angular] in the child frame ------------------------------- */

/* d_out = R(q) d, or its inverse for sign -1. */
static void turn(const double *q, double sign, const double *d, double *d_out)
{
    double x[3], y[3];
    cross(q, d, x);
    cross(q, x, y);
    for (int i = 0; i < 3; i++)
        d_out[i] = d[i] + 2.0*(sign*q[3]*x[i] + y[i]);
}

/* q_out = q exp(v): translation V v_lin, V = 1 + (1 - cos t)/t^2 [w] + (t - sin t)/t^3 [w]^2; q_out may be q. */
static void se3_integrate(const double *q, const double *v, double *q_out)
{
    const double *w = v + 3;
    const double t2 = w[0]*w[0] + w[1]*w[1] + w[2]*w[2];
    double s, c, x[3], y[3], d[3];
    half_angle(t2, &s, &c);
    const double first = 2.0*s*s;
    const double second = t2 < 1.0
        ? (1.0/6.0)*(1.0 - t2*(1.0/20.0)*(1.0 - t2*(1.0/42.0)*(1.0 - t2*(1.0/72.0)*(1.0 - t2*(1.0/110.0)
          *(1.0 - t2*(1.0/156.0)*(1.0 - t2*(1.0/210.0)*(1.0 - t2*(1.0/272.0))))))))
        : (1.0 - 2.0*s*c)/t2;
    cross(w, v, x);
    cross(w, x, y);
    for (int i = 0; i < 3; i++)
        d[i] = v[i] + first*x[i] + second*y[i];
    turn(q + 3, 1.0, d, d);
    for (int i = 0; i < 3; i++)
        q_out[i] = q[i] + d[i];
    /* of the two quaternions of the new attitude, the one next to q */
    if (c < 0.0) {
        s = -s;
        c = -c;
    }
    rotate(q + 3, w, s, c, q_out + 3);
}
/* v = log(q0^-1 q1): the translation loses the V of se3_integrate, V^-1 = 1 - 1/2 [w] + log_factor [w]^2. */
static void se3_difference(const double *q0, const double *q1, double *v)
{
    double w[3], x[3], y[3], d[3] = {q1[0] - q0[0], q1[1] - q0[1], q1[2] - q0[2]};
    so3_difference(q0 + 3, q1 + 3, w);
    turn(q0 + 3, -1.0, d, d);
    cross(w, d, x);
    cross(w, x, y);
    const double second = log_factor(w[0]*w[0] + w[1]*w[1] + w[2]*w[2]);
    for (int i = 0; i < 3; i++) {
        v[i] = d[i] - 0.5*x[i] + second*y[i];
        v[i + 3] = w[i];
    }
}

/* A step of dt at acceleration a, in place: the origin has the velocity R v_lin, the acceleration R (a_lin + w x v_lin). */
static void se3_advance(double dt, const double *a, double *q, double *v)
{
    double x[3], d[3], s, c;
    cross(v + 3, v, x);
    for (int i = 0; i < 3; i++) {
        v[i] += dt*(a[i] + x[i]);
        v[i + 3] += dt*a[i + 3];
    }
    turn(q + 3, 1.0, v, d);
    for (int i = 0; i < 3; i++) {
        q[i] += dt*d[i];
        x[i] = dt*v[i + 3];
    }
    half_angle(x[0]*x[0] + x[1]*x[1] + x[2]*x[2], &s, &c);
    rotate(q + 3, x, s, c, q + 3);
    turn(q + 3, -1.0, d, v);
}

/* c = [a, b], the bracket of two twists. */
static void se3_bracket(const double *a, const double *b, double *c)
{
    double x[3], y[3];
    cross(a + 3, b, x);
    cross(a, b + 3, y);
    for (int i = 0; i < 3; i++)
        c[i] = x[i] + y[i];
    cross(a + 3, b + 3, c + 3);
}

/* k = v + 1/2 [u, v] + 1/12 [u, [u, v]]: the rate of u in q exp(u) at velocity v, up to u^4. */
static void se3_rate(const double *u, const double *v, double *k)
{
    double x[6], y[6];
    se3_bracket(u, v, x);
    se3_bracket(u, x, y);
    for (int i = 0; i < 6; i++)
        k[i] = v[i] + 0.5*x[i] + (1.0/12.0)*y[i];
}

/* ---- Coordinates ------------------------------------------------------------------------------------------------ */

/* q_out = q moved by v_dt for unit time; q_out may be q. */
void floating_arm_integrate(const double *q, const double *v_dt, double *q_out)
{
    /* float (free) */
    se3_integrate(q + 0, v_dt + 0, q_out + 0);
    /* shoulder (universal) */
    q_out[7] = q[7] + v_dt[6];
    q_out[8] = q[8] + v_dt[7];
    /* slide (prismatic) */
    q_out[9] = q[9] + v_dt[8];
}

/* v_dt = the shortest motion that takes q0 to q1 in unit time: integrate(q0, v_dt) = q1. */
void floating_arm_difference(const double *q0, const double *q1, double *v_dt)
{
    /* float (free) */
    se3_difference(q0 + 0, q1 + 0, v_dt + 0);
    /* shoulder (universal) */
    v_dt[6] = q1[7] - q0[7];
    v_dt[7] = q1[8] - q0[8];
    /* slide (prismatic) */
    v_dt[8] = q1[9] - q0[9];
}

/* ---- Checks ----------------------------------------------------------------------------------------------------- */

/* Index of the first of n numbers that is not finite, -1 if there is none. */
long floating_arm_first_non_finite(long n, const double *x)
{
    for (long i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return i;
    return -1;
}

/* Among n states q: index (in q) of the first quaternion or cosine-sine pair whose norm is off 1 by more than
 * tolerance, -1 if there is none. */
long floating_arm_first_off_unit(long n, double tolerance, const double *q)
{
    const double low = (1.0 - tolerance)*(1.0 - tolerance), high = (1.0 + tolerance)*(1.0 + tolerance);
    for (long i = 0; i < n; i++, q += NQ) {
        double s;
        s = q[3]*q[3] + q[4]*q[4] + q[5]*q[5] + q[6]*q[6]; /* float (free) */
        if (!(s >= low && s <= high))
            return i*NQ + 3;
    }
    return -1;
}

/* 1 if all numbers of q (nq), v (nv), x (nv) are finite and the rotations in q have unit norm within tolerance,
 * else 0; null for v or x: not there. */
long floating_arm_admissible(double tolerance, const double *q, const double *v, const double *x)
{
    return floating_arm_first_non_finite(NQ, q) < 0 && floating_arm_first_off_unit(1, tolerance, q) < 0
        && (!v || floating_arm_first_non_finite(NV, v) < 0) && (!x || floating_arm_first_non_finite(NV, x) < 0);
}

/* ---- Springs, dampers, dry friction ----------------------------------------------------------------------------- */

/* f = - damping v - stiffness difference(rest, q) - friction v/sqrt(v^2 + 0.001^2); the last term is dry friction,
 * smooth around rest: it reaches its full value a little above 0.001 rad/s or m/s. */
void floating_arm_passive_forces(const double *q, const double *v, double *f)
{
    (void)v;
    for (int i = 0; i < NV; i++)
        f[i] = 0.0;
    /* slide (prismatic) */
    f[8] -= 10.0*q[9];
}

/* ---- Time steps ------------------------------------------------------------------------------------------------- */

/* Acceleration under joint torques tau, springs, dampers and friction. */
static void acceleration(const double *q, const double *v, const double *tau, double *a)
{
    double f[NV];
    floating_arm_passive_forces(q, v, f);
    for (int i = 0; i < NV; i++)
        f[i] += tau[i];
    floating_arm_forward_dynamics(q, v, f, a);
}

/* Semi-implicit Euler: v' = v + dt a, q' = q moved by dt v'. Where an origin moves with turning axes (free and planar
 * joints), the velocity that is advanced is the one along resting axes: a body that flies free flies straight.
 */
static void semi_implicit_step(double dt, double *q, double *v, const double *tau)
{
    double a[NV];
    acceleration(q, v, tau, a);
    /* float (free) */
    se3_advance(dt, a + 0, q + 0, v + 0);
    /* shoulder (universal) */
    v[6] += dt*a[6];
    q[7] += dt*v[6];
    v[7] += dt*a[7];
    q[8] += dt*v[7];
    /* slide (prismatic) */
    v[8] += dt*a[8];
    q[9] += dt*v[8];
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
    floating_arm_integrate(q0, u, q);
    acceleration(q, v, tau, a_out);
    for (int i = 0; i < NV; i++)
        k_out[i] = v[i];
    se3_rate(u + 0, v + 0, k_out + 0);
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
    floating_arm_integrate(q, k, q);
}

/* n steps of dt from q, v, in place; integrator 0 = semi-implicit Euler, 1 = Runge-Kutta 4. Step i is driven by
 * tau + i*tau_stride. With every > 0 each every-th state goes to the dense arrays q_log, v_log. Returns the steps done:
 * fewer than n if a state was not finite; q, v then hold the last finite one. */
long floating_arm_simulate(long integrator, long n, double dt, double *q, double *v, const double *tau,
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
        if (floating_arm_first_non_finite(NQ, q_new) >= 0 || floating_arm_first_non_finite(NV, v_new) >= 0)
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

void floating_arm_integrate_batch(long n, const double *q, long q_stride, const double *v_dt, long v_dt_stride,
    double *q_out)
{
    for (long i = 0; i < n; i++)
        floating_arm_integrate(q + i*q_stride, v_dt + i*v_dt_stride, q_out + i*10);
}

void floating_arm_difference_batch(long n, const double *q0, long q0_stride, const double *q1, long q1_stride,
    double *v_dt)
{
    for (long i = 0; i < n; i++)
        floating_arm_difference(q0 + i*q0_stride, q1 + i*q1_stride, v_dt + i*9);
}

void floating_arm_passive_forces_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *f)
{
    for (long i = 0; i < n; i++)
        floating_arm_passive_forces(q + i*q_stride, v + i*v_stride, f + i*9);
}
