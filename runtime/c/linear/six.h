/* The inverse of a matrix of six by six, by rows of eight, in place (Gauss, Jordan): each step makes row k that of the
 * inverse, and column k of the others what they take of it. */

#ifndef KG_LINEAR_SIX_H
#define KG_LINEAR_SIX_H

#include <math.h>
#include <string.h>

#include "lanes.h"

#define KG_SMALL_PIVOT 1e-3 /* of the largest number below it: rows are exchanged */

/* With the largest pivots; 0: there is none. */
static inline int kg_invert_six_by_pivots(double (*A)[8])
{
    int from[6];
    for (int k = 0; k < 6; k++) {
        int best = k;
        double row[8];
        for (int i = k + 1; i < 6; i++)
            best = fabs(A[i][k]) > fabs(A[best][k]) ? i : best;
        from[k] = best;
        memcpy(row, A[best], sizeof row);
        memcpy(A[best], A[k], sizeof row);
        if (!(fabs(row[k]) > 0.0))
            return 0;
        const double over = 1.0 / row[k];
        row[k] = 1.0;
        for (int j = 0; j < 6; j++)
            A[k][j] = over * row[j];
        for (int i = 0; i < 6; i++) {
            const double factor = A[i][k];
            for (int j = 0; i != k && j < 6; j++)
                A[i][j] = (j == k ? 0.0 : A[i][j]) - factor * A[k][j];
        }
    }
    for (int k = 5; k >= 0; k--)
        for (int i = 0; from[k] != k && i < 6; i++) {
            const double kept = A[i][k];
            A[i][k] = A[i][from[k]];
            A[i][from[k]] = kept;
        }
    return 1;
}

#if defined(__GNUC__)
/* The same in registers, with the pivots as they stand; with the largest ones where one of these is small. */
static inline int kg_invert_six(double (*A)[8])
{
    static const double others[6][8] = {{0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0},
        {1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0}, {1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0},
        {1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0}, {1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0},
        {1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0}};
    kg_piece row[6][KG_PIECES];
    int served = 1;
    for (int i = 0; i < 6; i++)
        for (int e = 0; e < KG_PIECES; e++)
            row[i][e] = *kg_piece_at(A[i], e);
    KG_UNROLLED for (int k = 0; k < 6; k++)
    {
        const double pivot = row[k][k / KG_PIECE][k % KG_PIECE], over = 1.0 / pivot;
        double below = 0.0;
        for (int e = 0; e < KG_PIECES; e++) {
            const kg_piece other = *kg_piece_at(others[k], e);
            row[k][e] = over * (other * row[k][e] + (1.0 - other));
        }
        KG_UNROLLED for (int i = 0; i < 6; i++)
        {
            const double factor = row[i][k / KG_PIECE][k % KG_PIECE], size = fabs(factor);
            below = i > k && size > below ? size : below;
            for (int e = 0; i != k && e < KG_PIECES; e++)
                row[i][e] = *kg_piece_at(others[k], e) * row[i][e] - factor * row[k][e];
        }
        served = served && fabs(pivot) > KG_SMALL_PIVOT * below;
    }
    if (!served)
        return kg_invert_six_by_pivots(A);
    for (int i = 0; i < 6; i++)
        for (int e = 0; e < KG_PIECES; e++)
            *kg_piece_to(A[i], e) = row[i][e];
    return 1;
}
#else
static inline int kg_invert_six(double (*A)[8])
{
    return kg_invert_six_by_pivots(A);
}
#endif

#endif
