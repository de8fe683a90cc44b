/* KG_WIDTH states at a time: one number of each in the lanes of a vector of the compiler, as wide as the machine's. The
 * operators + - * / act lane by lane; a plain number beside a vector stands in every lane. */

#ifndef KG_LANES_WIDE_H
#define KG_LANES_WIDE_H

#include "../compiler/inlining.h"
#include "../linear/real.h"

#ifndef KG_WIDTH
#if !defined(__GNUC__)
#define KG_WIDTH 1
#elif defined(__AVX512F__)
#define KG_WIDTH (64 / KG_REAL_BYTES)
#elif defined(__AVX__)
#define KG_WIDTH (32 / KG_REAL_BYTES)
#else
#define KG_WIDTH (16 / KG_REAL_BYTES)
#endif
#endif

#if KG_WIDTH > 1
typedef kg_real kg_wide __attribute__((vector_size(KG_REAL_BYTES * KG_WIDTH), may_alias));
typedef kg_bits kg_wide_mask __attribute__((vector_size(KG_REAL_BYTES * KG_WIDTH), may_alias));
/* Anywhere in an array of numbers. */
typedef kg_real kg_wide_at
    __attribute__((vector_size(KG_REAL_BYTES * KG_WIDTH), aligned(KG_REAL_ALIGNMENT), may_alias));
#else
typedef kg_real kg_wide;
typedef kg_real kg_wide_at;
#endif

/* x in every lane; minus 0 and not plus 0, which would lose the sign of a zero. */
#define kg_splat(x) ((x) - (kg_wide){0})

/* The lanes of vectors that stand one after the other, as numbers. */
static inline kg_real *kg_lanes_of(kg_wide *x)
{
    return (kg_real *)(void *)x;
}

/* x (size) of one lane, and back. */
static inline void kg_take_lane(int size, int lane, kg_wide *block, kg_real *x)
{
    for (int k = 0; k < size; k++)
        x[k] = kg_lanes_of(block + k)[lane];
}

static inline void kg_put_lane(int size, int lane, const kg_real *x, kg_wide *block)
{
    for (int k = 0; k < size; k++)
        kg_lanes_of(block + k)[lane] = x[k];
}

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
static KG_INLINE void kg_transpose(kg_wide *t)
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

#endif
