/* Few points of a tree, all on the world: K as a matrix. With y = L'^-1 J' of a link (see response_tree.h), a block of
 * rows r of its wrenches has Y = y r, and K = Y' D^-1 Y. Links, and what they answer, are left out of the sweeps. */

#ifndef KINEGEN_ROWS_FEW_POINTS_H
#define KINEGEN_ROWS_FEW_POINTS_H

#include "../contact/solve.h"
#include "presume.h"
#include "row_wrenches.h"

enum { FEW_SWEEPS = 8 }; /* at most; then those of many go on, which follow a mean */

/* K, and velocities v, three numbers a block as in a row of K. */
typedef struct {
    int count;
    double v[PANELS][8];
    kg_panel K[PANELS];
} few_points;

/* 1 if the points are few, on more than half as many links. */
static int are_few(const contacts *c, const workspace *ws)
{
    return c->count <= TRIPLES && c->count <= 2 * ws->links && are_on_world(c, ws);
}

static inline double *velocity_in(few_points *few, int k)
{
    return few->v[k / 2] + 3 * (k % 2);
}

/* Impulses d (3) along the rows of block i. */
static inline void push_few(few_points *few, int i, const double *d)
{
    for (int e = 0; e < (few->count + 1) / 2; e++)
        kg_add_three_rows(few->v[e], (const double (*)[8])few->K[e] + 3 * i, d);
}

/* The same for all of them. */
static void push_all(few_points *few, const double *d)
{
    for (int e = 0; e < (few->count + 1) / 2; e++)
        kg_add_rows(few->v[e], 3 * few->count, (const double (*)[8])few->K[e], d);
}

/* Y of block i in its panel, and D^-1 Y, four numbers for each dof of its link. */
static void point_columns(long i, double (*Y)[8], double (*weighed)[4], const workspace *ws)
{
    const int s = ws->at[i].b, *dof = SUPPORT_DOF + SUPPORT[s];
    for (int k = 0; k < SUPPORT[s + 1] - SUPPORT[s]; k++) {
        double *y = Y[dof[k]] + 3 * (i % 2);
        kg_add_short_rows(y, 6, (const double (*)[4])ws->at[i].row[1], ws->y[s][dof[k]]);
        kg_scale_short_row(ws->iD[dof[k]], y, weighed[k]);
    }
}

/* Panels of K below its diagonal, from those above, K being symmetric: six rows at a time, the width of a panel. */
static void mirror_responses(int panels, kg_panel *K)
{
    for (int m = 1; m < panels; m++)
        for (int e = 0; e < m; e++)
            for (int i = 0; i < 6; i++) {
                double *row = K[e][6 * m + i];
                for (int k = 0; k < 6; k++)
                    row[k] = K[m][6 * e + k][i];
                row[6] = row[7] = 0.0;
            }
}

/* k (6) = the upper triangle of a point's own part of K, rows of which stand eight numbers apart. */
static inline void keep_own(const double *K, double *k)
{
    memcpy(k, K, 3 * sizeof *k);
    memcpy(k + 3, K + 9, 2 * sizeof *k);
    k[5] = K[18];
}

/* K, of which each point keeps its own part. */
static void find_responses(few_points *few, workspace *ws)
{
    const int n = few->count, panels = (n + 1) / 2;
    KG_ALIGNED double Y[PANELS][NV][8];
    double weighed[TRIPLES][NV][4];
    for (int e = 0; e < panels; e++)
        memset(Y[e], 0, sizeof Y[e]);
    for (int i = 0; i < n; i++)
        point_columns(i, Y[i / 2], weighed[i], ws);
    for (int i = 0; i < n; i++) {
        const int s = ws->at[i].b;
        for (int e = i / 2; e < panels; e++)
            kg_listed_product(SUPPORT[s + 1] - SUPPORT[s], SUPPORT_DOF + SUPPORT[s], (const double (*)[4])weighed[i],
                (const double (*)[8])Y[e], few->K[e] + 3 * i);
        keep_own(kg_triple_at(few->K, 3 * i, i), ws->at[i].k);
    }
    mirror_responses(panels, few->K);
}

