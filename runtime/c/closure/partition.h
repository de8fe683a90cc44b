/* Partition of the velocities on the closure: K v = 0 -> v_S = H v_G [N98 (9)-(12)], by Gauss-Jordan elimination with
 * complete pivoting. Tables of the model: readiness and those of elimination.h. */

#ifndef KINEGEN_CLOSURE_PARTITION_H
#define KINEGEN_CLOSURE_PARTITION_H

#include "elimination.h"

#define FALLEN 0.5 /* part of its best ratio below which a partition is held against another choice */
#define TRUSTED (MISFIT > 0.0 ? 0.1 : 1e-3) /* pivot ratio above which the straight-line code is trusted */
#define SOFT 1e-5 /* pivots of this size are softened by those who ask for it */

/* H with the columns as the elimination left them in B, and x = -K_S^-1 right (m); null: not asked for. */
static void take_dependence(partition *held, closure_row *B, const int *column, double *x)
{
    const int m = held->rank, free = NV - m;
    for (int j = m; j < NV; j++)
        held->columns[j] = column[j];
    for (int k = 0; k < m; k++) {
        const double scale = unit[column[k]];
        for (int j = 0; j < free; j++)
            held->H[k * free + j] = -B[k][m + j] * scale / unit[column[m + j]];
        if (x)
            x[k] = -B[k][NV] * scale;
    }
}

/* Rows and columns as the partition has them, whatever the pivots, for states off the closure: rows that follow from
 * others on it do not there, and the rank is one too high. Its own rows only are asked: what follows from them is as
 * smooth as they are. H and x as for partition_rows. 0 if a pivot is zero. */
static int partition_fixed(const double *K, const double *right, partition *held, double *x)
{
    closure_row B[ROWS];
    int row[ROWS], column[NV];
    const int m = held->rank;
    double smallest = HUGE_VAL, greatest = 0.0;
    memcpy(row, held->rows, (size_t)m * sizeof *row);
    scaled_rows(m, row, K, right, B);
    number(NV, column);
    for (int k = 0; k < m; k++) {
        int j = k;
        while (column[j] != held->columns[k])
            j++;
        bring(m, B, row, column, k, k, j);
        const double size = fabs(B[k][k]);
        if (!(size > 0.0))
            return 0;
        smallest = kg_min(smallest, size);
        greatest = kg_max(greatest, size);
        eliminate(m, B, k, 0.0);
    }
    held->ratio = m ? smallest / greatest : 1.0;
    take_dependence(held, B, column, x);
    return 1;
}

/* The partition serves, but far less well than it did: 1 if another one is twice as good; it is then in B and found. */
static int better_partition(int rows, const int *in_use, const double *K, const double *right, const double *ready,
    double soft, const partition *kept, partition *found, closure_row *B, int *row, int *column)
{
    *found = *kept;
    memcpy(row, in_use, (size_t)rows * sizeof *row);
    scaled_rows(rows, row, K, right, B);
    number(NV, column);
    eliminate_anew(rows, B, ready, size_of_rows(rows, B), soft, row, column, found);
    return found->rank == kept->rank && found->ratio > 2.0 * kept->ratio;
}

/* Partition of K, kept if it serves (rank -1: none yet), H with it, and x = -K_S^-1 right (m), zero if right is null.
 * `chosen` is the best ratio since it was chosen: where the ratio falls well below, another choice is looked for.
 * Returns 1 if the partition is a new one. */
static int partition_rows(
    const double *p, const double *K, const double *right, const double *ready, double soft, partition *kept, double *x)
{
    closure_row B[ROWS];
    int in_use[ROWS], row[ROWS], column[NV];
    const int rows = active_rows(p, in_use);
    memcpy(row, in_use, (size_t)rows * sizeof *row);
    scaled_rows(rows, row, K, right, B);
    number(NV, column);
    const double largest = size_of_rows(rows, B);
    if (kept->rank >= 0 && eliminate_kept(rows, B, largest, soft, row, column, kept)) {
        if (kept->ratio < FALLEN * kept->chosen) {
            partition found;
            closure_row C[ROWS];
            int other_column[NV];
            if (better_partition(rows, in_use, K, right, ready, soft, kept, &found, C, row, other_column)) {
                *kept = found;
                take_dependence(kept, C, other_column, x);
                return 1;
            }
            kept->chosen = kept->ratio;
        }
        kept->chosen = kg_max(kept->chosen, kept->ratio);
        take_dependence(kept, B, column, x);
        return 0;
    }
    memcpy(row, in_use, (size_t)rows * sizeof *row);
    scaled_rows(rows, row, K, right, B);
    number(NV, column);
    eliminate_anew(rows, B, ready, largest, soft, row, column, kept);
    take_dependence(kept, B, column, x);
    return 1;
}

/* v_S = H v_G, in place. */
static void follow(const partition *held, double *v)
{
    const int m = held->rank, free = NV - m;
    double v_G[NV];
    for (int j = 0; j < free; j++)
        v_G[j] = v[held->columns[m + j]];
    for (int k = 0; k < m; k++)
        v[held->columns[k]] = kg_dot(free, held->H + k * free, v_G);
}

/* x_G = W' x. */
static void gather(const partition *held, const double *x, double *x_G)
{
    const int m = held->rank, n = NV - m;
    for (int i = 0; i < n; i++)
        x_G[i] = x[held->columns[m + i]];
    for (int k = 0; k < m; k++)
        kg_axpy(n, x[held->columns[k]], held->H + k * n, x_G);
}

/* a = W a_G + [c; 0]; c (m), null for zero. */
static void spread(const partition *held, const double *a_G, const double *c, double *a)
{
    const int m = held->rank, n = NV - m;
    for (int i = 0; i < n; i++)
        a[held->columns[m + i]] = a_G[i];
    follow(held, a);
    for (int k = 0; c && k < m; k++)
        a[held->columns[k]] += c[k];
}

/* Partition of the velocities at q: in = the one to keep if it serves (rank -1: none); ready (nv): 1 for a velocity
 * that may well be dependent, less for one that should rather be independent, at most 1e-6 for one that must be, 0 for
 * one that is given, whatever the loops say; null for the usual preferences. Returns 1 if the partition is a new
 * one. */
int MODEL(partition_closure)(const double *p, const double *q, const double *ready, partition *held)
{
    double K[6 * LOOPS * NV];
    KERNEL(closure_rows, q, K);
    return partition_rows(p, K, 0, ready ? ready : readiness, 0.0, held, 0);
}

#endif
