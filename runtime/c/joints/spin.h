/* The spin of a body that flies by itself, in the middle of a step (docs/mathematics.md, steps). */

#ifndef KG_JOINTS_SPIN_H
#define KG_JOINTS_SPIN_H

#include "so3.h"

/* y (3) of I (y - w) + dt/2 (y x I y - n) = 0, in place from w: the angular velocity in the middle of a step of the
 * implicit midpoint rule, by Newton's method; S: I as xx xy xz yy yz zz, n: the moment. A pass that changes y by e
 * leaves dt/2 I^-1 (e x I e), no more than dt/2 e^2, as no moment of inertia is above the sum of the others. */
static inline void kg_middle_spin(double dt, const double *S, const double *w, const double *n, double *y)
{
    const double I[3][3] = {{S[0], S[1], S[2]}, {S[1], S[3], S[4]}, {S[2], S[4], S[5]}}, h = 0.5 * dt;
    for (int pass = 0; pass < 8; pass++) {
        double L[3], d[3], x[3], r[3], J[3][3], a[3], b[3], c[3];
        for (int i = 0; i < 3; i++) {
            L[i] = I[i][0] * y[0] + I[i][1] * y[1] + I[i][2] * y[2];
            d[i] = y[i] - w[i];
        }
        kg_cross3(y, L, x);
        for (int i = 0; i < 3; i++)
            r[i] = I[i][0] * d[0] + I[i][1] * d[1] + I[i][2] * d[2] + h * (x[i] - n[i]);
        for (int j = 0; j < 3; j++) { /* column j of I + h ([y] I - [I y]) */
            const int k = (j + 1) % 3, m = (j + 2) % 3;
            kg_cross3(y, I[j], a); /* I is symmetric: its row is its column */
            J[j][j] = I[j][j] + h * a[j];
            J[k][j] = I[k][j] + h * (a[k] - L[m]);
            J[m][j] = I[m][j] + h * (a[m] + L[k]);
        }
        kg_cross3(J[1], J[2], a);
        kg_cross3(J[2], J[0], b);
        kg_cross3(J[0], J[1], c);
        const double D = J[0][0] * a[0] + J[0][1] * a[1] + J[0][2] * a[2];
        double change = 0.0, size = 0.0;
        for (int i = 0; i < 3; i++) {
            const double step = (a[i] * r[0] + b[i] * r[1] + c[i] * r[2]) / D;
            y[i] -= step;
            change += step * step;
            size += y[i] * y[i];
        }
        if (!(h * h * change * change > 1e-32 * size))
            return;
    }
}

/* 1 if the last of five or seven substitutions into y = b - h I^-1 (y x I y), h = dt/2, b = w + h I^-1 n, from y = b
 * on, changed it from u to y by at most 1e-13 |b|: each has then taken some 400 or 70 times off the error, so that
 * rounding is left. One divides it by more than 1/(1.5 h |b|) where no moment of inertia is above the sum of the
 * others. */
