/* Exponentials, logarithms and rates of the rotation and motion groups that joints move in. Quaternions [x y z w].
 *
 * integrate: q exp(v), v a motion in unit time. difference: its inverse. advance: a time step, semi-implicit Euler.
 * rate: of the coordinates u in q exp(u). rest: what a constant force along resting axes gains in axes that turn. */

#ifndef KG_JOINTS_GROUPS_H
#define KG_JOINTS_GROUPS_H

#include <math.h>
#include "../linear/vectors.h"

/* ---- Rotation vectors: w, t = |w| ---------------------------------------------------------------------------- */

/* s = sin(t/2)/t and c = cos(t/2) from t^2; a series below one radian, exact to rounding and without a pole at 0. */
static inline void kg_half_angle(double t2, double *s, double *c)
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
static inline double kg_log_factor(double t2)
{
    if (t2 < 0.01)
        return 1.0/12.0 + t2*(1.0/720.0 + t2*(1.0/30240.0 + t2*(1.0/1209600.0 + t2*(1.0/47900160.0))));
    const double h = 0.5*sqrt(t2);
    return (1.0 - h*cos(h)/sin(h))/t2;
}

/* ---- SO(3): q = [x y z w], v in the child frame ----------------------------------------------------------------- */

/* q_out = q * (s w, c), divided by its norm; q_out may be q. */
static inline void kg_rotate(const double *q, const double *w, double s, double c, double *q_out)
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
static inline void kg_so3_difference(const double *q0, const double *q1, double *w)
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

/* q_out = q exp(w); q_out may be q. */
static inline void kg_so3_integrate(const double *q, const double *w, double *q_out)
{
    double s, c;
    kg_half_angle(w[0]*w[0] + w[1]*w[1] + w[2]*w[2], &s, &c);
    kg_rotate(q, w, s, c, q_out);
}

/* A step of dt at acceleration a, in place. */
static inline void kg_so3_advance(double dt, const double *a, double *q, double *v)
{
    double w[3];
    for (int i = 0; i < 3; i++) {
        v[i] += dt*a[i];
        w[i] = dt*v[i];
    }
    kg_so3_integrate(q, w, q);
}

/* k = v + 1/2 u x v + 1/12 u x (u x v): the rate of u in q exp(u) at velocity v, up to u^4. */
static inline void kg_so3_rate(const double *u, const double *v, double *k)
{
    double x[3], y[3];
    kg_cross3(u, v, x);
    kg_cross3(u, x, y);
    for (int i = 0; i < 3; i++)
        k[i] = v[i] + 0.5*x[i] + (1.0/12.0)*y[i];
}

/* f += R(q)' R(q0) d - d: d in the child's axes at q0, along axes that rest. */
static inline void kg_so3_rest(const double *q0, const double *q, const double *d, double *f)
{
    const double x = q[3]*q0[0] - q0[3]*q[0] - q[1]*q0[2] + q[2]*q0[1]; /* q^-1 q0 */
    const double y = q[3]*q0[1] - q0[3]*q[1] - q[2]*q0[0] + q[0]*q0[2];
    const double z = q[3]*q0[2] - q0[3]*q[2] - q[0]*q0[1] + q[1]*q0[0];
    const double w = q[3]*q0[3] + q[0]*q0[0] + q[1]*q0[1] + q[2]*q0[2];
    const double a = 2.0*(y*d[2] - z*d[1]), b = 2.0*(z*d[0] - x*d[2]), c = 2.0*(x*d[1] - y*d[0]);
    f[0] += w*a + y*c - z*b;
    f[1] += w*b + z*a - x*c;
    f[2] += w*c + x*b - y*a;
}

/* ---- SE(3): q = [x y z | qx qy qz qw], v = [linear | angular] in the child frame ------------------------------- */

/* d_out = R(q) d, or its inverse for sign -1. */
static inline void kg_turn(const double *q, double sign, const double *d, double *d_out)
{
    double x[3], y[3];
    kg_cross3(q, d, x);
    kg_cross3(q, x, y);
    for (int i = 0; i < 3; i++)
        d_out[i] = d[i] + 2.0*(sign*q[3]*x[i] + y[i]);
}

