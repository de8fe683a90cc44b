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
        for (int e = 0; e < width; e++)
            row[e] = e < t->leads ? H[t->lead[e]] : e == t->leads ? c[k] : 0.0;
    }
    for (int e = 0; e < t->leads; e++) {
        double *row = t->W[held->columns[m + t->lead[e]]];
        for (int i = 0; i < width; i++)
            row[i] = i == e;
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
 * times W: rows of dependent velocities by their products, the others are unit rows. */
static void multiply_core(const partition *held, core_terms *t, double (*X)[CORE_WIDTH][8])
{
    const int m = held->rank;
    double U[NV][8];
    for (int k = 0; k < t->size; k++)
        t->M[branch_row[t->core[k] + 1] - 1] *= 0.5;
    for (int b = 0; b < t->blocks; b++) {
        for (int k = 0; k < t->size; k++) {
            const int i = t->core[k], from = branch_row[i], count = branch_row[i + 1] - from;
            memset(U[i], 0, sizeof U[i]);
            kg_add_listed(U[i], count, t->W[0] + 8 * b, CORE_WIDTH, branch_column + from, t->M + from);
        }
        for (int r = 0; r < t->blocks; r++)
            kg_listed_outers(m, held->columns, t->W[0] + 8 * r, CORE_WIDTH, (const double (*)[8])U, X[b] + 8 * r);
        for (int e = 0; e < t->leads; e++)
            kg_add_scaled(X[b][e], 1.0, U[held->columns[m + t->lead[e]]]);
    }
}

/* Of the core A = W' M W (leads, leads), lower triangle, and b = W' (z - M [0; c]). */
static void condense(const partition *held, core_terms *t, double *A, double *b)
{
    const int m = held->rank, leads = t->leads;
    double X[CORE_BLOCKS][CORE_WIDTH][8], force[CORE_WIDTH] = {0.0};
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

/* Velocities of the core (in x, nv) from its independent ones: dependent ones by H, and `with` times c. */
static void expand_core(const partition *held, const core_terms *t, double with, const double *x_core, double *x)
{
    double along[CORE_WIDTH] = {0.0};
    memcpy(along, x_core, (size_t)t->leads * sizeof *along);
    along[t->leads] = with;
    for (int e = 0; e < t->leads; e++)
        x[held->columns[held->rank + t->lead[e]]] = x_core[e];
    for (int k = 0; k < held->rank; k++)
        x[held->columns[k]] = kg_dot(8 * t->blocks, t->W[held->columns[k]], along);
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
    expand_core(held, t, 1.0, a_core, a);
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
