/* SE(2): q = [x y cos sin], v = [vx vy w] in the child frame. */

#ifndef KG_JOINTS_SE2_H
#define KG_JOINTS_SE2_H

#include "angle.h"

/* q_out = q exp(v): translation [sin w/w, -(1 - cos w)/w; (1 - cos w)/w, sin w/w] v_lin; q_out may be q. */
static inline void kg_se2_integrate(const double *q, const double *v, double *q_out)
{
    double s, c;
    kg_half_angle(v[2] * v[2], &s, &c);
    const double along = 2.0 * s * c, across = 2.0 * s * s * v[2];
    const double cw = c * c - s * s * v[2] * v[2], sw = along * v[2];
    const double dx = along * v[0] - across * v[1], dy = across * v[0] + along * v[1];
    const double x = q[0] + q[2] * dx - q[3] * dy, y = q[1] + q[3] * dx + q[2] * dy;
    const double co = q[2] * cw - q[3] * sw, si = q[3] * cw + q[2] * sw;
    const double scale = 1.0 / sqrt(co * co + si * si);
    q_out[0] = x;
    q_out[1] = y;
    q_out[2] = scale * co;
    q_out[3] = scale * si;
}

/* x = place of q1 along the axes of q0, and turn from q0 to it, |x_w| <= pi. */
static inline void kg_se2_offset(const double *q0, const double *q1, double *x)
{
    const double gx = q1[0] - q0[0], gy = q1[1] - q0[1];
    x[0] = q0[2] * gx + q0[3] * gy;
    x[1] = q0[2] * gy - q0[3] * gx;
    x[2] = atan2(q0[2] * q1[3] - q0[3] * q1[2], q0[2] * q1[2] + q0[3] * q1[3]);
}

/* v = log(q0^-1 q1), |w| <= pi. */
static inline void kg_se2_difference(const double *q0, const double *q1, double *v)
{
    double x[3];
    kg_se2_offset(q0, q1, x);
    const double w = x[2], along = 1.0 - w * w * kg_log_factor(w * w);
    v[0] = along * x[0] + 0.5 * w * x[1];
    v[1] = along * x[1] - 0.5 * w * x[0];
    v[2] = w;
}

/* A step of dt at acceleration a, in place: the origin has the velocity R v_lin, the acceleration
 * R (a_lin + w J v_lin), J a quarter turn. */
static inline void kg_se2_advance(double dt, const double *a, double *q, double *v)
{
    const double bx = v[0] + dt * (a[0] - v[2] * v[1]), by = v[1] + dt * (a[1] + v[2] * v[0]);
    const double dx = q[2] * bx - q[3] * by, dy = q[3] * bx + q[2] * by;
    double turned[3] = {0.0, 0.0, 0.0};
    v[2] += dt * a[2];
    turned[2] = dt * v[2];
    kg_se2_integrate(q, turned, q);
    q[0] += dt * dx;
    q[1] += dt * dy;
    v[0] = q[2] * dx + q[3] * dy;
    v[1] = q[2] * dy - q[3] * dx;
}

/* q moved by u, which is no velocity: the body goes on as it did along axes that rest. */
static inline void kg_se2_displace(const double *u, double *q, double *v)
{
    if (u[0] == 0.0 && u[1] == 0.0 && u[2] == 0.0)
        return;
    const double dx = q[2] * v[0] - q[3] * v[1], dy = q[3] * v[0] + q[2] * v[1];
    kg_se2_integrate(q, u, q);
    v[0] = q[2] * dx + q[3] * dy;
    v[1] = q[2] * dy - q[3] * dx;
}

/* k = v + 1/2 [u, v] + 1/12 [u, [u, v]], [u, v] = (u_w J v - v_w J u, 0). */
static inline void kg_se2_rate(const double *u, const double *v, double *k)
{
    const double x = v[2] * u[1] - u[2] * v[1], y = u[2] * v[0] - v[2] * u[0];
    k[0] = v[0] + 0.5 * x - (1.0 / 12.0) * u[2] * y;
    k[1] = v[1] + 0.5 * y + (1.0 / 12.0) * u[2] * x;
    k[2] = v[2];
}

/* f += R(q)' R(q0) d - d: d in the child's axes at q0, along axes that rest. */
static inline void kg_se2_rest(const double *q0, const double *q, const double *d, double *f)
{
    const double c = q0[2] * q[2] + q0[3] * q[3] - 1.0, s = q0[3] * q[2] - q0[2] * q[3];
    f[0] += c * d[0] - s * d[1];
    f[1] += s * d[0] + c * d[1];
}

#endif
