/* Rows of four numbers: what unit impulses along the three rows of a block do, entry by entry, and a zero; and what
 * three of them do to eight numbers. */

#ifndef KG_LINEAR_SHORT_ROWS_H
#define KG_LINEAR_SHORT_ROWS_H

#include "lanes.h"

#if defined(__GNUC__)
/* `size` bytes that will be read soon: of many rows, those to come are in the second cache. */
static inline void kg_fetch(const void *x, int size)
{
    KG_UNROLLED for (int line = 0; line < size; line += 64)
    {
        __builtin_prefetch((const char *)x + line);
    }
}

/* y += sum over k < n of w[k] x[k], n up to six, in two sums, since sweeps wait for the result. */
static inline void kg_sum_short_rows(kg_quad *y, int n, const double (*x)[4], const double *w)
{
    kg_quad even = *y, odd = {0.0};
    KG_UNROLLED for (int k = 0; k < 6; k += 2)
    {
        if (k < n)
            even += w[k] * *(const kg_quad *)(const void *)x[k];
        if (k + 1 < n)
            odd += w[k + 1] * *(const kg_quad *)(const void *)x[k + 1];
    }
    *y = even + odd;
}

static inline void kg_add_short_rows(double *y, int n, const double (*x)[4], const double *w)
{
    kg_sum_short_rows((kg_quad *)(void *)y, n, x, w);
}

/* y += w[0] x[0] + w[1] x[1] + w[2] x[2] */
static inline void kg_add_three_rows(double *y, const double (*x)[8], const double *w)
{
    KG_UNROLLED for (int e = 0; e < KG_PIECES; e++)
    {
        *kg_piece_to(y, e) = *kg_piece_at(y, e) + w[0] * *kg_piece_at(x[0], e) + w[1] * *kg_piece_at(x[1], e)
            + w[2] * *kg_piece_at(x[2], e);
    }
}

/* v (3) = sum over k < n of w[k] x[k] without the last number, kept out of memory. */
static inline void kg_along_rows(int n, const double (*x)[4], const double *w, double *v)
{
    kg_quad sum = {0.0};
    kg_sum_short_rows(&sum, n, x, w);
    for (int k = 0; k < 3; k++)
        v[k] = sum[k];
}

/* to = s x, four numbers. */
static inline void kg_scale_short_row(double s, const double *x, double *to)
{
    *(kg_quad *)(void *)to = s * *(const kg_quad *)(const void *)x;
}

/* Y[k] += w x[k] for k < n, up to six, number by number, rows of four; w (3), which is read number by number: where it
 * was just written so, a load of all would wait for it. */
static inline void kg_add_products(int n, const double (*x)[4], const double *w, double (*Y)[4])
{
    const kg_quad all = {w[0], w[1], w[2], 0.0};
    KG_UNROLLED for (int k = 0; k < 6; k++)
    {
        if (k < n)
            *(kg_quad *)(void *)Y[k] += all * *(const kg_quad *)(const void *)x[k];
    }
}

/* x (3, 8) = P' x, then Y (n, 8) -= w x; of the four numbers in rows of P and w the last is left out. */
static inline void kg_eliminate_triple(
    int n, const double (*P)[4], const double (*w)[4], double (*x)[8], double (*Y)[8])
{
    kg_piece row[KG_PIECES][3] = {{{0.0}}};
    for (int k = 0; k < 3; k++)
        KG_UNROLLED for (int e = 0; e < KG_PIECES; e++)
        {
            KG_UNROLLED for (int i = 0; i < 3; i++)
            {
                row[e][i] += P[k][i] * *kg_piece_at(x[k], e);
            }
        }
    for (int e = 0; e < KG_PIECES; e++)
        for (int i = 0; i < 3; i++)
            *kg_piece_to(x[i], e) = row[e][i];
    for (int k = 0; k < n; k++)
        KG_UNROLLED for (int e = 0; e < KG_PIECES; e++)
        {
            *kg_piece_to(Y[k], e) -= w[k][0] * row[e][0] + w[k][1] * row[e][1] + w[k][2] * row[e][2];
        }
}

/* Y (3, 8) = sum over k < n of x[k]' m[index[k]]; the last of four numbers of x is left out. */
static inline void kg_listed_product(
    int n, const int *index, const double (*x)[4], const double (*m)[8], double (*Y)[8])
{
    kg_piece sum[KG_PIECES][3] = {{{0.0}}};
    for (int k = 0; k < n; k++) {
        const double *row = m[index[k]];
        KG_UNROLLED for (int e = 0; e < KG_PIECES; e++)
        {
            KG_UNROLLED for (int i = 0; i < 3; i++)
            {
                sum[e][i] += x[k][i] * *kg_piece_at(row, e);
            }
        }
    }
    for (int e = 0; e < KG_PIECES; e++)
        for (int i = 0; i < 3; i++)
            *kg_piece_to(Y[i], e) = sum[e][i];
}

