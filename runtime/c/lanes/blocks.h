/* Blocks: the numbers of KG_WIDTH states, entry by entry, a vector each. They are filled from arrays and emptied into
 * arrays where entry k of state l stands at x + l*state + k*entry: states one after the other (entry 1), or entries one
 * after the other (state 1). */

#ifndef KG_LANES_BLOCKS_H
#define KG_LANES_BLOCKS_H

#include <stddef.h>
#include "wide.h"

#if KG_WIDTH > 1
#if defined(__clang__)
#define KG_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define KG_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (kg_wide_mask){__VA_ARGS__})
#endif

/* What two rows of a tile become where they swap lanes that are one, two, four, eight apart. */
#if KG_WIDTH == 2
#define KG_EVEN_1(a, b) KG_SHUFFLE(a, b, 0, 2)
#define KG_ODD_1(a, b) KG_SHUFFLE(a, b, 1, 3)
#define KG_EACH(tile) tile(0) tile(1)
#elif KG_WIDTH == 4
#define KG_EVEN_1(a, b) KG_SHUFFLE(a, b, 0, 4, 2, 6)
#define KG_ODD_1(a, b) KG_SHUFFLE(a, b, 1, 5, 3, 7)
#define KG_EVEN_2(a, b) KG_SHUFFLE(a, b, 0, 1, 4, 5)
#define KG_ODD_2(a, b) KG_SHUFFLE(a, b, 2, 3, 6, 7)
#define KG_EACH(tile) tile(0) tile(1) tile(2) tile(3)
#elif KG_WIDTH == 8
#define KG_EVEN_1(a, b) KG_SHUFFLE(a, b, 0, 8, 2, 10, 4, 12, 6, 14)
#define KG_ODD_1(a, b) KG_SHUFFLE(a, b, 1, 9, 3, 11, 5, 13, 7, 15)
#define KG_EVEN_2(a, b) KG_SHUFFLE(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define KG_ODD_2(a, b) KG_SHUFFLE(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#define KG_EVEN_4(a, b) KG_SHUFFLE(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define KG_ODD_4(a, b) KG_SHUFFLE(a, b, 4, 5, 6, 7, 12, 13, 14, 15)
#define KG_EACH(tile) tile(0) tile(1) tile(2) tile(3) tile(4) tile(5) tile(6) tile(7)
#else
#define KG_EVEN_1(a, b) KG_SHUFFLE(a, b, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30)
#define KG_ODD_1(a, b) KG_SHUFFLE(a, b, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31)
#define KG_EVEN_2(a, b) KG_SHUFFLE(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define KG_ODD_2(a, b) KG_SHUFFLE(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
#define KG_EVEN_4(a, b) KG_SHUFFLE(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27)
#define KG_ODD_4(a, b) KG_SHUFFLE(a, b, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31)
#define KG_EVEN_8(a, b) KG_SHUFFLE(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
#define KG_ODD_8(a, b) KG_SHUFFLE(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31)
#define KG_EACH(tile)                                                                                                  \
    tile(0) tile(1) tile(2) tile(3) tile(4) tile(5) tile(6) tile(7) tile(8) tile(9) tile(10) tile(11) tile(12)         \
        tile(13) tile(14) tile(15)
#endif

#define KG_SWAP(apart, i)                                                                                              \
    if (((i) & (apart)) == 0) {                                                                                        \
        const kg_wide a = t[i], b = t[(i) + (apart)];                                                                  \
        t[i] = KG_EVEN_##apart(a, b);                                                                                  \
        t[(i) + (apart)] = KG_ODD_##apart(a, b);                                                                       \
    }
#define KG_SWAP_1(i) KG_SWAP(1, i)
#define KG_SWAP_2(i) KG_SWAP(2, i)
#define KG_SWAP_4(i) KG_SWAP(4, i)
#define KG_SWAP_8(i) KG_SWAP(8, i)

/* Rows of a square tile become its columns. */
static inline __attribute__((always_inline)) void kg_transpose(kg_wide *t)
{
    KG_EACH(KG_SWAP_1)
#if KG_WIDTH >= 4
    KG_EACH(KG_SWAP_2)
#endif
#if KG_WIDTH >= 8
    KG_EACH(KG_SWAP_4)
#endif
#if KG_WIDTH >= 16
    KG_EACH(KG_SWAP_8)
#endif
}
#endif

/* block (size) from `count` <= KG_WIDTH states; the lanes beyond repeat the last one, so that they are numbers too.
 * state 0: one state for all lanes. */
