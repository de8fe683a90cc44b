/* Linear equations A x = b in blocks of six by six, of groups of dofs that push each other: few of the blocks are not
 * zero. Elimination group by group, always of the one with the fewest others left; pivots are looked for within it. */

#ifndef KINEGEN_NEWTON_BLOCKS_H
#define KINEGEN_NEWTON_BLOCKS_H

#include "../contact/islands.h"
#include "../linear/six.h"

/* Which blocks are not zero, with those that elimination fills: a bit of linked[a] for each b, a itself left out; where
 * they stand in ws->block, columns one after another, rows of eight; the order of elimination; b and x. */
typedef struct {
    int groups, blocks, order[NEWTON_GROUPS];
    unsigned linked[NEWTON_GROUPS], later[NEWTON_GROUPS]; /* later: those that are still there as it goes */
    short place[NEWTON_GROUPS][NEWTON_GROUPS];
    double x[NEWTON_GROUPS][8];
} block_equations;

static inline int has_bit(unsigned bits, int k)
{
    return (int)(bits >> k & 1u);
}

static int bits_of(unsigned bits)
{
    int count = 0;
    for (; bits; bits &= bits - 1)
        count++;
    return count;
}

static inline double (*block_at(const block_equations *of, int a, int b, workspace *ws))[8]
{
    return ws->block[of->place[a][b]];
}

/* The group of those in `left` with the fewest links among them, the first of several. */
static int least_linked(const block_equations *of, unsigned left)
{
    int least = NEWTON_GROUPS, found = 0;
    for (int k = 0; k < of->groups; k++) {
        const int links = bits_of(of->linked[k] & left);
        if (has_bit(left, k) && links < least) {
            least = links;
            found = k;
        }
    }
    return found;
}

/* Order, fill and places from the links that there are; 0: there is no room for so many blocks. */
static int arrange_blocks(block_equations *of)
{
    unsigned left = 0;
    of->blocks = 0;
    for (int k = 0; k < of->groups; k++)
        left |= 1u << k;
    for (int n = 0; n < of->groups; n++) {
        const int k = of->order[n] = least_linked(of, left);
        left &= ~(1u << k);
        of->later[k] = of->linked[k] & left;
        for (int a = 0; a < of->groups; a++)
            if (has_bit(of->later[k], a))
                of->linked[a] |= of->later[k] & ~(1u << a);
    }
    for (int a = 0; a < of->groups; a++)
        for (int b = 0; b < of->groups; b++)
            if (a == b || has_bit(of->linked[a], b)) {
                if (of->blocks == NEWTON_BLOCKS)
                    return 0;
                of->place[a][b] = (short)of->blocks++;
            }
    return 1;
}

/* y (8) = A w, A by columns. */
static inline void times_block(const double (*A)[8], double *w)
{
    double y[8] = {0.0};
    kg_add_rows(y, 6, A, w);
    memcpy(w, y, sizeof y);
}

/* y (8) -= A w */
static inline void less_block(const double (*A)[8], const double *w, double *y)
{
    double minus[6];
    for (int j = 0; j < 6; j++)
        minus[j] = -w[j];
    kg_add_rows(y, 6, A, minus);
}

/* A_ab -= A_ak U_kb, with all the U_kb as they stand. */
static void eliminate_group(block_equations *of, int k, int a, workspace *ws)
{
    const double (*factor)[8] = (const double (*)[8])block_at(of, a, k, ws);
    for (int b = 0; b < of->groups; b++) {
        if (!has_bit(of->later[k], b))
            continue;
        double (*U)[8] = block_at(of, k, b, ws), (*A)[8] = block_at(of, a, b, ws);
        for (int j = 0; j < 6; j++)
            less_block(factor, U[j], A[j]);
    }
}

/* D^-1 and U of all groups in place of A; what stands below them stays. 0: there are none. */
static int factor_blocks(block_equations *of, workspace *ws)
{
    for (int n = 0; n < of->groups; n++) {
        const int k = of->order[n];
        double (*D)[8] = block_at(of, k, k, ws);
        if (!kg_invert_six(D))
            return 0;
        for (int b = 0; b < of->groups; b++)
            for (int j = 0; has_bit(of->later[k], b) && j < 6; j++)
                times_block((const double (*)[8])D, block_at(of, k, b, ws)[j]);
        for (int a = 0; a < of->groups; a++)
            if (has_bit(of->later[k], a))
                eliminate_group(of, k, a, ws);
    }
    return 1;
}

/* A x = b, b in x, with the factors of A. */
static void solve_blocks(block_equations *of, workspace *ws)
{
    for (int n = 0; n < of->groups; n++) {
        const int k = of->order[n];
        times_block((const double (*)[8])block_at(of, k, k, ws), of->x[k]);
        for (int a = 0; a < of->groups; a++)
            if (has_bit(of->later[k], a))
                less_block((const double (*)[8])block_at(of, a, k, ws), of->x[k], of->x[a]);
    }
    for (int n = of->groups - 1; n >= 0; n--)
        for (int k = of->order[n], b = 0; b < of->groups; b++)
            if (has_bit(of->later[k], b))
                less_block((const double (*)[8])block_at(of, k, b, ws), of->x[b], of->x[k]);
}

#endif
