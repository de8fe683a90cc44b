/* Linear equations A x = b in blocks of three by three, few of them, by elimination without pivots. A stands in panels
 * of eight columns, the last two of which are spare. */

#ifndef KG_ROWS_TRIPLES_H
#define KG_ROWS_TRIPLES_H

#include <math.h>
#include <string.h>
#include "../linear/lane_vectors.h"
#include "../linear/short_rows.h"

enum { TRIPLES = 8, PANELS = TRIPLES / 2 }; /* blocks at most */

typedef double kg_panel[3 * TRIPLES][8];

/* What elimination leaves of A beside the unit upper blocks in A itself: those below, and the inverses of the
 * diagonal's, transposed; rows of four. */
typedef struct {
    double lower[TRIPLES][3 * TRIPLES][4], inverse[TRIPLES][3][4];
} kg_triples;

/* Transpose of D^-1, D by rows a, b, c; 0 if there is none. */
static inline int kg_invert_triple(const double *a, const double *b, const double *c, double (*P)[4])
{
    const double x = b[1] * c[2] - b[2] * c[1], y = b[2] * c[0] - b[0] * c[2], z = b[0] * c[1] - b[1] * c[0];
    const double det = a[0] * x + a[1] * y + a[2] * z, over = 1.0 / det;
    if (!(det > 1e-14 * fabs(a[0] * b[1] * c[2])))
        return 0;
    P[0][0] = over * x;
    P[0][1] = over * y;
    P[0][2] = over * z;
    P[1][0] = over * (a[2] * c[1] - a[1] * c[2]);
    P[1][1] = over * (a[0] * c[2] - a[2] * c[0]);
    P[1][2] = over * (a[1] * c[0] - a[0] * c[1]);
    P[2][0] = over * (a[1] * b[2] - a[2] * b[1]);
    P[2][1] = over * (a[2] * b[0] - a[0] * b[2]);
    P[2][2] = over * (a[0] * b[1] - a[1] * b[0]);
    return 1;
}

/* Numbers of block k in row i. */
static inline double *kg_triple_at(kg_panel *A, int i, int k)
{
    return A[k / 2][i] + 3 * (k % 2);
}

/* Eliminates in A, in place, and keeps in `of` what else its factors are; 0: it has no inverse. */
static inline int kg_factor_triples(int n, kg_panel *A, kg_triples *of)
{
    for (int k = 0; k < n; k++) {
        const int next = 3 * (k + 1);
        double (*P)[4] = of->inverse[k], (*lower)[4] = of->lower[k];
        if (!kg_invert_triple(
                kg_triple_at(A, 3 * k, k), kg_triple_at(A, 3 * k + 1, k), kg_triple_at(A, 3 * k + 2, k), P))
            return 0;
        for (int i = next; i < 3 * n; i++)
            memcpy(lower[i], kg_triple_at(A, i, k), sizeof lower[i]);
        for (int e = (k + 1) / 2; e < (n + 1) / 2; e++)
            kg_eliminate_triple(
                3 * n - next, (const double (*)[4])P, (const double (*)[4])lower + next, A[e] + 3 * k, A[e] + next);
    }
    return 1;
}

/* x (3 n) = A^-1 x, of the factors of A. */
static inline void kg_solve_triples(int n, kg_panel *A, const kg_triples *of, double *x)
{
    for (int k = 0; k < n; k++) {
        double own[4] = {0.0};
        kg_add_short_rows(own, 3, of->inverse[k], x + 3 * k);
        memcpy(x + 3 * k, own, 3 * sizeof *own);
        for (int i = 3 * (k + 1); i < 3 * n; i++)
            x[i] -= of->lower[k][i][0] * own[0] + of->lower[k][i][1] * own[1] + of->lower[k][i][2] * own[2];
    }
    for (int k = n - 1; k > 0; k--)
        for (int i = 0; i < 3 * k; i++) {
            const double *own = kg_triple_at(A, i, k);
            x[i] -= own[0] * x[3 * k] + own[1] * x[3 * k + 1] + own[2] * x[3 * k + 2];
        }
}

#endif
