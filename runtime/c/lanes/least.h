/* The shortest solution of equations that are fewer than their unknowns, for the states of a block. */

#ifndef KG_LANES_LEAST_H
#define KG_LANES_LEAST_H

#include "functions.h"

#define KG_INDEPENDENT 1e-6 /* least part of a diagonal entry that elimination leaves where columns are independent */
#define KG_LEAST_PIVOT 1e-12 /* least such pivot over the largest diagonal entry */
#define KG_BALANCED 1e-9 /* part of the largest of b that may stay unbalanced by rounding */

/* L below the diagonal of N (m, m; lower triangle) and 1/D for N = L D L'. Gives the least of what is left of the
 * diagonal entries over what is asked for: from 1 on the columns of N are independent. */
static inline kg_wide kg_wide_factor(int m, kg_wide *N, kg_wide *inverse)
{
    kg_wide most = kg_splat(0.0), least = kg_splat(1e300);
    for (int k = 0; k < m; k++)
        most = kg_wide_max(most, N[k * m + k]);
    for (int k = 0; k < m; k++) {
        kg_wide *row = N + k * m, pivot = row[k];
        for (int j = 0; j < k; j++) {
            for (int i = 0; i < j; i++)
                row[j] -= row[i] * N[j * m + i];
        }
        for (int j = 0; j < k; j++) {
            const kg_wide entry = row[j] * inverse[j];
            pivot -= entry * row[j];
            row[j] = entry;
        }
        inverse[k] = 1.0 / pivot;
        least = kg_wide_min(least, pivot / (KG_INDEPENDENT * row[k]));
        least = kg_wide_min(least, pivot / (KG_LEAST_PIVOT * most));
        row[k] = pivot;
    }
    return least;
}

/* y of L D L' y = y, in place. */
static inline void kg_wide_solve(int m, const kg_wide *N, const kg_wide *inverse, kg_wide *y)
{
    for (int k = 0; k < m; k++)
        for (int j = 0; j < k; j++)
            y[k] -= N[k * m + j] * y[j];
    for (int k = m - 1; k >= 0; k--) {
        y[k] *= inverse[k];
        for (int i = k + 1; i < m; i++)
            y[k] -= N[i * m + k] * y[i];
    }
}

/* The shortest x (n) of S' x = b (m): x = S y, S' S y = b, and what rounding left once more. S (n, m), n >= m; work
 * (m, m + 3). Gives how far the solution is beyond doubt: from 1 on the rows of S' are independent and all of b is
 * balanced. */
static inline kg_wide kg_wide_shortest(int n, int m, const kg_wide *S, const kg_wide *b, kg_wide *work, kg_wide *x)
{
    kg_wide *N = work, *inverse = work + m * m, *y = inverse + m, *left = y + m;
    for (int k = 0; k < m; k++)
        for (int j = 0; j <= k; j++) {
            kg_wide sum = kg_splat(0.0);
            for (int i = 0; i < n; i++)
                sum += S[i * m + k] * S[i * m + j];
            N[k * m + j] = sum;
        }
    const kg_wide proof = kg_wide_factor(m, N, inverse);
    kg_wide size = kg_splat(1.0), open = kg_splat(1e-300);
    for (int k = 0; k < m; k++) {
        left[k] = b[k];
        size = kg_wide_max(size, kg_wide_fabs(b[k]));
    }
    for (int i = 0; i < n; i++)
        x[i] = kg_splat(0.0);
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < m; k++)
            y[k] = left[k];
        kg_wide_solve(m, N, inverse, y);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < m; k++)
                x[i] += S[i * m + k] * y[k];
        for (int k = 0; k < m; k++) {
            left[k] = b[k];
            for (int i = 0; i < n; i++)
                left[k] -= S[i * m + k] * x[i];
        }
    }
    for (int k = 0; k < m; k++)
        open = kg_wide_max(open, kg_wide_fabs(left[k]));
    return kg_wide_min(proof, KG_BALANCED * size / open);
}

#endif
