/* M = L'DL of a symmetric matrix whose zeros follow the branches of a tree: eliminated from its leaves to its root, it
 * fills in nothing (mathematics, section 7). Entries of row k of L stand in the columns column[row[k]] ...
 * column[row[k + 1] - 1] < k, ascending. */

#ifndef KG_LINEAR_BRANCH_FACTOR_H
#define KG_LINEAR_BRANCH_FACTOR_H

#include "lane_vectors.h"

/* k - 1 if row k has the columns of that row and the one after them, as where a joint hangs on the one before it; else
 * k. */
static inline int kg_next_of_chain(const int *row, const int *column, int k)
{
    const int one_more = k > 0 && row[k + 1] - row[k] == row[k] - row[k - 1] + 1;
    return one_more && column[row[k + 1] - 1] == k - 1 ? k - 1 : k;
}

/* y += s x + t z, up to entry i of rows of which `room` are left: four at a time, and entries after i, which do not
 * count, where there is room for them. */
static inline void kg_take_two(int i, int room, double s, const double *x, double t, const double *z, double *y)
{
    if (room > 3) {
        kg_axpy_two(i + 1, s, x, t, z, y);
        return;
    }
    for (int j = 0; j <= i; j++)
        y[j] += s * x[j] + t * z[j];
}

/* M (n, n), of which the lower triangle counts, is overwritten; iD (n) = 1/D; L by entries; x (n) = L'^-1 x. Last row
 * to first, two rows of a chain at a time, one where low = high, zeros between the branches as well. */
static inline void kg_factor_branches(int n, const int *restrict row, const int *restrict column, double *restrict M,
    double *restrict iD, double *restrict L, double *restrict x)
{
    for (int high = n - 1, low; high >= 0; high = low - 1) {
        low = kg_next_of_chain(row, column, high);
        const int *path = column + row[low], count = row[low + 1] - row[low], chained = low < high;
        double *upper = M + high * n, *lower = M + low * n, *of_upper = L + row[high], *of_lower = L + row[low];
        const double over = 1.0 / upper[high], x_high = x[high];
        iD[high] = over;
        if (chained) {
            const double entry = upper[low] * over;
            of_upper[count] = entry;
            kg_axpy(high, -entry, upper, lower);
            x[low] -= entry * x_high;
        }
        const double under = chained ? 1.0 / lower[low] : over, x_low = x[low], also = chained ? over : 0.0;
        iD[low] = under;
        for (int m = 0; m < count; m++) {
            const int i = path[m];
            const double first = upper[i] * also, second = lower[i] * under;
            of_upper[m] = first;
            of_lower[m] = second;
            x[i] -= first * x_high + second * x_low;
            kg_take_two(i, n - i, -first, upper, -second, lower, M + i * n);
        }
    }
}

/* x (n) = L^-1 z, first row to last; x may be z. */
static inline void kg_finish_branches(
    int n, const int *restrict row, const int *restrict column, const double *restrict L, const double *z, double *x)
{
    for (int k = 0; k < n; k++) {
        x[k] = z[k];
        for (int e = row[k]; e < row[k + 1]; e++)
            x[k] -= L[e] * x[column[e]];
    }
}

/* y -= sum over k < n of w[at[index[k]]] x[index[k]], rows of eight, kept out of memory. */
static inline void kg_take_listed(
    double *y, int n, const int *index, const double *w, const int *at, const double (*x)[8])
{
    kg_lanes sum[8 / KG_LANES];
    for (int e = 0; e < 8 / KG_LANES; e++)
        sum[e] = *kg_lanes_at(y + e * KG_LANES);
    for (int k = 0; k < n; k++)
        for (int e = 0; e < 8 / KG_LANES; e++)
            sum[e] -= w[at[index[k]]] * *kg_lanes_at(x[index[k]] + e * KG_LANES);
    for (int e = 0; e < 8 / KG_LANES; e++)
        *kg_lanes_to(y + e * KG_LANES) = sum[e];
}

/* Y = L'^-1 Y, rows of eight, of a path: dof[0], ..., dof[n - 1], and no others stand in their rows of L. Last dof to
 * first; `full`, room for n: those whose rows have all that stand before them on the path. What they take waits until
 * it is needed, so that a row of Y is written once. */
static inline void kg_solve_path(int n, const int *restrict dof, const int *restrict row, const int *restrict column,
    const double *restrict L, int *restrict full, double (*Y)[8])
{
    int count = 0;
    for (int k = n - 1; k >= 0; k--) {
        const int own = dof[k];
        kg_take_listed(Y[own], count, full, L + k, row, (const double (*)[8])Y);
        if (row[own + 1] - row[own] == k)
            full[count++] = own;
        else
            for (int e = row[own]; e < row[own + 1]; e++)
                kg_add_scaled(Y[column[e]], -L[e], Y[own]);
    }
}

#endif
