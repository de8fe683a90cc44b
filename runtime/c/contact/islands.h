/* Islands: sets of rows that feel each other's impulses. What happens in one island is no matter to the others, bit
 * for bit: each is solved by itself. A model of one tree, with loops or without, in which nothing bounces and nothing
 * is locked is solved as one. */

#ifndef KINEGEN_CONTACT_ISLANDS_H
#define KINEGEN_CONTACT_ISLANDS_H

#include "points.h"

/* `count` rows by number in ws->at, null: 0, 1, ...; the slots that they push; among the rows `locks` from first_lock
 * on, and their factor (see lock_solve.h). */
typedef struct {
    long count;
    int links;
    const long *row;
    const int *link;
    long first_lock;
    int locks, rank;
    double *factor;
    int *order;
} island;

static inline long row_of(const island *g, long e)
{
#if HAS_ISLANDS
    return g->row ? g->row[e] : e;
#else
    (void)g;
    return e;
#endif
}

static island all_rows(long count, const workspace *ws)
{
    const island whole = {count, ws->links, 0, ws->list, -1, 0, 0, 0, 0};
    return whole;
}

#if HAS_ISLANDS
static int root_of(int s, workspace *ws)
{
    while (ws->root[s] != s) {
        ws->root[s] = ws->root[ws->root[s]];
        s = ws->root[s];
    }
    return s;
}

static void join(int a, int b, workspace *ws)
{
    a = root_of(a, ws);
    b = root_of(b, ws);
    ws->root[a < b ? b : a] = a < b ? a : b;
}

/* A wrench on one slot moves the other. */
static int answers(int a, int b, const workspace *ws)
{
    const int block = block_of(ws, a, b);
    for (int j = 0; block >= 0 && j < 6; j++)
        for (int i = 0; i < 6; i++)
            if (ws->mobility[block][j][i] != 0.0)
                return 1;
    return 0;
}

/* The island of a row, by the slot that stands for it. */
static int home_of(long i, workspace *ws)
{
    return root_of(ws->at[i].b >= 0 ? ws->at[i].b : ws->at[i].a, ws);
}

/* Rows and slots sorted by island, in the order of their first rows, else as they were. After prepare_links and
 * the rows. */
static void find_islands(long count, workspace *ws)
{
    int islands = 0;
    for (int e = 0; e < ws->links; e++)
        ws->root[ws->list[e]] = ws->list[e];
    for (int e = 0; e < ws->links; e++)
        for (int f = e - 1; f >= 0 && same_tree(ws->list[f], ws->list[e]); f--)
            if (root_of(ws->list[e], ws) != root_of(ws->list[f], ws) && answers(ws->list[e], ws->list[f], ws))
                join(ws->list[e], ws->list[f], ws);
    for (long i = 0; i < count; i++)
        if (ws->at[i].a >= 0 && ws->at[i].b >= 0)
            join(ws->at[i].a, ws->at[i].b, ws);
    for (int e = 0; e < ws->links; e++)
        ws->island[ws->list[e]] = -1;
    memset(ws->row_start, 0, sizeof ws->row_start);
    memset(ws->link_start, 0, sizeof ws->link_start);
    for (long i = 0; i < count; i++) {
        const int home = home_of(i, ws);
        if (ws->island[home] < 0)
            ws->island[home] = islands++;
        ws->row_start[ws->island[home] + 1]++;
    }
    for (int e = 0; e < ws->links; e++)
        ws->link_start[ws->island[root_of(ws->list[e], ws)] + 1]++;
    for (int g = 0; g < islands; g++) {
        ws->row_start[g + 1] += ws->row_start[g];
        ws->link_start[g + 1] += ws->link_start[g];
    }
    for (long i = 0; i < count; i++)
        ws->island_row[ws->row_start[ws->island[home_of(i, ws)]]++] = i;
    for (int e = 0; e < ws->links; e++)
        ws->island_link[ws->link_start[ws->island[root_of(ws->list[e], ws)]]++] = ws->list[e];
    ws->islands = islands; /* starts stand one island further now */
}

static island island_at(int g, workspace *ws)
{
    const long from = g ? ws->row_start[g - 1] : 0;
    const int link = g ? ws->link_start[g - 1] : 0;
    island found = {ws->row_start[g] - from, ws->link_start[g] - link, ws->island_row + from, ws->island_link + link,
        -1, 0, 0, 0, 0};
#if HAS_LOCKS
    for (long e = 0; e < found.count; e++)
        if (found.row[e] >= ws->cones && found.row[e] < ws->cones + LOCKS) {
            found.first_lock = found.locks ? found.first_lock : e;
            found.locks++;
        }
    found.rank = ws->lock_rank[g];
    found.factor = ws->lock_factor + 9 * LOCKS * ws->lock_before[g];
    found.order = ws->lock_order + 3 * ws->lock_before[g];
#endif
    return found;
}
#endif

#endif
