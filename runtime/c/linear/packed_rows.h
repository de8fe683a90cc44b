/* Rows of matrices, four entries at a time: kg_quad row[n] holds 4 n numbers, and what it holds behind the entries of
 * its row does not count. kg_.._4: of four quads. */

#ifndef KG_LINEAR_PACKED_ROWS_H
#define KG_LINEAR_PACKED_ROWS_H

#include "lanes.h"

#if defined(__GNUC__)
typedef double kg_half __attribute__((vector_size(16), aligned(KG_REAL_ALIGNMENT), may_alias));
#else
typedef struct {
    double x[4];
} kg_quad;
#endif

/* row = x */
static inline void kg_row_1(kg_quad *row, const double *x)
{
#if defined(__GNUC__)
    *row = *(const kg_quad *)(const void *)x;
#else
    for (int i = 0; i < 4; i++)
        row->x[i] = x[i];
#endif
}

/* row -= w x */
static inline void kg_take_1(kg_quad *row, double w, const double *x)
{
#if defined(__GNUC__)
    *row -= w * *(const kg_quad *)(const void *)x;
#else
    for (int i = 0; i < 4; i++)
        row->x[i] -= w * x[i];
#endif
}

/* x = w row */
static inline void kg_times_1(const kg_quad *row, double w, double *x)
{
#if defined(__GNUC__)
    *(kg_quad *)(void *)x = w * *row;
#else
    for (int i = 0; i < 4; i++)
        x[i] = w * row->x[i];
#endif
}

/* x = row */
static inline void kg_keep_1(const kg_quad *row, double *x)
{
#if defined(__GNUC__)
    *(kg_quad *)(void *)x = *row;
#else
    for (int i = 0; i < 4; i++)
        x[i] = row->x[i];
#endif
}

/* row = w x */
static inline void kg_scaled_1(kg_quad *row, double w, const double *x)
{
#if defined(__GNUC__)
    *row = w * *(const kg_quad *)(const void *)x;
#else
    for (int i = 0; i < 4; i++)
        row->x[i] = w * x[i];
#endif
}

/* row = above + w x */
static inline void kg_onto_1(kg_quad *row, const kg_quad *above, double w, const double *x)
{
#if defined(__GNUC__)
    *row = *above + w * *(const kg_quad *)(const void *)x;
#else
    for (int i = 0; i < 4; i++)
        row->x[i] = above->x[i] + w * x[i];
#endif
}

/* row = a + b */
static inline void kg_join_1(kg_quad *row, const kg_quad *a, const kg_quad *b)
{
#if defined(__GNUC__)
    *row = *a + *b;
#else
    for (int i = 0; i < 4; i++)
        row->x[i] = a->x[i] + b->x[i];
#endif
}

/* row = (a, b, c, d) */
static inline void kg_fill(kg_quad *row, double a, double b, double c, double d)
{
#if defined(__GNUC__)
    *row = (kg_quad){a, b, c, d};
#else
    const double x[4] = {a, b, c, d};
    kg_row_1(row, x);
#endif
}

/* The numbers of a quad. */
static inline const double *kg_numbers(const kg_quad *x)
{
    return (const double *)(const void *)x;
}

/* sum = x y entry by entry: four sums that are kept apart */
static inline void kg_begin(kg_quad *sum, const kg_quad *x, const double *y)
{
#if defined(__GNUC__)
    *sum = *(const kg_quad *)(const void *)y * *x;
#else
    for (int i = 0; i < 4; i++)
        sum->x[i] = y[i] * x->x[i];
#endif
}

/* sum += x y */
static inline void kg_along(kg_quad *sum, const kg_quad *x, const double *y)
{
#if defined(__GNUC__)
    *sum = *sum + *(const kg_quad *)(const void *)y * *x;
#else
    for (int i = 0; i < 4; i++)
        sum->x[i] += y[i] * x->x[i];
#endif
}

/* Entry i of a row. */
static inline double kg_entry_of(const kg_quad *row, int i)
{
#if defined(__GNUC__)
    return row[i / 4][i % 4];
#else
    return row[i / 4].x[i % 4];
#endif
}

/* All four sums. */
static inline double kg_sum(const kg_quad *sum)
{
#if defined(__GNUC__)
    const kg_half *half = (const kg_half *)(const void *)sum, two = half[0] + half[1];
    return two[0] + two[1];
#else
    return (sum->x[0] + sum->x[2]) + (sum->x[1] + sum->x[3]);
#endif
}

/* The same of `now` quads, by those of the `one` less before them. */
#define KG_ROWS(now, one)                                                                                              \
    static inline void kg_row_##now(kg_quad *row, const double *x)                                                     \
    {                                                                                                                  \
        kg_row_##one(row, x);                                                                                          \
        kg_row_1(row + one, x + 4 * one);                                                                              \
    }                                                                                                                  \
    static inline void kg_take_##now(kg_quad *row, double w, const double *x)                                          \
    {                                                                                                                  \
        kg_take_##one(row, w, x);                                                                                      \
        kg_take_1(row + one, w, x + 4 * one);                                                                          \
    }                                                                                                                  \
    static inline void kg_times_##now(const kg_quad *row, double w, double *x)                                         \
    {                                                                                                                  \
        kg_times_##one(row, w, x);                                                                                     \
        kg_times_1(row + one, w, x + 4 * one);                                                                         \
    }                                                                                                                  \
    static inline void kg_keep_##now(const kg_quad *row, double *x)                                                    \
    {                                                                                                                  \
        kg_keep_##one(row, x);                                                                                         \
        kg_keep_1(row + one, x + 4 * one);                                                                             \
    }                                                                                                                  \
    static inline void kg_scaled_##now(kg_quad *row, double w, const double *x)                                        \
    {                                                                                                                  \
        kg_scaled_##one(row, w, x);                                                                                    \
        kg_scaled_1(row + one, w, x + 4 * one);                                                                        \
    }                                                                                                                  \
    static inline void kg_onto_##now(kg_quad *row, const kg_quad *above, double w, const double *x)                    \
    {                                                                                                                  \
        kg_onto_##one(row, above, w, x);                                                                               \
        kg_onto_1(row + one, above + one, w, x + 4 * one);                                                             \
    }                                                                                                                  \
    static inline void kg_join_##now(kg_quad *row, const kg_quad *a, const kg_quad *b)                                 \
    {                                                                                                                  \
        kg_join_##one(row, a, b);                                                                                      \
        kg_join_1(row + one, a + one, b + one);                                                                        \
    }

KG_ROWS(2, 1)
KG_ROWS(3, 2)
KG_ROWS(4, 3)

#endif
