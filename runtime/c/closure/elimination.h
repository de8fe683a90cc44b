/* Gauss-Jordan elimination of the scaled rows of K, with the pivots of a partition or with new ones by complete
 * pivoting. Tables of the model: row_of, row_scale, unit, loop_flag. */

#ifndef KINEGEN_CLOSURE_ELIMINATION_H
#define KINEGEN_CLOSURE_ELIMINATION_H

#include <math.h>
#include <string.h>

#include "../linear/extremes.h"
#include "../linear/lanes.h"
#include "trusted.h"

/* PREFIX_model.h tells numbers that Python has too. MARGIN: times the misfit found at generation: gap of a loop that
 * counts as closed; RANK_TOLERANCE: remainders below this part of the largest entry are zero; SINGULAR: smallest pivot
 * over largest below which the mechanism is near a singularity; TIED: entries whose sizes differ by less are as large;
 * PINNED: readiness below which a velocity must not be dependent. */
#define LEAST_SIZE 1e-3 /* of the largest entry, a pure number: below it tolerances fall no further */

/* A partition is kept while its pivots stay above this part of the largest. Where dimensions are rounded, small pivots
 * enlarge what the rows that are left out miss by: rows are chosen anew earlier. */
#define KEEP (MISFIT > 0.0 ? KEPT_RATIO_MISFIT : KEPT_RATIO)

/* Remainders below this part of the largest entry are zero: with rounded dimensions what the rounding leaves, too. */
#define REMAINDER (MISFIT > 0.0 ? kg_min(kg_max(RANK_TOLERANCE, 100.0 * MISFIT / UNIT_LENGTH), 1e-3) : RANK_TOLERANCE)

enum { RANK_ROOM = ROWS < NV ? ROWS : NV }; /* dependent velocities that there can be */

typedef MODEL(partition) partition;
typedef double closure_row[(NV + ROWS + 8) / 8 * 8];

/* Rows of K that are eliminated, `row` as places in row_of, scaled to pure numbers: their columns that are not all
 * zero, `column` as velocities, then one right-hand side and `units` columns of the identity, then zeros up to `width`,
 * whole vectors of eight. */
typedef struct {
    int rows, columns, units, width, row[ROWS], column[NV];
    closure_row B[ROWS];
} elimination;

static int is_active(const double *p, int loop)
{
    return loop_flag[loop] < 0 || p[loop_flag[loop]] != 0.0;
}

/* The rows of the loops that are active, as indices into row_of. Returns how many. */
static int active_rows(const double *p, int *row)
{
    int n = 0;
    for (int i = 0; i < ROWS; i++)
        if (!HAS_SWITCHES || is_active(p, row_of[i] / 6))
            row[n++] = i;
    return HAS_SWITCHES ? n : ROWS;
}

/* The rows that are active; those of a partition first, in its order (null: none). */
static void order_rows(const double *p, const partition *first, elimination *e)
{
    int active[ROWS], taken[ROWS] = {0};
    const int n = active_rows(p, active);
    e->rows = first ? first->rank : 0;
    for (int k = 0; k < e->rows; k++) {
        e->row[k] = first->rows[k];
        taken[first->rows[k]] = 1;
    }
    for (int i = 0; i < n; i++)
        if (!taken[active[i]])
            e->row[e->rows++] = active[i];
}

/* The columns that are not all zero in these rows; those that depend in a partition first, in its order. */
static void order_columns(const double *K, const partition *first, elimination *e)
{
    long long touched[NV] = {0};
    for (int i = 0; i < e->rows; i++)
        kg_mark_nonzero(NV, K + row_of[e->row[i]] * NV, touched);
    e->columns = first ? first->rank : 0;
    for (int k = 0; k < e->columns; k++) {
        e->column[k] = first->columns[k];
        touched[first->columns[k]] = 0;
    }
    for (int j = 0; j < NV; j++)
        if (touched[j])
            e->column[e->columns++] = j;
    e->width = (e->columns + e->units + 8) / 8 * 8;
}

/* Rows of K times row_scale, columns times unit: pure numbers; right: null for zero. After order_rows. */
static void take_rows(const double *K, const double *right, const partition *first, int units, elimination *e)
{
    double size[NV];
    e->units = units;
    order_columns(K, first, e);
    for (int j = 0; j < e->columns; j++)
        size[j] = unit[e->column[j]];
    for (int i = 0; i < e->rows; i++) {
        const double *row = K + row_of[e->row[i]] * NV, scale = row_scale[e->row[i]];
        for (int j = 0; j < e->columns; j++)
            e->B[i][j] = scale * size[j] * row[e->column[j]];
        for (int j = e->columns; j < e->width; j++)
            e->B[i][j] = 0.0;
        e->B[i][e->columns] = right ? scale * right[row_of[e->row[i]]] : 0.0;
        if (i < units)
            e->B[i][e->columns + 1 + i] = 1.0;
    }
}

static double largest_entry(const elimination *e, int first_row, int first_column)
{
    double largest = 0.0;
    for (int i = first_row; i < e->rows; i++)
        for (int j = first_column; j < e->columns; j++) {
            const double size = fabs(e->B[i][j]);
            largest = size > largest ? size : largest;
        }
    return largest;
}

/* What entries are measured by: the largest of all, but not where all that is left of the loops is rounding, as in a
 * spherical one whose joints hold its centre already. */
