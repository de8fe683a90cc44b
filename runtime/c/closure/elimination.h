/* Gauss-Jordan elimination of the scaled rows of K, with the pivots of a partition or with new ones by complete
 * pivoting. Tables of the model: row_of, row_scale, unit, loop_flag. */

#ifndef KINEGEN_CLOSURE_ELIMINATION_H
#define KINEGEN_CLOSURE_ELIMINATION_H

#include <math.h>
#include <string.h>

#include "../linear/extremes.h"
#include "../linear/lanes.h"

#ifndef MISFIT
#define MISFIT 0.0 /* loops close: their dimensions are not rounded */
#endif

#define MARGIN 20.0 /* times the misfit found at generation: gap of a loop that counts as closed */

/* Where they are, small pivots enlarge what the rows that are left out miss by: rows are chosen anew earlier. */
#define RANK_TOLERANCE 1e-5 /* remainders below this part of the largest entry are zero: a gap of 1e-12 hides so much */
#define LEAST_SIZE 1e-3 /* of the largest entry, a pure number: below it tolerances fall no further */
#define KEEP (MISFIT > 0.0 ? 0.2 : 1e-2) /* a partition is kept while its pivots stay above this part of the largest */
#define SINGULAR 1e-3 /* smallest pivot over largest below which the mechanism is near a singularity */
#define PINNED 1e-5 /* readiness below which a velocity must not be dependent */

/* Remainders below this part of the largest entry are zero: with rounded dimensions what the rounding leaves, too. */
#define REMAINDER (MISFIT > 0.0 ? kg_min(kg_max(RANK_TOLERANCE, 100.0 * MISFIT), 1e-3) : RANK_TOLERANCE)

typedef MODEL(partition) partition;
typedef double closure_row[NV + 1]; /* a scaled row of K and of one right-hand side */

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

/* Rows of K times row_scale, columns times unit: pure numbers. right: null for zero. */
static void scaled_rows(int rows, const int *row, const double *K, const double *right, closure_row *B)
{
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < NV; j++)
            B[i][j] = row_scale[row[i]] * unit[j] * K[row_of[row[i]] * NV + j];
        B[i][NV] = right ? row_scale[row[i]] * right[row_of[row[i]]] : 0.0;
    }
}

static double largest_entry(int rows, closure_row *B, int first_row, int first_column)
{
    double largest = 0.0;
    for (int i = first_row; i < rows; i++)
        for (int j = first_column; j < NV; j++)
            largest = kg_max(largest, fabs(B[i][j]));
    return largest;
}

/* What entries are measured by: the largest of all, but not where all that is left of the loops is rounding, as in a
 * spherical one whose joints hold its centre already. */
static double size_of_rows(int rows, closure_row *B)
{
    return kg_max(largest_entry(rows, B, 0, 0), LEAST_SIZE);
}

static void swap_index(int *x, int i, int j)
{
    const int t = x[i];
    x[i] = x[j];
    x[j] = t;
}

static void number(int n, int *index)
{
    for (int i = 0; i < n; i++)
        index[i] = i;
}

/* Brings entry (i, j) to (k, k). */
static void bring(int rows, closure_row *B, int *row, int *column, int k, int i, int j)
{
    if (i != k) {
        for (int c = 0; c <= NV; c++) {
            const double t = B[i][c];
            B[i][c] = B[k][c];
            B[k][c] = t;
        }
        swap_index(row, i, k);
    }
    if (j != k) {
        for (int r = 0; r < rows; r++) {
            const double t = B[r][j];
            B[r][j] = B[r][k];
            B[r][k] = t;
        }
        swap_index(column, j, k);
    }
}

/* Gauss-Jordan step at (k, k); the right-hand side of a pivot p is taken times p^2/(p^2 + soft^2). */
static void eliminate(int rows, closure_row *B, int k, double soft)
{
    const double pivot = B[k][k], inverse = 1.0 / pivot;
    if (soft > 0.0 && fabs(pivot) < 100.0 * soft)
        B[k][NV] *= pivot * pivot / (pivot * pivot + soft * soft);
    for (int c = k; c <= NV; c++)
        B[k][c] *= inverse;
    for (int r = 0; r < rows; r++) {
        const double factor = B[r][k];
        if (r == k || factor == 0.0)
            continue;
        kg_axpy(NV + 1 - k, -factor, B[k] + k, B[r] + k);
    }
}

