/* M (NV, NV) from inverse dynamics. */

#ifndef KINEGEN_TREE_MASS_MATRIX_UNIT_VECTOR_H
#define KINEGEN_TREE_MASS_MATRIX_UNIT_VECTOR_H

/* Column i of M = tau of the unit acceleration e_i at rest without gravity. */
static void mass_matrix_unit_vector(const double *p, const double *restrict q, double *restrict M)
{
    double e[NV] = {0.0}, column[NV];
    for (int i = 0; i < NV; i++) {
        e[i] = 1.0;
        KERNEL(unit_torque, q, e, column);
        e[i] = 0.0;
        for (int j = 0; j < NV; j++)
            M[NV * j + i] = column[j];
    }
}

#endif
