/* M (NV, NV) from the COG Jacobian. */

#ifndef KINEGEN_TREE_MASS_MATRIX_COG_H
#define KINEGEN_TREE_MASS_MATRIX_COG_H

#include "columns.h"

/* M = G' M^ G. */
static void mass_matrix_cog(const double *p, const double *restrict q, double *restrict M)
{
    double axes[9 * TREE_AXES], centers[3 * BODIES], inertias[9 * BODIES], masses[BODIES], armature[NV];
    double J[TREE_AXES][6], f[6];
    int dof[TREE_AXES];
    KERNEL(motion_columns, q, axes, centers);
    KERNEL(world_inertias, q, inertias, masses);
    KERNEL(armatures, q, armature);
    for (int i = 0; i < NV * NV; i++)
        M[i] = 0.0;
    for (int i = 0; i < NV; i++)
        M[(NV + 1) * i] = armature[i];
    for (int i = 0; i < BODIES; i++) {
        const int count = path_columns(axes, axis_last[i], centers + 3 * i, dof, J);
        for (int a = 0; a < count; a++) {
            inertia_times(masses[i], inertias + 9 * i, J[a], f);
            for (int b = 0; b < count; b++)
                for (int m = 0; m < 6; m++)
                    M[NV * dof[b] + dof[a]] += J[b][m] * f[m];
        }
    }
}

#endif