static inline void kg_fill(int size, int count, const kg_real *x, long state, long entry, kg_wide *block)
{
    if (state == 0) {
        for (int k = 0; k < size; k++)
            block[k] = kg_splat(x[k * entry]);
        return;
    }
#if KG_WIDTH > 1
    if (count == KG_WIDTH && entry == 1 && size >= KG_WIDTH) {
        for (int tile = 0; tile < size; tile += KG_WIDTH) { /* the last one overlaps the one before */
            const int k = tile + KG_WIDTH <= size ? tile : size - KG_WIDTH;
            kg_wide t[KG_WIDTH];
#define KG_TAKE(l) t[l] = *(const kg_wide_at *)(const void *)(x + l * state + k);
            KG_EACH(KG_TAKE)
            kg_transpose(t);
#define KG_KEEP(l) block[k + l] = t[l];
            KG_EACH(KG_KEEP)
        }
        return;
    }
#endif
    for (int k = 0; k < size; k++)
        for (int l = 0; l < KG_WIDTH; l++)
            kg_lanes_of(block + k)[l] = x[(l < count ? l : count - 1) * state + k * entry];
}

/* Blocks that are computed together where entries stand one after the other, each with so many entries in all, and at
 * least so many blocks: each entry is read and written over half a kilobyte in one go. Line by line it would be slower,
 * and by a number of states that is a power of two three times as slow: all entries of a state fall on the same places
 * of the cache. */
#define KG_TOGETHER(entries, least) KG_BLOCKS(KG_ROOM / (entries) < KG_LENGTH ? KG_ROOM / (entries) : KG_LENGTH, least)
#define KG_BLOCKS(bytes, least) ((bytes) < (least) * (int)sizeof(kg_wide) ? (least) : (bytes) / (int)sizeof(kg_wide))
#define KG_LENGTH 512
#define KG_ROOM (1 << 18) /* on the stack */

static inline int kg_least_of(int a, int b)
{
    return a < b ? a : b;
}

/* Blocks that `left` states fill, at most so many. */
static inline int kg_blocks(long left, int most)
{
    return left > (most - 1) * KG_WIDTH ? most : (int)((left + KG_WIDTH - 1) / KG_WIDTH);
}

/* States of a block of `left` states. */
static inline int kg_states(long left, int block)
{
    return left - block * KG_WIDTH < KG_WIDTH ? (int)(left - block * KG_WIDTH) : KG_WIDTH;
}

/* Several blocks from `left` states or fewer. */
static inline void kg_fill_blocks(
    int size, long left, int blocks, const kg_real *x, long state, long entry, kg_wide *block)
{
    int b = 0;
#if KG_WIDTH > 1
    if (state == 1) {
        b = left < blocks * KG_WIDTH ? blocks - 1 : blocks;
        for (int k = 0; k < size; k++)
            for (int c = 0; c < b; c++)
                block[c * size + k] = *(const kg_wide_at *)(const void *)(x + c * KG_WIDTH + k * entry);
    }
#endif
    for (; b < blocks; b++)
        kg_fill(size, kg_states(left, b), x + b * KG_WIDTH * state, state, entry, block + b * size);
}

/* Entry k of the array stands at block[map[k]] if there is a map. */
#define KG_AT(k) (map ? map[k] : (k))

#if KG_WIDTH > 1
/* KG_WIDTH rows x + l*state of `size` >= KG_WIDTH entries from the block. */
static inline void kg_empty_rows(int size, const int *map, const kg_wide *block, kg_real *x, long state)
{
    kg_wide t[KG_WIDTH];
    for (int tile = 0; tile < size; tile += KG_WIDTH) { /* the last one overlaps the one before */
        const int k = tile + KG_WIDTH <= size ? tile : size - KG_WIDTH;
#define KG_GIVEN(l) t[l] = block[KG_AT(k + l)];
        KG_EACH(KG_GIVEN)
        kg_transpose(t);
#define KG_PUT(l) *(kg_wide_at *)(void *)(x + l * state + k) = t[l];
        KG_EACH(KG_PUT)
    }
}

#if defined(__AVX512F__) && KG_WIDTH * KG_REAL_BYTES == 64 && !defined(__clang__)
#define KG_LINES
/* The same of rows that begin anywhere in lines of the cache: a store over the border of two takes twice as long.
 * Behind its first tile a row goes on at its lines, with the end of its last tile and the beginning of the next. */
static inline void kg_empty_lines(int size, const int *map, const kg_wide *block, kg_real *x, long state)
{
    kg_wide t[KG_WIDTH], last[KG_WIDTH];
    kg_wide_mask joined[KG_WIDTH];
    int beyond[KG_WIDTH]; /* entries from the line's beginning to the row's */
    for (int l = 0; l < KG_WIDTH; l++) {
        beyond[l] = (int)((size_t)(x + l * state) / KG_REAL_BYTES % KG_WIDTH);
        for (int j = 0; j < KG_WIDTH; j++)
            joined[l][j] = KG_WIDTH - beyond[l] + j;
    }
    kg_empty_rows(KG_WIDTH, map, block, x, state);
#define KG_FIRST(l) last[l] = block[KG_AT(l)];
    KG_EACH(KG_FIRST)
    kg_transpose(last);
    int k = KG_WIDTH;
    for (; k + KG_WIDTH <= size; k += KG_WIDTH) {
        KG_EACH(KG_GIVEN)
        kg_transpose(t);
#define KG_PUT_LINE(l)                                                                                                 \
    *(kg_wide *)(void *)(x + l * state + k - beyond[l]) = __builtin_shuffle(last[l], t[l], joined[l]);                 \
    last[l] = t[l];
        KG_EACH(KG_PUT_LINE)
    }
#define KG_PUT_LAST(l) *(kg_wide_at *)(void *)(x + l * state + k - KG_WIDTH) = last[l];
    KG_EACH(KG_PUT_LAST)
    kg_empty_rows(
        KG_WIDTH, map ? map + size - KG_WIDTH : 0, map ? block : block + size - KG_WIDTH, x + size - KG_WIDTH, state);
}
#endif
#endif

