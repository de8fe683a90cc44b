/* Torque by link and cause. */

#ifndef KINEGEN_TREE_TORQUE_TERMS_H
#define KINEGEN_TREE_TORQUE_TERMS_H

#include "columns.h"

/* Motion of each axis' body when its path moves: acceleration of the point o of the body [linear; angular] without the
 * centrifugal part, and turning w. S: the axes' columns at o. */
static inline void along_paths(const double *restrict v, const double *restrict a, const double (*restrict S)[6],
    double (*restrict moved)[6], double (*restrict w)[3])
{
    for (int k = 0; k < TREE_AXES; k++) {
        const int above = axis_above[k];
        for (int m = 0; m < 6; m++)
            moved[k][m] = (above >= 0 ? moved[above][m] : 0.0) + S[k][m] * a[axis_dof[k]];
        for (int m = 0; m < 3; m++)
            w[k][m] = (above >= 0 ? w[above][m] : 0.0) + S[k][3 + m] * v[axis_dof[k]];
    }
}

/* [m x; I y + w x I w] of the acceleration [x; y] at the mass centre and the turning w, about -r of it. */
static inline void wrench_about(double m, const double *restrict I, const double *restrict x, const double *restrict w,
    const double *restrict r, double *restrict f)
{
    const double L[3] = {I[0] * w[0] + I[1] * w[1] + I[2] * w[2], I[3] * w[0] + I[4] * w[1] + I[5] * w[2],
        I[6] * w[0] + I[7] * w[1] + I[8] * w[2]};
    inertia_times(m, I, x, f);
    f[3] += w[1] * L[2] - w[2] * L[1] + r[1] * f[2] - r[2] * f[1];
    f[4] += w[2] * L[0] - w[0] * L[2] + r[2] * f[0] - r[0] * f[2];
    f[5] += w[0] * L[1] - w[1] * L[0] + r[0] * f[1] - r[1] * f[0];
}

/* terms[dof][link][cause]: what the joint must exert because of the link's acceleration G_i a (0), the centrifugal
 * and Coriolis part dG_i/dt v and w x I w (1), and gravity (2). The wrench of a cause is [m ddp_G; I dw] at the mass
 * centre; its share of a dof is the component along the dof's column, both told about the first link's mass centre. The
 * rotor of a joint (armature) counts with the link that the joint moves. All terms of a dof add up to its torque. */
static void torque_terms(const double *p, const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict terms)
{
    static const double still[6] = {0.0};
    double axes[9 * TREE_AXES], rotors[TREE_AXES], centers[3 * BODIES], inertias[9 * BODIES], masses[BODIES];
    double g[3], drift[6 * BODIES], S[TREE_AXES][6], moved[TREE_AXES][6], w[TREE_AXES][3], wrenches[6][3 * BODIES];
    KERNEL(cause_parts, q, v, axes, rotors, centers, inertias, masses, drift);
    KERNEL(gravity_vector, q, g);
    for (int k = 0; k < TREE_AXES; k++)
        axis_column(axes + 9 * k, centers, S[k]);
    along_paths(v, a, (const double (*)[6])S, moved, w);
    for (int i = 0; i < BODIES; i++) {
        const int k = axis_last[i];
        const double *c = centers + 3 * i, *x = k >= 0 ? moved[k] : still, *y = x + 3;
        const double r[3] = {c[0] - centers[0], c[1] - centers[1], c[2] - centers[2]};
        const double pulled[6] = {x[0] + y[1] * r[2] - y[2] * r[1], x[1] + y[2] * r[0] - y[0] * r[2],
            x[2] + y[0] * r[1] - y[1] * r[0], y[0], y[1], y[2]};
        const double weight[6] = {-g[0], -g[1], -g[2]};
        double f[3][6];
        wrench_about(masses[i], inertias + 9 * i, pulled, still, r, f[0]);
        wrench_about(masses[i], inertias + 9 * i, drift + 6 * i, k >= 0 ? w[k] : still, r, f[1]);
        wrench_about(masses[i], inertias + 9 * i, weight, still, r, f[2]);
        for (int m = 0; m < 6; m++)
            for (int cause = 0; cause < 3; cause++)
                wrenches[m][3 * i + cause] = f[cause][m];
    }
    for (int i = 0; i < 3 * NV * BODIES; i++)
        terms[i] = 0.0;
    for (int k = 0; k < TREE_AXES; k++) {
        double *restrict row = terms + 3 * BODIES * axis_dof[k];
        for (int i = 3 * axis_link[k]; i < 3 * link_below[axis_link[k]]; i++) /* links of its subtree */
            row[i] += S[k][0] * wrenches[0][i] + S[k][1] * wrenches[1][i] + S[k][2] * wrenches[2][i]
                + S[k][3] * wrenches[3][i] + S[k][4] * wrenches[4][i] + S[k][5] * wrenches[5][i];
        row[3 * axis_link[k]] += rotors[k] * a[axis_dof[k]];
    }
}

#endif
