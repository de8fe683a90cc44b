/* SE(3): q = [x y z | qx qy qz qw], v = [linear | angular] in the child frame. */

#ifndef KG_JOINTS_SE3_H
#define KG_JOINTS_SE3_H

#include "so3.h"

/* (t - sin t)/t^3 from t^2, below one radian. */
static inline kg_real kg_sine_rest(kg_real t2)
{
    kg_real sum = 1 - t2 * KG_REAL(1.0 / 272.0);
    sum = 1 - t2 * KG_REAL(1.0 / 210.0) * sum;
    sum = 1 - t2 * KG_REAL(1.0 / 156.0) * sum;
    sum = 1 - t2 * KG_REAL(1.0 / 110.0) * sum;
    sum = 1 - t2 * KG_REAL(1.0 / 72.0) * sum;
    sum = 1 - t2 * KG_REAL(1.0 / 42.0) * sum;
    sum = 1 - t2 * KG_REAL(1.0 / 20.0) * sum;
    return KG_REAL(1.0 / 6.0) * sum;
}

/* q_out = q exp(v): translation V v_lin, V = 1 + (1 - cos t)/t^2 [w] + (t - sin t)/t^3 [w]^2; q_out may be q. */
static inline void kg_se3_integrate(const kg_real *q, const kg_real *v, kg_real *q_out)
{
    const kg_real *w = v + 3;
    const kg_real t2 = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    kg_real s, c, x[3], y[3], d[3];
    kg_half_angle(t2, &s, &c);
    const kg_real first = 2 * s * s;
    const kg_real second = t2 < 1 ? kg_sine_rest(t2) : (1 - 2 * s * c) / t2;
    kg_cross3(w, v, x);
    kg_cross3(w, x, y);
    for (int i = 0; i < 3; i++)
        d[i] = v[i] + first * x[i] + second * y[i];
    kg_turn(q + 3, 1, d, d);
    for (int i = 0; i < 3; i++)
        q_out[i] = q[i] + d[i];
    /* of the two quaternions of the new attitude, the one next to q */
    if (c < 0) {
        s = -s;
        c = -c;
    }
    kg_rotate(q + 3, w, s, c, q_out + 3);
}

/* x = place of q1 along the axes of q0, and turn from q0 to it. */
static inline void kg_se3_offset(const kg_real *q0, const kg_real *q1, kg_real *x)
{
    const kg_real d[3] = {q1[0] - q0[0], q1[1] - q0[1], q1[2] - q0[2]};
    kg_turn(q0 + 3, -1, d, x);
    kg_so3_difference(q0 + 3, q1 + 3, x + 3);
}

/* v = log(q0^-1 q1): the translation loses the V of kg_se3_integrate, V^-1 = 1 - 1/2 [w] + kg_log_factor [w]^2. */
static inline void kg_se3_difference(const kg_real *q0, const kg_real *q1, kg_real *v)
{
    kg_real x[3], y[3];
    kg_se3_offset(q0, q1, v);
    const kg_real *w = v + 3;
    kg_cross3(w, v, x);
    kg_cross3(w, x, y);
    const kg_real second = kg_log_factor(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    for (int i = 0; i < 3; i++)
        v[i] = v[i] - KG_REAL(0.5) * x[i] + second * y[i];
}

/* A step of dt at acceleration a, in place: the origin has the velocity R v_lin, the acceleration
 * R (a_lin + w x v_lin). */
static inline void kg_se3_advance(kg_real dt, const kg_real *a, kg_real *q, kg_real *v)
{
    kg_real x[3], d[3], s, c;
    kg_cross3(v + 3, v, x);
    for (int i = 0; i < 3; i++) {
        v[i] += dt * (a[i] + x[i]);
        v[i + 3] += dt * a[i + 3];
    }
    kg_turn(q + 3, 1, v, d);
    for (int i = 0; i < 3; i++) {
        q[i] += dt * d[i];
        x[i] = dt * v[i + 3];
    }
    kg_half_angle(x[0] * x[0] + x[1] * x[1] + x[2] * x[2], &s, &c);
    kg_rotate(q + 3, x, s, c, q + 3);
    kg_turn(q + 3, -1, d, v);
}

/* q moved by u, which is no velocity: the body goes on as it did along axes that rest. */
static inline void kg_se3_displace(const kg_real *u, kg_real *q, kg_real *v)
{
    kg_real d[6];
    if (u[0] == 0 && u[1] == 0 && u[2] == 0 && u[3] == 0 && u[4] == 0 && u[5] == 0)
        return;
    kg_turn(q + 3, 1, v, d);
    kg_turn(q + 3, 1, v + 3, d + 3);
    kg_se3_integrate(q, u, q);
    kg_turn(q + 3, -1, d, v);
    kg_turn(q + 3, -1, d + 3, v + 3);
}

/* c = [a, b], the bracket of two twists. */
static inline void kg_se3_bracket(const kg_real *a, const kg_real *b, kg_real *c)
{
    kg_real x[3], y[3];
    kg_cross3(a + 3, b, x);
    kg_cross3(a, b + 3, y);
    for (int i = 0; i < 3; i++)
        c[i] = x[i] + y[i];
    kg_cross3(a + 3, b + 3, c + 3);
}

/* k = v + 1/2 [u, v] + 1/12 [u, [u, v]]: the rate of u in q exp(u) at velocity v, up to u^4. */
static inline void kg_se3_rate(const kg_real *u, const kg_real *v, kg_real *k)
{
    kg_real x[6], y[6];
    kg_se3_bracket(u, v, x);
    kg_se3_bracket(u, x, y);
    for (int i = 0; i < 6; i++)
        k[i] = v[i] + KG_REAL(0.5) * x[i] + KG_REAL(1.0 / 12.0) * y[i];
}

#endif
