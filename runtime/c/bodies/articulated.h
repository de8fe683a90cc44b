/* Factors of M = L'DL of a tree by its articulated bodies (mathematics, sections 7 and 14), where axes and entries of v
 * are the same. What L'^-1 makes of the rows S_i' I_i of all axes is U_i, the inertia of the subtree of i whose joints
 * give way below i, times S_i; and so L needs no M:
 *     U_m = I_m S_m - sum of L_im U_i over all i below m,    D_m = S_m' U_m + armature,    L_im = U_i' S_m / D_i. */

#ifndef KINEGEN_BODIES_ARTICULATED_H
#define KINEGEN_BODIES_ARTICULATED_H

#include "../derivatives/terms.h"

/* What stands in a row of an axis: U (6), L'^-1 b (3), L'^-1 (tau - h), then zeros. */
enum { ROW_B = 6, ROW_FORCE = 9, ROW_PIECES = (10 + KG_LANES - 1) / KG_LANES, ROW_ROOM = ROW_PIECES * KG_LANES };

typedef struct {
    double row[TREE_AXES][ROW_ROOM], iD[TREE_AXES]; /* 1/D */
    axis_row over[6]; /* U/D */
    axis_row L[TREE_AXES]; /* off the paths any numbers, or zeros */
} articulated_bodies;

/* I S, b and tau - S'F of all axes to their rows. */
static inline void fill_rows(const tree_terms *t, const double *restrict tau, articulated_bodies *of)
{
    KG_ALIGNED axis_row h;
    for (int k = 0; k < AXIS_ROOM; k += KG_LANES) {
        kg_lanes sum = {0.0};
        for (int c = 0; c < 6; c++)
            sum += *kg_lanes_at(t->S[c] + k) * *kg_lanes_at(t->F[c] + k);
        *kg_lanes_to(h + k) = sum;
    }
    for (int i = TREE_AXES - 1; i >= 0; i--) { /* those that are read first */
        double *row = of->row[i];
        for (int c = 0; c < 6; c++)
            row[c] = t->IS[c][i];
        for (int c = 0; c < 3; c++)
            row[ROW_B + c] = t->b[c][i];
        row[ROW_FORCE] = tau[axis_dof[i]] - h[i];
        for (int c = ROW_FORCE + 1; c < ROW_ROOM; c++)
            row[c] = 0.0;
    }
}

/* row m -= sum of L_im row i over the axes i below m; what was found last is added last. */
static inline void take_subtree(int m, articulated_bodies *of)
{
    kg_lanes even[ROW_PIECES] = {{0.0}}, odd[ROW_PIECES] = {{0.0}};
    int i = axis_below[m] - 1;
    for (; i > m + 1; i -= 2)
        for (int e = 0; e < ROW_PIECES; e++) {
            even[e] += of->L[i][m] * kg_lanes_at(of->row[i])[e];
            odd[e] += of->L[i - 1][m] * kg_lanes_at(of->row[i - 1])[e];
        }
    for (int e = 0; e < ROW_PIECES; e++) {
        kg_lanes *row = kg_lanes_to(of->row[m]);
        row[e] -= even[e] + odd[e];
        if (i > m)
            row[e] -= of->L[i][m] * kg_lanes_at(of->row[i])[e];
    }
}

/* U' x of one axis, in pairs: what waits for it waits less. */
static inline double along(const double *U, const double *x, int stride)
{
    return (U[0] * x[0] + U[1] * x[stride]) + (U[2] * x[2 * stride] + U[3] * x[3 * stride])
        + (U[4] * x[4 * stride] + U[5] * x[5 * stride]);
}

/* From the leaves to the root, branches by turns: each step waits for the one before it on its own. */
static void articulate(const tree_terms *t, const double *restrict armature, articulated_bodies *of)
{
    int end[AXIS_ROOM / KG_LANES];
    for (int b = 0; b < AXIS_ROOM / KG_LANES; b++)
        end[b] = block_at(b * KG_LANES, KG_LANES).end;
    for (int e = 0; e < TREE_AXES; e++) {
        const int m = axis_inward[e];
        const double *U = of->row[m];
        take_subtree(m, of);
        of->iD[m] = 1.0 / (along(U, t->S[0] + m, AXIS_ROOM) + armature[m]);
        for (int c = 0; c < 6; c++)
            of->over[c][m] = U[c] * of->iD[m];
        for (int k = 0; k < m; k += KG_LANES) {
            kg_lanes found = {0.0};
            for (int c = 0; c < 6 && end[k / KG_LANES] > m; c++)
                found += U[c] * *kg_lanes_at(t->S[c] + k);
            *kg_lanes_to(of->L[m] + k) = of->iD[m] * found;
        }
    }
    for (int c = 0; c < 6; c++)
        for (int i = TREE_AXES; i < AXIS_ROOM; i++)
            of->over[c][i] = 0.0;
}

#endif
