/* The factor of A = W' M W from that of the core, and answers by it. Rows that no force asks for are never made: along
 * branches they are few, and what answers spread to goes by the rows of M = L'DL. */

#ifndef KINEGEN_CORE_FACTOR_H
#define KINEGEN_CORE_FACTOR_H

/* Row of L W along the core's independent velocities, and L along the others, of velocity i, number j of the
 * independent ones. The path to i begins with `count` of the core. */
static void factor_row(reduced_factor *f, int count, int i, int j)
{
    const core_terms *t = &f->core;
    const int leads = t->leads, from = branch_row[i], last = branch_row[i + 1] - 1;
    double *row = f->A + j * f->n;
    for (int k = leads; k < j; k++)
        row[k] = 0.0;
    for (int e = from + count; e < last; e++)
        row[f->place[branch_column[e]]] = t->M[e];
    for (int b = 0; b < leads; b += 8) {
        double Q[8] = {0.0};
        kg_add_listed(Q, count, t->W[0] + b, CORE_WIDTH, branch_column + from, t->M + from);
        memcpy(row + b, Q, (size_t)(leads - b < 8 ? leads - b : 8) * sizeof *row);
    }
}

/* Rows of the factor of A that the answer to a force along velocity `dof` takes: those of the others on its path. */
static void complete_rows(reduced_factor *f, int dof)
{
    const core_terms *t = &f->core;
    int count = 0;
    if (t->in_core[dof])
        return;
    for (int e = branch_row[dof]; e < branch_row[dof + 1]; e++) {
        const int i = branch_column[e], j = f->place[i];
        if (t->in_core[i]) {
            count++;
        } else if (!f->has_row[j]) {
            factor_row(f, count, i, j);
            f->has_row[j] = 1;
        }
    }
}

/* The factor of A from that of the core (leads, leads), whose independent velocities stand first (core_first); further
 * rows are completed when something asks for them. */
static void factor_from_core(const partition *held, const double *A, reduced_factor *f)
{
    const core_terms *t = &f->core;
    const int m = held->rank, n = NV - m, leads = t->leads;
    f->n = n;
    for (int i = 0; i < leads; i++)
        memcpy(f->A + i * n, A + i * leads, (size_t)(i + 1) * sizeof *A);
    for (int j = 0; j < n; j++) {
        const int i = held->columns[m + j];
        f->place[i] = j;
        f->has_row[j] = j < leads;
        if (j >= leads)
            f->inverse[j] = t->inverse[i];
    }
}

/* x (nv) = W L^-1 y for y (n), where the factor is that of a core. */
static void answer_from_core(const partition *held, const reduced_factor *f, double *y, double *x)
{
    const core_terms *t = &f->core;
    for (int i = 1; i < t->leads; i++)
        y[i] -= kg_dot(i, f->A + i * f->n, y);
    expand_core(held, t, 0.0, y, x);
    for (int j = t->leads; j < f->n; j++)
        x[held->columns[held->rank + j]] = y[j];
    follow_branches(t, x);
}

/* Independent velocities of the core first, in place; else they stay in their order. */
static void core_first(const double *p, partition *held)
{
    const int m = held->rank, n = NV - m;
    int in_core[NV], columns[NV], order[NV], count = 0, late = 0;
    mark_core(p, in_core);
    for (int j = 1; j < n; j++)
        late |= in_core[held->columns[m + j]] > in_core[held->columns[m + j - 1]];
    if (!late)
        return;
    memcpy(columns, held->columns + m, (size_t)n * sizeof *columns);
    for (int first = 1; first >= 0; first--)
        for (int j = 0; j < n; j++)
            if (in_core[columns[j]] == first)
                order[count++] = j;
    held->first = 0;
    held->until = n;
    for (int j = 0; j < n; j++)
        held->columns[m + j] = columns[order[j]];
    for (int k = 0; k < m; k++) {
        double row[NV];
        memcpy(row, held->H + k * n, (size_t)n * sizeof *row);
        for (int j = 0; j < n; j++)
            held->H[k * n + j] = row[order[j]];
    }
}

#endif