static inline int kg_is_settled(const double *b, const double *u, const double *y)
{
    const double d[3] = {y[0] - u[0], y[1] - u[1], y[2] - u[2]};
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= 1e-26 * (b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
}

/* y of kg_middle_spin by substitutions; 0 if the body turns too fast for them. */
static inline int kg_slow_spin(double h, const double *S, const double *w, const double *n, double *y)
{
    const double xx = S[3] * S[5] - S[4] * S[4], xy = S[2] * S[4] - S[1] * S[5], xz = S[1] * S[4] - S[2] * S[3];
    const double yy = S[0] * S[5] - S[2] * S[2], yz = S[1] * S[2] - S[0] * S[4], zz = S[0] * S[3] - S[1] * S[1];
    const double over = 1.0 / (S[0] * xx + S[1] * xy + S[2] * xz), r = h * over; /* I^-1 = over [xx xy xz; ...] */
    const double b[3] = {w[0] + r * (xx * n[0] + xy * n[1] + xz * n[2]), w[1] + r * (xy * n[0] + yy * n[1] + yz * n[2]),
        w[2] + r * (xz * n[0] + yz * n[1] + zz * n[2])};
    double u[3] = {b[0], b[1], b[2]};
    for (int i = 0; i < 3; i++)
        y[i] = b[i];
    for (int i = 0; i < 7; i++) {
        if (i == 5 && kg_is_settled(b, u, y))
            return 1;
        const double L[3] = {S[0] * y[0] + S[1] * y[1] + S[2] * y[2], S[1] * y[0] + S[3] * y[1] + S[4] * y[2],
            S[2] * y[0] + S[4] * y[1] + S[5] * y[2]};
        double x[3];
        kg_cross3(y, L, x);
        for (int k = 0; k < 3; k++)
            u[k] = y[k];
        y[0] = b[0] - r * (xx * x[0] + xy * x[1] + xz * x[2]);
        y[1] = b[1] - r * (xy * x[0] + yy * x[1] + yz * x[2]);
        y[2] = b[2] - r * (xz * x[0] + yz * x[1] + zz * x[2]);
    }
    return kg_is_settled(b, u, y);
}

/* A substitution into y_i = b_i - c_i y_j y_k, (i, j, k) = (0, 1, 2) and so on. */
static inline void kg_substitute_spin(const double *b, const double *c, double *y)
{
    const double u[3] = {y[0], y[1], y[2]};
    y[0] = b[0] - c[0] * u[1] * u[2];
    y[1] = b[1] - c[1] * u[2] * u[0];
    y[2] = b[2] - c[2] * u[0] * u[1];
}

/* kg_slow_spin where I = diag(S[0], S[3], S[5]). With k = 2/sqrt(3) max |c_i| |b| a substitution leaves at most the
 * part k of the error, which is k/2 |b| before the first; what y_j y_k is used for, the velocity 2 y - w at the end of
 * the step, is off by 2 k times the error of y. So three of them leave k^5 |b|, four k^6 and eight k^10: 1e-15 each
 * time. `more`: one besides. */
static inline int kg_slow_principal_spin(
    double h, const double *S, const double *w, const double *n, int more, double *y)
{
    const double r[3] = {(S[5] - S[3]) / S[0], (S[0] - S[5]) / S[3], (S[3] - S[0]) / S[5]};
    const double most = fmax(r[0] * r[0], fmax(r[1] * r[1], r[2] * r[2])); /* known to the compiler */
    const double c[3] = {h * r[0], h * r[1], h * r[2]};
    const double b[3] = {
        w[0] + h * (1.0 / S[0]) * n[0], w[1] + h * (1.0 / S[3]) * n[1], w[2] + h * (1.0 / S[5]) * n[2]};
    const double kk = 4.0 / 3.0 * most * h * h * (b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
    if (!(kk < 1e-3))
        return 0;
    for (int i = 0; i < 3; i++)
        y[i] = b[i];
    kg_substitute_spin(b, c, y);
    kg_substitute_spin(b, c, y);
    kg_substitute_spin(b, c, y);
    if (more)
        kg_substitute_spin(b, c, y);
    if (!(kk < 1e-6))
        kg_substitute_spin(b, c, y);
    for (int i = 0; i < 4 && !(kk < 1e-5); i++)
        kg_substitute_spin(b, c, y);
    return 1;
}

/* f (3) += w x I w - y x I y */
static inline void kg_add_spin_change(const double *S, const double *w, const double *y, double *f)
{
    double n[3], x[3];
    const double before[3] = {S[0] * w[0] + S[1] * w[1] + S[2] * w[2], S[1] * w[0] + S[3] * w[1] + S[4] * w[2],
        S[2] * w[0] + S[4] * w[1] + S[5] * w[2]};
    const double middle[3] = {S[0] * y[0] + S[1] * y[1] + S[2] * y[2], S[1] * y[0] + S[3] * y[1] + S[4] * y[2],
        S[2] * y[0] + S[4] * y[1] + S[5] * y[2]};
    kg_cross3(w, before, n);
    kg_cross3(y, middle, x);
    for (int i = 0; i < 3; i++)
        f[i] += n[i] - x[i];
}

/* a (6), in place: acceleration in a step of dt by kg_se3_advance from v, of a free body, found as if its mass centre c
 * kept its place beside the origin. In the step c turns by dt u, u: the angular velocity at its end. The origin's
 * velocity gives way, so that the mass centre has the one that it was given. */
static inline void kg_se3_centre(double dt, const double *c, const double *v, double *a)
{
    const double u[3] = {v[3] + dt * a[3], v[4] + dt * a[4], v[5] + dt * a[5]};
    const double t[3] = {dt * u[0], dt * u[1], dt * u[2]};
    double s, e, x[3], y[3];
    kg_half_angle(t[0] * t[0] + t[1] * t[1] + t[2] * t[2], &s, &e);
    kg_cross3(t, c, x);
    kg_cross3(t, x, y);
    for (int i = 0; i < 3; i++)
        x[i] = 2.0 * s * (e * x[i] + s * y[i]); /* what the turn moves c by */
    kg_cross3(u, x, y);
    for (int i = 0; i < 3; i++)
        a[i] -= y[i] / dt;
}

/* f += what the gyroscopic and centripetal forces of a free body change by when a step of dt by kg_se3_centre and
 * kg_se3_advance shall keep the momentum and the energy of its spin: w x I w acts in the middle of the step and not at
 * v, and w x (w x c) not at all, since the mass centre moves by itself. The other forces are f. body: mass, mass
 * centre, then I about it as xx xy xz yy yz zz, in the child frame. */
static inline void kg_se3_spin(double dt, const double *body, const double *v, double *f)
{
    const double *w = v + 3, *c = body + 1, *S = body + 4;
    const double turn = dt * dt * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    /* of a body that is no parameter the compiler knows which ways are left out */
    const int centred = c[0] == 0.0 && c[1] == 0.0 && c[2] == 0.0;
    const int principal = S[1] == 0.0 && S[2] == 0.0 && S[4] == 0.0;
    double n[3] = {f[3], f[4], f[5]}, y[3], x[3], d[3];
    if (!centred) {
        kg_cross3(c, f, x);
        for (int i = 0; i < 3; i++)
            n[i] -= x[i];
        kg_cross3(w, c, x);
        kg_cross3(w, x, d);
        for (int i = 0; i < 3; i++) {
            d[i] *= body[0];
            f[i] += d[i];
        }
        kg_cross3(c, d, x);
        for (int i = 0; i < 3; i++)
            f[3 + i] += x[i];
    }
    if (!(turn > 1e-10) || !(turn < 1e4)) /* too slow to matter, or no number */
        return;
    if (!(principal ? kg_slow_principal_spin(0.5 * dt, S, w, n, !centred, y) : kg_slow_spin(0.5 * dt, S, w, n, y))) {
        for (int i = 0; i < 3; i++)
            y[i] = w[i];
        kg_middle_spin(dt, S, w, n, y);
    }
    if (principal) {
        f[3] += (S[5] - S[3]) * w[1] * w[2]; /* first: y comes late */
        f[4] += (S[0] - S[5]) * w[2] * w[0];
        f[5] += (S[3] - S[0]) * w[0] * w[1];
        f[3] -= (S[5] - S[3]) * y[1] * y[2];
        f[4] -= (S[0] - S[5]) * y[2] * y[0];
        f[5] -= (S[3] - S[0]) * y[0] * y[1];
    } else {
        kg_add_spin_change(S, w, y, f + 3);
    }
}

#endif
