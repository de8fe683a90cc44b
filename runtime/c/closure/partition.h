/* Partition of the velocities on the closure: K v = 0 -> v_S = H v_G [N98 (9)-(12)], by Gauss-Jordan elimination with
 * complete pivoting. Tables of the model: readiness, own_columns, own_first, own_place, own_lead and those of
 * elimination.h. */

#ifndef KINEGEN_CLOSURE_PARTITION_H
#define KINEGEN_CLOSURE_PARTITION_H

#include "inversion.h"

#define ALIKE 0.7 /* a partition serves as well as one by which things move this part as fast */
#define FALLEN 0.5 /* part of its best ratio below which a partition is held against another choice */
#define SOFT 1e-5 /* pivots of this size are softened by those who ask for it */

/* H as the elimination left it, and x = -K_S^-1 right (m); null: not asked for. Independent velocities stand in the
 * order of the tree; what no row touches is among them, and nothing depends on it. */
static void take_dependence(partition *held, const elimination *e, double *x)
{
    const int m = held->rank, free = NV - m;
    int place[NV];
    order_independent(held, place);
    memset(held->H, 0, (size_t)(m * free) * sizeof *held->H);
    held->sparse = held->laid = held->first = 0;
    held->until = free;
    for (int k = 0; k < m; k++) {
        const double scale = unit[e->column[k]];
        for (int j = m; j < e->columns; j++)
            held->H[k * free + place[e->column[j]]] = -e->B[k][j] * scale / unit[e->column[j]];
        if (x)
            x[k] = -e->B[k][e->columns] * scale;
    }
}

/* K_S^-1 (m, m), by the rows of the partition, from an elimination that took the identity along. */
static void take_inverse(partition *held, const elimination *e)
{
    const int m = held->rank;
    for (int k = 0; k < m; k++)
        for (int i = 0; i < m; i++)
            held->inverse[k * m + i] = unit[e->column[k]] * e->B[k][e->columns + 1 + i] * row_scale[e->row[i]];
    held->inverted = 1;
}

/* x (m) = -K_S^-1 right by the inverse that is there. */
static void solve_by_inverse(const partition *held, const double *right, double *x)
{
    const int m = held->rank;
    double own[RANK_ROOM];
    for (int i = 0; i < m; i++)
        own[i] = -right[row_of[held->rows[i]]];
    for (int k = 0; k < m; k++)
        x[k] = kg_dot(m, held->inverse + k * m, own);
}

/* 1 if H and the inverse of the partition are those at q. */
static int is_known(const partition *held, const double *q)
{
    return held->rank >= 0 && held->known && memcmp(held->q, q, sizeof held->q) == 0;
}

/* Rows and columns as the partition has them, whatever the pivots, for states off the closure: rows that follow from
 * others on it do not there, and the rank is one too high. Its own rows only are asked: what follows from them is as
 * smooth as they are. H and x as for partition_rows. 0 if a pivot is zero. */
static int partition_fixed(const double *K, const double *right, partition *held, double *x)
{
    inversion own;
    double smallest, greatest;
    held->known = 0;
    take_own_rows(K, held, &own);
    if (!invert(&own, 0.0, &smallest, &greatest))
        return 0;
    held->ratio = held->rank ? smallest / greatest : 1.0;
    take_inversion(&own, held);
    if (x)
        solve_by_inverse(held, right, x);
    return 1;
}

/* The same for a partition that has all rows that are active, so that none is left to be met, while it serves as well
 * as it did. 0: it does not, or that is not sure; nothing has changed then. */
static int partition_kept(
    const double *p, const double *K, const double *right, double soft, partition *kept, double *x)
{
    inversion own;
    int row[ROWS];
    double smallest, greatest;
    if (!(kept->rank > 0) || active_rows(p, row) != kept->rank)
        return 0;
    const double largest = kg_max(take_own_rows(K, kept, &own), LEAST_SIZE), least = least_pivot(kept);
    if (!invert(&own, kg_max(least, 100.0 * soft) * largest, &smallest, &greatest))
        return 0;
    const double ratio = smallest / greatest;
    if (!(ratio > least) || ratio < FALLEN * kept->chosen)
        return 0;
    kept->ratio = ratio;
    kept->chosen = kg_max(kept->chosen, ratio);
    take_inversion(&own, kept);
    for (int k = 0; x && k < kept->rank; k++)
        x[k] = 0.0;
    if (x && right)
        solve_by_inverse(kept, right, x);
    return 1;
}

/* The partition serves, but far less well than it did: 1 if another one is twice as good; it is then in e and found. */
static int better_partition(const double *p, const double *K, const double *right, const double *ready, double soft,
    const partition *kept, partition *found, elimination *e)
{
    *found = *kept;
    eliminate_anew(p, K, right, ready, soft, e, found);
    return found->rank == kept->rank && found->ratio > 2.0 * kept->ratio;
}

/* Partition of K, kept if it serves (rank -1: none yet), H with it, and x = -K_S^-1 right (m), zero if right is null.
 * `chosen` is the best ratio since it was chosen: where the ratio falls well below, another choice is looked for.
 * Without right and x a partition that is kept is inverted. Returns 1 if the partition is a new one. */
