/* Impulses of rows as wrenches on links, and what answers them. */

#ifndef KINEGEN_ROWS_ROW_WRENCHES_H
#define KINEGEN_ROWS_ROW_WRENCHES_H

static void clear_wrenches(workspace *ws)
{
    for (int e = 0; e < ws->links; e++)
        memset(ws->wrench[ws->list[e]], 0, sizeof ws->wrench[0]);
}

/* ws->wrench += rate times the sum of the impulses of every touching link. */
static void add_wrenches(double rate, long count, workspace *ws)
{
    for (int side = 0; side < 2; side++)
        for (long i = 0; i < count;) {
            const int s = slot_of(ws, i, side);
            double sum[6][4] = {{0.0}};
            for (; i < count && slot_of(ws, i, side) == s; i++) { /* mostly many in turn push the same */
                const double *f = ws->at[i].impulse, force[3] = {f[0] * rate, f[1] * rate, f[2] * rate};
                if (s >= LINKS)
                    sum[0][0] += ws->at[i].row[side][0][0] * force[0];
                else if (s >= 0)
                    kg_add_products(6, (const double (*)[4])ws->at[i].row[side], force, sum);
            }
            for (int e = 0; e < (s < 0 ? 0 : s < LINKS ? 6 : 1); e++)
                for (int k = 0; k < 3; k++)
                    ws->waiting[s][e][k] += sum[e][k];
        }
    for (int e = 0; e < ws->links; e++)
        take_waiting(ws->list[e], ws->wrench[ws->list[e]], ws);
}

static void sum_wrenches(double rate, long count, workspace *ws)
{
    clear_wrenches(ws);
    add_wrenches(rate, count, ws);
}

/* Twists with the impulses that rows begin with: a wrench a link, and what answers it. */
static void apply_all(long count, workspace *ws)
{
    sum_wrenches(1.0, count, ws);
    for (int e = 0; e < ws->links; e++) {
        const int s = ws->list[e], *neighbour = ws->neighbour + ws->first_neighbour[s];
        const double *wrench = ws->wrench[s];
        for (int k = -1; k < ws->neighbours[s]; k++) {
            const int t = k < 0 ? s : neighbour[k], block = k < 0 ? block_of(ws, s, s) : known_block(t, s);
            if (block >= 0)
                kg_add_rows(ws->twist[t], width_of(s), (const double (*)[8])ws->mobility[block], wrench);
        }
    }
}

#endif