static double size_of_rows(const elimination *e)
{
    return kg_max(largest_entry(e, 0, 0), LEAST_SIZE);
}

static void swap_index(int *x, int i, int j)
{
    const int t = x[i];
    x[i] = x[j];
    x[j] = t;
}

/* Brings entry (i, j) to (k, k). */
static void bring(elimination *e, int k, int i, int j)
{
    if (i != k) {
        for (int c = 0; c < e->width; c++) {
            const double t = e->B[i][c];
            e->B[i][c] = e->B[k][c];
            e->B[k][c] = t;
        }
        swap_index(e->row, i, k);
    }
    if (j != k) {
        for (int r = 0; r < e->rows; r++) {
            const double t = e->B[r][j];
            e->B[r][j] = e->B[r][k];
            e->B[r][k] = t;
        }
        swap_index(e->column, j, k);
    }
}

/* Gauss-Jordan step at (k, k), in whole vectors: what stands before column k is zero in row k; the right-hand side of a
 * pivot p is taken times p^2/(p^2 + soft^2). */
static void eliminate(elimination *e, int k, double soft)
{
    const int from = k / 8 * 8, length = e->width - from;
    double *own = e->B[k];
    const double pivot = own[k], inverse = 1.0 / pivot;
    if (soft > 0.0 && fabs(pivot) < 100.0 * soft)
        own[e->columns] *= pivot * pivot / (pivot * pivot + soft * soft);
    kg_scale(length, inverse, own + from);
    own[k] = 1.0;
    for (int r = 0; r < e->rows; r++) {
        const double factor = e->B[r][k];
        if (r != k && factor != 0.0)
            kg_axpy(length, -factor, own + from, e->B[r] + from);
    }
}

/* Part of the largest entry that the pivots of a partition stay above while it is kept. */
static double least_pivot(const partition *kept)
{
    return kept->chosen > SINGULAR ? kg_min(KEEP, kg_max(0.3 * kept->chosen, SINGULAR)) : KEEP;
}

/* Pivots where the partition has them, whose rows and columns stand first. 1: done; 0: a pivot became small beside the
 * others, also in view of what it was when the partition was chosen, or the rank is another one. */
static int eliminate_kept(elimination *e, double largest, double soft, partition *kept)
{
    const double least = least_pivot(kept);
    double smallest = largest, greatest = 0.0;
    for (int k = 0; k < kept->rank; k++) {
        const double size = fabs(e->B[k][k]);
        if (!(size > least * largest))
            return 0;
        smallest = kg_min(smallest, size);
        greatest = kg_max(greatest, size);
        eliminate(e, k, soft * largest);
    }
    kept->ratio = kept->rank ? smallest / greatest : 1.0;
    return kept->ratio > least && largest_entry(e, kept->rank, kept->rank) <= REMAINDER * largest;
}

/* Complete pivoting, each column weighted by `ready`; of entries that are as large the first, not the one that rounding
 * makes larger: what leads would change with the compiler. Returns the rank. */
static int eliminate_pivoting(elimination *e, const double *ready, double largest, double soft, partition *found)
{
    const int most = MISFIT > 0.0 && RANK < e->rows ? RANK : e->rows; /* no more than the exact mechanism has */
    double smallest = largest, greatest = 0.0;
    int k = 0;
    for (; k < most && k < e->columns; k++) {
        double best = 0.0;
        int at_row = k, at_column = k;
        for (int i = k; i < e->rows; i++)
            for (int j = k; j < e->columns; j++) {
                const double size = fabs(e->B[i][j]) * ready[e->column[j]];
                if (size > TIED * best && fabs(e->B[i][j]) > REMAINDER * largest) {
                    best = size;
                    at_row = i;
                    at_column = j;
                }
            }
        if (best == 0.0)
            break;
        bring(e, k, at_row, at_column);
        const double size = fabs(e->B[k][k]);
        if (k == 0 || size < smallest) {
            found->weak_row = row_of[e->row[k]];
            found->weak_column = e->column[k];
        }
        smallest = kg_min(smallest, size);
        greatest = kg_max(greatest, size);
        eliminate(e, k, soft * largest);
    }
    found->ratio = k ? smallest / greatest : 1.0;
    return k;
}

/* A new partition of the active rows; where the readiness of the columns leaves a small pivot, pivoting without it. */
static void eliminate_anew(const double *p, const double *K, const double *right, const double *ready, double soft,
    elimination *e, partition *found)
{
    double even[NV];
    order_rows(p, 0, e);
    take_rows(K, right, 0, 0, e);
    const double largest = size_of_rows(e);
    found->weak_row = found->weak_column = 0;
    found->rank = eliminate_pivoting(e, ready, largest, soft, found);
    if (found->ratio < KEEP && found->rank > 0) {
        order_rows(p, 0, e);
        take_rows(K, right, 0, 0, e);
        for (int j = 0; j < NV; j++)
            even[j] = ready[j] < PINNED ? ready[j] : 1.0;
        found->rank = eliminate_pivoting(e, even, largest, soft, found);
    }
    found->chosen = found->ratio;
    memcpy(found->rows, e->row, (size_t)found->rank * sizeof *e->row);
    memcpy(found->columns, e->column, (size_t)found->rank * sizeof *e->column);
}

#endif