static int partition_rows(
    const double *p, const double *K, const double *right, const double *ready, double soft, partition *kept, double *x)
{
    elimination e;
    kept->known = 0;
    if (partition_kept(p, K, right, soft, kept, x))
        return 0;
    if (kept->rank >= 0) {
        order_rows(p, kept, &e);
        take_rows(K, right, kept, x ? 0 : kept->rank, &e);
    }
    if (kept->rank >= 0 && eliminate_kept(&e, size_of_rows(&e), soft, kept)) {
        if (kept->ratio < FALLEN * kept->chosen) {
            partition found;
            elimination other;
            if (better_partition(p, K, right, ready, soft, kept, &found, &other)) {
                *kept = found;
                kept->inverted = 0;
                take_dependence(kept, &other, x);
                return 1;
            }
            kept->chosen = kept->ratio;
        }
        kept->chosen = kg_max(kept->chosen, kept->ratio);
        take_dependence(kept, &e, x);
        if (!x)
            take_inverse(kept, &e);
        return 0;
    }
    kept->inverted = 0;
    eliminate_anew(p, K, right, ready, soft, &e, kept);
    take_dependence(kept, &e, x);
    return 1;
}

#if HAS_CLOSING
enum { DENSE = RANK * (NV - RANK) }; /* entries of the straight-line code's H, zeros among them */

/* That H has so many entries that are not zero that it is taken as a whole. */
static inline int own_is_dense(void)
{
    return own_first[RANK] == DENSE;
}

/* v_S = H v_G along the entries of the straight-line code's H. */
static void follow_own(const partition *held, double *v)
{
    for (int k = 0; k < RANK; k++) {
        double sum = 0.0;
        for (int e = own_first[k]; e < own_first[k + 1]; e++)
            sum += held->H[own_place[e]] * v[own_lead[e]];
        v[own_columns[k]] = sum;
    }
}

/* x_G += H' x_S likewise. */
static void gather_own(const partition *held, const double *x, double *x_G)
{
    for (int k = 0; k < RANK; k++)
        for (int e = own_first[k]; e < own_first[k + 1]; e++)
            x_G[own_place[e] - k * (NV - RANK)] += held->H[own_place[e]] * x[own_columns[k]];
}
#endif

/* The same of a partition of rank m, by columns of H from `first` until `until`: constants where they are known. */
static inline void follow_columns(int m, int first, int until, const partition *held, double *v)
{
    double v_G[NV];
    if (RANK > 0 && NV - RANK <= 8 && until - first == NV - RANK) { /* few: by single numbers, in two sums */
        KG_UNROLLED
        for (int j = 0; j < NV - RANK; j++)
            v_G[j] = v[held->columns[m + j]];
        for (int k = 0; k < m; k++) {
            const double *row = held->H + k * (NV - RANK);
            double sum[2] = {0.0, 0.0};
            KG_UNROLLED
            for (int j = 0; j < NV - RANK; j++)
                sum[j % 2] += row[j] * v_G[j];
            v[held->columns[k]] = sum[0] + sum[1];
        }
        return;
    }
    for (int j = first; j < until; j++)
        v_G[j] = v[held->columns[m + j]];
    for (int k = 0; k < m; k++)
        v[held->columns[k]] = kg_dot(until - first, held->H + k * (NV - m) + first, v_G + first);
}

/* v_S = H v_G, in place. */
static void follow(const partition *held, double *v)
{
#if HAS_CLOSING
    if (held->sparse) {
        follow_own(held, v);
        return;
    }
#endif
    if (RANK > 0 && held->rank == RANK)
        follow_columns(RANK, 0, NV - RANK, held, v);
    else
        follow_columns(held->rank, held->first, held->until, held, v);
}

/* x_G = W' x. */
static void gather(const partition *held, const double *x, double *x_G)
{
    const int m = held->rank, n = NV - m;
    for (int i = 0; i < n; i++)
        x_G[i] = x[held->columns[m + i]];
#if HAS_CLOSING
    if (held->sparse) {
        gather_own(held, x, x_G);
        return;
    }
#endif
    for (int k = 0; k < m; k++)
        kg_axpy(n, x[held->columns[k]], held->H + k * n, x_G);
}

/* a = W a_G + [c; 0]; c (m), null for zero. */
static void spread(const partition *held, const double *a_G, const double *c, double *a)
{
    const int m = held->rank, n = NV - m;
    for (int i = 0; i < n; i++)
        a[held->columns[m + i]] = a_G[i];
    follow(held, a);
    for (int k = 0; c && k < m; k++)
        a[held->columns[k]] += c[k];
}

#if HAS_ROWS
/* Velocities and H of a partition. */
static void keep_partition(const partition *held, partition *kept)
{
    kept->rank = held->rank;
    kept->sparse = held->sparse;
    kept->first = held->first;
    kept->until = held->until;
    memcpy(kept->columns, held->columns, sizeof kept->columns);
    memcpy(kept->H, held->H, (size_t)(held->rank * (NV - held->rank)) * sizeof *kept->H);
}
#endif

/* Partition of the velocities at q: in = the one to keep if it serves (rank -1: none); ready (nv): 1 for a velocity
 * that may well be dependent, less for one that should rather be independent, below PINNED for one that must be, 0 for
 * one that is given, whatever the loops say; null for the usual preferences. Returns 1 if the partition is a new
 * one. */
int MODEL(partition_closure)(const double *p, const double *q, const double *ready, partition *held)
{
    double K[6 * LOOPS * NV];
    KERNEL(closure_rows, q, K);
    const int anew = partition_rows(p, K, 0, ready ? ready : readiness, 0.0, held, 0);
    memcpy(held->q, q, sizeof held->q);
    held->known = !anew;
    return anew;
}

#endif
