/* What active loops carry. */

#ifndef KINEGEN_CLOSURE_CONSTRAINT_WRENCHES_H
#define KINEGEN_CLOSURE_CONSTRAINT_WRENCHES_H

#include "switching.h"

/* [force; moment] on the child of each active loop at its joint's frame, world axes (6 a loop): K' f = M a + h - tau,
 * the smallest f where loops share a load. Contacts and joint limits press as in the last step. */
void MODEL(constraint_wrenches)(
    const double *p, const double *q, const double *v, const double *tau, memory *m, double *wrench)
{
    double K[6 * LOOPS * NV], M[NV * NV], h[NV], a[NV], f[NV], N[ROWS * ROWS], inverse[SIDE], y[SIDE];
    closure_row B[ROWS];
    cut_motion cut;
    int row[ROWS];
    const int rows = active_rows(p, row);
    for (int i = 0; i < 6 * LOOPS; i++)
        wrench[i] = 0.0;
    closed_joint_forces(p, q, v, tau, m->cut_q, &cut, f);
    for (int i = 0; i < NV; i++)
        f[i] += m->load[i];
    reduced_dynamics(p, q, v, f, 0, m->ready, SOFT, &m->partition, a);
    MODEL(mass_matrix)(p, q, M);
    MODEL(bias)(p, q, v, h);
    for (int i = 0; i < NV; i++) {
        f[i] = h[i] - f[i];
        for (int j = 0; j < NV; j++)
            f[i] += M[i * NV + j] * a[j];
        f[i] *= unit[i];
    }
    MODEL(closure_rows)(p, q, K);
    scaled_rows(rows, row, K, 0, B);
    double size = 0.0;
    for (int i = 0; i < rows; i++) {
        y[i] = 0.0;
        for (int j = 0; j < NV; j++)
            y[i] += B[i][j] * f[j];
        for (int k = 0; k <= i; k++) {
            N[i * rows + k] = 0.0;
            for (int j = 0; j < NV; j++)
                N[i * rows + k] += B[i][j] * B[k][j];
        }
        size = fmax(size, N[i * rows + i]);
    }
    for (int i = 0; i < rows; i++)
        N[i * rows + i] += 1e-11 * size;
    factor_reduced(rows, N, inverse);
    kg_solve_factored(rows, N, inverse, y);
    for (int i = 0; i < rows; i++)
        wrench[row_of[row[i]]] = row_scale[row[i]] * y[i];
    for (int l = 0; l < LOOPS; l++)
        if (is_active(p, l))
            to_world(l, p, q, wrench + 6 * l);
}

#endif
