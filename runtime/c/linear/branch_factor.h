/* M = L'DL of a symmetric matrix whose zeros follow the branches of a tree: eliminated from its leaves to its root, it
 * fills in nothing (mathematics, section 7). Entries of row k of L stand in the columns column[row[k]] ...
 * column[row[k + 1] - 1] < k, ascending. */

#ifndef KG_LINEAR_BRANCH_FACTOR_H
#define KG_LINEAR_BRANCH_FACTOR_H

/* M (n, n), of which the lower triangle counts, is overwritten; iD (n) = 1/D; L by entries; x (n) = L'^-1 x. Last row
 * to first. */
static inline void kg_factor_branches(int n, const int *restrict row, const int *restrict column, double *restrict M,
    double *restrict iD, double *restrict L, double *restrict x)
{
    for (int k = n - 1; k >= 0; k--) {
        iD[k] = 1.0 / M[k * n + k];
        for (int e = row[k]; e < row[k + 1]; e++) {
            const int i = column[e];
            const double entry = M[k * n + i] * iD[k];
            for (int f = row[k]; f <= e; f++)
                M[i * n + column[f]] -= entry * M[k * n + column[f]];
            L[e] = entry;
            x[i] -= entry * x[k];
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

#endif
