/* tau (NV) from the COG Jacobian. */

#ifndef KINEGEN_TREE_INVERSE_DYNAMICS_COG_H
#define KINEGEN_TREE_INVERSE_DYNAMICS_COG_H

#include "columns.h"

/* tau = G'(M^ ddq_G + b^), ddq_G = G a + dG/dt v, b^ = [-m g; w x I w]. */
static void inverse_dynamics_cog(
    const double *p, const double *restrict q, const double *restrict v, const double *restrict a, double *restrict tau)
{
    double axes[9 * TREE_AXES], centers[3 * BODIES], inertias[9 * BODIES], masses[BODIES], bias[6 * BODIES];
    double g[3], J[TREE_AXES][6], f[6];
    int dof[TREE_AXES];
    KERNEL(motion_columns, q, axes, centers);
    KERNEL(world_inertias, q, inertias, masses);
    KERNEL(cog_bias, q, v, bias);
    KERNEL(gravity_vector, q, g);
    KERNEL(armatures, q, tau);
    for (int i = 0; i < NV; i++)
        tau[i] *= a[i];
    for (int i = 0; i < BODIES; i++) {
        const int count = path_columns(axes, axis_last[i], centers + 3 * i, dof, J);
        double x[6], spin[6] = {0.0}, h[6];
        for (int m = 0; m < 6; m++)
            x[m] = bias[6 * i + m] - (m < 3 ? g[m] : 0.0);
        for (int k = 0; k < count; k++)
            for (int m = 0; m < 6; m++) {
                x[m] += J[k][m] * a[dof[k]];
                spin[m] += J[k][m] * v[dof[k]];
            }
        inertia_times(masses[i], inertias + 9 * i, x, f);
        inertia_times(masses[i], inertias + 9 * i, spin, h);
        f[3] += spin[4] * h[5] - spin[5] * h[4];
        f[4] += spin[5] * h[3] - spin[3] * h[5];
        f[5] += spin[3] * h[4] - spin[4] * h[3];
        for (int k = 0; k < count; k++)
            for (int m = 0; m < 6; m++)
                tau[dof[k]] += J[k][m] * f[m];
    }
}

#endif
