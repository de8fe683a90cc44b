/* floating_arm: motion of the coordinates q (nq = 10) at velocities v (nv = 9), forces of springs, dampers and
 * dry friction in the joints. SI units, radians, quaternions [x y z w]. */

#include <math.h>
#include "floating_arm.h"
#include "kinegen/linear/extremes.h"
#include "kinegen/joints/groups.h"

enum { NQ = 10, NV = 9 };

/* ---- Coordinates ------------------------------------------------------------------------------------------------ */

/* q_out = q moved by v_dt for unit time; q_out may be q. */
void floating_arm_integrate(const double *q, const double *v_dt, double *q_out)
{
    /* float (free) */
    kg_se3_integrate(q + 0, v_dt + 0, q_out + 0);
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
    kg_se3_difference(q0 + 0, q1 + 0, v_dt + 0);
    /* shoulder (universal) */
    v_dt[6] = q1[7] - q0[7];
    v_dt[7] = q1[8] - q0[8];
    /* slide (prismatic) */
    v_dt[8] = q1[9] - q0[9];
}

/* x (nv) of joints whose coordinates do not add: place of q1 along the child's axes at q0, and the turn to it. */
void floating_arm_offset(const double *q0, const double *q1, double *x)
{
    (void)q0, (void)q1, (void)x;
    /* float (free) */
    kg_se3_offset(q0 + 0, q1 + 0, x + 0);
}

/* ---- Checks ----------------------------------------------------------------------------------------------------- */

/* Index of the first of n numbers that is not finite, -1 if there is none. */
long floating_arm_first_non_finite(long n, const double *x)
{
    return kg_first_non_finite(n, x);
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

/* ---- Kernels called with a look at their arguments and results --------------------------------------------------- */

/* kernel(q, v, x) -> out, whose first n numbers are looked at. 0: all is well; 1: it was not called, since a number is
 * larger than `large` or a rotation in q has not unit norm within tolerance; 2: a result is not finite. */
long floating_arm_call_q(double tolerance, double large, void (*kernel)(const double *, double *), const double *q,
    long n, double *out)
{
    if (!kg_all_within(NQ, large, q) || floating_arm_first_off_unit(1, tolerance, q) >= 0)
        return 1;
    kernel(q, out);
    return floating_arm_first_non_finite(n, out) < 0 ? 0 : 2;
}

long floating_arm_call_q_v(double tolerance, double large, void (*kernel)(const double *, const double *, double *),
    const double *q, const double *v, long n, double *out)
{
    if (!kg_all_within(NQ, large, q) || floating_arm_first_off_unit(1, tolerance, q) >= 0 || !kg_all_within(NV, large,
        v))
        return 1;
    kernel(q, v, out);
    return floating_arm_first_non_finite(n, out) < 0 ? 0 : 2;
}

long floating_arm_call_q_v_x(double tolerance, double large, void (*kernel)(const double *, const double *,
    const double *, double *), const double *q, const double *v, const double *x, long n, double *out)
{
    if (!kg_all_within(NQ, large, q) || floating_arm_first_off_unit(1, tolerance, q) >= 0 || !kg_all_within(NV, large,
        v) || !kg_all_within(NV, large, x))
        return 1;
    kernel(q, v, x, out);
    return floating_arm_first_non_finite(n, out) < 0 ? 0 : 2;
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

/* ---- Pieces of the time step ------------------------------------------------------------------------------------- */

/* A step of dt at acceleration a, in place: v += dt a, q moved by dt v; free and planar joints advance the velocity
 * along resting axes. */
void floating_arm_advance(double dt, const double *a, double *q, double *v)
{
    (void)dt, (void)a, (void)q, (void)v;
    /* float (free) */
    kg_se3_advance(dt, a + 0, q + 0, v + 0);
    /* shoulder (universal) */
    v[6] += dt*a[6];
    q[7] += dt*v[6];
    v[7] += dt*a[7];
    q[8] += dt*v[7];
    /* slide (prismatic) */
    v[8] += dt*a[8];
    q[9] += dt*v[8];
}

/* q moved by u, which is no velocity, in place: v stays what it was along axes that rest. */
void floating_arm_displace(const double *u, double *q, double *v)
{
    (void)u, (void)q, (void)v;
    /* float (free) */
    kg_se3_displace(u + 0, q + 0, v + 0);
    /* shoulder (universal) */
    q[7] += u[6];
    q[8] += u[7];
    /* slide (prismatic) */
    q[9] += u[8];
}

/* k_out = rate of the displacement u at velocity v. */
void floating_arm_rate(const double *u, const double *v, double *k_out)
{
    (void)u;
    for (int i = 0; i < NV; i++)
        k_out[i] = v[i];
    /* float (free) */
    kg_se3_rate(u + 0, v + 0, k_out + 0);
}

/* u += dt times what the turning of its axes adds to the velocity v along them, in u along resting ones. */
void floating_arm_turning(double dt, const double *v, double *u)
{
    (void)dt, (void)v, (void)u;
    /* float (free) */
    u[0] += dt*(v[4]*v[2] - v[5]*v[1]);
    u[1] += dt*(v[5]*v[0] - v[3]*v[2]);
    u[2] += dt*(v[3]*v[1] - v[4]*v[0]);
}

/* The largest sum of angular speeds of joints [rad/s] along a path from world: no link turns faster. alone 1: also of
 * links that fly by themselves. */
double floating_arm_turn(int alone, const double *v)
{
    double most = 0.0;
    (void)alone;
    const double w0 = fabs(v[3]) + fabs(v[4]) + fabs(v[5]);
    const double w1 = w0 + fabs(v[6]) + fabs(v[7]);
    if (w1 > most)
        most = w1;
    return most;
}

/* f += held, which acts from q0 on along axes that rest, in a configuration q on the way. */
void floating_arm_held_forces(const double *q0, const double *q, const double *held, double *f)
{
    (void)q0, (void)q;
    for (int i = 0; i < NV; i++)
        f[i] += held[i];
    /* float (free) */
    kg_so3_rest(q0 + 3, q + 3, held + 0, f + 0);
    kg_so3_rest(q0 + 3, q + 3, held + 3, f + 3);
}

/* Springs: stiffness k and by what their rests are off q, x (nv each), of groups place and turn; f = k x. */
void floating_arm_springs(const double *q, double *k, double *x)
{
    (void)q;
    /* slide (prismatic) */
    k[8] = 10.0;
    x[8] = 0.0 - q[9];
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
