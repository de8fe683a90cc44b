/* Columns of Jacobians, one for each motion axis on the path from a link to the root. The model's header
 * (see ../model.h) and its tables axis_dof and axis_above stand before it. */

#ifndef KINEGEN_TREE_COLUMNS_H
#define KINEGEN_TREE_COLUMNS_H

#include <string.h>

#include "../linear/entry.h"

/* [z x (point - o) + l; z]: velocity of a world point and turning by an axis [z; l; o] at o with direction z (rotation)
 * and l (translation). */
static inline void axis_column(const kg_entry *restrict axis, const kg_entry *restrict point, kg_entry *restrict column)
{
    const kg_entry *z = axis, *l = axis + 3, *o = axis + 6;
    const kg_entry r[3] = {point[0] - o[0], point[1] - o[1], point[2] - o[2]};
    column[0] = z[1] * r[2] - z[2] * r[1] + l[0];
    column[1] = z[2] * r[0] - z[0] * r[2] + l[1];
    column[2] = z[0] * r[1] - z[1] * r[0] + l[2];
    for (int m = 0; m < 3; m++)
        column[3 + m] = z[m];
}

/* J (6, NV): [linear; angular] of a world point fixed to a link whose path ends at motion axis `last`. */
static inline void point_jacobian(
    const kg_entry *restrict axes, int last, const kg_entry *restrict point, kg_entry *restrict J)
{
    memset(J, 0, 6 * NV * sizeof *J);
    for (int k = last; k >= 0; k = axis_above[k]) {
        kg_entry column[6];
        axis_column(axes + 9 * k, point, column);
        KG_UNROLLED
        for (int m = 0; m < 6; m++)
            J[NV * m + axis_dof[k]] += column[m];
    }
}

/* Columns [dp_G; w] of a link whose mass centre is `center` and whose path ends at `last`: gives their number. */
static inline int path_columns(const kg_entry *restrict axes, int last, const kg_entry *restrict center,
    int *restrict dof, kg_entry (*restrict J)[6])
{
    int count = 0;
    for (int k = last; k >= 0; k = axis_above[k], count++) {
        dof[count] = axis_dof[k];
        axis_column(axes + 9 * k, center, J[count]);
    }
    return count;
}

/* [m x; I y] of the twist or acceleration [x; y]. */
static inline void inertia_times(double m, const double *restrict I, const double *restrict x, double *restrict f)
{
    for (int i = 0; i < 3; i++) {
        f[i] = m * x[i];
        f[3 + i] = I[3 * i] * x[3] + I[3 * i + 1] * x[4] + I[3 * i + 2] * x[5];
    }
}

#endif
