/* Eight numbers at a time, a twist or a wrench and two zeros, or four: vectors of the compiler where it has them, in
 * pieces as long as the processor's, for of longer ones GCC makes detours through memory. */

#ifndef KG_LINEAR_LANES_H
#define KG_LINEAR_LANES_H

#include "real.h"

#if defined(__GNUC__)
#if defined(__AVX512F__)
#define KG_PIECE 8
#elif defined(__AVX__)
#define KG_PIECE 4
#else
#define KG_PIECE 2
#endif

enum { KG_PIECES = 8 / KG_PIECE }; /* in eight numbers */

typedef double kg_lanes __attribute__((vector_size(8 * KG_PIECE), aligned(KG_REAL_ALIGNMENT), may_alias));
typedef double kg_quad __attribute__((vector_size(32), aligned(KG_REAL_ALIGNMENT), may_alias));
typedef double kg_piece __attribute__((vector_size(8 * KG_PIECE), aligned(KG_REAL_ALIGNMENT), may_alias));
typedef long long kg_piece_marks __attribute__((vector_size(8 * KG_PIECE), aligned(KG_REAL_ALIGNMENT), may_alias));

/* Piece e of the numbers at x. */
static inline const kg_piece *kg_piece_at(const double *x, int e)
{
    return (const kg_piece *)(const void *)(x + e * KG_PIECE);
}

static inline kg_piece *kg_piece_to(double *x, int e)
{
    return (kg_piece *)(void *)(x + e * KG_PIECE);
}

/* y += sum over k < n of w[k] x[k] */
static inline void kg_add_rows(double *y, int n, const double (*x)[8], const double *w)
{
    kg_piece sum[KG_PIECES];
    for (int e = 0; e < KG_PIECES; e++)
        sum[e] = *kg_piece_at(y, e);
    for (int k = 0; k < n; k++)
        for (int e = 0; e < KG_PIECES; e++)
            sum[e] += w[k] * *kg_piece_at(x[k], e);
    for (int e = 0; e < KG_PIECES; e++)
        *kg_piece_to(y, e) = sum[e];
}

/* y += sum over k < n of w[k] times the eight numbers at x + stride index[k], in two sums that do not wait for each
 * other. */
static inline void kg_add_listed(double *y, int n, const double *x, int stride, const int *index, const double *w)
{
    kg_piece even[KG_PIECES], odd[KG_PIECES] = {{0.0}};
    for (int e = 0; e < KG_PIECES; e++)
        even[e] = *kg_piece_at(y, e);
    for (int k = 1; k < n; k += 2)
        for (int e = 0; e < KG_PIECES; e++) {
            even[e] += w[k - 1] * *kg_piece_at(x + stride * index[k - 1], e);
            odd[e] += w[k] * *kg_piece_at(x + stride * index[k], e);
        }
    for (int e = 0; e < KG_PIECES && n % 2; e++)
        even[e] += w[n - 1] * *kg_piece_at(x + stride * index[n - 1], e);
    for (int e = 0; e < KG_PIECES; e++)
        *kg_piece_to(y, e) = even[e] + odd[e];
}

/* y += s x, n numbers. */
static inline void kg_axpy(int n, double s, const double *x, double *y)
{
    int i = 0;
    for (; i + 8 <= n; i += 8)
        for (int e = 0; e < KG_PIECES; e++)
            *kg_piece_to(y + i, e) += s * *kg_piece_at(x + i, e);
    if (i + 4 <= n) {
        *(kg_quad *)(void *)(y + i) += s * *(const kg_quad *)(const void *)(x + i);
        i += 4;
    }
    for (; i < n; i++)
        y[i] += s * x[i];
}

/* y += s x + t z, n numbers and up to three after them. */
static inline void kg_axpy_two(int n, double s, const double *x, double t, const double *z, double *y)
{
    for (int i = 0; i < n; i += 4)
        *(kg_quad *)(void *)(y + i) += s * *(const kg_quad *)(const void *)(x + i)
            + t * *(const kg_quad *)(const void *)(z + i);
}

/* Y[i] += w[i] x for i < n, rows of eight. */
static inline void kg_add_outer(int n, const double *w, const double *x, double (*Y)[8])
{
    kg_piece row[KG_PIECES];
    for (int e = 0; e < KG_PIECES; e++)
        row[e] = *kg_piece_at(x, e);
    for (int i = 0; i < n; i++)
        for (int e = 0; e < KG_PIECES; e++)
            *kg_piece_to(Y[i], e) += w[i] * row[e];
}

/* Y (8, 8) = sum over k = index[0], ..., index[n - 1] of the outer products of the eight numbers at x + stride k and
 * y[k]. */
static inline void kg_listed_outers(
    int n, const int *index, const double *x, int stride, const double (*y)[8], double (*Y)[8])
{
    for (int e = 0; e < KG_PIECES; e++) {
        kg_piece sum[8] = {{0.0}};
        for (int k = 0; k < n; k++)
            KG_UNROLLED for (int i = 0; i < 8; i++)
            {
                sum[i] += x[stride * index[k] + i] * *kg_piece_at(y[index[k]], e);
            }
        KG_UNROLLED for (int i = 0; i < 8; i++)
        {
            *kg_piece_to(Y[i], e) = sum[i];
        }
    }
}