/* q_out = q exp(v): translation V v_lin, V = 1 + (1 - cos t)/t^2 [w] + (t - sin t)/t^3 [w]^2; q_out may be q. */
static inline void kg_se3_integrate(const double *q, const double *v, double *q_out)
{
    const double *w = v + 3;
    const double t2 = w[0]*w[0] + w[1]*w[1] + w[2]*w[2];
    double s, c, x[3], y[3], d[3];
    kg_half_angle(t2, &s, &c);
    const double first = 2.0*s*s;
    const double second = t2 < 1.0
        ? (1.0/6.0)*(1.0 - t2*(1.0/20.0)*(1.0 - t2*(1.0/42.0)*(1.0 - t2*(1.0/72.0)*(1.0 - t2*(1.0/110.0)
          *(1.0 - t2*(1.0/156.0)*(1.0 - t2*(1.0/210.0)*(1.0 - t2*(1.0/272.0))))))))
        : (1.0 - 2.0*s*c)/t2;
    kg_cross3(w, v, x);
    kg_cross3(w, x, y);
    for (int i = 0; i < 3; i++)
        d[i] = v[i] + first*x[i] + second*y[i];
    kg_turn(q + 3, 1.0, d, d);
    for (int i = 0; i < 3; i++)
        q_out[i] = q[i] + d[i];
    /* of the two quaternions of the new attitude, the one next to q */
    if (c < 0.0) {
        s = -s;
        c = -c;
    }
    kg_rotate(q + 3, w, s, c, q_out + 3);
}

/* v = log(q0^-1 q1): the translation loses the V of kg_se3_integrate, V^-1 = 1 - 1/2 [w] + kg_log_factor [w]^2. */
static inline void kg_se3_difference(const double *q0, const double *q1, double *v)
{
    double w[3], x[3], y[3], d[3] = {q1[0] - q0[0], q1[1] - q0[1], q1[2] - q0[2]};
    kg_so3_difference(q0 + 3, q1 + 3, w);
    kg_turn(q0 + 3, -1.0, d, d);
    kg_cross3(w, d, x);
    kg_cross3(w, x, y);
    const double second = kg_log_factor(w[0]*w[0] + w[1]*w[1] + w[2]*w[2]);
    for (int i = 0; i < 3; i++) {
        v[i] = d[i] - 0.5*x[i] + second*y[i];
        v[i + 3] = w[i];
    }
}

/* A step of dt at acceleration a, in place: the origin has the velocity R v_lin, the acceleration
 * R (a_lin + w x v_lin). */
static inline void kg_se3_advance(double dt, const double *a, double *q, double *v)
{
    double x[3], d[3], s, c;
    kg_cross3(v + 3, v, x);
    for (int i = 0; i < 3; i++) {
        v[i] += dt*(a[i] + x[i]);
        v[i + 3] += dt*a[i + 3];
    }
    kg_turn(q + 3, 1.0, v, d);
    for (int i = 0; i < 3; i++) {
        q[i] += dt*d[i];
        x[i] = dt*v[i + 3];
    }
    kg_half_angle(x[0]*x[0] + x[1]*x[1] + x[2]*x[2], &s, &c);
    kg_rotate(q + 3, x, s, c, q + 3);
    kg_turn(q + 3, -1.0, d, v);
}

/* c = [a, b], the bracket of two twists. */
static inline void kg_se3_bracket(const double *a, const double *b, double *c)
{
    double x[3], y[3];
    kg_cross3(a + 3, b, x);
    kg_cross3(a, b + 3, y);
    for (int i = 0; i < 3; i++)
        c[i] = x[i] + y[i];
    kg_cross3(a + 3, b + 3, c + 3);
}

