/* Targets of inverse kinematics: each has three residuals r and rows J of their rate, r' = J v, world axes. */

#ifndef KINEGEN_INVERSE_TARGETS_H
#define KINEGEN_INVERSE_TARGETS_H

#include "../linear/vectors.h"

typedef MODEL(target) target;

/* x_out = R x + offset of rows [R | .] that stand 4 apart; offset 0: none. */
static void turned(const double *T, const double *x, int offset, double *x_out)
{
    for (int i = 0; i < 3; i++)
        x_out[i] = kg_dot3(T + 4 * i, x) + (offset ? T[4 * i + 3] : 0.0);
}

/* r = log(R G'), the rotation from the goal G (rows 3 apart) to R (rows 4 apart), |r| <= pi. */
static void rotation_between(const double *R, const double *G, double *r)
{
    double D[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            D[3 * i + j] = kg_dot3(R + 4 * i, G + 3 * j);
    double sine[3];
    const double angle = kg_turned_by(D, sine), s = sqrt(kg_dot3(sine, sine)), c = 0.5 * (D[0] + D[4] + D[8] - 1.0);
    if (c > -0.99) {
        const double scale = s > 1e-8 ? angle / s : 1.0;
        for (int i = 0; i < 3; i++)
            r[i] = scale * sine[i];
        return;
    }
    /* near half a turn: D + D' = 2 c + 2 (1 - c) n n' tells the axis, by its largest entry */
    const int i = D[0] >= D[4] && D[0] >= D[8] ? 0 : D[4] >= D[8] ? 1 : 2;
    double n[3], size;
    for (int j = 0; j < 3; j++)
        n[j] = 0.5 * (D[3 * i + j] + D[3 * j + i]) - (i == j ? c : 0.0);
    size = sqrt(kg_dot3(n, n));
    const double turn = angle * (kg_dot3(n, sine) < 0.0 ? -1.0 : 1.0) / size;
    for (int j = 0; j < 3; j++)
        r[j] = turn * n[j];
}

/* w = J^-1 w of log, in place: J^-1 = 1 - [r]/2 + (1/a^2 - (1 + cos a)/(2 a sin a)) [r]^2, a = |r|. */
static void rate_of_rotation(const double *r, double *w)
{
    const double a2 = kg_dot3(r, r), a = sqrt(a2);
    const double k = a < 1e-3 ? 1.0 / 12.0 + a2 / 720.0 : (1.0 - 0.5 * a / tan(0.5 * a)) / a2;
    double x[3], y[3];
    kg_cross3(r, w, x);
    kg_cross3(r, x, y);
    for (int i = 0; i < 3; i++)
        w[i] += k * y[i] - 0.5 * x[i];
}

/* Where a point of the target's link is, and its axis there. */
static void placed(const target *t, const double *poses, double *point, double *axis)
{
    const double *T = poses + 16 * (long)t->place[0];
    turned(T, t->place + 1, 1, point);
    turned(T, t->axis, 0, axis);
}

#define NOWHERE 1e-9 /* m: what is nearer to its goal has no direction to look in, and counts as opposite */

/* Unit vector from a point to the goal, and the distance; from nowhere: opposite to the axis, and a metre. */
static double sight(const double *point, const double *axis, const double *goal, double *d)
{
    for (int i = 0; i < 3; i++)
        d[i] = goal[i] - point[i];
    const double far = sqrt(kg_dot3(d, d));
    for (int i = 0; i < 3; i++)
        d[i] = far < NOWHERE ? -axis[i] : d[i] / far;
    return far < NOWHERE ? 1.0 : far;
}

static void residual_of(const target *t, const double *poses, const double *com, const double *goal, double *r)
{
    double point[3], axis[3], d[3];
    if (t->kind == ORIENTATION) {
        rotation_between(poses + 16 * (long)t->place[0], goal, r);
        return;
    }
    if (t->kind != CENTRE)
        placed(t, poses, point, axis);
    if (t->kind == LOOK_AT)
        sight(point, axis, goal, d);
    for (int i = 0; i < 3; i++) {
        const double is = t->kind == CENTRE ? com[i] : t->kind == POSITION ? point[i] : axis[i];
        r[i] = is - (t->kind == LOOK_AT ? d[i] : goal[i]);
    }
}

#define OPPOSITE (4.0 - 1e-6) /* square of the residual of two axes from which they count as opposite */

/* 1 if the axis of a target is opposite to where it should point: no way to turn it is nearer than others. */
static int is_opposite(const target *t, const double *r)
{
    return (t->kind == LOOK_AT || t->kind == DIRECTION) && kg_dot3(r, r) > OPPOSITE;
}

/* A residual across one of opposite axes, in its place: the first or the second of two ways to turn. */
static void turn_aside(int second, double *r)
{
    const double x = fabs(r[0]), y = fabs(r[1]), z = fabs(r[2]);
    const int least = x <= y && x <= z ? 0 : y <= z ? 1 : 2;
    const double e[3] = {least == 0, least == 1, least == 2};
    double across[3], other[3];
    kg_cross3(r, e, across);
    kg_cross3(r, across, other);
    for (int i = 0; i < 3; i++)
        r[i] = second ? 0.5 * other[i] : across[i];
}

/* J (3, NV) of a target from the Jacobian (6, NV) of its frame, r: its residual; of a look-at with `shift` times d'. */
static void rows_of(const target *t, const double *poses, const double *goal, const double *r, const double *frame,
    double shift, double *J)
{
    double point[3], axis[3], d[3], w[3], x[3];
    const double *along = frame, *around = frame + 3 * NV;
    placed(t, poses, point, axis);
    const double far = t->kind == LOOK_AT ? sight(point, axis, goal, d) : 1.0;
    for (int j = 0; j < NV; j++) {
        const double turn[3] = {around[j], around[NV + j], around[2 * NV + j]};
        const double v[3] = {along[j], along[NV + j], along[2 * NV + j]};
        if (t->kind == POSITION) {
            memcpy(x, v, sizeof x);
        } else if (t->kind == ORIENTATION) {
            memcpy(x, turn, sizeof x);
            rate_of_rotation(r, x);
        } else {
            kg_cross3(turn, axis, x);
        }
        if (t->kind == LOOK_AT) { /* d' = -(v - d d'v)/far */
            const double part = kg_dot3(d, v);
            for (int i = 0; i < 3; i++)
                w[i] = (v[i] - part * d[i]) / far;
            for (int i = 0; i < 3; i++)
                x[i] += shift * w[i];
        }
        for (int i = 0; i < 3; i++)
            J[i * NV + j] = x[i];
    }
}

/* How far off it is [m, rad], along the axes that count: what of two unit vectors is 2 sin(a/2) is told as a. */
static double size_of(const target *t, const double *r)
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++)
        sum += t->weight[i] > 0.0 ? r[i] * r[i] : 0.0;
    const double size = sqrt(sum);
    return t->kind == LOOK_AT || t->kind == DIRECTION ? 2.0 * asin(kg_min(0.5 * size, 1.0)) : size;
}

#endif