/* x *= s, n numbers. */
static inline void kg_scale(int n, double s, double *x)
{
    int i = 0;
    for (; i + KG_PIECE <= n; i += KG_PIECE)
        *kg_piece_to(x + i, 0) *= s;
    for (; i < n; i++)
        x[i] *= s;
}

/* x[i] = s of eight numbers, as whole vectors: those that read eight would wait for a number that was written alone. */
static inline void kg_set_entry(double *x, int i, double s)
{
    static const double places[8] = {0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0};
    for (int e = 0; e < KG_PIECES; e++) {
        const kg_piece_marks there = *kg_piece_at(places, e) == (double)i;
        const kg_piece_marks all = (kg_piece_marks)(s - (kg_piece){0.0}), old = (kg_piece_marks)*kg_piece_at(x, e);
        *kg_piece_to(x, e) = (kg_piece)((all & there) | (old & ~there));
    }
}

/* mark[i] is not 0 any more where x[i] is not, n numbers; -0 may count as either. */
static inline void kg_mark_nonzero(int n, const double *x, long long *mark)
{
    int i = 0;
    for (; i + KG_PIECE <= n; i += KG_PIECE)
        *(kg_piece_marks *)(void *)(mark + i) |= *(const kg_piece_marks *)(const void *)(x + i);
    for (; i < n; i++)
        mark[i] |= x[i] != 0.0;
}

/* The numbers of eight in pieces, added up. */
static inline double kg_sum_pieces(const kg_piece *pieces)
{
#if KG_PIECE == 8
    const kg_piece s = pieces[0];
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
#elif KG_PIECE == 4
    const kg_piece s = pieces[0] + pieces[1];
    return (s[0] + s[2]) + (s[1] + s[3]);
#else
    const kg_piece s = (pieces[0] + pieces[2]) + (pieces[1] + pieces[3]);
    return s[0] + s[1];
#endif
}

/* 1 if n numbers are all finite: x - x is 0 then, else it is not a number. */
static inline int kg_all_finite(long n, const double *x)
{
    double sum = 0.0, odd = 0.0;
    if (n < KG_PIECE) {
        for (long i = 0; i < n; i++)
            sum += x[i] - x[i];
        return sum == 0.0;
    }
    const kg_piece last = *kg_piece_at(x + n - KG_PIECE, 0); /* some of these have been looked at already */
    kg_piece rest = last - last;
    for (long i = 0; i + KG_PIECE <= n; i += KG_PIECE)
        rest += *kg_piece_at(x + i, 0) - *kg_piece_at(x + i, 0);
    for (int e = 0; e < KG_PIECE; e += 2) {
        sum += rest[e];
        odd += rest[e + 1];
    }
    return sum + odd == 0.0;
}

/* x' y, n numbers. */
static inline double kg_dot(int n, const double *x, const double *y)
{
    double sum = 0.0;
    int i = 0;
    if (n >= 8) {
        kg_piece s[KG_PIECES] = {{0.0}};
        for (; i + 8 <= n; i += 8)
            for (int e = 0; e < KG_PIECES; e++)
                s[e] += *kg_piece_at(x + i, e) * *kg_piece_at(y + i, e);
        sum = kg_sum_pieces(s);
    }
    if (i + 4 <= n) {
        const kg_quad s = *(const kg_quad *)(const void *)(x + i) * *(const kg_quad *)(const void *)(y + i);
        sum += (s[0] + s[2]) + (s[1] + s[3]);
        i += 4;
    }
    for (; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}
#else
static inline void kg_add_rows(double *y, int n, const double (*x)[8], const double *w)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 8; i++)
            y[i] += w[k] * x[k][i];
}

static inline void kg_add_listed(double *y, int n, const double *x, int stride, const int *index, const double *w)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 8; i++)
            y[i] += w[k] * x[stride * index[k] + i];
}

static inline void kg_axpy(int n, double s, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] += s * x[i];
}

static inline void kg_axpy_two(int n, double s, const double *x, double t, const double *z, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] += s * x[i] + t * z[i];
}

static inline void kg_add_outer(int n, const double *w, const double *x, double (*Y)[8])
{
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 8; c++)
            Y[i][c] += w[i] * x[c];
}

static inline void kg_listed_outers(
    int n, const int *index, const double *x, int stride, const double (*y)[8], double (*Y)[8])
{
    for (int i = 0; i < 8; i++)
        for (int e = 0; e < 8; e++) {
            Y[i][e] = 0.0;
            for (int k = 0; k < n; k++)
                Y[i][e] += x[stride * index[k] + i] * y[index[k]][e];
        }
}

static inline void kg_scale(int n, double s, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] *= s;
}

static inline void kg_set_entry(double *x, int i, double s)
{
    x[i] = s;
}

static inline void kg_mark_nonzero(int n, const double *x, long long *mark)
{
    for (int i = 0; i < n; i++)
        mark[i] |= x[i] != 0.0;
}

static inline int kg_all_finite(long n, const double *x)
{
    double sum = 0.0;
    for (long i = 0; i < n; i++)
        sum += x[i] - x[i];
    return sum == 0.0;
}

static inline double kg_dot(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}
#endif

/* y += scale x, eight numbers. */
static inline void kg_add_scaled(double *y, double scale, const double *x)
{
    kg_add_rows(y, 1, (const double (*)[8])(const void *)x, &scale);
}

#endif
