/* Torques by inertial parameters of the links: ten columns of a link, m, m c, I (xx xy yy xz yz zz) about the origin of
 * its frame in its axes, side by side in vectors. */

#ifndef KINEGEN_TREE_TORQUE_REGRESSOR_H
#define KINEGEN_TREE_TORQUE_REGRESSOR_H

#include "../linear/lane_vectors.h"
#include "columns.h"

/* Whole vectors in ten columns, and what is left of them; 1 if each dof has one axis: an entry is one product. */
enum { COLUMNS = 10, WHOLE = COLUMNS / KG_LANES, LEFT = COLUMNS % KG_LANES, ONE_AXIS = TREE_AXES == NV };

/* Wrench that moves a link, by its parameters: forces, which I needs none of, and moments about a point of its tree. */
typedef struct {
    kg_lanes force[3][WHOLE], moment[3][WHOLE];
    kg_pair left[3];
} link_wrench;

/* x (3, 10) in axes of the link: [a U] by m and m c, U = [dw]x + [w]x[w]x, and I dw + w x I w. motion: w, dw and the
 * acceleration a less gravity. */
static inline void wrench_in_link(const double *restrict motion, double (*restrict x)[COLUMNS])
{
    const double *w = motion, *dw = motion + 3, *a = motion + 6;
    const double xx = w[0] * w[0], yy = w[1] * w[1], zz = w[2] * w[2];
    const double xy = w[0] * w[1], xz = w[0] * w[2], yz = w[1] * w[2];
    const double rows[3][COLUMNS] = {
        {a[0], -yy - zz, xy - dw[2], xz + dw[1], dw[0], dw[1] - xz, -yz, dw[2] + xy, yy - zz, yz},
        {a[1], xy + dw[2], -xx - zz, yz - dw[0], xz, dw[0] + yz, dw[1], zz - xx, dw[2] - xy, -xz},
        {a[2], xz - dw[1], yz + dw[0], -xx - yy, -xy, xx - yy, xy, dw[0] - yz, dw[1] + xz, dw[2]}};
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < COLUMNS; c++)
            x[i][c] = rows[i][c];
}

/* The same in world axes: F = R x, N = R x + r x F, by m c also R e x a. frame: rows [p R], r = p - origin. */
static inline void wrench_in_world(const double *restrict frame, const double *restrict origin,
    const double (*restrict x)[COLUMNS], link_wrench *restrict W)
{
    static const double of_force[8] = {1.0, 1.0, 1.0, 1.0}, of_center[8] = {0.0, 1.0, 1.0, 1.0};
    double r[3], a[3];
    for (int i = 0; i < 3; i++) {
        const double *R = frame + 4 * i + 1;
        r[i] = R[-1] - origin[4 * i];
        a[i] = R[0] * x[0][0] + R[1] * x[1][0] + R[2] * x[2][0];
        for (int e = 0; e < WHOLE; e++)
            W->moment[i][e] = R[0] * kg_lanes_at(x[0])[e] + R[1] * kg_lanes_at(x[1])[e] + R[2] * kg_lanes_at(x[2])[e];
        if (LEFT)
            W->left[i] = R[0] * *kg_pair_at(x[0] + 8) + R[1] * *kg_pair_at(x[1] + 8) + R[2] * *kg_pair_at(x[2] + 8);
    }
    for (int e = 0; e * KG_LANES < 4; e++) {
        kg_lanes center[3];
        for (int i = 0; i < 3; i++) {
            center[i] = kg_lanes_at(of_center)[e] * kg_lanes_at(frame + 4 * i)[e];
            W->force[i][e] = kg_lanes_at(of_force)[e] * W->moment[i][e];
            W->moment[i][e] -= W->force[i][e];
        }
        for (int i = 0; i < 3; i++) {
            const int k = (i + 1) % 3, l = (i + 2) % 3;
            W->moment[i][e] += r[k] * W->force[l][e] - r[l] * W->force[k][e] + center[k] * a[l] - center[l] * a[k];
        }
    }
}

/* Ten entries of a row of Y: S'W. */
static inline void put_along(const double *restrict S, const link_wrench *restrict W, double *restrict row)
{
    for (int e = 0; e < WHOLE; e++) {
        kg_lanes y = S[3] * W->moment[0][e] + S[4] * W->moment[1][e] + S[5] * W->moment[2][e];
        if (e * KG_LANES < 4)
            y += S[0] * W->force[0][e] + S[1] * W->force[1][e] + S[2] * W->force[2][e];
        if (!ONE_AXIS)
            y += kg_lanes_at(row)[e];
        kg_lanes_to(row)[e] = y;
    }
    if (LEFT) {
        kg_pair y = S[3] * W->left[0] + S[4] * W->left[1] + S[5] * W->left[2];
        if (!ONE_AXIS)
            y += *kg_pair_at(row + 8);
        *kg_pair_to(row + 8) = y;
    }
}

/* The rows of Y that belong to the axes of a link come soon: it is larger than the nearest memory. */
static inline void expect_rows(int link, const double *Y)
{
    for (int k = axis_last[link]; k >= 0 && axis_link[k] == link; k = axis_above[k])
        for (int e = 0; e < COLUMNS * BODIES; e += 8)
            KG_EXPECT(Y + COLUMNS * BODIES * axis_dof[k] + e);
}

/* Y (NV, 10 BODIES): tau = Y pi + armature a. */
static void torque_regressor(
    const double *p, const double *restrict q, const double *restrict v, const double *restrict a, double *restrict Y)
{
    double axes[9 * TREE_AXES], frames[12 * BODIES + 8], motions[9 * BODIES], S[TREE_AXES][6], x[2][3][COLUMNS];
    KERNEL(regressor_parts, q, v, a, axes, frames, motions);
    for (int i = 0; i < 8; i++) /* vectors read on there */
        frames[12 * BODIES + i] = 0.0;
    if (!ONE_AXIS)
        kg_clear(NV * COLUMNS * BODIES, Y);
    for (int k = 0; k < TREE_AXES; k++) {
        const double *origin = frames + 12 * link_root[axis_link[k]], point[3] = {origin[0], origin[4], origin[8]};
        axis_column(axes + 9 * k, point, S[k]);
    }
    for (int i = -1; i < BODIES; i++) {
        link_wrench W;
        if (i + 1 < BODIES) /* ahead of its use, as vectors wait for what is written number by number */
            wrench_in_link(motions + 9 * (i + 1), x[(i + 1) & 1]);
        if (i < 0)
            continue;
        if (i + 1 < BODIES)
            expect_rows(i + 1, Y);
        wrench_in_world(frames + 12 * i, frames + 12 * link_root[i], (const double (*)[COLUMNS])x[i & 1], &W);
        for (int k = axis_last[i]; k >= 0; k = axis_above[k]) {
            double *restrict row = Y + COLUMNS * BODIES * axis_dof[k];
            const int end = link_below[i];
            if (ONE_AXIS && axis_link[k] == i) { /* of other links than those below it */
                kg_clear(COLUMNS * i, row);
                kg_clear(COLUMNS * (BODIES - end), row + COLUMNS * end);
            }
            put_along(S[k], &W, row + COLUMNS * i);
        }
    }
}

#endif
