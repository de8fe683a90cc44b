/* SO(3): q = [x y z w], v in the child frame. */

#ifndef KG_JOINTS_SO3_H
#define KG_JOINTS_SO3_H

#include "../linear/vectors.h"
#include "angle.h"

/* q_out = q * (s w, c), divided by its norm; q_out may be q. */
static inline void kg_rotate(const double *q, const double *w, double s, double c, double *q_out)
{
    const double ex = s * w[0], ey = s * w[1], ez = s * w[2];
    const double x = q[3] * ex + q[0] * c + q[1] * ez - q[2] * ey;
    const double y = q[3] * ey + q[1] * c + q[2] * ex - q[0] * ez;
    const double z = q[3] * ez + q[2] * c + q[0] * ey - q[1] * ex;
    const double r = q[3] * c - q[0] * ex - q[1] * ey - q[2] * ez;
    const double scale = 1.0 / sqrt(x * x + y * y + z * z + r * r);
    q_out[0] = scale * x;
    q_out[1] = scale * y;
    q_out[2] = scale * z;
    q_out[3] = scale * r;
}

/* w = log(q0^-1 q1), |w| <= pi; 2 atan2(|e|, r)/|e| is accurate up to pi, its series serves where |e| vanishes. */
static inline void kg_so3_difference(const double *q0, const double *q1, double *w)
{
    double x = q0[3] * q1[0] - q0[0] * q1[3] - q0[1] * q1[2] + q0[2] * q1[1];
    double y = q0[3] * q1[1] - q0[1] * q1[3] - q0[2] * q1[0] + q0[0] * q1[2];
    double z = q0[3] * q1[2] - q0[2] * q1[3] - q0[0] * q1[1] + q0[1] * q1[0];
    double r = q0[3] * q1[3] + q0[0] * q1[0] + q0[1] * q1[1] + q0[2] * q1[2];
    if (r < 0.0) {
        x = -x;
        y = -y;
        z = -z;
        r = -r;
    }
    const double e2 = x * x + y * y + z * z;
    const double e = sqrt(e2);
    const double scale = e2 < 1e-8 * r * r ? 2.0 / r * (1.0 - e2 / (3.0 * r * r)) : 2.0 * atan2(e, r) / e;
    w[0] = scale * x;
    w[1] = scale * y;
    w[2] = scale * z;
}

/* The same: a turn has no place besides. */
static inline void kg_so3_offset(const double *q0, const double *q1, double *x)
{
    kg_so3_difference(q0, q1, x);
}

/* q_out = q exp(w); q_out may be q. */
static inline void kg_so3_integrate(const double *q, const double *w, double *q_out)
{
    double s, c;
    kg_half_angle(w[0] * w[0] + w[1] * w[1] + w[2] * w[2], &s, &c);
    kg_rotate(q, w, s, c, q_out);
}

/* A step of dt at acceleration a, in place. */
static inline void kg_so3_advance(double dt, const double *a, double *q, double *v)
{
    double w[3];
    for (int i = 0; i < 3; i++) {
        v[i] += dt * a[i];
        w[i] = dt * v[i];
    }
    kg_so3_integrate(q, w, q);
}

/* d_out = R(q) d, or its inverse for sign -1; d_out may be d. */
static inline void kg_turn(const double *q, double sign, const double *d, double *d_out)
{
    double x[3], y[3];
    kg_cross3(q, d, x);
    kg_cross3(q, x, y);
    for (int i = 0; i < 3; i++)
        d_out[i] = d[i] + 2.0 * (sign * q[3] * x[i] + y[i]);
}

/* q moved by u, which is no velocity: the body goes on turning as it did along axes that rest. */
static inline void kg_so3_displace(const double *u, double *q, double *v)
{
    double d[3];
    if (u[0] == 0.0 && u[1] == 0.0 && u[2] == 0.0)
        return;
    kg_turn(q, 1.0, v, d);
    kg_so3_integrate(q, u, q);
    kg_turn(q, -1.0, d, v);
}

/* k = v + 1/2 u x v + 1/12 u x (u x v): the rate of u in q exp(u) at velocity v, up to u^4. */
static inline void kg_so3_rate(const double *u, const double *v, double *k)
{
    double x[3], y[3];
    kg_cross3(u, v, x);
    kg_cross3(u, x, y);
    for (int i = 0; i < 3; i++)
        k[i] = v[i] + 0.5 * x[i] + (1.0 / 12.0) * y[i];
}

/* f += R(q)' R(q0) d - d: d in the child's axes at q0, along axes that rest. */
static inline void kg_so3_rest(const double *q0, const double *q, const double *d, double *f)
{
    const double x = q[3] * q0[0] - q0[3] * q[0] - q[1] * q0[2] + q[2] * q0[1]; /* q^-1 q0 */
    const double y = q[3] * q0[1] - q0[3] * q[1] - q[2] * q0[0] + q[0] * q0[2];
    const double z = q[3] * q0[2] - q0[3] * q[2] - q[0] * q0[1] + q[1] * q0[0];
    const double w = q[3] * q0[3] + q[0] * q0[0] + q[1] * q0[1] + q[2] * q0[2];
    const double a = 2.0 * (y * d[2] - z * d[1]), b = 2.0 * (z * d[0] - x * d[2]), c = 2.0 * (x * d[1] - y * d[0]);
    f[0] += w * a + y * c - z * b;
    f[1] += w * b + z * a - x * c;
    f[2] += w * c + x * b - y * a;
}

#endif