/* K, and velocities with the impulses that there are. */
static void begin_few(few_points *few, workspace *ws)
{
    const int n = few->count;
    double f[3 * TRIPLES];
    find_responses(few, ws);
    for (int e = 0; e < (n + 1) / 2; e++)
        memset(few->v[e], 0, sizeof few->v[e]);
    for (int i = 0; i < n; i++) {
        prepare_inverses(i, ws);
        present_velocity(ws, i, velocity_in(few, i));
        memcpy(f + 3 * i, ws->at[i].impulse, sizeof ws->at[i].impulse);
    }
    push_all(few, f);
}

/* Impulses as presumed, where those there are leave more than `tolerance`: (1 + G K) d = -G v. What rows that depend on
 * each other ask for and no motion can meet (gaps of nanometres differ) would come out as large as G. All its velocity
 * is left to the yield, so what yields is asked for once more, the other way, and d loses the answer. */
static void presume_few(double tolerance, few_points *few, workspace *ws)
{
    const int n = few->count;
    presumed of[TRIPLES];
    KG_ALIGNED kg_panel A[PANELS];
    kg_triples factors;
    double d[3 * TRIPLES], unmet[3 * TRIPLES], most = 0.0;
    int fresh = 1;
    for (int i = 0; i < n; i++)
        fresh &= !(ws->at[i].impulse[0] > 0.0);
    for (int i = 0; i < n; i++) {
        memcpy(of[i].v, velocity_in(few, i), sizeof of[i].v);
        most = kg_max(most, presume_point(i, fresh, of + i, ws));
    }
    if (!(most > tolerance))
        return;
    for (int i = 0; i < n; i++) {
        for (int e = 0; e < (n + 1) / 2; e++)
            kg_add_product(3, (const double (*)[4])of[i].G, (const double (*)[8])few->K[e] + 3 * i, 0, A[e] + 3 * i);
        presume_change(of + i, of[i].v, d + 3 * i);
        for (int r = 0; r < 3; r++)
            kg_triple_at(A, 3 * i + r, i)[r] += 1.0;
    }
    if (!kg_factor_triples(n, A, &factors))
        return;
    kg_solve_triples(n, A, &factors, d);
    for (int i = 0; i < n; i++)
        presume_yield(of + i, d + 3 * i, unmet + 3 * i);
    kg_solve_triples(n, A, &factors, unmet);
    for (int i = 0; i < n; i++) {
        for (int r = 0; r < 3; r++)
            d[3 * i + r] += unmet[3 * i + r];
        take_presumed(i, of + i, d + 3 * i, ws);
    }
    push_all(few, d);
}

/* As sweep. */
static double sweep_few(few_points *few, int back, workspace *ws)
{
    double largest = 0.0;
    for (int e = 0; e < few->count; e++) {
        const int i = back ? few->count - 1 - e : e;
        const double *now = velocity_in(few, i), v[3] = {now[0], now[1], now[2]};
        double d[4] = {0.0};
        largest = kg_max(largest, act(i, v, d, ws));
        push_few(few, i, d);
    }
    return largest;
}

/* 1 and the impulses of all points; 0: they are no few, or sweeps are to go on from where they are. Both tell how many
 * were made. */
static int solve_few(const options *o, contacts *c, workspace *ws)
{
    KG_ALIGNED few_points few;
    c->sweeps = 0;
    if (o->solve || !are_few(c, ws))
        return 0;
    few.count = (int)c->count;
    begin_few(&few, ws);
    presume_few(o->tolerance, &few, ws);
    do
        c->residual = sweep_few(&few, (int)(c->sweeps++ % 2), ws);
    while (c->residual >= o->tolerance && c->sweeps < o->sweeps && c->sweeps < FEW_SWEEPS);
    return c->residual < o->tolerance || c->sweeps == o->sweeps;
}

/* Links answer, and move as the impulses have them, also after points were solved by themselves. */
static void answer_few(long count, workspace *ws)
{
    if (ws->answered)
        return;
    ws->answered = 1;
    prepare_answers(ws);
    find_neighbours(ws);
    for (long i = 0; i < count; i++)
        answer_block(i, 1.0, ws);
    apply_all(count, ws);
}

#endif
