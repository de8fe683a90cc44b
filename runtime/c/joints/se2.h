/* SE(2): q = [x y cos sin], v = [vx vy w] in the child frame. */

#ifndef KG_JOINTS_SE2_H
#define KG_JOINTS_SE2_H

#include "angle.h"

/* q_out = q turned by w, s and c of kg_half_angle, divided by its norm; q, q_out: [cos sin]; q_out may be q. */
static inline void kg_se2_turn(const kg_entry *q, kg_entry w, kg_entry s, kg_entry c, kg_entry *q_out)
{
    const kg_entry cw = c * c - s * s * w * w, sw = 2 * s * c * w;
    const kg_entry co = q[0] * cw - q[1] * sw, si = q[1] * cw + q[0] * sw;
    const kg_entry scale = 1 / KG_ENTRY(sqrt)(co * co + si * si);
    q_out[0] = scale * co;
    q_out[1] = scale * si;
}

/* q_out = q exp(v): translation [sin w/w, -(1 - cos w)/w; (1 - cos w)/w, sin w/w] v_lin; q_out may be q. */
static inline void kg_se2_integrate(const kg_entry *q, const kg_entry *v, kg_entry *q_out)
{
    kg_entry s, c;
    kg_half_angle(v[2] * v[2], &s, &c);
    const kg_entry along = 2 * s * c, across = 2 * s * s * v[2];
    const kg_entry dx = along * v[0] - across * v[1], dy = across * v[0] + along * v[1];
    q_out[0] = q[0] + q[2] * dx - q[3] * dy;
    q_out[1] = q[1] + q[3] * dx + q[2] * dy;
    kg_se2_turn(q + 2, v[2], s, c, q_out + 2);
}

/* x = place of q1 along the axes of q0, and turn from q0 to it, |x_w| <= pi. */
static inline void kg_se2_offset(const kg_entry *q0, const kg_entry *q1, kg_entry *x)
{
    const kg_entry gx = q1[0] - q0[0], gy = q1[1] - q0[1];
    x[0] = q0[2] * gx + q0[3] * gy;
    x[1] = q0[2] * gy - q0[3] * gx;
    x[2] = KG_ENTRY(atan2)(q0[2] * q1[3] - q0[3] * q1[2], q0[2] * q1[2] + q0[3] * q1[3]);
}

/* v = log(q0^-1 q1), |w| <= pi. */
static inline void kg_se2_difference(const kg_entry *q0, const kg_entry *q1, kg_entry *v)
{
    kg_entry x[3];
    kg_se2_offset(q0, q1, x);
    const kg_entry w = x[2], along = 1 - w * w * kg_log_factor(w * w);
    v[0] = along * x[0] + KG_REAL(0.5) * w * x[1];
    v[1] = along * x[1] - KG_REAL(0.5) * w * x[0];
    v[2] = w;
}

/* A step of dt at acceleration a, in place: the origin has the velocity R v_lin, the acceleration
 * R (a_lin + w J v_lin), J a quarter turn. */
static inline void kg_se2_advance(kg_real dt, const kg_entry *a, kg_entry *q, kg_entry *v)
{
    const kg_entry bx = v[0] + dt * (a[0] - v[2] * v[1]), by = v[1] + dt * (a[1] + v[2] * v[0]);
    const kg_entry dx = q[2] * bx - q[3] * by, dy = q[3] * bx + q[2] * by;
    kg_entry s, c;
    v[2] += dt * a[2];
    const kg_entry w = dt * v[2];
    kg_half_angle(w * w, &s, &c);
    kg_se2_turn(q + 2, w, s, c, q + 2);
    q[0] += dt * dx;
    q[1] += dt * dy;
    v[0] = q[2] * dx + q[3] * dy;
    v[1] = q[2] * dy - q[3] * dx;
}

/* k = v + 1/2 [u, v] + 1/12 [u, [u, v]], [u, v] = (u_w J v - v_w J u, 0). */
static inline void kg_se2_rate(const kg_entry *u, const kg_entry *v, kg_entry *k)
{
    const kg_entry x = v[2] * u[1] - u[2] * v[1], y = u[2] * v[0] - v[2] * u[0];
    k[0] = v[0] + KG_REAL(0.5) * x - KG_REAL(1.0 / 12.0) * u[2] * y;
    k[1] = v[1] + KG_REAL(0.5) * y + KG_REAL(1.0 / 12.0) * u[2] * x;
    k[2] = v[2];
}

/* f += R(q)' R(q0) d - d: d in the child's axes at q0, along axes that rest. */
static inline void kg_se2_rest(const kg_entry *q0, const kg_entry *q, const kg_entry *d, kg_entry *f)
{
    const kg_entry c = q0[2] * q[2] + q0[3] * q[3] - 1, s = q0[3] * q[2] - q0[2] * q[3];
    f[0] += c * d[0] - s * d[1];
    f[1] += s * d[0] + c * d[1];
}

#endif
