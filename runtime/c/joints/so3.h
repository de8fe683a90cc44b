/* SO(3): q = [x y z w], v in the child frame. */

#ifndef KG_JOINTS_SO3_H
#define KG_JOINTS_SO3_H

#include "../linear/vectors.h"
#include "angle.h"

/* -1 of what is below 0, else 1. */
static inline kg_entry kg_sign(kg_entry x)
{
    return KG_WHERE(x < KG_REAL(0.0), KG_EVERY(-1.0), KG_EVERY(1.0));
}

/* q_out = q * (s w, c), divided by its norm; q_out may be q. */
static inline void kg_rotate(const kg_entry *q, const kg_entry *w, kg_entry s, kg_entry c, kg_entry *q_out)
{
    const kg_entry ex = s * w[0], ey = s * w[1], ez = s * w[2];
    const kg_entry x = q[3] * ex + q[0] * c + q[1] * ez - q[2] * ey;
    const kg_entry y = q[3] * ey + q[1] * c + q[2] * ex - q[0] * ez;
    const kg_entry z = q[3] * ez + q[2] * c + q[0] * ey - q[1] * ex;
    const kg_entry r = q[3] * c - q[0] * ex - q[1] * ey - q[2] * ez;
    const kg_entry scale = 1 / KG_ENTRY(sqrt)(x * x + y * y + z * z + r * r);
    q_out[0] = scale * x;
    q_out[1] = scale * y;
    q_out[2] = scale * z;
    q_out[3] = scale * r;
}

/* Unit quaternion [x y z w] of a rotation whose rows stand 4 apart, w >= 0 (Shepperd). */
static inline void kg_so3_of_pose(const double *X, double *q)
{
    const double xx = X[0], yy = X[5], zz = X[10], trace = xx + yy + zz;
    if (trace > 0.0) {
        const double s = 0.5 / sqrt(1.0 + trace);
        q[0] = s * (X[9] - X[6]);
        q[1] = s * (X[2] - X[8]);
        q[2] = s * (X[4] - X[1]);
        q[3] = 0.25 / s;
    } else {
        const int i = xx >= yy && xx >= zz ? 0 : yy >= zz ? 1 : 2, j = (i + 1) % 3, k = (i + 2) % 3;
        const double t = 1.0 + X[5 * i] - X[5 * j] - X[5 * k], s = 0.5 / sqrt(t), w = s * (X[4 * k + j] - X[4 * j + k]);
        const double sign = w < 0.0 ? -1.0 : 1.0;
        q[i] = sign * s * t;
        q[j] = sign * s * (X[4 * i + j] + X[4 * j + i]);
        q[k] = sign * s * (X[4 * i + k] + X[4 * k + i]);
        q[3] = sign * w;
    }
}

/* w = log(q0^-1 q1), |w| <= pi; gives kg_log_factor of w^2. */
static inline kg_entry kg_so3_log(const kg_entry *q0, const kg_entry *q1, kg_entry *w)
{
    const kg_entry x = q0[3] * q1[0] - q0[0] * q1[3] - q0[1] * q1[2] + q0[2] * q1[1];
    const kg_entry y = q0[3] * q1[1] - q0[1] * q1[3] - q0[2] * q1[0] + q0[0] * q1[2];
    const kg_entry z = q0[3] * q1[2] - q0[2] * q1[3] - q0[0] * q1[1] + q0[1] * q1[0];
    const kg_entry r = q0[3] * q1[3] + q0[0] * q1[0] + q0[1] * q1[1] + q0[2] * q1[2];
    const kg_entry sign = kg_sign(r); /* of the two quaternions of the turn, the one next to 1 */
    kg_entry second;
    const kg_entry scale = sign * kg_log_scale(x * x + y * y + z * z, sign * r, &second);
    w[0] = scale * x;
    w[1] = scale * y;
    w[2] = scale * z;
    return second;
}

/* The same, of which nothing more is asked. */
static inline void kg_so3_difference(const kg_entry *q0, const kg_entry *q1, kg_entry *w)
{
    kg_so3_log(q0, q1, w);
}

/* The same: a turn has no place besides. */
static inline void kg_so3_offset(const kg_entry *q0, const kg_entry *q1, kg_entry *x)
{
    kg_so3_difference(q0, q1, x);
}

/* q_out = q exp(w); q_out may be q. */
static inline void kg_so3_integrate(const kg_entry *q, const kg_entry *w, kg_entry *q_out)
{
    kg_entry s, c;
    kg_half_angle(w[0] * w[0] + w[1] * w[1] + w[2] * w[2], &s, &c);
    kg_rotate(q, w, s, c, q_out);
}

/* A step of dt at acceleration a, in place. */
static inline void kg_so3_advance(kg_real dt, const kg_entry *a, kg_entry *q, kg_entry *v)
{
    kg_entry w[3];
    KG_UNROLLED
    for (int i = 0; i < 3; i++) {
        v[i] += dt * a[i];
        w[i] = dt * v[i];
    }
    kg_so3_integrate(q, w, q);
}

/* d_out = R(q) d, or its inverse for sign -1; d_out may be d. */
static inline void kg_turn(const kg_entry *q, kg_real sign, const kg_entry *d, kg_entry *d_out)
{
    kg_entry x[3], y[3];
    kg_cross3(q, d, x);
    kg_cross3(q, x, y);
    KG_UNROLLED
    for (int i = 0; i < 3; i++)
        d_out[i] = d[i] + 2 * (sign * q[3] * x[i] + y[i]);
}

/* k = v + 1/2 u x v + 1/12 u x (u x v): the rate of u in q exp(u) at velocity v, up to u^4. */
static inline void kg_so3_rate(const kg_entry *u, const kg_entry *v, kg_entry *k)
{
    kg_entry x[3], y[3];
    kg_cross3(u, v, x);
    kg_cross3(u, x, y);
    KG_UNROLLED
    for (int i = 0; i < 3; i++)
        k[i] = v[i] + KG_REAL(0.5) * x[i] + KG_REAL(1.0 / 12.0) * y[i];
}

/* f += R(q)' R(q0) d - d: d in the child's axes at q0, along axes that rest. */
static inline void kg_so3_rest(const kg_entry *q0, const kg_entry *q, const kg_entry *d, kg_entry *f)
{
    const kg_entry x = q[3] * q0[0] - q0[3] * q[0] - q[1] * q0[2] + q[2] * q0[1]; /* q^-1 q0 */
    const kg_entry y = q[3] * q0[1] - q0[3] * q[1] - q[2] * q0[0] + q[0] * q0[2];
    const kg_entry z = q[3] * q0[2] - q0[3] * q[2] - q[0] * q0[1] + q[1] * q0[0];
    const kg_entry w = q[3] * q0[3] + q[0] * q0[0] + q[1] * q0[1] + q[2] * q0[2];
    const kg_entry a = 2 * (y * d[2] - z * d[1]), b = 2 * (z * d[0] - x * d[2]), c = 2 * (x * d[1] - y * d[0]);
    f[0] += w * a + y * c - z * b;
    f[1] += w * b + z * a - x * c;
    f[2] += w * c + x * b - y * a;
}

#endif
