/* Torques by inertial parameters of the links. */

#ifndef KINEGEN_TREE_TORQUE_REGRESSOR_H
#define KINEGEN_TREE_TORQUE_REGRESSOR_H

#include "columns.h"

/* b = R'a. */
static inline void turned_back(const double *restrict R, const double *restrict a, double *restrict b)
{
    for (int i = 0; i < 3; i++)
        b[i] = R[i] * a[0] + R[3 + i] * a[1] + R[6 + i] * a[2];
}

/* Adds to row what the wrench of a link with m, m c, I (xx xy yy xz yz zz) gives along the twist (z, u), all at the
 * origin of its frame in its axes; motion: w, dw and the acceleration a less gravity.
 * m: u.a    m c: u x dw + w (w.u) - u (w.w) + a x z    I: sym(z dw' + (z x w) w'), off the diagonal both halves. */
static inline void add_along(
    const double *restrict motion, const double *restrict z, const double *restrict u, double *restrict row)
{
    const double *w = motion, *dw = motion + 3, *a = motion + 6;
    const double h[3] = {z[1] * w[2] - z[2] * w[1], z[2] * w[0] - z[0] * w[2], z[0] * w[1] - z[1] * w[0]};
    const double wu = w[0] * u[0] + w[1] * u[1] + w[2] * u[2], ww = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    row[0] += u[0] * a[0] + u[1] * a[1] + u[2] * a[2];
    row[1] += u[1] * dw[2] - u[2] * dw[1] + w[0] * wu - u[0] * ww + a[1] * z[2] - a[2] * z[1];
    row[2] += u[2] * dw[0] - u[0] * dw[2] + w[1] * wu - u[1] * ww + a[2] * z[0] - a[0] * z[2];
    row[3] += u[0] * dw[1] - u[1] * dw[0] + w[2] * wu - u[2] * ww + a[0] * z[1] - a[1] * z[0];
    row[4] += z[0] * dw[0] + h[0] * w[0];
    row[5] += z[0] * dw[1] + z[1] * dw[0] + h[0] * w[1] + h[1] * w[0];
    row[6] += z[1] * dw[1] + h[1] * w[1];
    row[7] += z[0] * dw[2] + z[2] * dw[0] + h[0] * w[2] + h[2] * w[0];
    row[8] += z[1] * dw[2] + z[2] * dw[1] + h[1] * w[2] + h[2] * w[1];
    row[9] += z[2] * dw[2] + h[2] * w[2];
}

/* Y (NV, 10 BODIES): tau = Y pi + armature a. */
static void torque_regressor(
    const double *p, const double *restrict q, const double *restrict v, const double *restrict a, double *restrict Y)
{
    double axes[9 * TREE_AXES], frames[12 * BODIES], motions[9 * BODIES], column[6], z[3], u[3];
    KERNEL(regressor_parts, q, v, a, axes, frames, motions);
    for (int i = 0; i < NV * 10 * BODIES; i++)
        Y[i] = 0.0;
    for (int i = 0; i < BODIES; i++) {
        const double *R = frames + 12 * i;
        for (int k = axis_last[i]; k >= 0; k = axis_above[k]) {
            axis_column(axes + 9 * k, R + 9, column);
            turned_back(R, column, u);
            turned_back(R, column + 3, z);
            add_along(motions + 9 * i, z, u, Y + 10 * (BODIES * axis_dof[k] + i));
        }
    }
}

#endif
