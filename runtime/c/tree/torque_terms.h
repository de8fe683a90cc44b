/* Torque by link and cause. */

#ifndef KINEGEN_TREE_TORQUE_TERMS_H
#define KINEGEN_TREE_TORQUE_TERMS_H

#include "columns.h"

/* terms[dof][link][cause]: what the joint must exert because of the link's acceleration G_i a (0), the centrifugal
 * and Coriolis part dG_i/dt v and w x I w (1), and gravity (2). The wrench of a cause is [m ddp_G; I dw] at the mass
 * centre; its share of a dof is the component along the dof's column. The rotor of a joint (armature) counts with the
 * link that the joint moves. The sum over links and causes is the torque. */
static void torque_terms(const double *p, const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict terms)
{
    double axes[9 * TREE_AXES], rotors[TREE_AXES], centers[3 * BODIES], inertias[9 * BODIES], masses[BODIES];
    double g[3], drift[6 * BODIES], J[TREE_AXES][6];
    KERNEL(cause_parts, q, v, axes, rotors, centers, inertias, masses, drift);
    KERNEL(gravity_vector, q, g);
    for (int i = 0; i < 3 * NV * BODIES; i++)
        terms[i] = 0.0;
    for (int i = 0; i < BODIES; i++) {
        const double *I = inertias + 9 * i, *drifted = drift + 6 * i;
        double moved[6] = {0.0}, w[3] = {0.0}, L[3], wrench[3][6];
        for (int k = axis_last[i]; k >= 0; k = axis_above[k]) {
            axis_column(axes + 9 * k, centers + 3 * i, J[k]);
            for (int m = 0; m < 3; m++)
                w[m] += J[k][3 + m] * v[axis_dof[k]];
            for (int m = 0; m < 6; m++)
                moved[m] += J[k][m] * a[axis_dof[k]];
        }
        for (int m = 0; m < 3; m++) {
            const double *row = I + 3 * m;
            wrench[0][m] = masses[i] * moved[m];
            wrench[1][m] = masses[i] * drifted[m];
            wrench[2][m] = -masses[i] * g[m];
            wrench[0][3 + m] = row[0] * moved[3] + row[1] * moved[4] + row[2] * moved[5];
            wrench[1][3 + m] = row[0] * drifted[3] + row[1] * drifted[4] + row[2] * drifted[5];
            wrench[2][3 + m] = 0.0;
            L[m] = row[0] * w[0] + row[1] * w[1] + row[2] * w[2];
        }
        wrench[1][3] += w[1] * L[2] - w[2] * L[1];
        wrench[1][4] += w[2] * L[0] - w[0] * L[2];
        wrench[1][5] += w[0] * L[1] - w[1] * L[0];
        for (int k = axis_last[i]; k >= 0; k = axis_above[k])
            for (int cause = 0; cause < 3; cause++)
                for (int m = 0; m < 6; m++)
                    terms[3 * (BODIES * axis_dof[k] + i) + cause] += J[k][m] * wrench[cause][m];
    }
    for (int k = 0; k < TREE_AXES; k++)
        terms[3 * (BODIES * axis_dof[k] + axis_link[k])] += rotors[k] * a[axis_dof[k]];
}

#endif