/* The array's (size) entries from the block. */
static inline void kg_empty(int size, int count, const int *map, kg_wide *block, kg_real *x, long state, long entry)
{
#if KG_WIDTH > 1
#ifdef KG_LINES
    if (count == KG_WIDTH && entry == 1 && size >= 5 * KG_WIDTH && state % KG_WIDTH) {
        kg_empty_lines(size, map, block, x, state);
        return;
    }
#endif
    if (count == KG_WIDTH && entry == 1 && size >= KG_WIDTH) {
        kg_empty_rows(size, map, block, x, state);
        return;
    }
#endif
    for (int k = 0; k < size; k++)
        for (int l = 0; l < count; l++)
            x[l * state + k * entry] = kg_lanes_of(block + KG_AT(k))[l];
}

/* The array's (size) entries of `left` states or fewer from blocks of `stored` vectors. */
static inline void kg_empty_blocks(
    int size, long left, int blocks, const int *map, kg_wide *block, int stored, kg_real *x, long state, long entry)
{
    int b = 0;
#if KG_WIDTH > 1
    if (state == 1) {
        b = left < blocks * KG_WIDTH ? blocks - 1 : blocks;
        for (int k = 0; k < size; k++)
            for (int c = 0; c < b; c++)
                *(kg_wide_at *)(void *)(x + c * KG_WIDTH + k * entry) = block[c * stored + KG_AT(k)];
    }
#endif
    for (; b < blocks; b++)
        kg_empty(size, kg_states(left, b), map, block + b * stored, x + b * KG_WIDTH * state, state, entry);
}
#undef KG_AT

/* Adds to each lane of `seen` 0 if all numbers of the block times scale are finite there, else what is no number. Four
 * sums do not wait for each other. */
static inline void kg_look(int size, kg_real scale, const kg_wide *block, kg_wide *seen)
{
    kg_wide sum[4] = {seen[0], seen[1], seen[2], seen[3]};
    int k = 0;
    for (; k + 4 <= size; k += 4) {
        sum[0] += block[k] * scale * KG_REAL(0.0);
        sum[1] += block[k + 1] * scale * KG_REAL(0.0);
        sum[2] += block[k + 2] * scale * KG_REAL(0.0);
        sum[3] += block[k + 3] * scale * KG_REAL(0.0);
    }
    for (; k < size; k++)
        sum[0] += block[k] * scale * KG_REAL(0.0);
    for (int j = 0; j < 4; j++)
        seen[j] = sum[j];
}

static inline void kg_look_finite(int size, const kg_wide *block, kg_wide *seen)
{
    kg_look(size, KG_REAL(1.0), block, seen);
}

#ifndef KG_SINGLE
/* The same of numbers beyond 1e40 in size: sums and products of smaller ones are finite. */
static inline void kg_look_small(int size, const kg_wide *block, kg_wide *seen)
{
    kg_look(size, 1.8e268, block, seen);
}
#endif

/* The same where a rotation of `size` numbers, which begins at one of the places of the block, is off unit norm. */
static inline void kg_look_unit(
    kg_real tolerance, int rotations, const int *places, int size, const kg_wide *block, kg_wide *seen)
{
    const kg_real low = KG_REAL(1.0) - tolerance, high = KG_REAL(1.0) + tolerance;
    for (int r = 0; r < rotations; r++) {
        const kg_wide *x = block + places[r];
        kg_wide square = x[0] * x[0];
        for (int k = 1; k < size; k++)
            square += x[k] * x[k];
#if KG_WIDTH > 1
        seen[0] += (kg_wide) ~((square >= low * low) & (square <= high * high)); /* all bits: no number */
#else
        seen[0] += square >= low * low && square <= high * high ? KG_REAL(0.0) : KG_REAL(1.0);
#endif
    }
}

/* The first of `count` lanes of which that was seen, -1 if none. */
static inline int kg_seen(int count, const kg_wide *seen)
{
    kg_wide sum = (seen[0] + seen[1]) + (seen[2] + seen[3]);
    for (int l = 0; l < count; l++)
        if (kg_lanes_of(&sum)[l] != KG_REAL(0.0))
            return l;
    return -1;
}

#endif
