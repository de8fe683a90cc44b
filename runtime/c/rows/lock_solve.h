/* Locks of an island, solved together: K of all their rows, factored once a step, so that no row hangs on how fast
 * sweeps creep along a loop. Rows that repeat others are normal: they get no impulse. */

#ifndef KINEGEN_ROWS_LOCK_SOLVE_H
#define KINEGEN_ROWS_LOCK_SOLVE_H

#include "../contact/islands.h"

/* Of a row that repeats others as well as links of a machine fit each other (3e-4), over its size. */
#define REPEATED 1e-7
#define MOST_REPEATED 1e-6 /* what an error of fit may leave at most */

#define LOST 1e-2 /* how far a lock may be off without being asked whether it still holds [m, rad] */

enum { LOCK_ROWS = 3 * LOCKS };

static int is_lock(long i, const workspace *ws)
{
    return i >= ws->cones && i < ws->cones + LOCKS;
}

/* K of the locks of an island, each row over the root of its size. */
static void lock_matrix(const island *g, double *K, const workspace *ws)
{
    const int n = 3 * g->locks;
    memset(K, 0, sizeof *K * (size_t)(n * n));
    for (int j = 0; j < g->locks; j++) {
        const long from = row_of(g, g->first_lock + j);
        for (int e = 0; e < g->links; e++) {
            double answer[3][8];
            if (!answer_at(from, g->link[e], answer, ws))
                continue;
            for (int i = 0; i < g->locks; i++)
                for (int side = 0; side < 2; side++) {
                    const long to = row_of(g, g->first_lock + i);
                    if (g->link[e] != (side ? ws->at[to].b : ws->at[to].a))
                        continue;
                    for (int row = 0; row < 3; row++) {
                        double v[4] = {0.0};
                        kg_add_short_rows(v, 6, (const double (*)[4])ws->at[to].row[side], answer[row]);
                        for (int k = 0; k < 3; k++)
                            K[(3 * i + k) * n + 3 * j + row] += v[k] * ws->at[to].scale[k] * ws->at[from].scale[row];
                    }
                }
        }
    }
}

/* How far the worst lock of the island is off, as a pure number [rad, m over its arm]. */
static double misfit_of(const island *g, const workspace *ws)
{
    double worst = 0.0;
    for (int j = 0; j < g->locks; j++) {
        const long i = row_of(g, g->first_lock + j), k = i - ws->cones;
        double turns = 0.0;
        for (int side = 0; side < 2; side++) {
            const int s = slot_of(ws, i, side);
            for (int e = 3; s >= 0 && e < 6; e++)
                turns = kg_max(turns, ws->mobility[block_of(ws, s, s)][e][e]);
        }
        for (int row = 0; row < LOCK[k].count; row++) /* scale is 1/sqrt of (m/s)/N, turns (rad/s)/(N m) */
            worst = kg_max(worst, fabs(ws->off[k][row]) * (LOCK[k].turns ? 1.0 : ws->at[i].scale[row] * sqrt(turns)));
    }
    return worst;
}

/* K = L D L' by Cholesky with diagonal pivoting, in place; order: its rows by pivots. Rows of which no more than
 * `dependent` is left repeat others. Returns how many do not. */
static int factor_locks(int n, double dependent, double *K, int *order)
{
    int rank = 0;
    for (int i = 0; i < n; i++)
        order[i] = i;
    for (; rank < n; rank++) {
        int at = rank;
        for (int i = rank + 1; i < n; i++)
            if (K[order[i] * n + order[i]] > K[order[at] * n + order[at]])
                at = i;
        const int o = order[at];
        if (!(K[o * n + o] > dependent))
            break;
        order[at] = order[rank];
        order[rank] = o;
        for (int i = rank + 1; i < n; i++) {
            const int r = order[i];
            const double factor = K[r * n + o] / K[o * n + o];
            for (int j = rank + 1; factor != 0.0 && j < n; j++)
                K[r * n + order[j]] -= factor * K[o * n + order[j]];
            K[r * n + o] = factor;
        }
    }
    return rank;
}

