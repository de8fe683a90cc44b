/* Gauss-Jordan elimination in place of the rows that a partition has, with its pivots: K_S^-1 and H at once, in columns
 * of eight. Tables of the model: as for elimination.h. */

#ifndef KINEGEN_CLOSURE_INVERSION_H
#define KINEGEN_CLOSURE_INVERSION_H

#include "elimination.h"

enum { COLUMN_BLOCKS = (NV + 7) / 8 };

/* The rows of a partition in its order, as pure numbers, along its dependent velocities and then those others that
 * they touch: entry (i, j) in B[j / 8][i][j % 8]. */
typedef struct {
    int rows, columns, blocks, column[NV];
    double B[COLUMN_BLOCKS][RANK_ROOM][8];
} inversion;

static void take_own_rows(const double *K, const partition *held, inversion *x)
{
    const int m = held->rank;
    long long touched[NV] = {0};
    double size[8];
    for (int k = 0; k < m; k++)
        kg_mark_nonzero(NV, K + row_of[held->rows[k]] * NV, touched);
    x->rows = x->columns = m;
    for (int k = 0; k < m; k++) {
        x->column[k] = held->columns[k];
        touched[held->columns[k]] = 0;
    }
    for (int j = 0; j < NV; j++)
        if (touched[j])
            x->column[x->columns++] = j;
    x->blocks = (x->columns + 7) / 8;
    for (int b = 0; b < x->blocks; b++) {
        const int *column = x->column + 8 * b, count = x->columns - 8 * b < 8 ? x->columns - 8 * b : 8;
        for (int j = 0; j < count; j++)
            size[j] = unit[column[j]];
        for (int i = 0; i < m; i++) {
            const double *row = K + row_of[held->rows[i]] * NV, scale = row_scale[held->rows[i]];
            for (int j = 0; j < count; j++)
                x->B[b][i][j] = scale * size[j] * row[column[j]];
            for (int j = count; j < 8; j++)
                x->B[b][i][j] = 0.0;
        }
    }
}

/* The largest entry. */
static double largest_own(const inversion *x)
{
    double largest = 0.0;
    for (int b = 0; b < x->blocks; b++)
        largest = kg_max(largest, kg_largest(8 * x->rows, x->B[b][0]));
    return largest;
}

/* [K_S K_G] -> [K_S^-1, K_S^-1 K_G] in place, and the pivots' sizes; 0 where one is not larger than `least`. */
static int invert(inversion *x, double least, double *smallest, double *greatest)
{
    *smallest = HUGE_VAL;
    *greatest = 0.0;
    for (int k = 0; k < x->rows; k++) {
        double (*own)[8] = x->B[k / 8], factor[RANK_ROOM];
        const double pivot = own[k][k % 8], size = fabs(pivot);
        if (!(size > least))
            return 0;
        *smallest = kg_min(*smallest, size);
        *greatest = kg_max(*greatest, size);
        for (int i = 0; i < x->rows; i++)
            factor[i] = -own[i][k % 8];
        factor[k] = 0.0;
        for (int b = 0; b < x->blocks; b++)
            kg_scale(8, 1.0 / pivot, x->B[b][k]);
        own[k][k % 8] = 1.0 + 1.0 / pivot; /* f - f (1 + 1/p) = -f/p in the pivot's column */
        for (int b = 0; b < x->blocks; b++)
            kg_add_outer(x->rows, factor, x->B[b][k], x->B[b]);
        own[k][k % 8] = 1.0 / pivot;
    }
    return 1;
}

/* Independent velocities in the order of the tree; place (nv): of each among them, -1 of dependent ones. */
static void order_independent(partition *held, int *place)
{
    int count = 0;
    memset(place, 0, NV * sizeof *place);
    for (int k = 0; k < held->rank; k++)
        place[held->columns[k]] = -1;
    for (int i = 0; i < NV; i++)
        if (place[i] == 0) {
            held->columns[held->rank + count] = i;
            place[i] = count++;
        }
}

/* H and K_S^-1 of the partition. */
static void take_inversion(const inversion *x, partition *held)
{
    const int m = held->rank, free = NV - m, leads = x->columns - m;
    int place[NV], at[NV];
    double scale[RANK_ROOM], size[NV];
    for (int j = 0; j < free; j++)
        place[held->columns[m + j]] = j;
    held->sparse = 0;
    held->inverted = 1;
    for (int i = 0; i < m; i++)
        scale[i] = row_scale[held->rows[i]];
    for (int j = 0; j < leads; j++) {
        at[j] = place[x->column[m + j]];
        size[j] = -per_unit[x->column[m + j]];
    }
    for (int k = 0; k < m; k++) {
        const double own = unit[held->columns[k]];
        double row[8 * COLUMN_BLOCKS], *H = held->H + k * free, *inverse = held->inverse + k * m;
        for (int b = 0; b < x->blocks; b++)
            memcpy(row + 8 * b, x->B[b][k], sizeof x->B[b][k]);
        for (int i = 0; i < m; i++)
            inverse[i] = own * row[i] * scale[i];
        memset(H, 0, (size_t)free * sizeof *H);
        for (int j = 0; j < leads; j++)
            H[at[j]] = own * row[m + j] * size[j];
    }
}

#endif