/* Pivots where the partition has them. 1: done; 0: a pivot became small beside the others, also in view of what it was
 * when the partition was chosen, or the rank is another one. */
static int eliminate_kept(int rows, closure_row *B, double largest, double soft, int *row, int *column, partition *kept)
{
    const double least = kept->chosen > SINGULAR ? kg_min(KEEP, kg_max(0.3 * kept->chosen, SINGULAR)) : KEEP;
    double smallest = largest, greatest = 0.0;
    for (int k = 0; k < kept->rank; k++) {
        int i = k, j = k;
        while (row[i] != kept->rows[k])
            i++;
        while (column[j] != kept->columns[k])
            j++;
        bring(rows, B, row, column, k, i, j);
        const double size = fabs(B[k][k]);
        if (!(size > least * largest))
            return 0;
        smallest = kg_min(smallest, size);
        greatest = kg_max(greatest, size);
        eliminate(rows, B, k, soft * largest);
    }
    kept->ratio = kept->rank ? smallest / greatest : 1.0;
    return kept->ratio > least && largest_entry(rows, B, kept->rank, kept->rank) <= REMAINDER * largest;
}

/* Complete pivoting, each column weighted by `ready`. Returns the rank. */
static int eliminate_pivoting(
    int rows, closure_row *B, const double *ready, double largest, double soft, int *row, int *column, partition *found)
{
    const int most = MISFIT > 0.0 && RANK < rows ? RANK : rows; /* no more than the exact mechanism has */
    double smallest = largest, greatest = 0.0;
    int k = 0;
    for (; k < most && k < NV; k++) {
        double best = 0.0;
        int at_row = k, at_column = k;
        for (int i = k; i < rows; i++)
            for (int j = k; j < NV; j++) {
                const double size = fabs(B[i][j]) * ready[column[j]];
                if (size > best && fabs(B[i][j]) > REMAINDER * largest) {
                    best = size;
                    at_row = i;
                    at_column = j;
                }
            }
        if (best == 0.0)
            break;
        bring(rows, B, row, column, k, at_row, at_column);
        const double size = fabs(B[k][k]);
        if (size < smallest) {
            found->weak_row = row_of[row[k]];
            found->weak_column = column[k];
        }
        smallest = kg_min(smallest, size);
        greatest = kg_max(greatest, size);
        eliminate(rows, B, k, soft * largest);
    }
    found->ratio = k ? smallest / greatest : 1.0;
    return k;
}

/* A new partition; where the readiness of the columns leaves a small pivot, pivoting without it. B is overwritten. */
static void eliminate_anew(
    int rows, closure_row *B, const double *ready, double largest, double soft, int *row, int *column, partition *found)
{
    closure_row first[ROWS];
    double even[NV];
    int in_use[ROWS];
    memcpy(in_use, row, (size_t)rows * sizeof *row);
    memcpy(first, B, (size_t)rows * sizeof *B);
    found->weak_row = found->weak_column = 0;
    found->rank = eliminate_pivoting(rows, B, ready, largest, soft, row, column, found);
    if (found->ratio < KEEP && found->rank > 0) {
        memcpy(B, first, (size_t)rows * sizeof *B);
        memcpy(row, in_use, (size_t)rows * sizeof *row);
        number(NV, column);
        for (int j = 0; j < NV; j++)
            even[j] = ready[j] < PINNED ? ready[j] : 1.0;
        found->rank = eliminate_pivoting(rows, B, even, largest, soft, row, column, found);
    }
    found->chosen = found->ratio;
    for (int k = 0; k < found->rank; k++)
        found->rows[k] = row[k];
    for (int j = 0; j < NV; j++)
        found->columns[j] = column[j];
}

#endif
