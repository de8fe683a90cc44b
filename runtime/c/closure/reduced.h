/* A = W' M W, the mass matrix of the independent velocities [N98 (17)], and its factor. */

#ifndef KINEGEN_CLOSURE_REDUCED_H
#define KINEGEN_CLOSURE_REDUCED_H

#include "../linear/symmetric.h"
#include "partition.h"

/* Columns of H that are not zero: the independent velocities that something depends on. Returns how many. */
static int leading_columns(const partition *held, int *leading)
{
    const int m = held->rank, n = NV - m;
    long long used[NV] = {0};
    int count = 0;
    for (int k = 0; k < m; k++)
        kg_mark_nonzero(n, held->H + k * n, used);
    for (int j = 0; j < n; j++)
        if (used[j])
            leading[count++] = j;
    return count;
}

/* Rows of H (m) along up to eight leading columns, filled up with zeros. */
static void leading_rows(const partition *held, int count, const int *leading, double (*H)[8])
{
    const int m = held->rank, n = NV - m;
    for (int k = 0; k < m; k++)
        for (int c = 0; c < 8; c++)
            H[k][c] = c < count ? held->H[k * n + leading[c]] : 0.0;
}

/* U = M_SG + M_SS H / 2 (m, n). */
static void couple(const partition *held, const double *M, int leads, const int *leading, double *U)
{
    const int m = held->rank, n = NV - m, *dependent = held->columns, *independent = dependent + m;
    double half[RANK_ROOM * RANK_ROOM];
    for (int k = 0; k < m; k++) {
        const double *row = M + dependent[k] * NV;
        for (int j = 0; j < n; j++)
            U[k * n + j] = row[independent[j]];
        for (int l = 0; l < m; l++)
            half[k * m + l] = 0.5 * row[dependent[l]];
    }
    for (int from = 0; from < leads; from += 8) {
        const int count = leads - from < 8 ? leads - from : 8;
        double H[RANK_ROOM][8], X[RANK_ROOM][8] = {{0.0}};
        leading_rows(held, count, leading + from, H);
        for (int l = 0; l < m; l++)
            kg_add_outer(m, half + l * m, H[l], X);
        for (int k = 0; k < m; k++)
            for (int c = 0; c < count; c++)
                U[k * n + leading[from + c]] += X[k][c];
    }
}

/* Lower triangle of A = W' M W (nf, nf); W has the rows of H and unit rows. With S dependent and G independent,
 * A = M_GG + H' U + U' H. Only the columns of H that are not zero are multiplied. */
static void reduce_inertia(const partition *held, const double *M, double *A)
{
    const int m = held->rank, n = NV - m, *independent = held->columns + m;
    double U[RANK_ROOM * NV];
    int leading[NV];
    const int leads = leading_columns(held, leading);
    couple(held, M, leads, leading, U);
    for (int i = 0; i < n; i++) {
        const double *row = M + independent[i] * NV;
        for (int j = 0; j <= i; j++)
            A[i * n + j] = row[independent[j]];
    }
    for (int from = 0; from < leads; from += 8) {
        const int count = leads - from < 8 ? leads - from : 8;
        double H[RANK_ROOM][8], X[NV][8] = {{0.0}};
        leading_rows(held, count, leading + from, H);
        for (int k = 0; k < m; k++)
            kg_add_outer(n, U + k * n, H[k], X);
        for (int i = 0; i < n; i++)
            for (int c = 0; c < count; c++) {
                const int j = leading[from + c];
                A[i > j ? i * n + j : j * n + i] += i == j ? 2.0 * X[i][c] : X[i][c];
            }
    }
}

#if HAS_CORE
enum { CORE_BLOCKS = NV / 8 + 1, CORE_WIDTH = 8 * CORE_BLOCKS };

/* Of core/core.h: velocities of the core, others, and places of its independent ones among all independent ones. M by
 * the rows of branches, those of the others as L and D; 1/D of these, and forces less what was eliminated. W of the
 * core along its independent velocities and, as one more column, c of the dependent ones: rows of `blocks` times
 * eight numbers. */
typedef struct {
    int in_core[NV], core[NV], size, other[NV], others, lead[NV], leads, blocks;
    double M[sizeof branch_column / sizeof *branch_column], inverse[NV], z[NV], W[NV][CORE_WIDTH];
} core_terms;
#endif

/* A as it is factored, lower triangle of L and 1/D, for the responses of a step. n: 0, or the size of a factor that was
 * made along branches: of it has_row tells which rows are there, place (nv) their numbers. */
typedef struct {
    double A[NV * NV], inverse[SIDE];
#if HAS_CORE
    int n, has_row[NV], place[NV];
    core_terms core;
#endif
} reduced_factor;

static void factor_reduced(int n, double *A, double *inverse)
{
    double work[SIDE];
    kg_factor_ldl(n, A, inverse, work);
}

#endif
