/* Gauss-Jordan elimination in place of the rows that a partition has, with its pivots: K_S^-1 and H at once, in columns
 * of eight. Tables of the model: loop_first, loop_column and those of elimination.h. */

#ifndef KINEGEN_CLOSURE_INVERSION_H
#define KINEGEN_CLOSURE_INVERSION_H

#include "elimination.h"

enum { COLUMN_BLOCKS = (NV + 7) / 8 };

/* Loops of which none takes a dependent velocity of another are inverted apart, for K_S is made of blocks: in each the
 * places of its pivots in the partition, and as columns its dependent velocities and then those others that its rows
 * take, with their places in H, filled up to whole vectors with columns of size 0. Its rows stand from B[first] on, as
 * pure numbers: entry (i, j) in B[first + j / 8 * rows + i][j % 8]. */
typedef struct {
    int rows, columns, first;
    const int *pivot, *column, *place;
} inverted_block;

typedef struct {
    int count, most; /* blocks, rows of the largest */
    inverted_block block[LOOPS];
    double B[COLUMN_BLOCKS * RANK_ROOM][8];
} inversion;

/* Vectors of eight in a row. */
static inline int vectors_of(const inverted_block *x)
{
    return (x->columns + 7) / 8;
}

/* The loop that a pivot of the partition has its row of. */
static inline int loop_of(const partition *held, int k)
{
    return row_of[held->rows[k]] / 6;
}

/* by (nv): the loop that a velocity depends by, -1 of independent ones; group (LOOPS): of each loop that the partition
 * has rows of, one of those that are in its block, the same for all of them; -1 of the others. */
static void group_loops(const partition *held, int *by, int *group)
{
    for (int j = 0; j < NV; j++)
        by[j] = -1;
    for (int l = 0; l < LOOPS; l++)
        group[l] = -1;
    for (int k = 0; k < held->rank; k++) {
        by[held->columns[k]] = loop_of(held, k);
        group[loop_of(held, k)] = loop_of(held, k);
    }
    for (int l = 0; l < LOOPS; l++)
        for (int e = loop_first[l]; group[l] >= 0 && e < loop_first[l + 1]; e++) {
            const int owner = by[loop_column[e]], own = group[l], other = owner < 0 ? own : group[owner];
            for (int o = 0; other != own && o < LOOPS; o++)
                group[o] = group[o] == other ? own : group[o];
        }
}

/* Independent velocities in their order; place (nv): of each among them, -1 of dependent ones. */
static void place_independent(const partition *held, int *place)
{
    for (int k = 0; k < held->rank; k++)
        place[held->columns[k]] = -1;
    for (int j = held->rank; j < NV; j++)
        place[held->columns[j]] = j - held->rank;
}

/* Columns from `count` on of a block, beside its dependent velocities, and their places. Gives how many it has. */
static int take_leads(const int *group, int own, const int *place, int count, int *column, int *column_place)
{
    int seen[NV] = {0};
    for (int l = 0; l < LOOPS; l++)
        for (int e = loop_first[l]; group[l] == own && e < loop_first[l + 1]; e++) {
            const int j = loop_column[e];
            if (place[j] >= 0 && !seen[j]) {
                column_place[count] = place[j];
                column[count++] = j;
            }
            seen[j] = 1;
        }
    for (int j = count; j % 8 != 0; j++)
        column[j] = column_place[j] = 0;
    return count;
}

/* The blocks of the partition, one after the other. */
static void find_blocks(partition *held)
{
    int by[NV], group[LOOPS], place[NV], *pivot = held->block_pivot, at = 0;
    group_loops(held, by, group);
    place_independent(held, place);
    held->blocks = 0;
    for (int l = 0; l < LOOPS; l++) {
        int rows = 0, *column = held->block_column + at;
        for (int k = 0; k < held->rank; k++)
            if (group[loop_of(held, k)] == l) {
                column[rows++] = held->columns[k];
                *pivot++ = k;
            }
        if (rows == 0)
            continue;
        held->block_rows[held->blocks] = rows;
        held->block_columns[held->blocks] = take_leads(group, l, place, rows, column, held->block_place + at);
        at += (held->block_columns[held->blocks++] + 7) / 8 * 8;
    }
}

/* Where the blocks of an inversion stand. */
static void lay_out(const partition *held, inversion *x)
{
    const int *pivot = held->block_pivot;
    int at = 0, vectors = 0;
    x->count = held->blocks;
    x->most = 0;
    for (int b = 0; b < x->count; b++) {
        inverted_block *block = x->block + b;
        block->rows = held->block_rows[b];
        block->columns = held->block_columns[b];
        block->pivot = pivot;
        block->column = held->block_column + at;
        block->place = held->block_place + at;
        block->first = vectors;
        pivot += block->rows;
        at += 8 * vectors_of(block);
        vectors += block->rows * vectors_of(block);
        x->most = block->rows > x->most ? block->rows : x->most;
    }
}

/* The rows of a block from B on. */
static void take_block_rows(const double *K, const partition *held, const inverted_block *x, double (*B)[8])
{
    for (int b = 0; b < vectors_of(x); b++)
        for (int i = 0; i < x->rows; i++, B++) {
            const double *row = K + row_of[held->rows[x->pivot[i]]] * NV;
            const int *column = x->column + 8 * b;
            KG_UNROLLED for (int j = 0; j < 8; j++) B[0][j] = row[column[j]];
        }
}

