/* four_bar: motion of the coordinates q (nq = 3) at velocities v (nv = 3), forces of springs, dampers and
 * dry friction in the joints. SI units, radians, quaternions [x y z w]. */

#include <math.h>
#include "four_bar.h"
#include "kinegen/linear/extremes.h"

enum { NQ = 3, NV = 3 };

/* ---- Coordinates ------------------------------------------------------------------------------------------------ */

/* q_out = q moved by v_dt for unit time; q_out may be q. */
void four_bar_integrate(const double *q, const double *v_dt, double *q_out)
{
    /* motor (revolute) */
    q_out[0] = q[0] + v_dt[0];
    /* wrist (revolute) */
    q_out[1] = q[1] + v_dt[1];
    /* knee (revolute) */
    q_out[2] = q[2] + v_dt[2];
}

/* v_dt = the shortest motion that takes q0 to q1 in unit time: integrate(q0, v_dt) = q1. */
void four_bar_difference(const double *q0, const double *q1, double *v_dt)
{
    /* motor (revolute) */
    v_dt[0] = q1[0] - q0[0];
    /* wrist (revolute) */
    v_dt[1] = q1[1] - q0[1];
    /* knee (revolute) */
    v_dt[2] = q1[2] - q0[2];
}

/* x (nv) of joints whose coordinates do not add: place of q1 along the child's axes at q0, and the turn to it. */
void four_bar_offset(const double *q0, const double *q1, double *x)
{
    (void)q0, (void)q1, (void)x;
}

/* The same of the cut joints: x (cut dofs) of their coordinates q0 and q1. */
void four_bar_cut_offset(const double *q0, const double *q1, double *x)
{
    (void)q0, (void)q1, (void)x;
}

/* ---- Checks ----------------------------------------------------------------------------------------------------- */

/* Index of the first of n numbers that is not finite, -1 if there is none. */
long four_bar_first_non_finite(long n, const double *x)
{
    return kg_first_non_finite(n, x);
}

/* Among n states q: index (in q) of the first quaternion or cosine-sine pair whose norm is off 1 by more than
 * tolerance, -1 if there is none. */
long four_bar_first_off_unit(long n, double tolerance, const double *q)
{
    (void)n, (void)tolerance, (void)q;
    return -1;
}

/* ---- Kernels called with a look at their arguments and results --------------------------------------------------- */

/* kernel(q, v, x) -> out, whose first n numbers are looked at. 0: all is well; 1: it was not called, since a number is
 * larger than `large` or a rotation in q has not unit norm within tolerance; 2: a result is not finite. */
long four_bar_call_q(double tolerance, double large, void (*kernel)(const double *, double *), const double *q,
    long n, double *out)
{
    if (!kg_all_within(NQ, large, q) || four_bar_first_off_unit(1, tolerance, q) >= 0)
        return 1;
    kernel(q, out);
    return four_bar_first_non_finite(n, out) < 0 ? 0 : 2;
}

long four_bar_call_q_v(double tolerance, double large, void (*kernel)(const double *, const double *, double *),
    const double *q, const double *v, long n, double *out)
{
    if (!kg_all_within(NQ, large, q) || four_bar_first_off_unit(1, tolerance, q) >= 0 || !kg_all_within(NV, large, v))
        return 1;
    kernel(q, v, out);
    return four_bar_first_non_finite(n, out) < 0 ? 0 : 2;
}

long four_bar_call_q_v_x(double tolerance, double large, void (*kernel)(const double *, const double *,
    const double *, double *), const double *q, const double *v, const double *x, long n, double *out)
{
    if (!kg_all_within(NQ, large, q) || four_bar_first_off_unit(1, tolerance, q) >= 0 || !kg_all_within(NV, large,
        v) || !kg_all_within(NV, large, x))
        return 1;
    kernel(q, v, x, out);
    return four_bar_first_non_finite(n, out) < 0 ? 0 : 2;
}

/* ---- Springs, dampers, dry friction ----------------------------------------------------------------------------- */

/* f = - damping v - stiffness difference(rest, q) - friction v/sqrt(v^2 + 0.001^2); the last term is dry friction,
 * smooth around rest: it reaches its full value a little above 0.001 rad/s or m/s. */
void four_bar_passive_forces_open(const double *q, const double *v, double *f)
{
    (void)q, (void)v;
    for (int i = 0; i < NV; i++)
        f[i] = 0.0;
}

/* ---- Pieces of the time step ------------------------------------------------------------------------------------- */

/* A step of dt at acceleration a, in place: v += dt a, q moved by dt v; free and planar joints advance the velocity
 * along resting axes. */
void four_bar_advance(double dt, const double *a, double *q, double *v)
{
    (void)dt, (void)a, (void)q, (void)v;
    /* motor (revolute) */
    v[0] += dt*a[0];
    q[0] += dt*v[0];
    /* wrist (revolute) */
    v[1] += dt*a[1];
    q[1] += dt*v[1];
    /* knee (revolute) */
    v[2] += dt*a[2];
    q[2] += dt*v[2];
}

/* q moved by u, which is no velocity, in place: v stays what it was along axes that rest. */
void four_bar_displace(const double *u, double *q, double *v)
{
    (void)u, (void)q, (void)v;
    /* motor (revolute) */
    q[0] += u[0];
    /* wrist (revolute) */
    q[1] += u[1];
    /* knee (revolute) */
    q[2] += u[2];
}

/* k_out = rate of the displacement u at velocity v. */
void four_bar_rate(const double *u, const double *v, double *k_out)
{
    (void)u;
    for (int i = 0; i < NV; i++)
        k_out[i] = v[i];
}

/* u += dt times what the turning of its axes adds to the velocity v along them, in u along resting ones. */
void four_bar_turning(double dt, const double *v, double *u)
{
    (void)dt, (void)v, (void)u;
}

/* The largest sum of angular speeds of joints [rad/s] along a path from world: no link turns faster. alone 1: also of
 * links that fly by themselves. */
double four_bar_turn(int alone, const double *v)
{
    double most = 0.0;
    (void)alone;
    const double w0 = fabs(v[0]);
    const double w1 = w0 + fabs(v[1]);
    const double w2 = w1 + fabs(v[2]);
    if (w2 > most)
        most = w2;
    return most;
}

/* f += held, which acts from q0 on along axes that rest, in a configuration q on the way. */
void four_bar_held_forces(const double *q0, const double *q, const double *held, double *f)
{
    (void)q0, (void)q;
    for (int i = 0; i < NV; i++)
        f[i] += held[i];
}

/* ---- Batches: stride = distance in doubles between two states, 0 repeats one state; outputs are dense ----------- */

void four_bar_integrate_batch(long n, const double *q, long q_stride, const double *v_dt, long v_dt_stride,
    double *q_out)
{
    for (long i = 0; i < n; i++)
        four_bar_integrate(q + i*q_stride, v_dt + i*v_dt_stride, q_out + i*3);
}

void four_bar_difference_batch(long n, const double *q0, long q0_stride, const double *q1, long q1_stride,
    double *v_dt)
{
    for (long i = 0; i < n; i++)
        four_bar_difference(q0 + i*q0_stride, q1 + i*q1_stride, v_dt + i*3);
}

void four_bar_passive_forces_open_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *f)
{
    for (long i = 0; i < n; i++)
        four_bar_passive_forces_open(q + i*q_stride, v + i*v_stride, f + i*3);
}
