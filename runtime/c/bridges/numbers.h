/* Rates on the tangent space, per number of q, of joints whose numbers hold a quaternion r = [x y z w] or a pair
 * r = [cos sin], brought to unit norm; its norm was n. kg_GROUP_numbers: p (nq) of rates t (nv). kg_GROUP_bends: how
 * these change, for constant t, as numbers of q do, added to a block of x whose rows, `wide` apart, are what moves. */

#ifndef KINEGEN_BRIDGES_NUMBERS_H
#define KINEGEN_BRIDGES_NUMBERS_H

#include "../joints/so3.h"

/* p = 2/n E r with E (4, 4) of u */
static inline void kg_so3_numbers(const double *r, double n, const double *u, double *p)
{
    const double scale = 2.0 / n;
    p[0] = scale * (r[3] * u[0] - r[2] * u[1] + r[1] * u[2]);
    p[1] = scale * (r[2] * u[0] + r[3] * u[1] - r[0] * u[2]);
    p[2] = scale * (r[0] * u[1] - r[1] * u[0] + r[3] * u[2]);
    p[3] = -scale * (r[0] * u[0] + r[1] * u[1] + r[2] * u[2]);
}

static inline void kg_se3_numbers(const double *q, double n, const double *t, double *p)
{
    kg_turn(q + 3, 1, t, p);
    kg_so3_numbers(q + 3, n, t + 3, p + 3);
}

static inline void kg_se2_numbers(const double *q, double n, const double *t, double *p)
{
    const double c = q[2], s = q[3];
    p[0] = c * t[0] - s * t[1];
    p[1] = s * t[0] + c * t[1];
    p[2] = -s * t[2] / n;
    p[3] = c * t[2] / n;
}

/* 2/n^2 (E - 2 (E r) r') */
static inline void kg_so3_bends(const double *r, double n, const double *u, double *x, int wide)
{
    const double E[4][4] = {
        {0.0, u[2], -u[1], u[0]}, {-u[2], 0.0, u[0], u[1]}, {u[1], -u[0], 0.0, u[2]}, {-u[0], -u[1], -u[2], 0.0}};
    for (int i = 0; i < 4; i++) {
        const double along = E[i][0] * r[0] + E[i][1] * r[1] + E[i][2] * r[2] + E[i][3] * r[3];
        for (int j = 0; j < 4; j++)
            x[j * wide + i] += 2.0 / (n * n) * (E[i][j] - 2.0 * along * r[j]);
    }
}

/* The place: R (d x u) of the turn d of each number. */
static inline void kg_se3_bends(const double *q, double n, const double *t, double *x, int wide)
{
    const double *r = q + 3, *u = t, scale = 2.0 / n;
    const double turns[4][3] = {{r[3], -r[2], r[1]}, {r[2], r[3], -r[0]}, {-r[1], r[0], r[3]}, {-r[0], -r[1], -r[2]}};
    for (int j = 0; j < 4; j++) {
        const double *d = turns[j];
        const double swept[3] = {scale * (d[1] * u[2] - d[2] * u[1]), scale * (d[2] * u[0] - d[0] * u[2]),
            scale * (d[0] * u[1] - d[1] * u[0])};
        double moved[3];
        kg_turn(r, 1, swept, moved);
        for (int i = 0; i < 3; i++)
            x[(3 + j) * wide + i] += moved[i];
    }
    kg_so3_bends(r, n, t + 3, x + 3 * wide + 3, wide);
}

static inline void kg_se2_bends(const double *q, double n, const double *t, double *x, int wide)
{
    const double c = q[2], s = q[3], rate = t[2] / (n * n), twice = 2.0 * c * s * rate;
    const double turns[2] = {-s / n, c / n};
    const double across[2][2] = {{twice, (1.0 - 2.0 * c * c) * rate}, {(2.0 * s * s - 1.0) * rate, -twice}};
    for (int j = 0; j < 2; j++) {
        double *row = x + (2 + j) * wide;
        row[0] -= turns[j] * (s * t[0] + c * t[1]);
        row[1] += turns[j] * (c * t[0] - s * t[1]);
        row[2] += across[j][0];
        row[3] += across[j][1];
    }
}

#endif
