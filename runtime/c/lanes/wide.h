/* KG_WIDTH states at a time: one number of each in the lanes of a vector of the compiler, as wide as the machine's. The
 * operators + - * / act lane by lane; a plain number beside a vector stands in every lane. */

#ifndef KG_LANES_WIDE_H
#define KG_LANES_WIDE_H

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

#endif