/* k = v + 1/2 [u, v] + 1/12 [u, [u, v]]: the rate of u in q exp(u) at velocity v, up to u^4. */
static inline void kg_se3_rate(const double *u, const double *v, double *k)
{
    double x[6], y[6];
    kg_se3_bracket(u, v, x);
    kg_se3_bracket(u, x, y);
    for (int i = 0; i < 6; i++)
        k[i] = v[i] + 0.5*x[i] + (1.0/12.0)*y[i];
}

/* ---- SE(2): q = [x y cos sin], v = [vx vy w] in the child frame ------------------------------------------------ */

/* q_out = q exp(v): translation [sin w/w, -(1 - cos w)/w; (1 - cos w)/w, sin w/w] v_lin; q_out may be q. */
static inline void kg_se2_integrate(const double *q, const double *v, double *q_out)
{
    double s, c;
    kg_half_angle(v[2]*v[2], &s, &c);
    const double along = 2.0*s*c, across = 2.0*s*s*v[2];
    const double cw = c*c - s*s*v[2]*v[2], sw = along*v[2];
    const double dx = along*v[0] - across*v[1], dy = across*v[0] + along*v[1];
    const double x = q[0] + q[2]*dx - q[3]*dy, y = q[1] + q[3]*dx + q[2]*dy;
    const double co = q[2]*cw - q[3]*sw, si = q[3]*cw + q[2]*sw;
    const double scale = 1.0/sqrt(co*co + si*si);
    q_out[0] = x;
    q_out[1] = y;
    q_out[2] = scale*co;
    q_out[3] = scale*si;
}

/* v = log(q0^-1 q1), |w| <= pi. */
static inline void kg_se2_difference(const double *q0, const double *q1, double *v)
{
    const double gx = q1[0] - q0[0], gy = q1[1] - q0[1];
    const double dx = q0[2]*gx + q0[3]*gy, dy = q0[2]*gy - q0[3]*gx;
    const double w = atan2(q0[2]*q1[3] - q0[3]*q1[2], q0[2]*q1[2] + q0[3]*q1[3]);
    const double along = 1.0 - w*w*kg_log_factor(w*w);
    v[0] = along*dx + 0.5*w*dy;
    v[1] = along*dy - 0.5*w*dx;
    v[2] = w;
}

/* A step of dt at acceleration a, in place: the origin has the velocity R v_lin, the acceleration
 * R (a_lin + w J v_lin), J a quarter turn. */
static inline void kg_se2_advance(double dt, const double *a, double *q, double *v)
{
    const double bx = v[0] + dt*(a[0] - v[2]*v[1]), by = v[1] + dt*(a[1] + v[2]*v[0]);
    const double dx = q[2]*bx - q[3]*by, dy = q[3]*bx + q[2]*by;
    double turned[3] = {0.0, 0.0, 0.0};
    v[2] += dt*a[2];
    turned[2] = dt*v[2];
    kg_se2_integrate(q, turned, q);
    q[0] += dt*dx;
    q[1] += dt*dy;
    v[0] = q[2]*dx + q[3]*dy;
    v[1] = q[2]*dy - q[3]*dx;
}

/* k = v + 1/2 [u, v] + 1/12 [u, [u, v]], [u, v] = (u_w J v - v_w J u, 0). */
static inline void kg_se2_rate(const double *u, const double *v, double *k)
{
    const double x = v[2]*u[1] - u[2]*v[1], y = u[2]*v[0] - v[2]*u[0];
    k[0] = v[0] + 0.5*x - (1.0/12.0)*u[2]*y;
    k[1] = v[1] + 0.5*y + (1.0/12.0)*u[2]*x;
    k[2] = v[2];
}

/* The same in the plane, for q = [x y cos sin]. */
static inline void kg_se2_rest(const double *q0, const double *q, const double *d, double *f)
{
    const double c = q0[2]*q[2] + q0[3]*q[3] - 1.0, s = q0[3]*q[2] - q0[2]*q[3];
    f[0] += c*d[0] - s*d[1];
    f[1] += s*d[0] + c*d[1];
}

#endif
