/* M (NV, NV) by composite inertias. */

#ifndef KINEGEN_TREE_MASS_MATRIX_H
#define KINEGEN_TREE_MASS_MATRIX_H

/* M_ij = z_j.n_i + l_j.f_i for every axis j on the path to axis i. */
static void mass_matrix(const double *p, const double *restrict q, double *restrict M)
{
    double rows[12 * TREE_AXES], armature[NV];
    KERNEL(composite_columns, q, rows);
    KERNEL(armatures, q, armature);
    for (int i = 0; i < NV * NV; i++)
        M[i] = 0.0;
    for (int i = 0; i < TREE_AXES; i++) {
        const double *n = rows + 12 * i + 6;
        for (int j = i; j >= 0; j = axis_above[j]) {
            const double *z = rows + 12 * j;
            const double m = z[0] * n[0] + z[1] * n[1] + z[2] * n[2] + z[3] * n[3] + z[4] * n[4] + z[5] * n[5];
            const int a = axis_dof[i], b = axis_dof[j];
            M[NV * a + b] += m;
            if (i != j)
                M[NV * b + a] += m;
        }
    }
    for (int i = 0; i < NV; i++)
        M[(NV + 1) * i] += armature[i];
}

#endif