/* x = K^-1 r for the rows that repeat none, 0 for the others. */
static void answer_locks(int n, int rank, const double *K, const int *order, double *r, double *x)
{
    memset(x, 0, sizeof *x * (size_t)n);
    for (int i = 0; i < rank; i++)
        for (int j = 0; j < i; j++)
            r[order[i]] -= K[order[i] * n + order[j]] * r[order[j]];
    for (int i = rank - 1; i >= 0; i--) {
        double sum = r[order[i]] / K[order[i] * n + order[i]];
        for (int j = i + 1; j < rank; j++)
            sum -= K[order[j] * n + order[i]] * x[order[j]];
        x[order[i]] = sum;
    }
}

/* Factors of all islands; rows that repeat others lose what they gave in the last step. Before any impulse acts. */
static void prepare_locks(workspace *ws)
{
    int before = 0;
    for (int k = 0; k < ws->islands; k++) {
        ws->lock_before[k] = before;
        ws->lock_rank[k] = 0;
        const island g = island_at(k, ws);
        if (!g.locks)
            continue;
        const double misfit = misfit_of(&g, ws);
        lock_matrix(&g, g.factor, ws);
        ws->lock_rank[k] = factor_locks(
            3 * g.locks, kg_min(kg_max(REPEATED, 100.0 * misfit * misfit), MOST_REPEATED), g.factor, g.order);
        for (int i = ws->lock_rank[k]; i < 3 * g.locks; i++)
            ws->at[row_of(&g, g.first_lock + g.order[i] / 3)].impulse[g.order[i] % 3] = 0.0;
        before += g.locks;
    }
}

/* All locks of an island at once; gives the largest velocity that they were wrong by. */
static double visit_locks(const island *g, workspace *ws)
{
    double v[4], r[LOCK_ROWS], x[LOCK_ROWS], largest = 0.0;
    for (int j = 0; j < g->locks; j++) {
        const long i = row_of(g, g->first_lock + j);
        velocity_of(ws, i, v);
        for (int k = 0; k < 3; k++)
            r[3 * j + k] = ws->at[i].aim[k] - v[k];
    }
    for (int i = 0; i < g->rank; i++)
        largest = kg_max(largest, fabs(r[g->order[i]]));
    for (int j = 0; j < 3 * g->locks; j++)
        r[j] *= ws->at[row_of(g, g->first_lock + j / 3)].scale[j % 3];
    answer_locks(3 * g->locks, g->rank, g->factor, g->order, r, x);
    for (int j = 0; j < g->locks; j++) {
        const long i = row_of(g, g->first_lock + j);
        for (int k = 0; k < 3; k++) {
            x[3 * j + k] *= ws->at[i].scale[k];
            ws->at[i].impulse[k] += x[3 * j + k];
        }
        apply(ws, i, x + 3 * j);
    }
    return largest;
}

/* 1 + the number of a lock that is off and went further off than what takes others back can do, 0: all hold. before:
 * the rows of the last step. */
static long went_off(double dt, const options *o, long known, const contact *before, const contacts *c)
{
    const long now = c->count - LOCKS - STICTIONS, then = known - LOCKS - STICTIONS;
    for (long k = 0; then >= 0 && now >= 0 && k < LOCKS; k++) {
        const contact *old = before + then + k, *new = c->points + now + k;
        if (old->pair == new->pair && -new->gap > LOST && old->gap - new->gap > 2.0 * o->recovery_speed *dt)
            return k + 1;
    }
    return 0;
}

/* The same for locks that are off and that the impulses found leave going off. */
static long goes_off(const contacts *c, workspace *ws)
{
    for (long k = 0; k < LOCKS; k++) {
        double v[4], along = 0.0;
        if (!(-c->points[ws->cones + k].gap > LOST))
            continue;
        velocity_of(ws, ws->cones + k, v);
        for (int row = 0; row < LOCK[k].count; row++)
            along += ws->off[k][row] * (v[row] - ws->at[ws->cones + k].aim[row]);
        if (!(along < LOST * -c->points[ws->cones + k].gap))
            return k + 1;
    }
    return 0;
}

#endif
