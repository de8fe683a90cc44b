/* Rows of four numbers: what unit impulses along the three rows of a block do, entry by entry, and a zero. */

#ifndef KG_LINEAR_SHORT_ROWS_H
#define KG_LINEAR_SHORT_ROWS_H

#include "lanes.h"

#if defined(__GNUC__)
/* y += sum over k < n of w[k] x[k], in two sums, since sweeps wait for the result. */
static inline void kg_sum_short_rows(kg_quad *y, int n, const double (*x)[4], const double *w)
{
    kg_quad even = *y, odd = {0.0};
    for (int k = 1; k < n; k += 2) {
        even += w[k - 1] * *(const kg_quad *)(const void *)x[k - 1];
        odd += w[k] * *(const kg_quad *)(const void *)x[k];
    }
    if (n % 2)
        even += w[n - 1] * *(const kg_quad *)(const void *)x[n - 1];
    *y = even + odd;
}

static inline void kg_add_short_rows(double *y, int n, const double (*x)[4], const double *w)
{
    kg_sum_short_rows((kg_quad *)(void *)y, n, x, w);
}

/* v (3) = sum over k < n of w[k] x[k] without the last number, kept out of memory. */
static inline void kg_along_rows(int n, const double (*x)[4], const double *w, double *v)
{
    kg_quad sum = {0.0};
    kg_sum_short_rows(&sum, n, x, w);
    for (int k = 0; k < 3; k++)
        v[k] = sum[k];
}

/* Y[k] += w x[k] for k < n, number by number, rows of four. */
static inline void kg_add_products(int n, const double (*x)[4], const double *w, double (*Y)[4])
{
    const kg_quad all = *(const kg_quad *)(const void *)w;
    for (int k = 0; k < n; k++)
        *(kg_quad *)(void *)Y[k] += all * *(const kg_quad *)(const void *)x[k];
}

/* z = a x + b y, four numbers. */
static inline void kg_combine(double a, const double *x, double b, const double *y, double *z)
{
    *(kg_quad *)(void *)z = a * *(const kg_quad *)(const void *)x + b * *(const kg_quad *)(const void *)y;
}

/* Y (3, 8) = x' m, added to what it was if `more`; x (n, 4) of which the last column is left out, m (n, 8). */
static inline void kg_add_product(int n, const double (*x)[4], const double (*m)[8], int more, double (*Y)[8])
{
    for (int e = 0; e < KG_PIECES; e++) {
        kg_piece sum[3] = {{0.0}};
        for (int i = 0; i < 3 && more; i++)
            sum[i] = *kg_piece_at(Y[i], e);
        for (int k = 0; k < n; k++)
            for (int i = 0; i < 3; i++)
                sum[i] += x[k][i] * *kg_piece_at(m[k], e);
        for (int i = 0; i < 3; i++)
            *kg_piece_to(Y[i], e) = sum[i];
    }
}
#else
static inline void kg_add_short_rows(double *y, int n, const double (*x)[4], const double *w)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 4; i++)
            y[i] += w[k] * x[k][i];
}

static inline void kg_along_rows(int n, const double (*x)[4], const double *w, double *v)
{
    for (int i = 0; i < 3; i++) {
        v[i] = 0.0;
        for (int k = 0; k < n; k++)
            v[i] += w[k] * x[k][i];
    }
}

static inline void kg_add_products(int n, const double (*x)[4], const double *w, double (*Y)[4])
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 4; i++)
            Y[k][i] += w[i] * x[k][i];
}

static inline void kg_combine(double a, const double *x, double b, const double *y, double *z)
{
    for (int i = 0; i < 4; i++)
        z[i] = a * x[i] + b * y[i];
}

static inline void kg_add_product(int n, const double (*x)[4], const double (*m)[8], int more, double (*Y)[8])
{
    for (int i = 0; i < 3; i++)
        for (int e = 0; e < 8; e++) {
            double sum = more ? Y[i][e] : 0.0;
            for (int k = 0; k < n; k++)
                sum += x[k][i] * m[k][e];
            Y[i][e] = sum;
        }
}
#endif

#endif
