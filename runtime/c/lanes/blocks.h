/* Blocks: the numbers of KG_WIDTH states, entry by entry, a vector each. They are filled from arrays and emptied into
 * arrays where entry k of state l stands at x + l*state + k*entry: states one after the other (entry 1), or entries one
 * after the other (state 1). */

#ifndef KG_LANES_BLOCKS_H
#define KG_LANES_BLOCKS_H

#include <stddef.h>
#include "wide.h"

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

static inline long kg_least_of(long a, long b)
{
    return a < b ? a : b;
}

/* Blocks that n states fill, at most so many. */
static inline int kg_blocks(long n, int most)
{
    return n > (most - 1) * KG_WIDTH ? most : (int)((n + KG_WIDTH - 1) / KG_WIDTH);
}

/* Of so many states, those of the block that begins with state l. */
static inline int kg_states(long states, long l)
{
    return states - l < KG_WIDTH ? (int)(states - l) : KG_WIDTH;
}

/* Blocks from so many states. */
static inline void kg_fill_blocks(int size, long states, const kg_real *x, long state, long entry, kg_wide *block)
{
    long l = 0;
#if KG_WIDTH > 1
    if (state == 1) {
        l = states / KG_WIDTH * KG_WIDTH;
        for (int k = 0; k < size; k++)
            for (long c = 0; c < l; c += KG_WIDTH)
                block[c / KG_WIDTH * size + k] = *(const kg_wide_at *)(const void *)(x + c + k * entry);
    }
#endif
    for (; l < states; l += KG_WIDTH)
        kg_fill(size, kg_states(states, l), x + l * state, state, entry, block + l / KG_WIDTH * size);
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
#define KG_PAST (20 << 20) /* bytes of an array from which on it is written past the cache, where it would not stay */

/* A line of the cache; past: past it, straight to memory. */
static inline void kg_put_line(kg_real *x, kg_wide line, int past)
{
    if (past)
#ifdef KG_SINGLE
        __builtin_ia32_movntps512(x, line);
#else
        __builtin_ia32_movntpd512(x, line);
#endif
    else
        *(kg_wide *)(void *)x = line;
}

/* The same of rows that begin anywhere in lines of the cache: a store over the border of two takes twice as long.
 * Behind its first tile a row goes on at its lines, with the end of its last tile and the beginning of the next. */
static KG_INLINE void kg_empty_lines(int size, const int *map, const kg_wide *block, kg_real *x, long state, int past)
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
    kg_put_line(x + l * state + k - beyond[l], __builtin_shuffle(last[l], t[l], joined[l]), past);                     \
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

/* Whether an array of n states is written past the cache: in whole lines, which those are where kg_lead begins. */
static inline int kg_past_cache(long n, int size, long state, long entry)
{
#ifdef KG_LINES
    return n * size > KG_PAST / KG_REAL_BYTES
        && (state == 1 ? entry % KG_WIDTH == 0 && n >= 16 * KG_WIDTH : size >= 5 * KG_WIDTH);
#else
    return (void)n, (void)size, (void)state, (void)entry, 0;
#endif
}

/* Others see what was written past the cache. */
static inline void kg_end_past(int past)
{
#ifdef KG_LINES
    if (past)
        __builtin_ia32_sfence();
#else
    (void)past;
#endif
}

/* Where entries stand one after the other: of many states, those before the first whose entries begin vectors in
 * memory, if all do at once. */
static inline long kg_lead(long n, const kg_real *x, long state, long entry)
{
    const int apart = state == 1 && entry % KG_WIDTH == 0 && n >= 16 * KG_WIDTH;
    return apart ? (long)(-(size_t)x / KG_REAL_BYTES % KG_WIDTH) : 0;
}

/* The array's (size) entries from the block. */
static inline void kg_empty(
    int size, int count, const int *map, kg_wide *block, kg_real *x, long state, long entry, int past)
{
    (void)past;
#ifdef KG_LINES
    if (count == KG_WIDTH && entry == 1 && size >= 5 * KG_WIDTH && (past || state % KG_WIDTH)) {
        if (past) /* two copies: none asks at every line */
            kg_empty_lines(size, map, block, x, state, 1);
        else
            kg_empty_lines(size, map, block, x, state, 0);
        return;
    }
#endif
#if KG_WIDTH > 1
    if (count == KG_WIDTH && entry == 1 && size >= KG_WIDTH) {
        kg_empty_rows(size, map, block, x, state);
        return;
    }
#endif
    for (int k = 0; k < size; k++)
        for (int l = 0; l < count; l++)
            x[l * state + k * entry] = kg_lanes_of(block + KG_AT(k))[l];
}

/* The array's (size) entries of so many states from blocks of `stored` vectors. */
static inline void kg_empty_blocks(
    int size, long states, const int *map, kg_wide *block, int stored, kg_real *x, long state, long entry, int past)
{
    long l = 0;
#if KG_WIDTH > 1
    if (state == 1) {
        l = states / KG_WIDTH * KG_WIDTH;
        for (int k = 0; k < size; k++)
            for (long c = 0; c < l; c += KG_WIDTH) {
                const kg_wide *from = block + c / KG_WIDTH * stored + KG_AT(k);
                kg_real *to = x + c + k * entry;
#ifdef KG_LINES
                if (past) {
                    kg_put_line(to, *from, past);
                    continue;
                }
#endif
                *(kg_wide_at *)(void *)to = *from;
            }
    }
#endif
    for (; l < states; l += KG_WIDTH)
        kg_empty(size, kg_states(states, l), map, block + l / KG_WIDTH * stored, x + l * state, state, entry, past);
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