/* As pure numbers: a pass of its own, since what reads eight waits for numbers that were written alone. */
static void scale_block_rows(const partition *held, const inverted_block *x, double (*B)[8])
{
    double size[8];
    for (int b = 0; b < vectors_of(x); b++) {
        for (int j = 0; j < 8; j++)
            size[j] = 8 * b + j < x->columns ? unit[x->column[8 * b + j]] : 0.0;
        for (int i = 0; i < x->rows; i++, B++)
            for (int j = 0; j < 8; j++)
                B[0][j] *= row_scale[held->rows[x->pivot[i]]] * size[j];
    }
}

/* The rows that the partition has. Returns the largest entry. */
static double take_own_rows(const double *K, partition *held, inversion *x)
{
    double largest = 0.0;
    if (!held->laid)
        find_blocks(held);
    lay_out(held, x);
    for (int b = 0; b < x->count; b++) {
        const inverted_block *block = x->block + b;
        take_block_rows(K, held, block, x->B + block->first);
        scale_block_rows(held, block, x->B + block->first);
        largest = kg_max(largest, kg_largest(8 * block->rows * vectors_of(block), x->B[block->first]));
    }
    return largest;
}

/* Pivot k of a block, where it is not zero. */
static inline void take_pivot(const inverted_block *x, int k, double (*B)[8])
{
    const int rows = x->rows, end = rows * vectors_of(x);
    double (*own)[8] = B + k / 8 * rows, factor[RANK_ROOM];
    const double pivot = own[k][k % 8];
    for (int i = 0; i < rows; i++)
        factor[i] = -own[i][k % 8];
    factor[k] = 0.0;
    for (int b = 0; b < end; b += rows)
        kg_scale(8, 1.0 / pivot, B[b + k]);
    kg_set_entry(own[k], k % 8, 1.0 + 1.0 / pivot); /* f - f (1 + 1/p) = -f/p in the pivot's column */
    for (int b = 0; b < end; b += rows)
        kg_add_outer(rows, factor, B[b + k], B + b);
    kg_set_entry(own[k], k % 8, 1.0 / pivot);
}

/* [K_S K_G] -> [K_S^-1, K_S^-1 K_G] of all blocks in place, and the pivots' sizes; 0 where one is not larger than
 * `least`. Pivots of several blocks do not wait for each other: they are taken by turns. */
static int invert(inversion *x, double least, double *smallest, double *greatest)
{
    *smallest = HUGE_VAL;
    *greatest = 0.0;
    for (int k = 0; k < x->most; k++)
        for (int b = 0; b < x->count; b++) {
            const inverted_block *block = x->block + b;
            if (k >= block->rows)
                continue;
            const double size = fabs(x->B[block->first + k / 8 * block->rows + k][k % 8]);
            if (!(size > least))
                return 0;
            *smallest = kg_min(*smallest, size);
            *greatest = kg_max(*greatest, size);
            take_pivot(block, k, x->B + block->first);
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

/* Rows of H and K_S^-1 from those of a block. */
static void take_inverted_block(const inverted_block *x, const double (*B)[8], partition *held)
{
    const int m = held->rank, free = NV - m, rows = x->rows;
    double size[8 * COLUMN_BLOCKS] = {0.0}, row[8 * COLUMN_BLOCKS];
    for (int i = 0; i < rows; i++)
        size[i] = row_scale[held->rows[x->pivot[i]]];
    for (int j = rows; j < x->columns; j++)
        size[j] = -per_unit[x->column[j]];
    for (int k = 0; k < rows; k++) {
        const double own = unit[x->column[k]];
        double *H = held->H + x->pivot[k] * free, *inverse = held->inverse + x->pivot[k] * m;
        for (int b = 0; b < vectors_of(x); b++)
            for (int c = 0; c < 8; c++)
                row[8 * b + c] = own * size[8 * b + c] * B[b * rows + k][c];
        for (int i = 0; i < rows; i++)
            inverse[x->pivot[i]] = row[i];
        for (int j = rows; j < x->columns; j++)
            H[x->place[j]] = row[j];
    }
}

/* Before the first inversion in these blocks: zeros everywhere else. */
static void clear_around(const inversion *x, partition *held)
{
    memset(held->H, 0, sizeof held->H);
    memset(held->inverse, 0, sizeof held->inverse);
    held->first = NV;
    held->until = 0;
    for (int b = 0; b < x->count; b++)
        for (int j = x->block[b].rows; j < x->block[b].columns; j++) {
            const int at = x->block[b].place[j];
            held->first = at < held->first ? at : held->first;
            held->until = at < held->until ? held->until : at + 1;
        }
    held->laid = 1;
}

/* H and K_S^-1 of the partition. */
static void take_inversion(const inversion *x, partition *held)
{
    if (!held->laid)
        clear_around(x, held);
    held->sparse = 0;
    held->inverted = 1;
    for (int b = 0; b < x->count; b++)
        take_inverted_block(x->block + b, (const double (*)[8])x->B + x->block[b].first, held);
}

#endif
