/* Forward dynamics of loops that come and go, along the branches of the tree. Velocities that no loop takes, and that
 * are on no path to one that it does, are eliminated from M by their rows of M = L'DL, which branches keep short: in W
 * theirs are unit rows. What is left, the core, is as large as the loops and the paths to them; of it A = W' M W is a
 * dense matrix. With the core's own L_c the factor of all A is [L_c 0; L W]. Tables of the model: branch_row,
 * branch_column, loop_core, loop_ever. */

#ifndef KINEGEN_CORE_CORE_H
#define KINEGEN_CORE_CORE_H

#include "../closure/reduced.h"

/* in_core (nv): 1 for the velocities of the core. */
static void mark_core(const double *p, int *in_core)
{
    memset(in_core, 0, NV * sizeof *in_core);
    for (int l = 0; l < LOOPS; l++)
        if (is_active(p, l))
            for (int j = 0; j < NV; j++)
                in_core[j] |= loop_core[l][j];
}

static void find_core(const double *p, const partition *held, core_terms *t)
{
    const int m = held->rank, n = NV - m;
    mark_core(p, t->in_core);
    t->size = t->others = t->leads = 0;
    for (int j = 0; j < NV; j++)
        if (t->in_core[j])
            t->core[t->size++] = j;
        else
            t->other[t->others++] = j;
    for (int j = 0; j < n && t->leads < t->size - m; j++)
        if (t->in_core[held->columns[m + j]])
            t->lead[t->leads++] = j;
    t->blocks = t->leads / 8 + 1;
}

static void take_core_rows(const partition *held, const double *c, core_terms *t)
{
    const int m = held->rank, n = NV - m, width = 8 * t->blocks;
    for (int k = 0; k < m; k++) {
        double *row = t->W[held->columns[k]];
        const double *H = held->H + k * n;
        for (int e = 0; e < t->leads; e++)
            row[e] = H[t->lead[e]];
        row[t->leads] = c[k];
        for (int e = t->leads + 1; e < width; e++)
            row[e] = 0.0;
    }
    for (int e = 0; e < t->leads; e++) {
        double *row = t->W[held->columns[m + t->lead[e]]];
        for (int i = 0; i < width; i++)
            row[i] = 0.0;
        row[e] = 1.0;
    }
}

/* Rows of those others that loops may take -> L and 1/D, last to first, with their forces: what stands on a path has
 * its beginning in common. */
static void eliminate_others(core_terms *t)
{
    for (int k = t->others - 1; k >= 0; k--) {
        if (!loop_ever[t->other[k]])
            continue;
        const int from = branch_row[t->other[k]], count = branch_row[t->other[k] + 1] - from - 1;
        double *row = t->M + from;
        const double inverse = 1.0 / row[count], z = t->z[t->other[k]];
        t->inverse[t->other[k]] = inverse;
        for (int e = count - 1; e >= 0; e--) {
            const int i = branch_column[from + e];
            const double entry = row[e] * inverse;
            kg_axpy(e + 1, -entry, row, t->M + branch_row[i]);
            t->z[i] -= entry * z;
            row[e] = entry;
        }
    }
}

/* X = W' U (leads + 1, width) in columns of eight, with U = the lower triangle of the core's M, its diagonal halved,
 * times W. */
static void multiply_core(const partition *held, core_terms *t, double (*X)[NV + 1][8])
{
    const int m = held->rank, leads = t->leads;
    int place[NV];
    for (int k = 0; k < m; k++)
        place[held->columns[k]] = -1;
    for (int e = 0; e < leads; e++)
        place[held->columns[m + t->lead[e]]] = e;
    for (int b = 0; b < t->blocks; b++)
        memset(X[b], 0, (size_t)(leads + 1) * sizeof X[b][0]);
    for (int k = 0; k < t->size; k++) {
        const int i = t->core[k], from = branch_row[i], count = branch_row[i + 1] - from;
        t->M[from + count - 1] *= 0.5;
        for (int b = 0; b < t->blocks; b++) {
            double U[8] = {0.0};
            kg_add_listed(U, count, t->W[0] + 8 * b, CORE_WIDTH, branch_column + from, t->M + from);
            if (place[i] < 0)
                kg_add_outer(leads + 1, t->W[i], U, X[b]);
            else
                kg_add_scaled(X[b][place[i]], 1.0, U);
        }
    }
}

