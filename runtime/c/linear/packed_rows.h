/* Rows of matrices, four entries at a time: kg_quad row[n] holds 4 n numbers, and what it holds behind the entries of
 * its row does not count. kg_.._4: of four quads. */

#ifndef KG_LINEAR_PACKED_ROWS_H
#define KG_LINEAR_PACKED_ROWS_H

#include "lanes.h"

#if !defined(__GNUC__)
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
    }

KG_ROWS(2, 1)
KG_ROWS(3, 2)
KG_ROWS(4, 3)

#endif
