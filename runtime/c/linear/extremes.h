/* The larger and the smaller of two numbers: the first one where the second is not a number, none where the first is
 * not. So written they are an instruction each, while fmax and fmin of <math.h> are calls. The largest of many, and
 * whether they are finite or small. */

#ifndef KG_LINEAR_EXTREMES_H
#define KG_LINEAR_EXTREMES_H

#include <math.h>

#include "lanes.h"
#include "real.h"

static inline kg_real kg_max(kg_real a, kg_real b)
{
    return b > a ? b : a;
}

static inline kg_real kg_min(kg_real a, kg_real b)
{
    return b < a ? b : a;
}

#if defined(__GNUC__)
/* Numbers in place of those of `most` that are smaller than they in size; what is not a number is left out. */
static inline kg_piece kg_larger(kg_piece most, kg_piece x)
{
    const kg_piece_marks size = (kg_piece_marks)x & 0x7fffffffffffffffLL, more = (kg_piece)size > most;
    return (kg_piece)((size & more) | ((kg_piece_marks)most & ~more));
}

/* The largest of eight doubles, all of them numbers: pair by pair, so that few wait for each other. */
static inline double kg_largest_of_eight(const double *x)
{
    double most[4];
    for (int i = 0; i < 4; i++)
        most[i] = x[i] > x[i + 4] ? x[i] : x[i + 4];
    const double even = most[0] > most[2] ? most[0] : most[2], odd = most[1] > most[3] ? most[1] : most[3];
    return even > odd ? even : odd;
}

/* The largest size of n numbers, a multiple of eight; what is not a number is left out. */
static inline double kg_largest(int n, const double *x)
{
    kg_piece most[KG_PIECES] = {{0.0}};
    for (int i = 0; i < n; i += 8)
        for (int e = 0; e < KG_PIECES; e++)
            most[e] = kg_larger(most[e], *kg_piece_at(x + i, e));
    return kg_largest_of_eight((const double *)(const void *)most);
}

/* 1 if one of n numbers, a multiple of eight, is larger than `most` in size. */
static inline int kg_any_beyond(int n, const double *x, double most)
{
    kg_piece_marks found = {0};
    long long any = 0;
    for (int i = 0; i < n; i += KG_PIECE)
        found |= (kg_piece)((kg_piece_marks)*kg_piece_at(x + i, 0) & 0x7fffffffffffffffLL) > most;
    for (int l = 0; l < KG_PIECE; l++)
        any |= found[l];
    return any != 0;
}

/* The largest size of x[i] y[i] of n numbers; what is not a number is left out. */
static inline double kg_largest_product(int n, const double *x, const double *y)
{
    double largest = 0.0;
    int i = 0;
    if (n >= KG_PIECE) {
        kg_piece most[KG_PIECES] = {{0.0}};
        for (; i + KG_PIECE <= n; i += KG_PIECE)
            most[0] = kg_larger(most[0], *kg_piece_at(x + i, 0) * *kg_piece_at(y + i, 0));
        largest = kg_largest_of_eight((const double *)(const void *)most);
    }
    for (; i < n; i++) {
        const double product = x[i] * y[i], size = product < 0.0 ? -product : product;
        largest = size > largest ? size : largest;
    }
    return largest;
}
#else
static inline double kg_largest(int n, const double *x)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++) {
        const double size = x[i] < 0.0 ? -x[i] : x[i];
        largest = size > largest ? size : largest;
    }
    return largest;
}

static inline int kg_any_beyond(int n, const double *x, double most)
{
    int any = 0;
    for (int i = 0; i < n; i++)
        any |= x[i] > most || x[i] < -most;
    return any;
}

static inline double kg_largest_product(int n, const double *x, const double *y)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++) {
        const double product = x[i] * y[i], size = product < 0.0 ? -product : product;
        largest = size > largest ? size : largest;
    }
    return largest;
}
#endif

/* Index of the first of n numbers that is not finite, -1 if there is none. */
static inline long kg_first_non_finite(long n, const double *x)
{
    if (kg_all_finite(n, x))
        return -1;
    for (long i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return i;
    return -1;
}

/* 1 if none of n numbers is larger than `large` in size, or not a number; else 0. */
static inline int kg_all_within(long n, double large, const double *x)
{
    for (long i = 0; i < n; i++)
        if (!(fabs(x[i]) <= large))
            return 0;
    return 1;
}

#endif