/* Of the core A = W' M W (leads, leads), lower triangle, and b = W' (z - M [0; c]). */
static void condense(const partition *held, core_terms *t, double *A, double *b)
{
    const int m = held->rank, leads = t->leads;
    double X[CORE_BLOCKS][NV + 1][8], force[CORE_WIDTH] = {0.0};
    multiply_core(held, t, X);
    for (int e = 0; e < leads; e++)
        force[e] = t->z[held->columns[m + t->lead[e]]];
    for (int k = 0; k < m; k++)
        kg_axpy(8 * t->blocks, t->z[held->columns[k]], t->W[held->columns[k]], force);
    for (int i = 0; i < leads; i++) {
        const double (*column)[8] = (const double (*)[8])X[i / 8];
        b[i] = force[i] - X[leads / 8][i][leads % 8] - column[leads][i % 8];
        for (int j = 0; j <= i; j++)
            A[i * leads + j] = X[j / 8][i][j % 8] + column[j][i % 8];
    }
}

/* x (nv) of the others, in place, less what those before them on their paths take along L, first to last. */
static void follow_branches(const core_terms *t, double *x)
{
    for (int k = 0; k < t->others; k++) {
        const int i = t->other[k], from = branch_row[i], last = branch_row[i + 1] - 1;
        double even = x[i], odd = 0.0;
        for (int e = from + 1; e < last; e += 2) {
            odd += t->M[e - 1] * x[branch_column[e - 1]];
            even -= t->M[e] * x[branch_column[e]];
        }
        if ((last - from) % 2)
            odd += t->M[last - 1] * x[branch_column[last - 1]];
        x[i] = even - odd;
    }
}

/* Accelerations of the others from those of the core: a = z/D - L a. */
static void expand_others(const core_terms *t, double *a)
{
    for (int k = 0; k < t->others; k++)
        a[t->other[k]] = t->inverse[t->other[k]] * t->z[t->other[k]];
    follow_branches(t, a);
}

/* Velocities of the core (in x, nv) from its independent ones: dependent ones by H and c (null: zero). */
static void expand_core(const partition *held, const core_terms *t, const double *c, const double *x_core, double *x)
{
    const int m = held->rank, n = NV - m;
    for (int e = 0; e < t->leads; e++)
        x[held->columns[m + t->lead[e]]] = x_core[e];
    for (int k = 0; k < m; k++) {
        const double *H = held->H + k * n;
        double sum = c ? c[k] : 0.0;
        for (int e = 0; e < t->leads; e++)
            sum += H[t->lead[e]] * x_core[e];
        x[held->columns[k]] = sum;
    }
}

#if HAS_ROWS
#include "factor.h"
#endif

/* Accelerations (nv) of the tree where nothing is active; d as below. */
static void open_dynamics(
    const double *p, const double *q, const double *v, const double *tau, const double *d, double *a)
{
    core_terms t;
    for (t.others = 0; t.others < NV; t.others++)
        t.other[t.others] = t.others;
    KERNEL(open_terms, q, v, tau, d, t.M, t.inverse, t.z);
    expand_others(&t, a);
}

/* Accelerations (nv) under torques tau for this partition and c; d (nv; null: none) is added to the diagonal of M. t:
 * the terms; inverse (leads): 1/D of the core, whose A they begin with. */
static void core_accelerations(const double *p, const double *q, const double *v, const double *tau, const double *d,
    const partition *held, const double *c, core_terms *t, double *A, double *inverse, double *a)
{
    static const double none[NV] = {0.0};
    double a_core[NV];
    find_core(p, held, t);
    take_core_rows(held, c, t);
    if (t->size > 0) {
        KERNEL(branch_terms, q, v, tau, d ? d : none, t->M, t->inverse, t->z);
        eliminate_others(t);
    } else {
        KERNEL(open_terms, q, v, tau, d ? d : none, t->M, t->inverse, t->z);
    }
    condense(held, t, A, a_core);
    factor_reduced(t->leads, A, inverse);
    kg_solve_factored(t->leads, A, inverse, a_core);
    expand_core(held, t, c, a_core, a);
    expand_others(t, a);
}

/* The same; f (null: not asked for): the factor of A, for a partition after core_first. */
static void core_dynamics(const double *p, const double *q, const double *v, const double *tau, const double *d,
    const partition *held, const double *c, reduced_factor *f, double *a)
{
    double A[NV * NV], inverse[SIDE];
#if HAS_ROWS
    if (f) {
        core_accelerations(p, q, v, tau, d, held, c, &f->core, A, f->inverse, a);
        factor_from_core(held, A, f);
        return;
    }
#endif
    core_terms t;
    (void)f;
    core_accelerations(p, q, v, tau, d, held, c, &t, A, inverse, a);
}

#endif
