/* SE(3): q = [x y z | qx qy qz qw], v = [linear | angular] in the child frame. */

#ifndef KG_JOINTS_SE3_H
#define KG_JOINTS_SE3_H

#include "so3.h"

/* q_out = q exp(v): translation V v_lin, V = 1 + (1 - cos t)/t^2 [w] + (t - sin t)/t^3 [w]^2; q_out may be q. */
static inline void kg_se3_integrate(const kg_entry *q, const kg_entry *v, kg_entry *q_out)
{
    const kg_entry *w = v + 3;
    const kg_entry t2 = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    kg_entry s, c, x[3], y[3], d[3];
    kg_half_angle(t2, &s, &c);
    const kg_entry first = 2 * s * s, second = kg_sine_factor(t2, s, c);
    kg_cross3(w, v, x);
    kg_cross3(w, x, y);
    KG_UNROLLED
    for (int i = 0; i < 3; i++)
        d[i] = v[i] + first * x[i] + second * y[i];
    kg_turn(q + 3, 1, d, d);
    KG_UNROLLED
    for (int i = 0; i < 3; i++)
        q_out[i] = q[i] + d[i];
    const kg_entry sign = kg_sign(c); /* of the two quaternions of the new attitude, the one next to q */
    kg_rotate(q + 3, w, sign * s, sign * c, q_out + 3);
}

/* x = place of q1 along the axes of q0, and turn from q0 to it. */
static inline void kg_se3_offset(const kg_entry *q0, const kg_entry *q1, kg_entry *x)
{
    const kg_entry d[3] = {q1[0] - q0[0], q1[1] - q0[1], q1[2] - q0[2]};
    kg_turn(q0 + 3, -1, d, x);
    kg_so3_difference(q0 + 3, q1 + 3, x + 3);
}

/* v = log(q0^-1 q1): the translation loses the V of kg_se3_integrate, V^-1 = 1 - 1/2 [w] + kg_log_factor [w]^2. */
static inline void kg_se3_difference(const kg_entry *q0, const kg_entry *q1, kg_entry *v)
{
    const kg_entry d[3] = {q1[0] - q0[0], q1[1] - q0[1], q1[2] - q0[2]};
    kg_entry x[3], y[3], *w = v + 3;
    kg_turn(q0 + 3, -1, d, v);
    const kg_entry second = kg_so3_log(q0 + 3, q1 + 3, w);
    kg_cross3(w, v, x);
    kg_cross3(w, x, y);
    KG_UNROLLED
    for (int i = 0; i < 3; i++)
        v[i] = v[i] - KG_REAL(0.5) * x[i] + second * y[i];
}

/* A step of dt at acceleration a, in place: the origin has the velocity R v_lin, the acceleration
 * R (a_lin + w x v_lin). */
static inline void kg_se3_advance(kg_real dt, const kg_entry *a, kg_entry *q, kg_entry *v)
{
    kg_entry x[3], d[3], s, c;
    kg_cross3(v + 3, v, x);
    KG_UNROLLED
    for (int i = 0; i < 3; i++) {
        v[i] += dt * (a[i] + x[i]);
        v[i + 3] += dt * a[i + 3];
    }
    kg_turn(q + 3, 1, v, d);
    KG_UNROLLED
    for (int i = 0; i < 3; i++) {
        q[i] += dt * d[i];
        x[i] = dt * v[i + 3];
    }
    kg_half_angle(x[0] * x[0] + x[1] * x[1] + x[2] * x[2], &s, &c);
    kg_rotate(q + 3, x, s, c, q + 3);
    kg_turn(q + 3, -1, d, v);
}

/* c = [a, b], the bracket of two twists. */
static inline void kg_se3_bracket(const kg_entry *a, const kg_entry *b, kg_entry *c)
{
    kg_entry x[3], y[3];
    kg_cross3(a + 3, b, x);
    kg_cross3(a, b + 3, y);
    KG_UNROLLED
    for (int i = 0; i < 3; i++)
        c[i] = x[i] + y[i];
    kg_cross3(a + 3, b + 3, c + 3);
}

/* k = v + 1/2 [u, v] + 1/12 [u, [u, v]]: the rate of u in q exp(u) at velocity v, up to u^4. */
static inline void kg_se3_rate(const kg_entry *u, const kg_entry *v, kg_entry *k)
{
    kg_entry x[6], y[6];
    kg_se3_bracket(u, v, x);
    kg_se3_bracket(u, x, y);
    KG_UNROLLED
    for (int i = 0; i < 6; i++)
        k[i] = v[i] + KG_REAL(0.5) * x[i] + KG_REAL(1.0 / 12.0) * y[i];
}

#endif