/* Entries e of the wrenches of forces along sign d[k], k < 3, which act at arm: forces first, then moments. */
static inline void kg_set_short_rows(double sign, const double (*d)[3], const double *arm, double (*row)[4])
{
    kg_quad along[3];
    for (int e = 0; e < 3; e++)
        along[e] = (kg_quad){sign * d[0][e], sign * d[1][e], sign * d[2][e], 0.0};
    for (int e = 0; e < 3; e++) {
        const int next = (e + 1) % 3, last = (e + 2) % 3;
        *(kg_quad *)(void *)row[e] = along[e];
        *(kg_quad *)(void *)row[3 + e] = arm[next] * along[last] - arm[last] * along[next];
    }
}

/* Y (3, 8) = x' m, added to what it was if `more`; x (n, 4) of which the last column is left out, m (n, 8). */
static inline void kg_add_product(int n, const double (*x)[4], const double (*m)[8], int more, double (*Y)[8])
{
    kg_piece sum[KG_PIECES][3] = {{{0.0}}};
    for (int e = 0; e < KG_PIECES && more; e++)
        for (int i = 0; i < 3; i++)
            sum[e][i] = *kg_piece_at(Y[i], e);
    for (int k = 0; k < n; k++)
        KG_UNROLLED for (int e = 0; e < KG_PIECES; e++)
        {
            KG_UNROLLED for (int i = 0; i < 3; i++)
            {
                sum[e][i] += x[k][i] * *kg_piece_at(m[k], e);
            }
        }
    for (int e = 0; e < KG_PIECES; e++)
        for (int i = 0; i < 3; i++)
            *kg_piece_to(Y[i], e) = sum[e][i];
}
#else
static inline void kg_fetch(const void *x, int size)
{
    (void)x, (void)size;
}

static inline void kg_add_short_rows(double *y, int n, const double (*x)[4], const double *w)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 4; i++)
            y[i] += w[k] * x[k][i];
}

static inline void kg_add_three_rows(double *y, const double (*x)[8], const double *w)
{
    kg_add_rows(y, 3, x, w);
}

static inline void kg_along_rows(int n, const double (*x)[4], const double *w, double *v)
{
    for (int i = 0; i < 3; i++) {
        v[i] = 0.0;
        for (int k = 0; k < n; k++)
            v[i] += w[k] * x[k][i];
    }
}

static inline void kg_scale_short_row(double s, const double *x, double *to)
{
    for (int i = 0; i < 4; i++)
        to[i] = s * x[i];
}

static inline void kg_add_products(int n, const double (*x)[4], const double *w, double (*Y)[4])
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 3; i++)
            Y[k][i] += w[i] * x[k][i];
}

static inline void kg_eliminate_triple(
    int n, const double (*P)[4], const double (*w)[4], double (*x)[8], double (*Y)[8])
{
    for (int e = 0; e < 8; e++) {
        const double was[3] = {x[0][e], x[1][e], x[2][e]};
        for (int i = 0; i < 3; i++)
            x[i][e] = P[0][i] * was[0] + P[1][i] * was[1] + P[2][i] * was[2];
        for (int k = 0; k < n; k++)
            Y[k][e] -= w[k][0] * x[0][e] + w[k][1] * x[1][e] + w[k][2] * x[2][e];
    }
}

static inline void kg_listed_product(
    int n, const int *index, const double (*x)[4], const double (*m)[8], double (*Y)[8])
{
    for (int i = 0; i < 3; i++)
        for (int e = 0; e < 8; e++) {
            Y[i][e] = 0.0;
            for (int k = 0; k < n; k++)
                Y[i][e] += x[k][i] * m[index[k]][e];
        }
}

static inline void kg_set_short_rows(double sign, const double (*d)[3], const double *arm, double (*row)[4])
{
    for (int e = 0; e < 3; e++)
        for (int k = 0; k < 4; k++)
            row[e][k] = k < 3 ? sign * d[k][e] : 0.0;
    for (int e = 0; e < 3; e++) {
        const int next = (e + 1) % 3, last = (e + 2) % 3;
        for (int k = 0; k < 4; k++)
            row[3 + e][k] = arm[next] * row[last][k] - arm[last] * row[next][k];
    }
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
