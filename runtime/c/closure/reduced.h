/* A = W' M W, the mass matrix of the independent velocities [N98 (17)], and its factor. */

#ifndef KINEGEN_CLOSURE_REDUCED_H
#define KINEGEN_CLOSURE_REDUCED_H

#include "../linear/symmetric.h"
#include "partition.h"

/* Columns of H that are not zero: the independent velocities that something depends on. Returns how many. */
static int leading_columns(const partition *held, int *leading)
{
    const int m = held->rank, n = NV - m;
    int count = 0;
    for (int j = 0; j < n; j++) {
        int k = 0;
        while (k < m && held->H[k * n + j] == 0.0)
            k++;
        if (k < m)
            leading[count++] = j;
    }
    return count;
}

/* Lower triangle of A = W' M W (nf, nf); W has the rows of H and unit rows. With S dependent and G independent,
 * A = M_GG + H' U + U' H,  U = M_SG + M_SS H / 2. Only the columns of H that are not zero are multiplied. */
static void reduce_inertia(const partition *held, const double *M, double *A)
{
    const int m = held->rank, n = NV - m, *dependent = held->columns, *independent = dependent + m;
    double H[NV * NV], U[NV * NV], X[NV]; /* rows of H and U' H along the leading columns */
    int leading[NV];
    const int leads = leading_columns(held, leading);
    for (int k = 0; k < m; k++)
        for (int c = 0; c < leads; c++)
            H[k * leads + c] = held->H[k * n + leading[c]];
    for (int k = 0; k < m; k++) {
        const double *row = M + dependent[k] * NV;
        memset(X, 0, (size_t)leads * sizeof *X);
        for (int l = 0; l < m; l++)
            if (row[dependent[l]] != 0.0)
                kg_axpy(leads, 0.5 * row[dependent[l]], H + l * leads, X);
        for (int j = 0; j < n; j++)
            U[k * n + j] = row[independent[j]];
        for (int c = 0; c < leads; c++)
            U[k * n + leading[c]] += X[c];
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            A[i * n + j] = M[independent[i] * NV + independent[j]];
    for (int i = 0; i < n; i++) {
        memset(X, 0, (size_t)leads * sizeof *X);
        for (int k = 0; k < m; k++)
            if (U[k * n + i] != 0.0)
                kg_axpy(leads, U[k * n + i], H + k * leads, X);
        for (int c = 0; c < leads; c++) {
            const int j = leading[c];
            A[i > j ? i * n + j : j * n + i] += i == j ? 2.0 * X[c] : X[c];
        }
    }
}

/* A as it is factored, lower triangle of L and 1/D, for the responses of a step. */
typedef struct {
    double A[NV * NV], inverse[SIDE];
} reduced_factor;

static void factor_reduced(int n, double *A, double *inverse)
{
    double work[SIDE];
    kg_factor_ldl(n, A, inverse, work);
}

#endif
